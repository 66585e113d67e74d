"""A backup of yesterday does not play today anew without a word."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.faults import GameError
from pbem.post.host import Round, host_round
from pbem.post.mailbox import Maildir

if TYPE_CHECKING:
    from tests.post.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer


def go(hosted: Hosted, state: Path, *, restored: bool = False) -> Round:
    source = Maildir(hosted.folder / "Maildir")
    return host_round(
        hosted.folder, lambda: hosted.now, source=source, carrier=hosted.sink, state=state, restored=restored
    )


def test_a_restored_folder_stops_and_names_what_was_mailed_and_which_letters_came_since(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")
    answer(hosted, "federation", "klingon")
    go(hosted, state)
    assert (hosted.game / "01" / "r2").is_dir()
    read = sorted((hosted.folder / "Maildir" / "cur").iterdir())
    mails = len(hosted.sink.mails)
    # Yesterday comes back; the mailbox is that of today.
    box = tmp_path / "Maildir"
    shutil.move(hosted.folder / "Maildir", box)
    shutil.rmtree(hosted.folder)
    shutil.copytree(tmp_path / "backup", hosted.folder)
    shutil.rmtree(hosted.folder / "Maildir")
    shutil.move(box, hosted.folder / "Maildir")
    for _ in range(2):
        with pytest.raises(GameError, match="4 mails were sent and 2 letters taken in since"):
            go(hosted, state)
    assert len(hosted.sink.mails) == mails and not (hosted.game / "01" / "r2").is_dir()
    told = (hosted.folder / "mail" / "restored.txt").read_text(encoding="utf-8")
    assert "sitrep.duel01.klingon." in told and "from kor@example.org (orders duel01 klingon)" in told
    # The umpire marks them as unread and goes on: what both ordered is not lost.
    for path in read:
        name = hosted.folder / "Maildir" / "cur" / path.name
        name.rename(hosted.folder / "Maildir" / "new" / path.name.partition(":")[0])
    assert len(go(hosted, state, restored=True).letters) == 2 and (hosted.game / "01" / "r2").is_dir()
    go(hosted, state)


def test_a_copy_on_the_same_machine_is_noticed_and_a_folder_that_moves_to_another_goes_on(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "copy")
    answer(hosted, "federation")
    go(hosted, state)
    there, hosted.folder = hosted.folder, tmp_path / "copy"
    with pytest.raises(GameError, match="or by a copy of it"):
        go(hosted, state)
    hosted.folder = there
    go(hosted, tmp_path / "another machine")
