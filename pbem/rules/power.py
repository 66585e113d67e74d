"""A ship's power: data types of the energy form (B3.0), payment of its entries, and reserve power.

The phaser capacitor follows H6.0, reserve power H7.0. :func:`pay` decides which engine, reactor or battery pays for
each entry of the form (B3.0, lines 1 to 5, 20). :func:`ledger` returns the form line by line, and :func:`normal_form`
returns it as orders. :func:`consequences` describes what happens if life support, fire control or shields are not paid
for (B3.0, lines 7, 8 and 11). ``unpaid`` always means the items of the form that got no energy.
:func:`pbem.rules.energy_form.allot` calculates forms; lock-on and fire control are in :mod:`pbem.rules.sensors`.
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

    The capacity is enough to fire every working phaser once, and may include half a point. A phaser-G counts as one
    point, although that point pays for several shots.
    """
    each = weapons.values() if isinstance(weapons, Mapping) else weapons
    return sum((phaser_cost(weapon.kind) for weapon in each if weapon.working and is_phaser(weapon.kind)), 0.0)


def after_loss(content: float, left: float) -> float:
    """Return the points of energy still in the capacitor after phasers were destroyed (H6.3).

    ``content`` is the energy before the loss; ``left`` is the new capacity of the capacitor. The empty part of the
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

    ``parts`` are pairs (source, points); the source is ``""`` if the player named no source.
    """

    @property
    def item(self) -> str:
        """The item of the form for which the entry pays, such as ``TRACTOR A``."""

    @property
    def parts(self) -> tuple[tuple[str, Fraction], ...]:
        """Pairs (source, points); if a source is empty, the engine may choose the source."""

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
    """The energy points that a ship generates in a turn, by source, and its batteries.

    Attributes:
        warp: The points from the warp engines.
        impulse: The points from the impulse engines.
        apr: The points from auxiliary power reactors.
        batteries: The number of charged batteries.
        battery_boxes: The number of undestroyed batteries, charged or not.
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
        """Line 4 of the form: all power except battery power."""
        return self.warp + self.impulse + self.apr

    @property
    def stored(self) -> Points:
        """Line 5 of the form: the points in the batteries."""
        return simplified(self.batteries + self.battery_part)


def plant_of(boxes: Mapping[str, int], batteries: int = 0, battery_part: Fraction = Fraction(0)) -> Plant:
    """Return the power of a ship, computed from its undestroyed boxes by system (B3.0).

    ``batteries`` is the number of charged batteries.
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
    """The facts that are needed to compute a ship's energy form, as they are before it takes effect.

    Attributes:
        name: The name of the ship.
        plant: The energy points that it generates.
        tubes: The ship's weapons; weapons that need no energy may be left out.
        move_cost: The warp power for one hex.
        tow_cost: The warp power for one hex that freighters in tow add to ``move_cost`` (G7.4).
        level: The level of the rules that applies to its energy form.
        prior_speed: The ship's speed in the previous turn, in hexes per turn.
        acceleration: The number of hexes per turn by which the speed may increase (B3.0, line 14).
        multiple: The factor by which the speed may increase instead, if that allows more.
        max_speed: The highest speed that the ship may fly, in hexes per turn.
        capacitor: The points in the phaser capacitor.
        capacity: The points that the phaser capacitor can hold.
        shields: The number of boxes left on each shield.
        full_shields: The number of boxes on each shield of the undamaged ship.
        damage_control: The numbers left on the damage control track; empty if the SSD has none (D9.1).
        reinforcement: Whether lines 12 and 13 of the form (shield reinforcement) are used.
        fractional: Whether energy is counted in fractions of a point (B3.2).
        boxes: The number of undestroyed boxes by system; ``None`` if boxes need not be checked.
        cloak: The cost of the cloaking device in points; ``None`` if the ship has no such device.
        probes: The probe launchers by letter, as they were at the end of the previous turn.
        probes_left: The number of probes left in each launcher.
        bombs: The suicide shuttles by letter, as they were at the end of the previous turn.
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

        The hash is computed only from the fields that usually differ between ships or turns. Equal facts have equal
        hashes.
        """
        return hash((self.name, self.tubes, self.shields, self.capacitor, self.prior_speed))

    @property
    def damcon(self) -> int:
        """The damage control rating: the highest number left on the damage control track (D9.1)."""
        return max(self.damage_control, default=0)

    def box(self, system: str) -> int | None:
        """Return the number of undestroyed boxes of a system, or ``None`` if boxes need not be checked."""
        return None if self.boxes is None else self.boxes.get(system, 0)

    @property
    def fastest(self) -> int:
        """The highest speed that the rules allow the ship this turn, regardless of energy (C1.42, B3.0)."""
        return min(self.max_speed, top_speed(self.prior_speed, self.acceleration, self.multiple))

    @property
    def hex_cost(self) -> Fraction:
        """The warp power for one hex of movement or one maneuver, including freighters in tow (C2.12, G7.4)."""
        return self.move_cost + self.tow_cost


class BalanceLine(NamedTuple):
    """A line of the finished energy form: its number, its label, the points and their sources.

    The sources are given as text, such as ``11 warp + 1 impulse``.
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
        transporters: The number of transporters that have energy.
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
        """Return a :class:`Systems` with every system that has energy in this object or in ``other``."""
        return type(self)(
            **{name: _joined(getattr(self, name), getattr(other, name)) for name in self.__struct_fields__}
        )


def _joined(one: Any, other: Any) -> Any:
    """Return two values of a field of :class:`Systems` combined: dicts and tuples are joined.

    For values of other types, the second value is returned unless it is empty.
    """
    if isinstance(one, dict):
        return one | other
    return tuple(sorted(one + other)) if isinstance(one, tuple) else other or one


class Powered(NamedTuple):
    """The cost and effect of one entry: energy points by source, and the systems that become ready.

    ``text`` is the entry in normal form (standard spelling).
    """

    parts: dict[str, Points]
    ready: Systems
    text: str = ""


class Allotment(Systems, frozen=True, kw_only=True):
    """The result of an energy form: the new state of the ship, and what to show the player.

    If there are ``faults``, the other fields show what the form would do without them.

    Attributes:
        speed: The number of hexes of movement this turn.
        motion: The energy points for movement, by source (``WARP``, ``IMPULSE``).
        weapons: The new state of each weapon, by name.
        batteries: The number of charged batteries.
        battery_part: The fraction of a point that one more battery holds (B3.2).
        general: The points of general reinforcement (D3.341).
        specific: The points of specific reinforcement, one number for each shield.
        repairing: The points spent on repairs, by shield (``"#1"`` to ``"#6"``).
        other: The points spent on each item of lines 14 (``TAC``) and 17 to 19, rounded up.
        unpaid: The items of lines 7, 8 and 11 that were not paid for.
        balance: The form line by line, with amounts rounded up.
        exact: With fractional accounting, the exact points of each line of ``balance``.
        lines: The form written as orders.
        chosen: The entries for which the engine chose a source of power, written as orders.
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
    """Return the number of points unchanged, but as an ``int`` if it is whole."""
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
    """Return an entry as text, with each power source that the player named: ``PHASERS 1.5 APR``."""
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
    """Return how many hexes a ship can move with this much warp and impulse power (C2.12).

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
    """Return the letter in an entry like ``TRACTOR A``; the ship must still have that box.

    Args:
        entry: The entry of the energy form.
        facts: The facts about the ship that the form depends on.
        system: The system, as named in ``facts.boxes``.
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
    """A cost on the energy form, i.e. the points spent on one item of one line.

    Attributes:
        number: The number of the line.
        label: The name of the item.
        entry: The player's entry; ``None`` for an item that is paid by default.
        asked: The points asked for, by source; the source is ``""`` where the engine may choose.
        paid: The points paid, by source, after the engine has chosen the sources.
        text: The entry in normal form, with a placeholder ``{sources}`` or ``{amount}``.
        picked: Whether the player left the choice of the source to the engine.
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

        Before the charge is paid, the text is only the number of points.
        """
        return self._listed(dict(zip(SOURCE_WORDS, SOURCE_WORDS, strict=True)))

    @property
    def told_sources(self) -> str:
        """Points and sources in the words printed on the form: ``11 warp + 1 impulse``."""
        return self._listed(SOURCE_WORDS)

    def _listed(self, words: Mapping[str, str]) -> str:
        """Return the paid points by source, each source with its word in ``words``.

        Before the charge is paid, only the number of points is returned.
        """
        listed = [f"{as_text(self.paid[source])} {words[source]}" for source in words if source in self.paid]
        return " + ".join(listed) or as_text(self.amount)

    @property
    def order(self) -> str:
        """The charge written as an entry of the form."""
        return self.text.format(sources=self.sources, amount=as_text(self.amount))

    def take(self, source: str, due: Points, left: dict[str, Points]) -> Points:
        """Pay as much of the charge as possible from one source; return the points still to be paid.

        ``due`` is the number of points to pay. ``left`` is a dict of source to the points left in it, which is reduced.
        """
        taken = min(due, left[source])
        if taken:
            self.paid[source] = simplified(self.paid.get(source, 0) + taken)
            left[source] = simplified(left[source] - taken)
        return simplified(due - taken)


def bound(charges: Sequence[Charge], source: str) -> Points:
    """Return how many points of one source the charges take because their entries name the source."""
    return simplified(sum(charge.asked.get(source, 0) for charge in charges))


def pay(charges: Sequence[Charge], plant: Plant, refuse: Refuse) -> Points:
    """Pay for every charge, and return the points taken from batteries (line 21).

    ``refuse`` is called for each charge that cannot be paid in full. Charges that name their engine or reactor are paid
    first. Recharging comes next, because batteries cannot pay for it. Charges that name a battery come last, because
    batteries are discharged only if the form spends more than the power on line 4.
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

    The result is the charge's own entry. A charge that is paid by default has no entry of its own; then the result is
    the last entry of the form, or ``None`` if the form has no entries.
    """
    entries = [each.entry for each in charges if each.entry is not None]
    return charge.entry or max(entries, key=lambda entry: (entry.line, entry.column), default=None)


def _unwritten(charges: Sequence[Charge]) -> str:
    """Return the end of a sentence that lists the items paid by default and says how to leave them unpaid.

    The result is ``""`` if no item is paid by default.
    """
    names = [charge.label for charge in charges if charge.entry is None and charge.amount]
    if not names:
        return ""
    listed = ", ".join(f"{name} 0" for name in names)
    return f"; {', '.join(names)} {'are' if len(names) > 1 else 'is'} paid unless you write {listed}"


def _overspent(charges: Sequence[Charge], plant: Plant, charge: Charge, due: Points) -> str:
    """Return the text of the fault that a charge's power sources have ``due`` points too few."""
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
        ejected: The entries on line 10 that eject a torpedo.
        unpaid: The items that are normally paid by default but get no energy.
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

    A whole number is stored as an ``int``, any other as a ``float`` (``0.5``, ``0.2``).
    """
    return int(points) if Fraction(points).denominator == 1 else float(points)


def verify_reserve(use: str, *, points: Fraction | int, stored: Fraction | int, rolling: bool = False) -> None:
    """Check that reserve power (energy in batteries) may pay for a certain use now (H7.2).

    Reserve power must not let a system operate more often than usual (H7.3); the rules of each system check this.

    Args:
        use: ``shield`` (specific reinforcement), ``transporters``, ``tractor``, ``plasma`` (to complete the arming of a
            torpedo in rolling delay), or a type of weapon.
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
    """Return whether life support is paid for; otherwise the crew dies at once (B3.0, line 7).

    Our interpretation where the rules are silent: a ship without a crew is out of the game and counts as destroyed. Its
    drones are lost like the drones of a destroyed ship (D4.41).
    """
    return LIFE_SUPPORT not in unpaid


def fire_control(unpaid: Collection[str]) -> bool:
    """Return whether fire control is paid for (B3.0, line 8, D6.1)."""
    return FIRE_CONTROL not in unpaid


def shields_active(unpaid: Collection[str]) -> bool:
    """Return whether shields are paid for, so that they block damage this turn (B3.0, line 11).

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
