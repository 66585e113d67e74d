"""Bare papers are those a host needs to go on: the same mails by name, and what is asked."""

from __future__ import annotations

import os
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.errors import GameError
from pbem.games import create
from pbem.games.storage.files import _WAITS, write_all
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import bare_draft, bare_papers, quick_reports, reports_are_quick
from pbem.games.storage.publish import publish, renew, reports_folder
from pbem.orders.reader import read_orders

DUEL = Path(__file__).resolve().parents[2] / "turns" / "duel01"


def read(mail: bytes) -> EmailMessage:
    found = message_from_bytes(mail, policy=default)
    assert isinstance(found, EmailMessage)
    return found


def test_a_bare_mail_is_known_by_the_word_of_the_whole_one_and_asks_the_same(at_break: GameFolder) -> None:
    folder = reports_folder(at_break)
    whole = {path.parent.name: read(path.read_bytes()) for path in folder.glob("*/mail.eml")}
    state = at_break.state()
    assert state.request is not None and state.request.sides == ("klingon",)
    with quick_reports():
        publish(at_break)
    found = {path.parent.name: read(path.read_bytes()) for path in folder.glob("*/mail.eml")}
    assert found.keys() == whole.keys() == {"federation", "klingon", "umpire"}
    for reader, mail in found.items():
        assert mail["Message-ID"].rpartition(".n")[0] == whole[reader]["Message-ID"].rpartition(".n")[0]
        attached = {part.get_filename(): str(part.get_content()) for part in mail.iter_attachments()}
        draft = folder / reader / "orders.draft"
        if reader == "klingon":
            assert attached == {"klingon.r3.orders": draft.read_text(encoding="utf-8")}
        else:
            assert attached == {} and not draft.exists(), "nothing is asked of others"
        assert (folder / reader / "sitrep.txt").read_text(encoding="utf-8") == "duel 1.3 SITREP\n"
    assert found["umpire"]["Message-ID"] == whole["umpire"]["Message-ID"]
    assert renew(at_break) == (), "to pbem.games they are the papers of this moment"
    wanted = "GAME duel TURN 1 SIDE klingon REPLY 3 FORM SOP\nEND\n"
    assert read_orders(bare_draft(state, "klingon")).orders == read_orders(wanted).orders


def test_of_a_game_that_is_over_nothing_is_asked() -> None:
    with opened(DUEL) as game:
        state, records = game.state(), game.effective()
        made = bare_papers(records, state)
    assert list(made) == ["federation", "klingon", "umpire"]
    for files in made.values():
        assert files["orders.draft"] is None and files["sitrep.txt"] == b"duel01 5.0 SITREP\n"
        assert not list(read(files["mail.eml"] or b"").iter_attachments())


def test_papers_are_bare_within_and_whole_again_behind_whatever_happens() -> None:
    def now() -> tuple[bool, bool]:
        return reports_are_quick(), _WAITS.get()

    assert now() == (False, True)
    with quick_reports():
        assert now() == (True, False)
        with quick_reports():
            assert now() == (True, False)
        assert now() == (True, False)
    with pytest.raises(ValueError, match="stopped"), quick_reports():
        raise ValueError("stopped")
    assert now() == (False, True)


def test_a_robot_has_no_bare_papers(at_break: GameFolder) -> None:
    state = at_break.state()
    robot = replace(state.sides["klingon"], robot=True)
    made = bare_papers(at_break.effective(), replace(state, sides={**state.sides, "klingon": robot}))
    assert list(made) == ["federation", "umpire"]


def test_nobody_waits_for_the_disk_within_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []
    monkeypatch.setattr("os.fsync", waited.append)

    def written(count: int) -> int:
        waited.clear()
        write_all({tmp_path / str(number): b"x" for number in range(count)})
        return len(waited)

    folder = os.name == "posix"  # whose names are written, too
    assert [written(count) for count in (1, 3)] == [1 + folder, 3 + folder]
    with quick_reports():
        assert [written(count) for count in (1, 3)] == [0, 0]
    assert written(3) == 3 + folder


def test_the_example_is_played_in_a_folder_with_nothing_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[Path] = []
    monkeypatch.setattr(create, "replay", lambda example, folder, progress: played.append(folder))
    for name in ("empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "mine").touch()
    create.play_demo(tmp_path / "new")
    create.play_demo(tmp_path / "empty")
    for wrong in (tmp_path / "full", tmp_path / "full" / "mine"):
        with pytest.raises(GameError, match=f"{wrong}: not-empty"):
            create.play_demo(wrong)
    assert played == [tmp_path / "new", tmp_path / "empty"]
    monkeypatch.setattr(create, "shipped_games", list)
    with pytest.raises(GameError, match="no-example"):
        create.play_demo(tmp_path / "new")
