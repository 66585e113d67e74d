"""A game called like a word of the orders, a facing or a number: all that is written for it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.games.create import new
from pbem.games.proof.archive import order_texts
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail.host.stand_in import stand_in
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import attend
from pbem.mail.seats import games_in, token_of
from pbem.orders.header import is_header
from pbem.orders.reader import read_orders

PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
PLOTS = {"federation": "SHIP Constellation\nPLOT 8F\n", "klingon": "SHIP Destruction\nPLOT 8F\n"}


def letter(folder: Path, side: str, subject: str, text: str) -> bytes:
    return (
        f"From: {PLAYERS[side]}\r\nTo: orders@host.example\r\nSubject: {subject} TOKEN {token_of(folder, side)}\r\n"
        f"Message-ID: <{len(text)}.{side}@example.org>\r\n\r\n{text}"
    ).encode()


def headers(text: str) -> list[str]:
    """The header lines shown in a mail, whether quoted or not."""
    lines = [line.strip().removeprefix("| ").strip() for line in text.split("\n")]
    return [line for line in lines if line.startswith("GAME ") and is_header(line)]


@pytest.mark.parametrize("name", ["turn", "REPLY", "F", "16", "end"])
def test_mails_stand_ins_and_the_archive_can_be_read(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    new("5", folder, players=PLAYERS, name=name, seed="names")
    games = games_in(folder, umpire="umpire@host.example", orders="orders@host.example")
    for subject, text in (
        ("orders", f'GAME "{name}" TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 99\nEND\n'),
        ("orders", "What do I do?"),
        ("PREVIEW", "SHIP Constellation\nENERGY\n  SPEED 12\nEND\n"),
        ("STATUS", ""),
        ("orders", f"GAME {name} TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 12\nEND\n"),
    ):
        answered = attend(read_letter(letter(folder, "federation", subject, text)), games)
        for reply in answered.replies:
            texts = [reply.text, *(data.decode() for _, kind, data in reply.attachments if "text/plain" in kind)]
            for line in (line for one in texts for line in headers(one)):
                orders = read_orders(f"{line}\nCONTINUE\nEND\n")
                assert (orders.faults, orders.orders.game) == ((), name), line
    assert answered.done == "orders"
    with opened(folder) as game:
        for how in ("hold", "robot", "last orders"):
            submit(game, stand_in(game, "klingon", how, "late"), "klingon.orders")
        resolve_game(game)
        request = game.state().request
        while request is not None and request.turn == 1:
            for side in request.sides:
                first = request.impulse == 0
                text = stand_in(game, side, "hold" if first else "last orders", "late")
                assert read_orders(text).orders.game == name
                submit(game, text, f"{side}.orders")
            resolve_game(game)
            request = game.state().request
        told = order_texts(game)
    assert len(told) == 4
    for file, data in told.items():
        reading = read_orders(data.decode(), file=file)
        assert (reading.faults, reading.orders.game) == ((), name), file
