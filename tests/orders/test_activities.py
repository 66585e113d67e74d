"""No kind of order lacks a part: reserved words, step, text, row of the guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.orders import vocabulary as words
from pbem.orders.activities import VERBS
from pbem.orders.reader import read_orders

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "orders.md").read_text(encoding="utf-8")
ROWS = [row for kind in VERBS.values() for row in kind.guide]
WRITTEN = [example for written, _ in ROWS for example in re.findall(r"`([^`]+)`", written)]


@pytest.mark.parametrize("verb", VERBS)
def test_no_order_lacks_a_part(verb: str) -> None:
    assert {words.KEYWORDS[spelling] for spelling in (verb, *VERBS[verb].also.split())} == {verb}
    assert any(example.split()[0] == verb for example in WRITTEN)
    assert all(f"| {written} | {said} |" in GUIDE for written, said in VERBS[verb].guide)


@pytest.mark.parametrize("example", WRITTEN)
def test_what_the_guide_writes_is_read_and_written_alike(example: str) -> None:
    text = re.sub(r"\bx\b", "Constellation", example)
    read = read_orders(f"SHIP Death\nDO\n  {text}\n", header=False)
    ((does,),) = [order.does for unit in read.orders.units for order in unit.do]
    again = read_orders(f"SHIP Death\nDO\n  {does.text}\n", header=False)
    ((same,),) = [order.does for unit in again.orders.units for order in unit.do]
    assert not read.faults and not again.faults
    assert same == does
