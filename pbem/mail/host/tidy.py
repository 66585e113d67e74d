"""Delete or pack files in a club's folder that are no longer needed.

The command ``pbem host tidy`` does this, and the host does it once a day if its host.toml has ``keep``. Logs, orders,
dice, journals, received emails, archives and the current request for orders are never touched. Sent emails are packed
after a day, and their archives are deleted after ``keep``. So are emails in quarantine and failed emails. Old reports
keep their text; their other files are deleted, since they can be made again.
"""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import cannot, read_bytes, remove, write_bytes
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import slim
from pbem.mail.host.deadlines import span
from pbem.mail.host.trouble import read_heartbeat
from pbem.mail.incoming.ledger import held
from pbem.mail.settings import broken_by, game_folders, read_host
from pbem.mail.store import keep_fact, opened as database, read_fact
from pbem.mail.transport.outbox import FOLDER, GIVEN_UP, MAIL, PACK, PACKED

FACT: Final = "tidied"
FRESH: Final = timedelta(days=1)
"""Files that are younger than this are not changed."""
DAILY: Final = timedelta(days=1)
_PRESET: Final = 2
_NAMED: Final = "%Y%m%d-%H%M%S"


class Tidied(msgspec.Struct, frozen=True, kw_only=True):
    """The result of tidying a club's folder.

    The first three attributes are pairs: the number of files, and the bytes saved.

    Attributes:
        reports: Reports that were reduced to their text.
        packed: Sent emails that were packed.
        old: Files that were deleted because they were too old.
        troubles: Games that could not be opened, each with the reason.
    """

    reports: tuple[int, int] = (0, 0)
    packed: tuple[int, int] = (0, 0)
    old: tuple[int, int] = (0, 0)
    troubles: tuple[str, ...] = ()

    @property
    def freed(self) -> int:
        """Number of bytes freed altogether."""
        return self.reports[1] + self.packed[1] + self.old[1]


class _Done(msgspec.Struct, frozen=True, kw_only=True):
    """The stored time at which the host tidied last."""

    at: datetime


def tidy(folder: Path, now: datetime, span_kept: str = "", *, dry: bool = False) -> Tidied:
    """Tidy a club's folder while its host is locked out, and return what was done.

    Args:
        folder: The club's folder.
        now: The time.
        span_kept: Replaces the setting ``keep`` of host.toml, such as ``60 days``.
        dry: Whether to report only what would be done.

    Raises:
        GameError: The text is not a length of time, or neither ``span_kept`` nor host.toml has one.
    """
    length = span_kept or read_host(folder).keep
    kept = span(length)
    if kept is None:
        text = (
            f"write a length of time, like '60 days', not {length!r}"
            if length
            else "add --keep SPAN: host.toml has no `keep`"
        )
        raise GameError.saying("keep", text, file=str(folder))
    with locked(folder, "host tidy"), held(folder / MAIL):
        done = _post(folder, now, kept, dry=dry)
    troubles, sizes = [], []
    before = _told_before(folder, now)
    for game in game_folders(folder):
        try:
            with opened(game, lock="host tidy") as opened_game:
                sizes += list(slim(opened_game, before, dry=dry))
        except (GameError, OSError) as error:
            troubles.append(f"{game.name}: {broken_by(error)}")
    return msgspec.structs.replace(done, reports=(len(sizes), sum(sizes)), troubles=tuple(troubles))


def daily(
    folder: Path, now: datetime, kept: str, safely: Callable[[Path, Callable[[GameFolder], None]], object]
) -> None:
    """Tidy a club's folder during a round of the host, at most once a day.

    ``kept`` is the setting ``keep`` of host.toml. The function ``safely`` opens a game, and reports errors in it.
    """
    limit, before = span(kept), read_fact(folder / MAIL, FACT, _Done)
    if limit is None or (before is not None and before.at <= now < before.at + DAILY):
        return
    with held(folder / MAIL):
        _post(folder, now, limit)
    moment = _told_before(folder, now)

    def lighter(game: GameFolder) -> None:
        for _ in slim(game, moment):
            pass

    for game in game_folders(folder):
        safely(game, lighter)
    keep_fact(folder / MAIL, FACT, _Done(at=now))


def _told_before(folder: Path, now: datetime) -> float:
    """Return a time (seconds since 1970); reports written before it have certainly been sent."""
    heartbeat = read_heartbeat(folder)
    last = heartbeat.done or heartbeat.at
    return (min(last, now) - FRESH).timestamp() if last is not None else 0.0


def _post(folder: Path, now: datetime, kept: timedelta, *, dry: bool = False) -> Tidied:
    sent = folder / MAIL / FOLDER / "sent"
    mails = [path for path in _older(sent, now - FRESH) if path.suffix == ".eml"]
    # The name of an archive contains its time, because copying a folder may change the dates of its files.
    old = [path for path in sorted(sent.glob(f"*{PACK}")) if path.name < f"{now - kept:{_NAMED}}"]
    for name in ("quarantine", f"{FOLDER}/failed", f"{FOLDER}/{GIVEN_UP}"):
        old += list(_older(folder / MAIL / name, now - kept))
    packed = sum(path.stat().st_size for path in mails)
    gone = sum(path.stat().st_size for path in old)
    if not dry:
        if mails:
            packed -= _pack(sent, mails, now)
        with database(folder / MAIL) as store:
            for path in old:
                remove(path)
                store.keep_failure(path.name, "")
    return Tidied(packed=(len(mails), packed), old=(len(old), gone))


def _older(folder: Path, than: datetime) -> Iterator[Path]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_file() and path.stat().st_mtime < than.timestamp():
            yield path


def _pack(sent: Path, mails: list[Path], now: datetime) -> int:
    """Put emails into one archive, record their names for the outbox, and return the archive's size.

    The size is in bytes. The files of the emails are deleted.
    """
    buffer = io.BytesIO()
    try:
        with tarfile.open(fileobj=buffer, mode="w") as tar:
            for path in mails:
                tar.add(path, path.name)
    except OSError as error:
        raise cannot("read", sent, error) from error
    data = lzma.compress(buffer.getvalue(), preset=_PRESET)
    write_bytes(sent / f"{now:{_NAMED}}{PACK}", data, private=True)
    names = sent / PACKED
    listed = read_bytes(names) if names.is_file() else b""
    write_bytes(names, listed + "".join(f"{path.name}\n" for path in mails).encode(), private=True)
    for path in mails:
        remove(path)
    return len(data)
