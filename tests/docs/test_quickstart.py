"""docs/hosting-quickstart.md: its commands run, one after the other, as they stand there; its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GUIDE = (DOCS / "hosting-quickstart.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_host_can_follow_the_guide(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    count = 0
    for kind, text in re.findall(r"^```(sh|orders|toml)\n(.*?)^```$", GUIDE, flags=re.DOTALL | re.MULTILINE):
        if kind == "orders":
            (tmp_path / "ann.txt").write_text(text, encoding="utf-8")
            continue
        if kind == "toml":
            (tmp_path / "duel01" / "site.toml").write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            program, *words = shlex.split(line)
            assert program == "pbem"
            run = subprocess.run(
                [sys.executable, "-m", "pbem", *words], cwd=tmp_path, env=environment, capture_output=True, text=True,
                encoding="utf-8", timeout=120,
            )  # fmt: skip
            assert run.returncode == 0, f"{line}\n{run.stdout}{run.stderr}"
            count += 1
    assert count >= 8
    # The orders acted: somebody moved.
    assert "moves" in (tmp_path / "web" / "turn-01.txt").read_text(encoding="utf-8")
    assert "player not named" in (tmp_path / "web" / "turn-01.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["hosting-quickstart.md", "play-by-mail.md", "orders.md"])
def test_links_and_pictures_are_there(name: str) -> None:
    text = (DOCS / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+?)(?:#[\w-]+)?\)", text):
        assert (DOCS / link).is_file(), link


@pytest.mark.parametrize("path", sorted((DOCS / "pictures").glob("*")), ids=lambda path: path.name)
def test_pictures_are_small_and_used(path: Path) -> None:
    assert path.stat().st_size <= 150_000
    pages = [*DOCS.glob("*.md"), ROOT / "README.md"]
    assert any(f"pictures/{path.name}" in page.read_text(encoding="utf-8") for page in pages)
