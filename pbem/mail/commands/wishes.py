"""What a player may ask besides sending orders: that play waits for him, or to have his orders back."""

from __future__ import annotations

from pathlib import Path

from pbem.engine.state import Request
from pbem.games.aside import lay_aside
from pbem.games.storage.files import remove, write_text
from pbem.games.storage.folder import GameFolder

_SAID = "This side asked that nothing be played before the deadline of this request.\n"


def in_words(request: Request, *, wait: bool) -> str:
    """What a side is told that wants a request to wait, or no longer does."""
    if not wait:
        return f"Request {request.number} is played as soon as all orders are in, as far as you are concerned."
    return (
        f"Request {request.number} is not played before its deadline, even if all orders are in. You may send or "
        "change orders until then. WAIT OFF takes this back."
    )


def wait_file(game: GameFolder, request: Request, side: str) -> Path:
    """The file that says a side wants to wait; it holds for its request only."""
    return game.orders_folder(request.turn) / f"{side}.r{request.number}.wait"


def set_wait(game: GameFolder, side: str, *, wait: bool) -> None:
    """A side asks that the request in force is not played before its deadline, or no longer does. The caller
    holds the lock.
    """
    request = game.state().request
    if request is None:
        return
    file = wait_file(game, request, side)
    if wait:
        write_text(file, _SAID, private=True)
        return
    remove(file)


def waiting(game: GameFolder) -> tuple[str, ...]:
    """The sides that asked for time until the deadline of the request in force."""
    request = game.state().request
    if request is None:
        return ()
    return tuple(side for side in request.sides if wait_file(game, request, side).is_file())


def withdraw(game: GameFolder, side: str) -> bool:
    """Lay a side's answer to the request in force aside, as an older version; whether there was one. The caller
    holds the lock.
    """
    request = game.state().request
    if request is None:
        return False
    filed = [one for one in game.versions(request.turn, side, request.number) if not one.version]
    for one in filed:
        lay_aside(game, one)
    return bool(filed)
