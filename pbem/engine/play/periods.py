"""The number of impulses that one set of orders covers, and the pulses for conditions.

A pulse is a recent shot, launch or damage (:class:`pbem.engine.state.Pulse`). Conditions of orders can ask about
pulses.
"""

from __future__ import annotations

from pbem.data.terms import StepName
from pbem.engine.options import Options
from pbem.engine.state import AnyUnit, Pulse, Ship, State
from pbem.engine.step_names import ORDER


def period_length(options: Options, impulses: int) -> int:
    """Return the number of impulses that one set of orders (SOP) covers, by the option ``period``.

    By default a period is the whole turn in games with 8 and 16 impulses, and half a turn with 32 impulses.
    """
    match options.period:
        case "turn":
            return impulses
        case "half":
            return impulses // 2
        case "":
            return impulses if impulses <= 16 else impulses // 2
        case number:
            return min(impulses, int(number))


def period_end(options: Options, impulses: int, impulse: int) -> int:
    """Return the last impulse of the period that contains ``impulse``."""
    length = period_length(options, impulses)
    return min(impulses, -(-max(impulse, 1) // length) * length)


def pulses_for(state: State, step: StepName) -> tuple[Pulse, ...]:
    """Return the pulses that an order's condition may ask about when ``step`` begins.

    Pulses are recent shots, launches and damage. The pulses since the same step of the previous impulse are returned.
    """
    if not state.recent:
        return ()
    now = state.moment
    place = ORDER[step]
    return tuple(
        p
        for p in state.recent
        if (p.moment == now and ORDER[p.step] < place) or (p.moment == now - 1 and ORDER[p.step] >= place)
    )


def pulses_since_move(state: State, unit: AnyUnit) -> tuple[Pulse, ...]:
    """Return the pulses that a movement condition of a unit may ask about.

    Pulses are recent shots, launches and damage. The period begins with the unit's last move this turn or with its step
    in the previous impulse, whichever was earlier. So even a slow ship can react to a pulse with its next move. A move
    by a tractor beam is not the unit's own move and does not count.
    """
    if not state.recent:
        return ()
    step = StepName.MOVE if isinstance(unit, Ship) else StepName.SHUTTLES
    now, began = state.moment, (state.turn - 1) * state.impulses
    moved = max((place.moment for place in unit.flown), default=0)
    since = max(min(moved, now - 1), began)
    return tuple(p for p in state.recent if p.moment > since or (p.moment == since and ORDER[p.step] >= ORDER[step]))


def pulses_of(state: State, *steps: str) -> tuple[Pulse, ...]:
    """Return the shots, launches and damage of the steps just finished, used to check breaks."""
    if not state.recent:
        return ()
    now = state.moment
    return tuple([p for p in state.recent if p.moment == now and p.step in steps])
