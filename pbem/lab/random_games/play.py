"""Play random games in memory: random scenario, ships, players and options, then random legal orders.

Random orders are written as text, parsed and checked; lines that are refused are left out. The key of a game
(``5-1-17``: scenario #5, run 1, game 17) determines everything about it. So a game that fails can be played again
separately, or written as a normal game folder. A game is played in segments, i.e. from one request for orders to the
next. :class:`Walk` gives the invariants every event of a segment, with the state just before it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.scenarios import Scenario, ScenarioUnit, Terrain, scenario, scenario_keys
from pbem.data.ships import ShipClass, ship_class, ship_keys
from pbem.data.terms import FormKind
from pbem.engine import events as ev
from pbem.engine.dice import Secret, secret_of
from pbem.engine.events import Record
from pbem.engine.legal.acts import speeds
from pbem.engine.legal.trial import ProgramOrders, SectionLine, without_refused_lines
from pbem.engine.log import apply
from pbem.engine.options import Options
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.relations import commanded_ships, manned_shuttles, unguided
from pbem.engine.state import Request, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import as_allotted
from pbem.games.answers import normal_form
from pbem.games.segments import play_segment
from pbem.games.storage.terms import read_options
from pbem.lab.random_games import orders
from pbem.lab.random_games.energy import some_form
from pbem.lab.random_games.orders import Speaker, some_activities, some_breaks, some_damage, some_plot, some_terrain
from pbem.orders.header import answer_to, header_line
from pbem.orders.writer import name_text

CONTINUE, CONCEDE = "CONTINUE", "CONCEDE"
WEARY, LAST = 12, 22
"""The turn from which ships start to leave the map or concede, and the turn from which all do.

Otherwise two sides that cannot hurt each other would fight forever, because no rule ends such a game.
"""
WHIM = 0.001
"""Probability that a side concedes for no reason in one answer."""

GUIDED = 0.7
"""Probability that a side gives orders for seeking weapons whose ship can no longer guide them."""

TEMPERS = ("hunter",) * 14 + ("wild",) * 4 + ("coward",)
"""The possible behaviors of a ship in a turn.

Frequent behaviors are repeated. Most ships are hunters, because hunters bring games to an end.
"""


def answer(
    rng: random.Random, state: State, scenario: Scenario, side: str, *, breaks: float = 0.45,
    weary: tuple[int, int] = (WEARY, LAST),
) -> ProgramOrders:  # fmt: skip
    """Return random legal orders of ``side`` for the current request for orders.

    Args:
        rng: Random number generator.
        state: The state of the game.
        scenario: The scenario.
        side: The side.
        breaks: Probability (0 to 1) that a ship gets BREAK lines.
        weary: The turn from which ships start to leave the map or concede, and the turn from which all ships do so.

    Raises:
        OrdersRefused: No legal orders were found.
    """
    request = state.request
    assert request is not None
    tired = _weariness(request, weary)
    head = header_line(replace(answer_to(state.game, side, request), form=request.form))
    if rng.random() < max(WHIM, tired if request.impulse == 0 else 0):
        sent = f"{head}\n{CONCEDE}\nEND\n"
        return ProgramOrders(sent=sent, text=normal_form(sent, side, state.game))
    going_on = request.form == FormKind.SOP and request.impulse > 0 and side in state.standing
    if going_on and state.standing[side].text and rng.random() < _faith(state, side):
        return ProgramOrders(sent=f"{head}\n{CONTINUE}\nEND\n", text=CONTINUE)
    lines: list[SectionLine] = []
    for weapon in unguided(state, side) if rng.random() < GUIDED else ():
        way = rng.choice(["LEFT", "RIGHT", "STRAIGHT"])
        when = f"IF RANGE NEAREST ENEMY SHIP <= {rng.randint(1, 12)} THEN " if rng.random() < 0.3 else ""
        lines.append(SectionLine("", "DO", f"{when}GUIDE {name_text(weapon.name)} {way}"))
    for ship in commanded_ships(state, side):
        lines += _block(rng, state, scenario, request, ship, breaks, tired)
    if scenario.uses("shuttles"):
        lines += _boats(rng, state, scenario, request, side)
    return without_refused_lines(state, scenario, side, head, lines)


def _weariness(request: Request, weary: tuple[int, int]) -> float:
    """Return the probability that a side gives up.

    It is 0 up to the first ``weary`` turn, and 1 from the second ``weary`` turn on.

    Between the two turns, the probability increases linearly.
    """
    begins, ends = weary
    return min(1.0, max(0.0, (request.turn - begins) / (ends - begins)))


def _faith(state: State, side: str) -> float:
    """Return the probability that a side answers CONTINUE after a break, i.e. keeps its orders.

    The probability is 0 if the orders in force are only an energy form.
    """
    text = state.standing[side].text
    return 0.65 if any(word in text for word in ("PLOT", "COURSE", "\nDO")) else 0.0


def _block(
    rng: random.Random, state: State, scenario: Scenario, request: Request, ship: Ship, breaks: float, tired: float
) -> list[SectionLine]:
    """Return all order lines of a ship, each with its section (such as PLOT or DO).

    ``breaks`` is the probability of BREAK lines. ``tired`` is the probability that the side gives up (0 to 1).
    """
    temper = "homesick" if rng.random() < 4 * tired else rng.choice(TEMPERS)
    lines: list[SectionLine] = [SectionLine(ship.name, "", "")]

    def put(section: str, texts: Iterable[str]) -> None:
        lines.extend(SectionLine(ship.name, section, text) for text in texts)

    form: list[str] | None = None
    formless = not engineering.has_form(scenario, ship)
    if request.form in (FormKind.EAF, FormKind.FULL) and not formless:
        form, outcome = some_form(rng, state, scenario, ship, eager=temper == "hunter")
        lines.append(SectionLine(ship.name, "ENERGY", ""))
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


def _boats(rng: random.Random, state: State, scenario: Scenario, request: Request, side: str) -> Iterator[SectionLine]:
    """Yield the order lines for a side's shuttles, including some that are not launched yet."""
    mothers, flying = commanded_ships(state, side), manned_shuttles(state, side)
    boats: list[tuple[Ship, Shuttle | None, str]] = []
    for shuttle in flying:
        mother = state.units.get(shuttle.launcher)
        if isinstance(mother, Ship) and rng.random() < 0.9:
            boats.append((mother, shuttle, shuttle.name))
    for mother in mothers:
        name = orders.coming(Speaker(rng, state, scenario, mother, request))
        if name and name not in [known for _, _, known in boats] and rng.random() < 0.4:
            boats.append((mother, None, name))
    for mother, flown, name in boats:
        say = Speaker(rng, state, scenario, mother, request)
        yield SectionLine(name, "", "", boat=True)
        yield from (SectionLine(name, "", text, boat=True) for text in orders.some_speed(say, flown))
        if request.form != FormKind.EAF:
            goals = orders.some_goals(say, flown)
            yield from (SectionLine(name, "PLOT", text, boat=True) for text in orders.some_way(say, flown, goals))
            yield from (SectionLine(name, "DO", text, boat=True) for text in orders.some_doing(say, flown, goals))


TURNS = 25
"""Number of turns after which a game is stopped. A duel of two cruisers is over by then."""

VARIED = 0.3
"""Share of games that are a variant of their scenario, if it has one."""

STREWN = 0.3
"""Share of games with additional planets and asteroids or another monster, where the scenario has such things."""

MIXED = 0.15
"""Share of ships that may be Cadet ships in a standard game, or standard ships in a Cadet game."""

STUCK = 400
"""Number of requests for orders in one turn after which a game counts as stuck."""


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a random game, as a user would give them to ``pbem new``.

    Attributes:
        key: Key of the game, such as ``5-1-17``.
        number: Number of the scenario.
        players: Who plays each side.
        ships: Ship classes that replace others, by unit.
        units: Optional units that take part.
        options: Options of the game.
        facings: Facings at the start, by unit.
        grid: Which columns of the map are half a hex lower: ``even`` or ``odd``.
        terrain: Planets and asteroids that are added.
        monster: The monster that replaces the scenario's monsters; empty if they are not replaced.
        variant: Variant of the scenario; empty if no variant is used.
    """

    key: str
    number: str
    players: dict[str, str]
    ships: dict[str, str] = {}
    units: tuple[str, ...] = ()
    options: dict[str, str] = {}
    facings: dict[str, str] = {}
    grid: str = "even"
    terrain: tuple[Terrain, ...] = ()
    monster: str = ""
    variant: str = ""

    @property
    def setting(self) -> Scenario:
        """The scenario of the game, with the added terrain and the chosen monster."""
        shipped = played_scenario(self.shipped)
        monsters = shipped.monsters
        if self.monster:
            monsters = tuple(msgspec.structs.replace(one, kind=self.monster) for one in monsters)
        return msgspec.structs.replace(shipped, terrain=(*shipped.terrain, *self.terrain), monsters=monsters)

    @property
    def own(self) -> bool:
        """Whether terrain or monster differ from the shipped scenario."""
        return bool(self.terrain or self.monster)

    @property
    def shipped(self) -> str:
        """Key of the shipped scenario on which the game is based."""
        return f"{self.number}-{self.variant}" if self.variant else self.number

    @property
    def scenario_key(self) -> str:
        """Key of the scenario in the game; a changed scenario has its own key and its own file."""
        return f"{self.number}-own" if self.own else self.shipped

    @property
    def typed_options(self) -> Options:
        """The options of the game, parsed."""
        return read_options(self.options)

    @property
    def secret(self) -> bytes:
        """The secret from which the dice of the game are made; ``pbem new --seed KEY`` makes the same secret."""
        return secret_of(self.key)


@cache
def played_scenario(number: str) -> Scenario:
    """Return a shipped scenario; results are cached, because every game needs its scenario."""
    return scenario(number)


@cache
def playable() -> tuple[str, ...]:
    """Return the numbers of the scenarios that can be played."""
    return tuple(sorted(scenario_keys(), key=int))


def key_for(number: str, run: int, game: int) -> str:
    """Return the key of a random game, such as ``5-1-17``."""
    return f"{number}-{run}-{game}"


def deal(key: str) -> Deal:
    """Return the settings of the random game with this key.

    Raises:
        ValueError: The key names no scenario that can be played.
    """
    number = key.partition("-")[0]
    if number not in playable():
        raise ValueError(f"{key!r} is no key of a random game; keys are like 5-1-17, scenarios {', '.join(playable())}")
    rng = random.Random(f"deal {key}")
    variant = _variant(key, number)
    setting = played_scenario(f"{number}-{variant}" if variant else number)
    alike = not variant
    return Deal(
        key=key,
        number=number,
        variant=variant,
        players=_players(rng, setting),
        ships=dict(_ships(rng, setting)),
        units=tuple(unit.name for unit in setting.units if unit.optional and rng.random() < 0.4),
        options=dict(_options(rng)),
        grid=rng.choice(["even", "even", "odd"]),
        facings={unit.name: rng.choice("ABCDEF") for unit in setting.units if unit.free_facing and rng.random() < 0.5},
        terrain=some_terrain(rng, setting) if alike and setting.uses("terrain") and rng.random() < STREWN else (),
        monster=rng.choice(sorted(charts.monsters().kinds))
        if alike and setting.monsters and rng.random() < STREWN
        else "",
    )


def _variant(key: str, number: str) -> str:
    """Return the name of a variant of the scenario, or ``""`` (in most games) for none."""
    rng = random.Random(f"variant {key}")
    names = sorted(played_scenario(number).variants)
    return rng.choice(names) if names and rng.random() < VARIED else ""


def _players(rng: random.Random, setting: Scenario) -> dict[str, str]:
    """Return the kind of player for each side: ``robot`` or an email address.

    At least one side writes orders.
    """
    may = [side.name for side in setting.sides if side.robot in ("may", "unless")]
    must = [side.name for side in setting.sides if side.robot == "must"]
    robots = [name for name in may if rng.random() < 0.25]
    if len(robots) + len(must) == len(setting.sides):
        robots = robots[1:]
    return {
        side.name: "robot" if side.name in robots else f"{side.name}@example.org"
        for side in setting.sides
        if side.name not in must
    }


def _ships(rng: random.Random, setting: Scenario) -> Iterator[tuple[str, str]]:
    """Yield ships with a random class that replaces their own, as pairs of ship name and class key.

    Only ships for which the scenario allows a choice may be replaced, and about half of them are.
    """
    for unit in setting.units:
        choices = _classes(unit, "" if rng.random() < MIXED else ship_class(unit.ship).level)
        if choices and rng.random() < 0.5:
            yield unit.name, rng.choice(choices)


def _classes(unit: ScenarioUnit, level: str) -> list[str]:
    """Return the keys of the ship classes that a unit may have.

    These are the classes that the scenario names for the unit, or else all warships (of ``level``, if given).
    Freighters keep their class.
    """
    if unit.immobile or unit.script or unit.choices:
        return list(unit.choices)
    return [key for key in ship_keys() if _fights(ship_class(key)) and level in ("", ship_class(key).level)]


def _fights(kind: ShipClass) -> bool:
    return kind.damage == "dac" and not kind.boxes.get("cargo")


def _options(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield random game options, as pairs of name and value.

    In most games an option keeps its default and is not yielded.
    """
    choices = {
        "period": ("turn", "half", "4"),
        "reveal": ("speeds", "none"),
        "targets": ("secret",),
        "autobreaks": ("none", "none", "ANY LAUNCHES; ANY FIRES HEAVY", "ENEMY SHIP WITHIN 5"),
        "capacitor": ("full",),
        "reinforcement": ("no",),
        "sideslip": ("no",),
        "boundary": ("die",),
        "dac": ("module",),
        "fractional": ("yes",),
    }
    for key, values in choices.items():
        if rng.random() < (0.6 if key == "autobreaks" else 0.25):
            yield key, rng.choice(values)


# --- play ------------------------------------------------------------------------------------------------------------


class RandomSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A segment of play, i.e. play from one request for orders to the next.

    Attributes:
        deal: The settings of the game.
        setting: The scenario.
        before: The state before the segment.
        answers: The orders of each side that had to give orders.
        records: The log records of the segment.
        after: The state after the segment.
    """

    deal: Deal
    setting: Scenario
    before: State
    answers: dict[str, ProgramOrders]
    records: list[Record]
    after: State


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has been set up, before its first orders.

    Attributes:
        deal: The settings of the game.
        setting: The scenario.
        records: The log records of the set-up.
        state: The state after the set-up.
    """

    deal: Deal
    setting: Scenario
    records: list[Record]
    state: State


def opening(dealt: Deal) -> Opening:
    """Set up a random game as ``pbem new`` does, and return it."""
    setting = dealt.setting
    played = set_up(
        setting,
        dealt.key,
        players=dealt.players,
        options=dealt.typed_options,
        choices=UnitChoices(ships=dealt.ships, extra=dealt.units, facings=dealt.facings),
        key=dealt.scenario_key,
        grid=dealt.grid,
    )
    return Opening(deal=dealt, setting=setting, records=played.records, state=played.state)


def answers_for(dealt: Deal, state: State, setting: Scenario) -> dict[str, ProgramOrders]:
    """Return random orders for all sides from which the current request asks for orders.

    The same state always gives the same orders.
    """
    request = state.request
    assert request is not None
    return {
        side: answer(random.Random(f"{dealt.key} {state.segment} {side}"), state, setting, side)
        for side in request.sides
    }


def stretches(begun: Opening, *, turns: int = TURNS) -> Iterator[RandomSegment]:
    """Play a random game, and yield each segment, i.e. play from one request for orders to the next.

    Args:
        begun: The game before its first orders.
        turns: The number of the last turn that is played if the game does not end earlier.

    Raises:
        RuntimeError: One turn has more than :data:`STUCK` requests for orders.
    """
    state = begun.state
    asked: Counter[int] = Counter()
    while state.request is not None and not state.over and state.request.turn <= turns:
        asked[state.request.turn] += 1
        if asked[state.request.turn] > STUCK:
            raise RuntimeError(f"stuck: more than {STUCK} requests in turn {state.request.turn}")
        answers = answers_for(begun.deal, state, begun.setting)
        texts = {side: one.text for side, one in answers.items()}
        records, after = play_segment(begun.setting, Secret(begun.deal.secret), state, texts)
        yield RandomSegment(
            deal=begun.deal,
            setting=begun.setting,
            before=state,
            answers=answers,
            records=records,
            after=after,
        )
        state = after


class Walk:
    """The events of a segment of play with their states, collected once for all invariants.

    ``steps`` has each log record with the state before it. ``end`` is the state after the last event.
    """

    def __init__(self, stretch: RandomSegment) -> None:
        self.stretch, self.before, self.after = stretch, stretch.before, stretch.after
        self.setting = stretch.setting
        self.steps: list[tuple[State, Record]] = []
        state = stretch.before
        for record in stretch.records:
            self.steps.append((state, record))
            state = apply(state, record.event)
        self.end = state

    def events(self) -> Iterator[tuple[State, ev.AnyEvent]]:
        """Yield every event of the segment with the state just before it."""
        return ((state, record.event) for state, record in self.steps)

    @cached_property
    def happened(self) -> list[ev.AnyEvent]:
        """All events of the segment, without the states."""
        return [record.event for _, record in self.steps]

    @cached_property
    def doomed(self) -> set[str]:
        """Names of the units that were destroyed in this segment of play."""
        return {event.unit for event in self.happened if isinstance(event, ev.Destroyed)}

    @cached_property
    def captured(self) -> set[str]:
        """Names of the ships that were captured in this segment of play (D7.0)."""
        return {event.unit for event in self.happened if isinstance(event, ev.Captured)}


def ships_of(state: State) -> list[Ship]:
    """Return all ships of a state, including those not in play."""
    return [unit for unit in state.units.values() if isinstance(unit, Ship)]
