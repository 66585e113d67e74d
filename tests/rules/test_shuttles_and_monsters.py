"""Shuttles (J) and the monster of scenario #11."""

from __future__ import annotations

import pytest

from pbem.data.terms import Fuse
from pbem.errors import NotAllowed
from pbem.lab.rule_cases.lookups import ask
from pbem.rules import hexes, monsters, shuttles
from pbem.rules.shuttles import NOT_ARMED, ShuttleBay


def code_of(function: object, *given: object, **named: object) -> str:
    assert callable(function)
    try:
        function(*given, **named)
    except NotAllowed as refused:
        return refused.code
    return ""


# --- shuttles ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("damage", "condition", "speed"),
    [(0, "", 6), (3, "", 6), (4, "crippled", 3), (5, "crippled", 3), (6, "destroyed", 0)],
)
def test_damage_cripples_and_destroys_a_shuttle_j1_33(damage: int, condition: str, speed: int) -> None:
    assert shuttles.condition(damage) == condition
    assert shuttles.speed_after(6, damage) == speed
    assert shuttles.speed_after(2, damage) == min(2, speed)


@pytest.mark.parametrize(
    ("speed", "prior", "damage", "said"),
    [(6, 3, 0, ""), (6, 2, 0, "shuttle-acceleration"), (7, 6, 0, "shuttle-speed"), (0, 6, 0, ""),
     (4, 6, 4, "shuttle-speed"), (3, 0, 4, ""), (-1, 0, 0, "shuttle-speed")],
)  # fmt: skip
def test_speeds_of_a_shuttle_j1_21(speed: int, prior: int, damage: int, said: str) -> None:
    assert code_of(shuttles.verify_speed, speed, prior, damage) == said


def test_a_shuttle_without_orders_flies_as_fast_as_it_can() -> None:
    assert shuttles.acceleration() == 3
    assert [shuttles.default_speed(prior, 0) for prior in (0, 2, 6)] == [3, 5, 6]
    assert shuttles.default_speed(6, damage=4) == 3


def test_firing_at_and_by_a_shuttle_j1_35_j2_213() -> None:
    assert code_of(shuttles.verify_shot_at_shuttle, 5) == ""
    assert code_of(shuttles.verify_shot_at_shuttle, 6) == "shuttle-range"
    assert code_of(shuttles.verify_shot_at_shuttle, 0, landed=True) == "shuttle-landed"
    given = {"name": "S1", "impulses": 32}
    assert code_of(shuttles.verify_shuttle_fire, fired=None, launched=10, moment=18, **given) == ""
    assert code_of(shuttles.verify_shuttle_fire, fired=None, launched=10, moment=17, **given) == "just-launched"
    assert code_of(shuttles.verify_shuttle_fire, fired=20, launched=1, moment=32, **given) == "already-fired"
    assert code_of(shuttles.verify_shuttle_fire, fired=30, launched=1, moment=33, **given) == "quarter-turn"
    assert code_of(shuttles.verify_shuttle_fire, fired=None, launched=1, moment=32, suicide=True, **given) == "unmanned"


@pytest.mark.parametrize(
    ("crew", "parties", "said"),
    [(1, 0, ""), (0, 2, ""), (0, 0, ""), (1, 1, "shuttle-full"), (2, 0, "shuttle-full"), (0, 3, "shuttle-full")],
)
def test_what_a_shuttle_carries_j2_211(crew: int, parties: int, said: str) -> None:
    assert code_of(shuttles.verify_load, crew, parties) == said


@pytest.mark.parametrize(
    ("bay", "speed", "ready", "said"),
    [
        (ShuttleBay(2, 2), 6, True, ""),
        (ShuttleBay(2, 0), 6, True, "no-shuttle"),
        (ShuttleBay(2, 2, 9), 6, True, "bay-busy"),
        (ShuttleBay(2, 2, 8), 6, True, ""),
        (ShuttleBay(2, 2), 7, True, "shuttle-speed"),
        (ShuttleBay(2, 2), 6, False, "shuttle-not-ready"),
    ],
)
def test_launching_a_shuttle_j1_5(bay: ShuttleBay, speed: int, ready: bool, said: str) -> None:
    assert code_of(shuttles.verify_launch, bay, 10, speed, ready) == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"same_hex": False}, "not-same-hex"),
        ({"ship_speed": 7}, "ship-too-fast"),
        ({"ship_speed": 4, "damage": 4}, "ship-too-fast"),
        ({"friendly": False}, "enemy-ship"),
        ({"manned": False}, "unmanned"),
        ({"bay": ShuttleBay(2, 2)}, "no-empty-box"),
        ({"bay": ShuttleBay(2, 1, 10)}, "bay-busy"),
    ],
)
def test_landing_aboard_j1_61(changed: dict[str, object], said: str) -> None:
    given = {"bay": ShuttleBay(2, 1), "moment": 10, "same_hex": True, "ship_speed": 6, "damage": 0} | changed
    assert code_of(shuttles.verify_land, **given) == said


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"ship_speed": 13}, "ship-too-fast"),
        ({"attached": None}, "not-held"),
        ({"attached": 10}, "just-attached"),
        ({"range": 2}, "tractor-range"),
        ({"friendly": False}, "enemy-shuttle"),
        ({"manned": False}, "unmanned"),
        ({"bay": ShuttleBay(1, 1)}, "no-empty-box"),
    ],
)
def test_hauling_a_shuttle_aboard_j1_62(changed: dict[str, object], said: str) -> None:
    given = {"bay": ShuttleBay(2, 1), "moment": 10, "range": 1, "ship_speed": 12, "attached": 9, "damage": 0} | changed
    assert code_of(shuttles.verify_recover, **given) == said


def test_a_shuttle_in_each_box_j2_0() -> None:
    assert shuttles.shuttles_at_start({"shuttle": 4}) == 4


# --- suicide shuttles -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("energy", "level", "answer"),
    [([1, 1, 1], "cadet", ["armed", 6]), ([1, 1], "cadet", ["arming", 4]), ([2], "cadet", ["suicide-arming", 0]),
     ([3, 3, 3], "standard", ["armed", 18]), ([1, 2, 3], "standard", ["armed", 12]),
     ([4], "standard", ["suicide-arming", 0]), ([3, 3, 3, 1, 1], "standard", ["armed", 18]),
     ([3, 3, 3, 2], "standard", ["suicide-holding", 0]), ([3, 3, 0], "standard", ["unusable", 0]),
     ([3, 3, 3, 0], "standard", ["unusable", 0]), ([3, 3, 3, 0, 0], "standard", ["", 0]),
     ([3, 0, 2, 2, 2], "standard", ["armed", 12])],
)  # fmt: skip
def test_arming_and_holding_a_suicide_shuttle_j2_221(energy: list[int], level: str, answer: list[object]) -> None:
    assert ask("suicide shuttle", energy=energy, level=level) == answer


def test_warp_power_arms_it_any_power_holds_it() -> None:
    assert code_of(shuttles.arm, NOT_ARMED, 1, "cadet", warp=False) == "suicide-not-warp"
    armed = shuttles.SuicideArming((1, 1, 1), Fuse.ARMED)
    assert shuttles.arm(armed, 1, "cadet", warp=False) == armed


def test_when_and_at_what_it_is_sent() -> None:
    assert code_of(shuttles.verify_suicide_launch, "armed") == ""
    assert code_of(shuttles.verify_suicide_launch, "arming") == "not-armed"
    assert code_of(shuttles.verify_suicide_target, "ship", own=False) == ""
    assert code_of(shuttles.verify_suicide_target, "plasma", own=False) == "suicide-target"
    assert code_of(shuttles.verify_suicide_target, "ship", own=True) == "own-unit"


# --- monsters ---------------------------------------------------------------------------------------------


def test_a_monster_goes_where_it_comes_nearer() -> None:
    assert ask("monster move", at="0505A", toward="0501") == "0504A"
    assert ask("monster move", at="0505A", toward="1005") == "0604B"


@pytest.mark.parametrize(("die", "moved"), [(1, "0504A"), (2, "0604B"), (3, "0504A"), (6, "0604B")])
def test_a_die_decides_between_two_hexes_odd_left(die: int, moved: str) -> None:
    choices = monsters.choices("planet_killer", "0505", "A", 1, "0702")
    assert len(choices) == 2
    assert ask("monster move", at="0505A", toward="0702", die=die) == moved


def test_it_rotates_toward_what_is_behind_it() -> None:
    assert ask("monster move", at="0505A", toward="0509", die=1) == "0505F"
    assert ask("monster move", at="0505A", toward="0509", die=2) == "0505B"
    assert ask("monster move", at="0505A", toward="0909") == "0505B"
    assert ask("monster move", at="0505A", toward="0109") == "0505F"
    assert monsters.choices("planet_killer", "0505", "A", 1, "0505") == (("0505", "A", False),)
    assert monsters.choices("planet_killer", "0505", "A", 1, "0504", stop=1) == (("0505", "A", False),)


@pytest.mark.parametrize("facing", "ABCDEF")
def test_it_reaches_its_planet_from_anywhere(facing: str) -> None:
    hex, goal, moves = "0101", "2514", 0
    while hexes.distance(hex, goal) > 1:
        hex, facing, _ = monsters.choose(monsters.choices("planet_killer", hex, facing, 1, goal, stop=1), die=moves)
        moves += 1
        assert moves < 40


def test_what_draws_its_attention() -> None:
    ships = {"Enterprise": "0110", "Constellation": "0105"}
    nearest = min(ships, key=lambda name: ships[name])
    assert ships[nearest] == "0105"
    assert monsters.distracted_by("planet_killer", "0101", ships) == nearest
    assert monsters.distracted_by("planet_killer", "0101", {"Enterprise": "0110"}) == ""
    assert monsters.distracted_by("moray_eel", "0101", {"Enterprise": "0110"}) == "Enterprise"
    assert monsters.distracted_by("planet_killer", "0101", {}) == ""


def test_whom_it_attacks_and_how_hard() -> None:
    assert monsters.victim("planet_killer", "0101", "2514", {"A": "0110", "B": "0104"}) == "B"
    assert monsters.victim("planet_killer", "2513", "2514", {"A": "0110"}) == "goal"
    assert monsters.victim("planet_killer", "2512", "2514", {"A": "0110"}) == ""
    assert monsters.victim("planet_killer", "2513", "", {"A": "0110"}) == ""
    assert monsters.victim("planet_killer", "0101", "2514", {"A": "0110"}) == ""
    assert [monsters.attack("planet_killer", die) for die in (1, 6)] == [35, 10]
    assert [monsters.attack("planet_killer", die, cadet=True) for die in (1, 6)] == [17, 5]
    assert not monsters.goal_destroyed("planet_killer", 199)
    assert monsters.goal_destroyed("planet_killer", 200)


@pytest.mark.parametrize(
    ("die", "done", "dead"),
    [(1, {"how": "suicide shuttle"}, True), (1, {"how": "probe"}, False), (2, {"how": "tractor"}, True),
     (3, {"damage": 200}, True), (3, {"damage": 199}, False), (4, {"how": "probe"}, True), (5, {"how": "more"}, True)],
)  # fmt: skip
def test_it_dies_by_what_the_die_said(die: int, done: dict[str, object], dead: bool) -> None:
    found = monsters.method(die)
    if found.kind == "more":
        assert found.amount == 100
        assert not monsters.dies("planet_killer", found, damage=500)
        return
    assert monsters.dies("planet_killer", found, **done) is dead  # type: ignore[arg-type]
    assert not monsters.dies("planet_killer", None, **done)  # type: ignore[arg-type]


def test_monsters_with_a_strength_of_their_own_can_be_shot() -> None:
    assert monsters.dies("moray_eel", None, damage=400)
    assert not monsters.dies("moray_eel", None, damage=399)
    with pytest.raises(ValueError, match="dragon"):
        monsters.monster("dragon")


def test_a_probe_at_it_must_be_directed() -> None:
    assert code_of(monsters.verify_directed_probe, None) == "probe-emergency"
    assert code_of(monsters.verify_directed_probe, monsters.method(1)) == "probe-emergency"
    assert code_of(monsters.verify_directed_probe, monsters.method(4)) == ""
    assert monsters.information_needed() == 200
    assert monsters.information_needed(100) == 300
