"""Expressions in labels: reckoned where they are constant, and left alone where they are not."""

from __future__ import annotations

import pytest

from vassal.dump import dump_piece
from vassal.module.module import Module
from vassal.pieces.piece import Piece
from vassal.save import read_save, remarks
from vassal.text import expressions
from vassal.text.expressions import constant

KNOWN: dict[str, str | None] = {
    "Name": "Lexington", "Level": "2", "Negative": "-7", "Plus": "+5", "Old": "007", "Half": "0.5", "Empty": "",
    "Open": "true", "Calculated": None, "Quoted": "{1+1}", "Hull_Level": "3", "Odd name": "NCC", "Long": "9" * 11,
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "comes_to"),
    [
        ("{}", ""),
        ("{ 012 }", "12"),
        ('{"a\\nb"}', "a\\nb"),
        ('{"a" + "b"}', "ab"),
        ('{"a\\tb" + 1 + 2}', "a\tb12"),
        ('{1 + 2 + "a"}', "3a"),
        ("{2 + 3 * 4 - 1}", "13"),
        ("{(2 + 3) * 4}", "20"),
        ("{-7 / 2}", "-3"),
        ("{-7 % 3}", "-1"),
        ("{7 / -2}", "-3"),
        ("{Level * 10}", "20"),
        ('{"x" + Plus}', "x5"),
        ("{Negative}", "-7"),
        ('{Name + "/" + Hull_Level}', "Lexington/3"),
        ('{GetProperty("Odd name") + "-" + $Level$}', "NCC-2"),
        ('{Name + Empty + "!"}', "Lexington!"),
        ('{Level > 1 && Open ? "hurt" : "whole"}', "hurt"),
        ('{Level == 1 ? "a" : Level == 2 ? "b" : "c"}', "b"),
        ('{Name == "Lexington" || false}', "true"),
        ('{!(Level >= 3) + ""}', "true"),
        ("{Level <= 2 && Level < 3 && Level != 4}", "true"),
    ],
)
def test_constant_ones(text: str, comes_to: str) -> None:
    assert constant(text, KNOWN) == comes_to


@pytest.mark.parametrize(
    "text",
    [
        "Lexington", "{", "{Nobody}", "{Calculated}", "{Half}", "{1.5}", "{1/0}", "{1 % 0}", "{Old + 1}", "{Long}",
        "{Quoted}", "{SumStack(Level)}", "{If(Level>1, 1, 2)}", "{Name.length()}", "{2147483647 + 1}", "{-Name}",
        "{Level > 1}}", '{"a}', "{(1}", "{1 +}", "{1 ? 2 : 3}", '{Level == "2"}', "{010 + 1}", "{5--3}", "{1++2}",
        '{"\\u0041" + 1}', "{a=1}", "{Level; 1}", "{1 2}", "{99999999999 + 1}", "{!Level}", "{-2147483648 / -1}",
    ],
)  # fmt: skip
def test_what_is_not_known_here(text: str) -> None:
    assert constant(text, KNOWN) is None


def test_two_minuses_apart_are_two_signs() -> None:
    assert constant("{5 - -3}", {}) == "8"


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing a stranger writes takes long, grows big or goes deep."""
    assert constant("{" + "(" * 30 + "1" + ")" * 30 + "}", {}) == "1"
    assert constant("{" + "(" * 400 + "1" + ")" * 400 + "}", {}) is None
    assert constant("{" + "1?" * 400 + "}", {}) is None
    assert constant("{" + "!" * 900 + "true}", {}) == "true"
    assert constant("{" + "+".join(["Big"] * 200) + "}", {"Big": "x" * 9_999}) is None
    assert constant("{Big + 1}", {"Big": "x" * 10_001}) is None
    assert constant("{" + "1" * 2_000 + "}", {}) is None
    monkeypatch.setattr(expressions, "MAX_EXPRESSION", 5)
    assert constant("{1+1}", {}) == "2" and constant("{11+1}", {}) is None


LABEL = "label;;;;;;;;;;;;$pieceName$ [$label$];;;;Shown;"


def test_a_label_of_a_piece() -> None:
    """It knows markers, layers, dynamic properties and the piece's own name; not what is calculated outside of them."""
    kinds = [LABEL, "emb2;;2;;;2;;;2;;;;;false;0;0;a,b;ok,+ hit;false;Hull", "mark;Class", "piece;;;a.png;CA"]
    states = ['{Class + "-" + Hull_Level + " " + BasicName}', "2", "Constitution", "null;0;0;1"]
    piece = Piece(_nested(kinds), _nested(states))
    assert piece.name == "CA hit [Constitution-2 CA]"
    hidden = Piece(_nested([LABEL, "calcProp;Class;{1}", *kinds[1:]]), _nested([states[0], "", *states[1:]]))
    assert hidden.name == f"CA hit [{states[0]}]"
    outside = Piece(_nested([*kinds[:3], "calcProp;Class;{1}", kinds[3]]), _nested([*states[:3], "", states[3]]))
    assert outside.name == piece.name


def test_a_format_that_is_an_expression() -> None:
    form = LABEL.replace("$pieceName$ [$label$]", '{label + ": " + pieceName}')
    assert Piece(f"{form}\tpiece;;;a.png;CA", "x\tnull;0;0").name == "x: CA"


def test_in_a_dump_and_its_remarks(tmp_path: object, data: object, space: Module) -> None:
    from vassal.dump import Atlas
    from vassal.save import with_tree
    from vassal.text import commands, leaves

    save = read_save(f"{data}/hexspace-handwritten.vsav")
    known = Piece(_nested([LABEL, "mark;N", "piece;;;a.png;CA"]), _nested(['{N + "!"}', "x", "Tactical Map;1;2"]))
    leaf = commands.Leaf(leaves.AddPiece("odd", known.type, known.state).encode())
    with_one = with_tree(save, commands.insert_before(save.tree, lambda leaf: leaf.text == "end_save", [leaf]))
    shown = dump_piece(with_one.piece("odd"), Atlas(with_one, space))["labels"]
    assert shown == [{"label": "x!", "raw": '{N + "!"}', "property": "Shown"}]
    assert remarks(with_one, space) == remarks(save, space)


def _nested(texts: list[str]) -> str:
    from vassal.pieces.piece import join_levels

    return join_levels(texts)
