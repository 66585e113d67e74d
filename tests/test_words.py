"""A word of a state, or the name of one of its fields, cannot be misspelt unseen.

mypy holds what a constructor is given; ``replace`` takes any keyword, so what is replaced is looked at here.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import pytest

from pbem.data import terms
from pbem.engine.on_file import ShipOnFile
from pbem.lab.rule_cases.format import read_case
from pbem.lab.rule_cases.play import dice_for, play

ROOT = Path(__file__).resolve().parent.parent
REPLACERS = {"replace", "change", "_change", "_weapon", "changed"}
"""What hands its keywords on to ``msgspec.structs.replace``."""
ENUMS = {name for name, it in vars(terms).items() if isinstance(it, type) and it.__module__ == terms.__name__}


@cache
def sources() -> dict[str, ast.Module]:
    """Every module of ours, read."""
    paths = sorted([*ROOT.glob("pbem/**/*.py"), *ROOT.glob("vassal/**/*.py")])
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


@cache
def fields() -> dict[str, set[str]]:
    """Field of any class of ours -> the types it has."""
    found: dict[str, set[str]] = {}
    for source in sources().values():
        for node in ast.walk(source):
            for line in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
                    found.setdefault(line.target.id, set()).add(ast.unparse(line.annotation))
    for word, kind in typing.get_type_hints(ShipOnFile).items():  # words of files, which `change` takes
        found.setdefault(word, set()).add(getattr(kind, "__name__", str(kind)))
    return found


def wrong_in(source: ast.Module) -> Iterator[str]:
    """What is replaced in a source and is no field, or given a bare string where a word of a set belongs."""
    for node in ast.walk(source):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in REPLACERS or not node.args:
            continue
        for keyword in node.keywords:
            types = fields().get(keyword.arg or "")
            if keyword.arg is not None and types is None:
                yield f"line {node.lineno}: {keyword.arg} is a field of nothing"
            sets = (types or set()) & ENUMS
            if sets and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str):
                yield f"line {node.lineno}: {keyword.arg} takes a word of {' or '.join(sorted(sets))}"


@pytest.mark.slow
def test_what_is_replaced_is_a_field_and_words_come_from_their_set() -> None:
    said = [
        f"{path} {wrong}" for path, source in sources().items() if path.startswith("pbem") for wrong in wrong_in(source)
    ]
    assert not said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("replace(ship, cloak_payed=True)", "line 1: cloak_payed is a field of nothing"),
        ('replace(box, charge="powerd")', "line 1: charge takes a word of WeaponState"),
        ("msgspec.structs.replace(ship, cloak_paid=True)", ""),
    ],
)
def test_a_misspelt_keyword_or_word_is_seen(source: str, said: str) -> None:
    assert list(wrong_in(ast.parse(source))) == ([said] if said else [])


def test_a_word_that_is_none_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="powerd"):
        terms.WeaponState("powerd")


def plain(value: Any, place: str) -> Iterator[str]:
    """Where a value, a state say, holds a bare string instead of a word of a set."""
    if isinstance(value, msgspec.Struct):
        sets = of_sets(type(value))
        for field in value.__struct_fields__:
            inner = getattr(value, field)
            if field in sets and type(inner) is str:
                yield f"{place}.{field} = {inner!r}"
            yield from plain(inner, f"{place}.{field}")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from plain(inner, f"{place}[{key}]")
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from plain(inner, place)


@cache
def of_sets(kind: type) -> frozenset[str]:
    """The fields of a type whose values are words of a set."""
    hints = typing.get_type_hints(kind)
    return frozenset(name for name, hint in hints.items() if isinstance(hint, type) and hint.__name__ in ENUMS)


def some_cases() -> list[Path]:
    """One in eleven, the same whatever other cases there are."""
    cases = sorted((ROOT / "tests" / "cases").glob("**/*.toml"))
    return [path for path in cases if crc32(path.stem.encode("utf-8")) % 11 == 0]


@pytest.mark.parametrize("path", some_cases(), ids=lambda path: path.stem)
def test_no_bare_string_is_played_into_a_state(path: Path) -> None:
    """A default is left out of a log by being the very word of its set: an empty string of another kind is not."""
    case = read_case(path)
    if case.played:
        assert not list(plain(play(case, dice_for(case, False)), "played"))
