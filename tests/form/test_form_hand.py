"""The order form under a hand: pressed, typed in and let go as a person does, with a mouse and with a finger.

Nothing here waits for a page to settle between typing and pressing, and no press is aimed anew: what moves away under
the finger is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pbem.engine.state import Ship
from pbem.engine.steps.firing import kind_of, limit_of
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import check, submit
from pbem.reports.view.statistics import tenths
from pbem.rules.direct_fire import AimedShot, volley
from tests.form.conftest import forms_of
from tests.patience import until

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests.form.hand import Hand  # noqa: E402

SCENARIOS = tuple(str(number) for number in range(1, 13))
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
Opening = Callable[[str], list[Any]]
Visit = Callable[..., Any]


def hand_at(page: Any, *, finger: bool = False) -> Hand:
    return Hand(page.page, finger=finger)


def klingon(opening: Opening) -> Any:
    return next(form for form in opening("5") if form.side == "klingon")


def reload(page: Any) -> None:
    """The page once more, as a phone does that was short of memory; when what was entered has been kept. It begins at
    its top: where a browser scrolls back to by itself it may glide there later, away from under the next press.
    """
    until(page.page, "localStorage.length")
    page.page.evaluate("history.scrollRestoration = 'manual'")
    page.page.reload()
    page.page.locator("html[data-form=ready]").wait_for()
    page.asked = page.asked[:1]


# --- a whole turn ---------------------------------------------------------------------------------------------------


def give_turn(page: Any, hand: Hand, unit: int) -> None:
    """Orders for one unit, each press at once after what was typed; and a reload in the middle."""
    me, find = f"#u{unit}", hand.find
    if find("#units button").count():
        hand.press(f"#tab{unit}")
        expect(find(f"#tab{unit}")).to_have_attribute("aria-selected", "true")
    if find(f"{me}-usual").count():
        hand.press(f"{me}-usual")
        hand.text_has(re.compile(r"ENERGY\n  \w"))
        expect(find(".gauge .words b").first).not_to_have_text(re.compile("^0 of"))
    ahead = find(f"{me}-code-F")
    if ahead.count() and ahead.is_enabled():
        hand.press(f"{me}-code-F")
        hand.text_has("PLOT F")
        spots = find(".map .next [data-hex]")
        if spots.count():
            before = hand.text()
            hand.hex(spots.nth(spots.count() // 2).get_attribute("data-hex"))
            expect(find("#text")).not_to_have_text(before)
    guns = find(f"[id^=u{unit}-fire-]:is([type=checkbox]):not(:disabled):not([id$=every])")
    names = [guns.nth(n).get_attribute("id") for n in range(min(2, guns.count()))]
    for name in names:
        hand.press(f"#{name}")
        expect(find(f"#{name}")).to_be_checked()
    if names:
        hand.not_ready("Not added yet")
        if find(f"{me}-fire-range").count():
            hand.type_into(f"{me}-fire-range", "3")
            hand.added(f"{me}-fire-add", re.compile(r"(IF RANGE <= 3|WITHIN 3) THEN"))
        else:
            hand.press(f"{me}-fire-add")
            hand.text_has(re.compile(r"DO\n  (LAUNCH|FIRE) "))
    if find(f"{me}-break-n").count():
        hand.type_into(f"{me}-break-n", "7")
        hand.added(f"{me}-break-add", re.compile(r"BREAK\n  RANGE .* 7"))
        hand.type_into(f"{me}-break-n", "11")
        hand.not_ready("Not added yet")
    text = hand.text()
    reload(page)
    expect(find("#text")).to_have_text(text)
    expect(find("#kept")).to_contain_text("restored")
    if find(f"{me}-break-n").count():
        expect(find(f"{me}-break-n")).to_have_value("11")
        hand.not_ready("Not added yet")
        hand.press(f"{me}-break-leave")
        hand.text_lacks(" 11")


@pytest.mark.parametrize(
    ("scenario", "way"),
    # Every form with the one or the other, and with both the duel, and shuttles and drones.
    [
        pytest.param(each, way, marks=() if each in ("2", "5") else pytest.mark.slow)
        for each in SCENARIOS
        for way in ("mouse", "finger")
        if each in ("2", "5", "9") or (int(each) % 2 == 1) == (way == "mouse")
    ],
)
def test_a_whole_turn_is_given_by_hand_and_plays(visit: Visit, tmp_path: Path, scenario: str, way: str) -> None:
    game = tmp_path / "brawl"
    new(scenario, game, players={}, options={"reveal": "none"}, seed=f"by {way}")
    finger = way == "finger"
    for form in forms_of(game):
        page = visit(form.html, **(PHONE if finger else {}))
        hand = hand_at(page, finger=finger)
        for unit in range(max(1, hand.find("#units button").count())):
            give_turn(page, hand, unit)
        if hand.find("#meant").count():  # a unit that has nothing to choose from
            hand.press("#meant")
        hand.ready()
        with opened(game) as folder:
            check(folder, hand.text(), "form.orders")
        with opened(game, lock="submit") as folder:
            submit(folder, hand.text(), form.side)
    with opened(game, lock="resolve") as folder:
        before = folder.state().request
        resolve_game(folder)
        assert folder.state().request != before


# --- press and release ----------------------------------------------------------------------------------------------


def test_forms_that_ask_for_one_thing_alone_want_nothing_of_the_other(visit: Visit, tmp_path: Path) -> None:
    """Energy alone, then courses without it: each has its own part of the script, and all of it is gone through."""
    game = tmp_path / "brawl"
    new("5", game, players={}, seed="one thing alone")
    other = ("PLOT 3F\nDO\n  AT 3 FIRE PH 1 AT Destruction\n", "ENERGY\n  PHASERS 1\n  SPEED 5\n")
    for strange, form_kind in zip(other, ("EAF", "SOP"), strict=True):
        filed: dict[str, str] = {}
        for form in forms_of(game):
            page = visit(form.html)
            hand = hand_at(page)
            hand.text_has(f"FORM {form_kind}")
            give_turn(page, hand, 0)
            hand.ready()
            filed[form.side] = hand.text()
            for button in ("#zoom-in", "#zoom-home", "#zoom-home", "#zoom-out"):
                hand.press(button)
            # What this form cannot hold is told, and the rest of the text is taken.
            ship = re.search("SHIP .*", hand.text())
            assert ship is not None
            hand.press("#load")
            hand.type_into("#load-text", "")
            page.page.fill("#load-text", f"{ship[0]}\n{strange}END\n")
            hand.press("#load-go")
            expect(hand.find("#said")).to_contain_text("was left out")
            hand.press("#undo-over")
            expect(hand.find("#text")).to_have_text(filed[form.side])
        with opened(game, lock="play") as folder:
            for text in filed.values():
                submit(folder, text, "form.orders")
            resolve_game(folder)


@pytest.mark.parametrize("way", ["mouse", "finger"])
def test_a_press_right_after_a_number_is_heard(opening: Opening, visit: Visit, way: str) -> None:
    page = visit(klingon(opening).html, **(PHONE if way == "finger" else {}))
    hand = hand_at(page, finger=way == "finger")
    for number in ("9", "12", "3"):
        hand.type_into("#u0-break-n", number)
        hand.added("#u0-break-add", f"RANGE Constellation <= {number}")
    assert re.findall(r"<= (\d+)", hand.text()) == ["9", "12", "3"]
    hand.type_into("#u0-break-n", "17")
    hand.press("#copy")
    expect(hand.find("#said")).to_contain_text("It leaves out 1 thing that you have not added")


def test_fields_and_buttons_stay_the_same_ones(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.press("#u0-fire-PH-1")
    hand.press("#u0-fire-PH-2")
    names = ("#u0-fire-range", "#u0-fire-add", "#u0-break-n", "#u0-break-add", "#u0-codes", "#u0-SPEED", "#copy")
    before = [hand.find(name).element_handle() for name in names]
    hand.find("#u0-fire-aimbox").evaluate("box => { box.scrollTop = 40; }")
    hand.type_into("#u0-fire-range", "8")
    hand.text_lacks("DO\n")
    expect(hand.find("#u0-fire-make")).to_contain_text("RANGE <= 8")
    assert hand.find("#u0-fire-aimbox").evaluate("box => box.scrollTop") == 40
    hand.type_into("#u0-codes", "F R")
    hand.text_has("PLOT F R\n")
    place = page.page.evaluate("scrollY")
    page.page.keyboard.type(" 2F")
    hand.text_has("PLOT F R 2F\n")
    expect(hand.find("#u0-codes")).to_be_focused()
    assert page.page.evaluate("scrollY") == place
    assert all(one.evaluate("one => one.isConnected") for one in before)


def test_nothing_is_drawn_between_press_and_release(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.type_into("#u0-codes", "2F X")  # leaving the field would take its words in and move what stands below
    x, y = hand.spot("#u0-break-add")
    there = hand.find("#u0-break-add").element_handle()
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.evaluate("orderForm.load('GAME g\\nSHIP Destruction\\nDO\\n  AT 3 CLOAK\\nBREAK\\n  IMPULSE 8\\nEND\\n')")
    assert "IMPULSE 8" not in hand.text()
    page.page.mouse.up()
    hand.text_has(re.compile(r"BREAK\n  IMPULSE 8\n  RANGE "))
    assert there.evaluate("one => one.isConnected")


def test_a_choice_from_an_open_list_is_seen_at_once(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    x, y = hand.spot("#u0-SPEED")
    page.page.mouse.move(x, y)
    page.page.mouse.down()  # the list opens, and takes the release for itself
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.page.keyboard.press(key)
    hand.text_has(re.compile("SPEED [12]"))


def test_enter_in_a_field_adds_its_line(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.type_into("#u0-break-n", "5")
    page.page.keyboard.press("Enter")
    hand.text_has("RANGE Constellation <= 5")
    expect(hand.find("#u0-break-n")).to_be_focused()
    hand.type_into("#u0-break-n", "far")
    page.page.keyboard.press("Enter")
    expect(hand.find("#u0-break-why")).to_contain_text("not “far”")
    expect(hand.find("#u0-break-n")).to_have_attribute("aria-invalid", "true")
    hand.text_lacks("?")
    hand.not_ready("Not added yet")


def test_codes_it_does_not_understand_stay_and_are_told(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.ready()
    hand.type_into("#u0-codes", "3F X 2Q")
    page.page.keyboard.press("Tab")
    expect(hand.find("#u0-codes")).to_have_value("3F X 2Q")
    expect(hand.find("#u0-codes")).to_have_attribute("aria-invalid", "true")
    hand.not_ready("“X 2Q” in the plot is not understood")
    hand.press("#u0-code-F")  # whatever else is plotted, it stays there
    expect(hand.find("#u0-codes")).to_have_value("4F X 2Q")
    hand.type_into("#u0-codes", "3f toward Constellation")
    page.page.keyboard.press("Enter")
    hand.text_has("PLOT 3F\n  toward Constellation\n")
    expect(hand.find("#u0-codes")).to_have_value("3F")
    hand.ready()


# --- what is open is told -------------------------------------------------------------------------------------------


def test_an_empty_form_is_not_ready_before_that_is_meant(opening: Opening, visit: Visit) -> None:
    for scenario in ("3", "5", "12"):
        page = visit(opening(scenario)[0].html)
        hand = hand_at(page)
        hand.not_ready(" chosen yet")
        hand.press("#meant")
        hand.ready()
        reload(page)
        hand.ready()


def test_power_that_is_not_used_is_told(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.ready()
    expect(hand.find("#verdict .notes")).to_have_count(0)
    hand.choose("#u0-SPEED", "8")
    expect(hand.find(".gauge .left-over")).to_have_text("4 not used")
    expect(hand.find("#verdict .notes")).to_contain_text("4 points of 20 unused")


def test_weapons_ticked_and_not_added_are_told_and_can_be_added_there(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.ready()
    hand.press("#u0-fire-PH-1")
    hand.not_ready("IF RANGE <= 4 THEN FIRE PH 1 AT Constellation")
    expect(hand.find("#u0-fire-loose")).to_contain_text("Not added to your orders")
    hand.press("#put-u0-fire")
    hand.text_has("DO\n  IF RANGE <= 4 THEN FIRE PH 1 AT Constellation")
    hand.ready()
    hand.press("#u0-fire-PH-2")
    hand.not_ready("Not added yet")
    hand.press("#drop-u0-fire")
    hand.ready()
    expect(hand.find("#u0-fire-PH-2")).not_to_be_checked()
    for what, where in (("#u0-dam", "#drop-u0-dam"), ("#u0-break-op", "#drop-u0-break")):
        hand.find(what).focus()
        page.page.keyboard.press("End")
        hand.not_ready("Not added yet")
        hand.press(where)
        hand.ready()


def test_nothing_is_chosen_is_not_said_below_what_is(opening: Opening, visit: Visit) -> None:
    for scenario, without in (("5", "o energy is given to anything"), ("1", "")):
        page = visit(opening(scenario)[0].html)
        hand = hand_at(page)
        hand.not_ready("othing is chosen yet")
        hand.find("#u0-break-op").focus()
        page.page.keyboard.press("End")
        hand.not_ready("Not added yet")
        expect(hand.find("#verdict")).not_to_contain_text("othing is chosen yet")
        expect(hand.find("#meant")).to_have_count(1 if without else 0)
        expect(hand.find("#verdict")).to_contain_text(without)


def test_several_weapons_fire_each_as_it_bears(opening: Opening, visit: Visit) -> None:
    form = klingon(opening)
    page = visit(form.html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    for gun in ("1", "2", "3"):
        hand.press(f"#u0-fire-PH-{gun}")
    hand.added("#u0-fire-add", "EVERY IF RANGE <= 4 THEN FIRE PH 1,2,3 AT Constellation")
    for gun in ("3", "4"):
        hand.press(f"#u0-fire-PH-{gun}")
    hand.choose("#u0-fire-target", "every seeking weapon")
    hand.type_into("#u0-fire-range", "2")
    hand.added("#u0-fire-add", "EVERY IF SEEKER WITHIN 2 THEN FIRE ONE OF PH 3,4 AT EACH")
    hand.ready()
    with opened(form.game) as folder:
        check(folder, hand.text(), "x")


def test_orders_in_force_are_told_of_and_not_refused(visit: Visit, tmp_path: Path) -> None:
    """An order that has fired stands on: the check takes it as it is, and so does the form."""
    game, standing = tmp_path / "brawl", "EVERY IF RANGE <= 40 THEN FIRE PH 1,2,3 AT Destruction"
    new("5", game, players={}, options={"reveal": "none"}, seed="it stands")
    orders = {
        "federation": "SHIP Constellation\nENERGY\n  PHASERS 3\n  SPEED 8\n"
        f"DO\n  {standing}\nBREAK\n  Constellation FIRES\n",
        "klingon": "SHIP Destruction\nENERGY\n  SPEED 8\n",
    }
    with opened(game, lock="play") as folder:
        for side, text in orders.items():
            submit(folder, f"GAME brawl TURN 1 SIDE {side} REPLY 1 FORM FULL\n{text}END\n", "mine.orders")
        resolve_game(folder)
        request = folder.state().request
        assert request is not None and request.turn == 1
    page = visit(next(form for form in forms_of(game) if form.side == "federation").html)
    hand = hand_at(page)
    hand.text_has("EVERY IF RANGE <= 40")
    expect(hand.find("#verdict")).to_contain_text("You can send this plan.")
    expect(hand.find("#verdict")).to_contain_text("an earlier order: Constellation PH 1 was used")
    expect(hand.find("#u0-do-list .err")).to_have_count(0)
    with opened(game) as folder:
        assert check(folder, hand.text(), "form.orders").lines
    # The same order given anew is another matter.
    hand.type_into("#u0-do-0", "IF RANGE <= 40 THEN FIRE PH 1 AT Destruction")
    hand.not_ready("PH 1 was used")


@pytest.mark.slow
def test_a_plot_in_force_that_leads_nowhere_is_told_of_and_not_refused(visit: Visit, tmp_path: Path) -> None:
    """Who is asked again before his ship would leave the map: the check takes his plot as it stands, and so does the
    form; the same plot entered anew is another matter.
    """
    game = tmp_path / "brawl"
    new("2", game, players={}, seed="straight on")
    with opened(game, lock="play") as folder:
        while (request := folder.state().request) is not None and (request.turn, request.impulse) < (2, 5):
            form = f"TURN {request.turn} SIDE federation REPLY {request.number} FORM SOP"
            submit(
                folder,
                f'GAME brawl {form}\nSHIP Constellation\nDO\n  LAST FIRE PH 1 AT "Drone A"\nEND\n',
                "mine.orders",
            )
            resolve_game(folder)
        assert request is not None
    page = visit(forms_of(game)[0].html)
    hand = hand_at(page)
    expect(hand.find("#verdict")).to_contain_text("You can send this plan.")
    expect(hand.find("#verdict")).to_contain_text("your earlier plot: straight on from 0901A: leads off the map")
    with opened(game) as folder:
        assert any("leads off the map" in note for note in check(folder, hand.text(), "form.orders").notes)
    hand.type_into("#u0-codes", "F")
    hand.not_ready("leads off the map")


def test_continue_is_offered_where_there_is_something_to_continue(visit: Visit, tmp_path: Path) -> None:
    game = tmp_path / "brawl"
    new("5", game, players={}, seed="nothing yet")
    with opened(game, lock="play") as folder:
        for side, ship in (("federation", "Constellation"), ("klingon", "Destruction")):
            text = f"GAME brawl TURN 1 SIDE {side} REPLY 1 FORM EAF\nSHIP {ship}\nENERGY\n  SPEED 8\nEND\n"
            submit(folder, text, "mine.orders")
        resolve_game(folder)
    page = visit(forms_of(game)[0].html)
    expect(page.page.locator("#steps h2").first).to_contain_text("Plot")
    expect(page.page.locator("#continue")).to_have_count(0)


def test_orders_that_answer_something_are_made_by_hand(opening: Opening, visit: Visit) -> None:
    """A maneuver when something happens, steering by IT while it holds, a shield in advance, phasers from batteries."""
    form = opening("9")[0]
    page = visit(form.html)
    hand = hand_at(page)
    page.page.evaluate(
        "orderForm.load(orderForm.text().replace('ENERGY', 'ENERGY\\n  TAC 2\\n  TRACTOR A\\n  PHASERS 2'))"
    )
    hand.press("#u0-steering-sum")
    hand.choose("#u0-steer", "tactical maneuver")
    hand.choose("#u0-steer-when", "when …")
    hand.added("#u0-steer-add", " THEN TAC R")
    hand.choose("#u0-steer", "away from")
    hand.choose("#u0-steer-while", "while …")
    hand.choose("#u0-steer-unit", "IT")
    hand.choose("#u0-steer-if-kind", "impulse")
    expect(hand.find("#u0-steer-why")).to_contain_text("this condition names no unit")
    hand.choose("#u0-steer-if-kind", "a unit is near")
    hand.added("#u0-steer-add", "AWAY FROM IT IF ")
    hand.press("#u0-act-more-sum")
    hand.choose("#u0-act", "REINFORCE #2 WITH 1")
    hand.choose("#u0-act-how", "when …")
    hand.added("#u0-act-add", " THEN REINFORCE #2 WITH 1")
    hand.choose("#u0-act", "TRACTOR IT WITH A")
    hand.choose("#u0-act-if-kind", "a unit is near")
    hand.added("#u0-act-add", " THEN TRACTOR IT WITH A")
    hand.press("#u0-fire-PH-1")
    hand.press("#u0-fire-battery")
    hand.added("#u0-fire-add", " WITH BATTERY")
    with opened(form.game) as folder:
        check(folder, hand.text(), "x")


def test_chances_say_that_the_target_may_move(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.press("#u0-fire-PH-1")
    expect(hand.find("#u0-fire-preview")).to_contain_text("where it is now")
    expect(hand.find("#u0-fire-preview tbody")).to_contain_text(re.compile(r"\(\d+–\d+\)"))


def test_points_and_chances_are_those_of_the_command(opening: Opening, visit: Visit) -> None:
    """What the Klingon has ahead, at every range of his way: the mean as ``pbem odds`` writes it."""
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    weapons = ("DISR A", "DISR B", "PH 1", "PH 2")
    for name in weapons:
        hand.press(f"#u0-fire-{name.replace(' ', '-')}")
    with opened(klingon(opening).game) as folder:
        ship = folder.state().units["Destruction"]
    assert isinstance(ship, Ship)
    compared = 0
    for row in hand.find("#u0-fire-preview tbody tr").all():
        _, _, far, bear, _, points, *_ = row.locator("td").all_inner_texts()
        true = int(far.split()[0])
        if bear.split()[0] == str(len(weapons)):
            aims = [AimedShot(kind_of(ship, name), true, true, limit=limit_of(ship, name)) for name in weapons]
            assert points.split()[0] == tenths(volley(aims).mean)
            compared += 1
    assert compared > 5


# --- nothing that was entered is lost -------------------------------------------------------------------------------


def test_a_reload_restores_all_and_starting_over_can_be_taken_back(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    expect(hand.find("#kept")).to_be_hidden()
    hand.press("#u0-usual")
    hand.type_into("#u0-codes", "F R 2Q")
    hand.press("#u0-fire-PH-1")
    hand.type_into("#u0-fire-range", "6")
    hand.press("#u0-break-more")
    expect(hand.find("#u0-break-before")).to_contain_text("RANGE Constellation")
    text = hand.text()
    reload(page)
    expect(hand.find("#text")).to_have_text(text)
    expect(hand.find("#u0-codes")).to_have_value("F R 2Q")
    expect(hand.find("#u0-fire-PH-1")).to_be_checked()
    expect(hand.find("#u0-fire-range")).to_have_value("6")
    expect(hand.find("#u0-break-before")).to_contain_text("RANGE Constellation")
    hand.press("#start-over")
    hand.not_ready("Nothing is chosen yet")
    expect(hand.find("#u0-fire-PH-1")).not_to_be_checked()
    hand.press("#undo-over")
    expect(hand.find("#text")).to_have_text(text)
    expect(hand.find("#u0-fire-PH-1")).to_be_checked()
    hand.press("#load")
    hand.press("#load-draft")
    hand.press("#undo-over")
    expect(hand.find("#text")).to_have_text(text)


def test_what_was_entered_for_another_form_stays_there(opening: Opening, visit: Visit, tmp_path: Path) -> None:
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.text_has("SPEED")
    # The same game, side, turn and request by name; another form by what it holds.
    other = next(form for form in opening("12") if form.side == "klingon")
    (tmp_path / "other.html").write_text(other.html, encoding="utf-8", newline="\n")
    page.page.goto((tmp_path / "other.html").as_uri())
    expect(page.page.locator("html")).to_have_attribute("data-form", "ready")
    expect(hand.find("#kept")).to_be_hidden()
    hand.text_lacks("SPEED")
    page.page.go_back()
    hand.text_has("SPEED")
    expect(hand.find("#kept")).to_contain_text("restored")
    page.asked = page.asked[:1]


def test_what_was_entered_outlives_a_shelf_found_empty(opening: Opening, visit: Visit) -> None:
    """As Chromium shows it to a page loaded again from a file, now and then, when the machine is busy."""
    page = visit(klingon(opening).html)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.text_has("SPEED")
    text = hand.text()
    until(page.page, "localStorage.length")
    page.page.evaluate("localStorage.clear(); history.scrollRestoration = 'manual'")
    page.page.reload()
    page.page.locator("html[data-form=ready]").wait_for()
    expect(hand.find("#text")).to_have_text(text)
    expect(hand.find("#kept")).to_contain_text("restored")
    hand.press("#start-over")
    hand.text_lacks("SPEED")
    page.page.reload()
    page.page.locator("html[data-form=ready]").wait_for()
    hand.text_lacks("SPEED")
    expect(hand.find("#kept")).to_be_hidden()
    page.asked = page.asked[:1]


def test_where_nothing_can_be_kept_leaving_is_asked_about(browser: Any, opening: Opening, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } })"
    )
    page = context.new_page()
    (tmp_path / "orders.html").write_text(klingon(opening).html, encoding="utf-8", newline="\n")
    page.goto((tmp_path / "orders.html").as_uri())
    asked: list[str] = []

    def stay(dialog: Any) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    hand = Hand(page)
    hand.press("#u0-usual")
    expect(hand.find("#kept")).to_contain_text("does not keep your entries")
    hand.text_has("SPEED")
    text = hand.text()
    with page.expect_event("dialog"):  # the reader stays
        page.evaluate("setTimeout(() => location.reload())")
    assert asked == ["beforeunload"]
    expect(hand.find("#text")).to_have_text(text)
    hand.press("#copy")
    expect(hand.find("#said")).to_contain_text("Copied")
    page.reload()
    assert asked == ["beforeunload"]
    context.close()


# --- what is seen ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "way"),
    [pytest.param(each, "mouse", marks=() if each == "5" else pytest.mark.slow) for each in SCENARIOS]
    + [(each, "finger") for each in ("5", "9")],
)
def test_the_map_opens_on_what_matters(opening: Opening, visit: Visit, scenario: str, way: str) -> None:
    for form in opening(scenario):
        page = visit(form.html, **(PHONE if way == "finger" else {}))
        seen = page.page.evaluate(
            """() => { const me = orderForm.data.blocks[0];
            const box = document.getElementById("map-box").getBoundingClientRect();
            const ship = me && [...document.querySelectorAll(".counter")].find(g => g.dataset.unit === me.name);
            const at = ship && ship.querySelector("use").getBoundingClientRect();
            const across = !at || (at.left >= box.left - 1 && at.right <= box.right + 1);
            const along = !at || (at.top >= box.top - 1 && at.bottom <= box.bottom + 1);
            return { hex: document.querySelector(".map .grid").getCTM().d * 52, inside: across && along }; }"""
        )
        assert seen["inside"]
        assert seen["hex"] >= 24
        hand = hand_at(page, finger=way == "finger")
        hand.press("#zoom-home")
        expect(hand.find("#zoom-home")).to_have_text("Near")
        hand.press("#zoom-home")
        expect(hand.find("#zoom-home")).to_have_text("All")


def test_an_enemy_beyond_what_is_shown_is_pointed_at(opening: Opening, visit: Visit) -> None:
    """A pointer at the map's edge says who is out of sight and how far; pressed, it shows him, and who then is not."""
    page = visit(opening("5")[0].html, viewport={"width": 1366, "height": 900})
    hand = hand_at(page, finger=False)
    pointers, seen = hand.find("#beyond button"), "[...document.querySelectorAll('#beyond button')].length"
    expect(pointers).to_have_count(1)
    expect(pointers).to_contain_text("Destruction 28")
    inside = """() => { const box = document.querySelector(".mapcard").getBoundingClientRect();
        const at = document.querySelector("#beyond button").getBoundingClientRect();
        return at.left >= box.left && at.right <= box.right && at.top >= box.top && at.bottom <= box.bottom; }"""
    assert page.page.evaluate(inside)
    hand.press("#beyond button")
    expect(pointers).to_have_count(0)
    hand.press("#zoom-home")
    hand.press("#zoom-home")
    expect(pointers).to_have_count(1)
    assert page.page.evaluate(seen) == 1


def test_a_phone_s_first_screen_of_an_energy_form_is_the_form(visit: Visit, tmp_path: Path) -> None:
    game = tmp_path / "brawl"
    new("5", game, players={}, options={"reveal": "speeds"}, seed="x")
    page = visit(forms_of(game)[0].html, **PHONE)
    first, chart = (page.page.locator(what).bounding_box() for what in ("#u0-usual", "#map-box"))
    assert first["y"] + first["height"] < 844 < chart["y"]


def test_a_finger_finds_everything(opening: Opening, visit: Visit) -> None:
    for scenario in ("5", "12"):
        page = visit(opening(scenario)[0].html, **PHONE)
        hand = hand_at(page, finger=True)
        hand.press("#u0-usual")
        hand.press("#u0-fire-PH-1")
        hand.not_ready("Not added yet")
        page.page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        small = page.page.evaluate(
            """() => [...document.querySelectorAll("main :is(button, select, input, textarea, summary, a.button)")]
            .filter(one => one.checkVisibility()).map(one => one.closest("label:has([type=checkbox])") || one)
            .filter(one => { const at = one.getBoundingClientRect(); return at.height < 40 || at.width < 40; })
            .map(one => one.id || one.textContent)"""
        )
        assert small == []
        assert page.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_button_that_cannot_be_pressed_can_be_read(opening: Opening, visit: Visit, scheme: str) -> None:
    page = visit(klingon(opening).html, color_scheme=scheme)
    hand = hand_at(page)
    hand.press("#u0-usual")
    hand.press("#u0-fire-PH-1")
    hand.type_into("#u0-fire-range", "no")
    expect(hand.find("#u0-fire-add")).to_have_attribute("aria-disabled", "true")
    contrast = """one => { const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3)
      .map(n => n / 255).map(n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
      const how = getComputedStyle(one), [a, b] = [light(how.color), light(how.backgroundColor)].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05); }"""
    for what in ("#u0-fire-add", "#u0-undo", "#copy"):
        assert hand.find(what).evaluate(contrast) >= 4.5, what
