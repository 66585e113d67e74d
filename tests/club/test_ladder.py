"""The ladder: figures of the library's own examples, what counts of a game, and names for ranks."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from math import sqrt
from pathlib import Path

import pytest

from pbem.club.ladder import GameResult, ladder, points, rank_of, rated, result_of, results
from pbem.engine.outcomes import worth
from pbem.engine.state import Outcome
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import read_rounds

START = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def fought(*teams: str, places: tuple[int, ...] = (0, 1)) -> GameResult:
    return GameResult(game="g", teams=tuple(tuple(team) for team in teams), places=places)


def test_the_figures_are_those_of_the_librarys_own_example() -> None:
    """Its README: of two teams of two beginners the first wins."""
    pytest.importorskip("openskill")
    found = rated([fought("ab", "xy")])
    assert found["a"] == found["b"] == pytest.approx((26.964294621803063, 8.177962604389991))
    assert found["x"] == found["y"] == pytest.approx((23.035705378196937, 8.177962604389991))


@pytest.mark.parametrize(("places", "scored"), [((0, 1), 1.0), ((0, 0), 0.5), ((1, 0), 0.0)])
def test_two_beginners_gain_what_the_rule_says(places: tuple[int, int], scored: float) -> None:
    """Weng and Lin, "A Bayesian approximation method for online ranking" (2011), for two, written down once more."""
    pytest.importorskip("openskill")
    teams = ("a", "x") if places[0] <= places[1] else ("x", "a")
    found = rated([fought(*teams, places=(min(places), max(places)))])
    mu, beta, tau = 25.0, 25 / 6, 25 / 300
    variance = (25 / 3) ** 2 + tau**2
    c = sqrt(2 * (variance + beta**2))
    gain = variance / c * (scored - 0.5)
    assert found["a"][0] == pytest.approx(mu + gain) and found["x"][0] == pytest.approx(mu - gain)
    shrunk = variance * (1 - variance / c**2 / 4 * sqrt(variance) / c)
    assert found["a"][1] == found["x"][1] == pytest.approx(sqrt(shrunk))


def test_a_ladder_counts_games_and_names_ranks() -> None:
    pytest.importorskip("openskill")
    games = [*[fought("a", "b")] * 5, fought("a", "c", places=(0, 0)), fought("bc", "ad")]
    found = ladder(games, {"Ensign": -9, "Commander": 5, "Admiral": 90})
    assert found[0].person == "a" and found[-1].person == "b"
    assert [(one.games, one.won, one.drawn, one.lost) for one in found if one.person == "a"] == [(7, 5, 1, 1)]
    assert found[0].rank == "Commander" and {one.rank for one in found[1:]} == {"Ensign"}
    assert [one.points for one in found] == sorted((one.points for one in found), reverse=True)
    assert ladder(games) == ladder(games) and [one.place for one in found] == [1, 2, 3, 4]
    assert [one.place for one in ladder([fought("a", "b"), fought("c", "d")])] == [1, 1, 3, 3]


def test_without_the_library_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    assert ladder([]) == []
    with pytest.raises(GameError, match="openskill"):
        ladder([fought("a", "b")])


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("decisive victory", "victory"),
        ("victory", "tactical victory"),
        ("tactical victory", "marginal victory"),
        ("marginal victory", "draw"),
        ("draw", "marginal defeat"),
        ("marginal defeat", "defeat"),
        ("defeat", "decisive defeat"),
        ("Victory by forfeit of the other", "lost"),
    ],
)
def test_results_are_compared_by_their_words(better: str, worse: str) -> None:
    assert worth(better) > worth(worse)
    outcome = [Outcome(side="federation", result=worse, why=""), Outcome(side="klingon", result=better, why="")]
    assert points({"federation": "ann", "klingon": "bob"}, outcome) == {"ann": 0, "bob": 2}
    assert points({"klingon": "bob", "federation": "ann"}, outcome) == {"bob": 2, "ann": 0}
    same = [Outcome(side=side, result=better, why="") for side in ("federation", "klingon")]
    assert points({"federation": "ann", "klingon": "bob"}, same) == {"ann": 1, "bob": 1}


def test_ranks_begin_where_they_are_said_to() -> None:
    ranks = {"Ensign": 0.0, "Captain": 10.0}
    assert [rank_of(count, ranks) for count in (-0.1, 0.0, 9.9, 10.0)] == ["", "Ensign", "Ensign", "Captain"]


def test_games_of_a_club_count_in_the_order_of_their_ends(tmp_path: Path) -> None:
    home = tmp_path / "club"
    (home / "games").mkdir(parents=True)
    (home / "host.toml").write_text('format = 1\norders = "orders@host.example"\n', encoding="utf-8")
    (home / "players.toml").write_text('format = 1\n[people.ann]\nmail = "ann@example.org"\n', encoding="utf-8")
    for day, (name, who) in enumerate(
        [("later", {"federation": "Ann <ann@example.org>", "klingon": "Bob <bob@example.org>"}),
         ("first", {"federation": "ann", "klingon": "Cid <cid@example.org>"}),
         ("open", {"federation": "ann", "klingon": "Cid <cid@example.org>"}),
         ("alone", {"federation": "ann", "klingon": "robot"}),
         ("both", {"federation": "ann", "klingon": "ann@example.org"})]
    ):  # fmt: skip
        new("5", home / "games" / name, players=who)
        with opened(home / "games" / name, lock="test") as game:
            timetable.start(game, START + timedelta(days=-day), read_rounds(home))
            if name != "open":
                override(game, Decree(reason="so", result={"federation": "victory", "klingon": "defeat"}))
    (home / "games" / "broken").mkdir()
    (home / "games" / "broken" / "game.toml").write_text("format = 1\n", encoding="utf-8")
    found, faults = results(home)
    assert [Path(fault.file).parent.name for fault in faults] == ["broken"] * len(faults) != []
    assert [(one.game, one.teams) for one in found] == [
        ("first", (("ann",), ("Cid",))), ("later", (("ann",), ("Bob",))),
    ]  # fmt: skip


def test_in_a_game_of_several_a_side_everybody_of_it_counts(tmp_path: Path) -> None:
    """#8: the convoy and its defender are one team."""
    who = {"orion": "ann", "convoy": "bob", "defender": "cid"}
    new("8", tmp_path / "raid", players={side: f"{one}@example.org" for side, one in who.items()})
    with opened(tmp_path / "raid", lock="test") as game:
        assert result_of(game.state(), who) is None, "it is not over"
        override(game, Decree(reason="so", result=dict.fromkeys(who, "defeat") | {"defender": "victory"}))
        state = game.state()
    found = result_of(state, who)
    assert found is not None and (found.teams, found.places) == ((("bob", "cid"), ("ann",)), (0, 1))
    assert result_of(state, who | {"convoy": "cid"}) == GameResult(
        game="raid", scenario="8", teams=(("cid",), ("ann",)), places=(0, 1)
    )
