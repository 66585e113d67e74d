"""What all pieces of one definition have in common: which traits they have, and which of those tell something.

A save holds many pieces of few definitions, so what follows from the definition alone is reckoned once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import getitem
from typing import cast

from vassal.containers import Core, Deck, Stack
from vassal.levels import MAX_KEPT, TAB, plain_level, split_types
from vassal.sheets import PropertySheet, Table
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
    PrototypeUse,
    Rotator,
    Trail,
)  # fmt: skip

__all__ = ["Blueprint", "blueprint", "is_container"]

_KINDS: tuple[type[Trait], ...] = (
    Rotator, Label, Layer, Marker, DynamicProperty, Invisible, Mask, DoesNotStack, PrototypeUse, MoveMark,
    Trail, PropertySheet, Table, Core, Deck,
)  # fmt: skip
_BY_KIND: dict[str, type[Trait]] = {kind.prefix.rstrip(";"): kind for kind in _KINDS}
_ALL_KINDS: tuple[type[Trait], ...] = (*_KINDS, Stack)
_TELLERS = {kind for kind in _ALL_KINDS if kind.properties is not Trait.properties}
_NAMERS = {kind for kind in _ALL_KINDS if kind.decorate is not Trait.decorate}
MAX_SEEN = 500
"""So many states of one trait are remembered, and only short ones: labels are all different."""


def kind_of(type_text: str) -> type[Trait]:
    """The class that reads a trait; plain ``Trait`` for the kinds not read here."""
    kind, semicolon, _ = type_text.partition(";")
    if kind == "stack":
        return Stack
    return _BY_KIND.get(kind if semicolon else "", Trait)


def is_container(type_text: str) -> bool:
    """Whether this defines a stack or a deck rather than a counter."""
    return type_text == "stack" or type_text.startswith(("stack\t", "deck;"))


def _is_clone(text: str) -> bool:
    return text.startswith("clone") and text[5:6] in ("", ";")


MAX_STATE = 100
MAX_OUTER = 500
"""Longer states of all traits but the core are not remembered."""


class _Seen(dict[str | None, Trait]):
    """The traits of one level by their states: the same few come again and again, and equal traits are one."""

    __slots__ = ("kind", "text")

    def __init__(self, kind: type[Trait], text: str) -> None:
        self.kind, self.text = kind, text

    def __missing__(self, state: str | None) -> Trait:
        trait = self.kind(self.text, state)
        if len(self) < MAX_SEEN and len(state or "") < MAX_STATE:
            self[state] = trait
        return trait


class _Plain(dict[str, str | None]):
    """The states of one level by what stands in the text of the piece."""

    __slots__ = ("level",)

    def __init__(self, level: int) -> None:
        self.level = level

    def __missing__(self, part: str) -> str | None:
        state = plain_level(part, self.level)
        if len(self) < MAX_SEEN and len(part) < MAX_STATE:
            self[part] = state
        return state


class Blueprint:
    """The levels of a definition, outermost first, and the places among them of the traits that matter."""

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
        # Both are gone through from the inside, because of two traits the outer one counts.
        self.tellers = tuple([i for i, kind, text in inward if kind in _TELLERS or _is_clone(text)])
        self.namers = tuple([i for i, kind, _ in inward[1:] if kind in _NAMERS])
        self.numbered = tuple([i for i, kind, text in levels if kind is Rotator and Rotator(text).facings > 1])
        self.followers = tuple([i for i, kind, text in levels if kind is Layer and Layer(text).follows])
        self._of: dict[type[Trait], tuple[int, ...]] = {}
        self._known: dict[str, tuple[str, ...]] = {"": ()}

    def known(self, outer: str) -> tuple[str, ...]:
        """The states of the levels in *outer*, a state as far as its core; none where one of them is quoted."""
        found = self._known.get(outer)
        if found is None:
            parts = outer.split(TAB)
            read = tuple(map(getitem, self._plain, parts))
            found = cast(tuple[str, ...], read) if len(parts) == len(self.types) and None not in read else ()
            if len(self._known) < MAX_SEEN and len(outer) < MAX_OUTER:
                self._known[outer] = found
        return found

    def traits(self, states: Iterable[str | None], core: Trait) -> tuple[Trait, ...]:
        """The traits of a piece with these states (the core's may be among them), *core* the last."""
        return (*map(getitem, self._seen, states), core)

    def of(self, kind: type[Trait]) -> tuple[int, ...]:
        """The levels of one kind of trait."""
        found = self._of.get(kind)
        if found is None:
            found = self._of[kind] = tuple(i for i, own in enumerate(self.kinds) if issubclass(own, kind))
        return found


_kept = lru_cache(maxsize=8192)(Blueprint)


def blueprint(type_text: str) -> Blueprint:
    """The blueprint of a piece's type. Raises :class:`~vassal.errors.PieceError`."""
    return Blueprint(type_text) if len(type_text) > MAX_KEPT else _kept(type_text)
