"""A piece: its traits around its core. VASSAL nests them, one text within the other; here they are a list.

>>> piece = Piece("rotate;6;;;;;;;Facing\\tpiece;;;drone.png;Drone", "3\\tTactical Map;504;420;1")
>>> piece.name, piece.map, piece.rotators[0].degrees
('Drone', 'Tactical Map', 180)
>>> piece.turned(0).state
'0\\tTactical Map;504;420;1'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias, TypeVar

from vassal import sequence
from vassal.containers import Core, Deck, Stack
from vassal.errors import LossyTextError, PieceError
from vassal.trait import Trait
from vassal.traits import (
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
    Table,
    Trail,
)  # fmt: skip

__all__ = ["Piece", "join_levels", "read_trait", "split_states", "split_types"]

TAB = "\t"

MAX_TRAITS = 500
"""Pieces with more traits are refused; real ones stay below two hundred."""

MAX_TYPE = 4_000_000
"""Pieces with a longer definition, in characters, are refused; real ones stay below a hundred thousand."""

_KINDS: tuple[type[Trait], ...] = (
    Rotator, Label, Layer, Marker, DynamicProperty, Invisible, Mask, DoesNotStack, PrototypeUse, MoveMark,
    Trail, PropertySheet, Table, Core, Deck,
)  # fmt: skip
_BY_KIND: dict[str, type[Trait]] = {kind.prefix.rstrip(";"): kind for kind in _KINDS}

T = TypeVar("T", bound=Trait)
Kind: TypeAlias = type[T]  # Piece has a field called type


def read_trait(type_text: str, state: str | None) -> Trait:
    """The typed trait for the two texts; a plain ``Trait`` for the kinds not read here."""
    kind, semicolon, _ = type_text.partition(";")
    if kind == "stack":
        return Stack(type_text, state)
    return _BY_KIND.get(kind if semicolon else "", Trait)(type_text, state)


@lru_cache(maxsize=1024)
def split_types(type_text: str) -> tuple[str, ...]:
    """The types of a piece's traits, outermost first. Pieces from one palette slot share them."""
    if len(type_text) > MAX_TYPE:
        raise PieceError(f"a piece is defined by {len(type_text)} characters, more than {MAX_TYPE} are not read")
    if (plain := _plain_levels(type_text)) is not None:
        return plain
    types = []
    rest = type_text
    while TAB in rest:
        tokens = sequence.decode(rest, TAB)
        if len(tokens) == 1:
            rest = tokens[0]
            break
        types.append(tokens[0])
        rest = tokens[1]
        if len(types) > MAX_TRAITS:
            raise PieceError(f"a piece has more than {MAX_TRAITS} traits, one within the other")
    types.append(rest)
    return tuple(types)


def _plain_levels(text: str) -> tuple[str, ...] | None:
    """The levels of *text* by one split, where nothing in it is quoted and no level holds a TAB of its own.

    Then the TAB behind level k has exactly k backslashes before it. ``None`` sends the caller the long way.
    """
    parts = text.split(TAB)
    last = len(parts) - 1
    if last > MAX_TRAITS:
        return None
    for level, part in enumerate(parts):
        if part[:1] == "'":
            return None
        if level == last:
            break
        stop = len(part) - level
        if stop < 0 or part[stop:] != "\\" * level or part[:stop].endswith("\\"):
            return None
        parts[level] = part[:stop]
    return tuple(parts)


def split_states(state: str, levels: int) -> tuple[str | None, ...]:
    """The states of *levels* traits, outermost first; ``None`` for each level the text doesn't have.

    As VASSAL reads it: the innermost level gets all that is left, further levels included.
    """
    plain = _plain_levels(state)
    if plain is not None and len(plain) == levels:
        return plain
    states: list[str | None] = []
    rest: str | None = state
    for _ in range(levels - 1):
        tokens = sequence.decode(rest, TAB)
        states.append(tokens[0] if tokens else None)
        rest = tokens[1] if len(tokens) > 1 else None
    states.append(rest)
    return tuple(states)


def join_levels(texts: Iterable[str]) -> str:
    """Nest *texts*, outermost first, as the type or the state of a piece."""
    *outer, text = texts
    for level in reversed(outer):
        text = sequence.encode([level, text], TAB)
    return text


@dataclass(frozen=True)
class Piece:
    """A piece as the two texts of the file, with the traits read from them when they are asked for.

    A change gives a new piece; the traits not changed keep their texts.
    """

    type: str
    state: str

    @cached_property
    def traits(self) -> tuple[Trait, ...]:
        """All traits, outermost first, the core last. Raises :class:`~vassal.errors.PieceError`."""
        types, states = self._levels
        return tuple(read_trait(kind, state) for kind, state in zip(types, states, strict=True))

    @classmethod
    def of(cls, traits: Iterable[Trait]) -> Piece:
        """A piece made of *traits*, outermost first."""
        traits = tuple(traits)
        try:
            return cls(join_levels(t.type for t in traits), join_levels(t.state or "" for t in traits))
        except LossyTextError as error:
            core = traits[-1]
            name = core.name if isinstance(core, Core) else core.kind
            raise LossyTextError(f"the piece {name!r}: {error}") from None

    def all(self, kind: Kind[T]) -> tuple[T, ...]:
        """The traits of one kind, outermost first."""
        return tuple(trait for trait in self.traits if isinstance(trait, kind))

    @cached_property
    def _levels(self) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
        types = split_types(self.type)
        return types, split_states(self.state, len(types))

    @cached_property
    def core(self) -> Trait:
        """The innermost trait: a :class:`~vassal.containers.Core`, a stack, a deck, or something unknown."""
        types, states = self._levels
        return read_trait(types[-1], states[-1])

    @property
    def is_container(self) -> bool:
        """Whether this is a stack or a deck rather than a counter."""
        return self.type == "stack" or self.type.startswith(("stack\t", "deck;"))

    @cached_property
    def fault(self) -> str:
        """What is wrong between type and state, as VASSAL would stumble over it; empty if nothing is."""
        types, states = self._levels
        if states[-1] is None:
            present = sum(state is not None for state in states)
            return f"its type has {len(types)} levels, its state only {present}"
        if TAB in states[-1] and types[-1].startswith(Core.prefix):
            return f"its state has more than the {len(types)} levels of its type"
        for kind, state in zip(types, states, strict=True):
            if state and state[0] == "-" and kind.startswith(Rotator.prefix) and Rotator(kind).facings > 1:
                return f"its facing is {state}, which VASSAL cannot draw"
        return ""

    @property
    def _placed(self) -> Core | Stack | Deck | None:
        if self.fault.startswith(("its type", "its state")):
            return None  # VASSAL leaves such a piece off the map
        core = self.core
        return core if isinstance(core, Core | Stack | Deck) else None

    @property
    def map(self) -> str | None:
        """The map the piece says it is on."""
        placed = self._placed
        return placed.map if placed else None

    @property
    def position(self) -> tuple[int, int]:
        """The pixel of that map."""
        placed = self._placed
        return placed.position if placed else (0, 0)

    @property
    def gpid(self) -> str:
        """The palette slot the piece came from; empty where nothing says it."""
        core = self.core
        return core.gpid if isinstance(core, Core) else ""

    @property
    def basic_name(self) -> str:
        """The name without anything traits add."""
        core = self.core
        return core.name if isinstance(core, Core | Deck) else ""

    @cached_property
    def properties(self) -> dict[str, str | None]:
        """The properties the traits provide. Of two traits with one name the outer one counts."""
        found: dict[str, str | None] = {}
        for trait in reversed(self.traits):
            found.update(trait.properties())
        for layer in self.layers:
            if layer.follows:
                found.update(layer.properties())
        return found

    @cached_property
    def name(self) -> str:
        """The name as VASSAL shows it to the owner: with labels, layers, and marks for hidden and masked."""
        known = {**self.properties, "BasicName": self.basic_name}
        name = self.basic_name
        for trait in reversed(self.traits[:-1]):
            shown = self._following(trait) if isinstance(trait, Layer) else trait
            name = shown.decorate(name, known)
        return name

    @property
    def rotators(self) -> tuple[Rotator, ...]:
        """The traits by which it turns."""
        return self.all(Rotator)

    @property
    def labels(self) -> tuple[Label, ...]:
        """Its labels, outermost first."""
        return self.all(Label)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Its layers, outermost first, at the levels they show."""
        return tuple(self._following(layer) for layer in self.all(Layer))

    def _following(self, layer: Layer) -> Layer:
        """A layer that follows a property of the piece shows the level that property asks for."""
        if not layer.follows:
            return layer
        found: dict[str, str | None] = {}
        for trait in reversed(self.traits):
            if not isinstance(trait, Layer):
                found.update(trait.properties())
        return layer.following(found)

    @property
    def never_stacks(self) -> bool:
        """Whether it must stay out of stacks."""
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
        """Facing number *facing*, from 0 and clockwise, of the rotator of that name (or of the first one)."""
        what = "trait to turn it" if rotator is None else f"trait {rotator!r} to turn it"
        return self._change(Rotator, lambda t: rotator in (None, t.name), lambda t: t.turned(facing), what)

    def turned_to(self, degrees: float, rotator: str | None = None) -> Piece:
        """Turned *degrees* clockwise from the drawn direction."""
        what = "trait to turn it" if rotator is None else f"trait {rotator!r} to turn it"
        return self._change(Rotator, lambda t: rotator in (None, t.name), lambda t: t.turned_to(degrees), what)

    def labelled(self, text: str, property_name: str | None = None) -> Piece:
        """With *text* as the label of that property name (or as the first label)."""
        what = "label" if property_name is None else f"label {property_name!r}"
        return self._change(
            Label, lambda t: property_name in (None, t.property_name), lambda t: t.with_text(text), what
        )

    def at_level(self, layer: str, level: int, active: bool = True) -> Piece:
        """With the layer of that name at *level*, from 1, shown or not."""
        return self._change(Layer, lambda t: t.name == layer, lambda t: t.at_level(level, active), f"layer {layer!r}")

    def with_property(self, name: str, value: str) -> Piece:
        """With the dynamic property, marker or property sheet field *name* at *value*, the outermost that has
        it.
        """
        for trait in self.traits:
            if isinstance(trait, DynamicProperty) and trait.name == name:
                return self._change(DynamicProperty, lambda t: t.name == name, lambda t: t.with_value(value), "")
            if isinstance(trait, Marker) and name in trait.values:
                return self._change(Marker, lambda t: name in t.values, lambda t: t.with_value(name, value), "")
            if isinstance(trait, PropertySheet) and name in trait.names:
                return self._change(PropertySheet, lambda t: name in t.names, lambda t: t.with_value(name, value), "")
        raise PieceError(f"the piece {self.name!r} has no property {name!r} that can be set")

    def at(self, map_name: str | None, x: int, y: int) -> Piece:
        """On pixel *x*, *y* of *map_name*."""
        return self._change(Core, lambda t: True, lambda t: t.at(map_name, x, y), "core")

    def born(self, gpid: str, unique_id: str) -> Piece:
        """As a new piece from the palette slot *gpid*."""
        return self._change(Core, lambda t: True, lambda t: t.born(gpid, unique_id), "core")
