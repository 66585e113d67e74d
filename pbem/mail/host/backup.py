"""A club in one file, and back from it: ``pbem host backup`` and ``pbem host restore``.

A backup is taken while no round works on the folder and no letter is taken in; each game is copied while no other
command works on it. So whatever is in it was so at one moment, as far as one game and the post can tell. It holds the
secrets of the dice and the tokens, and is for the host's own account alone.

To put one back the folder that is there is moved aside, never changed: it is the only one that knows what was done
since. The one that is put back says so (``mail/put-back.json``), and its web links are new ones. Nothing is played in
it before the umpire has said that it is the one to go on with. What comes then is told in :mod:`pbem.mail.host.apart`.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.proof.restored import CLUB_PUT_BACK
from pbem.games.storage.files import cannot, keep, patiently, read_kept, remove
from pbem.games.storage.lock import locked
from pbem.mail.door import renew_all
from pbem.mail.host.apart import PutBack
from pbem.mail.incoming.ledger import held
from pbem.mail.settings import FILE, game_folders, read_host

TOP: Final = "club"
"""The folder all files of a backup lie in."""
MOVED: Final = "mail/moved.json"
"""Where a club's folder says that it was packed to move."""


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A backup: its ``file``, how many files are in it, and what is not (folders that are links to elsewhere)."""

    file: str
    files: int
    left_out: tuple[str, ...] = ()


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """A folder that was put back, and where the one that was there lies now (``""`` where there was none). ``moved``
    says that it was packed to go on here.
    """

    folder: str
    aside: str = ""
    moved: bool = False


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """A club that was packed into ``file`` to go on elsewhere: its folder here does nothing any more."""

    at: datetime
    file: str


def moved_from(folder: Path) -> Moved | None:
    """When a club moved away from its folder, if it did."""
    return read_kept(folder / MOVED, Moved)


def backup(folder: Path, file: Path) -> Backup:
    """Write a club's folder into a ``.tar.gz``, whole or not at all. Raises :class:`GameError` where it is no host's,
    where a round or a command works on it, or where the file cannot be written.
    """
    read_host(folder)
    if file.absolute().is_relative_to(folder.absolute()):
        text = "a backup within the folder would be in the next one too; name a file elsewhere"
        raise GameError.saying("backup", text, file=str(file))
    if file.exists():
        raise GameError.saying("not-empty", "there is such a file already; it was left as it is", file=str(file))
    half = file.with_name(f".{file.name}.half")
    found, left = 0, list[str]()
    try:
        with locked(folder, "host backup"), held(folder / "mail"):
            remove(half)
            with os.fdopen(os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                with tarfile.open(fileobj=out, mode="w:gz", dereference=True) as tar:
                    for path in _all_of(folder, left):
                        found += path.is_file()
                        tar.add(path, f"{TOP}/{path.relative_to(folder).as_posix()}", recursive=False)
                out.flush()
                os.fsync(out.fileno())
            patiently(half.replace, file)
    except OSError as error:
        raise cannot("write", file, error) from error
    finally:
        with suppress(GameError):
            remove(half)
    return Backup(file=str(file), files=found, left_out=tuple(left))


def _all_of(folder: Path, left: list[str]) -> Iterator[Path]:
    """Every folder and file of a club; the games one after the other, each while it is locked."""
    games = game_folders(folder)
    yield from _under(folder, set(games), left)
    for game in games:
        with locked(game, "host backup"):
            yield game
            yield from _under(game, set(), left)


def _under(folder: Path, without: set[Path], left: list[str]) -> Iterator[Path]:
    for home, folders, files in os.walk(folder):
        here = Path(home)
        for name in list(folders):
            path = here / name
            if path in without or (name.startswith(".") and name.endswith((".new", ".tmp"))):
                folders.remove(name)  # the second: a game or a clone that is being made, by half
            elif path.is_symlink():
                left.append(str(path))
            else:
                yield path
        for name in files:
            if name.endswith((".lock", ".tmp")):
                continue  # locks are for those who are at work now, and half-written files are nobody's
            if (here / name).is_file():
                yield here / name
            else:
                left.append(str(here / name))


def restore(file: Path, folder: Path, now: datetime) -> Restored:
    """Put a club back from its backup. A folder that is there is moved aside, but for its inbox, which stays the one
    letters come to. Stopped at any moment, the same command goes on.

    Raises :class:`GameError` where the file is no backup, or a round works on the folder that is there.
    """
    ready = folder.with_name(f".{folder.name}.restored")
    half = folder.with_name(f".{folder.name}.unpacking")
    aside = folder.with_name(f"{folder.name}.before-{now:%Y%m%d-%H%M%S}")
    moved = False
    try:
        if folder.exists() or not ready.exists():
            for path in (half, ready):
                if path.exists():
                    shutil.rmtree(path)
            _unpack(file, half)
            moved = moved_from(half / TOP) is not None
            remove(half / TOP / MOVED)
            keep(half / TOP / CLUB_PUT_BACK, PutBack(at=now, moved=moved), indent=True)
            if not moved:
                renew_all(half / TOP / "mail")
            if (folder / FILE).is_file():
                with locked(folder, "host restore"):
                    _keep_inbox(folder, half / TOP)
            patiently((half / TOP).replace, ready)
            patiently(half.rmdir)
        was = folder.exists()
        if was:
            patiently(folder.replace, aside)
        patiently(ready.replace, folder)
    except OSError as error:
        raise cannot("write", folder, error) from error
    return Restored(folder=str(folder), aside=str(aside) if was else "", moved=moved)


def _unpack(file: Path, into: Path) -> None:
    try:
        with tarfile.open(file, "r:gz") as tar:
            members = tar.getmembers()
            strange = [one.name for one in members if not _is_ours(one)]
            if strange or f"{TOP}/{FILE}" not in tar.getnames():
                text = f"this is no backup of a club: {strange[0] if strange else f'it has no {FILE}'}"
                raise GameError.saying("backup", text, file=str(file))
            into.mkdir(mode=0o700, parents=True)
            for one in members:
                one.mode &= 0o755
            # Python before 3.11.4 has no filters and looks at none; what `_is_ours` and the mode let by needs none.
            tar.extraction_filter = getattr(tarfile, "tar_filter", None)
            tar.extractall(into, members=members)
            (into / TOP).chmod(0o700)
    except (tarfile.TarError, EOFError) as error:
        raise GameError.saying("backup", f"this backup cannot be read: {error}", file=str(file)) from error
    except FileNotFoundError as error:
        raise GameError.saying("backup", "there is no such file", file=str(file)) from error


def _is_ours(one: tarfile.TarInfo) -> bool:
    """Whether a member is a plain file or folder below the top: nothing is unpacked anywhere else."""
    parts = one.name.split("/")
    return (one.isreg() or one.isdir()) and parts[0] == TOP and ".." not in parts and "\\" not in one.name


def _keep_inbox(old: Path, new: Path) -> None:
    """Letters that came since lie in the old folder, where the inbox is within it."""
    place = read_host(old).inbox.get("path")
    if not isinstance(place, str) or Path(place).is_absolute() or ".." in Path(place).parts:
        return
    mine, theirs = old / place, new / place
    if mine.is_dir():
        shutil.rmtree(theirs, ignore_errors=True)
        shutil.copytree(mine, theirs)
    elif mine.is_file():
        shutil.copy2(mine, theirs)
