"""Running into things: planets and asteroids (P2.0, P3.0)."""

from __future__ import annotations

from pbem.game import events as ev
from pbem.game.state import AnyUnit
from pbem.turn.damage import destroy
from pbem.turn.table import Table


def crash(table: Table, unit: AnyUnit, hex: str) -> None:
    """A ship or a seeking weapon that enters a planet hex is destroyed (P2.0)."""
    table.tell(
        ev.Moved(unit=unit.name, at=hex + unit.facing, code="F", came_from=unit.hex, rule="P2.0"),
    )
    destroy(table, unit.name, rule="P2.0")
