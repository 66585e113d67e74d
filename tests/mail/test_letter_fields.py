"""A letter field by field: who wrote it, what names it, its words and files, and how much of it is read."""

from __future__ import annotations

import msgspec
import pytest

from pbem.mail.incoming.extract import LARGEST_TEXT
from pbem.mail.incoming.message import Letter, ids, one_line, read_letter, text_of_mail
from pbem.orders.messages import ALL, Message

HEAD = "From: ann@example.org\r\nTo: orders@host.example\r\n"


@pytest.mark.parametrize(
    ("header", "kind"),
    [("Subject: Automatic reply: x\r\nX-Auto-Response-Suppress: All", "auto"),
     ("X-Auto-Response-Suppress: All", "command"),
     ("Subject: auto: x\r\nX-Auto-Response-Suppress: ALL", "auto"), ("Subject: Automatic reply: x", "command"),
     ("Subject: auto: x\r\nX-Auto-Response-Suppress: DR", "command"), ("Precedence: first-class", "command"),
     *((f"Precedence: {word}", "auto") for word in ("bulk", " Junk ", "list", "auto_reply")),
     ("Auto-Submitted: no", "command"), ("Auto-Submitted: No; x", "command"), ("Auto-Submitted: auto-replied", "auto"),
     *((f"{name}: x", "auto") for name in ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From",
       "X-Mail-Autoreply", "List-Id", "List-Unsubscribe", "Feedback-ID", "X-Loop")),
     ("Return-Path: <>", "bounce"), ("Return-Path: <ann@example.org>", "command"), ("X-Failed-Recipients: x", "bounce"),
     ("Message-ID: <a@pbem.invalid>", "own"), ("X-PBEM-Key: x", "own"), ("X-PBEM-Key: x\r\nReturn-Path: <>", "own"),
     ("Message-ID: <a@pbem.invalid.example>", "command")],
)  # fmt: skip
def test_who_wrote_a_letter_by_one_header(header: str, kind: str) -> None:
    raw = f"{HEAD}{header}\r\n\r\nSTATUS\r\n".encode()
    assert read_letter(raw).kind == kind and read_letter(raw, person=True).kind == "command"


@pytest.mark.parametrize(
    ("sender", "kind"),
    [("no-reply@x.example", "auto"), ("noreply+7@x.example", "auto"), ("donotreply@x.example", "auto"),
     ("bounce-5@x.example", "auto"), ("bounces=a@x.example", "auto"), ("noreplying@x.example", "command"),
     ("MAILER-DAEMON@x.example", "bounce"), ("Mailer-Daemon <x@y.example>", "bounce"),
     ("postmaster@x.example", "bounce"),
     ("The Postmaster <x@y.example>", "command")],
)  # fmt: skip
def test_who_wrote_a_letter_by_its_sender(sender: str, kind: str) -> None:
    assert read_letter(f"From: {sender}\r\n\r\nSTATUS\r\n".encode()).kind == kind


def test_a_letter_field_by_field() -> None:
    raw = (
        f"{HEAD}Cc: =?utf-8?q?B=C3=B6b?= <Bob@Example.org>, x@y.example\r\nDelivered-To: orders+tag@host.example\r\n"
        "Message-ID: <1@x> <2@x>\r\nSubject: Re:\r\n =?utf-8?q?gr=C3=BCn?=\r\nDate: today\r\nIn-Reply-To: <b@x>\r\n"
        "References: <a@x> <b@x> not <c@x>\r\nX-PBEM-Token: one two three four five\r\n\r\n"
        "Hello\r\nMESSAGE TO ALL: Hi\r\nGAME duel TURN 1 SIDE federation REPLY 1\r\nSHIP x\r\nEND\r\n"
    ).encode()
    found = read_letter(raw)
    assert msgspec.structs.replace(found, digest="") == Letter(
        kind="orders", digest="", message_id="<1@x>", sender="ann@example.org",
        to=("orders@host.example", "bob@example.org", "x@y.example", "orders+tag@host.example"), subject="Re: grün",
        date="today", text="Hello\n\nGAME duel TURN 1 SIDE federation REPLY 1\nSHIP x\nEND\n", source="the body",
        references=("<b@x>", "<a@x>", "<c@x>"), tokens=("one", "two", "three", "four"), size=len(raw),
        words=(Message(ALL, "Hi"),),
    )  # fmt: skip


def test_what_names_a_letter() -> None:
    """Whatever its writer said is in its digest; what was added on its way is not."""
    first = f"{HEAD}Message-ID: <1@x>\r\nSubject: s\r\nDate: d\r\n\r\nSTATUS\r\nMESSAGE TO ALL: Hi\r\n"
    others = {
        read_letter(first.replace(old, new).encode()).digest
        for old, new in (
            ("", ""), ("<1@x>", "<2@x>"), ("ann@", "bob@"), (": s", ": t"), (": d", ": e"), ("STATUS", "DRAFT"),
            ("Hi", "Ho"), ("TO ALL", "TO klingon"), ("\r\nDate", "\r\nX-Loop: x\r\nDate"),
        )
    }  # fmt: skip
    assert len(others) == 9 and read_letter(f"Received: x\r\n{first}".encode()).digest in others
    bare_ones = [read_letter(f"{HEAD}\r\n{body}".encode()).digest for body in ("", " \r\n", " \r\n")]
    assert bare_ones[0] != bare_ones[1] == bare_ones[2], "without an id or a text its bytes name it"
    named = [read_letter(f"{HEAD}Message-ID: <1@x>\r\n\r\n{body}".encode()).digest for body in ("", " \r\n")]
    assert named[0] == named[1]


def test_a_saved_mail_is_read_for_its_orders_and_words() -> None:
    orders = "GAME x TURN 1 SIDE a REPLY 1\r\nSHIP z\r\nEND\r\n"
    mail = f"{HEAD}MIME-Version: 1.0\r\n\r\n{orders}MESSAGE TO ALL: Hi\r\nUMPIRE: Ho\r\n"
    assert text_of_mail(mail.encode()) == (
        "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n\n\n\nMESSAGE TO ALL\nHi\nEND MESSAGE\n"
        "MESSAGE TO UMPIRE\nHo\nEND MESSAGE"
    )
    assert text_of_mail(mail.replace("MIME-Version", "X-Version").encode()) == ""
    assert text_of_mail(f"{HEAD}MIME-Version: 1.0\r\n\r\nHello.\r\n".encode()) == ""
    assert text_of_mail(f"GAME x\n{mail}".encode()) == ""


def test_what_is_too_long_is_left_unread_and_no_byte_before() -> None:
    orders = "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n"
    for more, kind in ((0, "orders"), (1, "empty")):
        left = LARGEST_TEXT - len(orders)
        body = orders + ("x" * 99 + "\n") * (left // 100) + "x" * (left % 100 + more)
        found = read_letter(f"{HEAD}\n{body}".replace("\r\n", "\n").encode())
        said = (f"a text of {LARGEST_TEXT + 1} bytes was left unread; {LARGEST_TEXT} is the most",)
        assert (found.kind, found.faults) == (kind, said * more)


def test_headers_are_bounded() -> None:
    assert one_line("a\tb\x00c  d\n") == "a b c d" and len(one_line("x" * 2000)) == 1000
    assert ids(" ".join(f"<{n}@x>" for n in range(60))) == tuple(f"<{n}@x>" for n in range(50))
    assert ids("<a b@x> <ä@x> <c@x>") == ("<c@x>",)
