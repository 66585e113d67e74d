"""A game of the first landing, as its version left it after two turns: it is read, played on, and told apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem import __version__
from pbem.app.cli.commands import app
from pbem.engine.events import SegmentBegan
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
