"""A game that is over: what it came to, and the page with all its turns on one slider."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from lxml import html

from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.log import fold
from pbem.engine.state import Seeker
from pbem.games.storage.opening import opened
from pbem.reports.html.page import sitrep_html
from pbem.reports.html.whole_game import whole_html
from pbem.reports.view.build import build_view, build_whole
from pbem.reports.view.model import Ending
from pbem.reports.view.statistics import tenths
from pbem.rules import science
from pbem.rules.direct_fire import direct_fire

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """The shipped duel's log."""
    with opened(ROOT / "turns" / "duel01") as game:
        return list(game.effective())


def ending(records: list[Record], side: str) -> Ending:
    found = build_view(records, side).ending
    assert isinstance(found, Ending)
    return found


def test_the_tally_counts_what_the_log_holds(records: list[Record]) -> None:
    shots = [record.event for record in records if isinstance(record.event, ev.Fired)]
    impacts = [record.event for record in records if isinstance(record.event, ev.Impact)]
    for side in ("federation", "klingon", "umpire", ""):
        end = ending(records, side)
        own = [gun for gun in end.guns if gun.expected]
        assert Counter({(gun.unit, gun.weapon): gun.fired for gun in own}) == Counter((s.unit, s.weapon) for s in shots)
        assert sum(gun.points for gun in own) == sum(shot.points for shot in shots)
        assert sum(gun.hit for gun in own) == sum(shot.points > 0 for shot in shots)
        (drones,) = [gun for gun in end.guns if not gun.expected]
        assert (drones.hit, drones.points) == (len(impacts), sum(hit.points for hit in impacts))
        state = fold([record.event for record in records])
        assert [(fate.unit, fate.gone) for fate in end.fates] == [("Constellation", "disengaged"), ("Destruction", "")]
        assert all(fate.internals == state.units[fate.unit].internals for fate in end.fates)  # type: ignore[union-attr]


def test_what_a_shot_scores_on_average_is_that_of_its_chart(duels: ModuleType) -> None:
    (phaser,) = [gun for gun in ending(duels.ended(), "").guns if (gun.unit, gun.weapon) == ("Constellation", "PH 1")]
    fired = [r.event for r in duels.ended() if isinstance(r.event, ev.Fired) and r.event.weapon == "PH 1"]
    (shot,) = [event for event in fired if event.unit == "Constellation"]
    column = [direct_fire(shot.kind, shot.range, shot.effective, die).points for die in range(1, 7)]
    assert phaser.expected == tenths(Fraction(sum(column), 6)) and len(set(column)) > 1


def test_a_probe_is_expected_to_score_by_its_own_table(duels: ModuleType) -> None:
    log = duels.ended()
    place, shot = next((place, r.event) for place, r in enumerate(log) if isinstance(r.event, ev.Fired))
    probe = msgspec.structs.replace(shot, weapon="PROBE A", kind="probe", points=0, modifier=0)
    records = [Record(n=n, event=r.event, only=r.only, shown=r.shown) for n, r in enumerate(log, 1)]
    records = [*records[:place], Record(n=0, event=probe), *records[place:]]
    (gun,) = [gun for gun in ending(records, "").guns if gun.weapon == "PROBE A"]
    dice = [die for die in range(1, 7) if science.hits(die, probe.effective)]
    assert 0 < len(dice) < 6
    assert (gun.fired, gun.hit, gun.expected) == (1, 0, tenths(Fraction(len(dice) * science.warhead(), 6)))


def test_the_loss_of_a_ship_decides_more_than_any_volley(duels: ModuleType) -> None:
    end = ending(duels.ended(), "federation")
    assert end.deciding[-1].words.startswith("Destruction is out of play (destroyed)")
    assert [(one.turn, one.impulse) for one in end.deciding] == sorted((one.turn, one.impulse) for one in end.deciding)
    assert (2, 9) in [(one.turn, one.impulse) for one in end.deciding]


def test_drones_that_were_there_from_the_start_are_counted_with_their_side(duels: ModuleType) -> None:
    log = duels.ended()
    launched = next(record.event for record in log if isinstance(record.event, ev.Launched))
    assert isinstance(launched.seeker, Seeker)
    placed = Record(n=0, event=ev.UnitPlaced(turn=0, unit=msgspec.structs.replace(launched.seeker, name="Drone X")))
    first = next(place for place, record in enumerate(log) if isinstance(record.event, ev.UnitPlaced))
    struck = ev.Impact(turn=2, impulse=9, unit="Drone X", target="Constellation", shield=1, points=12)
    end = [*log[:first], placed, *log[first:-1], Record(n=0, event=struck), log[-1]]
    records = [Record(n=n, event=record.event, only=record.only, shown=record.shown) for n, record in enumerate(end, 1)]
    (gun,) = [gun for gun in ending(records, "").guns if gun.unit == "klingon"]
    assert (gun.side, gun.weapon, gun.fired, gun.hit, gun.points) == ("klingon", launched.seeker.weapon, 1, 1, 12)


def test_a_game_that_goes_on_has_no_ending(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "federation")
    assert view.ending is msgspec.UNSET and b"ending" not in msgspec.json.encode(view)
    assert "tally" not in sitrep_html(view)


def test_the_whole_game_ends_as_the_report_does_and_has_every_frame_of_every_turn(records: list[Record]) -> None:
    for side in ("federation", ""):
        whole, end = build_whole(records, side), build_view(records, side)
        at: dict[str, str] = {}
        for frame in whole.replay:
            at = {name: there for name, there in (at | frame.at).items() if name not in frame.gone}
        assert at == {unit.name: unit.at for unit in end.units if not unit.gone and unit.kind != "planet"}
        told = [(frame.turn, frame.impulse, frame.step) for frame in whole.replay]
        for turn in range(1, end.shown + 1):
            view = build_view(records, side, turn=turn)
            assert [(turn, frame.impulse, frame.step) for frame in view.replay[1:]] == [
                one for one in told if one[0] == turn and one[2]
            ]
        assert told == sorted(told, key=lambda one: one[:2])


def test_the_whole_game_holds_nothing_its_reader_may_not_know(records: list[Record]) -> None:
    secret = {said.text for said in build_whole(records, "umpire").said if said.private == "klingon"}
    assert len(secret) > 4
    for side in ("federation", ""):
        text = html.document_fromstring(whole_html(build_whole(records, side))).text_content()
        assert not [one for one in secret if one in text]
    own = html.document_fromstring(whole_html(build_whole(records, "klingon"))).text_content()
    assert [one for one in secret if one in own]


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_all_turns_play_on_one_slider(browser: Any, records: list[Record], tmp_path: Path, width: int) -> None:
    file = tmp_path / "replay.html"
    file.write_text(whole_html(build_whole(records, "federation")), encoding="utf-8", newline="\n")
    page = browser.new_page(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(file.as_uri())
    page.locator("html[data-replay=ready]").wait_for()
    from playwright.sync_api import expect

    title, slider = page.locator("#replay-title"), page.locator("#replay-at")
    view = build_whole(records, "federation")
    assert int(slider.get_attribute("max")) == len(view.replay) - 1
    for turn in range(1, view.shown + 1):
        page.locator(f"#replay-turns a[data-turn='{turn}']").click()
        expect(title).to_have_text(re.compile(f"^(Start of turn 1|Turn {turn}, before impulse 1)"))
        assert page.locator("#replay-turns a.on").inner_text().strip().endswith(str(turn))
    first = [shot for shot in view.shots if shot.turn == 2][-1]
    page.goto(f"{file.as_uri()}#t2i{first.impulse}-{first.step}")
    expect(title).to_have_text(re.compile(f"^Turn 2, impulse {first.impulse}\\b"))
    drawn = page.locator(".map .shot:not(.off)")
    now = [s for s in view.shots if (s.turn, s.impulse) == (2, first.impulse)]
    assert now and drawn.count() == len(now)
    assert page.locator(".map .way[d^=M]").count() >= 2, "the ways of the turn that is looked at"
    assert page.locator("#replay-said li").count() >= len(now)
    page.locator("#replay-turns a[data-turn='2']").click()
    expect(title).to_have_text(re.compile("^Turn 2, before impulse 1"))
    slider.press("PageUp")
    expect(title).to_have_text(re.compile("^Turn 1, impulse"))  # from turn to turn by keys
    slider.press("PageDown")
    expect(title).to_have_text(re.compile("^Turn 2, before impulse 1"))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    page.close()
