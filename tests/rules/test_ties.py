"""What decides between equals is asked in one place (pbem/rules/ties.py): who likes the other gets the other."""

from __future__ import annotations

import pytest

from pbem.rules import drones, movement, seeking, shields, ties
from pbem.rules.hexes import FACINGS, within

HERE = "1010"
AROUND = [hex for hex in within(HERE, 4, ("0101", "2020")) if hex != HERE]
JUNCTIONS = [hex for hex in AROUND if len(shields.faced_shields(HERE, "A", hex)) == 2]
"""Hexes that lie exactly between two directions: two facings, and two shields, are as good."""


def test_who_likes_right_better_goes_right_where_both_ways_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    facing = {hex: drones.default_facing(HERE, hex) for hex in AROUND}
    step = {hex: seeking.default_step(HERE, "D", 1, hex)[0] for hex in AROUND}
    monkeypatch.setattr(ties, "of_codes", lambda code: (*reversed(movement.CODES),).index(code) if code != "F" else -1)
    differ = [hex for hex in AROUND if drones.default_facing(HERE, hex) != facing[hex]]
    assert len(JUNCTIONS) == 12 and differ == JUNCTIONS
    for hex in differ:
        assert (FACINGS.index(facing[hex]) + 1) % 6 == FACINGS.index(drones.default_facing(HERE, hex))
    turned = {hex: seeking.default_step(HERE, "D", 1, hex)[0] for hex in AROUND}
    astern = [f"10{row:02}" for row in range(6, 10)]
    assert {hex: (step[hex], turned[hex]) for hex in AROUND if step[hex] != turned[hex]} == dict.fromkeys(
        astern, ("L", "R")
    )


def test_a_weapon_from_between_two_shields_strikes_the_one_that_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(shields.approach_shield("A", HERE, hex) == min(shields.faced_shields(HERE, "A", hex)) for hex in AROUND)
    monkeypatch.setattr(ties, "of_shields", lambda number: -number)
    assert all(shields.approach_shield("A", HERE, hex) == max(shields.faced_shields(HERE, "A", hex)) for hex in AROUND)
