"""The rulebook's table of contents: every numbered rule of the texts, in words of our own, and how unclear ones are
read (``rulebook.toml``).

The texts themselves are not in the repository; their numbers are.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import msgspec

from pbem.data.files import Sourced, build, refuse
from pbem.util import regex

HERE = Path(__file__).parent
VARIANT = regex(r" (cadet|standard|types|energy)$")
"""What tells two rules apart that share a number."""


class Reading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one unclear point is read. ``option`` names what chooses otherwise, an option of a game or a word of the
    order language; ``gap`` the numbers of the gaps it settles, which cases carry too.
    """

    unclear: str
    read: str
    why: str
    option: str = ""
    gap: tuple[int, ...] = ()


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A numbered rule: ``B3.0-14`` is line 14 of the energy form, ``Robot 3`` and ``Scenario 4`` speak for themselves.

    ``also`` are other numbers for the same rule. ``under`` names the rule it is played with; ``story`` rules hold
    nothing to play; ``left_out`` says why a rule is not played. The rest must be found in code or in a case.
    """

    number: str
    title: str
    also: tuple[str, ...] = ()
    under: str = ""
    story: bool = False
    left_out: str = ""
    reading: tuple[Reading, ...] = ()


class Chapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules whose numbers begin alike (``FD``, ``Robot``), and in a line what is ``played`` of them."""

    name: str
    title: str
    played: str


class Named(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is named somewhere and explained nowhere, and what becomes of it."""

    what: str
    left_out: str


class Rulebook(Sourced, frozen=True, kw_only=True):
    """The whole file, in the order of the handbook."""

    chapter: tuple[Chapter, ...]
    rule: tuple[Rule, ...]
    named: tuple[Named, ...] = ()


@cache
def rulebook() -> Rulebook:
    """The shipped rulebook. Raises :class:`GameError` with everything wrong in the file."""
    path = HERE / "rulebook.toml"
    book = build(Rulebook, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    refuse(path.name, *_wrong(book))
    return book


def find(number: str) -> tuple[Rule, ...]:
    """The rules a number means: one, all that share it (``D4.21``), or none."""
    known = _by_number()
    return known.get(number.casefold()) or known.get(VARIANT.sub("", number).casefold(), ())


def under(start: str) -> tuple[Rule, ...]:
    """The rules below a number, a group or a chapter: ``E4.2`` has E4.22, ``E4`` and ``E4.0`` every E4, ``FD`` the
    drones.
    """
    begin = start.casefold().rstrip(".")
    if begin.endswith(".0"):
        begin = begin.removesuffix("0")
    return tuple(rule for rule in rulebook().rule if _below(rule.number.casefold(), begin))


def near(number: str) -> list[str]:
    """Numbers that look like one that does not exist."""
    known = {rule.number.casefold(): rule.number for rule in rulebook().rule}
    return [known[word] for word in get_close_matches(number.casefold(), known, n=4, cutoff=0.5)]


def _below(number: str, begin: str) -> bool:
    """Whether a number goes on where another ends: E4.22 after E4.2, not FD1.2 after F."""
    rest = number.removeprefix(begin)
    if not begin or not rest or rest == number:
        return False
    if begin[-1].isdecimal():
        return rest[0] == "." or ("." in begin and rest[0] in "-0123456789")
    return begin[-1] == "." or rest.lstrip()[0].isdecimal()


@cache
def _by_number() -> dict[str, tuple[Rule, ...]]:
    rules = rulebook().rule
    found: dict[str, tuple[Rule, ...]] = {
        number.casefold(): (rule,) for rule in rules for number in (rule.number, *rule.also)
    }
    for rule in rules:
        bare = VARIANT.sub("", rule.number).casefold()
        if bare != rule.number.casefold():
            found[bare] = (*found.get(bare, ()), rule)
    return found


def _wrong(book: Rulebook) -> list[str]:
    said = []
    seen = set[str]()
    names = {chapter.name for chapter in book.chapter}
    for rule in book.rule:
        said += [f"rule {number}: is there twice" for number in (rule.number, *rule.also) if number in seen]
        seen |= {rule.number, *rule.also}
        if chapter_of(rule.number) not in names:
            said.append(f"rule {rule.number}: no chapter begins like it")
        if bool(rule.under) + rule.story + bool(rule.left_out) > 1:
            said.append(f"rule {rule.number}: says more than one of under, story and left_out")
    numbers = {rule.number for rule in book.rule}
    said += [
        f"rule {rule.number}: {rule.under}, which it is played with, is no rule"
        for rule in book.rule
        if rule.under and rule.under not in numbers
    ]
    return said


def chapter_of(number: str) -> str:
    """``FD`` of ``FD1.2``, ``Robot`` of ``Robot 3``."""
    found = re.match(r"[A-Za-z]+", number)
    return found[0] if found else ""
