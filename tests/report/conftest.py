"""What the report tests share: the duel, before and after its end, and the raid."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


@pytest.fixture(scope="session")
def duels() -> ModuleType:
    """The module that makes the duel (test folders are no packages)."""
    if "report_duel" not in sys.modules:
        path = Path(__file__).with_name("duel.py")
        spec = importlib.util.spec_from_file_location("report_duel", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["report_duel"] = module
        spec.loader.exec_module(module)
    return sys.modules["report_duel"]


@pytest.fixture(scope="session")
def raids() -> ModuleType:
    """The module that makes the raid."""
    if "report_raid" not in sys.modules:
        path = Path(__file__).with_name("raid.py")
        spec = importlib.util.spec_from_file_location("report_raid", path)
        assert spec is not None and spec.loader is not None
        sys.modules["report_raid"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["report_raid"])
    return sys.modules["report_raid"]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A Chromium, where there is one."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        pytest.skip("no Chromium on this machine")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()
