"""Lines of fire: the hexes a straight line between the centers of two hexes passes (P2.0, P3.0).

Exact, in fractions: a line either passes through the inside of a hex, or runs along the edge two hexes share, or
only touches corners, which counts for nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from pbem.rules.hexes import EVEN, FACINGS, cube, neighbour


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
