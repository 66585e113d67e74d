"""Check the orders with which a side answers a request, whether to preview them or to file them.

Orders that can never be legal are refused. All other orders are legal, or depend on what happens in the game. The check
plays and changes nothing. It collects all faults of an order file. :mod:`pbem.engine.checking.plots` checks the lines
of a plot, and :mod:`pbem.engine.checking.activities` the lines of the sections DO, BREAK and DAMAGE.
:mod:`pbem.engine.checking.never` finds legal lines that can never act.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.terms import TOTAL, FormKind, StepName
from pbem.engine.checking import shuttles as check_shuttles
from pbem.engine.checking.activities import check_break, check_damage, check_guidance, check_order, check_own_break
from pbem.engine.checking.conditions import never_meets
from pbem.engine.checking.never import decides_nothing, never_breaks, never_made, never_reacts
from pbem.engine.checking.outlook import Outlook, is_over
from pbem.engine.checking.plots import check_pilot, check_reaction, check_script, check_tac, script_of
from pbem.engine.checking.units import check_units, correct_unit_names, hint
from pbem.engine.checking.weapons import Taken, earlier_users
from pbem.engine.conditions.scene import named
from pbem.engine.on_file import altered
from pbem.engine.play.orders_in_force import InForce, orders_in_force
from pbem.engine.relations import commanded_ships, manned_shuttles, ships_of, unguided
from pbem.engine.state import Commanded, Request, Ship, Shuttle, State, ThisTurn
from pbem.engine.steps import engineer as engineering, tractors
from pbem.engine.steps.energy import as_allotted, reckon
from pbem.engine.steps.sensors import at_start_of_turn
from pbem.engine.steps.steering import Forecast, forecast
from pbem.errors import Fault, NotAllowed, first_faults
from pbem.orders import model as om, vocabulary as words
from pbem.rules.boarding import verify_obeys
from pbem.rules.energy_form import Allotment, BalanceLine
from pbem.rules.power import total_of
from pbem.util import only, several

replace = msgspec.structs.replace

POWER: Final = 4
"""The line of the energy form with the total power that the ship makes."""


class LineNote(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one line of the orders: ``legal`` or ``depends``.

    If the verdict is ``depends``, ``why`` says what the line depends on.
    """

    line: int
    text: str
    verdict: str
    why: str = ""


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check of orders. Orders with faults cannot be filed.

    Attributes:
        faults: All faults, sorted by their place in the order file.
        lines: The verdicts on the lines.
        balance: The energy balance (what is produced and spent), by ship.
        form: The text of the energy form in its standard spelling, by ship.
        plots: The forecast path of each plot, by unit.
        notes: Remarks for the player that do not prevent filing.
        stale: For lines that repeat the orders in force but can no longer act in full: a dict of (unit, text of the
            line) to the reason.
    """

    faults: tuple[Fault, ...] = ()
    lines: tuple[LineNote, ...] = ()
    balance: dict[str, tuple[BalanceLine, ...]] = {}
    form: dict[str, tuple[str, ...]] = {}
    plots: dict[str, tuple[tuple[int, str, str], ...]] = {}
    notes: tuple[str, ...] = ()
    stale: dict[tuple[str, str], str] = {}


def check(state: State, scenario: Scenario, request: Request, side: str, orders: om.Orders) -> CheckResult:
    """Return the result of checking a side's orders, which answer ``request``.

    ``state`` is the state at the time of the request.
    """
    return _Check(state, scenario, request, side, orders).run()


def faults_in(state: State, scenario: Scenario, request: Request, side: str, orders: om.Orders) -> tuple[Fault, ...]:
    """Return only the faults that :func:`check` would find.

    This function is faster than :func:`check`; programs use it to try out orders.
    """
    return _Check(state, scenario, request, side, orders, verdicts=False).run().faults


class _Check:
    def __init__(
        self,
        state: State,
        scenario: Scenario,
        request: Request,
        side: str,
        orders: om.Orders,
        *,
        verdicts: bool = True,
    ) -> None:
        self.state, self.scenario, self.request, self.side, self.orders = state, scenario, request, side, orders
        self.verdicts = verdicts  # whether to find out what the legal lines depend on
        self.faults: list[Fault] = []
        self.lines: list[LineNote] = []
        self.notes: list[str] = []
        self.balance: dict[str, tuple[BalanceLine, ...]] = {}
        self.form: dict[str, tuple[str, ...]] = {}
        self.plots: dict[str, tuple[tuple[int, str, str], ...]] = {}
        self.tows: dict[str, int] = {}
        self.stale: dict[tuple[str, str], str] = {}

    @cached_property
    def force(self) -> InForce:
        """The orders of the side that were in force before the orders being checked.

        The orders in force are computed only when a faulty line must be compared with them, because most orders have no
        faults.
        """
        return InForce(orders_in_force(self.state, self.request, self.side))

    def run(self) -> CheckResult:
        if self.orders.unchanged:
            self._continue()
        elif self.orders.alone and self.request.asks(self.side):
            self.notes.append(f"{self.side} {words.ALONE[self.orders.alone][1]} before anything else is played")
        elif not self.request.asks(self.side):
            self._fault(
                "not-asked",
                f"the game is not waiting for orders of {self.side} now; it waits for {', '.join(self.request.sides)}",
            )
        else:
            self._blocks()
        return CheckResult(
            faults=first_faults(sorted(dict.fromkeys(self.faults), key=lambda fault: (fault.line, fault.column))),
            lines=tuple(self.lines),
            balance=self.balance,
            form=self.form,
            plots=self.plots,
            notes=tuple(self.notes),
            stale=self.stale,
        )

    def _fault(self, code: str, text: str, rule: str = "", at: om.SourceLine | None = None) -> None:
        line, column = (at.line, at.column) if at else (0, 0)
        self.faults.append(Fault(code=code, text=text, rule=rule, line=line, column=column))

    def _continue(self) -> None:
        if self.request.form != FormKind.SOP or self.request.impulse == 0 or self.side not in self.state.standing:
            self._fault("nothing-to-continue", "send a whole form instead of CONTINUE: CONTINUE only answers a break")

    def _blocks(self) -> None:
        with_block: set[str] = set()
        self.orders, taken = correct_unit_names(self.orders, self.state, self.side)
        self.notes += [*taken, *_below_shuttles(self.orders.units)]
        for block in self.orders.units:
            if not block.unit:
                self._side_block(block)
            elif block.shuttle:
                self._shuttle(block, with_block)
            else:
                self._ship_block(block, with_block)
        self._ships_without_block(with_block)
        self._weapons_and_shuttles_without_orders(with_block)

    def _side_block(self, block: om.UnitOrders) -> None:
        """Check the lines above all unit blocks, which are GUIDE orders for seeking weapons, and breaks.

        A break is a condition on which play stops and the side is asked for new orders.
        """
        for order in block.do:
            faults, why = check_guidance(self.state, self.request, self.side, order)
            self._judge(block.unit, order, faults, why)
        for line in block.breaks:
            why = never_breaks(self.state, self.request, line)
            self._judge(block.unit, line, check_own_break(self.state, self.side, line), why)

    def _ship_block(self, block: om.UnitOrders, with_block: set[str]) -> None:
        """Check the block of orders for one ship.

        ``with_block`` are the units that already had a block in this order file; a second block for a unit is a fault.
        """
        faults_before = len(self.faults)
        ship = self._ship_of(block)
        if ship is None:
            self._excuse_block(block, faults_before)
        elif ship.name in with_block:
            self._fault("two-blocks", f"{ship.name} has two blocks; put all its orders in one", at=block)
        else:
            with_block.add(ship.name)
            self._block(ship, block)

    def _ships_without_block(self, with_block: set[str]) -> None:
        """Report each ship without orders: a fault if it must have an energy form, otherwise a note."""
        mine = {ship.name: ship for ship in commanded_ships(self.state, self.side)}
        for name in sorted(mine.keys() - with_block):
            if self.request.form in (FormKind.EAF, FormKind.FULL) and engineering.has_form(self.scenario, mine[name]):
                self._fault(
                    "ship-missing",
                    f"{name} has no block; write SHIP {name} and its ENERGY form, which may be empty",
                    "B3.0",
                )
            elif self.request.form != FormKind.EAF:
                self.notes.append(f"{name} has no orders: it flies straight on and holds its fire")

    def _weapons_and_shuttles_without_orders(self, with_block: set[str]) -> None:
        """Add notes that say what drones and manned shuttles without orders will do."""
        if unguided(self.state, self.side) and not any(block.do for block in self.orders.units):
            self.notes.append("the drones have no orders: each flies by the special rule of F2.0")
        for shuttle in manned_shuttles(self.state, self.side) if self.request.form != FormKind.EAF else ():
            if shuttle.name not in with_block:
                does = f"stays on {shuttle.landed}" if shuttle.landed else "flies straight on"
                self.notes.append(f"{shuttle.name} has no orders: it {does} and holds its fire")

    def _excuse_block(self, block: om.UnitOrders, faults_before: int) -> None:
        """Turn the faults of a unit's block into notes if the same block was already in force.

        The parts of the repeated block that can still act are carried out. ``faults_before`` is the number of faults
        found before this block was checked.
        """
        if self.force.has_block(block.unit):
            self.notes += [
                f"the block of {block.unit} is from an earlier request: {fault.text}"
                for fault in self.faults[faults_before:]
            ]
            del self.faults[faults_before:]

    def _ship_of(self, block: om.UnitOrders) -> Ship | None:
        found = named(self.state, block.unit)
        ours = [unit for unit in found if unit.belongs_to(self.side)]
        mine = [ship.name for ship in ships_of(self.state, self.side)]
        if not found:
            text = f"there is no ship {block.unit!r}; yours: {', '.join(mine) or 'none'}{hint(block.unit, mine)}"
            self._fault("unknown-ship", text, at=block)
        elif not ours:
            self.faults.append(
                block.wrong("not-your-ship", f"{found[0].name} is not {self.side}'s", choices=tuple(mine))
            )
        elif (unit := only(ours)) is None:
            choices = tuple(sorted(one.name for one in ours))
            self.faults.append(
                block.wrong("ambiguous-ship", f"{block.unit!r} can mean {' or '.join(choices)}", choices=choices)
            )
        elif not unit.in_play:
            self._fault("out-of-play", f"{unit.name} is out of play ({unit.gone})", at=block)
        elif isinstance(unit, Shuttle):
            self._fault("not-a-ship", f"{unit.name} is a shuttle; begin its block with SHUTTLE {unit.name}", at=block)
        elif not isinstance(unit, Ship):
            self._fault("not-a-ship", f"{unit.name} cannot get orders of its own", at=block)
        elif unit.terms.immobile:
            self._fault("not-a-ship", f"{unit.name} neither moves nor fires in this scenario", at=block)
        else:
            try:
                verify_obeys(unit.name, not unit.obeys)
            except NotAllowed as refused:
                self.faults.append(refused.fault(block.line, block.column))
                return None
            return unit
        return None

    def _shuttle(self, block: om.UnitOrders, with_block: set[str]) -> None:
        """Check the block of orders for one shuttle: its speed, plot and orders.

        For a shuttle that is not launched yet, only faults that will still exist after its launch are reported.
        """
        faults_before = len(self.faults)
        try:
            shuttle = check_shuttles.shuttle_of(self.state, self.scenario, self.side, block)
            if shuttle.name in with_block:
                self._fault("two-blocks", f"{shuttle.name} has two blocks; put all its orders in one", at=block)
                return
            with_block.add(shuttle.name)
        except NotAllowed as refused:
            self.faults.append(refused.fault(block.line, block.column))
            self._excuse_block(block, faults_before)
            return
        try:
            ready = check_shuttles.announced(self.state, self.request, shuttle, block)
        except NotAllowed as refused:
            place = _place(block.speed_place, block)
            self.faults.append(refused.fault(place.line, place.column))
            return
        if block.position and block.position != shuttle.at:
            where = f"at {shuttle.at}" if shuttle.hex else "not launched yet"
            self._fault("position", f"{shuttle.name} is {where}, not at {block.position}", at=block)
        if self.request.form == FormKind.EAF and not (block.plot or block.do):
            return
        if shuttle.hex:
            self._plot(ready, block)
        elif not check_shuttles.launches_manned(self.orders):
            self.notes.append(f"{shuttle.name}: no order launches a manned shuttle, so its block does nothing (J2.22)")
        if not shuttle.hex and block.plot is not None:
            self._steering(shuttle, block.plot)
            faults = list(check_shuttles.check_future_plot(shuttle, block.plot))
            self._judge(shuttle.name, block.plot, faults, "on its launch")
        for order in block.do:
            faults, why = check_shuttles.check_order(self.state, self.request, ready, order)
            self._judge(shuttle.name, order, faults, why)

    def _block(self, ship: Ship, block: om.UnitOrders) -> None:
        if block.position and block.position != ship.at:
            self._fault("position", f"{ship.name} is at {ship.at}, not at {block.position}", at=block)
        has_form = engineering.has_form(self.scenario, ship)
        wants_energy = self.request.form in (FormKind.EAF, FormKind.FULL) and has_form
        allotted = self._energy(ship, block) if wants_energy else None
        self._misplaced(ship, block, has_form=has_form, wants_energy=wants_energy)
        ready = self._cloaked(as_allotted(self.state, ship, allotted)) if allotted else self._readied(ship, block)
        only_energy = self.request.form == FormKind.EAF and not (block.plot or block.do or block.breaks or block.damage)
        if only_energy:
            return
        ready, towing = tractors.as_towing(self.state, ready, new_turn=wants_energy)
        self.notes += towing
        changes = tractors.speed_changes(self.state, ready, block.do, max(1, self.request.impulse))
        if changes is not None:
            self.tows[ship.name] = changes
        flight = self._plot(ready, block)
        outlook = Outlook(
            state=self.state,
            scenario=self.scenario,
            request=self.request,
            ship=ready,
            at=flight.at,
            certain_until=min(
                flight.certain_until, tractors.certain_until(self.state, self.scenario, ready, self.request)
            ),
            speeds_known=self.request.impulse > 0,
        )
        self._orders(outlook, block)

    def _misplaced(self, ship: Ship, block: om.UnitOrders, *, has_form: bool, wants_energy: bool) -> None:
        """Report an energy form or a speed in a ship's block if this request does not allow it there."""
        if block.energy is not None and not has_form:
            no = f"{ship.name} has no energy form" if self.scenario.uses("energy") else "no energy is allocated"
            speed = f"SPEED {self._may_say(ship, block)}"
            text = f"{no} in this scenario; write the speed of {ship.name} on a line of its own: {speed}"
            self._fault("no-energy-form", text, self._rule(), _place(block.energy_place, block))
        elif not wants_energy and block.energy is not None:
            text = f"leave out ENERGY: the energy of {ship.name} for this turn is already allocated"
            self._fault("energy-fixed", text, "B3.0", _place(block.energy_place, block))
        if has_form and block.speed is not None:
            text = f"write SPEED {block.speed} below ENERGY: the speed of {ship.name} is part of its energy form"
            if not wants_energy:
                text = f"leave out SPEED: the speed of {ship.name} is {ship.speed} until the next turn"
            self._fault("speed-place", text, "B3.0", _place(block.speed_place, block))

    def _orders(self, outlook: Outlook, block: om.UnitOrders) -> None:
        """Check the lines of the sections DO, BREAK and DAMAGE in a ship's block."""
        ship = outlook.ship
        taken: Taken = {}
        checked = [(order, *check_order(outlook, order, taken, verdict=self.verdicts)) for order in block.do]
        for order, faults, why in checked:
            first = earlier_users(order, taken) if self.verdicts else ""
            self._judge(ship.name, order, faults, f"{why} and {first}" if first else why)
        for line in block.breaks:
            why = never_breaks(self.state, self.request, line, ship.name) if self.verdicts else ""
            self._judge(ship.name, line, check_break(outlook, line), why)
        for choice in block.damage:
            why = decides_nothing(outlook, choice) if self.verdicts else ""
            self._judge(ship.name, choice, check_damage(outlook, choice), why)

    def _may_say(self, ship: Ship, block: om.UnitOrders) -> int:
        """Return the speed of a ship without an energy form: the ordered speed if legal, else the present one."""
        if self.request.impulse > 0:
            return ship.speed
        asked = next((int(total_of(entry)) for entry in block.energy or () if entry.item == "SPEED"), None)
        try:
            return engineering.speed_for(ship, self.scenario, asked)
        except NotAllowed:
            return engineering.speed_for(ship, self.scenario, None)

    def _readied(self, ship: Ship, block: om.UnitOrders) -> Ship:
        """Return a ship without an energy form as the Chief Engineer (the program) prepares it for the turn.

        A ship with an energy form is returned unchanged. A ship without an energy form may name a speed only at the
        start of a turn.
        """
        if engineering.has_form(self.scenario, ship):
            return ship
        if self.request.impulse > 0:
            if block.speed not in (None, ship.speed):
                text = f"the speed of {ship.name} is {ship.speed} until the next turn"
                self._fault("speed-fixed", text, "C1.43", _place(block.speed_place, block))
            return ship
        try:
            readied = engineering.readied(ship, self.scenario, self.request.turn, block.speed)
            return replace(readied, this_turn=ThisTurn())
        except NotAllowed as refused:
            place = _place(block.speed_place, block)
            self.faults.append(refused.fault(place.line, place.column))
            return engineering.readied(ship, self.scenario, self.request.turn)

    def _judge(self, unit: str, line: om.SourceLine, faults: Sequence[Fault], why: str) -> None:
        if self._refused(unit, line, faults):
            return
        if faults:
            reasons = "; ".join(fault.sentence for fault in faults)
            why = f"it is an earlier order, but {reasons}"
            self.stale[unit, line.text] = reasons
        self.lines.append(LineNote(line=line.line, text=line.text, verdict="depends" if why else "legal", why=why))

    def _refused(self, unit: str, line: om.SourceLine, faults: Sequence[Fault]) -> bool:
        """Report the faults of a line, and return whether the line is refused.

        A line without faults is not refused. A line that was already in force is not refused either, because CONTINUE
        would keep it too. The parts of such a line that can still act are carried out.
        """
        if not faults or self.force.has(unit, line):
            return False
        self.faults += faults
        return True

    def _energy(self, ship: Ship, block: om.UnitOrders) -> Allotment | None:
        if block.energy is None:
            text = f"{ship.name} has no ENERGY form; write ENERGY, even with nothing below it"
            self._fault("energy-missing", text, "B3.0", block)
            return None
        # The form is computed as if the new turn had begun, without last turn's disruptor energy (E3.2).
        allotment = reckon(self.state, self.scenario, ship, block.energy)
        self.faults += allotment.faults
        self.balance[ship.name] = allotment.balance
        self.form[ship.name] = allotment.lines
        self.notes += [f"{ship.name}: {note}" for note in (*_unused(block.energy, allotment.balance), *allotment.notes)]
        for entry in block.energy:
            if not any(fault.line == entry.line and fault.column == entry.column for fault in allotment.faults):
                self.lines.append(LineNote(line=entry.line, text=entry.text, verdict="legal"))
        return allotment

    def _steering(self, ship: Commanded, plot: om.Plot) -> None:
        """Check the parts of a plot that do not depend on the position of the unit."""
        if isinstance(ship, Ship):
            self.faults += check_script(self.state, self.scenario, self.request, ship, plot)
        for reaction in plot.reactions:
            faults = list(check_reaction(self.state, self.request, ship, reaction, sure=self.tows.get(ship.name)))
            never_does = never_reacts(self.state, self.request, ship, reaction)
            why = never_does or ("on its condition" if reaction.condition else "")
            self._judge(ship.name, reaction, faults, why)
        never = never_made(self.state, self.request, ship, plot.tacs) if isinstance(ship, Ship) else {}
        for tac in plot.tacs:
            asked = "its condition and " if tac.condition else ""
            never_does = never.get(tac.line) or never_meets(self.state, self.request, ship, tac)
            why = never_does or f"on {asked}the maneuvers earned by then"
            self._judge(ship.name, tac, list(check_tac(self.state, self.scenario, self.request, ship, tac)), why)
        if plot.leave_map and self.scenario.keeps_on_map(ship.side):
            self._fault("no-leaving", f"{ship.name} must not leave the map in this scenario", self._rule(), plot)
        if plot.pilot is not None:
            faults = list(check_units(self.state, ship, [plot.pilot.unit], plot, plot.pilot.condition))
            faults += check_pilot(self.state, ship, plot.pilot, plot)
            if faults and not self.force.has_course(ship.name, plot):
                self.faults += faults

    def _plot(self, ship: Commanded, block: om.UnitOrders) -> Forecast:
        """Check the plot in a unit's block, and return the forecast of the unit's flight."""
        if block.plot is not None:
            self._steering(ship, block.plot)
        flight = self._forecast(ship, block.plot)
        self.notes += [f"{ship.name}: {note}" for note in flight.notes]
        self.plots[ship.name] = flight.path
        if flight.faults and not self.force.has_course(ship.name, block.plot):
            self.faults += flight.faults
        elif flight.faults:
            self.notes += [f"{ship.name}, as ordered before: {fault.text}" for fault in flight.faults]
            flight = replace(flight, faults=())
        if block.plot is not None and not flight.faults:
            depends = flight.certain_until < self.request.through
            why = flight.notes[-1] if depends and flight.notes else ""
            self.lines.append(
                LineNote(line=block.plot.line, text=block.plot.text, verdict="depends" if depends else "legal", why=why)
            )
        return flight

    def _forecast(self, ship: Commanded, plot: om.Plot | None) -> Forecast:
        """Return the forecast of a unit's flight in the impulses of the request."""
        flight = forecast(
            self.state,
            ship,
            plot,
            first=max(1, self.request.impulse),
            through=self.request.through,
            moved=is_over(self.state, self.request, StepName.MOVE if isinstance(ship, Ship) else StepName.SHUTTLES),
            tows=self.tows.get(ship.name),
            kept=self.scenario.keeps_on_map(ship.side),
        )
        if isinstance(ship, Ship) and script_of(self.scenario, ship) and self.scenario.keeps_on_map(ship.side):
            # Its owner may only order straight ahead; at the edge of the map the program turns it.
            keeps = tuple(fault for fault in flight.faults if fault.code != "leaves-map")
            turns = ("it turns by itself at the edge of the map",) if keeps != flight.faults else ()
            flight = replace(flight, faults=keeps, notes=flight.notes + turns)
        return flight

    def _cloaked(self, ship: Ship) -> Ship:
        """Return the ship with the cloak status that its announcement for the turn gives it (G13.1).

        Cloaks are announced after energy allocation.
        """
        first = (self.request.turn - 1) * self.state.impulses + 1
        status, since = at_start_of_turn(self.scenario, ship, paid=ship.power.cloak, first=first)
        return altered(ship, cloak=status, cloak_since=since)

    def _rule(self) -> str:
        return f"scenario #{self.scenario.number}"


def _unused(entries: Sequence[object], balance: Sequence[BalanceLine]) -> Iterator[str]:
    """Yield a note if an energy form is empty or spends nothing, which may be an unedited draft."""
    amounts = {line.number: line.amount for line in balance}
    unused = amounts[POWER] - amounts[TOTAL]
    if unused > 0 and not (entries and amounts[TOTAL]):
        yield f"you allocated no energy: {several(unused, 'point is', 'points are')} unused"


def _below_shuttles(blocks: Sequence[om.UnitOrders]) -> Iterator[str]:
    """Yield notes on sections that follow a shuttle's block but count for the ship above it.

    An ENERGY, BREAK or DAMAGE section belongs to the ship above the shuttle (docs/orders.md).
    """
    for ship in blocks:
        sections = (("ENERGY", ship.energy or ()), ("BREAK", ship.breaks), ("DAMAGE", ship.damage))
        for heading, lines in sections if not ship.shuttle else ():
            above = [max((b for b in blocks if b.line < line.line), key=_line_of, default=ship) for line in lines]
            for name in dict.fromkeys(block.unit for block in above if block.shuttle):
                yield (
                    f"{heading} below SHUTTLE {name} is taken for {ship.unit}, the ship above it: a shuttle has "
                    "SPEED, PLOT and DO alone"
                )


def _line_of(line: om.SourceLine) -> int:
    return line.line


def _place(place: om.SourceLine, block: om.UnitOrders) -> om.SourceLine:
    """Return the place (line) in the order file where a part of a block is written.

    If the place is unknown, the place of the block's heading is returned.
    """
    return place if place.line else block
