"""Reading and writing the files of a game: whole or not at all, and every refusal in one sentence."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from threading import Thread
from typing import Any, Final, ParamSpec, TypeVar

import msgspec

from pbem.data.files import MOST_TOML_BYTES
from pbem.faults import Fault, GameError
from pbem.orders.charset import no_plain_text, text_of
from pbem.values.patterns import regex

Given = ParamSpec("Given")
Made = TypeVar("Made")

PAUSES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""Seconds to wait before each new attempt on a file that another program has open; about one in all."""

IN_USE, NO_PERMISSION, UNWRITABLE = "in-use", "no-permission", "unwritable"
CANNOT_WRITE: Final = frozenset((IN_USE, NO_PERMISSION, UNWRITABLE))
"""The codes of what the operating system refused: the same may be done later."""

REPORTS_LATE: Final = "reports-late"
"""The code of what follows with the next command."""

LARGEST_ORDER_FILE = 1_000_000
"""Bytes; an order file of a whole fleet has some ten thousand."""


def write_bytes(path: Path, data: bytes, *, private: bool = False) -> None:
    """Put a file in place whole: a reader sees the old one or the new one, whenever the machine stops.

    ``private`` files, and the folders that are made for them, are for the host's own account only, from the moment they
    are there, as far as the system knows such a thing; others are what the account's umask makes them. A device or a
    pipe (``/dev/stdout``) is written to: putting a file in its place would take it from everybody. Raises
    :class:`GameError` where the folder or the file cannot be written.
    """
    mode = 0
    with suppress(OSError):  # most are not there yet; whether one can be written is seen when it is
        mode = path.stat().st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        write_all({path: data}, private=private)
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise cannot("write", path, error) from error


def write_all(files: Mapping[Path, bytes], *, private: bool = False) -> None:
    """Put several files in place, each of them whole as :func:`write_bytes` does, in the order in which they are named:
    none is there before all are on the disk, which is waited for once and not for each.
    """
    made: list[tuple[Path, Path]] = []
    path = next(iter(files), Path())
    try:
        try:
            with ExitStack() as open_files:
                handles = []
                for path, data in files.items():
                    handle, temporary = _temporary(path, private=private)
                    made.append((path, temporary))
                    file = open_files.enter_context(os.fdopen(handle, "wb"))
                    file.write(data)
                    file.flush()
                    handles.append(handle)
                _sync_all(handles)
            for path, temporary in made:
                patiently(temporary.replace, path)
        except BaseException:
            for _, temporary in made:
                with suppress(OSError):  # what went wrong before is what counts; `sweep` takes it away
                    patiently(temporary.unlink, missing_ok=True)
            raise
    except OSError as error:
        raise cannot("write", path, error) from error


def patiently(do: Callable[Given, Made], *args: Given.args, **more: Given.kwargs) -> Made:
    """Move or remove a file; where another program has it open, again and again for about a second.

    On Windows virus scanners, cloud folders and preview windows hold fresh files for tenths of a second. Raises
    ``OSError`` as ``do`` does.
    """
    for pause in PAUSES:
        try:
            return do(*args, **more)
        except OSError as error:
            if not is_held(error):
                raise
        time.sleep(pause)
    return do(*args, **more)


def is_held(error: OSError) -> bool:
    """Whether a refusal may pass: Windows says the same of what is forbidden and what another program has open."""
    return isinstance(error, PermissionError) and (os.name == "nt" or getattr(error, "winerror", None) is not None)


@contextmanager
def unsynced() -> Iterator[None]:
    """Within this nobody waits for the disk: for folders that are of no use once this process has ended."""
    token = _WAITS.set(False)
    try:
        yield
    finally:
        _WAITS.reset(token)


_WAITS: ContextVar[bool] = ContextVar("waits", default=True)


def sync(handle: int) -> None:
    """What was written to an open file is on the disk when this returns."""
    if not _WAITS.get():
        return
    os.fsync(handle)
    with suppress(ImportError, AttributeError, OSError):  # macOS alone tells the disk itself to write, and only so
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]


def _sync_all(handles: Sequence[int]) -> None:
    """:func:`sync` of many files at once: a disk writes them together where it would write one after the other."""
    if not _WAITS.get():
        return
    if hasattr(os, "posix_fadvise"):
        for handle in handles:  # who says that nobody will read it has it written from now on, and need not wait
            with suppress(OSError):
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        for handle in handles:
            sync(handle)
        return
    refused: list[BaseException] = []

    def one(handle: int) -> None:
        try:
            sync(handle)
        except BaseException as error:
            refused.append(error)

    others = [Thread(target=one, args=(handle,)) for handle in handles[1:]]
    for thread in others:
        thread.start()
    for handle in handles[:1]:
        one(handle)
    for thread in others:
        thread.join()
    if refused:
        raise refused[0]


def _temporary(path: Path, *, private: bool) -> tuple[int, Path]:
    """A new file beside ``path``, opened to be written, and the folder where it is missing; ``tempfile`` would not ask
    the umask.
    """
    # What Python opens is this process's alone (PEP 446).
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        # With the longest names of files there is no room for the whole of one.
        temporary = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}.tmp")
        try:
            return os.open(temporary, flags, 0o600 if private else 0o666), temporary
        except FileExistsError:
            pass  # the next name made up is another one
        except (FileNotFoundError, NotADirectoryError):
            if path.parent.is_dir():
                raise
            make_folder(path.parent, private=private)


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder and those above it, where they are missing; ``private`` as for :func:`write_bytes`. Raises
    ``OSError``.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent, private=private)
    folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """:func:`write_bytes` of UTF-8 text."""
    write_bytes(path, text.encode("utf-8", errors="replace"), private=private)


def keep(path: Path, value: Any, *, indent: bool = False) -> None:
    """Write JSON that only the host may read, in lines for people if it is to be ``indent``-ed."""
    data = msgspec.json.encode(value)
    write_bytes(path, in_lines(data) if indent else data + b"\n", private=True)


def in_lines(data: bytes) -> bytes:
    """JSON as a file that people may look into."""
    return msgspec.json.format(data, indent=1) + b"\n"


def read_kept(path: Path, kind: type[Made]) -> Made | None:
    """What :func:`keep` wrote; ``None`` where there is no file, or a damaged one."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError):
        return None


def json_in(data: bytes, kind: type[Made], code: str, damaged: str, file: Path | str) -> Made:
    """What stands in a JSON file. Raises :class:`GameError`: that it is ``damaged``, and where."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise GameError.saying(code, f"{damaged}: {error}", file=str(file)) from error


def remove(path: Path) -> None:
    """Take a file away, if it is there. Raises :class:`GameError` where that cannot be."""
    try:
        patiently(path.unlink, missing_ok=True)
    except OSError as error:
        raise cannot("write", path, error) from error


def sweep(folder: Path) -> None:
    """Take away what commands that were killed while writing left behind; only for who holds the lock of
    the folder.
    """
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as inside:
            for one in inside:
                if one.is_dir(follow_symlinks=False):
                    waiting.append(one.path)
                elif one.name.startswith(".") and one.name.endswith(".tmp"):
                    with suppress(OSError):
                        Path(one.path).unlink()  # whoever holds it now may be gone the next time


@contextmanager
def in_the_log(where: Path) -> Iterator[None]:
    """Within this is written what is made of the log, in which the thing itself stands by then. Raises
    :class:`GameError` which says so, where it cannot be written.
    """
    try:
        yield
    except GameError as error:
        codes = {fault.code for fault in error.faults}
        if not codes & CANNOT_WRITE or REPORTS_LATE in codes:
            raise
        said = "what was to be done is done and in the log; the reports of it follow with the next command"
        raise GameError(*error.faults, Fault(code=REPORTS_LATE, text=said, file=str(where))) from error


def read_bytes(path: Path, most: int = -1) -> bytes:
    """A file's content, or the first ``most`` bytes of it. Raises :class:`GameError` where it is missing or cannot be
    read.
    """

    def content() -> bytes:
        with path.open("rb") as file:
            return file.read(most)

    try:
        try:
            return content()
        except PermissionError:
            if path.is_dir():  # which it stays, however often it is tried
                raise
            return patiently(content)
    except OSError as error:
        raise cannot("read", path, error) from error


def read_toml_file(path: Path) -> bytes:
    """The content of a TOML file. Raises :class:`GameError` where it is longer than any may be, and like
    :func:`read_bytes`.
    """
    data = read_bytes(path, MOST_TOML_BYTES + 1)
    if len(data) > MOST_TOML_BYTES:
        text = f"the file has more than {MOST_TOML_BYTES} bytes, the most for a TOML file"
        raise GameError.saying("file-too-long", text, file=str(path))
    return data


def read_head(mail: Path) -> bytes:
    """The headers of a mail of ours, of which most is attached. Raises :class:`GameError` like :func:`read_bytes`."""
    try:
        with mail.open("rb") as file:
            head, end, _ = file.read(_HEAD).partition(_END)
    except OSError:
        end = b""
    return head if end else read_bytes(mail).partition(_END)[0]


_HEAD, _END = 8192, b"\r\n\r\n"


Mark = tuple[str, int, int, int]
"""A file: its name, inode, time in nanoseconds and length."""


def marks(folder: str, names: Iterable[str]) -> list[Mark]:
    """Files that are replaced are others: their inode tells, even within one tick of the clock."""
    found: list[Mark] = []
    look, add = os.stat, found.append
    for name in names:
        try:
            one = look(f"{folder}/{name}")  # half of the time went into making paths
        except OSError:
            continue
        add((name, one.st_ino, one.st_mtime_ns, one.st_size))
    return found


def cannot(do: str, path: Path, error: OSError) -> GameError:
    """The sentence for an operating system's refusal to ``read`` or ``write``."""
    if isinstance(error, FileNotFoundError):
        return GameError.saying("no-such-file", "there is no such file or folder", file=str(path))
    if isinstance(error, IsADirectoryError) or (isinstance(error, PermissionError) and path.is_dir() and do == "read"):
        return GameError.saying("is-a-folder", "a file is wanted here, and this is a folder", file=str(path))
    if is_held(error):
        text = (
            f"cannot {do} this, which another program seems to have open: the program that shows it, a preview window, "
            "a virus scanner, OneDrive or Dropbox; it is as it was. Close it there and try again"
        )
        return GameError.saying(IN_USE, text, file=str(path))
    if isinstance(error, PermissionError):
        text = (
            f"there is no permission to {do} this; it is as it was. Give your account the right to {do} there, or work "
            "on a copy elsewhere"
        )
        return GameError.saying(NO_PERMISSION, text, file=str(path))
    why = error.strerror or str(error)
    return GameError.saying("unreadable" if do == "read" else UNWRITABLE, f"cannot {do} this: {why}", file=str(path))


def read_order_file(path: Path, name: str = "") -> str:
    """The text of an order file, whatever mail program wrote it, with plain line ends.

    ``name`` is what faults call it. Raises :class:`GameError` for folders, missing, huge and binary files.
    """
    name = name or str(path)
    try:
        if path.is_dir():
            raise IsADirectoryError(name)
        size = path.stat().st_size
        with path.open("rb") as file:
            data = file.read(LARGEST_ORDER_FILE + 1)
    except OSError as error:
        raise cannot("read", path, error) from error
    if len(data) > LARGEST_ORDER_FILE:
        raise GameError.saying(
            "file-too-long", f"the file has {max(size, len(data))} bytes; {LARGEST_ORDER_FILE} is the most", file=name
        )
    return decode_orders(data, name)


def decode_orders(data: bytes, name: str) -> str:
    """Bytes of an order file as text, whichever program wrote it. Raises :class:`GameError` where they are none."""
    why = no_plain_text(data)
    if why:
        raise GameError.saying("not-text", f"this file {why}", file=name)
    text = text_of(data)
    if "\0" in text:
        raise GameError.saying("not-text", "this is no text file: orders are plain text", file=name)
    return text.replace("\r\n", "\n").replace("\r", "\n")


_DEVICE = regex(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def is_device(name: str) -> bool:
    """Whether Windows takes a file of this name for a device: a game must be playable on every system."""
    return bool(_DEVICE.fullmatch(name))
