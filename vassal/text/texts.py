"""Small texts within texts: whole numbers and notes."""

from __future__ import annotations

import re

from vassal.text import sequence

__all__ = ["is_number", "number", "plain_note", "stored_note"]

_INTEGER = re.compile(r"[+-]?[0-9]{1,12}")


def number(token: str, default: int = 0) -> int:
    """A decimal integer of 32 bits; *default* where VASSAL would take its default."""
    if token.isdecimal() and token.isascii() and len(token) < 10:
        return int(token)  # the usual case, without the pattern
    return int(token) if is_number(token) else default


def is_number(token: str) -> bool:
    """Whether VASSAL reads *token* as a whole number."""
    return _INTEGER.fullmatch(token) is not None and -(2**31) <= int(token) < 2**31


def plain_note(text: str) -> str:
    """A note as a player sees it: VASSAL writes its line ends as ``|`` and a ``|`` as ``\\|``."""
    return "\n".join(sequence.decode(text, "|"))


def stored_note(text: str) -> str:
    """A note as it is stored. A line must not end with a backslash: VASSAL would swallow the line end."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return sequence.encode(lines, "|")
