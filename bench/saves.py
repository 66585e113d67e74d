"""What big VASSAL saves cost: `python bench/saves.py` (or `--quick`: one run each) prints one table.

A save of 1,000 and one of 10,000 counters are made from the test module's palette, a third of them with 17
traits and a label of their own, two to a stack. Then each job runs in a process of its own, from start to
end: the command that dumps all of it with location names as JSON, and the update of one counter with the
save written again. Memory is the peak of the whole process. The saves are made in processes of their own too: Linux
counts what a process held when it began another as held by that one.

Last, what an export costs in a process that has done one already: opening positions of scenarios with their SSDs, and
with the papers of one side, for the companion module.

Nothing here is a test: times depend on the machine, the growth less so.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

MODULE = ROOT / "tests" / "vassal" / "data" / "HexSpaceTest.vmod"
SIZES = (1_000, 10_000)
SLOTS = ("Cruiser A", "Drone", "Planet", "Cruiser B", "Free", "Plain")


def make(path: Path, count: int) -> None:
    """Writes a save of ``count`` counters."""
    import vassal

    module = vassal.read_module(MODULE)
    writer = vassal.SaveWriter(module)
    slots = [module.slot(name) for name in SLOTS]
    for n in range(count):
        look = vassal.Look(facing=n % 6, label=f"NCC-{n}") if SLOTS[n % 6].startswith("Cruiser") else None
        spot = n // 2
        writer.add(slots[n % 6], "Tactical Map", at=(24 + 48 * (spot % 24), 28 + 7 * (spot // 24 % 130)), look=look)
    writer.write(path)


# Each job is a program of its own; what it prints goes nowhere.
UPDATE = """
import gc, sys, vassal
gc.disable()
save = vassal.read_save(sys.argv[1])
change = vassal.Change(vassal.Look(facing=4, label="CLOAKED"), at=(72, 56))
vassal.update(save, {"1": change}).write(sys.argv[1] + ".new")
"""
JOBS: dict[str, list[str]] = {
    "vassal dump --json": ["-m", "vassal", "dump", "FILE", "--module", str(MODULE), "--json"],
    "vassal.update, write": ["-c", UPDATE, "FILE"],
}


def made(path: Path, count: int) -> int:
    """Has another process write a save of ``count`` counters; the bytes of its text."""
    words = [sys.executable, __file__, "--make", str(path), str(count)]
    return int(subprocess.run(words, cwd=ROOT, check=True, capture_output=True, encoding="ascii").stdout)


def run(arguments: list[str], path: Path) -> tuple[float, float]:
    """Seconds of wall time of a job, and the most memory it ever held in MB (0 where the system doesn't tell)."""
    words = [str(path) if word == "FILE" else word for word in arguments]
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL) as job:
        if not hasattr(os, "wait4"):  # Windows
            job.wait()
            return time.perf_counter() - began, 0.0
        _, status, usage = os.wait4(job.pid, 0)
        job.returncode = os.waitstatus_to_exitcode(status)
    took = time.perf_counter() - began
    if job.returncode:
        raise SystemExit(f"bench: {' '.join(words)} ended with {job.returncode}")
    return took, usage.ru_maxrss / (1024**2 if sys.platform == "darwin" else 1024)


def measured(arguments: list[str], path: Path, runs: int) -> tuple[float, float]:
    """Median seconds and memory of a job."""
    times, peaks = zip(*(run(arguments, path) for _ in range(runs)), strict=True)
    return statistics.median(times), statistics.median(peaks)


def exports(folder: Path, runs: int) -> None:
    """Prints what a save of each scenario's opening costs, and how large it is."""
    from pbem.data.scenarios import scenario, scenario_keys
    from pbem.vassal_bridge.companion.module import opening
    from pbem.vassal_bridge.export import export_game, write_save
    from pbem.vassal_bridge.positions import companion
    from pbem.vassal_bridge.sheets import SideKnowledge

    module, path = companion(), folder / "export.vsav"
    print(f"\n{'export, warm':<22}{'counters':>9}{'text':>10}{'file':>10}{'everybody':>12}{'one side':>12}")
    for key in sorted(scenario_keys(), key=int):
        state = opening(scenario(key))
        side = next(iter(state.sides))
        took = []
        for own in (None, SideKnowledge(side, state)):
            spent = []
            for _ in range(runs + 1):  # the first one warms up
                began = time.process_time()
                write_save(export_game(state, module, own=own).save, path)
                spent.append(time.process_time() - began)
            took.append(min(spent[1:]))
        save = export_game(state, module, own=SideKnowledge(side, state)).save
        size = f"{len(save.text) / 1e3:>7.1f} kB{path.stat().st_size / 1e3:>7.1f} kB"
        print(f"{'scenario #' + key:<22}{len(save.pieces):>9}{size}{1e3 * took[0]:>9.1f} ms{1e3 * took[1]:>9.1f} ms")


def main() -> None:
    """Prints the table."""
    if "--make" in sys.argv[1:]:
        import vassal

        path = Path(sys.argv[-2])
        make(path, int(sys.argv[-1]))
        print(len(vassal.read_text(path).encode("utf-8")))
        return
    runs = 1 if "--quick" in sys.argv[1:] else 5
    print(f"{'whole process':<22}{'counters':>9}{'text':>10}{'file':>10}{'median':>9}{'peak':>9}{'growth':>8}")
    last: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in SIZES:
            path = Path(folder) / f"{count}.vsav"
            text = made(path, count) / 1e6
            for name, arguments in JOBS.items():
                took, most = measured(arguments, path, runs)
                growth = f"{took / last[name]:>8.1f}" if name in last else ""
                last[name] = took
                size = f"{text:>7.1f} MB{path.stat().st_size / 1e6:>7.2f} MB"
                print(f"{name:<22}{count:>9}{size}{took:>7.2f} s{most:>6.0f} MB{growth}", flush=True)
        exports(Path(folder), runs)


if __name__ == "__main__":
    main()
