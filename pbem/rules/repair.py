"""Damage control (D9.0)."""

from __future__ import annotations

from pbem.data import charts
from pbem.faults import NotAllowed


def boxes_repaired(energy: int) -> int:
    """Shield boxes that so many points of energy bring back at the end of the turn (D9.2)."""
    return energy // charts.levels().costs.repair_per_box


def verify_repair(*, shield: int, energy: int, spent: int, rating: int, lost: int) -> None:
    """Raises :class:`NotAllowed` unless ``energy`` may be spent on repairing a shield.

    ``spent`` is the turn's other energy for repairs, ``rating`` the damage control rating (0: none, D9.1),
    ``lost`` the boxes that shield has lost so far. Codes: ``no-damage-control``, ``repair-too-much``,
    ``repair-undamaged``, ``repair-odd``.
    """
    if rating < 1:
        raise NotAllowed("no-damage-control", "the ship has no damage control", "D9.1")
    if spent + energy > rating:
        raise NotAllowed(
            "repair-too-much",
            f"{spent + energy} points are more than the damage control rating {rating}",
            "D9.2",
        )
    each = charts.levels().costs.repair_per_box
    if energy % each:
        raise NotAllowed("repair-odd", f"a shield box takes {each} points, {energy} is no multiple of it", "D9.2")
    if boxes_repaired(energy) > lost:
        raise NotAllowed(
            "repair-undamaged",
            f"shield #{shield} has lost {lost} boxes, {energy} points would repair {boxes_repaired(energy)}",
            "D9.2",
        )
