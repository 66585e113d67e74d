"""What is written reads back as what it was, and reading makes normal text of anything that is understood."""

from __future__ import annotations

import importlib.util
import sys
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from pbem.orders import model as om
from pbem.orders.draft import _folded
from pbem.orders.names import weapons_text
from pbem.orders.reader import read_orders
from pbem.orders.writer import unit_lines, write_orders


def _strategies() -> Any:
    """The folder is no package (tests are collected by path), so its helper is loaded by path too."""
    spec = importlib.util.spec_from_file_location("order_strategies", Path(__file__).with_name("strategies.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("order_strategies", module)
    spec.loader.exec_module(module)
    return module


made_up = _strategies()
pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


PLACES = ("line", "column", "text", "speed_place", "energy_place")


def placeless(value: Any) -> Any:
    """Orders as plain data without lines, columns and texts."""
    plain = msgspec.to_builtins(value, enc_hook=str)

    def strip(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: strip(v) for key, v in part.items() if key not in PLACES}
        return [strip(v) for v in part] if isinstance(part, list | tuple) else part

    return strip(plain)


def test_weapons_in_any_order_read_back() -> None:
    """All there is, all of a kind, what is heavy and single ones, up to three side by side."""
    kinds = ("ALL", "HEAVY", "ALL PH", "PH 1", "PH 2", "PHOT A", "DRONE 1")
    for chosen in (one for many in (1, 2, 3) for one in product(kinds, repeat=many)):
        reading = read_orders(f"SHIP X\nDO\n  FIRE {weapons_text(chosen)} AT Y\n", header=False)
        (fire,) = reading.orders.units[0].do[0].does
        assert isinstance(fire, om.Fire) and fire.weapons == chosen, weapons_text(chosen)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(made_up.files)
def test_written_orders_read_back_as_they_were(orders: om.Orders) -> None:
    text = write_orders(orders)
    reading = read_orders(text)
    assert [str(fault) for fault in reading.faults] == [], text
    assert placeless(reading.orders) == placeless(orders), text
    assert write_orders(reading.orders) == text


@pytest.mark.slow
@settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(made_up.conditions(target=False))
def test_a_condition_means_the_same_wherever_it_stands(asked: om.Condition) -> None:
    order = om.Order(does=(om.Cloak(),), condition=asked)
    text = write_orders(om.Orders(units=(om.UnitOrders(unit="Hood", do=(order,)),)))
    reading = read_orders(text, header=False)
    assert reading.faults == (), text
    assert reading.orders.units[0].do[0].condition == asked, text


def test_every_line_carries_its_normal_form() -> None:
    reading = read_orders(
        "ship hood\nplot ffr 2f\n at 3 if range x<=2 then r\n tac l at 4\n"
        "do\n at 9 fire disr a,b phaser 1,2,3 at x if range<=4\nbreak not( x in fa )\n"
        "damage weapons ph 4 first\nenergy\n phot a 2 warp",
        header=False,
    )
    assert reading.faults == ()
    hood = reading.orders.units[0]
    assert hood.plot is not None and hood.energy is not None
    assert hood.text == "SHIP hood"
    assert hood.plot.text == "PLOT 2F R 2F"
    assert hood.plot.reactions[0].text == "AT 3 IF RANGE x <= 2 THEN R"
    assert hood.plot.tacs[0].text == "TAC L AT 4"
    assert hood.do[0].text == "AT 9 IF RANGE <= 4 THEN FIRE DISR A,B PH 1-3 AT x"
    assert hood.breaks[0].text == "NOT x IN FA"
    assert hood.damage[0].text == "WEAPON PH 4 FIRST"
    assert hood.energy[0].text == "PHOT A 2 WARP"
    assert [hood.line, hood.plot.line, hood.do[0].line, hood.breaks[0].line] == [1, 2, 6, 7]
    assert (hood.breaks[0].column, hood.energy[0].column) == (7, 2)


def test_continue_concede_and_an_empty_form_survive() -> None:
    for orders in (
        om.Orders(game="duel01", turn=2, side="klingon", reply=4, alone="CONTINUE"),
        om.Orders(game="duel01", turn=2, side="klingon", reply=4, alone="CONCEDE"),
        om.Orders(game="duel01", form="EAF", units=(om.UnitOrders(unit="Hood", energy=()),)),
    ):
        reading = read_orders(write_orders(orders))
        assert reading.faults == ()
        assert placeless(reading.orders) == placeless(orders)


@pytest.mark.slow
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(made_up.files)
def test_orders_folded_by_a_draft_read_back_as_they_were(orders: om.Orders) -> None:
    """Long orders stand in a draft over several lines, none of which may begin a block there."""
    units = tuple(unit for unit in orders.units if unit.unit)
    text = "\n".join(["GAME g", *(_folded(line) for unit in units for line in unit_lines(unit)), "END"])
    reading = read_orders(text)
    assert [str(fault) for fault in reading.faults] == [], text
    assert placeless(reading.orders.units) == placeless(units), text
