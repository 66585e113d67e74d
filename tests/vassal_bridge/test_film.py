"""A turn as a VASSAL log: it plays from the start of the turn to its end, and holds nothing secret."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pbem.engine.events import EnergyAllotted, Fired, Launched, OrdersFiled, Record, seen_by
from pbem.errors import GameError
from pbem.lab.random_games import play
from pbem.reports.text.sentences import sentence
from pbem.vassal_bridge.export import export_game
from pbem.vassal_bridge.film import ReplayLog, make_replay_log
from pbem.vassal_bridge.notes import sitrep_notes
from pbem.vassal_bridge.scene import public_state
from vassal.log import read_log
from vassal.module.module import Module
from vassal.save import Save, read_text

Shipped = Callable[[str], list[Record]]
Places = dict[str, tuple[str, str, str, str]]


# --- an interpreter of logs that shares nothing with the library ------------------------------------------------------


def split(text: str, mark: str) -> list[str]:
    """VASSAL's one quoting scheme: a backslash protects the mark, quotes wrap what looks quoted."""
    tokens = [token.replace("\\" + mark, mark) for token in re.split(rf"(?<!\\){mark}", text)]
    return [t[1:-1] if len(t) > 1 and t[0] == t[-1] == "'" else t for t in tokens]


def commands(text: str) -> list[str]:
    parts = split(text, "\x1b")
    return [text] if parts[0] == text else [one for part in parts for one in commands(part)]


def levels(text: str) -> list[str]:
    """The states of a piece's traits, the core last."""
    head, *rest = split(text, "\t")
    return [head, *levels("\t".join(rest))] if rest else [head]


def replayed(text: str) -> Places:
    """Every counter after the last step: map, x, y, and the states of its traits."""
    table: Places = {}
    done = [one.removeprefix("LOG\t") for one in commands(text)]
    for command in [each for one in done for each in commands(one)]:
        kind, _, rest = command.partition("/")
        parts = split(rest, "/")
        if kind == "+" and not parts[1].startswith("stack"):
            *looks, core = levels(parts[2])
            table[parts[0]] = (*core.split(";")[:3], "|".join(looks))  # type: ignore[assignment]
        elif kind == "M":
            table[parts[0]] = (*parts[1:4], table[parts[0]][3])  # type: ignore[assignment]
        elif kind == "D":
            *looks, core = levels(parts[1])
            assert core.split(";")[:3] == list(table[parts[0]][:3])
            assert "|".join(levels(parts[2])[:-1]) == table[parts[0]][3], "it was what the step says it was"
            table[parts[0]] = (*table[parts[0]][:3], "|".join(looks))
        elif kind == "-":
            del table[rest]
    return table


def places(save: Save) -> dict[str, object]:
    return {piece.id: (piece.map, piece.x, piece.y, piece.piece.guise) for piece in save.pieces}


def ends_right(film: ReplayLog, records: Sequence[Record], module: Module) -> None:
    """The film ends as the save of that moment begins, for the library and for the interpreter above."""
    past = [record for record in records if record.event.turn <= film.turn]
    last = film.turn == max(record.event.turn for record in records)
    notes = sitrep_notes(records, None if last else film.turn)
    wanted = export_game(public_state(past), module, film.binding, notes).save
    end = film.log.save().played()
    assert places(end) == places(wanted)
    assert replayed(film.log.save().text) == replayed(wanted.text)
    assert (end.turns, end.public_notes, end.faults) == (wanted.turns, wanted.public_notes, ())
    assert not end.players


# --- the shipped duel -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("name", "turns"), [("duel01", 5), ("rescue01", 3)])
def test_every_turn_plays_to_its_end(cadet: Module, shipped: Shipped, name: str, turns: int) -> None:
    records = shipped(name)
    for turn in range(1, turns + 1):
        ends_right(make_replay_log(records, cadet, turn=turn), records, cadet)


@pytest.mark.slow
def test_it_goes_impulse_by_impulse_and_tells_what_happened(cadet: Module, shipped: Shipped, tmp_path: Path) -> None:
    film = make_replay_log(shipped("duel01"), cadet, turn=2)
    film.log.write(tmp_path / "turn.vlog")
    read = read_log(tmp_path / "turn.vlog")
    assert [step.commands for step in read.steps] == [step.commands for step in film.log.steps]
    chat = read.table.chat
    heads = [line for line in chat if line.startswith("* ---")]
    assert heads[:3] == [
        "* --- Turn 2, before the first impulse ---", "* --- Turn 2, impulse 1 ---", "* --- Turn 2, impulse 2 ---",
    ]  # fmt: skip
    assert "* Constellation fires PH 3 at KD/1, range 2, die 4: 4 points. (E2.4)" in chat
    assert "* KD/1 is destroyed. (FD1.54)" in chat
    assert "* Destruction launches KD/2 from DRONE 1 at Constellation; KD/2 starts at 1611B. (FD1.2)" in chat
    assert "* Constellation to 1908E (F) (C1.4)" in chat
    for record in shipped("duel01"):
        if isinstance(record.event, Fired | Launched) and record.event.turn == 2:
            told = seen_by(record, "")
            assert told is not None
            assert any(sentence(told) in line for line in chat)


def test_a_ship_turns_before_it_moves_and_lands_on_top_of_what_is_there(cadet: Module, shipped: Shipped) -> None:
    """As VASSAL logs it: change, move, and a stack of its own where the hex was empty."""
    kinds = [
        [type(command).__name__ for command in step.commands if type(command).__name__ not in ("Turn", "Chat")]
        for step in make_replay_log(shipped("duel01"), cadet, turn=2).log.steps
    ]
    assert ["ChangePiece", "MovePiece", "AddPiece"] in kinds  # turns, and enters an empty hex
    assert ["MovePiece"] in kinds  # enters a hex that is not empty
    assert ["AddPiece", "MovePiece"] in kinds  # is launched in its ship's hex
    assert ["RemovePiece"] in kinds


def test_it_may_begin_with_an_impulse(cadet: Module, shipped: Shipped) -> None:
    records = shipped("duel01")
    film = make_replay_log(records, cadet, turn=2, impulse=8)
    ends_right(film, records, cadet)
    assert film.log.table.chat[0] == "* --- Turn 2, impulse 8 ---"
    assert film.log.start.turns["TurnTracker1"].startswith("0|2;1;")


def test_a_turn_that_was_not_played_cannot_be_shown(cadet: Module, shipped: Shipped) -> None:
    for turn, impulse in ((6, 0), (5, 9)):
        with pytest.raises(GameError, match="has not been played"):
            make_replay_log(shipped("duel01"), cadet, turn=turn, impulse=impulse)
    with pytest.raises(GameError, match="no turn has been played yet"):
        make_replay_log(shipped("duel01")[:4], cadet)


def test_the_clear_text_is_the_same_every_time(cadet: Module, shipped: Shipped, tmp_path: Path) -> None:
    texts = []
    for name in ("a.vlog", "b.vlog"):
        make_replay_log(shipped("duel01"), cadet, turn=3).log.write(tmp_path / name)
        texts.append(read_text(tmp_path / name))
    assert texts[0] == texts[1]


def test_nothing_secret_is_in_it(cadet: Module, shipped: Shipped) -> None:
    """A log of what a spectator may see alone gives the same film; orders, energy and addresses are not in it."""
    for name in ("duel01", "rescue01"):
        records = shipped(name)
        film = make_replay_log(records, cadet, turn=2)
        public = [Record(n=r.n, event=event) for r in records if (event := seen_by(r, "")) is not None]
        text = film.log.save().text
        assert make_replay_log(public, cadet, film.binding, turn=2).log.save().text == text
        secret = [r.event for r in records if r.only]
        lines = {line.strip() for e in secret if isinstance(e, OrdersFiled) for line in e.text.splitlines()}
        lines |= {line for e in secret if isinstance(e, EnergyAllotted) for line in e.lines}
        assert [line for line in lines if " " in line and line in text] == []
        assert "example.org" not in text


@pytest.mark.parametrize("number", ["9", "7"])
def test_shuttles_planets_and_boarding_play_as_well(cadet: Module, number: str) -> None:
    begun = play.opening(play.deal(f"{number}-1-1"))
    records = list(begun.records)
    for stretch in play.stretches(begun, turns=2):
        records += stretch.records
    for turn in (1, 2):
        ends_right(make_replay_log(records, cadet, turn=turn), records, cadet)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1", "2", "3", "5", "6", "8", "10", "11"])
def test_games_of_all_scenarios_play_to_their_end(cadet: Module, number: str) -> None:
    begun = play.opening(play.deal(f"{number}-1-1"))
    records = list(begun.records)
    for stretch in play.stretches(begun, turns=3):
        records += stretch.records
    for turn in range(1, max(record.event.turn for record in records) + 1):
        ends_right(make_replay_log(records, cadet, turn=turn), records, cadet)
