"""What people write who say it otherwise than the orders do: ``FIRE ALL AT x ON IMPULSE 9``, ``8 hexes forward``,
``range to x is 4 or less``. And what they ask for that these rules have not.

Each turn of speech is a row of a table: what it looks like, and the same in the words of the orders. They are tried on
a faulty order only, one after the other, until it reads; what does not read in the end is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pbem.orders.activities import VERBS
from pbem.orders.lexer import Misread, Token, tokens_of
from pbem.orders.vocabulary import ARCS, KEYWORDS, NOT_HERE, SPOKEN_CODES, SPOKEN_SLIPS, WEAPONS
from pbem.patterns import regex

_NUMBER: Final = r"(\d{1,2})"
_WORD: Final = r"(?!(?:IF|WHEN|EVERY|AND|OR|NOT|THEN|IS|ARE|OF|AT|RANGE|SPEED|FACED|SHIELD)\b)[A-Za-z][\w/*.-]{0,30}+"
_NAME: Final = rf"({_WORD}(?: {_WORD}){{0,3}}?)"
_EQUALS: Final = r"(?:\b(?:IS|ARE) |= ?)?(?<![<>=] )(?<![<>=])"
_BEHIND: Final = r"(?=$| (?:AND|OR|THEN|IF)\b|\))"

_CONDITIONS: Final = (
    (rf"\bWITHIN (?:A )?(?:RANGE|DISTANCE)(?: OF)? {_NUMBER}\b", r"WITHIN \1"),
    (rf"\b(?:AT|IN) RANGE(?: OF)? {_NUMBER}(?= OR (?:LESS|CLOSER|NEARER)\b)", r"WITHIN \1"),
    (rf"\b(WITHIN {_NUMBER}) OR (?:LESS|CLOSER|NEARER)\b", r"\1"),
    (r"\b(RANGE|SPEED) (TO|OF|FROM) ", r"\1 "),
    (rf"\b(?:IS |ARE )?(?:LESS|FEWER|SMALLER|LOWER|CLOSER) THAN {_NUMBER}\b", r"< \1"),
    (rf"\b(?:IS |ARE )?(?:MORE|GREATER|HIGHER|LARGER) THAN {_NUMBER}\b", r"> \1"),
    (rf"\b(?:IS |ARE |DROPS |FALLS |GOES )?(?:BELOW|UNDER) {_NUMBER}\b", r"< \1"),
    (rf"\b(?:IS |ARE |RISES |GOES )?(?:ABOVE|OVER) {_NUMBER}\b", r"> \1"),
    (rf"\b(?:IS |ARE )?AT MOST {_NUMBER}\b", r"<= \1"),
    (rf"\b(?:IS |ARE )?AT LEAST {_NUMBER}\b", r">= \1"),
    (rf"{_EQUALS}\b{_NUMBER} OR (?:LESS|FEWER|CLOSER|NEARER|UNDER|BELOW)\b", r"<= \1"),
    (rf"{_EQUALS}\b{_NUMBER} OR (?:MORE|GREATER|HIGHER|OVER|ABOVE)\b", r">= \1"),
    (rf"\b(?:IS|ARE|EQUALS|EQUAL TO) (?:=|EQUAL TO )?{_NUMBER}\b", r"= \1"),
    (r"\b(?:IS|ARE) (?=[<>=!])", ""),
    (r"([<>=] ?\d{1,2}) (?:HEX|HEXES|BOX|BOXES)\b", r"\1"),
    (r"\bFACING SHIELD\b", "FACED SHIELD"),
    (rf"\b({'|'.join(ARCS)}) ARC\b", r"\1"),
    (r"\b(IF|WHEN) DAMAGED\b", r"\1 ME DAMAGED"),
    (rf"\b{_NAME} (?:DEAD|KILLED)\b", r"\1 DESTROYED"),
    (r"\bANY ENEMY\b", "ENEMY"),
    (r"\b(?:ANY )?INTERNALS?(?: DAMAGE| HITS?)?\b", "INTERNALS"),
    (r"\b(?:I|WE)(?:'M|'RE| AM| ARE)? DAMAGED\b", "ME DAMAGED"),
    (r"(?<![<>=] )\b(?:THE|AN|A|MY)\s+(?=(?:ENEMY|DRONE|DRONES|SEEKER|SHUTTLE|PLASMA|SHIP|SHIELD|#)\b|#)", ""),
    (rf"\b{_NAME}(?:'S)? (?:SHIELD )?#?([1-6]) (?:IS )?(DOWN|HIT|[<>=]=? ?\d+)", r"#\2 OF \1 \3"),
    (rf"\b{_NAME}(?:'S)? SPEED (?=[<>=])", r"SPEED \1 "),
    (r"\b(ENEMY|ANY|SHIP) LAUNCH\b", r"\1 LAUNCHES"),
    (r"\b(ENEMY|ANY|SHIP) FIRE\b", r"\1 FIRES"),
    (rf"\b{_NAME} (?:UNCLOAKS|DECLOAKS|UNCLOAKED|DECLOAKED)\b", r"NOT \1 CLOAKED"),
    (rf"\b{_NAME} CLOAKS\b", r"\1 CLOAKED"),
    (rf"\bIMPULSES? {_NUMBER}(?:-| TO ){_NUMBER}{_BEHIND}", r"IMPULSE >= \1 AND IMPULSE <= \2"),
)  # fmt: skip
"""Turns of speech of a condition, with the same in the words of the orders."""

_WITHOUT_THEN: Final = (
    rf"^((?:AT \d+ )?(?:EVERY )?IF (?!.*\bTHEN\b).+?),? (?=(?:{'|'.join(VERBS)}|SHOOT|BEAM|DROP)\b)", r"\1 THEN "
)  # fmt: skip
"""Where it is the only thing that is wrong, the one word is told."""
_MOMENT: Final = r"(?:AT|ON|IN|DURING|@) (?:IMPULSES? |IMP )?|(?:IMPULSES?|IMP) "
_ACTS: Final = (
    (rf"^(?:{_MOMENT}|FROM (?:IMPULSE )?){_NUMBER}(?: ?- ?| TO ){_NUMBER},? (?=\D)",
     r"IF IMPULSE >= \1 AND IMPULSE <= \2 THEN "),
    (rf"^(?:{_MOMENT}){_NUMBER}(?:,| OR| AND) {_NUMBER},? (?=\D)", r"IF IMPULSE \1 OR IMPULSE \2 THEN "),
    (rf"^(?:{_MOMENT}){_NUMBER}\s*,?\s+(?=\D)", r"AT \1 "),
    (r"^(?:AT |ON )?(?:THE )?LAST(?: IMPULSE)?,? (?=\D)", "LAST "),
    (r"^(?:EACH|EVERY) IMPULSE,? ", "EVERY "),
    (rf"^(.+?),? (?:{_MOMENT}){_NUMBER}(?=$|,? IF\b),?", r"AT \2 \1"),
    (r"^(.+?),? (?:AT|ON) (?:THE )?LAST IMPULSE(?=$|,? IF\b),?", r"LAST \1"),
    (r"\b(FIRE|SHOOT) (?:EVERYTHING|ALL WEAPONS|ALL GUNS)\b", r"\1 ALL"),
    (r"\b(FIRE|SHOOT) (?:AT|ON|UPON) (.+?) WITH (?!RESERVE|BATTER)(.+?)(?=$| IF\b)", r"\1 \3 AT \2"),
    (r"\b(FIRE|SHOOT) (?:AT|ON|UPON) ", r"\1 ALL AT "),
    (r"\b((?:FIRE|SHOOT) .+?) (?:ON|UPON|INTO|TO|AGAINST) (?=[A-Za-z])", r"\1 AT "),
    (r"\bAS SOON AS\b", "IF"),
    (rf"\b(IF|WHEN|AND|OR) (?:AT|IN) RANGE(?: OF)? {_NUMBER}\b", r"\1 RANGE <= \2"),
    (rf" (?:AT|IN) RANGE(?: OF)? {_NUMBER}$", r" IF RANGE <= \1"),
    (r"(\d|ALL|\b[A-Z]) (?:HEX|HEXES)\b", r"\1"),
    (r"\bRESERVE (?:POWER )?(?:UP TO )?(\d+)(?: POINTS?)? (?:TO|ON|FOR|INTO) ", r"RESERVE UP TO \1 TO "),
    (r"\bRELEASE (?:ALL|EVERYTHING|ALL BEAMS)\b", "RELEASE"),
    (r"\bWITH BEAM\b", "WITH"),
    _WITHOUT_THEN,
)  # fmt: skip
"""The same of an activity and its moment."""

_PLOTS: Final = (
    (r"^(?:FOLLOW|CHASE|PURSUE|INTERCEPT|CLOSE WITH|HEAD FOR|(?:GO |MOVE |FLY )?(?:TOWARDS?|TO)) (?:HEX )?", "TOWARD "),
    (r"\b(TOWARDS?|FROM) HEX ", r"\1 "),
    (rf"^KEEP (?:AT )?(?:RANGE|DISTANCE) {_NUMBER}(?:(?: TO |-){_NUMBER})? (?:TO|FROM|OF) (.+)$",
     r"KEEP \3 AT RANGE \1 TO \2"),
    (r"( AT RANGE \d+) TO $", r"\1"),
    (rf"^KEEP (.+) AT {_NUMBER}$", r"KEEP \1 AT RANGE \2"),
    (r"\bTHEN (?:TURN )?(L|R)(?:EFT|IGHT)?$", r"THEN \1"),
    (r"\b(\d+) TURN (L|R)(?:EFT|IGHT)?$", r"\1 \2"),
)  # fmt: skip

_NUMBERS: Final = (
    "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN", "ELEVEN", "TWELVE", "THIRTEEN",
    "FOURTEEN", "FIFTEEN", "SIXTEEN",
)  # fmt: skip
"""Numbers in words; a speed is no higher."""

_ENTRIES: Final = (
    *((rf"\b{word}\b", f"{number}") for number, word in enumerate(_NUMBERS, start=1)),
    (rf"^(?:(?:14\.? )?MOVE(?:MENT)? )?{_NUMBER} (?:HEX|HEXES)$", r"SPEED \1"),
    (r"^(SPEED|SPD)(?: (?:=|-|OF|TO))? (\d+) \(.*\)$", r"\1 \2"),
    (r"^([A-Z]+) ([A-H]) (\d(?: WARP)?)(?:,| AND|, AND)? ([A-H]) \3$", r"\1 \2,\4 \3 EACH"),
    (r" ?(?:=|(?<= )-(?= )) ?", " "),
    (r" ?\(([A-Z]+)\)", r" \1"),
    (r"\b(\d+(?:\.\d+)?) (?:PTS?|PNTS?|UNITS?|ENERGY|POWER)\b", r"\1"),
    (r"^(#[1-6]|SHIELD [1-6]) ?\+ ?", r"REINFORCE \1 WITH "),
    (r"\b(REINFORCE #[1-6]) ?\+ ?", r"\1 WITH "),
    (r"^RECHARGE (\d+) (?:BATTERY|BATTERIES)$", r"RECHARGE \1"),
    (r"^(?:BATTERY|BATTERIES) (?:RE)?CHARGE\b", "RECHARGE"),
)  # fmt: skip

_WEAPONS: Final = sorted((word for word, key in KEYWORDS.items() if key in WEAPONS), key=len, reverse=True)
_CHOICES: Final = (
    (rf"^((?:ALL )?(?:{'|'.join(_WEAPONS)})\b)", r"WEAPON \1"),
    (r"^((?:LEFT |RIGHT |CENTER )?WARP|IMPULSE)(?: ENGINES?)?\b", r"ENGINE \1"),
    (r"^((?:LABS?|TRANS?|TRANSPORTERS?|APR|REACTORS?|BATTERY|BATTERIES|SHUTTLES?|SHTL|PROBES?|TRACTORS?)\b)",
     r"OTHER \1"),
)  # fmt: skip

_TURNS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "ENERGY": _ENTRIES,
    "DAMAGE": _CHOICES,
    "BREAK": (
        *_CONDITIONS,
        (rf"^IMPULSES? {_NUMBER}(?:,| AND| OR)? {_NUMBER}$", r"IMPULSE \1 OR IMPULSE \2"),
        (r"^([A-Za-z]+) (?:RANGE|WITHIN) (\d+)$", r"\1 WITHIN \2"),
    ),
    "PLOT": (*_CONDITIONS, *_PLOTS, *_ACTS),
    "DO": (*_CONDITIONS, *_ACTS),
}

_NEEDLESS: Final[dict[str, str]] = {
    "RAISE": "a shield that was lowered comes up by itself after a quarter of a turn (G8.22); SHIELDS on the energy"
    " form activates them all (B3.0)",
    "HOLD FIRE": "weapons of which no order says anything hold their fire; a # makes this a remark",
    "GO AHEAD": "after the codes of its plot a ship flies straight ahead by itself; a # makes this a remark",
    "GO STRAIGHT": "straight ahead is F in a plot, 8F for eight hexes; after its codes a ship flies straight by itself",
    "BOARD": "boarding parties go by TRANSPORT 2 BP TO the ship, once its shield is down (G8.2)",
}
_NOTHING: Final = frozenset(("NONE", "NOTHING", "NEVER", "DEFAULT", "NO", "N/A", "NIL", "-", "--", "---"))


def not_here(tokens: Sequence[Token], place: int) -> str:
    """What is said of a word at or near a fault that asks for what these rules have not; empty for others."""
    for token in tokens[max(place - 1, 0) : place + 2]:
        what = NOT_HERE.get(token.text.upper(), "") if token.kind == "word" else ""
        if what:
            return f"{token.text.upper()}: the Cadet Training Handbook has no {what}"
    return ""


def needless(tokens: Sequence[Token]) -> str:
    """What is said of an order for what happens without one; empty for others."""
    said = " ".join(token.text.upper() for token in tokens[:2])
    for begun, text in _NEEDLESS.items():
        if said == begun or said.startswith(begun + " "):
            return text
    return ""


def nothing(tokens: Sequence[Token], section: str) -> str:
    """What is said of somebody who orders nothing in so many words, like NONE or NO BREAKS; empty for others."""
    said = [token.text.upper() for token in tokens]
    if (
        not section
        or not said
        or said[0] not in _NOTHING
        or not _NOTHING.union((section, section + "S")).issuperset(said)
    ):
        return ""
    return f"where there is nothing to say below {section}, nothing is written; a # makes this a remark"


_LONGEST: Final = 200
"""Characters of an order that may be said in other words: many patterns are tried, each in quadratic time."""


def otherwise(body: str, section: str, reads: Callable[[Sequence[Token]], bool]) -> str:
    """An order in the words of the orders; empty where it stays faulty. ``reads`` says whether words are an order."""
    said = typed = " ".join(body.split())
    if len(said) > _LONGEST:
        return ""
    if section == "PLOT" and _LISTED.match(said):
        return ""
    if section == "PLOT" and (codes := _codes(said)):
        return codes if _read(codes, reads) else ""
    for pattern, instead in _TURNS.get(section, ()):
        if (pattern, instead) == _WITHOUT_THEN and said == typed:
            continue
        changed = re.sub(pattern, instead, said, flags=re.IGNORECASE).strip()
        if changed != said:
            said = " ".join(changed.split())
            if _read(said, reads):
                return said
    return ""


def _read(text: str, reads: Callable[[Sequence[Token]], bool]) -> bool:
    try:
        tokens = tokens_of(text, 1)
    except Misread:
        return False
    return bool(tokens) and reads(tokens)


_LISTED: Final = regex(r"\d+[.:)]|\d+ [A-Z]{1,2}$", re.IGNORECASE)
"""A hex of the plot behind its number, as ``3. R`` is, or how many hexes of it, as in ``3 F``: nobody can say."""
_SILENT: Final = ("TURN", "THEN", "AND", "HEX", "HEXES", "GO", "MOVE", "FLY", "X", "*", "TIMES", "")
_PIECE: Final = regex(r"\d+|[A-Za-z]+(?:-[A-Za-z]{3,})?")


def _codes(said: str) -> str:
    """The codes of a plot told in words: ``4 hexes forward then turn left`` is ``4F L``; empty where other words stand
    in it too. A number belongs to the ahead before it, or else to the one behind.
    """
    found: list[str] = []
    slips, number, counted = False, "", True
    for piece in _PIECE.findall(said):
        word = piece.upper()
        if piece.isdecimal():
            if number or int(piece) == 0:
                return ""
            if not counted and found:
                found[-1] = f"{piece}F"
                counted = True
            else:
                number = piece
        elif SPOKEN_CODES.get(word) == "F" and not slips:
            if number or not found or not (word in ("AHEAD",) and found[-1] == "F"):
                found.append(f"{number}F")
            counted, number = bool(number), ""
        elif word in SPOKEN_CODES and SPOKEN_CODES[word] != "F" and not number:
            found.append(("S" if slips else "") + SPOKEN_CODES[word])
            slips, counted = False, True
        elif word in SPOKEN_SLIPS and not number:
            slips = True
        elif word not in _SILENT:
            return ""
    return "" if slips or number or not found else " ".join(found)
