"""Guess hidden facts for a computer player, and rate how good a position is for its side.

:func:`with_guessed_secrets` fills in the secrets of the other sides. The guesses agree with everything that the
side has seen. They overestimate the other sides rather than underestimate them. :func:`position_worth` rates a
position in points. A box of an enemy ship counts as much as a box of the side's own ships.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from pbem.ai.energy import energy_form
from pbem.data.doctrines import Measure, doctrines
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import FormKind, Purpose, UnitFate, WeaponState
from pbem.engine.on_file import altered
from pbem.engine.relations import TOWED_OFF, allied, enemy_ships, raiders_of
from pbem.engine.state import Monster, Planet, Seeker, Ship, State, Weapon
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.geometry import faced, range_between
from pbem.engine.steps.monsters import DAMAGE, PROBE, SHUTTLE
from pbem.rules import hexes, weapons as arming
from pbem.rules.direct_fire import is_phaser
from pbem.rules.monsters import method
from pbem.rules.power import capacity


def with_guessed_secrets(state: State, scenario: Scenario, side: str) -> State:
    """Return the state of the game that a side knows, with guesses for the secrets of all other sides.

    ``state`` is the side's view at a request for orders. Heavy weapons that did not fire are assumed to have been
    armed in every turn. Capacitors and batteries are assumed to be full. This turn's power is assumed to have gone
    into weapons, as far as the announced speed left power for them.
    """
    request = state.request
    assert request is not None
    between = request.impulse == 0 and request.form != FormKind.SOP  # forms of this turn are not written yet
    units = dict(state.units)
    for ship in state.ships():
        if not ship.belongs_to(side) and not ship.terms.immobile:
            units[ship.name] = _guess(state, scenario, ship, between)
    return replace(state, units=units)


def _guess(state: State, scenario: Scenario, ship: Ship, between: bool) -> Ship:
    if not engineering.has_form(scenario, ship) and not ship.terms.robot:
        return ship if between else _spent(state, engineering.readied(ship, scenario, state.turn, ship.speed))
    if ship.terms.robot:
        weapons = {name: _charged(weapon, WeaponState.ARMED) for name, weapon in ship.weapons.items()}
        return _spent(state, altered(ship, weapons=weapons, capacitor=capacity(weapons)))
    played = state.turn - 1 if not between else state.turn
    began = (state.turn - 1) * state.impulses  # the moment before this turn, or before the last one between turns
    weapons = {
        name: replace(weapon, **_armed_so_far(weapon, played, began, state.impulses, between)._asdict())
        if weapon.working and not is_phaser(weapon.kind) and arming.family(weapon.kind).turns
        else weapon
        for name, weapon in ship.weapons.items()
    }
    full = capacity(weapons) if played or state.options.capacitor == "full" else 0.0
    ready = altered(ship, weapons=weapons, capacitor=full, batteries=ship.boxes.get("battery", 0))
    if between:
        return ready
    doctrine = doctrines().doctrine(doctrines().levels[0].plans[0])
    _, form = energy_form(state, scenario, ready, doctrine, speed=ship.speed)
    after = {
        name: replace(weapon, **form.weapons[name]._asdict()) if name in form.weapons else weapon
        for name, weapon in weapons.items()
    }
    return _spent(
        state,
        altered(ready, weapons=after, capacitor=form.capacitor, batteries=form.batteries, general=form.general),
    )


def _armed_so_far(weapon: Weapon, played: int, began: int, impulses: int, between: bool) -> arming.WeaponReadiness:
    """Return how far a weapon is armed at the start of a turn if it was armed as early as possible.

    Args:
        weapon: The weapon.
        played: The number of turns played.
        began: The moment at which the turn starts, in impulses from the start of the game.
        impulses: The number of impulses in a turn.
        between: True between two turns, when the energy forms of the next turn are still to be written.
    """
    kind = arming.family(weapon.kind)
    if weapon.fired is not None:
        last = weapon.fired if between or weapon.fired <= began else None
        played = 0 if last is None else max(0, (began + (impulses if between else 0) - last) // impulses)
    if kind.turns < 2 or not played:
        return arming.UNARMED
    if played >= kind.turns:
        return arming.WeaponReadiness(WeaponState.ARMED, kind.turns)
    return arming.WeaponReadiness(WeaponState.ARMING, played)


def _charged(weapon: Weapon, charge: WeaponState) -> Weapon:
    if not weapon.working or is_phaser(weapon.kind):
        return weapon
    turns = arming.family(weapon.kind).turns
    return replace(weapon, charge=charge if turns > 1 else WeaponState.POWERED) if turns else weapon


def _spent(state: State, ship: Ship) -> Ship:
    """Return the ship after the effects of the shots that it fired this turn.

    Heavy weapons that fired are unloaded, and each phaser that fired has taken one point from the capacitor.
    """
    began = (state.turn - 1) * state.impulses
    fired = [name for name, weapon in ship.weapons.items() if weapon.fired is not None and weapon.fired > began]
    weapons = {
        name: replace(weapon, charge=WeaponState.NONE, armed_turns=0)
        if name in fired and not is_phaser(weapon.kind)
        else weapon
        for name, weapon in ship.weapons.items()
    }
    phasers = sum(is_phaser(ship.weapons[name].kind) for name in fired)
    return altered(ship, weapons=weapons, capacitor=max(0.0, ship.power.capacitor - phasers))


def position_worth(state: State, scenario: Scenario, side: str, measure: Measure) -> float:
    """Return how good a position is for a side, in points of the given measure; higher is better.

    If the game is over, its result decides; a result counts more than any position that is still open.
    """
    if state.over:
        decided = measure.results.get(state.result_of(side), 0)
        aim = AIMS.get(scenario.victory.kind)
        return float(decided + (points(state, scenario, side, measure) if aim is not None and aim.adds else 0))
    total = points(state, scenario, side, measure)
    if measure.curve:
        return max(measure.results.values()) * math.tanh(total / measure.curve / 2)
    return float(total)


def points(state: State, scenario: Scenario, side: str, measure: Measure) -> int:
    """Return the value of a position for a side in points of the measure, without the result of the game.

    The value is the points for the side's own units, minus the points for enemy units. Points for progress with the
    scenario's task are added, or subtracted if the task is the enemy's.
    """
    total = 0
    aim = AIMS.get(scenario.victory.kind)
    for unit in state.units.values():
        if isinstance(unit, Ship) and not unit.terms.immobile:
            home = aim is not None and aim.homeward and not state.enemies(unit.side, scenario.victory.side)
            worth = ship_worth(unit, measure, home=home) + _facing(state, unit, measure)
            total += -worth if state.enemies(side, unit.side) else worth
        elif isinstance(unit, Seeker) and unit.in_play:
            total += -measure.seeker if state.enemies(side, unit.side) else measure.seeker
    if aim is not None:
        tasked = scenario.victory.side or scenario.victory.rescuer
        owner = state.units.get(tasked)
        doer = owner.side if owner is not None else tasked
        about = aim.points(state, scenario, doer)
        total += -about if state.enemies(side, doer) else about
    return total


def _facing(state: State, ship: Ship, measure: Measure) -> int:
    """Return extra points for the strength of the shields that a ship turns to enemies nearby.

    If an enemy could hit one of several shields, the weakest of them counts.
    """
    if not measure.facing or not ship.in_play:
        return 0
    near = (one for one in enemy_ships(state, ship.side) if range_between(state, ship, one) <= measure.reach)
    hit = (faced(state, ship, one) or range(1, 7) for one in near)
    return measure.facing * sum(min(ship.shields[number - 1] for number in numbers) for numbers in hit)


def ship_worth(ship: Ship, measure: Measure, *, home: bool = False) -> int:
    """Return the value of a ship in points of the measure: 0 if it is lost, half if it left the map.

    If ``home`` is true, the ship's aim is to leave the map, and it keeps its full value when it has left.
    """
    if ship.gone not in (UnitFate.IN_PLAY, UnitFate.NOT_YET, UnitFate.DISENGAGED, UnitFate.LEFT):
        return 0
    total = measure.ship + measure.box * sum(ship.boxes.values())
    for boxes in ship.shields:
        total += measure.shield * boxes - (0 if boxes else measure.down)
    for weapon in ship.weapons.values():
        if weapon.working:
            total += _weapon(weapon, measure)
            if arming.family(weapon.kind).turns > 1 and (
                weapon.charge in arming.UNDER_WAY or weapon.charge == WeaponState.ARMED
            ):
                total += measure.loaded if weapon.charge == WeaponState.ARMED else measure.loaded // 2
    if ship_class(ship.ship).damage == "track":
        total -= measure.box * ship.internals
    return total if home or ship.is_left else total // 2


def _weapon(weapon: Weapon, measure: Measure) -> int:
    """Return the value of one working weapon in points of the measure."""
    if is_phaser(weapon.kind):
        return measure.phaser
    if arming.family(weapon.kind).ammunition:
        return measure.rack
    return measure.heavy


def _drill(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for seeking weapons that were shot down (scenarios #1 and #2)."""
    return 150 * sum(isinstance(unit, Seeker) and unit.gone == UnitFate.DESTROYED for unit in state.units.values())


def _raid(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for damage to freighters, minus points for the way others have flown (scenario #3)."""
    total = 0
    for name in scenario.victory.targets:
        target = state.units[name]
        if isinstance(target, Ship):
            total += 300 if target.gone == UnitFate.DESTROYED else 12 * target.internals
            total -= 4 * int(target.hex[:2]) if target.in_play else 0
    return total


def _piracy(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for freighters that are captured, towed off, held or boarded (scenario #8)."""
    total = 0
    for name in scenario.victory.targets:
        target = state.units[name]
        if isinstance(target, Ship):
            towed = any(mark.startswith(TOWED_OFF) for mark in target.marks)
            total += 500 if allied(state, target.side, doer) or towed else 25 * raiders_of(state, target, doer)
            total += 250 * bool(state.holders(name))
            total += 3 * (sum(ship_class(target.ship).shields) - sum(target.shields))
            total -= 400 if target.gone == UnitFate.DESTROYED else 0
    return total


def _rescue(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for rescued survivors, minus points for the distance still to fly (scenario #9).

    The distance is measured in hexes, to the edge of the map, or to the goal if the ship carries no survivors yet.
    """
    goal = state.units.get(scenario.victory.goal)
    total = 0
    for ship in state.ships():
        if not allied(state, ship.side, doer):
            continue
        total += 600 * ship.people.passengers
        if ship.people.passengers:
            total -= 12 * _to_the_edge(state, ship.hex)
        elif isinstance(goal, Planet):
            total -= 12 * hexes.distance(ship.hex, goal.hex, state.grid)
    for shuttle in state.shuttles():
        if allied(state, shuttle.side, doer) and shuttle.crew:
            total += 250
    return total


def _dakota(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for taking the crew off the wreck and to the right edge of the map (scenario #4)."""
    ship = state.units.get(scenario.victory.rescuer)
    wreck = state.units.get(scenario.victory.rescued)
    if not isinstance(ship, Ship) or wreck is None or not ship.in_play:
        return 0
    if scenario.victory.mark in ship.marks:
        return 500 + 12 * int(ship.hex[:2])
    return -12 * hexes.distance(ship.hex, wreck.hex, state.grid)


def _hunt(state: State, scenario: Scenario, doer: str) -> int:
    """Return points for studying and stopping the monster, minus points for damaged planets (#11)."""
    total = 0
    for unit in state.units.values():
        if isinstance(unit, Monster):
            total += 3 * min(unit.information, unit.needed) + _against(state, unit, doer)
            if not unit.information:
                nearest = min((hexes.distance(one.hex, unit.hex, state.grid) for one in state.ships()), default=0)
                total -= 4 * nearest
        elif isinstance(unit, Planet):
            total -= 4 * unit.damage
    return total


def _against(state: State, monster: Monster, doer: str) -> int:
    """Return points for progress with the method that stops a monster.

    A side makes progress by arming a suicide shuttle or a probe, or by damaging the monster. While the side does not
    know the method, damage to the monster costs points, because the monster may be a friend.
    """
    if not monster.method:
        return -250 if monster.damage else 0
    wanted = method(monster.method).kind
    ships = [ship for ship in state.ships() if allied(state, ship.side, doer)]
    probes = [box for ship in ships for box in ship.power.probes.values()]
    done = {
        DAMAGE: 3 * monster.damage,
        SHUTTLE: 60 * max((len(bomb.energy) for ship in ships for bomb in ship.power.bombs.values()), default=0)
        + 300 * any(boat.target == monster.name for boat in state.shuttles()),
        PROBE: 60 * max((box.turns for box in probes if box.purpose == Purpose.WEAPON), default=0),
    }  # fmt: skip
    return 200 + done.get(wanted, 0)


def _to_the_edge(state: State, hex: str) -> int:
    column, row = int(hex[:2]), int(hex[2:])
    first, last = state.map
    return min(column - int(first[:2]), int(last[:2]) - column, row - int(first[2:]), int(last[2:]) - row)


class ScenarioAim(NamedTuple):
    """The task of a scenario besides fighting, with the function that rates progress in it.

    Attributes:
        points: Returns the points of the side that has the task.
        adds: Whether these points are added to the value of the result when the game is over. It is true for scenarios
            in which the side's enemies are no match for it. There its ships are worth more points than a victory, so
            without the addition it would not be worth ending the game.
        homeward: Whether a ship of that side that leaves the map keeps its value, because it has not fled.
    """

    points: Callable[[State, Scenario, str], int]
    adds: bool = False
    homeward: bool = False


AIMS = {
    "drill": ScenarioAim(_drill), "survive": ScenarioAim(_drill), "raid": ScenarioAim(_raid),
    "piracy": ScenarioAim(_piracy, adds=True, homeward=True),
    "rescue": ScenarioAim(_rescue), "dakota": ScenarioAim(_dakota), "monster": ScenarioAim(_hunt, adds=True),
}  # fmt: skip
"""Maps a scenario's kind of victory to the scenario's task (:class:`ScenarioAim`)."""
