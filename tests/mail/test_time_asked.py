"""More time: given by the umpire, asked for by letter, or as somebody is away; everybody is told once."""

from __future__ import annotations

import itertools
import json
import shutil
import sys
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes, policy
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.storage.opening import opened
from pbem.games.storage.players import players
from pbem.mail.commands.time import ABSENCES, Absence, add_absence, days_meant, end_absences, read_absences
from pbem.mail.host import clocks as timetable, operate
from pbem.mail.host.clocks import Rounds
from pbem.mail.host.deadlines import Days, Rule, days_in, last_day, rule_faults, times, written
from pbem.mail.incoming import intake
from pbem.mail.incoming.extract import command_in
from pbem.mail.store import keep_fact
from pbem.mail.transport.outbox import Unreachable
from tests.cuts import cut_at, operations

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, Sink, answer, subjects, words
else:
    from post_hosted import ADDRESSES, Hosted, Sink, answer, subjects, words

DUE = "Wed 3 Mar 2027, 12:00"


def write(hosted: Hosted, side: str, text: str, subject: str = "") -> None:
    """A letter of a player, whose subject or first line is ``text``."""
    raw = hosted.letter(side, subject or text)
    hosted.post(raw)


def last(hosted: Hosted, side: str) -> str:
    mail = hosted.sent_to(side)[-1]
    return " ".join(f"{subjects([mail])[0]} {words(mail)}".split())


def told(hosted: Hosted, *, minutes: int = 1) -> dict[str, list[str]]:
    """What each side is sent in the next two rounds: nothing may come twice."""
    before = {side: len(hosted.sent_to(side)) for side in ADDRESSES}
    hosted.now += timedelta(minutes=minutes)
    hosted.round()
    hosted.now += timedelta(minutes=1)
    assert hosted.round().put == 0, "once"
    return {
        side: [" ".join(words(one).split()) for one in hosted.sent_to(side)[count:]] for side, count in before.items()
    }


@pytest.fixture
def begun(hosted: Hosted) -> Hosted:
    """The invitations are out: an answer is due on 3 March at 12:00 UTC."""
    hosted.round()
    return hosted


# --- days and deadlines ----------------------------------------------------------------------------------------------

MONDAY = datetime(2027, 3, 1, 10, 0, tzinfo=UTC)
BERLIN = Rule(zone="Europe/Berlin", within="3 days", at="18:00", grace="12 hours")


def day(number: int, month: int = 3) -> date:
    return date(2027, month, number)


@pytest.mark.parametrize(
    ("rule", "away", "extended", "due"),
    [
        (Rule(), (), timedelta(), datetime(2027, 3, 4, 10, tzinfo=UTC)),
        (Rule(holidays=("2027-03-02 to 2027-03-03",)), (), timedelta(), datetime(2027, 3, 6, 10, tzinfo=UTC)),
        (Rule(holidays=("2027-03-02",)), (Days(day(2), day(3)), Days(day(3), day(4))), timedelta(),
         datetime(2027, 3, 7, 10, tzinfo=UTC)),
        (Rule(), (Days(day(20), day(25)),), timedelta(), datetime(2027, 3, 4, 10, tzinfo=UTC)),
        (Rule(), (Days(day(1), day(1)),), timedelta(), datetime(2027, 3, 5, 0, tzinfo=UTC)),
        # Rounded to 18:00 on the 4th, which is a holiday from midnight on.
        (Rule(at="18:00", within="3 days", holidays=("2027-03-05",), days=("fri", "mon")), (), timedelta(),
         datetime(2027, 3, 8, 18, tzinfo=UTC)),
        (BERLIN, (), timedelta(), datetime(2027, 3, 4, 17, tzinfo=UTC)),
        (BERLIN, (), timedelta(hours=6), datetime(2027, 3, 5, 17, tzinfo=UTC)),
        # Over the beginning of summer time: 18:00 stays 18:00.
        (BERLIN, (), timedelta(days=25), datetime(2027, 3, 29, 16, tzinfo=UTC)),
        (Rule(holidays=("2027-03-05",)), (), timedelta(days=1), datetime(2027, 3, 6, 10, tzinfo=UTC)),
        # A single day, of a holiday and of somebody who is away.
        (Rule(holidays=("2027-03-02",)), (), timedelta(), datetime(2027, 3, 5, 10, tzinfo=UTC)),
        (Rule(), (Days(day(2), day(2)),), timedelta(), datetime(2027, 3, 5, 10, tzinfo=UTC)),
        # A deadline in the moment in which days begin that do not count is none of them, and stays.
        (Rule(within="14 hours"), (Days(day(2), day(5)),), timedelta(), datetime(2027, 3, 2, 0, tzinfo=UTC)),
        (Rule(within="14 hours", at="0:00"), (Days(day(2), day(5)),), timedelta(), datetime(2027, 3, 2, tzinfo=UTC)),
        (Rule(within="13 hours", at="0:00"), (Days(day(2), day(5)),), timedelta(), datetime(2027, 3, 2, tzinfo=UTC)),
        (Rule(within="13 hours", at="0:01"), (Days(day(2), day(5)),), timedelta(), datetime(2027, 3, 6, 0, 1, tzinfo=UTC)),  # noqa: E501
        # Days that begin as others end are days with these: 0:00 on Thursday is in the middle of both.
        (Rule(within="10 hours", at="0:00", days=("mon", "wed", "thu")), (Days(day(2), day(3)), Days(day(4), day(5))),
         timedelta(), datetime(2027, 3, 8, tzinfo=UTC)),
        # So does one in the moment in which they end.
        (Rule(within="14 hours"), (Days(day(1), day(1)),), timedelta(), datetime(2027, 3, 2, 14, tzinfo=UTC)),
    ],
)  # fmt: skip
def test_days_that_do_not_count(rule: Rule, away: tuple[Days, ...], extended: timedelta, due: datetime) -> None:
    found = times(rule, MONDAY, away=away, extended=extended)
    assert found.due == due
    assert found.final >= due and all(MONDAY < one <= due for one in found.reminders)


def test_grace_does_not_run_on_a_holiday() -> None:
    assert times(Rule(holidays=("2027-03-05",), grace="20 hours"), MONDAY).final == datetime(2027, 3, 6, 6, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "2027-13-01", "2027-03-02 to 2027-03-01", "soon", "2027-01-01 to 2029-01-01"])
def test_what_are_no_days(text: str) -> None:
    assert days_in(text) is None
    (fault,) = rule_faults(Rule(holidays=(text,)))
    assert "holidays" in fault.text


@pytest.mark.parametrize(
    ("subject", "word"),
    [
        ("AWAY 2027-03-02 to 2027-03-09", "AWAY"),
        ("Re: away until 2027-03-09", "AWAY"),
        ("Away 5 days", "AWAY"),
        ("AWAY", "AWAY"),
        ("away off", "AWAY"),
        ("Extend 1 day", "EXTEND"),
        ("Away until Sunday", "AWAY"),
        ("away till tomorrow!", "AWAY"),
        ("away from December 4 to December 7", "AWAY"),
        ("Away until 3 December", "AWAY"),
        ("AWAY Dec 4-7", "AWAY"),
        ("AWAY from Monday to Friday", "AWAY"),
        ("Away tomorrow", "AWAY"),
        ("away next week.", "AWAY"),
        ("AWAY for two weeks", "AWAY"),
        ("AWAY 10.3. - 20.3.", "AWAY"),
        ("EXTEND a day", "EXTEND"),
        ("Extend by two days", "EXTEND"),
        ("Away next time", ""),
        ("Extend one photon's arc", ""),
        ("Away may be a good idea", ""),
        ("Away until we meet again", ""),
        ("Away team beams down", ""),
        ("Away for the weekend", ""),
        ("Extend my phasers' arcs", ""),
        ("AWAYS", ""),
    ],
)
def test_which_words_are_such_a_letter(subject: str, word: str) -> None:
    found = command_in(subject, "")
    assert (found.word if found else "") == word


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("until tomorrow", date(2027, 3, 2)),
        ("until Sunday", date(2027, 3, 7)),
        ("till monday", date(2027, 3, 8)),  # said on a Monday
        ("until 2027-03-01", date(2027, 3, 1)),
        ("until 3 December", date(2027, 12, 3)),
        ("until Dec 3rd", date(2027, 12, 3)),
        ("until 28 February", date(2028, 2, 28)),  # the next one
        ("until 29 February", date(2028, 2, 29)),
        ("until 1st of March", date(2027, 3, 1)),
        ("until 3 Dec. 2028", date(2028, 12, 3)),
        ("until 31 June", None),
        ("until 2027-02-28", None),
        ("until 2027-02-30", None),
        ("Sunday", None),
    ],
)
def test_which_day_is_the_last(text: str, named: date | None) -> None:
    assert last_day(text, MONDAY.date()) == named


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("4 to 7 December", date(2027, 12, 4), date(2027, 12, 7)),
        ("from December 4 to December 7", date(2027, 12, 4), date(2027, 12, 7)),
        ("Dec 4-7", date(2027, 12, 4), date(2027, 12, 7)),
        ("24 december to 2 january", date(2027, 12, 24), date(2028, 1, 2)),
        ("27 February to 3 March", date(2027, 2, 27), date(2027, 3, 3)),  # said on the first of March
        ("24 December 2028 to 2 January 2029", date(2028, 12, 24), date(2029, 1, 2)),
        ("5th of May", date(2027, 5, 5), date(2027, 5, 5)),
        ("2027-03-02 to 2027-03-09", date(2027, 3, 2), date(2027, 3, 9)),
        ("5 January to 5 January 2028", date(2028, 1, 5), date(2028, 1, 5)),
        ("Jan 5 to 5 January", date(2028, 1, 5), date(2028, 1, 5)),
        ("6 January to 5 January 2029", date(2028, 1, 6), date(2029, 1, 5)),  # a year of 366 days
        ("28 December 2028 to 3 January", date(2028, 12, 28), date(2029, 1, 3)),
        ("2028-12-28 to 3 January", date(2028, 12, 28), date(2029, 1, 3)),
    ],
)
def test_days_by_the_names_of_months(text: str, first: date, last: date) -> None:
    assert days_in(text, MONDAY.date()) == Days(first, last)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("Monday to Friday", day(1), day(5)),  # said on a Monday
        ("from Tuesday to Monday", day(2), day(8)),
        ("on Wednesday", day(3), day(3)),
        ("today", day(1), day(1)),
        ("tomorrow to Sunday", day(2), day(7)),
        ("Friday to 20 March", day(5), day(20)),
        ("next week", day(8), day(14)),
        ("for two weeks", day(1), day(14)),
        ("a week", day(1), day(7)),
        ("10.3. - 20.3", day(10), day(20)),
        ("10.03.2027 bis 20.03.2027", day(10), day(20)),
        ("10. - 20.3.", day(10), day(20)),
        ("24.12. to 2.1.", date(2027, 12, 24), date(2028, 1, 2)),
    ],
)
def test_days_as_people_say_them(text: str, first: date, last: date) -> None:
    assert days_meant(text.upper(), MONDAY.date()) == Days(first, last)


@pytest.mark.parametrize("text", ["Friday to tomorrow", "31.2.", "40.13.", "10/3 - 20/3", "1.5 days", "10.3.27"])
def test_what_may_be_several_days_or_none_is_asked_about(text: str) -> None:
    assert days_meant(text.upper(), MONDAY.date()) is None


@pytest.mark.parametrize("text", ["4 to 7", "31 June", "7 to 4 December", "30 February to 2 March", "3 Decembre"])
def test_what_are_no_days_of_a_month(text: str) -> None:
    assert days_in(text, MONDAY.date()) is None


def test_a_holiday_of_a_club_has_its_year() -> None:
    assert days_in("24 December to 1 January") is None
    for said in ("24 December 2027 to 1 January 2028", "24 December 2027 to 1 January"):
        assert days_in(said) == Days(date(2027, 12, 24), date(2028, 1, 1))


# --- the umpire ------------------------------------------------------------------------------------------------------


def extend(*line: str | Path) -> Any:
    return CliRunner().invoke(app, ["host", "extend", *map(str, line)])


def test_the_umpire_gives_more_time_and_everybody_is_told_once(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.app.cli.host._now", lambda: begun.now)
    done = extend(begun.game, "2 days", "--reason", "Ann's new job")
    assert done.exit_code == 0 and "due Fri 5 Mar 2027, 12:00 (UTC)" in done.output, done.output
    for letters in told(begun).values():
        [letter] = letters
        assert "The umpire has given more time. Ann's new job" in letter
        assert "The deadline is Fri 5 Mar 2027, 12:00 (UTC)." in letter
    again = extend(begun.game, "2 days", "--reason", "Ann's new job")
    assert "as it was given before" in again.output
    assert told(begun) == {"federation": [], "klingon": []}
    assert "Sun 7 Mar" in extend(begun.game, "2 days", "--reason", "and her holidays").output


def test_a_deadline_is_moved_to_the_end_of_a_day(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.app.cli.host._now", lambda: begun.now)
    done = extend(begun.game, "until Sunday", "--reason", "no time")
    assert done.exit_code == 0 and "due Mon 8 Mar 2027, 00:00 (UTC)" in done.output, done.output
    assert all("The deadline is Mon 8 Mar 2027, 00:00" in one for [one] in told(begun).values())
    assert "as it was given before" in extend(begun.game, "until Sunday", "--reason", "no time").output
    many = extend(begun.folder, "until Friday", "--all", "--reason", "y")
    assert many.exit_code == 0 and "as before: not sooner" in many.output
    for days, said in (("until Friday", "orders are already due"), ("until 2027-02-28", "is past")):
        assert said in str(extend(begun.game, days, "--reason", "y").exception)


def test_the_umpire_says_who_is_away(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.app.cli.host._now", lambda: begun.now)

    def player(*line: str) -> str:
        done = CliRunner().invoke(app, ["host", "player", str(begun.folder), "Kor@example.org", *line])
        return done.output if done.exception is None else str(done.exception)

    assert "is away on 2027-03-01 to 2027-03-05" in player("--away", "until Friday")
    player("--away", "until Friday")
    for side, [letter] in told(begun).items():
        assert ("You are" if side == "klingon" else "klingon is") + " away from 2027-03-01 to 2027-03-05" in letter
    status = CliRunner().invoke(app, ["host", "status", str(begun.folder)]).output
    assert ("klingon is away" in status) == (datetime.now(UTC).date() <= date(2027, 3, 5))
    assert "is back" in player("--away", "off") and not read_absences(begun.folder / "mail")
    assert "is past" in player("--away", "2027-02-01") and "is not like" in player("--away", "long")
    assert "nobody here" in str(
        CliRunner().invoke(app, ["host", "player", str(begun.folder), "eve", "--away", "5 days"]).exception
    )


def test_a_sitrep_says_why_its_deadline_is_later_and_no_other_mail_does(begun: Hosted) -> None:
    write(begun, "klingon", "AWAY until 2027-03-09")
    told(begun)
    for side in ADDRESSES:
        answer(begun, side)
    for side, letters in told(begun).items():
        sitrep = letters[-1]
        assert "REPLY 2" in sitrep or "SITREP" in sitrep
        assert ("You are" if side == "klingon" else "klingon is") + " away from 2027-03-01 to 2027-03-09" in sitrep
        assert not [one for one in letters if "more time" in one]


def test_time_that_is_given_late_runs_from_now_and_reminders_come_anew(begun: Hosted) -> None:
    begun.later(days=9)
    operate.extend(begun.game, "3 days", begun.now, "forgotten")
    first = {side: len(begun.sent_to(side)) for side in ADDRESSES}
    assert all("The deadline is Sat 13 Mar 2027, 12:00" in one for [one] in told(begun).values())
    begun.now += timedelta(days=2)
    begun.round()
    for side in ADDRESSES:
        assert subjects(begun.sent_to(side)[first[side] :])[1:] == ["duel01 1.0: orders are missing"]
    begun.later(hours=26)
    assert not any("waits for" in one for one in begun.round().news), "nobody is late before"


def test_a_club_may_give_time_to_all_or_to_one(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(begun.game, begun.folder / "games" / "other")
    (begun.folder / "games" / "broken").mkdir()
    (begun.folder / "games" / "broken" / "game.toml").write_bytes(b"format = 9\n")
    monkeypatch.setattr("pbem.app.cli.host._now", lambda: begun.now)
    done = extend(begun.folder, "1 day", "--all", "--reason", "the server was ill", "--json")
    found = json.loads(done.output)["games"]
    assert [(one["game"], one["new"], bool(one["trouble"])) for one in found] == [
        ("broken", False, True), ("duel01", True, False), ("other", True, False),
    ]  # fmt: skip
    assert done.exit_code == 1, "one could not be done"
    shutil.rmtree(begun.folder / "games" / "broken")
    answer(begun, "klingon")
    mine = operate.extend(begun.folder, "1 day", begun.now, "exams", player="Kor@example.org")
    assert [one.game for one in mine] == ["duel01", "other"]
    assert operate.extend(begun.folder, "1 day", begun.now, "exams", player="nobody@example.org") == []
    name = next(player for side, player in players_of(begun).items() if side == "klingon").partition(" <")[0]
    for who in (name, name.upper(), f" {name} "):
        again = operate.extend(begun.folder, "1 day", begun.now, "exams", player=who)
        assert [(one.game, one.new) for one in again] == [("duel01", False), ("other", False)], who
    assert operate.extend(begun.folder, "1 day", begun.now, "exams", player=" ") == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("soon", "--reason", "x"), "write a length of time"),
        (("2 days", "--reason", " "), "give a reason"),
        (("2 days", "--reason", "x", "--all"), "with a club's folder"),
    ],
)
def test_what_cannot_be_extended(begun: Hosted, line: tuple[str, ...], said: str) -> None:
    before = timetable.read_clock(begun.game)
    done = extend(begun.game, *line)
    assert done.exit_code == 1 and said in str(done.exception)
    assert timetable.read_clock(begun.game) == before
    assert "to say which games" in str(extend(begun.folder, "2 days", "--reason", "x").exception)


# --- letters ---------------------------------------------------------------------------------------------------------


def test_who_is_away_is_waited_for_in_all_his_games_and_all_are_told(begun: Hosted) -> None:
    write(begun, "klingon", "AWAY 2027-03-02 to 2027-03-09")
    letters = told(begun)
    [mine], [theirs] = letters["klingon"], letters["federation"]
    assert "You are marked as away from 2027-03-02 to 2027-03-09 (UTC) in all your games here: duel01." in mine
    assert "klingon is away from 2027-03-02 to 2027-03-09; these days do not count toward the deadline." in theirs
    for letter in (mine, theirs):
        assert letter.count("The deadline is Thu 11 Mar 2027, 12:00 (UTC).") == 1
    assert begun.scripted("klingon"), "no letter is an order"
    write(begun, "klingon", "AWAY OFF")
    letters = told(begun)
    [mine] = letters["klingon"]
    assert letters["federation"] == [] and "You are back" in mine and "Thu 11 Mar 2027" in mine, (
        "no deadline comes nearer"
    )
    answer(begun, "klingon", "federation")
    begun.round()
    assert "Sat 13 Mar" not in last(begun, "klingon") and timetable.read_clock(begun.game).away == ()


@pytest.mark.parametrize(
    ("words", "days"),
    [("AWAY 5 days", "2027-03-01 to 2027-03-05"), ("AWAY 1 day", "2027-03-01"),
     ("AWAY until 2027-03-04", "2027-03-01 to 2027-03-04"), ("AWAY until 2027-03-01", "2027-03-01")],
)  # fmt: skip
def test_days_from_today_on_count_today(begun: Hosted, words: str, days: str) -> None:
    write(begun, "klingon", words)
    assert f"{days} (UTC)" in told(begun)["klingon"][0]


def second_game(hosted: Hosted) -> Path:
    """Another game of the same two players."""
    other = hosted.folder / "games" / "other"
    shutil.copytree(hosted.game, other)
    terms = other / "game.toml"
    terms.write_text(terms.read_text("utf-8").replace('name = "duel01"', 'name = "other"'), "utf-8")
    (other / "secret" / "tokens.json").unlink()
    shutil.rmtree(other / "mail")
    hosted.round()
    return other


def test_one_answer_has_the_new_deadlines_of_all_games(begun: Hosted) -> None:
    """The others get a notice for each game; in a game that cannot be worked on the deadline moves later."""
    begun.now += timedelta(hours=1)
    other = second_game(begun)
    write(begun, "klingon", "AWAY tomorrow")
    letters = told(begun)
    [mine] = letters["klingon"]
    assert "duel01 (klingon): The deadline is Thu 4 Mar 2027, 12:00 (UTC). other (klingon): The deadline" in mine
    assert "other (klingon): The deadline is Thu 4 Mar 2027, 13:00 (UTC)." in mine
    assert len(letters["federation"]) == 2
    assert all("klingon is away on 2027-03-02" in one for one in letters["federation"])
    begun.now += timedelta(minutes=1)
    write(begun, "federation", "AWAY 4 March")
    with opened(other, lock="test"):
        assert begun.round().letters == ("command",)
    letters = told(begun)
    assert len(letters["klingon"]) == 1 and "Fri 5 Mar 2027, 13:00" in letters["klingon"][0], "that of the other game"
    [late] = letters["federation"]
    assert (
        "You are away on 2027-03-04; these days do not count toward the deadline. The deadline is "
        "Fri 5 Mar 2027, 13:00" in late
    )


def test_an_answer_that_waits_has_each_deadline_as_it_is_when_it_goes(begun: Hosted) -> None:
    begun.now += timedelta(hours=1)
    second_game(begun)
    begun.now += timedelta(minutes=1)
    write(begun, "klingon", "AWAY tomorrow")
    sink, begun.sink = begun.sink, Dead()
    for _ in range(2):
        begun.round()
        begun.now += timedelta(hours=6)
    begun.sink = sink
    letters = told(begun)
    [mine] = [one for one in letters["klingon"] if "You are marked as away on 2027-03-02 (UTC)" in one]
    found = [timetable.due_of(begun.folder / "games" / name, begun.now) for name in ("duel01", "other")]
    dues = [written(one[0].due, "UTC") for one in found if one is not None]
    assert len(set(dues)) == 2 and all("Thu 4 Mar" not in due or "12:00" not in due for due in dues)
    for name, due in zip(("duel01", "other"), dues, strict=True):
        assert f"{name} (klingon): The deadline is {due}." in mine


class Dead(Sink):
    """No server answers."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        raise Unreachable("no route")


def test_who_takes_orders_back_while_away_reads_the_new_deadline_in_the_answer(begun: Hosted) -> None:
    answer(begun, "klingon")
    begun.round()
    write(begun, "klingon", "AWAY until 2027-03-09")
    told(begun)
    write(begun, "klingon", "WITHDRAW")
    letters = told(begun)
    [mine], [theirs] = letters["klingon"], letters["federation"]
    assert "You are away from 2027-03-01 to 2027-03-09; these days do not count." in mine
    for letter in (mine, theirs):
        assert "The deadline is Fri 12 Mar 2027, 00:00 (UTC)." in letter


def test_a_single_day_away_moves_a_deadline_by_a_day(begun: Hosted) -> None:
    write(begun, "klingon", "AWAY 2027-03-02")
    letters = told(begun)
    assert "You are marked as away on 2027-03-02 (UTC)" in letters["klingon"][0]
    [theirs] = letters["federation"]
    assert "klingon is away on 2027-03-02; these days do not count toward the deadline." in theirs
    assert "The deadline is Thu 4 Mar 2027, 12:00 (UTC)." in theirs


def test_an_absence_that_begins_with_the_deadline_moves_nothing(begun: Hosted) -> None:
    """The deadline is at noon on 3 March; by the clocks of Auckland a day begins at 11:00 UTC."""
    away = [timetable.Away(side="klingon", days=Days(day(4), day(4)))]
    with opened(begun.game, lock="test") as game:
        clock = timetable.read_clock(begun.game)
        rule = Rule(zone="Pacific/Auckland", within="47 hours", grace="0 hours")
        found = clock.times(rule, Rounds())
        assert found is not None and found.final == datetime(2027, 3, 3, 11, tzinfo=UTC)
        assert timetable.adopt(game, away, begun.now, rule, Rounds()).away == ()
        longer = Rule(zone="Pacific/Auckland", within="48 hours", grace="0 hours")
        assert timetable.adopt(game, away, begun.now, longer, Rounds()).away == (away[0],)


def test_an_absence_that_is_just_over_changes_nothing(begun: Hosted) -> None:
    """Days count up to the midnight that ends them, and that midnight is none of them."""
    midnight = datetime(2027, 3, 2, tzinfo=UTC)
    away = [timetable.Away(side="klingon", days=Days(day(1), day(1)))]
    with opened(begun.game, lock="test") as game:
        assert timetable.adopt(game, away, midnight, Rule(), Rounds()).away == ()
        assert timetable.adopt(game, away, midnight - timedelta(seconds=1), Rule(), Rounds()).away == (away[0],)


def test_who_has_answered_holds_up_nobody_by_going_away(begun: Hosted) -> None:
    answer(begun, "klingon")
    begun.round()
    write(begun, "klingon", "AWAY until 2027-03-09")
    letters = told(begun)
    assert letters["federation"] == [] and len(letters["klingon"]) == 1


def test_an_absence_told_long_before_counts_when_it_comes(begun: Hosted) -> None:
    write(begun, "klingon", "AWAY 2027-03-10 to 2027-03-12")
    assert [len(found) for found in told(begun).values()] == [0, 1]
    begun.later(days=8)
    answer(begun, "klingon", "federation")
    begun.round()
    assert "these days do not count" in last(begun, "federation")
    assert "Sun 14 Mar 2027" in last(begun, "federation")


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("AWAY 2027-03-02 to 2027-04-30", "2027-03-02 to 2027-04-30 is 60 days. This club allows 21 days at a time"),
        ("AWAY 2027-02-01 to 2027-02-03", "is in the past"),
        ("AWAY 31 maybe", "Which days do you mean by '31 maybe'?"),
        ("EXTEND 9 days", "This club allows at most 2 days of extra time for one request"),
        ("EXTEND", "This club allows at most 2 days for one request"),
        ("EXTEND 1 day or two", "alone on its line"),
    ],
)
def test_what_a_club_does_not_allow_changes_nothing(begun: Hosted, said: str, wrong: str) -> None:
    before = timetable.read_clock(begun.game)
    write(begun, "klingon", said)
    letters = told(begun)
    assert letters["federation"] == []
    [letter] = letters["klingon"]
    assert wrong in letter
    assert timetable.read_clock(begun.game) == before and read_absences(begun.folder / "mail") == ()


def test_all_absences_of_a_year_together(begun: Hosted) -> None:
    for first in (3, 24):
        write(begun, "klingon", f"AWAY 2027-03-{first:02} to 2027-{'03-23' if first == 3 else '04-13'}")
    write(begun, "klingon", "AWAY 2027-06-01")
    begun.round()
    assert any(
        "You have already announced 42 within a year" in " ".join(words(one).split())
        for one in begun.sent_to("klingon")
    )
    assert len(read_absences(begun.folder / "mail")) == 2


def test_a_player_extends_once_a_request_and_so_often_in_a_game(begun: Hosted) -> None:
    write(begun, "klingon", "EXTEND 1 day")
    letters = told(begun)
    [mine], [theirs] = letters["klingon"], letters["federation"]
    assert "You have more time. The other players have been told. The deadline is Thu 4 Mar 2027, 12:00 (UTC)." in mine
    assert "klingon asked for more time." in theirs and "Thu 4 Mar 2027, 12:00 (UTC)" in theirs
    write(begun, "klingon", "EXTEND 1 day")
    assert "already been given more time for this request" in told(begun)["klingon"][0]
    write(begun, "federation", "EXTEND 12 hours")
    assert "Fri 5 Mar 2027, 00:00" in told(begun)["klingon"][0]


def test_orders_below_such_a_word_are_orders(begun: Hosted) -> None:
    write(begun, "klingon", "", "AWAY 5 days\n\n" + begun.scripted("klingon"))
    begun.round()
    assert "AWAY was passed over, as the email has orders" in last(begun, "klingon")
    assert not begun.scripted("klingon") and read_absences(begun.folder / "mail") == ()


@pytest.mark.slow
def test_a_letter_that_asks_for_time_is_granted_once_wherever_the_round_is_cut(tmp_path: Path) -> None:
    start = Hosted(tmp_path / "start")
    start.round()
    start.now += timedelta(minutes=1)
    for said in ("AWAY 2027-03-02 to 2027-03-03", "EXTEND 1 day"):
        write(start, "klingon", said)

    def copy(name: str) -> Hosted:
        found = Hosted(tmp_path / name)
        shutil.rmtree(found.folder)
        shutil.copytree(start.folder, found.folder)
        found.now, found.posted = start.now, start.posted
        return found

    whole = copy("whole")
    count = len(operations(lambda: whole.round(), under=whole.folder))
    wanted = sorted(subjects([message(mail) for _, mail in whole.sink.mails]))
    for place in range(0, count, 5):
        one = copy("cut")
        with cut_at(place, under=one.folder):
            one.round()
        one.round()
        one.now += timedelta(minutes=20)
        one.round()
        sent = {str(message(mail)["Message-ID"]): message(mail) for _, mail in one.sink.mails}
        assert sorted(subjects(list(sent.values()))) == wanted, place
        clock = timetable.read_clock(one.game)
        assert len(clock.extensions) == len(clock.away) == 1, place
        shutil.rmtree(one.folder)


def message(raw: bytes) -> Any:
    return message_from_bytes(raw, policy=policy.default)


def test_absences_on_file(tmp_path: Path) -> None:
    for cause, (first, end) in itertools.chain(enumerate([(1, 3), (5, 9), (20, 22)]), [(0, (1, 3))]):
        add_absence(tmp_path, Absence(who="k@x.example", days=Days(day(first), day(end)), cause=str(cause)))
    assert len(read_absences(tmp_path)) == 3
    assert end_absences(tmp_path, lambda one: one.who == "k@x.example", day(6)) == 2
    assert [str(one.days) for one in read_absences(tmp_path)] == ["2027-03-01 to 2027-03-03", "2027-03-05"]
    with pytest.raises(Exception, match="damaged"):
        keep_fact(tmp_path, ABSENCES, {})
        read_absences(tmp_path)


@pytest.mark.parametrize(
    ("first", "end", "ended", "left"),
    [
        (5, 6, 1, ["2027-03-05"]),
        (6, 6, 1, []),
        (6, 8, 1, []),
        (7, 7, 1, []),
        (5, 5, 0, ["2027-03-05"]),
    ],
    ids=["on its last day", "on its one day", "on its first day", "on the day before", "on the day after"],
)
def test_an_absence_ends_on_the_day_somebody_is_back(
    tmp_path: Path, first: int, end: int, ended: int, left: list[str]
) -> None:
    add_absence(tmp_path, Absence(who="k@x.example", days=Days(day(first), day(end)), cause="a letter"))
    assert end_absences(tmp_path, lambda _: True, day(6)) == ended
    assert [str(one.days) for one in read_absences(tmp_path)] == left


def test_an_absence_is_told_through_its_last_day() -> None:
    away = (
        timetable.Away(side="klingon", days=Days(day(2), day(4))),
        timetable.Away(side="orion", days=Days(day(3), day(3))),
    )
    clock = timetable.Clock(away=away)
    klingon, orion = "klingon is away on 2027-03-02 to 2027-03-04", "orion is away on 2027-03-03"
    assert [clock.gone(day(n)) for n in (3, 4, 5)] == [[klingon, orion], [klingon], []]


def test_a_game_that_nobody_hosts_has_no_such_time(begun: Hosted) -> None:
    with opened(begun.game, lock="test") as game:
        shutil.move(begun.folder / "host.toml", begun.folder / "no.toml")
        with pytest.raises(Exception, match="there is nothing to extend"):
            timetable.extend(game, timedelta(days=1), begun.now, timetable.Grounds(cause="x"))


def test_while_a_game_waits_the_late_one_is_reminded_daily_and_the_others_know(begun: Hosted) -> None:
    answer(begun, "federation")
    begun.round()
    first = {side: len(begun.sent_to(side)) for side in ADDRESSES}
    begun.later(days=5)
    begun.round()
    late = begun.sent_to("klingon")[first["klingon"] :]
    # A day before, at the deadline, then daily once a second round has seen that grace is over.
    assert subjects(late) == ["duel01 1.0: orders are missing"] * 4
    [told_] = begun.sent_to("federation")[first["federation"] :]
    assert subjects([told_]) == ["duel01 1.0: waiting for klingon"]
    assert f"the deadline of turn 1, REPLY 1 was {DUE} (UTC)" in " ".join(words(told_).split())
    [umpire, *_] = [" ".join(words(one).split()) for one in begun.sent_to("umpire")]
    for line in (
        'pbem host extend host/games/duel01 "2 days" --reason TEXT',
        "pbem host replace host/games/duel01 klingon ADDRESS",
        "pbem pause host/games/duel01",
    ):
        assert line in umpire
    begun.later(days=30)
    assert len(begun.sent_to("klingon")) <= first["klingon"] + 2 + 14, "then it is the umpire's affair"


def test_a_pause_over_a_holiday_is_counted_once(begun: Hosted) -> None:
    host = begun.folder / "host.toml"
    text = host.read_text("utf-8").replace("[deadlines]", '[deadlines]\nholidays = ["2027-03-02", "2027-03-20"]')
    host.write_text(text, "utf-8")
    begun.round()
    timetable.pause(begun.game, begun.now)
    begun.now += timedelta(days=3)
    timetable.resume(begun.game, begun.now)
    due, _, clock = timetable.due_of(begun.game) or (None, None, None)
    assert due is not None and clock is not None
    assert (due.due, clock.held) == (datetime(2027, 3, 6, 12, 0, tzinfo=UTC), 2 * 86400)


def test_all_games_of_who_asks_stand_in_one_letter(begun: Hosted) -> None:
    shutil.copytree(begun.game, begun.folder / "games" / "other")
    terms = begun.folder / "games" / "other" / "game.toml"
    terms.write_text(terms.read_text("utf-8").replace('name = "duel01"', 'name = "other"'), "utf-8")
    (begun.folder / "games" / "other" / "secret" / "tokens.json").unlink()
    begun.round()
    found = asked(begun, "klingon")
    owes = "turn 1, impulse 0; you owe energy allocation forms (EAF) for turn 1, REPLY 1"
    assert f"YOUR OTHER GAMES HERE other (klingon): {owes} by {DUE} (UTC)." in found and "Late" not in found
    begun.later(days=3)
    assert asked(begun, "federation").count(f"Late since {DUE} (UTC): federation, klingon.") == 2
    timetable.pause(begun.folder / "games" / "other", begun.now)
    found = asked(begun, "federation")
    assert found.count("Late since") == 1 and f"{owes}; the game is paused." in found


def asked(hosted: Hosted, side: str) -> str:
    """The answer to STATUS."""
    before = len(hosted.sent_to(side))
    write(hosted, side, "STATUS")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    [found] = [one for one in hosted.sent_to(side)[before:] if "status of the game" in str(one["Subject"])]
    return " ".join(words(found).split())


def players_of(hosted: Hosted) -> dict[str, str]:
    with opened(hosted.game) as game:
        return players(game.path, game.terms)


def test_a_pause_and_its_end_are_told_once(begun: Hosted) -> None:
    timetable.pause(begun.game, begun.now, "The umpire is in hospital.")
    for [letter] in told(begun).values():
        assert "duel01 has been paused since Mon 1 Mar 2027, 12:00 (UTC)" in letter and "in hospital" in letter
    begun.later(days=2)
    timetable.resume(begun.game, begun.now)
    for [letter] in told(begun).values():
        assert "duel01 continues" in letter and "The deadline is Fri 5 Mar 2027, 12:02 (UTC)" in letter


def test_a_game_whose_players_have_no_token_yet_has_more_time(hosted: Hosted) -> None:
    [given] = operate.extend(hosted.folder, "1 day", hosted.now, "exams", player=ADDRESSES["klingon"])
    assert (given.game, given.new, given.trouble) == ("duel01", True, "")


def test_one_email_enters_few_modules(begun: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is imported and read once before. What an email needs not is not entered."""
    entered: set[str] = set()

    def look(frame: FrameType, _event: str, _about: object) -> None:
        entered.add(str(frame.f_globals.get("__name__")))

    def take_in(*given: Any, **named: Any) -> Any:
        entered.clear()
        sys.setprofile(look)
        try:
            return real(*given, **named)
        finally:
            sys.setprofile(None)

    real = intake.take_in
    monkeypatch.setattr(intake, "take_in", take_in)
    for side, said in (("klingon", "AWAY next week"), ("federation", "AWAY tomorrow"), ("klingon", "AWAY tomorrow")):
        begun.now += timedelta(minutes=1)
        write(begun, side, said)
        assert begun.round().letters == ("command",)
    found = sorted(name for name in entered if name.startswith(("pbem.", "vassal")))
    assert "pbem.mail.commands.time" in found and len(found) <= 30, " ".join(found)
