"""Computer players decide while the person plans: the game is the same as if they decided when orders are sent."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

from pbem.app.web import evening as evening_module, thinking as module
from pbem.app.web.course import seats
from pbem.app.web.evening import Table
from pbem.app.web.thinking import Thinking, decide_ahead, decision_key, supposition
from pbem.data.scenarios import scenario
from pbem.errors import GameError
from pbem.games.computer_sides import CaptainsTask, captains_orders, decided
from pbem.games.create import new
from pbem.games.proof.restored import remember
from pbem.games.proof.verify_game import verify
from pbem.games.storage.folder import GameFolder, log_digest
from pbem.games.storage.opening import opened
from tests.app.web.test_door import Caller, Opened, at_once

if TYPE_CHECKING:
    from pbem.app.web.server import Evening
    from pbem.data.doctrines import SkillLevel

ROOT = Path(__file__).resolve().parents[3]
ME, OTHER = "klingon", "federation"


class Watched(Thinking):
    """Thinking that counts the decisions which were not made ahead."""

    late = 0

    def settle(self) -> None:
        """Wait until nothing is left to decide."""
        with self._change:
            assert self._change.wait_for(lambda: not (self._requests or self._checked or self._running), 300)


@pytest.fixture
def ahead(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    thinking = Watched()

    def late(*given: object) -> str:
        thinking.late += 1
        return captains_orders(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "captains_orders", late)
    yield thinking
    thinking.close()


def begun(folder: Path, key: str, level: str, name: str = "game") -> Path:
    """Begin a game with known dice, as a table does."""
    new(key, folder / name, players=seats(scenario(key), ME, level), seed=f"thinking {key} {level} {name}")
    return folder


def ordered(table: Table, name: str = "game") -> str:
    """What an ensign would order in the place of the person."""
    with opened(table.path(name)) as game:
        return captains_orders(game, ME, "ensign")


def files(table: Table, name: str = "game") -> dict[str, bytes]:
    """All files of a game that are not derived from others, and its states."""
    path = table.path(name)
    found = [*path.glob("*/events.jsonl"), *path.glob("*/state.json"), *path.glob("*/orders/*")]
    return {file.relative_to(path).as_posix(): file.read_bytes() for file in found}


def twins(tmp_path: Path, key: str, level: str, ahead: Thinking) -> tuple[Table, Table]:
    """Two tables with the same game: at one computer players decide when asked, at the other they think ahead."""
    begun(tmp_path / "asked", key, level)
    shutil.copytree(tmp_path / "asked", tmp_path / "ahead")
    return Table(tmp_path / "asked"), Table(tmp_path / "ahead", ahead)


def sent(table: Table, orders: str, name: str = "game") -> None:
    """Send orders as the page does: it looks, lets them be checked, and sends them."""
    table.look(name)
    table.check(name, ME, orders)
    if isinstance(table._thinking, Watched):
        table._thinking.settle()
    table.send(name, ME, orders)


@pytest.mark.slow
@pytest.mark.parametrize(("key", "level", "requests"), [("5", "commodore", 6), ("10", "captain", 4)])
def test_a_game_is_the_same_if_computer_players_think_ahead(
    tmp_path: Path, ahead: Watched, key: str, level: str, requests: int
) -> None:
    asked, other = twins(tmp_path, key, level, ahead)
    for _ in range(requests):
        orders = ordered(asked)
        assert ordered(other) == orders
        sent(asked, orders)
        sent(other, orders)
        assert files(other) == files(asked)
    assert ahead.late == 0, "all was decided before it was needed, within turns too"
    with opened(other.path("game")) as game:
        assert not verify(game).faults


@pytest.mark.slow
def test_orders_that_were_not_checked_are_played_alike(tmp_path: Path, ahead: Watched) -> None:
    """What was thought of other orders is not used."""
    asked, other = twins(tmp_path, "5", "ensign", ahead)
    for _ in range(5):
        orders = ordered(asked)
        other.look("game")
        other.check("game", ME, orders.replace("\nEND", "\n# and something else\nEND"))
        other.check("game", ME, other.draft("game", ME))
        for table in (asked, other):
            table.send("game", ME, orders)
        assert files(other) == files(asked)


@pytest.mark.slow
def test_whoever_sends_at_once_waits_for_the_decision_or_for_one_made_here(tmp_path: Path, ahead: Watched) -> None:
    asked, other = twins(tmp_path, "5", "captain", ahead)
    for pause in (0.0, 0.3, 0.0):
        orders = ordered(asked)
        other.look("game")
        time.sleep(pause)
        for table in (asked, other):
            table.send("game", ME, orders)
        assert files(other) == files(asked)


@pytest.mark.slow
def test_what_is_thought_is_in_no_file_and_on_no_page(tmp_path: Path, ahead: Watched) -> None:
    table = Table(begun(tmp_path, "5", "captain"), ahead)
    for _ in range(2):
        orders = ordered(table)
        before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if "lock" not in path.name}
        table.look("game")
        table.check("game", ME, orders)
        ahead.settle()
        after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if "lock" not in path.name}
        assert after == before
        decided = [one.result() for one in ahead._decisions.values()]
        assert decided
        with opened(table.path("game")) as game:
            secret = captains_orders(game, OTHER, "captain")
            request = game.state().request
        assert request is not None and secret in decided
        assert [side.answered for side in table.look("game").now.sides if side.side == OTHER] == [False]
        lines = [line.strip() for line in secret.splitlines() if line.strip() and "GAME" not in line and len(line) > 20]
        for what in ("report", "form"):
            page = table.page("game", ME, what).decode()
            assert not [line for line in lines if line in page]
        assert not list(table.path("game").glob(f"{request.turn:02}/orders/{OTHER}.r{request.number}.orders"))
        table.send("game", ME, orders)


@pytest.mark.slow
def test_after_an_undo_other_decisions_are_made(tmp_path: Path, ahead: Watched) -> None:
    asked, other = twins(tmp_path, "5", "captain", ahead)
    for table in (asked, other):
        for _ in range(3):
            sent(table, ordered(table))
        table.undo("game", ME)
    assert ahead.late == 0
    for _ in range(2):
        again = asked.sheet("game", ME).again or ordered(asked)
        for table in (asked, other):
            table.send("game", ME, again)  # at once: what was thought before Undo is for another log
        assert files(other) == files(asked)
    for table in (asked, other):
        table.undo("game", ME)
        sent(table, ordered(table))
    assert files(other) == files(asked)


@pytest.mark.slow
def test_two_games_that_are_played_in_turn(tmp_path: Path, ahead: Watched) -> None:
    for name in ("one", "two"):
        begun(tmp_path / "asked", "5", "captain", name)
    shutil.copytree(tmp_path / "asked", tmp_path / "ahead")
    asked, other = Table(tmp_path / "asked"), Table(tmp_path / "ahead", ahead)
    for _ in range(3):
        for name in ("one", "two"):
            other.look(name)  # both are thought about when the first is sent
        for name in ("two", "one"):
            orders = ordered(asked, name)
            for table in (asked, other):
                table.send(name, ME, orders)
            assert files(other, name) == files(asked, name)


@pytest.mark.slow
def test_if_the_other_process_dies_decisions_are_made_here(tmp_path: Path, ahead: Watched) -> None:
    asked, other = twins(tmp_path, "5", "captain", ahead)
    for _ in range(2):
        orders = ordered(asked)
        other.look("game")
        late = time.monotonic() + 60
        while ahead._other is None:
            assert time.monotonic() < late
            time.sleep(0.01)
        ahead._other.process.kill()
        for table in (asked, other):
            table.send("game", ME, orders)
        assert files(other) == files(asked)
        ahead.settle()
    assert ahead.late


@pytest.mark.slow
def test_after_the_end_of_the_server_decisions_are_made_here(tmp_path: Path, ahead: Watched) -> None:
    table = Table(begun(tmp_path, "5", "ensign"), ahead)
    table.look("game")
    ahead.close()
    table.send("game", ME, ordered(table))
    assert ahead.late


@pytest.mark.slow
def test_two_windows_that_check_and_send(evening: Callable[[], Evening], tmp_path: Path) -> None:
    """Of two that send at once one is taken, and the game is the one that it makes without thinking ahead."""
    caller = Caller(evening())
    begun(tmp_path / "games", "5", "captain")
    shutil.copytree(tmp_path / "games", tmp_path / "asked")
    asked, table = Table(tmp_path / "asked"), Table(tmp_path / "games")
    for _ in range(2):
        orders = ordered(asked)
        others = orders.replace("\nEND", "\n# from another window\nEND")
        assert caller.ask("/game/game")[0] == 200
        for text in (orders, others):
            assert caller.ask(f"/game/game/{ME}/check", {"orders": text})[0] == 200
        sends = [partial(caller.ask, f"/game/game/{ME}/send", {"orders": text}) for text in (orders, others)]
        answers = at_once(*(lambda send=send: send()[0] for send in sends))
        assert answers == [303, 409]
        taken = max(files(table).keys() - files(asked).keys(), key=lambda name: name.startswith(f"01/orders/{ME}"))
        asked.send("game", ME, files(table)[taken].decode())
        assert files(table) == files(asked)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc says which processes there are")
@pytest.mark.slow
def test_a_server_killed_while_it_thinks_leaves_the_game_and_no_process(tmp_path: Path) -> None:
    games = begun(tmp_path / "games", "10", "commodore")
    before = files(Table(games))
    command = [sys.executable, "-m", "pbem", "play", "--print", "--folder", str(games)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Open this address in your browser: ").strip()
        caller = Caller(Opened(address, urlsplit(address).port or 0))
        assert caller.ask("/game/game")[0] == 200
        late = time.monotonic() + 120
        while not (children := [pid for pid in _children(process.pid) if "spawn_main" in _command(pid)]):
            assert time.monotonic() < late
            time.sleep(0.05)
        time.sleep(1)
    finally:
        process.kill()
        process.communicate()
    late = time.monotonic() + 60
    while any("spawn_main" in _command(pid) for pid in children):
        assert time.monotonic() < late, "the other process lives on"
        time.sleep(0.05)
    table = Table(games)
    assert files(table) == before and table.look("game").owing == (ME,)
    table.send("game", ME, ordered(table))
    with opened(games / "game") as game:
        assert game.state().segment == 1 and not verify(game).faults


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@pytest.mark.parametrize("before", ["", "undone", "restored"])
def test_what_is_decided_ahead_are_the_orders_of_each_computer_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    """All that a turn of the person's checked orders needs is decided for the right side, by its own level, and the
    next request, too: the dice are those of the game, also after an undo, or if a copy of the game was put back.
    """
    table = Table(begun(tmp_path, "5", "ensign"))
    for _ in range(2):
        table.send("game", ME, ordered(table))
    if before == "undone":
        table.undo("game", ME)
    if before == "restored":
        with opened(table.path("game"), lock="test") as game:
            remember(game, (), sure=False, why="a backup of this game was put back")
        table.send("game", ME, ordered(table))
    orders, made = ordered(table), dict[bytes, str]()

    def decide(key: bytes, task: CaptainsTask) -> str:
        assert key not in made, "each decision is made once"
        made[key] = decided(task)
        return made[key]

    with opened(table.path("game")) as game:
        decide_ahead(supposition(game, {ME: orders}), decide)
    asked: list[bytes] = []

    def captain(game: GameFolder, side: str, level: SkillLevel) -> str:
        key = decision_key(log_digest(game.terms, game.records()), side, level.name)
        asked.append(key)
        assert made[key] == captains_orders(game, side, level) and (side, level.name) == (OTHER, "ensign")
        return made[key]

    monkeypatch.setattr(evening_module, "captains_orders", captain)
    table.send("game", ME, orders)
    with opened(table.path("game")) as game:
        asked.append(decision_key(log_digest(game.terms, game.records()), OTHER, "ensign"))
    assert len(asked) > 1 and set(asked) == set(made)


def test_an_order_is_refused_as_without_thinking(tmp_path: Path, ahead: Watched) -> None:
    table = Table(begun(tmp_path, "5", "ensign"), ahead)
    with pytest.raises(GameError):
        table.check("game", ME, table.draft("game", ME).replace("END", "DO\n  FIRE PHASER 99\nEND"))
    assert not ahead._checked, "orders with faults are not played ahead"


@pytest.mark.slow
def test_send_against_the_robot_takes_little_time_of_the_processor(tmp_path: Path) -> None:
    """Aimed at are 200 ms until report and form are there (bench/evening.py); this holds three times that."""
    table = Table(tmp_path)
    name, side = table.begin("2", "federation"), "federation"
    took = []
    for _ in range(3):
        orders = table.draft(name, side)
        table.check(name, side, orders)
        began = time.process_time()
        table.send(name, side, orders)
        table.look(name)
        for what in ("report", "form"):
            table.page(name, side, what)
        took.append(time.process_time() - began)
    assert min(took) < 3 * 0.2
