"""The page of refusals is that of the source, and holds every code a rule case expects."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refusals", ROOT / "docs" / "refusals.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_page_is_up_to_date() -> None:
    page = (ROOT / "docs" / "refusals.md").read_text(encoding="utf-8")
    assert page == generator().document(), "run python docs/refusals.py"


def test_every_code_a_case_expects_is_explained() -> None:
    page = (ROOT / "docs" / "refusals.md").read_text(encoding="utf-8")
    expected = {
        reject["code"]
        for path in (ROOT / "tests" / "cases").rglob("*.toml")
        for reject in tomllib.loads(path.read_text(encoding="utf-8")).get("reject", ())
        if "code" in reject
    }
    assert len(expected) > 100
    told = re.compile(
        "|".join(re.escape(code).replace("…", "[a-z-]+") for code in re.findall(r"^\| `(.*?)` \|", page, re.M))
    )
    assert not sorted(code for code in expected if not told.fullmatch(code))
