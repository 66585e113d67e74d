"""Minify JavaScript for emailed pages: remove spaces and comments, and shorten local names.

It understands only the JavaScript of this project's own templates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from string import ascii_letters
from typing import NamedTuple

from pbem.data.cache import cached_texts
from pbem.reports.html.compact import LONGEST
from pbem.util import regex

_SCRIPT = regex(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<template>`)|(?P<remark>/\*.*?\*/|//[^\n]*)|(?P<space>\s+)"""
    r"""|(?P<word>[\w$]+)|(?P<sign>.)""",
    re.DOTALL,
)
_PATTERN = regex(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
"""Pattern for a regular expression literal in a JavaScript text."""
_BEFORE_PATTERN = frozenset("(,=:[!&|?{};+-*%<>~^")
_WORDS_BEFORE_PATTERN = frozenset(("return", "typeof", "case", "in", "of", "else"))


class _Piece(NamedTuple):
    """A token of a script with the white space before it; ``kind`` is ``text``, ``word`` or ``sign``."""

    kind: str
    text: str
    gap: str = ""


@lru_cache(maxsize=16)
def squeezed_script(text: str) -> str:
    """Return a script without comments and needless spaces.

    Line breaks are kept, because a statement may end at one.
    """
    return _joined(_pieces(text))


@cached_texts
def shortened_script(text: str) -> str:
    """Return a squeezed script in ASCII, with short names for everything that the script itself declares.

    Use it only for scripts whose names are not used from outside.
    """
    pieces = _renamed(_pieces(text))
    short = [piece._replace(text=in_ascii(piece.text)) if piece.kind == "text" else piece for piece in pieces]
    # What is constant has been seen to by then: the word that says so is two signs longer.
    short = [piece._replace(text="let") if piece[:2] == ("word", "const") else piece for piece in short]
    return _joined(short, LONGEST)


def _pieces(text: str, at: int = 0, end: int | None = None) -> list[_Piece]:
    """Return a list of the tokens of a script, including those of the code in its template literals."""
    end = len(text) if end is None else end
    out: list[_Piece] = []
    last, gap = "", ""
    while at < end:
        if text[at] == "/" and text[at : at + 2] not in ("//", "/*") and _takes_pattern(last):
            found = _PATTERN.match(text, at, end)
        else:
            found = None
        if found is not None:
            piece, kind = found[0], "text"
        else:
            found = _SCRIPT.match(text, at, end)
            assert found is not None
            piece, kind = found[0], found.lastgroup or ""
        if kind == "template":
            stop = _template_end(text, at)
            inside = _template_pieces(text, at, stop)
            out += [inside[0]._replace(gap=gap), *inside[1:]]
            at, last, gap = stop, "`", ""
            continue
        at += len(piece)
        if kind in ("space", "remark"):
            gap = "\n" if "\n" in piece and kind == "space" else gap or " "
            continue
        out.append(_Piece(kind, piece, gap))
        last, gap = piece, ""
    return out


def _template_pieces(text: str, at: int, stop: int) -> list[_Piece]:
    """Return the tokens of a JavaScript template literal.

    They are its texts, each with the adjacent ``${`` or ``}``, and the tokens of the code between them.
    """
    out: list[_Piece] = []
    began = at
    at += 1
    while at < stop:
        if text[at] == "\\":
            at += 2
        elif text[at : at + 2] == "${":
            out.append(_Piece("text", text[began : at + 2]))
            began = _code_end(text, at + 2)
            out += _pieces(text, at + 2, began)
            at = began + 1
        else:
            at += 1
    out.append(_Piece("text", text[began:stop]))
    return out


def _joined(pieces: Iterable[_Piece], longest: int = 0) -> str:
    """Return the text of a script that consists of these tokens.

    If ``longest`` is not 0, a longer line is broken after a sign where a line break has no effect.
    """
    out: list[str] = []
    last, length = "", 0
    for kind, piece, gap in pieces:
        more = _between(last, piece, gap) + piece
        length = len(more) - more.rfind("\n") - 1 if "\n" in more else length + len(more)
        if longest and length > longest and kind == "sign" and piece in ",;{":
            more, length = f"{more}\n", 0
        out.append(more)
        last = piece
    return "".join(out)


def in_ascii(text: str) -> str:
    """Return a script or JSON text in ASCII, with an escape sequence for every other character."""
    return text if text.isascii() else _NOT_ASCII.sub(_escaped, text)


_NOT_ASCII = regex("[^\0-\x7f]")


def _escaped(char: re.Match[str]) -> str:
    units = char[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _between(last: str, piece: str, gap: str) -> str:
    """Return the white space needed between two tokens; ``gap`` is what the source had there."""
    if not gap or not last:
        return ""
    if gap == "\n":
        return "" if last[-1] in "{,;([" or piece[0] in ")]" else "\n"
    words = _is_word(last[-1]) and _is_word(piece[0])
    return " " if words or (last[-1] == piece[0] and piece[0] in "+-/") else ""


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_$"


def _takes_pattern(last: str) -> bool:
    """Return whether a slash after this token begins a regular expression; otherwise it means division."""
    return not last or last[-1] in _BEFORE_PATTERN or last in _WORDS_BEFORE_PATTERN


def _template_end(text: str, at: int) -> int:
    """Return the end position of the template literal that begins at a position, including literals nested in it."""
    place = at + 1
    while place < len(text):
        if text[place] == "\\":
            place += 2
        elif text[place] == "`":
            return place + 1
        elif text[place : place + 2] == "${":
            place = _code_end(text, place + 2) + 1
        else:
            place += 1
    raise ValueError("a template literal without an end")


def _code_end(text: str, at: int) -> int:
    """Return the position of the closing brace of a ``${…}`` in a template literal."""
    depth = 0
    while at < len(text):
        found = _SCRIPT.match(text, at)
        assert found is not None
        if found.lastgroup == "template":
            at = _template_end(text, at)
            continue
        if found[0] == "}" and not depth:
            return at
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        at = found.end()
    raise ValueError("a template literal without an end")


def _renamed(pieces: list[_Piece]) -> list[_Piece]:
    """Return the tokens with a short name for every name that the script declares.

    Each name gets the same short name everywhere, so scopes need no analysis. Properties keep their names.
    """
    roles = _roles(pieces)
    own = {name for name in _declared(pieces) - _NOT_OURS if len(name) > 2}
    used: Counter[str] = Counter(pieces[place].text for place in roles)
    taken = {piece.text for piece in pieces if piece.kind == "word" and piece.text not in own} | _KEYWORDS
    short = (name for name in _short_names() if name not in taken)
    names = dict(zip(sorted(own & used.keys(), key=lambda name: (-used[name], name)), short, strict=False))
    out = list(pieces)
    for place, role in roles.items():
        name = pieces[place].text
        if new := names.get(name):
            out[place] = pieces[place]._replace(text=f"{name}:{new}" if role == "shorthand" else new)
    return out


def _roles(pieces: list[_Piece]) -> dict[int, str]:
    """Return, by position, the words among the tokens that are names and not properties or keywords.

    The value is ``shorthand`` for a word that is both a name and a property, else ``name``.
    """
    found: dict[int, str] = {}
    open_brackets: list[str] = []
    for place, (kind, text, _) in enumerate(pieces):
        before = pieces[place - 1].text if place else ""
        after = pieces[place + 1].text if place + 1 < len(pieces) else ""
        if kind == "text" or text in "{([)]}":
            _follow_brackets(open_brackets, kind, text, before)
        elif kind == "word" and not text[0].isdecimal() and text not in _KEYWORDS:
            spread = before == "." and place > 1 and pieces[place - 2].text == "."
            in_object = bool(open_brackets) and open_brackets[-1] == "object" and before in ("{", ",")
            if (before == "." and not spread) or (in_object and after in (":", "(")):
                continue
            found[place] = "shorthand" if in_object else "name"
    return found


def _follow_brackets(open_brackets: list[str], kind: str, text: str, before: str) -> None:
    """Update the list of open brackets for a token that opens or closes one.

    A piece of a template literal may do both.
    """
    if kind == "text":
        if text[0] == "}" and open_brackets and open_brackets[-1] == "`":
            open_brackets.pop()
        if text.endswith("${"):
            open_brackets.append("`")
    elif text == "{":
        open_brackets.append("object" if _begins_object(before) else "block")
    elif text in "([":
        open_brackets.append(text)
    else:
        open_brackets.pop()


def _begins_object(before: str) -> bool:
    """Return whether a brace after this token begins an object or a pattern; otherwise it begins statements."""
    return before in ("(", "[", ",", "=", ":", "?", "&", "|", ".", "return", "const", "let", "var", "of", "in")


def _declared(pieces: list[_Piece]) -> set[str]:
    """Return the names that a script declares: functions, variables and parameters."""
    found: set[str] = set()
    for place, (kind, text, _) in enumerate(pieces):
        if kind == "word" and text in ("const", "let", "var"):
            found |= _declared_by(pieces, place + 1)
        elif kind == "word" and text in ("function", "catch"):
            if pieces[place + 1].kind == "word":
                found.add(pieces[place + 1].text)
            opening = next(at for at in range(place + 1, len(pieces)) if pieces[at].text in "({")
            if pieces[opening].text == "(":
                found |= _bound(pieces, opening)[0]
        elif text == "=" and place + 1 < len(pieces) and pieces[place + 1].text == ">" and not pieces[place + 1].gap:
            if pieces[place - 1].kind == "word":
                found.add(pieces[place - 1].text)
            elif pieces[place - 1].text == ")":
                found |= _bound(pieces, _opening(pieces, place - 1))[0]
    return found


def _declared_by(pieces: list[_Piece], place: int) -> set[str]:
    """Return the names that one ``const`` or ``let`` statement declares."""
    found: set[str] = set()
    while place < len(pieces):
        if pieces[place].kind == "word":
            found.add(pieces[place].text)
            place += 1
        elif pieces[place].text in "[{":
            names, place = _bound(pieces, place)
            found |= names
        else:
            return found
        depth = 0
        while place < len(pieces):
            text = pieces[place].text
            if depth == 0 and (
                text in (",", ";", "of", "in", ")", "]", "}") or (pieces[place].gap == "\n" and text not in _GOES_ON)
            ):
                break
            if pieces[place].kind == "sign":
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text, 0)
            place += 1
        if place >= len(pieces) or pieces[place].text != ",":
            return found
        place += 1
    return found


def _bound(pieces: list[_Piece], opening: int) -> tuple[set[str], int]:
    """Return the names declared by a destructuring pattern or a parameter list, and the position after it."""
    found: set[str] = set()
    depth, place, value = 0, opening, 0  # value: the depth at which a default is read, which gives no names
    while place < len(pieces):
        kind, text, _ = pieces[place]
        if kind == "sign":
            if text in "([{":
                depth += 1
            elif text in ")]}":
                depth -= 1
                value = 0 if depth < value else value
                if not depth:
                    return found, place + 1
            elif text == "=" and not value:
                value = depth
            elif text == "," and depth == value:
                value = 0
        elif kind == "word" and not value and pieces[place + 1].text != ":":
            found.add(text)
        place += 1
    raise ValueError("a bracket without an end")


def _opening(pieces: list[_Piece], closing: int) -> int:
    """Return the position of the bracket that the given closing bracket closes."""
    depth = 0
    for place in range(closing, -1, -1):
        if pieces[place].kind == "sign":
            depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(pieces[place].text, 0)
            if not depth:
                return place
    raise ValueError("a bracket without a beginning")


def _short_names() -> Iterator[str]:
    """Yield short names in the order a, b, … Z, aa, ab, …; names of one letter come first."""
    for length in (1, 2):
        for letters in product(ascii_letters, repeat=length):
            yield "".join(letters)


_GOES_ON = frozenset(".?:&|+-*/=<>,)]}")
_NOT_OURS = frozenset((
    "document", "window", "location", "history", "navigator", "name", "status", "event", "top", "self", "parent",
    "length", "screen", "open", "close", "print", "focus", "find", "stop", "origin", "performance",
))  # fmt: skip
"""Names that browsers define; a name in a script that equals one of them is not shortened."""
_KEYWORDS = frozenset((
    "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do",
    "else", "export", "extends", "false", "finally", "for", "from", "function", "get", "if", "import", "in",
    "instanceof", "let", "new", "null", "of", "return", "set", "static", "super", "switch", "this", "throw", "true",
    "try", "typeof", "undefined", "var", "void", "while", "with", "yield", "arguments", "eval", "NaN", "Infinity",
))  # fmt: skip
