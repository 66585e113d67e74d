"""Puts small mistakes into the program, one at a time, and asks whether a test notices: any but those that need a
browser.

    python -m tests.mutants.run reach                     which test reaches which line (once; some minutes)
    python -m tests.mutants.run draw --seed 7             so many mistakes of each room, drawn by the seed
    python -m tests.mutants.run try --seed 7 --workers 2  plays them; goes on where it was stopped
    python -m tests.mutants.run try --seed 7 --again      once more those that nobody noticed
    python -m tests.mutants.run table --seed 7            the score of each room, and what was not seen

Everything is kept in the folder ``.cache/mutants``. A mistake is tried with the tests that reach its line: rule cases
and the shortest first, until one fails or the time of a mistake (``--seconds``, by the tests' own times when it was
found out what they reach) is used up. All is done in a copy of the project: a mistake within a function is made in a
fork of the process that collected the tests (:mod:`tests.mutants.inside`), any other in one more copy.

Of those nobody noticed a person reads the list and writes into ``tests/mutants/equivalent.txt`` which change nothing
(the name that ``table --names`` gives it, `` | ``, why): these do not count. A name holds the function (of a figure the
key) and its line of text, so that it excuses no other place. The interval is Wilson's, 95 %.
``reach --also tests/x.py`` adds new or changed tests to what is known.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher
from pathlib import Path
from queue import Queue
from types import MappingProxyType
from typing import Any

from tests.mutants import inside
from tests.mutants.mistakes import Mistake, drawn, in_data, in_source

ROOT = Path(__file__).resolve().parents[2]
KEEP = Path(os.environ.get("PBEM_MUTANTS", ROOT / ".cache" / "mutants"))
EQUIVALENT = Path(__file__).with_name("equivalent.txt")

ROOMS = {
    "rules": (["pbem/rules"], 60, 0.97),
    "engine": (["pbem/engine"], 80, 0.90),
    "ai": (["pbem/ai"], 40, 0.75),
    "orders": (["pbem/orders"], 50, 0.90),
    "games": (["pbem/games"], 50, 0.85),
    "mail": (["pbem/mail"], 50, 0.85),
    "club": (["pbem/club"], 20, 0.75),
    "app": (["pbem/app"], 40, 0.75),
    "data": (["pbem/data"], 50, 0.85),
    "reports": (["pbem/reports"], 40, 0.75),
    "vassal": (["vassal"], 40, 0.85),
    "vassal_bridge": (["pbem/vassal_bridge"], 40, 0.85),
}
"""Room -> (its folders, how many mistakes are drawn, the aim)."""


def files_of(room: str) -> list[Path]:
    """The modules of a room; of ``data`` the figures."""
    suffix = "*.toml" if room == "data" else "*.py"
    return sorted(
        path
        for folder in ROOMS[room][0]
        for path in (ROOT / folder).rglob(suffix)
        if path.name not in ("__init__.py", "__main__.py", "rulebook.toml", "rule_cases.toml")
    )


# --- which test reaches which line -----------------------------------------------------------------------------------


def reach(workers: int, also: list[str], marked: str, leave: list[str]) -> None:
    """Run all tests of these marks, but for what is to be left out, once under watch; or only those in ``also``, beside
    what is known. Each run has a folder of its own: what is reached, by which text of the program, in which copy of it.
    """
    if not also:
        shutil.rmtree(KEEP / "reach", ignore_errors=True)
    folder = KEEP / "reach" / f"{len(_runs()):03}"
    folder.mkdir(parents=True)
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    (folder / "sources.json").write_text(json.dumps({"root": str(ROOT), "texts": texts}), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-m", marked, "-p", "tests.mutants.reach", *also]
    command += [f"--ignore={path}" for path in leave]
    if workers > 1:
        command += ["-n", str(workers), "--dist", "loadfile"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, "PBEM_REACH": str(folder)}, check=False)


def _runs() -> list[Path]:
    """What was found out, the oldest first."""
    return sorted(path.parent for path in (KEEP / "reach").glob("*/sources.json"))


def sources() -> list[Path]:
    """All modules that may be reached."""
    return sorted(path for folder in ("pbem", "vassal") for path in (ROOT / folder).rglob("*.py"))


def lines_now(before: str, now: str) -> dict[int, list[int]]:
    """Where the lines of a file stand after it was changed; a changed line is all that came in its place."""
    found: dict[int, list[int]] = {}
    old, new = before.splitlines(), now.splitlines()
    if before == now:
        return {line: [line] for line in range(1, len(old) + 1)}
    for _, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for line in range(old_from, old_to):
            same = old_to - old_from == new_to - new_from
            found[line + 1] = [new_from + line - old_from + 1] if same else list(range(new_from + 1, new_to + 1))
    return found


LONG, BRIEF = 2.0, 0.05
"""Seconds of a test that is tried after the others, and of one that is tried before them."""


class Reach:
    """What :func:`reach` found of these files of the project."""

    def __init__(self, paths: Collection[str], among: tuple[str, ...] = ("tests",)) -> None:
        self.among = among
        from coverage.numbits import numbits_to_nums

        self.times: dict[str, float] = {}
        self.lines: dict[str, dict[int, set[str]]] = {}
        for run in reversed(_runs()):  # of a test that was watched twice, only the last time
            times: dict[str, float] = {}
            for path in run.glob("*.times.json"):
                times |= json.loads(path.read_text(encoding="utf-8"))
            new = times.keys() - self.times.keys()
            self.times |= {test: times[test] for test in new}
            told = json.loads((run / "sources.json").read_text(encoding="utf-8"))
            for path in run.glob("*.cover"):
                with sqlite3.connect(path) as base:
                    for number, file in base.execute("select id, path from file").fetchall():
                        name = Path(file).relative_to(told["root"]).as_posix()
                        if name not in paths or not (ROOT / name).exists():
                            continue
                        of_file = self.lines.setdefault(name, defaultdict(set))
                        where = lines_now(told["texts"][name], (ROOT / name).read_text(encoding="utf-8"))
                        rows = base.execute(
                            "select context.context, line_bits.numbits from line_bits"
                            " join context on context.id = line_bits.context_id where line_bits.file_id = ?",
                            (number,),
                        )
                        for context, bits in rows:
                            if context and context not in new:
                                continue
                            for line in numbits_to_nums(bits):
                                for now in where.get(line, ()):
                                    of_file[now].add(context)

    def tests(self, mistake: Mistake) -> list[str]:
        """The tests to run for a mistake: first those that go farthest into its function, then rule cases, then the
        shortest.
        """
        if mistake.kind == "figure":  # first the tests that are named after the file
            file = Path(mistake.path).stem
            return sorted(self._ordered(set(self.times)), key=lambda test: file not in test)
        of_file = self.lines.get(mistake.path, {})
        found: set[str] = set().union(*(of_file.get(line, set()) for line in range(mistake.line, mistake.last + 1)))
        first, last = inside.span_of(mistake, (ROOT / mistake.path).read_text(encoding="utf-8"))
        # Done when the module is imported, be it before the watch began: whatever uses the module may notice.
        if "" in found or (not found and (first, last) == (mistake.line, mistake.last)):
            found = set().union(*of_file.values())
        depth = Counter(test for line in range(first, last + 1) for test in of_file.get(line, ()))
        return self._ordered(found - {""}, depth)

    def _ordered(self, tests: set[str], depth: Mapping[str, int] = MappingProxyType({})) -> list[str]:
        return sorted(
            (test for test in tests if test in self.times and test.startswith(self.among)),
            key=lambda test: (
                self.times[test] > LONG,
                self.times[test] > BRIEF,
                -depth.get(test, 0),
                not test.startswith("tests/test_cases"),
                self.times[test],
                test,
            ),
        )


# --- trying ----------------------------------------------------------------------------------------------------------


def draw(seed: int, share: float) -> list[Mistake]:
    """The mistakes of a seed, the same every time while the files stay the same."""
    chosen = []
    for room, (_, many, _) in ROOMS.items():
        read = in_data if room == "data" else in_source
        found = [one for path in files_of(room) for one in read(path, path.relative_to(ROOT).as_posix())]
        dice = random.Random(f"{seed} {room}")
        chosen += drawn(found, round(many * share), dice, ROOT)
    return chosen


def room_of(path: str) -> str:
    """The room a file stands in."""
    return next(room for room, (folders, _, _) in ROOMS.items() if any(path.startswith(f"{f}/") for f in folders))


def copy_of_project(name: str) -> Path:
    """A clean copy."""
    folder = KEEP / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(
        ROOT,
        folder,
        ignore=shutil.ignore_patterns(".git", ".cache", "__pycache__", ".mypy_cache", ".ruff_cache", ".hypothesis"),
    )
    subprocess.run([sys.executable, "-m", "compileall", "-q", "pbem", "vassal"], cwd=folder, check=False)
    return folder


def attempt(mistake: Mistake, chosen: list[str], folder: Path, seconds: float) -> dict[str, object]:
    """Put the mistake into the copy, run the tests until one fails; the copy is whole again afterwards."""
    path = folder / mistake.path
    whole = path.read_text(encoding="utf-8")
    stale = path.parent / "__pycache__"
    names = folder / "tests-to-run.txt"
    names.write_text("\n".join(chosen), encoding="utf-8")
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_DATABASE_FILE": "", "PBEM_MUTANT": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-m",
        inside.MARKED,
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--tb=line",
        f"@{names}",
    ]
    try:
        path.write_text(mistake.applied(whole), encoding="utf-8")
        for old in stale.glob(f"{path.stem}.*.pyc"):
            old.unlink()
        begun = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=folder, env=env, capture_output=True, text=True, timeout=60 + 4 * seconds, check=False
            )
            outcome = {0: "survived", 1: "killed", 2: "killed"}.get(done.returncode, f"exit {done.returncode}")
            by = next((line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), "")
        except subprocess.TimeoutExpired:
            outcome, by = "killed", "it never ended"
        return {
            "outcome": outcome,
            "by": by[:200],
            "run": len(chosen),
            "of": len(chosen),
            "took": round(time.monotonic() - begun, 1),
        }
    finally:
        path.write_text(whole, encoding="utf-8")


def collected(folder: Path, tests: Collection[str]) -> set[str]:
    """Of these tests those that there are: some may have other names by now than when it was found out what they reach,
    and pytest runs none if one of them is gone.
    """
    files = sorted({file for test in tests if (folder / (file := test.partition("::")[0])).is_file()})
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", inside.MARKED, "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *files], cwd=folder, capture_output=True, text=True, check=False)
    return set(tests) & set(done.stdout.splitlines())


def within(tests: list[str], reach: Reach, seconds: float) -> list[str]:
    """As many of the tests as fit into the time: half of it for rule cases, then the others, then more cases; they are
    run in the order in which they were given.
    """
    chosen: list[str] = []
    used = 0.0
    cases = [test for test in tests if test.startswith("tests/test_cases")]
    others = [test for test in tests if not test.startswith("tests/test_cases")]
    for several, until in ((cases, seconds / 2), (others, seconds), (cases, seconds)):
        for test in several:
            more = reach.times[test] + 0.01
            if test not in chosen and (used + more <= until or not chosen):
                used += more
                chosen.append(test)
    among = set(chosen)
    return [test for test in tests if test in among]


def _tried(seed: int) -> list[dict[str, Any]]:
    """What came of each mistake, when it was tried last."""
    path = KEEP / f"seed{seed}.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return list({row["told"]: row for row in map(json.loads, text.splitlines())}.values())


def attempts(
    seed: int, share: float, workers: int, seconds: float, only: str, among: list[str], *, again: bool
) -> None:
    """Try what was not tried yet (or ``again`` what nobody noticed): those within functions in forks, the rest each in
    a process of its own.
    """
    results = KEEP / f"seed{seed}.jsonl"
    same = equivalent()
    done = {
        row["told"]
        for row in _tried(seed)
        if not row["outcome"].startswith("exit")  # the tests themselves could not be run
        and (not again or row["outcome"] == "killed" or row["lasting"] in same)
    }
    todo = [one for one in draw(seed, share) if one.told() not in done and only in one.path]
    random.Random(seed).shuffle(todo)
    known = Reach({one.path for one in todo}, tuple(among))
    screen = os.fdopen(os.dup(1), "w")  # while tests run, the other is kept from the screen

    def note(mistake: Mistake, found: dict[str, object]) -> None:
        with results.open("a", encoding="utf-8") as file:
            named = {"told": mistake.told(), "lasting": mistake.lasting(), "path": mistake.path, "kind": mistake.kind}
            file.write(json.dumps({**named, **found}) + "\n")
        print(found["outcome"], mistake.told(), file=screen, flush=True)

    forked: list[inside.Task] = []
    alone: list[Mistake] = []
    of: dict[str, int] = {}
    for mistake in todo:
        reaching = known.tests(mistake)
        of[mistake.told()] = len(reaching)
        source = (ROOT / mistake.path).read_text(encoding="utf-8")
        if not reaching:
            note(mistake, {"outcome": "unreached", "run": 0, "of": 0})
        elif mistake.path.endswith(".py") and inside.function_of(mistake, source):
            forked.append(inside.Task(mistake, within(reaching, known, seconds), seconds))
        else:
            alone.append(mistake)

    def told(task: inside.Task, found: inside.Found) -> None:
        if found.outcome == "broken":
            print("alone", task.mistake.told(), found.by, file=screen, flush=True)
            alone.append(task.mistake)
            return
        note(task.mistake, {**found._asdict(), "of": of[task.mistake.told()]})

    if forked:
        inside.try_all(ROOT, forked, workers, told)
    folders: Queue[Path] = Queue()
    for number in range(workers if alone else 0):
        folders.put(copy_of_project(f"{ROOT.name}-{number}"))

    reaching_alone = {mistake.told(): known.tests(mistake) for mistake in alone}
    there = collected(ROOT, set().union(*reaching_alone.values())) if alone else set()

    def one(mistake: Mistake) -> None:
        chosen = [test for test in reaching_alone[mistake.told()] if test in there]
        if not chosen:
            note(mistake, {"outcome": "unreached", "run": 0, "of": 0})
            return
        folder = folders.get()
        try:
            found = attempt(mistake, within(chosen, known, seconds), folder, seconds)
        finally:
            folders.put(folder)
        note(mistake, found)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, alone))


# --- the table -------------------------------------------------------------------------------------------------------


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, hits / of
    middle = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - spread) / (1 + z * z / of), (middle + spread) / (1 + z * z / of)


def equivalent() -> dict[str, str]:
    """Mistakes that change nothing, as :meth:`Mistake.lasting` tells them, to the reason why."""
    found = {}
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, why = line.rpartition(" | ")
            found[name] = why
    return found


def standing() -> set[str]:
    """The names of :func:`equivalent` whose mistake can still be made, in one place of the source."""
    found: set[str] = set()
    names = equivalent()
    for path in {name.partition(": ")[0] for name in names}:
        source = path.endswith(".py")
        read = in_source if source else in_data
        made = Counter(one.lasting() for one in read(ROOT / path, path)) if (ROOT / path).is_file() else Counter()
        # A figure may stand in several rows of a table; what is said of it is said of all.
        found |= {
            name for name in names if name.startswith(f"{path}: ") and (made[name] == 1 or (made[name] and not source))
        }
    return found


def drop_stale() -> None:
    """Name mistakes in ``equivalent.txt`` anew whose line stands in another function now, and take out what is gone."""
    gone = equivalent().keys() - standing()
    if not gone:
        return
    places = defaultdict(list)
    for path in {path for room in ROOMS for path in files_of(room) if path.suffix == ".py"}:
        for one in in_source(path, path.relative_to(ROOT).as_posix()):
            places[one.lasting().split(": ", 2)[2]].append(one.lasting())
    left = []
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines():
        name, _, why = line.rpartition(" | ")
        found = places[name.split(": ", 2)[2]] if name in gone else []
        if name not in gone:
            left.append(line)
        elif len(found) == 1:
            left.append(f"{found[0]} | {why}")
    EQUIVALENT.write_text("".join(f"{line}\n" for line in dict.fromkeys(left)), encoding="utf-8", newline="\n")


def table(seed: int, names: bool) -> None:
    """The score of each room, then what nobody noticed; on demand by the names for ``equivalent.txt``."""
    rows = _tried(seed)
    same = equivalent()
    counts: dict[str, list[int]] = {room: [0, 0, 0] for room in [*ROOMS, "all"]}
    for row in rows:
        for room in (room_of(row["path"]), "all"):
            counts[room][0] += 1
            counts[room][1] += row["outcome"] == "killed"
            counts[room][2] += row["outcome"] != "killed" and row["lasting"] in same
    print(f"{'room':14}{'run':>6}{'killed':>8}{'equal':>7}{'score':>8}  95 %        aim")
    for room, (run, killed, equal) in counts.items():
        low, high = wilson(killed, run - equal)
        share = killed / (run - equal) if run > equal else 0
        aim = f"{ROOMS[room][2]:.0%}" if room in ROOMS else ""
        print(f"{room:14}{run:6}{killed:8}{equal:7}{share:8.0%}  {low:.0%} to {high:.0%}".ljust(57) + aim)
    for row in rows:
        if row["outcome"] != "killed" and row["lasting"] not in same:
            print(
                f"{row['outcome']} ({row.get('run', 0)} of {row.get('of', 0)}): {row['lasting' if names else 'told']}"
            )


def main() -> None:
    """The four steps of the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["reach", "draw", "try", "table"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="this share of each room's mistakes")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seconds", type=float, default=40.0, help="of tests for one mistake, at the most")
    parser.add_argument("--also", nargs="*", default=[], help="reach: only these test files, beside what is known")
    parser.add_argument("--among", nargs="*", default=["tests"], help="only tests whose names begin so")
    parser.add_argument("--marked", default=inside.MARKED, help="reach: only tests of these marks")
    parser.add_argument("--leave", nargs="*", default=[], help="reach: leave these folders or files out")
    parser.add_argument("--again", action="store_true", help="try: once more what nobody noticed")
    parser.add_argument("--names", action="store_true", help="table: tell each by its name for equivalent.txt")
    parser.add_argument("--only", default="", help="only files whose path holds this")
    given = parser.parse_args()
    match given.step:
        case "reach":
            reach(given.workers, given.also, given.marked, given.leave)
        case "draw":
            for mistake in draw(given.seed, given.share):
                print(mistake.told())
        case "try" if "PBEM_MUTANTS" in os.environ:
            attempts(given.seed, given.share, given.workers, given.seconds, given.only, given.among, again=given.again)
        case "try":  # in a copy, so that nobody's work beside it is in the way
            folder = copy_of_project(f"copy-{os.getpid()}")
            command = [sys.executable, "-m", "tests.mutants.run", *sys.argv[1:]]
            try:
                subprocess.run(command, cwd=folder, env={**os.environ, "PBEM_MUTANTS": str(KEEP)}, check=False)
            finally:
                for each in KEEP.glob(f"{folder.name}*"):
                    shutil.rmtree(each, ignore_errors=True)
        case _:
            table(given.seed, given.names)


if __name__ == "__main__":
    main()
