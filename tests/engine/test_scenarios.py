"""Scenarios #1 to #3, without an energy form: each is played to its end by mail, and every opening is what the
handbook says.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from pbem.data.scenarios import Victory, scenario
from pbem.engine import events as ev
from pbem.engine.relations import takes_orders
from pbem.engine.state import Seeker, Ship, State
from pbem.engine.steps.ending import may_disengage
from pbem.engine.victory import KINDS
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit

HUNT = """
SHIP Constellation
PLOT TOWARD NEAREST SEEKER
DO
  EVERY IF SEEKER WITHIN 3 THEN FIRE ONE OF PH 1,2,3 AT EACH
  EVERY IF SEEKER WITHIN 8 AND RANGE IT >= 2 THEN FIRE HEAVY AT IT
"""
FLEE = """
SHIP Constellation
PLOT AWAY FROM NEAREST SEEKER
"""
LEAVE = """
SHIP Constellation
PLOT 13F LEAVE MAP
"""
MEET = """
SHIP Constellation
PLOT TOWARD NEAREST SEEKER
"""
RAID = """
SHIP Destruction
SPEED 6
PLOT TOWARD NEAREST ENEMY SHIP
DO
  IF RANGE NEAREST ENEMY SHIP <= 4 THEN FIRE ALL AT NEAREST ENEMY SHIP
"""


def begin(number: str, folder: Path, ships: dict[str, str] | None = None) -> Path:
    players = {"convoy": "robot"} if number == "3" else {}
    new(number, folder / "solo", players=players, seed="scenarios", options={"autobreaks": "none"}, ships=ships)
    return folder / "solo"


def answer(game: GameFolder, orders: str) -> None:
    """Send the same orders every turn; a rebid within it continues."""
    request = game.state().request
    assert request is not None
    body = orders if request.impulse == 0 else "CONTINUE"
    for side in request.sides:
        header = f"GAME solo TURN {request.turn} SIDE {side} REPLY {request.number}"
        submit(game, f"{header}\n{body}\nEND\n", "orders.txt")
    resolve_game(game)


def to_the_end(game: GameFolder, orders: str, most: int = 40) -> State:
    for _ in range(most):
        if game.state().over:
            break
        answer(game, orders)
    return game.state()


def results(state: State) -> dict[str, str]:
    return {one.side: one.result for one in state.outcome}


def events(game: GameFolder, kind: type[ev.Event]) -> list[ev.Event]:
    return [record.event for record in game.effective() if isinstance(record.event, kind)]


@pytest.mark.parametrize(("number", "orders"), [("1", HUNT), ("2", HUNT), ("3", RAID)])
def test_a_scenario_plays_to_its_end_and_verifies(number: str, orders: str, tmp_path: Path) -> None:
    if number == "1":
        orders = "\n".join(line for line in orders.split("\n") if "HEAVY" not in line)
    with opened(begin(number, tmp_path)) as game:
        state = to_the_end(game, orders)
        assert state.over
        assert sorted(results(state)) == sorted(state.sides)
        checked = verify(game)
        assert (checked.record, checked.derived) == ((), ())


def test_no_energy_form_is_asked_for_and_none_taken(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        request = game.state().request
        assert request is not None and (request.form, request.impulse) == ("SOP", 0)
        with pytest.raises(GameError) as refused:
            answer(game, "SHIP Constellation\nENERGY\n  SPEED 8\n")
        assert [fault.code for fault in refused.value.faults] == ["no-energy-form"]


def test_continue_cannot_begin_a_turn(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        answer(game, FLEE)
        with pytest.raises(GameError) as refused:
            answer(game, "CONTINUE")
        assert [fault.code for fault in refused.value.faults] == ["nothing-to-continue"]


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_the_draft_can_be_sent_as_it_is(number: str, tmp_path: Path) -> None:
    with opened(begin(number, tmp_path)) as game:
        draft = next((game.path / "01" / "r1").glob("*/orders.draft")).read_text(encoding="utf-8")
        submit(game, draft, "draft.txt")
        resolve_game(game)
        assert game.state().turn == 1 or game.state().over
        assert game.state().impulse > 0


def test_the_captain_of_the_raider_chooses_a_speed_up_to_8(tmp_path: Path) -> None:
    with opened(begin("3", tmp_path)) as game:
        with pytest.raises(GameError) as refused:
            answer(game, "SHIP Destruction\nSPEED 9\n")
        assert [fault.code for fault in refused.value.faults] == ["too-fast"]
        answer(game, "SHIP Destruction\nSPEED 3\n")
        moved = [one for one in events(game, ev.Moved) if isinstance(one, ev.Moved) and one.unit == "Destruction"]
        assert len(moved) == 3


def test_the_ship_under_attack_moves_at_speed_8(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        with pytest.raises(GameError) as refused:
            answer(game, "SHIP Constellation\nSPEED 4\n")
        assert [fault.code for fault in refused.value.faults] == ["speed-fixed"]


@pytest.mark.parametrize(
    ("number", "orders", "code"),
    [
        ("1", "SHIP Constellation\nDO\n  AT 3 FIRE PHOT A AT NEAREST SEEKER\n", "disabled"),
        ("2", "SHIP Constellation\nDO\n  AT 3 FIRE PHOT A AT NEAREST SEEKER\n", "not-armed"),
        ("2", "SHIP Constellation\nPLOT SL\n", "no-sideslip"),
        ("2", "SHIP Constellation\nDO\n  RESERVE UP TO 1 TO #1\n", "not-used"),
    ],
)
def test_what_the_scenario_does_not_use_is_refused(number: str, orders: str, code: str, tmp_path: Path) -> None:
    with opened(begin(number, tmp_path)) as game, pytest.raises(GameError) as refused:
        answer(game, orders)
    assert [fault.code for fault in refused.value.faults] == [code]


def test_photons_fire_on_turn_2_and_again_two_turns_later(tmp_path: Path) -> None:
    fire = f"{MEET}DO\n  EVERY IF SEEKER WITHIN 30 AND RANGE IT >= 2 THEN FIRE HEAVY AT IT\n"
    with opened(begin("2", tmp_path)) as game:
        to_the_end(game, fire, most=5)
        shots = [one for one in events(game, ev.Fired) if isinstance(one, ev.Fired) and one.kind == "photon"]
        turns = sorted({shot.turn for shot in shots if shot.weapon == "PHOT A"})
        assert turns and turns[0] == 2
        assert all(later - earlier >= 2 for earlier, later in pairwise(turns))
        assert {shot.modifier for shot in shots} == {0}, "the penalty of FD1.52 does not count here"


def test_practice_drones_fly_straight_and_do_no_harm(tmp_path: Path) -> None:
    with opened(begin("1", tmp_path)) as game:
        start = {unit.name: unit.facing for unit in game.state().seekers()}
        state = to_the_end(game, "SHIP Constellation\nPLOT AWAY FROM NEAREST SEEKER")
        assert {unit.name: unit.facing for unit in state.units.values() if isinstance(unit, Seeker)} == start
        assert not events(game, ev.Impact) and not events(game, ev.Damaged)
        assert results(state) == {"drones": "victory", "federation": "defeat"}


def test_drones_follow_their_ship_and_never_tire(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        state = to_the_end(game, FLEE, most=5)
        assert not [one for one in events(game, ev.Removed) if isinstance(one, ev.Removed) and "endurance" in one.why]
        assert state.turn == 5
        assert len(state.seekers()) > 4


def test_off_the_map_the_ship_under_attack_is_lost(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        state = to_the_end(game, LEAVE, most=4)
        assert results(state) == {"drones": "victory", "federation": "defeat"}


@pytest.mark.slow
def test_each_volley_of_scenario_2_takes_a_weapon_first(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        to_the_end(game, MEET, most=8)
        hits = [one for one in events(game, ev.InternalHit) if isinstance(one, ev.InternalHit)]
        firsts = [hit for hit in hits if hit.number == 1]
        assert firsts and not any(hit.die for hit in hits)
        weapons = {"PH 1", "PH 2", "PH 3", "PHOT A", "PHOT B"}
        assert all(hit.box in weapons for hit in firsts[:5])
        assert not {hit.box for hit in hits} & {"bridge", "security"}


@pytest.mark.slow
def test_freighters_turn_at_column_15_and_leave_by_the_right_edge(tmp_path: Path) -> None:
    with opened(begin("3", tmp_path)) as game:
        state = to_the_end(game, "SHIP Destruction\nSPEED 0\n")
        ships = {name: unit for name, unit in state.units.items() if name.startswith("Freighter")}
        assert all(isinstance(ship, Ship) and ship.facing == "C" for ship in ships.values())
        turned = [one for one in events(game, ev.Turned) if isinstance(one, ev.Turned)]
        assert {(one.unit, one.at[:2]) for one in turned} == {(name, "15") for name in ships}
        assert [name for name, ship in ships.items() if ship.gone == "left the map"]
        assert results(state) == {"convoy": "victory", "klingon": "defeat"}


def test_freighters_fire_on_their_own_impulse_at_drones_first(tmp_path: Path) -> None:
    launch = 'SHIP Destruction\nSPEED 8\nDO\n  AT 1 LAUNCH DRONE 1 AT "Freighter B"\n'
    own = {"Freighter A": 2, "Freighter B": 4, "Freighter C": 6, "Freighter D": 8}
    with opened(begin("3", tmp_path)) as game:
        answer(game, launch)
        shots = [one for one in events(game, ev.Fired) if isinstance(one, ev.Fired)]
        assert {shot.impulse for shot in shots if shot.unit == "Freighter B"} == {4}
        assert all(shot.impulse == own[shot.unit] for shot in shots if shot.unit in own)
        assert {shot.target for shot in shots if shot.unit == "Freighter B"} == {"KD/1"}
        assert {shot.target for shot in shots if shot.unit == "Freighter A"} == {"Destruction"}


def test_another_cruiser_may_raid_the_convoy_but_not_any_ship(tmp_path: Path) -> None:
    with opened(begin("3", tmp_path, ships={"Destruction": "fed_cadet_ca"})) as game:
        ship = game.state().units["Destruction"]
        assert isinstance(ship, Ship) and ship.ship == "fed_cadet_ca"
    (tmp_path / "other").mkdir()
    with pytest.raises(GameError) as refused:
        begin("3", tmp_path / "other", ships={"Destruction": "rom_cadet_kr"})
    assert [fault.code for fault in refused.value.faults] == ["ship-choice"]


def test_nobody_plays_the_practice_drones(tmp_path: Path) -> None:
    with pytest.raises(GameError) as refused:
        new("1", tmp_path / "solo", players={"drones": "bob@example.org"}, seed="scenarios")
    assert [fault.code for fault in refused.value.faults] == ["robot-only"]


def test_a_player_guides_the_drones_that_no_ship_guides(tmp_path: Path) -> None:
    """Scenario #2 with a live opponent (F2.0): his orders have no ship's block."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="scenarios")
    with opened(tmp_path / "duel") as game:
        assert takes_orders(game.state(), "drones")
        head = "GAME duel TURN 1 SIDE {} REPLY 1\n"
        submit(game, head.format("drones") + 'DO\n  GUIDE "Drone A" LEFT\n', "drones.orders")
        submit(game, head.format("federation") + "SHIP Constellation\nPLOT 8F\n", "federation.orders")
        resolve_game(game)
        first = next(r.event for r in game.records() if isinstance(r.event, ev.Moved) and r.event.unit == "Drone A")
        assert (first.at, first.code) == ("0208B", "L")
        assert verify(game).faults == ()


def test_nobody_named_the_special_rule_guides_the_drones(tmp_path: Path) -> None:
    with opened(begin("2", tmp_path)) as game:
        request = game.state().request
        assert request is not None and request.sides == ("federation",)


def test_a_break_within_a_turn_keeps_the_speed(tmp_path: Path) -> None:
    watchful = "SHIP Destruction\nSPEED 5\nPLOT 5F\nBREAK\n  IMPULSE 3\n"
    with opened(begin("3", tmp_path)) as game:
        answer(game, watchful)
        request = game.state().request
        assert request is not None and (request.turn, request.form) == (1, "SOP")
        draft = (game.path / "01" / "r2" / "klingon" / "orders.draft").read_text(encoding="utf-8")
        assert "SPEED" not in draft.replace("speed", "")
        with pytest.raises(GameError) as refused:
            submit(game, "GAME solo TURN 1 SIDE klingon REPLY 2\nSHIP Destruction\nSPEED 8\nEND\n", "orders.txt")
        assert [fault.code for fault in refused.value.faults] == ["speed-fixed"]
        with pytest.raises(GameError, match="write the speed of Destruction on a line of its own: SPEED 5"):
            submit(game, "GAME solo TURN 1 SIDE klingon REPLY 2\nSHIP Destruction\nENERGY\n  SPEED 8\nEND\n", "o.txt")
        submit(game, draft, "orders.txt")
        resolve_game(game)
        moved = [one for one in events(game, ev.Moved) if isinstance(one, ev.Moved) and one.unit == "Destruction"]
        assert len(moved) == 5


@pytest.mark.slow
def test_the_owner_of_the_convoy_plays_it_to_its_end(tmp_path: Path) -> None:
    new("3", tmp_path / "solo", players={"klingon": "ann", "convoy": "bob"}, seed="scenarios")
    blocks = "".join(f'SHIP "Freighter {which}"\nPLOT {{plot}} LEAVE MAP\n' for which in "ABCD")
    with opened(tmp_path / "solo") as game:
        for turn in range(1, 12):
            request = game.state().request
            if request is None:
                break
            plot = "R F" if turn == 4 else "F"
            said = {"klingon": "SHIP Destruction\nSPEED 1\n", "convoy": blocks.replace("{plot}", plot)}
            for side in request.sides:
                header = f"GAME solo TURN {request.turn} SIDE {side} REPLY {request.number}"
                submit(game, f"{header}\n{said[side]}END\n", f"{side}.txt")
            resolve_game(game)
        assert results(game.state()) == {"convoy": "victory", "klingon": "defeat"}
        checked = verify(game)
        assert (checked.record, checked.derived) == ((), ())


@pytest.mark.parametrize(
    ("announces", "leaving", "may"),
    [(True, "disengaged", True), (True, "destroyed", False), (False, "disengaged", False), (True, "forbidden", False)],
)
def test_captains_disengage_where_they_may_say_so_and_leaving_means_that(
    announces: bool, leaving: str, may: bool
) -> None:
    found = scenario("5")
    mine, other = found.sides
    sides = (msgspec.structs.replace(mine, leaving=leaving), msgspec.structs.replace(other, leaving="disengaged"))
    setting = msgspec.structs.replace(found, sides=sides, disengagement=announces)
    assert may_disengage(setting, mine.name) == may
    assert may_disengage(setting, "nobody") is False


def test_every_kind_of_victory_a_scenario_may_have_is_one_class() -> None:
    assert set(KINDS) == set(get_args(get_type_hints(Victory)["kind"]))
    assert len(set(KINDS.values())) == len(KINDS)
