"""override and rerun at the door, and the examples of docs/umpire.md."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.app.cli.commands import app

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "umpire.md").read_text(encoding="utf-8").partition("\n## Figures of your own")[0]
EXAMPLES = [
    line
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if " duel01" in line
]
Run = Callable[..., subprocess.CompletedProcess[str]]
Snapshot = Callable[[Path], dict[str, bytes]]


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "turns" / "duel01", tmp_path / "duel01")
    return tmp_path / "duel01"


@pytest.mark.slow
def test_the_examples_of_the_page_run_one_after_the_other(pbem: Run, shipped: Path, snapshot: Snapshot) -> None:
    orders = (shipped / "02/orders/klingon.r2.orders").read_text(encoding="utf-8")
    (shipped.parent / "kor.txt").write_text(orders.replace("ph 1-4", "ph 1-2"), encoding="utf-8")
    assert len(EXAMPLES) == 15
    for command in EXAMPLES:
        before = snapshot(shipped)
        done = pbem(*shlex.split(command)[1:])
        assert (done.returncode, done.stderr) == (0, ""), f"{command}\n{done.stderr}"
        stays = (
            "--try" in command or command.startswith("pbem clone") or ("rerun" in command and "--accept" not in command)
        )
        assert (snapshot(shipped) == before) == stays, command
    verified = pbem("verify", "duel01")
    assert verified.returncode == 0 and "byte for byte" in verified.stdout, verified.stderr


def test_every_option_of_the_page_exists() -> None:
    import typer

    group = typer.main.get_command(app)
    known = {
        option
        for name in ("override", "rerun", "undo", "clone")
        for parameter in group.commands[name].params  # type: ignore[attr-defined]
        for option in parameter.opts
    }
    assert set(re.findall(r"(?<![-\w])--[a-z]+\b", PAGE)) <= known


def test_a_try_shows_the_sitreps_and_changes_nothing(pbem: Run, duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    done = pbem("override", "duel", "Destruction shield 2 = 3", "--reason", "tried", "--try")
    assert (done.returncode, done.stderr) == (0, "")
    assert "-  shields  #1 16/16  #2 12/12" in done.stdout
    assert "Nothing was changed" in done.stdout
    assert snapshot(duel) == before


def test_what_cannot_be_ruled_is_one_line_each_and_exit_1(pbem: Run, duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    done = pbem("override", "duel", "Destruction shield 2 = 99", "Kobayashi hull = 1", "--reason", "tried")
    assert (done.returncode, done.stdout) == (1, "")
    first, second = done.stderr.splitlines()
    assert first == "Destruction shield 2 = 99: bad-ruling: shield 2 must be 12 or less, not 99 (D3.1)"
    assert second.startswith("Kobayashi hull = 1: unknown-unit: ")
    assert snapshot(duel) == before
    assert pbem("rerun", "duel", "--from", "one").returncode == 2
    assert "nothing-played" in pbem("rerun", "duel").stderr


def test_both_speak_json(pbem: Run, duel: Path, answers: list[str]) -> None:
    done = json.loads(
        pbem("override", "duel", "Destruction batteries = 1", "--reason", "a leak", "--json").stdout
    )["done"]  # fmt: skip
    [told] = done["told"]
    assert (told["to"], told["others"]) == ("klingon", "The umpire made a ruling about Destruction.")
    pbem("submit", "duel", *answers)
    pbem("resolve", "duel")
    again = json.loads(pbem("rerun", "duel", "--json").stdout)
    assert (again["segments"], again["differs"], again["accepted"]) == (1, [], False)
