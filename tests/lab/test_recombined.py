"""Whatever orders are put together from lines of the rule cases: they are refused, or played; nothing else happens."""

from __future__ import annotations

import pytest

from tests.lab.recombined import tried

SEED = 20261125


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_orders_put_together_are_refused_or_played(part: int) -> None:
    found = [tried(number, SEED) for number in range(part * 150, part * 150 + 150)]
    assert [title_and_what for title_and_what in found if title_and_what[1]] == []
