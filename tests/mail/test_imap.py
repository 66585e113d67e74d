"""Letters from a real IMAP server, pymap, in a process of its own."""

from __future__ import annotations

import imaplib
import importlib.util
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from pbem.errors import GameError
from pbem.mail.host.backup import Elsewhere, HostMark, read, written
from pbem.mail.incoming.intake import take_in_all
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games
from pbem.mail.transport.imap import Imap
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.passwords import IMAP_PASSWORD as PASSWORD

if importlib.util.find_spec("pymap") is None:
    pytest.skip("needs pymap, an IMAP server in Python (pip install pymap)", allow_module_level=True)
if sys.platform == "win32":
    pytest.skip("pymap does not run on Windows", allow_module_level=True)

pytestmark = pytest.mark.slow

Write = Callable[..., bytes]
Eaf = Callable[..., str]
NOW = datetime(2027, 3, 1, tzinfo=UTC)
SERVE = "import sys; sys.argv = ['pymap', *sys.argv[1:]]; from pymap.main import main; main()"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of "localhost", signed by itself, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    key = file.with_name("key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", file, "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    file.write_bytes(file.read_bytes() + key.read_bytes())
    return file


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> Iterator[int]:
    """The port of a server with an empty mailbox of ann's."""
    port = free_port()
    options = ["--host", "127.0.0.1", "--port", str(port), "--cert", str(certificate), "--key", str(certificate)]
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, *options, "dict", "--demo-user", "host", "--demo-password", "pass word"],
        stderr=subprocess.DEVNULL,
    )
    monkeypatch.setenv(PASSWORD, "pass word")
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def deliver(port: int, *letters: bytes) -> None:
    with imaplib.IMAP4("127.0.0.1", port) as box:
        box.login("host", "pass word")
        for letter in letters:
            assert box.append("INBOX", "", "", letter)[0] == "OK"


def source(port: int, **more: object) -> Imap:
    settings = {"kind": "imap", "host": "127.0.0.1", "port": port, "user": "host", "security": "none", **more}
    found = open_source(settings, Path())
    assert isinstance(found, Imap)
    return found


def count(port: int, mailbox: str) -> int:
    with imaplib.IMAP4("127.0.0.1", port) as box:
        box.login("host", "pass word")
        _, data = box.select(mailbox)
        return int(data[0] or b"0")


@pytest.mark.parametrize("done", ["", "Played"])
def test_letters_are_taken_once(server: int, done: str, games: Games, write: Write, eaf: Eaf) -> None:
    deliver(server, write("federation", "orders", eaf("federation")), write("klingon", "STATUS"), b"\xffspam")
    sent: list[Reply] = []

    def put(reply: Reply) -> None:
        sent.append(reply)

    box = source(server, done=done)
    assert [one.entry.done for one in take_in_all(box, games, put)] == ["orders", "command", "quarantine"]
    assert [reply.kind for reply in sent] == ["receipt", "command", "notice"]
    assert list(box.fetch()) == []
    if done:
        assert (count(server, "INBOX"), count(server, "Played")) == (0, 3)
        deliver(server, write("klingon", "HELP"))
        assert [one.entry.done for one in take_in_all(box, games, put)] == ["command"]


def test_what_is_not_done_comes_again(server: int, write: Write) -> None:
    deliver(server, write("federation", "STATUS"))
    box = source(server)
    (first,), (second,) = list(box.fetch()), list(box.fetch())
    assert first == second
    # After the connection has ended, too.
    box.done(first[0])
    assert list(box.fetch()) == []
    box.done("0.101")


@pytest.mark.parametrize("done", ["", "Played"])
def test_marks_are_shown_before_any_letter_and_are_none_and_what_is_done_comes_again(
    server: int, done: str, games: Games, write: Write
) -> None:
    letters = [write("federation", "STATUS"), write("klingon", "STATUS")]
    deliver(server, *letters)
    box = source(server, done=done)
    for key, _ in box.fetch():
        box.done(key)
    marks = [
        HostMark(host=host, count=count, word="w", where="h\xf6st", at=NOW) for host, count in (("a", 1), ("b", 1))
    ]
    for mark in (*marks, msgspec.structs.replace(marks[0], count=2)):
        box.leave(mark.host, written(mark))
    seen: list[tuple[str, ...]] = []
    box.guard = seen.append
    assert list(box.fetch()) == [] and count(server, "INBOX") == 2 + 2 * (not done)
    known = [read(text) for text in seen[0]]
    assert {(mark.host, mark.count, mark.where) for mark in known if mark} == {("a", 2, "h\xf6st"), ("b", 1, "h\xf6st")}
    late = write("klingon", "HELP")
    deliver(server, late)
    box.since = datetime.now(UTC) - timedelta(days=1)
    assert [raw for _, raw in box.fetch()] == [*letters, late]
    sent: list[Reply] = []

    def put(reply: Reply) -> None:
        sent.append(reply)

    assert [one.entry.done for one in take_in_all(box, games, put)] == ["command"] * 3
    box.since = None
    assert list(box.fetch()) == []

    def refuse(marks: tuple[str, ...]) -> None:
        raise Elsewhere.saying("elsewhere", "another one is at work")

    deliver(server, late)
    box.guard = refuse
    with pytest.raises(Elsewhere):
        list(box.fetch())


def test_a_letter_arrives_byte_for_byte(server: int) -> None:
    raw = (
        b"Subject: x\r\n\r\n" + bytes(range(1, 256)).replace(b"\n", b"").replace(b"\r", b"") + b"\r\n.\r\n)\r\n{3}\r\n"
    )
    deliver(server, raw)
    assert [found for _, found in source(server).fetch()] == [raw]


def test_a_wrong_password_is_said_in_a_sentence(server: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "wrong one")
    with pytest.raises(GameError, match="refuses") as error:
        list(source(server).fetch())
    assert "wrong one" not in str(error.value)
    monkeypatch.delenv(PASSWORD)
    with pytest.raises(GameError, match=PASSWORD):
        list(source(server).fetch())


def test_a_server_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    with pytest.raises(GameError, match="cannot be reached"):
        list(source(free_port()).fetch())


def test_a_mailbox_that_is_not_there(server: int) -> None:
    with pytest.raises(GameError, match="refuses"):
        list(source(server, mailbox="Nowhere").fetch())


def test_a_certificate_nobody_vouches_for_is_refused(
    server: int, certificate: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    deliver(server, write("federation", "STATUS"))
    with pytest.raises(GameError, match="certificate"):
        list(source(server, security="starttls").fetch())
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr("ssl.create_default_context", lambda: trusting)
    assert len(list(source(server, security="starttls").fetch())) == 1
