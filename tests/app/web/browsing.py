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
        """Waits until the page around the frames knows what is in them."""
        self.page.locator("html[data-table=ready]").wait_for(timeout=60_000)

    def send(self) -> None:
        """Presses Send, and waits for what comes next."""
        self.page.evaluate("document.documentElement.dataset.old = 'yes'")
        self.press("#send")
        self.page.locator("html:not([data-old]) :is(.bar, .curtain)").wait_for(timeout=240_000)

    @property
    def form(self) -> Any:
        return self.page.frame_locator("#form")

    def told(self, words: str) -> None:
        from playwright.sync_api import expect

        expect(self.page.locator("#told")).to_contain_text(words, timeout=30_000)
