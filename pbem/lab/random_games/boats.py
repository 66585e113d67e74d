"""Random blocks of shuttles (J1.2, J2.213): their speed, plot and orders, on the map or still to be launched."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.legal.unit import speeds
from pbem.engine.state import Planet, Ship, Shuttle
from pbem.engine.steps.leaving import next_name
from pbem.lab.random_games.systems import prey
from pbem.lab.random_games.vocabulary import Speaker
from pbem.orders.writer import name_text


def coming(say: Speaker) -> str:
    """The name of the shuttle a ship would launch next, if it has any aboard."""
    return next_name(say.state, say.ship) if say.ship.hangar else ""


def some_speed(say: Speaker, shuttle: Shuttle | None) -> Iterator[str]:
    """A speed announced at the start of a turn (J1.21); one still to be launched may have one at any time."""
    if shuttle is None:
        if say.chance(0.5):
            yield f"SPEED {say.rng.randint(1, 6)}"
    elif (may := speeds(say.state, say.scenario, say.request, shuttle)) and say.chance(0.6):
        most = may.top
        yield f"SPEED {say.rng.choice([most, say.rng.randint(0, most)])}"


def some_way(say: Speaker, shuttle: Shuttle | None, goals: list[str]) -> Iterator[str]:
    """A plot: to what it is after, home, to an enemy, or anywhere."""
    walk = " ".join(say.one("F", "F", "F", "R", "L") for _ in range(say.rng.randint(1, 4)))
    start = f"F {walk} " if say.chance(0.15) else ""
    if goals and say.chance(0.85):
        yield f"{start}TOWARD {name_text(goals[0])}"
    elif shuttle is not None and shuttle.landed and say.chance(0.5):
        return
    else:
        enemy = say.enemy()
        yield start + say.one(f"TOWARD {enemy}", f"AWAY FROM {enemy}", f"KEEP {enemy} AT RANGE 1 TO 4")


def some_goals(say: Speaker, shuttle: Shuttle | None) -> list[str]:
    """Where a shuttle wants to go: fetch people, bring them home, look at a monster; else home."""
    homes = [unit.name for unit in say.state.ships() if unit.side == say.ship.side and unit.name == say.ship.name]
    if shuttle is not None and (shuttle.crew or shuttle.parties):
        return homes
    return [*prey(say), *homes] if say.chance(0.8) else homes


def some_doing(say: Speaker, shuttle: Shuttle | None, goals: list[str]) -> Iterator[str]:
    """Its phaser, and landing on planets and ships (J1.61, P2.0)."""
    for _ in range(say.rng.randint(0, 2)):
        when = say.one("", f"AT {say.impulse()} ", "EVERY ")
        target = say.one(say.enemy(), "NEAREST DRONE", "NEAREST ENEMY SHUTTLE")
        yield f"{when}IF {say.condition(public=True)} THEN FIRE {say.one('PH 1', 'ALL')} AT {target}"
    for goal in goals[:2]:
        unit = say.state.units[goal]
        if isinstance(unit, Planet) or (isinstance(unit, Ship) and unit.side == say.ship.side):
            away = "" if say.chance(0.8) else f" IF {say.condition(public=True)}"
            yield f"LAND ON {name_text(goal)}{away}"
    if say.chance(0.1):
        yield f"AT {say.impulse()} LAND"
