"""The examples in the docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib
import re
import shutil
from pathlib import Path

import pytest

import vassal

MODULES = [
    "module.grids", "pieces.piece", "text.commands", "text.expressions", "text.sequence",
]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"vassal.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


def test_the_example_of_the_package(tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what ``help(vassal)`` shows, as it stands."""
    lines = (vassal.__doc__ or "").splitlines()
    code = "\n".join(line[4:] for line in lines if line.startswith("    "))
    shutil.copy(data / "HexSpaceTest.vmod", tmp_path)
    shutil.copy(data / "hexspace-full-3.7.26.vsav", tmp_path / "turn3.vsav")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "vassal.__doc__", "exec"), {})
    moved = vassal.read_save("turn4.vsav").piece("1795207336172")
    assert (moved.x, moved.y) == vassal.read_module("HexSpaceTest.vmod").map("Tactical Map").layout().pixel("0911")
    assert vassal.read_save("turn1.vsav").pieces[0].name == "Cruiser A (NCC-1701)"


def test_the_examples_of_the_page(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run all that docs/vassal.md shows, in order."""
    page = (Path(__file__).parents[2] / "docs" / "vassal.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(examples) == 7
    from tests.vassal.test_extensions import SHIP, extension

    extension(tmp_path / "Webs.vmdx", SHIP)
    shutil.copy(data / "HexSpaceTest.vmod", tmp_path)
    shutil.copy(data / "hexspace-full-3.7.26.vsav", tmp_path / "turn3.vsav")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/vassal.md", "exec"), names)
    said = capsys.readouterr().out
    assert "1795207336172 Cruiser A" in said and "Tholian PC" in said
    assert "\nLexington damaged\nNone\n" in said
    assert "(360, 672) 0812 (360, 672)" in said
    assert "\n7\n" in said
    assert "turned from" in said
    assert "changed its label from" in said
    assert "['ChangePiece', 'MovePiece', 'Chat']\n600\n" in said


def test_the_page_has_a_note_on_every_trait() -> None:
    from vassal.pieces.containers import Stack
    from vassal.pieces.piece import _KINDS
    from vassal.pieces.trait import Trait

    page = (Path(__file__).parents[2] / "docs" / "vassal.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    kinds: tuple[type[Trait], ...] = (*_KINDS, Stack)
    for kind in kinds:
        assert any(f"`{kind.prefix}`" in row and f"`{kind.__name__}`" in row for row in rows), kind


def test_the_page_says_the_limits_of_the_code() -> None:
    from vassal.module import module
    from vassal.text import expressions

    page = (Path(__file__).parents[2] / "docs" / "vassal.md").read_text(encoding="utf-8")
    assert f"| {expressions.MAX_EXPRESSION:,}; {expressions.MAX_TEXT:,} |" in page
    assert f"| {module.MAX_EXTENSIONS}; {module.MAX_COMPONENTS:,} |" in page


def test_the_page_names_every_command() -> None:
    from vassal.cli import app

    page = (Path(__file__).parents[2] / "docs" / "vassal.md").read_text(encoding="utf-8")
    for command in app.registered_commands:
        assert command.callback is not None
        assert f"`vassal {command.callback.__name__} " in page


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        vassal.nonsense  # noqa: B018
