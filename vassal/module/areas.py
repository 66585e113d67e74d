"""The other ways a board is divided: square grids, named regions, and zones that each have a grid of their
own.

Points are pixels of one board, its top left corner (0, 0), as in :mod:`vassal.module.grid`.
"""

from __future__ import annotations

import math
from typing import Protocol

from vassal.errors import LocationError
from vassal.module.grid import Point, polygon_holds
from vassal.module.numbering import GridNumbering
from vassal.pieces.trait import fill
from vassal.text.lazy import dataclass

__all__ = ["Grid", "Region", "RegionGrid", "SquareGrid", "Zone", "ZonedGrid"]


class Grid(Protocol):
    """What every division of a board can tell."""

    def name(self, point: Point) -> str | None:
        """The location name of a pixel; ``None`` where there is no name."""

    def pixel(self, location: str) -> Point:
        """The pixel of a location. Raises :class:`~vassal.errors.LocationError`."""

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Where a piece dropped on *point* comes to rest."""

    def range(self, one: Point, other: Point) -> int:
        """The distance of two pixels where pieces rest, in the grid's own cells."""


def _nearest(value: float) -> int:
    return math.floor(value + 0.5)


@dataclass(frozen=True, slots=True)
class SquareGrid:
    """A grid of rectangles, ``dx`` by ``dy`` pixels; (``x0``, ``y0``) is the centre of column 0, row 0."""

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
        """The location name of a pixel; ``None`` without numbering."""
        if self.numbering is None:
            return None
        column = math.floor((point[0] - self.x0) / self.dx + 0.5)
        row = math.trunc((point[1] - self.y0) / self.dy + 0.5)  # sic: VASSAL cuts rows and floors columns
        return self.numbering.name(*self._numbered(column, row))

    def pixel(self, location: str) -> Point:
        """The centre of the square of that name."""
        if self.numbering is None:
            raise LocationError(f"{location!r}: this grid has no numbering")
        column, row = self._numbered(*self.numbering.parse(location))
        return math.trunc(column * self.dx + self.x0), math.trunc(row * self.dy + self.y0)

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """The nearest centre, or the nearest edge or corner where those are legal."""
        if not (self.snap_to or force):
            return point
        right, down = point[0] - self.x0, point[1] - self.y0
        # Half squares from the centre of the first: even is a centre, odd is an edge.
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
        """The distance in squares."""
        columns = abs(math.floor((other[0] - one[0]) / self.dx + 0.5))
        rows = abs(math.floor((other[1] - one[1]) / self.dy + 0.5))
        return max(columns, rows) if self.diagonal_is_one else columns + rows


@dataclass(frozen=True, slots=True)
class Region:
    """A named point."""

    name: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class RegionGrid:
    """Named points: each pixel belongs to the nearest of them."""

    regions: tuple[Region, ...]
    snap_to: bool = True

    def _of(self, point: Point) -> Region | None:
        return min(self.regions, key=lambda region: math.dist((region.x, region.y), point), default=None)

    def name(self, point: Point) -> str | None:
        """The name of the nearest region."""
        region = self._of(point)
        return region.name if region else None

    def pixel(self, location: str) -> Point:
        """The point of the region of that name."""
        for region in self.regions:
            if region.name == location:
                return region.x, region.y
        raise LocationError(f"{location!r} is none of the {len(self.regions)} regions")

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """The nearest region's point."""
        region = self._of(point)
        return (region.x, region.y) if region and (self.snap_to or force) else point

    def range(self, one: Point, other: Point) -> int:
        """Regions know no distance but that in pixels."""
        return math.trunc(math.dist(one, other))


@dataclass(frozen=True, slots=True)
class Zone:
    """A polygon of a board with a name and perhaps a grid of its own, or the grid of the board
    (``parent_grid``).
    """

    name: str
    outline: tuple[Point, ...]
    grid: Grid | None = None
    parent_grid: bool = False
    location_format: str = "$name$"

    def holds(self, point: Point) -> bool:
        """Whether the pixel is inside."""
        return len(self.outline) > 2 and polygon_holds(self.outline, point)


@dataclass(frozen=True, slots=True)
class ZonedGrid:
    """Zones over a background grid: the first zone that holds a pixel decides."""

    zones: tuple[Zone, ...]
    background: Grid | None = None

    def zone(self, point: Point) -> Zone | None:
        """The zone a pixel is in."""
        return next((zone for zone in self.zones if zone.holds(point)), None)

    def _grid(self, zone: Zone | None) -> Grid | None:
        return self.background if zone is None or zone.parent_grid else zone.grid

    def name(self, point: Point) -> str | None:
        """The location name of a pixel, as its zone words it."""
        zone = self.zone(point)
        grid = self._grid(zone)
        inner = grid.name(point) if grid else None
        if zone is None:
            return inner
        return fill(zone.location_format, {"name": zone.name, "gridLocation": inner or ""})

    def pixel(self, location: str) -> Point:
        """The pixel of a location: of the first zone with a location of this name, or of the background."""
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
            raise LocationError(f"{location!r} is no location of this board's zones")
        return self.background.pixel(location)

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Where the grid of the zone lets a piece rest."""
        grid = self._grid(self.zone(point))
        return grid.snap(point, force=force) if grid else point

    def range(self, one: Point, other: Point) -> int:
        """The distance in the grid both pixels share; in pixels where they share none."""
        first, second = self.zone(one), self.zone(other)
        grid = self._grid(first) if first is second else self.background
        return grid.range(one, other) if grid else math.trunc(math.dist(one, other))


def _inner_names(zone: Zone, location: str) -> list[str]:
    """What ``$gridLocation$`` must have been for the zone to word *location*."""
    before, found, after = _with_name(zone).partition("$gridLocation$")
    if not found or not location.startswith(before) or not location.endswith(after):
        return []
    return [location[len(before) : len(location) - len(after)]]


def _with_name(zone: Zone) -> str:
    """The zone's location format with its name filled in."""
    return zone.location_format.replace("$name$", zone.name)


def _middle(outline: tuple[Point, ...]) -> Point:
    xs, ys = zip(*outline, strict=True)
    return (min(xs) + max(xs)) // 2, (min(ys) + max(ys)) // 2
