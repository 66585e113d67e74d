"""The command ``vassal``: examine VASSAL files from the shell.

Exit codes: 0 done, 1 the file has faults (one sentence each on stderr), 2 wrong usage.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vassal.errors import VassalError

if TYPE_CHECKING:
    from vassal.module.module import Module, PaletteFolder
    from vassal.save import Save

app = typer.Typer(
    name="vassal",
    help="Reads VASSAL saves, logs and modules.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

SaveFile = Annotated[Path, typer.Argument(metavar="SAVE", help="A .vsav or .vlog file.")]
ModuleFile = Annotated[Path, typer.Argument(metavar="MODULE", help="A .vmod file.")]
ModuleOption = Annotated[
    Path | None, typer.Option("--module", metavar="MODULE", help="The module, for boards and location names.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


_READ: list[Save] = []
"""The saves that the command has read, kept until the process ends.

Otherwise Python would free them counter by counter when the command ends, which takes time.
"""


def main() -> None:
    """Run the command ``vassal``.

    An error in a file ends the command with one sentence on stderr and exit code 1.
    """
    gc.disable()  # the process ends after one file; garbage collection would cost a third of the time
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A piece may have any name; a console that cannot display it must not stop the dump.
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    code = _run()
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)  # end without freeing objects one by one, which would take a tenth of the time of a dump


def _run() -> int:
    """Run the command, report errors and return its exit code."""
    try:
        try:
            app()
            code: object = 0
        except SystemExit as ended:
            code = ended.code
        sys.stdout.flush()
    except BrokenPipeError:  # the program that reads the output has ended, as in `| head`
        return 1
    except (VassalError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return code if isinstance(code, int) else int(code is not None)


@app.command()
def dump(
    save: SaveFile,
    module: ModuleOption = None,
    as_json: Json = False,
    log: Annotated[bool, typer.Option("--log", help="Play the steps of a log first.")] = False,
) -> None:
    """Show the position in a save: pieces with place, facing, labels and layers; notes and players."""
    from vassal.dump import Atlas, dump_json, dump_save
    from vassal.save import read_save

    read = read_save(save)
    if log:
        read = read.played()
    _READ.append(read)
    known = _module(module)
    if as_json:
        _print_portions(dump_json(read, known))
        _end([*read.faults, *Atlas(read, known).faults])
    else:
        found = dump_save(read, known)
        print(_described(found))
        _end(found["faults"])


@app.command()
def text(save: SaveFile, as_json: Json = False) -> None:
    """Show the clear text of a save, one command a line, with passwords replaced by ***."""
    import dataclasses

    from vassal.container.obfuscation import mask_passwords
    from vassal.save import read_text
    from vassal.text import commands

    tree = mask_passwords(commands.parse(read_text(save), save.name))
    if as_json:
        found = [leaf.command for leaf in commands.leaves(tree)]
        _print_json([{"command": type(command).__name__, **dataclasses.asdict(command)} for command in found])
        return
    for leaf in commands.leaves(tree):
        # A line end inside a command would look like the end of the command.
        print(leaf.text.replace("\r", "\\r").replace("\n", "\\n"))


@app.command()
def module(
    module_file: ModuleFile,
    extension: Annotated[
        list[Path] | None,
        typer.Option("--extension", metavar="FILE", help="Merge this extension, not those found in MODULE_ext."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a module's maps, boards, grids, palette with gpids, prototypes and sides, extensions included."""
    from vassal.dump import dump_module
    from vassal.module.module import read_module

    read = read_module(module_file, extension or None)
    if as_json:
        _print_json(dump_module(read))
    else:
        print("\n".join(_module_lines(read)))
    _end(list(read.faults))


@app.command()
def locate(
    module_file: ModuleFile,
    x: Annotated[int | None, typer.Argument(help="Pixel of the map, from the left.")] = None,
    y: Annotated[int | None, typer.Argument(help="Pixel of the map, from the top.")] = None,
    map_name: Annotated[str | None, typer.Option("--map", metavar="NAME", help="The map.")] = None,
    hex_name: Annotated[str | None, typer.Option("--hex", metavar="LOCATION", help="Such as 0812.")] = None,
    as_json: Json = False,
) -> None:
    """Show the location name of a pixel, or the pixel of a location."""
    from vassal.module.module import read_module

    if (hex_name is None) == (x is None or y is None):
        raise typer.BadParameter("give either X and Y or --hex")
    read = read_module(module_file)
    if map_name is None and len(read.maps) != 1:
        names = ", ".join(repr(game_map.name) for game_map in read.maps)
        raise typer.BadParameter(f"--map must say which of the maps {names}")
    game_map = read.map(map_name) if map_name is not None else read.maps[0]
    layout = game_map.layout()
    if hex_name is not None:
        point = layout.pixel(hex_name)
    else:
        assert x is not None and y is not None
        point = (x, y)
    placed = layout.board_at(point)
    found: dict[str, Any] = {
        "map": game_map.name,
        "x": point[0],
        "y": point[1],
        "board": placed.board.name if placed else None,
        "zone": layout.zone(point),
        "location": layout.location(point),
        "snap": list(layout.snap(point)),
    }
    if as_json:
        _print_json(found)
    else:
        print(f"{found['location']} = {point[0]},{point[1]} on {game_map.name}")


@app.command()
def diff(
    before: Annotated[Path, typer.Argument(metavar="BEFORE")],
    after: Annotated[Path, typer.Argument(metavar="AFTER")],
    module: ModuleOption = None,
    as_json: Json = False,
) -> None:
    """Show which pieces moved, turned, appeared or changed between two saves."""
    import dataclasses

    from vassal.dump import diff_saves
    from vassal.save import read_save

    saves = read_save(before), read_save(after)
    changes = diff_saves(*saves, _module(module))
    if as_json:
        _print_json([{**dataclasses.asdict(change), "text": str(change)} for change in changes])
    else:
        for change in changes:
            print(change)
    _end(list(dict.fromkeys(fault for save in saves for fault in save.faults)))


def _module(path: Path | None) -> Module | None:
    if path is None:
        return None
    from vassal.module.module import read_module

    return read_module(path)


def _print_json(found: Any) -> None:
    from vassal.dump import as_json

    _print_portions([as_json(found)])


def _print_portions(portions: Iterable[bytes]) -> None:
    sys.stdout.flush()
    for portion in portions:
        sys.stdout.buffer.write(portion)
    print()


def _end(faults: list[str]) -> None:
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        raise typer.Exit(1)


def _described(found: dict[str, Any]) -> str:
    lines = [f"{found['file']}: {found['module'] or 'unknown module'} {found['moduleVersion'] or ''}".rstrip()]
    lines += [f"player {player['name']}: {player['side']}" for player in found["players"]]
    for piece in found["pieces"]:
        place = piece["location"] or f"{piece['x']},{piece['y']}"
        turned = "".join(f", {rotator['degrees']} degrees" for rotator in piece["rotation"])
        lines.append(f"{piece['id']}  {piece['name']}: {place} on {piece['map'] or 'no map'}{turned}")
    for title in ("scenario", "public"):
        if found["notes"][title]:
            lines.append(f"{title} notes: {found['notes'][title]}")
    if found["logSteps"]:
        steps = found["logSteps"]
        lines.append("1 log step follows" if steps == 1 else f"{steps} log steps follow")
    lines += [f"note: {remark}" for remark in found["remarks"]]
    return "\n".join(lines)


def _module_lines(read: Module) -> list[str]:
    lines = [f"{read.name} {read.version} (VASSAL {read.vassal})", f"sides: {', '.join(read.sides)}"]
    lines += [f"extension {extension.name} {extension.version}".rstrip() for extension in read.extensions]
    for game_map in read.maps:
        boards = ", ".join(f"{board.name} {board.width}x{board.height}" for board in game_map.boards)
        lines.append(f"map {game_map.name}: {boards}")

    def folder_lines(folder: PaletteFolder, depth: int) -> None:
        lines.append("  " * depth + folder.name)
        lines.extend("  " * (depth + 1) + f"{slot.gpid}  {slot.name}" for slot in folder.slots)
        for below in folder.folders:
            folder_lines(below, depth + 1)

    for folder in read.palette:
        folder_lines(folder, 0)
    return lines
