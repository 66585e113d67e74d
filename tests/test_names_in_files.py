"""Names that stand in the files of games: ``names_in_files.txt`` has them all, and none may change.

Logs, states and orders are read by name: tags of events, units and conditions with their fields, the words of enums,
steps, labels of dice. Programs and rule cases read codes of refusals and look-ups by name. Classes, functions and
modules may be renamed as long as this list stays the same. A name that is new gets a line; a line that changes or goes
is a file that cannot be read any more, or dice that fall otherwise.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import json
import pkgutil
import re
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import msgspec
import pytest

import pbem

ROOT = Path(__file__).resolve().parent.parent
T = TypeVar("T")


def first_of(*names: str) -> ModuleType:
    """Return the first of these modules that exists."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not name.startswith(error.name or "?"):
                raise
    raise AssertionError(names)


@cache
def everything_loaded() -> None:
    """Import every module of the program, so that all classes and look-ups are known; extras may be missing."""
    for module in pkgutil.walk_packages(pbem.__path__, "pbem."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                assert not (error.name or "").startswith("pbem"), error


def below(base: type[T]) -> Iterator[type[T]]:
    """All classes of the program that are made from one, at any depth."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith("pbem."):
            yield kind
        yield from below(kind)


def tagged() -> list[type[msgspec.Struct]]:
    """Return every record of the program that is written with a tag."""
    everything_loaded()
    return sorted(
        {one for one in below(msgspec.Struct) if one.__struct_config__.tag is not None},
        key=lambda one: (str(one.__struct_config__.tag_field), str(one.__struct_config__.tag), one.__name__),
    )


def tags() -> Iterator[str]:
    """``event moved: turn impulse …``: tag field, tag, and the fields in the order in which they are written."""
    for one in tagged():
        fields = " ".join(field.encode_name for field in msgspec.structs.fields(one))
        yield f"{one.__struct_config__.tag_field} {one.__struct_config__.tag}: {fields}"


def conditions() -> Iterator[str]:
    """The kinds of a condition, as orders in force stand in a state."""
    model = importlib.import_module("pbem.orders.model")
    for kind in (*model.KINDS, *model.JOINED):
        yield kind.__struct_config__.tag


def enum_words() -> Iterator[str]:
    """The words of every enum of text, without the name of its class."""
    everything_loaded()
    words = [[member.value for member in one] for one in set(below(Enum))]
    yield from sorted(", ".join(map(repr, each)) for each in words if each and isinstance(each[0], str))


def steps() -> Iterator[str]:
    """The steps of a turn in the order in which they are played."""
    everything_loaded()
    sequence = first_of("pbem.engine.steps.sequence", "pbem.engine.steps.sequence")
    for step in sequence.ALL:
        yield str(step.name.value)


def text_of(node: ast.expr) -> str:
    """A text as it stands in the source, with … for what is put in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            parts = [text_of(part) if isinstance(part, ast.Constant) else "…" for part in values]
            return re.sub("…+", "…", "".join(parts))
    return "…"


def sources() -> Iterator[Path]:
    """Every module of the program."""
    yield from sorted((ROOT / "pbem").rglob("*.py"))


def dice_labels() -> Iterator[str]:
    """How labels are put together, and what stands for ``system`` in ``table.roll(unit, system, n)``."""
    dice = first_of("pbem.engine.dice", "pbem.engine.dice")
    yield dice.label(2, 5, "fire", "Constellation", "PH 1", 3)
    found = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "roll":
                continue
            if len(node.args) > 1 and ast.unparse(node.args[1]) != "sides":  # those of the dice take a whole label
                found.add(text_of(node.args[1]))
    yield from sorted(found)


@cache
def generator() -> Any:
    """The script that writes docs/refusals.md: it finds codes in the source."""
    spec = importlib.util.spec_from_file_location("refusals_of_names", ROOT / "docs" / "refusals.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refusal_codes() -> Iterator[str]:
    """Every code with which something is refused; … stands for a part that is put in."""
    yield from sorted({code for path in sources() for code, _, _ in generator().refusals(path)})


def look_ups() -> Iterator[str]:
    """Every look-up of a rule case, with what it takes."""
    everything_loaded()
    asks = first_of("pbem.lab.rule_cases.lookups", "pbem.lab.rule_cases.lookups").ASKS
    for name, function in sorted(asks.items()):
        taken = [
            each.name + ("" if each.default is each.empty else "?")
            for each in inspect.signature(function).parameters.values()
        ]
        yield f"{name}: {' '.join(taken)}".rstrip()


LISTS: dict[str, Callable[[], Iterator[str]]] = {
    "tags": tags,
    "conditions": conditions,
    "enum words": enum_words,
    "steps": steps,
    "dice labels": dice_labels,
    "refusal codes": refusal_codes,
    "look-ups": look_ups,
}


def document() -> str:
    """All lists as one text."""
    return "".join(f"# {title}\n" + "".join(f"{line}\n" for line in lines()) + "\n" for title, lines in LISTS.items())


@pytest.mark.slow
def test_no_name_in_a_file_changes(as_kept: Callable[[str, str], None]) -> None:
    as_kept("names_in_files.txt", document())


def test_every_condition_has_its_tag_in_the_source() -> None:
    """So that the class may be renamed."""
    model = importlib.import_module("pbem.orders.conditions")
    assert model.__file__ is not None
    written = tags_written(Path(model.__file__).read_text(encoding="utf-8"))
    assert not [kind.__name__ for kind in (*model.KINDS, *model.JOINED) if kind.__name__ not in written]
    assert tags_written('class A(B, tag="a"): ...\nclass C(B, tag=True): ...') == {"A"}, "the test can fail"


def test_every_event_has_its_tag_in_the_source() -> None:
    events = first_of("pbem.engine.events", "pbem.engine.events")
    written: dict[str, set[str]] = {}
    for kind in events.kinds():
        if not kind.__module__.startswith("pbem."):
            continue  # an event that a test made
        module = importlib.import_module(kind.__module__)
        assert module.__file__ is not None
        known = written.setdefault(module.__file__, tags_written(Path(module.__file__).read_text(encoding="utf-8")))
        assert kind.__name__ in known, f"{kind.__module__}.{kind.__name__} needs tag={kind.__struct_config__.tag!r}"


def tags_written(text: str) -> set[str]:
    """Return the classes of a source text whose definition has ``tag="…"``."""
    return {
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        for word in node.keywords
        if word.arg == "tag" and isinstance(word.value, ast.Constant) and isinstance(word.value.value, str)
    }


def test_the_dice_of_the_shipped_games_have_labels_of_these_kinds() -> None:
    """A label in a log is one that the list knows."""
    kinds = [re.escape(kind.replace(" ", "")).replace("…", ".+") for kind in list(dice_labels())[1:] if kind != "…"]
    weapon = r"[A-Z]+\d*[A-Z]?(?:[A-Z0-9-]*)"
    known = re.compile(rf"\d+\.\d+\.[a-z-]+ .+ (?:{'|'.join(kinds)}|{weapon}) \d+")
    labels = set()
    for path in (ROOT / "turns").glob("*/*/events.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            labels |= set(_dice_in(json.loads(line)))
    assert len(labels) > 50
    assert not [label for label in sorted(labels) if not known.fullmatch(label)]


def _dice_in(value: object) -> Iterator[str]:
    """Every text in a record that looks like a label of a die."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _dice_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _dice_in(inner)
    elif isinstance(value, str) and re.fullmatch(r"\d+\.\d+\.[a-z-]+ .+ \S+ \d+", value):
        yield value
