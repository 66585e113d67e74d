"""The pages before and after a game in a real browser: start page, briefing, and the banner at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")

from playwright.sync_api import expect  # noqa: E402

from pbem.app.web.course import course  # noqa: E402
from pbem.app.web.evening import Table  # noqa: E402
from tests.app.web.browsing import Seat, axe_faults  # noqa: E402
from tests.app.web.test_results import finished  # noqa: E402

Start = Callable[[], "Evening"]


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


OUTSIDE = """names => [...document.querySelectorAll(names)].filter(one => {
  const box = one.getBoundingClientRect();
  return box.width === 0 || box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
}).map(one => one.outerHTML)"""
"""Elements that are not wholly inside the window."""


def opened_at(browser: Any, evening: Start, width: int, height: int, **how: Any) -> tuple[Any, str]:
    """A page of this size at the start page; and the address of the server."""
    address = evening().address
    page = browser.new_context(viewport={"width": width, "height": height}, **how).new_page()
    page.goto(address)
    return page, address.partition("?")[0]


def test_all_choices_of_a_scenario_are_seen_without_scrolling(browser: Any, evening: Start) -> None:
    page, base = opened_at(browser, evening, 1280, 720)
    for lesson in course():
        page.goto(f"{base}course/{lesson.setting.number}")
        assert page.locator("input[name=against]").count() == len(lesson.opponents)
        assert (
            page.evaluate(OUTSIDE, ".choose input:not([type=hidden]), .choose select, .choose .pick, .choose button")
            == []
        )
        # The text for a side changes with the side that is chosen.
        for side in lesson.sides:
            page.click(f"input[name=side][value='{side.name}']")
            expect(page.locator(".yours:visible")).to_contain_text(f"As {side.name}:")
    page.context.close()


def test_the_start_page_invites_to_play_without_scrolling(browser: Any, evening: Start, tmp_path: Path) -> None:
    page, base = opened_at(browser, evening, 1280, 720)
    first_row = "h1, .continue, #continue, .course li:nth-child(-n + 4) .lesson"
    assert page.evaluate(OUTSIDE, first_row) == []
    name = Table(tmp_path / "games").begin("5", "klingon", against="captain")
    page.goto(base)
    assert page.evaluate(OUTSIDE, first_row) == []
    page.click("#continue")
    page.wait_for_url(f"**/game/{name}")
    page.context.close()


def test_the_banner_tells_the_end_and_leads_on(evening: Start, seat: Callable[..., Seat], tmp_path: Path) -> None:
    table, mine = Table(tmp_path / "games"), seat()
    name = finished(table, "2", "drones", "ensign")
    mine.page.goto(evening().address)
    mine.page.click(f'a[href="/game/{name}"]')
    banner = mine.page.get_by_role("dialog", name="Defeat")
    expect(banner).to_be_visible()
    expect(banner).to_contain_text("All 8 drones are gone", ignore_case=True)
    expect(banner.get_by_role("button")).to_have_text(
        [re.compile("×"), "Rematch", "Swap sides", "Harder: a captain", re.compile("Watch it again")]
    )
    # The film of the whole game begins with its first turn.
    banner.get_by_role("button", name="Watch it again").click()
    expect(banner).to_be_hidden()
    expect(mine.page.locator("body[data-mode=film]")).to_be_attached()
    expect(mine.page.locator("#replay-at")).to_have_attribute("aria-valuetext", re.compile("^Turn 1, "))
    mine.page.reload()
    # Closed by Escape or by its button, the banner leaves the board free. Escape in a film ends the film alone.
    mine.page.click("#film-open")
    expect(banner).to_be_hidden()
    mine.page.keyboard.press("Escape")
    expect(banner).to_be_visible()
    mine.page.keyboard.press("Escape")
    expect(banner).to_be_hidden()
    mine.page.reload()
    banner.get_by_role("button", name="Close").click()
    expect(banner).to_be_hidden()
    mine.page.reload()
    banner.get_by_role("button", name="Swap sides").click()
    mine.page.wait_for_url("**/game/under-attack-2")
    expect(mine.page.locator(".bar")).to_contain_text("federation")
    mine.page.goto(mine.page.url.replace("under-attack-2", name))
    banner.get_by_role("link", name="Next scenario").click()
    expect(mine.page.locator("h1")).to_contain_text("Convoy Raid")


def test_the_banner_closes_without_a_script(browser: Any, evening: Start, tmp_path: Path) -> None:
    name = finished(Table(tmp_path / "games"), "1", "federation")
    page, base = opened_at(browser, evening, 1280, 720, java_script_enabled=False)
    page.goto(f"{base}game/{name}")
    page.click("#result-close")
    expect(page.locator("#result")).to_be_hidden()
    page.context.close()


@pytest.mark.slow
def test_axe_finds_no_fault_and_nothing_is_wider_than_a_phone(browser: Any, evening: Start, tmp_path: Path) -> None:
    table = Table(tmp_path / "games")
    names = [finished(table, "2", "drones", "ensign"), finished(table, "1", "federation")]
    names += [table.begin("1", "federation") for _ in range(7)]
    for colours in ("light", "dark"):
        for width, height in ((1280, 720), (390, 844)):
            page, base = opened_at(browser, evening, width, height, color_scheme=colours)
            for path in ("", "course/1", "course/8", "course/9", *(f"game/{name}" for name in names[:2])):
                page.goto(base + path)
                found = axe_faults(page)
                assert not found, f"{path} at {width}, {colours}: {found}"
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            page.context.close()
