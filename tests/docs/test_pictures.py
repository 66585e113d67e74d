"""The pictures of the guides: what makes them can be run, each is there, small, and shown by a guide."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_picture_is_made_small_and_shown() -> None:
    spec = importlib.util.spec_from_file_location("guide_pictures", ROOT / "docs" / "pictures.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    files = {path.name: path.stat().st_size for path in made.PICTURES.iterdir()}
    assert sorted(files) == sorted(f"{picture.name}.png" for picture in (*made.SHOWN, *made.AT_HOME, *made.AT_THE_CLUB))
    assert [name for name, size in files.items() if size > made.LARGEST] == []
    said = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [name for name in files if f"pictures/{name})" not in said] == []
