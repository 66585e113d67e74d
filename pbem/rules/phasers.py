"""Phasers (E2.0)."""

from __future__ import annotations

from pbem.data import charts
from pbem.rules.direct_fire import direct_fire, is_phaser


def phaser_damage(kind: str, range_: int, die: int) -> int:
    """Points scored by ``ph1``, ``ph2``.

    ``ph3`` or ``phG`` at an effective range (hexes) with a die of 1 to 6 (E2.4).
    """
    if not is_phaser(kind):
        raise ValueError(f"{kind} is no phaser")
    return direct_fire(kind, range_, range_, die).points


def phaser_cost(kind: str) -> float:
    """Points of energy for one shot: one half for a phaser-3, else one (E2.1)."""
    if not is_phaser(kind):
        raise ValueError(f"{kind} is no phaser")
    found = charts.weapon_kinds()[kind]
    return charts.damage_table(found.chart).energy if found.energy is None else found.energy
