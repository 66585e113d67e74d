"""The counters a game wants on the table: which there are, where each lies, how it looks.

A save, an update of a save and a film are all made from this. Only what every player may see is asked of a unit:
position, facing, name, speed, and the public parts of an SSD (D4.1): shields and internal damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pbem.game import events as ev
from pbem.game.fold import fold
from pbem.game.state import AnyUnit, Planet, Position, Seeker, Ship, State
from pbem.rules.hexes import FACINGS
from pbem.tabletop.binding import FACING_DEGREES, Binding, has_counter, marked, slot_for
from pbem.tabletop.companion.tracker import COMPANION, tracker_name, tracker_state
from pbem.values.words import CloakState
from vassal.errors import VassalError
from vassal.look import Look
from vassal.sheets import PropertySheet

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vassal.boards import MapLayout
    from vassal.grid import Point
    from vassal.look import Look
    from vassal.module import Module, Slot
    from vassal.pieces import Piece

ID_PREFIX = "pbem-"
"""Ids of our counters: by these a save that comes back is matched, whatever its labels say by then."""

MARKER_PREFIX = ID_PREFIX + "*"
"""Ids of markers that are no units, such as a point of turn; no unit's name begins so."""

COVERED, COVERED_WORD = (CloakState.CLOAKED, CloakState.CLOAKING), "CLOAKED"
"""States of a cloak in which the label of a ship says CLOAKED."""

STATUS, CLOAK = "Status", "Cloak"
"""The label for speed and CLOAKED, and the layer of a ship under cloak, where a counter has them."""


def piece_id(unit: AnyUnit) -> str:
    """The id of a unit's counter."""
    return ID_PREFIX + unit.name


def turn_marker_id(name: str) -> str:
    """The id of the point of turn of the unit of that name."""
    return f"{MARKER_PREFIX}turn {name}"


class Counter(NamedTuple):
    """A counter: its id, the palette entry it is taken from, its pixel, and what it looks like on a given piece.
    ``about`` is what it is called in a fault.
    """

    id: str
    slot: Slot
    spot: Point
    look: Callable[[Piece], Look]
    about: str


class Table(NamedTuple):
    """Where counters come from and go to: the module, the binding of the game to it, and the map with its boards."""

    module: Module
    binding: Binding
    layout: MapLayout


def public_state(records: Iterable[ev.Record]) -> State:
    """The game as a spectator knows it: what may stand in a file that everybody opens."""
    return fold(event for record in records if (event := ev.seen_by(record, "")) is not None)


def terrain(state: State, table: Table) -> Iterator[Counter]:
    """Asteroids (P3.0), and the further hexes of a planet that fills several (P2.0), where the module has counters
    for them. Raises :class:`~vassal.errors.VassalError` for a hex that the map does not have.
    """
    further = [hex_ for unit in state.in_play() if isinstance(unit, Planet) for hex_ in unit.hexes if hex_ != unit.hex]
    for kind, places in (("asteroids", state.asteroids), ("planet", tuple(further))):
        slot = marked(table.module, {"Unit": kind}) if places else None
        if slot is None:
            continue
        for hex_ in places:
            name = f"{MARKER_PREFIX}{kind} {hex_}"
            yield Counter(name, slot, table.layout.pixel(hex_), lambda _: Look(), kind)


def counters_of(unit: AnyUnit, table: Table) -> list[Counter]:
    """A unit's point of turn, if it has one, and its counter. None for a unit that has no counter, or stands on a hex
    that the map does not have.

    Raises :class:`GameError` where the binding names no counter for it.
    """
    if not has_counter(table.binding, unit):
        return []
    slot = slot_for(table.binding, table.module, unit)
    try:
        spot = table.layout.pixel(unit.hex)
    except VassalError:
        return []
    own = Counter(piece_id(unit), slot, spot, partial(look_of, unit=unit), f"{unit.name} at {unit.at}")
    return [*_turn_marker(unit, table), own]


def left_out(unit: AnyUnit, table: Table) -> str:
    """What is told of a unit that has no place on the map, nothing if it has one."""
    if not has_counter(table.binding, unit):
        return ""
    try:
        table.layout.pixel(unit.hex)
    except VassalError:
        return f"{unit.name} at {unit.at} is left out: the map {table.binding.map!r} has no hex {unit.hex}"
    return ""


def _turn_marker(unit: AnyUnit, table: Table) -> Iterator[Counter]:
    turned = point_of_turn(unit)
    slot = None if turned is None else marked(table.module, {"Unit": "point of turn", "Race": unit.race})
    if turned is None or slot is None:
        return
    look = Look(degrees=FACINGS.index(turned.facing) * FACING_DEGREES, label=unit.name)
    try:
        spot = table.layout.pixel(turned.hex)
    except VassalError:
        return
    yield Counter(turn_marker_id(unit.name), slot, spot, lambda _: look, f"the point of turn of {unit.name}")


def trackers(state: State, module: Module) -> dict[str, str]:
    """The state of the module's impulse tracker, if it is one that is known, by the tracker's id."""
    name = tracker_name(state.impulses)
    if module.name != COMPANION or name not in module.turn_trackers:
        return {}
    return {f"TurnTracker{module.turn_trackers.index(name)}": tracker_state(state)}


def point_of_turn(unit: AnyUnit) -> Position | None:
    """Where a ship turned last, and to which facing, as far as this turn's track tells (C3.1)."""
    if not isinstance(unit, Ship):
        return None
    for before, after in zip(reversed(unit.track[:-1]), reversed(unit.track), strict=False):
        if before.facing != after.facing and before.hex != after.hex:
            return Position(after.moment, before.hex, after.facing)
    return None


def look_of(piece: Piece, unit: AnyUnit) -> Look:
    """Facing, labels, sheet and cloak as far as the counter has them: its first rotator that knows sixths of a circle,
    its first label, and the label, the fields and the layer of the names that the companion module gives them.
    """
    degrees = FACINGS.index(unit.facing) * FACING_DEGREES
    turns = next((r for r in piece.rotators if r.facings == 1 or degrees * r.facings % 360 == 0), None)
    status = {} if isinstance(unit, Planet) else {STATUS: _status(unit)}
    labels = {name: text for name, text in status.items() if any(label.property_name == name for label in piece.labels)}
    cloak = any(layer.name == CLOAK for layer in piece.layers)
    return Look(
        degrees=None if turns is None else degrees,
        rotator=turns.name if turns is not None else None,
        label=(unit.name if labels else label_text(unit)) if piece.labels else None,
        labels=labels,
        layers={CLOAK: 1 if unit.cloak in COVERED else -1} if cloak and isinstance(unit, Ship) else {},
        properties=_sheet(piece, unit),
    )


def label_text(unit: AnyUnit) -> str:
    return unit.name if isinstance(unit, Seeker | Planet) else f"{unit.name} {_status(unit)}"


def _status(unit: AnyUnit) -> str:
    """Speed; the counter of a cloaked ship stays on the map, and its label says so (G13.1)."""
    return f"{unit.speed}{f' {COVERED_WORD}' if isinstance(unit, Ship) and unit.cloak in COVERED else ''}"


def _sheet(piece: Piece, unit: AnyUnit) -> dict[str, str]:
    """What of a ship's SSD a counter's property sheet has fields for."""
    if not isinstance(unit, Ship):
        return {}
    known = {f"Shield {number}": str(left) for number, left in enumerate(unit.shields, start=1)}
    known["Internals"] = str(unit.internals)
    fields = {name for sheet in piece.all(PropertySheet) for name in sheet.names}
    return {name: value for name, value in known.items() if name in fields}
