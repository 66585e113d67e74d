"""Planets and asteroids: lines of fire, collisions, landing and asteroid damage (P2.0, P3.0)."""

from __future__ import annotations

from collections.abc import Collection

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, crosses

MAY_ENTER_PLANET = "shuttle"


def blocked(a: str, b: str, planets: Collection[str], grid: str = EVEN) -> bool:
    """Return whether a planet blocks a line of fire into, out of or through the planet's hex (P2.0).

    A line exactly along the edge of a planet hex is not blocked, unless there is a planet on both sides of that edge.
    """
    return bool(planets) and bool(crosses(a, b, planets, grid))


def verify_line_of_fire(a: str, b: str, planets: Collection[str], grid: str = EVEN) -> None:
    """Check that no planet blocks a line of fire (P2.0).

    Raises:
        NotAllowed: A planet blocks the line (fault code ``planet-in-the-way``).
    """
    if planets and (met := crosses(a, b, planets, grid)):
        raise NotAllowed("planet-in-the-way", f"the planet in {met[0]} is in the line of fire from {a} to {b}", "P2.0")


def crashes(kind: str) -> bool:
    """Return whether a unit of this type is destroyed when it enters a planet hex (P2.0).

    All units are destroyed except shuttles, which may land. ``kind`` is ``ship``, ``shuttle``, ``drone``, ``plasma``,
    ``suicide shuttle`` and so on. A suicide shuttle is a seeking weapon and is destroyed.
    """
    return kind != MAY_ENTER_PLANET


def verify_enter(kind: str, hex: str, planets: Collection[str]) -> None:
    """Check that a hex that a ship is about to enter is not a planet hex (P2.0).

    Raises:
        NotAllowed: The hex is a planet hex (fault code ``planet-hex``).
    """
    if hex in planets and kind == "ship":
        raise NotAllowed("planet-hex", f"{hex} is a planet: a ship cannot enter it", "P2.0")


def verify_land_on_planet(kind: str, hex: str, planets: Collection[str]) -> None:
    """Check that a unit is a shuttle and may land on a planet in its hex (P2.0).

    No weapon can hit a landed shuttle.

    Raises:
        NotAllowed: The unit is not a shuttle (fault code ``cannot-land``), or there is no planet (fault code
            ``no-planet``).
    """
    if kind != MAY_ENTER_PLANET:
        raise NotAllowed("cannot-land", f"a {kind} cannot land on a planet", "P2.0")
    if hex not in planets:
        raise NotAllowed("no-planet", f"there is no planet in {hex} to land on", "P2.0")


def asteroid_damage(die: int, speed: int, impulses: int) -> int:
    """Return the damage points that a unit takes when it enters an asteroid hex (P3.0).

    ``speed`` is the unit's speed in hexes per turn, ``impulses`` the number of impulses in a turn. A separate die is
    rolled for each asteroid hex. Our interpretation where the rules are silent: the chart is made for turns of 32
    impulses. In turns with fewer impulses the speed is scaled up, because the unit needs fewer impulses per hex. A
    plasma torpedo is weakened by these points in the same way as by phaser damage (FP1.6).
    """
    chart = charts.asteroids()
    scaled = speed * chart.scale // impulses
    for column, (low, high) in enumerate(chart.speeds):
        if low <= scaled <= high:
            return chart.damage[die - 1][column]
    return chart.damage[die - 1][-1]


def asteroid_shield(backwards: bool = False) -> int:
    """Return the number of the shield that asteroids hit (P3.0).

    ``backwards`` is true for a ship that moves backwards.
    """
    chart = charts.asteroids()
    return chart.reverse_shield if backwards else chart.shield


def reveals_cloaked(since: int) -> bool:
    """Return whether damage by asteroids now deprives a ship of the benefits of its cloak (P3.0).

    ``since`` is the number of impulses since the damage. The rule says "the next impulse". Our interpretation is: the
    rest of the impulse in which the damage is scored, and the following impulse.
    """
    return 0 <= since <= 1


def asteroid_hexes(a: str, b: str, asteroids: Collection[str], grid: str = EVEN) -> int:
    """Return the number of asteroid hexes through which a line of fire passes (P3.0).

    The hexes of the firing unit and of the target are included. Our interpretation where the rules are silent: where
    the line follows the edge between two hexes, one hex is counted if there are asteroids on both sides, otherwise
    none.
    """
    return len(crosses(a, b, asteroids, grid)) if asteroids else 0


def fire_modifier(a: str, b: str, asteroids: Collection[str], grid: str = EVEN) -> int:
    """Return the number that asteroids in the line of fire add to the die roll of a shot (P3.0)."""
    count = asteroid_hexes(a, b, asteroids, grid)
    return max((added for hexes, added in charts.asteroids().fire if count >= hexes), default=0)
