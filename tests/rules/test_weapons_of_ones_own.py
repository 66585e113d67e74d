"""Families of weapons with figures that no shipped weapon has: every turn of arming takes another number of points."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.data import charts
from pbem.data.chart_types import WeaponKind
from pbem.data.terms import WeaponState
from pbem.errors import NotAllowed
from pbem.rules import weapons
from pbem.rules.weapons import Family, Tube

NONE, ARMING, ARMED, ROLLING = WeaponState.NONE, WeaponState.ARMING, WeaponState.ARMED, WeaponState.ROLLING


def weapon(monkeypatch: pytest.MonkeyPatch, how: str, **figures: Any) -> Family:
    """A weapon ``LANC A`` of its own kind."""
    kind = WeaponKind(label="LANC", family="plasma", chart="lance", arming="turns", rule="X1", energy_rule="X2")
    own: Any = SimpleNamespace(**{"arming": (), "armed_with": "", "hold": None, "energy": 9, "armed_at_start": False,
                                  **figures})  # fmt: skip
    monkeypatch.setattr(charts, "weapon_kinds", lambda: {"lance": kind})
    monkeypatch.setattr(charts, "hit_table", lambda chart: own)
    monkeypatch.setattr(charts, "plasma", lambda: {"lance": own})
    return weapons._FAMILIES[how]("lance")


def takes(one: Family, charge: WeaponState, turns: int, points: int, *sources: str, verb: str = "") -> str:
    """The state after an entry, or the refusal."""
    tube = Tube(name="LANC A", kind="lance", charge=charge, armed_turns=turns)
    try:
        done = one.arm(tube, Fraction(points), verb, sources)
    except NotAllowed as refused:
        return f"{refused.code}: {refused.text} ({refused.rule})"
    return f"{done.readied.charge} {done.readied.armed_turns} for {done.energy}{' warp' if done.warp_only else ''}"


def test_each_turn_of_arming_takes_what_the_chart_says_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one = weapon(monkeypatch, "turns", arming=(1, 2, 4), hold=3)
    assert one.turns == 3
    assert [takes(one, NONE, 0, 1, "APR"), takes(one, ARMING, 1, 2, "BATTERY", "WARP"), takes(one, ARMING, 2, 4)] == [
        "arming 1 for 1", "arming 2 for 2", "armed 3 for 4",
    ]  # fmt: skip
    for charge, turns, due, wrong in ((NONE, 0, 1, 2), (ARMING, 1, 2, 1), (ARMING, 2, 4, 2), (NONE, 2, 1, 4)):
        said = f"lance-arming: LANC A takes {due} points a turn, not {wrong} (X2)"
        assert takes(one, charge, turns, wrong) == said
    assert [one.hint(charge, turns, 0) for charge, turns in ((NONE, 0), (ARMING, 1), (ARMING, 2), (ARMED, 3))] == [
        ("not armed", "1"), ("arming, two more turns", "2"), ("arming, one more turn", "4"), ("armed", "HOLD"),
    ]  # fmt: skip
    assert one.unready(NONE, 0, new_turn=True) == "is not armed; that takes three turns (X2)"
    assert one.unready(ARMING, 1, new_turn=True) == "is arming, two more turns" and not one.to_finish(ARMING)
    assert [one.unready(ARMING, 2, new_turn=new) for new in (True, False)] == ["", "is arming, one more turn"]
    assert one.ruled("armed") == {"charge": ARMED, "armed_turns": 3}
    assert [one.start_of_turn(fired, 4, 8) for fired in (None, 1, 8, 9, 17, 24)] == [
        (ARMED, 3), (ARMED, 3), (ARMED, 3), (ARMING, 2), (ARMING, 1), (ARMING, 1),
    ]  # fmt: skip
    assert takes(one, ARMED, 3, 3, verb="HOLD") == takes(one, ARMED, 3, 0, verb="HOLD") == "armed 3 for 3"
    assert takes(one, ARMED, 3, 1, verb="HOLD") == "lance-arming: LANC A: holding takes 3 points, not 1 (X2)"


def test_what_is_held_for_nothing_and_armed_with_warp_power_in_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    one = weapon(monkeypatch, "turns", energy=5, armed_with="WARP")
    assert one.turns == 1 and one.hint(NONE, 0, 0) == ("not armed", "5 WARP")
    assert takes(one, NONE, 0, 5, "WARP") == takes(one, NONE, 0, 5) == "armed 1 for 5 warp"
    assert takes(one, NONE, 0, 5, "WARP", "APR") == "lance-not-warp: use warp power: APR power cannot arm LANC A (X2)"
    assert takes(one, ARMED, 1, 0, verb="HOLD") == "armed 1 for 0"
    assert takes(one, ARMED, 1, 1, verb="HOLD") == "lance-arming: LANC A: holding takes 0 points, not 1 (X2)"
    assert one.unready(NONE, 0, new_turn=True) == "is not armed; that takes one turn (X2)"


def test_a_torpedo_may_be_rolled_only_before_its_last_turn_and_with_what_the_turn_before_took(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = weapon(monkeypatch, "rolling", arming=(1, 2, 3, 7), armed_at_start=True)
    assert (one.turns, one.at_set_up()) == (4, (ARMED, 4))
    done = [takes(one, charge, turns, points, "APR") for charge, turns, points in (
        (NONE, 0, 1), (NONE, 3, 1), (ARMING, 1, 2), (ARMING, 2, 3), (ARMING, 3, 7), (ARMING, 3, 3), (ROLLING, 3, 3),
        (ROLLING, 3, 7), (ARMED, 4, 1), (ARMED, 4, 0),
    )]  # fmt: skip
    assert done == [
        "arming 1 for 1", "arming 1 for 1", "arming 2 for 2", "arming 3 for 3", "armed 4 for 7", "rolling 3 for 3",
        "rolling 3 for 3", "armed 4 for 7", "arming 1 for 1", " 0 for 0",
    ]  # fmt: skip
    for charge, turns, due, wrong in ((ARMING, 3, 7, 2), (ARMING, 2, 3, 2), (ARMING, 1, 2, 1), (ARMED, 4, 1, 7)):
        said = f"plasma-arming: LANC A takes {due} points this turn, not {wrong} (FP1.22)"
        assert takes(one, charge, turns, wrong) == said
    assert (one.to_finish(ROLLING), one.to_finish(ARMING), one.to_finish(ARMED)) == (4, None, None)
    states = (NONE, 0), (ARMING, 2), (ARMING, 3), (ROLLING, 3), (ARMED, 4)
    assert [one.ways(*state) for state in states] == [("1",), ("3",), ("7", "3"), ("7", "3"), ("1",)]
    assert one.hint(ARMED, 4, 0) == ("armed, cannot be held", "1")
    assert one.hint(ARMING, 2, 0) == ("arming, 2 more turns", "3")
    assert takes(one, ARMED, 4, 0, verb="HOLD") == "hold-not-armed: LANC A cannot be held (FP2.0)"
    assert takes(one, ARMED, 4, 0, verb="EJECT") == " 0 for 0"
