"""Play a whole game in memory, without files and email: the programming interface of ``pbem``.

Notebooks, experiments and programs that play games need no other module. ``import pbem`` exports the names of this
module.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from pbem.data.doctrines import SkillLevel
from pbem.data.scenarios import scenario as scenario_of
from pbem.engine import dice, events as ev
from pbem.engine.events import Record
from pbem.engine.legal.acts import SECTIONS, Offer, asks_energy, commanded, offers_to
from pbem.engine.legal.energy_fields import unpaid
from pbem.engine.log import fold
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.state import Outcome, Request, Ship, State
from pbem.engine.steps.energy import facts_for
from pbem.errors import Fault, GameError
from pbem.games.answers import judged_on
from pbem.games.segments import play_segment
from pbem.games.storage.players import captain_of
from pbem.games.storage.terms import read_options
from pbem.orders.header import answer_line, is_header
from pbem.orders.writer import name_text
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view

replace = msgspec.structs.replace

__all__ = ["Fault", "Game", "GameError", "Offer", "Request", "View"]


class View:
    """A game as one side sees it, without any other information; the side ``""`` means spectators."""

    def __init__(self, records: Iterable[Record], side: str) -> None:
        self._records, self.side = tuple(records), side

    @cached_property
    def events(self) -> tuple[ev.AnyEvent, ...]:
        """All events that this side knows, from the start of the game.

        Energy, plots and options of other sides are left out.
        """
        seen = (ev.seen_by(record, self.side) for record in self._records)
        return tuple(event for event in seen if event is not None)

    @cached_property
    def state(self) -> State:
        """The state of the game as this side knows it: ``state.units`` by name, ``state.turn``, ``state.request``."""
        return fold(self.events)

    @property
    def sitrep(self) -> str:
        """The text of the sitrep that this side's player would receive."""
        return sitrep_text(build_view(self._records, self.side))


class Game:
    """A game in memory, without files.

    :meth:`new` makes a game. :attr:`wanted` says which sides must give orders, :meth:`offers` lists possible orders,
    :meth:`give` sets a side's orders, and :meth:`play` continues the game.
    """

    def __init__(self, scenario: str, source: dice.Secret, records: list[Record], state: State) -> None:
        self._scenario, self._source = scenario_of(scenario), source
        self._records, self._state = records, state
        self._given: dict[str, str] = {}
        self._captains: dict[str, SkillLevel] = {}

    @classmethod
    def new(
        cls,
        scenario: str,
        players: Mapping[str, str] | None = None,
        *,
        ships: Mapping[str, str] | None = None,
        units: Iterable[str] = (),
        options: Mapping[str, str] | None = None,
        name: str = "table",
        seed: str = "",
    ) -> Game:
        """Set up a game of a scenario and return it, waiting for its first orders.

        Args:
            scenario: Key of the scenario (``"5"``, ``"10-two-against-two"``).
            players: Sides that the computer plays, as in ``{"klingon": "robot"}``. The caller gives the orders of the
                other sides, if the scenario allows players for them.
            ships: Ship classes that replace others, by role or ship.
            units: Optional units that take part.
            options: Options as for ``pbem new``.
            name: Name of the game.
            seed: The same seed and the same orders give the same game. Without a seed the dice are random.

        Raises:
            GameError: The scenario or another choice is not valid.
        """
        setting = scenario_of(scenario)
        here = {side.name: side.name for side in setting.sides if side.robot != "must"}
        given = dict(players or {})
        captains = {side: level for side, who in given.items() if (level := captain_of(who)) is not None}
        played = set_up(
            setting,
            name,
            players=here | given,
            options=read_options(options or {}),
            choices=UnitChoices(ships=ships or {}, extra=tuple(units)),
            key=scenario,
        )
        source = dice.Secret(dice.secret_of(seed) if seed else secrets.token_bytes(32))
        game = cls(scenario, source, played.records, played.state)
        game._captains = captains
        game._captains_answer()
        return game

    @property
    def wanted(self) -> dict[str, Request]:
        """The sides that still have to give orders, each with its request: form, turn, and range of impulses.

        The dict is empty when every side has answered, and when the game is over.
        """
        request = self._state.request
        if request is None or self.over:
            return {}
        return {side: request for side in request.sides if side not in self._given}

    def offers(self, side: str) -> list[Offer]:
        """Return every order that a side can give its units now, as far as the side itself can know."""
        return list(offers_to(self.view(side).state, self._scenario, side))

    def give(self, side: str, orders: str | Iterable[Offer]) -> None:
        """Set a side's orders in answer to the request in force; a second answer replaces the first.

        ``orders`` is either text in the order language, with or without a header, or a selection from
        :meth:`offers`. An empty selection is a valid answer.

        Raises:
            GameError: The orders are wrong; the error lists all faults. Nothing was changed in this case.
        """
        request = self._state.request
        if request is None or not request.asks(side) or self.over:
            raise GameError.saying("not-asked", f"the game is not waiting for orders of {side!r} now")
        text = orders if isinstance(orders, str) else self._orders_text(side, request, orders)
        headed = any(is_header(line) for line in text.split("\n"))
        if not headed:
            text = f"{answer_line(self._state.game, side, request)}\n{text}\nEND\n"
        judged = judged_on(self._state, self._scenario, text, "")
        if not judged.faults and judged.side != side:
            raise GameError.saying("wrong-side", f"these orders are {judged.side}'s, not {side}'s")
        if judged.faults:
            above = 0 if headed else 1
            raise GameError(*(replace(fault, line=max(0, fault.line - above)) for fault in judged.faults))
        self._given[side] = judged.text

    def _orders_text(self, side: str, request: Request, chosen: Iterable[Offer]) -> str:
        """Return a selection of offers as order text.

        There is one block for each unit, with an energy form where one is due (B3.0).
        """
        units = commanded(self._state, request, side)
        forms: dict[str, list[str]] = {}
        for unit in units:
            if isinstance(unit, Ship) and asks_energy(self._scenario, request, unit):
                # A damaged ship leaves out standing costs that it cannot pay, as in its draft (B3.0, lines 7 to 11).
                forms[unit.name] = [f"{it.item} 0" for it in unpaid(facts_for(self._state, self._scenario, unit))]
        blocks: dict[str, list[Offer]] = {"": [], **{unit.name: [] for unit in units}}
        for offer in chosen:
            if offer.unit not in blocks:
                raise GameError.saying("not-your-ship", f"{side} cannot give orders to {offer.unit} now")
            blocks[offer.unit].append(offer)
        return "\n".join(row for name, mine in blocks.items() for row in _block_rows(name, mine, forms.get(name)))

    def play(self) -> list[ev.AnyEvent]:
        """Play until a side must give new orders or the game is over, and return the new events.

        Raises:
            GameError: A side has not given its orders yet, or the game is over.
        """
        if self.over or self.wanted:
            waits = f"the game is waiting for orders of {', '.join(self.wanted)}" if self.wanted else "the game is over"
            raise GameError.saying("not-ready", waits)
        records, self._state = play_segment(self._scenario, self._source, self._state, self._given)
        self._records, self._given = [*self._records, *records], {}
        self._captains_answer()
        return [record.event for record in records]

    def _captains_answer(self) -> None:
        """Let the computer players answer the request in force; each knows only what its side sees."""
        for side in [side for side in self.wanted if side in self._captains]:
            from pbem.ai.search import decide_orders  # imported here because most games have no computer players

            seen = self.view(side).state
            said = decide_orders(seen, self._scenario, side, self._captains[side], self._source.commitment)
            self.give(side, said.answer.sent)

    @property
    def events(self) -> tuple[ev.AnyEvent, ...]:
        """All events since the game was set up, with nothing hidden, as the umpire sees them."""
        return tuple(record.event for record in self._records)

    @property
    def state(self) -> State:
        """The complete state of the game, with nothing hidden."""
        return self._state

    def view(self, side: str) -> View:
        """Return the game as one side sees it; ``""`` is the view of a spectator."""
        if side and side not in self._state.sides:
            raise GameError.saying(
                "wrong-side", f"there is no side {side!r}; the sides are {', '.join(self._state.sides)}"
            )
        return View(self._records, side)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._state.over

    @property
    def outcome(self) -> tuple[Outcome, ...]:
        """The result of each side; empty while the game is not over."""
        return self._state.outcome


def _block_rows(name: str, offers: Sequence[Offer], form: Sequence[str] | None) -> Iterator[str]:
    """Yield the lines of one unit's orders; ``form`` are the lines of its energy form, if one is due."""
    if name and (offers or form is not None):
        yield f"{'SHUTTLE' if any(offer.shuttle for offer in offers) else 'SHIP'} {name_text(name)}"
    for section in SECTIONS:
        texts = [offer.text for offer in offers if offer.section == section]
        if section == "ENERGY":
            texts += [text for text in form or () if text not in texts]
        if section == "PLOT" and texts:
            yield f"PLOT {' '.join(texts)}"
        elif texts or (section == "ENERGY" and form is not None):
            yield section
            yield from texts
