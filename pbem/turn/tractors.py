"""Tractor beams in play (G7.0)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.faults import Fault
from pbem.orders import model as om
from pbem.turn.outlook import Outlook
from pbem.turn.table import Table


def operate(table: Table) -> None:
    """Beams are released and take hold (G7.3)."""


def start_of_turn(table: Table) -> None:
    """Links that are not paid for end (G7.33)."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of an order can never be legal."""
    yield from ()
