"""Hexes, facings and ranges (C1.2, D1.4), firing arcs (D2.0), and lines of fire (P2.0, P3.0).

A hex is four digits, column then row (``"1708"``). A facing is a letter: ``A`` points up the map, and the letters go
clockwise to ``F``. A "row of hexes" is a straight line of adjacent hexes in the direction of a facing. ``grid`` says
which columns are half a hex lower than the others: ``"even"`` (as on the printed maps) or ``"odd"``. Lines of fire are
exact, in fractions. A line can pass through the inside of a hex, run along the edge between two hexes, or only touch a
corner; touching a corner does not count.
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
"""The first and the last hex that can have a name (column and row of two digits), on any map."""

EVEN = "even"
ODD = "odd"

# One step in each facing, as (column, row); in these coordinates the rows run along facing C.
_STEPS = ((0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0))


class Bearing(NamedTuple):
    """The direction in which one hex is seen from another.

    The six rows of hexes from a hex are numbered by their facing, 0 for A to 5 for F.

    Attributes:
        index: The number of the row on which the other hex is; if it is between two rows, of the row counter-clockwise
            from it.
        on_row: Whether the other hex is exactly on that row.
        nearer: Whether the line to the other hex is nearer to that row (-1), halfway to the next row clockwise (0), or
            nearer to that next row (1).
    """

    index: int  # type: ignore[assignment]  # tuple.index is not used
    on_row: bool
    nearer: int


@cache
def parse_hex(text: str) -> tuple[int, int]:
    """Return the column and row of a hex name: ``"1708"`` gives ``(17, 8)``.

    Raises:
        ValueError: The text is not two numbers of two characters each.
    """
    if len(text) != 4:
        raise ValueError(f"{text!r} is no hex: a hex has four digits, column then row (C1.2)")
    try:
        return int(text[:2]), int(text[2:])
    except ValueError:
        raise ValueError(f"{text!r} is no hex: a hex has four digits, column then row (C1.2)") from None


def hex_name(column: int, row: int) -> str:
    """Return the name of a hex: column 17, row 8 give ``"1708"``.

    Raises:
        ValueError: A number is less than -9 or more than 99, and so needs more than two characters.
    """
    if not (-9 <= column <= 99 and -9 <= row <= 99):
        raise ValueError(f"column {column}, row {row} is too far off the map to have a name")
    return f"{column:02d}{row:02d}"


@cache
def cube(hex: str, grid: str = EVEN) -> tuple[int, int, int]:
    """Return the cube coordinates of a hex: three numbers whose sum is 0.

    Cube coordinates are a common way to calculate with hexes. Along each row of hexes one of the three numbers stays
    the same.
    """
    column, row = parse_hex(hex)
    slant = row - _fallen(column, grid)
    return column, -column - slant, slant


def _fallen(column: int, grid: str) -> int:
    """Return by how many rows a line of hexes in direction C descends from column 0 to this column.

    Raises:
        ValueError: ``grid`` is neither ``even`` nor ``odd``.
    """
    if grid == EVEN:
        return (column + 1) // 2
    if grid == ODD:
        return column // 2
    raise ValueError(f"{grid!r} is no grid: even or odd columns lie half a hex lower")


def lowered(column: int, grid: str) -> bool:
    """Return whether the hexes of this column are half a hex lower than those in adjacent columns."""
    return (column % 2 == 0) == (grid == EVEN)


def _from_cube(column: int, slant: int, grid: str) -> str:
    """Return the name of a hex, given two of its three cube coordinates."""
    return hex_name(column, slant + _fallen(column, grid))


@cache
def neighbour(hex: str, facing: str, grid: str = EVEN) -> str:
    """Return the adjacent hex in the direction of a facing (C1.2); it may be off the map."""
    column, _, slant = cube(hex, grid)
    across, along = _STEPS[FACINGS.index(facing)]
    return _from_cube(column + across, slant + along, grid)


@lru_cache(maxsize=65536)
def distance(a: str, b: str, grid: str = EVEN) -> int:
    """Return the true range between two hexes (D1.4).

    The target's hex counts and the firing unit's hex does not, so the range within one hex is 0.
    """
    ax, ay, az = cube(a, grid)
    bx, by, bz = cube(b, grid)
    return max(abs(ax - bx), abs(ay - by), abs(az - bz))


@cache
def turn_facing(facing: str, steps: int) -> str:
    """Return the facing after turning right by ``steps`` times 60 degrees; left if it is negative."""
    return FACINGS[(FACINGS.index(facing) + steps) % 6]


@cache
def relative(facing: str, direction: str) -> int:
    """Return the angle from a facing to a direction, in steps of 60 degrees clockwise.

    0 is straight ahead, 1 is right-forward, 5 is left-forward.
    """
    return (FACINGS.index(direction) - FACINGS.index(facing)) % 6


def direction_to(a: str, b: str, grid: str = EVEN) -> str | None:
    """Return the facing from one hex to an adjacent hex, or ``None`` if they are not adjacent."""
    if distance(a, b, grid) != 1:
        return None
    return FACINGS[bearing(a, b, grid).index]


@lru_cache(maxsize=65536)
def bearing(a: str, b: str, grid: str = EVEN) -> Bearing:
    """Return the bearing of hex ``b`` as seen from hex ``a``.

    Raises:
        ValueError: Both are the same hex (see D3.42).
    """
    ax, _, az = cube(a, grid)
    bx, _, bz = cube(b, grid)
    x, z = bx - ax, bz - az
    for index in range(6):
        (row_x, row_z), (next_x, next_z) = _STEPS[index], _STEPS[(index + 1) % 6]
        # b - a as a number of steps along this row and a number of steps along the next row clockwise
        here, there = x * next_z - z * next_x, row_x * z - row_z * x
        if here > 0 and there >= 0:
            return Bearing(index, there == 0, (there > here) - (there < here))
    raise ValueError(f"{a} has no bearing to itself: the rule for two units in one hex is D3.42")


@cache
def to_edge(hex: str, edge: str, map: tuple[str, str], grid: str = EVEN) -> float:
    """Return the distance from a hex to the edge of the map in the direction of a facing.

    A and D mean the top and bottom edge; the distance is then in rows. B and C mean the right edge, E and F the left
    edge; the distance is then in columns. It is negative for a hex beyond the edge.
    """
    (left, top), (right, bottom) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    lower = 0.5 if lowered(column, grid) else 0.0
    return {"A": row + lower - top, "D": bottom - row - lower, "B": right - column, "C": right - column}.get(
        edge, column - left
    )


@cache
def on_map(hex: str, map: tuple[str, str]) -> bool:
    """Return whether a hex is on the map; ``map`` is the map's first and last hex."""
    (first_column, first_row), (last_column, last_row) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    return first_column <= column <= last_column and first_row <= row <= last_row


@lru_cache(maxsize=4096)
def within(hex: str, radius: int, map: tuple[str, str], grid: str = EVEN) -> tuple[str, ...]:
    """Return all hexes of the map that are at most ``radius`` hexes away from a hex, column by column.

    The hex itself is included.
    """
    (first_column, first_row), (last_column, last_row) = parse_hex(map[0]), parse_hex(map[1])
    column, row = parse_hex(hex)
    near = (
        hex_name(c, r)
        for c in range(max(first_column, column - radius), min(last_column, column + radius) + 1)
        for r in range(max(first_row, row - radius), min(last_row, row + radius) + 1)
    )
    return tuple(other for other in near if distance(hex, other, grid) <= radius)


def arcs_of(arc: str) -> frozenset[str]:
    """Return the set of single arcs (``LF RF R RR LR L``) that the name of an arc means (D2.1, D2.2).

    Examples of names are ``FA``, ``L+LR``, ``LR-L`` and ``360``.

    Raises:
        ValueError: There is no such arc.
    """
    return combined(arc, charts.arcs())


@cache
def combined(arc: str, chart: Arcs) -> frozenset[str]:
    """Return the set of single arcs that the name of an arc means, according to a given chart of arcs.

    :func:`arcs_of` uses the chart in effect instead.

    Raises:
        ValueError: There is no such arc.
    """
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
    """Return the single arcs of a unit that contain another hex (D2.1).

    The result contains one arc, or two arcs if the hex is on the row of hexes between them.

    Raises:
        ValueError: The hex is the unit's own hex. In that case the positions in the previous impulse decide (D3.42),
            which only the caller knows.
    """
    at = bearing(hex, target_hex, grid)
    return _at_step((at.index - FACINGS.index(facing)) % 6, at.on_row, charts.arcs())


@cache
def _at_step(step: int, on_row: bool, chart: Arcs) -> frozenset[str]:
    """Return the single arcs that contain a direction.

    ``step`` is the direction in steps of 60 degrees clockwise from straight ahead. The result is the arc that begins at
    this direction. If the direction is exactly on a row of hexes (``on_row``), the arc that ends there is included too.
    """
    return frozenset((chart.six[step], chart.six[step - 1])) if on_row else frozenset((chart.six[step],))


def in_arc(hex: str, facing: str, target_hex: str, arc: str, grid: str = EVEN) -> bool:
    """Return whether a weapon with this firing arc can be aimed at a hex (D2.1).

    The rows of hexes that bound an arc belong to it.

    Raises:
        ValueError: The hex is the unit's own hex (D3.42).
    """
    return not arcs_of(arc).isdisjoint(arcs_holding(hex, facing, target_hex, grid))


class LineOfFire(NamedTuple):
    """The hexes through which a line of fire passes, including those of the firing unit and the target.

    Attributes:
        through: The hexes whose inside the line crosses, in order.
        edges: The pairs of hexes along whose shared edge the line runs, in order; each pair is sorted by name.
    """

    through: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]


@lru_cache(maxsize=16384)
def line(a: str, b: str, grid: str = EVEN) -> LineOfFire:
    """Return the line of fire from hex ``a`` to hex ``b``.

    If both hexes are the same, the line consists of that hex.
    """
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
        # A line that leaves a hex or an edge enters an adjacent hex.
        for facing in FACINGS:
            if (other := neighbour(hex, facing, grid)) not in seen:
                seen.add(other)
                waiting.append(other)
    pairs = ((low, sorted(two)) for low, two in sorted(along.items()))
    return LineOfFire(tuple(hex for _, hex in sorted(inside)), tuple((two[0], two[1]) for _, two in pairs))


def crosses(a: str, b: str, hexes: Collection[str], grid: str = EVEN) -> tuple[str, ...]:
    """Return the given hexes through which a line of fire passes, in the sequence of the line.

    ``a`` and ``b`` are the ends of the line. A line exactly along the edge of a given hex does not pass through that
    hex (P2.0). But if the hexes on both sides of the edge are among the given hexes, the line counts as passing through
    them; then only the first of the two by name is returned.
    """
    found = line(a, b, grid)
    met = [hex for hex in found.through if hex in hexes]
    return (*met, *(first for first, second in found.edges if first in hexes and second in hexes))


def _passage(a: str, b: str, hex: str, grid: str) -> tuple[Fraction, Fraction, bool]:
    """Return the part of a line of fire that is in a hex or on its border.

    The part is given as two fractions of the line, for its start and end. The third value says whether the line stays
    on the border. Along the line, the difference between any two of the three cube coordinates changes at a constant
    rate. Inside a hex, each difference deviates from its value at the center of the hex by less than 1; on the border,
    by exactly 1.
    """
    start, end, center = cube(a, grid), cube(b, grid), cube(hex, grid)
    low, high, edge = Fraction(0), Fraction(1), False
    for one, two in ((0, 1), (1, 2), (2, 0)):
        offset = (start[one] - center[one]) - (start[two] - center[two])
        slope = (end[one] - start[one]) - (end[two] - start[two])
        if slope == 0:
            if abs(offset) > 1:
                return low, low, False
            edge = abs(offset) == 1  # for two different hexes, at most one of the three differences is constant
            continue
        borders = sorted((Fraction(-1 - offset, slope), Fraction(1 - offset, slope)))
        low, high = max(low, borders[0]), min(high, borders[1])
    return low, high, edge
