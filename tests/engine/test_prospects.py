"""What is said of the shots of an order before they are fired: of whom, with which weapons, against which shield."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.engine.checking.never import Prospect, Protection, prospects
from pbem.engine.on_file import altered
from pbem.engine.state import Ship, Shuttle, State
from pbem.orders.reader import read_orders
from tests.engine.world import rich

SCENARIO: Any = SimpleNamespace(drone_penalty=True)


def of(unit: str, *lines: str, state: State | None = None) -> tuple[list[Prospect], list[str]]:
    """What is found and what cannot be said of orders to one unit; their first line is the third of the text."""
    kind = "SHUTTLE" if "/" in unit else "SHIP"
    reading = read_orders("\n".join([f"{kind} {unit}", "DO", *lines]), header=False)
    assert not reading.faults
    found, unsaid = prospects(state or rich(), SCENARIO, reading.orders)
    return list(found), list(unsaid)


def among(state: State, name: str, **now: Any) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **now)})


def test_an_order_is_told_with_who_fires_what_at_whom() -> None:
    (one, other), unsaid = of("Con", "RESERVE 1 TO #1", "FIRE PH 1 AT Des", "FIRE PHOT A, PH 1 AT KD/1")
    assert (one.line, one.text, one.unit, one.target, one.weapons) == (4, "FIRE PH 1 AT Des", "Con", "Des", ("PH 1",))
    assert (other.line, other.target, other.weapons, other.range, other.stop) == (
        5,
        "KD/1",
        ("PHOT A", "PH 1"),
        1,
        None,
    )
    assert not unsaid


@pytest.mark.parametrize(("order", "weapons"), [
    ("FIRE PH 1, PH 2 AT Des", ("PH 1", "PH 2")), ("FIRE PH 1, PH 3 AT Des", ("PH 1",)), ("FIRE PH 3 AT Des", ()),
    ("FIRE PHOT A, PHOT D AT Des", ("PHOT A",)), ("FIRE ONE OF PH 2, PH 1 AT Des", ("PH 2",)),
    ("FIRE ONE OF PH 3, PH 1, PH 2 AT Des", ("PH 1",)),
    ("IF SEEKER WITHIN 3 THEN FIRE PH 1, PH 2 AT EACH", ("PH 1",)),
    ("IF SEEKER WITHIN 3 THEN FIRE PH 1, PH 2 AT IT", ("PH 1", "PH 2")),
])  # fmt: skip
def test_only_weapons_that_work_are_counted_and_of_several_that_may_the_first(
    order: str, weapons: tuple[str, ...]
) -> None:
    ((found,), unsaid) = of("Con", order)
    assert found.weapons == weapons and not unsaid
    assert bool(found.odds.mean) == bool(weapons) == bool(found.by_range)


@pytest.mark.parametrize(("unit", "order", "said"), [
    ("Con", "FIRE PH 1 AT Wreck", "line 3: FIRE PH 1 AT Wreck has no target in play now"),
    ("Wreck", "FIRE PH 1 AT Con", "line 3: Wreck is not in play"),
    ("Nobody", "FIRE PH 1 AT Con", "line 3: Nobody is not in play"),
    ("KD/1", "FIRE PH 1 AT Con", "line 3: KD/1 is not in play"),
])  # fmt: skip
def test_of_whom_nothing_can_be_said(unit: str, order: str, said: str) -> None:
    assert of(unit, order) == ([], [said])


def test_a_shuttle_has_one_phaser_and_nothing_else_of_it_is_fired() -> None:
    state = among(rich(), "FS/1", bomb=0)
    boat = state.units["FS/1"]
    assert isinstance(boat, Shuttle)
    ((found,), _) = of("FS/1", "FIRE PH 1 AT Des", state=state)
    assert (found.weapons, found.range) == (("PH 1",), 1) and found.odds.mean > 0
    ((without,), _) = of("FS/1", "FIRE PH 2 AT Des", state=state)
    assert not without.weapons and not without.odds.mean and not without.by_range


def test_the_odds_go_down_with_the_range_and_end_where_nothing_scores() -> None:
    """A disruptor hits from 1 to 30 hexes (E3.32), and a shield of the target is told that faces the firer."""
    ((found,), _) = of("Des", "FIRE DISR A AT Con")
    assert [true for true, _ in found.by_range] == [*range(1, 31)]
    means = [odds.mean for _, odds in found.by_range]
    assert means == sorted(means, reverse=True) and dict(found.by_range)[found.range] == found.odds


@pytest.mark.parametrize(("now", "stop"), [
    ({}, Protection(number=2, boxes=24)),
    ({"lowered": {}}, Protection(number=2, boxes=24, general=2)),
    ({"lowered": {}, "general": 0, "reinforcement": (1, 5, 2, 3, 4, 6)}, Protection(number=2, boxes=24, specific=5)),
    ({"lowered": {"#2": 20}}, Protection(number=2, boxes=0, general=2)),
    ({"unpaid": ("SHIELDS",)}, Protection(number=2, boxes=0)),
    ({"facing": "B"}, Protection(number=3, boxes=0, specific=2)),
    ({"facing": "D", "lowered": {}, "general": 3}, Protection(number=1, boxes=30, general=3, specific=1)),
    ({"hex": "1206"}, None),
])  # fmt: skip
def test_the_shield_in_front_is_told_with_all_that_stands_behind_it(
    now: dict[str, Any], stop: Protection | None
) -> None:
    state = among(rich(), "Con", **now)
    assert isinstance(state.units["Con"], Ship)
    ((found,), _) = of("Des", "FIRE PH 1 AT Con", state=state)
    assert found.stop == stop
