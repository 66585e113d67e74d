"""Damage control (D9.0).

The rating is read from the track when energy is allocated: what damage does to the track counts from the next turn on
(D9.2), so nothing here asks for it again at the end of the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.data import charts
from pbem.errors import NotAllowed


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
