"""A duel of scenario #5 to work on, and orders as players would write them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from pbem.desk.create import new
from pbem.desk.folder import GameFolder
from pbem.desk.opened import opened
from pbem.desk.play import resolve
from pbem.desk.submit import Receipt, submit

CONTINUE = "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n"
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}

ENERGY = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\n  PHOT A 2 WARP\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 2\n  DISR A 2\n",
}
SOP = {
    "federation": "SHIP Constellation\nPLOT TOWARD Destruction\n"
    "DO\n  IF RANGE Destruction <= 4 THEN FIRE ALL PH AT Destruction\n",
    "klingon": "SHIP Destruction\nPLOT TOWARD Constellation\n"
    "DO\n  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation\nBREAK\n  RANGE Constellation <= 8\n",
}


@pytest.fixture
def orders() -> Callable[..., str]:
    """A side's usual answer to a request: ``orders("klingon", "EAF", turn=1, reply=1)``."""

    def write(side: str, form: str, *, turn: int = 1, reply: int = 1, game: str = "duel", body: str = "") -> str:
        usual = {"EAF": ENERGY[side], "SOP": SOP[side], "FULL": ENERGY[side] + SOP[side].partition("\n")[2]}
        said = dedent(body) if body else usual[form]
        return f"GAME {game} TURN {turn} SIDE {side} REPLY {reply}\n{said}END\n"

    return write


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    """The folder of a new game between two humans: EAFs first, then speeds, then SOPs."""
    folder = tmp_path / "duel"
    new("5", folder, players=PLAYERS, seed="desk tests")
    return folder


@pytest.fixture
def game(duel: Path) -> Iterator[GameFolder]:
    with opened(duel) as folder:
        yield folder


@pytest.fixture
def send(game: GameFolder, orders: Callable[..., str]) -> Callable[..., Receipt]:
    """Submit a side's usual answer to the request in force."""

    def submit_usual(side: str, form: str = "", *, body: str = "") -> Receipt:
        request = game.state().request
        assert request is not None
        text = orders(side, form or request.form, turn=request.turn, reply=request.number, body=body)
        return submit(game, text, f"{side}.txt")

    return submit_usual


@pytest.fixture
def at_break(game: GameFolder, send: Callable[..., Receipt]) -> GameFolder:
    """The duel where klingon's break has stopped it in turn 1."""
    for _ in range(2):
        send("federation")
        send("klingon")
        resolve(game)
    request = game.state().request
    assert request is not None and (request.number, request.sides) == (3, ("klingon",))
    return game


@pytest.fixture
def after_turn_1(at_break: GameFolder) -> GameFolder:
    submit(at_break, CONTINUE, "k3.txt")
    resolve(at_break)
    while (request := at_break.state().request) and request.turn == 1:
        for side in request.sides:
            submit(at_break, f"GAME duel TURN 1 SIDE {side} REPLY {request.number}\nCONTINUE\nEND\n", f"{side}.txt")
        resolve(at_break)
    return at_break


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """Every file of a folder, without the lock."""

    def take(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"
        }

    return take
