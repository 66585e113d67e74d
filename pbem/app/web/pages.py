"""The pages of a local game: made when they are asked for, and kept in memory until other pages are asked for.

A local game writes no reports while it is played (:func:`pbem.games.storage.publish.leave`). Where they are written
nevertheless, because a command was used on the game, the written pages are shown. Both are the same, byte for byte.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from pbem.app.web.answers import paper
from pbem.errors import GameError
from pbem.games.proof.archive import contents
from pbem.games.storage.folder import GameFolder, log_digest
from pbem.games.storage.papers import ReportMaker, encoded
from pbem.games.storage.publish import PROOF, is_current, maker_now
from pbem.reports.html.page import WHOLE

MOST: Final = 12
"""Maximum number of pages that are kept in memory."""


class Pages:
    """Gives the pages of local games, as :func:`pbem.app.web.answers.paper` gives those that are written."""

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[bytes, str, str], bytes] = OrderedDict()

    def page(self, game: GameFolder, side: str, what: str) -> bytes:
        """Return a page of a side: ``report``, ``form`` or, if the game is over, ``replay.html`` or ``proof.html``.

        Raises:
            GameError: The game has no such page now.
        """
        if is_current(game):
            return paper(game, side, what)
        key = log_digest(game.terms, game.records()), side, what
        if key not in self._made:
            self._made[key] = _made(game, side, what)
            while len(self._made) > MOST:
                self._made.popitem(last=False)
        return self._made[key]


def _made(game: GameFolder, side: str, what: str) -> bytes:
    state = game.state()
    reader = state.sides.get(side)
    there = reader is not None and not reader.robot
    makers: dict[str, tuple[bool, Callable[[ReportMaker], bytes]]] = {
        "report": (there, lambda maker: encoded(maker.report(side).html)),
        "form": (there and state.request is not None and state.request.asks(side), lambda maker: maker.form(side)),
        WHOLE: (there and state.over, lambda maker: maker.whole(side)),
        PROOF: (state.over, lambda maker: contents(game)[PROOF]),
    }
    exists, make = makers.get(what, (False, None))
    if not exists or make is None:
        raise GameError.saying("no-page", f"there is no {what} of {side} now")
    return make(maker_now(game))
