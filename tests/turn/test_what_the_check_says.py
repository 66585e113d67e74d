"""What the check says of orders it accepts: which can never act, and how a form that is overspent is to be mended."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.cases.form import Case
from pbem.cases.play import opening, scenario_for
from pbem.orders.reader import read_orders
from pbem.turn.check import Checked, check

STANDARD: dict[str, Any] = {"level": "standard", "impulses": 32}


def checked(orders: str, *, state: dict[str, Any] | None = None) -> Checked:
    """What is said of the orders of a standard cruiser."""
    ship = {"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1010A", "state": state or {}}
    case = msgspec.convert({"rule": "B2.0", "title": "t", "source": "s", "unit": [ship], **STANDARD}, Case)
    setting = scenario_for(case)
    now = opening(case, setting)
    assert now.request is not None
    reading = read_orders("SHIP Con\n" + orders, header=False)
    assert reading.faults == ()
    return check(now, setting, now.request, "federation", reading.orders)


def why(orders: str) -> dict[str, str]:
    found = checked(orders)
    assert found.faults == ()
    return {line.text: line.why for line in found.lines}


def test_a_maneuver_that_can_never_be_made_is_told_so() -> None:
    said = why("ENERGY\n  TAC 2\nPLOT\n  TAC R AT 1\n  TAC R AT 16\n  TAC L AT 16\n  IF RANGE ANY <= 3 THEN TAC L\n")
    assert "before impulse 2" in said["TAC R AT 1"] and "can never be made" in said["TAC R AT 1"]
    assert said["TAC R AT 16"] == "on the maneuvers earned by then"
    assert "has made a tactical maneuver in this impulse" in said["TAC L AT 16"]
    assert said["IF RANGE ANY <= 3 THEN TAC L"] == "on its condition and the maneuvers earned by then"


def test_two_maneuvers_for_the_one_in_hand() -> None:
    said = why("ENERGY\n  TAC 2\nPLOT\n  TAC R AT 17\n  TAC L AT 18\n")
    assert said["TAC R AT 17"] == "on the maneuvers earned by then"
    assert "no warp maneuver is in hand" in said["TAC L AT 18"]


def test_a_reaction_of_a_ship_that_lies_still_is_told_so() -> None:
    said = why("ENERGY\nPLOT\n  IF RANGE ANY <= 3 THEN R\n")
    assert said["IF RANGE ANY <= 3 THEN R"] == "it can never act: Con has speed 0 this turn"


def test_a_form_that_cannot_pay_for_life_is_told_how_to_do_without() -> None:
    powerless = {"warp left": 0, "warp right": 0, "impulse": 0, "apr": 0, "batteries": 0}
    (fault,) = {fault.text for fault in checked("ENERGY\n", state=powerless).faults}
    assert "LIFE SUPPORT 0, FIRE CONTROL 0, SHIELDS 0" in fault
    none = checked("ENERGY\n  LIFE SUPPORT 0; FIRE CONTROL 0; SHIELDS 0\n", state=powerless)
    assert none.faults == ()
