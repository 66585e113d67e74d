"""The displays of the ships and the summary above the tabs follow the film of the game page, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.games.storage.opening import opened
from pbem.reports.map.ssd import Display, display
from pbem.reports.view.model import Boxes, DisplayWeapon, ShipDisplay
from tests.reports.film_states import film_of, states

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests.app.web.browsing import Seat, axe_faults  # noqa: E402

DUEL = Path(__file__).resolve().parents[3] / "turns" / "duel01"

DISPLAYS = """() => Object.fromEntries([...document.querySelectorAll('#rail-ships .ssd')].map(box => {
  const drawing = box.querySelector('.display');
  const d = name => drawing.querySelector(name).getAttribute('d');
  const texts = (root, selector, of) => [...root.querySelectorAll(selector)].map(of);
  return [box.dataset.unit, {
    paths: ['.left path', 'path.new', 'path.old', '.newcross', '.oldcross'].map(d),
    labels: texts(drawing, 'text:not(.mount)', one => one.textContent),
    mounts: texts(drawing, 'rect.mount', one => one.getAttribute('class').split(' ')[1]),
    weapons: texts(box, '.weapons li', one => [one.textContent.trim(), one.className]),
    internals: box.querySelector('.internals').textContent,
    gone: box.querySelector('.chip.lost').hidden ? '' : box.querySelector('.chip.lost').textContent,
    struck: box.classList.contains('struck'),
  }];
}))"""
"""Panels beside the board of each ship."""

SUMMARY = """() => [...document.querySelectorAll('#status .half')].map(half => ({
  name: half.querySelector('b').textContent,
  shields: [...half.querySelectorAll('text')].map(one => Number(one.textContent)),
  facts: half.querySelector('.facts').innerText.replace(/\\s+/g, ' '),
  colours: [...half.querySelectorAll('.ring path:not(.faces)')].map(one => getComputedStyle(one).stroke),
}))"""
"""What the summary above the tabs shows."""

GO = """k => {
  const slider = document.querySelector('#replay-at');
  slider.value = k;
  slider.dispatchEvent(new Event('input'));
}"""
EACH = f"places => places.map(k => {{ ({GO})(k); return ({DISPLAYS})(); }})"
"""Panels beside the board in each of some frames."""


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


@pytest.fixture
def duel(evening: Callable[[], Evening], seat: Callable[..., Seat], tmp_path: Path) -> Any:
    """The page of the shipped duel, as the Klingon sees it."""
    shutil.copytree(DUEL, tmp_path / "games" / "duel01")
    mine = seat()
    mine.page.goto(evening().address)
    mine.page.goto(mine.page.url.split("?")[0].rstrip("/") + "/game/duel01")
    mine.press("button:has-text('klingon')")
    mine.ready()
    return mine.page


def drawn(ssd: ShipDisplay, now: Mapping[str, Any], before: Mapping[str, Any]) -> Display:
    """The drawing of a display in a frame; ``before`` is its state before the impulse."""

    def boxes(those: tuple[Boxes, ...]) -> tuple[Boxes, ...]:
        return tuple(
            Boxes(name=b.name, now=now["boxes"][b.name], before=before["boxes"][b.name], start=b.start) for b in those
        )

    def works(state: Mapping[str, Any], name: str) -> bool:
        return bool(state["working"].get(name, True))

    return display(
        ShipDisplay(
            unit=ssd.unit, side=ssd.side, type=ssd.type, gone="", internals=0, shields=boxes(ssd.shields),
            systems=boxes(ssd.systems),
            weapons=tuple(
                DisplayWeapon(name=w.name, working=works(now, w.name), lost_now=works(before, w.name))
                for w in ssd.weapons
            ),
        )
    )  # fmt: skip


def test_displays_are_in_every_frame_as_the_program_draws_them(duel: Any) -> None:
    with opened(DUEL) as game:
        view, film = film_of(game.effective(), "klingon")
    through = list(states(film, len(view.replay)))
    ended = duel.evaluate(DISPLAYS)
    duel.click("#film-open")
    frames = list(range(len(through)))
    # On, back, and in jumps.
    places = [*frames, *frames[::-5], 3, frames[-2], 40]
    for k, shown in zip(places, duel.evaluate(EACH, places), strict=True):
        begins = max(first for first in film.begins if first <= k)
        for ssd in view.ssds:
            now, before = through[k][ssd.unit], through[max(0, begins - 1)][ssd.unit]
            want, found = drawn(ssd, now, before), shown[ssd.unit]
            assert found["paths"] == [want.left, want.new, want.old, want.new_cross, want.old_cross]
            assert found["labels"] == [label.text for label in want.labels]
            assert found["mounts"] == [mount.state for mount in want.mounts]
            names = {"left": "", "new": "out now", "old": "out"}
            assert found["weapons"] == [
                [f"{weapon.name} {now['words'].get(weapon.name, '')}".strip(), names[mount.state]]
                for weapon, mount in zip(ssd.weapons, want.mounts, strict=True)
            ]
            assert found["internals"].strip(", ").split(" ")[0] == (str(now["internals"]) if now["internals"] else "")
            assert found["gone"] == now["gone"]
    expect(duel.locator(".struck")).to_have_count(0)
    duel.click("#film-end")
    assert duel.evaluate(DISPLAYS) == ended


def test_the_hit_of_impulse_5_is_seen_in_the_rail(duel: Any) -> None:
    with opened(DUEL) as game:
        view, _ = film_of(game.effective(), "klingon")
    hit = next(
        k for k, f in enumerate(view.replay)
        if (f.turn, f.impulse) == (2, 5) and "Constellation" in f.shields
    )  # fmt: skip
    duel.click("#film-open")
    duel.evaluate(GO, hit - 1)
    before = duel.evaluate(DISPLAYS)["Constellation"]
    assert "#6 12/12" in before["labels"] and not before["struck"]
    assert [one["shields"][5] for one in duel.evaluate(SUMMARY)] == [12, 12]
    duel.evaluate(GO, hit)
    after = duel.evaluate(DISPLAYS)["Constellation"]
    assert "#6 0/12" in after["labels"] and after["struck"]
    assert ["PH 3 destroyed", "out now"] in after["weapons"]
    summary = duel.evaluate(SUMMARY)
    assert [one["name"] for one in summary] == ["Destruction", "Constellation"]
    assert summary[1]["shields"] == [13, 12, 10, 10, 10, 0]
    assert summary[1]["facts"] == "speed 9 6 internals"
    expect(duel.locator(".struck")).to_have_count(0)
    assert duel.evaluate("document.querySelector('#status').offsetHeight") <= 84


def test_shields_that_are_hit_or_down_are_red(duel: Any) -> None:
    """In each moment of the film those that lost boxes in its impulse, and those that have none left."""
    with opened(DUEL) as game:
        view, _ = film_of(game.effective(), "klingon")
    moments = [(frame.turn, frame.impulse) for frame in view.replay]
    duel.click("#film-open")
    shown = duel.evaluate(EACH.replace(DISPLAYS, SUMMARY), list(range(len(moments))))
    of_ships, red = {"Destruction", "Constellation"}, set[str]()
    for k, moment in enumerate(moments):
        began = shown[max(0, moments.index(moment) - 1)]
        assert {one["name"] for one in shown[k]} == of_ships
        for now, before in zip(shown[k], began, strict=True):
            normal, others = set[str](), set[str]()
            for colour, left, had in zip(now["colours"], now["shields"], before["shields"], strict=True):
                (normal if left and left == had else others).add(colour)
            assert len(normal) == 1 and not normal & others, (moment, now["name"])
            red |= others
    assert len(red) == 1, "what is hit has one colour on both sides"


@pytest.mark.parametrize("width", [390, 844, 1280])
def test_weapons_that_work_are_seen_on_screens_of_all_widths(duel: Any, width: int) -> None:
    duel.set_viewport_size({"width": width, "height": 720})
    sizes = duel.evaluate(
        "() => [...document.querySelectorAll('#rail-ships .mount')].map(one => one.getBoundingClientRect().width)"
    )
    assert len(sizes) == 24 and min(sizes) > 5
    assert duel.evaluate("document.querySelector('#status').offsetWidth") >= 280


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rail_has_no_faults_for_readers_with_disabilities(duel: Any, scheme: str) -> None:
    duel.emulate_media(color_scheme=scheme)
    assert axe_faults(duel) == []
    duel.press("#tab-ships", "ArrowRight")
    assert axe_faults(duel) == []
    duel.press("#tab-log", "ArrowLeft")
    duel.click("#film-open")
    duel.evaluate(GO, 40)
    assert axe_faults(duel) == []
