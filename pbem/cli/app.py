"""The Typer app and its commands, in the order a newcomer meets them."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem import __version__
from pbem.cli import books, cases, games, host, mail, play, reports, soak, umpire, vassal, vassal_import

app = typer.Typer(
    name="pbem",
    help="Star Fleet Battles (Cadet Training Handbook) by e-mail: orders in, reports out.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pbem {__version__}")
        raise typer.Exit


@app.callback()
def door(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Star Fleet Battles (Cadet Training Handbook) by e-mail."""


for name, command in (
    ("demo", games.demo),
    ("new", games.new),
    ("forms", play.forms),
    ("check", play.check),
    ("submit", play.submit),
    ("resolve", play.resolve),
    ("status", play.status),
    ("report", reports.report),
    ("map", reports.map_),
    ("site", reports.site),
    ("verify", games.verify),
    ("archive", games.archive),
    ("undo", games.undo),
    ("override", umpire.override),
    ("rerun", umpire.rerun),
    ("pause", host.pause),
    ("resume", host.resume),
    ("doctor", host.doctor),
    ("module", vassal.module),
    ("export", vassal.export),
    ("import", vassal_import.import_),
    ("case", cases.case),
    ("soak", soak.soak),
    ("ships", books.ships),
    ("scenarios", books.scenarios),
    ("charts", books.charts),
    ("rules", books.rules),
):
    app.command(name)(command)

app.add_typer(mail.mail, name="mail")
app.add_typer(host.app, name="host")
