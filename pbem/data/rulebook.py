"""The list of all numbered rules, and this program's interpretation of unclear rules (``rulebook.toml``).

The titles are worded by this project. The repository contains the numbers of the rules but not their texts.
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
"""Matches the suffix, such as `` cadet``, that distinguishes two rules with the same number."""


class RuleReading(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This program's interpretation of one unclear point of a rule, and the reason for it.

    ``option`` names an option of a game, or a word of the order language, that selects another interpretation.
    ``gap`` lists the numbers of the gaps in the rules that this interpretation fills; rule cases carry these
    numbers too.
    """

    unclear: str
    read: str
    why: str
    option: str = ""
    gap: tuple[int, ...] = ()


class NumberedRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One numbered rule of the handbook, with data on whether and where the program applies it.

    ``B3.0-14`` is line 14 of the energy form; ``Robot 3`` and ``Scenario 4`` are rules too. A rule without
    ``under``, ``story`` and ``left_out`` must be found in the code or in a rule case.

    Attributes:
        also: Other numbers for this rule.
        under: The number of another rule whose code also applies this rule.
        story: Whether the rule is only narrative, with nothing to apply in play.
        left_out: Why the program does not apply the rule.
        reading: How the program interprets the unclear points of the rule.
    """

    number: str
    title: str
    also: tuple[str, ...] = ()
    under: str = ""
    story: bool = False
    left_out: str = ""
    reading: tuple[RuleReading, ...] = ()


class RuleChapter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of rules whose numbers begin with the same letters (``FD``, ``Robot``).

    ``played`` says in one line which of these rules the program applies.
    """

    name: str
    title: str
    played: str


class UnexplainedTerm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A term that the rules mention but never explain, and how the program treats it."""

    what: str
    left_out: str


class Rulebook(Sourced, frozen=True, kw_only=True):
    """The content of the rulebook file: chapters, rules and terms, in the order of the handbook."""

    chapter: tuple[RuleChapter, ...]
    rule: tuple[NumberedRule, ...]
    named: tuple[UnexplainedTerm, ...] = ()


@cache
def rulebook() -> Rulebook:
    """Return the shipped rulebook.

    Raises:
        GameError: The file is wrong; the error lists every fault.
    """
    path = HERE / "rulebook.toml"
    book = build(Rulebook, tomllib.loads(path.read_text(encoding="utf-8")), path.name)
    refuse(path.name, *_wrong(book))
    return book


def find(number: str) -> tuple[NumberedRule, ...]:
    """Return the rules with this number: one rule, several that share it (``D4.21``), or an empty tuple."""
    known = _by_number()
    return known.get(number.casefold()) or known.get(VARIANT.sub("", number).casefold(), ())


def under(start: str) -> tuple[NumberedRule, ...]:
    """Return all rules whose numbers continue a given number, group or chapter.

    ``E4.2`` gives E4.22; ``E4`` and ``E4.0`` give every rule of E4; ``FD`` gives the drone rules.
    """
    begin = start.casefold().rstrip(".")
    if begin.endswith(".0"):
        begin = begin.removesuffix("0")
    return tuple(rule for rule in rulebook().rule if _below(rule.number.casefold(), begin))


def near(number: str) -> list[str]:
    """Return up to four existing rule numbers that look similar to an unknown rule number."""
    known = {rule.number.casefold(): rule.number for rule in rulebook().rule}
    return [known[word] for word in get_close_matches(number.casefold(), known, n=4, cutoff=0.5)]


def _below(number: str, begin: str) -> bool:
    """Return whether a rule number belongs below another: E4.22 is below E4.2, but FD1.2 is not below F."""
    rest = number.removeprefix(begin)
    if not begin or not rest or rest == number:
        return False
    if begin[-1].isdecimal():
        return rest[0] == "." or ("." in begin and rest[0] in "-0123456789")
    return begin[-1] == "." or rest.lstrip()[0].isdecimal()


@cache
def _by_number() -> dict[str, tuple[NumberedRule, ...]]:
    rules = rulebook().rule
    found: dict[str, tuple[NumberedRule, ...]] = {
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
            said.append(f"rule {rule.number}: there is no chapter for this number")
        if bool(rule.under) + rule.story + bool(rule.left_out) > 1:
            said.append(f"rule {rule.number}: has more than one of under, story and left_out; keep one")
    numbers = {rule.number for rule in book.rule}
    said += [
        f"rule {rule.number}: {rule.under}, under which it is played, is not a rule"
        for rule in book.rule
        if rule.under and rule.under not in numbers
    ]
    return said


def chapter_of(number: str) -> str:
    """Return the chapter of a rule number: ``FD`` for ``FD1.2``, ``Robot`` for ``Robot 3``."""
    found = re.match(r"[A-Za-z]+", number)
    return found[0] if found else ""
