"""Who plays a side now, and who did before. game.toml and the log say who began; they are never changed. What people
read (reports, status, the site) tells both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.data.doctrines import Level, level
from pbem.engine.events import GameStarted, Record
from pbem.games.storage.files import json_in, keep, read_bytes, read_kept
from pbem.games.storage.terms import Terms

FILE = "players.json"
TENURES = "tenures.json"
NAMES = "names.json"


EARLIER = {"computer captain": "captain"}
"""Words that games begun by earlier versions have in game.toml, and the level that stands for them now."""


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
    """Write down once that a side has a new player. Only for who holds the lock of the game."""
    known = tenures(folder)
    if tenure not in known:
        keep(folder / "secret" / TENURES, [*known, tenure], indent=True)
    keep(folder / "secret" / FILE, {**replaced(folder), tenure.side: tenure.player}, indent=True)


def names(folder: Path) -> dict[str, str]:
    """How players are called, by what game.toml or a change of player says of them; a damaged file is none."""
    return read_kept(folder / "secret" / NAMES, dict[str, str]) or {}


def note_names(folder: Path, known: Mapping[str, str]) -> None:
    """Write down how players are called. Only for who holds the lock of the game."""
    keep(folder / "secret" / NAMES, dict(sorted(known.items())), indent=True)


def cast(
    known: Sequence[Tenure],
    *,
    turn: int | None = None,
    name: Callable[[str], str] = str,
    names: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The sides that were given another player, and who has played them, in words: ``Koloth <k@example.org> since turn
    3, 2027-03-05; before, Kor``. ``name`` is how a player is called who is not among the ``names``; with ``turn``, as
    it was when that turn was played. Who only has another address is the same player. Where no name is known no day is
    told: reports of games before there were any come out as they did.
    """
    from pbem.reports.html.public import addresses, name_of

    named = names or {}
    found: dict[str, list[tuple[str, str]]] = {}
    for one in known:
        if turn is not None and one.turn > turn:
            continue
        held = found.setdefault(one.side, [(one.before, "")])
        before = held[-1][0]
        called = [named.get(who) or name_of(who) for who in (one.player, before)]
        shared = addresses([one.player]) & addresses([before])
        same = called[0] == called[1] if all(called) else bool(shared)
        day = f"{one.at:%Y-%m-%d}" if one.at is not None and named else ""
        when = ", ".join(filter(None, (f"turn {one.turn}" * bool(one.turn), day)))
        held[-1:] = [(one.player, held[-1][1])] if same else [held[-1], (one.player, f" since {when}" * bool(when))]
    told = {}
    for side, held in found.items():
        now, since = held[-1]
        words = [f"{named.get(now) or name(now) or 'another player' * bool(since)}{since}"]
        for player, began in reversed(held[:-1]):
            called_then = named.get(player) or name(name_of(player) or player)
            words += [f"{called_then}{began}"] if called_then else []
        told[side] = "; before, ".join(filter(None, words))
    return told


def played_by(folder: Path, terms: Terms, name: Callable[[str], str] = str) -> dict[str, str]:
    """Who plays, and played, each side of which more is known than game.toml says."""
    known = names(folder)
    own = {side: known[seat.player] for side, seat in terms.sides.items() if known.get(seat.player)}
    return {**own, **cast(tenures(folder), name=name, names=known)}


def as_played(
    known: Sequence[Tenure], records: Sequence[Record], turn: int | None = None, names: Mapping[str, str] | None = None
) -> list[Record]:
    """The log as reports tell it: with who plays each side now, as he is called, in place of who began. It is the log
    itself where nobody was replaced and nobody's name is known.
    """
    told = cast(known, turn=turn, names=names)
    return [_named(record, told, names or {}) for record in records] if told or names else list(records)


def _named(record: Record, told: Mapping[str, str], names: Mapping[str, str]) -> Record:
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    replace = msgspec.structs.replace
    sides = tuple(
        replace(side, player=told.get(side.name) or names.get(side.player, side.player)) for side in event.sides
    )
    return replace(record, event=replace(event, sides=sides))


def captain_of(player: str) -> Level | None:
    """The level of a captain, if a player is one."""
    word = player.strip().casefold()
    return level(EARLIER.get(word, word))


def by_computer(player: str) -> bool:
    """Whether nobody has to be written to: the robot of the rules plays, or a captain."""
    return player.strip().casefold() == "robot" or captain_of(player) is not None


def in_words(player: str) -> str:
    """Who plays, where others are told: ``the robot``, ``a computer captain (ensign)``, or the player himself."""
    found = captain_of(player)
    if found is not None:
        return f"a computer captain ({found.name})"
    return "the robot" if player == "robot" else player
