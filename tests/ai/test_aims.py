"""What captains do where a scenario is about more than fighting: the monster of #11, the pirate of #8."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import pbem
from pbem.ai.evaluation import _dakota, position_worth
from pbem.ai.order_writer import gaps_for, quarry
from pbem.ai.search import Decider
from pbem.data.doctrines import SkillLevel, doctrines, level
from pbem.data.scenarios import scenario
from pbem.data.terms import Fuse, Purpose, UnitFate
from pbem.engine.on_file import altered
from pbem.engine.state import Bomb, Link, Outcome, ProbeBox, Ship, State
from pbem.lab.selfplay.match import Match, play, verified
from pbem.rules import hexes

USUAL = doctrines().measure("usual")
TOLD = {"unknown": 0, "suicide shuttle": 1, "tractor": 2, "damage": 3, "probe": 4}
"""The dice that tell what stops a monster."""


def quick_captain(**other: object) -> SkillLevel:
    found = level("captain")
    assert found is not None
    return replace(found, plans=("close",), replies=("close",), rolls=(1,), **other)


def at_start(key: str, side: str) -> State:
    return pbem.Game.new(key, {}, seed="aims").view(side).state


def changed(state: State, name: str, **what: object) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **what)})


def ship_of(state: State, name: str) -> Ship:
    found = state.units[name]
    assert isinstance(found, Ship)
    return found


def thinks_of(state: State, key: str, side: str) -> list[str]:
    mind = Decider(state, scenario(key), side, quick_captain(), "s")
    return [one.name for one in mind.plans(mind.level.plans, side)]


# --- a monster (#11) -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("known", "first", "fights"),
    [
        ("unknown", "pass", False),
        ("suicide shuttle", "ram", False),
        ("tractor", "grapple", False),
        ("damage", "strafe", True),
        ("probe", "dart", False),
    ],
)
def test_he_does_to_a_monster_what_is_known_to_stop_it(known: str, first: str, fights: bool) -> None:
    state = changed(at_start("11", "federation"), "Planet Killer", method=TOLD[known])
    plans = thinks_of(state, "11", "federation")
    assert plans[0] == first
    assert ("close" in plans) is fights  # while nobody knows what it is, fire is wrong
    assert ("study" in plans) is (known == "unknown")


def test_what_the_ship_has_not_is_not_tried() -> None:
    start = at_start("11", "federation")
    ship = ship_of(start, "Constellation")
    for known, lost in (
        ("suicide shuttle", {"hangar": ()}),
        ("tractor", {"boxes": {**ship.boxes, "tractor": 0}}),
        ("probe", {"probes": {"A": ProbeBox(left=0)}}),
    ):
        state = changed(start, "Planet Killer", method=TOLD[known])
        assert len(thinks_of(state, "11", "federation")) == 2, known  # that, and to lure it away
        assert thinks_of(changed(state, ship.name, **lost), "11", "federation")[0] == "lure", known


def test_a_shuttle_is_armed_on_and_one_that_was_disarmed_left_alone() -> None:
    state = changed(at_start("11", "federation"), "Planet Killer", method=TOLD["suicide shuttle"])
    ship = ship_of(state, "Constellation")
    for bombs, letter in (
        ({}, "A"),
        ({"B": Bomb(energy=(1,), state=Fuse.ARMING)}, "B"),
        ({"A": Bomb(state=Fuse.UNUSABLE)}, "B"),
    ):
        one = altered(ship, bombs=bombs)
        assert list(gaps_for(state, scenario("11"), one, quarry(state, one)).filled("{ram}")) == [letter]


def test_harm_done_to_a_monster_is_wrong_until_it_is_known_to_stop_it() -> None:
    start, setting = at_start("11", "federation"), scenario("11")

    def value(known: str, damage: int) -> float:
        state = changed(start, "Planet Killer", method=TOLD[known], damage=damage)
        return position_worth(state, setting, "federation", USUAL)

    assert value("unknown", 60) < value("unknown", 0)
    assert value("damage", 60) > value("damage", 30) > value("damage", 0) > value("unknown", 0)
    assert value("tractor", 60) == value("tractor", 0)


def test_what_stops_a_monster_is_worth_more_with_each_turn_of_arming() -> None:
    start, setting = at_start("11", "federation"), scenario("11")
    for known, steps in (
        ("suicide shuttle", [{"bombs": {"A": Bomb(energy=(1,) * turns)}} for turns in range(4)]),
        ("probe", [{"probes": {"A": ProbeBox(purpose=Purpose.WEAPON, turns=turns, left=5)}} for turns in range(3)]),
    ):
        state = changed(start, "Planet Killer", method=TOLD[known])
        found = [position_worth(changed(state, "Constellation", **one), setting, "federation", USUAL) for one in steps]
        assert found == sorted(found) and len({*found}) == len(found), known


@pytest.mark.parametrize("result", ["marginal victory", "victory"])
def test_to_stop_the_monster_is_worth_more_than_to_live_beside_it(result: str) -> None:
    """His own ship alone is worth more than a victory, and once he would not end what he had in hand."""
    state = changed(at_start("11", "federation"), "Planet Killer", method=TOLD["tractor"], information=230)
    over = replace(
        changed(state, "Planet Killer", gone=UnitFate.DESTROYED),
        over=True,
        outcome=(Outcome(side="federation", result=result, why="so"),),
    )
    lost = replace(over, outcome=(Outcome(side="federation", result="defeat", why="so"),))
    values = [position_worth(one, scenario("11"), "federation", USUAL) for one in (lost, state, over)]
    assert values == sorted(values) and len({*values}) == 3


@pytest.mark.slow
def test_an_ensign_stops_the_monster_more_often_than_not() -> None:
    """By whatever the dice said: he has to do it, since a friendly one comes up in one game of six."""
    games = [play(verified(Match(scenario="11", captains={"federation": "ensign"})), number) for number in range(8)]
    won = [one for one in games if "victory" in one.results["federation"]]
    assert len(won) >= 5
    done = {plan for one in won for plan in one.plans["federation"]}
    assert {"pass", "grapple", "dart", "strafe"} <= done
    assert not any(one.illegal for one in games)


# --- allies of the side whose task it is -----------------------------------------------------------------------------


def test_an_ally_has_the_task_too_and_what_he_does_for_it_counts() -> None:
    """#9 with a Gorn beside the Federation: he fetches, and survivors aboard his ship or shuttle are worth the same."""
    state, setting = at_start("9", "federation"), scenario("9")
    setting = replace(setting, sides=(*setting.sides, replace(setting.side("federation"), name="gorn")))
    own = ship_of(state, "Constellation")
    gorn = replace(own, name="Gorn", side="gorn")
    sides = {**state.sides, "gorn": replace(state.sides["federation"], name="gorn")}
    state = replace(state, sides=sides, units={**state.units, "Gorn": gorn})
    for side in ("federation", "gorn"):
        mind = Decider(state, setting, side, quick_captain(), "s")
        assert "fetch" in [one.name for one in mind.fitting(state, side)], side
    enemy = Decider(state, setting, "klingon", quick_captain(), "s")
    assert "guard" in [one.name for one in enemy.fitting(state, "klingon")]
    worths = [
        position_worth(changed(state, name, passengers=1), setting, "gorn", USUAL) for name in ("Constellation", "Gorn")
    ]
    assert worths[0] == worths[1] > position_worth(state, setting, "gorn", USUAL)


def test_boarders_and_prizes_of_an_ally_are_the_pirates_too() -> None:
    state, setting = raider(), scenario("8")
    state = replace(state, sides={**state.sides, "tholian": replace(state.sides["orion"], name="tholian")})

    def value(**what: object) -> float:
        return position_worth(changed(state, "Freighter A", **what), setting, "orion", USUAL)

    assert value(boarders={"tholian": 2}) == value(boarders={"orion": 2}) > value()
    assert value(side="tholian", captured_from="convoy") == value(side="orion", captured_from="convoy")
    assert value(boarders={"defender": 2}) == value()


# --- a pirate (#8) ---------------------------------------------------------------------------------------------------


def raider(*held: str) -> State:
    """The raider of #8 beside four freighters and near the edge, with some of them in tow."""
    state = at_start("8", "orion")
    for name, at in (("Orion Raider", "0415"), ("Freighter A", "0315"), ("Freighter B", "0416")):
        state = changed(state, name, hex=at)
    links = tuple(
        Link(ship="Orion Raider", beam=beam, target=name, since=0) for beam, name in zip("AB", held, strict=False)
    )
    return replace(state, links=links)


def test_a_pirate_takes_in_tow_what_his_beams_can_hold_and_then_goes_home() -> None:
    for held, told in (
        ((), ["board", "tow"]),
        (("Freighter A",), ["board", "tow"]),
        (("Freighter A", "Freighter B"), ["home", "board"]),
    ):
        found = thinks_of(raider(*held), "8", "orion")
        assert [name for name in found if doctrines().doctrine(name).is_task] == told, held


def test_he_pays_for_the_beams_that_hold_his_loot_and_takes_hold_of_the_rest() -> None:
    state, setting = raider("Freighter A"), scenario("8")
    ship = ship_of(state, "Orion Raider")
    gaps = gaps_for(state, setting, ship, quarry(state, ship))
    assert list(gaps.filled("TRACTOR {beams}")) == ["TRACTOR A,B"]
    assert "TRACTOR Freighter A" not in [*gaps.filled("TRACTOR {loot}")]
    assert len([*gaps.filled("TRACTOR {loot}")]) == 3
    mind = Decider(state, setting, "orion", quick_captain(), "s")
    assert "TRACTOR A" in mind.mended(doctrines().doctrine("home")).text


def test_on_his_way_home_he_fires_at_no_prize() -> None:
    state = raider("Freighter A", "Freighter B")
    ship = ship_of(state, "Orion Raider")
    for gone, hunter in ((UnitFate.NOT_YET, []), (UnitFate.IN_PLAY, ["Defender"])):
        there = changed(state, "Defender", gone=gone, hex="0801")
        assert [*gaps_for(there, scenario("8"), ship, quarry(there, ship)).filled("{hunter}")] == hunter


def test_loot_counts_by_how_safe_it_is() -> None:
    """Aboard, in tow, off the map; and gone with two of four is better than to stay with them."""
    setting = scenario("8")
    near, held = raider(), raider("Freighter A")
    towed = changed(near, "Freighter A", gone=UnitFate.LEFT, marks=("towed off by Orion Raider",))
    burnt = changed(near, "Freighter A", gone=UnitFate.DESTROYED)
    values = [position_worth(one, setting, "orion", USUAL) for one in (burnt, near, held, towed)]
    assert values == sorted(values) and len({*values}) == 4
    both = changed(towed, "Freighter B", gone=UnitFate.LEFT, marks=("towed off by Orion Raider",))
    home = replace(
        changed(both, "Orion Raider", gone=UnitFate.LEFT),
        over=True,
        outcome=(Outcome(side="orion", result="marginal victory", why="so"),),
    )
    assert position_worth(home, setting, "orion", USUAL) > position_worth(
        raider("Freighter A", "Freighter B"), setting, "orion", USUAL
    )


@pytest.mark.slow
def test_an_ensign_gets_away_with_freighters() -> None:
    seats = {"orion": "ensign", "convoy": "brawler", "defender": "brawler"}
    games = [play(verified(Match(scenario="8", captains=seats)), number) for number in range(8)]
    assert sum("victory" in one.results["orion"] for one in games) >= 2
    assert not any(one.illegal for one in games)


# --- the wreck (#4) --------------------------------------------------------------------------------------------------


def test_the_wreck_counts_while_there_is_something_to_be_done_about_it() -> None:
    state, wreck = at_start("4", "federation"), scenario("4")
    ship, other = ship_of(state, "Constellation"), ship_of(state, "SS Dakota")
    assert _dakota(state, wreck, "federation") == -12 * hexes.distance(ship.hex, other.hex)
    aboard = changed(state, "Constellation", marks=frozenset({wreck.victory.mark}), hex="1203")
    assert _dakota(aboard, wreck, "federation") == 500 + 12 * 12
    assert _dakota(changed(aboard, "Constellation", gone=UnitFate.DESTROYED), wreck, "federation") == 0
    for name in ("Constellation", "SS Dakota"):
        without = replace(state, units={key: one for key, one in state.units.items() if key != name})
        assert _dakota(without, wreck, "federation") == 0
