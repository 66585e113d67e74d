"""Short games of random captains, by digest (tests/golden/wide.py)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


def load() -> ModuleType:
    """The command beside this file (test folders are no packages)."""
    if "golden_wide" not in sys.modules:
        path = Path(__file__).with_name("wide.py")
        spec = importlib.util.spec_from_file_location("golden_wide", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["golden_wide"] = module
        spec.loader.exec_module(module)
    return sys.modules["golden_wide"]


wide = load()
KEYS = wide.keys()
QUICK = 2 * len(wide.playable())
"""So many games in the quick part: two of each scenario."""


@pytest.mark.parametrize("key", [*KEYS[:QUICK], *(pytest.param(key, marks=pytest.mark.slow) for key in KEYS[QUICK:])])
def test_nothing_is_played_or_told_otherwise(key: str) -> None:
    """``python tests/golden/wide.py --into FOLDER`` here and on the commit before, then ``diff -r``, shows what."""
    assert wide.differences(key) == []


def test_digests_are_kept_of_these_games_alone() -> None:
    assert list(wide.kept()) == KEYS
