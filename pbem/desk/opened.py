"""Opening a game folder: locked where a command needs it to itself, and whole, whatever was cut off before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pbem.data.figures import looking_in
from pbem.desk.act import finish, unfinished
from pbem.desk.files import read_toml_file
from pbem.desk.folder import GameFolder
from pbem.desk.lock import locked
from pbem.desk.lookalikes import BACK, perhaps
from pbem.desk.roster import verify_own_figures
from pbem.desk.terms import read_terms
from pbem.faults import GameError


@contextmanager
def opened(path: Path, *, lock: str = "") -> Iterator[GameFolder]:
    """A game folder to work with; ``lock`` names the command that needs it to itself.

    An act of the umpire that was stopped half-way is carried out first; who needs the folder to himself also finds the
    reports as the log has them, but for ``verify``, which says what is wrong. Raises :class:`GameError` if this is no
    game folder of this version.
    """
    if not path.is_dir():
        what = "this is a file, not a game folder" if path.exists() else "there is no such game folder"
        raise GameError.saying("no-game", what, file=str(path))
    file = path / "game.toml"
    if not file.is_file():
        what = "this folder is no game: it has no game.toml; `pbem new` makes one"
        if other := perhaps(file):
            what = f"this folder is no game: it has no game.toml{other}"
        elif (path / "00").is_dir():
            what = f"this folder holds turns of a game, and no game.toml: {BACK}"
        if (path / "host.toml").is_file():
            what = "this folder is a club, and a game is wanted: a club's games lie in its folder games"
        raise GameError.saying("no-game", what, file=str(path))
    with ExitStack() as stack:
        stack.enter_context(looking_in(path))
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
        if (lock and lock != "verify") or cut_off:
            from pbem.desk.publish import renew  # what only looks need not load what draws

            game.mended, game.renewed = renew(game), len(game.records())
        yield game


def _finish_alone(path: Path) -> None:
    """Carry out an act that was stopped, for a command that only reads."""
    with locked(path, "finish"):
        if unfinished(path):
            finish(path)
