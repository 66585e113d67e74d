"""The report page in a real browser: nothing complains, nothing leaves it, nothing hostile runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.report.gather import build_view
from pbem.report.page import sitrep_html

pytestmark = pytest.mark.browser

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
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


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_keeps_to_itself(browser: Any, duels: ModuleType, tmp_path: Path, width: int, scheme: str) -> None:
    file = tmp_path / "sitrep.html"
    records = duels.duel(fed=HOSTILE, player=HOSTILE)
    file.write_text(sitrep_html(build_view(records, "umpire")), encoding="utf-8", newline="\n")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert (said, asked) == ([], [file.as_uri()])
    assert page.title() == "duel01 2.9 SITREP"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The style is in force: its hash in the policy is right.
    assert page.evaluate("getComputedStyle(document.querySelector('.map .grid')).fill") == "none"
    page.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_of_a_raid_fits_and_draws_all(browser: Any, raids: ModuleType, tmp_path: Path, width: int) -> None:
    file = tmp_path / "sitrep.html"
    file.write_text(sitrep_html(build_view(raids.raid(), "federation")), encoding="utf-8", newline="\n")
    page = browser.new_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(file.as_uri())
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for mark in (".planet", ".rock", ".tie", ".boat", "use[href='#shape-monster']"):
        box = page.locator(f".map {mark}").first.bounding_box()
        assert box is not None and box["width"] > 4, mark
    page.close()
