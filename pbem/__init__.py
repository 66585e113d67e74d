"""Star Fleet Battles by email: read players' orders, play turns by the rules, write reports.

    import pbem

    game = pbem.Game.new("5", {"klingon": "robot"}, seed="one")
    while game.wanted:
        for side in game.wanted:
            game.give(side, game.offers(side)[:1])
        game.play()

Programs need no more than these names (docs/programs.md); ARCHITECTURE.md describes the packages. Names are loaded
when they are first used, so that every command starts quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.games.in_memory import Fault, Game, GameError, Offer, Request, View

__version__ = "1.0.0"

__all__ = ["Fault", "Game", "GameError", "Offer", "Request", "View"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from pbem.games import in_memory as programs

        return getattr(programs, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
