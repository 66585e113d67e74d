"""Who owns the book puts its figures in once: from `--unsure` to the archive of a finished game, as a user does it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def pbem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The commands as the door has them, without a process for each."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        typed = [str(argument) for argument in arguments]
        result = CliRunner().invoke(app, typed)
        error = result.exception
        if error is not None and not isinstance(error, GameError | SystemExit):
            raise error
        faults = "\n".join(map(str, error.faults)) if isinstance(error, GameError) else ""
        return subprocess.CompletedProcess(typed, result.exit_code, result.output, faults)

    return run


def done(found: subprocess.CompletedProcess[str]) -> str:
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_from_the_list_of_what_is_not_sure_to_an_archive_that_verifies(pbem: Run, tmp_path: Path) -> None:
    assert "rom_cadet_ca" in done(pbem("ships", "--unsure"))
    assert done(pbem("ships", "fed_cadet_ca", "--unsure")) == (
        "No figure of fed_cadet_ca is an estimate or comes from one source only.\n"
    )
    (tmp_path / "figures").mkdir()
    form = tmp_path / "figures" / "ships.toml"
    assert "figures to look up" in done(pbem("ships", "rom_cadet_ca", "--unsure", "-o", form))
    text = form.read_text(encoding="utf-8")
    assert "# shields = [14, 14, 14, 14, 14, 14]      # designed" in text
    form.write_text(text.replace("# shields = [14,", "shields = [13,"), encoding="utf-8", newline="\n")
    assert "shields #1 to #6     13 14 14 14 14 14" in done(pbem("ships", "rom_cadet_ca", "--figures", "figures"))
    left = json.loads(done(pbem("ships", "rom_cadet_ca", "--unsure", "--figures", "figures", "--json")))
    assert "shields" not in [one["figure"] for one in left]

    # No folder is named: figures beside the game are taken, and said.
    made = done(pbem("new", "6", "eagle", "--player", "federation=ann", "--player", "romulan=bob"))
    assert "Played with your own figures: ship rom_cadet_ca." in made
    form.unlink()
    for side, said in (("federation", "SHIP Constellation\nENERGY\n  SPEED 8\n"), ("romulan", "CONCEDE\n")):
        orders = tmp_path / f"{side}.txt"
        orders.write_text(f"GAME eagle TURN 1 SIDE {side} REPLY 1\n{said}END\n", encoding="utf-8", newline="\n")
        done(pbem("submit", "eagle", orders))
    done(pbem("resolve", "eagle"))
    assert "the same, byte for byte" in done(pbem("verify", "eagle"))
    done(pbem("archive", "eagle"))
    assert "the same, byte for byte" in done(pbem("verify", "eagle.pbem.zip"))

    copy = tmp_path / "eagle" / "figures" / "ships.toml"
    copy.write_text(copy.read_text(encoding="utf-8").replace("[13,", "[12,"), encoding="utf-8", newline="\n")
    changed = pbem("verify", "eagle")
    assert changed.returncode != 0
    assert "they differ from those the game was begun with" in changed.stderr


def test_a_host_names_its_figures_in_host_toml(pbem: Run, tmp_path: Path) -> None:
    done(pbem("host", "init", "club"))
    book = tmp_path / "club" / "book"
    book.mkdir()
    (book / "charts.toml").write_text("[charts.monsters.kinds.planet_killer]\nreach = 4\n", encoding="utf-8")
    host = tmp_path / "club" / "host.toml"
    host.write_text(host.read_text(encoding="utf-8").replace('figures = ""', 'figures = "book"'), encoding="utf-8")
    players = ("--player", "federation=ann@club.example", "--player", "klingon=bob@club.example")
    assert "Played with your own figures: chart monsters." in done(pbem("new", "5", "club/games/one", *players))
    assert "figures" not in done(pbem("new", "5", "club/games/two", *players, "--figures", "none"))
    assert "new games are played with figures of one's own: chart monsters" in pbem("doctor", "club").stdout
    (book / "charts.toml").write_text("[charts.monsters.kinds.planet_killer]\nreach = -4\n", encoding="utf-8")
    refused = pbem("new", "5", "club/games/three", *players)
    assert refused.returncode != 0
    assert "kinds.planet_killer.reach: -4 must be from 0 to 999" in refused.stderr
    assert not (tmp_path / "club" / "games" / "three").exists()
    assert "-4 must be from 0 to 999" in pbem("doctor", "club").stdout
