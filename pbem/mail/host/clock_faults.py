"""Detect a wrong clock and outages of the email between rounds, so that neither makes a player late.

A round is one pass of the host over all games. The fact ``rounds`` keeps the time of the last one. If the clock
has gone back since, or days passed without a round, that time counts for no deadline. It is added to ``drift``, by
which all deadlines move. Outages of the email count for nobody either. A player counts as late only after two
rounds have seen the deadline as past, so one round at a wrong time does no harm. The time since the machine was
started shows clock changes to the minute (:class:`Up`).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.mail.host.deadlines import written
from pbem.mail.store import keep_fact, read_fact
from pbem.util import several

FORMAT: Final = 1
FACT: Final = "rounds"
"""Name of the fact in the club's database that holds its :class:`Rounds`."""
BACK: Final = timedelta(minutes=10)
"""A shorter change of the clock than this, back in time, is not reported to the umpire."""
QUIET: Final = timedelta(days=2)
"""After this time without a round, the host cannot know whether time passed or the clock was changed."""
OUTAGE: Final = timedelta(minutes=10)
"""An outage of the email that is shorter than this moves no deadline."""
SURE: Final = timedelta(hours=1)
"""How far after the last round a time may lie and still count as certainly past."""
_FOR_NOBODY: Final = (
    "Such time counts for nobody: deadlines are moved where need be, and nobody is held late now. "
    "`pbem host DIR --once --anyway` instead of this round would have let it count."
)


class Up(msgspec.Struct, frozen=True, kw_only=True):
    """How many seconds a machine has been running since it was started.

    ``boot`` is an id that differs after each start, if the system has one.
    """

    seconds: int
    boot: str = ""


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """The host's record of its rounds: when they were, and how much time counts for nobody.

    Attributes:
        began: The time of the first round. It tells one host's record from another's, so that a game that is moved to
            another host takes no drift along.
        last: The time of the last round.
        drift: Seconds between rounds that count for nobody.
        leap: The longest time without a round that did count, in seconds. It may have been a clock error that will be
            corrected.
        ill: Since when the inbox cannot be read or no email can be sent; ``None`` if both work.
        dumb: Whether no email can be sent.
        lost: How often a backup was restored.
        up: How long the machine had been running at the last round.
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
        """Return a copy of the record in which an outage of the email that still lasts is excluded up to now."""
        gone = now - self.ill if self.ill is not None else timedelta()
        if gone < OUTAGE:
            return self
        return msgspec.structs.replace(self, drift=self.drift + int(gone.total_seconds()))

    def since(self, began: datetime | None, drift: int) -> timedelta:
        """Return how much time was excluded from deadlines since this record's ``drift`` had the given value.

        The result is zero if ``began`` belongs to another host's record.
        """
        mine = began is None or began == self.began
        return timedelta(seconds=self.drift - drift) if mine else timedelta()


class Hour(msgspec.Struct, frozen=True, kw_only=True):
    """What the current round of the host (one pass over all games) knows about the time.

    ``rounds`` is the record to save. Times up to ``sure`` are certainly past; with ``None`` no time is. ``said`` is
    the message to the umpire.
    """

    rounds: Rounds
    sure: datetime | None
    said: str = ""

    def passed(self, moment: datetime) -> bool:
        """Return whether a time is certainly past, even if the machine's clock may be wrong."""
        return self.sure is not None and moment <= self.sure

    def unsure(self) -> Hour:
        """Return a copy of this record that treats every deadline as possibly not yet past, so that nobody counts as
        late.
        """
        return msgspec.structs.replace(self, sure=None)

    def ill(self, since: datetime, *, dumb: bool = False) -> Hour:
        """Return a copy of this record with an outage of the email that began at ``since``.

        ``dumb`` means that no email can be sent.
        """
        ill, dumb = self.rounds.ill or since, self.rounds.dumb or dumb
        return msgspec.structs.replace(self, rounds=msgspec.structs.replace(self.rounds, ill=ill, dumb=dumb))

    def well(self, moment: datetime) -> Hour:
        """Return a copy of this record in which the email works again.

        All deadlines are later by the length of the outage.
        """
        rounds = msgspec.structs.replace(self.rounds.at(moment), ill=None, dumb=False)
        return msgspec.structs.replace(self, rounds=rounds)


def read_rounds(folder: Path) -> Rounds:
    """Return the host's record of its rounds.

    Without one, the record is empty, and then nobody counts as late.
    """
    found = read_fact(folder / "mail", FACT, Rounds) or Rounds()
    return found if all(one is None or one.tzinfo for one in (found.began, found.last)) else Rounds()


def write_rounds(folder: Path, rounds: Rounds) -> None:
    """Save the host's record of its rounds.

    What a round finds out about the clock is saved only after its games are done. So if the round is interrupted,
    the next one finds it out again.
    """
    if read_rounds(folder) != rounds:
        keep_fact(folder / "mail", FACT, rounds)


def hour(known: Rounds, now: datetime, *, up: Up | None = None, anyway: bool = False, lost: bool = False) -> Hour:
    """Decide whether the clock is right, and return what a round at ``now`` knows about the time.

    Args:
        known: The record of earlier rounds.
        now: The current time by the machine's clock.
        up: How long the machine has been running, if it says so.
        anyway: The umpire says that the clock is right.
        lost: The work since the last round was lost, so that this time counts for nobody.
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
    """Return by how much the machine's clock was put forward since the last round.

    It is negative if the clock was put back, and zero if that is unknown or less than the tolerance :data:`BACK`.
    """
    before = known.up
    if known.last is None or up is None or before is None or (up.boot != before.boot or up.seconds < before.seconds):
        return timedelta()
    put = now - known.last - timedelta(seconds=up.seconds - before.seconds)
    return put if abs(put) > BACK else timedelta()


def _by_the_new_clock(known: Rounds, put: timedelta) -> Rounds:
    """Return the record of earlier rounds with its times corrected for a change of the clock by ``put``."""
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
