"""What somebody nearly wrote: the one word that a faulty line lacks, or that is misspelt in it, and the line with it.

Nothing here knows the grammar: a word that was expected is put in, and the order is read again. Only where exactly one
of them makes an order is it told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from pbem.faults import Fault
from pbem.orders import words
from pbem.orders.blocks import Block
from pbem.orders.cursor import Cursor, meant
from pbem.orders.lexer import Misread, Token, shown

_OF_WORDS: Final = ("expected", "unknown-word", "incomplete")
"""Faults that may be the want of one word."""
_MOST_TOKENS: Final = 60
"""Words of an order that is tried; a longer one is told as it is."""
_JOINING: Final = ("AT", "TO", "FROM", "OF", "WITH", "THEN", "IF", "MAP")
"""Words that join the parts of an order, and say nothing more."""
_BEGINNING: Final = ("FIRE", "LAUNCH", "AWAY")
"""Words an order begins with that is known without them."""
_END: Final = "the end of the order"


class _Change(NamedTuple):
    """A word that is put before the token at ``place``, or instead of it."""

    place: int
    word: str
    instead: bool = False


def nearly(fault: Fault, tokens: Sequence[Token], section: str, lines: Sequence[str]) -> Fault:
    """The fault of an order (its words, the section it stands in, the lines of the file) with what would mend it, where
    that is one thing.
    """
    if fault.code not in _OF_WORDS or len(tokens) > _MOST_TOKENS:
        return fault
    first = int(len(tokens) > 1 and tokens[0].key == section)  # a heading with its order on the same line
    place = next((n for n, one in enumerate(tokens) if (one.line, one.column) == (fault.line, fault.column)), None)
    if place is None:
        place = len(tokens) if fault.code == "incomplete" else -1
    if place < first:
        return fault
    change = _misspelt(fault, tokens, place)
    if change is not None and _reads(_changed(tokens, change), first, section):
        return msgspec.structs.replace(fault, fits=_line(lines, tokens, change))
    if place < len(tokens) and tokens[place].text == "," and _END in fault.choices:
        return _separated(fault, tokens, place, first, section, lines)
    found = [one for one in _missing(fault, tokens, place) if _reads(_changed(tokens, one), first, section)]
    if len(found) != 1:
        return fault
    line = _line(lines, tokens, found[0])
    if place == len(tokens):
        return msgspec.structs.replace(fault, fits=line)
    text = f"the word {found[0].word} is missing before {shown(tokens[place].text)}"
    return msgspec.structs.replace(fault, text=text, fits=line)


def _misspelt(fault: Fault, tokens: Sequence[Token], place: int) -> _Change | None:
    """The word that the fault says was meant, instead of the one found, or of the one before, which was read as a
    name.
    """
    for at in (place, place - 1):
        if 0 <= at < len(tokens) and tokens[at].kind == "word" and not tokens[at].key:
            word = meant(tokens[at].text, fault.choices)
            if word and f"did you mean {word}" in fault.text:
                return _Change(at, word, instead=True)
    return None


def _missing(fault: Fault, tokens: Sequence[Token], place: int) -> Iterator[_Change]:
    """Words of those expected that may have been left out: those that join the parts of an order. What begins one is
    put only before a word of the language, and what looks like a slip of that very word is left to who wrote it.
    """
    found = tokens[place] if place < len(tokens) else None
    name = found.text.upper() if found is not None and not found.key and found.kind == "word" else ""
    for word in dict.fromkeys(fault.choices):
        slip = name not in words.CODES and not name.isdecimal() and (name.startswith(word) or len(name) in (1, 2))
        if (word in _JOINING and not slip) or (word in _BEGINNING and found is not None and found.key):
            yield _Change(place, word)


def _changed(tokens: Sequence[Token], change: _Change) -> list[Token]:
    near = tokens[min(change.place, len(tokens) - 1)]
    token = Token("word", change.word, words.keyword(change.word), near.line, near.column)
    return [*tokens[: change.place], token, *tokens[change.place + change.instead :]]


def _reads(tokens: Sequence[Token], first: int, section: str) -> bool:
    """Whether these words, from the first on, are an order of the section."""
    if not tokens[first:] or tokens[first].key in words.HEADINGS:
        return False
    block = Block("", False, "", tokens[0])
    try:
        block.order(Cursor(tokens[first:]), section)
    except Misread:
        return False
    return True


def _line(lines: Sequence[str], tokens: Sequence[Token], change: _Change) -> str:
    """The line with the change in it, in the words of whoever wrote it."""
    if change.place == len(tokens):
        last = tokens[-1]
        line, end = lines[last.line - 1], last.column - 1 + len(last.text) + 2 * (last.kind == "quoted")
        return f"{line[:end]} {change.word}{line[end:]}"
    token = tokens[change.place]
    line, start = lines[token.line - 1], token.column - 1
    if change.instead:
        return line[:start] + change.word + line[start + len(token.text) :]
    return f"{line[:start]}{change.word} {line[start:]}"


def _separated(
    fault: Fault, tokens: Sequence[Token], place: int, first: int, section: str, lines: Sequence[str]
) -> Fault:
    """Several orders on one line with commas between them, of which each reads by itself."""
    commas: list[int] = []
    start = first
    for at in (n for n in range(place, len(tokens)) if tokens[n].text == "," and tokens[n].kind == "mark"):
        if _reads(tokens[start:at], 0, section):  # the comma within PHOT A,B separates no orders
            commas.append(at)
            start = at + 1
    if not commas or not _reads(tokens[start:], 0, section):
        return fault
    line = lines[fault.line - 1]
    for at in commas:
        if tokens[at].line == fault.line:
            line = f"{line[: tokens[at].column - 1]};{line[tokens[at].column :]}"
    text = "orders stand on lines of their own, or with ; between them, not with a comma"
    return msgspec.structs.replace(fault, text=text, fits=line)
