"""Compiled templates are kept from run to run, but never used by another version of the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import FileSystemBytecodeCache

from pbem.mail import emails
from pbem.reports.html import templates


def test_a_version_that_lies_elsewhere_compiles_its_own_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    here = _pattern(templates.__file__)
    assert here == _pattern(templates.__file__)
    monkeypatch.setattr(templates, "__name__", "pbem.report.templates")
    assert _pattern(templates.__file__) != here


def test_each_kind_of_template_is_kept_apart(tmp_path: Path) -> None:
    found = [_pattern(file, kind) for file in (templates.__file__, emails.__file__) for kind in ("", "text", "html")]
    assert len(set(found)) == len(found)
    other = tmp_path / "emails.py"
    other.write_bytes(Path(emails.__file__).read_bytes() + b"\n# another version\n")
    assert _pattern(str(other), "text") not in found


def test_emails_are_compiled_once_and_not_in_each_process() -> None:
    assert emails._built_in().bytecode_cache is not None
    assert emails._for_html().bytecode_cache is not None
    # A club's own template must not be used by another club, nor run unguarded.
    assert emails._for_clubs(page=False).bytecode_cache is None
    assert emails._for_clubs(page=True).bytecode_cache is None


def _pattern(made_by: str, kind: str = "") -> str:
    cache = templates.compiled_before(made_by, kind)
    assert isinstance(cache, FileSystemBytecodeCache)
    return cache.pattern
