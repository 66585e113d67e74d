"""The game brought into a save that players have: its own counters change, and nothing else by a byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pbem.data.scenarios import scenario
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.play.setup import set_up
from pbem.engine.state import Seeker, Ship, State
from pbem.errors import GameError
from pbem.lab.random_games import play
from pbem.vassal_bridge.export import export_game, open_module
from pbem.vassal_bridge.film import make_replay_log
from pbem.vassal_bridge.import_positions import import_positions, is_label
from pbem.vassal_bridge.notes import END, TOP, moment_in, sitrep_notes, with_sitrep
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.update import update_save
from vassal.module.module import Module
from vassal.pieces.piece import Look, Piece
from vassal.pieces.traits import MoveMark, Trail
from vassal.save import Save, read_save, with_tree
from vassal.text import commands, leaves
from vassal.write import Change, NewPiece, update

Shipped = Callable[[str], list[Record]]
DATA = Path(__file__).parents[1] / "vassal" / "data"
replace = msgspec.structs.replace
PASSWORD = "kor's password"


def at_end_of(records: list[Record], turn: int) -> State:
    return public_state(record for record in records if record.event.turn <= turn)


def players(save: Save, module: Module) -> Save:
    """The save as players have it: a roster with passwords, notes, global properties, a note counter."""
    extra: list[leaves.AnyLeaf] = [
        leaves.Player(PASSWORD, "Kor", "Klingon"),
        leaves.PrivateNote(PASSWORD, "remember the drones"),
        leaves.SecretNote("plan", PASSWORD, True, "TAC R AT 9", "01/02/2026 3:04 PM", "Kor"),
        leaves.GlobalProperty("Dice", "7", "Module"),
    ]
    tree = commands.insert_before(
        save.tree, lambda leaf: leaf.text == "end_save", [commands.Leaf(one.encode()) for one in extra]
    )
    layout = module.map("Space").layout(save.boards["Space"])
    note = NewPiece(module.slot("Note"), "Space", layout.pixel("1010"), Look(label="here be Tholians"))
    return update(with_tree(save, tree), add=[note], notes="Scenario notes")


def lines(save: Save, *, but: tuple[str, ...]) -> list[str]:
    texts = [leaf.text for leaf in commands.leaves(save.tree)]
    return [text for text in texts if not text.startswith(but)]


def test_an_update_changes_the_games_own_counters_and_nothing_else(cadet: Module, shipped: Shipped) -> None:
    records = shipped("duel01")
    old = players(export_game(at_end_of(records, 1), cadet).save, cadet)
    state = at_end_of(records, 2)
    done = update_save(state, old, cadet, notes=sitrep_notes(records, 2))
    ours = ("+/pbem-", "PNOTES", "TURN")
    stacks = {text.split("/")[1] for text in lines(done.save, but=()) if "/stack/" in text}
    before = [text for text in lines(old, but=ours) if "/stack/" not in text]
    assert [text for text in lines(done.save, but=ours) if "/stack/" not in text] == before
    assert len(stacks) == len(done.save.stacks)
    assert done.save.text.count(PASSWORD) == old.text.count(PASSWORD) == 3
    found = import_positions(state, done.save, cadet, done.binding)
    assert (found.moved, found.missing, found.faults) == ((), (), ())
    assert done.save.public_notes == sitrep_notes(records, 2)
    said = "\n".join(done.changed)
    assert "moved from" in said and "turned from" in said and "Constellation" in said
    assert "the public notes hold the sitrep of 2.16" in said
    assert "the impulse tracker shows 2.16" in said
    assert PASSWORD not in said


def test_updating_turn_by_turn_ends_as_an_export_of_the_end(cadet: Module, shipped: Shipped) -> None:
    """Launched drones come, spent ones go."""
    for name, turns in (("duel01", 5), ("rescue01", 3)):
        records = shipped(name)
        save = export_game(at_end_of(records, 0), cadet).save
        for turn in range(1, turns + 1):
            state = at_end_of(records, turn)
            save = update_save(state, save, cadet).save
            wanted = export_game(state, cadet).save

            def seen(of: Save) -> dict[str, object]:
                return {piece.id: (piece.map, piece.x, piece.y, piece.piece.guise) for piece in of.pieces}

            assert seen(save) == seen(wanted)
            assert save.faults == ()
            again = update_save(state, save, cadet)
            assert (again.save.text, again.changed) == (save.text, ())


def test_shuttles_come_and_go(cadet: Module) -> None:
    """Through random games of #9, until one is found in which a shuttle is launched."""
    for number in range(12):
        begun = play.opening(play.deal(f"9-1-{number}"))
        records = list(begun.records)
        save = export_game(begun.state, cadet).save
        for stretch in play.stretches(begun, turns=2):
            records += stretch.records
            state = public_state(records)
            save = update_save(state, save, cadet).save
            units = {piece.id for piece in save.pieces if not piece.id.startswith("pbem-*")}
            assert units == {f"pbem-{unit.name}" for unit in state.in_play()}
        if any(isinstance(record.event, ev.ShuttleLaunched) for record in records):
            return
    raise AssertionError("no shuttle was launched in any of these games")


def test_counters_that_players_laid_out_are_found_by_their_names(cadet: Module, shipped: Shipped) -> None:
    """Found by a label; the label is kept up, the note on another label and the place within the hex stay."""
    records = shipped("duel01")
    state = at_end_of(records, 1)
    names = [unit.name for unit in state.in_play() if isinstance(unit, Ship)]
    theirs = export_game(at_end_of(records, 0), cadet).save
    layout = cadet.map("Space").layout(theirs.boards["Space"])
    slots = {name: cadet.slot(propose(state, cadet).counters[name]) for name in names}
    added = [NewPiece(slots[name], "Space", layout.pixel("0505"), Look(label=name)) for name in names]
    theirs = update(theirs, add=added, remove=[piece.id for piece in theirs.pieces])
    done = update_save(state, theirs, cadet)
    there = {piece.piece.properties["UnitName"]: piece for piece in done.save.pieces if piece.map == "Space"}
    for name in names:
        piece = there[name]
        assert not piece.id.startswith("pbem-")
        assert layout.location((piece.x, piece.y)) == state.units[name].hex
    assert {piece.id for piece in done.save.pieces if piece.id.startswith("pbem-") and "*" not in piece.id} == {
        f"pbem-{unit.name}" for unit in state.in_play() if isinstance(unit, Seeker)
    }
    gone = replace(state.units[names[0]], gone="destroyed")
    wreck = update_save(replace(state, units={**state.units, names[0]: gone}), done.save, cadet)
    assert names[0] not in {piece.piece.properties.get("UnitName") for piece in wreck.save.pieces}


def test_where_two_counters_could_be_meant_neither_is_touched(cadet: Module, shipped: Shipped) -> None:
    state = at_end_of(shipped("duel01"), 0)
    save = export_game(state, cadet).save
    layout = cadet.map("Space").layout(save.boards["Space"])
    slot = cadet.slot(propose(state, cadet).counters["Constellation"])
    twice = [NewPiece(slot, "Space", layout.pixel(hex_), Look(label="Constellation")) for hex_ in ("0303", "0404")]
    save = update(save, add=twice, remove=["pbem-Constellation"])
    done = update_save(state, save, cadet)
    assert done.left_out == ("Constellation: 2 counters could be it, and none was changed",)
    assert not any("Constellation" in line for line in done.changed if not line.startswith("the SSD of "))


def test_a_counter_moved_to_another_map_comes_back(shipped: Shipped) -> None:
    """With a module that other people's VASSAL wrote, and its own labels."""
    module = open_module(DATA / "HexSpaceTest.vmod")
    records = shipped("duel01")
    state = at_end_of(records, 2)
    save = export_game(state, module).save
    other = next(one.name for one in module.maps if one.name != propose(state, module).map)
    away = update(save, {"pbem-Destruction": Change(at=(5, 5), map=other)})
    assert update_save(state, away, module).save.piece("pbem-Destruction").map == propose(state, module).map


def test_a_save_that_vassal_wrote_keeps_every_other_byte(shipped: Shipped) -> None:
    """Found by its own name; its label is the players' and stays, and so does all else, in its place."""
    module, old = open_module(DATA / "HexSpaceTest.vmod"), read_save(DATA / "hexspace-full-3.7.26.vsav")
    state = at_end_of(shipped("duel01"), 0)
    ship = replace(state.units["Destruction"], name="Cruiser A", hex="0811", facing="D")
    state = replace(state, units={"Cruiser A": ship})
    done = update_save(state, old, module)
    [was] = [piece for piece in old.pieces if piece.piece.basic_name == "Cruiser A"]
    now = done.save.piece(was.id)
    assert module.map("Tactical Map").layout().location((now.x, now.y)) == "0811"
    assert [label.text for label in now.piece.labels] == [label.text for label in was.piece.labels]
    before, after = lines(old, but=()), lines(done.save, but=())
    changed = [text for text in before if text not in after]
    ours = (f"+/{was.id}/", f"+/{was.stack}/", "PNOTES")
    assert changed and all(text.startswith(ours) for text in changed)
    kept = [text for text in before if text in after]
    assert [text for text in after if text in before] == kept
    assert done.save.entries == old.entries
    assert any("moved from 1207" in line for line in done.changed)


def test_what_cannot_be_updated(cadet: Module, shipped: Shipped, tmp_path: Path) -> None:
    records = shipped("duel01")
    state = at_end_of(records, 1)
    make_replay_log(records, cadet, turn=1).log.write(tmp_path / "t.vlog")
    with pytest.raises(GameError, match=r"a log of \d+ steps cannot be updated"):
        update_save(state, read_save(tmp_path / "t.vlog"), cadet)
    with pytest.raises(GameError, match="it is 'Hex Space Test', not 'Cadet Companion'"):
        update_save(state, read_save(DATA / "hexspace-full-3.7.26.vsav"), cadet)


def test_notes_of_players_stay_around_the_sitrep() -> None:
    first = f"{TOP}\na\n{END}"
    assert with_sitrep("", first) == first
    assert with_sitrep("we meet on Friday", first) == f"{first}\n\nwe meet on Friday"
    assert with_sitrep(f"above\n{first}\nbelow", f"{TOP}\nb\n{END}") == f"above\n{TOP}\nb\n{END}\nbelow"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Constellation", True),
        ("constellation 12", True),
        ("Constellation 12 CLOAKED", True),
        ("CONSTELLATION CLOAKED", True),
        ("Constellation2", False),
        ("Constellation wreck", False),
        ("USS Constellation", False),
        ("", False),
    ],
)
def test_labels_that_are_a_units_name(text: str, named: bool) -> None:
    assert is_label(text, "Constellation") is named


def test_what_was_tried_out_with_a_counter_is_wiped_off_when_it_is_set_back(cadet: Module, shipped: Shipped) -> None:
    """Its moved mark and its trail; those of a counter that is none of the game's stay."""
    records = shipped("duel01")
    state = at_end_of(records, 1)
    theirs = players(export_game(state, cadet).save, cadet)
    note = next(piece for piece in theirs.pieces if not piece.id.startswith("pbem-"))
    stray = NewPiece(cadet.slot("Klingon drone"), "Space", (note.x, note.y), Look(label="try"), "stray")
    theirs = update(theirs, add=[stray])
    layout = cadet.map("Space").layout(theirs.boards["Space"])
    text = theirs.text
    for name in ("Constellation", "stray"):
        [line] = [one for one in text.split("\x1b") if one.startswith((f"+/pbem-{name}/", f"+/{name}/"))]
        piece = theirs.piece(name if name == "stray" else f"pbem-{name}").piece
        marks = [trait.with_state("true") if isinstance(trait, MoveMark) else trait for trait in piece.traits]
        trails = [t.with_state("true;Space;2;62,57;116,88;true") if isinstance(t, Trail) else t for t in marks]
        tried = Piece.of(trails)
        assert tried.has_moved
        text = text.replace(line, leaves.AddPiece(line.split("/")[1], tried.type, tried.state).encode())
    tried_out = with_tree(theirs, commands.parse(text, "theirs"))
    moved = {"pbem-Constellation": Change(at=layout.pixel("0505"))}
    done = update_save(state, update(tried_out, moved), cadet)
    there = {piece.id: piece for piece in done.save.pieces}
    assert not there["pbem-Constellation"].piece.has_moved
    assert layout.location((there["pbem-Constellation"].x, there["pbem-Constellation"].y)) == (
        state.units["Constellation"].hex
    )
    assert there["stray"].piece.has_moved
    assert "Constellation: the moved mark and the trail are cleared" in done.changed
    again = update_save(state, done.save, cadet)
    assert again.changed == ()


def test_counters_are_laid_on_the_board_the_players_chose(cadet: Module) -> None:
    """A game whose odd columns stand lower, on the board made for it; with another it would be half a hex off."""
    state = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}, grid="odd").state
    done = export_game(state, cadet)
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    moved = replace(state, units={**state.units, "Constellation": replace(ship, hex="1509", facing="D")})
    after = update_save(moved, done.save, cadet, done.binding)
    right = cadet.map("Space").layout(done.save.boards["Space"]).pixel("1509")
    wrong = cadet.map("Space").layout(None).pixel("1509")
    places = [(piece.x, piece.y) for piece in after.save.pieces]
    assert right != wrong and right in places and wrong not in places
    found = import_positions(moved, after.save, cadet, done.binding)
    assert (found.moved, found.missing, found.faults) == ((), (), ())


@pytest.mark.parametrize(
    ("line", "moment"),
    [
        ("a game 3.16", ("a game", 3, 16)),
        ("duel01 0.0", ("duel01", 0, 0)),
        ("duel01 3", None),
        (f"duel01 {'9' * 18_000}.1", None),
        (f"duel01 1.{'9' * 18_000}", None),
    ],
)
def test_the_moment_in_the_notes_of_a_save_is_read_or_there_is_none(
    line: str, moment: tuple[str, int, int] | None
) -> None:
    assert moment_in(f"mine\n{TOP}\n{line}\nEnterprise  0101A  8\n{END}") == moment
