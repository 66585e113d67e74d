"""Plays the golden games anew from their order files, and keeps what came out.

    python tests/golden/refresh.py                  all of them; look at the diff before you keep it
    python tests/golden/refresh.py duel01 s07       these
    python tests/golden/refresh.py s07 --into FOLDER    writes whole games into another folder, and keeps nothing

The order files are what the players sent: to change a game, change them. All else is made from them.
:mod:`tests.golden.held` says what is held of all files. Of the shipped games, those in turns/, all that play needs lies
there too, and of the reports those of :data:`SHOWN`.
"""

from __future__ import annotations

import argparse
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.state import Request  # noqa: E402
from pbem.errors import GameError  # noqa: E402
from pbem.games import create, resolve  # noqa: E402
from pbem.games.storage import files, papers  # noqa: E402
from pbem.games.storage.files import read_order_file  # noqa: E402
from pbem.games.storage.folder import turn_name  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from pbem.games.storage.publish import made_anew  # noqa: E402
from pbem.games.submit import submit  # noqa: E402
from pbem.reports.map import picture  # noqa: E402
from tests.golden import held  # noqa: E402
from tests.sketched import nobody_waits, one_by_one, sketch  # noqa: E402

TURNS = ROOT / "turns"
SHOWN = {
    "duel01": (
        "02/r3/klingon/",
        "05/final/klingon/sitrep.html",
        "05/final/klingon/replay.html",
        "05/final/umpire/sitrep.txt",
    ),
    "rescue01": ("02/r2/federation/sitrep.txt", "03/final/umpire/sitrep.txt"),
}
"""The reports that are shipped. The umpire's last sitrep says that the reports of a game are complete."""
MAIL = {"duel01": "02/r3"}
"""The request of which a mail is shipped, which holds its page once more."""


class Example(NamedTuple):
    """What a shipped game was begun with. Its name is the seed of its dice: anybody can make them again."""

    scenario: str
    players: Mapping[str, str]


EXAMPLES = {
    "duel01": Example("5", {"federation": "ann@example.org", "klingon": "kor@example.org"}),
    "rescue01": Example("4", {"federation": "ben@example.org", "klingon": "robot"}),
}


def begin(name: str, folder: Path, *, scenario: str = "") -> None:
    """A shipped game before its first orders, in an empty ``folder``; ``scenario`` is played instead of its own."""
    example = EXAMPLES[name]
    create.new(scenario or example.scenario, folder, players=example.players, name=name, seed=name)


def answering(
    sent: Path,
    folder: Path,
    *,
    order: Callable[[Sequence[str]], Sequence[str]] = tuple,
    edit: Callable[[str], str] = str,
) -> Iterator[Request]:
    """Play the game in ``folder`` to its end with the order files of the game folder ``sent``.

    Yields each request when its answers are filed, before it is played. ``order`` says whose file comes first, ``edit``
    changes the text of a file. Raises :class:`GameError` if a file is missing or refused.
    """
    while True:
        with opened(folder, lock="submit") as game:
            request = game.state().request
            if request is None:
                return
            for side in order(request.sides):
                for file in versions(sent, request, side):
                    submit(game, edit(read_order_file(file)), file.name)
        yield request
        with opened(folder, lock="resolve") as game:
            resolve.resolve_game(game)
            if game.state().request == request:
                text = f"turn {request.turn} waits for an answer to request {request.number}"
                raise GameError.saying("orders-missing", text, file=str(sent))


def versions(sent: Path, request: Request, side: str) -> list[Path]:
    """The files a side sent in answer to a request, the first one first."""
    name = f"{side}.r{request.number}"
    folder = sent / turn_name(request.turn) / "orders"
    earlier = sorted(folder.glob(f"{name}.v*.orders"), key=lambda path: int(path.name.split(".v")[1].split(".")[0]))
    return [*earlier, *folder.glob(f"{name}.orders")]


def play_to_the_end(name: str, sent: Path, folder: Path) -> None:
    """A shipped game from nothing to its end. Raises :class:`GameError` if the orders are too few, or too many."""
    begin(name, folder)
    for _ in answering(sent, folder):
        pass
    (folder / "secret" / "game.lock").unlink(missing_ok=True)
    for path in sorted(sent.glob("*/orders/*")):
        if not (folder / path.relative_to(sent)).is_file():
            raise GameError.saying("orders-unused", "no request asked for this file", file=str(path))


def is_shown(name: str, path: str) -> bool:
    """Whether a file of a shipped game is shipped: all but reports, and of these those of :data:`SHOWN`."""
    if path.endswith("/proof.html"):
        return False
    if len(path.split("/")) < 4:
        return True
    if path.endswith("/mail.eml"):
        return path.startswith(MAIL.get(name, "none")) and path.startswith(SHOWN[name])
    return path.startswith(SHOWN[name])


def slim(name: str, game: Path) -> None:
    """Keep the files that are shipped."""
    for path in [path for path in game.rglob("*") if path.is_file()]:
        if path.suffix == ".zip" or not is_shown(name, path.relative_to(game).as_posix()):
            path.unlink()
    for folder in sorted((path for path in game.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


DRAWN: Any = picture._leanly_drawn
"""Draws a map for a mail."""


def quickly() -> None:
    """Draw no maps for mails, whose pixels no digest holds, wait for no disk, and seldom look for what could go."""
    gc.set_threshold(5_000_000, 20, 20)
    for module, name, stand_in in (
        (picture, "_leanly_drawn", sketch), (papers, "spare", lambda: False),
        (os, "fsync", nobody_waits), (files, "_sync_all", one_by_one),
    ):  # fmt: skip
        setattr(module, name, stand_in)


def whole(name: str, folder: Path) -> None:
    """A golden game, shipped or of a scenario, played to its end in ``folder``."""
    from tests.golden import scenarios

    if name in EXAMPLES:
        play_to_the_end(name, TURNS / name, folder)
    else:
        scenarios.play(name, scenarios.GAMES / name, folder)


def kept_of(name: str) -> held.Held:
    """What is to be kept of a game. A shipped one lies in turns/ anew, where it has been played to its end."""
    quickly()
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / name
        whole(name, made)
        found = held.held(made)
        if name in EXAMPLES:
            if name in MAIL:
                picture._leanly_drawn = DRAWN
                with opened(made) as game:
                    made_anew(game, made / MAIL[name])
            slim(name, made)
            shutil.rmtree(TURNS / name, ignore_errors=True)
            # copyfile: a shipped game is for everybody to read, its secret too.
            shutil.copytree(made, TURNS / name, copy_function=shutil.copyfile)
    return found


def names() -> list[str]:
    """All golden games, those first that take longest."""
    from tests.golden import scenarios

    return sorted([*EXAMPLES, *scenarios.BOOK], key=lambda name: -LONGEST.index(name) if name in LONGEST else 1)


LONGEST = ("s10", "duel01", "s09", "s07", "s08", "s12")
"""Games that are begun first, the last of these before all: two processes then end together."""


def into(folder: Path, name: str) -> Path:
    """Write a whole game into a folder beside others."""
    quickly()
    whole(name, folder / name)
    return folder / name


def main() -> int:
    parser = argparse.ArgumentParser(description="Plays the golden games anew from their order files.")
    parser.add_argument("game", nargs="*", help=f"{', '.join(names())}; without it, all")
    parser.add_argument("--into", type=Path, help="write whole games here, and keep nothing")
    parser.add_argument("--processes", type=int, default=min(os.cpu_count() or 1, 4))
    chosen = parser.parse_args()
    for name in chosen.game:
        if name not in names():
            parser.error(f"there is no golden game {name!r}; there are {', '.join(names())}")
    games = [name for name in names() if name in chosen.game or not chosen.game]
    try:
        with ProcessPoolExecutor(max(1, min(chosen.processes, len(games)))) as pool:
            if chosen.into:
                for path in pool.map(into, [chosen.into] * len(games), games):
                    print(path)
            else:
                found = dict(zip(games, pool.map(kept_of, games), strict=True))
                told = [text for name, one in found.items() if (text := held.differences(name, one))]
                held.keep(found)
                print("\n\n".join(told) or "nothing changed")
    except GameError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
