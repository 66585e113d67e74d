"""Somebody in front of a real browser."""

from __future__ import annotations

import re
from typing import Any

from tests import axe


def axe_faults(page: Any) -> list[str]:
    """What axe-core finds wrong with a page; its frames hold pages that are tried by themselves."""
    return axe.faults(page, frames=False)


class Seat:
    """A browser of its own at the table, with what its pages said and all they were sent; with ``touch`` a phone."""

    def __init__(self, browser: Any, width: int = 1600, *, touch: bool = False) -> None:
        phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
        desk = {"viewport": {"width": width, "height": 1000}}
        self.context = browser.new_context(reduced_motion="reduce", **(phone if touch else desk))
        self.touch = touch
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))

    def begin(self, address: str, number: int, side: str = "", *, friend: bool = False, version: str = "") -> None:
        """Opens the table and begins a scenario by clicks, or touches."""
        self.page.goto(address)
        self.press(f'a[href="/course/{number}"]')
        if side:
            self.press(f'input[name=side][value="{side}"]')
        if friend:
            self.press("input[name=against][value=friend]")
        if version:
            self.press(f'input[name=version][value="{version}"]')
        self.press("button.main")
        self.page.wait_for_url(re.compile("/game/"))

    def press(self, what: Any) -> None:
        """With the mouse, or a finger: a locator, or the first that a selector finds."""
        one = self.page.locator(what).first if isinstance(what, str) else what
        if self.touch:
            one.tap()
        else:
            one.click()

    def ready(self) -> None:
        """Waits until the script of the page has begun."""
        self.page.locator("html[data-table=ready]").wait_for(timeout=60_000)

    def send(self) -> None:
        """Presses Send, and waits for what comes next."""
        self.page.evaluate("document.documentElement.dataset.old = 'yes'")
        self.press("#send")
        self.page.locator("html:not([data-old]) :is(.bar, .curtain)").wait_for(timeout=240_000)

    @property
    def text(self) -> Any:
        """The text of the orders, which may be folded away."""
        return self.page.locator("#text")

    def unfold(self, fold: str) -> None:
        """Opens a folded part of the rail."""
        if self.page.locator(fold).get_attribute("open") is None:
            self.press(f"{fold} > summary")

    def load(self, orders: str) -> None:
        """Puts other orders into the plan."""
        self.unfold("#astext")
        self.press("#load")
        self.page.fill("#load-text", orders)
        self.press("#load-go")

    def spot_of(self, unit: str) -> tuple[float, float]:
        """The middle of a unit's counter, in pixels of the window."""
        return spot_of(self.page, unit)

    def touch_board(self, at: tuple[float, float]) -> None:
        """A click or a touch at a place of the window."""
        (self.page.touchscreen.tap if self.touch else self.page.mouse.click)(*at)

    def aim_at(self, unit: str) -> None:
        """Clicks a unit on the board; the strip of weapons opens."""
        self.touch_board(self.spot_of(unit))
        self.page.locator("#strip").wait_for()

    def told(self, words: str) -> None:
        from playwright.sync_api import expect

        expect(self.page.locator("#told")).to_contain_text(words, timeout=30_000)


CENTRE = """name => {
  const counters = [...document.querySelectorAll(".map .counter:not(.off)")];
  const { e, f } = counters.find(one => one.dataset.unit === name).getScreenCTM();
  return [e, f];
}"""


def spot_of(page: Any, unit: str) -> tuple[float, float]:
    """The middle of a unit's counter, in pixels of the window."""
    x, y = page.evaluate(CENTRE, unit)
    return x, y


def hex_of(page: Any, hex: str) -> tuple[float, float]:
    """The middle of a hex that the selected ship can reach, in pixels of the window."""
    box = page.locator(f".map :is(.reach, .next) [data-hex='{hex}'] path").first.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
