"""Setting state paths: what a rule case changes of a unit before play begins, and the umpire in a game
(:mod:`.rulings`). Looking at them: :mod:`pbem.engine.paths`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.words import CloakState, Fuse, MutinyState, Purpose, WeaponState
from pbem.engine.paths import (
    FIELDS,
    NoPath,
    UnknownPath,
    as_meant,
    moment_of,
    paths_for,
    paths_of,
    quoted,
    unknown,
    weapon_name,
)
from pbem.engine.state import AnyUnit, Bomb, ProbeBox, Seeker, Ship, Weapon
from pbem.rules.arming import family
from pbem.rules.probes import arming_energy

replace = msgspec.structs.replace


def put_ship(unit: Ship, path: str, value: Any, impulses: int) -> Ship:
    """The ship with a path set. Raises :class:`NoPath`."""
    return as_meant(path, lambda spelled: _put_ship(unit, spelled, value, impulses))


def _put_ship(unit: Ship, path: str, value: Any, impulses: int) -> Ship:
    first, _, rest = path.partition(" ")
    if path == "batteries":
        stored = _stored(path, value)
        return replace(unit, batteries=int(stored), battery_part=str(stored % 1) if stored % 1 else "")
    if path in ("since turn", "since slip", "speed", "parties", "taken", "passengers"):
        return replace(unit, **{path.replace(" ", "_"): _count(path, value)})
    if path == "capacitor":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NoPath("capacitor takes a number of points")
        return replace(unit, capacitor=float(value))
    if first == "shield" and rest in ("1", "2", "3", "4", "5", "6"):
        boxes = list(unit.shields)
        boxes[int(rest) - 1] = _count(path, value, most=boxes[int(rest) - 1])
        return replace(unit, shields=tuple(boxes))
    if path in unit.boxes:
        left = {**unit.boxes, path: _count(path, value, most=unit.boxes[path])}
        batteries = min(unit.batteries, left.get("battery", unit.batteries))
        return replace(unit, boxes=left, batteries=batteries)
    found = _put_system(unit, path, value, impulses)
    if found is not None:
        return found
    if first == "fired" and (name := weapon_name(unit, rest)):
        fired = replace(unit.weapons[name], fired=moment_of(str(value), impulses))
        return replace(unit, weapons={**unit.weapons, name: fired})
    if name := weapon_name(unit, path):
        return replace(unit, weapons={**unit.weapons, name: set_weapon(unit, name, value)})
    if path in paths_for("ship"):
        raise NoPath(f"{path!r} of {unit.name} cannot be set, only looked at")
    raise UnknownPath(unknown(unit, path))


def _put_system(unit: Ship, path: str, value: Any, impulses: int) -> Ship | None:
    """The ship with a path of its systems or its people set, ``None`` if it is no such path."""
    first, _, rest = path.partition(" ")
    letter = rest.upper()
    match first:
        case "boarders" if rest:
            return replace(unit, boarders=dict(sorted({**unit.boarders, rest: _count(path, value)}.items())))
        case "lowered" if rest == "general" or rest in tuple(f"#{number}" for number in range(1, 7)):
            return replace(unit, lowered=dict(sorted({**unit.lowered, rest: moment_of(str(value), impulses)}.items())))
        case "cloak" if not rest:
            return _cloaked(unit, value)
        case "bay" if rest == "used":
            return replace(unit, bay_used=moment_of(str(value), impulses))
        case "captured" if rest == "from":
            return replace(unit, captured_from=str(value))
        case "mutiny" if not rest:
            if value not in tuple(MutinyState):
                raise NoPath(f"mutiny is empty, put down or staged, not {quoted(value)}")
            return replace(unit, mutiny=MutinyState(value))
        case "hangar" if not rest:
            return replace(unit, hangar=_letters(path, value))
        case "suicide" if letter in unit.hangar:
            return replace(unit, bombs=dict(sorted({**unit.bombs, letter: _bomb(unit, path, value)}.items())))
        case "probe" if letter in unit.probes:
            return replace(unit, probes={**unit.probes, letter: _probe(unit.probes[letter], path, value)})
    return None


def _cloaked(unit: Ship, value: Any) -> Ship:
    """A ship that was under cloak, or fully so, when the case begins (G13.0)."""
    if value not in ("", CloakState.CLOAKED):
        raise NoPath(f"cloak is empty or cloaked at the start, not {quoted(value)}")
    if ship_class(unit.ship).cloak is None:
        raise NoPath(f"{unit.name} has no cloaking device")
    graduate = ship_class(unit.ship).level == "standard"
    status = CloakState.CLOAKING if value and graduate else CloakState(value)
    return replace(unit, cloak=status, cloak_since=-charts.cloak().fade if value and graduate else 0)


def _letters(path: str, value: Any) -> tuple[str, ...]:
    letters = str(value).upper().replace(",", "").replace(" ", "")
    if letters and not (letters.isascii() and letters.isalpha()):
        raise NoPath(f"{path} takes letters like AB, not {quoted(value)}")
    return tuple(sorted(set(letters)))


def _bomb(unit: Ship, path: str, value: Any) -> Bomb:
    """A suicide shuttle in the making: a state, with the least energy for it, or the energy of each turn (J2.221)."""
    chart = charts.shuttles().suicide[unit_level(unit)]
    match value:
        case "armed" | "arming":
            return Bomb(energy=(chart.least,) * (chart.turns if value == "armed" else 1), state=Fuse(value))
        case "unusable":
            return Bomb(state=Fuse.UNUSABLE)
    energy = tuple(int(points) for points in str(value)[:99].split() if points.isdecimal())
    if not energy or len(energy) > chart.turns:
        raise NoPath(f"{path} is armed, arming, unusable or energy turn by turn like 3 3, not {quoted(value)}")
    return Bomb(energy=energy, state=Fuse.ARMED if len(energy) == chart.turns else Fuse.ARMING)


def unit_level(unit: Ship) -> str:
    """The level by which a ship's suicide shuttles are armed."""
    level = ship_class(unit.ship).level
    return level if level in charts.shuttles().suicide else "cadet"


def _probe(box: ProbeBox, path: str, value: Any) -> ProbeBox:
    """A launcher with so many probes, or armed (``armed``, ``arming``, ``armed weapon``, ``arming weapon``; G5.2)."""
    if isinstance(value, int):
        return replace(box, left=_count(path, value))
    state, _, purpose = str(value).partition(" ")
    if state not in ("armed", "arming") or purpose not in ("", Purpose.WEAPON):
        raise NoPath(f"{path} is a number of probes, armed, arming, armed weapon or arming weapon, not {quoted(value)}")
    purpose = Purpose(purpose) or Purpose.INFORMATION
    return replace(box, purpose=purpose, turns=len(arming_energy(purpose)) if state == "armed" else 1)


def set_weapon(unit: Ship, name: str, value: Any) -> Weapon:
    """A weapon as a case begins with it: destroyed, armed or arming, with so many drones. Raises :class:`NoPath`."""
    weapon = unit.weapons[name]
    match value:
        case "destroyed":
            return replace(weapon, working=False, charge=WeaponState.NONE, ammo=0)
        case "armed" | "arming" if family(weapon.kind).turns > 1:
            return replace(weapon, **family(weapon.kind).ruled(value) or {})
        case int() if family(weapon.kind).ammunition and not isinstance(value, bool):
            return replace(weapon, ammo=_count(name, value))
        case _:
            raise NoPath(
                f"{name} cannot be {quoted(value)} at the start; a weapon may be destroyed, a torpedo armed or arming, "
                "and a rack is given the number of drones left"
            )


def put_drone(unit: Seeker, path: str, value: Any, impulses: int) -> Seeker:
    """The drone with a path set. Raises :class:`NoPath`."""
    return as_meant(path, lambda spelled: _put_drone(unit, spelled, value, impulses))


def _put_drone(unit: Seeker, path: str, value: Any, impulses: int) -> Seeker:
    match path:
        case "damage" | "warhead" | "travelled":
            return replace(unit, **{path: _count(path, value)})
        case "since turn":
            return replace(unit, straight=_count(path, value))
        case "came from":
            return replace(unit, came_from=str(value))
        case "endurance":
            return replace(unit, endurance=moment_of(str(value), impulses))
        case _:
            raise UnknownPath(
                f"{path!r} cannot be set for a drone or torpedo; there are damage, warhead, travelled, since turn, "
                "came from, endurance"
            )


NUMBERS = ("damage", "since turn", "crew", "parties", "bomb", "information", "needed", "method", "speed", "prior speed")
"""Paths of shuttles, monsters and planets that take a whole number."""

TEXTS = ("landed", "attacked by", "came from")
"""Those that take a name or a hex."""


def put_other(unit: AnyUnit, path: str, value: Any, impulses: int) -> AnyUnit:
    """The shuttle, monster or planet with a path set. Raises :class:`NoPath`."""
    return as_meant(path, lambda spelled: _put_other(unit, spelled, value, impulses))


def _put_other(unit: AnyUnit, path: str, value: Any, impulses: int) -> AnyUnit:
    field = FIELDS.get(path, path)
    if not hasattr(unit, field):
        raise UnknownPath(f"{path!r} is no state path of {unit.name}; there are {', '.join(paths_of(unit))}")
    if path in NUMBERS:
        return replace(unit, **{field: _count(path, value)})
    if path in TEXTS:
        return replace(unit, **{field: str(value)})
    if path == "fired":
        return replace(unit, fired=moment_of(str(value), impulses))
    raise NoPath(f"{path!r} cannot be set; there are {', '.join((*NUMBERS, *TEXTS, 'fired'))}")


def _stored(path: str, value: Any) -> Fraction:
    """What batteries hold: with fractional accounting a part of a point may be among it (B3.2)."""
    if isinstance(value, float) and value >= 0:
        return Fraction(str(value))
    return Fraction(_count(path, value))


def _count(path: str, value: Any, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (most is not None and value > most):
        limit = "" if most is None else f", {most} at most"
        raise NoPath(f"{path} takes a whole number of 0 or more{limit}, not {quoted(value)}")
    return value
