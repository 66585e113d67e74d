"""The energy allocation form (B3.0, C2.12, E3.2, E4.2, H6.2): how a ship spends its power in a turn.

:func:`allot` takes the entries of a form. It returns the ship as it is afterwards, the form line by line, and every
fault. Some entries need a certain source of power: photon torpedoes (warp only), movement (warp, and one point of
impulse) and recharging (power generated in this turn). If the player names no source, reactors pay first, then impulse,
then warp. Batteries pay last, since they are discharged only for what exceeds the power generated (B3.0, line 21). The
data types, and the payment of the entries, are in :mod:`pbem.rules.power`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

import msgspec

from pbem.data import charts
from pbem.data.files import own_figures
from pbem.data.terms import ENTRIES, LABELS, Fuse, Purpose
from pbem.errors import Fault, NotAllowed
from pbem.rules import movement as tactical, science, sensors, shuttles, tractors, transporters, weapons
from pbem.rules.movement import verify_speed
from pbem.rules.power import (
    SOURCES,
    STANDING,
    Allotment,
    BalanceLine,
    Charge,
    Plant,
    Points,
    Powered as Powered,
    ShipFacts,
    Systems,
    Tube,
    WeaponReadiness,
    WrittenEntry,
    as_text,
    bound,
    consequences,
    entry_text,
    hexes_for,
    ledger,
    letter_of,
    lettered,
    named,
    normal_form,
    pay,
    plant_of,
    points_of,
    simplified,
    total_of,
    warp_boxes,
    warp_for,
    whole,
)
from pbem.rules.shields import general_for, verify_repair

__all__ = [
    "LABELS",
    "SOURCES",
    "STANDING",
    "Allotment",
    "BalanceLine",
    "Plant",
    "ShipFacts",
    "Tube",
    "WeaponReadiness",
    "allot",
    "hexes_for",
    "plant_of",
    "warp_boxes",
    "warp_for",
]


def power(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a form entry for a system such as TAC or CLOAK.

    The systems are those of :data:`SYSTEMS`.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``not-whole``, ``no-such-box`` (the SSD has no
            such beam, launcher or shuttle box left), or a fault code of the system.
    """
    found = SYSTEMS[entry.item.split()[0]](entry, facts)
    return found if found.text else found._replace(text=entry.item + " {sources}")


def _tac(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``TAC`` entry, which pays for tactical maneuvers (C5.3).

    ``TAC 3`` pays for three warp maneuvers, ``TAC 1 IMPULSE`` for a sublight one, ``TAC 3 + 1 IMPULSE`` for both. A
    warp maneuver costs as much warp power as a hex (C5.22), a sublight one its point of impulse power (C5.12).

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``not-whole``, ``movement-source``,
            ``tac-amount`` (C5.12) or ``too-many-tacs``.
    """
    whole(entry, "C5.0")
    asked, chart = points_of(entry), charts.maneuvers()
    if bad := [source for source in ("APR", "BATTERY") if asked.get(source)]:
        raise NotAllowed(
            "movement-source", f"{bad[0]} power cannot pay for tactical maneuvers; use warp or impulse power", "C5.0"
        )
    warp = int(asked.get("", 0) + asked.get("WARP", 0))
    sublight, rest = divmod(int(asked.get("IMPULSE", 0)), chart.sublight_energy)
    if rest:
        raise NotAllowed("tac-amount", f"a sublight maneuver costs {chart.sublight_energy} of impulse power", "C5.12")
    tactical.verify_paid(warp=warp, sublight=sublight, hexes=0)
    cost = simplified(tactical.warp_energy(warp, facts.hex_cost, facts.fractional))
    parts: dict[str, Points] = {"WARP": cost, "IMPULSE": sublight * chart.sublight_energy}
    bought = [str(warp)] if warp else []
    bought += [f"{parts['IMPULSE']} IMPULSE"] if sublight else []
    return Powered(parts, Systems(tactical=warp, sublight=bool(sublight)), "TAC " + " + ".join(bought))


def _transporters(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``TRANSPORTERS 1`` entry (G8.13).

    The entry powers as many transporters as its points can pay for. With fractional accounting, fifths of a point are
    possible.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``not-whole`` or ``transporters-too-much``.
    """
    total = total_of(entry)
    if not facts.fractional:
        whole(entry, "G8.13")
    elif (total * charts.transporters().per_energy).denominator != 1:
        each = as_text(transporters.energy_for(1, fractional=True))
        raise NotAllowed("not-whole", f"{entry_text(entry)}: each transporter takes {each} of a point", "G8.13")
    working = facts.box("tran")
    if working is None:
        working = int(total * charts.transporters().per_energy)
    most = transporters.energy_for(working, facts.fractional)
    if total > most:
        text = f"{entry_text(entry)}: {as_text(most)} pays for all {working} transporters of the ship; use no more"
        raise NotAllowed("transporters-too-much", text, "G8.13")
    works = transporters.operated(total, working, facts.fractional)
    return Powered(points_of(entry), Systems(transporters=works))


def _cloak(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``CLOAK 6`` entry (G13.32C, G13.0).

    The entry must pay the whole cost of the cloaking device, or 0.
    """
    points = whole(entry, "G13.32")
    sensors.verify_cloak_energy(facts.cloak, points)
    return Powered(points_of(entry), Systems(cloak=bool(points)))


def _probe(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``PROBE A 1`` entry (G5.2, G5.32).

    The entry pays for one turn of arming a probe as an instrument. An entry with twice the energy, from warp power,
    arms the probe as a weapon.
    """
    letter, points = letter_of(entry, facts, "probe", "probe launcher", "G5.12"), whole(entry, "G5.2")
    before = facts.probes.get(letter, science.EMPTY)
    weapon = points in science.arming_energy(Purpose.WEAPON)
    purpose = Purpose.WEAPON if weapon else Purpose.INFORMATION
    sources = {source for source, _ in entry.parts}
    left = facts.probes_left.get(letter, charts.probes().carried)
    after = science.arm(before, purpose, points, left=left, warp=sources <= {"", "WARP"})
    parts: dict[str, Points] = {"WARP": points} if weapon else points_of(entry)
    return Powered(parts, Systems(probes={letter: after}))


def _suicide(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``SUICIDE A 3 WARP`` entry for a suicide shuttle (J2.221).

    The entry pays for one turn of arming with warp power, or for keeping an armed shuttle armed.
    """
    letter, points = _shuttle(entry, facts), whole(entry, "J2.221")
    before = facts.bombs.get(letter, shuttles.NOT_ARMED)
    holding = before.state == Fuse.ARMED
    sources = {source for source, _ in entry.parts}
    after = shuttles.arm(before, points, suicide_level(facts.level), warp=sources <= {"", "WARP"})
    parts: dict[str, Points] = points_of(entry) if holding else {"WARP": points}
    return Powered(parts, Systems(bombs={letter: after}))


def _shuttle(entry: WrittenEntry, facts: ShipFacts) -> str:
    """Return the letter of the shuttle that an entry names.

    Raises:
        NotAllowed: That shuttle is not aboard (fault code ``no-shuttle``).
    """
    letter = lettered(entry.item).partition(" ")[2]
    if letter not in facts.hangar:
        aboard = f"aboard: {', '.join(facts.hangar)}" if facts.hangar else "no shuttle aboard can be used"
        raise NotAllowed(
            "no-shuttle", f"shuttle {letter or '(no letter)'} is not there to be armed; {aboard}", "J2.221"
        )
    return letter


def suicide_level(form: str) -> str:
    """Return the level whose figures apply to a ship's suicide shuttles.

    ``form`` is the level of the ship's energy form. If that level has no figures for suicide shuttles, those of
    Cadet ships apply.
    """
    return form if form in charts.shuttles().suicide else "cadet"


SYSTEMS: dict[str, Callable[[WrittenEntry, ShipFacts], Powered]] = {
    "TAC": _tac,
    "TRANSPORTERS": _transporters,
    "CLOAK": _cloak,
    "PROBE": _probe,
    "SUICIDE": _suicide,
    "TRACTOR": tractors.power,
}
"""For each system, the function that returns the cost and effect of its entry.

The key is the first word of the entry; :data:`pbem.data.terms.ENTRIES` explains the words.
"""


def standing_costs(level: str) -> dict[str, int]:
    """Return the energy cost, at a level of the game, of each item that is paid unless the form says 0."""
    chart = charts.level(level)
    return {item: getattr(chart, item.lower().replace(" ", "_")) for item in STANDING}


class FormWorksheet:
    """The calculation of one energy form: each method enters one kind of entry and collects its faults."""

    def __init__(self, facts: ShipFacts, entries: Sequence[WrittenEntry]) -> None:
        self.facts = facts
        self.entries = entries
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.charges: list[Charge] = []
        self.ejected: list[str] = []
        self.tubes = {tube.name: tube for tube in facts.tubes}
        self.readied: dict[str, WeaponReadiness] = {}
        self.standing = standing_costs(facts.level)
        self.speed = self.alone = self.general = 0
        self.exact_warp: Fraction | None = None
        self.recharged: Points = 0
        self.ready = Systems()
        self.capacitor = facts.capacitor
        self.specific = [0] * 6
        self.repairing: dict[str, int] = {}
        self.other: dict[str, int] = {}

    # --- the whole form -------------------------------------------------------------------------------------

    def work_out(self) -> Allotment:
        """Calculate the form and return the result, with all lines and sums."""
        unpaid = self._enter_all()
        used = pay(self.charges, self.facts.plant, self._fault)
        self._without(unpaid)
        stored = self.facts.plant.stored - used + self.recharged
        balance = ledger(self.facts.plant, self.charges, used)
        return Allotment(
            **msgspec.structs.asdict(self.ready),
            speed=self.alone,
            motion=self._motion(),
            weapons=self.readied,
            capacitor=self.capacitor,
            batteries=int(stored),
            battery_part=Fraction(stored) % 1,
            general=self.general,
            specific=tuple(self.specific),
            repairing=self.repairing,
            other=self.other,
            unpaid=unpaid,
            balance=tuple(BalanceLine(n, label, ceil(points), source) for n, label, points, source in balance),
            exact=tuple(Fraction(points) for _, _, points, _ in balance) if self.facts.fractional else (),
            lines=normal_form(self.charges, self.ejected, unpaid),
            chosen=tuple(c.order for c in self.charges if c.picked and "{sources}" in c.text),
            notes=tuple(self.notes),
            faults=self.in_order(),
        )

    def try_out(self) -> None:
        """Enter every line without paying for it, so that lack of power causes no faults.

        Callers use it to learn what an entry costs and does, and which other faults it has.
        """
        self._without(self._enter_all())

    def in_order(self) -> tuple[Fault, ...]:
        """Return the faults of the form, sorted by line and column of their entries."""
        return tuple(sorted(self.faults, key=lambda fault: (fault.line, fault.column)))

    def _enter_all(self) -> tuple[str, ...]:
        """Enter every entry of the form; return the items of lines 7, 8 and 11 that the player leaves unpaid."""
        paid = dict.fromkeys(self.standing, True)
        movement: WrittenEntry | None = None
        seen: set[tuple[str, int]] = set()
        for entry in self.entries:
            key = ("MOVE" if entry.item == "SPEED" else lettered(entry.item), entry.shield)
            if key in seen:
                self._fault(entry, "duplicate-entry", f"{named(entry)} is on the form twice; keep one entry", "B3.0")
                continue
            seen.add(key)
            if not self._has_sound_parts(entry):
                continue
            if entry.item in STANDING:
                paid[entry.item] = self._standing(entry)
            elif entry.item in ("MOVE", "SPEED"):
                movement = entry
            else:
                self._enter(entry)
        for item, number in STANDING.items():
            if paid[item]:
                self._charge(number, item, {"": self.standing[item]}, None, item + " {amount}")
        if movement is not None:  # last, because it uses a point of impulse power only if one is left
            (self._speed if movement.item == "SPEED" else self._move)(movement)
            self._check_speed(movement)
        self._unattended()
        return tuple(item for item in STANDING if not paid[item])

    def _has_sound_parts(self, entry: WrittenEntry) -> bool:
        """Return whether the points and sources of an entry are possible.

        If they are not, a fault is noted.
        """
        if any(points < 0 for _, points in entry.parts):
            self._fault(entry, "negative-energy", f"{named(entry)} needs 0 points or more", "B3.0")
            return False
        unknown = next((source for source, _ in entry.parts if source and source not in SOURCES), None)
        if unknown is not None:
            text = f"{unknown} is not a source of power; the sources are {', '.join(SOURCES)}"
            self._fault(entry, "unknown-source", text, "B3.0")
        return unknown is None

    def _enter(self, entry: WrittenEntry) -> None:
        """Enter one entry of the form, or note a fault if no line of the form fits the entry."""
        word = entry.item.split()[0] if entry.item else ""
        if word == "PH":
            self._fault(
                entry,
                "phaser-by-name",
                f"{entry.item}: write PHASERS and the points instead; phasers share one capacitor",
                "H6.2",
            )
        elif entry.item in self.tubes:
            self._weapon(entry)
        elif entry.item in _ENTERED:
            _ENTERED[entry.item](self, entry)
        elif word in SYSTEMS:
            self._standard(entry, ENTRIES[word].line)
        elif word in {kind.label for kind in charts.weapon_kinds().values()}:
            has = ", ".join(name for name, tube in self.tubes.items() if weapons.family(tube.kind).turns) or "none"
            self._fault(
                entry,
                "no-such-weapon",
                f"the ship has no weapon {entry.item}; its weapons that take energy: {has}",
                "B3.0",
            )
        else:
            self._fault(entry, "unknown-item", f"{entry.item!r} is not a line of the energy form", "B3.0")

    # --- lines 7, 8, 11 -------------------------------------------------------------------------------------

    def _standing(self, entry: WrittenEntry) -> bool:
        """Return whether the player's entry pays for an item that is paid by default.

        These are the items of form lines 7, 8 and 11. An entry with 0 points leaves its item unpaid. An entry with a
        wrong number of points is noted as a fault.
        """
        cost, points = self.standing[entry.item], total_of(entry)
        if not cost:
            if points:
                text = f"leave out {entry.item}: it costs nothing at {self.facts.level} level"
                self._fault(entry, "not-cadet", text, f"B3.0, line {STANDING[entry.item]}")
            else:
                self.notes.append(f"{entry.item} costs nothing at {self.facts.level} level")
            return True
        if points not in (0, cost):
            text = f"{entry.item} costs {cost}, not {as_text(points)}; write 0 to leave it unpaid"
            self._fault(entry, "wrong-amount", text, f"B3.0, line {STANDING[entry.item]}")
        # An entry without points, such as SHIELDS, pays the usual cost; an entry with 0 leaves the item unpaid.
        return not entry.parts or points > 0

    # --- line 9 ---------------------------------------------------------------------------------------------

    def _phasers(self, entry: WrittenEntry) -> None:
        """Enter ``PHASERS n``, which charges the phaser capacitor."""
        points = total_of(entry)
        room = Fraction(self.facts.capacity) - Fraction(self.facts.capacitor)
        if (points * 2).denominator != 1:
            self._fault(entry, "not-whole", f"{entry_text(entry)}: use whole or half points for phasers", "E2.1")
            return
        if points > room:
            text = (
                f"{entry_text(entry)}: the capacitor already holds {self.facts.capacitor:g} of "
                f"{self.facts.capacity:g}, so you can add at most {as_text(max(room, Fraction(0)))}"
            )
            self._fault(entry, "capacitor-full", text, "H6.2")
            return
        self.capacitor = float(self.facts.capacitor + points)
        if points.denominator == 1 or self.facts.fractional:
            self._charge(9, "PHASERS", points_of(entry), entry, "PHASERS {sources}")
        else:  # the form has only whole points, but the capacitor also stores halves
            paid = points_of(entry)
            text = f"PHASERS {as_text(points)}" if len(paid) == 1 else entry_text(entry)
            self._charge(9, "PHASERS", _in_whole(paid), entry, text)

    # --- line 10 --------------------------------------------------------------------------------------------

    def _weapon(self, entry: WrittenEntry) -> None:
        """Enter an entry for one weapon on line 10, such as ``PHOT A 2 WARP``."""
        tube = self.tubes[entry.item]
        try:
            order = weapons.arm(tube, total_of(entry), entry.verb, tuple(source for source, _ in entry.parts if source))
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)
            self.readied[tube.name] = WeaponReadiness(tube.charge, tube.armed_turns)
            return
        self.readied[tube.name] = order.readied
        if entry.verb == "EJECT":
            self.ejected.append(f"{tube.name} EJECT")
            return
        if not order.energy and (note := weapons.lost(tube)):
            self.notes.append(note)
        parts: dict[str, Points] = points_of(entry) if total_of(entry) == order.energy else {"": order.energy}
        if order.warp_only:
            parts = {"WARP": order.energy}
        text = f"{tube.name} HOLD" if entry.verb == "HOLD" else tube.name + " {sources}"
        if order.energy:
            charge = self._charge(10, tube.name, parts, entry, text)
            charge.picked = charge.picked or any(not source for source, _ in entry.parts)

    def _unattended(self) -> None:
        """Note the losses of weapons, probes and shuttles that have no entry on the form.

        For example, a weapon that gets no energy loses its arming.
        """
        for tube in self.facts.tubes:
            if tube.name not in self.readied and tube.working and weapons.family(tube.kind).turns:
                self.readied[tube.name] = weapons.UNARMED
                if note := weapons.lost(tube):
                    self.notes.append(note)
        for letter, probe in self.facts.probes.items():
            if letter not in self.ready.probes and probe.purpose:
                self.ready = self.ready.joined(Systems(probes={letter: science.EMPTY}))
                self.notes.append(f"PROBE {letter}: its arming is lost, it got no energy (G5.2)")
        for letter, bomb in self.facts.bombs.items():
            if letter not in self.ready.bombs and bomb.energy:
                after = shuttles.arm(bomb, 0, suicide_level(self.facts.level))
                self.ready = self.ready.joined(Systems(bombs={letter: after}))
                self.notes.append(f"SUICIDE {letter}: it is disarmed and of no use this turn (J2.221)")

    def _without(self, unpaid: Sequence[str]) -> None:
        """Note the consequences for the player of the items that the form leaves unpaid.

        If the shields are unpaid, every entry that reinforces shields becomes a fault (D3.34).
        """
        self.notes += consequences(unpaid)
        if "SHIELDS" not in unpaid:
            return
        for entry in self.entries:
            if entry.item in ("GENERAL", "REINFORCE") and total_of(entry) > 0:
                text = f"{named(entry)}: the form leaves SHIELDS unpaid, so they cannot be reinforced"
                self._fault(entry, "shields-inactive", text, "D3.34")

    # --- lines 12, 13, 15, 16, 17 to 19 ---------------------------------------------------------------------

    def _reinforce(self, entry: WrittenEntry) -> None:
        """Enter ``GENERAL n`` or ``REINFORCE #n``, which reinforce the shields."""
        rule = "D3.341" if entry.item == "GENERAL" else "D3.342"
        if not self.facts.reinforcement:
            self._fault(
                entry,
                "no-reinforcement",
                f"{named(entry)}: this game has no shield reinforcement; leave it out",
                "B3.0",
            )
        elif self._is_whole(entry, rule):
            points = int(total_of(entry))
            if entry.item == "GENERAL":
                self.general = general_for(points)
                self._charge(12, LABELS[12], points_of(entry), entry, "GENERAL {amount}")
            elif not 1 <= entry.shield <= 6:
                self._fault(entry, "no-such-shield", f"there is no shield #{entry.shield}", "D3.11")
            elif self.facts.shields[entry.shield - 1] < 1:
                text = f"shield #{entry.shield} is down and cannot be reinforced"
                self._fault(entry, "reinforce-down", text, "D3.343")
            else:
                self.specific[entry.shield - 1] = points
                label = f"SHIELD #{entry.shield}"
                self._charge(13, label, points_of(entry), entry, f"REINFORCE #{entry.shield} WITH {{amount}}")

    def _repair(self, entry: WrittenEntry) -> None:
        """Enter ``REPAIR #n``, which repairs shield boxes by damage control."""
        if not self._is_whole(entry, "D9.2"):
            return
        if not 1 <= entry.shield <= 6:
            self._fault(entry, "no-such-shield", f"there is no shield #{entry.shield}", "D3.11")
            return
        energy, place = int(total_of(entry)), entry.shield - 1
        spent = int(sum(charge.amount for charge in self.charges if charge.number == 15))
        lost = self.facts.full_shields[place] - self.facts.shields[place]
        try:
            verify_repair(shield=entry.shield, energy=energy, spent=spent, rating=self.facts.damcon, lost=lost)
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)
            return
        self.repairing[f"#{entry.shield}"] = energy
        if odd := energy % charts.levels().costs.repair_per_box:
            self.notes.append(f"REPAIR #{entry.shield}: {odd} of the {energy} points repairs nothing (D9.2)")
        self._charge(15, f"SHIELD #{entry.shield}", points_of(entry), entry, f"REPAIR #{entry.shield} WITH {{amount}}")

    def _recharge(self, entry: WrittenEntry) -> None:
        """Enter ``RECHARGE n``, which recharges batteries."""
        rule = "B3.0, line 16"
        if not self.facts.fractional and not self._is_whole(entry, rule):
            return
        points, plant = simplified(total_of(entry)), self.facts.plant
        empty = simplified(plant.battery_boxes - plant.stored)
        if any(source == "BATTERY" and amount for source, amount in entry.parts):
            self._fault(
                entry, "recharge-source", "batteries can only be recharged with power generated this turn", rule
            )
        elif points > empty:
            text = f"{entry_text(entry)}: only {as_text(empty)} of {plant.battery_boxes} batteries are empty"
            self._fault(entry, "recharge-too-much", text, rule)
        else:
            self.recharged = points
            self._charge(16, LABELS[16], points_of(entry), entry, "RECHARGE {amount}")

    def _standard(self, entry: WrittenEntry, number: int) -> None:
        # Cadet ships too may use a cloak (G13.32), suicide shuttles (J2.22) and maneuvers, if the scenario has them.
        item = entry.item.split()[0]
        used = {
            "CLOAK": self.facts.cloak is not None,
            "SUICIDE": bool(self.facts.hangar),
            "TAC": bool(self.facts.boxes),
        }
        if not charts.level(self.facts.level).graduate and not used.get(item):
            text = f"{entry.item}: leave this entry out; Cadet level does not use it"
            self._fault(entry, "not-cadet", text, f"B3.0, line {number}")
            return
        try:
            powered = power(entry, self.facts)
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)
            return
        self.ready = self.ready.joined(powered.ready)
        charge = self._charge(number, entry.item, powered.parts, entry, powered.text)
        self.other[entry.item] = ceil(charge.amount)

    # --- line 14 --------------------------------------------------------------------------------------------

    def _move(self, entry: WrittenEntry) -> None:
        """Enter ``MOVE n``, which gives the energy for movement instead of the speed."""
        rule = "C2.12"
        if not self.facts.fractional and not self._is_whole(entry, rule):
            return
        parts = points_of(entry)
        if bad := [source for source in ("APR", "BATTERY") if parts.get(source)]:
            self._fault(
                entry, "movement-source", f"{bad[0]} power cannot move the ship; use warp or impulse power", rule
            )
            return
        if not self._impulse_for_movement(entry, parts.setdefault("IMPULSE", 0)):
            return
        left_open = parts.pop("", 0)
        # Use one point of impulse power first, if one is left, because warp power has more uses.
        if not parts["IMPULSE"] and self.facts.plant.impulse > bound(self.charges, "IMPULSE"):
            parts["IMPULSE"] = min(int(left_open), charts.levels().costs.impulse_movement)
            left_open -= parts["IMPULSE"]
        parts["WARP"] = simplified(parts.get("WARP", 0) + left_open)
        warp, impulse = parts["WARP"], parts["IMPULSE"]
        self.speed = hexes_for(warp, impulse, self.facts.hex_cost)
        fastest = self.facts.fastest
        if self.speed > fastest >= impulse and self._warp_for(fastest - int(impulse), self.facts.hex_cost) == warp:
            self.speed = fastest  # fewer points do not pay for that speed; the surplus of the last point is lost
        self._movement(entry, parts)

    def _speed(self, entry: WrittenEntry) -> None:
        """Enter ``SPEED n`` as the cheapest legal combination of warp and impulse power.

        A point of impulse power is used if that costs no more.
        """
        if not self._is_whole(entry, "C2.12"):
            return
        hexes, cost = int(total_of(entry)), self.facts.hex_cost
        self.speed = hexes
        one = charts.levels().costs.impulse_movement
        spare = self.facts.plant.impulse - bound(self.charges, "IMPULSE")
        with_impulse, without = one + self._warp_for(hexes - one, cost), self._warp_for(hexes, cost)
        warp_left = self.facts.plant.warp - bound(self.charges, "WARP")
        if hexes >= one and spare >= one and (with_impulse <= without or without > warp_left):
            self._movement(entry, {"WARP": simplified(with_impulse - one), "IMPULSE": one})
        else:
            self._movement(entry, {"WARP": without, "IMPULSE": 0})
        if self.facts.tow_cost:  # the surplus from rounding must not pay for more hexes if the tow changes later
            self.exact_warp = (hexes - self.charges[-1].asked["IMPULSE"]) * Fraction(cost)

    def _motion(self) -> dict[str, Points]:
        """Return the energy points paid for movement, by source."""
        paid = next((dict(c.paid) for c in self.charges if c.label == LABELS[14]), {})
        return paid if self.exact_warp is None else {**paid, "WARP": self.exact_warp}

    def _warp_for(self, hexes: int, cost: Fraction) -> Points:
        return simplified(hexes * cost) if self.facts.fractional else warp_for(hexes, cost)

    def _movement(self, entry: WrittenEntry, parts: dict[str, Points]) -> None:
        # Rounded-up points may pay for more hexes than the player asked for; then the form shows the speed instead.
        warp, impulse = parts["WARP"], parts["IMPULSE"]
        bought = hexes_for(warp, impulse, self.facts.hex_cost)
        alone = min(hexes_for(warp, impulse, self.facts.move_cost), self.facts.fastest)
        self.alone = alone if self.facts.tow_cost else self.speed
        exact = entry.item == "MOVE" or bought == self.speed
        charge = self._charge(14, LABELS[14], parts, entry, "MOVE {sources}" if exact else f"SPEED {self.speed}")
        charge.picked = any(points and not source for source, points in entry.parts)

    def _impulse_for_movement(self, entry: WrittenEntry, points: Points) -> bool:
        most = charts.levels().costs.impulse_movement
        if points > most or Fraction(points).denominator != 1:
            text = f"MOVE with {as_text(points)} points of impulse power: at most {most} can move the ship"
            self._fault(entry, "impulse-movement", text, "C2.12")
            return False
        return True

    def _check_speed(self, entry: WrittenEntry) -> None:
        facts = self.facts
        try:
            tactical.verify_paid(warp=self.ready.tactical, sublight=int(self.ready.sublight), hexes=self.speed)
            verify_speed(
                self.speed, prior=facts.prior_speed, acceleration=facts.acceleration, multiple=facts.multiple,
                max_speed=facts.max_speed,
            )  # fmt: skip
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)

    # --- small things ---------------------------------------------------------------------------------------

    def _charge(
        self, number: int, label: str, parts: dict[str, Points], entry: WrittenEntry | None, text: str
    ) -> Charge:
        charge = Charge(number, label, parts, entry, text)
        self.charges.append(charge)
        return charge

    def _is_whole(self, entry: WrittenEntry, rule: str) -> bool:
        if any(points.denominator != 1 for _, points in entry.parts):
            text = f"{entry_text(entry)}: use whole points here"
            self._fault(entry, "not-whole", text, rule)
            return False
        return True

    def _fault(self, entry: WrittenEntry | None, code: str, text: str, rule: str) -> None:
        line, column = (entry.line, entry.column) if entry else (0, 0)
        self.faults.append(Fault(code=code, text=text, rule=rule, line=line, column=column))


def _in_whole(paid: dict[str, Points]) -> dict[str, Points]:
    """Return the whole points, by source, that pay for these points, some of which are halves (E2.1).

    Only as many halves are rounded up as are needed to pay for the sum of the points.
    """
    found: dict[str, Points] = {source: floor(points) for source, points in paid.items()}
    more = ceil(sum(map(Fraction, paid.values()))) - sum(map(int, found.values()))
    for source in [source for source, points in paid.items() if points != found[source]][:more]:
        found[source] += 1
    return found


_ENTERED: dict[str, Callable[[FormWorksheet, WrittenEntry], None]] = {
    "PHASERS": FormWorksheet._phasers, "RECHARGE": FormWorksheet._recharge, "GENERAL": FormWorksheet._reinforce,
    "REINFORCE": FormWorksheet._reinforce,
    "REPAIR": FormWorksheet._repair,
}  # fmt: skip
"""For each entry that is neither a weapon nor a system, the method that enters it."""


def allot(entries: Sequence[WrittenEntry], facts: ShipFacts) -> Allotment:
    """Return the result of an energy form: the ship afterwards, the form line by line, and all faults.

    No fault is raised as an exception. An empty form pays only for the lines that are paid by default (7, 8 and
    11).
    """
    return _allotted(tuple(entries), facts, own_figures().token)


@lru_cache(maxsize=1024)
def _allotted(entries: tuple[WrittenEntry, ...], facts: ShipFacts, token: str) -> Allotment:
    """Compute the result of :func:`allot`; results are cached.

    The cache helps because computer players try the same form many times. ``token`` is only a part of the cache key. It
    identifies the custom figures (charts) in use.
    """
    return FormWorksheet(facts, entries).work_out()
