"""Internal damage: the Cadet chart, the owner's choices, scenario #4, destruction (D4.0 to D4.4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.rules import internal_damage


class Box(NamedTuple):
    kind: str
    working: bool = True
    charge: str = ""
    ammo: int = 0
    fired: int | None = None


class Choice(NamedTuple):
    category: str
    items: tuple[str, ...]
    place: str = "FIRST"


def ssd(key: str) -> tuple[dict[str, int], dict[str, Box]]:
    kind = ship_class(key)
    return dict(kind.boxes), {spec.name: Box(spec.kind, ammo=spec.ammo) for spec in kind.weapons}


D6 = ssd("kli_cadet_d6")
FED = ssd("fed_cadet_ca")


def volley(
    dice: Iterable[int],
    boxes: Mapping[str, int],
    weapons: Mapping[str, internal_damage.HittableWeapon],
    choices: Sequence[internal_damage.OwnerChoice] = (),
    chart: str = "printed",
) -> list[internal_damage.Hit]:
    """Point by point, as in play: each box is gone before the next die, and nothing follows the end of the ship."""
    left, working, hits = dict(boxes), dict(weapons), list[internal_damage.Hit]()
    for die in dice:
        hits.append(internal_damage.cadet_box(die, left, working, choices, chart))
        if hits[-1].destroys_ship:
            break
        internal_damage.strike_out(hits[-1].box, left, working)
    return hits


@pytest.mark.parametrize(
    ("die", "categories"),
    [
        (1, ["hull", "engine", "other", "weapon", "excess"]),
        (2, ["hull", "other", "weapon", "engine", "excess"]),
        (3, ["engine", "hull", "other", "weapon", "excess"]),
        (4, ["other", "engine", "weapon", "hull", "excess"]),
        (5, ["weapon", "hull", "other", "engine", "excess"]),
        (6, ["other", "weapon", "engine", "hull", "excess"]),
    ],
)
def test_a_point_goes_right_until_a_category_has_boxes(die: int, categories: list[str]) -> None:
    boxes, weapons = {"hull": 1, "warp left": 1, "lab": 1, "excess": 1}, {"PH 1": Box("ph1")}
    takes = {"hull": "hull", "engine": "warp left", "other": "lab", "weapon": "PH 1", "excess": "excess"}
    hits = volley([die] * 6, boxes, weapons)
    assert [hit.category for hit in hits] == [*categories, "excess"]
    assert [hit.column for hit in hits] == ["A", "B", "C", "D", "E", "E"]
    assert [hit.box for hit in hits] == [*(takes[category] for category in categories), ""]
    assert hits[-1].destroys_ship


def test_bridge_and_security_are_never_hit_on_the_printed_chart_and_last_on_the_module_s() -> None:
    boxes = {"bridge": 1, "security": 1, "excess": 1}
    assert [hit.box for hit in volley([1, 1], boxes, {})] == ["excess", ""]
    hits = volley([1, 1, 1, 1], boxes, {}, chart="module")
    assert [(hit.box, hit.column) for hit in hits] == [("security", "F"), ("bridge", "F"), ("excess", "G"), ("", "G")]


@pytest.mark.parametrize("chart", ["printed", "module"])
def test_a_ship_takes_as_many_points_as_it_has_boxes_and_one_more(chart: str) -> None:
    boxes, weapons = FED
    spared = {"bridge", "security"} if chart == "printed" else set()
    total = sum(count for box, count in boxes.items() if box not in spared) + len(weapons)
    hits = volley([die for _ in range(30) for die in (1, 2, 3, 4, 5, 6)], boxes, weapons, chart=chart)
    assert hits[-1].destroys_ship
    assert len(hits) == total + 1


@given(st.lists(st.integers(1, 6), max_size=60), st.sampled_from(["printed", "module"]))
def test_no_box_is_destroyed_twice(dice: list[int], chart: str) -> None:
    boxes, weapons = D6
    hits = [hit.box for hit in volley(dice, boxes, weapons, chart=chart) if hit.box]
    for box in set(hits):
        assert hits.count(box) <= (1 if box in weapons else boxes[box])


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6))
def test_the_chart_names_each_category_once_a_row(a: int, b: int, c: int) -> None:
    for dac in (charts.cadet_dac().printed, charts.cadet_dac().module):
        assert sorted(dac.rows[a - 1]) == sorted(dac.rows[b - 1]) == sorted(dac.rows[c - 1])


def test_the_owner_chooses_within_the_category() -> None:
    boxes, weapons = D6
    choices = [Choice("WEAPON", ("PH 4", "DRONE 1")), Choice("ENGINE", ("IMPULSE",))]
    assert internal_damage.cadet_box(5, boxes, weapons, choices).box == "PH 4"
    left = {name: box for name, box in weapons.items() if name != "PH 4"}
    assert internal_damage.cadet_box(5, boxes, left, choices).box == "DRONE 1"
    assert internal_damage.cadet_box(3, boxes, weapons, choices).box == "impulse"
    assert internal_damage.cadet_box(3, boxes, weapons, [Choice("ENGINE", ("WARP RIGHT",))]).box == "warp right"
    assert internal_damage.cadet_box(3, boxes, weapons, [Choice("ANY", ("IMPULSE",))]).box == "impulse"


def test_what_the_owner_wants_spared_goes_last() -> None:
    boxes = {"excess": 9}
    weapons = {"PH 1": Box("ph1"), "PH 2": Box("ph1"), "PHOT A": Box("photon")}
    hits = volley([5, 5, 5], boxes, weapons, [Choice("WEAPON", ("PH 2", "PHOT A"), "LAST")])
    assert [hit.box for hit in hits] == ["PH 1", "PH 2", "PHOT A"]


def test_a_choice_never_moves_a_hit_to_another_category() -> None:
    boxes, weapons = D6
    assert (
        internal_damage.cadet_box(1, boxes, weapons, [Choice("WEAPON", ("PH 1",)), Choice("ANY", ("LAB",))]).box
        == "hull"
    )


def test_the_default_takes_the_least_useful_weapon() -> None:
    weapons = {
        "DRONE 1": Box("drone_rack", ammo=3),
        "DRONE 2": Box("drone_rack"),
        "PH 1": Box("ph1"),
        "PH 2": Box("ph1", fired=5),
        "PH 3": Box("ph3"),
        "PH 4": Box("ph1", working=False),
        "PHOT A": Box("photon", charge="armed"),
        "PHOT B": Box("photon"),
    }
    order = []
    while any(box.working for box in weapons.values()):
        hit = internal_damage.cadet_box(5, {}, weapons, since=1)
        order.append(hit.box)
        del weapons[hit.box]
    assert order == ["DRONE 2", "PH 2", "PHOT B", "PH 3", "PH 1", "DRONE 1", "PHOT A"]


def test_engines_are_lost_evenly_and_impulse_last() -> None:
    boxes = {"warp left": 2, "warp right": 2, "impulse": 1, "excess": 1}
    hits = volley([3] * 5, boxes, {})
    assert [hit.box for hit in hits] == ["warp left", "warp right", "warp left", "warp right", "impulse"]


def test_the_default_choice_is_told_as_the_order_that_makes_it() -> None:
    boxes, weapons = FED
    hit = internal_damage.cadet_box(4, boxes, weapons)
    assert (hit.box, hit.choice) == ("lab", "OTHER LAB FIRST")
    category, item, place = hit.choice.split()
    assert internal_damage.cadet_box(4, boxes, weapons, [Choice(category, (item,), place)]) == hit._replace(choice="")
    assert internal_damage.cadet_box(1, boxes, weapons).choice == ""  # only one kind of hull box: nothing to choose


# --- scenario #4 ------------------------------------------------------------------------------------------


def test_without_the_chart_the_first_point_is_a_weapon_and_the_second_a_warp_engine() -> None:
    boxes, weapons = FED
    hits = internal_damage.scenario_4_boxes(4, boxes, weapons, [Choice("WEAPON", ("PH 2",)), Choice("ANY", ("LAB",))])
    assert [hit.category for hit in hits] == ["weapon", "engine", "any", "any"]
    assert hits[0].box == "PH 2"
    assert hits[1].box.startswith("warp")
    assert [hits[2].box, hits[3].box] == ["lab", "excess"]


def test_a_volley_of_one_point_takes_a_weapon_while_there_is_one() -> None:
    assert internal_damage.scenario_4_boxes(1, {"warp left": 1, "hull": 1}, {"PH 1": Box("ph1")})[0].box == "PH 1"
    assert internal_damage.scenario_4_boxes(1, {"warp left": 1, "hull": 1}, {})[0].box == "hull"


@pytest.mark.parametrize("robot", [False, True])
def test_the_bridge_is_safe_and_one_point_more_destroys_the_ship(robot: bool) -> None:
    boxes, weapons = D6
    total = sum(count for box, count in boxes.items() if box != "bridge") + len(weapons)
    hits = internal_damage.scenario_4_boxes(total, boxes, weapons, robot=robot)
    assert len(hits) == total
    assert "bridge" not in {hit.box for hit in hits}
    assert not hits[-1].destroys_ship
    assert internal_damage.scenario_4_boxes(total + 5, boxes, weapons, robot=robot)[-1].destroys_ship


def test_a_robot_keeps_engines_and_weapons_while_it_has_other_boxes() -> None:
    boxes, weapons = D6
    other = sum(count for box, count in boxes.items() if box != "bridge" and not box.startswith("warp"))
    hits = internal_damage.scenario_4_boxes(other + 4, boxes, weapons, robot=True)
    extra = [hit.box for hit in hits[2:]]
    assert not any(box.startswith("warp") or box in weapons for box in extra[:other])
    assert all(box.startswith("warp") for box in extra[other:])


def test_a_damage_track_tells_each_step_once() -> None:
    steps = ship_class("cadet_freighter").thresholds
    assert internal_damage.track_effects(0, 4, steps) == ()
    assert internal_damage.track_effects(4, 1, steps) == ("phasers destroyed",)
    assert internal_damage.track_effects(4, 11, steps) == ("phasers destroyed", "speed 3", "speed 2")
    assert internal_damage.track_effects(15, 9, steps) == ("destroyed",)


def test_a_freighter_keeps_the_slowest_speed_its_track_says() -> None:
    track = ship_class("cadet_freighter").thresholds
    assert [internal_damage.track_speed(internals, track) for internals in (0, 9, 10, 14, 15, 19)] == [
        None,
        None,
        3,
        3,
        2,
        2,
    ]


# --- the default procedure --------------------------------------------------------------------------------------------

LADDER: list[list[tuple[str, Box]]] = [
    [("an empty rack", Box("drone_rack", ammo=0)), ("an empty rack that fired", Box("drone_rack", ammo=0, fired=33))],
    [("a phaser-3 that fired", Box("ph3", fired=33))],
    [("a phaser-2 that fired", Box("ph2", fired=40))],
    [("a phaser-1 that fired in impulse 1", Box("ph1", fired=33))],
    [("a tube without energy", Box("photon")), ("one emptied last turn", Box("disruptor", fired=32))],
    [("a phaser-3", Box("ph3"))],
    [("a phaser-2 that fired last turn", Box("ph2", fired=32)), ("a phaser-2", Box("ph2", fired=1))],
    [("a phaser-1", Box("ph1"))],
    [("a rack with its last drone", Box("drone_rack", ammo=1)), ("a full rack", Box("drone_rack", ammo=4, fired=32))],
    [("a tube with energy", Box("photon", charge="arming")), ("a loaded one", Box("disruptor", charge="powered"))],
]
"""What an owner misses least comes first, as the module's page says; the turn began with moment 33."""


def test_the_default_procedure_takes_what_its_owner_misses_least() -> None:
    rungs = [(rung, name, box) for rung, each in enumerate(LADDER) for name, box in each]
    for rung, name, box in rungs:
        for other, second, other_box in rungs:
            weapons = {"PH 2": box, "PH 1": other_box}
            first, _ = internal_damage.candidates("weapon", internal_damage.BoxesLeft({}, weapons, 33))
            assert first == ("PH 2" if rung < other else "PH 1"), f"{name} and {second}"


def test_of_equals_the_lowest_number_goes_first() -> None:
    weapons = {f"PH {number}": Box("ph1") for number in (11, 2, 10, 1)}
    assert internal_damage.candidates("weapon", internal_damage.BoxesLeft({}, weapons)) == [
        "PH 1",
        "PH 2",
        "PH 10",
        "PH 11",
    ]
    lettered = {f"PHOT {letter}": Box("photon") for letter in "DBCA"}
    assert internal_damage.candidates("weapon", internal_damage.BoxesLeft({}, lettered)) == [
        "PHOT A",
        "PHOT B",
        "PHOT C",
        "PHOT D",
    ]


def test_the_warp_engine_with_more_boxes_goes_first_and_the_left_one_of_equals() -> None:
    for left in range(4):
        for right in range(4):
            boxes = {"impulse": 1, "warp right": right, "warp left": left}
            more = ["warp left", "warp right"] if left >= right else ["warp right", "warp left"]
            wanted = [*(box for box in more if boxes[box]), "impulse"]
            assert internal_damage.candidates("engine", internal_damage.BoxesLeft(boxes, {})) == wanted


def test_how_a_choice_may_name_a_box() -> None:
    named = {
        "PH 4": {"PH 4"},
        "4 PH": {"PH 4"},
        "ph": {"PH 4", "PH 10"},
        "ALL PH": {"PH 4", "PH 10"},
        "HEAVY": {"PHOT A", "DISR B", "PLAS C"},
        "all heavy": {"PHOT A", "DISR B", "PLAS C"},
        "left warp": {"warp left"},
        "WARP": {"warp left", "warp right"},
        "ALL WARP": {"warp left", "warp right"},
        "left": set(),
        "all": set(),
        "DRONE": {"DRONE 1"},
        "LAB": {"lab"},
    }
    boxes = ["PH 4", "PH 10", "PHOT A", "DISR B", "PLAS C", "DRONE 1", "warp left", "warp right", "lab"]
    assert {item: {box for box in boxes if internal_damage.names_box(item, box)} for item in named} == named
