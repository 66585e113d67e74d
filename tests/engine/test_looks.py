"""Every path of every unit and of the game, looked at in a state in which there is something of everything."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pbem.engine.state import Outcome, Seeker, Ship
from pbem.engine.state_paths import (
    NoPath,
    look_at_game,
    moment_of,
    paths_for,
    paths_of,
    put_ship,
    read_path,
    weapon_name,
)
from tests.engine.world import rich

SEEN: dict[str, dict[str, Any]] = {
    "Con": {
        "at": "1204C", "hex": "1204", "facing": "C", "gone": "", "destroyed": False, "speed": 12, "prior speed": 8,
        "since turn": 3, "since slip": 1, "shield 1": 30, "warp left": 15, "PH 1": "working", "fired PH 1": "1.5",
        "capacitor": 7.0, "batteries": 2.5, "internals": 4, "general": 2, "reinforcement 1": 1, "marks": ["brave"],
        "parties": 6, "boarders klingon": 2, "taken": 1, "side": "federation", "captured from": "", "mutiny": "",
        "passengers": 3, "hangar": ["A", "B", "C", "D"], "bay used": "1.9", "suicide A": "arming",
        "probe A": "arming weapon", "lowered": ["#3", "general"], "lowered #3": "2.3", "holds": ["KD/1", "Des"],
        "holds A": "KD/1", "held by": [], "tractors": ["A", "B"], "transporters": 2, "transported": 1,
        "lock on": False, "cloak": "", "tactical": 1, "unpaid": ["7"], "repairing 1": 0,
    },
    "KD/1": {
        "at": "1205A", "hex": "1205", "facing": "A", "gone": "", "damage": 1, "since turn": 1, "came from": "1206",
        "target": "Con", "launcher": "Des", "speed": 8, "warhead": 12, "travelled": 0, "endurance": "4.3",
    },
    "FS/1": {
        "at": "1306B", "hex": "1306", "facing": "B", "gone": "", "speed": 6, "damage": 2, "since turn": 3, "crew": 2,
        "parties": 1, "landed": "", "came from": "1307", "fired": "1.11", "target": "Des", "bomb": 9,
        "launcher": "Con", "held by": ["Des"],
    },
    "Eater": {
        "at": "2020A", "hex": "2020", "facing": "A", "gone": "", "speed": 6, "damage": 50, "since turn": 2,
        "information": 90, "needed": 100, "method": 0, "goal": "Moon", "attacked by": "Con", "held by": ["Ghost"],
    },
    "Moon": {
        "at": "2512A", "hex": "2512", "facing": "A", "gone": "", "speed": 0, "damage": 7, "crew": 4, "held by": [],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SEEN)
def test_all_that_is_seen_of_a_unit(name: str) -> None:
    unit = rich().units[name]
    paths = (
        paths_for("ship")
        if isinstance(unit, Ship)
        else paths_for("drone")
        if isinstance(unit, Seeker)
        else paths_of(unit)
    )
    assert {path: read_path(rich(), unit, path) for path in paths} == SEEN[name]


@pytest.mark.parametrize(
    ("unit", "path", "wanted", "found"),
    [
        ("Con", "shield 6", None, 24), ("Con", "reinforcement 6", None, 3), ("Con", "repairing 2", None, 2),
        ("Con", "PH 3", None, "destroyed"), ("Con", "PHOT A", None, "armed"), ("Des", "DISR C", None, "unarmed"),
        ("Des", "DISR C", 0, 0), ("Des", "DRONE 1", 3, 3), ("Des", "DRONE 1", None, "working"),
        ("Des", "drone 2", 5, 0), ("Con", "probe A", 1, 4), ("Con", "probe B", None, ""), ("Con", "probe b", 0, 1),
        ("Con", "suicide d", None, "armed"), ("Con", "suicide B", None, ""), ("Con", "holds b", None, "Des"),
        ("Con", "holds C", None, ""), ("Con", "boarders gorn", None, 0), ("Con", "lowered general", None, "2.4"),
        ("Con", "lowered #1", None, ""), ("Con", "fired PH 4", None, ""), ("Con", "fired photon c", None, "1.4"),
        ("Con", "Phaser-1", None, "working"), ("Con", "Left_Warp", None, 15), ("Con", "#3", None, 20),
        ("Des", "batteries", None, 3), ("Des", "held by", None, ["Con", "Gorn"]), ("Des", "holds", None, ["FS/1"]),
        ("Wreck", "destroyed", None, True), ("Wreck", "gone", None, "destroyed"), ("GP/1", "endurance", None, ""),
        ("KS/1", "fired", None, ""), ("KS/1", "landed", None, "Moon"), ("FS/1", "prior speed", None, 5),
        ("Kestrel", "cloak", None, "cloaking"), ("KD/1", "held by", None, ["Con"]), ("Gorn", "boarders gorn", None, 3),
    ],
)  # fmt: skip
def test_what_a_path_shows(unit: str, path: str, wanted: Any, found: Any) -> None:
    assert read_path(rich(), rich().units[unit], path, wanted) == found


@pytest.mark.parametrize(
    ("unit", "path"),
    [
        ("Con", "shield 7"), ("Con", "reinforcement 0"), ("Con", "repairing 7"), ("Con", "suicide E"),
        ("Con", "probe C"), ("Con", "PH 9"), ("Con", "PH"), ("Con", "PH 1 2"), ("Con", "DISR A"), ("Con", "flag"),
        ("Con", "fired"), ("KD/1", "crew"), ("KD/1", "fired"), ("FS/1", "warhead"), ("FS/1", "track"),
        ("FS/1", "launched"), ("Eater", "crew"), ("Moon", "hexes"), ("Moon", "prior speed"), ("Eater", "monster"),
    ],
)  # fmt: skip
def test_what_no_path_shows(unit: str, path: str) -> None:
    with pytest.raises(NoPath):
        read_path(rich(), rich().units[unit], path)


def test_all_that_is_seen_of_a_game() -> None:
    state = rich()
    paths = [path for path in paths_for("game") if not path.startswith("result")]
    assert {path: look_at_game(state, path) for path in paths} == {
        "turn": 2, "impulse": 5, "step": "fire", "over": False, "request": "SOP", "asteroids": ["0707"],
    }  # fmt: skip
    results = (Outcome(side="gorn", result="draw", why=""), Outcome(side="klingon", result="defeat", why=""))
    ended = msgspec.structs.replace(state, request=None, over=True, outcome=results)
    assert [look_at_game(ended, path) for path in ("over", "request")] == [True, ""]
    assert [look_at_game(ended, f"result {side}") for side in ("gorn", "klingon", "romulan")] == ["draw", "defeat", ""]
    with pytest.raises(NoPath, match="'turns' is no path of the game; there are turn, impulse, step, over, request"):
        look_at_game(state, "turns")


def test_weapons_have_names_of_their_kind_and_family() -> None:
    ship, other = rich().units["Con"], rich().units["Des"]
    assert isinstance(ship, Ship) and isinstance(other, Ship)
    spelt = ("PH 1", "ph 1", "PH1 1", "phaser 1", "PHOT B", "photon b", "disr a", "PHOT 1", "PH 10", "PH 1 1", "1", "")
    assert [weapon_name(ship, each) for each in spelt] == [
        "PH 1", "PH 1", "PH 1", "PH 1", "PHOT B", "PHOT B", "", "", "", "", "", "",
    ]  # fmt: skip
    assert [weapon_name(other, each) for each in ("disruptor d", "drone 2", "DRONE_RACK 1", "rack 1")] == [
        "DISR D", "DRONE 2", "DRONE 1", "",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("unit", "path", "value"),
    [
        ("Des", "DISR A", "armed"), ("Des", "DISR A", "powered"), ("Des", "DRONE 1", "armed"), ("Des", "PH 1", 1),
        ("Con", "PHOT A", "rolling"), ("Con", "shield 1", 31), ("Con", "lab", 9), ("Con", "PHOT A", 2),
        ("Con", "speed", -1), ("Con", "marks", "x"), ("Con", "transported", 1), ("Con", "repairing 1", 1),
        ("Con", "tractors", "A"), ("Con", "lock on", True), ("Con", "reinforcement 1", 2), ("Con", "general", 1),
    ],
)  # fmt: skip
def test_what_a_case_does_not_set(unit: str, path: str, value: Any) -> None:
    ship = rich().units[unit]
    assert isinstance(ship, Ship)
    with pytest.raises(NoPath) as told:
        put_ship(ship, path, value, 16)
    assert path.split()[0] in str(told.value) and "did you mean" not in str(told.value)


@pytest.mark.parametrize("text", ["", "1", "1.", ".1", "1.0", "1.17", "a.1", "1.b", "1.-1", "-1.1"])
def test_what_is_no_moment(text: str) -> None:
    with pytest.raises(NoPath, match=r"is no turn and impulse like 1\.15"):
        moment_of(text, 16)
