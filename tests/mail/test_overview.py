"""`pbem host status`: what needs the umpire stands first, each with the line that helps."""

from __future__ import annotations

import json
import os
import shlex
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host as door
from pbem.app.cli.commands import app
from pbem.games.storage.files import keep
from pbem.games.storage.opening import opened
from pbem.mail.commands.umpire import Pending
from pbem.mail.host import clocks as timetable, overview as weekly
from pbem.mail.host.overview import overview
from pbem.mail.replies.reply import Reply
from pbem.mail.settings import read_host
from pbem.mail.store import keep_fact, read_fact
from pbem.mail.transport.outbox import Outbox
from pbem.mail.umpires import RULING_FILE

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, words
else:
    from post_hosted import Hosted, words


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "host")


def test_a_game_says_who_owes_and_is_paused_or_late(hosted: Hosted) -> None:
    hosted.round()
    (row,) = overview(hosted.folder, hosted.now).games
    assert row.owes == ("federation", "klingon") and row.due is not None and row.stands == "open"
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    hosted.round()
    found = overview(hosted.folder, hosted.now)
    assert found.games[0].owes == ("klingon",) and found.needs == () and not found.red
    hosted.later(days=2, hours=13)
    hosted.round()
    (need,) = overview(hosted.folder, hosted.now).needs
    assert not need.red and "waits for klingon" in need.text and need.since == hosted.now
    assert [line.split()[1] for line in need.commands] == ["pause", "host", "override"]
    pause, replace, _ = (shlex.split(line) for line in need.commands)
    assert pause == ["pbem", "pause", str(hosted.game)] and replace[3:5] == [str(hosted.game), "klingon"]
    with opened(hosted.game, lock="pause") as game:
        timetable.pause(game.path, hosted.now, "a holiday")
    assert overview(hosted.folder, hosted.now).games[0].says.endswith(": a holiday")


def test_what_is_red_stands_above_what_is_late_and_a_line_of_it_can_be_pasted(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_now", lambda: hosted.now)
    assert overview(hosted.folder, hosted.now).red  # no round yet
    hosted.round()
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    hosted.later(days=2, hours=13)
    clock = hosted.game / "mail" / "clock.json"
    whole = clock.read_bytes()
    hosted.round()
    clock.write_text("{")
    done = CliRunner().invoke(app, ["host", "status", str(hosted.folder)])
    lines = done.stdout.split("\n")
    assert done.exit_code == 1 and lines[1].startswith("Not in order: The game duel01 cannot be read:")
    assert lines[2] == f"    pbem doctor {hosted.folder}" and "waits for klingon" in done.stdout
    assert done.stdout.count("Not in order") == 1
    clock.write_bytes(whole)
    found = json.loads(CliRunner().invoke(app, ["host", "status", str(hosted.folder), "--json"]).stdout)
    assert [need["red"] for need in found["needs"]] == [False]
    hosted.now += 2 * (hosted.now - hosted.now.replace(hour=0))
    hosted.now = hosted.now.replace(day=hosted.now.day + 3)
    quiet = overview(hosted.folder, hosted.now).needs[0]
    assert quiet.red and quiet.commands[0] == f"pbem host {hosted.folder} --once"


def test_no_game_is_opened_for_it(hosted: Hosted) -> None:
    hosted.round()
    for log in hosted.game.glob("*/events.jsonl"):
        log.unlink()
    assert overview(hosted.folder, hosted.now).games[0].stands == "open"


def test_each_week_has_one_letter_good_ones_too(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    for _ in range(3 * 7 * 2):
        hosted.now += timedelta(hours=12)
        hosted.round()
    told = [one for one in hosted.sent_to("umpire") if "your club" in str(one["Subject"])]
    assert [str(one["Subject"]) for one in told] == ["pbem: your club (Test): 1 thing needs your attention"] * 2, (
        "the third waits"
    )
    assert f"pbem host replace {hosted.game} klingon ADDRESS" in words(told[0]) and "duel01: turn 1" in words(told[0])
    assert len({one["Message-ID"] for one in told}) == 2
    # Off for three weeks and a day: one letter, not three, on the old day of the week.
    since = _since(hosted)
    hosted.now += timedelta(days=22)
    hosted.round()
    hosted.round()
    then = _since(hosted)
    assert datetime.fromisoformat(then) - datetime.fromisoformat(since) == timedelta(days=21)
    assert sum("your club" in str(one["Subject"]) for one in hosted.sent_to("umpire")) == 4


def test_a_letter_comes_every_week_and_on_the_same_day(hosted: Hosted) -> None:
    hosted.round()
    host, begun, days = read_host(hosted.folder), hosted.now, list[float]()
    weekly.tell(hosted.folder, host, begun, (), lambda _: None)
    for half_days in range(1, 2 * 29):
        now = begun + timedelta(hours=12 * half_days)
        weekly.tell(hosted.folder, host, now, (), lambda _, now=now: days.append((now - begun).days))  # type: ignore[misc]
    assert days == [7, 14, 21, 28]


def _since(hosted: Hosted) -> str:
    week = read_fact(hosted.folder / "mail", weekly.WEEKLY, weekly.Week)
    assert week is not None
    return week.since.isoformat()


def test_a_letter_of_the_week_that_was_cut_off_is_sent_once(hosted: Hosted) -> None:
    hosted.round()
    before = read_fact(hosted.folder / "mail", weekly.WEEKLY, weekly.Week)
    hosted.now += timedelta(days=7)
    hosted.round()
    keep_fact(hosted.folder / "mail", weekly.WEEKLY, before)  # stopped before it was written down
    for _ in range(3):
        hosted.now += timedelta(minutes=1)
        hosted.round()
    assert sum("your club" in str(one["Subject"]) for one in hosted.sent_to("umpire")) == 1


def test_the_log_shows_what_came_in_and_what_went_out(hosted: Hosted) -> None:
    hosted.round()
    hosted.now += timedelta(hours=1)
    hosted.post(hosted.letter("federation", "STATUS"))
    hosted.post(hosted.letter("klingon", "STATUS", token="x" * 14))
    hosted.round()
    club = str(hosted.folder)

    def shown(*more: str) -> list[tuple[str, ...]]:
        done = CliRunner().invoke(app, ["host", "log", club, *more, "--json"])
        assert done.exit_code == 0
        found = json.loads(done.stdout)["emails"]
        return [(one["at"][11:16], one["way"], one["who"], one["what"], one["game"], one["side"]) for one in found]

    ann, kor, umpire = "ann@example.org", "kor@example.org", "umpire@host.example"
    everything = shown()
    assert everything[:2] == [
        ("12:00", "out", ann, "invitation", "duel01", "federation"),
        ("12:00", "out", kor, "invitation", "duel01", "klingon"),
    ]
    assert everything[2:4] == [
        ("13:00", "in", ann, "command", "duel01", "federation"), ("13:00", "in", kor, "quarantine", "", ""),
    ]  # fmt: skip
    assert {one[1:4] for one in everything[4:]} == {
        ("out", ann, "command"), ("out", umpire, "notice"), ("out", kor, "notice")
    }  # fmt: skip
    assert shown("--person", "Ann@example.org") == [one for one in everything if one[2] == ann]
    assert shown("--game", "duel01") == [one for one in everything if one[4] == "duel01"]
    assert not shown("--game", "duel02") and not shown("--person", "eve")
    text = CliRunner().invoke(app, ["host", "log", club, "--person", kor]).stdout
    assert "2027-03-01 12:00 UTC  out      kor@example.org  invitation duel01 klingon" in text
    assert "TOKEN" not in text and "a token that is not theirs" in text
    none = CliRunner().invoke(app, ["host", "log", club, "--game", "duel02"])
    assert none.stdout == "There is no email of that kind.\n"


def test_the_log_shows_what_waits_and_what_failed(hosted: Hosted) -> None:
    (hosted.folder / "players.toml").write_text(
        'format = 1\n[people.ann]\nname = "Ann Lee"\nmail = "new@example.org"\nwas = ["ann@example.org"]\n'
    )
    outbox = Outbox(hosted.folder / "mail" / "outbox", read_host(hosted.folder))
    for to in ("ann@example.org", "kor@example.org"):
        outbox.put(Reply(to=to, subject="Hi", text="x\n", kind="notice", key=to, game="duel01", side="klingon"))
    for path, _ in outbox.waiting_for():
        os.utime(path, times=(1803902400, 1803902400))
    (hosted.folder / "mail" / "outbox" / "failed").mkdir()
    outbox._fail(next(path for path, to in outbox.waiting_for() if to == "ann@example.org"), "550 gone")
    assert [one.words for one in weekly.correspondence(hosted.folder)] == [
        "at some time          failed   ann@example.org  notice duel01 klingon  550 gone",
        "2027-03-01 12:00 UTC  waiting  kor@example.org  notice duel01 klingon  Hi",
    ]
    waiting = next((hosted.folder / "mail" / "outbox" / "waiting").glob("*.eml"))
    waiting.parent.with_name("sent").mkdir(exist_ok=True)
    waiting.rename(waiting.parent.with_name("sent") / waiting.name)  # as the umpire of a club without a server does
    assert [one.way for one in weekly.correspondence(hosted.folder, person="kor@example.org")] == ["out"]
    for who in ("ann", "Ann Lee", "new@example.org"):
        assert [one.way for one in weekly.correspondence(hosted.folder, person=who)] == ["failed"], who


def test_emails_put_aside_and_rulings_to_confirm_are_counted_with_the_command_that_lists_them(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "_now", lambda: hosted.now)
    hosted.round()
    club = str(hosted.folder)

    def shown(*command: str) -> str:
        done = CliRunner().invoke(app, ["host", *command, club])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "put aside" not in shown("status") and "confirmed" not in shown("status")
    assert shown("log", "--aside") == "There is no email of that kind.\n"
    hosted.post(hosted.letter("klingon", "STATUS", token="x" * 14))
    hosted.round()
    said = shown("status")
    assert f"1 email was put aside, and you may accept it\n    pbem host log {club} --aside\n" in said
    line, command = shown("log", "--aside").splitlines()
    assert "kor@example.org" in line and "a token that is not theirs" in line
    assert CliRunner().invoke(app, shlex.split(command)[1:]).exit_code == 0
    assert "put aside" not in shown("status")

    keep(hosted.game / "mail" / RULING_FILE, Pending(word="ABCDEF", lines=("RESULT draw",), after=1, made="", shown=()))
    assert "A ruling in duel01 was shown and not confirmed: reply" in shown("status")
    keep(hosted.game / "mail" / RULING_FILE, Pending(word="A", lines=("PAUSE",), after=1, made="", shown=(), done=True))
    assert "confirmed" not in shown("status")
