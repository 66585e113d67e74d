"""The nearest line that the rules allow, against every figure that could stand there: the check is a made-up one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from pbem.errors import Fault
from pbem.reports.draft.nearest import Judge, nearest

HALVES = [half / 2 for half in range(1, 31)]


def judging(code: str, legal: Callable[[float], bool], line: int = 2) -> tuple[Fault, Judge]:
    """A check that refuses the last figure of one line of a file, and what it says there."""
    fault = Fault(code=code, text="it may not be so many", line=line, column=1)

    def judge(lines: Sequence[str]) -> Sequence[Fault]:
        return () if legal(float(re.findall(r"\d+(?:\.5)?", lines[line - 1])[-1])) else (fault,)

    return fault, judge


def mended(code: str, written: float, legal: Callable[[float], bool], entry: str = "SPEED") -> str:
    fault, judge = judging(code, legal)
    return nearest(fault, ["ENERGY", f"{entry} {written:g}", "END"], judge)


def test_instead_of_too_much_stands_the_most_that_is_allowed() -> None:
    """In whole figures where a whole one was written."""
    for written in HALVES:
        for limit in [0.0, *(half for half in HALVES if half < written)]:
            could = [one for one in HALVES if one <= limit and (one.is_integer() or not written.is_integer())]
            found = mended("too-fast", written, lambda value, limit=limit: value <= limit)  # type: ignore[misc]
            assert found == (f"SPEED {could[-1]:g}" if could else ""), (written, limit)


def test_instead_of_a_wrong_figure_stands_the_right_one_that_is_not_far() -> None:
    for written in range(1, 13):
        for right in (*range(written), *range(written + 1, 21)):
            found = mended("wrong-amount", written, lambda value, right=right: value == right)  # type: ignore[misc]
            assert found == (f"SPEED {right}" if right and abs(right - written) <= 6 else ""), (written, right)
    for written, rights, wanted in ((5, (3, 7), 3), (5, (2, 7), 7), (5, (7, 8), 7), (6, (1, 12), 1)):
        assert mended("photon-arming", written, lambda value, rights=rights: value in rights) == f"SPEED {wanted}"  # type: ignore[misc]
    assert mended("wrong-amount", 2.5, lambda value: value == 2) == "", "the rules know whole points alone"


@pytest.mark.parametrize("figures", [1, 2, 5, 6, 7])
def test_of_many_figures_in_a_line_the_first_six_are_looked_at(figures: int) -> None:
    before = "SPEED" + " 1" * (figures - 1)
    found = mended("too-fast", 9, lambda value: value <= 4, before)
    assert found == (f"{before} 4" if figures <= 6 else "")


def test_where_either_of_two_figures_may_be_meant_none_is_changed() -> None:
    def judge(lines: Sequence[str]) -> Sequence[Fault]:
        return () if sum(map(int, re.findall(r"\d+", lines[0]))) <= 8 else (fault,)

    fault = Fault(code="too-fast", text="x", line=1, column=1)
    assert nearest(fault, ["SPEED 5 6"], judge) == ""
    assert nearest(fault, ["SPEED 11"], judge) == "SPEED 8"


@pytest.mark.parametrize(("first", "last", "wanted"), [(5, 6, "SPEED 2"), (6, 6, "SPEED 1"), (7, 6, ""), (9, 3, "")])
def test_who_spends_less_in_a_line_and_is_still_short_has_mended_nothing(first: int, last: int, wanted: str) -> None:
    """What is told of the last entry is the fault of all: without it the one before would be told of."""

    def judge(lines: Sequence[str]) -> Sequence[Fault]:
        spent = 0
        for number, line in enumerate(lines, 1):
            spent += int(line.split()[1])
            if spent > 7:
                return (Fault(code="energy-overspent", text="x", line=number, column=1),)
        return ()

    fault = Fault(code="energy-overspent", text="x", line=2, column=1)
    assert nearest(fault, [f"PHASERS {first}", f"SPEED {last}"], judge) == wanted
