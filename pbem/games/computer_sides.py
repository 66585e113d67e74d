"""Sides commanded by computer players: which they are, and the orders they file.

If a level name stands in place of a player (``klingon=captain``), a computer player plays the side. The computer
player gets only the information in its side's report. Its random seed depends on the game's public dice commitment.
Anybody can therefore recompute its orders, and they reveal no secrets.
"""

from __future__ import annotations

from pbem.data.doctrines import SkillLevel, doctrines
from pbem.engine.events import seen_by
from pbem.engine.log import fold
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import captain_of, players

USUAL = "captain"
"""Level of the computer player that replaces a player, if no level is named.

It is also the level offered for a side where the rules have no robot.
"""


def computer_players(game: GameFolder) -> dict[str, SkillLevel]:
    """Return the level of the computer player, by side, for all sides that a computer player commands now."""
    found = {side: captain_of(player) for side, player in players(game.path, game.terms).items()}
    return {side: level for side, level in found.items() if level is not None}


def captains_orders(game: GameFolder, side: str, level: SkillLevel | str) -> str:
    """Return the orders that a computer player gives for ``side`` in answer to the request in force.

    ``level`` is a level or its name. The text begins with a comment line that names the level and its doctrine.
    """
    from pbem.ai.search import decide_orders  # most games have none

    known = (seen_by(record, side) for record in game.effective())
    view = fold(event for event in known if event is not None)
    if isinstance(level, str):
        level = doctrines().level(level)
    said = decide_orders(view, game.scenario(), side, level, game.terms.dice.commitment)
    told = next((one.told for one in doctrines().doctrines if one.name == said.doctrine), "he gives the game up")
    return f"# the {level.name}: {told}\n{said.answer.sent}"
