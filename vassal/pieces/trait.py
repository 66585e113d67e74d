"""The base class of all traits: a definition, a state, and what the trait adds to the piece's name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, ClassVar, Self

from vassal.text import sequence
from vassal.text.fields import AS_IS, Form
from vassal.text.sequence import lazy

__all__ = ["Trait", "fill", "is_expression"]


@lru_cache(maxsize=16384)
def _fields(type_text: str) -> tuple[str, ...]:
    """Return the fields of a definition.

    Results are cached, because all counters from one palette entry have the same definition.
    """
    return tuple(sequence.decode(type_text, ";"))


@dataclass(frozen=True)
class Trait:
    """One trait of a piece: a definition and a state. ``state`` is ``None`` if the piece's state has too few levels."""

    type: str
    state: str | None = ""

    prefix: ClassVar[str] = ""
    form: ClassVar[Form] = AS_IS
    """How the state is divided into fields."""

    @lazy
    def kind(self) -> str:
        """The word before the first semicolon, such as ``rotate`` or ``delete``."""
        return self.type.partition(";")[0]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of the definition, the kind first."""
        return _fields(self.type)

    def field(self, index: int, default: str = "") -> str:
        """Return field *index* of the definition, or *default* if an older version did not write the field."""
        fields = _fields(self.type)
        return fields[index] if index < len(fields) else default

    @lazy
    def _tokens(self) -> list[str]:
        return self.form.split(self.state)

    def with_fields(self, **values: Any) -> Self:
        """Return the trait with new values for fields of its state, by the names of its ``StateField`` attributes."""
        tokens = list(self._tokens)
        for name, value in values.items():
            field = getattr(type(self), name)
            field.kind.set(tokens, field.index, value)
        return self.with_state(self.form.join(tokens))

    def with_state(self, state: str) -> Self:
        """Return the same trait with another state."""
        return replace(self, state=state)

    @property
    def tells(self) -> bool:
        """Whether all traits of this kind provide properties to the piece, in any state."""
        return type(self).properties is not Trait.properties or self.kind == "clone"

    def properties(self) -> dict[str, str | None]:
        """Return the properties of the piece that this trait provides."""
        return {"CloneID": None} if self.kind == "clone" else {}

    @lazy
    def told(self) -> dict[str, str | None]:
        """The properties that this trait provides, computed once. Do not change this dict."""
        return self.properties()

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return *name*, the name of the piece so far, with the addition that this trait makes to it.

        *text* has the properties of the piece.
        """
        return name


def is_expression(text: str) -> bool:
    """Return whether VASSAL would evaluate a text as a BeanShell expression (:mod:`vassal.text.expressions`)."""
    return len(text) > 1 and text[0] == "{" and text[-1] == "}"


MAX_FILLED = 10_000
"""Maximum number of characters that replace ``$names$`` in one text.

Ten labels that each name the piece twice would make a name grow a thousandfold. Real names stay below a few hundred
characters.
"""


NOTHING: Mapping[str, str | None] = MappingProxyType({})


@lru_cache(maxsize=4096)
def _template(text: str) -> tuple[str, ...]:
    return tuple(sequence.decode(text, "$"))


def fill(text: str, properties: Mapping[str, str | None], own: Mapping[str, str | None] = NOTHING) -> str:
    """Return *text* with each ``$name$`` replaced by that property's value, or removed if there is none.

    Names in *own* take precedence over *properties*.
    """
    tokens = _template(text)
    last = len(tokens) - 1
    parts = list(tokens)
    left = MAX_FILLED
    for index in range(1, last, 2):
        name = tokens[index]
        value = ((own[name] if name in own else properties.get(name)) or "")[:left]
        left -= len(value)
        parts[index] = value
    return "".join(parts)
