"""From the door: a save brought up to date, a turn as a film, plots and orders brought back from the table."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.games.create import new
from pbem.rules.movement import enter
from vassal.log import StepLog
from vassal.module.module import read_module
from vassal.pieces.piece import Look
from vassal.save import read_save, read_text, with_tree
from vassal.text import commands, leaves
from vassal.write import Change, update

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., subprocess.CompletedProcess[str]]
PASSWORD = "kor's password"


@pytest.fixture(scope="session")
def companion(companion_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(companion_file, tmp_path_factory.mktemp("module") / "m.vmod"))


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """The shipped duel."""
    shutil.copytree(ROOT / "turns" / "duel01", tmp_path / "game")
    return tmp_path / "game"


@pytest.fixture
def sop(tmp_path: Path, pbem: Run, companion: Path) -> Path:
    """A duel whose energy forms are in: speeds are announced and plots are asked for. It lies on the table."""
    new("5", tmp_path / "duel", players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="table")
    for side, ship, speed in (("federation", "Constellation", 12), ("klingon", "Destruction", 9)):
        text = f"GAME duel TURN 1 SIDE {side} REPLY 1\nSHIP {ship}\nENERGY\n  SPEED {speed}\nEND\n"
        (tmp_path / f"{side}.txt").write_text(text, encoding="utf-8")
    assert pbem("submit", "duel", "federation.txt", "klingon.txt").returncode == 0
    assert pbem("resolve", "duel").returncode == 0
    assert pbem("export", "duel", "--module", companion, "-o", "t.vsav").returncode == 0
    return tmp_path


def drag(folder: Path, module: Path, codes: str) -> None:
    """Kor's log of dragging his ship about as these codes fly it."""
    log = StepLog(read_save(folder / "t.vsav"))
    layout = read_module(module).map("Space").layout(log.start.boards["Space"])
    hex_, facing = "0216", "B"
    for code in codes.split():
        hex_, facing = enter(hex_, facing, code)
        log = log.move("pbem-Destruction", "Space", *layout.pixel(hex_), Look(facing="ABCDEF".index(facing)))
    log.write(folder / "kor.vlog")


def with_note(folder: Path, text: str, *, side: str = "Klingon") -> None:
    """Kor's own save, with a delayed note of his and one of Ann's."""
    save = read_save(folder / "t.vsav")
    extra: list[leaves.AnyLeaf] = [
        leaves.Player(PASSWORD, "Kor", side),
        leaves.Player("ann's password", "Ann", "Federation"),
        leaves.SecretNote("orders", PASSWORD, True, text.replace("\n", "|"), "01/02/2026 3:04 PM", "Kor"),
        leaves.SecretNote("mine", "ann's password", True, "SHIP Constellation|PLOT 3F", "01/02/2026 3:04 PM", "Ann"),
    ]
    tree = commands.insert_before(
        save.tree, lambda leaf: leaf.text == "end_save", [commands.Leaf(one.encode()) for one in extra]
    )
    with_tree(save, tree).write(folder / "kor.vsav")


@pytest.mark.slow
def test_a_turn_is_written_as_a_film(pbem: Run, played: Path, companion: Path, tmp_path: Path) -> None:
    done = pbem("export", "game", "--module", companion, "--log", "--turn", 2, "-o", "turn2.vlog")
    assert done.stdout.startswith("turn2.vlog: turn 2 of duel01 in 65 steps on the map Space.\n")
    told = json.loads(pbem("export", "game", "--module", companion, "--log", "-o", "last.vlog", "--json").stdout)
    assert (told["turn"], told["save"]) == (5, "last.vlog")
    back = pbem("import", "game", "last.vlog")
    assert back.stdout.startswith("Every counter is where the game has its unit.")
    pbem("export", "game", "--module", companion, "--log", "--turn", 2, "-o", "again.vlog")
    assert read_text(tmp_path / "turn2.vlog") == read_text(tmp_path / "again.vlog")


@pytest.mark.slow
def test_a_save_is_brought_up_to_date(pbem: Run, sop: Path, companion: Path) -> None:
    shutil.copy(sop / "t.vsav", sop / "old.vsav")
    with_note(sop, "SHIP Destruction\nPLOT 9F")
    text = "GAME duel TURN 1 SIDE {} REPLY 2\nSHIP {}\nPLOT 2F\nEND\n"
    (sop / "a.txt").write_text(text.format("federation", "Constellation"), encoding="utf-8")
    (sop / "b.txt").write_text(text.format("klingon", "Destruction"), encoding="utf-8")
    assert pbem("submit", "duel", "a.txt", "b.txt").returncode == 0
    assert pbem("resolve", "duel").returncode == 0
    done = pbem("export", "duel", "--module", companion, "--onto", "kor.vsav", "-o", "new.vsav")
    assert done.stdout.startswith("new.vsav: kor.vsav brought to ")
    assert "  Federation Cadet cruiser (Constellation) moved from 2801 (Space) to " in done.stdout
    assert "  the public notes hold the sitrep of " in done.stdout
    assert PASSWORD not in done.stdout + done.stderr
    new_text = read_text(sop / "new.vsav")
    assert new_text.count(PASSWORD) == read_text(sop / "kor.vsav").count(PASSWORD)
    assert pbem("import", "duel", "new.vsav").stdout == "Every counter is where the game has its unit.\n"


@pytest.mark.slow
def test_a_plot_is_worked_out_and_filed_only_when_told(pbem: Run, sop: Path, companion: Path) -> None:
    drag(sop, companion, "F F R")
    shown = pbem("import", "duel", "kor.vlog", "--plot", "--side", "klingon")
    assert shown.stdout == (
        "SHIP Destruction AT 0216B\nPLOT 2F R\nNothing was filed: --take files the plots.\n"
    ), shown.stderr  # fmt: skip
    assert not (sop / "duel" / "01" / "orders" / "klingon.r2.orders").exists()
    told = json.loads(pbem("import", "duel", "kor.vlog", "--plot", "--json").stdout)
    assert (told["plots"][0]["codes"], told["taken"]) == (["F", "F", "R"], False)
    filed = pbem("import", "duel", "kor.vlog", "--plot", "--side", "klingon", "--take")
    assert "klingon: filed as the answer to request 2" in filed.stdout
    assert "PLOT 2F R" in (sop / "duel" / "01" / "orders" / "klingon.r2.orders").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_plot_filed_before_any_speed_says_so(pbem: Run, tmp_path: Path, companion: Path) -> None:
    """The first request wants energy: the draft has no speed, so the ship would not fly the plot."""
    new("5", tmp_path / "duel", players={"federation": "ann@example.org", "klingon": "bob@example.org"}, seed="table")
    assert pbem("export", "duel", "--module", companion, "-o", "t.vsav").returncode == 0
    drag(tmp_path, companion, "F F R")
    filed = pbem("import", "duel", "kor.vlog", "--plot", "--side", "klingon", "--take")
    assert "# this many hexes need SPEED 3" in filed.stdout
    assert "Note: Destruction: you allocated no energy: 20 points are unused." in filed.stdout
    assert "codes of the plot are not used: speed 0 makes 0 hexes here." in filed.stdout


@pytest.mark.slow
def test_what_the_rules_forbid_is_told_and_never_filed(pbem: Run, sop: Path, companion: Path) -> None:
    """Turn mode 2 at speed 9: two turns in a row are one too many (C3.2)."""
    drag(sop, companion, "L L")
    shown = pbem("import", "duel", "kor.vlog", "--plot", "--side", "klingon", "--take")
    assert shown.returncode == 1
    assert "PLOT 2L" in shown.stdout and "Nothing was filed." in shown.stdout
    assert "turn-mode: hex 2 (L) from 0215A, speed 9: turn mode 2: the ship must move 2 hexes" in shown.stderr


@pytest.mark.slow
def test_orders_in_a_delayed_note_are_shown_and_filed(pbem: Run, sop: Path) -> None:
    with_note(sop, "SHIP Destruction\nPLOT 4F SR 4F\nBREAK RANGE Constellation <= 8")
    shown = pbem("import", "duel", "kor.vsav", "--side", "klingon")
    assert shown.returncode == 0
    assert "Delayed note 'orders':" in shown.stdout and "  PLOT 4F SR 4F" in shown.stdout
    assert "Not read, because not klingon's: 1 of the notes." in shown.stdout
    assert "Constellation\nPLOT" not in shown.stdout and "password" not in shown.stdout
    assert "Nothing was filed: --take files the orders." in shown.stdout
    filed = pbem("import", "duel", "kor.vsav", "--side", "klingon", "--take", "--json")
    assert json.loads(filed.stdout)["receipt"]["side"] == "klingon"
    assert "password" not in filed.stdout
    assert "BREAK RANGE Constellation <= 8" in (sop / "duel" / "01" / "orders" / "klingon.r2.orders").read_text(
        encoding="utf-8"
    )
    assert "No delayed note of klingon contains orders." in (
        pbem("import", "duel", "t.vsav", "--side", "klingon").stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("export", "duel", "--module", "m", "--log", "--onto", "t.vsav", "-o", "x"), "--onto"),
        (("export", "duel", "--module", "m", "--turn", "2", "-o", "x"), "needs --log"),
        (("import", "duel", "a.vsav", "b.vsav"), "before and after"),
        (("import", "duel", "a.vsav", "--plot", "--take"), "whose orders"),
        (("import", "duel", "a.vsav", "--side", "gorn"), "'gorn' must be one of federation, klingon"),
        (("import", "duel", "a.vsav", "--note", "x"), "needs --side"),
    ],
)
def test_options_that_do_not_go_together(pbem: Run, duel: Path, arguments: tuple[str, ...], said: str) -> None:
    done = pbem(*arguments)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_save_that_is_not_the_games_is_never_called_all_in_place(pbem: Run, sop: Path, companion: Path) -> None:
    """A save of another module, one without the game's counters, and one whose counters lie beside the map."""
    data = ROOT / "tests" / "vassal" / "data"
    for more in ((), ("--plot",), ("--plot", "--side", "klingon"), ("--take",)):
        other = pbem("import", "duel", data / "hexspace-full-3.7.26.vsav", *more)
        assert (other.returncode, other.stdout) == (1, "")
        assert "name the module of this save: it is 'Hex Space Test', not 'Cadet Companion'" in other.stderr
    save = read_save(sop / "t.vsav")
    ids = [piece.id for piece in save.pieces]
    update(save, remove=ids).write(sop / "empty.vsav")
    for more in ((), ("--take",)):
        none = pbem("import", "duel", "empty.vsav", *more)
        assert none.returncode == 1
        assert none.stdout.startswith("No counter is where the game has its unit.\nNo counter for Constellation")
        assert "no counter in it is a unit of this game" in none.stderr
    plotted = pbem("import", "duel", "empty.vsav", "--plot")
    assert plotted.returncode == 1
    assert "no counter of this game's ships or shuttles is on its map" in plotted.stderr
    assert "was moved" not in plotted.stdout
    update(save, remove=["pbem-Destruction"]).write(sop / "half.vsav")
    half = pbem("import", "duel", "half.vsav")
    assert (half.returncode, half.stdout) == (
        *(0, "1 counter is where the game has its unit.\nNo counter for Destruction: it stays where it is.\n"),
    )
    plotted = pbem("import", "duel", "half.vsav", "--plot")
    assert (plotted.returncode, plotted.stdout) == (
        0,
        "No counter of a ship or shuttle was moved.\n"
        "Nothing was read for Destruction: its counter is not on the map.\n",
    )
    update(save, {"pbem-Destruction": Change(at=(3, 3))}).write(sop / "margin.vsav")
    margin = pbem("import", "duel", "margin.vsav", "--take")
    assert margin.returncode == 1
    assert "Destruction: its counter is beside the hexes of the map" in margin.stderr
    text = read_text(sop / "t.vsav")
    [line] = [one for one in text.split("\x1b") if one.startswith("+/pbem-Destruction/")]
    piece = save.piece("pbem-Destruction").piece.at(None, 0, 0)
    off = text.replace(line, leaves.AddPiece("pbem-Destruction", piece.type, piece.state).encode())
    kept = [one for one in off.split("\x1b") if "/stack/" not in one]
    with_tree(save, commands.parse("\x1b".join(kept), "off")).write(sop / "off.vsav")
    off_map = pbem("import", "duel", "off.vsav", "--take")
    assert off_map.returncode == 1
    assert "Destruction: its counter is off the map, not on 'Space'" in off_map.stderr
    assert off_map.stdout.startswith("1 counter is where the game has its unit.\n")
