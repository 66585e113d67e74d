"""Mails as bytes, held against those that Python's library writes of the same, header by header and line by line."""

from __future__ import annotations

import re
from base64 import encodebytes
from binascii import b2a_qp
from email import message_from_bytes
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP, default
from email.quoprimime import body_encode
from random import Random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from pbem.reports.mail.mime import (
    Attachment,
    _in_lines,
    _quoted,
    address_header,
    composed,
    one_line,
    reader_of,
    taken_apart,
)


def by_the_library(
    identity: str,
    headers: list[tuple[str, object]],
    *,
    text: str,
    html_summary: str,
    pictures: list[tuple[str, str, bytes]],
    attachments: list[Attachment],
) -> bytes:
    """The same mail, all of it written by the library."""
    message = EmailMessage(policy=SMTP)
    for header, value in headers:
        if value:
            message[header] = value
    message.set_content(text, charset="utf-8", cte="quoted-printable")
    if html_summary:
        message.add_alternative(html_summary, subtype="html", charset="us-ascii", cte="quoted-printable")
        summary: Any = message.get_body(("html",))
        for cid, name, png in pictures:
            summary.add_related(
                png, maintype="image", subtype="png", cid=f"<{cid}>", filename=one_line(name), disposition="inline"
            )
    for one in attachments:
        kind = one.maintype
        message.add_attachment(
            b"",
            maintype=kind,
            subtype=one.subtype,
            params={"charset": "utf-8"} if kind == "text" else {},
            filename=one_line(one.name),
        )
        part = list(message.iter_attachments())[-1]
        coded = b2a_qp(one.data, istext=False)
        if kind == "text" and len(coded) * 3 < len(one.data) * 4:
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "quoted-printable"
            part.set_payload(coded.decode("ascii"))
        else:
            part.set_payload(encodebytes(one.data).decode("ascii"))
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"=_{identity}_{number}")
    return bytes(message)


letters = st.text(alphabet="aZ09 .,;:=?_-<>@\"'()\\\téß漢🚀\u202e\x7f", max_size=90)
lines = st.lists(
    st.sampled_from(
        ["", "SHIP Con", "  3 hits ", "=_abc", "From me", "a\tb\t", "né" * 45, "x" * 200, ".", "a\rb\x0bc"]
    ),
    max_size=6,
).map("\n".join)
players = st.sampled_from(
    ["ann@example.org", "Ann <ann@example.org>", "Jörg M. <joerg.m@example.org>", "<a+b@x-y.example>", '"A, B" <a@b.c>',
     "Ann " * 25 + "<ann@example.org>", "x" * 80 + "@example.org", "A.B <a@b.c>", "!#$%@example.org", "nobody"]
)  # fmt: skip
named = st.sampled_from(["sitrep.html", "orders.html", "ann.r1.orders", "Ü.orders", "a=_b", 'a"b', "l" * 90, "x y.txt"])
attached = st.builds(
    Attachment,
    named,
    st.one_of(lines, lines.map(lambda text: text * 30), st.binary(max_size=90)),
    st.sampled_from(["html", "plain", "octet-stream"]),
    st.sampled_from(["text", "text", "application"]),
)
shown = st.tuples(
    st.sampled_from(["map.duel01.n3@pbem.invalid", "a b@c", "m" * 70]), named, st.binary(min_size=1, max_size=90)
)
mails = st.fixed_dictionaries(
    {
        "headers": st.tuples(players, players, letters, letters).map(
            lambda words: [
                ("From", address_header(words[0])),
                ("To", address_header(words[1])),
                ("Subject", one_line(words[2])),
                ("Date", "Thu, 19 Nov 2026 08:00:00 +0000"),
                ("Message-ID", "<duel01.2.9.r2.klingon.n12@pbem.invalid>"),
                ("X-PBEM-Key", "0a" * 16),
                ("X-PBEM-Other", one_line(words[3])),
                ("References", "<" + "a" * 32 + "@host.example> <" + "b" * 32 + "@host.example>"),
                ("Auto-Submitted", "auto-generated"),
            ]
        ),
        "text": lines,
        "html_summary": st.sampled_from(["", "<p>x", "<p>long" * 60 + "\n\n<p>=\n"]),
        "pictures": st.lists(shown, max_size=2),
        "attachments": st.lists(attached, max_size=3),
    }
)


@given(st.sampled_from(["duel01.2.9.r2.klingon.n12", "0a" * 20, "a"]), mails)
@pytest.mark.slow
def test_every_mail_is_the_one_the_library_writes(identity: str, mail: dict[str, Any]) -> None:
    """But for where its headers are folded."""
    assert unfolded(composed(identity, **mail)) == unfolded(by_the_library(identity, **mail))


def unfolded(mail: bytes) -> bytes:
    head, end, rest = mail.partition(b"\r\n\r\n")
    return re.sub(rb"\r\n[ \t]", b" ", head) + end + rest


@pytest.mark.parametrize("words", [70, 74, 76, 78, 160])
def test_a_long_header_has_words_beside_its_name(words: int) -> None:
    """The library writes ``Subject:`` alone in its first line where all the rest fits into the second one."""
    subject = ("duel01 1.0 your orders have faults and nothing was filed " * 5)[:words].strip()
    mail = composed("a", [("Subject", subject), ("References", "<" + "a" * 40 + "@x> <" + "b" * 40 + "@x>")], text="t")
    lines = mail.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert not [line for line in lines if line.rstrip().endswith(b":") or len(line) > 78]
    assert str(message_from_bytes(mail, policy=default)["Subject"]) == subject


addresses = st.builds(
    "{}{}{}@{}{}".format,
    st.sampled_from(["", "Ann ", "Ann", "Ann B2  ", '"A" ', "É ", "A, B ", "x@y "]),
    st.sampled_from(["", "<"]),
    st.text(alphabet="ab1._+-", min_size=1, max_size=5),
    st.text(alphabet="ab1.-", min_size=1, max_size=5),
    st.sampled_from(["", ">"]),
)


@given(addresses)
def test_plain_addresses_are_written_as_the_library_writes_them(text: str) -> None:
    """And what the library takes for none is none: a domain that begins with a dot it refuses as it refuses nothing
    else.
    """
    found = re.fullmatch(r"(?:(.*)<)?([^<>]*?)>?", one_line(text))
    assert found is not None
    try:
        wanted: object = Address(display_name=(found[1] or "").strip(' "'), addr_spec=found[2])
    except (ValueError, MessageError):
        wanted = None
    assert str(address_header(text)) == str(wanted)


@given(mails)
@pytest.mark.slow
def test_a_mail_is_taken_apart_as_the_library_does(mail: dict[str, Any]) -> None:
    mail["pictures"] = [one for one in mail["pictures"] if " " not in one[0] and len(one[0]) < 60]
    whole = composed("duel01", **mail)
    found, message = taken_apart(whole), message_from_bytes(whole, policy=default)
    assert isinstance(message, EmailMessage)
    text, page = message.get_body(("plain",)), message.get_body(("html",))
    to = message["To"]
    assert reader_of(whole) == (to.addresses[0].addr_spec if to else "")
    assert found.subject == str(message["Subject"] or "")
    assert found.text == (text.get_content().replace("\r\n", "\n") if text else "")
    assert found.summary == (page.get_content().replace("\r\n", "\n") if page else "")
    assert [one[2] for one in found.pictures] == [png for _, _, png in mail["pictures"] if mail["html_summary"]]
    assert [one.content for one in found.attachments] == [one.data for one in mail["attachments"]]
    assert [(one.name, one.mime) for one in found.attachments] == [
        (part.get_filename(), part.get_content_type()) for part in message.iter_attachments()
    ]


@pytest.mark.parametrize("cut", [60, 200, -3])
def test_a_mail_that_was_cut_off_is_none_of_ours(cut: int) -> None:
    whole = composed("a", [("Subject", "x")], text="t", attachments=[Attachment("a.txt", "a")])
    with pytest.raises(ValueError, match="not one of ours"):
        taken_apart(whole[:cut])


@pytest.mark.parametrize(
    "signs", [b"abc", b"ab\n", b"=", b"a=\n", b"ab \t=\n", b".\n\0a", b"a\r\n", b"a\xe2\x80\x93<>="]
)
def test_pages_are_quoted_as_the_library_quotes_them_wherever_a_line_ends(signs: bytes) -> None:
    drawn = Random(repr(signs))
    for length in (*range(4), *range(70, 82), *range(146, 158), *(drawn.randrange(1000) for _ in range(200))):
        data = bytes(drawn.choice(signs) for _ in range(length))
        assert _quoted(data) == b2a_qp(data, istext=False), data


@pytest.mark.parametrize("signs", ["ab", "é", "aé=", "a é\t", "=\n", "ab\n \r"])
def test_texts_are_quoted_as_the_library_quotes_them_wherever_a_line_is_broken(signs: str) -> None:
    drawn = Random(repr(signs))
    for length in (*range(4), *range(22, 28), *range(74, 82), *range(150, 158), 400):
        text = "".join(drawn.choice(signs) for _ in range(length))
        lines = b"\n".join(text.encode().splitlines()).decode("latin-1")
        assert _in_lines(text, "utf-8") == body_encode(f"{lines}\n", 78).encode(), text
