"""Random activities, breaks and damage choices: DO, BREAK and DAMAGE."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data.ships import ship_class
from pbem.engine.state import Ship
from pbem.engine.victory import announces
from pbem.lab.random_games.systems import prey, some_systems
from pbem.lab.random_games.vocabulary import Speaker
from pbem.orders.writer import name_text, weapons_text
from pbem.rules.direct_fire import is_phaser
from pbem.rules.energy_terms import LETTERS

ONE_OF_PHASERS = 4
"""Phasers named in a ONE OF."""


def some_activities(say: Speaker, temper: str) -> Iterator[str]:
    """Lines of DO; a hunter always fires when he is near."""
    weapons = say.usable["FIRE"]
    if temper != "wild":
        near = f"RANGE <= {say.rng.randint(1, 8)}"
        yield f"IF {near} THEN FIRE {say.one('ALL', 'ALL', 'HEAVY', 'ALL PH')} AT {say.enemy()}"
    for name in prey(say):
        if isinstance(say.state.units[name], Ship) and say.chance(0.6):  # its shield must be down to board it
            goal = name_text(name)
            yield f"IF RANGE {goal} <= {say.rng.randint(0, 4)} AND FACED SHIELD OF {goal} > 0 THEN FIRE ALL AT {goal}"
    for _ in range(say.rng.randint(0, 3)):
        yield say.when(_fire(say, weapons))
    yield from _defence(say, weapons)
    yield from _launches(say)
    yield from some_systems(say)
    if say.own_seekers and say.chance(0.2):
        yield f"GUIDE {say.one(*say.own_seekers, say.pattern(say.ship.side))} {say.one('LEFT', 'RIGHT', 'STRAIGHT')}"
    leaving = say.scenario.side(say.ship.side).leaving
    leaves = leaving == "disengaged" and say.chance(0.1 if temper == "coward" else 0.004)
    if leaves and announces(say.scenario):
        yield say.when("DISENGAGE", target=False)


def _fire(say: Speaker, weapons: list[str]) -> str:
    reserve = " WITH RESERVE" if say.chance(0.2) else ""
    if not weapons or say.chance(0.4):
        return f"FIRE {say.one('ALL', 'HEAVY', 'ALL PH', 'ALL')} AT {say.target()}{reserve}"
    if say.chance(0.15) and len(weapons) > 1:
        two = say.rng.sample(weapons, 2)
        return " AND ".join(f"FIRE {weapon} AT {say.enemy()}" for weapon in two)
    some = say.some(weapons, 4)
    how = "ONE OF " if say.chance(0.2) else ""
    return f"FIRE {how}{weapons_text(some)} AT {say.enemy()}{reserve}"


def _defence(say: Speaker, weapons: list[str]) -> Iterator[str]:
    """Fire at seeking weapons as they come near, by the units their condition holds for (IT, EACH)."""
    phasers = [name for name in weapons if is_phaser(say.ship.weapons[name].kind)]
    if phasers and say.chance(0.6):
        what = say.one("SEEKER", "DRONE", "PLASMA", "ENEMY SEEKER")
        fired = weapons_text(say.some(phasers, ONE_OF_PHASERS))
        who = say.one("EACH", "EACH", "IT")
        yield f"EVERY IF {what} WITHIN {say.rng.randint(0, 4)} THEN FIRE ONE OF {fired} AT {who}"


def _launches(say: Speaker) -> Iterator[str]:
    """Drones and plasma torpedoes that are there to be launched."""
    for name in say.usable["LAUNCH"]:
        if say.chance(0.6) and say.enemies:
            way = f" DIR {say.one(*'ABCDEF')}" if say.chance(0.2) else ""
            yield say.when(f"LAUNCH {name} AT {say.enemy()}{way}")


def some_breaks(say: Speaker) -> Iterator[str]:
    """Lines of BREAK: public facts only."""
    for _ in range(say.rng.choice([0, 0, 1, 1, 2, 3])):
        yield say.condition(public=True)


def some_damage(say: Speaker) -> Iterator[str]:
    """Lines of DAMAGE: boxes that are on the ship's SSD (D4.223)."""
    kind = ship_class(say.ship.ship)
    names = sorted(spec.name for spec in kind.weapons)
    engines = [name.upper() for name in sorted(kind.boxes) if name.startswith("warp") or name in ("impulse", "apr")]
    others = [name for name in ("lab", "tran", "shuttle", "tractor", "probe", "battery") if kind.boxes.get(name)]
    lettered = [name for name in ("shuttle", "tractor") if kind.boxes.get(name)]
    for _ in range(say.rng.randint(0, 3)):
        place = say.one("FIRST", "LAST")
        match say.rng.randint(0, 3):
            case 2 if lettered and say.chance(0.3):
                system = say.one(*lettered)
                letters = [f"{system.upper()} {letter}" for letter in LETTERS[: kind.boxes[system]]]
                yield f"OTHER {', '.join(say.some(letters, 2))} {place}"
            case 0 if names:
                yield f"WEAPON {weapons_text(say.some(names, 3))} {place}"
            case 1 if engines:
                yield f"ENGINE {', '.join(say.some(engines, 2))} {place}"
            case 2 if others:
                yield f"OTHER {', '.join(word.upper() for word in say.some(others, 2))} {place}"
            case _:
                yield say.one("HULL", "ANY", "WEAPON", "ENGINE", "OTHER")
