"""The game brought into a save that players already have: its own counters are moved, turned, labelled, added and
removed; every other piece, note and setting stays byte for byte.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbem.faults import GameError
from pbem.game.state import AnyUnit, Planet, State
from pbem.tabletop.binding import Binding
from pbem.tabletop.matching import carries_name, check_module, is_label, match_counters
from pbem.tabletop.notes import public_notes, with_sitrep
from pbem.tabletop.proposing import propose
from pbem.tabletop.scene import (
    ID_PREFIX,
    MARKER_PREFIX,
    Counter,
    Table,
    counters_of,
    left_out,
    name_label,
    piece_id,
    trackers,
)
from vassal.errors import VassalError

if TYPE_CHECKING:
    from vassal.look import Look
    from vassal.module import Module
    from vassal.pieces import Piece
    from vassal.save import Save, TablePiece
    from vassal.updating import Change, NewPiece


class Updated(NamedTuple):
    """The save with the game in it, what was changed, in words, and what could not be."""

    save: Save
    binding: Binding
    changed: tuple[str, ...]
    left_out: tuple[str, ...]


def update_save(state: State, save: Save, module: Module, binding: Binding | None = None, notes: str = "") -> Updated:
    """``save`` with the units of ``state`` where they are now.

    A unit's counter is found by our id, by its name or by its line in vassal.toml (:mod:`pbem.tabletop.matching`); one
    that has none yet gets one. Counters of units that are gone are removed if they carry the unit's name. Planets and
    asteroids are left as the players have them. ``notes`` (or the positions) go between their two lines in the public
    notes. Raises :class:`GameError`; then nothing is half done.
    """
    from vassal.comparing import diff_saves
    from vassal.updating import update

    check_module(save, module, "export")
    binding = binding or propose(state, module)
    try:
        layout = module.map(binding.map).layout(save.boards.get(binding.map) or None)
        work = _Work(state, save, Table(module, binding, binding.hexmap(layout)))
        work.look_through()
        after = update(
            *(save, work.changes),
            add=work.new,
            remove=work.gone,
            public_notes=with_sitrep(save.public_notes, notes or public_notes(state)),
            turns=trackers(state, module),
        )
        said = [str(one) for one in diff_saves(save, after, module) if one.id is not None]
        said += work.rested
    except VassalError as error:
        raise GameError.saying("export", str(error).removeprefix(f"{save.file}: "), file=save.file) from error
    if after.public_notes != save.public_notes:
        said.append(f"the public notes hold the sitrep of {state.turn}.{state.impulse}")
    if after.turns != save.turns:
        said.append(f"the impulse tracker shows {state.turn}.{state.impulse}")
    return Updated(after, binding, tuple(said), tuple(work.left_out))


class _Work:
    """What an update will do, found unit by unit."""

    def __init__(self, state: State, save: Save, table: Table) -> None:
        self.state = state
        self.save = save
        self.table = table
        self.changes: dict[str, Change] = {}
        self.new: list[NewPiece] = []
        self.gone: list[str] = []
        self.left_out: list[str] = []
        self.rested: list[str] = []

    def look_through(self) -> None:
        """Compare every unit with the table."""
        on = self.table.binding.map
        ours = {piece.id: piece for piece in self.save.pieces if piece.id.startswith(ID_PREFIX)}
        units = [unit for unit in self.state.in_play() if not isinstance(unit, Planet)]
        matched = match_counters(self.state, units, self.save.pieces, self.table.binding, self.table.module)
        wanted: set[str] = set()
        for unit in units:
            if unit.name in matched.unclear:
                count = matched.unclear[unit.name]
                self.left_out.append(f"{unit.name}: {count} counters could be it, and none was changed")
                continue
            if said := left_out(unit, self.table):
                self.left_out.append(said)
                wanted.add(piece_id(unit))
                continue
            for counter in counters_of(unit, self.table):
                wanted.add(counter.id)
                present = ours.get(counter.id)
                if counter.id == piece_id(unit):
                    present = matched.found.get(unit.name)
                self._set(counter, present, unit)
        self._remove([piece for key, piece in ours.items() if key not in wanted and not _is_terrain(key, self.state)])
        taken = {piece.id for piece in matched.found.values()}
        on_map = [piece for piece in self.save.pieces if piece.map == on]
        strangers = [piece for piece in on_map if piece.id not in taken and piece.id not in ours]
        for name in (known.name for known in self.state.units.values() if not known.in_play):
            alike = [piece for piece in strangers if carries_name(piece.piece, name)]
            self._remove(alike if len(alike) == 1 else [])

    def _set(self, counter: Counter, present: TablePiece | None, unit: AnyUnit) -> None:
        from vassal.updating import Change, NewPiece

        name = self.table.binding.map
        if present is None:
            self.new.append(NewPiece(counter.slot, name, counter.spot, counter.look(counter.slot.piece), counter.id))
            return
        look = counter.look(present.piece)
        if present.id != counter.id:
            look = _keeping(look, present.piece, unit, self.table.binding.label)
        if present.piece.has_moved:  # what was tried out with it is over
            look = replace(look, rests=True)
            self.rested.append(f"{unit.name}: the moved mark and the trail are cleared")
        hexmap, here = self.table.hexmap, (present.x, present.y)
        stays = present.map == name and hexmap.location(here) == hexmap.location(counter.spot)
        self.changes[present.id] = Change(look) if stays else Change(look, counter.spot, name)

    def _remove(self, pieces: list[TablePiece]) -> None:
        self.gone += [piece.id for piece in pieces]


def _keeping(look: Look, piece: Piece, unit: AnyUnit, name: str) -> Look:
    """A look for a counter that is not of our making: of its labels only the one that holds the unit's name is
    written, or the one for a name where that is empty.
    """
    usual = name_label(piece, name)
    if usual is None or usual.property_name not in look.labels:
        return look
    text = look.labels[usual.property_name]
    own = next((label for label in piece.labels if is_label(label.text, unit.name)), None)
    if own is None and not usual.text.strip():
        return look
    labels = {key: value for key, value in look.labels.items() if key != usual.property_name}
    return replace(look, labels=labels if own is None else {**labels, own.property_name: text})


def _is_terrain(piece: str, state: State) -> bool:
    """Whether one of our ids is that of a planet or a marker of terrain, which stay."""
    if piece.startswith(MARKER_PREFIX):
        return not piece.startswith(f"{MARKER_PREFIX}turn ")
    return isinstance(state.units.get(piece.removeprefix(ID_PREFIX)), Planet)
