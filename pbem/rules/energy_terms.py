"""What goes into an energy form and what comes out of it (B3.0): the ship's facts, the entries, the allotment.

:func:`pbem.rules.energy.allot` works a form out.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple, Protocol

import msgspec

from pbem.faults import Fault
from pbem.rules.arming import Readied as Readied, Tube as Tube
from pbem.rules.probes import Probe
from pbem.rules.suicide_shuttles import Arming as Bomb

Points = int | Fraction
"""Points of energy: whole ones as ``int``; parts of a point occur with fractional accounting (B3.2)."""

SOURCES = ("APR", "IMPULSE", "WARP", "BATTERY")
"""In the order in which what is left open is paid."""

LABELS = {
    1: "WARP ENGINES", 2: "IMPULSE POWER", 3: "REACTOR POWER", 4: "TOTAL POWER",
    5: "BATTERIES AVAILABLE", 6: "BATTERIES DISCHARGED",
    7: "LIFE SUPPORT", 8: "FIRE CONTROL", 9: "PHASERS", 10: "HEAVY WEAPONS", 11: "SHIELDS",
    12: "GENERAL REINFORCEMENT", 13: "SPECIFIC REINFORCEMENT", 14: "MOVEMENT", 15: "DAMAGE CONTROL",
    16: "RECHARGE BATTERIES", 17: "TRACTORS", 18: "TRANSPORTERS", 19: "OTHER",
    20: "TOTAL POWER USED", 21: "BATTERIES DISCHARGED THIS TURN",
}  # fmt: skip
"""The lines of the form."""

STANDING = {"LIFE SUPPORT": 7, "FIRE CONTROL": 8, "SHIELDS": 11}
"""Lines that are paid unless 0 is written."""


class Entry(Protocol):
    """One entry of a form as the player wrote it.

    ``parts`` are (source, points), source ``""`` where he left it open.
    """

    @property
    def item(self) -> str: ...
    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]: ...
    @property
    def verb(self) -> str: ...
    @property
    def shield(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Plant(msgspec.Struct, frozen=True, kw_only=True):
    """What a ship's engines give this turn: undestroyed boxes of each kind.

    ``batteries`` are the charged ones; ``battery_part`` what another one holds of a point (B3.2).
    """

    warp: int = 0
    impulse: int = 0
    apr: int = 0
    batteries: int = 0
    battery_boxes: int = 0
    battery_part: Fraction = Fraction(0)

    @property
    def total(self) -> int:
        """Line 4: all power but the batteries."""
        return self.warp + self.impulse + self.apr

    @property
    def stored(self) -> Points:
        """Line 5: what the batteries hold."""
        return plain(self.batteries + self.battery_part)


class ShipFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the form needs of the ship, before it takes effect.

    ``tubes`` are its weapons (those that take no energy may be left out); ``prior_speed`` the speed of last
    turn, ``acceleration`` how much it may grow, or ``multiple`` how many times if that is more (B3.0, line 14);
    ``capacitor`` what the phaser capacitor holds and ``capacity`` what it can; ``shields`` boxes left and
    ``full_shields`` of the undamaged ship; ``damage_control`` what is left of the track of the SSD (empty: none,
    D9.1); ``reinforcement`` whether lines 12 and 13 are used; ``fractional`` whether parts of a point are (B3.2).

    For lines 17 to 19: ``boxes`` undestroyed by system (``None``: their number is not asked), ``cloak`` what the
    device costs (``None``: there is none), ``probes`` the launchers and ``bombs`` the suicide shuttles by letter, as
    the turn before left them, ``probes_left`` the probes in each launcher; ``hangar`` the shuttles aboard.
    ``move_cost`` is what a hex costs in warp power, ``tow_cost`` what freighters in tow add (G7.4).
    """

    name: str = ""
    plant: Plant
    tubes: tuple[Tube, ...] = ()
    move_cost: Fraction = Fraction(1)
    tow_cost: Fraction = Fraction(0)
    level: str = "cadet"
    prior_speed: int
    acceleration: int
    multiple: int
    max_speed: int
    capacitor: float = 0.0
    capacity: float = 0.0
    shields: tuple[int, ...]
    full_shields: tuple[int, ...]
    damage_control: tuple[int, ...] = ()
    reinforcement: bool = True
    fractional: bool = False
    boxes: dict[str, int] | None = None
    cloak: int | None = None
    probes: dict[str, Probe] = {}
    probes_left: dict[str, int] = {}
    bombs: dict[str, Bomb] = {}
    hangar: tuple[str, ...] = ()

    @property
    def damcon(self) -> int:
        """The damage control rating: the highest number on the track (D9.1)."""
        return max(self.damage_control, default=0)

    def box(self, system: str) -> int | None:
        """Undestroyed boxes of a system, ``None`` where that is not asked."""
        return None if self.boxes is None else self.boxes.get(system, 0)

    @property
    def hex_cost(self) -> Fraction:
        """Warp power for a hex of movement, or a maneuver, with whatever is in tow (C2.12, G7.4)."""
        return self.move_cost + self.tow_cost


class BalanceLine(NamedTuple):
    """A line of the form: its number, what it is for, points.

    And where they come from (``11 warp + 1 impulse``).
    """

    number: int
    label: str
    amount: int
    source: str


class Allotment(msgspec.Struct, frozen=True, kw_only=True):
    """A form worked out: the ship as it is afterwards, and what to tell the player.

    ``speed`` hexes this turn, and in ``motion`` the points for it by source (``WARP``, ``IMPULSE``); ``tactical`` warp
    maneuvers paid for and whether a ``sublight`` one is (C5.0); ``weapons`` by name; ``batteries`` charged and
    ``battery_part`` of a point more (B3.2); ``general`` points (D3.341), ``specific`` by shield; ``repairing`` points
    spent on repairs, by shield (``"#1"`` to ``"#6"``); ``other`` points by item for lines 14 (``TAC``) and 17 to 19,
    rounded up; ``tractors`` beams and ``transporters`` that have energy, ``cloak`` whether the device has; ``probes``
    launchers and ``bombs`` suicide shuttles by letter; ``unpaid`` the lines 7, 8, 11 that were not paid
    (:mod:`pbem.rules.standing`). ``exact`` are with fractional accounting the points of each line of ``balance``,
    whose own amounts are rounded up. ``balance`` is the form line by line, ``lines`` the same as orders, ``chosen``
    the orders whose sources the engine picked, ``notes`` what else the player should know. With ``faults`` the rest is
    what the form would have done.
    """

    speed: int
    motion: dict[str, Points]
    tactical: int
    sublight: bool
    weapons: dict[str, Readied]
    capacitor: float
    batteries: int
    battery_part: Fraction
    general: int
    specific: tuple[int, ...]
    repairing: dict[str, int]
    other: dict[str, int]
    tractors: tuple[str, ...]
    transporters: int
    cloak: bool
    probes: dict[str, Probe]
    bombs: dict[str, Bomb]
    unpaid: tuple[str, ...]
    balance: tuple[BalanceLine, ...]
    exact: tuple[Fraction, ...]
    lines: tuple[str, ...]
    chosen: tuple[str, ...]
    notes: tuple[str, ...]
    faults: tuple[Fault, ...]


def plain(points: Points) -> Points:
    """The same number, as an ``int`` where it is whole."""
    return int(points) if Fraction(points).denominator == 1 else points


def as_text(points: Points) -> str:
    """``2``, ``2.5``, ``2/3``: as it may stand in orders."""
    exact = Fraction(points)
    if exact.denominator in (1, 2, 4, 5, 10):
        return f"{float(exact):g}"
    return str(exact)


def hexes_for(warp: Points, impulse: Points, move_cost: Fraction) -> int:
    """Hexes that so much warp and impulse power move a ship.

    A point of impulse is a hex for any ship (C2.12).
    """
    return int(Fraction(warp) / move_cost) + int(impulse)


def warp_for(hexes: int, move_cost: Fraction) -> int:
    """Warp power for so many hexes, rounded up (C2.12)."""
    return ceil(hexes * move_cost)
