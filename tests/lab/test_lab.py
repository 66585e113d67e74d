"""The laboratory: the same table whoever plays, however often it was interrupted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.errors import GameError
from pbem.lab.selfplay.match import Match, SelfPlayResult, mark_of, play, seats, verified
from pbem.lab.selfplay.run import played, read_games, run
from pbem.lab.selfplay.tally import (
    Bounds,
    lab_page,
    legal,
    outcome,
    result_lines,
    rows,
    sequential,
    summed,
    verdict,
    wilson,
)

QUICK = verified(Match(scenario="3", captains={"klingon": "ensign", "convoy": "brawler"}, turns=3))


def tried(number: int, result: str = "victory", *, first: str = "federation", end: str = "ended") -> SelfPlayResult:
    """A game of two captains, as it would be kept: the first one commands ``first``."""
    other = "klingon" if first == "federation" else "federation"
    results = {} if end == "called" else {first: result, other: "defeat" if "victory" in result else "victory"}
    who = {first: "captain", other: "ensign"}
    return SelfPlayResult(
        number=number, captains=who, results=results, end=end, turns=4, requests=8,
        damage={first: {"ph1": 10}, other: {"disruptor": 4}}, ranges={2: 9, 10: 5},
        scored={first: 10, other: 4}, expected={first: 9500, other: 4500}, plans={first: {"close": 3}},
    )  # fmt: skip


DUEL = Match(scenario="5", captains={"federation": "captain", "klingon": "ensign"}, swap=True)


@pytest.mark.parametrize("words", ["Dear diary, no line end", "a list\nof things\nno line end", "{}\n", "\n", "[1]\n{"])
def test_a_file_that_is_none_of_the_laboratorys_keeps_every_byte(tmp_path: Path, words: str) -> None:
    file = tmp_path / "diary.txt"
    file.write_bytes(words.encode())
    with pytest.raises(GameError, match="has no games of pbem lab; name another file"):
        read_games(QUICK, file)
    assert file.read_bytes() == words.encode()


def test_games_of_another_match_keep_every_byte(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    read_games(QUICK, file)
    torn = file.read_bytes() + b'{"number":'
    file.write_bytes(torn)
    with pytest.raises(GameError, match="has games of another match"):
        read_games(DUEL, file)
    assert file.read_bytes() == torn
    assert read_games(QUICK, file) == [] and file.read_bytes() == torn[: torn.rindex(b"\n") + 1]
    file.write_bytes(torn[:20])
    assert read_games(QUICK, file) == [] and file.read_bytes() == torn[: torn.rindex(b"\n") + 1], "begun and cut off"


# --- what is played --------------------------------------------------------------------------------------------------


def test_the_same_games_by_one_process_and_by_two() -> None:
    alone = list(played(QUICK, range(3)))
    together = sorted(played(QUICK, range(3), processes=2), key=lambda one: one.number)
    assert together == alone == [play(QUICK, number) for number in range(3)]
    assert len({json.dumps(one.scored, sort_keys=True) for one in alone}) > 1  # other dice each


@pytest.mark.slow
def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    games = run(QUICK, 3, file=whole)
    lines = whole.read_bytes().split(b"\n")
    cut.write_bytes(b"\n".join(lines[:2]) + b"\n" + lines[2][:40])  # killed while it wrote the second game
    assert run(QUICK, 3, file=cut) == games
    assert cut.read_bytes() == whole.read_bytes()
    assert run(QUICK, 2, file=cut) == games[:2]  # nothing is played for that


def test_games_of_another_match_are_not_counted(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    read_games(QUICK, file)
    with pytest.raises(GameError, match="another match"):
        run(replace(QUICK, seed="2"), 1, file=file)
    file.write_text("no games\n", encoding="utf-8")
    with pytest.raises(GameError, match="has no games"):
        read_games(QUICK, file)
    assert file.read_text(encoding="utf-8") == "no games\n"
    assert mark_of(QUICK) != mark_of(replace(QUICK, swap=True))


def test_captains_change_sides_with_the_same_dice() -> None:
    assert seats(DUEL, 0) == {"federation": "captain", "klingon": "ensign"}
    assert seats(DUEL, 1) == {"federation": "ensign", "klingon": "captain"}
    same = verified(Match(scenario="3", captains={"klingon": "brawler", "convoy": "brawler"}, swap=True, turns=2))
    first, second = play(same, 0), play(same, 1)
    assert (first.scored, first.results) == (second.scored, second.results)


@pytest.mark.parametrize(
    ("match", "said"),
    [
        (Match(scenario="5", captains={"romulan": "captain"}), "no side 'romulan'"),
        (Match(scenario="5", captains={"klingon": "admiral"}), "there is no computer player 'admiral'"),
        (Match(scenario="9", captains={"klingon": "robot"}), "the rules have no robot for klingon"),
        (Match(scenario="8", captains={}, swap=True), "only two can be exchanged"),
    ],
)
def test_matches_that_cannot_be_are_refused(match: Match, said: str) -> None:
    with pytest.raises(GameError, match=said):
        verified(match)


def test_who_is_not_named_is_a_captain() -> None:
    assert verified(Match(scenario="5", captains={"klingon": "robot"})).captains == {
        "federation": "captain",
        "klingon": "robot",
    }


@pytest.mark.slow
def test_a_cluster_finds_the_same_and_a_worker_that_dies_costs_no_game() -> None:
    distributed = pytest.importorskip("distributed", reason="distributed is not installed (extra `cluster`)")
    dask = pytest.importorskip("dask")

    alone = list(played(QUICK, range(6)))
    quiet = dask.config.set({"distributed.worker.daemon": False, "distributed.admin.tick.interval": "1s"})
    with quiet, distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:  # fmt: skip
        coming = played(QUICK, range(6), cluster=cluster.scheduler_address)
        found = [next(coming)]
        next(iter(cluster.workers.values())).process.process._process.kill()
        found += coming
    assert sorted(found, key=lambda one: one.number) == alone


def test_a_cluster_that_is_not_there_is_said_in_one_sentence() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed (extra `cluster`)")
    with pytest.raises(GameError, match="does not answer"):
        list(played(QUICK, range(1), cluster="tcp://127.0.0.1:9"))


# --- what is said of it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [(0, 10, 0.0, 0.2775), (8, 10, 0.4902, 0.9433), (95, 100, 0.8882, 0.9785), (10, 10, 0.7225, 1.0), (0, 0, 0.0, 1.0)],
)
def test_intervals_are_wilsons(count: int, of: int, low: float, high: float) -> None:
    """Figures of the formula's own literature, four places."""
    found = wilson(count, of)
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_every_captain_has_a_row_for_each_side_and_one_for_all() -> None:
    games = [tried(0), tried(1, first="klingon"), tried(2, "draw"), tried(3, first="klingon", end="called")]
    found = {(row.captain, row.side): row[2:] for row in rows(DUEL, games)}
    assert found["captain", "federation"] == (2, 1, 1, 0, 0)
    assert found["captain", ""] == (4, 2, 1, 0, 1)
    assert found["ensign", ""] == (4, 1, 0, 2, 1)
    assert outcome("tactical victory") == "won" and outcome("decisive defeat") == "lost" and outcome("draw") == "drawn"


def test_points_luck_and_doctrines_are_summed_by_captain() -> None:
    found = summed([tried(0), tried(1, first="klingon")])
    assert found.damage == {"captain": {"ph1": 20}, "ensign": {"disruptor": 8}}
    assert found.luck == {"captain": (20, 19.0), "ensign": (8, 9.0)}
    assert found.ranges == {2: 18, 10: 10} and found.plans == {"captain": {"close": 6}}


def test_the_sequential_test_stops_as_soon_as_it_is_clear() -> None:
    """Wald's bounds by hand: log(19) / log(0.9 / 0.6) is 7.26, so eight wins in a row say yes."""
    bounds = Bounds(0.6, 0.9)
    wins = [tried(number) for number in range(20)]
    assert sequential(bounds, DUEL, wins[:7]) == ("", 7)
    assert sequential(bounds, DUEL, wins) == ("high", 8)
    assert sequential(bounds, DUEL, [tried(number, "defeat") for number in range(9)]) == ("low", 3)
    assert sequential(bounds, DUEL, [tried(0), *wins[2:]]) == ("", 20 - 1)  # game 1 is still being played
    assert "this holds: captain wins 90 % rather than 60 %" in verdict(bounds, DUEL, wins)


def test_no_more_is_played_than_the_test_needs(tmp_path: Path) -> None:
    """Klingon raiders nearly always lose within three turns, as nothing is decided by then."""
    file = tmp_path / "games.jsonl"
    games = run(QUICK, 20, file=file, bounds=Bounds(0.1, 0.9))
    assert [game.number for game in games] == [0, 1]
    assert len(file.read_bytes().splitlines()) == 3
    assert "after 2 games" in result_lines(QUICK, "Convoy Raid", games, Bounds(0.1, 0.9))[-1]


def test_the_page_shows_every_row_and_needs_nothing_else() -> None:
    page = lab_page("Encounter", [("", DUEL, [tried(0), tried(1, first="klingon")])])
    assert "http" not in page.replace("http-equiv", "") and "<script" not in page
    for wanted in ("captain", "all of them", "disruptor", "2 hexes", "close", "No order was refused."):
        assert wanted in page


def test_lines_that_captains_took_out_before_are_told() -> None:
    clean = [tried(0)]
    assert legal(summed(clean)) == "no order was refused"
    mended = [replace(tried(0), refused={"already-fired": 2, "out-of-arc": 1})]
    assert legal(summed(mended)) == (
        "no order was refused; computer players took 3 lines that were not legal out of their orders before they"
        " sent them"
    )
