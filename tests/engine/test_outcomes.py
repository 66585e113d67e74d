"""How good results are for sides: their words in order, and what each side made of a game (won, drawn, lost)."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from pbem.engine.outcomes import verdicts, worth
from pbem.engine.state import Outcome

FROM_THE_WORST = (
    "decisive defeat", "defeat", "tactical defeat", "marginal defeat", "draw", "marginal victory", "tactical victory",
    "victory", "decisive victory",
)  # fmt: skip


def of(**results: str) -> dict[str, str]:
    outcome = [Outcome(side=side, result=result, why="") for side, result in results.items() if result]
    return dict(verdicts(list(results), outcome))


def test_results_by_how_good_they_are() -> None:
    worths = [worth(result) for result in FROM_THE_WORST]
    assert worths == sorted(set(worths)) and worth("draw") == 0
    assert [worth(text) for text in ("Victory", "wins", "won", "lost", "forfeit", "")] == [3, 3, 3, -3, -3, 0]


def test_of_two_one_has_won_what_the_other_lost_or_both_have_drawn() -> None:
    places = {"": FROM_THE_WORST.index("draw")} | {result: place for place, result in enumerate(FROM_THE_WORST)}
    for mine, theirs in product(places, repeat=2):
        wanted = {-1: ("lost", "won"), 0: ("drawn", "drawn"), 1: ("won", "lost")}
        ahead = (places[mine] > places[theirs]) - (places[mine] < places[theirs])
        assert tuple(of(a=mine, b=theirs).values()) == wanted[ahead], (mine, theirs)


@pytest.mark.parametrize("order", [*permutations("abc")])
def test_of_three_the_best_of_the_others_counts(order: tuple[str, ...]) -> None:
    def said(**results: str) -> dict[str, str]:
        return of(**{side: results[side] for side in order})

    assert said(a="victory", b="draw", c="defeat") == {"a": "won", "b": "lost", "c": "lost"}
    assert said(a="victory", b="victory", c="defeat") == {"a": "drawn", "b": "drawn", "c": "lost"}
    assert said(a="draw", b="", c="draw") == {"a": "drawn", "b": "drawn", "c": "drawn"}


@pytest.mark.parametrize(("result", "verdict"), [("victory", "won"), ("draw", "drawn"), ("defeat", "lost")])
def test_alone_its_own_words_count(result: str, verdict: str) -> None:
    assert of(a=result) == {"a": verdict}
