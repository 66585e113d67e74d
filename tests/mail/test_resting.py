"""A game in which nothing happened is not opened again; whatever happens, it is."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from pbem.games.create import new
from pbem.games.storage import files
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail.commands import dispatch, seats as replacing
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import read_rounds
from pbem.mail.host.idle import RESTING, SEATS, Resting, Seating
from pbem.mail.host.round import Round, host_round
from pbem.mail.people import Roll
from pbem.mail.seats import Seat, renew_token, seats
from pbem.mail.store import keep_fact

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
SETTINGS = """\
format = 1
orders = "orders@host.example"
umpire = "umpire@host.example"
[deadlines]
within = "3 days"
remind = ["1 day"]
grace = "12 hours"
late = "wait"
nag = "0 days"
"""
SHIPS = {"federation": "Constellation", "klingon": "Destruction"}
PLOT = "GAME duel TURN 1 SIDE {side} REPLY 2\nSHIP {ship}\nPLOT 12F\nBREAK\n  RANGE ENEMY <= 20\nEND\n"
ENERGY = "GAME duel TURN 1 SIDE {side} REPLY 1\nSHIP {ship}\nENERGY\n  SPEED 12\nEND\n"


@pytest.fixture
def host(tmp_path: Path) -> Path:
    """A host with a game whose invitations went out."""
    (tmp_path / "host.toml").write_text(SETTINGS, encoding="utf-8")
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("5", tmp_path / "games" / "duel", players=players, seed="resting")
    go(tmp_path, NOW)
    # The first round gave the players their tokens; after the second nothing is new.
    assert go(tmp_path, NOW).put == 0
    return tmp_path


def go(host: Path, now: datetime) -> Round:
    return host_round(host, lambda: now)


def rests(host: Path, now: datetime = NOW) -> bool:
    game = host / "games" / "duel"
    return Resting(host, [game], read_rounds(host).drift).find(game, now) is not None


def test_a_game_rests_until_its_next_moment(host: Path) -> None:
    assert rests(host)
    assert rests(host, NOW + timedelta(days=2) - timedelta(seconds=1))
    assert not rests(host, NOW + timedelta(days=2)), "the reminder"
    assert go(host, NOW + timedelta(days=2)).put == 2
    assert rests(host, NOW + timedelta(days=2))
    assert not rests(host, NOW + timedelta(days=3)), "the deadline"


def test_a_resting_game_is_not_even_opened(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object, **more: object) -> None:
        raise AssertionError("it was opened")

    monkeypatch.setattr("pbem.mail.host.club.opened", never)
    assert not go(host, NOW).troubles
    (trouble,) = go(host, NOW + timedelta(days=2)).troubles
    assert "it was opened" in trouble


def test_a_round_reads_the_people_once_and_checks_the_orders_of_a_game_twice(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: Counter[str] = Counter()

    def counted(place: str) -> None:
        inner = import_module(place.rpartition(".")[0]).__dict__[place.rpartition(".")[2]]

        def count(*arguments: object) -> object:
            calls[place] += 1
            return inner(*arguments)

        monkeypatch.setattr(place, count)

    counted("pbem.mail.host.idle.read_people")
    counted("pbem.games.resolve.answers")  # whether play can go on
    counted("pbem.mail.host.club.answers")  # what the emails of the round say
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    for name in ("one", "two", "three"):
        new("5", host / "games" / name, players=players, seed=name)
    assert not go(host, NOW).troubles
    assert calls == {
        "pbem.mail.host.idle.read_people": 1,
        "pbem.games.resolve.answers": 3,
        "pbem.mail.host.club.answers": 3,
    }
    calls.clear()
    go(host, NOW)  # tokens were made
    calls.clear()
    go(host, NOW)
    assert not calls, "nothing is due"


def test_who_plays_is_read_again_only_where_that_has_changed(host: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(game: Path, club: Callable[[], Roll]) -> list[Seat]:
        read.append(game.name)
        return seats(game, club)

    monkeypatch.setattr("pbem.mail.host.idle.seats", reading)
    go(host, NOW)
    read.clear()
    other = host / "games" / "other"
    new("5", other, players={"federation": "ann@example.org", "klingon": "kor@example.org"}, seed="resting")
    go(host, NOW)
    assert read == ["other"], "a new one"
    go(host, NOW)
    read.clear()
    go(host, NOW)
    assert not read, "nothing has changed"
    for happens in (replace_player, new_token):
        happens(host / "games" / "duel")
        assert Seating(host, [other.parent / "duel"]).of(other.parent / "duel") == seats(other.parent / "duel")
        go(host, NOW)
        assert set(read) == {"duel"}
        read.clear()
    keep_fact(host / "mail", SEATS, "damaged")
    go(host, NOW)
    assert read == ["duel", "other"]
    assert (host / "mail" / "club.db").stat().st_mode & 0o77 == 0 or os.name == "nt", "it holds tokens"


def file_orders(game: Path) -> None:
    with opened(game) as folder:
        submit(folder, ENERGY.format(side="klingon", ship="Destruction"), "")


def wait(game: Path) -> None:
    with opened(game) as folder:
        dispatch.set_wait(folder, "klingon", wait=True)


def replace_player(game: Path) -> None:
    with opened(game) as folder:
        replacing.replace(folder, "klingon", "koloth@example.org", datetime(2027, 3, 2, tzinfo=UTC))


def new_token(game: Path) -> None:
    with opened(game) as folder:
        renew_token(folder, "klingon")


def post_toml(game: Path) -> None:
    (game / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "1 day"\n', encoding="utf-8")


def host_toml(game: Path) -> None:
    file = game.parent.parent / "host.toml"
    file.write_text(file.read_text(encoding="utf-8").replace("3 days", "4 days"), encoding="utf-8")


def log_of_another_turn(game: Path) -> None:
    (game / "01" / "events.jsonl").write_bytes(b"")


def same_size_log(game: Path) -> None:
    file = game / "00" / "events.jsonl"
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data)


@pytest.mark.parametrize(
    "happens",
    [file_orders, wait, replace_player, new_token, post_toml, host_toml, log_of_another_turn, same_size_log,
     lambda game: timetable.pause(game, NOW)],
)  # fmt: skip
def test_whatever_happens_wakes_it(host: Path, happens: Callable[[Path], object]) -> None:
    assert rests(host)
    happens(host / "games" / "duel")
    assert not rests(host)


def test_both_answers_are_played_though_the_game_rested(host: Path) -> None:
    game = host / "games" / "duel"
    for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
        assert rests(host)
        with opened(game) as folder:
            submit(folder, ENERGY.format(side=side, ship=ship), "")
        go(host, NOW)
    assert (game / "01" / "r2").is_dir() and rests(host)


def test_who_is_late_is_told_of_without_opening_the_game_again(host: Path) -> None:
    late = NOW + timedelta(days=5)
    for days in (1, 2, 3, 4):
        go(host, NOW + timedelta(days=days))
    first, second = go(host, late), go(host, late + timedelta(hours=1))
    assert rests(host, late)
    assert first.stopped and second.stopped, "both are late at once, and stay so"
    assert (first.put, second.put) == (1, 0)
    file_orders(host / "games" / "duel")
    third = go(host, late + timedelta(hours=2))
    assert not third.stopped and any("waits for federation" in trouble for trouble in third.news)


def test_without_its_file_all_is_as_ever(host: Path) -> None:
    keep_fact(host / "mail", RESTING, "damaged")
    assert not rests(host)
    assert go(host, NOW).put == 0 and rests(host)


def test_a_game_that_is_in_trouble_never_rests(host: Path) -> None:
    (host / "games" / "duel" / "00" / "events.jsonl").write_bytes(b"{damaged\n")
    assert go(host, NOW).troubles and go(host, NOW).troubles
    assert not rests(host)


def test_a_save_that_could_not_be_written_is_written_as_soon_as_it_can_be(
    host: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who had it open and closes it leaves no mark in the game."""
    game = host / "games" / "duel"
    file = game / "01" / "positions.vsav"
    with opened(game) as folder:
        for side, ship in SHIPS.items():
            submit(folder, ENERGY.format(side=side, ship=ship), f"{side}.txt")
    go(host, NOW)
    before, real = file.read_bytes(), os.replace

    def held(source: Any, target: Any) -> None:
        if Path(target) == file:
            refused = PermissionError(13, "Permission denied")
            refused.winerror = 32  # type: ignore[attr-defined, unused-ignore]
            raise refused
        real(source, target)

    monkeypatch.setattr(files, "PAUSES", ())
    monkeypatch.setattr(os, "replace", held)
    with opened(game) as folder:
        for side, ship in SHIPS.items():
            submit(folder, PLOT.format(side=side, ship=ship), f"{side}.txt")
    done = go(host, NOW)
    assert "late" in [one.what for one in dict(done.games)["duel"]]
    assert go(host, NOW).troubles == () and file.read_bytes() == before
    monkeypatch.setattr(os, "replace", real)
    go(host, NOW)
    assert file.read_bytes() != before and not (game / "01" / "positions.late.txt").exists()
    assert rests(host)
