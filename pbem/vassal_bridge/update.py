"""Update a VASSAL save that players already have to the present state of the game.

The game's own counters are moved, turned, labelled, added and removed. Every other piece, note and setting stays
byte for byte as it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine.state import AnyUnit, Planet, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.companion.papers import with_keys
from pbem.vassal_bridge.import_positions import Matched, carries_name, check_module, is_label, match_counters
from pbem.vassal_bridge.notes import public_notes, with_sitrep
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import (
    ID_PREFIX,
    MARKER_PREFIX,
    BoundMap,
    PlannedCounter,
    counters_of,
    left_out,
    name_label,
    piece_id,
    trackers,
)
from pbem.vassal_bridge.sheets import (
    SideKnowledge,
    about_sheet,
    is_paper,
    is_sheet,
    papers_of,
    sheets_of,
    window_boards,
)
from vassal.errors import VassalError
from vassal.write import Change, NewPiece, update

if TYPE_CHECKING:
    from vassal.module.module import Module
    from vassal.pieces.piece import Look, Piece
    from vassal.save import Save, TablePiece
    from vassal.text.leaves import BoardChoice


class Updated(NamedTuple):
    """The result of updating a save.

    Attributes:
        save: The updated save.
        binding: The binding that was used.
        changed: A line of text for each change.
        left_out: A sentence for each unit that could not be updated.
    """

    save: Save
    binding: Binding
    changed: tuple[str, ...]
    left_out: tuple[str, ...]


def update_save(
    state: State,
    save: Save,
    module: Module,
    binding: Binding | None = None,
    notes: str = "",
    own: SideKnowledge | None = None,
) -> Updated:
    """Return ``save`` with the units of ``state`` at their present positions.

    A unit's counter is found by this program's piece id, by the unit's name or by the unit's line in vassal.toml
    (:mod:`pbem.vassal_bridge.import_positions`). A unit without a counter gets one. Counters of units that are gone
    are removed if they show the unit's name. Planets and asteroids stay where the players have put them. Private
    sheets stay unchanged, too, unless they belong to the side ``own``.

    Args:
        state: The game's state.
        save: The save to update. It is not changed itself.
        module: The module of the save.
        binding: The game's binding to the module. Without it one is proposed.
        notes: Text between the marker lines of the public notes. If empty, it lists the positions.
        own: A side and its knowledge, if its private sheets are to be included.

    Raises:
        GameError: The save cannot be updated. No partial result is returned.
    """
    from vassal.dump import diff_saves

    check_module(save, module, "export")
    binding = binding or propose(state, module)
    try:
        layout = binding.map_of(module).layout(save.boards.get(binding.map) or None)
        work = _Work(state, save, BoundMap(module, binding, binding.hexmap(layout)), own)
        work.look_through()
        after = update(
            *(save, work.changes),
            add=work.new,
            remove=work.gone,
            public_notes=with_sitrep(save.public_notes, notes or public_notes(state)),
            turns=trackers(state, module),
            boards=work.boards(),
        )
        changed = [str(one) for one in diff_saves(save, after, module) if one.id is not None and not is_sheet(one.id)]
        changed += [*work.rested, *_sheets_said(save, after)]
    except VassalError as error:
        raise GameError.saying("export", str(error).removeprefix(f"{save.file}: "), file=save.file) from error
    if after.public_notes != save.public_notes:
        changed.append(f"the public notes hold the sitrep of {state.turn}.{state.impulse}")
    if after.turns != save.turns:
        changed.append(f"the impulse tracker shows {state.turn}.{state.impulse}")
    return Updated(after, binding, tuple(changed), tuple(work.left_out))


def _sheets_said(before: Save, after: Save) -> list[str]:
    """Return a line of text for each sheet that was added, changed or removed.

    The lines do not describe the content of the sheets, because the sitrep reports it.
    """
    old, new = ({piece.id: piece.piece for piece in save.pieces if is_sheet(piece.id)} for save in (before, after))
    changes = [
        (one, "is laid" if one not in old else "is removed" if one not in new else "is brought up to date")
        for one in sorted(old.keys() | new.keys())
        if old.get(one) != new.get(one)
    ]
    return [f"{about_sheet(one)} {what}" for one, what in changes]


class _Work:
    """An update in progress: it collects the changes to a save, unit by unit."""

    def __init__(self, state: State, save: Save, table: BoundMap, own: SideKnowledge | None) -> None:
        self.state = state
        self.own = own
        self.save = save
        self.table = table
        self.changes: dict[str, Change] = {}
        self.new: list[NewPiece] = []
        self.gone: list[str] = []
        self.left_out: list[str] = []
        self.rested: list[str] = []

    def look_through(self) -> None:
        """Compare every unit with the save and collect the changes that the save needs."""
        on = self.table.binding.map
        ours = {piece.id: piece for piece in self.save.pieces if piece.id.startswith(ID_PREFIX)}
        units = [unit for unit in self.state.in_play() if not isinstance(unit, Planet)]
        matched = match_counters(self.state, units, self.save.pieces, self.table.binding, self.table.module)
        wanted = set[str]()
        for unit in units:
            wanted |= self._look_at(unit, matched, ours)
        stay = {key for key in ours if _is_terrain(key, self.state) or (self.own is None and is_paper(key))}
        self._remove([piece for key, piece in ours.items() if key not in wanted and key not in stay])
        taken = {piece.id for piece in matched.found.values()}
        on_map = [piece for piece in self.save.pieces if piece.map == on]
        strangers = [piece for piece in on_map if piece.id not in taken and piece.id not in ours]
        for name in (known.name for known in self.state.units.values() if not known.in_play):
            alike = [piece for piece in strangers if carries_name(piece.piece, name)]
            self._remove(alike if len(alike) == 1 else [])
        self._renew()

    def _look_at(self, unit: AnyUnit, matched: Matched, ours: Mapping[str, TablePiece]) -> set[str]:
        """Collect the changes that one unit needs, and return the piece ids of its counters.

        ``ours`` are the counters of the save that this program made, by piece id.
        """
        if unit.name in matched.unclear:
            count = matched.unclear[unit.name]
            self.left_out.append(f"{unit.name}: {count} counters could be it, and none was changed")
            return set()
        if why := left_out(unit, self.table):
            self.left_out.append(why)
            return {piece_id(unit)}
        wanted = set[str]()
        for counter in self._counters(unit):
            wanted.add(counter.id)
            is_own = counter.id == piece_id(unit)
            self._set(counter, matched.found.get(unit.name) if is_own else ours.get(counter.id), unit)
        return wanted

    def boards(self) -> dict[str, tuple[BoardChoice, ...]]:
        """Return the boards to set in the save, by map name.

        A map needs a new board if it gets a counter and has no board, or if its board has no room for a new sheet.
        """
        found: dict[str, tuple[BoardChoice, ...]] = {}
        windows = window_boards(self.state, self.table.module)
        for new in self.new:
            on = self.table.module.map(new.map)
            present = self.save.boards.get(new.map)
            if present is None or (new.map in windows and on.layout(present).board_at(new.at) is None):
                found[new.map] = windows.get(new.map, on.usual_boards)
        return found

    def _renew(self) -> None:
        """Add a key to each label without one on all private sheets in the save.

        VASSAL cannot open a save with labels that have no key.
        """
        renewed = []
        for present in self.save.pieces:
            piece = with_keys(present.piece)
            if piece is present.piece or present.id in self.gone:
                continue
            self.changes[present.id] = replace(self.changes.get(present.id, Change()), piece=piece)
            renewed.append(about_sheet(present.id) if is_sheet(present.id) else present.piece.basic_name)
        if renewed:
            self.rested.append(
                f"VASSAL can open it again: papers of an earlier version are renewed ({', '.join(renewed)})"
            )

    def _counters(self, unit: AnyUnit) -> Iterator[PlannedCounter]:
        yield from counters_of(unit, self.table)
        yield from sheets_of(unit, self.state, self.table)
        if self.own is not None:
            yield from papers_of(unit, self.state, self.table, self.own)

    def _set(self, counter: PlannedCounter, present: TablePiece | None, unit: AnyUnit) -> None:

        name = counter.map
        if present is None:
            self.new.append(NewPiece(counter.slot, name, counter.spot, counter.look(counter.slot.piece), counter.id))
            return
        look = counter.look(present.piece)
        if present.id != counter.id:
            look = _keeping(look, present.piece, unit, self.table.binding.label)
        if present.piece.has_moved:  # a player moved it to try something out
            look = replace(look, rests=True)
            self.rested.append(f"{unit.name}: the moved mark and the trail are cleared")
        hexmap, spot = self.table.hexmap, (present.x, present.y)
        # A sheet stays where a player has moved it.
        stays = is_sheet(counter.id) or (present.map == name and hexmap.location(spot) == hexmap.location(counter.spot))
        self.changes[present.id] = Change(look) if stays else Change(look, counter.spot, name)

    def _remove(self, pieces: list[TablePiece]) -> None:
        self.gone += [piece.id for piece in pieces]


def _keeping(look: Look, piece: Piece, unit: AnyUnit, name: str) -> Look:
    """Return a look that changes at most one label, for a counter that this program did not make.

    That label is the one that shows the unit's name, or the label meant for a name if that label is empty.
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
    """Return whether a piece id is that of a planet or a terrain marker; an update does not change these."""
    if piece.startswith(MARKER_PREFIX):
        return not piece.startswith(f"{MARKER_PREFIX}turn ") and not is_sheet(piece)
    return isinstance(state.units.get(piece.removeprefix(ID_PREFIX)), Planet)
