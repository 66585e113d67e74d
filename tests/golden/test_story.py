"""What the shipped games are there to show. When rules change, a game that no longer shows it needs other orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.engine import events as ev
from pbem.games.storage.opening import opened
from pbem.rules.hexes import distance

Events = list[ev.AnyEvent]


def events_of(game: Path) -> Events:
    with opened(game) as folder:
        return [record.event for record in folder.records()]


@pytest.fixture(scope="module")
def duel(shipped: Callable[[str], Path]) -> Events:
    return events_of(shipped("duel01"))


def told(events: Events, result: str, words: str) -> list[ev.OrderTold]:
    """Orders of which a player was told that they came to ``result``."""
    return [e for e in events if isinstance(e, ev.OrderTold) and e.result == result and words in e.order]


def when(event: ev.AnyEvent) -> tuple[int, int]:
    return event.turn, event.impulse


def test_conditional_orders_act_and_are_disarmed(duel: Events) -> None:
    assert told(duel, "acted", "IF ") and told(duel, "did not act", "IF ")


def test_a_ship_sideslips(duel: Events) -> None:
    assert any(isinstance(e, ev.Moved) and e.code in ("SL", "SR") for e in duel)


def test_photons_are_armed_over_two_turns_and_hit(duel: Events) -> None:
    charge = [
        (e.turn, e.weapons["PHOT A"].charge)
        for e in duel
        if isinstance(e, ev.EnergyAllotted) and e.unit == "Constellation"
    ]
    assert charge[:2] == [(1, "arming"), (2, "armed")]
    assert any(isinstance(e, ev.Fired) and e.weapon == "PHOT A" and e.hit for e in duel)


def test_one_drone_is_shot_down_and_another_hits(duel: Events) -> None:
    assert any(isinstance(e, ev.Destroyed) and e.unit.startswith("KD/") for e in duel)
    assert any(isinstance(e, ev.Impact) and e.unit.startswith("KD/") for e in duel)


def test_weapons_that_fired_are_destroyed_by_fire_of_the_same_step(duel: Events) -> None:
    fired = {(when(e), e.unit, e.weapon) for e in duel if isinstance(e, ev.Fired)}
    lost = {(when(e), e.unit, e.box) for e in duel if isinstance(e, ev.InternalHit)}
    assert {unit for _, unit, _ in fired & lost} == {"Constellation", "Destruction"}


def test_a_condition_changes_as_the_slower_ship_moves(duel: Events) -> None:
    (reaction,) = told(duel, "acted", "RANGE Constellation <= 5 THEN SR")
    slower, faster = (
        next(e for e in duel if isinstance(e, ev.Moved) and when(e) == when(reaction) and e.unit == unit)
        for unit in ("Constellation", "Destruction")
    )
    assert duel.index(slower) < duel.index(faster)
    ranges = [distance(slower.came_from[:4], faster.came_from[:4]), distance(slower.at[:4], faster.came_from[:4])]
    # Before Constellation, the slower one, had moved it was false; when Destruction was about to, it was true.
    assert ranges[0] > 5 >= ranges[1]


def test_both_sides_break_in_one_impulse(duel: Events) -> None:
    own = [e for e in duel if isinstance(e, ev.Broke) and e.line]  # automatic breaks stand in no line
    (twice,) = [moment for moment, count in Counter(map(when, own)).items() if count > 1][:1]
    assert {e.side for e in own if when(e) == twice} == {"federation", "klingon"}


def test_breaks_are_answered_with_new_orders_and_with_continue(duel: Events) -> None:
    answers = [e.text for e in duel if isinstance(e, ev.OrdersFiled) and e.request > 2]
    assert "CONTINUE" in answers
    assert sum("PLOT" in text for text in answers) >= 4


def test_reserve_power_is_spent_before_a_volley_is_scored(duel: Events) -> None:
    def moments(kind: type) -> Iterator[int]:
        return (n for n, event in enumerate(duel) if isinstance(event, kind))

    spent = next(moments(ev.ReserveSpent))
    scored = next(n for n in moments(ev.Damaged) if when(duel[n]) == when(duel[spent]))
    assert spent < scored


def test_a_plot_code_that_is_not_legal_when_its_hex_comes_is_flown_as_f(duel: Events) -> None:
    assert told(duel, "flown as F", "R")


def test_it_ends_with_one_ship_gone(duel: Events) -> None:
    (end,) = [e for e in duel if isinstance(e, ev.GameEnded)]
    assert 4 <= end.turn <= 6
    assert len({outcome.result for outcome in end.outcome}) == 2


def test_the_crew_is_rescued_and_brought_out_past_a_robot_that_fights(shipped: Callable[[str], Path]) -> None:
    events = events_of(shipped("rescue01"))
    assert any(isinstance(e, ev.Fired) and e.unit == "War" for e in events)
    assert any(isinstance(e, ev.Marked) and e.mark == "crew rescued" for e in events)
    (end,) = [e for e in events if isinstance(e, ev.GameEnded)]
    assert {outcome.side: outcome.result for outcome in end.outcome} == {"federation": "victory", "klingon": "defeat"}
