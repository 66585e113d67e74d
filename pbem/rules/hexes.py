"""Hexes, facings and ranges (C1.2, D1.4).

A hex is four digits, column then row (``"1708"``). A facing is a letter, ``A`` up the map and so on
clockwise to ``F``. ``grid`` says which columns lie half a hex lower: ``"even"`` (the printed maps) or
``"odd"``.

Firing arcs (D2.0).

Lines of fire: the hexes a straight line between the centers of two hexes passes (P2.0, P3.0).

Exact, in fractions: a line either passes through the inside of a hex, or runs along the edge two hexes share, or
only touches corners, which counts for nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from pbem.data import charts
from pbem.data.chart_types import Arcs

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


def arcs_of(arc: str) -> frozenset[str]:
    """The single arcs (``LF RF R RR LR L``) of a designation: ``FA``, ``L+LR``, ``LR-L`` or ``360`` (D2.1, D2.2).

    Raises ``ValueError`` for a designation nobody knows.
    """
    return combined(arc, charts.arcs())


@cache
def combined(arc: str, chart: Arcs) -> frozenset[str]:
    """The same by a chart at hand."""
    found: set[str] = set()
    for part in arc.upper().replace("-", "+").split("+"):
        name = part.strip()
        if name in chart.six:
            found.add(name)
        elif name in chart.combined:
            found.update(chart.combined[name])
        else:
            raise ValueError(
                f"{arc!r} is no firing arc: {name!r} is none of {', '.join((*chart.six, *chart.combined))}"
            )
    return frozenset(found)


def arcs_holding(hex: str, facing: str, target_hex: str, grid: str = EVEN) -> frozenset[str]:
    """The single arcs of a unit that hold a hex: one, or two where it lies on the row between them (D2.1).

    Raises ``ValueError`` for the unit's own hex: the caller judges from the hexes of the impulse before
    (D3.42).
    """
    at = bearing(hex, target_hex, grid)
    return _at_step((at.index - FACINGS.index(facing)) % 6, at.on_row, charts.arcs())


@cache
def _at_step(step: int, on_row: bool, chart: Arcs) -> frozenset[str]:
    """The arc so many sixths of a circle clockwise from dead ahead, on a row with the one before it."""
    return frozenset((chart.six[step], chart.six[step - 1])) if on_row else frozenset((chart.six[step],))


def in_arc(hex: str, facing: str, target_hex: str, arc: str, grid: str = EVEN) -> bool:
    """Whether a weapon with this arc can be pointed at a hex; the rows that bound an arc belong to it (D2.1).

    Raises ``ValueError`` for the unit's own hex (D3.42).
    """
    return not arcs_of(arc).isdisjoint(arcs_holding(hex, facing, target_hex, grid))


class Line(NamedTuple):
    """What a line of fire meets, from the firer to the target, both of them included.

    ``through`` are the hexes whose inside it crosses, in order; ``edges`` the pairs of hexes between which it runs
    exactly along the shared edge, in order, the two of a pair sorted by name.
    """

    through: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


@lru_cache(maxsize=16384)
def line(a: str, b: str, grid: str = EVEN) -> Line:
    """The hexes on the line from ``a`` to ``b``; the hex itself where both are the same."""
    inside: list[tuple[Fraction, str]] = []
    along: dict[Fraction, list[str]] = {}
    seen, waiting = {a}, [a]
    while waiting:
        hex = waiting.pop()
        low, high, edge = _passage(a, b, hex, grid)
        if low >= high:
            continue
        if edge:
            along.setdefault(low, []).append(hex)
        else:
            inside.append((low, hex))
        # A line leaves a hex, or an edge, only into hexes that lie next to it.
        for facing in FACINGS:
            if (other := neighbour(hex, facing, grid)) not in seen:
                seen.add(other)
                waiting.append(other)
    pairs = ((low, sorted(two)) for low, two in sorted(along.items()))
    return Line(tuple(hex for _, hex in sorted(inside)), tuple((two[0], two[1]) for _, two in pairs))


def crosses(a: str, b: str, hexes: Collection[str], grid: str = EVEN) -> tuple[str, ...]:
    """Those of some hexes that a line meets, in order, each spot once.

    A line exactly along the edge of one of them passes it by (P2.0). Along an edge between two of them it does not
    get past: it meets the pair, counted as the first of the two by name.
    """
    found = line(a, b, grid)
    met = [hex for hex in found.through if hex in hexes]
    return (*met, *(first for first, second in found.edges if first in hexes and second in hexes))


def _passage(a: str, b: str, hex: str, grid: str) -> tuple[Fraction, Fraction, bool]:
    """From which to which part of the line it lies in a hex or on its border, and whether it keeps to the border.

    Along the line, the difference of any two of the three coordinates changes evenly; in the hex none of these
    differences is more than 1 from that of the center, and 1 only on the border.
    """
    start, end, center = cube(a, grid), cube(b, grid), cube(hex, grid)
    low, high, edge = Fraction(0), Fraction(1), False
    for one, two in ((0, 1), (1, 2), (2, 0)):
        offset = (start[one] - center[one]) - (start[two] - center[two])
        slope = (end[one] - start[one]) - (end[two] - start[two])
        if slope == 0:
            if abs(offset) > 1:
                return low, low, False
            edge = abs(offset) == 1  # of different hexes no other difference stays the same
            continue
        borders = sorted((Fraction(-1 - offset, slope), Fraction(1 - offset, slope)))
        low, high = max(low, borders[0]), min(high, borders[1])
    return low, high, edge
