"""The journal of incoming emails, so that each counts once however often it is delivered.

The journal ``letters.jsonl`` is append-only. It has one line for each email, written when its answers are in the
outbox. If the machine stops while it writes a line, the incomplete line is ignored. That email is then processed
again: its orders are found already filed, and its answers have the same names as before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal, NamedTuple

import msgspec
from filelock import FileLock, Timeout

from pbem.errors import GameError
from pbem.games.storage.files import cannot, make_folder, patiently, sync, write_bytes
from pbem.games.storage.folder import MODE

FORMAT: Final = 1
FILE: Final = "letters.jsonl"
QUARANTINE: Final = "quarantine"
"""Name of the folder for emails that were put aside, i.e. stored for the umpire."""

Done = Literal["orders", "fault", "command", "quarantine", "bounce", "auto", "own", "empty", "trouble", "word"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One email in the journal, and what was done with it.

    Attributes:
        digest: A hash that identifies the email.
        done: What was done.
        format: The version of the format.
        message_id: Its Message-ID.
        sender: Its sender's address.
        game: The game it was for, if known.
        side: The side it was for, if known.
        sha256: The hash of the orders that were filed.
        replies: The keys of the answers.
        file: The file in which it was put aside.
        why: The reason, for the umpire.
        subject: The subject, for the umpire; only if it was put aside.
        same: A hash that is equal for emails with equal content.
        lost: For a bounce: addresses of players to which delivery failed.
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
    lost: tuple[str, ...] = ()


LET_IN: Final[tuple[Done, ...]] = ("quarantine", "trouble", "empty", "auto")
"""The values of ``done`` with which the umpire may still accept an email that was put aside."""
MOST_ASIDE: Final = 1000
MOST_BYTES: Final = 100_000_000
"""Maximum total size in bytes of strangers' emails that are put aside.

``MOST_ASIDE`` is their maximum number. For emails of players both limits are twice as high.
"""


class LetterStreak(NamedTuple):
    """How many of a side's latest emails in a row were alike, to detect a sender that is a machine.

    Only emails with the right token count, because anybody can forge an address.

    Attributes:
        done: What was done with the latest one.
        done_so: How many in a row had that result.
        same: The hash of the content of the latest one.
        said_so: How many in a row had that content.
        idle: How many in a row brought no new orders.
        sha256: The hash of the last orders filed.
    """

    done: str = ""
    done_so: int = 0
    same: str = ""
    said_so: int = 0
    idle: int = 0
    sha256: str = ""


def entries_in(data: bytes) -> Iterator[Entry]:
    """Yield the entries in the lines of a journal; damaged lines are skipped."""
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            yield msgspec.json.decode(line, type=Entry)


class Ledger:
    """The journal of incoming emails in a mail folder (``mail/`` of a host).

    To write to it, open it with :func:`held`.
    """

    def __init__(self, post: Path) -> None:
        self.post = post
        self.file = post / FILE
        self._known: dict[str, Entry] | None = None
        self._last: dict[tuple[str, str], LetterStreak] = {}
        self._aside: tuple[int, int] | None = None

    def entries(self) -> list[Entry]:
        """Return the entries of all processed emails, in order; damaged lines are skipped."""
        return list(self._entries().values())

    def find(self, digest: str) -> Entry | None:
        """Return the entry of the email with this digest; ``None`` if it was not processed before."""
        return self._entries().get(digest)

    def row(self, game: str, side: str) -> LetterStreak:
        """Return the :class:`LetterStreak` of a side: how many of its latest emails in a row were alike."""
        self._entries()
        return self._last.get((game, side), LetterStreak())

    def add(self, entry: Entry, *, let_in: bool = False) -> None:
        """Write an entry to the journal, and flush it to the disk.

        An email is recorded only once, with two exceptions. One is an email that was put aside because of its token
        and comes again. The other is an email that the umpire accepts (``let_in``).
        """
        if not let_in and _counted(self.find(entry.digest)):
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
                sync(file.fileno())
        except OSError as error:
            raise cannot("write", self.file, error) from error
        self._keep(self._entries(), entry)

    def put_aside(self, raw: bytes, digest: str, why: str, *, known: bool = False) -> str:
        """Put an email aside: store it for the umpire, with the reason in a file beside it; return its file name.

        If too many are stored already, nothing is done and the result is ``""``. ``known`` says that a player sent
        it; then the limits are twice as high.
        """
        name = f"{QUARANTINE}/{digest[:24]}.eml"
        if not (self.post / name).is_file():
            letters, size = self._aside = self._aside or self._counted_aside()
            times = 2 if known else 1
            if letters >= times * MOST_ASIDE or size + len(raw) > times * MOST_BYTES:
                return ""
            self._aside = letters + 1, size + len(raw)
        write_bytes(self.post / name, raw, private=True)
        write_bytes(
            self.post / f"{QUARANTINE}/{digest[:24]}.txt", (why + "\n").encode("utf-8", "replace"), private=True
        )
        return name

    def taken_back(self, name: str) -> None:
        """Move an email that the umpire accepted from the quarantine to the folder ``accepted/``.

        The file with the reason is moved too.
        """
        for path in (self.post / name, (self.post / name).with_suffix(".txt")):
            try:
                if path.is_file():
                    make_folder(self.post / "accepted", private=True)
                    patiently(path.replace, self.post / "accepted" / path.name)
            except OSError as error:
                raise cannot("write", path, error) from error

    def _counted_aside(self) -> tuple[int, int]:
        try:
            with os.scandir(self.post / QUARANTINE) as inside:
                sizes = [entry.stat().st_size for entry in inside if entry.name.endswith(".eml")]
        except FileNotFoundError:
            return 0, 0
        except OSError as error:
            raise cannot("read", self.post / QUARANTINE, error) from error
        return len(sizes), sum(sizes)

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
            for entry in entries_in(data):
                self._keep(self._known, entry)
        return self._known

    def _keep(self, known: dict[str, Entry], entry: Entry) -> None:
        known[entry.digest] = entry
        if not entry.side or entry.done == "quarantine":
            return
        row = self._last.get((entry.game, entry.side), LetterStreak())
        fresh = bool(entry.sha256) and entry.sha256 != row.sha256
        self._last[entry.game, entry.side] = LetterStreak(
            entry.done, row.done_so * (row.done == entry.done) + 1,
            entry.same, row.said_so * (row.same == entry.same) + 1,
            0 if fresh else row.idle + 1, entry.sha256 or row.sha256,
        )  # fmt: skip


def _counted(entry: Entry | None) -> bool:
    """Return whether an email was handled for good.

    An email in quarantine was not, since it may still come again with the right token.
    """
    return entry is not None and entry.done != "quarantine"


@contextmanager
def held(post: Path, patience: float = 30.0) -> Iterator[Ledger]:
    """Open the journal and hold its lock, so that only one delivery at a time uses it.

    Programs such as procmail start one delivery for each email. ``patience`` is the longest wait in seconds.

    Raises:
        GameError: If another command holds the lock for too long.
    """
    try:
        make_folder(post, private=True)
        lock = FileLock(post / "letters.lock", mode=MODE)
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
