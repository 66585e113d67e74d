"""Who plays a side now. game.toml says who began; it is part of the record and is never changed."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pbem.desk.files import read_bytes, write_bytes
from pbem.desk.terms import Terms
from pbem.faults import GameError

FILE = "players.json"


def players(folder: Path, terms: Terms) -> dict[str, str]:
    """The player of each side, name and address as they were given, replacements in place of those they replace."""
    return {**{side: seat.player for side, seat in sorted(terms.sides.items())}, **replaced(folder)}


def replaced(folder: Path) -> dict[str, str]:
    """The sides that have another player than game.toml says. Raises :class:`GameError` for a damaged file."""
    file = folder / "secret" / FILE
    if not file.is_file():
        return {}
    try:
        return msgspec.json.decode(read_bytes(file), type=dict[str, str])
    except (ValueError, RecursionError) as error:
        raise GameError.saying("players-damaged", f"the new players are damaged: {error}", file=str(file)) from error


def replace_player(folder: Path, side: str, player: str) -> None:
    """Write down that a side has a new player. Only for who holds the lock of the game."""
    known = {**replaced(folder), side: player}
    write_bytes(
        folder / "secret" / FILE, msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n", private=True
    )
