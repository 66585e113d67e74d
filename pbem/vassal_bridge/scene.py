"""Determine the counters that a game needs on a VASSAL map: which ones, where, and how they look.

New saves, updated saves and replay logs all use this module. It uses only what every player may see of a unit:
position, facing, name, speed, and the public parts of an SSD (D4.1), which are shields and internal damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pbem.data.terms import CloakState
from pbem.engine import events as ev
from pbem.engine.log import fold
from pbem.engine.state import AnyUnit, Planet, Position, Seeker, Ship, State
from pbem.rules.hexes import FACINGS
from pbem.vassal_bridge.binding import SIXTH, Binding, has_counter, heading_of, level_for, marked, slot_of
from pbem.vassal_bridge.companion.papers import race_of, with_window_of
from pbem.vassal_bridge.companion.ssd import COMPANION, tracker_name, tracker_state
from vassal.errors import VassalError
from vassal.pieces.piece import Look
from vassal.pieces.traits import DynamicProperty, PropertySheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pbem.vassal_bridge.hexmap import HexMap
    from vassal.module.grids import Point
    from vassal.module.module import Module, Slot
    from vassal.pieces.piece import Look, Piece
    from vassal.pieces.traits import Label

ID_PREFIX = "pbem-"
"""Prefix of the piece ids of our counters.

A save that comes back is matched by these ids, whatever its labels say.
"""

MARKER_PREFIX = ID_PREFIX + "*"
"""Prefix of the piece ids of markers that are not units, such as a point of turn. No unit's name begins with it."""

COVERED, COVERED_WORD = (CloakState.CLOAKED, CloakState.CLOAKING), "CLOAKED"
"""The cloak states in which the label of a ship says CLOAKED, and that word."""

STATUS, CLOAK = "Status", "Cloak"
"""Names that a module may use for two traits: the label for speed and CLOAKED, and the layer of a cloaked ship."""


def piece_id(unit: AnyUnit) -> str:
    """Return the piece id of a unit's counter."""
    return ID_PREFIX + unit.name


def turn_marker_id(name: str) -> str:
    """Return the piece id of the point-of-turn marker for the unit of that name."""
    return f"{MARKER_PREFIX}turn {name}"


class PlannedCounter(NamedTuple):
    """A counter to be placed on a VASSAL map.

    Attributes:
        id: The piece id.
        slot: The palette entry.
        spot: The position in pixels.
        look: A function from a piece to the :class:`~vassal.pieces.piece.Look` that the piece gets.
        about: The name of the counter in error messages.
        map: The map window.
    """

    id: str
    slot: Slot
    spot: Point
    look: Callable[[Piece], Look]
    about: str
    map: str


class BoundMap(NamedTuple):
    """A VASSAL module, the game's binding to it, and the map with its boards in place."""

    module: Module
    binding: Binding
    hexmap: HexMap


def public_state(records: Iterable[ev.Record]) -> State:
    """Return the game state as a spectator knows it; files for everybody may contain nothing else."""
    return fold(event for record in records if (event := ev.seen_by(record, "")) is not None)


def terrain(state: State, table: BoundMap) -> Iterator[PlannedCounter]:
    """Yield markers for asteroids (P3.0) and for all hexes of a planet but the first (P2.0).

    Terrain for which the module has no counter gets no marker.

    Raises:
        VassalError: The map does not have one of the hexes.
    """
    further = [hex_ for unit in state.in_play() if isinstance(unit, Planet) for hex_ in unit.hexes if hex_ != unit.hex]
    for kind, places in (("asteroids", state.asteroids), ("planet", tuple(further))):
        slot = terrain_slot(table, kind) if places else None
        if slot is None:
            continue
        for hex_ in places:
            name = f"{MARKER_PREFIX}{kind} {hex_}"
            yield PlannedCounter(name, slot, table.hexmap.pixel(hex_), lambda _: Look(), kind, table.binding.map)


def terrain_slot(table: BoundMap, kind: str) -> Slot | None:
    """Return the palette entry of the counter for a hex of terrain, or ``None`` if there is none.

    This is the entry that vassal.toml names for the terrain, or else the entry that the module marks for it. ``kind``
    is ``planet`` or ``asteroids``.

    Raises:
        VassalError: The line of vassal.toml names no palette entry.
    """
    line = table.binding.counters.get(kind)
    return table.module.slot(line) if line else marked(table.module, {"Unit": kind})


def counters_of(unit: AnyUnit, table: BoundMap) -> list[PlannedCounter]:
    """Return a unit's counter and, if the unit turned this turn, its point-of-turn marker.

    The list is empty for a unit without a counter, and for a unit in a hex that the map does not have.

    Raises:
        GameError: A line of the binding names a counter that does not exist.
    """
    slot = slot_of(table.binding, table.module, unit) if has_counter(table.binding, unit) else None
    if slot is None:
        return []
    if isinstance(unit, Ship):  # a freighter's sheet is in the window of its side
        slot = replace(slot, piece=with_window_of(slot.piece, race_of(unit)))
    try:
        spot = table.hexmap.pixel(unit.hex)
    except VassalError:
        return []
    about, on = f"{unit.name} at {unit.at}", table.binding.map
    own = PlannedCounter(piece_id(unit), slot, spot, partial(look_of, unit=unit, table=table), about, on)
    return [*_turn_marker(unit, table), own]


def left_out(unit: AnyUnit, table: BoundMap) -> str:
    """Return a sentence that says why a unit gets no counter on the map; empty if it gets one."""
    if not has_counter(table.binding, unit):
        return ""
    if slot_of(table.binding, table.module, unit) is None:
        return f"{unit.name} at {unit.at} is left out: no counter stands for it; add a line for it to vassal.toml"
    try:
        table.hexmap.pixel(unit.hex)
    except VassalError:
        return f"{unit.name} at {unit.at} is left out: the map {table.binding.map!r} has no hex {unit.hex}"
    return ""


def _turn_marker(unit: AnyUnit, table: BoundMap) -> Iterator[PlannedCounter]:
    turned = point_of_turn(unit)
    slot = None if turned is None else marked(table.module, {"Unit": "point of turn", "Race": unit.race})
    if turned is None or slot is None:
        return
    side = table.hexmap.sides[turned.facing]
    look = Look(degrees=FACINGS.index(side) * SIXTH, label=unit.name)
    try:
        spot = table.hexmap.pixel(turned.hex)
    except VassalError:
        return
    about = f"the point of turn of {unit.name}"
    yield PlannedCounter(turn_marker_id(unit.name), slot, spot, lambda _: look, about, table.binding.map)


def trackers(state: State, module: Module) -> dict[str, str]:
    """Return the state of the module's impulse tracker for this moment of the game, by the tracker's id.

    The dict is empty unless the module is the companion module.
    """
    name = tracker_name(state.impulses)
    if module.name != COMPANION or name not in module.turn_trackers:
        return {}
    return {f"TurnTracker{module.turn_trackers.index(name)}": tracker_state(state)}


def point_of_turn(unit: AnyUnit) -> Position | None:
    """Return the hex and facing of a ship's last turn on the map in this game turn (C3.1), or ``None``."""
    if not isinstance(unit, Ship):
        return None
    for before, after in zip(reversed(unit.track[:-1]), reversed(unit.track), strict=False):
        if before.facing != after.facing and before.hex != after.hex:
            return Position(after.moment, before.hex, after.facing)
    return None


def look_of(piece: Piece, unit: AnyUnit, table: BoundMap | None = None) -> Look:
    """Return the look of a unit's counter: facing, labels, property sheet and cloak.

    The look sets only properties for which the counter has traits (features). The facing is set in the trait that
    shows it, and the name in its label. Speed, cloak and sheet use the label, layer and field names of the companion
    module.
    """
    binding = Binding(map="") if table is None else table.binding
    side = unit.facing if table is None else table.hexmap.sides[unit.facing]
    turns = heading_of(piece, binding.facing, binding.first_facing)
    level = level_for(turns, side) if turns is not None else 0
    layers = {turns.name: level} if turns is not None and level else {}
    if isinstance(unit, Ship) and any(layer.name == CLOAK for layer in piece.layers):
        layers[CLOAK] = 1 if unit.cloaking.state in COVERED else -1
    is_turned = turns is not None and not turns.is_layer
    labels, properties = _named(piece, unit, binding.label)
    return Look(
        degrees=FACINGS.index(side) * SIXTH if is_turned else None,
        rotator=turns.name if turns is not None and is_turned else None,
        labels=labels,
        layers=layers,
        properties={**properties, **_sheet(piece, unit)},
    )


def _named(piece: Piece, unit: AnyUnit, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the label texts, and the values of properties that labels show, for a unit's name and status.

    Both are dicts by label or property name.
    """
    label = name_label(piece, name)
    if label is None:
        return {}, {}
    status = {} if isinstance(unit, Planet) else {STATUS: _status(unit)}
    labels = {key: text for key, text in status.items() if any(one.property_name == key for one in piece.labels)}
    text = unit.name if labels else label_text(unit)
    shows = shown_property(piece, label)
    return (labels, {shows: text}) if shows else ({label.property_name: text, **labels}, {})


def name_label(piece: Piece, name: str = "") -> Label | None:
    """Return the counter's label that is meant for the unit's name, or ``None`` if there is no label.

    The result is the label with the property name ``name``, else a label called "name", else the first label.
    """
    labels = piece.labels
    if name and (named := [label for label in labels if label.property_name == name]):
        return named[0]
    called = [label for label in labels if "name" in f"{label.field(16)} {label.field(17)} {label.field(2)}".casefold()]
    return next(iter((*called, *labels)), None)


def shown_property(piece: Piece, label: Label) -> str:
    """Return the name of the settable property that a label shows (``$ShipName$``); empty if none."""
    text = label.text
    if len(text) < 3 or text[0] != "$" or text[-1] != "$":
        return ""
    return next((one.name for one in piece.all(DynamicProperty) if one.name == text[1:-1]), "")


def label_text(unit: AnyUnit) -> str:
    """Return the text of a unit's label: name and status; for seeking weapons and planets, only the name."""
    return unit.name if isinstance(unit, Seeker | Planet) else f"{unit.name} {_status(unit)}"


def _status(unit: AnyUnit) -> str:
    """Return the status text of a unit: its speed, and CLOAKED for a cloaked ship.

    The counter of a cloaked ship stays on the map (G13.1).
    """
    return f"{unit.speed}{f' {COVERED_WORD}' if isinstance(unit, Ship) and unit.cloaking.state in COVERED else ''}"


def _sheet(piece: Piece, unit: AnyUnit) -> dict[str, str]:
    """Return values of a ship's SSD by field name, for all fields of the counter's property sheet."""
    if not isinstance(unit, Ship):
        return {}
    known = {f"Shield {number}": str(left) for number, left in enumerate(unit.shields, start=1)}
    known["Internals"] = str(unit.internals)
    fields = {name for sheet in piece.all(PropertySheet) for name in sheet.names}
    return {name: value for name, value in known.items() if name in fields}
