"""Regular expressions: compiled when first asked (:mod:`pbem.util`); each can be, and takes linear time."""

from __future__ import annotations

import ast
import copy
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import pytest

import pbem
import vassal
from pbem import util
from pbem.reports.html import public
from pbem.util import regex
from tests.slow_inputs import slow_input

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
            if isinstance(value, util._Pattern):
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


METHODS: Final = {
    "match": "match", "fullmatch": "fullmatch", "search": "search", "sub": "sub", "subn": "sub",
    "findall": "finditer", "finditer": "finditer", "split": "finditer",
}  # fmt: skip
"""Methods that read a text, and which of them stands for it here."""
OWN_TEXTS: Final = {
    "pbem/club/rehearsal.py": "sentences of the program about a club's own settings",
    "pbem/engine/state_paths.py": "the text of rule cases",
    "pbem/reports/text/guide.py": "the pages of the documentation",
    "pbem/reports/html/page.py": "pages made by the program, in which < is escaped",
    "pbem/reports/map/picture.py": "drawings and styles of the program, in which < is escaped",
    "pbem/reports/html/compact.py": "styles and pages of the program",
}
"""Modules that may hold slow patterns, since they read what the program itself wrote."""
MADE_LATER: Final = {
    "pbem/games/umpire/rerun.py": [r"(?im)^([^\S\n]*+GAME\s+)duel\b"],
    "pbem/reports/draft/nearest.py": [r"\"?(?<!\w)Nobody(?!\w)\"?"],
    "pbem/games/storage/files.py": [],
    "pbem/engine/outcomes.py": [r"\bdecisive\b"],
    "pbem/orders/suggestions.py": [],
    "pbem/mail/replies/reply.py": [r"answer\s+is\s+wanted"],
    "pbem/reports/html/public.py": [one.pattern for one in public._spellings(["a.b@c.org"])],
    "pbem/reports/html/compact.py": [],
    "pbem/lab/rule_cases/bug_report.py": [r"(?<!\w)(?:Ann|ann@example\.org)(?!\w)"],
    "pbem/util.py": [],
    "vassal/container/archive.py": [r"\bwidth\s*=\s*[\"']([0-9.]+)(?:px)?[\"']"],
    "vassal/module/grids.py": [r"(?P<column>-?[0-9]{1,9})\.(?P<row>-?[0-9]{1,9})"],
}
"""Modules whose functions make patterns of what they are given, and examples of these. Names of files and orders that
are said in other words are short where they are read (:data:`otherwise._LONGEST`).
"""


class Used(NamedTuple):
    """A pattern of the program, where it stands, and with which methods it is asked."""

    place: str
    pattern: re.Pattern[Any]
    methods: tuple[str, ...]


def sources() -> list[Path]:
    """Every module of both packages."""
    return sorted(path for package in (pbem, vassal) for path in Path(package.__path__[0]).rglob("*.py"))


def used_in(path: Path, methods: dict[str, set[tuple[Path, str]]], later: list[str]) -> Iterator[Used]:
    """The patterns of a module, each read from the call that makes it; those made of a function's values are put into
    ``later``.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    above = {inner: node for node in ast.walk(tree) for inner in ast.iter_child_nodes(node)}
    module: ModuleType | None = None
    for node in ast.walk(tree):
        called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        asked = called.removeprefix("re.")
        if not isinstance(node, ast.Call) or not (
            called == "regex" or called in {f"re.{one}" for one in ("compile", *METHODS)}
        ):
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        module = module or importlib.import_module(name)
        try:
            text = eval(compile(ast.Expression(node.args[0]), str(path), "eval"), vars(module))
        except NameError:
            later.append(path.relative_to(ROOT).as_posix())
            continue
        place = {"sub": 4, "subn": 4, "split": 3, "regex": 1, "compile": 1}.get(asked, 2)
        given = [one.value for one in node.keywords if one.arg == "flags"] + node.args[place : place + 1]
        flags = eval(compile(ast.Expression(given[0]), str(path), "eval"), vars(module)) if given else 0
        pattern = re.compile(text, flags) if isinstance(text, str | bytes) else re.compile(text.pattern, text.flags)
        holder: ast.AST = node
        while not isinstance(holder, ast.stmt) and not (isinstance(holder, ast.Attribute) and holder.attr in METHODS):
            holder = above[holder]
        if asked in METHODS:
            found = {asked}
        elif isinstance(holder, ast.Attribute):
            found = {holder.attr}
        else:
            targets = holder.targets if isinstance(holder, ast.Assign) else [getattr(holder, "target", None)]
            names = [one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)]
            found = {m for one in names for where, m in methods.get(one, ()) if where == path or one[0] != "_"}
        yield Used(
            f"{path.relative_to(ROOT).as_posix()}:{node.lineno}",
            pattern,
            tuple(sorted({METHODS[m] for m in found or {"fullmatch", "match", "search"}})),
        )


def methods_by_name() -> dict[str, set[tuple[Path, str]]]:
    """With which methods a name is asked, and where."""
    found: dict[str, set[tuple[Path, str]]] = {}
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and node.attr in METHODS
                and isinstance(node.value, ast.Name | ast.Attribute)
            ):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                found.setdefault(name, set()).add((path, node.attr))
    return found


def patterns_of_the_program() -> tuple[list[Used], list[str]]:
    """All patterns of both packages, and the modules in which functions make some."""
    methods, later = methods_by_name(), list[str]()
    found = [one for path in sources() for one in used_in(path, methods, later)]
    return found, later


@pytest.mark.slow
def test_no_pattern_that_reads_a_strangers_text_takes_more_than_linear_time() -> None:
    used, later = patterns_of_the_program()
    assert len(used) > 250 and set(later) == MADE_LATER.keys()
    for module, examples in MADE_LATER.items():
        used += [Used(f"{module}: an example", re.compile(one, re.IGNORECASE), ("search",)) for one in examples]
    read = [one for one in used if one.place.partition(":")[0] not in OWN_TEXTS]
    assert {one.place: text for one in read if (text := slow_input(one.pattern, one.methods))} == {}


@pytest.mark.slow
def test_patterns_that_try_things_twice_are_found() -> None:
    for text, method in (
        (r"(\s*)[-*=~]{0,9}\s*(END)", "fullmatch"), (r"\s*$", "search"), (r"(?:a|b|ab)*c", "match"),
        (r"<([A-Za-z][A-Za-z0-9]*)[^<>]*>\Z", "match"), (r"[^\s@]+@[a-z]+", "finditer"), ("<!--.*?-->", "sub"),
        (r".{3,}\b(?:wrote|schrieb)\b.*:", "match"), (r"\d+\s*(?:week|day)", "search"), (r"(?:a+)+b", "match"),
    ):  # fmt: skip
        assert slow_input(re.compile(text), (method,)), text
    for text in (r"(\s*+)[-*=~]{0,9}\s*+(END)", r"(?>.{3,}?\b(?:wrote|schrieb)\b).*:", r"[a-z]+:\s*\S", r"(?:ab|cd)*e"):
        assert slow_input(re.compile(text), ("match",)) == "", text
