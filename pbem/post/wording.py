"""Which of a letter's words are its orders: the body, a page, or a file; what was typed, not what was quoted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from pbem.orders.header import is_header
from pbem.orders.mail import attribution, html_to_text, is_broken, order_text
from pbem.orders.messages import Message, messages_in, without_messages

if TYPE_CHECKING:
    from pbem.post.letters import Kind

_QUOTED: Final = re.compile(r"[ \t]{0,3}(?:[\w.]{0,3})>(?!=)")
_END: Final = re.compile(r"\s*END\b", re.IGNORECASE)
_LEFT_OVER: Final = re.compile(r"(?<![<>!])=(?:20$|A0|C2=|E2=|3D)", re.MULTILINE)
"""Quoted-printable nobody undid; ``<=20`` is a condition."""
_BELOW: Final = re.compile(
    r"-{2,}\s*(?:original message|forwarded message|urspr\w+ nachricht|message d'origine)|_{20,}\s*$"
    r"|(?:from|von|de|van|da|fra): .*[@<]"
    r"|.{0,200}\b(?:wrote|writes|schrieb|a écrit|escribió|schreef|ha scritto)\b.{0,80}:\s*$",
    re.IGNORECASE,
)
"""A line below which a mail program puts the letter that is answered."""

COMMANDS: Final = ("HELP", "STATUS", "RESEND", "PREVIEW", "WAIT", "WITHDRAW", "DRAFT")
_COMMAND: Final = re.compile(rf"\s*(?P<word>{'|'.join(COMMANDS)})\b[ :]*(?P<rest>[^#]*)", re.IGNORECASE)
_ARGUMENT: Final = re.compile(r"|\d{1,4}|\d{1,3}\.\d{1,4}|OFF|ON|LAST", re.IGNORECASE)
_FRONT: Final = re.compile(
    r"^(?:(?:re|aw|sv|fwd?|wg|tr|antw)\s*(?:\[\d+\])?\s*:\s*|\[[^\]]{0,40}\]\s*)+", re.IGNORECASE
)
_TOKEN_LINE: Final = re.compile(r"\s*TOKEN[\s:=]+([A-Za-z0-9]{1,64})\s*$", re.IGNORECASE)


ORDER_FILES: Final = (".txt", ".orders", ".text", ".draft")
"""How the names of files end that are read for orders, whatever is in them."""
PAGES: Final = (".html", ".htm", ".mht", ".webarchive")
_SAVED_PAGE: Final = "is a saved page: open it, press copy in it, and paste that into the mail"
_NO_ORDERS: Final = "does not begin with a line GAME …; orders are read from files that end in .txt or .orders"


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a letter that holds text; or a file, with what kept it from being read (``is RTF: save it …``)."""

    name: str
    mime: str
    attached: bool
    text: str
    unread: str = ""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a letter, where it stood, and whether it is orders, a command or nothing; the messages in it, and
    what its writer typed where there is neither.
    """

    text: str = ""
    source: str = ""
    kind: Kind = "empty"
    command: str = ""
    argument: str = ""
    faults: tuple[str, ...] = ()
    words: tuple[Message, ...] = ()
    said: str = ""


class Command(NamedTuple):
    """A command and what is said with it: ``RESEND 3``."""

    word: str
    argument: str = ""


def chosen_text(parts: list[Part], subject: str) -> Chosen:
    """The orders among the parts of a letter: a file before the body, plain text before a page. Messages are taken out
    first: nothing in them is an order or a command.
    """
    texts = [(part, _mended(part)) for part in parts]
    words: list[Message] = []
    for part, text in texts:
        # A page says once more what the plain text beside it says.
        if part.mime != "text/html" or not any(words):
            words += [one for one in messages_in(_own(text)) if one not in words]
    found = _chosen([(part, without_messages(text)) for part, text in texts], subject)
    found = msgspec.structs.replace(found, faults=(*found.faults, *_unread(parts, found)))
    said = "\n".join(_own(found.text)).strip() if found.kind == "empty" else ""
    return msgspec.structs.replace(found, words=tuple(words), said=said)


def _unread(parts: list[Part], found: Chosen) -> list[str]:
    """What is said of attached files that were not read: of documents always, of any other where no orders came."""
    said = []
    for part in parts:
        why = part.unread
        if part.attached and not why and not _is_read(part):
            why = _SAVED_PAGE if part.name.lower().endswith(PAGES) else _NO_ORDERS
        document = bool(part.unread) and part.name.lower().endswith(_DOCUMENTS)
        if why and (found.kind == "empty" or document):
            said.append(f"the attached file {part.name or 'without a name'} was not read, as it {why}")
    return said[:10]


_DOCUMENTS: Final = (".rtf", ".doc", ".docx", ".odt", ".pdf", ".pages", "winmail.dat")


def _is_read(part: Part) -> bool:
    """Whether an attached file is looked at for orders: by its name, or as it begins like nothing but orders."""
    return part.name.lower().endswith(ORDER_FILES) or (part.mime != "text/html" and begins_with_header(part.text))


def begins_with_header(text: str) -> bool:
    """Whether a file, whatever it is called, holds orders: its first line says so, comments aside."""
    lines = (line.strip() for line in text[:10_000].splitlines())
    return is_header(next((line for line in lines if line and not line.startswith("#")), ""))


def _chosen(texts: list[tuple[Part, str]], subject: str) -> Chosen:
    ranked: list[tuple[int, str, str]] = []
    for part, text in texts:
        if not text.strip():
            continue
        where = part.name or ("the page" if part.mime == "text/html" else "the body")
        if part.attached and not _is_read(part):
            continue
        rank = 0 if part.attached else 2 if part.mime == "text/html" else 1
        ranked.append((rank, where, text))
    ranked.sort(key=lambda one: one[0])
    body = next((one for one in ranked if one[0]), None)
    command = command_in(subject, body[2] if body else "")
    with_orders = [one for one in ranked if has_orders(one[2])]
    files = [one for one in with_orders if one[0] == 0]
    sent = bool(files) or any(is_typed(one[2]) for one in with_orders)
    word, argument = command or ("", "")
    faults: tuple[str, ...] = ()
    if word and sent and word not in ("PREVIEW", "WAIT"):
        # Whoever sends orders wants them filed, whatever the subject still says.
        faults = (f"the word {word} was passed over, as the letter holds orders",)
        word = argument = ""
    if word and not sent:
        text, source = (body[2], body[1]) if body else ("", "the subject")
        return Chosen(text=text, source=source, kind="command", command=word, argument=argument)
    if with_orders:
        said = with_orders[0]
        if len(files) > 1:
            faults += (f"the letter holds {len(files)} files of orders; {said[1]} was read",)
        return Chosen(
            text=typed(said[2]),
            source=said[1],
            kind="command" if word == "PREVIEW" else "orders",
            command=word,
            argument=argument,
            faults=faults,
        )
    if body is not None and begins_orders(body[2]):
        return Chosen(text=_unheaded(body[2]), source=body[1], kind="orders")
    bare = next((one for one in ranked if one[0] == 0 and begins_orders(one[2])), None)
    if bare is not None:
        return Chosen(text=_unheaded(bare[2]), source=bare[1], kind="orders")
    return Chosen(text=body[2] if body else "", source=body[1] if body else "")


def _mended(part: Part) -> str:
    text = part.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if part.mime == "text/html":
        text = _page_text(text)
    elif _LEFT_OVER.search(text):
        text = _quoted_printable(text)
    return text


_BLOCKQUOTE: Final = re.compile(r"(<(/?)blockquote\b[^<>]*>)", re.IGNORECASE)


def _page_text(html: str) -> str:
    """The text of a page, what it quotes behind ``>`` as in plain mail."""
    if "blockquote" not in html.lower():
        return html_to_text(html)
    found: list[str] = []
    depth = 0
    pieces = _BLOCKQUOTE.split(html)
    for place in range(0, len(pieces), 3):
        text = html_to_text(pieces[place]).rstrip("\n")
        found += [f"> {line}" if depth else line for line in text.split("\n")] if text else []
        if place + 2 < len(pieces):
            depth = max(0, depth + (-1 if pieces[place + 2] else 1))
    return "\n".join(found) + "\n"


def _quoted_printable(text: str) -> str:
    """Undoes what a mail program sent without saying so: ``=20``, and ``=`` at the end of a line."""
    joined = re.sub(r"(?<![<>!])=\n", "", text).encode("utf-8", "replace")
    data = re.sub(rb"(?<![<>!])=([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), joined)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def has_orders(text: str) -> bool:
    """Whether a text holds the header of orders that somebody sent.

    A sitrep that is only quoted below an answer shows a header too; orders that are all quoted must have their END.
    """
    if is_typed(text):
        return True
    quoted = order_text(text).split("\n")
    heads = [place for place, line in enumerate(quoted) if is_header(line)]
    return bool(heads) and any(_END.match(line) for line in quoted[heads[0] :])


def is_typed(text: str) -> bool:
    """Whether orders stand outside of what a text quotes."""
    return any(is_header(line) for line in _own(text))


def typed(text: str) -> str:
    """The text without what it quotes, where orders stand outside the quotation; no line is lost."""
    return "\n".join(_own(text)) if is_typed(text) else text


def _own(text: str) -> list[str]:
    """The lines of a text, empty where they are quoted: behind ``>``, or below a mail program's line that says so; and
    where such a line announces what is quoted.
    """
    lines = text.split("\n")
    bare = [line[:300].strip() for line in lines]
    quoted = [_QUOTED.match(line) is not None for line in lines]
    below = len(lines)
    for place, line in enumerate(bare):
        if _BELOW.match(line) and not quoted[place]:
            following = next((other for other in range(place + 1, len(lines)) if bare[other]), place)
            if not quoted[following]:
                below = place - 1 if place and is_broken(bare[place - 1], line) else place
                break
    own = ["" if place >= below or quoted[place] else line for place, line in enumerate(lines)]
    for place in range(1, below):
        if quoted[place] and not quoted[place - 1]:
            start = attribution(bare, quoted, place)
            own[start:place] = [""] * (place - start)
    return own


BEGINS: Final = re.compile(r"\s*(?:SHIP\s+\S|SHUTTLE\s+\S|(?:CONTINUE|CONCEDE)\s*$)", re.IGNORECASE)


def begins_orders(text: str) -> bool:
    """Orders without their header, which the subject may hold; all in quotes they are nobody's."""
    return any(BEGINS.match(line[:200]) for line in _own(text))


def _unheaded(text: str) -> str:
    """Orders without a header: what is quoted, and what stands before the first block, is left out."""
    lines = _own(text)
    first = next((place for place, line in enumerate(lines) if BEGINS.match(line[:200])), 0)
    return "\n".join([""] * first + lines[first:])


def command_in(subject: str, text: str) -> Command | None:
    """A command in the subject, or in the first line of the text that is not empty, quoted or a token."""
    for line in (bare_subject(subject), first_line(text)):
        match = _COMMAND.match(line[:300])
        if match:
            said = re.sub(r"\bTOKEN[\s:=]+\S+", "", match["rest"]).strip().rstrip(".!?").strip()
            if _ARGUMENT.fullmatch(said):
                return Command(match["word"].upper(), said.upper())
    return None


def bare_subject(subject: str) -> str:
    """A subject without the ``Re:`` and ``[list]`` before it."""
    return _FRONT.sub("", subject).strip()


def first_line(text: str) -> str:
    """The first line a person typed."""
    for line in _own(text):
        if line.strip() and not _TOKEN_LINE.match(line[:200]):
            return line.strip()
    return ""
