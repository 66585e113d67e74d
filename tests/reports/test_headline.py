"""The headline: one sentence on what happened to the reader, and four numbers."""

from __future__ import annotations

from types import ModuleType

import pytest
from lxml import html
from msgspec.structs import replace

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.log import fold
from pbem.engine.state import Ship
from pbem.reports.html.page import sitrep_html
from pbem.reports.text.sentences import asked_because
from pbem.reports.view.build import build_view
from pbem.reports.view.headline import headline
from pbem.reports.view.model import Headline, ReportView
from tests.engine.world import rich


def told(view: ReportView) -> Headline:
    assert view.headline is not None
    return view.headline


def numbers(found: Headline) -> dict[str, tuple[int, int, int]]:
    return {number.what: (number.now, number.was, number.good) for number in found.numbers}


def test_the_headline_is_what_happened_to_its_reader(duels: ModuleType) -> None:
    """The same volley from both ends; ranges and shields are those of the tables of the page."""
    for side, enemy in (("federation", "klingon"), ("klingon", "federation")):
        view = build_view(duels.duel(), side)
        own = next(unit for unit in view.units if unit.side == side and unit.shields)
        found = told(view)
        taken = [harm for harm in view.harm if harm.fresh and harm.unit == own.name]
        inside = sum(harm.internals for harm in taken)
        boxes = sum(harm.boxes for harm in taken)
        scored = sum(harm.boxes + harm.internals for harm in view.harm if harm.fresh and harm.unit != own.name)
        left = sum(now for now, _ in own.shields)
        counted = numbers(found)
        assert counted["shield boxes left"] == (left, left + boxes, -1 if boxes else 0), (side, enemy)
        assert counted["hits inside"] == (inside, 0, -1 if inside else 0)
        assert counted["points scored"] == (scored, 0, 1 if scored else 0)
        assert counted["range to the nearest enemy"][0] == min(bearing.range for bearing in view.bearings)
        assert (f"{own.name} took" in found.words) == bool(boxes + inside)


def test_umpire_and_spectators_have_no_headline(duels: ModuleType) -> None:
    assert build_view(duels.duel(), "umpire").headline is None
    assert build_view(duels.duel(), "").headline is None


def hurt(unit: str, shield: int, boxes: int = 0, internals: int = 0, general: int = 0) -> ev.Damaged:
    return ev.Damaged(unit=unit, shield=shield, boxes=boxes, internals=internals, general=general)


@pytest.mark.parametrize(
    ("news", "words"),
    [
        ([], "Nobody was hurt."),
        ([hurt("Destruction", 1, 3)], "Destruction was hit for 3 points on the shields."),
        (
            [hurt("Constellation", 2, 1, 2), hurt("Constellation", 2, 0, 1)],
            "Constellation took 1 point on the shields and 3 inside.",
        ),
        ([hurt("Constellation", 1, general=4)], "Nobody was hurt."),
        ([hurt("Destruction", 0, 0, 4)], "Destruction was hit for 4 points inside."),
    ],
)
def test_the_sentence(duels: ModuleType, news: list[ev.AnyEvent], words: str) -> None:
    records = duels.duel()
    now = fold(record.event for record in records)
    found = headline(replace(now, request=None, last_request=None, turn=0), now, {"Constellation"}, news)
    assert found is not None and found.words == words


@pytest.mark.parametrize(
    ("gone", "words"), [((), "Nobody was hurt."), (("KD/1",), "1 drone was shot down."),
                        (("KD/1", "KD/2"), "2 drones were shot down.")],
)  # fmt: skip
def test_points_that_drones_were_shot_down_with_are_points_scored(gone: tuple[str, ...], words: str) -> None:
    before = rich()
    units = {name: replace(before.units[name], gone="destroyed") for name in gone}
    now = replace(before, impulse=before.impulse + 1, units={**before.units, **units})
    news = [ev.SeekerDamaged(unit=name, points=3, total=4) for name in ("KD/1", "KD/2")]
    found = headline(before, now, {"Con"}, [*news, ev.UnitDamaged(unit="FS/1", points=1, total=1, by="Des")])
    assert found is not None and found.words == words
    assert numbers(found)["points scored"] == (6, 0, 1), "what was scored on one's own counts for others"


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("a new turn begins", "a new turn begins"),
        ("federation broke", "play stopped at a break of federation"),
        ("auto-break: ANY FIRES HEAVY; federation broke; the gorn broke",
         "play stopped at the automatic break ANY FIRES HEAVY, at a break of federation and at a break of the gorn"),
        ("the umpire took play back; klingon broke", "the umpire took play back; klingon broke"),
    ],
)  # fmt: skip
def test_why_orders_are_asked_for_is_a_sentence(reason: str, told: str) -> None:
    assert asked_because(reason) == told


def test_before_anything_was_played_there_is_no_headline(duels: ModuleType) -> None:
    begun = [record for record in duels.duel() if record.event.turn <= 1 and not isinstance(record.event, ev.Moved)]
    first = next(place for place, record in enumerate(begun) if isinstance(record.event, ev.Requested))
    view = build_view(begun[: first + 1], "klingon")
    assert view.headline is None and view.units
    assert b'id="headline"' not in sitrep_html(view).encode()


def test_whose_ships_are_still_to_come_has_none(duels: ModuleType) -> None:
    """Scenario #8's defender comes on turn 6: that he has no shield box left would be told until then."""
    now = fold(record.event for record in duels.duel())
    coming = replace(now.units["Constellation"], gone=UnitFate.NOT_YET)
    now = replace(now, units={**now.units, "Constellation": coming})
    before = replace(now, request=None, last_request=None, turn=0)
    assert headline(before, now, {"Constellation"}, [hurt("Destruction", 1, 3)]) is None


def test_who_left_play_is_told_first(duels: ModuleType) -> None:
    before = replace(fold(record.event for record in duels.duel()), request=None, last_request=None, turn=0)
    now = fold([*(record.event for record in duels.duel()), ev.Destroyed(unit="Destruction", turn=9)])
    found = headline(before, now, {"Constellation"}, [hurt("Destruction", 1, 0, 30)])
    assert found is not None
    assert found.words == "Destruction is out of play (destroyed); Destruction was hit for 30 points inside."
    assert "range to the nearest enemy" not in numbers(found)
    assert headline(before, now, set(), []) is None


@pytest.mark.parametrize(
    ("way", "left"), [(UnitFate.DISENGAGED, True), (UnitFate.LEFT, True), (UnitFate.DESTROYED, False)]
)
def test_a_ship_that_got_away_has_its_shields_still(duels: ModuleType, way: UnitFate, left: bool) -> None:
    now = fold(record.event for record in duels.duel())
    before = replace(now, request=None, last_request=None, turn=0)
    gone = replace(now.units["Constellation"], gone=way)
    assert isinstance(gone, Ship)
    found = headline(before, replace(now, units={**now.units, "Constellation": gone}), {"Constellation"}, [])
    assert found is not None
    boxes = sum(gone.shields)
    assert numbers(found)["shield boxes left"] == (boxes * left, boxes, 0 if left else -1)


def test_the_page_shows_each_number_and_where_it_went(duels: ModuleType) -> None:
    view = build_view(duels.duel(), "klingon")
    page = html.document_fromstring(sitrep_html(view))
    (card,) = page.xpath("//section[@id='headline']")
    assert told(view).words in card.text_content()
    shown = [" ".join(div.text_content().split()) for div in card.xpath(".//dl/div")]
    assert len(shown) == len(told(view).numbers)
    for text, number in zip(shown, told(view).numbers, strict=True):
        assert text.startswith(f"{number.what} {number.now}".replace("  ", " ")) or number.what in text
        assert ("up by" in text) == (number.now > number.was) and ("down by" in text) == (number.now < number.was)
