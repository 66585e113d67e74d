"""What labs and probes find out (G4.0, G5.0)."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.faults import Fault
from pbem.orders import model as om
from pbem.turn.outlook import Outlook
from pbem.turn.table import Table


def launch_probes(table: Table) -> None:
    """Probes are launched in the direct-fire step (G5.13)."""


def end_of_turn(table: Table) -> None:
    """Labs and shuttles gather information (G4.1)."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of an order can never be legal."""
    yield from ()
