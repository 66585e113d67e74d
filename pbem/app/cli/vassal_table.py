"""table: a folder of VASSAL saves that keeps in step with a game by itself."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import Json, arg, opened, opt, refusal, say, spelled
from pbem.app.cli.play import Game

if TYPE_CHECKING:
    from pbem.games.storage.folder import GameFolder

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
    from pbem.errors import GameError
    from pbem.games.storage.files import IN_USE, make_folder
    from pbem.games.vassal_sync import keep_in_step

    if json and not once:
        raise typer.BadParameter("goes with --once", param_hint="--json")
    make_folder(folder)
    waits: list[str] = []
    while True:
        try:
            with opened(game) as here:
                told = keep_in_step(here, folder, _whose(here, side))
            waits = []
        except GameError as error:
            if once or any(fault.code != IN_USE for fault in error.faults):
                raise
            before, waits = waits, [f"{fault.file}: {fault.text}." for fault in error.faults]
            told = waits if waits != before else []  # tried again at each look, and told once
        if told or once:
            say({"told": told}, "\n".join(told or ["Nothing is new."]), json=json)
        if once:
            return
        try:
            time.sleep(LOOKS)
        except KeyboardInterrupt:
            return


def _whose(here: GameFolder, side: str) -> str:
    """Whose table it is. Raises :class:`GameError` where that is not said and could be several."""
    state = here.state()
    if side:
        return spelled(side, state.sides)
    if state.request is not None and len(state.request.sides) == 1:
        return state.request.sides[0]
    raise refusal("no-side", f"say with --side whose table it is: {', '.join(state.sides)}")
