"""Faults in orders, files and games, and the exceptions that carry them.

A fault is data, not an exception: a stable code, one sentence, the rule number, and the place in the text. Each
fault belongs to one of three families: not understood, not allowed, ambiguous. A reader collects all faults of a
text and reports them together, so that the player can correct them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from pbem.util import regex

FaultFamily = Literal["not understood", "not allowed", "ambiguous"]


_FORM_LINE: Final = regex(r"B3\.0, line \d+(?! of)")


def rule_for_players(rule: str) -> str:
    """Return a rule number as players should read it.

    A line of the energy form (B3.0) becomes ``line … of the form``, so that nobody takes it for a line of a file.
    """
    return _FORM_LINE.sub(r"\g<0> of the form", rule)


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault, worded so that its author can correct it.

    Attributes:
        code: A short, stable identifier (``energy-overspent``).
        text: One sentence that holds the values that broke the rule.
        rule: The rule number, or ``""``.
        line: Line in the text, counted from 1; 0 if the fault has no place in a text.
        column: Column in that line, counted from 1; 0 if the fault has no place in a text.
        file: The name of the file with the text, or ``""``.
        family: ``not understood``, ``not allowed`` or ``ambiguous``.
        choices: For an ambiguous text, what it may mean; for a text not understood, the words that were expected.
        fits: The whole corrected line, if there is only one plausible correction; else ``""``.
    """

    code: str
    text: str
    rule: str = ""
    line: int = 0
    column: int = 0
    file: str = ""
    family: FaultFamily = "not allowed"
    choices: tuple[str, ...] = ()
    fits: str = ""

    @property
    def sentence(self) -> str:
        """The text of the fault, followed by its rule in parentheses."""
        return f"{self.text} ({rule_for_players(self.rule)})" if self.rule else self.text

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line or "", self.column or "") if part)
        return f"{place}: {self.code}: {self.sentence}" if place else f"{self.code}: {self.sentence}"


class NotAllowed(ValueError):
    """The exception for an action that the rules forbid; every ``verify_…`` function raises it.

    It carries the code of the fault, a sentence with the values that broke the rule, and the rule number.
    """

    def __init__(self, code: str, text: str, rule: str) -> None:
        super().__init__(f"{text} ({rule})" if rule else text)
        self.code = code
        self.text = text
        self.rule = rule

    def fault(self, line: int = 0, column: int = 0) -> Fault:
        """Return the refusal as a :class:`Fault` that points at a line and column of the player's orders."""
        return Fault(code=self.code, text=self.text, rule=self.rule, line=line, column=column)


class GameError(Exception):
    """The exception for a game, game folder or data file that cannot be used; nothing has been changed.

    ``faults`` holds the faults to print.
    """

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults

    @classmethod
    def saying(cls, code: str, text: str, rule: str = "", *, file: str = "", line: int = 0) -> GameError:
        """Return a :class:`GameError` that carries a single fault.

        Args:
            code: The fault code.
            text: What is wrong, as a sentence.
            rule: The number of the rule concerned, if any.
            file: The file concerned, if any.
            line: The line in this file; 0 if there is none.
        """
        return cls(Fault(code=code, text=text, rule=rule, file=file, line=line))


MORE = "more-faults"
"""The code of the fault that says how many further faults a shortened list leaves out."""


def first_faults(faults: Sequence[Fault], most: int = 50) -> tuple[Fault, ...]:
    """Return at most ``most`` faults; if there are more, add a fault that says how many were left out.

    The added fault has the code :data:`MORE` and the line and column of the last fault that was kept.
    """
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
