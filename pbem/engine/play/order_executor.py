"""The commander of a human player's side: it carries out the side's orders in force.

Each order acts at the time that it names. A commander is the object that the engine asks for the decisions of a side
(:class:`pbem.engine.play.resolution.Commander`).
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from pbem.data.terms import StepName
from pbem.engine.checking.units import correct_unit_names
from pbem.engine.conditions.kinds import YES, asks_target, holds
from pbem.engine.conditions.scene import Scene, named, targets_of, units_of
from pbem.engine.play.periods import period_end, pulses_for, pulses_since_move
from pbem.engine.play.resolution import Commander, Doing, Intent, OrderReport, Resolution, Steer
from pbem.engine.state import AnyUnit, Commanded, Pulse, Seeker, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import fill_in
from pbem.engine.steps.geometry import near_side
from pbem.engine.steps.steering import PLACES, code_for_course, pilot_code, verify_code
from pbem.orders import model as om
from pbem.util import only


class ListedOrder(NamedTuple):
    """An order in force, with two facts about it that stay the same during play.

    Attributes:
        order: The order.
        of_target: Whether the condition of the order is about the target of the order.
        aim: ``it`` or ``each`` if the order names its target that way, otherwise empty.
    """

    order: om.Order
    of_target: bool
    aim: str


class OrdersCommander(Commander):
    """The commander of a side that follows written orders.

    ``orders`` is the parsed normal form of the order file.
    """

    def __init__(self, side: str, orders: om.Orders) -> None:
        self.side = side
        self.orders = orders
        self._blocks = {block.unit.casefold(): block for block in orders.units}
        self._guides = [
            (order, activity)
            for block in orders.units
            for order in block.do
            for activity in order.does
            if isinstance(activity, om.Guide)
        ]
        self._listed: dict[tuple[str, Doing], list[ListedOrder]] = {}
        self._asked_for: dict[Doing, bool] = {}

    # --- finding the orders of a unit ---

    def block(self, unit: AnyUnit) -> om.UnitOrders | None:
        """Return the block of orders of a ship or shuttle; ``None`` if there is none.

        Block headings must already be corrected to the exact names of the units (:func:`resolve_names`).
        """
        return self._blocks.get(unit.name.casefold())

    def _spent(self, state: State) -> tuple[int, ...]:
        standing = state.standing.get(self.side)
        return standing.spent if standing else ()

    def _due(self, state: State, at: int | None, last: bool) -> bool:
        if at is not None:
            return at == state.impulse
        return not last or state.impulse == period_end(state.options, state.impulses, state.impulse)

    # --- energy ---

    def allot(self, table: Resolution, ship: Ship, before: State) -> None:
        """Apply the ship's energy form as ordered.

        The Chief Engineer, i.e. the program, prepares a ship that has no form.
        """
        block = self.block(ship)
        if not engineering.has_form(table.scenario, ship):
            engineering.ready(table, ship, block.speed if block else None)
            return
        fill_in(table, ship, block.energy or () if block else ())

    # --- movement ---

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        """Return the next move of a unit.

        The move is taken from the first of these that applies: a reaction whose condition is true, the plot, a pilot
        order (which names a goal to steer by). If none applies, the unit flies straight ahead.
        """
        block = self.block(ship)
        plot = block.plot if block else None
        ahead = "" if _landed(ship) else "F"
        if plot is None:
            return Steer(code=ahead)
        standing = table.state.standing[self.side]
        length = plot.length
        pilot = plot.at_helm(standing.acted)
        flown = standing.flown.get(ship.name, 0) if pilot is None else length
        pilot = pilot or (plot.pilot if flown >= length else None)
        asks = plot.reactions or (pilot is not None and pilot.condition is not None)
        scene = Scene(state=before, me=ship, pulses=pulses_since_move(before, ship) if asks else ())
        sayings: list[OrderReport] = []
        took_over, code = self._reactions(ship, plot, scene, standing.spent, sayings)
        if took_over is not None:
            pilot, flown = took_over.hands_over(), length
        if code:
            return Steer(code=code, plotted=flown < length, sayings=tuple(sayings))
        if flown < length:
            return self._plotted(before, ship, plot, flown, sayings)
        goal = None if pilot is None else _goal(pilot, ship, scene)
        # A shuttle that has landed on the planet it was steered to stays there.
        if pilot is not None and goal is not None and not (_landed(ship) and goal == ship.hex):
            return Steer(code=pilot_code(before, ship, pilot, goal, plot.leave_map), sayings=tuple(sayings))
        return Steer(code=ahead, sayings=tuple(sayings))

    def _reactions(
        self, ship: Commanded, plot: om.Plot, scene: Scene, spent: tuple[int, ...], sayings: list[OrderReport]
    ) -> tuple[om.Reaction | None, str]:
        """Return the reaction that takes over the steering, and a code that replaces the next plot code.

        If there is no such reaction, the first value is ``None``; if there is no such code, the second value is empty.
        Reactions that have already acted are ignored. A report on the result of each reaction is added to ``sayings``.
        """
        before = scene.state
        took_over: om.Reaction | None = None
        for reaction in plot.reactions:
            if reaction.line in spent or not self._due(before, reaction.at, False):
                continue
            at_its_moment = reaction.at is not None
            if reaction.condition is not None and not holds(reaction.condition, scene).true:
                if at_its_moment:
                    why = "its condition did not hold"
                    sayings.append(_saying(reaction, "did not act", why, spent=not reaction.every))
            elif reaction.pilot is None:
                refused = verify_code(before, ship, reaction.codes[0])
                if refused is None:
                    sayings.append(_saying(reaction, "acted", spent=not reaction.every))
                    return took_over, reaction.codes[0]
                sayings.append(_saying(reaction, "did not act", str(refused), spent=at_its_moment))
            elif took_over is None:
                took_over = reaction
                sayings.append(_saying(reaction, "acted", spent=True))
            else:
                why = f"at the same moment the helm went to the reaction listed before it: {took_over.text}"
                sayings.append(_saying(reaction, "did not act", why, spent=True))
        return took_over, ""

    def _plotted(self, before: State, ship: Commanded, plot: om.Plot, flown: int, sayings: list[OrderReport]) -> Steer:
        """Return the next code of the plot.

        If that code is illegal now, return F and keep the code for the next move.
        """
        if plot.codes:
            code, arrives = plot.codes[flown], True
        else:
            code, arrives = code_for_course(ship, plot.course, flown)
        refused = verify_code(before, ship, code)
        if refused is None:
            return Steer(code=code, plotted=arrives, sayings=tuple(sayings))
        sayings.append(
            OrderReport(
                line=plot.line, order=f"{code} (code {flown + 1} of the plot)", result="flown as F", reason=str(refused)
            )
        )
        return Steer(code="F", sayings=tuple(sayings))

    def may_leave(self, ship: Commanded) -> bool:
        """Return whether the unit's orders contain LEAVE MAP."""
        block = self.block(ship)
        return block is not None and block.plot is not None and block.plot.leave_map

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        """Return the speed ordered for a shuttle, in hexes per turn.

        The result is 0 for a shuttle that stays landed on a planet, and ``None`` if the orders name no speed.
        """
        block = self._blocks.get(name.casefold())
        if block is not None and block.speed is not None:
            return block.speed
        stays = block is None or block.plot is None or not block.plot.leads
        return 0 if landed and stays else None

    def tacs(self, table: Resolution, ship: Ship, before: State) -> list[om.Tac]:
        """Return the tactical maneuvers whose impulse has come and whose condition is true.

        Maneuvers whose only chance has passed are reported as failed.
        """
        block = self.block(ship)
        spent = self._spent(table.state)
        scene = Scene(state=before, me=ship, pulses=pulses_for(before, StepName.TAC))
        found: list[om.Tac] = []
        for tac in block.plot.tacs if block and block.plot else ():
            if tac.line in spent or not self._due(before, tac.at, False):
                continue
            if tac.condition is None or holds(tac.condition, scene).true:
                found.append(tac)
            elif tac.at is not None:
                table.tac_failed(ship, tac, "its condition did not hold")
        return found

    # --- activities ---

    def may_intend(self, doing: Doing) -> bool:
        """Return whether the orders contain any activity of the given type.

        If not, the step skips this side.
        """
        if doing not in self._asked_for:
            orders = (order for block in self.orders.units for order in block.do)
            self._asked_for[doing] = any(isinstance(one, doing) for order in orders for one in order.does)
        return self._asked_for[doing]

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Return the orders for activities of the given type that act now.

        An order acts now if its time has come and its condition is true.
        """
        found: list[Intent] = []
        listed_now = self._orders(ship, doing)
        if not listed_now:
            return found
        pulses = pulses_for(before, table.step)
        answers: dict[tuple[om.Condition | None, str], tuple[str, ...] | None] = {}
        for listed in listed_now:
            order = listed.order
            if order.line in self._spent(table.state) or not self._due(before, order.at, order.last):
                continue
            # Cache the answers, because many orders may have the same condition about every unit on the map.
            asked = order.condition, listed.aim
            if listed.of_target or asked not in answers:
                answers[asked] = self._asked(listed, ship, before, pulses)
            answer = answers[asked]
            if answer is None:
                if order.at is not None or order.last:
                    table.failed(ship, order, "its condition did not hold")
                continue
            found.append(Intent(order=order, its=answer))
        return found

    def _orders(self, unit: AnyUnit, doing: Doing) -> list[ListedOrder]:
        """Return the orders of a unit that contain activities of the given kind.

        The result is cached, because orders in force do not change.
        """
        asked = unit.name, doing
        if asked not in self._listed:
            block = self.block(unit)
            self._listed[asked] = [
                ListedOrder(order, order.condition is not None and asks_target(order.condition), _aim(order))
                for order in (block.do if block else ())
                if any(isinstance(activity, doing) for activity in order.does)
            ]
        return self._listed[asked]

    def _asked(
        self, listed: ListedOrder, ship: Commanded, before: State, pulses: tuple[Pulse, ...]
    ) -> tuple[str, ...] | None:
        """Return the units for which an order's condition is true.

        The result is ``()`` if there is no condition or the condition names no units, and ``None`` if the condition
        is false.
        """
        order = listed.order
        if order.condition is None:
            return ()
        scene = Scene(
            state=before,
            me=ship,
            pulses=pulses,
            target=self._target(order, ship, before) if listed.of_target else "",
            aim=listed.aim,
        )
        answer = holds(order.condition, scene)
        return (answer.its or ()) if answer.true else None

    def _target(self, order: om.Order, ship: Commanded, before: State) -> str:
        """Return the name of the unit that an order has as its target, or ``""``.

        Conditions that name no unit, such as ``IF RANGE <= 4``, are about this target.
        """
        for activity in order.does:
            ref = getattr(activity, "target", None)
            if isinstance(ref, om.UnitRef) and ref.how not in ("it", "each"):
                units = units_of(ref, Scene(state=before, me=ship))
                if units:
                    return units[0].name
        return ""

    def guides(self, table: Resolution, seeker: Seeker | Shuttle, before: State) -> str:
        """Return the player's choice for a seeking weapon between equally near hexes.

        The choice is LEFT, RIGHT, STRAIGHT or empty (no choice).
        """
        for order, activity in self._guides:
            if not self._due(before, order.at, order.last):
                continue
            launcher = before.units.get(seeker.launcher)
            me = launcher if isinstance(launcher, Ship) else seeker
            scene = Scene(state=before, me=me, pulses=pulses_for(before, StepName.SEEK))
            answer = YES if order.condition is None else holds(order.condition, scene)
            if not answer.true:
                continue
            if any(unit.name == seeker.name for unit in units_of(activity.who, scene, answer.its)):
                return activity.way
        return ""

    def reserves(self, table: Resolution, ship: Ship, shield: int, internals: int) -> list[tuple[Intent, int]]:
        """Return the RESERVE orders for a shield that may act now, each with the most points it may spend.

        An order may act if its time has come, it has not acted yet, and its condition is true. ``internals`` is the
        number of internal damage points about to be scored; conditions may ask about it.
        """
        block = self.block(ship)
        found: list[tuple[Intent, int]] = []
        for order in block.do if block else ():
            if order.line in self._spent(table.state) or not self._due(table.state, order.at, order.last):
                continue
            for activity in order.does:
                if not isinstance(activity, om.Reserve) or activity.shield != shield:
                    continue
                scene = Scene(state=table.state, me=ship, pulses=pulses_for(table.state, table.step), coming=internals)
                if order.condition is None or holds(order.condition, scene).true:
                    found.append((Intent(order=order), activity.points))
        return found

    def damage_choices(self, ship: Ship) -> tuple[om.DamageChoice, ...]:
        """Return the DAMAGE lines that the orders contain for a ship."""
        block = self.block(ship)
        return block.damage if block else ()


def _aim(order: om.Order) -> str:
    """Return ``it`` or ``each`` if the order's target is IT or EACH, otherwise an empty string."""
    targets = (getattr(activity, "target", None) for activity in order.does)
    return next((ref.how for ref in targets if isinstance(ref, om.UnitRef) and ref.how in ("it", "each")), "")


def _goal(pilot: om.Pilot, ship: Commanded, scene: Scene) -> str | None:
    """Return the hex that a pilot order steers by; an empty string if it steers by an edge of the map.

    The result is ``None`` if the unit that the order names is not in play, or if the condition of the order is false.
    """
    answer = YES if pilot.condition is None else holds(pilot.condition, scene)
    if not answer.true:
        return None
    its = answer.its
    if pilot.unit.how in PLACES:
        return pilot.unit.name if pilot.unit.how == "hex" else ""
    quarry = targets_of(pilot.unit, scene, its)
    return near_side(scene.state, ship, quarry[0]).hex if quarry else None


def _landed(unit: Commanded) -> bool:
    return isinstance(unit, Shuttle) and bool(unit.landed)


def _saying(line: om.SourceLine, result: str, reason: str = "", *, spent: bool = False) -> OrderReport:
    return OrderReport(line=line.line, order=line.text, result=result, reason=reason, spent=spent)


def resolve_names(orders: om.Orders, state: State, side: str) -> om.Orders:
    """Return the orders with the exact name of the unit as the heading of every block.

    A block can then be found by the unit's name. Misspelled names are corrected in the same way as when the orders were
    checked.
    """
    orders, _ = correct_unit_names(orders, state, side)
    blocks = []
    for block in orders.units:
        mine = only([unit for unit in named(state, block.unit) if unit.belongs_to(side)]) if block.unit else None
        blocks.append(msgspec.structs.replace(block, unit=mine.name) if mine is not None else block)
    return msgspec.structs.replace(orders, units=tuple(blocks))
