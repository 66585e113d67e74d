"""The levels of a piece: VASSAL nests the texts of its traits, one within the other; here they become tuples.

The type and the state of a piece are parallel: level k of the one belongs to level k of the other, the
outermost first, the core last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from vassal import sequence
from vassal.errors import PieceError

__all__ = ["MAX_KEPT", "MAX_TRAITS", "MAX_TYPE", "TAB", "join_levels", "plain_level", "split_states", "split_types"]

TAB = "\t"

MAX_TRAITS = 500
"""Pieces with more traits are refused; real ones stay below two hundred."""

MAX_TYPE = 1_000_000
"""Pieces with a longer definition, in characters, are refused; real ones stay below a hundred thousand."""

MAX_KEPT = 50_000
"""Longer definitions are not kept between calls: a stranger's file shall not fill the memory for good."""


def split_types(type_text: str) -> tuple[str, ...]:
    """The types of a piece's traits, outermost first. Raises :class:`~vassal.errors.PieceError`."""
    return _split_types(type_text) if len(type_text) > MAX_KEPT else _split_kept(type_text)


def _split_types(type_text: str) -> tuple[str, ...]:
    if len(type_text) > MAX_TYPE:
        raise PieceError(f"a piece is defined by {len(type_text)} characters, more than {MAX_TYPE} are not read")
    if (plain := _plain_levels(type_text)) is not None:
        return plain
    heads, rest = _outer_levels(type_text, MAX_TRAITS + 1, while_within=True)
    if len(heads) > MAX_TRAITS:
        raise PieceError(f"a piece has more than {MAX_TRAITS} traits, one within the other")
    return (*heads, rest or "")


# Pieces from one palette slot share their definition, so each is split once.
_split_kept = lru_cache(maxsize=8192)(_split_types)


def _plain_levels(text: str) -> tuple[str, ...] | None:
    """The levels of *text* by one split, where nothing in it is quoted and no level holds a TAB of its own.

    Then the TAB behind level k has exactly k backslashes before it. ``None`` sends the caller the long way.
    """
    parts = text.split(TAB)
    last = len(parts) - 1
    if last > MAX_TRAITS or parts[last][:1] == "'":
        return None
    for level in range(last):
        if (plain := plain_level(parts[level], level)) is None:
            return None
        parts[level] = plain
    return tuple(parts)


def plain_level(part: str, level: int) -> str | None:
    """What one level but the last holds, *part* being what stands before its TAB; ``None`` where it is quoted."""
    backslashes = _BACKSLASHES[level]
    if part == backslashes:  # most states are empty
        return ""
    if part[:1] == "'" or not part.endswith(backslashes):
        return None
    plain = part[:-level] if level else part
    return None if plain[-1] == "\\" else plain


_BACKSLASHES = tuple("\\" * level for level in range(MAX_TRAITS + 1))


def split_states(state: str, levels: int) -> tuple[str | None, ...]:
    """The states of *levels* traits, outermost first; ``None`` for each level the text doesn't have.

    As VASSAL reads it: the innermost level gets all that is left, further levels included.
    """
    plain = _plain_levels(state)
    if plain is not None and len(plain) == levels:
        return plain
    heads, rest = _outer_levels(state, levels - 1)
    return (*heads, rest, *[None] * (levels - 1 - len(heads)))


def _outer_levels(text: str, most: int, *, while_within: bool = False) -> tuple[list[str], str | None]:
    """The first tokens of up to *most* levels, and the text of what is within them.

    It is what decoding the second token of each level would give, but no level is gone through twice: at level k
    those TABs separate that have k backslashes before them. A level of one token is the last one; with *while_within*
    that token is what is within, and so is a level without any TAB.
    """
    parts = text.split(TAB)
    places: dict[int, list[int]] = {}
    for place, part in enumerate(parts[:-1]):
        places.setdefault(len(part) - len(part.rstrip("\\")), []).append(place)
    heads: list[str] = []
    first, last = 0, len(parts) - 1  # the parts of what is left
    quotes = 0, 0  # characters that are taken away at its beginning and at its end
    for level in range(most):
        if while_within and first == last:
            break
        here = places.get(level, ())
        at = bisect_left(here, first)
        separators = [place for place in here[at : at + 2] if place < last]
        if not separators:
            token = sequence.unquote(_joined(parts[first : last + 1], level + 1, *quotes))
            return (heads, token) if while_within else ([*heads, token], None)
        head = separators[0]
        heads.append(sequence.unquote(_joined(parts[first : head + 1], level + 1, quotes[0], level)))
        first, before, after = head + 1, 0, quotes[1]
        if len(separators) > 1:
            last, after = separators[1], level
        is_long = first < last or len(parts[first]) - after > 1
        if is_long and parts[first].startswith("'") and parts[last].endswith("'", 0, len(parts[last]) - after):
            before, after = before + 1, after + 1
        quotes = before, after
    return heads, _joined(parts[first : last + 1], len(heads), *quotes)


def _joined(parts: list[str], backslashes: int, before: int, after: int) -> str:
    """Parts with TABs between them, without so many of the backslashes before each TAB and of the characters at both
    ends.
    """
    *outer, inner = parts
    cut = [part[: len(part) - backslashes] for part in outer]
    return TAB.join([*cut, inner[: len(inner) - after]])[before:]


def join_levels(texts: Iterable[str]) -> str:
    """Nest *texts*, outermost first, as the type or the state of a piece."""
    *outer, text = texts = list(texts)
    joined = TAB.join(texts)
    if "\\" not in joined and "'" not in joined and joined.count(TAB) == len(outer) <= MAX_TRAITS:
        # Nothing in them has to be quoted: see _plain_levels.
        return "".join([part for level, one in enumerate(outer) for part in (one, _BACKSLASHES[level], TAB)]) + text
    for level in reversed(outer):
        text = sequence.encode([level, text], TAB)
    return text
