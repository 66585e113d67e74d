"""A rehearsal: a copy of a club is hosted by the real host, ahead of time; the club itself stays as it is."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from pbem.club import words as told
from pbem.club.directing import begin
from pbem.club.ladder import GameResult, ladder, results
from pbem.club.pairing import table
from pbem.club.rehearsal import Rehearsal, rehearse
from pbem.club.rehearsed import Rates, Rehearsed
from pbem.club.tournament import Tournament, balance_of, read
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.host.round import host_round
from pbem.mail.people import read_people
from tests.club.plans import plan

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
QUICK = (2, 4)
"""Captains who make it short."""


def club(folder: Path, people: int = 0, **deadlines: str) -> Path:
    (folder / "games").mkdir(parents=True)
    rows = "".join(f'{key} = "{value}"\n' for key, value in deadlines.items())
    text = f'format = 1\norders = "o@host.example"\numpire = "u@host.example"\n[deadlines]\n{rows}'
    (folder / "host.toml").write_text(text, encoding="utf-8")
    listed = "".join(f'[people.p{n:02}]\nmail = "p{n:02}@club.example"\n' for n in range(1, people + 1))
    (folder / "players.toml").write_text(f"format = 1\n{listed}", encoding="utf-8")
    return folder


def digest(folder: Path) -> dict[str, str]:
    """Every file there, and what it holds."""
    return {
        file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.mark.slow
def test_the_club_is_not_touched_and_the_same_seed_is_the_same_rehearsal(tmp_path: Path) -> None:
    home = club(tmp_path / "club", 2)
    new("5", home / "games" / "duel01", players={"federation": "p01", "klingon": "p02"})
    before = digest(home)
    made = [rehearse(home, 2 * DAY, NOW, rates=Rates(weary=QUICK), seed=seed) for seed in ("a", "a", "b")]
    assert digest(home) == before
    assert made[0] == made[1] != made[2]
    assert made[0].games == 1 and made[0].letters and made[0].mails["invitation"] == 2
    text = "\n".join(told.rehearsed(made[0]))
    assert "2 days, 1 game, 2 people, seed a; nobody stopped answering." in text


@pytest.mark.slow
def test_a_club_in_the_middle_of_its_games_goes_on_from_there(tmp_path: Path) -> None:
    """Nobody is invited again; what is asked is answered, also where everybody writes to an address of his own."""
    home = club(tmp_path / "club", 2)
    (home / "host.toml").write_text("tags = true\n" + (home / "host.toml").read_text("utf-8"), encoding="utf-8")
    new("5", home / "games" / "duel01", players={"federation": "p01", "klingon": "p02"})
    host_round(home, lambda: NOW)
    found = rehearse(home, 24 * DAY, NOW, rates=Rates(late=0, err=0, vanish=0, weary=QUICK))
    assert "invitation" not in found.mails and found.turns >= 2 and found.mails["receipt"] == found.letters
    assert found.over == 1 and not found.umpire.get("letters put aside")


@pytest.mark.slow
def test_who_vanishes_is_waited_for_or_held_as_the_settings_say(tmp_path: Path) -> None:
    gone = Rates(late=0, err=0, vanish=1, weary=(20, 30))
    home = club(tmp_path / "club", 4, within="1 day", grace="6 hours")
    before = digest(home)
    found = {
        late: rehearse(
            home, 12 * DAY, NOW, rates=gone, games=2, settings={"deadlines.late": late, "deadlines.stop": "1.0"}
        )
        for late in ("wait", "hold")
    }
    assert digest(home) == before
    with pytest.raises(GameError, match="late"):
        rehearse(home, DAY, NOW, games=1, settings={"deadlines.late": "never"})
    with pytest.raises(GameError, match="orders is not a table"):
        rehearse(home, DAY, NOW, games=1, settings={"orders.late": "hold"})
    assert found["wait"].vanished == found["hold"].vanished == ("p01", "p02", "p03", "p04")
    waits, holds = found["wait"].policies["wait"], found["hold"].policies["hold"]
    assert waits.filed == 0 and waits.days > 2 and found["wait"].stuck
    assert holds.filed > 2 and not holds.days and not found["hold"].stuck
    assert found["hold"].turns > found["wait"].turns
    assert any("for somebody" in what for what in found["wait"].troubles)


@pytest.mark.slow
def test_letters_with_mistakes_are_answered_or_put_aside(tmp_path: Path) -> None:
    home = club(tmp_path / "club")
    found = rehearse(home, 6 * DAY, NOW, rates=Rates(late=0, err=0.5, vanish=0, weary=QUICK), games=2)
    assert found.erred > 3 and found.mails["fault"]
    assert found.umpire["letters put aside"]
    assert found.letters > found.erred


def test_a_club_without_games_is_told_what_to_say(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="--games 25"):
        rehearse(club(tmp_path / "club"), DAY, NOW)


class Ended(msgspec.Struct, frozen=True):
    found: Rehearsed
    cups: dict[str, Tournament]
    results: list[GameResult]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Three tournaments of one club, played to their ends in one rehearsal."""
    home = club(tmp_path_factory.mktemp("cups") / "club", 16, within="1 day", late="last orders")
    people = [f"p{n:02}" for n in range(1, 17)]
    begin(home, "swiss", plan("swiss", people, ["5", "7"], rounds=4, seed="1"))
    begin(home, "robin", plan("round robin", people[:6], ["10"], seed="2"))
    begin(home, "cup", plan("knock-out", people[6:14], ["all duels"], seed="3", title="The cup"))
    one = Rehearsal(home, tmp_path_factory.mktemp("work"), 48 * DAY, Rates(weary=(1, 2)), "1", 0, NOW)
    found = one.play()
    who = read_people(one.folder)
    for folder in sorted((one.folder / "games").iterdir())[::9]:
        with opened(folder) as game:
            assert not verify(game).faults, folder.name
    return Ended(
        found, {name: read(one.folder, name, who) for name in ("swiss", "robin", "cup")}, results(one.folder)[0]
    )


@pytest.mark.slow
def test_a_swiss_a_round_robin_and_a_knock_out_are_played_to_their_ends(ended: Ended) -> None:
    swiss, robin, cup = ended.cups["swiss"], ended.cups["robin"], ended.cups["cup"]
    assert swiss.is_over and robin.is_over and cup.is_over, ended.found.tournaments
    assert [len(one.rounds) for one in (swiss, robin, cup)] == [4, 5, 3]
    met = [frozenset(pairing.people) for each in swiss.rounds for pairing in each.pairings]
    assert len(met) == len(set(met)) == 32
    assert len({frozenset(one.people) for each in robin.rounds for one in each.pairings}) == 15
    for one, games in ((swiss, 32), (robin, 15)):
        rows = table(one.ranked, one.rounds, one.ties)
        assert sum(row.points for row in rows) == 2 * games
        assert [row.points for row in rows] == sorted((row.points for row in rows), reverse=True)
    assert max(map(abs, balance_of(robin).of_all.values())) <= 1
    assert max(map(abs, balance_of(swiss).of_all.values())) <= 2
    assert cup.winner and not ended.found.troubles, ended.found.troubles
    assert ended.found.games == ended.found.over and not ended.found.stuck


@pytest.mark.slow
def test_the_ladder_counts_the_games_of_all_three(ended: Ended) -> None:
    pytest.importorskip("openskill")
    rungs = {rung.person: rung for rung in ladder(ended.results)}
    assert sum(rung.games for rung in rungs.values()) == 2 * ended.found.games
    for person in ended.cups["swiss"].plan.people:
        rows = [row for one in ended.cups.values() for row in table(one.ranked, one.rounds, ()) if row.person == person]
        counts = [sum(counted) for counted in zip(*((row.won, row.drawn, row.lost) for row in rows), strict=True)]
        assert counts == [rungs[person].won, rungs[person].drawn, rungs[person].lost]
