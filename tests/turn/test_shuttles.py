"""Shuttles in play (J1.0, J2.0), where a rule case cannot yet set the scene: planets, tractor beams, survivors."""

from __future__ import annotations

import msgspec
import pytest

from pbem.data.scenarios import Scenario, scenario
from pbem.faults import NotAllowed
from pbem.game import events as ev
from pbem.game.dice import SegmentDice
from pbem.game.fold import apply, fold
from pbem.game.options import Options
from pbem.game.state import Bomb, Link, Planet, Position, Ship, Shuttle, State
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.turn.check import Checked, check
from pbem.turn.resolve import Filed, Played, resolve
from pbem.turn.setup import set_up

replace = msgspec.structs.replace
RIGEL = scenario("9")
PLAYED = ("energy", "seeking", "sideslip", "shuttles")
SETTING = replace(RIGEL, chapters=PLAYED)
OPTIONS = Options(reveal="none", autobreaks=())


def opening() -> State:
    """Scenario #9 with both ships standing still, the Constellation near the planet."""
    state = set_up(SETTING, "test", players={}, options=OPTIONS).state
    state = put(state, "Constellation", hex="1510", facing="A", speed=0, prior_speed=0)
    return put(state, "Destruction", hex="2801", facing="E", speed=0, prior_speed=0)


def put(state: State, name: str, **changes: object) -> State:
    unit = replace(state.units[name], **changes)
    unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    return replace(state, units={**state.units, name: unit})


def shuttle(state: State, name: str = "FS/1", **changes: object) -> State:
    """The state with a shuttle of the Constellation on the map, launched long ago."""
    facts = {"side": "federation", "race": "federation", "hex": "1509", "facing": "A", "speed": 6, "prior_speed": 6}
    facts |= {"launcher": "Constellation", "launched": -20, "letter": "A", "came_from": "1510", "straight": 1}
    unit = Shuttle(name=name, **{**facts, **changes})  # type: ignore[arg-type]
    unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    mother = state.units[unit.launcher]
    assert isinstance(mother, Ship)
    units = {**state.units, name: unit, mother.name: replace(mother, hangar=mother.hangar[1:])}
    return replace(state, units=units, serials={**state.serials, name.split("/")[0]: int(name.split("/")[1])})


STAY = {"federation": "SHIP Constellation\nENERGY\n", "klingon": "SHIP Destruction\nENERGY\n"}


def checked(state: State, side: str, orders: str) -> Checked:
    reading = read_orders(f"GAME test TURN 1 SIDE {side} REPLY 1\n{orders}\nEND\n")
    assert not reading.faults
    assert state.request is not None
    return check(state, SETTING, state.request, side, reading.orders)


def codes(found: Checked) -> list[str]:
    return [fault.code for fault in found.faults]


def play(
    state: State,
    setting: Scenario = SETTING,
    until: int | None = None,
    federation: str = "",
    klingon: str = "",
) -> Played:
    """To the next request; sides without orders pay for nothing, or go on as before."""
    assert state.request is not None
    answers = {}
    orders = {"federation": federation, "klingon": klingon}
    for side in state.request.sides:
        text = orders[side] or (STAY[side] if state.request.impulse == 0 else "CONTINUE")
        if text != "CONTINUE":
            reading = read_orders(f"GAME test TURN 1 SIDE {side} REPLY 1\n{text}\nEND\n")
            assert not reading.faults
            found = check(state, setting, state.request, side, reading.orders)
            assert not found.faults
            text = write_orders(reading.orders)
        answers[side] = Filed(text=text)
    return resolve(state, setting, answers, SegmentDice(b"test"), until=until)


def to_turns_end(state: State, setting: Scenario = SETTING, federation: str = "", klingon: str = "") -> State:
    played = play(state, setting, None, federation, klingon)
    while not played.state.over and played.state.request is not None and played.state.request.impulse:
        played = play(played.state, setting)
    return played.state


def told(played: Played, kind: type[ev.Event]) -> list[ev.Event]:
    return [record.event for record in played.records if isinstance(record.event, kind)]


def unit(state: State, name: str = "FS/1") -> Shuttle:
    found = state.units[name]
    assert isinstance(found, Shuttle)
    return found


# --- planets and the rescue --------------------------------------------------------------------------------------

TO_RIGEL = STAY["federation"] + "SHUTTLE FS/1\nPLOT TOWARD Rigel\nDO\n  LAND ON Rigel\n"


def test_a_shuttle_lands_takes_the_survivors_and_stays() -> None:
    played = play(shuttle(opening()), federation=TO_RIGEL)
    landed, boarded = told(played, ev.ShuttleLanded)[0], told(played, ev.Boarded)[0]
    assert isinstance(landed, ev.ShuttleLanded) and isinstance(boarded, ev.Boarded)
    assert (landed.on, landed.how, landed.impulse) == ("Rigel", "landed", 6)
    assert (boarded.unit, boarded.planet, boarded.crew, boarded.impulse, boarded.step) == ("FS/1", "Rigel", 1, 6, "bay")
    now = unit(played.state)
    assert (now.hex, now.landed, now.crew) == ("1508", "Rigel", 1)
    rigel = played.state.units["Rigel"]
    assert isinstance(rigel, Planet) and rigel.crew == 0


def test_a_full_shuttle_and_an_enemy_take_nobody_aboard() -> None:
    state = shuttle(opening(), landed="Rigel", hex="1508", parties=2, speed=0)
    state = shuttle(
        state, "KS/1", side="klingon", race="klingon", launcher="Destruction", landed="Rigel", hex="1508", speed=0
    )
    assert not told(play(state), ev.Boarded)


def test_without_orders_a_landed_shuttle_announces_no_speed_and_stays() -> None:
    state = to_turns_end(shuttle(opening(), landed="Rigel", hex="1508"))
    assert (unit(state).hex, unit(state).landed, unit(state).speed) == ("1508", "Rigel", 0)


def test_its_plot_takes_it_off_again() -> None:
    state = shuttle(opening(), landed="Rigel", hex="1508", speed=0, prior_speed=0)
    orders = STAY["federation"] + "SHUTTLE FS/1\nPLOT R 2F"
    played = play(state, federation=orders)
    assert (unit(played.state).speed, unit(played.state).landed) == (3, "")
    assert unit(played.state).hex != "1508"


def test_a_shuttle_on_a_planet_is_out_of_the_war() -> None:
    state = put(shuttle(opening(), landed="Rigel", hex="1508", speed=0), "Destruction", hex="1507", facing="D")
    state = put(state, "Destruction", capacitor=4.0)
    fire = "SHIP Destruction\nENERGY\nDO\n  IF IMPULSE 1 THEN FIRE PH 1 AT FS/1\n  AT 2 LAUNCH DRONE 1 AT FS/1\n"
    mine = STAY["federation"] + "SHUTTLE FS/1\nDO\n  AT 3 FIRE PH 1 AT Destruction\n"
    played = play(state, klingon=fire, federation=mine)
    assert not told(played, ev.Fired) and not told(played, ev.Launched)
    reasons = [event.reason for event in told(played, ev.OrderTold) if isinstance(event, ev.OrderTold)]
    assert len(reasons) == 3 and all("P2.0" in reason for reason in reasons)


def test_a_landing_on_the_ship_brings_the_survivors_aboard() -> None:
    state = shuttle(opening(), hex="1509", facing="D", crew=1)
    home = STAY["federation"] + "SHUTTLE FS/1\nPLOT F\nDO\n  LAND ON Constellation\n"
    state = to_turns_end(state, federation=home)
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    assert (unit(state).gone, ship.passengers, ship.hangar) == ("landed", 1, ("A", "B", "C", "D"))


def test_the_survivors_are_sent_away_again() -> None:
    state = put(opening(), "Constellation", passengers=1)
    orders = STAY["federation"] + "DO\n  AT 1 LAUNCH SHUTTLE B DIR A WITH 1 CREW\n"
    state = play(state, federation=orders).state
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    assert (unit(state).crew, unit(state).letter, ship.passengers) == (1, "B", 0)


LEAVE = "SHIP Constellation\nENERGY\n  SPEED 6\nPLOT 6F LEAVE MAP\n"


def result(state: State) -> dict[str, str]:
    return {outcome.side: outcome.result for outcome in state.outcome}


@pytest.mark.parametrize(("passengers", "federation"), [(1, "victory"), (0, "defeat")])
def test_whoever_leaves_with_the_survivors_wins(passengers: int, federation: str) -> None:
    state = put(opening(), "Constellation", hex="1501", facing="A", passengers=passengers)
    state = to_turns_end(state, federation=LEAVE)
    assert state.over
    opposite = {"victory": "defeat", "defeat": "victory"}[federation]
    assert result(state) == {"federation": federation, "klingon": opposite}


def test_survivors_aboard_a_shuttle_do_not_count() -> None:
    state = shuttle(put(opening(), "Constellation", hex="1501", facing="A"), crew=1)
    state = put(state, "Rigel", crew=0)
    state = to_turns_end(state, federation=LEAVE)
    assert result(state)["federation"] == "defeat"
    assert "FS/1" in state.outcome[0].why


def test_the_last_turn_ends_it() -> None:
    state = put(opening(), "Constellation", passengers=1)
    assert state.request is not None
    request = replace(state.request, turn=10)
    state = replace(state, turn=9, request=request, last_request=request)
    state = to_turns_end(state)
    assert state.over and result(state)["federation"] == "defeat"


def test_a_lost_ship_loses_and_the_klingon_cannot_end_it_by_leaving() -> None:
    state = to_turns_end(opening(), klingon="SHIP Destruction\nENERGY\n  LIFE SUPPORT 0\n")
    assert not state.over
    state = to_turns_end(opening(), federation="SHIP Constellation\nENERGY\n  LIFE SUPPORT 0\n")
    assert result(state) == {"federation": "defeat", "klingon": "victory"}


def test_nobody_disengages_from_a_rescue() -> None:
    assert codes(checked(opening(), "federation", STAY["federation"] + "DO\n  AT 1 DISENGAGE\n")) == [
        "no-disengagement"
    ]


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
    state = held(shuttle(opening(), hex="1510"), ship="Destruction")
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


# --- suicide shuttles --------------------------------------------------------------------------------------------


def armed(state: State) -> State:
    bomb = {"A": Bomb(energy=(3, 3, 3), state="armed"), "B": Bomb()}
    return put(state, "Destruction", hex="1504", facing="D", bombs=bomb)


HELD = "SHIP Destruction\nENERGY\n  SUICIDE A 1\nDO\n"


def seen(played: Played, side: str) -> list[ev.AnyEvent]:
    return [event for record in played.records if (event := ev.seen_by(record, side)) is not None]


def test_nobody_can_tell_it_from_a_manned_shuttle_until_it_strikes() -> None:
    """J2.222: flown along the same hexes, both tell the others the same events in the same order."""
    bomb = play(armed(opening()), until=15, klingon=HELD + "  AT 1 LAUNCH SUICIDE A AT Constellation DIR D\n")
    manned = HELD + "  AT 1 LAUNCH SHUTTLE B DIR D\nSHUTTLE KS/1\nPLOT 2F\n"
    real = play(armed(opening()), until=15, klingon=manned)

    def outside(played: Played) -> list[ev.AnyEvent]:
        kept = [event for event in seen(played, "federation") if not isinstance(event, ev.OrdersFiled)]
        return [
            replace(event, letter="", shuttle=replace(event.shuttle, letter=""))
            if isinstance(event, ev.ShuttleLaunched)
            else event
            for event in kept
        ]

    assert len(told(bomb, ev.Moved)) == 2
    assert outside(bomb) == outside(real)
    known = fold(seen(bomb, "federation")).units["KS/1"]
    assert isinstance(known, Shuttle) and (known.target, known.bomb) == ("", 0)
    assert (unit(bomb.state, "KS/1").target, unit(bomb.state, "KS/1").bomb) == ("Constellation", 18)


def test_it_crashes_into_a_planet() -> None:
    state = put(armed(opening()), "Destruction", hex="1506", facing="D")
    played = play(state, klingon=HELD + "  AT 1 LAUNCH SUICIDE A AT Constellation DIR D\n")
    gone = told(played, ev.Destroyed)[0]
    assert isinstance(gone, ev.Destroyed)
    assert (gone.unit, gone.rule) == ("KS/1", "P2.0")
    assert not told(played, ev.Impact)


def test_it_homes_on_the_hex_a_shuttle_of_its_speed_enters() -> None:
    """F2.1: where its target flies into its own hex, it stays and strikes."""
    state = shuttle(opening(), hex="2007", facing="A", speed=6)
    state = shuttle(state, "KS/1", side="klingon", race="klingon", launcher="Destruction", target="FS/1", bomb=18)
    state = put(state, "KS/1", hex="2006", facing="D", came_from="2005")
    played = play(state, until=6)
    assert [event.unit for event in told(played, ev.Moved) if isinstance(event, ev.Moved)] == ["FS/1"]
    assert unit(played.state, "KS/1").gone == "exploded" and unit(played.state).gone == "destroyed"


def test_it_counts_among_the_drones_a_ship_guides() -> None:
    from pbem.turn.sensing import guided_by

    state = shuttle(opening(), "KS/1", side="klingon", race="klingon", launcher="Destruction", target="Constellation")
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship)
    assert [one.name for one in guided_by(state, ship)] == ["KS/1"]


def test_a_plasma_torpedo_is_no_target() -> None:
    from pbem.game.state import Seeker

    state = armed(opening())
    torpedo = Seeker(
        name="RP/1", side="federation", race="romulan", hex="1507", facing="A", speed=32, weapon="plasma",
        torpedo="plasma_s", target="Destruction", launcher="", launched=0, endurance=0, came_from="1508", warhead=20,
    )  # fmt: skip
    state = replace(state, units={**state.units, "RP/1": torpedo})
    found = checked(state, "klingon", HELD + "  AT 1 LAUNCH SUICIDE A AT RP/1\n")
    assert codes(found) == ["suicide-target"]


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
        ("SHUTTLE FS/1\nPLOT F TAC R AT 8", "tac"),
        ("SHUTTLE FS/1\nDO\n  FIRE PH 1 AT FS/2", "unknown"),
        ("SHUTTLE FS/1\nDO\n  LAND ON Vulcan", "unknown-unit"),
        ("SHUTTLE FS/1\nDO\n  LAND ON KS/1", "no-landing-place"),
        ("SHUTTLE FS/1\nDO\n  FIRE PH 1 AT Destruction WITH RESERVE", "no-reserve"),
    ],
)
def test_blocks_of_shuttles(orders: str, code: str) -> None:
    state = shuttle(opening())
    state = shuttle(state, "KS/1", side="klingon", race="klingon", launcher="Destruction", hex="0505")
    if code == "unit-twice":
        orders = orders.replace("SPEED 2", "SPEED 2")
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
    from pbem.desk.drafts import draft_for

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
    hit = ev.InternalHit(turn=1, impulse=1, step="resolve", unit="Constellation", number=1, box="shuttle", category="")
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
    from pbem.turn.bays import verify_recovery

    state = held(shuttle(opening(), hex="1509"), since=5)
    ship, caught = state.units["Constellation"], unit(state)
    assert isinstance(ship, Ship)
    with pytest.raises(NotAllowed) as refused:
        verify_recovery(replace(state, turn=1, impulse=5), ship, caught)
    assert refused.value.code == "just-attached"
    verify_recovery(replace(state, turn=1, impulse=6), ship, caught)


def test_a_recovery_from_a_fast_ship_and_into_a_full_bay() -> None:
    from pbem.turn.bays import verify_recovery

    state = replace(held(shuttle(opening(), hex="1509")), turn=1, impulse=6)
    for changes, code in (({"speed": 13}, "ship-too-fast"), ({"hangar": ("A", "B", "C", "D")}, "no-empty-box")):
        ship = replace(state.units["Constellation"], **changes)
        assert isinstance(ship, Ship)
        with pytest.raises(NotAllowed) as refused:
            verify_recovery(state, ship, unit(state))
        assert refused.value.code == code
