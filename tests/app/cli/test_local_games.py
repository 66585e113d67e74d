"""Commands on a game that is played in the browser: its reports are written when a command asks for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from pbem.app.web.evening import Table
from tests.app.cli.conftest import Run

PAPERS = {"mail.eml", "orders.draft", "orders.html", "sitrep.html", "sitrep.txt"}


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "open --print", "status"])
def test_reports_are_there_as_soon_as_a_command_asks(tmp_path: Path, pbem: Run, command: str) -> None:
    table = Table(tmp_path)
    name = table.begin("1", "federation")
    table.send(name, "federation", table.draft(name, "federation"))
    game = tmp_path / name
    folder = game / str(table.look(name).now.reports)
    assert not folder.exists() and (game / "reports.late.txt").is_file()
    assert pbem("verify", game).returncode == 0 and not folder.exists(), "that they are left is no fault"
    done = pbem(*command.split(), game, "--json")
    assert done.returncode == 0 and json.loads(done.stdout)
    assert {path.name for path in (folder / "federation").iterdir()} == PAPERS
    assert (folder.parent / "positions.vsav").is_file() and not (game / "reports.late.txt").exists()
    if command != "status":
        page = pbem("report", game, "--side", "federation").stdout.strip()
        assert Path(page).read_bytes() == table.page(name, "federation", "report")
