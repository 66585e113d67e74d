"""The VASSAL commands: module, export, bind, import and table.

``module`` writes the companion module. ``export`` writes a game as a save or a replay log. ``bind`` chooses counters
for units. ``import`` reads positions, plots and orders that players made in VASSAL. ``table`` watches a folder of
saves, and updates it from the game.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import FAULTY, Json, arg, columns, opened, opt, progress, refusal, say, spelled, tell_faults
from pbem.app.cli.play import Game, receipt_text
from pbem.util import several, typed

if TYPE_CHECKING:
    from pbem.errors import Fault
    from pbem.games.storage.folder import GameFolder
    from pbem.vassal_bridge.binding import Binding
    from pbem.vassal_bridge.export import Placing
    from pbem.vassal_bridge.import_plots import FoundNotes, Plotted
    from pbem.vassal_bridge.import_positions import ImportedPositions
    from pbem.vassal_bridge.propose import CounterAnswer, Survey


Module = Annotated[Path, opt("The VASSAL module.", "--module", metavar="M.vmod", readable=False, show_default=False)]


def module(
    output: Annotated[Path, opt("The module to write.", "--output", "-o", metavar="FILE", readable=False)] = Path(
        "cadet.vmod"
    ),
    svg: Annotated[bool, opt("Pack SVG drawings instead of pictures; needs no other package.", "--svg")] = False,
    json: Json = False,
) -> None:
    """Write a VASSAL module with maps, counters, impulse charts and all scenarios.

    It needs no files from other people.
    """
    from pbem.vassal_bridge.companion.module import build_module, verify_place, write_module

    verify_place(output)
    with progress("drawing the module"):
        built = build_module(svg=svg)
        write_module(built, output)
    text = (
        f"{output}: a VASSAL module with {built.slots} counters, {built.pictures} pictures and {built.scenarios}"
        f" scenarios.\nTo lay a game on it: pbem export GAME --module {output} -o GAME.vsav"
    )
    data = {"module": output, "counters": built.slots, "pictures": built.pictures, "scenarios": built.scenarios}
    say(data, text, json=json)


def export(
    game: Game,
    module: Module,
    output: Annotated[
        Path | None, opt("The file to write.", "--output", "-o", metavar="FILE", readable=False, show_default=False)
    ] = None,
    onto: Annotated[
        Path | None,
        opt("A save to update; everything else in it stays.", "--onto", metavar="F.vsav", readable=False),
    ] = None,
    side: Annotated[
        str,
        opt(
            "Add this side's secrets, such as its ships' papers; give the save to that side only.",
            "--side",
            offer=complete.sides,
        ),
    ] = "",
    log: Annotated[bool, opt("Write a turn as a VASSAL log to watch step by step.", "--log")] = False,
    turn: Annotated[int, opt("With --log: show this turn; default: the last one.", "--turn", min=0)] = 0,
    impulse: Annotated[int, opt("With --log: begin with this impulse.", "--impulse", min=0)] = 0,
    try_: Annotated[bool, opt("Write nothing; show what would be placed and what is missing.", "--try")] = False,
    json: Json = False,
) -> None:
    """Write a VASSAL save of the present positions, update a save, or write a turn as a log.

    GAME/vassal.toml says which counter is used for which unit. If it does not exist, M.vassal.toml beside the
    module is used (see pbem bind). The command lists the units that are placed and those that are left out.
    """
    from msgspec.structs import asdict, replace

    from pbem.games.storage.files import write_text
    from pbem.games.vassal_files import BINDING, game_binding, general_binding
    from pbem.vassal_bridge.binding import binding_text
    from pbem.vassal_bridge.companion.ssd import COMPANION
    from pbem.vassal_bridge.export import open_module, write_save
    from pbem.vassal_bridge.files import placing_of, replay_log_file, save_file
    from pbem.vassal_bridge.propose import binding_for

    if onto is not None and log:
        raise typer.BadParameter("leave out --onto with --log: it updates a save, not a log", param_hint="--onto")
    if side and log:
        raise typer.BadParameter("leave out --side with --log: a log has no secrets", param_hint="--side")
    if (turn or impulse) and not log:
        raise typer.BadParameter("needs --log", param_hint="--turn" if turn else "--impulse")
    if output is None and not try_:
        raise typer.BadParameter("name the file to write, or use --try to write none", param_hint="--output")
    with opened(game, lock="" if try_ else "export") as folder, progress("laying the table"):
        table = open_module(module)
        before = binding_for(game_binding(game), general_binding(module), folder.state(), table)
        plan = placing_of(folder.effective(), table, before)
        # The companion module marks its counters by unit, so nothing is guessed.
        guessed = before is None and table.name != COMPANION
        if try_ or output is None:
            say({"try": True, **asdict(plan)}, "\n".join([_would(plan, guessed=guessed), *plan.lines]), json=json)
            return
        if log:
            done = replay_log_file(folder.records(), table, before, turn=turn, impulse=impulse)
        else:
            own_side = spelled(side, folder.state().sides) if side else ""
            done = save_file(folder.effective(), table, before, onto=onto, side=own_side)
        write_save(done.save, output)
        if game_binding(game) is None or before is None or before.module != module.as_posix():
            write_text(game / BINDING, binding_text(replace(done.binding, module=module.as_posix())))
    lines = [f"{output}: {done.what} on the map {done.binding.map}."]
    lines += [f"  {line}" for line in done.changed or ()]
    if guessed:
        lines.append(f"The counters were chosen by name: look at {game / BINDING}, and edit it where it is wrong.")
    lines += [] if log else plan.lines
    lines += [line for line in done.left_out if log or line not in plan.lacking]
    data = {"save": output, "map": done.binding.map, "left_out": done.left_out, "placed": plan.placed, **done.data}
    say(data, "\n".join(lines), json=json)


def _would(plan: Placing, *, guessed: bool) -> str:
    many = len(plan.placed)
    chosen = ", its counters chosen by name (pbem bind asks about them)" if guessed else ""
    return f"On the map {plan.map}{chosen}, {many} of {several(many + len(plan.lacking), 'unit')} would be placed:"


def bind(
    module: Annotated[Path, arg("M.vmod", "The VASSAL module, from any author.")],
    game: Annotated[Path | None, arg("[GAME]", "The game it is for; default: all games that use this module.")] = None,
    output: Annotated[
        Path | None, opt("The file to write instead.", "-o", "--output", metavar="FILE", show_default=False)
    ] = None,
    yes: Annotated[bool, opt("Do not ask: take the best guess, and report it.", "--yes", "-y")] = False,
    json: Json = False,
) -> None:
    """Examine any VASSAL module, ask about anything unclear, and write vassal.toml.

    The command finds the map, the counters, and the way they show a facing. vassal.toml is written into the game's
    folder, or as M.vassal.toml beside the module for all games. pbem export reads it.
    """
    from msgspec.structs import replace

    from pbem.games.storage.files import read_bytes, write_text
    from pbem.games.vassal_files import BINDING, general_file
    from pbem.vassal_bridge.binding import binding_text
    from pbem.vassal_bridge.export import open_module
    from pbem.vassal_bridge.propose import survey

    with progress("looking at the module"):
        table = open_module(module)
        if game is None:
            found, file = survey(table), general_file(module)
        else:
            with opened(game) as folder:
                found, file = survey(table, folder.state()), game / BINDING
    asks = not yes and not json and at_terminal()
    chosen = _asked(found) if asks else {}
    binding = replace(found.binding(chosen), module=module.as_posix())
    file = output or file
    text, old_file = binding_text(binding), file.with_name(f"{file.name}.old")
    before = read_bytes(file).decode("utf-8", "replace") if file.is_file() else text
    if before != text:
        write_text(old_file, before)
    write_text(file, text)
    data: dict[str, Any] = {
        "file": file, "module": found.module, "map": found.map, "facing": found.facing, "counters": found.counters,
        "guessed": [] if asks else [answer.key for answer in found.questions], "lacking": found.lacking,
        "remarks": found.remarks, "binding": binding,
    }  # fmt: skip
    lines = _lines(found, module, file, game, asked=asks)
    if before != text:
        lines.insert(1, f"What was in it before is kept in {old_file.name}.")
    say(data, "\n".join(lines), json=json)


def at_terminal() -> bool:
    """Return whether standard input is a terminal, so that the program can ask questions."""
    return sys.stdin.isatty()


def _asked(survey: Survey) -> dict[str, str]:
    """Ask the user at the terminal about each uncertain line of the survey; return choices by line key."""
    return {answer.key: _ask(answer) for answer in survey.questions}


def _ask(answer: CounterAnswer) -> str:
    typer.echo(f"\n{answer.about}: which is it?")
    for number, choice in enumerate(answer.choices, 1):
        typer.echo(f"  {number}  {choice.about}{f' ({choice.why})' if choice.why else ''}")
    can_do_without = answer.key not in ("map", "facing")
    if can_do_without:
        typer.echo("  0  none of them")
    least = 0 if can_do_without else 1
    picked = typer.prompt("Number", default=1, type=int)
    while not least <= picked <= len(answer.choices):
        typer.echo(f"A number from {least} to {len(answer.choices)}, please.")
        picked = typer.prompt("Number", default=1, type=int)
    return answer.choices[picked - 1].value if picked else ""


def _lines(survey: Survey, module: Path, file: Path, game: Path | None, *, asked: bool) -> list[str]:
    """Return lines of text that list what was found in a module, what was guessed, and what is missing."""
    sure = [answer for answer in survey.counters if answer.choices and answer.sure]
    guessed = [answer for answer in survey.questions if not asked]
    lines = [f"{file}: {survey.module}, on {survey.map.choices[0].about}."]
    lines.append(f"Found beyond doubt: {len(sure)} of {several(len(survey.counters), 'line')}.")
    if guessed:
        lines.append("Not sure, and guessed; look at these lines, or run it without --yes at a terminal:")
        for answer in guessed:
            best, others = answer.choices[0], len(answer.choices) - 1
            more = f", or one of {others} more" if others > 1 else ", or one more" if others else ""
            lines.append(f"  {answer.about}: {best.about}{f' ({best.why})' if best.why else ''}{more}")
    if survey.lacking:
        lines.append(f"The module has nothing for: {', '.join(survey.lacking)}.")
    lines += [f"{remark[0].upper()}{remark[1:]}." for remark in survey.remarks]
    where = typed(game.as_posix()) if game is not None else "GAME"
    lines.append(f"What that places: pbem export {where} --module {typed(module.as_posix())} --try")
    return lines


def import_(
    game: Game,
    saves: Annotated[
        list[Path],
        arg(
            "F.vsav [AFTER.vsav]",
            "The VASSAL save or log; with --plot, you may give two: one from before and one from after the moves.",
        ),
    ],
    module: Annotated[
        Path | None,
        opt("The VASSAL module; default: that of the last export.", "--module", metavar="M.vmod", readable=False),
    ] = None,
    plot: Annotated[bool, opt("Work out movement plots from the moved counters.", "--plot")] = False,
    side: Annotated[
        str,
        opt(
            "The side whose file it is: show the orders in its delayed notes, or only its plots.",
            "--side",
            offer=complete.sides,
        ),
    ] = "",
    note: Annotated[str, opt("With --side: read only the delayed note of this name.", "--note")] = "",
    take: Annotated[bool, opt("Move the units in the game, or file the orders.", "--take")] = False,
    json: Json = False,
) -> None:
    """Show what players did in VASSAL: moved counters, movement plots, or orders.

    Without options the command lists the counters whose position differs from the game. --plot shows movement
    plots. --side shows the orders in a side's own delayed notes. With --take, the units are moved, or the
    orders are filed.
    """
    if len(saves) > 2 or (len(saves) == 2 and not plot):
        raise typer.BadParameter("give one file, or two with --plot: before and after the moves", param_hint="F.vsav")
    if note and (plot or not side):
        raise typer.BadParameter("needs --side, to read that side's notes", param_hint="--note")
    if plot and take and not side:
        raise typer.BadParameter("name the side whose orders to file", param_hint="--side")
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
    from pbem.games.vassal_files import game_binding, general_binding
    from pbem.vassal_bridge.export import open_module
    from pbem.vassal_bridge.propose import binding_for, propose

    binding = game_binding(folder.path)
    if module is None and (binding is None or not binding.module):
        raise refusal("no-module", "name the save's VASSAL module with --module", file=str(save))
    file = module or Path(binding.module if binding else "")
    table = open_module(file)
    known = binding_for(binding, general_binding(file), folder.state(), table)
    return table, known or propose(folder.state(), table)


def _positions(folder: GameFolder, save: Path, module: Path | None, *, take: bool, json: bool) -> bool:
    """Print the counters that are not where the game has their units.

    Return True if the file has no counters of the game, or if a counter is not on the game's map. With ``take``, the
    umpire moves the units to the counters.
    """
    from pbem.engine.state import Planet
    from pbem.errors import Fault
    from pbem.games.umpire.decree import reposition
    from pbem.vassal_bridge.import_positions import import_positions, open_save

    table, binding = _table(folder, module, save)
    found = import_positions(folder.state(), open_save(save), table, binding)
    faults = [Fault(code="counter", text=text, file=str(save)) for text in found.faults]
    # A counter without a facing keeps the unit's facing. A counter off the map gives no position.
    seen = {one.unit for one in found.moved} | {*found.unchanged}
    units = [unit.name for unit in folder.state().in_play() if not isinstance(unit, Planet)]
    lost = [name for name in units if name not in seen and name not in found.missing]
    lost += [name for name in units if not seen]  # a file without any of the units is not of this game
    taken = take and not lost
    if taken:
        reposition(folder, {one.unit: one.then for one in found.moved}, source=save.name)
    _say({"found": found, "taken": taken}, _position_lines(found, take=take, taken=taken), faults, json=json)
    return bool(lost)


def _say(data: dict[str, Any], lines: list[str], faults: list[Fault], *, json: bool) -> None:
    say({**data, "faults": faults}, "\n".join(lines), json=json)
    if not json:
        tell_faults(faults, json=False)


def _position_lines(positions: ImportedPositions, *, take: bool, taken: bool) -> list[str]:
    if positions.moved:
        lines = ["Taken over:" if taken else "In another place in the save:"]
        rows = [
            (one.unit, one.now, "->", one.then + "".join(f"  ({r})" for r in one.remarks)) for one in positions.moved
        ]
        lines += columns(rows)
        if not taken:
            lines.append("Nothing was changed" + ("." if take else "; --take moves the units there."))
    elif positions.missing or positions.faults or not positions.unchanged:
        many = len(positions.unchanged)
        some = f"{many} counters are where the game has their units."
        one = f"{many or 'No'} counter is where the game has its unit."
        lines = [some if many > 1 else one]
    else:
        lines = ["Every counter is where the game has its unit."]
    lines += [f"No counter for {name}: it stays where it is." for name in positions.missing]
    return lines + [f"Not of this game: {name}." for name in positions.unknown]


def _plots(folder: GameFolder, saves: list[Path], module: Path | None, side: str, *, take: bool, json: bool) -> bool:
    """Print the movement plots that were found; return True if there are faults, such as a forbidden move.

    With ``take``, plots without faults are filed as orders.
    """
    from pbem.games.submit import submit
    from pbem.games.vassal_files import header, with_plots
    from pbem.orders import model as om
    from pbem.orders.writer import write_orders
    from pbem.vassal_bridge.import_plots import tried_out

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
    lines = [] if faults and not found else _plot_lines(found)
    lines += [f"Nothing was read for {name}: its counter is not on the map." for name in tried.unseen]
    lines += _what_was_done(receipt, take=take, any_=bool(wanted), what="the plots")
    data: dict[str, Any] = {"plots": found, "unseen": tried.unseen, "orders": orders if wanted else ""}
    _say({**data, "receipt": receipt, "taken": receipt is not None}, lines, faults, json=json)
    return bool(faults)


def _plot_lines(plots: tuple[Plotted, ...]) -> list[str]:
    from pbem.orders import model as om
    from pbem.orders.writer import plot_text, unit_text

    lines = [] if plots else ["No counter of a ship or shuttle was moved."]
    for one in plots:
        lines.append(unit_text(om.UnitOrders(unit=one.unit, shuttle=one.shuttle, position=one.start)))
        lines += [plot_text(om.Plot(codes=one.codes))] if one.codes else []
        lines += [f"  # {remark}" for remark in one.remarks]
    return lines


def _notes(folder: GameFolder, save: Path, side: str, name: str, *, take: bool, json: bool) -> bool:
    """Print the orders in the side's own delayed notes; with ``take``, file them.

    Return True if the orders cannot be read, or if it is unclear which note to file.
    """
    from pbem.errors import Fault
    from pbem.games.submit import submit
    from pbem.games.vassal_files import header
    from pbem.vassal_bridge.import_plots import orders_in_notes
    from pbem.vassal_bridge.import_positions import open_save

    notes = [one for one in open_save(save).delayed_notes if name in ("", one.name)]
    found = orders_in_notes(notes, side, folder.state().sides, header(folder, side), save.name)
    faults = [fault for one in found.orders for fault in one.faults]
    if take and len(found.orders) > 1:
        names = tuple(one.note for one in found.orders)
        text = "name the note to file with --note: several notes have orders"
        faults.append(Fault(code="which-note", text=text, file=str(save), family="ambiguous", choices=names))
    receipt = None
    if take and found.orders and not faults:
        receipt = submit(folder, found.orders[0].text, str(save))
    lines = _note_lines(found, side)
    lines += _what_was_done(receipt, take=take, any_=bool(found.orders), what="the orders")
    _say({"notes": found, "receipt": receipt, "taken": receipt is not None}, lines, faults, json=json)
    return bool(faults)


def _note_lines(notes: FoundNotes, side: str) -> list[str]:
    lines = [] if notes.orders else [f"No delayed note of {side} contains orders."]
    for one in notes.orders:
        lines.append(f"Delayed note {one.note!r}{'' if one.hidden else ' (revealed)'}:")
        lines += [f"  {line}".rstrip() for line in one.orders.rstrip("\n").split("\n")]
    lines += [f"No orders in the note {name!r}." for name in notes.others]
    return lines + ([f"Not read, because not {side}'s: {notes.not_mine} of the notes."] if notes.not_mine else [])


def _what_was_done(receipt: Any, *, take: bool, any_: bool, what: str) -> list[str]:
    if receipt is not None:
        return ["", receipt_text(receipt).rstrip("\n")]
    if not any_:
        return []
    return ["Nothing was filed" + ("." if take else f": --take files {what}.")]


LOOKS = 1.0
"""Seconds from one check of the folder to the next."""


def table(
    game: Game,
    folder: Annotated[Path, arg("FOLDER", "The folder for your saves of this game.")],
    side: Annotated[str, opt("The side whose moves become a plot.", "--side", offer=complete.sides)] = "",
    once: Annotated[bool, opt("Check once, and do not wait.", "--once")] = False,
    json: Json = False,
) -> None:
    """Keep a folder of VASSAL saves in step with a game.

    When you save moved counters, they become a plot in a draft of your orders. After play, an updated copy of your
    save and a replay log of the turn are written beside it. None of your files is overwritten, and nothing is
    filed. Ctrl+C ends it.
    """
    from pbem.errors import GameError
    from pbem.games.storage.files import IN_USE, make_folder
    from pbem.games.vassal_sync import keep_in_step

    if json and not once:
        raise typer.BadParameter("needs --once", param_hint="--json")
    make_folder(folder)
    waits: list[str] = []
    while True:
        try:
            with opened(game) as opened_game:
                lines = keep_in_step(opened_game, folder, _whose(opened_game, side))
            waits = []
        except GameError as error:
            if once or any(fault.code != IN_USE for fault in error.faults):
                raise
            before, waits = waits, [f"{fault.file}: {fault.text}." for fault in error.faults]
            lines = waits if waits != before else []  # tried again at each check, but reported once
        if lines or once:
            say({"told": lines}, "\n".join(lines or ["Nothing is new."]), json=json)
        if once:
            return
        try:
            time.sleep(LOOKS)
        except KeyboardInterrupt:
            return


def _whose(game: GameFolder, side: str) -> str:
    """Return the side of the player who uses ``pbem table``; ``side`` is the side that the player typed.

    Raises:
        GameError: No side is typed, and several are possible.
    """
    state = game.state()
    if side:
        return spelled(side, state.sides)
    if state.request is not None and len(state.request.sides) == 1:
        return state.request.sides[0]
    raise refusal("no-side", f"name your side with --side: {', '.join(state.sides)}")
