"""What is said of every line of said.txt that is refused: place, kind, rule, sentence and choices, in ``told.txt``.

``python -m tests.orders.test_told`` writes them anew, for a person to read.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.errors import Fault
from pbem.orders.reader import read_orders
from tests.orders.test_said import BEFORE, SAID

FILE = Path(__file__).with_name("told.txt")


def fault_text(fault: Fault) -> str:
    """All of a fault in one line."""
    rule = f" ({fault.rule})" if fault.rule else ""
    choices = f" [{' | '.join(fault.choices)}]" if fault.choices else ""
    return f"{fault.line}:{fault.column} {fault.family}: {fault.code}: {fault.text}{rule}{choices}"


def told(section: str, typed: str) -> list[str]:
    text = f"{BEFORE[section]}{typed}{' THEN CLOAK' if section == 'IF' else ''}\n"
    return [fault_text(fault) for fault in read_orders(text, header=False).faults]


def written() -> dict[str, dict[str, list[str]]]:
    """What the file says, by section and line."""
    found: dict[str, dict[str, list[str]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            of_section = found.setdefault(line[3:], {})
        elif line.startswith("  "):
            of_section[list(of_section)[-1]].append(line[2:])
        elif line:
            of_section[line] = []
    return found


def all_told(section: str) -> dict[str, list[str]]:
    return {typed: told(section, typed) for typed, meant in SAID[section] if meant.startswith("!")}


@pytest.mark.parametrize("section", SAID)
def test_what_is_refused_is_told_in_these_words(section: str) -> None:
    assert all_told(section) == written()[section]


@pytest.mark.parametrize("section", SAID)
def test_nothing_that_means_nothing_stands_behind_a_line(section: str) -> None:
    understood = [typed for typed, meant in SAID[section] if not meant.startswith("!") and "# " not in typed]
    assert understood and [typed for typed in understood if not told(section, f"{typed} )")] == []


if __name__ == "__main__":
    lines = []
    for section in SAID:
        lines.append(f"## {section}")
        for typed, faults in all_told(section).items():
            lines += [typed, *(f"  {fault}" for fault in faults)]
        lines.append("")
    FILE.write_text("\n".join(lines), encoding="utf-8")
