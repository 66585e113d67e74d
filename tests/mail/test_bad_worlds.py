"""What is wrong with one game, one letter, one server or the disk keeps no other from its turn."""

from __future__ import annotations

import errno
import re
import shutil
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.errors import GameError
from pbem.games.storage.files import write_bytes
from pbem.mail.host import play
from pbem.mail.host.club import HostedClub, HostedGame
from pbem.mail.incoming.intake import MOST_IDLE, MOST_SAME, take_in, take_in_all
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.replies.reply import Outgoing, Reply
from pbem.mail.seats import Games, games_in
from pbem.mail.settings import Host, Smtp
from pbem.mail.transport.imap import Imap
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.outbox import Outbox, Unreachable
from pbem.mail.transport.passwords import IMAP_PASSWORD as PASSWORD
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.mail.transport.sources import EmlFolder
from tests.cuts import KILLED, REFUSED, cut_at, operations

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, Sink, answer
else:
    from post_hosted import Hosted, Sink, answer

Write = Callable[..., bytes]
Eaf = Callable[..., str]
NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
DEEP = b"[" * 200_000


# --- one game --------------------------------------------------------------------------------------------------------


def second_game(hosted: Hosted, name: str = "zz") -> Path:
    """Another game beside the duel, before it in the order of names."""
    other = hosted.folder / "games" / name
    shutil.copytree(hosted.game, other)
    toml = (other / "game.toml").read_text(encoding="utf-8")
    (other / "game.toml").write_text(toml.replace('"duel01"', '"zz"'), encoding="utf-8")
    return other


def bad(place: str, data: bytes) -> Callable[[Path], None]:
    def spoil(game: Path) -> None:
        (game / place).parent.mkdir(exist_ok=True)
        (game / place).write_bytes(data)

    return spoil


def a_folder(place: str) -> Callable[[Path], None]:
    def spoil(game: Path) -> None:
        with suppress(FileNotFoundError):
            (game / place).unlink()
        (game / place).mkdir(parents=True)

    return spoil


def strange_name(game: Path) -> None:
    game.rename(game.with_name("aa\udcff\udcfe"))  # bytes that are no text


SPOILED = {
    "nested players": bad("secret/players.json", DEEP),
    "nested tokens": bad("secret/tokens.json", DEEP),
    "nested clock": bad("mail/clock.json", DEEP),
    "nested log": bad("00/events.jsonl", DEEP),
    "nested state": bad("00/state.json", DEEP),
    "nested terms": bad("game.toml", b"format = 1\nx = " + DEEP),
    "nested settings": bad("post.toml", b"format = 1\nx = " + DEEP),
    "terms not UTF-8": bad("game.toml", b'format = 1\nname = "\xff\xfe"\n'),
    "settings not UTF-8": bad("post.toml", b"\xff\xfe"),
    "players not UTF-8": bad("secret/players.json", b'{"federation": "\xff"}'),
    "a folder for its clock": a_folder("mail/clock.json"),
    "a folder for its log": a_folder("00/events.jsonl"),
    "a strange name": strange_name,  # last: its folder has another name then
}


@pytest.mark.slow
def test_games_that_cannot_be_worked_on_keep_no_other_from_being_played(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    for number, (name, spoil) in enumerate(SPOILED.items()):
        if name != "a strange name" or sys.platform not in ("win32", "darwin"):  # names of files are text there
            spoil(second_game(hosted, f"a{number:02}"))
    answer(hosted, "federation", "klingon")
    done = hosted.round()
    assert done.letters == ("orders", "orders") and (hosted.game / "01" / "r2").is_dir()
    told = "\n".join(one.as_string() for one in hosted.sent_to("umpire"))
    names = [path.name for path in (hosted.folder / "games").iterdir()]
    for name in (ascii(name).strip("'").replace("udcff", "xff")[:3] for name in names if name != "duel01"):
        assert any(name in trouble for trouble in done.troubles), name
        assert name in told, name


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "Permission denied"), RecursionError(), KeyError("x")])
def test_whatever_a_game_raises_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    other = second_game(hosted, "aa")

    def sitreps(club: HostedClub, one: HostedGame) -> Iterator[Outgoing]:
        if one.game.path == other:
            raise error
        yield from real(club, one)

    real = play._sitreps
    monkeypatch.setattr(play, "_sitreps", sitreps)
    answer(hosted, "federation", "klingon")
    done = hosted.round()
    assert (hosted.game / "01" / "r2").is_dir() and any(one.startswith("aa: ") for one in done.troubles)


# --- one letter ------------------------------------------------------------------------------------------------------


class Replies:
    def __init__(self) -> None:
        self.put: list[Reply] = []

    def __call__(self, reply: Reply) -> None:
        self.put.append(reply)

    def to(self, address: str) -> int:
        return sum(reply.to == address for reply in self.put)


def test_a_forged_sender_silences_nobody(games: Games, write: Write, eaf: Eaf, duel: Path) -> None:
    ledger, out = Ledger(games.post), Replies()
    for _ in range(MOST_SAME + MOST_IDLE + 3):
        forged = write("federation", "WITHDRAW", token="")
        assert take_in(forged, games, ledger, out).entry.done == "quarantine"
    assert take_in(write("federation", "WITHDRAW"), games, ledger, out).entry.done == "command"
    assert take_in(write("federation", "orders", eaf("federation")), games, Ledger(games.post), out).entry.sha256
    assert out.to("ann@example.org") == 2


def test_a_letter_that_was_put_aside_counts_when_it_comes_with_its_token(tmp_path: Path, duel: Path, eaf: Eaf) -> None:
    """With an address of his own a player's token is no part of what a letter says."""
    games = games_in(duel, umpire="umpire@host.example", orders="orders@host.example", tags=True)
    seat = next(one for one in games.seats if one.side == "federation")
    raw = (
        f"From: ann@example.org\r\nTo: orders@host.example\r\nSubject: orders\r\nMessage-ID: <1@example.org>\r\n\r\n"
        f"{eaf('federation')}"
    ).encode()
    right = raw.replace(b"To: orders@", f"To: orders+{seat.token}@".encode())
    out = Replies()
    done = [take_in(one, games, Ledger(games.post), out).entry.done for one in (raw, raw, right, right, raw)]
    assert done == ["quarantine", "quarantine", "orders", "orders", "orders"]
    assert out.to("ann@example.org") == 1


def test_a_ticket_system_is_not_answered_for_ever(games: Games, write: Write, eaf: Eaf) -> None:
    ledger, out = Ledger(games.post), Replies()
    for number in range(60):
        take_in(write("federation", f"[Ticket #{number}] Re: orders", "STATUS\n\nYour ticket"), games, ledger, out)
    assert out.to("ann@example.org") == MOST_SAME
    for number in range(60):
        text = f"HELP\n\nTicket {'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10]} was opened"
        take_in(write("federation", f"[Ticket #{number}]", text), games, ledger, out)
    assert out.to("ann@example.org") <= MOST_IDLE
    before = out.to("ann@example.org")
    assert take_in(write("federation", "orders", eaf("federation")), games, ledger, out).entry.done == "orders"
    assert out.to("ann@example.org") == before + 1, "new orders are answered all the same"
    assert take_in(write("federation", "STATUS"), games, ledger, out).entry.done == "command"
    assert out.to("ann@example.org") == before + 2


def test_quarantine_has_a_bound_and_players_have_room_beyond_it(
    games: Games, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.mail.incoming.ledger.MOST_ASIDE", 4)
    out = Replies()
    for number in range(12):
        take_in(write("federation", f"spam {number}", token=""), games, Ledger(games.post), out)
    assert len(list((games.post / "quarantine").glob("*.eml"))) == 4
    entries = Ledger(games.post).entries()
    assert [bool(entry.file) for entry in entries] == [True] * 4 + [False] * 8, "each is in the journal"
    for _ in range(MOST_SAME + 1):
        take_in(write("klingon", "HELP"), games, Ledger(games.post), out)
    assert len(list((games.post / "quarantine").glob("*.eml"))) == 5
    monkeypatch.setattr("pbem.mail.incoming.ledger.MOST_BYTES", 1)
    take_in(write("federation", "more spam", token=""), games, Ledger(games.post), out)
    assert not Ledger(games.post).entries()[-1].file


def test_a_letter_that_cannot_be_read_blocks_none_behind_it(tmp_path: Path, games: Games, write: Write) -> None:
    box = tmp_path / "in"
    box.mkdir()
    for name in ("1", "2", "3"):
        (box / f"{name}.eml").write_bytes(write("federation", "STATUS"))
    source = EmlFolder(box)
    found = source.fetch()
    next(found)
    (box / "2.eml").unlink()
    (box / "2.eml").mkdir()
    assert [key for key, _ in found] == ["3.eml"]
    assert "2.eml" in source.missed()[0] and not source.missed()


def test_a_letter_that_cannot_be_put_away_blocks_none_behind_it(tmp_path: Path, games: Games, write: Write) -> None:
    box = tmp_path / "in"
    box.mkdir()
    for name in ("1", "2"):
        (box / f"{name}.eml").write_bytes(write("federation", "STATUS"))
    (box / "done").write_bytes(b"no folder")
    source, out = EmlFolder(box), Replies()
    assert [one.again for one in take_in_all(source, games, out)] == [False, False]
    assert "could not be moved away" in source.missed()[0]
    assert [one.again for one in take_in_all(source, games, out)] == [True, True] and len(out.put) == 2


# --- servers that misbehave ------------------------------------------------------------------------------------------


@contextmanager
def server(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """Somebody at a port who talks as he likes, with each who calls."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                line, _ = listening.accept()
            except OSError:
                return
            with suppress(OSError, ValueError), line:
                talk(line)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listening.getsockname()[1]
    finally:
        listening.close()


LETTER = b"From: ann@example.org\r\nSubject: STATUS\r\n\r\nSTATUS\r\n"


def imap_server(
    search: bytes = b"* SEARCH 1 2 3", bad: Callable[[socket.socket, bytes, bytes], bool] = lambda *_: False
) -> Callable[[socket.socket], None]:
    """An IMAP server with three letters; ``bad`` may answer a command in its own way."""

    def talk(line: socket.socket) -> None:
        line.sendall(b"* OK ready\r\n")
        with line.makefile("rb") as heard:
            for said in heard:
                tag, _, command = said.strip().partition(b" ")
                word = command.upper()
                if bad(line, tag, word):
                    continue
                answer = b""
                if word == b"CAPABILITY":
                    answer = b"* CAPABILITY IMAP4rev1\r\n"
                elif word.startswith(b"SELECT"):
                    answer = b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n"
                elif word.startswith(b"UID SEARCH"):
                    answer = search + b"\r\n"
                elif word.startswith(b"UID FETCH") and b"SIZE" in word:
                    answer = b"* 1 FETCH (UID 1 RFC822.SIZE %d)\r\n" % len(LETTER)
                elif word.startswith(b"UID FETCH"):
                    answer = b"* 1 FETCH (UID 1 BODY[] {%d}\r\n%s)\r\n" % (len(LETTER), LETTER)
                line.sendall(answer + tag + b" OK done\r\n")

    return talk


def imap(port: int, **more: object) -> Imap:
    settings = {"kind": "imap", "host": "127.0.0.1", "port": port, "user": "host", "security": "none", **more}
    found = open_source(settings, Path())
    assert isinstance(found, Imap)
    return found


def refuses(line: socket.socket, tag: bytes, word: bytes) -> bool:
    if word.startswith(b"UID FETCH 2"):
        line.sendall(tag + b" NO it is damaged\r\n")
        return True
    return False


def hangs_up(line: socket.socket, tag: bytes, word: bytes) -> bool:
    if word.startswith(b"UID FETCH 2"):
        line.shutdown(socket.SHUT_RDWR)
        return True
    return False


def huge(line: socket.socket, tag: bytes, word: bytes) -> bool:
    if word.startswith(b"UID FETCH 2"):
        line.sendall(b"* 2 FETCH (UID 2 BODY[] {99999999999999}\r\n")
        return True
    return False


def dribbles(line: socket.socket, tag: bytes, word: bytes) -> bool:
    if word.startswith(b"UID FETCH 2"):
        with suppress(OSError):
            while True:
                line.sendall(b"* OK one moment\r\n")
                threading.Event().wait(0.05)
        return True
    return False


@pytest.mark.parametrize("how", [refuses, hangs_up, huge, dribbles])
def test_a_letter_the_server_cannot_give_blocks_none_behind_it(
    how: Callable[[socket.socket, bytes, bytes], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    with server(imap_server(bad=how)) as port:
        box = imap(port, timeout=1.0)
        assert [(key, raw) for key, raw in box.fetch()] == [("7.1", LETTER), ("7.3", LETTER)]
        assert "email 2 of INBOX" in box.missed()[0]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        (b"* SEARCH 1 x 99999999999999999999 -3 3", ["7.1", "7.3"]),
        (b"* SEARCH", []),
        (b"* SEARCH " + b"1 " * 600_000, None),
        (b"* SEARCH {5}\r\n1 2 3", ["7.1", "7.2", "7.3"]),
        (b"nonsense", None),
    ],
)
def test_a_malformed_search_ends_nothing(
    search: bytes, found: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD, "x")
    with server(imap_server(search)) as port:
        box = imap(port, timeout=2.0)
        try:
            assert [key for key, _ in box.fetch()] == found
        except GameError as error:
            assert found is None and "mail server" in str(error)


def test_a_mailbox_that_may_only_be_read_is_read(games: Games, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PASSWORD, "x")

    def readonly(line: socket.socket, tag: bytes, word: bytes) -> bool:
        if word.startswith(b"SELECT"):
            line.sendall(b"* 3 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n" + tag + b" OK [READ-ONLY] done\r\n")
            return True
        return False

    with server(imap_server(bad=readonly)) as port:
        box, out = imap(port), Replies()
        assert [one.again for one in take_in_all(box, games, out)] == [False, True, True]
        assert "is read-only" in box.missed()[0]
        assert all(one.again for one in take_in_all(box, games, out))


def endless(line: socket.socket) -> None:
    while True:
        line.sendall(b"220-one moment\r\n")
        threading.Event().wait(0.02)


def silent(line: socket.socket) -> None:
    while line.recv(1000):
        pass


@pytest.mark.parametrize("talk", [endless, silent])
@pytest.mark.parametrize("security", ["none", "tls", "starttls"])
def test_a_server_that_never_ends_its_greeting_holds_nothing_up(
    talk: Callable[[socket.socket], None], security: str
) -> None:
    with (
        server(talk) as port,
        SmtpCarrier(
            Smtp(host="127.0.0.1", port=port, security=security, timeout=0.3)  # type: ignore[arg-type]
        ) as carrier,
        pytest.raises(Unreachable, match=r"longer than 0.3 seconds|timed out|no safe connection"),
    ):
        carrier.send("orders@host.example", "ann@example.org", b"Subject: x\r\n\r\n")


def test_a_password_goes_over_no_line_that_is_not_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the mailbox wants TLS from the first byte on, a server that talks in clear hears no login."""
    monkeypatch.setenv(PASSWORD, "x")
    heard: list[bytes] = []

    def clear(line: socket.socket) -> None:
        heard.append(line.recv(1000))  # before it answers: what follows may not wait for this thread
        line.sendall(b"* OK ready\r\n")

    with server(clear) as port, pytest.raises(GameError):
        list(imap(port, security="tls", timeout=5).fetch())
    assert heard and all(one.startswith(b"\x16\x03") for one in heard), "the hello of TLS, and nothing else"


# --- the disk --------------------------------------------------------------------------------------------------------


def box(tmp_path: Path, mails: int = 2) -> Outbox:
    found = Outbox(tmp_path / "outbox", Host(format=1, orders="orders@host.example"))
    for number in range(mails):
        found.put(Reply(to=f"p{number}@example.org", subject="x", text="y\n", kind="sitrep", key=str(number)))
    return found


def test_a_full_disk_sends_nothing_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox, sink = box(tmp_path), Sink()

    def full(path: Path, *_: object, **__: object) -> None:
        raise GameError.saying("unwritable", "cannot write this: No space left on device", file=str(path))

    with monkeypatch.context() as patch:
        patch.setattr("pbem.mail.transport.outbox.write_bytes", full)
        for _ in range(5):
            assert "No space left" in outbox.deliver(sink, NOW).trouble
    assert not sink.mails
    assert len(outbox.deliver(sink, NOW).sent) == 2 and not outbox.deliver(sink, NOW).sent
    assert len(sink.mails) == 2


@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_a_mail_goes_twice_only_if_the_machine_stops_between_the_yes_and_its_mark(tmp_path: Path, how: str) -> None:
    first = box(tmp_path / "whole")
    done = operations(lambda: first.deliver(Sink(), NOW), under=tmp_path / "whole")
    twice = 0
    for n, what in enumerate(done):
        folder = tmp_path / str(n)
        outbox, sink = box(folder), Sink()
        with cut_at(n, under=folder, how=how):
            outbox.deliver(sink, NOW)
        for minutes in (1, 2):
            outbox.deliver(sink, NOW + timedelta(minutes=minutes))
        again = len(sink.mails) - 2
        assert {to for to, _ in sink.mails} == {"p0@example.org", "p1@example.org"}
        if again:
            assert again == 1 and re.fullmatch(r"unlink outbox/waiting/.*\.eml", what), what
            assert len(set(sink.mails)) == 2, "byte for byte the same"
            twice += 1
        assert sorted(path.name for path in (folder / "outbox").glob("*/[a-z]*")) == sorted(
            path.name for path in (folder / "outbox" / "sent").iterdir()
        )
    assert twice == 2


def test_a_file_of_the_outbox_that_cannot_be_read_keeps_no_other_waiting(tmp_path: Path) -> None:
    outbox, sink = box(tmp_path), Sink()
    (outbox.waiting / "0.eml").mkdir()
    done = outbox.deliver(sink, NOW)
    assert len(done.sent) == 2 and "0.eml" in done.trouble
    write_bytes(outbox.waiting / "0.json", b"{")
    assert not outbox.deliver(sink, NOW).sent
