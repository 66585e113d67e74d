"""Every order has its answer in the report: those of which nothing was told wait, or their moment did not come."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.engine.events import Broke, OrdersFiled, Record, SegmentBegan
from pbem.engine.log import fold_records
from pbem.games.storage.opening import opened
from pbem.reports.html.page import sitrep_html
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view
from pbem.reports.view.model import OrderLine, ReportView
from pbem.reports.view.tables import STOOD

TURNS = Path(__file__).resolve().parents[2] / "turns"


@pytest.fixture(scope="module")
def records() -> list[Record]:
    with opened(TURNS / "duel01") as game:
        return game.effective()


def at_request(records: list[Record], turn: int, number: int) -> list[Record]:
    """The log as it stood when a request was sent out."""
    for place, record in enumerate(records):
        if isinstance(record.event, SegmentBegan):
            request = fold_records(records[:place]).request
            if request is not None and (request.turn, request.number) == (turn, number):
                return records[:place]
    raise AssertionError("no such request")


def lines(view: ReportView, request: int) -> dict[str, OrderLine]:
    return {line.text.strip(): line for orders in view.orders if orders.request == request for line in orders.lines}


def test_an_order_in_force_waits_and_one_that_is_over_did_not_act(records: list[Record]) -> None:
    order = "IF INTERNALS > 2 THEN RESERVE UP TO 2 TO #1"
    during = build_view(at_request(records, 2, 3), "klingon")
    assert lines(during, 2)[order].silent == "waits"
    assert lines(during, 2)["#1 DOWN"].silent == "waits"
    # Headings, the plot and choices of damage wait for nothing; what acted has its own words.
    assert not any(lines(during, 2)[text].silent for text in ("DO", "PLOT 11F", "OTHER LAB, TRAN FIRST"))
    acted = lines(during, 2)["AT 2 LAUNCH DRONE 1 AT Constellation"]
    assert not acted.silent and acted.told[0].result == "acted"
    later = build_view(at_request(records, 3, 1), "klingon")
    assert lines(later, 2)[order].silent == "did not act"
    assert "its time or condition did not occur" in sitrep_text(
        later
    ) and "its time or condition did not occur" in sitrep_html(later)
    assert "-> waiting" in sitrep_text(during) and ">waits</span>" in sitrep_html(during)


def test_orders_of_which_all_was_told_before_are_folded(records: list[Record]) -> None:
    last = build_view(at_request(records, 1, 6), "federation")
    folded = {orders.request: orders.past for orders in last.orders if orders.worth_telling()}
    assert folded == {2: True, 3: False, 5: False}, "that an order of request 3 never acted is news"
    text, page = sitrep_text(last), sitrep_html(last)
    assert (
        "federation, request 2, SOP: no longer in force, reported before\n" in text and "impulse 3: broke" not in text
    )
    assert page.count("reported before</summary>") == 1 and page.count("<h3>Request 5") == 1
    # As long as it is news it is told in full.
    news = build_view(at_request(records, 1, 3), "federation")
    assert "impulse 3: broke" in sitrep_text(news) and "reported before" not in sitrep_text(news)


def test_an_order_for_an_impulse_that_is_past_waits_no_more(records: list[Record]) -> None:
    """RESERVE is asked when something strikes, so nothing is told of it where nothing did."""
    here = at_request(records, 2, 3)
    plain = "IF INTERNALS > 2 THEN RESERVE UP TO 2 TO #1"
    named = [
        replace(record, event=replace(record.event, text=record.event.text.replace(plain, f"AT 3 {plain}")))
        if isinstance(record.event, OrdersFiled)
        else record
        for record in here
    ]
    state = fold_records(here)
    assert state.impulse > 3
    assert lines(build_view(named, "klingon"), 2)[f"AT 3 {plain}"].silent == "did not act"


def test_a_break_that_came_true_is_told_beside_its_line(records: list[Record]) -> None:
    broke = next(r.event for r in records if isinstance(r.event, Broke) and r.event.line)
    assert isinstance(broke, Broke)
    view = build_view(records, broke.side, turn=broke.turn)
    told = [line for orders in view.orders for line in orders.lines for this in line.told if this.result == "broke"]
    assert any(line.line == broke.line and not line.silent for line in told)


def test_a_break_that_was_true_from_the_beginning_is_told_so(records: list[Record]) -> None:
    """A break on a range that is far beyond theirs stands for one of turn 2 that never comes true."""
    for during, silent, said in (
        ((2, 3), "waits", "waits: it was so when"),
        ((3, 1), "did not act", "did not act: it was so"),
    ):
        changed = [
            replace(
                one, event=replace(one.event, text=one.event.text.replace("  #1 DOWN", "  RANGE Constellation <= 60"))
            )
            if isinstance(one.event, OrdersFiled) and one.event.side == "klingon" and one.event.turn == 2
            else one
            for one in at_request(records, *during)
        ]
        view = build_view(changed, "klingon")
        line = lines(view, 2)["RANGE Constellation <= 60"]
        assert (line.silent, line.why) == (silent, STOOD)
        assert said in " ".join(sitrep_text(view).split()) and STOOD in sitrep_html(view)
        assert lines(build_view(at_request(records, *during), "klingon"), 2)["#1 DOWN"].why == ""


def test_every_order_of_every_turn_has_an_answer(records: list[Record]) -> None:
    """In the orders themselves or, where they went on (CONTINUE), in those that say so."""
    counted = 0
    for turn in range(1, 6):
        for side in ("federation", "klingon"):
            unanswered: dict[int, str] = {}
            for orders in build_view(records, side, turn=turn).orders:
                assert orders.continued or not unanswered, unanswered
                inside = ""
                for line in orders.lines:
                    if not line.text.startswith(" "):
                        inside = line.text.split()[0]
                    elif inside in ("DO", "BREAK") and orders.form != "EAF":
                        counted += 1
                        if line.told or line.silent:
                            unanswered.pop(line.line, None)
                        elif not orders.continued:
                            unanswered[line.line] = line.text
            assert not unanswered
    assert counted > 20


def test_what_was_spent_before_continue_neither_waits_nor_failed(records: list[Record]) -> None:
    view = build_view(at_request(records, 2, 3), "klingon")
    acted = lines(view, 2)["AT 2 LAUNCH DRONE 1 AT Constellation"].line
    here = at_request(records, 2, 3)
    filed = next(
        r.event
        for r in here
        if isinstance(r.event, OrdersFiled)
        and r.event.side == "klingon"
        and r.event.turn == 2
        and r.event.form == "SOP"
    )
    again = replace(filed, request=3, impulse=5, continued=True, text="")
    continued = build_view([*here, Record(n=here[-1].n + 1, event=again, only="klingon")], "klingon")
    now = {line.line: line for orders in continued.orders if orders.request == 3 for line in orders.lines}
    assert now[acted].silent == "" and now[acted].told == ()
    assert [line.silent for line in now.values() if "RESERVE" in line.text] == ["waits"]
