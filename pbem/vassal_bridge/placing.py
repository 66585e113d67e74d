"""What an export will place and what it lacks: said before anything is written, and again when it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from pbem.engine.state import AnyUnit, Planet, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import Binding, has_counter, slot_of
from pbem.vassal_bridge.heading import heading_of, level_for
from pbem.vassal_bridge.hexmap import layout_of
from pbem.vassal_bridge.scene import Table, left_out, name_label
from pbem.vassal_bridge.sheets import sheet_lacks
from vassal.errors import VassalError

if TYPE_CHECKING:
    from vassal.module.module import Module, Slot


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
