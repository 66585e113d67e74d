"""What reports say of a unit besides its display, and of what changed on it: every piece of its state in words."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.terms import Fuse, Purpose
from pbem.engine.on_file import altered
from pbem.engine.state import Bomb, Link, Monster, Planet, ProbeBox, Seeker, Ship, Shuttle, State
from pbem.lab.rule_cases.format import Case, CaseUnit
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.reports.text.sentences import moment
from pbem.reports.view.facts import marks_of, of_ship, of_systems, quarry
from pbem.reports.view.reader_log import changes


@pytest.fixture(scope="module")
def state() -> State:
    """Two cruisers, a monster after a planet with people on it."""
    case = Case(
        rule="G",
        title="x",
        source="x",
        level="standard",
        impulses=32,
        final={"Con": {}},
        unit=(
            CaseUnit(side="federation", ship="std_fed_ca_cth", name="Con", at="1011A"),
            CaseUnit(side="klingon", ship="std_kli_d7", name="Des", at="1511A"),
            CaseUnit(ship="planet", name="Rigel", at="1212", crew=2),
            CaseUnit(side="monster", ship="monster", monster="planet_killer", name="PK", at="1508C"),
        ),
    )
    return opening(case, scenario_for(case))


def ship_of(state: State) -> Ship:
    found = state.units["Con"]
    assert isinstance(found, Ship)
    return found


def told(state: State, mine: bool = True, **now: Any) -> dict[str, str]:
    """The facts of the cruiser that are not there before these changes to her."""
    before = {fact.what: fact.words for fact in of_ship(ship_of(state), state, mine)}
    ship = altered(ship_of(state), **now)
    after = {fact.what: fact.words for fact in of_ship(ship, replace(state, units={**state.units, "Con": ship}), mine)}
    return {what: words for what, words in after.items() if before.get(what) != words}


EVERYBODY: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({}, {}),
    ({"captured_from": "klingon"}, {"captured": "from klingon; its weapons cannot be fired"}),
    ({"mutiny": "put down"}, {"mutiny": "broke out and was put down"}),
    ({"mutiny": "staged"}, {"mutiny": "succeeded: the ship does nothing more"}),
    ({"parties": 3}, {"boarding parties": "3"}),
    ({"boarders": {"klingon": 1}}, {"raiders aboard": "1 boarding party of klingon"}),
    ({"boarders": {"klingon": 2}}, {"raiders aboard": "2 boarding parties of klingon"}),
    ({"taken": 1}, {"lost to raiders": "1 control station"}),
    ({"passengers": 1}, {"passengers": "1 crew unit"}),
    ({"lowered": {"general": 33}}, {"lowered": "general reinforcement, since 2.1"}),
    ({"lowered": {"#3": 32}}, {"lowered": "shield #3, since 1.32"}),
]


def seeker(name: str, hex: str, **more: Any) -> Seeker:
    """A weapon of the Klingon's that is after the cruiser."""
    return Seeker(
        name=name, side="klingon", race="klingon", hex=hex, facing="D", weapon="drone", target="Con", launcher="Des",
        launched=1, endurance=96, came_from="", **more,
    )  # fmt: skip


@pytest.mark.parametrize(("now", "wanted"), EVERYBODY)
def test_what_everybody_may_know_of_a_ship(state: State, now: dict[str, Any], wanted: dict[str, str]) -> None:
    assert told(state, **now) == wanted == told(state, mine=False, **now)


def test_shuttles_and_probes(state: State) -> None:
    full = {fact.what: fact.words for fact in of_ship(ship_of(state), state, True)}
    assert (full["shuttles aboard"], full["probes A"]) == ("A, B, C and D", "5 left")
    assert told(state, hangar=("A", "C")) == {"shuttles aboard": "A and C"}
    assert told(state, mine=False, hangar=("A", "C")) == {"shuttles aboard": "2"}
    assert told(state, hangar=()) == {"shuttles aboard": "none"} == told(state, mine=False, hangar=())


def test_of_a_ship_out_of_play_only_people_are_told(state: State) -> None:
    gone = altered(ship_of(state), gone="destroyed", lowered={"#1": 1}, passengers=2)
    found = {fact.what for fact in of_ship(gone, state, True)}
    assert found == {"boarding parties", "passengers"}


def test_tractor_links_are_told_at_both_ends(state: State) -> None:
    linked = replace(state, links=(Link(ship="Con", beam="B", target="PK", since=40),))
    assert "holds PK since 2.8" in {fact.words for fact in of_ship(ship_of(linked), linked, False)}
    killer = linked.units["PK"]
    assert isinstance(killer, Monster)
    assert marks_of(killer, linked) == ("held by Con",)
    held = replace(state, links=(Link(ship="Des", beam="A", target="Con", since=1),))
    assert "by Des, tractor A" in {fact.words for fact in of_ship(ship_of(held), held, False)}


SYSTEMS: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
    ({}, []),
    ({"tractors": ("A", "B")}, [("tractor beams with energy", "A and B")]),
    ({"transporters": 3}, [("transporters with energy", "3")]),
    ({"transporters": 3, "transported": 2}, [("transporters with energy", "3, 2 used")]),
    ({"battery_part": "1/2"}, [("part of a battery", "1/2 of a point")]),
    ({"bombs": {"A": Bomb(state=Fuse.ARMED, energy=(3, 3, 3))}}, [("suicide shuttle A", "armed, 18 points")]),
    ({"bombs": {"A": Bomb(state=Fuse.ARMING, energy=(3,))}}, [("suicide shuttle A", "arming, 1 turn so far")]),
    ({"bombs": {"A": Bomb(state=Fuse.ARMING, energy=(3, 3))}}, [("suicide shuttle A", "arming, 2 turns so far")]),
    ({"bombs": {"A": Bomb(state=Fuse.UNUSABLE)}}, [("suicide shuttle A", "unusable this turn")]),
    ({"bombs": {"A": Bomb(state=Fuse.NONE)}}, [("suicide shuttle A", "not armed")]),
    (
        {"probes": {"A": ProbeBox(left=4, purpose=Purpose.WEAPON, turns=1)}},
        [("probe A", "arming as a weapon, 1 turn so far")],
    ),
    ({"probes": {"A": ProbeBox(left=4, purpose=Purpose.WEAPON, turns=2)}}, [("probe A", "armed as a weapon")]),
    (
        {"probes": {"A": ProbeBox(left=4, purpose=Purpose.INFORMATION, turns=2)}},
        [("probe A", "armed as an instrument")],
    ),
    ({"probes": {"A": ProbeBox(left=4)}}, []),
]  # fmt: skip


@pytest.mark.parametrize(("now", "wanted"), SYSTEMS)
def test_what_only_its_owner_knows_of_a_ship(state: State, now: dict[str, Any], wanted: list[tuple[str, str]]) -> None:
    ship = altered(ship_of(state), **({"probes": {}} | now))
    assert [(fact.what, fact.words) for fact in of_systems(ship)] == wanted


def test_marks_of_units_without_a_display(state: State) -> None:
    torpedo = seeker("RP/1", "1010", warhead=30)
    assert marks_of(replace(torpedo, torpedo="S"), state) == ("strength 30",)
    assert marks_of(replace(torpedo, torpedo="S", gone="destroyed"), state) == () == marks_of(torpedo, state)
    boat = Shuttle(
        name="FS/1", side="federation", race="federation", hex="1010", facing="A", launcher="Con", launched=1
    )
    assert marks_of(boat, state) == ()
    assert marks_of(replace(boat, damage=3), state) == ("damage 3 of 6",)
    assert marks_of(replace(boat, damage=4), state) == ("damage 4 of 6, crippled",)
    assert marks_of(replace(boat, damage=4, gone="destroyed"), state) == ()
    full = altered(boat, landed="Rigel", crew=1, parties=2, bomb=18)
    assert marks_of(full, state) == (
        "on Rigel", "1 crew unit", "2 boarding parties", "suicide shuttle of 18 points",
    )  # fmt: skip
    killer, planet = state.units["PK"], state.units["Rigel"]
    assert isinstance(killer, Monster) and isinstance(planet, Planet)
    assert marks_of(killer, state) == () and marks_of(replace(killer, damage=9), state) == ("damage 9",)
    assert marks_of(replace(planet, damage=9), state) == ("damage 9", "2 crew units on it")


def test_what_is_known_of_the_quarry(state: State) -> None:
    killer = state.units["PK"]
    assert isinstance(killer, Monster)

    def lines(**now: Any) -> dict[str, list[tuple[str, str]]]:
        units = {**state.units, "PK": altered(killer, **now)}
        found = quarry(replace(state, units=units))
        return {each.unit: [(fact.what, fact.words) for fact in each.facts] for each in found}

    begin = lines(goal="Rigel", information=12, needed=200)
    assert begin["PK"] == [("after", "Rigel"), ("information", "12 points, a die at 200"), ("damage", "0")]
    assert begin["Rigel"] == [("damage", "0 of 200"), ("waiting on it", "2 crew units")]
    known = dict(lines(goal="Rigel", information=212, method=6, gone="stopped")["PK"])
    assert (known["gone"], known["information"]) == ("stopped", "212") and "friendly" in known["how to stop it"]
    assert lines(goal="")["Rigel"] == [("waiting on it", "2 crew units")]


def test_what_changed_on_a_ship(state: State) -> None:
    ship = ship_of(state)
    shields = (ship.shields[0] - 1, 0, *ship.shields[2:])
    weapons = {**ship.weapons, "PH 2": replace(ship.weapons["PH 2"], working=False)}
    boxes = {**ship.boxes, "lab": ship.boxes["lab"] - 2, "tran": ship.boxes["tran"] - 1}
    hit = replace(ship, shields=shields, weapons=weapons, boxes=boxes)
    now = replace(state, units={**state.units, "Con": hit})

    def lines(before: State, after: State) -> list[tuple[str, str]]:
        return [(fact.what, fact.words) for each in changes(before, after, {"Con"}) for fact in each.facts]

    lost = f"{ship.shields[1]} boxes lost, down"
    assert lines(state, now) == [
        ("shield #1", f"1 box lost, {ship.shields[0] - 1} left"),
        ("shield #2", lost),
        ("lost inside", "2 lab, tran and PH 2"),
    ]
    assert lines(now, state)[0] == ("shield #1", "1 box mended")
    assert [each.unit for each in changes(state, state, {"Con"})] == ["Con"]
    gone = replace(state, units={**state.units, "Con": replace(ship, gone="destroyed", side="klingon")})
    assert lines(state, gone) == [("out of play", "destroyed"), ("captured", "by klingon")]
    assert changes(gone, gone, {"Con"}) == ()


@pytest.mark.parametrize("many", [1, 4, 5, 7])
def test_what_is_after_a_ship_the_nearest_first(state: State, many: int) -> None:
    drones = {f"D{n}": seeker(f"D{n}", f"10{11 - n:02d}") for n in range(1, many + 1)}
    found = changes(state, replace(state, units={**state.units, **drones}), {"Con"})
    lines = [(fact.what, fact.words) for each in found for fact in each.facts]
    named = [(f"D{n} is after it", f"range {n}, toward #1") for n in range(1, min(many, 4) + 1)]
    more = {5: [("and", "1 more seeking weapon")], 7: [("and", "3 more seeking weapons")]}
    assert lines == named + more.get(many, [])


def test_moments_in_words(state: State) -> None:
    assert [moment(n, state) for n in (-5, 0, 1, 32, 33, 64, 65)] == ["1.0", "1.0", "1.1", "1.32", "2.1", "2.32", "3.1"]
