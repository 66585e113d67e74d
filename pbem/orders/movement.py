"""PLOT, COURSE and what steers instead of them; reactions and tactical maneuvers (C1-C5)."""

from __future__ import annotations

import re
from typing import Final

from pbem.orders import model as om, vocabulary as words
from pbem.orders.conditions import arc
from pbem.orders.cursor import Cursor
from pbem.orders.lexer import shown
from pbem.patterns import regex

LONGEST: Final = 300
"""Codes a plot may have."""

_CODE: Final = regex(r"(\d{0,2})(FWD|FD|TL|TR|SL|SR|F|L|R)")
_CODES: Final = regex(r"(?:\d{0,2}(?:FWD|FD|TL|TR|SL|SR|F|L|R))+", re.ASCII)
_LEG: Final = regex(r"(\d{1,2})([A-F])", re.ASCII)
_LEGS: Final = regex(r"(?:\d{1,2}[A-F])+", re.ASCII)

_WAYS: Final = ("L", "R", "LEFT", "RIGHT")

PILOTS: Final = ("TOWARD", "AWAY", "KEEP")


def at_code(cursor: Cursor) -> bool:
    """Whether plot codes stand here."""
    token = cursor.peek()
    if token is None or token.kind != "word" or token.key:
        return False
    word = cursor.word()
    alone = cursor.peek(1) is None or bool(_CODES.fullmatch(cursor.word(1)))
    return bool(_CODES.fullmatch(word)) or (word == "SLIP" and (alone or cursor.word(1) in _WAYS))


def at_movement(cursor: Cursor) -> bool:
    """Whether an order of the plot begins here."""
    return at_code(cursor) or cursor.key() in (*PILOTS, "COURSE", "TAC", "LEAVE")


def codes(cursor: Cursor) -> tuple[str, ...]:
    """``F F R 2F SL``: one code a hex, ``2F`` twice; may be empty. Commas between them mean nothing."""
    found: list[str] = []
    while at_code(cursor):
        word = cursor.word()
        cursor.at += 1
        if word == "SLIP":
            way = cursor.take_word(*_WAYS) or cursor.fail("L", "R")
            found.append("S" + way[0])
        else:
            for times, code in _CODE.findall(word):
                if times and not int(times):
                    text = f"{shown(word)} flies no hex; a number before a code is 1 or more"
                    raise cursor.misread("bad-number", text, back=1)
                found += [words.CODES[code]] * int(times or 1)
        if len(found) > LONGEST:
            raise cursor.misread("plot-too-long", f"a plot has at most {LONGEST} codes", back=1)
        if cursor.word() == ",":
            cursor.at += 1
    return tuple(found)


def course(cursor: Cursor) -> tuple[tuple[int, str], ...]:
    """``4A 2B 1F``: hexes and direction."""
    found: list[tuple[int, str]] = []
    while True:
        if _LEGS.fullmatch(cursor.word()):
            found += [(int(hexes), facing) for hexes, facing in _LEG.findall(cursor.word())]
            cursor.at += 1
        elif cursor.is_number() and cursor.word(1) in words.FACINGS:
            found.append((cursor.number("hexes", most=99), cursor.facing()))
        elif cursor.word() in words.FACINGS:
            found.append((1, cursor.facing()))
        elif found:
            break
        else:
            cursor.fail("hexes and a direction, like 4A")
        if any(hexes == 0 for hexes, _ in found):
            raise cursor.misread("bad-number", "a leg of a course is at least one hex long", back=1)
        if sum(hexes for hexes, _ in found) > LONGEST:
            raise cursor.misread("plot-too-long", f"a course is at most {LONGEST} hexes long", back=1)
        if cursor.word() == ",":
            cursor.at += 1
    return tuple(found)


def is_leg(word: str) -> bool:
    """Whether this is a leg of a course (``4A``) rather than a plot code."""
    return bool(_LEG.fullmatch(word))


def pilot(cursor: Cursor) -> om.Pilot:
    """``TOWARD x``, ``AWAY FROM x``, ``KEEP #1 TO x``, ``KEEP x IN FA``, ``KEEP x AT RANGE 4 TO 8``: x is a unit or a
    hex, and for TOWARD and AWAY FROM an edge of the map too.
    """
    match cursor.need(*PILOTS):
        case "TOWARD":
            return om.Pilot(how="toward", unit=_edge(cursor) or _goal(cursor))
        case "AWAY":
            cursor.need("FROM")
            return om.Pilot(how="away", unit=_edge(cursor) or _goal(cursor))
    token = cursor.peek()
    if token is not None and (token.kind == "shield" or token.key == "SHIELD"):
        shield = cursor.shield()
        if not cursor.take("TO", "TOWARD"):
            cursor.fail("TO")
        return om.Pilot(how="keep shield", unit=_goal(cursor), shield=shield)
    unit = _goal(cursor, "a shield, like #1, or a unit")
    if cursor.take("IN"):
        return om.Pilot(how="keep arc", unit=unit, arc=arc(cursor))
    if not cursor.take("AT"):
        cursor.fail("IN", "AT")
    cursor.need("RANGE")
    low, high = _between(cursor)
    if low > high:
        raise cursor.misread("expected", f"RANGE {low} TO {high} runs backwards", back=1)
    return om.Pilot(how="keep range", unit=unit, low=low, high=high)


def _goal(cursor: Cursor, what: str = "a unit, a hex like 2805, or an edge like EDGE B") -> om.UnitRef:
    if cursor.is_number():
        return om.UnitRef(how="hex", name=cursor.hex())
    return cursor.unit(what)


def _edge(cursor: Cursor) -> om.UnitRef | None:
    """``EDGE B``: the edge of the map in that direction. EDGE alone, or with more than a letter, is a name."""
    token, letter = cursor.peek(), cursor.peek(1)
    if token is None or token.kind != "word" or cursor.word() != "EDGE":
        return None
    if letter is None or letter.kind != "word" or len(letter.text) != 1:
        return None
    cursor.at += 1
    return om.UnitRef(how="edge", name=cursor.facing())


def _between(cursor: Cursor) -> tuple[int, int]:
    """``4 TO 8``, ``4-8`` or ``6``."""
    both = re.fullmatch(r"(\d{1,2})-(\d{1,2})", cursor.word(), re.ASCII)
    if both:
        cursor.at += 1
        return int(both[1]), int(both[2])
    low = cursor.number("a range in hexes", most=99)
    return (low, cursor.number("a range in hexes", most=99)) if cursor.take("TO") else (low, low)


def tac(cursor: Cursor) -> str:
    """``TAC R``: which way."""
    cursor.need("TAC")
    way = cursor.take_word(*_WAYS)
    if not way:
        cursor.fail("L", "R")
    return way[0]
