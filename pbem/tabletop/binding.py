"""Which counter of a module stands for which unit: proposed from names, kept in the game's vassal.toml,
reviewed by people.

The file is small and meant to be edited::

    format = 1
    module = "modules/cadet.vmod"           # where the module was when last used
    map = "Tactical Map"
    board = "Small map"                     # of that map; left out, the one the module itself chooses

    [counters]
    "Constellation" = "Ships/Cruiser A"     # a palette entry by name, path or gpid
    "klingon drone" = "Klingon drone"       # every Klingon drone that has no line of its own
    "drone" = "Drone"                       # every other drone
    "shuttle" = "Admin Shuttle"

A module may say itself what its counters stand for, in properties of theirs (``ShipKey``, ``Weapon``, ``Unit``,
``Race``, ``Monster``), as the companion module does; then no name has to be guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from pbem.data.files import NotToml, parse_toml
from pbem.faults import GameError
from pbem.game.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.rules import hexes
from pbem.turn.torpedoes import is_plasma

if TYPE_CHECKING:
    from vassal.boards import GameMap
    from vassal.module import Module, Slot

FACING_DEGREES = 60
"""One facing of the map is a sixth of a circle (C1.2)."""


class Binding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The map of the module, and a palette entry for each unit name or kind (``drone``, a ship class).

    ``module`` is where the module's file was when it was last used, so that ``import`` finds it again.
    """

    format: int = 1
    module: str = ""
    map: str
    board: str = ""
    counters: dict[str, str] = {}


def read_binding(data: str, file: str) -> Binding:
    """Read vassal.toml; a fault names the place in the file."""
    try:
        binding = msgspec.convert(parse_toml(data), Binding)
    except (NotToml, msgspec.ValidationError) as error:
        raise GameError.saying("binding", f"this file cannot be read: {error}", file=file) from error
    if binding.format != 1:
        raise GameError.saying("binding", f"format {binding.format} is not known here (1 is)", file=file)
    # An editor of another system may have taken the names of units apart; those of counters are the module's.
    return replace(binding, counters={normalize("NFC", name): slot for name, slot in binding.counters.items()})


def binding_text(binding: Binding) -> str:
    """vassal.toml for a binding, in the order of names."""
    lines = [
        "# Which counter of the VASSAL module stands for which unit. Edit freely; pbem export reads it again.",
        f"format = {binding.format}",
        *([f"module = {json.dumps(binding.module, ensure_ascii=False)}"] if binding.module else []),
        f"map = {json.dumps(binding.map, ensure_ascii=False)}",
        *([f"board = {json.dumps(binding.board, ensure_ascii=False)}"] if binding.board else []),
        "",
        "[counters]",
    ]
    lines += [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(slot, ensure_ascii=False)}"
        for name, slot in sorted(binding.counters.items())
    ]
    return "\n".join(lines) + "\n"


def propose(state: State, module: Module) -> Binding:
    """A binding from what the module's counters say of themselves, else from the names alone: the map that knows the
    game's hexes, and for each unit the counter most like it. A planet is bound only where the module has a counter
    called so.
    """
    used: set[str] = set()
    counters: dict[str, str] = {}
    for unit in sorted(state.units.values(), key=lambda unit: (not isinstance(unit, Ship), unit.name)):
        exact = marked(module, wanted_marks(unit))
        key = kind_key(unit) if exact else counter_key(unit)
        if key in counters:
            continue
        slot = exact or _most_like(unit, module, used)
        if isinstance(unit, Planet) and (slot is None or not _is_like(slot, unit)):
            continue  # the board of the scenario has it, or nobody does
        if slot is None:
            raise GameError.saying("no-counter", f"the module {module.name!r} has no counter that could be {unit.name}")
        counters[key] = _reference(module, slot)
        used.add(counters[key])
    # Small units come and go: bind them even before the first one flies.
    for unit in state.units.values():
        if isinstance(unit, Ship):
            for kind in _launched_by(unit):
                found = marked(module, _small_marks(kind, unit.race))
                if found is not None:
                    counters.setdefault(f"{unit.race} {kind}", _reference(module, found))
    names = {name.split(" ")[-1] for name in counters}
    if "drone" not in names:
        drone = _best(module, [["drone"]], used)
        if drone is not None and "drone" in drone.name.casefold():
            counters["drone"] = drone.gpid or drone.name
    if "plasma" not in names and any(_has_tubes(unit) for unit in state.units.values()):
        torpedo = _best(module, [["plasma"], ["torpedo"]], used)
        if torpedo is not None and {"plasma", "torpedo"} & set(_words(torpedo.name)):
            counters["plasma"] = torpedo.gpid or torpedo.name
    if "shuttle" not in names and any(isinstance(unit, Ship) and unit.hangar for unit in state.units.values()):
        shuttle = _best(module, [["shuttle"], ["admin"]], used)
        if shuttle is not None and "shuttle" in _words(shuttle.name):
            counters["shuttle"] = shuttle.gpid or shuttle.name
    name = _map_for(state, module)
    return Binding(map=name, board=_board_for(state, module.map(name)), counters=counters)


def _has_tubes(unit: AnyUnit) -> bool:
    return isinstance(unit, Ship) and any(is_plasma(weapon.kind) for weapon in unit.weapons.values())


def _is_like(slot: Slot, unit: AnyUnit) -> bool:
    """Whether a palette entry is called like the unit or its kind."""
    have = set(_words(slot.name))
    return type(unit).__name__.lower() in have or set(_words(unit.name)) <= have


def _launched_by(ship: Ship) -> list[str]:
    """The kinds of small units a ship may put on the map."""
    drones = any(weapon.kind.startswith("drone") for weapon in ship.weapons.values())
    kinds = (("drone", drones), ("plasma", _has_tubes(ship)), ("shuttle", bool(ship.hangar)))
    return [kind for kind, has in kinds if has]


def counter_key(unit: AnyUnit) -> str:
    """Ships, monsters and planets are bound one by one, seeking weapons and shuttles by kind: a suicide shuttle must
    look like any other (J2.222).
    """
    if isinstance(unit, Seeker):
        return unit.weapon
    return "shuttle" if isinstance(unit, Shuttle) else unit.name


def has_counter(binding: Binding, unit: AnyUnit) -> bool:
    """Whether a unit belongs on the table. A planet does only where the binding names a counter for it."""
    return not isinstance(unit, Planet) or unit.name in binding.counters


def kind_key(unit: AnyUnit) -> str:
    """Small units by race and kind, where a module has counters of each race: ``klingon drone``."""
    if isinstance(unit, Seeker):
        return f"{unit.race} {unit.weapon}"
    return f"{unit.race} shuttle" if isinstance(unit, Shuttle) else unit.name


def binding_keys(unit: AnyUnit) -> tuple[str, ...]:
    """The lines of vassal.toml that may hold for a unit, the closest first."""
    kind = unit.ship if isinstance(unit, Ship) else type(unit).__name__.lower()
    return unit.name, kind_key(unit), counter_key(unit), kind


def wanted_marks(unit: AnyUnit) -> dict[str, str]:
    """The properties by which a module's own counter for a unit is known."""
    match unit:
        case Ship():
            return {"ShipKey": unit.ship}
        case Seeker():
            return _small_marks(unit.weapon, unit.race)
        case Shuttle():
            return _small_marks("shuttle", unit.race)
        case Monster():
            return {"Monster": unit.monster}
        case Planet():
            return {"Unit": "planet"}


def _small_marks(kind: str, race: str) -> dict[str, str]:
    return {"Unit" if kind == "shuttle" else "Weapon": kind, "Race": race}


def marked(module: Module, marks: Mapping[str, str]) -> Slot | None:
    """The palette entry that has all these properties, ``None`` if there is none."""
    for slot in module.slots:
        if not slot.in_palette or not all(name in slot.piece.type for name in marks):
            continue  # a module may have thousands; few of them need a closer look
        if all(slot.piece.properties.get(name) == value for name, value in marks.items()):
            return slot
    return None


def _reference(module: Module, slot: Slot) -> str:
    """How vassal.toml names an entry: by its counter's own name or the entry's where the module's own marks make that
    safe, else by its gpid.
    """
    is_marked = {"ShipKey", "Weapon", "Unit", "Monster"} & slot.piece.properties.keys()
    for name in (slot.piece.basic_name, slot.name) if is_marked else ():
        if sum(_is_called(other, name) for other in module.slots) == 1:
            return name
    return slot.gpid or "/".join((*slot.path, slot.name))


def _is_called(slot: Slot, name: str) -> bool:
    """Whether an entry, its counter or its gpid has this name."""
    if name in (slot.name, slot.gpid):
        return True
    if _PLAIN(name) and name not in slot.piece.type and not slot.piece.is_container:
        return False  # a counter's own name stands in its text: few need a closer look
    return slot.piece.basic_name == name


_PLAIN = re.compile("[A-Za-z0-9 -]+").fullmatch
"""Names that no text of a counter writes otherwise."""


def slot_for(binding: Binding, module: Module, unit: AnyUnit) -> Slot:
    """The palette entry a unit's counter is taken from: its own line, its kind's, or the counter the module itself
    means for it.
    """
    from vassal.errors import VassalError

    for key in binding_keys(unit):
        if key in binding.counters:
            try:
                return module.slot(binding.counters[key])
            except VassalError as error:
                raise GameError.saying("no-counter", f"vassal.toml, {key!r}: {error}") from error
    found = marked(module, wanted_marks(unit))
    if found is None:
        text = f"vassal.toml has no counter for {unit.name}; add a line for it or its kind"
        raise GameError.saying("no-counter", text)
    return found


def _map_for(state: State, module: Module) -> str:
    """The first map on which both corners of the game's map are hexes."""
    from vassal.errors import VassalError

    for game_map in module.maps:
        try:
            layout = game_map.layout()
            for corner in state.map:
                layout.pixel(corner)
        except VassalError:
            continue
        return game_map.name
    for game_map in module.maps:
        try:
            game_map.layout().pixel(state.map[0])
        except VassalError:
            continue
        return game_map.name
    raise GameError.saying(
        "no-map", f"no map of the module {module.name!r} knows the hexes {state.map[0]} to {state.map[1]}"
    )


def _board_for(state: State, game_map: GameMap) -> str:
    """The board that is the game's map, if it is another than the one the module chooses: with all its hexes, with the
    right columns half a hex lower, and of the right size.
    """
    usual = [choice.name for choice in game_map.usual_boards]
    if len(usual) != 1:
        return ""
    names = [*usual, *(board.name for board in game_map.boards if board.name not in usual)]
    best = max(names, key=lambda name: _fit(state, game_map, name))
    return "" if best in usual or not _fit(state, game_map, best)[0] else best


def _fit(state: State, game_map: GameMap, board: str) -> tuple[bool, bool, bool]:
    from vassal.errors import VassalError
    from vassal.leaves import BoardChoice

    layout = game_map.layout((BoardChoice(board),))
    first, last = state.map
    try:
        _, top = layout.pixel(first)
        layout.pixel(last)
        _, below = layout.pixel(hexes.neighbour(first, "D", state.grid))
        _, beside = layout.pixel(hexes.neighbour(first, "C", state.grid))
    except VassalError:
        return False, False, False
    column, row = hexes.parse_hex(last)
    try:
        layout.pixel(hexes.hex_name(column + 2, row))  # the next column may still lie on a board's rim
    except (VassalError, ValueError):
        return True, abs(2 * (beside - top) - (below - top)) <= 4, True
    return True, abs(2 * (beside - top) - (below - top)) <= 4, False


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.casefold())


def _most_like(unit: AnyUnit, module: Module, used: set[str]) -> Slot | None:
    if isinstance(unit, Seeker):
        return _best(module, [[unit.weapon], ["seeker", "missile"]], used)
    name = _words(unit.name)
    if isinstance(unit, Shuttle):
        return _best(module, [["shuttle"], ["admin"], ["drone", "fighter"]], used)
    if isinstance(unit, Monster):
        return _best(module, [name, _words(unit.monster), ["monster"]], used)
    if isinstance(unit, Planet):
        return _best(module, [["planet"], name], used)
    # A ship the module does not know gets the counter of a ship, not of a drone of its race.
    words = [name, [*_words(unit.class_name), *_words(unit.race)], _words(unit.ship), ["cruiser", "ship", "freighter"]]
    return _best(module, words, used, ships=True)


def _best(module: Module, wanted: Sequence[Sequence[str]], used: set[str], *, ships: bool = False) -> Slot | None:
    """The palette entry that shares most with the wanted words, earlier groups counting more; unused ones first."""

    def score(slot: Slot) -> tuple[float, bool]:
        have = set(_words(slot.name)) | {w for part in slot.path for w in _words(part)}
        points = 0.0
        for rank, group in enumerate(wanted):
            points += sum(1 for word in set(group) if word in have) * 10.0**-rank
        return points, (slot.gpid or slot.name) not in used

    slots = [slot for slot in module.slots if slot.in_palette and not slot.piece.never_stacks]
    if ships:
        slots = [slot for slot in slots if "ShipKey" in slot.piece.properties] or slots
    return max(slots, key=lambda slot: score(slot), default=None) if slots else None
