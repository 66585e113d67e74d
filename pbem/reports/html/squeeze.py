"""Style sheets and pages without the spaces, rules and tags that nobody needs: pages travel by mail."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_letters, digits

from pbem.data.cache import kept_texts
from pbem.patterns import regex

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
