"""Every example in docs/orders.md reads without a fault."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.orders.reader import read_orders

GUIDE = Path(__file__).parents[2] / "docs" / "orders.md"
EXAMPLES = re.findall(r"^```orders\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def test_the_guide_has_an_example_for_every_section() -> None:
    together = "\n".join(EXAMPLES)
    for heading in ("SHIP", "SHUTTLE", "ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE", "CONTINUE"):
        assert re.search(rf"^\s*{heading}\b", together, flags=re.MULTILINE), heading


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_reads_without_a_fault(example: str) -> None:
    reading = read_orders(example)
    assert [str(fault) for fault in reading.faults] == []
    assert reading.orders.units or reading.orders.unchanged


def test_every_fault_code_of_reading_is_in_the_list_of_refusals() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8") for path in sorted((GUIDE.parents[1] / "pbem" / "orders").glob("*.py"))
    )
    codes = set(re.findall(r'(?:misread|Misread)\(\s*"([a-z-]+)"', source))
    assert len(codes) > 20
    listed = GUIDE.with_name("refusals.md").read_text(encoding="utf-8")
    assert sorted(code for code in codes if f"`{code}`" not in listed) == []
