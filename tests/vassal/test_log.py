"""Logs as steps: what is read is written again, and a film made here plays as it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from vassal import leaves
from vassal.dump import dump_save
from vassal.errors import LossyTextError, SaveError
from vassal.log import StepLog, film, read_log
from vassal.look import Look
from vassal.module import Module
from vassal.save import read_save, read_text

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
    again = film(log.start, [step.commands for step in log.steps])
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
