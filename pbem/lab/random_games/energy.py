"""Write random energy forms, which distribute a ship's power for a turn (B3.0).

The forms may use every line, as far as the ship has power.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from pbem.data.scenarios import Scenario
from pbem.data.terms import WeaponState
from pbem.engine.legal.energy_fields import read_entries, unpaid
from pbem.engine.state import Ship, State
from pbem.engine.steps.energy import facts_for
from pbem.engine.victory import victory_conditions
from pbem.orders.model import EnergyLine
from pbem.rules import weapons
from pbem.rules.energy_form import Allotment, ShipFacts, allot
from pbem.rules.power import LETTERS

NEGLECTED = ("SHIELDS 0", "FIRE CONTROL 0", "LIFE SUPPORT 0")
NEGLECT = 0.01
"""Probability that a form gives no energy to life support, fire control or shields."""


def some_form(
    rng: random.Random, state: State, scenario: Scenario, ship: Ship, *, eager: bool
) -> tuple[list[str], Allotment]:
    """Return a random legal energy form as order lines, and the resulting allotment of power.

    Lines are tried one after the other; a line for which no power is left is omitted. So the form is nearly always
    legal. It is illegal only if one of its lines is legal alone but not together with other orders.

    Args:
        rng: Random number generator.
        state: The state of the game.
        scenario: The scenario.
        ship: The ship.
        eager: Whether the ship pays for speed and weapons first.
    """
    facts = facts_for(state, scenario, ship)
    tried = [*NEGLECTED, *_wishes(rng, state, facts, scenario, eager)]
    wishes = read_entries(tried)
    entries = list(unpaid(facts))
    form_lines = [f"{entry.item} 0" for entry in entries]
    paid: set[str] = set()
    for text in dict.fromkeys(tried):
        lines = {_line_of(entry) for entry in wishes[text]}
        if text not in NEGLECTED and paid.isdisjoint(lines) and not allot([*entries, *wishes[text]], facts).faults:
            form_lines.append(text)
            entries += wishes[text]
            paid |= lines
    for text in NEGLECTED:
        if text not in form_lines and rng.random() < NEGLECT and not allot([*entries, *wishes[text]], facts).faults:
            form_lines.append(text)
            entries += wishes[text]
    return form_lines, allot(entries, facts)


def _line_of(entry: EnergyLine) -> str:
    """Return a key for the item that an entry of an energy form pays for.

    Two entries with the same key cannot be on the same form.
    """
    return "SPEED" if entry.item in ("MOVE", "TAC") else f"{entry.item}{entry.shield or ''}"


def _wishes(rng: random.Random, state: State, facts: ShipFacts, scenario: Scenario, eager: bool) -> Iterator[str]:
    """Yield energy-form lines that a player might want, in the order in which they should be tried.

    An ``eager`` ship tries speed and weapons first. It may try systems such as tractors first if the scenario is about
    more than fighting, or if its side has shuttles in flight. For other ships the order is random.
    """
    ship = state.units[facts.name]
    assert isinstance(ship, Ship)
    calm = victory_conditions(scenario).calm or any(boat.belongs_to(ship.side) for boat in state.shuttles())
    groups = [list(_movement(rng, facts, calm)), list(_weapons(rng, facts)), list(_phasers(rng, facts))]
    systems = list(_systems(rng, facts, scenario, [link.beam for link in state.held_by(ship.name)]))
    rest = [list(_shields(rng, facts)), systems, list(_engineering(rng, facts))]
    if not eager:
        rng.shuffle(rest)
        groups = [*rest[:1], *groups, *rest[1:]]
        rng.shuffle(groups)
    elif calm and rng.random() < 0.7:
        groups = [systems, *groups, rest[0], rest[2]]
    else:
        groups += rest
    for group in groups:
        yield from group


def _movement(rng: random.Random, facts: ShipFacts, calm: bool) -> Iterator[str]:
    """Yield energy-form lines for speed, or sometimes for tactical maneuvers (C5.0).

    The lines begin with the wanted speed; lower speeds follow. ``calm`` ships often fly slowly enough for shuttles to
    land on them (J1.61, J1.62).
    """
    fastest = facts.fastest
    power = facts.plant.warp / facts.move_cost
    wish = min(fastest, int(power), rng.choice([rng.randint(0, facts.max_speed), fastest, int(power * 3 / 4)]))
    if calm and rng.random() < 0.4:
        wish = min(wish, rng.choice([0, 4, 6, 12]))
    if rng.random() < 0.06:
        yield f"TAC {rng.randint(1, 4)}"
        return
    for speed in dict.fromkeys((wish, wish * 3 // 4, wish // 2, wish // 4, 0)):
        match rng.randint(0, 5):
            case 0 if facts.move_cost == 1 and speed:
                yield f"MOVE {speed - 1} WARP + 1 IMPULSE"
            case 1 if facts.move_cost == 1:
                yield f"MOVE {speed}"
            case _:
                yield f"SPEED {speed}"


def _weapons(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines for heavy weapons that fit the weapons' present charge (E3.2, E4.2, FP1.2).

    The lines begin or continue arming, hold the charge, or eject it; some of them name the source of the energy.
    """
    tubes = [tube for tube in facts.tubes if tube.working and weapons.family(tube.kind).turns]
    rng.shuffle(tubes)
    for tube in tubes:
        if rng.random() < 0.15:
            continue
        if tube.charge == WeaponState.ARMED and rng.random() < 0.95:
            yield f"{tube.name} HOLD"
        if tube.charge and rng.random() < 0.05:
            yield f"{tube.name} EJECT"
        if tube.charge != WeaponState.ARMED:
            source = rng.choice(["", "", "", " WARP"])
            yield from (f"{tube.name} {points}{source}" for points in (2, 1, 3, 4, 5, 6, 7))


def _phasers(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines that charge the phaser capacitor, some with half points (H6.2, E2.1)."""
    room = facts.capacity - facts.capacitor
    if room > 0:
        wish = rng.choice([room, room, rng.randint(0, int(2 * room)) / 2])
        for points in dict.fromkeys((wish, wish / 2 // 0.5 * 0.5, 1.0)):
            source = rng.choice(["", "", "", " WARP", " IMPULSE"]) if points == int(points) else ""
            if points:
                yield f"PHASERS {points:g}{source}"


def _shields(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines for general and specific reinforcement of shields (D3.34).

    A shield that is down is never reinforced (D3.343).
    """
    if not facts.reinforcement:
        return
    if rng.random() < 0.35:
        yield f"GENERAL {rng.randint(1, 8)}"
    for shield in rng.sample(range(1, 7), rng.randint(0, 3)):
        if facts.shields[shield - 1]:
            yield f"REINFORCE #{shield} WITH {rng.randint(1, 5)}"


def _engineering(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines for batteries and damage control (lines 15 and 16)."""
    if facts.plant.battery_boxes > facts.plant.stored and rng.random() < 0.6:
        yield f"RECHARGE {rng.randint(1, 2)}"
        yield "RECHARGE 1"
    damaged = [n for n in range(1, 7) if facts.shields[n - 1] < facts.full_shields[n - 1]]
    if damaged and facts.damcon and rng.random() < 0.5:
        for shield in rng.sample(damaged, min(2, len(damaged))):
            yield f"REPAIR #{shield} WITH {rng.choice([2, 2, 4, facts.damcon])}"


def _systems(rng: random.Random, facts: ShipFacts, scenario: Scenario, holding: list[str]) -> Iterator[str]:
    """Yield energy-form lines for cloak, tractors, transporters, probes and suicide shuttles.

    These are lines 17 to 19 of the form. Only systems that the scenario uses are considered. Work that takes several
    turns is usually continued once it has begun. ``holding`` has the letters of the tractor beams that hold a unit.
    """
    if facts.cloak is not None and rng.random() < 0.3:
        yield f"CLOAK {facts.cloak}"
    if scenario.uses("tractors"):
        yield from _tractors(rng, facts, holding)
    if scenario.uses("transporters") and rng.random() < 0.5:
        yield "TRANSPORTERS 1"
    if scenario.uses("probes"):
        yield from _probes(rng, facts)
    if scenario.uses("shuttles"):
        yield from _suicide_shuttles(rng, facts)


def _tractors(rng: random.Random, facts: ShipFacts, holding: list[str]) -> Iterator[str]:
    """Yield energy-form lines for tractor beams, mostly for beams that already hold a unit (G7.1)."""
    for letter in LETTERS[: facts.box("tractor") or 0]:
        if rng.random() < (0.9 if letter in holding else 0.3):
            yield f"TRACTOR {letter}"


def _probes(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines that arm probes as instruments or weapons (G5.2).

    Most lines continue with probes whose arming has already begun.
    """
    for letter, probe in sorted(facts.probes.items()):
        if probe.turns or rng.random() < 0.6:
            weapon = probe.purpose == "weapon" or (not probe.turns and rng.random() < 0.2)
            yield f"PROBE {letter} {'2 WARP' if weapon else '1'}"


def _suicide_shuttles(rng: random.Random, facts: ShipFacts) -> Iterator[str]:
    """Yield energy-form lines that arm shuttles as suicide shuttles (J2.221).

    Most lines continue with shuttles whose arming has already begun.
    """
    for letter in facts.hangar or ():
        bomb = facts.bombs.get(letter)
        if rng.random() < (0.95 if bomb is not None and bomb.energy else 0.12):
            yield f"SUICIDE {letter} 1"
            yield from (f"SUICIDE {letter} {points} WARP" for points in (3, 1, 2))
