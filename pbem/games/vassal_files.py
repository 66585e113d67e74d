"""A side's orders with other movement plots, as they were found on a VASSAL table.

The VASSAL side of a game folder: the module it is laid out on, and the positions of each turn as a save.

What a player tried out on a VASSAL table, put into his orders. Nothing is filed here.
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
from pbem.games.storage.files import IN_USE, NO_PERMISSION, read_bytes, read_order_file, remove, write_bytes, write_text
from pbem.games.storage.folder import GameFolder
from pbem.orders import model as om
from pbem.orders.header import Header, answer_to
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.reports.draft.draft import draft_for
from pbem.vassal_bridge.binding import read_binding
from pbem.vassal_bridge.import_plots import tried_at_home

if TYPE_CHECKING:
    from pbem.vassal_bridge.binding import Binding


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


BINDING = "vassal.toml"
"""Which counter of which module stands for which unit, beside game.toml."""
POSITIONS = "positions.vsav"
"""The latest positions of a turn as everybody may see them, in the turn's folder."""
LATE = "positions.late.txt"
"""Stands beside positions that could not be written, and are those of an earlier moment, until they are."""


def game_binding(game: Path) -> Binding | None:
    """The game's vassal.toml, if it has one yet. Raises :class:`GameError`."""
    return _binding(game / BINDING)


def general_file(module: Path) -> Path:
    """The file beside a module that holds for all games on it: ``old.vassal.toml`` for old.vmod."""
    return module.with_name(f"{module.stem}.{BINDING}")


def general_binding(module: Path) -> Binding | None:
    """What holds for all games on a module, if anybody has looked at it yet. Raises :class:`GameError`."""
    return _binding(general_file(module))


def _binding(file: Path) -> Binding | None:
    if not file.is_file():
        return None
    try:
        return read_binding(read_bytes(file).decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error


def lay_out(turn_folder: Path, save: bytes) -> str:
    """Write positions into a turn's folder, or take away those that are there where there can be none now; why that
    could not be, or nothing.

    No report waits for its save. Where somebody has the file of earlier positions open so that it cannot be written,
    that is noted beside it (:data:`LATE`), and the next command writes it.
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
        said = f"{POSITIONS} is that of an earlier moment: {why}.\nThe next command writes it.\n"
        write_text(turn_folder / LATE, said, private=True)
        return why
    remove(turn_folder / LATE)
    return ""


def replotted(game: GameFolder, side: str, save: bytes, name: str, text: str) -> tuple[str, tuple[str, ...]]:
    """Orders of ``side`` with the plots of a save or log of its player's, which he calls ``name``, and what is to be
    said of them, line by line. ``text`` are the orders they are put into. The module is that of the game's
    vassal.toml, or the companion module. Raises :class:`GameError` where the rules forbid a plot, or nothing moved.
    """
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "tried"
        file.write_bytes(save)
        try:
            found = tried_at_home(game.state(), side, game_binding(game.path), file)
        except GameError as error:
            raise _as_he_calls_it(error.faults, file, name) from None
    if found.faults:
        raise _as_he_calls_it(found.faults, file, name)
    if not found.codes:
        remarks = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
        none = "no counter of a ship or shuttle of yours was moved in it"
        raise GameError.saying("not-moved", "; ".join(remarks) or none, file=name)
    said = [f"{one.unit}: {remark}" for one in found.plots for remark in one.remarks]
    said += [f"No counter of {one} on the map: nothing was read for it." for one in found.unseen]
    return with_plots(game, side, found.codes, text), tuple(said)


def _as_he_calls_it(faults: tuple[Fault, ...], file: Path, name: str) -> GameError:
    """The faults with his own name of the file: where it lay here is no business of anybody's."""
    return GameError(
        *(replace(one, file=name if one.file else "", text=one.text.replace(str(file), name)) for one in faults)
    )
