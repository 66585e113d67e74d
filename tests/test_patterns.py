"""Regular expressions: compiled when first asked (:mod:`pbem.values.patterns`), and each of them can be."""

from __future__ import annotations

import ast
import copy
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbem
from pbem.values import patterns
from pbem.values.patterns import regex

ROOT = Path(__file__).resolve().parent.parent


def compiled_at_once(source: str) -> Iterator[int]:
    """The lines of a module on which ``re.compile`` is called as it is imported."""
    tree = ast.parse(source)
    within = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile" and id(node) not in within:
            yield node.lineno


def test_no_module_of_the_game_compiles_a_pattern_as_it_is_imported() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "pbem").rglob("*.py"))
        for line in compiled_at_once(path.read_text(encoding="utf-8"))
    ]
    assert found == []
    assert list(compiled_at_once("import re\nA = [re.compile('a')]\ndef f():\n    return re.compile('b')\n")) == [2]


@pytest.mark.slow
def test_every_pattern_can_be_compiled() -> None:
    asked = 0
    for module in pkgutil.walk_packages(pbem.__path__, "pbem."):
        if module.name.endswith("__main__"):
            continue
        try:
            values = vars(importlib.import_module(module.name)).values()
        except ImportError as error:  # of a library that is an extra
            assert not (error.name or "").startswith("pbem"), error
            continue
        for value in values:
            if isinstance(value, patterns._Pattern):
                asked += value.pattern != ""
    assert asked > 150


def test_it_is_what_the_standard_library_compiles() -> None:
    found = regex(r"(\d+)", re.ASCII)
    assert [found.sub("n", "a1b22") for _ in range(2)] == ["anbn"] * 2
    assert (found.pattern, found.groups, found.flags & re.ASCII) == (r"(\d+)", 1, re.ASCII)
    assert regex(rb"x").fullmatch(b"x")
    assert copy.copy(found).match("7")


def test_one_that_is_none_is_told_where_it_is_asked() -> None:
    broken = regex("(")
    with pytest.raises(re.error, match="unterminated"):
        broken.match("x")
