"""Sides that others may take over: the umpire says which, all players are told, the first who sends TAKE has it.

Until then the side is played by who had it: a letter of his still counts, and his absence is what it was.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pbem.errors import GameError
from pbem.games.storage.files import json_in, keep, read_bytes, remove
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import tenures

FILE: Final = "vacant.json"


def vacant(game: Path) -> tuple[str, ...]:
    """The sides of a game that others may take over. Raises :class:`GameError` where the file is damaged."""
    file = game / "mail" / FILE
    if not file.is_file():
        return ()
    said = "what is known of vacant sides is damaged"
    return json_in(read_bytes(file), tuple[str, ...], "vacant-damaged", said, file)


def offer(game: GameFolder, side: str, *, vacant_now: bool = True) -> str:
    """Say that others may take a side over, or no longer may; returns its name. The caller holds the lock. Raises
    :class:`GameError` where nobody can.
    """
    state = game.state()
    name = next((one for one in state.sides if one.casefold() == side.casefold()), "")
    if not name or state.sides[name].robot or state.over:
        sides = ", ".join(one for one, seat in state.sides.items() if not seat.robot)
        text = "the game is over" if state.over else f"nobody plays {side!r}; sides of players are {sides}"
        raise GameError.saying("wrong-side", text, file=str(game.path))
    found = {*vacant(game.path)} - {name} | ({name} if vacant_now else set())
    if found:
        keep(game.path / "mail" / FILE, sorted(found))
    else:
        remove(game.path / "mail" / FILE)
    return name


def times(game: GameFolder, side: str) -> int:
    """Which offer of a side it is: one for each player it had."""
    return sum(one.side == side for one in tenures(game.path))
