"""A small picture of where units stand: of scenarios in the course, of games on a club's site. Marks in a view box,
drawn by ``templates/_small.svg.j2``.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.reports.view.view import View
from pbem.rules.hexes import EVEN, lowered

_ACROSS, _DOWN = 45, 52
"""The middle of a column is so far from that of the next, that of a row from the row below, as maps are drawn."""
LEAST = 900
"""A picture is at least so wide: of one unit alone, too, it shows some map around."""


class Mark(msgspec.Struct, frozen=True):
    """A unit of the picture: its middle, the degrees it is turned, the place of its side, and what it is
    (``ship``, ``drone``, ``monster``, ``planet``, ``rock``).
    """

    x: int
    y: int
    turn: int
    place: int
    kind: str


class Small(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: its marks, its view box, and how large marks are in it, in percent."""

    marks: tuple[Mark, ...]
    box: str
    size: int


def middle(hex: str, grid: str = EVEN) -> tuple[int, int]:
    """The middle of a hex in the picture."""
    column, row = int(hex[:2]), int(hex[2:])
    return column * _ACROSS, row * _DOWN + (_DOWN // 2 if lowered(column, grid) else 0)


def turned(facing: str) -> int:
    """Degrees by which a mark that faces so is turned."""
    return 60 * "ABCDEF".index(facing)


def framed(marks: Sequence[Mark]) -> Small:
    """The picture of these marks: wider than high, with all of them in it."""
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    across, down = max(xs) - min(xs) + 4 * _ACROSS, max(ys) - min(ys) + 4 * _DOWN
    wide = max(LEAST, 5 * max(across, 2 * down) // 4)
    high = wide // 2
    left, top = (max(xs) + min(xs) - wide) // 2, (max(ys) + min(ys) - high) // 2
    return Small(marks=tuple(marks), box=f"{left} {top} {wide} {high}", size=max(100, wide // 6))


_KINDS = {"seeker": "drone", "shuttle": "drone", "monster": "monster", "ship": "ship"}


def of_view(view: View) -> Small | None:
    """Where everybody stands in a game, as its reader sees it; ``None`` of an empty map."""
    place = {player.side: player.place % 4 for player in view.players}
    marks = [Mark(*middle(hex, view.grid), 0, 0, "rock") for hex in view.asteroids]
    for unit in view.units:
        if unit.kind == "planet":
            marks += [Mark(*middle(hex, view.grid), 0, 0, "planet") for hex in unit.hexes]
        elif unit.hex and unit.facing and not unit.gone:
            at, turn = middle(unit.hex, view.grid), turned(unit.facing)
            marks.append(Mark(*at, turn, place.get(unit.side, 0), _KINDS[unit.kind]))
    return framed(marks) if marks else None
