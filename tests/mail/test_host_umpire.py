"""The umpire's hand in a hosted game: each player is told what he may know, in one new sitrep."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage import folder as act
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish_all, reports_folder
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.rerun import rerun
from pbem.games.umpire.undo import undo
from tests.cuts import cut_at, operations

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, words

WHY = "the form was read wrong"


def ruled(hosted: Hosted, decree: Decree) -> dict[str, list[str]]:
    """What each side is sent after a ruling, in this round and the next."""
    before = {side: len(hosted.sent_to(side)) for side in ADDRESSES}
    with opened(hosted.game, lock="test") as game:
        override(game, decree)
    hosted.round()
    hosted.now += timedelta(minutes=1)
    assert hosted.round().put == 0, "all was said"
    return {
        side: [" ".join(words(mail).split()) for mail in hosted.sent_to(side)[count:]] for side, count in before.items()
    }


def test_a_ruling_is_sent_to_all_once_and_its_secret_to_the_owner_alone(hosted: Hosted) -> None:
    hosted.round()
    told = ruled(hosted, Decree(changes=("Destruction shield 2 = 3",), reason="a volley was forgotten"))
    for letters in told.values():
        [letter] = letters
        assert "shield 2 of Destruction is 3 (was 12): a volley was forgotten." in letter
    told = ruled(hosted, Decree(changes=("Destruction batteries = 1",), reason=WHY))
    [mine], [theirs] = told["klingon"], told["federation"]
    assert f"batteries of Destruction is 1 (was 2): {WHY}." in mine
    assert "The umpire made a ruling about Destruction." in theirs and WHY not in theirs


def test_a_house_rule_for_one_side_is_news_to_that_side_only(hosted: Hosted) -> None:
    hosted.round()
    told = ruled(hosted, Decree(ruling="Write sooner", to="klingon"))
    assert told["federation"] == []
    [letter] = told["klingon"]
    assert "1. Write sooner" in letter


def test_the_end_by_ruling_is_sent_and_nobody_is_reminded_any_more(hosted: Hosted) -> None:
    hosted.round()
    told = ruled(hosted, Decree(result={"federation": "draw", "klingon": "draw"}, reason="both agreed"))
    assert all("THE GAME IS OVER" in letter for [letter] in told.values())
    hosted.later(days=9)
    assert hosted.round().put == 0


@pytest.mark.slow
def test_play_repeated_is_told_in_one_sitrep_however_many_requests_it_passes(hosted: Hosted) -> None:
    for _ in range(3):
        hosted.round()
        answer(hosted, *(side for side in ADDRESSES if hosted.scripted(side)))
    hosted.round()
    counts = {side: len(hosted.sent_to(side)) for side in ADDRESSES}
    with opened(hosted.game, lock="test") as game:
        done = rerun(
            game, turn=1, request=1, accept=True,
            decree=Decree(changes=("Destruction shield 2 = 3",), reason="a volley was forgotten"),
        )  # fmt: skip
        assert done.segments > 1
        assert verify(game).faults == ()
    hosted.round()
    assert hosted.round().put == 0
    for side, count in counts.items():
        [letter] = [" ".join(words(mail).split()) for mail in hosted.sent_to(side)[count:]]
        assert "had play repeated from request 1 of turn 1 with the same dice" in letter
        assert "shield 2 of Destruction is 3 (was 12): a volley was forgotten." in letter
    # What was said stays said when the reports are written anew.
    with opened(hosted.game, lock="test") as game:
        verify(game, repair=True)
    assert hosted.round().put == 0


@pytest.mark.parametrize(
    "part", [0.0, pytest.param(0.3, marks=pytest.mark.slow), pytest.param(0.9, marks=pytest.mark.slow)]
)
def test_an_undo_that_is_cut_off_is_told_to_all_once(hosted: Hosted, part: float) -> None:
    """Cut off right after it has happened, or while reports are written: the next round does it and says it."""
    hosted.round()
    answer(hosted, *ADDRESSES)
    hosted.round()
    before = {side: len(hosted.sent_to(side)) for side in ADDRESSES}

    def take_back(folder: Path) -> None:
        with opened(folder, lock="test") as game:
            undo(game, reason="an order was misread")

    trial = hosted.folder.parent / "trial" / hosted.game.name
    shutil.copytree(hosted.game, trial)
    done = operations(lambda: take_back(trial), under=trial)
    commit = done.index(f"replace {act.UNFINISHED}")
    with cut_at(commit + 1 + int(part * (len(done) - commit - 2)), under=hosted.game) as cut:
        take_back(hosted.game)
    assert cut.fell
    hosted.round()
    assert hosted.round().put == 0
    for side, count in before.items():
        [letter] = [" ".join(words(mail).split()) for mail in hosted.sent_to(side)[count:]]
        assert "Play was taken back: an order was misread." in letter
        assert "Segment 1: request 1 of turn 1 played, and taken back by the umpire" in letter
    with opened(hosted.game) as game:
        assert verify(game).faults == ()


def test_play_taken_back_before_a_round_is_told_all_the_same(hosted: Hosted) -> None:
    """Resolved and undone by hand, so that nobody heard of it: the next letter has its link and hashes."""
    hosted.round()
    before = {side: len(hosted.sent_to(side)) for side in ADDRESSES}
    with opened(hosted.game, lock="test") as game:
        for side in ADDRESSES:
            submit(game, hosted.scripted(side), side)
        resolve_game(game)
        undo(game, reason="the dice were not to my liking")
    hosted.round()
    for side, count in before.items():
        letters = [" ".join(words(mail).split()) for mail in hosted.sent_to(side)[count:]]
        assert "Segment 1: request 1 of turn 1 played, and taken back by the umpire link" in letters[-1]


def test_the_umpires_page_is_made_when_it_is_asked_for(hosted: Hosted) -> None:
    """Play goes on and players are written to without it; what is made later has the bytes of what is made at once."""
    hosted.round()
    for _ in range(2):
        answer(hosted, *ADDRESSES)
        assert dict(hosted.round().games), "it was played"
    with opened(hosted.game) as game:
        folder = reports_folder(game)
    umpires = folder / "umpire"
    assert {path.name for path in umpires.iterdir()} == {"mail.eml", "sitrep.txt"}
    assert all((folder / side / "sitrep.html").is_file() for side in ADDRESSES)
    hosted.post(hosted.letter("klingon", "RESEND"))
    hosted.round()
    assert not (umpires / "sitrep.html").exists(), "that was the player's"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = CliRunner().invoke(app, ["open", str(hosted.game), "--print"])
    assert done.output.strip() == str(umpires / "sitrep.html"), done.output
    found = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert found.keys() - before.keys() == {umpires / "sitrep.html"}
    assert {path for path in before if before[path] != found[path]} == {umpires / "mail.eml"}
    with opened(hosted.game, lock="test") as game:
        publish_all(game)
    assert {path: path.read_bytes() for path in found} == found
    assert hosted.round().put == 0
