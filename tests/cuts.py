"""Cutting a command off at any of its file operations, one after the other.

``operations(work, under=folder)`` says what a command does to the files of a folder; ``with cut_at(n, under=folder):``
lets it do the first ``n`` of these and then stops it: as a kill does (nothing is done any more, not even by handlers
that tidy up), or, with ``how=REFUSED``, by one refusal of the operating system. The operations are those of the
system's own functions, and the statements by which a database is written, so nothing a command does can be forgotten
here. Locks are not counted: the system takes them from a process that dies.

    for n in range(len(operations(work, under=copy()))):
        folder = copy()
        with cut_at(n, under=folder):
            work()
        ...
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout

ALL: Final = os.environ.get("PBEM_CUTS") == "all"
"""Whether the slow tests cut at every operation; a run that does not ask for it cuts at some that are spread evenly."""

SPREAD: Final = 12
"""How many these are."""

KILLED: Final = "killed"
REFUSED: Final = "refused"
_WRITES: Final = set("wax+")
_WRITTEN: Final = re.compile(
    r"BEGIN|COMMIT|INSERT( OR \w+)? INTO \w+|DELETE FROM \w+|UPDATE \w+|CREATE (TABLE|INDEX) \w+|PRAGMA user_version ="
)


class Killed(BaseException):
    """The process is dead: no handler for errors catches this."""


class Cut:
    """What was done so far (``done``, a line for each operation), and whether it came to the cut."""

    def __init__(self, at: int | None, under: Path, how: str) -> None:
        self.done: list[str] = []
        self.fell = False
        self._at, self._under, self._how = at, str(under.resolve()), how
        self._dead = False

    def step(self, what: str, *paths: object, fd: int | None = None) -> None:
        """An operation is about to be done. Raises :class:`Killed` or ``OSError`` if it is not to be."""
        if not (names := self._meant(paths)):
            return
        if self._dead or (self._at == len(self.done) and not self.fell):
            if fd is not None and not self._dead:
                # What is in no file for certain yet may be there by half.
                with suppress(OSError):
                    os.ftruncate(fd, os.fstat(fd).st_size // 2)
            self.fell = True
            if self._how == REFUSED:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), names[0])
            self._dead = True
            raise Killed(f"{what} {names[0]}")
        self.done.append(f"{what} {names[0][len(self._under) :].lstrip('/')}")

    def _meant(self, paths: tuple[object, ...]) -> list[str]:
        """The names of these files, where one is under the folder and they are no lock; none otherwise."""
        names = [name for path in paths if (name := self._name(path))]
        under = any(name.startswith(self._under) for name in names)
        return names if under and not names[0].endswith(".lock") else []

    @staticmethod
    def _name(path: object) -> str:
        if isinstance(path, int):
            with suppress(OSError):
                return str(Path(f"/proc/self/fd/{path}").readlink())
            return ""
        if isinstance(path, str | os.PathLike):
            # The folder's links are resolved, not the last name's.
            return str(Path(path).parent.resolve() / Path(path).name)
        return ""


@contextmanager
def _watched(cut: Cut) -> Iterator[None]:
    """The system's functions with ``cut`` in front of them."""
    was: list[tuple[Any, str, Any]] = []

    def put(room: Any, name: str, make: Callable[[Any], Any]) -> None:
        was.append((room, name, getattr(room, name)))
        setattr(room, name, make(getattr(room, name)))

    def named(what: str, places: int = 1) -> Callable[[Any], Any]:
        def make(real: Any) -> Any:
            def do(*args: Any, **more: Any) -> Any:
                # The second name first: that is what appears or is lost.
                if what != "mkdir" or not Path(args[0]).exists():
                    cut.step(what, *reversed(args[:places]))
                return real(*args, **more)

            return do

        return make

    def os_open(real: Any) -> Any:
        def do(path: Any, flags: int, *args: Any, **more: Any) -> Any:
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC):
                cut.step("open", path)
            return real(path, flags, *args, **more)

        return do

    def py_open(real: Any) -> Any:
        def do(file: Any, mode: str = "r", *args: Any, **more: Any) -> Any:
            if _WRITES & set(mode) and not isinstance(file, int):
                cut.step("open", file)
            return real(file, mode, *args, **more)

        return do

    def fsync(real: Any) -> Any:
        def do(fd: Any) -> Any:
            number = fd if isinstance(fd, int) else fd.fileno()
            cut.step("fsync", number, fd=number)
            return real(fd)

        return do

    def connect(real: Any) -> Any:
        def do(file: Any, *args: Any, **more: Any) -> Any:
            class Watched(sqlite3.Connection):
                def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
                    if what := _WRITTEN.match(sql):
                        try:
                            cut.step(what[0], file)
                        except OSError as error:
                            full = sqlite3.OperationalError("database or disk is full")
                            full.sqlite_errorcode = sqlite3.SQLITE_FULL
                            raise full from error
                    return super().execute(sql, *values)

            return real(file, *args, **{"factory": Watched, **more})

        return do

    try:
        put(sqlite3, "connect", connect)
        for name in ("unlink", "remove", "rmdir", "mkdir", "chmod", "utime", "truncate", "ftruncate"):
            put(os, name, named(name))
        for name in ("rename", "replace", "link", "symlink"):
            put(os, name, named(name, 2))
        put(os, "open", os_open)
        put(os, "fsync", fsync)
        put(io, "open", py_open)
        put(builtins, "open", py_open)
        yield
    finally:
        for room, name, real in reversed(was):
            setattr(room, name, real)


def places(count: int, most: int | None = None) -> list[int]:
    """The operations, of ``count``, before which a test cuts: the same ``most`` of them every time, the first and the
    last among them; a slow test names no number.
    """
    most = most or (count if ALL else SPREAD)
    if count <= most:
        return list(range(count))
    return sorted({round(n * (count - 1) / (most - 1)) for n in range(most)})


@contextmanager
def cut_at(n: int, *, under: Path, how: str = KILLED) -> Iterator[Cut]:
    """Cut what is done inside before its operation ``n`` (from 0) on files under a folder.

    A kill ends the block quietly; what a refusal makes of itself is left to whoever wrote the block.
    """
    cut = Cut(n, under, how)
    with suppress(Killed), _watched(cut):
        yield cut


def operations(work: Callable[[], object], *, under: Path) -> list[str]:
    """Every operation on files under a folder that ``work`` does, in order; it is done."""
    cut = Cut(None, under, KILLED)
    with _watched(cut):
        work()
    return cut.done


class _Unheld(Cut):
    """Notes only what is done to a game while nobody has its lock."""

    def step(self, what: str, *paths: object, fd: int | None = None) -> None:
        if not (names := self._meant(paths)):
            return
        lock = FileLock(Path(self._under) / "secret" / "game.lock", is_singleton=False)
        with suppress(Timeout), lock.acquire(blocking=False):
            self.done.append(f"{what} {names[0][len(self._under) :].lstrip('/')}")


def unheld(work: Callable[[], object], *, game: Path) -> list[str]:
    """Every operation on a game's files that ``work`` does while nobody holds the game's lock; it is done."""
    watch = _Unheld(None, game, KILLED)
    with _watched(watch):
        work()
    return watch.done
