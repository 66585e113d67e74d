"""The boards of the companion module: the printed map redrawn, and its position in VASSAL's hex grid.

Hexes have flat tops. On ``even`` boards, the even columns are half a hex lower, as on the printed map; on ``odd``
boards, the odd columns are half a hex lower. VASSAL counts columns from 0 and always lowers columns 1, 3, 5 and so
on. So on an odd board VASSAL's column 0 is off the map, left of column 01.

The program resvg converts SVG drawings to PNG. The drawings contain no text, so no font is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from pbem.errors import GameError
from pbem.reports.map.picture import lean
from pbem.rules.hexes import ODD, hex_name, lowered
from pbem.util import install_command
from pbem.vassal_bridge.companion.counters import SvgPicture
from pbem.vassal_bridge.companion.drawings import fmt, outline

DX, DY = 54, 62
"""Pixels from column to column, and the height of a hex. Both are even, so every centre is a whole pixel."""

RADIUS = 36
"""Pixels from the centre of a hex to its left and right corners."""

MARGIN = 26


@dataclass(frozen=True)
class BoardPlan:
    """A board: its name, its size in hexes, and which columns are half a hex lower (``even`` or ``odd``)."""

    name: str
    columns: int
    rows: int
    grid: str

    @property
    def width(self) -> int:
        """The width in pixels."""
        return 2 * MARGIN + 2 * RADIUS + DX * (self.columns - 1)

    @property
    def height(self) -> int:
        """The height in pixels."""
        return 2 * MARGIN + DY * self.rows + DY // 2

    @property
    def first_column(self) -> int:
        """The number that VASSAL gives to column 01 of the map."""
        return 1 if self.grid == ODD else 0

    @property
    def x0(self) -> int:
        """The x coordinate of the centre of VASSAL's column 0, in pixels."""
        return MARGIN + RADIUS - DX * self.first_column

    @property
    def y0(self) -> int:
        """The y coordinate of the centre of the first hex in a column that is not lowered, in pixels."""
        return MARGIN + DY // 2

    def centre(self, column: int, row: int) -> tuple[int, int]:
        """Return the centre of a hex in pixels.

        Columns and rows count from 1, as on the printed map.
        """
        lower = DY // 2 if lowered(column, self.grid) else 0
        return MARGIN + RADIUS + DX * (column - 1), self.y0 + DY * (row - 1) + lower

    def rim(self) -> tuple[tuple[int, int], ...]:
        """Return the outline of the map's hexes as points, clockwise from the upper left, in pixels.

        VASSAL has hexes everywhere on a board. The outline limits them to the hexes of the map.
        """
        half = RADIUS // 2
        tops = [self.centre(column, 1) for column in range(1, self.columns + 1)]
        right = [self.centre(self.columns, row) for row in range(1, self.rows + 1)]
        bottoms = [self.centre(column, self.rows) for column in range(self.columns, 0, -1)]
        left = [self.centre(1, row) for row in range(self.rows, 0, -1)]
        points = [(x + side, y - DY // 2) for x, y in tops for side in (-half, half)]
        points += [point for x, y in right for point in ((x + RADIUS, y), (x + half, y + DY // 2))]
        points += [(x + side, y + DY // 2) for x, y in bottoms for side in (half, -half)]
        points += [point for x, y in left for point in ((x - RADIUS, y), (x - half, y - DY // 2))]
        return tuple(dict.fromkeys(points))


FULL = BoardPlan("Map 0101-2817", 28, 17, "even")
FULL_ODD = BoardPlan("Map 0101-2817 (odd columns lower)", 28, 17, "odd")
SMALL = BoardPlan("Map 0101-1417", 14, 17, "even")
SMALL_ODD = BoardPlan("Map 0101-1417 (odd columns lower)", 14, 17, "odd")
PLANS = (FULL, FULL_ODD, SMALL, SMALL_ODD)


def _stars(width: int, height: int) -> str:
    """Return a background of stars as SVG; it is the same for every map of one size."""
    seed, parts = 20011, []
    for _ in range(width * height // 4200):
        seed = (seed * 1103515245 + 12345) % 2**31
        x = (seed >> 8) % width
        seed = (seed * 1103515245 + 12345) % 2**31
        y = (seed >> 8) % height
        size = (0.5, 0.5, 0.7, 0.7, 0.9, 1.3)[(seed >> 20) % 6]
        colour = ("#ffffff", "#cfe0ff", "#ffe9c9", "#b9c7e6")[(seed >> 12) % 4]
        parts.append(f'<circle cx="{x}" cy="{y}" r="{size}" fill="{colour}" fill-opacity="0.7"/>')
    return "".join(parts)


def board_picture(plan: BoardPlan) -> SvgPicture:
    """Return the drawing of a board: space, stars, hexes and their numbers."""
    lines, numbers, edge = [], [], []
    half = RADIUS / 2
    for column in range(1, plan.columns + 1):
        for row in range(1, plan.rows + 1):
            x, y = plan.centre(column, row)
            corners = (
                (x - RADIUS, y), (x - half, y - DY / 2), (x + half, y - DY / 2), (x + RADIUS, y),
                (x + half, y + DY / 2), (x - half, y + DY / 2),
            )  # fmt: skip
            way = "M" + "L".join(f"{fmt(a)} {fmt(b)}" for a, b in corners) + "Z"
            lines.append(way)
            if column in (1, plan.columns) or row in (1, plan.rows):
                edge.append(way)
            numbers.append(outline(hex_name(column, row), x, y - DY / 2 + 3.6, 5.6))
    width, height = plan.width, plan.height
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="{width}" height="{height}" fill="#0c1328"/>{_stars(width, height)}'
        f'<path d="{"".join(edge)}" fill="#9db7e8" fill-opacity="0.05"/>'
        f'<path d="{"".join(lines)}" fill="none" stroke="#4d638f" stroke-width="1"/>'
        f'<path d="{"".join(numbers)}" fill="none" stroke="#93a8d4" stroke-width="0.9" stroke-linecap="round"'
        ' stroke-linejoin="round"/></svg>'
    )
    return SvgPicture(svg, width, height, sheet=True)


MISSING = f"PNG pictures need resvg: {install_command('resvg-py')}, or pack the drawings themselves with --svg"


def can_draw() -> bool:
    """Return whether the program resvg is installed and starts.

    On an old Windows, a library that resvg needs may be missing.
    """
    try:
        import_module("resvg_py")
    except ImportError:
        return False
    return True


COLOURS, ALIKE = 48, 60
"""Limits for reducing the colours of a sheet's picture. Sheets have few colours, some of them pale and similar."""


def png(picture: SvgPicture) -> bytes:
    """Return an SVG drawing as a PNG picture of the same size.

    Raises:
        GameError: resvg is not installed.
    """
    if not can_draw():
        raise GameError.saying("no-pictures", MISSING)
    drawn = bytes(import_module("resvg_py").svg_to_bytes(svg_string=picture.svg, skip_system_fonts=True))
    return lean(drawn, COLOURS, ALIKE) if picture.sheet else drawn
