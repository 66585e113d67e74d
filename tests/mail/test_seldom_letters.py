"""Letters and mails as they seldom are: headers nobody can read, a mailbox that refuses."""

from __future__ import annotations

import base64
import hashlib
import imaplib
import os
from collections.abc import Iterator
from datetime import date
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.site import PublicReport, SiteSettings
from pbem.games.storage.opening import opened
from pbem.mail.commands import spectators as watching, time, umpire
from pbem.mail.commands.spectators import Watcher
from pbem.mail.host.clocks import SentNotices
from pbem.mail.host.deadlines import days_in
from pbem.mail.incoming import extract as wording, intake, message as headers, message as letters
from pbem.mail.incoming.intake import games_of
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.people import read_people
from pbem.mail.replies import reply as until
from pbem.mail.replies.reply import Reply
from pbem.mail.transport import imap
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.sources import Maildir, Mbox, OneLetter
from pbem.orders.mail_text import no_plain_text

if TYPE_CHECKING:
    from tests.mail.conftest import Write
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

    Write = Any

ANN, NEW = "ann@example.org", "new@example.org"


class Unreadable(Message):
    """What the library raises where a header cannot be taken apart."""

    def get(self, name: str, failobj: Any = None) -> Any:
        if name == "Subject":
            raise IndexError(name)
        return super().get(name, failobj)

    def get_all(self, name: str, failobj: Any = None) -> Any:
        if name == "Cc":
            raise IndexError(name)
        return [f"{name}@example.org"]

    def get_param(self, *given: Any, **more: Any) -> Any:
        raise LookupError

    def get_content_charset(self, failobj: Any = None) -> Any:
        raise LookupError


def test_headers_that_cannot_be_read_are_none_and_hide_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Unreadable()
    assert headers.header(one, "Subject") == "" and letters._says(one, "format") == ""
    assert headers.addresses(one, "To", "Cc", "From") == ("to@example.org", "from@example.org")
    one.set_payload("gr\u00fcn".encode(), "latin-1")
    assert letters._decoded(one, letters._data(one), "text/plain", []) == "gr\u00fcn"

    class HeaderParseError(Exception):
        pass

    def fails(error: Exception) -> Any:
        def decode(value: str) -> Any:
            raise error

        return decode

    for error in (HeaderParseError("x"), ValueError("x"), RecursionError(), OSError("x")):
        monkeypatch.setattr(headers, "decode_header", fails(error))
        assert headers.decoded_header("=?utf-8?q?x?=") == "=?utf-8?q?x?="


@pytest.mark.parametrize(("raw", "read"), [
    (b"x" * 4001, "x" * 4000), (b"=?utf-8?q?gr=C3=BCn?= =?utf-8?q?_blau?=", "gr\u00fcn blau"),
    (b"=?cp9999?q?gr=FCn?=", "gr\u00fcn"), (b"=?utf-8?q?gr=FCn?=", "gr\u00fcn"), (b"one\r\n two", "one two"),
    (b"a\x00b\x07  c", "a b c"),
])  # fmt: skip
def test_a_subject_is_one_line_of_plain_text(raw: bytes, read: str) -> None:
    subject = headers.header(message_from_bytes(b"Subject: " + raw + b"\n\n"), "Subject")
    assert headers.one_line(subject) == read[:1000] and len(headers.one_line("y" * 3000)) == 1000
    assert headers.header(Message(), "Subject") == ""


def test_a_letter_that_cannot_be_taken_apart_is_known_by_its_head(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(message: Message, faults: list[str], *, whole: bool) -> Iterator[Any]:
        raise AttributeError
        yield

    monkeypatch.setattr(letters, "_parts", breaks)
    found = read_letter(f"From: {ANN}\nSubject: hello\nContent-Type: multipart/mixed\n\nbody".encode())
    assert (found.sender, found.subject, found.kind) == (ANN, "hello", "unread")
    assert found.unread.startswith("reading it failed (AttributeError in test_seldom_letters.py, line ")


def test_letters_that_are_done_and_came_since_a_backup_are_fetched_again(tmp_path: Path) -> None:
    box = Maildir(tmp_path)
    for name in ("new", "cur"):
        (tmp_path / name).mkdir()
    moment = START.timestamp()
    for name, at in (("1.a:2,S", moment - 1), ("2.a:2,S", moment), ("3.a:2,RS", moment + 1), ("4.a:2,", moment - 9)):
        (tmp_path / "cur" / name).write_bytes(name.encode())
        os.utime(tmp_path / "cur" / name, (at, at))
    (tmp_path / "new" / "0.a").write_bytes(b"new")
    assert [raw for _, raw in box.fetch()] == [b"new", b"4.a:2,"]
    box.since = START
    assert [raw for _, raw in box.fetch()] == [b"new", b"2.a:2,S", b"3.a:2,RS", b"4.a:2,"]
    assert not box.came_since(tmp_path / "cur" / "gone") and not box.came_since(tmp_path / "cur")
    assert isinstance(open_source({"kind": "pipe"}, tmp_path), OneLetter)


def test_lines_that_rule_go_on_where_they_are_indented() -> None:
    text = (
        "Hello\n  there\nRULE Raider shield 1 = 3\n  and so on\n\tand on\nREASON It was\n  misread\n\n  no\nBye\n  x\n"
    )
    assert umpire.ruling_lines(text) == ("RULE Raider shield 1 = 3 and so on and on", "REASON It was misread")


def test_the_word_by_which_a_ruling_is_done_is_short_and_another_for_another_one() -> None:
    words = {umpire._word(hashlib.sha256(bytes([number])).hexdigest()) for number in range(200)}
    assert len(words) == 200 and {len(word) for word in words} == {6}
    assert all(umpire._DO_IT.fullmatch(f"DO IT {word}") for word in words)


def test_a_word_that_leads_to_no_page_is_no_topic() -> None:
    assert [wording._leads_to_a_page(said) for said in ("away", "nothing of the kind", "x" * 500)] == [
        True,
        False,
        False,
    ]


def test_the_words_of_a_mail_server_are_told_in_one_line() -> None:
    said: list[Any] = [b"it  is", (b"closed", None, b"now"), None, 7]
    assert [*imap._flat(said)] == [b"it  is", b"closed", b"now"]
    assert imap._answer(("OK", said)) == [said[0], said[1], 7]
    for data, told in ((said[:2], "it  is closed now"), ([], "NO"), ([None], "NO"), ([b"x" * 300], "x" * 200)):
        with pytest.raises(imaplib.IMAP4.error) as refused:
            imap._answer(("NO", data))
        assert str(refused.value) == told
    errors: tuple[tuple[Exception, str], ...] = (
        (OSError(2, "gone"), "[Errno 2] gone"), (ValueError(b"in  bytes"), "in bytes"), (ValueError(), "ValueError"),
        (ValueError("y" * 300), "y" * 200), (ValueError("a", "b"), "('a', 'b')"),
    )  # fmt: skip
    assert [imap._plain(error) for error, _ in errors] == [told for _, told in errors]


def test_a_file_of_orders_that_is_no_text_is_told_as_attached() -> None:
    """Whatever it is called; it is looked at where its name says orders."""
    head = (
        "Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; "
    )
    data = b"PK\x03\x04" + bytes(60)
    for name in ("a.orders", "a.bin"):
        raw = f'{head}filename="{name}"\n\n{base64.b64encode(data).decode()}\n'
        (part,) = letters._parts(message_from_bytes(raw.encode()), [], whole=True)
        assert (part.name, part.attached, part.text, part.unread) == (name, True, "", no_plain_text(data))
        assert part.unread


def test_a_mail_of_files_is_the_same_bytes_each_time_in_lines_that_every_server_takes() -> None:
    page = b"<p>" + b"y" * 2000 + b"</p>"
    reply = Reply(
        kind="command", to=ANN, subject="s", text="gr\u00fcn " + "x" * 2000, html="<p>" + "gr\u00fcn " * 300,
        key="k", in_reply_to="<a@b>",
        references=("<c@d>", "<e@f>"), attachments=(("p.html", "text/html", page), ("odd", "application/", b"\x00")),
    )  # fmt: skip
    made = intake.eml(reply, "orders@host.example")
    assert made == intake.eml(reply, "orders@host.example") and max(map(len, made.split(b"\r\n"))) < 990
    message = message_from_bytes(made)
    parts = [part for part in message.walk() if not part.is_multipart()]
    assert [part.get_boundary() for part in message.walk() if part.is_multipart()] == ["=_k_0", "=_k_1"]
    assert [part.get_content_type() for part in parts] == [
        "text/plain", "text/html", "text/html", "application/octet-stream"
    ]  # fmt: skip
    assert [part["Content-Transfer-Encoding"] for part in parts[:2]] == ["quoted-printable"] * 2
    assert parts[2].get_payload(decode=True) == page and parts[2].get_filename() == "p.html"
    heads = {
        name: message[name] for name in ("From", "To", "Message-ID", "Auto-Submitted", "In-Reply-To", "References")
    }
    assert list(heads.values()) == [
        "orders@host.example", ANN, "<k@pbem.invalid>", "auto-replied", "<a@b>", "<c@d> <e@f>"
    ]  # fmt: skip


def test_what_spectators_are_told_is_made_once_and_named_for_each(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def told_of(game: object) -> PublicReport:
        made.append(1)
        return PublicReport(game="duel01", turn=2, over=True, digest="d", text="the turn", page=b"page")

    monkeypatch.setattr(watching, "public_report", told_of)
    monkeypatch.setattr(watching, "ended", lambda game: (2, "d"))
    monkeypatch.setattr(watching, "site_settings", lambda folder: SiteSettings(format=1, public=True))
    one = watching.Watching(hosted.folder, games_of(hosted.folder), read_people(hosted.folder))
    one.watchers = tuple(Watcher(address=f"{who}@x.org", games=frozenset({"all"})) for who in "ab")
    put: list[Reply] = []
    with opened(hosted.game, lock="test") as game:
        for _ in range(2):
            said = SentNotices(game.path)
            for out in one.reports(game, [], (), said.known):
                said.queue(out, put.append)
    assert made == [1] and [reply.to for reply in put] == ["a@x.org", "b@x.org"], "once"
    assert len({reply.key for reply in put}) == 2 and all(" 2 d " in reply.key for reply in put)
    assert all(reply.subject.startswith("duel01: public report of turn 2 (the last turn) TOKEN ") for reply in put)
    assert put[0].attachments == (("sitrep.html", "text/html", b"page"),) and put[0].text.endswith("\n\nthe turn")
    assert (put[0].kind, put[0].game, put[0].side) == ("watch", "duel01", watching.SIDE)


def test_a_spectator_is_answered_in_his_thread(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the last of what his letter was an answer to, and once: the same letter has the same answer."""
    (hosted.folder / "players.toml").write_text(
        'format = 1\n[people.zoe]\nname = "Zoe"\nmail = "zoe@example.org"\nwatches = ["all"]\n', encoding="utf-8"
    )
    games = msgspec.structs.replace(games_of(hosted.folder, START), club=hosted.folder)
    letter = Letter(
        kind="command", digest="d", sender="zoe@example.org", text="", command="UNWATCH", argument="ALL",
        references=tuple(f"<{n}@x>" for n in range(12)), message_id="<m@x>",
        tokens=(watching.token_for(games.post, "zoe@example.org"),),
    )  # fmt: skip
    answers = [watching.asked(letter, games) for _ in range(2)]
    assert answers[0] is not None and answers[0] == answers[1]
    (reply,) = answers[0]
    assert reply.references == (*(f"<{n}@x>" for n in range(2, 12)), "<m@x>") and reply.in_reply_to == "<m@x>"
    assert (reply.to, reply.side, reply.kind) == ("Zoe <zoe@example.org>", watching.SIDE, "command")
    assert (
        len(reply.key) == 40
        and reply.key != letter.digest
        and ("You are not watching any game now." in " ".join(reply.text.split()))
    )
    assert len(watching.read_wishes(games.post)) == 1
    for other in ({"command": "STATUS"}, {"sender": "bob@example.org"}, {"tokens": ()}, {"sender": ""}):
        assert watching.asked(msgspec.structs.replace(letter, **other), games) is None
    assert watching.asked(letter, msgspec.structs.replace(games, club=None)) is None


def test_letters_of_a_mailbox_are_taken_by_number_and_done_ones_once(monkeypatch: pytest.MonkeyPatch) -> None:
    box = imap.Imap(imap.Account(host="in.example.org", user="ann"))
    there = {"UNSEEN": ["9", "10"], "ALL": ["3"], "SINCE": ["2", "10", "100"]}
    monkeypatch.setattr(box, "_search", lambda server, *wanted: there[wanted[0]])
    server: Any = SimpleNamespace(list="list", select="select")
    assert box._uids(server) == ["9", "10"]
    box.since, box._marked = START, frozenset({"9"})
    assert box._uids(server) == ["2", "10", "100"], "the mark of a host is no letter"
    assert [*box._done_since(server, set())] == [], "they are in the mailbox itself"
    box.account = imap.Account(host="in.example.org", user="ann", done="Done")
    box._marked = frozenset()
    assert box._uids(server) == ["3"]
    asked: list[tuple[Any, ...]] = []

    def ask(*given: Any, **more: Any) -> list[bytes]:
        asked.append(given)
        return [b"Done"]

    monkeypatch.setattr(box, "_asked", ask)
    monkeypatch.setattr(box, "_open", lambda server: asked.append(("open",)))
    monkeypatch.setattr(box, "_letter_or_miss", lambda server, uid: None if uid == "10" else uid.encode())
    tried: set[str] = set()
    taken = [*box._done_since(server, tried)]
    assert [raw for _, raw in taken] == [b"2", b"100"] and len({key for key, _ in taken}) == 2
    assert [one[0] for one in asked] == ["list", "select", "open"] and asked[1][2] is True, "it is only looked at"
    assert [*box._done_since(server, tried)] == [], "once"
    monkeypatch.setattr(box, "_asked", lambda *given, **more: [])
    assert [*box._done_since(server, set())] == [], "nothing was done yet"


def test_what_a_server_refuses_is_told_of_the_inbox() -> None:
    account = imap.Account(host="in.example.org", user="ann")
    for error, said in (
        (imaplib.IMAP4.error(b"no such  box"), "the mail server in.example.org refuses: no such box"),
        (OSError(111, "Connection refused"), "the mail server in.example.org cannot be reached: Connection refused"),
        (OSError("odd"), "the mail server in.example.org cannot be reached: odd"),
        (ValueError("x"), "the mail server in.example.org sent an answer that pbem cannot read: x"),
    ):
        with pytest.raises(GameError) as told, imap._saying(account):
            raise error
        assert [str(fault) for fault in told.value.faults] == [f"[inbox]: no-mailbox: {said}"]


def test_a_single_letter_shows_that_no_mark_of_a_host_is_there(tmp_path: Path) -> None:
    shown: list[tuple[str, ...]] = []
    (tmp_path / "one").write_bytes(b"From zoe@example.org Mon\nSubject: s\n\nx\n")
    letter = OneLetter(tmp_path / "one")
    letter.guard = shown.append
    assert [*letter.fetch()] == [("-", b"Subject: s\n\nx\n")] and shown == [()] and letter.left
    letter.done("-")
    assert not letter.left and letter.missed() == ()
    (tmp_path / "one").write_bytes(b" \n")
    assert [*letter.fetch()] == [] and not letter.left


def test_a_saved_mail_is_read_whoever_seems_to_have_written_it() -> None:
    """Somebody saved it and hands it in: a machine has not."""
    head = f"From: {ANN}\nTo: orders@host.example\nSubject: s\nMessage-ID: <m@x>\nAuto-Submitted: auto-generated\n"
    head += "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
    orders = "GAME duel TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nEND\n"
    told = letters.text_of_mail(f"{head}\n{orders}\nMESSAGE TO ALL\nHi\nEND MESSAGE\n".encode())
    assert told.startswith(orders.strip()) and told.endswith("MESSAGE TO ALL\nHi\nEND MESSAGE")
    assert letters.text_of_mail(f"{head}\nSTATUS please\n".encode()) == "" == letters.text_of_mail(orders.encode())
    assert letters.text_of_mail(f"{head}\nPREVIEW\n{orders}".encode()).strip().endswith(orders.strip())


def test_the_name_of_a_letter_stays_what_it_is() -> None:
    """It is in file names and Message-IDs of clubs: another one would send all of it again."""
    reply = Reply(
        to=ANN, subject="s", text="t", kind="command", html="h", in_reply_to="<a@b>", references=("<c@d>",), game="g",
        side="klingon", attachments=(("n", "text/plain", b"x"),), pictures=(("p", "p.png", b"y"),),
    )  # fmt: skip
    assert reply.key == "99d6cca38005ebcf41c94d3f7fc1d53b2c45f9df"
    others = {"to": "x", "subject": "x", "text": "x", "html": "x", "in_reply_to": "x", "game": "x", "side": "x"}
    keys = {msgspec.structs.replace(reply, key="", **{field: value}).key for field, value in others.items()}
    assert len(keys | {reply.key}) == 8
    assert (
        Reply(to="", subject="ab", text="c", kind="notice").key
        != Reply(to="", subject="a", text="bc", kind="notice").key
    )


def test_who_is_away_until_today_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    days = [days_in(f"2027-03-0{day}") for day in (1, 2, 3)]
    known = [SimpleNamespace(days=one, is_of=lambda seat: True) for one in days]
    monkeypatch.setattr(time, "read_absences", lambda post: known)
    desk: Any = SimpleNamespace(games=SimpleNamespace(post=None), seat=None)
    assert time._known(desk, date(2027, 3, 2)) == [str(days[1]), str(days[2])]
    assert time._known(desk, date(2027, 3, 4)) == []


def test_an_mbox_is_locked_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a letter that is being delivered is read by halves; where nobody may lock, nobody writes."""
    (tmp_path / "box").write_bytes(b"From zoe Mon Mar  1 12:00:00 2027\nSubject: s\n\nx\n\n")
    locked: list[str] = []
    monkeypatch.setattr("mailbox.mbox.lock", lambda box: locked.append("lock"))
    assert [raw for _, raw in Mbox(tmp_path / "box").fetch()] == [b"Subject: s\n\nx\n"]
    assert locked == ["lock"]

    def nobody(box: object) -> None:
        raise OSError

    monkeypatch.setattr("mailbox.mbox.lock", nobody)
    assert len([*Mbox(tmp_path / "box").fetch()]) == 1


# --- mails that tell a deadline ---


def test_the_line_of_a_deadline_is_taken_off_a_mail_whatever_stands_in_it() -> None:
    told = until.Until(game="duel", side="gorn", asking=(1, 2, 3), words="by Monday", standing="open")
    mail = b"Subject: s\r\n\r\nbody\r\n"
    assert until.until_of(until.with_until(mail, told)) == (told, mail)
    assert until.until_of(mail) == (None, mail) and until.with_until(mail, None) == mail
    for broken in (b"{", b"[" * 100_000, b"", b'{"game":1}'):
        assert until.until_of(until.HEADER + broken + b"\r\n" + mail) == (None, mail), broken[:9]


def test_a_mail_whose_request_was_played_keeps_all_that_is_still_true() -> None:
    """What was good for as long as it was not played goes; where nothing was, no line of it is another one."""
    long = "A line that nobody has folded since it is somebody's own: " + "word " * 20
    body = f"{long}\r\n\r\nDue on  Monday.\r\n\r\nYou may send more.\r\n"
    mail = f"Subject: s\r\nContent-Type: text/plain\r\n\r\n{body}".encode()
    told = until.Until(asking=(1, 2, 3), standing="owes", words="Due on Monday.", meanwhile="You may send more.")

    def said(what: until.Until, words: str) -> list[str]:
        text = message_from_bytes(until.as_of(mail, what, words)).get_payload(decode=True)
        assert isinstance(text, bytes)
        return [line for line in text.decode().replace("\r\n", "\n").split("\n") if line]

    assert said(told, "Due on Tuesday.") == [long, "Due on Tuesday.", "You may send more."]
    assert said(told, until.PLAYED) == [long, until.PLAYED]
    bare = msgspec.structs.replace(told, meanwhile="")
    assert said(bare, until.PLAYED) == [long, until.PLAYED, "You may send more."]
