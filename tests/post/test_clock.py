"""Deadlines: arithmetic on moments that are handed in, by the clocks on the players' walls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from pbem.post.clock import Rule, passed, rule_faults, span, times, too_many, written

MONDAY = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("3 days", 72),
        ("1 day 12 hours", 36),
        ("1 week", 168),
        ("90 minutes", 1.5),
        ("0 hours", 0),
        ("2 Days, 1 hour", 49),
    ],
)
def test_spans_are_read(text: str, hours: float) -> None:
    assert span(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "soon", "3", "3 dogs", "three days", "-1 day", "99999999999 weeks"])
def test_what_is_no_span_is_none(text: str) -> None:
    assert span(text) is None


def test_a_deadline_its_reminders_and_the_end_of_grace() -> None:
    found = times(Rule(within="3 days", remind=("1 day", "6 hours"), grace="12 hours"), MONDAY)
    assert found.due == MONDAY + timedelta(days=3)
    assert found.final == MONDAY + timedelta(days=3, hours=12)
    assert found.reminders == (MONDAY + timedelta(days=2), MONDAY + timedelta(hours=66), found.due)
    assert [passed(found, MONDAY + timedelta(hours=hours)) for hours in (0, 47, 48, 66, 71, 72, 90)] == [
        0, 0, 1, 2, 2, 3, 3,
    ]  # fmt: skip


def test_without_grace_nobody_is_reminded_at_the_deadline() -> None:
    found = times(Rule(remind=("1 day",), grace="0 hours"), MONDAY)
    assert found.final == found.due and found.reminders == (found.due - timedelta(days=1),)


def test_a_reminder_that_would_come_before_the_request_is_none() -> None:
    assert times(Rule(within="2 hours", remind=("1 day",), grace="0 hours"), MONDAY).reminders == ()


def test_six_in_the_evening_stays_six_in_the_evening_when_summer_time_begins() -> None:
    pytest.importorskip("zoneinfo").ZoneInfo("Europe/Berlin")
    rule = Rule(zone="Europe/Berlin", within="1 day", at="18:00")
    before = times(rule, datetime(2027, 3, 26, 12, 0, tzinfo=UTC)).due
    after = times(rule, datetime(2027, 3, 27, 12, 0, tzinfo=UTC)).due
    assert (before.hour, after.hour) == (17, 16)
    assert written(before, "Europe/Berlin") == "Sat 27 Mar 2027, 18:00 (Europe/Berlin)"
    assert written(after, "Europe/Berlin") == "Sun 28 Mar 2027, 18:00 (Europe/Berlin)"


def test_a_time_the_spring_change_leaves_out_is_an_hour_later() -> None:
    rule = Rule(zone="Europe/Berlin", within="1 hour", at="02:30")
    assert times(rule, datetime(2027, 3, 27, 12, 0, tzinfo=UTC)).due == datetime(2027, 3, 28, 1, 30, tzinfo=UTC)


def test_deadlines_fall_on_the_days_that_were_agreed() -> None:
    rule = Rule(within="1 day", at="18:00", days=("thu", "Monday"))
    due = times(rule, MONDAY).due
    assert (due.strftime("%a"), due.hour) == ("Thu", 18)


def test_a_pause_moves_everything() -> None:
    rule = Rule(within="2 days")
    plain, held = times(rule, MONDAY), times(rule, MONDAY, timedelta(days=5))
    assert held.due - plain.due == held.final - plain.final == timedelta(days=5)


@given(
    st.integers(0, 400_000),
    st.sampled_from(["1 hour", "1 day", "3 days"]),
    st.sampled_from(["", "00:00", "02:30", "18:00", "23:59"]),
    st.sampled_from([(), ("mon",), ("sat", "sun")]),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"]),
)
def test_rounding_never_shortens_and_never_waits_longer_than_a_week(
    minutes: int, within: str, at: str, days: tuple[str, ...], zone: str
) -> None:
    asked = MONDAY + timedelta(minutes=minutes)
    found = times(Rule(zone=zone, within=within, at=at, days=days), asked)
    least = asked + (span(within) or timedelta())
    assert least <= found.due <= least + timedelta(days=8, hours=1)
    assert found.due <= found.final and list(found.reminders) == sorted(found.reminders)


def test_all_that_cannot_be_meant_is_told_at_once() -> None:
    rule = Rule(zone="Mars/Olympus", within="soon", at="25:00", days=("noday",), remind=("x",), grace="y", stop=2)
    said = [fault.text.partition(":")[0] for fault in rule_faults(rule, "host.toml")]
    assert said == ["zone", "within", "grace", "remind", "at", "days", "stop"]
    assert not rule_faults(Rule())


@pytest.mark.parametrize(
    ("late", "players", "stops"),
    [(1, 1, False), (1, 2, False), (2, 2, True), (2, 4, False), (3, 4, True), (0, 9, False)],
)
def test_most_players_at_once_are_too_many_one_alone_never_is(late: int, players: int, stops: bool) -> None:
    assert too_many(Rule(), late, players) is stops
