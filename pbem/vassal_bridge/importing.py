"""From the table back: what a VASSAL save says of positions and facings, held against the game. Nothing is
changed here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pbem.engine.state import AnyUnit, Planet, State
from pbem.errors import GameError
from pbem.rules import hexes
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.export import about_file
from pbem.vassal_bridge.heading import facing_of
from pbem.vassal_bridge.matching import check_module, match_counters
from pbem.vassal_bridge.scene import MARKER_PREFIX, piece_id
from vassal.errors import VassalError
from vassal.module.boards import OFFBOARD
from vassal.save import read_save

if TYPE_CHECKING:
    from vassal.log import StepLog
    from vassal.module.module import Module
    from vassal.save import Save


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A unit that stands elsewhere on the table: where the game has it, where the save has it, and what the
    rules say.
    """

    unit: str
    now: str
    then: str
    remarks: tuple[str, ...] = ()


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a save holds: units that moved, units as they were, units without a counter, and what could not be
    placed.
    """

    moved: tuple[Difference, ...] = ()
    unchanged: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def read_file(path: Path) -> Save:
    """Read a save, or the table on which a log begins; a fault says what is wrong with the file."""
    try:
        return read_save(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def read_steps(path: Path) -> StepLog:
    """Read a log with its steps; a save is a log of none."""
    from vassal.log import read_log

    try:
        return read_log(path)
    except (VassalError, OSError) as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def open_save(path: Path) -> Save:
    """Read a save, or the table with which a log ends."""
    save = read_file(path)
    try:
        return save.played() if save.log else save
    except VassalError as error:
        raise GameError.saying("save", about_file(path, error), file=str(path)) from error


def import_positions(state: State, save: Save, module: Module, binding: Binding) -> Found:
    """Compare the counters of a save with the units in play; matched by id, then by label, then by the bound
    counter. A save of another module raises :class:`GameError`.
    """
    check_module(save, module, "import")
    try:
        hexmap = binding.hexmap(binding.map_of(module).layout(save.boards.get(binding.map) or None))
    except VassalError as error:
        raise GameError.saying("import", str(error)) from error
    units = [unit for unit in state.in_play() if not isinstance(unit, Planet)]
    matched = match_counters(state, units, save.pieces, binding, module)
    taken = {piece_id(unit) for unit in state.in_play() if isinstance(unit, Planet)}  # nothing on the table moves one
    moved: list[Difference] = []
    unchanged: list[str] = []
    missing: list[str] = []
    faults = [f"{name}: {count} counters could be it" for name, count in sorted(matched.unclear.items())]
    unseen = [unit for unit in units if unit.name not in matched.found]
    aside = match_counters(state, unseen, save.pieces, binding, module, aside=True).found
    aside |= {name: piece for name, piece in matched.found.items() if piece.map != binding.map}
    if units and not matched.found and not matched.unclear and not aside:
        faults.append("none of its counters is a unit of this game")
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
        if len(where) != len(unit.hex) or not where.isdecimal() or not hexes.on_map(where, state.map):
            place = (
                "beside the hexes of the map"
                if where in ("", OFFBOARD)
                else f"at {where}, which is not on the game's map"
            )
            faults.append(f"{unit.name}: its counter stands {place}")
            continue
        facing = hexmap.facing_of(facing_of(piece.piece, binding.facing, binding.first_facing))
        if facing == "":
            faults.append(f"{unit.name}: its counter has no facing that is a sixth of a circle; {unit.facing} is kept")
        then = where + (facing or unit.facing)
        if then == unit.at:
            unchanged.append(unit.name)
        else:
            moved.append(Difference(unit=unit.name, now=unit.at, then=then, remarks=_remarks(state, unit, then)))
    on_map = [piece for piece in save.pieces if piece.map == binding.map]
    others = [piece for piece in on_map if piece.id not in taken and not piece.id.startswith(MARKER_PREFIX)]
    unknown = sorted(piece.name for piece in others if not piece.piece.never_stacks)
    return Found(
        moved=tuple(moved),
        unchanged=tuple(unchanged),
        missing=tuple(missing),
        unknown=tuple(unknown),
        faults=(*faults, *save.faults),
    )


def _remarks(state: State, unit: AnyUnit, then: str) -> tuple[str, ...]:
    """What the rules say of a unit standing there; it is taken only if a person says so."""
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
