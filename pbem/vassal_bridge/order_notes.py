"""Orders that a player keeps in the delayed notes of his own save.

VASSAL writes everybody's notes into every file, and hides them from nobody who looks into it. So only the notes of the
side that sent the file are read here; of the others nothing is told but how many there are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from pbem.errors import Fault
from pbem.orders.header import Header, header_line
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

replace = msgspec.structs.replace

if TYPE_CHECKING:
    from vassal.save import DelayedNote


class NoteOrders(msgspec.Struct, frozen=True, kw_only=True):
    """A note that reads as orders: ``text`` as it would be filed, ``orders`` its normal form, and what in it cannot be
    read.
    """

    note: str
    hidden: bool
    text: str
    orders: str
    faults: tuple[Fault, ...] = ()


class FoundNotes(msgspec.Struct, frozen=True, kw_only=True):
    """The orders found, the names of the side's other notes, and how many notes are not the side's."""

    orders: tuple[NoteOrders, ...] = ()
    others: tuple[str, ...] = ()
    not_mine: int = 0


def orders_in_notes(
    notes: Sequence[DelayedNote], side: str, sides: Collection[str], header: Header, file: str = ""
) -> FoundNotes:
    """The orders among ``notes`` for ``side``; one that has no header of its own gets ``header``.

    A note is the side's where the roster says so. Where the roster knows no side of that name, only a note whose own
    header names the side is.
    """
    orders: list[NoteOrders] = []
    others: list[str] = []
    not_mine = 0
    for note in notes:
        read = read_orders(note.text, file=f"{file}, note {note.name!r}")
        if note.side.casefold() != side.casefold() and (
            note.side.casefold() in {one.casefold() for one in sides} or read.orders.side.casefold() != side.casefold()
        ):
            not_mine += 1
            continue
        text, added = note.text, 0
        if not (read.orders.game or read.orders.side):
            text, added = f"{header_line(header)}\n{note.text}", 1
            read = read_orders(text, file=f"{file}, note {note.name!r}")
        if not (read.orders.units or read.orders.alone):
            others.append(note.name)
            continue
        orders.append(
            NoteOrders(
                note=note.name,
                hidden=note.hidden,
                text=text,
                orders=write_orders(read.orders),
                faults=tuple(replace(fault, line=max(0, fault.line - added)) for fault in read.faults),
            )
        )
    return FoundNotes(orders=tuple(orders), others=tuple(others), not_mine=not_mine)
