"""What a pilot steers, held against a second, naive reading: every hex he could enter is tried and judged (C3, C4)."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import msgspec
import pytest

from pbem.data.terms import UnitFate
from pbem.engine.conditions.kinds import ConditionResult, holds
from pbem.engine.conditions.scene import Scene
from pbem.engine.state import Seeker, Ship, State
from pbem.engine.steps.steering import CODES, legal_codes, off_bow, pilot_code, stays, verify_code
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.orders.model import Pilot, UnitRef, Within
from pbem.rules import hexes, shields

HERE = "1409"
GOALS = [hex_ for hex_ in hexes.within(HERE, 4, ("0101", "2817")) if hex_ != HERE]
Place = tuple[str, str]


def at_sea(facing: str, grid: str = "even", **facts: Any) -> tuple[State, Ship]:
    """A cruiser that may turn and slip at once, in the middle of an empty map."""
    ship = {"side": "federation", "ship": "fed_cadet_ca", "name": "Con", "at": HERE + facing, "prior_speed": 8}
    case = msgspec.convert({"rule": "C3.0", "title": "t", "source": "s", "unit": [ship], "grid": grid, **facts}, Case)
    state = opening(case, scenario_for(case))
    unit = state.units["Con"]
    assert isinstance(unit, Ship)
    return state, unit


def entered(facing: str, code: str, grid: str) -> Place:
    """Hex and facing behind one code: a turn is made before the hex, a slip keeps the facing."""
    turn = {"L": -1, "R": 1}.get(code, 0)
    slip = {"SL": -1, "SR": 1}.get(code, 0)
    faces = hexes.FACINGS[(hexes.FACINGS.index(facing) + turn) % 6]
    goes = hexes.FACINGS[(hexes.FACINGS.index(facing) + turn + slip) % 6]
    return hexes.neighbour(HERE, goes, grid), faces


def round_the_ship(one: int, other: int) -> int:
    """How many shields lie between two, the shorter way."""
    return min((one - other) % 6, (other - one) % 6)


def steered(how: str, judge: Callable[[Place, str], tuple[float, ...]], grid: str, **about: Any) -> None:
    for facing in hexes.FACINGS:
        state, ship = at_sea(facing, grid)
        for goal in GOALS:
            pilot = Pilot(how=how, unit=UnitRef(how="hex", name=goal), **about)
            chosen = pilot_code(state, ship, pilot, goal)
            best = min(judge(entered(facing, code, grid), goal) for code in CODES)
            first = next(code for code in CODES if judge(entered(facing, code, grid), goal) == best)
            assert chosen == first, f"{how} {goal} from {HERE}{facing} {about}"


each_grid = pytest.mark.parametrize("grid", ["even", "odd"])


@each_grid
@pytest.mark.parametrize("shield", range(1, 7))
def test_keeping_a_shield_to_somebody(shield: int, grid: str) -> None:
    """Of two shields that meet at a junction the nearer one counts; the ship's own hex shows no shield."""

    def judge(place: Place, goal: str) -> tuple[float, ...]:
        hex_, facing = place
        if hex_ == goal:
            return 1, 0
        shown = shields.faced_shields(hex_, facing, goal, grid)
        return sorted(round_the_ship(shield, each) for each in shown)[0], hexes.distance(hex_, goal, grid)

    steered("keep shield", judge, grid, shield=shield)


@each_grid
def test_keeping_a_range(grid: str) -> None:
    def judge(place: Place, goal: str) -> tuple[float, ...]:
        gap = hexes.distance(place[0], goal, grid)
        wrong = 2 - gap if gap < 2 else gap - 3 if gap > 3 else 0
        return wrong, off_bow(*place, goal, state.grid)

    state, _ = at_sea("A", grid)
    steered("keep range", judge, grid, low=2, high=3)


@each_grid
def test_keeping_something_in_an_arc(grid: str) -> None:
    def judge(place: Place, goal: str) -> tuple[float, ...]:
        hex_, facing = place
        inside = hex_ != goal and hexes.in_arc(hex_, facing, goal, "LS", grid)
        return (0 if inside else 1), hexes.distance(hex_, goal, grid)

    steered("keep arc", judge, grid, arc="LS")


@each_grid
@pytest.mark.parametrize(("how", "sign"), [("toward", 1), ("away", -1)])
def test_toward_and_away(how: str, sign: int, grid: str) -> None:
    def judge(place: Place, goal: str) -> tuple[float, ...]:
        return sign * hexes.distance(place[0], goal, grid), sign * off_bow(*place, goal, state.grid)

    state, _ = at_sea("A", grid)
    steered(how, judge, grid)


def test_off_the_bow_is_counted_in_sixths_and_halves_of_them() -> None:
    state, _ = at_sea("A")
    off = {"1409": 0, "1405": 0, "1508": 0.5, "1308": 0.5, "1608": 1, "1208": 1, "1609": 1.5, "1610": 2, "1411": 3}
    assert {goal: off_bow(HERE, "A", goal, state.grid) for goal in off} == off
    assert [off_bow(HERE, facing, "1405", state.grid) for facing in hexes.FACINGS] == [0, 1, 2, 3, 2, 1]


@each_grid
@pytest.mark.parametrize("slips", [True, False])
def test_the_codes_offered_are_those_of_which_nothing_is_refused(grid: str, slips: bool) -> None:
    """In the middle of the map and in its corners, whatever was flown before."""
    state, ship = at_sea("A", grid)
    state = msgspec.structs.replace(state, options=msgspec.structs.replace(state.options, sideslip=slips))
    for hex_, facing in product((HERE, *state.map), hexes.FACINGS):
        for turned, slipped in product(range(4), range(3)):
            now = msgspec.structs.replace(ship, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
            free = [code for code in CODES if verify_code(state, now, code) is None and stays(state, now, code)]
            assert legal_codes(state, now) == free, (hex_, facing, turned, slipped)


@each_grid
def test_in_a_crowd_those_within_reach_are_found(grid: str) -> None:
    """A crowd is looked through hex by hex where few hexes are in reach, else unit by unit: it makes no difference."""
    state, ship = at_sea("A", grid)
    draw = random.Random(7)
    columns, rows = (range(1, int(last) + 1) for last in (state.map[1][:2], state.map[1][2:]))
    drones = [
        Seeker(
            name=f"KD/{n}",
            side=draw.choice(("klingon", "federation")),
            race="klingon",
            facing="A",
            hex=hexes.hex_name(draw.choice(columns), draw.choice(rows)),
            gone=draw.choice((UnitFate.IN_PLAY, UnitFate.IN_PLAY, UnitFate.REMOVED)),
            weapon="drone",
            target="Con",
            launcher="",
            launched=0,
            endurance=0,
            came_from="",
        )
        for n in range(150)
    ]
    state = msgspec.structs.replace(state, units={**state.units, **{drone.name: drone for drone in drones}})
    for hex_ in (HERE, state.map[0], state.map[1]):
        me = msgspec.structs.replace(ship, hex=hex_)
        scene = Scene(state=msgspec.structs.replace(state, units={**state.units, "Con": me}), me=me)
        for reach in range(12):
            near = {
                drone.name: (away, drone.name)
                for drone in drones
                if drone.in_play
                and drone.side == "klingon"
                and (away := hexes.distance(hex_, drone.hex, grid)) <= reach
            }
            held = holds(Within(who=UnitRef(how="enemy", what="seeker"), hexes=reach), scene)
            assert held == (
                ConditionResult(True, tuple(sorted(near, key=near.__getitem__))) if near else ConditionResult(False)
            ), reach
