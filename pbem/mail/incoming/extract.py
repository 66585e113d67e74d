"""Find the orders or the command in an email: in its body, an HTML page or an attached file.

Only text that the sender typed counts, not text they quoted. This module also finds messages to people, questions
beside orders, and attached files that could not be read. Parsing the email is in :mod:`pbem.mail.incoming.message`.
This module also has the limits on how much of an email is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final, Literal, NamedTuple

import msgspec

from pbem.errors import GameError
from pbem.mail.commands import EMAIL_COMMANDS
from pbem.orders.header import is_header, other_sets
from pbem.orders.mail_text import barred_orders, order_text, own_lines, page_text, without_endings, without_left_overs
from pbem.orders.messages import MENTION, Message, messages_in, without_messages
from pbem.orders.vocabulary import ALONE
from pbem.util import regex

LARGEST_LETTER: Final = 16_000_000
"""Maximum bytes of an email that are fetched and stored; of a longer email only the headers are read."""
MOST_READ: Final = 800_000
"""Maximum bytes of an email that are parsed.

Orders come first in an email; later parts are pictures, which are not needed.
"""
MOST_LINES: Final = 15_000
"""Maximum lines of an email that is parsed, since the parser handles each line separately.

``MOST_READ`` bytes of base64 are some 10,000 lines.
"""
MOST_HEADER_BYTES: Final = 100_000
MOST_HEADERS: Final = 500
"""Maximum number of headers of an email, since each look-up searches all of them.

Continuation lines of a header are not counted. ``MOST_HEADER_BYTES`` limits their total size.
"""
MOST_NESTED: Final = 40
"""Maximum number of multiparts in an email, nested or side by side."""
MOST_LINES_NESTED: Final = 150_000
"""Maximum product of lines and multiparts; the parser compares each line with every open boundary."""
MOST_MARKS: Final = 400
"""Maximum lines that begin with ``--`` in an email with a boundary, since each may begin a part."""
MOST_BLOCKS: Final = 2_000
"""Maximum empty lines in an email with a delivery status, since each may begin a block."""
MOST_PARTS: Final = 100
"""Maximum number of parts of an email that are examined."""
LONGEST_CONTENT: Final = 1_000
MOST_PARAMETERS: Final = 20
"""Maximum number of parameters of a ``Content-`` header.

``LONGEST_CONTENT`` is the maximum size of such a header in bytes. The time to parse it grows with the square of both.
"""
MOST_CONTENT: Final = 50_000
"""Maximum total bytes of all ``Content-`` headers."""
LARGEST_TEXT: Final = 100_000
"""Maximum bytes of a text that is read; the orders of a whole fleet have about 10,000."""
LARGEST_PAGE: Final = 300_000
MOST_TAGS: Final = 4_000
"""Maximum number of tags or entities of an HTML page that is read.

``LARGEST_PAGE`` is the maximum size of the page in bytes. Pages by Outlook are ten times as long as the typed text.
"""
MOST_TEXT_LINES: Final = 2_500
LONGEST_LINE: Final = 5_000
"""Maximum characters of one line; ``MOST_TEXT_LINES`` is the maximum number of lines of a text.

Every line is matched against dozens of patterns.
"""
MOST_TEXT: Final = 400_000
MOST_WORK: Final = 5_000
"""Maximum lines of all texts of an email together, where each tag of an HTML page counts as one line.

``MOST_TEXT`` is their maximum total size in bytes.
"""


_HEAD_ENDS: Final = regex(rb"\r?\n\r?\n|\r\r")
_HEADER: Final = regex(rb"(?:\A|[\r\n])[^\s:]")
_MULTIPART: Final = regex(rb"multipart/|message/", re.IGNORECASE)
_BOUNDARY: Final = regex(rb"boundary\s*[*=]|message/", re.IGNORECASE)
_MARK: Final = regex(rb"[\r\n]--")
_EMPTY_LINE: Final = regex(rb"\n\r?\n|\r\r")
_STATUS: Final = regex(rb"message/delivery-status", re.IGNORECASE)


def what_is_read(raw: bytes) -> tuple[bytes, str]:
    """Return the part of an email that is parsed, and a clause that says what was cut off.

    The part is the first ``MOST_READ`` bytes. The clause is empty if nothing was cut off.
    """
    if len(raw) <= MOST_READ:
        return raw, ""
    cut_off = f"the email has {len(raw)} bytes, and what lies behind the first {MOST_READ} was not read"
    return raw[:MOST_READ], cut_off


def beyond(raw: bytes) -> str:
    """Return a clause about the limit that an email exceeds; empty if the email may be parsed.

    A clause is like ``it has more than 500 headers``. ``raw`` is what :func:`what_is_read` returned.
    """
    head = raw[: MOST_HEADER_BYTES + 4]
    ends = _HEAD_ENDS.search(head)
    if ends is None and len(raw) > MOST_HEADER_BYTES:
        return f"its headers are longer than {MOST_HEADER_BYTES} bytes"
    if _count(_HEADER, head[: ends.start() + 1 if ends else None], MOST_HEADERS):
        return f"it has more than {MOST_HEADERS} headers"
    lines = raw.count(b"\n") + raw.count(b"\r") - raw.count(b"\r\n")
    if lines > MOST_LINES:
        return f"it has more than {MOST_LINES} lines"
    nested = _most(_MULTIPART, raw, MOST_NESTED)
    if nested > MOST_NESTED and _count(_BOUNDARY, raw, MOST_NESTED):
        return f"it is made of more than {MOST_NESTED} emails in emails"
    if not nested:
        return ""
    if nested * lines > MOST_LINES_NESTED and _BOUNDARY.search(raw):
        return f"it is made of {nested} emails in emails with {lines} lines; their product may be {MOST_LINES_NESTED}"
    if _BOUNDARY.search(raw) and _count(_MARK, raw, MOST_MARKS):
        return f"it has more than {MOST_MARKS} lines that may begin a part"
    if _STATUS.search(raw) and _count(_EMPTY_LINE, raw, MOST_BLOCKS):
        return f"it tells of more than {MOST_BLOCKS} deliveries"
    return ""


def _most(pattern: re.Pattern[bytes], raw: bytes, most: int) -> int:
    """Return how often a pattern occurs in the bytes; counting stops at ``most`` + 1."""
    count = 0
    for count, _ in enumerate(pattern.finditer(raw), start=1):
        if count > most:
            break
    return count


def _count(pattern: re.Pattern[bytes], raw: bytes, most: int) -> bool:
    """Return whether a pattern occurs more than ``most`` times."""
    return _most(pattern, raw, most) > most


Kind = Literal["orders", "command", "bounce", "auto", "own", "empty", "unread"]

_END: Final = regex(r"\s*END\b", re.IGNORECASE)
_BY_WORD: Final = {one.word: one for one in EMAIL_COMMANDS}
_COMMAND: Final = regex(rf"\s*(?P<word>{'|'.join(_BY_WORD)})\b[ :]*(?P<rest>[^#]*)", re.IGNORECASE)
_LONGEST_TOPIC: Final = 40
_FRONT: Final = regex(
    r"^(?:(?:re|aw|sv|fwd?|wg|tr|antw)\s*+(?:\[\d++\])?\s*+:\s*+|\[[^\]]{0,40}\]\s*+)+", re.IGNORECASE
)
_TOKEN_LINE: Final = regex(r"\s*TOKEN[\s:=]+([A-Za-z0-9]{1,64})\s*$", re.IGNORECASE)


ORDER_FILES: Final = (".txt", ".orders", ".text", ".draft")
"""Endings of names of attached files that are always searched for orders."""
PAGES: Final = (".html", ".htm", ".mht", ".webarchive")
_SAVED_PAGE: Final = "is a saved page: open it, press copy in it, and paste that into the email"
TABLES: Final = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers", ".csv", ".tsv")
_TABLE: Final = "is a table: write the orders as text, into the email or into a file that ends in .txt or .orders"
_NO_ORDERS: Final = "does not begin with a line GAME …; orders are read from files that end in .txt or .orders"


_LOOKED_AT: Final = 60
"""In an email without orders, how many lines are searched for a command if the first line has none."""
_WHERE: Final = "a command is the subject, or the first line of an email"
NOT_TAKEN: Final = "were not taken, as no line that begins with GAME stands above them"
"""The end of a sentence that says that orders were ignored because the email is a command."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A text part of an email, or an attached file.

    Attributes:
        name: The name of the file; ``""`` for the body.
        mime: Its MIME type.
        attached: Whether it is an attached file.
        text: Its text.
        unread: Why a file could not be read, as a clause: ``is RTF: save it …``.
    """

    name: str
    mime: str
    attached: bool
    text: str
    unread: str = ""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The text of an email that counts, and whether it is orders or a command.

    Attributes:
        text: The text of the orders or the command.
        source: Which part of the email the text was in.
        kind: Whether the text is orders, a command or neither (``empty``).
        command: The command; orders may come with PREVIEW or WAIT.
        argument: The rest of the line after the command.
        faults: Sentences that say which parts of the email were not read.
        words: Messages to other people.
        said: What the sender typed, if there are neither orders nor a command.
        asked: A question that was typed in addition to the orders or the command.
        barred: Whether the orders were in lines that begin with ``|``, as our own emails show orders.
    """

    text: str = ""
    source: str = ""
    kind: Kind = "empty"
    command: str = ""
    argument: str = ""
    faults: tuple[str, ...] = ()
    words: tuple[Message, ...] = ()
    said: str = ""
    asked: str = ""
    barred: bool = False


class Command(NamedTuple):
    """A command of a player and its argument, the words after it, as in ``RESEND 3``."""

    word: str
    argument: str = ""


def chosen_text(parts: list[Part], subject: str) -> Chosen:
    """Choose the orders or the command from the parts of an email, and return them.

    An attached file is preferred to the body, and plain text to an HTML page. Messages to people are removed first,
    so nothing in them is read as an order or a command.
    """
    texts = [(part, _mended(part)) for part in parts]
    words: list[Message] = []
    for part, text in texts:
        # The HTML part repeats the plain text, so its messages would be duplicates.
        if part.mime != "text/html" or not any(words):
            words += [one for one in _messages(text) if one not in words]
    texts = [(part, without_messages(text) if MENTION.search(text) else text) for part, text in texts]
    chosen = _chosen(texts, subject)
    chosen = msgspec.structs.replace(chosen, faults=(*chosen.faults, *_unread(parts, chosen)))
    said = "\n".join(own_lines(chosen.text)).strip() if chosen.kind == "empty" else ""
    if _SHARED.search(said):
        chosen = msgspec.structs.replace(chosen, faults=(*chosen.faults, _NOT_FETCHED))
    if line := next((line for line in map(str.strip, said.split("\n", _LOOKED_AT)) if command_in(line, "")), ""):
        fault = f"the line {without_token(line)[:80]!r} was passed over: {_WHERE}"
        chosen = msgspec.structs.replace(chosen, faults=(*chosen.faults, fault))
    above, below = _beside(texts) if chosen.kind != "empty" else ("", "")
    beside = f"{above}\n{below}".strip()
    asked = beside if "?" in _LINK.sub("", beside) else ""
    if not asked and len(above.split()) >= _MUCH:
        fault = "what you wrote above it was read by nobody: a line MESSAGE TO UMPIRE before such words passes them on"
        chosen = msgspec.structs.replace(chosen, faults=(*chosen.faults, fault))
    return msgspec.structs.replace(chosen, words=tuple(words), said=said, asked=asked)


_MUCH: Final = 12
"""Number of words from which text beside orders counts as more than a greeting.

The sender is told if such text was not read.
"""
_LINK: Final = regex(r"https?://\S+")
_SHARED: Final = regex(
    r"https?://(?:[\w-]+\.){0,4}(?:1drv\.ms|onedrive\.live\.com|sharepoint\.com|(?:drive|docs)\.google\.com|dropbox\.com"
    r"|icloud\.com|we\.tl|wetransfer\.com|box\.com|mega\.nz|pastebin\.com|proton\.me|magentacloud\.de)/",
    re.IGNORECASE,
)
"""Regular expression for links to services where people store files instead of attaching them."""
_NOT_FETCHED: Final = (
    "what lies behind the link was not read: copy the orders into the text of the email, or attach the file itself"
)


def _beside(texts: list[tuple[Part, str]]) -> tuple[str, str]:
    """Return two texts that the sender typed in the body: above the orders, and below their END line.

    If the email is a command, the first text is the whole body. Neither includes the signature.
    """
    bodies = sorted((one for one in texts if not one[0].attached and one[1].strip()), key=lambda one: one[0].mime)
    if not bodies:
        return "", ""
    body = next((text for part, text in bodies if part.mime != "text/html"), bodies[0][1])
    lines = own_lines(body)
    heads = [n for n, line in enumerate(lines) if _is_header(line) or BEGINS.match(line[:200])] or [len(lines)]
    end = next((n for n in range(heads[0], len(lines)) if _END.match(lines[n])), len(lines))
    others = next((n for n in heads if n > end), len(lines))
    return _prose(lines[: heads[0]]), _prose(lines[end + 1 : others])


def _messages(text: str) -> tuple[Message, ...]:
    return messages_in(own_lines(text)) if MENTION.search(text) else ()


def _is_header(line: str) -> bool:
    """Return whether a line is a header of orders (``GAME …``), with a quick check first."""
    return "game" in line.casefold() and is_header(line)


def _prose(lines: list[str]) -> str:
    """Return these lines as a text without commands, tokens and the signature."""
    before = takewhile(lambda line: line.strip() != "--", lines)
    kept = [line for line in before if not (_TOKEN_LINE.match(line[:200]) or command_in("", line))]
    return "\n".join(without_endings(kept)).strip()


def _unread(parts: list[Part], chosen: Chosen) -> list[str]:
    """Return sentences about the attached files that were not read, with the reasons.

    Documents such as PDF are always mentioned, other files only if the email has no orders and no command.
    """
    said = []
    for part in parts:
        why = part.unread
        if part.attached and not why and not _is_read(part):
            name = part.name.lower()
            why = _SAVED_PAGE if name.endswith(PAGES) else _TABLE if name.endswith(TABLES) else _NO_ORDERS
        document = bool(part.unread) and part.name.lower().endswith(_DOCUMENTS)
        if why and (chosen.kind == "empty" or document):
            said.append(f"the attached file {part.name or 'without a name'} was not read, as it {why}")
    return said[:10]


_DOCUMENTS: Final = (".rtf", ".doc", ".docx", ".odt", ".pdf", ".pages", "winmail.dat", *TABLES)


def _is_read(part: Part) -> bool:
    """Return whether an attached file is searched for orders.

    Its name must have one of the known endings, or its content must begin with a header of orders (``GAME …``).
    """
    return part.name.lower().endswith(ORDER_FILES) or (part.mime != "text/html" and begins_with_header(part.text))


LOOKED_AT: Final = 10_000
"""Number of characters at the start of an attached file that are searched for a header of orders."""


def begins_with_header(text: str) -> bool:
    """Return whether the text of a file begins with a header of orders (``GAME …``), after comments.

    The name of the file does not matter.
    """
    lines = (line.strip() for line in text[:LOOKED_AT].splitlines())
    return _is_header(next((line for line in lines if line and not line.startswith("#")), ""))


class _Text(NamedTuple):
    """One text of an email, with its rank and the name of the part it comes from (``where``).

    The rank is 0 for an attached file, 1 for the body and 2 for an HTML page; the lowest rank is preferred.
    """

    rank: int
    where: str
    text: str


def _chosen(texts: list[tuple[Part, str]], subject: str) -> Chosen:
    """Choose the orders or the command from the texts of an email, and return them.

    Messages to people were removed from the texts before.
    """
    ranked = _ranked(texts)
    body = next((one for one in ranked if one.rank), None)
    with_orders = [one for one in ranked if has_orders(one.text)]
    sent = any(not one.rank or is_typed(one.text) for one in with_orders)
    word, argument = command_in(subject, body.text if body else "") or ("", "")
    faults: tuple[str, ...] = ()
    if word and not sent:
        return _command(word, argument, ranked, body)
    if word and not _BY_WORD[word].with_orders:
        # A player who sends orders wants them filed; the command in the subject may be left over.
        faults = (f"the word {word} was passed over, as the email has orders",)
        word = argument = ""
    if with_orders:
        kind: Kind = "command" if word == "PREVIEW" else "orders"
        first, said = with_orders[0], (*faults, *_passed_over(with_orders))
        text, lines = typed(first.text), first.text.split("\n")
        barred = barred_orders(lines) is not None and not any(map(_is_header, lines))
        return Chosen(
            text=text, source=first.where, kind=kind, command=word, argument=argument, faults=said, barred=barred
        )
    return _without_header(ranked, body)


def _without_header(ranked: list[_Text], body: _Text | None) -> Chosen:
    """Return the result for an email that is not a command and has no header of orders (``GAME …``).

    ``ranked`` are all texts of the email, ``body`` is its body.
    """
    # The header is missing: the token or the subject may still identify the side.
    files = [one for one in ranked if not one.rank]
    headless = next((one for one in ([body] if body else []) + files if begins_orders(one.text)), None)
    if headless is not None:
        return Chosen(text=_unheaded(headless.text), source=headless.where, kind="orders")
    if body is None:
        return Chosen()
    quoted = (_QUOTED_BARS,) if barred_orders(body.text.split("\n")) is not None else ()
    return Chosen(text=body.text, source=body.where, faults=quoted)


_QUOTED_BARS: Final = (
    "write your orders above the quoted email, or copy them alone, from GAME to END: the quoted orders were not read"
)


def _ranked(texts: list[tuple[Part, str]]) -> list[_Text]:
    """Return the texts of an email that are searched, best first.

    These are attached files, then the body, then the HTML page.
    """
    found = []
    for part, text in texts:
        if not text.strip() or (part.attached and not _is_read(part)):
            continue
        page = part.mime == "text/html"
        rank = 0 if part.attached else 2 if page else 1
        found.append(_Text(rank, part.name or ("the page" if page else "the body"), text))
    return sorted(found, key=lambda one: one.rank)


def _command(word: str, argument: str, ranked: list[_Text], body: _Text | None) -> Chosen:
    """Return the result for an email that is a command.

    Only PREVIEW uses orders in the same email, and these may lack their header. For other commands a sentence says
    that the orders in the email were not read. ``ranked`` are all texts of the email, ``body`` is its body.
    """
    unused = next((one.where for one in ranked if begins_orders(one.text)), "") if word != "PREVIEW" else ""
    faults = (f"the orders in {unused} {NOT_TAKEN}",) if unused else ()
    text, source = (body.text, body.where) if body else ("", "the subject")
    return Chosen(text=text, source=source, kind="command", command=word, argument=argument, faults=faults)


def _passed_over(with_orders: list[_Text]) -> Iterator[str]:
    """Yield a sentence about each set of orders in the email that was ignored.

    These are orders in further files, orders in the body if a file was read, and orders for other games or sides.
    """
    files = sum(not one.rank for one in with_orders)
    if files > 1:
        yield f"the email has {files} files of orders; {with_orders[0].where} was read"
    beside = next((one for one in with_orders if one.rank and is_typed(one.text)), None)
    if files and beside is not None and _bare(beside.text) != _bare(with_orders[0].text):
        where = with_orders[0].where
        yield f"the orders in {where} were read; the text of your email has different orders, which were ignored"
    for game, side in other_sets(own_lines(with_orders[0].text))[:5]:
        whose = f"{side} in {game[:40]}" if side else game[:40]
        yield f"the orders for {whose} were not read: send them in an email of their own"


def _bare(text: str) -> list[str]:
    """Return orders from header to END as lines with single spaces, to compare two sets of orders."""
    lines = [" ".join(line.split()) for line in own_lines(text)]
    lines = lines[next((n for n, line in enumerate(lines) if _is_header(line)), 0) :]
    end = next((n for n, line in enumerate(lines) if _END.match(line)), len(lines))
    return [line for line in lines[:end] if line]


def _mended(part: Part) -> str:
    text = part.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if part.mime == "text/html":
        return _bounded(page_text(text))
    return without_left_overs(text)


def _bounded(text: str) -> str:
    """Return the text of an HTML page with long lines split and surplus lines removed."""
    lines = text.split("\n")[:MOST_TEXT_LINES]
    if max(map(len, lines)) > LONGEST_LINE:
        lines = [line[at : at + LONGEST_LINE] for line in lines for at in range(0, max(len(line), 1), LONGEST_LINE)]
    return "\n".join(lines)[:LARGEST_TEXT]


_QUOTED_END: Final = regex(r"\s{0,9}>[>\s]{0,9}END\b", re.IGNORECASE)


def has_orders(text: str) -> bool:
    """Return whether a text has orders with a header (``GAME …``) that the sender wants to submit.

    A sitrep quoted below an answer has a header too. So if all orders are quoted, they count only if they have an
    END line, and if the sender did not also type orders without a header.
    """
    if is_typed(text):
        return True
    if begins_orders(text) and any(_QUOTED_END.match(line) for line in text.split("\n")):
        return False
    quoted = order_text(text).split("\n")
    heads = [place for place, line in enumerate(quoted) if _is_header(line)]
    return bool(heads) and any(_END.match(line) for line in quoted[heads[0] :])


def is_typed(text: str) -> bool:
    """Return whether the sender typed a header of orders (``GAME …``); quoted lines do not count."""
    return any(_is_header(line) for line in own_lines(text))


def typed(text: str) -> str:
    """Return a text with its quoted lines emptied, if the sender also typed orders; otherwise unchanged.

    The number of lines stays the same.
    """
    return "\n".join(own_lines(text)) if is_typed(text) else text


BEGINS: Final = regex(rf"\s*(?:SHIP\s+\S|SHUTTLE\s+\S|(?:{'|'.join(ALONE)})\s*$)", re.IGNORECASE)


def begins_orders(text: str) -> bool:
    """Return whether the sender typed an order that needs no header before it, such as a SHIP line.

    Quoted lines do not count. The subject of the email may replace the header (``GAME …``).
    """
    return any(BEGINS.match(line[:200]) for line in own_lines(text))


def _unheaded(text: str) -> str:
    """Return orders that have no header, with quoted lines emptied.

    Everything before the first SHIP or SHUTTLE becomes empty lines, so the line numbers stay the same.
    """
    lines = own_lines(text)
    first = next(place for place, line in enumerate(lines) if BEGINS.match(line[:200]))
    return "\n".join([""] * first + lines[first:])


def command_in(subject: str, text: str) -> Command | None:
    """Return the command in the subject or in the first typed line of a text; ``None`` if there is none.

    Empty lines, quoted lines and a line with only a token do not count as the first line.
    """
    for line in (bare_subject(subject), first_line(text)):
        match = _COMMAND.match(line[:300])
        if match:
            said = _without_courtesy(without_token(match["rest"]))
            word = match["word"].upper()
            if _BY_WORD[word].arguments.fullmatch(said) or (word == "HELP" and _leads_to_a_page(said)):
                return Command(word, said.upper())
    return None


_COURTESY: Final = regex(r"\b(?:please|pls|thanks|thank you|thx)\Z", re.IGNORECASE)


def _without_courtesy(words: str) -> str:
    """Return the words after a command without a final full stop, "please" or "thanks"."""
    words = words.strip().rstrip(".!?").strip()
    return _COURTESY.sub("", words).strip(" \t,")


_CONTINUE: Final = (
    regex(
        r"\b(?:continue|carry on|go on|as before|same (?:orders|as (?:last|before))|as last (?:turn|time)"
        r"|no changes?)\b",
        re.IGNORECASE,
    ),
    "CONTINUE, between your GAME line and END, keeps your orders in force",
)
_MEANT: Final = (_CONTINUE, *((one.meant, one.hint) for one in EMAIL_COMMANDS if one.meant is not None))
"""Pairs (pattern, sentence) to suggest commands to players who write in ordinary words.

The pattern matches phrases that ask for something; the sentence names the command that does it. In the sentence,
``{game}`` is the name of the game; ``{time}``, ``{absence}``, ``{address}`` and ``{topic}`` come from the player's
text.
"""
_MOST_MEANT: Final = 3
_TIME: Final = regex(
    r"\b(?P<many>\d{1,2}|an?|one|two|three|four|five|six|seven|another|a couple of|a few)\s+"
    r"(?:(?:more|extra|other|further)\s+)?(?P<unit>hour|day|week)s?\b",
    re.IGNORECASE,
)
_NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "another": 1,
    "a couple of": 2, "a few": 3,
}  # fmt: skip
_ABSENCE: Final = regex(
    r"\b(?:until|till)\s+"
    r"(?P<until>\d{1,2}\.?\s+[A-Za-z]{3,9}|[A-Za-z]{3,9}\s+\d{1,2}|\d{4}-\d\d-\d\d|\w{3,6}day)\b"
    r"|\b(?P<from>\d{1,2}(?:\s+[A-Za-z]{3,9})?)\s+(?:to|until|till)\s+(?P<to>\d{1,2}\s+[A-Za-z]{3,9})\b",
    re.IGNORECASE,
)
_LONGEST_WISH: Final = 2_000
"""Maximum number of characters of a free text that are searched for phrases that ask for a command."""


def command_hints(text: str, game: str = "") -> list[str]:
    """Return up to three sentences that suggest commands, chosen by what a player's free text asks for.

    Each sentence repeats the time, the dates and the address in the text, and names the game.
    """
    text = text[:_LONGEST_WISH]
    found = [(match.start(), how) for words, how in _MEANT if (match := words.search(text))]
    hints = [how for _, how in sorted(found)[:_MOST_MEANT]]
    if not hints:
        return []
    named = {"time": _time_in(text), "absence": _absence_in(text), "address": _address_in(text)}
    return [how.format(game=game, topic=_topic_in(text) if "{topic}" in how else "", **named) for how in hints]


_ADDRESS: Final = regex(r"[\w.+-]{1,64}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}")
_TOPIC: Final = regex(r"[A-Za-z][\w-]{3,20}")
_MOST_TOPICS: Final = 30
"""Maximum number of words of a free text that are tried as a topic of the guides."""


def _address_in(text: str) -> str:
    """Return the first email address in a text; an example address if there is none."""
    match = _ADDRESS.search(text)
    return match[0] if match is not None else "new@example.org"


def _topic_in(text: str) -> str:
    """Return the first word of a text that is a topic of the guides; ``"orders"`` if there is none."""
    from pbem.reports.text.guide import leads_to

    try:
        return next((word for word in islice(_TOPIC.findall(text), _MOST_TOPICS) if leads_to(word)), "orders")
    except GameError:  # the guide pages are not installed
        return "orders"


def _time_in(text: str) -> str:
    """Return the duration in a text as EXTEND accepts it, such as ``2 days``; ``1 day`` if there is none."""
    match = _TIME.search(text)
    if match is None:
        return "1 day"
    many = _NUMBERS.get(" ".join(match["many"].lower().split())) or int(match["many"])
    return f"{many} {match['unit'].lower()}{'s' if many != 1 else ''}"


def _absence_in(text: str) -> str:
    """Return the dates in a text as AWAY accepts them, such as ``until 14 July``.

    Return an example if the text has no dates.
    """
    match = _ABSENCE.search(text)
    if match is None:
        return "1 to 14 July"
    if match["until"]:
        return f"until {' '.join(match['until'].split())}"
    return f"{' '.join(match['from'].split())} to {' '.join(match['to'].split())}"


_ASKED: Final = regex(
    r"\bwhat(?:'s|s| (?:is|are|does|do)) (?:the |an? )?(?:meaning of |meant by )?"
    r"(?P<word>[\w#-]{1,40}(?: [\w-]{1,40}){0,3}?)(?: (?:mean|stand for))? ?[?.!]",
    re.IGNORECASE,
)
_ASKED_ABROAD: Final = regex(
    r"\b(?:was (?:ist|sind|bedeutet|hei(?:\u00df|ss)t)|que (?:veut dire|significa|es)|qu\u00e9 (?:significa|es)"
    r"|wat (?:is|zijn|betekent)|(?:che )?cosa (?:significa|\u00e8)) (?:(?:eine?|une?|een|der|die|das|le|la|el|de|il) )?"
    r"(?P<word>[\w#-]{1,40}(?: [\w-]{1,40})?) ?[?.!]",
    re.IGNORECASE,
)
_BARE_QUESTION: Final = regex(r"(?P<word>[\w#-]{1,40}(?: [\w-]{1,40}){0,2}) ?\?", re.IGNORECASE)


def explained(text: str) -> list[str]:
    """Return the glossary's entry for the word that a short text asks about, as a list of one text.

    The list is empty if the text asks about no word of the glossary.
    """
    from pbem.reports.text.guide import WIDTH, entry_of

    text = " ".join(text[:_LONGEST_WISH].replace("\u2019", "'").replace('"', "").split())
    matches = (_BARE_QUESTION.fullmatch(text), _ASKED.search(text), _ASKED_ABROAD.search(text))
    try:
        entries = (entry_of(match["word"], WIDTH, "HELP") for match in matches if match is not None)
        return [entry.rstrip() for entry in entries if entry][:1]
    except GameError:  # the guide pages are not installed
        return []


def without_token(line: str) -> str:
    """Return a line without the word TOKEN and the player's token after it."""
    return re.sub(r"\bTOKEN[\s:=]+\S+", "", line)


def _leads_to_a_page(topic: str) -> bool:
    """Return whether the words after HELP are a topic of the guides.

    For example, "HELP me, please" is addressed to a person, so the result is false.
    """
    from pbem.reports.text.guide import leads_to

    try:
        return len(topic) <= _LONGEST_TOPIC and leads_to(topic)
    except GameError:  # the guide pages are not installed
        return False


def bare_subject(subject: str) -> str:
    """Return a subject without prefixes such as ``Re:`` and ``[list]``."""
    return _FRONT.sub("", subject).strip()


def first_line(text: str) -> str:
    """Return the first line that the sender typed; ``""`` if there is none.

    Empty lines, quoted lines and lines with only a token are skipped.
    """
    for line in own_lines(text):
        if line.strip() and not _TOKEN_LINE.match(line[:200]):
            return line.strip()
    return ""
