"""One game of each scenario, played to its end from the order files in tests/golden/scenarios/.

    python tests/golden/scenarios.py s07 SEED   writes other orders: a random captain's of that seed

``python tests/golden/refresh.py s07`` plays a game and keeps what came out.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
GAMES = HERE / "scenarios"
TURNS = 12
"""Turns in which a golden game should be over."""


ROOT = HERE.parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.errors import GameError  # noqa: E402
from pbem.games import create  # noqa: E402
from pbem.games.resolve import resolve_game  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.submit import submit  # noqa: E402
from pbem.lab.random_games.play import answer  # noqa: E402
from tests.golden import refresh  # noqa: E402

ANN, KOR = "ann@example.org", "kor@example.org"


class Game(NamedTuple):
    """How a game was begun; its name is the seed of its dice."""

    scenario: str
    players: Mapping[str, str]
    ships: Mapping[str, str] = {}
    options: Mapping[str, str] = {}
    units: tuple[str, ...] = ()


BOOK: dict[str, Game] = {
    "s01": Game("1", {"federation": ANN}),
    "s02": Game("2", {"federation": ANN}),
    "s03": Game("3", {"klingon": KOR}),
    "s04": Game("4", {"federation": ANN, "klingon": "robot"}),
    "s05": Game("5", {"federation": ANN, "klingon": "robot"}),
    "s06": Game("6", {"federation": ANN, "romulan": KOR}),
    "s07": Game("7", {"federation": ANN, "klingon": KOR}),
    "s08": Game("8", {"orion": ANN, "defender": KOR}),
    "s09": Game("9", {"federation": ANN, "klingon": KOR}),
    "s10": Game("10", {"federation": ANN, "klingon": KOR}),
    "s11": Game("11", {"federation": ANN}),
    "s12": Game("12", {"federation": ANN, "klingon": KOR}, units=("Death",)),
    "rigel": Game(
        "9", {"federation": ANN, "klingon": KOR}, ships={"Destruction": "std_rom_kr"}, options={"period": "turn"}
    ),
}
"""The golden game of each scenario; and one whose orders are a player's, with the systems of the standard level."""


def begin(name: str, folder: Path) -> None:
    """The game before its first orders."""
    game = BOOK[name]
    create.new(
        game.scenario,
        folder,
        players=game.players,
        ships=game.ships,
        options=game.options,
        units=game.units,
        name=name,
        seed=name,
    )


def play(name: str, sent: Path, folder: Path) -> None:
    """The game from nothing to its end. Raises :class:`GameError` if orders are missing, refused or left over."""
    begin(name, folder)
    for _ in refresh.answering(sent, folder):
        pass
    (folder / "secret" / "game.lock").unlink(missing_ok=True)
    for path in sorted(sent.glob("*/orders/*")):
        if not (folder / path.relative_to(sent)).is_file():
            raise GameError.saying("orders-unused", "no request asked for this file", file=str(path))


def compose(name: str, seed: str) -> Path:
    """Other orders for a game: what a random captain (:mod:`pbem.lab.random_games.play`) orders until it is over.
    Gives up, and raises :class:`GameError`, after :data:`TURNS` turns.
    """
    rng = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / name
        begin(name, made)
        while True:
            with opened(made) as game:
                state, setting = game.state(), game.scenario()
                request = state.request
                if request is None:
                    break
                if request.turn > TURNS:
                    raise GameError.saying("no-end", f"{name} has not ended after {TURNS} turns with seed {seed}")
                for side in request.sides:
                    sent = answer(rng, state, setting, side).sent
                    submit(game, sent, f"{side}.orders")
                resolve_game(game)
        shutil.rmtree(GAMES / name, ignore_errors=True)
        for path in sorted(made.glob("*/orders/*.orders")):
            kept = GAMES / name / path.relative_to(made)
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, kept)
    return GAMES / name


def main() -> int:
    parser = argparse.ArgumentParser(description="Writes other orders of a scenario's golden game: a random captain's.")
    parser.add_argument("game", choices=BOOK)
    parser.add_argument("seed")
    chosen = parser.parse_args()
    try:
        print(compose(chosen.game, chosen.seed))
    except GameError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
