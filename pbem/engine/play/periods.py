"""How much play one set of orders covers: the period, and the pulses a step may look back at."""

from __future__ import annotations

from pbem.data.terms import StepName
from pbem.engine.options import Options
from pbem.engine.state import AnyUnit, Pulse, Ship, State
from pbem.engine.step_names import ORDER


def period_length(options: Options, impulses: int) -> int:
    """Impulses one SOP covers: the option ``period``, else the turn for 8 and 16 impulses and half of it for 32."""
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
    """Last impulse of the period that ``impulse`` belongs to."""
    length = period_length(options, impulses)
    return min(impulses, -(-max(impulse, 1) // length) * length)


def pulses_for(state: State, step: StepName) -> tuple[Pulse, ...]:
    """What an order's condition may ask about as ``step`` begins: all since the same step of the impulse before."""
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
    """What a movement condition may ask about: all since the unit moved last in this turn, or since its step of the
    impulse before, whichever is longer. A slow ship answers with its next hex, whenever that comes; where
    a beam took it is no move of its own.
    """
    if not state.recent:
        return ()
    step = StepName.MOVE if isinstance(unit, Ship) else StepName.SHUTTLES
    now, began = state.moment, (state.turn - 1) * state.impulses
    moved = max((place.moment for place in unit.flown), default=0)
    since = max(min(moved, now - 1), began)
    return tuple(p for p in state.recent if p.moment > since or (p.moment == since and ORDER[p.step] >= ORDER[step]))


def pulses_of(state: State, *steps: str) -> tuple[Pulse, ...]:
    """What happened in the steps just finished, for breaks."""
    if not state.recent:
        return ()
    now = state.moment
    return tuple([p for p in state.recent if p.moment == now and p.step in steps])
