"""The Typer app and its commands, in the order in which a new player needs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from pbem import __version__
from pbem.app.cli import books, games, host, lab, mail, odds, play, reports, umpire, vassal, web  # fmt: skip
from pbem.app.cli.help import Commands, Sections

app = Commands(
    name="pbem",
    cls=Sections,
    help="Play Star Fleet Battles (Cadet Training Handbook) by email.",
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
    """Play Star Fleet Battles (Cadet Training Handbook) by email."""


SECTIONS: dict[str, dict[str, Callable[..., None]]] = {
    "Play": {
        "play": web.play, "demo": games.demo, "new": games.new, "forms": play.forms, "check": play.check,
        "submit": play.submit, "resolve": play.resolve, "status": play.status,
    },
    "Look at a game": {
        "open": reports.open_, "report": reports.report, "map": reports.map_, "odds": odds.odds,
        "site": reports.site,
    },
    "Check a game's record": {"verify": games.verify, "archive": games.archive},
    "The umpire": {"undo": games.undo, "override": umpire.override, "rerun": umpire.rerun, "clone": umpire.clone},
    "Games by mail": {"pause": host.pause, "resume": host.resume, "doctor": host.doctor},
    "VASSAL": {
        "module": vassal.module, "bind": vassal.bind, "export": vassal.export, "import": vassal.import_,
        "table": vassal.table,
    },
    "Look up": {
        "help": reports.help_, "ships": books.ships, "scenarios": books.scenarios, "charts": books.charts,
        "rules": books.rules,
    },
    "Try the rules": {
        "case": lab.case, "report-bug": lab.report_bug, "lab": lab.lab, "chances": lab.chances, "soak": lab.soak,
    },
}  # fmt: skip
"""The commands by section of the help."""

for section, commands in SECTIONS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=section)(command)
    if section == "Games by mail":
        app.add_typer(host.app, name="host", rich_help_panel=section)
        app.add_typer(mail.mail, name="mail", rich_help_panel=section)
