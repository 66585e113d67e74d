"""Mutiny on ships whose security stations are gone (G6.0)."""

from __future__ import annotations

from pbem.turn.table import Table


def end_of_turn(table: Table) -> None:
    """Dice for mutiny at the end of a turn (G6.2)."""
