"""Monsters and the robot that moves them (scenario #11)."""

from __future__ import annotations

from math import floor
from typing import NamedTuple

from pbem.data import charts
from pbem.data.chart_types import Method, MonsterKind
from pbem.errors import NotAllowed
from pbem.rules import ties
from pbem.rules.hexes import EVEN, FACINGS, bearing, distance, turn_facing
from pbem.rules.movement import can_turn, enter


class Move(NamedTuple):
    """Where a monster is after its move: hex, facing, and whether it moved or only rotated."""

    hex: str
    facing: str
    moved: bool


def monster(kind: str) -> MonsterKind:
    """A kind of monster. Raises ``ValueError`` for an unknown one."""
    kinds = charts.monsters().kinds
    if kind not in kinds:
        raise ValueError(f"{kind!r} is no monster: {', '.join(kinds)}")
    return kinds[kind]


# --- moving -----------------------------------------------------------------------------------------------


def distracted_by(kind: str, hex: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """The ship that draws a monster from its goal for a turn, empty if none does (scenario #11).

    ``hex`` and ``ships`` are where everybody stands as the turn begins. Reading, since no text says what distracts it:
    the nearest ship within its range of distraction then, the first by name of equals. That is as far as it attacks at
    the end of a turn, so nobody leads it about unharmed.
    """
    return _nearest(hex, ships, monster(kind).distraction, grid)


def _nearest(hex: str, ships: dict[str, str], most: int, grid: str) -> str:
    """The nearest ship, empty if none is so near."""
    near = ((distance(hex, at, grid), ties.of_names(name), name) for name, at in ships.items())
    return min(((far, tie, name) for far, tie, name in near if far <= most), default=("",))[-1]


def choices(
    kind: str, hex: str, facing: str, straight: int, toward: str, grid: str = EVEN, stop: int = 0
) -> tuple[Move, ...]:
    """The moves among which a monster is indifferent: two at the most, left before right.

    It enters the hex ahead, left or right that brings it nearest to where it goes; between two equal ones a die
    decides (:func:`choose`). When what it wants is behind it, it rotates by 60 degrees toward it instead of moving.
    So many hexes from what it wants it stays: ``stop`` is 1 for a planet, which it does not enter (designed).
    """
    if distance(hex, toward, grid) <= stop:
        return (Move(hex, facing, False),)
    codes = ("L", "F", "R") if can_turn(straight, monster(kind).turn_mode) else ("F",)
    steps = [Move(*enter(hex, facing, code, grid), True) for code in codes]
    now = distance(hex, toward, grid)
    nearer = [step for step in steps if distance(step.hex, toward, grid) < now]
    return tuple(nearer) or _rotations(hex, facing, toward, grid)


def ways_round(hex: str, facing: str, toward: str, grid: str = EVEN) -> tuple[Move, ...]:
    """The moves to choose from where every hex that brings a monster nearer is closed: those that lead no farther off,
    left before right, whatever its turn mode (designed).
    """
    now = distance(hex, toward, grid)
    steps = (Move(*enter(hex, facing, code, grid), True) for code in ("L", "F", "R"))
    return tuple(step for step in steps if distance(step.hex, toward, grid) <= now)


def choose(moves: tuple[Move, ...], die: int = 1) -> Move:
    """The move a die decides on: odd the left one, even the right one (scenario #11). No roll is needed for one."""
    return moves[0] if die % 2 else moves[-1]


def _rotations(hex: str, facing: str, toward: str, grid: str) -> tuple[Move, ...]:
    at = bearing(hex, toward, grid)
    # twice the number of 60-degree steps clockwise to what it wants, exact along rows of hexes
    steps = 2 * ((at.index - FACINGS.index(facing)) % 6) + (0 if at.on_row else 1)
    ways = [way for way, shorter in ((-1, steps >= 6), (1, steps <= 6)) if shorter]
    return tuple(Move(hex, turn_facing(facing, way), False) for way in ways)


# --- attacking --------------------------------------------------------------------------------------------


def victim(kind: str, hex: str, goal: str, ships: dict[str, str], grid: str = EVEN) -> str:
    """Whom it attacks this turn: the nearest ship it reaches, the first by name of equals.

    ``"goal"`` without one, if it has come next to its goal (designed); else an empty string.
    """
    if name := _nearest(hex, ships, monster(kind).reach, grid):
        return name
    return "goal" if goal and distance(hex, goal, grid) <= 1 else ""


def attack(kind: str, die: int, cadet: bool = False) -> int:
    """Points of one attack; half of it, rounded down, for a Cadet ship."""
    found = monster(kind)
    points = found.damage[die - 1]
    return floor(points * found.cadet) if cadet else points


def goal_destroyed(kind: str, points: int) -> bool:
    """Whether the planet it attacked is lost after so many points in all."""
    strength = monster(kind).goal_toughness
    return 0 < strength <= points


# --- how it dies ------------------------------------------------------------------------------------------


def information_needed(already_asked: int = 0) -> int:
    """Information after which the die tells how it can be dealt with; ``already_asked`` from rolls before."""
    return charts.monsters().information_needed + already_asked


def method(die: int) -> Method:
    """What the die says."""
    return charts.monsters().method[die - 1]


def dies(kind: str, found: Method | None, *, how: str = "", damage: int = 0) -> bool:
    """Whether a monster is dead.

    ``found`` is its method, if it is known; ``how`` what was just done to it (``suicide shuttle``, ``tractor``,
    ``probe``); ``damage`` all it has taken. Without a method only a monster with a strength of its own can be shot.
    """
    strength = monster(kind).toughness
    if 0 < strength <= damage:
        return True
    if found is None:
        return False
    return damage >= found.amount if found.kind == "damage" else how == found.kind


def verify_directed_probe(found: Method | None) -> None:
    """Raises :class:`NotAllowed` (``probe-emergency``) unless the scenario directs a probe at the monster (G5.3)."""
    if found is None or found.kind != "probe":
        raise NotAllowed("probe-emergency", "nothing says that a probe would harm the monster", "G5.3")
