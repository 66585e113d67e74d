"""What mail does to text, undone before it is read.

The number of lines stays what it was, so that a fault points at the line of the file the player sent.
"""

from __future__ import annotations

import re
from typing import Final

_SPACES: Final = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_NOTHING: Final = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_MADE_PLAIN: Final[dict[str, str]] = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u301d\u301e", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4", "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63", "-"),
    "\u2264": "<=", "\u2265": ">=", "\u2260": "!=", "\u2026": "...", "\u00bd": ".5", "\u2044": "/",
}  # fmt: skip
_CHARACTERS: Final[dict[int, str]] = {
    **{ord(c): " " for c in _SPACES},
    **{ord(c): "" for c in _NOTHING},
    **dict.fromkeys((*range(9), 11, 12, *range(14, 32), *range(127, 160), 8232, 8233), " "),
    **{ord(c): plain for c, plain in _MADE_PLAIN.items()},
    **{c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)},
}
# "> " at the edge of a line is quoting; ">=" is not.
_QUOTING: Final = re.compile(r"(?:>(?!=)[ \t]?)+")
_HEADER: Final = re.compile(r"\s*GAME[\s:]+\S.*\s(?:TURN|SIDE|REPLY|FORM)\b", re.IGNORECASE)
_SHORT_HEADER: Final = re.compile(r'\s*GAME[\s:]+("[^"]*"|[^\s"#;]+)\s*([#;].*)?', re.IGNORECASE)
_END: Final = re.compile(r"\s*END\s*([.;#].*)?", re.IGNORECASE)
_HTML: Final = re.compile(r"\s*<(?:!doctype\s+html|!--|html|head|body|div|p|pre|span|table)\b", re.IGNORECASE)


def order_text(raw: str, *, header: bool = True) -> str:
    """The orders in a mail: plain characters, no quoting, nothing before the header, after END or in a
    signature.

    Lines dropped are left empty. Where no header is found (or ``header`` is false) nothing before it is
    dropped. Doing it twice changes nothing. HTML is turned into text first.
    """
    if _HTML.match(raw[:1000].lstrip("\ufeff")):
        raw = html_to_text(raw)
    text = raw.replace("\r\n", "\n").replace("\r", "\n").translate(_CHARACTERS)
    lines = [_unquoted(line.expandtabs(8)).rstrip() if line else "" for line in text.split("\n")]
    start = _header_line(lines) if header else 0
    for index in range(start):
        lines[index] = ""
    for index in range(start, len(lines)):
        if lines[index] == "--":
            _blank(lines, index)
            break
        if _END.fullmatch(lines[index]):
            lines[index] = lines[index].rstrip(".")
            _blank(lines, index + 1)
            break
    return "\n".join(lines)


def _unquoted(line: str) -> str:
    quoting = _QUOTING.match(line)
    while quoting:
        line = line[quoting.end() :]
        quoting = _QUOTING.match(line)
    return line


def _header_line(lines: list[str]) -> int:
    """The first line that reads like ``GAME duel01 TURN 2 …``, else the first that is only ``GAME
    duel01``, else 0.
    """
    for header in (_HEADER.match, _SHORT_HEADER.fullmatch):
        for index, line in enumerate(lines):
            if line and header(line[:500]):
                return index
    return 0


def _blank(lines: list[str], start: int) -> None:
    for index in range(start, len(lines)):
        lines[index] = ""


def html_to_text(html: str) -> str:
    """The text of an HTML mail as its reader sees it: a line for each block or ``<br>``, no styles, no scripts.

    Written without a full parser, whose time grows with the square of the length on broken pages.
    """
    from html import unescape

    lines: list[list[str]] = [[]]
    silent = exact = 0
    for piece in _TAG.split(_without_comments(html)):
        tag = _TAG_NAME.match(piece)
        if tag is None:
            if not silent:
                _add_text(lines, unescape(piece), exact=exact > 0)
            continue
        closing, name = tag[1] == "/", tag[2].lower()
        step = -1 if closing else 1
        if name in _SILENT:
            silent = max(silent + step, 0)
        elif name == "br" or (name in _BLOCKS and lines[-1]):
            lines.append([])
        elif name in ("td", "th") and not closing:
            lines[-1].append("  ")
        if name == "pre":
            exact = max(exact + step, 0)
    return "\n".join("".join(line).replace("\u00a0", " ").rstrip() for line in lines).strip("\n") + "\n"


_TAG: Final = re.compile(r"(<[/!?]?[A-Za-z][^<>]*>)")
_TAG_NAME: Final = re.compile(r"<([/!?]?)([A-Za-z][A-Za-z0-9]*)[^<>]*>\Z")
_BLOCKS: Final = frozenset(
    ("p", "div", "li", "tr", "pre", "blockquote", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "hr")
)
_SILENT: Final = frozenset(("script", "style", "head", "title"))


def _without_comments(html: str) -> str:
    kept: list[str] = []
    start = 0
    while (opens := html.find("<!--", start)) >= 0 and (closes := html.find("-->", opens + 4)) >= 0:
        kept.append(html[start:opens])
        start = closes + 3
    return "".join(kept) + html[start:]


def _add_text(lines: list[list[str]], text: str, *, exact: bool) -> None:
    """Adds what stands between two tags. Only blanks of the source collapse; a no-break space was typed."""
    if exact:
        first, *rest = text.replace("\r\n", "\n").split("\n")
        lines[-1].append(first)
        lines.extend([line] for line in rest)
        return
    shown = re.sub(r"[ \t\r\n]+", " ", text)
    if not lines[-1]:
        shown = shown.lstrip(" ")
    if shown:
        lines[-1].append(shown)
