"""report, map: where the reports are, the sitrep itself, or the map alone, drawn or in letters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli import complete
from pbem.cli.output import Json, say
from pbem.cli.play import Game

if TYPE_CHECKING:
    from pbem.desk.folder import GameFolder

Turn = Annotated[int | None, typer.Option(min=1, help="As it stood when this turn ended.")]
Reader = Annotated[
    str, typer.Option("--side", help="Whose eyes; otherwise the umpire's.", autocompletion=complete.readers)
]


def report(
    game: Game,
    turn: Turn = None,
    side: Reader = "umpire",
    text: Annotated[bool, typer.Option("--text", help="Print the sitrep instead of saying where the page is.")] = False,
    json: Json = False,
) -> None:
    """Say where a report is, or print the sitrep."""
    from pbem.desk.folder import opened
    from pbem.desk.reports import find_report

    with opened(game) as folder:
        reader = _reader(folder, side)
        found = find_report(folder, reader, turn or 0)
    if json:
        say({"page": found.page, "text": found.text, "side": reader}, "", json=True)
    elif text:
        typer.echo(found.text, nl=False)
    elif found.page is not None:
        typer.echo(str(found.page))
    else:
        typer.echo(found.text, nl=False)


def map_(
    game: Game,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Where to write it: a .svg or .png file; otherwise it is shown in letters."
        ),
    ] = None,
    turn: Turn = None,
    side: Reader = "umpire",
    ascii_only: Annotated[bool, typer.Option("--ascii", help="Facings as letters instead of arrows.")] = False,
    json: Json = False,
) -> None:
    """Draw the map alone, as a side sees it: into a picture file, or in letters on the terminal."""
    from pbem.desk.files import write_bytes
    from pbem.desk.folder import opened
    from pbem.desk.reports import view_of
    from pbem.faults import GameError
    from pbem.report.picture import MISSING, can_draw, map_png, map_svg

    kind = output.suffix.casefold() if output is not None else ""
    if output is not None and kind not in (".svg", ".png"):
        raise typer.BadParameter(f"{output.name!r} is neither a .svg nor a .png file", param_hint="-o")
    if kind == ".png" and not can_draw():
        raise GameError.saying("no-pictures", MISSING)
    with opened(game) as folder:
        reader = _reader(folder, side)
        view = view_of(folder, reader, turn or 0)
    if output is not None:
        write_bytes(output, map_png(view) if kind == ".png" else map_svg(view).encode("utf-8"))
        say({"file": output, "side": reader}, str(output), json=json)
        return
    from pbem.report.chart_text import plain, text_map

    if json:
        say({"map": plain(text_map(view, ascii_only=ascii_only)), "side": reader}, "", json=True)
        return
    from pbem.cli.drawing import show_map

    show_map(lambda width, letters: text_map(view, width=width, ascii_only=letters), ascii_only=ascii_only)


def _reader(folder: GameFolder, side: str) -> str:
    """The reader's name as the game spells it; wrong usage where there is none."""
    sides = ["umpire", *folder.state().sides]
    reader = next((one for one in sides if one.casefold() == side.casefold()), "")
    if not reader:
        raise typer.BadParameter(f"{side!r} is none of {', '.join(sides)}", param_hint="--side")
    return reader
