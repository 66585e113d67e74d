"""Limits on how much of an email is read, checked before any parser gets the email.

The time of the standard library's parser grows with lines times depth, and with the square of some headers. A
stranger can choose all of these. Within the limits an email is read and classified in some hundredths of a second.
Each check here is a single pass over the bytes.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.util import regex

LARGEST_LETTER: Final = 16_000_000
"""Maximum bytes of an email that are fetched and stored; of a longer email only the headers are read."""
MOST_READ: Final = 800_000
"""Maximum bytes of an email that the parser gets.

Orders come first in an email; further on there are pictures, which are not needed.
"""
MOST_LINES: Final = 15_000
"""Maximum lines of an email that the parser gets, since it handles each line separately.

``MOST_READ`` bytes of base64 are some 10,000 lines.
"""
MOST_HEADER_BYTES: Final = 100_000
MOST_HEADERS: Final = 500
"""Maximum number of headers of an email, since each look-up searches all of them.

Continuation lines of a header are not counted. ``MOST_HEADER_BYTES`` limits their total size.
"""
MOST_NESTED: Final = 40
"""Maximum number of multiparts in an email, inside or beside each other."""
MOST_LINES_NESTED: Final = 150_000
"""Maximum of lines times multiparts of an email, since the parser compares each line with every open boundary."""
MOST_MARKS: Final = 400
"""Maximum lines that begin with ``--`` in an email with a boundary, since each may begin a part."""
MOST_BLOCKS: Final = 2_000
"""Maximum empty lines in an email with a delivery status, since each may begin a block."""
MOST_PARTS: Final = 100
"""Maximum number of parts of an email that are examined."""
LONGEST_CONTENT: Final = 1_000
MOST_PARAMETERS: Final = 20
"""Maximum number of parameters of a ``Content-`` header; ``LONGEST_CONTENT`` is its maximum size in bytes.

The time to parse such a header grows with the square of both.
"""
MOST_CONTENT: Final = 50_000
"""Maximum total bytes of all ``Content-`` headers."""
LARGEST_TEXT: Final = 100_000
"""Maximum bytes of a text that is read; the orders of a whole fleet have some ten thousand."""
LARGEST_PAGE: Final = 300_000
MOST_TAGS: Final = 4_000
"""Maximum number of tags or entities of an HTML page that is read; ``LARGEST_PAGE`` is its maximum size in bytes.

Pages by Outlook are ten times as long as the typed text.
"""
MOST_TEXT_LINES: Final = 2_500
LONGEST_LINE: Final = 5_000
"""Maximum characters of one line; ``MOST_TEXT_LINES`` is the maximum number of lines of a text.

Every line is compared with some dozen patterns.
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
    """Return the beginning of an email that the parser gets, and a clause that says what was cut off.

    The clause is empty if nothing was cut off.
    """
    if len(raw) <= MOST_READ:
        return raw, ""
    said = f"the email has {len(raw)} bytes, and what lies behind the first {MOST_READ} was not read"
    return raw[:MOST_READ], said


def beyond(raw: bytes) -> str:
    """Return a clause that names the limit an email exceeds; empty if it may be parsed.

    A clause is like ``it has more than 500 headers``. Pass the bytes that :func:`what_is_read` returned.
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
    found = 0
    for found, _ in enumerate(pattern.finditer(raw), start=1):
        if found > most:
            break
    return found


def _count(pattern: re.Pattern[bytes], raw: bytes, most: int) -> bool:
    """Return whether a pattern occurs more than ``most`` times."""
    return _most(pattern, raw, most) > most
