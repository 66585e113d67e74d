"""A table whose server runs in a thread of the tests."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.web.browsing import Seat

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer, Evening


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Callable[[], Evening]]:
    """Opens a table over ``tmp_path/games``; a second one is the first after a new start."""
    pytest.importorskip("starlette", reason="the extra web is not installed")
    pytest.importorskip("uvicorn", reason="the extra web is not installed")
    from pbem.app.web.server import Evening

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


@pytest.fixture
def seat(browser: Any) -> Iterator[Callable[..., Seat]]:
    """Takes a seat; closes its browser in the end, and then nothing may have been said."""
    taken: list[Seat] = []

    def take(**how: Any) -> Seat:
        taken.append(Seat(browser, **how))
        return taken[-1]

    yield take
    for one in taken:
        one.context.close()
    assert [said for one in taken for said in one.said] == []


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """A club with a duel of Ann, who has a key, and Bob."""
    from tests.app.web.clubs import begun

    return begun(tmp_path / "club")


@pytest.fixture
def door(club: Path) -> Iterator[ClubServer]:
    """Its door, open."""
    from tests.app.web.clubs import opened_door

    with opened_door(club) as one:
        yield one
