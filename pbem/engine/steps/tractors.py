"""Play tractor beams (G7.0): they take hold of units, tow them and release them.

A link is the connection between a beam and the unit it holds. The events that end a link, and the effect of towing on a
ship's speed, are in :mod:`pbem.engine.steps.tractor_links`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_uppercase

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind
from pbem.engine import events as ev
from pbem.engine.checking.outlook import Outlook, least_range, verify_reserve_used
from pbem.engine.conditions.scene import Scene, targets_of, unit_named, units_of
from pbem.engine.order_systems import SYSTEMS, System
from pbem.engine.play.resolution import Intent, Resolution
from pbem.engine.state import AnyUnit, Link, Monster, Request, Ship, Shuttle, State
from pbem.engine.steps import tractor_links as links
from pbem.engine.steps.geometry import range_between
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.orders.activities import paid_text
from pbem.rules import hexes, tractors as law
from pbem.rules.movement import turn_of
from pbem.rules.power import TRACTOR, verify_reserve

SYSTEM = "tractor"
"""The name of the tractor beam boxes on the SSD."""


class BeamHold(msgspec.Struct, frozen=True, kw_only=True):
    """One beam of a ship that takes hold of a unit in this step.

    Attributes:
        ship: The ship with the beam.
        beam: The letter of the beam.
        target: The unit that the beam takes hold of.
        chosen: Whether the engine chose the beam because the order named none.
        reserve: Whether batteries pay for the beam.
    """

    ship: str
    beam: str
    target: str
    chosen: bool
    reserve: bool


class Beams:
    """The tractor beams that a ship can still use in one step.

    Orders use the beams in the sequence in which the orders are listed.
    """

    def __init__(self, state: State, ship: Ship) -> None:
        self.ship, self.moment, self.impulses = ship, state.moment, state.impulses
        self.holding = {link.beam: link for link in state.held_by(ship.name)}
        self.released = dict(ship.released)
        self.planned: set[str] = set()
        self.used = {*ship.this_turn.beams_used, *self.holding}
        self.powered = len(ship.power.tractors)
        self.batteries = ship.power.batteries

    def copy(self) -> Beams:
        """Return an independent copy, so that an order can be tried without using up beams."""
        other = Beams.__new__(Beams)
        other.__dict__.update(self.__dict__)
        other.holding, other.released = dict(self.holding), dict(self.released)
        other.used, other.planned = set(self.used), set(self.planned)
        return other

    @property
    def working(self) -> int:
        """The number of working tractor beams."""
        return self.ship.boxes.get(SYSTEM, 0)

    def let_go(self, beam: str) -> list[Link]:
        """Release one beam, or all beams if none is named, and return the tractor links that end (G7.12).

        Raises:
            NotAllowed: The named beam holds nothing; or no beam is named, and the ship holds nothing.
        """
        letter = letter_of(beam)
        held = [link for name, link in sorted(self.holding.items()) if name not in self.planned]
        ended = [link for link in held if not letter or link.beam == letter]
        if not ended:
            text = f"tractor beam {letter} holds nothing" if letter else f"{self.ship.name} holds nothing"
            raise NotAllowed("holds-nothing", text, "G7.12")
        for link in ended:
            del self.holding[link.beam]
            self.released[link.beam] = self.moment
        return ended

    def take(self, order: om.Tractor, target: str) -> BeamHold:
        """Reserve a beam for an order, and return the beam with its target (G7.13).

        The beam is the one that the order names, otherwise the first usable beam; beams that have energy are tried
        first.

        Raises:
            NotAllowed: No beam may be used.
        """
        letters = [*ascii_uppercase[: self.working]]
        letters.sort(key=lambda letter: letter not in self.ship.power.tractors)
        wanted = [letter_of(order.beam)] if order.beam else letters
        if not wanted:
            raise NotAllowed("no-tractor", f"{self.ship.name} has no working tractor beam", "G7.34")
        refusals: list[NotAllowed] = []
        for beam in wanted:
            try:
                reserve = self._verify(beam, order.reserve)
            except NotAllowed as refused:
                refusals.append(refused)
                continue
            self.holding[beam] = Link(ship=self.ship.name, beam=beam, target=target, since=self.moment)
            self.used.add(beam)
            self.planned.add(beam)
            if reserve:
                self.powered += 1
                self.batteries -= law.energy_for(1)
            return BeamHold(ship=self.ship.name, beam=beam, target=target, chosen=not order.beam, reserve=reserve)
        raise refusals[-1]  # report the last refusal: the first beams may only be busy

    def _verify(self, beam: str, reserve: bool) -> bool:
        """Check that the beam may be used now, and return whether batteries must pay for it.

        Raises:
            NotAllowed: The beam may not be used now.
        """
        needed = reserve and len(self.used) >= self.powered
        law.verify_beam(
            beam=beam,
            working=self.working,
            powered=self.powered + needed,
            used=len(self.used),
            linked=beam in self.holding,
            released=self.released.get(beam),
            moment=self.moment,
            impulses=self.impulses,
        )
        if len(self.holding) >= self.working:
            # A link may outlast the box of its letter, so the number of links is compared with the number of boxes.
            text = f"the {self.working} working tractor beams of {self.ship.name} are all holding something"
            raise NotAllowed("no-tractor", text, "G7.34")
        if len(self._done()) >= self.working:
            text = f"the {self.working} working tractor beams of {self.ship.name} have all been used for now"
            raise NotAllowed("tractor-used", text, "G7.13")
        if needed:
            verify_reserve(TRACTOR, points=law.energy_for(1), stored=self.batteries)
        return needed

    def _done(self) -> set[str]:
        """Return the letters of the beams that cannot be used any more in this step.

        Such beams were used this turn, or released a unit too recently. The result may include letters of beams whose
        boxes are destroyed.
        """
        return self.used | {beam for beam, when in self.released.items() if law.rests(when, self.moment, self.impulses)}


def letter_of(beam: str) -> str:
    """Return the letter of a tractor beam that an order names by number or by letter.

    ``2`` is ``B``, as on the energy form.
    """
    return ascii_uppercase[int(beam) - 1] if beam.isdecimal() and 0 < int(beam) <= len(ascii_uppercase) else beam


def verify_hold(state: State, ship: Ship, target: AnyUnit) -> None:
    """Check that a beam of the ship may take hold of the target now (G7.26, G7.31C, G7.32C).

    Raises:
        NotAllowed: The beam may not hold the target.
    """
    law.verify_hold(
        target=target.name,
        kind=links.kind_of(target),
        own=not state.enemies(ship.side, target.side),
        range=range_between(state, ship, target),
        landed=isinstance(target, Shuttle) and bool(target.landed),
    )


# --- the step --------------------------------------------------------------------------------------------------------


def operate(table: Resolution) -> None:
    """Play the tractor step: first units are released, then beams take hold of units (G7.12, G7.3).

    All actions are decided based on the state at the start of the step. So a ship can take hold of a unit in the step
    in which another ship releases it (G7.4).
    """
    before = table.state
    acted: list[tuple[Ship, om.Order, str]] = []
    ended: list[Link] = []
    holds: list[BeamHold] = []
    for ship in before.ships():
        if not table.has_captain(ship):
            continue
        beams = Beams(before, ship)
        for intent in table.captain(ship).intends(table, ship, before, (om.Tractor, om.Release)):
            trial = beams.copy()
            try:
                done = _planned(before, ship, trial, intent)
            except NotAllowed as refused:
                table.failed(ship, intent.order, _said(refused, intent.order))
                continue
            beams = trial
            ended += [one for one in done if isinstance(one, Link)]
            holds += [one for one in done if isinstance(one, BeamHold)]
            acted.append((ship, intent.order, ", ".join(_in_words(one) for one in done)))
    for link in ended:
        links.release(table, link, "let go", "G7.12")
    for hold in holds:
        _take_hold(table, hold)
    _break_doubles(table, sorted({hold.target for hold in holds}))
    for ship, order, what in acted:
        table.acted(ship, order, what)
    links.settle(table)


def _said(refused: NotAllowed, order: om.Order) -> str:
    """Return the reason why an order did not act, as a text for the player who wrote the order.

    An order that waits until it can act gets a fixed text, so that the reason is reported only once.
    """
    if refused.code == "tractor-range" and order.at is None and not order.last:
        return "it waits until the target is within reach of a tractor beam (G7.31)"
    if refused.code == "tractor-reuse" and order.at is None and not order.last:
        return f"it waits until a beam may be used again, {charts.tractors().reuse} impulses after its release (G7.13)"
    return str(refused)


def _in_words(done: Link | BeamHold) -> str:
    return f"{done.target} let go" if isinstance(done, Link) else f"beam {done.beam} holds {done.target}"


def _planned(before: State, ship: Ship, beams: Beams, intent: Intent) -> list[Link | BeamHold]:
    """Return the actions of one order: the tractor links that end, and the beams that take hold.

    Raises:
        NotAllowed: One of the order's activities is not allowed; then the order does nothing.
    """
    done: list[Link | BeamHold] = []
    for activity in intent.order.does:
        if isinstance(activity, om.Release):
            done += beams.let_go(activity.beam)
        elif isinstance(activity, om.Tractor):
            done += _holds(before, ship, beams, activity, intent)
    return done


def _holds(before: State, ship: Ship, beams: Beams, order: om.Tractor, intent: Intent) -> list[BeamHold]:
    """Return the beams that take hold of units because of one TRACTOR order, with their targets.

    If the order names EACH, they take hold of all possible targets, otherwise only of the first possible target.

    Raises:
        NotAllowed: No beam can take hold of a target of the order.
    """
    order = order if order.reserve and before.options.reinforcement else msgspec.structs.replace(order, reserve=False)
    targets = targets_of(order.target, Scene(state=before, me=ship), intent.its)
    if not targets:
        raise NotAllowed("no-target", "there is no such target in play", "")
    found: list[BeamHold] = []
    refusals: list[NotAllowed] = []
    for target in targets:
        try:
            if not order.beam and any(link.target == target.name for link in beams.holding.values()):
                raise NotAllowed("held-already", f"a beam holds {target.name} already", "G7.3")
            verify_hold(before, ship, target)
            found.append(beams.take(order, target.name))
        except NotAllowed as refused:
            refusals.append(refused)
            continue
        if order.target.how != "each":
            break
    if not found:
        raise refusals[0]
    return found


def _take_hold(table: Resolution, hold: BeamHold) -> None:
    side = table.ship(hold.ship).side
    if hold.reserve:
        spent = ev.ReserveSpent(unit=hold.ship, points=law.energy_for(1), purpose=f"{SYSTEM} {hold.beam}", rule="H7.2")
        table.secret(side, spent)
    table.tell(ev.Tractored(unit=hold.ship, beam=hold.beam, target=hold.target, rule="G7.3"))
    if hold.chosen:
        order = f"TRACTOR {hold.target} WITH {hold.beam}{paid_text(hold.reserve)}"
        chose = ev.Chose(side=side, unit=hold.ship, order=order, reason="no beam was named", rule="G7.13")
        table.secret(side, chose)


def _break_doubles(table: Resolution, targets: list[str]) -> None:
    """Break the links to every unit that the beams of two ships hold at once (G7.4)."""
    for name in targets:
        held = sorted(table.state.holders(name), key=lambda link: (link.ship, link.beam))
        if len({link.ship for link in held}) > 1:
            for link in held:
                links.release(table, link, "a beam of another ship is on it too: both links break", "G7.4")


def start_of_turn(table: Resolution) -> None:
    """End the tractor links that are not paid for at the start of a turn (G7.33).

    A link is the connection between a beam and the unit it holds. If a ship pays for fewer beams than it uses to hold
    units, the links that its energy form does not name end. The energy that the ship paid stays secret; the other sides
    only see which links ended.
    """
    state = table.state
    ships = {ship.name: ship for ship in state.ships()}
    powered = {name: len(ship.power.tractors) for name, ship in ships.items()}
    named = {name: _paid_for(state, ship, ship.power.tractors) for name, ship in ships.items()}
    _, ended = law.start_of_turn(links.as_law(state.links), powered, named)
    for link in ended:
        links.release(table, link, "no energy is allocated for it this turn", "G7.33")


def _entries(state: State, ship: Ship) -> dict[str, law.BeamLink]:
    """Return a dict of letter to the tractor link for which the TRACTOR entry of that letter pays.

    The entries are those of the ship's energy form.
    """
    return law.paid_links(links.as_law(state.held_by(ship.name)), ship.boxes.get(SYSTEM, 0))


def _paid_for(state: State, ship: Ship, letters: Sequence[str]) -> list[str]:
    """Return the beams whose tractor links are paid for by the energy form entries with these letters."""
    return [link.beam for letter, link in _entries(state, ship).items() if letter in letters]


# --- what is held goes along -----------------------------------------------------------------------------------------


def carry(table: Resolution, name: str, came_from: str) -> None:
    """Tow the units that a ship holds by the same hex that the ship has just moved (G7.31C).

    Units may be towed off the map. A monster is not moved, because no ship can move one (scenario #11). If a freighter
    in tow holds a unit with its own beam, that unit is moved too.
    """
    if table.state.links and _drag(table, name, came_from, {name}):
        links.settle(table)


def _drag(table: Resolution, name: str, came_from: str, dragged: set[str]) -> bool:
    """Move the units that a ship holds, and return whether the ship holds any units.

    Units in the set ``dragged`` have been moved already and are not moved again.
    """
    held = sorted({link.target for link in table.state.held_by(name)} - dragged)
    for target in held:
        dragged.add(target)
        if isinstance(table.state.units[target], Monster):
            continue
        unit, holder = table.state.units[target], table.ship(name)
        into = law.follow(unit.hex, came_from, holder.hex, table.state.grid)
        if not hexes.on_map(into, table.state.map):
            links.off_the_map(table, target, table.state.tug(name))
            continue
        towed = ev.Towed(unit=target, at=into + unit.facing, by=name, came_from=unit.hex, rule="G7.31C")
        table.tell(towed)
        _drag(table, target, unit.hex, dragged)
    return bool(held)


# --- checking --------------------------------------------------------------------------------------------------------


def still_in_tow(state: State, ship: Ship, items: Sequence[str] | None) -> int:
    """Return the number of freighters that a ship still tows in a new turn (G7.33, G7.4).

    ``items`` are the entries of the ship's energy form, which show for which beams the ship pays. Without ``items`` all
    its tractor links are assumed to continue.
    """
    held = links.as_law(state.held_by(ship.name))
    named = [*_entries(state, ship)]
    if items is not None:
        named = [letter for system, _, letter in (item.partition(" ") for item in items) if system == "TRACTOR"]
    kept, _ = law.start_of_turn(held, {ship.name: len(named)}, {ship.name: _paid_for(state, ship, named)})
    return links.freighters_behind(state, ship.name, (link.target for link in kept))


def speed_changes(state: State, ship: Ship, orders: Sequence[om.Order], first: int) -> int | None:
    """Return the first impulse in which a ship's own orders may begin or end the tow of a freighter.

    The ship's speed changes from the next impulse on (G7.4). The result is ``None`` if the orders neither begin nor
    end a tow.
    """
    holds = links.freighters_in_tow(state, ship.name)
    found: list[int] = []
    for order in orders:
        for one in order.does:
            takes = isinstance(one, om.Tractor) and any(
                links.is_freighter(unit) for unit in units_of(one.target, Scene(state=state, me=ship))
            )
            if takes or (isinstance(one, om.Release) and holds):
                found.append(order.at or first)
    return min(found, default=None)


def certain_until(state: State, scenario: Scenario, ship: Ship, request: Request) -> int:
    """Return the last impulse in which other ships' tractor beams cannot affect this ship's position.

    A ship that may be towed can be moved from the next impulse on (G7.31C). A ship with freighters in tow gets
    faster if another ship ends the tow (G7.4).
    """
    towed = links.may_be_towed(ship) or links.freighters_in_tow(state, ship.name)
    return max(1, request.impulse) if towed and scenario.uses("tractors") else request.through


def paid_on(state: State, ship: Ship) -> tuple[law.BeamLink, ...]:
    """Return the tractor links of a ship that continue in the new turn (G7.33).

    Links continue if the energy form of the ship pays for them.
    """
    held = links.as_law(state.held_by(ship.name))
    named = _paid_for(state, ship, ship.power.tractors)
    return law.start_of_turn(held, {ship.name: len(ship.power.tractors)}, {ship.name: named})[0]


def holds_then(outlook: Outlook, beam: str) -> bool:
    """Return whether a beam holds a unit at the start of the orders that are being checked.

    If ``beam`` is empty, return whether any beam of the ship holds a unit.
    """
    state, ship = outlook.state, outlook.ship
    new_turn = outlook.request.turn != state.turn or outlook.request.impulse == 0
    held = paid_on(state, ship) if new_turn else links.as_law(state.held_by(ship.name))
    return any(not beam or link.beam == letter_of(beam) for link in held)


def as_towing(state: State, ship: Ship, *, new_turn: bool) -> tuple[Ship, list[str]]:
    """Return a ship with its speed adjusted to the freighters in tow (G7.4), and notes for its owner.

    The speed is adjusted only at the start of a turn (``new_turn``); otherwise the ship is returned unchanged.
    """
    held = links.as_law(state.held_by(ship.name))
    if not new_turn or not held:
        return ship, []
    kept = paid_on(state, ship)
    ended = [link for link in held if link not in kept]
    notes = [f"{ship.name} lets go of {link.target}: beam {link.beam} has no energy (G7.33)" for link in ended]
    freighters = links.freighters_behind(state, ship.name, (link.target for link in kept))
    speed = links.speed_in_tow(ship, freighters)
    if speed != ship.speed:
        tow = "a freighter" if freighters == 1 else f"{freighters} freighters"
        notes.append(f"{ship.name} makes speed {speed} with {tow} in tow, {ship.speed} without (G7.4)")
    return msgspec.structs.replace(ship, speed=speed), notes


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error if an order for tractor beams can never be legal; yields no faults.

    Earlier use of a beam in this turn is checked only for orders that name an impulse. Other orders may be left over
    from an earlier draft, and do no harm even if they never act.

    Raises:
        NotAllowed: The ship has no such beam or no energy for its beams, or no beam may hold the target.
    """
    ship = outlook.ship
    working = ship.boxes.get(SYSTEM, 0)
    beam = letter_of(activity.beam if isinstance(activity, om.Tractor | om.Release) else "")
    if not working and isinstance(activity, om.Tractor):
        raise NotAllowed("no-tractor", f"{ship.name} has no working tractor beam", "G7.34")
    if isinstance(activity, om.Tractor):
        if beam and beam not in ascii_uppercase[:working]:
            raise NotAllowed("no-tractor", f"{ship.name} has {working} working tractor beams, but no {beam}", "G7.34")
        _check_energy(outlook, order, activity, beam)
        _check_target(outlook, order, activity)
    elif beam and beam not in {*ascii_uppercase[:working], *(link.beam for link in outlook.state.held_by(ship.name))}:
        raise NotAllowed("no-tractor", f"{ship.name} has {working} working tractor beams, but no {beam}", "G7.34")
    yield from ()


def _check_energy(outlook: Outlook, order: om.Order, activity: om.Tractor, beam: str) -> None:
    ship, sop = outlook.ship, outlook.request.form == FormKind.SOP
    reserve = activity.reserve
    if reserve:
        verify_reserve_used(outlook)
    if reserve and not sop:
        # In the middle of a turn the line may be older than the use of the batteries; then it does nothing.
        verify_reserve(TRACTOR, points=0 if ship.power.tractors else law.energy_for(1), stored=ship.power.batteries)
    if not ship.power.tractors and not reserve:
        text = f"pay for TRACTOR {beam or 'A'} or write WITH RESERVE: {ship.name} has no energy for a beam"
        raise NotAllowed("tractor-unpowered", text, "G7.15")
    if sop and outlook.request.impulse > 0 and order.at is not None and beam:
        when = ship.released.get(beam)
        if when is not None and turn_of(when, outlook.state.impulses) == outlook.request.turn:
            raise NotAllowed("tractor-used", f"tractor beam {beam} was released this turn", "G7.13")


def _check_target(outlook: Outlook, order: om.Order, activity: om.Tractor) -> None:
    target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
    if target is None:
        return
    law.verify_hold(
        target=target.name,
        kind=links.kind_of(target),
        own=not outlook.state.enemies(outlook.ship.side, target.side),
        range=least_range(outlook, order.at, target),
    )


SYSTEMS.update(dict.fromkeys((om.Tractor, om.Release), System("tractors", "tractor beams", "G7.0", check)))
