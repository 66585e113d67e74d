"""The VASSAL files of a game folder: the module binding, and a save of the positions of each turn.

A binding says which counter of a VASSAL module represents which unit. This module also puts movement plots that a
player tried out in VASSAL into their orders, without filing the orders.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from pbem.engine.play.order_executor import resolve_names
from pbem.engine.state import Request, Ship
from pbem.errors import Fault, GameError
from pbem.games.storage.files import (
    IN_USE,
    NO_PERMISSION,
    read_order_file,
    read_toml_file,
    remove,
    write_bytes,
    write_text,
)
from pbem.games.storage.folder import GameFolder
from pbem.orders import model as om
from pbem.orders.header import Header, answer_to
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.vassal_bridge.binding import read_binding

if TYPE_CHECKING:
    from pbem.vassal_bridge.binding import Binding


def with_plots(game: GameFolder, side: str, plots: Mapping[str, Sequence[str]], text: str = "") -> str:
    """Return a side's orders for the request in force with new movement plots; everything else stays unchanged.

    Args:
        game: The opened game.
        side: The side that gives the orders.
        plots: Movement codes by unit name.
        text: Orders to change; by default those on file or else the side's draft.

    Raises:
        GameError: No orders are due from the side, or ``text`` cannot be read.
    """
    from pbem.reports.draft.draft import draft_for

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
    """Return the request for orders that ``side`` has to answer.

    Raises:
        GameError: No orders are due from the side.
    """
    request = game.state().request
    if request is None or not request.asks(side):
        raise GameError.saying("not-asked", f"no orders can be filed: the game is not waiting for {side} now")
    return request


def header(game: GameFolder, side: str) -> Header:
    """Return the header for an order file of ``side``.

    If no request for orders is in force, the header contains only the game and the side.
    """
    request = game.state().request
    if request is None or not request.asks(side):
        return Header(game=game.terms.name, side=side)
    return answer_to(game.terms.name, side, request)


def _replotted(unit: om.UnitOrders, plots: Mapping[str, Iterable[str]]) -> om.UnitOrders:
    codes = plots.get(unit.unit)
    return unit if codes is None else replace(unit, plot=om.Plot(codes=tuple(codes)))


BINDING = "vassal.toml"
"""Name of the file beside ``game.toml`` that maps the counters of a VASSAL module to units."""
POSITIONS = "positions.vsav"
"""Name of the VASSAL save in a turn's folder with the latest public positions of that turn."""
LATE = "positions.late.txt"
"""Name of a file in a turn's folder that says that the VASSAL save there could not be written and is out of date."""


def game_binding(game: Path) -> Binding | None:
    """Return the binding of counters to units in the game's ``vassal.toml``, or ``None`` if there is none yet.

    Raises:
        GameError: The file cannot be read.
    """
    return _binding(game / BINDING)


def general_file(module: Path) -> Path:
    """Return the path of the file that binds the counters of one VASSAL module to units for all games.

    The file of ``old.vmod`` is ``old.vassal.toml`` in the same folder.
    """
    return module.with_name(f"{module.stem}.{BINDING}")


def general_binding(module: Path) -> Binding | None:
    """Return the binding for all games on one VASSAL module, or ``None`` if there is none yet.

    Raises:
        GameError: The file cannot be read.
    """
    return _binding(general_file(module))


def _binding(file: Path) -> Binding | None:
    if not file.is_file():
        return None
    try:
        return read_binding(read_toml_file(file).decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error


def lay_out(turn_folder: Path, save: bytes) -> str:
    """Write a VASSAL save of positions into a turn's folder; an empty ``save`` deletes the file.

    If another program has the old file open, the function does not wait. It writes a note file (:data:`LATE`) beside
    it, and the next command writes the save.

    Returns:
        The reason why the file could not be written, or ``""``.
    """
    file = turn_folder / POSITIONS
    try:
        if save:
            write_bytes(file, save, private=True)
        else:
            remove(file)
    except GameError as error:
        if any(fault.code not in (IN_USE, NO_PERMISSION) for fault in error.faults):
            raise
        why = "; ".join(fault.text for fault in error.faults)
        said = f"{POSITIONS} is out of date: {why}.\nThe next command writes it again.\n"
        write_text(turn_folder / LATE, said, private=True)
        return why
    remove(turn_folder / LATE)
    return ""


def replotted(game: GameFolder, side: str, save: bytes, name: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Return a side's orders with the plots from a VASSAL save or log, and one line for each remark on them.

    The VASSAL module is the one that the game's ``vassal.toml`` names, or the companion module.

    Args:
        game: The opened game.
        side: The side that gives the orders.
        save: Content of the save or log.
        name: The player's name for that file; faults refer to it.
        text: The orders into which the plots are put.

    Raises:
        GameError: The rules forbid a plot, or nothing was moved.
    """
    from pbem.vassal_bridge.import_plots import tried_at_home

    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "tried"
        file.write_bytes(save)
        try:
            found = tried_at_home(game.state(), side, game_binding(game.path), file)
        except GameError as error:
            raise _with_file_name(error.faults, file, name) from None
    if found.faults:
        raise _with_file_name(found.faults, file, name)
    if not found.codes:
        remarks = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
        none = "move your ships' or shuttles' counters first: none was moved in it"
        raise GameError.saying("not-moved", "; ".join(remarks) or none, file=name)
    said = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
    said += [f"Nothing was read for {one}: its counter is not on the map." for one in found.unseen]
    return with_plots(game, side, found.codes, text), tuple(said)


def _with_file_name(faults: tuple[Fault, ...], file: Path, name: str) -> GameError:
    """Return an error with these faults, in which the player's own file name replaces the path of a temporary file."""
    return GameError(
        *(replace(one, file=name if one.file else "", text=one.text.replace(str(file), name)) for one in faults)
    )
