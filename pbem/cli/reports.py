"""report: where the reports are, or the sitrep itself."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.output import Json, say
from pbem.cli.play import Game


def report(
    game: Game,
    turn: Annotated[int | None, typer.Option(min=1, help="As it stood when this turn ended.")] = None,
    side: Annotated[str, typer.Option("--side", help="Whose report; otherwise the umpire's.")] = "umpire",
    text: Annotated[bool, typer.Option("--text", help="Print the sitrep instead of saying where the page is.")] = False,
    json: Json = False,
) -> None:
    """Say where a report is, or print the sitrep."""
    from pbem.desk.folder import opened
    from pbem.desk.reports import find_report

    with opened(game) as folder:
        sides = ["umpire", *folder.state().sides]
        reader = next((one for one in sides if one.casefold() == side.casefold()), "")
        if not reader:
            raise typer.BadParameter(f"{side!r} is none of {', '.join(sides)}", param_hint="--side")
        found = find_report(folder, reader, turn or 0)
    if json:
        say({"page": found.page, "text": found.text, "side": reader}, "", json=True)
    elif text:
        typer.echo(found.text, nl=False)
    elif found.page is not None:
        typer.echo(str(found.page))
    else:
        typer.echo(found.text, nl=False)
