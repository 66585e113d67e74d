"""Compute pairings, sides and standings of tournaments; all functions are pure and work on names.

A round robin uses the circle method, and a knock-out the usual bracket. A Swiss round is the best of all matchings,
which networkx finds (:func:`swiss`). In a round robin, sides are balanced over the whole tournament (:func:`dealt`),
otherwise round by round (:class:`Balance`). Other decisions use a seeded random number generator, so that the same
tournament gets the same pairings everywhere.

Standings (:func:`table`) count half points: a win is 2, a draw 1. Unfinished games do not count.
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
from pbem.util import install_command

Pair = tuple[str, str]
BYE: Final = ""
"""Name that stands for the missing opponent of a person who has a bye (a round without a game)."""


def round_robin(people: Sequence[str]) -> list[list[Pair]]:
    """Return the pairings of each round of a tournament in which everybody meets everybody.

    With an odd number of people, one of them has a bye (:data:`BYE`, a round without a game) in each round.
    """
    circle = [*people] if len(people) % 2 == 0 else [*people, BYE]
    half, rounds = len(circle) // 2, []
    for _ in range(len(circle) - 1):
        rounds.append([*zip(circle[:half], reversed(circle[half:]), strict=True)])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds


def bracket(people: Sequence[str]) -> list[Pair]:
    """Return the pairings of the first round of a knock-out; ``people`` are in order of strength.

    The first person meets the last, and the first two can meet only in the final. If there are too few people, the
    strongest have a bye (:data:`BYE`, a round without a game).
    """
    size = 1
    places = [0]
    while size < len(people):
        size *= 2
        places = [place for one in places for place in (one, size - 1 - one)]
    seeded = [people[place] if place < len(people) else BYE for place in places]
    return [*zip(seeded[::2], seeded[1::2], strict=True)]


def winners_meet(winners: Sequence[str]) -> list[Pair]:
    """Return the pairings of the next round of a knock-out: the winners of adjacent pairings meet."""
    return [*zip(winners[::2], winners[1::2], strict=True)]


# --- sides -----------------------------------------------------------------------------------------------------------


class Balance:
    """Counts how much more often each person had the first side of a scenario than the second.

    The counts are kept for each scenario and in total. They are negative for a person who had the second side more
    often.
    """

    def __init__(self) -> None:
        self.of_scenario: Counter[tuple[str, str]] = Counter()
        self.of_all: Counter[str] = Counter()

    def add(self, scenario: str, first: str, second: str) -> None:
        """Count a game in which the person ``first`` had the scenario's first side, and ``second`` the second."""
        for person, one in ((first, 1), (second, -1)):
            self.of_scenario[person, scenario] += one
            self.of_all[person] += one

    def deal(self, scenario: str, pair: Pair, lot: Random) -> Pair:
        """Return two people in the order of the sides they get: first side, second side.

        The first side goes to the person whose count for this scenario is lower. If the counts are equal, the counts
        over all scenarios decide. If these are equal too, the random number generator ``lot`` decides.
        """
        one, two = pair
        had = self.of_scenario[one, scenario] - self.of_scenario[two, scenario], self.of_all[one] - self.of_all[two]
        decided = next((lead for lead in had if lead), 0) or lot.choice((-1, 1))
        return (one, two) if decided < 0 else (two, one)

    def clash(self, one: str, two: str) -> int:
        """Return a penalty for pairing two people who both had the same side too often; 0 if they did not."""
        of_one, of_two = self.of_all[one], self.of_all[two]
        return min(abs(of_one), abs(of_two)) ** 2 if of_one * of_two > 0 else 0


def dealt(pairs: Sequence[tuple[str, Pair]]) -> list[Pair]:
    """Decide who has which side in a complete schedule; return the pairs in order, first side first.

    Each person gets both sides equally often, or one of them once more than the other. This holds for each scenario
    and in total. To reach this, the pairings of a scenario are joined into chains in which each pairing shares a
    person with the next. A person inside a chain has one side in one pairing, and the other side in the next. Only the
    people at the two ends of a chain can have one side once more. The chains of all scenarios are then joined in the
    same way to decide their directions.

    Args:
        pairs: The pairings, each with its scenario.
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
    """Join pairings into as few chains as possible, and return the chains.

    In a chain, each pairing shares a person with the next. Each pairing is used once, and nobody is at the end of two
    chains. ``edges`` has the pairings by number.
    """
    beside: dict[str, list[int]] = defaultdict(list)
    for n, (one, two) in edges.items():
        beside[one].append(n)
        beside[two].append(n)
    odd = [name for name, unused in beside.items() if len(unused) % 2]
    gone: set[int] = set()
    ways = []
    for start in (*odd, *beside):
        way: list[tuple[int, Pair]] = []
        person = start
        while unused := [n for n in beside[person] if n not in gone]:
            gone.add(unused[0])
            one, two = edges[unused[0]]
            way.append((unused[0], (person, two if one == person else one)))
            person = way[-1][1][1]
        if way:
            ways.append(way)
    return ways


# --- Swiss -----------------------------------------------------------------------------------------------------------

Cost = tuple[int, ...]
_PARTS: Final = 6
_MOST: Final = 1 << 20
"""Upper limit for each part of a pairing's cost (:func:`costs`)."""


def swiss(
    ranked: Sequence[str], scores: Mapping[str, int], met: Collection[frozenset[str]], rested: Collection[str],
    balance: Balance, lot: Random,
) -> list[Pair]:  # fmt: skip
    """Return the pairings of a Swiss round that have the lowest total cost (:func:`costs`).

    With an odd number of people, one of them has a bye (:data:`BYE`).

    Args:
        ranked: The people, best first.
        scores: Points of each person, counted in half points.
        met: Pairs that have met before.
        rested: People who have had a bye.
        balance: Sides played so far.
        lot: Random number generator for ties.

    Raises:
        GameError: networkx is not installed.
    """
    try:
        from networkx import Graph, max_weight_matching  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as error:
        text = f"install networkx, which a Swiss round needs: {install_command('networkx', extra='club')}"
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
    """Return the cost of each possible pairing of a Swiss round, with the most important part first.

    The arguments are those of :func:`swiss`. The parts of a cost are, in this order:

    * 1 if the two met before (or the person had a bye before);
    * 1 if their scores differ (a bye counts as the lowest score);
    * the squared difference of their scores;
    * how badly their sides fit (:meth:`Balance.clash`);
    * the distance from the rule that the upper half of a score group meets the lower half;
    * a random number.
    """
    place = {person: n for n, person in enumerate(ranked)}
    lowest = min(scores[person] for person in ranked)
    sizes = Counter(scores[person] for person in ranked)
    found: dict[Pair, Cost] = {}
    for one, two in combinations([*ranked, *([BYE] if len(ranked) % 2 else [])], 2):
        other_score = scores[two] if two != BYE else lowest
        apart = abs(scores[one] - other_score)
        again = frozenset((one, two)) in met if two != BYE else one in rested
        wanted = sizes[other_score] // 2 if not apart else 0
        far = abs(place.get(two, len(ranked)) - place[one])
        clash = balance.clash(one, two) if two != BYE else 0
        found[one, two] = (
            int(again), int(apart > 0), apart**2, clash, (far - wanted) ** 2, lot.randrange(_MOST)
        )  # fmt: skip
        assert len(found[one, two]) == _PARTS and max(found[one, two]) < _MOST
    return found


def total(pairs: Iterable[Pair], cost: Mapping[Pair, Cost]) -> Cost:
    """Return the cost of a whole Swiss round: the sum over its pairings, for each part of the cost."""
    return tuple(map(sum, zip(*(cost[pair] for pair in pairs), strict=True)))


WIN: Final = 2
Tie = Literal["buchholz", "direct", "berger", "wins"]


class PairedGame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A game of a tournament, between two people who were paired.

    Attributes:
        name: Name of the game and of its folder.
        scenario: Key of the scenario.
        sides: For each side, the person who plays it.
        points: The points of each person, counted in half points; ``None`` until the game is over.
        why: Why the game ended, if it was not simply played to its end; otherwise empty.
    """

    name: str
    scenario: str
    sides: dict[str, str]
    points: dict[str, int] | None = None
    why: str = ""


class Pairing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two people who meet in one or more games of a round, or one person with a bye (no game).

    Attributes:
        people: The one or two people.
        games: Their games.
        points: Points that were given without a game, such as for a bye, counted in half points.
    """

    people: tuple[str, ...]
    games: tuple[PairedGame, ...] = ()
    points: dict[str, int] = {}

    @property
    def is_over(self) -> bool:
        """Whether all games of the pairing are over."""
        return all(game.points is not None for game in self.games)

    def score(self, person: str) -> int:
        """Return the points of a person from this pairing, counted in half points."""
        return self.points.get(person, 0) + sum((game.points or {}).get(person, 0) for game in self.games)

    def other(self, person: str) -> str:
        """Return the opponent of a person in this pairing; empty for a bye."""
        return next((one for one in self.people if one != person), "")


class TournamentRound(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round of a tournament.

    Attributes:
        pairings: The pairings of the round.
        at: When the round was made.
        began: The value of ``began`` in the host's record of clock faults at that time
            (:mod:`pbem.mail.host.clocks`).
        drift: The value of ``drift`` in that record. With both values, time that counts for no deadline, such as an
            outage of the host, does not count for the time limit of the round either.
    """

    pairings: tuple[Pairing, ...]
    at: datetime | None = None
    began: datetime | None = None
    drift: int = 0

    @property
    def is_over(self) -> bool:
        """Whether all games of the round are over."""
        return all(pairing.is_over for pairing in self.pairings)


class StandingsRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the standings of a tournament.

    Attributes:
        place: The place, from 1. People whom no tie-break separates share a place.
        person: The person.
        points: The points, counted in half points.
        won: Number of games won.
        drawn: Number of games drawn.
        lost: Number of games lost.
        ties: The values that break ties, in the order of their importance.
    """

    place: int
    person: str
    points: int
    won: int = 0
    drawn: int = 0
    lost: int = 0
    ties: tuple[int, ...] = ()


def table(people: Sequence[str], rounds: Iterable[TournamentRound], ties: Sequence[Tie]) -> list[StandingsRow]:
    """Return the standings of a tournament, best first.

    ``ties`` are the rules that break ties, the most important first. People who are equal in points and all
    tie-breaks are listed in the order of ``people``.
    """
    met = [pairing for one in rounds for pairing in one.pairings]
    pairings_of = {person: [pairing for pairing in met if person in pairing.people] for person in people}
    points = {person: sum(pairing.score(person) for pairing in pairings_of[person]) for person in people}
    counts: dict[Tie, Callable[[str], int]] = {
        "buchholz": lambda one: sum(points[two] for pairing in pairings_of[one] if (two := pairing.other(one))),
        "direct": lambda one: _direct(one, pairings_of[one], points),
        "berger": lambda one: sum(
            pairing.score(one) * points[two] for pairing in pairings_of[one] if (two := pairing.other(one))
        ),
        "wins": lambda one: WIN * _scores(one, pairings_of[one]).count(WIN),
    }
    keys = {person: (points[person], *(counts[tie](person) for tie in ties)) for person in people}
    ranked = sorted(people, key=lambda person: [-count for count in keys[person]])
    rows: list[StandingsRow] = []
    for n, person in enumerate(ranked):
        level = n and keys[person] == keys[ranked[n - 1]]
        scores = _scores(person, pairings_of[person])
        rows.append(
            StandingsRow(
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
    """Return a list of the points that a person got in each finished game, counted in half points."""
    return [game.points.get(person, 0) for one in pairings for game in one.games if game.points is not None]


def _direct(person: str, pairings: Sequence[Pairing], points: Mapping[str, int]) -> int:
    """Return a person's half points in the games against all others with the same total of points.

    The result is 0 unless the person has met all of them.
    """
    level = {one for one, count in points.items() if count == points[person]} - {person}
    among = [pairing for pairing in pairings if pairing.other(person) in level]
    if {pairing.other(person) for pairing in among} != level:
        return 0
    return sum(pairing.score(person) for pairing in among)


def halves(count: int) -> str:
    """Return points, given as a number of half points, as text: ``2½``."""
    return f"{count // 2 or ''}½" if count % 2 else str(count // 2)


def cross_table(rows: Sequence[StandingsRow], rounds: Sequence[TournamentRound]) -> list[list[str]]:
    """Return the cross table: for each row of the standings, the points against every other person.

    All cells are texts. The cell of a person against themselves is ``·``, and the cell of an unfinished pairing is
    ``?``.
    """
    people = [row.person for row in rows]
    met = [pairing for one in rounds for pairing in one.pairings]
    found = []
    for one in people:
        line = []
        for two in people:
            between = [pairing for pairing in met if one in pairing.people and pairing.other(one) == two]
            cell = " ".join(halves(pairing.score(one)) if pairing.is_over else "?" for pairing in between)
            line.append("·" if one == two else cell)
        found.append(line)
    return found
