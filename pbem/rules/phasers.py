"""Phasers (E2.0)."""

from __future__ import annotations

from pbem.data import charts


def shots(kind: str) -> int:
    """How often a weapon fires in a turn: the phaser-G several times, every other once (E1.5, E2.23)."""
    return charts.weapon_kinds()[kind].shots


def shot_cost(kind: str, fired: int) -> float:
    """Points of energy for the next shot of a phaser that has fired so many times this turn (E2.1).

    Reading: the one point of a phaser-G is spent with its first shot of a turn and pays for the others of that turn.
    """
    return phaser_cost(kind) if fired == 0 else 0.0


def phaser_cost(kind: str) -> float:
    """Points of energy for one shot, of a phaser-G for those of a turn: one half for a phaser-3, else one (E2.1)."""
    found = charts.weapon_kinds()[kind]
    if found.family != "phaser":
        raise ValueError(f"{kind} is no phaser")
    return charts.damage_table(found.chart).energy if found.energy is None else found.energy
