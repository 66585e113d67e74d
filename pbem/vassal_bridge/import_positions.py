"""Read positions and facings from a VASSAL save and compare them with the game.

A counter is matched to a unit by this program's piece id, by a name in a label, by its own name or by a marker. If
none of these matches, the counter must be the only counter of the kind that vassal.toml names. This module changes
nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pbem.engine.state import AnyUnit, Planet, State
from pbem.errors import GameError
from pbem.rules import hexes
from pbem.vassal_bridge.binding import Binding, counter_key, facing_of, kind_key
from pbem.vassal_bridge.export import about_file
from pbem.vassal_bridge.scene import COVERED_WORD, ID_PREFIX, MARKER_PREFIX, piece_id
from vassal.errors import VassalError
from vassal.module.boards import OFFBOARD
from vassal.pieces.traits import DynamicProperty, Marker
from vassal.save import read_save

if TYPE_CHECKING:
    from vassal.log import StepLog
    from vassal.module.module import Module
    from vassal.pieces.piece import Piece
    from vassal.save import Save, TablePiece


def check_module(save: Save, module: Module, code: str) -> None:
    """Check that a save was made with this module.

    Raises:
        GameError: The save was made with another module; the error has the given ``code``.
    """
    if save.module.module not in ("", module.name):
        text = f"name the module of this save: it is {save.module.module!r}, not {module.name!r}"
        raise GameError.saying(code, text, file=save.file)


class Matched(NamedTuple):
    """The result of matching counters with units.

    ``found`` are the counters by unit name. ``unclear`` has the units that several counters could belong to, each with
    the number of these counters.
    """

    found: dict[str, TablePiece]
    unclear: dict[str, int]


def match_counters(
    state: State,
    units: Iterable[AnyUnit],
    pieces: Iterable[TablePiece],
    binding: Binding,
    module: Module,
    *,
    aside: bool = False,
) -> Matched:
    """Return the counter of each unit in a save.

    A counter with this program's piece id is found on any map. Other counters are found only on the game's map or, with
    ``aside``, only on the other maps. Certain matches are made before guesses, for all units at once. A counter that
    has the name of another unit of the game is never used as a guess, even if that unit is gone.
    """
    units = list(units)
    found: dict[str, TablePiece] = {}
    unclear: dict[str, int] = {}
    pieces = list(pieces)
    by_id = {piece.id: piece for piece in pieces}
    for unit in units:
        if (piece := by_id.get(piece_id(unit))) is not None:
            found[unit.name] = piece
    strangers = [
        piece for piece in pieces if not piece.id.startswith(ID_PREFIX) and (piece.map == binding.map) != aside
    ]
    for carries in (_labelled, _called):
        _by_name(units, strangers, carries, found, unclear)
    taken = {piece.id for piece in found.values()}
    free = [piece for piece in strangers if piece.id not in taken]
    bound = {
        unit.name: _bound_to(unit, binding, module)
        for unit in units
        if unit.name not in found and unit.name not in unclear
    }
    return Matched(found | _by_kind(bound, free, state), unclear)


def _by_kind(bound: Mapping[str, Sequence[str]], pieces: Sequence[TablePiece], state: State) -> dict[str, TablePiece]:
    """Return the counters of units that are the only ones of their kind, by unit name.

    ``bound`` has the palette entries of each unit (:func:`_bound_to`). A counter that has the name of another unit of
    the game is left out.
    """
    counts = Counter(key for keys in bound.values() for key in keys)
    found = {}
    for name, keys in bound.items():
        alike = [
            piece
            for piece in pieces
            if {piece.gpid, piece.piece.basic_name} & {*keys}
            and not any(carries_name(piece.piece, other) for other in state.units if other != name)
        ]
        if len(alike) == 1 and all(counts[key] == 1 for key in keys):
            found[name] = alike[0]
    return found


def carries_name(piece: Piece, name: str) -> bool:
    """Return whether a counter shows the name of a unit in its labels, its own name or its properties."""
    return _labelled(piece, name) or _called(piece, name)


def is_label(text: str, name: str) -> bool:
    """Return whether a label text is the name of a unit, alone or followed by a speed and CLOAKED."""
    text, name = text.casefold().strip(), name.casefold()
    rest = text.removeprefix(name)
    return (
        text.startswith(name)
        and all(word.isdecimal() or word == COVERED_WORD.casefold() for word in rest.split())
        and (not rest or rest[0] == " ")
    )


def _by_name(
    units: Sequence[AnyUnit],
    strangers: Sequence[TablePiece],
    carries: Callable[[Piece, str], bool],
    found: dict[str, TablePiece],
    unclear: dict[str, int],
) -> None:
    taken = {piece.id for piece in found.values()}
    for unit in units:
        if unit.name in found or unit.name in unclear:
            continue
        alike = [piece for piece in strangers if piece.id not in taken and carries(piece.piece, unit.name)]
        if len(alike) == 1:
            found[unit.name] = alike[0]
        elif alike:
            unclear[unit.name] = len(alike)


def _labelled(piece: Piece, name: str) -> bool:
    labels = piece.labels
    known = piece.known if any("$" in label.text or label.is_expression for label in labels) else {}
    return any(is_label(text, name) for label in labels for text in {label.text, label.shown(known)})


def _called(piece: Piece, name: str) -> bool:
    """Return whether a counter's own name, a marker or a dynamic property is the name of the unit."""
    wanted = name.casefold()
    if wanted in (piece.basic_name.casefold(), piece.name.casefold().split(" (")[0]):
        return True
    values = [value for marker in piece.all(Marker) for value in marker.values.values()]
    values += [one.value for one in piece.all(DynamicProperty)]
    return any(is_label(value, name) for value in values)


def _bound_to(unit: AnyUnit, binding: Binding, module: Module) -> tuple[str, ...]:
    """Return the palette entry that vassal.toml gives for a unit, as gpid (or name if it has no gpid).

    The result is empty if vassal.toml has no line for the unit.
    """
    keys = (unit.name, kind_key(unit), counter_key(unit))
    line = next((binding.counters[key] for key in keys if key in binding.counters), "")
    try:
        slot = module.slot(line) if line else None
    except VassalError:
        return (line,)
    return () if slot is None else (slot.gpid or slot.name,)


class MovedUnit(msgspec.Struct, frozen=True, kw_only=True):
    """A unit whose position in a save differs from its position in the game.

    ``now`` is the position in the game, and ``then`` the position in the save. ``remarks`` say which rules the move
    breaks.
    """

    unit: str
    now: str
    then: str
    remarks: tuple[str, ...] = ()


class ImportedPositions(msgspec.Struct, frozen=True, kw_only=True):
    """The result of comparing a save with a game.

    Attributes:
        moved: The units whose position differs.
        unchanged: The names of the units whose position is the same.
        missing: The names of the units that have no counter in the save.
        unknown: The names of the counters that belong to no unit.
        faults: A sentence for each counter that could not be placed.
    """

    moved: tuple[MovedUnit, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def read_file(path: Path) -> Save:
    """Read a save, or the start of a log.

    Raises:
        GameError: The file cannot be read.
    """
    try:
        return read_save(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def read_steps(path: Path) -> StepLog:
    """Read a log with its steps; a save is read as a log without steps.

    Raises:
        GameError: The file cannot be read.
    """
    from vassal.log import read_log

    try:
        return read_log(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def open_save(path: Path) -> Save:
    """Read a save, or a log as the save of the position after its last step.

    Raises:
        GameError: The file cannot be read.
    """
    save = read_file(path)
    try:
        return save.played() if save.log else save
    except VassalError as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def import_positions(state: State, save: Save, module: Module, binding: Binding) -> ImportedPositions:
    """Compare the counters of a save with the units in play, and return the differences.

    Nothing is changed.

    Raises:
        GameError: The save was made with another module.
    """
    check_module(save, module, "import")
    try:
        hexmap = binding.hexmap(binding.map_of(module).layout(save.boards.get(binding.map) or None))
    except VassalError as error:
        raise GameError.saying("import", str(error)) from error
    units = [unit for unit in state.in_play() if not isinstance(unit, Planet)]
    matched = match_counters(state, units, save.pieces, binding, module)
    taken = {piece_id(unit) for unit in state.in_play() if isinstance(unit, Planet)}  # a save cannot move a planet
    moved: list[MovedUnit] = []
    unchanged: list[str] = []
    missing: list[str] = []
    faults = [f"{name}: {count} counters could be it" for name, count in sorted(matched.unclear.items())]
    unseen = [unit for unit in units if unit.name not in matched.found]
    aside = match_counters(state, unseen, save.pieces, binding, module, aside=True).found
    aside |= {name: piece for name, piece in matched.found.items() if piece.map != binding.map}
    if units and not matched.found and not matched.unclear and not aside:
        faults.append("no counter in it is a unit of this game")
    for unit in units:
        piece = matched.found.get(unit.name)
        if unit.name in aside:
            where = f"on the map {other!r}" if (other := aside[unit.name].map) else "off the map"
            faults.append(f"{unit.name}: its counter is {where}, not on {binding.map!r}")
            continue
        if piece is None:
            missing.append(unit.name)
            continue
        taken.add(piece.id)
        where = hexmap.location((piece.x, piece.y))
        if not _is_hex(where, unit, state):
            beside = where in ("", OFFBOARD)
            place = "beside the hexes of the map" if beside else f"at {where}, which is not on the game's map"
            faults.append(f"{unit.name}: its counter is {place}")
            continue
        facing = hexmap.facing_of(facing_of(piece.piece, binding.facing, binding.first_facing))
        if facing == "":
            faults.append(f"{unit.name}: its counter has no facing that is a sixth of a circle; {unit.facing} is kept")
        then = where + (facing or unit.facing)
        if then == unit.at:
            unchanged.append(unit.name)
        else:
            moved.append(MovedUnit(unit=unit.name, now=unit.at, then=then, remarks=_remarks(state, unit, then)))
    return ImportedPositions(
        moved=tuple(moved),
        unchanged=tuple(unchanged),
        missing=tuple(missing),
        unknown=tuple(_unknown(save, binding, taken)),
        faults=(*faults, *save.faults),
    )


def _is_hex(where: str, unit: AnyUnit, state: State) -> bool:
    """Return whether a location of a counter is a hex of the game's map."""
    return len(where) == len(unit.hex) and where.isdecimal() and hexes.on_map(where, state.map)


def _unknown(save: Save, binding: Binding, taken: Collection[str]) -> list[str]:
    """Return the names of the counters on the game's map that belong to no unit, sorted.

    ``taken`` has the piece ids of the counters that belong to units.
    """
    on_map = [piece for piece in save.pieces if piece.map == binding.map]
    others = [piece for piece in on_map if piece.id not in taken and not piece.id.startswith(MARKER_PREFIX)]
    return sorted(piece.name for piece in others if not piece.piece.never_stacks)


def _remarks(state: State, unit: AnyUnit, then: str) -> tuple[str, ...]:
    """Return remarks on the rules that a move of a unit to ``then`` would break, for a person to judge."""
    gap = hexes.distance(unit.hex, then[:4], state.grid)
    turned = hexes.relative(unit.facing, then[4:])
    remarks = []
    if gap > 1:
        remarks.append(f"{gap} hexes from where it is; a unit moves one hex an impulse (C1.1)")
    if gap == 0 and turned:
        remarks.append("turned without moving (C3.1)")
    elif min(turned, 6 - turned) > 1:
        remarks.append(f"turned {min(turned, 6 - turned) * 60} degrees (C3.1)")
    return tuple(remarks)
