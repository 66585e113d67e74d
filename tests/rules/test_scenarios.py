"""The twelve scenarios as data: set-up, scripted units, terrain, victory."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.data import charts, files
from pbem.data.scenarios import Grade, Scenario, Victory, scenario, scenario_keys
from pbem.data.ships import ship_class
from pbem.errors import GameError
from pbem.rules import hexes, seeking


def test_all_twelve_are_there() -> None:
    assert scenario_keys() == [str(number) for number in range(1, 13)]


@pytest.mark.parametrize("key", scenario_keys())
def test_every_scenario_is_consistent(key: str) -> None:
    found = scenario(key)
    assert found.number == key
    assert {side.name for side in found.sides} == {
        *(unit.side for unit in found.units),
        *(seeker.side for seeker in found.seekers),
        *(monster.side for monster in found.monsters),
    }
    for unit in found.units:
        for choice in unit.choices:
            assert ship_class(choice).key == choice
        for weapon in unit.disabled:
            assert ship_class(unit.ship).weapon(weapon).name == weapon
    if found.level == "standard":
        assert (found.impulses, found.damage) == (32, "standard dac")
        assert not [unit for unit in found.units if ship_class(unit.ship).level == "cadet"] or found.number in (
            "8",
            "12",
        )
    assert all(monster.kind in charts.monsters().kinds for monster in found.monsters)


def test_the_drill() -> None:
    one = scenario("1")
    assert (one.impulses, one.map, one.units[0].hex, one.units[0].speed) == (8, ("0101", "1417"), "0111", 8)
    assert one.units[0].invulnerable
    assert {(drone.hex, drone.facing) for drone in one.seekers} == {
        ("0101", "C"), ("0207", "B"), ("0805", "D"), ("0909", "F"), ("0801", "D"),
    }  # fmt: skip
    assert {drone.motion for drone in one.seekers} == {"straight"}
    assert not one.uses("energy")
    assert [one.victory.grade(shot) for shot in (0, 4, 5)] == ["defeat", "defeat", "victory"]


def test_drones_that_home_have_a_way_to_their_target() -> None:
    two = scenario("2")
    assert len(two.seekers) == 8
    assert not two.drone_penalty
    for drone in two.seekers:
        target = two.unit(drone.target).hex
        assert seeking.legal_steps(drone.hex, drone.facing, 1, target, map=two.map)


def test_the_convoy_fires_on_its_impulses_and_turns_for_the_edge() -> None:
    three = scenario("3")
    scripts = [unit.script for unit in three.units if unit.script]
    assert [script.fires_on for script in scripts] == [2, 4, 6, 8]
    assert {(script.speed, script.turns_at, script.turns_to) for script in scripts} == {(4, "15", "C")}
    assert set(three.victory.targets) == {unit.name for unit in three.units if unit.side == "convoy"}
    assert [three.victory.grade(lost) for lost in (3, 4)] == ["defeat", "victory"]


def test_the_romulan_may_come_in_the_kr() -> None:
    six = scenario("6")
    assert six.unit("Eagle").choices == ("rom_cadet_ca", "rom_cadet_kr")
    assert six.uses("cadet cloak")
    assert not six.uses("cloak")


def test_chapters_grow_from_scenario_to_scenario() -> None:
    seven, eight, nine, ten, eleven = (set(scenario(key).chapters) for key in ("7", "8", "9", "10", "11"))
    assert seven < eight < nine < ten < eleven
    # #12 is like #10, but comes after the one with probes: in need they are weapons (G5.3).
    assert scenario("12").chapters == (*scenario("10").chapters, "probes")


def test_help_arrives_on_turn_6_of_the_pirate_raid() -> None:
    eight = scenario("8")
    assert {unit.name: unit.arrives for unit in eight.units if unit.arrives} == {"Defender": 6}
    assert eight.side("convoy").team == eight.side("defender").team != eight.side("orion").team
    assert eight.victory.last_turn == 12
    assert sum(weapon.ammo for weapon in ship_class(eight.unit("Orion Raider").ship).weapons) == 8


def test_planets_and_the_monster() -> None:
    assert scenario("9").hexes("planet") == {"1508"}
    assert scenario("9").hexes("asteroids") == frozenset()
    eleven = scenario("11")
    assert eleven.hexes("planet") == {"2514"}
    assert (eleven.monsters[0].hex, eleven.monsters[0].goal) == ("0101", "the planet")
    assert hexes.distance("0101", "2514") > charts.monsters().kinds["planet_killer"].distraction
    assert [eleven.victory.grade(points) for points in (0, 1, 50, 200)] == [
        "decisive victory", "victory", "marginal victory", "defeat",
    ]  # fmt: skip


def test_cadet_ships_among_standard_ones() -> None:
    terms = scenario("12").cadet_ships
    assert terms is not None
    assert terms.move_cost * 2 == 1
    level = charts.level(terms.level)
    assert (level.life_support, level.fire_control, level.shields) == (0, 0, 1)
    assert scenario("10").cadet_ships is None


def test_grades_leave_no_gap_and_never_overlap() -> None:
    graded = [found.victory for found in map(scenario, scenario_keys()) if found.victory.grades]
    assert len(graded) == 6
    for victory in graded:
        assert all(victory.grade(count) for count in range(300))
        assert all(
            first.most + 1 == second.least for first, second in zip(victory.grades, victory.grades[1:], strict=False)
        )
    assert Victory(kind="duel").grade(1) == ""
    assert Victory(kind="raid", grades=(Grade(result="x", least=2),)).grade(1) == ""


@pytest.mark.parametrize(
    ("key", "old", "new", "said"),
    [
        ("11", 'hexes = ["2514"]', 'hexes = ["2914"]', "terrain[0].hexes: '2914'"),
        ("11", 'goal = "the planet"', 'goal = "Rigel"', "victory.goal: 'Rigel'"),
        ("11", 'kind = "planet_killer"', 'kind = "dragon"', "monsters[0].kind: 'dragon'"),
        ("2", 'target = "Constellation"', 'target = "Enterprise"', "seekers[0].target: 'Enterprise'"),
        ("2", 'name = "Drone B"', 'name = "Drone A"', "seekers[1].name: there are two units Drone A"),
        ("1", 'motion = "straight"', 'motion = "sideways"', "seekers[0].motion: "),
        ("3", "fires_on = 2", "fires_on = 9", "units[1].script.fires_on: 9"),
        ("3", 'turns_to = "C"', 'turns_to = ""', "units[1].script: turns_at"),
        ("3", '"Freighter A", ', '"Freighter X", ', "victory.targets: 'Freighter X'"),
        ("3", 'side = "klingon"\ntargets', 'side = "romulan"\ntargets', "victory.side: 'romulan'"),
        ("12", 'level = "scenario 12"', 'level = "scenario 13"', "cadet_ships.level: 'scenario 13'"),
        ("8", "arrives = 6", "arrives = -1", "units[5].arrives: -1"),
        ("8", '"tractors"', '"tractor"', "chapters[4]: "),
    ],
)
def test_errors_in_a_scenario_are_told_with_their_place(
    tmp_path: Path, key: str, old: str, new: str, said: str
) -> None:
    text = files.locate("scenario", key).read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
    with pytest.raises(GameError) as refused:
        scenario(path)
    assert any(fault.text.startswith(said) for fault in refused.value.faults), refused.value


def test_a_scenario_s_own_parts_are_typed() -> None:
    assert isinstance(scenario("#7"), Scenario)
