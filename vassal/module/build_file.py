"""Read the parts of a module's build file: maps with boards and grids, palette, prototypes, settings.

Elements are named after Java classes. Only the last part of the name is compared, so a module's own subclasses of
VASSAL's grids and maps are recognized as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from vassal.errors import ModuleError
from vassal.module.boards import Board, GameMap, SetUp
from vassal.module.grids import Grid, GridNumbering, HexGrid, Point, Region, RegionGrid, SquareGrid, Zone, ZonedGrid
from vassal.text import commands
from vassal.text.leaves import BoardChoice, BoardPicker
from vassal.text.sequence import number

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["children", "component_name", "descendants", "kind_of", "read_map", "unread_grids"]

MAP_KINDS = frozenset({"Map", "PrivateMap", "PlayerHand", "WidgetMap"})
GRID_KINDS = frozenset({"HexGrid", "SquareGrid", "RegionGrid", "ZonedGrid"})
SLOT_KINDS = frozenset({"PieceSlot", "CardSlot"})

MAX_NAME = 1_000

ImageSize = Callable[[str], tuple[int, int]]


def kind_of(element: _Element) -> str:
    """Return the kind of an XML element: the last part of its Java class name; empty for comments."""
    return element.tag.rpartition(".")[2] if isinstance(element.tag, str) else ""


def children(element: _Element, *kinds: str) -> Iterator[_Element]:
    """Return an iterator over the child elements of these kinds."""
    return (child for child in element.iterchildren() if kind_of(child) in kinds)


def descendants(element: _Element, *kinds: str) -> Iterator[_Element]:
    """Return all elements of these kinds below *element*, in the order of the file."""
    return (below for below in element.iterdescendants() if kind_of(below) in kinds)


def component_name(element: _Element) -> str:
    """Return the name that VASSAL's editor shows for a component: the first of its name attributes that is set."""
    for attribute in ("entryName", "mapName", "name", "text"):
        if value := element.get(attribute):
            return str(value)
    return ""


def _text(element: _Element, name: str, default: str = "") -> str:
    value = element.get(name)
    return default if value is None else str(value)


def _name(element: _Element, name: str, default: str = "") -> str:
    """Return a name from the build file; the length is limited, because location names contain it.

    Raises:
        ModuleError: The name is too long.
    """
    value = _text(element, name, default)
    if len(value) > MAX_NAME:
        raise ModuleError(f"a {kind_of(element)} has a {name} of {len(value)} characters, more than {MAX_NAME}")
    return value


def _int(element: _Element, name: str, default: int) -> int:
    return number(_text(element, name), default)


def _float(element: _Element, name: str, default: float) -> float:
    try:
        value = float(_text(element, name))
    except ValueError:
        return default
    if not 1e-3 < value < 1e6:
        raise ModuleError(f"a {kind_of(element)} has {name}={value}, which is not a size of a cell")
    return value


def _flag(element: _Element, name: str, default: bool) -> bool:
    return _text(element, name, "true" if default else "false") == "true"


def unread_grids(root: _Element) -> Iterator[str]:
    """Yield a sentence for each grid or numbering that is not supported; places in it have no names."""
    for board in descendants(root, "Board", "Zone"):
        for below in board.iterchildren():
            kind = kind_of(below)
            if kind.endswith("Grid") and kind not in GRID_KINDS:
                yield f"the {kind_of(board)} {_text(board, 'name')!r} has a grid of an unknown kind, {kind}"
    for grid in descendants(root, "HexGrid", "SquareGrid"):
        for below in grid.iterchildren():
            kind = kind_of(below)
            if kind.endswith("Numbering") and kind != kind_of(grid) + "Numbering":
                yield f"a {kind_of(grid)} has a numbering of an unknown kind, {kind}"


def read_map(element: _Element, map_id: str, image_size: ImageSize) -> GameMap:
    """Return a map with its boards; *image_size* is a function from the name of an image to its size."""
    name = _text(element, "mapName") or map_id
    boards: list[Board] = []
    default: tuple[BoardChoice, ...] = ()
    for picker in children(element, "BoardPicker"):
        boards += [_board(board, image_size) for board in children(picker, "Board")]
        for setup in picker.iterchildren("setup"):
            for leaf in commands.leaves(commands.parse(setup.text or "", f"the set-up of the map {name!r}")):
                if isinstance(leaf.command, BoardPicker):
                    default = leaf.command.boards
    return GameMap(
        name, map_id, kind_of(element), _int(element, "edgeWidth", 0), _int(element, "edgeHeight", 0),
        tuple(boards), default, tuple(_set_ups(element)),
    )  # fmt: skip


def _set_ups(element: _Element) -> Iterator[SetUp]:
    for stack in children(element, "SetupStack", "DrawPile"):
        by_location = _flag(stack, "useGridLocation", False)
        board = _text(stack, "owningBoard")
        yield SetUp(
            _text(stack, "name"), "" if board == "null" else board, _int(stack, "x", 0), _int(stack, "y", 0),
            _text(stack, "location") if by_location else "",
            tuple(_text(slot, "gpid") for slot in children(stack, *SLOT_KINDS)),
            kind_of(stack) == "DrawPile",
        )  # fmt: skip


def _board(element: _Element, image_size: ImageSize) -> Board:
    image = _text(element, "image")
    if image and image != "null":
        width, height = image_size(image)
    else:
        image, width, height = "", _int(element, "width", 0), _int(element, "height", 0)
    grid = next((read_grid(child, width, height) for child in children(element, *GRID_KINDS)), None)
    return Board(_name(element, "name"), width, height, grid, image, _flag(element, "reversible", False))


def read_grid(element: _Element, width: int, height: int) -> Grid | None:
    """Return the grid that is defined in an element, for a board or a zone of *width* by *height* pixels."""
    kind = kind_of(element)
    if kind == "HexGrid":
        return _hex_grid(element, width, height)
    if kind == "SquareGrid":
        return _square_grid(element, width, height)
    if kind == "RegionGrid":
        regions = [
            Region(_name(region, "name"), _int(region, "originx", 0), _int(region, "originy", 0))
            for region in children(element, "Region")
        ]
        return RegionGrid(tuple(regions), _flag(element, "snapto", True))
    background = next((read_grid(child, width, height) for child in children(element, *GRID_KINDS)), None)
    return ZonedGrid(tuple(_zone(zone) for zone in children(element, "Zone")), background)


def _hex_grid(element: _Element, width: int, height: int) -> HexGrid:
    dy = _float(element, "dy", 64.0)
    dx = _float(element, "dx", dy * 3**0.5 / 2)
    numbering = next((_numbering(child) for child in children(element, "HexGridNumbering")), None)
    return HexGrid(
        *(dx, dy, _int(element, "x0", 0), _int(element, "y0", 32), _flag(element, "sideways", False)),
        *_snapping(element),
        width=width,
        height=height,
        numbering=numbering,
    )


def _square_grid(element: _Element, width: int, height: int) -> SquareGrid:
    numbering = next((_numbering(child) for child in children(element, "SquareGridNumbering")), None)
    return SquareGrid(
        *(_float(element, "dx", 48.0), _float(element, "dy", 48.0)),
        *(_int(element, "x0", 24), _int(element, "y0", 24)),
        *_snapping(element),
        diagonal_is_one=_text(element, "range", "Metric") != "Manhattan",
        width=width,
        height=height,
        numbering=numbering,
    )


def _snapping(element: _Element) -> tuple[bool, bool, bool]:
    names = (("snapTo", True), ("edgesLegal", False), ("cornersLegal", False))
    snap, edges, corners = (_flag(element, name, default) for name, default in names)
    return snap, edges, corners


def _numbering(element: _Element) -> GridNumbering:
    return GridNumbering(
        column_first=not _text(element, "first", "H").startswith("V"),
        separator=_name(element, "sep"),
        column_letters=_text(element, "hType", "N").startswith("A"),
        row_letters=_text(element, "vType", "N").startswith("A"),
        column_leading=max(0, min(_int(element, "hLeading", 1), 50)),
        row_leading=max(0, min(_int(element, "vLeading", 1), 50)),
        column_offset=_int(element, "hOff", 1),
        row_offset=_int(element, "vOff", 1),
        column_descends=_flag(element, "hDescend", False),
        row_descends=_flag(element, "vDescend", False),
        stagger=kind_of(element) == "HexGridNumbering" and _flag(element, "stagger", True),
        location_format=_name(element, "locationFormat", "$gridLocation$"),
    )


def _zone(element: _Element) -> Zone:
    outline = tuple(_points(_text(element, "path")))
    xs, ys = [x for x, _ in outline] or [0], [y for _, y in outline] or [0]
    size = max(xs) - min(xs), max(ys) - min(ys)
    grid = next((read_grid(child, *size) for child in children(element, *GRID_KINDS)), None)
    return Zone(
        _name(element, "name"), outline, grid, _flag(element, "useParentGrid", False),
        _name(element, "locationFormat", "$name$"),
    )  # fmt: skip


def _points(path: str) -> Iterator[Point]:
    for pair in path.split(";"):
        x, comma, y = pair.partition(",")
        if comma:
            yield number(x.strip()), number(y.strip())
