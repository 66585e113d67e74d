"""For all tests: no timing decides anything, so Hypothesis has no deadlines; and its examples are the same
every time. And the browser, which all share.

What takes most of the time of whoever plays a game is left out where no test looks: the pictures of maps in mails are
not drawn but named (sketched.py; the fixture ``drawn`` brings them back), pages of reports and forms neither (the
fixture ``pages``), no report is made twice of the same log (both remembered.py), and no disk is waited for (no power
fails while tests run). What was loaded and collected stays to the end, so that nobody looks through it for what could
go: that was a seventh of the time.
"""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.headerregistry import HeaderRegistry
from functools import cache, lru_cache
from importlib import import_module
from multiprocessing.util import Finalize
from pathlib import Path
from typing import Any

import pytest
import typer.main
from _pytest.runner import runtestprotocol
from filelock import FileLock
from hypothesis import settings

from pbem.app import cli
from pbem.games.storage import files, papers
from pbem.reports.map import picture
from pbem.vassal_bridge.companion.module import build_module, write_module
from tests import kept, long, remembered, scratch
from tests.sketched import nobody_waits, one_by_one, sketch

settings.register_profile("pbem", deadline=None, derandomize=True)
settings.load_profile("pbem")

HERE = Path(__file__).resolve().parent

OBJECTS = 1_000_000
"""Where tests have left so many things that hold others, it is looked which of them could go: between two tests, when
most of what one had is gone by itself and need not be looked at.
"""
IN_A_TEST = 5_000_000
"""So many may be made within one, which is more than any needs."""
ROUNDS = 20
"""As often the youngest are looked through before the older ones are; those that were there before the tests never."""
gc.set_threshold(IN_A_TEST, ROUNDS, ROUNDS)

LONGEST = "tests/test_layout.py::test_mypy_strict_finds_nothing"

ENDED: list[int] = []
"""How the run of this process ended."""


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Folders are in memory, where there is room for them."""
    if config.option.basetemp is None and "PYTEST_XDIST_WORKER" not in os.environ and (folder := scratch.in_memory()):
        # Registered first, it is done last: libraries take their own folders away as the process ends, multiprocessing
        # its own at -100.
        Finalize(None, lambda: scratch.done(folder, passed=ENDED == [pytest.ExitCode.OK]), exitpriority=-1000)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Of two processes the second reads the tests from their end on before it collects them: where nothing is compiled
    yet, neither compiles what the other has by then. What cannot be read yet is read when it is collected.
    """
    second = os.environ.get("PYTEST_XDIST_WORKER") == "gw1"
    if second and session.config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        files = sorted((path for path in HERE.rglob("test_*.py")), reverse=True)
        for path in files[: len(files) // 2]:
            with suppress(Exception, pytest.skip.Exception):
                import_module(".".join(path.relative_to(HERE.parent).with_suffix("").parts))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What was measured as long bears the mark of it. What takes longest by itself begins: at the end the other
    processes would stand and wait for it. Who keeps texts anew runs only the tests that hold one.
    """
    if "PBEM_KEEP" in os.environ:
        items[:] = [item for item in items if "as_kept" in getattr(item, "fixturenames", ())]
    named = long.named()
    for item in items:
        if item.nodeid in named:
            item.add_marker("long")
    items.sort(key=lambda item: item.nodeid != LONGEST)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A process that tests for another tells it of a test that passed once, and not five times: that it began, that it
    was set up and that all was put away again is not looked at there. Who asks for times, for names or for a file of
    all reports gets all.
    """
    option = item.config.option
    asked = option.verbose > 0 or option.durations is not None or getattr(option, "xmlpath", None)
    if asked or "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """What a test left goes, where it is much."""
    if gc.get_count()[0] > OBJECTS:
        gc.collect(0 if gc.get_count()[1] < ROUNDS else 1)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    """Nobody looks through all that is there for what could go, as pytest would: the process ends."""
    gc.freeze()
    ENDED.append(exitstatus)


def pytest_collection_finish() -> None:
    """What is there now is there to the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What hosts keep apart from their folders, and what was made once, is kept in none of this account's. What hangs
    on the program alone is made once for all processes of a run.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(shared_by_all(tmp_path_factory) / "cache"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def shared_by_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run, the same one in each of its processes."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


_lean = picture._leanly_drawn


def read_once(real: Callable[[HeaderRegistry, str, Any], Any]) -> Callable[[HeaderRegistry, str, Any], Any]:
    """What a header of a mail says, which nothing changes; mails are of the same few, and ask each time."""
    kept = lru_cache(maxsize=4096)(real)
    return lambda registry, name, value: (kept if type(value) is str else real)(registry, name, value)


@pytest.fixture(scope="session", autouse=True)
def quick() -> Iterator[None]:
    """No picture or page is made, no report twice, no disk waited for, the words of the command line are put together
    once and not for each command, and what the header of a mail says is read once; commands in processes of their own
    do all that.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(picture, "_leanly_drawn", sketch)
        patch.setattr(papers, "spare", lambda: False)  # no copy of this process draws one meanwhile
        patch.setattr(os, "fsync", nobody_waits)
        patch.setattr(files, "_sync_all", one_by_one)
        patch.setattr(typer.main, "get_command", cache(typer.main.get_command))
        patch.setattr(HeaderRegistry, "__call__", read_once(HeaderRegistry.__call__))
        patch.setattr(cli, "OBJECTS", IN_A_TEST)
        if "PBEM_REACH" not in os.environ:  # tests/mutants asks which test reaches a line, and not which comes first
            remembered.install(patch)
        yield


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], None]], Path]:
    """A folder that is made once in a whole run, whichever of its processes needs it first; it is only looked at.
    ``once("duel", make)`` has ``make(folder)`` write it, and gives where it is.
    """
    shared = shared_by_all(tmp_path_factory) / "once"
    shared.mkdir(exist_ok=True)

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder, building = shared / name, shared / f"{name}.new"
        with FileLock(shared / f"{name}.lock"):
            if not folder.is_dir():
                shutil.rmtree(building, ignore_errors=True)
                with remembered.real_pages():
                    make(building / folder.name)
                (building / folder.name).replace(folder)
        return folder

    return made


@pytest.fixture(scope="session")
def companion_file(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The companion module with its drawings: building it takes a second."""

    def build(folder: Path) -> None:
        folder.mkdir(parents=True)
        write_module(build_module(svg=True), folder / "cadet.vmod")

    return once("companion", build) / "cadet.vmod"


@pytest.fixture
def as_kept(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """Compare a whole text with what is kept in a file beside the test: ``as_kept("decrees.txt", found)``, or in a part
    of it: ``as_kept("stories.txt", found, "late")``. ``python -m tests.refresh`` keeps what is found.
    """

    def compare(name: str, found: str, part: str = "") -> None:
        file = request.path.with_name(name)
        if "PBEM_KEEP" in os.environ:
            with FileLock(shared_by_all(tmp_path_factory) / f"{name}.lock"):
                if part:
                    kept.keep_parts(file, {part: found}, all_of_them=False)
                else:
                    kept.keep(file, found)
        told = kept.difference(file, found, part)
        assert not told, f"`PBEM_KEEP=1 pytest -m '' {request.node.nodeid!r}` keeps it; review the difference:\n{told}"

    return compare


@pytest.fixture(scope="module")
def pages() -> Iterator[None]:
    """Pages of reports and forms are made: for a module whose tests look at them."""
    with remembered.real_pages():
        yield


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mails have the pictures they go out with."""
    monkeypatch.setattr(picture, "_leanly_drawn", _lean)


BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What a Chromium is called; the first that is there is taken."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium, where there is one. One for all tests: a process can drive but one at a time. Its headless shell,
    which has no window around a page, takes half the time of the whole one.
    """
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()
