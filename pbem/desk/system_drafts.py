"""What a side's draft says of a ship's tractor beams and transporters: entries of the form, and orders.

Only what is legal as it stands is offered: orders that need energy come once it is allotted.
"""

from __future__ import annotations

from string import ascii_uppercase

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.game.state import Planet, Request, Ship, State
from pbem.orders import writer
from pbem.rules import transporters
from pbem.values.words import FormKind

Hint = tuple[str, str]
"""An order, and what there is to say of it."""

LONG = 16
"""A name so long that two of them do not fit a line that mail leaves whole."""


def words(reach: int) -> str:
    """``1 hex``, ``5 hexes``."""
    return f"{reach} hex{'' if reach == 1 else 'es'}"


def entries(state: State, scenario: Scenario, ship: Ship) -> tuple[Hint, ...]:
    """Entries the energy form could hold for the ship's systems, lines 17 and 18 (B3.0)."""
    found: list[Hint] = []
    if scenario.uses("tractors"):
        held = {link.beam: link.target for link in state.held_by(ship.name)}
        beams = ascii_uppercase[: ship.boxes.get("tractor", 0)]
        for beam in [*(b for b in beams if b in held), *[b for b in beams if b not in held][:1]]:
            found.append((f"TRACTOR {beam}", f"or it lets go of {held[beam]} (G7.33)" if beam in held else "(G7.15)"))
    working = ship.boxes.get("tran", 0)
    if scenario.uses("transporters") and working:
        points = transporters.energy_for(1)
        found.append((f"TRANSPORTERS {points}", f"operates {transporters.operated(points, working)} (G8.13)"))
    return tuple(found)


def acts(state: State, scenario: Scenario, request: Request, ship: Ship) -> tuple[Hint, ...]:
    """Orders for systems that have their energy; before it is allotted, only to let go of what is held."""
    found: list[Hint] = []
    held = state.held_by(ship.name)
    found += [(f"RELEASE {link.beam}", f"it holds {link.target} (G7.33)") for link in held]
    if request.form != FormKind.SOP:
        return tuple(found)
    if scenario.uses("tractors") and any(beam not in ship.beams_used for beam in ship.tractors):
        beam = next(beam for beam in ship.tractors if beam not in ship.beams_used)
        prey, reach = _prey(state, ship), charts.tractors().range
        found.append((f"TRACTOR {prey} WITH {beam}", f"as soon as it is within {words(reach)} (G7.3)"))
    free = min(ship.transporters - ship.transported, ship.boxes.get("tran", 0))
    if scenario.uses("transporters") and free > 0:
        found += _transports(state, scenario, ship, free)
    return tuple(found)


def _prey(state: State, ship: Ship) -> str:
    """Something a beam may hold: a freighter, a monster, else whatever drone comes near (G7.32)."""

    freighters = [u.name for u in state.ships() if u.name != ship.name and ship_class(u.ship).race == "civilian"]
    found = [*freighters, *(monster.name for monster in state.monsters())]
    return writer.name_text(found[0]) if found else "NEAREST ENEMY DRONE"


def _transports(state: State, scenario: Scenario, ship: Ship, free: int) -> list[Hint]:
    reach = charts.transporters().range
    found: list[Hint] = []
    rescue = scenario.victory.kind == "rescue" and scenario.victory.side == ship.side
    for unit in state.in_play() if rescue else ():
        if isinstance(unit, Planet) and unit.crew:
            name = writer.name_text(unit.name)
            found.append((f"TRANSPORT 1 CREW FROM {name}", f"within {words(reach)}, shields permitting (G8.2)"))
    enemies = [u for u in state.ships() if state.enemies(ship.side, u.side) and not u.untouchable]
    if scenario.uses("boarding") and enemies and ship.parties:
        name, count = writer.name_text(enemies[0].name), min(free, ship.parties)
        order = f"TRANSPORT {count} BP TO {name}"
        if len(name) < LONG:
            order = f"LOWER SHIELD TO {name} AND {order}"
        found.append((order, f"within {words(reach)}, his shield down (G8.2)"))
    return found
