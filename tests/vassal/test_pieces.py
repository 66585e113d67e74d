"""Pieces: levels of type and state, traits, names, and changes to them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from vassal.errors import LossyTextError, PieceError
from vassal.module.module import Module
from vassal.pieces.piece import Look, Piece, join_levels, split_states, split_types
from vassal.pieces.trait import Trait
from vassal.pieces.traits import Rotator, TableTrait, Trail
from vassal.text.sequence import encode

texts = st.text(alphabet="ab;/\\'\t ü", max_size=8)


@given(st.lists(texts, min_size=1, max_size=30))
def test_levels_come_back_or_are_refused(levels: list[str]) -> None:
    levels[-1] = "piece;" + levels[-1].replace("\t", "")
    try:
        nested = join_levels(levels)
    except LossyTextError:
        return
    assert split_types(nested) == tuple(levels)
    assert split_states(nested, len(levels)) == tuple(levels)


@given(st.lists(st.text(alphabet="ab;/ ü", max_size=8), min_size=1, max_size=30))
def test_levels_of_which_nothing_is_quoted_are_nested_as_any_others(levels: list[str]) -> None:
    *outer, nested = levels
    for level in reversed(outer):
        nested = encode([level, nested], "\t")
    assert join_levels(levels) == nested


@given(st.lists(texts, min_size=1, max_size=12), texts)
def test_a_label_comes_back_or_is_refused(marks: list[str], label: str) -> None:
    types = [*("mark;k" for _ in marks), "label;", "piece;;;a.png;A"]
    states = [*("v" for _ in marks), "", "Map;1;2;3"]
    piece = Piece(join_levels(types), join_levels(states))
    try:
        changed = piece.labelled(label)
    except LossyTextError as error:
        assert "the piece 'A'" in str(error)
    else:
        assert changed.labels[0].text == label.strip()
        assert changed.map == "Map"
        assert changed.type == piece.type


def cruiser(space: Module) -> Piece:
    return space.slot("Cruiser A").piece


def test_facings_count_clockwise(space: Module) -> None:
    piece = cruiser(space)
    for facing in range(6):
        turned = piece.turned(facing)
        rotator = turned.rotators[0]
        assert (rotator.facing, rotator.degrees, rotator.angle) == (facing, facing * 60, -60.0 * facing)
        assert turned.properties["Facing_Facing"] == str(facing + 1)
        assert piece.turned_to(facing * 60) == turned
    for wrong in (-1, 6):
        with pytest.raises(PieceError, match="is not in the range 0 to 5"):
            piece.turned(wrong)
    with pytest.raises(PieceError, match="45 degrees are no facing"):
        piece.turned_to(45)
    with pytest.raises(PieceError, match="no trait 'Turret' to turn it"):
        piece.turned(1, "Turret")


def test_a_free_rotator_has_angles(space: Module) -> None:
    free = space.slot("Free").piece
    assert free.turned_to(33.5).state.startswith("-33.5\t")
    assert free.turned_to(33.5).rotators[0].degrees == 34
    with pytest.raises(PieceError, match="turns freely"):
        free.turned(1)


@pytest.mark.parametrize("state", ["99", "x", "", "nan", "inf"])
def test_odd_facings_are_clamped(state: str) -> None:
    assert Rotator("rotate;6;;;;;;;F", state).facing in (0, 5)
    assert Rotator("rotate;1;;;;;F", state).degrees in (0, 99)


def test_layers_labels_and_names(space: Module) -> None:
    piece = cruiser(space).labelled("CLOAKED").at_level("Hull", 2)
    assert piece.name == "Cruiser A (damaged) (CLOAKED)"
    assert piece.properties["Hull_Image"] == "ship-dmg.png"
    hidden = piece.at_level("Hull", 2, active=False)
    assert hidden.name == "Cruiser A (CLOAKED)"
    assert (hidden.layers[0].level, hidden.layers[0].active) == (2, False)
    assert hidden.properties["Hull_Level"] == "-2"
    assert cruiser(space).labelled("").name == "Cruiser A"
    with pytest.raises(PieceError, match="level 3 of the layer 'Hull' is not in the range 1 to 2"):
        piece.at_level("Hull", 3)
    with pytest.raises(PieceError, match="has no layer 'Shield'"):
        piece.at_level("Shield", 1)
    with pytest.raises(PieceError, match="has no label 'Speed'"):
        piece.labelled("16", "Speed")


def test_labels_fill_in_properties() -> None:
    piece = Piece("label;\tPROP;Speed\\\tpiece;;;;CA", "v$Speed$ $nobody$\t16\\\tMap;1;2")
    assert piece.name == "CA (v16 )"


def test_a_layer_can_go_before_behind_or_instead() -> None:
    layer = "emb2;;2;A;;2;;;2;;;;;false;0;0;a,b,c,d;+x,x+,x,;false;L"
    names = [Piece(f"{layer}\tpiece;;;;CA", f"{level}\tM;1;2").name for level in (1, 2, 3, 4, -1)]
    assert names == ["CAx", "xCA", "x", "CA", "CA"]


@pytest.mark.parametrize(
    ("state", "level", "active"),
    [("1;F", 1, True), ("-2;", 2, False), ("2;A", 2, True), ("", 1, False), ("x;A", 1, False)],
)
def test_old_states_of_a_layer_hold_the_keys_that_are_pressed(state: str, level: int, active: bool) -> None:
    """Up to VASSAL 3.1; the sign of the first field decides, as today."""
    layer = Piece("emb2;;2;AF;;2;;;2;;;;;false;0;0;a,b;+x,+y;false;L\tpiece;;;;CA", f"{state}\tM;1;2").layers[0]
    assert (layer.level, layer.active) == (level, active)


def test_a_piece_comes_to_rest() -> None:
    """The mark and the points go; that the trail is shown, and on which map it began, stays."""
    types, rest = "markmoved;m.gif;0;0\tfootprint;84,130;Trail\\\tpiece;;;;CA", "\\\tM;1;2"
    moved = Piece(types, f"true\ttrue;Map;2;1,2;3,4;true{rest}")
    assert moved.has_moved
    assert moved.rested() == Piece(types, f"false\ttrue;Map;0;true{rest}")
    assert not moved.rested().has_moved
    old = Piece(types, f"false\ttrue;Map;1;5,6{rest}")
    assert (old.has_moved, Look(rests=True).apply(old).all(Trail)[0].state) == (True, "true;Map;0")
    plain = Piece("piece;;;;CA", "M;1;2")
    assert not plain.has_moved and Look(rests=True).apply(plain) is plain


def test_a_layer_can_follow_a_property() -> None:
    layer = "emb2;;2;;;2;;;2;;;;;false;0;0;a,b,c;+1,+2,+3;false;L;;;true;{Speed};0"
    shown = {
        speed: Piece(f"{layer}\tPROP;Speed\\\tpiece;;;;CA", f"1\t{speed}\\\tM;1;2")
        for speed in ("0", "2", "9", "-5", "fast")
    }
    assert [piece.layers[0].level for piece in shown.values()] == [1, 3, 3, 1, 1]
    assert [piece.name for piece in shown.values()] == ["CA1", "CA3", "CA3", "CA1", "CA1"]
    assert shown["2"].properties["L_Level"] == "3"
    assert Piece(f"{layer}\tpiece;;;;CA", "-2\tM;1;2").layers[0].level == 2
    assert not shown["2"].layers[0].follows_expression
    reckoned = Piece(f"{layer.replace('{Speed}', '{Speed+1}')}\tpiece;;;;CA", "2\tM;1;2").layers[0]
    assert (reckoned.follows_expression, reckoned.level) == (True, 2)


def test_properties_can_be_set(space: Module) -> None:
    piece = cruiser(space)
    for name, value in (("Speed", "a;b"), ("Class", "D7,x"), ("Hull", "9~"), ("Log", "x|y"), ("Layer", "")):
        changed = piece.with_property(name, value)
        assert changed.properties[name] == value
        others = {key: old for key, old in piece.properties.items() if key != name}
        assert others == {key: new for key, new in changed.properties.items() if key != name}
    with pytest.raises(PieceError, match="no property 'Warp' that can be set"):
        piece.with_property("Warp", "1")


def test_levels_that_do_not_match_are_named() -> None:
    few = Piece("mark;A\tmark;B\\\tpiece;;;a.png;CA", "1\tMap;5;6;7")
    assert few.fault == "its type has 3 levels, its state only 2"
    assert (few.map, few.position) == (None, (0, 0))
    many = Piece("mark;A\tpiece;;;a.png;CA", "1\t2\\\tMap;5;6;7")
    assert many.fault == "its state has more than the 2 levels of its type"
    assert many.map is None
    crash = Piece("rotate;6\tpiece;;;a.png;CA", "-1\tMap;5;6;7")
    assert "which VASSAL cannot draw" in crash.fault
    assert crash.map == "Map"
    no_core = Piece("mark;a\trotate;6", "b\t-1")
    assert no_core.fault == "its facing is -1, which VASSAL cannot draw"


def test_unknown_traits_keep_their_texts() -> None:
    piece = Piece("gizmo;a;b\trotate;6;;;;;;;F\\\tpiece;;;a.png;CA", "odd\\\t\t1\\\tMap;5;6;7;1;UniqueID;x")
    assert type(piece.traits[0]) is Trait
    moved = piece.at("Map", 8, 9).turned(2)
    assert moved.traits[0] == piece.traits[0]
    assert moved.state.endswith("Map;8;9;7;1;UniqueID;x")


def test_trails_and_tables() -> None:
    assert Trail("footprint;", "false;Map;2;1,2;3,4;true").points == ((1, 2), (3, 4))
    assert Trail("footprint;", "").points == ()
    cleared = {
        "false;Map;2;1,2;3,4;true": "false;Map;0;true",
        "true;Map;2;1,2;3,4;true;2": "true;Map;0;true;0",  # VASSAL 3.8: so many points at the last look
        "true;Map;2;1,2;3,4": "true;Map;0",
        "false;;0;false": "false;;0;false",
    }
    assert {state: Trail("footprint;", state).cleared().state for state in cleared} == cleared
    assert TableTrait("table;2;2;Show", "a,b,c,d").rows == (("a", "b"), ("c", "d"))
    assert TableTrait("table;2;2;Show", "a").rows == (("a", ""), ("", ""))
    assert len(TableTrait("table;999999999;999999999;Show", "a").rows) <= 100_000


@pytest.mark.parametrize("type_text", ["", "\t", "\t\t\t", "'", "';'", "rotate;x\tpiece;", "stack\tstack", "emb2;\t"])
@pytest.mark.parametrize("state", ["", "\t", "\t\t\t", ";;;", "@@", "null"])
def test_rubbish_has_a_name_and_a_place(type_text: str, state: str) -> None:
    piece = Piece(type_text, state)
    assert isinstance(piece.name, str)
    assert isinstance(piece.position, tuple)
    assert isinstance(piece.properties, dict)


def test_too_many_traits_are_one_sentence() -> None:
    nested = "mark;a\t" + "mark;a\\\t" * 3
    deep = Piece("x\t" + "".join("x" + "\\" * level + "\t" for level in range(1, 600)) + nested, "")
    with pytest.raises(PieceError, match="more than 500 traits"):
        deep.traits  # noqa: B018
    with pytest.raises(PieceError, match="defined by 1000008 characters"):
        Piece("mark;A\t\\" + "x" * 1_000_000, "").traits  # noqa: B018
