"""The traits that this package understands, each with its definition (``type``) and present state.

Other traits stay plain :class:`Trait` objects: their two texts are kept and written back unchanged. Later versions
of VASSAL only append fields. So every field has a default, and short and long forms can be mixed. A class declares
the fields of its definition and of its state; :mod:`vassal.text.fields` reads and writes them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Self, TypeAlias

from vassal.errors import PieceError
from vassal.pieces.trait import Trait, fill, is_expression
from vassal.text import sequence
from vassal.text.fields import (
    ALL,
    FIRST,
    FLAG,
    NAME,
    TEXT,
    WHOLE,
    Form,
    Kind,
    StateField,
    Tail,
    TypeField,
    listed,
    whole,
)
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
    form = Form("~")

    names = TypeField(1, Kind(lambda token: tuple(one[1:] for one in sequence.decode(token, "~"))))
    """The names of the sheet's fields, in order."""
    _values = StateField(0, ALL)

    @lazy
    def values(self) -> dict[str, str]:
        """The values of the fields by name, as stored: ``|`` means a line end, ticks are ``value/max``."""
        return dict(zip(self.names, chain(self._values, repeat("")), strict=False))

    def with_value(self, name: str, value: str) -> Self:
        """Return the sheet with the field *name* set to *value*."""
        if name not in self.names:
            raise PieceError(f"the property sheet {self.field(2)!r} has no field {name!r}")
        values = [value if key == name else old for key, old in self.values.items()]
        return self.with_fields(_values=values)

    def properties(self) -> dict[str, str | None]:
        """Return the values of the fields by name."""
        return dict(self.values)


class TableTrait(Trait):
    """``table;``: a spreadsheet."""

    prefix = "table;"
    form = Form(",")

    _rows = TypeField(1, whole(least=0))
    _columns = TypeField(2, whole(least=0))
    _cells = StateField(0, ALL)

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells of the spreadsheet, row by row."""
        rows, columns, cells = self._rows, self._columns, list(self._cells)
        cells += [""] * max(0, min(rows * columns, 100_000) - len(cells))
        return tuple(tuple(cells[row * columns : (row + 1) * columns]) for row in range(min(rows, len(cells))))


_PLAIN_NAME = re.compile(r"[^\W\d][\w .-]*")


def _read_angle(token: str) -> float:
    try:
        angle = float(token or 0)
    except ValueError:
        return 0.0
    return angle if math.isfinite(angle) else 0.0


class Rotator(Trait):
    """``rotate;``: a trait by which the piece can turn.

    It has ``facings`` directions, or any angle if ``facings`` is 1.
    """

    prefix = "rotate;"

    facings = TypeField(1, whole(1, least=1))
    """The number of directions to which the piece can turn; 1 means any angle."""
    _name = TypeField(8, TEXT)
    _name_if_free = TypeField(6, TEXT)
    _facing = StateField(0, WHOLE)
    _angle = StateField(0, Kind(_read_angle, repr))
    """The state of a trait without numbered facings."""

    @lazy
    def name(self) -> str:
        """The name of the trait. The names of the properties that it provides begin with it."""
        return self._name_if_free if self.facings == 1 else self._name

    @lazy
    def facing(self) -> int:
        """The index of the present facing, clockwise from 0; as in VASSAL, too large an index means the last."""
        return min(max(self._facing, 0), self.facings - 1)

    @lazy
    def angle(self) -> float:
        """The present angle as VASSAL stores it, in degrees: negative is clockwise."""
        if self.facings == 1:
            return self._angle
        return -self.facing * (360.0 / self.facings) if self.facing else 0.0

    @lazy
    def degrees(self) -> int:
        """The present angle in whole degrees, clockwise."""
        return math.floor(abs(self.angle) + 0.5)

    def turned(self, facing: int) -> Self:
        """Return the trait at facing number *facing*, from 0.

        Raises:
            PieceError: There is no facing of that number; a negative one would stop VASSAL from drawing.
        """
        if self.facings == 1:
            raise PieceError(f"the trait {self.name!r} turns freely: it has angles, no numbered facings")
        if not 0 <= facing < self.facings:
            raise PieceError(f"facing {facing} of the trait {self.name!r} is not in the range 0 to {self.facings - 1}")
        return self.with_fields(_facing=facing)

    def turned_to(self, degrees: float) -> Self:
        """Return the trait turned *degrees* clockwise from the drawn direction.

        Raises:
            PieceError: The direction is not one of the trait's facings.
        """
        if self.facings == 1:
            return self.with_fields(_angle=-float(degrees % 360) if degrees % 360 else 0.0)
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

    text = StateField(0, Kind(str.strip, str.strip))
    """The text of the label as stored; it may contain ``$property$`` names."""
    property_name = TypeField(16, Kind(str, missing="TextLabel"))
    """The name of the property that holds the shown text."""
    _form = TypeField(12, Kind(str, missing="$pieceName$ ($label$)"))
    _shows_empty = TypeField(18, FLAG)

    @property
    def is_expression(self) -> bool:
        """Whether VASSAL evaluates the text as an expression."""
        return is_expression(self.text)

    def shown(self, text: Mapping[str, str | None]) -> str:
        """Return the text of the label with the piece's properties filled in.

        An expression whose value is not constant stays as it is written.
        """
        if self.is_expression:
            from vassal.text.expressions import constant  # imported here because few labels are expressions

            found = constant(self.text, text)
            return self.text if found is None else found
        return fill(self.text, text) if "$" in self.text else self.text

    def with_text(self, text: str) -> Self:
        """Return the label with another text. VASSAL strips blanks around it."""
        return self.with_fields(text=text)

    def properties(self) -> dict[str, str | None]:
        """Return the text of the label, under the name of its property."""
        return {self.property_name: self.text}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name with the label's text added in the label's format."""
        shown = self.shown(text)
        if not shown and not self._shows_empty:
            return name
        form, own = self._form, {"pieceName": name, "label": shown}
        if is_expression(form):
            from vassal.text.expressions import constant

            if (found := constant(form, {**text, **own})) is not None:
                return found
        return fill(form, text, own)


def _read_level(state: str) -> int:
    # Versions up to 3.1 wrote a second field (the pressed keys), which is ignored.
    return number(sequence.decode(state, ";")[0] if ";" in state else state, -1)


class Layer(Trait):
    """``emb2;``: one of several images drawn on the piece, or none while it is not active."""

    prefix = "emb2;"

    images = TypeField(16, listed(","))
    """The file name of the image at each level."""
    names = TypeField(17, listed(","))
    """What each level does to the piece's name: ``+x`` is appended, ``x+`` prepended, ``x`` replaces it."""
    name = TypeField(19, TEXT)
    """The name of the trait. The names of the properties that it provides begin with it."""
    _is_following = TypeField(22, FLAG)
    _followed = TypeField(23, TEXT)
    _first_value = TypeField(24, whole(1))
    _stored_level = StateField(0, Kind(_read_level))

    @lazy
    def follows(self) -> str:
        """The name of the property whose value chooses the level; empty for a layer that keeps its own level."""
        return self._followed if self._is_following else ""

    @property
    def follows_expression(self) -> bool:
        """Whether an expression, rather than one property, chooses the level.

        This package does not evaluate it: the layer stays at its stored level.
        """
        return not _PLAIN_NAME.fullmatch(self.follows.strip("${}")) if self.follows else False

    def following(self, properties: Mapping[str, str | None]) -> Self:
        """Return the layer at the level that the followed property requests.

        It is returned unchanged if *properties* has no number for that property.
        """
        value = properties.get(self.follows.strip("${}"))
        if not self.follows or value is None:
            return self
        if value and not is_number(value):
            return self
        first = self._first_value
        level = max(1, min(len(self.images), (number(value) if value else first) - first + 1))
        return self.with_fields(_stored_level=level if self.active else -level)

    @lazy
    def _signed(self) -> int:
        count = len(self.images)
        return max(-count, min(count, self._stored_level))

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
        return self.with_fields(_stored_level=level if active else -level)

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
        """Return the piece's name with the addition that the layer's present level makes to it."""
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
    form = Form(",")

    _values = StateField(0, ALL)

    @lazy
    def _keys(self) -> list[str]:
        return sequence.decode(self.type[len(self.prefix) :], ",")

    @lazy
    def values(self) -> dict[str, str]:
        """The properties that the marker provides, with their values."""
        return {key: value for key, value in zip(self._keys, chain(self._values, repeat("")), strict=False) if key}

    def with_value(self, key: str, value: str) -> Self:
        """Return the marker with the property *key* set to *value*."""
        values = [*self._values, *[""] * (len(self._keys) - len(self._values))]
        values[self._keys.index(key)] = value
        return self.with_fields(_values=values)

    def properties(self) -> dict[str, str | None]:
        """Return the properties that the marker provides, with their values."""
        return dict(self.values)


class DynamicProperty(Trait):
    """``PROP;``: a property that changes during play."""

    prefix = "PROP;"
    form = Form(";")

    name = TypeField(1, TEXT)
    """The name of the property."""
    value = StateField(0, FIRST)
    """The present value of the property."""

    def with_value(self, value: str) -> Self:
        """Return the trait with another value."""
        return self.with_fields(value=value)

    def properties(self) -> dict[str, str | None]:
        """Return a dict with the value of the property, by its name."""
        return {self.name: self.value}


class Invisible(Trait):
    """``hide;``: a side or a player can hide the piece from all others."""

    prefix = "hide;"

    owner = StateField(0, NAME)
    """The side, or the password of the player, that hides the piece (see :attr:`owner_is_password`)."""
    _command = TypeField(2, TEXT)
    _access = TypeField(4, TEXT)

    @property
    def owner_is_password(self) -> bool:
        """Whether the owner is a password rather than a side."""
        return not self._access.startswith(("side:", "sides:"))

    def with_owner(self, owner: str) -> Self:
        """Return the trait with another owner, who then hides the piece."""
        return self.with_fields(owner=owner)

    def properties(self) -> dict[str, str | None]:
        """Return two properties: whether the piece is hidden from this reader, and whether from others."""
        return {"Invisible": "false", "InvisibleToOthers": "true" if self.owner else "false"}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name with an added mark if the piece is hidden."""
        return f"{name}({self._command})" if self.owner else name


class Mask(Trait):
    """``obs;``: a side or a player can turn the piece face down for all others."""

    prefix = "obs;"
    form = Form(";")

    owner = StateField(0, NAME)
    """The side, or the password of the player, that turned the piece face down (see :attr:`owner_is_password`)."""
    _masked_name = TypeField(5, TEXT)
    _access = TypeField(6, TEXT)

    @property
    def owner_is_password(self) -> bool:
        """Whether the owner is a password rather than a side."""
        return not self._access.startswith(("side:", "sides:"))

    def with_owner(self, owner: str) -> Self:
        """Return the same mask with another owner."""
        return self.with_fields(owner=owner)

    def properties(self) -> dict[str, str | None]:
        """Return two properties: whether the piece is face down for this reader, and whether it is for others."""
        return {"Obscured": "false", "ObscuredToOthers": "true" if self.owner else "false"}

    def decorate(self, name: str, text: Mapping[str, str | None]) -> str:
        """Return the piece's name, with its masked name added while the piece is face down."""
        return f"{name}({self._masked_name})" if self.owner and self._masked_name else name


class DoesNotStack(Trait):
    """``immob;``: a trait that says how the piece may be selected, moved and stacked."""

    prefix = "immob;"

    # VASSAL 3.2 omits the field and means "R"
    never_stacks = TypeField(3, Kind(lambda token: "R" in token, missing="R"))
    """Whether the piece must stay out of stacks."""
    _moves = TypeField(2, TEXT)
    _grid = TypeField(1, TEXT)

    def properties(self) -> dict[str, str | None]:
        """Return the four properties of the trait that conditions and expressions can read.

        They say whether the piece stays out of stacks, whether it is immobile, whether it ignores the grid, and
        whether it can never be moved.
        """
        never = "V" in self._moves
        return {
            "NoStack": "true" if self.never_stacks else "false",
            "Immobile": "true" if never or "I" in self._moves else "false",
            "IgnoreGrid": "true" if "g" in self._grid else "false",
            "cannotMove": "true" if never else "false",
        }


class PrototypeUse(Trait):
    """``prototype;``: a trait that is replaced by the traits of a prototype of the module.

    In a save it has no effect.
    """

    prefix = "prototype;"

    name = TypeField(1, TEXT)
    """The name of the prototype."""
    _parameters = TypeField(2, listed(","))

    def parameters(self) -> dict[str, str]:
        """Return the values that replace ``$name$`` in the prototype's traits."""
        pairs = [pair.partition("=") for pair in self._parameters]
        return {name: value for name, equals, value in pairs if equals and name}


class MoveMark(Trait):
    """``markmoved;``: a mark that says whether the piece has moved."""

    prefix = "markmoved;"

    moved = StateField(0, FLAG)
    """Whether the piece is marked as moved."""

    def with_moved(self, moved: bool) -> Self:
        """Return the trait with the mark set, or removed if ``moved`` is false."""
        return self.with_fields(moved=moved)

    def properties(self) -> dict[str, str | None]:
        """Return whether the piece is marked as moved."""
        return {"Moved": "true" if self.moved else "false"}


_Path: TypeAlias = tuple[list[str], list[str]]


def _read_path(tokens: Sequence[str]) -> _Path:
    count, *rest = tokens or [""]
    end = max(0, number(count))
    return rest[:end], rest[end:]


def _write_path(path: _Path) -> list[str]:
    points, after = path
    return [str(len(points)), *points, *after]


class Trail(Trait):
    """``footprint;``: the points over which the piece moved."""

    prefix = "footprint;"
    form = Form(";")

    _path = StateField(2, Tail(_read_path, _write_path))
    """The points, and what later versions write after them: whether it began, and how many points were seen."""

    @property
    def points(self) -> tuple[tuple[int, int], ...]:
        """The pixels of the trail on the map, oldest first."""
        pairs = [point.partition(",") for point in self._path[0]]
        return tuple((number(x), number(y)) for x, comma, y in pairs if comma)

    def cleared(self) -> Self:
        """Return the trail without points. All other fields, such as whether it is shown, stay."""
        began, seen, more = self._path[1][:1], self._path[1][1:2], self._path[1][2:]
        return self.with_fields(_path=([], [*began, *["0" for _ in seen], *more]))
