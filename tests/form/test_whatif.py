"""What if he …: an enemy's course sketched in the order form, and what both could do to each other on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pbem.data.ships import ship_class
from pbem.desk.opened import opened
from pbem.game.state import Ship
from pbem.report.odds import tenths
from pbem.rules import hexes, shields
from pbem.rules.arcs import in_arc
from pbem.rules.direct_fire import is_direct_fire, max_range, min_range
from pbem.rules.odds import Aim, faces, volley
from pbem.turn.firing import limit_of

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests.form.test_form_hand import PHONE, hand_at, klingon, reload  # noqa: E402

Opening = Callable[[str], list[Any]]
Visit = Callable[..., Any]
FEDERATION = "Constellation"


@pytest.fixture
def sketch(opening: Opening, visit: Visit) -> Any:
    """The Klingon's form with his usual energy, a course, and one he thinks the other may fly."""
    page = visit(klingon(opening).html)
    page.page.click("#u0-usual")
    page.page.fill("#u0-codes", "6F R 6F")
    page.page.select_option("#foe", FEDERATION)
    page.page.select_option("#foe0-speed", "16")
    page.page.fill("#foe0-codes", "5F L 8F")
    return page


def arc_of(ship: Ship, weapon: str) -> str:
    return next(spec.arc for spec in ship_class(ship.ship).weapons if spec.name == weapon)


def rows(page: Any) -> list[list[str]]:
    return [row.locator("td").all_inner_texts() for row in page.page.locator("#foe-aimbox tbody tr").all()]


def test_a_sketch_is_no_order(sketch: Any) -> None:
    before = sketch.text()
    sketch.page.fill("#foe0-codes", "R 9F")
    sketch.page.click("#foe-row3")
    assert sketch.text() == before and FEDERATION not in before
    sketch.ready()


def test_ranges_shields_and_points_are_the_engines(sketch: Any, opening: Opening) -> None:
    """In every row the figures of the rules for the two places it names, for all that bears of either ship."""
    with opened(klingon(opening).game) as folder:
        state = folder.state()
    me, his = state.units["Destruction"], state.units[FEDERATION]
    assert isinstance(me, Ship) and isinstance(his, Ship)
    ready = {
        name for name in me.weapons if sketch.page.locator(f"#u0-fire-{name.replace(' ', '-')}:not(:disabled)").count()
    }

    def salvo(firer: Ship, names: set[str], here: str, facing: str, there: str) -> list[Aim]:
        far = hexes.distance(here, there, state.grid)
        aims = [
            Aim(box.kind, far, far, limit=limit_of(firer, name))
            for name, box in sorted(firer.weapons.items())
            if name in names and is_direct_fire(box.kind)
            if min_range(box.kind) <= far <= max_range(box.kind, limit_of(firer, name))
            if in_arc(here, facing, there, arc_of(firer, name), state.grid)
        ]
        return [aim for aim in aims if any(shot.hit for shot in faces(aim))]

    def told(aims: list[Aim]) -> str:
        return f"{tenths(volley(aims).mean)} ({len(aims)})" if aims else "–"

    close = 0
    for _, places, far, out, on_his, back, on_mine in rows(sketch):
        mine, other = places.split()
        (here, facing), (there, heading) = (mine[:4], mine[4]), (other[:4], other[4])
        assert int(far) == hexes.distance(here, there, state.grid)
        for text, unit, where, turned, against in (
            (on_his, his, there, heading, here),
            (on_mine, me, here, facing, there),
        ):
            turn = shields.faced_shields(where, turned, against, state.grid)
            assert text == " or ".join(f"#{number}: {unit.shields[number - 1]}" for number in turn)
        for text, aims in (
            (out, salvo(me, ready, here, facing, there)),
            (back, salvo(his, set(his.weapons), there, heading, here)),
        ):
            assert text == told(aims)
            close += bool(aims)
    assert close > 5


def test_a_click_on_the_map_draws_his_course_or_mine(sketch: Any) -> None:
    page = sketch.page
    page.click("#foe-clear")
    expect(page.locator("#map-hint")).to_contain_text(f"Click where {FEDERATION} may fly: 16 of 16")
    mine = sketch.text()
    page.locator(".map .next .his").first.click(force=True)
    expect(page.locator("#foe0-codes")).to_have_value(re.compile("^(F|L|R|SL|SR)$"))
    page.locator(".map").press("ArrowUp")
    expect(page.locator("#foe0-codes")).to_have_value(re.compile("F$"))
    assert sketch.text() == mine
    page.click("#helmed-mine")
    page.locator(".map").press("Backspace")
    expect(page.locator("#text")).not_to_have_text(mine)
    expect(page.locator("#foe0-codes")).to_have_value(re.compile("F$"))


def test_the_chances_of_a_shot_follow_the_sketch(sketch: Any) -> None:
    sketch.page.check("#u0-fire-PH-1")
    expect(sketch.page.locator("#u0-fire-preview")).to_contain_text("where you sketched it")
    ranges = {impulse: far for impulse, _, far, *_ in rows(sketch)}
    shown = [row.locator("td").all_inner_texts() for row in sketch.page.locator("#u0-fire-preview tbody tr").all()]
    assert len(shown) > 5 and all(ranges[impulse] == far for impulse, _, far, *_ in shown)


def test_a_reload_brings_the_sketch_back(sketch: Any) -> None:
    told = rows(sketch)
    reload(sketch)
    expect(sketch.page.locator("#foe0-codes")).to_have_value("5F L 8F")
    assert rows(sketch) == told


def test_codes_that_cannot_be_flown_or_read_are_told(sketch: Any) -> None:
    sketch.page.fill("#foe0-codes", "R R")
    expect(sketch.page.get_by_role("region", name="What if he …").locator(".err")).to_contain_text("(C3")
    sketch.page.fill("#foe0-codes", "2F X")
    expect(sketch.page.get_by_role("region", name="What if he …").locator(".err")).to_contain_text("“X”")


def test_a_finger_sketches_and_nothing_is_wider_than_a_phone(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html, **PHONE)
    hand = hand_at(page, finger=True)
    hand.press("#u0-usual")
    page.page.select_option("#foe", FEDERATION)
    hand.press("#foe-row2")
    expect(page.page.locator("#foe-row2")).to_have_attribute("aria-pressed", "true")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
