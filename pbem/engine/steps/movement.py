"""Movement of ships: slower ships first, ships of equal speed at the same time (C1.3, C1.44).

Each ship turns just before it moves (C3.1). Tactical maneuvers (C5.0), which are the last movement in an impulse
(C1.3), are in this module too.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import OrderReport, Resolution, Steer, replace
from pbem.engine.relations import is_wreck
from pbem.engine.state import Commanded, Ship, State
from pbem.engine.steps import tractors
from pbem.engine.steps.ending import leave_map
from pbem.engine.steps.geometry import dragged
from pbem.engine.steps.steering import entered, keeps_room, legal_codes, since_turn, stays
from pbem.engine.steps.terrain import crash
from pbem.engine.victory import victory_conditions
from pbem.errors import NotAllowed
from pbem.rules import hexes
from pbem.rules.movement import SUBLIGHT, WARP, after_step, moves, verify_tac


def maneuver(table: Resolution) -> None:
    """Let every ship make the next tactical maneuver that it has ordered, if a maneuver is available.

    A freighter in tow cannot make tactical maneuvers (G7.4).
    """
    before = table.state
    for ship in before.ships():
        if not (ship.power.tactical or ship.power.sublight):
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
    """Return the kind of tactical maneuver that a ship can make in this impulse.

    If it can make no maneuver, the reason is returned instead. A warp maneuver is used before a sublight maneuver,
    because an unused warp maneuver may be lost (C5.232).
    """
    refused: NotAllowed | None = None
    for kind, paid in ((WARP, ship.power.tactical > 0), (SUBLIGHT, ship.power.sublight)):
        if not paid:
            continue
        try:
            verify_tac(
                kind,
                impulse=state.impulse,
                impulses=state.impulses,
                maneuvers=ship.power.tactical,
                used=ship.this_turn.tacs,
                sublight=ship.power.sublight,
                sublight_used=ship.this_turn.sublight_used,
            )
        except NotAllowed as reason:
            refused = refused or reason
            continue
        return kind
    return refused or NotAllowed("tac-not-paid", "the energy form pays for no maneuver", "C5.0")


class UnitMove(NamedTuple):
    """The next move of a unit, as decided by its commander and the rules.

    Attributes:
        code: The movement code that the unit flies.
        plotted: Whether the code is the next code of the plot, which is then used up.
        sayings: Reports to the owner about the orders that led to the move.
        ends: ``off`` if the unit flies off the map, ``forced`` if no move keeps it on the map, ``planet`` if it flies
            into a planet; otherwise empty.
    """

    code: str
    plotted: bool
    sayings: tuple[OrderReport, ...]
    ends: str = ""


def due_to_move(state: State, unit: Commanded, impulse: int) -> bool:
    """Return whether the unit moves by itself in ``impulse`` according to the impulse chart (C1.44).

    A unit does not move by itself while a tractor beam holds it (G7.32C, J1.621). Nor does a unit move by itself if a
    beam has moved it in this impulse, even if the beam has released it in the meantime (C1.4).
    """
    if is_wreck(unit) or (impulse == state.impulse and dragged(state, unit)):
        return False
    return not state.holders(unit.name) and moves(unit.speed, impulse, state.impulses)


def move_ships(table: Resolution) -> None:
    """Move all ships, slower ones first (C1.3).

    The moves of all ships of equal speed are decided before any of these ships moves.
    """
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


def settle(table: Resolution, unit: Commanded, steer: Steer) -> UnitMove:
    """Return the move that a unit makes: its commander's choice, unless the rules forbid that move.

    A move off the map without permission and a ship's move into a planet are forbidden. Such a move is replaced by the
    most similar legal move that stays on the map and out of planets.
    """
    sayings = list(steer.sayings)
    if stays(table.state, unit, steer.code):
        return UnitMove(steer.code, steer.plotted, tuple(sayings))
    into = entered(table.state, unit, steer.code)[0]
    planet = isinstance(unit, Ship) and into in table.state.planets
    inside = legal_codes(table.state, unit)
    inside.sort(key=lambda way: not keeps_room(table.state, unit, way))
    leaves = table.captain(unit).may_leave(unit) and not planet
    if leaves or not inside:
        ends = "planet" if planet else "off" if leaves else "forced"
        return UnitMove(steer.code, False, tuple(sayings), ends)
    off = "it would have left the map, and the orders do not say LEAVE MAP"
    why = f"it would have flown into the planet in {into} (P2.0)" if planet else off
    sayings.append(OrderReport(line=0, order=steer.code, result=f"flown as {inside[0]}", reason=why))
    return UnitMove(inside[0], False, tuple(sayings))


def fly(table: Resolution, unit: Commanded, course: UnitMove) -> None:
    """Turn the unit and move it into its next hex (C3.1).

    If the move takes the unit out of play, it is removed.
    """
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
    if course.plotted:  # only the owner may know which moves are plotted
        table.secret(unit.side, replace(moved, plotted=True), moved)
    else:
        table.tell(moved)
    if isinstance(unit, Ship):
        tractors.carry(table, unit.name, came_from=unit.hex)
        victory_conditions(table.scenario).moved(table, table.ship(unit.name))


def _leave(table: Resolution, unit: Commanded, into: str, ends: str) -> None:
    """Remove a unit that leaves the map.

    For a ship the scenario defines the consequences; a shuttle is lost with everybody aboard.
    """
    if not isinstance(unit, Ship):
        why = "no legal move kept it on the map" if ends == "forced" else "it flew off the map"
        table.tell(ev.Removed(unit=unit.name, how=UnitFate.LEFT, why=f"{why} from {unit.hex}", rule="J1.2"))
    elif ends == "planet":
        crash(table, unit, into)
    else:
        leave_map(table, unit, into, forced=ends == "forced")
