"""What leaves a ship, whatever it is: its name, where it stands, and in which facing (F2.3, FD1.2, FP1.3, J1.23)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.data import charts
from pbem.game.state import Position, Ship, State
from pbem.rules import hexes


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


def nearest_facing(state: State, ship: Ship, facings: Sequence[str], wanted: str, prefer: Callable[[str], int]) -> str:
    """Of the facings in which something may be launched the one nearest to the wanted one; not off the map, if another
    will do, since it flies one hex straight ahead first (FD1.2, FP1.3, J1.23). ``prefer`` is asked for L and R where
    one lies as far to the left as another to the right.
    """
    stays = [f for f in facings if hexes.on_map(hexes.neighbour(ship.hex, f, state.grid), state.map)] or list(facings)

    def off(facing: str) -> tuple[int, int]:
        right = hexes.relative(wanted, facing)
        left = len(hexes.FACINGS) - right
        return min(left, right), prefer("L" if left < right else "R")

    return min(stays, key=off)
