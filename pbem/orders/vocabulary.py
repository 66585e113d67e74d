"""The words of the order language and their abbreviations, shared by the reader, the writer and the help texts.

Every spelling in :data:`KEYWORDS` is reserved: a name ends before it, and a ship with such a name is written in
quotes (``"Fire"``). The other tables hold words that have a meaning only in certain places.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pbem.data import charts
from pbem.data.files import own_figures
from pbem.data.terms import ENTRIES, FIRST_SPENT, OPTIONAL, TOTAL

HEADER: Final = {"GAME": "", "TURN": "", "SIDE": "", "REPLY": "REQUEST", "FORM": ""}
"""Fields of the header line of orders, and their abbreviations (:mod:`pbem.orders.header`)."""

ALONE: Final[dict[str, tuple[str, str]]] = {
    "CONTINUE": ("UNCHANGED", "keeps the old orders unchanged"),
    "CONCEDE": ("RESIGN SURRENDER", "gives up the game"),
}
"""Words that replace all orders of a file, such as CONTINUE, with their abbreviations and meanings.

:mod:`pbem.engine.play.surrender` carries them out.
"""

_KEYWORDS: Final[dict[str, str]] = {
    # Header and sections.
    **HEADER, **{word: others for word, (others, _) in ALONE.items()},
    "END": "", "SHIP": "", "SHUTTLE": "SHTL", "ENERGY": "EAF", "PLOT": "MOVEMENT", "COURSE": "",
    "DO": "ACTIVITIES ACTIONS", "BREAK": "BREAKS BRK", "DAMAGE": "DDAP",
    # Times and conditions.
    "AT": "@", "ON": "", "LAST": "", "EVERY": "ALWAYS", "IF": "WHEN", "THEN": "", "AND": "", "OR": "", "NOT": "",
    "IS": "ARE", "OF": "", "TO": "", "FROM": "", "WITH": "", "IN": "", "DIR": "DIRECTION FACING", "UP": "",
    # Units.
    "ENEMY": "ENEMIES", "ANY": "", "NEAREST": "CLOSEST", "IT": "", "EACH": "", "ME": "MYSELF", "TARGET": "TGT",
    "UNIT": "", "SEEKER": "SEEKERS", "PLASMA": "PLASMAS",
    # Conditions.
    "RANGE": "RNG", "WITHIN": "", "IMPULSE": "IMP IMPULSES", "SHIELD": "SHLD SH SHIELDS", "FACED": "", "SPEED": "SPD",
    "INTERNALS": "INTERNAL", "HIT": "", "DOWN": "", "DESTROYED": "", "DAMAGED": "", "CLOAKED": "", "CLOSING": "CLOSES",
    "LAUNCHES": "LAUNCHED", "FIRES": "FIRED", "REACHES": "REACHED", "ARMED": "", "BATTERIES": "BATTERY BTTY BATT BATS",
    "CAPACITOR": "CAPACITORS CAP", "AMMO": "",
    # Activities; the verbs are in the classes of pbem.orders.activities.
    "ALL": "", "HEAVY": "HEAVIES", "ONE": "", "SUICIDE": "",
    # Movement.
    "TOWARD": "TOWARDS", "AWAY": "", "KEEP": "", "TAC": "", "LEAVE": "", "MOVE": "MV", "LEFT": "", "RIGHT": "",
    "STRAIGHT": "",
    # Weapons, named as on the SSD.
    "PH": "PHASER PHAS PHASERS", "PHOT": "PHOTON PHOTS PHOTONS TORP TORPS TORPEDO TORPEDOES",
    "DISR": "DISRUPTOR DISRS DISRUPTORS DIS DISRUPTER DISRUPTERS", "DRONE": "DRONES DRN DR RACK",
    "PLAS": "PLS PLASMATORP", "FUS": "FUSION FUSIONS", "HB": "HELLBORE HELLBORES", "ESG": "ESGS", "PPD": "PPDS",
    # Facts that only the owner knows.
    "OVERLOADED": "OVERLOAD OVERLOADS", "ARMING": "", "HOLDING": "HOLDS", "REINFORCED": "REINFORCEMENT", "TARGETS": "",
    "POWER": "",
}  # fmt: skip

KEYWORDS: Final[dict[str, str]] = {
    spelling: keyword for keyword, others in _KEYWORDS.items() for spelling in (keyword, *others.split())
}
"""Every reserved spelling, and the keyword that it means.

The kinds of activities in :mod:`pbem.orders.activities` add their verbs.
"""

HEADINGS: Final = (
    *HEADER, "SHIP", "SHUTTLE", "ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE", *ALONE, "END",
)  # fmt: skip
"""Words that are headings when they begin a line, whatever its indentation.

A line that begins with a heading never continues another line.
"""

AFTER_SUBJECT: Final = {"IS", "NOT", "ARMED", "OF"}
"""Words that show that the word before them is the subject of a condition.

SHIP, SHUTTLE, ENERGY and BREAK before one of these words are no headings. The kinds of conditions in
:mod:`pbem.orders.conditions` add more such words.
"""

FORMS: Final = ("EAF", "SOP", "FULL")

WEAPONS: Final = ("PH", "PHOT", "DISR", "DRONE", "PLAS", "FUS", "HB", "ESG", "PPD")
"""First words of weapon names in the printed game; PLASMA is read as PLAS where a weapon is meant."""

PLURALS: Final = frozenset(
    ("PHASERS", "PHOTONS", "PHOTS", "TORPS", "TORPEDOES", "DISRUPTORS", "DISRUPTERS", "DISRS", "DRONES",
     "PLASMAS", "FUSIONS", "HELLBORES", "ESGS", "PPDS", "BANKS", "BOLTS")
)  # fmt: skip
"""Spellings such as PHASERS that mean every weapon of the kind if no number or letter follows."""

BEHIND_WEAPON: Final[dict[str, tuple[str, ...]]] = {
    "PH": ("BANK", "BANKS"), "PHOT": ("TORPEDO", "TORPEDOES", "TORP", "TORPS", "TUBE"), "DISR": ("BOLT", "BOLTS"),
    "DRONE": ("RACK",), "PLAS": ("TORPEDO", "TORPEDOES"),
}  # fmt: skip
"""Words between a weapon's name and its number or letter: ``PHOTON TORPEDO A``, ``DRONE RACK 1``."""

KINDS: Final = ("SHIP", "SEEKER", "DRONE", "PLASMA", "SHUTTLE")
"""Kinds of unit that may follow ENEMY, ANY, NEAREST and EACH, such as DRONE."""

CODES: Final[dict[str, str]] = {
    "F": "F", "L": "L", "R": "R", "SL": "SL", "SR": "SR", "FD": "F", "TL": "L", "TR": "R", "FWD": "F",
}  # fmt: skip
"""Plot codes and their spellings: straight ahead, turn and move, sideslip."""

SPOKEN_CODES: Final[dict[str, str]] = {
    **{spelling: code for spelling, code in CODES.items() if len(code) == 1},
    **dict.fromkeys(("FORWARD", "FORWARDS", "AHEAD", "STRAIGHT"), "F"), "LEFT": "L", "RIGHT": "R",
}  # fmt: skip
"""Words such as "forward" that players use for plot codes when they describe a plot in sentences.

A word of ``SPOKEN_SLIPS`` before left or right makes it a sideslip.
"""
SPOKEN_SLIPS: Final = ("SIDESLIP", "SLIP", "SIDE-SLIP", "SS")

FACINGS: Final = ("A", "B", "C", "D", "E", "F")

ARCS: Final = ("FA", "FX", "RA", "RX", "LS", "RS", "LP", "RP", "LF", "RF", "L", "R", "LR", "RR", "360")
"""Names of firing arcs (D2.0); arcs joined by ``+`` are combined into one."""

OPERATORS: Final[dict[str, str]] = {
    "<=": "<=", "=<": "<=", "<": "<", "=": "=", "==": "=", ">": ">", ">=": ">=", "=>": ">=", "!=": "!=", "<>": "!=",
}  # fmt: skip

ENERGY_ITEMS: Final[dict[str, str]] = {
    spelling: word for word, entry in ENTRIES.items() for spelling in (word, *entry.also.split())
}
"""Entries of the energy form for anything but weapons (B3.0), by every spelling."""

ENERGY_LINES: Final[dict[int, str]] = dict.fromkeys(range(FIRST_SPENT, TOTAL), "") | {
    entry.line: word for word, entry in reversed(ENTRIES.items()) if entry.line < OPTIONAL
}
"""Numbers of the form lines that a player fills in, and the entry of each; ``""`` if a line may have several."""

SOURCES: Final[dict[str, str]] = {
    "WARP": "WARP", "IMPULSE": "IMPULSE", "IMP": "IMPULSE", "APR": "APR", "REACTOR": "APR", "REACTORS": "APR",
    "BATTERY": "BATTERY", "BATTERIES": "BATTERY", "BTTY": "BATTERY", "BATT": "BATTERY", "BATS": "BATTERY",
}  # fmt: skip
"""Sources of energy points, by every spelling."""

CATEGORIES: Final[dict[str, str]] = {
    "WEAPON": "WEAPON", "WEAPONS": "WEAPON", "WPN": "WEAPON", "WPNS": "WEAPON", "ENGINE": "ENGINE", "ENGINES": "ENGINE",
    "OTHER": "OTHER", "OTHERS": "OTHER", "HULL": "HULL", "ANY": "ANY",
}  # fmt: skip
"""Categories of boxes in the damage charts, in which the owner chooses what is hit (D4.223)."""

_BOXES: Final[dict[str, str]] = {
    "WARP": "WARPS", "IMPULSE": "IMP", "APR": "REACTOR", "BATTERY": "BTTY BATT BATTERIES", "HULL": "", "BRIDGE": "",
    "SECURITY": "SCTY SEC", "LAB": "LABS", "TRAN": "TRANS TRANSPORTER TRANSPORTERS", "TRACTOR": "TRAC TRACTORS",
    "SHUTTLE": "SHTL SHUTTLES", "PROBE": "PROBES", "EMER": "", "AUX": "", "FLAG": "", "CARGO": "", "EXCESS": "",
    "SENSOR": "", "SCANNER": "", "DAMCON": "",
}  # fmt: skip
BOXES: Final[dict[str, str]] = {spelling: box for box, others in _BOXES.items() for spelling in (box, *others.split())}
"""Spellings of the boxes of an SSD that are not weapons."""

BOX_PARTS: Final[dict[str, tuple[str, ...]]] = {"WARP": ("LEFT", "RIGHT", "CENTER"), "HULL": ("FORE", "AFT", "CENTER")}

CARGO: Final[dict[str, str]] = {"BP": "BP", "BPS": "BP", "MARINES": "BP", "CREW": "CREW", "CREWS": "CREW"}
"""What transporters and shuttles carry (G8.0, J2.211)."""

SECRETS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("ARMED", "ARMING", "HOLDING", "OVERLOADED"),
        "the arming of another ship's weapons is secret",
    ),
    **dict.fromkeys(("ENERGY", "POWER"), "another ship's energy form is secret"),
    "BATTERIES": "the charge of another ship's batteries is secret",
    "CAPACITOR": "the charge of another ship's capacitor is secret",
    "REINFORCED": "another ship's shield reinforcement is secret",
    "AMMO": "another ship's supply of drones is secret",
    **dict.fromkeys(("TARGET", "TARGETS"), "the target of another player's seeking weapon is secret"),
    "BREAK": "another player's break conditions are secret",
    **dict.fromkeys(("PLOT", "RESERVE"), "another player's orders are secret"),
}
"""Facts about other ships that a condition may not ask for, and why they are secret (D4.1)."""

INSTEAD: Final[dict[str, str]] = {
    "AFTER": "IF IMPULSE > 8 THEN",
    "BEFORE": "IF IMPULSE < 8 THEN",
    "UNTIL": "IF IMPULSE <= 8 THEN",
    "BETWEEN": "IF IMPULSE >= 4 AND IMPULSE <= 8 THEN",
    "WHILE": "EVERY IF and a condition, then THEN",
    "UNLESS": "IF NOT and a condition, then THEN",
    "ELSE": "a second order with IF NOT and the condition",
    "ONCE": "the order without it; an order acts once unless it begins with EVERY",
    "ALLY": "the ships by their names, joined by OR",
    "ALLIES": "the ships by their names, joined by OR",
}
"""Words of other order languages, and the words to write instead."""

NOT_HERE: Final[dict[str, str]] = {
    "HET": "high energy turns", "EM": "erratic maneuvers", "ERRATIC": "erratic maneuvers",
    "ECM": "electronic warfare", "ECCM": "electronic warfare", "WEASEL": "wild weasels", "WW": "wild weasels",
    "SCATTERPACK": "scatter packs", "SCATTER-PACK": "scatter packs", "SCATTER": "scatter packs",
    "MINE": "mines", "MINES": "mines", "T-BOMB": "transporter bombs", "TBOMB": "transporter bombs",
    "OVERLOAD": "overloaded weapons", "OVERLOADED": "overloaded weapons", "PROX": "proximity fuses",
    "PROXIMITY": "proximity fuses", "REVERSE": "moving in reverse", "BACKWARD": "moving in reverse",
    "BACKWARDS": "moving in reverse", "RAM": "ramming", "ENVELOPING": "enveloping torpedoes",
    "SHOTGUN": "shotgun torpedoes", "PSEUDO": "pseudo torpedoes", "SELF-DESTRUCT": "self-destruction",
    "EMERGENCY": "emergency deceleration", "DECEL": "emergency deceleration", "UIM": "a UIM", "ADD": "anti-drones",
    "JETTISON": "jettisoning",
}  # fmt: skip
"""Rules of the full game that this game's handbook does not have, by the words with which players ask for them."""

COURTESIES: Final = frozenset(
    ("BEST", "BYE", "CHEERS", "CIAO", "DEAR", "GOOD", "GREETINGS", "HELLO", "HI", "KIND", "MANY", "REGARDS", "SALUT",
     "SEE", "SINCERELY", "SORRY", "THANK", "THANKS", "THX", "YOURS")
)  # fmt: skip
"""Words of greeting and thanks in emails, which no order contains."""


def reserve(word: str, others: str) -> None:
    """Add a keyword and its other spellings, separated by blanks, to the reserved words."""
    KEYWORDS.update(dict.fromkeys((word, *others.split()), word))


def keyword(word: str) -> str:
    """Return the keyword that a word means, in any letter case; ``""`` if the word is not reserved."""
    spelling = word.upper()
    return KEYWORDS.get(spelling) or (spelling if spelling in _charted(own_figures().token) else "")


def weapons() -> tuple[str, ...]:
    """Return the first words of all weapon names (``PH`` of ``PH 1``).

    They are those of the printed game, and any others in the chart of weapons.
    """
    return (*WEAPONS, *_charted(own_figures().token))


def is_only_launched(label: str) -> bool:
    """Return whether all weapons with this first word are racks, which launch drones and never fire (FD1.1)."""
    kinds = [kind for kind in charts.weapon_kinds().values() if kind.label == label]
    return bool(kinds) and all(kind.arming == "ammunition" for kind in kinds)


def spelled_weapons() -> dict[str, str]:
    """Return a dict of every spelling to the first word of a weapon name, such as ``PHASER`` to ``PH``."""
    return {alias: key for alias, key in KEYWORDS.items() if key in WEAPONS} | {key: key for key in weapons()}


@cache
def _charted(token: str) -> tuple[str, ...]:
    """Return the first words of weapon names that are in the chart of weapons and not in the printed game.

    ``token`` is only a part of the cache key: it identifies the custom figures in use.
    """
    return tuple(sorted({kind.label for kind in charts.weapon_kinds().values()} - KEYWORDS.keys()))
