"""What is gained by each import that stands within a function: `python bench/imports.py` prints one table.

A player's usual commands are run, and Python tells what each of them imports and how long that takes. An import within
a function is worth its place if there is a command that loads the module around it and can do without what is imported;
the table names that command and what it saves there, in milliseconds of this machine. The rest belongs to the top of
its module, and the program ends with 1 where one is found; but for what not every machine has (``fcntl``) and what a
package hands out when it is asked for.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import host  # noqa: E402 (this checkout's)
from bench.run import duel, environment, pbem  # noqa: E402
from tests.test_layout import late_imports, sources_of  # noqa: E402

SPARED = {
    ("pbem.app.cli", "pbem.app.cli.commands"),
    ("pbem.app.cli", "pbem.app.cli.output"),
    ("pbem.games.storage.files", "fcntl"),
    ("vassal", "importlib"),
}
"""What stands within a function for another reason than time."""


def imported(command: list[str]) -> dict[str, float]:
    """What a command imports, each with the milliseconds it takes by itself."""
    python, *rest = command
    timed = [python, "-X", "importtime", *rest]
    done = subprocess.run(timed, cwd=ROOT, env=environment(), capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        print(f"bench: {' '.join(rest)} ended with {done.returncode}: {done.stdout[-400:]}")
    found = {}
    for line in done.stderr.splitlines():
        if line.startswith("import time:") and "self [us]" not in line:
            own, _, name = line.removeprefix("import time:").split("|")
            found[name.strip()] = int(own) / 1000
    return found


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands of an evening, in an order in which each can be done."""
    game, files = duel(folder)
    one, other = files
    club = folder / "club"
    host.prepared(club, 3, 0)
    return {
        "--help": pbem("--help"),
        "new": pbem("new", "5", folder / "another"),
        "status": pbem("status", game),
        "forms": pbem("forms", game, "--side", "federation"),
        "check": pbem("check", game, one),
        "submit": pbem("submit", game, one, other),
        "resolve": pbem("resolve", game),
        "report": pbem("report", game),
        "map": pbem("map", game),
        "verify": pbem("verify", game),
        "undo": pbem("undo", game),
        "host --once": pbem("host", club, "--once"),
        "doctor": pbem("doctor", club),
        "rules": pbem("rules", "E4.22"),
        "scenarios": pbem("scenarios"),
        "soak": pbem("soak", "--games", "1"),
        "case": pbem("case", ROOT / "tests" / "cases" / "B"),
        "vassal --help": [sys.executable, "-m", "vassal", "--help"],
    }


def worth(found: dict[str, dict[str, float]], module: str, name: str) -> tuple[float, str]:
    """The most that an import within a function saves, and in which command; nothing where all that load the module
    load the other too. What is saved is what it and its own imports take where they are loaded last.
    """
    takes = max((times[name] for times in found.values() if name in times), default=0.0)
    without = [command for command, times in found.items() if module in times and name not in times]
    return (takes, without[0]) if without else (0.0, "")


def main() -> int:
    """Prints the table; 1 where an import within a function saves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        found = {title: imported(command) for title, command in commands(Path(folder)).items()}
    for title, times in found.items():
        print(f"{title:16}{len(times):6} modules{sum(times.values()):8.1f} ms")
    useless = 0
    for module, name, _ in late_imports(sources_of(ROOT)):
        saved, command = worth(found, module, name)
        seen = any(module in times for times in found.values())
        useless += seen and not command and (module, name) not in SPARED
        print(f"{module:32}{name:34}{f'{saved:6.1f} ms  {command}' if command else '' if seen else 'not run':24}")
    print(f"{useless} save nothing in any of these commands")
    return bool(useless)


if __name__ == "__main__":
    sys.exit(main())
