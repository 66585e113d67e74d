"""What a host did, remembered apart from its folder, and the marks that it leaves in a mailbox."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from pbem.games.proof.restored import PlayedSegment, note_host
from pbem.mail.host.backup import KEPT, CopyCheck, Deed, Elsewhere, HostMark, as_mail, here, read, state_folder, written
from pbem.mail.incoming.message import read_letter
from tests.nobody_elses import private

if TYPE_CHECKING:
    pass
else:
    pass


NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def test_where_an_account_keeps_what_programs_remember(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for xdg, local, folder in (
        ("x", "l", Path("x")), ("", "l", Path("l")), ("x", "", Path("x")), ("", "", tmp_path / ".local" / "state"),
    ):  # fmt: skip
        monkeypatch.setenv("XDG_STATE_HOME", xdg)
        monkeypatch.setenv("LOCALAPPDATA", local)
        assert state_folder() == folder / "pbem"


def test_what_was_done_is_remembered_for_a_month(tmp_path: Path) -> None:
    copy_check = CopyCheck(tmp_path / "club", tmp_path / "state")
    for days in (0, 1, 29.9, 30, 31):
        copy_check.add(NOW + timedelta(days=days), (f"mail {days}",), ())
    assert [deed.sent for deed in copy_check.deeds] == [("mail 29.9",), ("mail 30",), ("mail 31",)]
    assert timedelta(days=30) == KEPT and private(copy_check.file) and private(tmp_path / "club" / "mail" / "host.json")
    again = CopyCheck(tmp_path / "club", tmp_path / "state")
    assert (again.deeds, again.counted) == (copy_check.deeds, copy_check.counted) and again.counted.count == 5
    assert again.deeds[-1] == Deed(count=5, at=NOW + timedelta(days=31), sent=("mail 31",), letters=(), played=())


def test_what_was_told_of_each_game_is_counted_from_round_to_round(tmp_path: Path) -> None:
    """Whatever was played of one game in between, of another it is known how far it was told."""
    copy_check = CopyCheck(tmp_path / "club", tmp_path / "state")
    for fresh in ({"a": (1, 2)}, {"b": (1,)}, {}, {"a": (3,)}):
        copy_check.fresh = {
            name: [PlayedSegment(segment=n, answers=f"x{n}") for n in found] for name, found in fresh.items()
        }
        copy_check.add(NOW, (), ())
        assert copy_check.fresh == {}
    assert copy_check.counted.segments == {"a": 3, "b": 1}
    assert CopyCheck(tmp_path / "club", tmp_path / "state").counted == copy_check.counted
    assert [deed.played for deed in copy_check.deeds] == [("a 1 x1 0", "a 2 x2 0"), ("b 1 x1 0",), (), ("a 3 x3 0",)]


def worked(folder: Path) -> CopyCheck:
    """What is known before the fourth round of a host that did something in three."""
    copy_check = CopyCheck(folder / "club", folder / "state")
    for _ in range(3):
        copy_check.add(NOW, (), ())
    return CopyCheck(folder / "club", folder / "state")


@pytest.mark.parametrize(("left", "unknown"), [(0, False), (1, False), (3, True)])
def test_an_account_knows_a_folder_by_its_last_round(tmp_path: Path, left: int, unknown: bool) -> None:
    copy_check = worked(tmp_path)
    copy_check.deeds = [msgspec.structs.replace(deed, moved=deed.count == left) for deed in copy_check.deeds]
    copy_check.check()
    assert copy_check.unknown is unknown


@pytest.mark.parametrize(("count", "other", "stops"), [(3, "", False), (3, "x", True), (2, "x", False), (4, "", True)])
def test_a_game_that_another_copy_reported_stops_a_host(tmp_path: Path, count: int, other: str, stops: bool) -> None:
    copy_check = worked(tmp_path)
    game = tmp_path / "club" / "games" / "duel"
    (game / "mail").mkdir(parents=True)
    note_host(game, copy_check.counted.host, count, copy_check.counted.word + other)
    with pytest.raises(Elsewhere, match=rf"the game duel \(rounds 3 and {count}\)") if stops else nullcontext():
        copy_check.check()


def test_which_marks_in_a_mailbox_stop_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "here")
    copy_check = CopyCheck(tmp_path, tmp_path / "state")
    mine = [copy_check.add(NOW, (), ()) for _ in range(3)]
    mark = read(mine[-1])
    assert mark == HostMark(
        host=copy_check.counted.host, count=3, word=copy_check.counted.word,
        where=f"here:{tmp_path.absolute()}"[:100], at=NOW, played=(),
    )  # fmt: skip
    assert here(tmp_path) == mark.where and here(tmp_path / ("x" * 200)) == here(tmp_path / ("x" * 300))

    def told(count: int, word: str = "w", host: str = copy_check.counted.host) -> str:
        return written(HostMark(host=host, count=count, word=word, where="there", at=NOW))

    for marks in ((), mine, mine[::-1], [told(2)], [told(9, host="other")], ["no mark", "{}", *mine]):
        copy_check.look(marks)
        assert (copy_check.moved, copy_check.lost) == (False, False)
    for marks in ([told(3)], [told(4)], [*mine, told(9)]):
        with pytest.raises(Elsewhere, match="shows that there ran a round on Mon 1 Mar 2027, 12:00"):
            copy_check.look(marks)
        restored = CopyCheck(tmp_path, tmp_path / "state", restored=True)
        restored.look(marks)
        assert restored.lost and restored.counted.count == max(3, *(m.count for one in marks if (m := read(one))))
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    copy_check.look(mine)
    assert copy_check.moved
    copy_check.look(())
    assert not copy_check.moved


def test_a_mark_as_a_mail_is_nobodys_letter() -> None:
    mark = written(HostMark(host="h", count=1, word="w" * 16, where="ä" * 100, at=NOW))
    for user, sender in (("orders@host.example", "orders@host.example"), ("orders", "pbem@pbem.invalid")):
        raw = as_mail(mark, user)
        mail = message_from_bytes(raw, policy=default)
        assert {name: str(mail[name]) for name in ("From", "To", "X-PBEM-Key", "X-PBEM-Mark", "Auto-Submitted")} == {
            "From": sender, "To": sender, "X-PBEM-Key": "mark", "X-PBEM-Mark": mark, "Auto-Submitted": "auto-generated",
        }  # fmt: skip
        assert f"X-PBEM-Mark: {mark}\r\n".encode() in raw, "on one line"
        assert read_letter(raw).kind == "own"
    assert read("[]") is None and read("[" * 9999) is None
