"""What a host's last round found, for whoever looks after it: ``mail/status.json``, written at the end of each round.

It is the heartbeat (``at``), and it remembers which troubles the umpire was told of, and when: one that lasts is told
again each day, one that lasts a minute is not told each minute.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import keep, read_kept

FORMAT: Final = 1
FILE: Final = "status.json"
AGAIN: Final = timedelta(days=1)
"""After so long the same trouble is told again."""
FORGOTTEN: Final = timedelta(days=30)


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not in order: since when, when it was last seen and told, how often it was told."""

    text: str
    first: datetime
    seen: datetime
    told: datetime
    times: int = 1
    calm: bool = False


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """When the last round ended, or was tried; the troubles by their keys; how many mails wait or have failed. ``done``
    is when the last one was done, where that was not the last one.
    """

    format: int = FORMAT
    at: datetime | None = None
    done: datetime | None = None
    troubles: dict[str, Trouble] = {}
    waiting: int = 0
    failed: int = 0

    def now(self) -> tuple[Trouble, ...]:
        """What was not in order in the last round, the oldest first. Players who are late are no trouble."""
        found = [one for one in self.troubles.values() if one.seen == self.at and not one.calm]
        return tuple(sorted(found, key=lambda one: one.first))

    def late(self) -> tuple[Trouble, ...]:
        """The games that wait for somebody beyond the deadline and grace."""
        return tuple(one for one in self.troubles.values() if one.seen == self.at and one.calm)


class Told:
    """The troubles of a round, and which of them are to be told now."""

    def __init__(self, folder: Path, at: datetime) -> None:
        self.folder, self.at = folder, at
        self.before = read_heartbeat(folder)
        self.known = dict(self.before.troubles)

    def again(self, key: str, text: str, *, calm: bool = False) -> int:
        """A trouble is there now: the how many-th time it is to be told, 0 where that was done within the day."""
        one = self.known.get(key)
        back = one is not None and self.at < one.told  # the clock was put back
        tell = one is None or back or (one.told != self.at and self.at - one.told >= AGAIN)
        lasts = one is not None and one.seen in (self.before.at, self.at)
        self.known[key] = Trouble(
            text=text,
            first=one.first if one is not None and lasts else self.at,
            seen=self.at,
            told=self.at if tell or one is None else one.told,
            times=one.times + tell if one is not None else 1,
            calm=calm,
        )
        return self.known[key].times if tell else 0

    def write(self, waiting: int, failed: int, *, done: bool = True) -> None:
        """The heartbeat of this round; it may not have been ``done``."""
        kept = {key: one for key, one in self.known.items() if self.at - one.seen < FORGOTTEN}
        before = None if done else self.before.done or self.before.at
        found = Heartbeat(at=self.at, done=before, troubles=kept, waiting=waiting, failed=failed)
        keep(self.folder / "mail" / FILE, found, indent=True)


def read_heartbeat(folder: Path) -> Heartbeat:
    """What the last round of a host left; a damaged file is none."""
    return read_kept(folder / "mail" / FILE, Heartbeat) or Heartbeat()
