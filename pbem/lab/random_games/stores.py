"""Invariants of what a ship has: energy, boxes, ammunition, people, shuttles."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.state import Monster, Planet, Ship, Shuttle, State
from pbem.engine.steps.energy import facts_for
from pbem.lab.random_games.walk import Walk, ships_of
from pbem.orders.reader import read_orders
from pbem.rules import arming
from pbem.rules.capacitor import capacity
from pbem.rules.reserve import exact
from pbem.rules.sensors import track_boxes
from pbem.rules.shuttles import DESTROYED, condition

TINY = 1e-9
"""Energy in parts of a point is told as a float (B3.2)."""


# --- energy ----------------------------------------------------------------------------------------------------------


def energy_is_never_created(walk: Walk) -> Iterator[str]:
    """B3.0, lines 4, 5, 20, 21: a form spends what the engines give and the batteries hold, and no more; what batteries
    give in the turn they had (H7.2).
    """
    for state, event in walk.events():
        if isinstance(event, ev.EnergyAllotted):
            yield from _overspent(walk, state, event)
        elif isinstance(event, ev.ReserveSpent):
            ship = state.units[event.unit]
            if not isinstance(ship, Ship) or not 0 < exact(event.points) <= ship.stored:
                yield f"{event.unit} has no {event.points} points of reserve: {event}"


def _overspent(walk: Walk, state: State, event: ev.EnergyAllotted) -> Iterator[str]:
    ship = state.units[event.unit]
    assert isinstance(ship, Ship)
    facts = facts_for(state, walk.setting, ship)
    text = "SHIP X\nENERGY\n" + "".join(f"  {line}\n" for line in event.lines)
    entries = [entry for unit in read_orders(text, header=False).orders.units for entry in unit.energy or ()]
    tubes = {tube.name: tube for tube in facts.tubes}
    used = phasers = recharged = Fraction(0)
    for entry in entries:
        points = sum((amount for _, amount in entry.parts), Fraction(0))
        if entry.item == "SPEED":  # hexes, where their points would say another number (C2.12)
            points = Fraction(event.move_warp) + event.move_impulse
        if entry.verb == "HOLD":
            points = Fraction(arming.arm(tubes[entry.item], Fraction(0), "HOLD").energy)
        elif entry.item == "TAC":
            points = sum(
                (n * (1 if source == "IMPULSE" else facts.move_cost) for source, n in entry.parts), Fraction(0)
            )
        used += points
        phasers += points if entry.item == "PHASERS" else 0
        recharged += points if entry.item == "RECHARGE" else 0
    stored = Fraction(facts.plant.stored)
    left = event.batteries + Fraction(event.battery_part or 0)
    discharged = stored + recharged - left
    if not -TINY <= discharged <= stored + TINY:
        yield f"{ship.name}: batteries went from {stored} to {left} with {recharged} recharged"
    if used - discharged > facts.plant.total + TINY:
        yield f"{ship.name}: {used} points used of {facts.plant.total} and {discharged} of batteries: {event.lines}"
    if event.capacitor > ship.capacitor + phasers + TINY:
        yield f"{ship.name}: the capacitor has {event.capacitor} of {ship.capacitor} and {phasers} paid"
    if event.move_warp + event.move_impulse > used + TINY or event.speed < 0:
        yield f"{ship.name}: {event.move_warp} and {event.move_impulse} points for movement of {used}"


def stores_fit_their_boxes(walk: Walk) -> Iterator[str]:
    """H6.2, B3.0 line 5: the capacitor holds what its phasers allow, a battery box one point."""
    for ship in ships_of(walk.after):
        if not 0 <= ship.capacitor <= capacity(ship.weapons):
            yield f"{ship.name}: {ship.capacitor} in a capacitor of {capacity(ship.weapons)}"
        charged = ship.batteries + bool(ship.battery_part)
        if not 0 <= charged <= ship.boxes.get("battery", 0):
            yield f"{ship.name}: {charged} charged of {ship.boxes.get('battery', 0)} batteries"


# --- boxes -----------------------------------------------------------------------------------------------------------


def boxes_are_those_of_the_ssd(walk: Walk) -> Iterator[str]:
    """D3.1, D4.1: shields and boxes are between none and what the SSD shows."""
    for ship in ships_of(walk.after):
        kind = ship_class(ship.ship)
        whole = {**kind.boxes, **track_boxes(kind.tracks)}
        for number, (left, full) in enumerate(zip(ship.shields, kind.shields, strict=True), start=1):
            if not 0 <= left <= full:
                yield f"{ship.name}: shield #{number} has {left} of {full} boxes"
        for box, left in ship.boxes.items():
            if not 0 <= left <= whole.get(box, 0):
                yield f"{ship.name}: {left} of {whole.get(box, 0)} {box}"
        if min(*ship.reinforcement, ship.general, ship.internals, ship.speed) < 0:
            yield f"{ship.name}: something less than nothing: {ship}"


def ammunition_is_never_negative(walk: Walk) -> Iterator[str]:
    """FD1.1, G5.12: a rack holds from none to all of its drones, a launcher of its probes; what is destroyed is not
    armed (E1.2).
    """
    for ship in ships_of(walk.after):
        for spec in ship_class(ship.ship).weapons:
            weapon = ship.weapons[spec.name]
            if not 0 <= weapon.ammo <= spec.ammo:
                yield f"{ship.name} {spec.name}: {weapon.ammo} of {spec.ammo} drones"
            if not weapon.working and weapon.charge and weapon.destroyed is None:
                yield f"{ship.name} {spec.name} is destroyed and {weapon.charge}"
        for letter, box in ship.probes.items():
            if not 0 <= box.left <= charts.probes().carried:
                yield f"{ship.name} PROBE {letter} holds {box.left} probes"


# --- people and shuttles ---------------------------------------------------------------------------------------------


def people_are_conserved(walk: Walk) -> Iterator[str]:
    """D7.0, G8.15, J2.211: crew units and boarding parties go from place to place; only fighting costs parties, or
    that their side gives the game up.
    """
    if _crew(walk.before) != _crew(walk.after):
        yield f"{_crew(walk.before)} crew units became {_crew(walk.after)}"
    casualties = 0
    for state, event in walk.events():
        if isinstance(event, ev.BoardingFought):
            ship = state.units[event.unit]
            assert isinstance(ship, Ship)
            holders, raiders = ship.parties - event.holders, _total(ship.boarders) - _total(event.boarders)
            if not 0 <= holders <= event.by_raiders or not 0 <= raiders <= event.by_holders:
                yield f"{event.unit} had {ship.parties} parties and {ship.boarders} of boarders: {event}"
            casualties += holders + raiders
        elif isinstance(event, ev.Conceded):
            casualties += sum(ship.boarders.get(event.side, 0) for ship in state.ships())
    if _parties(walk.before) != _parties(walk.after) + casualties:
        yield f"{_parties(walk.before)} boarding parties became {_parties(walk.after)}, {casualties} fell"
    for ship in ships_of(walk.after):
        if min(ship.parties, ship.passengers, ship.taken, *ship.boarders.values(), 0) < 0:
            yield f"{ship.name} has people less than nothing: {ship.parties} {ship.boarders} {ship.passengers}"
        if ship.side in ship.boarders:
            yield f"{ship.name} is boarded by its own side: {ship.boarders}"


def _total(boarders: dict[str, int]) -> int:
    return sum(boarders.values())


def _crew(state: State) -> int:
    """Crew units anywhere, and those lost with what carried them; who landed went aboard."""
    found = 0
    for unit in state.units.values():
        if isinstance(unit, Ship):
            found += unit.passengers
        elif isinstance(unit, Planet) or (isinstance(unit, Shuttle) and unit.gone != Gone.LANDED):
            found += unit.crew
    return found


def _parties(state: State) -> int:
    found = 0
    for unit in state.units.values():
        if isinstance(unit, Ship):
            found += unit.parties + _total(unit.boarders)
        elif isinstance(unit, Shuttle) and unit.gone != Gone.LANDED:
            found += unit.parties
    return found


def shuttles_are_aboard_or_launched(walk: Walk) -> Iterator[str]:
    """J1.4, J1.6: no shuttle comes from nowhere, each has a box, and none is lost but on the map and with its box."""
    hits = sum(isinstance(event, ev.InternalHit) and event.box.startswith("shuttle") for event in walk.happened)
    had, has = _shuttles(walk.before), _shuttles(walk.after)
    if not has <= had <= has + hits:
        yield f"{had} shuttles became {has}, with {hits} hits on shuttle boxes"
    for state, event in walk.events():
        if isinstance(event, ev.ShuttleLaunched | ev.InternalHit):
            ship = state.units[event.unit]
            letter = event.letter if isinstance(event, ev.ShuttleLaunched) else event.shuttle
            if letter and isinstance(ship, Ship) and letter not in ship.hangar:
                yield f"shuttle {letter} of {ship.name} was not aboard: {event}"
    for ship in ships_of(walk.after):
        if len(ship.hangar) > ship.boxes.get("shuttle", 0):
            yield f"{ship.name} has {ship.hangar} in {ship.boxes.get('shuttle', 0)} shuttle boxes"
        if len(set(ship.hangar)) < len(ship.hangar):
            yield f"{ship.name} has two shuttles of a letter: {ship.hangar}"
    for shuttle in walk.after.shuttles():
        if condition(shuttle.damage) == DESTROYED:
            yield f"{shuttle.name} has taken {shuttle.damage} points and is in play"
        ground = walk.after.units.get(shuttle.landed)
        if shuttle.landed and not (isinstance(ground, Planet) and shuttle.hex in ground.hexes):
            yield f"{shuttle.name} stands on {shuttle.landed} and is at {shuttle.hex}"
        if shuttle.target and shuttle.crew + shuttle.parties:
            yield f"{shuttle.name} is a suicide shuttle with people aboard"


def _shuttles(state: State) -> int:
    return sum(
        len(unit.hangar) if isinstance(unit, Ship) else isinstance(unit, Shuttle) and unit.gone != Gone.LANDED
        for unit in state.units.values()
    )


def systems_do_what_is_paid_for(walk: Walk) -> Iterator[str]:
    """G8.11, G8.13, G7.15, J1.5: transporters and beams that work and have energy, each once a turn; a bay once in two
    impulses.
    """
    for state, event in walk.events():
        match event:
            case ev.Transported(unit=name) if isinstance(ship := state.units[name], Ship):
                used = ship.transported + event.transporters
                if used > ship.boxes.get("tran", 0) or used > ship.transporters:
                    yield f"{ship.name} has {ship.boxes.get('tran', 0)} transporters, {ship.transporters} paid: {event}"
            case ev.Tractored(unit=name) if isinstance(ship := state.units[name], Ship):
                used = len({*ship.beams_used, event.beam})
                if event.beam in ship.beams_used or used > len(ship.tractors):
                    yield f"{ship.name} has paid for {ship.tractors}, used {ship.beams_used}: {event}"
            case ev.ShuttleLaunched(unit=bay) | ev.ShuttleLanded(on=bay):
                mother, now = state.units[bay], (event.turn - 1) * state.impulses + event.impulse
                used_at = mother.bay_used if isinstance(mother, Ship) else None
                if used_at is not None and now - used_at < charts.shuttles().interval:
                    yield f"the bay of {bay} was used at {used_at} and {now}"


def what_is_learnt_is_not_forgotten(walk: Walk) -> Iterator[str]:
    """Scenario #11: information and damage only grow, and the method once found stays."""
    for name, unit in walk.after.units.items():
        was = walk.before.units.get(name)
        if isinstance(unit, Monster) and isinstance(was, Monster):
            if unit.information < was.information or unit.needed < was.needed or unit.damage < was.damage:
                yield f"of {name} less is known: {was} became {unit}"
            if was.method and unit.method != was.method:
                yield f"of {name} something else is known: {was.method} became {unit.method}"
        elif isinstance(unit, Planet) and isinstance(was, Planet) and unit.damage < was.damage:
            yield f"{name} has recovered: {was.damage} became {unit.damage}"
