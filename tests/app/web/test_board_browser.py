"""The board of the evening game in a real browser: its size, planning by clicks, film, first officer, phone, axe.

Undo, the keyboard, old windows and a lost server are in test_play_browser.py.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")

from playwright.sync_api import expect  # noqa: E402

from pbem.app.web.evening import Table  # noqa: E402
from pbem.data.terms import FormKind  # noqa: E402
from pbem.games.computer_sides import USUAL, captains_orders  # noqa: E402
from pbem.games.storage.opening import opened  # noqa: E402
from tests.app.web.browsing import axe_faults, hex_of, spot_of  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]

Start = Callable[[], "Evening"]


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


class Tables:
    """A server with games, and pages of any browser that open them; nothing may be said in a console."""

    def __init__(self, browser: Any, evening: Start, folder: Path) -> None:
        self.table, self.browser = Table(folder), browser
        self.address = evening().address
        self.contexts: list[Any] = []
        self.said: list[str] = []

    def open(self, name: str, width: int = 1280, height: int = 720, **how: Any) -> Any:
        """The page of a game, ready."""
        how = {"reduced_motion": "reduce", **how}
        context = self.browser.new_context(viewport={"width": width, "height": height}, **how)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", self.hear)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.goto(self.address)
        page.goto(f"{self.address.partition('?')[0]}game/{name}")
        ready(page)
        return page

    def hear(self, message: Any) -> None:
        """Keep what a console says."""
        self.said.append(message.text)

    def at_orders(self, turn: int) -> str:
        """A duel of the federation against an ensign, at the first request of a turn for a course."""
        name = self.table.begin("5", "federation", against="ensign")
        while True:
            request = self.table.look(name).now.request
            assert request is not None
            if request.turn == turn and request.form is not FormKind.EAF:
                return name
            self.table.send(name, "federation", self.table.draft(name, "federation"))

    def finished(self) -> str:
        """A drill that is over."""
        name = self.table.begin("1", "federation")
        while not self.table.look(name).now.over:
            self.table.send(name, "federation", self.table.draft(name, "federation"))
        return name


@pytest.fixture
def tables(browser: Any, evening: Start, tmp_path: Path) -> Iterator[Tables]:
    one = Tables(browser, evening, tmp_path / "games")
    yield one
    for context in one.contexts:
        context.close()
    assert one.said == []


def ready(page: Any) -> None:
    page.locator("html[data-table=ready]").wait_for(timeout=60_000)


def enemies(page: Any) -> list[str]:
    return list(page.evaluate("orderForm.data.units.filter(unit => unit.enemy).map(unit => unit.name)"))


SHARE = """() => {
  const { width, height } = document.querySelector("#map").getBoundingClientRect();
  const { scrollHeight, scrollWidth } = document.scrollingElement;
  return [width * height / innerWidth / innerHeight, scrollHeight <= innerHeight && scrollWidth <= innerWidth];
}"""


def test_the_map_has_most_of_the_window_and_the_page_does_not_scroll(tables: Tables) -> None:
    page = tables.open(tables.table.begin("5", "federation"))
    for width, height, least in ((1280, 720, 0.65), (1920, 1080, 0.7)):
        page.set_viewport_size({"width": width, "height": height})
        share, fits = page.evaluate(SHARE)
        assert share >= least and fits, (width, share)


def test_all_ships_are_seen_above_the_panel_when_planning_begins(tables: Tables) -> None:
    for size in ((1280, 720), (844, 390), (390, 844)):
        page = tables.open(tables.table.begin("5", "federation"), *size)
        panel = page.locator("#whatif").bounding_box()
        for ship in ("Constellation", "Destruction"):
            x, y = spot_of(page, ship)
            box = page.locator("#map").bounding_box()
            assert box["x"] < x < box["x"] + box["width"] and box["y"] < y < panel["y"], (size, ship)


CLICKS = """() => {
  window.clicked = [];
  const note = event => clicked.push(Boolean(event.target.closest("#map")));
  addEventListener("pointerdown", note, true);
}"""
"""Notes each press, and whether it was on the board or what lies over it."""


def test_an_enemy_beyond_the_edge_is_pointed_at_and_shown_by_a_click(tables: Tables) -> None:
    page = tables.open(tables.at_orders(1))
    pointers = page.locator("#beyond button")
    expect(pointers).to_have_count(0)
    page.mouse.move(*spot_of(page, "Constellation"))
    for _ in range(8):
        page.mouse.wheel(0, -200)
    expect(pointers).to_have_text(["➤Destruction 28"])
    pointers.click()
    expect(pointers).to_have_count(0)
    x, y = spot_of(page, "Destruction")
    box = page.locator("#map").bounding_box()
    assert box["x"] < x < box["x"] + box["width"] and box["y"] < y < page.locator("#whatif").bounding_box()["y"]


def test_three_shots_are_ordered_by_five_clicks_on_board_and_strip(tables: Tables) -> None:
    page = tables.open(tables.table.begin("2", "federation"))
    page.evaluate(CLICKS)
    for drone, guns in (("Drone B", ("PH-1", "PH-2")), ("Drone C", ("PH-3",))):
        page.mouse.click(*spot_of(page, drone))
        for gun in guns:
            page.click(f"label:has(#strip-FIRE-{gun})")
    text = page.locator("#text")
    expect(text).to_contain_text('FIRE PH 1,2 AT "Drone B"')
    expect(text).to_contain_text('FIRE PH 3 AT "Drone C"')
    expect(page.locator("#told")).to_contain_text("no faults found")
    assert page.locator(".sofar li").count() == 2
    assert page.evaluate("clicked") == [True] * 5
    # A tick taken away is an order taken back.
    page.click("label:has(#strip-FIRE-PH-3)")
    expect(text).not_to_contain_text("Drone C")
    page.mouse.click(*spot_of(page, "Drone B"))
    page.keyboard.press("Delete")
    expect(text).not_to_contain_text("FIRE")


def test_the_strip_has_all_impulses_and_says_where_the_course_ends(tables: Tables) -> None:
    name = tables.table.begin("2", "federation")
    tables.table.send(name, "federation", tables.table.draft(name, "federation"))
    page = tables.open(name)
    page.mouse.click(*spot_of(page, enemies(page)[0]))
    chips = page.locator("#strip .when button")
    expect(chips.locator("b")).to_have_text([str(n) for n in range(1, 9)])
    expect(page.locator("#strip .when .later b")).to_have_text(["5", "6", "7", "8"])
    expect(page.locator("#strip .ends")).to_have_text(
        "No range after impulse 4: the course of Constellation leads off the map."
    )
    # A drone has no shields.
    expect(page.locator("#strip header")).not_to_contain_text("shield")
    page.click("#strip-at-3")
    expect(page.locator("#strip header")).to_contain_text("impulse 3: range ")
    expect(page.locator("#strip-at-3")).to_have_attribute("aria-pressed", "true")
    page.click("#strip-at-7")
    expect(page.locator("#strip header")).to_contain_text("impulse 7: range not known")
    lines = page.locator("#map-rulers line")
    assert lines.count()
    page.click("#strip-close")
    expect(lines).to_have_count(0)


BAR = """() => [...document.querySelectorAll(".energybar i")].map(part => {
  const { top, width } = part.getBoundingClientRect();
  return [top, width / Number(part.textContent)];
})"""
"""The top of each part of the energy bar, and its width for one point."""

OVERFLOW = "box => box.scrollWidth - box.clientWidth"


def test_energy_bars_are_in_proportion_and_forms_fit_into_the_rail(tables: Tables) -> None:
    page = tables.open(tables.table.begin("5", "federation"), 1366, 757)
    page.click("text=Close in")
    parts = page.evaluate(BAR)
    assert len(parts) == 3
    for top, width in parts:
        assert top == parts[0][0] and abs(width - parts[0][1]) < 0.5, parts
    page.locator("#rail-plan summary", has_text="Energy").click()
    assert page.locator(".eaf").locator("..").evaluate(OVERFLOW) == 0
    # All power is used: the bar is full as far as the batteries, which are apart.
    used, full = (page.locator(f".bar2 .{part}").bounding_box() for part in ("gen", "full"))
    expect(page.locator(".gauge .words")).to_contain_text("20 of 20 points used")
    assert full["width"] > 10 and 0 <= full["x"] - used["x"] - used["width"] < 3


def test_the_replay_hides_names_of_lost_units_and_has_room_for_five_lines(tables: Tables) -> None:
    name = tables.table.begin("2", "federation")
    tables.table.send(name, "federation", tables.table.draft(name, "federation"))
    page = tables.open(name, 1366, 757)
    names = page.locator("#map .label[data-unit]")
    # The name of my own ship is drawn over the others.
    expect(names.last).to_have_text("Constellation")
    page.click("#film-open")
    for _ in range(20):
        page.keyboard.press("n")
    gone = page.locator("#map .label.gone:not(.off)")
    assert gone.count()
    assert not any(one.is_visible() for one in gone.all())
    caption = page.locator("#film .caption")
    page.evaluate("""() => {
      const list = document.querySelector("#replay-said");
      list.replaceChildren(...[1, 2, 3, 4, 5].map(n => {
        const line = document.createElement("li");
        line.textContent = `Line ${n}`;
        return line;
      }));
    }""")
    assert caption.locator("li").count() == 5
    assert caption.evaluate("box => box.scrollHeight - box.clientHeight") == 0


def test_eight_rows_of_the_table_of_chances_fit_into_the_rail(tables: Tables) -> None:
    page = tables.open(tables.table.begin("2", "federation"), 1366, 757)
    page.locator("#rail-plan summary", has_text="Fire and").click()
    page.locator("#rail-plan .chips input").first.check()
    box = page.locator(".aimbox")
    expect(box.locator("tbody tr")).to_have_count(8)
    assert box.evaluate(OVERFLOW) == 0
    assert box.evaluate("box => box.scrollHeight - box.clientHeight") == 0


def test_the_bar_and_the_rail_say_the_same_once_nothing_is_meant(tables: Tables) -> None:
    page = tables.open(tables.table.begin("2", "federation"))
    told = page.locator("#told")
    expect(told).to_contain_text("Nothing is planned yet")
    expect(told).to_have_attribute("title", told.inner_text())
    page.click("#meant")
    expect(page.locator("#verdict")).to_contain_text("Ready to send")
    expect(told).to_have_text("Ready to send: no faults found.")


def test_what_both_may_score_is_told_when_nothing_was_clicked(tables: Tables) -> None:
    name = tables.at_orders(2)
    page = tables.open(name)
    expect(page.locator("#whatif-range")).to_contain_text("range ")
    sums = page.locator("#whatif-sums")
    expect(sums).to_contain_text("You score")
    expect(sums.locator("b")).to_have_count(2)
    with opened(tables.table.path(name)) as game:
        speed = game.state().units["Destruction"].speed
    expect(sums).to_contain_text(f"if it flies straight on at announced speed {speed:g}.")
    # The scrubber looks at another impulse.
    for key, impulse in (("Home", 1), ("End", 16)):
        page.locator("#whatif-at").press(key)
        expect(page.locator("#whatif label")).to_have_text(f"Impulse {impulse}")


def test_planning_begins_by_itself_after_the_film(tables: Tables) -> None:
    page = tables.open(tables.table.begin("1", "federation"), reduced_motion="no-preference")
    page.clock.install()
    page.click("#send")
    page.locator("body[data-mode=film]").wait_for(timeout=60_000)
    assert page.locator("#strip, #whatif").first.is_hidden()
    for _ in range(60):
        page.clock.run_for(1000)
        if page.get_attribute("body", "data-mode") == "plan":
            break
    expect(page.locator("body")).to_have_attribute("data-mode", "plan")
    expect(page.locator("#tab-plan")).to_have_attribute("aria-selected", "true")
    page.mouse.click(*spot_of(page, enemies(page)[0]))
    expect(page.locator("#strip")).to_be_visible()


def test_the_film_of_the_shipped_duel_shows_what_was_lost_in_2_5(tables: Tables) -> None:
    shutil.copytree(
        ROOT / "turns" / "duel01", tables.table.folder / "duel01", ignore=shutil.ignore_patterns("03", "04", "05")
    )
    page = tables.browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 720}).new_page()
    tables.contexts.append(page.context)
    page.goto(tables.address)
    page.goto(f"{tables.address.partition('?')[0]}game/duel01")
    page.click("button[value=federation]")
    ready(page)
    page.click("#film-open")
    page.keyboard.press("Home")
    at, mine = page.locator("#replay-at"), page.locator("#rail-ships .ssd[data-unit=Constellation]")
    expect(mine).to_contain_text("#6 12/12")
    expect(mine.locator(".weapons li.out")).to_have_count(0)
    for _ in range(40):
        if at.get_attribute("aria-valuetext") == "Impulse 5: Direct fire is resolved":
            break
        page.keyboard.press("ArrowRight")
    expect(mine).to_be_in_viewport()
    expect(mine).to_contain_text("#6 0/12")
    expect(mine.locator(".weapons li.out", has_text="PH 3")).to_have_count(1)
    expect(mine.locator("text.mount.new", has_text="PH 3")).to_have_count(1)
    expect(page.locator("#status")).to_contain_text("#6 0 of 12")
    page.keyboard.press("Escape")
    expect(page.locator("#rail-plan")).to_be_visible()


HEARD = """
window.heard = 0;
const start = AudioScheduledSourceNode.prototype.start;
AudioScheduledSourceNode.prototype.start = function (...when) { window.heard++; return start.apply(this, when); };
for (const one of [OscillatorNode, AudioBufferSourceNode])
  one.prototype.start = AudioScheduledSourceNode.prototype.start;
"""
"""Counts the sounds that a page makes."""


def test_the_film_sounds_once_the_player_turns_the_sound_on(tables: Tables) -> None:
    shutil.copytree(
        ROOT / "turns" / "duel01", tables.table.folder / "duel01", ignore=shutil.ignore_patterns("03", "04", "05")
    )
    context = tables.browser.new_context(reduced_motion="no-preference", viewport={"width": 1280, "height": 720})
    tables.contexts.append(context)
    context.add_init_script(HEARD)
    page = context.new_page()
    page.goto(tables.address)
    page.goto(f"{tables.address.partition('?')[0]}game/duel01")
    page.click("button[value=federation]")
    ready(page)
    page.click("#film-open")
    sound = page.locator("#film-sound")
    expect(sound).to_have_attribute("aria-pressed", "false")
    volley = "() => document.querySelector('#replay-at').getAttribute('aria-valuetext')"

    def watch_the_volley() -> None:
        page.keyboard.press("Home")
        for _ in range(40):
            page.keyboard.press("ArrowRight")
            if page.evaluate(volley) == "Impulse 5: Direct fire is resolved":
                return
        raise AssertionError("the volley is not in the film")

    watch_the_volley()
    assert page.evaluate("heard") == 0
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    watch_the_volley()
    assert page.evaluate("heard") > 3
    page.reload()
    ready(page)
    page.click("#film-open")
    expect(page.locator("#film-sound")).to_have_attribute("aria-pressed", "true")


def test_the_first_officer_gives_a_captains_orders(tables: Tables) -> None:
    """In the request for energy and in that for a course."""
    name = tables.table.begin("5", "federation", against="ensign")
    page = tables.open(name)
    for _ in range(2):
        page.click("#officer")
        expect(page.locator("#told")).to_contain_text("First officer: “", timeout=60_000)
        with opened(tables.table.path(name)) as game:
            told, _, orders = captains_orders(game, "federation", USUAL).partition("\n")
        planned = page.locator("#text").text_content()
        assert sorted(filter(None, planned.splitlines())) == sorted(orders.splitlines())
        expect(page.locator("#told")).to_contain_text(f"“{told.partition(': ')[2]}.”")
        tables.table.send(name, "federation", orders)
        page.reload()
        ready(page)


def test_no_plan_is_sent_while_the_first_officer_thinks(tables: Tables) -> None:
    name = tables.table.begin("2", "federation")
    page = tables.open(name)
    page.click("#officer")
    assert page.locator("#send").is_disabled()
    expect(page.locator("#told")).to_contain_text("First officer: “", timeout=60_000)
    assert page.locator("#send").is_enabled()


def test_the_map_keeps_its_scale_when_the_window_is_made_lower_and_higher_again(tables: Tables) -> None:
    page = tables.open(tables.table.begin("2", "federation"))
    page.set_viewport_size({"width": 1366, "height": 900})
    page.wait_for_timeout(300)
    before = page.evaluate("document.querySelector('#map svg, svg.map').getAttribute('viewBox')")
    for _ in range(3):
        for height in (757, 900):
            page.set_viewport_size({"width": 1366, "height": height})
            page.wait_for_timeout(150)
    assert page.evaluate("document.querySelector('#map svg, svg.map').getAttribute('viewBox')") == before


CUT = """() => [...document.querySelectorAll("#map-hint, #strip :is(h2, header span, .when *, .guns *)")]
  .filter(one => one.clientWidth)
  .filter(one => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
  .map(one => one.textContent)"""
"""The texts over the board that do not fit into their place."""


@pytest.mark.parametrize("size", [(1366, 757), (1280, 720), (1920, 1080), (390, 844)])
def test_no_text_of_the_strip_is_cut_off(tables: Tables, size: tuple[int, int]) -> None:
    phone = {"has_touch": True, "is_mobile": True} if size[0] < 500 else {}
    page = tables.open(tables.table.begin("2", "federation"), *size, **phone)
    for drone in ("Drone A", "Drone E"):
        x, y = spot_of(page, drone)
        (page.touchscreen.tap if phone else page.mouse.click)(x, y)
        expect(page.locator("#strip h2")).to_contain_text(drone)
        assert page.evaluate(CUT) == [], (size, drone)
        page.click("#strip-close")


def test_a_ship_is_in_the_middle_of_its_hex_when_the_other_unit_there_is_gone(tables: Tables) -> None:
    """The static map keeps units apart that were in one hex at any time of the turn; only the present counts here."""
    page = tables.open(tables.at_orders(2))
    middle, hexes = spot_of(page, "Constellation"), page.evaluate("orderForm.data.units.map(unit => unit.hex)")
    own = page.evaluate("orderForm.data.units.find(unit => unit.name == 'Constellation').hex")[:4]
    assert [hex[:4] for hex in hexes if hex].count(own) == 1

    def shared(route: Any) -> Any:
        if route.request.resource_type != "document":
            return route.continue_()
        answer = route.fetch()
        counter = 'data-unit="Constellation" data-size="100"'
        assert answer.text().count(counter) == 1
        return route.fulfill(
            response=answer, body=answer.text().replace(counter, f'{counter} data-slots="{own}:-11,-7"')
        )

    page.route("**/game/**", shared)
    page.reload()
    ready(page)
    assert page.locator(".counter[data-slots]").count() == 1
    assert spot_of(page, "Constellation") == pytest.approx(middle, abs=0.5)


BOX = "document.querySelector('#map svg, svg.map').getAttribute('viewBox')"


def test_the_ships_are_fitted_anew_when_the_window_has_another_size(tables: Tables) -> None:
    name = tables.at_orders(1)
    page = tables.open(name, 1366, 757)
    page.set_viewport_size({"width": 760, "height": 900})
    page.wait_for_timeout(300)
    fresh = tables.open(name, 760, 900)
    assert page.evaluate(BOX).split() == fresh.evaluate(BOX).split()

    page.click("#zoom-in")
    by_hand = [float(number) for number in page.evaluate(BOX).split()]
    page.set_viewport_size({"width": 760, "height": 800})
    page.wait_for_timeout(300)
    x, y, width, height = [float(number) for number in page.evaluate(BOX).split()]
    middle = (by_hand[0] + by_hand[2] / 2, by_hand[1] + by_hand[3] / 2)
    assert (x + width / 2, y + height / 2) == pytest.approx(middle, abs=1)


def test_an_order_from_before_that_is_impossible_is_told_where_sending_is_offered(tables: Tables) -> None:
    """The Constellation flies straight on to the upper edge, where play breaks and its course leads off the map."""
    name = tables.table.begin("2", "federation")
    for _ in range(8):
        page = tables.open(name)
        if "leads off the map" in page.locator("#verdict").inner_text():
            break
        tables.table.send(name, "federation", tables.table.draft(name, "federation"))
    told = page.locator("#told")
    expect(told).to_contain_text("You can send this, but 1 earlier order is no longer possible and is not carried out")
    expect(told).to_contain_text("leads off the map")
    expect(page.locator("#verdict")).to_contain_text("You can send this plan.")
    assert "eady to" not in told.inner_text() + page.locator("#verdict").inner_text()


GUNS = """() => [...document.querySelectorAll("#strip .guns label")].map(gun => [
  gun.querySelector("b").textContent, gun.querySelector("input").disabled, gun.title])"""
"""The weapons of the strip: name, whether it cannot be ticked, and why."""


def test_a_weapon_that_cannot_bear_wherever_the_enemy_goes_is_not_offered(tables: Tables) -> None:
    """Orders that the check would refuse: the strip says why, and the weapons beside it can be ticked."""
    page = tables.open(tables.table.begin("1", "federation"))
    seen = []
    for enemy in enemies(page):
        page.mouse.click(*spot_of(page, enemy))
        expect(page.locator("#strip h2")).to_contain_text(enemy)
        page.locator("#strip .when button").first.click()
        seen += page.evaluate(GUNS)
        page.click("#strip-close")
    assert any(off and "cannot come into the arc" in why for _, off, why in seen), seen
    for name in ("PH 1", "PH 2", "PH 3"):
        assert any(not off for gun, off, _ in seen if gun == name), (name, seen)


def test_the_farthest_hexes_at_a_speed_are_drawn_before_courses_can_be_plotted(tables: Tables) -> None:
    name = tables.table.begin("5", "federation", against="ensign")
    page = tables.open(name)
    width = "document.querySelector('#map .farthest').getBBox().width"
    page.click("#preset-close-in")
    expect(page.locator("#speed-now")).to_have_text("16")
    expect(page.locator("#map .farthest")).to_have_count(1)
    far = page.evaluate(width)
    page.focus("#speed-slider")
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#speed-now")).to_have_text("8")
    assert page.evaluate(width) == pytest.approx(far * 8.5 / 16.5, rel=0.01)
    tables.table.send(name, "federation", tables.table.draft(name, "federation"))
    page.reload()
    ready(page)
    expect(page.locator("#map .farthest")).to_have_count(0)


def test_a_preset_and_a_course_are_a_click_each_and_a_drag_plots(tables: Tables) -> None:
    page = tables.open(tables.table.begin("5", "federation"))
    text = page.locator("#text")
    told = page.locator("#told")
    expect(told).to_contain_text("Choose how to spend the energy of Constellation.")
    page.click("#preset-close-in")
    expect(text).to_contain_text("SPEED 16")
    page.mouse.click(*hex_of(page, "2802"))
    expect(text).to_contain_text("PLOT L")
    # A drag from the ship plots anew; a right click takes the last code back.
    page.mouse.move(*spot_of(page, "Constellation"))
    page.mouse.down()
    page.mouse.move(*hex_of(page, "2702"), steps=3)
    page.mouse.move(*hex_of(page, "2602"), steps=3)
    page.mouse.up()
    expect(text).to_contain_text("PLOT 2F")
    page.mouse.click(*hex_of(page, "2503"), button="right")
    expect(text).to_contain_text("PLOT F\n")
    expect(told).to_contain_text("Ready to send")
    # The slider of the speed changes the energy form.
    page.locator("#speed-slider").press("Home")
    expect(text).not_to_contain_text("SPEED")


SMALL = """() => [...document.querySelectorAll("button, select, #strip label, summary")].filter(one => {
  const { width, height } = one.getBoundingClientRect();
  return one.checkVisibility() && !one.closest(".unseen") && (height < 43.9 || width < 43.9);
}).map(one => one.outerHTML.slice(0, 120))"""
"""Buttons that a finger can miss."""

BARS = """() => ["bar", "whatif", "strip", "film"].filter(id => {
  const one = document.getElementById(id);
  return one && one.getBoundingClientRect().height > innerHeight / 4;
})"""
"""Bars that take more than a quarter of the height."""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_a_phone_plays_a_turn_by_touches(tables: Tables, width: int, height: int) -> None:
    name = tables.table.begin("5", "federation")
    phone = tables.open(name, width, height, has_touch=True, is_mobile=True)

    def looks_right() -> None:
        assert phone.evaluate(SMALL) == []
        assert phone.evaluate(BARS) == []
        assert phone.evaluate(SHARE)[1]

    looks_right()
    text = phone.locator("#text")
    phone.tap("#preset-close-in")
    expect(text).to_contain_text("SPEED 16")
    # Hexes are small on a phone until the map is enlarged; then one is as large as a button.
    for _ in range(12):
        if phone.locator(".map .next [data-hex] path").first.bounding_box()["height"] >= 44:
            break
        phone.tap("#zoom-in")
    phone.evaluate("orderForm.frame()")
    phone.touchscreen.tap(*hex_of(phone, "2702"))
    expect(text).to_contain_text("PLOT F")
    phone.tap("#zoom-home")
    phone.touchscreen.tap(*spot_of(phone, "Destruction"))
    expect(phone.locator("#strip")).to_be_visible()
    looks_right()
    phone.locator("#strip label:has(:enabled)").first.tap()
    expect(text).to_contain_text("FIRE")
    expect(phone.locator("#told")).to_contain_text("no faults found")
    phone.tap("#send")
    phone.locator("#film-open").wait_for(timeout=60_000)
    ready(phone)
    looks_right()
    phone.tap("#film-open")
    expect(phone.locator("#film")).to_be_visible()
    looks_right()
    expect(phone.locator("#film-end")).to_be_in_viewport(ratio=1)
    phone.tap("#film-end")
    expect(phone.locator("#film")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_no_fault_in_plan_film_and_result(tables: Tables, colours: str) -> None:
    page = tables.open(tables.at_orders(1), color_scheme=colours)
    found = {"plan": axe_faults(page)}
    page.mouse.click(*spot_of(page, "Destruction"))
    for fold in page.locator(".step-card > details > summary, #astext > summary").all():
        fold.click()
    found["strip, unfolded"] = axe_faults(page)
    page.click("#tab-log")
    found["log"] = axe_faults(page)
    page.click("#film-open")
    found["film"] = axe_faults(page)
    result = tables.open(tables.finished(), color_scheme=colours)
    found["result"] = axe_faults(result)
    assert {where: faults for where, faults in found.items() if faults} == {}


def test_the_mailed_form_without_a_network_gives_the_orders_of_the_game_page(tables: Tables, tmp_path: Path) -> None:
    """The same presets, and the same course by clicks on buttons."""
    name = tables.table.begin("5", "federation")
    page = tables.open(name)
    file = tmp_path / "orders.html"
    file.write_bytes(tables.table.page(name, "federation", "form"))
    context = tables.browser.new_context(viewport={"width": 1400, "height": 1000}, offline=True)
    tables.contexts.append(context)
    form = context.new_page()
    form.on("pageerror", lambda error: tables.said.append(str(error)))
    form.goto(file.as_uri())
    form.locator("html[data-form=ready]").wait_for()
    assert file.stat().st_size <= 250_000
    presets = page.locator(".presets button")
    assert presets.count() >= 4
    for number in range(presets.count()):
        presets.nth(number).click()
        orders = page.locator("#text").text_content()
        form.click("#load")
        form.fill("#load-text", orders)
        form.click("#load-go")
        expect(form.locator("#text")).to_have_text(orders)
    presets.nth(0).click()
    form.click("#load")
    form.fill("#load-text", page.locator("#text").text_content())
    form.click("#load-go")
    page.click("#card-plot > summary")
    for one in (page, form):
        for code in ("F", "L", "F"):
            one.click(f"#u0-code-{code}")
        expect(one.locator("#text")).to_contain_text("PLOT F L F")
    written, planned = (one.locator("#text").text_content().split() for one in (form, page))
    assert written == planned
