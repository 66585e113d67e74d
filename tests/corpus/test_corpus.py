"""Whole games are played as they were, from their orders alone (tests/corpus/__main__.py)."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from pbem.lab.random_games.play import playable
from tests.corpus import replay
from tests.corpus.__main__ import difference, first_difference, kept
from tests.corpus.record import recorded, text_of

SMALL = "1-s01"
"""A game that is played in an instant."""
MOST_BYTES = 3_000_000
LEAST = 5
"""Games of each scenario."""


@pytest.mark.slow
def test_every_game_is_played_as_it_was() -> None:
    """``python -m tests.corpus --against HEAD`` tells the first event that differs."""
    was = kept()
    said = {path.stem: found for path in replay.paths() if (found := difference(path, was[path.stem]))}
    assert not said


def test_there_are_enough_games_of_each_scenario_and_they_are_small() -> None:
    files = replay.paths()
    assert list(kept()) == [path.stem for path in files]
    count = Counter(path.stem.partition("-")[0] for path in files)
    assert set(count) == set(playable()) and min(count.values()) >= LEAST
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


def test_a_difference_has_its_place() -> None:
    now = "aa bb 0=111 1=111222333 2=111222"
    assert replay.place_of(now, now) == ""
    assert replay.place_of(now, "") == "no digest is kept of it"
    assert replay.place_of(now, now.replace("bb", "cc")) == "the log is the same, the last state is not"
    assert replay.place_of(now, "cc bb 0=111 1=111222444 2=111222") == "turn 1, impulse 2"
    assert replay.place_of(now, "cc bb 0=111 1=111222 2=111222") == "turn 1, impulse 2"
    assert replay.place_of(now, "cc bb 0=111 1=111222333") == "it ends in turn 2 and not in turn 1"


def test_a_game_with_other_orders_is_told_where_it_cannot_go_on() -> None:
    game = replay.read(replay.GAMES / f"{SMALL}.toml")
    first, *others = game.requests
    fewer = msgspec.structs.replace(game, requests=(first,))
    assert replay.played(fewer).broken == f"turn 2, request 1: there are no orders of {next(iter(first.orders))}"
    side, text = next(iter(first.orders.items()))
    wrong = msgspec.structs.replace(first, orders={side: text.replace("PLOT", "PLUT")})
    broken = replay.played(msgspec.structs.replace(game, requests=(wrong, *others))).broken
    assert broken.startswith(f"turn 1, request 1: orders of {side} are refused: ")
    more = msgspec.structs.replace(others[-1], turn=99)
    assert replay.played(msgspec.structs.replace(game, requests=(first, *others, more))).broken.endswith(
        "the game is over, and 1 requests of the file are left"
    )


def test_orders_that_are_legal_stay_when_a_game_is_recorded_again() -> None:
    path = replay.GAMES / f"{SMALL}.toml"
    assert text_of(recorded(replay.read(path))) == path.read_text(encoding="utf-8")


def test_the_first_event_that_differs_is_told_in_words() -> None:
    began = '{"n":1,"event":{"event":"turn_began","turn":2}}'
    ended = '{"n":2,"event":{"event":"turn_ended","turn":2,"impulse":8}}'
    other = ended.replace('"n":2', '"n":3')
    assert first_difference([began], [began]) == ""
    assert "there: the log has ended" in first_difference([began, ended], [began])
    assert first_difference([began, ended], [began, other]).endswith("n: 2 here, 3 there")
    assert '{"n":2,"event":{"event":"unheard_of"}}' in first_difference([], ['{"n":2,"event":{"event":"unheard_of"}}'])
