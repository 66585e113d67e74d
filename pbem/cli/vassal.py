"""module, export: the game on the VASSAL table, as a save or a film, and a module to lay it on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.drawing import progress
from pbem.cli.output import Json, say
from pbem.cli.play import Game

Module = Annotated[
    Path, typer.Option("--module", metavar="M.vmod", help="The VASSAL module.", readable=False, show_default=False)
]


def module(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The module to write.", readable=False)
    ] = Path("cadet.vmod"),
    svg: Annotated[bool, typer.Option("--svg", help="Pack the drawings themselves; needs no further package.")] = False,
    json: Json = False,
) -> None:
    """Write a VASSAL module with maps, counters, impulse charts and all scenarios, for which nobody else's files are
    needed.
    """
    from pbem.tabletop.companion.module import build_module, write_module

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
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The file to write.", readable=False, show_default=False),
    ],
    onto: Annotated[
        Path | None,
        typer.Option(
            "--onto", metavar="F.vsav", help="A save to bring up to date; all else in it stays.", readable=False
        ),
    ] = None,
    log: Annotated[
        bool, typer.Option("--log", help="Write a turn as a VASSAL log, to be watched step by step.")
    ] = False,
    turn: Annotated[int, typer.Option("--turn", min=0, help="With --log: this turn instead of the last one.")] = 0,
    impulse: Annotated[int, typer.Option("--impulse", min=0, help="With --log: begin with this impulse.")] = 0,
    json: Json = False,
) -> None:
    """Write a VASSAL save of the present positions, bring a save up to date, or write a turn as a log. Which counter
    stands for which unit is kept in GAME/vassal.toml.
    """
    from msgspec.structs import replace

    from pbem.desk.files import write_text
    from pbem.desk.opened import opened
    from pbem.desk.table import BINDING, game_binding
    from pbem.tabletop.binding import binding_text
    from pbem.tabletop.export import open_module, write_save
    from pbem.tabletop.files import film_file, save_file

    if onto is not None and log:
        raise typer.BadParameter("a log begins a film of its own; --onto brings a save up to date", param_hint="--onto")
    if (turn or impulse) and not log:
        raise typer.BadParameter("goes with --log", param_hint="--turn" if turn else "--impulse")
    with opened(game, lock="export") as folder, progress("laying the table"):
        before = game_binding(game)
        table = open_module(module)
        if log:
            done = film_file(folder.records(), table, before, turn=turn, impulse=impulse)
        else:
            done = save_file(folder.effective(), table, before, onto=onto)
        write_save(done.save, output)
        if before is None or before.module != module.as_posix():
            write_text(game / BINDING, binding_text(replace(done.binding, module=module.as_posix())))
    lines = [f"{output}: {done.what} on the map {done.binding.map}."]
    lines += [f"  {line}" for line in done.changed or ()]
    if before is None:
        lines.append(f"The counters were chosen by name: look at {game / BINDING}, and edit it where it is wrong.")
    lines += done.left_out
    data = {"save": output, "map": done.binding.map, "left_out": done.left_out, **done.data}
    say(data, "\n".join(lines), json=json)
