"""What an order comes to whose moment has come and that cannot be done then: the check cannot see all that happens
until then, and a scenario's rules stand whoever asks.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.terms import Purpose, StepName, UnitFate
from pbem.engine import events as ev
from pbem.engine.checking import shuttles as check_shuttles
from pbem.engine.checking.activities import check_guidance
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolution import Commander, Doing, Intent, OrderReport, Resolution, Steer
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Commanded, Monster, Position, ProbeBox, Ship, Shuttle, State
from pbem.engine.steps import science, seekers, shuttles
from pbem.engine.steps.ending import arrive, end_impulse, end_turn
from pbem.engine.steps.firing import declare, shots_now, verify_shot
from pbem.engine.steps.guidance import behind
from pbem.engine.steps.launching import verify_launch
from pbem.engine.steps.sensors import effective_range
from pbem.engine.steps.steering import come_about
from pbem.engine.steps.transporters import Aboard, verify_cargo
from pbem.engine.victory import victory_conditions
from pbem.engine.victory.tasks import Dakota
from pbem.errors import GameError, NotAllowed
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from tests.engine.test_nobody_at_the_helm import happened, setting
from tests.engine.world import rich


class Orders(Commander):
    """Says these lines in each step they belong to, for one ship."""

    def __init__(self, name: str, *lines: str) -> None:
        reading = read_orders(f"SHIP {name}\nDO\n" + "".join(f"  {line}\n" for line in lines), header=False)
        assert not reading.faults, reading.faults
        self.name, self.orders = name, reading.orders.units[0].do

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        mine = self.orders if ship.name == self.name else ()
        return [Intent(order=one, its=()) for one in mine if any(isinstance(each, doing) for each in one.does)]


def told(state: State, name: str, step: Any, *lines: str, **facts: Any) -> list[str]:
    """What becomes of the orders of a ship in a step."""
    unit = state.units[name]
    captains: dict[str, Commander] = {side: Commander() for side in state.sides} | {unit.side: Orders(name, *lines)}
    on = Resolution(state, replace(setting(), **facts), SegmentDice(b"told"), captains)
    step(on)
    return [
        f"{event.order}: {event.result}{': ' * bool(event.reason)}{event.reason}"
        for record in on.records
        if isinstance(event := record.event, ev.OrderTold)
    ]


def put(name: str, state: State | None = None, **changes: Any) -> State:
    state = rich() if state is None else state
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


def ship(state: State, name: str) -> Ship:
    unit = state.units[name]
    assert isinstance(unit, Ship)
    return unit


def code_of(call: Any, *given: Any, **more: Any) -> str:
    """The code of what keeps it from being done, empty for nothing."""
    try:
        call(*given, **more)
    except NotAllowed as refused:
        return refused.code
    return ""


# --- probes (G5.0) ---------------------------------------------------------------------------------------------------


def armed(side: str = "klingon") -> State:
    """The cruiser has two probes armed as instruments, and a monster of this side is at hand."""
    box = ProbeBox(purpose=Purpose.INFORMATION, turns=2, left=3)
    boxes = {**ship(rich(), "Con").boxes, "probe": 2}
    return put("Eater", put("Con", probes={"A": box, "B": box}, boxes=boxes), hex="1203", side=side)


def probing(on: Resolution) -> None:
    science.launch_probes(on, lambda one, other: 1)


@pytest.mark.parametrize(("lines", "said"), [
    (["PROBE A AT Eater"], ["PROBE A AT Eater: acted: launched PROBE A at Eater"]),
    (["PROBE A AT Eater", "PROBE A AT Eater"],
     ["PROBE A AT Eater: acted: launched PROBE A at Eater",
      "PROBE A AT Eater: did not act: PROBE A is launched by an earlier order (G5.2)"]),
    (["PROBE A AT Eater", "PROBE B AT Eater"],
     ["PROBE A AT Eater: acted: launched PROBE A at Eater", "PROBE B AT Eater: acted: launched PROBE B at Eater"]),
    (["FIRE PH 1 AT Des AND PROBE B AT Eater"],
     ["FIRE PH 1 AT Des AND PROBE B AT Eater: acted: launched PROBE B at Eater"]),
    (["PROBE A AT Eater AND PROBE A AT Eater"],
     ["PROBE A AT Eater AND PROBE A AT Eater: did not act: PROBE A is launched by an earlier order (G5.2)"]),
    (["PROBE A AT Wreck"], ["PROBE A AT Wreck: did not act: there is no such target in play"]),
    (["PROBE C AT Eater"], ["PROBE C AT Eater: did not act: Con has no PROBE C (G5.12)"]),
    (["PROBE A AT Des"], ["PROBE A AT Des: did not act: a probe can study only monsters, and Des is not one (G5.2)"]),
])  # fmt: skip
def test_what_becomes_of_probes(lines: list[str], said: list[str]) -> None:
    assert told(armed(), "Con", probing, *lines) == said
    assert told(armed(), "Con", probing, *lines, chapters=()) == []


def test_a_probe_studies_no_monster_of_ones_own() -> None:
    why = "Eater is not an enemy of federation (E1.1)"
    assert told(armed("federation"), "Con", probing, "PROBE A AT Eater") == [f"PROBE A AT Eater: did not act: {why}"]


# --- fire and launches -----------------------------------------------------------------------------------------------


def test_of_fire_joined_to_something_else_the_fire_alone_is_fired() -> None:
    """FIRE and PROBE are refused on one line; where one stands all the same, each step does what is its own."""
    line = "FIRE PH 1 AT Con AND PROBE A AT Con"
    assert told(put("Des", capacitor=3.0), "Des", declare, line, chapters=()) == [f"{line}: acted: fired PH 1 at Con"]


def test_the_phaser_of_a_shuttle_is_counted_by_the_shuttle() -> None:
    state = rich()
    boat = state.units["KS/1"]
    assert isinstance(boat, Shuttle)
    assert shots_now(state, replace(boat, fired=state.moment), "PH 3") == 0
    assert [shots_now(state, ship(state, "Con"), name) for name in ("PH 1", "PH 2", "PH 4")] == [0, 1, 0]


def test_what_a_ship_may_not_use_it_does_not_fire() -> None:
    """Weapons the scenario leaves out (#1), and those of a prize, whose codes its crew does not know (D7.0)."""
    state = put("Des", capacitor=3.0)
    des, con = ship(state, "Des"), state.units["Con"]
    assert code_of(verify_shot, state, des, "PH 1", con) == ""
    assert code_of(verify_shot, state, altered(des, disabled=("PH 1",)), "PH 1", con) == "disabled"
    assert code_of(verify_shot, state, altered(des, disabled=("PH 2",)), "PH 1", con) == ""
    assert code_of(verify_shot, state, altered(des, captured_from="romulan"), "PH 1", con) == "captured"
    assert code_of(verify_launch, state, altered(des, disabled=("DRONE 1",)), "DRONE 1", con) == "disabled"


def test_weapons_that_hunt_weapons_move_behind_them() -> None:
    """F2.1: who hunts another that moves follows it, and of those who hunt each other none comes after the other."""
    hunts = {"a": "Con", "b": "a", "c": "b", "d": "e", "e": "d", "f": "d", "g": "g"}
    assert {name: behind(name, hunts) for name in hunts} == {"a": 0, "b": 1, "c": 2, "d": 0, "e": 0, "f": 0, "g": 0}


@pytest.mark.parametrize(("plot", "mode", "said"), [
    ("F R F R", 1, ""), ("R F", 1, "code 1 (R)"), ("F R R", 1, ""), ("F SL", 1, "code 2 (SL)"),
    ("F F R R", 2, "code 4 (R)"), ("F F R F R", 2, ""), ("F R", 2, "code 2 (R)"),
])  # fmt: skip
def test_a_shuttle_that_is_not_launched_yet_is_steered_by_the_turn_mode_it_will_have(
    plot: str, mode: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """J1.23: one hex in the handbook, and what a game's own figures say."""
    monkeypatch.setattr(check_shuttles, "turn_mode", lambda unit: mode)
    reading = read_orders(f"SHUTTLE FS/9\nPLOT {plot}\n", header=False)
    order, boat = reading.orders.units[0].plot, rich().units["FS/1"]
    assert order is not None and isinstance(boat, Shuttle)
    found = [fault.text for fault in check_shuttles.check_future_plot(boat, order)]
    assert [text.partition(" of ")[0] for text in found] == ([said] if said else [])


def test_what_is_no_launcher_launches_nothing() -> None:
    state = rich()
    con, des = ship(state, "Con"), ship(state, "Des")
    assert code_of(verify_launch, state, con, "PHOT A", des) == "not-a-launcher"
    assert code_of(verify_launch, state, des, "PH 1", con) == "not-a-launcher"
    assert code_of(verify_launch, state, con, "DRONE 9", des) == "no-such-weapon"


def test_drones_are_launched_at_others_and_at_ones_own_drones() -> None:
    """FD1.3: at no unit of one's own side but a seeking weapon, which may hunt another."""
    state = rich()
    des, (rack, tube) = ship(state, "Des"), ("DRONE 1", "PLAS A")
    targets = {name: replace(state.units[name], hex="1202", side="klingon") for name in ("Con", "KD/1", "FS/1")}
    assert {name: code_of(verify_launch, state, des, rack, one) for name, one in targets.items()} == {
        "Con": "own-side", "KD/1": "", "FS/1": "own-side",
    }  # fmt: skip
    gorn = altered(ship(state, "Gorn"), captured_from="")
    assert code_of(verify_launch, state, gorn, tube, replace(targets["KD/1"], side="gorn")) != "own-side"


def test_only_ships_and_shuttles_see_less_far() -> None:
    """D1.4: lock-on, scanners and cloaks lie between a ship or its shuttle and what it fires at; of whatever else is
    asked, the range is the true one.
    """
    state = put("Con", lock_on=False)
    con, hidden = ship(state, "Con"), ship(state, "Kestrel")
    for name in ("KD/1", "Eater", "Moon"):
        assert effective_range(state, state.units[name], hidden, 7) == 7, name
    assert effective_range(state, con, ship(state, "Des"), 7) == 14
    assert effective_range(state, state.units["KS/1"], ship(state, "Des"), 7) == 7
    assert effective_range(state, state.units["KS/1"], hidden, 7) > 7


# --- transporters ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("source", "what", "there"), [
    ("Moon", "CREW", 4), ("Moon", "BP", 0), ("Con", "CREW", 3), ("Con", "BP", 6), ("Des", "BP", 0), ("Des", "CREW", 2),
    ("KS/1", "CREW", 0), ("KS/1", "BP", 0), ("Eater", "BP", 0),
])  # fmt: skip
def test_how_many_are_there_to_be_beamed(source: str, what: str, there: int) -> None:
    """G8.15: crew waits on planets, parties are aboard ships; from shuttles and monsters nobody is beamed."""
    state = rich()
    con, aboard = ship(state, "Con"), Aboard(state)
    assert code_of(aboard.take, con, state.units[source], there + 1, what) == "not-aboard"
    for _ in range(there):
        assert code_of(aboard.take, con, state.units[source], 1, what) == ""
    assert code_of(aboard.take, con, state.units[source], 1, what) == "not-aboard"


def test_nobody_is_beamed_to_or_from_oneself() -> None:
    state = rich()
    con = ship(state, "Con")
    kind = victory_conditions(scenario("10"))
    order = om.Transport(count=1, what="BP", way="TO", unit=om.UnitRef(how="name", name="Con"))
    assert code_of(verify_cargo, kind, state, con, order, con) == "transporter-target"
    assert code_of(verify_cargo, kind, state, con, order, state.units["Des"]) == ""
    assert code_of(verify_cargo, kind, state, con, order, state.units["KS/1"]) == "transporter-target"


# --- the end of a turn, and of scenarios -----------------------------------------------------------------------------


@pytest.mark.parametrize(("allowed", "said"), [
    (True, "acted"), (False, "did not act: this scenario does not let the ship disengage"),
])  # fmt: skip
def test_who_may_disengage(allowed: bool, said: str) -> None:
    state = put("Con")
    assert told(state, "Con", end_impulse, "DISENGAGE", disengagement=allowed) == [f"DISENGAGE: {said}"]


def test_without_the_rescuer_nothing_is_decided_at_rigel() -> None:
    """Scenario #4, where the ship of the scenario is not among the units."""
    found = scenario("4")
    state = set_up(found, "gone", players={}, options=Options()).state
    on = Resolution(state, found, SegmentDice(b"d"), {})
    rescuer = found.victory.rescuer
    lost = replace(ship(state, rescuer), gone=UnitFate.DESTROYED)
    on.state = replace(state, units={**state.units, rescuer: lost})
    assert {one.result for one in Dakota(found.victory).outcome(on, False)} == {"defeat", "victory"}
    on.state = replace(state, units={name: unit for name, unit in state.units.items() if name != rescuer})
    assert Dakota(found.victory).outcome(on, False) == []


# --- shuttles --------------------------------------------------------------------------------------------------------


class Staying(Commander):
    """His shuttles stay where they stand, and say why."""

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        return staying()


def staying(line: int = 3) -> Steer:
    return Steer(code="", sayings=(OrderReport(line=line, order="PLOT", result="did not act", reason="it stands"),))


def test_a_shuttle_that_stays_on_its_planet_says_why() -> None:
    state = put("KS/1", speed=6, landed="Moon")
    on = Resolution(state, setting(), SegmentDice(b"s"), {side: Staying() for side in state.sides})
    on.turn, on.impulse, on.step = 2, 6, StepName.SHUTTLES
    shuttles.move(on)
    assert [(one.unit, one.reason) for record in on.records if isinstance(one := record.event, ev.OrderTold)] == [
        ("KS/1", "it stands")
    ]
    assert on.state.units["KS/1"].hex == "2512"


def test_a_bomb_without_a_target_flies_nowhere() -> None:
    """J2.22: it is taken off the map at the end of the impulse."""
    state = rich()
    bomb = state.units["FS/1"]
    assert isinstance(bomb, Shuttle)
    assert seekers.next_step(bomb, state, {}, "") is not None
    assert seekers.next_step(replace(bomb, target="nobody"), state, {}, "") is None
    assert seekers.next_step(replace(bomb, target="Wreck"), state, {}, "") is None


# --- who may play what, and orders that nobody gave ------------------------------------------------------------------


def begun(number: str = "5", **players: str) -> State:
    return set_up(scenario(number), "begun", players=players, options=Options()).state


def test_all_who_are_asked_must_have_answered() -> None:
    state = begun()
    with pytest.raises(ValueError, match=r"no orders from federation, klingon$"):
        resolve(state, scenario("5"), {}, ScriptedDice())
    with pytest.raises(ValueError, match=r"no orders from klingon$"):
        resolve(state, scenario("5"), {"federation": Filed(text="")}, ScriptedDice())


def test_a_robots_side_needs_its_robot() -> None:
    state = begun("6", romulan="robot")
    assert state.sides["romulan"].robot and state.request is not None
    answers = dict.fromkeys(state.request.sides, Filed(text=""))
    with pytest.raises(ValueError, match="romulan is played by a robot, and none was given"):
        resolve(state, scenario("6"), answers, ScriptedDice())


def test_a_robot_plays_only_what_the_scenario_lets_it_play() -> None:
    without = [(key, side.name) for key in scenario_keys() for side in scenario(key).sides if side.robot == "no"]
    assert without
    for key, side in without:
        with pytest.raises(GameError) as refused:
            begun(key, **{side: "robot"})
        wanted = f"{side} cannot be played by the robot in scenario #{scenario(key).number}"
        assert refused.value.faults[0].text == wanted


def test_who_has_nothing_in_play_guides_nothing() -> None:
    state = rich()
    assert state.request is not None
    order = Orders("Con", "GUIDE KD/1 LEFT").orders[0]
    faults, why = check_guidance(state, state.request, "nobody", order)
    assert ([(fault.code, fault.text) for fault in faults], why) == (
        [("not-yours", "nobody has no seeking weapon in play to guide")], "",
    )  # fmt: skip
    faults, why = check_guidance(state, state.request, "klingon", order)
    assert (faults, why) == ([], "on where it and its target are then")


@pytest.mark.parametrize("key", [key for key in scenario_keys() if scenario(key).victory.last_turn])
def test_a_scenario_with_a_last_turn_is_over_when_that_is_and_not_before(key: str) -> None:
    found = scenario(key)
    state, last = begun(key), found.victory.last_turn
    for turn in (last - 1, last):
        on = Resolution(
            replace(state, turn=turn, impulse=found.impulses, step=StepName.CLOSE), found, SegmentDice(b"l"), {}
        )
        end_turn(on)
        assert (on.state.over, any(isinstance(one.event, ev.TurnEnded) for one in on.records)) == (
            turn == last, turn < last,
        )  # fmt: skip


# --- blocks of shuttles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "said"), [
    ("FS/3", ""), ("fs/4", ""), ("FS/2", "unknown-shuttle"), ("FS/0", "unknown-shuttle"), ("KS/1", "not-your-ship"),
    ("KS/2", "unknown-shuttle"), ("FS/1", "unmanned"), ("Con", "not-a-shuttle"), ("RS/3", "unknown-shuttle"),
])  # fmt: skip
def test_which_shuttles_a_side_may_write_orders_for(name: str, said: str) -> None:
    """Its own that fly, and those it may yet launch: of two FS that were launched the next will be FS/3."""
    block = om.UnitOrders(unit=name, shuttle=True)
    assert code_of(check_shuttles.shuttle_of, rich(), setting(), "federation", block) == said


def test_a_shuttle_that_is_gone_gets_no_orders() -> None:
    block = om.UnitOrders(unit="FS/1", shuttle=True)
    state = put("FS/1", target="", bomb=0)
    assert code_of(check_shuttles.shuttle_of, state, setting(), "federation", block) == ""
    gone = put("FS/1", target="", bomb=0, gone=UnitFate.DESTROYED)
    assert code_of(check_shuttles.shuttle_of, gone, setting(), "federation", block) == "out-of-play"
    assert code_of(check_shuttles.shuttle_of, state, scenario("5"), "federation", block) == "not-used"


def test_who_comes_in_the_same_turn_is_told_by_name_however_the_scenario_lists_them() -> None:
    found = scenario("8")
    late = next(unit for unit in found.units if unit.arrives)
    state = begun("8")
    names = ("Zulu", "Alfa", "Mike")
    units = {name: replace(state.units[late.name], name=name) for name in names}
    for order in (names, names[::-1]):
        setting_ = replace(found, units=tuple(replace(late, name=name) for name in order))
        on = Resolution(replace(state, units=units, turn=late.arrives - 1), setting_, SegmentDice(b"a"), {})
        arrive(on)
        placed = [event.unit for event in happened(on) if isinstance(event, ev.UnitPlaced)]
        assert [(unit.name, unit.gone) for unit in placed] == [(name, "") for name in sorted(names)]


# --- what is looked at -----------------------------------------------------------------------------------------------


def test_a_turn_toward_a_direction_is_the_shorter_one() -> None:
    """C1.41: by so many sixths of a circle clockwise; about, whichever is preferred between equals."""
    assert [come_about(steps) for steps in (1, 2, 4, 5)] == ["R", "R", "L", "L"]
    assert come_about(3) in ("L", "R")


@pytest.mark.parametrize(("near", "range_"), [(15, 8), (16, 2), (17, 2), (20, 2), (21, 2)])
def test_a_monster_is_studied_from_where_a_ship_was_nearest_in_the_turn(near: int, range_: int) -> None:
    """G4.1: where the turn began counts, and nothing before. Turn 2 of 16 impulses began at moment 16."""
    track = [Position(moment, "1210", "A") for moment in (14, near + 1) if moment != near]
    track = sorted([*track, Position(near, "1204", "A")], key=lambda place: place.moment)
    state = put("Con", track=tuple(track), lock_on=True)
    state = put("Eater", state, hex="1202", track=(Position(1, "1202", "A"),))
    eater = state.units["Eater"]
    assert isinstance(eater, Monster)
    assert science.closest_approach(state, ship(state, "Con"), eater) == range_
