"""Make the text that ``pbem rules`` prints: all chapters, one chapter, a group of rules, or one rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from pbem.app.cli.output import columns
from pbem.data.citations import PACKAGE, chapters, cited
from pbem.data.rulebook import NumberedRule, find, near, under
from pbem.errors import Fault, GameError
from pbem.lab.rule_cases.docs import STATUS, RuleRow, row, shipped_heads

_CASES: Final = (
    "tests/cases" if (PACKAGE.parent / "tests" / "cases").is_dir() else "tests/cases of the source distribution"
)
"""The folder of the rule cases. An installed package does not contain it."""


def answer(name: str) -> tuple[Any, str]:
    """Return the facts about a chapter, a group of rules or a rule, as data and as text.

    Without a name, all chapters are returned.

    Raises:
        GameError: The name is unknown.
    """
    known = chapters()
    if not name:
        return known, "\n".join(columns([(chapter.name, chapter.about) for chapter in known], ""))
    wanted = name.casefold().replace(" ", "_").replace("-", "_")
    chapter = next((one for one in known if one.name == wanted), None)
    if chapter:
        rows = columns([(entry.where, entry.about) for entry in chapter.entries], "")
        return chapter.entries, "\n".join([chapter.about, "", *rows])
    found = find(name.strip()) or tuple(dict.fromkeys(rule for number in cited(name) for rule in find(number)))
    if found:
        return _rules(found)
    group = under(name.strip())
    if group:
        return _briefly(group), "\n".join(columns([(rule.number, rule.title) for rule in group], ""))
    nearest = near(name)
    hint = f"; the nearest are {', '.join(nearest)}" if nearest else "; `pbem rules` lists the chapters"
    text = f"there is no chapter or rule {name!r}{hint}"
    raise GameError(Fault(code="unknown-rule", text=text, choices=tuple(nearest)))


def _briefly(rules: Iterable[NumberedRule]) -> list[dict[str, str]]:
    return [{"number": rule.number, "title": rule.title} for rule in rules]


def _rules(rules: Sequence[NumberedRule]) -> tuple[Any, str]:
    heads = shipped_heads()
    rows = [row(rule, heads) for rule in rules]
    below = [rule for rule in _below(rules[0].number) if rule not in rules]
    lines = [line for each in rows for line in [*_rule_lines(each), ""]]
    if below:
        lines += ["below it", *columns([(rule.number, rule.title) for rule in below])]
    return {"rules": rows, "below": _briefly(below)}, "\n".join(lines).rstrip("\n")


def _below(number: str) -> tuple[NumberedRule, ...]:
    """Return the rules whose numbers continue the number of a rule, such as E4.22 for E4.2.

    Robot rules and scenarios have none.
    """
    return under(number.partition(" ")[0]) if "." in number else ()


def _rule_lines(each: RuleRow) -> list[str]:
    status = STATUS[each.status]
    if each.why:
        status += f": {each.why}" if each.status == "left out" else f" with {each.why}"
    lines = [f"{each.number} {each.title}", f"  {status}"]
    for reading in each.readings:
        rows = [("question", reading.unclear), ("our reading", reading.read), ("reason", reading.why)]
        rows.append(("option", reading.option))
        lines += ["", *columns([cells for cells in rows if cells[1]])]
    if each.where:
        lines += ["", "  in the source", *columns([(e.where, e.about) for e in each.where], "    ")]
    if each.cases:
        lines += ["", f"  rule cases ({_CASES})", *columns([(c.file, c.title) for c in each.cases], "    ")]
    return lines
