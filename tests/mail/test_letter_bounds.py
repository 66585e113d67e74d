"""Letters at their bounds: what is a letter in a letter, how long and how deep, who wrote it, to whom it did not go."""

from __future__ import annotations

from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.errors import GameError
from pbem.mail.incoming import extract as bounds, intake, message as letters
from pbem.mail.incoming.extract import MOST_NESTED, MOST_PARTS
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import addresses, decoded_header, header, ids, read_letter
from pbem.mail.replies.reply import Reply, content_key
from pbem.mail.seats import Games, Seat
from pbem.mail.store import EmailRecord
from pbem.mail.transport.sources import EmlFolder, Maildir
from pbem.reports.text import guide
from tests.nobody_elses import private

if TYPE_CHECKING:
    pass
else:
    pass


HEAD = "From: ann@example.org\nMessage-ID: <1@x>\n"


ORDERS = "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n"


def nested(many: int, word: str = "boundary=b") -> bytes:
    """A letter that speaks of so many multiparts, with orders in it."""
    told = "".join(f"Content-Type: multipart/mixed; {word}{n}\n" for n in range(many))
    return f"{HEAD}Content-Type: text/plain\n\n{ORDERS}{told}".encode()


def test_letters_in_letters_are_counted_by_what_they_are_and_not_by_what_is_said() -> None:
    too_many = f"it is made of more than {MOST_NESTED} emails in emails"
    for raw, kind, why in (
        (nested(MOST_NESTED), "orders", ""), (nested(MOST_NESTED + 1), "unread", too_many),
        (nested(MOST_NESTED + 1, "boundary \t*0"), "unread", too_many),
        # Somebody who writes about such letters makes none.
        (nested(MOST_NESTED + 1, "of "), "orders", ""),
        (f"{HEAD}\n{ORDERS}{'boundary=x ' * 99}".encode(), "orders", ""),
        (f"{HEAD}\n{ORDERS}{'message/rfc822 ' * MOST_NESTED}".encode(), "orders", ""),
        (f"{HEAD}\n{ORDERS}{'Message/rfc822 ' * (MOST_NESTED + 1)}".encode(), "unread", too_many),
    ):  # fmt: skip
        found = read_letter(raw)
        assert (found.kind, found.unread, found.sender) == (kind, why, "ann@example.org")


def test_a_letter_of_the_greatest_length_is_read_and_one_byte_more_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = f"{HEAD}Subject: s\n\n{ORDERS}".encode()
    monkeypatch.setattr(letters, "LARGEST_LETTER", len(raw))
    assert read_letter(raw).faults == () and read_letter(raw).kind == "orders"
    found = read_letter(raw + b"\n")
    said = f"it has {len(raw) + 1} bytes; {len(raw)} is the most that is read"
    assert (found.kind, found.unread, found.subject, found.size) == ("unread", said, "s", len(raw) + 1)


MULTI = f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n\n{ORDERS}"
REPORTED = "--b\nContent-Type: message/delivery-status\n\n"
DEEP = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(20))


@pytest.mark.parametrize(
    ("begin", "unit", "most", "why"),
    [
        (HEAD, "X: a\n", bounds.MOST_HEADERS - 2, "it has more than 500 headers"),
        (HEAD + "X: a", "a", bounds.MOST_HEADER_BYTES - len(HEAD) - 4, "its headers are longer than 100000 bytes"),
        (f"{HEAD}\n", "\n", bounds.MOST_LINES - 5, "it has more than 15000 lines"),
        (f"{HEAD}\n", "\r", bounds.MOST_LINES - 5, "it has more than 15000 lines"),
        (MULTI, "--b\n", bounds.MOST_MARKS - 1, "it has more than 400 lines that may begin a part"),
        (MULTI + REPORTED, "a\n\n", bounds.MOST_BLOCKS - 5, "it tells of more than 2000 deliveries"),
        (HEAD + DEEP, "x\n", bounds.MOST_LINES_NESTED // 20 - 64, "it is made of 20 emails in emails with 750"),
    ],
)
def test_what_is_beyond_a_limit_is_not_parsed(begin: str, unit: str, most: int, why: str) -> None:
    within = read_letter((begin + unit * most + "\n\n").encode())
    beyond = read_letter((begin + unit * (most + 4) + "\n\n").encode())
    assert within.unread == "" and beyond.unread.startswith(why)
    assert (beyond.kind, beyond.text) == ("unread", "")


PAGE = ORDERS.replace("\n", "<br>")


@pytest.mark.parametrize(
    ("kind", "text", "unit", "most", "fault"),
    [
        ("plain", ORDERS, "x\n", bounds.MOST_TEXT_LINES - 4, "a text of 2501 lines was left unread; 2500 is the most"),
        ("plain", ORDERS, "x", bounds.LONGEST_LINE, "a text with a line of 5001 characters was left unread; 5000"),
        ("html", PAGE, "<b>", bounds.MOST_TAGS - 3, "a page of 4001 tags was left unread; 4000"),
        ("html", PAGE, "&lt;", bounds.MOST_TAGS, "a page of 4001 tags was left unread; 4000"),
        ("html", PAGE, "x", bounds.LARGEST_PAGE - len(PAGE), "a text of 300001 bytes was left unread"),
    ],
)
def test_a_text_beyond_a_limit_is_left_unread_and_the_others_are_read(
    kind: str, text: str, unit: str, most: int, fault: str
) -> None:
    def part(count: int, beside: str = "") -> bytes:
        begin = f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/{kind}\n\n"
        return f"{begin}{text}{unit * count}\n--b\n\n{beside}\n--b--\n".encode()

    assert read_letter(part(most)).kind == "orders" and not read_letter(part(most)).faults
    found = read_letter(part(most + 1))
    assert found.kind == "empty" and found.faults[0].startswith(fault)
    assert read_letter(part(most + 1, ORDERS)).kind == "orders"


def test_texts_that_are_too_long_together_are_read_as_far_as_the_limit() -> None:
    def parts(count: int) -> bytes:
        texts = ["\n" * 1000] * count + [ORDERS]
        body = "".join(f"--b\nContent-Type: text/plain\n\n{text}\n" for text in texts)
        return f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{body}--b--\n".encode()

    said = "the texts of the email are too long together; the last of them were not read"
    assert (read_letter(parts(4)).kind, read_letter(parts(4)).faults) == ("orders", ())
    assert (read_letter(parts(5)).kind, read_letter(parts(5)).faults) == ("empty", (said,))


def test_a_page_with_a_line_that_is_too_long_keeps_its_empty_lines() -> None:
    orders = ORDERS.replace("SHIP z\n", f"SHIP z\n\n# {'x' * bounds.LONGEST_LINE}\n")
    lines = read_letter(f"{HEAD}Content-Type: text/html\n\n<pre>{orders}</pre>\n".encode()).text.split("\n")
    assert lines[:6] == [*ORDERS.split("\n")[:2], "", f"# {'x' * (bounds.LONGEST_LINE - 2)}", "xx", "END"]


def test_a_long_email_is_read_from_its_beginning_and_no_part_by_half() -> None:
    photo = ("A" * 76 + "\n") * 5000
    head = f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n"
    plain, picture = "--b\n\n{}\n", "--b\nContent-Type: image/jpeg\nContent-Transfer-Encoding: base64\n\n{}\n"
    first = read_letter(f"{head}{plain.format(ORDERS)}{picture.format(photo * 3)}--b--\n".encode())
    assert first.kind == "orders" and first.text.strip() == ORDERS.strip()
    assert "was not read" in first.faults[0] and str(bounds.MOST_READ) in first.faults[0]
    begin = f"{head}{picture}--b\n\nGAME x TURN 1 SIDE a REPLY 1\nSHIP z\n"
    filled = (photo * 3)[: bounds.MOST_READ - len(begin) - 20]
    begin = begin.format(filled)
    rest = "PLOT 12F R 12F R 12F R 12F R 12F R 12F R 12F R 12F\nEND\n--b--\n"
    assert len(begin) < bounds.MOST_READ < len(begin) + len(rest), "the cut is inside the orders"
    found = read_letter(f"{begin}{rest}".encode())
    assert (found.kind, found.text) == ("empty", ""), "nobody means half of their orders"


def test_so_many_parts_of_a_letter_are_looked_at() -> None:
    part = "--b\nContent-Type: text/plain\n\n{}\n"
    for more, faults in ((0, ()), (1, (f"the email has more than {MOST_PARTS} parts; the rest were not looked at",))):
        # The whole is one of them.
        texts = ["hello"] * (MOST_PARTS - 2 + more) + [ORDERS]
        body = "".join(part.format(text) for text in texts)
        found = read_letter(f"{HEAD}Content-Type: multipart/mixed; boundary=b\n\n{body}--b--\n".encode())
        assert (found.kind, found.faults) == ("empty" if more else "orders", faults)


def test_endless_headers_of_content_lose_their_ends() -> None:
    most = bounds.LONGEST_CONTENT
    for length, kept in ((most, most), (most + 1, most), (9 * most, most)):
        line = b"Content-Type: text/plain; x="
        for ends in (b"\n", b"\r\n"):
            raw = b"Subject: s" + ends + line.ljust(length, b"x") + ends + b"To: t" + ends * 2 + b"body"
            expected = raw.replace(line.ljust(length, b"x"), line.ljust(kept, b"x"))
            assert letters._short_headers(raw) == expected, (length, ends)
    folded = b"content-x:" + b" a\n" * 2000 + b" b\nTo: t\n\n"
    assert letters._short_headers(folded) == folded[:most].rstrip(b"\n") + b"\nTo: t\n\n"
    many = b"Content-Type: text/plain" + b";a=b" * 50 + b"\nTo: t\n\n"
    kept_of_them = b"Content-Type: text/plain" + b";a=b" * bounds.MOST_PARAMETERS + b"\nTo: t\n\n"
    assert letters._short_headers(many) == kept_of_them
    together = (b"Content-X: " + b"a" * (most - 11) + b"\n") * 60
    assert bounds.MOST_CONTENT <= len(letters._short_headers(together)) < bounds.MOST_CONTENT + 10 * most
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
    assert decoded_header("=?utf-8?b?a?=") == "=?utf-8?b?a?="  # no base64
    assert decoded_header("a =?utf-8?q?b=C3=BC?=\r\n =?utf-8?q?c?=") == "a büc"
    assert decoded_header("=?koi8-r?q?=E1=CE=CE=C1?=") == "Анна"
    assert (
        decoded_header("=?nonsense?q?=E4?=") == "ä" == decoded_header("=?utf-8?q?=E4?=")
        and decoded_header("x" * 20_001) == "x" * 20_000
    )
    message = message_from_bytes(
        b'From: "eve@x.org, \\" y" (a (b@x.org) c) <Ann@Example.org>, Bob@example.org ; <c@x.org\n'
        b"To: friends: a@x.org b@x.org;, <x@y.org> <z@y.org>\nTo: ann@example.org\nCc: a@x.org\n\n"
    )
    assert addresses(message, "From") == ("ann@example.org", "bob@example.org")
    assert addresses(message, "To", "Cc") == ("a@x.org", "b@x.org", "z@y.org", "ann@example.org")
    assert header(message, "cc") == "a@x.org" and header(message, "Bcc") == ""
    assert header(message_from_bytes(b"X: " + b"x" * 30_000 + b"\n\n"), "X") == "x" * 20_000
    assert ids("<a@b> junk <c@d><e f>") == ("<a@b>", "<c@d>")
    assert ids("<ä@b> <\x01@b> <a@b>") == ("<a@b>",)
    for comment in (b"( a@x.org (b) )", b"(((( a@x.org (b) ))))", b"(a) ( a@x.org )"):
        assert addresses(message_from_bytes(b"From: " + comment + b" c@x.org\n\n"), "From") == ("c@x.org",)
    deep = message_from_bytes(b"From: (((((( a@x.org )))))) b@x.org\n\n")
    assert addresses(deep, "From") == ("b@x.org",)


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
    ledger.add(EmailRecord(digest="d", done="quarantine"))
    name = ledger.put_aside(b"raw", "d", "no player")
    assert name == "quarantine/d.eml"
    ledger.taken_back(name)
    found = {path.name: path.read_bytes() for path in (tmp_path / "post" / "accepted").iterdir()}
    assert found == {"d.eml": b"raw", "d.txt": b"no player\n"}
    assert not list((tmp_path / "post" / "quarantine").iterdir())
    assert all(private(path) for path in (tmp_path / "post", tmp_path / "post" / "accepted"))
    assert ledger.put_aside(b"raw", "d", "no player") == name and private(tmp_path / "post" / "quarantine")


def test_whose_a_letter_may_be_is_offered_up_to_a_bound() -> None:
    many = tuple(
        Seat(game=f"game{n:03}", folder=Path("x"), side="federation", addresses=(f"a{n}@x.org",), token=f"token{n}")
        for n in range(100)
    )
    letter = read_letter(b"From: eve@x.org\n\nSTATUS\n")
    with pytest.raises(GameError) as wrong:
        intake._seat_of(letter, Games(seats=many, post=Path("post")), "", "")
    sides = ", ".join(f"--game game{n:03} --side federation" for n in range(100))
    assert wrong.value.faults[0].text == (
        f"add one of these, because the email does not say who sent it: {sides[:2000]}"
    )


def test_a_line_of_help_is_looked_up_and_no_page_is_searched_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger may write many: guesses at what was meant are for who asks for a page."""

    def searched(*_: object, **__: object) -> list[str]:
        raise AssertionError("pages were searched")

    monkeypatch.setattr(guide, "get_close_matches", searched)
    lines = "".join(f"HELP word{number}, please\n" for number in range(60))
    assert read_letter(f"{HEAD}\nhello\n{lines}".encode()).kind == "empty"
    for topic, kind in (("energy", "command"), ("host extend", "command"), ("EAF", "command"), ("me, please", "empty")):
        assert read_letter(f"{HEAD}\nHELP {topic}\n".encode()).kind == kind
