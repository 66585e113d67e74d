"""Make HTML pages small and suitable for email.

The module compresses the data of order form pages (:func:`written`), which ``templates/src/form/model/data.ts`` expands
back into the form of :func:`pbem.reports.form.form.form_data`. It removes unnecessary spaces, rules and tags from
style sheets and HTML. It also converts pages to ASCII with lines short enough for email to carry unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from string import ascii_letters, digits
from typing import Any, Final

import msgspec

from pbem.data.cache import cached_texts
from pbem.reports.form.model import OrderFormData
from pbem.util import regex

Json = dict[str, Any]

ENERGY, COURSES = "energy", "courses"
"""Names of the optional things that an order form may contain: energy, and courses with everything on the way."""

_EMPTY: Final[dict[str, Json]] = {
    "acts": {"it": False, "needs": "", "by": [], "spoiled": "", "unpaid": {}, "drained": []},
    "weapons": {"state": "", "battery": False, "idle": "", "needs": "", "unpaid": {}, "not": {}, "tables": {}},
}
"""Default values of each activity and each weapon in a form; they are left out of its data."""

_WORDS_FOR: Final[dict[str, tuple[str, ...]]] = {
    ENERGY: ("energy", "lines"),
    COURSES: ("conditions", "pilots", "operators", "arcs", "launched", "fired", "codes", "places"),
}
"""Vocabulary that a form needs only if it contains the given optional thing."""
_SPELLED: Final = ("headings", "energy", "weapons")
"""Names of vocabulary lists in which a word has several spellings."""


def written(form: OrderFormData, asks: Collection[str]) -> Json:
    """Return the data of an order form in compressed form, as the page embeds it.

    ``asks`` names the optional parts that the form contains, for example :data:`ENERGY`. The vocabulary for other
    parts is left out.
    """
    data: Json = msgspec.to_builtins(form)
    unasked = {word for what, words in _WORDS_FOR.items() if what not in asks for word in words}
    words = {kind: told for kind, told in data["words"].items() if kind not in unasked}
    return {
        **data,
        "words": {kind: _spelled(told) if kind in _SPELLED else told for kind, told in words.items()},
        "charts": [_counted(chart) for chart in data["charts"]],
        "tables": {name: _with_numbered_reasons(table) for name, table in data["tables"].items()},
        "blocks": [_block(block) for block in data["blocks"]],
    }


def _block(block: Json) -> Json:
    """Return the form data of one ship or shuttle without default values.

    A text about drained batteries that occurs several times is stored only once.
    """
    lists = {name: [_without(one, empty) for one in block[name]] for name, empty in _EMPTY.items() if name in block}
    said = dict.fromkeys(why for act in lists.get("acts", ()) for why in act.get("drained", ()))
    place = {why: number for number, why in enumerate(said)}
    for act in lists.get("acts", ()):
        if "drained" in act:
            act["drained"] = [place[why] for why in act["drained"]]
    return {**block, **lists, **({"said": list(said)} if said else {})}


def _without(one: Json, empty: Json) -> Json:
    """Return the dict of form data ``one`` without the values that equal the defaults in ``empty``."""
    return {key: value for key, value in one.items() if key not in empty or value != empty[key]}


def _counted(rows: Iterable[list[int]]) -> list[list[int]]:
    """Return table rows with each run of equal rows replaced by one row, with the run's length in front."""
    return [[len(list(same)), *row] for row, same in groupby(rows)]


def _with_numbered_reasons(table: Json) -> Json:
    """Return a movement table with reasons replaced by numbers: ``-1`` for the first reason, and so on."""
    why = list(dict.fromkeys(cell for row in table["rows"] for cell in row if isinstance(cell, str)))
    place = {reason: -1 - number for number, reason in enumerate(why)}
    return {**table, "why": why, "rows": [[place.get(cell, cell) for cell in row] for row in table["rows"]]}


def _spelled(words: Mapping[str, str]) -> dict[str, str]:
    """Return a dict of word to all of its spellings, joined to one text with spaces between them."""
    found: dict[str, list[str]] = {}
    for spelling, word in words.items():
        found.setdefault(word, []).append(spelling)
    return {word: " ".join(spellings) for word, spellings in found.items()}


_STRING = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_CSS = regex(rf"{_STRING}|/\*.*?\*/|\s+", re.DOTALL)
_CSS_SIGN = regex(rf"{_STRING}| *([{{}};,>]) *|(:) +")
"""Pattern for spaces that can be dropped from a style sheet.

A space before a colon must stay, since a selector may begin there. Spaces beside brackets, as in ``and (``, must
stay too.
"""


@cached_texts
def squeezed_css(text: str) -> str:
    """Return a style sheet without comments and unnecessary spaces."""
    text = _CSS.sub(lambda found: found[1] or (" " if found[0].isspace() else ""), text)
    text = _CSS_SIGN.sub(lambda found: found[1] or found[2] or found[3], text)
    return text.replace(";}", "}").strip()


def needed_css(style: str, page: str, more: str = "") -> str:
    """Return a squeezed style sheet without rules for classes and ids that the page never uses.

    A class counts as used if the page's tags or scripts contain its name. Scripts compose no class names except
    the classes of the sides, ``s0`` to ``s3``. ``more`` are words from a script that many pages share; they count as
    used, too.
    """
    return _with_words(style, named_in(style) & words_in(f"{_names_in(page)} {more} s0 s1 s2 s3"))


def _names_in(page: str) -> str:
    """Return the class and id names in the tags of a page, and the text of its scripts."""
    return " ".join({said for names in _SAID for said in names.findall(page)})


def words_in(text: str) -> set[str]:
    """Return the set of words in a text that could be class names."""
    return set(text.encode("ascii", "replace").translate(_BETWEEN_WORDS).decode("ascii").split())


@lru_cache(maxsize=16)
def named_in(style: str) -> frozenset[str]:
    """Return all class and id names of a style sheet; colour values may be among them."""
    return frozenset(_NAMED.findall(style))


@lru_cache(maxsize=64)
def _with_words(style: str, words: frozenset[str]) -> str:
    """Return a style sheet without the rules for classes and ids that are not in ``words``."""

    def kept(found: re.Match[str]) -> str:
        selectors = [one for one in _SELECTORS.split(found[1]) if words.issuperset(_NAMED.findall(_ASKED.sub("", one)))]
        return f"{','.join(selectors)}{{{found[2]}}}" if selectors else ""

    return _NO_RULES.sub("", _RULE.sub(kept, style))


_SAID = tuple(
    regex(one) for one in (r'class="([^"]*)', r'id="([^"]*)', r"<script([^<]*(?:<(?!/script>)[^<]*)*)</script>")
)
"""Patterns for the parts of a page that contain class and id names.

One combined pattern would be five times slower.
"""
_BETWEEN_WORDS = bytes(place if chr(place) in f"{ascii_letters}{digits}_-" else 32 for place in range(256))
"""Translation table that replaces every character that cannot be part of a word with a space."""
_RULE = regex(r"([^{}@;]+)\{([^{}]*)\}")
_SELECTORS = regex(r",(?![^()]*(?:\([^()]*\)[^()]*)*\))")
"""Pattern for a comma between two CSS selectors, but not for one inside brackets."""
_NO_RULES = regex(r"@media[^{}]*\{\}")
_NAMED = regex(r"[.#]([A-Za-z_][\w-]*)")
_ASKED = regex(r"\[[^\]]*\]|:(?:not|has|is|where)\(.*")
"""Pattern for parts of a selector about attributes, or about elements that need not exist."""


def lean_html(page: str) -> str:
    """Return a page without the end tags and line breaks that HTML makes optional in tables and lists."""
    # Every second part is a match of the pattern and stays unchanged.
    return "".join([part if at % 2 else _NO_END.sub("", part) for at, part in enumerate(_WHOLE.split(page))])


def elements(names: str) -> re.Pattern[str]:
    """Return a pattern that matches whole HTML elements with the given names.

    The pattern jumps from one ``<`` to the next, because it would be slow to scan a page's data character by character.
    """
    return re.compile(rf"(<(?:{names})\b[^<]*(?:<(?!/(?:{names})>)[^<]*)*</(?:{names})>)")


_WHOLE = elements("script|style|pre|textarea")
_NO_END = regex(
    r"</t[dhr]>\s*(?=</?t[dhr]\b|</t(?:body|head|able)>)|</t(?:body|head)>\s*(?=<tbody\b|</table>)|</li>\s*(?=<li\b|</[ou]l>)"
    r"|</d[dt]>\s*(?=<d[dt]\b|</dl>)"
)


LONGEST = 700
"""Line length in characters after which a page gets a line break at the next possible place.

Email permits 998. But the next possible place may be far away, and some text is inserted on sending.
"""


def travelling(page: str) -> str:
    """Return a finished page as ASCII in short lines, so that email programs carry it unchanged.

    The style sheet and scripts in the page must already be ASCII in short lines.
    """
    return "".join(
        part if at % 2 else _in_lines(part.encode("ascii", "xmlcharrefreplace").decode())
        for at, part in enumerate(_SCRIPTED.split(page))
    )


def _in_lines(html: str) -> str:
    """Return HTML with line breaks inside tags where a line would otherwise be too long.

    The visible text does not change. Breaks come after tag names and between the parts of an SVG path.
    """
    return "\n".join([line if len(line) <= LONGEST else _broken(line) for line in html.split("\n")])


def _broken(line: str) -> str:
    """Return the HTML line ``line``, which is too long, with line breaks inserted inside its tags."""
    out: list[str] = []
    done = began = 0  # end of the text already in `out`, and start of the present line
    while len(line) - began > LONGEST:
        full = began + LONGEST
        # Find the first tag that contains a space and ends beyond the maximum length of the line.
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
    """Return a squeezed style sheet with line breaks between rules."""
    return _at_ends(style, _RULE_END)


def json_in_lines(text: str) -> str:
    """Return JSON with line breaks after commas outside of strings."""
    if '\\"' in text or "\\\\" in text:
        return _at_ends(text, _COMMA)
    # Without escaped quotes, a comma is inside a string if an odd number of quotes is before it.
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
    """Return a text with line breaks at those matches of ``end`` that are needed to keep lines short."""
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


def in_ascii(text: str) -> str:
    """Return JSON text in ASCII, with an escape sequence for every other character."""
    return text if text.isascii() else _NOT_ASCII.sub(_escaped, text)


_NOT_ASCII = regex("[^\0-\x7f]")


def _escaped(char: re.Match[str]) -> str:
    units = char[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
