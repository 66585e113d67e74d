"""ARMED in a condition: whether a weapon of mine could fire, as far as its energy goes."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.engine.conditions import kinds
from pbem.engine.on_file import altered
from pbem.engine.state import Ship
from tests.engine.world import rich

NOW = rich().moment


@pytest.mark.parametrize(("name", "box", "capacitor", "armed"), [
    ("PH 1", {}, 0.5, False), ("PH 1", {}, 1.0, True), ("PH 1", {}, 1.5, True),
    ("PH 1", {"working": False}, 7.0, False), ("PH 1", {"kind": "ph3"}, 0.0, False),
    ("PH 1", {"kind": "ph3"}, 0.5, True), ("PH 1", {"kind": "phG", "fired": NOW, "shots": 3}, 0.0, True),
    ("PH 1", {"kind": "phG", "fired": NOW, "shots": 4}, 0.0, False), ("PH 1", {"fired": NOW, "shots": 1}, 0.0, False),
    ("PHOT A", {}, 0.0, True), ("PHOT B", {}, 7.0, False), ("PHOT A", {"working": False}, 7.0, False),
    ("PHOT Z", {}, 7.0, False),
    ("PHOT A", {"kind": "plasmaS", "working": False, "destroyed": NOW - 4}, 0.0, True),
    ("PHOT A", {"kind": "plasmaS", "working": False, "destroyed": NOW - 5}, 0.0, False),
    ("PHOT A", {"kind": "drone_rack", "ammo": 0}, 7.0, False), ("PHOT A", {"kind": "drone_rack", "ammo": 1}, 0.0, True),
])  # fmt: skip
def test_what_could_fire(name: str, box: dict[str, Any], capacitor: float, armed: bool) -> None:
    con = rich().units["Con"]
    assert isinstance(con, Ship)
    weapons = {**con.weapons, **({name: replace(con.weapons[name], **box)} if box else {})}
    assert kinds._armed(altered(con, weapons=weapons, capacitor=capacitor), name, rich()) is armed
