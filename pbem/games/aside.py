"""Order files that no longer answer the request in force: they are kept as older versions, never lost."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.engine.state import Request
from pbem.games.storage.files import read_bytes, remove, write_bytes
from pbem.games.storage.folder import GameFolder, OrderFile, turn_name


def lay_aside(game: GameFolder, file: OrderFile) -> str:
    """Make an order file in force the last of its older versions; returns the name it has then."""
    kept = _kept_as(game, file)
    # Stopped between these two steps, the next attempt keeps the same copy twice; nothing is lost.
    write_bytes(game.path / kept, read_bytes(file.path), private=True)
    remove(file.path)
    return kept


def laid_aside(game: GameFolder, files: Iterable[OrderFile]) -> dict[str, bytes | None]:
    """What order files hold when these are older versions of theirs, as an act of the umpire says it."""
    found: dict[str, bytes | None] = {}
    for file in files:
        found[_kept_as(game, file)] = read_bytes(file.path)
        found[name_of(file)] = None
    return found


def kept_names(orders: dict[str, bytes | None]) -> tuple[str, ...]:
    """The names under which order files are kept that are laid aside."""
    return tuple(name for name, data in orders.items() if data is not None)


def name_of(file: OrderFile) -> str:
    """An order file's path from the game's folder."""
    return f"{turn_name(file.turn)}/orders/{file.path.name}"


def _kept_as(game: GameFolder, file: OrderFile) -> str:
    last = max((one.version for one in game.versions(file.turn, file.side, file.number)), default=0)
    kept = game.order_file(file.turn, file.side, file.number, last + 1)
    return f"{turn_name(file.turn)}/orders/{kept.name}"


def in_force_from(game: GameFolder, asked: Request) -> list[OrderFile]:
    """The order files in force for a request and later ones."""
    return [
        file
        for turn in game.turns()
        for file in game.order_files(turn)
        if not file.version and (turn, file.number) >= (asked.turn, asked.number)
    ]
