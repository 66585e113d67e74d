"""The invariants see what they are for: a stretch of play that is tampered with does not pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import msgspec
import pytest

from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.log import fold_records
from pbem.lab.random_games import invariants
from pbem.lab.random_games.invariants import Knowledge
from pbem.lab.random_games.play import Opening, RandomSegment, Walk, deal, key_for, opening, stretches

replace = msgspec.structs.replace

GAMES = [key_for(number, 0, game) for game in range(6) for number in ("9", "5", "11", "8")]
"""Games to look for an event in; only as many are played as it takes."""


@cache
def game(key: str) -> tuple[Opening, list[RandomSegment]]:
    begun = opening(deal(key))
    return begun, list(stretches(begun, turns=8))


def tampered(kind: type[ev.Event], **changes: Any) -> Iterator[Walk]:
    """Stretches in which one event of a kind is another, with the state that follows from it."""
    for key in GAMES:
        for stretch in game(key)[1]:
            for place, record in enumerate(stretch.records):
                if isinstance(record.event, kind):
                    event = replace(record.event, **changes)
                    records = [*stretch.records]
                    records[place] = replace(record, event=event)
                    after = fold_records(records, stretch.before)
                    yield Walk(replace(stretch, records=records, after=after))


SEEN: list[tuple[type[ev.Event], dict[str, Any], Callable[[Walk], Iterator[str]]]] = [
    (ev.Fired, {"points": 77, "shield": 1}, invariants.volleys_are_what_struck),
    (ev.Volley, {"points": 77}, invariants.every_point_goes_somewhere),
    (ev.Damaged, {"internals": 77}, invariants.every_internal_point_destroys_a_box),
    (ev.Damaged, {"left": 77}, invariants.shields_stop_what_they_have),
    (ev.Damaged, {"left": 77}, invariants.boxes_are_those_of_the_ssd),
    (ev.EnergyAllotted, {"lines": ("PHASERS 77",)}, invariants.energy_is_never_created),
    (ev.EnergyAllotted, {"capacitor": 77.0}, invariants.energy_is_never_created),
    (ev.EnergyAllotted, {"batteries": 77}, invariants.stores_fit_their_boxes),
    (ev.ReserveSpent, {"points": 77}, invariants.energy_is_never_created),
    (ev.Transported, {"transporters": 77}, invariants.systems_do_what_is_paid_for),
    (ev.ShuttleLaunched, {"letter": "Z"}, invariants.shuttles_are_aboard_or_launched),
    (ev.Learned, {"total": -1}, invariants.what_is_learnt_is_not_forgotten),
    (ev.Moved, {"at": "1414A"}, invariants.every_unit_is_in_one_place),
    (ev.Tractored, {"target": "Constellation"}, invariants.beams_hold_what_they_may),
    (ev.UnitDamaged, {"total": 77}, invariants.damage_is_counted),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "changes", "invariant"), SEEN)
def test_an_invariant_sees_what_it_is_for(
    kind: type[ev.Event], changes: dict[str, Any], invariant: Callable[[Walk], Iterator[str]]
) -> None:
    assert invariant in invariants.EACH_STRETCH
    # What one event changed may be undone before the stretch ends: a beam lets go.
    assert any([*invariant(walk)] for walk in islice(tampered(kind, **changes), 3))


def test_a_log_that_is_not_what_was_played_is_seen() -> None:
    stretch = game(GAMES[0])[1][0]
    assert [*invariants.the_state_is_the_fold_of_the_log(Walk(replace(stretch, records=stretch.records[:-1])))]


@pytest.mark.parametrize("kind", [ev.EnergyAllotted, ev.ReserveSpent, ev.ShuttleLaunched, ev.OrdersFiled])
def test_a_secret_that_everybody_is_told_is_seen(kind: type[ev.Event]) -> None:
    for key in GAMES:
        begun, played = game(key)
        knowledge = Knowledge(begun)
        for stretch in played:
            walk = Walk(replace(stretch, records=[_opened(record, kind) for record in stretch.records]))
            knowledge.learn(walk)
            if [*knowledge.only_its_side_is_told(walk)] and [*knowledge.secrets_stay_secret(walk)]:
                return
    raise AssertionError(f"nobody has seen {kind.__name__}")


def _opened(record: Record, kind: type[ev.Event]) -> Record:
    """The record as if its event were everybody's to know; a shuttle as if it were a bomb."""
    event = record.event
    if not isinstance(event, kind):
        return record
    if isinstance(event, ev.ShuttleLaunched):
        event = replace(event, shuttle=replace(event.shuttle, target="Destruction", bomb=6))
    return replace(record, event=event, only="", shown=None)
