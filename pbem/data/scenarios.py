"""Scenarios: sides, units, map, special rules and victory, one file each."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from pbem.data import charts
from pbem.data.files import Confidence, build, keys, read_toml, refuse


class ScenarioSide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side: its team (allies share one) and race, what it is in the story, and whether a robot may play it.

    ``leaving`` says what leaving the map means for its ships: ``disengaged``, ``destroyed`` or
    ``forbidden``; ``exits`` are the columns (two digits) from which they may leave all the same, with
    ``exit_means`` instead.
    """

    name: str
    team: str
    race: str
    role: str = ""
    robot: Literal["no", "may", "must"] = "may"
    leaving: Literal["disengaged", "destroyed", "forbidden"] = "disengaged"
    exits: tuple[str, ...] = ()
    exit_means: str = "left the map"


class ScenarioUnit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship at the start: key of its class, name, side, hex, facing.

    And speed of the turn before (for acceleration).

    ``optional`` units come only when asked for. ``immobile`` ones never move or fire; ``untouchable`` ones
    cannot be fired at.
    """

    ship: str
    name: str
    side: str
    hex: str
    facing: str
    prior_speed: int = 0
    optional: bool = False
    immobile: bool = False
    untouchable: bool = False


class Victory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the scenario is decided, and its parameters.

    ``duel``: a destroyed side loses; one that disengages has a draw and the other a tactical victory; if
    all are destroyed, all lose. ``dakota``: ``rescuer`` must end a step of movement in the hex of
    ``rescued`` (it is then marked ``mark``) and leave by an exit; otherwise it loses. ``none``: never.
    """

    kind: Literal["duel", "dakota", "none"]
    rescuer: str = ""
    rescued: str = ""
    mark: str = ""
    source: str = ""
    confidence: Confidence = "designed"


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario.

    ``map`` is its first and last hex; ``damage`` the damage procedure (``cadet dac``, ``scenario 4``,
    ``standard dac``); ``acceleration`` how many hexes a turn a ship may gain (B3.0, line 14), ``max_speed``
    the fastest a ship may go (C1.42); ``robot_speed`` the speed of robot ships, ``robot_fire_range`` the
    range of their Primary Fire Point; ``capacitors`` ``""`` leaves them to the option.
    """

    number: str
    title: str
    level: Literal["cadet", "standard"]
    impulses: Literal[8, 16, 32]
    map: tuple[str, str]
    source: str
    confidence: Confidence
    victory: Victory
    damage: Literal["cadet dac", "scenario 4", "standard dac"] = "cadet dac"
    acceleration: int = 8
    max_speed: int = 16
    robot_speed: int = 0
    robot_fire_range: int = 0
    capacitors: Literal["", "empty", "full"] = ""
    sides: tuple[ScenarioSide, ...]
    units: tuple[ScenarioUnit, ...]
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def robot_allowed(self) -> bool:
        """Whether any side may be played by a robot."""
        return any(side.robot != "no" for side in self.sides)

    def side(self, name: str) -> ScenarioSide:
        """A side by name. Raises ``KeyError``."""
        for side in self.sides:
            if side.name == name:
                return side
        raise KeyError(name)

    def unit(self, name: str) -> ScenarioUnit:
        """A unit by name. Raises ``KeyError``."""
        for unit in self.units:
            if unit.name == name:
                return unit
        raise KeyError(name)


def scenario_keys() -> list[str]:
    """The numbers of all shipped scenarios."""
    return list(keys("scenario"))


def scenario(key_or_path: str | Path) -> Scenario:
    """A scenario by number (``"5"``, ``"#5"``), or from a user's own file.

    Raises :class:`GameError` with every error.
    """
    text = str(key_or_path)
    raw, file = read_toml("scenario", text.removeprefix("#"))
    found = build(Scenario, raw, file)
    refuse(file, *_wrong(found))
    return found


def _wrong(found: Scenario) -> list[str]:
    said = [
        f"map[{number}]: {corner!r} is no hex of four digits"
        for number, corner in enumerate(found.map)
        if not _is_hex(corner)
    ]
    sides = [side.name for side in found.sides]
    names: set[str] = set()
    fastest = charts.turn_length(found.impulses).ship
    if not 0 < found.max_speed <= fastest:
        said.append(f"max_speed: {found.max_speed} is not 1 to {fastest}, the most in {found.impulses} impulses")
    if len(set(sides)) != len(sides):
        said.append("sides: two sides have the same name")
    for number, side in enumerate(found.sides):
        if side.race not in charts.races():
            said.append(f"sides[{number}].race: {side.race!r} is none of {', '.join(charts.races())}")
    for number, unit in enumerate(found.units):
        place = f"units[{number}]"
        if unit.side not in sides:
            said.append(f"{place}.side: {unit.side!r} is none of {', '.join(sides)}")
        if not _is_hex(unit.hex):
            said.append(f"{place}.hex: {unit.hex!r} is no hex of four digits")
        elif not said and not _inside(unit.hex, found.map):
            said.append(f"{place}.hex: {unit.hex} is not on the map {found.map[0]} to {found.map[1]}")
        if unit.facing not in tuple("ABCDEF"):
            said.append(f"{place}.facing: {unit.facing!r} is none of A to F")
        if unit.name in names:
            said.append(f"{place}.name: there are two units {unit.name}")
        names.add(unit.name)
    for field in ("rescuer", "rescued"):
        name = getattr(found.victory, field)
        if found.victory.kind == "dakota" and name not in names:
            said.append(f"victory.{field}: {name!r} is none of the units")
    return said


def _is_hex(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdigit()


def _inside(text: str, corners: tuple[str, str]) -> bool:
    first, last = corners
    return first[:2] <= text[:2] <= last[:2] and first[2:] <= text[2:] <= last[2:]
