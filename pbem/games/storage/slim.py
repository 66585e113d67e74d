"""Reports of requests that were answered, without what can be made again: pages, forms and mails.

A request of a duel leaves half a megabyte, of which the text sitreps are a twentieth. Of a mail its headers stay: they
say of which log it was made (:mod:`pbem.games.storage.publish`), and which letters were sent. Whoever wants the whole
report has it made anew (:func:`whole_again`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pbem.games.storage.files import read_bytes, remove, write_bytes
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.papers import FORM
from pbem.games.storage.publish import LAST_WRITTEN, MAIL, is_published, made_anew, reports_folder

_END: Final = b"\r\n\r\n"
_PARTS: Final = ("sitrep.html", FORM, "orders.draft")


def slim(game: GameFolder, before: float, *, dry: bool = False) -> Iterator[int]:
    """Take from the reports of requests that are not in force any more, made earlier than ``before`` (seconds since
    1970), what can be made again; yields the bytes each file held. ``dry``: nothing is done.
    """
    now = reports_folder(game)
    for reader in sorted(game.path.glob("[0-9]*/r*/*/")):
        text = reader / LAST_WRITTEN
        if reader.parent == now or not is_published(reader.parent) or text.stat().st_mtime >= before:
            continue
        for name in _PARTS:
            if (reader / name).is_file():
                yield (reader / name).stat().st_size
                if not dry:
                    remove(reader / name)
        mail = reader / MAIL
        if mail.is_file() and not is_slim(mail):
            data = read_bytes(mail)
            head = data.partition(_END)[0] + _END
            yield len(data) - len(head)
            if not dry:
                write_bytes(mail, head, private=True)


def is_slim(mail: Path) -> bool:
    """Whether only the headers of a mail are left."""
    return mail.stat().st_size < _MOST and read_bytes(mail).endswith(_END)


_MOST: Final = 8192
"""Bytes that the headers of a mail of ours never have."""


def whole_again(game: GameFolder, folder: Path) -> None:
    """Make the reports in a folder anew, where only a part of them is there."""
    if any(is_slim(mail) for mail in folder.glob(f"*/{MAIL}")):
        made_anew(game, folder)
