"""What becomes of a faulty line in a corrected draft: which lines are made comments with it, so that no order is lost
and none is given to another ship.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from pbem.errors import Fault
from pbem.orders import vocabulary as words
from pbem.orders.lexer import Misread, Statement, Token, statements, tokens_of
from pbem.orders.mail import order_text

_BLOCKS = ("SHIP", "SHUTTLE")
_SECTIONS = ("ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE")
_OF_THE_SHIP = ("ENERGY", "BREAK", "DAMAGE")
"""Sections that below a shuttle's block belong to the ship above it."""
_BARE = ("ENERGY", "DO", "BREAK", "DAMAGE")
"""Headings that stay where the order on their line is at fault: the lines below are theirs."""

NOT_A_LINE = ("energy-missing", "ship-missing")
"""Faults in what does not stand there: nothing is left out for them."""

BLOCK = "the orders below it stay out with the heading: put that right and take the # away from all of them"


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What a fault takes out of a draft: lines (counted from 0) that become comments, and headings that stay in a
    shorter form; ``why`` is said besides the fault.
    """

    lines: tuple[int, ...] = ()
    shorter: tuple[tuple[int, str], ...] = ()
    why: str = ""


def left_out(lines: Sequence[str], fault: Fault, tried: frozenset[int] = frozenset()) -> LeftOut:
    """What a fault takes out. ``tried`` are the headings that stayed in a shorter form: whatever is said of one now, it
    goes.
    """
    place = fault.line - 1
    if fault.code in NOT_A_LINE:
        return LeftOut()
    run = _run(lines, place)
    first, heading = run[0], _heading(lines[run[0]])
    if fault.code == "no-unit":
        return LeftOut(lines=tuple(_until(lines, first, _BLOCKS)), why=BLOCK)
    if heading in (*_BLOCKS, *_BARE):
        short = _shorter(lines[first], heading)
        if short and first not in tried:
            return LeftOut(lines=tuple(run[1:]), shorter=((first, short),))
        ends: tuple[str, ...] = _BLOCKS if heading in _BLOCKS else (*_BLOCKS, *_SECTIONS)
        if heading == "SHUTTLE":
            ends = (*_BLOCKS, *_OF_THE_SHIP)
        return LeftOut(lines=tuple(_until(lines, first, ends)), why=BLOCK)
    return LeftOut(lines=tuple(run))


def _run(lines: Sequence[str], place: int) -> list[int]:
    """The lines of the order that has words on a line, as the reader joins them."""
    found = {place}
    for first, last, own in _spans(tuple(lines)):
        if place in own:
            found |= set(range(first, last + 1))
    return sorted(line for line in found if line < len(lines))


@lru_cache(maxsize=2)
def _spans(lines: tuple[str, ...]) -> list[tuple[int, int, frozenset[int]]]:
    """First and last line of each order, and the lines that hold words of it. All faults of a draft ask the same."""
    read = [one for one in statements(order_text("\n".join(lines))) if isinstance(one, Statement)]
    of_each = [frozenset(token.line - 1 for token in one.tokens) for one in read]
    return [(min(own), max(own), own) for own in of_each if own]


def _until(lines: Sequence[str], first: int, ends: Sequence[str]) -> list[int]:
    """The lines from one on, to before the next that begins with one of these headings."""
    found = [first]
    for place in range(first + 1, len(lines)):
        if _heading(lines[place]) in (*ends, "END"):
            break
        found.append(place)
    return found


def _tokens(line: str) -> list[Token]:
    try:
        return tokens_of(line)
    except Misread:
        return []


def _heading(line: str) -> str:
    word = (line.split() or [""])[0].rstrip(":;,")
    key = words.keyword(word)
    if key not in (*_BLOCKS, *_SECTIONS, "END"):
        return ""
    found = _tokens(line)
    return "" if len(found) > 1 and found[1].key in words.AFTER_SUBJECT else key


def _shorter(line: str, heading: str) -> str:
    """The heading without what else stands on its line: SHIP and the name alone, DO alone; ``""`` where it can get no
    shorter.
    """
    found = _tokens(line)
    if len(found) < 2:
        return ""
    if heading not in _BLOCKS:
        return line[: found[1].column - 1].rstrip()
    cut = next((token for token in found[2:] if token.key in ("AT", "SPEED") or token.text == ";"), None)
    return line[: cut.column - 1].rstrip() if cut is not None else ""
