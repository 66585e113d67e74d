"""Scripts and style sheets without the spaces and comments that only their authors need: pages travel by mail."""

from __future__ import annotations

import re
from functools import lru_cache

_STRING = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_CSS = re.compile(rf"{_STRING}|/\*.*?\*/|\s+", re.DOTALL)
_CSS_SIGN = re.compile(rf"{_STRING}| *([{{}};,>]) *|(:) +")
"""Not a space before a colon, which may begin a selector, nor one beside brackets: ``and (`` needs it."""
_SCRIPT = re.compile(
    r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<template>`)|(?P<remark>/\*.*?\*/|//[^\n]*)|(?P<space>\s+)"""
    r"""|(?P<word>[\w$]+)|(?P<sign>.)""",
    re.DOTALL,
)
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
"""A regular expression of a script."""
_BEFORE_PATTERN = frozenset("(,=:[!&|?{};+-*%<>~^")
_WORDS_BEFORE_PATTERN = frozenset(("return", "typeof", "case", "in", "of", "else"))


@lru_cache(maxsize=16)
def squeezed_css(text: str) -> str:
    """A style sheet without comments and needless spaces."""
    text = _CSS.sub(lambda found: found[1] or (" " if found[0].isspace() else ""), text)
    text = _CSS_SIGN.sub(lambda found: found[1] or found[2] or found[3], text)
    return text.replace(";}", "}").strip()


@lru_cache(maxsize=16)
def squeezed_script(text: str) -> str:
    """A script without comments and needless spaces; line breaks stay, since a statement may end with one."""
    out: list[str] = []
    at, last, gap = 0, "", ""
    while at < len(text):
        if text[at] == "/" and text[at : at + 2] not in ("//", "/*") and _takes_pattern(last):
            found = _PATTERN.match(text, at)
        else:
            found = None
        if found is not None:
            piece, kind = found[0], "text"
        else:
            found = _SCRIPT.match(text, at)
            assert found is not None
            piece, kind = found[0], found.lastgroup or ""
            if kind == "template":
                piece = text[at : _template_end(text, at)]
        at += len(piece)
        if kind in ("space", "remark"):
            gap = "\n" if "\n" in piece and kind == "space" else gap or " "
            continue
        out.append(_between(last, piece, gap) + piece)
        last, gap = piece, ""
    return "".join(out)


def _between(last: str, piece: str, gap: str) -> str:
    """What has to stand between two pieces of a script that had a ``gap`` between them."""
    if not gap or not last:
        return ""
    if gap == "\n":
        return "" if last[-1] in "{,;([" or piece[0] in ")]" else "\n"
    words = _is_word(last[-1]) and _is_word(piece[0])
    return " " if words or (last[-1] == piece[0] and piece[0] in "+-/") else ""


def _is_word(char: str) -> bool:
    return char.isalnum() or char in "_$"


def _takes_pattern(last: str) -> bool:
    """Whether a slash after this begins a regular expression; else it divides."""
    return not last or last[-1] in _BEFORE_PATTERN or last in _WORDS_BEFORE_PATTERN


def _template_end(text: str, at: int) -> int:
    """Where a template literal ends that begins here, with whatever is nested in it."""
    depth, place = 0, at + 1
    while place < len(text):
        char = text[place]
        if char == "\\":
            place += 1
        elif depth == 0 and char == "`":
            return place + 1
        elif depth == 0 and text[place : place + 2] == "${":
            depth, place = 1, place + 1
        elif depth and char == "`":
            place = _template_end(text, place) - 1
        elif depth and char in "{}":
            depth += 1 if char == "{" else -1
        place += 1
    raise ValueError("a template literal without an end")
