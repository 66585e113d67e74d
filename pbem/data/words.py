"""The words a state is written in, each set in one place.

They are strings, so that a log or a state file holds plain words; a word that is not of its set cannot be written.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

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
