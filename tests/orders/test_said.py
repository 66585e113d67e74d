"""Every spelling and every slip of the language: what is typed, and what it is read as or refused for.

``said.txt`` is a line each: ``what is typed -> its normal form``, or ``-> ! code COLUMN rule`` with the word it was
taken to mean. ``{A B}`` stands for either (``_`` for a blank within). A section says where the line stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from pbem.data.terms import LABELS
from pbem.errors import Fault
from pbem.orders import vocabulary as words
from pbem.orders.header import header_line
from pbem.orders.reader import read_orders
from pbem.orders.writer import unit_lines

FILE = Path(__file__).with_name("said.txt")
BEFORE = {
    "SHIP": "",
    "HEADER": "",
    "BLOCK": "SHIP Hood\n",
    "IF": "SHIP Hood\nDO\nIF ",
    **{word: f"SHIP Hood\n{word}\n" for word in ("ENERGY", "PLOT", "DO", "BREAK", "DAMAGE")},
}


def sections() -> dict[str, list[tuple[str, str]]]:
    """What is typed and what it is read as, by section."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            found[line[3:]] = []
        elif line:
            typed, _, meant = line.rpartition(" -> ")
            found[list(found)[-1]] += [(one, meant) for one in spelt(typed)]
    return found


def spelt(typed: str) -> Iterator[str]:
    """A line for each spelling in braces."""
    parts = re.split(r"\{([^}]*)\}", typed)
    choices = [part.split() if at % 2 else [part] for at, part in enumerate(parts)]
    for chosen in product(*choices):
        yield "".join(part.replace("_", " ") if at % 2 else part for at, part in enumerate(chosen))


def read_as(section: str, typed: str) -> str:
    """What a line becomes where it stands."""
    before = BEFORE[section]
    reading = read_orders(f"{before}{typed}{' THEN CLOAK' if section == 'IF' else ''}\n", header=False)
    if reading.faults:
        return "! " + "; ".join(told(fault, before) for fault in reading.faults)
    orders = reading.orders
    if section == "HEADER":
        return header_line(orders) + f" {orders.alone}".rstrip()
    if section == "SHIP":
        speed = orders.units[0].speed
        return " / ".join(unit_lines(orders.units[0])) + f" ({speed})" * (speed is not None)
    if section == "IF":
        condition = orders.units[0].do[0].condition
        assert condition is not None
        return condition.text
    lines = [line.strip() for unit in orders.units for line in unit_lines(unit)]
    alone = f" {orders.alone}".rstrip()
    return " / ".join(line for line in lines[1:] if line != section) + alone


def told(fault: Fault, before: str) -> str:
    column = fault.column - len(before.rpartition("\n")[2])
    meant = re.search(r"did you mean (.*)\?", fault.text)
    return " ".join(part for part in (fault.code, str(column), fault.rule, f"({meant[1]}?)" if meant else "") if part)


SAID = sections()


@pytest.mark.parametrize("section", SAID)
def test_what_is_typed_is_read_as_it_is_meant(section: str) -> None:
    assert len(SAID[section]) > 20
    found = [(typed, meant, read_as(section, typed)) for typed, meant in SAID[section]]
    assert [one for one in found if one[1] != one[2]] == []


def test_every_word_of_the_language_is_said_somewhere() -> None:
    """So that a new spelling gets a line here, which says what it means."""
    said = {word for lines in SAID.values() for typed, _ in lines for word in re.split(r"[\s:,;=+()]+", typed.upper())}
    known = {
        *words.KEYWORDS, *words.ENERGY_ITEMS, *words.SOURCES, *words.CATEGORIES, *words.BOXES, *words.CARGO,
        *words.CODES, *words.ARCS, *words.FORMS, *words.FACINGS, *words.PLURALS, *words.INSTEAD, *words.SECRETS,
        *(part for parts in words.BOX_PARTS.values() for part in parts), *map(str, LABELS),
    }  # fmt: skip
    assert sorted(known - said) == []
