"""Ships move (C1.3, C1.44): slower before faster, equal speeds at once, each turning just before it moves (C3.1)."""

from __future__ import annotations

from pbem.game import events as ev
from pbem.game.state import Ship, State
from pbem.rules.impulse_chart import moves
from pbem.rules.sideslip import after_step
from pbem.turn import tractors
from pbem.turn.collisions import crash
from pbem.turn.ending import leave_map
from pbem.turn.helm import entered, keeps_room, legal_codes, stays
from pbem.turn.table import Saying, Steer, Table, replace


def due_to_move(state: State, ship: Ship, impulse: int) -> bool:
    """Whether the impulse chart moves the ship in ``impulse`` (C1.44): not one that a beam holds (G7.32C)."""
    return not ship.immobile and not state.holders(ship.name) and moves(ship.speed, impulse, state.impulses)


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
            _fly(table, ship, steer)


def _fly(table: Table, ship: Ship, steer: Steer) -> None:
    """Fly the code, unless it would take the ship off the map without leave or into a planet: then the nearest legal
    one that does not.
    """
    code, plotted, sayings = steer.code, steer.plotted, list(steer.sayings)
    if not stays(table.state, ship, code):
        into = entered(table.state, ship, code)[0]
        planet = into in table.state.planets
        inside = legal_codes(table.state, ship)
        inside.sort(key=lambda way: not keeps_room(table.state, ship, way))
        leaves = table.captain(ship).may_leave(ship) and not planet
        if leaves or not inside:
            for saying in sayings:
                table.say(ship, saying)
            if planet:
                crash(table, ship, into)
            else:
                leave_map(table, ship, into, forced=not leaves)
            return
        off = "it would have left the map, and the orders do not say LEAVE MAP"
        why = f"it would have flown into the planet in {into} (P2.0)" if planet else off
        sayings.append(Saying(line=0, order=code, result=f"flown as {inside[0]}", reason=why))
        code, plotted = inside[0], False
    for saying in sayings:
        table.say(ship, saying)
    hex_, facing = entered(table.state, ship, code)
    if facing != ship.facing:
        table.tell(ev.Turned(unit=ship.name, at=ship.hex + facing, rule="C3.1"))
    since_turn, since_slip = after_step(code, ship.since_turn, ship.since_slip)
    moved = ev.Moved(
        unit=ship.name,
        at=hex_ + facing,
        code=code,
        came_from=ship.hex,
        since_turn=since_turn,
        since_slip=since_slip,
        rule="C4.2" if code in ("SL", "SR") else "C1.4",
    )
    if plotted:  # how far his plot goes is the owner's secret
        table.secret(ship.side, replace(moved, plotted=True), moved)
    else:
        table.tell(moved)
    tractors.carry(table, ship.name, came_from=ship.hex)
    _scenario_marks(table, table.ship(ship.name))


def _scenario_marks(table: Table, ship: Ship) -> None:
    """A rescue: the rescuer ends a step of movement in the hex of the ship to be rescued (scenario #4)."""
    victory = table.scenario.victory
    if victory.kind != "dakota" or ship.name != victory.rescuer or victory.mark in ship.marks:
        return
    rescued = table.state.units.get(victory.rescued)
    if rescued is not None and rescued.in_play and rescued.hex == ship.hex:
        table.tell(ev.Marked(unit=ship.name, mark=victory.mark, rule="scenario #4"))
