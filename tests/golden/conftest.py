"""What the golden tests share: the games as shipped, and played anew from their order files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.golden import refresh as golden, scenarios

GAMES = ("duel01", "rescue01")


@pytest.fixture(scope="session")
def refresh() -> ModuleType:
    """The command that plays the shipped games anew."""
    return golden


Once = Callable[[str, Callable[[Path], None]], Path]


@pytest.fixture(scope="session")
def scenario_game(once: Once) -> Callable[[str], Path]:
    """The folder of a scenario's golden game, played anew; each game is played once."""
    return lambda name: once(name, lambda folder: scenarios.play(name, scenarios.GAMES / name, folder))


@pytest.fixture(params=[pytest.param("duel01", marks=pytest.mark.slow), "rescue01"])
def name(request: pytest.FixtureRequest) -> str:
    """A shipped game's name."""
    return str(request.param)


@pytest.fixture(scope="session")
def shipped(refresh: ModuleType) -> Callable[[str], Path]:
    """The folder of a game as it is shipped."""
    return lambda name: Path(refresh.TURNS) / name


@pytest.fixture(scope="session")
def replayed(refresh: ModuleType, once: Once) -> Callable[[str], Path]:
    """The folder of a shipped game played anew; each game is played once."""
    return lambda name: once(name, lambda folder: refresh.play_to_the_end(name, refresh.TURNS / name, folder))


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""
