"""How players moved their counters: from one save to another, or step by step in a log of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.engine.state import Commanded, State
from pbem.errors import GameError
from pbem.rules import hexes
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.heading import facing_of
from pbem.vassal_bridge.matching import check_module, match_counters
from pbem.vassal_bridge.plotting import Stop, Way
from vassal.errors import VassalError
from vassal.table import Table
from vassal.text import leaves

if TYPE_CHECKING:
    from vassal.log import StepLog
    from vassal.module.module import Module
    from vassal.pieces.pieces import Piece
    from vassal.save import Save, TablePiece


def ways_to(state: State, after: Save, module: Module, binding: Binding, before: Save | None = None) -> dict[str, Way]:
    """The way of every unit that has orders of its own, from where it stands in ``before`` (or in the game) to where
    it stands in ``after``. Units without a counter have none.
    """
    ends = _places(state, after, module, binding)
    begins = _places(state, before, module, binding) if before is not None else {}
    found = {}
    for name, end in ends.items():
        start = begins.get(name, state.units[name].at)
        stops = (Stop(end[:4], (end[4:],)),) if end != start else ()
        found[name] = Way(start, stops)
    return found


def ways_in_log(state: State, log: StepLog, module: Module, binding: Binding) -> dict[str, Way]:
    """The way of every unit that has orders of its own, hex by hex, as the steps of a log move its counter.

    Steps that were taken back are no part of it.
    """
    check_module(log.start, module, "import")
    place = _Places(log.start, module, binding, state)
    counters = {name: piece.id for name, piece in _counters(state, log.start, module, binding).items()}
    starts = _places(state, log.start, module, binding)
    table = Table()
    table.run(log.start.tree)
    seen: dict[str, list[Stop]] = {name: [Stop(start[:4], (start[4:],))] for name, start in starts.items()}
    taking_back = False
    for command in (command for step in log.steps for command in step.commands):
        if isinstance(command, leaves.Unknown) and command.text.startswith("UNDO\t"):
            taking_back = command.text == "UNDO\ttrue"
            continue
        table.run_one(command)
        if not isinstance(command, leaves.MovePiece | leaves.ChangePiece):
            continue
        for name, stops in seen.items():
            counter = table.counters.get(counters[name])
            if counter is None or counter.map != binding.map:
                continue
            where = place.of((counter.x, counter.y), counter.piece)
            _see(stops, where, taking_back=taking_back)
    return {
        name: Way(starts[name], tuple(stops[1:]) or _turned(stops[0], starts[name])) for name, stops in seen.items()
    }


def _see(stops: list[Stop], where: str, *, taking_back: bool) -> None:
    """Note where a counter is now. What is taken back leads to the hex before."""
    hex_, facing = where[:4], where[4:]
    if not hex_ or not facing:
        return
    if taking_back and len(stops) > 1 and stops[-2].hex == hex_:
        stops.pop()
    last = stops[-1]
    if last.hex != hex_:
        stops.append(Stop(hex_, (facing,)))
    elif last.facings[-1] != facing:
        stops[-1] = Stop(hex_, (*last.facings, facing))


def _turned(here: Stop, start: str) -> tuple[Stop, ...]:
    """A counter that was only turned has been seen in its own hex."""
    return (here,) if here.facings[-1] != start[4:] else ()


def _places(state: State, save: Save, module: Module, binding: Binding) -> dict[str, str]:
    """Hex and facing of each unit's counter; a counter without a facing has the unit's."""
    check_module(save, module, "import")
    place = _Places(save, module, binding, state)
    found = {}
    for name, piece in _counters(state, save, module, binding).items():
        where = place.of((piece.x, piece.y), piece.piece)
        if where:
            found[name] = where if len(where) > 4 else where + state.units[name].facing
    return found


def _counters(state: State, save: Save, module: Module, binding: Binding) -> dict[str, TablePiece]:
    """The counter on the map of each unit that has orders of its own."""
    units = [unit for unit in state.in_play() if isinstance(unit, Commanded)]
    found = match_counters(state, units, save.pieces, binding, module).found
    return {name: piece for name, piece in found.items() if piece.map == binding.map}


class _Places:
    """Where counters of a save stand, as the game has it."""

    def __init__(self, save: Save, module: Module, binding: Binding, state: State) -> None:
        self.state, self.binding = state, binding
        try:
            layout = binding.map_of(module).layout(save.boards.get(binding.map) or None)
        except VassalError as error:
            raise GameError.saying("import", str(error), file=save.file) from error
        self.hexmap = binding.hexmap(layout)

    def of(self, at: tuple[int, int], piece: Piece) -> str:
        """Hex and facing, nothing for a place off the game's map."""
        hex_ = self.hexmap.location(at)
        if len(hex_) != 4 or not hex_.isdecimal() or not hexes.on_map(hex_, self.state.map):
            return ""
        return hex_ + self.hexmap.facing_of(facing_of(piece, self.binding.facing, self.binding.first_facing))
