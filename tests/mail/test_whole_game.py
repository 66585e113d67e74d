"""Whole games over a real SMTP and a real IMAP server: the players know nothing but what their mail tells them.

The duel's players send what those of the shipped game sent, so its record must come out, byte for byte, whatever
else arrives on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.engine import log
from pbem.games import create
from pbem.games.proof.verify_game import verify
from pbem.games.segments import opening
from pbem.games.storage.files import write_bytes
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish
from pbem.mail import store

if TYPE_CHECKING:
    from tests.mail.world import Asked, Club, Player, World

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pages")]

DUEL = next(folder for folder in create.shipped_games() if folder.name == "duel01")
ANN, KOR, EVE = "ann@example.org", "kor@example.org", "eve@elsewhere.example"
SIDES = {"federation": ANN, "klingon": KOR}
SHIPPED = {path.parent.name: path.read_bytes() for path in sorted(DUEL.glob("*/events.jsonl"))}


@pytest.fixture(scope="module", params=["imap", "maildir"])
def imap(request: pytest.FixtureRequest, mailworld: ModuleType) -> bool:
    if request.param == "imap" and not mailworld.has_imap():
        pytest.skip("needs pymap, an IMAP server in Python (pip install pymap)")
    return bool(request.param == "imap")


class Duel:
    """The shipped duel among people who write letters, with everything that goes wrong on the way."""

    def __init__(self, mail: ModuleType, folder: Path, *, imap: bool) -> None:
        self.mail = mail
        self.world: World = mail.World(folder / "boxes", [mail.HOST, mail.UMPIRE, ANN, KOR, EVE], imap=imap)
        self.folder, self.forged, self.late = folder, 0, 0

    def play(self) -> None:
        with self.world:
            self.club: Club = self.mail.Club(self.world, self.folder / "host")
            self.game = self.folder / "host" / "games" / "duel01"
            create._copy_terms(DUEL, self.game)
            with opened(self.game) as game:
                write_bytes(game.log_file(0), log.encode_records(opening(game.terms)))
                game.write_state()
                publish(game)
            self.players: dict[str, Player] = {
                side: self.mail.Player(self.world, address, self._scripted(side), self.mail.CLIENTS)
                for side, address in SIDES.items()
            }
            self.mail.play(self.world, self.club, self.players, between=self._between)
            self.last = self.club.round()
            self.eve: list[EmailMessage] = self.world.fetch(EVE)
            self.umpire: list[EmailMessage] = self.world.fetch(self.mail.UMPIRE)

    def _scripted(self, side: str) -> Callable[[Asked], str]:
        def orders(asked: Asked) -> str:
            return (DUEL / f"{asked.turn:02}" / "orders" / f"{side}.r{asked.number}.orders").read_text(encoding="utf-8")

        return orders

    def _between(self, number: int) -> None:
        """What arrives besides the letters of the game."""
        kor = self.players["klingon"]
        if number == 0:  # a broken form
            assert kor.asked is not None
            kor.post(self.mail.plain(kor, kor.asked, kor.orders(kor.asked).replace("disr a 2", "disr a 2 kirk")))
        elif number == 2:  # late: his answer waits for the second reminder
            kor.idle = True
            self.late = len(kor.mails)
        elif kor.idle and sum("orders are missing" in str(one["Subject"]) for one in kor.mails) == 2:
            kor.idle = False
        elif kor.idle:
            self.world.now += timedelta(hours=9)
        if kor.owes and not kor.idle and not self.forged and number > 4:
            assert kor.asked is not None
            self._forge(kor, kor.asked)
            assert kor.answer()
            self.world.send("list@example.org", bytes(kor.sent[-1]))  # twice the same, by another way

    def _forge(self, kor: Player, asked: Asked) -> None:
        """His token from elsewhere; his address with a word that is no token; somebody whom nobody knows."""
        orders = "GAME duel01 SIDE klingon\nSHIP Destruction\nPLOT 9R\nEND\n"
        files = sorted(self.game.glob("*/orders/*"))
        for sender, subject in ((EVE, ""), (KOR, "Re: duel01 TOKEN abcdefghjkmnpq"), (EVE, "Let me in")):
            forged = self.mail.Player(self.world, sender, str).letter(asked)
            forged.set_content(orders)
            if subject:
                forged.replace_header("Subject", subject)
            forged.replace_header("Message-ID", f"<forged.{self.forged}@elsewhere.example>")
            self.forged += 1
            self.world.send(EVE, bytes(forged))
        assert self.club.round().letters == ("quarantine",) * self.forged
        assert sorted(self.game.glob("*/orders/*")) == files, "nothing of that counted"

    def logs(self) -> dict[str, bytes]:
        return {path.parent.name: path.read_bytes() for path in sorted(self.game.glob("*/events.jsonl"))}

    def journal(self) -> list[store.EmailRecord]:
        with store.opened(self.club.folder / "mail") as found:
            return [entry for _, entry in found.emails()]


@pytest.fixture(scope="module")
def duel(mailworld: ModuleType, imap: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Duel]:
    duel = Duel(mailworld, tmp_path_factory.mktemp("world"), imap=imap)
    duel.play()
    yield duel


def test_the_record_is_the_shipped_one(duel: Duel) -> None:
    assert duel.logs() == SHIPPED
    with opened(duel.game) as game:
        assert not verify(game).faults
    assert duel.last.put == 0 and not duel.last.letters and not duel.last.troubles, "nothing more is to be said"


def test_everybody_reads_the_whole_game_in_his_mailbox(duel: Duel) -> None:
    requests = [path for path in duel.game.glob("*/*") if (path / "umpire").is_dir()]
    for side, player in duel.players.items():
        assert f"you play {side}" in first_subject(duel, player.address)
        sitreps = [one for one in player.mails if "SITREP" in str(one["Subject"])]
        assert len(sitreps) == len({str(one["Message-ID"]) for one in sitreps}) == len(requests)
        assert "game is over" in duel.mail.words(sitreps[-1]).lower()
        # Each letter that counted has one receipt, which answers it; what came twice has no second one.
        receipts = [str(one["In-Reply-To"]) for one in player.mails if ": receipt for request" in str(one["Subject"])]
        counted = [str(one["Message-ID"]) for one in player.sent]
        faulty = [str(one["In-Reply-To"]) for one in player.mails if "have faults" in str(one["Subject"])]
        assert sorted([*receipts, *faulty]) == sorted(counted)
        assert len(faulty) == (side == "klingon")
        assert all(str(one["To"]) == player.address and one["Date"] for one in player.mails)
        assert not any(one.defects for one in player.mails)


def first_subject(duel: Duel, address: str) -> str:
    """Of the first mail the server had for somebody."""
    first = next(one.raw for one in duel.world.passed if one.to == address)
    return str(message_from_bytes(first, policy=default)["Subject"])


def test_every_kind_of_letter_was_written_and_understood(duel: Duel) -> None:
    for player in duel.players.values():
        kinds = {one.get_content_type() for one in player.sent}
        assert kinds == {"text/plain", "text/html", "multipart/mixed"}
    assert duel.forged == 3
    done = [entry.done for entry in duel.journal()]
    letters = sum(len(player.sent) for player in duel.players.values())
    assert {kind: done.count(kind) for kind in set(done)} == {"orders": letters - 1, "fault": 1, "quarantine": 3}


def test_who_is_late_is_reminded_and_waited_for(duel: Duel) -> None:
    kor = duel.players["klingon"].mails[duel.late :]
    missing = [duel.mail.words(one) for one in kor if "orders are missing" in str(one["Subject"])]
    assert len(missing) == 2 and "The deadline is" in missing[0] and "The deadline was" in missing[1]
    assert not any("orders are missing" in str(one["Subject"]) for one in duel.players["federation"].mails)


def test_who_is_not_known_gets_nothing_and_only_the_umpire_hears_of_it(duel: Duel) -> None:
    assert duel.eve == []
    told = "\n".join(duel.mail.words(one) for one in duel.umpire)
    assert EVE in told and "quarantine/" in told
    assert {one.to for one in duel.world.passed if one.sender == duel.mail.HOST} == {ANN, KOR, duel.mail.UMPIRE}


def test_nobody_is_mailed_what_only_another_may_know(duel: Duel) -> None:
    from pbem.mail.seats import token_of

    tokens = {address: token_of(duel.game, side) for side, address in SIDES.items()}
    dice = (duel.game / "secret" / "dice.secret").read_text(encoding="ascii").strip()
    for one in duel.world.passed:
        if one.to in tokens:
            assert tokens[one.to].encode() in one.raw
        others = [token for address, token in tokens.items() if address != one.to]
        if not one.to.startswith("orders"):
            assert not any(token.encode() in one.raw for token in others)
            assert dice.encode() not in one.raw
