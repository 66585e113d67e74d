"""chances: where a game that is over was decided."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.drawing import progress
from pbem.app.cli.output import Json, arg, opened, opt, print_json, refusal


def chances(
    game: Annotated[Path, arg("GAME", "The game's folder.")],
    captain: Annotated[
        str, opt("The captains who play on: ensign, captain, commodore.", "--captain", offer=complete.levels)
    ] = "ensign",
    games: Annotated[int, opt("Games from the beginning of each turn.", "--games", "-n", min=1)] = 20,
    json: Json = False,
) -> None:
    """Say how the chance to win went from turn to turn, and which turns decided a game that is over."""
    from pbem.games.storage.players import by_computer, players
    from pbem.lab.selfplay.chances import moments, swings, told
    from pbem.lab.selfplay.match import verify_captain

    verify_captain(captain)
    with opened(game) as folder, progress("playing on"):
        state = folder.state()
        people = [side for side, player in players(folder.path, folder.terms).items() if not by_computer(player)]
        if not state.over and len(people) > 1:
            text = "the game is not over, and its chances would help one side against another"
            raise refusal("game-goes-on", text, file=str(game))
        records, setting, key = folder.effective(), folder.scenario(), folder.terms.scenario
        found = moments(records, setting, key=key, level=captain, games=games)
    results = {one.side: one.result for one in state.outcome}
    decided = swings(found, results) if state.over else []
    if json:
        turns = [
            {"turn": one.turn, "games": one.games, "won": one.won, "rates": {s: one.rate(s)._asdict() for s in one.won}}
            for one in found
        ]
        print_json({"turns": turns, "decided": [one._asdict() for one in decided]})
        return
    typer.echo("\n".join(told(found, decided)))
