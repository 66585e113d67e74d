"""Monsters: how they move, attack and die, by the robot rules of scenario #11."""

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
    """The position of a monster after its move, and whether it moved or only rotated."""

    hex: str
    facing: str
    moved: bool


def monster(kind: str) -> MonsterKind:
    """Return a kind of monster.

    Raises:
        ValueError: There is no such kind.
    """
    kinds = charts.monsters().kinds
    if kind not in kinds:
        raise ValueError(f"{kind!r} is no monster: {', '.join(kinds)}")
    return kinds[kind]


# --- moving -----------------------------------------------------------------------------------------------


def distracted_by(kind: str, hex: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """Return the ship that distracts a monster from its goal for a turn, or ``""`` (scenario #11).

    ``hex`` is the monster's position and ``ships`` those of the ships by name, as the turn begins. Reading, since
    no text says what distracts it: the nearest ship within its range of distraction at that time; of equals, the
    first by name. That range equals the range of its attack at the end of a turn, so that nobody can lead it about
    unharmed.
    """
    return _nearest(hex, ships, monster(kind).distraction, grid)


def _nearest(hex: str, ships: dict[str, str], most: int, grid: str) -> str:
    """Return the nearest ship within ``most`` hexes, or ``""``."""
    near = ((distance(hex, at, grid), ties.of_names(name), name) for name, at in ships.items())
    return min(((far, tie, name) for far, tie, name in near if far <= most), default=("",))[-1]


def choices(
    kind: str, hex: str, facing: str, straight: int, toward: str, grid: str = EVEN, stop: int = 0
) -> tuple[MonsterMove, ...]:
    """Return the moves that are equally good for a monster: one or two, the left one first.

    It enters the hex ahead, left or right that is nearest to its target; between two equal ones a die decides
    (:func:`choose`). If its target is behind it, it rotates by 60 degrees towards it instead of moving. At ``stop``
    hexes from its target it stays where it is: ``stop`` is 1 for a planet, which it does not enter (designed).
    """
    if distance(hex, toward, grid) <= stop:
        return (MonsterMove(hex, facing, False),)
    codes = ("L", "F", "R") if can_turn(straight, monster(kind).turn_mode) else ("F",)
    steps = [MonsterMove(*enter(hex, facing, code, grid), True) for code in codes]
    now = distance(hex, toward, grid)
    nearer = [step for step in steps if distance(step.hex, toward, grid) < now]
    return tuple(nearer) or _rotations(hex, facing, toward, grid)


def ways_round(hex: str, facing: str, toward: str, grid: str = EVEN) -> tuple[MonsterMove, ...]:
    """Return the moves of a monster to choose from if every hex that would bring it nearer is closed.

    They are the moves that do not increase the distance, left before right, whatever its turn mode (designed).
    """
    now = distance(hex, toward, grid)
    steps = (MonsterMove(*enter(hex, facing, code, grid), True) for code in ("L", "F", "R"))
    return tuple(step for step in steps if distance(step.hex, toward, grid) <= now)


def choose(moves: tuple[MonsterMove, ...], die: int = 1) -> MonsterMove:
    """Return the move that the die selects: odd for the left one, even for the right one (scenario #11).

    If there is only one move, no roll is needed.
    """
    return moves[0] if die % 2 else moves[-1]


def _rotations(hex: str, facing: str, toward: str, grid: str) -> tuple[MonsterMove, ...]:
    at = bearing(hex, toward, grid)
    # twice the number of 60-degree steps clockwise to what it wants, exact along rows of hexes
    steps = 2 * ((at.index - FACINGS.index(facing)) % 6) + (0 if at.on_row else 1)
    ways = [way for way, shorter in ((-1, steps >= 6), (1, steps <= 6)) if shorter]
    return tuple(MonsterMove(hex, turn_facing(facing, way), False) for way in ways)


# --- attacking --------------------------------------------------------------------------------------------


def victim(kind: str, hex: str, goal: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """Return the target of a monster's attack this turn.

    It is the nearest ship in its reach; of equals, the first by name. Without a ship the function returns
    ``"goal"`` if the monster is next to its goal (designed), else ``""``.
    """
    if name := _nearest(hex, ships, monster(kind).reach, grid):
        return name
    return "goal" if goal and distance(hex, goal, grid) <= 1 else ""


def attack(kind: str, die: int, cadet: bool = False) -> int:
    """Return the points of one attack; half of them, rounded down, against a Cadet ship."""
    found = monster(kind)
    points = found.damage[die - 1]
    return floor(points * found.cadet) if cadet else points


def goal_destroyed(kind: str, points: int) -> bool:
    """Return whether the planet a monster attacked is destroyed after this many points in all."""
    strength = monster(kind).goal_toughness
    return 0 < strength <= points


# --- how it dies ------------------------------------------------------------------------------------------


def information_needed(already_asked: int = 0) -> int:
    """Return the points of information after which the die determines how the monster can be stopped.

    ``already_asked`` is the further information that earlier rolls demanded.
    """
    return charts.monsters().information_needed + already_asked


def method(die: int) -> Method:
    """Return the way to stop the monster that the die determines."""
    return charts.monsters().method[die - 1]


def dies(kind: str, found: Method | None, *, how: str = "", damage: int = 0) -> bool:
    """Return whether a monster is dead.

    Args:
        kind: The kind of monster.
        found: The way to stop it, if it is known. Otherwise only a monster with a toughness of its own can be killed,
            by damage.
        how: What was just done to it: ``suicide shuttle``, ``tractor`` or ``probe``.
        damage: All damage it has taken.
    """
    strength = monster(kind).toughness
    if 0 < strength <= damage:
        return True
    if found is None:
        return False
    return damage >= found.amount if found.kind == "damage" else how == found.kind


def verify_directed_probe(found: Method | None) -> None:
    """Check that the scenario directs a probe at the monster (G5.3).

    Raises:
        NotAllowed: ``probe-emergency``.
    """
    if found is None or found.kind != "probe":
        raise NotAllowed("probe-emergency", "nothing says that a probe would harm the monster", "G5.3")
