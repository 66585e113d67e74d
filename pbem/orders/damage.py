"""DAMAGE: which boxes their owner gives up first (D4.223)."""

from __future__ import annotations

from pbem.orders import vocabulary as words
from pbem.orders.cursor import Cursor


def damage_choice(cursor: Cursor) -> tuple[str, tuple[str, ...], str]:
    """``WEAPON PH 4, DRONE 1 FIRST``: category, boxes, place (D4.223)."""
    category = cursor.take_word(*words.CATEGORIES)
    if not category:
        cursor.fail(*dict.fromkeys(words.CATEGORIES.values()))
    items: list[str] = []
    while not cursor.ended and cursor.word() not in ("FIRST", "LAST"):
        items += _boxes(cursor)
        cursor.take_word(",") or cursor.take("AND")
    others = words.BOXES.keys() - {"SHUTTLE", "PROBE"}  # a hit on any weapon may take a shuttle (D4.324)
    odd = next((item for item in items if words.CATEGORIES[category] == "WEAPON" and item.split()[0] in others), "")
    if odd:
        text = f"{odd} is no weapon: it stands behind ENGINE, OTHER, HULL or ANY"
        raise cursor.misread("expected", text, back=1, rule="D4.223")
    place = cursor.take_word("FIRST", "LAST")
    if items and not place:
        cursor.fail("a weapon or box", "FIRST", "LAST")
    return words.CATEGORIES[category], tuple(items), place or "FIRST"


LETTERED = ("TRACTOR", "SHUTTLE")
"""Boxes that may be named one by one: tractor beams and shuttles have letters though their boxes have none (G7.34,
D4.325)."""

ALIKE = ("TRAN", "LAB")
"""Boxes of which players speak by number, though nothing tells them apart."""


def _letters(cursor: Cursor) -> list[str]:
    """``A``, ``A,B``: the letters of beams or shuttles."""
    found: list[str] = []
    while len(cursor.word()) == 1 and cursor.word().isalpha():
        found.append(cursor.word())
        cursor.at += 1
        if not (cursor.word() == "," and len(cursor.word(1)) == 1 and cursor.word(1).isalpha()):
            break
        cursor.at += 1
    return found


def _boxes(cursor: Cursor) -> list[str]:
    if cursor.weapon_kind() or cursor.key() in ("ALL", "HEAVY"):
        return list(cursor.weapons())
    side = cursor.take_word("LEFT", "RIGHT", "CENTER", "FORE", "AFT")
    word = cursor.take_word(*words.BOXES)
    if not word:
        cursor.fail("a weapon like PH 1", "a box like LAB", "FIRST", "LAST")
    box = words.BOXES[word]
    if box in LETTERED and (letters := _letters(cursor)):
        return [f"{box} {letter}" for letter in letters]
    if box in ALIKE and cursor.word().isdecimal():
        cursor.at += 1  # TRANSPORTER 2: one is as good as another, and those used go first (G8.11)
    side = side or cursor.take_word(*words.BOX_PARTS.get(box, ()))
    if side and side not in words.BOX_PARTS.get(box, ()):
        raise cursor.misread("expected", f"{box} has no {side} part", back=1)
    return [f"{box} {side}".rstrip()]
