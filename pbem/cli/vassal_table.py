"""table: a folder of VASSAL saves that keeps in step with a game by itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli import complete
from pbem.cli.output import Json, arg, opened, opt, refusal, say, spelled
from pbem.cli.play import Game

LOOKS = 1.0
"""Seconds between two looks."""


def table(
    game: Game,
    folder: Annotated[Path, arg("FOLDER", "Where you keep your saves of this game.")],
    side: Annotated[str, opt("Whose moves become a plot.", "--side", offer=complete.sides)] = "",
    once: Annotated[bool, opt("Look once, and do not wait.", "--once")] = False,
    json: Json = False,
) -> None:
    """Keep a folder of VASSAL saves in step with a game: what you move and save becomes a plot in a draft of your
    orders; when something was played, a save of yours is brought up to date beside it, with a film of the turn. Nothing
    of yours is written over, and nothing is filed. Ctrl+C ends it.
    """
    from pbem.desk.files import make_folder
    from pbem.desk.in_step import keep_in_step

    if json and not once:
        raise typer.BadParameter("goes with --once", param_hint="--json")
    make_folder(folder)
    while True:
        with opened(game) as here:
            sides = here.state().sides
            asked = here.state().request
            mine = spelled(side, sides) if side else ""
            if not mine and asked is not None and len(asked.sides) == 1:
                mine = asked.sides[0]
            if not mine:
                raise refusal("no-side", f"say with --side whose table it is: {', '.join(sides)}")
            told = keep_in_step(here, folder, mine)
        if told or once:
            say({"told": told}, "\n".join(told or ["Nothing is new."]), json=json)
        if once:
            return
        try:
            time.sleep(LOOKS)
        except KeyboardInterrupt:
            return
