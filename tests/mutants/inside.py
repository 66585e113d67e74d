"""Trying mistakes without starting anew: the tests are collected once, and each mistake gets a fork of that process.

In the fork the function that holds the mistake gets other code, so its module need not be read again, nor those that
took the function from it. What stands outside of functions (tables, defaults, decorators) cannot be tried so:
:func:`function_of` says ``None``, and :mod:`tests.mutants.run` starts a process of its own for it.
"""

from __future__ import annotations

import ast
import gc
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import pytest

from tests.mutants.mistakes import Mistake

MARKED = "not browser"
"""The tests that are asked: all but those in a browser, as an expression of their marks."""

MEMORY = 6 << 30
"""Bytes of address space a fork may take: a mistake may never stop collecting."""

_FUNCTION = 0x1 | 0x2  # CO_OPTIMIZED, CO_NEWLOCALS: a class body has neither


class Task(NamedTuple):
    """A mistake and the tests that may notice it, in the order in which they are run."""

    mistake: Mistake
    tests: Sequence[str]
    seconds: float


class Found(NamedTuple):
    """``killed`` or ``survived``, by which test, and how many were run."""

    outcome: str
    by: str
    run: int


Place = tuple[str, int]
"""A function of a module: its qualified name and the line it begins with."""


def function_of(mistake: Mistake, source: str) -> Place | None:
    """The outermost function whose body holds the mistake; ``None`` where it stands outside of all, or in one that is
    called while its module is read: in a fork all modules are read already.
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def search(body: Sequence[ast.stmt], prefix: str) -> Place | None:
        for node in body:
            if isinstance(node, ast.ClassDef) and node.lineno <= mistake.line <= (node.end_lineno or 0):
                return search(node.body, f"{prefix}{node.name}.")
            if not isinstance(node, ast.FunctionDef) or not mistake.line <= (node.end_lineno or 0):
                continue
            first = node.body[0]
            if starts[first.lineno - 1] + first.col_offset > mistake.start:
                return None
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return (f"{prefix}{node.name}", begins) if begins <= mistake.line else None
        return None

    tree = ast.parse(source)
    found = search(tree.body, "")
    return None if found is not None and found[0] in _called_at_once(tree) else found


def _called_at_once(tree: ast.Module) -> set[str]:
    """The functions that a module calls while it is read, and those that these call."""
    called: set[str] = set()

    def look(body: Iterable[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                look(node.body)
            elif not isinstance(node, ast.FunctionDef):
                called.update(_calls(node))

    look(tree.body)
    bodies = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    waiting = [name for name in bodies if name in called]
    while waiting:
        more = {name for name in _calls(bodies[waiting.pop()]) if name in bodies} - called
        called |= more
        waiting += more
    return called


def _calls(node: ast.AST) -> set[str]:
    return {each.func.id for each in ast.walk(node) if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)}


def span_of(mistake: Mistake, source: str) -> tuple[int, int]:
    """The first and last line of the outermost function that holds the mistake; its own where there is none."""
    spans = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef)
    ]
    around = [span for span in spans if span[0] <= mistake.line <= span[1]]
    return max(around, key=lambda span: span[1] - span[0], default=(mistake.line, mistake.last))


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The outermost functions of a module's code, in the order of the text."""
    for part in code.co_consts:
        if isinstance(part, CodeType) and not part.co_name.startswith("<"):
            if part.co_flags & _FUNCTION == _FUNCTION:
                yield part
            else:
                yield from _functions(part)


def changed(mistake: Mistake, source: str, path: Path, place: Place) -> CodeType:
    """The function's code with the mistake in it."""
    before = list(_functions(compile(source, str(path), "exec", dont_inherit=True)))
    after = list(_functions(compile(mistake.applied(source), str(path), "exec", dont_inherit=True)))
    number = next(n for n, code in enumerate(before) if (code.co_qualname, code.co_firstlineno) == place)
    return after[number]


class Tries:
    """A plugin of pytest that tries mistakes in place of running the tests once."""

    def __init__(self, root: Path, tasks: Sequence[Task], workers: int, told: Callable[[Task, Found], None]) -> None:
        self.root, self.tasks, self.workers, self.told = root, list(tasks), workers, told
        self.keeping: list[_lru_cache_wrapper[Any]] = []
        """What keeps its answers: those of before the mistake are forgotten."""

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Each mistake in a fork; so many at once as there are workers."""
        items = {item.nodeid: item for item in session.items}
        functions = self._live()
        running: dict[int, tuple[Task, int, Path]] = {}
        for task in self.tasks:
            if len(running) >= self.workers:
                self._wait(running)
            chosen = [items[test] for test in task.tests if test in items]
            reading, writing = os.pipe()
            room = Path(tempfile.mkdtemp(prefix="mistake-"))
            child = os.fork()
            if not child:
                os.close(reading)
                _move_into(session, room)
                self._try(session, task, chosen, functions, writing)
            os.close(writing)
            running[child] = (task, reading, room)
        while running:
            self._wait(running)
        return True

    def _live(self) -> dict[tuple[str, Place], list[FunctionType]]:
        """Every function of the modules that hold mistakes, by file and place."""
        for name in sorted({task.mistake.path for task in self.tasks}):
            importlib.import_module(name.removesuffix(".py").replace("/", "."))
        found: dict[tuple[str, Place], list[FunctionType]] = {}
        gc.unfreeze()  # tests/conftest.py froze what was there after the tests were collected: it would not be listed
        for each in gc.get_objects():
            if isinstance(each, _lru_cache_wrapper) and each.__module__.partition(".")[0] in ("pbem", "vassal"):
                self.keeping.append(each)
            if isinstance(each, FunctionType):
                code = each.__code__
                found.setdefault((code.co_filename, (code.co_qualname, code.co_firstlineno)), []).append(each)
        gc.freeze()
        return found

    def _try(
        self,
        session: pytest.Session,
        task: Task,
        chosen: Sequence[pytest.Item],
        functions: dict[tuple[str, Place], list[FunctionType]],
        out: int,
    ) -> None:
        """In the fork: make the mistake, run the tests until one fails; never returns."""
        said = "broken"
        try:
            path = self.root / task.mistake.path
            source = path.read_text(encoding="utf-8")
            place = function_of(task.mistake, source)
            assert place is not None
            code = changed(task.mistake, source, path, place)
            live = functions[str(path), place]
            for function in live:
                function.__code__ = code
            for kept in self.keeping:
                kept.cache_clear()
            import resource  # not on every system

            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(int(60 + 4 * task.seconds))
            said = f"survived||{len(chosen)}"
            for number, item in enumerate(chosen, start=1):
                if failed := _fails(session, item, chosen[number] if number < len(chosen) else None):
                    said = f"killed|{failed}|{number}"
                    break
        except BaseException as error:
            said = f"broken|{type(error).__name__}: {error}|0"
        finally:
            os.write(out, said.encode()[:4000])
            os._exit(0)

    def _wait(self, running: dict[int, tuple[Task, int, Path]]) -> None:
        child, _ = os.wait()
        task, reading, room = running.pop(child)
        said = os.read(reading, 5000).decode(errors="replace")
        os.close(reading)
        shutil.rmtree(room, ignore_errors=True)
        outcome, by, run = said.split("|") if said.count("|") == 2 else ("killed", "it never ended", "0")
        self.told(task, Found(outcome, by, int(run)))


def _move_into(session: pytest.Session, room: Path) -> None:
    """In the fork: what tests make once and share is made by this program, and is there for no other fork."""
    tempfile.tempdir = str(room)
    base = room / "base"
    base.mkdir()
    vars(session.config)["_tmp_path_factory"]._basetemp = base


def _fails(session: pytest.Session, item: pytest.Item, after: pytest.Item | None) -> str:
    """Run a test; its name if it fails."""
    from _pytest.runner import runtestprotocol

    reports: list[Any] = runtestprotocol(item, log=False, nextitem=after)
    return item.nodeid.replace("|", "/") if any(report.failed for report in reports) else ""


def try_all(root: Path, tasks: Sequence[Task], workers: int, told: Callable[[Task, Found], None]) -> None:
    """Try mistakes that stand in functions, and tell what came of each."""
    files = {test.partition("::")[0] for task in tasks for test in task.tests}
    there = sorted(file for file in files if (root / file).is_file())  # some were renamed since they were watched
    begun = time.monotonic()
    os.environ |= {"PBEM_MUTANT": "1", "HYPOTHESIS_DATABASE_FILE": ""}
    plugin = Tries(root, tasks, workers, told)
    pytest.main(
        ["-q", "--no-header", "-m", MARKED, "-p", "no:cacheprovider", "-p", "no:xdist", *there], plugins=[plugin]
    )
    print(f"{len(tasks)} mistakes in {time.monotonic() - begun:.0f} s", file=sys.stderr)
