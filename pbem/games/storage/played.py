"""When a game was last played: its host's clock says so.

The log has no time, and the times of its files are those of the last copy or backup that was put back. The clock lies
in the game's folder and goes where the folder goes. Nobody noted the day of a game that is played by hand.
"""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import read_kept

FORMAT: Final = 1
FOLDER: Final = "mail"
CLOCK: Final = "clock.json"


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """When the host last saw that play had gone on, in UTC, and how many segments had been begun then; ``None`` before
    it saw that, and of what an earlier version kept.
    """

    format: int = FORMAT
    played: datetime | None = None
    segments: int | None = None


def last_played(folder: Path) -> date | None:
    """The day in UTC on which a hosted game was last played; ``None`` where nobody noted it."""
    known = read_kept(folder / FOLDER / CLOCK, Played)
    return known.played.date() if known is not None and known.played is not None else None
