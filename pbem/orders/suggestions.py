"""Suggest a correction for a faulty order: typos, paraphrases, translations, and rules this game does not have.

* Paraphrases: ``FIRE ALL AT x ON IMPULSE 9``, ``8 hexes forward``. A list of patterns replaces such words by words of
  the order language. The patterns are applied one after the other until the order can be read.
* Translations: words of the energy form in other languages, like ``Geschwindigkeit 8``. They are only explained.
* Typos: one word that is missing, misspelled or misplaced. A word is inserted or moved and the order is read again. A
  suggestion is made only if exactly one change gives a valid order.

No suggestion is carried out; the player only gets a message. The grammar is not in this module.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

import msgspec

from pbem.errors import Fault
from pbem.orders import vocabulary as words
from pbem.orders.activities import VERBS
from pbem.orders.blocks import Block
from pbem.orders.cursor import TrialCursor, likely_word
from pbem.orders.lexer import Misread, Token, quoted_word, tokens_of
from pbem.orders.phrases import energy_lines
from pbem.orders.vocabulary import ARCS, KEYWORDS, NOT_HERE, SPOKEN_CODES, SPOKEN_SLIPS, WEAPONS, keyword
from pbem.orders.writer import energy_text
from pbem.util import regex

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
"""Patterns of paraphrases in conditions, and the words of the order language to replace them."""

_WITHOUT_THEN: Final = (
    rf"^((?:AT \d+ )?(?:EVERY )?IF (?!.*\bTHEN\b).+?),? (?=(?:{'|'.join(VERBS)}|SHOOT|BEAM|DROP)\b)", r"\1 THEN "
)  # fmt: skip
"""The pattern that adds a missing THEN.

It is not used alone: if nothing else is wrong, the message names the missing word instead.
"""
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
"""Patterns of paraphrases of activities and times, and the words of the order language to replace them."""

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
"""The numbers from 1 to 16 in words; no speed is higher."""

_ENTRIES: Final = (
    *((rf"\b{word}\b", f"{number}") for number, word in enumerate(_NUMBERS, start=1)),
    (rf"^(?:(?:14\.? )?MOVE(?:MENT)? )?{_NUMBER} (?:HEX|HEXES)$", r"SPEED \1"),
    (r"^(SPEED|SPD)(?: (?:=|-|OF|TO))? (\d+) \(.*\)$", r"\1 \2"),
    (rf"^(SPEED|SPD) {_NUMBER} HEX(?:ES)?(?: (?:PER|A|EACH|IN A|THIS) TURN)?$", r"\1 \2"),
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
    """Return a message if a word near the fault refers to a rule that this game lacks; otherwise ``""``."""
    for token in tokens[max(place - 1, 0) : place + 2]:
        what = NOT_HERE.get(token.text.upper(), "") if token.kind == "word" else ""
        if what:
            return f"{token.text.upper()}: the Cadet Training Handbook has no {what}"
    return ""


def needless(tokens: Sequence[Token]) -> str:
    """Return a message if the order asks for something that happens without an order; otherwise ``""``."""
    said = " ".join(token.text.upper() for token in tokens[:2])
    for begun, text in _NEEDLESS.items():
        if said == begun or said.startswith(begun + " "):
            return text
    return ""


def empty_order(tokens: Sequence[Token], section: str) -> str:
    """Return a message if the text only says that there is no order here (NONE, NO BREAKS); otherwise ``""``."""
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
"""Maximum number of characters of an order for which paraphrases are tried.

Many patterns are tried, and the time of each grows with the square of the length.
"""


def paraphrased(body: str, section: str, reads: Callable[[Sequence[Token]], bool]) -> str:
    """Return a player's order rewritten in the words of the order language, ``""`` if that gives no valid order.

    ``reads`` is a function that says whether words are a valid order.
    """
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
"""Matches a plot code after a list number (``3. R``), or after a count (``3 F``); which one is meant is unclear."""
_SILENT: Final = ("TURN", "THEN", "AND", "HEX", "HEXES", "GO", "MOVE", "FLY", "X", "*", "TIMES", "")
_PIECE: Final = regex(r"\d+|[A-Za-z]+(?:-[A-Za-z]{3,})?")


def _codes(said: str) -> str:
    """Return plot codes for movement in ordinary words: ``4 hexes forward then turn left`` gives ``4F L``.

    A number belongs to the "ahead" before it, or else to the word after it. If the text has any other words, return
    ``""``.
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


_WORDS: Final[dict[str, str]] = {
    "SPEED": "geschwindigkeit tempo fahrt vitesse velocidad velocita velocidade snelheid hastighet hastighed fart"
    " predkosc rychlost",
    "MOVE": "bewegung mouvement movimiento movimento beweging rorelse bevegelse ruch",
    "PHASERS": "phasern phaseur phaseurs faser fasers faseres faseri fazer fazery",
    "PHOT": "photonen photonentorpedo photonentorpedos photonentorpedoes torpedos torpille torpilles siluro siluri"
    " fotonen fotones fotoni torpeda torpedy",
    "DISR": "disruptoren disrupteur disrupteurs disruptores disruptori",
    "SHIELDS": "schilde boucliers escudos scudi schilden skoldar skjolde tarcze oslony",
    "SHIELD": "schild bouclier escudo scudo skold skjold tarcza",
    "LIFE": "lebenserhaltung lebenserhaltungssystem survie vital vitale levensondersteuning",
    "FC": "feuerleitung feuerkontrolle tir fuego fuoco fogo vuurleiding eldledning",
    "REINFORCE": "verstarkung verstaerkung verstarken verstaerken renfort renforcer refuerzo reforzar rinforzo"
    " rinforzare reforco versterking versterken forstarkning forsterkning wzmocnienie",
    "GENERAL": "allgemein allgemeine generale geral algemeen algemene allman",
    "RECHARGE": "laden aufladen nachladen recharger recargar ricarica ricaricare opladen ladda",
    "BATTERIES": "batterien batterie baterias batterijen batterier",
    "REPAIR": "reparatur reparieren schadenskontrolle reparation reparer reparacion reparar riparazione riparare"
    " herstel herstellen",
    "TRACTOR": "traktor traktorstrahl tracteur rayon trattore trekstraal",
    "TRANSPORTERS": "transporteur transporteurs teleporteur transportador transportadores teletrasporto",
    "PROBE": "sonde sonda sond",
    "CLOAK": "tarnung tarnen occultation camuflaje occultamento camuflagem",
    "SUICIDE": "kamikaze selbstmord",
    "HOLD": "halten tenir mantener mantenere",
    "OVERLOAD": "uberladen ueberladen uberladung ueberladung surcharge sobrecarga sovraccarico overbelasten",
}  # fmt: skip
"""Words in other languages for entries of the energy form, by the English word."""
_SMALL: Final[dict[str, str]] = {
    "EACH": "je jeweils chacun chacune chaque cada ciascuno elk vardera",
    "WITH": "mit avec con met med com",
    "POINTS": "punkt punkte punkten puntos punti punten pontos poang energie energia der die das den de del di du fur"
    " fuer pour para per voor kontrolle controle controllo controlo conduite soporte supporto suporte",
}  # fmt: skip
"""Words in other languages that accompany an entry, by the English word.

Those under ``POINTS`` have no meaning in an entry.
"""


@cache
def _known() -> dict[str, str]:
    return {word: english for english, words in (*_WORDS.items(), *_SMALL.items()) for word in words.split()}


def _english(word: str) -> str:
    """Return the word of the order language for a foreign word, with or without accents; ``""`` if there is none."""
    bare = unicodedata.normalize("NFKD", word.casefold())
    return _known().get("".join(one for one in bare if not unicodedata.combining(one)), "")


def name_of(word: str) -> str:
    """Return the English name of the energy form's entry that a foreign word means; ``""`` if it means none."""
    english = _english(word)
    return english if english in _WORDS else ""


def in_english(tokens: Sequence[Token]) -> list[Token]:
    """Return these words with each foreign word replaced by the word of the order language."""
    return [
        token._replace(text=english, key=keyword(english))
        if token.kind == "word" and not token.key and (english := _english(token.text))
        else token
        for token in tokens
    ]


_OF_WORDS: Final = ("expected", "unknown-word", "incomplete")
"""Codes of the faults that a single missing or wrong word may cause."""
_OF_AN_ENTRY: Final = (*_OF_WORDS, "no-such-line", "computed-line")
"""Codes of the faults that a wrong sequence of words in an entry of the energy form may cause."""
_MOST_TOKENS: Final = 60
"""Maximum number of words of an order for which suggestions are tried."""
_JOINING: Final = ("AT", "TO", "FROM", "OF", "WITH", "THEN", "IF", "MAP")
"""Words that only join the parts of an order, and that are tried where one may be missing."""
_BEGINNING: Final = ("FIRE", "LAUNCH", "AWAY")
"""First words of an order that players leave out; the rest of the order shows what is meant."""
_SECTIONS: Final = ("ENERGY", "PLOT", "DO", "BREAK", "DAMAGE")
_RUN_ON: Final = ("ENERGY", "DO")
"""Sections in which players may write several orders on one line by mistake.

BREAK is not among them: with two breaks it is unclear whether both are meant together or each alone.
"""
_MOMENTS: Final = ("AT", "ON", "LAST", "IF", "EVERY")
"""Words that say when an order acts."""
_SAYING_NOTHING: Final = frozenset(("BY", "FOR", "OF", "ON", "PLEASE", "POINT", "POINTS", "POWER", "THE", "TO"))
"""Words that players add to an entry of the energy form without changing its meaning."""
_MOST_IN_ENTRY: Final = 8
_SEVERAL: Final = 3
_LONGEST_JOINING: Final = 2
"""Maximum length of keywords that may occur in any sentence, such as AT and TO.

Such words do not show that a text is an order.
"""
_SIGNED: Final = "orders end with END, and a name stands below it"
_TO_SOMEBODY: Final = (
    "to write to somebody, put MESSAGE TO and the side (or UMPIRE) above your words; a comment begins with #"
)


class _Change(NamedTuple):
    """A possible correction: a word inserted before the word with index ``place``, or replacing it (``instead``)."""

    place: int
    word: str
    instead: bool = False


def suggest_fix(fault: Fault, tokens: Sequence[Token], section: str, lines: Sequence[str]) -> Fault:
    """Return the fault with a better message, and with the corrected line if only one change is possible.

    Args:
        fault: The fault of the order.
        tokens: The words of the order.
        section: The section the order is in.
        lines: All lines of the file.
    """
    told = _nearly(fault, tokens, section, lines)
    if section != "ENERGY" or told.fits or _GUESS.search(told.text) or fault.code not in _OF_WORDS:
        return told
    word = next(((one.text, english) for one in tokens if not one.key and (english := name_of(one.text))), None)
    return msgspec.structs.replace(told, text=f"{told.text}; {word[0]} is {word[1]} in orders") if word else told


def _nearly(fault: Fault, tokens: Sequence[Token], section: str, lines: Sequence[str]) -> Fault:
    """Return the fault with the first explanation that fits the words of the order; unchanged if none does."""
    # 1 if the line begins with a heading and an order follows it
    first = int(len(tokens) > 1 and tokens[0].key == section)
    if text := empty_order(tokens[first:], section):
        return msgspec.structs.replace(fault, text=text, rule="")
    if fault.code in _OF_AN_ENTRY:
        if listed := _listed(fault, tokens[first:], section, lines):
            return listed
        if section == "ENERGY" and (entry := _other_entry(fault, tokens[first:], lines)):
            return entry
    if fault.code not in _OF_WORDS or len(tokens) > _MOST_TOKENS:
        return fault
    place = _place_of(fault, tokens)
    return fault if place < first else _explained(fault, tokens, place, first, section, lines)


def _explained(
    fault: Fault, tokens: Sequence[Token], place: int, first: int, section: str, lines: Sequence[str]
) -> Fault:
    """Return the fault, explained as a missing rule, a paraphrase, a typo or a comma too many if it is one of these.

    Otherwise :func:`_no_order` explains it.
    """
    if text := not_here(tokens, place) or needless(tokens[first:]):
        return msgspec.structs.replace(fault, text=text)
    if said := _said(tokens[first:], section, lines):
        text = f"{_GUESS.sub('', fault.text)}; orders say it so: {said}"
        return msgspec.structs.replace(fault, text=text, fits=_line_with(lines, tokens[first:], said))
    change = _misspelt(fault, tokens, place)
    if change is not None and reads_as_order(_changed(tokens, change), first, section):
        return msgspec.structs.replace(fault, fits=_line(lines, tokens, change))
    if bare := _too_many(fault, tokens, place, first, section, lines):
        return bare
    return _no_order(fault, tokens, place, first, section, lines)


def _place_of(fault: Fault, tokens: Sequence[Token]) -> int:
    """Return the index of the word at which the fault is; -1 if it is at no word.

    If the order ends too early, the result is the index after the last word.
    """
    for place, token in enumerate(tokens):
        if (token.line, token.column) == (fault.line, fault.column):
            return place
    return len(tokens) if fault.code == "incomplete" else -1


def _other_entry(fault: Fault, tokens: Sequence[Token], lines: Sequence[str]) -> Fault | None:
    """Return the fault of an entry of the energy form whose words are in the wrong sequence or language.

    The fault names the entry that is probably meant; the result is ``None`` if there is none.
    """
    line_alone = fault.code == "incomplete" and tokens[:1] and tokens[0].text.rstrip(".").isdecimal()
    if not line_alone and (entry := _entry(tokens)):
        text = f"an entry of the form is its name, then its points: {entry}"
        return msgspec.structs.replace(fault, text=text, fits=_line_with(lines, tokens, entry))
    if entry := _translated(tokens):
        text = f"{_GUESS.sub('', fault.text)}; orders say it so: {entry}"
        return msgspec.structs.replace(fault, text=text, fits=_line_with(lines, tokens, entry))
    return None


def _no_order(
    fault: Fault, tokens: Sequence[Token], place: int, first: int, section: str, lines: Sequence[str]
) -> Fault:
    """Return the fault of words that are not an order of this section, with a better message if possible.

    The words may be the sender's name, an order of another section, a sentence to somebody, or several orders.
    """
    if _signs(tokens, lines):
        text = f"{_GUESS.sub('', fault.text)}; {_SIGNED}"
        return msgspec.structs.replace(fault, text=text, fits="END")
    if place == first and (elsewhere := _elsewhere(tokens, first)):
        return msgspec.structs.replace(fault, text=f"{_GUESS.sub('', fault.text)}; that stands below {elsewhere}")
    if tokens[first].text.upper() in words.COURTESIES or (
        (place == first or section == "BREAK") and _is_prose(tokens[first:])
    ):  # in BREAK, a sentence may begin with a name, like a condition
        text = f"{_GUESS.sub('', fault.text)}; {_TO_SOMEBODY}"
        return msgspec.structs.replace(fault, text=text)
    if several := _separated(fault, tokens, first, section, lines):
        return several
    return _lacking(fault, tokens, place, first, section, lines)


def _signs(tokens: Sequence[Token], lines: Sequence[str]) -> bool:
    """Return whether the order is probably the sender's signature: one word on the last line, below an empty line."""
    if len(tokens) != 1 or tokens[0].kind != "word" or tokens[0].key:
        return False
    at = tokens[0].line - 1
    return bool(at) and not lines[at - 1].strip() and not any(line.strip() for line in lines[at + 1 :])


def _elsewhere(tokens: Sequence[Token], first: int) -> str:
    """Return the name of the only section in which the order would be valid; ``""`` if there is none, or several.

    If the order begins with a name, BREAK does not count, because a name alone does not make it a condition.
    """
    sections = _SECTIONS if tokens[first].key else [one for one in _SECTIONS if one != "BREAK"]
    found = [one for one in sections if reads_as_order(tokens, first, one)]
    return found[0] if len(found) == 1 else ""


def _lacking(
    fault: Fault, tokens: Sequence[Token], place: int, first: int, section: str, lines: Sequence[str]
) -> Fault:
    """Return the fault with a message about the one word that is missing before index ``place``.

    If no word, or more than one, would correct the order, the fault is returned unchanged.
    """
    found = [
        one for one in _missing(fault, tokens, place, section) if reads_as_order(_changed(tokens, one), first, section)
    ]
    if len(found) != 1:
        return fault
    line = _line(lines, tokens, found[0])
    if place == len(tokens):
        return msgspec.structs.replace(fault, fits=line)
    text = f"the word {found[0].word} is missing before {quoted_word(tokens[place].text)}"
    return msgspec.structs.replace(fault, text=text, fits=line)


_NUMBERED: Final = regex(r"\d{1,2}\.|\(?(?:\d{1,2}|[a-z])\)", re.IGNORECASE)
"""Matches a number or letter before an item of a list: ``1.``, ``1)``, ``(1)``, ``a)``."""
_OWN_MOMENT: Final = ("AT", "LAST", "GUIDE", "RESERVE")


def _listed(fault: Fault, tokens: Sequence[Token], section: str, lines: Sequence[str]) -> Fault | None:
    """Return a fault that tells the player to remove a list number such as ``2.`` before an order.

    The result is ``None`` if there is no list number. If the number may have another meaning, such as an impulse, the
    message says so.
    """
    count = next((n for n in (1, 2, 3) if _NUMBERED.fullmatch("".join(one.text for one in tokens[:n]))), 0)
    rest = tokens[count:]
    if not count or not reads_as_order(rest, 0, section):
        return None
    number = "".join(one.text for one in tokens[:count]).strip("().")
    first, last = rest[0], rest[-1]
    order = lines[first.line - 1][first.column - 1 :].rstrip() if first.line == last.line else ""
    if section == "PLOT" and first.text.upper() in words.CODES:
        text = "the codes of a plot have no numbers before them: they stand one behind the other, like 2F L F"
        return msgspec.structs.replace(fault, text=text)
    if section == "DO" and number.isdecimal() and first.key not in _OWN_MOMENT:
        text = f"is {number} the place in a list, or the impulse? Leave it out, or write AT {number}"
        return msgspec.structs.replace(fault, text=text)
    text = f"orders have no numbers before them: {order}" if order else "orders have no numbers before them"
    return msgspec.structs.replace(fault, text=text, rule="", fits=_line_without(lines, tokens[:count]))


def _too_many(
    fault: Fault, tokens: Sequence[Token], place: int, first: int, section: str, lines: Sequence[str]
) -> Fault | None:
    """Return a fault that tells the player to remove a comma; ``None`` if that would not correct the order."""
    comma = next((at for at in (place, place - 1) if 0 <= at < len(tokens) and tokens[at].text == ","), None)
    if comma is None or not reads_as_order([*tokens[:comma], *tokens[comma + 1 :]], first, section):
        return None
    text = "a comma says that more of the same follows, so this one is too many"
    return msgspec.structs.replace(fault, text=text, fits=_line_without(lines, tokens[comma : comma + 1]))


def _line_without(lines: Sequence[str], tokens: Sequence[Token]) -> str:
    """Return the player's line with the words ``tokens`` removed; ``""`` if the words are on several lines."""
    first, last = tokens[0], tokens[-1]
    if first.line != last.line:
        return ""
    line = lines[first.line - 1]
    before, behind = line[: first.column - 1], line[last.column - 1 + len(last.text) :]
    return (before + behind.lstrip() if not before.strip() else before.rstrip() + behind).rstrip()


def _said(tokens: Sequence[Token], section: str, lines: Sequence[str]) -> str:
    """Return the order rewritten by :func:`paraphrased`, ``""`` if it cannot be rewritten."""
    first, last = tokens[0], tokens[-1]
    if first.line != last.line or any(one.kind == "quoted" for one in tokens):
        return ""
    body = lines[first.line - 1][first.column - 1 : last.column - 1 + len(last.text)]
    return paraphrased(body, section, lambda found: reads_as_order(found, 0, section))


_GUESS: Final = regex(r"; did you mean [^;]*\?$")


def _is_prose(tokens: Sequence[Token]) -> bool:
    """Return whether the words are an ordinary sentence: several words, none of them a word of the order language."""
    said = [one for one in tokens if one.kind == "word" and one.text[0].isalpha() and len(one.text) > 1]
    return len(said) >= _SEVERAL and not any(one.key and len(one.text) > _LONGEST_JOINING for one in said)


def _translated(tokens: Sequence[Token]) -> str:
    """Return the energy form's entry that foreign words mean, in English; ``""`` if they mean none or several."""
    english = in_english(tokens)
    if english == list(tokens):
        return ""
    english.sort(key=lambda one: one.text == "EACH")  # EACH comes after the points
    said = " ".join(one.text for one in english).replace(" ,", ",")
    if (entry := _entry(english)) or not reads_as_order(english, 0, "ENERGY"):
        return entry or paraphrased(said, "ENERGY", lambda found: reads_as_order(found, 0, "ENERGY"))
    return said


def _entry(tokens: Sequence[Token]) -> str:
    """Return the entry of the energy form that these words probably mean, as a text.

    It is found by moving one of the words and leaving out words without meaning. The result is ``""`` if that gives
    no entry, or several different ones.
    """
    if not 1 < len(tokens) <= _MOST_IN_ENTRY or any(one.kind == "quoted" for one in tokens):
        return ""
    kept = [one for one in tokens if one.text.upper() not in _SAYING_NOTHING]
    if not kept:
        return ""
    parts: list[list[Token]] = []
    for token in kept:
        before = parts[-1] if parts else []
        of_shield = len(before) == 1 and before[0].key == "SHIELD"
        if of_shield and token.text.lstrip("#").isdecimal():
            before.append(token)
        else:
            parts.append([token])
    found = dict.fromkeys(filter(None, map(_as_entry, _orders_of(parts))))
    return next(iter(found)) if len(found) == 1 else ""


def _orders_of(parts: list[list[Token]]) -> Iterator[list[Token]]:
    """Yield the words of an entry in each sequence to try: as they are, and with one part moved.

    Numbers are moved to the end only. If the entry begins with a shield, REINFORCE before it is tried too.
    """
    whole = [token for part in parts for token in part]
    yield whole
    if len(parts[0]) == 2:
        yield [Token("word", "REINFORCE", words.keyword("REINFORCE"), whole[0].line, whole[0].column), *whole]
    for place, part in enumerate(parts):
        rest = [*parts[:place], *parts[place + 1 :]]
        number = len(part) == 1 and part[0].text[0].isdecimal()
        for at in (len(rest),) if number else range(len(rest) + 1):
            yield [token for one in (*rest[:at], part, *rest[at:]) for token in one]


def _as_entry(tokens: Sequence[Token]) -> str:
    cursor = TrialCursor(tokens)
    try:
        entries = energy_lines(cursor)
        cursor.end()
    except Misread:
        return ""
    return energy_text(entries[0]) if len(entries) == 1 and entries[0].parts else ""


def _line_with(lines: Sequence[str], tokens: Sequence[Token], entry: str) -> str:
    """Return the player's line with ``entry`` in place of these words; ``""`` if the words are on several lines."""
    first, last = tokens[0], tokens[-1]
    if first.line != last.line:
        return ""
    line = lines[first.line - 1]
    return line[: first.column - 1] + entry + line[last.column - 1 + len(last.text) :]


def _misspelt(fault: Fault, tokens: Sequence[Token], place: int) -> _Change | None:
    """Return the change that replaces a misspelled word by the word that the fault suggests; ``None`` if there is none.

    The misspelled word is the one at the fault, or the one before it, which may be a keyword that was read as a name.
    """
    for at in (place, place - 1):
        if 0 <= at < len(tokens) and tokens[at].kind == "word" and not tokens[at].key:
            word = likely_word(tokens[at].text, fault.choices)
            if word and f"did you mean {word}" in fault.text:
                return _Change(at, word, instead=True)
    return None


def _missing(fault: Fault, tokens: Sequence[Token], place: int, section: str) -> Iterator[_Change]:
    """Yield the possible changes that insert a missing word at index ``place``.

    Words that join the parts of an order may be inserted anywhere. A word that begins an order is inserted only
    before a keyword. If the word found there looks like a typo of the expected word, nothing is inserted.
    """
    found = tokens[place] if place < len(tokens) else None
    name = found.text.upper() if found is not None and not found.key and found.kind == "word" else ""
    for word in dict.fromkeys(fault.choices):
        slip = name not in words.CODES and not name.isdecimal() and (name.startswith(word) or len(name) in (1, 2))
        if section == "PLOT" and word == "AT" and found is not None and found.text.rstrip(".").isdecimal():
            continue  # most players mean eight hexes by "8 F"
        if (word in _JOINING and not slip) or (word in _BEGINNING and found is not None and found.key):
            yield _Change(place, word)


def _changed(tokens: Sequence[Token], change: _Change) -> list[Token]:
    near = tokens[min(change.place, len(tokens) - 1)]
    token = Token("word", change.word, words.keyword(change.word), near.line, near.column)
    return [*tokens[: change.place], token, *tokens[change.place + change.instead :]]


def reads_as_order(tokens: Sequence[Token], first: int, section: str) -> bool:
    """Return whether the words from index ``first`` on are a valid order of the section."""
    if not tokens[first:] or tokens[first].key in words.HEADINGS:
        return False
    block = Block("", False, "", tokens[0])
    try:
        block.order(TrialCursor(tokens[first:]), section)
    except Misread:
        return False
    return True


def _line(lines: Sequence[str], tokens: Sequence[Token], change: _Change) -> str:
    """Return the player's line with the change applied; the rest of the line stays as the player wrote it."""
    if change.place == len(tokens):
        last = tokens[-1]
        line, end = lines[last.line - 1], last.column - 1 + len(last.text) + 2 * (last.kind == "quoted")
        return f"{line[:end]} {change.word}{line[end:]}"
    token = tokens[change.place]
    line, start = lines[token.line - 1], token.column - 1
    if change.instead:
        return line[:start] + change.word + line[start + len(token.text) :]
    return f"{line[:start]}{change.word} {line[start:]}"


def _separated(fault: Fault, tokens: Sequence[Token], first: int, section: str, lines: Sequence[str]) -> Fault | None:
    """Return a fault that says how to separate several orders on one line; ``None`` if the line is not several orders.

    The player wrote commas between the orders, or nothing.
    """
    cuts = _cuts(tokens, first, section, {})
    if not cuts:
        return None
    text = "orders stand on lines of their own, or with ; between them"
    commas = all(tokens[at].text == "," for at in cuts)
    if commas:
        text += ", not with a comma"
    if section == "DO":
        timed = [tokens[at].key in _MOMENTS for at in (first, *(at + (tokens[at].text == ",") for at in cuts))]
        if any(timed) and not all(timed):
            # it is unclear which orders the time or condition is for
            return msgspec.structs.replace(fault, text=f"{text}, each with its moment")
        if not (commas or all(timed)):
            return msgspec.structs.replace(fault, text=text)  # the line may also be one order that lacks AND
    line = lines[fault.line - 1]
    for at in reversed(cuts):
        if tokens[at].line != fault.line:
            return msgspec.structs.replace(fault, text=text)
        place = tokens[at].column - 1
        line = f"{line[:place].rstrip()}; {line[place:].removeprefix(',').lstrip()}"
    return msgspec.structs.replace(fault, text=text, fits=line)


def _cuts(tokens: Sequence[Token], start: int, section: str, known: dict[int, list[int] | None]) -> list[int] | None:
    """Return the indexes at which the words from ``start`` on can be split into valid orders.

    The result is ``None`` if no split is possible. Each order is as long as possible. ``known`` caches the results by
    ``start``.
    """
    if start not in known:
        known[start] = None
        ends = range(len(tokens), start, -1)
        for at in ends:
            comma = at < len(tokens) and tokens[at].text == ","
            may_end = comma or at == len(tokens) or section in _RUN_ON
            if not may_end or not reads_as_order(tokens[start:at], 0, section):
                continue
            rest = [] if at == len(tokens) else _cuts(tokens, at + comma, section, known)
            if rest is not None:
                known[start] = [] if at == len(tokens) else [at, *rest]
                break
    return known[start]
