"""Read and set state paths: names such as ``shield 3`` for a property of a unit.

Rule cases and umpires use state paths. Variants such as ``shield_1``, ``left warp`` and ``ph1`` are understood too;
docs/cases.md lists the standard spellings. Numbers always say what is left, e.g. how many boxes, drones or charged
batteries. :mod:`pbem.engine.rulings` decides which paths an umpire may set in a running game.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from msgspec.structs import replace

from pbem.data import charts, files
from pbem.data.files import NotToml, parse_toml
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, Fuse, MutinyState, Purpose, UnitFate, WeaponState
from pbem.engine.on_file import altered, has_word, value_of
from pbem.engine.state import AnyUnit, Bomb, ProbeBox, Seeker, Ship, State, Weapon
from pbem.rules.science import arming_energy
from pbem.rules.weapons import family
from pbem.util import regex


@cache
def state_paths() -> dict[str, dict[str, str]]:
    """Return the content of the state-path data file: per type of unit, a dict of path to explanation.

    The extra key ``spellings`` contains a dict of variant spellings to standard paths. :func:`paths_for` returns the
    dict for one type of unit.
    """
    file = Path(files.__file__).with_name("state_paths.toml")
    return files.parsed_file(file, "file of state paths", file.name)


STRINGS = regex(
    r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*'
    r'|;(?=[ \t]*(?:[\w.-]+|"[^"\n]*")[ \t]*=)'
)
"""Pattern of a string, a comment, or a semicolon before a key, in the text of a rule case.

Strings and comments match first, because they may contain semicolons.
"""


def loads(text: str) -> dict[str, Any]:
    """Parse the text of a rule-case file (TOML) and return its content as a dict.

    Unlike in standard TOML, one line may contain several keys, separated by ``;``.

    Raises:
        NotToml: The text is not valid TOML even after semicolons are replaced by line breaks.
    """
    try:
        return parse_toml(text)
    except NotToml as error:
        try:
            return parse_toml(STRINGS.sub(lambda found: "\n" if found[0] == ";" else found[0], text))
        except NotToml:
            raise error from None


def path_as_meant(path: str) -> str:
    """Return the standard spelling of a state path, given any spelling that is understood.

    The standard spelling has lowercase letters, blanks instead of ``_`` and ``-``, and only one name for each property.
    """
    words = " ".join(path.casefold().replace("_", " ").replace("-", " ").split())
    words = re.sub(r"^(?:shields? ?)?#? ?([1-6])$", r"shield \1", words)
    words = re.sub(r"^reinforcement #", "reinforcement ", words)
    words = re.sub(r"^((?:fired )?(?:ph|phaser|drn|drone|rack)) ?(\d+)$", r"\1 \2", words)
    words = re.sub(r"^((?:fired )?(?:phot|photon|disr|disruptor|plas|plasma)) ?([a-d])$", r"\1 \2", words)
    return state_paths()["spellings"].get(words, words)


def near(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean …?`` with the known word that is most similar to ``word``.

    The result is empty if no known word is similar.
    """
    by_letters = {name.casefold(): name for name in sorted(known)}
    close = difflib.get_close_matches(word.casefold(), list(by_letters), n=1)
    return f"; did you mean {by_letters[close[0]]}?" if close else ""


Found = TypeVar("Found")


def paths_for(kind: str) -> dict[str, str]:
    """Return the state paths of a type of unit, each with its explanation.

    The explanation includes an example of each way to write the path. ``kind`` is ``ship``, ``drone``, ``game`` or
    ``small`` (shuttles, monsters and planets). Each of the small units has only those paths that make sense for it.
    """
    return state_paths()[kind]


class NoPath(ValueError):
    """Raised if a unit has no such state path, or the path cannot have this value.

    The message says what is possible.
    """


class UnknownPath(NoPath):
    """Raised if a unit has no such state path in any spelling."""


def quoted(value: object) -> str:
    """Return a wrong value as it would be written in a rule case, for a message.

    Strings are in quotes; the words yes and no are not.
    """
    return ("yes" if value else "no") if isinstance(value, bool) else repr(value)


def moment_text(moment: int | None, impulses: int) -> str:
    """Return a time in impulses since the start of the game as ``turn.impulse``; empty for ``None``.

    Example: ``1.15`` for impulse 15 of turn 1.
    """
    return "" if moment is None else f"{(moment - 1) // impulses + 1}.{(moment - 1) % impulses + 1}"


def moment_of(text: str, impulses: int) -> int:
    """Return the moment (impulses since the start of the game) for a text ``"turn.impulse"``.

    Raises:
        NoPath: The text does not have this form, or the turn has no such impulse.
    """
    turn, _, impulse = text.partition(".")
    written = len(text) < 12 and turn.isdecimal() and impulse.isdecimal()
    if not (written and 1 <= int(impulse) <= impulses):
        raise NoPath(f"{text!r} is no turn and impulse like 1.15")
    return (int(turn) - 1) * impulses + int(impulse)


def weapon_name(ship: Ship, path: str) -> str:
    """Return the name of the weapon box that a state path names; empty if it names none.

    Example: ``PHOT A`` for ``photon a``.
    """
    words = path.upper().split()
    for name in ship.weapons:
        kind = ship.weapons[name].kind
        label, _, box = name.rpartition(" ")
        family = charts.weapon_kinds()[kind].family
        spellings = {label, kind.upper(), family.upper(), kind.upper().partition("_")[0]}
        if len(words) == 2 and words[1] == box and words[0] in spellings:
            return name
    return ""


# --- looking ---------------------------------------------------------------------------------------------------------


def read_path(state: State, unit: AnyUnit, path: str, wanted: Any = None) -> Any:
    """Return the value of the property of a unit that a state path names.

    ``wanted`` is the value that a rule case expects, if any. For a drone rack the result is the number of drones if
    ``wanted`` is a number, otherwise the state of the rack.

    Raises:
        NoPath: The unit has no such path.
    """
    return with_proper_path(path, lambda spelled: _look(state, unit, spelled, wanted))


def with_proper_path(path: str, use: Callable[[str], Found]) -> Found:
    """Return the result of calling ``use`` with a state path.

    The path is passed as written; if the unit has no such path, its standard spelling is passed instead.

    Raises:
        NoPath: Neither spelling is a path of the unit, or the value does not fit.
    """
    try:
        return use(path)
    except UnknownPath:
        meant = path_as_meant(path)
        if meant == path:
            raise
        try:
            return use(meant)
        except UnknownPath:
            pass
        raise


def _look(state: State, unit: AnyUnit, path: str, wanted: Any) -> Any:
    common = {
        "at": unit.at,
        "hex": unit.hex,
        "facing": unit.facing,
        "gone": unit.gone,
        "destroyed": unit.gone == UnitFate.DESTROYED,
        "speed": unit.speed,
    }
    if path in common:
        return common[path]
    if path == "held by":
        return sorted(link.ship for link in state.holders(unit.name))
    if isinstance(unit, Ship):
        return look_ship(state, unit, path, wanted)
    return look_drone(state, unit, path) if isinstance(unit, Seeker) else look_other(state, unit, path)


FIELDS = {
    "since turn": "straight",
    "came from": "came_from",
    "prior speed": "prior_speed",
    "attacked by": "attacked_by",
}  # fmt: skip
"""Dict of state path to field name, for shuttles, monsters and planets, where the two names differ."""


def look_other(state: State, unit: AnyUnit, path: str) -> Any:
    """Return the value that a state path names for a shuttle, a monster or a planet.

    Raises:
        UnknownPath: The unit has no such path.
    """
    field = FIELDS.get(path, path)
    if path not in (*paths_for("small"), "prior speed") or not hasattr(unit, field):
        raise UnknownPath(f"{path!r} is no state path of {unit.name}; there are {', '.join(paths_of(unit))}")
    value = getattr(unit, field)
    return moment_text(value, state.impulses) if field == "fired" else value


def paths_of(unit: AnyUnit) -> list[str]:
    """Return the names of all state paths of a shuttle, a monster or a planet."""
    return [path for path in paths_for("small") if path == "held by" or hasattr(unit, FIELDS.get(path, path))]


def look_drone(state: State, unit: Seeker, path: str) -> Any:
    """Return the value that a state path names for a drone or a plasma torpedo.

    Raises:
        UnknownPath: There is no such path.
    """
    if path not in paths_for("drone"):
        raise UnknownPath(f"{path!r} is no state path of a drone; there are {', '.join(paths_for('drone'))}")
    if path == "endurance":
        return moment_text(unit.endurance or None, state.impulses)
    return getattr(unit, FIELDS.get(path, path))


def look_ship(state: State, unit: Ship, path: str, wanted: Any) -> Any:
    """Return the value that a state path names for a ship.

    :func:`read_path` explains ``wanted``.

    Raises:
        UnknownPath: The ship has no such path.
    """
    special: dict[str, Any] = {
        "batteries": float(unit.power.stored) if unit.power.battery_part else unit.power.batteries,
        "lowered": sorted(unit.lowered),
        "holds": [link.target for link in state.held_by(unit.name)],
        "bay used": moment_text(unit.bay_used, state.impulses),
    }
    if path in special:
        return special[path]
    if path in paths_for("ship") and has_word(word := path.replace(" ", "_")):
        value = value_of(unit, word)
        return list(value) if isinstance(value, tuple) else value
    value = _look_system(state, unit, path, wanted)
    if value is not None:
        return value
    first, _, rest = path.partition(" ")
    if first in ("shield", "reinforcement") and rest in ("1", "2", "3", "4", "5", "6"):
        return (unit.shields if first == "shield" else unit.power.reinforcement)[int(rest) - 1]
    if path in unit.boxes:
        return unit.boxes[path]
    if first == "fired" and (name := weapon_name(unit, rest)):
        return moment_text(unit.weapons[name].fired, state.impulses)
    if name := weapon_name(unit, path):
        return _weapon(unit, name, wanted)
    raise UnknownPath(unknown(unit, path))


def _look_system(state: State, unit: Ship, path: str, wanted: Any) -> Any:
    """Return the value for a state path about a ship's systems, crew or boarding parties.

    The result is ``None`` for any other path.
    """
    first, _, rest = path.partition(" ")
    letter = rest.upper()
    match first:
        case "boarders":
            return unit.people.boarders.get(rest, 0)
        case "holds":
            return next((link.target for link in state.held_by(unit.name) if link.beam == letter), "")
        case "lowered":
            return moment_text(unit.lowered.get(rest), state.impulses)
        case "repairing" if rest in "123456":
            return unit.power.repairing.get(f"#{rest}", 0)
        case "suicide" if letter in (*unit.hangar, *unit.power.bombs):
            return unit.power.bombs[letter].state if letter in unit.power.bombs else ""
        case "probe" if letter in unit.power.probes:
            return _probe_value(unit.power.probes[letter], wanted)
    return None


def _probe_value(box: ProbeBox, wanted: Any) -> Any:
    if isinstance(wanted, int):
        return box.left
    if not box.purpose:
        return ""
    armed = "armed" if box.turns >= len(arming_energy(box.purpose)) else "arming"
    return f"{armed} weapon" if box.purpose == Purpose.WEAPON else armed


def _weapon(unit: Ship, name: str, wanted: Any) -> Any:
    weapon = unit.weapons[name]
    if isinstance(wanted, int):
        return weapon.ammo
    if not weapon.working:
        return "destroyed"
    return weapon.charge or ("unarmed" if charts.weapon_kinds()[weapon.kind].heavy else "working")


def unknown(unit: Ship, path: str) -> str:
    """Return the error for a state path that a ship does not have."""
    boxes = [*unit.boxes, *unit.weapons]
    hint = near(path_as_meant(path), [*boxes, *paths_for("ship")]).replace("?", "? It has") or "; there are"
    return f"{path!r} is no state path of {unit.name}{hint} {', '.join(boxes)}, and see `pbem help cases`"


def look_at_game(state: State, path: str) -> Any:
    """Return the value of a path in the section ``[final.game]`` of a rule case.

    Raises:
        NoPath: There is no such path.
    """
    first, _, rest = path.partition(" ")
    if first == "result":
        return state.result_of(rest)
    if path not in paths_for("game"):
        raise NoPath(f"{path!r} is no path of the game; there are {', '.join(paths_for('game'))}")
    if path == "request":
        return state.request.form if state.request else ""
    value = getattr(state, path)
    return list(value) if isinstance(value, tuple) else value


def put_ship(unit: Ship, path: str, value: Any, impulses: int) -> Ship:
    """Return a copy of the ship with the property named by a state path changed.

    Raises:
        NoPath: The path does not exist, cannot be set, or cannot have this value.
    """
    return with_proper_path(path, lambda spelled: _put_ship(unit, spelled, value, impulses))


def _put_ship(unit: Ship, path: str, value: Any, impulses: int) -> Ship:
    first, _, rest = path.partition(" ")
    if path == "batteries":
        stored = _stored(path, value)
        return altered(unit, batteries=int(stored), battery_part=str(stored % 1) if stored % 1 else "")
    if path in ("since turn", "since slip", "speed", "parties", "taken", "passengers"):
        return altered(unit, **{path.replace(" ", "_"): _count(path, value)})
    if path == "capacitor":
        return altered(unit, capacitor=_points(value))
    if first == "shield" and rest in ("1", "2", "3", "4", "5", "6"):
        boxes = list(unit.shields)
        boxes[int(rest) - 1] = _count(path, value, most=boxes[int(rest) - 1])
        return replace(unit, shields=tuple(boxes))
    if path in unit.boxes:
        left = {**unit.boxes, path: _count(path, value, most=unit.boxes[path])}
        batteries = min(unit.power.batteries, left.get("battery", unit.power.batteries))
        return altered(unit, boxes=left, batteries=batteries)
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
    """Return a copy of the ship with a property of its systems, crew or boarding parties changed.

    The result is ``None`` if the path names no such property.
    """
    first, _, rest = path.partition(" ")
    letter = rest.upper()
    match first:
        case "boarders" if rest:
            return altered(unit, boarders=dict(sorted({**unit.people.boarders, rest: _count(path, value)}.items())))
        case "lowered" if rest == "general" or rest in tuple(f"#{number}" for number in range(1, 7)):
            return replace(unit, lowered=dict(sorted({**unit.lowered, rest: moment_of(str(value), impulses)}.items())))
        case "cloak" if not rest:
            return _cloaked(unit, value)
        case "bay" if rest == "used":
            return replace(unit, bay_used=moment_of(str(value), impulses))
        case "captured" if rest == "from":
            return altered(unit, captured_from=str(value))
        case "mutiny" if not rest:
            return altered(unit, mutiny=_mutiny(value))
        case "hangar" if not rest:
            return replace(unit, hangar=_letters(path, value))
        case "suicide" if letter in unit.hangar:
            return altered(unit, bombs=dict(sorted({**unit.power.bombs, letter: _bomb(unit, path, value)}.items())))
        case "probe" if letter in unit.power.probes:
            return altered(
                unit, probes={**unit.power.probes, letter: _set_probe(unit.power.probes[letter], path, value)}
            )
    return None


def _points(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NoPath("capacitor takes a number of points")
    return float(value)


def _mutiny(value: Any) -> MutinyState:
    if value not in tuple(MutinyState):
        raise NoPath(f"mutiny is empty, put down or staged, not {quoted(value)}")
    return MutinyState(value)


def _cloaked(unit: Ship, value: Any) -> Ship:
    """Return the ship with its cloaking device on, as a rule case starts with it.

    At graduate level the ship is fully cloaked (G13.0).

    Raises:
        NoPath: The ship has no cloaking device, or the value is wrong.
    """
    if value not in ("", CloakState.CLOAKED):
        raise NoPath(f"cloak is empty or cloaked at the start, not {quoted(value)}")
    if ship_class(unit.ship).cloak is None:
        raise NoPath(f"{unit.name} has no cloaking device")
    graduate = ship_class(unit.ship).level == "standard"
    status = CloakState.CLOAKING if value and graduate else CloakState(value)
    return altered(unit, cloak=status, cloak_since=-charts.cloak().fade if value and graduate else 0)


def _letters(path: str, value: Any) -> tuple[str, ...]:
    letters = str(value).upper().replace(",", "").replace(" ", "")
    if letters and not (letters.isascii() and letters.isalpha()):
        raise NoPath(f"{path} takes letters like AB, not {quoted(value)}")
    return tuple(sorted(set(letters)))


def _bomb(unit: Ship, path: str, value: Any) -> Bomb:
    """Return a suicide shuttle that is being armed (J2.221), as a rule case describes it.

    The case gives a word such as ``armed``, or the energy points of each turn. For a word the least possible energy is
    assumed.

    Raises:
        NoPath: The value is neither a known word nor a list of energy points.
    """
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
    """Return the rules level (cadet or standard) that applies when a ship arms suicide shuttles."""
    level = ship_class(unit.ship).level
    return level if level in charts.shuttles().suicide else "cadet"


def _set_probe(box: ProbeBox, path: str, value: Any) -> ProbeBox:
    """Return the probe launcher with a given number of probes, or with a probe that has been armed.

    ``value`` is the number or a word: ``armed``, ``arming``, ``armed weapon`` or ``arming weapon`` (G5.2).

    Raises:
        NoPath: The value is neither a number nor one of these words.
    """
    if isinstance(value, int):
        return replace(box, left=_count(path, value))
    state, _, purpose = str(value).partition(" ")
    if state not in ("armed", "arming") or purpose not in ("", Purpose.WEAPON):
        raise NoPath(f"{path} is a number of probes, armed, arming, armed weapon or arming weapon, not {quoted(value)}")
    purpose = Purpose(purpose) or Purpose.INFORMATION
    return replace(box, purpose=purpose, turns=len(arming_energy(purpose)) if state == "armed" else 1)


def set_weapon(unit: Ship, name: str, value: Any) -> Weapon:
    """Return the weapon as a rule case starts with it: destroyed, armed, arming, or with some drones.

    Raises:
        NoPath: The weapon cannot have this value.
    """
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
    """Return a copy of a drone or plasma torpedo with the property named by a state path changed.

    Raises:
        NoPath: The path does not exist or cannot have this value.
    """
    return with_proper_path(path, lambda spelled: _put_drone(unit, spelled, value, impulses))


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
"""State paths of shuttles, monsters and planets whose value is a whole number."""

TEXTS = ("landed", "attacked by", "came from")
"""State paths of shuttles, monsters and planets whose value is a name or a hex."""


def put_other(unit: AnyUnit, path: str, value: Any, impulses: int) -> AnyUnit:
    """Return a copy of a shuttle, monster or planet with the property named by a state path changed.

    Raises:
        NoPath: The path does not exist, cannot be set, or cannot have this value.
    """
    return with_proper_path(path, lambda spelled: _put_other(unit, spelled, value, impulses))


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
    """Return the energy in a ship's batteries in points, as a fraction.

    The energy may include a fraction of a point only if the game uses fractional accounting (B3.2).
    """
    if isinstance(value, float) and value >= 0:
        return Fraction(str(value))
    return Fraction(_count(path, value))


def _count(path: str, value: Any, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (most is not None and value > most):
        limit = "" if most is None else f", {most} at most"
        raise NoPath(f"{path} takes a whole number of 0 or more{limit}, not {quoted(value)}")
    return value
