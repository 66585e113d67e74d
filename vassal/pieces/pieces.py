"""A piece: its traits around its core. VASSAL nests them, one text within the other; here they are a list.

>>> piece = Piece("rotate;6;;;;;;;Facing\\tpiece;;;drone.png;Drone", "3\\tTactical Map;504;420;1")
>>> piece.name, piece.map, piece.rotators[0].degrees
('Drone', 'Tactical Map', 180)
>>> piece.turned(0).state
'0\\tTactical Map;504;420;1'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from sys import intern
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from vassal.errors import LossyTextError, PieceError
from vassal.pieces.blueprint import Blueprint, blueprint, is_container
from vassal.pieces.containers import Core, Deck, Place, Stack
from vassal.pieces.levels import join_levels, split_states
from vassal.pieces.sheets import PropertySheet
from vassal.pieces.trait import Trait
from vassal.pieces.traits import DoesNotStack, DynamicProperty, Label, Layer, Marker, MoveMark, Rotator, Trail
from vassal.text.lazy import dataclass, reckoned, setter
from vassal.text.texts import number

__all__ = ["Guise", "Piece"]

TAB = "\t"

Guise: TypeAlias = tuple[str, tuple[str | None, ...]]
"""A definition with the states of all its traits but the core."""

T = TypeVar("T", bound=Trait)
Kind: TypeAlias = type[T]  # Piece has a field called type

_PLAIN = re.compile("[A-Za-z0-9 -]+").fullmatch
"""Names that no definition of a counter writes otherwise."""


class _Read:
    """What is read from a piece's two texts, each when it is first asked for: a piece asked little of stays small."""

    __slots__ = ("_inner", "_outer", "core", "fault", "gpid", "name", "place", "plan", "properties", "traits")

    plan: Blueprint
    """What it has in common with all pieces of its definition."""
    _outer: tuple[str | None, ...]
    """The states of all traits but the core."""
    _inner: str | None
    """The state of the core."""
    fault: str
    """What is wrong between type and state, as VASSAL would stumble over it; empty if nothing is."""
    place: Place
    """The map the piece says it is on, and the pixel of it."""
    gpid: str
    """The palette slot the piece came from; empty where nothing says it."""
    core: Trait
    """The innermost trait: a :class:`~vassal.containers.Core`, a stack, a deck, or something unknown."""
    traits: tuple[Trait, ...]
    """All traits, outermost first, the core last. Raises :class:`~vassal.errors.PieceError`."""
    properties: dict[str, str | None]
    """The properties the traits provide. Of two traits with one name the outer one counts."""
    name: str
    """The name as VASSAL shows it to the owner: with labels, layers, and marks for hidden and masked."""

    if not TYPE_CHECKING:  # a checker shall not believe that every attribute is there

        def __getattr__(self, name):
            return reckoned(self, name, _RECKONED)


@dataclass(frozen=True, slots=True)
class Piece(_Read):
    """A piece as the two texts of the file, with the traits read from them when they are asked for.

    A change gives a new piece; the traits not changed keep their texts.
    """

    type: str
    state: str

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
        if not (levels := self.plan.of(kind)):
            return ()
        traits = self.traits
        return tuple([traits[index] for index in levels])  # type: ignore[misc]

    def read(self) -> None:
        """Read what everybody asks for, at one go: a save may hold a hundred thousand pieces.

        Raises :class:`~vassal.errors.PieceError`, and does so again when something is asked for.
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
        # VASSAL leaves a piece whose levels don't match off the map.
        _put_place(self, _NOWHERE if lost else place)
        _put_gpid(self, gpid)

    def _core(self) -> Trait:
        return self.plan.kinds[-1](self.plan.types[-1], self._inner)

    def _traits(self) -> tuple[Trait, ...]:
        return self.plan.traits(self._outer, self.core)

    @property
    def guise(self) -> Guise:
        """All of it except where it is: pieces of one guise look alike."""
        return self.type, self._outer

    @property
    def unlabelled(self) -> Guise:
        """Its guise without the states of its labels."""
        outer = self._outer
        for level in reversed(self.plan.of(Label)):
            outer = outer[:level] + outer[level + 1 :]
        return self.type, outer

    @property
    def is_container(self) -> bool:
        """Whether this is a stack or a deck rather than a counter."""
        return is_container(self.type)

    @property
    def map(self) -> str | None:
        """The map the piece says it is on."""
        return self.place[0]

    @property
    def position(self) -> tuple[int, int]:
        """The pixel of that map."""
        return self.place[1]

    @property
    def basic_name(self) -> str:
        """The name without anything traits add."""
        return self.plan.basic_name

    def is_called(self, name: str) -> bool:
        """Whether this is the counter's own name."""
        if _PLAIN(name) and name not in self.type and not self.is_container:
            return False  # it would stand in the definition as it is: few of many counters need a closer look
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
        told = self._told_to_layers() if plan.followers else {}
        for index in plan.namers:
            trait = traits[index]
            shown = trait.following(told) if isinstance(trait, Layer) and trait.follows else trait
            name = shown.decorate(name, known)
        return name

    @property
    def known(self) -> dict[str, str | None]:
        """What ``$names$`` in its labels stand for; calculated ones have no value here."""
        known = {**self.properties, "BasicName": self.basic_name}
        if "calcProp;" in self.type:
            traits = self.traits
            for index, trait in enumerate(traits):
                if trait.kind == "calcProp" and not any(trait.field(1) in outer.told for outer in traits[:index]):
                    known[trait.field(1)] = None
        return known

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
        found = self.all(Layer)
        if not self.plan.followers:
            return found
        told = self._told_to_layers()
        return tuple([layer.following(told) if layer.follows else layer for layer in found])

    def _told_to_layers(self) -> dict[str, str | None]:
        """The properties that a layer may follow: all but those of layers that follow one themselves."""
        found: dict[str, str | None] = {}
        for trait in reversed(self.traits):
            if not (isinstance(trait, Layer) and trait.follows):
                found.update(trait.properties())
        return found

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

    def at_levels(self, levels: Mapping[str, int]) -> Piece:
        """With layers by name at signed levels, as :meth:`at_level` sets one: a hundred cost little more."""
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
        """With the dynamic property, marker or property sheet field *name* at *value*, the outermost that has
        it.
        """
        return self.with_properties({name: value})

    def with_properties(self, values: Mapping[str, str]) -> Piece:
        """With all these properties, as :meth:`with_property` sets one: a whole sheet costs little more."""
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
        """Whether it is marked as moved, or shows a trail."""
        return any(mark.moved for mark in self.all(MoveMark)) or any(trail.points for trail in self.all(Trail))

    def rested(self) -> Piece:
        """Without the mark of having moved and without the points of its trail."""
        piece = self
        while any(mark.moved for mark in piece.all(MoveMark)):
            piece = piece._change(MoveMark, lambda t: t.moved, lambda t: t.with_moved(False), "")
        while any(trail.points for trail in piece.all(Trail)):
            piece = piece._change(Trail, lambda t: bool(t.points), lambda t: t.cleared(), "")
        return piece

    def at(self, map_name: str | None, x: int, y: int) -> Piece:
        """On pixel *x*, *y* of *map_name*."""
        return self._change(Core, lambda t: True, lambda t: t.at(map_name, x, y), "core")

    def born(self, gpid: str, unique_id: str) -> Piece:
        """As a new piece from the palette slot *gpid*."""
        return self._change(Core, lambda t: True, lambda t: t.born(gpid, unique_id), "core")


class _Known(Mapping[str, "str | None"]):
    """:attr:`Piece.known`, put together when something of it is asked for: few names need it."""

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
    """The names of a trait's properties that may be given a value."""
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
    """The states of the outer levels and of the core, what is wrong with them, and whether that costs the place.

    Most pieces differ from others of their kind only in the core, that is where they are: what is around it is read
    once, where nothing of it is quoted.
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
    """What is wrong between a definition and its states, and whether it costs the piece its place."""
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
    """A place by the texts of its map and pixel: counters stand on few."""
    return None if on in ("", "null") else intern(on), (number(x), number(y))


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
