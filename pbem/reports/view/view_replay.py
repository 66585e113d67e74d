"""What a view holds beside the present moment: the turn shown step by step, and damage over the whole game."""

from __future__ import annotations

import msgspec

Reach = tuple[str, str, int, tuple[int, ...], tuple[int, ...]]
"""Two units, the range between them, the first one's shields facing the second, the second one's facing the first."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the map looks after a step, told by what changed since the frame before.

    ``at`` is hex and facing of units that moved, turned or appeared, ``shields`` the boxes left of shields that were
    hit, ``gone`` why units left play, ``cloak`` what others see of a cloak (empty again when it is off). ``reach`` is
    every range worth telling, where any of them changed (``None`` where none did). The first frame of a turn, impulse 0
    without a step, holds everything as the turn began. ``turn`` is told where frames are of several.
    """

    impulse: int
    step: str = ""
    turn: int = 0
    at: dict[str, str] = {}
    shields: dict[str, tuple[int, ...]] = {}
    gone: dict[str, str] = {}
    cloak: dict[str, str] = {}
    reach: tuple[Reach, ...] | None = None


class Luck(msgspec.Struct, frozen=True, kw_only=True):
    """A volley of a ``side`` at a unit's ``shield`` (0: it has none): its ``weapons`` (``4 PH-1, 2 PHOT``), the points
    scored, what was ``expected``, and the ``chance`` of so many or more (``21 of 100``).
    """

    turn: int
    impulse: int
    side: str
    unit: str
    shield: int
    weapons: str
    points: int
    expected: str
    chance: str


class Fortune(msgspec.Struct, frozen=True, kw_only=True):
    """What a side's direct fire scored over the game, what was ``expected``, and the difference (``+3.4``)."""

    side: str
    points: int
    expected: str
    luck: str


class Toll(msgspec.Struct, frozen=True, kw_only=True):
    """A side's damage in one turn: points its weapons scored on ships and monsters, and what its ships took.

    Taken points went to reinforcement, shield boxes or internals.
    """

    side: str
    turn: int
    given: int
    reinforcement: int
    shields: int
    internals: int

    @property
    def taken(self) -> int:
        """All points taken."""
        return self.reinforcement + self.shields + self.internals
