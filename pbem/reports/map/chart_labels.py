"""Names on the drawn map: each beside its counter, where it covers least."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from pbem.reports.map.chart_map import Bead, Counter


class Box(msgspec.Struct, frozen=True):
    """A rectangle that labels should keep clear of, and how much covering it costs."""

    left: int
    top: int
    right: int
    bottom: int
    cost: int


class Clutter:
    """What labels should keep clear of, kept by patches of the map so that a fleet takes no longer than it must."""

    PATCH = 120

    def __init__(self) -> None:
        self._boxes: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        """One thing more."""
        for patch in self._patches(box):
            self._boxes.setdefault(patch, []).append(box)

    def cost(self, box: Box) -> int:
        """How much a label there would cover: areas shared with what is there, weighed."""
        left, top, right, bottom = box.left, box.top, box.right, box.bottom
        found, boxes = 0, self._boxes
        for patch in self._patches(box):
            for other in boxes.get(patch, ()):
                if other.left < right and left < other.right and other.top < bottom and top < other.bottom:
                    wide = min(right, other.right) - max(left, other.left)
                    found += other.cost * wide * (min(bottom, other.bottom) - max(top, other.top))
        return found

    def _patches(self, box: Box) -> Sequence[tuple[int, int]]:
        x, y = box.left // self.PATCH, box.top // self.PATCH
        wide, high = box.right // self.PATCH + 1, box.bottom // self.PATCH + 1
        if x + 1 == wide and y + 1 == high:  # most lie in one
            return ((x, y),)
        return [(column, row) for column in range(x, wide) for row in range(y, high)]


def label(
    counters: Sequence[Counter], beads: Sequence[Bead], size: tuple[int, int], others: Sequence[Box] = ()
) -> tuple[Counter, ...]:
    """Every name beside its counter, where it covers least: right, left, below or above. ``others`` are in its way."""
    taken = Clutter()
    for other in others:
        taken.add(other)
    for bead in beads:
        taken.add(Box(bead.x - 9, bead.y - 9, bead.x + 9, bead.y + 9, 1))
    for counter in counters:
        reach = 28 * counter.size // 100
        taken.add(Box(counter.x - reach, counter.y - reach, counter.x + reach, counter.y + reach, 4))
    placed = []
    for counter in sorted(counters, key=lambda c: (c.unit.small, c.unit.name)):
        reach = 33 * counter.size // 100
        wide = min(len(counter.unit.name) * (8 if counter.unit.small else 10), size[0])
        best: tuple[int, int, int, str, Box] | None = None
        for x, y, anchor in (
            (counter.x + reach, counter.y + 5, "start"),
            (counter.x - reach, counter.y + 5, "end"),
            (counter.x, counter.y + reach + 14, "middle"),
            (counter.x, counter.y - reach - 5, "middle"),
        ):
            left = {"start": x, "end": x - wide, "middle": x - wide // 2}[anchor]
            box = Box(left, y - 14, left + wide, y + 4, 6)
            outside = max(0, -left) + max(0, left + wide - size[0]) + max(0, y - size[1]) + max(0, 14 - y)
            cost = outside * 1000 + taken.cost(box)
            if best is None or cost < best[0]:
                best = (cost, x, y, anchor, box)
            if not cost:
                break
        assert best is not None
        taken.add(best[4])
        placed.append(msgspec.structs.replace(counter, label_x=best[1], label_y=best[2], anchor=best[3]))
    return tuple(placed)
