"""The nearest line the rules allow in place of one they refuse, where they leave one: ``SPEED 13`` for ``SPEED 16``.

The law is asked and not repeated: a figure that is refused is made smaller, or what the law says it must be, until the
check has nothing more to say of that line. What nobody can guess (another moment, another target among several, a plot)
has no nearest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pbem.errors import Fault
from pbem.orders import vocabulary as words
from pbem.orders.lexer import Misread, Token, tokens_of
from pbem.orders.names import name_text
from pbem.util import only, regex

TOO_MUCH: Final = frozenset(
    (
        "acceleration", "bad-number", "capacitor-full", "energy-overspent", "impulse-movement", "no-crew", "no-parties",
        "no-transporter", "not-aboard", "not-whole", "recharge-too-much", "repair-too-much", "repair-undamaged",
        "reserve-short", "shuttle-acceleration", "shuttle-full", "shuttle-speed", "too-fast", "too-many-tacs",
        "transporter-unpowered", "transporter-used", "transporters-too-much", "warp-overspent",
    )
)  # fmt: skip
"""Refusals of a figure that is too high: the most that is allowed stands for it."""
_OF_A_SUM: Final = frozenset(("energy-overspent", "warp-overspent"))
"""Those of them that are told of the entry for which nothing is left, and are the fault of all."""
_OF_ACTIVITIES: Final = frozenset(
    ("no-crew", "no-parties", "no-transporter", "not-aboard", "reserve-short", "transporter-unpowered", "bad-number")
)
"""Those of them that are told of lines on which a figure may be a weapon's name."""
_EXACT: Final = regex(r"wrong-amount|.+-amount|.+-arming|.+-holding")
"""Refusals of points where the rules say how many there are."""
_NEAR: Final = 6
"""How far from what was written the right figure of points may be."""
_MOST_FIGURES: Final = 6
"""Figures of a line of which each is tried."""
_FIGURE: Final = regex(r"\d{1,4}(?:\.5)?")

Judge = Callable[[Sequence[str]], Sequence[Fault]]
"""What the check says of the lines of a file."""


def nearest(fault: Fault, lines: Sequence[str], judge: Judge) -> str:
    """The line of a fault as the rules allow it; ``""`` where they leave no one way to mend it."""
    place = fault.line - 1
    if not 0 <= place < len(lines):
        return ""
    return only([*dict.fromkeys(_allowed(fault, lines, place, judge))]) or ""


def _allowed(fault: Fault, lines: Sequence[str], place: int, judge: Judge) -> Iterator[str]:
    def legal(line: str) -> bool:
        said = judge([*lines[:place], line, *lines[place + 1 :]])
        here = any((one.line, one.column) == (fault.line, fault.column) for one in said)
        return not here and (fault.code not in _OF_A_SUM or _short(said) < short)

    short = _short(judge(lines)) if fault.code in _OF_A_SUM else 0
    if fault.fits:  # other faults of the line are told when it can be read
        yield fault.fits
    elif fault.code == "unknown-unit" and len(fault.choices) == 1:
        yield from filter(legal, _renamed(fault, lines[place]))
    elif fault.code in TOO_MUCH:
        for start, end in _figures(lines[place], fault):
            yield from _most(lines[place], start, end, legal)
    elif _EXACT.fullmatch(fault.code):
        for start, end in _figures(lines[place], fault):
            line, written = lines[place], float(lines[place][start:end])
            near = (written + step * way for step in range(1, _NEAR + 1) for way in (-1, 1))
            values = (f"{line[:start]}{int(value)}{line[end:]}" for value in near if value >= 1 and value.is_integer())
            yield from [first] if (first := next(filter(legal, values), "")) else []


def _short(faults: Sequence[Fault]) -> int:
    """How many ships spend more than they have."""
    return sum(one.code in _OF_A_SUM for one in faults)


def _most(line: str, start: int, end: int, legal: Callable[[str], bool]) -> Iterator[str]:
    """The line with the highest figure below the one written that is legal: whatever is less than that is, too."""

    def with_figure(halves: int) -> str:
        return f"{line[:start]}{halves / 2:g}{line[end:]}"

    written = float(line[start:end])
    step = 2 if written.is_integer() else 1  # halves are only offered to whoever wrote some
    low, high = 0, int(written * 2) - 1
    high -= high % step
    while low < high:  # low is legal, or nothing
        middle = (low + high + step) // 2
        middle -= middle % step
        if legal(with_figure(middle)):
            low = middle
        else:
            high = middle - step
    if low:
        yield with_figure(low)


def _figures(line: str, fault: Fault) -> Iterator[tuple[int, int]]:
    """Where the first figures of the order stand that is refused: from its column to ``;``, but for the number of a
    line of the form, the letters and numbers of weapons, and impulses.
    """
    found = 0
    try:
        tokens = [one for one in tokens_of(line) if one.column >= (fault.column if fault.code != "bad-number" else 1)]
    except Misread:
        return
    for place, token in enumerate(tokens):
        if (token.text == ";" and token.kind == "mark") or found == _MOST_FIGURES:
            return
        if token.kind == "word" and _FIGURE.fullmatch(token.text) and not _names(tokens, place, fault):
            found += 1
            yield token.column - 1, token.column - 1 + len(token.text)


def _names(tokens: Sequence[Token], place: int, fault: Fault) -> bool:
    before = tokens[place - 1] if place else None
    if before is None or before.text == "," or before.key in ("AT", "ON", "IMPULSE"):
        return True
    return before.key in words.weapons() and fault.code in _OF_ACTIVITIES  # PH 2 there, and points on the form


def _renamed(fault: Fault, line: str) -> Iterator[str]:
    """The line with the one unit that may be meant instead of the name that none bears."""
    named = re.search(r"'([^']+)'|\"([^\"]+)\"", fault.text)
    if named is not None:
        wrong = re.escape(named[1] or named[2])
        yield re.sub(rf"\"?(?<!\w){wrong}(?!\w)\"?", lambda _: name_text(fault.choices[0]), line, flags=re.IGNORECASE)
