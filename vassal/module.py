"""Modules: the maps, boards, palette, prototypes and sides that a ``.vmod`` file defines.

>>> module = read_module("HexSpaceTest.vmod")                              # doctest: +SKIP
>>> [game_map.name for game_map in module.maps], module.sides              # doctest: +SKIP
(['Tactical Map', 'SSD Map', 'Zoned Map'], ('Alpha', 'Beta', 'Moderator'))
>>> module.slot("Cruiser A").piece.name                                    # doctest: +SKIP
"Cruiser A (NCC-1701 'x'; y/z)"
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from vassal.archive import Archive, Metadata, parse_xml, read_metadata
from vassal.boards import GameMap
from vassal.bounds import MOST_PALETTE
from vassal.build_file import (
    MAP_KINDS,
    SLOT_KINDS,
    children,
    component_name,
    descendants,
    kind_of,
    read_map,
    unread_grids,
)
from vassal.errors import ModuleError, VassalError
from vassal.extensions import beside, checked, merge
from vassal.images import HEADER_BYTES, image_size
from vassal.lazy import dataclass, lazy
from vassal.leaf_reader import read_leaf
from vassal.leaves import AddPiece, Extension
from vassal.levels import MAX_TRAITS, MAX_TYPE
from vassal.pieces import Piece
from vassal.texts import number
from vassal.trait import Trait
from vassal.traits import PrototypeUse

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Module", "PaletteFolder", "Slot", "read_module"]

MAX_PROTOTYPE_USES = 500

MAX_EXPANDED = 200_000_000
"""So many characters of prototypes are put in for all pieces together: a small file can ask for terabytes."""

EXTENSIONS = (".vmdx", ".mdx", ".vext")
"""What files of extensions are called, as a rule."""

MAX_BUILD_FILE = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class Slot:
    """An entry of the palette (or of a set-up stack): a counter to be taken.

    ``path`` names the folders around it; ``piece`` has its prototypes expanded, as VASSAL's own saves do. ``size`` is
    that of its picture in pixels where the module says it.
    """

    name: str
    gpid: str
    path: tuple[str, ...]
    piece: Piece
    in_palette: bool = True
    size: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class PaletteFolder:
    """A window, tab, list or panel of the palette."""

    name: str
    kind: str
    folders: tuple[PaletteFolder, ...]
    slots: tuple[Slot, ...]


@dataclass(frozen=True)
class Module:
    """A module as it was read. ``faults`` lists, one sentence each, what in it VASSAL would stumble over."""

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
        """The map of that name or id. Raises :class:`~vassal.errors.ModuleError`."""
        for game_map in self.maps:
            if name in (game_map.name, game_map.id):
                return game_map
        names = ", ".join(repr(game_map.name) for game_map in self.maps) or "none"
        raise ModuleError(f"{self.file}: there is no map {name!r}; its maps: {names}")

    @lazy
    def _called(self) -> dict[str, tuple[Slot, ...]]:
        return {}

    def called(self, name: str) -> tuple[Slot, ...]:
        """The slots whose counter itself has that name; looked for once."""
        if name not in self._called:
            self._called[name] = tuple(slot for slot in self.slots if slot.piece.is_called(name))
        return self._called[name]

    def slot(self, name: str) -> Slot:
        """The slot with that gpid, that entry name or that path (``Ships/Cruiser A``), or whose counter is called so.

        Raises :class:`~vassal.errors.ModuleError` when there is none, or more than one of that name. What was found is
        not looked for again.
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
    """Read a module with its *extensions* merged into it: those of these files, or else those that VASSAL finds in the
    folder beside it (``NAME_ext``). An extension alone can be read like a module (``extends`` then names that).

    Raises :class:`~vassal.errors.VassalError`, for an extension that is named, too; what is wrong with one that was
    found is among the module's ``faults``.
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
                    if file.suffix in EXTENSIONS:  # VASSAL passes over all else in the folder
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
        """Put an extension into the build file. Raises :class:`~vassal.errors.ModuleError`."""
        extension = self.build_file(archive, read_metadata(archive, "extensiondata"))
        self.archives.append(archive)
        self.faults += merge(root, extension, archive.name)
        own = extension.get("extensionId") or ""
        if own and self.ids.setdefault(own, archive.name) != archive.name:
            self.faults.append(f"{archive.name}: it has the id {own!r}, like {self.ids[own]}; their counters mix")
        self.extensions.append(Extension(archive.path.stem, extension.get("version") or ""))

    def read(self, root: _Element, metadata: Metadata) -> Module:
        archive = self.archive
        for definition in descendants(root, "PrototypeDefinition"):
            piece = self._piece(definition, f"the prototype {definition.get('name')!r}")
            if piece is not None:
                self.definitions[definition.get("name") or ""] = piece
        # VASSAL numbers maps as it builds them, which is the order of the file.
        maps = tuple(
            read_map(element, f"Map{index}", self._image_size)
            for index, element in enumerate(descendants(root, *MAP_KINDS))
        )
        self.faults += [f"{self.file}: {sentence}" for sentence in unread_grids(root)]
        self.holders = _around_slots(root)
        palette = tuple(self._folder(window, ()) for window in descendants(root, "PieceWindow"))
        for slot in descendants(root, *SLOT_KINDS):
            parent = slot.getparent()
            path, in_palette = self.holders[parent] if parent is not None else ((), False)
            if not in_palette:
                self.slots += self._slot(slot, path, False)
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
            tuple(entry.text or "" for roster in children(root, "PlayerRoster") for entry in children(roster, "entry")),
            {p.get("name") or "": p.get("initialValue") or "" for p in descendants(root, "GlobalProperty")},
            tuple(tracker.get("name") or "" for tracker in descendants(root, "TurnTracker")),
            (root.get("module") or "") if kind_of(root) == "ModuleExtension" else "",
            tuple(self.extensions),
            archive.read("moduledata") if archive.has("moduledata") else b"",
            tuple(dict.fromkeys(self.faults)),
        )

    def build_file(self, archive: Archive, metadata: Metadata) -> _Element:
        """The build file of a module or an extension; all of them together are bounded like one."""
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
            self.visited += 1  # what is in a window within a window is gone through for both
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
        """The piece with its prototypes expanded; ``None``, and a fault, where that cannot be done."""
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


def _around_slots(root: _Element) -> dict[_Element, tuple[tuple[str, ...], bool]]:
    """All elements with palette entries in them: the names from the root to each, and whether it is in the palette."""
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
