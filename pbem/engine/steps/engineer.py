"""Ships without an energy form (scenarios #1 to #3, and freighters anywhere): the Chief Engineer sees to phasers,
torpedoes and shields, and the captain chooses the speed where the scenario leaves it to him.
"""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table, replace
from pbem.engine.state import Ship, Weapon
from pbem.errors import NotAllowed
from pbem.rules.direct_fire import is_direct_fire, is_phaser
from pbem.rules.internal_damage import track_speed
from pbem.rules.power import capacity
from pbem.rules.weapons import UNARMED, family


def has_form(scenario: Scenario, ship: Ship) -> bool:
    """Whether a ship's captain fills out an energy form: not where the scenario knows none, nor for a ship whose speed
    the scenario gives (the freighters of #8).
    """
    return scenario.uses("energy") and fixed_speed(ship, scenario) is None


def ready(table: Table, ship: Ship, asked: int | None) -> None:
    """The ship's turn begins: weapons armed, speed set. What is armed is told to its own side alone."""
    done = readied(ship, table.scenario, table.turn, asked)
    table.secret(
        ship.side,
        ev.Readied(
            unit=ship.name,
            speed=done.speed,
            weapons=done.weapons,
            capacitor=done.capacitor,
            rule=f"scenario #{table.scenario.number}",
        ),
    )


def hold_speed(table: Table, ship: Ship) -> None:
    """A prize of a side without a player flies on as it did; it has no weapons to ready (D7.0, step 6)."""
    table.secret(
        ship.side,
        ev.Readied(unit=ship.name, speed=ship.speed, weapons=ship.weapons, capacitor=ship.capacitor, rule="D7.0"),
    )


def readied(ship: Ship, scenario: Scenario, turn: int, asked: int | None = None) -> Ship:
    """The ship as it is for ``turn``, at the speed ``asked`` for, or at its old one. Raises :class:`NotAllowed`."""
    weapons = {name: _armed(ship, name, scenario, turn) for name in ship.weapons}
    return replace(
        ship, speed=speed_for(ship, scenario, asked), weapons=weapons, capacitor=float(capacity(ship.weapons))
    )


def _armed(ship: Ship, name: str, scenario: Scenario, turn: int) -> Weapon:
    """A weapon at the start of a turn: photons need the turns E4.2 says, the other torpedoes have their energy."""
    weapon = ship.weapons[name]
    if not weapon.working or not is_direct_fire(weapon.kind) or is_phaser(weapon.kind):
        return weapon
    if name in ship.disabled:
        return replace(weapon, **UNARMED._asdict())
    armed = family(weapon.kind).start_of_turn(weapon.fired, turn, scenario.impulses)
    return weapon if armed is None else replace(weapon, **armed._asdict())


def fixed_speed(ship: Ship, scenario: Scenario) -> int | None:
    """The speed the scenario gives the ship, or what damage has left of it (scenario #3); ``None`` where its captain
    chooses.
    """
    unit = next((unit for unit in scenario.units if unit.name == ship.name), None)
    if unit is None:
        return None
    speed = unit.script.speed if unit.script and unit.speed is None else unit.speed
    return None if speed is None else slowed(ship, speed)


def slowed(ship: Ship, speed: int) -> int:
    """What a ship's damage track has left of a speed, for good (scenario #3)."""
    left = track_speed(ship.internals, ship_class(ship.ship).thresholds)
    return speed if left is None else min(speed, left)


def speed_for(ship: Ship, scenario: Scenario, asked: int | None) -> int:
    """The ship's speed this turn: the scenario's, the one asked for, else the one it had. Raises :class:`NotAllowed`
    where the scenario does not allow the one asked for.

    Reading: nobody but its captor slows a freighter down; faster than its script it does not go (D7.0, step 6).
    """
    rule = f"scenario #{scenario.number}"
    fixed = fixed_speed(ship, scenario)
    if fixed is not None and ship.captured_from:
        if asked is not None and asked > fixed:
            raise NotAllowed("too-fast", f"{ship.name} makes no more than speed {fixed}, not {asked}", rule)
        return fixed if asked is None else asked
    if fixed is not None:
        if asked not in (None, fixed):
            text = f"{ship.name} moves at speed {fixed} in this scenario, not {asked}"
            raise NotAllowed("speed-fixed", text, rule)
        return fixed
    most = slowed(ship, scenario.max_speed)
    if asked is None:
        return min(ship.speed, most)
    if asked > most:
        raise NotAllowed("too-fast", f"speed {asked} is more than {most}, the most allowed", rule)
    return asked
