"""Edges of what the package reads, as whole values: short commands, missing metadata, limits, tables with odd steps."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from vassal.container.archive import Archive, image_size, metadata_xml
from vassal.errors import ArchiveError, LocationError, ModuleError
from vassal.module.boards import MAX_BOARDS, Board, GameMap, MapLayout, PlacedBoard
from vassal.module.grids import GridNumbering, HexGrid
from vassal.module.module import Module, read_module
from vassal.pieces import piece as blueprint_of, piece as levels
from vassal.pieces.containers import Core, Deck, Stack
from vassal.pieces.piece import MAX_KEPT, Blueprint, Piece, blueprint, join_levels, split_states, split_types
from vassal.save import TableState, with_tree
from vassal.text.commands import Group, Leaf, group, insert_before, leaves, read_leaf, replace
from vassal.text.leaves import AddPiece, BoardChoice, BoardPicker, ChangePiece, MovePiece, RemovePiece, Unknown
from vassal.text.sequence import decode, encode_token, is_number, number, unquote
from vassal.write import NewPiece, SaveWriter, update

# --- commands --------------------------------------------------------------------------------------------------------

MOVE = ("7", "Map", "1", "2", "8", "Old", "3", "4", "9", "pw")
BLANK = (None, None, 0, 0, None, None, 0, 0, None, "")


@pytest.mark.parametrize("known", range(1, 11))
def test_a_move_may_leave_out_where_the_piece_was(known: int) -> None:
    """Old files have five parts only; what is left out is nowhere, at 0,0, by nobody."""
    text = "M/" + "/".join(MOVE[:known])
    whole = (7, "Map", 1, 2, "8", "Old", 3, 4, "9", "pw")
    expected = MovePiece(*("7", *whole[1:known], *BLANK[known:]))  # type: ignore[arg-type]
    assert read_leaf(text) == (Unknown(text) if known < 5 else expected)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("D/7", Unknown("D/7")),
        ("D/7/new", ChangePiece("7", "new", None)),
        ("D/7/new/", ChangePiece("7", "new", "")),
        ("+/7/piece", Unknown("+/7/piece")),
        ("+/7/piece/", AddPiece("7", "piece", "")),
        ("BoardPicker", BoardPicker("", ())),
        ("BoardPicker\tA\t1\t2", BoardPicker("", (BoardChoice("A", 1, 2),))),
        ("MBoardPicker\tA\t1\t2\tB/rev\t3", BoardPicker("M", (BoardChoice("A", 1, 2),))),
        (
            "MBoardPicker\tA\t1\t2\tB/rev\t3\t4",
            BoardPicker("M", (BoardChoice("A", 1, 2), BoardChoice("B", 3, 4, True))),
        ),
        ("x\tBoardPicker\tA\t1\t2", Unknown("x\tBoardPicker\tA\t1\t2")),
        ("x\tBoardPicker", Unknown("x\tBoardPicker")),
        ("xBoardPickers", Unknown("xBoardPickers")),
    ],
)
def test_the_fewest_parts_of_a_command(text: str, read: object) -> None:
    assert read_leaf(text) == read


def test_a_leaf_is_taken_out_or_put_in_and_the_rest_stays() -> None:
    a, b, c, new = (Leaf(word) for word in "abcn")
    tree = Group((a, Group((b, c))))
    assert replace(tree, lambda leaf: leaf) is tree
    assert replace(tree, lambda leaf: None if leaf == a else leaf) == Group((Leaf(""), Group((b, c))))
    assert replace(tree, lambda leaf: None if leaf == c else leaf) == Group((a, Group((b,))))
    assert replace(tree, lambda leaf: new if leaf == b else leaf) == Group((a, Group((new, c))))
    assert replace(a, lambda leaf: None) == Leaf("")
    assert replace(a, lambda leaf: new) == new
    assert insert_before(tree, lambda leaf: leaf == c, [new]) == Group((a, Group((b, new, c))))
    assert insert_before(tree, lambda leaf: leaf == b, [new]) == Group((a, Group((Leaf(""), new, b, c))))
    assert insert_before(tree, lambda leaf: leaf == a, [new]) == Group((Leaf(""), new, *tree.items))
    assert insert_before(tree, lambda leaf: False, [new]) == Group((*tree.items, new))
    assert insert_before(a, lambda leaf: True, [new]) == Group((Leaf(""), new, a))
    assert insert_before(a, lambda leaf: False, [new]) == Group((a, new))
    assert insert_before(group(["a", "b", "c", "b"]), lambda leaf: leaf == b, [new]) == group(["a", "n", "b", "c", "b"])


@pytest.mark.parametrize(
    ("token", "bare", "written"),
    [
        ("", "", ""),
        ("'", "'", "'''"),
        ("''", "", "''''"),
        ("'a'", "a", "''a''"),
        ("'a", "'a", "'a"),
        ("a'", "a'", "a'"),
        ("\\a", "\\a", "'\\a'"),
        ("a;b", "a;b", "a\\;b"),
        (";", ";", "\\;"),
    ],
)
def test_the_apostrophes_of_a_token(token: str, bare: str, written: str) -> None:
    assert (unquote(token), encode_token(token, ";"), decode(written, ";")) == (bare, written, [token])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("-2147483648", -2147483648),
        ("-2147483649", None),
        ("+5", 5),
        ("000000000007", 7),
        ("0000000000007", None),
        ("123456789", 123456789),
        ("1234567890", 1234567890),
        ("٣", None),
        ("", None),
        ("-", None),
    ],
)
def test_what_vassal_reads_as_a_whole_number(text: str, value: int | None) -> None:
    assert (is_number(text), number(text, -77)) == (value is not None, -77 if value is None else value)
    assert number(text) == (value or 0)


# --- pieces ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "place", "gpid", "moved", "born"),
    [
        ("", (None, (0, 0)), "", "M;3;4", "null;0;0;12;1;UniqueID;u"),
        ("Map;1;2", ("Map", (1, 2)), "", "M;3;4", "Map;1;2;12;1;UniqueID;u"),
        ("Map;1;2;9", ("Map", (1, 2)), "9", "M;3;4;9", "Map;1;2;12;1;UniqueID;u"),
        ("Map;1;2;9;1;k;v", ("Map", (1, 2)), "9", "M;3;4;9;1;k;v", "Map;1;2;12;1;UniqueID;u"),
        ("null;5;6;9", (None, (5, 6)), "9", "M;3;4;9", "null;5;6;12;1;UniqueID;u"),
        (";5;6", (None, (5, 6)), "", "M;3;4", ";5;6;12;1;UniqueID;u"),
        ("Map;5", ("Map", (5, 0)), "", "M;3;4", "Map;5;;12;1;UniqueID;u"),
    ],
)
def test_where_a_counter_is(
    state: str, place: tuple[str | None, tuple[int, int]], gpid: str, moved: str, born: str
) -> None:
    core = Core("piece;;;a.png;Ship", state)
    assert (core.image, core.name, core.place, (core.map, core.position), core.gpid) == (
        "a.png", "Ship", place, place, gpid,
    )  # fmt: skip
    assert (core.at("M", 3, 4).state, core.born("12", "u").state) == (moved, born)
    assert core.at(None, 3, 4).state == "null" + moved[1:]


@pytest.mark.parametrize(
    ("state", "place", "members", "layer"),
    [
        ("", (None, (0, 0)), (), None),
        ("null", (None, (0, 0)), (), None),
        ("null;7;8", (None, (0, 8)), ("7", "8"), None),
        ("null;7;a", (None, (0, 0)), ("7", "a"), None),
        ("null;0;0;7;8", (None, (0, 0)), ("7", "8"), None),
        ("null;7", (None, (0, 0)), ("7",), None),
        ("null;0;0", (None, (0, 0)), (), None),
        ("Map;5;6", ("Map", (5, 6)), (), None),
        ("Map;5;6;7;8;@@2", ("Map", (5, 6)), ("7", "8"), 2),
        ("Map;-5;-6;7;@@x", ("Map", (-5, -6)), ("7",), -1),
        ("Map;5", ("Map", (5, 0)), (), None),
    ],
)
def test_what_a_stack_holds_and_where(
    state: str, place: tuple[str | None, tuple[int, int]], members: tuple[str, ...], layer: int | None
) -> None:
    stack = Stack("stack", state)
    x = 7 if state == "null;7;8" else place[1][0]  # a place nobody can tell from members, as VASSAL reads it
    assert (stack.place, stack.map, stack.members, stack.layer) == (
        (place[0], (x, place[1][1])),
        place[0],
        members,
        layer,
    )


def test_stacks_and_decks_as_they_are_written() -> None:
    assert Stack.of("M", 1, 2, ("3", "4")).state == "M;1;2;3;4"
    assert Stack.of(None, 1, 2, ("3",), 0).state == "null;1;2;3;@@0"
    deck = Deck("deck;" + ";".join(["", *map(str, range(2, 13)), "Cards", "x"]), "M;1;2;a;7,,8;b")
    assert (deck.place, deck.map, deck.position, deck.members) == (("M", (1, 2)), "M", (1, 2), ("7", "8"))
    assert deck.with_members(("9",)).state == "M;1;2;a;9;b"
    assert Deck("deck;", "").with_members(("9",)).state == "null;;;;9"
    assert (Deck("deck;", ";1;2").map, Deck("deck;", None).members) == (None, ())


@pytest.mark.parametrize("texts", [["a"], ["a", "b"], ["", "", "c"], ["a'", "'b", "c"], ["1", "2", "3", "4", "\t"]])
def test_levels_are_nested_and_told_apart_again(texts: list[str]) -> None:
    joined = join_levels(texts)
    if "\t" not in texts[-1]:
        assert split_types(joined) == tuple(texts)
    assert split_states(joined, len(texts)) == tuple(texts)
    assert split_states(joined, len(texts) + 2)[len(texts) + (texts[-1] == "\t") :] == (None,) * (
        2 - (texts[-1] == "\t")
    )


# --- the table -------------------------------------------------------------------------------------------------------

SHIP = "piece;;;a.png;Ship"


def laid(*commands: AddPiece | ChangePiece | MovePiece | RemovePiece) -> TableState:
    table = TableState()
    for command in commands:
        table.run_one(command)
    return table


def seen(table: TableState) -> dict[str, tuple[object, ...]]:
    standing = {key: (one.map, one.x, one.y, one.holder) for key, one in table.counters.items()}
    return {**standing, **{key: (one.map, one.x, one.y, one.members) for key, one in table.holders.items()}}


def move(piece: str, x: int, under: str | None = None) -> MovePiece:
    return MovePiece(piece, "M", x, 0, under, None, 0, 0, None, "")


A, B = AddPiece("a", SHIP, "M;1;0"), AddPiece("b", SHIP, "M;1;0")
PILE = AddPiece("s", "stack", "M;1;0;a;b")


def test_the_same_counter_sent_twice_takes_the_place_of_the_first() -> None:
    again = AddPiece("a", SHIP, "M;5;0")
    assert seen(laid(A, B, PILE, again)) == {"b": ("M", 1, 0, "s"), "a": ("M", 5, 0, None), "s": ("M", 1, 0, ["b"])}
    pile = AddPiece("s", "stack", "M;7;0;b")
    assert seen(laid(A, B, PILE, pile)) == {
        "a": ("M", 1, 0, None), "b": ("M", 7, 0, "s"), "s": ("M", 7, 0, ["b"]),
    }  # fmt: skip
    assert seen(laid(A, B, PILE, AddPiece("s", SHIP, "M;7;0"))) == {
        "a": ("M", 1, 0, None), "b": ("M", 1, 0, None), "s": ("M", 7, 0, None),
    }  # fmt: skip
    # A stack that takes the name of a counter holds it no more, nor does the stack it stood in.
    assert seen(laid(A, B, PILE, AddPiece("a", "stack", "M;7;0;b"))) == {"b": ("M", 7, 0, "a"), "a": ("M", 7, 0, ["b"])}


def test_counters_without_an_id_get_the_next_free_number() -> None:
    bare = AddPiece(None, SHIP, "M;1;0")
    pile = AddPiece("2", "stack", "M;1;0;1")
    assert list(seen(laid(bare, pile, bare, AddPiece("4", SHIP, ""), bare))) == ["1", "3", "4", "5", "2"]


def test_what_is_not_on_the_table_is_left_alone() -> None:
    before = seen(laid(A, B, PILE))
    for strange in (RemovePiece("x"), ChangePiece("x", "M;9;0"), move("x", 9)):
        assert seen(laid(A, B, PILE, strange)) == before


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        (RemovePiece("a"), {"b": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["b"])}),
        (RemovePiece("s"), {"a": ("M", 1, 0, None), "b": ("M", 1, 0, None)}),
        (move("a", 4), {"a": ("M", 4, 0, None), "b": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["b"])}),
        (move("s", 4), {"a": ("M", 4, 0, "s"), "b": ("M", 4, 0, "s"), "s": ("M", 4, 0, ["a", "b"])}),
        (move("a", 1, "b"), {"a": ("M", 1, 0, "s"), "b": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["b", "a"])}),
        (move("b", 1), {"a": ("M", 1, 0, "s"), "b": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["b", "a"])}),
        (ChangePiece("s", "M;6;0;b"), {"a": ("M", 1, 0, None), "b": ("M", 6, 0, "s"), "s": ("M", 6, 0, ["b"])}),
        (ChangePiece("a", "M;6;0"), {"a": ("M", 1, 0, "s"), "b": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["a", "b"])}),
    ],
)
def test_each_step_moves_what_it_names(last: RemovePiece, expected: dict[str, tuple[object, ...]]) -> None:
    assert seen(laid(A, B, PILE, last)) == expected


def test_the_last_counter_of_a_stack_takes_it_along_but_leaves_a_deck() -> None:
    pile, deck = AddPiece("s", "stack", "M;1;0;a"), AddPiece("d", "deck;", "M;1;0;;a")
    assert seen(laid(A, pile, move("a", 3))) == {"a": ("M", 3, 0, None)}
    assert seen(laid(A, deck, move("a", 3))) == {"a": ("M", 3, 0, None), "d": ("M", 1, 0, [])}
    assert seen(laid(A, pile, move("a", 3), B)) == {"a": ("M", 3, 0, None), "b": ("M", 1, 0, None)}


def test_nothing_joins_a_stack_that_is_gone() -> None:
    """Taken away, moved or emptied, it is no longer where it was; one that comes there is joined."""
    gone = {"a": ("M", 1, 0, None), "b": ("M", 1, 0, None)}
    assert seen(laid(A, B, PILE, RemovePiece("s"), move("a", 1))) == gone
    changed = {"a": ("M", 1, 0, None), "b": ("M", 6, 0, "s"), "s": ("M", 6, 0, ["b"])}
    assert seen(laid(A, B, PILE, ChangePiece("s", "M;6;0;b"), move("a", 1))) == changed
    away = AddPiece("s", "stack", "M;7;0;b")
    left = {"a": ("M", 1, 0, None), "b": ("M", 7, 0, "s"), "s": ("M", 7, 0, ["b"])}
    assert seen(laid(A, B, PILE, away, move("a", 1))) == left
    assert seen(laid(A, B, away, move("s", 8), move("a", 7))) == {
        "a": ("M", 7, 0, None), "b": ("M", 8, 0, "s"), "s": ("M", 8, 0, ["b"]),
    }  # fmt: skip
    assert seen(laid(A, B, away, move("s", 8), move("a", 8))) == {
        "a": ("M", 8, 0, "s"), "b": ("M", 8, 0, "s"), "s": ("M", 8, 0, ["a", "b"]),
    }  # fmt: skip
    assert seen(laid(A, B, away, move("b", 1), move("a", 7))) == {
        "a": ("M", 7, 0, None), "b": ("M", 1, 0, None),
    }  # fmt: skip


def test_a_stack_that_names_strangers_says_so_and_holds_the_others() -> None:
    table = laid(A, AddPiece("s", "stack", "M;1;0;x;a;a"))
    assert table.faults == ["the stack s names the piece x, which is not in the game"]
    assert seen(table) == {"a": ("M", 1, 0, "s"), "s": ("M", 1, 0, ["a"])}


def test_a_step_sets_only_what_it_changed() -> None:
    """Label and place are two levels: a step that changed the one leaves the other as it stands now."""
    kind = join_levels(["label;;10", SHIP])

    def state(label: str, place: str) -> str:
        return join_levels([label, place])

    one = AddPiece("a", kind, state("old", "M;1;0"))
    label = ChangePiece("a", state("new", "M;1;0"), state("old", "M;1;0"))
    place = ChangePiece("a", state("old", "M;9;0"), state("old", "M;1;0"))
    moved = laid(one, move("a", 5), label)
    assert (moved.counters["a"].piece.state, seen(moved)) == (state("new", "M;1;0"), {"a": ("M", 5, 0, None)})
    both = laid(one, label, place)
    assert (both.counters["a"].piece.state, seen(both)) == (state("new", "M;9;0"), {"a": ("M", 9, 0, None)})


# --- pictures --------------------------------------------------------------------------------------------------------

PNG = b"\x89PNG\r\n\x1a\n" + b"....IHDR" + struct.pack(">II", 300, 200)
GIF = b"GIF89a" + struct.pack("<HH", 300, 200)
BMP = b"BM".ljust(18, b".") + struct.pack("<ii", 300, -200)
JPEG = b"\xff\xd8" + b"\xff\xe0\x00\x04ab" + b"\xff" + b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 200, 300)


@pytest.mark.parametrize("data", [PNG, GIF, GIF.replace(b"89", b"87"), BMP, JPEG])
def test_a_picture_has_a_size_as_soon_as_its_head_is_whole(data: bytes) -> None:
    assert image_size(data) == image_size(data + b"more") == (300, 200)
    assert [image_size(data[:length]) for length in range(len(data))] == [None] * len(data)


@pytest.mark.parametrize("marker", [0xC4, 0xC8, 0xCC, 0xBF, 0xD0])
def test_a_part_of_a_jpeg_that_is_no_frame_is_passed_over(marker: int) -> None:
    table = bytes([0xFF, marker]) + b"\x00\x08\x08" + struct.pack(">HH", 1, 2) + b"."
    assert image_size(JPEG[:2] + table + JPEG[2:]) == (300, 200)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('<svg width="300" height="200">', (300, 200)),
        ("<svg height='200.4px' width='299.6px'>", (300, 200)),
        ('<svg width="300" viewBox="0 0 30 20">', (30, 20)),
        ('<svg viewBox="-5,-5, 30.2 , 20.2">', (30, 20)),
        ('<svg width="10mm" height="10mm">', None),
        ('<svg width="." height="1">', None),
        ('<g width="1" height="2"/>', None),
        ("<svg", None),
    ],
)
def test_the_size_of_a_drawing(text: str, size: tuple[int, int] | None) -> None:
    assert image_size(text.encode()) == size


# --- modules and boards ----------------------------------------------------------------------------------------------

GRID = HexGrid(dx=48.0, dy=56.0, x0=24, y0=28)


def test_the_boards_a_map_begins_with() -> None:
    one, two = Board("One", 10, 10), Board("Two", 10, 10)
    chosen = (BoardChoice("Two"),)
    assert GameMap("M", "Map0").usual_boards == ()
    assert GameMap("M", "Map0", boards=(one,)).usual_boards == (BoardChoice("One"),)
    assert GameMap("M", "Map0", boards=(one, two)).usual_boards == ()
    assert GameMap("M", "Map0", boards=(one, two), default_boards=chosen).usual_boards == chosen
    assert GameMap("M", "Map0", boards=(two,), default_boards=chosen * 2).usual_boards == chosen * 2
    assert GameMap("M", "Map0", boards=(one,)).layout().boards == (PlacedBoard(one, 0, 0),)
    assert GameMap("M", "Map0", boards=(one,)).layout(()).boards == ()


def test_boards_lie_row_by_row_each_beside_and_below_the_others() -> None:
    wide, high = Board("wide", 100, 50), Board("high", 40, 90)
    game_map = GameMap("M", "Map0", edge_width=7, edge_height=9, boards=(wide, high))
    cells = [("high", 1, 1), ("wide", 0, 1), ("wide", 1, 0), ("high", 0, 0), ("high", 2, 0), ("wide", 0, 2)]
    layout = game_map.layout([BoardChoice(*cell) for cell in cells])
    assert [(placed.board.name, placed.x, placed.y) for placed in layout.boards] == [
        ("high", 7, 9), ("wide", 47, 9), ("high", 147, 9),
        ("wide", 7, 99), ("high", 107, 59),
        ("wide", 7, 149),
    ]  # fmt: skip


def test_as_many_boards_as_are_laid_and_no_more() -> None:
    game_map = GameMap("M", "Map0", boards=(Board("B", 1, 1),))
    cells = [BoardChoice("B", column) for column in range(MAX_BOARDS + 1)]
    assert len(game_map.layout(cells[:-1]).boards) == 1000
    with pytest.raises(ModuleError, match=r"^the map 'M' has 1001 boards in use, more than 1000$"):
        game_map.layout(cells)


@pytest.mark.parametrize(
    ("point", "on", "local"),
    [((10, 20), True, (0, 0)), ((9, 20), False, (-1, 0)), ((10, 19), False, (0, -1)), ((59, 99), True, (49, 79)),
     ((60, 99), False, (50, 79)), ((59, 100), False, (49, 80))],
)  # fmt: skip
def test_the_edges_of_a_board(point: tuple[int, int], on: bool, local: tuple[int, int]) -> None:
    placed, turned = PlacedBoard(Board("B", 50, 80), 10, 20), PlacedBoard(Board("B", 50, 80), 10, 20, True)
    assert (placed.holds(point), placed.local(point), placed.on_map(local)) == (on, local, point)
    half = (50 - local[0], 80 - local[1])
    assert (turned.local(point), turned.on_map(half)) == (half, point)


@pytest.mark.parametrize(
    ("x0", "y0", "point", "rests"),
    [
        (48, 28, (50, 48), (57, 48)),
        (-1, 28, (15, 48), (10, 48)),
        (24, 56, (34, 70), (34, 75)),
        (24, -1, (34, 22), (34, 20)),
        (24, 28, (34, 48), (34, 48)),
        (49, 28, (50, 48), (59, 48)),
        (-2, 28, (15, 48), (8, 48)),
    ],
)
def test_what_misses_the_board_by_one_pixel_is_pulled_back_onto_it(
    x0: int, y0: int, point: tuple[int, int], rests: tuple[int, int]
) -> None:
    board = Board("B", 48, 56, HexGrid(dx=48.0, dy=56.0, x0=x0, y0=y0))
    assert MapLayout("M", (PlacedBoard(board, 10, 20),)).snap(point) == rests


def test_a_range_needs_a_grid_and_may_end_beside_the_board() -> None:
    bare, hexes = PlacedBoard(Board("bare", 50, 80), 0, 0), PlacedBoard(Board("hexes", 480, 560, GRID), 50, 0)
    layout = MapLayout("M", (bare, hexes))
    for point in ((3, 4), (900, 7)):
        with pytest.raises(LocationError) as told:
            layout.range(point, (60, 60))
        assert str(told.value) == f"the map 'M' has no grid at {point[0]},{point[1]} to reckon a range in"
    assert layout.range((70, 30), (220, 30)) == layout.range((74, 28), (218, 28)) == 3
    assert layout.range((74, 28), (3, 4)) == 1  # on the other board: left of the first column
    assert layout.range((74, 28), (900, 7)) == 18  # beyond all boards: reckoned as if the first began at 0
    assert (layout.snap((3, 4)), layout.snap((900, 7)), layout.snap((70, 30))) == ((3, 4), (900, 7), (74, 28))
    assert [layout.location(point) for point in ((3, 4), (900, 7), (70, 30))] == ["offboard", "offboard", "0101"]
    with pytest.raises(LocationError) as told:
        layout.pixel("2020")
    reasons = "the board 'bare' has no grid; '2020' lies outside the board 'hexes'"
    assert str(told.value) == f"the map 'M' has no location '2020': {reasons}"
    with pytest.raises(LocationError, match=r"^the map 'M' has no location '0101': it has no boards$"):
        layout.pixel("0101", "none")
    assert layout.pixel("0101", "hexes") == (74, 28)


def test_a_descending_grid_counts_from_the_far_edge_both_ways() -> None:
    """VASSAL takes the height of a hex for the number of columns, and the step of columns for that of rows."""
    for sideways in (False, True):
        both = GridNumbering(column_descends=True, row_descends=True, stagger=False)
        grid = HexGrid(dx=48, dy=56, x0=24, y0=28, width=500, height=600, sideways=sideways, numbering=both)
        columns, rows = (13, 9) if sideways else (9, 13)
        for column in range(4):
            for row in range(4):
                name = f"{columns - column + 1:02}{rows - row + 1:02}"
                assert (grid.name(grid.centre(column, row)), grid.cell(name)) == (name, (column, row))


def packed(path: Path, root: str, moduledata: bytes | None = None) -> Module:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("buildFile.xml", f"<VASSAL.build.GameModule {root}/>")
        if moduledata is not None:
            archive.writestr("moduledata", moduledata)
    return read_module(path)


def test_what_the_build_file_does_not_say_the_metadata_do(tmp_path: Path) -> None:
    def said(module: Module) -> tuple[str, ...]:
        return module.name, module.version, module.vassal, module.description

    data = metadata_xml("2.0", "3.6.1", "of the data", "Data")
    own = 'name="Own" version="1.0" VassalVersion="3.7.0" description="its own"'
    assert said(packed(tmp_path / "a.vmod", "", data)) == ("Data", "2.0", "3.6.1", "of the data")
    assert said(packed(tmp_path / "b.vmod", own, data)) == ("Own", "1.0", "3.7.0", "its own")
    assert said(packed(tmp_path / "c.vmod", own)) == ("Own", "1.0", "3.7.0", "its own")
    assert said(packed(tmp_path / "d.vmod", 'vassalVersion="3.5"')) == ("", "", "3.5", "")
    assert packed(tmp_path / "e.vmod", "", data).module_data == data
    assert packed(tmp_path / "f.vmod", "").module_data == b""


@pytest.mark.parametrize(
    ("name", "inside"),
    [("a/b", True), ("ab:c", True), ("a..b", True), ("a/c:/b", True), ("a:b", False), ("/a", False), ("\\a", False),
     ("c:/a", False), ("../a", False), ("a/../b", False), ("a\\..\\b", False), ("a/..", False)],
)  # fmt: skip
def test_an_entry_must_lie_within_the_archive(tmp_path: Path, name: str, inside: bool) -> None:
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("first", b"0123456789")
        archive.writestr(name, b"x")
    if inside:
        with Archive(path) as opened:
            assert (opened.read("first"), opened.read("first", 4)) == (b"0123456789", b"0123")
    else:
        with pytest.raises(ArchiveError) as told:
            Archive(path)
        assert str(told.value) == f"one.zip: the entry {name!r} points outside the archive"


def test_as_many_bytes_as_may_be_read_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "one.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a", b"0123456789")
        archive.writestr("b", b"01234")
    with Archive(path, at_most=15) as opened:
        assert opened.read_checked("a", 10) == b"0123456789"
        with pytest.raises(ArchiveError, match=r"^one\.zip: the entry 'a' claims 10 bytes, more than are read$"):
            opened.read_checked("a", 9)
        with pytest.raises(ArchiveError, match=r"^one\.zip: there is no entry 'c' in it$"):
            opened.read_checked("c", 9)
    with pytest.raises(ArchiveError, match=r"^one\.zip: its entries claim 15 bytes, but at most 14 are read$"):
        Archive(path, at_most=14)


# --- updates ---------------------------------------------------------------------------------------------------------


def test_a_stack_that_a_counter_joins_keeps_its_own_layer(space: Module) -> None:
    writer = SaveWriter(space)
    writer.add("Drone", "Tactical Map", location="0505", piece_id="a")
    writer.add("Drone", "Tactical Map", location="0606", piece_id="b")
    save = writer.save()
    piles = {stack.members[0]: stack for stack in save.stacks}
    layers = {"a": 3, "b": 5}

    def layered(leaf: Leaf) -> Leaf:
        command = leaf.command
        for member, stack in piles.items():
            if isinstance(command, AddPiece) and command.id == stack.id:
                state = Stack.of(stack.map, stack.x, stack.y, (member,), layers[member]).state
                return Leaf(AddPiece(stack.id, "stack", state or "").encode())
        return leaf

    save = with_tree(save, replace(save.tree, layered))
    for member, layer in layers.items():
        pile = piles[member]
        new = update(save, add=[NewPiece(space.slot("Drone"), "Tactical Map", (pile.x, pile.y), id="new")])
        written = [
            leaf.command.piece.core
            for leaf in leaves(new.tree)
            if isinstance(leaf.command, AddPiece) and leaf.command.id == pile.id
        ]
        assert [(core.members, core.layer) for core in written if isinstance(core, Stack)] == [((member, "new"), layer)]
        # A stack that was sent once more, with another layer, is in that one.
        state = Stack.of(pile.map, pile.x, pile.y, (member,), 7).state
        again = with_tree(save, Group((save.tree, Leaf(AddPiece(pile.id, "stack", state or "").encode()))))
        new = update(again, add=[NewPiece(space.slot("Drone"), "Tactical Map", (pile.x, pile.y), id="new")])
        assert Stack.of(pile.map, pile.x, pile.y, (member, "new"), 7).state in {
            leaf.command.piece.state
            for leaf in leaves(new.tree)
            if isinstance(leaf.command, AddPiece) and leaf.command.id == pile.id
        }


def test_a_piece_of_a_long_definition_is_read_like_any_other() -> None:
    """Definitions beyond what is kept between calls, and states beyond what is remembered."""
    kind = join_levels(["mark;Note", SHIP + ";" + "x" * 60_000])
    for length in (99, 100, 101, 60_000):
        note = "n" * length
        for text in (kind, join_levels(["mark;Note", SHIP])):
            piece = Piece(text, join_levels([note, "M;1;2"]))
            assert (piece.properties["Note"], piece.place) == (note, ("M", (1, 2)))


def test_so_many_states_are_remembered_and_no_long_ones() -> None:
    """A stranger's file shall not fill the memory: 500 states of a trait, each below 100 characters."""
    plan = Blueprint(join_levels(["mark;Note", SHIP]))
    core = Core(SHIP, "M;1;2")
    for state in ("n" * 99, "n" * 100, *map(str, range(600))):
        assert plan.traits([state], core)[0].state == state
    assert sorted(plan._seen[0], key=lambda state: len(state or "")) == [*map(str, range(499)), "n" * 99]
    assert plan.traits(["7"], core)[0] is plan.traits(["7"], core)[0]
    for length, more in ((MAX_KEPT, 1), (MAX_KEPT + 1, 0)):
        text = f"{SHIP};long {length};".ljust(length, "x")
        levels._split_kept.cache_clear()
        assert (split_types(text), levels._split_kept.cache_info().currsize) == ((text,), more)
        blueprint_of._kept.cache_clear()
        assert blueprint(text).types == (text,)
        assert blueprint_of._kept.cache_info().currsize == more
