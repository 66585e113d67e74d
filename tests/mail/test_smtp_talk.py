"""What is said to an SMTP server, word by word, and what is made of its answers.

The server is one of a few lines in a thread: it writes down what it is told, and can be made to answer what servers
answer on their bad days.
"""

from __future__ import annotations

import base64
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

from pbem.mail.settings import Smtp
from pbem.mail.transport.outbox import Later, Refused, Unreachable
from pbem.mail.transport.passwords import SMTP_PASSWORD
from pbem.mail.transport.smtp import SmtpCarrier

MAIL = b"Subject: s\r\n\r\n.dot\r\n"
ANN, HOST = "ann@example.org", "orders@host.example"


class Server:
    """Takes everything; ``instead`` answers commands that begin so in another way (``None``: hangs up)."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.greeting, self.can = b"220 ready", b"250-here\r\n250-SIZE 1000\r\n250 AUTH PLAIN"
        self.instead: dict[str, bytes | None] = {}
        self.said: list[str] = []
        self.calls = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self.listening.accept()
            except OSError:
                return
            self.calls += 1
            with suppress(OSError), line:
                self._talk(line)

    def _talk(self, line: socket.socket) -> None:
        line.sendall(self.greeting + b"\r\n")
        data = False
        with line.makefile("rb") as heard:
            for told in heard:
                word = told.decode("ascii").rstrip("\r\n")
                # Which letters of a command are small is another thing in each Python.
                self.said.append(word if data else re.sub(r"^ehlo .*", "ehlo", word.lower()))
                if data and word != ".":
                    continue
                key = next((key for key in self.instead if word.lower().startswith(key)), "")
                answer = self.instead[key] if key else self._answer(word.lower(), data)
                data = word.lower() == "data" and answer is not None and answer.startswith(b"354")
                if answer is None:
                    line.shutdown(socket.SHUT_RDWR)
                    return
                line.sendall(answer + b"\r\n")

    def _answer(self, word: str, data: bool) -> bytes:
        if data:
            return b"250 taken"
        answers = {"ehlo": self.can, "data": b"354 go on", "auth": b"235 welcome", "quit": b"221 bye"}
        return answers.get(word.partition(" ")[0], b"250 yes")

    def carrier(self, **more: object) -> SmtpCarrier:
        settings = {"host": "127.0.0.1", "port": self.port, "security": "none", "timeout": 20.0, **more}
        return SmtpCarrier(Smtp(**settings))  # type: ignore[arg-type]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv(SMTP_PASSWORD, "secret")
    found = Server()
    yield found
    found.listening.close()


ONE = [f"mail from:<{HOST}> size={len(MAIL)}", f"rcpt to:<{ANN}>", "data", "Subject: s", "", "..dot", "."]


def test_mails_go_out_over_one_connection(server: Server) -> None:
    with server.carrier() as carrier:
        carrier.send(HOST, ANN, MAIL)
        carrier.send(HOST, ANN, MAIL)
    assert (server.said, server.calls) == (["ehlo", *ONE, *ONE, "quit"], 1)
    with server.carrier():
        pass
    assert server.calls == 1, "nothing is to be sent: nobody is called"


@pytest.mark.parametrize(
    ("instead", "error", "said"),
    [
        ({"rcpt": b"550 no such"}, Refused, f"{ANN} was refused: 550 no such"),
        ({"rcpt": b"500 odd"}, Refused, f"{ANN} was refused: 500 odd"),
        ({"rcpt": b"499 odd"}, Later, f"{ANN} was refused: 499 odd"),
        ({"rcpt": b"452-full\r\n452 for   now"}, Later, f"{ANN} was refused: 452 full for now"),
        ({"data": b"554 no"}, Refused, "the email was refused: 554 no"),
        ({".": b"451 later"}, Later, "the email was refused: 451 later"),
        ({".": b"552 too long"}, Refused, "the email was refused: 552 too long"),
        ({"mail": b"530 who?"}, Unreachable, f"127.0.0.1 sends nothing from {HOST}: who?"),
        ({"rcpt": None}, Unreachable, "the connection to 127.0.0.1 broke: Connection unexpectedly closed"),
    ],
)  # fmt: skip
def test_what_a_server_says_of_a_mail(
    server: Server, instead: dict[str, bytes | None], error: type[Exception], said: str
) -> None:
    server.instead = instead
    with server.carrier() as carrier:
        with pytest.raises(error) as told:
            carrier.send(HOST, ANN, MAIL)
        assert str(told.value) == said
        server.instead = {}
        carrier.send(HOST, ANN, MAIL)
    assert server.calls == (2 if error is Unreachable else 1), "a line that broke is made anew"
    assert server.said[-len(ONE) - 1 :] == [*ONE, "quit"]


def test_who_has_a_password_logs_in(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with server.carrier(user="ann") as carrier:
        assert carrier.connect() is carrier.connect()
    known = base64.b64encode(b"\0ann\0secret").decode()
    assert server.said == ["ehlo", f"auth plain {known.lower()}", "quit"]
    server.instead = {"auth": b"535 never"}
    with pytest.raises(Unreachable) as told:
        server.carrier(user="ann").connect()
    assert str(told.value) == (
        "127.0.0.1 does not accept ann with this password: the user name or the password is wrong "
        "(the password is that of the variable PBEM_SMTP_PASSWORD). It says: never"
    )
    server.instead = {"auth": b"454 not now"}
    with pytest.raises(Unreachable, match=r"does not accept ann with this password: not now$"):
        server.carrier(user="ann").connect()
    server.can = b"250 here"
    with pytest.raises(Unreachable) as told:
        server.carrier(user="ann").connect()
    assert str(told.value) == (
        f"127.0.0.1, port {server.port}: SMTP AUTH extension not supported by server.; is security = 'none' right for "
        "this port?"
    )
    monkeypatch.delenv(SMTP_PASSWORD)
    with pytest.raises(Unreachable, match="there is no password for ann: set the variable PBEM_SMTP_PASSWORD"):
        server.carrier(user="ann").connect()
    server.greeting = b"554 go away"
    with pytest.raises(Unreachable) as told:
        server.carrier().connect()
    assert str(told.value) == f"127.0.0.1, port {server.port} does not answer: (554, b'go away')"


def test_a_server_that_knows_no_ehlo_is_greeted_as_of_old(server: Server) -> None:
    server.instead = {"ehlo": b"502 what?"}
    with server.carrier() as carrier:
        carrier.send(HOST, ANN, MAIL)
    assert server.said[0] == "ehlo" and server.said[1].startswith("helo ")
    assert server.said[2:] == [f"mail from:<{HOST}>", *ONE[1:], "quit"]
