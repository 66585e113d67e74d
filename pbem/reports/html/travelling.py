"""Pages that travel as they are: in ASCII, and in lines no longer than mail takes."""

from __future__ import annotations

import re
from functools import lru_cache

from pbem.patterns import regex
from pbem.reports.html.squeeze import elements

LONGEST = 700
"""Signs after which a line of a page is ended where it may be: a mail takes 998, the next place may be some way off,
and some are put in as it is sent.
"""


def travelling(page: str) -> str:
    """A finished page as mail can carry it as it is: in ASCII, and in lines. Its style and scripts are both already."""
    return "".join(
        part if at % 2 else _in_lines(part.encode("ascii", "xmlcharrefreplace").decode())
        for at, part in enumerate(_SCRIPTED.split(page))
    )


def _in_lines(html: str) -> str:
    """HTML with line breaks in tags, behind their names and between the parts of a path, where lines would be too long
    without: what is read stays as it is.
    """
    return "\n".join([line if len(line) <= LONGEST else _broken(line) for line in html.split("\n")])


def _broken(line: str) -> str:
    """A line that is too long, in several."""
    out: list[str] = []
    done = began = 0  # how far it is written, and where the line begins that is written now
    while len(line) - began > LONGEST:
        full = began + LONGEST
        # The first tag that ends behind the place where the line is full, and has a space in it.
        found = _TAG.search(line, max(done, line.rfind("<", began, full)))
        while found is not None and (found.end() <= full or " " not in found[0]):
            found = _TAG.search(line, found.end())
        if found is None:
            break
        tag = found[0].replace(" ", "\n", 1)
        if len(tag) > LONGEST:
            tag = _at_ends(tag, _SUBPATH)
        out += line[done : found.start()], tag
        done = found.end()
        began = done - (len(tag) - tag.rfind("\n") - 1)
    return "".join([*out, line[done:]])


_SCRIPTED = elements("script|style")
_TAG = regex(r"<[^<>]*>")
_SUBPATH = regex(r"(z)(?=M)|([0-9])(?=[ML][0-9])")


@lru_cache(maxsize=64)
def css_in_lines(style: str) -> str:
    """A squeezed style sheet with line breaks between rules."""
    return _at_ends(style, _RULE_END)


def json_in_lines(text: str) -> str:
    """JSON with line breaks behind commas that stand in no text."""
    if '\\"' in text or "\\\\" in text:
        return _at_ends(text, _COMMA)
    # Then a comma stands in a text where the quotes before it are odd in number: a line is gone over but once.
    out: list[str] = []
    began = 0
    while len(text) - began > LONGEST:
        at = text.rfind(",", began, began + LONGEST)
        while at >= 0 and text.count('"', began, at) % 2:
            at = text.rfind(",", began, text.rfind('"', began, at))
        if at < 0:
            at = text.find(",", began + LONGEST)
            while at >= 0 and text.count('"', began, at) % 2:
                at = text.find(",", text.find('"', at))
        if at < 0:
            break
        out.append(text[began : at + 1])
        began = at + 1
    return "\n".join([*out, text[began:]])


def _at_ends(text: str, end: re.Pattern[str]) -> str:
    """A text with line breaks at some of the places that are found, so that no line is long that has such a place."""
    out: list[str] = []
    began = last = 0
    for found in end.finditer(text):
        if not found.lastindex:
            continue
        if found.end() - began > LONGEST and last > began:
            out.append(text[began:last])
            began = last
        last = found.end()
    if len(text) - began > LONGEST and last > began:
        out.append(text[began:last])
        began = last
    return "\n".join([*out, text[began:]])


_RULE_END = regex(r"(\})")
_COMMA = regex(r'"(?:[^"\\]|\\.)*"|(,)')
