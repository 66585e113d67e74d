"""The companion module as a file, and shipped games with it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from pbem.engine.events import Record
from pbem.games.storage.opening import opened
from pbem.vassal_bridge.export import open_module
from vassal.module.module import Module

TURNS = Path(__file__).parents[2] / "turns"


@pytest.fixture(scope="session")
def cadet(companion_file: Path) -> Module:
    return open_module(companion_file)


@pytest.fixture(scope="session")
def shipped() -> Callable[[str], list[Record]]:
    """The log of a shipped game."""

    @cache
    def records(name: str) -> list[Record]:
        with opened(TURNS / name) as folder:
            return folder.effective()

    return records
