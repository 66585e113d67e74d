"""Boarding parties aboard other ships (D7.0)."""

from __future__ import annotations

from pbem.turn.table import Table


def fight(table: Table) -> None:
    """Boarding party combat at the end of a turn, ship by ship (D7.0)."""
