"""Propose a binding of a game to a VASSAL module: the map, and a counter for each kind of unit.

A counter is recognized by its name, its picture file, its properties, its palette folders and its shape: the counter
of a unit can turn, and it is neither a sheet nor a marker. The words that modules use are listed in
``vocabulary.toml``. :func:`survey` lists every candidate with a score, and says whether the best one is sure or a
person must decide. :func:`propose` takes the best guesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.files import parsed_file
from pbem.data.scenarios import scenario, scenario_keys
from pbem.data.ships import ship_class, ship_keys
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.plasma import is_plasma
from pbem.errors import GameError
from pbem.rules.hexes import EVEN, ODD
from pbem.util import regex
from pbem.vassal_bridge.binding import Binding, could_be, heading_of, marked, reference, small_marks, wanted_marks
from pbem.vassal_bridge.hexmap import AS_IN_THE_GAME, NAMES, HexMap, MapCandidate, layout_of, places, usual_place
from pbem.vassal_bridge.scene import name_label

if TYPE_CHECKING:
    from pbem.data.ships import ShipClass
    from vassal.module.module import Module, Slot


SURE, CLEAR = 1.2, 0.04
"""The score that a counter needs to be used without asking a person, and the lead it needs over the next counter."""

LEAST = 0.35
"""Minimum score of a counter that is offered as a candidate."""

BIG = 260
"""Width or height in pixels from which a picture is that of a sheet, not of a counter."""

PLACES = ("name", "properties", "picture", "folder")
"""The places where words that describe a counter are found, such as its name or its picture file."""
RACE = (0.5, 0.5, 0.45, 0.45)
CLASS = (1.0, 1.0, 0.95, 0.8)
SMALL = (0.8, 0.8, 0.75, 0.4)
"""Scores for a word that names a race, class or small unit, by the place of the word (:data:`PLACES`).

Race and class together are enough for a sure match.
"""
OTHER_NAME, NEAREST, COMMON, WORDY = 0.05, 0.4, 0.45, 0.2
"""Points deducted from the score if a class is recognized by something other than its abbreviation.

In order: by its own name, as the nearest class, by a word for many classes, by a description in words.
"""
MANY = ("cruiser", "raider")
"""Words that modules use for many different classes."""

_TOKEN = regex(r"[A-Z]+\d+(?:[A-Z]+(?![a-z]))?|[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])|[A-Z]|\d+")


class CounterQuery(NamedTuple):
    """A search for a counter: the known properties of a unit or kind of unit.

    Attributes:
        key: Its key in vassal.toml.
        about: A description for the user.
        kind: The kind of unit, such as ``ship`` or ``drone``.
        race: The race; empty for any.
        code: The abbreviation of a ship's class; empty for other units.
        name: The name; empty for a kind of unit.
        level: The level of a ship; empty if it does not matter.
    """

    key: str
    about: str
    kind: str
    race: str = ""
    code: str = ""
    name: str = ""
    level: str = ""


class Fit(NamedTuple):
    """A counter that may be the right counter for a query.

    Attributes:
        slot: The palette entry of the counter.
        score: How well it fits; higher is better.
        why: The reason for the score, as text.
        named: Whether it is the counter for one particular ship.
    """

    slot: Slot
    score: float
    why: str
    named: bool = False


class _Vocabulary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    races: dict[str, tuple[str, ...]]
    classes: dict[str, tuple[str, ...]]
    names: dict[str, tuple[str, ...]]
    nearest: dict[str, tuple[str, ...]]
    codes: dict[str, tuple[str, ...]]
    units: dict[str, tuple[str, ...]]
    never: dict[str, tuple[str, ...]]


@cache
def vocabulary() -> _Vocabulary:
    """Return the words of VASSAL modules for races, classes and kinds of unit, from ``vocabulary.toml``."""
    file = Path(__file__).with_name("vocabulary.toml")
    return msgspec.convert(parsed_file(file, "vocabulary", file.name), _Vocabulary)


def wanted_for(unit: AnyUnit, key: str) -> CounterQuery:
    """Return the query for a unit's counter; ``key`` is the unit's key in vassal.toml."""
    match unit:
        case Ship():
            code = unit.class_name.rpartition(" ")[2]
            about = f"{unit.name}, {unit.race.capitalize()} {code}"
            level = "cadet" if "cadet" in unit.ship else ""
            return CounterQuery(key, about, "ship", unit.race, code, unit.name, level)
        case Seeker():
            return CounterQuery(key, f"a {unit.race} {unit.weapon}", unit.weapon, unit.race)
        case Shuttle():
            return CounterQuery(key, f"a {unit.race} shuttle", "shuttle", unit.race)
        case Monster():
            return CounterQuery(key, unit.name, "monster", name=unit.monster.replace("_", " "))
        case Planet():
            return CounterQuery(key, unit.name, "planet", name=unit.name)


def wanted_of(ship: ShipClass) -> CounterQuery:
    """Return the query for a counter of a ship class."""
    level = ship.level if ship.level == "cadet" else ""
    return CounterQuery(ship.key, ship.name, "ship", ship.race, ship.class_name, level=level)


class Palette:
    """The counters of a module's palette, each with the words by which it can be recognized."""

    def __init__(self, module: Module) -> None:
        self.entries = [_PaletteWords(slot) for slot in module.slots if slot.in_palette]

    def fits(self, wanted: CounterQuery) -> list[Fit]:
        """Return all counters that match a query, the best first; equal counters are in palette order."""
        found = [fit for entry in self.entries if (fit := entry.fit(wanted)) is not None and fit.score >= LEAST]
        return sorted(found, key=lambda fit: -fit.score)

    def nearest(self, wanted: CounterQuery) -> list[Fit]:
        """Return substitute counters, the best first, for a unit for which no counter matches.

        For a ship, these are counters that look like ships. If there are none, they are counters that can turn, and
        otherwise all counters that can be placed on a map.
        """
        small = {word for kind in ("drone", "plasma", "shuttle") for word in _units(kind)}
        like = {"ship": {"cruiser", "ship", "freighter", "starship"}, "monster": {"monster", "creature"}}
        general = like.get(wanted.kind, {"drone", "fighter"})
        found = []
        for entry in self.entries:
            if not entry.never and not entry.slot.piece.never_stacks:
                rank = entry.turns * (3 if entry.said & general else 1 if entry.said & small else 2)
                found.append(Fit(entry.slot, rank / 100, "nothing is like it"))
        return sorted(found, key=lambda fit: -fit.score)


def is_sure(fits: Sequence[Fit]) -> bool:
    """Return whether the first candidate, the best one, is certainly the right counter.

    It must have a high score, and a clear lead over all counters that look different.
    """
    if not fits or fits[0].score < SURE:
        return False
    best = fits[0]
    others = [fit for fit in fits[1:] if _looks(fit.slot) != _looks(best.slot)]
    return not others or best.score - others[0].score >= CLEAR


def _looks(slot: Slot) -> tuple[str, str]:
    """Return a key that is equal for all counters that look alike, wherever they are in the palette."""
    return slot.name, slot.piece.type


class _PaletteWords:
    """A palette entry with the words that describe it, grouped by the place where they were found."""

    def __init__(self, slot: Slot) -> None:
        self.slot = slot
        piece = slot.piece
        core = piece.core
        marks = [value for value in piece.properties.values() if value and len(value) < 60] if _may_mark(slot) else []
        image = getattr(core, "image", "")
        pictures = [image] if image else [layer.images[0] for layer in piece.layers[:3] if layer.images]
        self.name = words(f"{slot.name} {piece.basic_name}")
        self.picture = words(" ".join(Path(picture).stem for picture in pictures))
        self.marks = words(" ".join(marks))
        self.path = words(" ".join(slot.path))
        self.texts = tuple(zip(PLACES, (self.name, self.marks, self.picture, self.path), strict=True))
        self.said = {*self.name, *self.picture, *self.marks}
        self.heading = heading_of(piece)
        self.turns = self.heading is not None
        own = {*words(slot.name)}
        self.never = bool((own or self.said) & {*vocabulary().never["words"]}) or max(slot.size) >= BIG
        self.races = {
            race for race, names in vocabulary().races.items() if any(_holds(self._all, name) for name in names)
        }

    @property
    def _all(self) -> tuple[str, ...]:
        return (*self.name, "|", *self.picture, "|", *self.marks, "|", *self.path)

    def fit(self, wanted: CounterQuery) -> Fit | None:
        """Return the entry as a candidate with its score, or ``None`` if it does not match the query."""
        if self.never and wanted.kind != "asteroids":
            return None
        if wanted.kind == "ship":
            return self._ship(wanted)
        return self._small(wanted)

    def _ship(self, wanted: CounterQuery) -> Fit | None:
        small = {word for kind in ("drone", "plasma", "shuttle") for word in vocabulary().units[kind]}
        if self.said & small or {"planet", "asteroids", "asteroid"} & {*self.name}:
            return None
        race, why_race = self._race(wanted.race)
        if race < 0:
            return None
        class_, why = self._class(wanted)
        named, by_name = self._named(wanted)
        if not class_ and not named and not (race and self.turns):
            return None
        score = race + max(class_, 0.1)
        if named:
            score, why = max(score, race + 1.0) + 0.5, by_name
        score += (0.05 if self.turns else -0.1) - (0.3 if self.slot.piece.never_stacks else 0)
        cadet = "cadet" in self.said
        score += (0.1 if cadet else 0) if wanted.level == "cadet" else (-0.2 if cadet else 0)
        score -= 0.02 * min(3, len({*words(self.slot.name)} - self._known(wanted)))
        why = " and ".join(filter(None, (why_race, why))) or "it turns"
        return Fit(self.slot, round(score, 3), why, named)

    def _race(self, race: str) -> tuple[float, str]:
        """Return a score for how well the palette entry fits a race, and the reason for the score as text.

        The score is negative if the entry belongs to another race.
        """
        if race not in self.races:
            return (-1.0 if self.races else 0.0), ""
        names = vocabulary().races[race]
        worth, where = max(
            (worth, where)
            for (where, text), worth in zip(self.texts, RACE, strict=True)
            if any(_holds(text, name) for name in names)
        )
        return worth - 0.1 * (len(self.races) > 1), f"{race} by its {where}"

    def _class(self, wanted: CounterQuery) -> tuple[float, str]:
        """Return a score for how well the palette entry fits the wanted ship class, and the reason as text.

        The class is recognized by its abbreviation or its other names.
        """
        code = wanted.code.casefold()
        codes = {code, code.replace("-", "")}
        own = vocabulary().names.get(f"{wanted.race} {wanted.code}", ())
        nearest = vocabulary().nearest.get(f"{wanted.race} {wanted.code}", ())
        phrases = vocabulary().classes.get(wanted.code, ())
        others = {*vocabulary().codes["others"], *vocabulary().codes["single"]} - codes
        others -= {word for phrase in (*own, *nearest, *phrases) for word in (phrase, *phrase.split())}
        strange = 0.25 if others & {*self.name} else 0.15 if others & {*self.picture} else 0.0
        lone = 0.3 if not self.races and code in vocabulary().codes["single"] else 0.0
        found: list[tuple[float, str]] = []
        for (where, text), worth in zip(self.texts, CLASS, strict=True):
            if any(_holds(text, one) for one in codes):
                found.append((worth + lone, f"{wanted.code} by its {where}"))
            called = [(phrase, OTHER_NAME) for phrase in own] + [(phrase, NEAREST) for phrase in nearest]
            called += [(phrase, COMMON if phrase in MANY else WORDY) for phrase in phrases]
            found += [(worth - less, f"{phrase} by its {where}") for phrase, less in called if _holds(text, phrase)]
        if not found:
            return 0.0, ""
        worth, why = max(found, key=lambda one: one[0])
        return max(0.1, worth - strange), why

    def _named(self, wanted: CounterQuery) -> tuple[bool, str]:
        """Return whether the entry is the counter of the ship with the wanted name, and the reason as text.

        Prefixes such as USS, race and class in the entry's name are ignored.
        """
        if not wanted.name:
            return False, ""
        own_words = [word for word in words(self.slot.name) if word not in self._known(wanted)]
        wanted_words = [word for word in words(wanted.name) if word not in _PREFIXES]
        return bool(wanted_words) and own_words == wanted_words, f"called {wanted.name!r}"

    def _known(self, wanted: CounterQuery) -> set[str]:
        """Return the words in counter names that only say the race and class of the wanted ship."""
        known = {*vocabulary().races.get(wanted.race, ()), *words(wanted.code), *_PREFIXES, "cadet", "class", "ship"}
        phrases = (
            *vocabulary().classes.get(wanted.code, ()),
            *vocabulary().names.get(f"{wanted.race} {wanted.code}", ()),
        )
        return known | {word for phrase in phrases for word in phrase.split()}

    def _small(self, wanted: CounterQuery) -> Fit | None:
        kind = wanted.kind
        names = (wanted.name,) if kind == "monster" else vocabulary().units.get(kind, (kind,))
        found: list[tuple[float, str]] = []
        for (where, text), worth in zip(self.texts, SMALL, strict=True):
            said = [(name, 0.05 * (place > 0)) for place, name in enumerate(names) if _holds(text, name)]
            found += [(worth - less, f"{name} by its {where}") for name, less in said]
        if not found:
            return None
        if kind == "planet" and "killer" in self.said:
            return None
        fixed = 0.2 * self.slot.piece.never_stacks  # the planet may be part of the board's picture
        others = {word for other in ("drone", "plasma", "shuttle") if other != kind for word in _units(other)}
        if {*self.name} & (others - {*names}):
            return None
        worth, why = max(found, key=lambda one: one[0])
        if not wanted.race:
            return Fit(self.slot, round(worth + 0.5 - 0.1 * bool(self.races) - fixed, 3), why)
        race, why_race = self._race(wanted.race)
        if race < 0:
            return None
        return Fit(self.slot, round(worth + race, 3), " and ".join(filter(None, (why_race, why))))


_PREFIXES = {"uss", "iks", "ikv", "ss", "hms", "ris", "imv", "the"}


def _units(kind: str) -> Iterable[str]:
    return vocabulary().units[kind]


def _may_mark(slot: Slot) -> bool:
    return "mark;" in slot.piece.type or "PROP;" in slot.piece.type


def words(text: str) -> tuple[str, ...]:
    """Return the words of a name or file name in lower case.

    ``FED_CA2`` and ``KlingonD7`` have two words each. A race and a class that are written as one word are split.
    """
    return tuple(word for token in _TOKEN.findall(text) for word in _parted(token.casefold()))


def _parted(token: str) -> Iterator[str]:
    codes = _all_codes()
    if token in codes:
        yield token
        return
    bare = token.rstrip("0123456789")
    if len(bare) > 1 and bare != token:  # fed_ca1.png
        yield from _parted(bare)
        return
    for names in vocabulary().races.values():
        for name in names:
            rest = token.removeprefix(name)
            if len(name) > 2 and rest != token and rest in codes:
                yield from (name, rest)
                return
    yield token


@cache
def _all_codes() -> frozenset[str]:
    found = vocabulary().codes
    classes = {code.casefold() for code in vocabulary().classes} - {"freighter"}
    return frozenset({*found["others"], *found["single"], *classes})


@lru_cache(maxsize=4096)
def _phrase(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9]+", text)) or (text,)


def _holds(text: Sequence[str], phrase: str) -> bool:
    """Return whether a text contains the words of a phrase directly one after the other."""
    wanted = _phrase(phrase)
    if wanted[0] not in text:
        return False
    if len(wanted) == 1:
        return True
    return any(tuple(text[at : at + len(wanted)]) == wanted for at in range(len(text) - len(wanted) + 1))


AREA = ("0101", "2817")
"""The first and last hex of the printed map."""

OFFERED = 8
"""Maximum number of candidates offered for one question."""

KINDS = ("drone", "plasma", "shuttle")
"""Kinds of small units that ships put on the map."""


class CounterChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One option that a person can choose for a line of vassal.toml.

    ``value`` is written into vassal.toml, ``about`` describes the option, and ``why`` says why it is offered.
    """

    value: str
    about: str
    why: str = ""


class CounterAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The options that were found for one line of vassal.toml.

    Attributes:
        key: ``map``, ``facing`` or the key of a line of counters.
        about: What the line is for.
        choices: The options, the best first; empty if the module has nothing for the line.
        sure: Whether the best option is certainly right.
    """

    key: str
    about: str
    choices: tuple[CounterChoice, ...] = ()
    sure: bool = True


class Survey(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a module that a game can use: maps, the trait that shows a facing, and counters.

    Attributes:
        module: The name of the module.
        map: The maps that can be chosen.
        facing: The traits that could show a facing; ``None`` if the trait is clear.
        counters: The counters that can be chosen for each line of vassal.toml.
        remarks: Warnings.
        found: A binding for each map that can be chosen, by the map's name.
    """

    module: str
    map: CounterAnswer
    facing: CounterAnswer | None
    counters: tuple[CounterAnswer, ...]
    remarks: tuple[str, ...] = ()
    found: dict[str, Binding]

    @property
    def questions(self) -> list[CounterAnswer]:
        """The lines of vassal.toml for which a person must choose an option, because none is certainly right."""
        every = [self.map, *([self.facing] if self.facing is not None else []), *self.counters]
        return [answer for answer in every if answer.choices and not answer.sure]

    @property
    def lacking(self) -> list[str]:
        """Descriptions of the units for which the module has no counter."""
        return [answer.about for answer in self.counters if not answer.choices]

    def binding(self, chosen: Mapping[str, str] | None = None) -> Binding:
        """Return the binding with the chosen options; lines without a choice get the best guess.

        ``chosen`` maps the key of a line to an option. An empty string as the option leaves the line out.
        """
        chosen = chosen or {}
        base = self.found[chosen.get("map", self.map.choices[0].value)]
        if self.facing is not None:
            base = replace(base, facing=chosen.get("facing", self.facing.choices[0].value))
        best = {answer.key: answer.choices[0].value for answer in self.counters if answer.choices}
        lines = {key: chosen.get(key, value) for key, value in best.items()}
        return replace(base, counters={key: value for key, value in lines.items() if value})


class CounterNeed(NamedTuple):
    """A line of vassal.toml that a game may need.

    Attributes:
        wanted: The query that searches the line's counter.
        marks: The properties of the line's counter in a module that marks its counters.
        own: Whether the line is for one race or one ship. Such a line is written only if the module has a counter
            for exactly this race or ship. A line for a whole kind is needed only if there are no lines for races of
            that kind.
        present: Whether a unit of this line is in play. If no counter fits, the line then gets any counter.
    """

    wanted: CounterQuery
    marks: Mapping[str, str]
    own: bool = False
    present: bool = False


def needs_of(state: State) -> list[CounterNeed]:
    """Return the lines of vassal.toml that a game needs: for ships, other units, and small units to come."""
    found = []
    small: dict[tuple[str, str], bool] = {}
    for unit in sorted(state.units.values(), key=lambda unit: (not isinstance(unit, Ship), unit.name)):
        if isinstance(unit, Seeker | Shuttle):
            small[unit.race, "shuttle" if isinstance(unit, Shuttle) else unit.weapon] = True
        else:
            found.append(
                CounterNeed(wanted_for(unit, unit.name), wanted_marks(unit), present=not isinstance(unit, Planet))
            )
    for unit in state.units.values():
        for kind in _launched_by(unit) if isinstance(unit, Ship) else ():
            small.setdefault((unit.race, kind), False)
    kinds: dict[str, bool] = {}
    for (race, kind), present in small.items():
        found.append(_small(race, kind))
        kinds[kind] = kinds.get(kind, False) or present
    return [
        *found,
        *(
            CounterNeed(CounterQuery(kind, f"any other {kind}", kind), {}, present=in_play)
            for kind, in_play in kinds.items()
        ),
    ]


def _small(race: str, kind: str) -> CounterNeed:
    key = f"{race} {kind}"
    return CounterNeed(CounterQuery(key, f"a {race} {kind}", kind, race), small_marks(kind, race), own=True)


def needs_of_all() -> list[CounterNeed]:
    """Return the lines of vassal.toml that any game may need.

    The lines are for all ship classes, small units of all races, monsters, planets and asteroids. The ships of the
    scenarios have lines, too; these are used if the module has a counter for each single ship.
    """
    found = [CounterNeed(wanted_of(ship_class(key)), {"ShipKey": key}) for key in ship_keys()]
    names = {unit.name: unit.ship for key in scenario_keys() for unit in scenario(key).units}
    for name, key in sorted(names.items()):
        ship = wanted_of(ship_class(key))
        found.append(CounterNeed(ship._replace(key=name, about=f"{name}, {ship.about}", name=name), {}, own=True))
    found += [_small(race, kind) for race in charts.races() if race != "civilian" for kind in KINDS]
    found += [CounterNeed(CounterQuery(kind, f"any other {kind}", kind), {}) for kind in KINDS]
    for key, monster in sorted(charts.monsters().kinds.items()):
        found.append(
            CounterNeed(CounterQuery(key, monster.name, "monster", name=key.replace("_", " ")), {"Monster": key})
        )
    found += [CounterNeed(CounterQuery(kind, kind, kind), {"Unit": kind}) for kind in ("planet", "asteroids")]
    return found


def _launched_by(ship: Ship) -> list[str]:
    """Return the kinds of small units that a ship may put on the map."""
    drones = any(weapon.kind.startswith("drone") for weapon in ship.weapons.values())
    tubes = any(is_plasma(weapon.kind) for weapon in ship.weapons.values())
    kinds = (("drone", drones), ("plasma", tubes), ("shuttle", bool(ship.hangar)))
    return [kind for kind, has in kinds if has]


def survey(module: Module, state: State | None = None) -> Survey:
    """Return a survey of a module for a game, or for games in general if ``state`` is not given.

    Raises:
        GameError: The module has no map with hexes.
    """
    area, grid = (state.map, state.grid) if state is not None else (AREA, EVEN)
    found = places(module, area, grid)
    if not found:
        raise _no_map(module, area)
    best = found[0]
    alike = [place for place in found if place.merit[:3] == best.merit[:3]]
    known = {_place_name(place): place for place in found[:OFFERED]}
    answer = CounterAnswer(
        key="map",
        about="the map",
        choices=tuple(CounterChoice(value=name, about=place.about) for name, place in known.items()),
        sure=len({(place.map, place.board, place.zone) for place in alike}) == 1 and (best.faces or len(known) == 1),
    )
    needs = needs_of(state) if state is not None else needs_of_all()
    counters = list(_counters(module, needs))
    lies = {need.wanted.key for need in needs if need.wanted.kind in ("planet", "asteroids")}
    slots = [module.slot(one.choices[0].value) for one in counters if one.choices and one.key not in lies]
    return Survey(
        module=module.name,
        map=answer,
        facing=_facing(slots),
        counters=tuple(counters),
        remarks=tuple(_remarks(module, best, slots, area, grid)),
        found={name: bound(place) for name, place in known.items()},
    )


def bound(place: MapCandidate) -> Binding:
    """Return a binding that has only the map; ``place`` is the part of the module that is the map."""
    first = place.first if place.how != NAMES else (0, 0)
    zone = place.zone if place.how != NAMES else ""
    return Binding(map=place.map, board=place.board, hexes=place.how, zone=zone, first_hex=first)  # type: ignore[arg-type]


def _place_name(place: MapCandidate) -> str:
    return "/".join(filter(None, (place.map, place.board, place.zone, "" if place.how == NAMES else place.how)))


def _counters(module: Module, needs: Sequence[CounterNeed]) -> Iterator[CounterAnswer]:
    """Yield the options for each line of counters in vassal.toml.

    If the module has enough counters, two unknown ships get two different counters.
    """
    palette: Palette | None = None
    used: set[str] = set()
    races = {need.wanted.kind: 0 for need in needs}
    for one, marks, own, present in needs:
        exact = marked(module, marks) if marks else None
        if exact is not None:
            yield CounterAnswer(key=one.key, about=one.about, choices=_choices(module, [Fit(exact, 2.0, "it says so")]))
            continue
        if own:
            races[one.kind] += 1
        elif (
            one.kind in KINDS
            and not races[one.kind]
            and any(need.own for need in needs if need.wanted.kind == one.kind)
        ):
            continue  # all races have counters of their own
        palette = palette or Palette(module)
        fits = palette.fits(one)
        sure = is_sure(fits)
        if own:
            fits = [fit for fit in fits[:1] if sure and (one.kind in KINDS or fit.named)]
            if not fits:
                continue
            races[one.kind] -= 1
        if not fits and present:
            fits = palette.nearest(one)
        fits = sorted(fits, key=lambda fit: (-fit.score, _name(fit.slot) in used))
        used |= {_name(fit.slot) for fit in fits[:1]}
        choices = _choices(module, fits[:OFFERED])
        yield CounterAnswer(key=one.key, about=one.about, choices=choices, sure=sure or not choices)


def _name(slot: Slot) -> str:
    return slot.gpid or slot.name


def _choices(module: Module, fits: Sequence[Fit]) -> tuple[CounterChoice, ...]:
    """Return the candidates as options, without candidates that vassal.toml cannot name."""
    return tuple(choice for fit in fits if (choice := _choice(module, fit)).value)


def _choice(module: Module, fit: Fit) -> CounterChoice:
    turns = heading_of(fit.slot.piece)
    shape = turns.about if turns is not None else "does not turn"
    label = name_label(fit.slot.piece)
    named = "" if label is None else f", its name in the label {label.property_name!r}"
    place = "/".join((*fit.slot.path, fit.slot.name))
    return CounterChoice(value=reference(module, fit.slot), about=f"{place}: {shape}{named}", why=fit.why)


def _facing(slots: Sequence[Slot]) -> CounterAnswer | None:
    """Return the question to the user which trait shows a facing, or ``None`` if this is clear.

    The question is needed if counters have several such traits, or a trait that does not state its directions.
    """
    ways: dict[str, str] = {}
    doubtful = False
    for slot in slots:
        could = could_be(slot.piece)
        for heading in could:
            ways.setdefault(heading.name, heading.about)
        doubtful |= len({heading.name for heading in could}) > 1 or any(not heading.sure for heading in could[:1])
    if not doubtful:
        return None
    choices = tuple(CounterChoice(value=name, about=f"{name!r}, which {about}") for name, about in ways.items())
    return CounterAnswer(key="facing", about="the trait that shows a facing", choices=choices, sure=False)


def _remarks(
    module: Module, place: MapCandidate, slots: Sequence[Slot], area: tuple[str, str], grid: str
) -> Iterator[str]:
    if place.part < 1:
        part = f"{place.part:.0%} of the hexes {area[0]} to {area[1]}"
        yield f"the map {place.map!r} has {part}; what is beyond is left out"
    if not place.faces:
        yield from _lies_otherwise(
            place, bound(place).hexmap(layout_of(module.map(place.map), place.board)), area, grid
        )
    stiff = sorted({slot.name for slot in slots if heading_of(slot.piece) is None})
    if stiff:
        yield f"these counters cannot show a facing: {_some(stiff)}"
    mute = sorted({slot.name for slot in slots if not slot.piece.labels})
    if mute:
        yield f"these counters have no label for a name or a speed: {_some(mute)}"


def _lies_otherwise(place: MapCandidate, hexmap: HexMap, area: tuple[str, str], grid: str) -> Iterator[str]:
    """Yield sentences on how the hexes of a map differ in position or direction from those of the game."""
    other = ODD if grid == EVEN else EVEN
    same = hexmap.sides_in(grid, area[0])
    sides = same or hexmap.sides_in(other, area[0])
    if not sides:
        yield f"the hexes of the map {place.map!r} do not lie as in the game: no side of them points up"
        return
    if not same:
        yield (
            f"on the map {place.map!r} {other} columns lie half a hex lower, and in the game {grid} ones: ranges"
            f" are not the same; a game for it is begun with pbem new --grid {other}"
        )
    if sides != AS_IN_THE_GAME:
        way = "turned half round" if sides["B"] == "E" else "mirrored"
        yield f"the map {place.map!r} lies {way}: side A points {WAYS[sides['A']]}, and counters are turned to fit"


WAYS = {"A": "up", "D": "down"}
"""Words for the directions of a hex side that points straight up or down."""


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")


def _no_map(module: Module, area: tuple[str, str]) -> GameError:
    return GameError.saying("no-map", f"no map of the module {module.name!r} has the hexes {area[0]} to {area[1]}")


# --- without questions ------------------------------------------------------------------------------------------------


def propose(state: State, module: Module) -> Binding:
    """Return a binding made without questions: with the counters that the module marks, else best guesses.

    A unit for which no counter matches gets no line. A planet gets a line only if the module certainly has a counter
    for the planet.
    """
    answers = _counters(module, needs_of(state))
    planets = {unit.name for unit in state.units.values() if isinstance(unit, Planet)}
    lines = {one.key: one.choices[0].value for one in answers if one.choices and (one.sure or one.key not in planets)}
    return replace(bound(_best_place(state, module)), counters=lines)


def binding_for(own: Binding | None, general: Binding | None, state: State, module: Module) -> Binding | None:
    """Return the game's own binding, or else the general binding for the module, or else ``None``.

    The general binding is adapted to the game: it gets the board that fits the game best (:func:`fitted`).
    """
    return own if own is not None or general is None else fitted(general, state, module)


def fitted(binding: Binding, state: State, module: Module) -> Binding:
    """Return a general binding adapted to one game: with the board of its map that fits the game best."""
    found = [place for place in places(module, state.map, state.grid) if place.map == binding.map]
    if not found or binding.zone:
        return binding
    best = found[0]
    now = next((place for place in found if (place.board, place.how) == (binding.board, binding.hexes)), None)
    if now is not None and now.merit[:1] == best.merit[:1] and now.merit[4] >= best.merit[4]:
        return binding
    own = bound(best)
    return replace(binding, board=own.board, hexes=own.hexes, zone=own.zone, first_hex=own.first_hex)


def _best_place(state: State, module: Module) -> MapCandidate:
    """Return the most likely map for the game.

    If the default boards of a map fit the game exactly, no other maps are examined.
    """
    for game_map in module.maps:
        place = usual_place(game_map, state.map, state.grid)
        if place is not None:
            return place
    found = places(module, state.map, state.grid)
    if not found:
        raise _no_map(module, state.map)
    return found[0]
