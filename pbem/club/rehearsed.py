"""Inputs and results of a rehearsal (a simulation of a club), as plain data."""

from __future__ import annotations

from typing import Final

import msgspec

WEARY: Final = (4, 9)
"""First and last turn in which simulated players may give up or fly home.

Duels by email last about as many turns.
"""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """How the simulated people of a rehearsal behave.

    ``late`` is the share (0 to 1) of answers that come late. ``err`` is the share with a mistake: faulty orders, or
    an email from an unknown address. ``vanish`` is the share of people who disappear during the rehearsal.
    ``weary`` is the range of turns in which they may give up (:data:`WEARY`).
    """

    late: float = 0.10
    vanish: float = 0.02
    err: float = 0.05
    weary: tuple[int, int] = WEARY


class RehearsalWeek(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated week: the number of running games at its end, and counts of what happened.

    ``waited`` is the time in days for which games were stopped because somebody was late.
    """

    going: int = 0
    turns: int = 0
    over: int = 0
    late: int = 0
    filed: int = 0
    waited: float = 0.0
    mails: int = 0
    umpire: int = 0


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What the deadline setting ``late = …`` led to, for all games with the same value of it.

    It counts the requests for which somebody was late beyond the grace period, and the orders filed for them. It
    also holds the days for which games were stopped because of that: the sum and the longest.
    """

    games: int = 0
    late: int = 0
    filed: int = 0
    days: float = 0.0
    worst: float = 0.0


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of many lengths of time: their number, median and maximum, in days."""

    count: int = 0
    median: float = 0.0
    worst: float = 0.0


class Rehearsed(msgspec.Struct, frozen=True, kw_only=True):
    """All results of a rehearsal."""

    days: int
    seed: str
    people: int
    vanished: tuple[str, ...]
    games: int
    begun: int
    over: int
    stuck: tuple[str, ...]
    turns: int
    per_turn: Spread
    waited: Spread
    letters: int
    late: int
    erred: int
    reminders: int
    stopped: int
    policies: dict[str, Policy]
    mails: dict[str, int]
    umpire: dict[str, int]
    troubles: dict[str, int]
    weeks: tuple[RehearsalWeek, ...]
    events: tuple[tuple[int, str], ...]
    tournaments: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
