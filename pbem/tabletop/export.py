"""The game on the table: a VASSAL save with a counter for every unit in play, where it stands and how it faces.

Only what every player may see goes into the file: positions, facings, names, speeds. A drone's target, arming and
orders are never written, and no player entry or password is invented.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.faults import GameError
from pbem.game.state import AnyUnit, Planet, Ship, Shuttle, State
from pbem.rules.hexes import FACINGS
from pbem.tabletop.binding import FACING_DEGREES, Binding, has_counter, propose, slot_for

if TYPE_CHECKING:
    from vassal.look import Look
    from vassal.module import Module
    from vassal.pieces import Piece
    from vassal.save import Save

ID_PREFIX = "pbem-"
"""Ids of our counters: by these a save that comes back is matched, whatever its labels say by then."""


COVERED = ("cloaked", "cloaking")
"""States of a cloak in which the label of a ship says CLOAKED."""


def piece_id(unit: AnyUnit) -> str:
    """The id of a unit's counter."""
    return ID_PREFIX + unit.name


def open_module(path: Path) -> Module:
    """Read a module, or a fault that says what is wrong with it."""
    from vassal.errors import VassalError
    from vassal.module import read_module

    try:
        return read_module(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("module", about_file(path, error), file=str(path)) from error


class Exported(NamedTuple):
    """The save, the binding it was made with, and the units that have no place on the module's map."""

    save: Save
    binding: Binding
    left_out: tuple[str, ...]


def export_game(state: State, module: Module, binding: Binding | None = None) -> Exported:
    """A save of the present positions, with ``binding`` or one proposed from names.

    A unit on a hex that the module's map does not have is left out and named; its position stands in the public notes
    like everybody's. Raises :class:`GameError` where a unit has no counter or the module cannot be used.
    """
    from vassal.errors import VassalError
    from vassal.writer import SaveWriter

    binding = binding or propose(state, module)
    left_out = []
    try:
        writer = SaveWriter(module)
        layout = writer.layout(binding.map)
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    for unit in state.in_play():
        if not has_counter(binding, unit):
            continue
        slot = slot_for(binding, module, unit)
        try:
            spot = layout.pixel(unit.hex)
        except VassalError:
            left_out.append(f"{unit.name} at {unit.at} is left out: the map {binding.map!r} has no hex {unit.hex}")
            continue
        try:
            writer.add(slot, binding.map, at=spot, look=_look(slot.piece, unit), piece_id=piece_id(unit))
        except VassalError as error:
            raise GameError.saying("export", f"{unit.name} at {unit.at}: {error}") from error
    writer.public_notes = public_notes(state)
    writer.description = f"{state.game} {state.turn}.{state.impulse}"
    try:
        return Exported(writer.save(), binding, tuple(left_out))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error


def write_save(save: Save, path: Path) -> None:
    """Write a save's file; one already there is replaced in one step."""
    from vassal.errors import VassalError

    try:
        save.write(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("export", about_file(path, error), file=str(path)) from error


def public_notes(state: State) -> str:
    """The sitrep's positions, as everybody may read them; planets and asteroids with all their hexes."""
    rows = [
        f"{unit.name}  {' '.join(unit.hexes)}" if isinstance(unit, Planet) else f"{unit.name}  {unit.at}  {unit.speed}"
        for unit in state.in_play()
    ]
    rows += [f"asteroids  {' '.join(state.asteroids)}"] if state.asteroids else []
    return "\n".join([f"{state.game} {state.turn}.{state.impulse}", *rows])


def _look(piece: Piece, unit: AnyUnit) -> Look:
    """Facing and label as far as the counter has them: its first rotator that knows sixths of a circle, its
    first label.
    """
    from vassal.look import Look

    degrees = FACINGS.index(unit.facing) * FACING_DEGREES
    turns = next((r for r in piece.rotators if r.facings == 1 or degrees * r.facings % 360 == 0), None)
    return Look(
        degrees=None if turns is None else degrees,
        rotator=turns.name if turns is not None else None,
        label=_label(unit) if piece.labels else None,
    )


def _label(unit: AnyUnit) -> str:
    if isinstance(unit, Shuttle):
        return f"{unit.name} {unit.speed}"
    if not isinstance(unit, Ship):
        return unit.name
    # The counter of a cloaked ship stays on the map, and its label says so (G13.1).
    return f"{unit.name} {unit.speed}{' CLOAKED' if unit.cloak in COVERED else ''}"


def about_file(path: Path, error: Exception) -> str:
    """A fault's sentence without the file's name in front: that has a place of its own."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
