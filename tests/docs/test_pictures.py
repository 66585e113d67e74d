"""The pictures of the guides: what makes them can be run, each is there, small, and shown by a guide."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"guide_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_picture_is_made_small_and_shown() -> None:
    made = script("pictures")
    files = {path.name: path.stat().st_size for path in made.PICTURES.iterdir()}
    pages = [picture.name for picture in (*made.SHOWN, *made.AT_HOME, *made.AT_THE_CLUB)]
    assert sorted(files) == sorted(f"{name}.png" for name in (*pages, *script("tables").NAMES))
    assert [name for name, size in files.items() if size > made.LARGEST] == []
    said = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [name for name in files if f"pictures/{name})" not in said] == []


@pytest.mark.slow
@pytest.mark.browser
def test_the_pictures_are_made_anew(pages: None, tmp_path: Path) -> None:
    """In another process, because playwright runs once in a process."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("starlette", reason="the extra web is not installed")
    made = script("pictures")
    if made.chromium() is None:
        pytest.skip("no Chromium is installed")
    ran = subprocess.run(
        [sys.executable, ROOT / "docs" / "pictures.py", "--into", tmp_path],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    names = [picture.name for picture in (*made.SHOWN, *made.AT_HOME, *made.AT_THE_CLUB)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.png" for name in names)
