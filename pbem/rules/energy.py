"""The energy allocation form (B3.0, C2.12, E3.2, E4.2, H6.2): what a ship's power is spent on this turn.

:func:`allot` reads the entries of a form and returns the ship as it is afterwards, the form line by line,
and every fault. Sources matter for photon torpedoes (warp only), movement (warp, and one point of impulse)
and recharging (generated power). What the player leaves open is paid from reactors, then impulse, then
warp, and batteries last, since only what goes beyond the power generated discharges them (B3.0, line 21).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pbem.data.files import own_figures
from pbem.rules.energy_form import Form
from pbem.rules.energy_terms import (
    LABELS,
    SOURCES,
    STANDING,
    Allotment,
    BalanceLine,
    Entry,
    Plant,
    Readied,
    ShipFacts,
    Tube,
    hexes_for,
    plant_of,
    warp_boxes,
    warp_for,
)

__all__ = [
    "LABELS", "SOURCES", "STANDING", "Allotment", "BalanceLine", "Entry", "Plant", "Readied", "ShipFacts", "Tube",
    "allot", "hexes_for", "plant_of", "warp_boxes", "warp_for",
]  # fmt: skip


def allot(entries: Sequence[Entry], facts: ShipFacts) -> Allotment:
    """Work out a form. Collects all faults instead of raising the first; an empty form pays for nothing."""
    return _allotted(tuple(entries), facts, own_figures().token)


@lru_cache(maxsize=1024)
def _allotted(entries: tuple[Entry, ...], facts: ShipFacts, token: str) -> Allotment:
    """Looks ahead fill out the same form again and again. ``token`` tells charts with figures of one's own from those
    that are shipped.
    """
    return Form(facts, entries).work_out()
