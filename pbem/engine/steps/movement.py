"""Ships move (C1.3, C1.44): slower before faster, equal speeds at once, each turning just before it moves (C3.1).

Running into things: planets and asteroids (P2.0, P3.0).

Tactical maneuvers in play (C5.0): the last movement of an impulse (C1.3).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from pbem.data.terms import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Saying, Steer, Table, replace
from pbem.engine.state import AnyUnit, Commanded, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps import tractors
from pbem.engine.steps.damage import Blow, destroy, resolve_volleys
from pbem.engine.steps.ending import leave_map
from pbem.engine.steps.geometry import dragged
from pbem.engine.steps.steering import entered, keeps_room, legal_codes, since_turn, stays
from pbem.engine.victory import law
from pbem.errors import NotAllowed
from pbem.rules import hexes, terrain
from pbem.rules.movement import SUBLIGHT, WARP, after_step, moves, verify_tac

ASTEROIDS = "asteroids"
"""Who scores the points of a collision, in a volley."""


# --- planets -----------------------------------------------------------------------------------------------


def crash(table: Table, unit: AnyUnit, hex: str) -> None:
    """A ship that enters a planet hex is destroyed (P2.0); what its beams hold has moved with it (G7.31C)."""
    table.tell(ev.Moved(unit=unit.name, at=hex + unit.facing, code="F", came_from=unit.hex, rule="P2.0"))
    tractors.carry(table, unit.name, came_from=unit.hex)
    destroy(table, unit.name, rule="P2.0")


def crashes(unit: AnyUnit) -> bool:
    """Whether a planet destroys what enters its hex: ships and seeking weapons, and a shuttle with a target is one
    (J2.22). Monsters keep off planets (designed).
    """
    match unit:
        case Seeker():
            return terrain.crashes(unit.weapon)
        case Shuttle():
            return terrain.crashes("suicide shuttle" if unit.target else "shuttle")
        case _:
            return isinstance(unit, Ship)


# --- asteroids ---------------------------------------------------------------------------------------------


def after(move: Callable[[Table], None]) -> Callable[[Table], None]:
    """A step in which units ``move``, and then run into what stands where they have come."""

    def play(table: Table) -> None:
        before = table.state
        move(table)
        _run_into(table, before)

    return play


def _run_into(table: Table, before: State) -> None:
    """What flew or was dragged into a planet in this step is destroyed (P2.0). Everything that entered asteroids rolls,
    and then all they suffer is scored at once (P3.0).

    Part of every step in which units move: it looks at what the step has written, so whoever moves or tows a unit has
    nothing to do but to tell it (``Moved``, ``Towed``). How fast that was is asked of the state ``before`` the step, in
    which one in tow goes as fast as the ship that takes it along: by now that may be destroyed, or rid of its tow.
    """
    if not table.state.worlds and not table.state.asteroids:
        return
    entered = [
        event for event in table.happened() if isinstance(event, ev.Moved | ev.Towed) and event.step == table.step
    ]
    for name in sorted({event.unit for event in entered}):
        unit = table.state.units[name]
        if unit.in_play and unit.hex in table.state.planets and crashes(unit):
            destroy(table, name, rule="P2.0")
    blows: list[Blow] = []
    rolled: dict[str, int] = {}
    for event in entered:
        unit, hex_ = table.state.units[event.unit], event.at[:4]
        if hex_ not in table.state.asteroids or not unit.in_play or not suffers(unit):
            continue
        rolled[unit.name] = rolled.get(unit.name, 0) + 1
        points = _collide(table, unit, hex_, before.pace(before.units[unit.name]), rolled[unit.name])
        if points:
            shield = terrain.asteroid_shield() if isinstance(unit, Ship) else 0
            blows.append(Blow(target=unit.name, shield=shield, points=points, source=ASTEROIDS))
    if blows:
        resolve_volleys(table, blows)


def suffers(unit: AnyUnit) -> bool:
    """Whether asteroids harm a unit: ships, shuttles and seeking weapons (P3.0).

    Reading: monsters are not named, so they pass unharmed.
    """
    return not isinstance(unit, Monster | Planet)


def _collide(table: Table, unit: AnyUnit, hex_: str, speed: int, number: int) -> int:
    roll, die = table.roll(unit.name, "ASTEROIDS", number)
    points = terrain.asteroid_damage(die, speed, table.state.impulses)
    table.tell(ev.Collided(unit=unit.name, hex=hex_, roll=roll, die=die, points=points, rule="P3.0"))
    return points


def maneuver(table: Table) -> None:
    """Every ship that paid for maneuvers makes the next one its captain ordered, as soon as it is his to make; a
    freighter in tow none (G7.4).
    """
    before = table.state
    for ship in before.ships():
        if not (ship.tactical or ship.sublight):
            continue
        held = before.holders(ship.name)
        for order in table.captain(ship).tacs(table, ship, before):
            if held:
                off = f"{ship.name} is in tow of {held[0].ship}, its engines are shut down (G7.4)"
                table.tac_failed(ship, order, off)
                continue
            kind = kind_to_use(before, ship)
            if isinstance(kind, NotAllowed):
                table.tac_failed(ship, order, str(kind))
                continue
            facing = hexes.turn_facing(ship.facing, 1 if order.way == "R" else -1)
            table.tell(ev.Maneuvered(unit=ship.name, at=ship.hex + facing, kind=kind, rule="C5.0"))
            table.tac_made(ship, order)
            break


def kind_to_use(state: State, ship: Ship) -> str | NotAllowed:
    """Which maneuver a ship has in hand in this impulse, or why none.

    An earned warp maneuver comes first, since it may be lost (C5.232).
    """
    refused: NotAllowed | None = None
    for kind, paid in ((WARP, ship.tactical > 0), (SUBLIGHT, ship.sublight)):
        if not paid:
            continue
        try:
            verify_tac(
                kind,
                impulse=state.impulse,
                impulses=state.impulses,
                maneuvers=ship.tactical,
                used=ship.tacs,
                sublight=ship.sublight,
                sublight_used=ship.sublight_used,
            )
        except NotAllowed as reason:
            refused = refused or reason
            continue
        return kind
    return refused or NotAllowed("tac-not-paid", "the energy form pays for no maneuver", "C5.0")


class Course(NamedTuple):
    """What becomes of a unit's next hex: the code it flies, or (``ends``) that it flies off the map, is ``forced`` off
    it, or into a ``planet``.
    """

    code: str
    plotted: bool
    sayings: tuple[Saying, ...]
    ends: str = ""


def due_to_move(state: State, unit: Commanded, impulse: int) -> bool:
    """Whether the impulse chart moves the unit in ``impulse`` (C1.44): not one that a beam holds (G7.32C, J1.621), nor
    one that a beam has taken along in this very impulse and has lost since (C1.4).
    """
    if (isinstance(unit, Ship) and unit.immobile) or (impulse == state.impulse and dragged(state, unit)):
        return False
    return not state.holders(unit.name) and moves(unit.speed, impulse, state.impulses)


def move_ships(table: Table) -> None:
    """Slower ships are moved first; ships of equal speed decide on the positions from before either moves (C1.3)."""
    due = [ship for ship in table.state.ships() if due_to_move(table.state, ship, table.impulse)]
    for speed in sorted({ship.speed for ship in due}):
        before = table.state
        group = [before.units[ship.name] for ship in due if ship.speed == speed]
        steered = [
            (ship, table.captain(ship).steer(table, ship, before))
            for ship in group
            if isinstance(ship, Ship) and ship.in_play
        ]
        for ship, steer in steered:
            fly(table, ship, settle(table, ship, steer))


def settle(table: Table, unit: Commanded, steer: Steer) -> Course:
    """The code a unit flies: the captain's, unless it would take the unit off the map without leave or a ship into a
    planet; then the nearest legal one that does not.
    """
    sayings = list(steer.sayings)
    if stays(table.state, unit, steer.code):
        return Course(steer.code, steer.plotted, tuple(sayings))
    into = entered(table.state, unit, steer.code)[0]
    planet = isinstance(unit, Ship) and into in table.state.planets
    inside = legal_codes(table.state, unit)
    inside.sort(key=lambda way: not keeps_room(table.state, unit, way))
    leaves = table.captain(unit).may_leave(unit) and not planet
    if leaves or not inside:
        ends = "planet" if planet else "off" if leaves else "forced"
        return Course(steer.code, False, tuple(sayings), ends)
    off = "it would have left the map, and the orders do not say LEAVE MAP"
    why = f"it would have flown into the planet in {into} (P2.0)" if planet else off
    sayings.append(Saying(line=0, order=steer.code, result=f"flown as {inside[0]}", reason=why))
    return Course(inside[0], False, tuple(sayings))


def fly(table: Table, unit: Commanded, course: Course) -> None:
    """The unit turns and enters its hex (C3.1), or is gone."""
    for saying in course.sayings:
        table.say(unit, saying)
    hex_, facing = entered(table.state, unit, course.code)
    if course.ends:
        _leave(table, unit, hex_, course.ends)
        return
    if facing != unit.facing:
        table.tell(ev.Turned(unit=unit.name, at=unit.hex + facing, rule="C3.1"))
    turned, slipped = after_step(course.code, since_turn(unit), unit.since_slip if isinstance(unit, Ship) else 0)
    moved = ev.Moved(
        unit=unit.name,
        at=hex_ + facing,
        code=course.code,
        came_from=unit.hex,
        since_turn=turned,
        since_slip=slipped if isinstance(unit, Ship) else 0,
        rule="C4.2" if course.code in ("SL", "SR") else "C1.4",
    )
    if course.plotted:  # how far his plot goes is the owner's secret
        table.secret(unit.side, replace(moved, plotted=True), moved)
    else:
        table.tell(moved)
    if isinstance(unit, Ship):
        tractors.carry(table, unit.name, came_from=unit.hex)
        law(table.scenario).moved(table, table.ship(unit.name))


def _leave(table: Table, unit: Commanded, into: str, ends: str) -> None:
    """A ship that leaves the map is what the scenario says; a shuttle is lost, with whoever is aboard."""
    if not isinstance(unit, Ship):
        why = "no legal move kept it on the map" if ends == "forced" else "it flew off the map"
        table.tell(ev.Removed(unit=unit.name, how=Gone.LEFT, why=f"{why} from {unit.hex}", rule="J1.2"))
    elif ends == "planet":
        crash(table, unit, into)
    else:
        leave_map(table, unit, into, forced=ends == "forced")
