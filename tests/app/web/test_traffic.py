"""What both web servers do with every request: compression, ETags, policies, and connections that say nothing."""

from __future__ import annotations

import gzip
import http.client
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

from pbem.app.web import answers, server as server_module
from pbem.app.web.answers import SMALL
from pbem.app.web.evening import Table
from pbem.mail.seats import LOGIN_PATH
from tests.app.web.asking import Asker
from tests.app.web.clubs import WEB, asker, key
from tests.app.web.test_door import Caller

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer, Evening

Start = Callable[[], "Evening"]
STATIC = ("table.css", "game.css", "in.js", "game.js")


def raw(who: Asker, path: str, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
    """Ask for a page; return the response and its bytes as they were sent."""
    connection = http.client.HTTPConnection("127.0.0.1", who.port, timeout=60)
    own = {name: text for name, text in who.own.items() if text is not None}
    connection.request("GET", path, headers={**own, **headers})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


# --- compression and ETags -------------------------------------------------------------------------------------------


def test_pages_are_compressed_for_browsers_that_accept_it(
    pages: None, evening: Start, door: ClubServer, club: Path
) -> None:
    caller = Caller(evening())
    game = caller.begin(version="1", side="federation")
    asked: list[tuple[Asker, str]] = [
        (caller, path) for path in ("/", "/course/5", "/static/game.css", f"/game/{game}/federation/report")
    ]
    ann = asker(door, club, "ann")
    asked += [(ann, path) for path in ("/static/game.js", "/game/duel/federation/report", "/game/duel/federation/form")]
    for who, path in asked:
        packed, body = raw(who, path, **{"Accept-Encoding": "gzip, deflate, br"})
        plain, text = raw(who, path)
        assert packed.status == plain.status == 200
        assert packed.headers["content-encoding"] == "gzip" and plain.headers["content-encoding"] is None, path
        assert "Accept-Encoding" in packed.headers["vary"] and gzip.decompress(body) == text, path
        assert len(body) == int(packed.headers["content-length"]) < len(text) / 2, path
    small, body = raw(caller, "/static/none", **{"Accept-Encoding": "gzip"})
    assert small.headers["content-encoding"] is None and len(body) < SMALL


def test_files_and_pages_that_do_not_change_are_sent_once(evening: Start, door: ClubServer, club: Path) -> None:
    caller, stranger = Caller(evening()), Asker(door.port)
    pages = [(caller, path) for path in ("/course/5", *(f"/static/{name}" for name in STATIC))]
    for who, path in [*pages, (stranger, LOGIN_PATH), (stranger, "/static/in.js")]:
        first, body = raw(who, path, **{"Accept-Encoding": "gzip"})
        tag = first.headers["etag"]
        assert first.status == 200 and body and first.headers["cache-control"] == "no-cache", path
        for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
            again, nothing = raw(who, path, **{"If-None-Match": known, "Accept-Encoding": "gzip"})
            assert (again.status, nothing, again.headers["etag"]) == (304, b"", tag), (path, known)
            # The browser puts these in the place of those it has.
            for name in ("content-security-policy", "cache-control"):
                assert again.headers[name] == first.headers[name], path
            assert "Accept-Encoding" in again.headers["vary"]
        assert raw(who, path, **{"If-None-Match": '"other"'})[0].status == 200


def test_the_proof_of_a_finished_game_is_kept_and_pages_of_a_side_are_not(evening: Start, tmp_path: Path) -> None:
    caller, table = Caller(evening()), Table(tmp_path / "games")
    game = caller.begin(version="1", side="federation")
    while not table.look(game).now.over:
        table.send(game, "federation", table.draft(game, "federation"))
    proof = raw(caller, f"/game/{game}/proof.html")[0].headers
    assert proof["cache-control"] == "no-cache"
    assert raw(caller, f"/game/{game}/proof.html", **{"If-None-Match": proof["etag"]})[0].status == 304
    for path in ("/", f"/game/{game}", f"/game/{game}/federation/report", f"/game/{game}/federation/replay.html"):
        answer, _ = raw(caller, path, **{"If-None-Match": "*"})
        assert answer.status == 200, path
        assert answer.headers["cache-control"] == "no-store" and answer.headers["etag"] is None, path


# --- the policy ------------------------------------------------------------------------------------------------------


def test_every_answer_has_a_policy(
    evening: Start, door: ClubServer, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, ann, stranger = Caller(evening()), asker(door, club, "ann"), Asker(door.port)
    game = caller.begin(version="1", side="federation")
    json: dict[str, Any] = {"Accept": "application/json"}
    far: dict[str, Any] = {"Sec-Fetch-Site": "cross-site"}
    asked = [
        (200, caller.ask("/")), (200, caller.ask("/static/game.js")), (404, caller.ask("/static/none")),
        (404, caller.ask("/none")), (404, caller.ask("/game/none")), (405, caller.ask("/begin")),
        (405, caller.ask("/", method="PUT")), (403, caller.ask("/", Cookie=None)),
        (403, caller.ask("/", Host="evil.example")), (303, caller.ask(f"/?key={caller.key}", Cookie=None)),
        (200, caller.ask(f"/?key={caller.key}", Cookie=None, **far)),
        (303, caller.ask("/begin", {"version": "1", "side": "federation"})),
        (200, caller.ask(f"/game/{game}/federation/check", {"orders": "x"}, **json)),
        (409, caller.ask(f"/game/{game}/federation/send", {"orders": "x"}, **json)),
        (200, caller.ask(f"/game/{game}/federation/report")),
        (200, ann.ask("/game/duel/federation/stamp")), (200, ann.ask("/game/duel/federation/positions.vsav")),
        (403, stranger.ask("/")), (403, stranger.ask(LOGIN_PATH, {"key": "x"})), (303, ann.ask("/out", {})),
        (404, ann.ask("/game/duel/klingon/report")),
    ]  # fmt: skip

    def broken(table: Table) -> None:
        raise RuntimeError("a fault of the program")

    monkeypatch.setattr(Table, "games", broken)
    asked.append((500, caller.ask("/")))
    for wanted, (status, headers, text) in asked:
        assert status == wanted, text[:300]
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy or policy == "frame-ancestors 'self'", (status, policy)
        assert headers["x-content-type-options"] == "nosniff"
    with socket.create_connection(("127.0.0.1", caller.port), 60) as line:
        line.sendall(b"NO REQUEST AT ALL\r\n\r\n")
        answer = line.recv(4096)
    assert answer.startswith(b"HTTP/1.1 400") and b"content-security-policy: default-src 'none'" in answer.lower()


# --- connections that say nothing ------------------------------------------------------------------------------------

STALLED = 255
KINDS = {
    "nothing": "",
    "half a head": "POST /in HTTP/1.1\r\nHost: {host}\r\n",
    "no body": "POST /in HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 99\r\n\r\nkey=",
    "no second request": "GET /in HTTP/1.1\r\nHost: {host}\r\n\r\n",
}


@contextmanager
def stalled(port: int, said: str, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """Connections that say the beginning of a request, and then nothing more."""
    with ExitStack() as stack:
        lines = []
        for _ in range(STALLED):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60, (source, 0)))
            with suppress(ConnectionError):  # the server has closed it already
                line.sendall(said.format(host=f"127.0.0.1:{port}").encode())
            lines.append(line)
        yield lines


@pytest.mark.parametrize("kind", KINDS)
def test_connections_that_say_nothing_keep_nobody_out(door: ClubServer, club: Path, kind: str) -> None:
    ann = asker(door, club, "ann")
    with stalled(door.port, KINDS[kind]):
        before = time.monotonic()
        assert [ann.ask("/")[0] for _ in range(3)] == [200] * 3
        assert time.monotonic() - before < answers.PATIENCE / 2
        assert len(door.server.server_state.connections) <= server_module.MOST_CONNECTIONS


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has one address of its own")
def test_who_opens_many_connections_closes_their_own(door: ClubServer, club: Path) -> None:
    """A player reads slowly at another address; the connection stays open."""
    ann = http.client.HTTPConnection("127.0.0.1", door.port, timeout=60)
    headers = {"Cookie": f"pbem-club={key(club, 'ann')}"}
    ann.request("GET", "/", headers=headers)
    assert ann.getresponse().read()
    line = ann.sock
    with stalled(door.port, KINDS["no body"], "127.0.0.2"):
        ann.request("GET", "/", headers=headers)
        assert ann.getresponse().status == 200 and ann.sock is line
    ann.close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a machine has one address of its own")
def test_who_asks_too_much_at_once_and_reads_nothing_keeps_nobody_out(door: ClubServer, club: Path) -> None:
    """Requests that are in work, of a player: no connection waits for anybody."""
    ann, bob = asker(door, club, "ann"), asker(door, club, "bob")
    path = "/game/duel/federation/report"
    said = f"GET {path} HTTP/1.1\r\nHost: {{host}}\r\nCookie: {ann.own['Cookie']}\r\n\r\n"
    with stalled(door.port, said, "127.0.0.2"):
        assert bob.ask("/")[0] == 200


# --- the cookie and the link -----------------------------------------------------------------------------------------


def test_over_tls_no_other_host_can_set_the_cookie(door: ClubServer, club: Path) -> None:
    outside: dict[str, Any] = {"Host": "sfb.example.org", "Origin": WEB}
    stranger = Asker(door.port)
    cookie = stranger.ask(LOGIN_PATH, {"key": key(club, "ann")}, **outside)[1]["set-cookie"]
    assert cookie.startswith(f"__Host-pbem-club={key(club, 'ann')};")
    assert "Secure" in cookie and "Path=/" in cookie and "Domain" not in cookie and "HttpOnly" in cookie
    assert stranger.ask("/", Cookie=cookie.partition(";")[0], **outside)[0] == 200
    # What another host of the domain can set is nothing here.
    assert stranger.ask("/", Cookie=f"pbem-club={key(club, 'ann')}", **outside)[0] == 403
    gone = stranger.ask("/out", {}, Cookie=cookie.partition(";")[0], **outside)[1]["set-cookie"]
    assert gone.startswith("__Host-pbem-club=") and "Max-Age=0" in gone and "Secure" in gone


def test_a_link_makes_nobody_somebody_else_without_a_question(door: ClubServer, club: Path) -> None:
    """Whoever is shown the link of another is asked first; a key that was typed in is no trap."""
    bobs = {"key": key(club, "bob"), "from": "link"}
    for who, now in ((asker(door, club, "ann"), "Ann"), (Asker(door.port), "")):
        status, headers, text = who.ask(LOGIN_PATH, bobs)
        assert status == 200 and "set-cookie" not in headers and headers["cache-control"] == "no-store"
        assert "Are you bob?" in text and (f"This browser plays for <b>{now}</b>" in text) == bool(now)
        assert 'name="from"' not in text, "the answer to the question is not asked about again"
        status, headers, _ = who.ask(LOGIN_PATH, {"key": key(club, "bob")})
        assert status == 303 and key(club, "bob") in headers["set-cookie"]
    status, headers, _ = asker(door, club, "bob").ask(LOGIN_PATH, bobs)
    assert status == 303, "nothing is asked of the player whose link it is"
    assert asker(door, club, "ann").ask(LOGIN_PATH, {"key": "a" * 26, "from": "link"})[0] == 403
