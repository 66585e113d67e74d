"""The VASSAL side of a game folder: the module it is laid out on, and the positions of each turn as a save."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.faults import GameError
from pbem.game.events import Record

if TYPE_CHECKING:
    from pbem.tabletop.binding import Binding

BINDING = "vassal.toml"
"""Which counter of which module stands for which unit, beside game.toml."""
POSITIONS = "positions.vsav"
"""The latest positions of a turn as everybody may see them, in the turn's folder."""


def game_binding(game: Path) -> Binding | None:
    """The game's vassal.toml, if it has one yet. Raises :class:`GameError`."""
    from pbem.desk.files import read_bytes
    from pbem.tabletop.binding import read_binding

    file = game / BINDING
    if not file.is_file():
        return None
    try:
        return read_binding(read_bytes(file).decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error


def lay_out(game: Path, turn_folder: Path, records: Sequence[Record]) -> bytes:
    """Write the positions after ``records`` into a turn's folder, and return the file; nothing where there can be none.

    No report waits for its save: a module that has no counter for a unit, or a vassal.toml that is faulty, keeps the
    save away (``pbem export`` says why), and one of earlier positions goes.
    """
    from tempfile import TemporaryDirectory

    from pbem.desk.files import read_bytes, remove, write_bytes
    from pbem.tabletop.positions import write_positions

    file = turn_folder / POSITIONS
    try:
        with TemporaryDirectory(prefix="pbem-") as scratch:
            made = Path(scratch) / POSITIONS
            write_positions(records, made, game_binding(game))
            save = read_bytes(made)
    except GameError:
        remove(file)
        return b""
    write_bytes(file, save, private=True)
    return save
