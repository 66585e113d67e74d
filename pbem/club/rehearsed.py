"""Settings and results of a rehearsal (a simulation of a club), as plain data."""

from __future__ import annotations

from typing import Final

import msgspec

WEARY: Final = (4, 9)
"""The first and last turn in which simulated players may concede or leave the map.

Real duels by email last about as many turns.
"""


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """How the simulated people of a rehearsal behave.

    Attributes:
        late: Share (0 to 1) of answers that come late.
        vanish: Share of people who stop answering during the rehearsal.
        err: Share of answers with a mistake: faulty orders, or an unknown sender address.
        weary: The range of turns in which people may give up (:data:`WEARY`).
    """

    late: float = 0.10
    vanish: float = 0.02
    err: float = 0.05
    weary: tuple[int, int] = WEARY


class RehearsalWeek(msgspec.Struct, frozen=True, kw_only=True):
    """The counts for one simulated week of a rehearsal.

    Attributes:
        going: Number of running games at the end of the week.
        turns: Number of turns played.
        over: Number of games that ended.
        late: Number of answers that came after their deadline.
        filed: Number of orders that the host filed for late players.
        waited: Days during which games waited for a late player, summed over all games.
        mails: Number of emails to players.
        umpire: Number of emails to the umpire.
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
    """The effects of one value of the deadline setting ``late = …``, over all games with this value.

    Attributes:
        games: Number of games.
        late: Number of requests for orders that a player did not answer within the grace period.
        filed: Number of orders that the host filed for late players.
        days: Days during which games waited for late players, in total.
        worst: Length in days of the longest such wait.
    """

    games: int = 0
    late: int = 0
    filed: int = 0
    days: float = 0.0
    worst: float = 0.0


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of many durations.

    Attributes:
        count: Number of durations.
        median: The median, in days.
        worst: The maximum, in days.
    """

    count: int = 0
    median: float = 0.0
    worst: float = 0.0


class Rehearsed(msgspec.Struct, frozen=True, kw_only=True):
    """The results of a rehearsal.

    Attributes:
        days: Length of the simulated time, in days.
        seed: Seed of all random choices.
        people: Number of simulated people.
        vanished: Names of the people who stopped answering.
        games: Number of games.
        begun: How many of the games were created during the rehearsal.
        over: How many games ended.
        stuck: Names of the games that waited for a late player at the end.
        turns: Number of turns played.
        per_turn: How long turns took.
        waited: How long players who had answered waited for the last answer.
        letters: Number of emails that the simulated people sent.
        late: Number of answers that came after their deadline.
        erred: Number of answers with a mistake.
        reminders: Number of reminders that the host sent.
        stopped: How often the host did nothing because too many players were late at once.
        policies: The results for each value of the setting ``late``.
        mails: Number of emails to players, by kind.
        umpire: Number of emails to the umpire, by subject in a general form.
        troubles: Number of problems that the host reported, by kind.
        weeks: Counts for each week.
        events: The list of events: day and sentence.
        tournaments: A line about each tournament.
        left_out: Names of the games that could not be simulated.
    """

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
