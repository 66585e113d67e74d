"""Where a game was decided: chances by games that go on from each turn, and the turns in which they changed."""

from __future__ import annotations

import pytest

from pbem.data.scenarios import scenario
from pbem.lab.selfplay.match import Match, SelfPlayGame, verified
from pbem.lab.selfplay.run import Swing, TurnChances, chance_lines, moments, swings


def curve(*federation: int, games: int = 10) -> list[TurnChances]:
    return [
        TurnChances(turn, {"federation": won, "klingon": games - won}, games) for turn, won in enumerate(federation, 1)
    ]


def test_the_turns_that_decided_it_are_those_in_which_the_winners_chance_changed_most() -> None:
    found = swings(curve(500, 600, 900, 800, 900, games=1000), {"federation": "victory", "klingon": "defeat"})
    assert found == [
        Swing(2, "federation", 60, 90), Swing(1, "federation", 50, 60), Swing(3, "federation", 90, 80)
    ]  # fmt: skip
    lost = swings(curve(9), {"federation": "defeat", "klingon": "victory"})
    assert lost == [Swing(1, "klingon", 10, 100)]
    assert swings(curve(5, 5), {"federation": "draw", "klingon": "draw"})[0].after == 0  # nobody won: all count


def test_a_change_that_the_games_cannot_tell_from_chance_is_not_named() -> None:
    """The identical opening of #5 read 60, 40 and 25 % in three trials of 20 games."""
    found = swings(curve(12, 8, 5, games=20), {"federation": "defeat", "klingon": "victory"})
    assert found == [Swing(3, "klingon", 75, 100)]


def test_the_curve_is_told_turn_by_turn() -> None:
    lines = chance_lines(curve(5, 10), [Swing(1, "federation", 50, 100)])
    half = "50 % (24 to 76)  ##########"
    assert lines[1] == f"  turn  1  federation  {half}            klingon  {half}"
    assert lines[-2] == "  turn 1 took federation from 50 to 100 %"
    assert "interval" in lines[-1]


@pytest.mark.slow
def test_games_go_on_from_where_each_turn_began() -> None:
    """A raid that is won is won from its last turn on as well; nothing before that turn is played anew."""
    game = SelfPlayGame(verified(Match(scenario="3", captains={"klingon": "ensign", "convoy": "brawler"})), 0)
    while game.goes_on:
        game.step()
    found = moments(game.records, scenario("3"), key="3", level="ensign", games=2)
    assert [one.turn for one in found] == list(range(1, game.state.turn + 1))
    assert found == moments(game.records, scenario("3"), key="3", level="ensign", games=2)
    again = SelfPlayGame(Match(scenario="3", captains={"klingon": "ensign", "convoy": "ensign"}), 0, game.records[:-40])
    assert again.records == game.records[:-40] and again.state.turn <= game.state.turn
