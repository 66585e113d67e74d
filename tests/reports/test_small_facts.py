"""Small parts of the reports at their edges: what a few words or marks say of any number of things."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.terms import FormKind, WeaponState
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult
from pbem.engine.on_file import altered
from pbem.engine.state import Monster, Position, Ship, Weapon
from pbem.reports.form import geometry as form_map, weapons
from pbem.reports.form.form import _asks, bundle_of, form_data
from pbem.reports.html.site import MapMark, came_to, framed, middle, of_view
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


@pytest.mark.parametrize("grid", ["even", "odd"])
def test_a_mark_points_where_its_ship_would_fly(grid: str) -> None:
    """It is drawn pointing up and then turned, to the middle of the next hex in its direction."""
    units = [
        UnitStatus(name=facing, side="b", seeker=False, type="", hex="1010", facing=facing, speed=0)
        for facing in FACINGS
    ]
    sides = (SimpleNamespace(side="a", place=0), SimpleNamespace(side="b", place=5))
    view: Any = SimpleNamespace(players=sides, units=units, asteroids=(), grid=grid)
    small = of_view(view)
    assert small is not None
    for mark, facing in zip(small.marks, FACINGS, strict=True):
        (x, y), at = middle(neighbour("1010", facing, grid), grid), middle("1010", grid)
        assert abs(math.degrees(math.atan2(x - at[0], at[1] - y)) % 360 - mark.turn) < 0.1, facing
        assert (mark.x, mark.y, mark.place, mark.kind) == (*at, 1, "ship")


def test_a_picture_shows_planets_in_all_their_hexes_and_nothing_that_is_gone() -> None:
    def unit(name: str, **more: Any) -> UnitStatus:
        return UnitStatus(**{"name": name, "side": "", "seeker": False, "type": "", "facing": "A", "speed": 0, **more})

    units = [
        unit("Here", hex="0505", kind="ship"),
        unit("Lost", hex="0606", gone="destroyed"),
        unit("Aboard", hex="", facing=""),
        unit("World", hex="0101", facing="", kind="planet", hexes=("0101", "0102")),
        unit("Beast", hex="0303", kind="monster"),
        unit("Bird", hex="0404", kind="shuttle"),
    ]
    view: Any = SimpleNamespace(players=(), units=units, asteroids=("0909",), grid="even")
    small = of_view(view)
    assert small is not None
    shown = {(mark.x, mark.y): mark.kind for mark in small.marks}
    kinds = {"0909": "rock", "0505": "ship", "0101": "planet", "0102": "planet", "0303": "monster", "0404": "drone"}
    assert shown == {middle(hex): kind for hex, kind in kinds.items()}


@pytest.mark.parametrize("hexes", [("1515",), ("0101", "3001"), ("1210", "1230"), ("4201", "0130", "2015")])
def test_what_a_picture_shows_is_in_its_middle(hexes: tuple[str, ...]) -> None:
    small = framed([MapMark(*middle(hex), 0, 0, "ship") for hex in hexes])
    left, top, wide, high = map(int, small.box.split())
    xs, ys = [mark.x for mark in small.marks], [mark.y for mark in small.marks]
    assert wide in (2 * high, 2 * high + 1)
    for before, after in (
        (min(xs) - left, left + wide - max(xs)), (min(ys) - top, top + high - max(ys))
    ):  # fmt: skip
        assert abs(before - after) <= 1 and before > 90, "a margin of two hexes at least, the same at both ends"


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


@pytest.mark.parametrize(("side", "scenario"), [("federation", "1"), ("convoy", "3"), ("klingon", "3")])
def test_a_speed_is_asked_for_where_the_engine_takes_one(side: str, scenario: str) -> None:
    found = asked(f'side = "{side}"\nscenario = "{scenario}"\nplayers = ["{side}"]\noptions = {{ reveal = "none" }}\n')
    data = form_data(found.state, found.setting, found.side, bare_chart(), "")
    assert data.blocks
    for block in data.blocks:
        assert block.speeds
        for speed in range(block.speeds.top + 1):
            said = found.about(f"{block.head}\nSPEED {speed}")
            taken = isinstance(said, CheckResult) and not said.faults
            assert taken == (block.speeds.fixed is not True or speed == block.speeds.now), speed


WITH_PROBE = """
side = "federation"
level = "standard"
impulses = 32
options = { reveal = "none" }
[[unit]]
side = "monster"
ship = "monster"
monster = "planet_killer"
name = "Killer"
at = "0601D"
state = { speed = 0, method = 4 }
[[unit]]
side = "federation"
ship = "std_fed_ca_cth"
name = "Con"
at = "0604A"
state = { "probe A" = "arming" }
"""


def test_the_form_says_what_pays_for_an_activity() -> None:
    """Each that it names does, and without it the engine refuses the activity with the reason that the form tells."""
    found = asked(WITH_PROBE)
    (block,) = form_data(found.state, found.setting, found.side, bare_chart(), "").blocks
    assert block.energy and block.acts

    def faults(act: str, *entries: str) -> list[str]:
        orders = "\n  ".join([f"{block.head}\nENERGY", *entries])
        said = found.about(f"{orders}\nDO\n  {act}")
        assert isinstance(said, CheckResult)
        return [fault.sentence for fault in said.faults]

    acts = {act.text.split()[0]: act for act in block.acts if act.needs and act.by and not act.it}
    for act in acts.values():
        assert faults(act.text) == [act.needs]
        assert [faults(act.text, f"{field} 1") for field in act.by or ()] == [[]] * len(act.by or ()), act.text
    assert {verb: list(act.by or ()) for verb, act in acts.items()} == {
        "TRACTOR": ["TRACTOR A", "TRACTOR B"],
        "PROBE": ["PROBE A"],
    }
    # A shuttle is launched with a bomb or with a crew (J2.221).
    launch = next(act for act in block.acts if act.text.startswith("LAUNCH SHUTTLE B"))
    assert launch.by == ["SUICIDE B"] and launch.spoiled and not launch.needs
    assert (faults(launch.text), faults(launch.text, "SUICIDE B 1")) == ([], [launch.spoiled])


def test_the_form_says_that_transporters_pay_for_a_transport() -> None:
    found = asked('side = "federation"\nscenario = "9"\noptions = { reveal = "none" }\n')
    (block,) = form_data(found.state, found.setting, found.side, bare_chart(), "").blocks
    acts = [act for act in block.acts or () if "TRANSPORT" in act.text and not act.it]
    assert acts and all(act.by == ["TRANSPORTERS"] and act.needs for act in acts)


def test_a_form_with_one_energy_form_has_the_script_for_it() -> None:
    """A shuttle beside the ship has none."""
    found = asked(WITH_PROBE)
    data = form_data(found.state, found.setting, found.side, bare_chart(), "")
    without = replace(data.blocks[0], energy=None)
    for blocks, script in (
        (data.blocks, "form-full"), ((*data.blocks, without), "form-full"), ((without, without), "form-orders")
    ):  # fmt: skip
        assert bundle_of(_asks(replace(data, blocks=list(blocks))), alone=False) == script
    energy = replace(data, request=replace(data.request, form=FormKind.EAF))
    assert bundle_of(_asks(energy), alone=False) == "form-energy", "where courses are asked for later"


FADING = """
side = "romulan"
players = ["federation", "romulan"]
level = "standard"
impulses = 32
[[unit]]
side = "romulan"
ship = "std_rom_we"
name = "Eagle"
at = "1010A"
[[unit]]
side = "federation"
ship = "std_fed_ca_cth"
name = "Con"
at = "1006D"
[[turn]]
orders.romulan = '''
SHIP Eagle
ENERGY
  CLOAK 6
DO
  AT 2 CLOAK
BREAK
  IMPULSE 3
'''
orders.federation = "SHIP Con\\nENERGY"
"""


def test_a_ship_that_fades_out_is_a_hex_farther_in_each_impulse() -> None:
    """From the announcement on; under the cloak the range is doubled, and 5 hexes more (G13.0)."""
    found = asked(FADING)
    (block,) = form_data(found.state, found.setting, found.side, bare_chart(), "").blocks
    stays, _ = ways = list(block.veils or ())
    assert [way.say for way in ways] == ["stays under its cloak", "fades in at once"]
    assert [list(stretch) for stretch in stays.at] == [[3, 1, 2, 1], [4, 1, 3, 1], [5, 1, 4, 1], [32, 2, 5, 1]]


# --- odds ------------------------------------------------------------------------------------------------------------


def test_without_reinforcement_the_shield_stands_alone() -> None:
    found = volley([AimedShot(kind="photon", range=2, effective=2)] * 2)
    assert statistics.odds_lines(found, 9) == statistics.odds_lines(found, 9, 0, 0)
    assert (
        statistics.odds_lines(found, 9) != statistics.odds_lines(found, 9, 1) == statistics.odds_lines(found, 9, 0, 1)
    )
