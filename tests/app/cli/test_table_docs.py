"""docs/vassal.md: its commands run, and the chat it shows is that of the film."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.app.cli.commands import app
from vassal.cli import app as vassal
from vassal.log import read_log

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "vassal.md").read_text(encoding="utf-8")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.slow
def test_the_commands_of_the_page_run(pbem: Run, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "turns" / "duel01", tmp_path / "duel01")
    blocks = re.findall(r"```(?:sh|text)\n(.*?)```", PAGE, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines() if line.startswith("pbem ")]
    assert len(commands) == 12
    for command in commands:
        if "mine." in command:  # a player's own file, once as a log and once as a save
            made = "turn2.vlog" if "vlog" in command else "duel01.vsav"
            shutil.copy(tmp_path / made, tmp_path / ("mine" + made[-5:]))
        done = pbem(*command.split()[1:])
        assert (done.returncode, done.stderr) in ((0, ""), (1, done.stderr)), command
        assert "mine." in command or done.returncode == 0, done.stderr
    [chat] = [block.splitlines() for block in blocks if block.startswith("* ---")]
    told = read_log(tmp_path / "turn2.vlog").table.chat
    begin = told.index(chat[0])
    assert list(told[begin : begin + len(chat)]) == chat


def test_every_option_of_the_page_exists() -> None:
    import typer

    known: set[str] = set()
    for program in (app, vassal):
        commands = typer.main.get_command(program).commands  # type: ignore[attr-defined]
        for name in ("bind", "export", "import", "module", "table") if program is app else commands:
            known |= {option for parameter in commands[name].params for option in parameter.opts}
    assert set(re.findall(r"(?<![-\w])--?[a-z]+\b", PAGE)) - {"--"} <= known
