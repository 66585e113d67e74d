"""Monsters: how they move, attack and die, by the robot rules of scenario #11.

A monster is a unit that no player moves. Its goal is a planet that it flies to and attacks.
"""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from pbem.data import charts
from pbem.data.chart_types import Method, MonsterKind
from pbem.errors import NotAllowed
from pbem.rules import ties
from pbem.rules.hexes import EVEN, FACINGS, bearing, distance, turn_facing
from pbem.rules.movement import can_turn, enter


class MonsterMove(NamedTuple):
    """The hex and facing of a monster after its move, and whether it moved or only rotated."""

    hex: str
    facing: str
    moved: bool


def monster(kind: str) -> MonsterKind:
    """Return the figures of a kind of monster, as a :class:`~pbem.data.chart_types.MonsterKind`.

    Raises:
        ValueError: There is no such kind.
    """
    kinds = charts.monsters().kinds
    if kind not in kinds:
        raise ValueError(f"{kind!r} is no monster: {', '.join(kinds)}")
    return kinds[kind]


# --- moving -----------------------------------------------------------------------------------------------


def distracted_by(kind: str, hex: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """Return the name of the ship that distracts a monster for a turn, or ``""`` (scenario #11).

    A distracted monster moves to this ship instead of its goal. ``hex`` is the monster's position and ``ships`` are the
    positions of the ships by name, as the turn begins. Our interpretation where the rules are silent: the nearest ship
    within the monster's range of distraction at that time distracts it; of equally near ships, the first by name. The
    range of distraction equals the range of the monster's attack at the end of a turn, so that nobody can lead the
    monster about unharmed.
    """
    return _nearest(hex, ships, monster(kind).distraction, grid)


def _nearest(hex: str, ships: dict[str, str], most: int, grid: str) -> str:
    """Return the name of the nearest ship that is at most ``most`` hexes away, or ``""``."""
    near = ((distance(hex, at, grid), ties.of_names(name), name) for name, at in ships.items())
    return min(((far, tie, name) for far, tie, name in near if far <= most), default=("",))[-1]


def choices(
    kind: str, hex: str, facing: str, straight: int, toward: str, grid: str = EVEN, stop: int = 0
) -> tuple[MonsterMove, ...]:
    """Return the moves that are equally good for a monster: one or two, the left one first.

    The monster enters the hex ahead, left or right that is nearest to its target; between two equal ones a die
    decides (:func:`choose`). If the target is behind the monster, it rotates by 60 degrees towards the target
    instead of moving. At ``stop`` hexes from the target the monster stays where it is: ``stop`` is 1 for a planet,
    which it does not enter (designed, i.e. not in the rules).
    """
    if distance(hex, toward, grid) <= stop:
        return (MonsterMove(hex, facing, False),)
    codes = ("L", "F", "R") if can_turn(straight, monster(kind).turn_mode) else ("F",)
    steps = [MonsterMove(*enter(hex, facing, code, grid), True) for code in codes]
    now = distance(hex, toward, grid)
    nearer = [step for step in steps if distance(step.hex, toward, grid) < now]
    return tuple(nearer) or _rotations(hex, facing, toward, grid)


def ways_round(hex: str, facing: str, toward: str, grid: str = EVEN) -> tuple[MonsterMove, ...]:
    """Return the moves that a monster may choose if no hex nearer to its target is open.

    A planet may close a hex, for example. The moves do not increase the distance to the target. They are sorted, left
    before right, and ignore the monster's turn mode (designed, i.e. not in the rules).
    """
    now = distance(hex, toward, grid)
    steps = (MonsterMove(*enter(hex, facing, code, grid), True) for code in ("L", "F", "R"))
    return tuple(step for step in steps if distance(step.hex, toward, grid) <= now)


def choose(moves: tuple[MonsterMove, ...], die: int = 1) -> MonsterMove:
    """Return the move that the die selects (scenario #11).

    An odd number selects the left one, an even number the right one. If there is only one move, no roll is needed.
    """
    return moves[0] if die % 2 else moves[-1]


def _rotations(hex: str, facing: str, toward: str, grid: str) -> tuple[MonsterMove, ...]:
    """Return the rotations by 60 degrees that turn a monster towards a hex.

    There are two of them if the hex is exactly behind the monster.
    """
    at = bearing(hex, toward, grid)
    # twice the number of 60-degree steps clockwise to the hex; an odd number between two rows of hexes
    steps = 2 * ((at.index - FACINGS.index(facing)) % 6) + (0 if at.on_row else 1)
    ways = [way for way, shorter in ((-1, steps >= 6), (1, steps <= 6)) if shorter]
    return tuple(MonsterMove(hex, turn_facing(facing, way), False) for way in ways)


# --- attacking --------------------------------------------------------------------------------------------


def victim(kind: str, hex: str, goal: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """Return the name of the ship that a monster attacks this turn.

    The result is ``"goal"`` for the planet that is its goal, and ``""`` for nobody. The monster attacks the nearest
    ship within its reach; of equally near ships, the first by name. Without such a ship it attacks its goal if it is
    next to it (designed, i.e. not in the rules).
    """
    if name := _nearest(hex, ships, monster(kind).reach, grid):
        return name
    return "goal" if goal and distance(hex, goal, grid) <= 1 else ""


def attack(kind: str, die: int, cadet: bool = False) -> int:
    """Return the points of damage of one attack by a monster.

    Against a Cadet ship (``cadet``) the points are halved and rounded down.
    """
    found = monster(kind)
    points = found.damage[die - 1]
    return floor(points * found.cadet) if cadet else points


def goal_destroyed(kind: str, points: int) -> bool:
    """Return whether the planet that a monster attacks is destroyed.

    ``points`` are all points of damage that the planet has taken.
    """
    strength = monster(kind).goal_toughness
    return 0 < strength <= points


# --- how it dies ------------------------------------------------------------------------------------------


def information_needed(already_asked: int = 0) -> int:
    """Return how many points of information are needed before the way to stop the monster is rolled.

    ``already_asked`` is the additional number of points that earlier rolls demanded.
    """
    return charts.monsters().information_needed + already_asked


def method(die: int) -> Method:
    """Return the way to stop the monster that this number on the die determines."""
    return charts.monsters().method[die - 1]


def dies(kind: str, found: Method | None, *, how: str = "", damage: int = 0) -> bool:
    """Return whether a monster dies now.

    Args:
        kind: The kind of monster.
        found: The way to stop the monster, if it is known. Otherwise only a monster with a toughness of its own can be
            killed, by damage.
        how: The last action against the monster: ``suicide shuttle``, ``tractor`` or ``probe``; empty for none of them.
        damage: All points of damage the monster has taken.
    """
    strength = monster(kind).toughness
    if 0 < strength <= damage:
        return True
    if found is None:
        return False
    return damage >= found.amount if found.kind == "damage" else how == found.kind


def verify_directed_probe(found: Method | None) -> None:
    """Check that a probe is the way to stop the monster (G5.3).

    In this case the scenario allows a ship to fire a probe at it.

    Raises:
        NotAllowed: A probe is not the way to stop it, or that is not known yet (fault code ``probe-emergency``).
    """
    if found is None or found.kind != "probe":
        raise NotAllowed("probe-emergency", "no rule lets a probe harm this monster", "G5.3")
