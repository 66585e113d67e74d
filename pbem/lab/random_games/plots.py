"""Random movement: plots, courses, steering, reactions, tactical maneuvers (C1 to C5)."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.data.scenarios import ScenarioUnit
from pbem.engine.legal.mending import FALLBACK
from pbem.engine.state import Ship
from pbem.engine.steps.helm import CODES, entered, keeps_room, legal_codes
from pbem.engine.victory import law
from pbem.lab.random_games.vocabulary import Speaker
from pbem.orders.writer import name_text
from pbem.rules.impulse_chart import moves
from pbem.rules.sideslip import after_step
from pbem.rules.turning import SLIPS

WEIGHTS = {"F": 8, "L": 2, "R": 2, "SL": 1, "SR": 1}


def some_plot(say: Speaker, temper: str) -> Iterator[str]:
    """The lines of a plot. ``temper``: ``hunter`` closes in, ``wild`` flies anything, ``coward`` gets away,
    ``homesick`` off the map.
    """
    scripted = next((unit for unit in say.scenario.units if unit.name == say.ship.name and unit.script), None)
    if scripted is not None and not say.ship.captured_from:
        yield _straight(say, scripted)
        return
    walk = _walk(say, say.rng.randint(0, 12)) if temper == "wild" or say.chance(0.35) else []
    if walk and not any(code in SLIPS for code in walk) and say.chance(0.2):
        yield "COURSE " + _course(say.ship, walk)
    else:
        yield f"{' '.join(walk)} {_pilot(say, temper)}".strip()
    if temper == "homesick" and say.scenario.side(say.ship.side).leaving != "forbidden":
        yield f"AWAY FROM {say.enemy()}"
        yield "LEAVE MAP"
        return
    leaving = say.scenario.side(say.ship.side).leaving
    done = say.ship.passengers or say.ship.captured_from or len(say.state.held_by(say.ship.name)) > 1
    if leaving != "forbidden" and say.chance(
        0.6 if done else 0.1 if law(say.scenario).prey(say.state, say.ship) else 0.4 if temper == "coward" else 0.01
    ):
        yield "LEAVE MAP"
    for _ in range(say.rng.choice([0, 0, 1, 1, 2])):
        yield _reaction(say, temper)
    if say.ship.tactical or say.ship.sublight:
        for _ in range(say.rng.randint(1, 3)):
            tac = f"TAC {say.one('L', 'R')}" + (f" AT {say.impulse()}" if say.chance(0.5) else "")
            yield tac + (f" IF {say.condition()}" if say.chance(0.3) else "")


def _walk(say: Speaker, length: int) -> list[str]:
    """Codes the ship may fly one after the other from where it is, as long as there is room."""
    ship, codes = say.ship, []
    for _ in range(length):
        legal = [code for code in legal_codes(say.state, ship) if keeps_room(say.state, ship, code)]
        if not legal:
            break
        code = say.rng.choices(legal, [WEIGHTS[code] for code in legal])[0]
        codes.append(code)
        ship = _flown(say, ship, code)
    return codes


def _flown(say: Speaker, ship: Ship, code: str) -> Ship:
    hex_, facing = entered(say.state, ship, code)
    since_turn, since_slip = after_step(code, ship.since_turn, ship.since_slip)
    return msgspec.structs.replace(ship, hex=hex_, facing=facing, since_turn=since_turn, since_slip=since_slip)


def _course(ship: Ship, walk: list[str]) -> str:
    """The same way as hexes and directions, as the handbook plots it."""
    legs: list[tuple[int, str]] = []
    facing = "ABCDEF".index(ship.facing)
    for code in walk:
        facing = (facing + {"R": 1, "L": -1}.get(code, 0)) % 6
        if legs and legs[-1][1] == "ABCDEF"[facing]:
            legs[-1] = legs[-1][0] + 1, legs[-1][1]
        else:
            legs.append((1, "ABCDEF"[facing]))
    return " ".join(f"{hexes}{direction}" for hexes, direction in legs)


def _pilot(say: Speaker, temper: str) -> str:
    """Steering for the rest of the plot; always one, since straight on may lead off the map."""
    if say.ship.passengers and say.chance(0.8):
        return f"AWAY FROM {say.enemy()}"
    goals = law(say.scenario).toward(say.state, say.ship)
    if goals and say.chance(0.6):
        return f"TOWARD {name_text(say.rng.choice(goals))}"
    if temper == "coward":
        return say.one(f"AWAY FROM {say.enemy()}", f"KEEP {say.enemy()} AT RANGE 12 TO 30", FALLBACK)
    if temper == "hunter" and say.chance(0.8):
        return f"TOWARD {say.target()}"
    low = say.rng.randint(0, 8)
    return say.one(
        f"TOWARD {say.target()}",
        f"AWAY FROM {say.enemy()}",
        f"KEEP #{say.rng.randint(1, 6)} TO {say.enemy()}",
        f"KEEP {say.enemy()} IN {say.one('FA', 'FX', 'RA', 'LS', 'RS', 'LF+RF', '360')}",
        f"KEEP {say.enemy()} AT RANGE {low} TO {low + say.rng.randint(0, 6)}",
    )


def _reaction(say: Speaker, temper: str) -> str:
    """What replaces the next code, or takes the helm, when its time and condition come."""
    moving = [n for n in range(say.first, say.last + 1) if moves(say.ship.speed, n, say.state.impulses)]
    when = f"AT {say.rng.choice(moving)} " if moving and say.chance(0.3) else "EVERY " if say.chance(0.2) else ""
    what = say.one(*CODES, "L", "R") if say.chance(0.7) else _pilot(say, temper)
    if what in SLIPS and not say.state.options.sideslip:
        what = "F"
    return f"{when}IF {say.condition()} THEN {what}"


def _straight(say: Speaker, unit: ScenarioUnit) -> str:
    """A freighter with a course of its own: straight ahead, or by one turn at the start of a turn (scenario #3)."""
    script = unit.script
    first = "F"
    if script is not None and script.player and say.request.impulse == 0 and say.chance(0.2):
        first = say.one(*(code for code in legal_codes(say.state, say.ship) if code in ("F", "L", "R")), "F")
    side = say.scenario.side(unit.side)
    leave = "" if side.leaving == "forbidden" else " LEAVE MAP"
    return f"{first} F F{leave}"
