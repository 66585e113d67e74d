"""What all pieces of one definition have in common: which traits they have, and which of those tell something.

A save holds many pieces of few definitions, so what follows from the definition alone is reckoned once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from vassal.containers import Core, Deck, Stack
from vassal.levels import MAX_KEPT, split_types
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

__all__ = ["Blueprint", "blueprint"]

_KINDS: tuple[type[Trait], ...] = (
    Rotator, Label, Layer, Marker, DynamicProperty, Invisible, Mask, DoesNotStack, PrototypeUse, MoveMark,
    Trail, PropertySheet, Table, Core, Deck,
)  # fmt: skip
_BY_KIND: dict[str, type[Trait]] = {kind.prefix.rstrip(";"): kind for kind in _KINDS}
MAX_SEEN = 500
"""So many states of one trait are remembered, and only short ones: labels are all different."""


def kind_of(type_text: str) -> type[Trait]:
    """The class that reads a trait; plain ``Trait`` for the kinds not read here."""
    kind, semicolon, _ = type_text.partition(";")
    if kind == "stack":
        return Stack
    return _BY_KIND.get(kind if semicolon else "", Trait)


class Blueprint:
    """The levels of a definition, outermost first, and the places among them of the traits that matter."""

    __slots__ = ("_of", "_seen", "followers", "kinds", "namers", "numbered", "tellers", "types")

    def __init__(self, type_text: str) -> None:
        self.types = split_types(type_text)
        self.kinds = tuple(kind_of(text) for text in self.types)
        levels = [(index, kind(text)) for index, (kind, text) in enumerate(zip(self.kinds, self.types, strict=True))]
        self._seen: tuple[dict[str | None, Trait], ...] = tuple({} for _ in levels[1:])  # all but the core
        inward = levels[::-1]
        # Both are gone through from the inside, because of two traits the outer one counts.
        self.tellers = tuple(i for i, trait in inward if trait.tells)
        self.namers = tuple(i for i, trait in inward[1:] if type(trait).decorate is not Trait.decorate)
        self.numbered = tuple(i for i, trait in levels if isinstance(trait, Rotator) and trait.facings > 1)
        self.followers = tuple(i for i, trait in levels if isinstance(trait, Layer) and trait.follows)
        self._of: dict[type[Trait], tuple[int, ...]] = {}

    def traits(self, states: Iterable[str | None], core: Trait) -> tuple[Trait, ...]:
        """The traits of a piece with these states, *core* the last."""
        # The same few states come again and again, and equal traits are one.
        levels = zip(self._seen, states, self.types, self.kinds, strict=False)
        return (*[seen.get(state) or _read(seen, state, text, kind) for seen, state, text, kind in levels], core)

    def of(self, kind: type[Trait]) -> tuple[int, ...]:
        """The levels of one kind of trait."""
        found = self._of.get(kind)
        if found is None:
            found = self._of[kind] = tuple(i for i, own in enumerate(self.kinds) if issubclass(own, kind))
        return found


def _read(seen: dict[str | None, Trait], state: str | None, text: str, kind: type[Trait]) -> Trait:
    trait = kind(text, state)
    if len(seen) < MAX_SEEN and len(state or "") < 100:
        seen[state] = trait
    return trait


_kept = lru_cache(maxsize=8192)(Blueprint)


def blueprint(type_text: str) -> Blueprint:
    """The blueprint of a piece's type. Raises :class:`~vassal.errors.PieceError`."""
    return Blueprint(type_text) if len(type_text) > MAX_KEPT else _kept(type_text)
