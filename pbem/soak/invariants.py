"""What must hold whatever anybody orders: each invariant a function with the rule it comes from.

An invariant looks at one :class:`~pbem.soak.games.Stretch` of play and tells every breach in a sentence. Those about a
whole game (:class:`Watch`) remember what they saw before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import msgspec

from pbem.data.ships import ship_class
from pbem.game import events as ev
from pbem.game.events import Record
from pbem.game.fold import apply, fold, fold_records
from pbem.game.log import decode_records, decode_state, encode_records, encode_state
from pbem.game.state import AnyUnit, Seeker, Ship, State
from pbem.orders.reader import read_orders
from pbem.rules import arming, hexes
from pbem.rules.capacitor import capacity
from pbem.rules.fire import turn_of
from pbem.rules.phasers import shots
from pbem.rules.sensors import track_boxes
from pbem.soak.games import Opening, Stretch
from pbem.turn.allocation import facts_for

replace = msgspec.structs.replace

SECRET = ("allotted", "reinforcement", "general", "repairing", "unpaid", "sublight", "cloak_paid")
"""Fields of a ship that others are never told, and that stay at their defaults for them (D4.1)."""

OWNERS_ONLY = (ev.EnergyAllotted, ev.OrderTold, ev.Chose, ev.ReserveSpent, ev.RobotReadied, ev.Readied, ev.Guided)
"""Events that only the side of their unit is told."""


def events_of(stretch: Stretch) -> list[ev.AnyEvent]:
    return [record.event for record in stretch.records]


# --- damage ----------------------------------------------------------------------------------------------------------


def volleys_are_what_struck(stretch: Stretch) -> Iterator[str]:
    """D4.22: a volley is all points that strike one shield in one step, and no others."""
    struck: Counter[tuple[object, ...]] = Counter()
    announced: Counter[tuple[object, ...]] = Counter()
    for event in events_of(stretch):
        match event:
            case ev.Fired(target=unit, shield=shield, points=points) if points and shield:
                struck[event.turn, event.impulse, "resolve", unit, shield] += points
            case ev.Impact(target=unit, shield=shield, points=points) if points and shield:
                struck[event.turn, event.impulse, "impact", unit, shield] += points
            case ev.Volley(unit=unit, shield=shield, points=points):
                announced[event.turn, event.impulse, event.step, unit, shield] += points
    proof = {unit.name for unit in stretch.before.units.values() if isinstance(unit, Ship) and unit.invulnerable}
    for place in {*struck, *announced}:
        if struck[place] != announced[place] and place[3] not in proof:
            yield f"{place}: {struck[place]} points struck, the volley has {announced[place]}"


def every_point_goes_somewhere(stretch: Stretch) -> Iterator[str]:
    """D3.34, D3.21, D4.2: reinforcement, shield boxes and internals add up to the points of the volley."""
    due: dict[tuple[object, ...], int] = {}
    doomed = {event.unit for event in events_of(stretch) if isinstance(event, ev.Destroyed)}
    for event in events_of(stretch):
        if isinstance(event, ev.Volley):
            due[event.turn, event.impulse, event.step, event.unit, event.shield] = event.points
        elif isinstance(event, ev.Damaged):
            place = event.turn, event.impulse, event.step, event.unit, event.shield
            gone = event.general + event.specific + event.boxes + event.internals
            if due.pop(place, None) != gone:
                yield f"{place}: {gone} points scored of another volley, or of none"
            if min(event.general, event.specific, event.boxes, event.internals, event.left) < 0:
                yield f"{place}: something less than nothing: {event}"
    # A ship that a volley destroyed takes no others of that step (D4.4).
    for where, points in due.items():
        if where[3] not in doomed:
            yield f"{where}: {points} points were never scored"


def every_internal_point_destroys_a_box(stretch: Stretch) -> Iterator[str]:
    """D4.2: one box for each internal point, unless the ship is destroyed before, or has an abstract track."""
    boxes: Counter[tuple[object, ...]] = Counter()
    points: Counter[tuple[object, ...]] = Counter()
    doomed = {event.unit for event in events_of(stretch) if isinstance(event, ev.Destroyed)}
    for event in events_of(stretch):
        if isinstance(event, ev.InternalHit):
            boxes[event.turn, event.impulse, event.step, event.unit] += 1
        elif isinstance(event, ev.Damaged):
            points[event.turn, event.impulse, event.step, event.unit] += event.internals
    for place in {*boxes, *points}:
        unit = stretch.after.units[str(place[3])]
        if isinstance(unit, Ship) and ship_class(unit.ship).damage == "track":
            continue
        if boxes[place] > points[place] or (boxes[place] < points[place] and unit.name not in doomed):
            yield f"{place}: {points[place]} internal points destroyed {boxes[place]} boxes"


# --- energy ----------------------------------------------------------------------------------------------------------


def energy_is_never_created(stretch: Stretch) -> Iterator[str]:
    """B3.0, lines 4, 5, 20, 21: a form spends what the engines give and the batteries hold, and no more."""
    state = stretch.before
    for record in stretch.records:
        event = record.event
        if isinstance(event, ev.EnergyAllotted):
            ship = state.units[event.unit]
            assert isinstance(ship, Ship)
            yield from _overspent(state, stretch, ship, event)
        state = apply(state, event)


def _overspent(state: State, stretch: Stretch, ship: Ship, event: ev.EnergyAllotted) -> Iterator[str]:
    facts = facts_for(state, stretch.setting, ship)
    text = "SHIP X\nENERGY\n" + "".join(f"  {line}\n" for line in event.lines)
    entries = [entry for unit in read_orders(text, header=False).orders.units for entry in unit.energy or ()]
    tubes = {tube.name: tube for tube in facts.tubes}
    used = phasers = recharged = 0.0
    for entry in entries:
        points = float(sum(amount for _, amount in entry.parts))
        if entry.verb == "HOLD":
            points = float(arming.arm(tubes[entry.item], Fraction(0), "HOLD").energy)
        elif entry.item == "TAC":
            points *= float(facts.move_cost)
        used += points
        phasers += points if entry.item == "PHASERS" else 0
        recharged += points if entry.item == "RECHARGE" else 0
    discharged = float(facts.plant.stored) + recharged - event.batteries
    if not 0 <= discharged <= facts.plant.stored:
        yield f"{ship.name}: batteries went from {facts.plant.stored} to {event.batteries} with {recharged} recharged"
    if used - discharged > facts.plant.total:
        yield f"{ship.name}: {used} points used of {facts.plant.total} and {discharged} of batteries: {event.lines}"
    if event.capacitor > ship.capacitor + phasers:
        yield f"{ship.name}: the capacitor has {event.capacitor} of {ship.capacitor} and {phasers} paid"


def stores_fit_their_boxes(stretch: Stretch) -> Iterator[str]:
    """H6.2, B3.0 line 5: the capacitor holds what its phasers allow, a battery box one point."""
    for ship in _ships(stretch.after):
        if not 0 <= ship.capacitor <= capacity(ship.weapons):
            yield f"{ship.name}: {ship.capacitor} in a capacitor of {capacity(ship.weapons)}"
        if not 0 <= ship.batteries <= ship.boxes.get("battery", 0):
            yield f"{ship.name}: {ship.batteries} points in {ship.boxes.get('battery', 0)} batteries"


def _ships(state: State) -> list[Ship]:
    return [unit for unit in state.units.values() if isinstance(unit, Ship)]


# --- boxes -----------------------------------------------------------------------------------------------------------


def boxes_are_those_of_the_ssd(stretch: Stretch) -> Iterator[str]:
    """D3.1, D4.1: shields and boxes are between none and what the SSD shows."""
    for ship in _ships(stretch.after):
        kind = ship_class(ship.ship)
        whole = {**kind.boxes, **track_boxes(kind.tracks)}
        for number, (left, full) in enumerate(zip(ship.shields, kind.shields, strict=True), start=1):
            if not 0 <= left <= full:
                yield f"{ship.name}: shield #{number} has {left} of {full} boxes"
        for box, left in ship.boxes.items():
            if not 0 <= left <= whole.get(box, 0):
                yield f"{ship.name}: {left} of {whole.get(box, 0)} {box}"
        if min(*ship.reinforcement, ship.general, ship.internals, ship.speed) < 0:
            yield f"{ship.name}: something less than nothing: {ship}"


def ammunition_is_never_negative(stretch: Stretch) -> Iterator[str]:
    """FD1.1: a rack holds from none to all of its drones; what is destroyed is not armed (E1.2)."""
    for ship in _ships(stretch.after):
        for spec in ship_class(ship.ship).weapons:
            weapon = ship.weapons[spec.name]
            if not 0 <= weapon.ammo <= spec.ammo:
                yield f"{ship.name} {spec.name}: {weapon.ammo} of {spec.ammo} drones"
            if not weapon.working and weapon.charge and weapon.destroyed is None:
                yield f"{ship.name} {spec.name} is destroyed and {weapon.charge}"


# --- movement --------------------------------------------------------------------------------------------------------


def every_unit_is_in_one_place(stretch: Stretch) -> Iterator[str]:
    """C1.1, C1.4: a unit moves from its hex to the next, once an impulse; the gone do nothing, and all stand on the
    map."""
    state = stretch.before
    gone = {name for name, unit in state.units.items() if unit.gone}
    moved: set[tuple[str, int, int]] = set()
    for event in events_of(stretch):
        if isinstance(event, ev.Moved):
            unit, now = state.units[event.unit], (event.unit, event.turn, event.impulse)
            if now in moved:
                yield f"{now} moved twice"
            moved.add(now)
            if event.came_from != unit.hex or hexes.distance(unit.hex, event.at[:4], state.grid) != 1:
                yield f"{now} moved from {unit.hex} (it says {event.came_from}) to {event.at}"
        if isinstance(event, ACTS) and event.unit in gone:
            yield f"{event.unit} is gone and acts: {event}"
        state = apply(state, event)
        if isinstance(event, ev.Destroyed | ev.Removed):
            gone.add(event.unit)
    for name, unit in state.units.items():
        if unit.name != name:
            yield f"{unit.name} is kept as {name}"
        if unit.in_play and not hexes.on_map(unit.hex, state.map):
            yield f"{name} is at {unit.hex}, off the map"
        if unit.track and (unit.track[-1].hex, unit.track[-1].facing) != (unit.hex, unit.facing) and unit.in_play:
            yield f"{name} is at {unit.at}, and its track ends at {unit.track[-1]}"


ACTS = (
    ev.Moved, ev.Turned, ev.Maneuvered, ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.Damaged, ev.SeekerDamaged,
    ev.Destroyed, ev.Removed,
)  # fmt: skip
"""What befalls or is done by a unit in play."""


# --- the record ------------------------------------------------------------------------------------------------------


def the_state_is_the_fold_of_the_log(stretch: Stretch) -> Iterator[str]:
    """The log alone makes the state, and its records count on."""
    numbers = [record.n for record in stretch.records]
    first = stretch.before.records + 1
    if numbers != list(range(first, first + len(numbers))):
        yield f"records {numbers[0]} to {numbers[-1]} do not count on from {first}"
    if fold_records(stretch.records, stretch.before) != stretch.after:
        yield "the state is not the fold of the log"


def files_hold_what_was_played(stretch: Stretch) -> Iterator[str]:
    """Log and state come back from their files as they were."""
    if decode_records(encode_records(stretch.records)) != stretch.records:
        yield "the log does not survive its file"
    if decode_state(encode_state(stretch.after)) != stretch.after:
        yield "the state does not survive its file"


EACH_STRETCH: Sequence[Callable[[Stretch], Iterator[str]]] = (
    volleys_are_what_struck,
    every_point_goes_somewhere,
    every_internal_point_destroys_a_box,
    energy_is_never_created,
    stores_fit_their_boxes,
    boxes_are_those_of_the_ssd,
    ammunition_is_never_negative,
    every_unit_is_in_one_place,
    the_state_is_the_fold_of_the_log,
    files_hold_what_was_played,
)
"""Invariants that need only the stretch."""


# --- over the whole game ---------------------------------------------------------------------------------------------


class Watch:
    """Invariants over a whole game: begin with its opening, then show it every stretch."""

    def __init__(self, opening: Opening) -> None:
        self.start = opening.state
        self.shots: dict[tuple[str, str], list[int]] = {}
        self.known = {side: State() for side in (*sorted(opening.state.sides), "")}
        self._learn(opening.records)

    def _learn(self, records: Sequence[Record]) -> None:
        for side, state in self.known.items():
            seen = (ev.seen_by(record, side) for record in records)
            self.known[side] = fold((event for event in seen if event is not None), state)

    def look(self, stretch: Stretch) -> Iterator[str]:
        """Everything that broke in this stretch, each with the name of its invariant."""
        self._learn(stretch.records)
        for invariant in (self.weapons_fire_once_a_turn, self.only_its_side_is_told, self.secrets_stay_secret,
                          self.what_is_public_is_known):  # fmt: skip
            yield from (f"{invariant.__name__}: {breach}" for breach in invariant(stretch))
        for each in EACH_STRETCH:
            yield from (f"{each.__name__}: {breach}" for breach in each(stretch))

    def weapons_fire_once_a_turn(self, stretch: Stretch) -> Iterator[str]:
        """E1.5, E2.23, FD1.1: once a turn (a phaser-G several times), and not within a quarter of a turn of a shot of
        the last one.
        """
        impulses = stretch.after.impulses
        for event in events_of(stretch):
            if not isinstance(event, ev.Fired | ev.Launched) or not event.weapon:
                continue
            now = (event.turn - 1) * impulses + event.impulse
            fired = self.shots.setdefault((event.unit, event.weapon), [])
            fired.append(now)
            turns = [turn_of(moment, impulses) for moment in fired]
            ship = stretch.after.units[event.unit]
            most = shots(ship.weapons[event.weapon].kind) if isinstance(ship, Ship) else 1
            if turns.count(turns[-1]) > most:
                yield f"{event.unit} {event.weapon} fires {turns.count(turns[-1])} times in turn {event.turn}"
            earlier = [moment for moment, turn in zip(fired, turns, strict=True) if turn < turns[-1]]
            if earlier and now - earlier[-1] < impulses // 4:
                yield f"{event.unit} {event.weapon} fires at moments {earlier[-1]} and {now} of {impulses} a turn"

    def only_its_side_is_told(self, stretch: Stretch) -> Iterator[str]:
        """D4.1, H6, H7: forms, orders and choices are told to their own side alone."""
        for side in self.known:
            for record in stretch.records:
                event = ev.seen_by(record, side)
                if event is None:
                    continue
                unit = getattr(event, "unit", "")
                owner = stretch.after.units[unit].side if unit in stretch.after.units else getattr(event, "side", "")
                if owner == side:
                    continue
                if isinstance(event, OWNERS_ONLY):
                    yield f"{side or 'everybody'} is told {event}"
                elif isinstance(event, ev.Fired) and event.energy:
                    yield f"{side or 'everybody'} is told who paid for {event}"
                elif isinstance(event, ev.Broke) and event.condition and event.line:  # auto-breaks are public
                    yield f"{side or 'everybody'} is told the break {event}"
                elif isinstance(event, ev.OrdersFiled) and event.text:
                    yield f"{side or 'everybody'} is told the orders of {event.side}"
                elif isinstance(event, ev.Moved) and event.plotted:
                    yield f"{side or 'everybody'} is told how far {event.unit} has plotted"

    def secrets_stay_secret(self, stretch: Stretch) -> Iterator[str]:
        """D4.1: what a side's own view of the log tells of others is what it was told at the start, or nothing."""
        for side, known in self.known.items():
            for ship in _ships(known):
                if ship.side != side:
                    yield from (f"{side or 'spectator'}: {breach}" for breach in self._leaks(ship, known))
            for other, standing in known.standing.items():
                if other != side and (standing.text, standing.flown, standing.spent) != ("", {}, ()):
                    yield f"{side or 'spectator'} knows orders of {other}: {standing}"

    def _leaks(self, ship: Ship, known: State) -> Iterator[str]:
        defaults = {field.name: field.default for field in msgspec.structs.fields(Ship)}
        defaults |= {"repairing": {}}
        for name in SECRET:
            if getattr(ship, name) != defaults[name]:
                yield f"{name} of {ship.name} is {getattr(ship, name)!r}"
        start = self.start.units.get(ship.name)
        if not isinstance(start, Ship):
            return
        if ship.capacitor > start.capacitor:
            yield f"the capacitor of {ship.name} is {ship.capacitor}"
        if ship.batteries != min(start.batteries, ship.boxes.get("battery", 0)):
            yield f"the batteries of {ship.name} are {ship.batteries}"
        for name, weapon in ship.weapons.items():
            first = start.weapons[name]
            if weapon.charge not in ("", first.charge) or weapon.armed_turns not in (0, first.armed_turns):
                yield f"{name} of {ship.name} is {weapon.charge} ({weapon.armed_turns} turns)"

    def what_is_public_is_known(self, stretch: Stretch) -> Iterator[str]:
        """D4.1: SSDs, positions and speeds are public; and a side knows of its own units all there is."""
        for side, known in self.known.items():
            for name, unit in stretch.after.units.items():
                found = known.units.get(name)
                if found is None:
                    yield f"{side or 'spectator'} does not know {name}"
                elif unit.side == side:
                    if found != unit:
                        yield f"{side} does not know its own {name}"
                elif _public(found) != _public(unit):
                    yield f"{side or 'spectator'} sees {_public(found)}, it is {_public(unit)}"


def _public(ship: AnyUnit) -> object:
    """What everybody knows of a unit: of a seeking weapon all but its target (FD1.2), of a ship its SSD."""
    if isinstance(ship, Seeker):
        return replace(ship, target="")
    weapons = {name: (w.kind, w.working, w.fired, w.ammo) for name, w in ship.weapons.items()}
    # Of a crew that did not live to the announcement of speeds the speed stays untold (B3.0, line 7).
    moving = (ship.speed, ship.tactical) if ship.in_play else ()
    return (ship.at, ship.gone, moving, ship.shields, ship.boxes, ship.internals, ship.track, ship.marks, weapons,
            ship.cloak, ship.cloak_since, ship.lock_on)  # fmt: skip
