"""What a host did, kept apart from its folder: by that a folder that was restored from a backup is known.

A backup of yesterday holds yesterday's journal: today's letters, which the mailbox holds as read, would never come
again, and turns whose sitreps were sent would be played anew. So every round in which something happened is counted in
the folder (``mail/host.json``) and in a file of this account (under ``$XDG_STATE_HOME/pbem``), with what was sent and
which letters were taken in. A folder that has counted less is older than what was done.
"""

from __future__ import annotations

import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.desk.files import write_bytes, write_text
from pbem.faults import GameError

FILE, LIST = "host.json", "restored.txt"
KEPT: Final = timedelta(days=30)


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """A host's own name, and how many rounds it has done in which something happened."""

    host: str
    count: int = 0


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One of those rounds: its number, when it was, the mails that went out and the letters that came in."""

    count: int
    at: datetime
    sent: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()


def state_folder() -> Path:
    """Where this account keeps what programs remember."""
    home = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".local" / "state") / "pbem"


class Apart:
    """The count of a host's folder and what is kept apart from it."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        try:
            self.counted = msgspec.json.decode((folder / "mail" / FILE).read_bytes(), type=Counted)
        except (OSError, ValueError, RecursionError):
            self.counted = Counted(host=secrets.token_hex(8))
        self.file = state / f"{self.counted.host}.json"
        try:
            self.deeds = msgspec.json.decode(self.file.read_bytes(), type=list[Deed])
        except (OSError, ValueError, RecursionError):
            self.deeds = []

    def check(self, *, restored: bool = False) -> None:
        """Raises :class:`GameError` where this folder is older than what was done; ``restored``: the umpire knows."""
        lost = [deed for deed in self.deeds if deed.count > self.counted.count]
        if not lost:
            return
        lines = ["Mails that were sent since, and are not known here:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {name}" for deed in lost for name in deed.sent]
        lines += ["", "Letters that were taken in since: mark them as unread in the mailbox, that they come again."]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {letter}" for deed in lost for letter in deed.letters]
        write_text(self.folder / "mail" / LIST, "\n".join(lines) + "\n", private=True)
        if restored:
            self.counted = msgspec.structs.replace(self.counted, count=lost[-1].count)
            self._write()
            return
        mails, letters = sum(len(deed.sent) for deed in lost), sum(len(deed.letters) for deed in lost)
        text = (
            f"this folder is older than what was done here: {mails} mails were sent and {letters} letters taken in "
            f"since (mail/{LIST} lists them), by this folder before it was restored, or by a copy of it. Nothing is "
            "done. Where it is the one to go on with, mark those letters as unread, then "
            "`pbem host DIR --once --restored`"
        )
        raise GameError.saying("restored", text, file=str(self.folder))

    def add(self, at: datetime, sent: tuple[str, ...], letters: tuple[str, ...]) -> None:
        """Count a round in which something happened: in the folder first, as a host that is stopped in between has
        counted more there, and that is no harm.
        """
        if not sent and not letters:
            return
        self.counted = msgspec.structs.replace(self.counted, count=self.counted.count + 1)
        self._write()
        deed = Deed(count=self.counted.count, at=at, sent=sent, letters=letters)
        self.deeds = [*(one for one in self.deeds if at - one.at < KEPT), deed]
        write_bytes(self.file, msgspec.json.encode(self.deeds) + b"\n", private=True)

    def _write(self) -> None:
        write_bytes(self.folder / "mail" / FILE, msgspec.json.encode(self.counted) + b"\n", private=True)
