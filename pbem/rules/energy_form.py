"""Entering an energy form line by line (B3.0).

:mod:`pbem.rules.energy_terms` says what goes in and what comes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

from pbem.data import charts
from pbem.faults import Fault, NotAllowed
from pbem.rules import arming
from pbem.rules.energy_payment import Charge, bound, pay
from pbem.rules.energy_terms import (
    LABELS,
    SOURCES,
    STANDING,
    Allotment,
    BalanceLine,
    Entry,
    Readied,
    ShipFacts,
    hexes_for,
    warp_for,
)
from pbem.rules.repair import verify_repair

STANDARD = {"TAC": 14, "TRACTOR": 17, "TRANSPORTERS": 18, "CLOAK": 19, "PROBE": 19, "SUICIDE": 19}
"""Lines the Cadet game does not use, by the first word of the item."""


class Form:
    """One form being worked out; every method enters one kind of line and notes its faults."""

    def __init__(self, facts: ShipFacts, entries: Sequence[Entry]) -> None:
        self.facts = facts
        self.entries = entries
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.charges: list[Charge] = []
        self.ejected: list[str] = []
        self.tubes = {tube.name: tube for tube in facts.tubes}
        self.readied: dict[str, Readied] = {}
        level = charts.level(facts.level)
        self.standing = {
            "LIFE SUPPORT": level.life_support,
            "FIRE CONTROL": level.fire_control,
            "SHIELDS": level.shields,
        }
        self.speed = self.tactical = self.general = self.recharged = 0
        self.capacitor = facts.capacitor
        self.specific = [0] * 6
        self.repairing: dict[str, int] = {}
        self.other: dict[str, int] = {}

    # --- the whole form -------------------------------------------------------------------------------------

    def work_out(self) -> Allotment:
        paid = dict.fromkeys(self.standing, True)
        movement: Entry | None = None
        seen: set[tuple[str, int]] = set()
        for entry in self.entries:
            key = ("MOVE" if entry.item == "SPEED" else entry.item, entry.shield)
            if key in seen:
                self._fault(entry, "duplicate-entry", f"{_said(entry)} stands on the form twice", "B3.0")
                continue
            seen.add(key)
            if any(points < 0 for _, points in entry.parts):
                self._fault(entry, "negative-energy", f"{_said(entry)} cannot have less than 0 points", "B3.0")
            elif any(source and source not in SOURCES for source, _ in entry.parts):
                bad = next(source for source, _ in entry.parts if source and source not in SOURCES)
                self._fault(entry, "unknown-source", f"{bad} is no source of power; {', '.join(SOURCES)} are", "B3.0")
            elif entry.item in STANDING:
                paid[entry.item] = self._standing(entry)
            elif entry.item in ("MOVE", "SPEED"):
                movement = entry
            else:
                self._enter(entry)
        for item, number in STANDING.items():
            if paid[item] and self.standing[item]:
                self._charge(number, item, {"": self.standing[item]}, None, item + " {amount}")
        if movement is not None:  # last, since it takes its point of impulse only where there is one to spare
            (self._speed if movement.item == "SPEED" else self._move)(movement)
            self._check_speed(movement)
        self._unattended()
        batteries_used = pay(self.charges, self.facts.plant, self._fault)
        unpaid = tuple(item for item in STANDING if self.standing[item] and not paid[item])
        return Allotment(
            speed=self.speed,
            tactical=self.tactical,
            weapons=self.readied,
            capacitor=self.capacitor,
            batteries=self.facts.plant.batteries - batteries_used + self.recharged,
            general=self.general,
            specific=tuple(self.specific),
            repairing=self.repairing,
            other=self.other,
            unpaid=unpaid,
            balance=self._balance(batteries_used),
            lines=self._lines(unpaid),
            chosen=tuple(c.order for c in self.charges if c.entry and c.picked and "{sources}" in c.text),
            notes=tuple(self.notes),
            faults=tuple(sorted(self.faults, key=lambda fault: (fault.line, fault.column))),
        )

    def _enter(self, entry: Entry) -> None:
        word = entry.item.split()[0] if entry.item else ""
        if word == "PH":
            self._fault(entry, "phaser-by-name", f"{entry.item}: phasers are paid for together, as PHASERS", "H6.2")
        elif entry.item in self.tubes:
            self._weapon(entry)
        elif entry.item == "PHASERS":
            self._phasers(entry)
        elif entry.item == "RECHARGE":
            self._recharge(entry)
        elif entry.item in ("GENERAL", "REINFORCE"):
            self._reinforce(entry)
        elif entry.item == "REPAIR":
            self._repair(entry)
        elif word in STANDARD:
            self._standard(entry, STANDARD[word])
        elif word in {kind.label for kind in charts.weapon_kinds().values()}:
            has = ", ".join(name for name, tube in self.tubes.items() if arming.takes_energy(tube.kind)) or "none"
            self._fault(
                entry,
                "no-such-weapon",
                f"the ship has no weapon {entry.item}; those that take energy: {has}",
                "B3.0",
            )
        else:
            self._fault(entry, "unknown-item", f"{entry.item!r} is no line of the energy form", "B3.0")

    # --- lines 7, 8, 11 -------------------------------------------------------------------------------------

    def _standing(self, entry: Entry) -> bool:
        """Whether the line is paid."""
        cost, points = self.standing[entry.item], _sum(entry)
        if not cost:
            if points:
                text = f"{entry.item} costs nothing at {self.facts.level} level; leave it out"
                self._fault(entry, "not-cadet", text, f"B3.0, line {STANDING[entry.item]}")
            else:
                self.notes.append(f"{entry.item} costs nothing at {self.facts.level} level")
            return True
        if points not in (0, cost):
            text = f"{entry.item} costs {cost}, not {_number(points)}; 0 leaves it unpaid"
            self._fault(entry, "wrong-amount", text, f"B3.0, line {STANDING[entry.item]}")
        # An entry without points (SHIELDS) asks for what is paid anyway; 0 is written to leave it out.
        return not entry.parts or points > 0

    # --- line 9 ---------------------------------------------------------------------------------------------

    def _phasers(self, entry: Entry) -> None:
        points = _sum(entry)
        room = Fraction(self.facts.capacity) - Fraction(self.facts.capacitor)
        if (points * 2).denominator != 1:
            self._fault(
                entry,
                "not-whole",
                f"PHASERS {_number(points)}: a phaser takes halves or whole points",
                "E2.1",
            )
            return
        if points > room:
            text = (
                f"PHASERS {_number(points)}: the capacitor holds {self.facts.capacitor:g} of "
                f"{self.facts.capacity:g}, {_number(max(room, Fraction(0)))} more fit in"
            )
            self._fault(entry, "capacitor-full", text, "H6.2")
            return
        self.capacitor = float(self.facts.capacitor + points)
        if points.denominator == 1:
            self._charge(9, "PHASERS", _whole(entry), entry, "PHASERS {sources}")
        else:  # the form counts whole points, the capacitor halves
            source = next((source for source, _ in entry.parts if source), "")
            self._charge(9, "PHASERS", {source: ceil(points)}, entry, f"PHASERS {_number(points)}")

    # --- line 10 --------------------------------------------------------------------------------------------

    def _weapon(self, entry: Entry) -> None:
        tube = self.tubes[entry.item]
        try:
            order = arming.arm(tube, _sum(entry), entry.verb, tuple(source for source, _ in entry.parts if source))
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)
            self.readied[tube.name] = Readied(tube.charge, tube.armed_turns)
            return
        self.readied[tube.name] = order.readied
        if entry.verb == "EJECT":
            self.ejected.append(f"{tube.name} EJECT")
            return
        if not order.energy and (note := arming.lost(tube)):
            self.notes.append(note)
        parts = _whole(entry) if _sum(entry) == order.energy else {"": order.energy}
        if order.warp_only:
            parts = {"WARP": order.energy}
        text = f"{tube.name} HOLD" if entry.verb == "HOLD" else tube.name + " {sources}"
        if order.energy:
            charge = self._charge(10, tube.name, parts, entry, text)
            charge.picked = charge.picked or any(not source for source, _ in entry.parts)

    def _unattended(self) -> None:
        """Weapons the form says nothing of, and what they lose."""
        for tube in self.facts.tubes:
            if tube.name not in self.readied and tube.working and arming.takes_energy(tube.kind):
                self.readied[tube.name] = Readied("", 0)
                if note := arming.lost(tube):
                    self.notes.append(note)

    # --- lines 12, 13, 15, 16, 17 to 19 ---------------------------------------------------------------------

    def _reinforce(self, entry: Entry) -> None:
        rule = "D3.341" if entry.item == "GENERAL" else "D3.342"
        if not self.facts.reinforcement:
            self._fault(entry, "no-reinforcement", f"{_said(entry)}: shields are not reinforced in this game", "B3.0")
        elif self._is_whole(entry, rule):
            points = int(_sum(entry))
            if entry.item == "GENERAL":
                self.general = points // charts.levels().costs.general_per_point
                self._charge(12, LABELS[12], _whole(entry), entry, "GENERAL {amount}")
            elif not 1 <= entry.shield <= 6:
                self._fault(entry, "no-such-shield", f"there is no shield #{entry.shield}", "D3.11")
            elif self.facts.shields[entry.shield - 1] < 1:
                text = f"shield #{entry.shield} is down and cannot be reinforced"
                self._fault(entry, "reinforce-down", text, "D3.343")
            else:
                self.specific[entry.shield - 1] = points
                label = f"SHIELD #{entry.shield}"
                self._charge(13, label, _whole(entry), entry, f"REINFORCE #{entry.shield} WITH {{amount}}")

    def _repair(self, entry: Entry) -> None:
        if not self._is_whole(entry, "D9.2"):
            return
        if not 1 <= entry.shield <= 6:
            self._fault(entry, "no-such-shield", f"there is no shield #{entry.shield}", "D3.11")
            return
        energy, place = int(_sum(entry)), entry.shield - 1
        spent = sum(charge.amount for charge in self.charges if charge.number == 15)
        lost = self.facts.full_shields[place] - self.facts.shields[place]
        try:
            verify_repair(shield=entry.shield, energy=energy, spent=spent, rating=self.facts.damcon, lost=lost)
        except NotAllowed as refused:
            self._fault(entry, refused.code, refused.text, refused.rule)
            return
        self.repairing[f"#{entry.shield}"] = energy
        self._charge(15, f"SHIELD #{entry.shield}", _whole(entry), entry, f"REPAIR #{entry.shield} WITH {{amount}}")

    def _recharge(self, entry: Entry) -> None:
        rule = "B3.0, line 16"
        if not self._is_whole(entry, rule):
            return
        points, plant = int(_sum(entry)), self.facts.plant
        empty = plant.battery_boxes - plant.batteries
        if any(source == "BATTERY" and amount for source, amount in entry.parts):
            self._fault(entry, "recharge-source", "batteries are recharged from power generated this turn", rule)
        elif points > empty:
            text = f"RECHARGE {points}: {empty} of {plant.battery_boxes} batteries are empty"
            self._fault(entry, "recharge-too-much", text, rule)
        else:
            self.recharged = points
            self._charge(16, LABELS[16], _whole(entry), entry, "RECHARGE {amount}")

    def _standard(self, entry: Entry, number: int) -> None:
        if self.facts.level == "cadet":
            text = f"{entry.item}: this line of the form is not used at Cadet level"
            self._fault(entry, "not-cadet", text, f"B3.0, line {number}")
        elif self._is_whole(entry, "B3.0"):
            points, parts = int(_sum(entry)), _whole(entry)
            if entry.item == "TAC":  # so many warp maneuvers, each at the cost of a hex (C5.22)
                self.tactical, parts = points, {"WARP": warp_for(points, self.facts.move_cost)}
            elif not entry.parts and number == 17:
                parts = {"": charts.levels().costs.tractor}
            self.other[entry.item] = sum(parts.values())
            text = "TAC " + str(points) if entry.item == "TAC" else entry.item + " {sources}"
            self._charge(number, entry.item, parts, entry, text)

    # --- line 14 --------------------------------------------------------------------------------------------

    def _move(self, entry: Entry) -> None:
        rule = "C2.12"
        if not self._is_whole(entry, rule):
            return
        parts = _whole(entry)
        if bad := [source for source in ("APR", "BATTERY") if parts.get(source)]:
            self._fault(entry, "movement-source", f"{bad[0]} power cannot move the ship; warp and impulse do", rule)
            return
        if not self._impulse_for_movement(entry, parts.get("IMPULSE", 0)):
            return
        left_open = parts.pop("", 0)
        if left_open:
            # One point of impulse first, if there is one to spare: warp is good for more.
            if not parts.get("IMPULSE") and self.facts.plant.impulse > bound(self.charges, "IMPULSE"):
                parts["IMPULSE"] = min(left_open, charts.levels().costs.impulse_movement)
                left_open -= parts["IMPULSE"]
            parts["WARP"] = parts.get("WARP", 0) + left_open
        self.speed = hexes_for(parts.get("WARP", 0), parts.get("IMPULSE", 0), self.facts.move_cost)
        self._movement(entry, parts)

    def _speed(self, entry: Entry) -> None:
        """SPEED n: the cheapest legal mix, with a point of impulse where that costs no more."""
        if not self._is_whole(entry, "C2.12"):
            return
        hexes, cost = int(_sum(entry)), self.facts.move_cost
        self.speed = hexes
        one = charts.levels().costs.impulse_movement
        spare = self.facts.plant.impulse - bound(self.charges, "IMPULSE")
        with_impulse, without = one + warp_for(hexes - one, cost), warp_for(hexes, cost)
        warp_left = self.facts.plant.warp - bound(self.charges, "WARP")
        if hexes >= one and spare >= one and (with_impulse <= without or without > warp_left):
            self._movement(entry, {"WARP": with_impulse - one, "IMPULSE": one})
        else:
            self._movement(entry, {"WARP": without})

    def _movement(self, entry: Entry, parts: dict[str, int]) -> None:
        charge = self._charge(14, LABELS[14], parts, entry, "MOVE {sources}")
        charge.picked = any(points and not source for source, points in entry.parts)

    def _impulse_for_movement(self, entry: Entry, points: int) -> bool:
        most = charts.levels().costs.impulse_movement
        if points > most:
            text = f"MOVE with {points} points of impulse power: no more than {most} can move the ship"
            self._fault(entry, "impulse-movement", text, "C2.12")
        return points <= most

    def _check_speed(self, entry: Entry) -> None:
        facts = self.facts
        if self.speed > facts.max_speed:
            text = f"speed {self.speed} is more than the maximum of {facts.max_speed}"
            self._fault(entry, "too-fast", text, "C1.42")
        elif self.speed > facts.prior_speed + facts.acceleration:
            text = (
                f"speed {self.speed} is more than {facts.acceleration} above last turn's "
                f"{facts.prior_speed}; {facts.prior_speed + facts.acceleration} is the most"
            )
            self._fault(entry, "acceleration", text, "B3.0, line 14")

    # --- what is told ---------------------------------------------------------------------------------------

    def _balance(self, batteries_used: int) -> tuple[BalanceLine, ...]:
        plant = self.facts.plant
        rows = [
            (1, plant.warp), (2, plant.impulse), (3, plant.apr), (4, plant.total),
            (5, plant.batteries), (6, plant.battery_boxes - plant.batteries),
        ]  # fmt: skip
        lines = [BalanceLine(number, LABELS[number], amount, "") for number, amount in rows]
        for number in range(7, 20):
            charges = [charge for charge in self.charges if charge.number == number]
            lines += [BalanceLine(number, c.label, c.amount, c.sources.lower() if c.paid else "") for c in charges]
            if not charges and number < 17:
                lines.append(BalanceLine(number, LABELS[number], 0, ""))
        lines.append(BalanceLine(20, LABELS[20], sum(charge.amount for charge in self.charges), ""))
        lines.append(BalanceLine(21, LABELS[21], batteries_used, ""))
        return tuple(lines)

    def _lines(self, unpaid: Sequence[str]) -> tuple[str, ...]:
        numbered = [(charge.number, charge.order) for charge in self.charges if charge.amount]
        numbered += [(10, order) for order in self.ejected]
        numbered += [(STANDING[item], f"{item} 0") for item in unpaid]
        return tuple(text for _, text in sorted(numbered, key=lambda pair: pair[0]))

    # --- small things ---------------------------------------------------------------------------------------

    def _charge(self, number: int, label: str, parts: dict[str, int], entry: Entry | None, text: str) -> Charge:
        charge = Charge(number, label, parts, entry, text)
        self.charges.append(charge)
        return charge

    def _is_whole(self, entry: Entry, rule: str) -> bool:
        if any(points.denominator != 1 for _, points in entry.parts):
            text = f"{_said(entry)} {_number(_sum(entry))}: only whole points can be spent here"
            self._fault(entry, "not-whole", text, rule)
            return False
        return True

    def _fault(self, entry: Entry | None, code: str, text: str, rule: str) -> None:
        line, column = (entry.line, entry.column) if entry else (0, 0)
        self.faults.append(Fault(code=code, text=text, rule=rule, line=line, column=column))


def _sum(entry: Entry) -> Fraction:
    return sum((points for _, points in entry.parts), Fraction(0))


def _whole(entry: Entry) -> dict[str, int]:
    """The points of an entry by source."""
    parts: dict[str, int] = {}
    for source, points in entry.parts:
        parts[source] = parts.get(source, 0) + int(points)
    return parts


def _said(entry: Entry) -> str:
    return f"{entry.item} #{entry.shield}" if entry.shield else entry.item


def _number(points: Fraction) -> str:
    """``2``, ``2.5``, ``2/3``."""
    if points.denominator == 1:
        return str(points.numerator)
    return f"{float(points):g}" if points.denominator in (2, 4, 5, 10) else str(points)
