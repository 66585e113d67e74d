"""A cache on disk for results that depend only on the program's own files.

The cache lies in the cache folder of the user's account. Every program version has a folder of its own there. The
name of that folder is a fingerprint of all program and data files (sizes and times) and of the Python version. A
changed file therefore means a new folder. An entry that cannot be read, is damaged or cannot be written is computed
as if there were no cache. The folder may be deleted at any time.
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
"""The folder of the package. The other folders of :data:`PARTS` are beside it, in a checkout or an installation."""
PARTS = ("pbem", "vassal", "templates")
SOURCE = ".py"
KINDS = (SOURCE, ".toml", ".j2", ".js", ".css")
TIMES_TELL = os.name == "posix"
"""True if every file has a change time that cannot be set by hand, so that times and size prove its content.

On other systems (Windows) the content of each file is read, except for Python sources. For these, Python itself
trusts size and time. They are four files of five, and on Windows a virus scanner looks into each file that is
opened.
"""
SETTLED_NS = 2_000_000_000
"""A file changed less than two seconds ago (in nanoseconds) may change again without a new time."""
MOST_PROGRAMS = 4
"""How many program versions keep a cache folder. Each change of a data file makes a new version."""
_DIGEST = hashlib.sha256().digest_size
_marked: dict[str, str] = {}
"""The SHA-256 of each file when the fingerprint was taken, by path; used where times prove nothing."""


def cached(
    name: str, make: Callable[[], T], write: Callable[[T], bytes], read: Callable[[bytes], T], of: Path | None = None
) -> T:
    """Return a cached object, or make it, cache it and return it.

    Args:
        name: The file name of the entry.
        make: Makes the object. It may depend on the program's own files only.
        write: Turns the object into bytes.
        read: Turns the bytes into the object. An object that does not survive ``write`` and ``read`` is not cached.
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
        except Exception:  # whatever another library makes of it, it can be made anew
            pass
    made = make()
    body = write(made)
    with contextlib.suppress(Exception):
        if read(body) == made and _unchanged(folder, of):
            _put(file, hashlib.sha256(body).digest() + body)
    return made


def cached_texts(function: Callable[[str], str]) -> Callable[[str], str]:
    """Decorate a function from text to text so that its results are cached on disk.

    The texts must come from the program's own files. The file name of an entry contains a hash of the text.
    """

    @lru_cache(maxsize=16)
    def told(text: str) -> str:
        named = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        return cached(f"{function.__name__}-{named}", lambda: function(text), str.encode, bytes.decode)

    return update_wrapper(told, function)


def cached_text(function: Callable[[], str]) -> Callable[[], str]:
    """Decorate a function without arguments so that its text is cached on disk under the function's name.

    The text must depend on the program's own files only.
    """

    @cache
    def told() -> str:
        return cached(function.__name__, function, str.encode, bytes.decode)

    return update_wrapper(told, function)


def cache_folder() -> Path | None:
    """Return the cache folder in this user's account, or ``None`` if the account has no home folder."""
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
    """Return the fingerprint of the program in folder ``place``, or ``""`` while its files are changing.

    Raises:
        OSError: The parts of the program are not files.
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
    """Return whether the files an object was made from are still those of the fingerprint.

    Where times prove nothing, a file may have been changed during the work and then changed back. Its fingerprint
    would then match again, so the content is compared.
    """
    if TIMES_TELL:
        return True
    if of is None:
        return program_fingerprint(PROGRAM.parent) == folder.name
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
    """Return the bytes stored in a cache file, or ``None`` if it is missing or its checksum is wrong."""
    try:
        found = file.read_bytes()
    except OSError:
        return None
    body = found[_DIGEST:]
    return body if hashlib.sha256(body).digest() == found[:_DIGEST] else None


def _put(file: Path, content: bytes) -> None:
    """Write a file in one step, so that a reader finds it complete or not at all."""
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
    """Delete the cache folders that were not used for the longest time; ``here`` is the current one."""
    with contextlib.suppress(OSError):
        folders = sorted((path for path in here.parent.iterdir() if path.is_dir() and path != here), key=_time)
        for old in folders[: -MOST_PROGRAMS + 1]:
            for file in old.iterdir():
                file.unlink()
            old.rmdir()


def _time(path: Path) -> int:
    return path.stat().st_mtime_ns
