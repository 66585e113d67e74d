"""Shuttles in play (J1.0, J2.0), where a rule case cannot yet set the scene: tractor beams, bays, blocks of orders."""

from __future__ import annotations

import pytest

from pbem.data.scenarios import scenario
from pbem.data.terms import StepName
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.dice import SegmentDice
from pbem.engine.log import apply
from pbem.engine.on_file import altered
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Link, Ship, State
from pbem.errors import NotAllowed
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from tests.engine.at_rigel import (
    OPTIONS,
    SETTING,
    STAY,
    checked,
    codes,
    opening,
    play,
    put,
    replace,
    shuttle,
    to_turns_end,
    told,
    unit,
)

# --- tractor beams -----------------------------------------------------------------------------------------------


def held(state: State, ship: str = "Constellation", name: str = "FS/1", since: int = 0) -> State:
    return replace(state, links=(Link(ship=ship, beam="A", target=name, since=since),))


def test_a_held_shuttle_is_pulled_aboard_from_the_next_impulse_on() -> None:
    state = held(shuttle(opening(), hex="1509"), since=1)
    orders = STAY["federation"] + "  TRACTOR A\nDO\n  RECOVER FS/1\n"
    played = play(state, federation=orders)
    landed = told(played, ev.ShuttleLanded)[0]
    assert isinstance(landed, ev.ShuttleLanded)
    assert (landed.impulse, landed.how, landed.rule, landed.letter) == (2, "pulled aboard", "J1.62", "A")
    assert not played.state.links and unit(played.state).gone == "landed"


def test_a_held_shuttle_does_not_move_and_does_not_land() -> None:
    state = held(shuttle(put(opening(), "Destruction", hex="1511"), hex="1510"), ship="Destruction")
    orders = STAY["federation"] + "SHUTTLE FS/1\nDO\n  AT 3 LAND ON Constellation\n"
    played = play(state, federation=orders, klingon=STAY["klingon"] + "  TRACTOR A\n")
    assert not told(played, ev.Moved) and not told(played, ev.ShuttleLanded)


def test_a_held_bomb_strikes_nothing() -> None:
    state = shuttle(opening(), "KS/1", side="klingon", race="klingon", launcher="Destruction", target="Constellation")
    state = put(state, "KS/1", bomb=18, hex="1510", came_from="1509")
    assert told(play(state, until=6), ev.Impact)
    beam = STAY["federation"] + "  TRACTOR A\n"
    assert not told(play(held(state, name="KS/1"), until=6, federation=beam), ev.Impact)


def test_what_an_enemy_shuttle_is_does_not_show_from_a_beam() -> None:
    facts = {"side": "klingon", "race": "klingon", "launcher": "Destruction", "speed": 0}
    said = []
    for bomb in ({}, {"target": "Constellation", "bomb": 18}):
        state = held(shuttle(opening(), "KS/1", **facts, **bomb))
        found = checked(state, "federation", STAY["federation"] + "DO\n  RECOVER KS/1\n")
        said.append([(fault.code, fault.text) for fault in found.faults])
    assert said[0] == said[1] and said[0][0][0] == "enemy-shuttle"


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("orders", "code"),
    [
        ("SHUTTLE FS/9\nSPEED 2", ""),
        ("SHUTTLE KS/9\nSPEED 2", "unknown-shuttle"),
        ("SHUTTLE FS1\nSPEED 2", "unknown-shuttle"),
        ("SHUTTLE KS/1\nSPEED 2", "not-your-ship"),
        ("SHUTTLE Constellation\nSPEED 2", "unit-twice"),
        ("SHUTTLE FS/1 AT 0101A\nSPEED 2", "position"),
        ("SHUTTLE FS/1 AT HERE\nSPEED 2", ""),
        ("SHUTTLE FS/1\nPLOT F TAC R AT 8", "tac"),
        ("SHUTTLE FS/1\nDO\n  FIRE PH 1 AT FS/2", "unknown"),
        ("SHUTTLE FS/1\nDO\n  LAND ON Vulcan", "unknown-unit"),
        ("SHUTTLE FS/1\nDO\n  LAND ON KS/1", "no-landing-place"),
        ("SHUTTLE FS/1\nDO\n  FIRE PH 1 AT Destruction WITH RESERVE", "no-reserve"),
    ],
)
@pytest.mark.parametrize("form", ["FULL", "EAF"])
def test_blocks_of_shuttles(orders: str, code: str, form: str) -> None:
    """Whatever a form asks for: course and orders that come before they are asked for are looked through, too."""
    state = shuttle(opening())
    assert state.request is not None
    orders = orders.replace("HERE", state.units["FS/1"].at)
    state = replace(state, request=replace(state.request, form=form))
    state = shuttle(state, "KS/1", side="klingon", race="klingon", launcher="Destruction", hex="0505")
    if code == "unit-twice":
        reading = read_orders(f"GAME test TURN 1 SIDE federation REPLY 1\n{orders}\nEND\n")
        assert state.request is not None
        assert "not-a-shuttle" in codes(check(state, SETTING, state.request, "federation", reading.orders))
        return
    found = codes(checked(state, "federation", STAY["federation"] + orders))
    match code:
        case "":
            assert found == []
        case "tac":
            assert found == ["not-used"]
        case "unknown":  # FS/2 may yet be launched, and by then be fired at: it never acts
            assert found == []
        case _:
            assert found == [code]


def test_a_ship_block_for_a_shuttle_is_told_its_heading() -> None:
    found = checked(shuttle(opening()), "federation", STAY["federation"] + "SHIP FS/1\nPLOT F\n")
    assert [fault.code for fault in found.faults] == ["not-a-ship"] and "SHUTTLE FS/1" in found.faults[0].text


def test_the_speed_of_a_turn_stays() -> None:
    state = play(shuttle(opening()), federation=STAY["federation"] + "SHUTTLE FS/1\nSPEED 2\n").state
    assert state.request is not None and state.request.impulse == 17
    found = checked(state, "federation", "SHIP Constellation\nSHUTTLE FS/1\nSPEED 5\n")
    assert codes(found) == ["speed-fixed"]
    assert codes(checked(state, "federation", "SHIP Constellation\nSHUTTLE FS/1\nSPEED 2\n")) == []


def test_shuttles_of_a_scenario_without_them() -> None:
    state = set_up(scenario("7"), "test", players={}, options=OPTIONS).state
    reading = read_orders("GAME test TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\nSHUTTLE FS/1\nEND\n")
    assert state.request is not None
    found = check(state, scenario("7"), state.request, "federation", reading.orders)
    assert "not-used" in codes(found)


# --- drafts ------------------------------------------------------------------------------------------------------


def test_the_draft_can_be_sent_as_it_is_at_every_request() -> None:
    from pbem.reports.draft.draft import draft_for

    state = shuttle(shuttle(opening(), crew=1), "FS/2", hex="1512", facing="C", damage=4, speed=6)
    orders = STAY["federation"] + "SHUTTLE FS/1\nSPEED 6\nPLOT TOWARD Rigel\nDO\n  LAND ON Rigel\n"
    state = play(state, federation=orders + "SHUTTLE FS/2\nSPEED 3\nPLOT 2F\n").state
    for _ in range(4):
        assert state.request is not None
        answers = {}
        for side in state.request.sides:
            reading = read_orders(draft_for(state, SETTING, state.request, side))
            assert not reading.faults
            assert not check(state, SETTING, state.request, side, reading.orders).faults
            answers[side] = Filed(text=write_orders(reading.orders))
        state = resolve(state, SETTING, answers, SegmentDice(b"draft")).state
    text = draft_for(state, SETTING, state.request, "federation")  # type: ignore[arg-type]
    assert "SHUTTLE FS/1" in text and "SHUTTLE FS/2" in text and "LAUNCH SHUTTLE" in text


# --- the fold of one side ----------------------------------------------------------------------------------------


def test_as_any_weapon_a_shuttle_is_lost_with_its_box() -> None:
    state = opening()
    state = put(state, "Constellation", hangar=("A", "B"))
    hit = ev.InternalHit(
        turn=1, impulse=1, step=StepName.RESOLVE, unit="Constellation", number=1, box="shuttle", category=""
    )
    empty = apply(state, hit).units["Constellation"]
    full = apply(state, replace(hit, category="AnyWeapon")).units["Constellation"]
    assert isinstance(empty, Ship) and isinstance(full, Ship)
    assert (empty.hangar, full.hangar) == (("A", "B"), ("A",))


def test_the_mirror_of_a_launch_is_the_same_launch() -> None:
    """Which side is named first makes no difference: only the names of units count."""
    ours = STAY["federation"] + "DO\n  AT 1 LAUNCH SHUTTLE A DIR A\n"
    theirs = STAY["klingon"] + "DO\n  AT 1 LAUNCH SHUTTLE A DIR D\n"
    one = play(opening(), federation=ours, klingon=theirs)
    state = opening()
    turned = replace(state, sides=dict(reversed(list(state.sides.items()))))
    two = play(turned, federation=ours, klingon=theirs)
    assert [record.event for record in one.records] == [record.event for record in two.records]


def test_a_shuttle_keeps_its_wounds_in_its_box() -> None:
    state = shuttle(opening(), hex="1509", facing="D", damage=4, speed=3, fired=-3)
    home = STAY["federation"] + "SHUTTLE FS/1\nPLOT F\nDO\n  LAND ON Constellation\n"
    state = to_turns_end(state, federation=home)
    assert unit(state).gone == "landed"
    out = play(state, federation=STAY["federation"] + "DO\n  AT 1 LAUNCH SHUTTLE A DIR A\n").state
    assert (unit(out, "FS/2").damage, unit(out, "FS/2").speed, unit(out, "FS/2").fired) == (4, 3, -3)


def test_only_shuttles_aboard_are_armed() -> None:
    found = checked(shuttle(opening()), "federation", STAY["federation"] + "  SUICIDE A 3 WARP\n")
    assert codes(found) == ["no-shuttle"]
    assert codes(checked(shuttle(opening()), "federation", STAY["federation"] + "  SUICIDE B 3 WARP\n")) == []


def test_a_shuttle_does_not_fire_through_the_planet() -> None:
    state = shuttle(put(opening(), "Destruction", hex="1507", facing="D"), hex="1509", speed=0)
    played = play(state, federation=STAY["federation"] + "SHUTTLE FS/1\nSPEED 0\nDO\n  AT 1 FIRE PH 1 AT Destruction\n")
    assert not told(played, ev.Fired)
    reasons = [event.reason for event in told(played, ev.OrderTold) if isinstance(event, ev.OrderTold)]
    assert any("planet in 1508" in reason for reason in reasons)


def test_a_beam_that_took_hold_this_impulse_does_not_pull_yet() -> None:
    """J1.621: on the next impulse."""
    from pbem.engine.steps.shuttles import verify_recovery

    state = held(shuttle(opening(), hex="1509"), since=5)
    ship, caught = state.units["Constellation"], unit(state)
    assert isinstance(ship, Ship)
    with pytest.raises(NotAllowed) as refused:
        verify_recovery(replace(state, turn=1, impulse=5), ship, caught)
    assert refused.value.code == "just-attached"
    verify_recovery(replace(state, turn=1, impulse=6), ship, caught)


def test_a_recovery_from_a_fast_ship_and_into_a_full_bay() -> None:
    from pbem.engine.steps.shuttles import verify_recovery

    state = replace(held(shuttle(opening(), hex="1509")), turn=1, impulse=6)
    for changes, code in (({"speed": 13}, "ship-too-fast"), ({"hangar": ("A", "B", "C", "D")}, "no-empty-box")):
        ship = altered(state.units["Constellation"], **changes)
        assert isinstance(ship, Ship)
        with pytest.raises(NotAllowed) as refused:
            verify_recovery(state, ship, unit(state))
        assert refused.value.code == code
