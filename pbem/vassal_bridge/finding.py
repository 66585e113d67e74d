"""Which counter of a module could be a unit: found by its name, its picture's file, its properties and the folders of
the palette it lies in, and by its shape: it turns, it is no sheet and no mark.

What modules call things stands in ``vocabulary.toml``. Nothing here decides: every counter that could be meant is
named with how well it fits, and whether that is beyond doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pbem.data.files import parsed_file
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle
from pbem.patterns import regex
from pbem.vassal_bridge.heading import heading_of

if TYPE_CHECKING:
    from pbem.data.ships import ShipClass
    from vassal.module.module import Module, Slot

SURE, CLEAR = 1.2, 0.04
"""So well must a counter fit, and so much better than the next one, to be taken without a question."""

LEAST = 0.35
"""What fits less is not offered."""

BIG = 260
"""Pixels: a picture this wide or high is a sheet, not a counter."""

PLACES = ("name", "properties", "picture", "folder")
"""Where the words of a counter stand."""
RACE = (0.5, 0.5, 0.45, 0.45)
CLASS = (1.0, 1.0, 0.95, 0.8)
SMALL = (0.8, 0.8, 0.75, 0.4)
"""What a race, a class or a kind of small unit is worth that is read there: race and class together make a counter
sure.
"""
OTHER_NAME, NEAREST, COMMON, WORDY = 0.05, 0.4, 0.45, 0.2
"""What is taken off where not the abbreviation of a class is read: its own name, the class that is nearest to it, a
word for many classes, what it is called in words.
"""
MANY = ("cruiser", "raider")
"""Words for many classes."""

_TOKEN = regex(r"[A-Z]+\d+(?:[A-Z]+(?![a-z]))?|[A-Z]?[a-z]+\d*|[A-Z]+(?![a-z])|[A-Z]|\d+")


class Wanted(NamedTuple):
    """A unit, or a kind of them, that needs a counter: its line in vassal.toml, what it is in words, and what may be
    known of it.
    """

    key: str
    about: str
    kind: str
    race: str = ""
    code: str = ""
    name: str = ""
    level: str = ""


class Fit(NamedTuple):
    """A counter that could be meant, how well it fits, and what says so; ``named`` if it is the counter of one ship."""

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
    """What modules call things."""
    file = Path(__file__).with_name("vocabulary.toml")
    return msgspec.convert(parsed_file(file, "vocabulary", file.name), _Vocabulary)


def wanted_for(unit: AnyUnit, key: str) -> Wanted:
    """A unit of a game."""
    match unit:
        case Ship():
            code = unit.class_name.rpartition(" ")[2]
            about = f"{unit.name}, {unit.race.capitalize()} {code}"
            level = "cadet" if "cadet" in unit.ship else ""
            return Wanted(key, about, "ship", unit.race, code, unit.name, level)
        case Seeker():
            return Wanted(key, f"a {unit.race} {unit.weapon}", unit.weapon, unit.race)
        case Shuttle():
            return Wanted(key, f"a {unit.race} shuttle", "shuttle", unit.race)
        case Monster():
            return Wanted(key, unit.name, "monster", name=unit.monster.replace("_", " "))
        case Planet():
            return Wanted(key, unit.name, "planet", name=unit.name)


def wanted_of(ship: ShipClass) -> Wanted:
    """A class of ships."""
    level = ship.level if ship.level == "cadet" else ""
    return Wanted(ship.key, ship.name, "ship", ship.race, ship.class_name, level=level)


class Palette:
    """The counters of a module with the words they are known by."""

    def __init__(self, module: Module) -> None:
        self.entries = [_Entry(slot) for slot in module.slots if slot.in_palette]

    def fits(self, wanted: Wanted) -> list[Fit]:
        """All counters that could be meant, the best first; of equals the first in the palette."""
        found = [fit for entry in self.entries if (fit := entry.fit(wanted)) is not None and fit.score >= LEAST]
        return sorted(found, key=lambda fit: -fit.score)

    def nearest(self, wanted: Wanted) -> list[Fit]:
        """Counters for something that nothing here is like: what looks like a ship for a ship, else what turns, else
        anything that is laid on a map.
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
    """Whether the best of them is meant beyond doubt: it fits well, and better than all that look otherwise."""
    if not fits or fits[0].score < SURE:
        return False
    best = fits[0]
    others = [fit for fit in fits[1:] if _looks(fit.slot) != _looks(best.slot)]
    return not others or best.score - others[0].score >= CLEAR


def _looks(slot: Slot) -> tuple[str, str]:
    """Counters that look alike and are called alike are one, wherever they lie in the palette."""
    return slot.name, slot.piece.type


class _Entry:
    """An entry of the palette, and its words by where they stand."""

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

    def fit(self, wanted: Wanted) -> Fit | None:
        """How well it fits, ``None`` if it cannot be meant."""
        if self.never and wanted.kind != "asteroids":
            return None
        if wanted.kind == "ship":
            return self._ship(wanted)
        return self._small(wanted)

    def _ship(self, wanted: Wanted) -> Fit | None:
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
        """How surely it is of a race; less than nothing for one that is of another."""
        if race not in self.races:
            return (-1.0 if self.races else 0.0), ""
        names = vocabulary().races[race]
        worth, where = max(
            (worth, where)
            for (where, text), worth in zip(self.texts, RACE, strict=True)
            if any(_holds(text, name) for name in names)
        )
        return worth - 0.1 * (len(self.races) > 1), f"{race} by its {where}"

    def _class(self, wanted: Wanted) -> tuple[float, str]:
        """How surely it is of the class: by the abbreviation, or by what the class goes by."""
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

    def _named(self, wanted: Wanted) -> tuple[bool, str]:
        """Whether it is the counter of one ship, which is called like this one, prefix and class aside."""
        if not wanted.name:
            return False, ""
        said = [word for word in words(self.slot.name) if word not in self._known(wanted)]
        other = [word for word in words(wanted.name) if word not in _PREFIXES]
        return bool(other) and said == other, f"called {wanted.name!r}"

    def _known(self, wanted: Wanted) -> set[str]:
        """Words of a name that say nothing but race and class."""
        known = {*vocabulary().races.get(wanted.race, ()), *words(wanted.code), *_PREFIXES, "cadet", "class", "ship"}
        phrases = (
            *vocabulary().classes.get(wanted.code, ()),
            *vocabulary().names.get(f"{wanted.race} {wanted.code}", ()),
        )
        return known | {word for phrase in phrases for word in phrase.split()}

    def _small(self, wanted: Wanted) -> Fit | None:
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
        fixed = 0.2 * self.slot.piece.never_stacks  # it may lie on the board already
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
    """The words of a name or a file's name, in small letters: ``FED_CA2`` and ``KlingonD7`` are two each; a race and a
    class that are written as one word are two, too.
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
    """Whether the words of a phrase stand in a text, one after the other."""
    wanted = _phrase(phrase)
    if wanted[0] not in text:
        return False
    if len(wanted) == 1:
        return True
    return any(tuple(text[at : at + len(wanted)]) == wanted for at in range(len(text) - len(wanted) + 1))
