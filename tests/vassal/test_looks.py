"""What a dump says of many pieces at once is what it says of each alone."""

from __future__ import annotations

import pytest

from vassal.dump import Atlas, Looks, dump_piece
from vassal.pieces.containers import Core
from vassal.pieces.piece import Piece
from vassal.pieces.trait import Trait
from vassal.pieces.traits import DynamicProperty, Label, Layer, Marker
from vassal.save import Save, TablePiece
from vassal.text.commands import Leaf

CORE = Core("piece;;;cruiser.png;Cruiser", "Map;24;28;5")


def label(text: str, *, form: str = "$pieceName$ ($label$)", name: str = "TextLabel") -> Label:
    """A label that shows ``text``: the piece's name with it is ``form``, the property that holds it ``name``."""
    return Label(f"label;{';' * 10};{form};;;;{name}", text)


def layer(follows: str) -> Layer:
    """A layer of three levels that follows a property."""
    return Layer(f"emb2;{';' * 14};a.png,b.png,c.png;+ one,+ two,+ three;;Damage;;;true;{follows};1", "1")


KINDS: dict[str, list[list[Trait]]] = {
    "labels alone differ": [[label(text)] for text in ("NCC-1", "NCC-2", "", "NCC-1")],
    "a label of the text of another": [[label(a, name="A"), label(b, name="B")] for a, b in ("12", "13", "21", "11")],
    "another trait differs as well": [[label(text), Marker("mark;Side", side)] for text in "ab" for side in "xy"],
    "two labels of one property": [[label(a), label(b)] for a in "12" for b in "34"],
    "a marker of the label's property": [[Marker("mark;TextLabel", "M"), label(text)] for text in "123"],
    "and below it": [[label(text), Marker("mark;TextLabel", "M")] for text in "123"],
    "a property it names": [
        [label(text), DynamicProperty("PROP;Crew;", crew)] for text in ("a $Crew$", "b $Crew$") for crew in "67"
    ],
    "an expression": [[label(text)] for text in ('{"a" + "b"}', '{"a" + "c"}', "{TextLabel}")],
    "a form that asks for more": [[label(text, form="$pieceName$ $TextLabel$ $BasicName$ $label$")] for text in "123"],
    "a layer that follows it": [[layer("TextLabel"), label(text)] for text in ("1", "2", "3", "no number")],
}


@pytest.mark.parametrize("traits", KINDS.values(), ids=list(KINDS))
def test_pieces_that_share_are_told_as_each_alone(traits: list[list[Trait]]) -> None:
    save = Save("made", Leaf(""))
    atlas, looks = Atlas(save, None), Looks({})
    pieces = [Piece.of([*around, CORE]) for around in traits]
    placed = [TablePiece(str(n), piece, *piece.place[:1], *piece.position) for n, piece in enumerate(pieces)]
    alone = [dump_piece(piece, atlas) for piece in placed]
    assert [dump_piece(piece, atlas, looks) for piece in placed] == alone
    assert [found["name"] for found in alone] == [piece.name for piece in pieces]


def test_a_label_is_told_where_it_is_the_only_difference() -> None:
    looks = Looks({})
    first, second = (looks.of(Piece.of([label(text), CORE])) for text in ("NCC-1", "NCC-2"))
    assert (first["name"], second["name"]) == ("Cruiser (NCC-1)", "Cruiser (NCC-2)")
    assert second["labels"] == [{"label": "NCC-2", "raw": "NCC-2", "property": "TextLabel"}]
    assert second["properties"]["TextLabel"] == "NCC-2"
    assert first["layers"] is second["layers"]  # shared, or the sharing is no use
