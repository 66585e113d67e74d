"""Players of a game and their replacements, the date of the last play, and the versions of pbem used.

``game.toml`` and the log name the first players and never change. Replacements are recorded under ``secret/``;
reports, status and site also show the present players.

The log has no times, and file times change with every copy. The host's clock file in the game folder records when
the game was last played; a game without a host does not have such a date.

``game.toml`` names the version of pbem that began the game. ``versions.json`` records each later version, with the
first segment of play that this version played. The log cannot show this: versions with the same rules make the same
log from the same orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from pbem import __version__
from pbem.data.doctrines import SkillLevel, level
from pbem.engine.events import GameStarted, Record, SegmentBegan
from pbem.games.storage.files import json_in, keep, read_bytes, read_kept
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import Terms

FORMAT: Final = 1
FOLDER: Final = "mail"
CLOCK: Final = "clock.json"


class LastSeenPlay(msgspec.Struct, frozen=True, kw_only=True):
    """The time (UTC) when the host last saw that a game had advanced, and the segments begun by then.

    A segment is the play from one request for orders to the next. The values are ``None`` if the host has not seen
    an advance yet, and in files of an earlier version.
    """

    format: int = FORMAT
    played: datetime | None = None
    segments: int | None = None


def last_played(folder: Path) -> date | None:
    """Return the date (UTC) on which a hosted game was last played; ``None`` if it was not recorded."""
    known = read_kept(folder / FOLDER / CLOCK, LastSeenPlay)
    return known.played.date() if known is not None and known.played is not None else None


PLAYERS_FILE = "players.json"
TENURES = "tenures.json"
NAMES = "names.json"


EARLIER = {"computer captain": "captain"}
"""Names of computer players in games of earlier versions, mapped to the present levels."""


class Tenure(msgspec.Struct, frozen=True, kw_only=True):
    """A change of a side's player: the players before and after it, the time, and the turn."""

    side: str
    before: str
    player: str
    at: datetime | None = None
    turn: int = 0


def players(folder: Path, terms: Terms) -> dict[str, str]:
    """Return the present player of each side (name and address as given), after all changes of player."""
    return {**{side: seat.player for side, seat in sorted(terms.sides.items())}, **replaced(folder)}


def replaced(folder: Path) -> dict[str, str]:
    """Return, by side, the present player of those sides whose player is not the one in ``game.toml``.

    Raises:
        GameError: The file of the changes is damaged.
    """
    file = folder / "secret" / PLAYERS_FILE
    if not file.is_file():
        return {}
    return json_in(read_bytes(file), dict[str, str], "players-damaged", "the new players are damaged", file)


def tenures(folder: Path) -> list[Tenure]:
    """Return all changes of player in a game, in order; a damaged file counts as empty."""
    return read_kept(folder / "secret" / TENURES, list[Tenure]) or []


def replace_player(folder: Path, tenure: Tenure) -> None:
    """Record that a side has a new player; the caller must hold the game's lock."""
    known = tenures(folder)
    if tenure not in known:
        keep(folder / "secret" / TENURES, [*known, tenure], indent=True)
    keep(folder / "secret" / PLAYERS_FILE, {**replaced(folder), tenure.side: tenure.player}, indent=True)


def names(folder: Path) -> dict[str, str]:
    """Return the display names of players as a dict, by their entry in ``game.toml`` or in a change of player.

    A damaged file counts as empty.
    """
    return read_kept(folder / "secret" / NAMES, dict[str, str]) or {}


def note_names(folder: Path, known: Mapping[str, str]) -> None:
    """Record the display names of players; the caller must hold the game's lock."""
    keep(folder / "secret" / NAMES, dict(sorted(known.items())), indent=True)


def cast(
    known: Sequence[Tenure],
    *,
    turn: int | None = None,
    name: Callable[[str], str] = str,
    names: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return, for each side whose player changed, a text with the present and former players.

    An example is ``Koloth <k@example.org> since turn 3, 2027-03-05; before, Kor``. A player who only has a new
    address counts as the same player.

    Args:
        known: The changes of player.
        turn: If given, the text describes the situation at the time when that turn was played.
        name: Function that returns the display name of a player that is not in ``names``.
        names: Known display names. Without any, no dates are shown, so that reports of earlier games do not change.
    """
    from pbem.reports.html.public import name_of

    named = names or {}
    found: dict[str, list[tuple[str, str]]] = {}
    for one in known:
        if turn is not None and one.turn > turn:
            continue
        held = found.setdefault(one.side, [(one.before, "")])
        same = _is_same_player(one.player, held[-1][0], named)
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


def _is_same_player(player: str, before: str, named: Mapping[str, str]) -> bool:
    """Return whether two player entries mean the same person: by name, or by address if no name is known.

    ``named`` has known display names.
    """
    from pbem.reports.html.public import addresses, name_of

    called = [named.get(who) or name_of(who) for who in (player, before)]
    return called[0] == called[1] if all(called) else bool(addresses([player]) & addresses([before]))


def played_by(folder: Path, terms: Terms, name: Callable[[str], str] = str) -> dict[str, str]:
    """Return, by side, a text that says who played it, if ``game.toml`` does not tell everything."""
    known = names(folder)
    own = {side: known[seat.player] for side, seat in terms.sides.items() if known.get(seat.player)}
    return {**own, **cast(tenures(folder), name=name, names=known)}


def as_played(
    known: Sequence[Tenure], records: Sequence[Record], turn: int | None = None, names: Mapping[str, str] | None = None
) -> list[Record]:
    """Return the log for reports, with the present players in place of the first ones.

    ``turn`` selects the players at the time when that turn was played. Players appear with their display names. The
    log is unchanged if nobody was replaced and no display name is known.
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


def captain_of(player: str) -> SkillLevel | None:
    """Return the level of a computer player, or ``None`` if ``player`` is a person or the robot."""
    word = player.strip().casefold()
    return level(EARLIER.get(word, word))


def by_computer(player: str) -> bool:
    """Return whether a player is the robot of the rules or a computer player, and therefore needs no email."""
    return player.strip().casefold() == "robot" or captain_of(player) is not None


def in_words(player: str) -> str:
    """Return the text that other players see for this player.

    The text is ``the robot``, ``a computer player (ensign)``, or the player's own entry.
    """
    found = captain_of(player)
    if found is not None:
        return f"a computer player ({found.name})"
    return "the robot" if player == "robot" else player


VERSIONS_FILE: Final = "versions.json"


class Since(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the first segment of a game that a version of pbem played."""

    segment: int
    pbem: str


class VersionSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A range of segments, first to last, that one version of pbem played (``""``: a version before 0.2.0)."""

    first: int
    last: int
    pbem: str


def note_version(game: GameFolder, segment: int, version: str = __version__) -> None:
    """Record that this version of pbem plays ``segment``, if another version played the segment before it."""
    known = _noted(game)
    if (known[-1].pbem if known else game.terms.begun) != version:
        keep(game.path / VERSIONS_FILE, [*known, Since(segment=segment, pbem=version)], indent=True)


def version_spans(game: GameFolder) -> tuple[VersionSpan, ...]:
    """Return all segments of a game's log as ranges, each played by one version of pbem."""
    last = max((r.event.segment for r in game.records() if isinstance(r.event, SegmentBegan)), default=0)
    found = list[VersionSpan]()
    begins = [Since(segment=1, pbem=game.terms.begun), *_noted(game), Since(segment=last + 1, pbem="")]
    for one, after in pairwise(begins):
        if one.segment < after.segment:
            found.append(VersionSpan(first=one.segment, last=after.segment - 1, pbem=one.pbem))
    return tuple(found)


def elsewhere(game: GameFolder) -> frozenset[int]:
    """Return the numbers of the segments that another version of pbem than this one played.

    A segment is the play from one request for orders to the next.
    """
    return frozenset(
        n for one in version_spans(game) if one.pbem != __version__ for n in range(one.first, one.last + 1)
    )


def named(version: str) -> str:
    """Return a version number of pbem as text for a message: ``pbem 1.2.0``."""
    return f"pbem {version}" if version else "a version before 0.2.0"


def _noted(game: GameFolder) -> list[Since]:
    return read_kept(game.path / VERSIONS_FILE, list[Since]) or []
