"""Parts of the post one by one: letters at their bounds, what a fault takes out, what is kept, what goes again."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.desk.create import new
from pbem.desk.opened import opened
from pbem.desk.players import tenures
from pbem.desk.told_dice import Played
from pbem.faults import Fault, GameError
from pbem.game.state import Request
from pbem.post import digest, intake, letters, replacing, standin
from pbem.post.answering import Answered, attend, no_deadline
from pbem.post.apart import KEPT, Apart, Deed, Elsewhere, state_folder
from pbem.post.headers import addresses, header, ids, plain
from pbem.post.host import host_round
from pbem.post.ledger import Entry, Ledger, Row
from pbem.post.left_out import BLOCK, LeftOut, left_out
from pbem.post.letters import MOST_NESTED, MOST_PARTS, Letter, read_letter
from pbem.post.mailbox import EmlFolder, Maildir
from pbem.post.marks import Mark, as_mail, here, read, written
from pbem.post.outbox import Delivery, Later, Outbox
from pbem.post.patience import Watch
from pbem.post.quarantine import notice, notice_key
from pbem.post.receipts import MARK, _written
from pbem.post.replies import Reply, content_key
from pbem.post.resting import Rest, Resting
from pbem.post.settings import Host
from pbem.post.timetable import Clock, pause, read_clock
from pbem.post.trouble import Troubles
from pbem.post.until import PLAYED, Until, as_of, rewritten, until_of
from pbem.post.who import Games, Seat, games_in, token_of
from pbem.post.wording import Part, chosen_text
from pbem.values.words import FormKind

if TYPE_CHECKING:
    from tests.post.hosted import Hosted
else:
    from post_hosted import Hosted

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
HEAD = "From: ann@example.org\nMessage-ID: <1@x>\n"
ORDERS = "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n"


def private(path: Path) -> bool:
    """Whether a file or a folder is nobody else's."""
    return os.name == "nt" or stat.S_IMODE(path.stat().st_mode) in (0o600, 0o700)


# --- letters ---------------------------------------------------------------------------------------------------------


def nested(many: int, word: str = "boundary=b") -> bytes:
    """A letter that speaks of so many multiparts, with orders in it."""
    told = "".join(f"Content-Type: multipart/mixed; {word}{n}\n" for n in range(many))
    return f"{HEAD}Content-Type: text/plain\n\n{ORDERS}{told}".encode()


def test_letters_in_letters_are_counted_by_what_they_are_and_not_by_what_is_said() -> None:
    too_many = (f"the letter is made of more than {MOST_NESTED} letters in letters; its text was not read",)
    for raw, kind, faults in (
        (nested(MOST_NESTED), "orders", ()), (nested(MOST_NESTED + 1), "empty", too_many),
        (nested(MOST_NESTED + 1, "boundary \t*0"), "empty", too_many),
        # Somebody who writes about such letters makes none.
        (nested(MOST_NESTED + 1, "of "), "orders", ()),
        (f"{HEAD}\n{ORDERS}{'boundary=x ' * 99}".encode(), "orders", ()),
        (f"{HEAD}\n{ORDERS}{'message/rfc822 ' * MOST_NESTED}".encode(), "orders", ()),
        (f"{HEAD}\n{ORDERS}{'Message/rfc822 ' * (MOST_NESTED + 1)}".encode(), "empty", too_many),
    ):  # fmt: skip
        found = read_letter(raw)
        assert (found.kind, found.faults, found.sender) == (kind, faults, "ann@example.org")


def test_a_letter_of_the_greatest_length_is_read_and_one_byte_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = f"{HEAD}Subject: s\n\n{ORDERS}".encode()
    monkeypatch.setattr(letters, "LARGEST_LETTER", len(raw))
    assert read_letter(raw).faults == () and read_letter(raw).kind == "orders"
    found = read_letter(raw + b"\n")
    said = f"the letter has {len(raw) + 1} bytes; {len(raw)} is the most that is read"
    assert (found.kind, found.faults, found.subject, found.size) == ("empty", (said,), "s", len(raw) + 1)


def test_so_many_parts_of_a_letter_are_looked_at() -> None:
    part = "--b\nContent-Type: text/plain\n\n{}\n"
    for more, faults in ((0, ()), (1, (f"the letter has more than {MOST_PARTS} parts; the rest were not looked at",))):
        # The whole is one of them.
        texts = ["hello"] * (MOST_PARTS - 2 + more) + [ORDERS]
        body = "".join(part.format(text) for text in texts)
        found = read_letter(f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{body}--b--\n".encode())
        assert (found.kind, found.faults) == ("empty" if more else "orders", faults)


def test_endless_headers_of_content_lose_their_ends() -> None:
    for length, kept in ((4000, 4000), (4001, 4000), (9000, 4000)):
        line = b"Content-Type: text/plain; x="
        for ends in (b"\n", b"\r\n"):
            raw = b"Subject: s" + ends + line.ljust(length, b"x") + ends + b"To: t" + ends * 2 + b"body"
            expected = raw.replace(line.ljust(length, b"x"), line.ljust(kept, b"x"))
            assert letters._short_headers(raw) == expected, (length, ends)
    folded = b"content-x:" + b" a\n" * 2000 + b" b\nTo: t\n\n"
    assert letters._short_headers(folded) == folded[:4000].rstrip(b"\n") + b"\nTo: t\n\n"
    assert letters._head(b"To: t\ncontent-type : x\n\nbody\n\nmore") == b"To: t\nX-Was-Content: x\r\n\r\n"
    assert letters._head(b"To: t\r\nContent-Transfer-Encoding:x\r\n\r\n") == b"To: t\r\nX-Was-Content:x\r\n\r\n"
    assert letters._head(b"a" * 100_001) == b"a" * 100_000 + b"\r\n\r\n"


def test_a_letter_without_a_name_is_the_same_by_whatever_way_it_comes() -> None:
    """Its text names it; where it has none, its bytes do."""
    body = f"From: ann@example.org\n\n{ORDERS}".encode()
    found = {read_letter(way + body).digest for way in (b"", b"Received: by a\n", b"Received: by b\n")}
    assert len(found) == 1
    bare = b"From: ann@example.org\n\n"
    assert len({read_letter(way + bare).digest for way in (b"", b"Received: by a\n", b"Received: by b\n")}) == 3
    named = HEAD.encode() + b"\n"
    assert len({read_letter(way + named).digest for way in (b"", b"Received: by a\n", b"Received: by b\n")}) == 1


REPORT = """From: x@example.org
Content-Type: multipart/report; boundary=b

--b
Content-Type: text/plain

It failed.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx

{}
--b--
"""


@pytest.mark.parametrize(
    ("blocks", "failed"),
    [
        (["Final-Recipient: rfc822; Ann@Example.org"], ("ann@example.org",)),
        (["Final-Recipient: rfc822;<ann@example.org>\nAction: Failed "], ("ann@example.org",)),
        (["Final-Recipient: ann@example.org\nAction: delayed"], ()),
        (["Final-Recipient: rfc822; ann@example.org\nAction: delivered",
          "Final-Recipient: rfc822; bob@example.org\nAction: failed"], ("bob@example.org",)),
        (["Final-Recipient: rfc822; nobody", "Action: failed"], ()),
        (["Final-Recipient: rfc822; a@x.org", "Final-Recipient: a@x.org", "Final-Recipient: b@x.org"],
         ("a@x.org", "b@x.org")),
    ],
)  # fmt: skip
def test_to_whom_a_mail_did_not_go(blocks: list[str], failed: tuple[str, ...]) -> None:
    found = read_letter(REPORT.format("\n\n".join(blocks)).encode())
    assert (found.kind, found.failed) == ("bounce", failed)
    plain_one = read_letter(REPORT.format("\n\n".join(blocks)).replace("multipart/report", "multipart/mixed").encode())
    assert (plain_one.kind, plain_one.failed) == ("empty", ())


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ("", "command"), ("Return-Path: <ann@example.org>", "command"), ("Return-Path: <>", "bounce"),
        ("Return-Path:  <> ", "bounce"), ("X-Failed-Recipients: b@x.org", "bounce"),
        ("Auto-Submitted: no", "command"), ("Auto-Submitted: No; x=y", "command"),
        ("Auto-Submitted: auto-replied", "auto"), ("Precedence: bulk", "auto"), ("Precedence: Junk ", "auto"),
        ("Precedence: list", "auto"), ("Precedence: auto_reply", "auto"), ("Precedence: first-class", "command"),
        ("X-Auto-Response-Suppress: All", "command"),
        ("X-Auto-Response-Suppress: OOF\nSubject: Automatic reply", "command"),
        ("X-Auto-Response-Suppress: All\nSubject: Automatic reply: STATUS", "auto"),
        ("X-Auto-Response-Suppress: All\nSubject: AUTO: away", "auto"), ("Subject: Automatic reply", "command"),
        *((f"{name}: x", "auto") for name in (
            "X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From", "X-Mail-Autoreply", "List-Id",
            "List-Unsubscribe", "Feedback-ID", "X-Loop")),
        ("X-PBEM-Key: x", "own"), ("Return-Path: <>\nX-PBEM-Key: x", "own"), ("Message-ID: <1@pbem.invalid>", "own"),
        ("Message-ID: <1@pbem.invalid.org>", "command"),
    ],
)  # fmt: skip
def test_who_wrote_a_letter_by_its_headers(lines: str, kind: str) -> None:
    raw = f"From: ann@example.org\n{lines}{lines and chr(10)}\nSTATUS\n".encode()
    assert read_letter(raw).kind == kind
    assert read_letter(raw, person=True).kind == "command", "somebody has looked at it"


@pytest.mark.parametrize(
    ("sender", "kind"),
    [
        ("MAILER-DAEMON@x.org", "bounce"), ("postmaster@x.org", "bounce"), ("Postmaster <a@x.org>", "bounce"),
        ("noreply@x.org", "auto"), ("no-reply@x.org", "auto"), ("do-not-reply@x.org", "auto"),
        ("donotreply@x.org", "auto"), ("bounce@x.org", "auto"), ("bounces+ann=example.org@x.org", "auto"),
        ("bounces-7@x.org", "auto"), ("bouncer@x.org", "command"), ("ann.noreply@x.org", "command"),
    ],
)  # fmt: skip
def test_who_wrote_a_letter_by_his_name(sender: str, kind: str) -> None:
    assert read_letter(f"From: {sender}\n\nSTATUS\n".encode()).kind == kind


def test_headers_are_read_whatever_stands_in_them() -> None:
    assert plain("=?utf-8?b?a?=") == "=?utf-8?b?a?="  # no base64
    assert plain("a =?utf-8?q?b=C3=BC?=\r\n =?utf-8?q?c?=") == "a büc"
    assert plain("=?koi8-r?q?=E1=CE=CE=C1?=") == "Анна"
    assert plain("=?nonsense?q?=E4?=") == "ä" == plain("=?utf-8?q?=E4?=") and plain("x" * 20_001) == "x" * 20_000
    message = message_from_bytes(
        b'From: "eve@x.org, \\" y" (a (b@x.org) c) <Ann@Example.org>, Bob@example.org ; <c@x.org\n'
        b"To: friends: a@x.org b@x.org;, <x@y.org> <z@y.org>\nTo: ann@example.org\nCc: a@x.org\n\n"
    )
    assert addresses(message, "From") == ("ann@example.org", "bob@example.org")
    assert addresses(message, "To", "Cc") == ("a@x.org", "b@x.org", "z@y.org", "ann@example.org")
    assert header(message, "cc") == "a@x.org" and header(message, "Bcc") == ""
    assert header(message_from_bytes(b"X: " + b"x" * 30_000 + b"\n\n"), "X") == "x" * 20_000
    assert ids("<a@b> junk <c@d><e f>") == ("<a@b>", "<c@d>")
    for comment in (b"( a@x.org (b) )", b"(((( a@x.org (b) ))))", b"(a) ( a@x.org )"):
        assert addresses(message_from_bytes(b"From: " + comment + b" c@x.org\n\n"), "From") == ("c@x.org",)
    deep = message_from_bytes(b"From: (((((( a@x.org )))))) b@x.org\n\n")
    assert addresses(deep, "From") == ("b@x.org",)


# --- which words are orders ------------------------------------------------------------------------------------------


def part(text: str, name: str = "", mime: str = "text/plain") -> Part:
    return Part(name=name, mime=mime, attached=bool(name), text=text)


def test_a_file_is_read_for_orders_and_never_for_a_command() -> None:
    found = chosen_text([part("STATUS\n", "a.txt")], "x")
    assert (found.kind, found.command, found.text, found.source, found.faults) == ("empty", "", "", "", ())
    found = chosen_text([part("hello\n", "a.txt"), part("HELP\n")], "x")
    assert (found.kind, found.command, found.source, found.text) == ("command", "HELP", "the body", "HELP\n")
    found = chosen_text([part("Hi\nSHIP x\nPLOT F\n", "b.txt"), part("hello\n")], "x")
    assert (found.kind, found.source, found.text) == ("orders", "b.txt", "\nSHIP x\nPLOT F\n")
    found = chosen_text([part("hello\n"), part("notes of mine\n", "b.TXT")], "x")
    assert (found.kind, found.text, found.said, found.faults) == ("empty", "hello\n", "hello", ())


# --- what a fault takes out of a draft -------------------------------------------------------------------------------

DRAFT = tuple(
    """GAME x TURN 1 SIDE a REPLY 1
SHIP A  AT 0101 SPEED 9
ENERGY  9
  SPEED 12
PLOT 4F
  SL
DO FIRE
  IF RANGE <= 4 THEN
    FIRE ALL
SHUTTLE s
COURSE F
DO
  AT 1 LAND
DAMAGE
SHIP B
BREAK RANGE <= 8
END
""".splitlines()
)


@pytest.mark.parametrize(
    ("line", "code", "tried", "out"),
    [
        (2, "no-unit", (), LeftOut(lines=tuple(range(1, 9)), why=BLOCK)),
        (10, "no-unit", (), LeftOut(lines=tuple(range(9, 14)), why=BLOCK)),
        (15, "no-unit", (), LeftOut(lines=(14, 15), why=BLOCK)),
        (2, "x", (), LeftOut(shorter=((1, "SHIP A"),))),
        (2, "x", (1,), LeftOut(lines=tuple(range(1, 9)), why=BLOCK)),
        (3, "x", (), LeftOut(shorter=((2, "ENERGY"),))),
        (3, "x", (2,), LeftOut(lines=(2, 3), why=BLOCK)),
        (4, "x", (), LeftOut(lines=(3,))),
        (5, "x", (), LeftOut(lines=(4,))),
        (6, "x", (), LeftOut(lines=(5,))),
        (7, "x", (), LeftOut(shorter=((6, "DO"),))),
        (7, "x", (6,), LeftOut(lines=(6, 7, 8), why=BLOCK)),
        (8, "x", (), LeftOut(lines=(7, 8))),
        (10, "x", (), LeftOut(lines=(9, 10, 11, 12), why=BLOCK)),
        (14, "x", (), LeftOut(lines=(13,), why=BLOCK)),
        (15, "x", (), LeftOut(lines=(14, 15), why=BLOCK)),
        (16, "x", (), LeftOut(shorter=((15, "BREAK"),))),
        (2, "energy-missing", (), LeftOut()), (2, "ship-missing", (), LeftOut()),
    ],
)  # fmt: skip
def test_what_a_fault_takes_out_of_a_draft(line: int, code: str, tried: tuple[int, ...], out: LeftOut) -> None:
    assert left_out(DRAFT, Fault(code=code, text="t", line=line), frozenset(tried)) == out


def test_reasons_in_a_draft_are_cut_and_folded_so_that_no_program_folds_them() -> None:
    said = "-".join(["word"] * 5) + " " + " ".join(map(str, range(1000, 1300)))
    for mark, text in (
        ("STILL WRONG: ", _written(["GAME", "DO"], 0, {}, [said], {})),
        ("^ ", _written(["GAME", "DO"], 0, {1: [said]}, [], {})),
    ):
        whole = f"{mark}{said}"[:600]
        assert not whole.endswith(" ")
        lines = [line for line in text.split("\n") if line.startswith("## ") and line != MARK]
        assert all(len(line) <= 70 for line in lines) and lines[0].startswith(f"## {mark}word-word-word-word-word 1000")
        assert all(line.startswith("##   1") for line in lines[1:])
        assert " ".join(line[2:].strip() for line in lines) == whole


# --- what is kept, and what goes again -------------------------------------------------------------------------------


def test_a_watch_that_was_in_time_waits_no_longer() -> None:
    watch = Watch()
    with watch.limit(3600):
        (timer,) = (each for each in threading.enumerate() if isinstance(each, threading.Timer))
        assert timer.daemon
    timer.join(30)
    assert not timer.is_alive() and not watch.over


def test_a_watch_lets_go_of_the_line_before() -> None:
    watch = Watch()
    watch._hang_up()
    assert watch.over, "with nothing in its hands it has nothing to hang up"
    watch = Watch()
    lines = [socket.socketpair() for _ in range(2)]
    for mine, _ in lines:
        assert watch.hold(mine) is mine
    lines[0][0].close()
    lines[0][1].settimeout(10)
    assert lines[0][1].recv(1) == b"", "nobody holds the first any more"
    watch._hang_up()
    lines[1][1].settimeout(10)
    assert lines[1][1].recv(1) == b"" and watch.over
    watch.release()
    watch.release()
    for pair in lines:
        for one in pair:
            one.close()


def test_a_letter_is_named_by_each_of_its_parts() -> None:
    first = {
        "to": "a@x.org", "subject": "s", "text": "t", "kind": "notice", "html": "h", "in_reply_to": "<a>",
        "references": ("<b>",), "game": "g", "side": "f", "attachments": (("n", "m", b"c"),),
        "pictures": (("p", "q", b"r"),),
    }  # fmt: skip
    others: dict[str, Any] = {
        **dict.fromkeys(("to", "subject", "text", "html", "in_reply_to", "game", "side"), "other"),
        "kind": "receipt", "references": ("<c>",), "attachments": (("n", "m", b"d"),), "pictures": (("p", "x", b"r"),),
    }  # fmt: skip
    whole = Reply(**first)  # type: ignore[arg-type]
    keys = {Reply(**{**first, name: other}).key for name, other in others.items()}
    assert len(keys) == len(others) and whole.key not in keys and whole.key == content_key(whole)
    assert Reply(**{**first, "subject": "st", "text": ""}).key != Reply(**{**first, "subject": "s", "text": "t"}).key  # type: ignore[arg-type]
    assert Reply(**{**first, "key": "k"}).key == "k"  # type: ignore[arg-type]


def reply(key: str, **more: Any) -> Reply:
    fields: dict[str, Any] = {
        "to": "ann@example.org",
        "subject": "S",
        "text": "Words.\n\nUntil noon.\n",
        "kind": "sitrep",
    }
    return Reply(**{**fields, "game": "duel", "side": "a", "key": key, **more})


UNTIL = Until(asking=(1, 1, 0), standing="owes", words="Until noon.", game="duel", side="a", asks=True)


class Busy:
    """Takes nothing now."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        raise Later("451 busy")


@dataclass
class Carrier:
    """Keeps what it is handed."""

    mails: list[bytes]

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append(mail)


def test_a_mail_that_perhaps_went_out_goes_as_it_was_unless_its_deadline_changed(tmp_path: Path) -> None:
    """The machine stopped while it was handed over."""
    host = Host(format=1, orders="orders@host.example")
    for words, same in (("Until noon.", True), ("Until one.", False)):
        outbox, carrier = Outbox(tmp_path / words[6:9], host), Carrier([])
        assert outbox.refused() == []
        path = outbox.put(reply("k", until=UNTIL))
        assert path is not None and outbox.refused() == []
        kept = outbox.sending / path.name
        kept.parent.mkdir()
        kept.write_bytes(b"Date: yesterday\r\nSubject: S\r\n\r\nUntil noon.\r\n")
        asked: list[str] = []

        def refresh(until: Until, refused: str, words: str = words, asked: list[str] = asked) -> str:
            assert until == UNTIL
            asked.append(refused)
            return words

        outbox.deliver(carrier, NOW, refresh=refresh)
        (mail,) = carrier.mails
        assert mail.startswith(b"Date: yesterday\r\n" if same else b"Date: Mon, 01 Mar 2027 12:00:00 +0000\r\n")
        assert words.encode() in mail and asked == [""] and not kept.exists()
        assert (outbox.sent / path.name).read_bytes() == mail


def test_what_went_out_before_a_folder_was_put_back_is_not_sent_again(tmp_path: Path) -> None:
    outbox, carrier = Outbox(tmp_path, Host(format=1, orders="orders@host.example")), Carrier([])
    first, second = outbox.put(reply("a")), outbox.put(reply("b"))
    assert first is not None and second is not None
    raw = first.read_bytes()
    outbox.deliver(Busy(), NOW)
    assert outbox.trial(first) is not None and len(outbox.refused()) == 0
    outbox.went(first.name)
    outbox.went("unknown.eml")
    assert (outbox.sent / first.name).read_bytes() == raw and outbox.trial(first) is None
    assert outbox.counted() == (1, 0) and outbox.put(reply("a")) is None
    done = outbox.deliver(carrier, NOW + timedelta(minutes=1))
    assert (done.sent, done.waiting, len(carrier.mails)) == ((second.name,), 0, 1)


def test_which_deadlines_are_told_by_mails_that_were_refused(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path, Host(format=1, orders="orders@host.example"))
    assert outbox.put(reply("a", until=UNTIL)) and outbox.put(reply("b"))
    assert outbox.refused() == [], "they were not tried yet"
    outbox.deliver(Busy(), NOW)
    assert [one.until for one in outbox.refused()] == [UNTIL]
    damaged = outbox.put(reply("c", until=UNTIL))
    assert damaged is not None
    damaged.with_suffix(".json").write_bytes(b"{}")
    damaged.unlink()
    assert [one.until for one in outbox.refused()] == [UNTIL]


def test_a_page_says_the_new_deadline_in_the_place_of_the_old_one_and_nothing_else() -> None:
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = "s"
    mail.set_content("First.\n\nAsked. It is\nup & at noon.  More.\n\nLast  line.\n", cte="8bit")
    page = "<p>Asked.  It is\n up &amp; at noon.\n  More.</p>\n<pre>a   b</pre>\n"
    mail.add_alternative(page, subtype="html")
    mail.add_attachment("It is up & at noon.\r\n\r\nx   y\r\n", filename="a.txt")
    mail.add_attachment(b"It is up & at noon.", "application", "octet-stream", filename="b.bin")
    found = message_from_bytes(rewritten(bytes(mail), [("It is up & at noon.", "It was at <one>.")]), policy=default)
    texts = [one.get_payload(decode=True) for one in found.walk() if not one.is_multipart()]
    assert texts == [
        b"First.\r\n\r\nAsked. It was at <one>. More.\r\n\r\nLast  line.\r\n",
        b"<p>Asked.  It was at &lt;one&gt;.\r\n  More.</p>\r\n<pre>a   b</pre>\r\n",
        b"It was at <one>.\r\n\r\nx   y\r\n",
        b"It is up & at noon.",
    ]


def test_what_holds_until_orders_are_played_is_left_out_of_a_mail_that_goes_later() -> None:
    mail = EmailMessage(policy=SMTP)
    mail.set_content(
        "On file.\nIt is due at noon.\n\n| GAME a\n\nUntil it is played you may\nsend more.\n\nsha256:\n  ab\n",
        cte="8bit",
    )
    until = Until(
        asking=(1, 1, 0),
        standing="answered",
        words="It is due at noon.",
        meanwhile="Until it is played you may send more.",
    )

    def said(words: str) -> str:
        return str(message_from_bytes(as_of(bytes(mail), until, words), policy=default).get_content()).replace("\r", "")

    assert said(PLAYED) == f"On file. {PLAYED}\n\n| GAME a\n\nsha256:\n  ab\n"
    assert "Until it is played you may\nsend more." in said("It is due at one.")


def test_letters_come_in_the_order_of_their_names_and_odd_names_first(tmp_path: Path) -> None:
    box = tmp_path / "box"
    for name in ("new", "cur"):
        (box / name).mkdir(parents=True)
    names = ["new/1.b", "new/1.a", "new/10.a", "new/2.a", "new/x.9", "new/\u0663.a", "new/" + "9" * 18 + ".a",
             "cur/1.c:2,", "cur/3.a:2,FR", "cur/0.a:2,S"]  # fmt: skip
    for name in names:
        (box / name).write_bytes(name.encode())
    odd = sorted(["new/x.9", "new/\u0663.a", "new/" + "9" * 18 + ".a"], key=lambda name: name.partition("/")[2])
    assert [key for key, _ in Maildir(box).fetch()] == [
        *odd, "new/1.a", "new/1.b", "cur/1.c:2,", "new/2.a", "cur/3.a:2,FR", "new/10.a",
    ]  # fmt: skip
    source = Maildir(box)
    for key in ("cur/3.a:2,FR", "new/1.a", "cur/0.a:2,S", "new/gone"):
        source.done(key)
    assert sorted(path.name for path in (box / "cur").iterdir()) == ["0.a:2,S", "1.a:2,S", "1.c:2,", "3.a:2,FRS"]


def test_a_letter_takes_the_place_of_no_other(tmp_path: Path) -> None:
    source = EmlFolder(tmp_path)
    for text in ("first", "second", "third"):
        (tmp_path / "a.EML").write_text(text)
        assert list(source.fetch()) == [("a.EML", text.encode())]
        source.done("a.EML")
    kept = {path.name: path.read_text() for path in (tmp_path / "done").iterdir()}
    assert kept == {"a.EML": "first", "a-2.EML": "second", "a-3.EML": "third"} and private(tmp_path / "done")
    source.done("done/a.EML")
    assert len(list((tmp_path / "done").iterdir())) == 3, "what is done stays where it is"


def test_the_folders_of_the_post_are_nobody_elses(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "post")
    ledger.add(Entry(digest="d", done="quarantine"))
    name = ledger.put_aside(b"raw", "d", "no player")
    assert name == "quarantine/d.eml"
    ledger.taken_back(name)
    found = {path.name: path.read_bytes() for path in (tmp_path / "post" / "accepted").iterdir()}
    assert found == {"d.eml": b"raw", "d.txt": b"no player\n"}
    assert not list((tmp_path / "post" / "quarantine").iterdir())
    assert all(private(path) for path in (tmp_path / "post", tmp_path / "post" / "accepted"))
    assert ledger.put_aside(b"raw", "d", "no player") == name and private(tmp_path / "post" / "quarantine")


# --- what a host did, apart from its folder --------------------------------------------------------------------------


def test_where_an_account_keeps_what_programs_remember(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for xdg, local, folder in (
        ("x", "l", Path("x")), ("", "l", Path("l")), ("x", "", Path("x")), ("", "", tmp_path / ".local" / "state"),
    ):  # fmt: skip
        monkeypatch.setenv("XDG_STATE_HOME", xdg)
        monkeypatch.setenv("LOCALAPPDATA", local)
        assert state_folder() == folder / "pbem"


def test_what_was_done_is_remembered_for_a_month(tmp_path: Path) -> None:
    apart = Apart(tmp_path / "club", tmp_path / "state")
    for days in (0, 1, 29.9, 30, 31):
        apart.add(NOW + timedelta(days=days), (f"mail {days}",), ())
    assert [deed.sent for deed in apart.deeds] == [("mail 29.9",), ("mail 30",), ("mail 31",)]
    assert timedelta(days=30) == KEPT and private(apart.file) and private(tmp_path / "club" / "mail" / "host.json")
    again = Apart(tmp_path / "club", tmp_path / "state")
    assert (again.deeds, again.counted) == (apart.deeds, apart.counted) and again.counted.count == 5
    assert again.deeds[-1] == Deed(count=5, at=NOW + timedelta(days=31), sent=("mail 31",), letters=(), played=())


def test_what_was_told_of_each_game_is_counted_from_round_to_round(tmp_path: Path) -> None:
    """Whatever was played of one game in between, of another it is known how far it was told."""
    apart = Apart(tmp_path / "club", tmp_path / "state")
    for fresh in ({"a": (1, 2)}, {"b": (1,)}, {}, {"a": (3,)}):
        apart.fresh = {name: [Played(segment=n, answers=f"x{n}") for n in found] for name, found in fresh.items()}
        apart.add(NOW, (), ())
        assert apart.fresh == {}
    assert apart.counted.segments == {"a": 3, "b": 1}
    assert Apart(tmp_path / "club", tmp_path / "state").counted == apart.counted
    assert [deed.played for deed in apart.deeds] == [("a 1 x1 0", "a 2 x2 0"), ("b 1 x1 0",), (), ("a 3 x3 0",)]


def test_which_marks_in_a_mailbox_stop_a_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.node", lambda: "here")
    apart = Apart(tmp_path, tmp_path / "state")
    mine = [apart.add(NOW, (), ()) for _ in range(3)]
    mark = read(mine[-1])
    assert mark == Mark(
        host=apart.counted.host, count=3, word=apart.counted.word, where=f"here:{tmp_path.absolute()}"[:100], at=NOW,
        played=(),
    )  # fmt: skip
    assert here(tmp_path) == mark.where and here(tmp_path / ("x" * 200)) == here(tmp_path / ("x" * 300))

    def told(count: int, word: str = "w", host: str = apart.counted.host) -> str:
        return written(Mark(host=host, count=count, word=word, where="there", at=NOW))

    for marks in ((), mine, mine[::-1], [told(2)], [told(9, host="other")], ["no mark", "{}", *mine]):
        apart.look(marks)
        assert (apart.moved, apart.lost) == (False, False)
    for marks in ([told(3)], [told(4)], [*mine, told(9)]):
        with pytest.raises(Elsewhere, match="says that there did a round on Mon 1 Mar 2027, 12:00"):
            apart.look(marks)
        restored = Apart(tmp_path, tmp_path / "state", restored=True)
        restored.look(marks)
        assert restored.lost and restored.counted.count == max(3, *(m.count for one in marks if (m := read(one))))
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    apart.look(mine)
    assert apart.moved
    apart.look(())
    assert not apart.moved


def test_a_mark_as_a_mail_is_nobodys_letter() -> None:
    mark = written(Mark(host="h", count=1, word="w" * 16, where="ä" * 100, at=NOW))
    for user, sender in (("orders@host.example", "orders@host.example"), ("orders", "pbem@pbem.invalid")):
        raw = as_mail(mark, user)
        mail = message_from_bytes(raw, policy=default)
        assert {name: str(mail[name]) for name in ("From", "To", "X-PBEM-Key", "X-PBEM-Mark", "Auto-Submitted")} == {
            "From": sender, "To": sender, "X-PBEM-Key": "mark", "X-PBEM-Mark": mark, "Auto-Submitted": "auto-generated",
        }  # fmt: skip
        assert f"X-PBEM-Mark: {mark}\r\n".encode() in raw, "on one line"
        assert read_letter(raw).kind == "own"
    assert read("[]") is None and read("[" * 9999) is None


# --- orders for who sent none ----------------------------------------------------------------------------------------


def test_the_last_file_of_the_form_that_is_asked_for_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The latest turn first, in it the highest request; what only continues or is of another form is passed over."""
    texts = {
        (1, 1, 0): "GAME x\nENERGY\nEND", (1, 2, 0): "GAME x\nPLOT 1F\nEND", (1, 10, 0): "GAME x\nPLOT 2F\nEND",
        (1, 11, 0): "CONTINUE", (1, 12, 3): "GAME x\nPLOT old\nEND", (2, 1, 0): "GAME x\nENERGY\nPHASERS 1\nEND",
    }  # fmt: skip
    files: dict[int, list[Any]] = {1: [], 2: []}
    for (turn, number, version), text in texts.items():
        path = tmp_path / f"{turn}.{number}.{version}"
        path.write_text(text)
        files[turn].append(SimpleNamespace(side="a", number=number, version=version, path=path))
    files[2].append(SimpleNamespace(side="b", number=9, version=0, path=tmp_path / "none"))
    judged: list[str] = []

    def judge(game: object, text: str, name: str) -> Any:
        wrong = [line for line in text.split("\n")[1:] if line in illegal]
        if name:
            judged.append(text.split("\n")[1])
            assert name == "a.orders"
        return SimpleNamespace(faults=[Fault(code="gone" if line == "PHASERS 1" else "x", text="", line=3)
                                       for line in wrong], side="a")  # fmt: skip

    monkeypatch.setattr(standin, "judge", judge)
    monkeypatch.setattr(standin, "normal_form", lambda text, side, game: text)
    monkeypatch.setattr(standin, "is_header", lambda line: line.startswith("GAME"))
    game: Any = SimpleNamespace(turns=lambda: [1, 2], order_files=lambda turn: files[turn])
    state: Any = SimpleNamespace(game="x", standing={})
    for form, illegal, found, tried in (
        (FormKind.SOP, (), "PLOT 2F\nEND", ["PLOT 2F"]),
        (FormKind.SOP, ("PLOT 2F",), "PLOT 1F\nEND", ["PLOT 2F", "PLOT 1F"]),
        (FormKind.SOP, ("PLOT 2F", "PLOT 1F"), "", ["PLOT 2F", "PLOT 1F"]),
        (FormKind.EAF, (), "ENERGY\nPHASERS 1\nEND", ["ENERGY"]),
        (FormKind.EAF, ("PHASERS 1",), "ENERGY\nEND", ["ENERGY"]),
        (FormKind.FULL, (), "", []),
    ):  # fmt: skip
        judged.clear()
        request = Request(number=1, turn=3, impulse=1, form=form, sides=("a",), through=32)
        writer = standin._Writer(game, state, request, "a")
        text = writer.last_orders()
        assert (text.partition("\n")[2], judged) == (found, tried), (form, illegal)
        assert text.partition("\n")[0] == (writer.head if found else "")


# --- what is asked of a game by its umpire and its players -----------------------------------------------------------


@pytest.fixture
def club(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "host")


@pytest.mark.parametrize(
    ("rule", "hours", "begun"),
    [
        ('within = "1 day"\nat = "18:00"', 1, False), ('within = "1 day"\nat = "18:00"', 7, True),
        ('within = "1 day"', 1, True),
    ],
)  # fmt: skip
def test_the_time_of_a_new_player_begins_anew_where_that_gives_him_more(
    club: Hosted, rule: str, hours: int, begun: bool
) -> None:
    settings = (club.folder / "host.toml").read_text(encoding="utf-8").partition("[deadlines]")[0]
    (club.folder / "host.toml").write_text(f"{settings}[deadlines]\n{rule}\n", encoding="utf-8")
    club.round()
    before = read_clock(club.game)
    assert before == Clock(asking=(1, 1, 0), asked=NOW, began=NOW)
    with opened(club.game, lock="test") as game:
        for side, player, code, said in (
            ("romulan", "x@y.org", "wrong-side", "there is no side 'romulan'; the sides are federation, klingon"),
            ("klingon", "nobody", "address", "'nobody' is no mail address, and nobody of players.toml"),
        ):  # fmt: skip
            with pytest.raises(GameError) as wrong:
                replacing.replace(game, side, player, NOW)
            assert [(one.code, one.text) for one in wrong.value.faults] == [(code, said)]
        later = NOW + timedelta(hours=hours)
        old = token_of(club.game, "klingon")
        assert replacing.replace(game, "Klingon", "Ko <ko@x.org>", later) == "klingon"
    assert read_clock(club.game) == (msgspec.structs.replace(before, asked=later) if begun else before)
    (tenure,) = tenures(club.game)
    assert (tenure.side, tenure.before, tenure.player, tenure.at, tenure.turn) == (
        "klingon", "kor@example.org", "Ko <ko@x.org>", later, 1,
    )  # fmt: skip
    assert token_of(club.game, "klingon") not in (old, "")


def test_a_host_works_on_no_game_that_is_not_its_own_alone(club: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it does with a game, it has locked it before: writing down when a late mail began its time, too."""
    from pbem.post import host

    locks: list[str] = []

    @contextmanager
    def spied(path: Path, *, lock: str = "") -> Iterator[Any]:
        locks.append(lock)
        with opened(path, lock=lock) as game:
            yield game

    monkeypatch.setattr(host, "opened", spied)

    def full(sender: str, to: str, mail: bytes) -> None:
        raise Later("452 full")

    real = club.sink.send
    monkeypatch.setattr(club.sink, "send", full)
    club.round()
    asked = len(locks)
    club.now += timedelta(hours=1)
    monkeypatch.setattr(club.sink, "send", real)
    club.round()
    assert asked and len(locks) > asked and set(locks) == {"host"}
    assert read_clock(club.game).asked == club.now


def test_what_was_sent_may_be_cleared_away_and_nothing_goes_again(club: Hosted) -> None:
    club.round()
    club.now += timedelta(days=1)
    assert club.round().put == 2, "a reminder for each"
    for _ in range(2):
        shutil.rmtree(club.folder / "mail" / "outbox" / "sent")
        (club.folder / "mail" / "resting.json").unlink()
        assert club.round().put == 0
        (club.folder / "mail" / "outbox" / "sent").mkdir()


def test_a_host_without_a_server_leaves_mails_that_say_what_is_so(club: Hosted) -> None:
    """And one whose game was taken away goes as it was written."""
    club.round()
    pause(club.game, club.now, "tea")
    club.round()  # says so
    club.post(club.letter("federation", "STATUS\n"))
    club.post(club.letter("klingon", "STATUS\n"))
    done = host_round(club.folder, lambda: club.now, source=Maildir(club.folder / "Maildir"))
    assert (done.letters, done.put, done.delivery) == (("command", "command"), 2, Delivery(waiting=2))
    waiting = club.folder / "mail" / "outbox" / "waiting"
    mails = [message_from_bytes(until_of(path.read_bytes())[1]) for path in sorted(waiting.iterdir())]
    assert [str(mail["To"]) for mail in mails] == ["ann@example.org", "kor@example.org"]
    assert all("\r\nThe game is paused; the clock stands.\r\n" in str(mail.get_payload()) for mail in mails)
    shutil.rmtree(club.game)
    before = len(club.sink.mails)
    assert club.round().troubles == ()
    for _, raw in club.sink.mails[before:]:
        assert b"The game is paused; the clock stands." in raw
    assert len(club.sink.mails) == before + 2


def test_nobody_is_late_whose_letter_waits_for_a_game_that_is_worked_on(
    club: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = (club.folder / "host.toml").read_text(encoding="utf-8")
    (club.folder / "host.toml").write_text(settings.replace('"wait"', '"hold"'), encoding="utf-8")
    club.round()
    club.post(club.letter("federation", club.scripted("federation")))
    club.later(days=2, hours=11, minutes=45)
    club.round()
    club.now += timedelta(minutes=30)
    club.post(club.letter("klingon", club.scripted("klingon")))

    def busy(*of: object, **more: object) -> None:
        raise GameError.saying("game-locked", "another command is at work")

    monkeypatch.setattr(intake, "attend", busy)
    done = club.round()
    assert (done.letters, done.games, done.put, done.troubles) == ((), (), 0, ()), "his orders are here"
    monkeypatch.undo()
    done = club.round()
    assert done.letters == ("orders",) and [one.what for one in dict(done.games)["duel01"]] == ["played"]
    assert "Filed by" not in (club.game / "01" / "orders" / "klingon.r1.orders").read_text(encoding="utf-8")


def test_whose_a_letter_may_be_is_offered_up_to_a_bound() -> None:
    many = tuple(
        Seat(game=f"game{n:03}", folder=Path("x"), side="federation", addresses=(f"a{n}@x.org",), token=f"token{n}")
        for n in range(100)
    )
    letter = read_letter(b"From: eve@x.org\n\nSTATUS\n")
    with pytest.raises(GameError) as wrong:
        intake._seat_of(letter, Games(seats=many, post=Path("post")), "", "")
    sides = ", ".join(f"--game game{n:03} --side federation" for n in range(100))
    assert wrong.value.faults[0].text == (f"nothing says whose letter this is; add one of: {sides[:2000]}")


def test_the_games_of_a_folder_are_known_with_what_its_host_says(club: Hosted, tmp_path: Path) -> None:
    file = club.folder / "host.toml"
    for tags in (False, True):
        file.write_text(
            file.read_text(encoding="utf-8").replace("[inbox]", "tags = true\n[inbox]", tags), encoding="utf-8"
        )
        found = intake.games_of(club.folder)
        assert (found.umpire, found.orders, found.tags, found.post) == (
            "umpire@host.example", "orders@host.example", tags, club.folder / "mail",
        )  # fmt: skip
        assert [seat.side for seat in found.seats] == ["federation", "klingon"] and not found.broken
        assert found.seats[0].token == token_of(club.game, "federation")
    file.unlink()
    found = intake.games_of(club.folder)
    assert (found.umpire, found.orders, found.tags, len(found.seats)) == ("", "", False, 2)
    put = intake.outbox_of(club.folder, found)
    answer = reply("k", to="ann@example.org")
    assert put(answer) == club.folder / "mail" / "outbox" / "k.eml" and put(answer) is not None
    assert private(club.folder / "mail" / "outbox" / "k.eml")


def test_what_goes_wrong_is_told_and_what_passes_is_only_noted(tmp_path: Path) -> None:
    letters_to_him: list[Reply] = []

    def go(at: datetime, *errors: Exception, umpire: str = "u@x.org", put: Any = letters_to_him.append) -> Troubles:
        found = Troubles(tmp_path, at, umpire, put)
        for error in errors:
            with found.kept("here"):
                raise error
        found.gathered()
        found.told.write(0, 0)
        return found

    busy = Fault(code="game-locked", text="another command is at work")
    other = Fault(code="x", text="it is damaged")
    found = go(NOW, GameError(busy), GameError(busy, other), OSError("odd"))
    texts = [f"here: {GameError(busy)}", f"here: {GameError(busy)}; {GameError(other)}", "here: odd"]
    assert found.now == texts == found.news
    assert [(one.subject, one.text) for one in letters_to_him] == [
        ("pbem: the umpire is wanted", f"1. {texts[1]}\n\n2. {texts[2]}\n\nMore: `pbem help trouble`.\n")
    ]
    found = go(NOW + timedelta(hours=1), GameError(busy), OSError("odd"))
    assert (found.now, found.news, len(letters_to_him)) == ([texts[0], texts[2]], [], 1)
    found = go(NOW + timedelta(days=1), OSError("odd"))
    assert (found.now, found.news) == ([texts[2]], [texts[2]])
    assert letters_to_him[1].key == f"trouble {texts[2]} (2)"
    found.tell("so it is", "k", trouble=False)
    found.gathered()
    found.tell("he is late", "l", calm=True)
    found.tell("he is late", "l", calm=True)
    found.gathered()
    found.gathered()
    assert [(one.subject, one.key) for one in letters_to_him[2:]] == [
        ("pbem: for the umpire", "k"), ("pbem: the umpire is wanted", "l"),
    ]  # fmt: skip
    assert (found.now, found.news) == ([texts[2]], [texts[2], "he is late"])
    assert go(NOW, OSError("one"), umpire="").news == ["here: one"] and len(letters_to_him) == 4

    def full(reply: Reply) -> None:
        raise OSError(28, "No space left on device")

    found = go(NOW, OSError("two"), put=full)
    assert found.now == ["here: two", "the umpire could not be told: [Errno 28] No space left on device"]
    with pytest.raises(Elsewhere), found.kept("here"):
        raise Elsewhere.saying("elsewhere", "another host")


def test_weapons_alone_have_nothing_to_preview(tmp_path: Path) -> None:
    """Scenario #2 with a second player: where his drones fly is not his to know."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="parts")
    games = games_in(tmp_path / "duel")
    text = f"TOKEN {token_of(tmp_path / 'duel', 'drones')}\nPREVIEW\n\nGAME duel TURN 1 SIDE drones REPLY 1\nEND\n"
    (answer,) = attend(read_letter(f"From: bob@example.org\nSubject: PREVIEW\n\n{text}".encode()), games).replies
    assert "This is what the orders you sent would amount to." in answer.text
    assert "NOBODY ELSE" not in answer.text
    assert answer.text.endswith("each flies by the special rule of F2.0.\n")


def test_a_game_rests_until_its_moment_and_no_longer(tmp_path: Path) -> None:
    game = tmp_path / "games" / "one"
    (game / "00").mkdir(parents=True)
    (game / "game.toml").write_text("x")
    resting = Resting(tmp_path, [game])
    resting.keep(game, Rest(mark="", until=NOW, waits=("a",)))
    resting.keep(tmp_path / "games" / "gone", Rest(mark=""))
    resting.write()
    again = Resting(tmp_path, [game])
    assert set(again.known) == {"one"} and again.known["one"] == resting.known["one"]
    assert again.find(game, NOW - timedelta(seconds=1)) == again.known["one"] and again.find(game, NOW) is None
    again.drifted(1)
    assert again.find(game, NOW - timedelta(seconds=1)) is None, "another clock"
    assert private(tmp_path / "mail" / "resting.json") or sys.platform == "win32"


# --- letters that bring nothing new ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "row", "sha256", "why"),
    [
        ("orders", Row(), "1", ""), ("orders", Row("orders", 99, "", 0, 29, "1"), "1", ""),
        ("orders", Row("orders", 99, "", 0, 30, "1"), "1",
         "ann@example.org has sent 30 letters without new orders; they are no longer answered"),
        ("orders", Row("orders", 99, "same", 99, 99, "1"), "2", ""),
        ("command", Row("command", 99, "same", 11, 11, "1"), "", ""),
        ("command", Row("command", 99, "same", 12, 12, "1"), "",
         "ann@example.org writes the same again and again; it is no longer answered"),
        ("command", Row("command", 99, "other", 12, 12, "1"), "", ""),
        ("empty", Row("empty", 2, "same", 2, 2, ""), "", ""),
        ("empty", Row("empty", 3, "other", 1, 3, ""), "",
         "it is one of many without orders from ann@example.org; they are no longer answered"),
        ("empty", Row("fault", 3, "other", 1, 3, ""), "", ""), ("command", Row("empty", 3, "other", 1, 3, ""), "", ""),
    ],
)  # fmt: skip
def test_which_letters_are_no_longer_answered(
    monkeypatch: pytest.MonkeyPatch, kind: str, row: Row, sha256: str, why: str
) -> None:
    seat = Seat(game="one", folder=Path("one"), side="a", addresses=("ann@example.org",), token="aaaaaaaa")
    games = Games(seats=(seat,), post=Path("post"), umpire="u@x.org")
    letter = Letter(kind=kind, digest="d", sender="ann@example.org", tokens=("aaaaaaaa",), text="x")  # type: ignore[arg-type]
    said = Answered(done=kind, game="one", side="a", sha256=sha256, replies=(reply("k"),))  # type: ignore[arg-type]
    monkeypatch.setattr(intake, "attend", lambda letter, games, due: said)
    monkeypatch.setattr(intake, "_said", lambda letter: "same")
    ledger: Any = SimpleNamespace(row=lambda game, side: {("one", "a"): row}[game, side])
    found = intake._attended(letter, games, ledger, no_deadline, set())
    if not why:
        assert found == said
        return
    told = () if kind == "empty" else notice(letter, games, why)
    assert found == msgspec.structs.replace(said, aside=True, why=why, replies=told)
    left = {"one"}
    if kind == "empty":
        assert intake._attended(letter, games, ledger, no_deadline, left).aside
    else:
        with pytest.raises(intake.Waits, match="a letter before this one waits"):
            intake._attended(letter, games, ledger, no_deadline, left)


def test_what_letters_say_whenever_they_say_it() -> None:
    def said(raw: str) -> str:
        return intake._said(read_letter(f"From: ann@example.org\n{raw}".encode()))

    same = [said(f"Subject: Ticket {n}\nDate: {n}\n\n\n") for n in (1, 22)]
    assert same[0] == same[1] != said("Subject: Ticket x\n\n\n") and len(same[0]) == 16
    orders = "\nGAME x TURN 1 SIDE a REPLY 1\nSHIP z\nSPEED {}\nEND\n"
    assert said(f"Subject: a\n{orders.format(1)}") == said(f"Subject: b\n{orders.format(1)}")
    assert said(f"Subject: a\n{orders.format(1)}") != said(f"Subject: a\n{orders.format(2)}")
    assert said("Subject: RESEND 1\n\n\n") != said("Subject: RESEND 2\n\n\n")
    assert said("\nMESSAGE TO ALL: Hi 1\n") == said("\nMESSAGE TO ALL: Hi 2\n") != said("\nMESSAGE TO ALL: Ho\n")


def test_a_digest_tells_of_so_many_senders_and_of_so_many_letters_of_each(tmp_path: Path) -> None:
    ledger, said = Ledger(tmp_path), list[Reply]()
    for n in range(32):
        for again in range(1 + 6 * (n == 0)):
            name = f"d{n}.{again}"
            entry = Entry(digest=name, done="quarantine", sender=f"s{n:02}@x.org", why="no player",
                          replies=(notice_key(name),), file=f"quarantine/{name}.eml", subject="s")  # fmt: skip
            ledger.add(entry)
    digest.tell(tmp_path, "", "UTC", NOW, said.append)
    assert not said, "there is no umpire"
    (tmp_path / digest.FILE).unlink()
    digest.tell(tmp_path, "umpire@x.org", "UTC", NOW, said.append)
    text = said[0].text
    assert [f"s{n:02}@x.org" in text for n in range(32)] == [True] * 30 + [False] * 2
    shown = text.replace(f"kept as  {tmp_path / 'quarantine/d0.6.eml'}", "")
    assert [f"quarantine/d0.{n}.eml" in shown for n in range(7)] == [False] * 2 + [True] * 5
    assert "  from     s00@x.org (7 letters)\n" in text and "  from     s01@x.org\n" in text
    assert text.endswith("\n\nAnd 2 more senders: all letters lie there.\n\nMore: `pbem help players-change`.\n")
    assert said[0].subject == "pbem: 38 letters were put aside"
