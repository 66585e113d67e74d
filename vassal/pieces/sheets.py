"""Forms and tables kept on a piece."""

from __future__ import annotations

from typing import Self

from vassal.errors import PieceError
from vassal.pieces.trait import Trait
from vassal.text import sequence
from vassal.text.lazy import lazy
from vassal.text.texts import number

__all__ = ["PropertySheet", "Table"]


class PropertySheet(Trait):
    """``propertysheet;``: a form of named fields."""

    prefix = "propertysheet;"

    @lazy
    def names(self) -> tuple[str, ...]:
        """The fields' names in order."""
        return tuple(definition[1:] for definition in sequence.decode(self.field(1), "~"))

    @lazy
    def values(self) -> dict[str, str]:
        """The fields' values by name, as stored: line ends are ``|``, ticks ``value/max``."""
        stored = sequence.decode_padded(self.state or "", "~", len(self.names))
        return dict(zip(self.names, stored, strict=False))

    def with_value(self, name: str, value: str) -> Self:
        """The field *name* set to *value*."""
        if name not in self.names:
            raise PieceError(f"the property sheet {self.field(2)!r} has no field {name!r}")
        values = [value if key == name else old for key, old in self.values.items()]
        return self.with_state(sequence.encode(values, "~"))

    def properties(self) -> dict[str, str | None]:
        return dict(self.values)


class Table(Trait):
    """``table;``: a spreadsheet."""

    prefix = "table;"

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The cells, row by row."""
        rows, columns = max(0, number(self.field(1))), max(0, number(self.field(2)))
        cells = sequence.decode(self.state or "", ",")
        cells += [""] * max(0, min(rows * columns, 100_000) - len(cells))
        return tuple(tuple(cells[row * columns : (row + 1) * columns]) for row in range(min(rows, len(cells))))
