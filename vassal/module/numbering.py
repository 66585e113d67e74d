"""How a grid names its cells: column and row, as numbers or letters, in either order.

>>> GridNumbering().name(column=7, row=11)
'0812'
>>> GridNumbering().parse("0812")
(7, 11)
"""

from __future__ import annotations

import re

from vassal.errors import LocationError
from vassal.pieces.trait import fill
from vassal.text import sequence
from vassal.text.lazy import dataclass

__all__ = ["GridNumbering"]

MAX_DIGITS = 9

# A letter is repeated, not carried: A..Z, AA, BB, ... ZZ, AAA.
_LETTERS = "-?(?:" + "|".join(chr(letter) + "+" for letter in range(ord("A"), ord("Z") + 1)) + ")"


@dataclass(frozen=True, slots=True)
class GridNumbering:
    """The numbering of a hex or square grid, with the defaults of VASSAL.

    ``column_first`` orders the two parts; ``*_leading`` counts leading zeros (1 gives two digits);
    ``*_offset`` is added to the value; ``*_descends`` counts from the far edge; ``stagger`` shifts odd
    columns by one row.
    """

    column_first: bool = True
    separator: str = ""
    column_letters: bool = False
    row_letters: bool = False
    column_leading: int = 1
    row_leading: int = 1
    column_offset: int = 1
    row_offset: int = 1
    column_descends: bool = False
    row_descends: bool = False
    stagger: bool = True
    location_format: str = "$gridLocation$"

    def name(self, column: int, row: int) -> str:
        """The location name of a numbered column and row (counted as the grid counts them, before the
        offset).
        """
        column_text = _write(column + self.column_offset, self.column_letters, self.column_leading)
        row_text = _write(row + self.row_offset, self.row_letters, self.row_leading)
        first, second = (column_text, row_text) if self.column_first else (row_text, column_text)
        parts = {"gridLocation": first + self.separator + second, "row": row_text, "column": column_text}
        return fill(self.location_format, parts)

    def parse(self, location: str) -> tuple[int, int]:
        """Column and row, before the offset, of a location name; :class:`~vassal.errors.LocationError` if
        none.
        """
        column = f"(?P<column>{_pattern(self.column_letters, self.column_leading)})"
        row = f"(?P<row>{_pattern(self.row_letters, self.row_leading)})"
        first, second = (column, row) if self.column_first else (row, column)
        whole = first + re.escape(self.separator) + second
        pattern = []
        tokens = sequence.decode(self.location_format, "$")
        for index, token in enumerate(tokens):
            is_property = index % 2 and index < len(tokens) - 1
            parts = {"gridLocation": whole, "row": row, "column": column}
            pattern.append(parts.get(token, "") if is_property else re.escape(token))
        try:
            match = re.fullmatch("".join(pattern), location)
        except re.error:  # the format names a part twice: VASSAL cannot read such names back either
            match = None
        if match is None or not {"row", "column"} <= match.groupdict().keys():
            raise LocationError(
                f"{location!r} is no location of this grid; the first hex is called {self.name(0, 0)!r}"
            )
        return (
            _read(match["column"], self.column_letters) - self.column_offset,
            _read(match["row"], self.row_letters) - self.row_offset,
        )


def _write(value: int, letters: bool, leading: int) -> str:
    sign, value = ("-", -value) if value < 0 else ("", value)
    if letters:
        return sign + chr(ord("A") + value % 26) * (value // 26 + 1)
    return sign + str(value).rjust(leading + 1, "0")


def _pattern(letters: bool, leading: int) -> str:
    return _LETTERS if letters else f"-?[0-9]{{{leading + 1},{max(MAX_DIGITS, leading + 1)}}}"


def _read(text: str, letters: bool) -> int:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if letters:
        return sign * ((len(digits) - 1) * 26 + ord(digits[0]) - ord("A"))
    return sign * int(digits)
