"""What a position is worth to a side, in points: an enemy's box counts as one of its own."""

from __future__ import annotations

from collections.abc import Callable

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.game.state import Monster, Planet, Seeker, Ship, State
from pbem.rules import arming, hexes
from pbem.rules.direct_fire import is_phaser
from pbem.values.words import Gone, WeaponState

WON, LOST = 2000, -2000
RESULTS = {
    "decisive victory": 2000, "victory": 1500, "tactical victory": 800, "marginal victory": 700, "draw": -400,
    "defeat": -1500, "decisive defeat": -2000,
}  # fmt: skip
"""What the words are worth in which scenarios say how a game ended; a draw is less than nothing, and better
than to lose."""

BOX, SHIELD, DOWN, PHASER, HEAVY, CHARGED, SHIP = 6, 3, 10, 14, 26, 5, 120
"""Points of a box inside, of a shield box, of a shield that is down, of weapons that work and of a heavy weapon that is
loaded, and of a ship that lives.
"""


def worth(state: State, scenario: Scenario, side: str) -> int:
    """How good a position is for a side, in whole points: what has been decided counts above all else."""
    if state.over:
        return sum(RESULTS.get(one.result, 0) for one in state.outcome if one.side == side)
    total = 0
    for unit in state.units.values():
        if isinstance(unit, Ship) and not unit.immobile:
            total += ship_worth(unit) * (-1 if state.enemies(side, unit.side) else 1)
        elif isinstance(unit, Seeker) and unit.in_play:
            total += -4 if state.enemies(side, unit.side) else 4
    aim = AIMS.get(scenario.victory.kind)
    if aim is not None:
        tasked = scenario.victory.side or scenario.victory.rescuer
        owner = state.units.get(tasked)
        doer = owner.side if owner is not None else tasked
        points = aim(state, scenario, doer)
        total += -points if state.enemies(side, doer) else points
    return total


def ship_worth(ship: Ship) -> int:
    """What a ship is worth as it is: nothing if it is lost to its side, half if it left."""
    if ship.gone not in (Gone.IN_PLAY, Gone.NOT_YET, Gone.DISENGAGED, Gone.LEFT):
        return 0
    total = SHIP + BOX * sum(ship.boxes.values())
    for boxes in ship.shields:
        total += SHIELD * boxes - (0 if boxes else DOWN)
    for weapon in ship.weapons.values():
        if weapon.working:
            total += PHASER if is_phaser(weapon.kind) else HEAVY
            if arming.family(weapon.kind).turns > 1 and (
                weapon.charge in arming.UNDER_WAY or weapon.charge == WeaponState.ARMED
            ):
                total += CHARGED if weapon.charge == WeaponState.ARMED else CHARGED // 2
    if ship_class(ship.ship).damage == "track":
        total -= BOX * ship.internals
    return total if ship.gone in (Gone.IN_PLAY, Gone.NOT_YET) else total // 2


def _drill(state: State, scenario: Scenario, doer: str) -> int:
    """Seeking weapons shot down (#1, #2)."""
    return 150 * sum(isinstance(unit, Seeker) and unit.gone == Gone.DESTROYED for unit in state.units.values())


def _raid(state: State, scenario: Scenario, doer: str) -> int:
    """Freighters lost, and how far on their way those that live are (#3)."""
    total = 0
    for name in scenario.victory.targets:
        target = state.units[name]
        if isinstance(target, Ship):
            total += 300 if target.gone == Gone.DESTROYED else 12 * target.internals
            total -= 4 * int(target.hex[:2]) if target.in_play else 0
    return total


def _piracy(state: State, scenario: Scenario, doer: str) -> int:
    """Freighters captured, and boarding parties aboard them (#8)."""
    total = 0
    for name in scenario.victory.targets:
        target = state.units[name]
        if isinstance(target, Ship):
            total += 500 if target.side == doer else 25 * target.boarders.get(doer, 0)
            total += 3 * (sum(ship_class(target.ship).shields) - sum(target.shields))
            total -= 400 if target.gone == Gone.DESTROYED else 0
    return total


def _rescue(state: State, scenario: Scenario, doer: str) -> int:
    """Survivors aboard, or how near the cruiser is to where they wait (#9)."""
    goal = state.units.get(scenario.victory.goal)
    total = 0
    for ship in state.ships():
        if ship.side != doer:
            continue
        total += 600 * ship.passengers
        if ship.passengers:
            total -= 12 * _to_the_edge(state, ship.hex)
        elif isinstance(goal, Planet):
            total -= 12 * hexes.distance(ship.hex, goal.hex, state.grid)
    for shuttle in state.shuttles():
        if shuttle.side == doer and shuttle.crew:
            total += 250
    return total


def _dakota(state: State, scenario: Scenario, doer: str) -> int:
    """The crew taken off and carried to the right (#4)."""
    ship = state.units.get(scenario.victory.rescuer)
    wreck = state.units.get(scenario.victory.rescued)
    if not isinstance(ship, Ship) or wreck is None or not ship.in_play:
        return 0
    if scenario.victory.mark in ship.marks:
        return 500 + 12 * int(ship.hex[:2])
    return -12 * hexes.distance(ship.hex, wreck.hex, state.grid)


def _hunt(state: State, scenario: Scenario, doer: str) -> int:
    """What is known of the monster, what it has taken, and what the planet has suffered (#11)."""
    total = 0
    for unit in state.units.values():
        if isinstance(unit, Monster):
            total += 3 * unit.information + 2 * unit.damage
            if not unit.information:
                nearest = min((hexes.distance(one.hex, unit.hex, state.grid) for one in state.ships()), default=0)
                total -= 4 * nearest
        elif isinstance(unit, Planet):
            total -= 4 * unit.damage
    return total


def _to_the_edge(state: State, hex: str) -> int:
    column, row = int(hex[:2]), int(hex[2:])
    first, last = state.map
    return min(column - int(first[:2]), int(last[:2]) - column, row - int(first[2:]), int(last[2:]) - row)


AIMS: dict[str, Callable[[State, Scenario, str], int]] = {
    "drill": _drill, "survive": _drill, "raid": _raid, "piracy": _piracy, "rescue": _rescue, "dakota": _dakota,
    "monster": _hunt,
}  # fmt: skip
"""What a scenario is about beyond the fight, by the word of its victory: points for the side whose task it is."""
