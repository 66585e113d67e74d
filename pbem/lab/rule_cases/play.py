"""Play rule cases, and compare the results with the expectations of the cases.

A case uses the same set-up, checks and resolution as a game by email, but with given dice and without files. This
module places the units of a case, plays it, and checks its expectations. It also reports each ``[[absent]]`` (an
event that must not happen) that could never happen anyway, such as an event of an unknown unit. Such an expectation
would always be met, so it tests nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

import msgspec
from msgspec.structs import replace

from pbem.ai.robot import commanders
from pbem.data import charts
from pbem.data.scenarios import Chapter, Scenario, ScenarioSide, Victory, scenario
from pbem.data.ships import ship_class
from pbem.data.terms import StepName
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.checking.units import FUTURE_UNIT
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.events import Record
from pbem.engine.legal.energy_fields import unpaid
from pbem.engine.log import apply
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, asked_sides, opening_form, request_at, resolve
from pbem.engine.play.setup import UnitChoices, new_ship, set_up
from pbem.engine.relations import commanded_ships
from pbem.engine.state import AnyUnit, Link, Monster, Planet, Position, Seeker, Ship, Shuttle, Side, State
from pbem.engine.state_paths import NoPath, look_at_game, moment_of, put_drone, put_other, put_ship, read_path
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.launching import drone_level
from pbem.errors import Fault, GameError
from pbem.lab.rule_cases.format import (
    SMALL_UNITS,
    Case,
    CaseUnit,
    Rebid,
    event_table,
    event_types,
    matches,
    read_case,
    unmet,
    unwanted,
)
from pbem.lab.rule_cases.lookups import ask
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.rules import drones, hexes, plasma
from pbem.rules.monsters import information_needed, monster

PlacedUnit = TypeVar("PlacedUnit", Ship, Seeker, Shuttle, Monster, Planet)

ORDER = ("planet", "", "monster", "shuttle", "drone", "plasma")
"""The order in which kinds of unit are placed (``""``: ships). A unit may refer to units placed before it."""


HOLDS = "holds "
"""Prefix of the keys in ``state`` that say what a tractor beam holds.

Such keys are handled separately, because a tractor link belongs to the state of the game, not to the ship.
"""


def links(units: tuple[CaseUnit, ...], state: State, case: Case) -> tuple[Link, ...]:
    """Return the tractor links at the start of a case: ``"holds A" = "Des"`` in a ship's ``state`` (G7.3).

    Raises:
        NoPath: The target is not a unit of the case.
    """
    found = []
    for unit in in_order(units):
        for path, target in unit.state.items():
            if path.startswith(HOLDS):
                if target not in state.units:
                    raise NoPath(f"{path}: {target!r} is none of the units")
                beam = path.removeprefix(HOLDS).upper()
                found.append(Link(ship=unit.name, beam=beam, target=str(target), since=_begin(state, case)))
    return tuple(sorted(found, key=lambda link: (link.ship, link.beam)))


def place(unit: CaseUnit, state: State, case: Case) -> AnyUnit:
    """Return a unit of a case as a unit of the engine, in its state at the start.

    Raises:
        NoPath: The description of the unit is not possible.
    """
    match unit.ship:
        case "drone":
            return _drone(unit, state, case)
        case "plasma":
            return _torpedo(unit, state, case)
        case "shuttle":
            return _shuttle(unit, state, case)
        case "monster":
            return _monster(unit, state, case)
        case "planet":
            return _planet(unit, state)
        case _:
            return _ship(unit, state, case)


def _set(
    placed: PlacedUnit, put_value: Callable[[PlacedUnit, str, Any, int], AnyUnit], unit: CaseUnit, state: State
) -> PlacedUnit:
    """Return a unit with the values of its ``state`` table in the case applied."""
    for path, value in unit.state.items():
        changed = put_value(placed, path, value, state.impulses)
        assert isinstance(changed, type(placed))
        placed = changed
    return placed


def in_order(units: tuple[CaseUnit, ...]) -> list[CaseUnit]:
    """Return the units in the order in which they are placed: by kind, then by name.

    Asteroids are left out.
    """
    found = [unit for unit in units if unit.ship != "asteroids"]
    return sorted(found, key=lambda u: (ORDER.index(u.ship) if u.ship in ORDER else 1, u.name))


def asteroids(units: tuple[CaseUnit, ...]) -> tuple[str, ...]:
    """Return all asteroid hexes of a case (P3.0)."""
    return tuple(sorted({hex for unit in units if unit.ship == "asteroids" for hex in hexes_of(unit)}))


def hexes_of(unit: CaseUnit) -> tuple[str, ...]:
    """Return the hexes that a planet or asteroids fill: those in ``hexes``, or the one in ``at``."""
    return tuple(sorted(unit.hexes)) if unit.hexes else (unit.at[:4],)


def _ship(unit: CaseUnit, state: State, case: Case) -> Ship:
    ship = new_ship(
        ship_class(unit.ship),
        name=unit.name,
        side=unit.side,
        hex=unit.at[:4],
        facing=unit.at[4],
        prior_speed=unit.prior_speed,
        full_capacitor=state.options.capacitor == "full",
    )
    ship = altered(
        ship,
        robot=unit.side in case.robot and not unit.immobile,
        immobile=unit.immobile,
        untouchable=unit.untouchable,
        spared_by=_spared_by(unit.name, case),
        track=_track(unit, _begin(state, case)),
    )
    values = {path: value for path, value in unit.state.items() if path != "speed" and not path.startswith(HOLDS)}
    return _set(ship, put_ship, replace(unit, state=values), state)


def _spared_by(name: str, case: Case) -> tuple[str, ...]:
    """Return the names of sides that the case's scenario forbids to fire at this ship (scenario #8)."""
    units = scenario(case.scenario).units if case.scenario else ()
    return next((unit.spared_by for unit in units if unit.name == name), ())


def _begin(state: State, case: Case) -> int:
    """Return the last impulse before the case begins, counted in impulses from the start of the game."""
    return (case.first_turn - 1) * state.impulses


def _launched(unit: CaseUnit, state: State, case: Case) -> int:
    return moment_of(unit.launched, state.impulses) if unit.launched else _begin(state, case)


def _track(unit: CaseUnit, moment: int) -> tuple[Position, ...]:
    return (Position(moment, unit.at[:4], unit.at[4:] or "A"),)


def _stands(unit: CaseUnit, moment: int) -> dict[str, Any]:
    """Return the fields that every unit on the map has: name, side, position and track.

    ``moment`` is the impulse of the position, counted from the start of the game.
    """
    return {
        "name": unit.name, "side": unit.side, "hex": unit.at[:4], "facing": unit.at[4], "track": _track(unit, moment),
    }  # fmt: skip


def _flies(unit: CaseUnit, state: State, case: Case, race: str) -> dict[str, Any]:
    """Return the fields that all launched units have; ``race`` is used if the unit has no launcher.

    The unit is assumed to have come from the hex behind it.
    """
    launcher, launched = state.units.get(unit.launcher), _launched(unit, state, case)
    behind = hexes.neighbour(unit.at[:4], hexes.turn_facing(unit.at[4], 3), state.grid)
    return _stands(unit, launched) | {
        "race": launcher.race if launcher else race, "launcher": unit.launcher, "launched": launched,
        "target": unit.target, "came_from": behind, "straight": 1,
    }  # fmt: skip


def _verify_target(unit: CaseUnit, state: State, case: Case) -> None:
    """Check that the target of a unit is a unit of the case (F2.5).

    The target may be placed later than the unit that flies at it.

    Raises:
        NoPath: The target is not a unit of the case.
    """
    if unit.target not in state.units and unit.target not in {other.name for other in case.unit}:
        raise NoPath(f"its target {unit.target!r} is none of the units")


def _drone(unit: CaseUnit, state: State, case: Case) -> Seeker:
    _verify_target(unit, state, case)
    launcher = state.units.get(unit.launcher)
    level = drone_level(state, launcher) if isinstance(launcher, Ship) else state.level
    drone = Seeker(
        **_flies(unit, state, case, "klingon"),
        speed=drones.drone_speed(state.impulses),
        weapon="drone",
        endurance=drones.endurance(_launched(unit, state, case), state.impulses, level),
        toughness=drones.toughness(level),
        warhead=drones.warhead(level),
    )
    return _set(drone, put_drone, unit, state)


def _torpedo(unit: CaseUnit, state: State, case: Case) -> Seeker:
    """Return a plasma torpedo in flight.

    Its ``damage`` is the number of points that phasers scored on it; these reduce its warhead (FP1.5, FP1.6).
    """
    _verify_target(unit, state, case)
    launcher = state.units.get(unit.launcher)
    torpedo = Seeker(
        **_flies(unit, state, case, "romulan"),
        speed=plasma.plasma_speed(state.impulses),
        weapon="plasma",
        torpedo=_type_of_torpedo(unit, launcher),
        endurance=0,
        launched_in=launcher.hex if launcher and launcher.hex == unit.at[:4] else "",
    )
    torpedo = _set(torpedo, put_drone, unit, state)
    if "warhead" in unit.state:
        return torpedo
    return replace(torpedo, warhead=plasma.warhead(torpedo.torpedo, torpedo.travelled, torpedo.damage))


def _type_of_torpedo(unit: CaseUnit, launcher: AnyUnit | None) -> str:
    """Return the kind of tube that launched a plasma torpedo (``plasmaS``).

    The type is the type in the case, else the type of the launcher's first tube, else type S (FP1.11).
    """
    tubes = [kind for kind, family in charts.weapon_kinds().items() if family.family == "plasma"]
    if unit.torpedo:
        wanted = unit.torpedo.casefold().removeprefix("plasma").strip(" -")
        found = next((tube for tube in tubes if tube.casefold() == f"plasma{wanted}"), "")
        if not found:
            raise NoPath(f"torpedo {unit.torpedo!r} is no type; there are {', '.join(sorted(tubes))}")
        return found
    carried = [box.kind for box in launcher.weapons.values()] if isinstance(launcher, Ship) else []
    return next((kind for kind in carried if kind in tubes), "plasmaS")


def _shuttle(unit: CaseUnit, state: State, case: Case) -> Shuttle:
    """Return a shuttle in flight or on a planet (``landed``); with a ``target`` it is a suicide shuttle."""
    if unit.target:
        _verify_target(unit, state, case)
    if unit.launcher and unit.launcher not in state.units:
        raise NoPath(f"its launcher {unit.launcher!r} is none of the units")
    shuttle = Shuttle(
        **_flies(unit, state, case, "federation"),
        speed=unit.prior_speed,
        prior_speed=unit.prior_speed,
        letter=unit.letter,
    )
    shuttle = _set(shuttle, put_other, unit, state)
    if shuttle.landed and not isinstance(state.units.get(shuttle.landed), Planet):
        raise NoPath(f"it has landed on {shuttle.landed!r}, which is no planet of the case")
    return shuttle


def _monster(unit: CaseUnit, state: State, case: Case) -> Monster:
    """Return a monster of the chart; ``target`` is the planet it attacks (scenario #11)."""
    try:
        kind = monster(unit.monster)
    except ValueError as unknown:
        raise NoPath(str(unknown)) from unknown
    if unit.target and not isinstance(state.units.get(unit.target), Planet):
        raise NoPath(f"its target {unit.target!r} is no planet of the case")
    placed = Monster(
        **_stands(unit, _begin(state, case)),
        race="civilian",
        speed=kind.speed,
        monster=unit.monster,
        goal=unit.target,
        straight=kind.turn_mode,
        needed=information_needed(),
    )
    return _set(placed, put_other, unit, state)


def _planet(unit: CaseUnit, state: State) -> Planet:
    covered = hexes_of(unit)
    first = unit.at[:4] or covered[0]
    placed = Planet(
        name=unit.name,
        side="",
        race="",
        hex=first,
        facing="A",
        hexes=covered,
        track=(Position(0, first, "A"),),
        crew=unit.crew,
    )
    return _set(placed, put_other, unit, state)


ACCELERATION = {"cadet": 8, "standard": 10}
"""Maximum increase of a ship's speed per turn in a case without a scenario (B3.0, line 14)."""


class CaseOrdersRefused(Exception):
    """Raised if the orders of a side in a rule case have faults."""

    def __init__(self, side: str, orders: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(f"the orders of {side} are refused")
        self.side, self.orders, self.faults = side, orders, faults


class UnplayableCase(Exception):
    """Raised if a rule case cannot be played as it is written. The message says why."""


class CasePlay(msgspec.Struct, kw_only=True):
    """The outcome of playing a rule case.

    Attributes:
        records: The log records.
        state: The state at the end.
        checked: The result of each check of orders.
        refused: The orders that were refused and ended the case; ``None`` if no orders were refused.
    """

    records: list[Record]
    state: State
    checked: list[CheckResult]
    refused: CaseOrdersRefused | None = None


# --- setting up ------------------------------------------------------------------------------------------------------


def scenario_for(case: Case) -> Scenario:
    """Return the scenario of a case: a shipped one, or one made for the case, without victory conditions."""
    if case.scenario:
        found = scenario(case.scenario)
        chapters = tuple(dict.fromkeys((*found.chapters, *case.chapters)))
        return replace(found, damage=case.damage or found.damage, chapters=chapters)
    sides: dict[str, ScenarioSide] = {}
    for unit in sorted(case.unit, key=lambda unit: (unit.ship in SMALL_UNITS, unit.name)):
        if unit.side:
            race = "civilian" if unit.ship in SMALL_UNITS else ship_class(unit.ship).race
            sides.setdefault(unit.side, ScenarioSide(name=unit.side, team=unit.side, race=race))
    return Scenario(
        number="case",
        title=case.title,
        level=case.level,
        impulses=case.impulses,
        map=case.map,
        source=case.source,
        confidence="designed",
        victory=Victory(kind="none"),
        damage=case.damage or ("standard dac" if case.level == "standard" else "cadet dac"),
        chapters=tuple(dict.fromkeys((*CHAPTERS[case.level], *_chapters_of_units(case), *case.chapters))),
        acceleration=ACCELERATION[case.level],
        max_speed=charts.turn_length(case.impulses).ship,
        robot_speed=12,
        robot_fire_range=4,
        disengagement=True,
        sides=tuple(side for _, side in sorted(sides.items())),
        units=(),
    )


def _chapters_of_units(case: Case) -> tuple[Chapter, ...]:
    """Return the chapters of the handbook that a case with a monster needs at any level (scenario #11)."""
    return ("monster", "labs", "probes") if any(unit.ship == "monster" for unit in case.unit) else ()


CHAPTERS: dict[str, tuple[Chapter, ...]] = {
    "cadet": (
        "energy", "seeking", "sideslip", "reinforcement", "reserve", "damage control", "cadet cloak", "shuttles",
        "terrain",
    ),
    "standard": (
        "energy", "seeking", "sideslip", "reinforcement", "reserve", "damage control", "lock-on", "tac", "cloak",
        "tractors", "transporters", "boarding", "shuttles", "terrain", "mutiny", "labs", "probes",
    ),
}  # fmt: skip
"""Chapters of the handbook used in a case of each level; the case's own ``chapters`` are added."""


def options_for(case: Case) -> Options:
    """Return the game options of a case. By default there are no auto-breaks and no announced speeds.

    Raises:
        UnplayableCase: An option is not valid.
    """
    try:
        return msgspec.convert({"autobreaks": [], "reveal": "none", "period": "turn", **case.options}, Options)
    except msgspec.ValidationError as error:
        raise UnplayableCase(f"options: {error}") from error


def opening(case: Case, setting: Scenario) -> State:
    """Return the state before the first turn of a case, with the first request for orders.

    Raises:
        UnplayableCase: A unit cannot be placed, or an option is not valid.
    """
    options = options_for(case)
    if case.scenario and not case.unit:
        players = {side: side for turn in case.turn for side in turn.orders} | dict.fromkeys(case.robot, "robot")
        return set_up(
            setting, "case", players=players, options=options, choices=UnitChoices(extra=case.extra), grid=case.grid
        ).state
    names = sorted({side.name for side in setting.sides} | {unit.side for unit in case.unit if unit.side})
    teams = {side.name: side.team for side in setting.sides}
    sides = tuple(Side(name=name, team=teams.get(name, name), robot=name in case.robot) for name in names)
    before = case.first_turn - 1
    state = apply(
        State(),
        ev.GameStarted(
            turn=before,
            game="case",
            scenario=setting.number,
            level=setting.level,
            impulses=setting.impulses,
            map=setting.map if case.scenario else case.map,
            grid=case.grid,
            options=options,
            sides=sides,
            asteroids=asteroids(case.unit),
        ),
    )
    for unit in in_order(case.unit):
        try:
            placed = place(unit, state, case)
        except NoPath as wrong:
            raise UnplayableCase(f"{unit.name}: {wrong}") from wrong
        state = replace(state, units={**state.units, unit.name: placed})
        if isinstance(placed, Planet):
            state = replace(state, worlds=(*state.worlds, unit.name))
    try:
        state = replace(state, links=links(case.unit, state, case))
    except NoPath as wrong:
        raise UnplayableCase(str(wrong)) from wrong
    serials: dict[str, int] = {}
    for name in state.units:
        designation, _, serial = name.partition("/")
        if serial.isdecimal() and len(serial) < 10:
            serials[designation] = max(serials.get(designation, 0), int(serial))
    state = replace(state, serials=serials)
    form = opening_form(state, setting)
    request = request_at(state, case.first_turn, 0, "the case begins", form, asked_sides(state))
    return replace(state, request=request, last_request=request)


# --- playing ---------------------------------------------------------------------------------------------------------


def play(case: Case, dice: ScriptedDice) -> CasePlay:
    """Play a case to its end, or until orders are refused.

    Raises:
        UnplayableCase: The case cannot be played as it is written.
        LookupError: The case does not give a die that is needed.
    """
    setting = scenario_for(case)
    game = _Game(case, setting, opening(case, setting), dice)
    try:
        game.play()
    except CaseOrdersRefused as refused:
        return CasePlay(records=game.records, state=game.state, checked=game.checked, refused=refused)
    except GameError as error:
        raise UnplayableCase(str(error)) from error
    return CasePlay(records=game.records, state=game.state, checked=game.checked)


class _Game:
    def __init__(self, case: Case, setting: Scenario, state: State, dice: ScriptedDice) -> None:
        self.case, self.setting, self.state, self.dice = case, setting, state, dice
        self.records: list[Record] = []
        self.checked: list[CheckResult] = []
        self.strikes = _strikes(case)
        self.speeds = {unit.name: unit.state["speed"] for unit in case.unit if "speed" in unit.state}

    def play(self) -> None:
        turns = self.case.turn or (None,)
        for number, turn in enumerate(turns, start=1):
            until = self.case.stop if number == len(turns) else None
            if self.state.over:
                raise UnplayableCase(f"the scenario is over before turn {self.case.first_turn + number - 1} begins")
            orders = turn.orders if turn else {}
            self._resolve({side: self._whole_turn(side, orders) for side in self._asked()}, until)
            self._breaks(list(turn.rebid) if turn else [], until)

    def _asked(self) -> tuple[str, ...]:
        return self.state.request.sides if self.state.request else ()

    def _whole_turn(self, side: str, orders: Mapping[str, str]) -> str:
        """Return a side's orders for a turn. A side without orders pays for its speed and does nothing else."""
        if side in orders:
            return orders[side]
        ships = commanded_ships(self.state, side)
        # A quotation mark within a name is written twice.
        named = [(ship, ship.name.replace('"', '""')) for ship in ships]
        return "".join(f'SHIP "{name}"\n{self._speed(ship)}' for ship, name in named) or "DO\n"

    def _speed(self, ship: Ship) -> str:
        """Return order lines for a ship without orders: its speed, and 0 for all items it cannot pay for.

        A ship without an energy form keeps its speed. No line is needed if the scenario sets the speed.
        """
        if engineering.has_form(self.setting, ship):
            dark = "".join(f"  {entry.item} 0\n" for entry in unpaid(facts_for(self.state, self.setting, ship)))
            return f"ENERGY\n  SPEED {int(self.speeds.get(ship.name, 0))}\n{dark}"
        if engineering.fixed_speed(ship, self.setting) is not None:
            return ""
        return f"SPEED {int(self.speeds.get(ship.name, ship.speed))}\n"

    def _breaks(self, rebids: list[Rebid], until: int | None) -> None:
        """Answer every request for orders after a break during this turn, and play on.

        The answer is the ``[[turn.rebid]]`` that fits the break, or else CONTINUE.
        """
        turn = self.state.turn
        while (request := self.state.request) is not None and request.turn == turn and not self.state.over:
            impulse, step = self._stopped()
            answers = {}
            for side in request.sides:
                fitting = [r for r in rebids if r.side == side and str(r.at) in (str(impulse), f"{impulse}.{step}")]
                answers[side] = fitting[0].orders if fitting else "CONTINUE"
                rebids = [rebid for rebid in rebids if rebid not in fitting[:1]]
            self._resolve(answers, until)
        if rebids:
            never = ", ".join(f"{rebid.side} at {rebid.at}" for rebid in rebids)
            raise UnplayableCase(f"no break asked for these rebids: {never}")

    def _stopped(self) -> tuple[int, str]:
        """Return the impulse and the step after which play was stopped to ask for new orders."""
        event = next(record.event for record in reversed(self.records) if isinstance(record.event, ev.Stopped))
        return event.impulse, event.step

    def _resolve(self, answers: Mapping[str, str], until: int | None) -> None:
        filed = {side: Filed(text=self._accepted(side, text)) for side, text in sorted(answers.items())}
        played = resolve(
            self.state,
            self.setting,
            filed,
            self.dice,
            robots=commanders(self.setting),
            strikes=self.strikes,
            until=until,
        )
        self.records += played.records
        self.state = played.state

    def _accepted(self, side: str, text: str) -> str:
        """Check the orders of a side, and return their text.

        The text stays as it is written, so that a case may refer to its lines. Only orders that share a line are split
        into one line each, because the log records spending by line.

        Raises:
            CaseOrdersRefused: The orders have faults.
        """
        assert self.state.request is not None
        reading = read_orders(text, header=False)
        faults = reading.faults
        if not faults:
            self.checked.append(check(self.state, self.setting, self.state.request, side, reading.orders))
            faults = self.checked[-1].faults
        if faults:
            raise CaseOrdersRefused(side, text, tuple(faults))
        plots = [block.plot for block in reading.orders.units if block.plot]
        lines = [order.line for block in reading.orders.units for order in block.do]
        lines += [line.line for plot in plots for line in (*plot.reactions, *plot.tacs)]
        return text if len(set(lines)) == len(lines) else write_orders(reading.orders)


def _strikes(case: Case) -> dict[tuple[int, int], list[tuple[str, int | str, int]]]:
    found: dict[tuple[int, int], list[tuple[str, int | str, int]]] = defaultdict(list)
    for strike in case.strike:
        moment = (strike.turn or case.first_turn, strike.impulse)
        found[moment].append((strike.unit, strike.direction or strike.shield, strike.points))
    return dict(found)


def dice_for(case: Case, exact: bool) -> ScriptedDice:
    """Return the dice for a case: the dice that the case gives as a list or by label.

    Without ``exact``, dice that the case does not give are random, but the same in every run.
    """
    by_label: dict[str, Any] = {key: value for key, value in case.dice.items() if key != "rolls"}
    others = None if exact else SegmentDice(f"{case.rule}|{case.title}".encode())
    return ScriptedDice(case.dice.get("rolls", ()), by_label, others)


_MOMENT: Final = ("turn", "impulse", "step")
_KINDS: Final[dict[type, str]] = {bool: "true or false", int: "a whole number", str: "a text"}
_UNITS: Final = ("unit", "target")
_SIDES: Final = ("side", "only")


def vain(case: Case, state: State) -> Iterator[str]:
    """Yield a sentence for each ``[[absent]]`` of a case that could never happen and thus tests nothing.

    An ``[[absent]]`` describes an event that must not happen. ``state`` is the state after play.
    """
    for number, pattern in enumerate(case.absent, start=1):
        for why in (*_moment(case, pattern), *_names(state, pattern), *_kinds(pattern)):
            yield f"absent {number} would always pass: {why}"


def _moment(case: Case, pattern: Mapping[str, Any]) -> Iterator[str]:
    step, turn, impulse = pattern.get("step"), pattern.get("turn"), pattern.get("impulse")
    if step is not None and step not in list(StepName):
        yield f"there is no step {step!r}; there are {', '.join(filter(None, StepName))}"
    words = [field for field in ("turn", "impulse") if isinstance(pattern.get(field, 0), str)]
    if words:
        yield f"{' and '.join(words)}: a whole number, without quotes"
        return
    if turn is not None and turn not in case.turns:
        yield f"turn {turn} is not played"
    elif impulse is not None and not any(case.reaches(n, impulse) for n in case.turns if turn in (None, n)):
        yield f"play does not come to impulse {impulse}"


def _kinds(pattern: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each value of an expected event that its field can never have.

    Such a value is an unknown word, or has the wrong type.
    """
    kind = event_types().get(str(pattern.get("event")))
    hints = get_type_hints(kind) if kind is not None else {}
    for field, value in pattern.items():
        wanted = hints.get(field)
        if field in _MOMENT or not isinstance(wanted, type):
            continue
        if issubclass(wanted, StrEnum):
            if value not in list(wanted):
                yield f"{field} is never {value!r}; it is {' or '.join(filter(None, wanted))}"
        elif wanted in _KINDS and type(value) is not wanted:
            yield f"{field} is never {value!r}; it is {_KINDS[wanted]}"


def _names(state: State, pattern: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each name in an expected event that does not exist.

    Names of drones and shuttles that were never launched are allowed.
    """
    for field in _UNITS:
        name = pattern.get(field, "")
        if isinstance(name, str) and name and name not in state.units and not FUTURE_UNIT.fullmatch(name):
            yield f"there is no unit {name!r}; there are {', '.join(sorted(state.units))}"
    for field in _SIDES:
        side = pattern.get(field, "")
        if isinstance(side, str) and side and side not in state.sides:
            yield f"there is no side {side!r}; there are {', '.join(sorted(state.sides))}"
    shield = pattern.get("shield")
    if isinstance(shield, int) and not 0 <= shield <= 6:
        yield f"there is no shield {shield}"
    unit = state.units.get(str(pattern.get("unit")))
    weapon = pattern.get("weapon")
    if pattern.get("event") == "fired" and isinstance(unit, Ship) and weapon:
        named = ship_class(unit.ship).named
        if weapon not in named:
            yield f"{unit.name} has no {weapon}; it has {', '.join(named)}"


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a rule case: its name, whether it passed, and the differences, one line each.

    ``name`` is rule and title, or the file name if the file cannot be read.
    """

    name: str
    passed: bool
    differences: tuple[str, ...] = ()


def run_files(
    paths: Sequence[Path], *, exact: bool = False, progress: Callable[[int, int], object] | None = None
) -> list[CaseResult]:
    """Run case files, and return their results; for a folder, run all ``.toml`` files below it.

    ``exact`` has the same meaning as in :func:`run_file`. ``progress`` is called with the number of files run and
    their total number.
    """
    files = [file for path in paths for file in (sorted(path.rglob("*.toml")) if path.is_dir() else [path])]
    found: list[CaseResult] = []
    for number, file in enumerate(files, start=1):
        found += run_file(file, exact=exact)
        if progress is not None:
            progress(number, len(files))
    return found


def run_file(
    path: Path, *, mirrored: bool = False, exact: bool = False, witness: Callable[[CasePlay], object] | None = None
) -> list[CaseResult]:
    """Run one case file and return its result.

    Args:
        path: The file.
        mirrored: Whether units and sides are given in reverse order, which must change nothing.
        exact: Whether the case must give every die that is rolled and expect every fault, and must not contain an
            ``[[absent]]`` that could never happen. If false, missing dice are random, other faults are allowed, and
            such an ``[[absent]]`` is only reported.
        witness: A function that is called with the result of play (:class:`CasePlay`), if the case was played.
    """
    try:
        case = read_case(path)
    except GameError as error:
        return [CaseResult(name=path.name, passed=False, differences=tuple(str(fault) for fault in error.faults))]
    name = f"{case.rule}: {case.title}"
    if mirrored:
        turns = tuple(msgspec.structs.replace(t, orders=dict(reversed(t.orders.items()))) for t in case.turn)
        case = msgspec.structs.replace(case, unit=case.unit[::-1], turn=turns, strike=case.strike[::-1])
    remarks: list[str] = []
    differences = [*_played(case, exact, witness, remarks), *_asked(case)]
    passed = not differences and not (exact and remarks)
    return [CaseResult(name=name, passed=passed, differences=(*differences, *remarks))]


def _played(case: Any, exact: bool, witness: Callable[[CasePlay], object] | None, remarks: list[str]) -> list[str]:
    if not case.played:
        return []
    dice = dice_for(case, exact)
    try:
        played = play(case, dice)
    except LookupError as missing:
        return [f"dice: {missing.args[0] if missing.args else missing}", *_dice_asked(dice)]
    except (UnplayableCase, GameError, ValueError) as trouble:
        return [f"cannot be played: {trouble}"]
    if witness is not None:
        witness(played)
    differences = _rejected(case, played.refused, exact) if case.reject else []
    if played.refused is not None and not case.reject:
        refused = played.refused
        return [f"the orders of {refused.side} are refused:", *(f"    {fault}" for fault in refused.faults)]
    happened = [event_table(record) for record in played.records]
    differences += unmet(case.expect, happened) + unwanted(case.absent, happened) + _final(case, played.state)
    remarks += vain(case, played.state)
    return differences + _unrolled(case, dice)


# --- dice ------------------------------------------------------------------------------------------------------------


def _unrolled(case: Any, dice: Any) -> list[str]:
    differences = [f"dice: nobody asked for {label!r}" for label in case.dice if label not in ("rolls", *dice.used)]
    if dice.left_over:
        differences.append(f"dice: {dice.left_over} of the rolls were not asked for")
    return [*differences, *_dice_asked(dice)] if differences else []


def _dice_asked(dice: Any) -> list[str]:
    return [f"    asked for: {label!r}, got {die}" for label, die in dice.asked] or ["    no die was asked for"]


# --- refusals --------------------------------------------------------------------------------------------------------


def _rejected(case: Any, refused: Any, exact: bool) -> list[str]:
    if refused is None:
        return ["the orders were accepted, and should have been refused"]
    left = list(refused.faults)
    differences = []
    for wanted in case.reject:
        if wanted.side and wanted.side != refused.side:
            differences.append(f"refused were the orders of {refused.side}, not of {wanted.side}")
        fitting = [fault for fault in left if _is(wanted, fault)]
        if fitting:
            left.remove(fitting[0])
        else:
            differences.append(f"expected a fault: line {wanted.line} {wanted.code} {wanted.rule}".rstrip())
    if exact or differences:
        differences += [f"unexpected fault: {_fault_line(fault)}" for fault in left]
    return differences


def _is(wanted: Any, fault: Fault) -> bool:
    return (
        wanted.line in (0, fault.line)
        and wanted.code in ("", fault.code)
        and fault.rule.startswith(wanted.rule)
        and wanted.column in (0, fault.column)
        and wanted.says.casefold() in fault.text.casefold()
    )


def _fault_line(fault: Fault) -> str:
    return f"line {fault.line} column {fault.column} {fault.code}: {fault.text} ({fault.rule or 'no rule'})"


# --- the state at the end, look-ups ----------------------------------------------------------------------------------


def _final(case: Any, state: Any) -> list[str]:
    differences = []
    for name, paths in case.final.items():
        unit = state.units.get(name)
        if unit is None and name != "game":
            differences.append(f"final.{name}: there is no such unit; there are {', '.join(sorted(state.units))}")
            continue
        for path, wanted in paths.items():
            try:
                got = look_at_game(state, path) if unit is None else read_path(state, unit, path, wanted)
            except NoPath as error:
                differences.append(f"final.{name}: {error}")
                continue
            if not matches(wanted, got):
                differences.append(f"final.{name}: {path} is {got!r}, expected {wanted!r}")
    return differences


def _asked(case: Any) -> Iterable[str]:
    for number, look_up in enumerate(case.ask, start=1):
        given = {key: value for key, value in look_up.items() if key not in ("function", "answer", "error")}
        place = f"ask {number}: {look_up['function']}({', '.join(f'{k}={v!r}' for k, v in given.items())})"
        try:
            got = _plain(ask(look_up["function"], **given))
        except KeyError as error:
            yield f"{place}: {error.args[0]!r} is not known here"
            continue
        except (ValueError, IndexError, TypeError, AttributeError, GameError) as error:
            yield f"{place}: {error}"
            continue
        if not _says(got, look_up["answer"]):
            yield f"{place} is {got!r}, expected {look_up['answer']!r}"


def _says(got: Any, wanted: Any) -> bool:
    """Return whether an answer is the expected one, in any notation that a case may use.

    An answer with named parts may be written as a list, in their order. Turn and impulse may be written as ``"4.4"``.
    """
    if isinstance(got, dict) and isinstance(wanted, list):
        got = list(got.values())
    if isinstance(got, list) and isinstance(wanted, str) and len(got) == 2:
        got = ".".join(map(str, got))
    return bool(got == wanted) and isinstance(got, bool) is isinstance(wanted, bool)


def _plain(value: Any) -> Any:
    """Return an answer of a look-up as a case would write it.

    ``None`` becomes an empty text, because TOML has no ``None``.
    """
    return "" if value is None else value
