"""Random games: whatever captains order, nothing breaks; and a game can be played again from its key alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.engine.log import encode_records
from pbem.games.storage.opening import opened
from pbem.lab.random_games.play import TURNS, Deal, deal, key_for, opening, playable, stretches
from pbem.lab.random_games.run import play, write

GAMES = 4
"""Games of each scenario in the slow part; `pbem soak` plays as many as you like."""

QUICK = 5
"""Turns of the one game of each scenario in the quick part."""


@pytest.mark.parametrize("number", playable())
def test_nothing_breaks(number: str) -> None:
    played = play(key_for(number, 0, 0), QUICK)
    assert not played.breaches, played.trace
    assert played.end == "ended" or played.turns >= QUICK


@pytest.mark.slow
@pytest.mark.parametrize("game", range(GAMES))
@pytest.mark.parametrize("number", playable())
def test_nothing_breaks_and_the_game_ends(number: str, game: int) -> None:
    played = play(key_for(number, 0, game))
    assert not played.breaches, played.trace
    assert played.end == "ended", f"{number}-0-{game} was called after {TURNS} turns"


def strewn() -> Deal:
    """A game with planets, asteroids or a monster of its own, and so with a scenario file of its own."""
    return next(dealt for game in range(99) if (dealt := deal(key_for("11", 0, game))).own)


@pytest.mark.parametrize("key", [key_for("1", 0, 0), strewn().key])
def test_a_written_game_is_the_game_that_was_played(key: str, tmp_path: Path) -> None:
    """At the umpire's desk the same deal, orders and dice make the same record, byte for byte."""
    begun = opening(deal(key))
    records = [*begun.records, *(record for stretch in stretches(begun, turns=3) for record in stretch.records)]
    assert not write(key, tmp_path / "game", turns=3).stopped
    with opened(tmp_path / "game") as game:
        assert encode_records(game.records()) == encode_records(records)


def test_a_key_of_no_game_is_refused() -> None:
    with pytest.raises(ValueError, match="no key of a random game"):
        deal("99-1-1")
