"""Hexes, facings and ranges (C1.2, D1.4).

A hex is four digits, column then row (``"1708"``). A facing is a letter, ``A`` up the map and so on
clockwise to ``F``. ``grid`` says which columns lie half a hex lower: ``"even"`` (the printed maps) or
``"odd"``.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

FACINGS = "ABCDEF"
ALL = ("-9-9", "9999")
"""First and last of all hexes that have a name, on whatever map."""

EVEN = "even"
ODD = "odd"

# One step in each facing, as (column, row) of a grid whose rows run slantwise along facing C.
_STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


class Bearing(NamedTuple):
    """Where a hex lies as seen from another.

    ``index`` is the row of hexes (0 for A … 5 for F) on which it lies, or the nearest one counter-clockwise
    of it; ``on_row`` whether it lies on that row; ``nearer`` whether the line to it is nearer to that row
    (-1), exactly between it and the next one clockwise (0), or nearer to the next one (1).
    """

    index: int  # type: ignore[assignment]  # tuple.index is not used
    on_row: bool
    nearer: int


@cache
def parse_hex(text: str) -> tuple[int, int]:
    """``"1708"`` -> ``(17, 8)``. Raises ``ValueError`` for anything but two numbers of two places."""
    if len(text) != 4:
        raise ValueError(f"{text!r} is no hex: a hex has four digits, column then row (C1.2)")
    try:
        return int(text[:2]), int(text[2:])
    except ValueError:
        raise ValueError(f"{text!r} is no hex: a hex has four digits, column then row (C1.2)") from None


def hex_name(column: int, row: int) -> str:
    """``17, 8`` -> ``"1708"``. Raises ``ValueError`` where two places are not enough (-9 to 99)."""
    if not (-9 <= column <= 99 and -9 <= row <= 99):
        raise ValueError(f"column {column}, row {row} is too far off the map to have a name")
    return f"{column:02d}{row:02d}"


@cache
def cube(hex: str, grid: str = EVEN) -> tuple[int, int, int]:
    """Three coordinates whose sum is 0; two of them stay the same along each row of hexes."""
    column, row = parse_hex(hex)
    slant = row - _fallen(column, grid)
    return column, -column - slant, slant


def _fallen(column: int, grid: str) -> int:
    """By how many rows a row of hexes that runs along facing C has come down, from column 0 to this one."""
    if grid == EVEN:
        return (column + 1) // 2
    if grid == ODD:
        return column // 2
    raise ValueError(f"{grid!r} is no grid: even or odd columns lie half a hex lower")


def lowered(column: int, grid: str) -> bool:
    """Whether a column lies half a hex lower than its neighbours."""
    return (column % 2 == 0) == (grid == EVEN)


def _from_cube(column: int, slant: int, grid: str) -> str:
    return hex_name(column, slant + _fallen(column, grid))


@cache
def neighbour(hex: str, facing: str, grid: str = EVEN) -> str:
    """The hex next to this one in the direction of a facing (C1.2). May lie off the map."""
    column, _, slant = cube(hex, grid)
    across, along = _STEPS[FACINGS.index(facing)]
    return _from_cube(column + across, slant + along, grid)


@lru_cache(maxsize=65536)
def distance(a: str, b: str, grid: str = EVEN) -> int:
    """The true range in hexes: the target's hex counts, the firer's does not; 0 in the same hex (D1.4)."""
    ax, ay, az = cube(a, grid)
    bx, by, bz = cube(b, grid)
    return max(abs(ax - bx), abs(ay - by), abs(az - bz))


@cache
def turn_facing(facing: str, steps: int) -> str:
    """The facing after so many turns of 60 degrees to the right (left if negative)."""
    return FACINGS[(FACINGS.index(facing) + steps) % 6]


@cache
def relative(facing: str, direction: str) -> int:
    """How many 60-degree steps clockwise a direction lies from a facing: 0 ahead, 1 right-forward … 5 left-forward."""
    return (FACINGS.index(direction) - FACINGS.index(facing)) % 6


def direction_to(a: str, b: str, grid: str = EVEN) -> str | None:
    """The facing that leads from a hex into an adjacent one; ``None`` if they are not adjacent."""
    if distance(a, b, grid) != 1:
        return None
    return FACINGS[bearing(a, b, grid).index]


@lru_cache(maxsize=65536)
def bearing(a: str, b: str, grid: str = EVEN) -> Bearing:
    """Where ``b`` lies as seen from ``a``. Raises ``ValueError`` for the same hex (see D3.42)."""
    ax, _, az = cube(a, grid)
    bx, _, bz = cube(b, grid)
    x, z = bx - ax, bz - az
    for index in range(6):
        (row_x, row_z), (next_x, next_z) = _STEPS[index], _STEPS[(index + 1) % 6]
        # b - a as so many steps along this row and so many along the next one clockwise
        here, there = x * next_z - z * next_x, row_x * z - row_z * x
        if here > 0 and there >= 0:
            return Bearing(index, there == 0, (there > here) - (there < here))
    raise ValueError(f"{a} has no bearing to itself: the rule for two units in one hex is D3.42")


@cache
def to_edge(hex: str, edge: str, map: tuple[str, str], grid: str = EVEN) -> float:
    """How far a hex is from the edge of the map in the direction of a facing, in rows (A, D) or columns (the other
    four, of which B and C share the right edge and E and F the left); less than 0 beyond it.
    """
    (left, top), (right, bottom) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    lower = 0.5 if lowered(column, grid) else 0.0
    return {"A": row + lower - top, "D": bottom - row - lower, "B": right - column, "C": right - column}.get(
        edge, column - left
    )


@cache
def on_map(hex: str, map: tuple[str, str]) -> bool:
    """Whether a hex lies on the map, given by its first and last hex."""
    (first_column, first_row), (last_column, last_row) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    return first_column <= column <= last_column and first_row <= row <= last_row


@lru_cache(maxsize=4096)
def within(hex: str, radius: int, map: tuple[str, str], grid: str = EVEN) -> tuple[str, ...]:
    """All hexes of the map at most ``radius`` hexes away, the hex itself included, column by column."""
    (first_column, first_row), (last_column, last_row) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    near = (
        hex_name(c, r)
        for c in range(max(first_column, column - radius), min(last_column, column + radius) + 1)
        for r in range(max(first_row, row - radius), min(last_row, row + radius) + 1)
    )
    return tuple(other for other in near if distance(hex, other, grid) <= radius)
