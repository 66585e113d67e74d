"""Fixed vocabularies: lines and entries of the energy form (B3.0), and the words stored in a game's state.

:data:`ENTRIES` is the only list of the entries. The order language, the suggestions and the printed form all use it.
:mod:`pbem.rules.energy_form` defines the cost and the effect of each entry. The words of a state are string enums,
so that logs and state files contain plain words and a wrong word cannot be written.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

LABELS: Final = {
    1: "WARP ENGINES", 2: "IMPULSE POWER", 3: "REACTOR POWER (APR)", 4: "TOTAL POWER",
    5: "BATTERIES AVAILABLE", 6: "BATTERIES DISCHARGED",
    7: "LIFE SUPPORT", 8: "FIRE CONTROL", 9: "PHASERS", 10: "HEAVY WEAPONS", 11: "SHIELDS",
    12: "GENERAL REINFORCEMENT", 13: "SPECIFIC REINFORCEMENT", 14: "MOVEMENT", 15: "DAMAGE CONTROL",
    16: "RECHARGE BATTERIES", 17: "TRACTORS", 18: "TRANSPORTERS", 19: "OTHER",
    20: "TOTAL POWER USED", 21: "BATTERIES DISCHARGED THIS TURN",
}  # fmt: skip
"""The labels of the lines of the energy form, by line number."""

SOURCE_WORDS: Final = {"WARP": "warp", "IMPULSE": "impulse", "APR": "APR", "BATTERY": "battery"}
"""The sources of power: the word used in orders, and the word shown to players."""

FIRST_SPENT, WEAPONS, OPTIONAL, TOTAL, DISCHARGED = 7, 10, 17, 20, 21
"""Numbers of lines of the energy form that the program treats in a special way.

``FIRST_SPENT`` is the first line on which energy is spent, ``WEAPONS`` the line of the heavy weapons. ``OPTIONAL``
is the first line that is hidden while empty; it may hold entries of several kinds. ``TOTAL`` is the total, and
``DISCHARGED`` the energy taken from batteries. The lines before ``FIRST_SPENT`` and those from ``TOTAL`` on are
computed from the SSD and the other lines.
"""


class FormItem(NamedTuple):
    """An item, other than a weapon, on which an energy form can spend energy (``TRACTOR A``, ``CLOAK``).

    Attributes:
        word: The first word of its entry.
        line: The line of the form to which it belongs.
        also: Other spellings of that word, separated by spaces.
        behind: Words that may follow the entry and have no meaning.
        names: What must follow the word: ``shield``, ``letter`` (of a beam, launcher or shuttle) or nothing.
        full: The whole name in normal form, if it has more than one word.
        standing: Whether the item is paid for unless the form says 0.
        alone: Whether the entry is written without points, because the points are always the same.
    """

    word: str
    line: int
    also: str = ""
    behind: tuple[str, ...] = ()
    names: str = ""
    full: str = ""
    standing: bool = False
    alone: bool = False

    @property
    def item(self) -> str:
        """The name of the item in normal form, without a shield or letter."""
        return self.full or self.word


ENTRIES: dict[str, FormItem] = {
    entry.word: entry
    for entry in (
        FormItem("PHASERS", 9, "PH PHASER PHAS CAPACITOR CAPACITORS CAP"),
        FormItem("MOVE", 14, "MOVEMENT MV"),
        FormItem("SPEED", 14, "SPD SP"),
        FormItem("TAC", 14),
        FormItem("RECHARGE", 16, "CHARGE", behind=("BATTERIES",)),
        FormItem("GENERAL", 12, "GEN", behind=("REINFORCEMENT", "REINFORCE")),
        FormItem("REINFORCE", 13, "REINF REIN SPECIFIC", names="shield"),
        FormItem("REPAIR", 15, "DAMCON", names="shield"),
        FormItem("TRACTOR", 17, "TRAC TRACTORS", names="letter", alone=True),
        FormItem("TRANSPORTERS", 18, "TRANSPORTER TRAN TRANS"),
        FormItem("CLOAK", 19),
        FormItem("PROBE", 19, names="letter"),
        FormItem("SUICIDE", 19, names="letter"),
        FormItem("SHIELDS", 11, "SHIELD SHLD SH", standing=True),
        FormItem("LIFE", 7, behind=("SUPPORT",), full="LIFE SUPPORT", standing=True),
        FormItem("FIRE", 8, "FC", full="FIRE CONTROL", standing=True),
    )
}
"""Every :class:`FormItem` by its first word.

The order is that in which they are suggested to a player who wrote an unknown one.
"""


def entry_of(item: str) -> FormItem | None:
    """Return the :class:`FormItem` that a text like ``TRACTOR A`` names, or ``None`` for a weapon."""
    return ENTRIES.get(item.partition(" ")[0])


def by_line() -> list[FormItem]:
    """Return all form items, sorted by their line on the energy form."""
    return sorted(ENTRIES.values(), key=lambda entry: entry.line)


AUTO_BREAK: Final = "auto-break: "
"""A prefix in the log: play stopped for new orders because of an automatic break set by the game's options.

It is part of the reason that the log stores for each request for orders.
"""

OWN_BREAK: Final = " broke"
"""A suffix in the log, after the name of a side: play stopped because a break ordered by this side came true.

It is part of the reason that the log stores for each request for orders.
"""


class WeaponState(StrEnum):
    """The arming state of a weapon (E1.2, E3.2, E4.2, FP1.2)."""

    NONE = ""
    ARMING = "arming"
    """A photon torpedo after its first turn (E4.21), or a plasma torpedo whose arming is not complete (FP1.21)."""
    ROLLING = "rolling"
    """A plasma torpedo that took its rolling delay this turn (FP1.22)."""
    ARMED = "armed"
    POWERED = "powered"
    """A weapon that is ready in this turn only, by this turn's energy, such as a disruptor (E3.2)."""


class Fuse(StrEnum):
    """The arming state of a suicide shuttle (J2.221)."""

    NONE = ""
    ARMING = "arming"
    ARMED = "armed"
    UNUSABLE = "unusable"


class UnitFate(StrEnum):
    """The reason why a unit no longer takes part in the game; ``IN_PLAY`` while it takes part."""

    IN_PLAY = ""
    DESTROYED = "destroyed"
    DISENGAGED = "disengaged"
    LEFT = "left the map"
    CAPTURED = "captured"
    CONCEDED = "conceded"
    """Its side gave up the game (CONCEDE)."""
    NOT_YET = "not yet there"
    """A reinforcement that has not arrived yet (scenario #8)."""
    REMOVED = "removed"
    """A seeking weapon that lost its target or reached the end of its endurance (FD1.3, FD1.4)."""
    EXPLODED = "exploded"
    """A seeking weapon that hit (F2.2)."""
    LANDED = "landed"
    """A shuttle that is back on board (J1.6)."""
    FRIENDLY = "friendly"
    """A monster that was no threat (scenario #11)."""


class CloakState(StrEnum):
    """The state of a cloaking device (G13.0).

    In the Cadet game a state lasts for a whole turn; at graduate level ships fade out and in.
    """

    OFF = ""
    CLOAKED = "cloaked"
    """The ship is cloaked for the whole turn (G13.1C)."""
    UNCLOAKED = "uncloaked"
    """The ship was cloaked in the turn before (G13.33C)."""
    CLOAKING = "cloaking"
    """The ship is fading out, or is fully cloaked after that (G13.1)."""
    UNCLOAKING = "uncloaking"


class MutinyState(StrEnum):
    """The result of the mutiny on a ship (G6.2)."""

    NONE = ""
    PUT_DOWN = "put down"
    STAGED = "staged"


class Purpose(StrEnum):
    """The purpose for which a probe launcher is armed (G5.2)."""

    NONE = ""
    INFORMATION = "information"
    WEAPON = "weapon"


class Motion(StrEnum):
    """The movement of a seeking weapon: toward its target (F2.0), or straight ahead (scenario #1)."""

    HOMING = "homing"
    STRAIGHT = "straight"


class FormKind(StrEnum):
    """The content that a request for orders asks for: energy forms, orders, or both in one file."""

    NONE = ""
    """The file does not say which; it answers whatever the request asks for."""
    EAF = "EAF"
    SOP = "SOP"
    FULL = "FULL"


class PulseKind(StrEnum):
    """The kinds of events in a single step, such as hits, that conditions in orders can ask about."""

    FIRED = "fired"
    LAUNCHED = "launched"
    DAMAGED = "damaged"


class StepName(StrEnum):
    """The steps of a turn, in order (B2.0); :mod:`pbem.engine.steps.sequence` says what they do."""

    NONE = ""
    ENERGY = "energy"
    ANNOUNCE = "announce"
    LOCK_ON = "lockon"
    MONSTERS = "monsters"
    MOVE = "move"
    SHUTTLES = "shuttles"
    SEEK = "seek"
    TAC = "tac"
    IMPACT = "impact"
    CLOAK = "cloak"
    TRACTOR = "tractor"
    LAUNCH = "launch"
    TRANSPORT = "transport"
    BAY = "bay"
    FIRE = "fire"
    RESOLVE = "resolve"
    END = "end"
    CLOSE = "close"


def impulses_in_words(first: int, last: int) -> str:
    """Return a range of impulses as text: ``impulses 9 to 16``, or ``impulse 16`` for a single one.

    If ``first`` is 0 (the time before the first impulse), the text begins with impulse 1.
    """
    first = max(1, first)
    return f"impulses {first} to {last}" if last > first else f"impulse {first}"
