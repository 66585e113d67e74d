"""module, export: the game on the VASSAL table, as a save or a film, and a module to lay it on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.drawing import progress
from pbem.app.cli.output import Json, opened, opt, say, spelled
from pbem.app.cli.play import Game
from pbem.counts import several

if TYPE_CHECKING:
    from pbem.vassal_bridge.placing import Placing

Module = Annotated[Path, opt("The VASSAL module.", "--module", metavar="M.vmod", readable=False, show_default=False)]


def module(
    output: Annotated[Path, opt("The module to write.", "--output", "-o", metavar="FILE", readable=False)] = Path(
        "cadet.vmod"
    ),
    svg: Annotated[bool, opt("Pack the drawings themselves; needs no further package.", "--svg")] = False,
    json: Json = False,
) -> None:
    """Write a VASSAL module with maps, counters, impulse charts and all scenarios, for which nobody else's files are
    needed.
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
        opt("A save to bring up to date; all else in it stays.", "--onto", metavar="F.vsav", readable=False),
    ] = None,
    side: Annotated[
        str,
        opt(
            "Add what this side alone knows, the papers of its ships: the save is for it alone.",
            "--side",
            offer=complete.sides,
        ),
    ] = "",
    log: Annotated[bool, opt("Write a turn as a VASSAL log, to be watched step by step.", "--log")] = False,
    turn: Annotated[int, opt("With --log: this turn instead of the last one.", "--turn", min=0)] = 0,
    impulse: Annotated[int, opt("With --log: begin with this impulse.", "--impulse", min=0)] = 0,
    try_: Annotated[bool, opt("Write nothing: say what would be placed, and what is lacking.", "--try")] = False,
    json: Json = False,
) -> None:
    """Write a VASSAL save of the present positions, bring a save up to date, or write a turn as a log. Which counter
    stands for which unit is kept in GAME/vassal.toml, else in M.vassal.toml beside the module (pbem bind); what is
    placed, and what is lacking, is said before it is written.
    """
    from msgspec.structs import asdict, replace

    from pbem.games.storage.files import write_text
    from pbem.games.table import BINDING, game_binding, general_binding
    from pbem.vassal_bridge.binding import binding_text
    from pbem.vassal_bridge.companion.tracker import COMPANION
    from pbem.vassal_bridge.export import open_module, write_save
    from pbem.vassal_bridge.files import film_file, placing_of, save_file
    from pbem.vassal_bridge.proposing import binding_for

    if onto is not None and log:
        raise typer.BadParameter("a log begins a film of its own; --onto brings a save up to date", param_hint="--onto")
    if side and log:
        raise typer.BadParameter("a log is made of what everybody may see", param_hint="--side")
    if (turn or impulse) and not log:
        raise typer.BadParameter("goes with --log", param_hint="--turn" if turn else "--impulse")
    if output is None and not try_:
        raise typer.BadParameter("say which file to write, or --try to write none", param_hint="--output")
    with opened(game, lock="" if try_ else "export") as folder, progress("laying the table"):
        table = open_module(module)
        before = binding_for(game_binding(game), general_binding(module), folder.state(), table)
        plan = placing_of(folder.effective(), table, before)
        # The companion module's counters say themselves what they stand for.
        guessed = before is None and table.name != COMPANION
        if try_ or output is None:
            say({"try": True, **asdict(plan)}, "\n".join([_would(plan, guessed=guessed), *plan.lines]), json=json)
            return
        if log:
            done = film_file(folder.records(), table, before, turn=turn, impulse=impulse)
        else:
            mine = spelled(side, folder.state().sides) if side else ""
            done = save_file(folder.effective(), table, before, onto=onto, side=mine)
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
