"""What players are told a game is about: the briefing of a scenario, and the words of the game explained.

All of it is written in words of our own; the rules' own sentences stand in the book.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from functools import cache
from pathlib import Path

import msgspec

from pbem.data.files import Sourced, build, refuse

HERE = Path(__file__).parent


class Briefing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a scenario is about. Everything may be left out.

    ``situation`` is told to everybody, ``sides`` to each side its own part alone; ``victory`` says in sentences how it
    is decided, ``counts`` what the grades of the scenario count (``drones shot down``); ``first`` is a word for who
    plays it for the first time.
    """

    situation: str = ""
    sides: dict[str, str] = {}
    victory: tuple[str, ...] = ()
    counts: str = ""
    first: str = ""


class Word(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A word of the game and what it means; ``chapters`` are the parts of the handbook it belongs to (any of them;
    empty: it is always wanted), ``rule`` where it stands.
    """

    word: str
    means: str
    chapters: tuple[str, ...] = ()
    rule: str = ""


class Glossary(Sourced, frozen=True, kw_only=True):
    """The whole file, in the order in which the words are told."""

    words: tuple[Word, ...]


@cache
def glossary() -> Glossary:
    """The shipped glossary. Raises :class:`GameError` with everything wrong in the file."""
    path = HERE / "glossary.toml"
    found = build(Glossary, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    twice = sorted({word.word for word in found.words if sum(one.word == word.word for one in found.words) > 1})
    refuse(path.name, *(f"words: {word!r} is explained twice" for word in twice))
    return found


def words_for(chapters: Collection[str]) -> tuple[Word, ...]:
    """The words a player of a scenario with these parts of the handbook meets."""
    return tuple(
        word for word in glossary().words if not word.chapters or any(name in chapters for name in word.chapters)
    )
