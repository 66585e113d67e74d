"""``pbem lab``: what it plays, varies and refuses; docs/computer-players.md describes it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.games.create import new

ROOT = Path(__file__).resolve().parents[3]
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
    (tmp_path / "file").write_text("x", encoding="utf-8")
    lost = pbem(*quick, "--page", str(tmp_path / "file" / "lab.html"))
    assert lost.returncode == 1 and "2 games" in lost.stdout, "what was played is told all the same"
    assert "cannot write this" in lost.stderr
    assert pbem(*quick, "--page", str(tmp_path / "new" / "lab.html")).returncode == 0
    assert "no computer player 'admiral'" in pbem("lab", "3", "-c", "klingon=admiral").stderr
    assert "75,85" in pbem("lab", "3", "--sprt", "85,75").stderr


@pytest.mark.slow
def test_chances_are_told_of_games_that_are_over(pbem: Run, tmp_path: Path) -> None:
    new("5", tmp_path / "duel", players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="x")
    refused = pbem("chances", "duel")
    assert refused.returncode == 1
    assert "wait until the game is over: its chances would help one side against another" in refused.stderr
    shutil.copytree(ROOT / "turns" / "duel01", tmp_path / "over")
    done = pbem("chances", "over", "-n", "1")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("The chance to win as each turn began, by 1 game from there")
    data = json.loads(pbem("chances", "over", "-n", "1", "--json").stdout)
    assert [one["turn"] for one in data["turns"]] == list(range(1, len(data["turns"]) + 1))
