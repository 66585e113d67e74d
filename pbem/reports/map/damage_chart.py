"""Geometry of the damage chart: per turn, a bar up for damage given and one down for damage taken."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.reports.view.model import Toll

COLUMN = 44
BAR = 26
REACH = 84
"""Length of the longest bar, in drawing units."""
LEFT = 12
AXIS = 18
"""Height of the space for the turn numbers between upper and lower bars, in drawing units."""


class Bar(msgspec.Struct, frozen=True):
    """One bar in a damage chart.

    Attributes:
        kind: ``given``, ``reinforcement``, ``shields`` or ``internals``.
        x: The x coordinate of its left edge, in drawing units.
        y: The y coordinate of its upper edge, in drawing units.
        height: Its height, in drawing units.
        points: The damage points that it shows.
    """

    kind: str
    x: int
    y: int
    height: int
    points: int


class Column(msgspec.Struct, frozen=True):
    """One turn in a damage chart.

    Attributes:
        toll: The damage of the turn.
        x: The x coordinate of the middle of its numbers.
        bars: The bars.
        up: The y coordinate of the number for damage given.
        down: The y coordinate of the number for damage taken.
    """

    toll: Toll
    x: int
    bars: tuple[Bar, ...]
    up: int
    down: int


class TollChart(msgspec.Struct, frozen=True):
    """The damage chart of one side.

    Attributes:
        side: The side.
        width: The width in drawing units.
        height: The height in drawing units.
        axis: The y coordinate of the base line, from which the upper bars rise.
        columns: A column for each turn.
        given: Damage points given in the whole game.
        taken: Damage points taken in the whole game.
        internals: Internal damage points taken in the whole game.
    """

    side: str
    width: int
    height: int
    axis: int
    columns: tuple[Column, ...]
    given: int
    taken: int
    internals: int


def toll_charts(tolls: Sequence[Toll]) -> tuple[TollChart, ...]:
    """Return a damage chart for every side; all charts have the same scale."""
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
