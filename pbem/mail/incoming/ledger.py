"""The journal of incoming emails, so that each counts once however often it is delivered.

The journal is in the database of the mail folder (:mod:`pbem.mail.store`), and it only grows. An email is added to it,
with the keys of its answers, in one transaction when the answers are in the outbox. If the machine stops before that,
the email is processed again: its orders are found already filed, and its answers have the same names as before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from pbem.errors import GameError
from pbem.games.storage.files import cannot, make_folder, patiently, write_bytes
from pbem.games.storage.folder import MODE
from pbem.mail.store import Done, EmailRecord, LetterStreak, opened

QUARANTINE: Final = "quarantine"
"""Name of the folder for emails that were put aside, i.e. stored for the umpire."""

LET_IN: Final[tuple[Done, ...]] = ("quarantine", "trouble", "empty", "auto")
"""The values of ``done`` with which the umpire may still accept an email that was put aside."""
MOST_ASIDE: Final = 1000
MOST_BYTES: Final = 100_000_000
"""Maximum total size in bytes of strangers' emails that are put aside.

``MOST_ASIDE`` is their maximum number. For emails of players both limits are twice as high.
"""


class Ledger:
    """The journal of incoming emails in a mail folder (``mail/`` of a host), and the emails that were put aside.

    To write to it, open it with :func:`held`.
    """

    def __init__(self, post: Path) -> None:
        self.post = post
        self._aside: tuple[int, int] | None = None

    def entries(self) -> list[EmailRecord]:
        """Return what was done last with each email, in the order in which the emails were processed first."""
        known: dict[str, EmailRecord] = {}
        with opened(self.post) as store:
            known |= {entry.digest: entry for _, entry in store.emails()}
        return list(known.values())

    def find(self, digest: str) -> EmailRecord | None:
        """Return the entry of the email with this digest; ``None`` if it was not processed before."""
        with opened(self.post) as store:
            return store.email(digest)

    def row(self, game: str, side: str) -> LetterStreak:
        """Return the :class:`LetterStreak` of a side: how many of its latest emails in a row were alike."""
        with opened(self.post) as store:
            return store.streak(game, side)

    def add(self, entry: EmailRecord, *, let_in: bool = False) -> None:
        """Add an entry to the journal, and flush it to the disk.

        An email is recorded only once, with two exceptions. One is an email that was put aside because of its token
        and comes again. The other is an email that the umpire accepts (``let_in``).
        """
        with opened(self.post) as store, store.transaction():
            # An email in quarantine was not handled for good, since it may still come again with the right token.
            if let_in or store.done_with(entry.digest) in ("", "quarantine"):
                store.add_email(entry)

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
        with opened(post):
            yield Ledger(post)
    finally:
        lock.release()
