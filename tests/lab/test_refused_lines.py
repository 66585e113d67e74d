"""What the check refuses can never be legal: played all the same, behind its back, none of it acts."""

from __future__ import annotations

import random
import re
from itertools import groupby, islice

import pytest

from pbem.data.terms import FormKind
from pbem.engine import events as ev
from pbem.engine.checking.check import faults_in
from pbem.engine.dice import Secret
from pbem.engine.legal.acts import acts_of, in_sight, uses
from pbem.engine.legal.trial import OrderTester
from pbem.engine.state import Ship
from pbem.engine.steps.steering import CODES
from pbem.games.answers import normal_form
from pbem.games.segments import play_segment
from pbem.lab.random_games.play import RandomSegment, deal, opening, stretches
from pbem.orders.reader import read_orders
from pbem.orders.writer import name_text

STRETCHES, LINES = 12, 40


def blocks(text: str) -> list[list[str]]:
    """The rows of an answer, the header's and each unit's."""
    heads = 0
    rows = [(heads := heads + row.startswith(("SHIP ", "SHUTTLE ", "END")), row) for row in text.split("\n")]
    return [[row for _, row in group] for _, group in groupby(rows, key=lambda one: one[0])]


def refused_of(rng: random.Random, stretch: RandomSegment, ship: Ship, block: list[str]) -> list[str]:
    """Orders for a ship's weapons and systems, at any moment, that the check takes no one of."""
    state, request = stretch.before, stretch.before.request
    assert request is not None
    others = [name_text(other.name) for other in in_sight(state) if other.name != ship.name]
    said = [f"{verb} {weapon} AT {other}" for verb, weapon in uses(ship) for other in others]
    said += [act.text for act in acts_of(state, stretch.setting, ship) if "IT" not in act.text.split()]
    first = max(1, request.impulse)
    lines = [
        f"AT {rng.randint(first, request.through)} {one}" if rng.random() < 0.7 else one
        for one in rng.sample(said, min(LINES, len(said)))
    ]
    full = request.form == FormKind.FULL
    form = block[block.index("ENERGY") + 1 :] if full and "ENERGY" in block else []
    entries = [row.strip() for row in form[: next((n for n, row in enumerate(form) if row[:1] != " "), len(form))]]
    return [*OrderTester(state, stretch.setting, request, ship, full).refusals(lines, energy=entries)]


@pytest.mark.slow
@pytest.mark.parametrize("key", ["7-4711-1", "8-4711-2", "10-4711-3", "11-4711-4", "12-4711-5"])
def test_what_is_refused_does_nothing_when_it_is_played(key: str) -> None:
    rng, tried = random.Random(key), 0
    for stretch in islice(stretches(opening(deal(key)), turns=3), STRETCHES):
        before, texts = stretch.before, {side: one.text for side, one in stretch.answers.items()}
        behind: set[tuple[str, str]] = set()
        for side, text in texts.items():
            found = blocks(text)
            for block in found:
                ships = [one for one in before.ships() if block[0] == f"SHIP {name_text(one.name)}" and "DO" in block]
                for ship in ships:
                    lines = refused_of(rng, stretch, ship, block)
                    place = block.index("DO") + 1
                    block[place:place] = [f"  {line}" for line in lines]
                    named = read_orders("SHIP x\nDO\n" + "\n".join(lines) + "\n", header=False).orders.units
                    behind |= {(ship.name, order.text) for unit in named for order in unit.do}
            if "CONTINUE" not in text and "CONCEDE" not in text:
                texts[side] = normal_form("\n".join(row for block in found for row in block), side, before.game)
        records, _ = play_segment(stretch.setting, Secret(stretch.deal.secret), before, texts)
        told = [record.event for record in records if isinstance(record.event, ev.OrderTold)]
        assert [one for one in told if one.result == "acted" and (one.unit, one.order) in behind] == []
        tried += len(behind)
    assert tried > LINES


REFUSED_CODE = re.compile(
    r"code \d+ \((?P<code>\w+)\) in impulse (?P<impulse>\d+) at |in impulse (?P<off>\d+) \w+ leads off"
)


def refused_plot(
    rng: random.Random, stretch: RandomSegment, side: str, rows: list[str], place: int, ends: int
) -> list[str]:
    """Put a plot the check refuses into an answer, if one of a few is; what is said against it."""
    before, request = stretch.before, stretch.before.request
    assert request is not None
    for _ in range(4):
        plot = "PLOT " + " ".join(rng.choices(CODES, k=rng.randint(1, 9)))
        text = normal_form("\n".join([*rows[:place], plot, *rows[ends:]]), side, before.game)
        found = [fault.text for fault in faults_in(before, stretch.setting, request, side, read_orders(text).orders)]
        if found:
            rows[place:ends] = [plot]
            return found
    return []


@pytest.mark.slow
@pytest.mark.parametrize("key", ["3-4711-1", "5-4711-2", "8-4711-3", "10-4711-4", "12-4711-5"])
def test_no_code_that_is_refused_is_flown(key: str) -> None:
    rng, tried = random.Random(key), 0
    for stretch in islice(stretches(opening(deal(key)), turns=3), STRETCHES):
        before, texts = stretch.before, {side: one.text for side, one in stretch.answers.items()}
        for side, text in texts.items():
            rows = text.split("\n")
            places = [number for number, row in enumerate(rows) if row.startswith(("PLOT", "COURSE"))]
            if not places:
                continue
            place = rng.choice(places)
            ends = next(number for number in range(place + 1, len(rows)) if rows[number][:1] != " ")
            unit = next(row for row in reversed(rows[:place]) if row.startswith(("SHIP ", "SHUTTLE "))).split(" ", 1)[1]
            said = refused_plot(rng, stretch, side, rows, place, ends)
            behind = texts | {side: normal_form("\n".join(rows), side, before.game)}
            records, _ = play_segment(stretch.setting, Secret(stretch.deal.secret), before, behind)
            events = [record.event for record in records]
            own = [one for one in events if isinstance(one, ev.Moved | ev.Removed) and name_text(one.unit) == unit]
            for found in filter(None, map(REFUSED_CODE.match, said)):
                if found["off"]:
                    gone = [one for one in own if isinstance(one, ev.Removed)]
                    assert [one for one in gone if one.impulse == int(found["off"])] == []
                else:
                    flown = {(one.impulse, one.code) for one in own if isinstance(one, ev.Moved)}
                    assert (int(found["impulse"]), found["code"]) not in flown
                tried += 1
    assert tried
