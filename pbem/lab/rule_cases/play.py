"""Playing a case: the same set-up, check and resolution as a game by mail, with given dice and no files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec

from pbem.ai.scripted import captains
from pbem.data import charts
from pbem.data.scenarios import Chapter, Scenario, ScenarioSide, Victory, scenario
from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.engine.checking.check import Checked, check
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.events import Record
from pbem.engine.fold import apply
from pbem.engine.legal.energy_fields import unpaid
from pbem.engine.options import Options
from pbem.engine.paths import NoPath
from pbem.engine.play.resolve import Filed, asked_sides, opening_form, request_at, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Planet, Ship, Side, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import facts_for
from pbem.errors import Fault, GameError
from pbem.lab.rule_cases.form import SMALL_UNITS, Case, Rebid
from pbem.lab.rule_cases.placing import asteroids, in_order, links, place
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

replace = msgspec.structs.replace

ACCELERATION = {"cadet": 8, "standard": 10}
"""How much faster than last turn a ship may go in a case without a scenario (B3.0, line 14)."""


class Refused(Exception):
    """A side's orders have faults."""

    def __init__(self, side: str, orders: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(f"the orders of {side} are refused")
        self.side, self.orders, self.faults = side, orders, faults


class Trouble(Exception):
    """The case cannot be played as it stands; says why."""


class Played(msgspec.Struct, kw_only=True):
    """How far play came: the log, the state, what the check said of each side's orders, and orders that were refused,
    if any were.
    """

    records: list[Record]
    state: State
    checked: list[Checked]
    refused: Refused | None = None


# --- setting up ------------------------------------------------------------------------------------------------------


def scenario_for(case: Case) -> Scenario:
    """The scenario a case is played in: a shipped one, or one without victory conditions made for it."""
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
    """What a case with a monster is about, whatever its level (scenario #11)."""
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
"""The chapters of the handbook a case of a level is played with; its own ``chapters`` come on top."""


def options_for(case: Case) -> Options:
    """The options of a case: no auto-breaks and no announcing of speeds unless it says so."""
    try:
        return msgspec.convert({"autobreaks": [], "reveal": "none", "period": "turn", **case.options}, Options)
    except msgspec.ValidationError as error:
        raise Trouble(f"options: {error}") from error


def opening(case: Case, setting: Scenario) -> State:
    """The state before the first turn of a case, with the first request for orders."""
    options = options_for(case)
    if case.scenario and not case.unit:
        players = {side: side for turn in case.turn for side in turn.orders} | dict.fromkeys(case.robot, "robot")
        return set_up(setting, "case", players=players, options=options, extra=case.extra, grid=case.grid).state
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
            raise Trouble(f"{unit.name}: {wrong}") from wrong
        state = replace(state, units={**state.units, unit.name: placed})
        if isinstance(placed, Planet):
            state = replace(state, worlds=(*state.worlds, unit.name))
    try:
        state = replace(state, links=links(case.unit, state, case))
    except NoPath as wrong:
        raise Trouble(str(wrong)) from wrong
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


def play(case: Case, dice: ScriptedDice) -> Played:
    """Play a case to its end. Raises :class:`Trouble` where it cannot be played, ``LookupError`` where a die is
    missing.
    """
    setting = scenario_for(case)
    game = _Game(case, setting, opening(case, setting), dice)
    try:
        game.play()
    except Refused as refused:
        return Played(records=game.records, state=game.state, checked=game.checked, refused=refused)
    except GameError as error:
        raise Trouble(str(error)) from error
    return Played(records=game.records, state=game.state, checked=game.checked)


class _Game:
    def __init__(self, case: Case, setting: Scenario, state: State, dice: ScriptedDice) -> None:
        self.case, self.setting, self.state, self.dice = case, setting, state, dice
        self.records: list[Record] = []
        self.checked: list[Checked] = []
        self.strikes = _strikes(case)
        self.speeds = {unit.name: unit.state["speed"] for unit in case.unit if "speed" in unit.state}

    def play(self) -> None:
        turns = self.case.turn or (None,)
        for number, turn in enumerate(turns, start=1):
            until = self.case.stop if number == len(turns) else None
            if self.state.over:
                raise Trouble(f"the scenario is over before turn {self.case.first_turn + number - 1} begins")
            orders = turn.orders if turn else {}
            self._resolve({side: self._whole_turn(side, orders) for side in self._asked()}, until)
            self._breaks(list(turn.rebid) if turn else [], until)

    def _asked(self) -> tuple[str, ...]:
        return self.state.request.sides if self.state.request else ()

    def _whole_turn(self, side: str, orders: Mapping[str, str]) -> str:
        """A side's orders; those of a side the case says nothing of pay for its speed and do nothing."""
        if side in orders:
            return orders[side]
        ships = [ship for ship in self.state.ships() if ship.side == side and ship.obeys]
        # A quoting mark within a name is written twice.
        named = [(ship, ship.name.replace('"', '""')) for ship in ships]
        return "".join(f'SHIP "{name}"\n{self._speed(ship)}' for ship, name in named) or "DO\n"

    def _speed(self, ship: Ship) -> str:
        """The speed a case gives a ship that has no orders, as a line of its form, beside what its power does not pay
        for any more; its own where no energy is allotted, and none where the scenario says how fast it goes.
        """
        if engineering.has_form(self.setting, ship):
            dark = "".join(f"  {entry.item} 0\n" for entry in unpaid(facts_for(self.state, self.setting, ship)))
            return f"ENERGY\n  SPEED {int(self.speeds.get(ship.name, 0))}\n{dark}"
        if engineering.fixed_speed(ship, self.setting) is not None:
            return ""
        return f"SPEED {int(self.speeds.get(ship.name, ship.speed))}\n"

    def _breaks(self, rebids: list[Rebid], until: int | None) -> None:
        """Answer every request of this turn: with the rebid for it, else with CONTINUE."""
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
            raise Trouble(f"no break asked for these rebids: {never}")

    def _stopped(self) -> tuple[int, str]:
        """Impulse and step after which play stopped."""
        event = next(record.event for record in reversed(self.records) if isinstance(record.event, ev.Stopped))
        return event.impulse, event.step

    def _resolve(self, answers: Mapping[str, str], until: int | None) -> None:
        filed = {side: Filed(text=self._accepted(side, text)) for side, text in sorted(answers.items())}
        played = resolve(
            self.state, self.setting, filed, self.dice, robots=captains(self.setting), strikes=self.strikes, until=until
        )
        self.records += played.records
        self.state = played.state

    def _accepted(self, side: str, text: str) -> str:
        """Orders that the reader and the check let through. They stay as written, so that a case may name their lines;
        but orders that share a line get one each, as in the normal form in which a game files them: what is spent goes
        by the line.
        """
        assert self.state.request is not None
        reading = read_orders(text, header=False)
        faults = reading.faults
        if not faults:
            self.checked.append(check(self.state, self.setting, self.state.request, side, reading.orders))
            faults = self.checked[-1].faults
        if faults:
            raise Refused(side, text, tuple(faults))
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
    """The dice a case gives, as a list or by label; unless it is held to its letter, others fall as they may."""
    by_label: dict[str, Any] = {key: value for key, value in case.dice.items() if key != "rolls"}
    others = None if exact else SegmentDice(f"{case.rule}|{case.title}".encode())
    return ScriptedDice(case.dice.get("rolls", ()), by_label, others)
