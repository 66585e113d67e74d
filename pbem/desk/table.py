"""The VASSAL side of a game folder: the module it is laid out on, and the positions of each turn as a save."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.faults import GameError
from pbem.game.events import Record

if TYPE_CHECKING:
    from pbem.tabletop.binding import Binding

BINDING = "vassal.toml"
"""Which counter of which module stands for which unit, beside game.toml."""
POSITIONS = "positions.vsav"
"""The latest positions of a turn as everybody may see them, in the turn's folder."""
LATE = "positions.late.txt"
"""Stands beside positions that could not be written, and are those of an earlier moment, until they are."""


class Laid(NamedTuple):
    """The positions as a save, or nothing; ``refused`` is why the file itself could not be written."""

    save: bytes = b""
    refused: str = ""


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


def lay_out(game: Path, turn_folder: Path, records: Sequence[Record]) -> Laid:
    """Write the positions after ``records`` into a turn's folder, and return them; nothing where there can be none.

    No report waits for its save: a module that has no counter for a unit, or a vassal.toml that is faulty, keeps the
    save away (``pbem export`` says why), and one of earlier positions goes. Nor where somebody has the file of earlier
    positions open so that it cannot be written: that is noted beside it (:data:`LATE`), and the next command writes it.
    """
    from tempfile import TemporaryDirectory

    from pbem.desk.files import IN_USE, NO_PERMISSION, read_bytes, remove, write_bytes, write_text
    from pbem.tabletop.positions import write_positions

    file = turn_folder / POSITIONS
    save = b""
    try:
        with TemporaryDirectory(prefix="pbem-") as scratch:
            made = Path(scratch) / POSITIONS
            write_positions(records, made, game_binding(game))
            save = read_bytes(made)
    except GameError:
        pass
    try:
        if save:
            write_bytes(file, save, private=True)
        else:
            remove(file)
    except GameError as error:
        if any(fault.code not in (IN_USE, NO_PERMISSION) for fault in error.faults):
            raise
        why = "; ".join(fault.text for fault in error.faults)
        said = f"{POSITIONS} is that of an earlier moment: {why}.\nThe next command writes it.\n"
        write_text(turn_folder / LATE, said, private=True)
        return Laid(refused=why)
    remove(turn_folder / LATE)
    return Laid(save)
