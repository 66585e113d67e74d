"""The evening game in a real browser: begun, played, taken back and shared, by clicks."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.reports.html.site import came_to

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("starlette", reason="the extra web is not installed")

from playwright.sync_api import expect  # noqa: E402

from pbem.app.cli.web import _leading_page  # noqa: E402
from pbem.app.web.evening import Table  # noqa: E402
from tests.app.web.browsing import Seat, axe_faults  # noqa: E402
from tests.app.web.test_undo import asked_now, file_with_break, undos  # noqa: E402
from tests.patience import until  # noqa: E402

Start = Callable[[], "Evening"]


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


def test_a_turn_of_the_drill_is_sent_by_a_click(evening: Start, seat: Callable[..., Seat], tmp_path: Path) -> None:
    mine = seat()
    mine.begin(evening().address, 1)
    mine.ready()
    expect(mine.page.locator(".bar")).to_contain_text("turn 1")
    mine.told("Nothing is planned yet. Click a hex to fly there, or an enemy to fire at it.")
    # Here orders are sent: there is no mail to open, and the text is folded away.
    for other in ("#copy", "#mail", "#text", "iframe"):
        expect(mine.page.locator(other)).to_be_hidden()
    mine.send()
    mine.ready()
    expect(mine.page.locator(".bar")).to_contain_text("turn 2")
    with opened(tmp_path / "games" / "battle-drill-1") as game:
        request = game.state().request
        assert request is not None and request.turn == 2
        assert not verify(game).record


def test_the_page_that_a_browser_is_given_leads_to_the_table(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    """From a file: the browser keeps the key, and no address has it in the end."""
    one, mine = evening(), seat()
    leads = _leading_page(tmp_path / "games", one.port, one.address)
    mine.page.goto(leads.as_uri())
    mine.page.wait_for_url(f"http://127.0.0.1:{one.port}/")
    expect(mine.page.locator("body")).to_contain_text("Battle Drill")
    mine.page.reload()
    expect(mine.page.locator("body")).to_contain_text("Battle Drill")


def test_a_course_and_fire_chosen_by_clicks_are_played_undone_and_resumed(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    mine, address = seat(), evening().address
    mine.begin(address, 4, "federation")
    mine.ready()
    mine.press("#preset-usual")
    expect(mine.text).to_contain_text("SPEED")
    spots = mine.page.locator(".map [data-hex] path")
    spots.nth(spots.count() // 2).click(force=True)
    expect(mine.text).to_contain_text("PLOT")
    target = mine.page.evaluate("orderForm.data.units.find(unit => unit.enemy).name")
    mine.aim_at(target)
    mine.press("#strip input:enabled")
    expect(mine.text).to_contain_text(f"FIRE PH 1 AT {target}")
    mine.told("no faults found")
    written = mine.text.text_content()

    # A reload loses nothing; nor does a server that is started anew, at the same port if that is free.
    mine.page.reload()
    mine.ready()
    expect(mine.text).to_have_text(written)

    mine.send()
    mine.ready()
    game = tmp_path / "games" / "the-dakota-incident-1"
    filed = next((game / "01" / "orders").glob("federation.*"))
    assert filed.read_text(encoding="utf-8") == written
    began = mine.page.locator(".bar h1").inner_text()

    second = evening()
    mine.page.goto(second.address)
    mine.page.click('a[href="/game/the-dakota-incident-1"]')
    mine.ready()
    expect(mine.page.locator(".bar h1")).to_have_text(re.sub(r"\s+", " ", began))

    mine.page.click("#undo")
    mine.ready()
    expect(mine.page.locator(".bar h1")).to_contain_text("turn 1")
    assert b"taken back at the table by federation" in (game / "01" / "events.jsonl").read_bytes()
    mine.send()
    mine.ready()
    with opened(game) as folder:
        assert not verify(folder).record


@pytest.mark.slow
def test_the_first_game_of_the_tutorial_is_won_as_the_first_officer_suggests(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    """docs/tutorial.md: a shot by hand, then the first officer's plan in every turn."""
    mine, address = seat(), evening().address
    game = tmp_path / "games" / "under-attack-1"
    new("2", game, players={"federation": "you", "drones": "robot"}, seed="tutorial", name="under-attack-1")
    mine.page.goto(address)
    mine.page.goto(f"{address.partition('?')[0]}game/under-attack-1")
    mine.ready()
    mine.load("SHIP Constellation\nPLOT 8F\n")
    mine.aim_at("Drone C")
    mine.press("label:has(#strip-FIRE-PH-1)")
    expect(mine.text).to_contain_text('AT 8 FIRE PH 1 AT "Drone C"')
    for _ in range(12):
        mine.ready()
        if mine.page.locator("#send").count() == 0:
            break
        mine.page.get_by_role("button", name="First officer: suggest orders").click()
        expect(mine.page.locator("#told")).to_contain_text("First officer:", timeout=60_000)
        mine.send()
    expect(mine.page.locator("body")).to_contain_text("drones: defeat, federation: victory")


@pytest.mark.parametrize(
    "level",
    ["computer", "ensign", *(pytest.param(level, marks=pytest.mark.slow) for level in ("captain", "commodore"))],
)
def test_undo_leads_back_to_my_own_orders_whoever_plays_against_me(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path, level: str
) -> None:
    """One click, although the computer alone was asked since; a second click goes back one request more."""
    mine, address = seat(), evening().address
    table = Table(tmp_path / "games")
    name = table.begin("5", "klingon", against=level)
    mine.page.goto(address)
    mine.page.click(f'a[href="/game/{name}"]')
    sent: list[tuple[tuple[int, int], str]] = []
    for _ in range(2):
        mine.ready()
        if level == "computer" or not sent:
            assert mine.page.locator("#undo").is_enabled() == bool(sent)
            mine.press("#preset-usual")
        else:
            file_with_break(table, name, 9)
            mine.page.locator(".map .next [data-hex] path").first.click(force=True)
        mine.told("no faults found")
        sent.append((asked_now(table, name), mine.text.text_content()))
        mine.send()
    mine.ready()
    assert undos(table, name) == 0
    for count, (asked, text) in enumerate(reversed(sent), 1):
        undo, send = mine.page.locator("#undo"), mine.page.locator("#send")
        expect(undo).to_have_text("Undo (new dice)")
        assert undo.bounding_box()["x"] + undo.bounding_box()["width"] + 100 < send.bounding_box()["x"]
        mine.press("#undo")
        mine.page.locator(f"body[data-request='{asked[0]}/klingon/{asked[1]}']").wait_for(timeout=60_000)
        mine.ready()
        mine.told("Undone. Your orders are back in the plan as you sent them. New dice are rolled")
        assert asked_now(table, name) == asked
        expect(mine.text).to_have_text(text)
        assert undos(table, name) == count
    # What is changed after that is not lost by a reload.
    mine.load(re.sub(r"SPEED \d+", "SPEED 5", text))
    expect(mine.text).not_to_have_text(text)
    changed = mine.text.text_content()
    mine.page.reload()
    mine.ready()
    expect(mine.text).to_have_text(changed)
    with opened(table.path(name)) as game:
        assert not verify(game).record


def test_a_weapon_that_is_in_no_order_yet_is_asked_about_before_anything_is_sent(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    """In the folded form a weapon is chosen first and added then; on the board a tick is an order."""
    mine = seat(touch=True)
    mine.begin(evening().address, 1)
    mine.ready()
    mine.unfold("#card-fire-and-activities")
    mine.press("[id^=u0-fire-]:is([type=checkbox]):not(:disabled):not([id$=every])")
    mine.press("#send")
    wrong = mine.page.locator("#wrong")
    expect(wrong).to_contain_text("You have not added this order yet: ")
    expect(mine.page.locator("#told")).to_have_text("")
    assert not list((tmp_path / "games" / "battle-drill-1" / "01").glob("orders/*"))
    mine.press(wrong.get_by_role("button", name="Add and send"))
    expect(mine.page.locator(".bar")).to_contain_text("turn 2", timeout=60_000)
    [filed] = (tmp_path / "games" / "battle-drill-1" / "01").glob("orders/federation*")
    assert " THEN FIRE PH 1 AT " in filed.read_text(encoding="utf-8")


def test_a_fault_is_told_with_its_order_and_nothing_is_sent(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    mine = seat()
    mine.begin(evening().address, 1)
    mine.ready()
    # What the form lets pass and the rules do not: a text of the player's own.
    mine.load(mine.text.text_content().replace("END", "BREAK\n  NOBODY WITHIN 3\nEND"))
    mine.press("#astext summary")
    wrong = mine.page.locator("#wrong li")
    expect(wrong).to_have_count(1)
    mine.said.clear()  # the browser notes that the answer was a refusal
    wrong.locator("button").click()
    assert "NOBODY" in mine.page.evaluate("getSelection().toString()")
    expect(mine.text).to_be_focused()
    mine.page.click("#send")
    mine.told("Not sent")
    assert not list((tmp_path / "games" / "battle-drill-1" / "01").glob("orders/*"))
    mine.said.clear()


def test_an_old_window_says_that_it_is_one(evening: Start, seat: Callable[..., Seat]) -> None:
    """A second window of the same game, and a window of before pbem play was started again."""
    mine = seat()
    mine.begin(evening().address, 1)
    mine.ready()
    other = mine.context.new_page()
    other.goto(mine.page.url)
    other.locator("html[data-table=ready]").wait_for()
    mine.send()
    mine.ready()
    other.click("#send")
    expect(other.locator("#told")).to_contain_text("the game has moved on")
    other.reload()
    expect(other.locator(".bar h1")).to_contain_text("turn 2")
    other.close()

    again = evening()
    if mine.page.url.startswith(again.address.partition("?")[0]):  # the same port, as a rule
        mine.page.click("#send")
        mine.told("Use the page that pbem play opened last")
    mine.page.goto(again.address)
    mine.page.click('a[href="/game/battle-drill-1"]')
    mine.ready()
    expect(mine.page.locator(".bar h1")).to_contain_text("turn 2")
    mine.said.clear()  # the browser notes refusals


def test_a_second_click_on_send_sends_nothing_twice(evening: Start, seat: Callable[..., Seat], tmp_path: Path) -> None:
    mine = seat()
    mine.begin(evening().address, 1)
    mine.ready()
    asked: list[str] = []
    mine.page.on("request", lambda request: asked.append(request.url))
    mine.page.dblclick("#send")
    expect(mine.page.locator(".bar h1")).to_contain_text("turn 2", timeout=60_000)
    assert len([url for url in asked if url.endswith("/send")]) == 1
    assert len(list((tmp_path / "games" / "battle-drill-1" / "01" / "orders").iterdir())) == 1


def test_nothing_is_lost_while_the_server_is_away(evening: Start, seat: Callable[..., Seat], tmp_path: Path) -> None:
    mine, one = seat(), evening()
    mine.begin(one.address, 1)
    mine.ready()
    mine.aim_at("Drone B")
    mine.press("#strip input:enabled")
    mine.told("no faults found")
    written = mine.text.text_content()
    mine.page.route("**/send", lambda route: route.abort())
    mine.press("#send")
    mine.told("The server does not answer. Your orders are kept: start pbem play again, then send them again.")
    expect(mine.text).to_have_text(written)
    mine.said.clear()  # the browser notes that there was no answer
    mine.page.unroute("**/send")
    mine.send()
    mine.ready()
    [filed] = (tmp_path / "games" / "battle-drill-1" / "01" / "orders").iterdir()
    assert filed.read_text(encoding="utf-8") == written


def test_two_people_share_a_keyboard_and_a_curtain_stands_between(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    mine = seat()
    asked: list[str] = []
    mine.page.on("request", lambda request: asked.append(request.url))
    mine.begin(evening().address, 5, "federation", friend=True)
    mark = "my secret course"
    sent: dict[str, str] = {}
    for side, other in (("federation", "klingon"), ("klingon", "federation")):
        expect(mine.page.locator("h1")).to_have_text("Choose your side")
        asked.clear()
        mine.page.click(f'button[value="{side}"]')
        mine.ready()
        # Nothing of the other one: not in what was sent here, not in what the browser keeps.
        assert not [url for url in asked if f"/{other}/" in url]
        assert mark not in mine.page.content()
        assert mark not in mine.page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })")
        assert mine.page.evaluate(f"fetch('/game/encounter-1/{other}/report').then(answer => answer.status)") == 409
        mine.said.clear()  # that one refusal
        mine.press("#preset-usual")
        mine.unfold("#astext")
        mine.press("#load")
        mine.page.fill("#load-text", mark)  # kept by the browser, as all that is entered is
        until(mine.page, "mark => JSON.stringify({ ...localStorage }).includes(mark)", mark)
        if side == "federation":
            # Somebody else sits down before anything was sent.
            mine.page.click("#curtain")
            mine.page.click(f'button[value="{other}"]')
            mine.ready()
            assert mark not in mine.page.evaluate("JSON.stringify({ ...localStorage })")
            mine.page.click("#curtain")
            mine.page.click(f'button[value="{side}"]')
            mine.ready()
        else:
            mine.page.fill("#load-text", "")
        sent[side] = mine.text.text_content()
        mine.send()
    expect(mine.page.locator(".over")).to_contain_text("turn 1")
    mine.page.go_back()
    expect(mine.page.locator("h1")).to_have_text("Choose your side")
    with opened(tmp_path / "games" / "encounter-1") as game:
        assert game.state().segment == 1 and not verify(game).record

    # Undo gives both their orders back, behind the curtain.
    mine.page.click('button[value="klingon"]')
    mine.ready()
    mine.press("#undo")
    for side in sent:
        expect(mine.page.locator("h1")).to_have_text("Choose your side")
        mine.page.click(f'button[value="{side}"]')
        mine.ready()
        expect(mine.text).to_have_text(sent[side])
        mine.told("Undone")
        mine.page.click("#curtain")


def test_what_is_entered_behind_the_curtain_stays_until_the_other_player_sits_down(
    evening: Start, seat: Callable[..., Seat]
) -> None:
    mine = seat()
    mine.begin(evening().address, 5, "federation", friend=True)

    def sit(side: str) -> None:
        mine.page.click(f'button[value="{side}"]')
        mine.ready()

    sit("federation")
    empty = mine.text.text_content()
    mine.press("#preset-usual")
    expect(mine.text).not_to_have_text(empty)
    entered = mine.text.text_content()
    for others, left in (((), entered), (("klingon",), empty)):
        for side in (*others, "federation"):
            mine.page.click("#curtain")
            sit(side)
        expect(mine.text).to_have_text(left)


def test_the_table_is_read_and_played_without_its_script(
    browser: Any, evening: Start, seat: Callable[..., Seat], tmp_path: Path
) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    try:
        page.goto(evening().address)
        page.click('a[href="/course/1"]')
        page.click("button.main")
        expect(page.locator("#bare")).to_have_value(re.compile("GAME battle-drill-1"))
        orders = page.locator("#bare").input_value().replace("END", "BREAK\n  ME DAMAGED\nEND")
        page.fill("#bare", orders)
        page.click("noscript button.main" if page.locator("noscript button.main").count() else ".bare button.main")
        expect(page.locator(".bar h1")).to_contain_text("turn 2")
        page.click("#undo")
        expect(page.locator("#told")).to_contain_text("Undone. Your orders are back in the plan as you sent them.")
        expect(page.locator("#bare")).to_have_value(orders)
    finally:
        context.close()


COURSE = {
    1: "federation", 2: "federation", 3: "klingon", 4: "federation", 5: "klingon", 6: "romulan", 7: "klingon",
    8: "orion", 9: "federation", 10: "klingon", 11: "federation", 12: "federation",
}  # fmt: skip
TURNS = 15
"""Turns after which a game that is not over is none that ends."""
WHOLE = bool(os.environ.get("PBEM_EVENINGS"))
SHORT = (1, 2, 3, 6)
"""Scenarios of few turns. The pages of each turn take a browser seconds: the others are played by clicks with
``PBEM_EVENINGS=1``, and by what the clicks send without.
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [number for number in COURSE if number not in SHORT])
def test_every_longer_scenario_is_played_to_its_end_by_what_the_page_sends(tmp_path: Path, number: int) -> None:
    table = Table(tmp_path)
    # In two long ones against captains who do not think: how these choose is no affair of the table.
    name = table.begin(str(number), COURSE[number], against="ensign" if number in (8, 9) else "")
    while not (seen := table.look(name)).now.over:
        assert seen.now.turn <= TURNS
        (side,) = seen.owing
        table.send(name, side, table.draft(name, side))
    with opened(tmp_path / name) as game:
        assert game.state().over and not verify(game).record


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "touch"),
    [
        *((number, False) for number in (COURSE if WHOLE else SHORT)),
        *((n, True) for n in (COURSE if WHOLE else SHORT[:1])),
    ],
)
def test_every_scenario_is_begun_and_played_to_its_end_by_clicks_or_touches(
    evening: Start, seat: Callable[..., Seat], tmp_path: Path, number: int, touch: bool
) -> None:
    """The form is sent as it stands, until the game is over; its end stands in the list of games."""
    mine = seat(touch=touch)
    mine.begin(evening().address, number, COURSE[number])
    (path,) = (tmp_path / "games").iterdir()
    while True:
        mine.page.locator("html[data-table=ready]").wait_for(timeout=60_000)
        if not mine.page.locator("#send").count():
            break
        with opened(path) as game:
            request = game.state().request
        assert request is not None
        assert request.turn <= TURNS
        mine.send()
    with opened(path) as game:
        state = game.state()
        assert state.over and not verify(game).record
    expect(mine.page.locator(".bar .end").first).to_be_visible()
    table, side = mine.page.url.partition("/game")[0], mine.page.get_attribute("body", "data-base")
    mine.page.goto(f"{table}{side}replay.html")
    expect(mine.page.locator("html[data-replay=ready] #replay-turns a")).to_have_count(state.stands[0])
    mine.press("#replay-first")
    expect(mine.page.locator("#replay-at")).to_have_value("0")
    expect(mine.page.locator("#map")).to_be_in_viewport(ratio=0.4)
    mine.press(mine.page.get_by_role("link", name="The last report"))
    expect(mine.page.locator("#tally")).to_be_visible()
    mine.page.goto(table)
    expect(mine.page.locator(".games .end").first).to_contain_text(state.outcome[0].result)
    expect(mine.page.locator(".games .ships").first).to_have_text(came_to(state))


@pytest.mark.slow
def test_axe_finds_no_fault_at_the_table_and_nothing_is_wider_than_a_phone(
    browser: Any, evening: Start, tmp_path: Path
) -> None:
    table = Table(tmp_path / "games")
    names = [table.begin("1", "federation"), table.begin("5", "federation", against="friend")]
    address = evening().address
    base = address.partition("?")[0]
    for width, colours in ((1400, "light"), (390, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=colours)
        page = context.new_page()
        page.goto(address)
        for path in ("", "course/1", "course/8", *(f"game/{name}" for name in names), "game/none"):
            page.goto(base + path)
            found = axe_faults(page)
            assert not found, f"{path} at {width}: {found}"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        # The button stays in sight, whatever the rail scrolls to.
        page.goto(f"{base}game/{names[0]}")
        page.locator("html[data-table=ready]").wait_for()
        page.locator("#verdict").scroll_into_view_if_needed()
        box = page.locator("#send").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= 844
        context.close()


@pytest.mark.parametrize("width", [844, 1000])
def test_a_long_title_and_a_phone_held_sideways_leave_the_bar_one_line(
    browser: Any, evening: Start, tmp_path: Path, width: int
) -> None:
    name = Table(tmp_path / "games").begin("5", "federation")
    address = evening().address
    page = browser.new_page(viewport={"width": width, "height": 390})
    page.goto(address)
    page.goto(f"{address.partition('?')[0]}game/{name}")
    page.locator("html[data-table=ready]").wait_for()
    page.evaluate("document.querySelector('#bar h1').prepend('A title as long as somebody could make it. '.repeat(5))")
    bar, send = page.locator("#bar").bounding_box(), page.locator("#send").bounding_box()
    assert bar["height"] <= 60 and send["x"] + send["width"] <= width
    page.close()


class Keys:
    """Somebody without a mouse: what has the focus is all there is."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def press(self, *names: str) -> None:
        for name in names:
            self.page.keyboard.press(name)

    def reach(self, query: str, *, back: bool = False) -> None:
        """Tabs on until it is reached; it can be seen then."""
        for _ in range(150):
            self.press("Shift+Tab" if back else "Tab")
            if self.page.evaluate("query => document.activeElement.matches(query)", query):
                shown = self.page.evaluate(FOCUSED)
                assert shown, f"{query} does not show that it has the focus"
                return
        raise AssertionError(query)

    def choose(self, query: str, *names: str) -> None:
        self.reach(query)
        self.press(*names)


FOCUSED = """() => {
  const one = document.activeElement;
  return getComputedStyle(one).outlineStyle !== "none" || one.matches("input, select, .map");
}"""


@pytest.mark.slow
def test_the_keyboard_alone_plays_a_turn(evening: Start, seat: Callable[..., Seat]) -> None:
    """From the list of scenarios to the film: energy, a course, fire, sent; then the film, step by step."""
    mine = seat()
    mine.page.goto(evening().address)
    keys = Keys(mine.page)
    keys.choose('a[href="/course/5"]', "Enter")
    mine.page.wait_for_url(re.compile("/course/5$"))
    keys.choose("input[name=side]", "ArrowDown")
    keys.choose("input[name=against]", "ArrowUp")  # from the first choice to the last, a friend; and back
    keys.press("ArrowDown")
    keys.choose("button.main", "Enter")
    mine.page.wait_for_url(re.compile("/game/"))
    mine.ready()

    # A preset, a course by arrow keys on the map, a shot by its weapon's box and what was typed in a field.
    keys.choose("#preset-close-in", "Enter")
    expect(mine.text).to_contain_text("SPEED")
    keys.reach(".map", back=True)
    keys.press("ArrowUp", "ArrowUp", "ArrowDown", "ArrowUp")
    expect(mine.text).to_contain_text("PLOT 2F")
    keys.choose("#card-fire-and-activities > summary", "Enter")
    keys.choose("[id^=u0-fire-][type=checkbox]:not(:disabled)", "Space")
    keys.reach("#u0-fire-range")
    keys.press("Control+a", "9", "Enter")
    expect(mine.text).to_contain_text("IF RANGE <= 9 THEN FIRE")
    keys.reach("#send", back=True)
    keys.press("Enter")
    expect(mine.page.locator(".bar h1")).not_to_contain_text(re.compile("turn 1$"), timeout=60_000)
    mine.ready()

    # The film on the board, and the way back to the plan.
    keys.choose("#film-open", "Enter")
    expect(mine.page.locator("#film")).to_be_visible()
    keys.press(" ", "Home")
    expect(mine.page.locator("#replay-at")).to_have_value("0")
    keys.press("n")
    expect(mine.page.locator("#replay-at")).not_to_have_value("0")
    keys.press("Escape")
    expect(mine.page.locator("#film")).to_be_hidden()
    keys.reach("#undo", back=True)
