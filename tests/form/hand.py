"""A person at an order form: with a mouse and a keyboard, or with a finger. Everything is pressed and released at a
place on the screen, as it is seen, and nothing is waited for between press and release.
"""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect


class Hand:
    """Presses, types and reads one page. ``finger`` taps instead of clicking."""

    def __init__(self, page: Any, *, finger: bool = False) -> None:
        self.page, self.finger = page, finger

    def find(self, what: str) -> Any:
        return self.page.locator(what)

    def spot(self, what: str) -> tuple[float, float]:
        """The middle of something, scrolled into sight as a person would before he presses."""
        self.find(what).evaluate("one => one.scrollIntoView({ block: 'center', behavior: 'instant' })")
        box = self.find(what).bounding_box()
        assert box is not None, what
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def press(self, what: str) -> None:
        """One press and release at the place where it is now; whatever happens in between, nothing is aimed anew."""
        self.press_at(*self.spot(what))

    def press_at(self, x: float, y: float) -> None:
        if self.finger:
            self.page.touchscreen.tap(x, y)
            return
        mouse = self.page.mouse
        mouse.move(x - 7, y - 3)
        mouse.move(x, y, steps=2)
        mouse.down()
        self.page.wait_for_timeout(30)  # a person's finger stays down a while
        mouse.up()

    def type_into(self, what: str, text: str) -> None:
        """Types into a field in place of what stood there, and stays in it."""
        self.press(what)
        expect(self.find(what)).to_be_focused()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(text)

    def choose(self, what: str, label: str) -> None:
        """Picks from a list with the keys: the choice whose words begin so."""
        found = self.find(what)
        found.scroll_into_view_if_needed()
        found.focus()
        names = found.evaluate("list => [...list.options].map(one => one.disabled ? '' : one.textContent)")
        wanted = next(n for n, name in enumerate(names) if name.startswith(label))
        # A list opens in a window of the system's, which no test can press: the keys alone choose from it.
        self.page.keyboard.press("Home")
        for _ in range(len(names)):
            now = found.evaluate("list => list.selectedIndex")
            if now == wanted:
                break
            self.page.keyboard.press("ArrowDown" if now < wanted else "ArrowUp")
        expect(found).to_have_js_property("selectedIndex", wanted)

    def text_has(self, words: str | re.Pattern[str]) -> None:
        expect(self.find("#text")).to_contain_text(words)

    def text_lacks(self, words: str) -> None:
        expect(self.find("#text")).not_to_contain_text(words)

    def ready(self) -> None:
        """The green tick, and nothing that is open."""
        expect(self.find("#verdict")).to_contain_text("✓ Ready to send")
        expect(self.find("#verdict")).to_have_class("good")

    def not_ready(self, why: str) -> None:
        expect(self.find("#verdict")).to_contain_text(why)
        expect(self.find("#verdict")).not_to_contain_text("✓")
        expect(self.find("#verdict")).to_have_class(re.compile("open|bad"))

    def text(self) -> str:
        return str(self.find("#text").text_content())

    def hex(self, hex: str) -> None:
        """Presses a hex of the map, at its number or a little below."""
        numbers = self.find(".map .no text").filter(has_text=re.compile(f"^{hex}$"))
        numbers.evaluate("one => one.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })")
        box = numbers.bounding_box()
        assert box is not None
        self.press_at(box["x"] + box["width"] / 2, box["y"] + 2.2 * box["height"])

    def added(self, what: str, line: str | re.Pattern[str]) -> None:
        """Presses an Add button; its line is in the text then."""
        self.press(what)
        self.text_has(line)
