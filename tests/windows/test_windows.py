"""A Windows Python plays the same, byte for byte, and goes on where other programs have its files open.

On Windows this is the Python that runs the tests. Elsewhere PBEM_WINDOWS_PYTHON holds the command line of one
(README.md says in what ways one can be had); without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.docs.blocks import blocks

HERE = Path(__file__).parent
VARIABLE = "PBEM_WINDOWS_PYTHON"
NAMED = os.environ.get(VARIABLE, "")
WINDOWS = [sys.executable] if os.name == "nt" else shlex.split(NAMED)
WINE = "/usr/lib/wine"
"""Where Debian's package has it, beside PATH."""
Play = Callable[..., dict[str, Any]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not WINDOWS, reason=f"needs a Windows Python: {VARIABLE} holds its command line"),
]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Have a part of ``played.py`` played; what it says."""

    def go(part: str, python: list[str] = WINDOWS, folder: str = "windows") -> dict[str, Any]:
        done = subprocess.run(
            [*python, str(HERE / "played.py"), part, str(tmp_path / folder)], cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        said: dict[str, Any] = json.loads(done.stdout)
        return said

    return go


def files(folder: Path) -> dict[str, bytes]:
    """All files but locks; the path of a module differs, as it lies in another folder, and how zipfile packs one that
    the test makes itself.
    """
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".lock" and not path.name.endswith(("vassal.toml", "old.vmod"))
    }


@pytest.mark.skipif(os.name == "nt", reason="there is no other system here to compare with")
def test_a_game_is_the_same_byte_for_byte(play: Play, tmp_path: Path) -> None:
    """The demo, and a duel from ``new`` by way of undo to its archive, its site and its saves."""
    said = play("duel")
    assert "the replay is the same, byte for byte" in said["verify"] and "rolls" in said["archive"]
    play("duel", [sys.executable], "here")
    theirs, ours = files(tmp_path / "windows"), files(tmp_path / "here")
    assert theirs.keys() == ours.keys() and len(ours) > 300
    assert [name for name, data in ours.items() if theirs[name] != data] == []


@pytest.mark.skipif(os.name == "nt", reason="there is no other system here to compare with")
def test_a_table_is_laid_and_kept_in_step_byte_for_byte(play: Play, tmp_path: Path) -> None:
    """A module of somebody else's is bound, saves are exported, moves are read, tables brought up to date."""
    said = play("laid")
    assert said["tried"].count("Destruction") == 1 and said["moved"].startswith("mine.vsav: Destruction: PLOT")
    assert play("laid", [sys.executable], "here") == said
    theirs, ours = files(tmp_path / "windows"), files(tmp_path / "here")
    assert theirs.keys() == ours.keys() and "meine Züge/duel turn 1.vlog" in ours
    assert [name for name, data in ours.items() if theirs[name] != data] == []


def test_tables_that_a_program_has_open_are_waited_for(play: Play) -> None:
    said = play("open_table")
    code, _, err = said["held"]
    assert code == 1 and "in-use" in err and "mine.vsav" in err and said["nothing was done"]
    assert said["let go"][0] == 0 and "mine.vsav: Destruction: PLOT" in said["let go"][1]
    assert said["shown"][0] == 1 and "in-use" in said["shown"][2] and "VASSAL perhaps" in said["shown"][2]


def test_the_table_of_an_evening_is_served(play: Play) -> None:
    said = play("served")
    if "skipped" in said:
        pytest.skip(said["skipped"])
    assert said == {"status": 200, "begins": True, "crlf": False}


def test_what_another_program_holds_for_half_a_second_is_waited_for(play: Play) -> None:
    said = play("moments")
    for key in ("replace", "rename", "unlink", "read", "save"):
        assert said[f"{key} a moment"] == "done", key
        assert said[f"{key} always: there"] == "old", key
    assert said["replace a moment: there"] == "new" and said["unlink a moment: there"] == ""
    assert [said[f"{key} always"] for key in ("replace", "unlink", "read")] == ["in-use"] * 3
    assert said["rename always"].startswith("PermissionError") and "VASSAL perhaps" in said["save always"]
    assert not [name for name in said["left"] if name.endswith((".tmp", ".part"))]


def test_a_turn_is_played_while_somebody_has_its_positions_open(play: Play) -> None:
    said = play("looked_at")
    code, out, _ = said["resolve"]
    assert code == 0 and "Played from request 2" in out and "another program seems to have it open" in out
    assert said["positions as before"] and said["late"]
    assert "written anew" in said["resolved again"][1] and said["positions made up"] and not said["late after"]
    assert "byte for byte" in said["verify"][1]
    code, _, err = said["state held"]
    assert code == 1 and "in-use" in err and "the next command writes its reports" in err
    assert said["after state"][0] == 0 and "byte for byte" in said["verify again"][1]


def test_a_host_goes_on_while_somebody_has_the_positions_open(play: Play) -> None:
    """With a mail server and people who write, on that machine."""
    said = play("hosted")
    if "skipped" in said:
        pytest.skip(said["skipped"])
    assert said["doctor"][0] == 0, said["doctor"]
    assert not [one for one in said["rounds"] if one["troubles"]]
    assert ["played", "late"] in [one["happened"] for one in said["rounds"]]
    assert said["as before"] and said["made up"]
    assert said["status"][0] == 0 and "byte for byte" in said["verify"][1]


def test_a_club_is_hosted_by_commands_alone_and_has_a_door(play: Play) -> None:
    """`pbem host CLUB --once` as a scheduler begins it, and `pbem host web` beside it."""
    said = play("by_command")
    assert said["first"][0] == 0 and "2 mails written" in said["first"][1]
    assert said["orders"][0] == 0 and "2 letters taken in. duel: played request 1 of turn 1" in said["orders"][1]
    assert said["nothing"] == [0, "", ""] and said["waiting"] == 6 and said["in"] == []
    assert said["status"][0] == 0 and "REPLY 2" in said["status"][1]
    if "skipped" in said["door"]:
        pytest.skip(said["door"]["skipped"])
    assert said["door"]["in"] == 303 and said["door"]["sent"] == 303 and said["door"]["filed"]
    assert [page for path, page in said["door"].items() if path.startswith("/")] == [[200, True, False]] * 3


def test_names_and_paths_of_windows(play: Play) -> None:
    said = play("names")
    for name in ("con", "nul", "COM1"):
        assert said[name][0] == 1 and "Windows uses it for a device" in said[name][2]
    assert said["console"][0] == 0
    tab, missing = said['doctor "C:\\temp\\new"'], said["doctor 'C:/no such folder'"]
    assert tab[0] == 1 and "write the path with /" in tab[1] + tab[2]
    assert missing[0] == 1 and "there is no such folder" in missing[1]


def test_consoles_show_what_they_can(play: Play) -> None:
    """Nothing fails for a letter that a console does not have; files and pipes get UTF-8."""
    said = play("consoles")
    for encoding in ("cp1252", "cp437", "ascii", "utf-8"):
        for terminal in (True, False):
            for command, code in (("status", 0), ("map", 0), ("resolve", 1)):
                found = said[f"{encoding} {terminal} {command}"]
                assert found[0] == code and "Traceback" not in found[2], (encoding, terminal, command, found)
        assert "Jürgen Groß" in said[f"{encoding} False status"][1]
        assert encoding == "ascii" or "Jürgen Groß" in said[f"{encoding} True status"][1]


@pytest.mark.skipif(os.name == "nt", reason="here Python starts without Wine")
def test_the_starter_of_the_page_starts_python(tmp_path: Path) -> None:
    """README.md; beside the starter the variable names lie a Python and a prefix, as that page has them."""
    folder, found = Path(WINDOWS[-1]).resolve().parent, shutil.which("wine64") or shutil.which("wine64", path=WINE)
    if found is None or not (folder / "python" / "python.exe").is_file():
        pytest.skip("the Windows Python here does not lie as the page says")
    (block,) = (one for one in blocks("tests/windows/README.md", "sh") if one.text.lstrip().startswith("#!"))
    starter = tmp_path / "starter"
    text = textwrap.dedent(block.text).replace("/srv/windows", str(folder))
    starter.write_text(text.replace("srv\\windows", str(folder).lstrip("/").replace("/", "\\")), encoding="utf-8")
    starter.chmod(0o755)
    env = os.environ | {"PATH": os.pathsep.join((str(Path(found).parent), os.environ["PATH"]))}
    done = subprocess.run([starter, "-c", "import sys; print(sys.platform)"], env=env, capture_output=True, text=True)
    assert done.stdout.split() == ["win32"], done.stderr
