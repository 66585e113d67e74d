"""A club's pages in a real browser: from the overview to a tournament, a game, a player and the ladder, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("openskill", reason="the extra club is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests import axe  # noqa: E402
from tests.app.web.clubs import key, opened_door  # noqa: E402
from tests.club.linked import linked_club  # noqa: E402

DESK, PHONE = (1280, 720), (390, 844)


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


@pytest.fixture(scope="module")
def home(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The folder of the club and of its site; it is only looked at."""

    def make(folder: Path) -> None:
        linked_club(folder)

    return once("linked", make)


@pytest.fixture(scope="module")
def house(home: Path) -> Iterator[ClubServer]:
    """The club's door, open."""
    with opened_door(home / "club") as one:
        yield one


class Reader:
    """A browser in front of the club's pages, by files or at the door; ``faults`` is what its pages complained of."""

    def __init__(self, browser: Any, home: Path, house: ClubServer, how: str, **context: Any) -> None:
        self.context = browser.new_context(reduced_motion="reduce", **context)
        self.page = self.context.new_page()
        self.faults: list[str] = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("response", lambda answer: self.faults.extend([answer.url] if answer.status >= 400 else []))
        self.page.on("requestfailed", lambda request: self.faults.append(f"failed: {request.url}"))
        if how == "file":
            self.page.route(re.compile("^https?:"), lambda route: route.abort())
            self.start = (home / "web" / "index.html").as_uri()
        else:
            self.start = f"http://127.0.0.1:{house.port}/"
            where = f"http://127.0.0.1:{house.port}"
            self.context.add_cookies([{"name": "pbem-club", "value": key(home / "club", "ann"), "url": where}])
        self.site = self.start.removesuffix("index.html") + ("site/" if how == "door" else "")
        self.page.goto(self.start)

    def follow(self, within: str, words: str) -> None:
        """Click a link, and wait until its page is there."""
        self.page.locator(within).get_by_role("link", name=words, exact=True).first.click()
        self.page.wait_for_load_state()
        self.verify()

    def verify(self) -> None:
        """Check that the page complained of nothing, and that it is not wider than the window."""
        assert self.faults == [], self.page.url
        width = self.page.viewport_size["width"]
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width, self.page.url


Open = Callable[..., Reader]


@pytest.fixture
def reader(browser: Any, home: Path, house: ClubServer) -> Iterator[Open]:
    """Open a browser in front of the pages; it is closed in the end."""
    opened: list[Reader] = []

    def begin(how: str, size: tuple[int, int] = DESK, **context: Any) -> Reader:
        if size == PHONE:
            context |= {"has_touch": True, "is_mobile": True}
        opened.append(Reader(browser, home, house, how, viewport={"width": size[0], "height": size[1]}, **context))
        return opened[-1]

    yield begin
    for one in opened:
        one.context.close()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("how", ["file", "door"])
def test_from_the_overview_to_tournament_game_player_and_ladder(reader: Open, how: str, size: tuple[int, int]) -> None:
    one = reader(how, size)
    page = one.page
    one.verify()
    for first in ("cup-1", "duel01"):  # each card shows a map
        expect(page.locator("li", has_text=first).locator("svg.picture .ship").first).to_be_visible()
    one.follow("nav", "Spring cup")
    expect(page.locator("h1")).to_have_text("Spring cup")
    page.get_by_role("link", name=re.compile("^cup-1-")).click()
    page.locator("html[data-table=ready]").wait_for()
    one.verify()
    expect(page.locator("#map-box .map")).to_be_in_viewport(ratio=0.9)
    one.follow("#rail-desk", "Kor")
    expect(page.locator("h1")).to_have_text("Kor")
    one.follow("nav", "Ladder")
    expect(page.locator("tbody tr").first).to_contain_text("Ann")
    one.follow("tbody", "Ann")
    one.follow("nav", "Spring cup")
    one.follow(".top", "Games")
    one.follow("main", "duel01")
    page.locator("html[data-table=ready]").wait_for()
    page.locator("a.home").click()
    expect(page.locator("main")).to_contain_text("Being played")
    if how == "door":
        one.follow("nav", "Your games")
        assert page.url == one.start


@pytest.mark.parametrize("how", ["file", "door"])
def test_a_spectators_page_begins_with_the_board_and_its_film(reader: Open, how: str) -> None:
    one = reader(how)
    page = one.page
    page.goto(f"{one.site}duel01/index.html")
    page.locator("html[data-table=ready]").wait_for()
    share, scrolls = page.evaluate("""() => {
      const { width, height } = document.getElementById("map").getBoundingClientRect();
      return [width * height / (innerWidth * innerHeight), document.scrollingElement.scrollHeight > innerHeight];
    }""")
    assert share >= 0.65 and not scrolls
    expect(page.locator("#replay-title")).to_contain_text("Turn 2")
    expect(page.locator("#film-open, #film-end")).to_have_count(2)
    for name in ("#film-open", "#film-end"):
        expect(page.locator(name)).to_be_hidden()
    turns = page.locator("#replay-turns a")
    expect(turns).to_have_count(2)
    turns.first.click()
    expect(page.locator("#replay-title")).to_have_text(re.compile("^Turn 1"))
    page.keyboard.press("Escape")
    expect(page.locator("#film")).to_be_visible()
    page.locator("#turns .told-short a", has_text="2.7").first.click()
    expect(page.locator("#replay-title")).to_contain_text("Turn 2, impulse 7")
    expect(page.locator("#replay-said")).to_contain_text("KD/2")
    page.goto(f"{one.site}duel01/index.html#t2i1")
    page.reload()
    page.locator("html[data-table=ready]").wait_for()
    expect(page.locator("#replay-title")).to_contain_text("Turn 2, impulse 1")
    before = page.locator("#rail-ships .display").first.inner_html()
    page.locator("#replay-first").click()
    page.locator("#replay-play").click()
    expect(page.locator("#rail-ships")).to_be_visible()
    assert page.locator("#rail-ships .display").first.inner_html() != before, "displays follow the film"
    page.locator("#tab-log").click()
    page.locator("#replay-on").click()
    expect(page.locator("#rail-log")).to_be_visible()
    one.verify()


def test_the_film_holds_nothing_that_only_one_side_knows(reader: Open) -> None:
    """A spectator sees no ship of theirs, no orders and no private sentence."""
    page = reader("file").page
    page.goto(page.url.replace("index.html", "duel01/index.html"))
    assert page.locator("#rail-log .acts li").count() > 40, "there is much to tell"
    assert page.locator(".chip.own, #form, #presets, #send, #rail-plan").count() == 0
    assert not page.evaluate("JSON.parse(document.getElementById('game').textContent).mine")
    ships = page.evaluate("Object.values(JSON.parse(document.getElementById('displays').textContent).ships)")
    assert len(ships) == 2 and not any(ship["mine"] for ship in ships)


def test_pages_are_read_without_scripts(reader: Open) -> None:
    one = reader("file", java_script_enabled=False)
    page = one.page
    page.goto(f"{one.site}duel01/index.html")
    for part in ("#map-box .map", "#rail-desk", "#rail-ships", "#rail-log", "#record"):
        expect(page.locator(part)).to_be_visible()
    top = {part: page.locator(part).bounding_box()["y"] for part in ("#map", "#rail-desk", "#rail-ships", "#rail-log")}
    assert list(top) == sorted(top, key=lambda part: top[part]), "the board first, then what to read"
    page.get_by_role("link", name="report").first.click()
    expect(page.locator("h1")).to_contain_text("duel01")
    assert one.faults == []


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_axe_finds_nothing(reader: Open, size: tuple[int, int], scheme: str) -> None:
    one = reader("door", size, color_scheme=scheme, bypass_csp=True)
    page = one.page
    pages = page.locator("nav a, .links a, .gamecard p.soft a")
    links = {str(link) for link in pages.evaluate_all("links => links.map(link => link.href)")}
    assert len(links) >= 7
    for address in sorted({one.start, *links}):
        page.goto(address)
        assert axe.faults(page) == [], address
        if page.locator("#tab-log").count():
            for tab in ("#tab-ships", "#tab-log"):
                page.locator(tab).click()
                assert axe.faults(page) == [], f"{address} {tab}"
        one.verify()
