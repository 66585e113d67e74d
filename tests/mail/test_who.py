"""Whose letter it is: where a token may stand, whose it must be, and what the umpire is told of all others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.errors import GameError
from pbem.games.storage.folder import locked
from pbem.mail import seats as whose
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.seats import (
    Games,
    Known,
    Seat,
    address_of,
    ensure_tokens,
    games_in,
    names_seat,
    player_addresses,
    subject_for,
    token_of,
    tokens_in,
    who,
    with_token,
    without_tokens,
)  # fmt: skip

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, DUEL
else:
    from post_hosted import ADDRESSES, DUEL

ANN, BOB = "ann@example.org", "bob@example.org"
A, B, C = "aaaaaaaaaaaaaa", "bbbbbbbbbbbbbb", "cccccccccccccc"


def seat(game: str, side: str, token: str, *addresses: str) -> Seat:
    return Seat(game=game, folder=Path(game), side=side, addresses=addresses or (ANN,), token=token)


GAMES = Games(
    seats=(seat("one", "federation", A), seat("two", "klingon", B), seat("one", "klingon", C, BOB, "bob@home.example")),
    post=Path("post"),
    orders="orders@host.example",
)


def letter(
    text: str = "", *, subject: str = "x", sender: str = ANN, to: str = "orders@host.example", attached: str = ""
) -> Letter:
    """A letter as it comes in."""
    head = f"From: {sender}\nTo: {to}\nSubject: {subject}\n" if sender else f"To: {to}\nSubject: {subject}\n"
    if not attached:
        return read_letter(f"{head}\n{text}".encode())
    return read_letter(
        f'{head}Content-Type: multipart/mixed; boundary="="\n\n--=\n\n{text}\n--=\n'
        "Content-Type: application/octet-stream\n"
        f'Content-Disposition: attachment; filename="my.orders"\n\n{attached}\n--=--\n'.encode()
    )


ORDERS = "GAME one TURN 1 SIDE federation REPLY 1\nSHIP Hood\nEND\n"


@pytest.mark.parametrize(
    "found",
    [
        letter(f"TOKEN {A}\n{ORDERS}"), letter(f"token: {A.upper()}\n{ORDERS}"), letter(f"GAME one TOKEN={A} TURN 1\n"),
        letter(ORDERS, subject=f"Re: one 1.0 SITREP TOKEN {A}"), letter(ORDERS, to=f"Host <orders+{A}@host.example>"),
        letter(ORDERS, to=f"x@y.example, orders+{A}@host.example"), letter(ORDERS, to=f"orders+duel.{A}@host.example"),
        letter(ORDERS, to=f"orders+{A}-federation@host.example"), letter("see below", attached=f"TOKEN {A}\n{ORDERS}"),
        letter(f"> TOKEN {A}\n> {ORDERS}"), letter(f"Here.\n\nTOKEN {A}\n\nSTATUS"),
        letter(ORDERS, subject=f"TOKEN {'x' * 14} TOKEN {A}"),
    ],
)  # fmt: skip
def test_where_a_token_may_stand(found: Letter) -> None:
    judged = who(found, GAMES)
    assert isinstance(judged, Known) and judged.seat.token == A, tokens_in(found)


def test_what_is_no_token() -> None:
    for text in (f"TOKEN {A}x", f"MYTOKEN {A}", f"TOKENS {A}", A, "TOKEN abc", f"{A} TOKEN"):
        assert A not in tokens_in(letter(text)), text
    many = tokens_in(letter("\n".join(f"TOKEN {n:06}" for n in range(30)), subject="TOKEN 999999"))
    assert many == ("999999", *(f"{n:06}" for n in range(10)))


@pytest.mark.parametrize(
    ("found", "why", "game"),
    [
        (letter(f"TOKEN {A}", sender=""), "it has no sender, or more than one", "one"),
        (letter(f"TOKEN {A} TOKEN {B}", sender=""), "it has no sender, or more than one", ""),
        (letter(f"TOKEN {A} TOKEN {C}", sender=""), "it has no sender, or more than one", "one"),
        (letter("hi"), "it came from the address of a player of one, two but has no token", ""),
        (letter("hi", sender=BOB), "it came from the address of a player of one but has no token", ""),
        (letter("TOKEN zzzzzzzzzzzzzz"),
         "it came from the address of a player of one, two but has a token that is not theirs", ""),
        (letter("hi", sender="eve@x.example"),
         "eve@x.example is not the address of a player here, and the email has no player's token", ""),
        (letter("TOKEN zzzzzzz", sender="eve@x.example"),
         "eve@x.example is not the address of a player here, and the email has no player's token", ""),
        (letter(f"TOKEN {A}", sender="eve@x.example"),
         "it has the token of federation in one, but was sent from eve@x.example", "one"),
        (letter(f"TOKEN {A} TOKEN {B}", sender="eve@x.example"),
         "it has the token of federation in one; the token of klingon in two, but was sent from eve@x.example", ""),
        (letter(f"TOKEN {C}"), "it has the token of klingon in one, but was sent from ann@example.org", "one"),
        (letter(f"TOKEN {A} TOKEN {B}"), "it has the tokens of more than one side", ""),
        (letter(f"TOKEN {A} TOKEN {B}\nGAME three SIDE klingon"), "it has the tokens of more than one side", ""),
    ],
)  # fmt: skip
def test_what_the_umpire_is_told_of_a_letter_that_is_nobodys(found: Letter, why: str, game: str) -> None:
    judged = who(found, GAMES)
    assert not isinstance(judged, Known) and (judged.why, judged.game) == (why, game)


def test_of_two_tokens_the_one_of_the_sender_counts_and_then_the_header() -> None:
    def token(found: Letter, games: Games = GAMES) -> str:
        judged = who(found, games)
        return judged.seat.token if isinstance(judged, Known) else ""

    assert token(letter(f"TOKEN {A} TOKEN {C}")) == A
    assert token(letter(f"TOKEN {A} TOKEN {C}", sender="Bob@Home.example")) == C
    assert token(letter(f"TOKEN {A} TOKEN {B}\nGAME Two")) == B
    assert token(letter(f"TOKEN {A} TOKEN {B}\nSIDE Federation")) == A
    # Of one alone it is not asked: orders for another game or side are told their faults.
    assert token(letter(f"TOKEN {A}\nGAME two SIDE klingon")) == A
    both = Games(seats=(seat("one", "federation", A), seat("one", "klingon", B)), post=Path("post"))
    assert token(letter(f"TOKEN {A} TOKEN {B}\nGAME one SIDE KLINGON"), both) == B
    assert token(letter(f"TOKEN {A} TOKEN {B}\nGAME one"), both) == ""
    # A game may be called like a word of the header, in quotes then. Fields may have lines of their own.
    odd = Games(seats=(seat("turn", "federation", A), seat("two", "federation", B)), post=Path("post"))
    assert token(letter(f'TOKEN {A} TOKEN {B}\nGAME "turn" TURN 1 SIDE federation'), odd) == A
    assert token(letter(f"> TOKEN {A} TOKEN {B}\n> GAME two\n> SIDE federation"), odd) == B
    # One token that two games share, after one was copied.
    twins = Games(seats=(seat("one", "federation", A), seat("two", "federation", A)), post=Path("post"))
    assert token(letter(f"TOKEN {A}\n{ORDERS}"), twins) == A and token(letter(f"TOKEN {A}"), twins) == ""


def test_whether_orders_name_a_seat() -> None:
    mine = seat("one", "federation", A)
    assert names_seat("GAME One TURN 1 SIDE Federation", mine) and names_seat("game: one side: federation", mine)
    for text in ("GAME one", "SIDE federation", "GAME two SIDE federation", "GAME one SIDE klingon", ""):
        assert not names_seat(text, mine)


def test_the_addresses_of_a_player() -> None:
    assert player_addresses("Ann <Ann@Example.org>, ann@home.example (home); ann@example.org") == (
        ANN,
        "ann@home.example",
    )
    for nobody in ("", "robot", "Ann", "@", "ann@", "Ann <ann>"):
        assert player_addresses(nobody) == ()


def test_how_a_player_is_written_to() -> None:
    mine = seat("one", "federation", A)
    tags = Games(seats=(mine,), post=Path("post"), orders="orders@host.example", tags=True)
    assert (address_of(GAMES, mine), subject_for(GAMES, mine, "Hi")) == ("orders@host.example", f"Hi TOKEN {A}")
    assert (address_of(tags, mine), subject_for(tags, mine, "Hi")) == (f"orders+{A}@host.example", "Hi")
    assert address_of(Games(seats=(), post=Path(), orders="orders", tags=True), mine) == "orders"
    assert with_token("GAME x", A) == f"TOKEN {A}\nGAME x"
    said = f"TOKEN {A}\nGAME one  TOKEN: {A}\ntoken\nTaken {A}\nMy Token={A} here"
    assert without_tokens(said) == f"\nGAME one\ntoken\nTaken {A}\nMy  here"


# --- games and tokens ------------------------------------------------------------------------------------------------


def host(tmp_path: Path, *names: str) -> Path:
    (tmp_path / "games").mkdir()
    (tmp_path / "host.toml").write_text("format = 1\n", encoding="utf-8")
    for name in names:
        game(tmp_path / "games" / name)
    return tmp_path


def game(folder: Path, klingon: str = BOB) -> Path:
    """The terms of a duel: who plays it stands there alone."""
    folder.mkdir(parents=True)
    terms = (DUEL / "game.toml").read_text(encoding="utf-8")
    for there, here in (
        ('"duel01"', f'"{folder.name}"'),
        (ADDRESSES["federation"], ANN),
        (ADDRESSES["klingon"], klingon),
    ):
        assert there in terms
        terms = terms.replace(there, here)
    (folder / "game.toml").write_text(terms, encoding="utf-8")
    return folder


def test_a_game_that_is_locked_for_a_moment_makes_no_strangers_of_its_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tokens are made under the lock: where it cannot be had the round waits, and every letter with it."""
    folder = host(tmp_path, "one", "two")
    (tmp_path / "games/bad").mkdir()
    (tmp_path / "games/bad/game.toml").write_text("format = 99\n", encoding="utf-8")
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.05)
    with locked(folder / "games/two", "resolve"), pytest.raises(GameError, match="game-locked"):
        games_in(folder)
    found = games_in(folder, umpire="u@x.example", orders="o@x.example", tags=True)
    assert [(one.game, one.side, one.addresses) for one in found.seats] == [
        (game, side, (address,)) for game in ("one", "two") for side, address in (("federation", ANN), ("klingon", BOB))
    ]
    ((name, why),) = found.broken
    assert name == "bad" and why and (found.umpire, found.orders, found.tags) == ("u@x.example", "o@x.example", True)
    assert found.post == folder / "mail"
    with locked(folder / "games/two", "resolve"):
        assert len(games_in(folder).seats) == 4, "once they are made they are only read"
    alone = games_in(folder / "games/one")
    assert [one.game for one in alone.seats] == ["one", "one"] and alone.post == folder / "games/one/secret/mail"
    for nothing in (folder / "games/nothing", folder / "games/one/secret"):
        with pytest.raises(GameError, match="no-game"):
            games_in(nothing)


def test_two_commands_at_once_give_a_side_one_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waited for the lock reads again: the token that was mailed meanwhile is the one that counts."""
    place = host(tmp_path, "one") / "games/one"
    first = ensure_tokens(place)
    assert {len(token) for token in first.values()} == {14} and len(set(first.values())) == 2
    kept = (place / "secret/tokens.json").read_bytes()
    (place / "secret/tokens.json").unlink()

    @contextmanager
    def waited(folder: Path, command: str) -> Iterator[None]:
        with locked(folder, command):
            (place / "secret/tokens.json").write_bytes(kept)
            yield

    monkeypatch.setattr("pbem.mail.seats.locked", waited)
    assert ensure_tokens(place) == first and token_of(place, "klingon") == first["klingon"] != first["federation"]
    # A side that came later gets its own; the others keep theirs.
    (place / "secret/tokens.json").write_bytes(kept.replace(b'"klingon"', b'"nobody"'))
    monkeypatch.undo()
    more = ensure_tokens(place)
    assert more["federation"] == first["federation"] and len(more["klingon"]) == 14
    assert token_of(place, "romulan") == ""


def test_damaged_tokens_are_told(tmp_path: Path) -> None:
    file = host(tmp_path, "one") / "games/one/secret/tokens.json"
    file.parent.mkdir(exist_ok=True)
    for data in (b"{", b"[]", b'{"format": 2, "tokens": {}}', b'{"format": 1, "tokens": {"a": 1}}', b"\xff"):
        file.write_bytes(data)
        with pytest.raises(GameError, match="tokens"):
            ensure_tokens(file.parents[1])
        assert [name for name, _ in games_in(tmp_path).broken] == ["one"]


def test_the_robot_has_no_token(tmp_path: Path) -> None:
    game(tmp_path / "one", "robot")
    assert set(ensure_tokens(tmp_path / "one")) == {"federation"}
    assert [one.side for one in whose.seats(tmp_path / "one")] == ["federation"]
