"""What changed between two saves, in words: what moved, turned, appeared, went, changed its label or its
looks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vassal.atlas import Atlas
from vassal.dump import Looks, dump_piece, player_names
from vassal.module.module import Module
from vassal.save import Save
from vassal.text.lazy import dataclass

__all__ = ["Difference", "diff_saves"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One change. ``kind`` is one word (``moved``, ``turned``, ``appeared`` ...); ``id`` is the piece's, if
    any.
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
    """The changes from *before* to *after*, pieces by id first, then notes and global properties."""
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
    piece_id, name = new["id"], new["name"]
    if any(old[key] != new[key] for key in ("map", "x", "y")):
        before, after = _place(old), _place(new)
        if before == after:  # within one hex only the pixels tell
            before, after = (f"{piece['x']},{piece['y']} in {_place(piece)}" for piece in (old, new))
        yield Difference("moved", piece_id, name, before, after)
    seen = {f"{rotator['name']}_{what}" for rotator in new["rotation"] for what in ("Facing", "Degrees")}
    for one, other in zip(old["rotation"], new["rotation"], strict=False):
        if one["angle"] != other["angle"]:
            before, after = (f"{rotator['degrees']} degrees" for rotator in (one, other))
            yield Difference("turned", piece_id, name, before, after)
    for one, other in zip(old["labels"], new["labels"], strict=False):
        seen.add(other["property"])
        if one["raw"] != other["raw"]:
            yield Difference("changed its label", piece_id, name, repr(one["raw"]), repr(other["raw"]))
    for one, other in zip(old["layers"], new["layers"], strict=False):
        seen |= {f"{other['name']}_{what}" for what in ("Level", "Active", "Image", "Name")}
        if one != other:
            before, after = (f"{_level(layer)}" for layer in (one, other))
            yield Difference(f"changed its layer {other['name']!r}", piece_id, name, before, after)
    for key in ("hiddenBy", "obscuredBy"):
        if old.get(key) != new.get(key):
            word = "changed who hides it" if key == "hiddenBy" else "changed who masks it"
            yield Difference(word, piece_id, name, old.get(key) or "nobody", new.get(key) or "nobody")
    seen |= {"InvisibleToOthers", "ObscuredToOthers", "Moved"}
    for key in sorted((old["properties"].keys() | new["properties"].keys()) - seen):
        one, other = old["properties"].get(key), new["properties"].get(key)
        if one != other:
            yield Difference(f"changed {key!r}", piece_id, name, repr(one), repr(other))


def _level(layer: dict[str, Any]) -> str:
    return f"level {layer['level']}" + ("" if layer["active"] else " (off)")
