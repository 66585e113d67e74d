"""A clone is played on with dice of its own, tells what it is, and leaves the game as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.cli.app import app
from pbem.desk.archive import contents
from pbem.desk.clone import clone
from pbem.desk.demo import shipped_games
from pbem.desk.opened import opened
from pbem.desk.play import resolve
from pbem.desk.site import game_files
from pbem.desk.submit import submit
from pbem.desk.verify import verify
from pbem.faults import GameError
from pbem.game.events import SegmentBegan

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
        resolve(one)
        now = one.records()
        page = game_files(one)["index.html"].decode()
        with pytest.raises(GameError, match="no game but a clone"):
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


def test_a_clone_is_no_game_of_a_club_and_overwrites_nothing(tmp_path: Path) -> None:
    run = CliRunner().invoke
    club = tmp_path / "club"
    assert run(app, ["host", "init", str(club)]).exit_code == 0
    done = run(app, ["clone", str(DUEL), str(club / "games" / "x"), "--at", "2.2"])
    assert done.exit_code and "no game of a club" in str(done.exception)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "x")])
    assert done.exit_code and "this game is over; name a request" in str(done.exception)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "x"), "--at", "9.1"])
    assert done.exit_code and "was not played" in str(done.exception)
    done = run(app, ["clone", str(DUEL), str(tmp_path / "duel01"), "--at", "2.2"])
    assert done.exit_code and "a name of its own" in str(done.exception)
    assert not list(tmp_path.glob("*x*")), "nothing is left of them"
