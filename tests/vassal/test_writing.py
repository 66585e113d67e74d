"""New saves from the palette, updates of existing ones, and what changed between two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, strategies as st

import vassal
from vassal import dump
from vassal.container.archive import Archive, Metadata, metadata_xml, read_metadata, write_archive
from vassal.dump import Atlas, diff_saves, dump_piece, dump_save
from vassal.errors import LocationError, LossyTextError, ModuleError, SaveError, VassalError
from vassal.module.module import Module
from vassal.pieces.piece import Look
from vassal.save import Save, read_save, with_tree
from vassal.text import commands
from vassal.text.leaves import BoardChoice, BoardPicker, MovePiece, Player
from vassal.write import Change, NewPiece, SaveWriter, update


def duel(space: Module) -> SaveWriter:
    writer = SaveWriter(space)
    writer.add("Cruiser A", "Tactical Map", location="0812", facing=3, label="NCC-1701")
    look = Look(labels={"ShipName": "IKV 'Kro' / a;b\\c, | end\""}, layers={"Hull": 2}, properties={"Speed": "16"})
    writer.add("Cruiser B", "Tactical Map", location="1308", look=look)
    writer.add("Drone", "Tactical Map", location="0812", facing=11)
    writer.add("Planet", "Tactical Map", location="0812")
    writer.notes = "Duel\nTurn 1 | Impulse 8"
    writer.public_notes = "sitrep ü𝄞"
    return writer


def test_what_is_written_is_what_is_read(tmp_path: Path, space: Module) -> None:
    duel(space).write(tmp_path / "t.vsav")
    save = read_save(tmp_path / "t.vsav")
    found = dump_save(save, space)
    assert found["faults"] == []
    assert found["module"] == "Hex Space Test"
    assert [(p["name"], p["location"], p["gpid"], p["stack"], p["stackIndex"]) for p in found["pieces"]] == [
        ("Cruiser A (NCC-1701)", "0812", "1", "5", 0),
        ("Cruiser B (damaged) (IKV 'Kro' / a;b\\c, | end\")", "1308", "2", "6", 0),
        ("Drone", "0812", "3", "5", 1),
        ("Planet", "0812", "5", None, None),  # it never stacks
    ]
    assert [r["degrees"] for p in found["pieces"] for r in p["rotation"]] == ["180", "0", "330"]
    assert found["pieces"][1]["properties"]["Speed"] == "16"
    assert save.notes == "Duel\nTurn 1 | Impulse 8"
    assert save.public_notes == "sitrep ü𝄞"
    assert (found["pieces"][0]["x"], found["pieces"][0]["y"]) == space.map("Tactical Map").layout().pixel("0812")


def test_the_order_of_commands_is_the_one_vassal_needs(space: Module) -> None:
    save = duel(space).save()
    texts = [leaf.text for leaf in commands.leaves(save.tree)]
    assert texts[0] == "begin_save"
    assert texts[-1] == "end_save"
    assert texts.count("SETUP_STACK\t") == 1
    ids = [text.split("/")[1] for text in texts if text.startswith("+/")]
    assert ids == ["1", "2", "3", "4", "5", "6"]
    pickers = [leaf.command for leaf in commands.leaves(save.tree) if isinstance(leaf.command, BoardPicker)]
    assert [picker.map for picker in pickers] == ["Tactical Map", "SSD Map", "Zoned Map"]
    assert not any(isinstance(leaf.command, Player) for leaf in commands.leaves(save.tree))
    assert not any("prototype;" in text for text in texts)
    assert "UniqueID;1" in texts[1]


def test_same_input_same_bytes(tmp_path: Path, space: Module) -> None:
    duel(space).write(tmp_path / "a.vsav")
    duel(space).write(tmp_path / "b.vsav")
    assert (tmp_path / "a.vsav").read_bytes() == (tmp_path / "b.vsav").read_bytes()


def test_the_set_up_of_the_module_can_stay(space: Module) -> None:
    writer = SaveWriter(space, keep_set_up=True)
    assert "SETUP_STACK" not in writer.save().text


def test_other_boards_can_be_chosen(space: Module) -> None:
    choices = [BoardChoice("Space2"), BoardChoice("Space", 1, 0)]
    writer = SaveWriter(space, {"Tactical Map": choices})
    writer.add("Drone", "Tactical Map", location="0108-0012")
    writer.add("Drone", "Map0", location="0101")
    found = dump_save(writer.save(), space)
    assert [(p["board"], p["location"], p["x"]) for p in found["pieces"]] == [
        ("Space2", "0108-0012", 360), ("Space", "0101", 1224),
    ]  # fmt: skip


def test_what_cannot_be_added_leaves_the_writer_as_it_was(space: Module) -> None:
    writer = SaveWriter(space)
    with pytest.raises(ModuleError, match="no palette entry 'Gorn'"):
        writer.add("Gorn", "Tactical Map", location="0812")
    with pytest.raises(LocationError, match="the map 'Tactical Map' has no location '9999'"):
        writer.add("Drone", "Tactical Map", location="9999")
    with pytest.raises(VassalError, match="is not in the range 0 to 11"):
        writer.add("Drone", "Tactical Map", location="0812", facing=12)
    with pytest.raises(SaveError, match="needs a pixel or a location"):
        writer.add("Drone", "Tactical Map")
    with pytest.raises(LossyTextError, match=r"the piece 'Drone'.*backslash"):
        writer.add("Drone", "Tactical Map", location="0812", label="x\\")
    with pytest.raises(SaveError, match="cannot have the id 'null'"):
        writer.add("Drone", "Tactical Map", location="0812", piece_id="null")
    assert writer.save().pieces == ()
    writer.add("Drone", "Tactical Map", location="0812", piece_id="ship-A/1")
    with pytest.raises(SaveError, match="it is taken"):
        writer.add("Drone", "Tactical Map", location="0812", piece_id="ship-A/1")


@pytest.mark.parametrize("notes", ["ends with \\", "a\\\nb", "es\x1bcape"])
def test_notes_vassal_would_misread_are_refused(space: Module, tmp_path: Path, notes: str) -> None:
    writer = SaveWriter(space)
    writer.notes = notes
    with pytest.raises(LossyTextError):
        writer.write(tmp_path / "x.vsav")
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=20))
def test_any_label_is_kept_or_refused(label: str) -> None:
    space = vassal.read_module(Path(__file__).parent / "data" / "HexSpaceTest.vmod")
    writer = SaveWriter(space)
    try:
        writer.add("Cruiser A", "Tactical Map", location="0812", label=label)
        save = writer.save()
    except LossyTextError:
        return
    assert save.pieces[0].piece.labels[0].text == label.strip()


def full(data: Path) -> Save:
    return read_save(data / "hexspace-full-3.7.26.vsav")


def leaf_texts(save: Save) -> list[str]:
    return [leaf.text for leaf in commands.leaves(save.tree)]


CRUISER_A, DRONE, CARD = "1795207336172", "1795207336179", "1795207336141"


def test_turning_a_piece_changes_one_command_only(data: Path) -> None:
    save = full(data)
    new = update(save, {CRUISER_A: Change(Look(facing=0, label="CLOAKED"))})
    changed = [(a, b) for a, b in zip(leaf_texts(save), leaf_texts(new), strict=True) if a != b]
    assert len(changed) == 1
    assert changed[0][1].startswith(f"+/{CRUISER_A}/")
    assert new.piece(CRUISER_A).piece.rotators[0].facing == 0
    assert new.piece(CRUISER_A).piece.labels[0].text == "CLOAKED"
    assert update(save, {CRUISER_A: Change()}).text == save.text


def test_moving_a_piece_takes_it_from_its_stack(data: Path, space: Module) -> None:
    save = full(data)
    layout = space.map("Tactical Map").layout()
    new = update(save, {CRUISER_A: Change(at=layout.pixel("0911"))})
    lost = set(leaf_texts(save)) - set(leaf_texts(new))
    assert sorted(text.split("/")[1] for text in lost) == [CRUISER_A, "1795207336227"]
    found = {piece["id"]: piece for piece in dump_save(new, space)["pieces"]}
    assert found[CRUISER_A]["location"] == "0911"
    assert found[CRUISER_A]["stack"] == "1795207336229"
    assert new.faults == ()


def test_moving_onto_another_piece_joins_its_stack(data: Path) -> None:
    save = full(data)
    drone = save.piece(DRONE)
    new = update(save, {CRUISER_A: Change(at=(drone.x, drone.y))})
    assert new.piece(CRUISER_A).stack == drone.stack
    assert [new.piece(piece).stack_index for piece in (DRONE, CRUISER_A)] == [0, 1]
    assert any(text.endswith(f"{DRONE};{CRUISER_A};@@1") for text in leaf_texts(new))
    back = update(new, {CRUISER_A: Change(at=(552, 392))})
    assert back.piece(DRONE).stack == drone.stack
    assert [stack.members for stack in back.stacks if stack.id == drone.stack] == [(DRONE,)]


def test_a_card_leaves_its_deck(data: Path) -> None:
    new = update(full(data), {CARD: Change(at=(20, 20))})
    deck = next(stack for stack in new.stacks if stack.deck == "Deck")
    assert deck.members == ()
    assert new.piece(CARD).stack not in (None, deck.id)


def test_adding_removing_and_notes(data: Path, space: Module) -> None:
    save = full(data)
    new = update(
        save,
        add=[NewPiece(space.slot("Drone"), "Tactical Map", (696, 308), Look(facing=2, label="D7"))],
        remove=[CRUISER_A],
        public_notes="Turn 2",
    )
    assert CRUISER_A not in {piece.id for piece in new.pieces}
    added = next(piece for piece in new.pieces if piece.piece.labels and piece.piece.labels[0].text == "D7")
    assert (added.stack, added.stack_index) == (save.piece(DRONE).stack, 1)
    assert new.public_notes == "Turn 2"
    assert new.notes == save.notes
    assert [note.text for note in new.delayed_notes] == [note.text for note in save.delayed_notes]
    kept = [text for text in leaf_texts(save) if not text.startswith(("+/", "PNOTES"))]
    assert [text for text in leaf_texts(new) if not text.startswith(("+/", "PNOTES"))] == kept


def test_commands_that_move_a_piece_after_it_was_added_count_for_all_but_the_updated_ones(data: Path) -> None:
    """VASSAL writes no such save, but reads it: of a piece that is changed its old moves may not come again."""
    laid = {piece.id: piece for piece in full(data).pieces}
    moves = [
        MovePiece(
            one, laid[one].map, laid[one].x + 7, laid[one].y, None, laid[one].map, laid[one].x, laid[one].y, None, ""
        )
        for one in (CRUISER_A, DRONE)
    ]
    save = with_tree(full(data), commands.group([full(data).tree, *(move.encode() for move in moves)]))
    assert {one: save.piece(one).x - laid[one].x for one in (CRUISER_A, DRONE)} == {CRUISER_A: 7, DRONE: 7}
    new = update(save, {CRUISER_A: Change(at=(600, 420))})
    assert (new.piece(CRUISER_A).x, new.piece(CRUISER_A).y) == (600, 420)
    assert new.piece(DRONE).x == laid[DRONE].x + 7
    assert [text for text in leaf_texts(new) if text.startswith("M/")] == [moves[1].encode()]
    gone = update(save, remove=[DRONE])
    assert [text for text in leaf_texts(gone) if text.startswith("M/")] == [moves[0].encode()]


def test_an_updated_save_is_read_again(data: Path, tmp_path: Path, space: Module) -> None:
    new = update(full(data), {CRUISER_A: Change(Look(degrees=60), at=(24, 28))})
    new.write(tmp_path / "new.vsav")
    again = read_save(tmp_path / "new.vsav")
    assert again.text == new.text
    assert dump_save(again, space)["pieces"] == dump_save(new, space)["pieces"]


def test_updates_that_make_no_sense(data: Path) -> None:
    save = full(data)
    with pytest.raises(SaveError, match="no piece with the id 'x'"):
        update(save, {"x": Change()})
    with pytest.raises(SaveError, match="both changed and removed"):
        update(save, {DRONE: Change()}, remove=[DRONE])
    with pytest.raises(SaveError, match="a log of 13 steps cannot be updated"):
        update(read_save(data / "hexspace-full-3.7.26.vlog"), {DRONE: Change()})
    with pytest.raises(VassalError, match="has no layer 'Hull'"):
        update(save, {DRONE: Change(Look(layers={"Hull": 1}))})
    with pytest.raises(LossyTextError):
        update(save, notes="x\\")


def test_differences_in_words(data: Path, space: Module) -> None:
    before, after = full(data), read_save(data / "hexspace-afterlog-3.7.26.vsav")
    sentences = [str(change) for change in diff_saves(before, after, space)]
    assert sentences[:2] == [
        "Cruiser A (damaged) (NCC changed) moved from 1207 (Tactical Map) to 1308 (Tactical Map)",
        "Cruiser A (damaged) (NCC changed) changed its label from \"NCC-1701 'x'; y/z\" to 'NCC changed'",
    ]
    assert "Free rot disappeared at 1706 (Tactical Map)" in sentences
    assert "Drone appeared at 0302 (Tactical Map)" in sentences
    assert "the property 'GameTurn' of Module changed from '3' to '4'" in sentences
    assert not any("oracle" in sentence for sentence in sentences)
    assert diff_saves(before, before) == []
    turned = update(before, {CRUISER_A: Change(Look(facing=1, layers={"Hull": -1}))}, notes="x")
    assert [change.kind for change in diff_saves(before, turned)] == [
        "turned", "changed its layer 'Hull'", "changed",
    ]  # fmt: skip
    nudged = update(before, {CRUISER_A: Change(at=(553, 392))})
    assert str(diff_saves(before, nudged, space)[0]).endswith(
        "moved from 552,392 in 1207 (Tactical Map) to 553,392 in 1207 (Tactical Map)"
    )


def changed(value: Any) -> Iterator[Any]:
    """A counter's dump with one of its values another, once for each."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("id", "name", "gpid", "stack", "stackIndex"):
                yield from ({**value, key: other} for other in changed(inner))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from ([*value[:place], other, *value[place + 1 :]] for other in changed(inner))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield value + 1


@pytest.mark.parametrize("key", ["hiddenBy", "obscuredBy"])
def test_who_hides_or_masks_a_counter_is_told(data: Path, space: Module, key: str) -> None:
    piece = dump_piece(full(data).pieces[0], Atlas(full(data), space))
    masked = {**piece, key: "Kor"}
    word = "hides" if key == "hiddenBy" else "masks"
    for old, new, told in ((piece, masked, "nobody to Kor"), (masked, piece, "Kor to nobody")):
        [one] = dump._piece_changes(old, new)
        assert str(one) == f"{piece['name']} changed who {word} it from {told}"
    assert list(dump._piece_changes(masked, masked)) == []


def test_no_change_of_a_counter_goes_untold(data: Path, space: Module) -> None:
    """Where it lies, how it is turned, its layers: each alone makes a sentence that names the counter."""
    save = full(data)
    for piece in save.pieces:
        dumped = dump_piece(piece, Atlas(save, space))
        seen = {key: dumped[key] for key in ("x", "y", "layers")}
        for other in changed(seen):
            told = list(dump._piece_changes(dumped, {**dumped, **other}))
            assert told and all(dumped["name"] in str(one) for one in told), other
        for place, turned in enumerate(dumped["rotation"]):
            angles = [*dumped["rotation"]]
            angles[place] = {**turned, "angle": turned["angle"] + 1}
            assert [one.kind for one in dump._piece_changes(dumped, {**dumped, "rotation": angles})] == ["turned"]


@given(*[st.text("ab <&>\"'é", max_size=12)] * 3, st.none() | st.text("xy&<", min_size=1, max_size=5))
def test_metadata_come_back(version: str, vassal: str, description: str, name: str | None) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "one.zip"
        write_archive(path, [("data", metadata_xml(version, vassal, description, name))])
        with Archive(path) as archive:
            assert read_metadata(archive, "data") == Metadata(name or "", version, vassal, description)
    assert b"<dateSaved>86400000<" in metadata_xml(version, vassal, description, name, saved_ms=86_400_000)
    assert (b"<description>" in metadata_xml(version, vassal, description, name)) == bool(description or name)


def test_a_new_piece_may_have_an_id_and_trackers_a_state(data: Path, space: Module) -> None:
    save = read_save(data / "hexspace-full-3.7.26.vsav")
    [tracker] = save.turns
    drone = NewPiece(space.slot("Drone"), "Tactical Map", (120, 84), id="drone-1")
    new = update(save, add=[drone], turns={tracker: "0|9", "TurnTracker7": "1|2"})
    assert (new.piece("drone-1").x, new.piece("drone-1").y) == (120, 84)
    assert new.turns == {tracker: "0|9", "TurnTracker7": "1|2"}
    assert update(save, turns=save.turns).text == save.text
    moved = update(new, add=[drone], remove=["drone-1"])
    assert [piece.id for piece in moved.pieces].count("drone-1") == 1
    for taken in ("drone-1", "", "null"):
        with pytest.raises(SaveError, match="it is taken or no id"):
            update(new, add=[NewPiece(space.slot("Drone"), "Tactical Map", (120, 84), id=taken)])


def test_a_stack_gets_no_id_that_a_new_piece_has_been_given(space: Module) -> None:
    """The next free number was taken for the stack of a counter that has just that number of the caller's choosing."""
    save = duel(space).save()
    last = max(map(int, [*(piece.id for piece in save.pieces), *(stack.id for stack in save.stacks)]))
    spot = space.map("Tactical Map").layout().pixel("0505")
    after = update(save, add=[NewPiece(space.slot("Drone"), "Tactical Map", spot, id=str(last + 1))])
    assert after.faults == ()
    assert after.piece(str(last + 1)).stack not in (None, str(last + 1))
