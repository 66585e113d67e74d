"""The traits that this package understands, each with its definition (``type``) and present state.

Other traits stay plain :class:`Trait` objects: their two texts are kept and written back unchanged. Later versions
of VASSAL only append fields. So every field has a default, and short and long forms can be mixed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Self

from vassal.errors import PieceError
from vassal.pieces.trait import Trait, fill, is_expression
from vassal.text import sequence
from vassal.text.sequence import is_number, lazy, number

__all__ = [
    "DoesNotStack",
    "DynamicProperty",
    "Invisible",
    "Label",
    "Layer",
    "Marker",
    "Mask",
    "MoveMark",
    "PropertySheet",
    "PrototypeUse",
    "Rotator",
    "TableTrait",
    "Trail",
]


class PropertySheet(Trait):
    """``propertysheet;``: a form with named fields, which players can open and fill in."""

    prefix = "propertysheet;"

    @lazy
    def names(self) -> tuple[str, ...]:
        """The names of the sheet's fields, in order."""
        return tuple(definition[1:] for definition in sequence.decode(self.field(1), "~"))

    @lazy
    def values(self) -> dict[str, str]:
        """The values of the fields by name, as stored: ``|`` means a line end, ticks are ``value/max``."""
        stored = sequence.decode_padded(self.state or "", "~", len(self.names))
        return dict(zip(self.names, stored, strict=False))

    def with_value(self, name: str, value: str) -> Self:
        """Return the sheet with the field *name* set to *value*."""
        if name not in self.names:
            raise PieceError(f"the property sheet {self.field(2)!r} has no field {name!r}")
        values = [value if key == name else old for key, old in self.values.items()]
        return self.with_state(sequence.encode(values, "~"))

    def properties(self) -> dict[str, str | None]:
        """Return the values of the fields by name."""
        return dict(self.values)


class TableTrait(Trait):
    """``table;``: a spreadsheet."""

    prefix = "table;"

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells of the spreadsheet, row by row."""
        rows, columns = max(0, number(self.field(1))), max(0, number(self.field(2)))
        cells = sequence.decode(self.state or "", ",")
        cells += [""] * max(0, min(rows * columns, 100_000) - len(cells))
        return tuple(tuple(cells[row * columns : (row + 1) * columns]) for row in range(min(rows, len(cells))))


_PLAIN_NAME = re.compile(r"[^\W\d][\w .-]*")


class Rotator(Trait):
    """``rotate;``: the piece can turn.

    It has ``facings`` directions, or any angle if ``facings`` is 1.
    """

    prefix = "rotate;"

    @lazy
    def facings(self) -> int:
        """The number of directions to which the piece can turn; 1 means any angle."""
        return max(1, number(self.field(1), 1))

    @lazy
    def name(self) -> str:
        """The name of the trait. The names of the properties that it provides begin with it."""
        return self.field(6 if self.facings == 1 else 8)

    @lazy
    def facing(self) -> int:
        """The index of the present facing, clockwise from 0. VASSAL takes an index that is too big for the last one."""
        return min(max(number(self.state or ""), 0), self.facings - 1)

    @lazy
    def angle(self) -> float:
        """The present angle as VASSAL stores it, in degrees: negative is clockwise."""
        if self.facings == 1:
            try:
                free = float(self.state or 0)
            except ValueError:
                return 0.0
            return free if math.isfinite(free) else 0.0
        return -self.facing * (360.0 / self.facings) if self.facing else 0.0

    @lazy
    def degrees(self) -> int:
        """The present angle in whole degrees, clockwise."""
        return math.floor(abs(self.angle) + 0.5)

    def turned(self, facing: int) -> Self:
        """Return the trait at facing number *facing*, from 0.

        Raises :class:`~vassal.errors.PieceError` for a facing out of range; a negative one would stop VASSAL from
        drawing.
        """
        if self.facings == 1:
            raise PieceError(f"the trait {self.name!r} turns freely: it has angles, no numbered facings")
        if not 0 <= facing < self.facings:
            raise PieceError(f"facing {facing} of the trait {self.name!r} is not in the range 0 to {self.facings - 1}")
        return self.with_state(str(facing))

    def turned_to(self, degrees: float) -> Self:
        """Return the trait turned *degrees* clockwise from the drawn direction.

        Raises :class:`~vassal.errors.PieceError` for a direction that is not one of its facings.
        """
        if self.facings == 1:
            return self.with_state(repr(-float(degrees % 360)) if degrees % 360 else "0.0")
        step = 360.0 / self.facings
        facing = round(degrees / step)
        if abs(facing * step - degrees) > 0.01:
            raise PieceError(f"{degrees} degrees are no facing of the trait {self.name!r}, which has {self.facings}")
        return self.turned(facing % self.facings)

    def properties(self) -> dict[str, str | None]:
        """Return the facing (counted from 1) and the degrees, under names that begin with the name of the trait."""
        return {f"{self.name}_Facing": str(self.facing + 1), f"{self.name}_Degrees": str(self.degrees)}


class Label(Trait):
    """``label;``: a text on the piece."""

    prefix = "label;"

    @lazy
    def text(self) -> str:
        """The text of the label as stored; it may contain ``$property$`` names."""
        return (self.state or "").strip()

    @property
    def property_name(self) -> str:
        """The name of the property that holds the shown text."""
        return self.field(16, "TextLabel")

    @property
    def is_expression(self) -> bool:
        """Whether VASSAL evaluates the text as an expression."""
        return is_expression(self.text)

    def shown(self, text: Mapping[str, str | None]) -> str:
        """Return the text of the label with the piece's properties filled in.

        An expression whose value is not constant stays as it is written.
        """
        if self.is_expression:
            from vassal.text.expressions import constant  # few labels are

            found = constant(self.text, text)
            return self.text if found is None else found
        return fill(self.text, text) if "$" in self.text else self.text

    def with_text(self, text: str) -> Self:
        """Return the label with another text. VASSAL strips blanks around it."""
        return self.with_state(text.strip())

    def properties(self) -> dict[str, str | None]:
        """Return the text of the label, under the name of its property."""
        return {self.property_name: self.text}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name with the label's text added by its format."""
        shown = self.shown(text)
        if not shown and self.field(18) != "true":
            return name
        form, own = self.field(12, "$pieceName$ ($label$)"), {"pieceName": name, "label": shown}
        if is_expression(form):
            from vassal.text.expressions import constant

            if (found := constant(form, {**text, **own})) is not None:
                return found
        return fill(form, text, own)


class Layer(Trait):
    """``emb2;``: one of several images drawn on the piece, or none while it is not active."""

    prefix = "emb2;"

    @lazy
    def images(self) -> tuple[str, ...]:
        """The file name of the image at each level."""
        return tuple(sequence.decode(self.field(16), ","))

    @lazy
    def names(self) -> tuple[str, ...]:
        """What each level does to the piece's name: ``+x`` is appended, ``x+`` prepended, ``x`` replaces it."""
        return tuple(sequence.decode(self.field(17), ","))

    @lazy
    def name(self) -> str:
        """The name of the trait. The names of the properties that it provides begin with it."""
        return self.field(19)

    @lazy
    def follows(self) -> str:
        """The name of the property whose value chooses the level; empty for a layer with its own level."""
        return self.field(23) if self.field(22) == "true" else ""

    @property
    def follows_expression(self) -> bool:
        """Whether an expression, rather than one property, chooses the level.

        This package does not evaluate it: the layer stays at its stored level.
        """
        return not _PLAIN_NAME.fullmatch(self.follows.strip("${}")) if self.follows else False

    def following(self, properties: Mapping[str, str | None]) -> Self:
        """Return the layer at the level that the property it follows requests.

        It is returned unchanged if *properties* has no number for that property.
        """
        value = properties.get(self.follows.strip("${}"))
        if not self.follows or value is None:
            return self
        if value and not is_number(value):
            return self
        first = number(self.field(24), 1)
        level = max(1, min(len(self.images), (number(value) if value else first) - first + 1))
        return self.with_state(str(level if self.active else -level))

    @lazy
    def _signed(self) -> int:
        state = self.state or ""
        # Versions up to 3.1 wrote a second field, the keys that are pressed; the first one decides.
        signed = number(sequence.decode(state, ";")[0] if ";" in state else state, -1)
        count = len(self.images)
        return max(-count, min(count, signed))

    @lazy
    def active(self) -> bool:
        """Whether the layer is shown."""
        return self._signed > 0

    @lazy
    def level(self) -> int:
        """The level of the layer, from 1. A layer that is not shown keeps its level."""
        return abs(self._signed)

    def at_level(self, level: int, active: bool = True) -> Self:
        """Return the layer at *level*, from 1; ``active`` says whether the layer is shown."""
        if not 1 <= level <= len(self.images):
            raise PieceError(f"level {level} of the layer {self.name!r} is not in the range 1 to {len(self.images)}")
        return self.with_state(str(level if active else -level))

    def _current(self, texts: tuple[str, ...]) -> str:
        return texts[self.level - 1] if self.active and self.level <= len(texts) else ""

    def properties(self) -> dict[str, str | None]:
        """Return level, active state, image and level name, under names that begin with the name of the trait."""
        suffix = self._current(self.names)
        return {
            f"{self.name}_Level": str(self._signed),
            f"{self.name}_Active": "true" if self.active else "false",
            f"{self.name}_Image": self._current(self.images),
            f"{self.name}_Name": "".join(sequence.decode(suffix, "+")[:2]),
        }

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name with the addition that the present level makes to it."""
        before, *after = self._affixes
        if not after:
            return before or name
        return before + name if before else name + after[0]

    @lazy
    def _affixes(self) -> list[str]:
        return sequence.decode(self._current(self.names), "+")


class Marker(Trait):
    """``mark;``: fixed properties of the piece."""

    prefix = "mark;"

    @lazy
    def values(self) -> dict[str, str]:
        """The properties that the marker provides, with their values."""
        keys = sequence.decode(self.type[len(self.prefix) :], ",")
        values = sequence.decode_padded(self.state or "", ",", len(keys))
        return {key: value for key, value in zip(keys, values, strict=False) if key}

    def with_value(self, key: str, value: str) -> Self:
        """Return the marker with the property *key* set to *value*."""
        keys = sequence.decode(self.type[len(self.prefix) :], ",")
        values = sequence.decode_padded(self.state or "", ",", len(keys))
        values[keys.index(key)] = value
        return self.with_state(sequence.encode(values, ","))

    def properties(self) -> dict[str, str | None]:
        """Return the properties that the marker provides, with their values."""
        return dict(self.values)


class DynamicProperty(Trait):
    """``PROP;``: a property that changes during play."""

    prefix = "PROP;"

    @property
    def name(self) -> str:
        """The name of the property."""
        return self.field(1)

    @property
    def value(self) -> str:
        """The present value of the property."""
        return sequence.decode(self.state or "", ";")[0]

    def with_value(self, value: str) -> Self:
        """Return the trait with another value."""
        return self.with_state(sequence.encode([value], ";"))

    def properties(self) -> dict[str, str | None]:
        """Return the property, under its name."""
        return {self.name: self.value}


class Invisible(Trait):
    """``hide;``: a side or a player can hide the piece from all others."""

    prefix = "hide;"

    @lazy
    def owner(self) -> str | None:
        """The side, or the password of the player, that hides the piece (see :attr:`owner_is_password`)."""
        return None if self.state in (None, "", "null") else self.state

    @property
    def owner_is_password(self) -> bool:
        """Whether the owner is a password rather than a side."""
        return not self.field(4).startswith(("side:", "sides:"))

    def with_owner(self, owner: str) -> Self:
        """Return the trait with another owner, who then hides the piece."""
        return self.with_state(owner)

    def properties(self) -> dict[str, str | None]:
        """Return two properties: whether the piece is hidden, and whether it is hidden from others."""
        return {"Invisible": "false", "InvisibleToOthers": "true" if self.owner else "false"}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name with an added mark if the piece is hidden."""
        return f"{name}({self.field(2)})" if self.owner else name


class Mask(Trait):
    """``obs;``: a side or a player can turn the piece face down for all others."""

    prefix = "obs;"

    @lazy
    def owner(self) -> str | None:
        """The side, or the password of the player, that turned the piece face down (see :attr:`owner_is_password`)."""
        owner = sequence.decode(self.state or "", ";")[0]
        return None if owner in ("", "null") else owner

    @property
    def owner_is_password(self) -> bool:
        """Whether the owner is a password rather than a side."""
        return not self.field(6).startswith(("side:", "sides:"))

    def with_owner(self, owner: str) -> Self:
        """Return the same mask with another owner."""
        _, *options = sequence.decode(self.state or "", ";")
        return self.with_state(sequence.encode([owner, *options], ";"))

    def properties(self) -> dict[str, str | None]:
        """Return two properties: whether the piece is face down, and whether it is so for others."""
        return {"Obscured": "false", "ObscuredToOthers": "true" if self.owner else "false"}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name; if the piece is face down, its masked name is added."""
        masked_name = self.field(5)
        return f"{name}({masked_name})" if self.owner and masked_name else name


class DoesNotStack(Trait):
    """``immob;``: how the piece may be selected, moved and stacked."""

    prefix = "immob;"

    @lazy
    def never_stacks(self) -> bool:
        """Whether the piece must stay out of stacks."""
        return "R" in self.field(3, "R")  # 3.2 leaves the field out, and means never

    def properties(self) -> dict[str, str | None]:
        """Return three properties: whether the piece stacks, can move, and ignores the grid."""
        moves = self.field(2)
        never = "V" in moves
        return {
            "NoStack": "true" if self.never_stacks else "false",
            "Immobile": "true" if never or "I" in moves else "false",
            "IgnoreGrid": "true" if "g" in self.field(1) else "false",
            "cannotMove": "true" if never else "false",
        }


class PrototypeUse(Trait):
    """``prototype;``: is replaced by the traits of a prototype of the module. In a save it has no effect."""

    prefix = "prototype;"

    @property
    def name(self) -> str:
        """The name of the prototype."""
        return self.field(1)

    def parameters(self) -> dict[str, str]:
        """Return the values that replace ``$name$`` in the prototype's traits."""
        pairs = [pair.partition("=") for pair in sequence.decode(self.field(2), ",")]
        return {name: value for name, equals, value in pairs if equals and name}


class MoveMark(Trait):
    """``markmoved;``: remembers that the piece has moved."""

    prefix = "markmoved;"

    @property
    def moved(self) -> bool:
        """Whether the piece is marked as moved."""
        return self.state == "true"

    def with_moved(self, moved: bool) -> Self:
        """Return the trait marked as moved, or not."""
        return self.with_state("true" if moved else "false")

    def properties(self) -> dict[str, str | None]:
        """Return whether the piece is marked as moved."""
        return {"Moved": "true" if self.moved else "false"}


class Trail(Trait):
    """``footprint;``: the points over which the piece moved."""

    prefix = "footprint;"

    @property
    def points(self) -> tuple[tuple[int, int], ...]:
        """The pixels of the trail on the map, oldest first."""
        _, _, count, *rest = sequence.decode_padded(self.state or "", ";", 3)
        pairs = [point.partition(",") for point in rest[: max(0, number(count))]]
        return tuple((number(x), number(y)) for x, comma, y in pairs if comma)

    def cleared(self) -> Self:
        """Return the trail without points. All other fields, such as whether it is shown, stay."""
        tokens = sequence.decode_padded(self.state or "", ";", 3)
        initialized, known = tokens[3 + max(0, number(tokens[2])) :][:1], tokens[4 + max(0, number(tokens[2])) :]
        rest = [*initialized, *(["0", *known[1:]] if known else [])]
        return self.with_state(sequence.encode([*tokens[:2], "0", *rest], ";"))
