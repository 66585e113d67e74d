"""What the report tests share: the duel, before and after its end, and the raid."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

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


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""
