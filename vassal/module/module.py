"""Read modules: the maps, boards, palette, prototypes and sides that a ``.vmod`` file defines.

>>> module = read_module("HexSpaceTest.vmod")                              # doctest: +SKIP
>>> [game_map.name for game_map in module.maps], module.sides              # doctest: +SKIP
(['Tactical Map', 'SSD Map', 'Zoned Map'], ('Alpha', 'Beta', 'Moderator'))
>>> module.slot("Cruiser A").piece.name                                    # doctest: +SKIP
"Cruiser A (NCC-1701 'x'; y/z)"

Extensions are merged into the build file as VASSAL does when it opens the module. An extension is a list of
components, each with the path of the component to which it is added. VASSAL loads the extensions in the folder
``NAME_ext`` beside the module in the order of their file names. ``faults`` lists everything that VASSAL would refuse
or warn about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from vassal.bounds import MOST_PALETTE
from vassal.container.archive import HEADER_BYTES, Archive, Metadata, image_size, parse_xml, read_metadata
from vassal.errors import ModuleError, VassalError
from vassal.module.boards import GameMap
from vassal.module.build_file import (
    MAP_KINDS,
    SLOT_KINDS,
    children,
    component_name,
    descendants,
    kind_of,
    read_map,
    unread_grids,
)
from vassal.pieces.piece import MAX_TRAITS, MAX_TYPE, Piece
from vassal.pieces.trait import Trait
from vassal.pieces.traits import PrototypeUse
from vassal.text import sequence
from vassal.text.commands import read_leaf
from vassal.text.leaves import AddPiece, Extension
from vassal.text.sequence import dataclass, lazy, number

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Module", "PaletteFolder", "Slot", "beside", "checked", "is_extension", "merge", "read_module"]


MAX_EXTENSIONS = 200
MAX_COMPONENTS = 20_000
"""Maximum number of components that one extension may add."""
MAX_LOOKS = 2_000_000
"""Maximum number of components that are examined to find all paths named in one extension."""
MAX_PATH = 50


def beside(module: Path) -> list[Path]:
    """Return the files in the folder of a module's extensions, in the order in which VASSAL loads them."""
    folder = module.with_name(module.stem + "_ext")
    try:
        files = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]
    except OSError:
        return []
    return sorted(files)[:MAX_EXTENSIONS]


def is_extension(archive: Archive) -> bool:
    """Return whether VASSAL treats an archive as an extension, which depends on its build file."""
    if archive.has("savedGame") or not (archive.has("buildFile.xml") or archive.has("buildFile")):
        return False
    if archive.has("extensiondata") or archive.has("moduledata"):
        return archive.has("extensiondata")
    name = "buildFile.xml" if archive.has("buildFile.xml") else "buildFile"
    return b"VASSAL.build.module.ModuleExtension" in archive.read(name, 4_096)


def merge(root: _Element, extension: _Element, file: str | os.PathLike[str]) -> Iterator[str]:
    """Add an extension's components to the module's build file, and yield VASSAL's warnings.

    As in VASSAL, an error does not remove the components that were added before it.

    Raises:
        ModuleError: The extension is for another module, or the parent of a component does not exist.
    """
    if kind_of(extension) != "ModuleExtension":
        raise ModuleError(f"{file}: this is not an extension of a module")
    if extension.get("anyModule") != "true":
        yield from _older_than_wanted(root, extension, file)
    looks = [MAX_LOOKS]
    elements = [element for element in extension.iterchildren() if kind_of(element) == "ExtensionElement"]
    if len(elements) > MAX_COMPONENTS:
        raise ModuleError(f"{file}: it adds {len(elements)} components, more than {MAX_COMPONENTS}")
    for element in elements:
        target = element.get("target") or ""
        place = _place_for(root, sequence.decode(target, "/") if target else [], looks, file)
        part = next((child for child in element.iterchildren() if kind_of(child)), None)
        if part is not None:
            place.append(part)


def _older_than_wanted(root: _Element, extension: _Element, file: str | os.PathLike[str]) -> Iterator[str]:
    """Yield VASSAL's warning if an extension was made for a later version of the module, else nothing.

    Raises:
        ModuleError: The extension is for another module.
    """
    name, version = root.get("name") or "", root.get("version") or ""
    own = extension.get("module") or ""
    if own != name:
        raise ModuleError(f"{file}: this is an extension of the module {own!r}, not of {name!r}")
    wanted = extension.get("moduleVersion") or ""
    if _is_before(version, wanted):
        yield f"{file}: it was made for version {wanted} of the module, and this is {version}"


def _place_for(root: _Element, path: list[str], looks: list[int], file: str | os.PathLike[str]) -> _Element:
    """Return the component at ``path`` in the module, to which an extension adds components.

    Raises:
        ModuleError: There is no such component, or the search takes too long.
    """
    if len(path) > MAX_PATH:
        raise ModuleError(f"{file}: a component is to be added {len(path)} levels deep, more than {MAX_PATH}")
    place = _component_at(root, path, looks)
    if place is not None:
        return place
    if looks[0] <= 0:
        raise ModuleError(f"{file}: more than {MAX_LOOKS} components were looked at to place its own")
    raise ModuleError(f"{file}: a component is to be added to {path[-1]!r}, which the module does not have")


def _component_at(parent: _Element, path: list[str], looks: list[int]) -> _Element | None:
    """Return the component at the end of a path, or ``None`` if there is none.

    At each step of the path, a component with the right class and name is used. If there is none, the first
    component of the class is used that has the rest of the path below it.
    """
    if not path:
        return parent
    kind, *names = sequence.decode(path[0], ":")
    name = names[0] if names else ""
    alike = []
    for child in parent.iterchildren():
        looks[0] -= 1
        if looks[0] <= 0:
            return None
        if child.tag == kind:
            if component_name(child) == name:
                return _component_at(child, path[1:], looks)
            alike.append(child)
    return next((place for child in alike if (place := _component_at(child, path[1:], looks)) is not None), None)


def _is_before(one: str, other: str) -> bool:
    """Return whether one version is older than another; only their numeric parts are compared."""

    def parts(version: str) -> list[int]:
        return [int(part) if part.isdecimal() and len(part) < 10 else 0 for part in version.split(".")]

    first, second = parts(one), parts(other)
    length = max(len(first), len(second))
    return first + [0] * (length - len(first)) < second + [0] * (length - len(second))


def checked(path: str | os.PathLike[str]) -> Archive:
    """Return the opened archive of an extension.

    Raises:
        VassalError: The file is not an extension.
    """
    archive = Archive(path)
    try:
        if is_extension(archive):
            return archive
    except VassalError:
        archive.close()
        raise
    archive.close()
    raise ModuleError(f"{archive.name}: this is not an extension of a module")


MAX_PROTOTYPE_USES = 500

MAX_EXPANDED = 200_000_000
"""Maximum number of characters of expanded prototypes, for all pieces together.

Without this limit, a small file could expand to terabytes.
"""

EXTENSIONS = (".vmdx", ".mdx", ".vext")
"""The usual suffixes of extension files."""

MAX_BUILD_FILE = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Slot:
    """An entry of the palette or of a set-up stack: a counter that can be added to the game.

    ``path`` names the folders that contain the entry. ``piece`` is the counter with its prototypes expanded, as in
    VASSAL's own saves. ``size`` is the size of its picture in pixels if the module gives it.
    """

    name: str
    gpid: str
    path: tuple[str, ...]
    piece: Piece
    in_palette: bool = True
    size: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PaletteFolder:
    """A window, tab, list or panel of the palette.

    Attributes:
        name: Its name; may be empty.
        kind: The kind of component, such as ``TabWidget``.
        folders: The folders in it.
        slots: The entries directly in it.
    """

    name: str
    kind: str
    folders: tuple[PaletteFolder, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Module:
    """A VASSAL module as it was read.

    Attributes:
        file: The name of the file, for messages.
        name: The name of the module.
        version: Its version.
        vassal: The version of VASSAL with which it was made.
        description: Its description.
        maps: Its map windows.
        palette: Its palette windows.
        slots: All palette entries and entries of set-up stacks.
        prototypes: The prototypes by name.
        sides: The sides that players can choose.
        properties: The global properties with their initial values.
        turn_trackers: The names of the turn trackers.
        extends: The name of the module that this extension extends; empty for a module.
        extensions: The extensions that were merged into it.
        module_data: The content of the entry ``moduledata``.
        faults: A sentence for each error that VASSAL would report.
    """

    file: str
    name: str
    version: str
    vassal: str
    description: str
    maps: tuple[GameMap, ...]
    palette: tuple[PaletteFolder, ...]
    slots: tuple[Slot, ...]
    prototypes: dict[str, Piece]
    sides: tuple[str, ...]
    properties: dict[str, str]
    turn_trackers: tuple[str, ...]
    extends: str = ""
    extensions: tuple[Extension, ...] = ()
    module_data: bytes = field(repr=False, default=b"")
    faults: tuple[str, ...] = ()

    def map(self, name: str) -> GameMap:
        """Return the map with this name or id.

        Raises:
            ModuleError: There is no such map.
        """
        for game_map in self.maps:
            if name in (game_map.name, game_map.id):
                return game_map
        names = ", ".join(repr(game_map.name) for game_map in self.maps) or "none"
        raise ModuleError(f"{self.file}: there is no map {name!r}; its maps: {names}")

    @lazy
    def _called(self) -> dict[str, tuple[Slot, ...]]:
        return {}

    def called(self, name: str) -> tuple[Slot, ...]:
        """Return the palette entries whose counter has this name. Results are cached."""
        if name not in self._called:
            self._called[name] = tuple(slot for slot in self.slots if slot.piece.is_called(name))
        return self._called[name]

    def slot(self, name: str) -> Slot:
        """Return the palette entry with this gpid, entry name, path (``Ships/Cruiser A``) or counter name.

        Results are cached.

        Raises:
            ModuleError: There is no such entry, or more than one.
        """
        if name not in self._found:
            self._found[name] = self._looked_for(name)
        return self._found[name]

    @lazy
    def _found(self) -> dict[str, Slot]:
        return {}

    def _looked_for(self, name: str) -> Slot:
        found = [slot for slot in self.slots if slot.gpid == name]
        palette = sorted(self.slots, key=lambda slot: not slot.in_palette)
        found = found or [slot for slot in palette if slot.name == name]
        found = found or [slot for slot in palette if "/".join(("", *slot.path, slot.name)).endswith("/" + name)]
        found = found or sorted(self.called(name), key=lambda slot: not slot.in_palette)
        in_palette = [slot for slot in found if slot.in_palette]
        found = in_palette or found
        if not found:
            raise ModuleError(f"{self.file}: there is no palette entry {name!r}")
        if len(found) > 1 and len({(slot.piece, slot.gpid) for slot in found}) > 1:
            places = "; ".join("/".join((*slot.path, slot.name)) + f" (gpid {slot.gpid})" for slot in found)
            raise ModuleError(f"{self.file}: {name!r} may be any of {places}")
        return found[0]


def read_module(path: str | os.PathLike[str], extensions: Iterable[str | os.PathLike[str]] | None = None) -> Module:
    """Read a module with its extensions merged into it.

    *extensions* are the files to merge; by default, the files that VASSAL finds in the folder ``NAME_ext`` beside
    the module. An extension alone can be read like a module; then ``extends`` names its module. Errors in an
    extension that was found in the folder are listed in the module's ``faults``.

    Raises:
        VassalError: The module, or an extension in *extensions*, cannot be read.
    """
    with ExitStack() as opened:
        archive = opened.enter_context(Archive(path))
        reader = _Reader(archive)
        metadata = read_metadata(archive, "moduledata")
        root = reader.build_file(archive, metadata)
        if kind_of(root) != "ModuleExtension":
            for file in beside(archive.path) if extensions is None else map(Path, extensions):
                try:
                    reader.add(root, opened.enter_context(checked(file)))
                except VassalError as error:
                    if extensions is not None:
                        raise
                    if file.suffix in EXTENSIONS:  # VASSAL ignores other files in the folder
                        reader.faults.append(str(error))
        return reader.read(root, metadata)


class _Reader:
    def __init__(self, archive: Archive) -> None:
        self.archives = [archive]
        self.archive = archive
        self.file = archive.name
        self.extensions: list[Extension] = []
        self.ids: dict[str, str] = {}
        self.faults: list[str] = []
        self.definitions: dict[str, Piece] = {}
        self.slots: list[Slot] = []
        self.uses = 0
        self.expanded = 0
        self.built = 0
        self.visited = 0
        self.holders: dict[_Element, tuple[tuple[str, ...], bool]] = {}

    def add(self, root: _Element, archive: Archive) -> None:
        """Merge an extension into the build file.

        Raises:
            ModuleError: The extension does not fit the module.
        """
        extension = self.build_file(archive, read_metadata(archive, "extensiondata"))
        self.archives.append(archive)
        self.faults += merge(root, extension, archive.name)
        own = extension.get("extensionId") or ""
        if own and self.ids.setdefault(own, archive.name) != archive.name:
            self.faults.append(f"{archive.name}: it has the id {own!r}, like {self.ids[own]}; their counters mix")
        self.extensions.append(Extension(archive.path.stem, extension.get("version") or ""))

    def read(self, root: _Element, metadata: Metadata) -> Module:
        archive = self.archive
        self._read_prototypes(root)
        # VASSAL numbers maps in the order of the file.
        maps = tuple(
            read_map(element, f"Map{index}", self._image_size)
            for index, element in enumerate(descendants(root, *MAP_KINDS))
        )
        self.faults += [f"{self.file}: {sentence}" for sentence in unread_grids(root)]
        self.holders = _around_slots(root)
        palette = tuple(self._folder(window, ()) for window in descendants(root, "PieceWindow"))
        self._read_other_slots(root)
        expanded = {name: self._expand(piece, name) for name, piece in self.definitions.items()}
        prototypes = {name: piece for name, piece in expanded.items() if piece is not None}
        return Module(
            self.file,
            root.get("name") or metadata.module or (archive.path.stem if "Extension" in kind_of(root) else ""),
            root.get("version") or metadata.module_version,
            root.get("VassalVersion") or root.get("vassalVersion") or metadata.vassal,
            root.get("description") or metadata.description,
            maps,
            palette,
            tuple(self.slots),
            prototypes,
            _sides(root),
            _global_properties(root),
            tuple(tracker.get("name") or "" for tracker in descendants(root, "TurnTracker")),
            (root.get("module") or "") if kind_of(root) == "ModuleExtension" else "",
            tuple(self.extensions),
            archive.read("moduledata") if archive.has("moduledata") else b"",
            tuple(dict.fromkeys(self.faults)),
        )

    def _read_prototypes(self, root: _Element) -> None:
        """Read all prototypes of the module; they are not expanded yet."""
        for definition in descendants(root, "PrototypeDefinition"):
            piece = self._piece(definition, f"the prototype {definition.get('name')!r}")
            if piece is not None:
                self.definitions[definition.get("name") or ""] = piece

    def _read_other_slots(self, root: _Element) -> None:
        """Read the entries that are not in the palette, such as those of set-up stacks."""
        for slot in descendants(root, *SLOT_KINDS):
            parent = slot.getparent()
            path, in_palette = self.holders[parent] if parent is not None else ((), False)
            if not in_palette:
                self.slots += self._slot(slot, path, False)

    def build_file(self, archive: Archive, metadata: Metadata) -> _Element:
        """Return the build file of a module or an extension.

        One limit applies to the total size of all build files.
        """
        version = re.match(r"(\d{1,9})\.(\d{1,9})", metadata.vassal)
        old = version is not None and (int(version[1]), int(version[2])) < (3, 5)
        names = ("buildFile", "buildFile.xml") if old else ("buildFile.xml", "buildFile")
        for name in names:
            if archive.has(name):
                text = archive.read_checked(name, MAX_BUILD_FILE - self.built)
                self.built += len(text)
                return parse_xml(text, f"{archive.name}: {name}")
        raise ModuleError(f"{archive.name}: not a VASSAL module, because there is no buildFile.xml in it")

    def _image_size(self, image: str) -> tuple[int, int]:
        for archive in self.archives:
            for name in (f"images/{image}", image):
                if archive.has(name):
                    size = image_size(archive.read(name, HEADER_BYTES))
                    if size is not None:
                        return size
        self.faults.append(f"{self.file}: the image {image!r} of a board is missing or of an unknown kind")
        return 0, 0

    def _piece(self, element: _Element, what: str) -> Piece | None:
        text = (element.text or "").strip("\r\n ")
        leaf = read_leaf(text)
        if isinstance(leaf, AddPiece):
            return Piece(leaf.type, leaf.state)
        if text:
            self.faults.append(f"{self.file}: {what} is not defined as a piece")
        return None

    def _folder(self, element: _Element, path: tuple[str, ...]) -> PaletteFolder:
        name = component_name(element)
        path = (*path, name) if name else path
        folders: list[PaletteFolder] = []
        slots: list[Slot] = []
        for child in element.iterchildren():
            self.visited += 1  # an entry of a window inside a window is visited for both
            if self.visited > MOST_PALETTE:
                raise ModuleError(f"{self.file}: its palette has more than {MOST_PALETTE} folders and entries")
            if kind_of(child) in SLOT_KINDS:
                own = list(self._slot(child, path, True))
                self.slots += own
                slots += own
            elif child in self.holders:
                folders.append(self._folder(child, path))
        return PaletteFolder(name, kind_of(element), tuple(folders), tuple(slots))

    def _slot(self, element: _Element, path: tuple[str, ...], in_palette: bool) -> Iterator[Slot]:
        name = element.get("entryName") or ""
        piece = self._piece(element, f"the palette entry {name!r}")
        expanded = None if piece is None else self._expand(piece, name)
        if expanded is not None:
            size = number(element.get("width") or ""), number(element.get("height") or "")
            yield Slot(name, element.get("gpid") or "", path, expanded, in_palette, size)

    def _expand(self, piece: Piece, name: str) -> Piece | None:
        """Return the piece with its prototypes expanded, or record a fault and return ``None``."""
        self.uses = 0
        try:
            if not any(isinstance(trait, PrototypeUse) for trait in piece.traits):
                return piece
            traits: list[Trait] = []
            self._expand_into(traits, piece.traits, name, ())
            if not traits:
                raise ModuleError("it has no piece within its prototypes")
            return Piece.of(traits)
        except VassalError as error:
            self.faults.append(f"{self.file}: {name!r} is left out: {error}")
            return None

    def _expand_into(
        self, traits: list[Trait], definition: tuple[Trait, ...], name: str, within: tuple[str, ...]
    ) -> None:
        for trait in definition:
            if not isinstance(trait, PrototypeUse):
                traits.append(trait)
                continue
            self.uses += 1
            if self.uses > MAX_PROTOTYPE_USES or len(traits) > MAX_TRAITS:
                raise ModuleError(f"its prototypes make more than {MAX_TRAITS} traits")
            found = self.definitions.get(trait.name)
            if found is None:
                self.faults.append(f"{self.file}: {name!r} uses the prototype {trait.name!r}, which does not exist")
            elif trait.name in within:
                raise ModuleError(f"the prototype {trait.name!r} contains itself")
            else:
                given = trait.parameters()
                if given:
                    found = Piece(_filled(found.type, given), _filled(found.state, given))
                self.expanded += len(found.type) + len(found.state)
                if self.expanded > MAX_EXPANDED:
                    raise ModuleError(f"the module's prototypes make pieces of more than {MAX_EXPANDED} characters")
                self._expand_into(traits, found.traits[:-1], name, (*within, trait.name))


def _filled(text: str, given: dict[str, str]) -> str:
    for name, value in given.items():
        if len(text) + text.count(f"${name}$") * len(value) > MAX_TYPE:
            raise ModuleError(f"its prototypes make more than {MAX_TYPE} characters")
        text = text.replace(f"${name}$", value)
    return text


def _sides(root: _Element) -> tuple[str, ...]:
    """Return the sides that players can choose."""
    return tuple(entry.text or "" for roster in children(root, "PlayerRoster") for entry in children(roster, "entry"))


def _global_properties(root: _Element) -> dict[str, str]:
    """Return the global properties of a module by name, with their initial values."""
    return {p.get("name") or "": p.get("initialValue") or "" for p in descendants(root, "GlobalProperty")}


def _around_slots(root: _Element) -> dict[_Element, tuple[tuple[str, ...], bool]]:
    """Return a dict of all elements that contain palette entries.

    The value for each element is a pair: the names of the elements from the root to it, and whether it is in the
    palette.
    """
    found: dict[_Element, tuple[tuple[str, ...], bool]] = {}
    for slot in descendants(root, *SLOT_KINDS):
        new: list[_Element] = []
        for above in slot.iterancestors():
            if above in found:
                break
            new.append(above)
        for element in reversed(new):
            parent = element.getparent()
            if parent is None:
                found[element] = (), kind_of(element) == "PieceWindow"
            else:
                path, in_palette = found[parent]
                name = component_name(element)
                found[element] = (*path, name) if name else path, in_palette or kind_of(element) == "PieceWindow"
    return found
