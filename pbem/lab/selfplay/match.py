"""Play one self-play game, i.e. a game between computer players.

A match is many games with the same settings. The match and the number of a game determine everything about the game,
including who plays which side. So any game can be played again separately, on any machine. A commander is a level of
computer player, :data:`RANDOM` or :data:`ROBOT`.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Sequence
from functools import cache

import msgspec

from pbem.ai.search import decide_orders
from pbem.data.doctrines import doctrines, level
from pbem.data.scenarios import Scenario, scenario
from pbem.data.terms import FormKind
from pbem.engine import events as ev
from pbem.engine.dice import Secret, secret_of
from pbem.engine.events import Record, seen_by
from pbem.engine.log import apply, fold_records
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.answers import judged_on
from pbem.games.segments import play_segment
from pbem.games.storage.terms import read_options
from pbem.lab.random_games.play import answer as random_answer
from pbem.reports.view.statistics import volleys
from pbem.rules.direct_fire import volley

RANDOM, ROBOT = "random", "robot"
"""Commanders that are not levels of computer player: random legal orders, and the robot of the rules (scenario #4)."""

NEVER = (90, 99)
"""The turns from which random commanders start to give up, and from which all do. No game lasts that long.

So nobody wins only because the other side leaves.
"""

TURNS = 25


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match: many games with the same scenario and settings, and a commander for each side.

    Attributes:
        scenario: Key of the scenario.
        captains: Commander of each side.
        swap: Whether the two commanders change sides in every second game.
        ships: Ship classes that replace others, by ship or role.
        units: Optional units that take part.
        options: Options of the games, as for ``pbem new``.
        seed: Seed of all dice and random choices.
        turns: Number of turns after which a game is stopped without a result.
    """

    scenario: str
    captains: dict[str, str]
    swap: bool = False
    ships: dict[str, str] = {}
    units: tuple[str, ...] = ()
    options: dict[str, str] = {}
    seed: str = "1"
    turns: int = TURNS


class SelfPlayResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one self-play game.

    Attributes:
        number: Number of the game in its match.
        captains: Commander of each side.
        results: Result of each side, in the scenario's words.
        end: ``ended``, or ``called`` if it was stopped at the turn limit.
        turns: Number of turns played.
        requests: Number of requests answered.
        damage: Damage points scored by each side, by kind of weapon.
        ranges: Damage points scored by direct fire, by true range in hexes.
        scored: Damage points scored by the volleys of each side.
        expected: Expected points of these volleys, in thousandths.
        plans: How often each side chose each doctrine (way to fight).
        refused: How many order lines a commander had to remove before handing in orders, by fault code.
        resigned: Sides that found no legal orders at all.
        illegal: Faults in orders that were handed in.
    """

    number: int
    captains: dict[str, str]
    results: dict[str, str]
    end: str
    turns: int
    requests: int
    damage: dict[str, dict[str, int]] = {}
    ranges: dict[int, int] = {}
    scored: dict[str, int] = {}
    expected: dict[str, int] = {}
    plans: dict[str, dict[str, int]] = {}
    refused: dict[str, int] = {}
    resigned: tuple[str, ...] = ()
    illegal: tuple[str, ...] = ()


@cache
def setting_of(key: str) -> Scenario:
    """Return a shipped scenario; results are cached, because every game needs its scenario."""
    return scenario(key)


def playable_sides(setting: Scenario) -> list[str]:
    """Return the sides of a scenario that a commander may play, in the scenario's order."""
    return [side.name for side in setting.sides if side.robot != "must"]


def verified(match: Match) -> Match:
    """Check a match, and return it with a commander for every side; the default is the level ``captain``.

    Raises:
        GameError: A side or commander is unknown, the rules have no robot for a side, or the sides cannot be swapped.
    """
    setting = scenario(match.scenario)
    may = {side.name: side.robot for side in setting.sides if side.robot != "must"}
    for side, who in match.captains.items():
        if side not in may:
            raise GameError.saying("unknown-side", f"{setting.title} has no side {side!r}; there are {', '.join(may)}")
        verify_captain(who)
        if who == ROBOT and may[side] == "no":
            raise GameError.saying("no-robot", f"the rules have no robot for {side} in {setting.title}")
    captains = {side: match.captains.get(side, "captain") for side in may}
    if match.swap and len(captains) != 2:
        raise GameError.saying("no-swap", f"{setting.title} has {len(captains)} sides; only two can be exchanged")
    if match.swap and ROBOT in captains.values() and "no" in may.values():
        raise GameError.saying("no-swap", f"the rules have a robot for one side of {setting.title} alone")
    return msgspec.structs.replace(match, captains=captains)


def verify_captain(who: str) -> None:
    """Check that ``who`` names a commander: a level of computer player, ``random`` or ``robot``.

    Raises:
        GameError: The name is unknown.
    """
    if level(who) is None and who not in (RANDOM, ROBOT):
        known = ", ".join([*(one.name for one in doctrines().levels), RANDOM, ROBOT])
        raise GameError.saying("no-captain", f"there is no computer player {who!r}; there are {known}")


def mark_of(match: Match) -> str:
    """Return a short hash of a match's settings, by which a file of games identifies its match."""
    return hashlib.sha256(msgspec.json.encode(match, order="deterministic")).hexdigest()[:16]


def seats(match: Match, number: int) -> dict[str, str]:
    """Return the commander of each side in game ``number`` of a match."""
    sides, who = list(match.captains), list(match.captains.values())
    return dict(zip(sides, who[::-1] if match.swap and number % 2 else who, strict=True))


class SelfPlayGame:
    """A self-play game in progress, with all its log records and the state as each side knows it."""

    def __init__(self, match: Match, number: int, begun: Sequence[Record] = ()) -> None:
        """Start a new game, or continue an existing game.

        Args:
            match: The match.
            number: Number of the game in the match.
            begun: Log records of the game to continue, up to a request for orders; empty for a new game.
        """
        self.match, self.number = match, number
        self.setting = setting_of(match.scenario)
        self.captains = seats(match, number)
        # Games 0 and 1 of a match with swapped sides have the same dice, and so on.
        self.key = f"lab {match.seed} {number // 2 if match.swap else number}"
        self.source = Secret(secret_of(self.key))
        self.records: list[Record] = []
        self.views = {side: State() for side in self.captains}
        self._note(begun or self._set_up())
        self.state: State = fold_records(self.records)
        self.plans: dict[str, Counter[str]] = {side: Counter() for side in self.captains}
        self.refused: Counter[str] = Counter()
        self.resigned: list[str] = []
        self.illegal: list[str] = []
        self.requests = 0

    def _set_up(self) -> list[Record]:
        return set_up(
            self.setting,
            "lab",
            players={side: ROBOT if who == ROBOT else side for side, who in self.captains.items()},
            options=read_options(self.match.options),
            choices=UnitChoices(ships=self.match.ships, extra=self.match.units),
            key=self.match.scenario,
        ).records

    def _note(self, records: Sequence[Record]) -> None:
        self.records += records
        for side, view in self.views.items():
            for record in records:
                event = seen_by(record, side)
                if event is not None:
                    view = apply(view, event)
            self.views[side] = view

    @property
    def goes_on(self) -> bool:
        """True if the game is not over and has not reached its turn limit."""
        request = self.state.request
        return request is not None and not self.state.over and request.turn <= self.match.turns

    def step(self) -> None:
        """Ask the commanders for the orders that are due, and play to the next request for orders."""
        assert self.state.request is not None
        texts = {side: self.orders(side) for side in self.state.request.sides}
        records, self.state = play_segment(self.setting, self.source, self.state, texts)
        self._note(records)
        self.requests += 1

    def orders(self, side: str) -> str:
        """Return the orders of a side's commander for the current request, in normal form."""
        request = self.state.request
        assert request is not None
        who = self.captains[side]
        if who == RANDOM:
            rng = random.Random(f"{self.key} {self.state.segment} {side}")
            return random_answer(rng, self.state, self.setting, side, breaks=0.0, weary=NEVER).text
        level_ = level(who)
        assert level_ is not None
        answer, doctrine = decide_orders(self.views[side], self.setting, side, level_, self.key)
        self.refused.update(answer.refused)
        self.illegal += [str(fault) for fault in judged_on(self.state, self.setting, answer.sent, "").faults]
        if not doctrine:
            self.resigned.append(side)
        elif request.form != FormKind.SOP or request.impulse <= 1:
            self.plans[side][doctrine] += 1
        return answer.text

    def tried(self) -> SelfPlayResult:
        """Return the result of the game so far."""
        units = self.state.units
        damage: dict[str, Counter[str]] = {side: Counter() for side in self.captains}
        ranges: Counter[int] = Counter()
        for record in self.records:
            event = record.event
            if isinstance(event, ev.Fired) and event.points and event.unit in units:
                damage.setdefault(units[event.unit].side, Counter())[event.kind] += event.points
                ranges[event.range] += event.points
            elif isinstance(event, ev.Impact) and event.points and event.unit in units:
                damage.setdefault(units[event.unit].side, Counter())["seekers"] += event.points
        scored: Counter[str] = Counter()
        expected: Counter[str] = Counter()
        for one in volleys((record.event for record in self.records), units):
            scored[one.side] += one.points
            expected[one.side] += round(1000 * volley(one.aims).mean)
        return SelfPlayResult(
            number=self.number,
            captains=self.captains,
            results={one.side: one.result for one in self.state.outcome},
            end="ended" if self.state.over else "called",
            turns=min(self.state.turn, self.match.turns),
            requests=self.requests,
            damage={side: dict(sorted(found.items())) for side, found in sorted(damage.items())},
            ranges=dict(sorted(ranges.items())),
            scored=dict(sorted(scored.items())),
            expected=dict(sorted(expected.items())),
            plans={side: dict(sorted(found.items())) for side, found in sorted(self.plans.items())},
            refused=dict(sorted(self.refused.items())),
            resigned=tuple(self.resigned),
            illegal=tuple(self.illegal),
        )


def play(match: Match, number: int) -> SelfPlayResult:
    """Play one game of a match until it ends or reaches the turn limit, and return its result."""
    game = SelfPlayGame(match, number)
    while game.goes_on:
        game.step()
    return game.tried()


def carried(data: bytes, number: int) -> bytes:
    """Play a game like :func:`play`, and return the result as JSON; ``data`` is the match as JSON.

    Worker processes call this function.
    """
    return msgspec.json.encode(play(msgspec.json.decode(data, type=Match), number))
