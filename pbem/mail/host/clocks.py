"""What the host remembers of a game besides playing it: since when orders are waited for, and what was said.

``mail/clock.json`` in the game folder says when the request in force went out, when play last went on, and whether the
game is paused;
``mail/said.txt`` names the letters that were put into the outbox, so that nobody who clears away what was sent has
all of it sent again.
"""

from __future__ import annotations

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
from pbem.mail.settings import game_rule, host_of, read_host

SAID: Final = "said.txt"
NEVER: Final = Rounds()
"""Of a host that has had no round yet."""


class Grounds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why somebody has more time: ``cause`` names what it was given for, so that it is given once. ``side`` asked for
    it by letter; without one it was the umpire, or the host itself (``by_host``).
    """

    cause: str
    reason: str = ""
    side: str = ""
    by_host: bool = False


class DeadlineExtension(Grounds, frozen=True, kw_only=True, omit_defaults=True):
    """More time for a request, by so many seconds."""

    asking: tuple[int, int, int]
    seconds: int


class Away(msgspec.Struct, frozen=True, kw_only=True):
    """Days that do not count for a request, as a side of whom an answer was wanted is away."""

    side: str
    days: Days


class Clock(LastSeenPlay, frozen=True, kw_only=True):
    """Which request was asked (turn, number, and the stretch of play before it), when, and how long play was held.

    ``paused`` is since when, if the game is paused now, and ``reason`` why. ``began`` and ``drift`` say how the host's
    count of time that does not count stood (:mod:`pbem.mail.host.clock_faults`). ``extensions`` are those of all
    requests; ``away`` is of this one.
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
        """The extensions of the request in force."""
        return tuple(one for one in self.extensions if one.asking == self.asking)

    def gone(self, today: date) -> list[str]:
        """Who owes an answer and is away, or will be."""
        return [f"{one.side} is away on {one.days}" for one in self.away if one.days.last >= today]

    def times(self, rule: Rule, rounds: Rounds = NEVER) -> Times | None:
        """When the answers are due; ``None`` before they were asked for. While the game is paused the clock stands."""
        if self.asked is None:
            return None
        held = timedelta(seconds=self.held) + rounds.since(self.began, self.drift)
        extended = timedelta(seconds=sum(one.seconds for one in self.extended))
        return times(rule, self.asked, held, away=(one.days for one in self.away), extended=extended)

    def seen(self, segments: int, now: datetime) -> Clock:
        """The clock of a game of which so many segments have been begun. Who sees a game for the first time does not
        know when it was played.
        """
        played = now if self.segments is not None and segments > self.segments else self.played
        return msgspec.structs.replace(self, played=played, segments=segments)

    def begun(self, asking: tuple[int, int, int], now: datetime, rounds: Rounds) -> Clock:
        """The clock of a request whose time begins now."""
        away = self.away if asking == self.asking else ()
        return msgspec.structs.replace(
            self, asking=asking, asked=now, held=0, began=rounds.began, drift=rounds.drift, away=away
        )

    def at(self, rounds: Rounds) -> Clock:
        """The same clock, with the time that did not count so far among what it was held."""
        held = self.held + int(rounds.since(self.began, self.drift).total_seconds())
        return msgspec.structs.replace(self, held=held, began=rounds.began, drift=rounds.drift)


def read_clock(folder: Path) -> Clock:
    """The clock of a game. Raises :class:`GameError` if it is damaged."""
    file = folder / FOLDER / CLOCK
    if not file.is_file():
        return Clock()
    return json_in(read_bytes(file), Clock, "clock-damaged", "the game's clock is damaged", file)


def due_of(game: Path, now: datetime | None = None) -> tuple[Times, Rule, Clock] | None:
    """When the answers to a hosted game's request in force are due, by which rule, and the clock; ``None`` for a game
    that nobody hosts, or of which nothing has been asked yet. ``now`` counts an outage that still lasts. Raises
    :class:`GameError` where the settings are wrong.
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
    """Keep the clock of a game. Only for who holds its lock."""
    keep(folder / FOLDER / CLOCK, clock, indent=True)
    return clock


def start(game: GameFolder, now: datetime, rounds: Rounds = NEVER) -> Clock:
    """The clock of the request in force; it begins to run when the host first sees that request, and then the host sees
    that play went on.
    """
    before, state = read_clock(game.path), game.state()
    clock = before.seen(state.segment, now)
    if state.request is not None:
        asking = (state.request.turn, state.request.number, state.segment)
        if clock.asked is None or clock.asking != asking:
            clock = clock.begun(asking, now, rounds)
    return clock if clock == before else write_clock(game.path, clock)


def pause(folder: Path, now: datetime, reason: str = "") -> Clock:
    """Stop a game's clock; nothing is played until it is resumed. Only for who holds the lock of the game."""
    clock = read_clock(folder)
    if clock.paused is not None:
        raise GameError.saying("paused", "this game is paused already", file=str(folder))
    return write_clock(folder, msgspec.structs.replace(clock.at(_rounds_of(folder)), paused=now, reason=reason))


def extend(game: GameFolder, by: timedelta, now: datetime, grounds: Grounds) -> tuple[bool, datetime]:
    """Give more time for a hosted game's request in force: from its deadline on, or from now where that is past.
    Whether it was given now (not for this cause before), and the deadline. Only for who holds the lock of the game.

    Raises :class:`GameError` where nothing is asked.
    """
    if game.state().request is not None:
        start(game, now, _rounds_of(game.path))
    new, clock, due = extended(game, by, now, grounds)
    if new:
        write_clock(game.path, clock)
    return new, due


def given(game: GameFolder, cause: str) -> bool:
    """Whether the request in force has more time for this already."""
    return any(one.cause == cause for one in read_clock(game.path).extended)


def extended(game: GameFolder, by: timedelta, now: datetime, grounds: Grounds) -> tuple[bool, Clock, datetime]:
    """What :func:`extend` would make of the clock that runs; nothing is written. Raises :class:`GameError` like it."""
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
    """Let the days count for nobody in which sides are ``away`` that owe an answer to the request in force, as far as
    its time would run in them. They stay so whatever is answered: no deadline comes nearer. Only for who holds the
    lock.
    """
    clock = before = read_clock(game.path)
    for _ in away:
        found = clock.times(rule, rounds)
        if found is None:
            break
        open_ = [one for one in away if one not in clock.away]
        new = [one for one in open_ if (span := bounds(one.days, rule.zone))[0] < found.final and span[1] > now]
        if not new:
            break
        clock = msgspec.structs.replace(clock, away=(*clock.away, *new))
    return clock if clock == before else write_clock(game.path, clock)


def _rounds_of(game: Path) -> Rounds:
    return read_rounds(game.absolute().parent.parent)


def resume(folder: Path, now: datetime) -> Clock:
    """Let the clock run on; deadlines come later by as long as it stood."""
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


class Said:
    """The names of what was said in a game."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / FOLDER / SAID
        text = read_bytes(self.file).decode("utf-8", "replace") if self.file.is_file() else ""
        self.known = set(text.split("\n")) - {""}

    @property
    def new(self) -> bool:
        """Whether nothing was ever said: the game has just come to this host."""
        return not self.known

    def add(self, *keys: str) -> None:
        """Write down that this was said. Only for who holds the lock of the game."""
        if not self.known.issuperset(keys):
            self.known.update(keys)
            write_text(self.file, "\n".join(sorted(self.known)) + "\n", private=True)
