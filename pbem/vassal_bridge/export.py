"""Export a game as a VASSAL save: a counter for every unit in play, with position and facing.

The save holds only what every player may see (:mod:`pbem.vassal_bridge.scene`). It never contains a drone's target,
arming, energy or orders. It contains no players and no passwords.

The counters of a module may show less than the game knows; those of the companion module show all public facts.
:func:`placing` reports what an export will place and what the module cannot show.
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
from pbem.vassal_bridge.scene import BoundMap, PlannedCounter, counters_of, left_out, name_label, terrain, trackers
from pbem.vassal_bridge.sheets import SideKnowledge, sheet_lacks, sheets, window_boards
from vassal.errors import InUseError, VassalError
from vassal.module.module import read_module
from vassal.text.leaves import BoardChoice
from vassal.write import SaveWriter

if TYPE_CHECKING:
    from vassal.module.module import Module, Slot
    from vassal.save import Save


def open_module(path: Path) -> Module:
    """Read a VASSAL module.

    Raises:
        GameError: The file cannot be read.
    """
    try:
        return read_module(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("module", about_file(path, error), file=str(path)) from error


class ExportedSave(NamedTuple):
    """A new save, the binding that was used, and a sentence for each unit that could not be placed."""

    save: Save
    binding: Binding
    left_out: tuple[str, ...]


def export_game(
    state: State,
    module: Module,
    binding: Binding | None = None,
    notes: str = "",
    own: SideKnowledge | None = None,
    *,
    read: bool = True,
) -> ExportedSave:
    """Return a VASSAL save of the present positions.

    If the module's map lacks the hex of a unit, the unit is left out and listed; the public notes still give its
    position.

    Args:
        state: The game's state.
        module: The module to make the save for.
        binding: The game's binding to the module. Without it one is proposed from the names of the counters.
        notes: The public notes of the save. If empty, they list the positions.
        own: A side and its knowledge. If given, the save also contains that side's private sheets and is for that
            side alone.
        read: Whether to read the new save back. This is not needed if the save is only written to a file.

    Raises:
        GameError: A unit has no counter, or the module cannot be used.
    """
    binding = binding or propose(state, module)
    try:
        binding.map_of(module)
        boards = window_boards(state, module)
        if binding.board:
            boards[binding.map] = (BoardChoice(binding.board),)
        writer = SaveWriter(module, boards)
        table = BoundMap(module, binding, binding.hexmap(writer.layout(binding.map)))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    try:
        wanted: list[PlannedCounter] = list(terrain(state, table))
    except VassalError as error:
        raise GameError.saying("export", f"terrain: {error}") from error
    # VASSAL draws earlier counters below later ones, so planets come first.
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
        return ExportedSave(
            writer.save(read=read), binding, tuple(filter(None, (left_out(unit, table) for unit in units)))
        )
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error


def write_save(save: Save, path: Path) -> None:
    """Write a save to a file; an existing file is replaced in one step.

    Raises:
        GameError: The file cannot be written; the code is ``in-use`` if another program has the old file open.
    """
    try:
        save.write(path)
    except InUseError as error:
        raise GameError.saying("in-use", about_file(path, error), file=str(path)) from error
    except (VassalError, OSError) as error:
        raise GameError.saying("export", about_file(path, error), file=str(path)) from error


def about_file(path: Path, error: Exception) -> str:
    """Return an error's text without the file name at its start; callers report the name separately."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """A unit as an export will place it: name, hex and facing, and the palette entry of its counter.

    ``lacks`` lists the facts about the unit that the module's counters cannot show.
    """

    unit: str
    at: str
    counter: str
    lacks: tuple[str, ...] = ()


class Placing(msgspec.Struct, frozen=True, kw_only=True):
    """A list of the units that an export will place on the map.

    ``lacking`` has a sentence for each unit left out.
    """

    map: str
    placed: tuple[Placed, ...]
    lacking: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """The list as lines of text.

        First come the units with their counters and the facts that these counters cannot show, then the units left out.
        """
        wide = max((len(one.unit) for one in self.placed), default=0)
        found = [f"  {one.unit:{wide}}  {one.at:5}  {one.counter}{_lacks(one)}" for one in self.placed]
        return found + list(self.lacking)


def _lacks(one: Placed) -> str:
    return f" ({'; '.join(one.lacks)})" if one.lacks else ""


def placing(state: State, module: Module, binding: Binding) -> Placing:
    """Return a list of the units that an export will place, and of facts that the module cannot show.

    Raises:
        GameError: The module lacks the map, or a counter, that the binding names.
    """
    try:
        hexmap = binding.hexmap(layout_of(binding.map_of(module), binding.board))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    table = BoundMap(module, binding, hexmap)
    placed: list[Placed] = []
    lacking: list[str] = []
    for unit in state.in_play():
        slot = slot_of(binding, module, unit) if has_counter(binding, unit) else None
        if why := left_out(unit, table):
            lacking.append(why)
        elif slot is None:
            lacking.append(f"{unit.name} at {unit.hex} gets no counter: the module's own map may show it")
        else:
            where = unit.hex if isinstance(unit, Planet) else unit.at
            lacks = (*_lacking(unit, slot, table), *filter(None, [sheet_lacks(unit, state, table)]))
            placed.append(Placed(unit=unit.name, at=where, counter="/".join((*slot.path, slot.name)), lacks=lacks))
    return Placing(map=binding.map, placed=tuple(placed), lacking=tuple(lacking))


def _lacking(unit: AnyUnit, slot: Slot, table: BoundMap) -> Iterator[str]:
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
