"""Movement and attacks of monsters, and the ways to defeat them (scenario #11)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.data.ships import ship_class
from pbem.data.terms import StepName, UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import enemy_ships
from pbem.engine.state import AnyUnit, Monster, Planet, Ship, Shuttle, State
from pbem.engine.steps.damage import Blow, destroy, resolve_volleys
from pbem.engine.steps.firing import shield_hit
from pbem.rules import hexes, monsters as law, ties
from pbem.rules.movement import moves
from pbem.util import only

RULE = "scenario #11"

"""The rule number that events about monsters carry."""

SHUTTLE, TRACTOR, PROBE, DAMAGE = "suicide shuttle", "tractor", "probe", "damage"
"""The ways to defeat a monster, as the chart names them."""


# --- moving ------------------------------------------------------------------------------------------------


def move(table: Resolution) -> None:
    """Move every monster, slower ones first, before the ships (C1.3); tractor beams do not stop monsters."""
    due = {
        monster.name: monster.speed
        for monster in table.state.monsters()
        if moves(monster.speed, table.impulse, table.state.impulses)
    }
    for speed in sorted(set(due.values())):
        before = table.state
        for name in sorted(name for name, own in due.items() if own == speed):
            monster = before.units[name]
            assert isinstance(monster, Monster)
            _step(table, monster, before)


def _step(table: Resolution, monster: Monster, before: State) -> None:
    ships = {ship.name: _stood(before, ship) for ship in prey(before, monster)}
    drawn_by = law.distracted_by(monster.monster, _stood(before, monster), ships, before.grid)
    toward = before.units[drawn_by].hex if drawn_by else goal_hex(before, monster)
    if not toward:
        return
    stop = int(toward in before.planets)
    offered = law.choices(
        monster.monster, monster.hex, monster.facing, monster.straight, toward, before.grid, stop=stop
    )
    # It flies around a planet and stays on the map; if it has no such move, it does not move (designed).
    found = _free(before, offered)
    if not found and offered[0].moved:
        round_it = _free(before, law.ways_round(monster.hex, monster.facing, toward, before.grid))
        nearest = min((hexes.distance(to.hex, toward, before.grid) for to in round_it), default=0)
        found = [to for to in round_it if hexes.distance(to.hex, toward, before.grid) == nearest]
    if not found:
        return
    chosen = only(found) or _toss(table, monster, found)
    if chosen.facing != monster.facing:
        table.tell(ev.Turned(unit=monster.name, at=monster.hex + chosen.facing, rule=RULE))
    if not chosen.moved:
        return
    code = {0: "F", 1: "R", 5: "L"}[hexes.relative(monster.facing, chosen.facing)]
    since = monster.straight + 1 if code == "F" else 1
    at = chosen.hex + chosen.facing
    table.tell(ev.Moved(unit=monster.name, at=at, code=code, came_from=monster.hex, since_turn=since, rule=RULE))


def _free(state: State, moves: Sequence[law.MonsterMove]) -> list[law.MonsterMove]:
    """Return the moves that lead neither into a planet nor off the map."""
    return [to for to in moves if to.hex not in state.planets and hexes.on_map(to.hex, state.map)]


def _toss(table: Resolution, monster: Monster, found: list[law.MonsterMove]) -> law.MonsterMove:
    """Roll a die to choose between two equally good moves, and return the chosen one.

    An odd roll selects the move to the left, an even roll the move to the right.
    """
    roll, die = table.roll(monster.name, "WAY")
    chosen = law.choose(tuple(found), die)
    doing = "enters" if chosen.moved else "turns in"
    meaning = f"{doing} {chosen.hex}{chosen.facing}, the {'left' if chosen is found[0] else 'right'} of two equal ways"
    table.tell(ev.Rolled(unit=monster.name, roll=roll, die=die, meaning=meaning, rule=RULE))
    return chosen


def prey(state: State, monster: Monster) -> list[Ship]:
    """Return the ships that may distract a monster, and that it may attack, sorted by name.

    These ships are the monster's enemies.
    """
    return enemy_ships(state, monster.side)


def goal_hex(state: State, monster: Monster) -> str:
    """Return the nearest hex of the planet that a monster attacks; empty if the monster attacks no planet."""
    goal = state.units.get(monster.goal)
    if not isinstance(goal, Planet) or not goal.in_play:
        return ""
    return min(goal.hexes, key=lambda hex_: (hexes.distance(monster.hex, hex_, state.grid), ties.of_hexes(hex_)))


def _stood(state: State, unit: AnyUnit) -> str:
    """Return the hex that a unit occupied at the start of the turn."""
    began = (state.turn - 1) * state.impulses
    return next((place.hex for place in reversed(unit.track) if place.moment <= began), unit.hex)


# --- attacking ---------------------------------------------------------------------------------------------


def attack(table: Resolution) -> None:
    """At the end of a turn, let each monster attack the ship that it has reached, or the adjacent planet.

    Our interpretation where the rules are silent: such an attack is not direct fire, so planets, asteroids and cloaks
    do not hinder it.
    """
    before = table.state
    blows: list[Blow] = []
    for monster in before.monsters():
        ships = {ship.name: ship.hex for ship in prey(before, monster)}
        name = law.victim(monster.monster, monster.hex, goal_hex(before, monster), ships, before.grid)
        target = before.units.get(monster.goal if name == "goal" else name)
        if target is not None:
            blows.append(_attack(table, monster, target))
    resolve_volleys(table, blows)
    for monster in before.monsters():
        goal = table.state.units.get(monster.goal)
        if isinstance(goal, Planet) and goal.in_play and law.goal_destroyed(monster.monster, goal.damage):
            destroy(table, goal.name)


def _attack(table: Resolution, monster: Monster, target: AnyUnit) -> Blow:
    """Roll one die for a monster's attack, and return the damage; Cadet ships take half the damage."""
    cadet = isinstance(target, Ship) and ship_class(target.ship).level == "cadet"
    roll, die = table.roll(monster.name, "ATTACK")
    points = law.attack(monster.monster, die, cadet)
    shield = shield_hit(table, monster, target)
    table.tell(
        ev.Attacked(unit=monster.name, target=target.name, roll=roll, die=die, points=points, shield=shield, rule=RULE)
    )
    return Blow(target=target.name, shield=shield, points=points, source=monster.name)


# --- how it dies -------------------------------------------------------------------------------------------


def check_kills(table: Resolution) -> None:
    """Destroy the monsters that a suicide shuttle, a tractor beam or a probe killed in this step.

    This function is called in every step in which one of these actions can happen.
    """
    if not table.scenario.uses("monster"):
        return
    steps = (StepName.FIRE, table.step) if table.step == StepName.RESOLVE else (table.step,)
    for event in table.happened():
        if event.step not in steps:
            continue
        match event:
            case ev.Impact(unit=by, target=target) if isinstance(table.state.units.get(by), Shuttle):
                done_to(table, target, SHUTTLE)
            case ev.Tractored(target=target):
                done_to(table, target, TRACTOR)
            case ev.Fired(kind="probe", hit=True, target=target):
                done_to(table, target, PROBE)


def done_to(table: Resolution, name: str, how: str) -> None:
    """Destroy a monster if an action against the monster kills it.

    ``how`` is the action, as named in the chart of methods to defeat monsters; empty if there was no action.
    """
    monster = table.state.units.get(name)
    if not isinstance(monster, Monster) or not monster.in_play or not monster.method:
        return
    if law.dies(monster.monster, law.method(monster.method), how=how, damage=monster.damage):
        destroy(table, name)


def find_methods(table: Resolution) -> None:
    """At the end of a turn, roll for the way to defeat each monster, if enough is known about it.

    Enough information points must have been gathered. If the result requires more information and the points gathered
    are enough for that too, the die is rolled again. Our interpretation where the rules are silent: damage scored
    earlier counts, and a tractor beam that already holds the monster counts as attached.
    """
    for monster in table.state.monsters():
        _find_method(table, monster.name)


def _find_method(table: Resolution, name: str) -> None:
    number = 0
    while isinstance(monster := table.state.units[name], Monster) and monster.in_play:
        if monster.method or monster.information < monster.needed:
            return
        number += 1
        roll, die = table.roll(name, "METHOD", number)
        found = law.method(die)
        needed = monster.needed + found.amount if found.kind == "more" else 0
        table.tell(ev.MethodFound(unit=name, roll=roll, die=die, method=found.kind, needed=needed, rule=RULE))
        if found.kind == UnitFate.FRIENDLY:
            table.tell(ev.Removed(unit=name, how=UnitFate.FRIENDLY, why=found.text, rule=RULE))
        elif not needed:
            done_to(table, name, TRACTOR if table.state.holders(name) else "")
