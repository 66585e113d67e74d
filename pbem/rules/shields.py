"""Shields (D3.0): which one is hit and how much damage it stops; and damage control (D9.0).

The damage control rating is read from its track when energy is allocated. Damage to the track lowers the rating only
from the next turn on (D9.2), so this module does not check the rating again at the end of the turn.
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
    """Return the numbers left on a damage control track; the last box is never destroyed (D4.33).

    ``boxes`` is the number of boxes left.
    """
    return tuple(track[len(track) - max(1, min(boxes, len(track))) :])


def rating(track: Sequence[int], boxes: int) -> int:
    """Return the damage control rating: the highest undestroyed number on its track (D9.1).

    It is 0 without a track. ``boxes`` is the number of boxes left on the track.
    """
    return max(track_left(track, boxes), default=0)


def boxes_repaired(energy: int) -> int:
    """Return the number of shield boxes that this much energy repairs at the end of the turn (D9.2).

    Two points on a shield repair one box; an odd point is spent and repairs nothing.
    """
    return energy // charts.levels().costs.repair_per_box


def verify_repair(*, shield: int, energy: int, spent: int, rating: int, lost: int) -> None:
    """Check that energy may be spent on repairing a shield.

    Only the total is limited: an odd number may be spent.

    Args:
        shield: The number of the shield.
        energy: The energy points to spend on it.
        spent: Energy points already spent on other repairs in this turn.
        rating: The damage control rating; 0 for none (D9.1).
        lost: The number of boxes this shield has lost so far.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-damage-control``, ``repair-too-much`` or
            ``repair-undamaged``.
    """
    if rating < 1:
        raise NotAllowed("no-damage-control", "the ship has no damage control", "D9.1")
    if spent + energy > rating:
        raise NotAllowed(
            "repair-too-much",
            f"damage control can pay for at most {rating} points of repairs, not {spent + energy}",
            "D9.2",
        )
    if energy and not lost:
        raise NotAllowed("repair-undamaged", f"shield #{shield} has no lost box to repair", "D9.2")
    if boxes_repaired(energy) > lost:
        raise NotAllowed(
            "repair-undamaged",
            f"shield #{shield} has lost {lost} boxes, but {energy} points would repair {boxes_repaired(energy)}",
            "D9.2",
        )


def after_repairs(shields: Sequence[int], full: Sequence[int], repairing: Mapping[str, int]) -> tuple[int, ...]:
    """Return the boxes of each shield after the repairs at the end of a turn (D9.2).

    The repaired boxes count from the next turn on. ``full`` are the shields of the undamaged ship; no shield gets more
    boxes than that. ``repairing`` are the points spent on each shield, by its name (``"#1"`` to ``"#6"``).
    """
    boxes = {int(name.lstrip("#")) - 1: boxes_repaired(energy) for name, energy in repairing.items()}
    both = enumerate(zip(shields, full, strict=True))
    return tuple(min(whole, left + boxes.get(place, 0)) for place, (left, whole) in both)


class Absorbed(NamedTuple):
    """The way in which reinforcement, a shield and the ship absorbed a volley.

    Attributes:
        general: Points that general reinforcement stopped.
        specific: Points that the specific reinforcement of the shield stopped.
        boxes: Shield boxes destroyed.
        internals: Points of internal damage.
    """

    general: int
    specific: int
    boxes: int
    internals: int


class Mover(NamedTuple):
    """A unit's hex, facing and speed this turn, which decide whether it moves next (D3.41).

    ``heading`` is the direction in which it moves if that is not ahead, because a tractor beam pulls it.
    """

    hex: str
    facing: str
    speed: int
    heading: str = ""

    def next_hex(self, grid: str) -> str:
        """Return the hex that the unit enters with its next move."""
        return neighbour(self.hex, self.heading or self.facing, grid)


@lru_cache(maxsize=65536)
def faced_shields(hex: str, facing: str, source_hex: str, grid: str = EVEN) -> tuple[int, ...]:
    """Return the number of the shield (1 to 6) that a line of fire from ``source_hex`` hits (D3.4, D3.41).

    If the line meets the junction of two shields, both numbers are returned.

    Raises:
        ValueError: Both hexes are the same (D3.42).
    """
    at = bearing(hex, source_hex, grid)
    first = (at.index - FACINGS.index(facing)) % 6 + 1
    second = first % 6 + 1
    if at.nearer < 0:
        return (first,)
    return (second,) if at.nearer > 0 else tuple(sorted((first, second)))


def next_to_move(speed_a: int, speed_b: int, impulse: int, impulses: int) -> tuple[bool, bool]:
    """Return for each of two units whether it moves next by the impulse chart, within this turn (D3.41).

    Both values are true if the units move next in the same impulse, and both are false if neither moves again this
    turn. Speeds are in hexes a turn.
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
    """Return the number of the shield that direct fire hits, even at the junction of two shields (D3.41).

    ``target`` and ``firer`` are (hex, facing, speed). If the line of fire meets a junction, the unit that moves next
    (or both) is moved one hex ahead for this purpose. Seen from the target, the line then turns to one side of the
    junction, and the shield on that side is hit. This is so even if the line turns past that shield to a third one.

    The result is ``None`` if the line stays on the junction, or if both ships are then in one hex.
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
    """Return the direction from which a line of fire comes, in 24 steps of 15 degrees clockwise.

    The junctions of shields are at 0, 4, 8 …. A direction nearer to the row of hexes before or after a junction is one
    step away from the junction.
    """
    at = bearing(hex, source_hex, grid)
    return 4 * at.index + at.nearer


def approach_shield(facing: str, hex: str, from_hex: str, grid: str = EVEN) -> int:
    """Return the number of the shield that faces the hex from which a seeking weapon comes (D3.4, F2.1).

    Seeking weapons come from an adjacent hex, which always faces one shield. If ``from_hex`` is farther away and the
    line meets the junction of two shields, the shield with the lower number is returned.

    Raises:
        ValueError: Both hexes are the same.
    """
    return min(faced_shields(hex, facing, from_hex, grid), key=ties.of_shields)


def absorb(points: int, general: int, specific: int, boxes: int) -> Absorbed:
    """Return how a shield absorbs a volley (D3.3411, D3.21).

    General reinforcement is used first, then specific reinforcement, then boxes; the rest is internal. A shield
    that is down has no specific reinforcement (D3.343).
    """
    by_general = min(points, general)
    points -= by_general
    by_specific = min(points, specific) if boxes > 0 else 0
    points -= by_specific
    by_boxes = min(points, boxes)
    return Absorbed(by_general, by_specific, by_boxes, points - by_boxes)


def general_for(energy: int) -> int:
    """Return the points of general reinforcement that this much energy buys (D3.341)."""
    return energy // charts.levels().costs.general_per_point
