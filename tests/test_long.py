"""The list of long tests names tests that are there, and no rule case or golden game."""

from __future__ import annotations

import re
from pathlib import Path

from tests import long

ROOT = Path(__file__).resolve().parent.parent


def test_every_test_of_the_list_is_there() -> None:
    for test in long.named():
        file, function = re.split("::|\\[", test)[:2]
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), test


def test_the_list_is_in_order_and_holds_no_case_or_golden_game() -> None:
    lines = long.LIST.read_text(encoding="utf-8").splitlines()
    assert lines == sorted(set(lines))
    assert not [test for test in lines if test.startswith(long.STAY)]


def test_of_each_test_one_stays_unless_it_is_alone() -> None:
    took = {"t.py::a": 0.2, "t.py::b": 0.1, "t.py::c[1]": 0.3, "t.py::c[2]": 0.2, "t.py::c[3]": 0.4}
    took |= {"t.py::e[1]": 0.7, "t.py::e[2]": 0.8}
    took |= {"t.py::d[1]": 0.1, "t.py::d[2]": 0.2, "tests/golden/t.py::e": 9.0, "tests/test_cases.py::f": 9.0}
    assert long.long_ones(took) == ["t.py::a", "t.py::c[1]", "t.py::c[3]", "t.py::d[2]", "t.py::e[1]", "t.py::e[2]"]
