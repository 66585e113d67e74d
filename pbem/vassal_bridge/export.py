"""The game on the table: a VASSAL save with a counter for every unit in play, where it stands and how it faces.

Only what every player may see goes into the file (:mod:`pbem.vassal_bridge.scene`). A drone's target, arming, energy
and orders are never written, and no player entry or password is invented.

A module's counters have places for more or for less of this; the companion module's have them all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.state import Planet, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.notes import public_notes
from pbem.vassal_bridge.proposing import propose
from pbem.vassal_bridge.scene import Counter, Table, counters_of, left_out, terrain, trackers
from pbem.vassal_bridge.sheets import Own, sheets, window_boards
from vassal.errors import InUseError, VassalError
from vassal.module.module import read_module
from vassal.text.leaves import BoardChoice
from vassal.writer import SaveWriter

if TYPE_CHECKING:
    from vassal.module.module import Module
    from vassal.save import Save


def open_module(path: Path) -> Module:
    """Read a module, or a fault that says what is wrong with it."""
    try:
        return read_module(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("module", about_file(path, error), file=str(path)) from error


class Exported(NamedTuple):
    """The save, the binding it was made with, and the units that have no place on the module's map."""

    save: Save
    binding: Binding
    left_out: tuple[str, ...]


def export_game(
    state: State,
    module: Module,
    binding: Binding | None = None,
    notes: str = "",
    own: Own | None = None,
    *,
    read: bool = True,
) -> Exported:
    """A save of the present positions, with ``binding`` or one proposed from names.

    ``notes`` are the public notes; without them these are the positions alone. With ``own`` the save has the papers of
    that side, too, and is for nobody else; one that is written and nothing else need not be ``read``.
    A unit on a hex that the module's map does not have is left out and named; its position stands in the public notes
    like everybody's. Raises :class:`GameError` where a unit has no counter or the module cannot be used.
    """
    binding = binding or propose(state, module)
    try:
        binding.map_of(module)
        boards = window_boards(state, module)
        if binding.board:
            boards[binding.map] = (BoardChoice(binding.board),)
        writer = SaveWriter(module, boards)
        table = Table(module, binding, binding.hexmap(writer.layout(binding.map)))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    try:
        wanted: list[Counter] = list(terrain(state, table))
    except VassalError as error:
        raise GameError.saying("export", f"terrain: {error}") from error
    # VASSAL draws what comes first lowest: planets lie below what is in their hex.
    units = sorted(state.in_play(), key=lambda unit: not isinstance(unit, Planet))
    wanted += [counter for unit in units for counter in counters_of(unit, table)]
    wanted += sheets(state, table, own)
    for one in wanted:
        try:
            writer.add(one.slot, one.map, at=one.spot, look=one.look(one.slot.piece), piece_id=one.id)
        except VassalError as error:
            raise GameError.saying("export", f"{one.about}: {error}") from error
    writer.turns.update(trackers(state, module))
    writer.public_notes = notes or public_notes(state)
    writer.description = f"{state.game} {state.turn}.{state.impulse}"
    try:
        return Exported(writer.save(read=read), binding, tuple(filter(None, (left_out(unit, table) for unit in units))))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error


def write_save(save: Save, path: Path) -> None:
    """Write a save's file; one already there is replaced in one step. Raises :class:`GameError`, ``in-use`` where
    another program has the old one open.
    """
    try:
        save.write(path)
    except InUseError as error:
        raise GameError.saying("in-use", about_file(path, error), file=str(path)) from error
    except (VassalError, OSError) as error:
        raise GameError.saying("export", about_file(path, error), file=str(path)) from error


def about_file(path: Path, error: Exception) -> str:
    """A fault's sentence without the file's name in front: that has a place of its own."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
