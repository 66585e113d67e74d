"""A draft at a break, handed back as it is, is never refused and plays as CONTINUE does, to the end of the turn."""

from __future__ import annotations

import pytest

from pbem.lab.random_games.play import key_for, playable
from tests.lab.redrafts import drafts

SAMPLE = ("5-0-1", pytest.param("9-0-0", marks=pytest.mark.slow), pytest.param("12-0-1", marks=pytest.mark.slow))
"""A duel, for the quick part of the tests; a fleet, shuttles."""

ROUNDS = range(2)
"""Games of each scenario in the slow part, a sample; ``python -m tests.lab.redrafts`` looks at thousands of drafts."""


@pytest.mark.parametrize("key", SAMPLE)
def test_a_draft_means_what_continue_means(key: str) -> None:
    found = list(drafts(key, turns=3))
    assert found, "no break asked for a draft"
    assert [who_and_what for who_and_what in found if who_and_what[1]] == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ROUNDS)
@pytest.mark.parametrize("number", playable())
def test_drafts_of_whole_games_mean_what_continue_means(number: str, game: int) -> None:
    found = drafts(key_for(number, 7, game), turns=6)
    assert [who_and_what for who_and_what in found if who_and_what[1]] == []
