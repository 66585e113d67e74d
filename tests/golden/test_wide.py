"""Short games of random captains, by digest (tests/golden/wide.py)."""

from __future__ import annotations

import pytest

from pbem.soak.games import playable
from tests.golden.wide import differences, kept, keys

KEYS = keys()
QUICK = 2 * len(playable())
"""So many games in the quick part: two of each scenario."""


@pytest.mark.parametrize("key", [*KEYS[:QUICK], *(pytest.param(key, marks=pytest.mark.slow) for key in KEYS[QUICK:])])
def test_nothing_is_played_or_told_otherwise(key: str) -> None:
    """``python tests/golden/wide.py --into FOLDER`` here and on the commit before, then ``diff -r``, shows what."""
    assert differences(key) == []


def test_digests_are_kept_of_these_games_alone() -> None:
    assert list(kept()) == KEYS
