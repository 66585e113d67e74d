"""The list of long tests names tests that are there, and no rule case or golden game."""

from __future__ import annotations

from tests import long


def test_every_test_of_the_list_is_there() -> None:
    gone = sorted(test for test in long.named() if not long.is_there(test))
    assert not gone, "`python -m tests.refresh --only lists` takes out what is gone"


def test_the_list_is_in_order_and_holds_no_case_or_golden_game() -> None:
    lines = long.LIST.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    assert not [test for test in lines if test.startswith(long.STAY)]


def test_of_each_test_one_stays_unless_it_is_alone() -> None:
    took = {"t.py::a": 0.2, "t.py::b": 0.1, "t.py::c[1]": 0.3, "t.py::c[2]": 0.2, "t.py::c[3]": 0.4}
    took |= {"t.py::e[1]": 0.7, "t.py::e[2]": 0.8}
    took |= {"t.py::d[1]": 0.1, "t.py::d[2]": 0.2, "tests/golden/t.py::e": 9.0, "tests/test_cases.py::f": 9.0}
    assert long.long_ones(took) == ["t.py::a", "t.py::c[1]", "t.py::c[3]", "t.py::d[2]", "t.py::e[1]", "t.py::e[2]"]
