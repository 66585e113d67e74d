"""Write the order draft that a player fills in, from the state of the player's ships.

A hint in a draft is an order line with one ``#`` in front; a player uses the line by removing the ``#``. Such a
line must not be refused, so :func:`usable` tests every hint. A refused hint becomes a comment that says why. Hints
for the energy form are tested first, with the rest of the draft unchanged. Hints for other orders are then tested
together with the accepted hints for the energy form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.ships import ShipClass, ship_class, weapon_place
from pbem.data.terms import DISCHARGED, SOURCE_WORDS, CloakState, FormKind, StepName
from pbem.engine.checking.check import check, faults_in
from pbem.engine.checking.outlook import is_over
from pbem.engine.legal.acts import speeds
from pbem.engine.legal.energy_fields import line_of, unpaid
from pbem.engine.play.orders_in_force import orders_in_force
from pbem.engine.relations import commanded_ships, targets, unguided
from pbem.engine.state import Request, Ship, State, Weapon
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.launching import drones_launched
from pbem.engine.steps.movement import kind_to_use
from pbem.engine.steps.plasma import outlived
from pbem.engine.steps.sensors import cloak_cost, veil_at
from pbem.errors import Fault, NotAllowed
from pbem.orders.draft import DraftRequest, DraftShip, DraftWeapon, draft, prose, usual_entries
from pbem.orders.reader import read_orders
from pbem.reports.draft import systems
from pbem.rules import weapons
from pbem.rules.direct_fire import verify_rate
from pbem.rules.drones import verify_ship_limit
from pbem.rules.energy_form import allot
from pbem.rules.movement import hexes_between, impulse_of
from pbem.rules.plasma import last_moment
from pbem.rules.power import ShipFacts, capacity, warp_boxes
from pbem.rules.weapons import family
from pbem.util import regex

Faults = Callable[[str], Sequence[Fault]]
"""A function that returns the faults of an order file, each with its line number."""

_HINT = regex(r"\s*# (?=\S)")
_SCRIPTED = "scripted"
"""Code of the fault "a plot (planned course) for a ship whose course is fixed by the scenario"."""


def usable(draft: str, faults_of: Faults) -> str:
    """Return the draft text with a comment in place of each hint that would be refused.

    A hint is an order line with ``#`` in front, which a player uses by removing the ``#``. A hint is not refused
    because of faults that the draft has even without hints, such as a ship that would fly off the map.
    """
    return "\n".join(_Trial(draft, faults_of).told())


class _Trial:
    def __init__(self, draft: str, faults_of: Faults) -> None:
        self.lines, self.faults_of = draft.split("\n"), faults_of
        self.section: dict[int, str] = {}
        self._found: dict[tuple[int, ...], set[Fault]] = {}
        heading = ""
        for place, line in enumerate(self.lines):
            if line[:1].isalpha():
                heading = line.split(" ", 1)[0]
            elif _HINT.match(line):
                self.section[place] = heading

    def told(self) -> Iterator[str]:
        """Yield the lines of the draft; a comment with the reason replaces each refused hint."""
        form = [place for place in self.section if self.section[place] == "ENERGY"]
        steering = [place for place in self.section if self.section[place] in ("PLOT", "COURSE")]
        rest = [place for place in self.section if place not in form and place not in steering]
        refused = self._refused(form, ())
        taken = [place for place in form if place not in refused]
        refused |= self._refused(rest, taken)
        for place in steering:  # a plot can have only one way to steer, so each is tested alone
            refused |= self._refused([place], ())
        said = ""
        for place, line in enumerate(self.lines):
            if place not in refused:
                yield line
                continue
            text = _in_words(line, refused[place], steers=place in steering)
            if text and text != said:
                yield prose(text)
            said = text

    def _refused(self, places: Sequence[int], beside: Sequence[int]) -> dict[int, Fault]:
        """Return the refused hints as a dict of line index to fault.

        A hint is an order line with ``#`` in front.

        All hints are first tested together. Then each hint that has faults is tested alone.

        Args:
            places: Line indexes of the hints to test.
            beside: Line indexes of accepted hints to use together with the tested ones.
        """
        found: dict[int, Fault] = {}
        open_ = list(places)
        # The faults of the draft without the hints are computed only if there are faults with the hints.
        while open_ and (all_of_it := self._faults([*beside, *open_])):
            known = self._faults(beside)
            wrong = all_of_it - known
            if not wrong:
                break
            struck = [place for place in open_ if any(fault.line == place + 1 for fault in wrong)] or open_
            for place in struck:
                alone = self._faults([*beside, place]) - known
                if alone:
                    found[place] = min(alone, key=lambda fault: (fault.line != place + 1, fault.line, fault.text))
            open_ = [place for place in open_ if place not in struck]
        return found

    def _faults(self, places: Sequence[int]) -> set[Fault]:
        """Return the faults that the draft has if the ``#`` is removed from the lines at the given indexes."""
        used = tuple(places)
        if used not in self._found:
            lines = list(self.lines)
            for place in used:
                lines[place] = lines[place].replace("# ", "", 1)
            self._found[used] = set(self.faults_of("\n".join(lines)))
        return self._found[used]


def _in_words(line: str, fault: Fault, *, steers: bool) -> str:
    """Return the comment that replaces a refused hint, or an empty text if no comment is needed.

    ``steers`` is true for a hint that shows how plots are written; its comment keeps the example.
    """
    if not steers or fault.code == _SCRIPTED:
        return fault.sentence
    # The hint still shows how plots are written.
    order, _, about = line.replace("# ", "", 1).partition("# ")
    return f"like {order.strip()}: {about}" if about else ""


def draft_for(state: State, scenario: Scenario, request: Request, side: str) -> str:
    """Return the draft (as text) of the orders that a side must give in answer to a request.

    The draft contains the side's old orders that are not finished yet, or hints for a new energy form.
    """
    # In a new turn the draft has new orders; at a break it has the unfinished part of the old ones.
    left = orders_in_force(state, request, side)
    old = left if left and any(unit.plot or unit.do or unit.breaks or unit.damage for unit in left.units) else None

    def faults_of(text: str) -> Sequence[Fault]:
        read = read_orders(text)
        return read.faults or faults_in(state, scenario, request, side, read.orders)

    text = draft(
        DraftRequest(
            game=state.game,
            turn=request.turn,
            side=side,
            reply=request.number,
            form=request.form,
            impulse=request.impulse,
            through=request.through,
        ),
        ships=[
            *(_ship(state, scenario, request, ship) for ship in commanded_ships(state, side)),
            *systems.shuttles(state, scenario, request, side),
        ],
        standing=old,
        enemies=_enemies(state, side),
        stale=check(state, scenario, request, side, old).stale if old else {},
        guided=[(weapon.name, f"at {weapon.at}, after {weapon.target}") for weapon in unguided(state, side)],
    )
    return usable(text, faults_of)


def _enemies(state: State, side: str) -> list[str]:
    """Return the names of enemy units for the examples in a draft.

    They are enemy ships. If there are none, they are monsters, and if there are no monsters either, seeking weapons.
    """
    return (
        [ship.name for ship in targets(state, side, state.ships())]
        or [monster.name for monster in state.monsters() if state.enemies(side, monster.side)]
        or [seeker.name for seeker in state.seekers() if state.enemies(side, seeker.side)]
    )


def _ship(state: State, scenario: Scenario, request: Request, ship: Ship) -> DraftShip:
    has_form, may = engineering.has_form(scenario, ship), speeds(state, scenario, request, ship)
    free = may if may and not may.fixed else None
    if may:
        ship = engineering.readied(ship, scenario, request.turn)
    new_turn = request.form != FormKind.SOP
    facts = facts_for(state, scenario, ship, ()) if new_turn and has_form else None
    prior = facts.prior_speed if facts else ship.speed if new_turn else ship.prior_speed
    first = max(1, request.impulse) + is_over(state, request, StepName.MOVE)
    ahead = hexes_between(ship.speed, first, request.through, state.impulses)
    found = DraftShip(
        name=ship.name,
        class_name=ship.class_name,
        cloak=cloak_cost(scenario, ship),
        quiet=_quiet(state, request, ship),
        cloak_orders=scenario.uses("cloak") and (ship.power.cloak or bool(ship.cloaking.state)),
        position=ship.at,
        entries=tuple(systems.entries(state, scenario, ship)),
        acts=tuple(systems.acts(state, scenario, request, ship)),
        power=_power(ship),
        batteries=(ship.power.batteries, ship.boxes.get("battery", 0)),
        capacitor=(ship.power.capacitor, 0.0 if ship.is_prize else capacity(ship.weapons)),
        weapons=_weapons(state, request, ship),
        prior_speed=free.now if free else prior,
        unpaid=tuple(entry.item for entry in unpaid(facts)) if facts else (),
        opens=request.impulse + is_over(state, request, StepName.LAUNCH),
        top_speed=free.top if free else facts.fastest if facts else None,
        speed=None if new_turn or free else ship.speed,
        hexes=None if new_turn or free else ahead,
        maneuver=None if new_turn else _maneuver(state, request, ship),
        slips=state.options.sideslip,
        form=has_form,
    )
    return _paid(found, facts) if facts else found


def _power(ship: Ship) -> tuple[tuple[str, int], ...]:
    """Return the energy points of a ship by source, such as ``("warp", 16)``; sources without points are left out."""
    boxes = ship.boxes
    power = {"WARP": warp_boxes(boxes), "IMPULSE": boxes.get("impulse", 0), "APR": boxes.get("apr", 0)}
    return tuple((SOURCE_WORDS[source], points) for source, points in power.items() if points)


def _weapons(state: State, request: Request, ship: Ship) -> tuple[DraftWeapon, ...]:
    """Return draft data on a ship's working weapons and on destroyed launch tubes that can still launch."""
    kind, first = ship_class(ship.ship), _first_launch(state, request)
    return tuple(
        _weapon(kind, name, weapon, idle=_idle(state, request, ship, name), locked=ship.is_prize)
        if weapon.working
        else _shot_away(kind, name, weapon, state, idle=_idle(state, request, ship, name))
        for name, weapon in sorted(ship.weapons.items(), key=lambda item: weapon_place(item[0]))
        if weapon.working or outlived(weapon, first, state.impulses)
    )


def _maneuver(state: State, request: Request, ship: Ship) -> tuple[str, str] | None:
    """Return the order for a ship's next tactical maneuver (C5.0), and a comment on how many are paid for.

    The result is ``None`` if the ship cannot make a maneuver while the requested orders are in force.
    """
    first = max(1, request.impulse) + is_over(state, request, StepName.TAC)
    for impulse in range(first, request.through + 1):
        if isinstance(kind_to_use(msgspec.structs.replace(state, turn=request.turn, impulse=impulse), ship), str):
            warp, sublight = f"{ship.power.tactical} by warp power", "1 by impulse power"
            paid = [*([warp] if ship.power.tactical else []), *([sublight] if ship.power.sublight else [])]
            return f"TAC R AT {impulse}", f"L or R; paid for: {' and '.join(paid)}"
    return None


def _paid(ship: DraftShip, facts: ShipFacts) -> DraftShip:
    """Return a copy of the draft data whose ``powered`` is the highest speed that the ship can pay for.

    That speed is at most last turn's speed. The available power is what remains after the usual weapon and phaser
    entries, without batteries. If nothing remains for movement, ``powered`` is the speed that the ship could pay for
    without these entries (B3.0). ``why_slower`` and ``short`` are set too, see :class:`pbem.orders.draft.DraftShip`.
    """
    off = unpaid(facts)
    beside = [entry for entry, _ in usual_entries(ship)]
    more = [entry for entry, _ in ship.entries]
    more += [f"CLOAK {ship.cloak}"] * (ship.cloak is not None)
    more += ["RECHARGE 1"] * (ship.batteries[0] < ship.batteries[1])

    def pays(entries: Sequence[str], speed: int) -> bool:
        lines = read_orders("\n".join(["SHIP X", "ENERGY", *entries]), header=False).orders.units[0].energy or ()
        form = allot((*off, *lines, line_of("SPEED", speed)), facts)
        return not form.faults and not any(line.number == DISCHARGED and line.amount for line in form.balance)

    def fastest(entries: Sequence[str]) -> int:
        return next((speed for speed in range(facts.prior_speed, 0, -1) if pays(entries, speed)), 0)

    speed = fastest(beside)
    why = "beside phasers and weapons" if speed and beside else ship.why_slower
    speed = speed or fastest(())
    return msgspec.structs.replace(ship, powered=speed, why_slower=why, short=not pays([*beside, *more], speed))


def _quiet(state: State, request: Request, ship: Ship) -> int:
    """Return the number of impulses at the start of the turn in which a ship cannot fire.

    The number is 0 unless the ship was under cloak in the turn before (G13.33C).
    """
    first = (request.turn - 1) * state.impulses + 1
    comes_out = ship.cloaking.state == CloakState.CLOAKED and request.form != FormKind.SOP
    return charts.cloak().silent if comes_out or veil_at(ship, first, state.impulses).silent else 0


def _idle(state: State, request: Request, ship: Ship, name: str) -> str:
    """Return the reason why a weapon cannot be used while the requested orders are in force.

    The result is empty if the weapon can be used, or if it may still get energy.
    """
    weapon = ship.weapons[name]
    if name in ship.terms.disabled:
        return "is not used in this scenario"
    if ship.is_prize:
        return "is locked: the ship is captured (D7.0)"
    if request.form == FormKind.SOP and ship.cloaking.state == CloakState.CLOAKED:
        return "is silent under the cloak, all turn (G13.34)"
    if family(weapon.kind).ammunition:
        if not weapon.ammo:
            return "is empty"
        if is_over(state, request, StepName.LAUNCH) and request.impulse == request.through:
            return "launches no more this turn"
    try:
        until = (request.turn - 1) * state.impulses + request.through
        shots = max(1, weapon.shots)  # for launches `shots` is 0
        verify_rate(name, weapon.fired, until, state.impulses, shots=shots, most=weapons.shots(weapon.kind))
    except NotAllowed as refused:
        return refused.text.removeprefix(f"{name} ")
    if family(weapon.kind).ammunition and state.turn == request.turn:
        try:
            verify_ship_limit(drones_launched(state, ship), ship_class(ship.ship).drone_limit)
        except NotAllowed as refused:
            return f"launches no more: {refused.text}"
    new_turn = request.form != FormKind.SOP
    return family(weapon.kind).unready(weapon.charge, weapon.armed_turns, new_turn=new_turn)


def _weapon(kind: ShipClass, name: str, weapon: Weapon, *, idle: str, locked: bool) -> DraftWeapon:
    """Return the draft data on a working weapon; no energy is offered for a ``locked`` weapon."""
    arms = family(weapon.kind)
    state, energy = arms.hint(weapon.charge, weapon.armed_turns, weapon.ammo)
    energy = "" if locked else energy
    return DraftWeapon(name=name, state=state, arc=kind.arc(name), energy=energy, launches=arms.launches, idle=idle)


def _first_launch(state: State, request: Request) -> int:
    """Return the first impulse in which the requested orders can launch anything.

    Impulses are counted from the start of the game.
    """
    over = is_over(state, request, StepName.LAUNCH)
    return (request.turn - 1) * state.impulses + max(1, request.impulse) + over


def _shot_away(kind: ShipClass, name: str, weapon: Weapon, state: State, *, idle: str) -> DraftWeapon:
    """Return the draft data on a destroyed launch tube that can still launch (FP1.7).

    Such a tube can launch only a weapon that was already armed. The tube takes no more energy.
    """
    until = impulse_of(last_moment(weapon.destroyed or 0, state.impulses), state.impulses)
    said = f"its tube is shot away, launch it by impulse {until} (FP1.7)"
    return DraftWeapon(name=name, state=said, arc=kind.arc(name), launches=True, idle=idle)
