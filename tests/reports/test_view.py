"""What a view tells of the duel, and what it keeps to itself."""

from __future__ import annotations

from types import ModuleType
from typing import get_args

import msgspec
import pytest

from pbem.data.files import CustomFigures, playing_with
from pbem.engine import events as ev
from pbem.engine.log import fold
from pbem.reports.text.sentences import WORDS, rule_of, sentence
from pbem.reports.view.build import build_view, clean_text, known_state
from pbem.reports.view.model import Proof
from pbem.reports.view.reader_log import seen_by


def test_every_type_of_event_has_words() -> None:
    assert set(WORDS) == set(get_args(ev.AnyEvent))


def test_every_event_of_the_duel_is_one_sentence(duels: ModuleType) -> None:
    for record in duels.ended():
        text = sentence(record.event)
        assert text and "\n" not in text and "  " not in text and "None" not in text


def test_a_die_modifier_shows_how_it_changed_the_die() -> None:
    shot = ev.Fired(
        unit="A", weapon="PH 1", kind="ph1", target="KD/1", range=1, effective=2, roll="x", die=3, modifier=2, points=4
    )
    assert sentence(shot) == "A fires PH 1 at KD/1, range 1 (effective 2), die 3+2=5: 4 points."
    assert rule_of(shot) == "E1.1"


@pytest.mark.parametrize("side", ["klingon", "federation", "umpire", ""])
def test_the_state_a_view_is_made_from_is_what_its_reader_may_know(duels: ModuleType, side: str) -> None:
    records = duels.ended()
    for end in range(1, len(records), 7):
        told = fold(item.event for item in seen_by(records[:end], side, None))
        assert known_state(records[:end], side) == told
    # Where an earlier turn is played again, it is that of all records in their order.
    moved = next(record for record in records if isinstance(record.event, ev.Moved))
    again = [*records, msgspec.structs.replace(moved, n=len(records) + 1)]
    assert known_state(again, side) == fold(item.event for item in seen_by(again, side, None))


def test_what_was_gathered_is_asked_again_of_the_same_records_alone(duels: ModuleType) -> None:
    records = list(duels.duel())
    before = build_view(records, "klingon")
    assert build_view(tuple(records), "klingon") is before
    assert build_view(records, "federation").side == "federation"
    proof = Proof(scheme=2, commitment="c0")
    assert build_view(records, "klingon", proof=proof).proof == proof and build_view(records, "klingon") is before
    began = records[0].event
    assert isinstance(began, ev.GameStarted)
    records[0] = msgspec.structs.replace(records[0], event=msgspec.structs.replace(began, game="other"))
    assert build_view(records, "klingon").game == "other"
    del records[-1]
    assert build_view(records, "klingon").owed != before.owed
    with playing_with(CustomFigures(token="others")):
        assert build_view(duels.duel(), "klingon") is not before


def test_the_klingon_owes_the_rest_of_the_turn(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    assert view.subject == "duel01 2.9 SITREP"
    assert view.owed is not None and view.owed.mine
    assert view.owed.stretch == "turn 2, impulses 9 to 16"
    assert view.owed.header == "GAME duel01  TURN 2  SIDE klingon  REPLY 3  FORM SOP"
    waiting = build_view(duels.duel(), "federation").owed
    assert waiting is not None and not waiting.mine and waiting.header == "" and waiting.sides == ("klingon",)


def test_tracks_run_from_the_start_of_the_turn(duels: ModuleType) -> None:
    tracks = {track.unit: track for track in build_view(duels.duel(), "federation").tracks}
    assert list(tracks) == ["Constellation", "Destruction", "KD/1"]
    assert [(p.impulse, p.at, p.code) for p in tracks["Constellation"].points] == [
        (0, "1705E", ""), (2, "1605E", "F"), (4, "1505E", "SR"), (6, "1404F", "R"), (8, "1304F", "F"),
    ]  # fmt: skip
    assert tracks["KD/1"].points[0].code == "launched"


def test_a_display_tells_old_damage_from_new(duels: ModuleType) -> None:
    ssd = {ssd.unit: ssd for ssd in build_view(duels.duel(), "federation").ssds}["Destruction"]
    assert (ssd.shields[0].start, ssd.shields[0].before, ssd.shields[0].now) == (16, 11, 0)
    lost = [box.name for box in ssd.weapons if box.lost_now]
    assert lost == ["DISR B"]
    assert [box.now for box in ssd.systems if box.name == "warp left"] == [7]


def test_a_volley_is_told_with_all_it_did(duels: ModuleType) -> None:
    harm = {harm.unit: harm for harm in build_view(duels.duel(), "").harm}["Destruction"]
    assert (harm.points, harm.boxes, harm.internals, harm.left) == (13, 11, 2, 0)
    assert harm.scored == ("DISR B", "warp left")


def test_orders_stand_with_what_became_of_them(duels: ModuleType) -> None:
    (orders,) = build_view(duels.duel(), "klingon").orders
    told = {line.line: line for line in orders.lines if line.told}
    assert orders.in_force and sorted(told) == [3, 5, 9]
    assert told[9].told[0].result == "broke" and told[9].text == "  INTERNALS"
    assert told[3].told[0].result == "flown as F" and told[3].told[0].rule == "C3.2"
    assert told[5].text.strip().startswith("AT 3 LAUNCH")


def test_news_is_only_what_came_since_the_last_sitrep(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "federation")
    assert {said.impulse for said in view.said if said.fresh and said.place != "log"} == {2, 3, 4, 5, 6, 7, 8, 9}
    assert not any("speed" in said.text for said in view.since)
    assert any(said.text == "Constellation moves 4 hexes, to 1304F." for said in view.since)


def test_a_past_turn_can_be_asked_for(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "federation", turn=1)
    assert (view.shown, view.owed) == (1, None)
    assert view.tracks[0].points[0].at == "2401E"
    assert view.units[0].at == "1705E"


def test_what_was_undone_is_not_told(duels: ModuleType) -> None:
    records = duels.duel()
    launch = next(record.n for record in records if isinstance(record.event, ev.Launched))
    undone = ev.Record(
        n=len(records) + 1, event=ev.Undone(turn=2, impulse=2, to=launch - 1, reason="wrong map", segment=3)
    )
    view = build_view([*records, undone], "federation")
    assert "KD/1" not in [unit.name for unit in view.units]
    assert view.harm == ()
    assert any("wrong map" in said.text for said in view.since)


def test_the_end_is_told(duels: ModuleType) -> None:
    view = build_view(duels.ended(), "klingon")
    assert view.over and view.owed is None
    assert [(o.side, o.result) for o in view.outcome] == [("federation", "victory"), ("klingon", "defeat")]
    assert [unit.gone for unit in view.units if unit.name == "Destruction"] == ["destroyed"]


@pytest.mark.parametrize("side", ["federation", ""])
def test_nothing_secret_is_in_the_view_of_others(duels: ModuleType, side: str) -> None:
    data = msgspec.json.encode(build_view(duels.duel(), side))
    for secret in (
        duels.KLI_SECRET,
        "INTERNALS",
        "AT 3 LAUNCH",
        "12 WARP + 1 IMPULSE",
        "flown as F",
        "powered",
        "drones",
    ):
        assert secret.encode() not in data, secret
    assert [energy.unit for energy in build_view(duels.duel(), side).energy] == (["Constellation"] if side else [])


def test_numbers_do_not_tell_how_much_is_hidden(duels: ModuleType) -> None:
    records = duels.duel()
    public = [record for record in records if ev.seen_by(record, "federation") is not None]
    assert build_view(records, "federation") == build_view(public, "federation")


def test_the_umpire_sees_all(duels: ModuleType) -> None:
    data = msgspec.json.encode(build_view(duels.duel(), ev.UMPIRE))
    for secret in (duels.KLI_SECRET, duels.FED_SECRET, "flown as F"):
        assert secret.encode() in data


def test_control_and_direction_characters_are_taken_out() -> None:
    assert clean_text("a\nb\r\tc\x00\u202ed\u2028\u200be") == "a b  c d e"
    assert clean_text("Ä ö 漢") == "Ä ö 漢"
