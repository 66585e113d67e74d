"""Every sentence of docs/orders.md is held by a rule case or a test, which tests/orders/guide.toml names."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "orders.md"
LEDGER = Path(__file__).with_name("guide.toml")
ENDS = re.compile(r"(?<=[.?])\s+(?=[A-Z`*\"(])")
"""Where a sentence ends and the next begins."""


def statements(text: str) -> list[str]:
    """Every sentence and every row of a table, in order; blocks of code are not read."""
    found: list[str] = []
    words: list[str] = []
    for line in (*re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE).splitlines(), ""):
        said = line.strip()
        begins = said.startswith(("|", "#", "* "))
        if begins or not said:
            found += ENDS.split(" ".join(words)) if words else []
            words = []
        if said.startswith("|"):
            if "`" in said or re.match(r"\|( \|)+ \w", said):
                found.append(said)
        elif said and not said.startswith("#"):
            words.append(said.removeprefix("* "))
    return found


def ledger() -> dict[str, list[str]]:
    """For each sentence the rule cases (``orders/beam-to-it-of-nobody``) and tests (``tests/x.py::test_y``) that hold
    it.
    """
    return {one["says"]: one["held_by"] for one in tomllib.loads(LEDGER.read_text(encoding="utf-8"))["statement"]}


CODES = (
    "already-fired", "ambiguous-ship", "ambiguous-unit", "bad-number", "bad-weapon-range", "bay-busy",
    "codes-after-pilot", "computed-line", "concede-and-orders", "continue-and-orders", "course", "different-steps",
    "each-or-total", "empty-name", "energy-fixed", "energy-missing", "expected", "file-too-long", "gone",
    "header-twice", "hidden-fact", "impulse", "incomplete", "leaves-map", "line-too-long", "more-faults", "no-ammo",
    "no-energy-form", "no-header", "no-leaving", "no-move", "no-orders", "no-reserve", "no-shuttle", "no-such-arc",
    "no-such-box", "no-such-hex", "no-such-line", "no-such-shield", "no-target", "no-unit", "nobody-meant",
    "not-a-launcher", "not-a-ship", "not-a-target", "not-direct-fire", "not-for-shuttle", "not-used",
    "not-your-ship", "nothing-to-continue", "one-code", "one-launch", "out-of-play", "own-side", "planet-hex",
    "plot-too-long", "position", "quarter-turn", "reserve-alone", "reserve-use", "ship-missing",
    "shuttle-not-ready", "speed-fixed", "speed-place", "step-over", "tac-not-paid", "too-deep", "too-many-orders",
    "two-blocks", "two-pilots", "two-plots", "unclosed-quote", "unit-twice", "unknown-ship", "unknown-shuttle",
    "unknown-unit", "unknown-word", "weapon-destroyed", "which-letter", "which-line", "which-phaser",
    "which-weapon", "word-not-used", "wrapped-comment",
)  # fmt: skip
"""Codes with which orders are refused for the way in which they are written."""


def test_every_sentence_of_the_guide_is_in_the_ledger_and_no_other() -> None:
    said, held = statements(GUIDE.read_text(encoding="utf-8")), ledger()
    assert len(said) > 150
    new = [one for one in said if one not in held]
    assert not new, "say in tests/orders/guide.toml what holds these"
    assert not [one for one in held if one not in said], "these are not in docs/orders.md any more"
    assert not [one for one, by in held.items() if not by]


@pytest.mark.parametrize("by", sorted({one for held in ledger().values() for one in held}))
def test_what_holds_a_sentence_is_there(by: str) -> None:
    file, _, name = by.partition("::")
    if not name:
        assert (ROOT / "tests" / "cases" / f"{by}.toml").is_file()
        return
    assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8")


@cache
def _tests() -> str:
    here = [path for path in ROOT.joinpath("tests").rglob("*") if path.suffix in (".toml", ".py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in here if path != Path(__file__))


def test_every_code_of_the_language_is_held() -> None:
    """A code of the list of refusals that concerns how orders are written is refused in a case or a test."""
    listed = (ROOT / "docs" / "refusals.md").read_text(encoding="utf-8")
    assert len(CODES) > 60
    assert not [code for code in CODES if f"| `{code}` |" not in listed and not code.endswith("-and-orders")]
    assert not [code for code in CODES if f'"{code}"' not in _tests()]
