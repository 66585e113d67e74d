"""What a player is told when an order, a file or a game cannot be used.

Faults are data: a stable code, one sentence, the rule it comes from and the place. They come in three families
(not understood, not allowed, ambiguous) and are collected, never reported one at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pbem.util import regex

Family = Literal["not understood", "not allowed", "ambiguous"]


_FORM_LINE: Final = regex(r"B3\.0, line \d+(?! of)")


def cited(rule: str) -> str:
    """A rule as people are told it: the lines of B3.0 are those of the energy form, and no line of a file."""
    return _FORM_LINE.sub(r"\g<0> of the form", rule)


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong, said so that the person who wrote it can mend it.

    ``code`` is stable and short (``energy-overspent``); ``text`` is one sentence with the values that broke the rule;
    ``rule`` is the rule number or ``""``; ``line`` and ``column`` count from 1, 0 where there is no place. ``fits`` is
    the whole line as it may stand instead, where no more than one way to mend it can be meant.
    """

    code: str
    text: str
    rule: str = ""
    line: int = 0
    column: int = 0
    file: str = ""
    family: Family = "not allowed"
    choices: tuple[str, ...] = ()
    fits: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong, with its rule."""
        return f"{self.text} ({cited(self.rule)})" if self.rule else self.text

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line or "", self.column or "") if part)
        return f"{place}: {self.code}: {self.sentence}" if place else f"{self.code}: {self.sentence}"


class NotAllowed(ValueError):
    """Raised by every ``verify_…``: an activity the rules forbid here, with the values that broke the rule."""

    def __init__(self, code: str, text: str, rule: str) -> None:
        super().__init__(f"{text} ({rule})" if rule else text)
        self.code = code
        self.text = text
        self.rule = rule

    def fault(self, line: int = 0, column: int = 0) -> Fault:
        """The same thing as a fault that points at a line of the player's orders."""
        return Fault(code=self.code, text=self.text, rule=self.rule, line=line, column=column)


class GameError(Exception):
    """The game, its folder or a data file cannot be used; carries the faults to print. Nothing was changed."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults

    @classmethod
    def saying(cls, code: str, text: str, rule: str = "", *, file: str = "", line: int = 0) -> GameError:
        """One fault, in one call."""
        return cls(Fault(code=code, text=text, rule=rule, file=file, line=line))


MORE = "more-faults"
"""The code of the fault that stands for all those that were too many to tell."""


def foremost(faults: Sequence[Fault], most: int = 50) -> tuple[Fault, ...]:
    """The first of many faults; the last one returned says how many more there are."""
    if len(faults) <= most:
        return tuple(faults)
    last, more = faults[most - 1], len(faults) - most
    rest = Fault(
        code=MORE,
        text="there is 1 more fault below" if more == 1 else f"there are {more} more faults below",
        line=last.line,
        column=last.column,
        file=last.file,
    )
    return (*faults[:most], rest)
