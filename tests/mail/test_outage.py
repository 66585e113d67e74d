"""The clock belongs to the player: while the post does not work it runs for nobody. Over real servers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import parsedate_to_datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.games.create import new
from pbem.mail.incoming.message import read_letter
from pbem.mail.transport.passwords import IMAP_PASSWORD as PASSWORD

if TYPE_CHECKING:
    from tests.mail.world import Asked, Club, Player, World

ANN, KOR = "ann@example.org", "kor@example.org"
_DEADLINE = re.compile(r"deadline(?: for the sides that owe orders)? is \w{3} (\d{1,2} \w{3} \d{4}, \d\d:\d\d) \(UTC\)")


class Town:
    """A club of one game over real servers, and both its players."""

    def __init__(self, mail: ModuleType, world: World, folder: Path) -> None:
        self.mail, self.world = mail, world
        self.club: Club = mail.Club(world, folder, late="hold")
        self.game = self.club.folder / "games" / "duel"
        new("5", self.game, players={"federation": ANN, "klingon": KOR}, seed="outage")
        self.ann: Player = mail.Player(world, ANN, self.draft)
        self.kor: Player = mail.Player(world, KOR, self.draft)

    @staticmethod
    def draft(asked: Asked) -> str:
        return str(asked.draft)

    def rounds(self, **gone: float) -> None:
        """Time passes, with a round every six hours and one at its end."""
        end = self.world.now + timedelta(**gone)
        while self.world.now < end:
            self.world.now = min(end, self.world.now + timedelta(hours=6))
            self.club.round()

    def inbox_dies(self) -> None:
        if self.world.imap:
            os.environ[PASSWORD] = "the old one"
        else:
            box = self.world.boxes[self.mail.HOST]
            (box / "new").rename(box / "gone")

    def inbox_lives(self) -> None:
        if self.world.imap:
            os.environ[PASSWORD] = self.mail.PASSWORD
        else:
            box = self.world.boxes[self.mail.HOST]
            (box / "gone").rename(box / "new")

    def answer(self, *players: Player) -> None:
        """They read their mail and answer."""
        for player in players:
            player.read()
            assert player.answer(), "he was asked nothing"

    def orders(self, side: str) -> str:
        path = self.game / "01" / "orders" / f"{side}.r1.orders"
        return str(path.read_text(encoding="utf-8"))

    def filed(self, side: str) -> bool:
        """Whether the host filed orders for a side."""
        files = self.game.glob(f"*/orders/{side}.*")
        return any("Filed by the host" in file.read_text(encoding="utf-8") for file in files)

    def told(self) -> list[tuple[datetime, datetime, str]]:
        """For each deadline in a mail to a player: when the mail was sent, the deadline, and to whom."""
        found = []
        for one in self.world.passed:
            if self.mail.bare(one.to) not in (ANN, KOR):
                continue
            mail = message_from_bytes(one.raw, policy=default)
            assert isinstance(mail, EmailMessage)
            sent = parsedate_to_datetime(str(mail["Date"]))
            for words in _DEADLINE.findall(self.mail.everything(one.raw)):
                found.append((sent, datetime.strptime(words, "%d %b %Y, %H:%M").replace(tzinfo=UTC), one.to))
        return found

    def nothing_is_past(self) -> None:
        told = self.told()
        assert told and [one for one in told if one[1] <= one[0]] == []


@pytest.fixture(params=["folder", pytest.param("imap", marks=pytest.mark.slow)])
def town(mailworld: ModuleType, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Town]:
    imap = request.param == "imap"
    if imap and not mailworld.has_imap():
        pytest.skip("needs pymap, an IMAP server in Python")
    people = [mailworld.HOST, mailworld.UMPIRE, ANN, KOR]
    with mailworld.World(tmp_path / "boxes", people, imap=imap) as world:
        yield Town(mailworld, world, tmp_path / "host")


@pytest.mark.slow
def test_an_inbox_that_is_dead_over_a_deadline_makes_nobody_late(town: Town) -> None:
    town.club.round()
    town.answer(town.ann)
    town.rounds(days=1, hours=15)
    town.answer(town.kor)  # nine hours before the deadline; nobody has read it when the inbox dies
    town.inbox_dies()
    town.rounds(days=3)
    assert not list(town.game.glob("01/orders/klingon*"))
    town.inbox_lives()
    town.rounds(hours=1)
    assert "Filed by the host" not in town.orders("klingon")
    assert not town.filed("klingon") and not town.filed("federation")
    notes = [town.mail.everything(one.raw) for one in town.world.passed if one.to == town.mail.UMPIRE]
    assert any("Email did not work from" in text and "are extended by it" in text for text in notes)
    town.nothing_is_past()


@pytest.mark.slow
def test_who_has_not_answered_has_the_outage_more_and_not_for_ever(town: Town) -> None:
    town.club.round()
    town.answer(town.ann)
    town.rounds(days=1)
    town.inbox_dies()
    town.rounds(days=3)
    town.inbox_lives()
    town.rounds(days=1, hours=6)  # two days and six hours of time that counted, three that did not
    assert not town.filed("klingon")
    town.rounds(hours=14)
    assert town.filed("klingon")
    town.nothing_is_past()


@pytest.mark.slow
def test_a_week_without_sending_mail_makes_nobody_late_and_no_mail_tells_a_deadline_that_is_past(town: Town) -> None:
    town.club.round()
    town.answer(town.ann)
    town.rounds(hours=12)
    town.world.refused.add(town.mail.HOST)
    town.answer(town.kor)  # now the turn is played, and its sitreps cannot go
    town.rounds(days=7)
    assert not town.filed("klingon") and not town.filed("federation")
    waiting = len(list((town.club.folder / "mail" / "outbox" / "waiting").glob("sitrep.*.eml")))
    assert waiting >= 2
    town.world.refused.clear()
    town.rounds(hours=1)
    came = town.world.now
    town.nothing_is_past()
    # The post was last known to work six hours before the turn was played: as much more they have at most.
    least, most = came + timedelta(days=2), came + timedelta(days=2, hours=6)
    assert {to for sent, due, to in town.told() if sent == came and least <= due <= most} == {ANN, KOR}
    town.answer(town.ann)
    town.rounds(days=1, hours=20)
    assert not town.filed("klingon")
    town.answer(town.kor)
    town.rounds(hours=6)
    assert not town.filed("klingon") and not town.filed("federation")
    town.nothing_is_past()


@pytest.mark.slow
def test_both_dead_at_once(town: Town) -> None:
    town.club.round()
    town.answer(town.ann)
    town.rounds(days=1)
    town.answer(town.kor)
    town.inbox_dies()
    town.world.refused.add(town.mail.HOST)
    town.rounds(days=4)
    town.inbox_lives()
    town.rounds(days=3)
    town.world.refused.clear()
    town.rounds(hours=12)
    assert not town.filed("klingon") and not town.filed("federation")
    town.nothing_is_past()


@pytest.mark.slow
def test_time_begins_when_the_server_takes_the_sitrep_of_a_player_whose_mailbox_was_full(town: Town) -> None:
    town.world.full.add(KOR)
    town.club.round()
    town.answer(town.ann)
    town.rounds(days=3)
    assert not town.filed("klingon")
    town.world.full.clear()
    town.rounds(days=1)
    town.nothing_is_past()
    to_kor = [(sent, due) for sent, due, to in town.told() if to == KOR]
    assert to_kor[0][1] == to_kor[0][0] + timedelta(days=2)
    town.rounds(days=1)
    assert not town.filed("klingon")
    town.answer(town.kor)
    town.rounds(hours=1)
    assert not town.filed("klingon")


def test_no_mail_that_goes_says_of_which_deadline_it_was_written(town: Town) -> None:
    town.club.round()
    assert town.world.passed and not any(b"X-PBEM-Until" in one.raw for one in town.world.passed)
    assert all(read_letter(one.raw).kind == "own" for one in town.world.passed)
