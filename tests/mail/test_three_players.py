"""Three players by real mail, each against the others: who is asked, who waits, who is late, and who is told what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.engine.events import OrdersFiled, Requested
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.replies.reply import PLAYED
from pbem.mail.seats import token_of

if TYPE_CHECKING:
    from tests.mail.world import Asked, Club, Player, World

pytestmark = pytest.mark.slow

PEOPLE = {"federation": "ann@example.org", "klingon": "kor@example.org", "romulan": "tal@example.org"}
SHIPS = {"federation": "Constellation", "klingon": "Destruction", "romulan": "Hawk"}
ENERGY = {
    "federation": "SPEED 9; GENERAL 2",
    "klingon": "SPEED 11; DISR A 2; DISR B 2",
    "romulan": "SPEED 10; PLAS A 2",
}
PLOTS = {"federation": "TOWARD NEAREST SHIP", "klingon": "TOWARD Hawk", "romulan": "TOWARD Destruction"}
SECRETS = {"federation": "IMPULSE 7", "klingon": "RANGE Hawk <= 9", "romulan": "RANGE Destruction <= 7"}
"""A break of each, that nobody else may know."""
END = 3
"""In this turn all but the Romulan leave."""


def orders(side: str) -> Callable[[Asked], str]:
    """What a player of this game orders: his energy, then a course, fire at what is near, and his break."""

    def written(asked: Asked) -> str:
        head = asked.draft[asked.draft.index("GAME ") :].partition("\n")[0]
        if "FORM EAF" in head:
            first = "; PHASERS 2" if asked.turn == 1 else ""
            return f"{head}\nSHIP {SHIPS[side]}\nENERGY\n  {ENERGY[side]}{first}\nEND\n"
        fire = "  IF NEAREST SHIP WITHIN 4 THEN FIRE PH 1,2 AT IT\n" if (asked.turn, asked.number) == (1, 2) else ""
        leave = "  AT 16 DISENGAGE\n" if asked.turn == END and side != "romulan" else ""
        return f"{head}\nSHIP {SHIPS[side]}\nPLOT\n  {PLOTS[side]}\nDO\n{fire}{leave}BREAK\n  {SECRETS[side]}\nEND\n"

    return written


class Triangle:
    """The game, and what was seen of it while it went on."""

    def __init__(self, mail: ModuleType, folder: Path) -> None:
        self.mail = mail
        boxes = [mail.HOST, mail.UMPIRE, *PEOPLE.values()]
        self.world: World = mail.World(folder / "boxes", boxes, imap=mail.has_imap())
        self.folder = folder
        self.asides: list[EmailMessage] = []
        self.served = False

    def play(self) -> None:
        with self.world:
            self.club: Club = self.mail.Club(self.world, self.folder / "host", late="hold")
            self.game = self.folder / "host" / "games" / "triangle"
            new(str(Path(__file__).with_name("triangle.toml")), self.game, players=PEOPLE, seed="three")
            self.players: dict[str, Player] = {
                side: self.mail.Player(self.world, address, orders(side), self.mail.CLIENTS)
                for side, address in PEOPLE.items()
            }
            self.mail.play(self.world, self.club, self.players, between=self._between)
            self.last = self.club.round()

    def _between(self, number: int) -> None:
        tal, ann = self.players["romulan"], self.players["federation"]
        owing = {side for side, player in self.players.items() if player.owes}
        if tal.asked and (tal.asked.turn, tal.asked.number) == (2, 1) and not self.served:
            # The Romulan is late with his second energy form, until his grace is over.
            if not tal.idle:
                tal.idle = True
            else:
                self.world.now += timedelta(hours=9)
        if tal.idle and any("filed for you" in str(one["Subject"]) for one in tal.mails):
            tal.idle = False
            self.served = True
        if len(owing) == 1 and "federation" not in owing and not self.asides and ann.asked and not tal.idle:
            # Only another is asked: Ann asks how things stand, and sends orders nobody wants.
            before = len(ann.mails)
            status = ann.letter(ann.asked)
            status.replace_header("Subject", f"STATUS TOKEN {token_of(self.game, 'federation')}")
            status.set_content("")
            self.world.send(ann.address, bytes(status))
            self.world.send(ann.address, bytes(self.mail.plain(ann, ann.asked, ann.orders(ann.asked) + "\n")))
            self.club.round()
            ann.read()
            self.asides = ann.mails[before:]
            self.alone = next(iter(owing))


@pytest.fixture(scope="module")
def triangle(mailworld: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Triangle]:
    triangle = Triangle(mailworld, tmp_path_factory.mktemp("three"))
    triangle.play()
    yield triangle


def requests(triangle: Triangle) -> list[Requested]:
    with opened(triangle.game) as game:
        return [record.event for record in game.effective() if isinstance(record.event, Requested)]


def test_the_game_is_played_to_its_end(triangle: Triangle) -> None:
    with opened(triangle.game) as game:
        assert not verify(game).faults
        assert {end.side for end in game.state().outcome} == set(PEOPLE)
        # One side's break asks one side: the others' orders were filed once and stayed in force.
        asked = [one.request.sides for one in requests(triangle)]
        assert any(len(sides) == 1 for sides in asked) and any(len(sides) == len(PEOPLE) for sides in asked)
        filed = [(r.event.side, r.event.request) for r in game.effective() if isinstance(r.event, OrdersFiled)]
        assert len(filed) == sum(len(sides) for sides in asked)
    assert triangle.last.put == 0


def mails(triangle: Triangle, side: str, subject: str) -> list[str]:
    """The texts of what a side was sent, with a word in the subject."""
    found = [one for one in triangle.players[side].mails if subject in str(one["Subject"])]
    return [" ".join(triangle.mail.words(one).split()) for one in found]


def test_while_one_is_asked_the_others_are_told_so_and_owe_nothing(triangle: Triangle) -> None:
    status, fault = [" ".join(triangle.mail.words(one).split()) for one in triangle.asides]
    asked = triangle.alone
    assert f"{asked} owes orders" in status
    for side in PEOPLE:
        assert side == asked or f"{side} no orders wanted now" in status
    for said in (status, fault):
        assert "The deadline for the sides that owe orders is" in said
        assert "your ships hold" not in said, "nothing becomes of who owes nothing"
    assert f"No orders are wanted from you now. They are wanted from {asked}." in fault
    for one in requests(triangle):
        begins = f"triangle {one.request.turn}.{one.request.impulse} SITREP"
        for side in PEOPLE:
            is_asked = "Your orders are wanted. The deadline is"
            is_not = f"No orders are wanted from you now. They are wanted from {', '.join(one.request.sides)}."
            found = [mail for mail in triangle.players[side].mails if str(mail["Subject"]).startswith(begins)]
            (mail,) = found
            said = " ".join(triangle.mail.words(mail).split())
            drafts = [part for part in mail.iter_attachments() if (part.get_filename() or "").endswith(".orders")]
            mine = side in one.request.sides
            assert (is_asked in said, is_not in said, len(drafts)) == (mine, not mine, int(mine))


def test_only_who_is_late_is_reminded_and_all_are_told_what_was_done_for_him(triangle: Triangle) -> None:
    assert not mails(triangle, "federation", "missing") and not mails(triangle, "klingon", "missing")
    first, last = mails(triangle, "romulan", "missing")
    assert "EAF Hawk (turn 2, REPLY 1)" in first and "The deadline was" in last
    (filed,) = mails(triangle, "romulan", "filed for you")
    assert "SHIP Hawk" in filed
    for side in PEOPLE:
        assert not (side != "romulan" and mails(triangle, side, "filed for you"))
        (told,) = [said for said in mails(triangle, side, "SITREP") if "no orders came" in said]
        assert told.startswith("romulan: no orders came for request 1 of turn 2. Filed by the host")


def test_receipts_say_the_deadline_and_threaten_nobody_who_has_answered(triangle: Triangle) -> None:
    for side in PEOPLE:
        for said in mails(triangle, side, "receipt for request"):
            # A receipt that waited until its orders were played says so instead.
            assert ("The deadline is" in said or PLAYED in said) and "your ships hold" not in said
            assert ("you can send new ones" in said) is (PLAYED not in said)


def test_no_side_is_mailed_a_word_of_the_others_orders(triangle: Triangle) -> None:
    for side, address in PEOPLE.items():
        sent = [one.raw for one in triangle.world.passed if one.to == address]
        read = [triangle.mail.everything(raw) for raw in sent]
        assert any(SECRETS[side] in one for one in read), "the search finds what is there"
        for other in PEOPLE:
            if other != side:
                hidden = [SECRETS[other], ENERGY[other].partition("; ")[2], token_of(triangle.game, other)]
                assert not [word for word in hidden for one in read if word in one]
