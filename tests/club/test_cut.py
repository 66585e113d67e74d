"""A tournament's command, and a host's round that goes on with one, cut off at every file operation in turn: after one
repetition the games are there, the standings are written, and everybody has been told exactly once.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import NamedTuple

import pytest

from pbem.club.directing import begin, direct, direct_all
from pbem.club.tournament import read
from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host.round import host_round
from pbem.mail.people import read_people
from tests.club.plans import plan
from tests.cuts import KILLED, REFUSED, Cut, cut_at, operations, places

PEOPLE = ("ann", "bob", "cid")
NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
HOST = 'format = 1\norders = "orders@host.example"\numpire = "umpire@host.example"\n'


class Sink:
    """A carrier that keeps what it is handed."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append((to, mail))


def named(mail: bytes) -> tuple[str, str]:
    """Whom a mail is to, and its key."""
    found = message_from_bytes(mail)
    return str(found["To"]), str(found["X-PBEM-Key"])


def letters(home: Path) -> Counter[tuple[str, str]]:
    """What lies in the outbox."""
    return Counter(named(path.read_bytes()) for path in (home / "mail/outbox/waiting").glob("*.eml"))


def stands(home: Path) -> dict[str, bytes]:
    """What is known of a tournament; the games by what was agreed, as their dice are drawn."""
    found = {path.name: path.read_bytes() for path in sorted((home / "tournaments").glob("cup.*"))}
    for game in sorted(home.glob("games/[!.]*")):
        text = (game / "game.toml").read_text("utf-8")
        found[game.name] = text.partition("[dice]")[0].encode()
    return found


def sound(home: Path) -> bool:
    """Whether the games are as their logs have them."""
    for game in home.glob("games/[!.]*"):
        with opened(game) as one:
            if verify(one).faults:
                return False
    return True


def steps(home: Path) -> None:
    direct(home, "cup", NOW + timedelta(days=9))


def a_round(home: Path, sink: Sink | None = None) -> None:
    host_round(  # the clock stands: a cut changes no time that is written down
        home, lambda: NOW + timedelta(days=9), carrier=sink,
        beyond=lambda club, now, over: direct_all(club, now, over, lambda name: name),
    )  # fmt: skip


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club whose first round is over: each of the three has been told of it."""
    home = tmp_path_factory.mktemp("cup") / "club"
    (home / "games").mkdir(parents=True)
    (home / "host.toml").write_text(HOST, encoding="utf-8")
    rows = [f'[people.{one}]\nname = "{one.title()}"\nmail = "{one}@example.org"\n' for one in PEOPLE]
    (home / "players.toml").write_text("format = 1\n" + "".join(rows), encoding="utf-8")
    begin(home, "cup", plan("round robin", PEOPLE, ["5"], seed="x", title="Cup"))
    for game in direct(home, "cup", NOW).made:
        with opened(home / "games" / game, lock="test") as one:
            override(one, Decree(reason="so it was", result={"federation": "victory", "klingon": "defeat"}))
    return home


class Begun(NamedTuple):
    """A club, what a command does to its files, and what has come of it when nothing was cut."""

    home: Path
    done: list[str]
    stands: dict[str, bytes]
    letters: Counter[tuple[str, str]]

    def copy(self, folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        return Path(shutil.copytree(self.home, folder))


def begun(home: Path, scratch: Path, work: Callable[[Path], None]) -> Begun:
    whole = Path(shutil.copytree(home, scratch / "whole"))
    done = operations(lambda: work(whole), under=whole)
    return Begun(home, done, stands(whole), letters(whole))


def cut(one: Begun, folder: Path, n: int, how: str = KILLED) -> Cut:
    with cut_at(n, under=folder, how=how) as done:
        try:
            steps(folder)
        except GameError:
            assert how == REFUSED
    assert done.fell, one.done[n]
    return done


def same(one: Begun, folder: Path, where: str) -> None:
    assert letters(folder) == one.letters, where
    assert stands(folder) == one.stands, where
    assert not read(folder, "cup", read_people(folder)).unfinished, where


@pytest.fixture(scope="module")
def untold(ready: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The club as it is when the last game of the second round is made, and the command is killed before anybody was
    told.
    """
    scratch = tmp_path_factory.mktemp("untold")
    whole = begun(ready, scratch, steps)
    first = next(n for n, done in enumerate(whole.done) if "tournaments/.cup.txt" in done)
    home = Path(shutil.copytree(ready, scratch / "club"))
    cut(whole, home, first)
    assert len(list(home.glob("games/[!.]*"))) == 2 and letters(home) == letters(ready)
    return home


def test_who_was_stopped_before_all_were_told_is_gone_on_from(untold: Path, tmp_path: Path) -> None:
    """Everywhere behind the last game: the standings, each letter, the mark that says that all is done. The command is
    given again, or a round of the host comes first.
    """
    one = begun(untold, tmp_path, steps)
    assert len(one.letters) == 6 and set(one.letters.values()) == {1}
    for n in range(len(one.done)):
        home = one.copy(tmp_path / "cut")
        cut(one, home, n)
        if n % 2:
            steps(home)
        else:
            direct_all(home, NOW + timedelta(days=9), [])
        same(one, home, f"{n}: {one.done[n]}")


def test_what_a_stopped_command_had_decided_is_told_by_the_next(untold: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(untold, tmp_path / "club"))
    step = direct(home, "cup", NOW + timedelta(days=10))
    assert step.finished and not step.began and not step.empty
    step = direct(home, "cup", NOW + timedelta(days=11))
    assert step.empty


def test_a_round_that_is_decided_is_told_though_its_games_are_over_by_then(untold: Path, tmp_path: Path) -> None:
    """Who was not told of the second round is told of it before the third one begins."""
    home = Path(shutil.copytree(untold, tmp_path / "club"))
    [game] = sorted(path.name for path in home.glob("games/cup-2-*"))
    with opened(home / "games" / game, lock="test") as one:
        override(one, Decree(reason="so it was", result={"federation": "victory", "klingon": "defeat"}))
    direct_all(home, NOW + timedelta(days=10), [game])
    waiting = [message_from_bytes(path.read_bytes()) for path in (home / "mail/outbox/waiting").glob("*.eml")]
    told = Counter(re.sub(r"\s+", " ", str(mail["Subject"])) for mail in waiting)
    assert told == {f"Cup: round {number}": 3 for number in (1, 2, 3)}


@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, REFUSED])
def test_the_command_is_cut_at_every_file_operation(ready: Path, tmp_path: Path, how: str) -> None:
    one = begun(ready, tmp_path, steps)
    for n in places(len(one.done)):
        home = one.copy(tmp_path / "cut")
        cut(one, home, n, how)
        steps(home)
        same(one, home, f"{how} at {n} of {len(one.done)}: {one.done[n]}")
        assert sound(home) and not list(home.glob("games/.*")), "half a game has a secret in it"


@pytest.mark.slow
def test_a_hosts_round_is_cut_at_every_file_operation(ready: Path, tmp_path: Path) -> None:
    """The round itself, and the next ones, in which the players of the new games are invited."""

    def goes_on(home: Path) -> Counter[tuple[str, str]]:
        sink = Sink()
        for _ in range(3):
            a_round(home, sink)
        return Counter(named(mail) for _, mail in sink.mails)

    one = Begun(ready, [], {}, Counter())
    whole = one.copy(tmp_path / "whole")
    done = operations(lambda: a_round(whole), under=whole)
    mails, found = goes_on(whole), stands(whole)
    assert len([key for key in mails if mails[key] == 1]) == len(mails) >= 8
    for n in places(len(done)):
        home = one.copy(tmp_path / "cut")
        with cut_at(n, under=home) as fell:
            a_round(home)
        assert fell.fell
        where = f"{n} of {len(done)}: {done[n]}"
        assert goes_on(home) == mails, where
        assert stands(home) == found and sound(home), where
