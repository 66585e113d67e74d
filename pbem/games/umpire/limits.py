"""Limits on the umpire's rulings: box counts, times and tractor links that no unit can have.

A ruling may break a rule, but the game must still be playable under the other rules afterwards.
"""

from __future__ import annotations

import re
from string import ascii_uppercase

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.engine.play.setup import new_ship
from pbem.engine.rulings import Value
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.state_paths import NoPath, moment_of, quoted, unit_level, unknown
from pbem.engine.steps.tractors import SYSTEM, verify_hold
from pbem.errors import Fault, NotAllowed
from pbem.rules.hexes import on_map
from pbem.rules.movement import max_speed
from pbem.rules.power import capacity
from pbem.rules.shuttles import DESTROYED, condition

MOMENTS = ("fired", "lowered", "bay")
"""First words of those properties of a unit that say when something was done; the time must not be in the future."""


def verify_limits(state: State, unit: AnyUnit, path: str, value: Value) -> None:
    """Check that a unit can have a value at all, even if the umpire rules so.

    Raises:
        NoPath: The unit cannot have this value.
    """
    first, _, rest = path.partition(" ")
    if path == "speed":
        if isinstance(unit, Planet):
            raise NoPath(f"{unit.name} is a planet and cannot be moved (P2.0)")
        _at_most(path, value, max_speed(state.impulses, seeker=not isinstance(unit, Ship)), "C1.42")
    if first in MOMENTS and value != "" and moment_of(str(value), state.impulses) > max(0, state.moment):
        raise NoPath(f"{path} cannot be {value}: the game is only at {state.turn}.{state.impulse}")
    if path == "target" and isinstance(unit, Seeker | Shuttle):
        _verify_target(state, unit, value)
    if path == "came from" and value != "":
        _verify_hex(state, path, value)
    match unit:
        case Ship():
            _of_a_ship(state, unit, path, value)
        case Shuttle():
            _of_a_shuttle(state, unit, path, value)
        case Monster():
            _of_a_monster(state, unit, path, value)
        case _:
            pass
    if first == "holds" and isinstance(unit, Ship):
        _verify_hold(state, unit, rest, value)


def _verify_hex(state: State, path: str, value: Value) -> None:
    if not (re.fullmatch(r"\d{4}", str(value)) and on_map(str(value), state.map)):
        raise NoPath(f"{path} must be a hex of the map, {state.map[0]} to {state.map[1]}, not {quoted(value)}")


def _of_a_ship(state: State, unit: Ship, path: str, value: Value) -> None:
    full = new_ship(ship_class(unit.ship), name=unit.name, side=unit.side, hex=unit.hex, facing=unit.facing)
    first, _, rest = path.partition(" ")
    if (limit := _limit(unit, full, path, value)) is not None:
        _at_most(path, value, *limit)
        if path == "batteries" and isinstance(value, float) and not (value.is_integer() or state.options.fractional):
            raise NoPath(
                f"batteries must be whole points, not {value:g}: this game counts energy in whole points (B3.2)"
            )
    elif first == "suicide":
        _verify_bomb(unit, path, value)
    elif path == "hangar":
        _verify_hangar(unit, full, str(value))
    elif first == "boarders" and (rest not in state.sides or unit.belongs_to(rest)):
        others = ", ".join(side for side in state.sides if not unit.belongs_to(side))
        raise NoPath(f"{unit.name} can be boarded by {others}, not by {rest!r} (D7.0)")
    elif path == "captured from" and value not in ("", *state.sides):
        raise NoPath(f"there is no side {quoted(value)} in this game; the sides are {', '.join(state.sides)}")
    elif path in ("class", "name", "ship"):
        raise NoPath(unknown(unit, path))


def _limit(unit: Ship, full: Ship, path: str, value: Value) -> tuple[float, str] | None:
    """Return the highest number that a property of a ship can have, and the rule; ``None`` if there is no limit.

    ``full`` is the ship as it began, undamaged.
    """
    first, _, rest = path.partition(" ")
    if first == "shield" and rest in ("1", "2", "3", "4", "5", "6"):
        return full.shields[int(rest) - 1], "D3.1"
    if path in unit.boxes:
        return max(full.boxes.get(path, 0), unit.boxes[path]), "D4.1"
    if path == "capacitor":
        return capacity(unit.weapons), "H6.0"
    if path == "batteries":
        return unit.boxes.get("battery", 0), "B3.0"
    if path in unit.weapons and isinstance(value, int):
        return max(full.weapons[path].ammo, unit.weapons[path].ammo), "FD1.1"
    if first == "probe" and rest in unit.power.probes:
        return max(full.power.probes[rest].left, unit.power.probes[rest].left), "G5.12"
    return None


def _verify_bomb(unit: Ship, path: str, value: Value) -> None:
    """Check the energy that a suicide shuttle would have for each turn of arming (J2.221)."""
    chart = charts.shuttles().suicide[unit_level(unit)]
    for points in str(value).split():
        if points.isdecimal() and not chart.least <= int(points[:9]) <= chart.most:
            raise NoPath(f"{path} takes {chart.least} to {chart.most} points a turn, not {points} (J2.221)")


def _verify_hangar(unit: Ship, full: Ship, value: str) -> None:
    """Check that a ship would have only shuttles with which it began, and a box for each of them (J1.4)."""
    letters = set(value.upper().replace(",", "").replace(" ", ""))
    strange = sorted(letters - {*full.hangar, *unit.hangar})
    if strange:
        has = ", ".join(full.hangar) or "none"
        raise NoPath(f"{unit.name} has no shuttle {strange[0]}; it started with {has} (J1.4)")
    if len(letters) > unit.boxes.get("shuttle", 0):
        boxes = unit.boxes.get("shuttle", 0)
        raise NoPath(f"{unit.name} has {boxes} shuttle boxes for {len(letters)} shuttles (J1.4)")


def _of_a_monster(state: State, unit: Monster, path: str, value: Value) -> None:
    if path == "method":
        _at_most(path, value, len(charts.monsters().method), "scenario #11")
    elif path == "attacked by" and value != "" and value not in state.units:
        raise NoPath(f"there is no unit {quoted(value)} that can have attacked {unit.name}")


def _of_a_shuttle(state: State, unit: Shuttle, path: str, value: Value) -> None:
    if path == "damage" and isinstance(value, int) and condition(value) == DESTROYED:
        raise NoPath(f"{unit.name} is destroyed by {value} points (J1.32); write gone = destroyed")
    if path in ("crew", "parties") and value and unit.target:
        raise NoPath(f"{unit.name} is a suicide shuttle, so nobody is aboard (J2.22)")
    if path == "target" and unit.crew + unit.parties:
        raise NoPath(f"{unit.name} has people aboard, so it is not a suicide shuttle (J2.22)")
    if path == "target" and unit.landed:
        raise NoPath(f"{unit.name} is on {unit.landed}; a suicide shuttle flies (J2.22)")
    if path == "landed" and value != "":
        ground = state.units.get(str(value))
        if not isinstance(ground, Planet) or unit.hex not in ground.hexes:
            raise NoPath(f"{unit.name} can only be on a planet in its hex {unit.hex}, not on {quoted(value)} (P2.0)")


def _verify_target(state: State, unit: Seeker | Shuttle, value: Value) -> None:
    """Check that the target of a seeking weapon is another unit in play and not a planet (F2.0)."""
    target = state.units.get(str(value))
    if target is None:
        raise NoPath(f"there is no unit {quoted(value)} for {unit.name} to seek")
    if target.name == unit.name or isinstance(target, Planet) or not target.in_play:
        why = "it is itself" if target.name == unit.name else "a planet" if target.in_play else f"it is {target.gone}"
        raise NoPath(f"{unit.name} cannot seek {target.name}: {why} (F2.0)")


def _verify_hold(state: State, unit: Ship, beam: str, value: Value) -> None:
    """Check that a ship has the given tractor beam and may hold the unit with it (G7.26, G7.31, G7.32C).

    The unit must also be within the beam's reach.
    """
    beams = tuple(ascii_uppercase[: unit.boxes.get(SYSTEM, 0)])
    held = {link.beam for link in state.held_by(unit.name)}
    if beam not in (*beams, *held):
        raise NoPath(f"{unit.name} has no tractor beam {beam!r}; it has {', '.join(beams) or 'none'} (G7.3)")
    target = state.units.get(str(value))
    if value == "" or target is None or not target.in_play:
        return  # the ruling itself reports an unknown target
    if target.name == unit.name:
        raise NoPath(f"{unit.name} cannot hold itself (G7.32)")
    others = [link.ship for link in state.holders(target.name) if link.ship != unit.name]
    if others:
        raise NoPath(f"{target.name} is held by {others[0]} (G7.4)")
    try:
        verify_hold(state, unit, target)
    except NotAllowed as error:
        raise NoPath(f"{error.text} ({error.rule})") from error


def _at_most(path: str, value: Value, most: float, rule: str) -> None:
    if not isinstance(value, bool) and isinstance(value, int | float) and value > most:
        raise NoPath(f"{path} must be {most:g} or less, not {value:g} ({rule})")


def place_faults(state: State, name: str, at: str, source: str) -> list[Fault]:
    """Return the reasons why a unit cannot be placed at a hex and facing; an empty list if it can be placed there."""
    unit = state.units.get(name)
    if unit is None or not unit.in_play:
        return [Fault(code="unknown-unit", text=f"{name} is not in play", file=source)]
    if isinstance(unit, Planet):
        return [Fault(code="bad-position", text=f"{name} is a planet and cannot be moved", rule="P2.0", file=source)]
    if len(at) != 5 or not at[:4].isdecimal() or at[4] not in "ABCDEF" or not on_map(at[:4], state.map):
        said = f"{name} cannot be at {at!r}: write a hex from {state.map[0]} to {state.map[1]} and a facing A to F"
        return [Fault(code="bad-position", text=said, rule="C1.2", file=source)]
    return []
