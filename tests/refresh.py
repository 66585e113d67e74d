"""Makes all kept texts, digests and generated pages anew, and says in words what changed.

    python -m tests.refresh                     everything
    python -m tests.refresh --only games mails  some parts; --list says which there are
    python -m tests.refresh --changed           the parts that files changed since the last commit can touch
    python -m tests.refresh --changed COMMIT    the same since another commit

Read the diff before you keep it: it is what you changed for users. A log that changes without a corrected rule is a
defect. Not made here, for they take hours or a browser: the tables of docs/balance.py, docs/pictures/ and the choice of
tests in tests/long.txt (``python -m tests.long``).
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests import kept

ROOT = Path(__file__).resolve().parent.parent
PROCESSES = min(os.cpu_count() or 1, 8)
ROW = (
    "vassal", "data", "rules", "orders", "engine", "ai", "reports", "vassal_bridge", "games", "lab", "mail", "club",
    "app",
)  # fmt: skip
"""The packages; each imports only those before it."""
ENDINGS = (".txt", ".gz", ".sha256", ".md", ".toml", ".jsonl", ".json", ".eml", ".html", ".draft", ".vsav", ".secret")
"""Of files that may be made anew."""
NAMED = 12
"""Of the parts of a file that changed so many are named."""


class Part(NamedTuple):
    """Something that is made anew by commands, lines of arguments for this Python, or by functions.

    ``of`` is the last package of :data:`ROW` that it is made of, ``""`` for none; ``beside`` are its own sources.
    A part of a later ``stage`` is made of what the earlier ones make.
    """

    what: str
    commands: Sequence[str | Callable[[], None]]
    of: str
    beside: Sequence[str]
    stage: int = 1


def _as_kept() -> None:
    """Keep what tests hold by the fixture ``as_kept``, but for the names in files."""
    found = (path for path in (ROOT / "tests").rglob("test_*.py") if "as_kept:" in path.read_text(encoding="utf-8"))
    files = sorted(path.relative_to(ROOT).as_posix() for path in found if path.name != "test_names_in_files.py")
    _run(f"-m pytest -q -m 'not browser' -n {PROCESSES} --dist loadfile {' '.join(files)}", PBEM_KEEP="1")


def _names() -> None:
    """Add to the names that stand in files of users. Raises ``RuntimeError``, and changes nothing, if one is gone."""
    file = ROOT / "tests" / "names_in_files.txt"
    was = file.read_text(encoding="utf-8")
    _run("-m pytest -q -m '' tests/test_names_in_files.py::test_no_name_in_a_file_changes", PBEM_KEEP="1")
    gone = sorted((Counter(was.splitlines()) - Counter(file.read_text(encoding="utf-8").splitlines())).elements())
    if gone:
        file.write_text(was, encoding="utf-8", newline="\n")
        raise RuntimeError(f"tests/names_in_files.txt would lose {', '.join(gone)}; files of users have these names")


def _drop_stale() -> None:
    from tests import long
    from tests.mutants import run

    run.drop_stale()
    long.drop_stale()


def _run(command: str, **settings: str) -> None:
    """Run this Python. Raises ``RuntimeError`` with what it said if it fails."""
    done = subprocess.run(
        [sys.executable, *shlex.split(command)], cwd=ROOT, env={**os.environ, **settings},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"`python {command}` failed:\n{done.stdout[-4000:]}")


def _modules(folder: str, *names: str) -> list[str]:
    return [f"-m tests.{folder}.{name}" for name in names]


STEPS = ("test_conditions", "test_verdicts", "test_steps", "test_sweeps", "test_fold", "test_rulings")
HALF = max(1, PROCESSES // 2)
PARTS = {
    "games": Part(
        "the golden games: turns/, tests/golden/files.sha256, tests/golden/stories.txt.gz",
        [f"tests/golden/refresh.py --processes {HALF}"],
        "games",
        ["tests/golden", "turns", "templates"],
    ),
    "wide": Part(
        "digests of short random games",
        [f"tests/golden/wide.py --write --processes {HALF}"],
        "lab",
        ["tests/golden/wide.py", "templates"],
    ),
    "corpus": Part("digests of whole games", ["-m tests.corpus --write"], "ai", ["tests/corpus"]),
    "stories": Part(
        "texts that tests hold by as_kept: letters, answers, decrees, refusals, defaults",
        [_as_kept],
        "club",
        ["tests/mail", "tests/club", "tests/games", "tests/site", "tests/engine/test_defaults.py", "templates/emails"],
    ),
    "types": Part(
        "types of the pages' data for their scripts: templates/src/generated/",
        ["-m tests.form.script_types", "-m tests.page_types"],
        "reports",
        ["tests/form/script_types.py", "tests/page_types.py"],
    ),
    "scenes": Part(
        "reports, forms and drawings of some scenes",
        ["-m tests.reports.scenes"],
        "reports",
        ["tests/reports", "templates"],
    ),
    "tables": Part(
        "what stands on the table of VASSAL",
        ["-m tests.vassal_bridge.tables"],
        "vassal_bridge",
        ["tests/vassal_bridge", "tests/reports/scenes"],
    ),
    "companion": Part(
        "digests of the companion module", ["-m tests.vassal_bridge.drawn"], "vassal_bridge", ["tests/vassal_bridge"]
    ),
    "proof": Part("digests of the proof page", ["-m tests.proof.honest"], "games", ["tests/proof", "templates"]),
    "orders": Part(
        "what is read of orders, and said of slips",
        _modules("orders", "test_letters", "test_told", "test_slips"),
        "orders",
        ["tests/orders"],
    ),
    "engine": Part(
        "verdicts, steps, sweeps, conditions, rulings, events folded",
        _modules("engine", *STEPS),
        "engine",
        ["tests/engine"],
    ),
    "rules": Part(
        "energy forms and calls of rules", _modules("rules", "test_forms", "test_calls"), "rules", ["tests/rules"]
    ),
    "readings": Part("what is read in texts of VASSAL", ["-m tests.vassal.readings"], "vassal", ["tests/vassal"]),
    "cases": Part(
        "digests of rule cases",
        ["tests/golden/cases.py"],
        "engine",
        ["tests/cases", "tests/golden/cases.py", "pbem/lab"],
    ),
    "perft": Part("legal plots, counted", ["tests/golden/perft.py --write"], "rules", ["tests/golden/perft.py"]),
    "choices": Part(
        "what computer players choose",
        _modules("ai", "decisions --write", "judgements --write"),
        "ai",
        ["tests/ai", "pbem/lab"],
    ),
    "names": Part(
        "names that stand in files of users: lines may be added, none may change",
        [_names],
        "app",
        ["tests/test_names_in_files.py"],
    ),
    "rulebook": Part(
        "compliance page, index of cases, docs/cases.md, docs/event-log.md",
        ["-m pbem.lab.rule_cases.docs"],
        "app",
        ["tests/cases", "docs"],
    ),
    "refusals": Part("list of refusals", ["docs/refusals.py"], "app", ["docs/refusals.py"]),
    "pages": Part(
        "index and glossary of the guides, tables of conditions, orders and settings, order sheet",
        ["docs/index.py", "docs/glossary.py", "docs/conditions.py", "docs/order_sheet.py", "docs/settings.py"],
        "mail",
        ["docs"],
    ),
    "lists": Part(
        "lists kept by hand lose what is gone: mistakes that change nothing, long tests",
        [_drop_stale],
        "app",
        ["tests"],
    ),
    "mails": Part(
        "example emails of docs/play-by-mail.md, from the texts above; all emails of docs/emails.md",
        ["docs/mails.py", "docs/emails.py"],
        "club",
        ["docs/mails.py", "docs/emails.py", "templates/emails", "tests/mail", "tests/club", "turns"],
        2,
    ),
}


# --- which parts ------------------------------------------------------------------------------------------------------


def changed_since(commit: str) -> list[str]:
    """The files that are not as they were in a commit, by their paths."""
    git = ("git", "-c", "core.quotepath=off")
    told = [
        subprocess.run([*git, *asked], cwd=ROOT, capture_output=True, encoding="utf-8", check=True).stdout
        for asked in (("diff", "--name-only", commit, "--"), ("ls-files", "--others", "--exclude-standard"))
    ]
    return sorted({line for text in told for line in text.splitlines()})


def touched_by(paths: Iterable[str]) -> list[str]:
    """The parts that may change with these files, and those made of them."""
    paths = list(paths)
    found = [name for name, part in PARTS.items() if any(_touches(path, part) for path in paths)]
    return [*found, *(["mails"] if found and "mails" not in found else [])]


def _touches(path: str, part: Part) -> bool:
    if path.startswith(tuple(part.beside)):
        return True
    first, _, rest = path.partition("/")
    if first == "vassal":
        return True
    package = rest.partition("/")[0]
    return first == "pbem" and (package not in ROW or ROW.index(package) <= ROW.index(part.of))


# --- making them ------------------------------------------------------------------------------------------------------


def make(name: str) -> str:
    """Make a part; a line of what it took. Raises ``RuntimeError`` with what was said if it fails."""
    began = time.monotonic()
    for command in PARTS[name].commands:
        if isinstance(command, str):
            _run(command)
        else:
            command()
    return f"{name}: {PARTS[name].what} ({time.monotonic() - began:.0f} s)"


# --- what changed -----------------------------------------------------------------------------------------------------


def files_now() -> dict[str, bytes]:
    """Every file that may be made anew."""
    found = {}
    for folder in ("tests", "docs", "turns", "pbem/data"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in ENDINGS and path.is_file():
                found[path.relative_to(ROOT).as_posix()] = path.read_bytes()
    return found


def told(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> list[str]:
    """What changed, a line or two for each file."""
    lines = []
    for path in sorted(before.keys() | now.keys()):
        if path not in now:
            lines.append(f"{path}: gone")
        elif path not in before:
            lines.append(f"{path}: new, {_text(path, now[path]).count(chr(10))} lines")
        elif before[path] != now[path]:
            lines += _difference(path, _text(path, before[path]), _text(path, now[path]))
    return lines


def _text(path: str, data: bytes) -> str:
    return (kept.unpacked(data) if path.endswith(".gz") else data).decode("utf-8", "replace")


def _difference(path: str, was: str, now: str) -> list[str]:
    if path.endswith(".sha256"):
        return _entries(path, *(dict(line.split()[::-1] for line in text.splitlines()) for text in (was, now)))
    if path.endswith("wide.txt"):
        return _entries(path, _by_digest(was), _by_digest(now))
    added, gone = (Counter(text.splitlines()) for text in (now, was))
    more, less = (added - gone).total(), (gone - added).total()
    counts = f"{more} line{'s' * (more != 1)} added, {less} removed" if more or less else "lines moved"
    names = [name for name, text in kept.parts_of(now).items() if kept.parts_of(was).get(name) != text]
    return [f"{path}: {counts}", *([f"  in {_listed(names)}"] if names else [])]


def _by_digest(text: str) -> dict[str, str]:
    """Digests of the short random games, by game, stretch and kind."""
    found, game = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            game = line.strip("[]")
        elif "=" in line:
            stretch, *pairs = line.split()
            for name, _, value in (pair.partition("=") for pair in pairs):
                found[f"{game}/{stretch}/{'/'.join(name.split('.'))}"] = value
    return found


def _entries(path: str, was: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    differ = [name for name in was.keys() | now.keys() if was.get(name) != now.get(name)]
    kinds = Counter(name.rpartition("/")[2].rpartition(".")[2 if path.endswith("wide.txt") else 0] for name in differ)
    if path.endswith("files.sha256"):
        kinds = Counter(name.rpartition("/")[2] if "/orders/" not in name else "orders" for name in differ)
    games = sorted({name.partition("/")[0] for name in differ})
    counted = (
        [f"{count} {kind}" for kind, count in kinds.most_common()]
        if path.endswith(("files.sha256", "wide.txt"))
        else []
    )
    return [
        f"{path}: {len(differ)} of {len(now)} digests differ" + (f": {_listed(counted)}" if counted else ""),
        f"  in {_listed(games)}",
    ]


def _listed(names: Sequence[str]) -> str:
    more = [f"and {len(names) - NAMED} more"] if len(names) > NAMED else []
    return ", ".join([*names[:NAMED], *more])


def main() -> int:
    """The command of the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PARTS, metavar="NAME", help=", ".join(PARTS))
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="COMMIT")
    parser.add_argument("--list", action="store_true", help="say what each part is")
    given = parser.parse_args()
    if given.list:
        print("\n".join(f"{name}: {part.what}" for name, part in PARTS.items()))
        return 0
    wanted = given.only or (touched_by(changed_since(given.changed)) if given.changed else list(PARTS))
    before, failed = files_now(), []
    for stage in (1, 2):
        with ThreadPoolExecutor(PROCESSES) as pool:
            for made in [pool.submit(make, name) for name in PARTS if name in wanted and PARTS[name].stage == stage]:
                try:
                    print(made.result(), flush=True)
                except RuntimeError as error:
                    failed.append(str(error))
    print("", "\n".join(told(before, files_now())) or "nothing changed", *failed, sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
