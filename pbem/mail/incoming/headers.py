"""Headers of a letter that anybody may have written anyhow: read without trust, in bounded time."""

from __future__ import annotations

import re
from email.header import decode_header
from email.message import Message
from typing import Final

from pbem.orders.charset import plain_label
from pbem.patterns import regex

MOST: Final = 20_000
"""Characters of a header that are read."""
MOST_ENCODED: Final = 1_000
"""Characters of a header with encoded words that are read: the library's time grows with the square."""

_ADDRESS: Final = regex(r"[^\s@<>,;:\"()\[\]\\]{1,200}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,200}[A-Za-z0-9])?")
_ID: Final = regex(r"<[^\s<>]{1,250}>")
_QUOTED: Final = regex(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<closed>"?)', re.DOTALL)
_FOLD: Final = regex(r"\r?\n(?=[ \t])")
_COMMENT: Final = regex(r"\([^()]*\)")


def header(message: Message, name: str) -> str:
    """A header as it stands, the first where there are several; ``""`` without one."""
    try:
        value = message.get(name)
    except (ValueError, LookupError, IndexError, TypeError, AttributeError):
        return ""
    return "" if value is None else str(value)[:MOST]


def plain(value: str) -> str:
    """A header's text with its encoded words read; where they cannot be, as it stands."""
    if "=?" not in value:
        return _FOLD.sub("", value[:MOST])
    value = _FOLD.sub("", value[:MOST_ENCODED])  # or the blank before an encoded word on a line of its own is lost
    try:
        pieces = decode_header(value)
    except Exception:  # whatever is wrong with it, it stands as it is
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
    """Text that may be put into another header or a sentence: no line ends, no control characters."""
    text = plain(value)
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:1000]


def ids(value: str) -> tuple[str, ...]:
    """Message ids in a header, at most 50 of them."""
    return tuple(found for found in _ID.findall(value) if found.isascii() and found.isprintable())[:50]


def addresses(message: Message, *names: str) -> tuple[str, ...]:
    """The bare addresses in these headers, in small letters, each once.

    Names in quotes and comments are left out first: what is written in them is no address.
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
    """A header without what stands in quotes; a quote that nobody closed is none."""
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
    found = []
    for piece in bare.split(","):
        pointed = re.findall(r"<([^<>]*)>", piece)
        words = [pointed[-1].strip()] if pointed else piece.replace(";", " ").split()
        for word in words:
            # Source routes and group names went out of use long ago.
            if _ADDRESS.fullmatch(word):
                found.append(word.lower())
    return found
