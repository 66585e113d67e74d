"""What was done with every letter, so that each counts once, however often it is delivered.

The journal ``letters.jsonl`` is only ever added to, a line for each letter, written when its answers are safely in
the outbox. A machine that stops in the middle of a line leaves a torn one, which counts for nothing: that letter
is taken in once more, finds its orders on file, and its answers have the names they had before.
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
"""The folder of letters that were put aside."""

Done = Literal["orders", "fault", "command", "quarantine", "bounce", "auto", "own", "empty", "trouble", "word"]


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A letter and what was done with it: ``replies`` are the keys of the answers, ``file`` where it was put aside.

    ``sha256`` is that of the orders filed. ``why`` is for the umpire, and so is the ``subject`` of a letter that was
    put aside. ``same`` is the same for letters that say the same. ``lost`` are addresses of players a bounce tells of.
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
"""Letters among those put aside that the umpire may let in."""
MOST_ASIDE: Final = 1000
MOST_BYTES: Final = 100_000_000
"""Letters of strangers that are put aside, and their bytes together; a player's own are kept up to twice as many."""


class LetterStreak(NamedTuple):
    """What the last letters of a side had in common, and how many there were of them, one after the other: those that
    ended like the last one, those that say the same, and those that brought no new orders. ``sha256`` is that of the
    last orders filed. Only letters with the right token count: anybody can write any address.
    """

    done: str = ""
    done_so: int = 0
    same: str = ""
    said_so: int = 0
    idle: int = 0
    sha256: str = ""


def entries_in(data: bytes) -> Iterator[Entry]:
    """The letters in lines of a journal; of a torn line the letter stands below once more."""
    for line in data.split(b"\n"):
        with suppress(ValueError, RecursionError):
            yield msgspec.json.decode(line, type=Entry)


class Ledger:
    """The journal of a folder of the post (``mail/`` of a host). Get one for writing from :func:`held`."""

    def __init__(self, post: Path) -> None:
        self.post = post
        self.file = post / FILE
        self._known: dict[str, Entry] | None = None
        self._last: dict[tuple[str, str], LetterStreak] = {}
        self._aside: tuple[int, int] | None = None

    def entries(self) -> list[Entry]:
        """Every letter taken in, in order; torn and damaged lines are passed over."""
        return list(self._entries().values())

    def find(self, digest: str) -> Entry | None:
        """What was done with this letter, if it was taken in before."""
        return self._entries().get(digest)

    def row(self, game: str, side: str) -> LetterStreak:
        """What the last letters of a side had in common."""
        self._entries()
        return self._last.get((game, side), LetterStreak())

    def add(self, entry: Entry, *, let_in: bool = False) -> None:
        """Write down what was done; it is on the disk when this returns. The same letter is written down once, but for
        one that was put aside and has been let in since.
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
        """Keep a letter nobody is answered for, with the reason beside it; returns its name. ``known`` is one of a
        player. ``""`` where so many lie there that it is not kept.
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
        """A letter that lay aside has been let in: it lies in ``accepted/`` now, the reason beside it."""
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
    """Whether a letter was dealt with for good: one that was put aside for its token may yet come by the right way."""
    return entry is not None and entry.done != "quarantine"


@contextmanager
def held(post: Path, patience: float = 30.0) -> Iterator[Ledger]:
    """The journal to oneself: two deliveries at once (procmail starts one for each letter) wait for one another.

    Raises :class:`~pbem.errors.GameError` where the other takes too long.
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
