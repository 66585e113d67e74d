"""The lines of the energy form (B3.0), and the entries that stand on them: each is declared here once.

From this table orders are read, printed and listed, the form is checked and numbered, and its page is drawn. What an
entry costs and readies is law, in :mod:`pbem.rules.energy_form` and :mod:`pbem.rules.energy_form`.

The words a state is written in, each set in one place.

They are strings, so that a log or a state file holds plain words; a word that is not of its set cannot be written.
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
"""The lines of the form."""

SOURCE_WORDS: Final = {"WARP": "warp", "IMPULSE": "impulse", "APR": "APR", "BATTERY": "battery"}
"""Where points come from, in the words of the field, as a player is told them."""

FIRST_SPENT, WEAPONS, OPTIONAL, TOTAL, DISCHARGED = 7, 10, 17, 20, 21
"""The first line on which energy is spent, that of the heavy weapons, the first that is not shown while it is empty and
may hold entries of several kinds, that of the sum behind the last, and what came from batteries. Those before the first
and from the sum on follow from the SSD and the others.
"""


class Entry(NamedTuple):
    """An entry that is no weapon: its first word, the line of the form it stands on, and its abbreviations.

    ``full`` is the entry in normal form where that is more than the word, ``behind`` what else may stand behind the
    word and says nothing. ``names`` is what it is for: a ``shield``, a ``letter`` (of a beam, a launcher, a shuttle) or
    nothing; where the points behind that are always the same, the entry stands ``alone``. ``standing`` ones are paid
    unless 0 is written.
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
        """The entry in normal form, without the shield or letter it names."""
        return self.full or self.word


ENTRIES: dict[str, Entry] = {
    entry.word: entry
    for entry in (
        Entry("PHASERS", 9, "PH PHASER PHAS CAPACITOR CAPACITORS CAP"),
        Entry("MOVE", 14, "MOVEMENT MV"),
        Entry("SPEED", 14, "SPD SP"),
        Entry("TAC", 14),
        Entry("RECHARGE", 16, "CHARGE", behind=("BATTERIES",)),
        Entry("GENERAL", 12, "GEN", behind=("REINFORCEMENT", "REINFORCE")),
        Entry("REINFORCE", 13, "REINF REIN SPECIFIC", names="shield"),
        Entry("REPAIR", 15, "DAMCON", names="shield"),
        Entry("TRACTOR", 17, "TRAC TRACTORS", names="letter", alone=True),
        Entry("TRANSPORTERS", 18, "TRANSPORTER TRAN TRANS"),
        Entry("CLOAK", 19),
        Entry("PROBE", 19, names="letter"),
        Entry("SUICIDE", 19, names="letter"),
        Entry("SHIELDS", 11, "SHIELD SHLD SH", standing=True),
        Entry("LIFE", 7, behind=("SUPPORT",), full="LIFE SUPPORT", standing=True),
        Entry("FIRE", 8, "FC", full="FIRE CONTROL", standing=True),
    )
}
"""Every entry by its first word, in the order in which they are offered to whoever wrote another."""


def entry_of(item: str) -> Entry | None:
    """The entry an item in normal form is (``TRACTOR A``, ``LIFE SUPPORT``); none of a weapon."""
    return ENTRIES.get(item.partition(" ")[0])


def by_line() -> list[Entry]:
    """The entries in the order of the form."""
    return sorted(ENTRIES.values(), key=lambda entry: entry.line)


AUTO_BREAK: Final = "auto-break: "
"""Before an automatic break in the reason for which orders are asked for, as the log has it."""

OWN_BREAK: Final = " broke"
"""Behind the side that broke, there."""


class WeaponState(StrEnum):
    """What a weapon is ready for (E1.2, E3.2, E4.2, FP1.2)."""

    NONE = ""
    ARMING = "arming"
    """A photon after its first turn (E4.21), a plasma torpedo on its way (FP1.21)."""
    ROLLING = "rolling"
    """A plasma torpedo that took its rolling delay this turn (FP1.22)."""
    ARMED = "armed"
    POWERED = "powered"
    """With the energy of this turn alone: a disruptor (E3.2)."""


class Fuse(StrEnum):
    """How far a shuttle is with being made a suicide shuttle (J2.221)."""

    NONE = ""
    ARMING = "arming"
    ARMED = "armed"
    UNUSABLE = "unusable"


class Gone(StrEnum):
    """Why a unit is out of play; ``IN_PLAY`` while it is not."""

    IN_PLAY = ""
    DESTROYED = "destroyed"
    DISENGAGED = "disengaged"
    LEFT = "left the map"
    CAPTURED = "captured"
    CONCEDED = "conceded"
    """Its side gave the game up (CONCEDE)."""
    NOT_YET = "not yet there"
    """A reinforcement whose turn has not come (scenario #8)."""
    REMOVED = "removed"
    """A seeking weapon that lost its target or its endurance (FD1.3, FD1.4)."""
    EXPLODED = "exploded"
    """A seeking weapon that struck (F2.2)."""
    LANDED = "landed"
    """A shuttle back on board (J1.6)."""
    FRIENDLY = "friendly"
    """A monster that was no threat (scenario #11)."""


class CloakState(StrEnum):
    """The state of a cloaking device (G13.0): by the turn in the Cadet game, fading at graduate level."""

    OFF = ""
    CLOAKED = "cloaked"
    """For the whole turn (G13.1C)."""
    UNCLOAKED = "uncloaked"
    """The turn under cloak was the one before (G13.33C)."""
    CLOAKING = "cloaking"
    """Fading out, and fully cloaked when it has faded (G13.1)."""
    UNCLOAKING = "uncloaking"


class MutinyState(StrEnum):
    """What became of a mutiny (G6.2)."""

    NONE = ""
    PUT_DOWN = "put down"
    STAGED = "staged"


class Purpose(StrEnum):
    """What a probe launcher is armed for (G5.2)."""

    NONE = ""
    INFORMATION = "information"
    WEAPON = "weapon"


class Motion(StrEnum):
    """How a seeking weapon flies: after its target (F2.0), or straight on (scenario #1)."""

    HOMING = "homing"
    STRAIGHT = "straight"


class FormKind(StrEnum):
    """What a request asks for: energy forms, orders, or both in one."""

    NONE = ""
    """Not said: the one that is asked for."""
    EAF = "EAF"
    SOP = "SOP"
    FULL = "FULL"


class PulseKind(StrEnum):
    """What conditions can ask about that lasts a moment only."""

    FIRED = "fired"
    LAUNCHED = "launched"
    DAMAGED = "damaged"


class StepName(StrEnum):
    """The steps of a turn, in order (B2.0). What they do: ``pbem.engine.steps.sequence``."""

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
