"""How fast a ship may go after the speed of last turn (B3.0, line 14, C1.42).

The impulse chart (C1.4): which speeds move in which impulse.

The charts for 8, 16 and 32 impulses follow one formula: after impulse *i* of *N* a unit at speed *v* has
moved ``v * i // N`` hexes.

Tactical maneuvers: turning on the spot, with sublight or warp power (C5.0).

A ship that makes them stays in its hex for the whole turn; each maneuver turns it by 60 degrees. The number of warp
maneuvers paid for is announced in place of a speed (C5.23).

Turns and turn modes (C3.0), and where a movement code leads.

Sideslips (C4.0), and how every step counts for turn mode and slip mode.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import ceil

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, neighbour, turn_facing


def top_speed(prior: int, acceleration: int, multiple: int = 1) -> int:
    """The fastest speed after ``prior``: so many hexes more, or so many times as fast if that is more.

    Both figures are those of the level (:class:`pbem.data.chart_types.Level`). After tactical maneuvers ``prior`` is 0
    (:func:`pbem.rules.movement.verify_paid`).
    """
    return max(prior + acceleration, prior * multiple)


def verify_speed(speed: int, *, prior: int, acceleration: int, multiple: int = 1, max_speed: int) -> None:
    """Raises :class:`NotAllowed` unless a ship may go so fast: ``too-fast`` (C1.42), ``acceleration`` (B3.0)."""
    if speed > max_speed:
        raise NotAllowed("too-fast", f"speed {speed} is more than the maximum of {max_speed}", "C1.42")
    fastest = top_speed(prior, acceleration, multiple)
    if speed > fastest:
        doubled = f" and more than {multiple} times that" if multiple > 1 else ""
        text = f"speed {speed} is more than {acceleration} above last turn's {prior}{doubled}; {fastest} is the most"
        raise NotAllowed("acceleration", text, "B3.0, line 14")


def hex_number(speed: int, impulse: int, impulses: int) -> int:
    """The hexes a unit has moved this turn by the end of an impulse (the number on the chart, C1.44)."""
    return speed * impulse // impulses


def moves(speed: int, impulse: int, impulses: int) -> bool:
    """Whether the chart calls a speed to move in an impulse (1 to ``impulses``)."""
    return speed * impulse // impulses > speed * (impulse - 1) // impulses


def hexes_between(speed: int, first: int, last: int, impulses: int) -> int:
    """The hexes a unit moves from impulse ``first`` through ``last``; 0 where that is no stretch of time."""
    return max(0, hex_number(speed, last, impulses) - hex_number(speed, first - 1, impulses))


def impulses_of(speed: int, impulses: int) -> tuple[int, ...]:
    """All impulses in which a speed moves."""
    return tuple(impulse for impulse in range(1, impulses + 1) if moves(speed, impulse, impulses))


def quarter(impulses: int) -> int:
    """A quarter of a turn, in impulses (E1.5). Raises ``ValueError`` unless the turn has 8, 16 or 32."""
    return charts.turn_length(impulses).quarter


def max_speed(impulses: int, seeker: bool = False) -> int:
    """The fastest a ship, or the speed at which a seeking weapon, may go (C1.42).

    Raises ``ValueError`` unless the turn has 8, 16 or 32 impulses.
    """
    length = charts.turn_length(impulses)
    return length.seeker if seeker else length.ship


def turn_of(moment: int, impulses: int) -> int:
    """The turn (from 1) of a moment: impulses counted from the start of the game, the first is 1."""
    return (moment - 1) // impulses + 1


def impulse_of(moment: int, impulses: int) -> int:
    """The impulse (from 1) of a moment within its turn."""
    return (moment - 1) % impulses + 1


WARP, SUBLIGHT = "warp", "sublight"


def warp_energy(maneuvers: int, move_cost: Fraction, fractional: bool = False) -> Fraction:
    """Warp power for so many warp maneuvers: that of as many hexes, rounded up as movement is (C5.22, C2.12)."""
    exact = maneuvers * move_cost
    return exact if fractional else Fraction(ceil(exact))


def verify_paid(*, warp: int, sublight: int, hexes: int) -> None:
    """Raises :class:`NotAllowed` unless a form may pay for so many maneuvers together with so many hexes of movement.

    Codes: ``too-many-tacs`` (C5.11, C5.22), ``tac-and-move`` (C5.21). Reading: a ship that pays for maneuvers counts as
    having made them, for it does not move: the next turn's acceleration is from speed 0 (C5.4). Its counts for turn and
    slip mode begin anew with a maneuver that is made, and are kept while none is.
    """
    chart = charts.maneuvers()
    if warp > chart.warp:
        raise NotAllowed("too-many-tacs", f"{warp} warp maneuvers are more than {chart.warp} in a turn", "C5.22")
    if sublight > chart.sublight:
        text = f"{sublight} sublight maneuvers are more than {chart.sublight} in a turn"
        raise NotAllowed("too-many-tacs", text, "C5.11")
    if hexes and (warp or sublight):
        text = (
            f"a ship that makes tactical maneuvers stays in its hex, yet movement is paid for too ({hexes}); "
            "both kinds of maneuver are written TAC 2 WARP + 1 IMPULSE"
        )
        raise NotAllowed("tac-and-move", text, "C5.21")


def earned_in(maneuvers: int, impulses: int) -> tuple[int, ...]:
    """The impulses in which warp maneuvers are earned, with so many paid for (C5.231).

    The first on the second impulse, another each time the chart then calls that speed to move, but for the last
    impulse of the turn.
    """
    first = charts.maneuvers().first
    if not maneuvers:
        return ()
    return (first, *(impulse for impulse in impulses_of(maneuvers, impulses) if first < impulse < impulses))


def in_hand(maneuvers: int, impulses: int, impulse: int, used: Sequence[int] = ()) -> bool:
    """Whether a warp maneuver is there to use in an impulse; ``used`` are the impulses of those made (C5.232).

    No more than one is ever in hand. What an impulse earns can be used in that impulse.
    """
    earned, has = earned_in(maneuvers, impulses), False
    for each in range(impulse + 1):
        has = has or each in earned
        if each < impulse and each in used:
            has = False
    return has


def verify_tac(
    kind: str,
    *,
    impulse: int,
    impulses: int,
    maneuvers: int = 0,
    used: Sequence[int] = (),
    sublight: bool = False,
    sublight_used: int | None = None,
) -> None:
    """Raises :class:`NotAllowed` unless a ship may turn by a ``warp`` or ``sublight`` maneuver in an impulse.

    ``maneuvers`` warp maneuvers paid for and the impulses in which they were ``used``; ``sublight`` whether that one
    is paid for, and the impulse in which it was used. Codes: ``tac-not-paid``, ``tac-too-early`` (C5.11, C5.231),
    ``tac-used`` (C5.11), ``tac-not-earned`` (C5.231, C5.232), ``one-tac`` (C5.3). Raises ``ValueError`` for another
    kind.
    """
    if kind not in (WARP, SUBLIGHT):
        raise ValueError(f"{kind!r} is no kind of tactical maneuver: {WARP} or {SUBLIGHT}")
    first = charts.maneuvers().first
    if not (maneuvers if kind == WARP else sublight):
        raise NotAllowed("tac-not-paid", f"the energy form pays for no {kind} maneuver", "C5.0")
    if impulse < first:
        rule = "C5.231" if kind == WARP else "C5.11"
        raise NotAllowed("tac-too-early", f"there are no tactical maneuvers before impulse {first}", rule)
    if impulse in used or impulse == sublight_used:
        raise NotAllowed("one-tac", "the ship has made a tactical maneuver in this impulse", "C5.3")
    if kind == SUBLIGHT and sublight_used is not None:
        raise NotAllowed("tac-used", f"the sublight maneuver was made in impulse {sublight_used}", "C5.11")
    if kind == WARP and not in_hand(maneuvers, impulses, impulse, used):
        later = next((each for each in earned_in(maneuvers, impulses) if each > impulse), None)
        when = f"the next is earned in impulse {later}" if later else "no other is earned this turn"
        raise NotAllowed("tac-not-earned", f"no warp maneuver is in hand; {when}", "C5.232")


CODES = ("F", "L", "R", "SL", "SR")
"""Movement codes: ahead, turn left or right and move, sideslip left or right."""

TURNS = ("L", "R")
SLIPS = ("SL", "SR")

# 60-degree steps of the direction moved in and of the new facing, for each code
_STEPS = {"F": (0, 0), "L": (-1, -1), "R": (1, 1), "SL": (-1, 0), "SR": (1, 0)}


def turn_mode(turn_modes: Sequence[int], speed: int) -> int:
    """The hexes a ship must move straight ahead between turns, at a speed (C3.3).

    ``turn_modes`` are the highest speeds of mode 1, 2 …; above the last one the last mode holds.
    """
    for mode, fastest in enumerate(turn_modes, start=1):
        if speed <= fastest:
            return mode
    return max(1, len(turn_modes))


def verify_turn(since_turn: int, mode: int) -> None:
    """Raises :class:`NotAllowed` ``turn-mode`` unless enough hexes were moved since the last turn (C3.2, C3.4)."""
    if since_turn < mode:
        raise NotAllowed(
            "turn-mode", f"turn mode {mode} asks for {mode} hexes straight ahead, {since_turn} moved", "C3.2"
        )


def can_turn(since_turn: int, mode: int) -> bool:
    """Whether the turn mode is satisfied."""
    return since_turn >= mode


@cache
def enter(hex: str, facing: str, code: str, grid: str = EVEN) -> tuple[str, str]:
    """The hex and facing after one step (C3.1, C4.2). Raises ``ValueError`` for an unknown code."""
    if code not in _STEPS:
        raise ValueError(f"{code!r} is no movement code: {', '.join(CODES)}")
    moved, faced = _STEPS[code]
    return neighbour(hex, turn_facing(facing, moved), grid), turn_facing(facing, faced)


SLIP_MODE = 1
"""All ships at all speeds (C4.1)."""


LONG_AGO = 99
"""A count of hexes that satisfies every mode; counts go no higher (C3.43)."""


def verify_slip(since_slip: int) -> None:
    """Raises :class:`NotAllowed` (``slip-mode``) without a hex moved ahead since the last one (C4.1)."""
    if since_slip < SLIP_MODE:
        raise NotAllowed(
            "slip-mode",
            f"a sideslip needs {SLIP_MODE} hex straight ahead since the last one, {since_slip} moved",
            "C4.1",
        )


def can_slip(since_slip: int) -> bool:
    """Whether the slip mode is satisfied."""
    return since_slip >= SLIP_MODE


def after_step(code: str, since_turn: int, since_slip: int) -> tuple[int, int]:
    """Hexes counted for turn mode and slip mode after a step.

    The hex entered by a turn counts as the first for both (C3.4, C4.33); the hex entered by a sideslip
    counts for the turn mode but not for the slip mode (C4.31, C4.32).
    """
    if code in TURNS:
        return 1, 1
    since_turn = min(since_turn + 1, LONG_AGO)
    return since_turn, 0 if code in SLIPS else min(since_slip + 1, LONG_AGO)
