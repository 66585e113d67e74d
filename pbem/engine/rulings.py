"""Apply an umpire's ruling, which sets one property of a unit, and decide who may see it.

The property is named by its state path, such as ``shield 3``, as in rule cases (:mod:`pbem.engine.state_paths`).
Limits, such as a shield's boxes or the edge of the map, are checked before a ruling is written. This module carries out
a ruling without such checks.
"""

from __future__ import annotations

import re

import msgspec

from pbem.data import charts
from pbem.data.terms import CloakState, Purpose, UnitFate, WeaponState
from pbem.engine import changes as change
from pbem.engine.on_file import altered, value_of
from pbem.engine.relations import takes_orders
from pbem.engine.state import AnyUnit, Link, Seeker, Ship, Shuttle, State, Weapon
from pbem.engine.state_paths import NoPath, moment_of, put_drone, put_other, put_ship, quoted, read_path, weapon_name
from pbem.rules.power import capacity
from pbem.rules.weapons import family

replace = msgspec.structs.replace

Value = str | int | float | bool
GONE = (UnitFate.IN_PLAY, UnitFate.DESTROYED, UnitFate.DISENGAGED, UnitFate.LEFT, UnitFate.REMOVED, UnitFate.CAPTURED)
"""The values that a ruling may give to a unit's property ``gone`` (why the unit left play).

The empty value brings the unit back into play.
"""

_SIX = ("1", "2", "3", "4", "5", "6")
_WORDS = (
    "at", "hex", "came", "side", "captured", "target", "landed", "attacked", "holds", "hangar", "fired", "lowered",
    "bay", "endurance", "goal", "suicide",
)  # fmt: skip
"""First words of the state paths whose value is text: a name, a hex, a time like 1.15, or letters."""

_COUNTS = {"general": "general", "prior speed": "prior_speed"}


# --- reading ---------------------------------------------------------------------------------------------------------


def read_value(path: str, text: str) -> Value:
    """Return the value typed by the umpire as a number, a boolean or a string.

    The state path determines the type. ``none``, ``empty`` and ``nothing`` give an empty string.
    """
    word = " ".join(text.split()).strip("\"'")
    folded = word.casefold()
    if folded in ("none", "empty", "nothing"):
        return ""
    if path.partition(" ")[0] in _WORDS:
        return word
    if folded in ("yes", "no"):
        return folded == "yes"
    if re.fullmatch(r"-?\d{1,6}", word):
        return int(word)
    return float(word) if re.fullmatch(r"-?\d{1,6}\.\d{1,3}", word) else folded


def canonical(unit: AnyUnit, path: str) -> str:
    """Return a state path in the spelling that the log uses.

    Examples: ``shield 3`` for ``Shield #3``, ``PHOT A`` for ``photon a``.
    """
    words = path.split()
    path = " ".join(words)
    first = words[0].casefold() if words else ""
    if first in ("shield", "reinforcement"):
        return f"{first} {' '.join(words[1:]).lstrip('#')}"
    if isinstance(unit, Ship):
        if first == "fired" and (name := weapon_name(unit, " ".join(words[1:]))):
            return f"fired {name}"
        if name := weapon_name(unit, path):
            return name
        if first in ("suicide", "probe", "holds"):
            return f"{first} {' '.join(words[1:]).upper()}"
        if first == "boarders":
            return f"boarders {' '.join(words[1:])}"
    return path.casefold()


# --- who may know ----------------------------------------------------------------------------------------------------


def is_hidden(state: State, unit: AnyUnit, path: str, value: Value) -> bool:
    """Return whether only the owner of a unit may know the property named by a state path (D4.1).

    Energy, arming, ammunition and secret targets are hidden.
    """
    if isinstance(unit, Seeker):
        return path == "target" and state.options.targets == "secret"
    if isinstance(unit, Shuttle):
        return path in ("target", "bomb")
    if not isinstance(unit, Ship):
        return False
    first = path.partition(" ")[0]
    if path in unit.weapons:
        return value not in ("destroyed", "working")
    if first == "probe":
        return not isinstance(value, int)
    return path in ("capacitor", "batteries", "general") or first in ("reinforcement", "suicide")


def present(state: State, unit: AnyUnit, path: str, value: Value) -> Value:
    """Return the current value of a property, for the report of a ruling that changes the property.

    ``path`` names the property and ``value`` is its new value. The result reveals no more than what the sides that will
    see ``value`` may know.

    Raises:
        NoPath: The unit has no such path.
    """
    if isinstance(unit, Ship) and path in unit.weapons:
        if value in ("destroyed", "working"):
            return "working" if unit.weapons[path].working else "destroyed"
        weapon = unit.weapons[path]
        if not isinstance(value, int) and weapon.working and family(weapon.kind).ammunition:
            return weapon.ammo
    if isinstance(unit, Ship) and path == "cloak" and unit.cloaking.state == CloakState.CLOAKING:
        # At graduate level the state of a fully cloaked ship is still ``cloaking`` (G13.0).
        return (
            CloakState.CLOAKED
            if max(0, state.moment) - unit.cloaking.since >= charts.cloak().fade
            else CloakState.CLOAKING
        )
    found = read_path(state, unit, path, value)
    return ", ".join(found) if isinstance(found, list | tuple) else found


# --- doing -----------------------------------------------------------------------------------------------------------


def set_path(state: State, name: str, path: str, value: Value) -> State:
    """Return the state with one property of a unit changed by a ruling, without a check of the rules.

    Raises:
        NoPath: The unit has no such path, or the path cannot have this value.
    """
    unit = state.units[name]
    if path == "gone":
        if value not in GONE:
            raise NoPath(f"{name} may be {', '.join(word for word in GONE if word)} or none, not {quoted(value)}")
        state = change.put_unit(state, replace(unit, gone=UnitFate(value)))
        return adjust_request(change.without_links(state, name, state.moment) if value else state)
    if path == "side":
        if value not in state.sides:
            raise NoPath(f"there is no side {quoted(value)} in this game; the sides are {', '.join(state.sides)}")
        return adjust_request(change.put_unit(state, replace(unit, side=str(value))))
    if isinstance(unit, Ship):
        if path.startswith("holds "):
            return _held(state, unit, path.removeprefix("holds "), value)
        return change.put_unit(state, _ship(state, unit, path, value))
    return change.put_unit(state, _other_unit(state, unit, path, value))


def _other_unit(state: State, unit: AnyUnit, path: str, value: Value) -> AnyUnit:
    """Return a unit that is not a ship, with the property named by a state path changed.

    Raises:
        NoPath: The unit has no such path, or the path cannot have this value.
    """
    if path == "speed":
        return replace(unit, speed=count(path, value))
    if path == "target" and isinstance(unit, Seeker | Shuttle):
        if value not in state.units:
            raise NoPath(f"there is no unit {quoted(value)} for {unit.name} to seek")
        return replace(unit, target=str(value))
    if path == "fired" and isinstance(unit, Shuttle) and value == "":
        return replace(unit, fired=None)
    if path == "endurance" and isinstance(unit, Seeker) and value == "":
        return replace(unit, endurance=0)
    if isinstance(unit, Seeker):
        return put_drone(unit, path, value, state.impulses)
    return put_other(unit, path, value, state.impulses)


def _ship(state: State, unit: Ship, path: str, value: Value) -> Ship:
    """Return a ship with the property named by a state path changed.

    Raises:
        NoPath: The ship has no such path, or the path cannot have this value.
    """
    first, _, rest = path.partition(" ")
    if first in ("shield", "reinforcement"):
        return _shielded(unit, path, value)
    if path in unit.boxes:
        boxes = {**unit.boxes, path: count(path, value)}
        return altered(
            unit, boxes=boxes, batteries=min(unit.power.batteries, boxes.get("battery", unit.power.batteries))
        )
    if path in _COUNTS:
        return altered(unit, **{_COUNTS[path]: count(path, value)})
    if path == "speed":
        speed = count(path, value)
        return altered(unit, speed=speed, paid_speed=speed)
    if path == "lock on":
        if not isinstance(value, bool):
            raise NoPath(f"lock on is yes or no, not {quoted(value)}")
        return altered(unit, lock_on=value)
    if value == "" and (emptied := _emptied(unit, path)) is not None:
        return emptied
    if first == "fired" and rest in unit.weapons:
        moment = moment_of(str(value), state.impulses) if value != "" else None
        weapon = replace(unit.weapons[rest], fired=moment, shots=0 if moment is None else 1)
        return replace(unit, weapons={**unit.weapons, rest: weapon})
    if path in unit.weapons:
        weapons = {**unit.weapons, path: _weapon(unit, path, value)}
        # A destroyed phaser reduces the capacity of the capacitor (H6.3).
        return altered(unit, weapons=weapons, capacitor=min(unit.power.capacitor, max(capacity(weapons), 0.0)))
    return put_ship(unit, path, value, state.impulses)


def _shielded(unit: Ship, path: str, value: Value) -> Ship:
    """Return a ship with the boxes or the reinforcement of one shield changed.

    Raises:
        NoPath: There is no such shield, or the value is not a valid number of boxes or points.
    """
    what, _, number = path.partition(" ")
    if number not in _SIX:
        raise NoPath(f"shields and their reinforcement are numbered 1 to 6, not {number!r}")
    field = "shields" if what == "shield" else "reinforcement"
    points = list(value_of(unit, field))
    points[int(number) - 1] = count(path, value)
    return altered(unit, **{field: tuple(points)})


def _emptied(unit: Ship, path: str) -> Ship | None:
    """Return a ship without the thing that a path names, such as a lowered shield or a suicide shuttle.

    The result is ``None`` if the path names nothing that can be removed.
    """
    first, _, rest = path.partition(" ")
    if first == "lowered":
        return replace(unit, lowered={name: since for name, since in unit.lowered.items() if name != rest})
    if path == "bay used":
        return replace(unit, bay_used=None)
    if path == "hangar":
        return replace(unit, hangar=())
    if first == "suicide":
        return altered(unit, bombs={letter: bomb for letter, bomb in unit.power.bombs.items() if letter != rest})
    if first == "probe" and rest in unit.power.probes:
        return altered(
            unit, probes={**unit.power.probes, rest: replace(unit.power.probes[rest], purpose=Purpose.NONE, turns=0)}
        )
    return None


def _weapon(unit: Ship, name: str, value: Value) -> Weapon:
    weapon = unit.weapons[name]
    kind = family(weapon.kind)
    if value == "destroyed":
        return replace(weapon, working=False, charge=WeaponState.NONE, armed_turns=0, ammo=0, destroyed=None)
    if value == "working":
        return replace(weapon, working=True, destroyed=None)
    if not weapon.working:
        raise NoPath(f"{name} is destroyed; a ruling that it is working must come first")
    if isinstance(value, int) and not isinstance(value, bool) and kind.ammunition:
        return replace(weapon, ammo=count(name, value))
    if (done := kind.ruled(value)) is not None:
        return replace(weapon, **done)
    raise NoPath(f"{name} cannot be {quoted(value)}; it may be {', '.join(('destroyed', 'working', *kind.choices))}")


def _held(state: State, unit: Ship, beam: str, value: Value) -> State:
    """Return the state in which a tractor beam of the ship holds the unit named ``value`` (G7.3).

    If ``value`` is empty, the beam holds nothing.

    Raises:
        NoPath: There is no such unit in play.
    """
    links = tuple(link for link in state.links if (link.ship, link.beam) != (unit.name, beam))
    if value == "":
        held = links != state.links
        free = change.release_beam(unit, beam, state.moment, worked=state.impulse > 0) if held else unit
        return change.put_unit(replace(state, links=links), free)
    if value not in state.units or not state.units[str(value)].in_play:
        raise NoPath(f"there is no unit {quoted(value)} in play for tractor beam {beam} to hold")
    return replace(state, links=(*links, Link(ship=unit.name, beam=beam, target=str(value), since=state.moment)))


def count(path: str, value: Value) -> int:
    """Return the value as a whole number of 0 or more.

    Raises:
        NoPath: The value is not a whole number of 0 or more.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise NoPath(f"{path} takes a whole number of 0 or more, not {quoted(value)}")
    return value


# --- what follows for the request ------------------------------------------------------------------------------------


def adjust_request(state: State) -> State:
    """Return the state with its open request for orders adjusted to a ruling.

    Sides that have nothing left to command (no ship, no manned shuttle, no weapons to guide) need not answer any
    more. If the request is for the start of a turn, sides that can command a unit again must answer too.
    """
    request = state.request
    if request is None:
        return state
    able = [name for name, side in state.sides.items() if not side.robot and takes_orders(state, name)]
    sides = tuple(name for name in able if name in request.sides or request.impulse == 0)
    return state if sides == request.sides else replace(state, request=replace(request, sides=sides))


def value_words(value: Value, path: str = "") -> str:
    """Return the value of a property as text, such as ``12``, ``yes``, ``armed`` or ``none``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if path == "gone":
        return str(value) or "in play"
    return str(value) if value != "" else "none"
