"""Dump saves and modules as plain JSON values, and compare saves.

Field names follow the terms of VASSAL's own developers. :class:`Atlas` names the board, zone and location of pixels
of a save's maps. :func:`diff_saves` lists the pieces that moved, turned, appeared, disappeared or changed between
two saves, and other changes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any, TypeAlias

from vassal.container.obfuscation import MASK
from vassal.errors import ModuleError
from vassal.module.boards import MapLayout
from vassal.module.module import Module, PaletteFolder, Slot
from vassal.pieces.piece import Guise, Piece
from vassal.pieces.traits import Invisible, Label, Mask
from vassal.save import Save, StackOnTable, TablePiece, remarks
from vassal.text import commands, leaves
from vassal.text.leaves import BoardChoice
from vassal.text.sequence import dataclass

__all__ = [
    "Atlas",
    "Difference",
    "Looks",
    "Place",
    "as_json",
    "diff_saves",
    "dump_json",
    "dump_module",
    "dump_piece",
    "dump_save",
    "player_names",
]


Place: TypeAlias = tuple[str | None, str | None, str | None]


class Atlas:
    """A lookup of the board, the zone and the location name of any pixel on the maps of a save.

    It needs the module of the save; without a module every name is ``None``.
    """

    def __init__(self, save: Save, module: Module | None) -> None:
        self.faults: list[str] = []
        self.layouts: dict[str, MapLayout] = {}
        self._places: dict[tuple[str | None, int, int], Place] = {}  # a cache, because many counters share few spots
        self._decks = {(stack.map, stack.x, stack.y): stack.deck for stack in save.stacks if stack.deck is not None}
        if module is None:
            return
        if save.module.module and module.name != save.module.module:
            self.faults.append(
                f"{save.file}: it was saved with the module {save.module.module!r}, not with {module.name!r}"
            )
        for game_map in module.maps:
            choices = save.boards.get(game_map.name, save.boards.get(game_map.id))
            try:
                layout = game_map.layout(choices)
            except ModuleError as error:
                self.faults.append(f"{save.file}: {error}")
                layout = MapLayout(game_map.name)
            self.layouts[game_map.name] = self.layouts[game_map.id] = layout
        for piece in save.pieces:
            if piece.map is not None and piece.map not in self.layouts:
                self.faults.append(
                    f"{save.file}: the piece {piece.id} ({piece.name!r}) is on the map {piece.map!r}, "
                    f"which the module {module.name!r} does not have"
                )

    def place(self, map_name: str | None, x: int, y: int) -> Place:
        """Return the board, the zone and the location name of a pixel."""
        spot = map_name, x, y
        found = self._places.get(spot)
        if found is None:
            found = self._places[spot] = self._place(*spot)
        return found

    def _place(self, map_name: str | None, x: int, y: int) -> Place:
        layout = self.layouts.get(map_name) if map_name is not None else None
        if layout is None:
            return None, None, None
        placed = layout.board_at((x, y))
        deck = self._decks.get((map_name, x, y))
        location = layout.location((x, y)) if deck is None else deck
        return placed.board.name if placed else None, layout.zone((x, y)), location


def dump_save(save: Save, module: Module | None = None) -> dict[str, Any]:
    """Return the whole save as a dict without passwords.

    With *module*, the names of boards and locations are included.

    Do not change the result: pieces that look alike share parts of it.
    """
    atlas = Atlas(save, module)
    return {
        **_save_without_pieces(save, module, atlas),
        "pieces": list(_pieces(save, atlas)),
        "stacks": list(_stacks(save, atlas)),
    }


def dump_json(save: Save, module: Module | None = None) -> Iterator[bytes]:
    """Yield :func:`dump_save` as indented JSON text in portions.

    A big save as one text would need several times the memory of the save.
    """
    atlas = Atlas(save, module)
    head, tail = as_json(_save_without_pieces(save, module, atlas)).split(_EMPTY_LISTS)
    yield head
    yield from _listed("pieces", _pieces(save, atlas), b",")
    yield from _listed("stacks", _stacks(save, atlas), b",")
    yield tail


_EMPTY_LISTS = b'\n "pieces": [],\n "stacks": [],'  # no text value contains this, because JSON writes a line end as \n
PORTION = 500
MAX_ALIKE = 5_000
"""Maximum number of dumped looks in the cache. Caching does not help if every piece has its own label."""


def _listed(name: str, items: Iterator[dict[str, Any]], after: bytes) -> Iterator[bytes]:
    """Yield the JSON text of one list of the dump in portions, followed by the text ``after``.

    ``name`` is the key of the list.
    """
    opening = f'\n "{name}": ['.encode()
    before, end = opening, opening + b"]"
    while portion := list(islice(items, PORTION)):
        text = as_json({name: portion})
        yield before + text[len(b"{") + len(opening) : -len(b"\n ]\n}")]
        before, end = b",", b"\n ]"
    yield end + after


def as_json(found: Any) -> bytes:
    """Return a dump as JSON with one value per line."""
    import msgspec

    try:
        return msgspec.json.format(msgspec.json.encode(found), indent=1)
    except UnicodeEncodeError:  # a lone surrogate in a text
        return json.dumps(found, ensure_ascii=False, indent=1).encode("utf-8", "replace")


def _pieces(save: Save, atlas: Atlas) -> Iterator[dict[str, Any]]:
    looks = Looks(player_names(save))
    return (dump_piece(piece, atlas, looks) for piece in sorted(save.pieces, key=attrgetter("id")))


def _stacks(save: Save, atlas: Atlas) -> Iterator[dict[str, Any]]:
    return (_dump_stack(stack, atlas) for stack in sorted(save.stacks, key=attrgetter("id")))


def _save_without_pieces(save: Save, module: Module | None, atlas: Atlas) -> dict[str, Any]:
    """Return the dump of a save with empty lists in place of its pieces and stacks."""
    properties = {name: value for (_, name), value in save.properties.items()}
    if module is not None:
        properties = {**module.properties, **properties}
    return {
        "file": save.file,
        "module": save.module.module or None,
        "moduleVersion": save.module.module_version or None,
        "vassal": save.saved_by.vassal or None,
        "description": save.saved_by.description or None,
        "players": [{"name": player.name, "side": player.side} for player in save.players],
        "boards": _boards(save, module, atlas),
        "globalProperties": dict(sorted(properties.items())),
        "turns": dict(sorted(save.turns.items())),
        "extensions": dict(sorted(save.extensions.items())),
        "notes": {
            "scenario": save.notes,
            "public": save.public_notes,
            "private": [{"owner": note.owner or MASK, "text": note.text} for note in save.private_notes],
            "delayed": [
                {"name": n.name, "owner": n.owner, "hidden": n.hidden, "date": n.date, "text": n.text}
                for n in save.delayed_notes
            ],
        },
        "pieces": [],
        "stacks": [],
        "logSteps": len(save.log),
        "remarks": list(remarks(save, module)),
        "faults": [*save.faults, *atlas.faults],
    }


def player_names(save: Save) -> dict[str, str]:
    """Return a dict of password to player name, from the roster of a save."""
    roster = (leaf.command for leaf in commands.leaves(save.tree) if leaf.text.startswith("PLAYER"))
    return {entry.id: entry.name for entry in roster if isinstance(entry, leaves.Player)}


class Looks:
    """A cache of dicts with the looks of pieces (what a piece shows); equal pieces share one entry.

    Pieces that differ only in the text of a label share most of the entry. *players* maps passwords to names. Do not
    change the results, because pieces share them.
    """

    def __init__(self, players: dict[str, str]) -> None:
        self._players = players
        self._alike: dict[Guise, dict[str, Any]] = {}
        self._kin: dict[Guise, dict[str, Any] | None] = {}

    def of(self, piece: Piece) -> dict[str, Any]:
        """Return a dict of everything that a piece shows: its name, facings, labels, layers and properties.

        The dict also says who hides the piece (a player or side).
        """
        found = self._alike.get(piece.guise)
        if found is None:
            found = self._of(piece)
            if len(self._alike) < MAX_ALIKE:
                self._alike[piece.guise] = found
        return found

    def _of(self, piece: Piece) -> dict[str, Any]:
        labels = piece.labels
        # A label or layer that depends on a property may show the text of another label.
        if not labels or piece.plan.followers or any("$" in label.text or label.is_expression for label in labels):
            return _looks(piece, self._players)
        kin = piece.unlabelled
        if kin not in self._kin:
            found = _looks(piece, self._players)
            if len(self._kin) < MAX_ALIKE:
                self._kin[kin] = found if _labels_are_independent(piece) else None
            return found
        shared = self._kin[kin]
        if shared is None:
            return _looks(piece, self._players)
        told = {label.property_name: label.text for label in labels}
        return {
            **shared,
            "name": piece.name,
            "labels": [{"label": text, "raw": text, "property": name} for name, text in told.items()],
            "properties": {**shared["properties"], **told},
        }


def _labels_are_independent(piece: Piece) -> bool:
    """Return whether each label of a piece is the only trait that sets the property with the label's text."""
    traits, own = piece.traits, [label.property_name for label in piece.labels]
    others = [traits[index].told for index in piece.plan.tellers if not isinstance(traits[index], Label)]
    return len(set(own)) == len(own) and not any(name in told for told in others for name in own)


def dump_piece(piece: TablePiece, atlas: Atlas, looks: Looks | None = None) -> dict[str, Any]:
    """Return one piece as a dict.

    Facings count from 1, degrees are clockwise, and a label's ``raw`` text may contain ``$names$``. Pieces dumped
    with the same *looks* share parts of the result.
    """
    inner = piece.piece
    seen = (looks or Looks({})).of(inner)
    board, zone, location = atlas.place(piece.map, piece.x, piece.y)
    return {
        "id": piece.id,
        "gpid": inner.gpid,
        "name": seen["name"],
        "basicName": seen["basicName"],
        "map": piece.map,
        "x": piece.x,
        "y": piece.y,
        "board": board,
        "zone": zone,
        "location": location,
        "stack": piece.stack,
        "stackIndex": piece.stack_index,
        **seen,
    }


def _looks(piece: Piece, players: dict[str, str]) -> dict[str, Any]:
    labels = piece.labels
    known = piece.known if any("$" in label.text or label.is_expression for label in labels) else {}
    found: dict[str, Any] = {
        "name": piece.name,
        "basicName": piece.basic_name,
        "rotation": [
            {
                "name": rotator.name,
                "angle": rotator.angle,
                "facing": str(rotator.facing + 1),
                "degrees": str(rotator.degrees),
                "facings": rotator.facings if rotator.facings > 1 else "free",
            }
            for rotator in piece.rotators
        ],
        "labels": [
            {"label": label.shown(known), "raw": label.text, "property": label.property_name} for label in labels
        ],
        "layers": [{"name": layer.name, "active": layer.active, "level": layer.level} for layer in piece.layers],
        "properties": dict(sorted(piece.properties.items())),
    }
    hiding: tuple[Invisible | Mask, ...] = (*piece.all(Invisible), *piece.all(Mask))
    for trait in hiding:
        if owner := trait.owner:
            if trait.owner_is_password:
                owner = players.get(owner, MASK)
            found["hiddenBy" if isinstance(trait, Invisible) else "obscuredBy"] = owner
    return found


def _dump_stack(stack: StackOnTable, atlas: Atlas) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": stack.id,
        "class": "Stack" if stack.deck is None else "Deck",
        "map": stack.map,
        "x": stack.x,
        "y": stack.y,
        "location": atlas.place(stack.map, stack.x, stack.y)[2],
        "members": list(stack.members),
    }
    if stack.deck is not None:
        found["deck"] = stack.deck
    return found


def _boards(save: Save, module: Module | None, atlas: Atlas) -> dict[str, Any]:
    if module is None:
        return {name: _choices(choices) for name, choices in sorted(save.boards.items())}
    return {
        game_map.name: [
            {
                "name": placed.board.name,
                "bounds": [placed.x, placed.y, placed.board.width, placed.board.height],
                "reversed": placed.reversed,
            }
            for placed in atlas.layouts[game_map.name].boards
        ]
        for game_map in module.maps
    }


def _choices(choices: Iterable[BoardChoice]) -> list[dict[str, Any]]:
    return [
        {"name": choice.name, "column": choice.column, "row": choice.row, "reversed": choice.reversed}
        for choice in choices
    ]


def dump_module(module: Module) -> dict[str, Any]:
    """Return a module as a dict: maps with boards and grids, palette, prototypes, sides, properties."""
    return {
        "file": module.file,
        "name": module.name,
        "version": module.version,
        "vassal": module.vassal,
        "description": module.description,
        "sides": list(module.sides),
        "maps": [
            {
                "name": game_map.name,
                "id": game_map.id,
                "kind": game_map.kind,
                "edge": [game_map.edge_width, game_map.edge_height],
                "boards": [
                    {
                        "name": board.name,
                        "size": [board.width, board.height],
                        "image": board.image or None,
                        "reversible": board.reversible,
                        "grid": None
                        if board.grid is None
                        else {"kind": type(board.grid).__name__, **dataclasses.asdict(board.grid)},  # type: ignore[call-overload]
                    }
                    for board in game_map.boards
                ],
                "defaultBoards": _choices(game_map.default_boards),
                "setUps": [dataclasses.asdict(set_up) for set_up in game_map.set_ups],
            }
            for game_map in module.maps
        ],
        "palette": [_dump_folder(folder) for folder in module.palette],
        "otherSlots": [_dump_slot(slot) for slot in module.slots if not slot.in_palette],
        "prototypes": {name: [t.type for t in piece.traits] for name, piece in sorted(module.prototypes.items())},
        "globalProperties": dict(sorted(module.properties.items())),
        "turnTrackers": list(module.turn_trackers),
        "extends": module.extends or None,
        "extensions": {extension.name: extension.version for extension in module.extensions},
        "faults": list(module.faults),
    }


def _dump_folder(folder: PaletteFolder) -> dict[str, Any]:
    return {
        "name": folder.name,
        "kind": folder.kind,
        "folders": [_dump_folder(below) for below in folder.folders],
        "slots": [_dump_slot(slot) for slot in folder.slots],
    }


def _dump_slot(slot: Slot) -> dict[str, Any]:
    piece = slot.piece
    return {
        "gpid": slot.gpid,
        "entryName": slot.name,
        "path": list(slot.path),
        "name": piece.name,
        "rotation": [{"name": r.name, "facings": r.facings if r.facings > 1 else "free"} for r in piece.rotators],
        "labels": [label.property_name for label in piece.labels],
        "layers": [{"name": layer.name, "levels": len(layer.images)} for layer in piece.layers],
        "traits": [trait.kind for trait in piece.traits],
    }


@dataclass(frozen=True, slots=True)
class Difference:
    """One change between two saves.

    Attributes:
        kind: A word or phrase such as ``moved``, ``turned`` or ``appeared``.
        id: The piece's id; ``None`` if the change is not about a piece.
        name: The name of the piece or other thing that changed.
        before: The old value, as text.
        after: The new value, as text.
    """

    kind: str
    id: str | None
    name: str
    before: str
    after: str

    def __str__(self) -> str:
        if self.kind in ("appeared", "disappeared"):
            where = self.after or self.before
            return f"{self.name} {self.kind} at {where}"
        return f"{self.name} {self.kind} from {self.before} to {self.after}"


def diff_saves(before: Save, after: Save, module: Module | None = None) -> list[Difference]:
    """Return the changes from *before* to *after*: pieces by id, then notes and global properties."""
    old_atlas, new_atlas = Atlas(before, module), Atlas(after, module)
    looks = Looks({**player_names(before), **player_names(after)})
    old = {piece.id: dump_piece(piece, old_atlas, looks) for piece in before.pieces}
    new = {piece.id: dump_piece(piece, new_atlas, looks) for piece in after.pieces}
    found: list[Difference] = []
    for piece_id in sorted(old.keys() | new.keys()):
        if piece_id not in new:
            gone = old[piece_id]
            found.append(Difference("disappeared", piece_id, gone["name"], _place(gone), ""))
        elif piece_id not in old:
            come = new[piece_id]
            found.append(Difference("appeared", piece_id, come["name"], "", _place(come)))
        else:
            found += _piece_changes(old[piece_id], new[piece_id])
    for kind, one, other in (
        ("scenario notes", before.notes, after.notes),
        ("public notes", before.public_notes, after.public_notes),
    ):
        if one != other:
            found.append(Difference("changed", None, f"the {kind}", repr(one), repr(other)))
    for key in sorted(before.properties.keys() | after.properties.keys()):
        one, other = before.properties.get(key, ""), after.properties.get(key, "")
        if one != other:
            found.append(Difference("changed", None, f"the property {key[1]!r} of {key[0]}", repr(one), repr(other)))
    return found


def _place(piece: dict[str, Any]) -> str:
    if piece["map"] is None:
        return "off the map"
    spot = piece["location"] if piece["location"] not in (None, "offboard") else f"{piece['x']},{piece['y']}"
    return f"{spot} ({piece['map']})"


def _piece_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    yield from _position_changes(old, new)
    yield from _trait_changes(old, new)
    yield from _hiding_changes(old, new)
    traits = _trait_properties(old, new)
    for key in sorted((old["properties"].keys() | new["properties"].keys()) - traits):
        one, other = old["properties"].get(key), new["properties"].get(key)
        if one != other:
            yield Difference(f"changed {key!r}", new["id"], new["name"], repr(one), repr(other))


def _position_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Yield the change of a piece's position, given in pixels if the piece stayed within one hex."""
    if any(old[key] != new[key] for key in ("map", "x", "y")):
        before, after = _place(old), _place(new)
        if before == after:  # within one hex only the pixels differ
            before, after = (f"{piece['x']},{piece['y']} in {_place(piece)}" for piece in (old, new))
        yield Difference("moved", new["id"], new["name"], before, after)


def _trait_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Yield the changes of a piece's rotation, labels and layers."""
    piece_id, name = new["id"], new["name"]
    for one, other in zip(old["rotation"], new["rotation"], strict=False):
        if one["angle"] != other["angle"]:
            before, after = (f"{rotator['degrees']} degrees" for rotator in (one, other))
            yield Difference("turned", piece_id, name, before, after)
    for one, other in zip(old["labels"], new["labels"], strict=False):
        if one["raw"] != other["raw"]:
            yield Difference("changed its label", piece_id, name, repr(one["raw"]), repr(other["raw"]))
    for one, other in zip(old["layers"], new["layers"], strict=False):
        if one != other:
            before, after = (f"{_level(layer)}" for layer in (one, other))
            yield Difference(f"changed its layer {other['name']!r}", piece_id, name, before, after)


def _hiding_changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    """Yield changes of the player or side that hides a piece or turns it face down."""
    for key, word in (("hiddenBy", "changed who hides it"), ("obscuredBy", "changed who masks it")):
        if old.get(key) != new.get(key):
            yield Difference(word, new["id"], new["name"], old.get(key) or "nobody", new.get(key) or "nobody")


def _trait_properties(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the names of properties whose changes are already reported as changes of a trait."""
    found = {"InvisibleToOthers", "ObscuredToOthers", "Moved"}
    found |= {f"{rotator['name']}_{what}" for rotator in new["rotation"] for what in ("Facing", "Degrees")}
    found |= {label["property"] for _, label in zip(old["labels"], new["labels"], strict=False)}
    for _, layer in zip(old["layers"], new["layers"], strict=False):
        found |= {f"{layer['name']}_{what}" for what in ("Level", "Active", "Image", "Name")}
    return found


def _level(layer: dict[str, Any]) -> str:
    return f"level {layer['level']}" + ("" if layer["active"] else " (off)")
