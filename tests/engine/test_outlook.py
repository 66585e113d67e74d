"""How far a unit can come before an order's moment, held against counting the steps in which it moves one by one."""

from __future__ import annotations

import tomllib
from itertools import product

import msgspec
import pytest

from pbem.data.terms import StepName
from pbem.engine.checking.outlook import Outlook, least_range, most_hexes
from pbem.engine.state import Link, Ship
from pbem.engine.step_names import ORDER
from pbem.engine.steps import sequence
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.rules.movement import moves

replace = msgspec.structs.replace
MOVING = {"Con": StepName.MOVE, "KD/1": StepName.SEEK, "KS/1": StepName.SHUTTLES, "Worm": StepName.MONSTERS}
TOWED = ("KD/1", "KS/1")
"""What a beam may take along: of ships freighters alone (G7.32C)."""
UNITS = """
level = "standard"
options = { autobreaks = [], reveal = "none" }
[[unit]]
side = "federation"
ship = "std_fed_ca_cth"
name = "Lex"
at = "2020A"
[[unit]]
side = "klingon"
ship = "std_kli_d7"
name = "Con"
at = "1010A"
[[unit]]
side = "klingon"
ship = "drone"
name = "KD/1"
at = "1013A"
target = "Lex"
launcher = "Con"
[[unit]]
side = "klingon"
ship = "shuttle"
name = "KS/1"
at = "1609D"
launcher = "Con"
[[unit]]
side = "beast"
ship = "monster"
name = "Worm"
monster = "planet_killer"
target = "Rock"
at = "1007D"
[[unit]]
ship = "planet"
name = "Rock"
at = "1414"
"""


def counted(look: Outlook, name: str, impulse: int) -> int:
    """Step by step from the request on: what moves by itself, and what a beam may drag along in any impulse."""
    state, setting, request = look.state, look.scenario, look.request
    unit = state.units[name]
    linked = any(name in (link.target, link.ship) for link in state.links)
    speed = unit.speed if look.speeds_known or name in ("KD/1", "Worm") else setting.max_speed
    hexes = 0
    for now, step in product(range(request.impulse, impulse + 1), sequence.course(setting).impulse):
        played = now == request.impulse and ORDER[step] < ORDER[state.step]
        if played or step != MOVING[name]:
            continue
        hooked = linked or (setting.uses("tractors") and name in TOWED and now > request.impulse)
        hexes += hooked or moves(speed, now, state.impulses)
    return hexes


@pytest.mark.parametrize("impulses", [8, 32])
@pytest.mark.parametrize("chapters", [[], ["tractors"]])
def test_so_many_hexes_as_there_are_steps_in_which_it_may_move(impulses: int, chapters: list[str]) -> None:
    facts = {"rule": "B2.0", "title": "t", "source": "s", "impulses": impulses, "chapters": chapters}
    case = msgspec.convert({**tomllib.loads(UNITS), **facts}, Case)
    setting = scenario_for(case)
    start = opening(case, setting)
    assert start.request is not None
    ship = start.units["Lex"]
    assert isinstance(ship, Ship)
    tried = set[int]()
    link = Link(ship="Lex", beam="A", target="Con", since=0)
    for first, step, name, links in product(
        (1, 2, impulses - 1, impulses), sequence.course(setting).impulse, MOVING, ((), (link,))
    ):
        for speed, known in ((0, True), (5, True), (impulses, True), (5, False)):
            units = {**start.units, name: replace(start.units[name], speed=speed)}
            state = replace(start, turn=2, impulse=first, step=step, units=units, links=links)
            request = replace(start.request, turn=2, impulse=first)
            look = Outlook(
                state=state, scenario=setting, request=request, ship=ship, at={}, certain_until=0, speeds_known=known
            )
            for until in {first, min(first + 1, impulses), impulses}:
                found = most_hexes(look, look.state.units[name], until)
                assert found == counted(look, name, until), (name, first, step, links, speed, known, until)
                tried.add(found)
            assert most_hexes(look, state.units["Rock"], impulses) == 0
    assert tried > {0, 1, 2}


def test_the_shortest_range_is_told_where_enough_is_known() -> None:
    """A ship at 2020 until impulse 3, and perhaps until 5: a planet that stays where it is, a ship that comes nearer by
    what it can move, and nothing at all where the order names no impulse, or one of which nothing is known.
    """
    facts = {"rule": "B2.0", "title": "t", "source": "s", "impulses": 32}
    case = msgspec.convert({**tomllib.loads(UNITS), **facts}, Case)
    setting = scenario_for(case)
    start = opening(case, setting)
    ship, request = start.units["Lex"], start.request
    assert isinstance(ship, Ship) and request is not None
    state = replace(start, units={**start.units, "Con": replace(start.units["Con"], speed=16, hex="2016")})
    at = dict.fromkeys(range(1, 6), ("2020", "A"))
    look = Outlook(state=state, scenario=setting, request=request, ship=ship, at=at, certain_until=4, speeds_known=True)
    rock = replace(state.units["Rock"], hexes=("1010", "2011", "2012"))
    ranges = {impulse: least_range(look, impulse, rock) for impulse in (None, 1, 4, 5, 9)}
    assert ranges == {None: 0, 1: 8, 4: 8, 5: 0, 9: 0}
    assert [least_range(look, impulse, state.units["Con"]) for impulse in (1, 2, 3, 4)] == [4, 3, 3, 2]
    near = replace(state.units["Con"], hex="2019")
    assert least_range(look, 4, near) == 0
