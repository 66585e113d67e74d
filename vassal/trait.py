"""What all traits of a piece have in common: a definition, a state, and what they add to the piece's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar, Self

from vassal import sequence

__all__ = ["Trait", "fill"]


@lru_cache(maxsize=16384)
def _fields(type_text: str) -> tuple[str, ...]:
    """Counters of one palette slot share their definitions, so each is split once."""
    return tuple(sequence.decode(type_text, ";"))


@dataclass(frozen=True)
class Trait:
    """One trait. ``state`` is ``None`` where the piece's state has too few levels."""

    type: str
    state: str | None = ""

    prefix: ClassVar[str] = ""

    @cached_property
    def kind(self) -> str:
        """The word before the first semicolon, such as ``rotate`` or ``delete``."""
        return self.type.partition(";")[0]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the definition, the kind first."""
        return _fields(self.type)

    def field(self, index: int, default: str = "") -> str:
        """Field *index* of the definition, or *default* where an older version stopped before it."""
        return self.fields[index] if index < len(self.fields) else default

    def with_state(self, state: str) -> Self:
        """The same trait in another state."""
        return replace(self, state=state)

    def properties(self) -> dict[str, str | None]:
        """The properties of the piece that this trait provides."""
        return {"CloneID": None} if self.kind == "clone" else {}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """The piece's name once this trait has added to it; *text* has the piece's properties."""
        return name


def fill(text: str, properties: Mapping[str, str | None]) -> str:
    """*text* with each ``$name$`` replaced by that property; a property nobody has is empty."""
    tokens = sequence.decode(text, "$")
    parts = []
    for index, token in enumerate(tokens):
        if index % 2 and index < len(tokens) - 1:
            parts.append(properties.get(token) or "")
        else:
            parts.append(token)
    return "".join(parts)
