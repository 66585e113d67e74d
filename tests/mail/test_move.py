"""A club that moves to another machine: the folder that stays behind does nothing, whatever its cron runs on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host
from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.host.backup import moved_from, restore
from pbem.mail.host.doctor import examine
from pbem.mail.host.operate import move_club, stay
from pbem.mail.host.overview import overview
from pbem.mail.host.round import Round, host_round
from pbem.mail.transport.sources import Maildir

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "club")


def go(hosted: Hosted, folder: Path, state: str) -> Round:
    box, now = Maildir(hosted.folder / "Maildir"), hosted.now
    return host_round(folder, lambda: now, source=box, carrier=hosted.sink, state=hosted.folder.parent / state)


def test_a_club_goes_on_elsewhere_and_the_old_folder_rests(
    hosted: Hosted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_now", lambda: hosted.now)
    monkeypatch.setattr(host, "_up", lambda: None)
    go(hosted, hosted.folder, "old")
    file, there = tmp_path / "moving.tar.gz", tmp_path / "there"
    made = CliRunner().invoke(app, ["host", "move", str(hosted.folder), "-o", str(file)])
    assert made.exit_code == 0 and "pbem host restore moving.tar.gz club" in made.output, made.output
    hosted.now += timedelta(hours=15)
    answer(hosted, "federation", "klingon")
    logs, mails = hosted.logs(), len(hosted.sink.mails)
    done = go(hosted, hosted.folder, "old")  # its cron runs on
    assert done.halted and "was packed to move to another machine on Mon 1 Mar" in done.troubles[0]
    assert hosted.logs() == logs and len(hosted.sink.mails) == mails + 1 and not done.letters
    assert not go(hosted, hosted.folder, "old").news, "that is told once"
    assert [one.said for one in examine(hosted.folder) if one.what == "lock" and not one.right]
    assert overview(hosted.folder, hosted.now).needs[0].commands == (f"pbem host move {hosted.folder} --stay",)

    put = CliRunner().invoke(app, ["host", "restore", str(file), str(there)])
    assert put.exit_code == 0 and "--restored" not in put.output and moved_from(there) is None
    done = go(hosted, there, "new")
    assert len(done.letters) == 2 and not done.troubles
    # Whoever has both go on is stopped by the mark in the mailbox.
    assert CliRunner().invoke(app, ["host", "move", str(hosted.folder), "--stay"]).exit_code == 0
    assert "another host is at work" in go(hosted, hosted.folder, "old").troubles[0]


def test_a_club_that_could_not_be_packed_stays(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "there.tar.gz").write_bytes(b"mine")
    with pytest.raises(GameError, match="there is such a file already"):
        move_club(hosted.folder, tmp_path / "there.tar.gz", hosted.now)
    assert moved_from(hosted.folder) is None and not go(hosted, hosted.folder, "old").halted
    with pytest.raises(GameError, match="this club was not packed for a move"):
        stay(hosted.folder)
    move_club(hosted.folder, tmp_path / "other.tar.gz", hosted.now)
    with pytest.raises(GameError, match="was already packed in "):
        move_club(hosted.folder, tmp_path / "third.tar.gz", hosted.now)


def test_a_club_that_was_moved_here_does_nothing_before_its_inbox_can_be_read(hosted: Hosted, tmp_path: Path) -> None:
    """Only the mailbox can say whether the old machine went on after the club was packed."""

    class Unreachable(Maildir):
        def fetch(self) -> Iterator[tuple[str, bytes]]:
            raise GameError.saying("no-mailbox", "the mail server cannot be reached")

    go(hosted, hosted.folder, "old")
    move_club(hosted.folder, tmp_path / "moving.tar.gz", hosted.now, tmp_path / "old")
    answer(hosted, "federation", "klingon")
    restore(tmp_path / "moving.tar.gz", there := tmp_path / "there", hosted.now)
    mails, box = len(hosted.sink.mails), Unreachable(hosted.folder / "Maildir")
    done = host_round(there, lambda: hosted.now, source=box, carrier=hosted.sink, state=tmp_path / "new")
    assert done.halted and any("the inbox cannot be read now" in one for one in done.troubles), done.troubles
    assert all("the host has stopped" in str(mail) for _, mail in hosted.sink.mails[mails:])
    assert len(go(hosted, there, "new").letters) == 2
