"""From the door: a module is written, a game laid on it, and the table taken back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.games.create import new

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_a_game_needs_nobody_elses_files(pbem: Run, duel: Path, tmp_path: Path) -> None:
    written = pbem("module", "--svg", "-o", "m.vmod", "--json")
    assert json.loads(written.stdout)["scenarios"] == 12
    tried = pbem("export", "duel", "--module", "m.vmod", "--try").stdout
    page = Path(__file__).parents[3] / "docs" / "vassal.md"
    assert tried in page.read_text(encoding="utf-8"), "the page shows it"
    done = pbem("export", "duel", "--module", "m.vmod", "-o", "t.vsav")
    assert done.returncode == 0 and "by name" not in tried + done.stdout, "its counters say what they are"
    assert '"Constellation" = "Federation Cadet cruiser"' in (duel / "vassal.toml").read_text(encoding="utf-8")
    back = pbem("import", "duel", "t.vsav")
    assert (back.returncode, back.stdout) == (0, "Every counter is where the game has its unit.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "players"),
    [
        ("4", {"federation": "ann@example.org", "klingon": "robot"}),
        ("6", {"federation": "ann@example.org", "romulan": "bob@example.org"}),
        ("11", {"federation": "ann@example.org"}),  # a planet, which no table moves
    ],
)
def test_games_of_other_scenarios_come_back_as_well(
    pbem: Run, tmp_path: Path, number: str, players: dict[str, str]
) -> None:
    new(number, tmp_path / "game", players=players, seed="companion")
    assert "m.vmod: a VASSAL module with" in pbem("module", "--svg", "-o", "m.vmod").stdout
    shown = pbem("export", "game", "--module", "m.vmod", "-o", "t.vsav", "--json")
    told = json.loads(shown.stdout)
    assert (told["left_out"], told["map"], told["save"]) == ([], "Space", "t.vsav")
    assert all(one["lacks"] == [] for one in told["placed"]) and told["placed"]
    back = pbem("import", "game", "t.vsav")
    assert (back.returncode, back.stdout) == (0, "Every counter is where the game has its unit.\n")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("nowhere/m.vmod", "nowhere/m.vmod: module: cannot be written"),
        (".", "module: name a file, not a folder: cadet.vmod"),
    ],
)
def test_where_the_module_cannot_be_written_is_said_before_it_is_drawn(
    pbem: Run, monkeypatch: pytest.MonkeyPatch, output: str, said: str
) -> None:
    def drawn(**_: object) -> None:
        raise AssertionError("it is drawn for nothing")

    monkeypatch.setattr("pbem.vassal_bridge.companion.module.build_module", drawn)
    done = pbem("module", "--svg", "-o", output)
    assert done.returncode == 1
    assert said in done.stderr.replace("\\", "/")
