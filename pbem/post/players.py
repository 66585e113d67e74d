"""Who plays a side now. game.toml says who began; it is part of the record and is never changed."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from pbem.desk.files import read_bytes, write_bytes
from pbem.desk.terms import Terms
from pbem.faults import GameError

FILE = "players.json"
TENURES = "tenures.json"


class Tenure(msgspec.Struct, frozen=True, kw_only=True):
    """A side was given another player: who had it, who has it, when, and the turn that was played then."""

    side: str
    before: str
    player: str
    at: datetime | None = None
    turn: int = 0


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


def tenures(folder: Path) -> list[Tenure]:
    """Every change of player of a game, in order; a damaged file is none."""
    try:
        return msgspec.json.decode((folder / "secret" / TENURES).read_bytes(), type=list[Tenure])
    except (OSError, ValueError, RecursionError):
        return []


def replace_player(folder: Path, tenure: Tenure) -> None:
    """Write down that a side has a new player. Only for who holds the lock of the game."""
    side, player = tenure.side, tenure.player
    told = msgspec.json.format(msgspec.json.encode([*tenures(folder), tenure]), indent=1) + b"\n"
    write_bytes(folder / "secret" / TENURES, told, private=True)
    known = {**replaced(folder), side: player}
    write_bytes(
        folder / "secret" / FILE, msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n", private=True
    )
