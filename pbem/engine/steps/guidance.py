"""Which weapons hunt which (F2.1), what one has struck as it moved (F2.2), and those whose guidance is gone (D4.41).

What leaves a ship, whatever it is: its name, where it stands, and in which facing (F2.3, FD1.2, FP1.3, J1.23).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbem.data import charts
from pbem.data.terms import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import AnyUnit, Position, Ship, State
from pbem.engine.steps.geometry import came_in
from pbem.rules import hexes, terrain
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


def next_name(state: State, ship: Ship, what: str = "S") -> str:
    """The name of what a ship launches next: the initial of its race, a letter for ``what`` it is and a number
    (``FS/1``).
    """
    designation = f"{charts.races()[ship.race].initial}{what}"
    return f"{designation}/{state.serials.get(designation, 0) + 1}"


def launched(state: State, ship: Ship, name: str, facing: str) -> dict[str, Any]:
    """What is the same of all that a ship launches: it stands on top of its launcher, and approaches, until it moves,
    from the hex behind it (F2.3).
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
    """Of the facings in which something may be launched the one nearest to the wanted one; neither off the map nor into
    a planet that destroys what is of its ``kind``, if another will do, since it flies one hex straight ahead first
    (FD1.2, FP1.3, J1.23, P2.0). ``prefer`` is asked for L and R where one lies as far to the left as another to the
    right.
    """
    ahead = {facing: hexes.neighbour(ship.hex, facing, state.grid) for facing in facings}
    stays = [facing for facing, into in ahead.items() if hexes.on_map(into, state.map)]
    clear = [facing for facing in stays if ahead[facing] not in state.planets or not terrain.crashes(kind)]

    def off(facing: str) -> tuple[int, int]:
        right = hexes.relative(wanted, facing)
        left = len(hexes.FACINGS) - right
        return min(left, right), prefer("L" if left < right else "R")

    return min(clear or stays or facings, key=off)
