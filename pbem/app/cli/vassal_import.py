"""import: what players did on the VASSAL table, brought back: positions, movement plots, orders in delayed notes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import FAULTY, Json, arg, columns, opened, opt, refusal, say, spelled, tell_faults
from pbem.app.cli.play import Game, receipt_text

if TYPE_CHECKING:
    from pbem.errors import Fault
    from pbem.games.storage.folder import GameFolder
    from pbem.vassal_bridge.binding import Binding
    from pbem.vassal_bridge.importing import Found
    from pbem.vassal_bridge.order_notes import FoundNotes
    from pbem.vassal_bridge.plotting import Plotted


def import_(
    game: Game,
    saves: Annotated[
        list[Path],
        arg(
            "F.vsav [AFTER.vsav]",
            "The VASSAL save or log; for --plot also one from before and one from after the moves.",
        ),
    ],
    module: Annotated[
        Path | None,
        opt("The VASSAL module; the one of the last export if left out.", "--module", metavar="M.vmod", readable=False),
    ] = None,
    plot: Annotated[bool, opt("Work out movement plots from how counters were moved.", "--plot")] = False,
    side: Annotated[
        str,
        opt(
            "Whose file it is: show the orders in its delayed notes, or its plots alone.",
            "--side",
            offer=complete.sides,
        ),
    ] = "",
    note: Annotated[str, opt("With --side: only the delayed note of that name.", "--note")] = "",
    take: Annotated[bool, opt("Take the positions over into the game, or file the orders.", "--take")] = False,
    json: Json = False,
) -> None:
    """Show what players did in VASSAL: counters that stand otherwise than in the game, movement plots (--plot), orders
    in a side's own delayed notes (--side). With --take, the units are moved or the orders filed.
    """

    if len(saves) > 2 or (len(saves) == 2 and not plot):
        raise typer.BadParameter("one file, or two with --plot: before and after the moves", param_hint="F.vsav")
    if note and (plot or not side):
        raise typer.BadParameter("goes with --side, to read that side's notes", param_hint="--note")
    if plot and take and not side:
        raise typer.BadParameter("say whose orders are to be filed", param_hint="--side")
    with opened(game, lock="import" if take else "") as folder:
        whose = side and spelled(side, folder.state().sides)
        if whose and not plot:
            faults = _notes(folder, saves[0], whose, note, take=take, json=json)
        elif plot:
            faults = _plots(folder, saves, module, whose, take=take, json=json)
        else:
            faults = _positions(folder, saves[0], module, take=take, json=json)
    if faults:
        raise typer.Exit(FAULTY)


def _table(folder: GameFolder, module: Path | None, save: Path) -> tuple[Any, Binding]:
    from pbem.games.table import game_binding, general_binding
    from pbem.vassal_bridge.export import open_module
    from pbem.vassal_bridge.proposing import binding_for, propose

    binding = game_binding(folder.path)
    if module is None and (binding is None or not binding.module):
        raise refusal("no-module", "say with --module which VASSAL module the save is of", file=str(save))
    file = module or Path(binding.module if binding else "")
    table = open_module(file)
    known = binding_for(binding, general_binding(file), folder.state(), table)
    return table, known or propose(folder.state(), table)


def _positions(folder: GameFolder, save: Path, module: Path | None, *, take: bool, json: bool) -> bool:
    """Where counters stand; true where one has no place in the game."""
    from pbem.engine.state import Planet
    from pbem.errors import Fault
    from pbem.games.umpire.override import reposition
    from pbem.vassal_bridge.importing import import_positions, open_save

    table, binding = _table(folder, module, save)
    found = import_positions(folder.state(), open_save(save), table, binding)
    faults = [Fault(code="counter", text=text, file=str(save)) for text in found.faults]
    # A counter without a facing keeps the unit's; one that stands off the map has no place in the game.
    seen = {one.unit for one in found.moved} | {*found.unchanged}
    units = [unit.name for unit in folder.state().in_play() if not isinstance(unit, Planet)]
    lost = [name for name in units if name not in seen and name not in found.missing]
    lost += [name for name in units if not seen]  # a file without any of them is none of this game
    taken = take and not lost
    if taken:
        reposition(folder, {one.unit: one.then for one in found.moved}, source=save.name)
    _say({"found": found, "taken": taken}, _position_lines(found, take=take, taken=taken), faults, json=json)
    return bool(lost)


def _say(data: dict[str, Any], lines: list[str], faults: list[Fault], *, json: bool) -> None:
    say({**data, "faults": faults}, "\n".join(lines), json=json)
    if not json:
        tell_faults(faults, json=False)


def _position_lines(found: Found, *, take: bool, taken: bool) -> list[str]:
    if found.moved:
        lines = ["Taken over:" if taken else "Stands otherwise on the table:"]
        rows = [(one.unit, one.now, "->", one.then + "".join(f"  ({r})" for r in one.remarks)) for one in found.moved]
        lines += columns(rows)
        if not taken:
            lines.append("Nothing was changed" + ("." if take else ": --take moves the units there."))
    elif found.missing or found.faults or not found.unchanged:
        many = len(found.unchanged)
        some = f"{many} counters stand where the game has their units."
        one = f"{many or 'No'} counter stands where the game has its unit."
        lines = [some if many > 1 else one]
    else:
        lines = ["Every counter stands where the game has its unit."]
    lines += [f"No counter for {name}: it stays where it is." for name in found.missing]
    return lines + [f"Not of this game: {name}." for name in found.unknown]


def _plots(folder: GameFolder, saves: list[Path], module: Path | None, side: str, *, take: bool, json: bool) -> bool:
    """Movement plots; true where the rules forbid one."""
    from pbem.games.replot import header, with_plots
    from pbem.games.submit import submit
    from pbem.orders import model as om
    from pbem.orders.writer import write_orders
    from pbem.vassal_bridge.tried_out import tried_out

    table, binding = _table(folder, module, saves[-1])
    tried = tried_out(folder.state(), side, table, binding, saves[-1], saves[0] if len(saves) > 1 else None)
    found, wanted, faults = tried.plots, tried.codes, list(tried.faults)
    blocks = tuple(
        om.UnitOrders(unit=one.unit, shuttle=one.shuttle, position=one.start, plot=om.Plot(codes=one.codes))
        for one in found
        if one.codes
    )
    top = header(folder, side) if side else om.Orders(game=folder.terms.name)
    orders = write_orders(om.Orders(game=top.game, turn=top.turn, side=side, reply=top.reply, units=blocks))
    receipt = None
    if take and wanted and not faults:
        receipt = submit(folder, with_plots(folder, side, wanted), str(saves[-1]))
    said = [] if faults and not found else _plot_lines(found)
    said += [f"No counter of {name} on the map: nothing was read for it." for name in tried.unseen]
    said += _what_was_done(receipt, take=take, any_=bool(wanted), what="the plots")
    data: dict[str, Any] = {"plots": found, "unseen": tried.unseen, "orders": orders if wanted else ""}
    _say({**data, "receipt": receipt, "taken": receipt is not None}, said, faults, json=json)
    return bool(faults)


def _plot_lines(found: tuple[Plotted, ...]) -> list[str]:
    from pbem.orders import model as om
    from pbem.orders.writer import plot_text, unit_text

    lines = [] if found else ["No counter of a ship or shuttle was moved."]
    for one in found:
        lines.append(unit_text(om.UnitOrders(unit=one.unit, shuttle=one.shuttle, position=one.start)))
        lines += [plot_text(om.Plot(codes=one.codes))] if one.codes else []
        lines += [f"  # {remark}" for remark in one.remarks]
    return lines


def _notes(folder: GameFolder, save: Path, side: str, name: str, *, take: bool, json: bool) -> bool:
    """Orders in the side's own delayed notes; true where they cannot be read, or it is unclear which to take."""
    from pbem.errors import Fault
    from pbem.games.replot import header
    from pbem.games.submit import submit
    from pbem.vassal_bridge.importing import open_save
    from pbem.vassal_bridge.order_notes import orders_in_notes

    notes = [one for one in open_save(save).delayed_notes if name in ("", one.name)]
    found = orders_in_notes(notes, side, folder.state().sides, header(folder, side), save.name)
    faults = [fault for one in found.orders for fault in one.faults]
    if take and len(found.orders) > 1:
        names = tuple(one.note for one in found.orders)
        text = "several notes hold orders; say with --note which to file"
        faults.append(Fault(code="which-note", text=text, file=str(save), family="ambiguous", choices=names))
    receipt = None
    if take and found.orders and not faults:
        receipt = submit(folder, found.orders[0].text, str(save))
    lines = _note_lines(found, side)
    lines += _what_was_done(receipt, take=take, any_=bool(found.orders), what="the orders")
    _say({"notes": found, "receipt": receipt, "taken": receipt is not None}, lines, faults, json=json)
    return bool(faults)


def _note_lines(found: FoundNotes, side: str) -> list[str]:
    lines = [] if found.orders else [f"No delayed note of {side} reads as orders."]
    for one in found.orders:
        lines.append(f"Delayed note {one.note!r}{'' if one.hidden else ' (revealed)'}:")
        lines += [f"  {line}".rstrip() for line in one.orders.rstrip("\n").split("\n")]
    lines += [f"No orders in the note {name!r}." for name in found.others]
    return lines + ([f"Not read, because not {side}'s: {found.not_mine} of the notes."] if found.not_mine else [])


def _what_was_done(receipt: Any, *, take: bool, any_: bool, what: str) -> list[str]:
    if receipt is not None:
        return ["", receipt_text(receipt).rstrip("\n")]
    if not any_:
        return []
    return ["Nothing was filed" + ("." if take else f": --take files {what}.")]
