"""A side's orders with other movement plots, as they were found on a VASSAL table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pbem.engine.play.order_executor import resolve_names
from pbem.engine.state import Request, Ship
from pbem.errors import GameError
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.orders import model as om
from pbem.orders.header import Header, answer_to
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.reports.draft.drafts import draft_for

replace = msgspec.structs.replace


def with_plots(game: GameFolder, side: str, plots: Mapping[str, Sequence[str]], text: str = "") -> str:
    """The orders ``side`` has on file for the request in force (or its draft), with these codes as the plots of these
    units; or those of ``text``. All else in them stays. Raises :class:`GameError` where nothing is asked of the side,
    and for a text that cannot be read.
    """
    state = game.state()
    request = asked(game, side)
    file = game.order_file(request.turn, side, request.number)
    filed = text or (read_order_file(file) if file.is_file() else draft_for(state, game.scenario(), request, side))
    reading = read_orders(filed, file=file.name)
    if text and reading.faults:
        raise GameError(*reading.faults)
    orders = reading.orders
    if orders.alone:
        orders = read_orders(draft_for(state, game.scenario(), request, side)).orders
    orders = resolve_names(orders, state, side)
    here = {unit.unit for unit in orders.units}
    units = [_replotted(unit, plots) for unit in orders.units]
    for name in sorted(plots.keys() - here):
        shuttle = not isinstance(state.units.get(name), Ship)
        units.append(om.UnitOrders(unit=name, shuttle=shuttle, plot=om.Plot(codes=tuple(plots[name]))))
    top = replace(header(game, side), form=orders.form)
    return write_orders(om.Orders(**msgspec.structs.asdict(top), units=tuple(units)))


def asked(game: GameFolder, side: str) -> Request:
    """The request that ``side`` has to answer. Raises :class:`GameError` if there is none."""
    request = game.state().request
    if request is None or side not in request.sides:
        raise GameError.saying("not-asked", f"nothing is asked of {side} now, so no orders can be filed")
    return request


def header(game: GameFolder, side: str) -> Header:
    """The header of an answer of ``side``; without a request, of the game and the side alone."""
    request = game.state().request
    if request is None or side not in request.sides:
        return Header(game=game.terms.name, side=side)
    return answer_to(game.terms.name, side, request)


def _replotted(unit: om.UnitOrders, plots: Mapping[str, Iterable[str]]) -> om.UnitOrders:
    codes = plots.get(unit.unit)
    return unit if codes is None else replace(unit, plot=om.Plot(codes=tuple(codes)))
