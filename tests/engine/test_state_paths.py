"""Every state path that docs/cases.md names: what is set is what is seen, and nothing else changes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from pbem.engine import rulings
from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.engine.state_paths import (
    NoPath,
    moment_of,
    moment_text,
    paths_for,
    paths_of,
    put_drone,
    put_other,
    put_ship,
    read_path,
)
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for

SHIPS = {
    "Con": "std_fed_ca_cth",
    "Des": "std_kli_d7",
    "Kestrel": "std_rom_kr",
    "Gorn": "std_gorn_ca",
    "Cad": "fed_cadet_ca",
    "Hood": "rom_cadet_ca",
}
OTHERS: dict[str, dict[str, Any]] = {
    "KD/1": {"ship": "drone", "side": "Des", "at": "1212B", "target": "Con", "launcher": "Des"},
    "GP/1": {"ship": "plasma", "side": "Gorn", "at": "1213B", "target": "Con", "launcher": "Gorn"},
    "FS/1": {"ship": "shuttle", "side": "Con", "at": "1214B", "launcher": "Con"},
    "Moon": {"ship": "planet", "at": "2010"},
    "Eater": {"ship": "monster", "at": "2020A", "monster": "planet_killer", "target": "Moon"},
}


@cache
def world() -> State:
    units: list[dict[str, Any]] = [
        {"side": name, "ship": key, "name": name, "at": f"{number:02}01D"}
        for number, (name, key) in enumerate(SHIPS.items(), start=1)
    ]
    units += [{"name": name, **facts} for name, facts in OTHERS.items()]
    head = {"rule": "B2.0", "title": "t", "source": "s", "level": "standard", "impulses": 32, "map": ["0101", "3030"]}
    case = msgspec.convert({**head, "unit": units, "options": {"capacitor": "full"}}, Case)
    return opening(case, scenario_for(case))


def ship(name: str) -> Ship:
    found = world().units[name]
    assert isinstance(found, Ship)
    return found


def weapon_values(unit: Ship, name: str) -> Iterator[tuple[str, Any]]:
    kind = unit.weapons[name].kind
    yield name, "destroyed"
    if kind == "drone_rack":
        yield from ((name, many) for many in (0, 1, 3))
    if kind == "photon" or kind.startswith("plasma"):
        yield from ((name, word) for word in ("arming", "armed"))
    yield f"fired {name}", "1.1"
    yield f"fired {name}", "3.32"


def settable(unit: Ship) -> Iterator[tuple[str, Any]]:
    """Paths of a ship with values that it can have at the start of a case."""
    for path in ("since turn", "since slip", "speed", "parties", "taken", "passengers"):
        yield from ((path, many) for many in (0, 1, 7))
    yield from (("batteries", many) for many in (0, 1, 0.5, 1.25))
    yield from (("capacitor", points) for points in (0, 0.5, 2))
    for number, boxes in enumerate(unit.shields, start=1):
        yield from ((f"shield {number}", left) for left in {0, 1, boxes})
    for system, boxes in unit.boxes.items():
        yield from ((system, left) for left in {0, boxes - 1, boxes})
    for weapon in unit.weapons:
        yield from weapon_values(unit, weapon)
    yield from (("boarders klingon", many) for many in (0, 1, 5))
    yield from ((f"lowered {name}", "1.7") for name in ("general", *(f"#{number}" for number in range(1, 7))))
    yield from (("bay used", text) for text in ("1.1", "1.32", "2.1"))
    yield from (("captured from", text) for text in ("klingon", ""))
    yield from (("mutiny", word) for word in ("", "put down", "staged"))
    for letter in unit.hangar:
        yield from ((f"suicide {letter}", word) for word in ("arming", "armed", "unusable"))
    for letter in unit.power.probes:
        yield from ((f"probe {letter}", word) for word in ("arming", "armed", "arming weapon", "armed weapon", 0, 3))


def seen(unit: AnyUnit) -> dict[str, Any]:
    """What all paths of a unit show."""
    state = msgspec.structs.replace(world(), units={**world().units, unit.name: unit})
    if isinstance(unit, Ship):
        paths = [
            path for path in paths_for("ship") if path not in ("shield 1", "warp left", "PH 1", "fired PH 1", "probe A")
        ]
        paths = [path for path in paths if not path.startswith("suicide")]
        paths += [*(f"shield {number}" for number in range(1, 7)), *unit.boxes, *unit.weapons]
        paths += [f"fired {name}" for name in unit.weapons]
        paths += [f"suicide {letter}" for letter in unit.hangar] + [f"probe {letter}" for letter in unit.power.probes]
    elif isinstance(unit, Seeker):
        paths = list(paths_for("drone"))
    else:
        paths = paths_of(unit)
    return {path: read_path(state, unit, path) for path in paths}


ALSO = {
    "battery": {"batteries"},
    "cloak": {"cloak"},
    "lowered": {"lowered", "lowered #3"},
}
"""What else may be seen to change, by the path or its first word."""


@pytest.mark.parametrize("name", SHIPS)
def test_what_is_set_of_a_ship_is_seen_and_nothing_else(name: str) -> None:
    unit = ship(name)
    before = seen(unit)
    for path, value in settable(unit):
        after = put_ship(unit, path, value, 32)
        state = msgspec.structs.replace(world(), units={**world().units, name: after})
        assert read_path(state, after, path, value) == value, path
        changed = {each for each, now in seen(after).items() if now != before[each]}
        assert changed <= {path} | ALSO.get(path.partition(" ")[0], set()), f"{path} {value}"


def test_charged_batteries_are_never_more_than_the_boxes_left() -> None:
    for name in SHIPS:
        unit = ship(name)
        boxes = unit.boxes["battery"]
        for charged in range(boxes + 1):
            for left in range(boxes + 1):
                now = put_ship(put_ship(unit, "batteries", charged, 32), "battery", left, 32)
                assert (now.boxes["battery"], now.power.batteries) == (left, min(left, charged))


def test_a_torpedo_set_armed_counts_its_turns() -> None:
    """Two of a photon (E4.21), three of a plasma torpedo (FP1.21); one while it is arming."""
    turns = {("Con", "PHOT A"): 2, ("Gorn", "PLAS A"): 3}
    for (name, tube), many in turns.items():
        assert put_ship(ship(name), tube, "armed", 32).weapons[tube].armed_turns == many
        assert put_ship(ship(name), tube, "arming", 32).weapons[tube].armed_turns == 1
    broken = put_ship(ship("Con"), "PHOT A", "destroyed", 32).weapons["PHOT A"]
    assert (broken.working, broken.charge, broken.ammo) == (False, "", 0)
    rack = put_ship(ship("Des"), "DRONE 1", "destroyed", 32).weapons["DRONE 1"]
    assert (rack.working, rack.ammo) == (False, 0)


def test_a_bomb_is_set_by_its_energy_turn_by_turn() -> None:
    """Three turns arm it, none of them with less than the least (J2.221)."""
    unit = ship("Con")

    def bomb(value: Any) -> tuple[tuple[int, ...], str]:
        made = put_ship(unit, "suicide A", value, 32).power.bombs["A"]
        return made.energy, made.state

    assert bomb("3") == bomb("3 ") == ((3,), "arming") and bomb("3 2") == ((3, 2), "arming")
    assert bomb("3 2 1") == ((3, 2, 1), "armed") and bomb(2) == ((2,), "arming")
    assert bomb("armed") == ((1, 1, 1), "armed") and bomb("arming") == ((1,), "arming")
    assert bomb("unusable") == ((), "unusable")
    for wrong in ("3 3 3 3", "", "loaded"):
        with pytest.raises(NoPath, match="armed, arming, unusable or energy turn by turn"):
            bomb(wrong)


def test_a_probe_armed_counts_the_turns_it_takes() -> None:
    unit = ship("Con")
    found = {
        word: put_ship(unit, "probe A", word, 32).power.probes["A"]
        for word in ("arming", "armed", "arming weapon", "armed weapon")
    }
    assert {word: (box.purpose, box.turns) for word, box in found.items()} == {
        "arming": ("information", 1),
        "armed": ("information", 2),
        "arming weapon": ("weapon", 1),
        "armed weapon": ("weapon", 2),
    }
    assert all(box.left == unit.power.probes["A"].left for box in found.values())


def test_a_ship_under_cloak_is_so_long_enough_for_all_of_it() -> None:
    """A standard ship is set down fully faded out, a Cadet ship cloaked for the turn (G13.0, G13.1)."""
    standard, cadet = put_ship(ship("Kestrel"), "cloak", "cloaked", 32), put_ship(ship("Hood"), "cloak", "cloaked", 32)
    assert (standard.cloaking.state, standard.cloaking.since, cadet.cloaking.state, cadet.cloaking.since) == (
        "cloaking",
        -4,
        "cloaked",
        0,
    )
    assert put_ship(standard, "cloak", "", 32).cloaking.state == ""
    with pytest.raises(NoPath, match="no cloaking device"):
        put_ship(ship("Con"), "cloak", "cloaked", 32)


def test_letters_of_a_hangar_are_sorted_and_stand_there_once() -> None:
    for text in ("BA", "a, b", "AAB", "B A"):
        assert put_ship(ship("Con"), "hangar", text, 32).hangar == ("A", "B")
    assert put_ship(ship("Con"), "hangar", "", 32).hangar == ()
    with pytest.raises(NoPath, match="letters like AB"):
        put_ship(ship("Con"), "hangar", "A1", 32)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("speed", -1),
        ("speed", True),
        ("speed", 1.5),
        ("speed", "3"),
        ("shield 1", 31),
        ("shield 7", 1),
        ("shield 0", 1),
        ("warp left", 16),
        ("warp center", 1),
        ("batteries", -0.5),
        ("batteries", True),
        ("capacitor", True),
        ("capacitor", "2"),
        ("PH 1", "armed"),
        ("PHOT A", 1),
        ("DRONE 1", True),
        ("PH 11", "destroyed"),
        ("fired PH 1", "1.33"),
        ("fired PH 1", "1.0"),
        ("fired PH 1", "x"),
        ("boarders", 1),
        ("lowered #7", "1.1"),
        ("mutiny", "over"),
        ("cloak", "cloaking"),
        ("suicide Z", "armed"),
        ("probe Z", 1),
        ("probe A", "loaded"),
        ("probe A", "armed rocket"),
        ("internals", 1),
        ("since", 1),
    ],
)
def test_what_cannot_be_set_is_refused(path: str, value: Any) -> None:
    with pytest.raises(NoPath):
        put_ship(ship("Con"), path, value, 32)


@pytest.mark.parametrize("name", ["KD/1", "GP/1"])
def test_what_is_set_of_a_seeking_weapon_is_seen_and_nothing_else(name: str) -> None:
    unit = world().units[name]
    assert isinstance(unit, Seeker)
    before = seen(unit)
    numbers = [(path, many) for path in ("damage", "warhead", "travelled", "since turn") for many in (0, 1, 8)]
    for path, value in [*numbers, ("came from", "0909"), ("endurance", "2.4"), ("endurance", "1.32")]:
        after = put_drone(unit, path, value, 32)
        state = msgspec.structs.replace(world(), units={**world().units, name: after})
        assert read_path(state, after, path) == value
        assert {each for each, now in seen(after).items() if now != before[each]} <= {path}
    for path, wrong in [("damage", -1), ("damage", True), ("target", "Con"), ("speed", 8), ("endurance", "4")]:
        with pytest.raises(NoPath):
            put_drone(unit, path, wrong, 32)


OF_OTHERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "FS/1": {
        **dict.fromkeys(("damage", "since turn", "crew", "parties", "bomb", "speed", "prior speed"), (0, 1, 5)),
        "landed": ("Moon", ""),
        "came from": ("0909",),
        "fired": ("1.32", "2.1"),
    },
    "Eater": {
        **dict.fromkeys(("damage", "since turn", "information", "needed", "method", "speed"), (0, 1, 200)),
        "attacked by": ("Con", ""),
    },
    "Moon": {"damage": (0, 200), "crew": (0, 3), "speed": (0,)},
}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_what_is_set_of_a_shuttle_monster_or_planet_is_seen_and_nothing_else(name: str) -> None:
    unit = world().units[name]
    before = seen(unit)
    assert set(OF_OTHERS[name]) <= set(paths_for("small")) | {"prior speed"}
    for path, values in OF_OTHERS[name].items():
        for value in values:
            after = put_other(unit, path, value, 32)
            state = msgspec.structs.replace(world(), units={**world().units, name: after})
            assert read_path(state, after, path) == value
            assert {each for each, now in seen(after).items() if now != before[each]} <= {path}
    for path, wrong in [("damage", -1), ("damage", True), ("damage", "3"), ("gone", "landed"), ("warhead", 3)]:
        with pytest.raises(NoPath):
            put_other(unit, path, wrong, 32)


@pytest.mark.parametrize("impulses", [8, 16, 32])
def test_moments_are_written_by_turn_and_impulse(impulses: int) -> None:
    texts = [f"{turn}.{impulse}" for turn in (1, 2, 7) for impulse in range(1, impulses + 1)]
    moments = [(turn - 1) * impulses + impulse for turn in (1, 2, 7) for impulse in range(1, impulses + 1)]
    assert [moment_of(text, impulses) for text in texts] == moments
    assert [moment_text(moment, impulses) for moment in moments] == texts
    assert moment_text(None, impulses) == ""


STRANGE = ("²", "².3", "1.³", "³ 3", "½", "١.٢", "-1", "1e9", "1.1.1", " ", "x")
"""What somebody may write for a figure; some signs are digits to Python and no numbers."""


@pytest.mark.parametrize("name", ["Con", "Kestrel", "KD/1", "GP/1", "FS/1", "Moon", "Eater"])
def test_a_value_that_is_none_is_refused_and_nothing_worse(name: str) -> None:
    unit = world().units[name]
    paths = {path for path, _ in settable(unit)} if isinstance(unit, Ship) else paths_of(unit)
    refused = 0
    for path in sorted(paths):
        for value in STRANGE:
            try:
                rulings.set_path(world(), name, path, value)
            except NoPath:
                refused += 1
    assert refused > len(paths)
