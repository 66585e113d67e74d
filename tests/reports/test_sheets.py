"""The part of a map that is drawn, in numbers: counted naively, at its edges."""

from __future__ import annotations

import pytest

from pbem.reports.map.drawing import LARGE, Sheet


@pytest.mark.parametrize(
    ("map", "count"), [(("0101", "5030"), LARGE), (("0101", "2817"), 476), (("0302", "0302"), 1), (("0305", "0408"), 8)]
)
def test_a_sheet_counts_its_hexes(map: tuple[str, str], count: int) -> None:
    sheet = Sheet.of(map, "even")
    assert sheet.count == count == len(list(sheet.hexes()))


@pytest.mark.parametrize(
    ("hexes", "round", "first", "last"),
    [
        (["0505"], 1, (4, 4), (6, 6)),
        (["0505", "1009"], 2, (3, 3), (12, 11)),
        (["0101"], 3, (1, 1), (4, 4)),
        (["2817"], 3, (25, 14), (28, 17)),
        (["0101", "2817"], 0, (1, 1), (28, 17)),
        (["4040"], 1, (27, 16), (28, 17)),  # beyond the map, as who left it
    ],
)
def test_a_part_ends_with_the_map(hexes: list[str], round: int, first: tuple[int, int], last: tuple[int, int]) -> None:
    part = Sheet.of(("0101", "2817"), "even").part(hexes, round)
    assert (part.first, part.last, part.grid) == (first, last, "even")


def test_a_sheet_is_as_large_as_its_hexes() -> None:
    assert Sheet.of(("0101", "0101"), "even").size == (76, 94)
    assert Sheet.of(("0301", "0503"), "odd").size == (166, 198)
