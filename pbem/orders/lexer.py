"""The lexer of the order language: split a text into orders and words.

It handles comments, quotes, continued lines and ``;``. A line holds one order. It continues the line above in these
cases:

* It is indented at least two columns deeper than the first order of its section.
* It begins, or the line above ends, with a word that cannot begin or end an order (AND, OR, THEN, a comma …).
* The line above ends with AT, TO, WITHIN or a similar word, and this line begins with something that begins no order:
  a name, a number, a shield, ENEMY. Mail programs break lines at such places.

A line that begins with a heading (SHIP, PLOT, BREAK …) never continues another line, even an unfinished one. The
exception is a word that reads as the subject of a condition (SHUTTLE WITHIN 3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

from pbem.data.files import own_figures
from pbem.errors import Fault, FaultFamily
from pbem.orders import vocabulary as words
from pbem.util import regex

MAX_LINE: Final = 2_000
"""Maximum number of characters of a line; also the maximum number of words in one order."""

DEEPER: Final = 2
"""Minimum number of extra columns by which a continuation line is indented; one column may be a typing error."""

_TOKEN: Final = regex(
    r"""(?P<space>[\s:]+)
      | (?P<shield>\#\d+)
      | (?P<comment>\#.*)
      | (?P<quoted>"(?:[^"]|"")*"|'[^'"]+'(?=[\s,;:)]|$))
      | (?P<open>")
      | (?P<operator>[<>!=][ ]*=|=[ ]*[<>]|<>|<|>|=)
      | (?P<mark>[;,()+|&!])
      | (?P<word>[^\s"\#;,:()<>=!+|&]+)
    """,
    re.VERBOSE,
)
_OPENS: Final = frozenset({"AND", "OR", "THEN"})
_LEAVES_OPEN: Final = frozenset({"AND", "OR", "THEN", "NOT", "IF"})

_WANTS_MORE: Final = frozenset(
    ("AT", "ON", "TO", "FROM", "OF", "WITH", "IN", "WITHIN", "DIR", "UP", "RANGE", "REACHES", "TOWARD", "AWAY", "KEEP")
)
"""Words that cannot be the last word of an order, because a name or a number must follow."""
_NAMES: Final = frozenset({"ENEMY", "ANY", "NEAREST", "IT", "EACH", "ME", "TARGET"})

_NARROWED: Final = frozenset({"ENEMY", "ANY", "EACH", "NEAREST"})


class Token(NamedTuple):
    """A word of the orders, with its line and column (from 1).

    ``kind`` is ``word``, ``quoted`` (``text`` without the quotes), ``shield`` (``#1``), ``operator`` or ``mark``.
    ``key`` is the keyword that the word means, ``""`` for other words.
    """

    kind: str
    text: str
    key: str
    line: int
    column: int


class Statement(NamedTuple):
    """One order of the file as a list of words.

    ``heads`` is true if the order is the first on its line, so that its first word may be a heading.
    """

    tokens: tuple[Token, ...]
    heads: bool


class Misread(Exception):
    """Raised if a line of orders has a fault and cannot be read any further.

    The attribute ``told`` is the fault as the player will see it.
    """

    def __init__(
        self,
        code: str,
        text: str,
        line: int,
        column: int,
        *,
        family: FaultFamily = "not understood",
        choices: tuple[str, ...] = (),
        rule: str = "",
    ) -> None:
        super().__init__(text)
        self.told = Fault(code=code, text=text, rule=rule, line=line, column=column, family=family, choices=choices)


def quoted_word(text: str) -> str:
    """Return a player's word in quotes, shortened to 30 characters for a message."""
    return f'"{text if len(text) <= 30 else text[:29] + "…"}"'


def tokens_of(text: str, line: int = 0) -> list[Token]:
    """Return the words of one line as a list of tokens.

    Raises:
        Misread: The line has an unclosed quote or an empty name, or is too long.
    """
    if len(text) > MAX_LINE:
        raise Misread(
            "line-too-long", f"shorten this line: it has {len(text)} characters, and the most is {MAX_LINE}", line, 1
        )
    return list(_tokens_at(text, line, own_figures().token))


@lru_cache(maxsize=1024)
def _tokens_at(text: str, line: int, figures: str) -> tuple[Token, ...]:
    try:
        found = _tokens(text, figures)
    except Misread as misread:
        raise Misread(misread.told.code, misread.told.text, line, misread.told.column) from None
    return tuple([Token(kind, word, key, line, column) for kind, word, key, _, column in found])


@lru_cache(maxsize=2048)
def _tokens(text: str, figures: str) -> tuple[Token, ...]:
    """Return the words of a line as tokens with line number 0; results are cached.

    Drafts and forms are read many times with one line changed, so most lines repeat. ``figures`` is only a part of
    the cache key. It identifies the custom figures (charts) in use, because these may name weapons differently.
    """
    line = 0
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, piece, column = match.lastgroup or "", match.group(), match.start() + 1
        if kind in ("space", "comment"):
            continue
        if kind == "open":
            raise Misread(
                "unclosed-quote", f"close the quote that begins at {quoted_word(text[column - 1 :])}", line, column
            )
        if kind == "quoted":
            name = " ".join(piece[1:-1].replace('""', '"').split())
            if not name:
                raise Misread("empty-name", "write a name between the quotes", line, column)
            found.append(Token(kind, name, "", line, column))
        elif kind == "operator":
            found.append(Token(kind, words.OPERATORS[piece.replace(" ", "")], "", line, column))
        elif piece == "&":
            found.append(Token("word", piece, "AND", line, column))
        else:
            key = words.keyword(piece) if kind == "word" else ""
            found.append(Token(kind, piece, key, line, column))
    if found and found[-1].kind == "word" and (bare := found[-1].text.rstrip(".")) != found[-1].text and bare:
        # Many players end an order with a full stop; a name that ends with one must be in quotes.
        found[-1] = found[-1]._replace(text=bare, key=words.keyword(bare))
    return tuple(found)


LONG_COMMENT: Final = 60
NARROWEST: Final = 68
"""The smallest width, in columns, at which mail programs break lines.

Lines shorter than ``LONG_COMMENT`` columns are not searched for broken comments.
"""


def wrapped_comments(lines: list[str]) -> Iterator[Fault]:
    """Yield a fault for each line that a mail program may have broken off from the comment above.

    Such a line begins in column 1, directly below a long line that ends in a comment and has no room for one more
    word. The fault asks the player whether the line belongs to the comment.
    """
    for number, (above, line) in enumerate(pairwise(lines), start=2):
        if len(above) < LONG_COMMENT or not line or line[0].isspace() or line.startswith("#"):
            continue
        first = line.split(maxsplit=1)[0]
        commented = "#" in above and any(one.lastgroup == "comment" for one in _TOKEN.finditer(above[:MAX_LINE]))
        if len(above) + 1 + len(first) <= NARROWEST or not commented or words.keyword(first) in words.HEADINGS:
            continue
        text = (
            f"is this an order, or is it the end of the comment above that your email program wrapped? Put # before "
            f"{quoted_word(line)} if it is a comment, or an empty line above it if it is an order"
        )
        choices = ("a comment", "an order")
        yield Misread("wrapped-comment", text, number, 1, family="ambiguous", choices=choices).told


def statements(text: str) -> Iterator[Statement | Fault]:
    """Yield the orders of a text one by one; yield a fault for a line that cannot be split into words."""
    pending: list[Token] = []
    overrun = False
    base: int | None = None
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            tokens = tokens_of(line, number)
        except Misread as misread:
            yield from _parts(pending)
            pending, overrun = [], False
            yield misread.told
            continue
        if not tokens:
            continue
        indent = tokens[0].column - 1
        heading = tokens[0].key in words.HEADINGS
        deeper = base is not None and indent >= base + DEEPER
        if pending and _continues(pending, tokens, deeper=deeper, heading=heading):
            if not overrun and len(pending) + len(tokens) > MAX_LINE:
                first, overrun = pending[0], True
                yield Misread(
                    "line-too-long", "shorten this order: it has too many lines", first.line, first.column
                ).told
            # Continuation lines of an order that is too long are dropped with the order.
            pending = tokens if overrun else pending + tokens
            continue
        if not overrun:
            yield from _parts(pending)
        pending, overrun = tokens, False
        if heading:
            base = None
        elif base is None:
            base = indent
    if not overrun:
        yield from _parts(pending)


def _continues(above: list[Token], tokens: list[Token], *, deeper: bool, heading: bool) -> bool:
    first, last = tokens[0], above[-1]
    if first.key in _OPENS or first.kind == "operator" or first.text in (",", "+", ")"):
        return True
    if heading and not _belongs_above(last, first, tokens[1] if len(tokens) > 1 else None):
        return False
    if last.key in _WANTS_MORE and last.kind == "word" and (not first.key or first.key in _NAMES):
        return True
    return deeper or last.key in _LEAVES_OPEN or last.kind == "operator" or last.text in (",", "+", "(")


def _belongs_above(last: Token, first: Token, second: Token | None) -> bool:
    """Return whether a heading word such as SHIP at the start of a line is part of the order above.

    ``last`` is the last word of the line above, ``first`` the heading word, and ``second`` the word after it.
    """
    asked = last.key in _LEAVES_OPEN and second is not None and second.key in words.AFTER_SUBJECT
    # ENEMY at the end, and SHIP without a name on the next line: SHIP continues the order and begins no block.
    narrows = last.key in _NARROWED and (second is None or bool(second.key))
    return (asked and first.key in ("SHIP", "SHUTTLE", "BREAK", "ENERGY")) or (
        narrows and first.key in ("SHIP", "SHUTTLE")
    )


def _parts(tokens: list[Token]) -> Iterator[Statement]:
    """Yield the orders of one line, which are separated by ``;``; empty orders are left out."""
    if not any(token.text == ";" for token in tokens):
        if tokens:
            yield Statement(tuple(tokens), heads=True)
        return
    start, heads = 0, True
    for index, token in enumerate((*tokens, Token("mark", ";", "", 0, 0))):
        if token.kind == "mark" and token.text == ";":
            if index > start:
                yield Statement(tuple(tokens[start:index]), heads)
            start, heads = index + 1, False
