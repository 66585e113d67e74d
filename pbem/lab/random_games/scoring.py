"""Invariants of fire and damage: what strikes is scored, every point of it, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.engine.relations import can_fight
from pbem.engine.state import Monster, Planet, Seeker, Ship
from pbem.lab.random_games.walk import Walk
from pbem.rules.impulse_chart import turn_of
from pbem.rules.phasers import shots
from pbem.rules.terrain import asteroid_shield

Place = tuple[object, ...]
"""Turn, impulse, step, unit, shield."""

CLOSE = "close"
"""The step that ends a turn, in which monsters attack."""


def _strikes(walk: Walk) -> Iterator[tuple[Place, int]]:
    """Everything that strikes something, as it was told: fire, seeking weapons, monsters, asteroids."""
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
    """D4.22: a volley is all points that strike one shield in one step, and no others; what has no SSD takes all points
    of a step together (FD1.54, J1.32).
    """
    struck: Counter[Place] = Counter()
    told: Counter[Place] = Counter()
    for place, points in _strikes(walk):
        struck[place] += points
    for event in walk.happened:
        match event:
            case ev.Volley(unit=unit, shield=shield, points=points):
                told[event.turn, event.impulse, event.step, unit, shield] += points
            case ev.SeekerDamaged(unit=unit, points=points) | ev.UnitDamaged(unit=unit, points=points):
                told[event.turn, event.impulse, event.step, unit, 0] += points
    for place in {*struck, *told}:
        target = walk.after.units[str(place[3])]
        if struck[place] == told[place] or (isinstance(target, Ship) and target.invulnerable):
            continue
        # A seeking weapon that struck in the same impulse is no target any more (F2.2).
        if told[place] or not (target.gone and isinstance(target, Seeker)):
            yield f"{place}: {struck[place]} points struck, {told[place]} were scored"


def every_point_goes_somewhere(walk: Walk) -> Iterator[str]:
    """D3.34, D3.21, D4.2: reinforcement, shield boxes and internals add up to the points of the volley."""
    due: dict[Place, int] = {}
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
    # A ship that a volley destroyed takes no others of that step (D4.4).
    for where, points in due.items():
        if where[3] not in walk.doomed:
            yield f"{where}: {points} points were never scored"


def shields_stop_what_they_have(walk: Walk) -> Iterator[str]:
    """D3.21, G8.22: a shield loses the boxes that stopped something, and one that is lowered stops nothing."""
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
        if event.general > ship.general or event.specific > ship.reinforcement[event.shield - 1]:
            yield f"{event.unit} has {ship.general} and {ship.reinforcement} of reinforcement: {event}"


def every_internal_point_destroys_a_box(walk: Walk) -> Iterator[str]:
    """D4.2: one box for each internal point, unless the ship is destroyed before, or has an abstract track."""
    boxes: Counter[Place] = Counter()
    points: Counter[Place] = Counter()
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
    """FD1.54, J1.32, scenario #11: points on what has no SSD add up."""
    for state, event in walk.events():
        if isinstance(event, ev.UnitDamaged | ev.SeekerDamaged):
            unit = state.units[event.unit]
            had = 0 if isinstance(unit, Ship) else unit.damage
            if event.points < 1 or event.total != had + event.points:
                yield f"{event.unit} had {had}: {event}"
        elif isinstance(event, ev.Attacked) and event.step != CLOSE:
            yield f"a monster attacks before the end of the turn: {event}"


def nobody_fires_who_cannot(walk: Walk) -> Iterator[str]:
    """D7.0, G6.32, J2.22: not from a captured ship, nor in mutiny, nor from a suicide shuttle or the ground."""
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
    """E1.5, E2.23, FD1.1, J2.213: once a turn (a phaser-G several times), and not within a quarter of a turn of a shot
    of the last one. Remembers all shots of a game.
    """

    def __init__(self) -> None:
        self.shots: dict[tuple[str, str], list[int]] = {}

    def look(self, walk: Walk) -> Iterator[str]:
        impulses = walk.after.impulses
        for event in walk.happened:
            if not isinstance(event, ev.Fired | ev.Launched) or not event.weapon:
                continue
            if isinstance(event, ev.Fired) and event.kind == "probe":  # it takes two turns to arm the next
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
