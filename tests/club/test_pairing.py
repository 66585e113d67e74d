"""Who meets whom on which side: what must hold of every tournament, however its games end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from pbem.club import pairing
from pbem.club.pairing import BYE, Balance, Cost, Pair, PairedGame, Pairing, TournamentRound, cross_table, halves, table
from pbem.club.tournament import Kind, Tournament, TournamentPlan, balance_of, next_round, replays

NAMES = [f"p{n:02}" for n in range(40)]
replace = msgspec.structs.replace


def tournament(kind: Kind, count: int, **more: object) -> Tournament:
    return Tournament(name="cup", plan=msgspec.convert(
        {"format": 1, "kind": kind, "people": NAMES[:count], "scenarios": ["5"], "seed": "x", **more}, TournamentPlan
    ))  # fmt: skip


def ended(one: TournamentRound, rng: Random, draws: float = 0.2) -> TournamentRound:
    """A round whose open games have ended somehow."""

    def of_game(game: PairedGame) -> PairedGame:
        if game.points is not None:
            return game
        mine = 1 if rng.random() < draws else rng.choice((0, 2))
        return replace(game, points=dict(zip(game.sides.values(), (mine, 2 - mine), strict=True)))

    pairs = (replace(met, games=tuple(map(of_game, met.games))) for met in one.pairings)
    return replace(one, pairings=tuple(pairs))


def played(one: Tournament, rng: Random, draws: float = 0.2) -> Tournament:
    """A tournament to its end."""
    while not one.is_over:
        one = replace(one, rounds=(*one.rounds, next_round(one)))
        while not one.rounds[-1].is_over:
            one = replays(replace(one, rounds=(*one.rounds[:-1], ended(one.rounds[-1], rng, draws))))
    return one


def pairs_of(one: Tournament) -> list[frozenset[str]]:
    return [frozenset(met.people) for each in one.rounds for met in each.pairings]


counts, seeds = st.integers(3, 17), st.integers(0, 10_000)


@given(counts, seeds, st.sampled_from([["5"], ["5", "7"], ["5", "6", "10"]]))
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_in_a_round_robin_all_meet_once_and_sides_are_even(count: int, seed: int, scenarios: list[str]) -> None:
    one = played(tournament("round robin", count, seed=str(seed), scenarios=scenarios), Random(seed))
    met = [pair for pair in pairs_of(one) if len(pair) == 2]
    assert sorted(map(sorted, met)) == [[*pair] for pair in combinations(NAMES[:count], 2)]
    for each in one.rounds:
        there = [person for one_met in each.pairings for person in one_met.people]
        assert sorted(there) == NAMES[:count]
        assert len({game.scenario for one_met in each.pairings for game in one_met.games}) == 1
    balance = balance_of(one)
    assert {abs(count) for count in balance.of_all.values()} <= {0, 1}
    assert {abs(count) for count in balance.of_scenario.values()} <= {0, 1}


@given(st.integers(2, 33), seeds)
@settings(max_examples=40, deadline=None)
def test_a_knock_out_ends_with_one_whom_nobody_has_beaten(count: int, seed: int) -> None:
    one = played(tournament("knock-out", count, seed=str(seed), seeded=bool(seed % 2)), Random(seed), draws=0.4)
    beaten = []
    for number, each in enumerate(one.rounds):
        following = one.rounds[number + 1].pairings if number + 1 < len(one.rounds) else ()
        goes_on = {person for met in following for person in met.people} or {one.winner}
        here = [person for met in each.pairings for person in met.people]
        assert len(here) == len(set(here))
        beaten += [person for person in here if person not in goes_on]
        for met in each.pairings:
            (winner,) = goes_on & {*met.people}
            assert all(met.score(winner) >= met.score(other) for other in met.people)
            assert len(met.games) <= 2, "a draw is played again once"
            if len(met.games) == 2:
                assert met.games[0].points == dict.fromkeys(met.people, 1)
                assert [*met.games[0].sides.values()] == [*reversed([*met.games[1].sides.values()])]
    assert sorted([*beaten, one.winner]) == NAMES[:count]
    assert len(one.rounds) == one.length


@pytest.mark.parametrize(("draws", "games"), [(1.0, 2), (0.0, 1)])
def test_a_drawn_pairing_of_a_knock_out_is_played_once_more(draws: float, games: int) -> None:
    one = played(tournament("knock-out", 2), Random(1), draws)
    sides = [[*game.sides.values()] for game in one.rounds[0].pairings[0].games]
    assert len(sides) == games and sides[-1] == (sides[0] if games == 1 else sides[0][::-1])


@pytest.mark.parametrize("pair", [("ann", "bob"), ("bob", "ann")])
def test_who_had_a_side_less_often_gets_it(pair: Pair) -> None:
    balance, lots = Balance(), [Random(n) for n in range(9)]
    assert {balance.deal("5", pair, lot) for lot in lots} == {("ann", "bob"), ("bob", "ann")}
    assert balance.clash(*pair) == 0
    balance.add("5", "ann", "bob")
    balance.add("7", "bob", "cat")
    for scenario, dealt in (("5", ("bob", "ann")), ("7", ("ann", "bob")), ("10", ("bob", "ann"))):
        assert {balance.deal(scenario, pair, lot) for lot in lots} == {dealt}, scenario


def test_the_first_two_of_a_bracket_meet_only_in_the_end() -> None:
    assert pairing.bracket("abcdefgh") == [("a", "h"), ("d", "e"), ("b", "g"), ("c", "f")]
    assert pairing.bracket("abcde") == [("a", BYE), ("d", "e"), ("b", BYE), ("c", BYE)]


@given(st.integers(4, 16), seeds, st.integers(3, 6))
@settings(max_examples=25, deadline=None)
def test_in_a_swiss_nobody_meets_anybody_twice_nor_has_two_byes(count: int, seed: int, rounds: int) -> None:
    """With so few rounds there is always a way."""
    rounds = min(rounds, (count + 1) // 2)
    one = played(tournament("swiss", count, seed=str(seed), rounds=rounds), Random(seed))
    met = pairs_of(one)
    assert len(met) == len(set(met)), "a bye is a pairing of one"
    assert len(one.rounds) == rounds
    balance = balance_of(one)
    assert all(abs(lead) <= 2 for lead in balance.of_all.values()), balance.of_all


def matchings(people: list[str]) -> Iterator[list[Pair]]:
    """All of them."""
    if not people:
        yield []
        return
    first, *rest = people
    for other in rest:
        for more in matchings([one for one in rest if one != other]):
            yield [(first, other), *more]


@given(st.integers(2, 8), seeds)
@settings(max_examples=40, deadline=None)
def test_a_swiss_round_is_the_best_there_is(count: int, seed: int) -> None:
    """Held against all pairings there are: fewest repeated, then fewest with other scores, and so on."""
    rng = Random(seed)
    people = NAMES[:count]
    scores = {person: rng.randint(0, 4) for person in people}
    ranked = sorted(people, key=lambda person: -scores[person])
    pairs = [frozenset(pair) for pair in combinations(people, 2)]
    met, rested = set(rng.sample(pairs, rng.randint(0, len(pairs)))), set(rng.sample(people, rng.randint(0, count)))
    balance = Balance()
    for pair in met:
        balance.add("5", *rng.sample(sorted(pair), 2))
    cost = pairing.costs(ranked, scores, met, rested, balance, Random(seed))
    found = pairing.swiss(ranked, scores, met, rested, balance, Random(seed))
    both = {**cost, **{(two, one): parts for (one, two), parts in cost.items()}}
    everybody = [*ranked, *([BYE] if count % 2 else [])]
    assert sorted(person for pair in found for person in pair) == sorted(everybody)
    assert total(found, both) == min(total(pairs, both) for pairs in matchings(everybody))


def total(pairs: Iterable[Pair], cost: dict[Pair, Cost]) -> Cost:
    return tuple(map(sum, zip(*(cost[pair] for pair in pairs), strict=True)))


def test_the_same_tournament_is_paired_the_same_and_another_seed_otherwise() -> None:
    made = [played(tournament("swiss", 16, seed=seed, rounds=5), Random(1)) for seed in ("a", "a", "b")]
    assert made[0] == replace(made[1]) and made[0].rounds != made[2].rounds


def test_in_a_round_robin_nobody_has_points_for_a_bye() -> None:
    one = played(tournament("round robin", 3), Random(1))
    assert sum(row.points for row in table(one.ranked, one.rounds, ())) == 2 * 3, "three games, each of one point"


def test_who_is_out_plays_no_more_and_his_opponents_have_the_points() -> None:
    one = tournament("round robin", 4)
    one = replace(one, rounds=(ended(next_round(one), Random(1)),))
    one = played(replace(one, plan=replace(one.plan, out=("p02",))), Random(1))
    late = [met for each in one.rounds[1:] for met in each.pairings if "p02" in met.people]
    assert len(late) == 2 and all(not met.games and met.score("p02") == 0 for met in late)
    assert all(met.score(met.other("p02")) == 2 for met in late)
    one = played(tournament("knock-out", 5, out=["p00", "p01"]), Random(1))
    assert one.winner not in ("p00", "p01")
    one = played(tournament("swiss", 7, out=["p03"], rounds=3), Random(2))
    assert all("p03" not in met.people for each in one.rounds for met in each.pairings)


# --- tables ----------------------------------------------------------------------------------------------------------


def met(one: str, two: str, points: tuple[int, int]) -> Pairing:
    game = PairedGame(name=f"{one}{two}", scenario="5", sides={"federation": one, "klingon": two})
    return Pairing(people=(one, two), games=(replace(game, points=dict(zip((one, two), points, strict=True))),))


ROUNDS = [
    TournamentRound(pairings=(met("a", "b", (2, 0)), met("c", "d", (1, 1)))),
    TournamentRound(pairings=(met("c", "a", (2, 0)), met("d", "b", (0, 2)))),
]
"""a 1-1, b 1-1, c 1½, d ½."""


@pytest.mark.parametrize(
    ("tie", "order", "counts"),
    [
        # c: 2+1+... of opponents d and a; a: of b and c; b: of a and d; d: of c and b.
        ("buchholz", "cabd", {"c": 1 + 2, "a": 2 + 3, "b": 2 + 1, "d": 3 + 2}),
        ("direct", "cabd", {"c": 0, "a": 2, "b": 0, "d": 0}),
        ("berger", "cabd", {"c": 1 * 1 + 2 * 2, "a": 2 * 2, "b": 2 * 1, "d": 1 * 3}),
        ("wins", "cabd", {"c": 2, "a": 2, "b": 2, "d": 0}),
    ],
)
def test_what_each_tie_break_counts(tie: str, order: str, counts: dict[str, int]) -> None:
    rows = table("abcd", ROUNDS, [tie])  # type: ignore[list-item]
    assert "".join(row.person for row in rows) == order
    assert {row.person: row.ties[0] for row in rows} == counts
    places = [row.place for row in rows]
    assert places == ([1, 2, 2, 4] if tie == "wins" else [1, 2, 3, 4])


def test_a_cross_table_shows_both_ways() -> None:
    rows = table("abcd", ROUNDS, ["buchholz"])
    assert cross_table(rows, ROUNDS) == [
        ["·", "1", "", "½"], ["0", "·", "1", ""], ["", "0", "·", "1"], ["½", "", "0", "·"],
    ]  # fmt: skip
    assert [halves(count) for count in (0, 1, 2, 3, 10)] == ["0", "½", "1", "1½", "5"]


def test_who_leads_in_nothing_shares_his_place() -> None:
    assert Counter(row.place for row in table("abc", [], ["buchholz"])) == {1: 3}
