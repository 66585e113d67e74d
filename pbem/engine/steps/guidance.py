"""Guidance of seeking weapons, and the initial values of launched units.

Guidance includes weapons that hunt other weapons (F2.1), hits during movement (F2.2), and lost guidance (D4.41). The
initial values are name, position and facing of the launched unit (F2.3, FD1.2, FP1.3, J1.23).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbem.data import charts
from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import AnyUnit, Position, Ship, State
from pbem.engine.steps.geometry import came_in
from pbem.rules import hexes, terrain
from pbem.rules.tractors import can_strike


def behind(name: str, hunts: Mapping[str, str]) -> int:
    """Return the number of seeking weapons that must move before the weapon ``name``.

    If the target of the weapon is a seeking weapon too, the target must move first; before it, the target of that
    target, and so on. ``hunts`` is a dict with the target of each weapon that is due to move. For weapons that hunt
    each other in a circle the result is 0.
    """
    hunted: list[str] = [name]
    while (target := hunts[hunted[-1]]) in hunts:
        if target in hunted:
            return 0
        hunted.append(target)
    return len(hunted) - 1


def caught(state: State, unit: AnyUnit) -> bool:
    """Return whether a suicide shuttle has just hit the unit by entering its hex in this impulse.

    The shuttle explodes as it enters, and the unit moves no further (F2.2).
    """
    return any(
        bomb.target == unit.name
        and bomb.hex == unit.hex
        and came_in(state, bomb)
        and can_strike(bool(state.holders(bomb.name)))
        for bomb in state.shuttles()
    )


def remove_guided(table: Resolution, name: str) -> None:
    """Remove the drones that a lost ship had launched (D4.41), and its suicide shuttles (J2.22)."""
    guided = [seeker.name for seeker in table.state.seekers() if seeker.launcher == name and seeker.weapon == "drone"]
    guided += [shuttle.name for shuttle in table.state.shuttles() if shuttle.launcher == name and shuttle.target]
    for unit in guided:
        table.tell(ev.Removed(unit=unit, how=UnitFate.REMOVED, why=f"{name} no longer guides it", rule="D4.41"))


def follow_ruling(table: Resolution, event: ev.AnyEvent) -> None:
    """Remove the drones whose guiding ship a ruling of the umpire took out of play (D4.41)."""
    if isinstance(event, ev.Ruled) and event.path == "gone" and event.value:
        remove_guided(table, event.unit)


def next_name(state: State, ship: Ship, what: str = "S") -> str:
    """Return the name for the next unit of a type that a ship launches, for example ``FS/1``.

    The name consists of the initial of the ship's race, the letter ``what`` for the type, a slash and a number.
    """
    designation = f"{charts.races()[ship.race].initial}{what}"
    return f"{designation}/{state.serials.get(designation, 0) + 1}"


def launched(state: State, ship: Ship, name: str, facing: str) -> dict[str, Any]:
    """Return the values of the fields that all launched units have in common.

    The unit starts in its launcher's hex. Until the unit moves, it counts as coming from the hex behind the launcher
    (F2.3).
    """
    return {
        "name": name, "side": ship.side, "race": ship.race, "hex": ship.hex, "facing": facing,
        "track": (Position(state.moment, ship.hex, facing),), "launcher": ship.name, "launched": state.moment,
        "came_from": hexes.neighbour(ship.hex, hexes.turn_facing(ship.facing, 3), state.grid),
    }  # fmt: skip


def nearest_facing(
    state: State,
    ship: Ship,
    facings: Sequence[str],
    wanted: str,
    prefer: Callable[[str], int],
    *,
    kind: str = "drone",
) -> str:
    """Return the allowed launch facing that is nearest to the wanted one.

    The unit must first fly one hex straight ahead. So facings that lead off the map are avoided if possible, and also
    facings into a planet that would destroy a unit of type ``kind`` (FD1.2, FP1.3, J1.23, P2.0). ``prefer`` is a sort
    key for L (left) and R (right), which decides between two equally near facings.
    """
    ahead = {facing: hexes.neighbour(ship.hex, facing, state.grid) for facing in facings}
    stays = [facing for facing, into in ahead.items() if hexes.on_map(into, state.map)]
    clear = [facing for facing in stays if ahead[facing] not in state.planets or not terrain.crashes(kind)]

    def off(facing: str) -> tuple[int, int]:
        right = hexes.relative(wanted, facing)
        left = len(hexes.FACINGS) - right
        return min(left, right), prefer("L" if left < right else "R")

    return min(clear or stays or facings, key=off)
