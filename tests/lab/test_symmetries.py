"""Whole play is the same turned, mirrored, with other names, with the state in another order, and in two parts.

``python -m tests.lab.symmetries`` looks at as many stretches as you like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from pbem.data.rulebook import find
from pbem.engine.state import Seeker, State
from pbem.lab.random_games.play import key_for, playable
from pbem.rules import ties
from pbem.rules.hexes import EVEN, FACINGS, ODD, neighbour
from tests.lab import symmetries
from tests.lab.likeness import Likeness, left_to_right, turned, upside_down
from tests.lab.symmetries import PREFERENCES, WAYS, looked_at

SAMPLE = (("2-4-0", range(2)), ("4-5-0", range(1, 2)), ("9-2-0", range(1, 2)), ("12-2-0", range(1, 2)))
"""Stretches of the quick part: drones that nobody guides, a robot, shuttles, a fleet."""

ROUNDS = range(1)
"""Games of each scenario in the slow part, a sample."""


def different(
    key: str, ways: Sequence[str] = WAYS, *, turns: int = symmetries.TURNS, places: range | None = None
) -> list[tuple[str, list[str]]]:
    found = list(looked_at(key, ways, turns=turns, places=places))
    assert any(what is not None for _, what in found), "nothing was looked at"
    return [(who, what) for who, what in found if what]


@pytest.mark.parametrize(("key", "places"), SAMPLE)
def test_the_same_happens_however_it_is_looked_at(key: str, places: range) -> None:
    assert different(key, places=places) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ROUNDS)
@pytest.mark.parametrize("number", playable())
def test_the_same_happens_in_whole_games(number: str, game: int) -> None:
    assert different(key_for(number, 11, game), turns=6) == []


# --- what is looked through -------------------------------------------------------------------------------------------

MAP = ("0101", "2817")


@pytest.mark.parametrize("grid", [EVEN, ODD])
@pytest.mark.parametrize(
    "likened",
    [lambda grid: turned(1, grid), lambda grid: upside_down(MAP, grid), lambda grid: left_to_right(MAP, grid)],
)
def test_what_is_next_to_each_other_stays_so(likened: Callable[[str], Likeness], grid: str) -> None:
    way = likened(grid)
    for hex_ in ("1010", "1110", "1203", "0909"):
        for facing in FACINGS:
            there = neighbour(way.moved(hex_), way.turned[facing], way.grid or grid)
            assert way.moved(neighbour(hex_, facing, grid)) == there


def test_orders_in_the_mirror() -> None:
    way = replace(upside_down(MAP, EVEN), named={"Drone B": "Drone B", "Star L": "Star L"})
    said = """SHIP "Star L" AT 1016B
PLOT F L 2SR TOWARD "Drone B"
  IF #2 OF "Drone B" DOWN AND ENEMY IN L+RR THEN SL
COURSE 3B 2C
DO
  AT 3 LAUNCH DRONE 1 AT 1203 DIR F
  RESERVE UP TO 2 TO #3
DAMAGE
  ENGINE WARP LEFT FIRST
"""
    seen = """SHIP "Star L" AT 1002C
PLOT F R 2SL TOWARD "Drone B"
  IF #6 OF "Drone B" DOWN AND ENEMY IN R+LR THEN SR
COURSE 3C 2B
DO
  AT 3 LAUNCH DRONE 1 AT 1215 DIR E
  RESERVE UP TO 2 TO #5
DAMAGE
  ENGINE WARP LEFT FIRST
"""
    assert way.text(said) == seen
    assert way.text(seen) == said


# --- a difference is seen ---------------------------------------------------------------------------------------------

DECIDES = {
    "of_codes": ("2-5-0", "mirrored", 1),
    "of_shields": ("12-21-0", "mirrored", 1),
    "of_names": ("4-5-0", "renamed", 1),
}
"""A stretch in which a preference decides, so that it comes out otherwise where the other game has its own; the other
two decide once in thousands.
"""


@pytest.mark.parametrize("preference", DECIDES)
def test_a_preference_that_does_not_go_along_is_seen(preference: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key, how, place = DECIDES[preference]
    assert different(key, [how], places=range(place, place + 1)) == []
    monkeypatch.delitem(PREFERENCES, preference)
    assert different(key, [how], places=range(place, place + 1))


@pytest.mark.parametrize("preference", PREFERENCES)
def test_every_preference_stands_on_the_compliance_page(preference: str) -> None:
    assert getattr(ties, preference).__module__ == ties.__name__
    for number, said in PREFERENCES[preference]:
        assert any(said in reading.read for rule in find(number) for reading in rule.reading), (number, said)


def test_no_other_preference_goes_along() -> None:
    assert PREFERENCES.keys() == {name for name in vars(ties) if name.startswith("of_")}


def test_weapons_that_are_taken_in_the_order_of_the_state_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def as_they_come(state: State) -> list[Seeker]:
        return [unit for unit in state.units.values() if isinstance(unit, Seeker) and unit.in_play]

    monkeypatch.setattr(State, "seekers", as_they_come)
    assert different("2-20-0", ["shuffled"], places=range(2, 3))
