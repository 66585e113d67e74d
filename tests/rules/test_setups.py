"""How each scenario is set up, typed a second time from its text as one would lay it out: hex by hex, who stands there
and where he looks; held against the state with which a game begins.
"""

from __future__ import annotations

import re

import pytest

from pbem.data.scenarios import scenario, scenario_keys
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.state import Monster, Planet, Seeker, Ship, State

LAID_OUT = """
#1 8 impulses 0101-1417: 0101C drone, 0111A Constellation 8, 0207B drone, 0801D drone, 0805D drone, 0909F drone
#2 8 impulses 0101-2817: 0109C drone, 0301D drone, 0913A Constellation 8, 1101D drone, 1701E drone, 2501E drone,
   2803E drone, 2808E drone, 2815F drone
#3 8 impulses 0101-2817: 0104C Destruction 8, 0110B Freighter B 4, 0112B Freighter A 4, 0309B Freighter C 4,
   0311B Freighter D 4
#4 16 impulses 0101-2817: 0115B Death 10, 0116B Fire 10, 0117B War 10, 1405A SS Dakota 0, 2817F Constellation 10
#5 16 impulses 0101-2817: 0216B Destruction 16, 2801E Constellation 16
#6 16 impulses 0101-2816: 0101C Constellation 16, 2816F Eagle 16
#7 32 impulses 0101-2817: 0216B Destruction 31, 2801E Constellation 31
#8 32 impulses 0101-2817: 0116B Freighter A 2, 0117B Freighter B 2, 0201C Orion Raider 31, 0215B Freighter D 2,
   0216B Freighter C 2
#9 32 impulses 0101-2817: 0101C Destruction 31, 1508 planet, 2816F Constellation 31
#10 32 impulses 0101-2817: 0216B Destruction 31, 2801E Constellation 31
#11 32 impulses 0101-2817: 0101C monster, 2503D Constellation 31, 2514 planet
#12 32 impulses 0101-2817: 0216B Constellation 31, 2801E War 31, 2804E Fire 31, 2807E Death 31
"""
"""A ship's number is its speed before the first turn."""

VERSIONS = """
#2 slow-ship: 0913A Constellation 6
#10 two-against-two: 0213B Eagle 31, 0216B Destruction 31, 2801E Constellation 31, 2804E Gorn 31
#9 cadet: 0101C Destruction 16, 1508 planet, 2816F Constellation 16
#11 cadet: 0101C monster, 2503D Constellation 16, 2514 planet
#12 half-shields: 0216B Constellation 31, 2801E War 31, 2804E Fire 31
"""

LATER = {"8": ("Defender", 6, "2817F")}
"""Who comes in the course of the game: the turn, and where."""


def state_of(key: str) -> State:
    """The beginning of a scenario with everybody who may take part."""
    found = scenario(key)
    players = {side.name: "somebody" for side in found.sides if side.robot != "must"}
    return set_up(
        found, key, players=players, choices=UnitChoices(extra=[unit.name for unit in found.units if unit.optional])
    ).state


def laid_out(state: State) -> set[str]:
    """What lies on the map."""
    found = set()
    for unit in state.in_play():
        at = f"{unit.hex}{unit.facing}"
        match unit:
            case Ship():
                found.add(f"{at} {unit.name} {unit.speed}")
            case Seeker():
                found.add(f"{at} {unit.weapon}")
            case Monster():
                found.add(f"{at} monster")
            case Planet():
                found.add(f"{unit.hex} planet")
    return found


def typed(text: str) -> dict[str, set[str]]:
    """The units behind each heading."""
    parts = re.split(r"#(\d+ ?[^:]*): ", " ".join(text.split()))[1:]
    return {
        head: {each.strip() for each in units.split(",")} for head, units in zip(parts[::2], parts[1::2], strict=True)
    }


def test_every_scenario_is_laid_out_as_its_text_says() -> None:
    for head, units in typed(LAID_OUT).items():
        number, impulses, _, corners = head.split()
        state = state_of(number)
        assert (state.impulses, "-".join(scenario(number).map)) == (int(impulses), corners), number
        assert laid_out(state) == units, number
    assert [head.split()[0] for head in typed(LAID_OUT)] == [key for key in scenario_keys() if key.isdigit()]


@pytest.mark.parametrize("head", typed(VERSIONS))
def test_versions_are_laid_out_as_theirs_say(head: str) -> None:
    units, found = typed(VERSIONS)[head], laid_out(state_of(head.replace(" ", "-", 1)))
    assert units <= found and (head.startswith("2 ") or units == found)


def test_who_comes_later_comes_as_the_text_says() -> None:
    for number in map(str, range(1, 13)):
        late = [unit for unit in scenario(number).units if unit.arrives]
        told = [(unit.name, unit.arrives, f"{unit.hex}{unit.facing}") for unit in late]
        assert told == ([LATER[number]] if number in LATER else [])


def test_freighters_of_both_convoys_fire_on_their_impulse() -> None:
    for number, impulses, speed, parties in (("3", [2, 4, 6, 8], 4, None), ("8", [8, 16, 24, 32], 2, 2)):
        freighters = [unit for unit in scenario(number).units if unit.script]
        scripts = [unit.script for unit in freighters if unit.script]
        assert [script.fires_on for script in scripts] == impulses
        assert {(script.speed, script.turns_at, script.turns_to) for script in scripts} == {(speed, "15", "C")}
        assert {unit.parties for unit in freighters} == {parties}
