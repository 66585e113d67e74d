"""Read and write a game's files atomically, and raise a one-sentence error for every failure.

The module also recognizes misnamed files, which happen in three ways: an editor appends ``.txt``, a cloud folder
keeps two versions, or a browser downloads a file of the same name again.
"""

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
from pbem.errors import Fault, GameError
from pbem.orders.mail_text import no_plain_text, text_of
from pbem.util import regex

Given = ParamSpec("Given")
Made = TypeVar("Made")

PAUSES: Final = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)
"""Seconds to wait before each new attempt on a file that is in use; about one second in total."""

IN_USE, NO_PERMISSION, UNWRITABLE = "in-use", "no-permission", "unwritable"
CANNOT_WRITE: Final = frozenset((IN_USE, NO_PERMISSION, UNWRITABLE))
"""Fault codes for write errors of the operating system; the same action may succeed later."""

REPORTS_LATE: Final = "reports-late"
"""Fault code for reports that could not be written now and that the next command will write."""

LARGEST_ORDER_FILE = 1_000_000
"""Maximum size of an order file in bytes; the orders of a whole fleet take about ten thousand."""


def write_bytes(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file atomically: a reader sees the old content or the new one, even after a crash.

    With ``private``, the file and the folders made for it are accessible only to the host's own account from the
    start, if the system supports that. Other files follow the account's umask. A device or pipe (``/dev/stdout``) is
    written to directly, because replacing it by a file would remove it for all programs.

    Raises:
        GameError: The folder or file cannot be written.
    """
    mode = 0
    with suppress(OSError):  # most files do not exist yet; other errors are reported by the write below
        mode = path.stat().st_mode
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        write_all({path: data}, private=private)
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise cannot("write", path, error) from error


def write_all(files: Mapping[Path, bytes], *, private: bool = False) -> None:
    """Write several files atomically in the given order, each as :func:`write_bytes` does.

    No file appears under its name before the data of all files are on the disk. Therefore only one wait for the disk
    is needed, instead of a wait for each file. Finally the folders are synchronized (:func:`sync_folder`).

    Raises:
        GameError: A folder or file cannot be written.
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
            for folder in dict.fromkeys(path.parent for path in files):
                sync_folder(folder)
        except BaseException:
            for _, temporary in made:
                with suppress(OSError):  # report the first error; `sweep` deletes the file later
                    patiently(temporary.unlink, missing_ok=True)
            raise
    except OSError as error:
        raise cannot("write", path, error) from error


def patiently(do: Callable[Given, Made], *args: Given.args, **more: Given.kwargs) -> Made:
    """Call ``do``, a function that moves or removes a file; retry for a second while the file is in use.

    On Windows, virus scanners, cloud folders and preview windows keep new files open for tenths of a second.

    Raises:
        OSError: The last attempt failed.
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
    """Return whether an operating system error may pass because another program has the file open.

    Windows gives the same error for a forbidden file and for one that is open elsewhere.
    """
    return isinstance(error, PermissionError) and (os.name == "nt" or getattr(error, "winerror", None) is not None)


@contextmanager
def unsynced() -> Iterator[None]:
    """Within this context, write files without waiting for the disk.

    This is for temporary folders that nobody needs after this process.
    """
    token = _WAITS.set(False)
    try:
        yield
    finally:
        _WAITS.reset(token)


_WAITS: ContextVar[bool] = ContextVar("waits", default=True)


def waits_for_disk() -> bool:
    """Return whether writes wait for the disk; within :func:`unsynced` they do not."""
    return _WAITS.get()


def sync(handle: int) -> None:
    """Wait until the data written to an open file are on the disk."""
    if not _WAITS.get():
        return
    os.fsync(handle)
    # only on macOS; there fsync does not flush the disk's own cache
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined, unused-ignore]


def sync_folder(folder: Path) -> None:
    """Wait until the file names in a folder are on the disk.

    Otherwise a power failure might undo the renaming of a file.

    The function does nothing on systems and file systems that do not support this.
    """
    if not _WAITS.get() or os.name != "posix":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sync_all(handles: Sequence[int]) -> None:
    """Wait until the data of many files are on the disk; faster than waiting for each file in turn."""
    if not _WAITS.get():
        return
    if hasattr(os, "posix_fadvise"):
        for handle in handles:  # this starts writing the data without waiting
            with suppress(OSError):
                os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        for handle in handles:
            sync(handle)
        return
    _sync_in_threads(handles)


def _sync_in_threads(handles: Sequence[int]) -> None:
    """Wait for each file's data in a separate thread, and raise the first error, if any."""
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
    """Open a new temporary file in the folder of ``path`` for writing; make that folder if it is missing.

    The module ``tempfile`` is not used because it ignores the umask.
    """
    # Python does not pass open files to child processes (PEP 446).
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        # The name is cut, because the longest file names leave no room for the suffix.
        temporary = path.with_name(f".{path.name[:80]}.{os.urandom(4).hex()}.tmp")
        try:
            return os.open(temporary, flags, 0o600 if private else 0o666), temporary
        except FileExistsError:
            pass  # try again with another random name
        except (FileNotFoundError, NotADirectoryError):
            if path.parent.is_dir():
                raise
            make_folder(path.parent, private=private)


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Make a folder and its missing parents; ``private`` has the same meaning as for :func:`write_bytes`.

    Raises:
        OSError: A folder cannot be made.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_folder(folder.parent, private=private)
    folder.mkdir(mode=0o700 if private else 0o777, exist_ok=True)
    sync_folder(folder.parent)


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write UTF-8 text atomically, as :func:`write_bytes` does."""
    write_bytes(path, text.encode("utf-8", errors="replace"), private=private)


def keep(path: Path, value: Any, *, indent: bool = False) -> None:
    """Write a value to a JSON file that only the host's account can read.

    ``value`` is anything that msgspec can encode. ``indent`` formats the JSON for human readers.
    """
    data = msgspec.json.encode(value)
    write_bytes(path, in_lines(data) if indent else data + b"\n", private=True)


def in_lines(data: bytes) -> bytes:
    """Return the bytes of a JSON value, indented for human readers."""
    return msgspec.json.format(data, indent=1) + b"\n"


def read_kept(path: Path, kind: type[Made]) -> Made | None:
    """Return the value in a JSON file written by :func:`keep`; ``None`` if the file is missing or damaged."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, ValueError, RecursionError):
        return None


def json_in(data: bytes, kind: type[Made], code: str, damaged: str, file: Path | str) -> Made:
    """Return the value in the content of a JSON file.

    Raises:
        GameError: The file is damaged. The error has ``code``, and its text begins with ``damaged``.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (ValueError, RecursionError) as error:
        raise GameError.saying(code, f"{damaged}: {error}", file=str(file)) from error


def remove(path: Path) -> None:
    """Delete a file if it exists.

    Raises:
        GameError: The file cannot be deleted.
    """
    try:
        patiently(path.unlink, missing_ok=True)
    except OSError as error:
        raise cannot("write", path, error) from error


def sweep(folder: Path) -> None:
    """Delete the temporary files that interrupted commands left in a folder and its subfolders.

    The caller must hold the lock of the folder.
    """
    waiting = [str(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as inside:
            for one in inside:
                if one.is_dir(follow_symlinks=False):
                    waiting.append(one.path)
                elif one.name.startswith(".") and one.name.endswith(".tmp"):
                    with suppress(OSError):
                        Path(one.path).unlink()  # a file that is in use now may be deleted the next time


@contextmanager
def in_the_log(where: Path) -> Iterator[None]:
    """Within this context, turn write errors into errors that say that the reports are late.

    The context is for reports on play that is already in the log.

    Raises:
        GameError: A file could not be written. The error says that the next command will write the reports.
    """
    try:
        yield
    except GameError as error:
        codes = {fault.code for fault in error.faults}
        if not codes & CANNOT_WRITE or REPORTS_LATE in codes:
            raise
        said = "the command is done and in the log; the next command writes its reports"
        raise GameError(*error.faults, Fault(code=REPORTS_LATE, text=said, file=str(where))) from error


def read_bytes(path: Path, most: int | None = None) -> bytes:
    """Return the content of a file, or only its first ``most`` bytes.

    Raises:
        GameError: The file is missing or cannot be read.
    """

    def first() -> bytes:
        with path.open("rb") as file:
            return file.read(most)

    content = path.read_bytes if most is None else first
    try:
        try:
            return content()
        except PermissionError:
            if path.is_dir():  # a folder; trying again does not help
                raise
            return patiently(content)
    except OSError as error:
        raise cannot("read", path, error) from error


def read_toml_file(path: Path) -> bytes:
    """Return the bytes of a TOML file of at most ``MOST_TOML_BYTES`` bytes.

    Raises:
        GameError: The file is longer, or it cannot be read.
    """
    data = read_bytes(path, MOST_TOML_BYTES + 1)
    if len(data) > MOST_TOML_BYTES:
        text = f"shorten this TOML file: it has more than {MOST_TOML_BYTES} bytes"
        raise GameError.saying("file-too-long", text, file=str(path))
    return data


def read_head(mail: Path) -> bytes:
    """Return the header lines of an email file, without reading the rest, which may be large.

    Raises:
        GameError: The file is missing or cannot be read.
    """
    try:
        with mail.open("rb") as file:
            head, end, _ = file.read(_HEAD).partition(_END)
    except OSError:
        end = b""
    return head if end else read_bytes(mail).partition(_END)[0]


_HEAD, _END = 8192, b"\r\n\r\n"


FileIdentity = tuple[str, int, int, int]
"""Type of a value that identifies one version of a file, to detect changes.

The value holds the name, inode, modification time in nanoseconds and size in bytes.
"""


def file_identities(folder: str, names: Iterable[str]) -> list[FileIdentity]:
    """Return the identities of files in a folder; a caller compares them later to detect changes.

    Missing files are left out. A replaced file has another inode, so a change is detected even within one tick of
    the clock.
    """
    found: list[FileIdentity] = []
    look, add = os.stat, found.append
    for name in names:
        try:
            one = look(f"{folder}/{name}")  # Path objects would double the time
        except OSError:
            continue
        add((name, one.st_ino, one.st_mtime_ns, one.st_size))
    return found


def cannot(do: str, path: Path, error: OSError) -> GameError:
    """Return the :class:`GameError` for an error of the operating system.

    ``do`` is the action that failed: ``read`` or ``write``.
    """
    if isinstance(error, FileNotFoundError):
        return GameError.saying("no-such-file", "there is no such file or folder", file=str(path))
    if isinstance(error, IsADirectoryError) or (isinstance(error, PermissionError) and path.is_dir() and do == "read"):
        return GameError.saying("is-a-folder", "name a file here; this is a folder", file=str(path))
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
    r"""Return the text of an order file in any usual encoding, with ``\n`` line ends.

    ``name`` is the file's name in faults.

    Raises:
        GameError: The file is a folder, missing, too long or binary.
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
            "file-too-long", f"the file has {max(size, len(data))} bytes; the most is {LARGEST_ORDER_FILE}", file=name
        )
    return decode_orders(data, name)


def decode_orders(data: bytes, name: str) -> str:
    """Return the bytes of an order file as text, in any usual encoding.

    Raises:
        GameError: The bytes are not plain text.
    """
    why = no_plain_text(data)
    if why:
        raise GameError.saying("not-text", f"this file {why}", file=name)
    text = text_of(data)
    if "\0" in text:
        raise GameError.saying("not-text", "save the orders as plain text; this is not a text file", file=name)
    return text.replace("\r\n", "\n").replace("\r", "\n")


_DEVICE = regex(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def is_device(name: str) -> bool:
    """Return whether Windows would treat a file of this name as a device.

    Such names are refused everywhere, because games must work on every system.
    """
    return bool(_DEVICE.fullmatch(name))


BACK: Final = "restore the game's whole folder from a copy"
"""Advice for a log with missing records, because only a backup can restore them."""


def lookalikes(file: Path) -> list[str]:
    """Return the names of files in the same folder that may be the missing file, in alphabetical order.

    Examples for ``game.toml`` are ``game.toml.txt``, ``game (1).toml`` and ``game-LAPTOP.toml``.
    """
    stem, ending = re.escape(file.stem), re.escape(file.suffix)
    like = re.compile(rf"{stem}(?:[ _(-][^/]*)?{ending}(?:\.\w+)?", re.IGNORECASE)
    if not file.parent.is_dir():
        return []
    return sorted(
        one.name
        for one in file.parent.iterdir()
        if one.name.casefold() != file.name.casefold() and like.fullmatch(one.name) and one.is_file()
    )


def perhaps(file: Path) -> str:
    """Return a hint that names a file that may be the missing file under another name, or ``""``."""
    found = lookalikes(file)
    return f"; {found[0]} is there: if that is the file, rename it {file.name}" if found else ""
