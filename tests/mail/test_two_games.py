"""Who plays in two games: their emails and orders belong to the game they name, and never move to the other."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from pbem.games.create import new
from pbem.games.storage.opening import opened
from pbem.mail.incoming.intake import take_in
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, games_in, headed, token_of
from tests import remembered

ANN = "ann@example.org"


@pytest.fixture(scope="session")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    club = tmp_path_factory.mktemp("club")
    with remembered.real_pages():
        for name, side in (("g1", "federation"), ("g2", "klingon")):
            other = next(one for one in ("federation", "klingon") if one != side)
            new("5", club / "games" / name, players={side: ANN, other: f"{name}@example.org"}, seed="two games")
    return club


@pytest.fixture
def club(tmp_path: Path, two_games: Path) -> Path:
    return Path(shutil.copytree(two_games, tmp_path / "club"))


def of(club: Path, *, tags: bool = False) -> Games:
    found = games_in(club, umpire="umpire@host.example", orders="orders@host.example", tags=tags)
    return msgspec.structs.replace(found, now=datetime(2027, 3, 1, 12, 0, tzinfo=UTC))


def answers(games: Games, text: str, subject: str = "orders") -> list[Reply]:
    """What an email of Ann's brings her."""
    put: list[Reply] = []
    raw = f"From: {ANN}\r\nSubject: {subject}\r\nMessage-ID: <{len(text)}.{len(subject)}@x>\r\n\r\n{text}".encode()

    def kept(reply: Reply) -> Path | None:
        put.append(reply)
        return None

    take_in(raw, games, Ledger(games.post), kept)
    return [reply for reply in put if reply.to == ANN]


def said(reply: Reply) -> str:
    return " ".join(reply.text.split())


ORDERS = "GAME {game} TURN 1 SIDE {side} REPLY 1\nSHIP {ship}\nENERGY\n  SPEED 14\n  DISR A 2\nEND\n"
MINE = ORDERS.format(game="g2", side="klingon", ship="Destruction")


@pytest.mark.parametrize(
    ("text", "subject", "game"),
    [
        (MINE, "orders", "g2"),
        (f"Hello!\n\n{MINE}", "orders", "g2"),
        ("STATUS\n", "Re: g2 1.0: SITREP", "g2"),
        (ORDERS.format(game="g1", side="federation", ship="Constellation"), "Re: g2 1.0: SITREP", "g1"),
        ("STATUS\n", "hello", "g1"),
    ],
)
def test_the_notice_is_of_the_game_that_is_named(club: Path, text: str, subject: str, game: str) -> None:
    (notice,) = answers(of(club), text, subject)
    side = {"g1": "federation", "g2": "klingon"}[game]
    assert (notice.game, notice.side) == (game, side)
    assert notice.subject.endswith(f"TOKEN {token_of(club / 'games' / game, side)}")
    assert f"reply to an email of the game that it is for (this one is of {game})" in said(notice)


@pytest.mark.parametrize("tags", [False, True])
@pytest.mark.parametrize("command", ["", "PREVIEW\n\n"])
def test_orders_with_the_token_of_another_game_are_filed_nowhere(club: Path, tags: bool, command: str) -> None:
    games = of(club, tags=tags)
    token = token_of(club / "games" / "g1", "federation")
    text = f"{command}{MINE}\nMESSAGE TO klingon\nsurrender\nEND MESSAGE\n" if not command else f"{command}{MINE}"
    (answer,) = answers(games, text, f"orders TOKEN {token}")
    where = (
        f"to orders+{token_of(club / 'games' / 'g2', 'klingon')}@host.example"
        if tags
        else "as a reply to an email of g2"
    )
    assert f"Send these orders {where}" in said(answer).replace("orders+ ", "orders+")
    assert not answer.attachments, "no draft that would move them to the other game"
    assert not list(club.rglob("*.orders.*")) and not list(club.glob("games/*/*/orders/*"))
    assert not list(club.glob("games/*/secret/messages/*")), "nor are words passed on in the wrong game"
    with opened(club / "games" / "g1") as game:
        request = game.state().request
        assert request is not None and not game.order_file(1, "federation", request.number).is_file()


def test_a_game_that_is_nowhere_is_told_with_the_line_to_write(club: Path) -> None:
    token = token_of(club / "games" / "g1", "federation")
    (answer,) = answers(of(club), MINE.replace("GAME g2", "GAME g3"), f"orders TOKEN {token}")
    assert said(answer).startswith(
        "If you mean g1, write GAME g1 and send them again. Nothing was filed, because you do not"
    )
    assert not answer.attachments
    (answer,) = answers(of(club), ORDERS.format(game="G1", side="federation", ship="Constellation"), f"TOKEN {token}")
    assert answer.attachments or "on file" in answer.text, "how a name is spelt is not looked at"


def test_the_header_is_found_wherever_it_stands() -> None:
    assert headed(MINE) == ("g2", "klingon") == headed("Hi\n" * 200 + MINE)
    assert headed("GAME g2\nTURN 1\nSIDE klingon\nREPLY 1\nSHIP x\nEND\n") == ("g2", "klingon")
    assert headed("hello\n") == ("", "")
    assert read_letter(f"From: {ANN}\r\n\r\n{MINE}".encode()).kind == "orders"
