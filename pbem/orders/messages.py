"""Messages from one player to others, inside an email or an order file.

A message begins on a line such as ``MESSAGE TO klingon``, ``MESSAGE TO ALL`` or ``UMPIRE``. The first words of the
message may be on the same line. The message ends with the line ``END MESSAGE``. Without that line, the message ends
at the first empty line, or before a line that begins orders or another message. Nothing in a message is read as an
order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from pbem.orders.header import is_header
from pbem.util import regex

ALL: Final = "*"
UMPIRE: Final = ""
"""The value of :attr:`Message.to` for a message to the umpire (``UMPIRE``).

:data:`ALL` above is the value for a message to everybody (``ALL``).
"""
MOST_CHARACTERS: Final = 2_000
MOST_LINES: Final = 40
MOST_MESSAGES: Final = 5
"""The maximum number of messages of one side for each request for orders.

The limits above are the maximum numbers of characters and of lines of one message.
"""

MENTION: Final = regex(r"MESSAGE|UMPIRE", re.IGNORECASE)
"""Finds a word that every message has in its first line: a text without it need not be searched for messages."""

_LOOKED_AT: Final = 200
"""Number of characters at the start of a line that are examined for the beginning or end of a message."""
_BEGINS: Final = regex(
    r"\s*(?:(?i:MESSAGE\s+(?:TO|FOR)(?:\s+THE(?=\s))?)\s+(?P<to>\"[^\"]{1,60}\"|[^\s:]{1,60})\s*:?|(?:UMPIRE\b|(?i:UMPIRE)(?=\s*:))\s*[:,]?)(?P<first>.*)"
)
_ENDS: Final = regex(r"\s*+END\s++MESSAGE\s*+[.;]?\s*+", re.IGNORECASE)
_ORDERS: Final = regex(r"\s*(?:(?:SHIP|SHUTTLE)\s+\S|END\s*(?:[.;#].*)?$)", re.IGNORECASE)


class Message(msgspec.Struct, frozen=True):
    """A message of a player.

    Attributes:
        to: The addressee: a side as the player wrote it, :data:`ALL` or :data:`UMPIRE`.
        text: The text.
    """

    to: str
    text: str


def messages_in(lines: Sequence[str]) -> tuple[Message, ...]:
    """Return a tuple of all messages in the lines of a text; empty messages are left out."""
    found = []
    for start, end in message_ranges(lines):
        head = _BEGINS.match(lines[start][:_LOOKED_AT])
        assert head is not None
        to = (head["to"] or "").strip('"')
        rest = [line for line in lines[start + 1 : end] if not _ENDS.fullmatch(line)]
        first = head["first"] + lines[start][_LOOKED_AT:MOST_CHARACTERS]
        text = printable_text("\n".join([first, *rest]))
        if text:
            found.append(Message(ALL if to.casefold() == "all" else UMPIRE if to.casefold() == "umpire" else to, text))
    return tuple(found)


def message_ranges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield for each message the index of its first line, and the index of the line after its last line."""
    place = 0
    while place < len(lines):
        if not _BEGINS.match(lines[place][:_LOOKED_AT]):
            place += 1
            continue
        end = _end(lines, place)
        yield place, end
        place = end


def _end(lines: Sequence[str], start: int) -> int:
    short = 0
    for place in range(start + 1, len(lines)):
        line = lines[place][:_LOOKED_AT]
        if _ENDS.fullmatch(line):
            return place + 1
        if not short and (not line.strip() or _ORDERS.match(line) or is_header(line)):
            short = place
        if _BEGINS.match(line):
            break
    else:
        place = len(lines)
    return short or place


def without_messages(text: str) -> str:
    """Return the text with the lines of all messages replaced by empty lines."""
    lines = text.split("\n")
    for start, end in list(message_ranges(lines)):
        lines[start:end] = [""] * (end - start)
    return "\n".join(lines)


def printable_text(text: str) -> str:
    """Return the text of a message as other players will receive it.

    The result has only printable characters, and no empty lines at the start and end.
    """
    lines = ["".join(char if char.isprintable() else " " for char in line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip()


def cut_to_limits(text: str) -> tuple[str, bool]:
    """Return a message shortened to the maximum length, and whether anything was cut."""
    lines = text[:MOST_CHARACTERS].split("\n")[:MOST_LINES]
    short = "\n".join(lines)
    return (text, False) if short == text else (f"{short.rstrip()}\n[cut off here]", True)
