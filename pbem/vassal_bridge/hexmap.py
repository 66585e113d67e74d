"""Find the game's hexes on a map of any VASSAL module.

A hex is found by its name in the grid of the map. If the grid's numbers have another form, or the grid has no
numbers, a hex is found by its column and row. A module may have many maps, with boards and zones on them.
:func:`places` lists the maps, boards and zones that could be the game's map, the most likely first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from pbem.rules import hexes
from pbem.rules.hexes import EVEN, ODD
from vassal.errors import LocationError, ModuleError

if TYPE_CHECKING:
    from vassal.module.boards import GameMap, MapLayout, PlacedBoard
    from vassal.module.grids import GridNumbering, HexGrid, Point
    from vassal.module.module import Module

NAMES, NUMBERS, COUNTED = "names", "numbers", "counted"
"""The three ways to find a hex of the game on a map.

``names``: the grid uses the game's hex names (``0812``). ``numbers``: the grid has the game's column and row
numbers in another form (``8.12``, ``H12``). ``counted``: the grid has no numbers, so columns and rows are counted.
"""

BESIDE_NAMES = {"chart", "charts", "ssd", "ssds", "eaf", "overview", "tray", "inventory", "display", "track", "panel"}
"""Words that the names of maps contain if they are not playing areas."""

FLOWN_NAMES = {"map", "space", "tactical", "board", "hex", "hexes", "battle", "main", "grid"}

MAPS_OF_ALL = {"Map": 2, "WidgetMap": 1}
"""Kinds of map windows that all players see. Windows of other kinds belong to one side."""

AS_IN_THE_GAME = {facing: facing for facing in hexes.FACINGS}

LOOKED_AT = (6, 24)
"""Number of columns and of rows that are searched for a hex with all its neighbours.

Not every module begins at hex 0101, so the search may need several.
"""

SAMPLES = 6
"""How many columns and how many rows are tested to find what share of the game's hexes a map has."""


class HexMap:
    """Finds the game's hexes on a VASSAL map whose boards are in place.

    ``how`` is the way to find a hex: :data:`NAMES`, :data:`NUMBERS` or :data:`COUNTED`. ``zone`` is the zone whose
    hexes are used, unless they are found by name. ``first`` is VASSAL's column and row of hex 0101.
    """

    def __init__(self, layout: MapLayout, how: str = NAMES, zone: str = "", first: tuple[int, int] = (0, 0)) -> None:
        self.layout = layout
        self.how = how
        self.first = first
        self.zone = zone
        self.grids = [] if how == NAMES else [one for one in _grids(layout) if one.zone == zone]

    @property
    def name(self) -> str:
        """The map's name."""
        return self.layout.name

    def pixel(self, hex_: str) -> Point:
        """Return the centre of a hex in pixels of the map.

        Raises:
            LocationError: The map has no hex of that name.
        """
        if self.how == NAMES:
            return self.layout.pixel(hex_)
        column, row = hexes.parse_hex(hex_)
        for one in self.grids:
            point = one.placed.on_map(self._local(one.grid, column, row))
            if one.holds(self.layout, point):
                return point
        raise LocationError(f"the map {self.name!r} has no hex {hex_}")

    def location(self, point: Point) -> str:
        """Return the name of the hex at a pixel, or the module's name for the location if no hex is there."""
        if self.how == NAMES:
            return self.layout.location(point)
        for one in self.grids:
            if one.holds(self.layout, point):
                found = self._hex(one.grid, one.placed.local(point))
                if found:
                    return found
        return self.layout.location(point)

    def _local(self, grid: HexGrid, column: int, row: int) -> Point:
        """Return the centre of the hex at a column and row, in pixels of the board."""
        if self.how == NUMBERS and (numbering := grid.numbering) is not None:
            across, down = _origin(numbering)
            return grid.pixel(numbering.name(column - across, row - down))
        return grid.centre(column - 1 + self.first[0], row - 1 + self.first[1])

    def _hex(self, grid: HexGrid, point: Point) -> str:
        if self.how == NUMBERS and (numbering := grid.numbering) is not None:
            try:
                column, row = numbering.parse(grid.name(point) or "")
            except LocationError:
                return ""
            across, down = _origin(numbering)
            column, row = column + across, row + down
        else:
            raw = grid.raw(point)
            column, row = raw[0] - self.first[0] + 1, raw[1] - self.first[1] + 1
        try:
            return hexes.hex_name(column, row)
        except ValueError:
            return ""

    def has(self, hex_: str) -> bool:
        """Return whether the map has a hex of that name, such as ``0812``."""
        try:
            return self.location(self.pixel(hex_)) == hex_
        except LocationError:
            return False

    def sides_at(self, grid: str, hex_: str) -> dict[str, str] | None:
        """Return the direction on this map of each of a hex's six sides, by the side's letter in the game.

        Directions have the letters of the game's map: A is up, B is to the upper right, and so on. The dict is empty
        if two sides have the same direction. The result is ``None`` if a neighbour is not on the map. ``grid`` says
        which columns are half a hex lower (``even`` or ``odd``).
        """
        try:
            x, y = self.pixel(hex_)
            around = {facing: self.pixel(hexes.neighbour(hex_, facing, grid)) for facing in hexes.FACINGS}
        except LocationError:
            return None
        found = {facing: _way(right - x, down - y) for facing, (right, down) in around.items()}
        return found if sorted(found.values()) == sorted(hexes.FACINGS) else {}

    def sides_in(self, grid: str, first: str = "0101") -> dict[str, str]:
        """Return the direction on this map of each side of a hex, as :meth:`sides_at` does.

        The hex used is near ``first`` and has all six neighbours on the map. The result is empty if there is no such
        hex.
        """
        left, top = hexes.parse_hex(first)
        near = ((left + right, top + down) for right in range(1, LOOKED_AT[0]) for down in range(1, LOOKED_AT[1]))
        for column, row in near:
            if (found := self.sides_at(grid, hexes.hex_name(column, row))) is not None:
                return found
        return {}

    def faces(self, grid: str, area: tuple[str, str]) -> bool:
        """Return whether the hexes are arranged as in the game: A is up, and the same columns are lower."""
        return self.sides_in(grid, area[0]) == AS_IN_THE_GAME

    @cached_property
    def sides(self) -> dict[str, str]:
        """The direction on this map of each of a hex's six sides, by the side's letter in the game.

        On a board that is turned around, or whose rows are counted upward, sides and counters point in other
        directions than in the game. If the directions cannot be determined, the directions of the game are returned.
        """
        return self.sides_in(EVEN) or self.sides_in(ODD) or AS_IN_THE_GAME

    def facing_of(self, shown: str) -> str:
        """Return the game's facing for a counter that points in this direction on the map; empty if none fits."""
        return next((facing for facing, side in self.sides.items() if side == shown), "")


def _way(right: int, down: int) -> str:
    """Return the direction (A to F) of a neighbour hex at this distance in pixels, to the right and down.

    The result is empty for a neighbour straight to the left or right.
    """
    if abs(right) <= 2:
        return "A" if down < 0 else "D"
    if abs(down) <= 2:
        return ""
    return ("B" if down < 0 else "C") if right > 0 else ("F" if down < 0 else "E")


def _origin(numbering: GridNumbering) -> tuple[int, int]:
    """Return the two numbers that added to a grid's own column and row give the game's column and row.

    The sums are the numbers as the grid writes them, where the letter A counts as 1.
    """
    return numbering.column_offset + numbering.column_letters, numbering.row_offset + numbering.row_letters


class MapCandidate(NamedTuple):
    """A part of a module that could be the game's map.

    Attributes:
        map: The name of the map.
        board: The name of the board; empty for the board that the map chooses itself.
        how: How hexes are found there (see :class:`HexMap`).
        zone: The zone whose hexes are used (see :class:`HexMap`).
        first: VASSAL's column and row of hex 0101 (see :class:`HexMap`).
        part: The share of the game's hexes that this part has, 0 to 1.
        faces: Whether the hexes are arranged as in the game.
        merit: The sort key; a larger key is better.
    """

    map: str
    board: str
    how: str
    zone: str
    first: tuple[int, int]
    part: float
    faces: bool
    merit: tuple[float, ...]

    @property
    def about(self) -> str:
        """A description of this candidate: map, board and zone, how hexes are named, and share of the hexes."""
        board = f", board {self.board!r}" if self.board else ""
        zone = f", zone {self.zone!r}" if self.zone else ""
        how = {NAMES: "", NUMBERS: ", numbered otherwise", COUNTED: ", without numbers"}[self.how]
        part = "all hexes" if self.part == 1 else f"{self.part:.0%} of the hexes"
        turned = "" if self.faces else ", which lie otherwise"
        return f"{self.map}{board}{zone}{how}: {part}{turned}"


class _Grid(NamedTuple):
    """A hex grid of a board. ``zone`` is the name of its zone, or empty if it covers the board itself."""

    placed: PlacedBoard
    grid: HexGrid
    zone: str

    def holds(self, layout: MapLayout, point: Point) -> bool:
        """Return whether the hexes at this pixel belong to this grid."""
        return layout.board_at(point) is self.placed and layout.zone(point) == self.zone


def _grids(layout: MapLayout) -> Iterator[_Grid]:
    from vassal.module.grids import HexGrid, ZonedGrid

    for placed in layout.boards:
        grid = placed.board.grid
        if isinstance(grid, HexGrid):
            yield _Grid(placed, grid, "")
        elif isinstance(grid, ZonedGrid):
            if isinstance(grid.background, HexGrid):
                yield _Grid(placed, grid.background, "")
            for zone in grid.zones:
                inner = grid.background if zone.parent_grid else zone.grid
                if isinstance(inner, HexGrid):
                    yield _Grid(placed, inner, zone.name)


def places(module: Module, area: tuple[str, str], grid: str) -> list[MapCandidate]:
    """Return all parts of a module that could be the game's map, the most likely first.

    ``area`` is the first and the last hex of the game's map. ``grid`` says which columns are half a hex lower
    (``even`` or ``odd``).
    """
    found = [place for game_map in module.maps for place in _places_on(game_map, area, grid)]
    return sorted(found, key=lambda place: place.merit, reverse=True)


def usual_place(game_map: GameMap, area: tuple[str, str], grid: str) -> MapCandidate | None:
    """Return a map with its default boards as candidate if it is surely the game's map, else ``None``.

    The map must have all hexes by their names, be arranged as in the game, and end where the game's map ends.
    """
    try:
        layout = layout_of(game_map, "")
    except ModuleError:
        return None
    found = HexMap(layout)
    if game_map.kind != "Map" or {*_words(game_map.name)} & BESIDE_NAMES:
        return None
    whole = found.has(area[0]) and found.has(area[1]) and found.faces(grid, area) and not _goes_on(found, area)
    return MapCandidate(game_map.name, "", NAMES, "", (0, 0), 1.0, True, ()) if whole else None


def _places_on(game_map: GameMap, area: tuple[str, str], grid: str) -> Iterator[MapCandidate]:
    usual = {choice.name for choice in game_map.usual_boards}
    others = [board.name for board in game_map.boards if len(usual) != 1 or board.name not in usual]
    for board in ("", *others) if usual else others:
        try:
            layout = layout_of(game_map, board)
        except ModuleError:
            continue
        yield from _places_in(game_map, layout, board, area, grid)


def layout_of(game_map: GameMap, board: str) -> MapLayout:
    """Return a map with one board, or with its default boards if ``board`` is empty.

    Raises:
        ModuleError: The map has no such board.
    """
    from vassal.text.leaves import BoardChoice

    return game_map.layout((BoardChoice(board),) if board else None)


def _places_in(
    game_map: GameMap, layout: MapLayout, board: str, area: tuple[str, str], grid: str
) -> Iterator[MapCandidate]:
    """Yield the candidates for the game's map among the grids of one map window.

    Counting hexes is tried only if no grid has the game's numbers.
    """
    grids = list(_grids(layout))
    numbered = [HexMap(layout), *(HexMap(layout, NUMBERS, one.zone) for one in grids if one.grid.numbering is not None)]
    counted = [HexMap(layout, COUNTED, one.zone, _first(one, layout, grid)) for one in grids]
    bare = [one for one, plain in zip(counted, grids, strict=True) if plain.grid.numbering is None]
    parts = [(one, _part(one, area)) for one in (*numbered, *bare)]
    if not any(part for _, part in parts):
        parts = [(one, _part(one, area)) for one in counted]
    words = {*_words(game_map.name), *_words(board or " ".join(one.board.name for one in layout.boards))}
    for number, (one, part) in enumerate(parts):
        if not part or (number and _is_same(one, numbered[0], area)):
            continue
        faces = one.faces(grid, area)
        merit = (
            round(part * (1.0 if faces else 0.4), 2),
            -len(words & BESIDE_NAMES),
            MAPS_OF_ALL.get(game_map.kind, 0),
            (COUNTED, NUMBERS, NAMES).index(one.how),
            not _goes_on(one, area),
            not board,
            min(1, len(words & FLOWN_NAMES)),
            -number,
        )
        yield MapCandidate(game_map.name, board, one.how, one.zone, one.first, round(part, 3), faces, merit)


def _is_same(first: HexMap, second: HexMap, area: tuple[str, str]) -> bool:
    """Return whether two ways to find hexes lead to the same pixels."""
    (left, top), (right, bottom) = map(hexes.parse_hex, area)
    middle = hexes.hex_name((2 * left + right) // 3, (top + bottom) // 2)
    try:
        return first.pixel(middle) == second.pixel(middle)
    except LocationError:
        return False


def _first(one: _Grid, layout: MapLayout, grid: str) -> tuple[int, int]:
    """Return VASSAL's own column and row of the hex that is 0101 in the game.

    This hex is the first whole hex of a column that is as low as the game's first column. VASSAL counts columns from
    0, and its odd columns are half a hex lower.
    """
    parity = 0 if grid == EVEN else 1
    whole = [
        column
        for column in range(parity, parity + 4, 2)
        if (centre := one.grid.centre(column, 1))[0] >= one.grid.dx / 3 and one.holds(layout, one.placed.on_map(centre))
    ]
    rows = [row for row in range(3) if one.grid.centre(parity, row)[1] >= one.grid.dy / 3]
    return (whole[0] if whole else parity), (rows[0] if rows else 0)


def _part(hex_map: HexMap, area: tuple[str, str]) -> float:
    """Return the share of the game's hexes that a map has, 0 to 1, estimated from a sample."""
    (left, top), (right, bottom) = map(hexes.parse_hex, area)
    columns = sorted({left + (right - left) * step // (SAMPLES - 1) for step in range(SAMPLES)})
    rows = sorted({top + (bottom - top) * step // (SAMPLES - 1) for step in range(SAMPLES)})
    sample = [hexes.hex_name(column, row) for column in columns for row in rows]
    return sum(hex_map.has(hex_) for hex_ in sample) / len(sample)


def _goes_on(hex_map: HexMap, area: tuple[str, str]) -> bool:
    """Return whether a map has hexes beyond the last hex of the game's map.

    The column next to the last is ignored, because it may be on the edge of a board.
    """
    column, row = hexes.parse_hex(area[1])
    try:
        return hex_map.has(hexes.hex_name(column + 2, row))
    except ValueError:
        return False


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.casefold())
