"""The pictures of the guides: what makes them can be run, each is there, small, and shown by a guide."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

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
