"""What the README shows is what the shipped game holds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TURN = ROOT / "turns" / "duel01" / "02"


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_orders_shown_are_a_part_of_those_that_were_sent() -> None:
    [shown] = blocks("orders")
    sent = [(TURN / "orders" / f"{side}.r2.orders").read_text(encoding="utf-8") for side in ("federation", "klingon")]
    assert len(shown.splitlines()) > 3 and sum(f"\n{shown}" in orders for orders in sent) == 1


def test_the_sitrep_shown_is_the_one_they_got() -> None:
    [shown] = blocks("sitrep")
    assert shown in (TURN / "r3" / "klingon" / "sitrep.txt").read_text(encoding="utf-8")


def test_the_readme_fits_one_screen_and_begins_with_a_picture() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 70 and text.splitlines()[2].startswith("![")
