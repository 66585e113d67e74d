"""Who meets whom, and on which side: pure functions on names.

A round robin is paired by the circle method, a knock-out by the usual bracket, a Swiss round by the best of all
matchings, which networkx finds (:func:`swiss`). Sides are dealt so that nobody has one of them much more often than
the other: of a round robin exactly, since all its pairings are known (:func:`dealt`), of others round by round
(:class:`Balance`). Whatever no rule decides a seeded lot does, so that the same tournament is paired the same anywhere.

Who leads a tournament: points, tie-breaks and the cross table, from its rounds; pure.

Points are counted in halves: a win is 2, a draw 1. A game that is not over counts for nobody yet.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import combinations
from random import Random
from typing import Final, Literal

import msgspec

from pbem.errors import GameError
from pbem.util import fetching

Pair = tuple[str, str]
BYE: Final = ""
"""Whom somebody meets who plays nobody."""


def round_robin(people: Sequence[str]) -> list[list[Pair]]:
    """Everybody against everybody, round by round; with an odd number one meets :data:`BYE` in each round."""
    circle = [*people] if len(people) % 2 == 0 else [*people, BYE]
    half, rounds = len(circle) // 2, []
    for _ in range(len(circle) - 1):
        rounds.append([*zip(circle[:half], reversed(circle[half:]), strict=True)])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def bracket(people: Sequence[str]) -> list[Pair]:
    """The first round of a knock-out: who stands first meets who stands last, and those two can meet only in the end
    who stand first and second. Where there are too few, those who stand first meet :data:`BYE`.
    """
    size = 1
    places = [0]
    while size < len(people):
        size *= 2
        places = [place for one in places for place in (one, size - 1 - one)]
    there = [people[place] if place < len(people) else BYE for place in places]
    return [*zip(there[::2], there[1::2], strict=True)]


def winners_meet(winners: Sequence[str]) -> list[Pair]:
    """The next round of a knock-out: each winner meets that of the pairing beside his."""
    return [*zip(winners[::2], winners[1::2], strict=True)]


# --- sides -----------------------------------------------------------------------------------------------------------


class Balance:
    """How often people had the first side of a scenario more than the second one, of each and of all."""

    def __init__(self) -> None:
        self.of_scenario: Counter[tuple[str, str]] = Counter()
        self.of_all: Counter[str] = Counter()

    def add(self, scenario: str, first: str, second: str) -> None:
        """Somebody has, or had, the first side and another one the second."""
        for person, one in ((first, 1), (second, -1)):
            self.of_scenario[person, scenario] += one
            self.of_all[person] += one

    def deal(self, scenario: str, pair: Pair, lot: Random) -> Pair:
        """Who of two gets the first side: who had it less often in this scenario, then in all, then by lot."""
        one, two = pair
        had = self.of_scenario[one, scenario] - self.of_scenario[two, scenario], self.of_all[one] - self.of_all[two]
        decided = next((lead for lead in had if lead), 0) or lot.choice((-1, 1))
        return (one, two) if decided < 0 else (two, one)

    def clash(self, one: str, two: str) -> int:
        """How badly two fit who both had the same side too often."""
        mine, theirs = self.of_all[one], self.of_all[two]
        return min(abs(mine), abs(theirs)) ** 2 if mine * theirs > 0 else 0


def dealt(pairs: Sequence[tuple[str, Pair]]) -> list[Pair]:
    """Sides for pairings that are all known, each with its scenario: nobody has the first side of a scenario more than
    once oftener or less often than the second one, nor of all scenarios together.

    The pairings of a scenario are laid end to end into ways that begin and end where somebody has an odd number of
    them; whoever stands within a way has both sides equally often. The ways of all scenarios are laid end to end in
    the same way, which says in which direction each is gone.
    """
    found: dict[int, Pair] = {}
    ways: list[list[tuple[int, Pair]]] = []
    for scenario in dict.fromkeys(name for name, _ in pairs):
        ways += _ways({n: pair for n, (name, pair) in enumerate(pairs) if name == scenario})
    ends = {n: (way[0][1][0], way[-1][1][1]) for n, way in enumerate(ways)}
    for chain in _ways(ends):
        for n, (begins, _) in chain:
            forward = begins == ends[n][0]
            for number, (one, two) in ways[n]:
                found[number] = (one, two) if forward else (two, one)
    return [found[n] for n in range(len(pairs))]


def _ways(edges: Mapping[int, Pair]) -> list[list[tuple[int, Pair]]]:
    """Edges laid end to end, each gone once, in as few ways as can be; nobody is at an end of two of them."""
    beside: dict[str, list[int]] = defaultdict(list)
    for n, (one, two) in edges.items():
        beside[one].append(n)
        beside[two].append(n)
    odd = [name for name, there in beside.items() if len(there) % 2]
    gone: set[int] = set()
    ways = []
    for start in (*odd, *beside):
        way: list[tuple[int, Pair]] = []
        here = start
        while there := [n for n in beside[here] if n not in gone]:
            gone.add(there[0])
            one, two = edges[there[0]]
            way.append((there[0], (here, two if one == here else one)))
            here = way[-1][1][1]
        if way:
            ways.append(way)
    return ways


# --- Swiss -----------------------------------------------------------------------------------------------------------

Cost = tuple[int, ...]
_PARTS: Final = 6
_MOST: Final = 1 << 20
"""More than any part of a cost."""


def swiss(
    ranked: Sequence[str], scores: Mapping[str, int], met: Collection[frozenset[str]], rested: Collection[str],
    balance: Balance, lot: Random,
) -> list[Pair]:  # fmt: skip
    """A Swiss round of people, the best first: of all possible pairings the one with the least cost (:func:`costs`).
    With an odd number one meets :data:`BYE`. Raises :class:`GameError` where networkx is not installed.
    """
    try:
        from networkx import Graph, max_weight_matching  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        text = f"a Swiss round needs networkx, which is not installed: {fetching('networkx', extra='club')}"
        raise GameError.saying("no-library", text) from error
    cost = costs(ranked, scores, met, rested, balance, lot)
    base = _MOST * (len(ranked) + 1)
    graph = Graph()
    for (one, two), parts in cost.items():
        weight = 0
        for part in parts:
            weight = weight * base + part
        graph.add_edge(one, two, weight=-weight)
    matched = {frozenset(pair) for pair in max_weight_matching(graph, maxcardinality=True)}
    return [pair for pair in cost if frozenset(pair) in matched]


def costs(
    ranked: Sequence[str], scores: Mapping[str, int], met: Collection[frozenset[str]], rested: Collection[str],
    balance: Balance, lot: Random,
) -> dict[Pair, Cost]:  # fmt: skip
    """What each pairing of a Swiss round costs, what counts most first: who met before (or has had a bye), who has
    another score (the bye counts as the lowest), by how much, who had the same side too often; then the upper half of
    those with a score meets the lower half; then a lot.
    """
    place = {person: n for n, person in enumerate(ranked)}
    lowest = min(scores[person] for person in ranked)
    sizes = Counter(scores[person] for person in ranked)
    found: dict[Pair, Cost] = {}
    for one, two in combinations([*ranked, *([BYE] if len(ranked) % 2 else [])], 2):
        theirs = scores[two] if two != BYE else lowest
        apart = abs(scores[one] - theirs)
        again = frozenset((one, two)) in met if two != BYE else one in rested
        wanted = sizes[theirs] // 2 if not apart else 0
        far = abs(place.get(two, len(ranked)) - place[one])
        clash = balance.clash(one, two) if two != BYE else 0
        found[one, two] = (
            int(again), int(apart > 0), apart**2, clash, (far - wanted) ** 2, lot.randrange(_MOST)
        )  # fmt: skip
        assert len(found[one, two]) == _PARTS and max(found[one, two]) < _MOST
    return found


def total(pairs: Iterable[Pair], cost: Mapping[Pair, Cost]) -> Cost:
    """The cost of a round, part by part."""
    return tuple(map(sum, zip(*(cost[pair] for pair in pairs), strict=True)))


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
