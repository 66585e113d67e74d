"""Scenario #11 in play: the monster moves and attacks by itself, labs and probes learn how it dies, and it dies of it
(G4.0, G5.0).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest

from pbem.ai.robot import commanders
from pbem.data.scenarios import Scenario, scenario
from pbem.data.terms import Purpose, StepName, UnitFate
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.state import AnyUnit, Monster, Planet, Position, ProbeBox, Ship, Shuttle, State
from pbem.engine.steps import monsters, tractor_links as links, tractors
from pbem.engine.victory.battles import Hunt
from pbem.errors import GameError
from pbem.orders.reader import read_orders
from pbem.rules import hexes

replace = msgspec.structs.replace
E = TypeVar("E", bound=ev.Event)
SHIP, BEAST, PLANET = "Constellation", "Planet Killer", "the planet"
WAIT = f"SHIP {SHIP}\nENERGY\n"


def setting(**changes: Any) -> Scenario:
    """Scenario #11 with those of its chapters that are in play."""
    found = scenario("11")
    return replace(found, **changes)


def begin(table: Scenario, **facings: str) -> State:
    options = msgspec.convert({"reveal": "none", "autobreaks": [], "period": "turn"}, Options)
    return set_up(
        table, "test", players={"federation": "Ann"}, options=options, choices=UnitChoices(facings=facings)
    ).state


def put(state: State, name: str, **changes: Any) -> State:
    """The state with a unit changed; where it is put elsewhere its track begins there."""
    unit: AnyUnit = altered(state.units[name], **changes)
    if "hex" in changes:
        unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    return replace(state, units={**state.units, name: unit})


def near(distance: int = 3, **changes: Any) -> State:
    """The ship so many hexes below the monster, both far from the planet."""
    return put(
        put(begin(setting()), BEAST, hex="0601", facing="D"), SHIP, hex=f"06{1 + distance:02}", facing="A", **changes
    )


def checked(state: State, orders: str, table: Scenario | None = None) -> CheckResult:
    assert state.request is not None
    return check(state, table or setting(), state.request, "federation", read_orders(orders, header=False).orders)


def codes(state: State, orders: str) -> list[str]:
    return [fault.code for fault in checked(state, orders).faults]


def play(
    state: State, orders: str = WAIT, dice: dict[str, int] | None = None, *, table: Scenario | None = None,
    until: int | None = None,
) -> ResolutionResult:  # fmt: skip
    table = table or setting()
    found = checked(state, orders, table)
    assert not found.faults, found.faults
    rolled = ScriptedDice((), dice or {}, SegmentDice(b"monster"))
    played = resolve(state, table, {"federation": Filed(text=orders)}, rolled, robots=commanders(table), until=until)
    return played


def told(played: ResolutionResult, kind: type[E]) -> list[E]:
    return [record.event for record in played.records if isinstance(record.event, kind)]


def ship_of(state: State) -> Ship:
    unit = state.units[SHIP]
    assert isinstance(unit, Ship)
    return unit


def beast_of(state: State) -> Monster:
    unit = state.units[BEAST]
    assert isinstance(unit, Monster)
    return unit


def planet_of(state: State) -> Planet:
    unit = state.units[PLANET]
    assert isinstance(unit, Planet)
    return unit


def results(state: State) -> dict[str, str]:
    return {one.side: one.result for one in state.outcome}


# --- moving ------------------------------------------------------------------------------------------------


def test_it_makes_for_the_planet_at_speed_6_and_a_die_decides_between_equal_hexes() -> None:
    played = play(begin(setting()), WAIT, {"1.6.monsters Planet Killer WAY 1": 1})
    moved = [event for event in told(played, ev.Moved) if event.unit == BEAST]
    assert [event.impulse for event in moved] == [6, 11, 16, 22, 27, 32]
    assert {event.step for event in moved} == {"monsters"}
    left = moved[0].at
    other = play(begin(setting()), WAIT, {"1.6.monsters Planet Killer WAY 1": 2})
    right = next(event.at for event in told(other, ev.Moved) if event.unit == BEAST)
    assert left != right
    assert hexes.distance(beast_of(played.state).hex, "2514") == hexes.distance("0101", "2514") - 6


def test_a_ship_within_5_hexes_distracts_it_and_what_is_behind_it_makes_it_rotate() -> None:
    state = put(near(4), BEAST, hex="0605", facing="A")
    state = put(state, SHIP, hex="0608", facing="A")
    played = play(state, WAIT, until=6)
    assert not [event for event in told(played, ev.Moved) if event.unit == BEAST]
    turned = [event for event in told(played, ev.Turned) if event.unit == BEAST]
    assert [event.at[:4] for event in turned] == ["0605"]


def test_a_beam_neither_stops_it_nor_moves_it_and_ends_out_of_reach() -> None:
    state = begin(setting())
    on = Resolution(
        replace(state, turn=1, impulse=6), setting(), ScriptedDice(by_label={"1.6.monsters Planet Killer WAY 1": 1}), {}
    )
    on.turn, on.impulse, on.step = 1, 6, StepName.MONSTERS
    on.tell(ev.Tractored(unit=SHIP, beam="A", target=BEAST))
    tractors.carry(on, SHIP, came_from="2502")
    assert not any(isinstance(record.event, ev.Towed) for record in on.records)
    monsters.move(on)
    assert any(isinstance(record.event, ev.Moved) and record.event.unit == BEAST for record in on.records)
    links.settle(on)
    assert not on.state.links


def test_it_stops_beside_the_planet_and_does_not_enter_it() -> None:
    state = put(begin(setting()), BEAST, hex="2414", facing="C")
    played = play(state)
    assert beast_of(played.state).hex == "2414"
    assert [event.target for event in told(played, ev.Attacked)] == [PLANET]


# --- attacking ---------------------------------------------------------------------------------------------


def test_it_attacks_a_ship_within_5_hexes_on_the_shield_that_faces_it() -> None:
    played = play(near(3), WAIT, {"1.32.close Planet Killer ATTACK 1": 1})
    attack = told(played, ev.Attacked)[0]
    assert (attack.target, attack.points, attack.shield, attack.step) == (SHIP, 35, 1, "close")
    damage = told(played, ev.Damaged)[0]
    assert (damage.boxes, damage.internals) == (30, 5)
    assert [event.sources for event in told(played, ev.Volley)] == [(BEAST,)]


def test_a_cadet_ship_takes_half() -> None:
    found = setting()
    unit = replace(found.units[0], ship="fed_cadet_ca", hex="0604", facing="A")
    table = replace(found, units=(unit,))
    state = put(begin(table), BEAST, hex="0601", facing="D")
    played = play(state, WAIT, {"1.32.close Planet Killer ATTACK 1": 1}, table=table)
    assert told(played, ev.Attacked)[0].points == 17


def test_the_planet_is_lost_after_200_points_and_the_game_with_it() -> None:
    state = put(put(begin(setting()), BEAST, hex="2414"), PLANET, damage=180)
    played = play(state, WAIT, {"1.32.close Planet Killer ATTACK 1": 4})
    assert planet_of(played.state).gone == "destroyed"
    assert results(played.state) == {"federation": "defeat", "monster": "victory"}
    held = play(state, WAIT, {"1.32.close Planet Killer ATTACK 1": 5})
    assert (planet_of(held.state).damage, held.state.over) == (195, False)


# --- labs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "die", "points"), [(3, 1, 8 * 7), (3, 6, 8 * 2), (0, 2, 8 * 9)])
def test_labs_learn_by_the_closest_approach_and_one_die(distance: int, die: int, points: int) -> None:
    state = put(near(distance), BEAST, speed=0)
    played = play(state, WAIT, {"1.32.close Constellation LAB-PlanetKiller 1": die})
    learned = told(played, ev.Learned)
    assert [(event.range, event.labs, event.points) for event in learned] == [(distance, 8, points)]
    assert beast_of(played.state).information == points


def test_the_closest_approach_of_the_turn_counts_not_the_last() -> None:
    state = put(near(3), BEAST, speed=0)
    state = put(state, SHIP, hex="0305", facing="B", speed=7, prior_speed=7)
    played = play(state, f"SHIP {SHIP}\nENERGY\n  SPEED 7\nPLOT 7F\n")
    ranges = [hexes.distance("0601", place.hex) for place in ship_of(played.state).track]
    assert (ranges[0], min(ranges), ranges[-1]) == (5, 2, 4)
    assert [event.range for event in told(played, ev.Learned)] == [2]


def test_without_labs_one_control_space_and_beyond_the_chart_no_die() -> None:
    state = put(near(3), BEAST, speed=0)
    boxes = {**ship_of(state).boxes, "lab": 0}
    assert [event.labs for event in told(play(put(state, SHIP, boxes=boxes)), ev.Learned)] == [1]
    far = put(near(11), BEAST, speed=0)
    assert not told(play(far), ev.Learned)


def test_a_scanner_and_a_missing_lock_on_lengthen_the_range() -> None:
    state = put(near(3), BEAST, speed=0)
    boxes = {**ship_of(state).boxes, "sensor": 1}
    dice = {"1.0.lockon Constellation LOCKON 1": 6}
    assert [event.range for event in told(play(put(state, SHIP, boxes=boxes), WAIT, dice), ev.Learned)] == [6]


def test_every_shuttle_on_the_map_is_a_lab_at_its_own_range_by_the_same_die() -> None:
    state = put(near(8), BEAST, speed=0)
    boat = Shuttle(name="FS/1", side="federation", race="federation", hex="0602", facing="A", launcher=SHIP, launched=0,
                   track=(Position(0, "0602", "A"),))  # fmt: skip
    bomb = replace(boat, name="FS/2", target=BEAST, bomb=18)
    state = replace(state, units={**state.units, "FS/1": boat, "FS/2": bomb})
    orders = f"{WAIT}SHUTTLE FS/1\nSPEED 0\n"
    played = play(state, orders, {"1.32.close Constellation LAB-PlanetKiller 1": 1})
    assert [(event.unit, event.labs, event.points) for event in told(played, ev.Learned)] == [
        (SHIP, 8, 8 * 2),
        ("FS/1", 1, 9),
    ]


# --- the method --------------------------------------------------------------------------------------------


def knowing(points: int = 200, **changes: Any) -> State:
    return put(near(3), BEAST, speed=0, information=points, **changes)


LEARN = {"1.32.close Constellation LAB-PlanetKiller 1": 6, "1.32.close Planet Killer ATTACK 1": 6}


def test_at_200_points_a_die_tells_how_it_dies() -> None:
    assert not told(play(knowing(183), WAIT, LEARN), ev.MethodFound)
    played = play(knowing(184), WAIT, {**LEARN, "1.32.close Planet Killer METHOD 1": 2})
    assert [(event.die, event.method) for event in told(played, ev.MethodFound)] == [(2, "tractor")]
    assert beast_of(played.state).method == 2


def test_a_5_asks_for_100_more_and_rolls_again_when_they_are_there() -> None:
    first = play(knowing(200), WAIT, {**LEARN, "1.32.close Planet Killer METHOD 1": 5})
    assert [(event.method, event.needed) for event in told(first, ev.MethodFound)] == [("more", 300)]
    assert (beast_of(first.state).method, beast_of(first.state).needed) == (0, 300)
    dice = {**LEARN, "1.32.close Planet Killer METHOD 1": 5, "1.32.close Planet Killer METHOD 2": 3}
    again = play(knowing(300), WAIT, dice)
    assert [event.method for event in told(again, ev.MethodFound)] == ["more", "damage"]


@pytest.mark.parametrize(("damage", "result"), [(0, "decisive victory"), (1, "defeat")])
def test_a_friendly_monster_is_stopped_and_must_not_have_been_harmed(damage: int, result: str) -> None:
    played = play(knowing(damage=damage), WAIT, {**LEARN, "1.32.close Planet Killer METHOD 1": 6})
    assert beast_of(played.state).gone == "friendly"
    assert results(played.state)["federation"] == result


def test_damage_done_before_counts() -> None:
    dice = {**LEARN, "1.32.close Planet Killer METHOD 1": 3}
    assert beast_of(play(knowing(damage=199), WAIT, dice).state).in_play
    played = play(knowing(damage=200), WAIT, dice)
    assert beast_of(played.state).gone == "destroyed"
    assert results(played.state) == {"federation": "decisive victory", "monster": "decisive defeat"}


@pytest.mark.parametrize(("suffered", "result"), [(0, "decisive victory"), (49, "victory"), (50, "marginal victory")])
def test_fire_kills_it_once_that_is_known_and_the_planet_decides_the_grade(suffered: int, result: str) -> None:
    state = put(knowing(0, method=3, damage=195), PLANET, damage=suffered)
    state = put(state, SHIP, capacitor=4.0)
    orders = WAIT + "DO\n  AT 1 FIRE PH 1,2 AT monster\n"
    played = play(state, orders, {"1.1.fire Constellation PH1 1": 1, "1.1.fire Constellation PH2 1": 1})
    assert [(event.unit, event.rule) for event in told(played, ev.Destroyed)] == [(BEAST, "scenario #11")]
    assert results(played.state)["federation"] == result
    assert played.state.impulse == 1


def test_fire_alone_does_not_kill_it_and_draws_it_to_the_ship() -> None:
    state = put(put(knowing(0, damage=500), SHIP, capacitor=4.0, hex="0609"), BEAST, speed=6)
    played = play(state, WAIT + "DO\n  AT 1 FIRE PH 1 AT monster\n", {"1.1.fire Constellation PH1 1": 1}, until=12)
    after = beast_of(played.state)
    assert after.in_play and after.attacked_by == SHIP
    assert hexes.distance(after.hex, "0609") == 6


@pytest.mark.parametrize(
    ("method", "how", "dies"),
    [(1, monsters.SHUTTLE, True), (2, monsters.TRACTOR, True), (4, monsters.PROBE, True), (1, monsters.TRACTOR, False),
     (0, monsters.PROBE, False)],
)  # fmt: skip
def test_it_dies_of_what_the_die_said_and_of_nothing_else(method: int, how: str, dies: bool) -> None:
    on = Resolution(replace(knowing(0, method=method), turn=1, impulse=3), setting(), ScriptedDice(), {})
    on.turn, on.impulse, on.step = 1, 3, StepName.IMPACT
    monsters.done_to(on, BEAST, how)
    assert (beast_of(on.state).gone == "destroyed") is dies


def test_the_steps_are_watched_for_a_suicide_shuttle_and_a_beam() -> None:
    for method, event in (
        (1, ev.Impact(unit="FS/1", target=BEAST, shield=0, points=18)),
        (2, ev.Tractored(unit=SHIP, beam="A", target=BEAST)),
    ):
        state = knowing(0, method=method)
        boat = Shuttle(name="FS/1", side="federation", race="federation", hex="0601", facing="A", launcher=SHIP,
                       launched=0, target=BEAST, bomb=18)  # fmt: skip
        on = Resolution(replace(state, units={**state.units, "FS/1": boat}), setting(), ScriptedDice(), {})
        on.turn, on.impulse, on.step = 1, 3, StepName.IMPACT
        on.tell(event)
        monsters.check_kills(on)
        assert beast_of(on.state).gone == "destroyed"


# --- probes ------------------------------------------------------------------------------------------------

PROBE = WAIT + "  PROBE A 1\nDO\n  AT 1 PROBE A AT monster\n"
BOMB = WAIT + "  PROBE A 2 WARP\nDO\n  AT 1 PROBE A AT monster\n"


def armed(purpose: Purpose, turns: int = 1, left: int = 5) -> dict[str, ProbeBox]:
    return {"A": ProbeBox(purpose=purpose, turns=turns, left=left)}


def test_a_probe_gathers_20_points_on_its_second_turn_of_arming() -> None:
    assert codes(near(6), PROBE) == ["not-armed"]
    played = play(near(6, probes=armed(Purpose.INFORMATION)), PROBE, until=1)
    launched = told(played, ev.ProbeLaunched)
    assert [(event.probe, event.purpose, event.information) for event in launched] == [("A", "information", 20)]
    assert beast_of(played.state).information == 20
    assert ship_of(played.state).power.probes["A"] == ProbeBox(left=4)


def test_a_probe_reaches_6_hexes() -> None:
    played = play(near(7, probes=armed(Purpose.INFORMATION)), PROBE, until=1)
    assert not told(played, ev.ProbeLaunched)
    assert any("a probe reaches only 6 hexes" in event.reason for event in told(played, ev.OrderTold))


def test_what_can_never_be_launched_is_refused() -> None:
    ready = near(6, probes=armed(Purpose.INFORMATION))
    assert codes(ready, PROBE.replace("PROBE A AT monster", "PROBE B AT monster")) == ["no-such-weapon"]
    assert codes(ready, PROBE.replace("AT monster", "AT Beagle")) == ["unknown-unit"]
    assert codes(ready, PROBE.replace("AT monster", f'AT "{PLANET}"')) == ["probe-target"]
    both = WAIT + "  PHASERS 2\n" + PROBE.removeprefix(WAIT) + "  AT 2 PROBE A AT monster AND FIRE PH 1 AT monster\n"
    assert codes(ready, both) == ["probe-alone"]
    gone = {**ship_of(ready).boxes, "probe": 0}
    assert "weapon-destroyed" in codes(put(ready, SHIP, boxes=gone), PROBE)
    assert "no-ammo" in codes(near(6, probes=armed(Purpose.INFORMATION, left=0)), PROBE)


def test_a_probe_is_no_weapon_unless_it_is_an_emergency() -> None:
    played = play(near(3, probes=armed(Purpose.WEAPON)), BOMB, until=1)
    assert not told(played, ev.Fired)
    reason = next(event.reason for event in told(played, ev.OrderTold) if event.result == "did not act")
    assert reason.endswith("(G5.3)")


@pytest.mark.parametrize(("die", "distance", "hit"), [(3, 3, True), (2, 3, False), (6, 6, True), (1, 0, True)])
def test_a_crippled_ship_fires_it_and_it_hits_when_the_die_is_not_less_than_the_range(
    die: int, distance: int, hit: bool
) -> None:
    state = near(distance, probes=armed(Purpose.WEAPON))
    whole = ("warp left", "warp right", "excess", "sensor", "scanner", "damcon")
    boxes = {name: count if name in whole else 1 for name, count in ship_of(state).boxes.items()}
    wreck = {name: replace(box, working=False) for name, box in ship_of(state).weapons.items()}
    state = put(state, SHIP, boxes=boxes, weapons=wreck)
    played = play(state, BOMB, {"1.1.fire Constellation PROBEA 1": die}, until=1)
    shot = told(played, ev.Fired)[0]
    assert (shot.weapon, shot.kind, shot.hit, shot.points, shot.rule) == ("PROBE A", "probe", hit, 8 * hit, "G5.34")
    assert beast_of(played.state).damage == 8 * hit


def test_the_scenario_directs_a_probe_at_a_monster_that_it_kills() -> None:
    state = put(near(3, probes=armed(Purpose.WEAPON)), BEAST, method=4)
    missed = play(state, BOMB, {"1.1.fire Constellation PROBEA 1": 2}, until=1)
    assert beast_of(missed.state).in_play
    played = play(state, BOMB, {"1.1.fire Constellation PROBEA 1": 3})
    assert beast_of(played.state).gone == "destroyed"
    assert played.state.over and played.state.step in ("resolve", "end")


def test_a_probe_is_fired_dead_ahead_only() -> None:
    state = put(put(near(3, probes=armed(Purpose.WEAPON)), BEAST, method=4), SHIP, facing="B", hex="0604")
    played = play(state, BOMB, until=1)
    assert any("dead ahead" in event.reason for event in told(played, ev.OrderTold))


# --- the end of the scenario, and its beginning --------------------------------------------------------------


def test_leaving_the_map_before_it_is_stopped_is_defeat() -> None:
    state = begin(setting(), Constellation="A")
    played = play(state, f"SHIP {SHIP}\nENERGY\n  SPEED 16\nPLOT 4F LEAVE MAP\n")
    assert ship_of(played.state).gone == "destroyed"
    assert results(played.state) == {"federation": "defeat", "monster": "victory"}


def test_the_owner_chooses_the_facing_and_nobody_else() -> None:
    assert ship_of(begin(setting())).facing == "D"
    assert ship_of(begin(setting(), Constellation="B")).facing == "B"
    for facings, code in (({"Constellation": "G"}, "direction"), ({"Planet Killer": "A"}, "fixed-facing")):
        with pytest.raises(GameError) as refused:
            begin(setting(), **facings)
        assert [fault.code for fault in refused.value.faults] == [code]


def test_a_game_remembers_the_facing_and_verifies(tmp_path: Path) -> None:
    from pbem.data import scenarios
    from pbem.games.create import new
    from pbem.games.proof.verify_game import verify
    from pbem.games.storage.opening import opened

    file = tmp_path / "hunt.toml"
    source = (Path(scenarios.__file__).parent / "scenarios" / "11.toml").read_text(encoding="utf-8")
    lines = [line for line in source.split("\n") if not line.startswith("chapters")]
    chapters = ", ".join(f'"{name}"' for name in setting().chapters)
    at = next(place for place, line in enumerate(lines) if line.startswith("damage"))
    file.write_text("\n".join([*lines[:at], f"chapters = [{chapters}]", *lines[at:]]), encoding="utf-8")
    new(str(file), tmp_path / "game", players={"federation": "Ann"}, facings={"Constellation": "b"}, seed="hunt")
    with opened(tmp_path / "game") as game:
        assert game.terms.facings == {"Constellation": "B"}
        assert ship_of(game.state()).facing == "B"
        assert verify(game).faults == ()


def test_the_draft_offers_the_probe_and_may_be_used_hint_by_hint() -> None:
    from pbem.reports.draft.draft import draft_for

    table, state = setting(), near(5, probes=armed(Purpose.INFORMATION))
    assert state.request is not None
    draft = draft_for(state, table, state.request, "federation")
    used = draft.replace("# PROBE A 1 ", "PROBE A 1 ").replace("# PROBE A AT", "PROBE A AT")
    assert draft != used and f"FIRE PH 1 AT {BEAST}" in draft
    orders = read_orders(used, header=True)
    assert not orders.faults
    assert not check(state, table, state.request, "federation", orders.orders).faults


# --- how the hunt ends -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("fates", "said"), [
    ({}, None),
    ({BEAST: {"gone": UnitFate.DESTROYED}}, (7, f"{BEAST} was destroyed; 7 points of damage to {PLANET}")),
    ({BEAST: {"gone": UnitFate.FRIENDLY}}, (7, f"{BEAST} is friendly; 7 points of damage to {PLANET}")),
    ({BEAST: {"gone": UnitFate.FRIENDLY, "damage": 1}}, (200, f"{BEAST} was friendly, and had been attacked")),
    ({PLANET: {"gone": UnitFate.DESTROYED}}, (200, f"{PLANET} was destroyed")),
    ({PLANET: {"gone": UnitFate.DESTROYED, "damage": 250}}, (250, f"{PLANET} was destroyed")),
    ({SHIP: {"gone": UnitFate.DESTROYED}}, (200, f"{SHIP} was destroyed before the monster was stopped")),
    ({SHIP: {"gone": UnitFate.DISENGAGED}}, (200, f"{SHIP} disengaged before the monster was stopped")),
    ({SHIP: {"gone": UnitFate.DESTROYED}, BEAST: {"gone": UnitFate.DESTROYED}},
     (7, f"{BEAST} was destroyed; 7 points of damage to {PLANET}")),
    ({PLANET: None}, None),
    ({PLANET: None, BEAST: {"gone": UnitFate.DESTROYED}}, (0, f"{BEAST} was destroyed")),
    ({PLANET: None, SHIP: {"gone": UnitFate.DESTROYED}}, (200, f"{SHIP} was destroyed before the monster was stopped")),
    ({BEAST: None}, None),
])  # fmt: skip
def test_how_a_hunt_ends(fates: dict[str, dict[str, Any] | None], said: tuple[int, str] | None) -> None:
    """Scenario #11, with its planet and without one, by the fate of each."""
    state, found = put(begin(setting()), PLANET, damage=7), setting()
    units = dict(state.units)
    for name, fate in fates.items():
        if fate is None:
            del units[name]
        else:
            units[name] = altered(units[name], **fate)
    on = Resolution(replace(state, units=units), found, ScriptedDice(), {})
    hunt = Hunt(found.victory)
    assert hunt.decided(on, False) == said
    assert len(hunt.outcome(on, False)) == (0 if said is None else len(state.sides))


@pytest.mark.parametrize(
    ("fate", "goes_on"),
    [
        ({}, True),
        ({"gone": UnitFate.NOT_YET}, True),
        ({"gone": UnitFate.LEFT}, False),
        ({"gone": UnitFate.DESTROYED}, False),
        ({"mutiny": "staged"}, False),
        ({"captured_from": "gorn", "side": "monster"}, False),
        ({"side": "monster"}, False),
    ],
)
def test_an_ally_who_can_go_on_keeps_a_hunt_open(fate: dict[str, Any], goes_on: bool) -> None:
    """Scenario #11 is lost when the last ship of the team is, before the monster is stopped."""
    found = setting()
    state = put(begin(found), SHIP, gone=UnitFate.DESTROYED)
    ally = altered(state.units[SHIP], **{"name": "Gorn", "side": "gorn", "gone": UnitFate.IN_PLAY, **fate})
    sides = {**state.sides, "gorn": replace(state.sides["federation"], name="gorn")}
    on = Resolution(replace(state, units={**state.units, "Gorn": ally}, sides=sides), found, ScriptedDice(), {})
    decided = Hunt(found.victory).decided(on, False)
    assert (decided is None) is goes_on
    if fate.get("gone") == UnitFate.LEFT:
        assert decided is not None and decided[1].startswith(f"{SHIP} was destroyed and Gorn left the map before")
        assert {one.side: one.result for one in Hunt(found.victory).outcome(on, False)} == {
            "federation": "defeat", "gorn": "defeat", "monster": "victory",
        }  # fmt: skip


def test_a_hunt_of_somebodys_own_without_grades_counts_what_the_planet_suffered() -> None:
    found = setting()
    for damage in (0, 7):
        state = put(begin(found), PLANET, damage=damage, gone=UnitFate.DESTROYED)
        hunt = Hunt(replace(found.victory, grades=()))
        assert hunt.decided(Resolution(state, found, ScriptedDice(), {}), False) == (damage, f"{PLANET} was destroyed")
