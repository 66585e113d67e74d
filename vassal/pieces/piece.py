r"""Pieces: traits around a core, the definitions that pieces share, and the look to give a piece.

A trait is a feature of a piece, such as a label or the ability to turn. VASSAL nests the texts of a piece's traits,
one inside the other; here they become tuples. The type and the state of a piece are parallel: level k of the type
belongs to level k of the state, the outermost first, the core last. A save has many pieces with few different
definitions, so everything that depends on the definition alone is computed once (:class:`Blueprint`).

>>> piece = Piece("rotate;6;;;;;;;Facing\tpiece;;;drone.png;Drone", "3\tTactical Map;504;420;1")
>>> piece.name, piece.map, piece.rotators[0].degrees
('Drone', 'Tactical Map', 180)
>>> piece.turned(0).state
'0\tTactical Map;504;420;1'
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from operator import getitem
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from vassal.errors import LossyTextError, PieceError
from vassal.pieces.containers import Core, Deck, Place, Stack
from vassal.pieces.trait import Trait
from vassal.pieces.traits import (
    DoesNotStack,
    DynamicProperty,
    Invisible,
    Label,
    Layer,
    Marker,
    Mask,
    MoveMark,
    PropertySheet,
    PrototypeUse,
    Rotator,
    TableTrait,
    Trail,
)  # fmt: skip
from vassal.text import sequence
from vassal.text.fields import NAME
from vassal.text.sequence import dataclass, number, reckoned, setter

__all__ = [
    "MAX_KEPT",
    "MAX_TRAITS",
    "MAX_TYPE",
    "TAB",
    "Blueprint",
    "Guise",
    "Look",
    "Piece",
    "blueprint",
    "is_container",
    "join_levels",
    "plain_level",
    "split_states",
    "split_types",
]


TAB = "\t"

MAX_TRAITS = 500
"""Maximum number of traits of a piece; pieces with more are refused. Real ones have fewer than two hundred."""

MAX_TYPE = 1_000_000
"""Maximum length of a piece's definition in characters; longer ones are refused.

Real ones have fewer than a hundred thousand.
"""

MAX_KEPT = 50_000
"""Maximum length in characters of a definition that is cached.

The limit prevents that an untrusted file fills the memory permanently.
"""


def split_types(type_text: str) -> tuple[str, ...]:
    """Return the types of a piece's traits, outermost first.

    Raises:
        PieceError: There are too many traits, or the text is too long.
    """
    return _split_types(type_text) if len(type_text) > MAX_KEPT else _split_kept(type_text)


def _split_types(type_text: str) -> tuple[str, ...]:
    if len(type_text) > MAX_TYPE:
        raise PieceError(f"a piece is defined by {len(type_text)} characters, more than {MAX_TYPE} are not read")
    if (plain := _plain_levels(type_text)) is not None:
        return plain
    heads, rest = _outer_levels(type_text, MAX_TRAITS + 1, while_within=True)
    if len(heads) > MAX_TRAITS:
        raise PieceError(f"a piece has more than {MAX_TRAITS} traits, one within the other")
    return (*heads, rest or "")


# Pieces from one palette slot share their definition, so each is split once.
_split_kept = lru_cache(maxsize=8192)(_split_types)


def _plain_levels(text: str) -> tuple[str, ...] | None:
    """Return the levels of *text* (the texts of the traits), found with a single split, or ``None``.

    A single split is enough if nothing is quoted and no level contains a TAB. Then the TAB after level k has
    exactly k backslashes before it. If the result is ``None``, the caller must decode level by level.
    """
    parts = text.split(TAB)
    last = len(parts) - 1
    if last > MAX_TRAITS or parts[last][:1] == "'":
        return None
    for level in range(last):
        if (plain := plain_level(parts[level], level)) is None:
            return None
        parts[level] = plain
    return tuple(parts)


def plain_level(part: str, level: int) -> str | None:
    """Return the content of one level (the text of one trait), or ``None`` if it is quoted.

    The function does not work for the last level. *part* is the text before the TAB at the end of the level.
    """
    backslashes = _BACKSLASHES[level]
    if part == backslashes:  # most states are empty
        return ""
    if part[:1] == "'" or not part.endswith(backslashes):
        return None
    plain = part[:-level] if level else part
    return None if plain[-1] == "\\" else plain


_BACKSLASHES = tuple("\\" * level for level in range(MAX_TRAITS + 1))


def split_states(state: str, levels: int) -> tuple[str | None, ...]:
    """Return the states of *levels* traits, outermost first; ``None`` for each that is missing in the text.

    As in VASSAL, the innermost level gets the whole rest of the text, even if that contains more levels.
    """
    plain = _plain_levels(state)
    if plain is not None and len(plain) == levels:
        return plain
    heads, rest = _outer_levels(state, levels - 1)
    return (*heads, rest, *[None] * (levels - 1 - len(heads)))


def _outer_levels(text: str, most: int, *, while_within: bool = False) -> tuple[list[str], str | None]:
    """Return the first tokens of up to *most* levels, and the text inside the last of these levels.

    A level is the text of one trait with all further traits nested inside. The result is the same as decoding the
    second token of each level in turn, but no level is read twice. At level k the separators are the TABs with k
    backslashes before them. A level with a single token is the last one. With *while_within*, that token is the
    inner text, and so is a level without any TAB.
    """
    parts = text.split(TAB)
    places: dict[int, list[int]] = {}
    for place, part in enumerate(parts[:-1]):
        places.setdefault(len(part) - len(part.rstrip("\\")), []).append(place)
    heads: list[str] = []
    first, last = 0, len(parts) - 1  # first and last part of the text that is not split yet
    quotes = 0, 0  # number of characters to remove at the start and at the end of that text
    for level in range(most):
        if while_within and first == last:
            break
        here = places.get(level, ())
        at = bisect_left(here, first)
        separators = [place for place in here[at : at + 2] if place < last]
        if not separators:
            token = sequence.unquote(_joined(parts[first : last + 1], level + 1, *quotes))
            return (heads, token) if while_within else ([*heads, token], None)
        head = separators[0]
        heads.append(sequence.unquote(_joined(parts[first : head + 1], level + 1, quotes[0], level)))
        first, before, after = head + 1, 0, quotes[1]
        if len(separators) > 1:
            last, after = separators[1], level
        is_long = first < last or len(parts[first]) - after > 1
        if is_long and parts[first].startswith("'") and parts[last].endswith("'", 0, len(parts[last]) - after):
            before, after = before + 1, after + 1
        quotes = before, after
    return heads, _joined(parts[first : last + 1], len(heads), *quotes)


def _joined(parts: list[str], backslashes: int, before: int, after: int) -> str:
    """Join parts by TABs after removing the backslashes before each TAB, and characters at both ends of the text.

    ``backslashes`` is the number of backslashes before each TAB. ``before`` and ``after`` are the numbers of characters
    to remove at the start and at the end.
    """
    *outer, inner = parts
    cut = [part[: len(part) - backslashes] for part in outer]
    return TAB.join([*cut, inner[: len(inner) - after]])[before:]


def join_levels(texts: Iterable[str]) -> str:
    """Return the type or the state of a piece from *texts*, the texts of its traits, outermost first."""
    *outer, text = texts = list(texts)
    joined = TAB.join(texts)
    if "\\" not in joined and "'" not in joined and joined.count(TAB) == len(outer) <= MAX_TRAITS:
        # Nothing in the texts needs quoting: see _plain_levels.
        return "".join([part for level, one in enumerate(outer) for part in (one, _BACKSLASHES[level], TAB)]) + text
    for level in reversed(outer):
        text = sequence.encode([level, text], TAB)
    return text


_KINDS: tuple[type[Trait], ...] = (
    Rotator, Label, Layer, Marker, DynamicProperty, Invisible, Mask, DoesNotStack, PrototypeUse, MoveMark,
    Trail, PropertySheet, TableTrait, Core, Deck,
)  # fmt: skip
_BY_KIND: dict[str, type[Trait]] = {kind.prefix.rstrip(";"): kind for kind in _KINDS}
_ALL_KINDS: tuple[type[Trait], ...] = (*_KINDS, Stack)
_TELLERS = {kind for kind in _ALL_KINDS if kind.properties is not Trait.properties}
_NAMERS = {kind for kind in _ALL_KINDS if kind.decorate is not Trait.decorate}
MAX_SEEN = 500
"""Maximum number of states of one trait that are cached. Only short states are cached, because labels all differ."""


def kind_of(type_text: str) -> type[Trait]:
    """Return the class for a trait, or plain ``Trait`` for a kind of trait that this package does not read."""
    kind, semicolon, _ = type_text.partition(";")
    if kind == "stack":
        return Stack
    return _BY_KIND.get(kind if semicolon else "", Trait)


def is_container(type_text: str) -> bool:
    """Return whether a definition is that of a stack or a deck rather than a counter."""
    return type_text == "stack" or type_text.startswith(("stack\t", "deck;"))


def _is_clone(text: str) -> bool:
    return text.startswith("clone") and text[5:6] in ("", ";")


MAX_STATE = 100
MAX_OUTER = 500
"""Maximum length in characters of the states of all traits but the core, for these to be cached."""


class _Seen(dict[str | None, Trait]):
    """A cache of the traits at one level, by state. Few states occur, and each occurs many times."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: type[Trait], text: str) -> None:
        self.kind, self.text = kind, text

    def __missing__(self, state: str | None) -> Trait:
        trait = self.kind(self.text, state)
        if len(self) < MAX_SEEN and len(state or "") < MAX_STATE:
            self[state] = trait
        return trait


class _Plain(dict[str, str | None]):
    """A cache of the states at one level, by their quoted text in the piece."""

    __slots__ = ("level",)

    def __init__(self, level: int) -> None:
        self.level = level

    def __missing__(self, part: str) -> str | None:
        state = plain_level(part, self.level)
        if len(self) < MAX_SEEN and len(part) < MAX_STATE:
            self[part] = state
        return state


class Blueprint:
    """The data that depend only on a piece's definition, computed once for all pieces that share it.

    It has the levels (traits), ordered from the outermost to the core, and the indexes of the traits that this
    package uses.
    """

    __slots__ = (
        "_known", "_of", "_plain", "_seen", "basic_name", "followers", "is_container", "kinds", "namers", "numbered",
        "tellers", "types",
    )  # fmt: skip

    def __init__(self, type_text: str) -> None:
        self.types = split_types(type_text)
        self.kinds = tuple(kind_of(text) for text in self.types)
        core = self.kinds[-1](self.types[-1])
        self.is_container = is_container(type_text)
        self.basic_name = core.name if isinstance(core, Core | Deck) else ""
        outer = range(len(self.types) - 1)  # all but the core
        self._seen = tuple(_Seen(self.kinds[level], self.types[level]) for level in outer)
        self._plain = tuple(_Plain(level) for level in outer)
        levels = list(zip(range(len(self.types)), self.kinds, self.types, strict=True))
        inward = levels[::-1]
        # Both tuples begin with the innermost trait, so that of two equal names the outer one replaces the inner one.
        self.tellers = tuple([i for i, kind, text in inward if kind in _TELLERS or _is_clone(text)])
        self.namers = tuple([i for i, kind, _ in inward[1:] if kind in _NAMERS])
        self.numbered = tuple([i for i, kind, text in levels if kind is Rotator and Rotator(text).facings > 1])
        self.followers = tuple([i for i, kind, text in levels if kind is Layer and Layer(text).follows])
        self._of: dict[type[Trait], tuple[int, ...]] = {}
        self._known: dict[str, tuple[str, ...]] = {"": ()}

    def known(self, outer: str) -> tuple[str, ...]:
        """Return the states of the outer levels from *outer*, the text of a state up to its core.

        The result is empty if one of the states is quoted.
        """
        found = self._known.get(outer)
        if found is None:
            parts = outer.split(TAB)
            read = tuple(map(getitem, self._plain, parts))
            found = cast(tuple[str, ...], read) if len(parts) == len(self.types) and None not in read else ()
            if len(self._known) < MAX_SEEN and len(outer) < MAX_OUTER:
                self._known[outer] = found
        return found

    def traits(self, states: Iterable[str | None], core: Trait) -> tuple[Trait, ...]:
        """Return the traits of a piece with these states, followed by *core*.

        *states* may include the state of the core, which is ignored.
        """
        return (*map(getitem, self._seen, states), core)

    def of(self, kind: type[Trait]) -> tuple[int, ...]:
        """Return the indexes of the traits of one kind."""
        found = self._of.get(kind)
        if found is None:
            found = self._of[kind] = tuple(i for i, own in enumerate(self.kinds) if issubclass(own, kind))
        return found


_kept = lru_cache(maxsize=8192)(Blueprint)


def blueprint(type_text: str) -> Blueprint:
    """Return the blueprint of a piece's type (its definition).

    Raises:
        PieceError: The definition is too long or has too many traits.
    """
    return Blueprint(type_text) if len(type_text) > MAX_KEPT else _kept(type_text)


Guise: TypeAlias = tuple[str, tuple[str | None, ...]]
"""Type of a definition together with the states of all its traits but the core; it decides how a piece looks."""

T = TypeVar("T", bound=Trait)
Kind: TypeAlias = type[T]  # the name `type` means a field of Piece inside that class

_PLAIN = re.compile("[A-Za-z0-9 -]+").fullmatch
"""Pattern of names that need no quoting in the definition of a counter."""


class _Read:
    """The values read from a piece's two texts; each is computed when it is first requested.

    Therefore pieces of which few values are requested need little memory.
    """

    __slots__ = ("_inner", "_outer", "core", "fault", "gpid", "name", "place", "plan", "properties", "traits")

    plan: Blueprint
    """The blueprint that the piece shares with all pieces of its definition."""
    _outer: tuple[str | None, ...]
    """The states of all traits but the core."""
    _inner: str | None
    """The state of the core."""
    fault: str
    """The mismatch between type and state that VASSAL would report, empty if there is none."""
    place: Place
    """The map and the pixel that the piece itself states as its place."""
    gpid: str
    """The id of the palette entry from which the piece came, empty if unknown."""
    core: Trait
    """The innermost trait: a :class:`~vassal.pieces.containers.Core`, a stack, a deck, or something unknown."""
    traits: tuple[Trait, ...]
    """All traits of the piece, outermost first, the core last. Raises :class:`~vassal.errors.PieceError`."""
    properties: dict[str, str | None]
    """The properties that the traits provide. If two traits have the same name, the outer one counts."""
    name: str
    """The name that VASSAL shows to the owner of the piece: with labels, layers, and marks for hidden and masked."""

    if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept every attribute name

        def __getattr__(self, name):
            return reckoned(self, name, _RECKONED)


@dataclass(frozen=True, slots=True)
class Piece(_Read):
    """A piece, stored as the two texts in the file (type and state); its traits are read on demand.

    Pieces are immutable: a change returns a new piece, in which unchanged traits keep their texts.
    """

    type: str
    state: str

    @classmethod
    def of(cls, traits: Iterable[Trait]) -> Piece:
        """Return a piece made of *traits*, outermost first."""
        traits = tuple(traits)
        try:
            return cls(join_levels(t.type for t in traits), join_levels(t.state or "" for t in traits))
        except LossyTextError as error:
            core = traits[-1]
            name = core.name if isinstance(core, Core) else core.kind
            raise LossyTextError(f"the piece {name!r}: {error}") from None

    def all(self, kind: Kind[T]) -> tuple[T, ...]:
        """Return all traits of one kind, outermost first."""
        if not (levels := self.plan.of(kind)):
            return ()
        traits = self.traits
        return tuple([traits[index] for index in levels])  # type: ignore[misc]

    def read(self) -> None:
        """Read all values that most callers need in one pass.

        This saves time, because a save may hold a hundred thousand pieces.

        Raises:
            PieceError: The piece is faulty. The same error is raised again when one of the values is requested.
        """
        plan = blueprint(self.type)
        outer, inner, fault, lost = _states(plan, self.state)
        _put_plan(self, plan)
        _put_outer(self, outer)
        _put_inner(self, inner)
        _put_fault(self, fault)
        place, gpid = _NOWHERE, ""
        if plan.kinds[-1] is Core and inner and "\\" not in inner and "'" not in inner and inner.count(";") >= 2:
            on, x, y, *rest = inner.split(";", 4)
            place, gpid = _spot(on, x, y), intern(rest[0]) if rest else ""
        elif isinstance(core := self.core, Core | Stack | Deck):
            place, gpid = core.place, core.gpid if isinstance(core, Core) else ""
        # VASSAL places a piece whose levels don't match on no map.
        _put_place(self, _NOWHERE if lost else place)
        _put_gpid(self, gpid)

    def _core(self) -> Trait:
        return self.plan.kinds[-1](self.plan.types[-1], self._inner)

    def _traits(self) -> tuple[Trait, ...]:
        return self.plan.traits(self._outer, self.core)

    @property
    def guise(self) -> Guise:
        """Everything about the piece except its position; pieces with the same guise look alike."""
        return self.type, self._outer

    @property
    def unlabelled(self) -> Guise:
        """The guise of the piece without the states of its labels."""
        outer = self._outer
        for level in reversed(self.plan.of(Label)):
            outer = outer[:level] + outer[level + 1 :]
        return self.type, outer

    @property
    def is_container(self) -> bool:
        """Whether the piece is a stack or a deck rather than a counter."""
        return is_container(self.type)

    @property
    def map(self) -> str | None:
        """The name of the map, as stored in the piece itself; ``None`` if it is on no map."""
        return self.place[0]

    @property
    def position(self) -> tuple[int, int]:
        """The position of the piece, in pixels of its map."""
        return self.place[1]

    @property
    def basic_name(self) -> str:
        """The name of the piece without the additions of its traits."""
        return self.plan.basic_name

    def is_called(self, name: str) -> bool:
        """Return whether *name* is the counter's own name, without the additions of its traits."""
        if _PLAIN(name) and name not in self.type and not self.is_container:
            return False  # a fast test: a plain name would be in the definition unchanged
        return self.basic_name == name

    def _properties(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        plan, traits = self.plan, self.traits
        for index in plan.tellers:
            found.update(traits[index].told)
        if plan.followers:
            for layer in self.layers:
                if layer.follows:
                    found.update(layer.properties())
        return found

    def _name(self) -> str:
        name = self.basic_name
        plan, traits = self.plan, self.traits
        if not plan.namers:
            return name
        known = _Known(self)
        told = self._properties_for_layers() if plan.followers else {}
        for index in plan.namers:
            trait = traits[index]
            shown = trait.following(told) if isinstance(trait, Layer) and trait.follows else trait
            name = shown.decorate(name, known)
        return name

    @property
    def known(self) -> dict[str, str | None]:
        """The texts that replace ``$names$`` in the labels of the piece, by name.

        Calculated properties are not included.
        """
        known = {**self.properties, "BasicName": self.basic_name}
        if "calcProp;" in self.type:
            traits = self.traits
            for index, trait in enumerate(traits):
                if trait.kind == "calcProp" and not any(trait.field(1) in outer.told for outer in traits[:index]):
                    known[trait.field(1)] = None
        return known

    @property
    def rotators(self) -> tuple[Rotator, ...]:
        """The traits by which the piece turns."""
        return self.all(Rotator)

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels of the piece, outermost first."""
        return self.all(Label)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of the piece, outermost first, at the levels that they show."""
        found = self.all(Layer)
        if not self.plan.followers:
            return found
        told = self._properties_for_layers()
        return tuple([layer.following(told) if layer.follows else layer for layer in found])

    def _properties_for_layers(self) -> dict[str, str | None]:
        """Return the properties whose values can choose the level of a layer.

        Properties of layers that follow a property themselves are left out, because they would depend on each other.
        """
        found: dict[str, str | None] = {}
        for trait in reversed(self.traits):
            if not (isinstance(trait, Layer) and trait.follows):
                found.update(trait.properties())
        return found

    @property
    def never_stacks(self) -> bool:
        """Whether the piece must stay out of stacks."""
        return any(trait.never_stacks for trait in self.all(DoesNotStack))

    def _change(self, kind: Kind[T], chosen: Callable[[T], bool], change: Callable[[T], T], what: str) -> Piece:
        for index, trait in enumerate(self.traits):
            if isinstance(trait, kind) and chosen(trait):
                try:
                    changed = change(trait)
                except PieceError as error:
                    raise PieceError(f"the piece {self.name!r}: {error}") from None
                new: tuple[Trait, ...] = (*self.traits[:index], changed, *self.traits[index + 1 :])
                states = [t.state or "" for t in new]
                try:
                    return Piece(self.type, join_levels(states))
                except LossyTextError as error:
                    raise LossyTextError(f"the piece {self.name!r}: {error}") from None
        raise PieceError(f"the piece {self.name!r} has no {what}")

    def turned(self, facing: int, rotator: str | None = None) -> Piece:
        """Return the piece at facing number *facing*, counted clockwise from 0.

        *rotator* names the trait that turns the piece; by default it is the first such trait.
        """
        what = "trait to turn it" if rotator is None else f"trait {rotator!r} to turn it"
        return self._change(Rotator, lambda t: rotator in (None, t.name), lambda t: t.turned(facing), what)

    def turned_to(self, degrees: float, rotator: str | None = None) -> Piece:
        """Return the piece turned *degrees* clockwise from the drawn direction.

        *rotator* is the name of the trait that turns it; by default the first such trait is used.
        """
        what = "trait to turn it" if rotator is None else f"trait {rotator!r} to turn it"
        return self._change(Rotator, lambda t: rotator in (None, t.name), lambda t: t.turned_to(degrees), what)

    def labelled(self, text: str, property_name: str | None = None) -> Piece:
        """Return the piece with *text* in the label trait for this property name, or in its first label trait."""
        what = "label" if property_name is None else f"label {property_name!r}"
        return self._change(
            Label, lambda t: property_name in (None, t.property_name), lambda t: t.with_text(text), what
        )

    def at_level(self, layer: str, level: int, active: bool = True) -> Piece:
        """Return the piece with the named layer at *level*, from 1. *active* says whether the layer is shown."""
        return self._change(Layer, lambda t: t.name == layer, lambda t: t.at_level(level, active), f"layer {layer!r}")

    def at_levels(self, levels: Mapping[str, int]) -> Piece:
        """Return the piece with several layers at new levels, by layer name; a negative level hides the layer.

        Setting many layers takes little more time than one call of :meth:`at_level`.
        """
        waiting = dict(levels)
        changed: list[Trait] = []
        for trait in self.traits:
            if waiting and isinstance(trait, Layer) and trait.name in waiting:
                level = waiting.pop(trait.name)
                try:
                    trait = trait.at_level(abs(level), level > 0)
                except PieceError as error:
                    raise PieceError(f"the piece {self.name!r}: {error}") from None
            changed.append(trait)
        if waiting:
            raise PieceError(f"the piece {self.name!r} has no layer {next(iter(waiting))!r}")
        return Piece(self.type, join_levels(trait.state or "" for trait in changed))

    def with_property(self, name: str, value: str) -> Piece:
        """Return the piece with a property set: a dynamic property, a marker or a field of a property sheet.

        If several traits have the name, the outermost is set.
        """
        return self.with_properties({name: value})

    def with_properties(self, values: Mapping[str, str]) -> Piece:
        """Return the piece with all these properties set, each in the same way as by :meth:`with_property`.

        Setting a whole sheet takes little more time than setting one property.
        """
        waiting = dict(values)
        changed: list[Trait] = []
        for trait in self.traits:
            for name in _settable(trait) if waiting else ():
                if name in waiting:
                    trait = _with_value(trait, name, waiting.pop(name))
            changed.append(trait)
        if waiting:
            raise PieceError(f"the piece {self.name!r} has no property {next(iter(waiting))!r} that can be set")
        try:
            return Piece(self.type, join_levels(trait.state or "" for trait in changed))
        except LossyTextError as error:
            raise LossyTextError(f"the piece {self.name!r}: {error}") from None

    @property
    def has_moved(self) -> bool:
        """Whether the piece is marked as moved, or shows a trail."""
        return any(mark.moved for mark in self.all(MoveMark)) or any(trail.points for trail in self.all(Trail))

    def rested(self) -> Piece:
        """Return the piece without its mark for having moved, and without the points of its trail."""
        piece = self
        while any(mark.moved for mark in piece.all(MoveMark)):
            piece = piece._change(MoveMark, lambda t: t.moved, lambda t: t.with_moved(False), "")
        while any(trail.points for trail in piece.all(Trail)):
            piece = piece._change(Trail, lambda t: bool(t.points), lambda t: t.cleared(), "")
        return piece

    def at(self, map_name: str | None, x: int, y: int) -> Piece:
        """Return the piece at pixel *x*, *y* of *map_name*."""
        return self._change(Core, lambda t: True, lambda t: t.at(map_name, x, y), "core")

    def born(self, gpid: str, unique_id: str) -> Piece:
        """Return a copy of the piece as a new piece from the palette entry *gpid*; *unique_id* is its original id."""
        return self._change(Core, lambda t: True, lambda t: t.born(gpid, unique_id), "core")


class _Known(Mapping[str, "str | None"]):
    """The dict for :attr:`Piece.known`, filled only when it is first used, because few names need it."""

    __slots__ = ("_found", "_piece")

    def __init__(self, piece: Piece) -> None:
        self._piece = piece
        self._found: dict[str, str | None] | None = None

    def _all(self) -> dict[str, str | None]:
        if self._found is None:
            self._found = self._piece.known
        return self._found

    def __getitem__(self, name: str) -> str | None:
        return self._all()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _settable(trait: Trait) -> Iterable[str]:
    """Return the names of a trait's properties that can be set."""
    if isinstance(trait, DynamicProperty):
        return (trait.name,)
    if isinstance(trait, Marker):
        return trait.values
    return trait.names if isinstance(trait, PropertySheet) else ()


def _with_value(trait: Trait, name: str, value: str) -> Trait:
    if isinstance(trait, DynamicProperty):
        return trait.with_value(value)
    return trait.with_value(name, value) if isinstance(trait, Marker | PropertySheet) else trait


def _states(plan: Blueprint, state: str) -> tuple[tuple[str | None, ...], str | None, str, bool]:
    """Return the states of the outer levels and of the core, the fault in them, and whether it is severe.

    With a severe fault the piece has no position. Most pieces of a kind differ only in the core, which holds the
    position. So the outer levels are read once if nothing in them is quoted.
    """
    outer, tab, inner = state.rpartition(TAB)
    levels = len(plan.types)
    if (tab or levels == 1) and inner[:1] != "'":
        known = plan.known(outer + tab)
        if len(known) == levels - 1:
            return known, inner, _facing_fault(plan, known, inner) if plan.numbered else "", False
    states = split_states(state, levels)
    fault, lost = _fault(plan, states)
    return states[:-1], states[-1], fault, lost


def _fault(plan: Blueprint, states: tuple[str | None, ...]) -> tuple[str, bool]:
    """Return a text on how a definition and its states do not match; empty if they match.

    The second value says whether the piece has no position because of this.
    """
    core = states[-1]
    if core is None:
        present = sum(state is not None for state in states)
        return f"its type has {len(states)} levels, its state only {present}", True
    if TAB in core and plan.kinds[-1] is Core:
        return f"its state has more than the {len(states)} levels of its type", True
    return _facing_fault(plan, states, core), False


def _facing_fault(plan: Blueprint, states: tuple[str | None, ...], inner: str | None) -> str:
    for index in plan.numbered:
        state = states[index] if index < len(states) else inner
        if state and state[0] == "-":
            return f"its facing is {state}, which VASSAL cannot draw"
    return ""


@lru_cache(maxsize=8192)
def _spot(on: str, x: str, y: str) -> Place:
    """Return a place (map and pixel) from the texts that name the map and the pixel.

    Results are cached, because counters share few places.
    """
    name = NAME.read(on)
    return None if name is None else intern(name), (number(x), number(y))


_NOWHERE: Place = None, (0, 0)
_OPENED = ("plan", "_outer", "_inner", "fault", "place", "gpid")
_put_plan, _put_outer, _put_inner, _put_fault, _put_place, _put_gpid = (setter(_Read, name) for name in _OPENED)


def _opening(name: str) -> Callable[[Piece], Any]:
    def opened(piece: Piece) -> Any:
        piece.read()
        return object.__getattribute__(piece, name)

    return opened


_RECKONED: dict[str, Callable[[Piece], Any]] = {
    **{name: _opening(name) for name in _OPENED},
    "core": Piece._core,
    "traits": Piece._traits,
    "properties": Piece._properties,
    "name": Piece._name,
}


@dataclass(frozen=True, slots=True)
class Look:
    """The values to set on a piece; values that are left out stay unchanged.

    ``facing`` is a facing index from 0, clockwise. ``degrees`` can be used instead; it is the clockwise angle and
    must be that of one of the facings. ``rotator`` names the trait to turn if there are several. ``label`` sets the
    first label, ``labels`` sets labels by property name. ``layers`` has signed levels by layer name: 2 shows level
    2, -2 hides it. ``properties`` sets dynamic properties, markers and fields of property sheets. ``rests`` removes
    the moved mark and the points of the trail.
    """

    facing: int | None = None
    degrees: float | None = None
    rotator: str | None = None
    label: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    rests: bool = False

    def apply(self, piece: Piece) -> Piece:
        """Return *piece* with this look.

        Raises:
            PieceError: The piece does not have one of the traits.
        """
        if self.facing is not None and self.degrees is not None:
            raise PieceError(f"the piece {piece.name!r}: give a facing or degrees, not both")
        if self.facing is not None:
            piece = piece.turned(self.facing, self.rotator)
        if self.degrees is not None:
            piece = piece.turned_to(self.degrees, self.rotator)
        if self.label is not None:
            piece = piece.labelled(self.label)
        for property_name, text in self.labels.items():
            piece = piece.labelled(text, property_name)
        if self.layers:
            piece = piece.at_levels(self.layers)
        if self.properties:
            piece = piece.with_properties(self.properties)
        return piece.rested() if self.rests else piece
