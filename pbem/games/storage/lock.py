"""One command at a time works on a game; a second one waits a little, then says who is at work.

The operating system holds the lock for the process, so a command that is killed leaves nothing behind
that would keep others out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pbem.errors import GameError
from pbem.games.storage.files import cannot, make_folder

PATIENCE = 5.0
"""Seconds a command waits for another one to finish."""
MODE = 0o600
"""Of the lock's file, like all in that folder."""


@contextmanager
def locked(folder: Path, what: str, patience: float | None = None) -> Iterator[None]:
    """Keep a game folder to oneself; who else has it is waited for ``patience`` seconds (None: :data:`PATIENCE`).
    Raises :class:`GameError` naming who holds it, or that it cannot be written.
    """
    from filelock import FileLock, Timeout

    # Locks are no part of the game: they lie in the folder that is never shown or sent.
    secret = folder / "secret"
    who = secret / "holder.lock"
    try:
        make_folder(secret, private=True)
        os.close(os.open(secret / "game.lock", os.O_WRONLY | os.O_CREAT, MODE))
    except OSError as error:
        raise cannot("write", folder, error) from error
    lock = FileLock(secret / "game.lock", mode=MODE)
    try:
        lock.acquire(timeout=PATIENCE if patience is None else patience, poll_interval=0.05)
    except Timeout:
        raise GameError.saying(
            "game-locked", f"{_holder(who)} is at work on this game; nothing was changed, try again", file=str(folder)
        ) from None
    except OSError as error:
        raise cannot("write", folder, error) from error
    try:
        with suppress(OSError):
            who.write_text(f"`pbem {what}` (process {os.getpid()})\n", encoding="utf-8", newline="\n")
        yield
    finally:
        with suppress(OSError):
            who.unlink(missing_ok=True)
        lock.release()


def _holder(who: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        said = who.read_text(encoding="utf-8").strip()
        if said:
            return said
    return "another command"
