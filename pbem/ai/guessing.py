"""What a captain takes the other side's secrets to be: what fits all that was shown, and is rather too much than too
little.
"""

from __future__ import annotations

import msgspec

from pbem.ai.energy import energy_form
from pbem.data.doctrines import doctrines
from pbem.data.scenarios import Scenario
from pbem.data.words import FormKind, WeaponState
from pbem.engine.state import Ship, State, Weapon
from pbem.engine.steps import engineer as engineering
from pbem.rules import arming
from pbem.rules.capacitor import capacity
from pbem.rules.direct_fire import is_phaser

replace = msgspec.structs.replace


def guessed(state: State, scenario: Scenario, side: str) -> State:
    """A side's view of the state with the secrets of all other sides filled in, as it asks for orders.

    Heavy weapons that did not fire were armed all the time; capacitor and batteries are full; this turn's power went
    into arms, as far as the announced speed left any.
    """
    request = state.request
    assert request is not None
    between = request.impulse == 0 and request.form != FormKind.SOP  # forms of this turn are still to be written
    units = dict(state.units)
    for ship in state.ships():
        if ship.side != side and not ship.immobile:
            units[ship.name] = _guess(state, scenario, ship, between)
    return replace(state, units=units)


def _guess(state: State, scenario: Scenario, ship: Ship, between: bool) -> Ship:
    if not engineering.has_form(scenario, ship) and not ship.robot:
        return ship if between else _spent(state, engineering.readied(ship, scenario, state.turn, ship.speed))
    if ship.robot:
        weapons = {name: _charged(weapon, WeaponState.ARMED) for name, weapon in ship.weapons.items()}
        return _spent(state, replace(ship, weapons=weapons, capacitor=capacity(weapons)))
    played = state.turn - 1 if not between else state.turn
    began = (state.turn - 1) * state.impulses  # the moment before this turn, or before the last one between turns
    weapons = {
        name: replace(weapon, **_armed_so_far(weapon, played, began, state.impulses, between)._asdict())
        if weapon.working and not is_phaser(weapon.kind) and arming.family(weapon.kind).turns
        else weapon
        for name, weapon in ship.weapons.items()
    }
    full = capacity(weapons) if played or state.options.capacitor == "full" else 0.0
    ready = replace(ship, weapons=weapons, capacitor=full, batteries=ship.boxes.get("battery", 0))
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
        replace(ready, weapons=after, capacitor=form.capacitor, batteries=form.batteries, general=form.general),
    )


def _armed_so_far(weapon: Weapon, played: int, began: int, impulses: int, between: bool) -> arming.Readied:
    """What a weapon holds as a turn begins if its owner armed it in each of the ``played`` turns since it fired."""
    kind = arming.family(weapon.kind)
    if weapon.fired is not None:
        last = weapon.fired if between or weapon.fired <= began else None
        played = 0 if last is None else max(0, (began + (impulses if between else 0) - last) // impulses)
    if kind.turns < 2 or not played:
        return arming.UNARMED
    if played >= kind.turns:
        return arming.Readied(WeaponState.ARMED, kind.turns)
    return arming.Readied(WeaponState.ARMING, played)


def _charged(weapon: Weapon, charge: WeaponState) -> Weapon:
    if not weapon.working or is_phaser(weapon.kind):
        return weapon
    turns = arming.family(weapon.kind).turns
    return replace(weapon, charge=charge if turns > 1 else WeaponState.POWERED) if turns else weapon


def _spent(state: State, ship: Ship) -> Ship:
    """Without what was fired this turn: the weapon is empty, and a phaser took a point from the capacitor."""
    began = (state.turn - 1) * state.impulses
    fired = [name for name, weapon in ship.weapons.items() if weapon.fired is not None and weapon.fired > began]
    weapons = {
        name: replace(weapon, charge=WeaponState.NONE, armed_turns=0)
        if name in fired and not is_phaser(weapon.kind)
        else weapon
        for name, weapon in ship.weapons.items()
    }
    phasers = sum(is_phaser(ship.weapons[name].kind) for name in fired)
    return replace(ship, weapons=weapons, capacitor=max(0.0, ship.capacitor - phasers))
