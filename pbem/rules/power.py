"""The phaser capacitor (H6.0).

What goes into an energy form and what comes out of it (B3.0): the ship's facts, the entries, the allotment.

:func:`pbem.rules.energy_form.allot` works a form out.

Who pays for the energy form: what an entry takes from which engine, reactor or battery (B3.0, lines 1 to 5, 20).

The energy form as it is told: line by line with its sums, and as orders in normal form (B3.0).

Reserve power: what batteries may pay for inside a turn (H7.0).

What follows where life support, fire control or shields were not paid (B3.0, lines 7, 8 and 11).

``unpaid`` are the items of the form that were left without energy, as :class:`pbem.rules.energy_form.Allotment` names
them. Fire control is the business of :mod:`pbem.rules.sensors`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple, Protocol

import msgspec

from pbem.data import charts
from pbem.data.terms import (
    DISCHARGED,
    ENTRIES,
    FIRST_SPENT,
    LABELS as LABELS,
    OPTIONAL,
    SOURCE_WORDS,
    TOTAL,
    WEAPONS,
    by_line,
)
from pbem.errors import Fault, NotAllowed
from pbem.rules.direct_fire import is_phaser
from pbem.rules.movement import top_speed
from pbem.rules.science import Probe
from pbem.rules.shuttles import Arming as Bomb
from pbem.rules.weapons import Readied as Readied, Tube as Tube, family, phaser_cost


class PhaserBox(Protocol):
    """What the capacitor needs of a weapon."""

    @property
    def kind(self) -> str: ...
    @property
    def working(self) -> bool: ...


def capacity(weapons: Mapping[str, PhaserBox] | Iterable[PhaserBox]) -> float:
    """What the capacitor holds: the energy to fire every working phaser once (H6.0). Halves occur.

    A phaser-G counts for its point of energy, however many shots that gives.
    """
    each = weapons.values() if isinstance(weapons, Mapping) else weapons
    return sum((phaser_cost(weapon.kind) for weapon in each if weapon.working and is_phaser(weapon.kind)), 0.0)


def after_loss(content: float, left: float) -> float:
    """What the capacitor still holds when destroyed phasers leave it the capacity ``left``: the empty part goes first
    (H6.3).
    """
    return min(content, left)


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
    (:mod:`pbem.rules.power`). ``exact`` are with fractional accounting the points of each line of ``balance``,
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


RECHARGING = 16
"""The line that batteries cannot pay for."""

Refuse = Callable[[Entry | None, str, str, str], None]
"""Notes a fault: entry, code, sentence, rule."""


class Charge:
    """Points the form spends: on which line, on what, and where they come from.

    ``asked`` are the points by source, ``""`` where the engine may pick; ``paid`` the same once it has
    picked. ``text`` is the order in normal form, with ``{sources}`` or ``{amount}`` to be filled in;
    ``picked`` says that the player left a source to the engine.
    """

    def __init__(self, number: int, label: str, asked: dict[str, Points], entry: Entry | None, text: str) -> None:
        self.number, self.label, self.entry, self.text = number, label, entry, text
        self.asked = asked
        self.paid: dict[str, Points] = {}
        self.picked = any(points and source in ("", "BATTERY") for source, points in asked.items())

    @property
    def amount(self) -> Points:
        return plain(sum(self.asked.values()))

    @property
    def sources(self) -> str:
        """``11 WARP + 1 IMPULSE``; the bare amount while nothing is paid."""
        return self._listed(dict(zip(SOURCE_WORDS, SOURCE_WORDS, strict=True)))

    @property
    def told_sources(self) -> str:
        """The same as a form shows it: ``11 warp + 1 impulse``."""
        return self._listed(SOURCE_WORDS)

    def _listed(self, words: Mapping[str, str]) -> str:
        listed = [f"{as_text(self.paid[source])} {words[source]}" for source in words if source in self.paid]
        return " + ".join(listed) or as_text(self.amount)

    @property
    def order(self) -> str:
        """As the player could have written it."""
        return self.text.format(sources=self.sources, amount=as_text(self.amount))

    def take(self, source: str, due: Points, left: dict[str, Points]) -> Points:
        """Pay as much of ``due`` as the source still has; returns what is still due."""
        taken = min(due, left[source])
        if taken:
            self.paid[source] = plain(self.paid.get(source, 0) + taken)
            left[source] = plain(left[source] - taken)
        return plain(due - taken)


def bound(charges: Sequence[Charge], source: str) -> Points:
    """Points that are to come from one source."""
    return plain(sum(charge.asked.get(source, 0) for charge in charges))


def pay(charges: Sequence[Charge], plant: Plant, refuse: Refuse) -> Points:
    """Settle every charge and note what cannot be paid. Returns the batteries discharged (line 21).

    What names its engine comes first; recharging before the rest, since it cannot come from batteries; what
    names a battery last, since batteries are discharged only by what exceeds line 4.
    """
    left: dict[str, Points] = {"APR": plant.apr, "IMPULSE": plant.impulse, "WARP": plant.warp, "BATTERY": plant.stored}
    short = False
    for source in ("WARP", "IMPULSE", "APR"):
        has = left[source]
        for charge in charges:
            if charge.take(source, charge.asked.get(source, 0), left):
                line = {"WARP": 1, "IMPULSE": 2, "APR": 3}[source]
                each = [f"{one.label} {as_text(one.asked[source])}" for one in charges if one.asked.get(source)]
                on = f": {', '.join(each)}" if len(each) > 1 else ""
                text = (
                    f"{as_text(bound(charges, source))} points of {source} power are spent, the ship has {has} "
                    f"(line {line} of the form){on}"
                )
                refuse(charge.entry, "warp-overspent" if source == "WARP" else "energy-overspent", text, "B3.0")
                short = True
                break
    rest = sorted(charges, key=lambda charge: (charge.number != RECHARGING, bool(charge.asked.get("BATTERY"))))
    for charge in rest:
        due = charge.asked.get("", 0) + charge.asked.get("BATTERY", 0)
        for source in SOURCES[:3] if charge.number == RECHARGING else SOURCES:
            due = charge.take(source, due, left)
        if due and not short:
            refuse(
                _written(charge, charges), "energy-overspent", _overspent(charges, plant, charge, due), "B3.0, line 20"
            )
            short = True
    return plain(plant.stored - left["BATTERY"])


def _written(charge: Charge, charges: Sequence[Charge]) -> Entry | None:
    """The entry a charge comes from, or, of what is paid without being written, the last entry that is."""
    entries = [each.entry for each in charges if each.entry is not None]
    return charge.entry or max(entries, key=lambda entry: (entry.line, entry.column), default=None)


def _unwritten(charges: Sequence[Charge]) -> str:
    """The charges that nobody wrote, and how to leave them unpaid."""
    names = [charge.label for charge in charges if charge.entry is None and charge.amount]
    if not names:
        return ""
    listed = ", ".join(f"{name} 0" for name in names)
    return f"; {', '.join(names)} {'are' if len(names) > 1 else 'is'} paid unless the form says otherwise: {listed}"


def _overspent(charges: Sequence[Charge], plant: Plant, charge: Charge, due: Points) -> str:
    used = sum(each.amount for each in charges)
    if used > plant.total + plant.stored:
        return (
            f"{as_text(used)} points are spent; the ship has {plant.total} and {as_text(plant.stored)} in batteries "
            f"(lines 20, 4 and 5 of the form){_unwritten(charges)}"
        )
    return f"{charge.label} lacks {as_text(due)} of {as_text(charge.amount)} points: what may pay for it is used up"


def ledger(plant: Plant, charges: Sequence[Charge], discharged: Points) -> list[tuple[int, str, Points, str]]:
    """Every line of the form: its number, what it is for, points, and where they come from."""
    rows: list[tuple[int, Points]] = [
        (1, plant.warp), (2, plant.impulse), (3, plant.apr), (4, plant.total),
        (5, plant.stored), (6, plant.battery_boxes - plant.stored),
    ]  # fmt: skip
    lines: list[tuple[int, str, Points, str]] = [(number, LABELS[number], amount, "") for number, amount in rows]
    for number in range(FIRST_SPENT, TOTAL):
        here = [charge for charge in charges if charge.number == number]
        lines += [(number, c.label, c.amount, c.told_sources if c.paid else "") for c in here]
        if not here and number < OPTIONAL:
            lines.append((number, LABELS[number], 0, ""))
    lines.append((TOTAL, LABELS[TOTAL], sum(charge.amount for charge in charges), ""))
    lines.append((DISCHARGED, LABELS[DISCHARGED], discharged, ""))
    return lines


def normal_form(charges: Sequence[Charge], ejected: Sequence[str], unpaid: Sequence[str]) -> tuple[str, ...]:
    """The form as orders, in the order of its lines; ``ejected`` weapons stand on line 10."""
    numbered = [(charge.number, charge.order) for charge in charges if charge.amount]
    numbered += [(WEAPONS, order) for order in ejected]
    numbered += [(STANDING[item], f"{item} 0") for item in unpaid]
    return tuple(text for _, text in sorted(numbered, key=lambda pair: pair[0]))


SHIELD, TRANSPORTERS, TRACTOR, PLASMA = "shield", "transporters", "tractor", "plasma"
"""Uses of reserve power besides the weapons that fire with the energy of one turn."""


def exact(points: float) -> Fraction:
    """Points as the log tells them, exactly: halves and fifths occur with fractional accounting (B3.2)."""
    return Fraction(str(points))


def told(points: Fraction | int) -> int | float:
    """Points as the log tells them: whole ones as whole numbers, ``0.5``, ``0.2``."""
    return int(points) if Fraction(points).denominator == 1 else float(points)


def verify_reserve(use: str, *, points: Fraction | int, stored: Fraction | int, rolling: bool = False) -> None:
    """Raises :class:`NotAllowed` unless reserve power may pay so many points for something now (H7.2).

    ``use`` is ``shield`` (specific reinforcement), ``transporters``, ``tractor``, ``plasma`` (to complete the arming of
    a torpedo in rolling delay: ``rolling``), or a kind of weapon. ``stored`` is what the batteries hold. That nothing
    is operated more often for it (H7.3) is said by the rule of each system. Codes: ``reserve-short`` (H7.1),
    ``reserve-use``, ``reserve-arming`` (H7.2); ``reserve-repair`` for damage control (D9.2).
    """
    if use in ("repair", "damage control"):
        raise NotAllowed("reserve-repair", "reserve power is not for damage control", "D9.2")
    if use in charts.weapon_kinds():
        if not family(use).single_turn:
            raise NotAllowed("reserve-arming", "reserve power fires no weapon that takes more than one turn", "H7.2")
    elif use == PLASMA:
        if not rolling:
            raise NotAllowed("reserve-arming", "reserve power completes a plasma torpedo in rolling delay only", "H7.2")
    elif use not in (SHIELD, TRANSPORTERS, TRACTOR):
        raise NotAllowed("reserve-use", f"reserve power is not for {use}", "H7.2")
    if points > stored:
        raise NotAllowed("reserve-short", f"{points} points are needed, the batteries hold {stored}", "H7.1")


LIFE_SUPPORT, FIRE_CONTROL, SHIELDS = "LIFE SUPPORT", "FIRE CONTROL", "SHIELDS"


def crew_lives(unpaid: Collection[str]) -> bool:
    """Whether the crew lives; without life support it perishes at once (B3.0, line 7).

    Reading: a ship without a crew is out of the game and counts as destroyed, with what D4.41 says of its drones.
    """
    return LIFE_SUPPORT not in unpaid


def fire_control(unpaid: Collection[str]) -> bool:
    """Whether fire control has energy (B3.0, line 8, D6.1)."""
    return FIRE_CONTROL not in unpaid


def shields_active(unpaid: Collection[str]) -> bool:
    """Whether shield boxes block damage this turn (B3.0, line 11). Without, nothing reinforces them either (D3.34)."""
    return SHIELDS not in unpaid


def consequences(unpaid: Collection[str]) -> tuple[str, ...]:
    """What the player should know of the lines he left unpaid, a sentence each, in the order of the form."""
    said = {
        LIFE_SUPPORT: "life support is not paid: the whole crew perishes and the ship is lost (B3.0, line 7)",
        FIRE_CONTROL: "fire control is not paid: no weapon fires, nothing is locked on this turn (B3.0, line 8, D6.1)",
        SHIELDS: "shields are not paid: no shield stops anything this turn (B3.0, line 11)",
    }
    return tuple(sentence for item, sentence in said.items() if item in unpaid)
