"""What a side's draft says of its shuttles on the map."""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.words import StepName
from pbem.engine.checking.outlook import is_over
from pbem.engine.legal.unit import speeds
from pbem.engine.state import Planet, Request, Shuttle, State
from pbem.engine.steps.firing import SHUTTLE_WEAPON
from pbem.errors import NotAllowed
from pbem.orders import writer
from pbem.orders.draft import DraftShip, DraftWeapon
from pbem.rules import shuttles as rules
from pbem.rules.impulse_chart import hexes_between


def shuttles(state: State, scenario: Scenario, request: Request, side: str) -> list[DraftShip]:
    """A side's manned shuttles on the map; those with a bomb find their way alone."""
    return [
        _shuttle(state, scenario, request, each) for each in state.shuttles() if each.side == side and not each.target
    ]


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
    """Why its phaser stays silent until these orders end (J2.213)."""
    moment = (request.turn - 1) * state.impulses + request.through
    try:
        rules.verify_shuttle_fire(
            name="", fired=shuttle.fired, launched=shuttle.launched, moment=moment, impulses=state.impulses
        )
    except NotAllowed as refused:
        return refused.text.strip()
    return ""
