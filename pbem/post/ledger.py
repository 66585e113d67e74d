"""What was done with every letter, so that each counts once, however often it is delivered.

The journal ``letters.jsonl`` is only ever added to, a line for each letter, written when its answers are safely in
the outbox. A machine that stops in the middle of a line leaves a torn one, which counts for nothing: that letter
is taken in once more, finds its orders on file, and its answers have the names they had before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec

from pbem.desk.files import cannot, make_folder, write_bytes

FORMAT: Final = 1
FILE: Final = "letters.jsonl"

Done = Literal["orders", "fault", "command", "quarantine", "bounce", "auto", "own", "empty", "trouble"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A letter and what was done with it: ``replies`` are the keys of the answers, ``file`` where it was put aside.

    ``sha256`` is that of the orders filed. ``why`` is for the umpire, and so is the
    ``subject`` of a letter that was put aside. ``same`` is the same for letters that say the same.
    """

    digest: str
    done: Done
    format: int = FORMAT
    message_id: str = ""
    sender: str = ""
    game: str = ""
    side: str = ""
    sha256: str = ""
    replies: tuple[str, ...] = ()
    file: str = ""
    why: str = ""
    subject: str = ""
    same: str = ""


class _Row(NamedTuple):
    """What the last letters of an address had in common, and how many."""

    done: Done
    done_so: int
    same: str
    said_so: int


class Ledger:
    """The journal of a folder of the post (``mail/`` of a host). Get one for writing from :func:`held`."""

    def __init__(self, post: Path) -> None:
        self.post = post
        self.file = post / FILE
        self._known: dict[str, Entry] | None = None
        self._last: dict[str, _Row] = {}

    def entries(self) -> list[Entry]:
        """Every letter taken in, in order; torn and damaged lines are passed over."""
        return list(self._entries().values())

    def find(self, digest: str) -> Entry | None:
        """What was done with this letter, if it was taken in before."""
        return self._entries().get(digest)

    def in_a_row(self, sender: str, done: Done) -> int:
        """How many of the last letters of an address, one after the other, ended so."""
        self._entries()
        row = self._last.get(sender)
        return row.done_so if row and row.done == done else 0

    def repeated(self, sender: str, same: str) -> int:
        """How many of the last letters of an address, one after the other, said the same."""
        self._entries()
        row = self._last.get(sender)
        return row.said_so if row and row.same == same else 0

    def add(self, entry: Entry) -> None:
        """Write down what was done; it is on the disk when this returns. The same letter is written down once."""
        if self.find(entry.digest) is not None:
            return
        line = msgspec.json.encode(entry) + b"\n"
        try:
            make_folder(self.post, private=True)
            self.file.touch(mode=0o600)
            with self.file.open("ab") as file:
                # A torn line is ended, or it would take this one with it.
                if file.tell() and not self._ends_whole():
                    line = b"\n" + line
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot("write", self.file, error) from error
        self._keep(self._entries(), entry)

    def put_aside(self, raw: bytes, digest: str, why: str) -> str:
        """Keep a letter nobody is answered for, with the reason beside it; returns its name."""
        name = f"quarantine/{digest[:24]}.eml"
        write_bytes(self.post / name, raw, private=True)
        write_bytes(self.post / f"quarantine/{digest[:24]}.txt", (why + "\n").encode("utf-8", "replace"), private=True)
        return name

    def _ends_whole(self) -> bool:
        with self.file.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) == b"\n"

    def _entries(self) -> dict[str, Entry]:
        if self._known is None:
            self._known = {}
            try:
                data = self.file.read_bytes() if self.file.is_file() else b""
            except OSError as error:
                raise cannot("read", self.file, error) from error
            for line in data.split(b"\n"):
                try:
                    entry = msgspec.json.decode(line, type=Entry)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    continue
                self._keep(self._known, entry)
        return self._known

    def _keep(self, known: dict[str, Entry], entry: Entry) -> None:
        if entry.digest in known:
            return
        known[entry.digest] = entry
        row = self._last.get(entry.sender) or _Row(entry.done, 0, entry.same, 0)
        self._last[entry.sender] = _Row(
            entry.done, row.done_so * (row.done == entry.done) + 1,
            entry.same, row.said_so * (row.same == entry.same) + 1,
        )  # fmt: skip


@contextmanager
def held(post: Path, patience: float = 30.0) -> Iterator[Ledger]:
    """The journal to oneself: two deliveries at once (procmail starts one for each letter) wait for one another.

    Raises :class:`~pbem.faults.GameError` where the other takes too long.
    """
    from filelock import FileLock, Timeout

    from pbem.faults import GameError

    try:
        make_folder(post, private=True)
        lock = FileLock(post / "letters.lock")
        lock.acquire(timeout=patience, poll_interval=0.05)
    except Timeout:
        said = "another command is taking in mail; nothing was changed, try again"
        raise GameError.saying("game-locked", said, file=str(post)) from None
    except OSError as error:
        raise cannot("write", post, error) from error
    try:
        yield Ledger(post)
    finally:
        lock.release()
