"""Read and write the zip files of saves, logs and modules, and find the sizes of images in them.

Nothing is ever unpacked to disk, and sizes are checked before reading. Image sizes are needed because a board is as
big as its image; they are read from the first bytes of the image.
"""

from __future__ import annotations

import io
import os
import re
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from html import escape as escaped
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeAlias

from vassal.bounds import MOST_ELEMENTS, MOST_METADATA
from vassal.errors import ArchiveError, InUseError
from vassal.text.sequence import dataclass

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = [
    "HEADER_BYTES",
    "Archive",
    "Metadata",
    "image_size",
    "metadata_xml",
    "parse_xml",
    "read_metadata",
    "write_archive",
]


MAX_ENTRIES = 100_000
MAX_DIRECTORY = 20_000_000
ZIP_END = 1 << 17  # bytes at the end of a zip file that are searched for the position of the list of entries
MAX_SUMMED = 8 * 1024**3
MAX_ENTRY = 192 * 1024**2
# Up to this size an entry may have any compression ratio; a larger one above MAX_RATIO is a zip bomb.
TRUSTED_ENTRY = 32 * 1024**2
MAX_RATIO = 250

# The earliest date of the zip format. A fixed date gives the same bytes for the same content.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
EPOCH_OF_ZIP_MS = 315_532_800_000

# Seconds to wait before each new attempt on a file that another program has open; about 1 second in total.
PAUSES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4)

Content: TypeAlias = bytes | Iterable[bytes]


def _unreadable(path: Path, error: Exception) -> str:
    """Return a text that says why a file cannot be opened as a VASSAL file, and what the user can do."""
    if path.is_dir():
        return "this is a folder; a file is wanted"
    if isinstance(error, OSError):
        return f"not a readable zip archive ({error.strerror or error})"
    with suppress(OSError):
        if not path.stat().st_size:
            return "this file is empty; save or fetch it once more"
    return (
        "not a readable zip archive, as all files of VASSAL are: it was cut off on its way, or is something else; "
        "save or fetch it once more"
    )


class _TooLongError(Exception):
    """Raised if the list of a zip file's entries is longer than the limit."""


class _Opening(io.BufferedReader):
    """A zip file with a limit on the size (in bytes) of its list of entries.

    The whole list is read when the file is opened.
    """

    def __init__(self, raw: io.FileIO, most: int) -> None:
        super().__init__(raw)
        self.most: int | None = most

    def read(self, size: int | None = -1, /) -> bytes:
        if self.most is None:
            return super().read(size)
        if size is not None and size > max(self.most, ZIP_END):
            raise _TooLongError
        return super().read(ZIP_END if size is None or size < 0 else size)


class Archive:
    """A zip file opened for reading, after a check of the sizes that it states.

    Use it as a context manager.

    Raises:
        ArchiveError: The file is missing, is not a zip file, is too big, or has entries with paths that lead outside.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        at_most: int = MAX_SUMMED,
        entries: int = MAX_ENTRIES,
        directory: int = MAX_DIRECTORY,
    ) -> None:
        self.path = Path(path)
        self.name = self.path.name
        with ExitStack() as opened:
            try:
                file = opened.enter_context(_Opening(io.FileIO(self.path), directory))
                self._zip = opened.enter_context(zipfile.ZipFile(file))
            except FileNotFoundError:
                raise ArchiveError(f"{self.path}: there is no such file") from None
            except _TooLongError:
                text = f"the list of its entries has more than the {directory} bytes that are read"
                raise ArchiveError(f"{self.name}: {text}") from None
            except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as error:
                raise ArchiveError(f"{self.name}: {_unreadable(self.path, error)}") from None
            file.most = None
            self._check(at_most, entries)
            self._opened = opened.pop_all()

    def _check(self, at_most: int, entries: int) -> None:
        infos = self._zip.infolist()
        if len(infos) > entries:
            raise ArchiveError(f"{self.name}: {len(infos)} entries are more than the {entries} that are read")
        summed = sum(info.file_size for info in infos)
        if summed > at_most:
            raise ArchiveError(f"{self.name}: its entries claim {summed} bytes, but at most {at_most} are read")
        for info in infos:
            parts = info.filename.replace("\\", "/").split("/")
            if ".." in parts or not parts[0] or parts[0][1:2] == ":":
                raise ArchiveError(f"{self.name}: the entry {info.filename!r} points outside the archive")

    def names(self) -> list[str]:
        """Return the names of all entries, in the order of the file."""
        return self._zip.namelist()

    def has(self, name: str) -> bool:
        """Return whether there is an entry named exactly *name*."""
        return name in self._zip.NameToInfo

    def read(self, name: str, at_most: int | None = None) -> bytes:
        """Return the bytes of entry *name*, or only its first *at_most* bytes."""
        info = self._zip.NameToInfo.get(name)
        if info is None:
            raise ArchiveError(f"{self.name}: there is no entry {name!r} in it")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ArchiveError(f"{self.name}: the entry {name!r} is packed in a way VASSAL does not read")
        if at_most is None:
            self._check_size(info, MAX_ENTRY)
        try:
            with self._zip.open(info) as stream:
                return stream.read(-1 if at_most is None else at_most)
        except (
            OSError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise ArchiveError(f"{self.name}: the entry {name!r} cannot be read ({error})") from None

    def read_checked(self, name: str, limit: int) -> bytes:
        """Return the bytes of entry *name*.

        Raises:
            ArchiveError: The entry has more than *limit* bytes.
        """
        if self.has(name):
            self._check_size(self._zip.NameToInfo[name], limit)
        return self.read(name)

    def _check_size(self, info: zipfile.ZipInfo, limit: int) -> None:
        size = info.file_size
        if size > limit:
            raise ArchiveError(f"{self.name}: the entry {info.filename!r} claims {size} bytes, more than are read")
        if size > TRUSTED_ENTRY and size > MAX_RATIO * max(info.compress_size, 1):
            raise ArchiveError(
                f"{self.name}: the entry {info.filename!r} claims {size} bytes packed into "
                f"{info.compress_size}, which no game does"
            )

    def close(self) -> None:
        """Close the file."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def write_archive(path: str | os.PathLike[str], entries: Iterable[tuple[str, Content]]) -> None:
    """Write a zip file with *entries* in their order and with fixed dates.

    An existing file is replaced in one step. The content of an entry is bytes, or an iterable of bytes for big
    ones.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in entries:
            info = zipfile.ZipInfo(name, ZIP_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0  # the default differs between systems
            with archive.open(info, "w") as stream:
                for part in (data,) if isinstance(data, bytes) else data:
                    stream.write(part)
    target = Path(path)
    temporary = target.with_name(target.name + ".part")
    try:
        temporary.write_bytes(buffer.getvalue())
        _replace(temporary, target)
    except OSError as error:
        with suppress(OSError):  # report the first error only
            temporary.unlink(missing_ok=True)
        if _is_held(error):
            why = "another program, VASSAL perhaps, has it open: close it there"
            raise InUseError(f"{target}: cannot be written ({why})") from None
        raise ArchiveError(f"{target}: cannot be written ({error.strerror or error})") from None


def _replace(temporary: Path, target: Path) -> None:
    """Replace a file by a new one.

    On Windows, this fails while another program has the old file open. In this case, the function retries for about
    a second.
    """
    for pause in PAUSES:
        try:
            temporary.replace(target)
            return
        except OSError as error:
            if not _is_held(error):
                raise
        time.sleep(pause)
    temporary.replace(target)


def _is_held(error: OSError) -> bool:
    return isinstance(error, PermissionError) and getattr(error, "winerror", None) is not None


def parse_xml(data: bytes, source: str) -> _Element:
    """Parse XML from an untrusted file: entities, network access, DTDs and huge trees are disabled."""
    if data.count(b"<") > MOST_ELEMENTS:
        raise ArchiveError(f"{source}: it has more than {MOST_ELEMENTS} signs <, with which elements begin and end")
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ArchiveError(f"{source}: not well-formed XML ({error})") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise ArchiveError(f"{source}: a DOCTYPE has no place in a VASSAL file")
    return root


@dataclass(frozen=True, slots=True)
class Metadata:
    """The content of the entries ``savedata`` and ``moduledata`` of a save or module; fields without a value are empty.

    ``module`` and ``module_version`` come from ``moduledata``. ``vassal`` is the version of VASSAL that wrote the
    save (or, in a module's own metadata, the module). ``description`` is the player's comment.
    """

    module: str = ""
    module_version: str = ""
    vassal: str = ""
    description: str = ""


def read_metadata(archive: Archive, name: str) -> Metadata:
    """Read the entry *name* (``savedata`` or ``moduledata``); a missing entry gives empty metadata."""
    if not archive.has(name):
        return Metadata()
    root = parse_xml(archive.read_checked(name, MOST_METADATA), f"{archive.name}: {name}")

    def text(tag: str) -> str:
        for child in root.iterchildren(tag):
            if "lang" not in child.attrib:
                return child.text or ""
        return ""

    return Metadata(text("name"), text("version"), text("VassalVersion"), text("description"))


def metadata_xml(
    version: str, vassal: str, description: str, name: str | None = None, saved_ms: int | None = None
) -> bytes:
    """Return the XML of a ``savedata`` entry or, with *name*, of a ``moduledata`` entry.

    *version* is the version of the module, *vassal* that of VASSAL, and *name* the name of the module. *saved_ms*
    is Unix time in milliseconds; the default is a fixed date.
    """

    def escape(text: str) -> str:
        return escaped(text, quote=False)

    fields = [f"<version>{escape(version)}</version><extra1/><extra2/>"]
    fields.append(f"<VassalVersion>{escape(vassal)}</VassalVersion>")
    fields.append(f"<dateSaved>{EPOCH_OF_ZIP_MS if saved_ms is None else saved_ms}</dateSaved>")
    if description or name is not None:
        fields.append(f"<description>{escape(description)}</description>")
    if name is not None:
        fields.append(f"<name>{escape(name)}</name>")
    head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<data version="1">'
    return (head + "".join(fields) + "</data>").encode("utf-8")


HEADER_BYTES = 262_144
"""How many bytes of an image are read to find its size; in photographs, thumbnails come before the size."""


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels of a PNG, GIF, JPEG, BMP or SVG image; ``None`` for other data."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    if data.startswith(b"\xff\xd8"):
        return _jpeg_size(data)
    if data.startswith(b"BM") and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return width, abs(height)
    if b"<svg" in data[:4096]:
        return _svg_size(data[:65536].decode("utf-8", "replace"))
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data):
        if data[place] != 0xFF:
            return None
        marker = data[place + 1]
        if marker == 0xFF:
            place += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        else:
            place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return None


def _svg_size(text: str) -> tuple[int, int] | None:
    root = re.search(r"<svg\b[^<>]*+>", text)
    if root is None:
        return None
    sides = [re.search(rf"\b{side}\s*=\s*[\"']([0-9.]+)(?:px)?[\"']", root[0]) for side in ("width", "height")]
    if sides[0] and sides[1]:
        return _pixels(sides[0][1], sides[1][1])
    box = re.search(r"\bviewBox\s*=\s*[\"']\s*[-0-9.]+[\s,]+[-0-9.]+[\s,]+([0-9.]+)[\s,]+([0-9.]+)", root[0])
    return _pixels(box[1], box[2]) if box else None


def _pixels(width: str, height: str) -> tuple[int, int] | None:
    try:
        return round(float(width)), round(float(height))
    except (ValueError, OverflowError):
        return None
