"""The order form in a real browser: filled by clicks, its text passes the check, its sums are the engine's."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pbem.engine.state import Ship
from pbem.engine.steps.energy import reckon
from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.games.submit import check
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.rules import hexes, terrain

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests import axe  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = tuple(str(number) for number in range(1, 13))

Opening = Callable[[str], list[Any]]
Visit = Callable[..., Any]


def accepted(game: Path, text: str) -> None:
    """The check takes the text; raises with its faults if it does not."""
    with opened(game) as folder:
        check(folder, text, "form.orders")


# --- filled by clicks -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_form_filled_by_clicks_passes_the_check(opening: Opening, visit: Visit, scenario: str) -> None:
    for form in opening(scenario):
        page = visit(form.html)
        accepted(form.game, page.text())  # nothing pressed
        for tab in range(max(1, page.page.locator("#units button").count())):
            page.tab(tab)
            unit = f"#u{tab}"
            page.usual(unit)
            for _ in range(3):
                spots = page.page.locator(".map [data-hex]")
                if spots.count():
                    page.click_hex(spots.nth(spots.count() // 2).get_attribute("data-hex"))
                    page.settled()
            guns = page.page.locator(f"[id^=u{tab}-fire-]:is([type=checkbox]):not(:disabled):not([id$=every])")
            for place in range(min(2, guns.count())):
                guns.nth(place).check()
                page.settled()
            if page.page.locator(f"{unit}-fire-add").count() and page.page.locator(f"{unit}-fire-add").is_enabled():
                page.page.click(f"{unit}-fire-add")
                page.has(" AT ")
            if page.page.locator(f"{unit}-break-add").count():
                page.page.click(f"{unit}-break-add")
                page.has("BREAK\n")
            if page.page.locator(f"{unit}-dam-add").count():
                page.page.click(f"{unit}-dam-add")
                page.has("DAMAGE\n")
        page.ready()
        accepted(form.game, page.text())


SEEDS = int(os.environ.get("PBEM_SEEDS", "1"))
"""How often each form is pressed at random."""
MONKEY = (Path(__file__).parent / "monkey.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_whatever_is_pressed_the_text_passes_the_check(opening: Opening, visit: Visit, scenario: str) -> None:
    for form in opening(scenario):
        page = visit(form.html)
        for seed in range(SEEDS):
            text, faults = page.page.evaluate(MONKEY, [seed * 7919 + int(scenario), 60])
            assert faults == []
            accepted(form.game, text)


# --- the sums -------------------------------------------------------------------------------------------------------


def random_forms(energy: dict[str, Any], dice: random.Random, count: int) -> list[dict[str, Any]]:
    """Picks for every field of a form, most of them modest."""
    forms = []
    for _ in range(count):
        picks = {}
        for field in energy["fields"]:
            most = len(field["options"]) - 1 + (field["series"]["to"] if "series" in field else 0)
            if not most or dice.random() < (0.2 if field["line"] in (9, 10, 14) else 0.75):
                continue
            option = dice.randint(1, most)
            if field["line"] in (12, 13, 15):
                option = min(option, dice.randint(1, 4))
            pick: dict[str, Any] = {"opt": option}
            if len(field.get("sources", [])) > 1 and dice.random() < 0.3:
                pick["src"] = dice.choice(field["sources"])
            mixes = field["options"][option].get("mixes", []) if "series" not in field else []
            if mixes and dice.random() < 0.2:
                pick["mix"] = dice.randint(1, len(mixes))
            picks[field["id"]] = pick
        forms.append(picks)
    return forms


@pytest.mark.parametrize(("scenario", "side", "count"), [("5", "klingon", 500), ("12", "federation", 500)])
def test_the_sums_are_the_engines_on_a_thousand_random_forms(
    opening: Opening, visit: Visit, scenario: str, side: str, count: int
) -> None:
    form = next(form for form in opening(scenario) if form.side == side)
    page = visit(form.html)
    energy = page.page.evaluate("orderForm.data.blocks[0].energy")
    for field in energy["fields"]:
        if "series" in field:  # the page has unfolded it
            field["options"] = field["options"][:1]
    forms = random_forms(energy, random.Random(scenario), count)
    sums = page.page.evaluate("forms => forms.map(form => (orderForm.fill(0, form), orderForm.sums(0)))", forms)
    with opened(form.game) as folder:
        state, terms = folder.state(), folder.scenario()
    ship = next(ship for ship in state.ships() if ship.side == side)
    assert isinstance(ship, Ship)
    overspent = 0
    for found in sums:
        entries = read_orders("GAME g\n" + found["text"] + "\nEND\n").orders.units[0].energy
        assert entries is not None
        done = reckon(state, terms, ship, entries)
        lines: dict[int, int] = {}
        for line in done.balance:
            lines[line.number] = lines.get(line.number, 0) + line.amount
        for number in range(7, 20):
            assert found["lines"].get(str(number), 0) == lines.get(number, 0), (number, found["text"])
        assert found["used"] == lines[20], found["text"]
        spent = any(fault.code.endswith("overspent") for fault in done.faults)
        assert found["short"] == spent, (found["text"], done.faults)
        if not spent:
            assert found["drained"] == lines[21], found["text"]
        assert bool(found["faults"]) == bool(done.faults), (found["text"], done.faults)
        overspent += spent
    assert count // 20 < overspent < count - count // 20  # both kinds were there


# --- loading --------------------------------------------------------------------------------------------------------

WRITTEN = """Hi host,
> GAME brawl TURN 1 SIDE klingon REPLY 1
> ship destruction AT 0216B   # my ship
> Energy; phasers 2.5
>   DISR A,B 2 EACH
>   speed 11
>   13 #1 2; REINF #2 WITH 1   # shields
> PLOT 4F R 2F SL
>   toward Constellation
>   AT 6 IF RANGE Constellation <= 3
>      AND #1 >= 4 THEN R
> DO
>   AT 1 LAUNCH DRONE 1 AT Constellation DIR B; AT 9 FIRE DISR A,B PH 1-3 AT Constellation IF RANGE <= 4
>   EVERY IF SEEKER WITHIN 1 THEN
>     FIRE ONE OF PH 4,2 AT EACH
>   GUIDE KD/* LEFT
> BREAK RANGE Constellation <= 8 AND NOT (Constellation CLOSING OR SPEED Constellation < 6)
>   INTERNALS; #1 DOWN
> DAMAGE
>   WEAPON PH 4, DRONE 1 FIRST; HULL
> END
bye
"""


def test_a_form_that_was_saved_with_other_line_ends_works(opening: Opening, visit: Visit) -> None:
    """Pages travel as they are, and a mail program may keep the line ends of mail; scripts are allowed by digest."""
    page = visit(opening("5")[0].html.replace("\n", "\r\n"))
    page.usual("#u0")
    page.ready()


@pytest.mark.parametrize("scenario", ["5", pytest.param("9", marks=pytest.mark.slow)])
def test_ranges_bearings_and_what_lies_between_are_those_of_the_rules(
    opening: Opening, visit: Visit, scenario: str
) -> None:
    """Of hexes near and far, in all directions, as the page reckons them and looks them up; what lies between is a
    planet, which stops fire (tests/form/test_whatif.py has asteroids).
    """
    form = opening(scenario)[0]
    with opened(form.game) as folder:
        state = folder.state()
    dice = random.Random(scenario)
    (c1, r1), (c2, r2) = map(hexes.parse_hex, state.map)
    pairs = [[hexes.hex_name(dice.randint(c1, c2), dice.randint(r1, r2)) for _ in "ab"] for _ in range(2000)]
    found = visit(form.html).page.evaluate("pairs => pairs.map(([a, b]) => orderForm.between(a, b))", pairs)
    between = set()
    for (a, b), (gap, bearing, added) in zip(pairs, found, strict=True):
        assert gap == hexes.distance(a, b, state.grid), (a, b)
        stopped = terrain.blocked(a, b, state.planets, state.grid)
        assert added == (-1 if stopped else terrain.fire_modifier(a, b, state.asteroids, state.grid)), (a, b)
        between.add(added)
        if a != b:
            at = hexes.bearing(a, b, state.grid)
            assert bearing == at.index * 4 + (0 if at.on_row else at.nearer + 2), (a, b)
    assert len(between) > (scenario != "5")


def test_old_orders_are_loaded_and_no_line_is_lost(opening: Opening, visit: Visit) -> None:
    form = next(form for form in opening("5") if form.side == "klingon")
    page = visit(form.html)
    page.page.click("#load")
    page.page.fill("#load-text", WRITTEN)
    page.page.click("#load-go")
    page.told("#said", "every line")
    before = read_orders(WRITTEN)
    after = read_orders(page.text())
    assert before.faults == after.faults == ()
    # The form lists the entries of ENERGY in the order of their lines, all else as it came.
    told = [sorted(write_orders(read.orders).upper().split("\n")) for read in (before, after)]
    assert told[0] == told[1]
    page.holds("#u0-codes", "4F R 2F SL")
    page.holds("#u0-SPEED", "11")
    accepted(form.game, page.text())


@pytest.mark.parametrize("game", ["duel01", "rescue01"])
def test_every_shipped_order_file_goes_through_the_form(opening: Opening, visit: Visit, game: str) -> None:
    files = sorted((ROOT / "turns" / game).glob("*/orders/*.orders"))
    pages = {form.side: form for form in opening("5" if game == "duel01" else "4")}
    opened_pages = {side: visit(form.html) for side, form in pages.items()}
    seen = 0
    for file in files:
        page = opened_pages.get(file.name.split(".")[0])
        if page is None:
            continue
        text = file.read_text(encoding="utf-8")
        page.page.evaluate("text => orderForm.load(text)", text)
        mine, read = read_orders(page.text()), read_orders(text)
        assert not mine.faults
        for block in read.orders.units:
            there = next((unit for unit in mine.orders.units if unit.unit.upper() == block.unit.upper()), None)
            if there is None:
                continue
            for section in ("energy", "do", "breaks", "damage"):
                before = sorted(line.text.upper() for line in getattr(block, section) or ())
                after = sorted(line.text.upper() for line in getattr(there, section) or ())
                assert before == after, (file, section)
            if block.plot is not None:
                assert there.plot is not None and there.plot.codes == block.plot.codes
                assert there.plot.pilot == block.plot.pilot and there.plot.leave_map == block.plot.leave_map
            seen += 1
    assert seen >= 4


def test_a_block_the_form_does_not_know_is_kept(opening: Opening, visit: Visit) -> None:
    form = opening("9")[0]
    page = visit(form.html)
    text = page.text().replace("\nEND\n", "\nSHUTTLE FS/1\nSPEED 6\nPLOT TOWARD Rigel\nDO\n  LAND ON Rigel\n\nEND\n")
    page.page.evaluate("text => orderForm.load(text)", text)
    page.has("SHUTTLE FS/1\nSPEED 6\nPLOT TOWARD Rigel\nDO\n  LAND ON Rigel")


def test_a_shuttle_to_be_launched_gets_a_block_of_its_own(opening: Opening, visit: Visit) -> None:
    form = opening("9")[0]
    page = visit(form.html)
    page.page.evaluate("orderForm.load(orderForm.text().replace('END', 'DO\\n  AT 4 LAUNCH SHUTTLE A DIR B\\nEND'))")
    page.page.click("#u0-boat")
    page.has("\nSHUTTLE FS/1\nSPEED ")
    accepted(form.game, page.text())


# --- saving, mailing ------------------------------------------------------------------------------------------------


def test_the_text_is_saved_and_handed_to_a_mail(opening: Opening, visit: Visit) -> None:
    form = next(form for form in opening("5") if form.side == "klingon")
    page = visit(form.html)
    page.page.click("#u0-usual")
    page.has("SPEED")
    with page.page.expect_download() as download:
        page.page.click("#save")
    assert download.value.path().read_text(encoding="utf-8") == page.text()
    assert re.fullmatch(r"brawl\.klingon\.t1\.r1\.orders", download.value.suggested_filename)
    expect(page.page.locator("#mail")).to_have_attribute("href", re.compile("SPEED"))
    link = urlsplit(page.page.get_attribute("#mail", "href"))
    query = parse_qs(link.query)
    assert link.scheme == "mailto" and query["subject"] == ["brawl 1.0"]
    assert query["body"][0].replace("\r\n", "\n") == page.text()
    page.page.click("#copy")
    page.told("#said", re.compile("Copied|copy"))
    page.asked = page.asked[:1]  # the download is of the page's own making
    assert page.said == []


# --- errors, keys, strangers, small screens -------------------------------------------------------------------------


def test_what_is_wrong_is_said_beside_it(opening: Opening, visit: Visit) -> None:
    form = next(form for form in opening("5") if form.side == "klingon")
    page = visit(form.html)
    page.page.select_option("#u0-SPEED", label="16")
    page.page.select_option("#u0-PHASERS", label="4")
    for tube in "AB":
        page.page.select_option(f"#u0-DISR-{tube}", index=1)
    page.told(".gauge .err", "24 points are spent; the ship has")
    page.told("#verdict", re.compile("^Correct this fault"))
    page.page.select_option("#u0-SPEED", label="12")
    page.ready()
    page.page.fill("#u0-codes", "R R")
    page.page.press("#u0-codes", "Tab")
    page.told("#steps .err", "C3.2")
    with opened(form.game) as folder, pytest.raises(GameError, match="turn mode"):
        check(folder, page.text(), "x")
    page.page.evaluate("orderForm.load(orderForm.text().replace('PLOT R R', 'PLOT F\\n  AT 5 IF #1 DOWN THEN R'))")
    page.told("#verdict", "does not move in impulse 5")
    with opened(form.game) as folder, pytest.raises(GameError, match="does not move in impulse 5"):
        check(folder, page.text(), "x")


def test_the_map_says_that_no_speed_is_chosen_yet(opening: Opening, visit: Visit) -> None:
    form = next(form for form in opening("5") if form.side == "klingon")
    page = visit(form.html)
    page.told("#map-hint", "Choose the speed of")
    page.page.select_option("#u0-SPEED", label="12")
    page.told("#map-hint", "12 of 12 hexes left")


def test_all_of_it_can_be_done_with_keys(opening: Opening, visit: Visit) -> None:
    form = next(form for form in opening("5") if form.side == "klingon")
    page = visit(form.html)
    page.page.locator("#u0-usual").press("Enter")
    page.has("SPEED")
    expect(page.page.locator("#u0-usual")).to_be_focused()
    chart = page.page.locator("#map-box .map")
    for key in ("ArrowUp", "ArrowUp", "ArrowUp", "ArrowRight", "ArrowUp", "Shift+ArrowLeft", "Backspace"):
        chart.press(key)
    page.has("PLOT 3F R F\n")
    gun = page.page.locator("#u0-fire-PH-1")
    gun.press(" ")
    expect(gun).to_be_checked()
    page.page.locator("#u0-fire-add").press("Enter")
    page.has("THEN FIRE PH 1 AT")
    accepted(form.game, page.text())


def test_hostile_names_stay_names(hostile: Sequence[Any], visit: Visit) -> None:
    for form in hostile:
        page = visit(form.html)
        page.page.evaluate(MONKEY, [3, 80])
        assert page.page.title().startswith("Orders for ")
        assert page.page.evaluate("document.querySelectorAll('img, script:not([type])').length") == 1
        text = read_orders(page.page.evaluate("orderForm.text()"))
        assert not [fault for fault in text.faults if fault.family == "not understood"]


@pytest.mark.parametrize(
    ("scenario", "scheme", "width"),
    # A duel in all four ways; the fleet, which has more of the same, as it is narrowest.
    [*(("5", scheme, width) for scheme in ("light", "dark") for width in (390, 1400)), ("12", "dark", 390)],
)
def test_the_form_fits_and_axe_finds_nothing(
    opening: Opening, visit: Visit, scenario: str, scheme: str, width: int
) -> None:
    for form in opening(scenario):
        page = visit(form.html, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
        page.usual("#u0")
        gun = page.page.locator("[id^=u0-fire-]:is([type=checkbox]):not(:disabled):not([id$=every])").first
        gun.check()
        page.page.locator("#u0-fire-add").click()
        page.told("#text", re.compile("FIRE|LAUNCH"))
        expect(gun).not_to_be_checked()
        gun.check()
        page.settled()
        expect(gun).to_be_checked()
        assert page.page.evaluate("document.documentElement.scrollWidth") <= width
        assert axe.faults(page.page) == []
