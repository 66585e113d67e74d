"""The impulse chart (C1.4): which speeds move in which impulse.

The charts for 8, 16 and 32 impulses follow one formula: after impulse *i* of *N* a unit at speed *v* has
moved ``v * i // N`` hexes.
"""

from __future__ import annotations

from pbem.data import charts


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
