"""Who leads a tournament: points, tie-breaks and the cross table, from its rounds; pure.

Points are counted in halves: a win is 2, a draw 1. A game that is not over counts for nobody yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec

WIN: Final = 2
Tie = Literal["buchholz", "direct", "berger", "wins"]


class Game(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game of a pairing: its folder's name, and who has which side. ``points`` are halves, once it is over; ``why``
    is how it ended, where no side of it was simply beaten.
    """

    name: str
    scenario: str
    sides: dict[str, str]
    points: dict[str, int] | None = None
    why: str = ""


class Pairing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two who meet, in one game or several; or one who has a bye. ``points`` are those that no game decided."""

    people: tuple[str, ...]
    games: tuple[Game, ...] = ()
    points: dict[str, int] = {}

    @property
    def is_over(self) -> bool:
        """Whether all of its games are."""
        return all(game.points is not None for game in self.games)

    def score(self, person: str) -> int:
        """What somebody has of it, in halves."""
        return self.points.get(person, 0) + sum((game.points or {}).get(person, 0) for game in self.games)

    def other(self, person: str) -> str:
        """Whom somebody meets; empty for a bye."""
        return next((one for one in self.people if one != person), "")


class Round(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round: who meets whom, when it was made, and how the host's count of time that does not count stood then
    (:mod:`pbem.mail.host.clock_faults`).
    """

    pairings: tuple[Pairing, ...]
    at: datetime | None = None
    began: datetime | None = None
    drift: int = 0

    @property
    def is_over(self) -> bool:
        """Whether every game of it is."""
        return all(pairing.is_over for pairing in self.pairings)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the table: the place (shared by those whom no tie-break tells apart), points in halves, games that
    were won, drawn and lost, and what each tie-break counts.
    """

    place: int
    person: str
    points: int
    won: int = 0
    drawn: int = 0
    lost: int = 0
    ties: tuple[int, ...] = ()


def table(people: Sequence[str], rounds: Iterable[Round], ties: Sequence[Tie]) -> list[Row]:
    """The table of a tournament, the best first; who is level in everything stands as in ``people``."""
    met = [pairing for one in rounds for pairing in one.pairings]
    theirs = {person: [pairing for pairing in met if person in pairing.people] for person in people}
    points = {person: sum(pairing.score(person) for pairing in theirs[person]) for person in people}
    counts: dict[Tie, Callable[[str], int]] = {
        "buchholz": lambda one: sum(points[two] for pairing in theirs[one] if (two := pairing.other(one))),
        "direct": lambda one: _direct(one, theirs[one], points),
        "berger": lambda one: sum(
            pairing.score(one) * points[two] for pairing in theirs[one] if (two := pairing.other(one))
        ),
        "wins": lambda one: WIN * _scores(one, theirs[one]).count(WIN),
    }
    keys = {person: (points[person], *(counts[tie](person) for tie in ties)) for person in people}
    ranked = sorted(people, key=lambda person: [-count for count in keys[person]])
    rows: list[Row] = []
    for n, person in enumerate(ranked):
        level = n and keys[person] == keys[ranked[n - 1]]
        scores = _scores(person, theirs[person])
        rows.append(
            Row(
                place=rows[-1].place if level else n + 1,
                person=person,
                points=points[person],
                won=scores.count(WIN),
                drawn=scores.count(1),
                lost=scores.count(0),
                ties=keys[person][1:],
            )
        )
    return rows


def _scores(person: str, pairings: Iterable[Pairing]) -> list[int]:
    """What somebody has of each game that is over."""
    return [game.points.get(person, 0) for one in pairings for game in one.games if game.points is not None]


def _direct(person: str, pairings: Sequence[Pairing], points: Mapping[str, int]) -> int:
    """What somebody has of those with as many points; nothing unless he has met all of them."""
    level = {one for one, count in points.items() if count == points[person]} - {person}
    among = [pairing for pairing in pairings if pairing.other(person) in level]
    if {pairing.other(person) for pairing in among} != level:
        return 0
    return sum(pairing.score(person) for pairing in among)


def halves(count: int) -> str:
    """Points as people write them: ``2½``."""
    return f"{count // 2 or ''}½" if count % 2 else str(count // 2)


def cross_table(rows: Sequence[Row], rounds: Sequence[Round]) -> list[list[str]]:
    """A line for each row of the table: what he has of each other one, in the table's order; ``·`` is himself."""
    people = [row.person for row in rows]
    met = [pairing for one in rounds for pairing in one.pairings]
    found = []
    for one in people:
        line = []
        for two in people:
            between = [pairing for pairing in met if one in pairing.people and pairing.other(one) == two]
            said = " ".join(halves(pairing.score(one)) if pairing.is_over else "?" for pairing in between)
            line.append("·" if one == two else said)
        found.append(line)
    return found
