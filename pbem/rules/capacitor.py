"""The phaser capacitor (H6.0)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from pbem.rules.direct_fire import is_phaser
from pbem.rules.phasers import phaser_cost


class PhaserBox(Protocol):
    """What the capacitor needs of a weapon."""

    @property
    def kind(self) -> str: ...
    @property
    def working(self) -> bool: ...


def capacity(weapons: Mapping[str, PhaserBox] | Iterable[PhaserBox]) -> float:
    """What the capacitor holds: the energy to fire every working phaser once (H6.0). Halves occur.

    A phaser-G counts for its point of energy, however many shots that gives.
    """
    each = weapons.values() if isinstance(weapons, Mapping) else weapons
    return sum((phaser_cost(weapon.kind) for weapon in each if weapon.working and is_phaser(weapon.kind)), 0.0)


def after_loss(content: float, left: float) -> float:
    """What the capacitor still holds when destroyed phasers leave it the capacity ``left``: the empty part goes first
    (H6.3).
    """
    return min(content, left)
