"""How the data of an order form is written in its page: forms travel by mail, and most of their data is alike.

What is empty in most is left out, what comes several times over is counted or named once, and words are grouped by what
they mean. ``templates/orders/state.js`` makes of it what :func:`pbem.reports.form.form.form_data` says.

Style sheets and pages without the spaces, rules and tags that nobody needs: pages travel by mail.

Pages that travel as they are: in ASCII, and in lines no longer than mail takes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import groupby
from string import ascii_letters, digits
from typing import Any, Final

import msgspec

from pbem.data.cache import kept_texts
from pbem.util import regex

Json = dict[str, Any]

ENERGY, COURSES, FOES, TERRAIN = "energy", "courses", "foes", "terrain"
"""What a form may ask for: energy to be allotted; courses, with all that is done on the way. And what may be there:
enemy ships whose courses may be sketched; planets or asteroids.
"""

_EMPTY: Final[dict[str, Json]] = {
    "acts": {"it": False, "needs": "", "by": [], "spoiled": "", "unpaid": {}, "drained": []},
    "weapons": {"state": "", "battery": False, "idle": "", "needs": "", "unpaid": {}, "not": {}, "tables": {}},
}
"""What is left out of each activity and weapon of a block, if it is so."""

_WORDS_FOR: Final[dict[str, tuple[str, ...]]] = {
    ENERGY: ("energy", "lines"),
    COURSES: ("conditions", "pilots", "operators", "arcs", "launched", "fired", "codes", "places"),
}
"""Words that only a form needs which asks for this."""
_SPELLED: Final = ("headings", "energy", "weapons")
"""Words of several spellings."""


def written(data: Json, asks: Collection[str]) -> Json:
    """The data of a form that asks for so much, as its page has it."""
    unasked = {word for what, words in _WORDS_FOR.items() if what not in asks for word in words}
    words = {kind: told for kind, told in data["words"].items() if kind not in unasked}
    return {
        **data,
        "words": {kind: _spelled(told) if kind in _SPELLED else told for kind, told in words.items()},
        "charts": [_counted(msgspec.json.decode(chart)) for chart in data["charts"]],
        "tables": {name: _named_once(table) for name, table in data["tables"].items()},
        "blocks": [_block(block) for block in data["blocks"]],
    }


def _block(block: Json) -> Json:
    """A block without what is empty in most of its choices, and with what drained batteries are told said once."""
    lists = {name: [_without(one, empty) for one in block[name]] for name, empty in _EMPTY.items() if name in block}
    said = dict.fromkeys(why for act in lists.get("acts", ()) for why in act.get("drained", ()))
    place = {why: number for number, why in enumerate(said)}
    for act in lists.get("acts", ()):
        if "drained" in act:
            act["drained"] = [place[why] for why in act["drained"]]
    return {**block, **lists, **({"said": list(said)} if said else {})}


def _without(one: Json, empty: Json) -> Json:
    """A choice without what is empty in it as in most."""
    return {key: value for key, value in one.items() if key not in empty or value != empty[key]}


def _counted(rows: Iterable[list[int]]) -> list[list[int]]:
    """Rows that follow one another and are the same, once, with how many there are of them before."""
    return [[len(list(same)), *row] for row, same in groupby(rows)]


def _named_once(table: Json) -> Json:
    """The rows of a helm's table with ``-1`` for the first of the reasons, ``-2`` for the second."""
    why = list(dict.fromkeys(cell for row in table["rows"] for cell in row if isinstance(cell, str)))
    place = {reason: -1 - number for number, reason in enumerate(why)}
    return {**table, "why": why, "rows": [[place.get(cell, cell) for cell in row] for row in table["rows"]]}


def _spelled(words: Mapping[str, str]) -> dict[str, str]:
    """All spellings of a word, with a space between."""
    found: dict[str, list[str]] = {}
    for spelling, word in words.items():
        found.setdefault(word, []).append(spelling)
    return {word: " ".join(spellings) for word, spellings in found.items()}


_STRING = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""
_CSS = regex(rf"{_STRING}|/\*.*?\*/|\s+", re.DOTALL)
_CSS_SIGN = regex(rf"{_STRING}| *([{{}};,>]) *|(:) +")
"""Not a space before a colon, which may begin a selector, nor one beside brackets: ``and (`` needs it."""


@kept_texts
def squeezed_css(text: str) -> str:
    """A style sheet without comments and needless spaces."""
    text = _CSS.sub(lambda found: found[1] or (" " if found[0].isspace() else ""), text)
    text = _CSS_SIGN.sub(lambda found: found[1] or found[2] or found[3], text)
    return text.replace(";}", "}").strip()


def needed_css(style: str, page: str, more: str = "") -> str:
    """A squeezed style sheet without the rules for classes and ids that nothing of the page has and no word of its data
    names: no class of ours is put together of parts but those of the sides, ``s0`` to ``s3``. ``more`` are words of a
    script that stands on many pages.
    """
    return _with_words(style, named_in(style) & words_in(f"{_names_in(page)} {more} s0 s1 s2 s3"))


def _names_in(page: str) -> str:
    """What the tags of a page say of their classes and ids, and what its scripts hold."""
    return " ".join({said for names in _SAID for said in names.findall(page)})


def words_in(text: str) -> set[str]:
    """All that could be the name of a class."""
    return set(text.encode("ascii", "replace").translate(_BETWEEN_WORDS).decode("ascii").split())


@lru_cache(maxsize=16)
def named_in(style: str) -> frozenset[str]:
    """All that could be classes and ids of a style sheet, colours too."""
    return frozenset(_NAMED.findall(style))


@lru_cache(maxsize=64)
def _with_words(style: str, words: frozenset[str]) -> str:
    """The style sheet without the rules for classes and ids that are not among these."""

    def kept(found: re.Match[str]) -> str:
        selectors = [one for one in _SELECTORS.split(found[1]) if words.issuperset(_NAMED.findall(_ASKED.sub("", one)))]
        return f"{','.join(selectors)}{{{found[2]}}}" if selectors else ""

    return _NO_RULES.sub("", _RULE.sub(kept, style))


_SAID = tuple(
    regex(one) for one in (r'class="([^"]*)', r'id="([^"]*)', r"<script([^<]*(?:<(?!/script>)[^<]*)*)</script>")
)
"""What says names in a page, each by itself: an alternative of several is looked for five times as long."""
_BETWEEN_WORDS = bytes(place if chr(place) in f"{ascii_letters}{digits}_-" else 32 for place in range(256))
"""What stands for each sign where a text falls into words."""
_RULE = regex(r"([^{}@;]+)\{([^{}]*)\}")
_SELECTORS = regex(r",(?![^()]*(?:\([^()]*\)[^()]*)*\))")
"""Between selectors, not within their brackets, nor within brackets in these."""
_NO_RULES = regex(r"@media[^{}]*\{\}")
_NAMED = regex(r"[.#]([A-Za-z_][\w-]*)")
_ASKED = regex(r"\[[^\]]*\]|:(?:not|has|is|where)\(.*")
"""What a selector says of attributes, or of what need not be there."""


def lean_html(page: str) -> str:
    """A page without the end tags and line breaks that HTML does not ask for in tables and lists."""
    # What is found stands at every second place.
    return "".join([part if at % 2 else _NO_END.sub("", part) for at, part in enumerate(_WHOLE.split(page))])


def elements(names: str) -> re.Pattern[str]:
    """What finds elements of these names whole. What is in them is gone over from one ``<`` to the next: a page's data,
    which have none, would take longest of all of it sign by sign.
    """
    return re.compile(rf"(<(?:{names})\b[^<]*(?:<(?!/(?:{names})>)[^<]*)*</(?:{names})>)")


_WHOLE = elements("script|style|pre|textarea")
_NO_END = regex(
    r"</t[dhr]>\s*(?=</?t[dhr]\b|</t(?:body|head|able)>)|</t(?:body|head)>\s*(?=<tbody\b|</table>)|</li>\s*(?=<li\b|</[ou]l>)"
    r"|</d[dt]>\s*(?=<d[dt]\b|</dl>)"
)


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
