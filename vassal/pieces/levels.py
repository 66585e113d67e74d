"""The levels of a piece: VASSAL nests the texts of its traits, one within the other; here they become tuples.

The type and the state of a piece are parallel: level k of the one belongs to level k of the other, the
outermost first, the core last.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from vassal.errors import PieceError
from vassal.text import sequence

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
    types = []
    rest = type_text
    while TAB in rest:
        tokens = sequence.decode(rest, TAB)
        if len(tokens) == 1:
            rest = tokens[0]
            break
        types.append(tokens[0])
        rest = tokens[1]
        if len(types) > MAX_TRAITS:
            raise PieceError(f"a piece has more than {MAX_TRAITS} traits, one within the other")
    types.append(rest)
    return tuple(types)


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
    states: list[str | None] = []
    rest: str | None = state
    for _ in range(levels - 1):
        tokens = sequence.decode(rest, TAB)
        states.append(tokens[0] if tokens else None)
        rest = tokens[1] if len(tokens) > 1 else None
    states.append(rest)
    return tuple(states)


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
