"""Where the time goes: `python bench/where.py NAME` runs a piece of work under cProfile and prints its dearest calls.

    python bench/where.py resolve           # a whole command in this process: help, new, check, resolve
    python bench/where.py resolve --imports # what takes longest to import
    python bench/where.py idle              # a round of a host of 1,000 games in which nothing happened
    python bench/where.py letters           # 200 letters with orders taken in, nothing played
    python bench/where.py play              # 20 turns played, rendered and mailed
    python bench/where.py play --by tottime --lines 60
    python bench/where.py duel              # a second of a row of bench/engine.py: duel, drill, volley, fleet
    python bench/where.py page              # the report page of 20 ships and 100 drones
    python bench/where.py dump              # a VASSAL save of 20,000 counters, as JSON

Seconds are those of the processor. cProfile makes many small calls look dearer than they are: what is gained is
measured by bench/run.py and bench/host.py. A command is run once unseen, so that everything kept is there. The map of
mails and the save are made by copies of the process that no profile sees; on one core
(`taskset -c 0 python bench/where.py resolve`) there is none, and everything is seen.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.engine import FLEETS  # noqa: E402 (this checkout's)

Work = Callable[[], object]


def host_of(folder: Path, games: int, letters: int) -> Work:
    """A round of a host at work, with so many letters in its mailbox; each time it is called, one more."""
    from bench import host as bench
    from pbem.mail.host.round import host_round
    from pbem.mail.transport.sources import Maildir

    if not (folder / "host.toml").exists():
        bench.prepared(folder, games, letters)
    sink, now = bench.Sink(), bench.SEND + timedelta(hours=1)

    def one() -> object:
        return host_round(folder, lambda: now, source=Maildir(folder / "Maildir"), carrier=sink)

    for _ in range(2):
        one()
    for path in sorted((folder / "later").iterdir()):
        path.rename(folder / "Maildir" / "new" / f"{path.name}.bench")
    return one


def idle(folder: Path) -> Work:
    return host_of(folder, 1000, 0)


def letters(folder: Path) -> Work:
    """Letters alone: a round is cut off before it plays."""
    from pbem.mail.host import round as rounds

    rounds.play_all = lambda club: {}
    return host_of(folder, 400, 200)


def play(folder: Path) -> Work:
    return host_of(folder, 80, 40)


def engine(words: str) -> Callable[[Path], Work]:
    """A second of the first row of bench/engine.py with these words in its name."""

    def made(folder: Path) -> Work:
        from bench.engine import least, rows

        folder.mkdir(exist_ok=True)
        row = next(iter(rows(folder, words)))
        times = max(1, round(1 / least(row, 1)))

        def work() -> None:
            for _ in range(times):
                row.play()

        return work

    return made


def page(folder: Path) -> Work:
    """A report page, once more than once made."""
    from bench.pages import fleet
    from pbem.reports.html.page import sitrep_html
    from pbem.reports.view.build import build_view

    folder.mkdir(exist_ok=True)
    records = fleet(folder, 20, 100)

    def work() -> object:
        return sitrep_html(build_view(records, "umpire", turn=1))

    work()
    return work


def dump(folder: Path) -> Work:
    """A save read, and dumped portion by portion."""
    import gc

    import vassal
    from bench import saves
    from vassal.dump import dump_json

    folder.mkdir(exist_ok=True)
    path = folder / "20000.vsav"
    saves.make(path, 20_000)
    module = vassal.read_module(saves.MODULE)
    gc.disable()  # as the command does
    return lambda: sum(map(len, dump_json(vassal.read_save(path), module)))


def arguments(which: str, folder: Path) -> list[str]:
    """The arguments of a command; what it needs is made in ``folder``."""
    from bench import run

    folder.mkdir()
    if which == "resolve":
        return run.ready_to_resolve(folder)()[3:]
    if which == "check":
        game, files = run.duel(folder)
        return ["check", str(game), *map(str, files)]
    return ["new", "5", str(folder / "new")] if which == "new" else ["--help"]


def command(which: str) -> Callable[[Path], Work]:
    def made(folder: Path) -> Work:
        from bench import run

        run.run(run.pbem(*arguments(which, folder / "first")))
        words = ["pbem", *arguments(which, folder / "second")]

        def work() -> None:
            sys.argv = words
            from pbem.app.cli import command as door

            with suppress(SystemExit):
                door()

        return work

    return made


def imports(which: str, folder: Path) -> None:
    """What takes longest to import in a command, in microseconds: by itself, and with what it imports."""
    from bench import run

    words = [sys.executable, "-X", "importtime", "-m", "pbem", *arguments(which, folder / "imports")]
    done = subprocess.run(words, cwd=ROOT, env=run.environment(), capture_output=True, encoding="utf-8", check=False)
    rows = [line.split("|") for line in done.stderr.splitlines() if line.startswith("import time:")][1:]
    for own, whole, module in sorted(rows, key=lambda row: -int(row[0].split(":")[1]))[:70]:
        print(f"{int(own.split(':')[1]):>8}{int(whole):>8}  {module.strip()}")
    print(f"{len(rows)} modules")


COMMANDS = ("help", "new", "check", "resolve")
NAMES: dict[str, Callable[[Path], Work]] = {
    "idle": idle,
    "letters": letters,
    "play": play,
    "page": page,
    "dump": dump,
    **{name: command(name) for name in COMMANDS},
    "duel": engine("objects"),
    "drill": engine("scenario #1"),
    "volley": engine("volley"),
    "fleet": engine(f"fleet of {FLEETS[-1][0]}"),
}


def main() -> None:
    import cProfile
    import pstats

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--by", default="cumtime", help="cumtime, tottime, ncalls")
    parser.add_argument("--lines", type=int, default=45)
    parser.add_argument("--folder", type=Path, help="work there, and leave it (prepared already, if it is)")
    parser.add_argument("--imports", action="store_true", help="of a command: what takes longest to import")
    wanted = parser.parse_args()
    folder = wanted.folder or Path(tempfile.mkdtemp(prefix="pbem-profile-"))
    try:
        if wanted.imports:
            imports(wanted.name, folder)
            return
        work, profile = NAMES[wanted.name](folder), cProfile.Profile(time.process_time)
        profile.runcall(work)
        pstats.Stats(profile).sort_stats(wanted.by).print_stats(wanted.lines)
    finally:
        if wanted.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
