"""The odds of the shots a side orders, with what is known to that side."""

from __future__ import annotations

from pbem.engine.checking.prospects import Prospect, prospects
from pbem.engine.events import seen_by
from pbem.engine.fold import fold
from pbem.errors import GameError
from pbem.games.answers import side_named
from pbem.games.storage.folder import GameFolder
from pbem.orders.reader import read_orders


def odds_of(game: GameFolder, text: str, file: str) -> tuple[str, tuple[Prospect, ...], tuple[str, ...]]:
    """The side whose orders these are, the prospect of each FIRE in them, and in words what nothing can be said of.
    Raises :class:`GameError` for orders that cannot be read or name no side of the game.
    """
    reading = read_orders(text, file=file)
    if reading.faults:
        raise GameError(*reading.faults)
    side = side_named(game.state(), reading.orders.side)
    if not side:
        said = f"the header names no SIDE of {game.state().game}; there are {', '.join(game.state().sides)}"
        raise GameError.saying("wrong-side", said, file=file)
    known = (seen_by(record, side) for record in game.effective())
    state = fold(event for event in known if event is not None)
    found, unsaid = prospects(state, game.scenario(), reading.orders)
    return side, found, unsaid
