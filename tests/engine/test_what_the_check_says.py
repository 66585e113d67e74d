"""What the check says of orders it accepts: which can never act, and how a form that is overspent is to be mended."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any

import msgspec
import pytest

from pbem.data.scenarios import scenario
from pbem.data.terms import FormKind
from pbem.engine.checking.check import CheckResult, check, faults_in
from pbem.engine.checking.never import holds_already
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.orders_in_force import InForce
from pbem.engine.play.setup import set_up
from pbem.engine.state import Ship
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from tests.engine.at_rigel import SETTING, opening as at_rigel, shuttle
from tests.engine.situations import asked
from tests.engine.world import rich

STANDARD: dict[str, Any] = {"level": "standard", "impulses": 32}


def checked(
    orders: str, *, state: dict[str, Any] | None = None, form: str = "FULL", enemy: str = "", drone: str = ""
) -> CheckResult:
    """What is said of the orders of a standard cruiser; ``enemy`` is where a D7 stands, ``drone`` one of its drones."""
    units: list[dict[str, Any]] = [
        {"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1010A", "state": state or {}}
    ]
    if enemy:
        units.append({"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": enemy})
    if drone:
        small: dict[str, Any] = {
            "side": "klingon",
            "ship": "drone",
            "name": "KD/1",
            "at": drone,
            "target": "Con",
            "launcher": "Des",
        }
        units.append(small)
    options = {"reveal": "speeds" if form == "EAF" else "none"}
    case = msgspec.convert(
        {"rule": "B2.0", "title": "t", "source": "s", "unit": units, "options": options, **STANDARD}, Case
    )
    setting = scenario_for(case)
    now = opening(case, setting)
    assert now.request is not None and now.request.form == form
    reading = read_orders("SHIP Con\n" + orders, header=False)
    assert reading.faults == ()
    found = check(now, setting, now.request, "federation", reading.orders)
    assert faults_in(now, setting, now.request, "federation", reading.orders) == found.faults
    return found


def why(orders: str) -> dict[str, str]:
    found = checked(orders)
    assert found.faults == ()
    return {line.text: line.why for line in found.lines}


def test_a_capacitor_may_hold_a_half_and_a_battery_none() -> None:
    """E2.1: what is stored for phasers comes in halves; batteries do so by fractional accounting alone (B3.2)."""
    between = "IF {what} > 0 AND {what} < 1 THEN FIRE PH 1 AT ENEMY WITH RESERVE"
    said = why("ENERGY\nDO\n" + "".join(f"  {between.format(what=what)}\n" for what in ("CAPACITOR", "BATTERIES")))
    never = {
        text.split()[1]: why.startswith("its condition can never hold") for text, why in said.items() if "IF" in text
    }
    assert never == {"CAPACITOR": False, "BATTERIES": True}


@pytest.mark.parametrize(("of", "most"), [("Des", 31), ("KD/1", 32)])
def test_a_speed_that_no_unit_of_the_kind_flies_is_told_so(of: str, most: int) -> None:
    """C1.4, C1.42: a hex an impulse, and a ship one less on the chart of 32 impulses."""
    for least in (most, most + 1):
        orders = f"ENERGY\n  PHASERS 1\nDO\n  IF SPEED OF {of} >= {least} THEN FIRE PH 1 AT Des\n"
        found = checked(orders, enemy="1005D", drone="1008A")
        (said,) = (line.why for line in found.lines if "IF" in line.text)
        never = f"its condition can never hold: SPEED of {of} is never >= {least}"
        assert said == (never if least > most else "on its condition and where Des is then")


def test_to_release_a_beam_hangs_on_what_it_holds_then() -> None:
    """G7.33: a beam that the new form does not pay on lets go as the turn begins, before RELEASE comes."""
    holding: dict[str, Any] = {"state": {"holds A": "KD/1"}, "enemy": "1003D", "drone": "1009D"}
    then = "on what its own beams hold then"
    for form, beam, why_ in (("TRACTOR A", "A", ""), ("", "A", then), ("TRACTOR A", "B", then), ("TRACTOR A", "", "")):
        found = checked(f"ENERGY\n  {form}\nDO\n  RELEASE {beam}\n", **holding)
        assert [line.why for line in found.lines if "RELEASE" in line.text] == [why_], (form, beam)


def test_a_maneuver_that_can_never_be_made_is_told_so() -> None:
    said = why("ENERGY\n  TAC 2\nPLOT\n  TAC R AT 1\n  TAC R AT 16\n  TAC L AT 16\n  IF RANGE ANY <= 3 THEN TAC L\n")
    assert "before impulse 2" in said["TAC R AT 1"] and "can never be made" in said["TAC R AT 1"]
    assert said["TAC R AT 16"] == "on the maneuvers earned by then"
    assert "has made a tactical maneuver in this impulse" in said["TAC L AT 16"]
    assert said["IF RANGE ANY <= 3 THEN TAC L"] == "on its condition and the maneuvers earned by then"


def test_two_maneuvers_for_the_one_in_hand() -> None:
    said = why("ENERGY\n  TAC 2\nPLOT\n  TAC R AT 17\n  TAC L AT 18\n")
    assert said["TAC R AT 17"] == "on the maneuvers earned by then"
    assert "no warp maneuver is available yet" in said["TAC L AT 18"]


def test_a_reaction_of_a_ship_that_lies_still_is_told_so() -> None:
    said = why("ENERGY\nPLOT\n  IF RANGE ANY <= 3 THEN R\n")
    assert said["IF RANGE ANY <= 3 THEN R"] == "it can never act: Con has speed 0 this turn"


def test_a_reaction_of_a_ship_that_its_tow_holds_still_may_yet_act() -> None:
    """It has paid for speed 8, and has it again when the freighters are let go (G7.4)."""
    case = msgspec.convert(
        {
            "rule": "G7.4", "title": "t", "source": "s", "options": {"reveal": "speeds"},
            "unit": [{"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1010A"}], **STANDARD,
        },
        Case,
    )  # fmt: skip
    setting = scenario_for(case)
    now = opening(case, setting)
    ship, request = now.units["Con"], now.request
    assert isinstance(ship, Ship) and request is not None
    request = msgspec.structs.replace(request, form=FormKind.SOP, impulse=4)
    orders = read_orders("SHIP Con\nPLOT\n  IF RANGE ANY <= 3 THEN R\n", header=False).orders
    for paid, told in ((0, "it can never act: Con has speed 0 this turn"), (8, "on its condition")):
        held = altered(ship, speed=0, paid_speed=paid)
        state = msgspec.structs.replace(now, units={"Con": held}, turn=1, impulse=3, request=request)
        (said,) = (line.why for line in check(state, setting, request, "federation", orders).lines if "IF" in line.text)
        assert said == told


def test_a_form_that_cannot_pay_for_life_is_told_how_to_do_without() -> None:
    powerless = {"warp left": 0, "warp right": 0, "impulse": 0, "apr": 0, "batteries": 0}
    (fault,) = {fault.text for fault in checked("ENERGY\n", state=powerless).faults}
    assert "LIFE SUPPORT 0, FIRE CONTROL 0, SHIELDS 0" in fault
    none = checked("ENERGY\n  LIFE SUPPORT 0; FIRE CONTROL 0; SHIELDS 0\n", state=powerless)
    assert none.faults == ()


# --- the verdict of each line -----------------------------------------------------------------------------------------

ACCEPTED = """\
ENERGY
  PHOT A HOLD
  TRACTOR A
PLOT F R 3F
DO
  AT 1 FIRE PH 1 AT Des
  AT 2 FIRE PH 1 AT Des
  FIRE PH 2 AT Des
  IF RANGE Des <= 4 THEN FIRE PH 3 AT Des
  EVERY FIRE PH 4 AT NEAREST ENEMY
  RESERVE 2 TO #1
  LOWER SHIELD #1
  DISENGAGE
BREAK
  IMPULSE 3
DAMAGE
  WEAPON PH 1 FIRST
"""
VERDICTS = {
    "PHOT A HOLD": "",
    "TRACTOR A": "",
    "PLOT F R 3F": "",
    "AT 1 FIRE PH 1 AT Des": "on where Des is then",
    "AT 2 FIRE PH 1 AT Des": "on where Des is then and that line 7 did not fire PH 1 before it",
    "FIRE PH 2 AT Des": "on where Des is then",
    "IF RANGE Des <= 4 THEN FIRE PH 3 AT Des": "on its condition and where Des is then",
    "EVERY FIRE PH 4 AT NEAREST": "on where its target is then",
    "RESERVE UP TO 2 TO #1": "on the volleys that strike",
    "LOWER SHIELD #1": "",
    "DISENGAGE": "",
    "IMPULSE 3": "",
    "WEAPON PH 1 FIRST": "",
}
"""What each line depends on; nothing where it is legal whatever happens."""


@pytest.mark.parametrize("form", ["FULL", "EAF"])
def test_each_line_is_legal_or_said_to_depend_on_what_it_depends(form: str) -> None:
    found = checked(ACCEPTED, state={"photon A": "armed", "capacitor": 6}, form=form, enemy="1005D")
    assert found.faults == ()
    assert {line.text: line.why for line in found.lines} == VERDICTS
    assert all(line.verdict == ("depends" if line.why else "legal") for line in found.lines)


SECTIONS = {
    "PLOT": "PLOT 3F SL SL\n",
    "DO": "DO\n  AT 1 FIRE PH 11 AT Des\n  LOWER SHIELD #1\n",
    "BREAK": "BREAK\n  RANGE Foo <= 3\n  IMPULSE 3\n",
    "DAMAGE": "DAMAGE\n  WEAPON PH 11 FIRST\n  WEAPON PH 1 FIRST\n",
}
"""Each with a fault."""


def some_sections() -> Iterator[tuple[str, ...]]:
    for many in range(1, len(SECTIONS) + 1):
        yield from combinations(SECTIONS, many)


@pytest.mark.parametrize("form", ["FULL", "EAF"])
def test_what_is_said_of_a_block_is_what_is_said_of_its_sections(form: str) -> None:
    """No section is passed over, whichever others stand beside it, and even if it came before it was asked for."""

    def said(*sections: str) -> tuple[set[str], set[tuple[str, str]]]:
        found = checked("ENERGY\n  SPEED 8\n" + "".join(SECTIONS[each] for each in sections), form=form, enemy="1005D")
        return {fault.text for fault in found.faults}, {(line.text, line.verdict) for line in found.lines}

    alone = {section: said(section) for section in SECTIONS}
    assert all(faults for faults, _ in alone.values())
    for sections in some_sections():
        faults, lines = said(*sections)
        assert faults == set().union(*(alone[each][0] for each in sections))
        assert lines == set().union(*(alone[each][1] for each in sections))


def test_a_second_block_of_a_shuttle_is_refused() -> None:
    state = shuttle(at_rigel())
    assert state.request is not None
    block = om.UnitOrders(unit="FS/1", shuttle=True, line=3)
    home = om.UnitOrders(unit="Constellation", energy=())
    orders = om.Orders(units=(home, block, om.UnitOrders(unit="fs/1", shuttle=True, line=5)))
    (fault,) = check(state, SETTING, state.request, "federation", orders).faults
    assert (fault.code, fault.line) == ("two-blocks", 5)


COURSES = {
    "": "",
    "PLOT\n  IF RANGE <= 3 THEN L\n": "",
    "PLOT 4F\n": "4F",
    "PLOT 4F\n  IF RANGE <= 3 THEN L\n": "4F",
    "PLOT L 3F\n": "L 3F",
}
"""Sections of a block, each with the course it sets: none where the codes are left out."""


def test_a_course_stands_from_before_where_it_is_the_same_or_there_was_none_and_is_none() -> None:
    read = {plot: read_orders(f"SHIP Con\n{plot}DO\n  DISENGAGE\n", header=False).orders for plot in COURSES}
    for (before, was), (now, is_) in product(COURSES.items(), repeat=2):
        (block,) = read[now].units
        assert InForce(read[before]).has_course("CON", block.plot) == (was == is_), (before, now)
        assert not InForce(None).has_course("CON", block.plot)
        assert InForce(read[before]).has("CON", block.do[0]) and not InForce(None).has("CON", block.do[0])
        assert not InForce(read[before]).has("Lex", block.do[0])


def test_drones_without_orders_are_said_to_fly_by_themselves_and_those_with_orders_not() -> None:
    setting = scenario("2")
    players = {side.name: f"{side.name}@example.org" for side in setting.sides}
    state = set_up(setting, "test", players=players, options=Options()).state
    assert state.request is not None
    said = "the drones have no orders"
    for orders, told in (
        (om.Orders(), True),
        (read_orders('DO\n  GUIDE "Drone A" LEFT\n', header=False).orders, False),
    ):
        notes = check(state, setting, state.request, "drones", orders).notes
        assert any(said in note for note in notes) == told


def test_two_drones_that_and_joins_where_one_a_turn_is_launched() -> None:
    units = """
    [[unit]]
    side = "klingon"
    ship = "std_kli_d7"
    name = "Des"
    at = "1007D"

    [[unit]]
    side = "federation"
    ship = "std_fed_ca_cth"
    name = "Con"
    at = "1010A"
    """
    duel = asked(f'side = "klingon"\nlevel = "standard"\nimpulses = 32\n{units}')
    said = duel.about(
        "SHIP Des\nENERGY\nDO\n LAUNCH DRONE 1 AT Con AND LAUNCH DRONE 2 AT Con\n LAUNCH DRONE 1 AT Con\n"
    )
    assert isinstance(said, CheckResult) and not said.faults
    joined, single = (note.why for note in said.lines[-2:])
    assert joined.startswith("it can never act") and joined.endswith("Des launches 1 drone a turn (FD4.21)")
    assert "never" not in single


def test_a_break_of_no_ship_is_not_told_to_be_true_already() -> None:
    """Of a side that has weapons alone, or of a shuttle: each of them would have to be asked."""
    state = rich()
    line = read_orders("BREAK\n  SPEED OF Con > 0\n", header=False).orders.units[0].breaks[0]
    assert [holds_already(state, name, line) for name in ("Des", "Wreck", "", "KD/1", "KS/1")] == [
        True, False, False, False, False,
    ]  # fmt: skip
