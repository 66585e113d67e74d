"""Compose emails as bytes, and split such emails into their parts again.

Many of our emails differ only in their contents. For each kind of email, Python's email library writes an email with
placeholders once (:func:`_frame`). That frame is cached, and this module inserts the contents. The library is slow
to import and processes every line several times, which took a fifth of the time that a host needs for a turn.
"""

from __future__ import annotations

import hashlib
import re
import textwrap
from binascii import a2b_base64, a2b_qp, b2a_base64, b2a_qp
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from pbem.data.cache import cached
from pbem.util import regex

if TYPE_CHECKING:
    from email.message import EmailMessage


class Attachment(NamedTuple):
    """A file to attach to an email: its name, its content, and its MIME type (default ``text/plain``).

    Text content is sent as UTF-8.
    """

    name: str
    content: str | bytes
    subtype: str = "plain"
    maintype: str = "text"

    @property
    def data(self) -> bytes:
        """The content of the file as bytes."""
        return self.content.encode("utf-8") if isinstance(self.content, str) else self.content


class Enclosed(NamedTuple):
    """A file found attached to an email: its name, its MIME type, and its content."""

    name: str
    mime: str
    content: bytes


class MailParts(NamedTuple):
    """The parts of an email that :func:`composed` made, as :func:`taken_apart` returns them.

    ``pictures`` are the pictures that the HTML summary shows, each as Content-ID, file name and content.
    """

    subject: str
    text: str
    summary: str
    pictures: tuple[tuple[str, str, bytes], ...]
    attachments: tuple[Enclosed, ...]


# --- compose ---------------------------------------------------------------------------------------------------------


def composed(
    identity: str,
    headers: Iterable[tuple[str, object]],
    *,
    text: str,
    html_summary: str = "",
    pictures: Iterable[tuple[str, str, bytes]] = (),
    attachments: Iterable[Attachment] = (),
) -> bytes:
    """Return an email as bytes, made of headers, the text, an optional HTML summary, and attachments.

    Args:
        identity: A unique word for the boundaries between parts: at most 40 letters, digits, ``.`` and ``-``.
        headers: Names and values, in this order; headers with an empty value are left out.
        text: The plain text.
        html_summary: The same content as HTML, in ASCII, or empty.
        pictures: PNG files that the summary shows: Content-ID, file name, content.
        attachments: Files to attach.
    """
    shown = tuple(pictures) if html_summary else ()
    bodies = [_in_lines(text, "utf-8"), *([_in_lines(html_summary, "us-ascii")] if html_summary else [])]
    bodies += [_base64(png) for _, _, png in shown]
    kinds: list[tuple[str, str, str, str]] = []
    for one in attachments:
        # The content is bytes: with other line ends, a page's security hash of its style would not match.
        carried, body = _carried(one.data, as_text=one.maintype == "text")
        kinds.append((one_line(one.name), one.maintype, one.subtype, carried))
        bodies.append(body)
    frame = _framed(identity, bool(html_summary), [(cid, one_line(name)) for cid, name, _ in shown], kinds)
    pieces = [piece.encode("ascii") for piece in frame.split(_CONTENT)]
    whole = [_header(name, value).encode("ascii") for name, value in headers if value]
    for piece, body in zip(pieces, bodies, strict=False):
        whole += [piece, body.replace(b"\n", b"\r\n")]
    return b"".join([*whole, pieces[-1]])


_CID = regex(r"[A-Za-z0-9.@-]{1,60}")
_NAME = regex(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,59}")
_NAMED = regex(r'(?<=[ \t])filename="x+"')
_CONTENT = "\0"


def _framed(
    identity: str, summary: bool, pictures: Sequence[tuple[str, str]], kinds: Sequence[tuple[str, str, str, str]]
) -> str:
    """Return an email with placeholders for its contents, made from a cached frame where names are simple.

    ``pictures`` are pairs of Content-ID and file name. ``kinds`` has file name, main type, subtype and transfer
    encoding of each attachment.
    """
    plain = [*(name for _, name in pictures), *(name for name, *_ in kinds)]
    if not (all(_CID.fullmatch(cid) for cid, _ in pictures) and all(map(_NAME.fullmatch, plain))):
        return _frame(identity, summary, tuple(pictures), tuple(kinds))
    # The cached frame has placeholders of the same length in place of ids and names.
    known = tuple(("x" * len(cid), "x" * len(name)) for cid, name in pictures)
    alike = tuple(("x" * len(name), *kind) for name, *kind in kinds)
    frame = _kept_frame("x" * len(identity), summary, known, alike)
    frame = frame.replace(f"=_{'x' * len(identity)}_", f"=_{identity}_")
    for (before, _), (cid, _) in zip(known, pictures, strict=True):
        frame = frame.replace(f"\r\nContent-ID: <{before}>", f"\r\nContent-ID: <{cid}>", 1)
    named = iter(plain)
    return _NAMED.sub(lambda _: f'filename="{next(named)}"', frame)


@lru_cache(maxsize=256)
def _kept_frame(
    identity: str,
    summary: bool,
    pictures: tuple[tuple[str, str], ...],
    attached: tuple[tuple[str, str, str, str], ...],
) -> str:
    """Return an email with placeholders as :func:`_frame` does, from a cache.

    The frame is the same for all emails of one kind, because it depends only on these arguments and the email library.
    """
    told = hashlib.sha256(repr((identity, summary, pictures, attached)).encode()).hexdigest()[:32]
    return cached(f"frame-{told}", lambda: _frame(identity, summary, pictures, attached), str.encode, bytes.decode)


@lru_cache(maxsize=256)
def _frame(
    identity: str,
    summary: bool,
    pictures: tuple[tuple[str, str], ...],
    attached: tuple[tuple[str, str, str, str], ...],
) -> str:
    """Return an email as Python's library writes it, with a placeholder for each of its contents.

    Args:
        identity: The unique word for the boundaries between parts.
        summary: Whether there is an HTML summary.
        pictures: Content-ID and file name of each picture.
        attached: File name, main type, subtype and transfer encoding of each attachment.
    """
    from email.message import EmailMessage
    from email.policy import SMTP

    message = EmailMessage(policy=SMTP)
    message.set_content("", charset="utf-8", cte="quoted-printable")
    if summary:
        message.add_alternative("", subtype="html", charset="us-ascii", cte="quoted-printable")
        html = message.get_body(("html",))
        assert isinstance(html, EmailMessage)
        for cid, name in pictures:
            html.add_related(b"", maintype="image", subtype="png", cid=f"<{cid}>", filename=name, disposition="inline")
    for name, maintype, subtype, carried in attached:
        params = {"charset": "utf-8"} if maintype == "text" else {}
        message.add_attachment(b"", maintype=maintype, subtype=subtype, params=params, filename=name)
        part = list(message.iter_attachments())[-1]
        if carried != "base64":
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = carried
    boundaries = 0
    for part in message.walk():
        if part.is_multipart():
            # No part contains this boundary: "=_" never occurs in quoted-printable; see also _goes_as_it_is.
            part.set_boundary(f"=_{identity}_{boundaries}")
            boundaries += 1
        else:
            part.set_payload(_CONTENT)
    return bytes(message).decode("ascii")


def _in_lines(text: str, charset: str) -> bytes:
    """Return a text as quoted-printable lines, exactly as the library's ``email.quoprimime`` does."""
    lines = text.encode(charset).splitlines()
    coded = _escaped(b"\n".join(lines)).split(b"\n")
    for place, line in enumerate(coded):
        if line.endswith((b" ", b"\t")):  # the library encodes such lines in a special way
            from email.quoprimime import body_encode

            coded[place] = body_encode(lines[place].decode("latin-1"), _LONGEST).encode("ascii")
        elif len(line) > _LONGEST:
            coded[place] = b"=\n".join(_pieces(line))
    return b"\n".join([*coded, b""])


def _pieces(line: bytes) -> Iterator[bytes]:
    """Yield a long quoted-printable line in pieces that leave space for the soft line break.

    No piece ends inside a code such as ``=3D``.
    """
    start, most = 0, _LONGEST - 1
    while len(line) - start > _LONGEST:
        code = line.find(b"=", start + most - 2, start + most)
        stop = code if code >= 0 else start + most
        yield line[start:stop]
        start = stop
    yield line[start:]


_LONGEST = 78
"""Maximum length of an encoded line of text, in characters."""


def _escaped(signs: bytes) -> bytes:
    """Return bytes with ``=``, control characters and non-ASCII bytes replaced by quoted-printable codes.

    Line ends and tabs are not replaced.
    """
    signs = signs.replace(b"=", b"=3D")
    for sign in sorted(set(signs.translate(None, _PLAIN_SIGNS))):
        signs = signs.replace(bytes((sign,)), b"=%02X" % sign)
    return signs


def _base64(data: bytes) -> bytes:
    """Return data as base64 lines, with the same result as ``base64.encodebytes`` but faster."""
    return b"\n".join([*_BASE64_LINE.findall(b2a_base64(data, newline=False)), b""])


_BASE64_LINE = regex(rb".{1,76}")


def _carried(data: bytes, *, as_text: bool) -> tuple[str, bytes]:
    """Return the name of the transfer encoding chosen for an attachment, and its encoded bytes.

    A page in short ASCII lines is sent unchanged. Other text is sent in quoted-printable if that is shorter than
    base64: quoted-printable adds about a tenth to the size of a text, and base64 a third.
    """
    if as_text:
        if _goes_as_it_is(data):
            return "7bit", data
        coded = _quoted(data)
        if len(coded) * 3 < len(data) * 4:
            return "quoted-printable", coded
    return "base64", _base64(data)


def _goes_as_it_is(data: bytes) -> bool:
    """Return whether an attachment is a page that mail programs never change (RFC 5322, 2.1.1).

    The page must be ASCII in lines of at most 990 characters. No line may end with a space, look like the start of
    another email, or look like a boundary.
    """
    if not data.startswith(b"<") or data.translate(None, _SAFE_SIGNS) or data.endswith((b" ", b"\t")):
        return False
    return not _CHANGED(data) and max(map(len, data.split(b"\n"))) <= 990


_SAFE_SIGNS = bytes((9, 10, *range(0x20, 0x7F)))
_CHANGED = regex(rb"\n(?:(?<=[ \t]\n)|From |--)").search
"""Search for a line end or line start that mail programs may change, or that looks like a boundary."""


def _quoted(data: bytes) -> bytes:
    """Return data in quoted-printable, with the same result as ``b2a_qp(data, istext=False)`` but faster."""
    if b"\r" in data or data[:1] == b"." or data[-1:] in (b" ", b"\t"):
        return b2a_qp(data, istext=False)  # special cases are left to the library
    signs = _escaped(data).replace(b"\n", b"=0A")
    lines = _QUOTED_LINE.findall(signs)
    rest = signs[sum(map(len, lines)) :]
    return b"=\n".join([*lines, rest] if rest else lines)


_PLAIN_SIGNS = bytes((9, 10, *range(0x20, 0x7F)))
_QUOTED_LINE = regex(rb".{73}(?:[^=]{2}(?:[^=](?==0A|\Z))?|[^=](?==)|(?==))", re.DOTALL)
"""Pattern for one quoted-printable line of 75 characters, or fewer where a code must not be split.

It has 76 characters if a line of the text ends there.
"""


def _header(name: str, value: object) -> str:
    """Return a header of an email with its line end.

    A header of plain characters is folded between words here. The library might put only its name on the first
    line, which some programs take for an empty header. All other headers are folded by the library.
    """
    line = f"{name}: {value}"
    if _plain(name, line):
        if len(line) <= _LONGEST:
            return f"{line}\r\n"
        lines = textwrap.wrap(line, _LONGEST, subsequent_indent=" ", break_long_words=False, break_on_hyphens=False)
        if max(map(len, lines)) <= _LONGEST and lines[0] != f"{name}:":
            return "\r\n".join(lines) + "\r\n"
    from email.policy import SMTP

    return str(SMTP.fold(*SMTP.header_store_parse(name, value)))


def _plain(name: str, line: str) -> bool:
    form = _PLAIN.get(name, _WORDS if name.startswith("X-") else None)
    return form is not None and form.fullmatch(line, len(name) + 2) is not None


_WORDS = regex(r"(?!.*=\?)[!-~]+( [!-~]+)*")
_ADDRESS = regex(r"([A-Za-z0-9]+ )*<[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*>"
                      r"|[A-Za-z0-9_+-]+(\.[A-Za-z0-9_+-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")  # fmt: skip
_PLAIN = {
    **dict.fromkeys(("Subject", "In-Reply-To", "References", "Auto-Submitted"), _WORDS),
    **dict.fromkeys(("From", "To", "Reply-To"), _ADDRESS),
    "Message-ID": regex(r"<[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*>"),
    "Date": regex(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000"),
}
"""Patterns of header values that need no encoding, by header name."""


def reader_of(mail: bytes) -> str:
    """Return the address in the To header of an email, or an empty text if there is none."""
    from email.parser import BytesHeaderParser
    from email.policy import default

    head = mail.partition(b"\r\n\r\n")[0] + b"\r\n"
    found = _TO.findall(head)
    if len(found) == 1 and _ADDRESS.fullmatch(address := found[0].decode("ascii", "replace")):
        return str(address).rpartition("<")[2].rstrip(">")
    to = BytesHeaderParser(policy=default).parsebytes(head)["To"]
    return str(to.addresses[0].addr_spec) if to is not None and to.addresses else ""


_TO = regex(rb"^To: (.*)\r\n(?![ \t])", re.MULTILINE)


# --- take apart ------------------------------------------------------------------------------------------------------


def taken_apart(mail: bytes) -> MailParts:
    """Return the parts of an email that :func:`composed` made.

    Raises:
        ValueError: The email was not made by :func:`composed`.
    """
    subject = _SUBJECT.search(mail.partition(b"\r\n\r\n")[0])
    texts = {"text/plain": "", "text/html": ""}
    pictures: list[tuple[str, str, bytes]] = []
    attachments: list[Enclosed] = []
    for head, body in _parts(mail):
        cid = _CONTENT_ID.search(head)
        known = _read_head(_CONTENT_ID.sub(b"", head, 1))
        content = _DECODED.get(known.carried, bytes)(body)
        if cid is not None and known.mime.startswith("image/"):
            pictures.append((cid[1].decode("ascii"), known.name or "picture.png", content))
        elif known.attached:
            attachments.append(Enclosed(known.name or "attachment", known.mime, content))
        else:
            texts[known.mime] = content.decode(known.charset, "replace").replace("\r\n", "\n")
    return MailParts(
        subject=_subject(subject[0]) if subject is not None else "",
        text=texts["text/plain"],
        summary=texts["text/html"],
        pictures=tuple(pictures),
        attachments=tuple(attachments),
    )


_DECODED: Final[Mapping[str, Callable[[bytes], bytes]]] = {
    "quoted-printable": a2b_qp,
    "base64": a2b_base64,
    # A part sent unchanged has no CR except in line ends. Replacing CRLF pairs would take 30 times as long.
    "7bit": lambda body: body.replace(b"\r", b""),
}


def _parts(mail: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the headers and the body of each leaf part of an email; multipart containers are skipped."""
    head, empty, body = mail.partition(b"\r\n\r\n")
    if not empty:
        raise ValueError("this email is not one of ours")
    found = _BOUNDARY.search(head)
    if found is None:
        yield _OTHERS.sub(b"", head + b"\r\n"), body
        return
    pieces = (b"\r\n" + body).split(b"\r\n--" + found[1])
    if len(pieces) < 3 or pieces[-1] not in (b"--\r\n", b"--"):
        raise ValueError("this email is not one of ours")
    for piece in pieces[1:-1]:
        yield from _parts(piece.removeprefix(b"\r\n"))


_SUBJECT = regex(rb"^Subject:.*(?:\r?\n[ \t].*)*", re.MULTILINE)
_BOUNDARY = regex(rb'^Content-Type: multipart/[a-z]+;\s*boundary="([^"]+)"', re.MULTILINE)
_CONTENT_ID = regex(rb"^Content-ID: <([!-~]+)>\r\n", re.MULTILINE)
_OTHERS = regex(rb"^(?!Content-|MIME-)[!-9;-~]+:.*\r\n(?:[ \t].*\r\n)*", re.MULTILINE)
"""Names of headers that say nothing about the content of the email."""


class _Head(NamedTuple):
    """The properties of an email part as its headers give them: MIME type, charset, encoding, file name.

    ``attached`` is true for an attachment.
    """

    mime: str
    charset: str
    carried: str
    name: str
    attached: bool


@lru_cache(maxsize=256)
def _read_head(head: bytes) -> _Head:
    message = _message(head)
    return _Head(
        mime=message.get_content_type(),
        charset=message.get_content_charset("ascii"),
        carried=str(message["Content-Transfer-Encoding"] or ""),
        name=message.get_filename() or "",
        attached=message.is_attachment(),
    )


def _subject(line: bytes) -> str:
    value = line.partition(b": ")[2].decode("ascii", "replace").replace("\r\n", "").rstrip("\r")
    return value if _WORDS.fullmatch(value) else str(_message(line)["Subject"])


def _message(head: bytes) -> EmailMessage:
    from email import message_from_bytes
    from email.message import EmailMessage
    from email.policy import default

    message = message_from_bytes(head.rstrip() + b"\r\n\r\n", policy=default)
    assert isinstance(message, EmailMessage)
    return message


# --- headers ---------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def address_header(text: str) -> object:
    """Return an address (``Name <name@example.org>`` or a bare address) encoded for a header.

    The result is ``None`` if the text contains no valid address.
    """
    line = one_line(text)
    if len(line) <= 60 and line[:1] != "<" and _ADDRESS.fullmatch(line):
        return line  # the library would write the same

    found = re.fullmatch(r"(?:(.*)<)?([!#-'*+\--9=?A-Z^-~]+@[A-Za-z0-9.-]+)>?", line)
    if found is None:
        return None

    from email.errors import MessageError
    from email.headerregistry import Address

    try:
        return Address(display_name=(found[1] or "").strip(' "'), addr_spec=found[2])
    except (ValueError, MessageError):
        return None


def one_line(value: str) -> str:
    """Return the text of a header on one line, without control characters."""
    return " ".join("".join(char if char.isprintable() else " " for char in value).split())
