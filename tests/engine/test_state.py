"""What a state is asked: who is in play, who takes orders, who is whose enemy; and its file, and that of the log."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from pbem.data.terms import FormKind, Motion, MutinyState, UnitFate
from pbem.engine import events as ev, log
from pbem.engine.on_file import altered
from pbem.engine.relations import conceded, takes_orders, unguided
from pbem.engine.state import Monster, Request, Seeker, Ship, Shuttle, State
from pbem.errors import GameError
from tests.engine.world import rich

replace = msgspec.structs.replace


def names(units: Any) -> list[str]:
    return [unit.name for unit in units]


def put(state: State, name: str, **changes: Any) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


def test_who_is_in_play_by_name() -> None:
    state = rich()
    turned = replace(state, units=dict(reversed(state.units.items())))
    for each in (state, turned):
        assert names(each.ships()) == ["Bird", "Con", "Des", "Gorn", "Hood", "Kestrel"]
        assert names(each.seekers()) == ["GP/1", "KD/1", "KD/2"]
        assert names(each.shuttles()) == ["FS/1", "KS/1"]
        assert names(each.monsters()) == ["Eater"]
        assert names(each.in_play()) == sorted({*state.units} - {"Wreck"})
    kinds: tuple[tuple[str, type], ...] = (("GP/1", Seeker), ("KS/1", Shuttle), ("Eater", Monster), ("Con", Ship))
    for name, kind in kinds:
        without = put(state, name, gone=UnitFate.REMOVED)
        assert all(name not in names(found) for found in (without.in_play(), without.seekers(), without.shuttles()))
        assert name not in names(without.monsters()) + names(without.ships())
        assert isinstance(without.units[name], kind)


def test_hexes_of_planets_are_those_of_worlds_that_are_there() -> None:
    assert rich().planets == {"2512", "2511"}
    assert put(rich(), "Moon", gone=UnitFate.DESTROYED).planets == frozenset()
    assert replace(rich(), worlds=("Con",)).planets == frozenset() == replace(rich(), worlds=()).planets


def test_links_by_beam_and_by_what_is_held() -> None:
    assert [(link.beam, link.target) for link in rich().held_by("Con")] == [("A", "KD/1"), ("B", "Des")]
    assert [link.ship for link in rich().holders("Des")] == ["Con", "Gorn"]
    assert rich().held_by("Hood") == rich().holders("Con") == []


def test_moments_are_counted_over_the_turns() -> None:
    state = rich()
    moments = [replace(state, turn=turn, impulse=impulse).moment for turn, impulse in ((1, 0), (1, 1), (2, 0), (3, 4))]
    assert moments == [0, 1, 16, 36]


def test_where_a_game_stands() -> None:
    """By its request; else by the later of what is played and what was asked last."""
    state = replace(rich(), turn=2, impulse=9)
    later = Request(number=1, turn=3, impulse=0, form=FormKind.EAF, sides=(), through=16)
    assert state.stands == (2, 5) and replace(state, request=later).stands == (3, 0)
    ended = replace(state, request=None)
    assert ended.stands == (2, 9) == replace(ended, last_request=None).stands
    assert replace(ended, last_request=later).stands == (3, 0)
    assert State().stands == (0, 0)


def test_who_has_weapons_that_no_ship_guides() -> None:
    state = rich()
    assert unguided(state, "klingon") == [] == unguided(state, "nobody")
    ships = [name for name, unit in state.units.items() if isinstance(unit, Ship) and unit.side == "klingon"]
    alone = replace(state, units={name: unit for name, unit in state.units.items() if name not in ships})
    assert names(unguided(alone, "klingon")) == ["KD/1"]  # KD/2 flies straight on (scenario #1)
    assert names(unguided(put(alone, "KD/2", motion=Motion.HOMING), "klingon")) == ["KD/1", "KD/2"]
    # The ship from which it launched GP/1 was captured (FP4.0).
    assert unguided(alone, "gorn") == unguided(state, "gorn") == []
    alone = put(alone, "KS/1", gone=UnitFate.DESTROYED)
    assert takes_orders(alone, "klingon") and not takes_orders(put(alone, "KD/1", gone=UnitFate.EXPLODED), "klingon")


def test_who_takes_orders() -> None:
    state = rich()
    takes = [side for side in state.sides if takes_orders(state, side)]
    assert takes == ["federation", "klingon", "robot", "romulan"]
    assert takes_orders(put(state, "Des", gone=UnitFate.DESTROYED), "klingon")  # the pilot of KS/1 obeys (J1.0)
    state = put(state, "KS/1", gone=UnitFate.DESTROYED)
    wreck = put(state, "Des", gone=UnitFate.CONCEDED)
    assert not takes_orders(wreck, "klingon") and conceded(wreck, "klingon") and not conceded(wreck, "gorn")
    assert not conceded(state, "klingon") and not conceded(put(state, "Des", gone=UnitFate.DESTROYED), "klingon")
    assert not takes_orders(put(state, "Des", immobile=True), "klingon")


@pytest.mark.parametrize(
    ("changes", "obeys"),
    [
        ({}, True), ({"immobile": True}, False), ({"mutiny": MutinyState.STAGED}, False),
        ({"mutiny": MutinyState.PUT_DOWN}, True), ({"mutiny": MutinyState.STAGED, "captured_from": "gorn"}, True),
        ({"mutiny": MutinyState.STAGED, "captured_from": "gorn", "immobile": True}, False),
    ],
)  # fmt: skip
def test_which_ships_do_what_they_are_told(changes: dict[str, Any], obeys: bool) -> None:
    ship = rich().units["Con"]
    assert isinstance(ship, Ship) and altered(ship, **changes).obeys is obeys


def test_what_batteries_hold_and_whose_a_ship_is_by_rights() -> None:
    con, gorn, des = (rich().units[name] for name in ("Con", "Gorn", "Des"))
    assert isinstance(con, Ship) and isinstance(gorn, Ship) and isinstance(des, Ship)
    assert (con.power.stored, des.power.stored) == (Fraction(5, 2), Fraction(3))
    assert (con.lost_by, gorn.lost_by) == ("federation", "gorn")
    assert (con.at, con.in_play, rich().units["Wreck"].in_play) == ("1204C", True, False)


def test_who_is_whose_enemy() -> None:
    state = rich()
    enemies = [(a, b) for a in state.sides for b in state.sides if state.enemies(a, b)]
    allies = {("federation", "gorn"), ("gorn", "federation")}
    assert enemies == [(a, b) for a in state.sides for b in state.sides if a != b and (a, b) not in allies]
    assert not state.enemies("gorn", "") and state.enemies("", "gorn") and state.enemies("gorn", "pirates")
    assert [state.team_of(side) for side in ("gorn", "klingon", "pirates")] == ["allies", "empire", "pirates"]


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_state_is_read_as_it_was_written() -> None:
    for state in (rich(), State()):
        data = log.encode_state(state)
        assert log.decode_state(data) == state and log.encode_state(log.decode_state(data)) == data
        assert log.records_of_state(data) == state.records
    assert log.encode_state(State()).startswith(b'{\n "format": 1,\n "game": "",\n') and data.endswith(b"\n}\n")


@pytest.mark.parametrize("read", [log.decode_state, log.records_of_state])
@pytest.mark.parametrize(("data", "reason"), [(b"{", "truncated"), (b'{"records": "x"}', "records"), (b"\xff", "")])
def test_a_damaged_state_says_what_mends_it(read: Any, data: bytes, reason: str) -> None:
    with pytest.raises(GameError) as told:
        read(data, "here.json")
    (fault,) = told.value.faults
    assert (fault.code, fault.file, fault.line) == ("state-damaged", "here.json", 0)
    assert reason in fault.text
    assert fault.text.startswith("this state file cannot be read: ")
    assert fault.text.endswith("; `pbem verify --repair` makes it again from the event log")


def test_a_state_of_a_later_version_is_named() -> None:
    with pytest.raises(GameError) as told:
        log.decode_state(log.encode_state(replace(State(), format=2)), "later.json")
    assert str(told.value) == "later.json: format: state format 2 is unknown; this version reads format 1"


def record(n: int, event: ev.AnyEvent, **more: Any) -> ev.Record:
    return ev.Record(n=n, event=event, **more)


def test_a_log_is_read_as_it_was_written_and_a_bad_line_is_named() -> None:
    secret = ev.Ruled(turn=2, unit="Con", path="general", value=3, why="x")
    shown = ev.Ruled(turn=2, unit="Con")
    records = [record(1, ev.TurnBegan(turn=1)), record(2, secret, only="klingon", shown=shown)]
    data = log.encode_records(records)
    assert data.count(b"\n") == 2 and data.startswith(b'{"n":1,"event":{"event":"turn_began","turn":1}}\n')
    assert log.decode_records(data) == records == log.decode_records(b"\n" + data + b"\n\n")
    with pytest.raises(GameError) as told:
        log.decode_records(data + b'\n{"n": 3}\n', "log.jsonl")
    assert str(told.value).startswith("log.jsonl:4: log-damaged: this record cannot be read: ")
    for reader, seen in (("klingon", secret), (ev.UMPIRE, secret), ("gorn", shown), ("", shown)):
        assert ev.seen_by(records[1], reader) == seen
        assert ev.seen_by(records[0], reader) == records[0].event
    assert ev.seen_by(replace(records[1], shown=None), "gorn") is None


def test_what_was_taken_back_does_not_count() -> None:
    began = [record(n, ev.TurnBegan(turn=n)) for n in range(1, 6)]
    undone = record(6, ev.Undone(to=3, reason="x", segment=1))
    again = record(7, ev.TurnEnded())
    rerun = record(8, ev.Reran(to=6, reason="x", segment=1, through=2, kept=(1,), since="turn 1"))
    kept = [n.n for n in log.effective([*began, undone, again])]
    assert kept == [1, 2, 3, 6, 7] == [n.n for n in log.effective([again, undone, *reversed(began)])]
    assert [n.n for n in log.effective([*began, undone, again, rerun])] == [1, 2, 3, 6, 8]
    assert [n.n for n in log.effective([*began, replace(undone, event=replace(undone.event, to=0))])] == [6]
