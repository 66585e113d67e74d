"""The VASSAL side of a game folder: the module it is laid out on, and the positions of each turn as a save."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pbem.desk.files import IN_USE, NO_PERMISSION, read_toml_file, remove, write_bytes, write_text
from pbem.faults import GameError
from pbem.tabletop.binding import read_binding

if TYPE_CHECKING:
    from pbem.tabletop.binding import Binding

BINDING = "vassal.toml"
"""Which counter of which module stands for which unit, beside game.toml."""
POSITIONS = "positions.vsav"
"""The latest positions of a turn as everybody may see them, in the turn's folder."""
LATE = "positions.late.txt"
"""Stands beside positions that could not be written, and are those of an earlier moment, until they are."""


def game_binding(game: Path) -> Binding | None:
    """The game's vassal.toml, if it has one yet. Raises :class:`GameError`."""
    return _binding(game / BINDING)


def general_file(module: Path) -> Path:
    """The file beside a module that holds for all games on it: ``old.vassal.toml`` for old.vmod."""
    return module.with_name(f"{module.stem}.{BINDING}")


def general_binding(module: Path) -> Binding | None:
    """What holds for all games on a module, if anybody has looked at it yet. Raises :class:`GameError`."""
    return _binding(general_file(module))


def _binding(file: Path) -> Binding | None:
    if not file.is_file():
        return None
    try:
        return read_binding(read_toml_file(file).decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error


def lay_out(turn_folder: Path, save: bytes) -> str:
    """Write positions into a turn's folder, or take away those that are there where there can be none now; why that
    could not be, or nothing.

    No report waits for its save. Where somebody has the file of earlier positions open so that it cannot be written,
    that is noted beside it (:data:`LATE`), and the next command writes it.
    """
    file = turn_folder / POSITIONS
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
        return why
    remove(turn_folder / LATE)
    return ""
