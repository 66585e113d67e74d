"""Functions that read the lines of DAMAGE, ENERGY and PLOT sections.

DAMAGE says which boxes the owner prefers to lose first (D4.223). ENERGY holds the lines of the energy allocation
form that a player fills in (B3.0), by name or number. PLOT and COURSE give the movement, with pilots (rules to
steer by), reactions and tactical maneuvers (C1-C5). Conditions are read in :mod:`pbem.orders.conditions`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import Final

from pbem.data.terms import ENTRIES, LABELS, WEAPONS, FormItem
from pbem.orders import model as om, vocabulary as words
from pbem.orders.conditions import arc
from pbem.orders.cursor import Cursor
from pbem.orders.lexer import quoted_word
from pbem.orders.model import EnergyLine
from pbem.util import regex


def damage_choice(cursor: Cursor) -> tuple[str, tuple[str, ...], str]:
    """Read a line like ``WEAPON PH 4, DRONE 1 FIRST``; return category, boxes, and FIRST or LAST (D4.223)."""
    category = cursor.take_word(*words.CATEGORIES)
    if not category:
        cursor.fail(*dict.fromkeys(words.CATEGORIES.values()))
    items: list[str] = []
    while not cursor.ended and cursor.word() not in ("FIRST", "LAST"):
        items += _boxes(cursor)
        cursor.take_word(",") or cursor.take("AND")
    # SHUTTLE and PROBE are allowed: a weapon hit may destroy a shuttle (D4.324)
    others = words.BOXES.keys() - {"SHUTTLE", "PROBE"}
    odd = next((item for item in items if words.CATEGORIES[category] == "WEAPON" and item.split()[0] in others), "")
    if odd:
        text = f"{odd} is not a weapon; write it after ENGINE, OTHER, HULL or ANY"
        raise cursor.misread("expected", text, back=1, rule="D4.223")
    place = cursor.take_word("FIRST", "LAST")
    if items and not place:
        cursor.fail("a weapon or box", "FIRST", "LAST")
    return words.CATEGORIES[category], tuple(items), place or "FIRST"


LETTERED = ("TRACTOR", "SHUTTLE")
"""Systems whose boxes a damage choice may name one by one, by a letter (G7.34, D4.325).

The letters belong to tractor beams and shuttles; the boxes have no letters on the SSD.
"""

ALIKE = ("TRAN", "LAB")
"""Systems whose boxes players often number, although all boxes of the system are alike."""


def _letters(cursor: Cursor) -> list[str]:
    """Read the letters of beams or shuttles, ``A`` or ``A,B``, and return them as a list."""
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
        cursor.at += 1  # ignore the number in TRANSPORTER 2: all are alike, and used ones are lost first (G8.11)
    side = side or cursor.take_word(*words.BOX_PARTS.get(box, ()))
    if side and side not in words.BOX_PARTS.get(box, ()):
        raise cursor.misread("expected", f"{box} has no {side} part", back=1)
    return [f"{box} {side}".rstrip()]


_SHOWN = 3
"""Maximum number of letters of a system that an error message lists."""


def energy_lines(cursor: Cursor) -> tuple[EnergyLine, ...]:
    """Read one line of the energy form and return a tuple of entries; ``PHOT A,B HOLD`` gives one for each weapon.

    The entries do not contain their line and column in the file; the caller adds both.
    """
    number = _line_number(cursor)
    if (
        number == WEAPONS
        or cursor.key() == "ALL"
        or (number is None and cursor.weapon_kind() and cursor.word() not in words.ENERGY_ITEMS)
    ):
        return _torpedoes(cursor)
    if cursor.key() == "DAMAGE" and cursor.word(1) == "CONTROL":
        cursor.at += 1
        word, named = "REPAIR", "REPAIR"  # DAMAGE CONTROL is the form's name for line 15; DAMAGE alone is a heading
    else:
        word = cursor.word()
        named = words.ENERGY_ITEMS.get(word, "")
    implied = words.ENERGY_LINES.get(number, "") if number is not None else ""
    if named:
        cursor.at += 1
    elif not implied:
        if word in ("TOTAL", "WARP", "IMPULSE", "APR", "REACTOR", "BATTERIES", "BATTERY", "DISCHARGED"):
            raise cursor.misread("computed-line", f"leave out {word}: the engine works it out", rule="B3.0")
        entries = dict.fromkeys(words.ENERGY_ITEMS.values())
        cursor.fail("a weapon, like PHOT A", *entries, says="an entry of the form, like PHASERS, PHOT A or SPEED")
    item = named or implied
    if named and implied and named != implied and {named, implied} - {"MOVE", "SPEED", "TAC"}:
        raise cursor.misread(
            "which-line",
            f"line {number} of the form is {ENTRIES[implied].item}, not {ENTRIES[named].item}; keep one of them",
            family="ambiguous",
            choices=(ENTRIES[implied].item, ENTRIES[named].item),
            rule="B3.0",
            back=1,
        )
    entry = ENTRIES[item]
    return _lettered(cursor, entry) if entry.names == "letter" else (_entry(cursor, entry, word),)


def _line_number(cursor: Cursor) -> int | None:
    """Read and return the number of a line of the energy form; ``None`` if the order begins with no number.

    The number may be written before the line's name or instead of the name.
    """
    cursor.take_word("LINE")
    word = cursor.word().rstrip(".")
    if not (word.isascii() and word.isdecimal()):
        return None
    number = int(word[:9])
    if number in LABELS.keys() - words.ENERGY_LINES.keys():
        text = f"leave out line {number} of the form: the engine works it out"
        raise cursor.misread("computed-line", text, rule="B3.0")
    if number not in words.ENERGY_LINES:
        raise cursor.misread(
            "no-such-line", f"the form has no line {quoted_word(word)}; fill in lines 7 to 19 only", rule="B3.0"
        )
    cursor.at += 1
    return number


def _entry(cursor: Cursor, entry: FormItem, word: str) -> EnergyLine:
    if entry.word == word == "FIRE" and not cursor.take_word("CONTROL", "CONTROLS"):
        raise cursor.misread("expected", "expected FIRE CONTROL; to fire at somebody, begin a DO section first", back=1)
    for noise in entry.behind:
        if noise in (cursor.word(), cursor.key()):
            cursor.at += 1
    if entry.names == "shield":
        shield = cursor.shield()
        cursor.take("WITH")
        return EnergyLine(item=entry.item, shield=shield, parts=_parts(cursor))
    if entry.standing and (word_here := cursor.word()).isalpha():
        text = (
            f"expected a number of points, found {quoted_word(word_here)}; "
            f"{entry.item} is paid by default, so you can leave it out"
        )
        raise cursor.misread("expected", text, choices=("a number of points",), rule="B3.0")
    if entry.word == "SPEED":
        return EnergyLine(item=entry.item, parts=(("", Fraction(cursor.number("a speed", most=99))),))
    return EnergyLine(item=entry.item, parts=_parts(cursor))


def _lettered(cursor: Cursor, entry: FormItem) -> tuple[EnergyLine, ...]:
    """Read an entry for systems with letters, like ``TRACTOR A``, and return one entry for each letter.

    ``TRACTOR A,B`` and ``SUICIDE A,B 3 WARP EACH`` have two letters each.
    """
    for noise in entry.behind:
        if noise in (cursor.word(), cursor.key()):
            cursor.at += 1
    cursor.take("SHUTTLE")
    names = [_name(cursor, entry)]
    while cursor.word() == ",":
        cursor.at += 1
        names.append(_name(cursor, entry))
    if cursor.ended:
        _verify_letters(cursor, entry, names)
    parts = () if cursor.ended else _parts(cursor)
    _verify_each(cursor, names, parts, "entries")
    return tuple(EnergyLine(item=name, parts=parts) for name in names)


def _verify_letters(cursor: Cursor, entry: FormItem, names: Sequence[str]) -> None:
    """Check an entry such as ``TRACTOR A``, which names systems by letter and gives no points.

    Raises:
        Misread: The entry needs points and has none, or it has only a number (``which-letter``). A number alone may
            mean points, a certain system, or how many systems.
    """
    number = names[0].rpartition(" ")[2]
    if len(names) > 1 or not number.isdecimal():
        if not entry.alone:
            cursor.fail("a number of points")
        return
    if not entry.alone:
        text = f"write the letter and the points, like {entry.item} A {number}: {number} can be either"
        choices: tuple[str, ...] = (f"{entry.item} A {number}",)
    elif int(number) > 1:
        letters = ascii_uppercase[: int(number)]
        some = ",".join(letters) if len(letters) <= _SHOWN else f"{letters[0]},{letters[1]} and so on"
        choices = (f"{entry.item} {letters[-1]}", f"{entry.item} {some}")
        text = f"{entry.item} {number} can mean number {number} or {number} of them: write {choices[0]} or {choices[1]}"
    else:
        return
    raise cursor.misread("which-letter", text, family="ambiguous", choices=choices, rule="B3.0", back=1)


def _name(cursor: Cursor, entry: FormItem) -> str:
    """Read the letter of a system and return the name of the form entry: ``TRACTOR A``."""
    letter = cursor.word()
    if not letter.isascii() or not letter.isalnum() or len(letter) > 2 or cursor.key():
        cursor.fail(f"which {entry.item}, like {entry.item} A")
    cursor.at += 1
    return f"{entry.item} {letter}"


def _verify_each(cursor: Cursor, names: Sequence[str], parts: Sequence[tuple[str, Fraction]], what: str) -> None:
    """Check that EACH follows the points of an entry for several systems or weapons.

    Raises:
        Misread: EACH is missing (``each-or-total``), so the points may be meant for each system or for all together.
    """
    if len(names) > 1 and parts and not cursor.take("EACH"):
        total = _plain(sum((points for _, points in parts), Fraction(0)))
        raise cursor.misread(
            "each-or-total",
            f"write EACH after {total} if each of these {len(names)} {what} gets {total};"
            " else write one entry for each",
            family="ambiguous",
            choices=tuple(f"{name} {total}" for name in names),
            rule="B3.0",
            back=1,
        )


def _torpedoes(cursor: Cursor) -> tuple[EnergyLine, ...]:
    weapons = _armed_weapons(cursor)
    cursor.take_word("ARM")
    verb = cursor.take_word("HOLD", "EJECT") or cursor.take("HOLDING")
    parts = () if (verb and cursor.ended) else _parts(cursor)
    verb = verb or cursor.take_word("HOLD", "EJECT") or cursor.take("HOLDING")
    _verify_each(cursor, weapons, parts, "weapons")
    verb = "HOLD" if verb == "HOLDING" else verb
    return tuple(EnergyLine(item=weapon, parts=parts, verb=verb) for weapon in weapons)


def _armed_weapons(cursor: Cursor) -> tuple[str, ...]:
    """Read the weapons at the start of an entry of line 10 (arming), and return their names.

    Raises:
        Misread: No weapon is named, the weapons need no energy, or it is unclear which weapons are meant.
    """
    start, several = cursor.at, cursor.word() in words.PLURALS
    every = cursor.key() == "ALL" and cursor.key(1) in words.weapons()
    cursor.at += every
    if not cursor.weapon_kind():
        cursor.fail("a weapon, like PHOT A")
    weapons = cursor.weapons(one=True)
    kind = weapons[0].removeprefix("ALL ").split()[0]
    every = every or any(weapon.startswith("ALL") for weapon in weapons)
    if words.is_only_launched(kind) and (cursor.ended or every):
        text = f"leave out {kind}: it takes no energy"
        raise cursor.misread("no-such-line", text, back=cursor.at - start, rule="FD1.1")
    number = weapons[0].rpartition(" ")[2] if kind != "PH" and len(weapons) == 1 else ""
    pointless = number.isdecimal() and (
        cursor.ended or cursor.key() == "EACH" or (cursor.word() in words.SOURCES and not cursor.word(1))
    )
    numbered = pointless and (several or cursor.key() == "EACH")
    if every or numbered:
        text = f"name each weapon on line 10 of the form, like {kind} A,B 2 EACH"
        raise cursor.misread("which-weapon", text, back=cursor.at - start, rule="B3.0")
    if pointless and not words.is_only_launched(kind):
        text = f"write the letter and the points, like {kind} A {number}: {number} can be either"
        choices = (f"{kind} A {number}",)
        raise cursor.misread("which-letter", text, family="ambiguous", choices=choices, rule="B3.0", back=1)
    return weapons


def _parts(cursor: Cursor) -> tuple[tuple[str, Fraction], ...]:
    """Read points and their sources, like ``11 WARP + 1 IMPULSE``, and return pairs (source, points)."""
    found: list[tuple[str, Fraction]] = []
    while True:
        points = cursor.points()
        if points is None:
            cursor.fail("a number of points")
        cursor.take_word("POINT", "POINTS")
        cursor.take("FROM")
        source = words.SOURCES.get(cursor.take_word(*words.SOURCES), "")
        found.append((source, points))
        if not source and cursor.word() == "," and cursor.is_number(1):
            which = f"{_plain(points)},{cursor.word(1)}"
            fraction = (
                f"a fraction or a sum: write {which.replace(',', '.')} or "
                if points.denominator == 1
                else "a sum: write "
            )
            text = f"{which} can be {fraction}{which.replace(',', ' + ')}"
            raise cursor.misread("bad-number", text, family="ambiguous", rule="B3.0", back=1)
        if not (cursor.take_word("+", ",") or cursor.take("AND")):
            return tuple(found)


def _plain(points: Fraction) -> str:
    return str(points.numerator) if points.denominator == 1 else f"{float(points):g}"


LONGEST: Final = 300
"""Maximum number of codes in a plot, and of hexes in a course."""

_CODE: Final = regex(r"(\d{0,2})(FWD|FD|TL|TR|SL|SR|F|L|R)")
_CODES: Final = regex(r"(?:\d{0,2}(?:FWD|FD|TL|TR|SL|SR|F|L|R))+", re.ASCII)
_LEG: Final = regex(r"(\d{1,2})([A-F])", re.ASCII)
_LEGS: Final = regex(r"(?:\d{1,2}[A-F])+", re.ASCII)

_WAYS: Final = ("L", "R", "LEFT", "RIGHT")

PILOTS: Final = ("TOWARD", "AWAY", "KEEP")


def at_code(cursor: Cursor) -> bool:
    """Return whether the word at the cursor is a plot code such as ``F`` or ``SL``."""
    token = cursor.peek()
    if token is None or token.kind != "word" or token.key:
        return False
    word = cursor.word()
    alone = cursor.peek(1) is None or bool(_CODES.fullmatch(cursor.word(1)))
    return bool(_CODES.fullmatch(word)) or (word == "SLIP" and (alone or cursor.word(1) in _WAYS))


def at_movement(cursor: Cursor) -> bool:
    """Return whether the words at the cursor order movement.

    These are a plot code, a course, a rule to steer by, TAC or LEAVE MAP.
    """
    return at_code(cursor) or cursor.key() in (*PILOTS, "COURSE", "TAC", "LEAVE")


def codes(cursor: Cursor) -> tuple[str, ...]:
    """Read plot codes and return a tuple with one code for each hex; ``F F R 2F SL`` gives six, because ``2F`` is two.

    Commas between codes are ignored. The tuple may be empty.
    """
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
                    text = f"{quoted_word(word)} moves the ship 0 hexes; use 1 or more before a code"
                    raise cursor.misread("bad-number", text, back=1)
                found += [words.CODES[code]] * int(times or 1)
        if len(found) > LONGEST:
            raise cursor.misread("plot-too-long", f"a plot has at most {LONGEST} codes", back=1)
        if cursor.word() == ",":
            cursor.at += 1
    return tuple(found)


def course(cursor: Cursor) -> tuple[tuple[int, str], ...]:
    """Read a course like ``4A 2B 1F`` and return pairs (hexes, direction)."""
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
            raise cursor.misread("bad-number", "give each leg of a course at least one hex", back=1)
        if sum(hexes for hexes, _ in found) > LONGEST:
            raise cursor.misread("plot-too-long", f"shorten the course to at most {LONGEST} hexes", back=1)
        if cursor.word() == ",":
            cursor.at += 1
    return tuple(found)


def is_leg(word: str) -> bool:
    """Return whether the word is a part of a course, like ``4A`` (4 hexes in direction A), and not a plot code."""
    return bool(_LEG.fullmatch(word))


def pilot(cursor: Cursor) -> om.Pilot:
    """Read a rule to steer by and return it as a :class:`~pbem.orders.model.Pilot`.

    The forms are ``TOWARD x``, ``AWAY FROM x``, ``KEEP #1 TO x``, ``KEEP x IN FA`` and ``KEEP x AT RANGE 4 TO 8``,
    where x is a unit or a hex. For TOWARD and AWAY FROM, x may also be an edge of the map.
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
        raise cursor.misread("expected", f"write RANGE {high} TO {low}: the lower range comes first", back=1)
    return om.Pilot(how="keep range", unit=unit, low=low, high=high)


def _goal(cursor: Cursor, what: str = "a unit, a hex like 2805, or an edge like EDGE B") -> om.UnitRef:
    if cursor.is_number():
        return om.UnitRef(how="hex", name=cursor.hex())
    return cursor.unit(what)


def _edge(cursor: Cursor) -> om.UnitRef | None:
    """Read and return an edge of the map, like ``EDGE B``.

    The result is ``None`` if no edge is at the cursor, or if EDGE is a unit's name.
    """
    token, letter = cursor.peek(), cursor.peek(1)
    if token is None or token.kind != "word" or cursor.word() != "EDGE":
        return None
    if letter is None or letter.kind != "word" or len(letter.text) != 1:
        return None
    cursor.at += 1
    return om.UnitRef(how="edge", name=cursor.facing())


def _between(cursor: Cursor) -> tuple[int, int]:
    """Read a range in hexes, ``4 TO 8``, ``4-8`` or ``6``, and return its lowest and highest number."""
    both = re.fullmatch(r"(\d{1,2})-(\d{1,2})", cursor.word(), re.ASCII)
    if both:
        cursor.at += 1
        return int(both[1]), int(both[2])
    low = cursor.number("a range in hexes", most=99)
    return (low, cursor.number("a range in hexes", most=99)) if cursor.take("TO") else (low, low)


def tac(cursor: Cursor) -> str:
    """Read ``TAC R`` and return the direction, ``L`` or ``R``."""
    cursor.need("TAC")
    way = cursor.take_word(*_WAYS)
    if not way:
        cursor.fail("L", "R")
    return way[0]
