"""No clock makes anybody late who is not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import BACK, QUIET, ROUNDS, SURE, Rounds, Up, hour, read_rounds, write_rounds
from pbem.mail.host.deadlines import Rule
from pbem.mail.store import keep_fact

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer, words
else:
    from post_hosted import Hosted, answer, words

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
KNOWN = Rounds(began=NOW - timedelta(days=9), last=NOW)


def test_time_that_passes_as_it_should_counts() -> None:
    for gone in (timedelta(minutes=1), SURE, timedelta(days=1), QUIET, -BACK):
        found = hour(KNOWN, NOW + gone)
        assert (found.rounds.drift, found.said, found.rounds.last) == (0, "", NOW + gone)
        assert found.passed(NOW + min(gone, SURE)) and not found.passed(NOW + SURE + timedelta(seconds=1))


@pytest.mark.parametrize("gone", [QUIET + timedelta(hours=1), timedelta(days=9_000), timedelta(days=-20_000)])
def test_a_leap_of_the_clock_is_noticed_told_and_counts_for_nobody(gone: timedelta) -> None:
    found = hour(KNOWN, NOW + gone)
    assert found.rounds.drift == int(gone.total_seconds()) and "counts for nobody" in found.said
    assert not found.passed(NOW - timedelta(days=9_999))
    back = hour(found.rounds, NOW + timedelta(minutes=1))
    assert back.rounds.drift == 60, "put right, it is as before but for the minute between"
    assert hour(KNOWN, NOW + gone, anyway=True).passed(NOW + gone), "unless the umpire says that it is right"


@pytest.mark.parametrize("first", [timedelta(hours=47), timedelta(hours=-47), timedelta(minutes=-11)])
def test_a_short_leap_and_its_end_take_time_from_nobody(first: timedelta) -> None:
    there = hour(KNOWN, NOW + first)
    again = hour(there.rounds, NOW + timedelta(minutes=1))
    assert again.rounds.drift >= 0
    far = hour(there.rounds, NOW + first - timedelta(days=3))
    assert far.rounds.drift == -(3 * 86_400 - max(0, int(first.total_seconds())))


DAY = 86_400
SINCE = msgspec.structs.replace(KNOWN, up=Up(seconds=1000, boot="a"))


@pytest.mark.parametrize("put", [timedelta(hours=1), timedelta(days=1), timedelta(days=-1), timedelta(days=400)])
def test_a_machine_that_is_up_knows_by_how_much_its_clock_was_put(put: timedelta) -> None:
    found = hour(SINCE, NOW + put + timedelta(minutes=5), up=Up(seconds=1300, boot="a"))
    assert found.rounds.drift == int(put.total_seconds()) and not found.passed(NOW - timedelta(days=999))
    assert f"put {'on' if put > timedelta() else 'back'} by {abs(put) // timedelta(hours=1)} hour" in found.said
    again = hour(found.rounds, NOW + put + timedelta(minutes=10), up=Up(seconds=1600, boot="a"))
    assert again.rounds.drift == found.rounds.drift and not again.said
    assert again.passed(NOW + put) and not again.passed(NOW + put + SURE + timedelta(minutes=6))
    back = hour(again.rounds, NOW + timedelta(minutes=15), up=Up(seconds=1900, boot="a"))
    assert back.rounds.drift == 0 and "was put" in back.said


@pytest.mark.parametrize("up", [None, Up(seconds=1300, boot="b"), Up(seconds=900, boot="a")])
def test_a_machine_that_was_switched_off_knows_nothing_of_it(up: Up | None) -> None:
    found = hour(SINCE, NOW + timedelta(days=1), up=up)
    assert (found.rounds.drift, found.said, found.rounds.up) == (0, "", up)


def test_a_clock_that_is_right_and_time_without_rounds_are_no_leap() -> None:
    on = hour(SINCE, NOW + timedelta(days=1, minutes=9), up=Up(seconds=1000 + DAY, boot="a"))
    assert (on.rounds.drift, on.said) == (0, "")
    days = hour(SINCE, NOW + timedelta(days=3), up=Up(seconds=1000 + 3 * DAY, boot="a"))
    assert days.rounds.drift == 3 * DAY and "There was no round" in days.said
    said = hour(SINCE, NOW + timedelta(days=1), up=Up(seconds=1300, boot="a"), anyway=True)
    assert said.rounds.drift == 0 and said.passed(NOW + timedelta(days=1)), "the umpire says that it is right"


def test_an_outage_is_as_long_as_it_is_when_the_clock_is_put_on_in_it() -> None:
    ill = msgspec.structs.replace(SINCE, ill=NOW - timedelta(hours=2))
    found = hour(ill, NOW + timedelta(days=1), up=Up(seconds=1000, boot="a")).rounds
    assert found.drift == DAY and found.at(NOW + timedelta(days=1)).drift == DAY + 7200


def test_the_first_round_holds_nobody_late() -> None:
    assert not hour(Rounds(), NOW).passed(NOW - timedelta(days=1))
    assert hour(Rounds(), NOW).rounds == Rounds(began=NOW, last=NOW)


@pytest.mark.parametrize("data", ["", [], {"last": "2027-03-01T12:00:00"}])
def test_a_damaged_record_is_none(tmp_path: Path, data: object) -> None:
    write_rounds(tmp_path, KNOWN)
    assert read_rounds(tmp_path) == KNOWN
    keep_fact(tmp_path / "mail", ROUNDS, data)
    assert read_rounds(tmp_path) == Rounds()


def test_deadlines_come_later_by_what_does_not_count_and_a_game_that_moves_takes_nothing_along() -> None:
    clock, rule = timetable.Clock(asked=NOW, began=KNOWN.began, drift=5), Rule(within="2 days")
    for rounds, later in ((KNOWN, -5), (Rounds(began=KNOWN.began, drift=65), 60), (Rounds(began=NOW, drift=65), 0)):
        found = clock.times(rule, rounds)
        assert found is not None and found.due == NOW + timedelta(days=2, seconds=later)
        assert clock.at(rounds).times(rule, rounds) == found


@pytest.mark.parametrize("wrong", [timedelta(days=5), timedelta(days=1, hours=20)])
def test_one_round_with_a_wrong_clock_files_nothing_for_anybody(tmp_path: Path, wrong: timedelta) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=1)
    hosted.round()
    right = hosted.now
    hosted.now = right + wrong
    hosted.round()
    for minutes in (1, 2, 60):
        hosted.now = right + timedelta(minutes=minutes)
        hosted.round()
    assert not (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()
    hosted.now = right + timedelta(minutes=1)
    told = [words(one) for one in hosted.sent_to("umpire")]
    assert any("gone back" in text or "clock was put on" in text for text in told)
    # And the deadline is where it was: two days and twelve hours after the first round.
    hosted.later(days=1, hours=11)
    hosted.round()
    assert not (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()
    # Perhaps a day later: days without a round may have been such a leap too.
    hosted.later(days=1, hours=1)
    hosted.round()
    assert (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()


def test_a_request_that_a_wrong_clock_asked_is_not_late_when_it_is_put_right(tmp_path: Path) -> None:
    """A machine without a battery begins in 1970 until somebody tells it the time."""
    hosted = Hosted(tmp_path / "host", late="hold")
    right, hosted.now = hosted.now, datetime(1970, 1, 1, tzinfo=UTC)
    hosted.round()
    answer(hosted, "federation")
    hosted.now = right
    for _ in range(3):
        hosted.now += timedelta(minutes=1)
        hosted.round()
    assert not (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()
    hosted.later(days=2, hours=13)
    hosted.round()
    assert (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()


def test_a_week_without_power_is_added_to_the_deadlines(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    answer(hosted, "federation")
    hosted.now += timedelta(days=7)
    hosted.round()
    hosted.later(days=2, hours=11)
    hosted.round()
    assert not (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()
    hosted.later(hours=2)
    hosted.round()
    assert (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()


def test_a_pause_over_a_leap_of_the_clock_is_counted_once(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    asked = hosted.now
    timetable.pause(hosted.game, hosted.now)
    hosted.now += timedelta(days=7)
    hosted.round()
    timetable.resume(hosted.game, hosted.now)
    hosted.round()
    found = timetable.read_clock(hosted.game).times(Rule(within="2 days"), read_rounds(hosted.folder))
    assert found is not None and found.due == asked + timedelta(days=9)


def test_nobody_is_late_whose_letter_may_lie_in_an_inbox_that_cannot_be_read(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=2, hours=13)
    box, away = hosted.folder / "Maildir" / "new", hosted.folder / "away"
    box.rename(away)
    for _ in range(3):
        hosted.now += timedelta(minutes=1)
        assert any("Maildir" in trouble for trouble in hosted.round().troubles)
    away.rename(box)
    answer(hosted, "klingon")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    assert "Filed by the host" not in (hosted.game / "01" / "orders" / "klingon.r1.orders").read_text(encoding="utf-8")


def test_the_command_says_for_how_long_the_machine_is_up(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    for _ in range(2):
        assert CliRunner().invoke(app, ["host", str(hosted.folder), "--once"]).exit_code == 0
        found = read_rounds(hosted.folder)
        assert found.up is not None and found.up.seconds > 0 and found.drift == 0
