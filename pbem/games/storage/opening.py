"""Open a game folder: lock it if needed, and first finish any transaction that was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pbem.data.files import FIGURES, CustomFigures, looking_beside
from pbem.data.house_figures import looking_in
from pbem.errors import GameError
from pbem.games.storage.files import BACK, perhaps, read_toml_file
from pbem.games.storage.folder import GameFolder, finish, locked, unfinished
from pbem.games.storage.terms import read_terms, verify_own_figures


@contextmanager
def opened(
    path: Path, *, lock: str = "", reports_late: bool = False, umpire_late: bool = False
) -> Iterator[GameFolder]:
    """Open a game folder and provide it within this context.

    A transaction that was interrupted is finished first. With a lock, derived files that are out of date are also
    written again, except by ``verify``, which reports such files.

    Args:
        path: The game folder.
        lock: Name of the command that opens the game, if it needs exclusive access; otherwise empty.
        reports_late: Write no reports, neither now nor after play in this context. The next command that opens the
            game with a lock writes them.
        umpire_late: Do not write the umpire's page. The command that shows the page writes it.

    Raises:
        GameError: The path is not a game folder that this version can read.
    """
    if not path.is_dir():
        what = "this is a file, not a game folder" if path.exists() else "there is no such game folder"
        raise GameError.saying("no-game", what, file=str(path))
    file = path / "game.toml"
    if not file.is_file():
        what = "this folder is not a game (it has no game.toml); make one with `pbem new`"
        if other := perhaps(file):
            what = f"this folder is not a game (it has no game.toml){other}"
        elif (path / "00").is_dir():
            what = f"{BACK}: this one has turns of a game, but no game.toml"
        if (path / "host.toml").is_file():
            what = "this folder is a club; name one of its games, a folder in its folder games"
        raise GameError.saying("no-game", what, file=str(path))
    with ExitStack() as stack:
        own = (path / FIGURES).is_dir()  # most games have no figures of their own
        stack.enter_context(looking_in(path) if own else looking_beside(path, CustomFigures()))
        if lock:
            stack.enter_context(locked(path, lock))
        cut_off = unfinished(path)
        if cut_off and lock:
            finish(path)
        elif cut_off:
            _finish_alone(path)
        terms = read_terms(read_toml_file(file), str(file))
        verify_own_figures(terms, path)
        game = GameFolder(path, terms)
        game.reports_late, game.umpire_late = reports_late, umpire_late
        if (lock and lock != "verify") or cut_off:
            # imported here because commands that only read need no drawing code
            from pbem.games.storage.publish import renew

            game.mended, game.renewed = renew(game), len(game.records())
        yield game


def _finish_alone(path: Path) -> None:
    """Finish an interrupted transaction when a command opens the game only for reading."""
    with locked(path, "finish"):
        if unfinished(path):
            finish(path)
