"""Invariants of a game: statements that must be true for all possible orders.

Each invariant is a function that cites the rules it checks. The function checks one segment of play, i.e. the play
between two requests for orders (:class:`~pbem.lab.random_games.play.Walk`), and yields a sentence for each
violation. Some invariants are about a whole game and remember earlier segments. :class:`InvariantChecker` runs all
of them. The invariants are about positions and tractor links, the log, fire and damage, the equipment of ships, and
the knowledge of each side (D4.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from msgspec.structs import replace

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.terms import UnitFate, WeaponState
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.log import decode_records, decode_state, encode_records, encode_state, fold
from pbem.engine.on_file import DEFAULTS, altered, value_of
from pbem.engine.relations import allied, can_fight
from pbem.engine.state import AnyUnit, Link, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.terrain import crashes
from pbem.engine.steps.tractor_links import kind_of
from pbem.lab.random_games.play import Opening, RandomSegment, Walk, ships_of
from pbem.orders.model import EnergyLine
from pbem.orders.reader import read_orders
from pbem.rules import hexes, weapons as arming
from pbem.rules.movement import turn_of
from pbem.rules.power import ShipFacts, capacity, exact
from pbem.rules.sensors import track_boxes
from pbem.rules.shuttles import DESTROYED, condition
from pbem.rules.terrain import asteroid_shield
from pbem.rules.weapons import shots

ACTS = (
    ev.Moved, ev.Turned, ev.Maneuvered, ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.Damaged, ev.SeekerDamaged,
    ev.Destroyed, ev.Removed, ev.Tractored, ev.Towed, ev.ShieldLowered, ev.Transported, ev.BoardingFought, ev.Captured,
    ev.Mutinied, ev.ShuttleLaunched, ev.ShuttleLanded, ev.Boarded, ev.ProbeLaunched, ev.Learned, ev.Attacked,
    ev.UnitDamaged, ev.Collided,
)  # fmt: skip
"""Types of event that a unit can cause or suffer only while it is in play."""

MOVING = ("move", "shuttles", "seek", "tac", "impact", "cloak", "tractor")
"""Steps of an impulse at which a tractor beam may hold a monster that is out of its range.

The monster has moved in an earlier step, and the ship with the beam may still follow it.
"""


def every_unit_is_in_one_place(walk: Walk) -> Iterator[str]:
    """Check that every unit moves one hex at a time and at most once an impulse (C1.1, C1.4, G7.31C).

    Units that are towed count as moving. Also check that units that left the game do nothing, and that all others are
    on the map. Yield a sentence for each violation.
    """
    moved: set[tuple[str, int, int]] = set()
    for state, event in walk.events():
        if isinstance(event, ev.Moved | ev.Towed):
            now = (event.unit, event.turn, event.impulse)
            if now in moved:
                yield f"{now} moved twice"
            moved.add(now)
            yield from _wrong_move(event, state)
        if isinstance(event, ACTS) and state.units[event.unit].gone:
            yield f"{event.unit} is gone and acts: {event}"
    for name, unit in walk.after.units.items():
        if unit.name != name:
            yield f"{unit.name} is kept as {name}"
        if unit.in_play:
            yield from _wrong_place(unit, name, walk.after)


def _wrong_move(event: ev.Moved | ev.Towed, state: State) -> Iterator[str]:
    """Yield a sentence for each fault of one movement.

    Faults are a wrong start, more than one hex, and a unit that cannot move.
    """
    unit, now = state.units[event.unit], (event.unit, event.turn, event.impulse)
    far = hexes.distance(unit.hex, event.at[:4], state.grid)
    if event.came_from != unit.hex or far != 1:
        yield f"{now} moved from {unit.hex} (it says {event.came_from}) to {event.at}"
    if isinstance(event, ev.Moved) and not isinstance(unit, Monster) and state.holders(event.unit):
        yield f"{now} moves and is held"
    if isinstance(event, ev.Moved) and isinstance(unit, Shuttle) and unit.landed and unit.target:
        yield f"{now} stood on {unit.landed}"


def _wrong_place(unit: AnyUnit, name: str, state: State) -> Iterator[str]:
    """Yield a sentence for each fault of a unit's position.

    The unit may be off the map, not at the end of its track, or inside a planet.
    """
    if not hexes.on_map(unit.hex, state.map):
        yield f"{name} is at {unit.hex}, off the map"
    last = unit.track[-1] if unit.track else None
    # A monster may turn without moving, which its track does not show.
    if last and (last.hex != unit.hex or (last.facing != unit.facing and not isinstance(unit, Monster))):
        yield f"{name} is at {unit.at}, and its track ends at {unit.track[-1]}"
    if crashes(unit) and unit.hex in state.planets:
        yield f"{name} flies inside a planet at {unit.hex}"


def the_gone_stay_gone(walk: Walk) -> Iterator[str]:
    """Check that a unit that left the game does not return (D4.4); yield a sentence for each violation.

    The only exceptions are reinforcements that have not arrived yet (scenario #8).
    """
    for name, was in walk.before.units.items():
        unit = walk.after.units.get(name)
        if unit is None:
            yield f"{name} has vanished"
        elif was.gone and unit.gone != was.gone and was.gone != UnitFate.NOT_YET:
            yield f"{name} was {was.gone} and is {unit.gone or 'in play'}"
        elif type(unit) is not type(was):
            yield f"{name} was {was} and is {unit}"


def beams_hold_what_they_may(walk: Walk) -> Iterator[str]:
    """Check that every tractor link is permitted (G7.1, G7.3, G7.4); yield a sentence for each violation.

    A link needs a working beam with energy that holds a permitted unit within reach. No unit may be held by two ships.
    """
    state = walk.after
    beams: Counter[tuple[str, str]] = Counter()
    for link in state.links:
        beams[link.ship, link.beam] += 1
        yield from _wrong_link(link, state)
    yield from (f"{beam} holds {count} things" for beam, count in beams.items() if count > 1)
    for ship in ships_of(state):
        held = len(state.held_by(ship.name))
        # A game that is conceded ends when the forms are read, before beams without energy release their units.
        if held > ship.boxes.get("tractor", 0) or (held > len(ship.power.tractors) and not state.over):
            yield f"{ship.name} holds {held} with {ship.boxes.get('tractor', 0)} beams, {ship.power.tractors} paid"
        freighters = _towed(state, ship.name, {ship.name})
        if ship.in_play and ship.towing != len(freighters):
            yield f"{ship.name} is reckoned to tow {ship.towing}, it tows {sorted(freighters)}"


def _wrong_link(link: Link, state: State) -> Iterator[str]:
    """Yield a sentence for each fault of one tractor link."""
    holder, target = state.units[link.ship], state.units[link.target]
    if not isinstance(holder, Ship) or holder.gone or target.gone:
        yield f"{link}: one of them is gone"
        return
    if kind_of(target) not in charts.tractors().holds:
        yield f"{link}: a beam holds a {kind_of(target)}"
    going = isinstance(target, Monster) and state.step in MOVING
    if not going and range_between(state, holder, target) > charts.tractors().range:
        yield f"{link}: they are {range_between(state, holder, target)} hexes apart"
    if {other.ship for other in state.holders(link.target)} != {link.ship}:
        yield f"{link.target} is held by {state.holders(link.target)}"


def _towed(state: State, ship: str, seen: set[str]) -> set[str]:
    """Return the names of all ships that a ship tows, directly or through other ships.

    Ships in ``seen`` are left out.
    """
    held = {link.target for link in state.links if link.ship == ship and isinstance(state.units[link.target], Ship)}
    return (held - seen).union(*(_towed(state, name, seen | held) for name in held - seen))


def ships_change_hands_by_capture(walk: Walk) -> Iterator[str]:
    """Check that a ship changes sides only by capture, to a side with boarding parties aboard (D7.0).

    Yield a sentence for each violation.
    """
    for state, event in walk.events():
        if not isinstance(event, ev.Captured):
            continue
        ship = state.units[event.unit]
        assert isinstance(ship, Ship)
        if not ship.belongs_to(event.was) or event.side == event.was:
            yield f"{event.unit} was {ship.side}'s: {event}"
        if not any(allied(state, side, event.side) for side in ship.people.boarders):
            yield f"{event.unit} was boarded by {ship.people.boarders}: {event}"
    for name, was in walk.before.units.items():
        if not walk.after.units[name].belongs_to(was.side) and name not in walk.captured:
            yield f"{name} was {was.side}'s and is {walk.after.units[name].side}'s"


# --- the record ------------------------------------------------------------------------------------------------------


def the_state_is_the_fold_of_the_log(walk: Walk) -> Iterator[str]:
    """Check that the state can be rebuilt from the log alone, and that log records have no gaps.

    Records are numbered one after the other. Yield a sentence for each violation.
    """
    records, before = walk.stretch.records, walk.before
    numbers = [record.n for record in records]
    first = before.records + 1
    if numbers != list(range(first, first + len(numbers))):
        yield f"records {numbers[0]} to {numbers[-1]} do not count on from {first}"
    if walk.after.records != numbers[-1]:
        yield f"the state counts {walk.after.records} records, there are {numbers[-1]}"
    if replace(walk.end, records=walk.after.records) != walk.after:
        yield "the state is not the fold of the log"


def files_hold_what_was_played(walk: Walk) -> Iterator[str]:
    """Check that log and state are unchanged after they were written to files and read back.

    Yield a sentence for each violation.
    """
    records = walk.stretch.records
    if decode_records(encode_records(records)) != records:
        yield "the log does not survive its file"
    if decode_state(encode_state(walk.after)) != walk.after:
        yield "the state does not survive its file"


StrikePlace = tuple[object, ...]
"""Where and when damage struck: turn, impulse, step, unit and shield."""

CLOSE = "close"
"""Name of the last step of a turn, in which monsters attack."""


def _strikes(walk: Walk) -> Iterator[tuple[StrikePlace, int]]:
    """Yield every hit by fire, seeking weapons, monsters and asteroids, with its points of damage.

    A hit is a pair: where and when it struck (:data:`StrikePlace`), and its points.
    """
    for state, event in walk.events():
        when = event.turn, event.impulse
        match event:
            case ev.Fired(target=unit, shield=shield, points=points) if points:
                yield (*when, "resolve", unit, shield), points
            case ev.Impact(target=unit, shield=shield, points=points) if points:
                yield (*when, event.step, unit, shield), points
            case ev.Attacked(target=unit, shield=shield, points=points) if points:
                yield (*when, event.step, unit, shield), points
            case ev.Collided(unit=unit, points=points) if points:
                shield = asteroid_shield() if isinstance(state.units[unit], Ship) else 0
                yield (*when, event.step, unit, shield), points


def volleys_are_what_struck(walk: Walk) -> Iterator[str]:
    """Check that a volley consists of all points of damage that struck one shield in one step (D4.22).

    A unit without an SSD (ship diagram) takes all points of a step together (FD1.54, J1.32). Yield a sentence for each
    violation.
    """
    struck: Counter[StrikePlace] = Counter()
    reported: Counter[StrikePlace] = Counter()
    for place, points in _strikes(walk):
        struck[place] += points
    for event in walk.happened:
        match event:
            case ev.Volley(unit=unit, shield=shield, points=points):
                reported[event.turn, event.impulse, event.step, unit, shield] += points
            case ev.SeekerDamaged(unit=unit, points=points) | ev.UnitDamaged(unit=unit, points=points):
                reported[event.turn, event.impulse, event.step, unit, 0] += points
    for place in {*struck, *reported}:
        target = walk.after.units[str(place[3])]
        if struck[place] == reported[place] or (isinstance(target, Ship) and target.terms.invulnerable):
            continue
        # A seeking weapon that has struck in the same impulse can no longer be hit (F2.2).
        if reported[place] or not (target.gone and isinstance(target, Seeker)):
            yield f"{place}: {struck[place]} points struck, {reported[place]} were scored"


def every_point_goes_somewhere(walk: Walk) -> Iterator[str]:
    """Check that each point of a volley is stopped or becomes internal damage (D3.34, D3.21, D4.2).

    Reinforcement and shield boxes stop points. Yield a sentence for each violation.
    """
    due: dict[StrikePlace, int] = {}
    for event in walk.happened:
        if isinstance(event, ev.Volley):
            due[event.turn, event.impulse, event.step, event.unit, event.shield] = event.points
        elif isinstance(event, ev.Damaged):
            place = event.turn, event.impulse, event.step, event.unit, event.shield
            gone = event.general + event.specific + event.boxes + event.internals
            if due.pop(place, None) != gone:
                yield f"{place}: {gone} points scored of another volley, or of none"
            if min(event.general, event.specific, event.boxes, event.internals, event.left) < 0:
                yield f"{place}: something less than nothing: {event}"
    # A ship that a volley destroyed takes no other volleys of that step (D4.4).
    for where, points in due.items():
        if where[3] not in walk.doomed:
            yield f"{where}: {points} points were never scored"


def shields_stop_what_they_have(walk: Walk) -> Iterator[str]:
    """Check that a shield loses one box for each point that its boxes stopped (D3.21, G8.22).

    Lowered shields must stop no points. Yield a sentence for each violation.
    """
    for state, event in walk.events():
        ship = state.units.get(event.unit) if isinstance(event, ev.Damaged) else None
        if not isinstance(event, ev.Damaged) or not isinstance(ship, Ship):
            continue
        if event.left != ship.shields[event.shield - 1] - event.boxes:
            yield f"{event.unit} #{event.shield} had {ship.shields[event.shield - 1]} boxes: {event}"
        if f"#{event.shield}" in ship.lowered and event.boxes + event.specific:
            yield f"{event.unit} #{event.shield} is lowered and stops something: {event}"
        if "general" in ship.lowered and event.general:
            yield f"{event.unit} has lowered its general reinforcement: {event}"
        if event.general > ship.power.general or event.specific > ship.power.reinforcement[event.shield - 1]:
            yield f"{event.unit} has {ship.power.general} and {ship.power.reinforcement} of reinforcement: {event}"


def every_internal_point_destroys_a_box(walk: Walk) -> Iterator[str]:
    """Check that each internal point destroys one box (D4.2); yield a sentence for each violation.

    Exceptions are ships already destroyed, and ships that only count damage on an abstract track.
    """
    boxes: Counter[StrikePlace] = Counter()
    points: Counter[StrikePlace] = Counter()
    for event in walk.happened:
        if isinstance(event, ev.InternalHit):
            boxes[event.turn, event.impulse, event.step, event.unit] += 1
        elif isinstance(event, ev.Damaged):
            points[event.turn, event.impulse, event.step, event.unit] += event.internals
    for place in {*boxes, *points}:
        unit = walk.after.units[str(place[3])]
        if isinstance(unit, Ship) and ship_class(unit.ship).damage == "track":
            continue
        if boxes[place] > points[place] or (boxes[place] < points[place] and unit.name not in walk.doomed):
            yield f"{place}: {points[place]} internal points destroyed {boxes[place]} boxes"


def damage_is_counted(walk: Walk) -> Iterator[str]:
    """Check that the damage of a unit without an SSD (ship diagram) is the sum of the points it took.

    The rules are FD1.54, J1.32 and scenario #11. Yield a sentence for each violation.
    """
    for state, event in walk.events():
        if isinstance(event, ev.UnitDamaged | ev.SeekerDamaged):
            unit = state.units[event.unit]
            had = 0 if isinstance(unit, Ship) else unit.damage
            if event.points < 1 or event.total != had + event.points:
                yield f"{event.unit} had {had}: {event}"
        elif isinstance(event, ev.Attacked) and event.step != CLOSE:
            yield f"a monster attacks before the end of the turn: {event}"


def nobody_fires_who_cannot(walk: Walk) -> Iterator[str]:
    """Check that units that must not fire do not fire (D7.0, G6.32, J2.22).

    Captured or mutinous ships, suicide shuttles, and shuttles on the ground must not fire. Yield a sentence for each
    violation.
    """
    for state, event in walk.events():
        if not isinstance(event, ev.Fired | ev.Launched):
            continue
        unit = state.units[event.unit]
        if isinstance(unit, Ship):
            if not can_fight(unit):
                yield f"{unit.name} cannot fire: {event}"
            box = unit.weapons.get(event.weapon)
            if box is not None and not box.working and box.destroyed is None:
                yield f"{unit.name} fires what is destroyed: {event}"
        elif isinstance(unit, Monster | Planet | Seeker) or unit.target or unit.landed:
            yield f"{unit.name} cannot fire: {event}"
        if isinstance(event, ev.Fired) and not state.enemies(unit.side, state.units[event.target].side):
            yield f"{unit.name} fires at {event.target}, which is no enemy"


class Guns:
    """Records all shots in a game, and checks that no weapon fires too often.

    A weapon fires once a turn (a phaser-G several times), and not within a quarter turn of a shot in the turn before
    (E1.5, E2.23, FD1.1, J2.213).
    """

    def __init__(self) -> None:
        self.shots: dict[tuple[str, str], list[int]] = {}

    def look(self, walk: Walk) -> Iterator[str]:
        """Yield a sentence for each weapon that fired too often in the segment of play ``walk``."""
        impulses = walk.after.impulses
        for event in walk.happened:
            if not isinstance(event, ev.Fired | ev.Launched) or not event.weapon:
                continue
            if isinstance(event, ev.Fired) and event.kind == "probe":  # arming the next probe takes two turns
                continue
            now = (event.turn - 1) * impulses + event.impulse
            fired = self.shots.setdefault((event.unit, event.weapon), [])
            fired.append(now)
            turns = [turn_of(moment, impulses) for moment in fired]
            ship = walk.after.units[event.unit]
            most = shots(ship.weapons[event.weapon].kind) if isinstance(ship, Ship) else 1
            if turns.count(turns[-1]) > most:
                yield f"{event.unit} {event.weapon} fires {turns.count(turns[-1])} times in turn {event.turn}"
            earlier = [moment for moment, turn in zip(fired, turns, strict=True) if turn < turns[-1]]
            if earlier and now - earlier[-1] < impulses // 4:
                yield f"{event.unit} {event.weapon} fires at moments {earlier[-1]} and {now} of {impulses} a turn"


TINY = 1e-9
"""Tolerance in energy points, because fractional energy is stored as a float (B3.2)."""


# --- energy ----------------------------------------------------------------------------------------------------------


def energy_is_never_created(walk: Walk) -> Iterator[str]:
    """Check that an energy form spends no more energy than engines and batteries provide (B3.0).

    These totals are lines 4, 5, 20 and 21 of the form. Also check that batteries provide no more during the turn than
    they hold (H7.2). Yield a sentence for each violation.
    """
    for state, event in walk.events():
        if isinstance(event, ev.EnergyAllotted):
            yield from _overspent(walk, state, event)
        elif isinstance(event, ev.ReserveSpent):
            ship = state.units[event.unit]
            if not isinstance(ship, Ship) or not 0 < exact(event.points) <= ship.power.stored:
                yield f"{event.unit} has no {event.points} points of reserve: {event}"


def _overspent(walk: Walk, state: State, event: ev.EnergyAllotted) -> Iterator[str]:
    ship = state.units[event.unit]
    assert isinstance(ship, Ship)
    facts = facts_for(state, walk.setting, ship)
    text = "SHIP X\nENERGY\n" + "".join(f"  {line}\n" for line in event.lines)
    entries = [entry for unit in read_orders(text, header=False).orders.units for entry in unit.energy or ()]
    used = phasers = recharged = Fraction(0)
    for entry in entries:
        points = _points_of(entry, facts, event)
        used += points
        phasers += points if entry.item == "PHASERS" else 0
        recharged += points if entry.item == "RECHARGE" else 0
    stored = Fraction(facts.plant.stored)
    left = event.batteries + Fraction(event.battery_part or 0)
    discharged = stored + recharged - left
    if not -TINY <= discharged <= stored + TINY:
        yield f"{ship.name}: batteries went from {stored} to {left} with {recharged} recharged"
    if used - discharged > facts.plant.total + TINY:
        yield f"{ship.name}: {used} points used of {facts.plant.total} and {discharged} of batteries: {event.lines}"
    if event.capacitor > ship.power.capacitor + phasers + TINY:
        yield f"{ship.name}: the capacitor has {event.capacitor} of {ship.power.capacitor} and {phasers} paid"
    if event.move_warp + event.move_impulse > used + TINY or event.speed < 0:
        yield f"{ship.name}: {event.move_warp} and {event.move_impulse} points for movement of {used}"


def _points_of(entry: EnergyLine, facts: ShipFacts, event: ev.EnergyAllotted) -> Fraction:
    """Return the energy points that one entry of the energy form in ``event`` uses."""
    if entry.verb == "HOLD":
        tube = next(tube for tube in facts.tubes if tube.name == entry.item)
        return Fraction(arming.arm(tube, Fraction(0), "HOLD").energy)
    if entry.item == "SPEED":  # the entry has hexes, which may cost another number of points (C2.12)
        return Fraction(event.move_warp) + event.move_impulse
    if entry.item == "TAC":
        return sum((n * (1 if source == "IMPULSE" else facts.move_cost) for source, n in entry.parts), Fraction(0))
    return sum((amount for _, amount in entry.parts), Fraction(0))


def stores_fit_their_boxes(walk: Walk) -> Iterator[str]:
    """Check that phaser capacitors and batteries do not exceed their capacity (H6.2, B3.0 line 5).

    A battery box holds one point. Yield a sentence for each violation.
    """
    for ship in ships_of(walk.after):
        if not 0 <= ship.power.capacitor <= capacity(ship.weapons):
            yield f"{ship.name}: {ship.power.capacitor} in a capacitor of {capacity(ship.weapons)}"
        charged = ship.power.batteries + bool(ship.power.battery_part)
        if not 0 <= charged <= ship.boxes.get("battery", 0):
            yield f"{ship.name}: {charged} charged of {ship.boxes.get('battery', 0)} batteries"


# --- boxes -----------------------------------------------------------------------------------------------------------


def boxes_are_those_of_the_ssd(walk: Walk) -> Iterator[str]:
    """Check that no shield or system has fewer than 0 boxes or more than on the SSD (D3.1, D4.1).

    Yield a sentence for each violation.
    """
    for ship in ships_of(walk.after):
        kind = ship_class(ship.ship)
        whole = {**kind.boxes, **track_boxes(kind.tracks)}
        for number, (left, full) in enumerate(zip(ship.shields, kind.shields, strict=True), start=1):
            if not 0 <= left <= full:
                yield f"{ship.name}: shield #{number} has {left} of {full} boxes"
        for box, left in ship.boxes.items():
            if not 0 <= left <= whole.get(box, 0):
                yield f"{ship.name}: {left} of {whole.get(box, 0)} {box}"
        if min(*ship.power.reinforcement, ship.power.general, ship.internals, ship.speed) < 0:
            yield f"{ship.name}: something less than nothing: {ship}"


def ammunition_is_never_negative(walk: Walk) -> Iterator[str]:
    """Check that drone racks and probe launchers hold a possible number of drones and probes.

    Also check that destroyed weapons are not armed (FD1.1, G5.12, E1.2). Yield a sentence for each violation.
    """
    for ship in ships_of(walk.after):
        for spec in ship_class(ship.ship).weapons:
            weapon = ship.weapons[spec.name]
            if not 0 <= weapon.ammo <= spec.ammo:
                yield f"{ship.name} {spec.name}: {weapon.ammo} of {spec.ammo} drones"
            if not weapon.working and weapon.charge and weapon.destroyed is None:
                yield f"{ship.name} {spec.name} is destroyed and {weapon.charge}"
        for letter, box in ship.power.probes.items():
            if not 0 <= box.left <= charts.probes().carried:
                yield f"{ship.name} PROBE {letter} holds {box.left} probes"


# --- people and shuttles ---------------------------------------------------------------------------------------------


def people_are_conserved(walk: Walk) -> Iterator[str]:
    """Check that the numbers of crew units and boarding parties stay the same (D7.0, G8.15, J2.211).

    Boarding parties may be lost only in combat, or when their side concedes. Yield a sentence for each violation.
    """
    if _crew(walk.before) != _crew(walk.after):
        yield f"{_crew(walk.before)} crew units became {_crew(walk.after)}"
    casualties = 0
    for state, event in walk.events():
        if isinstance(event, ev.BoardingFought):
            ship = state.units[event.unit]
            assert isinstance(ship, Ship)
            holders, raiders = (
                ship.people.parties - event.holders,
                _total(ship.people.boarders) - _total(event.boarders),
            )
            if not 0 <= holders <= event.by_raiders or not 0 <= raiders <= event.by_holders:
                yield f"{event.unit} had {ship.people.parties} parties and {ship.people.boarders} of boarders: {event}"
            casualties += holders + raiders
        elif isinstance(event, ev.Conceded):
            casualties += sum(ship.people.boarders.get(event.side, 0) for ship in state.ships())
    if _parties(walk.before) != _parties(walk.after) + casualties:
        yield f"{_parties(walk.before)} boarding parties became {_parties(walk.after)}, {casualties} fell"
    for ship in ships_of(walk.after):
        if min(ship.people.parties, ship.people.passengers, ship.people.taken, *ship.people.boarders.values(), 0) < 0:
            yield f"{ship.name} has people less than nothing: {ship.people}"
        if ship.side in ship.people.boarders:
            yield f"{ship.name} is boarded by its own side: {ship.people.boarders}"


def _total(boarders: dict[str, int]) -> int:
    return sum(boarders.values())


def _crew(state: State) -> int:
    """Return the number of crew units of all units together, including those that died with their unit.

    The crew of a shuttle that landed on a ship counts as the ship's passengers.
    """
    found = 0
    for unit in state.units.values():
        if isinstance(unit, Ship):
            found += unit.people.passengers
        elif isinstance(unit, Planet) or (isinstance(unit, Shuttle) and unit.gone != UnitFate.LANDED):
            found += unit.crew
    return found


def _parties(state: State) -> int:
    found = 0
    for unit in state.units.values():
        if isinstance(unit, Ship):
            found += unit.people.parties + _total(unit.people.boarders)
        elif isinstance(unit, Shuttle) and unit.gone != UnitFate.LANDED:
            found += unit.parties
    return found


def shuttles_are_aboard_or_launched(walk: Walk) -> Iterator[str]:
    """Check that shuttles neither appear nor vanish, and that each shuttle aboard has a shuttle box.

    A shuttle may be lost only on the map, or together with its box (J1.4, J1.6). Yield a sentence for each violation.
    """
    hits = sum(isinstance(event, ev.InternalHit) and event.box.startswith("shuttle") for event in walk.happened)
    had, has = _shuttles(walk.before), _shuttles(walk.after)
    if not has <= had <= has + hits:
        yield f"{had} shuttles became {has}, with {hits} hits on shuttle boxes"
    for state, event in walk.events():
        if isinstance(event, ev.ShuttleLaunched | ev.InternalHit):
            ship = state.units[event.unit]
            letter = event.letter if isinstance(event, ev.ShuttleLaunched) else event.shuttle
            if letter and isinstance(ship, Ship) and letter not in ship.hangar:
                yield f"shuttle {letter} of {ship.name} was not aboard: {event}"
    for ship in ships_of(walk.after):
        if len(ship.hangar) > ship.boxes.get("shuttle", 0):
            yield f"{ship.name} has {ship.hangar} in {ship.boxes.get('shuttle', 0)} shuttle boxes"
        if len(set(ship.hangar)) < len(ship.hangar):
            yield f"{ship.name} has two shuttles of a letter: {ship.hangar}"
    yield from _wrong_shuttles(walk.after)


def _wrong_shuttles(state: State) -> Iterator[str]:
    """Yield a sentence for each fault of a shuttle on the map.

    A destroyed shuttle must not be in play, a landed one must be at the place where it has landed, and a suicide
    shuttle must not have people aboard.
    """
    for shuttle in state.shuttles():
        if condition(shuttle.damage) == DESTROYED:
            yield f"{shuttle.name} has taken {shuttle.damage} points and is in play"
        ground = state.units.get(shuttle.landed)
        if shuttle.landed and not (isinstance(ground, Planet) and shuttle.hex in ground.hexes):
            yield f"{shuttle.name} stands on {shuttle.landed} and is at {shuttle.hex}"
        if shuttle.target and shuttle.crew + shuttle.parties:
            yield f"{shuttle.name} is a suicide shuttle with people aboard"


def _shuttles(state: State) -> int:
    return sum(
        len(unit.hangar) if isinstance(unit, Ship) else isinstance(unit, Shuttle) and unit.gone != UnitFate.LANDED
        for unit in state.units.values()
    )


def systems_do_what_is_paid_for(walk: Walk) -> Iterator[str]:
    """Check that transporters, tractor beams and shuttle bays are used as the rules allow.

    Transporters and beams must work and have energy, and each acts once a turn (G8.11, G8.13, G7.15). A shuttle bay is
    used at most once in two impulses (J1.5). Yield a sentence for each violation.
    """
    for state, event in walk.events():
        match event:
            case ev.Transported(unit=name) if isinstance(ship := state.units[name], Ship):
                used = ship.this_turn.transported + event.transporters
                if used > ship.boxes.get("tran", 0) or used > ship.power.transporters:
                    paid = ship.power.transporters
                    yield f"{ship.name} has {ship.boxes.get('tran', 0)} transporters, {paid} paid: {event}"
            case ev.Tractored(unit=name) if isinstance(ship := state.units[name], Ship):
                used = len({*ship.this_turn.beams_used, event.beam})
                if event.beam in ship.this_turn.beams_used or used > len(ship.power.tractors):
                    yield f"{ship.name} has paid for {ship.power.tractors}, used {ship.this_turn.beams_used}: {event}"
            case ev.ShuttleLaunched(unit=bay) | ev.ShuttleLanded(on=bay):
                mother, now = state.units[bay], (event.turn - 1) * state.impulses + event.impulse
                used_at = mother.bay_used if isinstance(mother, Ship) else None
                if used_at is not None and now - used_at < charts.shuttles().interval:
                    yield f"the bay of {bay} was used at {used_at} and {now}"


def what_is_learnt_is_not_forgotten(walk: Walk) -> Iterator[str]:
    """Check that neither the information about a monster nor its damage ever decreases (scenario #11).

    Also check that a method against a monster stays known once it is found. Yield a sentence for each violation.
    """
    for name, unit in walk.after.units.items():
        was = walk.before.units.get(name)
        if isinstance(unit, Monster) and isinstance(was, Monster):
            if unit.information < was.information or unit.needed < was.needed or unit.damage < was.damage:
                yield f"of {name} less is known: {was} became {unit}"
            if was.method and unit.method != was.method:
                yield f"of {name} something else is known: {was.method} became {unit.method}"
        elif isinstance(unit, Planet) and isinstance(was, Planet) and unit.damage < was.damage:
            yield f"{name} has recovered: {was.damage} became {unit.damage}"


SECRET = (
    "allotted", "reinforcement", "general", "repairing", "unpaid", "sublight", "cloak_paid", "tractors", "powered",
    "transporters", "bombs", "move_warp", "move_impulse", "paid_speed", "battery_part",
)  # fmt: skip
"""Fields of a ship that only its side may know. Other sides see their default values (D4.1, J2.222)."""

KEPT = ("bombs", "battery_part", "unpaid", "repairing")
"""Secret fields that a side may still know of a ship that it has lost.

These fields do not change any more, so the side learns nothing new from them.
"""

PRIVATE = (*SECRET, "capacitor", "batteries", "weapons", "probes", "hangar")
"""All fields of a ship in which the views of other sides may differ from the true state.

Of the hangar, only the letters of the shuttles may differ, not their number.
"""

OWNERS_ONLY = (
    ev.EnergyAllotted, ev.OrderTold, ev.Chose, ev.ReserveSpent, ev.RobotReadied, ev.Readied, ev.Guided, ev.TakenOver,
)  # fmt: skip
"""Types of event that only the side of the unit may see."""


class Knowledge:
    """Follows what each side knows during a game, and checks that secrets stay secret.

    A spectator is treated as a side with the name ``""``.
    """

    def __init__(self, opening: Opening) -> None:
        self.start = opening.state
        self.known = {side: State() for side in (*sorted(opening.state.sides), "")}
        self.owners: dict[str, set[str]] = {}
        self._learn(opening.records)

    def _learn(self, records: Sequence[Record]) -> None:
        for side, state in self.known.items():
            seen = (ev.seen_by(record, side) for record in records)
            self.known[side] = fold((event for event in seen if event is not None), state)

    def learn(self, walk: Walk) -> None:
        """Add the events of a segment of play to each side's knowledge; call this method before the checks."""
        self._learn(walk.stretch.records)
        for event in walk.happened:
            if isinstance(event, ev.Captured):
                self.owners.setdefault(event.unit, set()).update((event.was, event.side))

    def only_its_side_is_told(self, walk: Walk) -> Iterator[str]:
        """Check that only its own side sees a unit's energy form, orders and bombs (D4.1, H6, H7, J2.222).

        Yield a sentence for each violation.
        """
        for state, record in walk.steps:
            if not record.only and not isinstance(record.event, TOLD_IN_PART):
                continue
            for side in self.known:
                event = ev.seen_by(record, side)
                if event is None:
                    continue
                unit = getattr(event, "unit", "")
                owner = state.units[unit].side if unit in state.units else getattr(event, "side", "")
                if owner != side:
                    yield from (f"{side or 'everybody'} is told {what}" for what in _too_much(event))

    def secrets_stay_secret(self, walk: Walk) -> Iterator[str]:
        """Check that a side sees no secrets of other sides except those it knew at the start (D4.1).

        Yield a sentence for each violation.
        """
        for side, known in self.known.items():
            reader = side or "spectator"
            for unit in known.units.values():
                if isinstance(unit, Ship) and not unit.belongs_to(side):
                    yield from (f"{reader}: {breach}" for breach in self._leaks(unit, side, walk))
                elif not unit.belongs_to(side):
                    yield from (f"{reader} knows {what}" for what in _secret_of_small_unit(unit, known))
            for other, standing in known.standing.items():
                if other != side and (standing.text, standing.flown, standing.spent) != ("", {}, ()):
                    yield f"{reader} knows orders of {other}: {standing}"

    def _leaks(self, ship: Ship, side: str, walk: Walk) -> Iterator[str]:
        had_it = side in self.owners.get(ship.name, ())
        if had_it and ship.name in walk.captured:
            return  # the side knows the ship's secrets up to its capture
        for name in SECRET:
            if value_of(ship, name) != DEFAULTS[name] and not (had_it and name in KEPT):
                yield f"{name} of {ship.name} is {value_of(ship, name)!r}"
        start = self.start.units.get(ship.name)
        if not isinstance(start, Ship) or had_it:
            return
        yield from _changes_since(start, ship)

    def what_is_public_is_known(self, walk: Walk) -> Iterator[str]:
        """Check that each side knows everything that it may know (D4.1); yield a sentence for each violation.

        Everybody knows SSDs (ship diagrams), positions and speeds; each side knows everything about its own units.
        """
        public = {name: _public(unit) for name, unit in walk.after.units.items()}
        for side, known in self.known.items():
            for name, unit in walk.after.units.items():
                found = known.units.get(name)
                if found is None:
                    yield f"{side or 'spectator'} does not know {name}"
                elif unit.belongs_to(side) and name not in walk.captured:
                    if found != unit:
                        yield f"{side} does not know its own {name}"
                elif _public(found) != public[name]:
                    yield f"{side or 'spectator'} sees {_public(found)}, it is {public[name]}"
            if known.links != walk.after.links:
                yield f"{side or 'spectator'} sees the beams {known.links}, they are {walk.after.links}"
            if (known.over, known.outcome) != (walk.after.over, walk.after.outcome):
                yield f"{side or 'spectator'} sees another end: {known.outcome}"


def _secret_of_small_unit(unit: AnyUnit, known: State) -> Iterator[str]:
    """Yield each secret of another side's shuttle or seeking weapon that a side knows.

    ``known`` is the state of the game as the side knows it.
    """
    if isinstance(unit, Shuttle) and (unit.target or unit.bomb):
        yield f"{unit.name} for a bomb"
    elif isinstance(unit, Seeker) and unit.target and known.options.targets == "secret" and unit.launcher:
        yield f"the target of {unit.name}"


def _changes_since(start: Ship, ship: Ship) -> Iterator[str]:
    """Yield a sentence for each secret of a ship's energy, weapons and probes that another side knows.

    ``ship`` is the ship as the other side knows it. Facts that were known at the start of the game are allowed.
    """
    if ship.power.capacitor > start.power.capacitor:
        yield f"the capacitor of {ship.name} is {ship.power.capacitor}"
    if ship.power.batteries != min(start.power.batteries, ship.boxes.get("battery", 0)):
        yield f"the batteries of {ship.name} are {ship.power.batteries}"
    for name, weapon in ship.weapons.items():
        first = start.weapons[name]
        if weapon.charge not in (WeaponState.NONE, first.charge) or weapon.armed_turns not in (0, first.armed_turns):
            yield f"{name} of {ship.name} is {weapon.charge} ({weapon.armed_turns} turns)"
    for letter, box in ship.power.probes.items():
        if box.purpose or box.turns:
            yield f"PROBE {letter} of {ship.name} is {box.purpose} ({box.turns} turns)"


TOLD_IN_PART = (*OWNERS_ONLY, ev.Fired, ev.Broke, ev.OrdersFiled, ev.Moved, ev.ShuttleLaunched)
"""Types of event of which all or a part may be visible to one side only."""


def _too_much(event: ev.AnyEvent) -> Iterator[str]:
    """Yield a description of each part of an event that other sides must not see."""
    match event:
        case ev.Fired() if event.energy:
            yield f"who paid for {event}"
        case ev.Broke() if event.condition and event.line:  # auto-breaks are public
            yield f"the break {event}"
        case ev.OrdersFiled() if event.text:
            yield f"the orders of {event.side}"
        case ev.Moved() if event.plotted:
            yield f"how far {event.unit} has plotted"
        case ev.ShuttleLaunched(shuttle=shuttle) if shuttle.target or shuttle.bomb:
            yield f"that {shuttle.name} is a bomb"
        case _ if isinstance(event, OWNERS_ONLY):
            yield f"{event}"


def _public(unit: AnyUnit) -> object:
    """Return the facts about a unit that everybody may know, as a value to compare.

    Left out are the target of a seeking weapon (FD1.2), the bomb of a shuttle (J2.222), and the private fields of a
    ship.
    """
    if isinstance(unit, Seeker):
        return replace(unit, target="")
    if isinstance(unit, Shuttle):
        return replace(unit, target="", bomb=0)
    if not isinstance(unit, Ship):
        return unit
    weapons = {name: (w.kind, w.working, w.fired, w.shots, w.ammo) for name, w in unit.weapons.items()}
    probes = {letter: box.left for letter, box in unit.power.probes.items()}
    hidden = {name: DEFAULTS[name] for name in PRIVATE if name in DEFAULTS}
    # The speed of a ship that is lost before speeds are announced stays secret (B3.0, line 7).
    still = {} if unit.in_play else {"speed": 0, "prior_speed": 0, "tactical": 0, "towing": 0}
    return altered(unit, **hidden, **still), weapons, probes, len(unit.hangar)


Invariant = Callable[[Walk], Iterator[str]]

EACH_STRETCH: Sequence[Invariant] = (
    volleys_are_what_struck,
    every_point_goes_somewhere,
    shields_stop_what_they_have,
    every_internal_point_destroys_a_box,
    damage_is_counted,
    nobody_fires_who_cannot,
    energy_is_never_created,
    stores_fit_their_boxes,
    boxes_are_those_of_the_ssd,
    ammunition_is_never_negative,
    people_are_conserved,
    shuttles_are_aboard_or_launched,
    systems_do_what_is_paid_for,
    what_is_learnt_is_not_forgotten,
    every_unit_is_in_one_place,
    the_gone_stay_gone,
    beams_hold_what_they_may,
    ships_change_hands_by_capture,
    the_state_is_the_fold_of_the_log,
)
"""Invariants that look at a single segment of play and remember nothing of earlier ones."""


class InvariantChecker:
    """Checks all invariants of a game, one segment of play after the other."""

    def __init__(self, opening: Opening) -> None:
        self.knowledge, self.guns = Knowledge(opening), Guns()

    def look(self, stretch: RandomSegment) -> Iterator[str]:
        """Yield a sentence for every violation in a segment of play, preceded by the name of its invariant."""
        walk = Walk(stretch)
        self.knowledge.learn(walk)
        yield from named_breaches("weapons_fire_once_a_turn", self.guns.look(walk))
        for knows in (
            self.knowledge.only_its_side_is_told,
            self.knowledge.secrets_stay_secret,
            self.knowledge.what_is_public_is_known,
        ):
            yield from named_breaches(knows.__name__, knows(walk))
        for each in EACH_STRETCH:
            yield from named_breaches(each.__name__, each(walk))


def named_breaches(invariant: str, breaches: Iterator[str]) -> Iterator[str]:
    """Yield the violations of an invariant, each preceded by the name of the invariant."""
    return (f"{invariant}: {breach}" for breach in breaches)
