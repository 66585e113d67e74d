"""Keep the clocks of hosted games and of their host, and the record of emails already queued.

``mail/clock.json`` in the game folder says when the current request for orders was sent, when play last went on,
and whether the game is paused. ``mail/said.txt`` lists the keys of emails that were put into the outbox, so that
nothing is sent again after the sent emails are deleted. The date arithmetic is in :mod:`pbem.mail.host.deadlines`.

The host's own clock may be wrong, and its email may not work. Neither makes a player late. The fact ``rounds`` stores
the time of the last round (one pass of the host over all games). If the clock was set back since, or days passed
without a round, that time counts for no deadline. It is added to ``drift``, by which all deadlines move. Outages of
the email do not count either. A player counts as late only after two rounds have found the deadline past, so one
round at a wrong time does no harm. The time since the machine was started shows clock changes to the minute
(:class:`Up`).
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
from pbem.mail import emails
from pbem.mail.host.deadlines import Days, Rule, Times, bounds, times, uncounted, written
from pbem.mail.replies.reply import Outgoing, Reply
from pbem.mail.settings import game_rule, host_of, read_host
from pbem.mail.store import keep_fact, read_fact
from pbem.util import several

SAID: Final = "said.txt"
ROUNDS: Final = "rounds"
"""Name of the fact (small record in the club's database) that holds its :class:`Rounds`."""
BACK: Final = timedelta(minutes=10)
"""If the clock was set back by less than this, the umpire is not informed."""
QUIET: Final = timedelta(days=2)
"""After this time without a round, the host cannot tell whether time passed or the clock was set."""
OUTAGE: Final = timedelta(minutes=10)
"""An outage of the email that is shorter than this does not move any deadline."""
SURE: Final = timedelta(hours=1)
"""How far after the last round a time may be and still count as certainly past."""


# --- the clock of the host --------------------------------------------------------------------------------------------


class Up(msgspec.Struct, frozen=True, kw_only=True):
    """How many seconds a machine has been running since it was started.

    ``boot`` is an id that differs after each start; empty if the system has none.
    """

    seconds: int
    boot: str = ""


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """The host's record of its rounds: when they were, and how much time does not count towards deadlines.

    Attributes:
        format: The version of the format.
        began: The time of the first round. It identifies this host's record, so that a game that is moved to
            another host does not take ``drift`` along.
        last: The time of the last round.
        drift: Seconds that do not count towards deadlines, such as days without a round.
        leap: The longest time without a round that still counted towards deadlines, in seconds. It may have been a
            clock error that will be corrected.
        ill: Since when the inbox cannot be read or no email can be sent; ``None`` if both work.
        dumb: Whether no email can be sent.
        lost: How often a backup was restored.
        up: How long the machine had been running at the last round.
    """

    format: int = 1
    began: datetime | None = None
    last: datetime | None = None
    drift: int = 0
    leap: int = 0
    ill: datetime | None = None
    dumb: bool = False
    lost: int = 0
    up: Up | None = None

    def at(self, now: datetime) -> Rounds:
        """Return a copy of the record in which a present outage of the email up to now is excluded.

        Excluded time does not count towards deadlines. The record itself is returned if there is no outage.
        """
        gone = now - self.ill if self.ill is not None else timedelta()
        if gone < OUTAGE:
            return self
        return msgspec.structs.replace(self, drift=self.drift + int(gone.total_seconds()))

    def since(self, began: datetime | None, drift: int) -> timedelta:
        """Return how much time was excluded from deadlines since this record's ``drift`` had the given value.

        The result is zero if ``began`` identifies another host's record.
        """
        mine = began is None or began == self.began
        return timedelta(seconds=self.drift - drift) if mine else timedelta()


class Hour(msgspec.Struct, frozen=True, kw_only=True):
    """What the current round of the host (one pass over all games) knows about the time.

    Attributes:
        rounds: The record to save.
        sure: The latest time that is certainly past; ``None`` if no time is certainly past.
        said: The message to the umpire about the clock; empty for none.
    """

    rounds: Rounds
    sure: datetime | None
    said: str = ""

    def passed(self, moment: datetime) -> bool:
        """Return whether a time is certainly past, even if the machine's clock may be wrong."""
        return self.sure is not None and moment <= self.sure

    def unsure(self) -> Hour:
        """Return a copy of this record in which no deadline is certainly past, so that nobody counts as late."""
        return msgspec.structs.replace(self, sure=None)

    def ill(self, since: datetime, *, dumb: bool = False) -> Hour:
        """Return a copy of this record in which an outage of the email began at ``since``.

        ``dumb`` means that no email can be sent.
        """
        ill, dumb = self.rounds.ill or since, self.rounds.dumb or dumb
        return msgspec.structs.replace(self, rounds=msgspec.structs.replace(self.rounds, ill=ill, dumb=dumb))

    def well(self, moment: datetime) -> Hour:
        """Return a copy of this record in which the email works again at the time ``moment``.

        All deadlines are moved later by the length of the outage.
        """
        rounds = msgspec.structs.replace(self.rounds.at(moment), ill=None, dumb=False)
        return msgspec.structs.replace(self, rounds=rounds)


def read_rounds(folder: Path) -> Rounds:
    """Return the host's record of its rounds.

    If there is none, the record is empty, and then nobody counts as late.
    """
    rounds = read_fact(folder / "mail", ROUNDS, Rounds) or Rounds()
    return rounds if all(one is None or one.tzinfo for one in (rounds.began, rounds.last)) else Rounds()


def write_rounds(folder: Path, rounds: Rounds) -> None:
    """Save the host's record of its rounds, if it has changed.

    A round saves its results about the clock only after its games are done. So if the round is interrupted, the next
    round finds the same results again.
    """
    if read_rounds(folder) != rounds:
        keep_fact(folder / "mail", ROUNDS, rounds)


def hour(earlier: Rounds, now: datetime, *, up: Up | None = None, anyway: bool = False, lost: bool = False) -> Hour:
    """Decide whether the clock is right, and return what a round at ``now`` knows about the time.

    Args:
        earlier: The record of earlier rounds.
        now: The current time by the machine's clock.
        up: How long the machine has been running, if known.
        anyway: The umpire confirms that the clock is right.
        lost: The work since the last round was lost, so that this time does not count.
    """
    put = _put(earlier, now, up) if not anyway and not lost else timedelta()
    result = _hour(_by_the_new_clock(earlier, put), now, anyway=anyway, lost=lost)
    if put:
        assert earlier.last is not None
        hours, minutes = divmod(round(abs(put) / timedelta(minutes=1)), 60)
        how = f"put {'on' if put > timedelta() else 'back'} by {several(hours, 'hour')} {several(minutes, 'minute')}"
        said = emails.sentence("clock_fault", put=how, back=False, before=written(earlier.last, "UTC"), now="")
        result = msgspec.structs.replace(result, sure=None, said=result.said or said)
    return msgspec.structs.replace(result, rounds=msgspec.structs.replace(result.rounds, up=up))


def _put(earlier: Rounds, now: datetime, up: Up | None) -> timedelta:
    """Return by how much the machine's clock was set forward since the last round.

    The result is negative if the clock was set back, and zero if that is unknown or less than the tolerance
    :data:`BACK`.
    """
    before = earlier.up
    if earlier.last is None or up is None or before is None or (up.boot != before.boot or up.seconds < before.seconds):
        return timedelta()
    put = now - earlier.last - timedelta(seconds=up.seconds - before.seconds)
    return put if abs(put) > BACK else timedelta()


def _by_the_new_clock(earlier: Rounds, put: timedelta) -> Rounds:
    """Return the record of earlier rounds with its times corrected for a change of the clock by ``put``."""
    if not put:
        return earlier
    last, ill = earlier.last, earlier.ill
    return msgspec.structs.replace(
        earlier,
        last=last + put if last is not None else None,
        ill=ill + put if ill is not None else None,
        drift=earlier.drift + int(put.total_seconds()),
    )


def _hour(earlier: Rounds, now: datetime, *, anyway: bool, lost: bool) -> Hour:
    if lost and earlier.last is not None and now > earlier.last:
        drift = earlier.drift + int((now - earlier.last).total_seconds())
        rounds = msgspec.structs.replace(earlier, last=now, drift=drift, lost=earlier.lost + 1)
        return Hour(rounds=rounds, sure=None)
    if earlier.last is None:
        rounds = Rounds(began=now, last=now)
        return Hour(rounds=rounds, sure=now if anyway else None)
    gone = now - earlier.last
    rounds = msgspec.structs.replace(earlier, last=now)
    if anyway:
        return Hour(rounds=rounds, sure=now)
    seconds = int(gone.total_seconds())
    if -BACK <= gone <= QUIET:
        if gone > SURE:
            rounds = msgspec.structs.replace(rounds, leap=max(rounds.leap, seconds))
        return Hour(rounds=rounds, sure=min(now, earlier.last + SURE))
    if gone > QUIET:
        rounds = msgspec.structs.replace(rounds, drift=earlier.drift + seconds)
    else:
        # If the clock was set forward unnoticed before, setting it back must not shorten anybody's time.
        back = seconds + earlier.leap if gone < -QUIET else 0
        rounds = msgspec.structs.replace(rounds, drift=earlier.drift + min(0, back), leap=0)
    if earlier.ill is not None:
        # The outage keeps its length by the new clock.
        rounds = msgspec.structs.replace(rounds, ill=earlier.ill + gone)
    before, after = (written(one, "UTC") for one in (earlier.last, now))
    said = emails.sentence("clock_fault", put="", back=gone < timedelta(), before=before, now=after)
    return Hour(rounds=rounds, sure=None, said=said)


# --- the clock of a game ----------------------------------------------------------------------------------------------


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
    """Extra time for one request for orders, with the reason.

    ``asking`` is the request: its turn, its number and the segment before it. ``seconds`` is the extra time.
    """

    asking: tuple[int, int, int]
    seconds: int


class Away(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Days that do not count towards a deadline, because a side that owes orders is away.

    Attributes:
        side: The side.
        days: The days.
        answered: Whether the side was informed of the new deadline by the answer to its own email.
    """

    side: str
    days: Days
    answered: bool = False


class Clock(LastSeenPlay, frozen=True, kw_only=True):
    """The record that determines a game's deadline: the current request, when it was sent, excluded time.

    Attributes:
        asking: The request for orders: its turn, its number, and the number of the segment (play between two requests)
            before it.
        asked: When the host first saw the request; ``None`` before the first request.
        held: Seconds that do not count, such as earlier pauses.
        paused: Since when the game is paused; ``None`` if it is not.
        reason: Why it is paused.
        began: Identifies the host's record (:class:`Rounds`) to which ``drift`` belongs.
        drift: The drift of that record, in seconds, when the request began.
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
        """Return a sentence for each side whose absence counts for this deadline.

        Absences that ended before ``today`` are left out.
        """
        return [f"{one.side} is away on {one.days}" for one in self.away if one.days.last >= today]

    def times(self, rule: Rule, rounds: Rounds = NEVER) -> Times | None:
        """Return the deadline of the current request for orders; ``None`` if there was no request yet.

        If the game is paused, the time of the current pause is not yet added. ``rounds`` is the host's record of
        excluded time.
        """
        if self.asked is None:
            return None
        held = timedelta(seconds=self.held) + rounds.since(self.began, self.drift)
        extended = timedelta(seconds=sum(one.seconds for one in self.extended))
        return times(rule, self.asked, held, away=(one.days for one in self.away), extended=extended)

    def seen(self, segments: int, now: datetime) -> Clock:
        """Return a copy of the clock that records the number of segments begun so far.

        A segment is play between two requests for orders. If the number has grown, the copy also records ``now`` as the
        time of the last play. A game seen for the first time has no such time.
        """
        played = now if self.segments is not None and segments > self.segments else self.played
        return msgspec.structs.replace(self, played=played, segments=segments)

    def begun(self, asking: tuple[int, int, int], now: datetime, rounds: Rounds) -> Clock:
        """Return a copy of the clock in which the time to answer the request ``asking`` begins at ``now``.

        ``rounds`` is the host's record of excluded time.
        """
        away = self.away if asking == self.asking else ()
        return msgspec.structs.replace(
            self, asking=asking, asked=now, held=0, began=rounds.began, drift=rounds.drift, away=away
        )

    def at(self, rounds: Rounds) -> Clock:
        """Return a copy of the clock that includes all time excluded so far.

        The copy no longer depends on ``rounds``, the host's record of excluded time.
        """
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

    The result is ``None`` if nobody hosts the game or there was no request yet. With ``now``, an outage of the
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
    deadlines = clock.times(rule, rounds.at(now) if now is not None else rounds)
    return (deadlines, rule, clock) if deadlines is not None else None


def write_clock(folder: Path, clock: Clock) -> Clock:
    """Save the clock of a game and return it. The caller must hold the game's lock."""
    keep(folder / FOLDER / CLOCK, clock, indent=True)
    return clock


def start(game: GameFolder, now: datetime, rounds: Rounds = NEVER) -> Clock:
    """Return the clock for a game's current request for orders; restart it if the request is new.

    The clock also records when the host noticed that play had advanced. ``rounds`` knows the times that do not
    count toward deadlines.
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
        raise GameError.saying("paused", "this game is already paused", file=str(folder))
    return write_clock(folder, msgspec.structs.replace(clock.at(_rounds_of(folder)), paused=now, reason=reason))


def extend(game: GameFolder, by: timedelta, now: datetime, grounds: Grounds) -> tuple[bool, datetime]:
    """Extend the deadline of a game's current request; return whether that was done, and the deadline.

    If the deadline is past, the extension is counted from now. The same cause extends it only once. The caller must
    hold the game's lock.

    Args:
        game: The game.
        by: How much later the deadline is to be.
        now: The time.
        grounds: The cause and the reason.

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
    """Compute what :func:`extend` would do, without saving it.

    Returns:
        Whether the deadline would be extended, the new clock, and the deadline.

    Raises:
        GameError: The game waits for no orders.
    """
    current = due_of(game.path, now)
    if current is None or game.state().request is None:
        text = "no host sets deadlines for this game, so there is nothing to extend"
        raise GameError.saying("no-deadline", text, file=str(game.path))
    before, rule, clock = current
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
    """Add absences of sides that owe orders to a game's clock, and return the clock.

    The days of absence then do not count. Only absences that overlap the time of the request are added. They stay after
    the side has sent its orders, so that no deadline is moved earlier. The caller must hold the game's lock.

    Args:
        game: The game.
        away: The absences.
        now: The time.
        rule: The game's deadline rule.
        rounds: The host's record of excluded time.
    """
    clock = before = read_clock(game.path)
    for _ in away:
        deadlines = clock.times(rule, rounds)
        if deadlines is None:
            break
        counted = {(one.side, one.days) for one in clock.away}
        open_ = [one for one in away if (one.side, one.days) not in counted]
        new = [one for one in open_ if (span := bounds(one.days, rule.zone))[0] < deadlines.final and span[1] > now]
        if not new:
            break
        clock = msgspec.structs.replace(clock, away=(*clock.away, *new))
    return clock if clock == before else write_clock(game.path, clock)


def adopt_now(game: GameFolder, away: list[Away], now: datetime) -> Clock:
    """Add absences to a game's clock like :func:`adopt`, between rounds of the host; return the clock.

    Nothing is added if the game is paused or nobody hosts it.

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
    # The whole pause is excluded; time in it that did not count anyway must not be excluded twice.
    rounds = _rounds_of(folder)
    resumed = msgspec.structs.replace(clock, held=held, paused=None, reason="", began=rounds.began, drift=rounds.drift)
    host = host_of(folder)
    rule = game_rule(read_host(host), folder) if host is not None else Rule()
    if (deadlines := resumed.times(rule, rounds)) is not None:
        twice = uncounted(rule, since, now, away=(one.days for one in clock.away), before=deadlines.due)
        resumed = msgspec.structs.replace(resumed, held=held - int(twice.total_seconds()))
    return write_clock(folder, resumed)


class SentNotices:
    """The keys of the emails that were put into the outbox for a game; a file of the game stores them."""

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
        """Put emails into the outbox by the function ``put``, and then record their keys.

        If the host is interrupted in between, the next round makes the same emails again, and the outbox recognizes
        their keys. The caller must hold the game's lock.
        """
        self.add(*outgoing.plan)
        for reply in outgoing.replies:
            put(reply)
        self.add(*outgoing.keys)
