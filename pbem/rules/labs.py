"""Laboratories: information about a monster (G4.0)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pbem.data import charts


def each_lab(die: int, range: int) -> int:
    """Information one lab gathers at its closest approach of the turn, in effective hexes (G4.1)."""
    chart = charts.labs()
    return chart.information[die - 1][range] if range < len(chart.ranges) else 0


def working_labs(boxes: Mapping[str, int]) -> int:
    """The labs of a ship at the end of a turn; without any, one control space counts as one (G4.3).

    ``boxes`` are its undestroyed boxes by system. Security stations do not count.
    """
    if labs := boxes.get("lab", 0):
        return labs
    return int(any(boxes.get(box) for box in charts.labs().substitutes))


def information(
    die: int, range: int, boxes: Mapping[str, int], shuttles: Iterable[int] = (), cloaked: bool = False
) -> int:
    """What a ship learns of a monster in a turn: the chart, times its labs (G4.1).

    ``range`` is the closest approach in effective hexes. Each of its shuttles on the map counts as a lab at its own
    closest range, by the same roll (J2.212). Cloaked ships learn nothing by their labs (G4.4).
    """
    aboard = 0 if cloaked else working_labs(boxes) * each_lab(die, range)
    return aboard + sum(each_lab(die, far) for far in shuttles)


def closest(ranges: Iterable[int]) -> int | None:
    """The closest approach of a turn, ``None`` without any (G4.1)."""
    return min(ranges, default=None)
