"""Lowered shields and transporters in play (G8.0)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.faults import Fault
from pbem.orders import model as om
from pbem.turn.outlook import Outlook
from pbem.turn.table import Table


def operate(table: Table) -> None:
    """Shields are lowered, transporters used (G8.2)."""


def raise_shields(table: Table) -> None:
    """Shields that were lowered long enough are up again (G8.22)."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of an order can never be legal."""
    yield from ()
