"""Playing a shipped example game again from its order files, in a folder of the reader's own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from pbem.engine import log
from pbem.engine.state import Outcome
from pbem.errors import GameError
from pbem.games.play import resolve
from pbem.games.segments import opening
from pbem.games.storage.files import cannot, read_bytes, read_order_file, write_bytes
from pbem.games.storage.folder import GameFolder, OrderFile
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish, reports_folder
from pbem.games.submit import submit


class DemoPlayed(msgspec.Struct, frozen=True, kw_only=True):
    """What the demo played and where it lies."""

    game: str
    scenario: str
    title: str
    folder: Path
    page: Path
    files: int
    turns: int
    segments: int
    records: int
    dice: int
    outcome: tuple[Outcome, ...]


def shipped_games() -> list[Path]:
    """The example games, in the checkout or in the installed package."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_data" / "turns", package.parent / "turns"):
        if folder.is_dir():
            return sorted(path for path in folder.iterdir() if (path / "game.toml").is_file())
    return []


Progress = Callable[[int, int], object]
"""Is told how many order files of how many are played."""


def play_demo(folder: Path | None = None, progress: Progress | None = None) -> DemoPlayed:
    """Play the first shipped game again from its order files in ``folder`` (default: a new temporary one).

    Raises :class:`GameError` if no game is shipped or ``folder`` is not empty.
    """
    games = shipped_games()
    if not games:
        raise GameError.saying("no-example", "this installation has no example game under turns/")
    try:
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="pbem-demo-")) / games[0].name
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise GameError.saying("not-empty", "the demo needs an empty folder or a new one", file=str(folder))
    except OSError as error:
        raise cannot("write", folder or Path(tempfile.gettempdir()), error) from error
    return replay(games[0], folder, progress)


def replay(example: Path, folder: Path, progress: Progress | None = None) -> DemoPlayed:
    """Play ``example`` again in an empty ``folder``: its terms, secret and order files are copied, all else
    is made.
    """
    _copy_terms(example, folder)
    with opened(example) as shipped:
        waiting = [file for turn in shipped.turns() for file in shipped.order_files(turn) if not file.version]
    count = len(waiting)
    with opened(folder) as game:
        write_bytes(game.log_file(0), log.encode_records(opening(game.terms)), private=True)
        game.write_state()
        publish(game)
        while mailed := _due(game, waiting):
            for file in mailed:
                submit(game, read_order_file(file.path), file.path.name)
                waiting.remove(file)
            resolve(game)
            if progress is not None:
                progress(count - len(waiting), count)
        state, records = game.state(), game.records()
        reports = reports_folder(game)
        return DemoPlayed(
            game=state.game,
            scenario=state.scenario,
            title=game.scenario().title,
            folder=reports,
            page=reports / "umpire" / "sitrep.html",
            files=count - len(waiting),
            turns=state.turn,
            segments=state.segment,
            records=len(records),
            dice=sum(bool(getattr(record.event, "roll", "")) for record in records),
            outcome=state.outcome,
        )


def _due(game: GameFolder, waiting: list[OrderFile]) -> list[OrderFile]:
    """The files among ``waiting`` that answer the request in force."""
    request = game.state().request
    if request is None:
        return []
    return [
        file
        for file in waiting
        if (file.turn, file.number) == (request.turn, request.number) and file.side in request.sides
    ]


def _copy_terms(example: Path, folder: Path) -> None:
    """What a game is agreed on: game.toml, the secret of the dice, and its own ships and scenarios."""
    wanted = [example / "game.toml", *(example / "secret").glob("*")]
    wanted += [*(example / "ships").glob("*.toml"), *(example / "scenarios").glob("*.toml")]
    for path in wanted:
        if path.is_file() and path.suffix != ".lock":
            write_bytes(folder / path.relative_to(example), read_bytes(path), private=path.parent.name == "secret")
