"""What the engine says of each rule it applies: the first sentences of its own source, by chapter and rule
number.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import msgspec

_FOLDERS = ("rules", "turn")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One rule applied: where (``fire.verify_fire``), and what it does."""

    where: str
    about: str


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """A section of the rules the engine knows."""

    name: str
    about: str
    entries: tuple[Entry, ...]


def chapters() -> list[Chapter]:
    """The chapters of pbem/rules, by name."""
    return [chapter for chapter in _read("rules") if chapter.entries]


def mentions(rule: str) -> list[Entry]:
    """Everything that names a rule or one below it: ``E1`` finds ``E1.5``."""
    number = re.compile(rf"(?<![A-Za-z0-9.]){re.escape(rule.upper().rstrip('.'))}(?![A-Za-z0-9])")
    found = []
    for folder in _FOLDERS:
        for chapter in _read(folder):
            if number.search(chapter.about.upper()):
                found.append(Entry(where=chapter.name, about=chapter.about))
            found += [entry for entry in chapter.entries if number.search(entry.about.upper())]
    return found


def _read(folder: str) -> list[Chapter]:
    found = []
    for path in sorted((Path(__file__).resolve().parent.parent / folder).glob("*.py")):
        if path.stem != "__init__":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            entries = tuple(
                Entry(where=f"{path.stem}.{node.name}", about=_first(node))
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_") and _first(node)
            )
            found.append(Chapter(name=path.stem, about=_first(tree), entries=entries))
    return found


def _first(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    """The first paragraph of a docstring, on one line and without markup."""
    text = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", " ".join(text.split())).replace("``", "")
