"""Places: pixels, location names, ranges, against what VASSAL 3.7.26 answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from vassal.errors import LocationError, ModuleError
from vassal.module.boards import Board, GameMap, MapLayout, PlacedBoard
from vassal.module.grids import GridNumbering, HexGrid, Region, RegionGrid, SquareGrid, Zone, ZonedGrid, polygon_holds
from vassal.module.module import Module
from vassal.text.leaves import BoardChoice

Vectors = Callable[..., list[Any]]

# The field's own map: 28 columns and 17 rows, named 0101 to 2817.
SPACE = HexGrid(dx=48.0, dy=56.0, x0=24, y0=28, width=1344, height=980)


@pytest.mark.parametrize("whole", [False, True])
def test_every_hex_vector_holds(vectors: Vectors, zoo: Module, whole: bool) -> None:
    layouts = {game_map.name: game_map.layout() for game_map in zoo.maps}
    on_board = 0
    for vector in vectors("hexgrid", whole):
        layout = layouts[vector["map"]]
        point = vector["x"], vector["y"]
        assert layout.location(point) == vector["location"], vector
        assert list(layout.snap(point)) == vector["snap"], vector
        assert list(layout.snap(point, force=True)) == vector["snapForced"], vector
        placed = layout.board_at(point)
        assert (placed.board.name if placed else None) == vector["board"], vector
        if placed is None or "rawCol" not in vector:
            continue
        on_board += 1
        grid = placed.board.grid
        assert isinstance(grid, HexGrid)
        assert grid.raw(placed.local(point)) == (vector["rawCol"], vector["rawRow"]), vector
        # What the list calls the centre is where VASSAL finds the name again, in pixels of the board.
        assert list(grid.setup_pixel(vector["location"])) == vector["center"], vector
        x, y, hexes = vector["range"]
        assert layout.range(point, (x, y)) == hexes, vector
    assert on_board > 400


def test_every_name_of_every_grid_leads_back_to_its_hex(zoo: Module) -> None:
    for game_map in zoo.maps:
        layout = game_map.layout()
        placed = layout.boards[0]
        grid = placed.board.grid
        assert isinstance(grid, HexGrid)
        for column in range(1, 9):
            for row in range(1, 9):
                centre = grid.centre(column, row)
                name = grid.name(centre)
                assert name is not None
                if grid.numbering and grid.numbering.column_letters and grid.numbering.row_letters:
                    continue  # such names may be read in two ways, as in VASSAL
                assert grid.cell(name) == (column, row), (game_map.name, name)
                if placed.holds(placed.on_map(centre)):
                    assert layout.pixel(name) == placed.on_map(centre)


@given(st.integers(0, 27), st.integers(0, 16))
def test_snapping_the_centre_of_a_hex_changes_nothing(column: int, row: int) -> None:
    centre = SPACE.centre(column, row)
    assert SPACE.snap(centre) == centre
    assert SPACE.raw(centre) == (column, row)
    assert SPACE.name(centre) == f"{column + 1:02}{row + 1:02}"
    assert SPACE.pixel(f"{column + 1:02}{row + 1:02}") == centre


cells = st.tuples(st.integers(0, 27), st.integers(0, 16))


@given(cells, cells, cells)
def test_ranges_are_distances(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> None:
    one, two, three = (SPACE.centre(*cell) for cell in (a, b, c))
    assert SPACE.range(one, two) == SPACE.range(two, one)
    assert (SPACE.range(one, two) == 0) == (a == b)
    assert SPACE.range(one, three) <= SPACE.range(one, two) + SPACE.range(two, three)


@given(st.integers(0, 1300), st.integers(0, 950))
def test_every_pixel_lies_in_just_the_hex_it_snaps_to(x: int, y: int) -> None:
    centre = SPACE.snap((x, y))
    assert abs(centre[0] - x) <= 33
    assert abs(centre[1] - y) <= 29


def test_the_hex_of_a_handbook_reader() -> None:
    assert SPACE.pixel("0101") == (24, 28)
    assert SPACE.pixel("0201") == (72, 56)  # even columns lie half a hex lower
    assert SPACE.name(SPACE.pixel("2817")) == "2817"
    assert SPACE.range(SPACE.pixel("0812"), SPACE.pixel("1308")) == 7


@pytest.mark.parametrize("name", ["", "0", "081", "AB", "8 12"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(LocationError, match="is not a location of this grid"):
        SPACE.pixel(name)


def test_polygons_own_their_left_and_top() -> None:
    square = ((0, 0), (10, 0), (10, 10), (0, 10))
    assert polygon_holds(square, (0, 0))
    assert polygon_holds(square, (9, 9))
    assert not polygon_holds(square, (10, 5))
    assert not polygon_holds(square, (5, 10))
    assert not polygon_holds(square, (-1, 5))


def test_letters_repeat() -> None:
    numbering = GridNumbering(column_letters=True, column_offset=0, stagger=False)
    assert [numbering.name(column, 0) for column in (0, 25, 26, 53, -1)] == ["A01", "Z01", "AA01", "BBB01", "-B01"]
    assert numbering.parse("BBB01") == (53, 0)


def test_a_format_that_names_a_part_twice_cannot_be_read_back() -> None:
    numbering = GridNumbering(location_format="$row$/$row$")
    assert numbering.name(2, 3) == "04/04"
    with pytest.raises(LocationError):
        numbering.parse("04/04")


def test_square_grids() -> None:
    grid = SquareGrid(dx=50, dy=40, x0=25, y0=20, width=500, height=400, numbering=GridNumbering(stagger=False))
    assert grid.name((25, 20)) == "0101"
    assert grid.name((130, 70)) == "0302"
    assert grid.pixel("0302") == (125, 60)
    assert grid.snap((130, 70)) == (125, 60)
    assert grid.range((25, 20), (175, 60)) == 3
    descending = SquareGrid(50, 40, 25, 20, width=500, height=400, numbering=GridNumbering(row_descends=True))
    assert descending.name((25, 20)) == "0111"
    assert descending.pixel("0111") == (25, 20)


def test_regions(space: Module) -> None:
    layout = space.map("SSD Map").layout()
    assert layout.location((60, 70)) == "Hull"
    assert layout.pixel("Shield/1") == (250, 60)
    assert layout.snap((160, 70)) == (150, 50)
    with pytest.raises(LocationError, match="is not one of the 3 regions"):
        layout.pixel("Bridge")
    assert RegionGrid(()).name((1, 1)) is None


def test_zones_and_the_edge_of_the_map(space: Module) -> None:
    layout = space.map("Zoned Map").layout()
    assert (layout.boards[0].x, layout.boards[0].y) == (25, 25)
    assert layout.location((24, 24)) == "offboard"
    assert layout.location((25, 48)) == "Arena 0101"
    assert layout.zone((25, 48)) == "Arena"
    assert layout.location((350, 100)) == "Box"
    assert layout.location((105, 400)).startswith("P:")
    assert layout.zone((500, 100)) == ""
    for name in ("Arena 0304", "Box", layout.location((105, 400)), layout.location((500, 300))):
        assert layout.location(layout.pixel(name)) == name


def test_a_zone_without_a_grid_has_its_name() -> None:
    zone = Zone("Box", ((0, 0), (10, 0), (10, 10), (0, 10)))
    grid = ZonedGrid((zone,), RegionGrid((Region("far", 100, 100),)))
    assert grid.name((5, 5)) == "Box"
    assert grid.name((50, 50)) == "far"
    assert grid.pixel("Box") == (5, 5)


def test_boards_are_tiled_and_turned() -> None:
    left, right = Board("L", 100, 50, SquareGrid(10, 10, 5, 5, numbering=GridNumbering())), Board("R", 60, 50)
    game_map = GameMap("M", "Map0", edge_width=7, edge_height=9, boards=(left, right))
    choices = (BoardChoice("R", 1, 0), BoardChoice("L", 0, 0), BoardChoice("L", 0, 1, reversed=True))
    layout = game_map.layout(choices)
    assert [(placed.board.name, placed.x, placed.y) for placed in layout.boards] == [
        ("L", 7, 9), ("R", 107, 9), ("L", 7, 59),
    ]  # fmt: skip
    turned = layout.boards[2]
    assert turned.local((7, 59)) == (100, 50)
    assert turned.on_map(turned.local((20, 70))) == (20, 70)
    assert layout.location((12, 14)) == "0101"
    assert layout.location((110, 20)) == "offboard"
    with pytest.raises(ModuleError, match="has no board 'X'; its boards: L, R"):
        game_map.layout([BoardChoice("X")])
    with pytest.raises(LocationError, match="the board 'R' has no grid"):
        MapLayout("M", (PlacedBoard(right, 0, 0),)).pixel("0101")
    with pytest.raises(LocationError, match="outside the board"):
        layout.pixel("9999")
