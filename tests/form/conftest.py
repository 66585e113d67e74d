"""Order form pages to look at: of every scenario's opening, in a browser where there is one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pbem.engine.log import decode_records, encode_records, fold_records
from pbem.games.create import new
from pbem.games.storage.opening import opened
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import form_html

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


class Form(NamedTuple):
    """One side's form of a game: the game's folder, the side, and the page."""

    game: Path
    side: str
    html: str


def forms_of(game: Path) -> list[Form]:
    """The page of every side that owes orders."""
    with opened(game) as folder:
        state, scenario = folder.state(), folder.scenario()
        assert state.request is not None
        return [
            Form(
                game,
                side,
                form_html(folder.effective(), side, scenario, draft_for(state, scenario, state.request, side)),
            )
            for side in state.request.sides
        ]


@pytest.fixture(scope="session")
def opening(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Form]]:
    """The forms with which a scenario begins, energy and orders in one."""
    made: dict[str, list[Form]] = {}

    def forms(scenario: str) -> list[Form]:
        if scenario not in made:
            game = tmp_path_factory.mktemp(f"s{scenario}") / "brawl"
            new(scenario, game, players={}, options={"reveal": "none"}, seed="order forms")
            made[scenario] = forms_of(game)
        return made[scenario]

    return forms


class Page:
    """A form opened in the browser, with what it said and asked for."""

    def __init__(self, browser: Any, file: Path, html: str, **how: Any) -> None:
        file.write_text(html, encoding="utf-8", newline="\n")
        self.page = browser.new_page(**{"viewport": {"width": 1400, "height": 1000}, **how})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        self.page.locator("html[data-form=ready]").wait_for()

    def text(self) -> str:
        return str(self.page.locator("#text").text_content())

    def told(self, where: str, words: str | re.Pattern[str]) -> None:
        """Waits until these words stand in a part of the page."""
        from playwright.sync_api import expect

        expect(self.page.locator(where).first).to_contain_text(words)

    def has(self, words: str) -> None:
        """Waits until the text of the orders holds these words, line breaks and all."""
        self.told("#text", re.compile(re.escape(words)))

    def holds(self, where: str, value: str) -> None:
        """Waits until a field holds this."""
        from playwright.sync_api import expect

        expect(self.page.locator(where)).to_have_value(value)

    def ready(self) -> None:
        """Waits until the form says that its orders can be sent, and that nothing is open."""
        self.told("#verdict", re.compile("^✓ Ready to send"))

    def settled(self) -> None:
        """Waits until what the last press put off is done: the page does it by a timer, and timers of one length go
        off in the order in which they were set.
        """
        self.page.evaluate("() => new Promise(done => setTimeout(done))")

    def tab(self, number: int) -> None:
        """Turns to a unit's part of the form, where there are several."""
        from playwright.sync_api import expect

        if self.page.locator("#units button").count():
            self.page.click(f"#tab{number}")
            expect(self.page.locator(f"#tab{number}")).to_have_attribute("aria-selected", "true")

    def usual(self, unit: str) -> None:
        """Presses "as usual" of a unit that has an energy form, and waits until its lines are in the orders."""
        if self.page.locator(f"{unit}-usual").count():
            self.page.click(f"{unit}-usual")
            self.told("#text", re.compile(r"ENERGY\n  \w"))

    def click_hex(self, hex: str) -> None:
        spot = self.page.evaluate(
            "hex => { const at = [...document.querySelectorAll('.map .no text')].find(t => t.textContent === hex)"
            ".getBoundingClientRect(); return [at.x + at.width / 2, at.y + at.height / 2 + 9]; }",
            hex,
        )
        self.page.mouse.click(*spot)


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a page; closes it again at the end, and then nothing may have been said or fetched."""
    pages: list[Page] = []

    def open_page(html: str, **how: Any) -> Page:
        pages.append(Page(browser, tmp_path / f"orders{len(pages)}.html", html, **how))
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.said == [] and len(page.asked) == 1
        page.page.close()


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> list[Form]:
    """Forms of a duel whose game, players and ships bear names that would like to be markup."""
    game = tmp_path_factory.mktemp("hostile") / "game"
    new("5", game, players={"klingon": HOSTILE}, options={"reveal": "none"}, seed="x")
    with opened(game) as folder:
        scenario = folder.scenario()
        data = encode_records(folder.effective())
    named = json.dumps(HOSTILE, ensure_ascii=False)[1:-1].encode()
    records = decode_records(data.replace(b"Constellation", named).replace(b"Destruction", named + b"2"))
    state = fold_records(records)
    assert state.request is not None
    return [
        Form(game, side, form_html(records, side, scenario, draft_for(state, scenario, state.request, side)))
        for side in state.request.sides
    ]


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""
