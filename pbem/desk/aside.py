"""Order files that no longer answer the request in force: they are kept as older versions, never lost."""

from __future__ import annotations

from pbem.desk.files import cannot, read_bytes, write_bytes
from pbem.desk.folder import GameFolder, OrderFile
from pbem.game.state import Request


def lay_aside(game: GameFolder, file: OrderFile) -> str:
    """Make an order file in force the last of its older versions; returns the name it has then."""
    last = max((one.version for one in game.versions(file.turn, file.side, file.number)), default=0)
    kept = game.order_file(file.turn, file.side, file.number, last + 1)
    write_bytes(kept, read_bytes(file.path))
    try:
        file.path.unlink()
    except OSError as error:
        raise cannot("write", file.path, error) from error
    return f"{file.turn:02}/orders/{kept.name}"


def in_force_from(game: GameFolder, asked: Request) -> list[OrderFile]:
    """The order files in force for a request and later ones."""
    return [
        file
        for turn in game.turns()
        for file in game.order_files(turn)
        if not file.version and (turn, file.number) >= (asked.turn, asked.number)
    ]


def lay_aside_from(game: GameFolder, asked: Request) -> tuple[str, ...]:
    """Order files for this request and later ones become older versions."""
    return tuple(lay_aside(game, file) for file in in_force_from(game, asked))
