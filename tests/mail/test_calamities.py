"""Inbox dead, outbox dead, both, the machine off, the clock wrong by days: nobody is held late, players hear nothing of
it, the umpire is told when it begins and when it ends. And a game of the first landing goes on in a club of today.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.transport.outbox import Unreachable

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, Sink, answer, subjects, words
else:
    from post_hosted import ADDRESSES, Hosted, Sink, answer, subjects, words

FIRST = Path(__file__).parents[1] / "games" / "first" / "duel01"
WANTED = "pbem: the umpire is needed"


class Line(Sink):
    """A server that can be out of reach."""

    def __init__(self) -> None:
        super().__init__()
        self.dead = False

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if self.dead:
            raise Unreachable("no server answers")
        super().send(sender, to, mail)


@contextmanager
def no_inbox(hosted: Hosted) -> Iterator[None]:
    box = hosted.folder / "Maildir"
    box.rename(box.with_name("gone"))
    yield
    box.with_name("gone").rename(box)


@contextmanager
def no_outbox(hosted: Hosted) -> Iterator[None]:
    line = hosted.sink
    assert isinstance(line, Line)
    line.dead = True
    yield
    line.dead = False


@contextmanager
def neither(hosted: Hosted) -> Iterator[None]:
    with no_inbox(hosted), no_outbox(hosted):
        yield


CALAMITIES = {"inbox": no_inbox, "outbox": no_outbox, "both": neither}


def begun(tmp_path: Path) -> Hosted:
    """A game in which one has answered and the other has a day left, and grace."""
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.sink = Line()
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=1)
    hosted.round()
    hosted.sink.mails.clear()
    return hosted


def filed(hosted: Hosted) -> bool:
    return (hosted.game / "01" / "orders" / "klingon.r1.orders").exists()


def ending(hosted: Hosted) -> None:
    """The day that was left is left still, and the game goes on when he answers."""
    hosted.later(hours=20)
    hosted.round()
    assert not filed(hosted)
    answer(hosted, "klingon")
    hosted.later(hours=1)
    hosted.round()
    text = (hosted.game / "01" / "orders" / "klingon.r1.orders").read_text(encoding="utf-8")
    assert "Filed by the host" not in text


@pytest.mark.slow
@pytest.mark.parametrize("what", CALAMITIES)
def test_a_week_without_post_punishes_nobody_and_is_told_when_it_begins_and_ends(tmp_path: Path, what: str) -> None:
    hosted = begun(tmp_path)
    with CALAMITIES[what](hosted):
        for _ in range(14):
            hosted.now += timedelta(hours=12)
            hosted.round()
            assert not filed(hosted)
    for _ in range(3):
        hosted.now += timedelta(minutes=5)
        hosted.round()
    told = [" ".join(words(mail).split()) for mail in hosted.sent_to("umpire")]
    ends = [text for text in told if "Email did not work from" in text]
    assert len(ends) == 1 and "does not count" in ends[0]
    if what == "inbox":  # told at once, and again each day as long as it lasts
        begins = [mail for mail in subjects(hosted.sent_to("umpire")) if mail.startswith(WANTED)]
        assert 1 <= len(begins) <= 8
        assert "the inbox" in told[0] and "did not work from" not in told[0], "before anything else"
    for side in ADDRESSES:
        assert not [one for one in subjects(hosted.sent_to(side)) if "umpire" in one or "waiting for" in one]
    ending(hosted)


def test_a_machine_that_was_off_for_a_week_punishes_nobody_and_tells_of_it_once(tmp_path: Path) -> None:
    hosted = begun(tmp_path)
    hosted.now += timedelta(days=7)
    for _ in range(3):
        hosted.round()
        assert not filed(hosted)
        hosted.now += timedelta(minutes=5)
    notices = [mail for mail in hosted.sent_to("umpire") if "your club" not in str(mail["Subject"])]
    assert ["There was no round from" in words(mail) for mail in notices] == [True]
    ending(hosted)


@pytest.mark.parametrize("wrong", [timedelta(days=1), timedelta(days=-1), timedelta(days=3), timedelta(days=-3)])
def test_a_clock_that_is_wrong_by_days_punishes_nobody(tmp_path: Path, wrong: timedelta) -> None:
    """Told when it leaps as far as can be told, and when it is put right; a day ahead may be a day without rounds."""
    hosted = begun(tmp_path)
    right = hosted.now
    hosted.now = right + wrong
    hosted.round()
    hosted.now += timedelta(minutes=5)
    hosted.round()
    assert not filed(hosted)
    hosted.now = right + timedelta(minutes=10)
    for _ in range(3):
        hosted.round()
        assert not filed(hosted)
        hosted.now += timedelta(minutes=5)
    told = [" ".join(words(mail).split()) for mail in hosted.sent_to("umpire")]
    leaps = [text for text in told if "clock" in text]
    assert len(leaps) == (1 if abs(wrong) <= timedelta(days=2) else 2), leaps
    ending(hosted)


@pytest.mark.parametrize("wrong", [timedelta(days=1), timedelta(days=-1)])
def test_a_clock_that_is_wrong_by_a_day_for_hours_punishes_nobody_who_has_hours_left(
    tmp_path: Path, wrong: timedelta
) -> None:
    """The machine was not switched off, so it knows: by the wrong clock his time is up long since."""
    hosted = begun(tmp_path)
    hosted.later(hours=30)
    hosted.true = hosted.now
    hosted.round()
    for offset, rounds in ((wrong, 5), (timedelta(), 3)):
        for _ in range(rounds):
            hosted.true += timedelta(minutes=20)
            hosted.now = hosted.true + offset
            hosted.round()
            assert not filed(hosted)
    told = [" ".join(words(mail).split()) for mail in hosted.sent_to("umpire")]
    assert len([text for text in told if "by 24 hours 0 minutes" in text]) == 2, "when it is put, and when put right"
    hosted.true += timedelta(hours=8)
    hosted.now = hosted.true
    hosted.round()
    hosted.round()
    assert filed(hosted), "his time is not longer for it, either"


@pytest.mark.slow
def test_a_game_of_the_first_landing_goes_on_in_a_club(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.sink = Line()
    shutil.rmtree(hosted.game)
    shutil.copytree(FIRST, hosted.game)
    terms = hosted.game / "game.toml"
    logs = {path: path.read_bytes() for path in hosted.game.glob("*/events.jsonl")}
    before = terms.read_bytes()
    for _ in range(3):
        hosted.now += timedelta(hours=1)
        hosted.round()
        answer(hosted, *(side for side in ADDRESSES if hosted.scripted(side)))
    hosted.round()
    assert not hosted.round().troubles
    assert terms.read_bytes() == before
    assert all(path.read_bytes().startswith(data) for path, data in logs.items())
    with opened(hosted.game) as game:
        assert len(game.records()) > sum(data.count(b"\n") for data in logs.values())
        assert verify(game).record == ()
    for side in ADDRESSES:
        assert any("you play" in one for one in subjects(hosted.sent_to(side))), "he is invited like anybody"
