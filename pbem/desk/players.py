"""Who plays a side now, and who did before. game.toml and the log say who began; they are never changed. What people
read (reports, status, the site) tells both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.desk.files import json_in, keep, read_bytes, read_kept
from pbem.desk.terms import Terms
from pbem.game.events import GameStarted, Record

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
    return json_in(read_bytes(file), dict[str, str], "players-damaged", "the new players are damaged", file)


def tenures(folder: Path) -> list[Tenure]:
    """Every change of player of a game, in order; a damaged file is none."""
    return read_kept(folder / "secret" / TENURES, list[Tenure]) or []


def replace_player(folder: Path, tenure: Tenure) -> None:
    """Write down that a side has a new player. Only for who holds the lock of the game."""
    keep(folder / "secret" / TENURES, [*tenures(folder), tenure], indent=True)
    keep(folder / "secret" / FILE, {**replaced(folder), tenure.side: tenure.player}, indent=True)


def cast(known: Sequence[Tenure], *, turn: int | None = None, name: Callable[[str], str] = str) -> dict[str, str]:
    """The sides that were given another player, and who has played them, in words: ``Koloth <k@example.org> since turn
    3; before, Kor``. ``name`` is how a player is called; with ``turn``, as it was when that turn was played. Who only
    has another address is the same player.
    """
    from pbem.report.public import addresses, name_of

    found: dict[str, list[tuple[str, int]]] = {}
    for one in known:
        if turn is not None and one.turn > turn:
            continue
        held = found.setdefault(one.side, [(one.before, 0)])
        names = name_of(one.player), name_of(held[-1][0])
        shared = addresses([one.player]) & addresses([held[-1][0]])
        same = names[0] == names[1] if all(names) else bool(shared)
        held[-1:] = [(one.player, held[-1][1])] if same else [held[-1], (one.player, one.turn)]
    told = {}
    for side, held in found.items():
        now, since = held[-1]
        words = [f"{name(now) or 'another player'} since turn {since}" if since else name(now)]
        for player, began in reversed(held[:-1]):
            called = name(name_of(player) or player)
            words += [f"{called} since turn {began}" if began else called] if called else []
        told[side] = "; before, ".join(filter(None, words))
    return told


def as_played(known: Sequence[Tenure], records: Sequence[Record], turn: int | None = None) -> list[Record]:
    """The log as reports tell it: with who plays each side now in place of who began. It is the log itself where nobody
    was replaced.
    """
    told = cast(known, turn=turn)
    return [_named(record, told) for record in records] if told else list(records)


def _named(record: Record, told: dict[str, str]) -> Record:
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    replace = msgspec.structs.replace
    sides = tuple(replace(side, player=told.get(side.name, side.player)) for side in event.sides)
    return replace(record, event=replace(event, sides=sides))
