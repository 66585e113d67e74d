"""The working state while a turn is played, and the protocol of commanders.

A commander is the object that the engine asks for a side's decisions.
"""

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
"""Type of the activities that a step plays: a class of activity in orders, or a tuple of classes."""


class OrderReport(msgspec.Struct, frozen=True, kw_only=True):
    """A report to a player about the result of one of the player's orders.

    Attributes:
        line: The number of the order line; 0 if the report is not about a certain line.
        order: The order as text.
        result: What happened, such as ``acted``.
        reason: Why; empty if there is nothing to say.
        spent: Whether the order cannot act again.
    """

    line: int
    order: str
    result: str
    reason: str = ""
    spent: bool = False


class Steer(msgspec.Struct, frozen=True, kw_only=True):
    """A commander's decision about the next move of a unit.

    Attributes:
        code: The movement code to fly. It is empty for a shuttle that stays on a planet because it has no orders to
            take off (P2.0).
        plotted: Whether the code is the next code of the plot, which is then used up.
        sayings: Reports to the owner about the orders that led to the decision.
    """

    code: str
    plotted: bool = False
    sayings: tuple[OrderReport, ...] = ()


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """An order that acts now, because its time has come and its condition is true.

    ``its`` are the units for which its condition is true, nearest first; the words IT and EACH refer to them.
    """

    order: Order
    its: tuple[str, ...] | None = None


class Commander:
    """Base class of commanders, which make the decisions of a side.

    The decisions come from a player's orders or from a computer player. The engine asks a commander for a decision when
    the rules require it, never earlier. The commander of this base class flies straight on and does nothing else. In
    its methods, ``table`` is the working state of the turn and ``before`` the state at the start of the step.
    """

    def allot(self, table: Resolution, ship: Ship, before: State) -> None:
        """Apply the ship's energy form; prepare a ship that has no energy form for the turn (B3.0)."""

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        """Return the decision about the unit's next move.

        The engine calls this method just before the unit moves (C1.3).
        """
        return Steer(code="F")

    def may_leave(self, ship: Commanded) -> bool:
        """Return whether the unit may fly off the map."""
        return False

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        """Return the speed announced for a shuttle, in hexes per turn (J1.21).

        The result is ``None`` if the side announces no speed; then the rules decide the speed. If ``landed`` is true,
        the shuttle is on a planet; its speed is 0 if it stays there.
        """
        return 0 if landed else None

    def may_intend(self, doing: Doing) -> bool:
        """Return whether any of the side's units could have orders for activities of the given type.

        If not, the step skips the side.
        """
        return True

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Return the orders of a unit for activities of the given type that act now.

        The orders are carried out, and use up energy and other resources, in the sequence of the list.
        """
        return []

    def tacs(self, table: Resolution, ship: Ship, before: State) -> list[Tac]:
        """Return the tactical maneuvers ordered for this impulse, in the sequence of play (C5.0)."""
        return []

    def guides(self, table: Resolution, seeker: Seeker | Shuttle, before: State) -> str:
        """Return the choice for a seeking weapon between equally near hexes (F2.0).

        The choice is LEFT, RIGHT, STRAIGHT or empty (no choice).
        """
        return ""

    def reserves(self, table: Resolution, ship: Ship, shield: int, internals: int) -> list[tuple[Intent, int]]:
        """Return the RESERVE orders for a shield that is about to be hit (H7.2).

        Each item is a pair: the order, and the most battery points that it may spend.
        """
        return []

    def damage_choices(self, ship: Ship) -> tuple[DamageChoice, ...]:
        """Return the owner's choices of the boxes that a hit destroys (D4.223)."""
        return ()


class MutinyCommander(Commander):
    """The commander of a ship in mutiny, who carries out no orders and tells the owner why (G6.32)."""

    def __init__(self, captain: Commander) -> None:
        self.captain = captain

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Report all orders as failed, because a mutinous ship obeys no orders.

        The returned list is empty.
        """
        for intent in self.captain.intends(table, ship, before, doing):
            table.failed(ship, intent.order, _unheard(ship))
        return []

    def tacs(self, table: Resolution, ship: Ship, before: State) -> list[Tac]:
        """Report all tactical maneuvers as failed, because a mutinous ship obeys no orders.

        The returned list is empty.
        """
        for tac in self.captain.tacs(table, ship, before):
            table.tac_failed(ship, tac, _unheard(ship))
        return []

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        """Return the shuttle speed that the side's real commander announces."""
        return self.captain.shuttle_speed(name, landed)


def _unheard(ship: Commanded) -> str:
    try:
        verify_obeys(ship.name, True)
    except NotAllowed as refused:
        return str(refused)
    return ""


class Resolution:
    """The working state while a turn is played.

    The object contains the game state, the log being written, the dice and the commanders. The state changes only
    through the methods :meth:`tell` and :meth:`secret`, which write events. ``captains`` are the commanders by side.
    ``strikes`` is damage that a rule case (a test of a rule) inflicts: dict of (turn, impulse) to a list of (unit,
    shield number or direction from which the damage comes, points).
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
        self.captains: dict[str, Commander] = captains
        self.strikes = strikes or {}
        self.records: list[Record] = []
        self.turn = state.turn
        self.impulse = state.impulse
        self.step = state.step
        self.reported: set[tuple[str, int, str]] = set()

    # --- writing the log ---

    def tell(self, event: AnyEvent) -> None:
        """Write a public event to the log and apply it now."""
        self._write(event)

    def secret(self, side: str, event: AnyEvent, shown: AnyEvent | None = None) -> None:
        """Write to the log an event that only ``side`` may see, and apply it now.

        The other sides see the event ``shown`` instead, if it is given.
        """
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

    def say(self, unit: Commanded, saying: OrderReport) -> None:
        """Tell the owner of a unit the result of an order.

        The same report about the same order line is written only once per resolution (play from one request to the
        next).
        """
        key = (unit.name, saying.line, saying.result + saying.reason)
        if key in self.reported and not saying.spent:
            return
        self.reported.add(key)
        self.secret(unit.side, OrderTold(side=unit.side, unit=unit.name, **msgspec.structs.asdict(saying)))

    def _became(self, unit: Commanded, order: Order | Tac, result: str, reason: str, spent: bool) -> None:
        spent = spent and not order.every
        self.say(unit, OrderReport(line=order.line, order=order.text, result=result, reason=reason, spent=spent))

    def tac_made(self, unit: Ship, order: Tac) -> None:
        """Report that a tactical maneuver was made; the order for it will not act again."""
        self._became(unit, order, "acted", "", True)

    def tac_failed(self, unit: Commanded, order: Tac, reason: str) -> None:
        """Report that a tactical maneuver could not be made.

        If the order named this impulse, the order will not act again.
        """
        self._became(unit, order, "did not act", reason, order.at is not None)

    def acted(self, unit: Commanded, order: Order, reason: str = "") -> None:
        """Report that an order was carried out; the order will not act again unless it says EVERY."""
        self._became(unit, order, "acted", reason, True)

    def failed(self, unit: Commanded, order: Order, reason: str) -> None:
        """Report that the rules did not allow an order at the time when it was to act.

        If the order named an impulse, the order will not act again.
        """
        self._became(unit, order, "did not act", reason, order.at is not None or order.last)

    # --- asking ---

    def happened(self) -> list[AnyEvent]:
        """Return the events of the present impulse so far, oldest first."""
        found: list[AnyEvent] = []
        for record in reversed(self.records):
            if (record.event.turn, record.event.impulse) != (self.turn, self.impulse):
                break
            found.append(record.event)
        return found[::-1]

    def tick(self) -> None:
        """Set turn, impulse and step of the state to the step about to be played.

        Otherwise conditions would see an earlier impulse if nothing has happened yet in this one.
        """
        self._now(replace(self.state, turn=self.turn, impulse=self.impulse, step=self.step))

    def roll(self, unit: str, system: str, n: int = 1, sides: int = 6) -> tuple[str, int]:
        """Roll a die for a unit's system; return its label and the number rolled.

        The label names the present step. ``n`` is the number of the roll of this system in the step, ``sides`` the
        number of faces.
        """
        name = label(self.turn, self.impulse, self.step, unit, system, n)
        return name, self.dice.roll(name, sides)

    def has_captain(self, unit: AnyUnit) -> bool:
        """Return whether the side of a unit has a commander."""
        return unit.side in self.captains

    def captain(self, unit: AnyUnit) -> Commander:
        """Return the commander that decides for a unit.

        For a ship in mutiny this is a commander that carries out no orders (G6.32).
        """
        commander = self.captains[unit.side]
        return (
            MutinyCommander(commander)
            if isinstance(unit, Ship) and not (unit.terms.immobile or unit.obeys)
            else commander
        )

    def damage_choices(self, ship: Ship) -> tuple[DamageChoice, ...]:
        """Return the DAMAGE lines of a ship's owner, which say what boxes to lose first and last (D4.223)."""
        return self.captain(ship).damage_choices(ship) if self.has_captain(ship) else ()

    def ordered(self, before: State, doing: Doing) -> Iterator[tuple[Ship, Intent]]:
        """Yield (ship, order) for every order for the given type of activity that acts now.

        The orders of all ships with a commander are included. ``before`` is the state at the start of the step.
        """
        takers = {side: captain.may_intend(doing) for side, captain in self.captains.items()}
        if not any(takers.values()):
            return
        for ship in before.ships():
            if takers.get(ship.side):
                for intent in self.captain(ship).intends(self, ship, before, doing):
                    yield ship, intent

    def ship(self, name: str) -> Ship:
        """Return the ship as it is now, with all changes made since the step began."""
        unit = self.state.units[name]
        assert isinstance(unit, Ship)
        return unit

    @property
    def moment(self) -> int:
        """Impulses since the start of the game, for the step being played."""
        return (self.turn - 1) * self.state.impulses + self.impulse
