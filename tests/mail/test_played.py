"""When a hosted game was last played: what the host saw, whatever the times of the game's files say."""

from __future__ import annotations

import os
from datetime import date, timedelta
from pathlib import Path

import pytest
from lxml import html

from pbem.games.resolve import resolve_game
from pbem.games.site import set_public, write_sites
from pbem.games.storage.opening import opened
from pbem.games.storage.players import last_played
from pbem.mail.host.clocks import Clock, read_clock, write_clock
from tests.mail.hosted import START, Hosted, answer


def file_times(game: Path, stamp: int) -> None:
    """As a copy or a backup that was unpacked has them."""
    for file in game.rglob("*"):
        os.utime(file, (stamp, stamp))


def play(hosted: Hosted, **later: float) -> None:
    hosted.now += timedelta(**later)
    answer(hosted, "federation", "klingon")
    hosted.round()


def test_a_game_was_played_on_the_day_the_host_played_it(hosted: Hosted) -> None:
    hosted.round()
    assert last_played(hosted.game) is None, "nothing of it has been played yet"
    play(hosted, days=1)
    assert last_played(hosted.game) == (START + timedelta(days=1)).date()
    hosted.later(days=2)
    file_times(hosted.game, 1_900_000_000)
    hosted.round()
    assert last_played(hosted.game) == (START + timedelta(days=1)).date()


def test_what_the_umpire_plays_by_hand_is_seen_by_the_next_round(hosted: Hosted) -> None:
    hosted.round()
    play(hosted, hours=1)
    hosted.now += timedelta(hours=1)
    with opened(hosted.game, lock="resolve") as game:
        for side in ("federation", "klingon"):
            file = game.order_file(game.state().request.turn, side, game.state().request.number)  # type: ignore[union-attr]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(hosted.scripted(side), encoding="utf-8")
        assert resolve_game(game)
    hosted.now += timedelta(days=1)
    hosted.round()
    assert last_played(hosted.game) == hosted.now.date()


def test_of_a_game_that_was_played_before_the_host_saw_it_no_day_is_known(hosted: Hosted) -> None:
    """A game that comes to a host with its turns, and a clock an earlier version kept."""
    hosted.round()
    play(hosted, hours=1)
    known = read_clock(hosted.game)
    write_clock(hosted.game, Clock(asking=known.asking, asked=known.asked))
    hosted.now += timedelta(days=3)
    hosted.round()
    assert last_played(hosted.game) is None
    play(hosted, hours=1)
    assert last_played(hosted.game) == hosted.now.date()


@pytest.mark.slow
def test_the_last_turn_counts_and_nothing_after_it(hosted: Hosted) -> None:
    hosted.round()
    while not hosted.over():
        play(hosted, hours=2)
    over = hosted.now.date()
    assert last_played(hosted.game) == over
    hosted.later(days=5)
    assert last_played(hosted.game) == over


@pytest.mark.slow
def test_the_site_says_the_hosts_day_or_none(hosted: Hosted, tmp_path: Path) -> None:
    def card() -> str:
        write_sites(hosted.folder, tmp_path / "site")
        page = html.fromstring((tmp_path / "site" / "index.html").read_text(encoding="utf-8"))
        return " ".join(page.xpath("//li[contains(@class, 'card')]")[0].text_content().split())

    set_public(hosted.game, True)
    hosted.round()
    assert "played on" not in card()
    play(hosted, days=1)
    file_times(hosted.game, 1_900_000_000)
    assert f"played on {date(2027, 3, 2)}" in card()
