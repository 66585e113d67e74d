"""A ship's power: the data types of the energy form (B3.0), its payment, and reserve power.

The phaser capacitor follows H6.0, reserve power H7.0. :func:`pay` decides which engine, reactor or battery pays for
each entry (B3.0, lines 1 to 5, 20). :func:`ledger` and :func:`normal_form` return the form line by line and as orders.
:func:`consequences` describes the effects if life support, fire control or shields are not paid (B3.0, lines 7, 8 and
11). ``unpaid`` always means the items of the form that got no energy. :func:`pbem.rules.energy_form.allot` calculates
forms; lock-on and fire control are in :mod:`pbem.rules.sensors`.
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
from pbem.rules.shuttles import SuicideArming as Bomb
from pbem.rules.weapons import Tube as Tube, WeaponReadiness as WeaponReadiness, family, phaser_cost


class PhaserBox(Protocol):
    """Interface of a weapon, with the properties that decide how much the phaser capacitor can hold."""

    @property
    def kind(self) -> str:
        """The kind of the weapon, for example ``phaser-1``."""

    @property
    def working(self) -> bool:
        """True if the weapon works, i.e. is not destroyed."""


def capacity(weapons: Mapping[str, PhaserBox] | Iterable[PhaserBox]) -> float:
    """Return how many points of energy the phaser capacitor can hold (H6.0).

    They are enough to fire every working phaser once. The result may end in a half. A phaser-G counts with its one
    point of energy, however many shots that pays for.
    """
    each = weapons.values() if isinstance(weapons, Mapping) else weapons
    return sum((phaser_cost(weapon.kind) for weapon in each if weapon.working and is_phaser(weapon.kind)), 0.0)


def after_loss(content: float, left: float) -> float:
    """Return the points of energy still in the capacitor after phasers were destroyed (H6.3).

    ``content`` is the energy before the loss, ``left`` the most that the capacitor can hold now. The empty part of the
    capacitor is lost first.
    """
    return min(content, left)


Points = int | Fraction
"""Points of energy: whole ones as ``int``; parts of a point occur with fractional accounting (B3.2)."""

SOURCES = ("APR", "IMPULSE", "WARP", "BATTERY")
"""The sources of power, in the order in which they pay for what the player left open."""

STANDING = {entry.item: entry.line for entry in by_line() if entry.standing}
"""The items that are paid unless the form says 0 (LIFE SUPPORT, FIRE CONTROL, SHIELDS), and the line of each."""


class WrittenEntry(Protocol):
    """Interface of one entry of an energy form as the player wrote it.

    ``parts`` are pairs (source, points); the source is ``""`` if the player did not name it.
    """

    @property
    def item(self) -> str:
        """The item of the form for which the entry pays, such as ``TRACTOR A``."""

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """Pairs (source, points); an empty source means that the engine may choose it."""

    @property
    def verb(self) -> str:
        """``HOLD`` or ``EJECT`` for a weapon, otherwise empty."""

    @property
    def shield(self) -> int:
        """The number of the shield that is reinforced or repaired; 0 for other items."""

    @property
    def line(self) -> int:
        """The line of the entry in the player's orders, from 1."""

    @property
    def column(self) -> int:
        """The column of the entry in the player's orders, from 1."""


class Plant(msgspec.Struct, frozen=True, kw_only=True):
    """The energy points a ship generates in a turn, by source, and its batteries.

    Attributes:
        warp: Points from the warp engines.
        impulse: Points from the impulse engines.
        apr: Points from auxiliary power reactors.
        batteries: Number of charged batteries.
        battery_boxes: Number of batteries.
        battery_part: The fraction of a point that one more battery holds (B3.2).
    """

    warp: int = 0
    impulse: int = 0
    apr: int = 0
    batteries: int = 0
    battery_boxes: int = 0
    battery_part: Fraction = Fraction(0)

    @property
    def total(self) -> int:
        """Line 4 of the form: all power except that of the batteries."""
        return self.warp + self.impulse + self.apr

    @property
    def stored(self) -> Points:
        """Line 5 of the form: the points in the batteries."""
        return simplified(self.batteries + self.battery_part)


def plant_of(boxes: Mapping[str, int], batteries: int = 0, battery_part: Fraction = Fraction(0)) -> Plant:
    """Return the power of a ship, computed from its undestroyed boxes by system (B3.0).

    ``batteries`` is the number of its batteries that are charged.
    """
    return Plant(
        warp=warp_boxes(boxes),
        impulse=boxes.get("impulse", 0),
        apr=boxes.get("apr", 0),
        batteries=batteries,
        battery_boxes=boxes.get("battery", 0),
        battery_part=battery_part,
    )


def warp_boxes(boxes: Mapping[str, int]) -> int:
    """Return the number of boxes of all warp engines together."""
    return sum(count for name, count in boxes.items() if name.startswith("warp"))


class ShipFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about a ship that its energy form needs, as they are before the form takes effect.

    Attributes:
        name: The name of the ship.
        plant: The energy points that it generates.
        tubes: The ship's weapons; those that take no energy may be left out.
        move_cost: The warp power for one hex.
        tow_cost: The warp power for one hex that freighters in tow add to ``move_cost`` (G7.4).
        level: The level of the rules that applies to its energy form.
        prior_speed: The ship's speed in the turn before, in hexes a turn.
        acceleration: Hexes a turn by which the speed may grow (B3.0, line 14).
        multiple: The speed may also grow by this factor, if that is more.
        max_speed: The highest speed that the ship may fly, in hexes a turn.
        capacitor: Points in the phaser capacitor.
        capacity: Points the capacitor can hold.
        shields: Shield boxes left.
        full_shields: Shield boxes of the undamaged ship.
        damage_control: The numbers left on the damage control track; empty if the SSD has none (D9.1).
        reinforcement: Whether lines 12 and 13 are used.
        fractional: Whether parts of a point are used (B3.2).
        boxes: The number of undestroyed boxes by system; ``None`` if boxes are not to be checked.
        cloak: The cost of the cloaking device in points; ``None`` without a device.
        probes: The probe launchers by letter, as they were after the turn before.
        probes_left: The number of probes left in each launcher.
        bombs: The suicide shuttles by letter, as they were after the turn before.
        hangar: The letters of the shuttles aboard.
        chapters: The parts of the handbook that the scenario uses.
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
        """Return a hash that is quick to compute.

        It covers only the fields that usually differ between ships or turns. Equal facts have equal hashes.
        """
        return hash((self.name, self.tubes, self.shields, self.capacitor, self.prior_speed))

    @property
    def damcon(self) -> int:
        """The damage control rating: the highest number left on the damage control track (D9.1)."""
        return max(self.damage_control, default=0)

    def box(self, system: str) -> int | None:
        """Return the number of undestroyed boxes of a system, or ``None`` if boxes are not to be checked."""
        return None if self.boxes is None else self.boxes.get(system, 0)

    @property
    def fastest(self) -> int:
        """The most hexes the ship may move this turn, however much energy it pays (C1.42, B3.0)."""
        return min(self.max_speed, top_speed(self.prior_speed, self.acceleration, self.multiple))

    @property
    def hex_cost(self) -> Fraction:
        """The warp power for one hex of movement or one maneuver, including freighters in tow (C2.12, G7.4)."""
        return self.move_cost + self.tow_cost


class BalanceLine(NamedTuple):
    """A line of the finished energy form: number, label, points and their sources.

    Sources are a text such as ``11 warp + 1 impulse``.
    """

    number: int
    label: str
    amount: int
    source: str


class Systems(msgspec.Struct, frozen=True, kw_only=True):
    """The systems that can be used this turn because lines 14 and 17 to 19 of the form paid for them.

    Attributes:
        tactical: The number of warp maneuvers paid for (C5.0).
        sublight: Whether a sublight maneuver is paid for.
        tractors: The letters of the tractor beams that have energy.
        transporters: How many transporters have energy.
        cloak: Whether the cloaking device has energy.
        probes: The state of each probe launcher, by letter.
        bombs: The state of each suicide shuttle, by letter.
        powered: Other systems that have energy.
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
        """Return a :class:`Systems` with every system that has energy in this one or in the other."""
        return type(self)(
            **{name: _joined(getattr(self, name), getattr(other, name)) for name in self.__struct_fields__}
        )


def _joined(one: Any, other: Any) -> Any:
    """Return two values of a field of :class:`Systems` combined: dicts and tuples are joined.

    Of two other values, the second is returned unless it is empty.
    """
    if isinstance(one, dict):
        return one | other
    return tuple(sorted(one + other)) if isinstance(one, tuple) else other or one


class Powered(NamedTuple):
    """The cost and effect of one entry: energy points by source, and the systems that become ready.

    ``text`` is the entry in normal form.
    """

    parts: dict[str, Points]
    ready: Systems
    text: str = ""


class Allotment(Systems, frozen=True, kw_only=True):
    """The result of an energy form: the ship afterwards, and what to show the player.

    If there are ``faults``, the other fields show what the form would have done.

    Attributes:
        speed: Hexes of movement this turn.
        motion: Energy points for movement by source (``WARP``, ``IMPULSE``).
        weapons: The state of each weapon afterwards, by name.
        batteries: The number of charged batteries.
        battery_part: The fraction of a point that one more battery holds (B3.2).
        general: Points of general reinforcement (D3.341).
        specific: Points of specific reinforcement, one number for each shield.
        repairing: Points spent on repairs, by shield (``"#1"`` to ``"#6"``).
        other: Points by item for lines 14 (``TAC``) and 17 to 19, rounded up.
        unpaid: The items of lines 7, 8 and 11 that were not paid.
        balance: The form line by line, with amounts rounded up.
        exact: With fractional accounting, the exact points of each line of ``balance``.
        lines: The form written as orders.
        chosen: The entries, written as orders, for which the engine chose a source of power.
        notes: Other things the player should know.
    """

    speed: int
    motion: dict[str, Points]
    weapons: dict[str, WeaponReadiness]
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


def simplified(points: Points) -> Points:
    """Return the same number of points, as an ``int`` if it is whole."""
    if type(points) is int:  # true for nearly all numbers of points
        return points
    return int(points) if Fraction(points).denominator == 1 else points


def as_text(points: Points) -> str:
    """Return a number of points as text for orders: ``2``, ``2.5``, ``2/3``."""
    exact = Fraction(points)
    if exact.denominator in (2, 4, 5, 10):
        return f"{float(exact):g}"
    return str(exact)


def named(entry: WrittenEntry) -> str:
    """Return an entry as text without its points: ``REPAIR #2``."""
    return f"{entry.item} #{entry.shield}" if entry.shield else entry.item


def entry_text(entry: WrittenEntry) -> str:
    """Return an entry as text for messages, with each source the player named: ``PHASERS 1.5 APR``."""
    points = " + ".join(f"{as_text(points)} {source}".rstrip() for source, points in entry.parts)
    return " ".join(filter(None, (named(entry), "WITH" if entry.shield and points else "", points)))


def total_of(entry: WrittenEntry) -> Fraction:
    """Return the sum of the points of an entry, from all sources."""
    return sum((points for _, points in entry.parts), Fraction(0))


def whole(entry: WrittenEntry, rule: str) -> int:
    """Return the sum of the points of an entry, which must be a whole number.

    Raises:
        NotAllowed: The sum is not a whole number (fault code ``not-whole``).
    """
    total = total_of(entry)
    if total.denominator != 1:
        raise NotAllowed("not-whole", f"{entry_text(entry)}: use whole points here", rule)
    return int(total)


def points_of(entry: WrittenEntry) -> dict[str, Points]:
    """Return the points of an entry as a dict by source."""
    parts: dict[str, Points] = {}
    for source, points in entry.parts:
        parts[source] = simplified(parts.get(source, 0) + points)
    return parts


def hexes_for(warp: Points, impulse: Points, move_cost: Fraction) -> int:
    """Return how many hexes this much warp and impulse power moves a ship (C2.12).

    A point of impulse power moves any ship one hex.
    """
    return int(Fraction(warp) / move_cost) + int(impulse)


def warp_for(hexes: int, move_cost: Fraction) -> int:
    """Return the warp power that this many hexes of movement cost, rounded up (C2.12)."""
    return ceil(hexes * move_cost)


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def lettered(item: str) -> str:
    """Return the name of a system with a letter instead of a number: ``TRACTOR B`` for ``TRACTOR 2``.

    Players may name beams, probe launchers and shuttles by number too.
    """
    word, _, number = item.partition(" ")
    if word in ENTRIES and ENTRIES[word].names == "letter" and number.isdecimal() and 1 <= int(number) <= len(LETTERS):
        return f"{word} {LETTERS[int(number) - 1]}"
    return item


def letter_of(entry: WrittenEntry, facts: ShipFacts, system: str, called: str, rule: str) -> str:
    """Return the letter in an entry like ``TRACTOR A``, if the ship still has that box.

    Args:
        entry: The entry of the energy form.
        facts: What the form needs to know of the ship.
        system: The system as the boxes name it.
        called: The name of the system in the error message.
        rule: The number of the rule in the error message.

    Raises:
        NotAllowed: The ship has no such box (fault code ``no-such-box``).
    """
    word = lettered(entry.item).partition(" ")[2]
    has = facts.box(system)
    if word not in tuple(LETTERS[:has]):
        last = LETTERS[(has or len(LETTERS)) - 1]
        what = "has none left" if has == 0 else f"has {LETTERS[0]}{'' if last == LETTERS[0] else f' to {last}'}"
        raise NotAllowed("no-such-box", f"there is no {called} {word or '(no letter)'}; the ship {what}", rule)
    return word


RECHARGING = 16
"""The number of the line (recharging batteries) that batteries cannot pay for."""

Refuse = Callable[[WrittenEntry | None, str, str, str], None]
"""Type of a function that records a fault.

Its arguments are the entry, the fault code, a sentence and a rule number.
"""


class Charge:
    """A cost on the energy form: points that are spent on one item of one line.

    Attributes:
        number: The number of the line.
        label: The name of the item.
        entry: The player's entry; ``None`` for an item that is paid by default.
        asked: Points by source; the source is ``""`` where the engine may choose.
        paid: Points by source after the engine has chosen.
        text: The entry in normal form, with ``{sources}`` or ``{amount}`` to be filled in.
        picked: Whether the player left it to the engine which source pays.
    """

    def __init__(
        self, number: int, label: str, asked: dict[str, Points], entry: WrittenEntry | None, text: str
    ) -> None:
        self.number, self.label, self.entry, self.text = number, label, entry, text
        self.asked = asked
        self.paid: dict[str, Points] = {}
        self.picked = any(points and source in ("", "BATTERY") for source, points in asked.items())

    @property
    def amount(self) -> Points:
        """The sum of the points that the charge asks for."""
        return simplified(sum(self.asked.values()))

    @property
    def sources(self) -> str:
        """Points and sources in the words used in orders: ``11 WARP + 1 IMPULSE``.

        Before the charge is paid, it is only the number of points.
        """
        return self._listed(dict(zip(SOURCE_WORDS, SOURCE_WORDS, strict=True)))

    @property
    def told_sources(self) -> str:
        """Points and sources in the words printed on the form: ``11 warp + 1 impulse``."""
        return self._listed(SOURCE_WORDS)

    def _listed(self, words: Mapping[str, str]) -> str:
        """Return the paid points by source, each source with its word in ``words``.

        Before payment, return only the number of points.
        """
        listed = [f"{as_text(self.paid[source])} {words[source]}" for source in words if source in self.paid]
        return " + ".join(listed) or as_text(self.amount)

    @property
    def order(self) -> str:
        """The charge written as an entry of the form."""
        return self.text.format(sources=self.sources, amount=as_text(self.amount))

    def take(self, source: str, due: Points, left: dict[str, Points]) -> Points:
        """Pay for the charge from one source as far as possible, and return the points still to be paid.

        ``due`` is the number of points to pay. ``left``, a dict of source to the points it has left, is reduced.
        """
        taken = min(due, left[source])
        if taken:
            self.paid[source] = simplified(self.paid.get(source, 0) + taken)
            left[source] = simplified(left[source] - taken)
        return simplified(due - taken)


def bound(charges: Sequence[Charge], source: str) -> Points:
    """Return how many points the charges of a form take from one source that their entries name."""
    return simplified(sum(charge.asked.get(source, 0) for charge in charges))


def pay(charges: Sequence[Charge], plant: Plant, refuse: Refuse) -> Points:
    """Pay for every charge, and return the points taken from batteries (line 21).

    ``refuse`` is called for what cannot be paid. Charges that name their engine or reactor are paid first. Recharging
    comes next, because batteries cannot pay for it. Charges that name a battery come last, because batteries are
    discharged only for what exceeds line 4.
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
                    f"{as_text(bound(charges, source))} points of {source} power are spent, but the ship has {has} "
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
    return simplified(plant.stored - left["BATTERY"])


def _written(charge: Charge, charges: Sequence[Charge]) -> WrittenEntry | None:
    """Return the player's entry that a fault about a charge refers to.

    It is the charge's own entry. A charge that is paid by default has no entry; then it is the last entry of the form,
    or ``None`` for a form without entries.
    """
    entries = [each.entry for each in charges if each.entry is not None]
    return charge.entry or max(entries, key=lambda entry: (entry.line, entry.column), default=None)


def _unwritten(charges: Sequence[Charge]) -> str:
    """Return the end of a sentence that lists what is paid by default and how to leave it unpaid.

    It is ``""`` if nothing is paid by default.
    """
    names = [charge.label for charge in charges if charge.entry is None and charge.amount]
    if not names:
        return ""
    listed = ", ".join(f"{name} 0" for name in names)
    return f"; {', '.join(names)} {'are' if len(names) > 1 else 'is'} paid unless you write {listed}"


def _overspent(charges: Sequence[Charge], plant: Plant, charge: Charge, due: Points) -> str:
    """Return the text of the fault that a charge lacks ``due`` points, because its sources have too few."""
    used = sum(each.amount for each in charges)
    if used > plant.total + plant.stored:
        return (
            f"{as_text(used)} points are spent; the ship has {plant.total} and {as_text(plant.stored)} in batteries "
            f"(lines 20, 4 and 5 of the form){_unwritten(charges)}"
        )
    return f"{charge.label} needs {as_text(due)} more points of {as_text(charge.amount)}: its sources are used up"


def ledger(plant: Plant, charges: Sequence[Charge], discharged: Points) -> list[tuple[int, str, Points, str]]:
    """Return all lines of the finished form, each as (number, label, points, sources)."""
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
    """Return the form written as orders, sorted by line number.

    Args:
        charges: What the form pays for.
        ejected: The orders on line 10 that eject a torpedo.
        unpaid: Items that are usually paid by default and get no energy.
    """
    numbered = [(charge.number, charge.order) for charge in charges if charge.amount]
    numbered += [(WEAPONS, order) for order in ejected]
    numbered += [(STANDING[item], f"{item} 0") for item in unpaid]
    return tuple(text for _, text in sorted(numbered, key=lambda pair: pair[0]))


SHIELD, TRANSPORTERS, TRACTOR, PLASMA = "shield", "transporters", "tractor", "plasma"
"""Names of the uses of reserve power, besides weapons that fire with the energy of a single turn."""


def exact(points: float) -> Fraction:
    """Return a number of points from the event log as an exact fraction.

    Halves and fifths occur with fractional accounting (B3.2).
    """
    return Fraction(str(points))


def log_points(points: Fraction | int) -> int | float:
    """Return points as the event log stores them.

    Whole points are an ``int``, others a ``float`` (``0.5``, ``0.2``).
    """
    return int(points) if Fraction(points).denominator == 1 else float(points)


def verify_reserve(use: str, *, points: Fraction | int, stored: Fraction | int, rolling: bool = False) -> None:
    """Check that reserve power (energy in batteries) may pay for a certain use now (H7.2).

    Reserve power must not let a system operate more often than usual (H7.3); the rules of each system check this.

    Args:
        use: ``shield`` (specific reinforcement), ``transporters``, ``tractor``, ``plasma`` (to complete the arming of a
            torpedo in rolling delay), or a kind of weapon.
        points: The points needed.
        stored: The points in the batteries.
        rolling: Whether the torpedo is in rolling delay.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``reserve-short`` (H7.1), ``reserve-use``,
            ``reserve-arming`` (H7.2), or ``reserve-repair`` for damage control (D9.2).
    """
    if use in ("repair", "damage control"):
        raise NotAllowed("reserve-repair", "reserve power cannot pay for damage control", "D9.2")
    if use in charts.weapon_kinds():
        if not family(use).single_turn:
            raise NotAllowed(
                "reserve-arming", "reserve power cannot arm a weapon that takes more than one turn", "H7.2"
            )
    elif use == PLASMA:
        if not rolling:
            raise NotAllowed(
                "reserve-arming", "reserve power can complete only a plasma torpedo in rolling delay", "H7.2"
            )
    elif use not in (SHIELD, TRANSPORTERS, TRACTOR):
        raise NotAllowed("reserve-use", f"reserve power cannot pay for {use}", "H7.2")
    if points > stored:
        raise NotAllowed(
            "reserve-short",
            f"{points} {'point is' if points == 1 else 'points are'} needed, but the batteries hold only {stored}",
            "H7.1",
        )


LIFE_SUPPORT, FIRE_CONTROL, SHIELDS = "LIFE SUPPORT", "FIRE CONTROL", "SHIELDS"


def crew_lives(unpaid: Collection[str]) -> bool:
    """Return whether life support is paid; if it is not, the whole crew dies at once (B3.0, line 7).

    Our interpretation where the rules are silent: a ship without a crew is out of the game and counts as destroyed. Its
    drones are treated as those of a destroyed ship (D4.41).
    """
    return LIFE_SUPPORT not in unpaid


def fire_control(unpaid: Collection[str]) -> bool:
    """Return whether fire control is paid (B3.0, line 8, D6.1)."""
    return FIRE_CONTROL not in unpaid


def shields_active(unpaid: Collection[str]) -> bool:
    """Return whether shields are paid, so that shield boxes block damage this turn (B3.0, line 11).

    Shields that are not active cannot be reinforced either (D3.34).
    """
    return SHIELDS not in unpaid


def consequences(unpaid: Collection[str]) -> tuple[str, ...]:
    """Return one sentence for the player about each unpaid item, in the order of the form."""
    sentences = {
        LIFE_SUPPORT: "life support is not paid: the whole crew perishes and the ship is lost (B3.0, line 7)",
        FIRE_CONTROL: "fire control is not paid: no weapon fires, nothing is locked on this turn (B3.0, line 8, D6.1)",
        SHIELDS: "shields are not paid: no shield stops anything this turn (B3.0, line 11)",
    }
    return tuple(sentence for item, sentence in sentences.items() if item in unpaid)
