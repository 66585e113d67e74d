"""Prepare ships that have no energy form (scenarios #1 to #3, and freighters in any scenario).

The "Chief Engineer", i.e. the program, prepares phasers, torpedoes and shields. The player chooses only the speed, if
the scenario allows a choice.
"""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Resolution, replace
from pbem.engine.state import Ship, Weapon
from pbem.errors import NotAllowed
from pbem.rules.direct_fire import is_direct_fire, is_phaser
from pbem.rules.internal_damage import track_speed
from pbem.rules.power import capacity
from pbem.rules.weapons import UNARMED, family


def has_form(scenario: Scenario, ship: Ship) -> bool:
    """Return whether the player of a ship fills out an energy form for the ship.

    There is no form in scenarios without energy, nor for a ship whose speed the scenario sets (the freighters of
    #8).
    """
    return scenario.uses("energy") and fixed_speed(ship, scenario) is None


def ready(table: Resolution, ship: Ship, wanted: int | None) -> None:
    """Start a turn for a ship without an energy form: arm its weapons and set its speed.

    ``wanted`` is the speed that the player asks for; ``None`` if the player named no speed. Only the ship's own side
    sees which weapons are armed.
    """
    done = readied(ship, table.scenario, table.turn, wanted)
    table.secret(
        ship.side,
        ev.Readied(
            unit=ship.name,
            speed=done.speed,
            weapons=done.weapons,
            capacitor=done.power.capacitor,
            rule=f"scenario #{table.scenario.number}",
        ),
    )


def hold_speed(table: Resolution, ship: Ship) -> None:
    """Keep the speed of a captured ship whose new side has no player (D7.0, step 6).

    The weapons of the ship are not prepared.
    """
    table.secret(
        ship.side,
        ev.Readied(unit=ship.name, speed=ship.speed, weapons=ship.weapons, capacitor=ship.power.capacitor, rule="D7.0"),
    )


def readied(ship: Ship, scenario: Scenario, turn: int, wanted: int | None = None) -> Ship:
    """Return a ship without an energy form as it is at the start of turn ``turn``.

    Its weapons are armed and its capacitor is full. ``wanted`` is the speed that the player asks for; by default the
    ship keeps its present speed.

    Raises:
        NotAllowed: The scenario does not allow this speed.
    """
    weapons = {name: _armed(ship, name, scenario, turn) for name in ship.weapons}
    return altered(
        ship, speed=speed_for(ship, scenario, wanted), weapons=weapons, capacitor=float(capacity(ship.weapons))
    )


def _armed(ship: Ship, name: str, scenario: Scenario, turn: int) -> Weapon:
    """Return a weapon as it is at the start of a turn.

    A photon torpedo is armed if the turns of arming that E4.2 requires are over. Other direct-fire weapons get their
    energy.
    """
    weapon = ship.weapons[name]
    if not weapon.working or not is_direct_fire(weapon.kind) or is_phaser(weapon.kind):
        return weapon
    if name in ship.terms.disabled:
        return replace(weapon, **UNARMED._asdict())
    armed = family(weapon.kind).start_of_turn(weapon.fired, turn, scenario.impulses)
    return weapon if armed is None else replace(weapon, **armed._asdict())


def fixed_speed(ship: Ship, scenario: Scenario) -> int | None:
    """Return the speed that the scenario sets for the ship, reduced by damage (scenario #3).

    The result is ``None`` if the player chooses the speed.
    """
    unit = next((unit for unit in scenario.units if unit.name == ship.name), None)
    if unit is None:
        return None
    speed = unit.script.speed if unit.script and unit.speed is None else unit.speed
    return None if speed is None else slowed(ship, speed)


def slowed(ship: Ship, speed: int) -> int:
    """Return a speed, reduced if necessary to the highest speed that the ship's damage track still allows.

    The loss of speed is permanent (scenario #3).
    """
    left = track_speed(ship.internals, ship_class(ship.ship).thresholds)
    return speed if left is None else min(speed, left)


def speed_for(ship: Ship, scenario: Scenario, wanted: int | None) -> int:
    """Return the ship's speed this turn.

    The speed is the one that the scenario sets, otherwise the one that the player asks for, otherwise the ship's
    present speed. Our interpretation where the rules are silent: only the captor of a freighter can slow it down, and a
    freighter never exceeds the speed of its script, i.e. its fixed course (D7.0, step 6).

    Raises:
        NotAllowed: The scenario does not allow the wanted speed.
    """
    rule = f"scenario #{scenario.number}"
    fixed = fixed_speed(ship, scenario)
    if fixed is not None and ship.is_prize:
        if wanted is not None and wanted > fixed:
            raise NotAllowed("too-fast", f"{ship.name} can have at most speed {fixed}, not {wanted}", rule)
        return fixed if wanted is None else wanted
    if fixed is not None:
        if wanted not in (None, fixed):
            text = f"{ship.name} moves at speed {fixed} in this scenario, not {wanted}"
            raise NotAllowed("speed-fixed", text, rule)
        return fixed
    most = slowed(ship, scenario.max_speed)
    if wanted is None:
        return min(ship.speed, most)
    if wanted > most:
        raise NotAllowed("too-fast", f"speed {wanted} is too high; the most is {most}", rule)
    return wanted
