"""A cache on disk for results that depend only on the program's own files.

The cache is in the cache folder of the user's account, with one folder for each version of the program. The name of
that folder is a fingerprint, i.e. a hash of the sizes and times of all program and data files and of the Python
version. Any changed file therefore leads to a new folder. If a cached result cannot be read or is damaged, it is
computed again. Users may delete the whole folder at any time.
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
"""The folder of the ``pbem`` package.

The other folders listed in :data:`PARTS` are next to it, both in a checkout and in an installation.
"""
PARTS = ("pbem", "vassal", "templates")
SOURCE = ".py"
KINDS = (SOURCE, ".toml", ".j2", ".js", ".css")
NOT_OURS = frozenset(("__pycache__", "node_modules", "src"))
"""Names of folders from which the program reads no files."""
TIMES_TELL = os.name == "posix"
"""True on systems where size and change time are enough to detect a changed file, since nobody can set that time.

Elsewhere (Windows) the content of each file is read and hashed, except for Python sources, where Python itself
trusts size and time. Sources are four files of five, and on Windows a virus scanner slows down each file that is
opened.
"""
SETTLED_NS = 2_000_000_000
"""Nanoseconds (two seconds) that must pass after a change before a file's change time can be trusted.

Within the resolution of the file system's clock a file may change twice with the same change time.
"""
MOST_PROGRAMS = 4
"""How many program versions keep a cache folder; the longest unused ones beyond that are deleted.

Each change of a data file counts as a new version.
"""
_DIGEST = hashlib.sha256().digest_size
_marked: dict[str, str] = {}
"""The SHA-256 of each file by path, as it was when the program's fingerprint was computed.

The dict is filled only on systems where :data:`TIMES_TELL` is false.
"""


def cached(
    name: str, make: Callable[[], T], write: Callable[[T], bytes], read: Callable[[bytes], T], of: Path | None = None
) -> T:
    """Return the object stored in the cache under ``name``; if there is none, make the object and store it.

    Args:
        name: The file name of the cache entry.
        make: The function that makes the object. Its result may depend only on the program's own files.
        write: The function that turns the object into bytes.
        read: The function that turns the bytes back into the object. An object that does not survive both functions
            is not cached.
        of: The file from which the object is made, if it is made from a single file.
    """
    folder = _folder()
    if folder is None:
        return make()
    file = folder / name
    body = _body(file)
    if body is not None:
        try:
            return read(body)
        except Exception:  # after any error the object is made again
            pass
    made = make()
    body = write(made)
    with contextlib.suppress(Exception):
        if read(body) == made and _unchanged(folder, of):
            _put(file, hashlib.sha256(body).digest() + body)
    return made


def cached_texts(function: Callable[[str], str]) -> Callable[[str], str]:
    """Decorate a function that takes a text and returns a text, so that its results are cached on disk.

    The argument of the function must come from the program's own files. The file name of a cache entry contains
    a hash of the text.
    """

    @lru_cache(maxsize=16)
    def told(text: str) -> str:
        named = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return cached(f"{function.__name__}-{named}", lambda: function(text), str.encode, bytes.decode)

    return update_wrapper(told, function)


def cached_text(function: Callable[[], str]) -> Callable[[], str]:
    """Decorate a function without arguments that returns a text, so that this text is cached on disk.

    The cache entry has the function's name. The text must depend on the program's own files only.
    """

    @cache
    def told() -> str:
        return cached(function.__name__, function, str.encode, bytes.decode)

    return update_wrapper(told, function)


def cache_folder() -> Path | None:
    """Return the program's cache folder in the user's account; ``None`` if the account has no home folder."""
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
    """Return the cache folder of this program version, or ``None`` if the program has no fingerprint."""
    home = cache_folder()
    try:
        found = program_fingerprint(PROGRAM.parent)
    except OSError:
        return None
    return home / found if home is not None and found else None


def program_fingerprint(place: Path) -> str:
    """Return the fingerprint (a hash) of all files of the program installed in folder ``place``.

    The result is ``""`` if a file changed within the last two seconds, because that file may still be changing.

    Raises:
        OSError: The program is not stored as ordinary files.
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
    """Return whether the files from which an object was made are the same as when the fingerprint was computed.

    If a file's change time cannot be trusted, its content is compared, because a file may have been changed while
    the object was made, and changed back afterwards.
    """
    if TIMES_TELL:
        return True
    if of is None:
        return program_fingerprint(PROGRAM.parent) == folder.name
    return hashlib.sha256(of.read_bytes()).hexdigest() == _marked.get(str(of))


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:  # an installed program has its templates in the package folder
        return
    for entry in entries:
        if entry.name.endswith(KINDS):
            yield entry.path, entry.stat()
        elif "." not in entry.name and entry.name not in NOT_OURS and entry.is_dir():
            yield from _files(entry.path)


def _body(file: Path) -> bytes | None:
    """Return the bytes stored in a cache file, or ``None`` if it is missing or its checksum is wrong."""
    try:
        found = file.read_bytes()
    except OSError:
        return None
    body = found[_DIGEST:]
    return body if hashlib.sha256(body).digest() == found[:_DIGEST] else None


def _put(file: Path, content: bytes) -> None:
    """Write a file in one step, so that other processes see either the complete file or none."""
    import tempfile  # imported here because it is slow to load and most commands write no cache file

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
        _delete_old(file.parent)


def _delete_old(here: Path) -> None:
    """Delete the least recently used cache folders, but never the current one (``here``)."""
    with contextlib.suppress(OSError):
        folders = sorted((path for path in here.parent.iterdir() if path.is_dir() and path != here), key=_time)
        for old in folders[: -MOST_PROGRAMS + 1]:
            for file in old.iterdir():
                file.unlink()
            old.rmdir()


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns
