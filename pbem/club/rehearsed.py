"""What a rehearsal is asked for, and what it tells."""

from __future__ import annotations

from typing import Final

import msgspec

WEARY: Final = (4, 9)
"""In these turns captains of a rehearsal give up or make for home: as long as duels by mail last."""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What people are like: the parts of answers that come ``late`` and that ``err`` (faulty orders, or a letter from
    an address nobody knows), and the part of people who ``vanish`` in the time that is rehearsed.
    """

    late: float = 0.10
    vanish: float = 0.02
    err: float = 0.05
    weary: tuple[int, int] = WEARY


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """A week of a rehearsal: how many games were going on at its end, what happened in it. ``waited`` are hours in
    which a game stood still for somebody who was late.
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
    """What ``late = …`` did in the games that have it: requests for which somebody was late beyond grace, orders filed
    for him, and days games stood still for that; the longest of them.
    """

    games: int = 0
    late: int = 0
    filed: int = 0
    days: float = 0.0
    worst: float = 0.0


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Of many spans: how many, their median and the longest, in days."""

    count: int = 0
    median: float = 0.0
    worst: float = 0.0


class Rehearsed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a rehearsal."""

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
    weeks: tuple[Week, ...]
    events: tuple[tuple[int, str], ...]
    tournaments: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
