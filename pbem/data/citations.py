"""Find the rule numbers that a text cites, and the places in the program that cite a rule.

:func:`cited` finds numbers such as ``B3.0, lines 7 and 8``, ``D4.21 cadet``, ``robot rules 1 to 3`` and ``scenarios
#2 and #3``. :func:`chapters` and :func:`places` search the program's own source and data files. The compliance page
is made from their results.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec

from pbem.util import regex

_LIST = r"#?\d+(?:(?:,? and |, | to | or |-#)#?\d+)*"
_NUMBER = regex(
    rf"""(?<![A-Za-z0-9.#-])(?P<number>(?:FD|FP|[B-HJP])\d{{1,2}}\.\d{{1,4}}C?)(?![0-9])
    (?:-(?P<line>\d+))?
    (?:[ ,(]{{1,2}}(?P<level>cadet|standard|graduate|types|energy)\b(?:[ ]form)?\)?)?
    (?:,?[ ](?:lines?|steps?)[ ](?P<lines>{_LIST.replace(" ", "[ ]").replace("#", "[#]")}))?""",
    re.IGNORECASE | re.VERBOSE,
)
_ROBOT = regex(rf"\brobot(?: rules?)?,? (?P<list>{_LIST})", re.IGNORECASE)
_SCENARIO = regex(rf"\bscenarios? (?P<list>{_LIST})", re.IGNORECASE)


def cited(text: str) -> list[str]:
    """Return every rule number that a text cites, in order and spelled as in the rulebook.

    Each number is returned once.
    """
    return list(dict.fromkeys(_cited(" ".join(text.split()))))


def rule_of(text: str) -> list[str]:
    """Return the rule numbers in the ``rule`` field of a rule case (a TOML test of one rule).

    In that field, ``H6`` means the whole chapter; it is returned as ``H6.0``.
    """
    return cited(f"{text}.0" if re.fullmatch(r"[A-Z]{1,2}\d{1,2}", text) else text)


def _cited(text: str) -> Iterator[str]:
    for found in _NUMBER.finditer(text):
        number = found["number"].upper()
        level = (found["level"] or "").casefold().replace("graduate", "standard")
        lines = [found["line"]] if found["line"] else _numbers(found["lines"] or "")
        if level in ("types", "energy") and number != "E2.1":
            level = ""  # "types" and "energy" are ordinary words here
        if number == "B3.0" and lines:
            yield from (f"B3.0-{line} {level}".rstrip() for line in lines)
        else:
            yield f"{number} {level}".rstrip()
    for name, pattern in (("Robot", _ROBOT), ("Scenario", _SCENARIO)):
        for found in pattern.finditer(text):
            yield from (f"{name} {number}" for number in _numbers(found["list"]))


def _numbers(text: str) -> list[str]:
    """Return the numbers (as strings) in a written list or range, such as ``7, 8 and 11`` or ``1 to 3``."""
    numbers: list[str] = []
    for word, number in re.findall(r"(to |-)?#?(\d+)", text):
        first = int(numbers[-1]) + 1 if word and numbers else int(number)
        numbers += [str(each) for each in range(first, int(number) + 1)]
    return numbers


PACKAGE = Path(__file__).resolve().parent.parent
ROOMS = ("rules", "engine", "ai", "orders", "reports")
"""The packages that are searched for citations; the rules come first."""


class CitingPlace(msgspec.Struct, frozen=True, kw_only=True):
    """A function, class, module or data file that cites rules, with one sentence about what it does.

    ``where`` is a dotted name or a data file: ``rules.direct_fire.verify_fire``, ``data/charts/photon``.
    """

    where: str
    about: str


class RulesModule(msgspec.Struct, frozen=True, kw_only=True):
    """A module of :mod:`pbem.rules` with its documented public functions and classes."""

    name: str
    about: str
    entries: tuple[CitingPlace, ...]


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """A :class:`CitingPlace` with the rule numbers that it cites.

    ``described`` are the rule numbers in its description, and ``said`` the numbers that only its messages cite.
    ``public`` says whether its name is public.
    """

    entry: CitingPlace
    described: frozenset[str]
    said: frozenset[str]
    public: bool


def chapters() -> list[RulesModule]:
    """Return all modules of :mod:`pbem.rules` with their public functions and classes, sorted by module name."""
    found = []
    named = {path.stem: path for path in _files("rules")}
    for name, path in sorted(named.items()):
        tree = ast.parse(_text(path))
        entries = tuple(
            CitingPlace(where=f"{name}.{node.name}", about=_first(node))
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and _first(node)
        )
        if entries:
            found.append(RulesModule(name=name, about=_first(tree), entries=entries))
    return found


def places(*numbers: str) -> list[CitingPlace]:
    """Return every place in the program and its data that cites one of these rule numbers.

    Places that cite a number in their description come first, then places that cite it only in a message to players.
    Public places come before private ones.
    """
    wanted = frozenset(numbers)
    found = [place for place in _places(_needles(wanted)) if wanted & (place.described | place.said)]
    found.sort(key=lambda place: (not wanted & place.described, not place.public))
    return [place.entry for place in found]


def _needles(numbers: frozenset[str]) -> tuple[str, ...]:
    """Return the search strings for these rule numbers, in lower case.

    A file that contains none of the strings cites none of the numbers and need not be parsed.
    """
    return tuple(sorted({re.split("[- ]", number)[0].casefold() for number in numbers}))


def _places(needles: tuple[str, ...]) -> Iterator[_Place]:
    for room in ROOMS:
        for path in _files(room):
            if _holds(path, needles):
                yield from _in_source(".".join(path.relative_to(PACKAGE).with_suffix("").parts), path)
    for folder in ("charts", "scenarios"):
        for path in sorted((PACKAGE / "data" / folder).glob("*.toml")):
            if folder == "scenarios" or _holds(path, needles):
                yield _in_data(folder, path)


@cache
def _in_source(module: str, path: Path) -> tuple[_Place, ...]:
    tree = ast.parse(_text(path))
    found = [_place(module, tree, [])]
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            methods = [inner for inner in node.body if isinstance(inner, ast.FunctionDef)]
            apart = methods if isinstance(node, ast.ClassDef) else []
            found.append(_place(f"{module}.{node.name}", node, [inner for inner in node.body if inner not in apart]))
            found += [_place(f"{module}.{node.name}.{inner.name}", inner, inner.body) for inner in apart]
    return tuple(found)


def _place(where: str, node: ast.Module | ast.FunctionDef | ast.ClassDef, body: Sequence[ast.stmt]) -> _Place:
    text = ast.get_docstring(node) or ""
    strings = (
        inner.value
        for statement in body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    )
    return _Place(
        entry=CitingPlace(where=where, about=_first(node)),
        described=frozenset(cited(text)),
        said=frozenset(number for string in strings for number in cited(string)),
        public="._" not in where and bool(text),
    )


@cache
def _in_data(folder: str, path: Path) -> _Place:
    """Return a chart or scenario file as a place; the rule numbers come from its ``source`` and ``rule`` fields."""
    raw = tomllib.loads(_text(path))
    numbers = [number for text in _strings(raw, ("source", "rule", "rules")) for number in cited(text)]
    if folder == "scenarios":
        numbers.append(f"Scenario {path.stem}")
    entry = CitingPlace(where=f"data/{folder}/{path.stem}", about=str(raw.get("title", "")))
    return _Place(entry=entry, described=frozenset(numbers), said=frozenset(), public=True)


def _strings(raw: object, keys: tuple[str, ...], inside: bool = False) -> Iterator[str]:
    if isinstance(raw, dict):
        for key, value in raw.items():
            yield from _strings(value, keys, key in keys)
    elif isinstance(raw, list):
        for value in raw:
            yield from _strings(value, keys, inside)
    elif inside and isinstance(raw, str):
        yield raw


def _files(room: str) -> list[Path]:
    """Return the paths of the Python modules in the package ``room`` of the program.

    The look-up modules of the rule cases are left out, because they only call the other modules.
    """
    return [
        path
        for path in sorted((PACKAGE / room).rglob("*.py"))
        if path.stem not in ("__init__", "lookups") and not path.stem.startswith("asks")
    ]


def _holds(path: Path, needles: tuple[str, ...]) -> bool:
    folded = _folded(path)
    return any(needle in folded for needle in needles)


@cache
def _folded(path: Path) -> str:
    return _text(path).casefold()


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _first(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    """Return the first paragraph of a docstring, on one line and without markup."""
    text = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", " ".join(text.split())).replace("``", "`").replace("`", "")
