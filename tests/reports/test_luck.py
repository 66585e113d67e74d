"""Luck of volleys: page, sitrep and ``pbem odds`` tell the same, every reader is told the same, and over many games
what was rolled is what was to be expected.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import sqrt

import pytest

from pbem.data import charts
from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.log import fold
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches
from pbem.orders.freehand import freehand
from pbem.reports.form.weapons import chances
from pbem.reports.html.page import sitrep_html
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view
from pbem.reports.view.model import ReportView
from pbem.reports.view.statistics import FiredVolley, percent, tenths, volleys
from pbem.rules.direct_fire import AimedShot, expected, faces, is_direct_fire, max_range, min_range, scores, volley
from pbem.rules.sensors import effective_range


def game(key: str, turns: int = 25) -> tuple[list[Record], State]:
    """A random game, played in memory."""
    begun = opening(deal(key))
    records, state = list(begun.records), begun.state
    for stretch in stretches(begun, turns=turns):
        records, state = [*records, *stretch.records], stretch.after
    return records, state


def fired(records: list[Record], state: State) -> tuple[FiredVolley, ...]:
    return volleys((record.event for record in records), state.units)


@pytest.fixture(scope="module")
def brawl() -> tuple[list[Record], State]:
    """A game in which much is fired."""
    return game("10-2-2", 4)


def in_turns(records: list[Record], state: State) -> Iterator[tuple[int, ReportView]]:
    for turn in range(1, state.turn + 1):
        yield turn, build_view(records, "", turn=turn)


# --- what is told ----------------------------------------------------------------------------------------------------


def test_page_sitrep_and_command_tell_the_same_of_a_volley(brawl: tuple[list[Record], State]) -> None:
    records, state = brawl
    told = 0
    for turn, view in in_turns(records, state):
        page, text = sitrep_html(view), sitrep_text(view)
        mine = [each for each in fired(records, state) if each.turn == turn]
        assert len(view.lucks) == len(mine)
        for luck, each in zip(view.lucks, mine, strict=True):
            if any(aim.modifier or aim.limit is not None for aim in each.aims):
                continue  # no words for these free-hand, or the ship's own
            parts = [f"{aim.kind} AT RANGE {aim.range} EFFECTIVE {aim.effective}" for aim in each.aims]
            asked = volley(freehand(", ".join(parts)).aims)
            assert (luck.expected, luck.chance) == (tenths(asked.mean), percent(asked.at_least(each.points)))
            cells = f'<td class="n">{luck.points}<td>average {luck.expected}; chance of this much or more {luck.chance}'
            assert cells in " ".join(page.replace("</td>", "").split())  # a page breaks its lines between words
            assert re.search(rf"  {luck.points}  +{luck.expected}  +{luck.chance}$", text, re.MULTILINE)
            told += 1
    assert told > 10


def test_a_volley_is_told_by_its_shots(brawl: tuple[list[Record], State]) -> None:
    """By the records alone: every shot that took a die is in one volley, and its points are."""
    records, state = brawl
    shots = [record.event for record in records if isinstance(record.event, ev.Fired) and scores(record.event.kind)]
    found = fired(records, state)
    assert sum(len(each.aims) for each in found) == len(shots) > 30
    assert sum(each.points for each in found) == sum(shot.points for shot in shots)
    for each in found:
        assert volley(each.aims).chance(each.points) > 0, "the dice could do what they did"
    (last,) = [view for turn, view in in_turns(records, state) if turn == state.turn]
    for one in last.fortunes:
        own = [each for each in found if each.side == one.side]
        mean = sum((expected(each.aims) for each in own), Fraction(0))
        assert (one.points, one.expected) == (sum(each.points for each in own), tenths(mean))
        assert one.luck.lstrip("+") == tenths(one.points - mean)


def test_the_shots_of_a_captured_ship_are_its_captors() -> None:
    records, state = game("5-1-0", 3)
    shot = next(record.event for record in records if isinstance(record.event, ev.Fired))
    owner = state.units[shot.unit].side
    (captor,) = set(state.sides) - {owner}
    taken = ev.Captured(turn=shot.turn, impulse=shot.impulse, unit=shot.unit, side=captor, was=owner, parties=1)
    placed = [record.event for record in records if isinstance(record.event, ev.UnitPlaced)]
    assert [each.side for each in volleys([*placed, shot, taken, shot], state.units)] == [owner, captor]


@pytest.mark.parametrize("key", ["2-1-1", "5-1-2", "9-1-3", "12-1-1"])
def test_no_reader_is_told_more_by_luck_than_a_spectator(key: str) -> None:
    """Orders, energy, cloaks and secret targets of each side are its own; odds are told to all alike, and follow from
    what a spectator's log holds.
    """
    records, state = game(key, 3)
    seen = [event for record in records if (event := ev.seen_by(record, "")) is not None]
    known = volleys(seen, fold(seen).units)
    assert known, "nothing was compared"
    for side in ("", *state.sides, ev.UMPIRE):
        view = build_view(records, side)
        told = [(each.turn, each.impulse, each.side, each.unit, each.points, each.expected) for each in view.lucks]
        assert told == [
            (each.turn, each.impulse, each.side, each.unit, each.points, tenths(expected(each.aims)))
            for each in known
            if each.turn >= view.shown
        ]
        assert view.fortunes == build_view(records, "").fortunes


# --- the form --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(kind for kind in charts.weapon_kinds() if is_direct_fire(kind)))
def test_the_form_tells_what_the_odds_tell(kind: str) -> None:
    """Whole faces of the die: nothing is rounded before the page adds up."""
    for scanner in (0, 1, 3):
        for limit in (None, 15, 22):
            table = chances(kind, scanner, limit)
            assert len(table) == max_range(kind, limit) + 1
            for true, (hits, points) in enumerate(table):
                seen = effective_range(true, locked=True, scanner=scanner, hidden=False, fading=0)
                aim = AimedShot(kind, true, seen, limit=limit)
                if true < min_range(kind):
                    assert (hits, points) == (0, 0)
                    continue
                assert Fraction(points, 6) == volley([aim]).mean
                assert hits == sum(shot.hit for shot in faces(aim))


# --- many games ------------------------------------------------------------------------------------------------------


def spread(aim: AimedShot) -> Fraction:
    """The variance of what a shot scores."""
    points = [each.points for each in faces(aim)]
    return Fraction(sum(n * n for n in points), len(points)) - Fraction(sum(points), len(points)) ** 2


def errors_off(keys: Iterable[str]) -> tuple[dict[str, float], int]:
    """By how many standard errors all that was rolled is more than was to be expected, in all and by the volleys of
    one kind of weapon alone; and how many shots that were.
    """
    off: dict[str, Fraction] = {}
    room: dict[str, Fraction] = {}
    shots = 0
    for key in keys:
        for each in fired(*game(key)):
            kinds = {aim.kind for aim in each.aims}
            shots += len(each.aims)
            for what in ("all", kinds.pop() if len(kinds) == 1 else "mixed"):
                off[what] = off.get(what, Fraction(0)) + each.points - expected(each.aims)
                room[what] = room.get(what, Fraction(0)) + sum(map(spread, each.aims))
    return {what: float(off[what]) / sqrt(room[what]) for what in off if room[what]}, shots


def keys(games: int) -> Iterator[str]:
    """Games of all scenarios in turn."""
    for number in range(games):
        yield key_for(playable()[number % len(playable())], 77, number)


@pytest.mark.slow
def test_over_games_luck_is_nothing() -> None:
    """Whatever ends a game, and whenever, dice owe nobody anything."""
    off, shots = errors_off(["4-1-1", "7-1-1", "12-1-1"])
    assert shots > 100
    assert all(abs(errors) < 3.3 for errors in off.values()), off


@pytest.mark.slow
def test_over_many_games_luck_is_nothing() -> None:
    """``PBEM_LUCKS=500`` plays so many. The sum of all games is within two standard errors of nothing, that of each
    kind of weapon, of which there are several, within 3.3.
    """
    off, shots = errors_off(keys(int(os.environ.get("PBEM_LUCKS", "60"))))
    print(shots, "shots", {what: round(errors, 2) for what, errors in sorted(off.items())})
    assert shots > 1000
    assert abs(off["all"]) < 2 and all(abs(errors) < 3.3 for errors in off.values()), off


@pytest.mark.parametrize(
    ("word", "least", "most"),
    [("RANGE", 0, 999), ("EFFECTIVE", 0, 999), ("DIE", -20, 20), ("SHIELD", 0, 999), ("REINFORCEMENT", 0, 999)],
)
def test_how_far_a_figure_asked_of_freely_may_go(word: str, least: int, most: int) -> None:
    def said(figure: int) -> str:
        try:
            freehand(f"PH1 RANGE {figure}" if word == "RANGE" else f"PH1 AT RANGE 1 {word} {figure}")
        except GameError as refused:
            return refused.faults[0].text
        return ""

    beyond = f"must be from {least} to {most}"
    assert [beyond in said(figure) for figure in (least - 1, least, most, most + 1)] == [True, False, False, True]
