"""module, export, import: the game on the VASSAL table and back, and a module to lay it on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.output import FAULTY, Json, columns, say, tell_faults
from pbem.cli.play import Game

if TYPE_CHECKING:
    from pbem.tabletop.binding import Binding

Module = Annotated[
    Path, typer.Option("--module", metavar="M.vmod", help="The VASSAL module.", readable=False, show_default=False)
]
BINDING = "vassal.toml"


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
        typer.Option("--output", "-o", metavar="F.vsav", help="The save to write.", readable=False, show_default=False),
    ],
    json: Json = False,
) -> None:
    """Write a VASSAL save of the present positions. Which counter stands for which unit is kept in
    GAME/vassal.toml.
    """
    from msgspec import structs

    from pbem.desk.files import write_text
    from pbem.desk.folder import opened
    from pbem.tabletop.binding import binding_text
    from pbem.tabletop.export import export_game, open_module, write_save

    with opened(game, lock="export") as folder:
        before = _binding(game)
        done = export_game(folder.state(), open_module(module), before)
        write_save(done.save, output)
        if before is None or before.module != str(module):
            write_text(game / BINDING, binding_text(structs.replace(done.binding, module=str(module))))
    lines = [f"{output}: the positions of {folder.terms.name} on the map {done.binding.map}."]
    if before is None:
        lines.append(f"The counters were chosen by name: look at {game / BINDING}, and edit it where it is wrong.")
    lines += list(done.left_out)
    say({"save": output, "map": done.binding.map, "left_out": done.left_out}, "\n".join(lines), json=json)


def _binding(game: Path) -> Binding | None:
    """The game's vassal.toml, if it has one yet."""
    from pbem.desk.files import read_bytes
    from pbem.faults import GameError
    from pbem.tabletop.binding import read_binding

    file = game / BINDING
    if not file.is_file():
        return None
    try:
        return read_binding(read_bytes(file).decode("utf-8"), str(file))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=str(file)) from error


def import_(
    game: Game,
    save: Annotated[
        Path, typer.Argument(metavar="F.vsav", help="The VASSAL save.", readable=False, show_default=False)
    ],
    module: Annotated[
        Path | None,
        typer.Option(
            "--module",
            metavar="M.vmod",
            help="The VASSAL module; the one of the last export if left out.",
            readable=False,
        ),
    ] = None,
    take: Annotated[bool, typer.Option("--take", help="Take the positions over into the game.")] = False,
    json: Json = False,
) -> None:
    """Show where counters of a VASSAL save stand otherwise than in the game; with --take, move the units
    there.
    """
    from pbem.desk.folder import opened
    from pbem.desk.reposition import reposition
    from pbem.faults import Fault, GameError
    from pbem.tabletop.binding import propose
    from pbem.tabletop.export import open_module
    from pbem.tabletop.importing import import_positions, open_save

    with opened(game, lock="import" if take else "") as folder:
        binding = _binding(game)
        if module is None and (binding is None or not binding.module):
            raise GameError.saying("no-module", "say with --module which VASSAL module the save is of", file=str(save))
        table = open_module(module or Path(binding.module if binding else ""))
        binding = binding or propose(folder.state(), table)
        found = import_positions(folder.state(), open_save(save), table, binding)
        faults = [Fault(code="counter", text=text, file=str(save)) for text in found.faults]
        # A counter without a facing keeps the unit's; one that stands off the map has no place in the game.
        placed = {one.unit for one in found.moved} | {*found.unchanged, *found.missing}
        lost = [unit.name for unit in folder.state().in_play() if unit.name not in placed]
        taken = take and not lost
        if taken:
            reposition(folder, {one.unit: one.then for one in found.moved}, source=save.name)
    if found.moved:
        lines = ["Taken over:" if taken else "Stands otherwise on the table:"]
        rows = [(one.unit, one.now, "->", one.then + "".join(f"  ({r})" for r in one.remarks)) for one in found.moved]
        lines += columns(rows)
        if not taken:
            lines.append("Nothing was changed" + ("." if take else ": --take moves the units there."))
    else:
        lines = ["Every counter stands where the game has its unit."]
    lines += [f"No counter for {name}: it stays where it is." for name in found.missing]
    lines += [f"Not of this game: {name}." for name in found.unknown]
    say({"found": found, "taken": taken, "faults": faults}, "\n".join(lines), json=json)
    if not json:
        tell_faults(faults, json=False)
    if lost:
        raise typer.Exit(FAULTY)
