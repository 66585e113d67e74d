"""Monsters move and attack (scenario #11)."""

from __future__ import annotations

from pbem.turn.table import Table


def move(table: Table) -> None:
    """Every monster moves by itself, before the ships (C1.3)."""


def attack(table: Table) -> None:
    """At the end of a turn a monster attacks what it reaches."""
