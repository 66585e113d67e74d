"""Saves and logs, against what VASSAL 3.7.26 itself says it sees in them."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from vassal import dump
from vassal.dump import dump_save
from vassal.errors import SaveError
from vassal.module.module import Module
from vassal.save import Save, TableState, _some, read_save, remarks, with_tree
from vassal.text import commands, leaves
from vassal.text.commands import read_leaf
from vassal.text.sequence import plain_note

SAVES = [
    "hexspace-afterlog-3.7.26.vsav", "hexspace-full-3.7.26.vsav", "hexspace-handwritten.vsav",
    "hexspace-written-by-3.2.17.vsav", "hexspace-written-by-3.6.19.vsav",
]  # fmt: skip
PIECE_FIELDS = (
    "id", "gpid", "name", "basicName", "map", "x", "y", "board", "zone", "location", "stack", "stackIndex",
    "rotation", "labels", "layers", "properties", "hiddenBy",
)  # fmt: skip
STACK_FIELDS = ("id", "class", "map", "x", "y", "location", "members", "deck")


def engine_says(data: Path, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data / f"{name}.dump.json").read_text(encoding="utf-8"))
    return found


def agree(ours: dict[str, Any], engine: dict[str, Any]) -> None:
    for mine, its in zip(ours["pieces"], engine["pieces"], strict=True):
        assert {f: mine.get(f) for f in PIECE_FIELDS} == {f: its.get(f) for f in PIECE_FIELDS}
        # VASSAL knows a masking player by his password; we say his name.
        assert bool(mine.get("obscuredBy")) == bool(its.get("obscuredBy"))
    for mine, its in zip(ours["stacks"], engine["stacks"], strict=True):
        assert {f: mine.get(f) for f in STACK_FIELDS} == {f: its.get(f) for f in STACK_FIELDS}
    assert ours["boards"] == engine["boards"]
    assert ours["globalProperties"] == engine["globalProperties"]
    assert (ours["module"], ours["moduleVersion"]) == (engine["module"], engine["moduleVersion"])
    assert [(p["name"], p["side"]) for p in ours["players"]] == [(p["name"], p["side"]) for p in engine["players"]]
    # The engine gives its notes as the commands it would save.
    said = TableState()
    for texts in engine["notes"]:
        for text in texts:
            said.run_one(read_leaf(text))
    names = {player["id"]: player["name"] for player in engine["players"]}
    assert ours["notes"]["scenario"] == plain_note(said.notes)
    assert ours["notes"]["public"] == plain_note(said.public_notes)
    assert [(n["owner"], n["text"]) for n in ours["notes"]["private"]] == [
        (names.get(n.owner, "***"), plain_note(n.text)) for n in said.private_notes.values()
    ]
    assert [(n["name"], n["hidden"], n["text"], n["date"]) for n in ours["notes"]["delayed"]] == [
        (n.name, n.hidden, plain_note(n.text), n.date) for n in said.secret_notes.values()
    ]
    assert ours["faults"] == []


@pytest.mark.parametrize("name", SAVES)
def test_we_see_what_the_engine_sees(data: Path, space: Module, name: str) -> None:
    agree(dump_save(read_save(data / name), space), engine_says(data, name))


def test_a_played_log_is_the_save_after_it(data: Path, space: Module) -> None:
    log = read_save(data / "hexspace-full-3.7.26.vlog")
    assert len(log.log) == 13
    agree(dump_save(log.played(), space), engine_says(data, "hexspace-afterlog-3.7.26.vsav"))
    before = {**dump_save(log, space), "logSteps": 0, "file": ""}
    same = {**dump_save(read_save(data / "hexspace-full-3.7.26.vsav"), space), "file": ""}
    assert before == same
    assert log.played().chat == ("Impulse 5: A fires",)


def test_notes_and_players_without_passwords(data: Path) -> None:
    save = read_save(data / "hexspace-full-3.7.26.vsav")
    assert save.notes == "Scenario line 1\nline 2"
    assert save.public_notes == "Public text"
    assert [(note.owner, note.text) for note in save.private_notes] == [("Oracle", "private text\nsecond line")]
    assert [(note.name, note.owner, note.hidden, note.text) for note in save.delayed_notes] == [
        ("T1 plot", "Oracle", True, "Speed 16\nTurn mode B"),
        ("T0 plot", "Bob", False, "revealed"),
    ]
    assert [(player.name, player.side) for player in save.players] == [("Oracle", "Alpha")]
    after = dump_save(read_save(data / "hexspace-afterlog-3.7.26.vsav"))
    assert "oracle" not in json.dumps(after)
    assert "Oracle" in json.dumps(after)
    assert "oracle" not in repr(save)


def test_without_a_module_places_have_no_names(data: Path) -> None:
    piece = dump_save(read_save(data / "hexspace-handwritten.vsav"))["pieces"][0]
    assert (piece["map"], piece["x"], piece["y"]) == ("Tactical Map", 504, 420)
    assert (piece["board"], piece["zone"], piece["location"]) == (None, None, None)


@pytest.mark.parametrize("name", [*SAVES, "hexspace-full-3.7.26.vlog"])
def test_written_again_the_save_has_the_same_text(data: Path, tmp_path: Path, name: str) -> None:
    save = read_save(data / name)
    save.write(tmp_path / name)
    again = read_save(tmp_path / name)
    assert again.text == save.text
    with zipfile.ZipFile(data / name) as old, zipfile.ZipFile(tmp_path / name) as new:
        assert old.namelist() == new.namelist()
        for entry in ("savedata", "moduledata"):
            assert old.read(entry) == new.read(entry)
        assert new.read("savedGame").startswith(b"!VCSK")


def plain(tmp_path: Path, *texts: str) -> Save:
    """A save of plain text, as VASSAL loads it too."""
    path = tmp_path / "plain.vsav"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("savedGame", "\x1b".join(["begin_save", *texts, "end_save"]))
    return read_save(path)


DRONE = "rotate;6;;;;;;;Facing\tlabel;\\\tpiece;;;drone.png;Drone"


def add(piece_id: str, x: int, y: int, name: str = "") -> str:
    return f"+/{piece_id}/{DRONE}/0\t{name}\\\tMap;{x};{y};3"


def test_the_second_of_two_pieces_with_one_id_replaces_the_first(tmp_path: Path) -> None:
    save = plain(tmp_path, add("1", 5, 5), "+/9/stack/Map;5;5;1", add("1", 7, 7))
    assert [(piece.id, piece.x, piece.stack) for piece in save.pieces] == [("1", 7, None)]


def test_a_stack_before_its_members_loses_them(tmp_path: Path) -> None:
    save = plain(tmp_path, "+/9/stack/Map;5;5;1", add("1", 5, 5))
    assert save.pieces[0].stack is None
    assert save.faults == ("plain.vsav: the stack 9 names the piece 1, which is not in the game",)


def test_the_stack_decides_where_its_pieces_are(tmp_path: Path) -> None:
    save = plain(tmp_path, add("1", 5, 5), add("2", 6, 6), "+/9/stack/Map;50;60;2;1;@@1")
    assert [(p.id, p.x, p.y, p.stack_index) for p in save.pieces] == [("1", 50, 60, 1), ("2", 50, 60, 0)]


def test_pieces_without_an_id_get_one(tmp_path: Path) -> None:
    save = plain(tmp_path, add("null", 1, 1), add("1", 2, 2), add("null", 3, 3))
    assert len({piece.id for piece in save.pieces}) == len(save.pieces)


def test_text_ids_are_ids(tmp_path: Path) -> None:
    save = plain(tmp_path, add("ship-A\\/1", 1, 1), "+/9/stack/Map;1;1;ship-A\\/1")
    assert save.piece("ship-A/1").stack == "9"
    with pytest.raises(SaveError, match=r"plain\.vsav: there is no piece with the id 'x'"):
        save.piece("x")


def test_repeated_entries_count_once_and_the_last_wins(tmp_path: Path) -> None:
    save = plain(
        tmp_path, "PLAYER\tpw\tA\tX", "PLAYER\tpw\tA\tY", "NOTES\t1", "NOTES\t2",
        "SNOTE\tn\tpw\ttrue\ta\t\tA", "SNOTE\tn\tpw\tfalse\ta\t\tA", "PYREMOVE\tnobody",
    )  # fmt: skip
    assert [(player.name, player.side) for player in save.players] == [("A", "Y")]
    assert save.notes == "2"
    assert [note.hidden for note in save.delayed_notes] == [False]


def test_a_change_with_its_old_state_keeps_what_others_changed(tmp_path: Path) -> None:
    save = plain(
        tmp_path,
        add("1", 5, 5, "a"),
        "D/1/3\ta\\\tMap;5;5;3",
        "D/1/0\tb\\\tMap;5;5;3/0\ta\\\tMap;5;5;3",
    )
    piece = save.pieces[0].piece
    assert (piece.rotators[0].facing, piece.labels[0].text) == (3, "b")


def test_moves_merge_stacks_at_the_bottom_or_above_a_piece(tmp_path: Path) -> None:
    pieces = [add(name, 5, 5) for name in "123"] + [add("4", 9, 9)]
    stacks = ["+/8/stack/Map;5;5;1;2", "+/9/stack/Map;9;9;4"]
    to_bottom = plain(tmp_path, *pieces, *stacks, "M/4/Map/5/5/null/Map/9/9/null/pw")
    assert [stack.members for stack in to_bottom.stacks] == [("4", "1", "2")]
    above = plain(tmp_path, *pieces, *stacks, "M/4/Map/5/5/1/Map/9/9/null/pw")
    assert [stack.members for stack in above.stacks] == [("1", "4", "2")]
    whole_stack = plain(tmp_path, *pieces, *stacks, "M/8/Map/20/30/null/Map/5/5/null/pw", "M/77/Map/1/1/null/")
    assert [(p.x, p.y) for p in whole_stack.pieces] == [(20, 30), (20, 30), (5, 5), (9, 9)]
    gone = plain(tmp_path, *pieces, *stacks, "-/4", "-/1", "-/2", "-/55")
    assert [piece.id for piece in gone.pieces] == ["3"]
    assert gone.stacks == ()


@pytest.mark.parametrize(
    ("state", "gpid"),
    [("Map;5;6", ""), ("Map;5;6;3", "3"), ("Map;5;6;3;0", "3"), ("Map;5;6;3;1;UniqueID;9", "3"), ("Map;5;6;", "")],
)
def test_the_short_states_of_old_versions(tmp_path: Path, state: str, gpid: str) -> None:
    stacks = ["+/8/stack/Map;5;6;1", "+/9/stack/null;2", "+/2/piece;;;a.png;B/null;0;0;4"]
    save = plain(
        tmp_path, f"+/1/piece;;;a.png;A/{state}", stacks[2], *stacks[:2], "UNMASK\t", "CHECK\tx<2.9\tALERT\\\tx"
    )
    one, two = save.pieces
    assert (one.map, one.x, one.y, one.gpid, one.stack) == ("Map", 5, 6, gpid, "8")
    assert (two.map, two.stack) == (None, "9")
    assert save.faults == ()


def test_a_lossy_label_is_reported_with_the_piece(tmp_path: Path) -> None:
    """VASSAL itself wrote this: the label ends with a backslash and swallows the position behind it."""
    save = plain(tmp_path, f"+/1/{DRONE}/0\tx\\\\\tMap;5;5;3")
    assert save.pieces[0].map is None
    assert save.faults == ("plain.vsav: the piece 1 ('Drone'): its type has 3 levels, its state only 2",)


def test_a_save_may_be_nested(tmp_path: Path) -> None:
    tree = commands.group(["begin_save", commands.group(["", add("1", 5, 5), add("2", 6, 6)]), "end_save"])
    path = tmp_path / "nested.vsav"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("savedGame", commands.encode(tree))
    assert [piece.id for piece in read_save(path).pieces] == ["1", "2"]


def test_levels_that_do_not_match_are_reported_with_the_piece(tmp_path: Path) -> None:
    save = plain(tmp_path, f"+/1/{DRONE}/0\tMap;5;5;3")
    assert save.faults == ("plain.vsav: the piece 1 ('Drone'): its type has 3 levels, its state only 2",)
    assert save.pieces[0].map is None


def test_an_unknown_map_or_board_is_reported(tmp_path: Path, space: Module) -> None:
    save = plain(tmp_path, add("1", 5, 5), "Tactical MapBoardPicker\tMoon\t0\t0")
    found = dump_save(save, space)
    assert found["pieces"][0]["location"] is None
    assert found["faults"] == [
        "plain.vsav: the map 'Tactical Map' has no board 'Moon'; its boards: Space, Space2",
        "plain.vsav: the piece 1 ('Drone') is on the map 'Map', which the module 'Hex Space Test' does not have",
    ]


def test_a_save_of_another_module_is_reported(data: Path, zoo: Module) -> None:
    found = dump_save(read_save(data / "hexspace-handwritten.vsav"), zoo)
    assert "saved with the module 'Hex Space Test', not with 'Grid Zoo'" in found["faults"][0]


def test_log_steps_within_log_steps_end(tmp_path: Path) -> None:
    deep = plain(tmp_path, "LOG\t" * 300 + "CHATx")
    with pytest.raises(ValueError, match="nested more than"):
        deep.played()
    shallow = plain(tmp_path, "LOG\tLOG\tCHATx")
    assert shallow.played().chat == ("x",)


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, ""),
        (1, "1"),
        (4, "1, 2, 3, 4"),
        (5, "1, 2, 3, 4, 5"),
        (6, "1, 2, 3, 4, 5 and 1 more"),
        (9, "1, 2, 3, 4, 5 and 4 more"),
    ],
)
def test_of_many_names_five_are_told(count: int, told: str) -> None:
    assert _some([str(n + 1) for n in range(count)]) == told


def test_remarks_say_what_vassal_adds_and_what_is_not_reckoned(data: Path, space: Module) -> None:
    save = read_save(data / "hexspace-handwritten.vsav")
    assert save.set_up and remarks(save, space) == ()
    bare = with_tree(save, commands.parse(save.text.replace("SETUP_STACK\t\x1b", ""), "bare"))
    assert not bare.set_up
    assert remarks(bare) == (
        "the save has no SETUP_STACK: VASSAL will lay out again whatever the module itself sets up",
    )
    assert remarks(bare, space) == (
        "the save has no SETUP_STACK: VASSAL will lay out again what the module itself sets up (AtStart planet, Deck)",
    )
    layer = "emb2;;2;;;2;;;2;;;;;false;0;0;a,b;,;false;L;;;true;{Speed+1};0"
    types = f"{layer}\tcalcProp;Half;{{Speed/2}};\\\tlabel;\\\\\tpiece;;;;CA"
    states = "1\t\\\t{Speed}\\\\\tTactical Map;1;2"
    odd = leaves.AddPiece("odd", types, states).encode()
    tree = commands.insert_before(save.tree, lambda leaf: leaf.text == "end_save", [commands.Leaf(odd)])
    said = remarks(with_tree(save, tree), space)
    assert [line.partition(":")[0] for line in said] == [
        "calculated properties are not reckoned",
        "layers that follow an expression are shown at the level last stored",
        "labels that are expressions, and no constant ones, are shown as they are written",
    ]
    assert remarks(read_save(data / "hexspace-full-3.7.26.vsav"), space) == (
        "properties that count the cards of a deck, all or by expression, are not reckoned: Deck",
    )


@pytest.mark.parametrize("name", ["hexspace-full-3.7.26.vsav", "hexspace-handwritten.vsav"])
@pytest.mark.parametrize("portion", [1, 3, 1000])
def test_a_dump_in_portions_is_the_whole_dump(
    data: Path, space: Module, name: str, portion: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dump, "PORTION", portion)
    save = read_save(data / name)
    for read in (
        save,
        replace(save, pieces=(), stacks=()),
        replace(save, public_notes='\n "pieces": [],\n "stacks": [],'),
    ):
        text = b"".join(dump.dump_json(read, space))
        assert text == dump.as_json(dump_save(read, space))
