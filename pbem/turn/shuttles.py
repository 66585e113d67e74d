"""Shuttles on the map and in their bays (J1.0, J2.0)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.faults import Fault
from pbem.orders import model as om
from pbem.turn.outlook import Outlook
from pbem.turn.table import Table


def move(table: Table) -> None:
    """Shuttles move, slower before faster (C1.3); suicide shuttles follow their target (J2.22)."""


def work_bays(table: Table) -> None:
    """Shuttles are recovered and launched (J1.5, J1.6)."""


def announce(table: Table) -> None:
    """Every shuttle on the map announces its speed for the turn (J1.21)."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of an order can never be legal."""
    yield from ()
