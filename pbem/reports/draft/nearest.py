"""Find the nearest legal line for a refused order line: ``SPEED 13`` for ``SPEED 16``.

This module does not know the rules. It lowers a refused number, or tries nearby values, until the check of orders
accepts the line. It makes no suggestion if only the player can decide, for example which impulse, target or plot
(course) to choose.
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
"""Codes of faults that mean "this number is too high"; for these the highest legal number is suggested."""
_OF_A_SUM: Final = frozenset(("energy-overspent", "warp-overspent"))
"""Codes of faults about a total that is too high.

The check reports such a fault at one entry, but all entries of the total cause it together.
"""
_OF_ACTIVITIES: Final = frozenset(
    ("no-crew", "no-parties", "no-transporter", "not-aboard", "reserve-short", "transporter-unpowered", "bad-number")
)
"""Codes of faults that can also occur on activity lines, in which a number may be part of a weapon's name."""
_EXACT: Final = regex(r"wrong-amount|.+-amount|.+-arming|.+-holding")
"""Pattern for the codes of faults about points where the rules require an exact number."""
_NEAR: Final = 6
"""Largest difference, in points, between the number that a player wrote and a suggested number."""
_MOST_FIGURES: Final = 6
"""How many numbers of one order line are tried for a correction, at most."""
_FIGURE: Final = regex(r"\d{1,4}(?:\.5)?")

Judge = Callable[[Sequence[str]], Sequence[Fault]]
"""A function that returns the faults of an order file, given as lines."""


def nearest(fault: Fault, lines: Sequence[str], judge: Judge) -> str:
    """Return a legal line to suggest in place of the faulty line, or ``""`` unless exactly one legal line is found."""
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
    if fault.fits:  # the check already suggests a line
        yield fault.fits
    elif fault.code == "unknown-unit" and len(fault.choices) == 1:
        yield from filter(legal, _renamed(fault, lines[place]))
    elif fault.code == "not-your-ship":
        yield from filter(legal, [f"SHIP {name_text(name)}" for name in fault.choices if len(fault.choices) == 1])
    elif fault.code == "which-weapon":
        yield from _with_weapon(lines, fault, judge)
    elif fault.code in TOO_MUCH:
        for start, end in _figures(lines[place], fault):
            yield from _most(lines[place], start, end, legal)
    elif _EXACT.fullmatch(fault.code):
        for start, end in _figures(lines[place], fault):
            yield from _near(lines[place], start, end, legal)


def _short(faults: Sequence[Fault]) -> int:
    """Return how many of the given faults say that a ship spends more energy than it has."""
    return sum(one.code in _OF_A_SUM for one in faults)


_WHICH: Final = ("1", "2", "3", "4", "A", "B", "C", "D")
"""Numbers and letters of weapons that are tried where an order names a kind of weapon only."""


def _with_weapon(lines: Sequence[str], fault: Fault, judge: Judge) -> Iterator[str]:
    """Yield each legal line that results from adding a weapon's number or letter to the faulty line.

    The number or letter comes after the kind of weapon that the line names, as in ``PH 1``.
    """
    place = fault.line - 1
    try:
        tokens = tokens_of(lines[place])
    except Misread:
        return
    before = [one for one in tokens if one.column < fault.column and one.key in words.weapons()]
    if not before:
        return
    end = before[-1].column - 1 + len(before[-1].text)
    for which in _WHICH:
        line = f"{lines[place][:end]} {which}{lines[place][end:]}"
        if not any(one.line == fault.line for one in judge([*lines[:place], line, *lines[place + 1 :]])):
            yield line


def _most(line: str, start: int, end: int, legal: Callable[[str], bool]) -> Iterator[str]:
    """Yield the order line with the highest legal number below the player's; nothing if there is none.

    The number is found by binary search, which assumes that every number below a legal number is legal too.
    """

    def with_figure(halves: int) -> str:
        return f"{line[:start]}{halves / 2:g}{line[end:]}"

    written = float(line[start:end])
    step = 2 if written.is_integer() else 1  # half points are tried only if the player wrote half points
    low, high = 0, int(written * 2) - 1
    high -= high % step
    while low < high:  # low is legal, or 0
        middle = (low + high + step) // 2
        middle -= middle % step
        if legal(with_figure(middle)):
            low = middle
        else:
            high = middle - step
    if low:
        yield with_figure(low)


def _near(line: str, start: int, end: int, legal: Callable[[str], bool]) -> Iterator[str]:
    """Yield the order line with the legal whole number nearest to the player's; nothing if there is none."""
    written = float(line[start:end])
    near = (written + step * way for step in range(1, _NEAR + 1) for way in (-1, 1))
    values = (f"{line[:start]}{int(value)}{line[end:]}" for value in near if value >= 1 and value.is_integer())
    yield from [first] if (first := next(filter(legal, values), "")) else []


def _figures(line: str, fault: Fault) -> Iterator[tuple[int, int]]:
    """Yield the position (start, end) of each number in the line that may be corrected.

    Only numbers of the refused order count, from the fault's column to the next ``;``. Numbers of form lines,
    weapon names and impulses are skipped.
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
    # in activities a number after PH names a weapon; on the form it is points
    return before.key in words.weapons() and fault.code in _OF_ACTIVITIES


def _renamed(fault: Fault, line: str) -> Iterator[str]:
    """Yield the order line with its unknown unit name replaced, if only one name can have been meant."""
    named = re.search(r"'([^']+)'|\"([^\"]+)\"", fault.text)
    if named is not None:
        wrong = re.escape(named[1] or named[2])
        yield re.sub(rf"\"?(?<!\w){wrong}(?!\w)\"?", lambda _: name_text(fault.choices[0]), line, flags=re.IGNORECASE)
