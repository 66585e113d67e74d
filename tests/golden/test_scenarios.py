"""One complete game of each scenario comes out the same, byte for byte."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from pbem.data import scenarios
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from tests import kept

HERE = Path(__file__).parent


def _scenarios() -> ModuleType:
    if "golden_scenarios" in sys.modules:
        return sys.modules["golden_scenarios"]
    spec = importlib.util.spec_from_file_location("golden_scenarios", HERE / "scenarios.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden_scenarios"] = module
    spec.loader.exec_module(module)
    return module


golden = _scenarios()


QUICK = ("s01",)
"""Games of the quick part of the tests: the shortest."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in golden.BOOK]
)
def test_the_game_of_each_scenario_comes_out_the_same(name: str, scenario_game: Callable[[str], Path]) -> None:
    folder = scenario_game(name)
    for file, text in golden.results(folder).items():
        path = golden.GAMES / name / file
        if file.endswith(kept.ENDING):
            found = kept.difference(path, text)
            assert not found, f"python tests/golden/scenarios.py writes them anew; review the difference:\n{found}"
        else:
            wanted = path.read_text(encoding="utf-8")
            assert text == wanted, "python tests/golden/scenarios.py writes them anew; review the difference"
    with opened(folder) as game:
        assert game.state().over
        assert not verify(game).faults


def test_every_scenario_has_one() -> None:
    played = {game.scenario for game in golden.BOOK.values()}
    assert played == {key for key in scenarios.scenario_keys() if key.isdigit()}
