"""The clock of a hosted game, and the record of emails already put into the outbox.

``mail/clock.json`` in the game folder says when the current request for orders was sent, when play last went on,
and whether the game is paused. ``mail/said.txt`` lists the keys of emails that were put into the outbox, so that
nothing is sent again after the sent emails are deleted. The date arithmetic is in :mod:`pbem.mail.host.deadlines`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import json_in, keep, read_bytes, write_text
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import CLOCK, FOLDER, LastSeenPlay
from pbem.mail.host.clock_faults import Rounds, read_rounds
from pbem.mail.host.deadlines import Days, Rule, Times, bounds, times, uncounted
from pbem.mail.replies.reply import Outgoing, Reply
from pbem.mail.settings import game_rule, host_of, read_host

SAID: Final = "said.txt"
NEVER: Final = Rounds()
"""The :class:`Rounds` record of a host that has done no round yet."""


class Grounds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a deadline was extended, and who asked for it.

    Attributes:
        cause: Identifies the occasion; the same occasion extends a request's deadline only once.
        reason: The reason, which players read.
        side: The side that asked for it by email; empty if the umpire or the host extended it.
        by_host: Whether the host itself extended it.
    """

    cause: str
    reason: str = ""
    side: str = ""
    by_host: bool = False


class DeadlineExtension(Grounds, frozen=True, kw_only=True, omit_defaults=True):
    """Extra time, in seconds, for one request for orders (turn, number, segment)."""

    asking: tuple[int, int, int]
    seconds: int


class Away(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Days that do not count towards a deadline, because a side that owes orders is away.

    Attributes:
        answered: Whether the side knows of the new deadline from the answer to its own email.
    """

    side: str
    days: Days
    answered: bool = False


class Clock(LastSeenPlay, frozen=True, kw_only=True):
    """The record from which a game's deadline follows: the current request, when it was sent, and excluded time.

    Attributes:
        asking: The request for orders: its turn, its number, and the number of the segment (stretch of play) before it.
        asked: When the host first saw the request; ``None`` before the first one.
        held: Seconds that do not count, such as earlier pauses.
        paused: Since when the game is paused; ``None`` if it is not.
        reason: Why it is paused.
        began: Which host's record of uncounted time ``drift`` belongs to (:mod:`pbem.mail.host.clock_faults`).
        drift: The value of that record, in seconds, when the request began.
        extensions: Extensions of all requests so far.
        away: Absences that count for the current request.
    """

    asking: tuple[int, int, int] = (0, 0, 0)
    asked: datetime | None = None
    held: int = 0
    paused: datetime | None = None
    reason: str = ""
    began: datetime | None = None
    drift: int = 0
    extensions: tuple[DeadlineExtension, ...] = ()
    away: tuple[Away, ...] = ()

    @property
    def extended(self) -> tuple[DeadlineExtension, ...]:
        """The extensions of the deadline of the current request for orders."""
        return tuple(one for one in self.extensions if one.asking == self.asking)

    def gone(self, today: date) -> list[str]:
        """Return a sentence for each side whose absence counts for this deadline and has not ended before ``today``."""
        return [f"{one.side} is away on {one.days}" for one in self.away if one.days.last >= today]

    def times(self, rule: Rule, rounds: Rounds = NEVER) -> Times | None:
        """Return the deadline of the current request for orders, or ``None`` if nothing was asked yet.

        While the game is paused, the current pause is not included.
        """
        if self.asked is None:
            return None
        held = timedelta(seconds=self.held) + rounds.since(self.began, self.drift)
        extended = timedelta(seconds=sum(one.seconds for one in self.extended))
        return times(rule, self.asked, held, away=(one.days for one in self.away), extended=extended)

    def seen(self, segments: int, now: datetime) -> Clock:
        """Return a copy of the clock that records how many segments (stretches of play) have begun by now.

        If the number has grown, the copy also records ``now`` as the time of the last play. A game seen for the
        first time has no such time.
        """
        played = now if self.segments is not None and segments > self.segments else self.played
        return msgspec.structs.replace(self, played=played, segments=segments)

    def begun(self, asking: tuple[int, int, int], now: datetime, rounds: Rounds) -> Clock:
        """Return a copy of the clock in which the time to answer the request ``asking`` begins now."""
        away = self.away if asking == self.asking else ()
        return msgspec.structs.replace(
            self, asking=asking, asked=now, held=0, began=rounds.began, drift=rounds.drift, away=away
        )

    def at(self, rounds: Rounds) -> Clock:
        """Return a copy of the clock with all excluded time added, so that the copy no longer depends on ``rounds``."""
        held = self.held + int(rounds.since(self.began, self.drift).total_seconds())
        return msgspec.structs.replace(self, held=held, began=rounds.began, drift=rounds.drift)


def read_clock(folder: Path) -> Clock:
    """Return the stored clock of a game; a new clock if the game has none.

    Raises:
        GameError: The file is damaged.
    """
    file = folder / FOLDER / CLOCK
    if not file.is_file():
        return Clock()
    return json_in(read_bytes(file), Clock, "clock-damaged", "the game's clock is damaged", file)


def due_of(game: Path, now: datetime | None = None) -> tuple[Times, Rule, Clock] | None:
    """Return the deadlines for the orders a hosted game now waits for, the deadline rule, and the clock.

    The result is ``None`` if nobody hosts the game or nothing has been asked yet. With ``now``, an outage of the
    email that still lasts is excluded too.

    Raises:
        GameError: The settings are wrong.
    """
    host = host_of(game)
    if host is None:
        return None
    clock = read_clock(game)
    rule = game_rule(read_host(host), game)
    rounds = read_rounds(host)
    found = clock.times(rule, rounds.at(now) if now is not None else rounds)
    return (found, rule, clock) if found is not None else None


def write_clock(folder: Path, clock: Clock) -> Clock:
    """Save the clock of a game and return it. The caller must hold the game's lock."""
    keep(folder / FOLDER / CLOCK, clock, indent=True)
    return clock


def start(game: GameFolder, now: datetime, rounds: Rounds = NEVER) -> Clock:
    """Return the clock for a game's current request for orders; start it if the request is new to the host.

    The clock also records when the host saw that play has gone on.
    """
    before, state = read_clock(game.path), game.state()
    clock = before.seen(state.segment, now)
    if state.request is not None:
        asking = (state.request.turn, state.request.number, state.segment)
        if clock.asked is None or clock.asking != asking:
            clock = clock.begun(asking, now, rounds)
    return clock if clock == before else write_clock(game.path, clock)


def pause(folder: Path, now: datetime, reason: str = "") -> Clock:
    """Stop a game's clock; nothing is played until it is resumed. The caller must hold the game's lock.

    Raises:
        GameError: The game is paused already.
    """
    clock = read_clock(folder)
    if clock.paused is not None:
        raise GameError.saying("paused", "this game is paused already", file=str(folder))
    return write_clock(folder, msgspec.structs.replace(clock.at(_rounds_of(folder)), paused=now, reason=reason))


def extend(game: GameFolder, by: timedelta, now: datetime, grounds: Grounds) -> tuple[bool, datetime]:
    """Extend the deadline of a game's current request; return whether it was extended, and the resulting deadline.

    If the deadline is past, the extension counts from now. The same cause extends it only once. The caller must
    hold the game's lock.

    Raises:
        GameError: The game waits for no orders.
    """
    if game.state().request is not None:
        start(game, now, _rounds_of(game.path))
    new, clock, due = extended(game, by, now, grounds)
    if new:
        write_clock(game.path, clock)
    return new, due


def given(game: GameFolder, cause: str) -> bool:
    """Return whether the current request's deadline was already extended for this cause."""
    return any(one.cause == cause for one in read_clock(game.path).extended)


def extended(game: GameFolder, by: timedelta, now: datetime, grounds: Grounds) -> tuple[bool, Clock, datetime]:
    """Return what :func:`extend` would return, without saving: whether it extends, the new clock, the deadline.

    Raises:
        GameError: The game waits for no orders.
    """
    found = due_of(game.path, now)
    if found is None or game.state().request is None:
        text = "nothing is asked in this game by a host's clock, so there is no deadline to extend"
        raise GameError.saying("no-deadline", text, file=str(game.path))
    before, rule, clock = found
    if any(one.cause == grounds.cause for one in clock.extended):
        return False, clock, before.due
    past = max(timedelta(), now - before.due)
    seconds = int((by + past).total_seconds())
    more = DeadlineExtension(asking=clock.asking, seconds=seconds, **msgspec.structs.asdict(grounds))
    clock = msgspec.structs.replace(clock, extensions=(*clock.extensions, more))
    after = clock.times(rule, _rounds_of(game.path).at(now))
    assert after is not None
    return True, clock, after.due


def adopt(game: GameFolder, away: list[Away], now: datetime, rule: Rule, rounds: Rounds) -> Clock:
    """Add absences of sides that owe orders to a game's clock, so that those days count for nobody; return the clock.

    Only absences that overlap the time of the request are added. They stay after the side has sent its orders, so
    that no deadline comes earlier. The caller must hold the game's lock.
    """
    clock = before = read_clock(game.path)
    for _ in away:
        found = clock.times(rule, rounds)
        if found is None:
            break
        known = {(one.side, one.days) for one in clock.away}
        open_ = [one for one in away if (one.side, one.days) not in known]
        new = [one for one in open_ if (span := bounds(one.days, rule.zone))[0] < found.final and span[1] > now]
        if not new:
            break
        clock = msgspec.structs.replace(clock, away=(*clock.away, *new))
    return clock if clock == before else write_clock(game.path, clock)


def adopt_now(game: GameFolder, away: list[Away], now: datetime) -> Clock:
    """Do what :func:`adopt` does between rounds of the host; nothing if the game is paused or nobody hosts it.

    Raises:
        GameError: The settings are wrong.
    """
    clock, host = read_clock(game.path), host_of(game.path)
    if host is None or clock.paused is not None:
        return clock
    return adopt(game, away, now, game_rule(read_host(host), game.path), _rounds_of(game.path).at(now))


def _rounds_of(game: Path) -> Rounds:
    return read_rounds(game.absolute().parent.parent)


def resume(folder: Path, now: datetime) -> Clock:
    """End the pause of a game and return its clock; the deadline is later by the length of the pause.

    Raises:
        GameError: The game is not paused.
    """
    clock = read_clock(folder)
    if clock.paused is None:
        raise GameError.saying("not-paused", "this game is not paused", file=str(folder))
    since = max(clock.paused, clock.asked) if clock.asked else now
    held = clock.held + max(0, int((now - since).total_seconds()))
    # All the time of the pause is held; what of it did not count anyway is not held twice.
    rounds = _rounds_of(folder)
    resumed = msgspec.structs.replace(clock, held=held, paused=None, reason="", began=rounds.began, drift=rounds.drift)
    host = host_of(folder)
    rule = game_rule(read_host(host), folder) if host is not None else Rule()
    if (found := resumed.times(rule, rounds)) is not None:
        twice = uncounted(rule, since, now, away=(one.days for one in clock.away), before=found.due)
        resumed = msgspec.structs.replace(resumed, held=held - int(twice.total_seconds()))
    return write_clock(folder, resumed)


class SentNotices:
    """The record of which emails were already put into the outbox for a game, by their keys."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FOLDER / SAID
        text = read_bytes(self.file).decode("utf-8", "replace") if self.file.is_file() else ""
        self.known = set(text.split("\n")) - {""}

    def add(self, *keys: str) -> None:
        """Record that emails with these keys were put into the outbox. The caller must hold the game's lock."""
        if not self.known.issuperset(keys):
            self.known.update(keys)
            write_text(self.file, "\n".join(sorted(self.known)) + "\n", private=True)

    def queue(self, outgoing: Outgoing, put: Callable[[Reply], object]) -> None:
        """Put emails into the outbox, and then record their keys. The caller must hold the game's lock.

        If the host is stopped in between, the next round makes the same emails again, and the outbox knows them by
        their keys.
        """
        self.add(*outgoing.plan)
        for reply in outgoing.replies:
            put(reply)
        self.add(*outgoing.keys)
