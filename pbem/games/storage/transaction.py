"""Atomic changes to several files of a game, made by first writing all changes to one file in the game folder.

A :class:`Transaction` describes the new content of the log and the order files. As soon as it is in the folder, the
change counts as made; before that, nothing has happened. If the command is interrupted, the next one to open the
game finishes the work before anything else is filed or played. Reports are derived from the log later
(:mod:`pbem.games.storage.publish`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pbem.engine import log
from pbem.engine.events import Record
from pbem.errors import Fault, GameError
from pbem.games.storage.files import json_in, read_bytes, remove, write_bytes
from pbem.util import regex

FILE: Final = "unfinished.json"
"""Name of the file in the game folder that describes a transaction while it is being carried out."""
FORMAT: Final = 1
_TURN = regex(r"\d\d\d?")
_ORDERS = regex(r"\d\d\d?/orders/[^/\\]+\.orders")


class Transaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A description of all changes that the command ``what`` makes to a game.

    ``records`` are the new log records after record ``after``, by turn folder. ``orders`` maps paths of order
    files, relative to the game folder, to their new content; ``None`` deletes a file.
    """

    format: int
    what: str
    after: int
    records: dict[str, tuple[Record, ...]]
    orders: dict[str, bytes | None] = {}


def carry_out(
    folder: Path, what: str, after: int, records: Mapping[int, Sequence[Record]], orders: Mapping[str, bytes | None]
) -> None:
    """Make several changes to a game in one transaction; the caller must hold the game's lock.

    Args:
        folder: The folder of the game.
        what: The command that makes the changes.
        after: The number of the last log record before the new ones.
        records: The new log records by turn.
        orders: The new content of order files by path, relative to the game folder; ``None`` deletes a file.

    Raises:
        GameError: A file cannot be written. The error says whether the transaction took effect.
    """
    by_folder = {f"{turn:02}": tuple(found) for turn, found in records.items()}
    act = Transaction(format=FORMAT, what=what, after=after, records=by_folder, orders=dict(orders))
    # This is the moment at which it has happened.
    write_bytes(folder / FILE, msgspec.json.encode(act, order="deterministic") + b"\n", private=True)
    finish(folder)


def unfinished(folder: Path) -> bool:
    """Return whether a game folder contains a transaction that was interrupted."""
    return (folder / FILE).is_file()


def finish(folder: Path) -> None:
    """Finish an interrupted transaction in a game folder; the caller must hold the game's lock.

    This may itself be interrupted and repeated any number of times, with the same result.

    Raises:
        GameError: A file cannot be read or written.
    """
    act = _read(folder / FILE)
    try:
        for turn, records in act.records.items():
            file = folder / turn / "events.jsonl"
            before = log.decode_records(read_bytes(file), str(file)) if file.is_file() else []
            whole = [*(record for record in before if record.n <= act.after), *records]
            if whole != before:
                write_bytes(file, log.encode_records(whole), private=True)
        for name, data in sorted(act.orders.items(), key=lambda pair: pair[1] is None):
            file = folder / name
            if data is None:
                remove(file)
            elif not file.is_file() or read_bytes(file) != data:
                write_bytes(file, data, private=True)
        remove(folder / FILE)
    except GameError as error:
        text = f"the {act.what} stands, and is carried out as soon as its files can be written: the next command does"
        raise GameError(*error.faults, Fault(code="unfinished", text=text, file=str(folder))) from error


def _read(file: Path) -> Transaction:
    act = json_in(read_bytes(file), Transaction, "act-damaged", "this file cannot be read", file)
    if act.format != FORMAT:
        text = f"the act that is to be finished has format {act.format}; this version knows {FORMAT}"
        raise GameError.saying("format", text, file=str(file))
    wrong = [name for name in act.records if not _TURN.fullmatch(name)]
    wrong += [name for name in act.orders if not _ORDERS.fullmatch(name)]
    if wrong:
        raise GameError.saying("act-damaged", f"{wrong[0][:80]!r} is no file of a game", file=str(file))
    return act
