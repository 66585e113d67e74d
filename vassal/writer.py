"""Writes a new save from a module's palette, in the simplest form that VASSAL loads: one flat list of
commands.

>>> writer = SaveWriter(read_module("HexSpaceTest.vmod"))                          # doctest: +SKIP
>>> writer.add("Cruiser A", "Tactical Map", location="0812", facing=3)             # doctest: +SKIP
'1'
>>> writer.write("turn1.vsav")                                                     # doctest: +SKIP

No players are written: everybody who opens the save then chooses a side, and no password is bound to
anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from vassal.container.archive import metadata_xml
from vassal.container.obfuscation import DEFAULT_KEY
from vassal.errors import SaveError
from vassal.module.boards import MapLayout
from vassal.module.grid import Point
from vassal.module.module import Module, Slot
from vassal.pieces.containers import Stack
from vassal.pieces.look import Look
from vassal.pieces.pieces import Piece
from vassal.save import SAVED_GAME, Save, with_tree
from vassal.text import commands, leaves
from vassal.text.lazy import dataclass
from vassal.text.texts import stored_note

__all__ = ["SaveWriter"]

# Saved by an engine of the module's own version, so that VASSAL has no other version to warn about.
FALLBACK_VASSAL = "3.7.0"


@dataclass(frozen=True, slots=True)
class _Placed:
    id: str
    piece: Piece
    map: str
    point: Point


class SaveWriter:
    """Collects counters and settings; the same ones in the same order give the same text.

    *boards* chooses boards by map name; maps left out get the module's own choice. With *keep_set_up* VASSAL
    sets up the module's own stacks and decks when the save is opened, as in a new game; without it they stay
    away. ``turns`` holds the states of turn trackers by id (``TurnTracker0`` and so on); those left out begin anew.
    """

    def __init__(
        self,
        module: Module,
        boards: Mapping[str, Iterable[leaves.BoardChoice]] | None = None,
        *,
        first_id: int = 1,
        keep_set_up: bool = False,
    ) -> None:
        self.module = module
        self.notes = ""
        self.public_notes = ""
        self.description = ""
        self.turns: dict[str, str] = {}
        self.keep_set_up = keep_set_up
        self._next_id = first_id
        self._placed: list[_Placed] = []
        self._taken: set[str] = set()
        self._properties: dict[tuple[str, str], str] = {}
        self._choices: dict[str, tuple[leaves.BoardChoice, ...]] = {}
        self._layouts: dict[str, MapLayout] = {}
        for name, choices in (boards or {}).items():
            self._choices[module.map(name).name] = tuple(choices)
        for game_map in module.maps:
            chosen = self._choices.get(game_map.name, game_map.usual_boards)
            self._choices[game_map.name] = chosen
            self._layouts[game_map.name] = game_map.layout(chosen)

    def layout(self, map_name: str) -> MapLayout:
        """The map of that name with its boards in place."""
        return self._layouts[self.module.map(map_name).name]

    def add(
        self,
        slot: Slot | str,
        map_name: str,
        *,
        at: Point | None = None,
        location: str | None = None,
        board: str | None = None,
        look: Look | None = None,
        piece_id: str | None = None,
        facing: int | None = None,
        label: str | None = None,
    ) -> str:
        """Put a counter of *slot* on the map, at a pixel or at the centre of a location, and return its id.

        ``facing`` and ``label`` are short for the same fields of *look*. Pieces on one spot make one stack,
        the first added lowest. Raises :class:`~vassal.errors.VassalError`; the writer then stays as it was.
        """
        found = self.module.slot(slot) if isinstance(slot, str) else slot
        game_map = self.module.map(map_name)
        layout = self._layouts[game_map.name]
        if not layout.boards:
            raise SaveError(f"the map {game_map.name!r} has no boards in use; choose some for it")
        if (at is None) == (location is None):
            raise SaveError(f"the piece {found.name!r} needs a pixel or a location on the map {game_map.name!r}")
        point = layout.pixel(location, board) if location is not None else at
        assert point is not None
        new_id = self._fresh_id() if piece_id is None else piece_id
        if not new_id or new_id in self._taken or new_id == "null":
            raise SaveError(f"the piece {found.name!r} cannot have the id {new_id!r}: it is taken or no id")
        piece = look.apply(found.piece) if look is not None else found.piece
        piece = Look(facing=facing, label=label).apply(piece)
        piece = piece.born(found.gpid, new_id).at(game_map.name, *point)
        self._taken.add(new_id)
        self._placed.append(_Placed(new_id, piece, game_map.name, point))
        return new_id

    def set_property(self, name: str, value: str, container: str = "Module") -> None:
        """Set a global property of the module or of a map."""
        self._properties[container, name] = value

    def _fresh_id(self) -> str:
        while str(self._next_id) in self._taken:
            self._next_id += 1
        return str(self._next_id)

    def _stacks(self) -> Iterable[leaves.AddPiece]:
        spots: dict[tuple[str, Point], list[str]] = {}
        for placed in self._placed:
            if not placed.piece.never_stacks:
                spots.setdefault((placed.map, placed.point), []).append(placed.id)
        taken = set(self._taken)
        number = self._next_id
        for (map_name, (x, y)), members in spots.items():
            while str(number) in taken:
                number += 1
            taken.add(str(number))
            stack = Stack.of(map_name, x, y, tuple(members))
            yield leaves.AddPiece(str(number), stack.type, stack.state or "")

    def commands(self) -> list[leaves.AnyLeaf]:
        """The commands of the save in order: pieces before the stacks that hold them."""
        found: list[leaves.AnyLeaf] = [leaves.BeginSave()]
        found += [leaves.AddPiece(placed.id, placed.piece.type, placed.piece.state) for placed in self._placed]
        found += self._stacks()
        for (container, name), value in self._properties.items():
            found.append(leaves.GlobalProperty(name, value, container))
        found += [leaves.BoardPicker(name, choices) for name, choices in self._choices.items() if choices]
        if not self.keep_set_up:
            found.append(leaves.SetupStack())
        found += self.module.extensions  # VASSAL then tells who has not all of them
        found.append(leaves.Notes(stored_note(self.notes)))
        found.append(leaves.PublicNotes(stored_note(self.public_notes)))
        found += [leaves.Turn(tracker, state) for tracker, state in self.turns.items()]
        found.append(leaves.EndSave())
        return found

    def save(self, file: str = "new save", *, read: bool = True) -> Save:
        """The save. Raises :class:`~vassal.errors.LossyTextError` for a text VASSAL would misread.

        What is only going to be written need not be *read*: it has its commands, and says nothing of the table.
        """
        tree = commands.group(command.encode() for command in self.commands())
        module = self.module
        vassal = module.vassal or FALLBACK_VASSAL
        module_data = module.module_data or metadata_xml(module.version, vassal, module.description, module.name)
        entries = (
            (SAVED_GAME, b""),
            ("savedata", metadata_xml(module.version, vassal, self.description)),
            ("moduledata", module_data),
        )
        commands.encode(tree)  # a text that cannot be written is refused here, not when the file is half done
        return with_tree(Save(file, tree, entries), tree) if read else Save(file, tree, entries)

    def write(self, path: str | os.PathLike[str], key: int = DEFAULT_KEY) -> None:
        """Write the save to *path*; a file already there is replaced in one step."""
        self.save().write(path, key)
