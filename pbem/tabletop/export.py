"""The game on the table: a VASSAL save with a counter for every unit in play, where it stands and how it faces.

Only what every player may see goes into the file: positions, facings, names, speeds, and the parts of an SSD that are
public (D4.1): shields and internal damage. A drone's target, arming, energy and orders are never written, and no player
entry or password is invented.

A module's counters have places for more or for less of this; the companion module's have them all.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.faults import GameError
from pbem.game.state import AnyUnit, Planet, Position, Seeker, Ship, State
from pbem.rules.hexes import FACINGS
from pbem.tabletop.binding import FACING_DEGREES, Binding, has_counter, marked, propose, slot_for
from pbem.tabletop.companion.tracker import COMPANION, tracker_name, tracker_state

if TYPE_CHECKING:
    from vassal.look import Look
    from vassal.module import Module, Slot
    from vassal.pieces import Piece
    from vassal.save import Save
    from vassal.writer import SaveWriter

ID_PREFIX = "pbem-"
"""Ids of our counters: by these a save that comes back is matched, whatever its labels say by then."""

MARKER_PREFIX = ID_PREFIX + "*"
"""Ids of markers that are no units, such as a point of turn; no unit's name begins so."""

COVERED = ("cloaked", "cloaking")
"""States of a cloak in which the label of a ship says CLOAKED."""

STATUS, CLOAK = "Status", "Cloak"
"""The label for speed and CLOAKED, and the layer of a ship under cloak, where a counter has them."""


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
    from vassal.leaves import BoardChoice
    from vassal.writer import SaveWriter

    binding = binding or propose(state, module)
    left_out = []
    try:
        boards = {binding.map: (BoardChoice(binding.board),)} if binding.board else None
        writer = SaveWriter(module, boards)
        layout = writer.layout(binding.map)
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    try:
        _add_terrain(writer, state, binding)
    except VassalError as error:
        raise GameError.saying("export", f"terrain: {error}") from error
    # VASSAL draws what comes first lowest: planets lie below what is in their hex.
    for unit in sorted(state.in_play(), key=lambda unit: not isinstance(unit, Planet)):
        if not has_counter(binding, unit):
            continue
        slot = slot_for(binding, module, unit)
        try:
            spot = layout.pixel(unit.hex)
        except VassalError:
            left_out.append(f"{unit.name} at {unit.at} is left out: the map {binding.map!r} has no hex {unit.hex}")
            continue
        try:
            _add_point_of_turn(writer, unit, binding)
            writer.add(slot, binding.map, at=spot, look=_look(slot.piece, unit), piece_id=piece_id(unit))
        except VassalError as error:
            raise GameError.saying("export", f"{unit.name} at {unit.at}: {error}") from error
    name = tracker_name(state.impulses)
    if module.name == COMPANION and name in module.turn_trackers:
        writer.turns[f"TurnTracker{module.turn_trackers.index(name)}"] = tracker_state(state)
    writer.public_notes = public_notes(state)
    writer.description = f"{state.game} {state.turn}.{state.impulse}"
    try:
        return Exported(writer.save(), binding, tuple(left_out))
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error


def _add_terrain(writer: SaveWriter, state: State, binding: Binding) -> None:
    """Asteroids (P3.0), and the further hexes of a planet that fills several (P2.0), where the module has counters
    for them.
    """
    further = [hex_ for unit in state.in_play() if isinstance(unit, Planet) for hex_ in unit.hexes if hex_ != unit.hex]
    for kind, places in (("asteroids", state.asteroids), ("planet", tuple(further))):
        slot = marked(writer.module, {"Unit": kind}) if places else None
        if slot is None:
            continue
        for hex_ in places:
            writer.add(slot, binding.map, location=hex_, piece_id=f"{MARKER_PREFIX}{kind} {hex_}")


def point_of_turn(unit: AnyUnit) -> Position | None:
    """Where a ship turned last, and to which facing, as far as this turn's track tells (C3.1)."""
    if not isinstance(unit, Ship):
        return None
    for before, after in zip(reversed(unit.track[:-1]), reversed(unit.track), strict=False):
        if before.facing != after.facing and before.hex != after.hex:
            return Position(after.moment, before.hex, after.facing)
    return None


def _add_point_of_turn(writer: SaveWriter, unit: AnyUnit, binding: Binding) -> None:
    from vassal.look import Look

    turned = point_of_turn(unit)
    slot = None if turned is None else _turn_marker(writer.module, unit)
    if turned is None or slot is None:
        return
    look = Look(degrees=FACINGS.index(turned.facing) * FACING_DEGREES, label=unit.name)
    writer.add(slot, binding.map, location=turned.hex, look=look, piece_id=f"{MARKER_PREFIX}turn {unit.name}")


def _turn_marker(module: Module, unit: AnyUnit) -> Slot | None:
    return marked(module, {"Unit": "point of turn", "Race": unit.race})


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
    """Facing, labels, sheet and cloak as far as the counter has them: its first rotator that knows sixths of a circle,
    its first label, and the label, the fields and the layer of the names that the companion module gives them.
    """
    from vassal.look import Look

    degrees = FACINGS.index(unit.facing) * FACING_DEGREES
    turns = next((r for r in piece.rotators if r.facings == 1 or degrees * r.facings % 360 == 0), None)
    status = {} if isinstance(unit, Planet) else {STATUS: _status(unit)}
    labels = {name: text for name, text in status.items() if any(label.property_name == name for label in piece.labels)}
    cloak = any(layer.name == CLOAK for layer in piece.layers)
    return Look(
        degrees=None if turns is None else degrees,
        rotator=turns.name if turns is not None else None,
        label=(unit.name if labels else _label(unit)) if piece.labels else None,
        labels=labels,
        layers={CLOAK: 1 if unit.cloak in COVERED else -1} if cloak and isinstance(unit, Ship) else {},
        properties=_sheet(piece, unit),
    )


def _label(unit: AnyUnit) -> str:
    return unit.name if isinstance(unit, Seeker | Planet) else f"{unit.name} {_status(unit)}"


def _status(unit: AnyUnit) -> str:
    """Speed; the counter of a cloaked ship stays on the map, and its label says so (G13.1)."""
    return f"{unit.speed}{' CLOAKED' if isinstance(unit, Ship) and unit.cloak in COVERED else ''}"


def _sheet(piece: Piece, unit: AnyUnit) -> dict[str, str]:
    """What of a ship's SSD a counter's property sheet has fields for."""
    from vassal.sheets import PropertySheet

    if not isinstance(unit, Ship):
        return {}
    known = {f"Shield {number}": str(left) for number, left in enumerate(unit.shields, start=1)}
    known["Internals"] = str(unit.internals)
    fields = {name for sheet in piece.all(PropertySheet) for name in sheet.names}
    return {name: value for name, value in known.items() if name in fields}


def about_file(path: Path, error: Exception) -> str:
    """A fault's sentence without the file's name in front: that has a place of its own."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error).removeprefix(f"{path}: ").removeprefix(f"{path.name}: ")
