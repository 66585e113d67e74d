"""Random use of a ship's systems: cloak, tractor beams, transporters, shuttles, probes (G5 to G13, J1, J2).

What a captain does with them depends on what the scenario is about, so that freighters are boarded (#8), survivors
fetched (#9) and monsters studied (#11) now and then, and not only legal orders given.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.state import Monster, Planet, Seeker, Ship, Shuttle
from pbem.orders.writer import name_text
from pbem.rules.energy_systems import LETTERS
from pbem.soak.vocabulary import Speaker
from pbem.turn.cloaking import has_cloak
from pbem.turn.links import is_freighter
from pbem.values.words import Fuse

REACH = 5
"""Hexes that transporters reach (G8.14), and from which it is worth while to send shuttles."""


def prey(say: Speaker) -> list[str]:
    """What a ship is after beyond its enemies: freighters that are to be taken, a planet's people, a monster."""
    victory, state = say.scenario.victory, say.state
    if victory.side and victory.side != say.ship.side:
        return []
    if victory.kind == "piracy":
        loot = [state.units[name] for name in victory.targets]
        return [unit.name for unit in loot if unit.in_play and state.enemies(say.ship.side, unit.side)]
    if victory.kind == "rescue":
        goal = state.units.get(victory.goal)
        return [goal.name] if isinstance(goal, Planet) and goal.crew else []
    return [monster.name for monster in state.monsters()]


def some_systems(say: Speaker) -> Iterator[str]:
    """The verbs of the later chapters, where the scenario uses them."""
    scenario, ship = say.scenario, say.ship
    if scenario.uses("cloak") and has_cloak(scenario, ship) and ship.cloak_paid and say.chance(0.7):
        yield say.when(say.one("CLOAK", "UNCLOAK"), target=False)
    if scenario.uses("transporters"):
        yield from _transporters(say)
    if scenario.uses("tractors"):
        yield from _tractors(say)
    if scenario.uses("shuttles"):
        yield from _bay(say)
    if scenario.uses("probes"):
        yield from _probes(say)


def _near(say: Speaker, name: str, most: int) -> str:
    """A condition of range, or none."""
    return f"IF RANGE {name_text(name)} <= {say.rng.randint(0, most)} THEN " if say.chance(0.5) else ""


def _transporters(say: Speaker) -> Iterator[str]:
    """Boarding parties to enemies and prizes, people from planets; through a shield lowered in the same breath, or one
    that is down (G8.2).
    """
    working = say.ship.boxes.get("tran", 0)
    reserve = " WITH RESERVE" if say.state.options.reinforcement and say.chance(0.4) else ""
    most = working if reserve else min(working, say.ship.transporters)
    if say.chance(0.08):
        goal = say.one(*(name_text(name) for name in say.ships)) if say.ships else "NEAREST SHIP"
        yield say.when("LOWER " + say.one(f"SHIELD #{say.rng.randint(1, 6)}", f"SHIELD TO {goal}"), target=False)
        if say.ship.general:
            yield say.when("LOWER GENERAL", target=False)
    if not most:
        return
    count = say.rng.randint(1, most)
    for name in prey(say):
        goal, unit = name_text(name), say.state.units[name]
        if isinstance(unit, Planet) and not say.ship.passengers:
            yield f"{_near(say, name, REACH)}LOWER SHIELD TO {goal} AND TRANSPORT 1 CREW FROM {goal}{reserve}"
        elif isinstance(unit, Ship):
            yield f"{_near(say, name, REACH)}LOWER SHIELD TO {goal} AND TRANSPORT {count} BP TO {goal}{reserve}"
    goals = [name for name in say.ships if say.state.enemies(say.ship.side, say.state.units[name].side)]
    friends = [name for name in say.ships if name not in goals]
    if goals and say.chance(0.5):
        goal = name_text(say.rng.choice(goals))
        first = say.one("", f"IF FACED SHIELD OF {goal} DOWN THEN ")
        with_it = say.one("", f"LOWER SHIELD TO {goal} AND ", "LOWER SHIELD #1 AND ")
        yield f"{first}{with_it}TRANSPORT {count} BP {say.one('TO', 'TO', 'TO', 'FROM')} {goal}{reserve}"
    if friends and say.chance(0.3):
        goal = name_text(say.rng.choice(friends))
        cargo = f"{count} BP" if say.chance(0.7) or not say.ship.passengers else "1 CREW"
        yield f"LOWER SHIELD TO {goal} AND TRANSPORT {cargo} {say.one('TO', 'FROM')} {goal}{reserve}"


def _tractors(say: Speaker) -> Iterator[str]:
    """Freighters, shuttles, drones and monsters are held; now and then anything else is tried, or all let go."""
    working = say.ship.boxes.get("tractor", 0)
    if not working or not (say.ship.tractors or say.ship.batteries):
        return
    beams = LETTERS[:working]
    reserve = " WITH RESERVE" if say.state.options.reinforcement and say.chance(0.4) else ""

    def hold(goal: str) -> str:
        return f"TRACTOR {goal}{say.one('', f' WITH {say.one(*beams)}')}{reserve}"

    worth = [name_text(unit.name) for unit in say.state.in_play() if _can_be_held(say, unit)]
    for goal in worth:
        if say.chance(0.6):
            yield hold(goal)
    if len(worth) > 1 and say.chance(0.2):
        yield f"{hold(worth[0])} AND {hold(worth[1])}"
    if say.chance(0.15):
        yield say.when(hold(say.one(*(name_text(name) for name in say.ships), "NEAREST", "NEAREST SHUTTLE")))
    if say.chance(0.4):
        yield f"EVERY IF {say.one('DRONE', 'ENEMY SHUTTLE')} WITHIN 1 THEN TRACTOR IT{reserve}"
    if say.chance(0.1 if say.state.held_by(say.ship.name) else 0.02):
        yield say.when(f"RELEASE {say.one('', *beams)}".strip(), target=False)


def _can_be_held(say: Speaker, unit: object) -> bool:
    """Worth a beam: what the rules let it hold (G7.32)."""
    match unit:
        case Ship():
            return is_freighter(unit) and unit.name != say.ship.name
        case Seeker():
            return not unit.torpedo and say.state.enemies(say.ship.side, unit.side)
        case _:
            return isinstance(unit, Monster | Shuttle)


def _bay(say: Speaker) -> Iterator[str]:
    """Shuttles go out with people or bombs, and come back (J1.5, J1.6)."""
    ship, need = say.ship, bool(prey(say))
    for letter in ship.hangar:
        bomb = ship.bombs.get(letter)
        way = say.one("", "", f" DIR {say.one(*'ABCDEF')}")
        if bomb is not None and bomb.state == Fuse.ARMED:
            goal = say.one(*(name_text(name) for name in prey(say))) if need and say.chance(0.8) else say.enemy()
            if say.chance(0.8):
                when = f"IF RANGE {goal} <= {say.rng.randint(1, 8)} THEN " if say.chance(0.7) else ""
                yield f"{when}LAUNCH SUICIDE {letter} AT {goal}{way}"
        elif bomb is None and say.chance(0.35 if need else 0.08):
            cargo = say.one("", "", f" WITH {say.rng.randint(1, 2)} BP", " WITH 1 CREW" if ship.passengers else "")
            yield say.when(f"LAUNCH SHUTTLE {letter}{way}{cargo}", target=False)
    for shuttle in say.state.shuttles():
        if shuttle.side == ship.side and not shuttle.target and say.chance(0.5):
            yield f"RECOVER {shuttle.name}"


def _probes(say: Speaker) -> Iterator[str]:
    goals = [name_text(monster.name) for monster in say.state.monsters()]
    for letter, box in sorted(say.ship.probes.items()):
        if box.purpose and box.left and say.chance(0.8):
            goal = say.one(*goals) if goals and say.chance(0.9) else say.enemy()
            when = f"IF RANGE {goal} <= {say.rng.randint(0, 6)} THEN " if say.chance(0.7) else ""
            yield f"{when}PROBE {letter} AT {goal}"
