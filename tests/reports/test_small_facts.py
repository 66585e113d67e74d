"""Small parts of the reports at their edges: what a few words or marks say of any number of things."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.terms import WeaponState
from pbem.engine import events as ev
from pbem.engine.on_file import altered
from pbem.engine.state import Monster, Position, Ship, Weapon
from pbem.reports.form import geometry as form_map, weapons
from pbem.reports.form.form import form_data
from pbem.reports.html.site import came_to, framed, middle, of_view
from pbem.reports.mail.sitrep_mail import story
from pbem.reports.map.drawing import Chart, ties
from pbem.reports.map.picture import map_words
from pbem.reports.view import statistics
from pbem.reports.view.build import _harm
from pbem.reports.view.model import TractorHold, UnitStatus
from pbem.reports.view.reader_log import VisibleEvent
from pbem.reports.view.replay import bearings
from pbem.reports.view.statistics import _signed
from pbem.reports.view.tables import type_of
from pbem.rules.direct_fire import AimedShot, volley
from pbem.rules.hexes import FACINGS, neighbour
from tests.engine.situations import asked
from tests.engine.world import rich


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


@pytest.mark.parametrize("many", range(7))
def test_ships_are_told_by_name_as_long_as_they_are_few(many: int) -> None:
    state = rich()
    con = state.units["Con"]
    assert isinstance(con, Ship)
    ships = {f"S{n}": replace(con, name=f"S{n}", gone="destroyed" if n == 1 else "") for n in range(many)}
    planet = {"Rock": altered(con, name="Rock", immobile=True)}
    said = came_to(replace(state, units={**ships, **planet}))
    if many > 4:
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


@pytest.mark.parametrize(("many", "told"), [
    (0, "nothing is on it"), (1, "S00"), (11, "S10"), (12, "S11"), (13, "S11 1 more unit"), (15, "S11 3 more units"),
])  # fmt: skip
def test_a_map_in_words_names_a_dozen_units_and_counts_the_rest(many: int, told: str) -> None:
    units = [
        UnitStatus(name=f"S{n:02}", side="", seeker=False, type="", hex="0101", facing="A", speed=0)
        for n in range(many)
    ]
    gone = UnitStatus(name="Gone", side="", seeker=False, type="", hex="0101", facing="A", speed=0, gone="destroyed")
    view: Any = SimpleNamespace(units=[*reversed(units), gone], asteroids=(), turn=1, impulse=2)
    said = map_words(view).removeprefix("Map at turn 1, impulse 2: ").removesuffix(".").split("; ")
    named = [part.partition(" in ")[0] for part in said]
    assert named[: min(many, 12)] == [f"S{n:02}" for n in range(min(many, 12))]
    assert " ".join(named[max(0, min(many, 12) - 1) :]) == told


@pytest.mark.parametrize(("kind", "charge", "ammo", "said"), [
    ("drone_rack", "", 0, "0 drones"), ("drone_rack", "", 1, "1 drone"), ("drone_rack", "", 2, "2 drones"),
    ("disruptor", "", 0, ""), ("disruptor", "powered", 0, "ready"), ("photon", "", 0, ""),
    ("photon", "arming", 0, "arming"), ("photon", "armed", 0, "armed"), ("plasmaF", "rolling", 0, "rolling delay"),
    ("ph1", "", 0, ""), ("ph1", "powered", 0, ""), ("esg", "armed", 0, ""),
])  # fmt: skip
def test_the_form_says_of_every_weapon_how_it_stands(kind: str, charge: str, ammo: int, said: str) -> None:
    box = Weapon(kind=kind, charge=WeaponState(charge), ammo=ammo)
    assert weapons._state(box, direct=kind != "drone_rack") == said


@pytest.mark.parametrize("volley", [True, False])
def test_where_the_points_of_a_volley_went_is_told_whole(volley: bool) -> None:
    """Each part of it in a figure of its own; the points of what has no volley, a mutiny's say, are their sum."""
    told = [ev.Volley(turn=2, impulse=3, unit="Con", shield=4, points=99, sources=("PH 1", "PH 2"))] if volley else []
    shot = ev.Damaged(
        turn=2, impulse=3, unit="Con", shield=4, general=1, specific=20, boxes=300, internals=4000, left=7
    )
    scored = enumerate([("Con", "hull"), ("Des", "lab"), ("Con", "bridge")], start=1)
    boxes = [
        ev.InternalHit(turn=2, impulse=3, unit=name, number=number, box=box, category="hull")
        for number, (name, box) in scored
    ]
    (found,) = _harm(
        [VisibleEvent(n=n, event=event, private="", fresh=True) for n, event in enumerate([*told, shot, *boxes])]
    )
    assert (found.turn, found.impulse, found.unit, found.shield, found.left, found.fresh) == (2, 3, "Con", 4, 7, True)
    assert (found.reinforcement, found.boxes, found.internals) == (21, 300, 4000)
    assert found.points == (99 if volley else 4321) and found.sources == (("PH 1", "PH 2") if volley else ())
    assert found.scored == ("hull", "bridge")


@pytest.mark.parametrize("owner", ["federation", "klingon", "robot"])
def test_a_tractor_link_has_the_colour_of_who_holds(owner: str) -> None:
    """Whoever plays for no side has the first; units out of play are at no end of a line."""
    places = (("A", owner, "0101", ""), ("B", "x", "0203", ""), ("C", owner, "0101", "destroyed"))
    units = [
        UnitStatus(name=name, side=side, seeker=False, type="", hex=hex, facing="A", speed=0, gone=gone)
        for name, side, hex, gone in places
    ]
    holds = [TractorHold(unit=unit, beam="A", target=target, since="1.4") for unit, target in ("AB", "AC", "CB", "AX")]
    (tie,) = ties(holds, units, {"federation": 0, "klingon": 1}, lambda name, hex: (int(hex[:2]), int(hex[2:])))
    assert (tie.x1, tie.y1, tie.x2, tie.y2, tie.place) == (1, 1, 2, 3, int(owner == "klingon"))
    assert tie.words == "A holds B with tractor beam A since 1.4"


# --- the order form --------------------------------------------------------------------------------------------------


def bare_chart(*part: str) -> Chart:
    """A chart with nothing on it, of a part of the map or of all of it."""
    nothing: Any = ()
    first, last = part or ("", "")
    return Chart(10, 10, "", "", nothing, nothing, nothing, nothing, nothing, nothing, part=(first, last))


@pytest.mark.parametrize(("part", "drawn"), [((), [1, 1]), (("0508", "1217"), [5, 8])])
def test_the_form_knows_where_its_drawing_begins(part: tuple[str, ...], drawn: list[int]) -> None:
    """Of a large map a part is drawn: clicks are counted from its first hex."""
    assert form_map.geometry(rich(), bare_chart(*part))["drawn"] == drawn


RAID = """
side = "klingon"
scenario = "3"
players = ["convoy", "klingon"]
options = { autobreaks = [], reveal = "none" }
"""
UNDER_WAY = """
[[turn]]
orders.convoy = "SHIP \\"Freighter A\\"\\nPLOT F"
orders.klingon = "SHIP Destruction\\nSPEED 2%s"
"""


@pytest.mark.parametrize(("head", "turn", "impulse", "continues"), [
    (RAID, 1, 0, False), (RAID + UNDER_WAY % "", 2, 0, False),
    (RAID + UNDER_WAY % "\\nBREAK\\n  IMPULSE 3", 1, 3, True),
])  # fmt: skip
def test_orders_may_go_on_within_a_turn_alone(head: str, turn: int, impulse: int, continues: bool) -> None:
    """CONTINUE answers a break; as a turn begins everybody says anew what he wants, though there were orders before."""
    found = asked(head)
    request = found.state.request
    assert request is not None and (request.turn, request.impulse) == (turn, impulse)
    data = form_data(found.state, found.setting, found.side, bare_chart(), "")
    assert data.request.continues is continues


# --- odds ------------------------------------------------------------------------------------------------------------


def test_without_reinforcement_the_shield_stands_alone() -> None:
    found = volley([AimedShot(kind="photon", range=2, effective=2)] * 2)
    assert statistics.odds_lines(found, 9) == statistics.odds_lines(found, 9, 0, 0)
    assert (
        statistics.odds_lines(found, 9) != statistics.odds_lines(found, 9, 1) == statistics.odds_lines(found, 9, 0, 1)
    )
