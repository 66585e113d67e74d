"""Evaluate constant BeanShell expressions in the texts of pieces.

Supported are literals, integer arithmetic, concatenation, comparisons, ``?:``, and properties of the piece itself.
VASSAL passes ``{...}`` to a Java interpreter, and supported expressions give the same result here. For everything
else (functions, other pieces, the map, players, fractions), there is no result, because it could only be guessed.

>>> constant('{"NCC-" + (1700 + 1)}', {})
'NCC-1701'
>>> constant('{Name + (Level > 1 ? " damaged" : "")}', {"Name": "Lexington", "Level": "2"})
'Lexington damaged'
>>> constant("{SumStack(Strength)}", {"Strength": "4"}) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from vassal.pieces.trait import is_expression

__all__ = ["constant"]

Value: TypeAlias = str | int | bool

MAX_EXPRESSION = 1_000
"""Maximum length of an expression in characters; longer ones are not evaluated."""
MAX_TEXT = 10_000
"""Maximum length in characters of any text that results within an expression."""
MAX_DEPTH = 40
"""Maximum depth of brackets and ``?:`` inside each other."""
MOST, LEAST = 2**31 - 1, -(2**31)
"""The largest and the smallest value of Java's int."""

_TOKENS = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<number>\d+)(?![\w.])|(?P<name>\$?[A-Za-z_]\w*\$?)'
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[-+*/%<>!?:()]))"
)
_WHOLE = re.compile(r"[-+]?[0-9]{1,10}")
_NUMERIC = re.compile(r"[-+.0-9]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


class _NoConstantError(Exception):
    """Raised if an expression has no constant value, or none that can be computed here."""


def constant(text: str, properties: Mapping[str, str | None]) -> str | None:
    """Return the value of an expression as text, or ``None`` if it is not constant.

    *properties* are those of the piece to which the expression belongs.
    """
    if len(text) > MAX_EXPRESSION or not is_expression(text):
        return None
    inner = text[1:-1].strip()
    if not inner:
        return ""
    if _WHOLE.fullmatch(inner) and LEAST <= int(inner) <= MOST:
        return str(int(inner))
    if len(inner) > 1 and inner[0] == inner[-1] == '"' and inner.count('"') == 2:
        return inner[1:-1]  # a single string is returned unchanged, with its backslashes
    try:
        return _written(_Reader(inner, properties).whole())
    except _NoConstantError:
        return None


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _typed(value: str) -> Value:
    """Return the value of a property as the type that VASSAL gives it in expressions."""
    if value in ("true", "false"):
        return value == "true"
    if not _NUMERIC.fullmatch(value):
        if len(value) > MAX_TEXT or "$" in value or is_expression(value):
            raise _NoConstantError
        return value
    if len(value) > 1 and value[0] == "0" and value.isdecimal():
        raise _NoConstantError  # whether 007 is a text depends on a setting of the module
    if _WHOLE.fullmatch(value):
        return _in_range(int(value))
    if re.fullmatch(r"[-+]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)", value):
        raise _NoConstantError  # a fraction, or too big
    return value


def _in_range(value: int) -> int:
    if not LEAST <= value <= MOST:
        raise _NoConstantError
    return value


class _Reader:
    """An evaluator of tokens from left to right by operator precedence; it evaluates both branches of ``?:``."""

    def __init__(self, text: str, properties: Mapping[str, str | None]) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0
        self.properties = properties

    def whole(self) -> Value:
        """Return the value of the whole expression."""
        value = self._choice()
        if self.at < len(self.tokens):
            raise _NoConstantError
        return value

    def _next(self, *signs: str) -> str:
        """Consume and return the next token if it is one of *signs*, else return an empty string."""
        if self.at < len(self.tokens):
            kind, token = self.tokens[self.at]
            if kind == "sign" and token in signs:
                self.at += 1
                return token
        return ""

    def _must(self, sign: str) -> None:
        if not self._next(sign):
            raise _NoConstantError

    def _choice(self) -> Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _NoConstantError
        value = self._ranked(0)
        if self._next("?"):
            then = self._choice()
            self._must(":")
            other = self._choice()
            if not isinstance(value, bool):
                raise _NoConstantError
            value = then if value else other
        self.depth -= 1
        return value

    def _ranked(self, rank: int) -> Value:
        if rank == len(_RANKS):
            return self._single()
        value = self._ranked(rank + 1)
        while sign := self._next(*_RANKS[rank]):
            value = _RANKS[rank][sign](value, self._ranked(rank + 1))
        return value

    def _single(self) -> Value:
        signs = []
        while sign := self._next("-", "!"):
            signs.append(sign)
        value = self._plain()
        for sign in reversed(signs):
            value = _in_range(-_whole(value)) if sign == "-" else not _truth(value)
        return value

    def _plain(self) -> Value:
        if self._next("("):
            value = self._choice()
            self._must(")")
            return value
        if self.at == len(self.tokens):
            raise _NoConstantError
        kind, token = self.tokens[self.at]
        self.at += 1
        if kind == "text":
            return _unescaped(token[1:-1])
        if kind == "number":
            if len(token) > 10 or (len(token) > 1 and token[0] == "0"):  # Java reads 010 as eight
                raise _NoConstantError
            return _in_range(int(token))
        if kind == "name":
            return self._named(token)
        raise _NoConstantError

    def _named(self, name: str) -> Value:
        if name in ("true", "false"):
            return name == "true"
        if name == "GetProperty":
            self._must("(")
            asked = self._choice()
            self._must(")")
            name = _written(asked)
        elif name[0] == "$" or name[-1] == "$":
            name = name.strip("$")
        value = self.properties.get(name)
        if value is None:
            raise _NoConstantError
        return _typed(value)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at, end, last = 0, len(text.rstrip()), ""
    while at < end:
        match = _TOKENS.match(text, at)
        if match is None or match.lastgroup is None:
            raise _NoConstantError
        token = match[match.lastgroup]
        if token in ("+", "-") and token == last and text[at] == token:
            raise _NoConstantError  # ++ and -- are operators of their own in Java
        yield match.lastgroup, token
        at, last = match.end(), token


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        found = _ESCAPES.get(match[1])
        if found is None:
            raise _NoConstantError
        return found

    return re.sub(r"\\(.)", one, text)


def _whole(value: Value) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _NoConstantError
    return value


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise _NoConstantError
    return value


def _plus(one: Value, other: Value) -> Value:
    if isinstance(one, str) or isinstance(other, str):
        text = _written(one) + _written(other)
        if len(text) > MAX_TEXT:
            raise _NoConstantError
        return text
    return _in_range(_whole(one) + _whole(other))


def _divided(one: Value, other: Value) -> int:
    """Return the quotient of two whole numbers, rounded toward zero as in Java."""
    upper, lower = _whole(one), _whole(other)
    if lower == 0:
        raise _NoConstantError
    found = abs(upper) // abs(lower)
    return _in_range(found if (upper < 0) == (lower < 0) else -found)


def _left(one: Value, other: Value) -> int:
    return _whole(one) - _divided(one, other) * _whole(other)


def _same(one: Value, other: Value) -> bool:
    if type(one) is not type(other):
        raise _NoConstantError
    return one == other


_RANKS: tuple[Mapping[str, Callable[[Value, Value], Value]], ...] = (
    {"||": lambda one, other: _truth(one) | _truth(other)},
    {"&&": lambda one, other: _truth(one) & _truth(other)},
    {"==": _same, "!=": lambda one, other: not _same(one, other)},
    {
        "<": lambda one, other: _whole(one) < _whole(other),
        ">": lambda one, other: _whole(one) > _whole(other),
        "<=": lambda one, other: _whole(one) <= _whole(other),
        ">=": lambda one, other: _whole(one) >= _whole(other),
    },
    {"+": _plus, "-": lambda one, other: _in_range(_whole(one) - _whole(other))},
    {
        "*": lambda one, other: _in_range(_whole(one) * _whole(other)),
        "/": _divided,
        "%": _left,
    },
)
"""The operators by precedence, the lowest first."""
