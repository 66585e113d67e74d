"""A captain who orders anything that is legal: his orders are written as text, read, checked, and mended."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.words import FormKind
from pbem.engine.legal.mending import Answer, Line, mended
from pbem.engine.legal.unit import speeds
from pbem.engine.state import Request, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import as_allotted
from pbem.games.answers import normal_form
from pbem.lab.random_games import boats
from pbem.lab.random_games.activities import some_activities, some_breaks, some_damage
from pbem.lab.random_games.energy import some_form
from pbem.lab.random_games.plots import some_plot
from pbem.lab.random_games.vocabulary import Speaker
from pbem.orders.header import answer_to, header_line
from pbem.orders.writer import name_text

replace = msgspec.structs.replace

CONTINUE, CONCEDE = "CONTINUE", "CONCEDE"
WEARY, LAST = 12, 22
"""From the first of these turns on captains make for home or give up, the more often the nearer the other one is: no
rule ends a fight of two who cannot hurt each other.
"""
WHIM = 0.001
"""The part of answers by which a captain gives up for no reason at all."""

GUIDED = 0.7
"""The part of answers of a side without ships in which it guides its weapons."""

TEMPERS = ("hunter",) * 14 + ("wild",) * 4 + ("coward",)
"""What a captain is like this turn; hunters bring games to an end."""


def answer(
    rng: random.Random, state: State, scenario: Scenario, side: str, *, breaks: float = 0.45,
    weary: tuple[int, int] = (WEARY, LAST),
) -> Answer:  # fmt: skip
    """Legal random orders of ``side`` for the request in force. Raises :class:`Refused` where none are found.

    ``breaks`` is the part of ships that name breaks, ``weary`` from which turn on captains give up or make for home,
    and from which on all do.
    """
    request = state.request
    assert request is not None
    tired = _weariness(request, weary)
    head = header_line(replace(answer_to(state.game, side, request), form=request.form))
    if rng.random() < max(WHIM, tired if request.impulse == 0 else 0):
        sent = f"{head}\n{CONCEDE}\nEND\n"
        return Answer(sent=sent, text=normal_form(sent, side, state.game))
    going_on = request.form == FormKind.SOP and request.impulse > 0 and side in state.standing
    if going_on and state.standing[side].text and rng.random() < _faith(state, side):
        return Answer(sent=f"{head}\n{CONTINUE}\nEND\n", text=CONTINUE)
    lines: list[Line] = []
    for weapon in state.unguided(side) if rng.random() < GUIDED else ():
        way = rng.choice(["LEFT", "RIGHT", "STRAIGHT"])
        when = f"IF RANGE NEAREST ENEMY SHIP <= {rng.randint(1, 12)} THEN " if rng.random() < 0.3 else ""
        lines.append(Line("", "DO", f"{when}GUIDE {name_text(weapon.name)} {way}"))
    for ship in state.ships():
        if ship.side == side and ship.obeys:
            lines += _block(rng, state, scenario, request, ship, breaks, tired)
    if scenario.uses("shuttles"):
        lines += _boats(rng, state, scenario, request, side)
    return mended(state, scenario, side, head, lines)


def _weariness(request: Request, weary: tuple[int, int]) -> float:
    """How little a captain still wants to fight: 0 at first, 1 in the end."""
    begins, ends = weary
    return min(1.0, max(0.0, (request.turn - begins) / (ends - begins)))


def _faith(state: State, side: str) -> float:
    """How often a captain goes on with his orders at a break: never with a mere energy form."""
    text = state.standing[side].text
    return 0.65 if any(word in text for word in ("PLOT", "COURSE", "\nDO")) else 0.0


def _block(
    rng: random.Random, state: State, scenario: Scenario, request: Request, ship: Ship, breaks: float, tired: float
) -> list[Line]:
    """All lines of a ship, in sections."""
    temper = "homesick" if rng.random() < 4 * tired else rng.choice(TEMPERS)
    lines: list[Line] = [Line(ship.name, "", "")]

    def put(section: str, texts: Iterable[str]) -> None:
        lines.extend(Line(ship.name, section, text) for text in texts)

    form: list[str] | None = None
    formless = not engineering.has_form(scenario, ship)
    if request.form in (FormKind.EAF, FormKind.FULL) and not formless:
        form, outcome = some_form(rng, state, scenario, ship, eager=temper == "hunter")
        lines.append(Line(ship.name, "ENERGY", ""))
        put("ENERGY", form)
        ship = as_allotted(state, ship, outcome)
    elif request.impulse == 0 and formless:
        may = speeds(state, scenario, request, ship)
        most = 0 if may is None or may.fixed else may.top
        if most and rng.random() < 0.9:
            speed = rng.choice([most, rng.randint(0, most)])
            put("", [f"SPEED {speed}"])
            ship = engineering.readied(ship, scenario, request.turn, speed)
        else:
            ship = engineering.readied(ship, scenario, request.turn)
    if request.form != FormKind.EAF:
        say = Speaker(rng, state, scenario, ship, request, form)
        put("PLOT", some_plot(say, temper))
        put("DO", some_activities(say, temper))
        if rng.random() < breaks:
            put("BREAK", some_breaks(say))
        put("DAMAGE", some_damage(say))
    return lines


def _boats(rng: random.Random, state: State, scenario: Scenario, request: Request, side: str) -> Iterator[Line]:
    """The blocks of a side's shuttles, some of them not yet launched."""
    mothers = [ship for ship in state.ships() if ship.side == side and ship.obeys]
    flying = [shuttle for shuttle in state.shuttles() if shuttle.side == side and not shuttle.target]
    told: list[tuple[Ship, Shuttle | None, str]] = []
    for shuttle in flying:
        mother = state.units.get(shuttle.launcher)
        if isinstance(mother, Ship) and rng.random() < 0.9:
            told.append((mother, shuttle, shuttle.name))
    for mother in mothers:
        name = boats.coming(Speaker(rng, state, scenario, mother, request))
        if name and name not in [known for _, _, known in told] and rng.random() < 0.4:
            told.append((mother, None, name))
    for mother, flown, name in told:
        say = Speaker(rng, state, scenario, mother, request)
        yield Line(name, "", "", boat=True)
        yield from (Line(name, "", text, boat=True) for text in boats.some_speed(say, flown))
        if request.form != FormKind.EAF:
            goals = boats.some_goals(say, flown)
            yield from (Line(name, "PLOT", text, boat=True) for text in boats.some_way(say, flown, goals))
            yield from (Line(name, "DO", text, boat=True) for text in boats.some_doing(say, flown, goals))
