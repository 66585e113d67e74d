"""docs/compliance.md and what ``pbem rules`` says, from the rulebook's table of contents, the source and the rule
cases: ``python -m pbem.lab.rule_cases.compliance`` writes both in a source tree.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pbem.data.applied import Entry, places
from pbem.data.citations import cited, rule_of
from pbem.data.rulebook import HERE, VARIANT, Chapter, Reading, Rule, Rulebook, chapter_of, rulebook
from pbem.errors import Fault, GameError

ROOT = Path(__file__).resolve().parents[3]
PAGE, INDEX = ROOT / "docs" / "compliance.md", HERE / "rule_cases.toml"
MOST_PLACES = 4
"""How many places the page names for a rule; ``pbem rules`` names them all."""

STATUS = {
    "done": "done",
    "read": "decided",
    "left out": "left out",
    "story": "nothing to play",
    "unknown": "not accounted for",
}
"""What a row's status is called."""


class CaseHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a case is about: its file below tests/cases, the rules it cites, the gaps and worked examples it shows."""

    file: str
    title: str
    rules: tuple[str, ...]
    gap: tuple[int, ...] = ()
    vector: tuple[int, ...] = ()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a rule. ``status`` is ``done``, ``read`` (decided, and nothing more to do), ``left out``,
    ``story`` or ``unknown``; ``why`` the reason, or the rule it is played with.
    """

    number: str
    title: str
    status: str
    why: str = ""
    readings: tuple[Reading, ...] = ()
    where: tuple[Entry, ...] = ()
    cases: tuple[CaseHead, ...] = ()


# --- what is known of a rule -----------------------------------------------------------------------------------------


def row(rule: Rule, heads: Sequence[CaseHead]) -> Row:
    """A rule with the places and the cases that cite it."""
    numbers = {rule.number, *rule.also, VARIANT.sub("", rule.number)}
    gaps = {gap for reading in rule.reading for gap in reading.gap}
    status, why = ("left out", rule.left_out) if rule.left_out else ("story", "") if rule.story else ("done", "")
    where = () if rule.story else tuple(places(*numbers))
    cases = tuple(head for head in heads if (not rule.story and numbers & set(head.rules)) or gaps & set(head.gap))
    if status == "done" and not where and not cases:
        status, why = ("done", rule.under) if rule.under else ("read" if rule.reading else "unknown", "")
    return Row(
        number=rule.number, title=rule.title, status=status, why=why, readings=rule.reading, where=where, cases=cases
    )


def rows(heads: Sequence[CaseHead]) -> list[Row]:
    """Every rule. Raises :class:`GameError` naming those of which nobody can tell what becomes of them."""
    found = {rule.number: row(rule, heads) for rule in rulebook().rule}
    lost = [each.number for each in found.values() if each.status == "unknown" or not _carried(each, found)]
    if lost:
        text = (
            "neither source nor case cites it, and the rulebook gives no reading, no reason (left_out), no rule it is "
            "played with (under) and does not call it a story"
        )
        raise GameError(*(Fault(code="rule-unaccounted", text=f"{number}: {text}", rule=number) for number in lost))
    return list(found.values())


def _carried(each: Row, found: Mapping[str, Row]) -> bool:
    """Whether the rule that a rule is played with is itself played by something."""
    if each.status != "done" or not each.why:
        return True
    other = found[each.why]
    return bool(other.where or other.cases)


# --- the cases -------------------------------------------------------------------------------------------------------


def heads_in(folder: Path) -> list[CaseHead]:
    """The heads of all case files of a folder, by name."""
    return [
        _head(path.relative_to(folder).with_suffix("").as_posix(), tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(folder.rglob("*.toml"), key=lambda path: path.relative_to(folder).as_posix())
    ]


def _head(file: str, raw: dict[str, Any]) -> CaseHead:
    numbers = [*rule_of(raw["rule"]), *cited(raw["source"])]
    return CaseHead(
        file=file,
        title=raw["title"],
        rules=tuple(dict.fromkeys(numbers)),
        gap=_listed(raw.get("gap", ())),
        vector=_listed(raw.get("vector", ())),
    )


def _listed(value: Any) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


def shipped_heads() -> list[CaseHead]:
    """The heads of the cases as they are shipped with the program, which does not hold the cases themselves."""
    raw = tomllib.loads(INDEX.read_text(encoding="utf-8"))
    return [msgspec.convert({"file": file, **entry}, CaseHead) for file, entry in raw.items()]


def index(heads: Iterable[CaseHead]) -> str:
    """The file of :func:`shipped_heads`."""
    lines = [
        "# What the rule cases are about, written by python -m pbem.lab.rule_cases.compliance; change the cases.\n"
    ]
    for head in heads:
        fields = {"title": head.title, "rules": list(head.rules), "gap": list(head.gap)}
        inner = ", ".join(f"{key} = {_quoted(value)}" for key, value in fields.items() if value)
        lines.append(f"{_quoted(head.file)} = {{ {inner} }}\n")
    return "".join(lines)


def _quoted(value: Any) -> str:
    """Text or a list as TOML; JSON's quoting is TOML's for all that stands in a title."""
    return json.dumps(value, ensure_ascii=False)


# --- the page --------------------------------------------------------------------------------------------------------

INTRODUCTION = """\
# Rules: what is played, and how unclear ones are read

This page is generated by `python -m pbem.lab.rule_cases.compliance`; change `pbem/data/rulebook.toml`, the source or
the cases, not the page.

It goes through every numbered rule of the *Cadet Training Handbook* and of the pages of its scenarios, and says what
becomes of it: whether it is played and by what, how it is read where it is unclear, or why it is left out. The titles
are our own words; the rules themselves are in the book. `pbem rules E4.22` says the same of one rule, with all places
in the source.

A rule is *done* if source or a case cites its number, *done with* another rule if that one carries it. *Decided* is
one whose reading leaves nothing more to do. *Nothing to play* are headings and explanations.
"""

READ = """\
## How unclear rules are read

Each is decided once. Where players differ, an option of the game (`pbem new … --option key=value`), a word of the
order language or a ship's file chooses the other reading. The cases named show a reading in play.

| rule | unclear because | read so | why | option | cases |
|---|---|---|---|---|---|
"""


NAMED = "The texts, the pages of the scenarios or the VASSAL module mention these and say nothing of how they work."


def document(heads: Sequence[CaseHead]) -> str:
    """The whole page. Raises :class:`GameError`: see :func:`rows`."""
    book = rulebook()
    every = rows(heads)
    parts = [INTRODUCTION, *_figures(book, every, heads), READ.rstrip("\n"), *_readings(every)]
    parts += ["", "## What is only named", "", NAMED, "", "| what | left out because |", "|---|---|"]
    parts += [f"| {named.what} | {named.left_out} |" for named in book.named]
    parts += ["", "## Every rule"]
    for chapter in book.chapter:
        inside = [each for each in every if chapter_of(each.number) == chapter.name]
        parts += ["", f"### {_heading(chapter)}", ""]
        parts += ["| rule | what | status | where | cases |", "|---|---|---|---|---|"]
        parts += [_line(each) for each in inside]
    return "\n".join(parts) + "\n"


def _heading(chapter: Chapter) -> str:
    return chapter.title if len(chapter.name) > 2 else f"{chapter.name}: {chapter.title}"


def _figures(book: Rulebook, every: Sequence[Row], heads: Sequence[CaseHead]) -> Iterator[str]:
    kinds = ("done", "read", "left out", "story")
    yield "| chapter | what is played | rules | done | decided | left out | nothing to play |"
    yield "|---|---|---|---|---|---|---|"
    for chapter in book.chapter:
        inside = [each.status for each in every if chapter_of(each.number) == chapter.name]
        counts = " | ".join(str(inside.count(kind)) for kind in kinds)
        yield f"| {_heading(chapter)} | {chapter.played} | {len(inside)} | {counts} |"
    states = [each.status for each in every]
    yield f"| all | | {len(states)} | {' | '.join(str(states.count(kind)) for kind in kinds)} |\n"
    readings = [reading for each in every for reading in each.readings]
    gaps = {gap for reading in readings for gap in reading.gap}
    shown = {gap for head in heads for gap in head.gap}
    vectors = {vector for head in heads for vector in head.vector}
    yield (
        f"{len(readings)} readings; the {len(gaps)} gaps and contradictions found when the texts were compared are "
        f"all among them, {len(gaps & shown)} of them shown by cases that carry their number (`gap`). {len(vectors)} "
        f"worked examples of the texts are held by cases that carry theirs (`vector`). {len(heads)} cases in all.\n"
    )


def _readings(every: Iterable[Row]) -> Iterator[str]:
    for each in every:
        for reading in each.readings:
            cases = [head for head in each.cases if set(head.gap) & set(reading.gap)]
            cells = (each.number, reading.unclear, reading.read, reading.why, _option(reading.option), _links(cases))
            yield "| " + " | ".join(cells).rstrip() + " |"


def _option(option: str) -> str:
    return f"`{option}`" if option and " " not in option else option


def _line(each: Row) -> str:
    status = STATUS[each.status]
    if each.status == "left out":
        status = f"left out: {each.why}"
    else:
        status += f" with {each.why}" * bool(each.why) + ", read as above" * bool(each.readings)
    named = [f"`{entry.where}`" for entry in each.where[:MOST_PLACES]]
    if len(each.where) > MOST_PLACES:
        named.append(f"and {len(each.where) - MOST_PLACES} more")
    return f"| {each.number} | {each.title} | {status} | {', '.join(named)} | {_links(each.cases)} |"


def _links(heads: Iterable[CaseHead]) -> str:
    return ", ".join(f"[{head.file.rpartition('/')[2]}](../tests/cases/{head.file}.toml)" for head in heads)


def main() -> None:
    """Write the page and the index of the cases, in a source tree."""
    heads = heads_in(ROOT / "tests" / "cases")
    for path, text in ((PAGE, document(heads)), (INDEX, index(heads))):
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.relative_to(ROOT).as_posix()} written")


if __name__ == "__main__":
    main()
