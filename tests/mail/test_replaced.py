"""Players come and go: whom a change concerns is told, and nobody inherits a deadline that is past."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.proof.verify_game import verify
from pbem.games.site import game_files
from pbem.games.status import status
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, cast, replace_player, tenures
from pbem.games.storage.publish import reports_folder
from pbem.mail.commands import seats
from pbem.mail.commands.endings import read_endings
from pbem.mail.seats import token_of

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, subjects, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, subjects, words

KOLOTH = "koloth@host.example"


def change(hosted: Hosted, player: str) -> str:
    """The side of klingon goes to somebody else; its new token."""
    with opened(hosted.game, lock="test") as game:
        seats.replace(game, "klingon", player, hosted.now)
    hosted.now = hosted.now.replace(second=hosted.now.second + 1)
    hosted.round()
    return token_of(hosted.game, "klingon")


def test_the_first_mail_of_a_substitute_has_a_deadline_to_come_and_the_others_are_told(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="wait")
    hosted.round()
    hosted.post(hosted.letter("federation", hosted.scripted("federation")))
    hosted.later(days=4)
    change(hosted, f"Koloth <{KOLOTH}>")
    said = " ".join(words(hosted.sent_to("koloth")[0]).split())
    assert "The deadline is Sun 7 Mar 2027, 12:00" in said and "deadline was" not in said
    theirs = hosted.sent_to("federation")[-1]
    assert "klingon has another player" in subjects([theirs])[0]
    assert f"Koloth <{KOLOTH}> now plays klingon" in " ".join(words(theirs).split())
    gone = hosted.sent_to("klingon")[-1]
    assert "instead of you" in " ".join(words(gone).split()) and token_of(hosted.game, "klingon") not in str(gone)
    told = len(hosted.sink.mails)
    hosted.now = hosted.now.replace(second=9)
    hosted.round()
    assert len(hosted.sink.mails) == told, "once"
    done = CliRunner().invoke(app, ["status", str(hosted.game)])
    assert f"klingon is played by Koloth <{KOLOTH}> since turn 1; before, by" in " ".join(done.output.split())


@pytest.mark.slow
def test_reports_status_and_site_say_who_plays_and_who_did(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    for _ in range(3):
        hosted.round()
        answer(hosted, *ADDRESSES)
    hosted.round()
    began = sitrep(hosted, "federation")
    change(hosted, f"Koloth <{KOLOTH}>")
    change(hosted, f"Koloth <{KOLOTH}>, k@work.example")  # he writes from work, too
    with opened(hosted.game) as game:
        turn = game.state().stands[0]
        now = {side.side: side.player for side in status(game).sides}
        files = game_files(game)
    since = f"Koloth <{KOLOTH}>, k@work.example since turn {turn}; before, "
    assert now["klingon"].startswith("Koloth <")
    for told in (sitrep(hosted, "federation"), words(hosted.sent_to("koloth")[-1])):
        assert since in " ".join(told.split()) and since not in " ".join(began.split())
    page = files["index.html"].decode()
    assert f"Koloth since turn {turn}" in page and "Koloth ," not in page
    assert not any("@" in name or b"koloth@" in data for name, data in files.items())
    with opened(hosted.game) as game:
        assert not verify(game).faults


@pytest.mark.parametrize(
    ("player", "told"),
    [
        (("Kor <k@a.example>", "kor@b.example"), "kor@b.example since turn 3; before, Kor"),
        (("k@a.example", "k@a.example, k@work.example"), "k@a.example, k@work.example"),
        (("Kor <k@a.example>", "Kor <k@b.example>"), "Kor <k@b.example>"),
        (("Kor <k@a.example>", "Mara <k@a.example>"), "Mara <k@a.example> since turn 3; before, Kor"),
        (("A <a@x.example>", "B <b@x.example>", "A <a@y.example>"),
         "A <a@y.example> since turn 4; before, B since turn 3; before, A"),
    ],
)  # fmt: skip
def test_who_has_played_a_side_in_words(tmp_path: Path, player: tuple[str, ...], told: str) -> None:
    for turn, (before, after) in enumerate(itertools.pairwise(player), start=3):
        replace_player(tmp_path, Tenure(side="klingon", before=before, player=after, turn=turn))
    assert cast(tenures(tmp_path)) == {"klingon": told}
    assert cast(tenures(tmp_path), turn=2) == {}


def sitrep(hosted: Hosted, side: str) -> str:
    with opened(hosted.game) as game:
        return (reports_folder(game) / side / "sitrep.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("again", ["Kor <kor@example.org>", "kor@example.org, kor@work.example"])
def test_who_comes_back_or_has_another_address_gets_his_new_token(tmp_path: Path, again: str) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    if "work" not in again:
        change(hosted, KOLOTH)
    before = token_of(hosted.game, "klingon")
    token = change(hosted, again)
    assert token != before
    assert any(token in str(one["Subject"]) for one in hosted.sent_to("klingon")), subjects(hosted.sent_to("klingon"))
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon"), token=token))
    hosted.round()
    assert not hosted.scripted("klingon")


def test_who_takes_a_side_over_has_agreed_to_no_draw(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.post(hosted.letter("klingon", "DRAW\n"))
    hosted.round()
    assert read_endings(hosted.game).draw == ("klingon",)
    change(hosted, "cid@example.org")
    hosted.post(hosted.letter("federation", "DRAW\n"))
    hosted.round()
    assert read_endings(hosted.game).draw == ("federation",) and not hosted.over()
    hosted.post(hosted.letter("klingon", "DRAW\n", sender="cid@example.org"))
    hosted.round()
    assert hosted.over()
