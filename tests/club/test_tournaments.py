"""Tournaments of a club: who meets whom on which side, what the table says, and games made and read in a folder."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.club import directing, words as told
from pbem.club.directing import begin, current_tournament, direct, direct_all
from pbem.club.pairing import Tie, TournamentRound, table
from pbem.club.tournament import read
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.site import set_public, write_sites
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import read_rounds
from pbem.mail.host.round import host_round
from pbem.mail.host.stand_in import stand_in
from pbem.mail.people import read_people
from tests.club.plans import plan

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def club(folder: Path, *people: str) -> Path:
    (folder / "games").mkdir(parents=True)
    (folder / "host.toml").write_text('format = 1\norders = "orders@host.example"\n', encoding="utf-8")
    rows = [f'[people.{one}]\nname = "{one.title()}"\nmail = "{one}@example.org"\n' for one in people]
    (folder / "players.toml").write_text("format = 1\n" + "".join(rows), encoding="utf-8")
    return folder


def ends(home: Path, game: str, **result: str) -> None:
    with opened(home / "games" / game, lock="test") as one:
        override(one, Decree(reason="so it was", result=result))


def test_a_round_robin_of_three_from_its_file_to_its_table(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid")
    begin(home, "cup", plan("round robin", ["ann", "bob", "cid"], ["5"], title="Spring cup", seed="x"))
    for number in (1, 2, 3):
        step = direct(home, "cup", NOW + timedelta(days=number))
        assert step.began and step.made in ((f"cup-{number}-1",), (f"cup-{number}-2",))
        assert not direct(home, "cup", NOW).made, "the round is played"
        [game] = step.made
        letters = sorted((home / "mail" / "outbox" / "waiting").glob("*.eml"))
        assert len(letters) == 3 * number
        with opened(home / "games" / game) as one:
            assert {seat.player for seat in one.terms.sides.values()} < {"ann", "bob", "cid"}
        ends(home, game, federation="victory" if number < 3 else "draw", klingon="defeat" if number < 3 else "draw")
    step = direct(home, "cup", NOW + timedelta(days=9))
    assert step.ended and step.tournament.is_over
    assert step == msgspec.structs.replace(step, tournament=current_tournament(home, "cup"))
    lines = told.tournament(step.tournament, read_people(home))
    assert lines[0] == "Spring cup: a round robin of 3, over after 3 rounds"
    assert sum(row.points for row in table(step.tournament.ranked, step.tournament.rounds, ())) == 6
    first = Counter(
        one.games[0].sides["federation"] for each in step.tournament.rounds for one in each.pairings if one.games
    )
    assert set(first.values()) == {1}, "everybody had each side once"


def test_people_may_be_named_by_their_names_and_the_first_report_calls_them_so(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob")
    file = home / "players.toml"
    file.write_text(file.read_text("utf-8").replace('"Ann"', '"Ann Lee"'), encoding="utf-8")
    assert begin(home, "cup", plan("swiss", ["ann lee", "bob@example.org"], ["5"], seed="x")).plan.people == (
        "ann",
        "bob",
    )
    [game] = direct(home, "cup", NOW).made
    sitrep = (home / "games" / game / "01" / "r1" / "klingon" / "sitrep.txt").read_text("utf-8")
    assert "federation: Ann Lee\n" in sitrep or "klingon: Ann Lee\n" in sitrep, sitrep[:300]


def test_a_public_tournament_has_a_page_on_the_site_and_players_get_the_table(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid")
    begin(home, "cup", plan("round robin", ["ann", "bob", "cid"], ["5"], seed="x", title="Ann & Bob's cup"))
    direct(home, "cup", NOW)
    file = home / "tournaments" / "cup.toml"
    assert not write_sites(home, tmp_path / "web").files > 1 and "Tournaments" not in index(tmp_path / "web")
    file.write_text(file.read_text("utf-8").replace("public = false", "public = true"), encoding="utf-8")
    direct(home, "cup", NOW)
    write_sites(home, tmp_path / "web")
    page = (tmp_path / "web" / "tournaments" / "cup.html").read_text("utf-8")
    assert "<h2>Round 1</h2>" in page and "Ann (" in page and "example.org" not in page
    assert '<a href="tournaments/cup.html">Ann &amp; Bob&#39;s cup</a>' in index(tmp_path / "web")
    assert (
        (home / "tournaments" / "cup.txt")
        .read_text("utf-8")
        .startswith("Ann & Bob's cup: a round robin of 3, round 1 of 3")
    )
    file.write_text(file.read_text("utf-8").replace("public = true", "public = false"), encoding="utf-8")
    direct(home, "cup", NOW)
    write_sites(home, tmp_path / "web")
    assert not (tmp_path / "web" / "tournaments").exists()


def test_a_tournament_that_was_made_public_is_shown_at_once_and_leads_to_its_games(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid", "dan")
    begin(home, "cup", plan("knock-out", ["ann", "bob", "cid", "dan"], ["5"], seed="x", title="Cup"))
    first, second = direct(home, "cup", NOW).made
    file, web, page = home / "tournaments" / "cup.toml", tmp_path / "web", tmp_path / "web/tournaments/cup.html"
    file.write_text(file.read_text("utf-8").replace("public = false", "public = true"), encoding="utf-8")
    set_public(home / "games" / first, True)
    command = ["site", str(home), str(web)]
    assert CliRunner().invoke(app, command).exit_code == 0 and "Cup" in index(web)
    linked = f'<a href="../{first}/index.html">{first}</a>'
    assert linked in page.read_text("utf-8") and f"  {second}, " in page.read_text("utf-8")
    assert (page.parent / f"../{first}/index.html").is_file() and not (web / second).exists()
    set_public(home / "games" / first, False)
    assert CliRunner().invoke(app, command).exit_code == 0 and linked not in page.read_text("utf-8")
    (home / "tournaments" / "bad.toml").write_text("format = 2\n", encoding="utf-8")
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1 and "format = 1" in str(done.exception) and page.is_file()


def test_a_host_shows_a_tournament_in_the_round_in_which_it_finds_it_public(tmp_path: Path) -> None:
    home, web = club(tmp_path / "club", "ann", "bob"), tmp_path / "web"
    with (home / "host.toml").open("a", encoding="utf-8") as settings:
        settings.write('site = "../web"\n')
    begin(home, "cup", plan("knock-out", ["ann", "bob"], ["5"], seed="x", title="Cup"))
    host_round(home, lambda: NOW, beyond=direct_all)
    file = home / "tournaments" / "cup.toml"
    for over in (False, True):
        if over:
            ends(home, "cup-1-1", federation="victory", klingon="defeat")
            host_round(home, lambda: NOW, beyond=direct_all)
        file.write_text(file.read_text("utf-8").replace("public = false", "public = true"), encoding="utf-8")
        host_round(home, lambda: NOW, beyond=direct_all)
        assert "Cup" in index(web) and (web / "tournaments/cup.html").is_file(), f"over: {over}"
        file.write_text(file.read_text("utf-8").replace("public = true", "public = false"), encoding="utf-8")
        host_round(home, lambda: NOW, beyond=direct_all)
        assert not (web / "tournaments").exists(), f"over: {over}"


def index(web: Path) -> str:
    return (web / "index.html").read_text("utf-8")


def test_what_is_wrong_in_a_file_is_told_with_its_place_and_keeps_no_other_waiting(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob")
    begin(home, "cup", plan("knock-out", ["ann", "bob"], ["5"], seed="x"))
    (home / "tournaments" / "bad.toml").write_text(
        'format = 1\nkind = "swiss"\npeople = ["ann", "ann", "zoe"]\nscenarios = ["1", "99"]\n'
        'rounds = 9\nlegs = 0\ntime = "soon"\nout = ["kor"]\n',
        encoding="utf-8",
    )
    with pytest.raises(GameError) as caught:
        direct_all(home, NOW, [])
    said = "\n".join(fault.text for fault in caught.value.faults)
    for words in ("ann is there 2 times", "'zoe' is not a key", "'1' is not a scenario for two", "99", "rounds = 9",
                  "legs = 0", "time = 'soon'", "'kor' does not take part"):  # fmt: skip
        assert words in said, said
    assert (home / "games" / "cup-1-1").is_dir(), "the other one has begun"
    with pytest.raises(GameError, match="tournament of that name"):
        begin(home, "cup", plan("swiss", ["ann", "bob"], ["5"]))
    with pytest.raises(GameError, match=r"'zoe' is not a key in players\.toml; there are ann, bob"):
        begin(home, "more", plan("swiss", ["ann", "zoe"], ["5"]))
    with pytest.raises(GameError, match=r"'bop' is not a key in players\.toml; did you mean 'bob'"):
        begin(home, "more", plan("swiss", ["ann", "bop"], ["5"]))
    assert not (home / "tournaments" / "more.toml").exists()


def test_what_was_stopped_in_the_middle_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairing is written down before a game is made; two games of four are there when the machine stops."""
    home = club(tmp_path / "club", *(f"p{n}" for n in range(8)))
    begin(home, "cup", plan("swiss", [f"p{n}" for n in range(8)], ["5"], seed="x"))
    made = 0

    def stopping(*args: object, **more: object) -> None:
        nonlocal made
        made += 1
        if made > 2:
            raise KeyboardInterrupt
        new(*args, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(directing, "new", stopping)
        with pytest.raises(KeyboardInterrupt):
            direct(home, "cup", NOW)
    before = current_tournament(home, "cup").rounds
    assert len(list((home / "games").iterdir())) == 2
    step = direct(home, "cup", NOW)
    assert len(step.made) == 2 and step.tournament.rounds == before and not step.began
    assert len(list((home / "mail" / "outbox" / "waiting").glob("*.eml"))) == 8, "everybody is told, once"


def test_when_the_time_of_a_round_is_over_who_alone_is_late_has_lost(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid", "dan")
    begin(home, "cup", plan("knock-out", ["ann", "bob", "cid", "dan"], ["5"], seed="x", time="20 days"))
    step = direct(home, "cup", NOW)
    first, second = step.made
    for name, side in ((first, "klingon"), (second, "")):
        with opened(home / "games" / name, lock="test") as game:
            timetable.start(game, NOW, read_rounds(home))
            if side:
                submit(game, hold(game, side), f"{side}.orders")
    assert direct(home, "cup", NOW + timedelta(days=19)).empty
    step = direct(home, "cup", NOW + timedelta(days=21))
    one, two = step.tournament.rounds[0].pairings
    assert one.games[0].points == {one.games[0].sides["klingon"]: 2, one.games[0].sides["federation"]: 0}
    assert "federation owes orders" in one.games[0].why
    assert two.games[0].points == dict.fromkeys(two.people, 1), "both are late"
    assert len(two.games) == 2 and step.made == (f"{second}x",), "a draw of a knock-out is played again"


def hold(game: GameFolder, side: str) -> str:
    text = stand_in(game, side, "hold", "a test")
    assert text
    return text


def test_a_result_that_is_changed_counts_as_it_is_and_the_host_counts_by_himself(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid", "dan")
    begin(home, "cup", plan("round robin", ["ann", "bob", "cid", "dan"], ["5"], seed="x"))
    made = direct_all(home, NOW, [])
    assert len(made) == 2 and not direct_all(home, NOW, [])
    ends(home, made[0], federation="victory", klingon="defeat")
    assert not direct_all(home, NOW, made[:1])
    ends_again(home, made[0], federation="draw", klingon="draw")
    ends(home, made[1], federation="marginal victory", klingon="marginal defeat")
    assert len(direct_all(home, NOW, made)) == 2, "the next round begins"
    points = {row.person: row.points for row in table(*standing(home))}
    assert sorted(points.values()) == [0, 0, 2, 2], "as the host has counted"
    again = current_tournament(home, "cup")
    assert sorted(row.points for row in table(again.ranked, again.rounds, again.ties)) == [0, 1, 1, 2]
    file = home / "tournaments" / "cup.toml"
    file.write_text(file.read_text("utf-8").replace("auto = true", "auto = false"), encoding="utf-8")
    for name in (game.name for met in again.rounds[-1].pairings for game in met.games):
        ends(home, name, federation="draw", klingon="draw")
    now = [game.name for met in again.rounds[-1].pairings for game in met.games]
    assert not direct_all(home, NOW, now) and len(standing(home)[1]) == 2, "counted, and left to the umpire"
    assert direct(home, "cup", NOW).began


def ends_again(home: Path, game: str, **result: str) -> None:
    with opened(home / "games" / game, lock="test") as one:
        override(one, Decree(reason="no", reopen=True))
    ends(home, game, **result)


def standing(home: Path) -> tuple[list[str], tuple[TournamentRound, ...], tuple[Tie, ...]]:
    """The table as it was written down."""
    one = read(home, "cup", read_people(home))
    return one.ranked, one.rounds, one.ties


def test_time_without_a_host_is_nobodys_time_and_a_paused_game_is_left_alone(tmp_path: Path) -> None:
    home = club(tmp_path / "club", "ann", "bob", "cid", "dan")
    begin(home, "cup", plan("swiss", ["ann", "bob", "cid", "dan"], ["5"], seed="x", time="20 days"))

    def host(days: int) -> dict[str, dict[str, int] | None]:
        host_round(home, lambda: NOW + timedelta(days=days), beyond=direct_all)
        return {
            game.name: game.points for met in current_tournament(home, "cup").rounds[0].pairings for game in met.games
        }

    paused, other = host(0)
    host(0)
    timetable.pause(home / "games" / paused, NOW, "so")
    for days in (1, *range(30, 49, 2)):  # off from day 1 to day 30
        assert not any(host(days).values()), days
    ended = host(50)
    assert ended[paused] is None and set((ended[other] or {}).values()) == {1}
