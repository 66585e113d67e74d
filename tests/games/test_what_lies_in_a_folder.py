"""What lies in a game's folder: files that are nobody's, errors of the system, pages and reports that go or stay."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pbem.engine.events import Record
from pbem.errors import GameError
from pbem.games import vassal_files
from pbem.games.create import replay, shipped_games
from pbem.games.messages import due
from pbem.games.resolve import PlayJob, mend
from pbem.games.site import write_sites
from pbem.games.storage import publish
from pbem.games.storage.files import cannot
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import encoded
from pbem.games.storage.players import as_played
from pbem.games.storage.publish import renew, reports_folder, write_form, write_whole
from pbem.games.submit import Receipt
from pbem.games.umpire.undo import undo
from pbem.vassal_bridge.binding import Binding


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
        return bool(cast(Any, PlayJob).moves.fget(errand))

    assert moves(None) and moves(Binding(map="Map")) and not moves(Binding(map="Map", module="x.vmod"))


def test_the_sites_of_a_host_lie_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "club" / "games").mkdir(parents=True)
    for target in ("club", "club/games", "club/site"):
        with pytest.raises(GameError, match="put the site in another folder"):
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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
@pytest.mark.slow
def test_only_what_is_secret_in_an_example_is_private_in_its_copy(tmp_path: Path) -> None:
    replay(min(shipped_games()), tmp_path / "copy")
    modes = {name: (tmp_path / "copy" / name).stat().st_mode & 0o077 for name in ("game.toml", "secret/dice.secret")}
    assert modes["game.toml"] and not modes["secret/dice.secret"]


def test_half_a_character_in_a_text_is_written_as_a_question_mark() -> None:
    assert encoded("a\udc80b\n") == b"a?b\n"


def test_of_reports_that_go_the_umpires_go_first(tmp_path: Path) -> None:
    """They tell that all the others are whole: a stop in between must not leave them alone."""
    for reader in ("alpha", "umpire", "zulu"):
        (tmp_path / reader).mkdir()
        for name in publish.FILES:
            (tmp_path / reader / name).touch()
    found = [path.relative_to(tmp_path) for path in publish._ours(tmp_path)]
    assert {path.parent.name for path in found[: len(publish.FILES)]} == {"umpire"}
    for reader in ("umpire", "alpha", "zulu"):
        assert [path.name for path in found if path.parent.name == reader] == [*reversed(publish.FILES)]


@pytest.mark.parametrize("save", [b"positions", b""])
def test_a_save_that_could_be_laid_out_is_not_said_to_be_late_any_more(tmp_path: Path, save: bytes) -> None:
    for name in (vassal_files.POSITIONS, vassal_files.LATE):
        (tmp_path / name).write_bytes(b"of an earlier moment")
    assert vassal_files.lay_out(tmp_path, save) == ""
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == (
        {vassal_files.POSITIONS: save} if save else {}
    )


def test_games_that_cannot_be_shown_are_told_of_each_with_its_file(tmp_path: Path) -> None:
    for name in ("alpha", "zulu"):
        folder = tmp_path / "club" / "games" / name
        folder.mkdir(parents=True)
        (folder / "site.toml").write_text("format = 1\npublic = true\n", encoding="utf-8")
        (folder / "game.toml").write_text("no terms", encoding="utf-8")
    done = write_sites(tmp_path / "club", tmp_path / "site")
    assert done.games == () and done.index.exists()
    assert [(fault.code, Path(fault.file).parent.name) for fault in done.faults] == [
        ("not-toml", "alpha"), ("not-toml", "zulu")
    ]  # fmt: skip


def test_what_was_left_behind_is_made_good_once(at_break: GameFolder) -> None:
    with opened(at_break.path) as game:
        assert mend(game) == []
        lost = reports_folder(game) / "klingon" / "sitrep.txt"
        (reports_folder(game) / "umpire" / "sitrep.txt").unlink()
        lost.unlink()
        assert [one.what for one in mend(game)] == ["rewrote"] and lost.is_file()
        mail = reports_folder(game) / "umpire" / "mail.eml"
        whole = mail.read_bytes()
        mail.write_bytes(whole.replace(b".umpire.n", b".umpire.n1", 1))
        assert [one.what for one in mend(game)] == ["rewrote"] and mail.read_bytes() == whole, (
            "they told of another log"
        )
        mail.unlink()
        assert [one.what for one in mend(game)] == ["rewrote"] and mend(game) == []
    (reports_folder(game) / "umpire" / "sitrep.txt").unlink()
    with opened(at_break.path, lock="test") as game:
        assert (reports_folder(game) / "umpire" / "sitrep.txt").is_file(), "as soon as somebody has it to himself"
        assert [one.what for one in mend(game)] == ["rewrote"] and mend(game) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_pages_that_are_written_anew_lie_where_those_were_and_are_his_alone(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def form(*given: object) -> str:
        made.append(given[1:])
        return "a form"

    def whole_game(view: object, *, record: bool) -> str:
        made.append(record)
        return "a game"

    monkeypatch.setattr("pbem.reports.form.form.form_html", form)
    monkeypatch.setattr("pbem.reports.html.whole_game.whole_html", whole_game)

    def told(known: Any, log: Any, turn: int, names: Any) -> list[Record]:
        made.append(turn)
        return as_played(known, log, turn, names)

    monkeypatch.setattr(publish, "as_played", told)
    page, whole = write_form(at_break, "klingon", "END\n"), write_whole(at_break, "klingon")
    assert {page.parent, whole.parent} == {reports_folder(at_break) / "klingon"} and page != whole
    assert (page.read_text("utf-8"), whole.read_text("utf-8")) == ("a form", "a game")
    assert [path.stat().st_mode & 0o077 for path in (page, whole)] == [0, 0]
    assert made == [("klingon", at_break.scenario(), "END\n"), 1, True]


@pytest.mark.parametrize("late", ["", "it is held"])
def test_where_the_save_cannot_be_written_no_mail_holds_it(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    made: list[bytes] = []

    def again(game: object, records: object, state: object, save: bytes) -> dict[str, dict[str, bytes | None]]:
        made.append(save)
        return {"klingon": {"sitrep.html": b"without", "mail.eml": None}}

    monkeypatch.setattr(publish, "lay_out", lambda folder, save: late)
    monkeypatch.setattr(publish, "_made", again)
    publish.publish(at_break, b"PK", {"klingon": {"sitrep.html": b"with it", "mail.eml": b"mail"}})
    folder = reports_folder(at_break) / "klingon"
    assert (folder / "sitrep.html").read_bytes() == (b"without" if late else b"with it")
    assert (folder / "mail.eml").exists() is not bool(late) and made == ([b""] if late else [])


def test_a_file_that_is_no_players_lies_among_orders_unread(game: GameFolder, send: Callable[..., Receipt]) -> None:
    send("klingon")
    folder = game.order_file(1, "klingon", 1).parent
    for name in ("notes.txt", "klingon.orders", "klingon.r1.orders.bak", "klingon.rx.orders", ".r1.orders"):
        (folder / name).write_text("x", encoding="utf-8")
    assert [(file.side, file.number, file.version) for file in game.order_files(1)] == [("klingon", 1, 0)]
