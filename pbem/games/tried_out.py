"""What a player tried out on a VASSAL table, put into his orders. Nothing is filed here."""

from __future__ import annotations

import tempfile
from pathlib import Path

from msgspec.structs import replace

from pbem.errors import Fault, GameError
from pbem.games.replot import with_plots
from pbem.games.storage.folder import GameFolder
from pbem.games.table import game_binding
from pbem.vassal_bridge.tried_out import tried_at_home


def replotted(game: GameFolder, side: str, save: bytes, name: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Orders of ``side`` with the plots of a save or log of its player's, which he calls ``name``, and what is to be
    said of them, line by line. ``text`` are the orders they are put into. The module is that of the game's
    vassal.toml, or the companion module. Raises :class:`GameError` where the rules forbid a plot, or nothing moved.
    """
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "tried"
        file.write_bytes(save)
        try:
            found = tried_at_home(game.state(), side, game_binding(game.path), file)
        except GameError as error:
            raise _as_he_calls_it(error.faults, file, name) from None
    if found.faults:
        raise _as_he_calls_it(found.faults, file, name)
    if not found.codes:
        remarks = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
        none = "no counter of a ship or shuttle of yours was moved in it"
        raise GameError.saying("not-moved", "; ".join(remarks) or none, file=name)
    said = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
    said += [f"No counter of {one} on the map: nothing was read for it." for one in found.unseen]
    return with_plots(game, side, found.codes, text), tuple(said)


def _as_he_calls_it(faults: tuple[Fault, ...], file: Path, name: str) -> GameError:
    """The faults with his own name of the file: where it lay here is no business of anybody's."""
    return GameError(
        *(replace(one, file=name if one.file else "", text=one.text.replace(str(file), name)) for one in faults)
    )
