"""Seeking weapons whose guidance is gone (D4.41)."""

from __future__ import annotations

from pbem.game import events as ev
from pbem.turn.table import Table


def remove_guided(table: Table, name: str) -> None:
    """Drones lose their guidance with the ship that launched them (D4.41)."""
    for seeker in table.state.seekers():
        if seeker.launcher == name and seeker.weapon == "drone":
            table.tell(ev.Removed(unit=seeker.name, how="removed", why=f"{name} no longer guides it", rule="D4.41"))
