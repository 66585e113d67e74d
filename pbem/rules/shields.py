"""Shields: which one is hit, and what it stops (D3.0).

Damage control (D9.0).

The rating is read from the track when energy is allocated: what damage does to the track counts from the next turn on
(D9.2), so nothing here asks for it again at the end of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules import ties
from pbem.rules.hexes import EVEN, FACINGS, bearing, neighbour
from pbem.rules.movement import moves


def track_left(track: Sequence[int], boxes: int) -> tuple[int, ...]:
    """The undestroyed boxes of a damage control track, of which so many are left; the last one always is (D4.33)."""
    return tuple(track[len(track) - max(1, min(boxes, len(track))) :])


def rating(track: Sequence[int], boxes: int) -> int:
    """The damage control rating: the highest undestroyed number of the track; 0 without a track (D9.1)."""
    return max(track_left(track, boxes), default=0)


def boxes_repaired(energy: int) -> int:
    """Shield boxes that so many points of energy bring back at the end of the turn (D9.2): one for each two on that
    shield; an odd point is spent and repairs nothing.
    """
    return energy // charts.levels().costs.repair_per_box


def verify_repair(*, shield: int, energy: int, spent: int, rating: int, lost: int) -> None:
    """Raises :class:`NotAllowed` unless ``energy`` may be spent on repairing a shield.

    ``spent`` is the turn's other energy for repairs, ``rating`` the damage control rating (0: none, D9.1),
    ``lost`` the boxes that shield has lost so far. Only the total is limited: an odd number may be spent. Codes:
    ``no-damage-control``, ``repair-too-much``, ``repair-undamaged``.
    """
    if rating < 1:
        raise NotAllowed("no-damage-control", "the ship has no damage control", "D9.1")
    if spent + energy > rating:
        raise NotAllowed(
            "repair-too-much", f"{spent + energy} points are more than the damage control rating {rating}", "D9.2"
        )
    if energy and not lost:
        raise NotAllowed("repair-undamaged", f"shield #{shield} has lost no box that could be repaired", "D9.2")
    if boxes_repaired(energy) > lost:
        raise NotAllowed(
            "repair-undamaged",
            f"shield #{shield} has lost {lost} boxes, {energy} points would repair {boxes_repaired(energy)}",
            "D9.2",
        )


def after_repairs(shields: Sequence[int], full: Sequence[int], repairing: Mapping[str, int]) -> tuple[int, ...]:
    """The shields once the turn's repairs are done at its end, of use from the next turn on (D9.2).

    ``full`` are the shields of the undamaged ship, ``repairing`` the points spent on each by its name, ``"#1"`` to
    ``"#6"``. No shield gets more boxes than it had.
    """
    boxes = {int(name.lstrip("#")) - 1: boxes_repaired(energy) for name, energy in repairing.items()}
    both = enumerate(zip(shields, full, strict=True))
    return tuple(min(whole, left + boxes.get(place, 0)) for place, (left, whole) in both)


class Absorbed(NamedTuple):
    """Where the points of a volley went: reinforcement used up, shield boxes destroyed, internals."""

    general: int
    specific: int
    boxes: int
    internals: int


class Mover(NamedTuple):
    """What D3.41 needs of a unit: where it is, how it faces, how fast it goes this turn, and which way (``heading``) if
    that is not ahead: a tractor beam takes it along.
    """

    hex: str
    facing: str
    speed: int
    heading: str = ""

    def next_hex(self, grid: str) -> str:
        """The hex it moves to next."""
        return neighbour(self.hex, self.heading or self.facing, grid)


@lru_cache(maxsize=65536)
def faced_shields(hex: str, facing: str, source_hex: str, grid: str = EVEN) -> tuple[int, ...]:
    """The shield (1 to 6) a line of fire from ``source_hex`` crosses, or the two whose junction it meets (D3.4, D3.41).

    Raises ``ValueError`` for the same hex (D3.42).
    """
    at = bearing(hex, source_hex, grid)
    first = (at.index - FACINGS.index(facing)) % 6 + 1
    second = first % 6 + 1
    if at.nearer < 0:
        return (first,)
    return (second,) if at.nearer > 0 else tuple(sorted((first, second)))


def next_to_move(speed_a: int, speed_b: int, impulse: int, impulses: int) -> tuple[bool, bool]:
    """Which of two units the impulse chart moves next, after this impulse and within this turn (D3.41).

    Both if they move in the same impulse; neither if neither moves again this turn.
    """
    for later in range(impulse + 1, impulses + 1):
        which = moves(speed_a, later, impulses), moves(speed_b, later, impulses)
        if any(which):
            return which
    return False, False


def boundary_shield(
    target: Mover | tuple[str, str, int],
    firer: Mover | tuple[str, str, int],
    impulse: int,
    impulses: int,
    grid: str = EVEN,
) -> int | None:
    """The shield hit by direct fire, where the line of fire may meet a junction of two (D3.41).

    ``target`` and ``firer`` are (hex, facing, speed). Where the line meets a junction, the unit or units
    that move next are moved one hex ahead for the purpose, and the line leaves the junction for the shield on the side
    to which it swings: it enters that one first, even where two ships that both move carry it on past a third shield.
    ``None`` if the line keeps to the junction, or both ships are in one hex then.
    """
    target, firer = Mover(*target), Mover(*firer)
    two = faced_shields(target.hex, target.facing, firer.hex, grid)
    if len(two) == 1:
        return two[0]
    target_moves, firer_moves = next_to_move(target.speed, firer.speed, impulse, impulses)
    target_hex = target.next_hex(grid) if target_moves else target.hex
    firer_hex = firer.next_hex(grid) if firer_moves else firer.hex
    if target_hex == firer_hex:
        return None
    swung = (_clock(target_hex, firer_hex, grid) - _clock(target.hex, firer.hex, grid)) % 24
    if not swung:
        return None
    left, right = two if two != (1, 6) else (6, 1)
    return right if swung < 12 else left


def _clock(hex: str, source_hex: str, grid: str) -> int:
    """Where a line of fire comes from, clockwise in 24 steps: the junctions of shields lie at 0, 4, 8 …, what is nearer
    to the row before or behind one step from it.
    """
    at = bearing(hex, source_hex, grid)
    return 4 * at.index + at.nearer


def approach_shield(facing: str, hex: str, from_hex: str, grid: str = EVEN) -> int:
    """The shield of a unit in ``hex`` that faces the hex a seeking weapon comes from (D3.4, F2.1).

    Seeking weapons come from an adjacent hex, which always faces one shield; from farther off, a junction
    counts for its lower number. Raises ``ValueError`` for the same hex.
    """
    return min(faced_shields(hex, facing, from_hex, grid), key=ties.of_shields)


def absorb(points: int, general: int, specific: int, boxes: int) -> Absorbed:
    """What becomes of a volley: general reinforcement first, then specific, then boxes, the rest internal (D3.3411,
    D3.21). A shield that is down has no specific reinforcement (D3.343).
    """
    by_general = min(points, general)
    points -= by_general
    by_specific = min(points, specific) if boxes > 0 else 0
    points -= by_specific
    by_boxes = min(points, boxes)
    return Absorbed(by_general, by_specific, by_boxes, points - by_boxes)


def general_for(energy: int) -> int:
    """Points of general reinforcement that so much energy gives (D3.341)."""
    return energy // charts.levels().costs.general_per_point
