"""One game of each scenario, played to its end from the order files in tests/golden/scenarios/.

    python tests/golden/scenarios.py            plays all of them and writes what came out; look at the diff
    python tests/golden/scenarios.py s07        one of them
    python tests/golden/scenarios.py s07 --orders SEED   with other orders: a random captain's of that seed

What is kept of a game, beside the order files: ``story.txt.gz``, the umpire's last report of each turn, for the eye;
and ``files.sha256``, a digest of every file that the game consists of, for the byte (refresh.py says what of a page, a
mail or a save counts).
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
GAMES = HERE / "scenarios"
TURNS = 12
"""Turns in which a golden game should be over."""


def _refresh() -> ModuleType:
    """tests/golden/refresh.py (test folders are no packages)."""
    if "golden_refresh" not in sys.modules:
        spec = importlib.util.spec_from_file_location("golden_refresh", HERE / "refresh.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["golden_refresh"] = module
        spec.loader.exec_module(module)
    return sys.modules["golden_refresh"]


refresh = _refresh()

from pbem.errors import GameError  # noqa: E402
from pbem.games import create  # noqa: E402
from pbem.games.resolve import resolve_game  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.submit import submit  # noqa: E402
from pbem.lab.random_games.play import answer  # noqa: E402
from tests import kept  # noqa: E402

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


def results(folder: Path) -> dict[str, str]:
    """What is kept of a game that was played: file name to text."""
    # The last report of a turn tells all of it.
    by_turn = {path.parts[-4]: path for path in sorted(folder.glob("*/r*/umpire/sitrep.txt"), key=_when)}
    reports = [*by_turn.values(), *sorted(folder.glob("final/umpire/sitrep.txt"))]
    # The hashes of the dice proof tell no story; files.sha256 has them.
    story = "\n".join(path.read_text(encoding="utf-8").partition("\n--- DICE PROOF")[0] for path in reports)
    lines = []
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        # Of an archive only what is in it is the same wherever it is packed.
        if path.is_file() and not name.startswith("secret/") and path.suffix != ".zip":
            lines.append(f"{refresh.digest(path)}  {name}\n")
    return {f"story{kept.ENDING}": story, "files.sha256": "".join(lines)}


def _when(path: Path) -> tuple[int, int]:
    """Turn and request of a report."""
    return int(path.parts[-4]), int(path.parts[-3].removeprefix("r"))


def write(name: str) -> str:
    """Plays a game and writes what came out; says how it ended."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / name
        play(name, GAMES / name, made)
        for file, text in results(made).items():
            if file.endswith(kept.ENDING):
                kept.keep(GAMES / name / file, text)
            else:
                (GAMES / name / file).write_text(text, encoding="utf-8", newline="\n")
        with opened(made) as game:
            state = game.state()
    return f"{name}: turn {state.turn}, " + ", ".join(f"{end.side} {end.result}" for end in state.outcome)


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays the golden game of each scenario from its order files.")
    parser.add_argument("game", nargs="*", help=f"{', '.join(BOOK)}; without it, all")
    parser.add_argument("--orders", metavar="SEED", help="write other orders first: a random captain's")
    chosen = parser.parse_args()
    for name in chosen.game:
        if name not in BOOK:
            parser.error(f"there is no game {name!r}; there are {', '.join(BOOK)}")
    try:
        for name in chosen.game or BOOK:
            if chosen.orders:
                compose(name, chosen.orders)
            print(write(name))
    except GameError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
