"""Recognize, read and write the header, i.e. the first line of an order file.

An example is ``GAME duel01 TURN 2 SIDE klingon REPLY 1 FORM SOP``. No other module reads or writes this line. Any
word may be the name of a game. If the name is also a word of the header line, it must be quoted: ``GAME "turn" TURN
2``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, MutableMapping, Sequence
from itertools import pairwise
from typing import Any, Final, Protocol

import msgspec

from pbem.data.terms import FormKind
from pbem.orders import vocabulary as words
from pbem.orders.cursor import Cursor
from pbem.orders.lexer import Misread, Token, tokens_of
from pbem.orders.names import name_text
from pbem.util import regex

_LOOKED_AT: Final = 500
"""Number of characters at the start of a line that are examined to decide whether the line is a header."""

_LONG: Final = regex(rf"\s*+GAME[\s:]\s*+\S.*\s(?:{'|'.join([*words.HEADER][1:])})\b", re.IGNORECASE)
_SHORT: Final = regex(r'\s*GAME[\s:]+("[^"]*"|[^\s"#;]+)\s*([#;].*)?', re.IGNORECASE)
_WITH_TOKEN: Final = regex(r"\s*+GAME[\s:]\s*+\S.*\sTOKEN\b", re.IGNORECASE)
_SIDE: Final = regex(r'SIDE[\s:]+"?([^"\s#;]+)', re.IGNORECASE)
_GAME: Final = regex(r'\s*GAME[\s:=]+(?:"([^"]*)"|([^"\s#;]+))', re.IGNORECASE)
_REQUEST: Final = regex(r"[rR]\d{1,4}", re.ASCII)


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The values in a header line; a field that the line leaves out is empty or ``None``.

    Attributes:
        game: Name of the game.
        turn: The turn of the request for orders that is answered.
        side: The side that answers.
        reply: The number of that request.
        form: What the answer contains (:class:`~pbem.data.terms.FormKind`).
    """

    game: str = ""
    turn: int | None = None
    side: str = ""
    reply: int | None = None
    form: str = ""


_NAMED: Final = {"GAME": "the name of the game", "SIDE": "the name of a side"}
"""Header fields that hold a name of any form, with a description of each field for error messages."""
_CALLED: Final = {"TURN": "a turn", "REPLY": "the number of a request"}


class RequestFields(Protocol):
    """Interface of a request for orders (a question to one side), with the fields that the answer's header repeats."""

    @property
    def turn(self) -> int:
        """The turn that the orders are for."""

    @property
    def number(self) -> int:
        """The number of the request."""

    @property
    def form(self) -> str:
        """What the request asks for: energy forms, orders or both (:class:`~pbem.data.terms.FormKind`)."""


# --- write -----------------------------------------------------------------------------------------------------------


def header_line(header: Header, gap: str = " ") -> str:
    """Return the text of a header line without empty fields; names are quoted where necessary.

    ``gap`` is the separator text between two fields.
    """
    said = {word: getattr(header, word.lower()) for word in words.HEADER}
    given = {word: value for word, value in said.items() if value not in ("", None)}
    return gap.join(f"{word} {name_text(value) if word in _NAMED else value}" for word, value in given.items())


def answer_to(game: str, side: str, request: RequestFields) -> Header:
    """Return the :class:`Header` that a side's answer to a request for orders must have.

    The field FORM is left out if the request asks for both energy forms and orders.
    """
    form = "" if request.form == FormKind.FULL else request.form
    return Header(game=game, turn=request.turn, side=side, reply=request.number, form=form)


def answer_line(game: str, side: str, request: RequestFields, *, gap: str = " ") -> str:
    """Return the text of the header line that a side's answer to a request for orders must have."""
    return header_line(answer_to(game, side, request), gap)


# --- recognize -------------------------------------------------------------------------------------------------------


def begins(line: str) -> bool:
    """Return whether a line begins like a header, even if the rest of the line is not valid."""
    return line.lstrip()[:4].upper() == "GAME"


def has_fields(line: str) -> bool:
    """Return whether a line is a header with at least one field besides GAME."""
    return _LONG.match(line[:_LOOKED_AT]) is not None


def names_game(line: str) -> bool:
    """Return whether a line is a header with the field GAME only."""
    return _SHORT.fullmatch(line[:_LOOKED_AT]) is not None


def is_header(line: str) -> bool:
    """Return whether a line is a header; a header may also contain a player's secret token."""
    return has_fields(line) or names_game(line) or _WITH_TOKEN.match(line[:_LOOKED_AT]) is not None


def order_sets(text: str) -> list[tuple[int, str]]:
    """Split a file with the orders of several sides, as ``pbem forms`` prints them, into the orders of each side.

    Text after END begins new orders only under two conditions. It is the header of another side, and only empty
    lines and comments are between END and that header. Any other text after END, and a second header of the same
    side, belong to an older email quoted below, and are not split off.

    Returns:
        For each set of orders, the number of lines above it and its text.
    """
    lines, found, ended = text.split("\n"), [0], False
    sides = {_side_in(next(filter(is_header, lines), ""))}
    for number, line in enumerate(lines):
        said = line.strip()
        if ended and is_header(line) and _side_in(line) not in sides:
            found.append(number)
            sides.add(_side_in(line))
        if said and not said.startswith("#"):
            ended = said.upper() == "END"
    return [(one, "\n".join(lines[one:then])) for one, then in pairwise([*found, len(lines)])]


def other_sets(lines: Iterable[str]) -> list[tuple[str, str]]:
    """Return (game, side), in lower case, of each later set of orders that is for another game or side.

    A player who writes for two games or sides in one text must end the first orders with END.
    """
    found, ended = list[tuple[str, str]](), False
    for line in lines:
        if has_fields(line) and (ended or not found):
            found.append((_game_in(line), _side_in(line)))
            ended = False
        ended = ended or line.strip().upper() == "END"
    first, *others = dict.fromkeys(found) or [("", "")]
    # A header without a side may belong to the same side.
    return [one for one in others if one[0] != first[0] or (one[1] and first[1])]


def _game_in(line: str) -> str:
    named = _GAME.match(line)
    return (named[1] or named[2] or "").casefold() if named else ""


def _side_in(line: str) -> str:
    place = field_columns(line).get("SIDE")
    named = _SIDE.match(line, place - 1) if place else None
    return named[1].casefold() if named else ""


def field_columns(line: str) -> dict[str, int]:
    """Return the column (from 1) of each header field in a line, by the first word of the field.

    If a field occurs twice, the first column counts. A name that is spelled like a field word does not count as a
    field.
    """
    try:
        tokens = tokens_of(line, 1)
    except Misread:
        return {}
    found: dict[str, int] = {}
    name_due = False
    for place, token in enumerate(tokens):
        if name_due and (token.key not in words.HEADER or _is_name(tokens[place:])):
            name_due = token.kind == "operator"
        elif token.key in words.HEADER:
            found.setdefault(token.key, token.column)
            name_due = token.key in _NAMED
    return found


# --- read fields -----------------------------------------------------------------------------------------------------


def read_fields(cursor: Cursor, fields: MutableMapping[str, Any]) -> None:
    """Read the header field at the cursor and store its value in ``fields``.

    Raises:
        Misread: The field is faulty, or ``fields`` already holds a different value (``header-twice``).
    """
    key = cursor.key()
    cursor.need(*words.HEADER)
    if (sign := cursor.peek()) is not None and sign.kind == "operator" and sign.text == "=":
        cursor.at += 1
    value = _value(cursor, key)
    if fields.get(key, value) != value:
        text = f"{key} is {fields[key]} above but {value} here; keep one"
        raise cursor.misread("header-twice", text, family="ambiguous", choices=(str(fields[key]), str(value)), back=1)
    fields[key] = value


def _value(cursor: Cursor, key: str) -> str | int:
    token = cursor.peek()
    if key in _NAMED:
        return _name(cursor, key)
    if key == "FORM":
        value = cursor.take_word(*words.FORMS) or ("EAF" if cursor.take("ENERGY") else "")
        if not value:
            cursor.fail(*words.FORMS)
        return value
    if token is not None and token.kind == "shield" and token.text[1:].isdecimal() and len(token.text) < 6:
        cursor.at += 1
        return int(token.text[1:])
    if key == "REPLY" and token is not None and _REQUEST.fullmatch(token.text):
        # The player may write the number as in file names: r2, as in klingon.r2.orders.
        cursor.at += 1
        return int(token.text[1:])
    return cursor.number(_CALLED.get(key, "a number"))


def _name(cursor: Cursor, key: str) -> str:
    """Read and return a name of one word, which may have digits or be a word of the order language."""
    token = cursor.peek()
    free = token is not None and (token.key not in words.HEADER or _is_name(cursor.tokens[cursor.at :]))
    if token is not None and token.kind == "word" and free and (token.text[0].isdecimal() or token.key):
        cursor.at += 1
        return token.text
    return cursor.name(_NAMED[key])


def _is_name(tokens: Sequence[Token]) -> bool:
    """Return whether a field word such as TURN is used as a name at this place of a header.

    The word is a name if it is the last word of the line, or if another field word follows it.
    """
    return len(tokens) == 1 or tokens[1].key in words.HEADER
