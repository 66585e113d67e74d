"""The table the turn is played on: the state so far, the log being written, the dice, and a captain for each side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.dice import Dice, label
from pbem.engine.events import AnyEvent, OrderTold, Record
from pbem.engine.log import apply
from pbem.engine.state import AnyUnit, Commanded, Seeker, Ship, Shuttle, State
from pbem.errors import NotAllowed
from pbem.orders.model import DamageChoice, Order, Tac
from pbem.rules.boarding import verify_obeys

replace = msgspec.structs.replace

Doing = type | tuple[type, ...]
"""A kind of activity, or several that belong to one step."""


class Saying(msgspec.Struct, frozen=True, kw_only=True):
    """Something to tell the owner about one of his orders."""

    line: int
    order: str
    result: str
    reason: str = ""
    spent: bool = False


class Steer(msgspec.Struct, frozen=True, kw_only=True):
    """Where a captain takes his ship next: a code, whether it used up one of the plot, and what the owner is told.

    A shuttle on a planet without orders to take off stays there: an empty code (P2.0).
    """

    code: str
    plotted: bool = False
    sayings: tuple[Saying, ...] = ()


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """An order whose time and condition have come, with the units its condition held for (IT, EACH), nearest first."""

    order: Order
    its: tuple[str, ...] | None = None


class Captain:
    """Whoever commands a side's units: a player's orders or a robot. Asked at the moments the rules fix, never
    before. This one flies straight on and says nothing else.
    """

    def allot(self, table: Table, ship: Ship, before: State) -> None:
        """Fill in the ship's energy form, or whatever stands for it (B3.0)."""

    def steer(self, table: Table, ship: Commanded, before: State) -> Steer:
        """The next hex, asked just before the ship moves (C1.3)."""
        return Steer(code="F")

    def may_leave(self, ship: Commanded) -> bool:
        """Whether the unit is allowed to fly off the map."""
        return False

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        """The speed announced for a shuttle (J1.21); ``None`` leaves it to the rules. One that is ``landed`` and is to
        stay so moves at speed 0.
        """
        return 0 if landed else None

    def may_intend(self, doing: Doing) -> bool:
        """Whether any of his units could have orders of a kind: a step that nobody has orders for costs nothing."""
        return True

    def intends(self, table: Table, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Orders for activities of a kind whose moment has come, in the order they take what they need."""
        return []

    def tacs(self, table: Table, ship: Ship, before: State) -> list[Tac]:
        """Tactical maneuvers ordered for this impulse, the first to be made first (C5.0)."""
        return []

    def guides(self, table: Table, seeker: Seeker | Shuttle, before: State) -> str:
        """Which of equal hexes a seeking weapon takes (F2.0): LEFT, RIGHT, STRAIGHT or empty."""
        return ""

    def reserves(self, table: Table, ship: Ship, shield: int, internals: int) -> list[tuple[Intent, int]]:
        """Standing orders for reserve power to a shield about to be hit: the most points each may spend (H7.2)."""
        return []

    def damage_choices(self, ship: Ship) -> tuple[DamageChoice, ...]:
        """The owner's choices of what a hit is scored on (D4.223)."""
        return ()


class Unheard(Captain):
    """In place of a captain whose ship is in mutiny: its orders do nothing, and he is told why (G6.32)."""

    def __init__(self, captain: Captain) -> None:
        self.captain = captain

    def intends(self, table: Table, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        for intent in self.captain.intends(table, ship, before, doing):
            table.failed(ship, intent.order, _unheard(ship))
        return []

    def tacs(self, table: Table, ship: Ship, before: State) -> list[Tac]:
        for tac in self.captain.tacs(table, ship, before):
            table.tac_failed(ship, tac, _unheard(ship))
        return []

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        return self.captain.shuttle_speed(name, landed)


def _unheard(ship: Commanded) -> str:
    try:
        verify_obeys(ship.name, True)
    except NotAllowed as refused:
        return str(refused)
    return ""


class Table:
    """The working place of one resolution. ``tell`` and ``secret`` are the only ways anything happens.

    ``strikes`` is damage from outside by (turn, impulse), for rule cases: (unit, shield or the direction it comes
    from, points).
    """

    def __init__(
        self,
        state: State,
        scenario: Scenario,
        dice: Dice,
        captains: dict[str, Any],
        strikes: Mapping[tuple[int, int], Sequence[tuple[str, int | str, int]]] | None = None,
    ) -> None:
        self.state = state
        self.scenario = scenario
        self.dice = dice
        self.captains: dict[str, Captain] = captains
        self.strikes = strikes or {}
        self.records: list[Record] = []
        self.turn = state.turn
        self.impulse = state.impulse
        self.step = state.step
        self.said: set[tuple[str, int, str]] = set()

    # --- writing the log ---

    def tell(self, event: AnyEvent) -> None:
        """Something everybody may know happens now."""
        self._write(event)

    def secret(self, side: str, event: AnyEvent, shown: AnyEvent | None = None) -> None:
        """Something only ``side`` may know happens now; the others see ``shown``."""
        self._write(event, side, shown)

    def _write(self, event: AnyEvent, only: str = "", shown: AnyEvent | None = None) -> None:
        event = self._dated(event)
        shown = self._dated(shown) if shown is not None else None
        record = Record(n=self.state.records + 1, event=event, only=only, shown=shown)
        self.records.append(record)
        self._now(replace(apply(self.state, event), records=record.n))

    def _now(self, state: State) -> None:
        state.recall(self.state)
        self.state = state

    def _dated(self, event: AnyEvent) -> AnyEvent:
        return replace(event, turn=self.turn, impulse=self.impulse, step=self.step)

    def say(self, unit: Commanded, saying: Saying) -> None:
        """Tell the owner what became of an order; the same thing about the same line is said once a stretch of play."""
        key = (unit.name, saying.line, saying.result + saying.reason)
        if key in self.said and not saying.spent:
            return
        self.said.add(key)
        self.secret(unit.side, OrderTold(side=unit.side, unit=unit.name, **msgspec.structs.asdict(saying)))

    def _became(self, unit: Commanded, order: Order | Tac, result: str, reason: str, spent: bool) -> None:
        spent = spent and not order.every
        self.say(unit, Saying(line=order.line, order=order.text, result=result, reason=reason, spent=spent))

    def tac_made(self, unit: Ship, order: Tac) -> None:
        """A maneuver was made; its order is spent."""
        self._became(unit, order, "acted", "", True)

    def tac_failed(self, unit: Commanded, order: Tac, reason: str) -> None:
        """A maneuver could not be made; an order for this impulse had its only chance."""
        self._became(unit, order, "did not act", reason, order.at is not None)

    def acted(self, unit: Commanded, order: Order, reason: str = "") -> None:
        """An order did what it says; it is spent unless it says EVERY."""
        self._became(unit, order, "acted", reason, True)

    def failed(self, unit: Commanded, order: Order, reason: str) -> None:
        """An order's moment came but the rules did not allow it. Where it named an impulse that was its only chance."""
        self._became(unit, order, "did not act", reason, order.at is not None or order.last)

    # --- asking ---

    def happened(self) -> list[AnyEvent]:
        """What this impulse has brought so far, in order."""
        found: list[AnyEvent] = []
        for record in reversed(self.records):
            if (record.event.turn, record.event.impulse) != (self.turn, self.impulse):
                break
            found.append(record.event)
        return found[::-1]

    def tick(self) -> None:
        """The clock moves to the step about to be played, so that conditions see the right impulse even if
        nothing happened.
        """
        self._now(replace(self.state, turn=self.turn, impulse=self.impulse, step=self.step))

    def roll(self, unit: str, system: str, n: int = 1, sides: int = 6) -> tuple[str, int]:
        """A labelled die of this moment: (label, number)."""
        name = label(self.turn, self.impulse, self.step, unit, system, n)
        return name, self.dice.roll(name, sides)

    def captain(self, unit: AnyUnit) -> Captain:
        """Who commands a unit: its side's captain; nobody a ship in the hands of its mutineers (G6.32)."""
        commander = self.captains[unit.side]
        return Unheard(commander) if isinstance(unit, Ship) and not (unit.immobile or unit.obeys) else commander

    def ordered(self, before: State, doing: Doing) -> Iterator[tuple[Ship, Intent]]:
        """The orders of a kind whose moment has come, of every ship that anybody commands."""
        takers = [side for side, captain in self.captains.items() if captain.may_intend(doing)]
        if not takers:
            return
        for ship in before.ships():
            if ship.side in takers:
                for intent in self.captain(ship).intends(self, ship, before, doing):
                    yield ship, intent

    def ship(self, name: str) -> Ship:
        """The ship as it is now (not as the step began)."""
        unit = self.state.units[name]
        assert isinstance(unit, Ship)
        return unit

    @property
    def moment(self) -> int:
        return (self.turn - 1) * self.state.impulses + self.impulse
