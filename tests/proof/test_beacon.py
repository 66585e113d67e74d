"""Games whose dice take a public beacon: sealed first, drawn later, replayed offline; and the beacon's own door."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import msgspec
import pytest

from pbem.engine.events import SegmentBegan
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof import beacon as beacons
from pbem.games.proof.beacon import GivenValue, Sealing, first_round_after, round_time, sealed_lines, sealing_of
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import Happening, resolve_game
from pbem.games.storage.files import write_text
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.umpire.undo import undo
from pbem.mail.host.drand import CHAIN, Drand, randomness
from pbem.mail.host.round import host_round
from pbem.mail.transport.sources import Maildir

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
SHIP = {"federation": "Constellation", "klingon": "Destruction"}
# A round another program publishes as a test of its own: its value is the hash of its signature.
SIGNATURE = "b98dae74f6a9d2ec79d75ba273dcfda86a45d589412860eb4c0fd056b00654dbf667c1b6884987c9aee0d43f8ba9db52"
RANDOMNESS = "9e9829dfb34bd8db3e21c28e13aefecd86e007ebd19d6bb8a5cee99c0a34798f"


class Oracle:
    """A clock, and a beacon whose values are the hashes of their rounds."""

    def __init__(self) -> None:
        self.at = NOON
        self.silent = False

    def now(self) -> datetime:
        return self.at

    def value(self, number: int) -> str:
        if self.silent:
            raise GameError.saying("beacon-silent", "nobody answers")
        return hashlib.sha256(str(number).encode()).hexdigest()


def codes(error: pytest.ExceptionInfo[GameError]) -> list[str]:
    return [fault.code for fault in error.value.faults]


def orders(side: str, turn: int = 1, reply: int = 1, speed: int = 6) -> str:
    head = f"GAME duel TURN {turn} SIDE {side} REPLY {reply}\nSHIP {SHIP[side]}\n"
    return f"{head}ENERGY\n  SPEED {speed}\nPLOT {speed}F\nEND\n"


@pytest.fixture
def oracle() -> Oracle:
    return Oracle()


@pytest.fixture
def game(tmp_path: Path) -> Iterator[GameFolder]:
    options = {"beacon": "drand", "reveal": "none", "autobreaks": "none"}
    new("5", tmp_path / "duel", players=PLAYERS, options=options)
    with opened(tmp_path / "duel") as folder:
        yield folder


def all_in(game: GameFolder) -> None:
    request = game.state().request
    assert request is not None
    for side in request.sides:
        submit(game, orders(side, request.turn, request.number), f"{side}.txt")


def last(done: list[Happening]) -> Happening:
    return done[-1]


# --- sealing and drawing ----------------------------------------------------------------------------------------------


def test_nothing_is_sealed_before_all_orders_are_in(game: GameFolder, oracle: Oracle) -> None:
    submit(game, orders("klingon"), "k")
    assert last(resolve_game(game, oracle)).what == "waiting"
    assert sealing_of(game) is None
    submit(game, orders("klingon", speed=8), "k")


def test_orders_are_sealed_for_a_round_that_nobody_knows_yet(game: GameFolder, oracle: Oracle) -> None:
    all_in(game)
    done = last(resolve_game(game, oracle))
    assert done.what == "sealed" and done.sealing is not None
    assert done.sealing == sealing_of(game)
    assert done.sealing.due >= oracle.at + beacons.MARGIN
    assert done.sealing.due <= oracle.at + beacons.MARGIN + timedelta(seconds=3)
    assert game.state().segment == 0, "nothing has been played"
    (file,) = game.path.glob("*/sealed.r*.json")
    assert os.name == "nt" or stat.S_IMODE(file.stat().st_mode) == 0o600
    oracle.at = done.sealing.due - timedelta(seconds=1)
    again = last(resolve_game(game, oracle))
    assert again.what == "sealed" and again.sealing == done.sealing, "the round stays the one that was told"
    oracle.at = done.sealing.due
    assert [one.what for one in resolve_game(game, oracle)] == ["played", "waiting"]
    began = next(record.event for record in game.records() if isinstance(record.event, SegmentBegan))
    assert began.beacon == f"{done.sealing.round}:{oracle.value(done.sealing.round)}"


def test_a_beacon_out_of_reach_is_waited_for(game: GameFolder, oracle: Oracle) -> None:
    all_in(game)
    resolve_game(game, oracle)
    oracle.at += timedelta(hours=1)
    oracle.silent = True
    done = last(resolve_game(game, oracle))
    assert done.what == "sealed" and done.why == "nobody answers"
    assert last(resolve_game(game)).why == "no beacon can be asked here"
    oracle.silent = False
    assert last(resolve_game(game, oracle)).what == "waiting"


def test_sealed_orders_can_no_longer_be_changed(game: GameFolder, oracle: Oracle) -> None:
    all_in(game)
    resolve_game(game, oracle)
    with pytest.raises(GameError) as error:
        submit(game, orders("klingon", speed=8), "k")
    assert codes(error) == ["orders-sealed"]
    assert submit(game, orders("klingon"), "k").again, "the same once more is no change"
    write_text(game.order_file(1, "klingon", 1), orders("klingon", speed=8))
    oracle.at += timedelta(hours=1)
    with pytest.raises(GameError) as error:
        resolve_game(game, oracle)
    assert codes(error) == ["seal-broken"] and game.state().segment == 0
    write_text(game.order_file(1, "klingon", 1), orders("klingon"))
    assert last(resolve_game(game, oracle)).what == "waiting"


def test_verify_replays_the_values_offline(game: GameFolder, oracle: Oracle) -> None:
    all_in(game)
    resolve_game(game, oracle)
    oracle.at += timedelta(hours=1)
    resolve_game(game, oracle)
    found = verify(game)
    assert found.faults == () and found.segments == 1


@pytest.mark.slow
def test_the_value_changes_the_dice(oracle: Oracle, tmp_path: Path) -> None:
    """Two games of the same secret and orders: other rounds, other keys."""
    from pbem.games.proof.archive import prove

    keys = []
    for name, hour in (("one", 1), ("two", 2)):
        options = {"beacon": "drand", "reveal": "none"}
        new("5", tmp_path / name, players=PLAYERS, options=options, seed="same", name="duel")
        with opened(tmp_path / name) as game:
            all_in(game)
            oracle.at = NOON + timedelta(hours=hour)
            resolve_game(game, oracle)
            oracle.at += timedelta(minutes=5)
            resolve_game(game, oracle)
            proof = prove(game).segments[0]
            keys.append((proof.link, proof.orders, proof.beacon, proof.rolls))
    assert keys[0][:2] == keys[1][:2] and keys[0][2] != keys[1][2]


def test_a_game_that_takes_a_beacon_is_of_scheme_2(game: GameFolder, tmp_path: Path) -> None:
    assert (game.terms.dice.scheme, game.terms.dice.beacon) == (2, "drand")
    new("5", tmp_path / "none", players=PLAYERS, options={"beacon": "none"})
    with opened(tmp_path / "none") as other:
        assert other.terms.dice.beacon == ""
    with pytest.raises(GameError) as error:
        new("5", tmp_path / "other", players=PLAYERS, options={"beacon": "lottery"})
    assert codes(error) == ["option"]


@pytest.mark.parametrize("seconds", [0, 1, 2, 3, 4, 100])
def test_rounds_and_their_times(seconds: int) -> None:
    moment = NOON + timedelta(seconds=seconds)
    number = first_round_after(moment)
    assert round_time(number) > moment >= round_time(number - 1)
    assert round_time(1) == datetime(2023, 8, 23, 15, 9, 27, tzinfo=UTC)


# --- given by hand ----------------------------------------------------------------------------------------------------


def test_a_value_given_by_hand(game: GameFolder, oracle: Oracle) -> None:
    with pytest.raises(GameError) as error:
        GivenValue(game, oracle.now, RANDOMNESS)
    assert codes(error) == ["not-sealed"]
    all_in(game)
    resolve_game(game, oracle)
    sealing = sealing_of(game)
    assert sealing is not None
    with pytest.raises(GameError) as error:
        GivenValue(game, oracle.now, RANDOMNESS)
    assert codes(error) == ["beacon-round"], "before it is published nobody can have it"
    assert [fault.file for fault in error.value.faults] == ["--beacon"]
    oracle.at = sealing.due
    with pytest.raises(GameError) as error:
        GivenValue(game, oracle.now, RANDOMNESS, sealing.round + 1)
    assert codes(error) == ["beacon-round"]
    assert [fault.file for fault in error.value.faults] == ["--round"]
    with pytest.raises(GameError) as error:
        GivenValue(game, oracle.now, "abc")
    assert codes(error) == ["beacon-value"]
    given = GivenValue(game, oracle.now, SIGNATURE.upper(), sealing.round)
    assert given.value(sealing.round) == RANDOMNESS
    assert [one.what for one in resolve_game(game, given)] == ["played", "waiting"]


def test_a_game_without_a_beacon_takes_no_value(tmp_path: Path, oracle: Oracle) -> None:
    new("5", tmp_path / "duel", players=PLAYERS)
    with opened(tmp_path / "duel") as game, pytest.raises(GameError) as error:
        GivenValue(game, oracle.now, RANDOMNESS)
    assert codes(error) == ["no-beacon"]


# --- asking the network -----------------------------------------------------------------------------------------------


@contextmanager
def mirror(answer: Callable[[str], tuple[int, bytes]]) -> Iterator[str]:
    """A server on this machine that answers as a mirror may."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answer(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def told(number: int, **more: object) -> bytes:
    return json.dumps({"round": number, "signature": SIGNATURE, "randomness": RANDOMNESS, **more}).encode()


def test_a_mirror_is_asked_for_the_round() -> None:
    asked: list[str] = []

    def answer(path: str) -> tuple[int, bytes]:
        asked.append(path)
        return 200, told(1234)

    with mirror(answer) as address:
        assert Drand(lambda: NOON, [address]).value(1234) == RANDOMNESS
    assert asked == [f"/{CHAIN}/public/1234"]


def test_the_next_mirror_is_asked_where_one_fails_and_all_are_named_where_all_do() -> None:
    with mirror(lambda path: (500, b"")) as broken, mirror(lambda path: (200, told(7))) as sound:
        assert Drand(lambda: NOON, ["http://127.0.0.1:1", broken, sound]).value(7) == RANDOMNESS
        with pytest.raises(GameError) as error:
            Drand(lambda: NOON, ["http://127.0.0.1:1", broken], timeout=2).value(7)
    assert codes(error) == ["beacon-silent"]
    assert "127.0.0.1:1:" in str(error.value) and broken.removeprefix("http://") in str(error.value)


@pytest.mark.parametrize(
    "answer",
    [
        told(8), told(7, randomness="ab" * 32), told(7, signature="zz"), b"", b"<html>", b"[" * 5000, b"\xff\xfe",
        json.dumps({"round": 7}).encode(), json.dumps({"round": "7", "signature": SIGNATURE}).encode(),
    ],
)  # fmt: skip
def test_answers_that_are_none(answer: bytes) -> None:
    with pytest.raises(ValueError):
        randomness(answer, 7)


def test_a_mirror_that_tells_the_signature_alone() -> None:
    assert randomness(json.dumps({"round": 7, "signature": SIGNATURE}).encode(), 7) == RANDOMNESS


# --- hosted by mail ---------------------------------------------------------------------------------------------------

HOST = """\
format = 1
name = "Test"
orders = "orders@host.example"
umpire = "umpire@host.example"
[inbox]
kind = "maildir"
path = "Maildir"
"""


def test_a_host_tells_everybody_the_hashes_before_the_round(tmp_path: Path, oracle: Oracle) -> None:
    from pbem.games.proof.verify_archive import read_kept, text_of

    root = tmp_path / "host"
    for name in ("new", "cur", "tmp"):
        (root / "Maildir" / name).mkdir(parents=True)
    (root / "host.toml").write_text(HOST, encoding="utf-8")
    options = {"beacon": "drand", "reveal": "none", "autobreaks": "none"}
    new("5", root / "games" / "duel", players=PLAYERS, options=options)

    def a_round() -> None:
        source = Maildir(root / "Maildir")
        done = host_round(root, oracle.now, source=source, beacon=oracle)
        assert not done.troubles

    def letters(words: str) -> list[Path]:
        found = []
        for path in sorted((root / "mail").rglob("*.eml")):
            if words in text_of(path.read_bytes(), ".eml"):
                found.append(path)
        return found

    a_round()
    assert len(letters("number of a future round")) == 2, "the invitations say how the dice are made"
    with opened(root / "games" / "duel") as game:
        all_in(game)
    a_round()
    a_round()
    notes = letters("and sealed")
    assert len(notes) == 2, "each player is told once"
    with opened(root / "games" / "duel") as game:
        sealing = sealing_of(game)
    assert sealing is not None
    for path in notes:
        kept = read_kept(text_of(path.read_bytes(), ".eml"), path.name)
        assert kept is not None and kept.game == "duel"
        values = {(one.what, one.side): one.value for one in kept.told}
        assert values["round", ""] == str(sealing.round)
        assert {side: values["orders", side] for side in PLAYERS} == sealing.seals
    oracle.at = sealing.due
    a_round()
    with opened(root / "games" / "duel") as game:
        assert game.state().segment == 1


# --- what it is good for ----------------------------------------------------------------------------------------------


def test_letters_show_whether_what_was_sealed_was_played(
    games: dict[str, Path], archives: dict[str, Path], tmp_path: Path
) -> None:
    """A host who seals once more, because he dislikes the round, has told of another one before."""
    for path in sorted(games["beacon"].glob("*/sealed.*.json")):
        sealing = msgspec.json.decode(path.read_bytes(), type=Sealing)
        (tmp_path / f"{sealing.turn}.txt").write_text("\n".join(sealed_lines("duel03", sealing)), encoding="utf-8")
    sound = verify_archive(archives["beacon"], tmp_path)
    assert sound.faults == () and len(sound.letters) == 3
    for change in ({"round": sealing.round - 7}, {"seals": {**sealing.seals, "klingon": "ab" * 32}}):
        other = msgspec.structs.replace(sealing, **change)
        (tmp_path / f"{sealing.turn}.txt").write_text("\n".join(sealed_lines("duel03", other)), encoding="utf-8")
        assert {fault.code for fault in verify_archive(archives["beacon"], tmp_path).faults} == {"sent-differs"}


def test_play_taken_back_is_sealed_anew_for_a_later_round(game: GameFolder, oracle: Oracle) -> None:
    rounds = []
    for _ in range(2):
        all_in(game)
        done = last(resolve_game(game, oracle))
        assert done.sealing is not None
        rounds.append((done.sealing.segment, done.sealing.round))
        oracle.at += timedelta(hours=1)
        assert last(resolve_game(game, oracle)).what == "waiting"
        undo(game)
    assert [segment for segment, _ in rounds] == [1, 2] and rounds[0][1] < rounds[1][1]
    assert sealing_of(game) is None and verify(game).faults == ()
