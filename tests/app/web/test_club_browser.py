"""A club's door in a real browser: from the link in a mail to orders that count, by clicks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")

from playwright.sync_api import expect  # noqa: E402

from pbem.app.web.club import Club  # noqa: E402
from pbem.mail.host.round import host_round  # noqa: E402
from pbem.mail.seats import LOGIN_PATH  # noqa: E402
from tests.app.web.browsing import Seat, axe_faults  # noqa: E402
from tests.app.web.clubs import free_duel, key, tried  # noqa: E402
from tests.mail.world import START  # noqa: E402

Take = Callable[..., Seat]


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


def come_in(one: Seat, door: ClubServer, club: Path, person: str) -> None:
    """Clicks the link in a mail, and says that it is their own."""
    one.page.goto(f"http://127.0.0.1:{door.port}{LOGIN_PATH}#{key(club, person)}")
    one.page.get_by_role("button", name=re.compile(f"I am {person}", re.IGNORECASE)).click()
    one.page.locator("ul.games").wait_for()
    assert key(club, person) not in one.page.url


def filed(club: Path, side: str) -> str:
    here = Club(club)
    return here.look(next(seat for seat in here.games().seats if seat.side == side)).filed


def test_from_the_link_in_a_mail_to_a_turn_that_was_played(seat: Take, door: ClubServer, club: Path) -> None:
    ann, bob = seat(), seat()
    for one, person in ((ann, "ann"), (bob, "bob")):
        come_in(one, door, club, person)
        one.page.click("ul.games a")
        one.ready()
    ann.press("#preset-usual")
    ann.told("no faults found")
    assert ann.page.locator("#officer").count() == 0, "a club has no first officer"
    ann.page.click("#send")
    ann.page.wait_for_url("**/game/duel/federation?sent")
    ann.ready()
    assert "YOUR ORDERS, AS UNDERSTOOD" in ann.page.inner_text("#rail-desk")
    first = filed(club, "federation")
    assert "PHASERS" in first or "SPEED" in first
    # The plan has kept what was chosen: another order is one click away, and counts.
    ann.told("no faults found")
    assert "SPEED" in ann.text.text_content()
    assert ann.page.locator("#news").is_hidden()
    bob.page.click("#send")
    bob.page.wait_for_url("**/game/duel/klingon?sent")
    host_round(club, lambda: START)
    ann.page.locator("#news a").click(timeout=60_000)  # she is told that play went on
    ann.page.wait_for_url("**/game/duel/federation")  # the script takes away what says that it was played
    ann.ready()
    assert "Map, turn 1, impulse 1" in ann.page.locator("#map-title").inner_html()
    ann.page.click("#tab-desk")
    ann.page.click(".earlier a")
    expect(ann.page.locator("h1")).to_contain_text("duel")
    ann.page.go_back()
    ann.ready()
    ann.page.click("#tab-desk")
    ann.page.fill("#letter", "Well met.")
    ann.page.select_option("#to", "klingon")
    ann.page.click("#rail-desk form button")
    ann.page.wait_for_url("**?sent")
    ann.ready()
    expect(ann.page.locator("#rail-desk")).to_be_visible()
    assert "Taken" in ann.page.inner_text("#rail-desk")
    ann.page.click("a.home")
    ann.page.click("text=Log out")
    ann.page.goto(f"http://127.0.0.1:{door.port}/game/duel/federation")
    assert ann.page.locator("#key").is_visible()
    assert ann.page.evaluate("localStorage.length") == 0  # nor is what she had entered and not sent
    # Chromium's own words: on the page that asks for the link, and on what it cleared.
    for one in (ann, bob):
        one.said = [said for said in one.said if not re.search("403|Clear-Site-Data", said)]


def test_a_save_from_the_table_is_shown_in_the_form_and_not_sent(seat: Take, door: ClubServer, club: Path) -> None:
    opening = free_duel(club)
    ann = seat()
    come_in(ann, door, club, "ann")
    ann.page.goto(f"http://127.0.0.1:{door.port}/game/free/federation")
    ann.ready()
    ann.press("#preset-usual")
    ann.told("no faults found")
    ann.page.click("#tab-desk")
    mine = {"name": "mine.vsav", "mimeType": "application/octet-stream"}
    ann.page.set_input_files("#tried", {**mine, "buffer": tried(opening, "Constellation", "2602", 4)})
    ann.told("mine.vsav are in the plan. They are not sent yet")
    text = ann.text.text_content()
    assert "PLOT 2F" in text and "PHASERS" in text, "what was entered before stays"
    ann.page.set_input_files("#tried", {**mine, "buffer": opening.read_bytes()})
    ann.told("Nothing was read")
    assert "was moved in it" in ann.page.inner_text("#wrong")
    ann.said.clear()  # that it was refused
    assert "PLOT 2F" in ann.text.text_content()
    here = Club(club)
    assert not here.look(
        next(one for one in here.games().seats if (one.game, one.side) == ("free", "federation"))
    ).filed


def test_it_is_read_and_sent_without_scripts(browser: Any, door: ClubServer, club: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{door.port}{LOGIN_PATH}")
    page.fill("#key", key(club, "bob"))
    page.click("button.main")
    page.click("ul.games a")
    page.click("noscript button.main, .bare button.main")
    page.get_by_text("Your orders on file").first.wait_for()
    assert page.url.endswith("?sent")
    assert "SHIP Destruction" in filed(club, "klingon")
    context.close()


@pytest.mark.slow
def test_axe_finds_no_fault_at_the_door_and_nothing_is_wider_than_a_phone(
    browser: Any, door: ClubServer, club: Path
) -> None:
    host_round(club, lambda: START)
    for width, colours in ((1400, "light"), (390, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=colours)
        page = context.new_page()
        base = f"http://127.0.0.1:{door.port}"
        page.goto(f"{base}{LOGIN_PATH}")
        assert not axe_faults(page)
        page.goto(f"{base}{LOGIN_PATH}#{key(club, 'ann')}")
        page.goto("about:blank")
        page.goto(f"{base}{LOGIN_PATH}#{key(club, 'ann')}")
        page.get_by_role("button", name="I am Ann").wait_for()
        assert not axe_faults(page)
        page.get_by_role("button", name="I am Ann").click()
        page.locator("ul.games").wait_for()
        # The next time the link opens her games at once.
        page.goto("about:blank")
        page.goto(f"{base}{LOGIN_PATH}#{key(club, 'ann')}")
        page.locator("ul.games").wait_for()
        for path in ("/", "/game/duel/federation", "/game/none/federation"):
            page.goto(base + path)
            if path.endswith("duel/federation"):
                page.click("#tab-desk")
            found = axe_faults(page)
            assert not found, f"{path} at {width}: {found}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        context.close()
