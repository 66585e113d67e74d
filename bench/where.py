"""Where the time of a whole command goes: ``python bench/where.py resolve`` (or ``check``, ``help``, ``new``).

A line for each function, those first in which (with what they call) most of it passes; ``--own`` puts those first
in which it passes themselves, ``--imports`` lists what takes longest to import. Plays the duel of ``bench/run.py``.
"""

from __future__ import annotations

import cProfile
import pstats
import subprocess
import sys
import tempfile
from pathlib import Path

import run

LINES = 70


def command(which: str, folder: Path) -> list[str]:
    """The arguments of the command to be looked at; what it needs is made in ``folder``."""
    if which == "help":
        return ["--help"]
    if which == "new":
        return ["new", "5", str(folder / "new")]
    if which == "check":
        game, files = run.duel(folder)
        return ["check", str(game), *map(str, files)]
    if which == "resolve":
        return run.ready_to_resolve(folder)()[3:]
    raise SystemExit(f"{which}: is none of help, new, check, resolve")


def main() -> None:
    """Runs the command once unseen, so that everything kept is there, and once under the profiler."""
    own = "--own" in sys.argv
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for once in ("first", "second"):
            (folder / once).mkdir()
        run.run(run.pbem(*command(words[0] if words else "resolve", folder / "first")))
        arguments = command(words[0] if words else "resolve", folder / "second")
        if "--imports" in sys.argv:
            looked = [sys.executable, "-X", "importtime", "-m", "pbem", *arguments]
            done = subprocess.run(looked, cwd=run.ROOT, env=run.environment(), capture_output=True, encoding="utf-8")
            rows = [line.split("|") for line in done.stderr.splitlines() if line.startswith("import time:")][1:]
            for own, whole, module in sorted(rows, key=lambda row: -int(row[0].split(":")[1]))[:LINES]:
                print(f"{int(own.split(':')[1]):>8}{int(whole):>8}  {module.strip()}")
            print(f"{len(rows)} modules; microseconds of their own, with what they import")
            return
        sys.argv = ["pbem", *arguments]
        profile = cProfile.Profile()
        try:
            profile.enable()
            from pbem.cli import main as door

            door()
        except SystemExit:
            pass
        finally:
            profile.disable()
        found = pstats.Stats(profile)
        found.sort_stats("tottime" if own else "cumtime").print_stats(LINES)


if __name__ == "__main__":
    main()
