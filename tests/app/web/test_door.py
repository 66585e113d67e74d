"""Who is let in at the table, what is answered to all others, and that nothing sent is lost or counted twice
(docs/tutorial.md).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import url2pathname

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

from pbem.app.web import answers, server as server_module
from pbem.app.web.evening import Table
from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from tests.app.web.asking import Asker
from tests.cuts import KILLED, cut_at, operations, places

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

Start = Callable[[], "Evening"]


ROOT = Path(__file__).resolve().parents[3]


class Opened(NamedTuple):
    """A table of another process."""

    address: str
    port: int


class Caller(Asker):
    """One that knows the address of a table."""

    def __init__(self, evening: Evening | Opened) -> None:
        self.key = parse_qs(urlsplit(evening.address).query)["key"][0]
        self.cookie = f"pbem-{evening.port}={self.key}"
        super().__init__(evening.port, self.cookie)

    def begin(self, **form: str) -> str:
        """Begins a game; its name."""
        status, headers, _ = self.ask("/begin", {"against": "computer", **form})
        assert status == 303
        return headers["location"].removeprefix("/game/")


def test_the_key_opens_the_door_and_goes_into_a_cookie_that_no_script_reads(evening: Start) -> None:
    caller = Caller(evening())
    assert caller.ask("/", Cookie=None)[0] == 403
    assert caller.ask("/?key=guessed", Cookie=None)[0] == 403
    status, headers, _ = caller.ask(f"/?key={caller.key}", Cookie=None)
    assert status == 303 and headers["location"] == "/"
    assert headers["set-cookie"].startswith(caller.cookie)
    assert "HttpOnly" in headers["set-cookie"] and "samesite=strict" in headers["set-cookie"].lower()
    status, headers, text = caller.ask("/")
    assert status == 200 and "Battle Drill" in text and caller.key not in text
    assert headers["cache-control"] == "no-store" and "frame-ancestors 'none'" in headers["content-security-policy"]


WRONG: tuple[dict[str, str | None], ...] = (
    {"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Host": None}, {"Origin": "http://evil.example"},
    {"Origin": "null"}, {"Origin": None}, {"Cookie": "pbem-1=x"},
)  # fmt: skip


def test_orders_come_from_the_pages_of_the_table_alone(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    for wrong in WRONG:
        assert caller.ask_as(wrong, "/begin", {"version": "1", "side": "federation"}) in (400, 403), wrong
    assert not (tmp_path / "games").exists()


NOWHERE = (
    "/game/..%2f..%2fetc/report", "/game/%2e%2e", "/game/../../etc/passwd", "/static/../report.css",
    "/static/..%2freport.css", "/game/none", "/course/13", "/game/battle-drill-1/federation/secret",
    "/game/battle-drill-1/..%2f..%2fsecret/report", "/game/battle-drill-1/umpire/report",
)  # fmt: skip


def test_no_address_leads_out_of_the_table(evening: Start) -> None:
    caller = Caller(evening())
    caller.begin(version="1", side="federation")
    for path in NOWHERE:
        status, _, text = caller.ask(path)
        assert status in (404, 409) and "root:" not in text, path


def test_a_port_that_is_taken_is_refused_where_it_was_asked_for_and_else_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server((server_module.HERE, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(GameError, match=f"port {port} of 127.0.0.1 is in use; leave out --port or name another"):
            server_module.Evening(tmp_path, port)
        monkeypatch.setattr(server_module, "PORT", port)
        table = server_module.Evening(tmp_path)
        with table.socket:
            assert table.port not in (0, port) and table.address.startswith(f"http://127.0.0.1:{table.port}/?key=")
    again = server_module.Evening(tmp_path)
    with again.socket:
        assert again.port == port, "the usual one, as soon as it is free"


def test_a_game_that_is_not_there_is_named_and_nothing_of_the_machine(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    caller.begin(version="1", side="federation")
    (tmp_path / "games" / "photos").mkdir()  # a folder that holds no game
    for name in ("none", "photos"):
        for path, form in (
            (f"/game/{name}", None),
            (f"/game/{name}/undo", {}),
            (f"/game/{name}/federation/form", None),
        ):
            status, _, text = caller.ask(path, form)
            assert status == 404 and f"there is no game {name!r} here" in unescape(text), path
            assert str(tmp_path) not in text and 'href="/"' in text


def test_what_is_too_large_or_does_not_come_is_refused(evening: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    with suppress(BrokenPipeError, ConnectionResetError):  # it was answered and hung up before all had been said
        assert caller.ask(f"/game/{game}/federation/check", {"orders": "x" * 1_000_000})[0] == 413
    assert caller.ask("/", method="PUT")[0] == 405
    monkeypatch.setattr(answers, "PATIENCE", 0.01)
    with socket.create_connection(("127.0.0.1", caller.port), 60) as slow:
        head = "".join(f"{name}: {text}\r\n" for name, text in caller.own.items())
        slow.sendall(f"POST /game/{game}/federation/check HTTP/1.1\r\n{head}Content-Length: 99\r\n\r\nor".encode())
        assert slow.recv(64).startswith(b"HTTP/1.1 408")
    assert caller.ask("/")[0] == 200


def test_send_and_check_tell_the_same_faults_and_file_nothing(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    table = Table(tmp_path / "games")
    faulty = table.draft(game, "federation").replace("END", "DO\n  AT 99 FIRE PHASER 1 AT Nobody\nEND")
    told = []
    for what in ("check", "send"):
        answer = caller.ask(f"/game/{game}/federation/{what}", {"orders": faulty}, Accept="application/json")
        told.append((answer[0], json.loads(answer[2])))
    assert [status for status, _ in told] == [200, 409]
    assert told[0][1] == told[1][1] and told[0][1]["faults"]
    with pytest.raises(GameError) as found:
        table.check(game, "federation", faulty)
    assert [fault["text"] for fault in told[0][1]["faults"]] == [fault.text for fault in found.value.faults]
    assert not list((tmp_path / "games" / game / "01").glob("orders/*"))
    # Without its script the page keeps what was written.
    status, _, page = caller.ask(f"/game/{game}/federation/send", {"orders": faulty})
    assert status == 409 and "AT 99 FIRE PHASER 1 AT Nobody" in page


def test_orders_sent_twice_are_played_once(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    orders = Table(tmp_path / "games").draft(game, "federation")
    assert caller.ask(f"/game/{game}/federation/send", {"orders": orders})[0] == 303
    status, _, text = caller.ask(f"/game/{game}/federation/send", {"orders": orders}, Accept="application/json")
    assert status == 409 and json.loads(text)["faults"]
    with opened(tmp_path / "games" / game) as folder:
        assert folder.state().segment == 1 and not verify(folder).record


def at_once(*work: Callable[[], int]) -> list[int]:
    """What several windows are answered that ask in the same moment."""
    ready = threading.Barrier(len(work))

    def begins(one: Callable[[], int]) -> int:
        ready.wait()
        return one()

    with ThreadPoolExecutor(len(work)) as pool:
        return sorted(pool.map(begins, work))


def test_of_two_windows_that_send_one_is_taken(evening: Start, tmp_path: Path) -> None:
    """The other is told that this was played; its orders are filed nowhere."""
    caller = Caller(evening())
    game, table = caller.begin(version="1", side="federation"), Table(tmp_path / "games")
    orders = table.draft(game, "federation")
    others = orders.replace("\nEND", "\n# from another window\nEND")
    path, before = f"/game/{game}/federation/send", _orders_in(tmp_path / "games")
    assert at_once(*(lambda text=text: caller.ask(path, {"orders": text})[0] for text in (orders, others))) == [
        303,
        409,
    ]
    assert len(_orders_in(tmp_path / "games") - before) == 1
    # A window that was left open shows the form of what was played.
    status, _, text = caller.ask(path, {"orders": others}, Accept="application/json")
    assert status == 409 and json.loads(text)["faults"] and len(_orders_in(tmp_path / "games") - before) == 1
    with opened(tmp_path / "games" / game) as folder:
        assert folder.state().segment == 1 and not verify(folder).record


def test_two_processes_that_send_at_once_play_a_request_once(tmp_path: Path) -> None:
    """As two servers on one folder do: what keeps them apart is the lock of the game."""
    table = Table(tmp_path)
    game = table.begin("1", "federation")
    orders = table.draft(game, "federation")

    def send() -> int:
        try:
            Table(tmp_path).send(game, "federation", orders)
        except GameError as error:
            assert "game-locked" not in str(error)
            return 409
        return 303

    assert at_once(send, send, send) == [303, 409, 409]
    with opened(tmp_path / game) as folder:
        assert folder.state().segment == 1 and not verify(folder).record


def test_two_windows_that_begin_a_game_have_two_games(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    form = {"version": "1", "side": "federation", "against": "computer"}
    assert at_once(*[lambda: caller.ask("/begin", form)[0]] * 3) == [303, 303, 303]
    assert len(list((tmp_path / "games").glob("*/game.toml"))) == 3


def test_who_plays_alone_keeps_the_seat_from_turn_to_turn(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game, table = caller.begin(version="1", side="federation"), Table(tmp_path / "games")
    for _ in range(2):
        page = caller.ask(f"/game/{game}")[2]
        assert "Choose your side" not in page and f'data-base="/game/{game}/federation/"' in page
        assert caller.ask(f"/game/{game}/federation/report")[0] == 200
        status, headers, _ = caller.ask(f"/game/{game}/federation/send", {"orders": table.draft(game, "federation")})
        assert status == 303 and headers["location"] == f"/game/{game}?played"
    assert "Choose your side" not in caller.ask(f"/game/{game}")[2]
    assert caller.ask(f"/game/{game}/undo", {})[0] == 303
    assert "Choose your side" not in caller.ask(f"/game/{game}")[2]


def test_a_paper_that_is_there_is_shown_and_not_made_anew(evening: Start, tmp_path: Path) -> None:
    """Whoever made it anew would give another form to whoever fills one in, and cost a second each time."""
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    folder = tmp_path / "games" / game
    for what, name in (("report", "sitrep.html"), ("form", "orders.html")):
        [file] = folder.glob(f"*/r*/federation/{name}")
        page = file.read_bytes() + b"<!-- as it was mailed -->"
        file.write_bytes(page)
        assert operations(lambda what=what: caller.ask(f"/game/{game}/federation/{what}"), under=folder) == []  # type: ignore[misc]
        assert caller.ask(f"/game/{game}/federation/{what}")[2].encode() == page
    [form] = folder.glob("*/r*/federation/orders.html")
    form.unlink()
    assert caller.ask(f"/game/{game}/federation/form")[0] == 200 and form.is_file(), "one that is not there is made"


def test_an_opponent_nobody_knows_is_refused(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    for against in ("../../x", "captains", "Friend"):
        status, _, text = caller.ask("/begin", {"version": "5", "side": "federation", "against": against})
        assert status == 400 and "choose one of computer, friend, " in text, against
    assert not list((tmp_path / "games").glob("*/game.toml"))
    for against in ("", "computer", "friend", "captain"):
        assert caller.begin(version="5", side="federation", against=against)


def test_who_hangs_up_in_the_middle_leaves_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pbem", "play", "--print", "--folder", str(tmp_path / "games")]
    with (tmp_path / "said").open("w+b") as said:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, cwd=ROOT)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().removeprefix("Open this address in your browser: ").strip()
            caller = Caller(Opened(address, urlsplit(address).port or 0))
            head = "".join(f"{name}: {text}\r\n" for name, text in caller.own.items())
            for _ in range(3):
                with socket.create_connection(("127.0.0.1", caller.port), 60) as line:
                    line.sendall(f"POST /begin HTTP/1.1\r\n{head}Content-Length: 99\r\n\r\nversion".encode())
            for _ in range(3):
                assert caller.ask("/")[0] == 200
        finally:
            process.kill()
            process.communicate()
        said.seek(0)
        assert said.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a script of the shell")
def test_the_key_stands_in_no_command_line(tmp_path: Path) -> None:
    """The browser is given a page of this account's own that leads on."""
    browser, told, games = tmp_path / "browser", tmp_path / "told", tmp_path / "games"
    browser.write_text(f'#!/bin/sh\necho "$@" > "{told}.part"\nmv "{told}.part" "{told}"\n', encoding="utf-8")
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "pbem", "play", "--folder", str(games)], stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, "BROWSER": f"{browser} %s"},
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = process.stdout.readline().removeprefix("Open this address in your browser: ").strip()
        caller = Caller(Opened(address, urlsplit(address).port or 0))
        late = time.monotonic() + 60
        while not told.exists():
            assert time.monotonic() < late
            time.sleep(0.05)
        given = told.read_text("utf-8").strip()
        assert caller.key not in given and given.startswith("file:")
        page = Path(url2pathname(urlsplit(given).path))
        from_elsewhere: dict[str, Any] = {"Cookie": None, "Sec-Fetch-Site": "cross-site"}
        assert page.stat().st_mode & 0o077 == 0 and escape(address) in page.read_text("utf-8")
        status, headers, text = caller.ask(f"/?key={caller.key}", **from_elsewhere)
        assert status == 200 and 'url=/"' in text and headers["set-cookie"].startswith(caller.cookie)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert not page.exists(), "it is of no use any more"
    finally:
        process.kill()
        process.communicate()


def test_one_side_sits_at_a_shared_keyboard_and_nobody_else_is_shown(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game = caller.begin(version="5", side="federation", against="friend")
    assert "Choose your side" in caller.ask(f"/game/{game}")[2]
    for side in ("federation", "klingon"):
        assert caller.ask(f"/game/{game}/{side}/report")[0] == 409
    assert caller.ask(f"/game/{game}/sit", {"side": "umpire"})[0] == 409
    assert caller.ask(f"/game/{game}/sit", {"side": "federation"})[0] == 303
    assert caller.ask(f"/game/{game}/federation/report")[0] == 200
    for page in ("report", "form"):
        assert caller.ask(f"/game/{game}/klingon/{page}")[0] == 409
    for what in ("check", "send"):
        assert caller.ask(f"/game/{game}/klingon/{what}", {"orders": "x"})[0] == 409
    assert caller.ask(f"/game/{game}/curtain", {})[0] == 303
    assert caller.ask(f"/game/{game}/federation/report")[0] == 409
    # Whoever has sent orders leaves the keyboard to the other.
    assert caller.ask(f"/game/{game}/sit", {"side": "federation"})[0] == 303
    orders = Table(tmp_path / "games").draft(game, "federation")
    assert caller.ask(f"/game/{game}/federation/send", {"orders": orders})[0] == 303
    assert "Choose your side" in caller.ask(f"/game/{game}")[2]
    assert caller.ask(f"/game/{game}/federation/report")[0] == 409


def test_orders_of_the_other_side_are_not_taken_from_who_sits_here(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game = caller.begin(version="5", side="federation", against="friend")
    caller.ask(f"/game/{game}/sit", {"side": "federation"})
    theirs = Table(tmp_path / "games").draft(game, "klingon")
    status, _, text = caller.ask(f"/game/{game}/federation/send", {"orders": theirs}, Accept="application/json")
    assert status == 409 and json.loads(text)["faults"][0]["code"] == "wrong-side"
    assert not list((tmp_path / "games" / game / "01").glob("orders/*"))


def test_an_undo_is_told_in_the_record(evening: Start, tmp_path: Path) -> None:
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    orders = Table(tmp_path / "games").draft(game, "federation")
    caller.ask(f"/game/{game}/federation/send", {"orders": orders})
    assert caller.ask(f"/game/{game}/undo", {})[0] == 303
    with opened(tmp_path / "games" / game) as folder:
        request = folder.state().request
        assert request is not None and request.turn == 1
        assert b"taken back at the table by federation" in folder.log_file(1).read_bytes()
        assert not verify(folder).record
    assert caller.ask(f"/game/{game}/federation/send", {"orders": orders})[0] == 303


@pytest.mark.slow
def test_a_server_killed_while_it_plays_loses_nothing_and_counts_nothing_twice(tmp_path: Path) -> None:
    """At any file operation of a Send: the table, opened again, has the game as it was, or all of it played."""

    def begun(name: str) -> tuple[Table, str]:
        table = Table(tmp_path / name)
        return table, table.begin("1", "federation")

    table, game = begun("whole")
    orders = table.draft(game, "federation")
    steps = operations(lambda: table.send(game, "federation", orders), under=tmp_path / "whole")
    for n in places(len(steps)):
        table, game = begun(f"cut{n}")
        with cut_at(n, under=tmp_path / f"cut{n}", how=KILLED):
            table.send(game, "federation", orders)
        again = Table(tmp_path / f"cut{n}")
        seen = again.look(game)
        assert seen.owing == ("federation",) and seen.now.request is not None
        if seen.now.request.turn == 1:
            again.send(game, "federation", orders)
        with opened(again.path(game), lock="test") as folder:
            assert folder.state().segment == 1
            assert not verify(folder).faults


@pytest.mark.slow
def test_the_command_says_its_address_and_may_be_killed_while_it_plays(tmp_path: Path) -> None:
    """`pbem play --print`, killed as soon as a Send is under way, and opened again."""
    games = tmp_path / "games"
    command = [sys.executable, "-m", "pbem", "play", "--print", "--folder", str(games)]
    table, sent = Table(games), ""
    for _ in range(3):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        assert process.stdout is not None
        try:
            address = process.stdout.readline().removeprefix("Open this address in your browser: ").strip()
            caller = Caller(Opened(address, urlsplit(address).port or 0))
            if not sent:
                sent = caller.begin(version="1", side="federation")
            orders = table.draft(sent, "federation")
            with socket.create_connection(("127.0.0.1", caller.port), 60) as line:
                body = urlencode({"orders": orders}).encode()
                head = "".join(f"{name}: {text}\r\n" for name, text in caller.own.items())
                head += f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
                filed, late = _orders_in(games), time.monotonic() + 60
                line.sendall(f"POST /game/{sent}/federation/send HTTP/1.1\r\n{head}".encode() + body)
                while _orders_in(games) <= filed:  # until the orders are on file, and the turn is about to be played
                    assert time.monotonic() < late
        finally:
            process.kill()
            process.communicate()
        seen = table.look(sent)
        assert seen.now.over or seen.owing == ("federation",)
        with opened(games / sent, lock="test") as folder:
            assert not verify(folder).faults
        if seen.now.over:
            break


def _orders_in(games: Path) -> set[Path]:
    """The order files of all games; not those that are half written, of which a killed command leaves one."""
    return {path for path in games.glob("*/*/orders/*") if path.suffix == ".orders"}


def test_without_its_library_the_command_says_how_it_is_had(tmp_path: Path) -> None:
    code = "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None; from pbem.app.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "play", "--print"], capture_output=True, text=True, cwd=ROOT, timeout=60
    )
    assert done.returncode == 1 and "pip install 'pbem[web]'" in done.stderr and "Traceback" not in done.stderr
