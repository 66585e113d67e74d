"""Planets and asteroids (P2.0, P3.0)."""

from __future__ import annotations

from collections.abc import Collection

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, crosses

MAY_ENTER_PLANET = "shuttle"


def blocked(a: str, b: str, planets: Collection[str], grid: str = EVEN) -> bool:
    """Whether a planet stops a line of fire: fired into, out of or through its hex (P2.0).

    A line exactly along the edge of a planet hex is free, unless there is planet on both sides of that edge.
    """
    return bool(planets) and bool(crosses(a, b, planets, grid))


def verify_line_of_fire(a: str, b: str, planets: Collection[str], grid: str = EVEN) -> None:
    """Raises :class:`NotAllowed` (``planet-in-the-way``) where a planet stops the line (P2.0)."""
    if planets and (met := crosses(a, b, planets, grid)):
        raise NotAllowed("planet-in-the-way", f"the planet in {met[0]} is in the line of fire from {a} to {b}", "P2.0")


def crashes(kind: str) -> bool:
    """Whether a unit that enters a planet hex is destroyed: all but shuttles, which may land (P2.0).

    ``kind`` is ``ship``, ``shuttle``, ``drone``, ``plasma``, ``suicide shuttle`` … A suicide shuttle is a seeking
    weapon and crashes.
    """
    return kind != MAY_ENTER_PLANET


def verify_enter(kind: str, hex: str, planets: Collection[str]) -> None:
    """Raises :class:`NotAllowed` (``planet-hex``) for a ship that would fly into a planet (P2.0)."""
    if hex in planets and kind == "ship":
        raise NotAllowed("planet-hex", f"{hex} is a planet: a ship cannot enter it", "P2.0")


def verify_land_on_planet(kind: str, hex: str, planets: Collection[str]) -> None:
    """Raises :class:`NotAllowed`: ``cannot-land`` for all but shuttles, ``no-planet`` elsewhere (P2.0).

    A landed shuttle cannot be hit by any weapon.
    """
    if kind != MAY_ENTER_PLANET:
        raise NotAllowed("cannot-land", f"a {kind} cannot land on a planet", "P2.0")
    if hex not in planets:
        raise NotAllowed("no-planet", f"there is no planet in {hex} to land on", "P2.0")


def asteroid_damage(die: int, speed: int, impulses: int) -> int:
    """Points a unit suffers in an asteroid hex it entered: one roll for each such hex (P3.0).

    Reading: the table knows speeds of a turn of 32 impulses; in shorter turns the speed is multiplied accordingly,
    for the unit needs fewer impulses for a hex. A plasma torpedo loses strength by these points as by phasers (FP1.6).
    """
    chart = charts.asteroids()
    scaled = speed * chart.scale // impulses
    for column, (low, high) in enumerate(chart.speeds):
        if low <= scaled <= high:
            return chart.damage[die - 1][column]
    return chart.damage[die - 1][-1]


def asteroid_shield(backwards: bool = False) -> int:
    """The shield that asteroids strike (P3.0)."""
    chart = charts.asteroids()
    return chart.reverse_shield if backwards else chart.shield


def reveals_cloaked(since: int) -> bool:
    """Whether asteroid damage still costs a cloaked ship the benefits of its cloak, ``since`` impulses later (P3.0).

    Reading of "the next impulse": the rest of this impulse and the one after it.
    """
    return 0 <= since <= 1


def asteroid_hexes(a: str, b: str, asteroids: Collection[str], grid: str = EVEN) -> int:
    """Asteroid hexes a line of fire counts, the firer's and the target's hex among them (P3.0).

    Reading: along an edge it counts one where there are asteroids on both sides, and none otherwise.
    """
    return len(crosses(a, b, asteroids, grid)) if asteroids else 0


def fire_modifier(a: str, b: str, asteroids: Collection[str], grid: str = EVEN) -> int:
    """What asteroids in the line of fire add to the die (P3.0)."""
    count = asteroid_hexes(a, b, asteroids, grid)
    return max((added for hexes, added in charts.asteroids().fire if count >= hexes), default=0)
