"""Scenarios, one file each: sides, units, map, special rules, victory and briefing.

A variant is another version of a scenario that the scenario's text mentions. The scenario's file stores a variant
as changes under ``[variants.NAME]``, which may hold any field of a scenario. Lists of named things (sides, units,
seekers …) are merged by name: existing things are changed, new ones are added, and ``without`` names the things to
remove. A table such as ``victory`` is merged field by field; any other field is replaced.

The briefings and the glossary are worded by this project, not copied from the rulebook.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from pbem.data import charts
from pbem.data.files import Confidence, Sourced, build, keys, own_figures, read_toml, refuse
from pbem.data.terms import Motion
from pbem.errors import Fault, GameError

HERE = Path(__file__).parent


class Briefing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts for the players of a scenario; every field is optional.

    Attributes:
        situation: The text for all sides.
        sides: By side, a text that only this side may read.
        victory: Sentences on how the scenario is decided.
        counts: What is counted to determine the result (``drones shot down``).
        first: Advice for a player who is new to the scenario.
    """

    situation: str = ""
    sides: dict[str, str] = {}
    victory: tuple[str, ...] = ()
    counts: str = ""
    first: str = ""


class GlossaryTerm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A term of the game and its meaning.

    ``chapters`` are the parts of the handbook to which the term belongs. The term is shown if a scenario uses any of
    these parts, or always if ``chapters`` is empty. ``rule`` is the number of the rule that defines it.
    """

    word: str
    means: str
    chapters: tuple[str, ...] = ()
    rule: str = ""


class Glossary(Sourced, frozen=True, kw_only=True):
    """The content of the glossary file, in the order in which terms are explained."""

    words: tuple[GlossaryTerm, ...]


@cache
def glossary() -> Glossary:
    """Return the shipped glossary.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    path = HERE / "glossary.toml"
    found = build(Glossary, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    twice = sorted({word.word for word in found.words if sum(one.word == word.word for one in found.words) > 1})
    refuse(path.name, *(f"words: {word!r} is explained twice" for word in twice))
    return found


def words_for(chapters: Collection[str]) -> tuple[GlossaryTerm, ...]:
    """Return the glossary terms to show for a scenario that uses these parts of the handbook."""
    return tuple(
        word for word in glossary().words if not word.chapters or any(name in chapters for name in word.chapters)
    )


VARIANTS, WITHOUT = "variants", "without"
NAMED = ("sides", "units", "seekers", "monsters", "terrain")
"""The fields of a scenario that are lists of named things, so that variants can change single items by name."""


def variant_keys() -> tuple[str, ...]:
    """Return the keys of all variants of shipped scenarios: number, hyphen, name, as in ``2-speed-6``."""
    return _variant_keys(own_figures().token)


@cache
def _variant_keys(token: str) -> tuple[str, ...]:
    return tuple(
        f"{number}-{name}" for number in keys("scenario") for name in _variants(read_toml("scenario", number)[0])
    )


def read_scenario(key_or_path: str) -> tuple[dict[str, Any], str]:
    """Return the content of the file of a scenario or variant, and the file's name for error messages.

    Raises:
        GameError: There is no such scenario or variant, or the file cannot be read.
    """
    number, hyphen, name = key_or_path.partition("-")
    try:
        # A key like that of a variant may also be a user's own scenario in the game folder.
        raw, file = read_toml("scenario", key_or_path)
        return {**raw, VARIANTS: _titles(raw)}, file
    except GameError as error:
        if not hyphen or number not in keys("scenario") or error.faults[0].code != "unknown-scenario":
            raise
        raw, file = read_toml("scenario", number)
        known = _variants(raw)
        if name not in known:
            of = f"its variants are {', '.join(known)}" if known else "it has no variants"
            text = f"scenario #{number} has no variant {name!r}; {of}"
            raise GameError(Fault(code="unknown-scenario", text=text, choices=tuple(known))) from error
    return {**varied(raw, known[name]), VARIANTS: {}, "variant": name}, file


def _variants(raw: Mapping[str, Any]) -> dict[str, Any]:
    found = raw.get(VARIANTS, {})
    return found if isinstance(found, dict) else {}


def _titles(raw: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: str(changes.get("title", "")) for name, changes in _variants(raw).items() if isinstance(changes, dict)
    }


def varied(raw: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a scenario's file content ``raw`` with the ``changes`` of one variant merged in."""
    found = {key: value for key, value in raw.items() if key != VARIANTS}
    for key, value in changes.items():
        old = found.get(key)
        if key in NAMED:
            found[key] = _merged(old or [], value)
        elif key == WITHOUT:
            continue
        else:
            found[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    gone = changes.get(WITHOUT, ())
    for key in NAMED:
        if key in found:
            found[key] = [thing for thing in found[key] if thing.get("name") not in gone]
    return found


def _merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    changed = {thing.get("name"): thing for thing in new}
    found = [{**thing, **changed.pop(thing.get("name"), {})} for thing in old]
    return [*found, *changed.values()]


# No "from __future__ import annotations" here: see pbem/engine/state.py.


class ScenarioSide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side of a scenario: its team, race and role, and whether a robot may play it.

    Allies have the same team.

    Attributes:
        robot: Whether a robot plays the side: ``no``, ``may``, ``must``, or ``unless`` (if no player is named for
            the side).
        leaving: How a ship that leaves the map counts: ``disengaged``, ``destroyed``, or ``forbidden`` if it may
            not leave.
        exits: The columns (two digits) in which its ships may leave the map; ``exit_means`` says how such ships count.
    """

    name: str
    team: str
    race: str
    role: str = ""
    robot: Literal["no", "may", "unless", "must"] = "may"
    leaving: Literal["disengaged", "destroyed", "forbidden"] = "disengaged"
    exits: tuple[str, ...] = ()
    exit_means: str = "left the map"


Chapter = Literal[
    "energy", "seeking", "cadet cloak", "cloak", "lock-on", "boarding", "tractors", "transporters", "shuttles",
    "terrain", "sideslip", "tac", "reinforcement", "reserve", "damage control", "mutiny", "labs", "probes", "monster",
]  # fmt: skip
"""The names of the parts of the handbook that a scenario may use."""


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The behavior of a freighter that no player commands (scenario #3).

    The freighter flies straight ahead at ``speed`` and turns to the facing ``turns_to`` when it reaches the column
    ``turns_at``. Once a turn, on impulse ``fires_on``, it fires every phaser. The target is a drone that was
    launched at the freighter or, if there is none, the nearest enemy ship. If ``player`` is set, a player may fire
    the phasers freely instead, and may turn the freighter by 60 degrees at the start of a turn.
    """

    speed: int
    fires_on: int = 0
    turns_at: str = ""
    turns_to: str = ""
    player: bool = False


class ScenarioUnit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship at the start of a scenario: class, name, side, hex, facing, and its speed in the turn before.

    Attributes:
        ship: The key of the ship's class.
        prior_speed: The speed in the turn before, in hexes a turn; it limits the acceleration.
        optional: Whether the ship takes part only if this is requested when the game is made.
        immobile: Whether the ship never moves and never fires.
        untouchable: Whether nobody can fire at the ship.
        spared_by: Sides that cannot fire at the ship, no matter which player commands it.
        invulnerable: Whether the ship takes no damage.
        choices: Other classes that the ship's player may choose; empty means any class.
        free_facing: Whether the player chooses the facing.
        arrives: The turn in whose first impulse the ship arrives; 0 if it is present from the start.
        speed: The speed of a ship without an energy form.
        script: How the ship moves if no player commands it.
        disabled: Weapons that cannot be used.
        parties: The number of boarding parties, if it differs from the number of the class.
        shields: The fraction of its shield boxes with which the ship begins.
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
    spared_by: tuple[str, ...] = ()
    invulnerable: bool = False
    choices: tuple[str, ...] = ()
    free_facing: bool = False
    arrives: int = 0
    speed: int | None = None
    script: Script | None = None
    disabled: tuple[str, ...] = ()
    parties: int | None = None
    shields: Fraction = Fraction(1)


class ScenarioSeeker(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A seeking weapon that is on the map when the scenario begins.

    Attributes:
        name: The name of the weapon.
        side: The side that it belongs to.
        hex: The hex at the start.
        facing: The facing at the start.
        target: The unit that it follows; empty if it follows no unit.
        speed: The weapon's speed in hexes a turn; 0 for the usual speed of seeking weapons.
        motion: ``homing`` (the weapon follows ``target``, F2.0) or ``straight`` (it never turns).
        endless: Whether the weapon stays on the map when its endurance ends.
        harmless: Whether the weapon does no damage.
    """

    name: str
    side: str
    hex: str
    facing: str
    target: str = ""
    speed: int = 0
    motion: Motion = Motion.HOMING
    endless: bool = True
    harmless: bool = False


class ScenarioMonster(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A monster at the start of a scenario.

    Attributes:
        kind: Its key in the chart of monsters.
        name: Its name.
        side: The side that it belongs to.
        hex: The hex at the start.
        facing: The facing at the start.
        goal: The name of the planet to which it moves; empty if there is no such planet.
    """

    kind: str
    name: str
    side: str
    hex: str
    facing: str
    goal: str = ""


class Terrain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A planet or asteroids, and the hexes they fill (P2.0, P3.0)."""

    kind: Literal["planet", "asteroids"]
    name: str
    hexes: tuple[str, ...]


class CadetTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Data on Cadet ships in a standard scenario: level, movement cost in energy points, damage chart."""

    level: str
    move_cost: Fraction
    damage: Literal["cadet dac"] = "cadet dac"


class Grade(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A result of a scenario, which applies if the count is from ``least`` to ``most``.

    The kind of victory (:class:`Victory`) decides what is counted.
    """

    result: str
    least: int = 0
    most: int = 9999


class Victory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The way in which a scenario is decided: the kind of victory, and its parameters.

    ``duel``: a side whose ships are destroyed loses. If a side disengages, it gets a draw and the other side a
    tactical victory. If the ships of all sides are destroyed, all sides lose. ``dakota``: the ship ``rescuer`` must
    end a step of movement in the hex of ``rescued``, which is then marked ``mark``. The rescuer must then leave by
    an exit, or else it loses. ``none``: the scenario is never decided.

    For the other kinds, something is counted for ``side``. ``grades`` turn the count into its result; the other
    sides have the opposite result:

    * ``drill``: counts seeking weapons shot down; the scenario ends when no seeking weapon is left, or when a
      seeking weapon or the ship has left the map;
    * ``survive``: counts seeking weapons that are gone while ``side`` has a ship; the scenario is lost if the ship
      is lost;
    * ``raid``: counts the units in ``targets`` that are destroyed; the scenario is lost when one of them leaves the
      map by the right edge, or when the ship is gone;
    * ``piracy``: counts the units in ``targets`` that are captured or towed off the map by the end of ``last_turn``
      (0: at any time); a ship of ``side`` that is still on the map then counts as destroyed;
    * ``rescue``: counts how many of the ``count`` crew units on the terrain ``goal`` are aboard when the ships of
      ``side`` leave; the scenario ends when these ships are gone or captured, and at the end of ``last_turn``;
    * ``monster``: counts damage to the terrain ``goal`` when the monster is dead; the scenario is lost if the goal
      or the ship is lost.
    """

    kind: Literal["duel", "dakota", "none", "drill", "survive", "raid", "piracy", "rescue", "monster"]
    rescuer: str = ""
    rescued: str = ""
    mark: str = ""
    side: str = ""
    targets: tuple[str, ...] = ()
    goal: str = ""
    count: int = 0
    last_turn: int = 0
    grades: tuple[Grade, ...] = ()
    source: str = ""
    confidence: Confidence = "designed"

    def grade(self, count: int) -> str:
        """Return the result for a count of this size, or ``""`` if the victory has no grades."""
        return next((grade.result for grade in self.grades if grade.least <= count <= grade.most), "")


class ScenarioHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The name, the level and the map of a scenario, and where its figures come from.

    Attributes:
        number: The number of the scenario.
        title: The title.
        level: The level of the rules.
        impulses: The number of impulses in a turn.
        map: The first and the last hex of the map.
        source: Where the figures come from.
        confidence: How reliable the figures are.
        confidence_of: The confidence of single fields that differs from ``confidence``.
    """

    number: str
    title: str
    level: Literal["cadet", "standard"]
    impulses: Literal[8, 16, 32]
    map: tuple[str, str]
    source: str
    confidence: Confidence
    confidence_of: dict[str, Confidence] = {}


class Scenario(ScenarioHead, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario, with the fields of its file.

    Attributes:
        victory: The victory conditions.
        damage: The damage procedure (``cadet dac``, ``scenario 4``, ``standard dac`` …).
        acceleration: The maximum increase of a ship's speed from turn to turn, in hexes a turn (B3.0, line 14).
        max_speed: The highest speed of a ship in hexes a turn (C1.42).
        robot_speed: The speed of robot ships in hexes a turn.
        robot_fire_range: The range in hexes of a robot's Primary Fire Point.
        robot_torpedo_range: The range in hexes at which robots fire phasers at plasma torpedoes.
        capacitors: How full the phaser capacitors are at the start; ``""`` means that the option of the game decides.
        sides: The sides.
        units: The ships.
        seekers: Seeking weapons that are on the map at the start.
        monsters: The monsters.
        terrain: Planets and asteroids.
        chapters: The parts of the handbook in use.
        drone_penalty: Whether drones are harder to hit because they are small (FD1.52).
        special_rule: Whether drones that no player guides fly by the special rule of F2.0.
        disengagement: Whether a player may announce at the end of an impulse that a ship disengages. This is printed
            for duels (#10), and applies to duels by default.
        cadet_ships: The figures for Cadet ships in a standard scenario.
        rules: The special rules as sentences.
        notes: Remarks about the file.
        briefing: The texts about the scenario that its players read.
        variants: The titles of its variants, by name.
        variant: The name of the variant, if this is a variant; ``""`` for the scenario itself.
    """

    victory: Victory
    damage: Literal["cadet dac", "scenario 2", "scenario 3", "scenario 4", "standard dac"] = "cadet dac"
    acceleration: int = 8
    max_speed: int = 16
    robot_speed: int = 0
    robot_fire_range: int = 0
    robot_torpedo_range: int = 0
    capacitors: Literal["", "empty", "full"] = ""
    sides: tuple[ScenarioSide, ...]
    units: tuple[ScenarioUnit, ...]
    seekers: tuple[ScenarioSeeker, ...] = ()
    monsters: tuple[ScenarioMonster, ...] = ()
    terrain: tuple[Terrain, ...] = ()
    chapters: tuple[Chapter, ...] = ()
    drone_penalty: bool = True
    special_rule: bool = False
    disengagement: bool | None = None
    cadet_ships: CadetTerms | None = None
    rules: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    briefing: Briefing = Briefing()
    variants: dict[str, str] = {}
    variant: str = ""

    @property
    def key(self) -> str:
        """The key of the scenario: its number; for a variant also a hyphen and the variant's name."""
        return f"{self.number}-{self.variant}" if self.variant else self.number

    @property
    def robot_allowed(self) -> bool:
        """Whether a robot may play at least one side."""
        return any(side.robot != "no" for side in self.sides)

    def uses(self, chapter: Chapter) -> bool:
        """Return whether the scenario uses this part of the handbook."""
        return chapter in self.chapters

    def hexes(self, kind: str) -> frozenset[str]:
        """Return all hexes of one kind of terrain in the scenario: ``planet`` or ``asteroids``."""
        return frozenset(hex for terrain in self.terrain if terrain.kind == kind for hex in terrain.hexes)

    def side(self, name: str) -> ScenarioSide:
        """Return the side with this name.

        Raises:
            KeyError: There is no side with that name.
        """
        for side in self.sides:
            if side.name == name:
                return side
        raise KeyError(name)

    def keeps_on_map(self, side: str) -> bool:
        """Return whether the units of a side may not leave the map."""
        return any(one.name == side and one.leaving == "forbidden" for one in self.sides)

    def units_of(self, side: str) -> list[ScenarioUnit]:
        """Return the ships that belong to a side when the scenario begins, in the order of the file."""
        return [unit for unit in self.units if unit.side == side]

    def unit(self, name: str) -> ScenarioUnit:
        """Return the unit with this name.

        Raises:
            KeyError: There is no unit with that name.
        """
        for unit in self.units:
            if unit.name == name:
                return unit
        raise KeyError(name)


def scenario_keys() -> list[str]:
    """Return the numbers of all shipped scenarios."""
    return list(keys("scenario"))


def scenario(key_or_path: str | Path) -> Scenario:
    """Return a scenario by number (``"5"``, ``"#5"``), variant key (``"2-speed-6"``) or path of a user's file.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    key = str(key_or_path).removeprefix("#")
    return _shipped(key, own_figures().token) if key in keys("scenario") else _read(key)


@cache
def _shipped(key: str, token: str) -> Scenario:
    """Return a shipped scenario; results are cached.

    ``token`` is only a part of the cache key. It identifies the custom figures (charts) in use.
    """
    return _read(key)


def _read(key_or_path: str) -> Scenario:
    raw, file = read_scenario(key_or_path)
    found = build(Scenario, raw, file)
    refuse(file, *_wrong(found))
    return found


FARTHEST = "98"
"""The highest column or row that a map may have.

A ship that leaves the map is briefly in the hex beyond it. That hex needs a name too, and names of hexes have two
digits for column and row (C1.2).
"""


def _wrong(found: Scenario) -> list[str]:
    said = [*_wrong_map(found), *_wrong_sides(found)]
    said += _wrong_units(found, sound=not said)
    names = {unit.name for _, unit in _placed(found)}
    said += _wrong_extras(found, names)
    sides = [side.name for side in found.sides]
    said += [
        f"briefing.sides.{name}: {name!r} must be one of {', '.join(sides)}"
        for name in found.briefing.sides
        if name not in sides
    ]
    for field in ("rescuer", "rescued"):
        name = getattr(found.victory, field)
        if found.victory.kind == "dakota" and name not in names:
            said.append(f"victory.{field}: {name!r} must be the name of a unit")
    return said


def _wrong_map(found: Scenario) -> list[str]:
    said = [
        f"map[{number}]: {corner!r} is not a hex of four digits"
        for number, corner in enumerate(found.map)
        if not _is_hex(corner)
    ]
    last = found.map[1]
    if not said and max(last[:2], last[2:]) > FARTHEST:
        said.append(f"map[1]: {last} is too far: hexes beyond {FARTHEST}{FARTHEST} have no number")
    (left, top), (right, low) = ((corner[:2], corner[2:]) for corner in found.map)
    if not said and (left > right or top > low):
        said.append(f"map: {last} must be the lower right corner; {found.map[0]} is the upper left one")
    return said


def _wrong_sides(found: Scenario) -> list[str]:
    """Return the faults of a scenario's sides and of its maximum speed."""
    said = []
    sides = [side.name for side in found.sides]
    teams = {side.team for side in found.sides}
    if found.victory.kind == "duel" and len(sides) > 1 and len(teams) == 1:
        said.append(f"sides: all are in team {teams.pop()!r}; a duel needs two teams")
    fastest = charts.turn_length(found.impulses).ship
    if not 0 < found.max_speed <= fastest:
        said.append(f"max_speed: {found.max_speed} must be from 1 to {fastest} with {found.impulses} impulses a turn")
    if len(set(sides)) != len(sides):
        said.append("sides: two sides have the same name")
    for number, side in enumerate(found.sides):
        if side.race not in charts.races():
            said.append(f"sides[{number}].race: {side.race!r} must be one of {', '.join(charts.races())}")
    return said


def _placed(found: Scenario) -> list[tuple[str, ScenarioUnit | ScenarioSeeker | ScenarioMonster]]:
    """Return (path in the file, unit) for all units, seeking weapons and monsters of a scenario.

    A path is a text like ``units[0]``.
    """
    return [
        *((f"units[{number}]", unit) for number, unit in enumerate(found.units)),
        *((f"seekers[{number}]", seeker) for number, seeker in enumerate(found.seekers)),
        *((f"monsters[{number}]", monster) for number, monster in enumerate(found.monsters)),
    ]


def _wrong_units(found: Scenario, *, sound: bool) -> list[str]:
    """Return the faults of a scenario's units, seeking weapons and monsters: sides, hexes, facings and names.

    ``sound`` says whether the map is valid. If it is not, positions are not checked against the map.
    """
    said: list[str] = []
    sides = [side.name for side in found.sides]
    names: set[str] = set()
    for place, unit in _placed(found):
        if unit.side not in sides:
            said.append(f"{place}.side: {unit.side!r} must be one of {', '.join(sides)}")
        if not _is_hex(unit.hex):
            said.append(f"{place}.hex: {unit.hex!r} is not a hex of four digits")
        elif sound and not said and not _inside(unit.hex, found.map):
            said.append(f"{place}.hex: {unit.hex} is not on the map {found.map[0]} to {found.map[1]}")
        if unit.facing not in tuple("ABCDEF"):
            said.append(f"{place}.facing: {unit.facing!r} must be A to F")
        if unit.name in names:
            said.append(f"{place}.name: there are two units {unit.name}")
        names.add(unit.name)
    return said


def _wrong_extras(found: Scenario, names: set[str]) -> list[str]:
    """Return the faults of a scenario's terrain, scripts, seeking weapons, monsters and victory conditions."""
    said = []
    lands = {terrain.name for terrain in found.terrain}
    sides = {side.name for side in found.sides}
    for number, terrain in enumerate(found.terrain):
        bad = [hex for hex in terrain.hexes if not _is_hex(hex) or not _inside(hex, found.map)]
        said += [f"terrain[{number}].hexes: {hex!r} is not a hex of the map" for hex in bad]
    for number, unit in enumerate(found.units):
        said += _wrong_unit_extras(f"units[{number}]", unit, found.impulses, sides)
    for number, seeker in enumerate(found.seekers):
        if (seeker.motion == Motion.HOMING or seeker.target) and seeker.target not in names:
            said.append(f"seekers[{number}].target: {seeker.target!r} must be the name of a unit")
    for number, monster in enumerate(found.monsters):
        said += _wrong_monster(f"monsters[{number}]", monster, lands)
    terms, levels = found.cadet_ships, charts.levels().levels
    if terms and terms.level not in levels:
        said.append(f"cadet_ships.level: {terms.level!r} must be one of {', '.join(levels)}")
    return said + list(_wrong_victory(found.victory, sides, names, lands))


def _wrong_unit_extras(place: str, unit: ScenarioUnit, impulses: int, sides: Collection[str]) -> Iterator[str]:
    """Yield the faults in a unit's ``script``, ``spared_by`` and ``arrives`` fields."""
    script = unit.script
    if script and not 0 <= script.fires_on <= impulses:
        yield f"{place}.script.fires_on: {script.fires_on} is not an impulse from 1 to {impulses}"
    if script and bool(script.turns_at) != (script.turns_to in tuple("ABCDEF")):
        yield f"{place}.script: turns_at and turns_to (a facing A to F) need each other"
    for name in unit.spared_by:
        if name not in sides:
            yield f"{place}.spared_by: {name!r} must be the name of a side"
    if unit.arrives < 0:
        yield f"{place}.arrives: {unit.arrives} is less than 0"


def _wrong_monster(place: str, monster: ScenarioMonster, lands: Collection[str]) -> Iterator[str]:
    """Yield the faults of a monster's kind and goal; ``lands`` are the names of the scenario's terrain."""
    kinds = charts.monsters().kinds
    if monster.kind not in kinds:
        yield f"{place}.kind: {monster.kind!r} must be one of {', '.join(kinds)}"
    if monster.goal and monster.goal not in lands:
        yield f"{place}.goal: {monster.goal!r} is not terrain of the scenario"


def _wrong_victory(
    victory: Victory, sides: Collection[str], names: Collection[str], lands: Collection[str]
) -> Iterator[str]:
    """Yield a fault for each side, unit or terrain in the victory conditions that the scenario does not have.

    ``names`` are the units of the scenario, ``lands`` its terrain.
    """
    if victory.side and victory.side not in sides:
        yield f"victory.side: {victory.side!r} must be the name of a side"
    for name in victory.targets:
        if name not in names:
            yield f"victory.targets: {name!r} must be the name of a unit"
    if victory.goal and victory.goal not in lands:
        yield f"victory.goal: {victory.goal!r} is not terrain of the scenario"


def _is_hex(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdecimal()


def _inside(text: str, corners: tuple[str, str]) -> bool:
    first, last = corners
    return first[:2] <= text[:2] <= last[:2] and first[2:] <= text[2:] <= last[2:]
