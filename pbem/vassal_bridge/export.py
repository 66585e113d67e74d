"""The game on the table: a VASSAL save with a counter for every unit in play, where it stands and how it faces.

Only what every player may see goes into the file (:mod:`pbem.vassal_bridge.scene`). A drone's target, arming, energy
and orders are never written, and no player entry or password is invented.

A module's counters have places for more or for less of this; the companion module's have them all.

What an export will place and what it lacks: said before anything is written, and again when it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pbem.engine.state import AnyUnit, Planet, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import Binding, has_counter, heading_of, level_for, slot_of
from pbem.vassal_bridge.hexmap import layout_of
from pbem.vassal_bridge.notes import public_notes
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import Counter, Table, counters_of, left_out, name_label, terrain, trackers
from pbem.vassal_bridge.sheets import Own, sheet_lacks, sheets, window_boards
from vassal.errors import InUseError, VassalError
from vassal.module.module import read_module
from vassal.text.leaves import BoardChoice
from vassal.write import SaveWriter

if TYPE_CHECKING:
    from vassal.module.module import Module, Slot
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


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A unit with its place and the palette entry of its counter; ``lacks`` says what the module cannot show of it."""

    unit: str
    at: str
    counter: str
    lacks: tuple[str, ...] = ()


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """What is laid on the table of a module, and what is not: ``lacking`` has a sentence for each unit left out."""

    map: str
    placed: tuple[Placed, ...]
    lacking: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """It in words: the units by their counters, what these cannot show, and who is left out."""
        wide = max((len(one.unit) for one in self.placed), default=0)
        found = [f"  {one.unit:{wide}}  {one.at:5}  {one.counter}{_lacks(one)}" for one in self.placed]
        return found + list(self.lacking)


def _lacks(one: Placed) -> str:
    return f" ({'; '.join(one.lacks)})" if one.lacks else ""


def placing(state: State, module: Module, binding: Binding) -> Placing:
    """Look where every unit in play goes. Raises :class:`GameError` for a map or a line of the binding that the module
    does not have.
    """
    try:
        hexmap = binding.hexmap(layout_of(binding.map_of(module), binding.board))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    table = Table(module, binding, hexmap)
    placed: list[Placed] = []
    lacking: list[str] = []
    for unit in state.in_play():
        slot = slot_of(binding, module, unit) if has_counter(binding, unit) else None
        if said := left_out(unit, table):
            lacking.append(said)
        elif slot is None:
            lacking.append(f"{unit.name} at {unit.hex} gets no counter: the module's own map may show it")
        else:
            where = unit.hex if isinstance(unit, Planet) else unit.at
            lacks = (*_lacking(unit, slot, table), *filter(None, [sheet_lacks(unit, state, table)]))
            placed.append(Placed(unit=unit.name, at=where, counter="/".join((*slot.path, slot.name)), lacks=lacks))
    return Placing(map=binding.map, placed=tuple(placed), lacking=tuple(lacking))


def _lacking(unit: AnyUnit, slot: Slot, table: Table) -> Iterator[str]:
    if isinstance(unit, Planet):
        return
    binding = table.binding
    turns = heading_of(slot.piece, binding.facing, binding.first_facing)
    if turns is None:
        yield "it cannot show a facing"
    elif turns.is_layer and not level_for(turns, table.hexmap.sides[unit.facing]):
        yield f"it has no picture that faces {unit.facing}"
    if name_label(slot.piece, binding.label) is None:
        yield "it has no label for a name"
