"""Facts of the desk that only show where something is missing, strange or out of order."""

from __future__ import annotations

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pbem.desk.errand import Errand
from pbem.desk.files import cannot
from pbem.desk.folder import GameFolder
from pbem.desk.kept_dice import stretches
from pbem.desk.messages import due
from pbem.desk.opened import opened
from pbem.desk.publish import renew, reports_folder
from pbem.desk.site import write_sites
from pbem.desk.undo import undo
from pbem.desk.verify import verify
from pbem.faults import GameError
from pbem.tabletop.binding import Binding


def test_a_file_that_is_no_message_lies_among_them_unread(after_turn_1: GameFolder) -> None:
    folder = after_turn_1.path / "secret" / "messages"
    folder.mkdir(parents=True, exist_ok=True)
    data = b'{"author":"klingon","to":"federation","text":"hello","segment":0}'
    for name in ("notes.json", "00001.klingon.01.json.old", "klingon.json"):
        (folder / name).write_bytes(data)
    assert due(after_turn_1.path, 99) == []


@pytest.mark.parametrize(
    ("error", "told"), [(OSError(28, "no room"), "no room"), (OSError("strange"), "strange"), (OSError(), "")]
)
def test_an_error_of_the_system_is_told_in_its_own_words(error: OSError, told: str) -> None:
    assert cannot("write", Path("a"), error).faults[0].text == f"cannot write this: {told}"


def test_an_errand_stays_on_the_machine_on_which_its_module_lies() -> None:
    def moves(binding: Binding | None) -> bool:
        errand = cast(Any, SimpleNamespace(around=SimpleNamespace(binding=binding)))
        return bool(cast(Any, Errand).moves.fget(errand))

    assert moves(None) and moves(Binding(map="Map")) and not moves(Binding(map="Map", module="x.vmod"))


def test_the_stretches_of_a_log_hang_on_its_numbers_and_not_on_the_order_of_the_list(after_turn_1: GameFolder) -> None:
    records = list(after_turn_1.records())
    mixed = list(records)
    Random(7).shuffle(mixed)
    found, again = stretches(records), stretches(mixed)
    assert list(found) == list(again) and len(found) > 2
    assert all(found[number] == again[number] for number in found)


def test_what_was_not_played_cannot_be_taken_back(after_turn_1: GameFolder) -> None:
    with pytest.raises(GameError, match=r"request 9 of turn 1 was not played; played: 1\.r1, 1\.r2, 1\.r3"):
        undo(after_turn_1, request=9)


def test_a_state_that_is_behind_its_log_is_seen_and_a_damaged_one_only_where_play_goes_on(
    after_turn_1: GameFolder,
) -> None:
    turns = sorted(after_turn_1.log_files())
    first, last = after_turn_1.state_file(turns[0]), after_turn_1.state_file(turns[-1])
    whole = last.read_bytes()
    assert not after_turn_1.state_is_behind()
    first.write_bytes(b"{")
    assert not after_turn_1.state_is_behind()
    last.write_bytes(b"{")
    with pytest.raises(GameError):
        after_turn_1.state_is_behind()
    last.unlink()
    assert after_turn_1.state_is_behind()
    last.write_bytes(whole)


def test_the_sites_of_a_host_lie_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "club" / "games").mkdir(parents=True)
    for target in ("club", "club/games", "club/site"):
        with pytest.raises(GameError, match="may not lie in"):
            write_sites(tmp_path / "club", tmp_path / target)


def test_what_is_not_ours_stays_where_reports_are_taken_away(at_break: GameFolder, tmp_path: Path) -> None:
    """Undo takes the reports of what is taken back away; a player's own file in such a folder, and the folder, stay."""
    folder = reports_folder(at_break)
    (folder / "klingon" / "my plan.txt").write_text("wait", encoding="utf-8")
    undo(at_break)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()] == [
        "klingon/my plan.txt"
    ]
    assert not (folder / "federation").exists()
    renew(at_break)


def test_verify_tells_of_a_turn_without_its_state(after_turn_1: GameFolder) -> None:
    path, turns = after_turn_1.path, sorted(after_turn_1.log_files())
    after_turn_1.state_file(turns[0]).unlink()
    with opened(path) as game:
        found = verify(game)
    assert not found.record and [Path(fault.file).name for fault in found.derived] == ["state.json"]
