"""Movement: speed, impulse chart, turns, sideslips and tactical maneuvers.

Speed and acceleration follow B3.0, line 14, and C1.42. The impulse charts (C1.4) for 8, 16 and 32 impulses follow one
formula: after impulse *i* of *N*, a unit at speed *v* has moved ``v * i // N`` hexes. Turns and turn modes follow C3.0,
and sideslips follow C4.0.

A ship that makes tactical maneuvers (C5.0) stays in its hex for the whole turn; each maneuver turns it by 60
degrees. The number of warp maneuvers paid for is announced in place of a speed (C5.23).

A moment is a point in time, counted in impulses from the start of the game; the first impulse is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import ceil

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, neighbour, turn_facing
from pbem.util import several


def top_speed(prior: int, acceleration: int, multiple: int = 1) -> int:
    """Return the highest speed allowed for a ship whose speed in the previous turn was ``prior``.

    The highest speed is ``prior + acceleration`` or ``prior * multiple``, whichever is more. ``acceleration`` and
    ``multiple`` depend on the level of the game (:class:`pbem.data.chart_types.Level`). After a turn with tactical
    maneuvers ``prior`` is 0 (:func:`verify_paid`).
    """
    return max(prior + acceleration, prior * multiple)


def verify_speed(speed: int, *, prior: int, acceleration: int, multiple: int = 1, max_speed: int) -> None:
    """Check that a ship may fly at this speed.

    Args:
        speed: The speed in hexes per turn.
        prior: The speed in the previous turn.
        acceleration: The number of hexes per turn by which the speed may increase.
        multiple: The factor by which the speed may increase instead, if that allows more.
        max_speed: The highest speed of a ship.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``too-fast`` (C1.42) or ``acceleration`` (B3.0).
    """
    if speed > max_speed:
        raise NotAllowed("too-fast", f"speed {speed} is more than the maximum of {max_speed}", "C1.42")
    fastest = top_speed(prior, acceleration, multiple)
    if speed > fastest:
        doubled = f" and more than {multiple} times that" if multiple > 1 else ""
        text = f"speed {speed} is more than {acceleration} above last turn's {prior}{doubled}; the most is {fastest}"
        raise NotAllowed("acceleration", text, "B3.0, line 14")


def hex_number(speed: int, impulse: int, impulses: int) -> int:
    """Return how many hexes a unit at this speed has moved in a turn by the end of an impulse (C1.44).

    The impulse chart shows this number.
    """
    return speed * impulse // impulses


def moves(speed: int, impulse: int, impulses: int) -> bool:
    """Return whether a unit at this speed moves in an impulse (1 to ``impulses``)."""
    return speed * impulse // impulses > speed * (impulse - 1) // impulses


def hexes_between(speed: int, first: int, last: int, impulses: int) -> int:
    """Return how many hexes a unit at this speed moves from impulse ``first`` to ``last``.

    Both impulses are included. The result is 0 if ``last`` is before ``first``.
    """
    return max(0, hex_number(speed, last, impulses) - hex_number(speed, first - 1, impulses))


def impulses_of(speed: int, impulses: int) -> tuple[int, ...]:
    """Return all impulses of a turn in which a unit at this speed moves."""
    return tuple(impulse for impulse in range(1, impulses + 1) if moves(speed, impulse, impulses))


def quarter(impulses: int) -> int:
    """Return how many impulses are a quarter of a turn (E1.5).

    Raises:
        ValueError: The turn does not have 8, 16 or 32 impulses.
    """
    return charts.turn_length(impulses).quarter


def max_speed(impulses: int, seeker: bool = False) -> int:
    """Return the maximum speed of ships, or the speed of seeking weapons, in hexes per turn (C1.42).

    The speed depends on the number of impulses in a turn.

    Raises:
        ValueError: The turn does not have 8, 16 or 32 impulses.
    """
    length = charts.turn_length(impulses)
    return length.seeker if seeker else length.ship


def turn_of(moment: int, impulses: int) -> int:
    """Return the number of the turn (from 1) to which a moment belongs.

    A moment is counted in impulses from the start of the game.
    """
    return (moment - 1) // impulses + 1


def impulse_of(moment: int, impulses: int) -> int:
    """Return the number of the impulse (from 1) within its turn to which a moment belongs.

    A moment is counted in impulses from the start of the game.
    """
    return (moment - 1) % impulses + 1


WARP, SUBLIGHT = "warp", "sublight"


def warp_energy(maneuvers: int, move_cost: Fraction, fractional: bool = False) -> Fraction:
    """Return the warp power, in points, that this many warp maneuvers cost (C5.22, C2.12).

    A warp maneuver costs as much as one hex of movement. The sum is rounded up, as for movement, unless ``fractional``
    is true. ``move_cost`` is the warp power for one hex.
    """
    exact = maneuvers * move_cost
    return exact if fractional else Fraction(ceil(exact))


def verify_paid(*, warp: int, sublight: int, hexes: int) -> None:
    """Check that an energy form may pay for these tactical maneuvers and this movement together.

    ``warp`` and ``sublight`` are numbers of maneuvers, ``hexes`` is the number of hexes of movement. Our interpretation
    where the rules are silent: a ship that pays for maneuvers counts as having made them, because it does not move. It
    accelerates from speed 0 in the next turn (C5.4). Its counts of hexes for turn mode and slip mode are reset only
    when it actually makes a maneuver.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``too-many-tacs`` (C5.11, C5.22) or
            ``tac-and-move`` (C5.21).
    """
    chart = charts.maneuvers()
    if warp > chart.warp:
        raise NotAllowed(
            "too-many-tacs", f"{warp} warp maneuvers are too many; the most is {chart.warp} a turn", "C5.22"
        )
    if sublight > chart.sublight:
        text = f"{sublight} sublight maneuvers are too many; the most is {chart.sublight} a turn"
        raise NotAllowed("too-many-tacs", text, "C5.11")
    if hexes and (warp or sublight):
        text = (
            f"pay for tactical maneuvers or for speed {hexes}, not both: maneuvers keep the ship in its hex; "
            "for both kinds of maneuver write TAC 2 WARP + 1 IMPULSE"
        )
        raise NotAllowed("tac-and-move", text, "C5.21")


def earned_in(maneuvers: int, impulses: int) -> tuple[int, ...]:
    """Return the impulses in which a ship earns its warp maneuvers, given how many it paid for (C5.231).

    The first maneuver is earned in the second impulse. For the other maneuvers, the impulse chart is read at a speed
    equal to the number paid for: each later impulse in which a unit at that speed moves earns one maneuver, except the
    last impulse of the turn.
    """
    first = charts.maneuvers().first
    if not maneuvers:
        return ()
    return (first, *(impulse for impulse in impulses_of(maneuvers, impulses) if first < impulse < impulses))


def in_hand(maneuvers: int, impulses: int, impulse: int, used: Sequence[int] = ()) -> bool:
    """Return whether the ship has earned a warp maneuver that it can use in this impulse (C5.232).

    ``used`` are the impulses of the maneuvers already made. A ship never has more than one maneuver available. It can
    use a maneuver in the impulse in which it earns it.
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
    """Check that a ship may make a tactical maneuver in an impulse.

    Args:
        kind: ``warp`` or ``sublight``.
        impulse: The impulse.
        impulses: The number of impulses in a turn.
        maneuvers: The number of warp maneuvers paid for.
        used: The impulses of the warp maneuvers already made.
        sublight: Whether a sublight maneuver is paid for.
        sublight_used: The impulse in which the sublight maneuver was made; ``None`` if it was not made yet.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``tac-not-paid``, ``tac-too-early`` (C5.11,
            C5.231), ``tac-used`` (C5.11), ``tac-not-earned`` (C5.231, C5.232) or ``one-tac`` (C5.3).
        ValueError: ``kind`` is neither ``warp`` nor ``sublight``.
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
        raise NotAllowed("tac-not-earned", f"no warp maneuver is available yet; {when}", "C5.232")


CODES = ("F", "L", "R", "SL", "SR")
"""Movement codes: straight ahead, turn left or right and move, sideslip left or right."""

TURNS = ("L", "R")
SLIPS = ("SL", "SR")

# for each code: by how many steps of 60 degrees the direction of the move and the new facing are turned
_STEPS = {"F": (0, 0), "L": (-1, -1), "R": (1, 1), "SL": (-1, 0), "SR": (1, 0)}


def turn_mode(turn_modes: Sequence[int], speed: int) -> int:
    """Return how many hexes a ship must move straight ahead between turns at this speed (C3.3).

    The number is called the turn mode. ``turn_modes`` are the highest speeds for turn mode 1, 2 …; the last mode also
    applies to all higher speeds.
    """
    for mode, fastest in enumerate(turn_modes, start=1):
        if speed <= fastest:
            return mode
    return max(1, len(turn_modes))


def verify_turn(since_turn: int, mode: int) -> None:
    """Check that a ship has moved enough hexes since its last turn to satisfy its turn mode (C3.2, C3.4).

    ``since_turn`` is the number of hexes moved, ``mode`` the number that the turn mode requires.

    Raises:
        NotAllowed: The ship has moved too few hexes (fault code ``turn-mode``).
    """
    if since_turn < mode:
        raise NotAllowed(
            "turn-mode",
            f"turn mode {mode}: the ship must move {several(mode, 'hex', 'hexes')} straight ahead before it turns; "
            f"it has moved {since_turn}",
            "C3.2",
        )


def can_turn(since_turn: int, mode: int) -> bool:
    """Return whether a ship has moved enough hexes since its last turn to turn again."""
    return since_turn >= mode


@cache
def enter(hex: str, facing: str, code: str, grid: str = EVEN) -> tuple[str, str]:
    """Return the hex and facing of a unit after it has flown one movement code (C3.1, C4.2).

    Raises:
        ValueError: There is no such movement code.
    """
    if code not in _STEPS:
        raise ValueError(f"{code!r} is no movement code: {', '.join(CODES)}")
    moved, faced = _STEPS[code]
    return neighbour(hex, turn_facing(facing, moved), grid), turn_facing(facing, faced)


SLIP_MODE = 1
"""The number of hexes a ship must move straight ahead between sideslips, at all speeds (C4.1)."""


LONG_AGO = 99
"""A number of hexes that satisfies every turn mode and slip mode; the counts of hexes go no higher (C3.43)."""


def verify_slip(since_slip: int) -> None:
    """Check that a ship has moved a hex straight ahead since its last sideslip (C4.1).

    Raises:
        NotAllowed: The ship has not moved such a hex (fault code ``slip-mode``).
    """
    if since_slip < SLIP_MODE:
        raise NotAllowed(
            "slip-mode",
            f"between two sideslips the ship must move {SLIP_MODE} hex straight ahead; it has moved {since_slip}",
            "C4.1",
        )


def can_slip(since_slip: int) -> bool:
    """Return whether a ship has moved enough hexes since its last sideslip to sideslip again."""
    return since_slip >= SLIP_MODE


def after_step(code: str, since_turn: int, since_slip: int) -> tuple[int, int]:
    """Return a ship's counts of hexes for turn mode and slip mode after one movement code, as a pair.

    The hex entered by a turn is the first hex of both counts (C3.4, C4.33). The hex entered by a sideslip counts for
    the turn mode but not for the slip mode (C4.31, C4.32).
    """
    if code in TURNS:
        return 1, 1
    since_turn = min(since_turn + 1, LONG_AGO)
    return since_turn, 0 if code in SLIPS else min(since_slip + 1, LONG_AGO)
