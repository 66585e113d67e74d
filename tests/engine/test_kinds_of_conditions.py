"""No kind of condition lacks a part: words, read, text, guide, order form, meaning in play, tag of files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.engine.conditions.kinds import MEANINGS, ConditionMeaning
from pbem.errors import GameError
from pbem.orders import model as om, vocabulary as words
from pbem.orders.conditions import AFTER_UNIT, BEGINNINGS
from pbem.orders.reader import read_condition
from pbem.reports.form.words import CONDITIONS

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "orders.md").read_text(encoding="utf-8")
TAGS = (ROOT / "tests" / "names_in_files.txt").read_text(encoding="utf-8").splitlines()
GAPS = {
    "unit": "ENEMY SHIP", "op": "<=", "n": "4", "arc": "FA", "shield": "#1", "hex": "1214", "launched": " SEEKER",
    "fired": " HEAVY", "weapon": "PHOT A",
}  # fmt: skip


def examples(kind: type[om.SimpleCondition]) -> Iterator[str]:
    """What the guide and the order form write of a kind, with names in the gaps."""
    for written, _ in kind.guide:
        for example in re.findall(r"`([^`]+)`", written):
            yield re.sub(r"\bx\b", "Constellation", f"x {example}" if example in kind.after else example)
    for _, text in kind.form:
        yield text.format(**GAPS)


def lacks(kind: type[om.SimpleCondition]) -> list[str]:
    """The parts that a kind does not have."""
    meaning = MEANINGS.get(kind)
    tag = str(kind.__struct_config__.tag)
    has = {
        "read": "read" in vars(kind),
        "text": "text" in vars(kind),
        "unit": "UnitRef" not in str(kind.__annotations__) or kind.about in kind.__struct_fields__,
        "guide": bool(kind.guide) and all(f"| {written} |" in GUIDE for written, _ in kind.guide),
        "form": bool(kind.form) and {(show, text, not kind.private) for show, text in kind.form} <= {*CONDITIONS},
        "tag": tag in TAGS and any(line.startswith(f"type {tag}: ") for line in TAGS),
        "holds": isinstance(meaning, ConditionMeaning) and callable(meaning.holds),
        "possible": isinstance(meaning, ConditionMeaning) and callable(meaning.possible),
    }
    return [part for part, there in has.items() if not there]


@pytest.mark.parametrize("kind", om.KINDS)
def test_no_kind_lacks_a_part(kind: type[om.SimpleCondition]) -> None:
    assert lacks(kind) == []
    assert {*kind.first, *kind.after} <= words.KEYWORDS.keys()
    assert {*kind.after} <= words.AFTER_SUBJECT


def test_what_has_a_meaning_is_a_kind() -> None:
    assert {*MEANINGS} == {*om.KINDS}
    assert {*BEGINNINGS.values(), *AFTER_UNIT.values(), om.ShieldIs} == {*om.KINDS}


@pytest.mark.parametrize("kind", om.KINDS)
def test_what_the_guide_and_the_form_write_is_read_as_that_kind(kind: type[om.SimpleCondition]) -> None:
    written = [*examples(kind)]
    for text in written:
        asked = read_condition(text, public=False)
        assert type(asked) is kind, text
        assert read_condition(asked.text, public=False) == asked
        if kind.private:
            with pytest.raises(GameError, match="breaks can use only facts that all sides know"):
                read_condition(text)
        else:
            assert read_condition(text) == asked
    assert {word for word in kind.first + kind.after if any(word in text.split() for text in written)} == {
        *kind.first, *kind.after,
    }  # fmt: skip


def test_a_kind_without_parts_is_found() -> None:
    class Bare(om.SimpleCondition, frozen=True, kw_only=True, tag="Bare"):
        whom: om.UnitRef

    try:
        assert lacks(Bare) == ["read", "text", "unit", "guide", "form", "tag", "holds", "possible"]
    finally:
        om.KINDS.remove(Bare)
