"""Parse an incoming email, and return what the host needs of it as a :class:`Letter`.

Headers and body may come from anybody, so nothing in them is trusted and the time to parse them is limited. Parsing
never raises: an email that cannot be parsed gets the kind ``unread``, with the reason.

Emails that machines wrote are detected here, because only emails from people are answered. :mod:`pbem.mail.seats`
decides which player wrote an email, and :mod:`pbem.mail.incoming.extract` finds the orders in its text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header
from email.message import Message
from pathlib import PurePath
from typing import Any, Final

import msgspec

from pbem.mail.incoming.extract import (
    LARGEST_LETTER,
    LARGEST_PAGE,
    LARGEST_TEXT,
    LONGEST_CONTENT,
    LONGEST_LINE,
    LOOKED_AT,
    MOST_CONTENT,
    MOST_HEADER_BYTES,
    MOST_PARAMETERS,
    MOST_PARTS,
    MOST_TAGS,
    MOST_TEXT,
    MOST_TEXT_LINES,
    MOST_WORK,
    ORDER_FILES,
    TABLES,
    Kind,
    Part,
    begins_with_header,
    beyond,
    chosen_text,
    what_is_read,
)
from pbem.orders.mail_text import is_whole_mail, joined, no_plain_text, plain_label, text_of
from pbem.orders.messages import ALL, UMPIRE, Message as Word
from pbem.util import regex

MOST: Final = 20_000
"""Maximum number of characters read from one header."""
MOST_ENCODED: Final = 1_000
"""Maximum number of characters read from a header with encoded words (``=?utf-8?…?=``).

The standard library's time to decode them grows with the square of the length.
"""

_ADDRESS: Final = regex(r"[^\s@<>,;:\"()\[\]\\]{1,200}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,200}[A-Za-z0-9])?")
_ID: Final = regex(r"<[^\s<>]{1,250}>")
_QUOTED: Final = regex(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<closed>"?)', re.DOTALL)
_FOLD: Final = regex(r"\r?\n(?=[ \t])")
_COMMENT: Final = regex(r"\([^()]*\)")


def header(message: Message, name: str) -> str:
    """Return the first header with this name, at most 20,000 characters; ``""`` if there is none."""
    try:
        value = message.get(name)
    except (ValueError, LookupError, IndexError, TypeError, AttributeError):
        return ""
    return "" if value is None else str(value)[:MOST]


def decoded_header(value: str) -> str:
    """Return a header's text with its encoded words (``=?utf-8?…?=``) decoded.

    The text is unchanged if decoding fails.
    """
    if "=?" not in value:
        return _FOLD.sub("", value[:MOST])
    value = _FOLD.sub("", value[:MOST_ENCODED])  # else decode_header drops the blank before a folded encoded word
    try:
        pieces = decode_header(value)
    except Exception:  # the header is malformed
        return value
    found = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            found.append(piece)
            continue
        try:
            found.append(piece.decode(plain_label(charset or "") or "utf-8"))
        except (LookupError, ValueError):
            found.append(piece.decode("cp1252", "replace"))
    return "".join(found)


def one_line(value: str) -> str:
    """Decode a header and return its text on one line, without control characters.

    The result is safe for use in a header or a sentence, and has at most 1,000 characters.
    """
    text = decoded_header(value)
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:1000]


def ids(value: str) -> tuple[str, ...]:
    """Return the Message-IDs in a header, at most 50."""
    return tuple(found for found in _ID.findall(value) if found.isascii() and found.isprintable())[:50]


def addresses(message: Message, *names: str) -> tuple[str, ...]:
    """Return the bare addresses in these headers of an email, in lower case and without duplicates.

    Quoted names and comments are removed first, because text in them is not an address.
    """
    found: list[str] = []
    for name in names:
        try:
            values = [str(value)[:MOST] for value in message.get_all(name) or ()][:50]
        except (ValueError, LookupError, IndexError, TypeError, AttributeError):
            continue
        for value in values:
            found += _in(value)
    return tuple(dict.fromkeys(found))


def _unquoted(value: str) -> str:
    """Return a header's text without the parts in quotation marks.

    A quotation mark that is never closed has no effect.
    """
    kept, start = list[str](), 0
    while (begins := value.find('"', start)) >= 0 and (quoted := _QUOTED.match(value, begins)) and quoted["closed"]:
        kept += [value[start:begins], " "]
        start = quoted.end()
    return "".join(kept) + value[start:]


def _in(value: str) -> list[str]:
    bare = _unquoted(value)
    for _ in range(5):
        bare, before = _COMMENT.sub(" ", bare), bare
        if bare == before:
            break
    addresses_found = []
    for piece in bare.split(","):
        pointed = re.findall(r"<([^<>]*)>", piece)
        words = [pointed[-1].strip()] if pointed else piece.replace(";", " ").split()
        for word in words:
            # Source routes and group names went out of use long ago.
            if _ADDRESS.fullmatch(word):
                addresses_found.append(word.lower())
    return addresses_found


OWN_HEADER: Final = "X-PBEM-Key"
"""Name of a header in every email we send, by which we recognize our own emails if we receive them."""
TOKEN_HEADER: Final = "X-PBEM-Token"
READING_FAILED: Final = "reading it failed"
"""The reason given for an email that could not be parsed because of a bug in the program."""


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    r"""The parsed contents of one incoming email.

    Attributes:
        kind: What the email is, such as orders, a command, or a bounce; ``unread`` if only its headers were read.
        digest: A hash that is the same each time this email is delivered.
        message_id: Its Message-ID with ``<>``.
        sender: One address in lower case without a name; ``""`` if there is none or more than one.
        to: All addresses it was sent or delivered to, with plus-tags (``orders+TAG@example.org``).
        text: The text of the orders or commands, with ``\n`` as line end.
        source: Which part of the email ``text`` was in.
        command: The word of one of :data:`pbem.mail.commands.EMAIL_COMMANDS` or ``""``. Orders may come
            with PREVIEW or WAIT.
        argument: The rest of the line after the command.
        references: Message-IDs with ``<>``, beginning with the email that this one answers.
        tokens: Tokens in our own token header, at most four.
        failed: Addresses to which delivery failed, if the email is a bounce.
        size: Its size in bytes.
        faults: Sentences that say which parts were not read.
        words: Messages to other people.
        said: What the sender typed, if there are neither orders nor a command.
        asked: A question typed beside orders or a command.
        barred: Whether the orders were in lines that begin with ``|``, as our own emails show orders.
        unread: Why only the headers were read, as a clause: ``reading it failed (ValueError in message.py, line 12)``.
    """

    kind: Kind
    digest: str
    message_id: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()
    subject: str = ""
    date: str = ""
    text: str = ""
    source: str = ""
    command: str = ""
    argument: str = ""
    references: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    size: int = 0
    faults: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    said: str = ""
    asked: str = ""
    barred: bool = False
    unread: str = ""


def read_letter(raw: bytes, *, person: bool = False) -> Letter:
    """Parse the bytes of an email, and return its contents. This never raises.

    If anything goes wrong, the result has the kind ``unread``, and its field ``unread`` says why.

    Args:
        raw: The bytes of the email.
        person: Whether the umpire has confirmed that a person wrote it; then it is not treated as automatic.
    """
    try:
        return _read(raw, person=person)
    except Exception as error:
        return _unread(raw, f"{READING_FAILED} ({_where(error)})", person=person)


def _where(error: Exception) -> str:
    """Return an exception's type, file and line as text; no text of the email is included."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    at = f" in {PurePath(last.tb_frame.f_code.co_filename).name}, line {last.tb_lineno}" if last is not None else ""
    return f"{type(error).__name__}{at}"


def _unread(raw: bytes, why: str, *, person: bool) -> Letter:
    """Return the contents of an email that is not parsed: only its headers, as far as possible.

    ``why`` is the reason as a clause; ``person`` is as in :func:`read_letter`.
    """
    letter = Letter(kind="unread", digest=hashlib.sha256(raw).hexdigest(), size=len(raw), unread=why)
    try:
        head = _head(raw)
        message = message_from_bytes(head if not beyond(head) else b"\r\n")
        letter = msgspec.structs.replace(letter, **_headers(message))
        kind = _kind(message, "unread")
        digest = _digest(letter, raw)
    except Exception:  # the headers cannot be parsed either
        return letter
    return msgspec.structs.replace(letter, digest=digest, kind="unread" if person else kind)


def _headers(message: Message) -> dict[str, Any]:
    """Return the fields of a :class:`Letter` that come from the headers of an email, as a dict."""
    return {
        "message_id": next(iter(ids(header(message, "Message-ID"))), ""),
        "sender": senders[0] if len(senders := addresses(message, "From")) == 1 else "",
        "to": addresses(message, "To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To"),
        "subject": one_line(header(message, "Subject")),
        "date": one_line(header(message, "Date")),
        "references": tuple(dict.fromkeys((*ids(header(message, "In-Reply-To")), *ids(header(message, "References"))))),
        "tokens": tuple(one_line(header(message, TOKEN_HEADER)).split()[:4]),
    }


def _read(raw: bytes, *, person: bool) -> Letter:
    if len(raw) > LARGEST_LETTER:
        return _unread(raw, f"it has {len(raw)} bytes; {LARGEST_LETTER} is the most that is read", person=person)
    begin, cut_off = what_is_read(raw)
    if too_much := beyond(begin):
        return _unread(raw, too_much, person=person)
    faults = [cut_off] if cut_off else []
    body = _short_headers(begin)
    message = message_from_bytes(body)
    parts = list(_parts(message, faults, whole=not cut_off))
    headers = _headers(message)
    chosen = chosen_text(parts, headers["subject"])
    faults += chosen.faults
    letter = Letter(
        kind=_kind(message, chosen.kind),
        digest="",
        **headers,
        text=chosen.text,
        source=chosen.source,
        command=chosen.command,
        argument=chosen.argument,
        failed=_failed(message),
        size=len(raw),
        faults=tuple(dict.fromkeys(faults)),
        words=chosen.words,
        said=chosen.said,
        asked=chosen.asked,
        barred=chosen.barred,
    )
    digest = _digest(letter, body)
    return msgspec.structs.replace(letter, digest=digest, kind=chosen.kind if person else letter.kind)


def text_of_mail(raw: bytes) -> str:
    """Return the orders, and the messages to people, from an order file that is a whole saved email.

    Return ``""`` if the file is not an email or has no orders.
    """
    if not is_whole_mail(raw):
        return ""
    letter = read_letter(raw, person=True)
    if (letter.kind != "orders" and letter.command != "PREVIEW") or not letter.source:
        return ""
    messages = [f"MESSAGE TO {_READERS.get(word.to, word.to)}\n{word.text}\nEND MESSAGE" for word in letter.words]
    return "\n".join([letter.text, *messages])


_READERS: Final = {ALL: "ALL", UMPIRE: "UMPIRE"}


_CONTENT: Final = regex(rb"^content-[a-z-]{1,40}[ \t]*:", re.IGNORECASE | re.MULTILINE)
_HEADER_ENDS: Final = regex(rb"\r?\n(?![ \t])|\r(?![\n \t])")
_BARE: Final = 60
"""Maximum length in bytes of a ``Content-`` header after all of them together exceed ``MOST_CONTENT``."""


def _short_headers(raw: bytes) -> bytes:
    """Return an email with very long ``Content-`` headers cut short.

    The time to parse such a header grows with the square of its length.
    """
    kept: list[bytes] = []
    start = together = 0
    for match in _CONTENT.finditer(raw):
        if match.start() < start:
            continue
        line = raw.find(b"\n", match.end(), match.start() + _BARE)
        if line > 0 and raw[line + 1 : line + 2] not in (b" ", b"\t"):
            continue  # the usual case: a short header on one line
        ends = _HEADER_ENDS.search(raw, match.end(), match.start() + LONGEST_CONTENT + 2)
        end = ends.start() if ends else -1
        most = LONGEST_CONTENT if together < MOST_CONTENT else _BARE
        whole = raw[match.start() : end if ends else match.start() + LONGEST_CONTENT]
        short = b";".join(whole[:most].split(b";")[: MOST_PARAMETERS + 1])
        together += len(short)
        if ends and len(short) == len(whole):
            continue
        if not ends:
            ends = _HEADER_ENDS.search(raw, match.start() + LONGEST_CONTENT)
            end = ends.start() if ends else len(raw)
        kept.append(raw[start : match.start()] + short.rstrip(b"\r\n"))
        start = end
    return b"".join([*kept, raw[start:]])


def _head(raw: bytes) -> bytes:
    end = re.search(rb"\r?\n\r?\n|\r\r", raw[:MOST_HEADER_BYTES])
    head = raw[: end.start() if end else MOST_HEADER_BYTES]
    # Without its Content-Type, a multipart email without its body is parsed as plain text.
    head = re.sub(rb"(?im)^content-(?:type|transfer-encoding)[ \t]*:", b"X-Was-Content:", _short_headers(head))
    return head + b"\r\n\r\n"


def _leaves(message: Message, faults: list[str]) -> Iterator[Message]:
    """Yield the parts of an email that contain no other parts, in order; an attached email is one part.

    ``faults`` is the list to which a sentence is added if the email has too many parts.
    """
    waiting = [message]
    seen = 0
    while waiting:
        part = waiting.pop(0)
        seen += 1
        if seen > MOST_PARTS:
            faults.append(f"the email has more than {MOST_PARTS} parts; the rest were not looked at")
            return
        if part.get_content_maintype() != "message" and part.is_multipart():
            inside = part.get_payload()
            if isinstance(inside, list):
                # One more than the maximum, so that the check above reports a fault.
                waiting[:0] = [child for child in inside[: MOST_PARTS + 1] if isinstance(child, Message)]
            continue
        yield part


def _parts(message: Message, faults: list[str], *, whole: bool) -> Iterator[Part]:
    """Yield the text parts of an email; emails attached to it are not opened.

    Args:
        message: The email.
        faults: The list to which sentences about parts that were not read are added.
        whole: False if the email was cut off. Then its last part is left out, because incomplete orders would be wrong.
    """
    size = work = 0
    last = None if whole else _last_part(message)
    for part in _leaves(message, faults):
        if part.get_content_maintype() == "message":
            yield from _attached_email(part, message)
            continue
        if part is last:
            continue
        name = _name(part)
        # A multipart email without a boundary or without parts counts as plain text.
        mime = "text/plain" if part.get_content_maintype() == "multipart" else part.get_content_type()
        attached = bool(name) or part.get_content_disposition() == "attachment"
        data, unread = _content(part, name, mime, attached=attached)
        if unread is not None:
            if unread:
                yield Part(name=name, mime=mime, attached=True, text="", unread=unread)
            continue
        size += len(data)
        if size <= MOST_TEXT:
            text = _decoded(part, data, mime, faults)
            work += _work(text, mime)
        if size > MOST_TEXT or work > MOST_WORK:
            faults.append("the texts of the email are too long together; the last of them were not read")
            return
        if mime == "text/plain" and not attached:
            text = _unfolded(part, text)
        yield Part(name=name, mime=mime, attached=attached, text=text)


def _last_part(message: Message) -> Any:
    """Return the last part of an email, which is incomplete if the email was cut off."""
    last: Any = message
    while last.is_multipart() and isinstance(inside := last.get_payload(), list) and inside:
        last = inside[-1]
    return last


def _attached_email(part: Message, message: Message) -> Iterator[Part]:
    """Yield an attached email as a part that is not read.

    Nothing is yielded if ``message``, the email around it, is a report of a mail system.
    """
    if part.get_content_type() == "message/rfc822" and message.get_content_type() != "multipart/report":
        yield Part(name=_name(part), mime="message/rfc822", attached=True, text="", unread=A_LETTER)


def _content(part: Message, name: str, mime: str, *, attached: bool) -> tuple[bytes, str | None]:
    """Return the bytes of a part that is read as text, or the reason why it is not read.

    The reason is ``None`` if the part is read, and ``""`` if it is left out without a fault.
    """
    if not mime.startswith("text/") and not name.lower().endswith(ORDER_FILES):
        if not attached:
            return b"", ""
        if mime.startswith(("image/", "audio/", "video/")):
            # Pictures that the HTML part shows have a Content-ID, as in signatures.
            return b"", "" if header(part, "Content-ID") else A_PICTURE
        # Mail programs send files of unknown types as application/octet-stream.
        data = _data(part)
        if len(data) > LARGEST_TEXT or not begins_with_header(text_of(data[:LOOKED_AT])):
            return data, _beside(name) or no_plain_text(data) or UNKNOWN
    data = _data(part)
    if attached and (unread := no_plain_text(data)):
        return data, unread
    if attached and mime == "text/html":
        data = data[:LOOKED_AT]  # a saved page is only looked at to name it in a fault; it is not read
    return data, None


def _unfolded(part: Message, text: str) -> str:
    """Return the text of a part with the line breaks removed that ``format=flowed`` added."""
    return joined(text, delsp=_says(part, "delsp") == "yes") if _says(part, "format") == "flowed" else text


def _name(part: Message) -> str:
    return one_line((part.get_filename() or "")[:_LONGEST_NAME])[:200]


_LONGEST_NAME: Final = 300


def _says(part: Message, parameter: str) -> str:
    """Return the value of a parameter of a part's Content-Type header, such as ``charset``, in lower case."""
    try:
        value = part.get_param(parameter)
    except (ValueError, LookupError, TypeError, AttributeError):
        return ""
    return value.strip().lower() if isinstance(value, str) else ""


UNKNOWN: Final = "is no plain text: put the orders into the text of the email, or into a file that ends in .txt"
"""The reason given for not reading an attached file of an unknown format."""
A_PICTURE: Final = "is a picture, a sound or a film: write the orders as text"
A_LETTER: Final = "is a whole email: copy the text of its orders into yours"


A_TABLE: Final = "is a VASSAL save, which has no orders: write them as text"
A_SHEET: Final = (
    "is a spreadsheet: copy the orders into the text of the email, or save them as plain text, a file that ends in .txt"
)
A_LOCK: Final = "is only what lies beside a document that is still open: save that as plain text, and attach it"
A_SHORTCUT: Final = "only says where a file lies on your machine: attach that file itself"


def _beside(name: str) -> str:
    """Return, as a clause, why a file with this name is not what its sender meant to attach; else ``""``.

    Such files are spreadsheets, lock files of an open document, shortcuts, and saved games of VASSAL.
    """
    name = name.lower()
    if name.startswith(("~$", ".~lock.")):
        return A_LOCK
    if name.endswith(TABLES):
        return A_SHEET
    return A_SHORTCUT if name.endswith((".lnk", ".url")) else A_TABLE if name.endswith((".vsav", ".vlog")) else ""


def _data(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _decoded(part: Message, data: bytes, mime: str, faults: list[str]) -> str:
    """Return a part's content as text, even if its declared character set is wrong.

    If the text is too long, return ``""`` and add a sentence to ``faults``. ``mime`` is the part's MIME type.
    """
    most = LARGEST_PAGE if mime == "text/html" else LARGEST_TEXT
    if len(data) > most:
        faults.append(f"a text of {len(data)} bytes was left unread; {most} is the most")
        return ""
    try:
        charset = part.get_content_charset() or ""
    except (LookupError, ValueError, TypeError):
        charset = ""
    text = text_of(data, charset)
    return "" if _unwieldy(text, mime, faults) else text


def _work(text: str, mime: str) -> int:
    """Return the cost of reading a text: its number of lines, or of tags and entities in an HTML page."""
    if mime == "text/html":
        return max(text.count("<"), text.count("&"))
    return text.count("\n") + text.count("\r") - text.count("\r\n") + 1


def _unwieldy(text: str, mime: str, faults: list[str]) -> bool:
    """Return whether a text is too long for orders; if so, add a sentence to ``faults``.

    It is too long if it has too many lines, too many HTML tags, or too long a line.
    """
    work, page = _work(text, mime), mime == "text/html"
    if page and work > MOST_TAGS:
        faults.append(f"a page of {work} tags was left unread; {MOST_TAGS} is the most")
    elif not page and work > MOST_TEXT_LINES:
        faults.append(f"a text of {work} lines was left unread; {MOST_TEXT_LINES} is the most")
    elif not page and (longest := max(map(len, text.splitlines()), default=0)) > LONGEST_LINE:
        faults.append(f"a text with a line of {longest} characters was left unread; {LONGEST_LINE} is the most")
    else:
        return False
    return True


_AUTO_SENDERS: Final = regex(r"(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+=-].*)?@")
_DAEMON: Final = regex(r"(?:mailer-daemon|postmaster)@|^\s*(?:mailer-daemon|postmaster)\b", re.IGNORECASE)


def _kind(message: Message, of_text: Kind) -> Kind:
    """Return the kind of an email: who or what wrote it, or what its text is.

    The kind is ``bounce`` if a mail system wrote the email, ``auto`` if another machine wrote it, and ``own`` if this
    program wrote it. If a person wrote it, the result is ``of_text``, the kind of the text.
    """
    returns = header(message, "Return-Path").strip()
    content = message.get_content_type()
    sender = header(message, "From")
    if content == "multipart/report" or header(message, "X-Failed-Recipients") or _DAEMON.search(sender):
        return "bounce"
    if message.get(OWN_HEADER) is not None or any(
        "@pbem.invalid>" in one for one in ids(header(message, "Message-ID"))
    ):
        return "own"
    if returns == "<>":
        return "bounce"
    automatic = _is_automatic(message) or any(_AUTO_SENDERS.match(one) for one in addresses(message, "From"))
    return "auto" if automatic else of_text


def _is_automatic(message: Message) -> bool:
    submitted = header(message, "Auto-Submitted").partition(";")[0].strip().lower()
    precedence = header(message, "Precedence").strip().lower()
    suppress = header(message, "X-Auto-Response-Suppress").strip().lower()
    return (
        submitted not in ("", "no")
        or precedence in ("bulk", "junk", "list", "auto_reply")
        # People who use Outlook send this header too; an automatic answer also has such a subject.
        or (suppress == "all" and header(message, "Subject").lower().startswith(("automatic", "auto:")))
        or any(
            message.get(name) is not None
            for name in (
                "X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From", "X-Mail-Autoreply",
                "List-Id", "List-Unsubscribe", "Feedback-ID", "X-Loop",
            )
        )
    )  # fmt: skip


_RECIPIENT: Final = regex(r"(?<![^\s<>;])[^\s<>;]+@[A-Za-z0-9.-]+")
_LONGEST_RECIPIENT: Final = 500


def _failed(message: Message) -> tuple[str, ...]:
    failed = list(addresses(message, "X-Failed-Recipients"))
    if message.get_content_type() == "multipart/report":
        for part in list(message.walk())[:MOST_PARTS]:
            if part.get_content_type() == "message/delivery-status":
                for block in list(part.walk())[:MOST_PARTS]:
                    if header(block, "Action").strip().casefold() not in ("", "failed"):
                        continue  # the email is only delayed, or was delivered
                    recipient = re.sub(r"^\s*[\w-]+\s*;", "", header(block, "Final-Recipient"))
                    match = _RECIPIENT.search(recipient[:_LONGEST_RECIPIENT])
                    if match:
                        failed.append(match[0].lower())
    return tuple(dict.fromkeys(failed))


def _digest(letter: Letter, body: bytes) -> str:
    """Return a hash that identifies an email, made only from parts that do not change in transit.

    So a copy that is delivered again has the same hash, though mail servers add headers on the way. ``body`` is the
    email in bytes; it is used only if the email has neither a Message-ID nor a text.
    """
    data = msgspec.json.encode(
        [letter.message_id, letter.sender, letter.subject, letter.date, letter.text, letter.kind]
        + [word for message in letter.words for word in (message.to, message.text)]
    )
    digest = hashlib.sha256(data)
    if not letter.message_id and not letter.text:
        digest.update(body)
    return digest.hexdigest()
