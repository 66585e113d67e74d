"""What a side's draft says of its shuttles, on the map and in their bays."""

from __future__ import annotations

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.faults import NotAllowed
from pbem.game.state import Planet, Request, Ship, Shuttle, State
from pbem.offers.unit import speeds
from pbem.orders import writer
from pbem.orders.draft import DraftShip, DraftWeapon
from pbem.rules import shuttles as rules
from pbem.rules.impulse_chart import moves
from pbem.turn.bays import next_name
from pbem.turn.check_activities import is_over
from pbem.turn.firing import SHUTTLE_WEAPON
from pbem.values.words import Fuse, StepName


def shuttles(state: State, scenario: Scenario, request: Request, side: str) -> list[DraftShip]:
    """A side's manned shuttles on the map; those with a bomb find their way alone."""
    return [
        _shuttle(state, scenario, request, each) for each in state.shuttles() if each.side == side and not each.target
    ]


def _shuttle(state: State, scenario: Scenario, request: Request, shuttle: Shuttle) -> DraftShip:
    may = speeds(state, scenario, request, shuttle)
    first = max(1, request.impulse) + is_over(state, request, StepName.SHUTTLES)
    ahead = sum(moves(shuttle.speed, impulse, state.impulses) for impulse in range(first, request.through + 1))
    planets = [unit.name for unit in state.in_play() if isinstance(unit, Planet) and not shuttle.landed]
    home = [shuttle.launcher] if (mother := state.units.get(shuttle.launcher)) and mother.in_play else []
    load = [f"{count} {what}" for count, what in ((shuttle.crew, "crew"), (shuttle.parties, "BP")) if count]
    facts = [
        f"shuttle of {shuttle.launcher}",
        *([f"landed on {shuttle.landed}: it stays there unless you give it a SPEED"] if shuttle.landed else []),
        *([rules.condition(shuttle.damage)] if rules.condition(shuttle.damage) else []),
        *([f"{' and '.join(load)} aboard"] if load else []),
    ]
    return DraftShip(
        name=shuttle.name,
        class_name=", ".join(facts),
        position=shuttle.at,
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
    """Why its phaser stays silent until these orders end (J2.213)."""
    moment = (request.turn - 1) * state.impulses + request.through
    try:
        rules.verify_shuttle_fire(
            name="", fired=shuttle.fired, launched=shuttle.launched, moment=moment, impulses=state.impulses
        )
    except NotAllowed as refused:
        return refused.text.strip()
    return ""


def acts(state: State, scenario: Scenario, request: Request, ship: Ship) -> tuple[tuple[str, str], ...]:
    """Orders for a ship's bay: the first shuttle that could be launched, all that are armed, and those to be recovered
    (J1.5, J1.62, J2.22).
    """
    if not scenario.uses("shuttles"):
        return ()
    states = {letter: ship.bombs[letter].state if letter in ship.bombs else "" for letter in ship.hangar}
    manned = [letter for letter, bomb in states.items() if not bomb]
    first = max(1, request.impulse) + is_over(state, request, StepName.BAY)
    if first > request.through:
        return ()
    found = [
        (f"AT {first} LAUNCH SHUTTLE {letter} DIR B", f"its orders: a block SHUTTLE {next_name(state, ship)}")
        for letter in manned[:1]
    ]
    enemies = [other.name for other in state.ships() if state.enemies(ship.side, other.side) and not other.untouchable]
    target = writer.name_text(enemies[0]) if enemies else "NEAREST ENEMY SHIP"
    armed = [letter for letter, bomb in states.items() if bomb == Fuse.ARMED and not ship.captured_from]
    found += [(f"AT {first} LAUNCH SUICIDE {letter} AT {target}", "armed (J2.22)") for letter in armed]
    held = [link.target for link in state.held_by(ship.name) if isinstance(state.units.get(link.target), Shuttle)]
    own = [name for name in held if not state.enemies(ship.side, state.units[name].side)]
    found += [(f"RECOVER {name}", "a beam holds it (J1.62)") for name in own]
    return tuple(found)


def entries(state: State, scenario: Scenario, ship: Ship) -> tuple[tuple[str, str], ...]:
    """Entries of the form for suicide shuttles: one that could be begun, and all that were (J2.221); none of a prize,
    which sends no weapons (D7.0).
    """
    if not scenario.uses("shuttles") or ship.captured_from:
        return ()
    chart = charts.shuttles().suicide[state.level]
    begun = {letter: bomb for letter, bomb in ship.bombs.items() if bomb.energy and letter in ship.hangar}
    found = []
    for letter, bomb in sorted(begun.items()):
        if bomb.state == Fuse.ARMED:
            found.append((f"SUICIDE {letter} {chart.hold}", "holds it"))
        else:
            left = chart.turns - len(bomb.energy)
            found.append((f"SUICIDE {letter} {chart.most} WARP", f"arming, {left} more turn{'s' if left > 1 else ''}"))
    if not begun and ship.hangar:
        found.append((f"SUICIDE {ship.hangar[-1]} {chart.most} WARP", f"arming takes {chart.turns} turns (J2.221)"))
    return tuple(found)
