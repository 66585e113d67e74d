"""Ships move (C1.3, C1.44): slower before faster, equal speeds at once, each turning just before it moves (C3.1)."""

from __future__ import annotations

from typing import NamedTuple

from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Saying, Steer, Table, replace
from pbem.engine.state import Commanded, Ship, State
from pbem.engine.steps import tractors
from pbem.engine.steps.collisions import crash
from pbem.engine.steps.ending import leave_map
from pbem.engine.steps.geometry import dragged
from pbem.engine.steps.helm import entered, keeps_room, legal_codes, since_turn, stays
from pbem.engine.victory import law
from pbem.rules.impulse_chart import moves
from pbem.rules.sideslip import after_step


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
