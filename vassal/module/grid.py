"""Hex grids in pixels: cell centres, raw columns and rows, snapping, names, ranges. All as VASSAL 3.7 reckons
them.

Points are pixels of one board, its top left corner (0, 0). ``dx`` is the step from column to column, ``dy``
the height of a hex, and (``x0``, ``y0``) the centre of raw column 0, raw row 0. Odd raw columns lie half a
hex lower. A ``sideways`` grid has its points upward: x and y change places before every reckoning and after
it.

>>> grid = HexGrid(dx=48.0, dy=56.0, x0=24, y0=28)
>>> grid.centre(7, 11), grid.name((360, 672)), grid.pixel("0812")
((360, 672), '0812', (360, 672))
"""

from __future__ import annotations

import math
import struct
from dataclasses import field
from typing import TypeAlias

from vassal.errors import LocationError
from vassal.module.numbering import GridNumbering
from vassal.text.lazy import dataclass

__all__ = ["HexGrid", "Point", "polygon_holds"]

Point: TypeAlias = tuple[int, int]


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def _single(value: float) -> float:
    """*value* in single precision: VASSAL reckons the outline of a hex in floats."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


@dataclass(frozen=True, slots=True)
class HexGrid:
    """A hex grid on a board (or in a zone) of ``width`` by ``height`` pixels.

    ``numbering`` is ``None`` where locations have no names. ``edges_legal`` and ``corners_legal`` let pieces
    rest on hex sides and corners.
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
        """The pixel at the centre of a raw column and row."""
        return self._turn(self._centre(column, row))

    def _centre(self, nx: int, ny: int) -> Point:
        x = math.trunc(self.dx * nx + self.x0)
        if nx % 2 == 0:
            return x, math.trunc(self.dy * ny + self.y0)
        return x, math.trunc(self.dy * ny + math.trunc(self.dy / 2) + self.y0)

    def raw(self, point: Point) -> tuple[int, int]:
        """The raw column and row of a pixel: those of the rectangular cell, as VASSAL names locations."""
        x, y = self._turn(point)
        column = _rounded((x - self.x0) / self.dx)
        if column % 2 == 0:
            return column, _rounded((y - self.y0) / self.dy)
        return column, _rounded((y - self.y0 - self.dy / 2) / self.dy)

    def name(self, point: Point) -> str | None:
        """The location name of a pixel; ``None`` without numbering."""
        if self.numbering is None:
            return None
        return self.numbering.name(*self._numbered(*self.raw(point)))

    def _most(self) -> tuple[int, int]:
        """What descending columns and rows count down from. VASSAL mixes dx and dy up here, and so do we."""
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
        """The raw column and row of a location name. Raises :class:`~vassal.errors.LocationError`."""
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
        """The pixel at the centre of the hex of that name; VASSAL doesn't snap what it loads."""
        return self.centre(*self.cell(location))

    def setup_pixel(self, location: str) -> Point:
        """Where VASSAL itself puts what a module sets up on a location.

        It may differ from :meth:`pixel` by one pixel, and by a hex where columns descend and are staggered:
        VASSAL then looks at the wrong column's parity.
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
        """Where a piece dropped on *point* comes to rest. With *force*, always in the centre of a hex."""
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
        """The number of hexes between two pixels where pieces rest (see :meth:`snap`)."""
        # Odd columns lie half a hex lower; cube coordinates have no such columns.
        (q0, row0), (q1, row1) = self.raw(one), self.raw(other)
        r0, r1 = row0 - math.trunc((q0 - (q0 & 1)) / 2), row1 - math.trunc((q1 - (q1 & 1)) / 2)
        dq, dr = q1 - q0, r1 - r0
        return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def polygon_holds(outline: tuple[Point, ...], point: Point) -> bool:
    """Whether *point* is inside the polygon; left and top edges belong to it, right and bottom ones don't."""
    x, y = point
    inside = False
    x0, y0 = outline[-1]
    for x1, y1 in outline:
        # An edge counts when it crosses this row of pixels to the right of the point.
        if (y1 > y) != (y0 > y) and x < (x0 - x1) * (y - y1) / (y0 - y1) + x1:
            inside = not inside
        x0, y0 = x1, y1
    return inside
