"""Short games of random captains, by digest (tests/golden/wide.py)."""

from __future__ import annotations

import pytest

from tests.golden.wide import differences, kept, keys

KEYS = keys()
QUICK = {f"{number}-77-0" for number in (1, 2, 3, 4, 5, 6, 7, 11)}
"""Those of the quick part: one of each scenario with few units."""


@pytest.mark.parametrize("key", [key if key in QUICK else pytest.param(key, marks=pytest.mark.slow) for key in KEYS])
def test_nothing_is_played_or_told_otherwise(key: str) -> None:
    """``python tests/golden/wide.py --into FOLDER`` here and on the commit before, then ``diff -r``, shows what."""
    assert differences(key) == []


def test_digests_are_kept_of_these_games_alone() -> None:
    assert list(kept()) == KEYS
