"""Who plays a side now, and who did before. game.toml and the log say who began; they are never changed. What people
read (reports, status, the site) tells both.

When a game was last played: its host's clock says so.

The log has no time, and the times of its files are those of the last copy or backup that was put back. The clock lies
in the game's folder and goes where the folder goes. Nobody noted the day of a game that is played by hand.

Which version of pbem played which stretch of a game.

game.toml says with which one the game was begun; where another one goes on with it, ``versions.json`` says from which
segment on. No log tells it: the same orders make the same log in all versions that play by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from pbem import __version__
from pbem.data.doctrines import Level, level
from pbem.engine.events import GameStarted, Record, SegmentBegan
from pbem.games.storage.files import json_in, keep, read_bytes, read_kept
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import Terms

FORMAT: Final = 1
FOLDER: Final = "mail"
CLOCK: Final = "clock.json"


class LastSeenPlay(msgspec.Struct, frozen=True, kw_only=True):
    """When the host last saw that play had gone on, in UTC, and how many segments had been begun then; ``None`` before
    it saw that, and of what an earlier version kept.
    """

    format: int = FORMAT
    played: datetime | None = None
    segments: int | None = None


def last_played(folder: Path) -> date | None:
    """The day in UTC on which a hosted game was last played; ``None`` where nobody noted it."""
    known = read_kept(folder / FOLDER / CLOCK, LastSeenPlay)
    return known.played.date() if known is not None and known.played is not None else None


PLAYERS_FILE = "players.json"
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
    file = folder / "secret" / PLAYERS_FILE
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
    keep(folder / "secret" / PLAYERS_FILE, {**replaced(folder), tenure.side: tenure.player}, indent=True)


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


VERSIONS_FILE: Final = "versions.json"


class Since(msgspec.Struct, frozen=True, kw_only=True):
    """From this segment on a game was played by this version."""

    segment: int
    pbem: str


class VersionSpan(msgspec.Struct, frozen=True, kw_only=True):
    """Stretches of play in a row, by number, and the version that played them (``""``: one before 0.2.0)."""

    first: int
    last: int
    pbem: str


def note_version(game: GameFolder, segment: int, version: str = __version__) -> None:
    """Note that this version plays ``segment``, where another one played what came before."""
    known = _noted(game)
    if (known[-1].pbem if known else game.terms.begun) != version:
        keep(game.path / VERSIONS_FILE, [*known, Since(segment=segment, pbem=version)], indent=True)


def version_spans(game: GameFolder) -> tuple[VersionSpan, ...]:
    """All stretches of a game's log, in rows that one version played."""
    last = max((r.event.segment for r in game.records() if isinstance(r.event, SegmentBegan)), default=0)
    found = list[VersionSpan]()
    begins = [Since(segment=1, pbem=game.terms.begun), *_noted(game), Since(segment=last + 1, pbem="")]
    for one, after in pairwise(begins):
        if one.segment < after.segment:
            found.append(VersionSpan(first=one.segment, last=after.segment - 1, pbem=one.pbem))
    return tuple(found)


def elsewhere(game: GameFolder) -> frozenset[int]:
    """The segments that another version than this one played."""
    return frozenset(
        n for one in version_spans(game) if one.pbem != __version__ for n in range(one.first, one.last + 1)
    )


def named(version: str) -> str:
    """A version in words."""
    return f"pbem {version}" if version else "a version before 0.2.0"


def _noted(game: GameFolder) -> list[Since]:
    return read_kept(game.path / VERSIONS_FILE, list[Since]) or []
