"""What time it was in the rounds before this one: a clock that is wrong makes nobody late.

``mail/rounds.json`` of a host keeps the time of its last round. Where the machine's clock has gone back since, or days
have passed without a round (the machine was off, or its clock was), that time counts for no deadline: it is added to
``drift``, by which all deadlines come later (or earlier again, when the clock is put right). And nobody is late before
the second round that sees it, so one round at a wrong time does nothing to anybody.

A machine that is not switched off knows more: since when it is up, whatever anybody does to its clock. By how much that
was put on or back between two rounds is seen by it to the minute, and nobody's time is any shorter or longer for it.

Time in which the inbox could not be read or no mail be sent counts for nobody either: it is added to ``drift`` when the
post works again, and before that every deadline is told as if it did so now.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import keep, read_kept
from pbem.mail.host.deadlines import written
from pbem.util import several

FORMAT: Final = 1
FILE: Final = "rounds.json"
BACK: Final = timedelta(minutes=10)
"""So much a clock may be put back without a word."""
QUIET: Final = timedelta(days=2)
"""After so long without a round nobody can tell whether time has passed or the clock was changed."""
OUTAGE: Final = timedelta(minutes=10)
"""An outage of the post that is shorter is added to no deadline."""
SURE: Final = timedelta(hours=1)
"""How far beyond the last round a moment may lie and count as past."""
_FOR_NOBODY: Final = (
    "Such time counts for nobody: deadlines are moved where need be, and nobody is held late now. "
    "`pbem host DIR --once --anyway` instead of this round would have let it count."
)


class Up(msgspec.Struct, frozen=True, kw_only=True):
    """For how many seconds a machine is up; ``boot`` is another one each time it is switched on, where it has such."""

    seconds: int
    boot: str = ""


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """When the first and the last round were, and the seconds between rounds that count for nobody.

    ``began`` tells one host's count from another's: a game that is moved takes no drift along. ``leap`` is the longest
    time without a round that did count: perhaps it was the clock, and will be taken back. ``ill`` is since when the
    inbox cannot be read or no mail be sent, ``dumb`` that it is (also) the latter. ``lost`` is how often a backup was
    put back. ``up`` is what the machine said of itself in the last round.
    """

    format: int = FORMAT
    began: datetime | None = None
    last: datetime | None = None
    drift: int = 0
    leap: int = 0
    ill: datetime | None = None
    dumb: bool = False
    lost: int = 0
    up: Up | None = None

    def at(self, now: datetime) -> Rounds:
        """The count as it would stand if the post worked again now."""
        gone = now - self.ill if self.ill is not None else timedelta()
        if gone < OUTAGE:
            return self
        return msgspec.structs.replace(self, drift=self.drift + int(gone.total_seconds()))

    def since(self, began: datetime | None, drift: int) -> timedelta:
        """How much time that does not count has passed since the count stood at ``drift``."""
        mine = began is None or began == self.began
        return timedelta(seconds=self.drift - drift) if mine else timedelta()


class Hour(msgspec.Struct, frozen=True, kw_only=True):
    """The time of a round: what is to be remembered of it, until when moments are surely past (``None``: nothing is
    sure), and what the umpire is to be told.
    """

    rounds: Rounds
    sure: datetime | None
    said: str = ""

    def passed(self, moment: datetime) -> bool:
        """Whether a moment is surely past."""
        return self.sure is not None and moment <= self.sure

    def unsure(self) -> Hour:
        """The same, with nobody late."""
        return msgspec.structs.replace(self, sure=None)

    def ill(self, since: datetime, *, dumb: bool = False) -> Hour:
        """The post does not work, and has not ``since`` the round before; ``dumb`` where no mail can be sent."""
        ill, dumb = self.rounds.ill or since, self.rounds.dumb or dumb
        return msgspec.structs.replace(self, rounds=msgspec.structs.replace(self.rounds, ill=ill, dumb=dumb))

    def well(self, moment: datetime) -> Hour:
        """The post works again: the time without it is added to all deadlines."""
        rounds = msgspec.structs.replace(self.rounds.at(moment), ill=None, dumb=False)
        return msgspec.structs.replace(self, rounds=rounds)


def read_rounds(folder: Path) -> Rounds:
    """What a host's folder keeps of its rounds. A damaged file is none: then nobody is late in the next round."""
    found = read_kept(folder / "mail" / FILE, Rounds) or Rounds()
    return found if all(one is None or one.tzinfo for one in (found.began, found.last)) else Rounds()


def write_rounds(folder: Path, rounds: Rounds) -> None:
    """Remember the round that is being done. What it found out of the clock is written when its games are done: a
    round that was stopped before finds it out again.
    """
    if read_rounds(folder) != rounds:
        keep(folder / "mail" / FILE, rounds)


def hour(known: Rounds, now: datetime, *, up: Up | None = None, anyway: bool = False, lost: bool = False) -> Hour:
    """What a round at ``now`` makes of its clock; ``up`` is for how long the machine is up, if it says so. ``anyway``:
    the umpire says that the clock is right. ``lost``: what was done since the last round was lost, so that time counts
    for nobody.
    """
    put = _put(known, now, up) if not anyway and not lost else timedelta()
    found = _hour(_by_the_new_clock(known, put), now, anyway=anyway, lost=lost)
    if put:
        assert known.last is not None
        hours, minutes = divmod(round(abs(put) / timedelta(minutes=1)), 60)
        how = f"put {'on' if put > timedelta() else 'back'} by {several(hours, 'hour')} {several(minutes, 'minute')}"
        said = f"The clock of this machine was {how} after the round of {written(known.last, 'UTC')}. {_FOR_NOBODY}"
        found = msgspec.structs.replace(found, sure=None, said=found.said or said)
    return msgspec.structs.replace(found, rounds=msgspec.structs.replace(found.rounds, up=up))


def _put(known: Rounds, now: datetime, up: Up | None) -> timedelta:
    """By how much the clock was put on since the last round (back: less than nothing), where the machine knows it."""
    before = known.up
    if known.last is None or up is None or before is None or (up.boot != before.boot or up.seconds < before.seconds):
        return timedelta()
    put = now - known.last - timedelta(seconds=up.seconds - before.seconds)
    return put if abs(put) > BACK else timedelta()


def _by_the_new_clock(known: Rounds, put: timedelta) -> Rounds:
    """What is known of the rounds before, as a clock would have said it that was right in the one way all along."""
    if not put:
        return known
    last, ill = known.last, known.ill
    return msgspec.structs.replace(
        known,
        last=last + put if last is not None else None,
        ill=ill + put if ill is not None else None,
        drift=known.drift + int(put.total_seconds()),
    )


def _hour(known: Rounds, now: datetime, *, anyway: bool, lost: bool) -> Hour:
    if lost and known.last is not None and now > known.last:
        drift = known.drift + int((now - known.last).total_seconds())
        rounds = msgspec.structs.replace(known, last=now, drift=drift, lost=known.lost + 1)
        return Hour(rounds=rounds, sure=None)
    if known.last is None:
        rounds = Rounds(began=now, last=now)
        return Hour(rounds=rounds, sure=now if anyway else None)
    gone = now - known.last
    rounds = msgspec.structs.replace(known, last=now)
    if anyway:
        return Hour(rounds=rounds, sure=now)
    seconds = int(gone.total_seconds())
    if -BACK <= gone <= QUIET:
        if gone > SURE:
            rounds = msgspec.structs.replace(rounds, leap=max(rounds.leap, seconds))
        return Hour(rounds=rounds, sure=min(now, known.last + SURE))
    if gone > QUIET:
        rounds = msgspec.structs.replace(rounds, drift=known.drift + seconds)
    else:
        # What was put on without being noticed is not taken from anybody's time when it is put back.
        back = seconds + known.leap if gone < -QUIET else 0
        rounds = msgspec.structs.replace(rounds, drift=known.drift + min(0, back), leap=0)
    if known.ill is not None:
        # It is as long as before, by the new clock.
        rounds = msgspec.structs.replace(rounds, ill=known.ill + gone)
    before = written(known.last, "UTC")
    if gone < timedelta():
        said = f"The clock of this machine has gone back: the round before this one was at {before}."
    else:
        said = f"There was no round from {before} to {written(now, 'UTC')}, or this machine's clock was put on."
    return Hour(rounds=rounds, sure=None, said=f"{said} {_FOR_NOBODY}")
