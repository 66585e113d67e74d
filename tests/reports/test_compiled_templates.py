"""Compiled templates are kept from run to run, but never used by another version of the program."""

from __future__ import annotations

import pytest

from pbem.reports.html import templates


def test_a_version_that_lies_elsewhere_compiles_its_own_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    here = templates._fingerprint()
    assert here == templates._fingerprint()
    cache = templates._compiled_before()
    assert cache is None or here in cache.pattern  # type: ignore[attr-defined]
    monkeypatch.setattr(templates, "__name__", "pbem.report.templates")
    assert templates._fingerprint() != here
