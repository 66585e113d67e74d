"""One complete game of each scenario comes out the same, byte for byte."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.data import scenarios
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from tests.golden import held, scenarios as golden

QUICK = ("s01",)
"""Games of the quick part of the tests: the shortest."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in golden.BOOK]
)
def test_the_game_of_each_scenario_comes_out_the_same(name: str, scenario_game: Callable[[str], Path]) -> None:
    folder = scenario_game(name)
    found = held.differences(name, held.held(folder))
    assert not found, found
    with opened(folder) as game:
        assert game.state().over
        assert not verify(game).faults


def test_every_scenario_has_one() -> None:
    played = {game.scenario for game in golden.BOOK.values()}
    assert played == {key for key in scenarios.scenario_keys() if key.isdigit()}
