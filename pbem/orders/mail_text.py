"""Get plain text out of what mail programs send: decode bytes, and undo what mail programs do to orders.

:func:`text_of` decodes bytes. Mail programs often name the wrong character set: they call Windows-1252 iso-8859-1,
and sometimes UTF-8 too. Therefore a byte order mark counts first. Then UTF-8 is tried, because other text is hardly
ever valid UTF-8. Then come the named character set and Windows-1252.

The other functions remove quoting, attributions ("Ann wrote:"), quoted-printable, format=flowed and HTML. The
number of lines stays the same in orders, so that a fault points at the right line of the file that the player sent.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from pbem.orders.conditions import AFTER_UNIT
from pbem.orders.header import has_fields, is_header, names_game
from pbem.orders.messages import MENTION, without_messages
from pbem.orders.vocabulary import AFTER_SUBJECT, ALONE
from pbem.util import regex

_MARKS: Final = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\0\0", "utf-32"),
    (b"\0\0\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_LATIN: Final = frozenset(
    ("iso-8859-1", "iso8859-1", "latin-1", "latin1", "us-ascii", "ascii", "cp1252", "windows-1252")
)
_KNOWN: Final = regex(
    r"utf|iso|windows|cp\d|koi8|latin|us-?ascii|ascii|big5|gb|euc|shift|sjis|mac|hz|tis|johab|ks|viscii|x-"
)
"""Matches the beginning of the names of character sets that mail programs use; other names are ignored.

Python also knows character sets, such as ``punycode``, that no email uses. Decoding some of them takes time that
grows with the square of the length.
"""
_SEVEN_BITS: Final = regex(r"iso-2022|utf-?7|hz")
"""Matches the names of character sets whose bytes are all ASCII, so that their text would pass as UTF-8."""
_SURROGATES: Final = regex("[\ud800-\udfff]")
"""Matches surrogates, i.e. halves of characters, which UTF-7 can produce and which no file can store."""
_WIDE: Final = ("utf-16-le", "utf-16-be")
_MOSTLY: Final = 0.8


def text_of(data: bytes, label: str = "") -> str:
    """Return the text that these bytes encode; ``label`` is the character set that the sender names.

    The function never fails: a byte that has no meaning becomes U+FFFD.
    """
    label = plain_label(label)
    mark = next((name for start, name in _MARKS if data.startswith(start)), "")
    if mark:
        return data.decode(mark, "replace").replace("\ufeff", "")
    tried = [label] if _SEVEN_BITS.match(label) or label.startswith(("utf-16", "utf-32")) else []
    tried += [wide for place, wide in enumerate(_WIDE) if _is_wide(data, 1 - place)]
    tried += ["utf-8", *([label] if label and label not in _LATIN else [])]
    for encoding in tried:
        with suppress(LookupError, ValueError):  # unknown character set, or the bytes are not valid in it
            return _SURROGATES.sub("\ufffd", data.decode(encoding).replace("\ufeff", ""))
    return data.decode("cp1252", "replace")


def plain_label(label: str) -> str:
    """Return the normal name of a character set; ``""`` for a name that no mail program uses."""
    label = label.strip().lower().replace("_", "-")
    return label if len(label) <= _LONGEST_LABEL and _KNOWN.match(label) else ""


_LONGEST_LABEL: Final = 40


def _is_wide(data: bytes, zeros: int) -> bool:
    """Return whether the bytes are probably UTF-16 text without a byte order mark.

    The test is that in almost every pair of bytes, the byte at index ``zeros`` (0 or 1) is 0.
    """
    half = data[zeros::2]
    return (
        len(data) > 1 and not len(data) % 2 and half.count(0) >= _MOSTLY * len(half) and 0 not in data[1 - zeros :: 2]
    )


_SAVE_AS_TEXT: Final = "save it as plain text, a file that ends in .txt, or copy its text into the mail"
_SIGNS: Final = (
    (b"{\\rtf", "is RTF", _SAVE_AS_TEXT),
    (b"PK\x03\x04", "is a Word or OpenDocument file, or a zip", _SAVE_AS_TEXT),
    (b"\xd0\xcf\x11\xe0", "is a Word file", _SAVE_AS_TEXT),
    (b"%PDF", "is a PDF", "copy its text into the mail"),
    (b"\x78\x9f\x3e\x22", "is Outlook's own format", "have Outlook send plain text"),
)
"""First bytes of files that are not plain text, with the kind of file and advice what to do instead."""


def no_plain_text(data: bytes) -> str:
    """Return the kind of file that these bytes are, with advice, if the bytes are not plain text; otherwise ``""``.

    The text begins for example with ``is RTF: save it …``.
    """
    start = data[:1000].lstrip()
    return next((f"{what}: {do}" for sign, what, do in _SIGNS if start.startswith(sign)), "")


_SPACES: Final = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING: Final = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_MADE_PLAIN: Final[dict[str, str]] = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63", "-"),
    "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2026": "...", "\u00bd": ".5", "\u2044": "/",
}  # fmt: skip
_CHARACTERS: Final[dict[int, str]] = {
    **{ord(c): " " for c in _SPACES},
    **{ord(c): "" for c in _NOTHING},
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160)), " "),
    **{ord(c): plain for c, plain in _MADE_PLAIN.items()},
    **{c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),  # surrogates, which no UTF-8 file can contain
}
_MARKED: Final = regex(r"[ \t]{0,3}(?:[\w.]{0,3})>(?!=)")
"""Matches the start of a quoted line of an email; its writer's initials may come before the ``>``."""
# ">" at the start of a line is a quoting mark; ">=" is not.
_QUOTING: Final = regex(r"(?:>(?!=)[ \t]?)+")
_BAR: Final = regex(r"\s{0,8}\|(?: |$)")
"""Matches the bar ``|`` that our emails put before each line when they show a player's orders.

These emails are made by :func:`pbem.mail.emails.shown`.
"""
ABOVE_SHOWN: Final = (
    "YOUR ORDERS, AS UNDERSTOOD",
    "send it back.",
    "This is the draft:",
    "It holds:",
    "filed for you:",
)
"""Ends of the lines with which our emails introduce a player's orders.

Each order line below the introduction begins with a bar ``|``. A player may copy such an introduction together with
the orders. "It holds:" is in drafts of earlier versions.
"""
_LINE_END: Final = regex("\r\n|\r|\u2028|\u2029")
_ASKS: Final = "|".join(sorted(AFTER_SUBJECT | AFTER_UNIT.keys()))
"""Words that may follow the subject of a condition, joined into one alternative for regular expressions."""
# A letter must follow a bullet, because "- 3" may be a number. A bullet becomes a blank, so that orders keep their
# column. A * before a condition means any unit; an "o" and a tab are a bullet of Microsoft Word.
_BULLET: Final = regex(
    r"\s*(?P<bullet>[-\u2022\u2023\u25aa\u25ab\u25cf\u25cb\u25e6\u2043\u00b7\uf0b7]"
    rf"|(?:\*(?=\s)|o(?=\s{{3}}))(?!\s+(?:{_ASKS})\b))(?=\s+[A-Za-z])",
    re.IGNORECASE,
)
_BOLD: Final = regex(
    rf"^(\s*)(\*\*?|__?)(?=[A-Za-z])([^*_]+)(?<=[\w:])\2(?!\s+(?:{_ASKS})\b)(?=\s|:|$)",
    re.IGNORECASE,
)
"""Matches bold type at the beginning of a line, as mail programs write it in plain text: ``*DO*``."""
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "))
"""HTML entities that sometimes remain in plain text, and their characters.

``&amp;`` is not among them, because an ampersand means AND.
"""
_PHONE: Final = regex(
    r"\s*\[?(?:sent from (?:my|mail|outlook|yahoo|proton)\b|get outlook for\b|von meinem .{1,40} gesendet"
    r"|gesendet (?:von|mit) (?:mail|outlook|meinem|der)\b|envoy\u00e9 de(?:puis)? mon\b|enviado desde mi\b"
    r"|inviato da(?:l mio)? \w|verzonden vanaf mijn\b|virus-free\.).{0,120}",
    re.IGNORECASE,
)
"""Matches a line that a telephone or a mail program adds below the text, such as "Sent from my …"."""
_DISCLAIMER: Final = regex(
    r"[\s*_]*(?:(?:confidentiality|legal) (?:notice|note)\b|disclaimer\b|haftungsausschluss\b"
    r"|(?:this|the information in this) (?:e-?mail|message|communication)\b.*\b(?:confidential|intended|privileged)"
    r"|diese (?:e-?mail|nachricht)\b.*\bvertraulich)",
    re.IGNORECASE,
)
"""Matches the line where a legal disclaimer begins."""
_HEADING: Final = regex(r"\s*(?:SHIP|SHUTTLE|END)\b", re.IGNORECASE)
_END: Final = regex(
    r"(\s*+)[-*=~]{0,9}+\s*+(END)(?:\s++(?:OF\s++)?ORDERS)?\s*+[-*=~]{0,9}+\s*+(?:[.;#].*)?", re.IGNORECASE
)
"""Matches the line that ends the orders.

The pattern needs no backtracking. Its time grows only with the length of the line, even for many blanks.
"""
_OLD_MAIL: Final = regex(r"\s*-{4,} ?(?:original|forwarded) message ?-{4,}|\s*_{20,}", re.IGNORECASE)
_WROTE: Final = regex(r"\s*(?:On|Am|Le|El|Il|Op|Den)\b.{8,}|(?>.{3,}?\b(?:wrote|schrieb)\b).*:", re.IGNORECASE)
# "On Mon, 1 Mar 2027 at 12:00, Ann Wong": no order contains a time of day or a year.
_DATED: Final = regex(r"\s*(?:On|Am|Le|El|Il|Op|Den)\b.{3,}(?:\b\d{1,2}[:.h]\d\d\b|\b20\d\d\b)", re.IGNORECASE)
_BELOW: Final = regex(
    r"-{2,}\s*(?:original message|forwarded message|urspr\w+ nachricht|message d'origine)|_{20,}\s*$"
    r"|(?:from|von|de|van|da|fra): .*[@<]"
    r"|.{0,200}\b(?:wrote|writes|schrieb|a écrit|escribió|schreef|ha scritto)\b.{0,80}:\s*$"
    r"|.{0,200}[<(\[](?:mailto:)?[^\s<>()\[\]]{1,80}@[^\s<>()\[\]]{1,80}[>)\]].{0,40}[:\uff1a]\s*$"
    r"|\w{2,14}\s?[:\uff1a]\s.{0,80}[<\[](?:mailto:)?[^\s<>\[\]]{1,80}@[^\s<>\[\]]{1,80}[>\]]\s*$",
    re.IGNORECASE,
)
"""Matches the line below which a mail program quotes the email that is answered ("Ann wrote:").

In languages unknown to this pattern, such a line still has an address in brackets, and a colon at its end or after
its first word.
"""
SIGNATURE: Final = "-- "
_BEGINS: Final = regex(
    r"\s*(?:(?:SHIP|SHUTTLE|TOKEN)\s+\S|(?:ENERGY|PLOT|COURSE|MOVE|DO|BREAK|BRK|DAMAGE|DDAP)\s*(?:$|#)"
    rf"|(?:PLOT|COURSE|BREAK|BRK|ENERGY)\s+\S|(?:END|{'|'.join(ALONE)})\s*(?:[.;#].*)?$"
    r"|MESSAGE\s+TO\s+\S|END\s+MESSAGE\b|UMPIRE\b)",
    re.IGNORECASE,
)
"""Matches a line that begins a section, a ship or a message, or that ends the orders."""
_ENCODED: Final = regex(r"=(?:[0-9A-F]{2}|[ \t]*$)", re.MULTILINE)
_SURE: Final = regex(r"=3D|=C2=A0|=E2=80=|^.{71,74}[^<>!=]=$", re.MULTILINE)
_MAIL: Final = regex(rb"[A-Za-z-]+:[^\n]*\n")
_CODED: Final = regex(rb"^(?:mime-version|content-type|content-transfer-encoding|received):", re.IGNORECASE | re.M)
_OCTETS: Final = regex(r"(?:=[0-9A-F]{2})+")
_SOME_OCTETS: Final = regex(r"(?<![<>!])(?:=[0-9A-F]{2})+")
_LEFT_OVER: Final = regex(r"(?<![<>!])=(?:20$|A0|C2=|E2=|3D)", re.MULTILINE)
"""Matches quoted-printable codes that nobody decoded, such as ``=20``, but not a condition such as ``<=20``."""
_HTML: Final = regex(r"\s*<(?:!--|(?:!doctype\s+html|html|head|body|div|p|pre|span|table)\b)", re.IGNORECASE)


def is_whole_mail(raw: bytes) -> bool:
    """Return whether these bytes are a whole saved email, including its header lines."""
    head, *_ = re.split(rb"\r?\n\r?\n", raw[:100_000])
    return bool(_MAIL.match(head) and _CODED.search(head))


def order_text(raw: str, *, header: bool = True) -> str:
    """Return the text of an email with everything removed that is not orders.

    Text before the header line, after END and in a signature is removed, and so are all quoting marks. If the
    orders themselves are not quoted, the old email quoted below the orders is removed too. Removed lines stay as
    empty lines. If no header is found, or ``header`` is false, nothing is removed at the start. HTML is converted
    to text first. Applying the function twice changes nothing more.
    """
    return (_order_text if len(raw) <= _KEPT else _order_text.__wrapped__)(raw, header)


_KEPT: Final = 100_000
"""Maximum number of characters of a text whose result is cached.

The cache helps because reading, checking and storing orders all process the same text.
"""


@lru_cache(maxsize=16)
def _order_text(raw: str, header: bool) -> str:
    lines, quoted = _plain_lines(raw)
    if not any(quoted):
        lines = without_bars(lines)
    # Messages to other players are not orders, even if they are inside the orders.
    if MENTION.search(raw):
        lines = without_messages("\n".join(lines)).split("\n")
    start = _header_line(lines, quoted) if header else 0
    lines[:start] = [""] * start
    answered = header and not quoted[start]
    last_heading = next((index for index in reversed(range(len(lines))) if _HEADING.match(lines[index])), -1)
    for index in range(start, len(lines)):
        if not quoted[index] and len(lines[index]) <= _SHORT and _says_no_mail(lines[index]):
            continue
        lines[index] = _without_bullets(lines[index])
        if header and _PHONE.fullmatch(lines[index]):
            lines[index] = ""
        end = index if _says_it_is_over(lines, index, header and last_heading <= index) else None
        if end is None and answered and quoted[index]:
            end = _old_orders_from(lines, quoted, start, index)
        if end is None and (ended := _END.fullmatch(lines[index])):
            lines[index] = ended[1] + ended[2]
            end = index + 1
        if end is not None:
            lines[end:] = [""] * (len(lines) - end)
            break
    return "\n".join(lines)


def _old_orders_from(lines: list[str], quoted: list[bool], start: int, index: int) -> int | None:
    """Return the index of the line from which an older email with orders is quoted, or ``None``.

    ``index`` is the quoted line that may be the header of the older orders, ``start`` the header of the new ones. The
    result is ``None`` if nothing is between the two headers.
    """
    if not has_fields(lines[index]):
        return None
    old = attribution(lines, quoted, index)
    return old if any(lines[start + 1 : old]) else None


def _plain_lines(raw: str) -> tuple[list[str], list[bool]]:
    """Return two lists for an email: its lines as plain text, and for each line whether it was quoted.

    HTML, unusual characters, quoting marks and bold type are removed.
    """
    if _HTML.match(raw[:1000].lstrip("\ufeff")):
        raw = html_to_text(raw)
    text = _unencoded(raw if _is_plain(raw) else _LINE_END.sub("\n", raw))
    if not _is_plain(text):
        # Some mail programs write an umlaut as two characters: the letter and the dots.
        text = normalize("NFC", text).translate(_CHARACTERS)
    for entity, sign in _ENTITIES:
        text = text.replace(entity, sign)
    lines = text.split("\n")
    quoted = [line.lstrip().startswith(">") for line in lines]
    return [(_bare if len(line) <= _SHORT else _bare.__wrapped__)(line) if line else "" for line in lines], quoted


def _without_bullets(line: str) -> str:
    place, found = 0, list[int]()
    while bullet := _BULLET.match(line, place):
        found.append(bullet.start("bullet"))
        place = bullet.end()
    if not found:
        return line
    signs = list(line)
    for one in found:
        signs[one] = " "
    return "".join(signs)


def _says_it_is_over(lines: list[str], index: int, no_orders_below: bool) -> bool:
    """Return whether this line begins a signature, an older email or a disclaimer, so that no orders follow."""
    line = lines[index]
    if no_orders_below and _DISCLAIMER.match(line):
        return True
    return line == "--" or _OLD_MAIL.fullmatch(line) is not None


def _is_plain(text: str) -> bool:
    """Return whether a text consists only of printable ASCII characters, tabs and line ends.

    This is true for all texts that the program itself writes.
    """
    return text.isascii() and not text.encode("ascii").translate(None, _PLAIN_BYTES)


_PLAIN_BYTES: Final = bytes((9, 10, *range(0x20, 0x7F)))


_SHORT: Final = 200
"""Maximum number of characters of a line whose result is cached.

The cache helps because drafts and forms are checked with the same lines many times.
"""


_MOST_TABS: Final = 20


@lru_cache(maxsize=2048)
def _bare(line: str) -> str:
    """Return a line without quoting marks, without bold type and without blanks at the end."""
    # Expanding a line of many tabs would make it eight times as long; orders have few tabs.
    line = line.expandtabs(8) if line.count("\t") <= _MOST_TABS else line.replace("\t", " ")
    return _BOLD.sub(r"\1\3", _unquoted(line).rstrip())


@lru_cache(maxsize=2048)
def _says_no_mail(line: str) -> bool:
    """Return whether a line needs no cleaning: it is neither mail program text nor the end of the orders."""
    if line == "--" or any(sign.fullmatch(line) for sign in (_PHONE, _OLD_MAIL, _END)):
        return False
    return not _BULLET.match(line) and not _DISCLAIMER.match(line)


def _header_line(lines: list[str], quoted: list[bool]) -> int:
    """Return the index of the header line from which the orders begin; 0 if there is none.

    A full header (``GAME duel01 TURN 2 …``) is preferred to one like ``GAME duel01``. Of each kind, a line that is
    not quoted is preferred.
    """
    for known in (has_fields, names_game):
        for old in (False, True):
            for index, line in enumerate(lines):
                if quoted[index] is old and "game" in line.casefold() and known(line):
                    return index
    return 0


def own_lines(text: str) -> list[str]:
    """Return the lines of an email, with all lines that are quoted from another email replaced by empty ones.

    These lines count as quoted: lines after ``>``, lines below a mail program's line such as "Ann wrote:", and that
    line itself.
    """
    return list((_own_lines if len(text) <= _KEPT else _own_lines.__wrapped__)(text))


@lru_cache(maxsize=16)
def _own_lines(text: str) -> tuple[str, ...]:
    lines = text.split("\n")
    bare = [line[:300].strip() for line in lines]
    quoted = [_MARKED.match(line) is not None for line in lines]
    below = _old_mail_from(bare, quoted)
    own = ["" if place >= below or quoted[place] else line for place, line in enumerate(lines)]
    for place in range(1, below):
        if quoted[place] and not quoted[place - 1]:
            start = attribution(bare, quoted, place)
            own[start:place] = [""] * (place - start)
    return tuple(without_bars(own))


def _old_mail_from(lines: list[str], quoted: list[bool]) -> int:
    """Return the index of a line such as "Ann wrote:" above an old email without quoting marks.

    Without such a line the result is the number of lines.
    """
    for place, line in enumerate(lines):
        if _BELOW.match(line) and not quoted[place]:
            following = next((other for other in range(place + 1, len(lines)) if lines[other]), place)
            if not quoted[following]:
                return place - 1 if place and is_broken(lines[place - 1], line) else place
    return len(lines)


def without_endings(lines: list[str]) -> list[str]:
    """Return the lines of an email without the lines that telephones ("Sent from my …") or companies add at its end."""
    found: list[str] = []
    for line in lines:
        if _DISCLAIMER.match(line[:400]) or _OLD_MAIL.fullmatch(line[:200]):
            break
        if not _PHONE.fullmatch(line[:200]):
            found.append(line)
    return found


def without_bars(lines: list[str]) -> list[str]:
    """Return the lines without bars (``|``), if the lines contain whole orders copied with bars from our emails.

    Whole orders go from a header to END. Bars stay in quoted text, so that quoted text is not read as orders. Text
    counts as quoted in three cases: after ``>``, below a mail program's line such as "Ann wrote:", and below our
    own introduction (:data:`ABOVE_SHOWN`). The third case detects an email quoted whole by an unknown mail program.
    """
    begins = barred_orders(lines)
    if begins is None:
        return lines
    above = next((line.strip() for line in reversed(lines[:begins]) if line.strip() and not _BAR.match(line)), "")
    if above.endswith(ABOVE_SHOWN):
        return lines
    return [line[bar.end() :] if (bar := _BAR.match(line)) else line for line in lines]


def barred_orders(lines: Sequence[str]) -> int | None:
    """Return the index of the GAME line of complete orders whose lines start with a bar (``|``), or ``None``."""
    if not any("|" in line for line in lines):
        return None
    barred = [line[bar.end() :] if (bar := _BAR.match(line)) else "" for line in lines]
    begins = next((place for place, line in enumerate(barred) if is_header(line)), None)
    return begins if begins is not None and any(_END.fullmatch(line) for line in barred[begins:]) else None


def attribution(lines: Sequence[str], quoted: Sequence[bool], index: int) -> int:
    """Return the index of the line where a quoted old email begins, given the index of any quoted line of that email.

    The old email begins with its first quoted line, or with the line "Ann wrote:" above that line.
    """
    while index and (quoted[index - 1] or not lines[index - 1]):
        index -= 1
    if not index or not lines[index - 1].endswith(":"):
        return index
    # Mail programs break a long line in two: "On Monday Ann Wong <ann@…>" and "wrote:", or before the "<".
    if index > 1 and is_broken(lines[index - 2], lines[index - 1]):
        return index - 2
    return next((index - above for above in (1, 2) if index >= above and _WROTE.match(lines[index - above])), index)


def is_broken(first: str, second: str) -> bool:
    """Return whether two lines together are a line such as "On Monday Ann wrote:" that a mail program broke in two."""
    return _DATED.match(first) is not None and _DATED.match(second) is None


def _unquoted(line: str) -> str:
    while quoting := _QUOTING.match(line):
        line = line[quoting.end() :]
    return line


def joined(text: str, *, delsp: bool = False) -> str:
    """Return format=flowed text (RFC 3676) with one line for each paragraph, as the sender saw the text.

    Thunderbird and Apple Mail send this format. Quoting marks stay, followed by one blank. A line that ends in a
    blank continues in the next line if both lines are quoted to the same depth. A line that begins with a blank,
    ``>`` or ``From`` has one extra blank in front. With ``delsp``, the mail program added the blank at the end, and
    the blank is removed. The line ``-- `` above a signature is never joined. A line that begins something new in
    orders never continues the line above, because a player may leave a blank at the end of a line by mistake.
    """
    found: list[str] = []
    open_at = -1  # quoting depth of the line that continues, or -1 if none does
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        depth = len(line) - len(line.lstrip(">"))
        said = line[depth:].removeprefix(" ")
        goes_on = said.endswith(" ") and said != SIGNATURE
        if goes_on and delsp:
            said = said[:-1]
        if depth == open_at and said != SIGNATURE and not (_BEGINS.match(said[:300]) or is_header(said)):
            found[-1] += said
        else:
            found.append(f"{'>' * depth} {said}" if depth else said)
        open_at = depth if goes_on else -1
    return "\n".join(line if line.endswith(SIGNATURE) else line.rstrip(" ") for line in found)


def _unencoded(text: str) -> str:
    """Return the text with quoted-printable codes (``<=3D 4``, a final ``=``) decoded, if a player pasted such codes.

    The text is decoded only if every ``=`` belongs to a code and at least one code has no other meaning. The number
    of lines stays the same.
    """
    if "=" not in text or not _SURE.search(text) or len(_ENCODED.findall(text)) != text.count("="):
        return text
    found: list[str] = []
    pending: list[str] = []
    for line in text.split("\n"):
        soft = line.rstrip(" \t").endswith("=")
        pending.append(line.rstrip(" \t")[:-1] if soft else line)
        if not soft:
            found += [_OCTETS.sub(_characters, "".join(pending)), *[""] * (len(pending) - 1)]
            pending = []
    return "\n".join([*found, *pending])


def _characters(found: re.Match[str]) -> str:
    octets = bytes.fromhex(found[0].replace("=", ""))
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        return octets.decode("cp1252", "replace")


def without_left_overs(text: str) -> str:
    """Return the text with undeclared quoted-printable codes decoded, such as ``=20`` and a final ``=``."""
    if not _LEFT_OVER.search(text):
        return text
    return _SOME_OCTETS.sub(_characters, re.sub(r"(?<![<>!])=\n", "", text))


def page_text(html: str) -> str:
    """Return an HTML page as plain text; quoted lines begin with ``>``, as in plain email."""
    found: list[str] = []
    depth = 0
    pieces = _BLOCKQUOTE.split(html)
    for place in range(0, len(pieces), 3):
        text = html_to_text(pieces[place]).rstrip("\n")
        found += [f"> {line}" if depth else line for line in text.split("\n")] if text else []
        if place + 2 < len(pieces):
            depth = max(0, depth + (-1 if pieces[place + 2] else 1))
    return "\n".join(found) + "\n"


def html_to_text(html: str) -> str:
    """Return the text of an HTML email as its reader sees it, without styles and scripts.

    Each block and each ``<br>`` begins a new line. No full HTML parser is used, because on broken pages its time
    grows with the square of the length.
    """
    from html import unescape

    lines: list[list[str]] = [[]]
    silent = exact = 0
    for piece in _TAG.split(_without_comments(html)):
        tag = _TAG_NAME.match(piece)
        if tag is None:
            if not silent:
                _add_text(lines, unescape(piece), exact=exact > 0)
            continue
        closing, name = tag[1] == "/", tag[2].lower()
        step = -1 if closing else 1
        if name in _SILENT:
            silent = max(silent + step, 0)
        elif name == "br" or (name in _BLOCKS and lines[-1]):
            lines.append([])
        elif name in ("td", "th") and not closing:
            lines[-1].append("  ")
        if name == "pre":
            exact = max(exact + step, 0)
    return "\n".join("".join(line).replace("\u00a0", " ").rstrip() for line in lines).strip("\n") + "\n"


_BLOCKQUOTE: Final = regex(r"(<(/?)blockquote\b[^<>]*>)", re.IGNORECASE)
_TAG: Final = regex(r"(<[/!?]?[A-Za-z][^<>]*>)")
_TAG_NAME: Final = regex(r"<([/!?]?)([A-Za-z][A-Za-z0-9]*+)[^<>]*+>\Z")
_BLOCKS: Final = frozenset(
    ("p", "div", "li", "tr", "pre", "blockquote", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr")
)
_SILENT: Final = frozenset(("script", "style", "head", "title"))


def _without_comments(html: str) -> str:
    kept: list[str] = []
    start = 0
    while (opens := html.find("<!--", start)) >= 0 and (closes := html.find("-->", opens + 4)) >= 0:
        kept.append(html[start:opens])
        start = closes + 3
    return "".join(kept) + html[start:]


def _add_text(lines: list[list[str]], text: str, *, exact: bool) -> None:
    """Add the text between two HTML tags to the list of lines.

    Several blanks of the source become one blank. No-break spaces stay, because the sender typed them on purpose.
    With ``exact`` (inside ``<pre>``), all blanks and line ends stay.
    """
    if exact:
        first, *rest = text.replace("\r\n", "\n").split("\n")
        lines[-1].append(first)
        lines.extend([line] for line in rest)
        return
    shown = re.sub(r"[ \t\r\n]+", " ", text)
    if not lines[-1]:
        shown = shown.lstrip(" ")
    if shown:
        lines[-1].append(shown)
