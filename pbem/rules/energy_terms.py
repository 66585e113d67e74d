"""What goes into an energy form and what comes out of it (B3.0): the ship's facts, the entries, the allotment.

:func:`pbem.rules.energy.allot` works a form out.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple, Protocol

import msgspec

from pbem.data.energy_form import ENTRIES, LABELS as LABELS, by_line
from pbem.errors import Fault, NotAllowed
from pbem.rules.acceleration import top_speed
from pbem.rules.arming import Readied as Readied, Tube as Tube
from pbem.rules.probes import Probe
from pbem.rules.suicide_shuttles import Arming as Bomb

Points = int | Fraction
"""Points of energy: whole ones as ``int``; parts of a point occur with fractional accounting (B3.2)."""

SOURCES = ("APR", "IMPULSE", "WARP", "BATTERY")
"""In the order in which what is left open is paid."""

STANDING = {entry.item: entry.line for entry in by_line() if entry.standing}
"""Lines that are paid unless 0 is written."""


class Entry(Protocol):
    """An entry of a form as it was written: ``parts`` are (source, points), source ``""`` where it was left open."""

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


def plant_of(boxes: Mapping[str, int], batteries: int = 0, battery_part: Fraction = Fraction(0)) -> Plant:
    """What the engines of a ship with these undestroyed boxes give; so many of its batteries are charged (B3.0)."""
    return Plant(
        warp=warp_boxes(boxes),
        impulse=boxes.get("impulse", 0),
        apr=boxes.get("apr", 0),
        batteries=batteries,
        battery_boxes=boxes.get("battery", 0),
        battery_part=battery_part,
    )


def warp_boxes(boxes: Mapping[str, int]) -> int:
    """The boxes of all warp engines together."""
    return sum(count for name, count in boxes.items() if name.startswith("warp"))


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
    ``move_cost`` is what a hex costs in warp power, ``tow_cost`` what freighters in tow add (G7.4). ``chapters`` are
    those the scenario uses.
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
    chapters: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """By what mostly tells two ships, or two turns of one, apart; what is equal has the same."""
        return hash((self.name, self.tubes, self.shields, self.capacitor, self.prior_speed))

    @property
    def damcon(self) -> int:
        """The damage control rating: the highest number on the track (D9.1)."""
        return max(self.damage_control, default=0)

    def box(self, system: str) -> int | None:
        """Undestroyed boxes of a system, ``None`` where that is not asked."""
        return None if self.boxes is None else self.boxes.get(system, 0)

    @property
    def fastest(self) -> int:
        """The most hexes the ship may move this turn, whatever it pays (C1.42, B3.0)."""
        return min(self.max_speed, top_speed(self.prior_speed, self.acceleration, self.multiple))

    @property
    def hex_cost(self) -> Fraction:
        """Warp power for a hex of movement, or a maneuver, with whatever is in tow (C2.12, G7.4)."""
        return self.move_cost + self.tow_cost


class BalanceLine(NamedTuple):
    """A line of the form: its number, what it is for, points and where they come from (``11 warp + 1 impulse``)."""

    number: int
    label: str
    amount: int
    source: str


class Systems(msgspec.Struct, frozen=True, kw_only=True):
    """What the entries of lines 14 and 17 to 19 ready: ``tactical`` warp maneuvers paid for and whether a
    ``sublight`` one is (C5.0); ``tractors`` beams and ``transporters`` that have energy, ``cloak`` whether the device
    has; ``probes`` launchers and ``bombs`` suicide shuttles by letter; ``powered`` what else has energy.
    """

    tactical: int = 0
    sublight: bool = False
    tractors: tuple[str, ...] = ()
    transporters: int = 0
    cloak: bool = False
    probes: dict[str, Probe] = {}
    bombs: dict[str, Bomb] = {}
    powered: dict[str, int] = {}

    def joined(self, other: Systems) -> Systems:
        """What both ready."""
        return type(self)(
            **{name: _joined(getattr(self, name), getattr(other, name)) for name in self.__struct_fields__}
        )


def _joined(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return one | other
    return tuple(sorted(one + other)) if isinstance(one, tuple) else other or one


class Powered(NamedTuple):
    """What an entry does: points by source, and the systems it readies; ``text`` is the order in normal form."""

    parts: dict[str, Points]
    ready: Systems
    text: str = ""


class Allotment(Systems, frozen=True, kw_only=True):
    """A form worked out: the ship as it is afterwards, and what to tell the player.

    ``speed`` hexes this turn, and in ``motion`` the points for it by source (``WARP``, ``IMPULSE``); ``weapons`` by
    name; ``batteries`` charged and
    ``battery_part`` of a point more (B3.2); ``general`` points (D3.341), ``specific`` by shield; ``repairing`` points
    spent on repairs, by shield (``"#1"`` to ``"#6"``); ``other`` points by item for lines 14 (``TAC``) and 17 to 19,
    rounded up; ``unpaid`` the lines 7, 8, 11 that were not paid
    (:mod:`pbem.rules.standing`). ``exact`` are with fractional accounting the points of each line of ``balance``,
    whose own amounts are rounded up. ``balance`` is the form line by line, ``lines`` the same as orders, ``chosen``
    the orders whose sources the engine picked, ``notes`` what else the player should know. With ``faults`` the rest is
    what the form would have done.
    """

    speed: int
    motion: dict[str, Points]
    weapons: dict[str, Readied]
    capacitor: float
    batteries: int
    battery_part: Fraction
    general: int
    specific: tuple[int, ...]
    repairing: dict[str, int]
    other: dict[str, int]
    unpaid: tuple[str, ...]
    balance: tuple[BalanceLine, ...]
    exact: tuple[Fraction, ...]
    lines: tuple[str, ...]
    chosen: tuple[str, ...]
    notes: tuple[str, ...]
    faults: tuple[Fault, ...]


def plain(points: Points) -> Points:
    """The same number, as an ``int`` where it is whole."""
    if type(points) is int:  # nearly all are
        return points
    return int(points) if Fraction(points).denominator == 1 else points


def as_text(points: Points) -> str:
    """``2``, ``2.5``, ``2/3``: as it may stand in orders."""
    exact = Fraction(points)
    if exact.denominator in (2, 4, 5, 10):
        return f"{float(exact):g}"
    return str(exact)


def named(entry: Entry) -> str:
    """An entry without its points: ``REPAIR #2``."""
    return f"{entry.item} #{entry.shield}" if entry.shield else entry.item


def said(entry: Entry) -> str:
    """An entry as a message tells it back, with every source that was named: ``PHASERS 1.5 APR``."""
    points = " + ".join(f"{as_text(points)} {source}".rstrip() for source, points in entry.parts)
    return " ".join(filter(None, (named(entry), "WITH" if entry.shield and points else "", points)))


def total_of(entry: Entry) -> Fraction:
    """All points of an entry together."""
    return sum((points for _, points in entry.parts), Fraction(0))


def whole(entry: Entry, rule: str) -> int:
    """The points of an entry, which must be whole."""
    total = total_of(entry)
    if total.denominator != 1:
        raise NotAllowed("not-whole", f"{said(entry)}: only whole points can be spent here", rule)
    return int(total)


def points_of(entry: Entry) -> dict[str, Points]:
    """The points of an entry by source."""
    parts: dict[str, Points] = {}
    for source, points in entry.parts:
        parts[source] = plain(parts.get(source, 0) + points)
    return parts


def hexes_for(warp: Points, impulse: Points, move_cost: Fraction) -> int:
    """Hexes that so much warp and impulse power move a ship; a point of impulse is a hex for any ship (C2.12)."""
    return int(Fraction(warp) / move_cost) + int(impulse)


def warp_for(hexes: int, move_cost: Fraction) -> int:
    """Warp power for so many hexes, rounded up (C2.12)."""
    return ceil(hexes * move_cost)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def lettered(item: str) -> str:
    """``TRACTOR 2`` as ``TRACTOR B``: beams, probe launchers and shuttles may be named by number, too."""
    word, _, number = item.partition(" ")
    if word in ENTRIES and ENTRIES[word].names == "letter" and number.isdecimal() and 1 <= int(number) <= len(LETTERS):
        return f"{word} {LETTERS[int(number) - 1]}"
    return item


def letter_of(entry: Entry, facts: ShipFacts, system: str, called: str, rule: str) -> str:
    """The letter of a box, checked against the boxes left."""
    word = lettered(entry.item).partition(" ")[2]
    has = facts.box(system)
    if word not in tuple(LETTERS[:has]):
        last = LETTERS[(has or len(LETTERS)) - 1]
        what = "has none left" if has == 0 else f"has {LETTERS[0]}{'' if last == LETTERS[0] else f' to {last}'}"
        raise NotAllowed("no-such-box", f"there is no {called} {word or '(no letter)'}; the ship {what}", rule)
    return word
