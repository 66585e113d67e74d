"""What hangs on nothing but the program is made once and kept, in the folder this system has for such things.

A thing that was kept is used only by the program that made it: its folder is named after the *mark* of all files of
the program and its data, with their sizes and times, and of Python. Whoever changes one of them, or puts another
version there, gets another mark. Whatever cannot be read, is damaged or may not be written is made as if nothing had
been kept. Nothing here is needed: the folder may be removed at any time.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, lru_cache, update_wrapper
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")

PROGRAM = Path(__file__).resolve().parents[1]
"""The folder of the package; beside it lie, in a checkout or an installation, those of :data:`PARTS`."""
PARTS = ("pbem", "vassal", "templates")
SOURCE = ".py"
KINDS = (SOURCE, ".toml", ".j2", ".js", ".css")
TIMES_TELL = os.name == "posix"
"""Whether a file has a time without which its content cannot change, whatever its other time is set to. Where it has
none its content is read, but for sources, of which Python itself asks no more than size and time: they are four files
of five, and on Windows a scanner looks into each one that is opened.
"""
SETTLED_NS = 2_000_000_000
"""A file changed less than two seconds ago may be changed again without its time telling."""
MOST_PROGRAMS = 4
"""Of so many programs (or states of one) is kept what they made; whoever changes data files makes many."""
_DIGEST = hashlib.sha256().digest_size
_marked: dict[str, str] = {}
"""What the files of the program held as they were marked, where their times do not tell."""


def kept(
    name: str, make: Callable[[], T], write: Callable[[T], bytes], read: Callable[[bytes], T], of: Path | None = None
) -> T:
    """The thing of that name: what ``read`` makes of what was kept, or what ``make`` makes, which is then kept.

    ``make`` may ask for nothing but the program's own files, and ``name`` is a file's name. What does not come out of
    ``write`` and ``read`` as it was is not kept. ``of`` is the file that it is made of, where that is one alone.
    """
    folder = _folder()
    if folder is None:
        return make()
    file = folder / name
    body = _body(file)
    if body is not None:
        try:
            return read(body)
        except Exception:  # whatever another library makes of it, it can be made anew
            pass
    made = make()
    body = write(made)
    with contextlib.suppress(Exception):
        if read(body) == made and _unchanged(folder, of):
            _put(file, hashlib.sha256(body).digest() + body)
    return made


def kept_texts(function: Callable[[str], str]) -> Callable[[str], str]:
    """A function of texts that come from the program's own files: what it makes of each is kept."""

    @lru_cache(maxsize=16)
    def told(text: str) -> str:
        named = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return kept(f"{function.__name__}-{named}", lambda: function(text), str.encode, bytes.decode)

    return update_wrapper(told, function)


def kept_text(function: Callable[[], str]) -> Callable[[], str]:
    """A function of nothing: its text is made of the program's own files, and kept under its name."""

    @cache
    def told() -> str:
        return kept(function.__name__, function, str.encode, bytes.decode)

    return update_wrapper(told, function)


def cache_folder() -> Path | None:
    """Where this account keeps what can be made anew; nothing where it has no home."""
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if home:
        return Path(home) / "pbem" / "kept"
    try:
        own = Path.home()
    except RuntimeError:
        return None
    return own.joinpath(*(("Library", "Caches") if sys.platform == "darwin" else (".cache",)), "pbem", "kept")


@cache
def _folder() -> Path | None:
    """The folder of what this program made; nothing where its files cannot be told from others."""
    home = cache_folder()
    try:
        found = mark(PROGRAM.parent)
    except OSError:
        return None
    return home / found if home is not None and found else None


def mark(place: Path) -> str:
    """What tells the program whose parts lie in ``place`` from any other; nothing while its files are changing.

    Raises OSError where they are no files.
    """
    told = [sys.version, msgspec.__version__]
    newest = 0
    for part in PARTS:
        for path, at in _files(str(place / part)):
            if TIMES_TELL:
                newest = max(newest, at.st_ctime_ns)
                told.append(f"{path} {at.st_size} {at.st_mtime_ns} {at.st_ctime_ns} {at.st_ino}")
            elif path.endswith(SOURCE):
                newest = max(newest, at.st_mtime_ns)
                told.append(f"{path} {at.st_size} {at.st_mtime_ns}")
            else:
                _marked[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
                told.append(f"{path} {_marked[path]}")
    if newest > time.time_ns() - SETTLED_NS or len(told) == 2:
        return ""
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _unchanged(folder: Path, of: Path | None) -> bool:
    """Whether what a thing was made of is still what the mark was made of: where no time tells, a file that was changed
    meanwhile may be changed back, and then has its mark again.
    """
    if TIMES_TELL:
        return True
    if of is None:
        return mark(PROGRAM.parent) == folder.name
    return hashlib.sha256(of.read_bytes()).hexdigest() == _marked.get(str(of))


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:  # an installed program has its templates in the package
        return
    for entry in entries:
        if entry.name.endswith(KINDS):
            yield entry.path, entry.stat()
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            yield from _files(entry.path)


def _body(file: Path) -> bytes | None:
    """What was kept in a file; nothing if there is none, or if it is not as it was written."""
    try:
        found = file.read_bytes()
    except OSError:
        return None
    body = found[_DIGEST:]
    return body if hashlib.sha256(body).digest() == found[:_DIGEST] else None


def _put(file: Path, content: bytes) -> None:
    """Put a file in its place in one step, so that whoever reads at the same time finds it whole or not at all."""
    import tempfile  # with all that it brings along: most commands find everything made

    try:
        new = not file.parent.is_dir()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".new")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        Path(name).replace(file)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
    if new:
        _forget(file.parent)


def _forget(here: Path) -> None:
    """Remove what programs kept that have not been used for longest."""
    with contextlib.suppress(OSError):
        folders = sorted((path for path in here.parent.iterdir() if path.is_dir() and path != here), key=_time)
        for old in folders[: -MOST_PROGRAMS + 1]:
            for file in old.iterdir():
                file.unlink()
            old.rmdir()


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns
