"""Which counter of a module stands for which unit: proposed from names, kept in the game's vassal.toml,
reviewed by people.

The file is small and meant to be edited::

    format = 1
    module = "modules/cadet.vmod"           # where the module was when last used
    map = "Tactical Map"

    [counters]
    "Constellation" = "Ships/Cruiser A"     # a palette entry by name, path or gpid
    "drone" = "Drone"                       # every drone that has no line of its own
    "shuttle" = "Admin Shuttle"
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from pbem.faults import GameError
from pbem.game.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State

if TYPE_CHECKING:
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
    counters: dict[str, str] = {}


def read_binding(data: str, file: str) -> Binding:
    """Read vassal.toml; a fault names the place in the file."""
    try:
        binding = msgspec.convert(tomllib.loads(data), Binding)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise GameError.saying("binding", f"this file cannot be read: {error}", file=file) from error
    if binding.format != 1:
        raise GameError.saying("binding", f"format {binding.format} is not known here (1 is)", file=file)
    return binding


def binding_text(binding: Binding) -> str:
    """vassal.toml for a binding, in the order of names."""
    lines = [
        "# Which counter of the VASSAL module stands for which unit. Edit freely; pbem export reads it again.",
        f"format = {binding.format}",
        *([f"module = {json.dumps(binding.module, ensure_ascii=False)}"] if binding.module else []),
        f"map = {json.dumps(binding.map, ensure_ascii=False)}",
        "",
        "[counters]",
    ]
    lines += [
        f"{json.dumps(name, ensure_ascii=False)} = {json.dumps(slot, ensure_ascii=False)}"
        for name, slot in sorted(binding.counters.items())
    ]
    return "\n".join(lines) + "\n"


def propose(state: State, module: Module) -> Binding:
    """A binding from the names alone: the map that knows the game's hexes, and for each unit the counter most
    like it. A planet is bound only where the module has a counter called so; asteroids never are.
    """
    used: set[str] = set()
    counters: dict[str, str] = {}
    for unit in sorted(state.units.values(), key=lambda unit: (not isinstance(unit, Ship), unit.name)):
        key = counter_key(unit)
        if key in counters:
            continue
        slot = _most_like(unit, module, used)
        if isinstance(unit, Planet) and (slot is None or not _is_like(slot, unit)):
            continue  # the board of the scenario has it, or nobody does
        if slot is None:
            raise GameError.saying("no-counter", f"the module {module.name!r} has no counter that could be {unit.name}")
        counters[key] = slot.gpid or "/".join((*slot.path, slot.name))
        used.add(counters[key])
    # Seeking weapons and shuttles come and go: bind them even before the first one flies.
    if "drone" not in counters:
        drone = _best(module, [["drone"]], used)
        if drone is not None and "drone" in drone.name.casefold():
            counters["drone"] = drone.gpid or drone.name
    if "plasma" not in counters and any(_has_tubes(unit) for unit in state.units.values()):
        torpedo = _best(module, [["plasma"], ["torpedo"]], used)
        if torpedo is not None and {"plasma", "torpedo"} & set(_words(torpedo.name)):
            counters["plasma"] = torpedo.gpid or torpedo.name
    if "shuttle" not in counters and any(isinstance(unit, Ship) and unit.hangar for unit in state.units.values()):
        shuttle = _best(module, [["shuttle"], ["admin"]], used)
        if shuttle is not None and "shuttle" in _words(shuttle.name):
            counters["shuttle"] = shuttle.gpid or shuttle.name
    return Binding(map=_map_for(state, module), counters=counters)


def _has_tubes(unit: AnyUnit) -> bool:
    return isinstance(unit, Ship) and any(weapon.kind.startswith("plasma") for weapon in unit.weapons.values())


def _is_like(slot: Slot, unit: AnyUnit) -> bool:
    """Whether a palette entry is called like the unit or its kind."""
    have = set(_words(slot.name))
    return type(unit).__name__.lower() in have or set(_words(unit.name)) <= have


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


def slot_for(binding: Binding, module: Module, unit: AnyUnit) -> Slot:
    """The palette entry a unit's counter is taken from: its own line, or its kind's."""
    from vassal.errors import VassalError

    kind = unit.ship if isinstance(unit, Ship) else type(unit).__name__.lower()
    for key in (unit.name, counter_key(unit), kind):
        if key in binding.counters:
            try:
                return module.slot(binding.counters[key])
            except VassalError as error:
                raise GameError.saying("no-counter", f"vassal.toml, {key!r}: {error}") from error
    raise GameError.saying("no-counter", f"vassal.toml has no counter for {unit.name}; add a line for it or its kind")


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
    words = [name, [*_words(unit.class_name), *_words(unit.race)], _words(unit.ship), ["cruiser", "ship", "freighter"]]
    return _best(module, words, used)


def _best(module: Module, wanted: Sequence[Sequence[str]], used: set[str]) -> Slot | None:
    """The palette entry that shares most with the wanted words, earlier groups counting more; unused ones first."""

    def score(slot: Slot) -> tuple[float, bool]:
        have = set(_words(slot.name)) | {w for part in slot.path for w in _words(part)}
        points = 0.0
        for rank, group in enumerate(wanted):
            points += sum(1 for word in set(group) if word in have) * 10.0**-rank
        return points, (slot.gpid or slot.name) not in used

    slots = [slot for slot in module.slots if slot.in_palette and not slot.piece.never_stacks]
    return max(slots, key=lambda slot: score(slot), default=None) if slots else None
