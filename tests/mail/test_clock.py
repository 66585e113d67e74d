"""Deadlines: arithmetic on moments that are handed in, by the clocks on the players' walls."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from pbem.mail.host.deadlines import Rule, Times, nags, passed, rule_faults, span, times, too_many, written

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


def test_who_is_late_is_reminded_first_when_grace_is_over_and_once_at_a_time() -> None:
    rule = Rule(within="3 days", grace="12 hours", late="wait", nag="2 days")
    found = times(rule, MONDAY)
    assert nags(rule, found, found.final) == (0, found.due + timedelta(days=2))
    assert nags(rule, found, found.due + timedelta(days=2)) == (1, found.due + timedelta(days=4))


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


# --- the edges, value by value ---------------------------------------------------------------------------------------

TUESDAY, WEDNESDAY = MONDAY + timedelta(days=1), MONDAY + timedelta(days=2)


def test_the_longest_span_is_a_thousand_days() -> None:
    assert span("1000 days") == timedelta(days=1000) and span("1000 days 1 minute") is None
    assert [span(f"1 {unit}") for unit in ("minute", "HOUR", "days", "week")] == [
        timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(days=7),
    ]  # fmt: skip
    assert span("1 day and 2 hours, 3 minutes") == timedelta(days=1, hours=2, minutes=3)


@pytest.mark.parametrize(
    ("rule", "faults"),
    [
        (Rule(at="00:00"), []), (Rule(at=" 9:05 "), []), (Rule(at="23:59"), []), (Rule(stop=0), []), (Rule(stop=1), []),
        (Rule(days=("MON", "tuesday", "Wed", "thurs", "fri", "sat", "sun")), []), (Rule(grace="0 hours"), []),
        (Rule(at="24:00"), ["at: write a time of day, like 18:00, not '24:00'"]),
        (Rule(at="23:60"), ["at: write a time of day, like 18:00, not '23:60'"]),
        (Rule(at="1800"), ["at: write a time of day, like 18:00, not '1800'"]),
        (Rule(days=("mo", "Tues", "monday")), ["days: write a day of the week, not 'mo'"]),
        (Rule(stop=1.01), ["stop: write stop as a fraction from 0 to 1, not 1.01"]),
        (Rule(stop=-0.01), ["stop: write stop as a fraction from 0 to 1, not -0.01"]),
        (Rule(remind=("1 day", "x", "2")), [
            "remind: write a length of time, like '3 days' or '1 day 12 hours', not 'x'",
            "remind: write a length of time, like '3 days' or '1 day 12 hours', not '2'",
        ]),
        (Rule(zone="Mars"), ["zone: no time zone 'Mars' is known here; zones are called like Europe/Berlin"]),
        (Rule(zone="../etc"), ["zone: no time zone '../etc' is known here; zones are called like Europe/Berlin"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_rule_is_said_with_its_place(rule: Rule, faults: list[str]) -> None:
    found = rule_faults(rule, "post.toml")
    assert [fault.text for fault in found] == faults
    assert {(fault.code, fault.file) for fault in found} <= {("deadline-rule", "post.toml")}


def test_a_system_without_time_zones_is_told_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zoneinfo.available_timezones", set)
    (fault,) = rule_faults(Rule(zone="Mars"))
    assert fault.text == (
        "zone: this system has no time zones, and 'Mars' needs them: `pip install tzdata`, or its package tzdata"
    )
    monkeypatch.setattr("zoneinfo.ZoneInfo", {}.__getitem__)
    assert rule_faults(Rule(zone="UTC")) == [] and times(Rule(within="1 day"), MONDAY).due == TUESDAY


@pytest.mark.parametrize(
    ("rule", "asked", "due"),
    [
        (Rule(within="0 days"), MONDAY, MONDAY),
        (Rule(within="1 day"), MONDAY + timedelta(seconds=7), TUESDAY + timedelta(seconds=7)),
        (Rule(within="0 days", at="12:00"), MONDAY, MONDAY),
        (Rule(within="0 days", at="12:00"), MONDAY + timedelta(seconds=1), TUESDAY),
        (Rule(within="0 days", at="12:00"), MONDAY - timedelta(seconds=1), MONDAY),
        (Rule(within="0 days", days=("mon",)), MONDAY, MONDAY),
        (Rule(within="0 days", days=("Mon",)), TUESDAY, MONDAY + timedelta(days=7)),
        (Rule(within="0 days", at="11:59", days=("mon",)), MONDAY, MONDAY + timedelta(days=7, minutes=-1)),
        (Rule(within="0 days", days=("mon", "wed")), TUESDAY, WEDNESDAY),
        (Rule(within="1 day", days=("mon", "wed")), TUESDAY, WEDNESDAY),
        (Rule(zone="Asia/Tokyo", within="3 hours", days=("tue",)), MONDAY, MONDAY + timedelta(hours=3)),
        (Rule(zone="Asia/Tokyo", within="0 days", at="21:00"), MONDAY, MONDAY),
        (Rule(zone="Asia/Tokyo", within="0 days", at="00:00", days=("tue",)), MONDAY, MONDAY + timedelta(hours=3)),
        (Rule(within="0 days", days=("mon", "tue", "wed", "thu", "fri", "sat", "sun")), TUESDAY, TUESDAY),
    ],
)  # fmt: skip
def test_when_an_answer_is_due(rule: Rule, asked: datetime, due: datetime) -> None:
    assert times(rule, asked).due == due


def test_reminders_are_in_order_each_once_and_after_the_request() -> None:
    rule = Rule(
        within="2 days", remind=("1 hour", "2 days", "1 day", "24 hours", "0 hours", "49 hours"), grace="1 hour"
    )
    found = times(rule, MONDAY)
    assert found == Times(
        reminders=(TUESDAY, WEDNESDAY - timedelta(hours=1), WEDNESDAY),
        due=WEDNESDAY,
        final=WEDNESDAY + timedelta(hours=1),
    )
    assert times(Rule(within="2 days", remind=("47 hours",)), MONDAY, timedelta(hours=-1)).reminders == (
        WEDNESDAY - timedelta(hours=1),
    )
    assert [passed(found, TUESDAY + timedelta(seconds=more)) for more in (-1, 0, 1)] == [0, 1, 1]


@pytest.mark.parametrize(
    ("moment", "zone", "said"),
    [
        (MONDAY, "UTC", "Mon 1 Mar 2027, 12:00 (UTC)"),
        (datetime(2026, 12, 31, 23, 5, tzinfo=UTC), "Europe/Berlin", "Fri 1 Jan 2027, 00:05 (Europe/Berlin)"),
        (datetime(2027, 7, 4, 3, 9, tzinfo=UTC), "America/New_York", "Sat 3 Jul 2027, 23:09 (America/New_York)"),
        (MONDAY, "Nowhere", "Mon 1 Mar 2027, 12:00 (Nowhere)"),
        *(
            (datetime(2027, month, 15, 1, 2, tzinfo=UTC), "UTC", f"{said} 2027, 01:02 (UTC)")
            for month, said in enumerate(
                ("Fri 15 Jan", "Mon 15 Feb", "Mon 15 Mar", "Thu 15 Apr", "Sat 15 May", "Tue 15 Jun", "Thu 15 Jul",
                 "Sun 15 Aug", "Wed 15 Sep", "Fri 15 Oct", "Mon 15 Nov", "Wed 15 Dec"),
                start=1,
            )
        ),
    ],
)  # fmt: skip
def test_a_moment_as_people_read_it(moment: datetime, zone: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # the machine's own clock says nothing
    getattr(time, "tzset", lambda: None)()
    try:
        assert written(moment, zone) == said
    finally:
        monkeypatch.undo()
        getattr(time, "tzset", lambda: None)()


def test_what_nobody_agreed_on() -> None:
    assert Rule() == Rule(
        zone="UTC", within="3 days", at="", days=(), remind=("1 day",), grace="12 hours", late="wait", stop=0.5
    )
    assert [too_many(Rule(stop=stop), 2, 4) for stop in (0.49, 0.5, 1)] == [True, False, False]
    assert too_many(Rule(stop=0), 2, 9) and not too_many(Rule(stop=0), 1, 9)
