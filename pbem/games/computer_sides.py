"""Sides that computer captains command: who they are, and the orders they file like any player.

A captain is a word in the place of a player (``klingon=captain``). He is given what his side's report is made of and
nothing else, and draws with a seed that hangs on the game's public commitment; so his orders can be worked out again,
and tell nothing of what is secret.
"""

from __future__ import annotations

from pbem.data.doctrines import Level, doctrines
from pbem.engine.events import seen_by
from pbem.engine.log import fold
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import captain_of, players

USUAL = "captain"
"""The level of who stands in for a player, and of whom the table offers where the rules have no robot."""


def computer_players(game: GameFolder) -> dict[str, Level]:
    """The sides of a game that captains command now."""
    found = {side: captain_of(player) for side, player in players(game.path, game.terms).items()}
    return {side: level for side, level in found.items() if level is not None}


def captains_orders(game: GameFolder, side: str, level: Level | str) -> str:
    """What a captain of a level, or of its name, orders for a side in answer to the request in force."""
    from pbem.ai.search import thought  # most games have none

    known = (seen_by(record, side) for record in game.effective())
    view = fold(event for event in known if event is not None)
    if isinstance(level, str):
        level = doctrines().level(level)
    said = thought(view, game.scenario(), side, level, game.terms.dice.commitment)
    told = next((one.told for one in doctrines().doctrines if one.name == said.doctrine), "he gives the game up")
    return f"# the {level.name}: {told}\n{said.answer.sent}"
