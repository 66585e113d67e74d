"""A game of the first landing, as its version left it after two turns: it is read, played on, and told apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem import __version__
from pbem.app.cli.commands import app
from pbem.engine.events import SegmentBegan
from pbem.errors import GameError
from pbem.games.proof.archive import archive, contents, packed, read_archive
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.players import VERSIONS_FILE, VersionSpan, note_version, version_spans
from pbem.games.storage.publish import reports_folder
from pbem.games.submit import submit

FIRST = Path(__file__).with_name("first") / "duel01"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def old(tmp_path: Path) -> Path:
    shutil.copytree(FIRST, tmp_path / "duel01")
    return tmp_path / "duel01"


def play_on(folder: Path, requests: int) -> None:
    """With the orders of the game as it was played then."""
    with opened(folder) as game:
        for _ in range(requests):
            request = game.state().request
            assert request is not None
            for side in request.sides:
                file = ROOT / "turns/duel01" / f"{request.turn:02}" / "orders" / f"{side}.r{request.number}.orders"
                submit(game, file.read_text(encoding="utf-8"), side)
            resolve_game(game)


@pytest.mark.slow
def test_a_game_of_the_first_landing_goes_on_and_verify_says_who_played_what(old: Path) -> None:
    logs = {path: path.read_bytes() for path in old.glob("*/events.jsonl")}
    with opened(old) as game:
        before = [r.event.segment for r in game.records() if isinstance(r.event, SegmentBegan)][-1]
        assert version_spans(game) == (VersionSpan(first=1, last=before, pbem=""),)
    play_on(old, 3)
    assert all(path.read_bytes().startswith(data) for path, data in logs.items()), "what was played stands as it was"
    with opened(old) as game:
        assert (reports_folder(game) / "klingon" / "sitrep.html").is_file()
        wanted = (
            VersionSpan(first=1, last=before, pbem=""),
            VersionSpan(first=before + 1, last=before + 3, pbem=__version__),
        )
        found = verify(game)
        assert found.versions == wanted and found.record == ()
        assert all("replay-differs" in fault.code for fault in found.other) and found.other
    said = CliRunner().invoke(app, ["verify", str(old)])
    text = " ".join(said.output.split())
    assert f"a version before 0.2.0 played (stretches 1 to {before}) does not come out the same" in text
    assert f"({'stretches'} {before + 1} to {before + 3}): the replay is the same, byte for byte" in text
    assert said.exit_code == 1


def test_what_this_version_played_must_replay_beside_what_another_one_did(old: Path) -> None:
    play_on(old, 2)
    file = old / "03/events.jsonl"
    text = file.read_text(encoding="utf-8")
    assert '"hex":"' in text or '"at":"' in text
    file.write_text(text.replace('"roll":"3.', '"roll":"4.', 1).replace('"speed":', '"speed":1', 1), encoding="utf-8")
    with opened(old) as game:
        assert [fault.code for fault in verify(game).record] == ["replay-differs"]


def test_versions_are_told_only_where_they_change(old: Path) -> None:
    with opened(old) as game:
        note_version(game, 3, game.terms.begun)
        assert not (old / VERSIONS_FILE).exists()
        note_version(game, 5, "0.2.0")
        note_version(game, 6, "0.2.0")
        note_version(game, 8, "0.3.0")
        found = [(one.first, one.last, one.pbem) for one in version_spans(game)]
        assert found == [(1, 4, ""), (5, 7, "0.2.0"), (8, 9, "0.3.0")]


# --- the words of another version ---


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """A whole game that version 0.9.0 played up to stretch 7, and this version from there on."""
    folder = tmp_path / "duel01"
    shutil.copytree(ROOT / "turns/duel01", folder)
    terms = folder / "game.toml"
    terms.write_text(terms.read_text(encoding="utf-8").replace(f'begun = "{__version__}"', 'begun = "0.9.0"'), "utf-8")
    with opened(folder) as game:
        note_version(game, 8)
        assert [(one.first, one.last, one.pbem) for one in version_spans(game)] == [
            (1, 7, "0.9.0"), (8, 18, __version__),
        ]  # fmt: skip
    return folder


def reword(folder: Path, turn: int, old: str, new: str) -> None:
    file = folder / f"{turn:02}" / "events.jsonl"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_words_are_compared_only_in_what_this_version_played(finished: Path) -> None:
    reword(finished, 1, '"reason":"', '"reason":"We ask, because ')
    with opened(finished) as game:
        found = verify(game)
        assert found.record == () and found.other == ()
    said = CliRunner().invoke(app, ["verify", str(finished)])
    assert said.exit_code == 0, said.output
    assert "byte for byte in stretches 8 to 18" in said.stdout and "are not compared" in said.stdout
    reword(finished, 5, '"reason":"', '"reason":"We ask, because ')
    with opened(finished) as game:
        assert [fault.code for fault in verify(game).record] == ["replay-differs"]


def test_what_is_not_words_is_compared_in_what_another_version_played(finished: Path) -> None:
    reword(finished, 1, '"roll":"1.', '"roll":"9.')
    with opened(finished) as game:
        assert [fault.code for fault in verify(game).other] == ["replay-differs"]


def test_a_game_that_two_versions_played_has_an_archive(finished: Path, tmp_path: Path) -> None:
    reword(finished, 1, '"reason":"', '"reason":"We ask, because ')
    file = tmp_path / "a.pbem.zip"
    with opened(finished) as game:
        file.write_bytes(archive(game))
    said = CliRunner().invoke(app, ["verify", str(file)])
    assert said.exit_code == 0, said.output
    assert "Played by pbem 0.9.0 (stretches 1 to 7)" in said.stdout and "are not compared" in said.stdout
    assert VERSIONS_FILE in read_archive(file)
    reword(finished, 1, '"roll":"1.', '"roll":"9.')
    with opened(finished) as game, pytest.raises(GameError, match="replay-differs"):
        archive(game)


def test_an_archive_whose_play_differs_is_refused_whoever_played_it(finished: Path, tmp_path: Path) -> None:
    with opened(finished) as game:
        files = contents(game)
    file = tmp_path / "a.pbem.zip"
    log = files["01/events.jsonl"]
    assert b'"roll":"1.' in log
    file.write_bytes(packed({**files, "01/events.jsonl": log.replace(b'"roll":"1.', b'"roll":"9.', 1)}))
    said = CliRunner().invoke(app, ["verify", str(file)])
    assert said.exit_code == 1 and "replay-differs" in said.output
