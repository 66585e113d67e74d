"""Find the sides that computer players command, and get the orders that they give.

A level name given instead of a player (``klingon=captain``) makes a computer player command that side. The computer
player gets only the information in its side's report. Its random seed depends on the game's public dice commitment.
Anybody can therefore recompute the orders, and the orders reveal no secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from pbem.data.doctrines import SkillLevel, doctrines
from pbem.engine.events import Record, seen_by
from pbem.engine.log import fold
from pbem.engine.state import State
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import captain_of, players
from pbem.games.storage.terms import Terms, scenario_of

USUAL = "captain"
"""Level of the computer player that replaces a player, if no level is named.

It is also the level offered for a side where the rules have no robot.
"""


def computer_players(game: GameFolder) -> dict[str, SkillLevel]:
    """Return, for each side that a computer player commands now, the level of that player."""
    found = {side: captain_of(player) for side, player in players(game.path, game.terms).items()}
    return {side: level for side, level in found.items() if level is not None}


def captains_orders(game: GameFolder, side: str, level: SkillLevel | str) -> str:
    """Return the orders that a computer player gives for ``side`` in answer to the request in force.

    ``level`` is a level or its name. The text begins with a comment line that names the level and its doctrine.
    """
    name = level if isinstance(level, str) else level.name
    return decided(CaptainsTask(view=view_of_side(game.effective(), side), terms=game.terms, side=side, level=name))


CaptainsOrders = Callable[[GameFolder, str, SkillLevel], str]
"""Type of a function that returns the orders of a computer player of some level for a side, as ``captains_orders``."""


class CaptainsTask(msgspec.Struct, frozen=True, kw_only=True):
    """All input of one decision of a computer player, possibly made in another process.

    ``view`` is the game state as the side sees it. ``level`` is the name of the computer player's level.
    """

    view: State
    terms: Terms
    side: str
    level: str


def view_of_side(records: Iterable[Record], side: str) -> State:
    """Return the game state as a side sees it.

    ``records`` are the log records without those that were taken back.
    """
    known = (seen_by(record, side) for record in records)
    return fold(event for event in known if event is not None)


def decided(task: CaptainsTask) -> str:
    """Return the orders of a computer player, as :func:`captains_orders` does; the same task gives the same text."""
    from pbem.ai.search import decide_orders  # imported here because most games have no computer players

    level = doctrines().level(task.level)
    said = decide_orders(task.view, scenario_of(task.terms), task.side, level, task.terms.dice.commitment)
    told = next((one.told for one in doctrines().doctrines if one.name == said.doctrine), "it gives the game up")
    return f"# the {level.name}: {told}\n{said.answer.sent}"
