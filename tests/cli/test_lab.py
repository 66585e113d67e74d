"""``pbem lab``: what it plays, varies and refuses; docs/laboratory.md is its page."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.slow
def test_the_command_plays_varies_and_says_what_it_cannot(pbem: Run, tmp_path: Path) -> None:
    quick = ("lab", "3", "-c", "klingon=ensign", "-c", "convoy=brawler", "--turns", "2", "-n", "2")
    done = pbem(*quick, "--page", str(tmp_path / "lab.html"), "--set", "reveal=none,speeds")
    assert (done.returncode, done.stderr) == (0, "")
    assert "reveal = none" in done.stdout and "reveal = speeds" in done.stdout
    assert "<h2>speeds</h2>" in (tmp_path / "lab.html").read_text(encoding="utf-8")
    data = json.loads(pbem(*quick, "--json").stdout)
    assert [row["games"] for row in data["matches"][0]["rows"]] == [2, 2]
    assert "no captain 'admiral'" in pbem("lab", "3", "-c", "klingon=admiral").stderr
    assert "75,85" in pbem("lab", "3", "--sprt", "85,75").stderr
