"""Finished games to prove: the shipped duel (scheme 1), a short one of scheme 2, and one that takes a beacon."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pbem.games.create import new, shipped_games
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish_all
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree
from pbem.games.umpire.rerun import rerun
from pbem.games.umpire.undo import undo
from tests import remembered

PLAYERS = {"federation": "Ann <ann@example.org>", "klingon": "bob@example.org"}
ENERGY = {
    "federation": "  SPEED 12\n  PHASERS 3\n  PHOT A 2 WARP\n",
    "klingon": "  SPEED 14\n  PHASERS 3\n  DISR A 2\n",
}
FOE = {"federation": "Destruction", "klingon": "Constellation"}
SHIP = {"federation": "Constellation", "klingon": "Destruction"}


class Oracle:
    """A beacon whose values are known to the tests, and a clock they turn."""

    def __init__(self) -> None:
        self.at = datetime(2027, 3, 1, 12, tzinfo=UTC)
        self.asked: list[int] = []

    def now(self) -> datetime:
        return self.at

    def value(self, number: int) -> str:
        self.asked.append(number)
        return hashlib.sha256(f"round {number}".encode()).hexdigest()


def answer(side: str, form: str, turn: int, reply: int, game: str) -> str:
    """Rush, fire at once, and go home in turn 3."""
    sop = (
        f"PLOT TOWARD {FOE[side]}\nDO\n  EVERY IF RANGE {FOE[side]} <= 8 THEN FIRE ALL AT {FOE[side]}\n"
        + "  AT 2 DISENGAGE\n" * (turn > 2)
    )
    energy = "ENERGY\n" + (ENERGY[side] if turn == 1 else "  SPEED 5\n")
    body = {"EAF": energy, "SOP": sop, "FULL": energy + sop}[form]
    head = f"# a word of my own: TOKEN abc123\nGAME {game} TURN {turn} SIDE {side} REPLY {reply}\n"
    return f"{head}SHIP {SHIP[side]}\n{body}END\n"


def play_out(folder: Path, oracle: Oracle) -> None:
    """Play a duel to its end, waiting for the beacon where it takes one."""
    while True:
        with opened(folder) as game:
            request = game.state().request
            if request is None:
                return
            for side in request.sides:
                submit(game, answer(side, request.form, request.turn, request.number, game.terms.name), f"{side}.txt")
            while resolve_game(game, oracle)[-1].what == "sealed":
                oracle.at += timedelta(minutes=1)


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of finished games by kind: ``first`` and ``second`` scheme, and ``beacon``. Their pages are made, for
    it is asked what they tell.
    """
    root = tmp_path_factory.mktemp("proof")
    found = {"first": root / "duel01", "second": root / "duel02", "beacon": root / "duel03"}
    shutil.copytree(next(folder for folder in shipped_games() if folder.name == "duel01"), found["first"])
    options = {"reveal": "none", "autobreaks": "none"}
    with remembered.real_pages():
        with opened(found["first"]) as game:
            publish_all(game)
        new("5", found["second"], players=PLAYERS, seed="proof tests", scheme=2, options=options)
        play_out(found["second"], Oracle())
        new("5", found["beacon"], players=PLAYERS, seed="proof tests", options={**options, "beacon": "drand"})
        play_out(found["beacon"], Oracle())
    return found


@pytest.fixture(scope="session")
def archives(games: dict[str, Path]) -> dict[str, Path]:
    """Their archives, as they lie beside the final reports."""
    return {kind: next(folder.glob("*/final/*.pbem.zip")) for kind, folder in games.items()}


@pytest.fixture(scope="session")
def sent(games: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A folder with all a side was sent, as its player may have kept it: mails of some requests, texts of others."""

    def kept(kind: str, side: str) -> Path:
        folder = tmp_path_factory.mktemp("kept")
        for number, path in enumerate(sorted(games[kind].glob(f"*/*/{side}/sitrep.txt"))):
            name = f"{path.parent.parent.parent.name}-{path.parent.parent.name}"
            mail = path.with_name("mail.eml")
            if number % 2 and mail.is_file():
                shutil.copyfile(mail, folder / f"{name}.eml")
            else:
                shutil.copyfile(path, folder / f"{name}.txt")
        return folder

    return kept


@pytest.fixture(scope="session")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished game with play that was taken back, repeated with its dice kept, and a repetition repeated again."""
    folder = tmp_path_factory.mktemp("repeated") / "duel04"
    new("5", folder, players=PLAYERS, seed="repeated", scheme=2, options={"reveal": "none", "autobreaks": "none"})
    play_out(folder, Oracle())

    def repeat(turn: int, change: str) -> None:
        with opened(folder) as game:
            rerun(game, turn=turn, request=1, decree=Decree(changes=(change,), reason="forgotten"), accept=True)
        play_out(folder, Oracle())

    repeat(1, "Destruction shield 2 = 3")
    with opened(folder) as game:
        undo(game, reason="a mistake")
    play_out(folder, Oracle())
    repeat(2, "Constellation shield 4 = 2")
    repeat(1, "Destruction hull = 2")
    return folder
