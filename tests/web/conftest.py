"""A table whose server runs in a thread of the tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pbem.web.server import Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Callable[[], Evening]]:
    """Opens a table over ``tmp_path/games``; a second one is the first after a new start."""
    pytest.importorskip("starlette", reason="the extra web is not installed")
    pytest.importorskip("uvicorn", reason="the extra web is not installed")
    from pbem.web.server import Evening

    running: list[tuple[Evening, threading.Thread]] = []

    def stop() -> None:
        for one, thread in running:
            one.stop()
            thread.join(20)
        running.clear()

    def start() -> Evening:
        stop()
        one = Evening(tmp_path / "games")
        thread = threading.Thread(target=one.run, daemon=True)
        thread.start()
        running.append((one, thread))
        return one

    yield start
    stop()
