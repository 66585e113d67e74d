"""Reports that a local game leaves to a later command are the same as if they had been written at once."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbem.app.web.answers import Pages
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import PROOF, UNWRITTEN, is_current, is_left, write_left
from pbem.games.submit import submit
from pbem.games.umpire.undo import undo
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.page import WHOLE

SIDES = ("federation", "klingon")


def tree(folder: Path) -> dict[str, bytes]:
    """All files of a game but its locks."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def twins(tmp_path: Path) -> tuple[Path, Path]:
    """A new game, twice."""
    new("5", tmp_path / "once", players={"federation": "you", "klingon": "a friend"}, seed="late reports")
    shutil.copytree(tmp_path / "once", tmp_path / "late")
    return tmp_path / "once", tmp_path / "late"


def answered(folder: Path, *, late: bool, more: str = "", stop: str = "") -> None:
    """Both sides answer the request in force with their drafts, and it is played."""
    with opened(folder, lock="play", reports_late=late) as game:
        state = game.state()
        assert state.request is not None
        for side in state.request.sides:
            text = draft_for(state, game.scenario(), state.request, side)
            text = text.replace("# PHASERS 1 ", "PHASERS 1 ").replace("\nEND", f"{stop}\nEND")
            submit(game, text + (more if side == "klingon" else ""), "")
        resolve_game(game)


def pages(folder: Path) -> dict[str, bytes]:
    """What the pages of both sides show, without files."""
    with opened(folder) as game:
        state, kept = game.state(), Pages()
        names = ["report", *(["form"] if state.request else [WHOLE])]
        return {f"{side}/{what}": kept.page(game, side, what) for side in SIDES for what in names}


@pytest.mark.slow
def test_reports_that_were_left_are_written_as_if_at_once(tmp_path: Path) -> None:
    once, late = twins(tmp_path)
    word = "\nMESSAGE TO federation\nHail and well met.\nEND MESSAGE\n"
    for more, stop in (("", ""), (word, "\nBREAK\n  IMPULSE 4"), ("", ""), ("", "")):
        answered(once, late=False, more=more, stop=stop)
        answered(late, late=True, more=more, stop=stop)
        assert pages(late) == pages(once)
    for folder in (once, late):
        with opened(folder, lock="undo", reports_late=folder == late) as game:
            undo(game)
    assert pages(late) == pages(once)
    answered(once, late=False)
    answered(late, late=True)
    assert pages(late) == pages(once)
    assert b"well met" in b"".join(tree(once).values())
    assert not list(late.glob("02/r*")) and (late / UNWRITTEN).is_file()
    with opened(late) as game:
        assert is_left(game) and not is_current(game)
        assert not verify(game).faults, "reports that were left are no fault"
        write_left(game)
        assert not is_left(game) and is_current(game)
    assert tree(late) == tree(once)


@pytest.mark.slow
def test_a_game_that_ended_has_its_archive_when_its_reports_are_written(tmp_path: Path) -> None:
    once, late = twins(tmp_path)
    for folder in (once, late):
        with opened(folder, lock="play", reports_late=folder == late) as game:
            state = game.state()
            assert state.request is not None
            for side in state.request.sides:
                head = draft_for(state, game.scenario(), state.request, side).partition("\n")[0]
                text = head if side == "klingon" else draft_for(state, game.scenario(), state.request, side)
                submit(game, f"{text}\nCONCEDE\nEND\n" if side == "klingon" else text, "")
            resolve_game(game)
            assert game.state().over
    assert pages(late) == pages(once)
    with opened(late) as game:
        proof = Pages().page(game, "everybody", PROOF)
    with opened(late, lock="anything"):
        pass
    assert tree(late) == tree(once)
    assert [path.read_bytes() for path in late.rglob(PROOF)] == [proof]


@pytest.mark.slow
def test_an_interrupted_game_is_gone_on_with_and_its_reports_stay_left(tmp_path: Path) -> None:
    """Killed between the log and the note that reports are left."""
    once, late = twins(tmp_path)
    answered(once, late=False)
    answered(late, late=True)
    (late / UNWRITTEN).unlink()
    with opened(late, lock="play", reports_late=True) as game:
        assert is_left(game) and not is_current(game)
    assert pages(late) == pages(once)
    with opened(late, lock="play") as game:
        assert is_current(game)
    assert tree(late) == tree(once)
