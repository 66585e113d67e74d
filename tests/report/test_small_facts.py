"""Small parts of the reports at their edges: what a few words or marks say of any number of things."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.game.state import Monster, Position, Ship
from pbem.report.frames import bearings
from pbem.report.luck import _signed
from pbem.report.mail import story
from pbem.report.ship_tables import type_of
from pbem.report.site import MANY, came_to
from pbem.report.small_map import framed, middle, of_view
from pbem.rules.hexes import FACINGS, neighbour
from tests.game.world import rich


@pytest.mark.parametrize("grid", ["even", "odd"])
@pytest.mark.parametrize("hex", ["0510", "0610", "1111", "1212"])
def test_all_six_hexes_around_one_are_equally_far_in_a_picture(hex: str, grid: str) -> None:
    far = [math.dist(middle(hex, grid), middle(neighbour(hex, facing, grid), grid)) for facing in "ABCDEF"]
    assert max(far) - min(far) < 0.1
    x, y = middle(hex, grid)
    above, below = middle(neighbour(hex, "A", grid), grid), middle(neighbour(hex, "D", grid), grid)
    assert above[0] == below[0] == x and above[1] < y < below[1]


@pytest.mark.parametrize("hexes", [("0101",), ("0101", "3001"), ("1210", "1230"), ("4201", "0130", "2015")])
@pytest.mark.parametrize("grid", ["even", "odd"])
def test_a_picture_holds_all_its_marks_and_is_empty_of_nothing(hexes: tuple[str, ...], grid: str) -> None:
    view: Any = SimpleNamespace(players=(), units=(), asteroids=hexes, grid=grid)
    small = of_view(view)
    assert small is not None and small == framed(small.marks)
    left, top, wide, high = map(int, small.box.split())
    assert [(mark.x, mark.y) for mark in small.marks] == [middle(hex, grid) for hex in hexes]
    assert all(left < mark.x < left + wide and top < mark.y < top + high for mark in small.marks)
    view.asteroids = ()
    assert of_view(view) is None


@pytest.mark.parametrize(("came", "faced"), [("A", 1), ("B", 2), ("D", 4)])
def test_two_in_one_hex_are_told_the_shields_they_met_with(came: str, faced: int) -> None:
    """Fire at range 0 crosses the shields that faced one another when they were last apart (D3.42)."""
    state = rich()
    con, des = state.units["Con"], state.units["Des"]
    back = FACINGS[(FACINGS.index(came) + 3) % 6]
    con = replace(con, facing="A", track=(Position(16, con.hex, "A"),))
    path = (Position(20, neighbour(con.hex, came, state.grid), back), Position(21, con.hex, back))
    des = replace(des, hex=con.hex, facing=back, track=path)
    (found,) = (
        one for one in bearings(replace(state, units={**state.units, "Con": con, "Des": des}), ["Con"])
        if one.other == "Des"
    )  # fmt: skip
    assert (found.range, found.shields, found.other_shields) == (0, (faced,), (1,))


@pytest.mark.parametrize("many", range(MANY + 3))
def test_ships_are_told_by_name_as_long_as_they_are_few(many: int) -> None:
    state = rich()
    con = state.units["Con"]
    assert isinstance(con, Ship)
    ships = {f"S{n}": replace(con, name=f"S{n}", gone="destroyed" if n == 1 else "") for n in range(many)}
    planet = {"Rock": replace(con, name="Rock", immobile=True)}
    said = came_to(replace(state, units={**ships, **planet}))
    if many > MANY:
        assert said == f"{many} ships, 1 of them out of play."
    else:
        assert [part.split()[0] for part in said.split("; ") if part] == [*ships]
        assert said.count("destroyed") == (many > 1) and said.count("in play") == many - (many > 1)


@pytest.mark.parametrize("most", range(7))
@pytest.mark.parametrize("many", range(9))
def test_a_story_is_told_from_both_ends_and_says_how_much_it_leaves_out(most: int, many: int) -> None:
    said = tuple(SimpleNamespace(turn=1 + n // 4, impulse=n % 4) for n in range(many))
    view: Any = SimpleNamespace(since=said)
    told = story(view, most)
    assert len(told.first) + told.left_out + len(told.last) == many
    assert told.left_out == max(0, many - most) and (not told.left_out or len(told.first) <= len(told.last))
    assert told.first == said[: len(told.first)] and told.last == said[many - len(told.last) :]
    left = said[len(told.first) : many - len(told.last)]
    ends = [f"{one.turn}.{one.impulse}" for one in left[:1] + left[1:][-1:]]
    assert told.gap == " to ".join(ends)


def test_luck_has_a_sign_unless_it_is_none() -> None:
    for tenth in range(-25, 26):
        said = _signed(Fraction(tenth, 10))
        assert float(said) == tenth / 10 and said[0] == ("+" if tenth > 0 else "-" if tenth else "0")
    assert _signed(Fraction(1, 1000)) == "0.0"


def test_a_monster_that_is_called_as_its_kind_is_told_once() -> None:
    eel = next(unit for unit in rich().units.values() if isinstance(unit, Monster))
    for name, told in (("Moray Eel", "monster"), ("moray eel", "monster"), ("Old One", "moray eel")):
        assert type_of(replace(eel, monster="moray_eel", name=name)) == told
