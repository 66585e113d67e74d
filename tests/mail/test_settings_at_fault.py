"""Settings, clocks and servers at fault: what is said of each, and what it keeps from being done."""

from __future__ import annotations

import ssl
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import Rounds
from pbem.mail.settings import Host, broken_by, games_under, host_of, printable, read_host
from pbem.mail.transport import smtp
from pbem.mail.transport.inbox import open_source
from tests.nobody_elses import private

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["format: this file is empty; this version reads format 1"]),
        ('name = "x"', ["format: this file has no line `format = 1`; this version reads format 1"]),
        ("format = 2", ["format: this file has format 2; this version reads format 1"]),
        ('format = 1\norders = "x"\numpire = "y"\nfigures = "a\\u0007"\n[deadlines]\nzone = "Mars"', [
            "deadline-rule: zone: no time zone 'Mars' is known here; zones are called like Europe/Berlin",
            "address: orders = 'x' is no mail address", "address: umpire = 'y' is no mail address",
            "no-such-folder: figures = 'a\\x07' contains a character that no path can have: ",
        ]),
        ('format = 1\norders = "a@b.example"\n[deadlines]\nremind = "1 day"', [
            'bad-data: deadlines.remind: write ["1 day"]: this is a list even if it has only one item',
        ]),
        ('format = 1\norders = ""', ["address: orders = '' is no mail address"]),
        ('format = 1\norders = "a@b.example"', []),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_settings_of_a_host(tmp_path: Path, text: str, faults: list[str]) -> None:
    (tmp_path / "host.toml").write_text(text, encoding="utf-8")
    if not faults:
        assert read_host(tmp_path) == Host(format=1, orders="a@b.example")
        return
    with pytest.raises(GameError) as wrong:
        read_host(tmp_path)
    found = [(f"{one.code}: {one.text}", one.file) for one in wrong.value.faults]
    assert len(found) == len(faults) and all(one.startswith(said) for (one, _), said in zip(found, faults, strict=True))
    assert {file for _, file in found} == {str(tmp_path / "host.toml")}


@pytest.mark.parametrize("command", ["pause", "resume"])
def test_a_game_that_is_not_there_is_told_as_one(tmp_path: Path, command: str) -> None:
    done = CliRunner().invoke(app, [command, str(tmp_path / "NOSUCHGAME")])
    assert done.exit_code == 1 and isinstance(done.exception, GameError)
    assert "there is no such game folder" in str(done.exception)


def test_where_there_are_no_settings_and_what_games_there_are(tmp_path: Path) -> None:
    for folder, said in ((tmp_path, "this folder is no host"), (tmp_path / "x", "there is neither such a folder")):
        with pytest.raises(GameError, match=said):
            read_host(folder)
    (tmp_path / "host.toml").touch()
    for name in ("b", "a", "c"):
        (tmp_path / "games" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "games" / name / "game.toml").touch()
    assert games_under(tmp_path / "games") == ([tmp_path / "games/a", tmp_path / "games/b"], [])
    assert host_of(tmp_path / "games/a") == tmp_path and host_of(tmp_path) is None
    with pytest.raises(GameError):
        games_under(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (GameError.saying("a", "one"), "one"),
        (RecursionError(), "something in it is nested more deeply than can be read"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), "a name or a file in it is not UTF-8 text"),
        (FileNotFoundError(2, "No such file", "x.toml"), "No such file: x.toml"), (OSError("odd"), "odd"),
        (PermissionError(13, "No"), "No"), (KeyError("k"), "KeyError: 'k'"),
        (ValueError("\udcff"), "ValueError: \\udcff"),
    ],
)  # fmt: skip
def test_what_kept_a_game_from_being_worked_on(error: Exception, said: str) -> None:
    assert broken_by(error) == said and printable("ä") == "ä"


def test_a_pause_holds_the_clock_and_only_for_as_long_as_it_counts(tmp_path: Path) -> None:
    game = tmp_path / "games" / "x"
    for asked, paused, resumed, held in ((0, 5, 12, 7), (5, 2, 12, 7), (0, 5, 3, 0), (None, 5, 12, 0)):
        moment = NOW + timedelta(seconds=asked) if asked is not None else None
        timetable.write_clock(game, timetable.Clock(asked=moment, held=100))
        with pytest.raises(GameError, match="this game is not paused"):
            timetable.resume(game, NOW)
        timetable.pause(game, NOW + timedelta(seconds=paused), "tea")
        kept = timetable.read_clock(game)
        assert (kept.paused, kept.reason, kept.asked) == (NOW + timedelta(seconds=paused), "tea", moment)
        with pytest.raises(GameError, match="this game is paused already"):
            timetable.pause(game, NOW)
        after = timetable.resume(game, NOW + timedelta(seconds=resumed))
        assert after == timetable.Clock(asked=moment, held=100 + held) == timetable.read_clock(game)
    assert private(game / "mail/clock.json")
    (game / "mail/clock.json").write_bytes(b"{")
    with pytest.raises(GameError, match="the game's clock is damaged"):
        timetable.read_clock(game)


def test_what_was_said_is_kept_once_and_in_order(tmp_path: Path) -> None:
    said = timetable.SentNotices(tmp_path)
    assert not said.known
    said.add("b", "a")
    file = tmp_path / "mail" / "said.txt"
    assert file.read_text() == "a\nb\n" and private(file) and said.known == {"a", "b"}
    file.unlink()
    said.add("a")
    assert not file.exists(), "what is known is not written again"
    said.add("a", "c")
    assert file.read_text() == "a\nb\nc\n" and timetable.SentNotices(tmp_path).known == {"a", "b", "c"}


def test_time_that_does_not_count_is_of_one_host_only() -> None:
    rounds = Rounds(began=NOW, drift=50, ill=NOW)
    assert [rounds.since(began, 20) for began in (None, NOW, NOW + timedelta(1))] == [
        timedelta(seconds=30), timedelta(seconds=30), timedelta(),
    ]  # fmt: skip
    assert rounds.at(NOW + timedelta(minutes=10)).drift == 650 and rounds.at(NOW + timedelta(seconds=599)) == rounds
    assert Rounds(drift=5).at(NOW) == Rounds(drift=5)


@pytest.mark.parametrize(
    ("settings", "said"),
    [({}, "the kind of an inbox is folder, maildir, mbox, imap or pipe, not ''"),
     ({"kind": "folder"}, "an inbox of kind folder needs a path"),
     ({"kind": "mbox", "path": 3}, "kind mbox needs a path"),
     ({"kind": "maildir", "path": "x", "b": 1, "a": 2}, "an inbox of kind maildir has no a, b"),
     ({"kind": "pipe", "path": "x"}, "an inbox of kind pipe has no path"),
     ({"kind": "folder", "path": "a\x07"}, "contains a character that no path can have")],
)  # fmt: skip
def test_an_inbox_that_cannot_be_meant(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(GameError, match=said):
        open_source(settings, Path())


@pytest.mark.parametrize(
    ("code", "platform", "more"),
    [(18, "linux", ""), (19, "linux", "install ca-certificates"), (20, "darwin", "run Install Certificates.command"),
     (21, "win32", "install ca-certificates"), (22, "darwin", "")],
)  # fmt: skip
def test_why_a_server_is_not_trusted(code: int, platform: str, more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    error = ssl.SSLCertVerificationError(1, "no")
    error.verify_code, error.verify_message = code, "self-signed"
    why = smtp.distrust(error)
    assert why.startswith("its certificate is not to be trusted: self-signed") and (more in why) == (
        ". If" in why or not more
    )
    for reason, said in (("WRONG_VERSION", "WRONG_VERSION"), ("", str(ssl.SSLError(1, "broken")))):
        other = ssl.SSLError(1, "broken")
        other.reason = reason
        assert smtp.distrust(other) == said
