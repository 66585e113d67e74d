"""A backup of yesterday does not play today anew without a word."""

from __future__ import annotations

import os
import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.desk.opened import opened
from pbem.post.doctor import examine
from pbem.post.host import Round, host_round
from pbem.post.mailbox import Maildir
from pbem.post.timetable import due_of

if TYPE_CHECKING:
    from tests.post.hosted import Hosted, answer, words
else:
    from post_hosted import Hosted, answer, words


def go(hosted: Hosted, state: Path, *, restored: bool = False) -> Round:
    source = Maildir(hosted.folder / "Maildir")
    return host_round(
        hosted.folder, lambda: hosted.now, source=source, carrier=hosted.sink, state=state, restored=restored
    )


def put_back(hosted: Hosted, backup: Path) -> None:
    """Yesterday comes back; the mailbox is that of today."""
    box = backup.with_name("mailbox")
    shutil.move(hosted.folder / "Maildir", box)
    shutil.rmtree(hosted.folder)
    shutil.copytree(backup, hosted.folder)
    shutil.rmtree(hosted.folder / "Maildir")
    shutil.move(box, hosted.folder / "Maildir")


def at_the_hour(hosted: Hosted) -> None:
    """The letters that are done came when the clock of the test says."""
    for path in (hosted.folder / "Maildir" / "cur").iterdir():
        os.utime(path, (hosted.now.timestamp(), hosted.now.timestamp()))


def without_mark(hosted: Hosted) -> None:
    for path in (hosted.folder / "Maildir").glob("*.mark"):
        path.unlink()


@pytest.mark.parametrize("known", ["here", "mailbox"])
def test_a_restored_folder_stops_and_then_reads_again_what_came_since(tmp_path: Path, known: str) -> None:
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")
    for _ in range(3):  # three requests are answered, one after the other
        hosted.now += timedelta(hours=15)
        answer(hosted, "federation", "klingon")
        go(hosted, state)
    at_the_hour(hosted)
    logs, mails = hosted.logs(), len(hosted.sink.mails)
    put_back(hosted, tmp_path / "backup")
    assert hosted.logs() != logs
    if known == "here":
        without_mark(hosted)
    else:
        state = tmp_path / "the state of another machine"
    for count in range(2):
        done = go(hosted, state)
        assert done.halted and len(done.news) == (not count) and not done.letters
        said = "12 mails were sent and 6 letters taken in since" if known == "here" else "or this folder is a backup"
        assert said in done.troubles[0] and "--restored" in done.troubles[0]
    assert "does nothing" in str(hosted.sent_to("umpire")[-1]["Subject"])
    assert len(hosted.sink.mails) == mails + 1, "the umpire is told once, and nothing else goes out"
    assert any("--restored" in one.said for one in examine(hosted.folder, state) if not one.right)
    if known == "here":
        told = (hosted.folder / "mail" / "restored.txt").read_text(encoding="utf-8")
        assert "sitrep.duel01.klingon." in told and "from kor@example.org (orders duel01 klingon)" in told

    done = go(hosted, state, restored=True)
    assert len(done.letters) == 6 and hosted.logs() == logs, "the same orders in the same order are the same play"
    mine = [one for one in hosted.sent_to("klingon") if str(one["Subject"]).startswith("duel01: a backup was put back")]
    assert len(mine) == 1 and "Nobody is late for this" in " ".join(words(mine[0]).split())
    # The time that was lost counts for nobody.
    with opened(hosted.game) as game:
        found = due_of(game.path)
    assert found is not None and found[0].due > hosted.now + timedelta(days=1, hours=23)
    assert go(hosted, state).troubles == ()


def test_a_copy_on_the_same_machine_is_noticed(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "copy")
    answer(hosted, "federation")
    go(hosted, state)
    hosted.folder = tmp_path / "copy"
    assert "or by a copy of it" in go(hosted, state).troubles[0]
