"""The door for programs: a whole game in memory, without files and without mail.

Bots, notebooks and experiments use this and nothing else of the package; ``import pbem`` hands out its names.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from pbem.data.doctrines import Level
from pbem.data.scenarios import scenario as scenario_of
from pbem.engine import dice, events as ev
from pbem.engine.events import Record
from pbem.engine.legal.acts import SECTIONS, Offer, asks_energy, commanded, offers_to
from pbem.engine.legal.energy_fields import unpaid
from pbem.engine.log import fold
from pbem.engine.play.setup import set_up
from pbem.engine.state import Outcome, Request, Ship, State
from pbem.engine.steps.energy import facts_for
from pbem.errors import Fault, GameError
from pbem.games.answers import judged_on
from pbem.games.resolve import play_segment
from pbem.games.storage.players import captain_of
from pbem.games.storage.terms import read_options
from pbem.orders.header import answer_line, is_header
from pbem.orders.writer import name_text
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view

replace = msgspec.structs.replace

__all__ = ["Fault", "Game", "GameError", "Offer", "Request", "View"]


class View:
    """What one side knows of a game: nothing else of it can be found here. ``""`` is a spectator."""

    def __init__(self, records: Iterable[Record], side: str) -> None:
        self._records, self.side = tuple(records), side

    @cached_property
    def events(self) -> tuple[ev.AnyEvent, ...]:
        """What happened as this side sees it, from the start: energy, plots and options of others are not in it."""
        seen = (ev.seen_by(record, self.side) for record in self._records)
        return tuple(event for event in seen if event is not None)

    @cached_property
    def state(self) -> State:
        """The table as this side sees it: ``state.units`` by name, ``state.turn``, ``state.request``."""
        return fold(self.events)

    @property
    def sitrep(self) -> str:
        """The text this side's player would be sent."""
        return sitrep_text(build_view(self._records, self.side))


class Game:
    """A game in memory. :meth:`new` makes one; :attr:`wanted`, :meth:`offers`, :meth:`give`, :meth:`play` play it."""

    def __init__(self, scenario: str, source: dice.Secret, records: list[Record], state: State) -> None:
        self._scenario, self._source = scenario_of(scenario), source
        self._records, self._state = records, state
        self._given: dict[str, str] = {}
        self._captains: dict[str, Level] = {}

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
        """A game of a scenario (``"5"``, ``"10-two-against-two"``), set up and asking for its first orders.

        ``players`` gives sides to ``"robot"`` or to a computer captain (``{"klingon": "captain"}``), which answers by
        itself; sides it does not name are played through this object, if the scenario lets anybody play them. ``ships``
        is another class by role or ship, ``units`` are optional ships that take part, ``options`` as ``pbem new`` takes
        them. The same ``seed`` and the same orders give the same game; without one the dice are new. Raises
        :class:`GameError`.
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
            ships=ships,
            extra=tuple(units),
            key=scenario,
        )
        source = dice.Secret(dice.secret_of(seed) if seed else secrets.token_bytes(32))
        game = cls(scenario, source, played.records, played.state)
        game._captains = captains
        game._captains_answer()
        return game

    @property
    def wanted(self) -> dict[str, Request]:
        """Who still owes orders, and what is asked: the form, the turn, and the impulses from which and to which they
        hold. Empty when everybody has answered, and when the game is over.
        """
        request = self._state.request
        if request is None or self.over:
            return {}
        return {side: request for side in request.sides if side not in self._given}

    def offers(self, side: str) -> list[Offer]:
        """All that could be ordered of each unit of a side that is asked, as far as the side can know."""
        return list(offers_to(self.view(side).state, self._scenario, side))

    def give(self, side: str, orders: str | Iterable[Offer]) -> None:
        """A side's answer to what is wanted of it: text in the order language, with or without a header, or offers of
        one's choice; no offers at all is an answer too. Raises :class:`GameError` with everything that is wrong;
        then nothing is changed. Until the game plays on, a second answer takes the place of the first.
        """
        request = self._state.request
        if request is None or side not in request.sides or self.over:
            raise GameError.saying("not-asked", f"no orders are asked of {side!r} now")
        text = orders if isinstance(orders, str) else self._written(side, request, orders)
        headed = any(is_header(line) for line in text.split("\n"))
        if not headed:
            text = f"{answer_line(self._state.game, side, request)}\n{text}\nEND\n"
        judged = judged_on(self._state, self._scenario, text, "")
        if not judged.faults and judged.side != side:
            raise GameError.saying("wrong-side", f"these are orders of {judged.side}, not of {side}")
        if judged.faults:
            above = 0 if headed else 1
            raise GameError(*(replace(fault, line=max(0, fault.line - above)) for fault in judged.faults))
        self._given[side] = judged.text

    def _written(self, side: str, request: Request, chosen: Iterable[Offer]) -> str:
        """Offers as orders: a block for each unit, with an energy form wherever one is asked for (B3.0)."""
        units = commanded(self._state, request, side)
        forms: dict[str, list[str]] = {}
        for unit in units:
            if isinstance(unit, Ship) and asks_energy(self._scenario, request, unit):
                # A wreck goes without what it cannot pay for, as its draft would say (B3.0, lines 7 to 11).
                forms[unit.name] = [f"{it.item} 0" for it in unpaid(facts_for(self._state, self._scenario, unit))]
        blocks: dict[str, list[Offer]] = {"": [], **{unit.name: [] for unit in units}}
        for offer in chosen:
            if offer.unit not in blocks:
                raise GameError.saying("not-your-ship", f"{side} writes no orders for {offer.unit} now")
            blocks[offer.unit].append(offer)
        rows: list[str] = []
        for name, mine in blocks.items():
            if name and (mine or name in forms):
                rows.append(f"{'SHUTTLE' if any(offer.shuttle for offer in mine) else 'SHIP'} {name_text(name)}")
            for section in SECTIONS:
                texts = [offer.text for offer in mine if offer.section == section]
                if section == "ENERGY":
                    texts += [text for text in forms.get(name, ()) if text not in texts]
                if section == "PLOT" and texts:
                    rows.append(f"PLOT {' '.join(texts)}")
                elif texts or (section == "ENERGY" and name in forms):
                    rows += [section, *texts]
        return "\n".join(rows)

    def play(self) -> list[ev.AnyEvent]:
        """Play on, until somebody is asked again or the game is over, and what happened. Raises :class:`GameError`
        while somebody still owes orders.
        """
        if self.over or self.wanted:
            waits = f"orders are owed by {', '.join(self.wanted)}" if self.wanted else "the game is over"
            raise GameError.saying("not-ready", waits)
        records, self._state = play_segment(self._scenario, self._source, self._state, self._given)
        self._records, self._given = [*self._records, *records], {}
        self._captains_answer()
        return [record.event for record in records]

    def _captains_answer(self) -> None:
        """Computer captains answer as soon as they are asked: each is shown what its side sees, and nothing else."""
        for side in [side for side in self.wanted if side in self._captains]:
            from pbem.ai.search import thought  # most games have none

            seen = self.view(side).state
            said = thought(seen, self._scenario, side, self._captains[side], self._source.commitment)
            self.give(side, said.answer.sent)

    @property
    def events(self) -> tuple[ev.AnyEvent, ...]:
        """All that happened since the game was set up, with nothing hidden: what an umpire knows."""
        return tuple(record.event for record in self._records)

    @property
    def state(self) -> State:
        """The table with nothing hidden."""
        return self._state

    def view(self, side: str) -> View:
        """The game as one side sees it; ``""`` is what a spectator sees."""
        if side and side not in self._state.sides:
            raise GameError.saying("wrong-side", f"there is no side {side!r}; there are {', '.join(self._state.sides)}")
        return View(self._records, side)

    @property
    def over(self) -> bool:
        return self._state.over

    @property
    def outcome(self) -> tuple[Outcome, ...]:
        """How each side came out of it, when the game is over."""
        return self._state.outcome
