"""Geometry of the chart of damage over the game: bars up for what a side gave, down for what it took, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.reports.view.model import Toll

COLUMN = 44
BAR = 26
REACH = 84
"""The longest bar."""
LEFT = 12
AXIS = 18
"""Room round the axis for the number of the turn."""


class Bar(msgspec.Struct, frozen=True):
    """One bar: its kind (``given``, ``reinforcement``, ``shields``, ``internals``), place and points."""

    kind: str
    x: int
    y: int
    height: int
    points: int


class Column(msgspec.Struct, frozen=True):
    """One turn: its bars, and where its three numbers stand."""

    toll: Toll
    x: int
    bars: tuple[Bar, ...]
    up: int
    down: int


class TollChart(msgspec.Struct, frozen=True):
    """One side's chart."""

    side: str
    width: int
    height: int
    axis: int
    columns: tuple[Column, ...]
    given: int
    taken: int
    internals: int


def toll_charts(tolls: Sequence[Toll]) -> tuple[TollChart, ...]:
    """A chart for every side, all to one scale."""
    most = max((max(toll.given, toll.taken) for toll in tolls), default=0) or 1
    sides = dict.fromkeys(toll.side for toll in tolls)
    return tuple(_chart(side, [toll for toll in tolls if toll.side == side], most) for side in sides)


def _chart(side: str, tolls: Sequence[Toll], most: int) -> TollChart:
    axis = 16 + REACH * max(t.given for t in tolls) // most
    columns = []
    lowest = axis
    for number, toll in enumerate(tolls):
        x = LEFT + COLUMN * number + (COLUMN - BAR) // 2
        bars = []
        up = REACH * toll.given // most
        if toll.given:
            bars.append(Bar("given", x, axis - up, up, toll.given))
        y = axis + AXIS
        for kind in ("reinforcement", "shields", "internals"):
            points: int = getattr(toll, kind)
            if points:
                long = max(2, REACH * points // most)
                bars.append(Bar(kind, x, y, long, points))
                y += long
        columns.append(Column(toll, x + BAR // 2, tuple(bars), axis - up - 4, y + 12))
        lowest = max(lowest, y)
    return TollChart(
        side=side,
        width=2 * LEFT + COLUMN * len(tolls),
        height=lowest + 18,
        axis=axis,
        columns=tuple(columns),
        given=sum(t.given for t in tolls),
        taken=sum(t.taken for t in tolls),
        internals=sum(t.internals for t in tolls),
    )
