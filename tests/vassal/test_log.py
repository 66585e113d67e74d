"""Logs as steps: what is read is written again, and a film made here plays as it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from vassal.container.obfuscation import MASK, mask_passwords
from vassal.dump import diff_saves, dump_save
from vassal.errors import LossyTextError, SaveError
from vassal.log import StepLog, log_of_steps, read_log
from vassal.module.module import Module
from vassal.pieces.piece import Look, join_levels
from vassal.save import read_save, read_text
from vassal.text import commands, leaves
from vassal.write import Change, update

LOG, SAVE, AFTER = "hexspace-full-3.7.26.vlog", "hexspace-full-3.7.26.vsav", "hexspace-afterlog-3.7.26.vsav"
CRUISER_A = "1795207336172"


def test_a_log_of_the_engine_is_a_save_and_steps(data: Path, tmp_path: Path, space: Module) -> None:
    log = read_log(data / LOG)
    assert [[type(command).__name__ for command in step.commands] for step in log.steps] == [
        ["MovePiece", "AddPiece"], ["Chat"], ["ChangePiece"], ["MutableProperty"], ["RemovePiece"],
        ["AddPiece", "MovePiece", "AddPiece"], ["ChangePiece"], ["ChangePiece"], ["MovePiece", "AddPiece"],
    ]  # fmt: skip
    assert log.start.text == read_text(data / SAVE)
    assert dump_save(log.table, space)["pieces"] == dump_save(read_save(data / AFTER), space)["pieces"]
    log.write(tmp_path / LOG)
    assert read_text(tmp_path / LOG) == read_text(data / LOG)
    again = log_of_steps(log.start, [step.commands for step in log.steps])
    assert again == log  # worded otherwise, but the same steps
    assert dump_save(again.table)["pieces"] == dump_save(log.table)["pieces"]


def test_a_film_is_written_and_played(data: Path, tmp_path: Path) -> None:
    start = read_save(data / SAVE)
    log = (
        StepLog(start)
        .say("* Impulse 1 of 16")
        .move(CRUISER_A, "Tactical Map", 600, 420, Look(facing=2), say="* Cruiser A turns right")
        .change(CRUISER_A, Look(label="hit; 3/4 'x'", layers={"Hull": 2}))
        .move(CRUISER_A, "Tactical Map", 648, 448)
    )
    log.write(tmp_path / "film.vlog")
    read = read_log(tmp_path / "film.vlog")
    assert [len(step.commands) for step in read.steps] == [1, 3, 1, 1]
    assert read == StepLog(read.start, log.steps)
    assert read.start.text == start.text
    played = read.table.piece(CRUISER_A)
    assert (played.x, played.y, played.piece.rotators[0].facing) == (648, 448, 2)
    assert played.piece.labels[0].text == "hit; 3/4 'x'"
    assert read.table.chat == ("* Impulse 1 of 16", "* Cruiser A turns right")
    assert "oracle" not in read_text(tmp_path / "film.vlog").partition("LOG\t")[2]


def test_a_save_is_a_log_without_steps(data: Path) -> None:
    log = read_log(data / SAVE)
    assert log.steps == ()
    assert log.save().text == read_text(data / SAVE)


def test_steps_that_cannot_be(data: Path, tmp_path: Path) -> None:
    log = StepLog(read_save(data / SAVE))
    with pytest.raises(SaveError, match="at least one command"):
        log.step()
    with pytest.raises(SaveError, match="no piece with the id 'x'"):
        log.move("x", "Tactical Map", 1, 1)
    for text in ("es\x1bcape", "ends with \\"):
        with pytest.raises(LossyTextError):
            log.say(text).step(leaves.Chat("more")).write(tmp_path / "x.vlog")
    assert list(tmp_path.iterdir()) == []


def test_a_piece_without_a_stack_stays_where_it_was_moved_when_it_changes(data: Path, space: Module) -> None:
    """A change says only what it changes; the place in its state is the old one on both sides."""
    start = read_save(data / SAVE)
    film_of_it = StepLog(start).move(CRUISER_A, "Tactical Map", 600, 420)
    piece = start.piece(CRUISER_A)
    turned = Look(facing=4).apply(piece.piece)
    log = film_of_it.step(leaves.ChangePiece(CRUISER_A, turned.state, piece.piece.state))
    after = log.table.piece(CRUISER_A)
    assert (after.x, after.y, after.stack, after.piece.rotators[0].facing) == (600, 420, None, 4)


def test_a_delayed_note_tells_its_owners_side(data: Path) -> None:
    save = read_save(data / SAVE)
    assert {note.side for note in save.delayed_notes} <= {player.side for player in save.players} | {""}


SECRET = "geheim"
KIND = "hide;k;Hide;0,0,0\tobs;77,130;;Mask;;?;player:\tpiece;;;;A;"
"""A piece that a player can hide or mask: then their password stands in its state."""


@pytest.mark.parametrize(
    "command",
    [
        leaves.Player(id=SECRET, name="Ann", side="Alpha"), leaves.PlayerLeaves(id=SECRET),
        leaves.PrivateNote(owner=SECRET, text="text"), leaves.Unmask(ids=(SECRET, "null")),
        leaves.SecretNote(name="n", owner=SECRET, hidden=True, text="t", date="11/20/2026 8:30 PM", handle="Ann"),
        leaves.MovePiece(
            id="1", map="Main", x=1, y=2, under=None, old_map="Main", old_x=3, old_y=4, old_under=None, player=SECRET
        ),
        leaves.AddPiece("1", KIND, f"{SECRET}\tnull\\tnull"), leaves.AddPiece("1", KIND, f"null\t{SECRET};x\\tnull"),
        leaves.ChangePiece("2", f"{SECRET}\tnull\\tnull", f"null\t{SECRET}\\tnull"),
    ],
    ids=lambda command: type(command).__name__,
)  # fmt: skip
@pytest.mark.parametrize("deep", [0, 1, 2, 5, 49])
def test_passwords_are_masked_however_deep_the_step_stands(command: leaves.AnyLeaf, deep: int) -> None:
    text = command.encode()
    assert SECRET in text
    masked = commands.encode(mask_passwords(commands.parse("LOG\t" * deep + text)))
    assert SECRET not in masked and MASK in masked
    assert masked.startswith("LOG\t" * deep) and masked.count("LOG") == deep


def test_of_a_piece_that_a_step_adds_only_the_password_is_masked() -> None:
    """Later changes of it name no type: that is known from the step that added it, however deep it stands."""
    here, hidden, masked = (
        join_levels(levels)
        for levels in (["null", "null", "Main;1;2;A"], [SECRET, "null", "Main;3;4;A"], ["null", SECRET, "Main;5;6;A"])
    )
    added = leaves.AddPiece("7", join_levels(KIND.split("\t")), here)
    change = leaves.ChangePiece("7", hidden, masked)
    for deep in (1, 3):
        steps = [leaves.Log(command.encode()).encode() for command in (added, change)]
        tree = commands.group(["LOG\t" * (deep - 1) + step for step in steps])
        told = commands.encode(mask_passwords(tree))
        assert SECRET not in told and told.count(MASK) == 2
        assert all(place in told for place in ("Main;1;2;A", "Main;3;4;A", "Main;5;6;A"))


def test_what_moved_is_told_by_map_and_both_numbers(data: Path, space: Module) -> None:
    save = read_save(data / SAVE)
    piece = next(one for one in save.pieces if one.id == CRUISER_A)
    for right, down, moved in ((0, 0, 0), (200, 0, 1), (0, 200, 1), (0, 1, 1), (1, 0, 1), (-200, 200, 1)):
        changed = update(save, {piece.id: Change(at=(piece.x + right, piece.y + down))})
        found = [one for one in diff_saves(save, changed, space) if one.kind == "moved" and one.id == piece.id]
        assert len(found) == moved, (right, down)
