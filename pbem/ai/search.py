"""Decide the orders of a computer player: compare its doctrines with the enemy's, then choose one.

A doctrine is a way to fight. It is tried in look-aheads on the real engine: a look-ahead plays a few turns in memory.
The computer player uses what its side sees and guesses the rest (:mod:`pbem.ai.evaluation`). It chooses at random among
the best doctrines. Its random numbers come from its own seed, never from the dice of the game, so nobody can foresee
the choice. The same knowledge, level and seed give the same orders on every machine. Look-aheads that begin alike share
the segments of play (from one request for orders to the next) that they have in common (:class:`SearchMemory`).
"""

from __future__ import annotations

import hashlib
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from pbem.ai.evaluation import AIMS, position_worth, with_guessed_secrets
from pbem.ai.order_writer import gaps_for, lines_for, quarry
from pbem.ai.robot import commanders
from pbem.data.doctrines import Doctrine, SkillLevel, doctrines
from pbem.data.scenarios import Scenario
from pbem.engine.dice import Dice, SegmentDice
from pbem.engine.legal.trial import OrdersRefused, ProgramOrders, SectionLine, as_order_file, without_refused_lines
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.relations import allied, commanded_ships, takes_orders
from pbem.engine.state import State
from pbem.errors import GameError, NotAllowed
from pbem.orders.header import answer_to, header_line

ALL = -1
"""Key of a segment of play in which no die was rolled; such a segment is the same in every look-ahead."""


class SpreadDice:
    """The dice for one of several look-aheads (plays of a few turns in memory) of a computer player.

    The dice are spread evenly, so that a few look-aheads give a reliable average: where one look-ahead rolls high, its
    partner rolls low. Within a single look-ahead the dice are as fair as the dice from which they are made. ``rolled``
    counts the dice that were rolled.
    """

    def __init__(self, dice: Dice, number: int, count: int) -> None:
        self.dice, self.pair, self.opposite, self.pairs = dice, number // 2, number % 2, (count + 1) // 2
        self.look, self.rolled = number, 0

    def roll(self, label: str, sides: int = 6) -> int:
        """Return a die from 1 to ``sides``; ``label`` names the purpose of the roll and makes it reproducible."""
        self.rolled += 1
        face = (self.dice.roll(label, sides) - 1 + self.pair * sides // self.pairs) % sides
        return sides - face if self.opposite else face + 1


class SearchMemory:
    """A cache of played segments and written orders for one decision, so that nothing is computed twice.

    A segment leads from one request for orders to the next. The cache key of a segment consists of its first state, the
    orders and the dice; the cache key of orders consists of state, side and doctrine (way to fight). Plans that differ
    only in when to fire pay for the same energy, so their play is equal until somebody fires. States are compared by
    identity (``id``), so the memory keeps a reference to every state.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._segments: dict[tuple[int, tuple[tuple[str, str], ...], int], State] = {}
        self._texts: dict[tuple[int, str, str], str] = {}
        self._turns: dict[bytes, State] = {}
        self._kept: dict[int, State] = {}
        self._encoder = msgspec.msgpack.Encoder(order="deterministic")

    def __len__(self) -> int:
        """Return the number of segments of play that are stored."""
        return len(self._segments)

    def text(self, state: State, side: str, doctrine: str, write: Callable[[], str]) -> str:
        """Return the orders of a side that follows a doctrine in this state, from the cache if possible.

        ``write`` writes the orders; it is called only if they are not stored yet.
        """
        key = self._name(state), side, doctrine
        if key not in self._texts:
            self._texts[key] = write()
        return self._texts[key]

    def played(self, state: State, texts: Mapping[str, str], dice: SpreadDice) -> State:
        """Return the state at the next request for orders, after the sides gave the orders in ``texts``.

        Raises:
            GameError, NotAllowed: In the same cases as for :func:`resolve`.
        """
        answers, begins = tuple(sorted(texts.items())), self._name(state)
        for look in (dice.look, ALL):
            known = self._segments.get((begins, answers, look))
            if known is not None:
                return known
        before = dice.rolled
        filed = {side: Filed(text=text) for side, text in answers}
        after = self._same(resolve(state, self.scenario, filed, dice, robots=commanders(self.scenario)).state)
        self._segments[begins, answers, dice.look if dice.rolled > before else ALL] = after
        return after

    def _name(self, state: State) -> int:
        """Return a key for a state. The state is kept alive, so that no other state can get this key."""
        return id(self._kept.setdefault(id(state), state))

    def _same(self, state: State) -> State:
        """Return an equivalent state that is already stored, or else this state.

        At the start of a turn, states may differ in the old orders of sides that must now give new ones. That
        difference is ignored.
        """
        request = state.request
        if request is None or request.impulse:
            return state
        standing = {side: its for side, its in state.standing.items() if not request.asks(side)}
        mark = self._encoder.encode(replace(state, standing=standing, records=0))
        return self._turns.setdefault(mark, state)


ROUNDS = 400
"""Number of rounds of regret matching (:func:`equilibrium`); the result then hardly changes any more."""

LEAST = 0.08
"""Plans with a smaller probability than this are never drawn."""

REQUESTS = 12
"""Maximum number of requests for orders in one look-ahead, in case a break condition becomes true again and again."""

MORE = 2
"""Number of additional enemy doctrines to consider where the scenario is about more than fighting."""

CONCEDE = "CONCEDE"


class Decision(NamedTuple):
    """The decision of a computer player: its orders, and the name of the doctrine that they follow.

    The name is empty if no doctrine gave legal orders.
    """

    answer: ProgramOrders
    doctrine: str


def decide_orders(state: State, scenario: Scenario, side: str, level: SkillLevel, seed: str) -> Decision:
    """Return the orders of a computer player for the current request, and the doctrine it chose.

    ``state`` is the game as the side itself sees it. The orders are legal as far as the side can know.
    """
    mind = Decider(state, scenario, side, level, seed)
    return Decision(mind.answer(), mind.drawn)


class Decider:
    """Makes one decision of a computer player: tries doctrines (ways to fight) and chooses a good one."""

    def __init__(self, state: State, scenario: Scenario, side: str, level: SkillLevel, seed: str) -> None:
        assert state.request is not None
        self.state, self.scenario, self.side = state, scenario, side
        # The habits and plans learnt from duels hold for duels only.
        tasked = bool(level.tasks) and scenario.victory.kind in AIMS
        self.level = doctrines().level(level.tasks) if tasked else level
        self.request = state.request
        self.seed = f"{seed} {state.game} {state.turn} {state.segment} {side} {level.name}"
        self.head = header_line(replace(answer_to(state.game, side, self.request), form=self.request.form))
        self.memory = SearchMemory(scenario)
        self.drawn = ""

    @property
    def resigned(self) -> ProgramOrders:
        """The orders of a computer player that concedes, used if it finds no other legal orders."""
        text = f"{self.head}\n{CONCEDE}\nEND\n"
        return ProgramOrders(sent=text, text=text)

    def answer(self) -> ProgramOrders:
        """Return the player's orders, and set ``drawn`` to the name of the doctrine they follow."""
        chosen = self.chosen()
        for plan in dict.fromkeys((chosen.name, *self.level.plans)):
            self.drawn = plan
            with suppress(OrdersRefused):
                return self.mended(doctrines().doctrine(plan))
        self.drawn = ""
        return self.resigned

    def mended(self, plan: Doctrine) -> ProgramOrders:
        """Return orders that follow a doctrine, without the lines that the rules refuse.

        Raises:
            OrdersRefused: The orders are refused as a whole.
        """
        lines = lines_for(self.state, self.scenario, self.side, plan, breaks=self.level.breaks)
        return without_refused_lines(self.state, self.scenario, self.side, self.head, lines)

    def lines(self, state: State, side: str, plan: Doctrine) -> list[SectionLine]:
        """Return the order lines of a side that follows a doctrine (way to fight)."""
        return lines_for(state, self.scenario, side, plan)

    def chosen(self) -> Doctrine:
        """Return the doctrine (way to fight) to follow, drawn at random from the best ones.

        The look-aheads decide with which probability each doctrine is drawn.
        """
        plans = self.plans(self.level.plans, self.side)
        if len(plans) < 2 or not self.level.replies:
            return plans[0]
        plans, replies, table = self.looked_at(plans)
        table = self.trusting(table, replies)
        mixture = equilibrium(table).rows
        shares = [part if part >= LEAST else 0.0 for part in mixture]
        draw = random.Random(f"draw {self.seed}").random() * sum(shares)
        for plan, part in zip(plans, shares, strict=True):
            draw -= part
            if draw <= 0 and part:
                return plan
        return plans[max(range(len(plans)), key=lambda place: mixture[place])]

    def trusting(self, table: list[list[float]], replies: Sequence[Doctrine | None]) -> list[list[float]]:
        """Return the table of plan values, adjusted for the habits of the enemy.

        Rows are the player's own plans, columns are enemy replies. The level's ``trust`` (percent) says how often
        enemies are expected to follow their habit. The equilibrium of the adjusted table is the best answer to an enemy
        who follows the habit that often, and otherwise does what is worst for this player. So an enemy with other
        habits cannot exploit the player much. For a reply without a known habit, the average of the known habits is
        used.
        """
        trust, habits = self.level.trust / 100, self.level.habits
        if not trust or not habits:
            return table
        average = sum(habits.values()) / len(habits)
        often = [habits.get(one.name, average) if one is not None else average for one in replies]
        usual = [sum(map(operator.mul, row, often)) / sum(often) for row in table]
        return [[trust * mean + (1 - trust) * one for one in row] for row, mean in zip(table, usual, strict=True)]

    def plans(self, names: Sequence[str], side: str) -> list[Doctrine]:
        """Return the doctrines that a side should consider now.

        Doctrines for the scenario come first, then those in ``names``.
        """
        usual = [doctrines().doctrine(name) for name in names]
        if self.level.single_minded:
            return usual
        fit = self.fitting(self.state, side)
        if not self.level.replies:  # without look-aheads: the scenario's task, if there is one
            return [one for one in fit if one.is_task][:1] or usual
        return fit if any(one.alone for one in fit) else [*fit, *usual]

    def fitting(self, state: State, side: str) -> list[Doctrine]:
        """Return the doctrines for this scenario or map that the ships of the side have the equipment for."""
        kind = self.scenario.victory.kind
        tasked = any(allied(state, side, one) for one in (self.scenario.victory.side, self._rescuers_side()))
        asked = [
            one for one in doctrines().doctrines
            if (kind in one.kinds or (one.needs and not one.kinds)) and (one.tasked is None or one.tasked == tasked)
        ]  # fmt: skip
        ships = commanded_ships(state, side)
        gaps = [gaps_for(state, self.scenario, ship, quarry(state, ship)) for ship in ships]
        return [one for one in asked if any(all(each.of.get(name) for name in one.needs) for each in gaps)]

    def later(self, state: State, side: str, doctrine: Doctrine | None) -> Doctrine:
        """Return the doctrine that a side is assumed to follow in the later turns of a look-ahead.

        ``doctrine`` is the doctrine that the side followed first. A side that works on the scenario's task continues
        with it, or with the next task. Every other side follows the first doctrine of the level.
        """
        if doctrine is not None and doctrine.is_task:
            tasks = [one for one in self.fitting(state, side) if one.is_task]
            if tasks:
                return doctrine if doctrine in tasks else tasks[0]
        return doctrines().doctrine(self.level.plans[0])

    def _rescuers_side(self) -> str:
        unit = self.state.units.get(self.scenario.victory.rescuer)
        return unit.side if unit is not None else ""

    def looked_at(self, plans: list[Doctrine]) -> tuple[list[Doctrine], list[Doctrine | None], list[list[float]]]:
        """Return the best plans, the enemy's replies, and the value of each plan against each reply.

        A value is the mean over all dice, for the player's own side. The plans are compared in several rounds. After
        each round but the last, the weaker half of the plans is dropped, so that most time goes into the close
        choices.
        """
        start = self.start()
        replies = self.replies(start)
        texts = self.texts(start, plans, replies)
        # With fewer replies to compare there is time for more dice.
        more = max(1, len(self.level.replies) // len(replies))
        dice = self.dice(more * sum(self.level.rolls))
        summed = [[0.0] * len(replies) for _ in plans]
        seen = 0
        for number, rolls in enumerate(self.level.rolls):
            fresh = dice[seen : seen + more * rolls]
            seen += len(fresh)
            for plan, row in zip(plans, summed, strict=True):
                for place, reply in enumerate(replies):
                    row[place] += sum(self.ahead(start, plan, reply, texts, one) for one in fresh)
            if number + 1 < len(self.level.rolls):
                against = equilibrium(self.trusting(summed, replies)).columns
                ranked = sorted(range(len(plans)), key=lambda place: -sum(map(operator.mul, summed[place], against)))
                left = sorted(ranked[: (len(plans) + 1) // 2])
                plans, summed = [plans[place] for place in left], [summed[place] for place in left]
        return plans, replies, [[value / seen for value in row] for row in summed]

    def replies(self, start: State) -> list[Doctrine | None]:
        """Return the doctrines that the enemy may follow; ``[None]`` if no other side gives orders."""
        others = [side for side in start.request.sides if side != self.side] if start.request else []
        found = self.plans(self.level.replies, others[0])[: len(self.level.replies) + MORE] if others else []
        return [*found] or [None]

    def texts(
        self, start: State, plans: Sequence[Doctrine], replies: Sequence[Doctrine | None]
    ) -> dict[tuple[str, str], str]:
        """Return the orders of each side for each of its doctrines, at the start of a look-ahead.

        The keys are pairs of side and doctrine name.
        """
        sides = start.request.sides if start.request else ()
        return {
            (side, plan.name): self.text(start, side, plan)
            for side in sides
            for plan in (plans if side == self.side else replies)
            if plan is not None
        }

    def dice(self, rolls: int) -> list[SpreadDice]:
        """Return one set of dice for each of ``rolls`` look-aheads.

        Every plan and reply is tried with the same sets of dice, so that luck does not favor any of them.
        """
        key = hashlib.sha256(self.seed.encode()).digest()
        return [SpreadDice(SegmentDice(key), roll, rolls) for roll in range(rolls)]

    def start(self) -> State:
        """Return the state from which look-aheads begin: the side's view, with other sides' secrets guessed.

        In this state all sides that can give orders are asked for orders, and no break conditions stop play within a
        turn.
        """
        state = with_guessed_secrets(self.state, self.scenario, self.side)
        asked = tuple(
            sorted(name for name, side in state.sides.items() if not side.robot and takes_orders(state, name))
        )
        assert state.request is not None
        request = replace(state.request, sides=asked)
        return replace(state, request=request, options=replace(state.options, autobreaks=()))

    def text(self, state: State, side: str, plan: Doctrine) -> str:
        """Return the order file of a side that follows a doctrine.

        For the player's own side, lines that the rules refuse are left out.
        """
        lines = self.lines(state, side, plan)
        if side == self.side:
            try:
                return without_refused_lines(state, self.scenario, side, self.head, lines).text
            except OrdersRefused:
                pass
        return as_order_file("", lines)[0].lstrip("\n")

    def ahead(
        self, start: State, plan: Doctrine, reply: Doctrine | None, texts: Mapping[tuple[str, str], str],
        dice: SpreadDice,
    ) -> float:  # fmt: skip
        """Play a few turns in memory with this plan and reply; return the value of the resulting position.

        ``texts`` holds orders that are already written, by pairs of side and doctrine name.
        """
        state = start
        begun = start.request.turn if start.request else 0
        until = begun + self.level.turns
        for number in range(REQUESTS):
            if state.over or state.request is None or state.request.turn >= until:
                break
            answers: dict[str, str] = {}
            for side in state.request.sides:
                doctrine = plan if side == self.side else reply
                if state.request.turn > begun or doctrine is None:
                    doctrine = self.later(state, side, doctrine)
                text = texts.get((side, doctrine.name)) if number == 0 else None
                answers[side] = text if text is not None else self.text_ahead(state, side, doctrine)
            try:
                state = self.memory.played(state, answers, dice)
            except (GameError, NotAllowed):
                return -5000.0 if number == 0 else self.worth(state)
        return self.worth(state)

    def worth(self, state: State) -> float:
        """Return the value of a position for the player's side, in points of the level's measure."""
        return position_worth(state, self.scenario, self.side, doctrines().measure(self.level.measure))

    def text_ahead(self, state: State, side: str, plan: Doctrine) -> str:
        """Return the orders of a side in a later state of a look-ahead; the same orders are written only once."""
        return self.memory.text(
            state, side, plan.name, lambda: as_order_file("", self.lines(state, side, plan))[0].lstrip("\n")
        )


class Equilibrium(NamedTuple):
    """The probabilities with which to choose each row and each column of a table of values.

    Each list adds up to 1.
    """

    rows: list[float]
    columns: list[float]


def equilibrium(table: Sequence[Sequence[float]]) -> Equilibrium:
    """Return the best probabilities with which two opponents choose rows and columns of a table.

    The row player wants a high value, the column player a low value. With these probabilities neither player can do
    better by choosing differently. The method is regret matching for both players. Floats are added in a fixed order,
    so that every machine gets the same result.
    """
    rows, columns = len(table), len(table[0])
    regret_of_rows, regret_of_columns = [0.0] * rows, [0.0] * columns
    of_rows, of_columns = [0.0] * rows, [0.0] * columns
    for _ in range(ROUNDS):
        row_shares, column_shares = _matched(regret_of_rows), _matched(regret_of_columns)
        values = [sum(table[row][column] * column_shares[column] for column in range(columns)) for row in range(rows)]
        losses = [sum(table[row][column] * row_shares[row] for row in range(rows)) for column in range(columns)]
        value = sum(values[row] * row_shares[row] for row in range(rows))
        for row in range(rows):
            regret_of_rows[row] = max(0.0, regret_of_rows[row] + values[row] - value)
            of_rows[row] += row_shares[row]
        for column in range(columns):
            regret_of_columns[column] = max(0.0, regret_of_columns[column] + value - losses[column])
            of_columns[column] += column_shares[column]
    return Equilibrium([part / ROUNDS for part in of_rows], [part / ROUNDS for part in of_columns])


def _matched(regrets: Sequence[float]) -> list[float]:
    total = sum(regrets)
    return [regret / total for regret in regrets] if total > 0 else [1 / len(regrets)] * len(regrets)
