"""Where a unit may be set down."""

from __future__ import annotations

from pbem.faults import Fault
from pbem.game.state import Planet, State
from pbem.rules.hexes import on_map


def place_faults(state: State, name: str, at: str, source: str) -> list[Fault]:
    """Why a unit cannot be set down at a hex and facing; nothing where it can."""
    unit = state.units.get(name)
    if unit is None or not unit.in_play:
        return [Fault(code="unknown-unit", text=f"{name} is not in play", file=source)]
    if isinstance(unit, Planet):
        return [Fault(code="bad-position", text=f"{name} is a planet and stays where it is", rule="P2.0", file=source)]
    if len(at) != 5 or not at[:4].isdigit() or at[4] not in "ABCDEF" or not on_map(at[:4], state.map):
        said = f"{name} cannot stand at {at!r}: a hex of the map {state.map[0]} to {state.map[1]} and a facing A to F"
        return [Fault(code="bad-position", text=said, rule="C1.2", file=source)]
    return []
