"""A random game as a game folder: the same deal, orders and dice, played at the umpire's desk."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from pbem.desk.create import new
from pbem.desk.files import write_text
from pbem.desk.opened import opened
from pbem.desk.play import resolve
from pbem.desk.submit import submit
from pbem.offers.mending import Refused
from pbem.soak.games import TURNS, answers_for, deal
from pbem.soak.terrain import as_file


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """Where the folder is, how many order files it holds, and what stopped the play, if anything did."""

    folder: Path
    files: int
    stopped: str = ""


def write(key: str, folder: Path, turns: int = TURNS) -> Written:
    """Play the game of a key into an empty ``folder``.

    Where the engine fails, the folder is left as it is just before: `pbem resolve` fails there again. Orders that are
    refused as a whole lie beside it as ``refused.orders``. Raises :class:`~pbem.faults.GameError` if the folder is not
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
