"""The order form of a fleet, filled in by the keys alone: twenty ships, ten of them one's own."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.engine import fleet_file
from pbem.games.create import new
from pbem.games.storage.opening import opened
from pbem.games.submit import check
from tests.form.conftest import forms_of

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

Visit = Callable[..., Any]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new game of a fleet."""
    folder = tmp_path_factory.mktemp("fleet")
    new(str(fleet_file(folder, 20)), folder / "game", players={}, options={"reveal": "none"}, seed="a crowd")
    return folder / "game"


def test_arrows_go_from_ship_to_ship_and_one_tab_past_them(fleet: Path, visit: Visit) -> None:
    page = visit(forms_of(fleet)[0].html).page
    keys, tabs, here = page.keyboard, page.locator("#units [role=tab]"), page.locator(".unithead b")
    expect(tabs).to_have_count(10)
    page.locator("#tab0").focus()
    for key, ship in (
        ("ArrowRight", "02"), ("ArrowDown", "04"), ("End", "18"), ("ArrowRight", "00"), ("ArrowLeft", "18"),
        ("Home", "00"), ("ArrowUp", "18"),
    ):  # fmt: skip
        keys.press(key)
        expect(here).to_have_text(f"Cruiser-{ship}")
        expect(page.locator("[role=tab][aria-selected=true]")).to_be_focused()
        expect(page.locator("[role=tab][tabindex='0']")).to_have_count(1)
    keys.press("Tab")
    expect(page.locator("#u9-speed")).to_be_focused()
    keys.type("10")
    for _ in range(4):
        keys.press("Tab")
    expect(page.locator("#u9-codes")).to_be_focused()
    keys.type("4F R F")
    keys.press("Enter")
    for _ in range(4):
        keys.press("Tab")
    expect(page.locator("#u9-fire-PH-1")).to_be_focused()
    keys.press("Space")
    expect(page.locator("#u9-fire-target option").first).to_have_text("Cruiser-17 (3850D)")  # the nearest of ten
    page.locator("#put-u9-fire").focus()
    keys.press("Enter")
    expect(page.locator("#text")).to_contain_text("FIRE PH 1 AT Cruiser-17")
    with opened(fleet) as game:
        assert "SPEED 10" in check(game, str(page.locator("#text").text_content()), "form.orders").orders


@pytest.mark.parametrize("screen", [(1280, 900), (390, 844)])
def test_pointers_to_many_enemies_do_not_lie_upon_one_another(
    fleet: Path, visit: Visit, screen: tuple[int, int]
) -> None:
    page = visit(forms_of(fleet)[0].html, viewport={"width": screen[0], "height": screen[1]}).page
    pointers = page.locator("#beyond button")
    expect(pointers.first).to_contain_text(re.compile(r"Cruiser-\d\d \d+"))
    for tab in ("#tab0", "#tab9"):
        page.locator(tab).click()
        boxes = [page.evaluate("one => { const r = one.getBoundingClientRect(); return [r.left, r.right]; }", one)
                 for one in pointers.element_handles()]  # fmt: skip
        assert all(before[1] <= behind[0] for before, behind in pairwise(sorted(boxes)))
        titles = " ".join(str(one.get_attribute("title")) for one in pointers.all())
        assert titles.count("Cruiser-") == len(set(re.findall(r"Cruiser-\d\d", titles))) >= 8
