"""What is said to an IMAP server, word by word, and what is made of its answers.

The server is one of a few lines in a thread: it knows its letters, writes down what it is told, and can be made to
answer what servers answer on their bad days.
"""

from __future__ import annotations

import imaplib
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.mail.host.backup import HEADER, HostMark, as_mail, written
from pbem.mail.incoming.extract import LARGEST_LETTER, MOST_HEADER_BYTES
from pbem.mail.incoming.message import read_letter
from pbem.mail.transport.imap import Imap, _saying, imap_source
from pbem.mail.transport.passwords import IMAP_PASSWORD as PASSWORD

LETTER = b"From: ann@example.org\r\nSubject: STATUS\r\n\r\nSTATUS\r\n"
HEAD = b"From: ann@example.org\r\nSubject: STATUS\r\nContent-Type: text/plain\r\n\r\n"

WHEN = datetime(2027, 3, 1, tzinfo=UTC)
MARKS = "UID SEARCH FLAGGED"
"""Where other hosts may have left a mark; none has."""


class Server:
    """A mailbox with letters 1 to 3; ``instead`` answers commands that begin so in another way, ``until`` another
    command was given.
    """

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.can, self.validity, self.search = b"IMAP4rev1", b"7", b"1 2 3"
        self.size: bytes | None = b"%d" % len(LETTER)
        self.letter = LETTER
        self.select, self.left = b"", b""
        self.instead: dict[str, bytes | None] = {}
        self.until: dict[str, tuple[bytes, str]] = {}
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
            with suppress(OSError, ValueError), line:
                self._talk(line)

    def _talk(self, line: socket.socket) -> None:
        line.sendall(b"* OK ready\r\n")
        with line.makefile("rb") as heard:
            for told in heard:
                tag, _, command = told.strip().partition(b" ")
                word = command.decode("utf-8", "replace")
                if word != MARKS:
                    self.said.append(word)
                if word.startswith("APPEND") and word.endswith("}"):
                    line.sendall(b"+ go on\r\n")
                    self.left = heard.read(int(word.rpartition("{")[2][:-1]))
                    heard.readline()
                self.until = {key: one for key, one in self.until.items() if not word.startswith(one[1])}
                if key := next((key for key in self.until if word.startswith(key)), ""):
                    line.sendall(self.until[key][0].replace(b"TAG", tag))
                    continue
                key = next((key for key in self.instead if word.startswith(key)), "")
                if key:
                    answer = self.instead[key]
                    if answer is None:
                        line.shutdown(socket.SHUT_RDWR)
                        return
                    line.sendall(answer.replace(b"TAG", tag))
                    continue
                line.sendall(self._answer(word) + tag + b" OK %sdone\r\n" % (self.select if "SELECT" in word else b""))

    def _answer(self, word: str) -> bytes:
        if word == "CAPABILITY":
            return b"* CAPABILITY " + self.can + b"\r\n"
        if word.startswith(("SELECT", "EXAMINE")):
            return b"* 3 EXISTS\r\n" + (b"* OK [UIDVALIDITY %s] ok\r\n" % self.validity if self.validity else b"")
        if word == MARKS:
            return b"* SEARCH\r\n"
        if word == 'LIST "" "Done"':
            return b'* LIST () "/" Done\r\n'
        if word.startswith("UID SEARCH"):
            return b"* SEARCH " + self.search + b"\r\n"
        if "RFC822.SIZE" in word:
            return b"" if self.size is None else b"* 1 FETCH (UID 1 RFC822.SIZE %s)\r\n" % self.size
        if "BODY.PEEK[HEADER]" in word:
            return b"* 1 FETCH (UID 1 BODY[HEADER] {%d}\r\n%s)\r\n" % (len(HEAD), HEAD)
        if "BODY.PEEK[]" in word:
            return b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%s)\r\n" % (len(self.letter), self.letter)
        return b""

    def box(self, **more: object) -> Imap:
        settings = {"host": "127.0.0.1", "port": self.port, "user": "the host", "security": "none", "timeout": 5.0}
        return imap_source({**settings, **more})

    def since(self, box: Imap, act: Callable[[Imap], object]) -> list[str]:
        """What was said for this, without the greeting."""
        self.said.clear()
        act(box)
        return [word for word in self.said if not word.startswith(("CAPABILITY", "LOGIN", "LOGOUT"))]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv(PASSWORD, 'pass "word"')
    found = Server()
    yield found
    found.listening.close()


def take_all(box: Imap) -> None:
    """Fetch everything, and put each letter away."""
    for key, _ in box.fetch():
        box.done(key)


def take_second(box: Imap) -> None:
    """Fetch everything, then put the second letter away."""
    assert len(list(box.fetch())) == 3
    box.done("7.2")


def test_letters_are_looked_at_and_marked_in_one_connection(server: Server) -> None:
    box, keys = server.box(), []
    for key, raw in box.fetch():
        assert raw == LETTER
        keys.append(key)
        box.done(key)
    assert keys == ["7.1", "7.2", "7.3"] and server.calls == 1 and not box.missed()
    fetch = ["UID FETCH {} (RFC822.SIZE)", "UID FETCH {} (BODY.PEEK[])", r"UID STORE {} +FLAGS.SILENT (\Seen)"]
    assert [word for word in server.said if not word.startswith("CAPABILITY")] == [
        'LOGIN "the host" "pass \\"word\\""', 'SELECT "INBOX"', "UID SEARCH UNSEEN",
        *(word.format(n) for n in (1, 2, 3) for word in fetch), "LOGOUT",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("can", "moved"),
    [
        (b"IMAP4rev1 move UIDPLUS", ["UID MOVE 2 {}"]),
        (b"IMAP4rev1 UIDPLUS", ["UID COPY 2 {}", r"UID STORE 2 +FLAGS.SILENT (\Deleted)", "UID EXPUNGE 2"]),
        (b"IMAP4rev1 MOVES XUIDPLUS", ["UID COPY 2 {}", r"UID STORE 2 +FLAGS.SILENT (\Deleted)", "EXPUNGE"]),
    ],
)
def test_done_letters_are_moved_as_the_server_can(server: Server, can: bytes, moved: list[str]) -> None:
    server.can = can
    said = server.since(server.box(done='To "Ann\\', mailbox="My Box"), take_second)
    name = '"To \\"Ann\\\\"'
    assert said[:2] == ['SELECT "My Box"', "UID SEARCH ALL"]
    after = said[said.index("UID FETCH 3 (BODY.PEEK[])") + 1 :]
    seen = r"UID STORE 2 +FLAGS.SILENT (\Seen)"
    assert after == ['SELECT "My Box"', seen, *(one.format(name) for one in moved)]


def test_the_mailbox_of_done_letters_is_made_when_the_first_is_moved_there(server: Server) -> None:
    """Asking in each round whether it is there has some servers end the connection (pymap's Maildir)."""
    server.can, server.until = b"IMAP4rev1 MOVE", {"UID MOVE": (b"TAG NO [TRYCREATE] no such mailbox\r\n", "CREATE")}
    said = server.since(server.box(done="Done"), take_all)
    assert [word for word in said if "Done" in word] == [
        'UID MOVE 1 "Done"', 'CREATE "Done"', 'UID MOVE 1 "Done"', 'UID MOVE 2 "Done"', 'UID MOVE 3 "Done"',
    ]  # fmt: skip


def test_letters_that_came_since_are_asked_for_where_they_lie(server: Server) -> None:
    took = ["UID FETCH {} (RFC822.SIZE)", "UID FETCH {} (BODY.PEEK[])"]
    three = [word.format(n) for n in (1, 2, 3) for word in took]
    server.instead = {"UID SEARCH UNSEEN": b"* SEARCH 3\r\nTAG OK done\r\n"}
    keys: list[str] = []

    def fetch(box: Imap) -> None:
        keys[:] = [key for key, _ in box.fetch()]

    for done, since, said, found in (
        ("", False, ['SELECT "INBOX"', "UID SEARCH UNSEEN", *three[4:]], ["7.3"]),
        ("", True, ['SELECT "INBOX"', "UID SEARCH UNSEEN", "UID SEARCH SINCE 9-Mar-2027", *three],
         ["7.1", "7.2", "7.3"]),
        ("Done", False, ['SELECT "INBOX"', "UID SEARCH ALL", *three], ["7.1", "7.2", "7.3"]),
        ("Nothing", True, ['SELECT "INBOX"', 'LIST "" "Nothing"', "UID SEARCH ALL", *three], ["7.1", "7.2", "7.3"]),
        ("Done", True,
         ['SELECT "INBOX"', 'LIST "" "Done"', 'EXAMINE "Done"', "UID SEARCH SINCE 9-Mar-2027", *three,
          'SELECT "INBOX"', "UID SEARCH ALL", *three],
         ["done.1", "done.2", "done.3", "7.1", "7.2", "7.3"]),
    ):  # fmt: skip
        box = server.box(done=done)
        box.since = datetime(2027, 3, 9, 23, 0, tzinfo=UTC) if since else None
        assert server.since(box, fetch) == said
        assert keys == found and box.missed() == ()


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError("odd"), "cannot be reached: odd"), (OSError(5, "Broken"), "cannot be reached: Broken"),
        (imaplib.IMAP4.error("no  way"), "refuses: no way"),
        (ValueError(), "sent an answer that pbem cannot read: Value"),
    ],
)  # fmt: skip
def test_what_went_wrong_with_a_server(error: Exception, said: str) -> None:
    box = imap_source({"host": "mail.example.org", "user": "host"})
    with pytest.raises(GameError, match=f"the mail server mail.example.org {said}"), _saying(box.account):
        raise error


def test_a_mailbox_that_cannot_be_made_may_be_there_already(server: Server) -> None:
    server.instead["CREATE"] = b"TAG NO [ALREADYEXISTS] it is there\r\n"
    assert len(list(server.box(done="Played").fetch())) == 3
    server.instead["UID COPY"] = b"TAG NO no such mailbox\r\n"
    with pytest.raises(GameError, match="refuses: no such mailbox"):
        server.box(done="Played").done("7.1")


def test_a_letter_of_a_mailbox_that_was_made_anew_is_not_marked(server: Server) -> None:
    """The same number is another letter there (RFC 3501, UIDVALIDITY)."""
    box = server.box()
    (first, *_) = list(box.fetch())
    server.validity = b"8"
    assert not [word for word in server.since(box, lambda box: box.done(first[0])) if "STORE" in word]
    server.validity = b"7"
    assert "UID STORE 1 +FLAGS.SILENT (\\Seen)" in server.since(box, lambda box: box.done(first[0]))
    server.validity = b""
    assert [key for key, _ in server.box().fetch()] == ["0.1", "0.2", "0.3"]


HEADERS = f"BODY.PEEK[HEADER]<0.{MOST_HEADER_BYTES}>"


@pytest.mark.parametrize(
    ("size", "part"),
    [
        (b"%d" % LARGEST_LETTER, "BODY.PEEK[]"), (b"%d" % (LARGEST_LETTER + 1), HEADERS),
        (b"9" * 13, HEADERS), (b"9" * 5000, HEADERS), (b"000000000050", "BODY.PEEK[]"),
        (b"0000000000050", HEADERS), (None, "BODY.PEEK[]"), (b"x", "BODY.PEEK[]"),
    ],
)  # fmt: skip
def test_of_a_letter_that_is_far_too_long_only_the_headers_come(server: Server, size: bytes | None, part: str) -> None:
    """And it is known that the rest is missing: it is never taken for a whole letter."""
    server.size, server.search = size, b"1"
    ((_, raw),) = list(server.box().fetch())
    assert f"UID FETCH 1 ({part})" in server.said
    if part == "BODY.PEEK[]":
        assert raw == LETTER
    else:
        assert raw.startswith(HEAD) and len(raw) == LARGEST_LETTER + 1
        assert "is the most that is read" in read_letter(raw).unread


@pytest.mark.parametrize(
    ("can", "said"),
    [
        (b"IMAP4rev1 LOGINDISABLED", "set security to tls"),
        (b"IMAP4rev1 STARTTLS logindisabled AUTH=PLAIN", "set security to tls"),
        (b"IMAP4rev1 LOGINDISABLED AUTH=XOAUTH2", r'wants OAuth and takes no password: set login = "oauth" in'),
    ],
)
def test_no_password_is_sent_where_the_server_takes_none(server: Server, can: bytes, said: str) -> None:
    server.can = can
    with pytest.raises(GameError, match=said):
        list(server.box().fetch())
    assert not [word for word in server.said if word.startswith(("LOGIN ", "AUTHENTICATE"))]
    assert not any("pass" in word for word in server.said)


@pytest.mark.parametrize(
    ("can", "said"),
    [
        (
            b"IMAP4rev1 AUTH=XOAUTH2 AUTH=OAUTHBEARER",
            'wants OAuth and takes no password: set login = "oauth" in',
        ),
        (b"IMAP4rev1 AUTH=XOAUTH2 AUTH=PLAIN", "password"),
        (b"IMAP4rev1", "password"),
    ],
)
def test_a_server_that_wants_oauth_alone_is_told_as_one(server: Server, can: bytes, said: str) -> None:
    server.can, server.instead = can, {"LOGIN ": b"TAG NO [AUTHENTICATIONFAILED] bad\r\n"}
    with pytest.raises(GameError, match=said) as told:
        list(server.box().fetch())
    assert ("OAuth" in str(told.value)) == ("OAuth" in said)


def test_letters_are_taken_by_their_numbers(server: Server) -> None:
    server.search = b"10 9 2"
    assert [key for key, _ in server.box().fetch()] == ["7.2", "7.9", "7.10"]
    server.search = b"2 12345678901 x 1234567890"
    box = server.box()
    assert [key for key, _ in box.fetch()] == ["7.2", "7.1234567890"]
    assert box.missed() == ("127.0.0.1 answers a search for emails with something that is not a list",)
    server.instead["UID SEARCH"] = b"* SEARCH 1\r\n* SEARCH 2\r\nTAG OK done\r\n"
    assert [key for key, _ in server.box().fetch()] == ["7.1", "7.2"]


def test_what_a_server_cannot_give_is_told_and_passed_over(server: Server) -> None:
    server.instead = {"UID FETCH 1 (B": b"TAG OK nothing\r\n", "UID FETCH 2 (B": b"TAG NO it is damaged\r\n"}
    box = server.box()
    assert [key for key, _ in box.fetch()] == ["7.3"]
    nothing, refused = box.missed()
    assert nothing == "127.0.0.1 gives nothing for email 1 of INBOX"
    assert refused == "127.0.0.1 does not give email 2 of INBOX: it is damaged"
    assert server.calls == 1


@pytest.mark.slow
def test_a_connection_that_breaks_over_a_letter_is_made_anew_and_the_letter_left_for_later(server: Server) -> None:
    server.instead["UID FETCH 2 (B"] = None
    box = server.box()
    assert [key for key, _ in box.fetch()] == ["7.1", "7.3"]
    (missed,) = box.missed()
    assert missed.startswith("the connection broke at email 2 of INBOX: ") and server.calls == 2
    server.calls, server.search = 0, b" ".join(b"%d" % n for n in range(1, 41))
    server.instead["UID FETCH"] = None
    assert list(box.fetch()) == []
    assert server.calls == 20 and len(box.missed()) == 20
    # Where it breaks over no letter there is no mailbox to be had.
    for where in ("UID SEARCH", "SELECT", "LOGIN", "CAPABILITY"):
        server.instead = {where: None}
        with pytest.raises(GameError, match=r"the mail server 127.0.0.1 (refuses|cannot be reached)"):
            list(box.fetch())
    assert box.missed() == ()


def test_a_mailbox_that_may_only_be_read_is_asked_for_so(server: Server) -> None:
    server.select = b"[READ-ONLY] "
    box = server.box()
    server.instead["EXAMINE"] = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\nTAG OK [READ-ONLY] done\r\n"
    said = server.since(box, take_all)
    assert 'EXAMINE "INBOX"' in said and not [word for word in said if "STORE" in word]
    assert len(box.missed()) == 1
    server.select, server.instead = b"", {}
    assert len([word for word in server.since(box, take_all) if "STORE" in word]) == 3


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (
            {"LOGIN": b"TAG NO [AUTHENTICATIONFAILED] No such.\r\n"},
            r"refuses: the user name or the password is wrong "
            r"\(the password is that of the variable PBEM_IMAP_PASSWORD\)\. It says: "
            r"\[AUTHENTICATIONFAILED\] No such\.$",
        ),
        ({"LOGIN": b"TAG NO [UNAVAILABLE] later\r\n"}, r"refuses: \[UNAVAILABLE\] later$"),
        ({"SELECT": b"TAG NO gone\r\n"}, "refuses: .*gone"),
        ({"UID SEARCH": b"TAG BAD what\r\n"}, "refuses: .*what"), ({"UID SEARCH": b"TAG NO\r\n"}, "refuses: "),
        ({"SELECT": b"* OK [UIDVALIDITY 7] ok\r\n* FLAGS (\r\nrubbish\r\nTAG OK\r\n"}, "refuses|cannot"),
    ],
)  # fmt: skip
def test_what_a_server_refuses_is_one_sentence(server: Server, instead: dict[str, bytes], said: str) -> None:
    server.instead = dict(instead)
    with pytest.raises(GameError, match=said) as error:
        list(server.box().fetch())
    assert '"word"' not in str(error.value) and [fault.code for fault in error.value.faults] == ["no-mailbox"]


def test_what_is_no_account_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = {"host": "mail.example.org", "user": "host"}
    for wrong in ({"security": "none"}, {"host": 5}, {"port": "x"}, {"colour": "red"}, {"security": "ssl"}):
        with pytest.raises(GameError, match="inbox"):
            imap_source({**plain, **wrong})
    for right in ({}, {"security": "starttls"}, *({"host": host, "security": "none"} for host in ("localhost", "::1"))):
        assert imap_source({**plain, **right}).account.mailbox == "INBOX"
    monkeypatch.delenv(PASSWORD, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(GameError, match=f"no password for host at mail.example.org: .*{PASSWORD}"):
        list(imap_source(plain).fetch())


@pytest.mark.parametrize(("security", "port"), [("tls", 993), ("starttls", 143), ("none", 143)])
def test_the_ports_servers_listen_at(monkeypatch: pytest.MonkeyPatch, security: str, port: int) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    called: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        called.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    for given, asked in ((0, port), (1143, 1143)):
        box = imap_source({"host": "localhost", "user": "host", "security": security, "port": given})
        with pytest.raises(GameError, match="localhost cannot be reached: Connection refused"):
            list(box.fetch())
        assert called.pop() == ("localhost", asked)


def test_a_mark_is_left_in_the_place_of_the_one_before(server: Server) -> None:
    """Of twenty flagged letters the last are looked at; another host's mark and a person's letter stay."""
    marks = {
        7: f"{HEADER}: {written(HostMark(host='mine', count=1, word='w', where='x', at=WHEN))}",
        8: f"{HEADER.lower()} : {written(HostMark(host='other', count=1, word='w', where='x', at=WHEN))}",
        9: "",
        10: "X-Other: 1",
        11: f"{HEADER}: no mark",
    }
    server.can = b"IMAP4rev1 UIDPLUS"
    server.instead = {
        MARKS: b"* SEARCH " + b" ".join(b"%d" % n for n in range(11, -14, -1) if n > 0) + b"\r\nTAG OK done\r\n"
    }
    for uid, text in marks.items():
        head = text.encode() + b"\r\n\r\n"
        server.instead[f"UID FETCH {uid} (BODY.PEEK[HEADER.FIELDS"] = (
            b"* 1 FETCH (UID %d BODY[HEADER.FIELDS (X)] {%d}\r\n%s)\r\nTAG OK done\r\n" % (uid, len(head), head)
        )
    box = server.box(mailbox="My Box")
    said = server.since(box, lambda box: box.leave("mine", "the new mark"))
    asked = [f"UID FETCH {n} (BODY.PEEK[HEADER.FIELDS ({HEADER})])" for n in range(1, 12)]
    assert said == [
        'SELECT "My Box"', *asked, f'APPEND "My Box" (\\Seen \\Flagged) {{{len(server.left)}}}',
        r"UID STORE 7 +FLAGS.SILENT (\Deleted)", "UID EXPUNGE 7",
    ]  # fmt: skip
    assert server.left == as_mail("the new mark", "the host")
    shown: list[tuple[str, ...]] = []
    box.guard = shown.append
    server.search = b"7 8 9 10 11"
    letters = [key for key, _ in box.fetch()]
    assert [[text.partition(" ")[0] for text in one] for one in shown] == [['{"host":', '{"host":', "no"]]
    assert letters == ["7.9", "7.10"], "marks are no letters"


def test_of_many_flagged_letters_the_last_are_looked_at(server: Server) -> None:
    server.instead = {MARKS: b"* SEARCH " + b" ".join(b"%d" % n for n in range(1, 31)) + b"\r\nTAG OK done\r\n"}
    box = server.box()
    said = server.since(box, lambda box: box.leave("mine", "m"))
    assert [word.split()[2] for word in said if "HEADER.FIELDS" in word] == [str(n) for n in range(11, 31)]
    server.instead |= {"UID FETCH 11": b"TAG NO\r\n"}
    shown: list[tuple[str, ...]] = []
    box.guard = shown.append
    assert len(list(box.fetch())) == 3 and shown == [()], "a server that shows none keeps no letter back"


def test_in_a_mailbox_that_may_only_be_read_no_mark_is_left(server: Server) -> None:
    server.select = b"[READ-ONLY] "
    said = server.since(server.box(), lambda box: box.leave("mine", "m"))
    assert not [word for word in said if word.startswith(("APPEND", "UID STORE"))] and server.left == b""
    server.instead = {"LOGIN": b"TAG NO never\r\n"}
    server.box().leave("mine", "m")  # what cannot be left is not told either
