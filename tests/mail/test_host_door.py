"""What somebody sees who types `pbem host`: without a club, and at a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from pbem.app.cli import host
from pbem.app.cli.commands import app


def test_without_a_club_it_asks_for_one() -> None:
    done = CliRunner().invoke(app, ["host"], prog_name="pbem")
    assert done.exit_code == 2 and "Name the club's folder: `pbem host DIR`" in done.output
    assert "Usage: pbem host DIR | COMMAND [ARGS]..." in done.output
    helped = CliRunner().invoke(app, ["host", "-h"], prog_name="pbem")
    assert helped.exit_code == 0 and "Usage: pbem host DIR | COMMAND" in helped.output


@pytest.mark.parametrize(("terminal", "more"), [(True, []), (False, []), (True, ["--once"]), (True, ["--json"])])
def test_at_a_terminal_it_says_that_it_is_at_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terminal: bool, more: list[str]
) -> None:
    """Where a round does nothing nothing is told, and a person thinks that it hangs."""
    rounds: list[int] = []

    def stop(folder: Path, seconds: int, rung: int) -> None:
        rounds.append(seconds)
        if len(rounds) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(host, "_at_terminal", lambda: terminal)
    monkeypatch.setattr(host, "_sleep", stop)
    club = tmp_path / "club"
    assert CliRunner().invoke(app, ["host", "init", str(club)]).exit_code == 0
    done = CliRunner().invoke(app, ["host", str(club), "--every", "90", *more])
    said = f"At work on {club}: a round every 90 seconds. What happens is told here; Ctrl+C ends it.\n"
    assert done.exit_code == 0 and done.stderr.count(said) == (terminal and not more) and said not in done.stdout
