"""Read emails from local mailboxes: a Maildir, an mbox, a folder of .eml files, or a pipe.

Each source yields ``(key, bytes)`` of the emails in it, oldest first. The caller calls ``done(key)`` once the
answer to an email is stored. Until then the email stays in place, so that an interrupted host reads it again. The
source for a mail server is :mod:`pbem.mail.transport.imap`.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.errors import GameError
from pbem.games.storage.files import cannot, make_folder, patiently, write_text
from pbem.mail.host.backup import Guard, file_name
from pbem.mail.incoming.extract import LARGEST_LETTER

if TYPE_CHECKING:
    import mailbox

_MOST: Final = LARGEST_LETTER + 1
_LONGEST_MARK: Final = 20_000
DONE: Final = "done"
"""Name of the subfolder for emails that were handled."""


class Source(ABC):
    """A mailbox from which a host reads emails; base class.

    Problems with single emails are recorded while the other emails are read.

    Attributes:
        troubles: The problems that were recorded and not yet reported.
        guard: Function that gets the marks of hosts in the mailbox (:mod:`pbem.mail.host.backup`) before any email is
            fetched.
        since: Emails that were handled and arrived after this time are fetched again.
        offers: The login mechanisms of a mail server: PLAIN, XOAUTH2, ...
    """

    def __init__(self) -> None:
        self.troubles: list[str] = []
        self.guard: Guard | None = None
        self.since: datetime | None = None
        self.offers: tuple[str, ...] = ()

    @abstractmethod
    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield the key and the bytes of each email that was not handled yet.

        Raises:
            GameError: If the mailbox cannot be read.
        """

    @abstractmethod
    def done(self, key: str) -> None:
        """Record that an email was handled and its answer stored, so that it is not fetched again."""

    def keep_logged_in(self) -> None:  # noqa: B027
        """Renew a login that would expire soon; this default does nothing.

        Raises:
            GameError: The login cannot be renewed.
        """

    def leave(self, host: str, mark: str) -> None:  # noqa: B027
        """Store a host's mark in the mailbox, in place of that host's earlier marks.

        A mark (:mod:`pbem.mail.host.backup`) shows other copies of the host which one is current. This default does
        nothing, for mailboxes that can contain only emails.
        """

    def show(self, marks: Iterable[str] = ()) -> None:
        """Pass the marks of hosts in the mailbox to the function ``guard``, before emails are fetched.

        The guard raises an error if the host must not go on (:mod:`pbem.mail.host.backup`).
        """
        if self.guard is not None:
            self.guard(tuple(marks))

    def miss(self, why: str) -> None:
        """Record a problem with an email or with the mailbox, to be reported later."""
        self.troubles.append(why)

    def missed(self) -> tuple[str, ...]:
        """Return the problems recorded since the last call, without duplicates."""
        missed, self.troubles = tuple(dict.fromkeys(self.troubles)), []
        return missed


class _Marked(Source):
    """A mailbox that is a folder, in which the marks of hosts (:mod:`pbem.mail.host.backup`) are files."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def leave(self, host: str, mark: str) -> None:
        with suppress(GameError, OSError):  # a read-only mailbox gets no marks
            if self.path.is_dir():
                write_text(self.path / file_name(host), f"{mark}\n", private=True)

    def marks(self) -> Iterator[str]:
        """Yield the marks of hosts in the folder, each as a line of text."""
        with suppress(OSError):
            for path in sorted(self.path.glob(file_name("*"))):
                yield path.read_bytes()[:_LONGEST_MARK].decode("utf-8", "replace")

    def letters(self, files: Iterable[Path]) -> Iterator[tuple[str, bytes]]:
        """Yield (key, bytes) for the emails in these files.

        The key is the path relative to the folder. Missing files are skipped; unreadable ones are recorded as problems.
        """
        for path in files:
            try:
                raw = read_file(path)
            except GameError as error:
                if any(fault.code != "no-such-file" for fault in error.faults):
                    self.miss(f"an email cannot be read: {error}")
            else:
                yield path.relative_to(self.path).as_posix(), raw

    def came_since(self, path: Path) -> bool:
        """Return whether a handled email must be fetched again, because it arrived after the restored backup."""
        with suppress(OSError):
            return self.since is not None and path.is_file() and path.stat().st_mtime >= self.since.timestamp()
        return False


def read_file(path: Path) -> bytes:
    """Return the bytes of an email in a file.

    If the email is too long, only its beginning is returned, just enough to detect that.
    """
    try:
        with path.open("rb") as file:
            return file.read(_MOST)
    except OSError as error:
        raise cannot("read", path, error) from error


def lies_within(source: Source | None, folder: Path) -> bool:
    """Return whether a mailbox is inside a folder.

    If so, a backup of the folder contains the mailbox, and both are equally old after it is restored.
    """
    return isinstance(source, _Marked) and source.path.resolve().is_relative_to(folder.resolve())


class EmlFolder(_Marked):
    """A mailbox that is a folder of ``.eml`` files; handled emails are moved to the subfolder ``done``."""

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield (file name, bytes) of the emails in the folder.

        Emails in ``done`` that must be read again after a backup was restored come first.
        """
        self.show(self.marks())
        try:
            files = sorted(p for p in self.path.iterdir() if p.suffix.lower() == ".eml" and p.is_file())
            again = [p for p in (self.path / DONE).glob("*.eml") if self.came_since(p)]
        except FileNotFoundError as error:
            said = "make this folder for incoming emails, or correct path in host.toml: it does not exist"
            raise GameError.saying("inbox", said, file=str(self.path)) from error
        except OSError as error:
            raise cannot("read", self.path, error) from error
        yield from self.letters((*sorted(again, key=lambda p: (p.stat().st_mtime_ns, p.name)), *files))

    def done(self, key: str) -> None:
        """Move a handled email to the subfolder ``done``."""
        if "/" not in key:
            _move(self.path / key, self.path / DONE, key)


def _move(path: Path, folder: Path, name: str) -> None:
    """Move the file of an email into another folder without replacing an existing file."""
    try:
        make_folder(folder, private=True)
        target, number = folder / name, 1
        while target.exists():
            number += 1
            target = folder / f"{Path(name).stem}-{number}{Path(name).suffix}"
        patiently(path.rename, target)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot("write", path, error) from error


class Maildir(_Marked):
    """A mailbox in Maildir format; handled emails are moved from ``new`` to ``cur`` and flagged as read."""

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, bytes) of the emails in ``new`` and the unread ones in ``cur``, oldest first."""
        self.show(self.marks())
        new, cur = self.path / "new", self.path / "cur"
        try:
            if not new.is_dir():
                raise GameError.saying("inbox", "this is not a Maildir: it has no folder new", file=str(self.path))
            # A mail program moves emails to cur when it is opened; those not flagged as read were not handled.
            opened = list(cur.iterdir()) if cur.is_dir() else []
            unread = [p for p in opened if "S" not in _flags(p.name) or self.came_since(p)]
            files = sorted((p for p in (*new.iterdir(), *unread) if p.is_file()), key=_arrival)
        except OSError as error:
            raise cannot("read", self.path, error) from error
        yield from self.letters(files)

    def done(self, key: str) -> None:
        """Move a handled email to ``cur`` with the flag for a read email."""
        path = self.path / key
        bare = path.name.partition(_mark())[0]
        if "S" in _flags(path.name) and path.parent.name == "cur":
            return
        flags = "".join(sorted({*_flags(path.name), "S"}))
        _move(path, self.path / "cur", f"{bare}{_mark()}2,{flags}")


def _mark() -> str:
    return "!" if os.name == "nt" else ":"


def _flags(name: str) -> str:
    return name.rpartition(f"{_mark()}2,")[2] if f"{_mark()}2," in name else ""


def _arrival(path: Path) -> tuple[int, str]:
    """Return a key to sort Maildir files by time: their names begin with the second of their arrival."""
    first = path.name.partition(".")[0]
    return (int(first) if first.isascii() and first.isdecimal() and len(first) < 18 else 0, path.name)


class Mbox(Source):
    """An mbox file, which is never changed.

    Its emails are not marked as handled; the journal ensures that each counts once.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, bytes) of all emails of the file."""
        import mailbox

        self.show()
        if not self.path.is_file():
            raise GameError.saying("inbox", "there is no such mbox file", file=str(self.path))
        try:
            with closing(mailbox.mbox(self.path, create=False)) as box:
                # With the lock, no email is read while it is being delivered. If nobody can lock, nobody writes.
                with suppress(OSError, mailbox.Error):
                    box.lock()
                # Closing the box unlocks it.
                emails = list(self._letters(box))
        except (OSError, mailbox.Error) as error:
            raise GameError.saying("inbox", f"this mbox cannot be read: {error}", file=str(self.path)) from error
        yield from emails

    def _letters(self, box: mailbox.mbox) -> Iterator[tuple[str, bytes]]:
        for key in box.keys():  # noqa: SIM118 (no mapping)
            try:
                yield str(key), box.get_bytes(key)[:_MOST]
            except Exception as error:  # any fault of this email must not keep the next ones from being read
                self.miss(f"email {key} of {self.path} cannot be read: {type(error).__name__}: {error}")

    def done(self, key: str) -> None:
        """Do nothing, since an mbox file is never changed."""
        return


class OneLetter(Source):
    """A mailbox with a single email, from a file or standard input, as procmail passes it.

    The exit code of pbem tells procmail and similar programs whether the email was accepted. ``left`` is true if the
    email was read but not handled.
    """

    def __init__(self, path: Path | None = None) -> None:
        super().__init__()
        self.path = path
        self.left = False

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, bytes) of the email, without the ``From`` line of mbox that some programs put before it."""
        self.show()
        raw = read_file(self.path) if self.path is not None else sys.stdin.buffer.read(_MOST)
        if raw.strip():
            self.left = True
            yield "-", raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw

    def done(self, key: str) -> None:
        """Record that the email was handled."""
        self.left = False
