"""DO: what ships do in an impulse, and DAMAGE: which boxes their owner gives up first."""

from __future__ import annotations

from typing import Final

from pbem.orders import model as om, words
from pbem.orders.cursor import Cursor

VERBS: Final = (
    "FIRE", "LAUNCH", "GUIDE", "RESERVE", "REINFORCE", "LOWER", "TRANSPORT", "TRACTOR", "RELEASE", "RECOVER", "LAND",
    "PROBE", "CLOAK", "UNCLOAK", "DISENGAGE",
)  # fmt: skip


def activities(cursor: Cursor) -> tuple[om.Activity, ...]:
    """Activities joined by AND: all of them or nothing."""
    found = [_activity(cursor)]
    while cursor.take("AND"):
        found.append(_activity(cursor))
    return tuple(found)


def target_of(does: tuple[om.Activity, ...]) -> bool:
    """Whether a target is named, so that RANGE needs no unit."""
    return any(
        isinstance(one, om.Fire | om.Launch | om.Tractor | om.LaunchProbe)
        or (isinstance(one, om.LaunchShuttle) and one.target is not None)
        for one in does
    )


def _activity(cursor: Cursor) -> om.Activity:
    match cursor.need(*VERBS):
        case "FIRE":
            return _fire(cursor)
        case "LAUNCH":
            return _launch(cursor)
        case "GUIDE":
            who = cursor.unit("a seeking weapon of mine")
            way = cursor.take_word("LEFT", "RIGHT", "STRAIGHT")
            if not way:
                cursor.fail("LEFT", "RIGHT", "STRAIGHT")
            return om.Guide(who=who, way=way)
        case "RESERVE":
            if cursor.take("UP"):
                cursor.need("TO")
            points = cursor.number("a number of battery points", most=99)
            cursor.need("TO")
            return om.Reserve(points=points, shield=cursor.shield())
        case "REINFORCE":
            return _reinforce(cursor)
        case "LOWER":
            return _lower(cursor)
        case "TRANSPORT":
            return _transport(cursor)
        case "TRACTOR":
            unit = cursor.unit("a unit to hold")
            beam = ""
            if cursor.key() == "WITH" and cursor.key(1) != "RESERVE":
                cursor.need("WITH")
                cursor.take("TRACTOR")
                beam = _letter(cursor, "a tractor beam, like A")
            return om.Tractor(target=unit, beam=beam, reserve=_reserve(cursor))
        case "RELEASE":
            cursor.take("TRACTOR")
            what = "" if cursor.ended or cursor.key() in ("IF", "AND") else _letter(cursor, "a tractor beam, like A")
            return om.Simple(verb="RELEASE", what=what)
        case "RECOVER":
            return om.Simple(verb="RECOVER", what=_shuttle(cursor))
        case "LAND":
            cursor.take("ON")
            what = "" if cursor.ended or cursor.key() in ("IF", "AND") else cursor.name("a unit to land on")
            return om.Simple(verb="LAND", what=what)
        case "PROBE":
            return _probe(cursor)
        case verb:
            return om.Simple(verb=verb)


def _fire(cursor: Cursor) -> om.Fire:
    one_of = bool(cursor.take("ONE"))
    if one_of:
        cursor.need("OF")
    weapons = cursor.weapons()
    if not cursor.take("AT"):
        if cursor.word() == ",":
            cursor.at += 1
            cursor.fail("a weapon, like PH 1")
        cursor.fail("AT", "a weapon, like PH 1")
    target = cursor.unit("a target")
    battery = cursor.key() == "WITH" and cursor.key(1) == "BATTERIES"
    cursor.at += 2 * battery
    reserve = not battery and _reserve(cursor)
    return om.Fire(weapons=weapons, target=target, one_of=one_of, reserve=reserve, battery=battery)


def _reserve(cursor: Cursor) -> bool:
    """``WITH RESERVE``: batteries may pay (H7.2)."""
    if not cursor.take("WITH"):
        return False
    cursor.need("RESERVE")
    return True


def _reinforce(cursor: Cursor) -> om.Reinforce:
    """``#1 WITH 2``: batteries alone can pay in the middle of a turn, so they may be named or not (H7.1)."""
    shield = cursor.shield()
    cursor.need("WITH")
    points = cursor.number("a number of battery points", most=99)
    cursor.take_word("POINT", "POINTS")
    cursor.take("FROM")
    cursor.take("BATTERIES", "RESERVE")
    return om.Reinforce(shield=shield, points=points)


def _launch(cursor: Cursor) -> om.Activity:
    match cursor.key():
        case "PROBE":
            cursor.at += 1
            return _probe(cursor)
        case "SHUTTLE" | "SUICIDE" as key:
            cursor.at += 1
            if key == "SUICIDE":
                cursor.take("SHUTTLE")
            shuttle = _letter(cursor, "a shuttle, like A")
            target, direction = _aim(cursor)
            if key == "SUICIDE" and target is None:
                cursor.fail("AT")
            count, what = _load(cursor) if target is None and cursor.take("WITH") else (0, "")
            return om.LaunchShuttle(shuttle=shuttle, direction=direction, target=target, count=count, what=what)
    if not cursor.weapon_kind():
        cursor.fail("a weapon, like DRONE 1", "SHUTTLE", "SUICIDE", "PROBE")
    start = cursor.at
    weapons = cursor.weapons()
    if len(weapons) != 1 or weapons[0].startswith("ALL"):
        raise cursor.misread(
            "one-launch",
            "one LAUNCH launches one weapon; join two with AND",
            back=cursor.at - start,
            rule="F2.3",
        )
    target, direction = _aim(cursor)
    if target is None:
        cursor.fail("AT")
    return om.Launch(weapon=weapons[0], target=target, direction=direction, reserve=_reserve(cursor))


def _aim(cursor: Cursor) -> tuple[om.UnitRef | None, str]:
    """``AT target`` and ``DIR B``, either first, each at most once."""
    target: om.UnitRef | None = None
    direction = ""
    while True:
        if target is None and cursor.take("AT"):
            target = cursor.unit("a target")
        elif not direction and cursor.take("DIR"):
            direction = cursor.facing()
        else:
            return target, direction


def _lower(cursor: Cursor) -> om.LowerShield:
    token = cursor.peek()
    if token is not None and token.kind == "shield":
        return om.LowerShield(shield=cursor.shield())
    if cursor.key() == "SHIELD" and cursor.key(1) == "TO":
        cursor.at += 1
    if cursor.take_word("GENERAL"):
        return om.LowerShield(general=True)
    if cursor.take("TO"):
        return om.LowerShield(to=cursor.unit())
    if cursor.key() != "SHIELD":
        cursor.fail("SHIELD", "a shield, like #1", "TO", "GENERAL")
    return om.LowerShield(shield=cursor.shield())


def _transport(cursor: Cursor) -> om.Transport:
    count, what = _load(cursor)
    way = cursor.need("TO", "FROM")
    unit = cursor.unit()
    return om.Transport(count=count, what=what, unit=unit, way=way, reserve=_reserve(cursor))


def _load(cursor: Cursor) -> tuple[int, str]:
    """``3 BP``: how many of what."""
    count = cursor.number("a number of boarding parties or crew units", most=99)
    what = cursor.take_word(*words.CARGO)
    if not what:
        cursor.fail(*dict.fromkeys(words.CARGO.values()))
    return count, words.CARGO[what]


def _probe(cursor: Cursor) -> om.LaunchProbe:
    probe = _letter(cursor, "a probe, like A")
    cursor.need("AT")
    return om.LaunchProbe(probe=probe, target=cursor.unit("a target"))


def _letter(cursor: Cursor, what: str) -> str:
    """The letter or number of a system box."""
    word = cursor.word()
    if len(word) <= 2 and word.isascii() and word.isalnum() and not cursor.key():
        cursor.at += 1
        return word
    cursor.fail(what)


def _shuttle(cursor: Cursor) -> str:
    cursor.take("SHUTTLE")
    return cursor.name("a shuttle, like FS/1")


# --- DAMAGE ---------------------------------------------------------------------------------------------


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
    if box in ALIKE and cursor.word().isdigit():
        cursor.at += 1  # TRANSPORTER 2: one is as good as another, and those used go first (G8.11)
    side = side or cursor.take_word(*words.BOX_PARTS.get(box, ()))
    if side and side not in words.BOX_PARTS.get(box, ()):
        raise cursor.misread("expected", f"{box} has no {side} part", back=1)
    return [f"{box} {side}".rstrip()]
