"""The words of the order language and their abbreviations: the one table that reader, writer and help share.

Every spelling in :data:`KEYWORDS` is reserved: a name ends before it, and a ship that bears such a name is written in
quotes (``"Fire"``). The other tables hold words that mean something in one place only.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pbem.data import charts
from pbem.data.files import own_figures
from pbem.data.terms import ENTRIES, FIRST_SPENT, OPTIONAL, TOTAL

HEADER: Final = {"GAME": "", "TURN": "", "SIDE": "", "REPLY": "REQUEST", "FORM": ""}
"""The fields of the line with which orders begin, and their abbreviations (:mod:`pbem.orders.header`)."""

ALONE: Final[dict[str, tuple[str, str]]] = {
    "CONTINUE": ("UNCHANGED", "stands for the old orders unchanged"),
    "CONCEDE": ("RESIGN SURRENDER", "gives the game up"),
}
"""Words that stand instead of orders: their abbreviations, and what they mean. What play does at them stands in
:mod:`pbem.engine.play.surrender`.
"""

_KEYWORDS: Final[dict[str, str]] = {
    # The header and the sections.
    **HEADER, **{word: others for word, (others, _) in ALONE.items()},
    "END": "", "SHIP": "", "SHUTTLE": "SHTL", "ENERGY": "EAF", "PLOT": "MOVEMENT", "COURSE": "",
    "DO": "ACTIVITIES ACTIONS", "BREAK": "BREAKS BRK", "DAMAGE": "DDAP",
    # When and if.
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
    # Activities.
    "FIRE": "SHOOT", "ALL": "", "HEAVY": "HEAVIES", "ONE": "", "LAUNCH": "", "GUIDE": "", "RESERVE": "",
    "REINFORCE": "", "LOWER": "DROP", "TRANSPORT": "BEAM", "TRACTOR": "TRAC TRACTORS", "RELEASE": "",
    "RECOVER": "", "LAND": "", "PROBE": "", "CLOAK": "", "UNCLOAK": "DECLOAK", "DISENGAGE": "", "SUICIDE": "",
    # Movement.
    "TOWARD": "TOWARDS", "AWAY": "", "KEEP": "", "TAC": "", "LEAVE": "", "MOVE": "MV", "LEFT": "", "RIGHT": "",
    "STRAIGHT": "",
    # Weapons, by their names on the SSD.
    "PH": "PHASER PHAS PHASERS", "PHOT": "PHOTON PHOTS PHOTONS TORP TORPS TORPEDO TORPEDOES",
    "DISR": "DISRUPTOR DISRS DISRUPTORS DIS DISRUPTER DISRUPTERS", "DRONE": "DRONES DRN DR RACK",
    "PLAS": "PLS PLASMATORP", "FUS": "FUSION FUSIONS", "HB": "HELLBORE HELLBORES", "ESG": "ESGS", "PPD": "PPDS",
    # What nobody but the owner knows.
    "OVERLOADED": "OVERLOAD OVERLOADS", "ARMING": "", "HOLDING": "HOLDS", "REINFORCED": "REINFORCEMENT", "TARGETS": "",
    "POWER": "",
}  # fmt: skip

KEYWORDS: Final[dict[str, str]] = {
    spelling: keyword for keyword, others in _KEYWORDS.items() for spelling in (keyword, *others.split())
}
"""Every reserved spelling and the keyword it stands for."""

HEADINGS: Final = (
    *HEADER, "SHIP", "SHUTTLE", "ENERGY", "PLOT", "COURSE", "DO", "BREAK", "DAMAGE", *ALONE, "END",
)  # fmt: skip
"""Words that begin a line of their own at any indentation: such a line never continues another."""

OF_UNITS: Final = (
    "WITHIN", "IN", "DESTROYED", "DAMAGED", "CLOAKED", "CLOSING", "LAUNCHES", "FIRES", "REACHES",
)  # fmt: skip
"""What a condition may say of a unit."""

AFTER_SUBJECT: Final = frozenset((*OF_UNITS, "IS", "NOT", "ARMED", "OF"))
"""Words behind the subject of a condition: before one of them SHIP, SHUTTLE, ENERGY or BREAK is no heading."""

FORMS: Final = ("EAF", "SOP", "FULL")

WEAPONS: Final = ("PH", "PHOT", "DISR", "DRONE", "PLAS", "FUS", "HB", "ESG", "PPD")
"""First words of weapon names that the printed game has. PLASMA is read as PLAS where a weapon is meant."""

PLURALS: Final = frozenset(
    ("PHASERS", "PHOTONS", "PHOTS", "TORPS", "TORPEDOES", "DISRUPTORS", "DISRUPTERS", "DISRS", "DRONES",
     "PLASMAS", "FUSIONS", "HELLBORES", "ESGS", "PPDS", "BANKS", "BOLTS")
)  # fmt: skip
"""Spellings that mean every weapon of the kind when no number or letter follows."""

BEHIND_WEAPON: Final[dict[str, tuple[str, ...]]] = {
    "PH": ("BANK", "BANKS"), "PHOT": ("TORPEDO", "TORPEDOES", "TORP", "TORPS", "TUBE"), "DISR": ("BOLT", "BOLTS"),
    "DRONE": ("RACK",), "PLAS": ("TORPEDO", "TORPEDOES"),
}  # fmt: skip
"""What people write between the word of a weapon and its number or letter: ``PHOTON TORPEDO A``, ``DRONE RACK 1``."""

KINDS: Final = ("SHIP", "SEEKER", "DRONE", "PLASMA", "SHUTTLE")
"""What narrows ENEMY, ANY, NEAREST and EACH."""

CODES: Final[dict[str, str]] = {
    "F": "F", "L": "L", "R": "R", "SL": "SL", "SR": "SR", "FD": "F", "TL": "L", "TR": "R", "FWD": "F",
}  # fmt: skip
"""Plot codes and their spellings: ahead, turn then move, sideslip."""

SPOKEN_CODES: Final[dict[str, str]] = {
    **{spelling: code for spelling, code in CODES.items() if len(code) == 1},
    **dict.fromkeys(("FORWARD", "FORWARDS", "AHEAD", "STRAIGHT"), "F"), "LEFT": "L", "RIGHT": "R",
}  # fmt: skip
"""The same as somebody says them who tells his plot in words, each with the code; ``SPOKEN_SLIPS`` before a side makes
it a sideslip.
"""
SPOKEN_SLIPS: Final = ("SIDESLIP", "SLIP", "SIDE-SLIP", "SS")

FACINGS: Final = ("A", "B", "C", "D", "E", "F")

ARCS: Final = ("FA", "FX", "RA", "RX", "LS", "RS", "LP", "RP", "LF", "RF", "L", "R", "LR", "RR", "360")
"""Firing arcs (D2.0); joined by ``+`` they add up."""

OPERATORS: Final[dict[str, str]] = {
    "<=": "<=", "=<": "<=", "<": "<", "=": "=", "==": "=", ">": ">", ">=": ">=", "=>": ">=", "!=": "!=", "<>": "!=",
}  # fmt: skip

ENERGY_ITEMS: Final[dict[str, str]] = {
    spelling: word for word, entry in ENTRIES.items() for spelling in (word, *entry.also.split())
}
"""Entries of the energy form that are no weapons (B3.0), by every spelling."""

ENERGY_LINES: Final[dict[int, str]] = dict.fromkeys(range(FIRST_SPENT, TOTAL), "") | {
    entry.line: word for word, entry in reversed(ENTRIES.items()) if entry.line < OPTIONAL
}
"""Numbered lines of the form a player fills in, and the entry each stands for where it is only one."""

SOURCES: Final[dict[str, str]] = {
    "WARP": "WARP", "IMPULSE": "IMPULSE", "IMP": "IMPULSE", "APR": "APR", "REACTOR": "APR", "REACTORS": "APR",
    "BATTERY": "BATTERY", "BATTERIES": "BATTERY", "BTTY": "BATTERY", "BATT": "BATTERY", "BATS": "BATTERY",
}  # fmt: skip
"""Where points of energy come from."""

CATEGORIES: Final[dict[str, str]] = {
    "WEAPON": "WEAPON", "WEAPONS": "WEAPON", "WPN": "WEAPON", "WPNS": "WEAPON", "ENGINE": "ENGINE", "ENGINES": "ENGINE",
    "OTHER": "OTHER", "OTHERS": "OTHER", "HULL": "HULL", "ANY": "ANY",
}  # fmt: skip
"""Categories of the damage charts within which the owner chooses (D4.223)."""

_BOXES: Final[dict[str, str]] = {
    "WARP": "WARPS", "IMPULSE": "IMP", "APR": "REACTOR", "BATTERY": "BTTY BATT BATTERIES", "HULL": "", "BRIDGE": "",
    "SECURITY": "SCTY SEC", "LAB": "LABS", "TRAN": "TRANS TRANSPORTER TRANSPORTERS", "TRACTOR": "TRAC TRACTORS",
    "SHUTTLE": "SHTL SHUTTLES", "PROBE": "PROBES", "EMER": "", "AUX": "", "FLAG": "", "CARGO": "", "EXCESS": "",
    "SENSOR": "", "SCANNER": "", "DAMCON": "",
}  # fmt: skip
BOXES: Final[dict[str, str]] = {spelling: box for box, others in _BOXES.items() for spelling in (box, *others.split())}
"""Boxes of an SSD that are no weapons."""

BOX_PARTS: Final[dict[str, tuple[str, ...]]] = {"WARP": ("LEFT", "RIGHT", "CENTER"), "HULL": ("FORE", "AFT", "CENTER")}

CARGO: Final[dict[str, str]] = {"BP": "BP", "BPS": "BP", "MARINES": "BP", "CREW": "CREW", "CREWS": "CREW"}
"""What transporters and shuttles carry (G8.0, J2.211)."""

SECRETS: Final[dict[str, str]] = {
    **dict.fromkeys(
        ("ARMED", "ARMING", "HOLDING", "OVERLOADED"),
        "how another ship's weapons are armed stands in its energy form, which is secret",
    ),
    **dict.fromkeys(("ENERGY", "POWER"), "another ship's energy form is secret"),
    "BATTERIES": "the charge of another ship's batteries is secret",
    "CAPACITOR": "the charge of another ship's capacitor is secret",
    "REINFORCED": "another ship's shield reinforcement stands in its energy form, which is secret",
    "AMMO": "how many drones another ship has left is secret",
    **dict.fromkeys(("TARGET", "TARGETS"), "the orders never read what another player's seeking weapon is aimed at"),
    "BREAK": "another player's break conditions are secret",
    **dict.fromkeys(("PLOT", "RESERVE"), "another player's orders are secret"),
}
"""What a condition may not read about a unit, and why (D4.1)."""

OWN_SECRETS: Final = ("ARMED", "BATTERIES", "CAPACITOR", "AMMO")
"""What a condition may read of one's own ship, but a break may not: a break reads public facts only."""

INSTEAD: Final[dict[str, str]] = {
    "AFTER": "IF IMPULSE > 8 THEN",
    "BEFORE": "IF IMPULSE < 8 THEN",
    "UNTIL": "IF IMPULSE <= 8 THEN",
    "BETWEEN": "IF IMPULSE >= 4 AND IMPULSE <= 8 THEN",
    "WHILE": "EVERY IF and a condition, then THEN",
    "UNLESS": "IF NOT and a condition, then THEN",
    "ELSE": "a second order with IF NOT and the condition",
    "ONCE": "the order without it, for it acts once unless EVERY stands before it",
    "ALLY": "the ships by their names, joined by OR",
    "ALLIES": "the ships by their names, joined by OR",
}
"""Words that other forms of orders have and this language has not, and what says the same here."""

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
"""What the full game has and the handbook has not, by the word with which it is asked for."""

COURTESIES: Final = frozenset(
    ("BEST", "BYE", "CHEERS", "CIAO", "DEAR", "GOOD", "GREETINGS", "HELLO", "HI", "KIND", "MANY", "REGARDS", "SALUT",
     "SEE", "SINCERELY", "SORRY", "THANK", "THANKS", "THX", "YOURS")
)  # fmt: skip
"""Words with which letters begin and end, and no order does."""


def keyword(word: str) -> str:
    """The keyword a word stands for in any letter case, ``""`` if it is not reserved."""
    spelling = word.upper()
    return KEYWORDS.get(spelling) or (spelling if spelling in _charted(own_figures().token) else "")


def weapons() -> tuple[str, ...]:
    """First words of weapon names (``PH 1``): those of the printed game, and any other the chart of weapons has."""
    return (*WEAPONS, *_charted(own_figures().token))


def is_only_launched(label: str) -> bool:
    """Whether all weapons of that name are racks, which launch what they hold and never fire (FD1.1)."""
    kinds = [kind for kind in charts.weapon_kinds().values() if kind.label == label]
    return bool(kinds) and all(kind.arming == "ammunition" for kind in kinds)


def spelled_weapons() -> dict[str, str]:
    """The same by every spelling."""
    return {alias: key for alias, key in KEYWORDS.items() if key in WEAPONS} | {key: key for key in weapons()}


@cache
def _charted(token: str) -> tuple[str, ...]:
    """Labels that only the chart of weapons knows."""
    return tuple(sorted({kind.label for kind in charts.weapon_kinds().values()} - KEYWORDS.keys()))
