"""Two commands at once, and commands that are killed: the record is whole whatever happens."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.folder import locked
from pbem.games.storage.opening import opened

Run = Callable[..., subprocess.CompletedProcess[str]]
Start = Callable[..., subprocess.Popen[str]]
Snapshot = Callable[[Path], dict[str, bytes]]


@pytest.mark.slow
def test_two_resolves_at_once_play_the_turn_once(pbem: Run, start: Start, duel: Path, answers: list[str]) -> None:
    pbem("submit", "duel", *answers)
    running = [start("resolve", "duel", "--json") for _ in range(2)]
    told = [json.loads(process.communicate(timeout=600)[0]) for process in running]
    for place, process in enumerate(running):
        if process.returncode:  # on a slow machine it has waited in vain: it says so, and is started again
            assert [fault["code"] for fault in told[place]["faults"]] == ["game-locked"], told
            told[place] = json.loads(pbem("resolve", "duel", "--json").stdout)
    happened = [one["what"] for result in told for one in result["happened"]]
    assert sorted(happened) == ["played", "waiting", "waiting"]
    with opened(duel) as game:
        assert verify(game).faults == ()


def test_a_command_that_waits_in_vain_says_who_is_at_work(duel: Path, snapshot: Snapshot) -> None:
    before = snapshot(duel)
    said = r"game-locked: `pbem resolve` \(process \d+\)"
    with locked(duel, "resolve"), pytest.raises(GameError, match=said), locked(duel, "submit", patience=0.1):
        pass
    assert snapshot(duel) == before


def test_a_lock_file_left_behind_locks_nobody_out(duel: Path) -> None:
    (duel / "secret/game.lock").write_bytes(b"")
    (duel / "secret/holder.lock").write_text("`pbem resolve` (process 1)\n")
    with locked(duel, "submit", patience=0.1):
        assert "pbem submit" in (duel / "secret/holder.lock").read_text()
    assert not (duel / "secret/holder.lock").exists()


def moments(number: int, last: float) -> Iterator[float]:
    """Moments spread over a command's run, the golden ratio apart so that any number covers it evenly."""
    for place in range(number):
        yield (place * 0.618034 % 1) * last


def killed(pbem: Run, start: Start, duel: Path, answers: list[str], number: int) -> None:
    """Kill ``resolve`` at moments of its run; each time the game is as before or the turn is played, and goes on."""
    began = time.perf_counter()
    assert pbem("status", "duel").returncode == 0
    typical = 4 * (time.perf_counter() - began)
    for moment in moments(number, typical):
        assert pbem("submit", "duel", *answers).returncode == 0
        process = start("resolve", "duel")
        try:
            process.wait(timeout=moment)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        status = pbem("status", "duel")
        assert (status.returncode, status.stderr) == (0, "")
        assert pbem("resolve", "duel").returncode == 0
        with opened(duel) as game:
            assert game.state().turn == 1 and game.state().request is not None
            found = verify(game)
            assert found.faults == (), f"killed after {moment:.3f} s"
        assert pbem("undo", "duel").returncode == 0


def test_a_killed_resolve_is_undone_or_done(pbem: Run, start: Start, duel: Path, answers: list[str]) -> None:
    killed(pbem, start, duel, answers, 2)


@pytest.mark.slow
def test_many_killed_resolves_are_undone_or_done(pbem: Run, start: Start, duel: Path, answers: list[str]) -> None:
    killed(pbem, start, duel, answers, 12)
