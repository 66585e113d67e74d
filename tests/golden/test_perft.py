"""Legal plots from published positions, counted (tests/golden/perft.toml)."""

from __future__ import annotations

import importlib.util
import sys
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.engine.steps.steering import CODES, forecast
from pbem.orders.model import Plot


def load() -> ModuleType:
    """The command beside this file (test folders are no packages)."""
    if "golden_perft" not in sys.modules:
        path = Path(__file__).with_name("perft.py")
        spec = importlib.util.spec_from_file_location("golden_perft", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["golden_perft"] = module
        spec.loader.exec_module(module)
    return sys.modules["golden_perft"]


perft = load()
each_position = pytest.mark.parametrize("position", perft.positions(), ids=lambda position: str(position.name))


@each_position
def test_as_many_plots_are_legal_as_published(position: Any) -> None:
    assert perft.counted(position) == position.counts, perft.by_first_code(position, len(position.counts))


@each_position
def test_the_check_of_orders_lets_through_as_many(position: Any) -> None:
    """What `pbem check` says of every string of codes, one after the other: a count of its own."""
    if not position.speed:
        return
    state, ship = position.begin()
    depth = min(3, len(position.counts))
    legal = 0
    for codes in product(CODES, repeat=depth):
        # Sped up so that every code of the plot is flown in as many impulses as there are codes.
        seen = forecast(state, ship, Plot(codes=codes), first=1, through=state.impulses)
        legal += not seen.faults
        # He is asked before he flies to where nothing leads back from (C1.1); all else is flown or refused.
        assert len(seen.path) >= depth or seen.faults or seen.certain_until < state.impulses, codes
    assert legal == position.counts[depth - 1]
