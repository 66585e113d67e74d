"""Breaks: conditions on which play stops, and the sides that must then give new orders.

A break stops play when its condition becomes true, i.e. when the condition is true now and was false at the last check
or when the orders came into force. Conditions are checked after every step. A player's own break stops the game for
that side only. An auto-break, which is an option of the game, may stop the game for all sides. See docs/orders.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.data.terms import AUTO_BREAK, OWN_BREAK, StepName
from pbem.engine import events as ev
from pbem.engine.conditions.kinds import MEANINGS, holds
from pbem.engine.conditions.scene import Scene
from pbem.engine.play.order_executor import OrdersCommander
from pbem.engine.play.periods import pulses_of
from pbem.engine.play.resolution import Resolution, replace
from pbem.engine.relations import commanded_ships, takes_orders, unguided
from pbem.engine.state import Commanded, Pulse, Seeker, Ship, State
from pbem.engine.steps import sequence
from pbem.engine.steps.movement import due_to_move
from pbem.engine.steps.steering import entered, keeps_room, legal_codes, stays, verify_code
from pbem.orders import model as om


class WatchedBreak(msgspec.Struct, frozen=True, kw_only=True):
    """One break condition that is watched for one side.

    Attributes:
        side: The side that must give new orders if the condition becomes true.
        unit: The unit for which the condition is evaluated. For auto-breaks and for a side without ships it is empty;
            then the condition is evaluated for each ship or weapon of the side, and must be true for one of them.
        condition: The condition.
        text: The text of the order line, or of the auto-break's condition.
        line: The line of the order; 0 marks an auto-break.
        same: Whether the condition is evaluated only once, without a unit. This is so if the result does not depend on
            the unit, or if an auto-break asks about secret energy or ammunition, because auto-breaks are public (H6,
            H7).
    """

    side: str
    unit: str
    condition: om.Condition
    text: str
    line: int = 0
    same: bool = False


class Lookout:
    """All breaks in force, with the result of each condition at the last check."""

    def __init__(
        self, table: Resolution, orders: dict[str, om.Orders], autobreaks: list[tuple[str, om.Condition, str]]
    ) -> None:
        self.watches = _watches(table.state, orders, autobreaks)
        state, pulses = _last_look(table)
        moving = _moving(sequence.course(table.scenario).before(table.state.step))
        self.last = [self._true(watch, state, pulses, moving) for watch in self.watches]
        self.seen: tuple[object, ...] = ()

    def _true(self, watch: WatchedBreak, state: State, pulses: tuple[Pulse, ...], moving: bool) -> bool:
        me = state.units.get(watch.unit)
        if watch.unit and (not isinstance(me, Ship) or not me.in_play or not me.obeys or not me.belongs_to(watch.side)):
            return False  # the unit is gone, in mutiny or captured, so its break no longer counts
        asking = [me] if isinstance(me, Ship) else _asking(state, watch)
        for one in asking:
            if holds(watch.condition, Scene(state=state, me=one, pulses=pulses, moving=moving)).true:
                return bool(watch.unit) or takes_orders(state, watch.side)
        return False

    def look(self, table: Resolution, pulses: tuple[Pulse, ...]) -> list[WatchedBreak]:
        """Return the breaks whose condition became true since the last check.

        ``pulses`` are the shots, launches and damage of the steps just played. The list is empty if nothing has
        happened since the last check.
        """
        moving = _moving(table.step)
        seen = (table.state.records, table.turn, table.impulse, pulses, moving)
        if seen == self.seen:
            return []
        self.seen = seen
        now = [self._true(watch, table.state, pulses, moving) for watch in self.watches]
        fired = [watch for watch, was, is_ in zip(self.watches, self.last, now, strict=True) if is_ and not was]
        self.last = now
        return fired


def _moving(done: str) -> bool:
    """Return whether units may still move in this impulse after the step ``done`` was played.

    The result is true until seeking weapons have moved, because they move last.
    """
    return done in (StepName.MONSTERS, StepName.MOVE, StepName.SHUTTLES)


def _asking(state: State, watch: WatchedBreak) -> Sequence[Ship | Seeker | None]:
    """Return the units for which a break condition is evaluated if it belongs to no single unit.

    For a condition that a player wrote, these are the seeking weapons that no ship guides. For an auto-break, these are
    all ships of the side. If the list contains ``None``, the condition is evaluated without a unit.
    """
    if watch.line:
        return unguided(state, watch.side)
    if watch.same:
        return [None]
    return commanded_ships(state, watch.side) or [None]


def _last_look(table: Resolution) -> tuple[State, tuple[Pulse, ...]]:
    """Return the state and pulses with which breaks were last checked before play stopped.

    Pulses are shots, launches and damage. When play continues, these values are compared first, so that no side misses
    a break whose condition became true just before the stop.
    """
    state = table.state
    course = sequence.course(table.scenario)
    if state.step == course.impulse[0]:
        state = replace(state, impulse=state.impulse - 1)
        return state, pulses_of(state, StepName.END)
    steps = (StepName.FIRE, StepName.RESOLVE) if state.step == StepName.END else (course.before(state.step),)
    return state, pulses_of(state, *steps)


def _watches(
    state: State, orders: dict[str, om.Orders], autobreaks: list[tuple[str, om.Condition, str]]
) -> list[WatchedBreak]:
    found = []
    for side, condition, text in autobreaks:
        parts = [*om.parts(condition)]
        same = all(MEANINGS[type(part)].is_same_for_all(part) for part in parts) or any(part.private for part in parts)
        for asked in sorted(state.sides) if side == "all" else [side]:
            if not state.sides[asked].robot:
                found.append(WatchedBreak(side=asked, unit="", condition=condition, text=text, same=same))
    for side, sheet in sorted(orders.items()):
        for block in sheet.units:
            for line in block.breaks:
                found.append(
                    WatchedBreak(side=side, unit=block.unit, condition=line.condition, text=line.text, line=line.line)
                )
    return found


def ships_about_to_leave(table: Resolution, next_impulse: int) -> list[Commanded]:
    """Return the units that would leave the map with their next move although no order says so.

    The units are ships and manned shuttles. Units that could no longer stay on the map after that move are included. A
    unit with the order LEAVE MAP is left out, unless it would fly into a planet (P2.0). The check is made at the end of
    the previous impulse, so that the owner is asked for orders while the unit can still turn.
    """
    found: list[Commanded] = []
    manned = [shuttle for shuttle in table.state.shuttles() if not shuttle.target and not shuttle.landed]
    units: list[Commanded] = [*table.state.ships(), *manned]
    for ship in units:
        captain = table.captains.get(ship.side)
        if not isinstance(captain, OrdersCommander) or not due_to_move(table.state, ship, next_impulse):
            continue
        code = _next_code(table.state, captain, ship)
        if code is not None and _is_lost_by(table.state, ship, code, may_leave=captain.may_leave(ship)):
            found.append(ship)
    return found


def _next_code(state: State, captain: OrdersCommander, ship: Commanded) -> str | None:
    """Return the code that a unit will fly next by its orders.

    The result is ``None`` if the unit follows a pilot order or a fixed course, which already avoid the edge of the map.
    """
    block = captain.block(ship)
    plot = block.plot if block else None
    if plot is None:
        return "F"
    # A side that was never asked for orders has none, even if it got a ship since.
    standing = state.standing.get(ship.side)
    if standing is not None and plot.at_helm(standing.acted) is not None:
        return None
    flown = standing.flown.get(ship.name, 0) if standing else 0
    if flown < len(plot.codes) and verify_code(state, ship, plot.codes[flown]) is None:
        return plot.codes[flown]
    steered = plot.pilot is not None or flown < sum(count for count, _ in plot.course)
    return None if steered else "F"


def _is_lost_by(state: State, ship: Commanded, code: str, *, may_leave: bool) -> bool:
    """Return whether a unit is lost by a move.

    The unit is lost if the move takes it off the map or into a planet, or to a place from which it must leave the map
    although another move would have avoided this. Even a unit that ``may_leave`` the map may not fly into a planet
    (P2.0).
    """
    if may_leave:
        return isinstance(ship, Ship) and entered(state, ship, code)[0] in state.planets
    if not stays(state, ship, code):
        return True
    if keeps_room(state, ship, code):
        return False
    return any(keeps_room(state, ship, other) for other in legal_codes(state, ship))


def tell(table: Resolution, fired: list[WatchedBreak], leaving: list[Commanded]) -> tuple[tuple[str, ...], str]:
    """Write the breaks to the log; return the sides to ask for orders, and the public reason.

    A break is a condition on which play stops. Only the side that wrote it sees it. ``fired`` are the breaks whose
    condition became true, ``leaving`` the units that would leave the map without an order to do so.
    """
    for watch in fired:
        event = ev.Broke(side=watch.side, condition=watch.text, line=watch.line)
        if watch.line:
            table.secret(watch.side, event, ev.Broke(side=watch.side))
        else:
            table.tell(event)
    for ship in leaving:
        text = f"{ship.name} would leave the map with its next move or could not stay on it after that"
        if table.state.planets:
            text = (
                f"{ship.name} would leave the map or hit a planet with its next move, or could not avoid it after that"
            )
        table.secret(ship.side, ev.Broke(side=ship.side, condition=text), ev.Broke(side=ship.side))
    sides = tuple(sorted({watch.side for watch in fired} | {ship.side for ship in leaving}))
    auto = sorted({watch.text for watch in fired if not watch.line})
    own = sorted({watch.side for watch in fired if watch.line} | {ship.side for ship in leaving})
    reasons = [f"{AUTO_BREAK}{text}" for text in auto] + [f"{side}{OWN_BREAK}" for side in own]
    return sides, "; ".join(reasons)
