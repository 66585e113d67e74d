"""A pytest plugin that writes down which test reaches which line, and how long each test takes.

    PBEM_REACH=FOLDER python -m pytest -p tests.mutants.reach …

One file a process, so that it may run on all cores: ``FOLDER/PID.cover`` (a coverage database whose contexts are the
names of tests) and ``FOLDER/PID.times.json`` (test -> seconds).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

FOLDER = Path(os.environ.get("PBEM_REACH", "."))
_cover = coverage.Coverage(
    data_file=str(FOLDER / f"{os.getpid()}.cover"), source=["pbem", "vassal"], config_file=False, branch=False
)
_times: dict[str, float] = {}
_cover.start()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """The lines of a test are reached in its own name, set-up and clean-up included."""
    _cover.switch_context(item.nodeid)
    yield
    _cover.switch_context("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """The seconds of its three phases."""
    _times[report.nodeid] = _times.get(report.nodeid, 0.0) + report.duration


def pytest_sessionfinish(session: Any) -> None:
    """Write both files; of the process that only hands out tests they are empty."""
    _cover.stop()
    _cover.save()
    (FOLDER / f"{os.getpid()}.times.json").write_text(json.dumps(_times), encoding="utf-8")
