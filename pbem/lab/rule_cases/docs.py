"""Generate docs/compliance.md, docs/cases.md, docs/event-log.md and the data of ``pbem rules``.

``python -m pbem.lab.rule_cases.docs`` writes all four in a source tree. docs/cases.md and docs/event-log.md are made
from the code alone. The other two are made from the rulebook's table of contents, the source and the rule cases.
"""

from __future__ import annotations

import inspect
import json
import tomllib
import types
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pbem.data.citations import CitingPlace, cited, places, rule_of
from pbem.data.rulebook import HERE, VARIANT, NumberedRule, Rulebook, RuleChapter, RuleReading, chapter_of, rulebook
from pbem.engine import events as ev, state_paths
from pbem.engine.step_names import NAMES
from pbem.errors import Fault, GameError
from pbem.lab.rule_cases import format
from pbem.lab.rule_cases.lookups import ASKS

ROOT = Path(__file__).resolve().parents[3]
PAGE, INDEX = ROOT / "docs" / "compliance.md", HERE / "rule_cases.toml"
CASES_PAGE, LOG_PAGE = ROOT / "docs" / "cases.md", ROOT / "docs" / "event-log.md"
MOST_PLACES = 4
"""Maximum number of source places that the compliance page lists for a rule; ``pbem rules`` lists all."""

STATUS = {
    "done": "done",
    "read": "decided",
    "left out": "left out",
    "story": "nothing to play",
    "unknown": "not accounted for",
}
"""The words on the compliance page for each status of a rule."""


class CaseHead(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a rule case.

    Attributes:
        file: The path of its file below tests/cases, without the ending.
        title: Its title.
        rules: The rules that it cites.
        gap: The numbers of the unclear points in the rules whose interpretation the case shows.
        vector: The numbers of the handbook's worked examples that the case contains.
    """

    file: str
    title: str
    rules: tuple[str, ...]
    gap: tuple[int, ...] = ()
    vector: tuple[int, ...] = ()


class RuleRow(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known about one rule, as a row of the compliance page.

    Attributes:
        number: The number of the rule.
        title: The title of the rule.
        status: ``done``, ``read`` (decided, and nothing more to do), ``left out``, ``story`` (nothing to play) or
            ``unknown``.
        why: The reason, or the number of the rule that covers this one.
        readings: How the rule is read where it is unclear.
        where: The places in the source that cite the rule.
        cases: The rule cases that cite the rule.
    """

    number: str
    title: str
    status: str
    why: str = ""
    readings: tuple[RuleReading, ...] = ()
    where: tuple[CitingPlace, ...] = ()
    cases: tuple[CaseHead, ...] = ()


# --- what is known of a rule -----------------------------------------------------------------------------------------


def row(rule: NumberedRule, heads: Sequence[CaseHead]) -> RuleRow:
    """Return everything known about a rule, with the source places and the rule cases that cite it.

    ``heads`` are the heads of all rule cases.
    """
    numbers = {rule.number, *rule.also, VARIANT.sub("", rule.number)}
    gaps = {gap for reading in rule.reading for gap in reading.gap}
    status, why = ("left out", rule.left_out) if rule.left_out else ("story", "") if rule.story else ("done", "")
    where = () if rule.story else tuple(places(*numbers))
    cases = tuple(head for head in heads if (not rule.story and numbers & set(head.rules)) or gaps & set(head.gap))
    if status == "done" and not where and not cases:
        status, why = ("done", rule.under) if rule.under else ("read" if rule.reading else "unknown", "")
    return RuleRow(
        number=rule.number, title=rule.title, status=status, why=why, readings=rule.reading, where=where, cases=cases
    )


def rows(heads: Sequence[CaseHead]) -> list[RuleRow]:
    """Return a row of the compliance page for every rule; ``heads`` are the heads of all rule cases.

    Raises:
        GameError: Some rules are neither cited nor explained. The error lists all of them.
    """
    found = {rule.number: row(rule, heads) for rule in rulebook().rule}
    lost = [each.number for each in found.values() if each.status == "unknown" or not _carried(each, found)]
    if lost:
        text = (
            "neither source nor case cites it, and the rulebook gives no reading, no reason (left_out), no rule it is "
            "played with (under) and does not call it a story"
        )
        raise GameError(*(Fault(code="rule-unaccounted", text=f"{number}: {text}", rule=number) for number in lost))
    return list(found.values())


def _carried(each: RuleRow, rows: Mapping[str, RuleRow]) -> bool:
    """Return False if another rule is said to cover this rule, but neither source nor rule cases cite it.

    Rules that no other rule covers count as covered.
    """
    if each.status != "done" or not each.why:
        return True
    other = rows[each.why]
    return bool(other.where or other.cases)


# --- the cases -------------------------------------------------------------------------------------------------------


def heads_in(folder: Path) -> list[CaseHead]:
    """Return the heads of all rule case files in a folder, sorted by path."""
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
    """Return the heads of all shipped rule cases, read from an index file.

    The index is needed because the program is shipped without the case files.
    """
    raw = tomllib.loads(INDEX.read_text(encoding="utf-8"))
    return [msgspec.convert({"file": file, **entry}, CaseHead) for file, entry in raw.items()]


def index(heads: Iterable[CaseHead]) -> str:
    """Return the text of the index file of rule cases, which :func:`shipped_heads` reads."""
    lines = ["# What the rule cases are about, written by python -m pbem.lab.rule_cases.docs; change the cases.\n"]
    for head in heads:
        fields = {"title": head.title, "rules": list(head.rules), "gap": list(head.gap)}
        inner = ", ".join(f"{key} = {_quoted(value)}" for key, value in fields.items() if value)
        lines.append(f"{_quoted(head.file)} = {{ {inner} }}\n")
    return "".join(lines)


def _quoted(value: Any) -> str:
    """Return a text or a list in TOML notation.

    JSON notation is used, which is valid TOML for every character in a title.
    """
    return json.dumps(value, ensure_ascii=False)


# --- the page --------------------------------------------------------------------------------------------------------

COMPLIANCE_INTRODUCTION = """\
# Rules: what is played, and how unclear rules are interpreted

This page is generated by `python -m pbem.lab.rule_cases.docs`; change `pbem/data/rulebook.toml`, the source or
the cases, not the page.

It lists every numbered rule of the *Cadet Training Handbook* and of its scenario pages, and says how the program
treats it: which part of the program plays it, how it is interpreted where it is unclear, or why it is left out. The
titles are in our own words; the rules themselves are in the book. `pbem rules E4.22` shows the same for one rule,
with all places in the source.

A rule is *done* if the source or a case cites its number, and *done with* another rule if it is implemented as part
of that rule. A rule is *decided* if our reading of it leaves nothing to implement. Headings and explanations are
*nothing to play*.
"""

READ = """\
## How unclear rules are interpreted

Each question has one answer that holds by default. Where players disagree about it, an option of the game
(`pbem new … --option key=value`), a word of the order language or a ship's file selects another reading. The cases
listed show our reading in play.

| Rule | Question | Our reading | Reason | Option | Cases |
|---|---|---|---|---|---|
"""


NAMED = "The texts, the scenario pages or the VASSAL module mention these but do not say how they work."


def compliance_page(heads: Sequence[CaseHead]) -> str:
    """Return the text of docs/compliance.md.

    Raises:
        GameError: Some rules are neither cited nor explained, as in :func:`rows`.
    """
    book = rulebook()
    every = rows(heads)
    parts = [COMPLIANCE_INTRODUCTION, *_figures(book, every, heads), READ.rstrip("\n"), *_readings(every)]
    parts += ["", "## Named but not explained", "", NAMED, "", "| What | Why it is left out |", "|---|---|"]
    parts += [f"| {named.what} | {named.left_out} |" for named in book.named]
    parts += ["", "## Every rule"]
    for chapter in book.chapter:
        inside = [each for each in every if chapter_of(each.number) == chapter.name]
        parts += ["", f"### {_heading(chapter)}", ""]
        parts += ["| Rule | Subject | Status | Source | Cases |", "|---|---|---|---|---|"]
        parts += [_line(each) for each in inside]
    return "\n".join(parts) + "\n"


def _heading(chapter: RuleChapter) -> str:
    return chapter.title if len(chapter.name) > 2 else f"{chapter.name}: {chapter.title}"


def _figures(book: Rulebook, every: Sequence[RuleRow], heads: Sequence[CaseHead]) -> Iterator[str]:
    kinds = ("done", "read", "left out", "story")
    yield "| Chapter | What is played | Rules | Done | Decided | Left out | Nothing to play |"
    yield "|---|---|---|---|---|---|---|"
    for chapter in book.chapter:
        inside = [each.status for each in every if chapter_of(each.number) == chapter.name]
        counts = " | ".join(str(inside.count(kind)) for kind in kinds)
        yield f"| {_heading(chapter)} | {chapter.played} | {len(inside)} | {counts} |"
    states = [each.status for each in every]
    yield f"| All | | {len(states)} | {' | '.join(str(states.count(kind)) for kind in kinds)} |\n"
    readings = [reading for each in every for reading in each.readings]
    gaps = {gap for reading in readings for gap in reading.gap}
    shown = {gap for head in heads for gap in head.gap}
    vectors = {vector for head in heads for vector in head.vector}
    yield (
        f"There are {len(readings)} readings. They cover all {len(gaps)} gaps and contradictions that we found when we "
        f"compared the texts; rule cases with the same number (`gap`) show {len(gaps & shown)} of these in play. "
        f"{len(vectors)} worked examples of the texts are checked by cases with their number (`vector`). There are "
        f"{len(heads)} rule cases in all.\n"
    )


def _readings(every: Iterable[RuleRow]) -> Iterator[str]:
    for each in every:
        for reading in each.readings:
            cases = [head for head in each.cases if set(head.gap) & set(reading.gap)]
            cells = (each.number, reading.unclear, reading.read, reading.why, _option(reading.option), _links(cases))
            yield "| " + " | ".join(cells).rstrip() + " |"


def _option(option: str) -> str:
    return f"`{option}`" if option and " " not in option else option


def _line(each: RuleRow) -> str:
    status = STATUS[each.status]
    if each.status == "left out":
        status = f"left out: {each.why}"
    else:
        status += f" with {each.why}" * bool(each.why) + _see(len(each.readings))
    named = [f"`{entry.where}`" for entry in each.where[:MOST_PLACES]]
    if len(each.where) > MOST_PLACES:
        named.append(f"and {len(each.where) - MOST_PLACES} more")
    return f"| {each.number} | {each.title} | {status} | {', '.join(named)} | {_links(each.cases)} |"


def _see(readings: int) -> str:
    """Return a reference to the table of readings if a rule has any."""
    return f" (see the reading{'s' * (readings > 1)} above)" if readings else ""


def _links(heads: Iterable[CaseHead]) -> str:
    return ", ".join(f"[{head.file.rpartition('/')[2]}](../tests/cases/{head.file}.toml)" for head in heads)


CASES_INTRODUCTION = """\
# Rule cases

This page is generated by `python -m pbem.lab.rule_cases.docs`; change the code, not the page.

A rule case is a text file (TOML) with a situation, orders and dice, and the result that the rules give. Any program
that plays these rules can run it. `pbem case FILE…` prints one line for each case and what differed. It exits with 1
if a case failed. A folder stands for all files in it. The shipped cases are in `tests/cases/`, by chapter.

A file may have three kinds of content:

* **a situation that is played**: `[[unit]]`, `[[turn]]`, perhaps `[[strike]]` and `[dice]`. `[[expect]]` lists events
  in order (others may happen between), `[[absent]]` events that must not happen, `[final.NAME]` parts of the last
  state.
* **orders that must be refused**: the same, and `[[reject]]` for every fault. The case ends where orders are refused.
* **look-ups**: `[[ask]]` has a `function`, its arguments and the `answer`.

```toml
rule   = "C4.33"
title  = "straight, slip, straight, then the turn: a slip counts for the turn mode, not for the slip mode"
source = "handbook C4.33, example"
level  = "standard"
impulses = 32
stop   = 11

[[unit]]
side = "federation"
ship = "std_fed_ca_cth"
name = "Con"
at   = "1616F"
prior_speed = 12
state = { "since turn" = 0, "since slip" = 0 }

[[turn]]
orders.federation = \"\"\"
SHIP Con
ENERGY
  SPEED 12
PLOT F SR F R
\"\"\"

[[expect]]
impulse = 3
event   = "moved"
at      = "1516F"

[[absent]]
event = "turned"
impulse = 3

[final.Con]
at = "1413A"
```

How a case is played:

* Each `[[turn]]` is a turn; without any, one turn is played. The orders of a side are its energy form and all other
  orders, without a header. The usual check reads them. A fault that the case does not expect fails it.
* A side without orders pays for the speed in `state` of its ships, or for speed 0, and does nothing else.
* There are no victory conditions without a `scenario`. Sides are enemies. Capacitors are empty unless `capacitor` or
  `state` says otherwise.
* There are no auto-breaks unless `options` name them. Where a break stops play, the `[[turn.rebid]]` of that side and
  moment answers; without one the side says CONTINUE. A rebid that nobody asks for is an error.
* Dice come from `rolls` in the order in which they are asked for, or from `[dice]` by
  [label](event-log.md#dice-labels). A die that nobody asks for fails the case. Dice the case does not give always fall
  the same way. `pbem case --exact` allows neither these nor faults besides those of `[[reject]]`.
* A case without an assertion, an unknown key, an event or field that does not exist, and a `[[strike]]` after the end
  are errors. So is a unit, side, shield or weapon that does not exist. Otherwise a misspelt `[[absent]]` would always
  pass.

An expectation may name any field of an [event](event-log.md#events). A table in it names any of the inner fields; a
list must agree completely. In the fields {prose}
the given words must occur.

## Report a rule that was played wrongly

```sh
pbem demo --dir duel01
pbem report-bug duel01
pbem report-bug duel01 --turn 3 --rule E1.2 --to wrong-shot.zip
```

packs one file. It has the turn as a rule case (`case.toml`), which passes: `[final.NAME]` is what the program makes of
the turn. Write there what the rule says. The file also has sentences on what happened, and the archive of a finished
game. Of a game that goes on, `--side` says whose knowledge is packed.

The file has no names or addresses of players, no tokens, no dice secret and no orders that were not played. It keeps
names of units, games and ships. The command sends nothing. A case leaves out later orders where a break does not happen
because the other side's orders are unknown; it says so.
"""


LOG_INTRODUCTION = """\
# Event log

This page is generated by `python -m pbem.lab.rule_cases.docs`; change the code, not the page.

The log of a game is in `NN/events.jsonl`, one file for each turn (`00` is the set-up). Each line is a record in JSON:

```text
{"n":5,"event":{"event":"segment_began","turn":1,"step":"energy","segment":1,"link":4095}}
```

| key | |
| --- | --- |
| `n` | the number of the record, from 1 over the whole game |
| `event` | the event: its kind in `event`, then its fields. Fields with their default are left out |
| `only` | the side that alone may see the event; left out if everybody may |
| `shown` | the event as the other sides see it; left out if they see nothing |

Every event may have `turn`, `impulse`, `step` and `rule` (the number of its rule). The state of a game is computed from
its events alone. `pbem verify` replays the orders and compares the log byte for byte. The log contains secrets: a
report or a program for one side reads `event` only where `only` is empty or that side, and `shown` elsewhere. New
versions may add events and fields; the names of those here stay.
"""


def event_log_page() -> str:
    """Return the text of docs/event-log.md, the page about the event log."""
    return "\n".join([LOG_INTRODUCTION, *_dice(), *_events()]).rstrip("\n") + "\n"


def cases_page() -> str:
    """Return the text of docs/cases.md, the page about rule cases."""
    prose = ", ".join(f"`{name}`" for name in format.PROSE)
    parts = [CASES_INTRODUCTION.replace("{prose}", prose), *_keys(), *_paths(), *_asks()]
    return "\n".join(parts).rstrip("\n") + "\n"


def _keys() -> Iterator[str]:
    yield "## Keys\n"
    for title, kind in (
        ("Head of the file", format.Case),
        ("`[[unit]]`", format.CaseUnit),
        ("`[[turn]]`", format.CaseTurn),
        ("`[[turn.rebid]]`", format.Rebid),
        ("`[[strike]]`", format.Strike),
        ("`[[reject]]`", format.Reject),
    ):
        yield f"### {title}\n"
        yield _prose(kind) + "\n"
        yield "| key | type | default |\n| --- | --- | --- |"
        yield from _rows(kind)
        yield ""


def _paths() -> Iterator[str]:
    yield "## State paths\n"
    yield (
        "`state` of a unit sets them, `[final.NAME]` looks at them. Numbers are always what is **left**. Hexes that "
        "count for turn and slip mode are 99 at the start of a scenario (fulfilled, C3.43).\n"
    )
    for title, listed in (
        ("ships", state_paths.paths_for("ship")),
        ("drones and plasma torpedoes", state_paths.paths_for("drone")),
        ("shuttles, monsters and planets", state_paths.paths_for("small")),
        ("the game, in `[final.game]`", state_paths.paths_for("game")),
    ):
        yield f"### Of {title}\n"
        yield from _table("path", listed)


def _dice() -> Iterator[str]:
    yield "## Dice labels\n"
    yield (
        "A label is `turn.impulse.step unit system n`. The unit is the one that rolls (of damage, the one that is "
        "damaged); `n` is 1, and may be left out then, except where a system rolls more than once in a step.\n"
    )
    yield from _table(
        "label",
        {
            "1.5.fire Con PH1 1": "a weapon fires, by its name on the SSD without blanks (`PHOTA`, `DISRB`)",
            "1.5.resolve Con DAC2 3": "the third internal point of a volley on shield #2, on the Cadet damage chart; "
            "step `impact` for seeking weapons",
            "1.5.resolve Con DAC1a 3": "the same on the standard chart, with two dice, `DAC1a` and `DAC1b`; "
            "their sum may be given as `DAC1`",
            "1.5.fire Con boundary-Des 1": "which shield takes Des's fire along a junction, with the option "
            "`boundary = die`: odd the lower number (D3.41)",
            "1.3.seek KP/1 ASTEROIDS 1": "asteroids that a unit enters, in the step in which it moves (P3.0)",
            "1.5.fire Con PROBEA 1": "whether a probe fired as a weapon hits (G5.34)",
            "1.32.close Pig BOARD-orion 2": "boarding party combat: a group of a side's parties aboard (D7.0)",
            "1.5.resolve Des MUTINY 1": "whether there is a mutiny; 2: how it ends (G6.2)",
            "1.32.close Con LAB-Eel 1": "what labs, or a shuttle, find out about a monster (G4.1)",
            "1.32.close Eel METHOD 1": "how a monster can be dealt with (scenario #11); `ATTACK`: its attack; "
            "in step `monsters`, `WAY`: which of two equal hexes it takes",
            "1.5.move War coin 1": "a robot ship's coin, 1 left and 2 right (robot rule 3)",
        },
    )
    yield f"The steps of a turn are {', '.join(f'`{name}`' for name in NAMES)}; impulse 0 is energy allocation.\n"


def _events() -> Iterator[str]:
    yield "## Events\n"
    common = {field.encode_name for field in msgspec.structs.fields(ev.Event)}
    for name, kind in format.event_types().items():
        yield f"### {name}\n"
        yield _prose(kind).removeprefix("Event: ") + "\n"
        fields = [
            f"`{field.encode_name}` ({_type(typing.get_type_hints(kind)[field.name])})"
            for field in msgspec.structs.fields(kind)
            if field.encode_name not in common
        ]
        if fields:
            yield "Fields: " + ", ".join(fields) + "\n"


def _asks() -> Iterator[str]:
    yield "## Look-ups\n"
    yield "Arguments with a value may be left out. No answer is written as an empty text, a turn and an impulse as"
    yield '`[4, 4]` or `"4.4"`. An answer whose parts have names may be a list of them in their order. To read what'
    yield "each function does: `python -m pydoc pbem.lab.rule_cases.lookups`, or the API reference of the site.\n"
    for name, function in sorted(ASKS.items()):
        arguments = ", ".join(
            parameter.name + ("" if parameter.default is parameter.empty else f" = {_plain_value(parameter.default)}")
            for parameter in inspect.signature(function).parameters.values()
        )
        yield f"* **{name}**: `{arguments}`"


def _plain_value(value: Any) -> str:
    return _value(value).strip("`")


# --- small things ----------------------------------------------------------------------------------------------------


def _prose(thing: Any) -> str:
    """Return the docstring of an object as Markdown text."""
    return " ".join((inspect.getdoc(thing) or "").replace("``", "`").split())


def _rows(kind: type[msgspec.Struct]) -> Iterator[str]:
    hints = typing.get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        default = "" if field.required else _value(_default(field))
        if (type_ := _type(hints[field.name])) not in ("list of tables", "table") or field.encode_name == "options":
            yield f"| `{field.encode_name}` | {type_} | {default} |"


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default is not msgspec.NODEFAULT else field.default_factory()


def _value(value: Any) -> str:
    if value is None or value in ("", (), {}, []):
        return "none"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{item}"' for item in value) + "]`"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"


def _type(hint: Any) -> str:
    """Return the name of a type in plain words, for the pages about file formats."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return "anything"
    if origin is typing.Literal:
        return " or ".join(f"`{arg}`" if arg != "" else "none" for arg in args)
    if origin is typing.Union or isinstance(hint, types.UnionType):
        return " or ".join(_type(arg) for arg in args if arg is not type(None))
    if origin is tuple:
        return f"list of {_type(args[0]).replace('table', 'tables')}"
    if origin is dict:
        return "table" if args[1] is Any or typing.get_origin(args[1]) is dict else f"table of {_type(args[1])}"
    words = {str: "text", int: "integer", float: "number", bool: "true or false"}
    if isinstance(hint, type):
        return "text" if issubclass(hint, str) else words.get(hint, "table")
    return "anything"


def _table(head: str, listed: Mapping[str, str]) -> Iterator[str]:
    yield f"| {head} | what |\n| --- | --- |"
    for name, what in listed.items():
        yield f"| `{name}` | {what} |"
    yield ""


def write_pages() -> None:
    """Write the compliance page, the index of rule cases, and the pages about both file formats.

    They are written into the source tree.
    """
    heads = heads_in(ROOT / "tests" / "cases")
    texts = {PAGE: compliance_page(heads), INDEX: index(heads), CASES_PAGE: cases_page(), LOG_PAGE: event_log_page()}
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"{path.relative_to(ROOT).as_posix()} written")


if __name__ == "__main__":
    write_pages()
