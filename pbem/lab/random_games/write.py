"""A random game as a game folder: the same deal, orders and dice, played at the umpire's desk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pbem.engine.legal.mending import Refused
from pbem.games.create import new
from pbem.games.play import resolve
from pbem.games.storage.files import write_text
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.lab.random_games.games import TURNS, answers_for, deal
from pbem.lab.random_games.terrain import as_file


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """Where the folder is, how many order files it holds, and what stopped the play, if anything did."""

    folder: Path
    files: int
    stopped: str = ""


def write(key: str, folder: Path, turns: int = TURNS) -> Written:
    """Play the game of a key into an empty ``folder``.

    Where the engine fails, the folder is left as it is just before: `pbem resolve` fails there again. Orders that are
    refused as a whole lie beside it as ``refused.orders``. Raises :class:`~pbem.errors.GameError` if the folder is not
    empty.
    """
    dealt = deal(key)
    with TemporaryDirectory() as own:
        scenario = dealt.shipped
        if dealt.own:
            file = Path(own) / f"{dealt.scenario_key}.toml"
            write_text(file, as_file(dealt.number, dealt.terrain, dealt.monster))
            scenario = str(file)
        new(
            scenario,
            folder,
            players=dealt.players,
            ships=dealt.ships,
            options=dealt.options,
            units=dealt.units,
            facings=dealt.facings,
            name=key,
            grid=dealt.grid,
            seed=key,
        )
    files = 0
    while True:
        with opened(folder) as game:
            state, setting = game.state(), game.scenario()
            if state.over or state.request is None or state.request.turn > turns:
                return Written(folder=folder, files=files)
            try:
                for side, answer in answers_for(dealt, state, setting).items():
                    submit(game, answer.sent, f"{side}.orders")
                    files += 1
                resolve(game)
            except Refused as refused:
                write_text(folder / "refused.orders", refused.text)
                return Written(folder=folder, files=files, stopped=f"orders are refused: {refused}")
            except Exception as error:  # what failed in memory fails here too
                return Written(folder=folder, files=files, stopped=f"{type(error).__name__}: {error}")
