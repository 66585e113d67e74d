"""The parts of an order draft about shuttles on the map and about a ship's systems.

For a ship's systems the draft offers entries of the energy form, and a few of the possible orders. Only legal lines
are offered. Orders that need energy are offered only after energy has been allocated.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind, Fuse, Purpose, StepName
from pbem.engine.checking.outlook import is_over
from pbem.engine.legal.acts import quarry, releases, speeds, worth_holding
from pbem.engine.order_systems import Hint, systems_of
from pbem.engine.relations import manned_shuttles, touchable_enemies
from pbem.engine.state import Monster, Planet, Request, Ship, Shuttle, State
from pbem.engine.steps.energy import level_of
from pbem.engine.steps.firing import SHUTTLE_WEAPON
from pbem.engine.steps.guidance import next_name
from pbem.engine.steps.science import works
from pbem.engine.steps.tractor_links import beam_letters, held_by_beam
from pbem.engine.victory import victory_conditions
from pbem.errors import NotAllowed
from pbem.orders import writer
from pbem.orders.draft import DraftShip, DraftWeapon
from pbem.orders.writer import name_text
from pbem.rules import shuttles as rules, transporters
from pbem.rules.energy_form import suicide_level
from pbem.rules.movement import hexes_between
from pbem.rules.science import arming_energy


def shuttles(state: State, scenario: Scenario, request: Request, side: str) -> list[DraftShip]:
    """Return the draft data on a side's manned shuttles on the map.

    Suicide shuttles need no orders, so the list leaves them out.
    """
    return [_shuttle(state, scenario, request, each) for each in manned_shuttles(state, side)]


def _shuttle(state: State, scenario: Scenario, request: Request, shuttle: Shuttle) -> DraftShip:
    may = speeds(state, scenario, request, shuttle)
    first = max(1, request.impulse) + is_over(state, request, StepName.SHUTTLES)
    ahead = hexes_between(shuttle.speed, first, request.through, state.impulses)
    planets = [unit.name for unit in state.in_play() if isinstance(unit, Planet) and not shuttle.landed]
    home = [shuttle.launcher] if (mother := state.units.get(shuttle.launcher)) and mother.in_play else []
    load = [f"{count} {what}" for count, what in ((shuttle.crew, "crew"), (shuttle.parties, "BP")) if count]
    facts = [
        f"shuttle of {shuttle.launcher}",
        *([f"at {shuttle.at}"] if shuttle.at else []),
        *([f"landed on {shuttle.landed}: it stays there unless you give it a SPEED"] if shuttle.landed else []),
        *[f"held by {link.ship}: it moves by itself once it is let go" for link in state.holders(shuttle.name)[:1]],
        *([rules.condition(shuttle.damage)] if rules.condition(shuttle.damage) else []),
        *([f"{' and '.join(load)} aboard"] if load else []),
    ]
    return DraftShip(
        name=shuttle.name,
        class_name=", ".join(facts),
        shuttle=True,
        weapons=(DraftWeapon(name=SHUTTLE_WEAPON, arc="360", idle=_idle(state, request, shuttle)),),
        prior_speed=may.top if may else 0,
        top_speed=may.top if may else None,
        speed=None if may else shuttle.speed,
        hexes=None if may else ahead,
        slips=False,
        acts=tuple((f"LAND ON {writer.name_text(place)}", "") for place in (*planets, *home)),
        goal=next(iter([*home, *planets] if shuttle.crew else [*planets, *home]), ""),
    )


def _idle(state: State, request: Request, shuttle: Shuttle) -> str:
    """Return the reason why a shuttle's phaser cannot fire under the requested orders (J2.213), or ``""``."""
    moment = (request.turn - 1) * state.impulses + request.through
    try:
        rules.verify_shuttle_fire(
            name="", fired=shuttle.fired, launched=shuttle.launched, moment=moment, impulses=state.impulses
        )
    except NotAllowed as refused:
        return refused.text.strip()
    return ""


LONG = 16
"""Length (in characters) from which two unit names no longer fit into one line that email leaves unwrapped."""


def words(reach: int) -> str:
    """Return a number of hexes as text: ``1 hex``, ``5 hexes``."""
    return f"{reach} hex{'' if reach == 1 else 'es'}"


def entries(state: State, scenario: Scenario, ship: Ship) -> Iterator[Hint]:
    """Yield the energy-form entries to offer for a ship's systems, with comments (B3.0, lines 17 to 19)."""
    if scenario.uses("tractors"):
        yield from tractor_entries(state, ship)
    working = ship.boxes.get("tran", 0)
    if scenario.uses("transporters") and working:
        points = transporters.energy_for(1)
        yield f"TRANSPORTERS {points}", f"operates {transporters.operated(points, working)} (G8.13)"
    if scenario.uses("shuttles") and not ship.is_prize:  # a captured ship launches no weapons (D7.0)
        yield from _arming(ship, suicide_level(level_of(state, scenario, ship)))
    point = arming_energy(Purpose.INFORMATION)[0]
    for letter, known, _ in _probes(state, scenario, ship):
        yield f"PROBE {letter} {point}", f"to study: {known}"


def tractor_entries(state: State, ship: Ship) -> Iterator[tuple[str, str]]:
    """Yield energy-form entries for the tractor beams that hold a unit now, and for one more beam."""
    held = held_by_beam(state, ship)
    for beam in [*filter(held.get, beam_letters(ship)), *[b for b in beam_letters(ship) if b not in held][:1]]:
        yield f"TRACTOR {beam}", f"or it lets go of {held[beam]} (G7.33)" if beam in held else "(G7.15)"


def _arming(ship: Ship, level: str) -> Iterator[Hint]:
    """Yield energy-form entries that arm suicide shuttles (J2.221).

    There is an entry for each shuttle whose arming has begun. If there is no such shuttle, one entry starts to arm a
    shuttle. The cost depends on ``level``, the level of the rules for the ship.
    """
    chart = charts.shuttles().suicide[level]
    begun = {letter: bomb for letter, bomb in ship.power.bombs.items() if bomb.energy and letter in ship.hangar}
    for letter, bomb in sorted(begun.items()):
        if bomb.state == Fuse.ARMED:
            yield f"SUICIDE {letter} {chart.hold}", "holds it"
        else:
            left = chart.turns - len(bomb.energy)
            yield f"SUICIDE {letter} {chart.most} WARP", f"arming, {left} more turn{'s' if left > 1 else ''}"
    if not begun and ship.hangar:
        yield f"SUICIDE {ship.hangar[-1]} {chart.most} WARP", f"arming takes {chart.turns} turns (J2.221)"


def acts(state: State, scenario: Scenario, request: Request, ship: Ship) -> Iterator[Hint]:
    """Yield possible orders for a ship's systems, to offer in the draft.

    Before energy is allocated, only three kinds of orders are offered: releases, launches, and the launch of probes
    that become ready with this turn's energy point.
    """
    if scenario.uses("tractors"):
        yield from tractor_orders(state, request, ship)
    if request.form == FormKind.SOP and scenario.uses("transporters"):
        yield from _transports(state, scenario, ship)
    first = max(1, request.impulse) + is_over(state, request, StepName.BAY)
    if scenario.uses("shuttles") and first <= request.through:
        yield from _bay(state, ship, first)
    for letter, _, missing in _probes(state, scenario, ship):
        if missing <= int(request.form != FormKind.SOP):
            yield f"PROBE {letter} AT {_named(quarry(state, ship.side)[0])}", "as soon as it can (G5.11)"
    for system in systems_of(scenario):
        yield from system.drafts(state, request, ship)


def tractor_orders(state: State, request: Request, ship: Ship) -> Iterator[tuple[str, str]]:
    """Yield tractor orders to offer: release a held unit, or catch a unit with a beam that has energy."""
    yield from ((act.text, f"it holds {act.names} (G7.33)") for act in releases(state, ship))
    free = [beam for beam in ship.power.tractors if beam not in ship.this_turn.beams_used]
    if request.form == FormKind.SOP and free:
        reach = charts.tractors().range
        within = words(reach)
        yield f"TRACTOR {_prey(state, ship)} WITH {free[0]}", f"as soon as it is within {within} (G7.3)"


def _prey(state: State, ship: Ship) -> str:
    """Return the name of a unit to suggest as a tractor beam's target (G7.32).

    A freighter comes first, then a monster, then the nearest enemy drone.
    """
    found = [unit for unit in worth_holding(state, ship) if isinstance(unit, Ship | Monster)]
    return name_text(min(found, key=lambda unit: isinstance(unit, Monster)).name) if found else "NEAREST ENEMY DRONE"


def _named(unit: Ship | Monster | Planet) -> str:
    return name_text(unit.name)


def _transports(state: State, scenario: Scenario, ship: Ship) -> Iterator[Hint]:
    free, reach = (
        min(ship.power.transporters - ship.this_turn.transported, ship.boxes.get("tran", 0)),
        charts.transporters().range,
    )
    if free <= 0:
        return
    kind = victory_conditions(scenario)
    rescue = kind.rescues(state, ship.side)
    for unit in state.in_play() if rescue else ():
        if isinstance(unit, Planet) and unit.crew:
            yield f"TRANSPORT 1 CREW FROM {_named(unit)}", f"within {words(reach)}, shields permitting (G8.2)"
    enemies = touchable_enemies(state, ship.side)
    if scenario.uses("boarding") and enemies and ship.people.parties and not kind.garrisoned(ship):
        name, count = _named(enemies[0]), min(free, ship.people.parties)
        order = f"TRANSPORT {count} BP TO {name}"
        if len(name) < LONG:
            order = f"LOWER SHIELD TO {name} AND {order}"
        yield order, f"within {words(reach)}, his shield down (G8.2)"


def _bay(state: State, ship: Ship, first: int) -> Iterator[Hint]:
    """Yield orders to offer for the shuttles in a ship's bay (J1.5, J1.62, J2.22).

    The orders launch the first available shuttle, launch all armed suicide shuttles, and recover shuttles that a
    tractor beam holds. ``first`` is the first impulse in which a launch is possible.
    """
    states = {letter: ship.power.bombs[letter].state if letter in ship.power.bombs else "" for letter in ship.hangar}
    for letter in [letter for letter, bomb in states.items() if not bomb][:1]:
        yield f"AT {first} LAUNCH SHUTTLE {letter} DIR B", f"its orders: a block SHUTTLE {next_name(state, ship)}"
    enemies = touchable_enemies(state, ship.side)
    target = _named(enemies[0]) if enemies else "NEAREST ENEMY SHIP"
    for letter, bomb in states.items():
        if bomb == Fuse.ARMED and not ship.is_prize:
            yield f"AT {first} LAUNCH SUICIDE {letter} AT {target}", "armed (J2.22)"
    for link in state.held_by(ship.name):
        held = state.units.get(link.target)
        if isinstance(held, Shuttle) and not state.enemies(ship.side, held.side):
            yield f"RECOVER {link.target}", "a beam holds it (J1.62)"


def _probes(state: State, scenario: Scenario, ship: Ship) -> Iterator[tuple[str, str, int]]:
    """Yield each usable probe launcher (G5.2) as (letter, arming progress as text, turns still needed).

    Nothing is yielded if the scenario has no unit to study.
    """
    turns = len(arming_energy(Purpose.INFORMATION))
    studies = scenario.uses("probes") and quarry(state, ship.side)
    for letter, box in sorted(ship.power.probes.items()) if studies else ():
        if box.left and works(ship, letter):
            done = min(box.turns, turns) if box.purpose == Purpose.INFORMATION else 0
            yield letter, f"{done} of {turns} turns, {box.left} left (G5.2)", turns - done
