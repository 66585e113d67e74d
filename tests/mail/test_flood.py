"""Hostile emails in front of good ones: in one round all good ones are taken in, and nothing grows without bound."""

from __future__ import annotations

import random
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.games.create import new
from pbem.mail import store
from pbem.mail.host.round import host_round
from pbem.mail.incoming.ledger import MOST_ASIDE, Ledger
from pbem.mail.seats import token_of
from pbem.mail.transport.sources import Maildir
from tests import remembered
from tests.fuzz import emails

pytestmark = pytest.mark.slow

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
GAMES = 8
HOSTILE, WAITING = 200, 1_000
SETTINGS = """\
format = 1
orders = "orders@host.example"
umpire = "umpire@host.example"
[inbox]
kind = "maildir"
path = "Maildir"
"""
ENERGY = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED {speed}\n  PHASERS 2\nEND\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED {speed}\n  PHASERS 2\nEND\n",
}


class Sink:
    """A server that takes everything."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.sent.append((to, mail))


def begun(folder: Path) -> Path:
    """A club of some games, each with two players of its own."""
    for name in ("new", "cur", "tmp"):
        (folder / "Maildir" / name).mkdir(parents=True)
    (folder / "host.toml").write_text(SETTINGS, encoding="utf-8")
    with remembered.real_pages():
        new("5", folder / "begun", players={side: f"{side}@g0.example" for side in ENERGY}, seed="flood")
    for number in range(GAMES):
        place = folder / "games" / f"g{number}"
        shutil.copytree(folder / "begun", place)
        for file in [place / "game.toml", *place.glob("*/events.jsonl"), *place.glob("*/state.json")]:
            text = file.read_text(encoding="utf-8").replace("@g0.example", f"@g{number}.example")
            file.write_text(text.replace('"begun"', f'"g{number}"'), encoding="utf-8")
    shutil.rmtree(folder / "begun")
    return folder


def post(club: Path, number: int, raw: bytes) -> None:
    (club / "Maildir" / "new" / f"{1_000_000 + number}.test").write_bytes(raw)


def good(club: Path, number: int) -> tuple[str, str, bytes]:
    """A player's orders: game, side and the email. Later ones of a side have another speed."""
    game, side = f"g{number % GAMES}", list(ENERGY)[number // GAMES % 2]
    text = ENERGY[side].format(speed=4 + number // (2 * GAMES) % 8)
    token = token_of(club / "games" / game, side)
    head = f"From: {side}@{game}.example\r\nSubject: orders TOKEN {token}\r\nMessage-ID: <{number}@{game}.example>\r\n"
    return game, side, f"{head}\r\nGAME {game} TURN 1 SIDE {side} REPLY 1\r\n{text}".encode()


def hostile() -> list[bytes]:
    """What strangers send: what once stopped a host, what costs most, and chance."""
    rng = random.Random("flood")
    head = b"From: eve%d@evil.example\r\nMessage-ID: <%d@evil.example>\r\n"
    bodies = [
        b'\r\nGAME "" TURN 1\r\n',
        b"\r\n" + b" " * 64_000 + b"x\r\n",
        b"\r\n" + b"\t" * 4_000 + b"x\r\n",
        b"\r\n" + b"hello there\r\n" * 2_400,
        b"\r\n" + b"A" * 2_000_000,
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(900)),
        b"X: " + b"a" * 90_000 + b"\r\n\r\nSTATUS\r\n",
    ]
    made = [rng.choice(bodies) if n % 2 else emails.built(rng) for n in range(HOSTILE)]
    return [head % (n, n) + raw for n, raw in enumerate(made)]


def test_good_orders_behind_hostile_emails_are_filed_in_the_first_round(tmp_path: Path) -> None:
    club, sink = begun(tmp_path / "club"), Sink()
    host_round(club, lambda: NOW, source=Maildir(club / "Maildir"), carrier=sink)
    for number, raw in enumerate(hostile()):
        post(club, number, raw)
    last = {}
    for number in range(HOSTILE, WAITING):
        game, side, raw = good(club, number)
        post(club, number, raw)
        last[game, side] = raw
    began = time.process_time()
    done = host_round(club, lambda: NOW, source=Maildir(club / "Maildir"), carrier=sink)
    took = time.process_time() - began
    print(f"{WAITING} emails, {HOSTILE} of them hostile, in {GAMES} games: {took:.1f} s of the processor")
    assert not done.troubles and len(done.letters) == WAITING
    assert done.letters.count("orders") == WAITING - HOSTILE and "trouble" not in done.letters
    assert not list((club / "Maildir" / "new").iterdir())
    entries = Ledger(club / "mail").entries()
    for (game, side), raw in last.items():
        name = raw.partition(b"Message-ID: ")[2].partition(b"\r\n")[0].decode()
        (entry,) = (one for one in entries if one.message_id == name)
        assert (entry.done, entry.game, entry.side) == ("orders", game, side)
    assert took < WAITING * 0.25, "a quarter of a second for each, whatever it is"
    told = [mail for to, mail in sink.sent if to == "umpire@host.example" and b"put aside" in mail]
    assert len(told) == 1 and len(told[0]) < 40_000, "the umpire is told once, in one email that can be read"


def test_ten_thousand_emails_of_strangers_fill_neither_the_disk_nor_the_umpires_mailbox(tmp_path: Path) -> None:
    club, sink, many = begun(tmp_path / "club"), Sink(), 10_000
    for number in range(many):
        body = b'GAME "" TURN 1' if number % 2 else b"hello"
        head = b"From: eve%d@evil.example\r\nMessage-ID: <%d@evil.example>\r\nSubject: " % (number, number)
        post(club, number, head + b"s" * 300 + b"\r\n\r\n" + body + b"\r\n")
    began = time.process_time()
    done = host_round(club, lambda: NOW, source=Maildir(club / "Maildir"), carrier=sink)
    took = time.process_time() - began
    journal = (club / "mail" / store.FILE).stat().st_size
    kept = list((club / "mail" / "quarantine").glob("*.eml"))
    told = [mail for to, mail in sink.sent if to == "umpire@host.example"]
    print(
        f"{many} emails: {took:.1f} s of the processor, {journal // many} bytes each in the journal, {len(kept)} kept"
    )
    assert len(done.letters) == many and not done.troubles
    assert len(kept) == MOST_ASIDE and journal < 1_000 * many
    assert len([one for one in told if b"put aside" in one]) == 1 and max(map(len, told)) < 40_000
    assert not [to for to, _ in sink.sent if "evil" in to]
