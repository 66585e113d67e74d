"""docs/compliance.md: every rule of the texts is accounted for, every gap and every worked example has its case, and
nobody cites a rule that does not exist.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import msgspec
import pytest

from pbem.data import citations, rulebook
from pbem.data.citations import cited, rule_of
from pbem.engine.options import Options
from pbem.errors import GameError
from pbem.lab.rule_cases import docs

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "cases"
REFRESH = "run python -m pbem.lab.rule_cases.docs"

GAPS = range(1, 44)
"""The gaps and contradictions found when the texts were compared."""
VECTORS = range(1, 163)
"""The worked examples of the texts, and figures derived from them."""
WITHOUT_A_CASE: dict[int, str] = {}
"""Worked examples that no case can hold, and why."""


@cache
def heads() -> list[docs.CaseHead]:
    """Those of all cases, read when they are asked for: every process collects this file, one plays it."""
    return docs.heads_in(CASES)


@pytest.mark.slow
def test_the_page_and_the_shipped_index_are_up_to_date() -> None:
    assert docs.PAGE.read_text(encoding="utf-8") == docs.compliance_page(heads()), REFRESH
    assert docs.INDEX.read_text(encoding="utf-8") == docs.index(heads()), REFRESH


def test_no_number_of_the_texts_is_missing() -> None:
    listed = (Path(__file__).parent / "rule_numbers.txt").read_text(encoding="utf-8").splitlines()
    numbers = [word.replace("_", " ") for line in listed if not line.startswith("#") for word in line.split()]
    assert len(numbers) > 340
    assert not [number for number in numbers if not rulebook.find(number)]


@pytest.mark.slow
def test_source_and_data_cite_rules_that_exist() -> None:
    places = list(citations._places(("",)))
    assert len(places) > 500
    unknown = {(place.entry.where, number) for place in places for number in place.described | place.said}
    assert not [one for one in sorted(unknown) if not rulebook.find(one[1])]


def test_cases_cite_rules_that_exist() -> None:
    unknown = [(head.file, number) for head in heads() for number in head.rules if not rulebook.find(number)]
    for path in sorted(CASES.rglob("*.toml")):
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
        texts = [
            entry["rule"] for key in ("reject", "expect", "absent") for entry in raw.get(key, ()) if "rule" in entry
        ]
        unknown += [(path.name, number) for text in texts for number in cited(text) if not rulebook.find(number)]
    assert not unknown


def test_every_case_is_about_a_rule() -> None:
    assert not [head.file for head in heads() if not head.rules]


def test_every_gap_is_read_and_shown() -> None:
    readings = [reading for rule in rulebook.rulebook().rule for reading in rule.reading]
    assert {gap for reading in readings for gap in reading.gap} == set(GAPS)
    assert {gap for head in heads() for gap in head.gap} == set(GAPS)


def test_every_worked_example_has_a_case() -> None:
    held = {vector for head in heads() for vector in head.vector}
    assert held | set(WITHOUT_A_CASE) == set(VECTORS)
    assert not held & set(WITHOUT_A_CASE)


def test_options_that_readings_name_exist() -> None:
    names = {field.name for field in msgspec.structs.fields(Options)}
    options = [reading.option for rule in rulebook.rulebook().rule for reading in rule.reading]
    values = [option.split("=") for option in options if "=" in option]
    assert values
    for name, value in values:
        assert name in names
        taken = {"off": False}.get(value, value)
        assert msgspec.convert({name: taken}, Options) != Options(), f"{name}={value} is the default"


@pytest.mark.slow
def test_a_rule_nobody_plays_and_nobody_explains_stops_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    book = rulebook.rulebook()
    lost = rulebook.NumberedRule(number="E9.9", title="a rule of no book")
    monkeypatch.setattr(docs, "rulebook", lambda: msgspec.structs.replace(book, rule=(*book.rule, lost)))
    with pytest.raises(GameError, match=r"E9\.9: neither source nor case cites it") as told:
        docs.compliance_page(heads())
    assert [fault.rule for fault in told.value.faults] == ["E9.9"]


@pytest.mark.slow
def test_a_rule_is_played_with_another_only_if_that_one_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    book = rulebook.rulebook()
    added = (
        rulebook.NumberedRule(number="E9.9", title="a rule of no book", under="E9.8"),
        rulebook.NumberedRule(number="E9.8", title="another", story=True),
    )
    monkeypatch.setattr(docs, "rulebook", lambda: msgspec.structs.replace(book, rule=(*book.rule, *added)))
    with pytest.raises(GameError, match=r"E9\.9"):
        docs.compliance_page(heads())


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(E4.22, E4.23)", ["E4.22", "E4.23"]),
        ("B3.0, lines 1 to 3, 20 and C1.42", ["B3.0-1", "B3.0-2", "B3.0-3", "B3.0-20", "C1.42"]),
        ("scenario #1, B3.0 line 5", ["B3.0-5", "Scenario 1"]),
        ("B3.0 (graduate form), lines 7, 8 and 11", ["B3.0-7 standard", "B3.0-8 standard", "B3.0-11 standard"]),
        ("D4.21 standard, D4.3 cadet", ["D4.21 standard", "D4.3 cadet"]),
        ("E2.1 energy; H6.1 energy", ["E2.1 energy", "H6.1"]),
        ("robot rules 1 to 3, 6", ["Robot 1", "Robot 2", "Robot 3", "Robot 6"]),
        ("scenarios #2 and #3", ["Scenario 2", "Scenario 3"]),
        ("hex 1616F of 12.5 and version 3.11", []),
        ("G13.34C", ["G13.34C"]),
    ],
)
def test_numbers_are_read_out_of_sentences(text: str, numbers: list[str]) -> None:
    assert cited(text) == numbers


def test_a_chapter_stands_for_its_first_rule() -> None:
    assert rule_of("H6") == ["H6.0"]
    assert rule_of("robot 7") == ["Robot 7"]


def test_numbers_find_rules_and_what_is_below_them() -> None:
    def numbers(rules: tuple[rulebook.NumberedRule, ...]) -> list[str]:
        return [rule.number for rule in rules]

    assert numbers(rulebook.find("d4.21")) == ["D4.21 cadet", "D4.21 standard"]
    assert numbers(rulebook.find("G13.34")) == ["G13.34C"]
    assert numbers(rulebook.find("B3.0-7")) == ["B3.0-7 cadet", "B3.0-7 standard"]
    assert numbers(rulebook.under("E4.2")) == ["E4.21", "E4.22", "E4.23"]
    assert numbers(rulebook.under("F")) == ["F1.0", "F2.0", "F2.1", "F2.2", "F2.3", "F2.4", "F2.5"]
    assert "E4.14" in numbers(rulebook.under("E4"))
    assert numbers(rulebook.under("E4.0")) == numbers(rulebook.under("E4"))
    assert len(rulebook.under("Scenario")) == 12
    assert "E4.2" in rulebook.near("E4.29")


def test_playing_needs_none_of_this() -> None:
    """Only `pbem rules` reads the rulebook: other commands must not pay for it."""
    import_ = re.compile(r"from pbem\.(data\.(rulebook|citations)|lab\.rule_cases\.docs)")
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in ROOT.glob("pbem/**/*.py")}
    readers = {name for name, text in texts.items() if import_.search(text)}
    assert readers == {
        "pbem/lab/rule_cases/docs.py",
        "pbem/app/cli/complete.py",
        "pbem/app/cli/rulebook.py",
    }
