"""Which version of pbem played which stretch of a game.

game.toml says with which one the game was begun; where another one goes on with it, ``versions.json`` says from which
segment on. No log tells it: the same orders make the same log in all versions that play by the same rules.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import msgspec

from pbem import __version__
from pbem.engine.events import SegmentBegan
from pbem.games.storage.files import keep, read_kept
from pbem.games.storage.folder import GameFolder

FILE: Final = "versions.json"


class Since(msgspec.Struct, frozen=True, kw_only=True):
    """From this segment on a game was played by this version."""

    segment: int
    pbem: str


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """Stretches of play in a row, by number, and the version that played them (``""``: one before 0.2.0)."""

    first: int
    last: int
    pbem: str


def note_version(game: GameFolder, segment: int, version: str = __version__) -> None:
    """Note that this version plays ``segment``, where another one played what came before."""
    known = _noted(game)
    if (known[-1].pbem if known else game.terms.begun) != version:
        keep(game.path / FILE, [*known, Since(segment=segment, pbem=version)], indent=True)


def played_by(game: GameFolder) -> tuple[Played, ...]:
    """All stretches of a game's log, in rows that one version played."""
    last = max((r.event.segment for r in game.records() if isinstance(r.event, SegmentBegan)), default=0)
    found = list[Played]()
    begins = [Since(segment=1, pbem=game.terms.begun), *_noted(game), Since(segment=last + 1, pbem="")]
    for one, after in pairwise(begins):
        if one.segment < after.segment:
            found.append(Played(first=one.segment, last=after.segment - 1, pbem=one.pbem))
    return tuple(found)


def elsewhere(game: GameFolder) -> frozenset[int]:
    """The segments that another version than this one played."""
    return frozenset(n for one in played_by(game) if one.pbem != __version__ for n in range(one.first, one.last + 1))


def named(version: str) -> str:
    """A version in words."""
    return f"pbem {version}" if version else "a version before 0.2.0"


def _noted(game: GameFolder) -> list[Since]:
    return read_kept(game.path / FILE, list[Since]) or []
