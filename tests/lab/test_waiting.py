"""What a report says still waits is what CONTINUE would still do, and nothing of it is left out: in random games."""

from __future__ import annotations

import pytest

from pbem.engine.play.orders_in_force import orders_in_force
from pbem.lab.random_games.play import deal, key_for, opening, playable, stretches
from pbem.orders.writer import write_orders
from pbem.reports.view.build import build_view


def compared(key: str, turns: int) -> list[tuple[list[str], list[str]]]:
    """At each break: lines that wait though they are not in force, and orders in force of which the report tells
    nothing.
    """
    begun, found = opening(deal(key)), []
    records = list(begun.records)
    for stretch in stretches(begun, turns=turns):
        state, request = stretch.before, stretch.before.request
        assert request is not None
        for side in request.sides if request.impulse else ():
            left = orders_in_force(state, request, side)
            if left is None:
                continue
            view = build_view(records, side, scenario=stretch.setting)
            lines = [line for orders in view.orders if orders.in_force and orders.side == side for line in orders.lines]
            force = {line.strip() for line in write_orders(left).split("\n")}
            waits = {line.text.strip() for line in lines if line.silent == "waits"}
            told = {line.text.strip() for line in lines if line.told}
            doing = {order.text.strip() for block in left.units for order in block.do}
            found.append((sorted(waits - force), sorted(doing - waits - told)))
        records += stretch.records
    return found


@pytest.mark.parametrize("key", ["5-0-1", "9-0-0"])
def test_what_waits_is_what_is_in_force(key: str) -> None:
    found = compared(key, turns=2)
    assert found and set(map(str, found)) == {"([], [])"}


@pytest.mark.slow
@pytest.mark.parametrize("game", range(2))
@pytest.mark.parametrize("number", playable())
def test_what_waits_is_what_is_in_force_in_any_game(number: str, game: int) -> None:
    assert set(map(str, compared(key_for(number, 13, game), turns=5))) <= {"([], [])"}
