"""A clone is played on with dice of its own, tells what it is, and leaves the game as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine.events import SegmentBegan
from pbem.errors import GameError
from pbem.games.create import new, shipped_games
from pbem.games.proof.archive import contents
from pbem.games.proof.reveal import proof_for
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.site import game_files
from pbem.games.storage.opening import opened
from pbem.games.storage.players import note_version
from pbem.games.submit import submit
from pbem.games.umpire.rerun import clone

DATA = Path(__file__).resolve().parents[2] / "pbem" / "data"
DUEL = next(one for one in shipped_games() if one.name == "duel01")


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.slow
def test_a_clone_goes_on_from_a_request_with_dice_of_its_own(tmp_path: Path) -> None:
    game, copy = tmp_path / "duel01", tmp_path / "whatif"
    shutil.copytree(DUEL, game)
    before = files_of(game)
    with opened(game) as one:
        made = clone(one, copy, turn=2, request=2)
        was = one.records()
    assert files_of(game) == before
    assert made.asked is not None and (made.asked.turn, made.asked.number) == (2, 2)
    with opened(copy, lock="test") as one:
        assert one.terms.name == "whatif" and one.terms.clone == "duel01, request 2 of turn 2"
        assert not any(seat.player and not seat.robot for seat in one.state().sides.values())
        for side in ("federation", "klingon"):  # the orders of then, under the new name
            [old] = [file for file in one.versions(2, side, 2) if file.version == 1]
            submit(one, old.path.read_text("utf-8"), "again")
        resolve_game(one)
        now = one.records()
        page = game_files(one)["index.html"].decode()
        with pytest.raises(GameError, match="this is a clone of"):
            verify(one)
        with pytest.raises(GameError, match="no archive"):
            contents(one)
    assert len(now) > len(was) and "clone of duel01" in page

    def rolled(records: list) -> list[int]:  # type: ignore[type-arg]
        place = [n for n, r in enumerate(records) if isinstance(r.event, SegmentBegan) and r.event.turn == 2]
        return [int(r.event.die) for r in records[place[-1] :] if getattr(r.event, "roll", "")]

    assert rolled(now) and rolled(now) != rolled(was)
    secrets = [(folder / "secret" / "dice.secret").read_bytes() for folder in (game, copy)]
    assert secrets[0] != secrets[1]
    reports = [data for name, data in files_of(copy).items() if name.endswith("sitrep.txt") and "/r2/" in name]
    assert reports and all(b"A clone of duel01" in data for data in reports[-1:])


@pytest.mark.slow
@pytest.mark.parametrize("turn", [1, 2])
def test_a_turn_alone_names_its_first_request_and_a_request_alone_one_of_the_last_turn(
    tmp_path: Path, turn: int
) -> None:
    with opened(DUEL) as game:
        last = game.state().turn
        by_turn = clone(game, tmp_path / "a", turn=turn)
        by_request = clone(game, tmp_path / "b", request=turn)
    assert by_turn.asked is not None and (by_turn.asked.turn, by_turn.asked.number) == (turn, 1)
    assert by_request.asked is not None and (by_request.asked.turn, by_request.asked.number) == (last, turn)


def test_a_clone_has_whatever_its_game_is_played_with(tmp_path: Path) -> None:
    """A scenario, a ship and figures of one's own, the table of VASSAL it is laid on, and who played what: the clone is
    played on where its game is no more.
    """
    own = tmp_path / "own"
    (own / "figures").mkdir(parents=True)
    ship = (DATA / "ships/cadet/kli_cadet_d6.toml").read_text(encoding="utf-8")
    (own / "my_d6.toml").write_text(ship.replace('key = "kli_cadet_d6"', 'key = "my_d6"'), encoding="utf-8")
    setting = (DATA / "scenarios/5.toml").read_text(encoding="utf-8")
    (own / "ambush.toml").write_text(setting.replace('"kli_cadet_d6"', '"my_d6.toml"'), encoding="utf-8")
    figures = "[ships.fed_cadet_ca]\nshields = [17, 12, 10, 10, 10, 12]\n"
    (own / "figures" / "mine.toml").write_text(figures, encoding="utf-8")
    game, copy = tmp_path / "ambushed", tmp_path / "whatif"
    who = {"federation": "ann@example.org", "klingon": "captain"}
    new(str(own / "ambush.toml"), game, players=who, figures=own / "figures", seed="clone")
    shutil.rmtree(own)
    (game / "vassal.toml").write_text("module = 'mine.vmod'\n", encoding="utf-8")
    (game / "notes.txt").write_text("what ann thinks of bob", encoding="utf-8")
    with opened(game, lock="test") as one:
        note_version(one, 1, "0.0.9")
        clone(one, copy, turn=1)  # which it is in: as it stands
        units, terms = one.state().units, one.terms
    had, has = files_of(game), files_of(copy)
    shutil.rmtree(game)
    played_with = {name for name in had if name.split("/")[0] in ("scenarios", "ships", "figures")}
    assert {name.split("/")[0] for name in played_with} == {"scenarios", "ships", "figures"}
    for name in (*played_with, "vassal.toml", "versions.json"):
        assert has.get(name) == had[name], name
    assert "notes.txt" not in has and not [name for name, data in has.items() if b"@example.org" in data]
    with opened(copy, lock="test") as one:
        assert one.state().units == units
        for refused in (verify, contents):
            with pytest.raises(
                GameError, match=rf"{copy}: clone: .*this is a clone of ambushed, request 1 of turn 1\b"
            ):
                refused(one)
        own.mkdir()
        with pytest.raises(GameError, match=f"{own}: not-empty: name a new folder for the clone; this one exists"):
            clone(one, own, name="other")
        one.dice()  # its secret is the one that its terms are committed to
        assert not {one.terms.dice.commitment, one.terms.dice.salts} & {terms.dice.commitment, terms.dice.salts}
        assert proof_for(one, one.effective(), "federation") is None, "its dice prove nothing"
        assert {side: seat.player for side, seat in one.terms.sides.items()} == {**who, "federation": ""}


def test_a_clone_is_no_game_of_a_club_and_overwrites_nothing(tmp_path: Path) -> None:
    run = CliRunner().invoke
    club = tmp_path / "club"
    assert run(app, ["host", "init", str(club)]).exit_code == 0
    done = run(app, ["clone", str(DUEL), str(club / "games" / "x"), "--at", "2.2"])
    assert done.exit_code and "a clone cannot be a game of a club" in str(done.exception)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "x")])
    assert done.exit_code and f"{DUEL}: game-over: the game is over; name a request" in str(done.exception)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "x"), "--at", "9.1"])
    assert done.exit_code and "has not been played" in str(done.exception)
    with opened(DUEL) as game, pytest.raises(GameError, match="request 9 of turn 5 has not been played"):
        clone(game, tmp_path / "x", request=9)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "duel01"), "--at", "2.2"])
    assert done.exit_code and "a different name" in str(done.exception)
    assert not list(tmp_path.glob("*x*")), "nothing is left of them"
