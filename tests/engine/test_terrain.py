"""Planets and asteroids in play (P2.0, P3.0): who may fire, who crashes, who collides."""

from __future__ import annotations

from typing import TypeVar

import msgspec
import pytest

from pbem.ai.robot import RobotCommander
from pbem.data.scenarios import Scenario, ScenarioUnit, Terrain, scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Link, Position, Seeker, Ship, Shuttle, State
from pbem.orders.reader import read_orders
from pbem.rules import hexes

replace = msgspec.structs.replace
CLASSES = {"federation": "std_fed_ca_cth", "klingon": "std_kli_d7", "romulan": "std_rom_we"}


def setting(ships: dict[str, tuple[str, str]], planet: str = "", asteroids: str = "") -> Scenario:
    """Scenario #7 with these ships (name: side, hex and facing) and this terrain."""
    base = scenario("7")
    sides = tuple(
        replace(base.sides[0], name=side, team=side, race=side) for side in sorted({side for side, _ in ships.values()})
    )
    units = tuple(
        ScenarioUnit(ship=CLASSES[side], name=name, side=side, hex=at[:4], facing=at[4:], prior_speed=16)
        for name, (side, at) in ships.items()
    )
    terrain = [Terrain(kind="planet", name="the planet", hexes=tuple(planet.split()))] if planet else []
    terrain += [Terrain(kind="asteroids", name="the belt", hexes=tuple(asteroids.split()))] if asteroids else []
    return replace(base, sides=sides, units=units, terrain=tuple(terrain), chapters=(*base.chapters, "terrain"))


def begin(table: Scenario, **options: str) -> State:
    chosen = msgspec.convert({"reveal": "none", "autobreaks": [], "period": "turn", **options}, Options)
    return set_up(table, "test", players={side.name: "Ann" for side in table.sides}, options=chosen).state


def checked(table: Scenario, state: State, side: str, orders: str) -> CheckResult:
    assert state.request is not None
    return check(state, table, state.request, side, read_orders(orders, header=False).orders)


def play(
    table: Scenario, state: State, orders: dict[str, str], dice: dict[str, int] | None = None, until: int | None = None
) -> ResolutionResult:
    assert state.request is not None
    for side in state.request.sides:
        found = checked(table, state, side, orders[side])
        assert not found.faults, found.faults
    filed = {side: Filed(text=orders[side]) for side in state.request.sides}
    rolled = ScriptedDice((), dice or {}, SegmentDice(b"terrain"))
    return resolve(state, table, filed, rolled, robots=RobotCommander, until=until)


E = TypeVar("E", bound=ev.Event)


def told(played: ResolutionResult, kind: type[E]) -> list[E]:
    return [record.event for record in played.records if isinstance(record.event, kind)]


def with_unit(state: State, unit: Seeker | Shuttle) -> State:
    unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    return replace(state, units={**state.units, unit.name: unit})


def drone(at: str, target: str, side: str = "klingon") -> Seeker:
    return Seeker(
        name="KD/1", side=side, race=side, hex=at[:4], facing=at[4:], speed=32, weapon="drone", target=target,
        launcher="", launched=0, endurance=0, came_from=at[:4], straight=1, toughness=4, warhead=12,
    )  # fmt: skip


TWO = {"Con": ("federation", "1010B"), "Des": ("klingon", "1409E")}
STAY = "SHIP Con\nENERGY\n  PHASERS 4\n"
WAIT = "SHIP Des\nENERGY\n"


# --- planets -----------------------------------------------------------------------------------------------


def test_a_planet_stops_a_line_of_fire_and_the_report_says_which() -> None:
    table = setting(TWO, planet="1209")
    orders = {"federation": STAY + "DO\n  IF RANGE Des <= 4 THEN FIRE PH 1 AT Des\n", "klingon": WAIT}
    played = play(table, begin(table), orders, until=1)
    assert not told(played, ev.Fired)
    reasons = [event.reason for event in told(played, ev.OrderTold)]
    assert reasons == ["the planet in 1209 is in the line of fire from 1010 to 1409 (P2.0)"]


def test_a_shot_is_refused_only_when_it_is_certain_to_be_blocked() -> None:
    table = setting(TWO, planet="1209")
    immobile = replace(table, units=(table.units[0], replace(table.units[1], immobile=True)))
    fire = STAY + "DO\n  AT 3 FIRE PH 1 AT Des\n"
    assert not checked(table, begin(table), "federation", fire).faults
    faults = checked(immobile, begin(immobile), "federation", fire).faults
    assert [(fault.code, fault.rule, fault.line) for fault in faults] == [("planet-in-the-way", "P2.0", 5)]


def test_a_line_along_the_edge_of_a_planet_is_free() -> None:
    ships = {"Con": ("federation", "1010C"), "Des": ("klingon", "1210F")}
    orders = {"federation": STAY + "DO\n  FIRE PH 1 AT Des\n", "klingon": WAIT}
    for planet, shots in (("1110", 1), ("1111", 1), ("1110 1111", 0)):
        table = setting(ships, planet=planet)
        played = play(table, begin(table), orders, until=1)
        assert len(told(played, ev.Fired)) == shots, planet


def test_a_plot_into_a_planet_is_refused_and_one_that_runs_out_before_it_is_asked_about() -> None:
    table = setting({**TWO, "Con": ("federation", "1010C")}, planet="1312")
    state = begin(table)
    into = checked(table, state, "federation", "SHIP Con\nENERGY\n  SPEED 8\nPLOT 3F\n").faults
    assert [(fault.code, fault.rule) for fault in into] == [("planet-hex", "P2.0")]
    short = "SHIP Con\nENERGY\n  SPEED 8\nPLOT F\n"
    found = checked(table, state, "federation", short)
    assert not found.faults
    assert any("you will be asked before impulse" in note for note in found.notes)
    played = play(table, state, {"federation": short, "klingon": WAIT})
    assert played.state.request is not None and played.state.request.sides == ("federation",)
    ship = played.state.units["Con"]
    assert ship.in_play and ship.hex not in ("1312",)


def test_leave_map_is_no_leave_to_fly_into_a_planet() -> None:
    table = setting({**TWO, "Con": ("federation", "1010C")}, planet="1312")
    orders = {"federation": "SHIP Con\nENERGY\n  SPEED 8\nPLOT 2F LEAVE MAP\n", "klingon": WAIT}
    played = play(table, begin(table), orders)
    assert [event.side for event in told(played, ev.Broke)] == ["federation"]
    assert played.state.units["Con"].hex == "1211"


def test_a_ship_that_is_asked_and_says_nothing_new_is_turned_aside() -> None:
    table = setting({**TWO, "Con": ("federation", "1010C")}, planet="1312")
    state = begin(table)
    first = play(table, state, {"federation": "SHIP Con\nENERGY\n  SPEED 8\nPLOT F\n", "klingon": WAIT})
    second = play(table, first.state, {"federation": "CONTINUE"})
    assert not told(second, ev.Destroyed)
    assert any("flown into the planet in 1312" in event.reason for event in told(second, ev.OrderTold))


def test_a_ship_with_no_way_past_the_planet_crashes_into_it() -> None:
    around = " ".join(hexes.neighbour("1010", facing) for facing in hexes.FACINGS)
    table = setting({**TWO, "Con": ("federation", "1010C")}, planet=around)
    orders = {"federation": "SHIP Con\nENERGY\n  SPEED 8\n", "klingon": WAIT}
    found = checked(table, begin(table), "federation", orders["federation"])
    assert not found.faults
    assert any("no legal move" in note for note in found.notes)
    played = play(table, begin(table), orders)
    if played.state.units["Con"].in_play:  # asked once more before it happens
        played = play(table, played.state, {"federation": "CONTINUE"})
    crash = told(played, ev.Destroyed)
    assert [(event.unit, event.rule, event.step) for event in crash] == [("Con", "P2.0", "move")]


def test_a_seeking_weapon_whose_only_way_closer_is_a_planet_crashes() -> None:
    table = setting({**TWO, "Con": ("federation", "0910B")}, planet="1208")
    state = with_unit(begin(table), drone("1407E", "Con"))
    played = play(table, state, {"federation": STAY, "klingon": WAIT}, until=3)
    crash = told(played, ev.Destroyed)
    assert [(event.unit, event.rule, event.step) for event in crash] == [("KD/1", "P2.0", "seek")]
    assert played.state.units["KD/1"].hex == "1208"


# --- asteroids ---------------------------------------------------------------------------------------------


def test_a_ship_rolls_for_every_hex_of_asteroids_it_enters_and_its_first_shield_is_struck() -> None:
    table = setting({**TWO, "Con": ("federation", "1010C")}, asteroids="1010 1011 1211")
    assert begin(table).asteroids == ("1010", "1011", "1211")
    orders = {"federation": "SHIP Con\nENERGY\n  SPEED 16\nPLOT 8F\n", "klingon": WAIT}
    dice = {"1.2.move Con ASTEROIDS 1": 6, "1.4.move Con ASTEROIDS 1": 4}
    played = play(table, begin(table), orders, dice, until=6)
    met = [(event.hex, event.die, event.points) for event in told(played, ev.Collided)]
    path = [event.at[:4] for event in told(played, ev.Moved) if event.unit == "Con"]
    assert path[:3] == ["1111", "1211", "1312"]
    assert met == [("1211", 4, 6)]
    struck = told(played, ev.Damaged)
    assert [(event.unit, event.shield, event.boxes) for event in struck] == [("Con", 1, 6)]
    assert [event.sources for event in told(played, ev.Volley)] == [("asteroids",)]


def test_what_asteroids_do_is_scored_for_all_units_of_the_step_at_once() -> None:
    ships = {"Con": ("federation", "1010C"), "Des": ("klingon", "1510E")}
    table = setting(ships, asteroids="1111 1410")
    orders = {
        "federation": "SHIP Con\nENERGY\n  SPEED 16\nPLOT F\n",
        "klingon": "SHIP Des\nENERGY\n  SPEED 16\nPLOT F\n",
    }
    dice = {f"1.2.move {name} ASTEROIDS 1": 6 for name in ships}
    played = play(table, begin(table), orders, dice, until=2)
    order = [type(record.event).__name__ for record in played.records if record.event.step == "move"]
    assert order.index("Volley") > max(place for place, name in enumerate(order) if name in ("Moved", "Collided"))
    assert [event.unit for event in told(played, ev.Collided)] == ["Con", "Des"]
    assert [event.boxes for event in told(played, ev.Damaged)] == [15, 15]


def test_asteroids_shoot_down_a_drone_and_weaken_a_torpedo() -> None:
    table = setting(TWO, asteroids="1308 1208")
    state = with_unit(begin(table), drone("1407E", "Con"))
    dice = {f"1.{impulse}.seek KD/1 ASTEROIDS 1": 3 for impulse in (1, 2)}
    played = play(table, state, {"federation": STAY, "klingon": WAIT}, dice, until=2)
    assert [(event.unit, event.step) for event in told(played, ev.Destroyed)] == [("KD/1", "seek")]
    torpedo = replace(drone("1407E", "Con"), weapon="plasma", torpedo="plasmaR", warhead=50, launched_in="1407")
    played = play(table, with_unit(begin(table), torpedo), {"federation": STAY, "klingon": WAIT}, dice, until=1)
    assert [(event.points, event.rule) for event in told(played, ev.SeekerDamaged)] == [(10, "FP1.6")]


def test_a_shuttle_is_damaged_and_may_enter_a_planet_hex() -> None:
    from pbem.engine.play.resolution import Resolution
    from pbem.engine.steps.terrain import crashes, with_collisions

    table = setting(TWO, planet="1208", asteroids="1308")
    shuttle = Shuttle(name="KS/1", side="klingon", race="klingon", hex="1407", facing="E", speed=6, launcher="Des",
                      launched=0)  # fmt: skip
    state = with_unit(begin(table), shuttle)
    assert not crashes(shuttle) and crashes(replace(shuttle, target="Con"))
    on = Resolution(replace(state, turn=1, impulse=6, step="shuttles"), table, ScriptedDice([5]), {})
    with_collisions(lambda table: table.tell(ev.Moved(unit="KS/1", at="1308E", code="F", came_from="1407")))(on)
    assert [event.points for r in on.records if isinstance(event := r.event, ev.Collided)] == [0]  # a slow unit
    on.impulse = 12
    with_collisions(lambda table: table.tell(ev.Moved(unit="KS/1", at="1208E", code="F", came_from="1308")))(on)
    assert on.state.units["KS/1"].in_play


def test_a_unit_in_tow_is_dragged_into_asteroids_at_the_speed_of_the_tow() -> None:
    from pbem.engine.play.resolution import Resolution
    from pbem.engine.steps.terrain import with_collisions

    table = setting(TWO, planet="0101", asteroids="1308")
    state = begin(table)
    con = state.units["Con"]
    links = (Link(ship="Con", beam="A", target="Des", since=0),)
    units = {**state.units, "Con": replace(con, speed=20)}
    state = replace(state, units=units, links=links, turn=1, impulse=4, step="move")
    on = Resolution(state, table, ScriptedDice([5]), {})
    with_collisions(lambda table: table.tell(ev.Towed(unit="Des", at="1308E", by="Con", came_from="1409")))(on)
    assert [(e.unit, e.points) for r in on.records if isinstance(e := r.event, ev.Collided)] == [("Des", 10)]
    on.impulse = 5
    with_collisions(lambda table: table.tell(ev.Towed(unit="Des", at="0101E", by="Con", came_from="1308")))(on)
    assert on.state.units["Des"].gone == "destroyed"


@pytest.mark.parametrize(
    ("asteroids", "modifier"), [("", 0), ("1209", 1), ("1010 1110 1209", 1), ("1010 1110 1209 1309 1409", 2)]
)
def test_asteroids_in_the_line_of_fire_are_added_to_the_die(asteroids: str, modifier: int) -> None:
    table = setting(TWO, asteroids=asteroids)
    orders = {"federation": STAY + "DO\n  AT 1 FIRE PH 1 AT Des\n", "klingon": WAIT}
    played = play(table, begin(table), orders, {"1.1.fire Con PH1 1": 1}, until=1)
    assert [event.modifier for event in told(played, ev.Fired)] == [modifier]


def test_asteroid_damage_takes_the_benefits_of_a_cloak_for_an_impulse_and_leaves_its_restrictions() -> None:
    from pbem.engine.steps.sensors import veil_of

    table = setting({"Con": ("federation", "1010C"), "Hawk": ("romulan", "1510E")}, asteroids="1410")
    cloak = begin(table)
    hawk = cloak.units["Hawk"]
    assert isinstance(hawk, Ship)
    orders = {
        "federation": STAY + "DO\n  AT 5 FIRE PH 1 AT Hawk\n",
        "romulan": "SHIP Hawk\nENERGY\n  SPEED 8\n  CLOAK 6\nPLOT F\n",
    }
    cloak = replace(cloak, units={**cloak.units, "Hawk": altered(hawk, cloak="cloaking", cloak_since=-20, speed=8)})
    for die, effective in ((6, 4), (1, 13)):
        dice = {"1.4.move Hawk ASTEROIDS 1": die}
        played = play(table, cloak, orders, dice, until=5)
        shot = told(played, ev.Fired)[0]
        now = played.state.units["Hawk"]
        assert isinstance(now, Ship)
        assert (shot.range, shot.effective) == (4, effective)
        then, later = (veil_of(replace(played.state, impulse=impulse), now) for impulse in (5, 6))
        assert then.silent
        assert then.hidden is (die == 1)
        assert later.hidden
