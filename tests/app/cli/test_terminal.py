"""What a terminal is shown: maps in letters, coloured tables, bars; and that nobody else gets any of it."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.games.storage.opening import opened
from pbem.games.storage.publish import view_of
from pbem.reports.text.map import ARROWS, plain_text, text_map
from pbem.reports.view.model import ReportView, UnitStatus

Run = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[3]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture(scope="module")
def view() -> ReportView:
    """The shipped duel when its second turn had ended."""
    with opened(ROOT / "turns" / "duel01") as game:
        return view_of(game, "klingon", 2)


@pytest.fixture
def screen(tmp_path: Path, environment: dict[str, str]) -> Callable[..., tuple[str, str]]:
    """Run ``pbem …`` at a terminal of 90 columns: what it showed there, and what standard output got if ``piped``."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    import fcntl
    import struct
    import termios

    def show(*arguments: object, piped: bool = False, **settings: str) -> tuple[str, str]:
        mine, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
        kept = {key: value for key, value in environment.items() if key not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
        with subprocess.Popen(
            [sys.executable, "-m", "pbem", *map(str, arguments)], cwd=tmp_path, stdin=theirs, stderr=theirs,
            stdout=subprocess.PIPE if piped else theirs,
            env={**kept, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8", **settings},
        ) as process:  # fmt: skip
            os.close(theirs)
            shown = b""
            until = time.monotonic() + 120
            while time.monotonic() < until:
                ready, _, _ = select.select([mine], [], [], 0.1)
                if ready:
                    try:
                        data = os.read(mine, 65536)
                    except OSError:
                        break  # Linux: the other end is closed
                    if not data:
                        break
                    shown += data
                elif process.poll() is not None:
                    break
            out = process.stdout.read().decode() if process.stdout else ""
        os.close(mine)
        text = shown.decode().replace("\r\n", "\n")
        assert "Traceback" not in text
        return text, out

    return show


# --- the map ----------------------------------------------------------------------------------------------------------


def test_the_map_in_letters_has_every_unit_in_its_hex_with_its_facing(view: ReportView) -> None:
    lines = plain_text(text_map(view, width=80)).split("\n")
    assert max(map(len, lines)) <= 80
    for unit in view.units:
        mark = unit.name[0] + ARROWS[unit.facing]
        row = next(place for place, line in enumerate(lines) if f" {mark} " in line)
        column = lines[row].index(f" {mark} ")
        # The number of a hex stands on its lower side, below its middle.
        assert lines[row + 1][column : column + 4] == unit.hex
        assert any(line.startswith(f"{mark[0]} {unit.name}") and unit.at in line for line in lines)


def test_a_wide_terminal_shows_the_whole_map_and_a_narrow_one_its_rows_and_columns(view: ReportView) -> None:
    whole = plain_text(text_map(view, width=160))
    assert "0101" in whole and "2817" in whole and "hexes " not in whole
    narrow = plain_text(text_map(view, width=40))
    assert max(map(len, narrow.split("\n"))) <= 40
    assert narrow.split("\n")[0].split() == [f"{column:02}" for column in range(14, 22)]
    assert "hexes 1403-2115 of 0101-2817" in narrow


def test_letters_alone_are_enough(view: ReportView) -> None:
    drawn = plain_text(text_map(view, ascii_only=True))
    assert drawn.isascii() and re.search(r"\bCC\b", drawn) and re.search(r"\bDF\b", drawn)


def test_units_that_share_a_hex_are_counted_and_all_are_named(view: ReportView) -> None:
    first = view.units[0]
    crowd = tuple(replace(first, name=f"{first.name[0]}{n}") for n in range(5))
    for width, told in ((80, "+4"), (40, "+4")):
        drawn = plain_text(text_map(replace(view, units=crowd, tracks=()), width=width))
        assert told in drawn and all(f" {unit.name} " in drawn for unit in crowd)
    pair = plain_text(text_map(replace(view, units=crowd[:2], tracks=()), width=80))
    assert "+1" not in pair and pair.count(ARROWS[first.facing]) == 4  # two on the map, two in the legend


def test_planets_and_asteroids_are_drawn(view: ReportView) -> None:
    planet = UnitStatus(
        name="Rigel", side="", seeker=False, type="planet", hex="1708", facing="", speed=0, kind="planet",
        hexes=("1708",),
    )  # fmt: skip
    drawn = plain_text(text_map(replace(view, units=(*view.units, planet), asteroids=("1806",)), width=80))
    assert "(R)" in drawn and ".:." in drawn and re.search(r"R Rigel +1708 +planet", drawn)


def test_a_map_of_nothing_is_drawn_whole(view: ReportView) -> None:
    assert "2817" in plain_text(text_map(replace(view, units=(), tracks=()), width=160))
    assert plain_text(text_map(replace(view, units=(), tracks=()), width=20))


def test_every_mark_is_of_one_unit_as_long_as_there_are_letters(view: ReportView) -> None:
    first = view.units[0]
    fleet = tuple(replace(first, name=f"Cruiser-{n:02}") for n in range(26))
    drawn = plain_text(text_map(replace(view, units=fleet, tracks=()))).split("\n")
    marks = [line[0] for line in drawn if line[1:].startswith(" Cruiser-")]
    assert sorted(marks) == list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def test_without_a_file_the_map_is_printed_plain_or_as_json(pbem: Run, duel: Path) -> None:
    said = pbem("map", "duel", "--side", "klingon")
    assert said.returncode == 0 and "\x1b" not in said.stdout and "Constellation" in said.stdout
    data = json.loads(pbem("map", "duel", "--side", "klingon", "--json").stdout)
    assert data == {"map": said.stdout.rstrip("\n"), "side": "klingon"}


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_terminal_gets_colours_and_a_pipe_gets_none(
    pbem: Run, screen: Callable[..., tuple[str, str]], duel: Path
) -> None:
    for command in (("status", duel), ("scenarios",), ("ships", "std_fed_ca_cth"), ("scenarios", "9"), ("map", duel)):
        shown, _ = screen(*command)
        said = pbem(*command).stdout
        assert ESCAPE.search(shown) and "\x1b" not in said, command
        bare = ESCAPE.sub("", shown)
        assert max(map(len, bare.split("\n"))) <= 90
        words = set(re.findall(r"[a-z]{4,}", said.casefold()))
        missing = {word for word in words if word.removesuffix("s") not in bare.casefold()}
        assert len(words) > 5 and not missing, command


@pytest.mark.slow
def test_no_color_is_respected_and_json_is_the_same_everywhere(
    pbem: Run, screen: Callable[..., tuple[str, str]], duel: Path
) -> None:
    shown, _ = screen("status", duel, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*(3[0-9]|4[0-9]|9[0-9])[0-9;]*m", shown) and "federation" in shown
    dumb, _ = screen("status", duel, TERM="dumb")
    assert dumb == pbem("status", duel).stdout
    data, _ = screen("scenarios", "--json")
    assert data == pbem("scenarios", "--json").stdout


def test_old_consoles_get_letters_they_know(screen: Callable[..., tuple[str, str]], duel: Path) -> None:
    shown, _ = screen("map", duel, PYTHONIOENCODING="cp437")
    assert ESCAPE.sub("", shown).isascii() and "Constellation" in shown


# --- bars -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_bar_shows_on_the_terminal_and_nothing_of_it_in_the_result(
    screen: Callable[..., tuple[str, str]], pbem: Run
) -> None:
    shown, out = screen("module", "-o", "cadet.vmod", "--json", piped=True)
    assert "drawing the module" in ESCAPE.sub("", shown)
    assert json.loads(out)["module"] == "cadet.vmod"
    quiet = pbem("module", "--svg", "-o", "cadet.vmod", "--json")
    assert quiet.stderr == "" and json.loads(quiet.stdout) == json.loads(out)


def test_what_is_quick_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    from pbem.app.cli import output

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with output.progress("nothing much") as told:
        told(1, 2)
        bar = told
    assert isinstance(bar, output._Bar) and bar.bar is None and bar.closed
    bar._open()  # a timer that fires too late opens nothing
    assert bar.bar is None
