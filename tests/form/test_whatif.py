"""What if the enemy …: a course sketched in the order form, and what both could do to each other on the way."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, FormKind
from pbem.engine import events as ev
from pbem.engine.log import fold_records
from pbem.engine.on_file import altered
from pbem.engine.state import Seeker, Ship, State
from pbem.engine.steps.firing import aim_of, limit_of
from pbem.engine.steps.geometry import bears
from pbem.engine.steps.sensors import veil_of
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import form_html
from pbem.reports.view.statistics import tenths
from pbem.rules import hexes, shields, terrain
from pbem.rules.direct_fire import faces, is_direct_fire, max_range, min_range, volley

pytestmark = pytest.mark.browser
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from playwright.sync_api import expect  # noqa: E402

from tests.form.test_form_data import data_of  # noqa: E402
from tests.form.test_form_hand import PHONE, hand_at, klingon, reload  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
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


def accumulated(records: list[ev.Record]) -> Iterator[State]:
    """The state after each record."""
    for count in range(1, len(records) + 1):
        yield fold_records(records[:count])


def placed(ship: Ship, at: str) -> Ship:
    """The ship as if it had flown there."""
    return msgspec.structs.replace(ship, hex=at[:4], facing=at[4], track=())


def told(state: State, firer: Ship, target: Ship, names: Iterable[str], *, penalty: bool = True) -> str:
    """What a row says of all these weapons of one ship, fired at the other, by the law the engine fires by."""
    aims = []
    for name in sorted(names):
        kind, far = firer.weapons[name].kind, hexes.distance(firer.hex, target.hex, state.grid)
        if not is_direct_fire(kind) or not min_range(kind) <= far <= max_range(kind, limit_of(firer, name)):
            continue
        if terrain.blocked(firer.hex, target.hex, state.planets, state.grid) or veil_of(state, firer).silent:
            continue
        aim = aim_of(state, firer, name, target, penalty)
        if bears(state, firer, target, arc_of(firer, name)) and any(shot.hit for shot in faces(aim)):
            aims.append(aim)
    return f"{tenths(volley(aims).mean)} ({len(aims)})" if aims else "–"


def verify_rows(page: Any, state: State, me: Ship, his: Ship) -> int:
    """Looks whether all figures of the table are the engine's; returns how many volleys it tells of."""
    fires = "[id^=u0-fire-]:not(:disabled)"
    ready = {name for name in me.weapons if page.page.locator(f"#u0-fire-{name.replace(' ', '-')}:is({fires})").count()}
    volleys = 0
    for impulse, places, far, out, on_his, back, on_mine in rows(page):
        now = msgspec.structs.replace(state, impulse=int(impulse))
        mine, other = (placed(unit, at) for unit, at in zip((me, his), places.split(), strict=True))
        assert int(far) == hexes.distance(mine.hex, other.hex, state.grid)
        for text, unit, against in ((on_his, other, mine), (on_mine, mine, other)):
            turned = shields.faced_shields(unit.hex, unit.facing, against.hex, state.grid)
            assert text == " or ".join(f"#{number}: {unit.shields[number - 1]}" for number in turned)
        assert out == told(now, mine, other, ready), (impulse, places)
        assert back == told(now, other, mine, other.weapons), (impulse, places)
        volleys += (out != "–") + (back != "–")
    return volleys


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
    assert verify_rows(sketch, state, me, his) > 5


@pytest.mark.slow
@pytest.mark.parametrize("cloaked", [False, True])
def test_a_cloak_is_reckoned_in_as_it_is_sketched(opening: Opening, visit: Visit, cloaked: bool) -> None:
    """The Romulan of #6 with its cloak and without: whether it has paid for it nobody knows before the turn."""
    form = next(form for form in opening("6") if form.side == "federation")
    with opened(form.game) as folder:
        state = folder.state()
    me = next(ship for ship in state.ships() if ship.side == "federation")
    his = next(ship for ship in state.ships() if ship.side == "romulan")
    page = visit(form.html)
    page.page.click("#u0-usual")
    page.page.fill("#u0-codes", "12F")
    page.page.select_option("#foe", his.name)
    page.page.select_option("#foe0-speed", "8")
    page.page.fill("#foe0-codes", "8F")
    page.page.select_option("#foe0-veil", label="is under its cloak" if cloaked else "stays uncloaked")
    on = CloakState.CLOAKED if cloaked else CloakState.OFF
    hides = altered(his, cloak=on, cloak_since=1)
    state = msgspec.structs.replace(state, turn=1, units={**state.units, his.name: hides})
    assert verify_rows(page, state, me, hides)
    answers = {back for _, _, _, _, _, back, _ in rows(page)}
    assert (answers == {"–"}) == cloaked


CLOUD = ("1209", "1210", "1211", "1310", "1311", "1410", "1411", "0910", "0911", "1605")


@pytest.mark.slow
def test_asteroids_between_are_reckoned_in(opening: Opening, visit: Visit) -> None:
    """The duel's form as it would be among asteroids: lines, and what both ships could do to each other across them."""
    form = klingon(opening)
    with opened(form.game) as folder:
        scenario = folder.scenario()
        records = [
            msgspec.structs.replace(one, event=msgspec.structs.replace(one.event, asteroids=CLOUD))
            if isinstance(one.event, ev.GameStarted)
            else one
            for one in folder.effective()
        ]
    state = fold_records(records)
    assert state.request is not None
    page = visit(form_html(records, form.side, scenario, draft_for(state, scenario, state.request, form.side)))
    (c1, r1), (c2, r2) = map(hexes.parse_hex, state.map)
    pairs = [[hexes.hex_name(c, r), b] for c in range(c1, c2 + 1) for r in range(r1, r2 + 1) for b in CLOUD[::3]]
    found = page.page.evaluate("pairs => pairs.map(([a, b]) => orderForm.between(a, b)[2])", pairs)
    assert found == [terrain.fire_modifier(a, b, state.asteroids, state.grid) for a, b in pairs]
    assert set(found) == {1, 2}
    me, his = state.units["Destruction"], state.units[FEDERATION]
    assert isinstance(me, Ship) and isinstance(his, Ship)
    page.page.click("#u0-usual")
    page.page.fill("#u0-codes", "R 3F R F")
    page.page.select_option("#foe", FEDERATION)
    page.page.select_option("#foe0-speed", "16")
    page.page.fill("#foe0-codes", "5F L 8F")
    assert verify_rows(page, state, me, his)


def test_drones_are_as_hard_to_hit_as_the_engine_says() -> None:
    """Each weapon's chances at each drone on the map, as the page looks them up, in the middle of the shipped duel."""
    seen = 0
    with opened(ROOT / "turns" / "duel01") as folder:
        scenario, records = folder.scenario(), folder.effective()
    for place, record in enumerate(records):
        if not isinstance(record.event, ev.SegmentBegan):
            continue
        state = fold_records(records[:place])
        if state.request is None or state.request.form == FormKind.EAF:
            continue
        for side in state.request.sides:
            data = data_of(form_html(records[:place], side, scenario, ""))
            (block,) = (one for one in data["blocks"] if one["kind"] == "ship")
            me = state.units[block["name"]]
            drones = [unit for unit in state.in_play() if isinstance(unit, Seeker) and unit.side != side]
            assert isinstance(me, Ship)
            for gun in block["weapons"]:
                for drone in drones if gun["verb"] == "FIRE" else ():
                    aim = aim_of(state, me, gun["name"], drone, scenario.drone_penalty)
                    through = f"1 0 {gun.get('small', 0)}"
                    table = gun["table"] if through == "1 0 0" else gun["tables"][through]
                    chart = [row for times, *row in data["charts"][table] for _ in range(times)]
                    shots = faces(aim) if aim.range >= min_range(aim.kind) else ()
                    assert chart[aim.range] == [sum(one.hit for one in shots), sum(one.points for one in shots)]
                    seen += bool(aim.modifier)
    assert seen


def test_courses_are_compared_side_by_side(sketch: Any) -> None:
    """Two courses of his: of each the table says what the table of it alone says, impulse by impulse."""
    page = sketch.page
    alone = [(impulse, far, out, back) for impulse, _, far, out, _, back, _ in rows(sketch)]
    mine = sketch.text()
    page.click("#foe-more")
    expect(page.locator("#foe0b-codes")).to_have_value("5F L 8F")
    page.fill("#foe0b-codes", "R 9F")
    expect(page.locator("#foe-told")).to_contain_text("Course B")
    expect(page.locator(".map .course.his")).to_have_count(3)  # B as it is drawn, straight on from there, and A
    expect(page.locator(".map .volley")).not_to_have_count(0)

    def columns() -> list[tuple[str, str, str, str, str]]:
        plain = [[cell.replace(" ★", "") for cell in row] for row in rows(sketch)]
        return [(row[0], row[1], row[2], row[3], row[4]) for row in plain]

    def short(text: str) -> str:
        return text.partition(" (")[0]

    compared = columns()
    for impulse, far, out, back in alone:
        at_a = next(row for row in reversed(compared) if int(row[0]) <= int(impulse))
        assert at_a[1:3] == (far, f"{short(out)} : {short(back)}")
    page.click("#foe-on0")
    page.click("#foe-less")
    expect(page.locator("#foe0-codes")).to_have_value("R 9F")
    expect(page.locator("#foe-told")).to_have_count(0)
    for impulse, _, far, out, _, back, _ in rows(sketch):
        at_b = next(row for row in reversed(compared) if int(row[0]) <= int(impulse))
        assert at_b[3:5] == (far, f"{short(out)} : {short(back)}")
    assert sketch.text() == mine


def test_drones_that_never_turn_are_met_where_they_fly(opening: Opening, visit: Visit, tmp_path: Path) -> None:
    """The drill's drones: the ranges told are those of the turn as it is played then, for each of them."""
    (form,) = opening("1")
    page = visit(form.html)
    page.page.fill("#u0-codes", "2F")
    game = tmp_path / "drill"
    shutil.copytree(form.game, game)
    with opened(game) as folder:
        before = folder.state()
        submit(folder, page.text(), "mine.orders")
        resolve_game(folder)
        states = list(accumulated(folder.effective()))
    where = {}
    for state in states:
        if state.turn == 1:
            where.update({(name, state.impulse): unit.hex for name, unit in state.units.items()})
    me = next(ship for ship in before.ships() if ship.side == form.side)
    drones = [unit for unit in before.in_play() if isinstance(unit, Seeker)]
    page.page.locator("#u0-fire-FIRE input:not(:disabled)").first.check()
    seen = 0
    for drone in drones:
        page.page.select_option("#u0-fire-target", label=f"{drone.name} ({drone.hex}{drone.facing})")
        expect(page.page.locator("#u0-fire-preview")).to_contain_text("never turns")

        for row in page.page.locator("#u0-fire-preview tbody tr").all():
            impulse, mine, far, *_ = row.locator("td").all_inner_texts()
            here, there = where[me.name, int(impulse)], where[drone.name, int(impulse)]
            assert (mine[:4], int(far)) == (here, hexes.distance(here, there, before.grid)), (drone.name, impulse)
            seen += 1
    assert seen > 3 * len(drones)


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
    expect(sketch.page.get_by_role("region", name="What if the enemy …").locator(".err")).to_contain_text("(C3")
    sketch.page.fill("#foe0-codes", "2F X")
    expect(sketch.page.get_by_role("region", name="What if the enemy …").locator(".err")).to_contain_text("“X”")


def test_a_finger_sketches_and_nothing_is_wider_than_a_phone(opening: Opening, visit: Visit) -> None:
    page = visit(klingon(opening).html, **PHONE)
    hand = hand_at(page, finger=True)
    hand.press("#u0-usual")
    page.page.select_option("#foe", FEDERATION)
    hand.press("#foe-row2")
    expect(page.page.locator("#foe-row2")).to_have_attribute("aria-pressed", "true")
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
