"""What leaves a ship, whatever it is: its name, where it stands, and in which facing (F2.3, FD1.2, FP1.3, J1.23)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.data import charts
from pbem.engine.state import Position, Ship, State
from pbem.rules import hexes, terrain


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
