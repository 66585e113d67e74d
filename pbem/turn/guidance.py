"""Seeking weapons whose guidance is gone (D4.41)."""

from __future__ import annotations

from pbem.game import events as ev
from pbem.turn.table import Table
from pbem.values.words import Gone


def remove_guided(table: Table, name: str) -> None:
    """Drones lose their guidance with the ship that launched them (D4.41), and so do suicide shuttles (J2.22)."""
    guided = [seeker.name for seeker in table.state.seekers() if seeker.launcher == name and seeker.weapon == "drone"]
    guided += [shuttle.name for shuttle in table.state.shuttles() if shuttle.launcher == name and shuttle.target]
    for unit in guided:
        table.tell(ev.Removed(unit=unit, how=Gone.REMOVED, why=f"{name} no longer guides it", rule="D4.41"))
