"""The energy allocation phase (B3.0).

All ships' energy forms take effect at once; then speeds are announced.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from msgspec import structs

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import WeaponState
from pbem.engine import events as ev
from pbem.engine.log import apply
from pbem.engine.play.resolution import Resolution, replace
from pbem.engine.state import Bomb, Ship, State, ThisTurn, Weapon
from pbem.engine.steps import shuttles, tractor_links as links, tractors
from pbem.engine.steps.damage import destroy
from pbem.engine.steps.engineer import slowed
from pbem.engine.steps.plasma import is_plasma
from pbem.engine.steps.sensors import announce_cloaks, cloak_cost
from pbem.errors import GameError
from pbem.orders.model import EnergyLine
from pbem.rules import energy_form, power
from pbem.rules.direct_fire import is_direct_fire, is_phaser
from pbem.rules.power import capacity
from pbem.rules.science import Probe
from pbem.rules.shields import track_left
from pbem.rules.shuttles import SuicideArming
from pbem.rules.tractors import towed_cost
from pbem.rules.weapons import Tube, family


def allot(table: Resolution) -> None:
    """Let every commander apply its ships' energy forms (B3.0).

    Each form is computed from the state at the start of the phase. A ship without life support is destroyed.
    """
    before = table.state
    for ship in before.ships():
        if not ship.obeys or not table.has_captain(ship):
            continue
        table.captain(ship).allot(table, ship, before)
    for ship in table.state.ships():
        if not power.crew_lives(ship.power.unpaid):
            destroy(table, ship.name, rule="B3.0, line 7")


def fill_in(table: Resolution, ship: Ship, lines: tuple[EnergyLine, ...]) -> None:
    """Apply a player's energy form to a ship; only the owner sees it.

    Raises:
        GameError: The form has faults.
    """
    allotment = reckon(table.state, table.scenario, ship, lines)
    if allotment.faults:
        raise GameError(*allotment.faults)
    table.secret(ship.side, allotted(ship, allotment))
    for chosen in allotment.chosen:
        table.secret(
            ship.side,
            ev.Chose(side=ship.side, unit=ship.name, order=chosen, reason="the form left it open", rule="B3.0"),
        )


def allotted(ship: Ship, allotment: energy_form.Allotment) -> ev.EnergyAllotted:
    """Return the event that applies a computed energy form to its ship.

    Probes without energy are disarmed (G5.2).
    """
    readied = {letter: allotment.probes.get(letter, Probe()) for letter in ship.power.probes}
    same = {
        name: value for name, value in structs.asdict(allotment).items() if name in ev.EnergyAllotted.__struct_fields__
    }
    own: dict[str, Any] = {
        "weapons": {
            name: replace(weapon, **allotment.weapons[name]._asdict()) if name in allotment.weapons else weapon
            for name, weapon in ship.weapons.items()
        },
        "reinforcement": allotment.specific,
        "battery_part": str(allotment.battery_part) if allotment.battery_part else "",
        "move_warp": float(allotment.motion.get("WARP", 0)),
        "move_impulse": int(allotment.motion.get("IMPULSE", 0)),
        "probes": {letter: replace(ship.power.probes[letter], **probe._asdict()) for letter, probe in readied.items()},
        "bombs": {letter: Bomb(energy=bomb.energy, state=bomb.state) for letter, bomb in allotment.bombs.items()},
    }
    return ev.EnergyAllotted(unit=ship.name, rule="B3.0", **(same | own))


def as_allotted(state: State, ship: Ship, allotment: energy_form.Allotment) -> Ship:
    """Return the ship as it is at the start of the new turn, with its energy form applied."""
    after = apply(state, allotted(ship, allotment)).units[ship.name]
    assert isinstance(after, Ship)
    return replace(after, this_turn=ThisTurn())


def reckon(state: State, scenario: Scenario, ship: Ship, lines: tuple[EnergyLine, ...]) -> energy_form.Allotment:
    """Return the computed energy form of a ship, with every fault in it (B3.0).

    Every check of an energy form uses this function. ``lines`` are the entries of the form.
    """
    return energy_form.allot(lines, facts_for(state, scenario, ship, [line.item for line in lines]))


def level_of(state: State, scenario: Scenario, ship: Ship) -> str:
    """Return the level of the rules that applies to a ship's energy form.

    A Cadet ship among standard ships has a level of its own (scenario #12).
    """
    terms = scenario.cadet_ships
    return terms.level if terms and ship_class(ship.ship).level == "cadet" else state.level


def facts_for(
    state: State, scenario: Scenario, ship: Ship, items: Sequence[str] | None = None
) -> energy_form.ShipFacts:
    """Return the facts about a ship that are needed to compute its energy form at the start of a turn.

    ``items`` are the entries of the form, which show for which tractor beams it pays. If they are not given, the ship
    is assumed to keep the freighters that it tows (G7.4).
    """
    kind = ship_class(ship.ship)
    level = level_of(state, scenario, ship)
    terms = scenario.cadet_ships if level != state.level else None
    boxes = ship.boxes
    return energy_form.ShipFacts(
        name=ship.name,
        plant=energy_form.plant_of(boxes, ship.power.batteries, Fraction(ship.power.battery_part or 0)),
        tubes=tuple(
            Tube(name=name, kind=w.kind, working=w.working, charge=w.charge, armed_turns=w.armed_turns)
            for name, w in sorted(ship.weapons.items())
            if not is_phaser(w.kind) and not family(w.kind).ammunition
        ),
        move_cost=terms.move_cost if terms else kind.move_cost,
        tow_cost=towed_cost(Fraction(0), tractors.still_in_tow(state, ship, items)),
        level=level,
        prior_speed=prior_speed(state, ship),
        acceleration=scenario.acceleration,
        multiple=charts.level(level).multiple,
        max_speed=slowed(ship, scenario.max_speed),
        capacitor=ship.power.capacitor,
        capacity=capacity(ship.weapons),
        shields=ship.shields,
        full_shields=kind.shields,
        damage_control=track_left(kind.tracks.get("damcon", ()), boxes.get("damcon", 0)),
        reinforcement=state.options.reinforcement,
        fractional=state.options.fractional,
        boxes=boxes if scenario.uses("tac") else None,
        cloak=cloak_cost(scenario, ship),
        probes={letter: Probe(box.purpose, box.turns) for letter, box in ship.power.probes.items()},
        probes_left={letter: box.left for letter, box in ship.power.probes.items()},
        bombs={letter: SuicideArming(bomb.energy, bomb.state) for letter, bomb in ship.power.bombs.items()},
        hangar=ship.hangar if scenario.uses("shuttles") else (),
        chapters=scenario.chapters,
    )


def prior_speed(state: State, ship: Ship) -> int:
    """Return the ship's speed in the turn before the turn that the energy form is for (B3.0, line 14).

    For a form written between two turns this is the ship's present speed.
    """
    waiting = state.request is not None and state.request.turn != state.turn
    return ship.speed if waiting else ship.prior_speed


def ready_robot(table: Resolution, ship: Ship) -> None:
    """Prepare a robot ship for the turn; it has no energy form.

    The ship flies at its fixed speed, and its weapons are reloaded (robot rules 1, 6, 7).
    """
    kind = ship_class(ship.ship)
    lost = energy_form.warp_boxes(kind.boxes) - energy_form.warp_boxes(ship.boxes)
    # The tube that fired last is loaded last, as it would be by arming.
    by_rest = sorted(ship.weapons.items(), key=lambda item: (item[1].fired or 0, item[0]))
    loaded: set[str] = set()
    for slow in {spec.kind for spec in kind.weapons if is_direct_fire(spec.kind) and family(spec.kind).turns > 1}:
        tubes = [name for name, weapon in by_rest if weapon.kind == slow and weapon.working]
        loaded |= {*tubes[: ceil(sum(spec.kind == slow for spec in kind.weapons) / family(slow).turns)]}
    weapons: dict[str, Weapon] = {}
    torpedo = robot_torpedo(table.state, ship)
    for name, weapon in ship.weapons.items():
        if weapon.destroyed is not None:
            weapons[name] = weapon
            continue
        charge = WeaponState.ARMED if name == torpedo else WeaponState.NONE
        if name in loaded:
            charge = WeaponState.ARMED
        elif weapon.working and family(weapon.kind).turns == 1:
            charge = WeaponState.POWERED
        weapons[name] = replace(weapon, charge=charge)
    table.secret(
        ship.side,
        ev.RobotReadied(
            unit=ship.name,
            speed=slowed(ship, max(0, table.scenario.robot_speed - lost)),
            weapons=weapons,
            capacitor=capacity(weapons),
            rule="robot 1, 6",
        ),
    )


def robot_torpedo(state: State, ship: Ship) -> str:
    """Return the plasma tube that a robot ship has armed this turn; empty if none (robot rule 8).

    Only the ship's first tube is used. It is armed in every turn in which its arming time is complete: turns 1, 4, 7
    and so on.
    """
    tubes = sorted(name for name, weapon in ship.weapons.items() if is_plasma(weapon.kind))
    if not tubes or not ship.weapons[tubes[0]].working:
        return ""
    return tubes[0] if (state.turn - 1) % family(ship.weapons[tubes[0]].kind).turns == 0 else ""


def announce(table: Resolution) -> None:
    """Announce every ship's speed for the turn (C1.43), then the speeds of shuttles, then cloaks."""
    tractors.start_of_turn(table)  # first, because the announced speed depends on the units still in tow (G7.4)
    for ship in table.state.ships():
        if not ship.terms.immobile:
            table.tell(links.speed_announced(table.state, ship, rule="C1.43"))
    shuttles.announce(table)
    announce_cloaks(table)
