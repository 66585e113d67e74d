"""Which of a letter's words are its orders: the body, a page, or a file; what was typed, not what was quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from pbem.errors import GameError
from pbem.mail.host.deadlines import A_DAY, SOON, UNTIL
from pbem.mail.incoming.bounds import LARGEST_TEXT, LONGEST_LINE, MOST_TEXT_LINES
from pbem.orders.header import is_header, other_sets
from pbem.orders.mail_text import behind_bars, order_text, own_lines, page_text, without_endings, without_left_overs
from pbem.orders.messages import Message, messages_in, without_messages
from pbem.orders.vocabulary import ALONE
from pbem.util import regex

if TYPE_CHECKING:
    from pbem.mail.incoming.message import Kind

_END: Final = regex(r"\s*END\b", re.IGNORECASE)
COMMANDS: Final = (
    "HELP",
    "STATUS",
    "RESEND",
    "PREVIEW",
    "WAIT",
    "WITHDRAW",
    "DRAFT",
    "AWAY",
    "EXTEND",
    "DRAW",
    "RESIGN",
    "ADDRESS",
    "TAKE",
    "WATCH",
    "UNWATCH",
    "STANDINGS",
)
_COMMAND: Final = regex(rf"\s*(?P<word>{'|'.join(COMMANDS)})\b[ :]*(?P<rest>[^#]*)", re.IGNORECASE)
_ARGUMENT: Final = regex(r"|\d{1,4}|\d{1,3}\.\d{1,4}|OFF|ON|LAST", re.IGNORECASE)
_LONG: Final = r"(?:\d{1,3}|an?|one|two)\s+(?:hours?|days?|weeks?)"
_WITH_MORE: Final = {
    "AWAY": regex(
        rf"|OFF|{A_DAY}.{{0,80}}|{UNTIL.pattern}|{SOON.pattern}|(?:until|till|to)\s+\d.{{0,80}}|(?:for\s+)?{_LONG}",
        re.IGNORECASE,
    ),
    "EXTEND": regex(rf"|\d.{{0,40}}|(?:by\s+)?{_LONG}", re.IGNORECASE),
    "DRAW": regex(r"|OFF", re.IGNORECASE),
    "ADDRESS": regex(r"|CODE\s+\w{6,40}|[^\s@<>,;:\"()]{1,64}@[A-Z0-9.-]{1,200}", re.IGNORECASE),
    "TAKE": regex(r"|[A-Z0-9][\w-]{0,39}(?: [\w-]{1,40})?", re.IGNORECASE),
    "WATCH": regex(r"|[A-Z0-9][\w-]{0,39}", re.IGNORECASE),
    "UNWATCH": regex(r"|[A-Z0-9][\w-]{0,39}", re.IGNORECASE),
    "RESIGN": regex(r"|[A-Z0-9][\w-]{0,39}(?: YES)?", re.IGNORECASE),
}
"""What may stand behind a command that takes more than a number; other words behind it make it no command."""
_LONGEST_TOPIC: Final = 40
_FRONT: Final = regex(
    r"^(?:(?:re|aw|sv|fwd?|wg|tr|antw)\s*+(?:\[\d++\])?\s*+:\s*+|\[[^\]]{0,40}\]\s*+)+", re.IGNORECASE
)
_TOKEN_LINE: Final = regex(r"\s*TOKEN[\s:=]+([A-Za-z0-9]{1,64})\s*$", re.IGNORECASE)


ORDER_FILES: Final = (".txt", ".orders", ".text", ".draft")
"""How the names of files end that are read for orders, whatever is in them."""
PAGES: Final = (".html", ".htm", ".mht", ".webarchive")
_SAVED_PAGE: Final = "is a saved page: open it, press copy in it, and paste that into the mail"
_NO_ORDERS: Final = "does not begin with a line GAME …; orders are read from files that end in .txt or .orders"


_LOOKED_AT: Final = 60
"""Lines of a letter without orders that are looked at for a command that stands too far down."""
_WHERE: Final = "a command is the subject, or the first line of a mail"
NOT_TAKEN: Final = "were not taken, as no line that begins with GAME stands above them"
"""What is said of orders without their header in a letter that is a command."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a letter that holds text; or a file, with what kept it from being read (``is RTF: save it …``)."""

    name: str
    mime: str
    attached: bool
    text: str
    unread: str = ""


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a letter, where it stood, and whether it is orders, a command or nothing; the messages in it, and
    what its writer typed where there is neither; what he asks beside them. ``barred`` says that the orders stood
    behind the bars of a letter of ours.
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
            words += [one for one in messages_in(own_lines(text)) if one not in words]
    found = _chosen([(part, without_messages(text)) for part, text in texts], subject)
    found = msgspec.structs.replace(found, faults=(*found.faults, *_unread(parts, found)))
    said = "\n".join(own_lines(found.text)).strip() if found.kind == "empty" else ""
    if _SHARED.search(said):
        found = msgspec.structs.replace(found, faults=(*found.faults, _NOT_FETCHED))
    if line := next((line for line in map(str.strip, said.split("\n", _LOOKED_AT)) if command_in(line, "")), ""):
        fault = f"the line {without_token(line)[:80]!r} was passed over: {_WHERE}"
        found = msgspec.structs.replace(found, faults=(*found.faults, fault))
    above, below = (
        _beside([(part, without_messages(text)) for part, text in texts]) if found.kind != "empty" else ("", "")
    )
    beside = f"{above}\n{below}".strip()
    asked = beside if "?" in _LINK.sub("", beside) else ""
    if not asked and len(above.split()) >= _MUCH:
        fault = "what you wrote above it was read by nobody: a line MESSAGE TO UMPIRE before such words passes them on"
        found = msgspec.structs.replace(found, faults=(*found.faults, fault))
    return msgspec.structs.replace(found, words=tuple(words), said=said, asked=asked)


_MUCH: Final = 12
"""Words beside orders that are more than a greeting."""
_LINK: Final = regex(r"https?://\S+")
_SHARED: Final = regex(
    r"https?://(?:[\w-]+\.){0,4}(?:1drv\.ms|onedrive\.live\.com|sharepoint\.com|(?:drive|docs)\.google\.com|dropbox\.com"
    r"|icloud\.com|we\.tl|wetransfer\.com|box\.com|mega\.nz|pastebin\.com|proton\.me|magentacloud\.de)/",
    re.IGNORECASE,
)
"""Where people put files instead of attaching them."""
_NOT_FETCHED: Final = (
    "what lies behind the link was not read: copy the orders into the text of the mail, or attach the file itself"
)


def _beside(texts: list[tuple[Part, str]]) -> tuple[str, str]:
    """What somebody typed in the body above orders or below a command, and what below END, before his signature."""
    bodies = sorted((one for one in texts if not one[0].attached and one[1].strip()), key=lambda one: one[0].mime)
    if not bodies:
        return "", ""
    body = next((text for part, text in bodies if part.mime != "text/html"), bodies[0][1])
    lines = own_lines(body)
    heads = [n for n, line in enumerate(lines) if is_header(line) or BEGINS.match(line[:200])] or [len(lines)]
    end = next((n for n in range(heads[0], len(lines)) if _END.match(lines[n])), len(lines))
    others = next((n for n in heads if n > end), len(lines))
    return _prose(lines[: heads[0]]), _prose(lines[end + 1 : others])


def _prose(lines: list[str]) -> str:
    """What of some lines is neither a command nor a token nor a signature."""
    before = takewhile(lambda line: line.strip() != "--", lines)
    kept = [line for line in before if not (_TOKEN_LINE.match(line[:200]) or command_in("", line))]
    return "\n".join(without_endings(kept)).strip()


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


LOOKED_AT: Final = 10_000
"""Characters of an attached file that are looked at to know whether it holds orders."""


def begins_with_header(text: str) -> bool:
    """Whether a file, whatever it is called, holds orders: its first line says so, comments aside."""
    lines = (line.strip() for line in text[:LOOKED_AT].splitlines())
    return is_header(next((line for line in lines if line and not line.startswith("#")), ""))


class _Text(NamedTuple):
    """A text of a letter: 0 for an attached file, 1 for the body, 2 for a page; what it is called, and what it says."""

    rank: int
    where: str
    text: str


def _chosen(texts: list[tuple[Part, str]], subject: str) -> Chosen:
    ranked = _ranked(texts)
    body = next((one for one in ranked if one.rank), None)
    with_orders = [one for one in ranked if has_orders(one.text)]
    sent = any(not one.rank or is_typed(one.text) for one in with_orders)
    word, argument = command_in(subject, body.text if body else "") or ("", "")
    faults: tuple[str, ...] = ()
    if word and not sent:
        return _command(word, argument, ranked, body)
    if word and word not in ("PREVIEW", "WAIT"):
        # Whoever sends orders wants them filed, whatever the subject still says.
        faults = (f"the word {word} was passed over, as the letter holds orders",)
        word = argument = ""
    if with_orders:
        kind: Kind = "command" if word == "PREVIEW" else "orders"
        first, said = with_orders[0], (*faults, *_passed_over(with_orders))
        text, lines = typed(first.text), first.text.split("\n")
        barred = behind_bars(lines) is not None and not any(map(is_header, lines))
        return Chosen(
            text=text, source=first.where, kind=kind, command=word, argument=argument, faults=said, barred=barred
        )
    # The first line is missing: whose orders they are may be known otherwise.
    files = [one for one in ranked if not one.rank]
    headless = next((one for one in ([body] if body else []) + files if begins_orders(one.text)), None)
    if headless is not None:
        return Chosen(text=_unheaded(headless.text), source=headless.where, kind="orders")
    if body is None:
        return Chosen()
    quoted = (_QUOTED_BARS,) if behind_bars(body.text.split("\n")) is not None else ()
    return Chosen(text=body.text, source=body.where, faults=quoted)


_QUOTED_BARS: Final = (
    "the orders behind | in the letter of ours that you quote were not read: write yours above it, or copy them alone, "
    "from GAME to END"
)


def _ranked(texts: list[tuple[Part, str]]) -> list[_Text]:
    """What is read of a letter: attached files before the body, a page last."""
    found = []
    for part, text in texts:
        if not text.strip() or (part.attached and not _is_read(part)):
            continue
        page = part.mime == "text/html"
        rank = 0 if part.attached else 2 if page else 1
        found.append(_Text(rank, part.name or ("the page" if page else "the body"), text))
    return sorted(found, key=lambda one: one.rank)


def _command(word: str, argument: str, ranked: list[_Text], body: _Text | None) -> Chosen:
    """A letter that is a command; what PREVIEW looks at may lack its first line, any other has no use for orders."""
    unused = next((one.where for one in ranked if begins_orders(one.text)), "") if word != "PREVIEW" else ""
    faults = (f"the orders in {unused} {NOT_TAKEN}",) if unused else ()
    text, source = (body.text, body.where) if body else ("", "the subject")
    return Chosen(text=text, source=source, kind="command", command=word, argument=argument, faults=faults)


def _passed_over(with_orders: list[_Text]) -> Iterator[str]:
    """The orders of a letter that are not read: those of other files, and of other games."""
    files = sum(not one.rank for one in with_orders)
    if files > 1:
        yield f"the letter holds {files} files of orders; {with_orders[0].where} was read"
    beside = next((one for one in with_orders if one.rank and is_typed(one.text)), None)
    if files and beside is not None and _bare(beside.text) != _bare(with_orders[0].text):
        where = with_orders[0].where
        yield f"the orders in the text of your letter are others, and were not read; those in {where} were"
    for game, side in other_sets(own_lines(with_orders[0].text))[:5]:
        whose = f"{side} in {game[:40]}" if side else game[:40]
        yield f"the orders for {whose} were not read: send them in a mail of their own"


def _bare(text: str) -> list[str]:
    """The lines of orders from their header to END, whatever spaces they have."""
    lines = [" ".join(line.split()) for line in own_lines(text)]
    lines = lines[next((n for n, line in enumerate(lines) if is_header(line)), 0) :]
    end = next((n for n, line in enumerate(lines) if _END.match(line)), len(lines))
    return [line for line in lines[:end] if line]


def _mended(part: Part) -> str:
    text = part.text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if part.mime == "text/html":
        return _bounded(page_text(text))
    return without_left_overs(text)


def _bounded(text: str) -> str:
    """The text of a page in lines that are not too long, and not too many of them."""
    lines = text.split("\n")[:MOST_TEXT_LINES]
    if max(map(len, lines)) > LONGEST_LINE:
        lines = [line[at : at + LONGEST_LINE] for line in lines for at in range(0, max(len(line), 1), LONGEST_LINE)]
    return "\n".join(lines)[:LARGEST_TEXT]


_QUOTED_END: Final = regex(r"\s{0,9}>[>\s]{0,9}END\b", re.IGNORECASE)


def has_orders(text: str) -> bool:
    """Whether a text holds the header of orders that somebody sent.

    A sitrep that is only quoted below an answer shows a header too; orders that are all quoted must have their END, and
    nobody means them who writes others beside them, without a header.
    """
    if is_typed(text):
        return True
    if begins_orders(text) and any(_QUOTED_END.match(line) for line in text.split("\n")):
        return False
    quoted = order_text(text).split("\n")
    heads = [place for place, line in enumerate(quoted) if is_header(line)]
    return bool(heads) and any(_END.match(line) for line in quoted[heads[0] :])


def is_typed(text: str) -> bool:
    """Whether orders stand outside of what a text quotes."""
    return any(is_header(line) for line in own_lines(text))


def typed(text: str) -> str:
    """The text without what it quotes, where orders stand outside the quotation; no line is lost."""
    return "\n".join(own_lines(text)) if is_typed(text) else text


BEGINS: Final = regex(rf"\s*(?:SHIP\s+\S|SHUTTLE\s+\S|(?:{'|'.join(ALONE)})\s*$)", re.IGNORECASE)


def begins_orders(text: str) -> bool:
    """Orders without their header, which the subject may hold; all in quotes they are nobody's."""
    return any(BEGINS.match(line[:200]) for line in own_lines(text))


def _unheaded(text: str) -> str:
    """Orders without a header: what is quoted, and what stands before the first block, is left out."""
    lines = own_lines(text)
    first = next(place for place, line in enumerate(lines) if BEGINS.match(line[:200]))
    return "\n".join([""] * first + lines[first:])


def command_in(subject: str, text: str) -> Command | None:
    """A command in the subject, or in the first line of the text that is not empty, quoted or a token."""
    for line in (bare_subject(subject), first_line(text)):
        match = _COMMAND.match(line[:300])
        if match:
            said = without_token(match["rest"]).strip().rstrip(".!?").strip()
            word = match["word"].upper()
            if _WITH_MORE.get(word, _ARGUMENT).fullmatch(said) or (word == "HELP" and _leads_to_a_page(said)):
                return Command(word, said.upper())
    return None


MEANT: Final[tuple[tuple[re.Pattern[str], str], ...]] = tuple(
    (regex(rf"\b(?:{words})\b", re.IGNORECASE), said)
    for words, said in (
        (r"(?:take|took|pull|call) .{0,40}\bback|withdraw|undo|cancel|forget my",
         "WITHDRAW takes your orders for this request back"),
        (r"away|holidays?|vacation|travel(?:l?ing)?|no time", "AWAY 1 to 14 July says when you are away"),
        (r"more time|extend|extension|later|no time|too busy", "EXTEND 1 day asks for more time"),
        (r"draw|truce|peace", "DRAW offers a draw, or takes one"),
        (r"give up|surrender|resign|concede", "RESIGN gives the game up"),
        (r"(?:new|change|changed|other) .{0,20}\baddress|e-?mail address",
         "ADDRESS new@example.org has your mail sent there"),
        (r"continue|carry on|go on|as before", "CONTINUE, between your GAME line and END, keeps your orders in force"),
        (r"wait", "WAIT keeps your game from being played before the deadline"),
        (r"help|how (?:do|can|to)|what (?:is|does)", "HELP lists what you may send, HELP orders the orders"),
        (r"form|draft", "DRAFT brings the form to fill in"),
        (r"status|whose turn|who is (?:late|missing)|deadline|when (?:is|are) .{0,20}\bdue",
         "STATUS tells where the game stands and who owes orders"),
        (r"report|sitrep|resend", "RESEND sends your last report once more"),
    )
)  # fmt: skip
"""Words by which people ask for what a command does, and the command."""
_MOST_MEANT: Final = 3


def meant(said: str) -> list[str]:
    """The commands that somebody may have meant who asked in his own words, a sentence each."""
    found = [(match.start(), how) for words, how in MEANT if (match := words.search(said[:2000]))]
    return [how for _, how in sorted(found)[:_MOST_MEANT]]


def without_token(line: str) -> str:
    """A line without the word that opens a seat."""
    return re.sub(r"\bTOKEN[\s:=]+\S+", "", line)


def _leads_to_a_page(said: str) -> bool:
    """Whether HELP asks for a page of the guides; "HELP me, please" asks a person."""
    from pbem.reports.text.guide import page_for

    try:
        return len(said) <= _LONGEST_TOPIC and page_for(said) is not None
    except GameError:  # an installation without its pages
        return False


def bare_subject(subject: str) -> str:
    """A subject without the ``Re:`` and ``[list]`` before it."""
    return _FRONT.sub("", subject).strip()


def first_line(text: str) -> str:
    """The first line a person typed."""
    for line in own_lines(text):
        if line.strip() and not _TOKEN_LINE.match(line[:200]):
            return line.strip()
    return ""
