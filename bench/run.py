"""What a turn costs: `python bench/run.py` (or `--quick`: fewer runs) prints one table.

Whole processes first, as a player's machine runs them, each the median of several runs and set against the
time that `import typer` takes in the same run of this program. Then the engine alone (`bench/engine.py`).

Nothing here is a test: times depend on the machine, the ratios less so.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import engine  # noqa: E402 (this checkout's)

# --- whole processes --------------------------------------------------------------------


def pbem(*arguments: str | Path) -> list[str]:
    """The command line of a pbem command in this Python."""
    return [sys.executable, "-m", "pbem", *map(str, arguments)]


def environment() -> dict[str, str]:
    """A player's: Python keeps what it has compiled, which some machines of developers forbid."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: list[str]) -> float:
    """Seconds of wall time of a command; stops with what it said if it fails."""
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", errors="replace")
    took = time.perf_counter() - began
    if done.returncode:
        said = done.stderr or done.stdout
        raise SystemExit(f"bench: {' '.join(command)} ended with {done.returncode}: {said}")
    return took


def median(runs: int, command: Callable[[], list[str]]) -> float:
    """Median seconds of a command; what ``command`` does to set it up, and what is made once, is not counted."""
    run(command())
    return statistics.median([run(command()) for _ in range(runs)])


def duel(folder: Path) -> tuple[Path, list[Path]]:
    """A new game of scenario #5 between two players, and both sides' orders for its first turn."""
    game = folder / "duel"
    players = [word for side in engine.SIDES for word in ("--player", f"{side}={side}@example.org")]
    run(pbem("new", "5", game, *players, "--option", "reveal=none", "--option", "period=turn"))
    number = json.loads((game / "00" / "state.json").read_text(encoding="utf-8"))["request"]["number"]
    files = []
    for side, (ship, enemy, energy, course) in engine.DUEL_ORDERS.items():
        text = (
            f"GAME duel TURN 1 SIDE {side} REPLY {number}\nSHIP {ship}\nENERGY\n{energy}PLOT {course}\n"
            f"DO\n  IF RANGE {enemy} <= 8 THEN FIRE ALL PH AT {enemy}\nEND\n"
        )
        files.append(folder / f"{side}.orders")
        files[-1].write_text(text, encoding="utf-8", newline="\n")
    return game, files


def ready_to_resolve(folder: Path) -> Callable[[], list[str]]:
    """Sets up ``pbem resolve`` on a fresh copy of a duel whose orders are all in."""
    game, files = duel(folder)
    run(pbem("submit", game, *files))

    def command() -> list[str]:
        played = folder / "played"
        shutil.rmtree(played, ignore_errors=True)
        shutil.copytree(game, played)
        return pbem("resolve", played)

    return command


def processes(runs: int, folder: Path) -> None:
    """Prints the table of whole processes."""
    game, files = duel(folder / "check")
    rows = [
        ('python -c "import typer"', lambda: [sys.executable, "-c", "import typer"]),
        ("pbem --help", lambda: pbem("--help")),
        ("pbem check, both orders of a duel", lambda: pbem("check", game, *files)),
        ("pbem resolve, a turn of a duel", ready_to_resolve(folder / "resolve")),
    ]
    print(f"{'whole process':<38}{'median':>10}{'ratio':>8}")
    base = 0.0
    for name, command in rows:
        took = median(runs, command)
        base = base or took
        print(f"{name:<38}{took * 1000:>7.0f} ms{took / base:>8.1f}", flush=True)


def main() -> None:
    """Prints both tables."""
    runs = 3 if "--quick" in sys.argv[1:] else 9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("check", "resolve"):
            (folder / part).mkdir()
        processes(runs, folder)
        print()
        engine.table(runs, folder)


if __name__ == "__main__":
    main()
