"""What a turn costs: `python bench/run.py` (or `--quick`: fewer runs) prints one table.

Whole processes first, as a player's machine runs them, each the median of several runs and set against the
time that `import typer` takes in the same run of this program. Then the engine alone on fleets: one call of
`pbem.turn.resolve.resolve` for a turn of 16 impulses with everybody moving, firing and shooting at drones.

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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.turn.resolve import Played

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

FLEETS = ((10, 50), (20, 100), (40, 200))  # ships, drones
SIDES = ("federation", "klingon")
DUEL_ORDERS = {
    "federation": ("Constellation", "Destruction", "  PHASERS 2\n  MOVE 15 WARP\n", "TOWARD Destruction"),
    "klingon": ("Destruction", "Constellation", "  PHASERS 2\n  MOVE 15 WARP\n", "TOWARD Constellation"),
}


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
    players = [word for side in SIDES for word in ("--player", f"{side}={side}@example.org")]
    run(pbem("new", "5", game, *players, "--option", "reveal=none", "--option", "period=turn"))
    number = json.loads((game / "00" / "state.json").read_text(encoding="utf-8"))["request"]["number"]
    files = []
    for side, (ship, enemy, energy, course) in DUEL_ORDERS.items():
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


# --- fleets -----------------------------------------------------------------------------


def fleet_file(folder: Path, ships: int) -> Path:
    """A scenario of two lines of cruisers ten rows apart that fly down the map side by side."""
    lines = [
        'number = "fleet"\ntitle = "Fleet"\nlevel = "cadet"\nimpulses = 16\nmap = ["0101", "9898"]',
        'source = "benchmark"\nconfidence = "designed"\n[victory]\nkind = "duel"',
    ]
    for side in SIDES:
        lines.append(f'[[sides]]\nname = "{side}"\nteam = "{side}"\nrace = "{side}"')
    for n in range(ships):
        ship, side, row = (("fed_cadet_ca", SIDES[0], 40), ("kli_cadet_d6", SIDES[1], 50))[n % 2]
        lines.append(
            f'[[units]]\nship = "{ship}"\nname = "{name(n)}"\nside = "{side}"\nhex = "{2 * n + 4:02}{row}"\n'
            'facing = "D"\nprior_speed = 15'
        )
    path = folder / f"fleet{ships}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return path


def name(n: int) -> str:
    """The name of ship ``n``; its neighbour is of the other side."""
    return f"Cruiser-{n:02}"


def fleet_orders(side: int, ships: int) -> str:
    """Orders of one side: everybody flies on, fires once and shoots at what comes near."""
    blocks = [
        f"SHIP {name(n)}\nENERGY\n  PHASERS 2\n  MOVE 15 WARP\nPLOT 15F\n"
        f"DO\n  AT 8 FIRE PH 1 AT {name(n ^ 1)}\n"
        "  EVERY IF SEEKER WITHIN 1 THEN FIRE ONE OF PH 2,3 AT EACH"
        for n in range(side, ships, 2)
    ]
    return "\n".join([*blocks, "END", ""])


def fleet_turn(folder: Path, ships: int, drones: int) -> Callable[[], Played]:
    """Sets up one turn of a fleet, drones some twenty hexes behind every ship; calling it plays the turn."""
    import msgspec

    from pbem.data.scenarios import scenario
    from pbem.game.dice import SegmentDice
    from pbem.game.options import Options
    from pbem.game.state import Position, Seeker, State
    from pbem.orders.reader import read_orders
    from pbem.orders.writer import write_orders
    from pbem.rules import drones as law
    from pbem.turn.resolve import Filed, resolve

    path = fleet_file(folder, ships)
    players = [word for side in SIDES for word in ("--player", f"{side}={side}@example.org")]
    game = folder / f"fleet{ships}"
    run(pbem("new", path, game, *players))
    state = msgspec.json.decode((game / "00" / "state.json").read_bytes(), type=State)
    units = dict(state.units)
    for n in range(drones):
        target, side = units[name(n % ships)], SIDES[(n + 1) % 2]
        column, row = target.hex[:2], int(target.hex[2:]) - 18 - n // ships
        drone = Seeker(
            name=f"{side[0].upper()}D/{n + 1}",
            side=side,
            race=side,
            hex=f"{column}{row:02}",
            facing=target.facing,
            speed=law.drone_speed(state.impulses),
            track=(Position(0, f"{column}{row:02}", target.facing),),
            weapon="drone",
            target=target.name,
            launcher=name(n % ships ^ 1),
            launched=0,
            endurance=law.endurance(0, state.impulses, state.level),
            came_from=f"{column}{row - 1:02}",
            toughness=law.toughness(state.level),
            warhead=law.warhead(state.level),
        )
        units[drone.name] = drone
    assert state.request is not None, "a new game asks for orders"
    request = msgspec.structs.replace(state.request, form="FULL")
    options = Options(period="turn", reveal="none", autobreaks=())
    state = msgspec.structs.replace(state, units=units, options=options, request=request)
    law_book = scenario(path)
    answers = {}
    for n, side in enumerate(SIDES):
        reading = read_orders(fleet_orders(n, ships), header=False)
        if reading.faults:
            raise SystemExit(f"bench: {reading.faults[0]}")
        answers[side] = Filed(text=write_orders(reading.orders))

    def play() -> Played:
        played = resolve(state, law_book, answers, SegmentDice(b"bench"))
        if played.state.request is None or played.state.request.turn == request.turn:
            raise SystemExit(f"bench: the turn stopped early: {played.state.request or 'the game is over'}")
        return played

    return play


def fleets(runs: int, folder: Path) -> None:
    """Prints the table of fleets and how the cost grows."""
    folder.mkdir()
    print(f"\n{'engine alone, one turn':<38}{'median':>10}{'growth':>8}")
    last = 0.0
    for ships, drones in FLEETS:
        play = fleet_turn(folder, ships, drones)
        times = []
        for _ in range(runs):
            began = time.perf_counter()
            play()
            times.append(time.perf_counter() - began)
        took = statistics.median(times)
        growth = f"{took / last:>8.1f}" if last else f"{'':>8}"
        print(f"{f'{ships} ships, {drones} drones':<38}{took * 1000:>7.0f} ms{growth}", flush=True)
        last = took


def main() -> None:
    """Prints both tables."""
    runs = 3 if "--quick" in sys.argv[1:] else 9
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in ("check", "resolve"):
            (folder / part).mkdir()
        processes(runs, folder)
        fleets(max(3, runs // 3), folder / "fleets")


if __name__ == "__main__":
    main()
