"""Letters of every kind mail programs, machines and ill-wishers send: all are read, none raises."""

from __future__ import annotations

import re
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from pbem.mail.incoming.extract import LARGEST_LETTER, MOST_MARKS, MOST_PARTS
from pbem.mail.incoming.intake import eml
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.replies.reply import Reply

LETTERS = Path(__file__).parent / "letters"
EXPECTED = tomllib.loads((LETTERS / "expected.toml").read_text(encoding="utf-8"))
HEAD = b"From: ann@example.org\r\nTo: orders@host.example\r\nMessage-ID: <1@example.org>\r\n"
ORDERS = b"GAME duel TURN 1 SIDE federation REPLY 1\r\nSHIP Constellation\r\nENERGY\r\n  SPEED 12\r\nEND\r\n"


def read(name: str) -> Letter:
    return read_letter((LETTERS / f"{name}.eml").read_bytes())


def test_every_letter_has_its_expectation_and_the_reverse() -> None:
    assert sorted(path.stem for path in LETTERS.glob("*.eml")) == sorted(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_letter_is_understood(name: str) -> None:
    expected = {"sender": "ann@example.org", "command": "", **EXPECTED[name]}
    letter = read(name)
    found = {field: getattr(letter, field) for field in ("kind", "sender", "command")}
    assert found == {field: expected[field] for field in found}
    if expected["kind"] == "orders":
        # What is quoted in a letter with orders of its own is not among them.
        assert re.findall(r"SPEED (\d+)", letter.text) == [str(expected.get("speed", 12))]
        assert re.search(r"END\b", letter.text)


def told(name: str, letter: Letter) -> str:
    """Everything that is read of a letter, but how it is named."""
    fields = {field: value for field, value in msgspec.structs.asdict(letter).items() if field != "digest" and value}
    text = fields.pop("text", "")
    lines = [f"  {field}: {value!r}\n" for field, value in fields.items()]
    return "".join([f"======== {name}\n", *lines, *(f"| {line}".rstrip() + "\n" for line in text.split("\n") if text)])


PLAIN, PAGE = b"Content-Type: text/plain\n\n", b"Content-Type: text/html\n\n"
FILE = b'Content-Type: %s\nContent-Disposition: attachment; filename="%s"\n\n'
TEXTS = {
    "nothing": b"", "words": b"Hello.\n", "command": b"STATUS\n", "orders": ORDERS, "bare": b"SHIP Body\nPLOT F\n",
    "message": b"MESSAGE TO ALL: Hi\n", "quoted": b"Yes.\n\n> " + ORDERS.replace(b"\n", b"\n> "),
}  # fmt: skip


def composed() -> Iterator[tuple[str, bytes]]:
    """Letters of parts: each text as body, page and file, beside each other."""
    for subject in (b"Re: duel", b"STATUS", b"PREVIEW", b"WAIT OFF"):
        head = HEAD + b"Subject: " + subject + b"\n"
        for name, text in TEXTS.items():
            yield f"{subject.decode()}, body {name}", head + PLAIN + text
            files = [(b"text/plain", b"a.txt"), (b"application/octet-stream", b"a.dat"), (b"text/html", b"a.html"),
                     (b"text/plain", b"a.orders")]  # fmt: skip
            page = b"<p>" + text.replace(b"\n", b"<br>\n")
            for other, parts in {
                "page": [PAGE + page],
                "body and page": [PLAIN + TEXTS["words"], PAGE + page],
                "page and body": [PAGE + page, PLAIN + text],
                **{f"body and {file.decode()}": [PLAIN + TEXTS["words"], FILE % (mime, file) + text]
                   for mime, file in files},
                "two files": [FILE % files[0] + text, FILE % files[3] + ORDERS, PLAIN + TEXTS["command"]],
            }.items():  # fmt: skip
                if subject == b"Re: duel" or other in ("page and body", "body and a.txt"):
                    body = b"".join(b"--b\n" + part + b"\n" for part in parts)
                    yield (
                        f"{subject.decode()}, {other} {name}",
                        head + b"Content-Type: multipart/mixed; boundary=b\n\n" + body + b"--b--\n",
                    )


def test_every_letter_is_read_as_it_was(as_kept: Callable[[str, str], None]) -> None:
    found = [told(name, read(name)) for name in sorted(EXPECTED)]
    found += [told(name, read_letter(raw)) for name, raw in composed()]
    as_kept("letters.txt", "".join(found))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_reading_twice_gives_the_same(name: str) -> None:
    assert read(name) == read(name)


def test_what_stands_in_the_text_is_read_in_its_own_letters() -> None:
    assert "“they”" in read("windows_1252").text
    assert "Привет" in read("koi8").text
    assert "Grüße" in read("wrong_charset").text


def test_an_address_in_a_name_or_a_comment_is_no_sender() -> None:
    for name in ("address_in_name", "address_in_comment", "encoded_address"):
        assert read(name).sender == "eve@evil.example"


def test_a_header_cannot_smuggle_in_another() -> None:
    letter = read("header_injection")
    assert "\n" not in letter.subject and "\r" not in letter.subject
    reply = Reply(
        to=letter.sender,
        subject=f"Re: {letter.subject}\r\nBcc: victim@example.net",
        text="x",
        kind="notice",
        in_reply_to="<a>\r\nBcc: victim@example.net",
    )
    mail = eml(reply, "orders@host.example")
    assert not re.search(rb"(?mi)^bcc:", mail)


def test_an_answer_knows_what_it_answers() -> None:
    assert read("reply_to_receipt").references == ("<0123@pbem.invalid>", "<a@example.org>")


def test_a_bounce_says_to_whom() -> None:
    assert read("bounce_report").failed == ("ann@example.org",)
    assert read("bounce_failed_recipients").failed == ("bob@example.org",)


def test_our_own_mail_is_known_when_it_comes_back() -> None:
    mail = eml(
        Reply(to="ann@example.org", subject="s", text="GAME duel TURN 1 SIDE x\nEND\n", kind="receipt"), "a@b.example"
    )
    assert read_letter(mail).kind == "own"


def test_the_same_letter_by_another_way_is_the_same_letter() -> None:
    raw = (LETTERS / "plain.eml").read_bytes()
    other = b"Received: from there by here; today\r\nX-Spam: no\r\n" + raw
    assert read_letter(raw).digest == read_letter(other).digest
    assert read_letter(raw).digest != read_letter(raw.replace(b"SPEED 12", b"SPEED 13")).digest


# --- too much of everything ------------------------------------------------------------------------------------------


def timed(raw: bytes) -> Letter:
    began = time.monotonic()
    letter = read_letter(raw)
    # No measure of speed: what grows with the square takes minutes.
    assert time.monotonic() - began < 30
    return letter


@pytest.mark.slow
def test_a_body_of_ten_megabytes() -> None:
    letter = timed(HEAD + b"\r\n" + b"All work and no play.\r\n" * 450_000 + ORDERS)
    assert letter.kind == "unread" and "lines" in letter.unread


@pytest.mark.slow
def test_a_page_of_a_megabyte_of_open_tags() -> None:
    timed(HEAD + b"Content-Type: text/html\r\n\r\n" + b"<div" * 240_000 + ORDERS)
    timed(HEAD + b"Content-Type: text/html\r\n\r\n" + b"<!--" * 240_000 + ORDERS)
    timed(HEAD + b"Content-Type: text/html\r\n\r\n" + b"<blockquote>" * 80_000 + ORDERS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [b">" * 900_000, b" " * 900_000, b"=\n" * 400_000, b"GAME " * 190_000, b"\t>" * 400_000]
)
def test_a_megabyte_of_one_thing(text: bytes) -> None:
    timed(HEAD + b"\r\n" + text)


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"Subject", b"From", b"To", b"References", b"Content-Type", b"Message-ID"])
def test_a_header_of_megabytes(name: bytes) -> None:
    for thing in (b"(", b'"', b"<a@b> ", b"=?utf-8?b?", b"a@b.example, ", b";a=b", b"TOKEN ", b"=?utf-8?q?=0A?= "):
        timed(name + b": " + thing * (2_000_000 // len(thing)) + b"\r\n" + HEAD + b"\r\n" + ORDERS)


@pytest.mark.slow
def test_a_thousand_attachments() -> None:
    part = b'--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename="%d.txt"\r\n\r\nnothing\r\n'
    begin = HEAD + b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\n\r\n' + ORDERS
    letter = timed(begin + b"".join(part % number for number in range(MOST_MARKS - 10)) + b"--b--\r\n")
    assert letter.kind == "orders" and str(MOST_PARTS) in letter.faults[0]
    letter = timed(begin + b"".join(part % number for number in range(1000)) + b"--b--\r\n")
    assert (letter.kind, letter.unread) == ("unread", f"it has more than {MOST_MARKS} lines that may begin a part")


def test_a_thousand_letters_in_letters() -> None:
    nested = b"".join(
        b'Content-Type: multipart/mixed; boundary="b%d"\r\n\r\n--b%d\r\n' % (number, number) for number in range(1000)
    )
    letter = timed(HEAD + nested + b"\r\n" + ORDERS)
    assert letter.sender == "ann@example.org" and letter.unread


def test_a_letter_that_is_too_long_is_only_looked_at() -> None:
    letter = timed(HEAD + b"\r\n" + ORDERS + b"x" * LARGEST_LETTER)
    assert letter.sender == "ann@example.org" and letter.kind == "unread"


# --- anything at all -------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(
    ["From", "To", "Subject", "Content-Type", "Content-Transfer-Encoding", "Content-Disposition", "Message-ID",
     "References", "Auto-Submitted", "Return-Path", "X-PBEM-Token", "Date", "MIME-Version", "X-Failed-Recipients"]
)  # fmt: skip
CONTENT_TYPES = [
    *(
        b"text/plain; charset=" + name
        for name in (b"\xff", b"idna", b"unicode_escape", b"punycode", b"undefined", b"zlib")
    ),
    *(b"multipart/mixed; boundary" + said for said in (b"=b", b"*=''b", b'=""')),
    *(b"multipart/report", b"message/rfc822", b"message/delivery-status", b"message/partial"),
    *(b"text/html; charset=utf-7", b"text/plain; charset*=x''%ff"),
]
OTHERS = [
    *(b"base64", b"quoted-printable", b"uuencode", b"x-uuencode", b"<>", b"<a@b>, c@d"),
    *(b"=?utf-8?b?/w==?=", b"=?x?q?a?="),
    *(b'attachment; filename*0*="a"; filename*1=b', b'attachment; filename="a.txt'),
]
VALUES = st.one_of(
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"\n ")),
    st.sampled_from([*CONTENT_TYPES, *OTHERS]),
)
BODY = st.one_of(
    st.binary(max_size=300),
    st.lists(
        st.sampled_from(
            [b"--b\r\n", b"--b--\r\n", b"\r\n", ORDERS, b"STATUS\r\n", b"> ", b"Content-Type: text/html\r\n\r\n",
             b"<p>x", b"Content-Transfer-Encoding: base64\r\n\r\n",
             b"begin 644 x\r\n", b"=3D=\r\n", b"Content-Type: multipart/mixed; boundary=b\r\n\r\n", b"\xff\xfe"]
        ),
        max_size=12,
    ).map(b"".join),
)  # fmt: skip


@given(st.binary(max_size=2000))
def test_any_bytes_are_read(raw: bytes) -> None:
    assert read_letter(raw).size == len(raw)


@pytest.mark.slow
@settings(max_examples=200)
@given(st.lists(st.tuples(NAMES, VALUES), max_size=8), BODY)
def test_any_headers_are_read(headers: list[tuple[str, bytes]], body: bytes) -> None:
    raw = b"".join(name.encode() + b": " + value + b"\r\n" for name, value in headers) + b"\r\n" + body
    letter = read_letter(raw)
    for text in (letter.subject, letter.sender, letter.message_id, letter.date, *letter.to, *letter.references):
        assert text == "" or text.isprintable()


def test_orders_typed_beside_older_ones_that_are_quoted_whole_are_the_ones_that_count() -> None:
    quoted = b"> GAME duel TURN 1 SIDE klingon REPLY 2\n> SHIP Destruction\n> PLOT 2F\n> END\n"
    for text in (quoted + b"\nship Destruction\nplot 4f r 4f\n", b"ship Destruction\nplot 4f r 4f\n\n" + quoted):
        found = read_letter(HEAD + b"Subject: Re: duel 1.1 SITREP\n\n" + text)
        assert found.kind == "orders" and "4f r 4f" in found.text and "2F" not in found.text
    assert "2F" in read_letter(HEAD + b"\n" + quoted).text  # all that there is
