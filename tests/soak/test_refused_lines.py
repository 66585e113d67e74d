"""What the check refuses can never be legal: played all the same, behind its back, none of it acts."""

from __future__ import annotations

import random
from itertools import groupby, islice

import pytest

from pbem.desk.answers import normal_form
from pbem.desk.segments import play_segment
from pbem.game import events as ev
from pbem.game.dice import Secret
from pbem.game.state import Ship
from pbem.offers.acts import acts_of, in_sight
from pbem.offers.bench import Bench
from pbem.offers.unit import uses
from pbem.orders.reader import read_orders
from pbem.orders.writer import name_text
from pbem.soak.games import Stretch, deal, opening, stretches
from pbem.values.words import FormKind

STRETCHES, LINES = 12, 40


def blocks(text: str) -> list[list[str]]:
    """The rows of an answer, the header's and each unit's."""
    heads = 0
    rows = [(heads := heads + row.startswith(("SHIP ", "SHUTTLE ", "END")), row) for row in text.split("\n")]
    return [[row for _, row in group] for _, group in groupby(rows, key=lambda one: one[0])]


def refused_of(rng: random.Random, stretch: Stretch, ship: Ship, block: list[str]) -> list[str]:
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
    return [*Bench(state, stretch.setting, request, ship, full).refusals(lines, energy=entries)]


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
