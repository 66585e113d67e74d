"""From the door: a module of somebody else's is looked at, asked about, and a game laid on it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.app.cli import vassal
from pbem.games.create import new
from pbem.vassal_bridge.binding import read_binding
from tests.vassal_bridge.foreign import MADE

Run = Callable[..., subprocess.CompletedProcess[str]]


def binding(file: Path) -> dict[str, str]:
    return read_binding(file.read_text(encoding="utf-8"), str(file)).counters


def test_a_module_is_bound_for_all_games_on_it(pbem: Run, duel: Path, tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    MADE["classes"](tmp_path / "modules" / "old.vmod")
    done = pbem("bind", "modules/old.vmod", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    told = done.stdout.replace("\\", "/").splitlines()  # as the system writes paths
    assert told[0] == "modules/old.vassal.toml: Cruiser Duel, on Main Map: all hexes."
    assert "Not sure, and guessed" in done.stdout and "The module has nothing for" not in done.stdout
    assert told[-1] == "What that places: pbem export GAME --module modules/old.vmod --try"
    lines = binding(tmp_path / "modules" / "old.vassal.toml")
    assert {"fed_cadet_ca", "std_kli_d7", "klingon drone", "plasma", "planet_killer", "planet"} <= lines.keys()
    tried = pbem("export", "duel", "--module", "modules/old.vmod", "--try")
    assert tried.stdout.splitlines() == [
        "On the map Main Map, 2 of 2 units would be placed:",
        "  Constellation  2801E  Counters/Ships/Federation/Fed CA",
        "  Destruction    0216B  Counters/Ships/Klingon/Klingon D6",
    ]
    assert not (duel / "vassal.toml").exists()
    done = pbem("export", "duel", "--module", "modules/old.vmod", "-o", "t.vsav")
    assert tried.stdout.splitlines()[1:] == done.stdout.splitlines()[1:]
    assert binding(duel / "vassal.toml") == lines
    assert pbem("import", "duel", "t.vsav").stdout == "Every counter is where the game has its unit.\n"


def test_a_games_own_file_goes_before_the_one_beside_the_module(pbem: Run, duel: Path, tmp_path: Path) -> None:
    MADE["names"](tmp_path / "n.vmod")
    assert pbem("bind", "n.vmod", "duel", "--yes").returncode == 0
    assert set(binding(duel / "vassal.toml")) >= {"Constellation", "Destruction"}
    assert pbem("bind", "n.vmod", "--yes").returncode == 0
    (duel / "vassal.toml").write_text(
        (duel / "vassal.toml").read_text(encoding="utf-8").replace('"101"', '"100"'), encoding="utf-8"
    )
    tried = pbem("export", "duel", "--module", "n.vmod", "--try", "--json")
    placed = {one["unit"]: one for one in json.loads(tried.stdout)["placed"]}
    assert placed["Constellation"]["counter"] == "Counters/Federation/CA/USS Lexington"
    assert placed["Constellation"]["lacks"] == ["it has no label for a name"]


def test_the_file_beside_another_module_is_none_of_this_one(pbem: Run, duel: Path, tmp_path: Path) -> None:
    MADE["classes"](tmp_path / "a.vmod")
    MADE["sheets"](tmp_path / "b.vmod")
    assert pbem("bind", "a.vmod", "--yes").returncode == 0
    said = pbem("export", "duel", "--module", "b.vmod", "--try").stdout
    assert said.startswith("On the map Sector, its counters chosen by name (pbem bind asks about them), 2 of 2 units")


def test_of_the_boards_on_that_map_each_game_gets_its_own(pbem: Run, tmp_path: Path) -> None:
    """The small map of scenario #1, and the one with odd columns down, where the module has them."""
    MADE["classes"](tmp_path / "m.vmod")
    assert pbem("bind", "m.vmod", "--yes").returncode == 0
    new("1", tmp_path / "small", players={"federation": "ann@example.org"}, seed="small")
    assert pbem("export", "small", "--module", "m.vmod", "-o", "t.vsav").returncode == 0
    assert 'board = "Small"' in (tmp_path / "small" / "vassal.toml").read_text(encoding="utf-8")
    assert "board" not in (tmp_path / "m.vassal.toml").read_text(encoding="utf-8")
    assert pbem("import", "small", "t.vsav").returncode == 0


def test_what_is_not_sure_is_asked_at_a_terminal(
    pbem: Run, duel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MADE["names"](tmp_path / "n.vmod")
    monkeypatch.setattr(vassal, "at_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("9\n2\n" + "\n" * 3 + "0\n" + "1\n" * 20))
    done = pbem("bind", "n.vmod")
    assert done.returncode == 0
    assert "Freighter: which is it?" in done.stdout and "  0  none of them" in done.stdout
    assert "A number from 0 to 6, please." in done.stdout
    lines = binding(tmp_path / "n.vassal.toml")
    assert lines["cadet_freighter"] == "117"
    assert "guessed" not in done.stdout
    assert len(set(lines) & {"rom_cadet_ca", "rom_cadet_kr", "std_fed_ca_cth"}) == 2  # one was answered with none
    monkeypatch.setattr(vassal, "at_terminal", lambda: False)
    assert "guessed" in pbem("bind", "n.vmod").stdout


def test_what_somebody_wrote_there_is_kept(pbem: Run, duel: Path, tmp_path: Path) -> None:
    MADE["classes"](tmp_path / "m.vmod")
    pbem("bind", "m.vmod", "duel", "--yes")
    assert "kept" not in pbem("bind", "m.vmod", "duel", "--yes").stdout
    mine = (duel / "vassal.toml").read_text(encoding="utf-8") + '"Freighter X" = "Small Freighter"\n'
    (duel / "vassal.toml").write_text(mine, encoding="utf-8", newline="\n")
    assert "What was in it before is kept in vassal.toml.old." in pbem("bind", "m.vmod", "duel", "--yes").stdout
    assert (duel / "vassal.toml.old").read_text(encoding="utf-8") == mine


def test_programs_get_all_of_it(pbem: Run, duel: Path, tmp_path: Path) -> None:
    MADE["sheets"](tmp_path / "s.vmod")
    told = json.loads(pbem("bind", "s.vmod", "duel", "--json").stdout)
    assert told["binding"]["hexes"] == "counted" and told["map"]["sure"]
    assert {one["key"]: one["choices"][0]["why"] for one in told["counters"]}["Destruction"] == (
        "klingon by its picture and D6 by its name"
    )
    assert Path(told["file"]).as_posix() == "duel/vassal.toml"
    assert json.loads(pbem("bind", "s.vmod", "duel", "--json", "-o", "else.toml").stdout)["file"] == "else.toml"
    assert (tmp_path / "else.toml").is_file()


def test_what_cannot_be(pbem: Run, duel: Path, tmp_path: Path) -> None:
    assert "none.vmod: module: there is no such file" in pbem("bind", "none.vmod").stderr
    MADE["classes"](tmp_path / "m.vmod")
    usage = pbem("export", "duel", "--module", "m.vmod")
    assert usage.returncode == 2 and "name the file to write, or use --try to write none" in usage.stderr
