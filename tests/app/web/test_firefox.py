"""A turn of the evening game in Firefox, where there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.app.web import marionette

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

pytestmark = [pytest.mark.browser, pytest.mark.slow]
pytest.importorskip("starlette", reason="the extra web is not installed")

from pbem.app.web.evening import Table  # noqa: E402
from tests.app.web.browsing import CENTRE  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


@pytest.fixture
def firefox(tmp_path: Path) -> Iterator[marionette.Firefox]:
    program = marionette.installed()
    if program is None:
        pytest.skip("no Firefox on this machine")
    one = marionette.Firefox(program, tmp_path / "profile")
    yield one
    one.close()


def test_firefox_plays_a_turn(firefox: marionette.Firefox, evening: Callable[[], Evening], tmp_path: Path) -> None:
    """Preset, course, a shot and Send by clicks; then the film and the next request."""
    name = Table(tmp_path / "games").begin("4", "federation")
    address = evening().address
    firefox.goto(address)
    firefox.goto(f"{address.partition('?')[0]}game/{name}")
    ready = "return document.documentElement.dataset.table === 'ready'"
    firefox.until(ready)
    firefox.click("#preset-usual")
    firefox.until("return orderForm.text().includes('SPEED')")
    near = """const next = document.querySelector(".map .next [data-hex] path");
        const { x, y, width, height } = next.getBoundingClientRect();
        return [x + width / 2, y + height / 2];"""
    firefox.click(tuple(firefox.ask(near)))
    firefox.until("return orderForm.text().includes('PLOT')")
    enemy = firefox.ask("return orderForm.data.units.find(unit => unit.enemy).name")
    firefox.click(tuple(firefox.ask(f"return ({CENTRE})(arguments[0])", enemy)))
    firefox.until("return !document.getElementById('strip').hidden")
    firefox.click("#strip input:enabled")
    firefox.until("return orderForm.text().includes('FIRE')")
    firefox.until("return document.getElementById('told').textContent.includes('no faults found')")
    firefox.click("#send")
    firefox.until("return !document.getElementById('undo').disabled")
    firefox.until(ready)
    firefox.click("#film-open")
    firefox.until("return document.body.dataset.mode === 'film'")
    firefox.click("#film-end")
    firefox.until("return document.body.dataset.mode === 'plan' && !document.getElementById('send').hidden")
