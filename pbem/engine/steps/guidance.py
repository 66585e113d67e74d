"""Which weapons hunt which (F2.1), what one has struck as it moved (F2.2), and those whose guidance is gone (D4.41)."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import AnyUnit, State
from pbem.engine.steps.geometry import came_in
from pbem.rules.tractors import can_strike


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


def caught(state: State, unit: AnyUnit) -> bool:
    """Whether a suicide shuttle has flown into the hex of what it hunts in this impulse, before that moves: it has
    exploded as it entered, and what it struck goes no further (F2.2).
    """
    return any(
        bomb.target == unit.name
        and bomb.hex == unit.hex
        and came_in(state, bomb)
        and can_strike(bool(state.holders(bomb.name)))
        for bomb in state.shuttles()
    )


def remove_guided(table: Table, name: str) -> None:
    """Drones lose their guidance with the ship that launched them (D4.41), and so do suicide shuttles (J2.22)."""
    guided = [seeker.name for seeker in table.state.seekers() if seeker.launcher == name and seeker.weapon == "drone"]
    guided += [shuttle.name for shuttle in table.state.shuttles() if shuttle.launcher == name and shuttle.target]
    for unit in guided:
        table.tell(ev.Removed(unit=unit, how=Gone.REMOVED, why=f"{name} no longer guides it", rule="D4.41"))
