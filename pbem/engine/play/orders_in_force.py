"""The remaining orders of a side that is asked for new orders during a turn.

The answer CONTINUE keeps these orders, and the draft contains them. Any answer may repeat them, even lines that can
no longer act.
"""

from __future__ import annotations

import msgspec

from pbem.data.terms import FormKind
from pbem.engine.checking.activities import step_is_over
from pbem.engine.play.order_executor import resolve_names
from pbem.engine.state import Request, Shuttle, State
from pbem.orders import model as om
from pbem.orders.draft import trim
from pbem.orders.reader import read_orders

replace = msgspec.structs.replace


def orders_in_force(state: State, request: Request, side: str) -> om.Orders | None:
    """Return a side's orders in force, without the parts already carried out or whose time is past.

    The result is ``None`` if the side has no orders in force, or if the request is for the orders of a new turn.
    """
    standing = state.standing.get(side)
    if standing is None or request.form != FormKind.SOP or request.impulse == 0:
        return None
    read = resolve_names(read_orders(standing.text, header=False).orders, state, side)
    left = trim(read, flown=standing.flown, spent=standing.spent, acted=standing.acted, impulse=request.impulse)
    kept: list[om.UnitOrders] = []
    for block in left.units:
        unit = state.units.get(block.unit)
        if unit is not None and (not unit.in_play or (isinstance(unit, Shuttle) and unit.target)):
            continue
        if isinstance(unit, Shuttle):
            # The speed is already announced for this turn (J1.21).
            block = replace(block, speed=None)
        do = tuple(order for order in block.do if not step_is_over(state, request, order))
        kept.append(replace(block, do=do))
    return replace(left, units=tuple(kept))


class InForce:
    """The order lines in force, by unit; an answer that is being checked may repeat any of them.

    ``orders`` is ``None`` if no orders are in force; then no line counts as in force.
    """

    def __init__(self, orders: om.Orders | None) -> None:
        self.asked_again = orders is not None
        self.plots = {block.unit.casefold(): block.plot for block in (orders.units if orders else ())}
        self.units = {block.unit.casefold() for block in orders.units} if orders else set()
        self.lines = {
            (block.unit.casefold(), line.text) for block in (orders.units if orders else ()) for line in _lines(block)
        }

    def has(self, unit: str, line: om.SourceLine) -> bool:
        """Return whether a unit's line was already in force before the answer that is being checked."""
        return (unit.casefold(), line.text) in self.lines

    def has_course(self, unit: str, plot: om.Plot | None) -> bool:
        """Return whether a unit's plot just repeats the remaining part of the plot in force.

        The result is also true if neither the answer nor the orders in force contain a plot for the unit.
        """
        return self.asked_again and _course(plot) == _course(self.plots.get(unit.casefold()))

    def has_block(self, unit: str) -> bool:
        """Return whether the unit had a block in the orders in force."""
        return unit.casefold() in self.units


def _course(plot: om.Plot | None) -> tuple[object, ...]:
    return () if plot is None or plot.text == "PLOT" else (plot.text,)


def _lines(block: om.UnitOrders) -> tuple[om.SourceLine, ...]:
    plot = block.plot
    steering = () if plot is None else (*plot.reactions, *plot.tacs)
    return (*steering, *block.do, *block.breaks, *block.damage)
