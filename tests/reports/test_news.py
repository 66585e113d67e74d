"""What is news in a report, who is asked for orders, and which impulse of a page bears the mark of something new."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.engine import events as ev
from pbem.engine.events import Record, Reran
from pbem.engine.log import fold_records
from pbem.games.storage.opening import opened
from pbem.reports.form.form import owes
from pbem.reports.html.page import moments
from pbem.reports.view.build import build_view
from pbem.reports.view.reader_log import VisibleEvent, seen_by

TURNS = Path(__file__).resolve().parents[2] / "turns"


@pytest.fixture(scope="module")
def records() -> list[Record]:
    with opened(TURNS / "duel01") as game:
        return game.effective()


def fresh_from(seen: list[VisibleEvent]) -> int:
    """The place of the first news; everything behind it is news, too."""
    first = next((place for place, item in enumerate(seen) if item.fresh), len(seen))
    assert all(item.fresh for item in seen[first:]) and not any(item.fresh for item in seen[:first])
    return first


def repeated(records: list[Record], first: int, through: int, now: int) -> list[Record]:
    """The log with a note, before segment ``first``, that play was repeated up to segment ``through``; it has come to
    the end of segment ``now``.
    """
    begins = {r.event.segment: place for place, r in enumerate(records) if isinstance(r.event, ev.SegmentBegan)}
    end = begins.get(now + 1, len(records))
    at = records[begins[first]].event
    note = Reran(turn=at.turn, to=begins[first], reason="x", segment=first - 1, through=through, kept=(), since="x")
    told = [*records[: begins[first]], Record(n=0, event=note), *records[begins[first] : end]]
    return [replace(record, n=n) for n, record in enumerate(told, start=1)]


@pytest.mark.parametrize(("through", "now"), [(3, 3), (4, 3), (5, 4), (4, 4)])
def test_all_that_was_repeated_is_news_until_play_goes_beyond_it(records: list[Record], through: int, now: int) -> None:
    seen = seen_by(repeated(records, 3, through, now), "klingon", None)
    begins = next(place for place, item in enumerate(seen) if isinstance(item.event, Reran))
    assert fresh_from(seen) <= begins


@pytest.mark.parametrize(("through", "now"), [(3, 4), (3, 5), (4, 5)])
def test_beyond_a_repetition_only_the_last_stretch_is_news(records: list[Record], through: int, now: int) -> None:
    told = repeated(records, 3, through, now)
    seen = seen_by(told, "klingon", None)
    plain = seen_by([record for record in told if not isinstance(record.event, Reran)], "klingon", None)
    assert fresh_from(seen) == fresh_from(plain) + 1
    begins = next(place for place, item in enumerate(seen) if isinstance(item.event, Reran))
    assert fresh_from(seen) > begins


def test_an_impulse_is_new_if_anything_in_it_is(records: list[Record]) -> None:
    view = build_view(records, "klingon", turn=2)
    old = replace(view, said=tuple(replace(said, fresh=False) for said in view.said))
    assert not any(moment.fresh for moment in moments(old))
    busy = next(moment for moment in moments(old) if sum(len(p.said) + len(p.moves) for p in moment.parts) > 1)
    inside = [n for n, said in enumerate(old.said) if said.impulse == busy.impulse and said.place == "activity"]
    for place in inside:
        said = tuple(replace(each, fresh=n == place) for n, each in enumerate(old.said))
        marked = [moment.impulse for moment in moments(replace(old, said=said)) if moment.fresh]
        assert marked == ([busy.impulse] if old.said[place].kind != "turned" else [])


def test_only_who_is_asked_owes_orders(records: list[Record]) -> None:
    over = fold_records(records)
    assert over.over and not any(owes(over, side) for side in ("federation", "klingon"))
    for place, record in enumerate(records):
        if isinstance(record.event, ev.Requested):
            state = fold_records(records[: place + 1])
            asked = record.event.request.sides
            assert [side for side in ("federation", "klingon", "") if owes(state, side)] == sorted(asked)
