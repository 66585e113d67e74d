"""Whole games as their orders alone: the file format, and playing a game from its file in memory.

This module imports the program only, so another checkout of the program can run it (``--against`` of ``__main__.py``):

    PYTHONPATH=CHECKOUT python tests/corpus/replay.py tests/corpus/games/NAME.toml   prints the log of the game
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path

import msgspec

from pbem.engine.dice import Secret
from pbem.engine.events import Record
from pbem.engine.log import encode_records, encode_state
from pbem.engine.state import State
from pbem.games.answers import judged_on
from pbem.games.segments import play_segment
from pbem.lab.random_games.play import Deal, opening

GAMES = Path(__file__).with_name("games")
LENGTH, SHORT = 16, 3
"""Digits of the digest of a whole log, and of that of one impulse, which only says where a log differs."""


class RequestOrders(msgspec.Struct, frozen=True, kw_only=True):
    """What the sides sent in answer to one request for orders."""

    turn: int
    number: int
    orders: dict[str, str]


class CorpusGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game as its file has it: how it was begun, who wrote the orders of each side, and the orders."""

    deal: Deal
    authors: dict[str, str]
    requests: tuple[RequestOrders, ...] = ()

    def sent(self, state: State, side: str) -> str | None:
        """The orders of a side for the request in force; ``None`` where the file has none."""
        request = state.request
        assert request is not None
        place = (request.turn, request.number)
        found = [one.orders for one in self.requests if (one.turn, one.number) == place]
        return found[0].get(side) if found else None


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was played from its orders. ``broken`` says why it could not be played to its end, or is empty."""

    records: list[Record]
    state: State
    broken: str = ""


def paths() -> list[Path]:
    """The files of all games, by scenario and name."""
    return sorted(GAMES.glob("*.toml"), key=lambda path: (int(path.stem.partition("-")[0]), path.stem))


def read(path: Path) -> CorpusGame:
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), CorpusGame)


def played(game: CorpusGame) -> Replay:
    """Play a game from its orders, each of which is read and checked as it came."""
    begun = opening(game.deal)
    setting, records, state = begun.setting, list(begun.records), begun.state
    source, left = Secret(game.deal.secret), len(game.requests)
    while (request := state.request) is not None and not state.over:
        where, texts = f"turn {request.turn}, request {request.number}", {}
        for side in request.sides:
            if (sent := game.sent(state, side)) is None:
                return Replay(records=records, state=state, broken=f"{where}: there are no orders of {side}")
            judged = judged_on(state, setting, sent, side)
            if judged.faults:
                why = f"{where}: orders of {side} are refused: {judged.faults[0]}"
                return Replay(records=records, state=state, broken=why)
            texts[side] = judged.text
        more, state = play_segment(setting, source, state, texts)
        records += more
        left -= 1
    broken = f"turn {state.turn}: the game is over, and {left} requests of the file are left" if left else ""
    return Replay(records=records, state=state, broken=broken)


def digest_of(found: Replay) -> str:
    """The digests of a game on one line: of its log, of its last state, and of each impulse by turn."""
    whole, turns = hashlib.sha256(), dict[int, dict[int, list[bytes]]]()
    for (turn, impulse), group in groupby(found.records, lambda one: (one.event.turn, one.event.impulse)):
        text = encode_records(list(group))
        whole.update(text)
        turns.setdefault(turn, {}).setdefault(impulse, []).append(text)
    marks = [whole.hexdigest()[:LENGTH], hashlib.sha256(encode_state(found.state)).hexdigest()[:LENGTH]]
    return " ".join([*marks, *(f"{turn}={''.join(_shorts(impulses))}" for turn, impulses in sorted(turns.items()))])


def _shorts(impulses: Mapping[int, Iterable[bytes]]) -> Iterator[str]:
    """A short digest of each impulse from 0 on."""
    for impulse in range(max(impulses) + 1):
        texts = b"".join(impulses.get(impulse, ()))
        yield hashlib.sha256(texts).hexdigest()[:SHORT] if texts else "-" * SHORT


def place_of(now: str, was: str) -> str:
    """Where the digests of a game first differ, in words; ``""`` if they are the same."""
    if now == was:
        return ""
    if not was:
        return "no digest is kept of it"
    (log, _, *turns), (old, _, *before) = now.split(), was.split()
    if log == old:
        return "the log is the same, the last state is not"
    for new, kept in zip(turns, before, strict=False):
        if new != kept:
            turn, _, marks = new.partition("=")
            old_marks = kept.partition("=")[2]
            least = min(len(marks), len(old_marks))
            same = next((at for at in range(least) if marks[at] != old_marks[at]), least)
            return f"turn {turn}, impulse {same // SHORT}"
    return f"it ends in turn {turns[-1].partition('=')[0]} and not in turn {before[-1].partition('=')[0]}"


def main(files: Iterable[str]) -> None:
    """Print each game as a line of JSON: why it could not be played on, if so, then the lines of its log."""
    for file in files:
        found = played(read(Path(file)))
        print(json.dumps([found.broken, *encode_records(found.records).decode().splitlines()]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
