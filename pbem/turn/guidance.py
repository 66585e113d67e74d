"""Which weapons hunt which (F2.1), and those whose guidance is gone (D4.41)."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.game import events as ev
from pbem.turn.table import Table
from pbem.values.words import Gone


def behind(name: str, hunts: Mapping[str, str]) -> int:
    """How many weapons must move before this one because it hunts them; ``hunts`` are those that are due to move, each
    with its target. 0 for weapons that hunt each other in a ring.
    """
    hunted: list[str] = [name]
    while (target := hunts[hunted[-1]]) in hunts:
        if target in hunted:
            return 0
        hunted.append(target)
    return len(hunted) - 1


def remove_guided(table: Table, name: str) -> None:
    """Drones lose their guidance with the ship that launched them (D4.41), and so do suicide shuttles (J2.22)."""
    guided = [seeker.name for seeker in table.state.seekers() if seeker.launcher == name and seeker.weapon == "drone"]
    guided += [shuttle.name for shuttle in table.state.shuttles() if shuttle.launcher == name and shuttle.target]
    for unit in guided:
        table.tell(ev.Removed(unit=unit, how=Gone.REMOVED, why=f"{name} no longer guides it", rule="D4.41"))
