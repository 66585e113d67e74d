"""What captains make of kept positions: the figures of ``doctrines.toml`` on which all their tournaments rest."""

from __future__ import annotations

from itertools import pairwise

from pbem.ai.evaluation import points
from pbem.data.doctrines import doctrines
from pbem.data.scenarios import scenario
from pbem.data.terms import UnitFate
from tests.ai import judgements


def test_what_they_make_of_kept_positions() -> None:
    assert [*judgements.told()] == judgements.KEPT.read_text(encoding="utf-8").splitlines()


def test_more_is_worth_more_by_every_measure() -> None:
    """Whatever the figures are: an enemy that is lost is better than one that got away, and that better than one that
    fights; a torpedo armed, a phaser mended, a rack the enemy has lost are better than not.
    """
    positions = dict(judgements._positions())
    for measure in doctrines().measures:
        worths = {what: points(state, scenario("5"), "federation", measure) for what, state in positions.items()}
        ranking = ("a battle", "her enemy got away", "her enemy is destroyed")
        assert all(worths[one] < worths[other] for one, other in pairwise(ranking)), measure.name
        for better in ("a torpedo more is armed", "a phaser works again", "a rack is lost"):
            assert worths[better] > worths["a battle"], (measure.name, better)
    assert judgements.ship(positions["her enemy got away"], "Des").gone == UnitFate.DISENGAGED
