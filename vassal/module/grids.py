"""The grids of boards: hexes, squares, named regions and zones, with the names of their cells.

>>> GridNumbering().name(column=7, row=11)
'0812'
>>> GridNumbering().parse("0812")
(7, 11)

All points are pixels of one board, with (0, 0) as its top left corner. Everything is computed as in VASSAL 3.7.

In a hex grid ``dx`` is the step from column to column and ``dy`` the height of a hex. (``x0``, ``y0``) is the
center of raw column 0, raw row 0. Odd raw columns are half a hex lower. A ``sideways`` grid has hexes with points
at the top: x and y are swapped before and after every computation.

>>> grid = HexGrid(dx=48.0, dy=56.0, x0=24, y0=28)
>>> grid.centre(7, 11), grid.name((360, 672)), grid.pixel("0812")
((360, 672), '0812', (360, 672))
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import field
from typing import Protocol, TypeAlias

from vassal.errors import LocationError
from vassal.pieces.trait import fill
from vassal.text import sequence
from vassal.text.sequence import dataclass

__all__ = [
    "Grid",
    "GridNumbering",
    "HexGrid",
    "Point",
    "Region",
    "RegionGrid",
    "SquareGrid",
    "Zone",
    "ZonedGrid",
    "polygon_holds",
]


MAX_DIGITS = 9

# Beyond Z a letter is repeated: A..Z, AA, BB, ... ZZ, AAA.
_LETTERS = "-?(?:" + "|".join(chr(letter) + "+" for letter in range(ord("A"), ord("Z") + 1)) + ")"


@dataclass(frozen=True, slots=True)
class GridNumbering:
    """The numbering of a hex or square grid, which turns columns and rows into location names.

    The default values are those of VASSAL.

    Attributes:
        column_first: Whether the column comes before the row in a name.
        separator: Text between column and row.
        column_letters: Whether columns have letters instead of numbers.
        row_letters: Whether rows have letters instead of numbers.
        column_leading: Number of leading zeros of a column number; 1 gives two digits.
        row_leading: Number of leading zeros of a row number.
        column_offset: Number that is added to a column number.
        row_offset: Number that is added to a row number.
        column_descends: Whether columns are counted from the far edge.
        row_descends: Whether rows are counted from the far edge.
        stagger: Whether odd columns are shifted by one row.
        location_format: The format of a name, with ``$gridLocation$``, ``$column$`` and ``$row$``.
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
        """Return the location name of a column and row, which are the grid's own numbers, before the offset."""
        column_text = _write(column + self.column_offset, self.column_letters, self.column_leading)
        row_text = _write(row + self.row_offset, self.row_letters, self.row_leading)
        first, second = (column_text, row_text) if self.column_first else (row_text, column_text)
        parts = {"gridLocation": first + self.separator + second, "row": row_text, "column": column_text}
        return fill(self.location_format, parts)

    def parse(self, location: str) -> tuple[int, int]:
        """Return the column and row of a location name, in the grid's own numbers before the offset.

        Raises:
            LocationError: The name is not possible in this numbering.
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
        except re.error:  # the format contains a part twice; VASSAL cannot read such names either
            match = None
        if match is None or not {"row", "column"} <= match.groupdict().keys():
            raise LocationError(
                f"{location!r} is not a location of this grid; the first hex is called {self.name(0, 0)!r}"
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


Point: TypeAlias = tuple[int, int]


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def _single(value: float) -> float:
    """Return *value* in single precision, in which VASSAL computes the outline of a hex."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


@dataclass(frozen=True, slots=True)
class HexGrid:
    """A hex grid on a board or in a zone.

    Attributes:
        dx: Distance between the centers of adjacent columns in pixels.
        dy: Distance between the centers of adjacent rows in pixels.
        x0: The x coordinate of the center of column 0, row 0.
        y0: The y coordinate of the center of column 0, row 0.
        sideways: Whether the grid is turned by 90 degrees, so that x and y are exchanged.
        snap_to: Whether pieces snap to the grid.
        edges_legal: Whether pieces may rest on hex sides.
        corners_legal: Whether pieces may rest on corners of hexes.
        width: Width of the board or zone in pixels.
        height: Height of the board or zone in pixels.
        numbering: The numbering; ``None`` if locations have no names.
    """

    dx: float = 55.4256258
    dy: float = 64.0
    x0: int = 0
    y0: int = 32
    sideways: bool = False
    snap_to: bool = True
    edges_legal: bool = False
    corners_legal: bool = False
    width: int = 0
    height: int = 0
    numbering: GridNumbering | None = field(default_factory=lambda: GridNumbering(stagger=False))

    def _turn(self, point: Point) -> Point:
        return (point[1], point[0]) if self.sideways else point

    def centre(self, column: int, row: int) -> Point:
        """Return the pixel at the center of a hex, given by its raw column and row."""
        return self._turn(self._centre(column, row))

    def _centre(self, nx: int, ny: int) -> Point:
        x = math.trunc(self.dx * nx + self.x0)
        if nx % 2 == 0:
            return x, math.trunc(self.dy * ny + self.y0)
        return x, math.trunc(self.dy * ny + math.trunc(self.dy / 2) + self.y0)

    def raw(self, point: Point) -> tuple[int, int]:
        """Return the raw column and row of a pixel, from which VASSAL makes the location name.

        These are the column and row of the rectangular cell around the pixel.
        """
        x, y = self._turn(point)
        column = _rounded((x - self.x0) / self.dx)
        if column % 2 == 0:
            return column, _rounded((y - self.y0) / self.dy)
        return column, _rounded((y - self.y0 - self.dy / 2) / self.dy)

    def name(self, point: Point) -> str | None:
        """Return the location name of a pixel, ``None`` without numbering."""
        if self.numbering is None:
            return None
        return self.numbering.name(*self._numbered(*self.raw(point)))

    def _most(self) -> tuple[int, int]:
        """Return the highest column and row, from which descending numbers are counted.

        VASSAL swaps dx and dy here, and so does this function.
        """
        columns, rows = math.floor(self.width / self.dy + 0.5), math.floor(self.height / self.dx + 0.5)
        return (rows, columns) if self.sideways else (columns, rows)

    def _descends(self) -> tuple[bool, bool]:
        if self.numbering is None:
            return False, False
        columns, rows = self.numbering.column_descends, self.numbering.row_descends
        return (rows, columns) if self.sideways else (columns, rows)

    def _numbered(self, raw_column: int, raw_row: int) -> tuple[int, int]:
        column, row = raw_column, raw_row
        most_columns, most_rows = self._most()
        columns_descend, rows_descend = self._descends()
        if columns_descend:
            column = most_columns - column
        if rows_descend:
            row = most_rows - row
        if self.numbering is not None and self.numbering.stagger and raw_column % 2:
            row += -1 if rows_descend else 1
        return column, row

    def cell(self, location: str) -> tuple[int, int]:
        """Return the raw column and row of the hex with this location name.

        Raises:
            LocationError: The grid has no such location.
        """
        if self.numbering is None:
            raise LocationError(f"{location!r}: this grid has no numbering")
        column, row = self.numbering.parse(location)
        most_columns, most_rows = self._most()
        columns_descend, rows_descend = self._descends()
        if columns_descend:
            column = most_columns - column
        if self.numbering.stagger and column % 2:
            row -= -1 if rows_descend else 1
        if rows_descend:
            row = most_rows - row
        return column, row

    def pixel(self, location: str) -> Point:
        """Return the pixel at the center of the hex with this location name.

        Pieces need this exact pixel, because VASSAL does not snap pieces that it loads.
        """
        return self.centre(*self.cell(location))

    def setup_pixel(self, location: str) -> Point:
        """Return the pixel where VASSAL itself puts a stack that the module sets up on a location.

        The result may differ from :meth:`pixel` by one pixel. If columns descend and are staggered, it may differ by
        a hex, because VASSAL then uses the parity of the wrong column.
        """
        if self.numbering is None:
            raise LocationError(f"{location!r}: this grid has no numbering")
        column, row = self.numbering.parse(location)
        most_columns, most_rows = self._most()
        columns_descend, rows_descend = self._descends()
        if self.numbering.stagger and column % 2:
            row -= -1 if rows_descend else 1
        if columns_descend:
            column = most_columns - column
        if rows_descend:
            row = most_rows - row
        down = self.dy / 2 if column % 2 else 0.0
        point = math.trunc(column * self.dx) + self.x0, math.trunc(row * self.dy + down) + self.y0
        return self._turn(point)

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece that is dropped on *point* comes to rest.

        With *force* this is always the center of a hex.
        """
        if force:
            return self._turn(self._snap_hex(self._turn(point)))
        if not self.snap_to:
            return point
        return self._turn(self._snap(self._turn(point)))

    def _snap(self, point: Point) -> Point:
        if not (self.edges_legal or self.corners_legal):
            return self._snap_hex(point)
        candidates = []
        if self.corners_legal:
            candidates.append(self._vertex(point))
        if self.edges_legal:
            candidates.append(self._side(point))
        nearest = min(candidates, key=lambda candidate: math.dist(candidate, point))  # a tie goes to the vertex
        centre = self._snap_hex(point)
        return centre if math.dist(nearest, centre) <= math.sqrt(2) else nearest

    def _snap_hex(self, point: Point) -> Point:
        x, y = point
        nx = math.floor((x - self.x0 + self.dx / 2) / self.dx)
        if nx % 2 == 0:
            ny = math.floor((y - self.y0 + self.dy / 2) / self.dy)
            others = ((-1, -1), (-1, 0), (1, -1), (1, 0))
        else:
            ny = math.floor((y - self.y0) / self.dy)
            others = ((-1, 0), (-1, 1), (1, 0), (1, 1))
        here = self._centre(nx, ny)
        if not polygon_holds(self._outline(here), point):
            for right, down in others:
                there = self._centre(nx + right, ny + down)
                if polygon_holds(self._outline(there), point):
                    return there
        return here

    def _outline(self, centre: Point) -> tuple[Point, ...]:
        cx, cy = centre
        r = _single(2 * self.dx / 3)
        top, bottom = _rounded(_single(cy - self.dy / 2)), _rounded(_single(cy + self.dy / 2)) + 1
        left, right = _rounded(_single(cx - r / 2)), _rounded(_single(cx + r / 2)) + 1
        west, east = (_rounded(_single(cx - r)), cy), (_rounded(_single(cx + r)) + 1, cy)
        return west, (left, top), (right, top), east, (right, bottom), (left, bottom)

    def _side(self, point: Point) -> Point:
        x, y = point
        nx = math.floor((x - self.x0 + self.dx / 4) * 2 / self.dx)
        px = math.trunc(self.dx / 2 * nx + self.x0)
        if nx % 2 == 0:
            steps = math.floor((y - self.y0 + self.dy / 4) * 2 / self.dy)
            return px, math.trunc(self.dy / 2 * steps + self.y0)
        steps = math.floor((y - self.y0) * 2 / self.dy)
        return px, math.trunc(self.dy / 2 * steps + math.trunc(self.dy / 4) + self.y0)

    def _vertex(self, point: Point) -> Point:
        x, y = point
        ny = math.floor((y - self.y0 + self.dy / 4) * 2 / self.dy)
        py = math.trunc(self.dy / 2 * ny + self.y0)
        third = 2 * self.dx / 3
        if ny % 2 == 0:
            steps = math.trunc(math.floor(x - self.x0 + self.dx / 3) * 3 / (2 * self.dx))
            return math.trunc(third * steps + self.x0), py
        steps = math.trunc(math.floor(x - self.x0 + third) * 3 / (2 * self.dx))
        return math.trunc(third * steps - math.trunc(self.dx / 3) + self.x0), py

    def range(self, one: Point, other: Point) -> int:
        """Return the distance in hexes between two pixels at which pieces can rest (see :meth:`snap`)."""
        # Odd columns are half a hex lower; cube coordinates remove this shift.
        (q0, row0), (q1, row1) = self.raw(one), self.raw(other)
        r0, r1 = row0 - math.trunc((q0 - (q0 & 1)) / 2), row1 - math.trunc((q1 - (q1 & 1)) / 2)
        dq, dr = q1 - q0, r1 - r0
        return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def polygon_holds(outline: tuple[Point, ...], point: Point) -> bool:
    """Return whether *point* is inside the polygon.

    Left and top edges belong to the polygon; right and bottom edges do not.
    """
    x, y = point
    inside = False
    x0, y0 = outline[-1]
    for x1, y1 in outline:
        # Count the edges that cross this row of pixels to the right of the point.
        if (y1 > y) != (y0 > y) and x < (x0 - x1) * (y - y1) / (y0 - y1) + x1:
            inside = not inside
        x0, y0 = x1, y1
    return inside


class Grid(Protocol):
    """The interface of every kind of grid."""

    def name(self, point: Point) -> str | None:
        """Return the location name of a pixel, ``None`` if it has none."""

    def pixel(self, location: str) -> Point:
        """Return the pixel of a location.

        Raises:
            LocationError: The grid has no such location.
        """

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece that is dropped on *point* comes to rest.

        With *force* the piece comes to rest in the center of a cell, even if the grid does not make pieces snap.
        """

    def range(self, one: Point, other: Point) -> int:
        """Return the distance, in cells of the grid, between two pixels at which pieces can rest."""


def _nearest(value: float) -> int:
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True)
class SquareGrid:
    """A grid of rectangles on a board or in a zone.

    Attributes:
        dx: Width of a rectangle in pixels.
        dy: Height of a rectangle in pixels.
        x0: The x coordinate of the center of column 0, row 0.
        y0: The y coordinate of the center of column 0, row 0.
        snap_to: Whether pieces snap to the grid.
        edges_legal: Whether pieces may rest on the sides of rectangles.
        corners_legal: Whether pieces may rest on the corners of rectangles.
        diagonal_is_one: Whether a diagonal step counts as a distance of one.
        width: Width of the board or zone in pixels.
        height: Height of the board or zone in pixels.
        numbering: The numbering; ``None`` if locations have no names.
    """

    dx: float = 48.0
    dy: float = 48.0
    x0: int = 24
    y0: int = 24
    snap_to: bool = True
    edges_legal: bool = False
    corners_legal: bool = False
    diagonal_is_one: bool = True
    width: int = 0
    height: int = 0
    numbering: GridNumbering | None = None

    def _numbered(self, column: int, row: int) -> tuple[int, int]:
        numbering = self.numbering
        if numbering is not None and numbering.column_descends:
            column = math.trunc(self.width / self.dx + 0.5) - column
        if numbering is not None and numbering.row_descends:
            row = math.trunc(self.height / self.dy + 0.5) - row
        return column, row

    def name(self, point: Point) -> str | None:
        """Return the location name of a pixel, ``None`` without numbering."""
        if self.numbering is None:
            return None
        column = math.floor((point[0] - self.x0) / self.dx + 0.5)
        # as in VASSAL: rows are truncated, columns are rounded down
        row = math.trunc((point[1] - self.y0) / self.dy + 0.5)
        return self.numbering.name(*self._numbered(column, row))

    def pixel(self, location: str) -> Point:
        """Return the pixel at the center of the square with this location name."""
        if self.numbering is None:
            raise LocationError(f"{location!r}: this grid has no numbering")
        column, row = self._numbered(*self.numbering.parse(location))
        return math.trunc(column * self.dx + self.x0), math.trunc(row * self.dy + self.y0)

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece comes to rest: the nearest center, or a legal edge or corner.

        With *force* the result is always the nearest center.
        """
        if not (self.snap_to or force):
            return point
        right, down = point[0] - self.x0, point[1] - self.y0
        # Distances in half squares from the first centre: even numbers are centres, odd ones edges.
        nx, ny = _nearest(right / (self.dx / 2)), _nearest(down / (self.dy / 2))
        edges, corners = (False, False) if force else (self.edges_legal, self.corners_legal)
        if not (edges or corners):
            nx, ny = 2 * _nearest(right / self.dx), 2 * _nearest(down / self.dy)
        elif not edges:
            nx = 2 * _nearest(right / self.dx) if ny % 2 == 0 else 1 + 2 * _nearest(right / self.dx - 0.5)
        elif not corners and ny % 2:
            nx = 2 * _nearest(right / self.dx)
        return self.x0 + _nearest(nx * self.dx / 2), self.y0 + _nearest(ny * self.dy / 2)

    def range(self, one: Point, other: Point) -> int:
        """Return the distance between two pixels in squares."""
        columns = abs(math.floor((other[0] - one[0]) / self.dx + 0.5))
        rows = abs(math.floor((other[1] - one[1]) / self.dy + 0.5))
        return max(columns, rows) if self.diagonal_is_one else columns + rows


@dataclass(frozen=True, slots=True)
class Region:
    """A named point of a board."""

    name: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class RegionGrid:
    """A grid of named points (regions); each pixel belongs to the nearest region."""

    regions: tuple[Region, ...]
    snap_to: bool = True

    def _of(self, point: Point) -> Region | None:
        return min(self.regions, key=lambda region: math.dist((region.x, region.y), point), default=None)

    def name(self, point: Point) -> str | None:
        """Return the name of the nearest region, ``None`` if there are no regions."""
        region = self._of(point)
        return region.name if region else None

    def pixel(self, location: str) -> Point:
        """Return the point of the region of that name."""
        for region in self.regions:
            if region.name == location:
                return region.x, region.y
        raise LocationError(f"{location!r} is not one of the {len(self.regions)} regions")

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece comes to rest: the point of the nearest region.

        If the grid does not make pieces snap, this happens only with *force*.
        """
        region = self._of(point)
        return (region.x, region.y) if region and (self.snap_to or force) else point

    def range(self, one: Point, other: Point) -> int:
        """Return the distance between two pixels, in pixels because regions have no other measure."""
        return math.trunc(math.dist(one, other))


@dataclass(frozen=True, slots=True)
class Zone:
    """A named polygon of a board.

    Attributes:
        name: The name.
        outline: The corners of the polygon, in pixels of the board.
        grid: The zone's own grid; ``None`` if it has none.
        parent_grid: Whether it uses the grid of the board instead.
        location_format: The format of location names in the zone.
    """

    name: str
    outline: tuple[Point, ...]
    grid: Grid | None = None
    parent_grid: bool = False
    location_format: str = "$name$"

    def holds(self, point: Point) -> bool:
        """Return whether the pixel is inside the zone."""
        return len(self.outline) > 2 and polygon_holds(self.outline, point)


@dataclass(frozen=True, slots=True)
class ZonedGrid:
    """A grid made of zones over a background grid; the first zone that contains a pixel applies to it."""

    zones: tuple[Zone, ...]
    background: Grid | None = None

    def zone(self, point: Point) -> Zone | None:
        """Return the zone at a pixel, ``None`` if there is none."""
        return next((zone for zone in self.zones if zone.holds(point)), None)

    def _grid(self, zone: Zone | None) -> Grid | None:
        return self.background if zone is None or zone.parent_grid else zone.grid

    def name(self, point: Point) -> str | None:
        """Return the location name of a pixel in the format of its zone."""
        zone = self.zone(point)
        grid = self._grid(zone)
        inner = grid.name(point) if grid else None
        if zone is None:
            return inner
        return fill(zone.location_format, {"name": zone.name, "gridLocation": inner or ""})

    def pixel(self, location: str) -> Point:
        """Return the pixel of a location.

        The first zone that has a location of this name is used, else the background grid.
        """
        for zone in self.zones:
            for inner in _inner_names(zone, location):
                grid = self._grid(zone)
                try:
                    point = grid.pixel(inner) if grid else None
                except LocationError:
                    continue
                if point is not None and self.name(point) == location:
                    return point
            if _with_name(zone) == location:
                return _middle(zone.outline)
        if self.background is None:
            raise LocationError(f"{location!r} is not a location of this board's zones")
        return self.background.pixel(location)

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece comes to rest, by the grid of the zone.

        *force* has the same meaning as in that grid.
        """
        grid = self._grid(self.zone(point))
        return grid.snap(point, force=force) if grid else point

    def range(self, one: Point, other: Point) -> int:
        """Return the distance between two pixels in cells of the grid they share, or in pixels if they share none."""
        first, second = self.zone(one), self.zone(other)
        grid = self._grid(first) if first is second else self.background
        return grid.range(one, other) if grid else math.trunc(math.dist(one, other))


def _inner_names(zone: Zone, location: str) -> list[str]:
    """Return the location names inside a zone's own grid that give *location* in the zone's format.

    These names are the possible values of ``$gridLocation$``.
    """
    before, found, after = _with_name(zone).partition("$gridLocation$")
    if not found or not location.startswith(before) or not location.endswith(after):
        return []
    return [location[len(before) : len(location) - len(after)]]


def _with_name(zone: Zone) -> str:
    """Return the zone's location format with its name filled in."""
    return zone.location_format.replace("$name$", zone.name)


def _middle(outline: tuple[Point, ...]) -> Point:
    xs, ys = zip(*outline, strict=True)
    return (min(xs) + max(xs)) // 2, (min(ys) + max(ys)) // 2
