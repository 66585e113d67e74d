"""Hints for tractor beams, transporters: what a draft offers is legal."""

from __future__ import annotations

from itertools import combinations

import msgspec
import pytest

from pbem.data.scenarios import Scenario, Victory
from pbem.data.terms import FormKind, Fuse, Purpose, StepName
from pbem.engine.checking.check import check
from pbem.engine.on_file import altered
from pbem.engine.state import Bomb, Link, ProbeBox, Request, Ship, State
from pbem.lab.rule_cases.format import Case, CaseUnit
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for
from pbem.reports.draft.systems import acts, entries

replace = msgspec.structs.replace


@pytest.fixture
def here() -> tuple[State, Scenario]:
    """A cruiser beside a freighter of the enemy's, people on a planet and a monster about."""
    case = Case(
        rule="G",
        title="x",
        source="x",
        level="standard",
        impulses=32,
        final={"Con": {}},
        unit=(
            CaseUnit(side="federation", ship="std_fed_ca_cth", name="Con", at="1011A"),
            CaseUnit(side="orion", ship="cadet_freighter", name="Pig", at="1111A"),
            CaseUnit(ship="planet", name="Rigel", at="1212", crew=1),
            CaseUnit(side="monster", ship="monster", monster="moray_eel", name="Eel", at="1508C"),
        ),
    )
    setting = scenario_for(case)
    setting = replace(setting, chapters=tuple(it for it in setting.chapters if it not in ("shuttles", "probes")))
    return opening(case, setting), setting


def ship(state: State) -> Ship:
    found = state.units["Con"]
    assert isinstance(found, Ship)
    return found


def refused(state: State, setting: Scenario, request: Request, lines: list[str]) -> list[str]:
    reading = read_orders("\n".join(["SHIP Con", *lines]), header=False)
    faults = reading.faults or check(state, setting, request, "federation", reading.orders).faults
    return [str(fault) for fault in faults]


def test_entries_of_the_form_are_legal(here: tuple[State, Scenario]) -> None:
    state, setting = here
    assert state.request is not None
    offered = [order for order, _ in entries(state, setting, ship(state))]
    assert offered == ["TRACTOR A", "TRANSPORTERS 1"]
    for order in offered:
        assert refused(state, setting, state.request, ["ENERGY", f"  {order}"]) == []


def test_each_chapter_offers_its_systems_and_a_prize_no_suicide_shuttle(here: tuple[State, Scenario]) -> None:
    state, setting = here
    con, every = ship(state), ("shuttles", "probes", "tractors", "transporters")
    first = {"shuttles": "SUICIDE", "probes": "PROBE", "tractors": "TRACTOR", "transporters": "TRANSPORTERS"}
    for used in (one for many in range(5) for one in combinations(every, many)):
        for prize in (False, True):
            whose = altered(con, captured_from="klingon" if prize else "")
            alone = replace(setting, chapters=("energy", *used))
            world = replace(state, units={**state.units, "Con": whose})
            offered = {order.split()[0] for order, _ in entries(world, alone, whose)}
            wanted = {first[chapter] for chapter in used if not (prize and chapter == "shuttles")}
            assert offered == wanted, (used, prize)
            studied = {name: unit for name, unit in world.units.items() if name != "Eel"}
            rest = {order.split()[0] for order, _ in entries(replace(world, units=studied), alone, whose)}
            assert rest == wanted - {"PROBE"}, "nothing is there to be studied"


def test_a_cadet_ship_among_standard_ones_is_offered_what_its_own_level_arms_with() -> None:
    case = Case(rule="J2.22", title="x", source="x", scenario="12", level="standard", impulses=32, final={"Fire": {}})
    setting = scenario_for(case)
    state = opening(case, setting)
    offered = {
        one.name: order for one in state.ships() for order, _ in entries(state, setting, one) if "SUICIDE" in order
    }
    assert offered == {"Constellation": "SUICIDE D 3 WARP", "Fire": "SUICIDE A 1 WARP", "War": "SUICIDE A 1 WARP"}


@pytest.mark.parametrize(
    ("impulse", "step", "launched"), [(7, "move", 7), (7, "bay", 7), (7, "fire", 8), (8, "bay", 8), (8, "fire", 0)]
)
def test_each_chapter_offers_its_orders_and_launches_only_while_there_is_time(
    here: tuple[State, Scenario], impulse: int, step: StepName, launched: int
) -> None:
    """All is armed and paid for; the orders end with impulse 8."""
    state, setting = here
    con = ship(state)
    con = altered(
        con,
        tractors=("A",),
        transporters=1,
        bombs={"A": Bomb(energy=(3, 3, 3), state=Fuse.ARMED)},
        probes={"A": ProbeBox(purpose=Purpose.INFORMATION, turns=9, left=1)},
    )
    units = {**state.units, "Con": con}
    now = replace(state, units=units, turn=1, impulse=impulse, step=step)
    request = Request(number=2, turn=1, impulse=impulse, form=FormKind.SOP, sides=("federation",), through=8)
    offers = {
        "shuttles": [f"AT {launched} LAUNCH SHUTTLE B DIR B", f"AT {launched} LAUNCH SUICIDE A AT Pig"],
        "probes": ["PROBE A AT Eel"],
        "tractors": ["TRACTOR Pig WITH A"],
        "transporters": ["LOWER SHIELD TO Pig AND TRANSPORT 1 BP TO Pig"],
    }
    for used in (one for many in range(5) for one in combinations(offers, many)):
        alone = replace(setting, chapters=("energy", "boarding", *used))
        offered = [order for order, _ in acts(now, alone, request, con)]
        wanted = [order for one in used for order in offers[one] if launched or one != "shuttles"]
        assert sorted(offered) == sorted(wanted), used


def test_a_beam_that_holds_says_what_it_lets_go(here: tuple[State, Scenario]) -> None:
    state, setting = here
    state = replace(state, links=(Link(ship="Con", beam="B", target="Pig", since=0),))
    told = dict(entries(state, setting, ship(state)))
    assert told["TRACTOR B"] == "or it lets go of Pig (G7.33)" and "TRACTOR A" in told
    assert state.request is not None
    assert list(acts(state, setting, state.request, ship(state))) == [("RELEASE B", "it holds Pig (G7.33)")]


def test_orders_wait_for_their_energy_and_are_legal_then(here: tuple[State, Scenario]) -> None:
    state, setting = here
    setting = replace(setting, victory=Victory(kind="rescue", side="federation", goal="Rigel", count=1))
    assert state.request is not None and not list(acts(state, setting, state.request, ship(state)))
    request = replace(state.request, form="SOP", impulse=1, turn=1)
    assert not list(acts(state, setting, request, ship(state)))
    powered = altered(ship(state), tractors=("A",), transporters=3)
    state = replace(state, units={**state.units, "Con": powered}, turn=1, impulse=1, step="move", request=request)
    offered = [order for order, _ in acts(state, setting, request, powered)]
    assert offered == [
        "TRACTOR Pig WITH A",
        "TRANSPORT 1 CREW FROM Rigel",
        "LOWER SHIELD TO Pig AND TRANSPORT 3 BP TO Pig",
    ]
    for order in offered:
        assert refused(state, setting, request, ["DO", f"  {order}"]) == []
    draft = draft_for(state, setting, request, "federation")
    assert all(f"  # {order}" in draft for order in offered)
    assert max(map(len, draft.split("\n"))) <= 72
