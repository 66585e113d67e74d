"""How much of an email is read: every limit with its reason, looked at before any parser sees the email.

The standard library's parser takes time that grows with lines times depth, and with the square of some headers; a
stranger chooses all of these. Within the limits an email is read and classified in some hundredths of a second. All
checks here are single passes over bytes.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.util import regex

LARGEST_LETTER: Final = 16_000_000
"""Bytes of an email that are fetched and kept; of a longer one only the headers are read."""
MOST_READ: Final = 800_000
"""Bytes that are given to the parser. Orders come first; what lies behind are photos, of which nothing is needed."""
MOST_LINES: Final = 15_000
"""Lines that are given to the parser, which handles each by itself; ``MOST_READ`` of base64 are some 10,000."""
MOST_HEADER_BYTES: Final = 100_000
MOST_HEADERS: Final = 500
"""The headers of an email, and their lines without continuations: each look-up goes through all of them."""
MOST_NESTED: Final = 40
"""Multiparts in an email, one in another or side by side."""
MOST_LINES_NESTED: Final = 150_000
"""Lines times multiparts: the parser compares each line with every boundary that is open."""
MOST_MARKS: Final = 400
"""Lines that begin with ``--`` in an email with a boundary: each may begin a part."""
MOST_BLOCKS: Final = 2_000
"""Empty lines in an email with a delivery status: each may begin a block of its own."""
MOST_PARTS: Final = 100
"""Parts of an email that are looked at."""
LONGEST_CONTENT: Final = 1_000
MOST_PARAMETERS: Final = 20
"""Bytes of a ``Content-`` header and its parameters: their time grows with the square."""
MOST_CONTENT: Final = 50_000
"""Bytes of all ``Content-`` headers together."""
LARGEST_TEXT: Final = 100_000
"""Bytes of a text that is read; that of a whole fleet's orders is some ten thousand."""
LARGEST_PAGE: Final = 300_000
MOST_TAGS: Final = 4_000
"""Bytes of an HTML page that is read, and its tags or entities: Outlook writes ten times what was typed."""
MOST_TEXT_LINES: Final = 2_500
LONGEST_LINE: Final = 5_000
"""Lines of a text, and characters of one: every line is compared with some dozen patterns."""
MOST_TEXT: Final = 400_000
MOST_WORK: Final = 5_000
"""Bytes of all texts of an email together, and their lines, where each tag of a page counts as one."""


_HEAD_ENDS: Final = regex(rb"\r?\n\r?\n|\r\r")
_HEADER: Final = regex(rb"(?:\A|[\r\n])[^\s:]")
_MULTIPART: Final = regex(rb"multipart/|message/", re.IGNORECASE)
_BOUNDARY: Final = regex(rb"boundary\s*[*=]|message/", re.IGNORECASE)
_MARK: Final = regex(rb"[\r\n]--")
_EMPTY_LINE: Final = regex(rb"\n\r?\n|\r\r")
_STATUS: Final = regex(rb"message/delivery-status", re.IGNORECASE)


def what_is_read(raw: bytes) -> tuple[bytes, str]:
    """The beginning of an email that is given to the parser, and what is said of the rest where there is one."""
    if len(raw) <= MOST_READ:
        return raw, ""
    said = f"the email has {len(raw)} bytes, and what lies behind the first {MOST_READ} was not read"
    return raw[:MOST_READ], said


def beyond(raw: bytes) -> str:
    """Which limit an email exceeds, as a clause (``it has more than 500 headers``); empty where it may be parsed. Give
    it what :func:`what_is_read` left.
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
    """How often a pattern is found; where that is more than ``most``, one more than that."""
    found = 0
    for found, _ in enumerate(pattern.finditer(raw), start=1):
        if found > most:
            break
    return found


def _count(pattern: re.Pattern[bytes], raw: bytes, most: int) -> bool:
    """Whether a pattern is found more than ``most`` times."""
    return _most(pattern, raw, most) > most
