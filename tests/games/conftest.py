"""A duel of scenario #5 to work on, and orders as players would write them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from textwrap import dedent

import pytest

from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt, submit
from tests import remembered

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


def usual(side: str, form: str, *, turn: int = 1, reply: int = 1, game: str = "duel", body: str = "") -> str:
    """A side's usual answer to a request."""
    answer = {"EAF": ENERGY[side], "SOP": SOP[side], "FULL": ENERGY[side] + SOP[side].partition("\n")[2]}
    said = dedent(body) if body else answer[form]
    return f"GAME {game} TURN {turn} SIDE {side} REPLY {reply}\n{said}END\n"


@pytest.fixture
def orders() -> Callable[..., str]:
    """A side's usual answer to a request: ``orders("klingon", "EAF", turn=1, reply=1)``."""
    return usual


Begun = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Begun:
    """``begun("duel", make)``: a game folder that ``make`` wrote once for all tests that want the same of mails and
    pages; whoever plays on has a copy.
    """
    made: dict[tuple[str, bytes], Path] = {}

    def folder(name: str, make: Callable[[Path], None]) -> Path:
        key = name, remembered.wanted()
        if key not in made:
            written = tmp_path_factory.mktemp(name) / "duel"
            make(written)
            made[key] = written
        return made[key]

    return folder


def _new(folder: Path) -> None:
    new("5", folder, players=PLAYERS, seed="desk tests")


@pytest.fixture
def duel(tmp_path: Path, begun: Begun) -> Path:
    """The folder of a new game between two humans: EAFs first, then speeds, then SOPs."""
    return Path(shutil.copytree(begun("new", _new), tmp_path / "duel"))


@pytest.fixture
def game(duel: Path) -> Iterator[GameFolder]:
    with opened(duel) as folder:
        yield folder


def answer(game: GameFolder, side: str, form: str = "", *, body: str = "") -> Receipt:
    """Submit a side's usual answer to the request in force."""
    request = game.state().request
    assert request is not None
    text = usual(side, form or request.form, turn=request.turn, reply=request.number, body=body)
    return submit(game, text, f"{side}.txt")


@pytest.fixture
def send(game: GameFolder) -> Callable[..., Receipt]:
    """Submit a side's usual answer to the request in force."""
    return partial(answer, game)


def _play_to_the_break(folder: Path) -> None:
    _new(folder)
    with opened(folder) as game:
        for _ in range(2):
            answer(game, "federation")
            answer(game, "klingon")
            resolve_game(game)
        request = game.state().request
        assert request is not None and (request.number, request.sides) == (3, ("klingon",))


def _play_turn_1(begun: Begun, folder: Path) -> None:
    shutil.copytree(begun("break", _play_to_the_break), folder)
    with opened(folder) as game:
        submit(game, CONTINUE, "k3.txt")
        resolve_game(game)
        while (request := game.state().request) and request.turn == 1:
            for side in request.sides:
                submit(game, f"GAME duel TURN 1 SIDE {side} REPLY {request.number}\nCONTINUE\nEND\n", f"{side}.txt")
            resolve_game(game)


def _instead(game: GameFolder, played: Path) -> GameFolder:
    """The new game gives way to one that was played on; nothing of it has been read yet."""
    shutil.rmtree(game.path)
    shutil.copytree(played, game.path)
    return game


@pytest.fixture
def at_break(game: GameFolder, begun: Begun) -> GameFolder:
    """The duel where klingon's break has stopped it in turn 1."""
    return _instead(game, begun("break", _play_to_the_break))


@pytest.fixture
def after_turn_1(at_break: GameFolder, begun: Begun) -> GameFolder:
    return _instead(at_break, begun("turn", partial(_play_turn_1, begun)))


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
