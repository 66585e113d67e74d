"""The web pages of a club (docs/host-guide.md): who is let in, what they may see and send, and that what comes by web
and what comes by mail is counted alike.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from base64 import b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

from pbem.app.web import club as club_module, server as server_module
from pbem.app.web.club import Club
from pbem.errors import GameError
from pbem.games.answers import answers as answers_of
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.commands.seats import replace
from pbem.mail.host.round import host_round
from pbem.mail.host.trouble import Troubles
from pbem.mail.incoming.intake import games_of
from pbem.mail.incoming.ledger import held
from pbem.mail.seats import LOGIN_PATH
from pbem.mail.transport.inbox import open_source
from pbem.mail.web_keys import guests, last_woken, renew
from tests.app.web.asking import Asker
from tests.app.web.clubs import HOST, PEOPLE, WEB, asker, free_duel, key, tried
from tests.cuts import KILLED, cut_at, operations, places
from tests.mail import world as mail

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer

IN_REPORT = ("/game/duel/klingon/report", "/game/duel/klingon/form", "/game/duel/klingon", "/game/duel/klingon/stamp")
PROGRAM = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
JSON = {"Accept": "application/json"}


def draft(folder: Path, side: str) -> str:
    club = Club(folder)
    seat = next(one for one in club.games().seats if one.side == side)
    return club.look(seat).draft


# --- whether the host is at work -------------------------------------------------------------------------------------


def test_a_supervisor_is_told_whether_the_host_is_at_work_and_nothing_else(door: ClubServer, club: Path) -> None:
    supervisor = Asker(door.port)
    assert supervisor.ask("/healthz", Origin=None)[::2] == (503, "no round lately\n"), "there was no round"
    now = datetime.now(UTC)
    host_round(club, lambda: now - timedelta(minutes=59))
    assert supervisor.ask("/healthz", Origin=None)[::2] == (200, "ok\n")
    host_round(club, lambda: now - timedelta(minutes=61))
    assert supervisor.ask("/healthz", Origin=None)[::2] == (503, "no round lately\n")
    host_round(club, lambda: now)
    status, headers, said = supervisor.ask("/healthz", Origin=None)
    assert (status, said) == (200, "ok\n") and headers["cache-control"] == "no-store"
    assert supervisor.ask("/healthz", Origin=None, Host="evil.example")[0] == 403, "as every address of the door"
    Troubles(club, now + timedelta(minutes=70)).write(0, 0, done=False)
    assert supervisor.ask("/healthz", Origin=None)[0] == 200, "the last whole round counts"
    (club / "mail" / "status.json").write_text("{", encoding="utf-8")
    assert supervisor.ask("/healthz", Origin=None)[0] == 503


# --- who is let in ---------------------------------------------------------------------------------------------------


def test_a_link_stands_in_the_mails_of_its_reader_alone(club: Path) -> None:
    host_round(club, lambda: mail.START)
    mails = [path.read_bytes() for path in (club / "mail" / "outbox" / "waiting").glob("*.eml")]
    assert len(mails) == 2
    for raw in mails:
        message = message_from_bytes(raw, policy=default)
        to, other = ("ann", "bob") if "ann@" in str(message["To"]) else ("bob", "ann")
        for kind in ("plain", "html"):
            body = message.get_body((kind,))
            assert body is not None and f"{WEB}{LOGIN_PATH}#{key(club, to)}" in body.get_content()
        assert key(club, other) not in "".join(part.as_string() for part in message.walk())


def test_a_link_opens_the_door_and_its_key_is_in_no_address(door: ClubServer, club: Path) -> None:
    stranger = Asker(door.port)
    assert stranger.ask("/")[0] == 403
    status, _, text = stranger.ask(LOGIN_PATH)
    assert status == 200 and 'method="post"' in text and '<script src="/static/in.js">' in text
    assert "location.hash" in stranger.ask("/static/in.js")[2]
    assert stranger.ask(LOGIN_PATH, {"key": "a" * 26})[0] == 403
    for given in (key(club, "ann"), f"{WEB}{LOGIN_PATH}#{key(club, 'ann')}"):
        status, headers, _ = stranger.ask(LOGIN_PATH, {"key": given})
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"]
        assert "HttpOnly" in cookie and "samesite=lax" in cookie.lower() and "Secure" not in cookie
    told = stranger.ask(LOGIN_PATH, {"key": key(club, "ann")}, Host="sfb.example.org", Origin=WEB)[1]["set-cookie"]
    assert "Secure" in told  # by the proxy it came over TLS
    ann = asker(door, club, "ann")
    status, headers, text = ann.ask("/")
    assert status == 200 and "<h1>Ann</h1>" in text and "One game waits for your orders" in text
    assert key(club, "ann") not in text and headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    gone = ann.ask("/out", {})[1]
    assert "Max-Age=0" in gone["set-cookie"] and gone["clear-site-data"] == '"storage"'


def test_only_a_key_that_opens_nothing_is_called_wrong(door: ClubServer, club: Path) -> None:
    """Players who come for the first time, or without their cookie, are asked for their link and not scolded."""
    stranger, wrong = Asker(door.port), "Use the link in your latest email."
    for page in (stranger.ask(LOGIN_PATH), stranger.ask("/"), stranger.ask("/game/duel/federation")):
        assert 'name="key"' in page[2] and wrong not in page[2]
    status, _, text = stranger.ask(LOGIN_PATH, {"key": "a" * 26})
    assert status == 403 and wrong in text and 'name="key"' in text
    assert wrong not in stranger.ask(LOGIN_PATH, {"key": key(club, "ann"), "from": "link"})[2]


def test_a_plan_is_made_where_orders_are_wanted_and_nowhere_else(door: ClubServer, club: Path) -> None:
    ann, page = asker(door, club, "ann"), "/game/duel/federation"
    for words in ("Your orders are wanted.", "Your orders are on file. You may send others."):
        text = ann.ask(page)[2]
        assert words in text and 'id="send"' in text and 'id="form"' in text
        ann.ask(f"{page}/send", {"orders": draft(club, "federation"), "nonce": "n1"})
    with opened(club / "games" / "duel", lock="test") as game:
        override(game, Decree(reason="it grew late", result={"federation": "draw", "klingon": "draw"}))
    text = ann.ask(page)[2]
    assert "The game is over." in text
    assert 'id="send"' not in text and 'id="form"' not in text


def test_the_map_is_handed_out_as_a_save_to_who_plays(door: ClubServer, club: Path) -> None:
    ann, lies = asker(door, club, "ann"), club / "games" / "duel" / "01" / "positions.vsav"
    status, headers, _ = ann.ask("/game/duel/federation/positions.vsav")
    assert status == 200 and int(headers["content-length"]) == lies.stat().st_size
    assert headers["content-disposition"] == "attachment; filename*=UTF-8''duel.vsav"
    assert 'href="/game/duel/federation/positions.vsav"' in ann.ask("/game/duel/federation")[2]
    assert ann.ask("/game/duel/klingon/positions.vsav")[0] == 404
    assert Asker(door.port).ask("/game/duel/federation/positions.vsav")[0] == 403
    lies.with_name("positions.late.txt").write_text("That of an earlier moment.\n", encoding="utf-8")
    assert "positions.vsav" not in ann.ask("/game/duel/federation")[2], "an old map is offered to nobody"
    lies.unlink()
    assert ann.ask("/game/duel/federation/positions.vsav")[0] == 404


def test_what_was_tried_out_on_the_table_comes_back_as_plots(door: ClubServer, club: Path) -> None:
    opening = free_duel(club)
    here = Club(club)
    seat = next(one for one in here.games().seats if (one.game, one.side) == ("free", "federation"))
    ann, orders = asker(door, club, "ann"), here.look(seat).draft

    def upload(save: bytes, side: str = "federation") -> tuple[int, dict[str, Any]]:
        form = {"save": b64encode(save).decode(), "name": "mine.vsav", "orders": orders}
        status, _, text = ann.ask(f"/game/free/{side}/tried", form, **JSON)
        return status, json.loads(text)

    status, found = upload(tried(opening, "Constellation", "2602", 4))
    assert status == 200 and not found["faults"]
    assert "PLOT 2F" in found["orders"] and here.check(seat, found["orders"]).plots
    assert found["said"] == ["Constellation: this many hexes need SPEED 2"]
    assert "PLOT 2F" not in here.look(seat).draft and not here.look(seat).filed, "shown, and not sent"
    for save, why in (
        (opening.read_bytes(), "move your ships' or shuttles' counters first: none was moved"),
        (tried(opening, "Constellation", "2801", 1), "only a tactical maneuver"),
        (tried(opening, "Destruction", "0315", 1), "move your ships' or shuttles' counters first: none was moved"),
        (b"nothing that VASSAL wrote", "mine.vsav"),
    ):
        status, found = upload(save)
        (fault,) = found["faults"]
        assert status == 409 and why in fault["text"] + fault["file"] and "orders" not in found
        assert "/" not in fault["file"] and "/tmp" not in fault["text"]
    status, found = upload(tried(opening, "Destruction", "0315", 1), "klingon")
    assert status == 409 and "orders" not in found and [one["code"] for one in found["faults"]] == ["no-game"]
    assert ann.ask("/game/free/federation/tried", {"save": "no base64", "orders": orders}, **JSON)[0] == 409
    assert 'id="tried"' in ann.ask("/game/free/federation")[2]
    assert 'id="tried"' not in ann.ask("/game/duel/federation")[2], "energy alone is asked for"


def test_another_link_makes_the_old_one_worthless(door: ClubServer, club: Path) -> None:
    ann = asker(door, club, "ann")
    assert ann.ask("/")[0] == 200
    renew(club / "mail", "ann")
    assert ann.ask("/")[0] == 403
    assert asker(door, club, "ann").ask("/")[0] == 200
    assert len({key(club, person) for person in ("ann", "bob", "eve")}) == 3


def test_nobody_comes_to_a_page_of_another(door: ClubServer, club: Path) -> None:
    ann, theirs = asker(door, club, "ann"), draft(club, "klingon")
    for path in IN_REPORT:
        assert ann.ask(path)[0] == 404, path
    for what in ("check", "send", "write"):
        form = {"orders": theirs, "to": "UMPIRE", "text": "x"}
        assert ann.ask(f"/game/duel/klingon/{what}", form)[0] == 404
    # Nor are orders of the other side taken at one's own page, nor is it said whether there is such a game.
    status, _, text = ann.ask("/game/duel/federation/send", {"orders": theirs}, **JSON)
    assert status == 409 and json.loads(text)["faults"][0]["code"] == "wrong-side"
    assert ann.ask("/game/other/federation")[2] == ann.ask("/game/duel/klingon")[2]
    assert not list((club / "games" / "duel" / "01").glob("orders/*"))
    for path in (
        "/game/duel/federation/secret", "/game/duel/..%2f..%2fsecret/report", "/game/%2e%2e/federation/report",
        "/game/duel/federation/earlier/..%2f..%2fr1", "/static/..%2freport.css", "/game/duel/umpire/report",
        "/game/../host.toml", "/host.toml", "/mail/seats.json", "/game/duel/federation/orders.draft",
    ):  # fmt: skip
        status, _, text = ann.ask(path)
        assert status == 404 and "umpire@host.example" not in text, path


@pytest.mark.parametrize(
    "wrong",
    [
        {"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Host": None}, {"Origin": "http://evil.example"},
        {"Origin": "null"}, {"Origin": None}, {"Origin": "http://sfb.example.org"}, {"Cookie": "pbem-club=x"},
        {"Cookie": None},
    ],
)  # fmt: skip
def test_orders_come_from_the_pages_of_the_club_alone(
    door: ClubServer, club: Path, wrong: dict[str, str | None]
) -> None:
    ann = asker(door, club, "ann")
    form = {"orders": draft(club, "federation")}
    assert ann.ask_as(wrong, "/game/duel/federation/send", form) in (400, 403)
    assert not list((club / "games" / "duel" / "01").glob("orders/*"))
    outside = {"Host": "sfb.example.org", "Origin": WEB, "Cookie": f"__Host-pbem-club={key(club, 'ann')}"}
    assert ann.ask_as(outside, "/game/duel/federation/send", form) == 303


def test_whoever_says_too_much_or_nothing_keeps_nobody_out(
    door: ClubServer, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = asker(door, club, "ann")
    with suppress(BrokenPipeError, ConnectionResetError):  # it was answered and hung up before all had been said
        assert ann.ask("/game/duel/federation/check", {"orders": "x" * 1_000_000})[0] == 413
    assert ann.ask("/game/duel/federation/check", {f"f{n}": "x" for n in range(100)})[0] == 413
    monkeypatch.setattr(server_module, "PATIENCE", 0.3)
    slow = [socket.create_connection(("127.0.0.1", door.port), 60) for _ in range(40)]
    for one in slow:
        one.sendall(b"GET / HTTP/1.1\r\nHost:")
    assert ann.ask("/")[0] == 200
    for one in slow:
        assert one.recv(64) == b""  # cut, and not answered
        one.close()
    assert ann.ask("/")[0] == 200


def test_a_club_without_an_address_has_no_door(club: Path) -> None:
    file = club / "host.toml"
    file.write_text(HOST.replace(f'web = "{WEB}"\n', ""), encoding="utf-8")
    with pytest.raises(GameError, match=r"write a line like web = .* in host\.toml"):
        Club(club)
    for wrong in ("sfb.example.org", "ftp://x", "https://x/path", "https://u@x"):
        file.write_text(HOST.replace(WEB, wrong), encoding="utf-8")
        with pytest.raises(GameError, match="write web as an address"):
            Club(club)


def test_a_game_in_trouble_is_named_and_says_nothing_of_the_machine(door: ClubServer, club: Path) -> None:
    ann = asker(door, club, "ann")
    assert ann.ask("/")[0] == 200
    log = next((club / "games" / "duel").glob("*/events.jsonl"))
    log.write_bytes(b"spoilt\n")
    for path in ("/", "/game/duel/federation"):
        text = ann.ask(path)[2]
        assert "it cannot be shown now" in text and str(club) not in text and "events.jsonl" not in text


# --- what is sent ----------------------------------------------------------------------------------------------------


def test_what_is_sent_is_filed_answered_and_rung_for(door: ClubServer, club: Path) -> None:
    ann, orders = asker(door, club, "ann"), draft(club, "federation")
    before = last_woken(club)
    status, _, text = ann.ask("/game/duel/federation/check", {"orders": orders}, **JSON)
    assert status == 200 and json.loads(text)["receipts"][0]["side"] == "federation"
    status, _, text = ann.ask("/game/duel/federation/send", {"orders": orders, "nonce": "n1"}, **JSON)
    assert status == 200
    where = json.loads(text)["next"]
    assert where == "/game/duel/federation?sent" and last_woken(club) != before
    page = ann.ask(where)[2]
    assert "YOUR ORDERS, AS UNDERSTOOD" in page and "Your orders on file" in page
    with opened(club / "games" / "duel") as game:
        assert set(answers_of(game)[0]) == {"federation"}
    assert not re.search("YOUR ORDERS", asker(door, club, "bob").ask("/game/duel/klingon")[2])
    host_round(club, lambda: mail.START)
    sent = [path.name for path in (club / "mail" / "outbox" / "waiting").glob("receipt*")]
    assert len(sent) == 1  # the receipt comes by mail, too


def test_faults_are_told_and_nothing_is_filed(door: ClubServer, club: Path) -> None:
    ann = asker(door, club, "ann")
    faulty = draft(club, "federation").replace("END", "NONSENSE\nEND")
    status, _, text = ann.ask("/game/duel/federation/send", {"orders": faulty}, **JSON)
    assert status == 409 and json.loads(text)["faults"][0]["line"]
    status, _, page = ann.ask("/game/duel/federation/send", {"orders": faulty})
    assert status == 409 and "NONSENSE" in page  # without its script the page keeps what was written
    assert not list((club / "games" / "duel" / "01").glob("orders/*"))


def test_the_last_orders_count_whichever_way_they_came(club: Path) -> None:
    here = Club(club)
    seat = next(one for one in here.games().seats if one.side == "federation")
    slow = draft(club, "federation")
    fast = slow.replace("ENERGY", "ENERGY\n  SPEED 4", 1)

    def filed() -> str:
        return here.look(seat).filed

    assert here.send(seat, slow, "1").taken and "SPEED 4" not in filed()
    assert here.send(seat, fast, "2").taken and "SPEED 4" in filed()
    letter = f"From: ann@example.org\r\nSubject: TOKEN {seat.token}\r\nMessage-ID: <1@x>\r\n\r\n{slow}"
    (club / "mail" / "in").mkdir(parents=True)
    (club / "mail" / "in" / "1.eml").write_text(letter, encoding="utf-8")
    host_round(club, lambda: mail.START, source=open_source({"kind": "folder", "path": "mail/in"}, club))
    assert "SPEED 4" not in filed()
    again = here.send(seat, fast, "2")  # what was sent before and comes once more counts once
    assert again.answers == ("This was counted before.",) and "SPEED 4" not in filed()
    assert here.send(seat, fast, "3").taken and "SPEED 4" in filed()


def test_words_and_commands_go_the_way_of_letters(club: Path) -> None:
    here = Club(club)
    seat = next(one for one in here.games().seats if one.side == "federation")
    quoted = f"Hello.\nEND MESSAGE\nSee https://sfb.example.org{LOGIN_PATH}#{key(club, 'ann')} TOKEN {seat.token}"
    assert here.write(seat, "klingon", quoted, "1").taken
    said = next(
        path for path in (club / "games" / "duel").rglob("*") if path.is_file() and b"Hello." in path.read_bytes()
    )
    assert key(club, "ann").encode() not in said.read_bytes() and seat.token.encode() not in said.read_bytes()
    assert "EXTEND" in here.write(seat, "HOST", "HELP", "2").answers[0]
    assert f"{WEB}{LOGIN_PATH}#{key(club, 'ann')}" in here.write(seat, "HOST", "STATUS", "3").answers[0]
    empty = here.write(seat, "HOST", 'GAME "" TURN 1', "5")  # a line that once could not be read at all
    assert not empty.taken and "Nothing was filed" in empty.answers[0]
    for to, text, why in (
        ("romulan", "Hello", "nobody in this game has that name"),
        ("UMPIRE", "  ", "your message is empty"),
    ):
        with pytest.raises(GameError, match=why):
            here.write(seat, to, text, "4")


def test_a_letter_waits_while_the_host_is_at_work(club: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Club(club)
    seat = next(one for one in here.games().seats if one.side == "federation")
    orders = draft(club, "federation")
    monkeypatch.setattr(club_module, "PATIENCE", 0.2)
    with held(here.games().post), pytest.raises(GameError, match="another command is receiving emails"):
        here.send(seat, orders, "1")
    assert not here.look(seat).filed
    monkeypatch.setattr(club_module, "PATIENCE", 15.0)
    done: list[bool] = []
    with held(here.games().post):
        waits = threading.Thread(target=lambda: done.append(here.send(seat, orders, "1").taken))
        waits.start()
        waits.join(0.5)
        assert not done
    waits.join(20)
    assert done == [True]


def test_who_was_replaced_is_let_in_no_more(club: Path) -> None:
    assert set(guests(games_of(club).seats)) == {"ann", "bob"}
    (club / "players.toml").write_text(PEOPLE + '[people.eve]\nmail = "eve@example.org"\n', encoding="utf-8")
    before = key(club, "bob")
    with opened(club / "games" / "duel", lock="replace") as game:
        replace(game, "klingon", "eve", mail.START)
    here = Club(club)
    assert here.guest(before) is None
    found = here.guest(key(club, "eve"))
    assert found is not None and [seat.side for seat in found.seats] == ["klingon"]


@pytest.mark.slow
def test_a_door_killed_while_it_files_loses_nothing_and_counts_nothing_twice(club: Path) -> None:
    """At any file operation of a Send; sent once more by the same page, the orders are filed once."""
    here = Club(club)
    seat = next(one for one in here.games().seats if one.side == "federation")
    orders = draft(club, "federation")
    whole = club.with_name("whole")
    shutil.copytree(club, whole)
    first = Club(whole)
    theirs = next(one for one in first.games().seats if one.side == "federation")
    steps = operations(lambda: first.send(theirs, orders, "1"), under=whole)
    for n in places(len(steps)):
        copy = club.with_name(f"cut{n}")
        shutil.copytree(club, copy)
        cut = Club(copy)
        seat = next(one for one in cut.games().seats if one.side == "federation")
        with cut_at(n, under=copy, how=KILLED):
            cut.send(seat, orders, "1")
        assert cut.send(seat, orders, "1").taken
        assert cut.look(seat).filed
        with opened(copy / "games" / "duel", lock="test") as game:
            assert len(list((game.path / "01" / "orders").glob("federation.r1*.orders"))) == 1
            assert not verify(game).faults
        host_round(copy, lambda: mail.START)
        assert len(list((copy / "mail" / "outbox" / "waiting").glob("receipt*"))) == 1


@pytest.mark.slow
def test_the_commands_of_the_page(club: Path) -> None:
    """The blocks of docs/host-guide.md: pages open, links are those of the emails, a new one replaces the old."""

    def pbem(*words: str) -> str:
        command = [sys.executable, "-m", "pbem", "host", *words]
        return subprocess.run(command, cwd=club.parent, capture_output=True, text=True, check=True, env=PROGRAM).stdout

    links = dict(line.split() for line in pbem("link", "club").splitlines())
    assert links["ann"] == f"{WEB}{LOGIN_PATH}#{key(club, 'ann')}" and set(links) == {"ann", "bob"}
    command = [sys.executable, "-m", "pbem", "host", "web", "club"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=club.parent, env=PROGRAM)
    try:
        assert process.stdout is not None
        port = re.search(r"127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port is not None
        ann = Asker(int(port[1]), f"pbem-club={key(club, 'ann')}")
        assert ann.ask("/")[0] == 200
        assert pbem("link", "club", "ann", "--new").split()[1] != links["ann"]
        assert ann.ask("/")[0] == 403
    finally:
        process.kill()
        process.wait()
    wrong = subprocess.run([*command[:-2], "link", "club", "eve"], cwd=club.parent, capture_output=True, env=PROGRAM)
    assert wrong.returncode == 2 and b"no player is called 'eve'; there are ann, bob" in wrong.stderr


@pytest.mark.slow
def test_the_host_plays_when_it_is_rung_for(club: Path) -> None:
    """A host that would wait for ten minutes plays as soon as the last orders came in at the door."""
    command = [sys.executable, "-m", "pbem", "host", "run", "club", "--every", "600"]
    own = {**PROGRAM, "XDG_STATE_HOME": str(club.parent / "state"), "LOCALAPPDATA": str(club.parent / "state")}
    host = subprocess.Popen(command, cwd=club.parent, stdout=subprocess.PIPE, text=True, env=own)
    try:
        assert host.stdout is not None and "mails written" in host.stdout.readline()
        here = Club(club)
        for seat in here.games().seats:
            assert here.send(seat, here.look(seat).draft, "1").taken
        line = host.stdout.readline()
        while line and "played request 1 of turn 1" not in line:  # a round may come between the two letters
            line = host.stdout.readline()
        assert line
    finally:
        host.kill()
        host.wait()
