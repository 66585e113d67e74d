"""The host wakes a person when one is needed and only then."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host
from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.storage.folder import locked
from pbem.mail.host.trouble import read_heartbeat

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, subjects
else:
    from post_hosted import Hosted, subjects


def once(hosted: Hosted, monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, str, str]:
    """A round by the command, at the hour of the test: exit code, stdout and stderr."""
    monkeypatch.setattr(host, "_now", lambda: hosted.now)
    monkeypatch.setattr(host, "_up", lambda: None)  # this machine knows nothing of that clock
    done = CliRunner().invoke(app, ["host", *(words or (str(hosted.folder), "--once"))])
    return done.exit_code, done.stdout, done.stderr


def test_one_late_player_is_no_error_and_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    hosted.later(days=2, hours=13)
    first = once(hosted, monkeypatch)
    hosted.now += timedelta(minutes=1)
    then = once(hosted, monkeypatch)
    assert first[0] == then[0] == 0 and then[1:] == ("", "")
    code, said, _ = once(hosted, monkeypatch, "status", str(hosted.folder))
    assert code == 0 and "duel01 waits for klingon" in said and "turn 1, request 1: due Wed 3 Mar 2027, 12:00" in said
    hosted.round()
    assert "pbem: the umpire is needed: duel01" in subjects(hosted.sent_to("umpire"))


def test_a_mail_server_that_is_dead_is_told_at_once_and_once_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted = Hosted(tmp_path / "host", port=1)
    for hours in range(0, 49, 4):
        code, _, err = once(hosted, monkeypatch)
        assert code == 1 and ("mail could not be sent" in err) == (hours % 24 == 0), (hours, err)
        hosted.now += timedelta(hours=4)
    told = read_heartbeat(hosted.folder)
    assert told.waiting == 2 and [one.times for one in told.now()] == [3] and told.at is not None
    code, said, _ = once(hosted, monkeypatch, "status", str(hosted.folder))
    assert code == 1 and "Not in order since Mon 1 Mar 2027, 12:00" in said and "2 emails wait" in said


def test_a_trouble_that_lasts_is_told_the_umpire_again_each_day(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    (hosted.folder / "Maildir" / "new").rename(hosted.folder / "away")
    for _ in range(17):
        hosted.now += timedelta(hours=3)
        hosted.round()
    assert [one for one in subjects(hosted.sent_to("umpire")) if "needed" in one] == ["pbem: the umpire is needed"] * 3
    (hosted.folder / "away").rename(hosted.folder / "Maildir" / "new")
    hosted.now += timedelta(hours=1)
    assert hosted.round().troubles == () and not read_heartbeat(hosted.folder).now()


def test_a_line_of_the_log_has_its_time_and_a_round_without_news_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted = Hosted(tmp_path / "host")
    assert once(hosted, monkeypatch)[1].startswith("2027-03-01 12:00 UTC  2 mails written")
    hosted.now += timedelta(minutes=1)
    assert once(hosted, monkeypatch) == (0, "", "")
    hosted.now += timedelta(days=2)
    code, said, _ = once(hosted, monkeypatch, "status", str(hosted.folder))
    assert code == 1 and "The last round was Mon 1 Mar 2027, 12:01" in said


def test_settings_that_are_wrong_are_told_once_a_day_and_the_last_round_is_that_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    file = hosted.folder / "host.toml"
    file.write_text(file.read_text().replace('late = "wait"', 'late = "wiat"'))
    for hours in range(25):
        hosted.now += timedelta(hours=1)
        monkeypatch.setattr(host, "_now", lambda: hosted.now)
        done = CliRunner().invoke(app, ["host", str(hosted.folder), "--once"])
        told = isinstance(done.exception, GameError) and "did you mean 'wait'?" in str(done.exception)
        assert done.exit_code == 1 and told == (hours % 24 == 0), (hours, done.exception)
    assert read_heartbeat(hosted.folder).done == hosted.now - timedelta(hours=25)


@pytest.mark.slow
def test_a_round_that_still_goes_on_is_no_error_for_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.1)
    with locked(hosted.folder, "host"):
        hosted.now += timedelta(minutes=1)
        code, said, err = once(hosted, monkeypatch)
        assert (code, err) == (0, "") and "`pbem host`" in said and "is using this game" in said
        hosted.now += timedelta(hours=1)
        assert once(hosted, monkeypatch)[0] == 1
