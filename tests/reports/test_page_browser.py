"""The report page in a real browser: nothing complains, nothing leaves it, nothing hostile runs, the replay plays."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.engine.events import Record
from pbem.games.in_memory import Game
from pbem.games.storage.opening import opened
from pbem.reports.html.page import sitrep_html
from pbem.reports.html.site import GameLine, games_page
from pbem.reports.view.build import build_view
from tests.patience import until

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_keeps_to_itself(browser: Any, duels: ModuleType, tmp_path: Path, width: int, scheme: str) -> None:
    file = tmp_path / "sitrep.html"
    records = duels.duel(fed=HOSTILE, player=HOSTILE)
    file.write_text(sitrep_html(build_view(records, "umpire")), encoding="utf-8", newline="\n")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert (said, asked) == ([], [file.as_uri()])
    assert page.title() == "duel01 2.9 SITREP"
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The style is in force: its hash in the policy is right.
    assert page.evaluate("getComputedStyle(document.querySelector('.map .grid')).fill") == "none"
    page.close()


@pytest.mark.parametrize("width", [390, 1200])
def test_the_page_of_a_raid_fits_and_draws_all(browser: Any, raids: ModuleType, tmp_path: Path, width: int) -> None:
    file = tmp_path / "sitrep.html"
    file.write_text(sitrep_html(build_view(raids.raid(), "federation")), encoding="utf-8", newline="\n")
    page = browser.new_page(viewport={"width": width, "height": 900})
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(file.as_uri())
    assert said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for mark in (".planet", ".rock", ".tie", ".boat", "use[href='#shape-monster']"):
        box = page.locator(f".map {mark}").first.bounding_box()
        assert box is not None and box["width"] > 4, mark
    page.close()


# --- the replay ----------------------------------------------------------------------------------------------------

SHOWN = """() => [...document.querySelectorAll('.map .counter:not(.off)')].map(g => {
  const at = new DOMMatrix(g.style.transform), turn = Math.round(Math.atan2(at.b, at.a) * 180 / Math.PI + 360) % 360;
  const near = (window.hexNumbers ??= [...document.querySelectorAll('.map .no text')]).find(t =>
    Math.hypot(t.getAttribute('x') - at.e, +t.getAttribute('y') + 15 - at.f) < 20);
  return [g.dataset.unit, near.textContent + 'ABCDEF'[turn / 60]];
})"""
"""What the map shows: hex and facing of every counter, read off the drawing."""

STEPS = """([shown, count]) => {
  const look = (0, eval)(shown), slider = document.getElementById('replay-at');
  const press = key => slider.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  press('Home');
  return Array.from({ length: count }, (_, k) => { if (k) press('ArrowRight'); return look(); });
}"""
"""What the map shows at each step, from the first on."""


def shipped(game: str) -> list[Record]:
    with opened(ROOT / "turns" / game) as folder:
        return folder.effective()


class Visit:
    """A page opened in the browser, with what it said and asked for."""

    def __init__(self, browser: Any, file: Path, text: str, hash: str = "", **how: Any) -> None:
        file.write_text(text, encoding="utf-8", newline="\n")
        self.page = browser.new_page(**{"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce", **how})
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri() + hash)

    def shown(self) -> dict[str, str]:
        return dict(self.page.evaluate(SHOWN))

    def title(self, begins: str) -> None:
        """Waits until the title of the moment shown begins with these words."""
        expect(self.page.locator("#replay-title")).to_have_text(re.compile("^" + re.escape(begins)))


@pytest.mark.parametrize(("game", "turns"), [("duel01", 5), ("rescue01", 3)])
def test_the_shipped_games_replay_step_by_step(browser: Any, tmp_path: Path, game: str, turns: int) -> None:
    records = shipped(game)
    for turn in range(1, turns + 1):
        view = build_view(records, "federation", turn=turn)
        visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view), bypass_csp=True)
        shown = visit.page.evaluate(STEPS, [SHOWN, len(view.replay)])
        standing: dict[str, str] = {}
        for frame, look in zip(view.replay, shown, strict=True):
            standing = {name: at for name, at in {**standing, **frame.at}.items() if name not in frame.gone}
            assert dict(look) == standing
        table = {unit.name: unit.at for unit in view.units if unit.kind != "planet" and not unit.gone}
        assert visit.shown() == table
        assert visit.said == [] and len(visit.asked) == 1
        visit.page.close()


def test_a_page_that_was_saved_with_other_line_ends_works(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    """Pages travel as they are, and a mail program may keep the line ends of mail; scripts are allowed by digest."""
    view = build_view(duels.duel(), "federation")
    text = sitrep_html(view).replace("\n", "\r\n")
    assert text.count("\r\n") > 100
    visit = Visit(browser, tmp_path / "sitrep.html", text)
    assert visit.page.evaluate("getComputedStyle(document.querySelector('.map .grid')).fill") == "none", "its style"
    slider = visit.page.locator("#replay-at")
    expect(slider).to_have_attribute("max", str(len(view.replay) - 1))
    slider.focus()
    slider.press("Home")
    visit.title("Start of turn 2")
    visit.page.locator("#replay-event").click()
    expect(visit.page.locator("#replay-said")).to_contain_text(re.compile(r"\w"))
    assert visit.said == [] and len(visit.asked) == 1
    visit.page.close()


def test_the_replay_answers_to_keys_buttons_and_links(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    text = sitrep_html(build_view(duels.duel(), "federation"))
    visit = Visit(browser, tmp_path / "sitrep.html", text, "#t2i3-launch")
    page = visit.page
    visit.title("Impulse 3: Seeking weapons are launched")
    top = "document.querySelector('#map').getBoundingClientRect().top"
    until(page, f"{top} >= 0 && {top} < innerHeight / 3")
    assert "KD/1" in visit.shown()
    page.evaluate("location.hash = '#t2i9'")
    visit.title("Impulse 9")
    page.locator("#replay-at").focus()
    for key, title in (
        ("PageUp", "Impulse 9"), ("PageUp", "Impulse 8"), ("Home", "Start of turn 2"), ("ArrowLeft", "Start of turn 2"),
        ("PageDown", "Impulse 2"), ("End", "Impulse 9: Direct fire is resolved"),
    ):  # fmt: skip
        page.keyboard.press(key)
        visit.title(title)
    page.wait_for_url("**#t2i9-resolve")
    page.click("#replay-first")
    page.click("#replay-on")
    visit.title("Before impulse 1")
    page.locator("#replay-at").focus()
    page.keyboard.press(" ")
    expect(page.locator("#replay-play")).to_have_text("Pause")
    expect(page.locator("#replay-title")).not_to_contain_text("Energy")
    page.keyboard.press(" ")
    expect(page.locator("#replay-play")).to_have_text("Play")
    assert visit.said == []
    page.close()


def test_the_replay_goes_from_event_to_event(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    """Marks under the slider are the steps that told more than moves; n and p go from one to the next."""
    view = build_view(duels.duel(), "federation")
    visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view))
    told = [
        place
        for place, frame in enumerate(view.replay)
        if any((said.impulse, said.step, said.place) == (frame.impulse, frame.step, "activity") for said in view.said)
    ]
    slider = visit.page.locator("#replay-at")
    expect(visit.page.locator("#replay-ticks i")).to_have_count(len(told))
    assert visit.page.locator("#replay-ticks i.rolled").count() > 0
    slider.focus()
    slider.press("Home")
    for place in told:
        visit.page.locator("#replay-event").click()
        expect(slider).to_have_value(str(place))
    slider.focus()
    for place in reversed(told[:-1]):
        slider.press("p")
        expect(slider).to_have_value(str(place))
    visit.page.close()


def test_the_map_follows_the_fight_until_it_is_moved_by_hand(browser: Any, tmp_path: Path) -> None:
    view = build_view(shipped("duel01"), "federation", turn=2)
    visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view))
    map_, slider = visit.page.locator("svg.map"), visit.page.locator("#replay-at")

    def box() -> list[float]:
        return [float(part) for part in str(map_.get_attribute("viewBox")).split()]

    def in_sight() -> bool:
        left, top, wide, high = box()
        places = visit.page.evaluate(
            "() => [...document.querySelectorAll('.map .counter:not(.off)')].map(g => new DOMMatrix(g.style.transform))"
            ".map(m => [m.e, m.f])"
        )
        names = visit.page.evaluate(
            "() => { const here = [...document.querySelectorAll('.map .counter:not(.off)')].map(g => g.dataset.unit);"
            "return [...document.querySelectorAll('.map .label')].filter(t => here.includes(t.dataset.unit))"
            ".map(t => t.getBBox()).map(b => [b.x, b.x + b.width]) }"
        )
        return all(left <= x <= left + wide and top <= y <= top + high for x, y in places) and all(
            left <= begins and ends <= left + wide for begins, ends in names
        )

    slider.focus()
    slider.press("Home")
    for _ in view.replay:
        assert in_sight()
        slider.press("ArrowRight")
    slider.press("+")
    near = box()
    assert near[2] < view_width(visit)
    map_.scroll_into_view_if_needed()
    at = map_.bounding_box()
    assert at is not None
    visit.page.mouse.move(at["x"] + 300, at["y"] + 200)
    visit.page.mouse.down()
    visit.page.mouse.move(at["x"] + 200, at["y"] + 150, steps=5)
    visit.page.mouse.up()
    dragged = box()
    assert dragged[0] > near[0] and dragged[1] > near[1] and dragged[2:] == near[2:]
    slider.focus()
    slider.press("Home")
    assert box() == dragged  # where the hand put it, there it stays
    visit.page.locator("#replay-close").click()
    visit.page.locator("#replay-close").click()
    assert in_sight()
    assert visit.said == []
    visit.page.close()


def far_apart(tmp_path: Path) -> str:
    """A report of two ships at the two ends of a map of 42 columns."""
    text = (ROOT / "pbem/data/scenarios/10.toml").read_text(encoding="utf-8")
    text = text[: text.index("[variants.")].replace('"2817"', '"4230"').replace('"2801"', '"4004"')
    own = tmp_path / "far.toml"
    for was, now in (('"0216"', '"0228"'), ('facing = "E"', 'facing = "D"'), ('facing = "B"', 'facing = "A"')):
        text = text.replace(was, now)
    own.write_text(text, encoding="utf-8")
    game = Game.new(str(own), options={"reveal": "none"}, seed="far")
    for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
        game.give(side, f"SHIP {ship}\nENERGY\n  SPEED 16\nPLOT 2F")
    game.play()
    return sitrep_html(build_view(game._records, "federation"))


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (844, 390)])
def test_all_ships_of_a_wide_map_are_in_sight(browser: Any, tmp_path: Path, width: int, height: int) -> None:
    visit = Visit(browser, tmp_path / "sitrep.html", far_apart(tmp_path))
    visit.page.set_viewport_size({"width": width, "height": height})
    visit.page.reload()
    visit.page.locator("#replay-at").press("End")
    found = visit.page.evaluate("""() => {
      const frame = document.querySelector('svg.map').parentElement.getBoundingClientRect();
      return [...document.querySelectorAll('.map .counter:not(.off)')].map(g => g.getBoundingClientRect())
        .map(box => box.left >= frame.left && box.right <= frame.right);
    }""")
    assert found == [True, True]


def test_printed_the_first_page_is_filled_before_the_map(browser: Any, tmp_path: Path) -> None:
    page = Visit(browser, tmp_path / "sitrep.html", far_apart(tmp_path)).page
    page.emulate_media(media="print")
    order = ("headline", "changes", "news", "map", "ships")
    tops = page.evaluate("ids => ids.map(id => document.getElementById(id).getBoundingClientRect().top)", order)
    assert tops == sorted(tops)


def view_width(visit: Visit) -> float:
    return float(visit.page.evaluate("document.querySelector('svg.map .grid').getBBox().width"))


ON_LINE = """name => {
  const text = document.querySelector(`#map-rulers [data-to="${name}"]`);
  const box = text.getBBox(), line = text.previousElementSibling;
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map(one => Number(line.getAttribute(one)));
  const [x, y] = [box.x + box.width / 2 - x1, box.y + box.height / 2 - y1], long = Math.hypot(x2 - x1, y2 - y1);
  return [x * (x2 - x1) + y * (y2 - y1), Math.abs(x * (y2 - y1) - y * (x2 - x1)) * long].map(one => one / long ** 2);
}"""
"""Where the number of a range stands: how far along its line, as a part of it, and how far beside it."""


def test_ranges_from_a_ship_are_drawn_for_whoever_asks(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    view = build_view(duels.duel(), "federation")
    page = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view)).page
    rulers = page.locator("#map-rulers text")
    expect(rulers).to_have_count(0)
    # By the keyboard: keys of the replay do nothing while a choice is made.
    page.locator("#replay-from").focus()
    page.keyboard.press("End")
    expect(page.locator("#replay-from")).not_to_have_value("")
    chosen = page.locator("#replay-from").input_value()
    expect(page.locator("#replay-at")).to_have_value(page.locator("#replay-at").get_attribute("max"))
    others = [unit.name for unit in view.units if not unit.gone and unit.name != chosen]
    expect(rulers).to_have_count(len(others))
    # And by a click on a counter, which takes it away again.
    page.locator("[data-unit=Destruction].counter").click()
    (bearing,) = view.bearings
    expect(page.locator("#map-rulers [data-to=Constellation]")).to_have_text(str(bearing.range))
    # The number is written on its line, nearer to the other ship.
    along, aside = page.evaluate(ON_LINE, "Constellation")
    assert 0.5 < along < 0.9 and aside < 12
    page.locator("[data-unit=Destruction].counter").click()
    expect(rulers).to_have_count(0)
    page.close()


def test_a_wide_map_stays_readable_on_a_phone(browser: Any, tmp_path: Path) -> None:
    text = sitrep_html(build_view(shipped("rescue01"), "federation", turn=1))
    visit = Visit(browser, tmp_path / "sitrep.html", text, viewport={"width": 390, "height": 844})
    assert visit.page.evaluate("document.querySelector('svg.map').getScreenCTM().a") >= 0.7
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
    visit.page.close()


@pytest.mark.parametrize("wide", [390, 430])
def test_a_phone_shows_what_became_of_orders_and_what_everybody_is(browser: Any, tmp_path: Path, wide: int) -> None:
    """Nothing of these tables lies beyond the card, where it has to be looked for by scrolling sideways."""
    text = sitrep_html(build_view(shipped("rescue01"), "federation", turn=1))
    visit = Visit(browser, tmp_path / "sitrep.html", text, viewport={"width": wide, "height": 740})
    hidden = """() => [...document.querySelectorAll(".orders, #positions table")].filter(table =>
        Math.max(table.scrollWidth, table.offsetWidth) > table.parentElement.clientWidth + 1).length"""
    assert visit.page.evaluate("document.querySelectorAll('.orders, #positions table').length") > 2
    assert visit.page.evaluate(hidden) == 0
    first = "document.querySelector('.orders td:last-child').getBoundingClientRect()"
    assert visit.page.evaluate(f"{first}.left >= 0 && {first}.right <= innerWidth")
    visit.page.close()


def test_a_phone_shows_all_that_the_players_of_a_club_have_won(browser: Any, tmp_path: Path) -> None:
    players = (("federation", "Ann Lee"), ("klingon", "Bob"))
    line = GameLine(name="duel", folder="duel", title="Encounter", players=players, stands="Waits.", over=False)
    visit = Visit(browser, tmp_path / "index.html", games_page([line]), viewport={"width": 360, "height": 740})
    card = "document.querySelector('[aria-labelledby=h-players]')"
    assert "In the games shown here" in visit.page.evaluate(f"{card}.innerText")
    right = f"one.getBoundingClientRect().right > {card}.clientWidth + 20"
    beyond = f"[...{card}.querySelectorAll('*')].filter(one => {right}).map(one => one.innerText)"
    assert visit.page.evaluate(beyond) == []
    visit.page.close()


NAMES = """() => [...document.querySelectorAll('.map .label:not(.off)')].map(label => {
  const box = label.getBBox(), wide = +document.querySelector('svg.map .grid').getBBox().width;
  return [label.dataset.unit, box.x >= -1 && box.x + box.width <= wide + 20];
})"""
"""Whether the name of each counter lies on the map."""


@pytest.mark.parametrize(("game", "turn"), [("duel01", 1), ("duel01", 2), ("rescue01", 1)])
def test_no_name_leaves_the_map_while_its_ship_flies_along_the_edge(
    browser: Any, tmp_path: Path, game: str, turn: int
) -> None:
    view = build_view(shipped(game), "federation", turn=turn)
    visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view), bypass_csp=True)
    steps = visit.page.evaluate(STEPS, [NAMES, len(view.replay)])
    assert all(step and all(inside for _, inside in step) for step in steps)
    visit.page.close()


def test_a_map_that_scrolls_on_a_phone_is_no_wider_than_it_is_drawn(browser: Any, tmp_path: Path) -> None:
    game = Game.new("9", seed="far apart")  # the whole map is wanted
    for side in game.wanted:
        game.give(side, [])
    game.play()
    text = sitrep_html(build_view(game._records, "federation"))
    visit = Visit(browser, tmp_path / "sitrep.html", text, viewport={"width": 390, "height": 740})
    visit.page.locator("html[data-replay=ready]").wait_for()
    drawn, stands = visit.page.evaluate(
        "[document.querySelector('svg.map').getScreenCTM().a * document.querySelector('svg.map').viewBox.baseVal.width,"
        " document.querySelector('svg.map').clientWidth]"
    )
    assert stands > 390 and abs(drawn - stands) < 2
    visit.page.close()


def test_keys_that_are_not_for_the_map_scroll_the_page(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(build_view(duels.duel(), "federation")))
    visit.page.keyboard.press("End")
    for _ in range(100):  # the page's policy keeps Playwright from waiting by a function of its own
        if visit.page.evaluate("scrollY") > 500:
            break
        visit.page.wait_for_timeout(50)
    assert visit.page.evaluate("scrollY") > 500
    visit.title("Impulse 9")
    visit.page.close()


def test_ships_may_be_called_anything(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    for name in ("constructor", "__proto__", "toString", HOSTILE, "a b:1,2"):
        view = build_view(duels.duel(fed=name, player=HOSTILE), "umpire")
        visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view, f"SHIP {HOSTILE}"), "#t2i4")
        for key in ("Home", "PageDown", "End"):
            visit.page.locator("#replay-at").press(key)
        visit.title("Impulse 9: Direct fire is resolved")
        assert visit.shown()[name] == "1304F"
        assert (visit.said, len(visit.asked), visit.page.title()) == ([], 1, "duel01 2.9 SITREP")
        assert visit.page.evaluate("document.querySelectorAll('img, script:not([type])').length") == 2
        visit.page.close()


def test_the_page_can_be_read_without_its_script(browser: Any, duels: ModuleType, tmp_path: Path) -> None:
    view = build_view(duels.duel(), "klingon")
    visit = Visit(browser, tmp_path / "sitrep.html", sitrep_html(view), "#t2i9", java_script_enabled=False)
    expect(visit.page.locator("#replay")).to_be_hidden()
    expect(visit.page.locator("[data-unit=Destruction].counter")).to_be_visible()
    expect(visit.page.locator("#t2i9")).to_be_visible()
    expect(visit.page.locator("#map-left")).to_be_visible()
    expect(visit.page.locator("#draft")).to_have_count(0)
    visit.page.close()


def test_halves_of_numbers_are_laid_out_for_those_without_scripts_alone(
    browser: Any, duels: ModuleType, tmp_path: Path
) -> None:
    """Thousands of them would be laid out while the rest of the page is read, and then be taken away."""
    file, page = tmp_path / "sitrep.html", browser.new_page()
    before, _, after = sitrep_html(build_view(duels.duel(), "klingon")).rpartition("<script>")
    file.write_text(before + after.partition("</script>")[2], encoding="utf-8", newline="\n")
    page.goto(file.as_uri())
    expect(page.locator("#map-left")).to_have_count(1)
    expect(page.locator("#map-left")).to_be_hidden()
    page.close()
