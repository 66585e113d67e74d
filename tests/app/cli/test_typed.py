"""Letters are composed in whatever is typed: macOS hands over ö as o and two dots."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.app.cli.help import composed

ROOT = Path(__file__).resolve().parents[3]
SHIP, CAPTAIN = "Königsberg", "Jürgen Groß <juergen@example.org>"


def apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def run(*line: object) -> str:
    done = CliRunner().invoke(app, [apart(str(word)) for word in line])
    assert done.exit_code == 0, (line, done.output, done.exception)
    return done.output


def test_every_command_takes_names_as_macos_gives_them(tmp_path: Path) -> None:
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    # A folder whose own name is taken apart, as on disks of macOS: it is not another one.
    home = tmp_path / apart("Müllers Spiele")
    home.mkdir()
    (home / "own.toml").write_text(scenario.replace('"Destruction"', f'"{SHIP}"'), encoding="utf-8")
    (home / "host.toml").write_text('format = 1\norders = "orders@club.example"\n', encoding="utf-8")
    game = home / "games" / "duel"
    players = ("--player", f"klingon={CAPTAIN}", "--player", "federation=ann@example.org")
    run("new", home / "own.toml", game, *players, "--ship", f"{SHIP}=kli_cadet_d6")
    assert "shield 3" in run("override", game, f"{SHIP} shield 3 = 5", "--reason", f"für die {SHIP}")
    assert "shield 4" in run("override", game, "shield 4 = 5", "--unit", SHIP, "--reason", "für beide", "--try")
    run("host", "replace", game, "federation", f"Zoë <{'zoe@example.org'}>")
    run("pause", game, "--reason", "Bühnenpause")
    kept = b"".join(path.read_bytes() for path in game.rglob("*") if path.is_file() and path.suffix != ".vsav")
    for word in (SHIP, "Jürgen Groß", "für die", "Zoë", "Bühnenpause"):
        assert word.encode() in kept, word
        assert apart(word).encode() not in kept, word


@pytest.mark.parametrize("there", [True, False])
def test_the_name_of_a_file_stays_as_it_is(tmp_path: Path, there: bool) -> None:
    """Other systems know either spelling as a file of its own."""
    file = tmp_path / apart("Prüfung.toml")
    if there:
        file.touch()
    wanted = apart if there else str
    assert composed(str(file)) == str(tmp_path) + wanted("/Prüfung.toml")
    assert composed([apart(f"{SHIP}=") + str(file)]) == [f"{SHIP}={tmp_path}{wanted('/Prüfung.toml')}"]
    assert composed(apart("ö" * 5000)) == "ö" * 5000 and composed(apart("ö\0")) == "ö\0"
