"""docs/balance.py: what it plays, and the page it makes of it."""

from __future__ import annotations

import runpy
import tomllib
from pathlib import Path
from typing import Any

from pbem.lab.selfplay.match import SelfPlayResult, mark_of

ROOT = Path(__file__).resolve().parents[2]
BALANCE: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "balance.py"))
PLAN = tomllib.loads((ROOT / "docs" / "balance.toml").read_text(encoding="utf-8"))


def test_the_page_counts_what_was_played() -> None:
    plan = {**PLAN, "tables": [{"title": "Both", "matches": [PLAN["tables"][0]["matches"][6]]}], "learnt": ["Much."]}
    ((_, (match,)),) = BALANCE["matches"](plan)
    assert match.scenario == "5"
    captains = dict.fromkeys(("federation", "klingon"), "ensign")
    won = {"federation": "victory", "klingon": "defeat"}
    games = [
        SelfPlayResult(
            number=number, captains=captains, results=won, end="ended" if number else "called", turns=4, requests=9
        )
        for number in range(4)
    ]
    page = BALANCE["page"](plan, {mark_of(match): games})
    line = "| #5 Encounter | federation 75 % (30 to 95); klingon 0 % (0 to 49) | called 25 % | 4.0 | 4 |"
    assert line in page and "In these 4 games no orders were refused." in page and "* Much." in page


def test_the_page_tells_of_everything_that_is_planned() -> None:
    page = (ROOT / "docs" / "computer-players.md").read_text(encoding="utf-8").partition(BALANCE["TITLE"])[2]
    tables = BALANCE["matches"](PLAN)
    assert sum(len(games) for _, games in tables) == page.count(f" | {PLAN['games']} |")
    for table, _ in tables:
        assert f"### {table['title']}\n" in page
    head = BALANCE["HEAD"].format(**PLAN)
    assert head in page and not [one for one in PLAN["learnt"] if f"* {one}\n" not in page]
