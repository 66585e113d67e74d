"""A club that moves to another machine: ``pbem host move``.

What is packed here and what is done elsewhere then must be one club: so from the moment the pack is begun the folder
that stays behind does nothing (``mail/moved.json``), whatever its cron runs on, and says where the club went.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pbem.errors import GameError
from pbem.games.storage.files import keep, remove
from pbem.games.storage.lock import locked
from pbem.games.typed import typed
from pbem.mail.host.apart import Apart, Elsewhere
from pbem.mail.host.backup import MOVED, Backup, Moved, backup, moved_from
from pbem.mail.host.deadlines import written
from pbem.mail.settings import read_host


def move(folder: Path, file: Path, now: datetime, state: Path | None = None) -> Backup:
    """Pack a club for another machine, and leave what is here at rest. In ``state`` this account notes that it went on
    elsewhere. Raises :class:`GameError` where it cannot be packed: then it stays here.
    """
    read_host(folder)
    if (before := moved_from(folder)) is not None:
        text = f"this club was packed in {before.file} already, to move; `pbem host move DIR --stay` has it stay here"
        raise GameError.saying("moved", text, file=str(folder))
    with locked(folder, "host move"):  # no round goes on now, and none does anything from here on
        keep(folder / MOVED, Moved(at=now, file=str(file)), indent=True)
    try:
        made = backup(folder, file)
    except BaseException:
        remove(folder / MOVED)
        raise
    if state is not None:
        with suppress(GameError, OSError):  # a home that cannot be written keeps no club here
            Apart(folder, state).left(now)
    return made


def verify_here(folder: Path, zone: str) -> None:
    """Raises :class:`Elsewhere` for a folder from which its club moved."""
    if (moved := moved_from(folder)) is not None:
        again = f"pbem host move {typed(folder)} --stay"
        text = (
            f"this club was packed to move to another machine on {written(moved.at, zone)}; the host that still runs "
            f"here does nothing. Switch it off, or have the club stay here: `{again}`"
        )
        raise Elsewhere.saying("moved", text, file=str(folder))


def stay(folder: Path, state: Path | None = None) -> None:
    """Have a club go on here that was packed to move. Raises :class:`GameError` where it was not."""
    read_host(folder)
    if moved_from(folder) is None:
        raise GameError.saying("not-moved", "this club was not packed to move; it is here", file=str(folder))
    if state is not None:
        with suppress(GameError, OSError):
            Apart(folder, state).stays()
    remove(folder / MOVED)
