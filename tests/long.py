"""Which tests are long, by measure: ``tests/long.txt`` names them, and they are no part of the quick ones.

    python -m tests.long        runs the quick part and what is in the list, test by test, and writes it anew

What counts is the time of the processor that a test itself takes, processes it starts included; what fixtures make for
it others want as well. Rule cases and golden games stay in the quick part however long they are (those that do not are
marked where they stand), and of a test with several parameters the shortest one stays, if it is no longer than the
tests that are marked slow.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).with_suffix(".txt")

LONG = 0.125
"""Seconds of the processor from which on a test is long."""

SLOW = 0.5
"""Seconds from which on a test stays for nobody."""

STAY = ("tests/test_cases.py::", "tests/golden/")
"""Where the tests are that are in the quick part whatever they take."""


def named() -> frozenset[str]:
    """The tests of the list, as pytest calls them."""
    return frozenset(LIST.read_text(encoding="utf-8").splitlines())


def long_ones(seconds: Mapping[str, float]) -> list[str]:
    """Of tests and what they took, those for the list."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for test in seconds:
        alike[test.partition("[")[0]].append(test)
    found: list[str] = []
    for tests in alike.values():
        shortest, *others = sorted(tests, key=lambda test: (seconds[test], test))
        found += [test for test in others if seconds[test] >= LONG]
        found += [shortest] if seconds[shortest] >= (SLOW if others else LONG) else []
    return sorted(test for test in found if not test.startswith(STAY))


def is_there(test: str) -> bool:
    """Whether a test of the list still is in its file."""
    file, function = re.split("::|\\[", test)[:2]
    path = LIST.parents[1] / file
    return path.is_file() and f"def {function}(" in path.read_text(encoding="utf-8")


def drop_stale() -> None:
    """Take tests out of the list that are gone."""
    LIST.write_text("".join(f"{test}\n" for test in sorted(named()) if is_there(test)), encoding="utf-8", newline="\n")


class Watch:
    """A plugin of pytest that measures each test."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        began = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = sum(os.times()[:4]) - began


def main() -> int:
    """Measures and writes the list; nothing where a test fails."""
    watch = Watch()
    code = pytest.main(["-q", "-p", "no:xdist", "-m", "not slow and not browser"], plugins=[watch])
    if code == pytest.ExitCode.OK:
        LIST.write_text("".join(f"{test}\n" for test in long_ones(watch.seconds)), encoding="utf-8", newline="\n")
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
