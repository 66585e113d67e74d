"""Maps and boards: where boards are placed on a map, and the location names of pixels.

A piece's x and y are pixels of its map, including the map's edge. Boards are placed in columns and rows; each board
is as big as its image. A reversed board is turned by 180 degrees.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from vassal.errors import LocationError, ModuleError
from vassal.module.grids import Grid, Point, ZonedGrid
from vassal.text.leaves import BoardChoice
from vassal.text.sequence import dataclass

__all__ = ["OFFBOARD", "Board", "GameMap", "MapLayout", "PlacedBoard", "SetUp"]

OFFBOARD = "offboard"
"""VASSAL's location name for every pixel that has no name of its own."""

MAX_BOARDS = 1_000


@dataclass(frozen=True, slots=True)
class Board:
    """A board of the module.

    Attributes:
        name: The name.
        width: The width in pixels.
        height: The height in pixels.
        grid: The grid; ``None`` if the board has none.
        image: Name of the picture; empty for a plain board.
        reversible: Whether players may turn the board by 180 degrees.
    """

    name: str
    width: int
    height: int
    grid: Grid | None = None
    image: str = ""
    reversible: bool = False


@dataclass(frozen=True, slots=True)
class PlacedBoard:
    """A board on a map. ``x`` and ``y`` are the map pixel of its top left corner."""

    board: Board
    x: int
    y: int
    reversed: bool = False

    def holds(self, point: Point) -> bool:
        """Return whether a pixel of the map is on this board."""
        return 0 <= point[0] - self.x < self.board.width and 0 <= point[1] - self.y < self.board.height

    def local(self, point: Point) -> Point:
        """Convert a pixel of the map to a pixel of the board."""
        x, y = point[0] - self.x, point[1] - self.y
        return (self.board.width - x, self.board.height - y) if self.reversed else (x, y)

    def on_map(self, point: Point) -> Point:
        """Convert a pixel of the board to a pixel of the map."""
        x, y = (self.board.width - point[0], self.board.height - point[1]) if self.reversed else point
        return x + self.x, y + self.y


@dataclass(frozen=True, slots=True)
class SetUp:
    """A stack or deck of palette entries that the module places when a game starts.

    Attributes:
        name: Name of the stack or deck.
        board: Name of the board; empty for any board.
        x: The x coordinate, in pixels of the board.
        y: The y coordinate, in pixels of the board.
        location: Name of the location; if not empty, it is used in place of ``x`` and ``y``.
        slots: The gpids of the palette entries.
        is_deck: Whether it is a deck.
    """

    name: str
    board: str
    x: int
    y: int
    location: str
    slots: tuple[str, ...]
    is_deck: bool = False


@dataclass(frozen=True, slots=True)
class GameMap:
    """A map window of the module.

    Attributes:
        name: The name of the map; may be empty.
        id: The name by which pieces refer to the map. For a map without a name, VASSAL makes one, such as ``Map0``.
        kind: The kind of map component.
        edge_width: Width of the margin at the left and right, in pixels.
        edge_height: Height of the margin above and below, in pixels.
        boards: The boards that the map may show.
        default_boards: The boards that it shows at the start.
        set_ups: The stacks and decks that the module places on it.
    """

    name: str
    id: str
    kind: str = "Map"
    edge_width: int = 0
    edge_height: int = 0
    boards: tuple[Board, ...] = ()
    default_boards: tuple[BoardChoice, ...] = ()
    set_ups: tuple[SetUp, ...] = ()

    def board(self, name: str) -> Board:
        """Return the board with this name.

        Raises:
            ModuleError: The map has no such board.
        """
        for board in self.boards:
            if board.name == name:
                return board
        names = ", ".join(board.name for board in self.boards) or "none"
        raise ModuleError(f"the map {self.name!r} has no board {name!r}; its boards: {names}")

    @property
    def usual_boards(self) -> tuple[BoardChoice, ...]:
        """The boards that the module itself chooses for this map, or else the map's only board."""
        if not self.default_boards and len(self.boards) == 1:
            return (BoardChoice(self.boards[0].name),)
        return self.default_boards

    def layout(self, choices: Iterable[BoardChoice] | None = None) -> MapLayout:
        """Return the map with boards in place: the boards in *choices*, or else the usual boards.

        Raises:
            ModuleError: The map does not have all of these boards.
        """
        choices = self.usual_boards if choices is None else choices
        chosen = {(choice.column, choice.row): choice for choice in choices}
        if len(chosen) > MAX_BOARDS:
            raise ModuleError(f"the map {self.name!r} has {len(chosen)} boards in use, more than {MAX_BOARDS}")
        placed = []
        right: dict[int, int] = {}  # right edge of the boards in each row; `down` has the lower edge in each column
        down: dict[int, int] = {}
        for (column, row), choice in sorted(chosen.items(), key=lambda item: (item[0][1], item[0][0])):
            board = self.board(choice.name)
            x, y = right.get(row, self.edge_width), down.get(column, self.edge_height)
            placed.append(PlacedBoard(board, x, y, choice.reversed))
            right[row], down[column] = x + board.width, y + board.height
        return MapLayout(self.name, tuple(placed))


@dataclass(frozen=True, slots=True)
class MapLayout:
    """A map with its boards in place. All points are pixels of the map."""

    name: str
    boards: tuple[PlacedBoard, ...] = field(default=())

    def board_at(self, point: Point) -> PlacedBoard | None:
        """Return the board at a pixel; ``None`` if there is no board."""
        return next((placed for placed in self.boards if placed.holds(point)), None)

    def location(self, point: Point) -> str:
        """Return the location name of a pixel; ``offboard`` if it has no name."""
        placed = self.board_at(point)
        if placed is None or placed.board.grid is None:
            return OFFBOARD
        name = placed.board.grid.name(placed.local(point))
        return OFFBOARD if name is None else name

    def zone(self, point: Point) -> str:
        """Return the name of the zone at a pixel; empty if there is no zone."""
        placed = self.board_at(point)
        if placed is None or not isinstance(placed.board.grid, ZonedGrid):
            return ""
        zone = placed.board.grid.zone(placed.local(point))
        return zone.name if zone else ""

    def pixel(self, location: str, board: str | None = None) -> Point:
        """Return the pixel of a location name; search every board in turn, or only the named board.

        Raises:
            LocationError: No board has such a location.
        """
        reasons = []
        for placed in self.boards:
            if board is not None and placed.board.name != board:
                continue
            if placed.board.grid is None:
                reasons.append(f"the board {placed.board.name!r} has no grid")
                continue
            try:
                point = placed.on_map(placed.board.grid.pixel(location))
            except LocationError as error:
                reasons.append(str(error))
                continue
            if placed.holds(point):
                return point
            reasons.append(f"{location!r} lies outside the board {placed.board.name!r}")
        reason = "; ".join(dict.fromkeys(reasons)) or "it has no boards"
        raise LocationError(f"the map {self.name!r} has no location {location!r}: {reason}")

    def snap(self, point: Point, *, force: bool = False) -> Point:
        """Return the pixel where a piece that is dropped on *point* comes to rest.

        With *force* this is always the center of a cell of the grid.
        """
        placed = self.board_at(point)
        if placed is None or placed.board.grid is None:
            return point
        x, y = placed.on_map(placed.board.grid.snap(placed.local(point), force=force))
        # A result one pixel outside the board is moved onto the board.
        right, bottom = placed.x + placed.board.width, placed.y + placed.board.height
        x += (x == placed.x - 1) - (x == right)
        y += (y == placed.y - 1) - (y == bottom)
        return x, y

    def range(self, one: Point, other: Point) -> int:
        """Return the distance between two pixels, in cells of the grid at the first pixel.

        Raises:
            LocationError: There is no grid at the first pixel.
        """
        placed = self.board_at(one)
        if placed is None or placed.board.grid is None:
            raise LocationError(f"the map {self.name!r} has no grid at {one[0]},{one[1]} to reckon a range in")
        # VASSAL uses a pixel outside all boards without subtracting a board's position.
        there = placed.local(self.snap(other)) if self.board_at(other) else other
        return placed.board.grid.range(placed.local(self.snap(one)), there)
