"""What the README shows is what the shipped game holds."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TURN = ROOT / "turns" / "duel01" / "02"


def blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_orders_shown_are_the_ones_the_captains_sent() -> None:
    shown = blocks("orders")
    sent = [(TURN / "orders" / f"{side}.r2.orders").read_text(encoding="utf-8") for side in ("federation", "klingon")]
    assert shown == sent


def test_the_sitrep_shown_is_the_one_they_got() -> None:
    [shown] = blocks("sitrep")
    assert shown in (TURN / "r3" / "klingon" / "sitrep.txt").read_text(encoding="utf-8")
