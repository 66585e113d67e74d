"""Scenarios: sides, units, map, special rules and victory, one file each.

What players are told a game is about: the briefing of a scenario, and the words of the game explained.

All of it is written in words of our own; the rules' own sentences stand in the book.

Variants of a scenario: other versions that its text names, kept in its file as what is different.

``[variants.NAME]`` may hold any field of a scenario. Lists of named things (sides, units, seekers …) are gone through
by name: what is there is changed, what is not is added, ``without`` names what is left out. A table such as
``victory`` is changed field by field; anything else is replaced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
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
    """What a scenario is about. Everything may be left out.

    ``situation`` is told to everybody, ``sides`` to each side its own part alone; ``victory`` says in sentences how it
    is decided, ``counts`` what the grades of the scenario count (``drones shot down``); ``first`` is a word for who
    plays it for the first time.
    """

    situation: str = ""
    sides: dict[str, str] = {}
    victory: tuple[str, ...] = ()
    counts: str = ""
    first: str = ""


class Word(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A word of the game and what it means; ``chapters`` are the parts of the handbook it belongs to (any of them;
    empty: it is always wanted), ``rule`` where it stands.
    """

    word: str
    means: str
    chapters: tuple[str, ...] = ()
    rule: str = ""


class Glossary(Sourced, frozen=True, kw_only=True):
    """The whole file, in the order in which the words are told."""

    words: tuple[Word, ...]


@cache
def glossary() -> Glossary:
    """The shipped glossary. Raises :class:`GameError` with everything wrong in the file."""
    path = HERE / "glossary.toml"
    found = build(Glossary, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    twice = sorted({word.word for word in found.words if sum(one.word == word.word for one in found.words) > 1})
    refuse(path.name, *(f"words: {word!r} is explained twice" for word in twice))
    return found


def words_for(chapters: Collection[str]) -> tuple[Word, ...]:
    """The words a player of a scenario with these parts of the handbook meets."""
    return tuple(
        word for word in glossary().words if not word.chapters or any(name in chapters for name in word.chapters)
    )


VARIANTS, WITHOUT = "variants", "without"
NAMED = ("sides", "units", "seekers", "monsters", "terrain")
"""Lists of things that have a name."""


def variant_keys() -> tuple[str, ...]:
    """The keys of all variants of shipped scenarios: the scenario's number, a hyphen, the variant's name."""
    return _variant_keys(own_figures().token)


@cache
def _variant_keys(token: str) -> tuple[str, ...]:
    return tuple(
        f"{number}-{name}" for number in keys("scenario") for name in _variants(read_toml("scenario", number)[0])
    )


def read_scenario(key_or_path: str) -> tuple[dict[str, Any], str]:
    """The content of a scenario's file, or of one of its variants, and the name errors give it. Raises
    :class:`GameError`.
    """
    number, hyphen, name = key_or_path.partition("-")
    try:
        # Where it looks like a variant it may still be a user's own, in the folder of his game.
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
    """A scenario as a variant changes it."""
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


# Annotations are not put off: see pbem/engine/state.py.


class ScenarioSide(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A side: its team (allies share one) and race, what it is in the story, and whether a robot may play it;
    ``unless`` it does where no player is named.

    ``leaving`` says what leaving the map means for its ships: ``disengaged``, ``destroyed`` or
    ``forbidden``; ``exits`` are the columns (two digits) from which they may leave all the same, with
    ``exit_means`` instead.
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
"""Parts of the handbook a scenario may or may not use."""


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a freighter acts that nobody commands (scenario #3).

    It goes straight ahead at ``speed``, turns to ``turns_to`` when it reaches the column ``turns_at``, and fires every
    phaser once a turn on impulse ``fires_on``: at a drone sent at it, else at the nearest enemy ship. A player may fire
    them freely instead and turn them by 60 degrees at the start of a turn, if ``player`` allows one.
    """

    speed: int
    fires_on: int = 0
    turns_at: str = ""
    turns_to: str = ""
    player: bool = False


class ScenarioUnit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A ship at the start: key of its class, name, side, hex, facing.

    And speed of the turn before (for acceleration).

    ``optional`` units come only when asked for. ``immobile`` ones never move or fire; ``untouchable`` ones
    cannot be fired at, nor ``spared_by`` certain sides, whoever commands them. ``choices`` are other classes its
    player may take (empty: any); ``free_facing`` lets him choose
    the facing. ``arrives`` is the turn on whose first impulse it comes (0: it is there). ``speed`` is the speed of a
    ship without an energy form; ``script`` moves one nobody commands; ``disabled`` weapons cannot be used;
    ``invulnerable`` ships take no damage; ``parties`` replaces the boarding parties of its class, ``shields`` is the
    part of its shields it begins with.
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
    """A seeking weapon that is on the map when the scenario begins, at ``speed`` or (0) that of seeking weapons.

    ``motion`` is ``homing`` (it follows ``target``, F2.0) or ``straight`` (it never turns); ``endless`` ones are never
    removed for want of fuel; ``harmless`` ones do no damage.
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
    """A monster: a key of the chart of monsters, and the terrain it is after."""

    kind: str
    name: str
    side: str
    hex: str
    facing: str
    goal: str = ""


class Terrain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A planet or asteroids and the hexes they fill (P2.0, P3.0)."""

    kind: Literal["planet", "asteroids"]
    name: str
    hexes: tuple[str, ...]


class CadetTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What holds for a Cadet ship among standard ones: its level of the chart, energy for a hex, its damage chart."""

    level: str
    move_cost: Fraction
    damage: Literal["cadet dac"] = "cadet dac"


class Grade(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A result, for a count (of the victory's own kind) from ``least`` to ``most``."""

    result: str
    least: int = 0
    most: int = 9999


class Victory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the scenario is decided, and its parameters.

    ``duel``: a destroyed side loses; one that disengages has a draw and the other a tactical victory; if
    all are destroyed, all lose. ``dakota``: ``rescuer`` must end a step of movement in the hex of
    ``rescued`` (it is then marked ``mark``) and leave by an exit; otherwise it loses. ``none``: never.

    For the others ``side`` is the one whose result is graded, by ``grades``; its allies share its task and its result,
    and the rest have the opposite one:

    * ``drill``: seeking weapons shot down; it ends when none is left, one has left the map, or the ship has;
    * ``survive``: seeking weapons that are gone, while ``side`` has a ship; it is lost with the ship;
    * ``raid``: units in ``targets`` destroyed; lost when one of them leaves by the right edge, or the ship is gone;
    * ``piracy``: units in ``targets`` captured or towed off the map by the end of ``last_turn`` (0: whenever); a ship
      of ``side`` that is still there then counts as destroyed;
    * ``rescue``: crew units of ``count`` on the terrain ``goal`` that are aboard when the ships of ``side`` leave; it
      ends when these are gone or captured, and with ``last_turn``;
    * ``monster``: damage to the terrain ``goal`` when the monster is dead; lost with the goal or with the ship.
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
        """The result for a count; an empty string where there are no grades."""
        return next((grade.result for grade in self.grades if grade.least <= count <= grade.most), "")


class Scenario(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scenario.

    ``map`` is its first and last hex; ``damage`` the damage procedure (``cadet dac``, ``scenario 4``,
    ``standard dac``); ``acceleration`` how many hexes a turn a ship may gain (B3.0, line 14), ``max_speed``
    the fastest a ship may go (C1.42); ``robot_speed`` the speed of robot ships, ``robot_fire_range`` the
    range of their Primary Fire Point, ``robot_torpedo_range`` that at which they fire phasers at
    plasma torpedoes; ``capacitors`` ``""`` leaves them to the option. ``chapters`` are the parts of
    the handbook in use; ``drone_penalty`` whether FD1.52 counts; ``special_rule`` whether drones that no player guides
    fly by the special rule of F2.0; ``disengagement`` whether a captain may announce at the end of an impulse that his
    ship disengages: it is printed for duels (#10), and holds in these where nothing is said; ``cadet_ships`` what Cadet
    ships cost in a standard scenario. ``briefing`` is what its players are told it is about. ``variants`` are the
    titles of its other versions by name; ``variant`` is the name of the one this is.
    """

    number: str
    title: str
    level: Literal["cadet", "standard"]
    impulses: Literal[8, 16, 32]
    map: tuple[str, str]
    source: str
    confidence: Confidence
    confidence_of: dict[str, Confidence] = {}
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
        """By what it is called up: its number, and with it the name of a variant."""
        return f"{self.number}-{self.variant}" if self.variant else self.number

    @property
    def robot_allowed(self) -> bool:
        """Whether any side may be played by a robot."""
        return any(side.robot != "no" for side in self.sides)

    def uses(self, chapter: Chapter) -> bool:
        """Whether a part of the handbook is in use."""
        return chapter in self.chapters

    def hexes(self, kind: str) -> frozenset[str]:
        """All hexes of a kind of terrain: ``planet`` or ``asteroids``."""
        return frozenset(hex for terrain in self.terrain if terrain.kind == kind for hex in terrain.hexes)

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
    """A scenario by number (``"5"``, ``"#5"``) or the key of a variant (``"2-speed-6"``), or from a user's own file.

    Raises :class:`GameError` with every error.
    """
    key = str(key_or_path).removeprefix("#")
    return _shipped(key, own_figures().token) if key in keys("scenario") else _read(key)


@cache
def _shipped(key: str, token: str) -> Scenario:
    """``token`` tells scenarios with figures of one's own from those that are shipped."""
    return _read(key)


def _read(key_or_path: str) -> Scenario:
    raw, file = read_scenario(key_or_path)
    found = build(Scenario, raw, file)
    refuse(file, *_wrong(found))
    return found


FARTHEST = "98"
"""The last column or row a map may have: a ship that leaves it is for a moment in the hex beyond, and names have two
digits (C1.2).
"""


def _wrong(found: Scenario) -> list[str]:
    said = [*_wrong_map(found), *_wrong_sides(found)]
    said += _wrong_units(found, sound=not said)
    names = {unit.name for _, unit in _placed(found)}
    said += _wrong_extras(found, names)
    sides = [side.name for side in found.sides]
    said += [
        f"briefing.sides.{name}: {name!r} is none of {', '.join(sides)}"
        for name in found.briefing.sides
        if name not in sides
    ]
    for field in ("rescuer", "rescued"):
        name = getattr(found.victory, field)
        if found.victory.kind == "dakota" and name not in names:
            said.append(f"victory.{field}: {name!r} is none of the units")
    return said


def _wrong_map(found: Scenario) -> list[str]:
    said = [
        f"map[{number}]: {corner!r} is no hex of four digits"
        for number, corner in enumerate(found.map)
        if not _is_hex(corner)
    ]
    last = found.map[1]
    if not said and max(last[:2], last[2:]) > FARTHEST:
        said.append(
            f"map[1]: {last} is too far: the hexes beyond {FARTHEST}{FARTHEST} have no names to leave the map by"
        )
    (left, top), (right, low) = ((corner[:2], corner[2:]) for corner in found.map)
    if not said and (left > right or top > low):
        said.append(f"map: {last} is no lower right corner for {found.map[0]}, which is the upper left one")
    return said


def _wrong_sides(found: Scenario) -> list[str]:
    """What is wrong with the sides, and how fast their ships may be."""
    said = []
    sides = [side.name for side in found.sides]
    teams = {side.team for side in found.sides}
    if found.victory.kind == "duel" and len(sides) > 1 and len(teams) == 1:
        said.append(f"sides: all are of team {teams.pop()!r}, and nobody is left to fight in a duel")
    fastest = charts.turn_length(found.impulses).ship
    if not 0 < found.max_speed <= fastest:
        said.append(f"max_speed: {found.max_speed} is not 1 to {fastest}, the most in {found.impulses} impulses")
    if len(set(sides)) != len(sides):
        said.append("sides: two sides have the same name")
    for number, side in enumerate(found.sides):
        if side.race not in charts.races():
            said.append(f"sides[{number}].race: {side.race!r} is none of {', '.join(charts.races())}")
    return said


def _placed(found: Scenario) -> list[tuple[str, ScenarioUnit | ScenarioSeeker | ScenarioMonster]]:
    """All that stands on the map, and where in the file."""
    return [
        *((f"units[{number}]", unit) for number, unit in enumerate(found.units)),
        *((f"seekers[{number}]", seeker) for number, seeker in enumerate(found.seekers)),
        *((f"monsters[{number}]", monster) for number, monster in enumerate(found.monsters)),
    ]


def _wrong_units(found: Scenario, *, sound: bool) -> list[str]:
    """What is wrong with where units stand, and whose they are; the map is asked for them where it is ``sound``."""
    said: list[str] = []
    sides = [side.name for side in found.sides]
    names: set[str] = set()
    for place, unit in _placed(found):
        if unit.side not in sides:
            said.append(f"{place}.side: {unit.side!r} is none of {', '.join(sides)}")
        if not _is_hex(unit.hex):
            said.append(f"{place}.hex: {unit.hex!r} is no hex of four digits")
        elif sound and not said and not _inside(unit.hex, found.map):
            said.append(f"{place}.hex: {unit.hex} is not on the map {found.map[0]} to {found.map[1]}")
        if unit.facing not in tuple("ABCDEF"):
            said.append(f"{place}.facing: {unit.facing!r} is none of A to F")
        if unit.name in names:
            said.append(f"{place}.name: there are two units {unit.name}")
        names.add(unit.name)
    return said


def _wrong_extras(found: Scenario, names: set[str]) -> list[str]:
    """What is wrong with terrain, scripts, seeking weapons, monsters and the parameters of victory."""
    said = []
    lands = {terrain.name for terrain in found.terrain}
    sides = {side.name for side in found.sides}
    for number, terrain in enumerate(found.terrain):
        bad = [hex for hex in terrain.hexes if not _is_hex(hex) or not _inside(hex, found.map)]
        said += [f"terrain[{number}].hexes: {hex!r} is no hex of the map" for hex in bad]
    for number, unit in enumerate(found.units):
        script = unit.script
        if script and not 0 <= script.fires_on <= found.impulses:
            said.append(f"units[{number}].script.fires_on: {script.fires_on} is no impulse of {found.impulses}")
        if script and bool(script.turns_at) != (script.turns_to in tuple("ABCDEF")):
            said.append(f"units[{number}].script: turns_at needs a facing A to F in turns_to, and the other way round")
        said += [
            f"units[{number}].spared_by: {name!r} is none of the sides" for name in unit.spared_by if name not in sides
        ]
        if unit.arrives < 0:
            said.append(f"units[{number}].arrives: {unit.arrives} is less than 0")
    for number, seeker in enumerate(found.seekers):
        if (seeker.motion == Motion.HOMING or seeker.target) and seeker.target not in names:
            said.append(f"seekers[{number}].target: {seeker.target!r} is none of the units")
    kinds = charts.monsters().kinds
    for number, monster in enumerate(found.monsters):
        if monster.kind not in kinds:
            said.append(f"monsters[{number}].kind: {monster.kind!r} is none of {', '.join(kinds)}")
        if monster.goal and monster.goal not in lands:
            said.append(f"monsters[{number}].goal: {monster.goal!r} is no terrain of the scenario")
    terms, levels = found.cadet_ships, charts.levels().levels
    if terms and terms.level not in levels:
        said.append(f"cadet_ships.level: {terms.level!r} is none of {', '.join(levels)}")
    victory = found.victory
    if victory.side and victory.side not in {side.name for side in found.sides}:
        said.append(f"victory.side: {victory.side!r} is none of the sides")
    said += [f"victory.targets: {name!r} is none of the units" for name in victory.targets if name not in names]
    if victory.goal and victory.goal not in lands:
        said.append(f"victory.goal: {victory.goal!r} is no terrain of the scenario")
    return said


def _is_hex(text: str) -> bool:
    return len(text) == 4 and text.isascii() and text.isdecimal()


def _inside(text: str, corners: tuple[str, str]) -> bool:
    first, last = corners
    return first[:2] <= text[:2] <= last[:2] and first[2:] <= text[2:] <= last[2:]
