"""The energy form of the Standard game, fractional accounting, maneuvers, reserve power (B3.0, B3.2, C5.0, H7.0)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.terms import Purpose
from pbem.errors import NotAllowed
from pbem.lab.rule_cases.lookups import ask
from pbem.rules import direct_fire, energy_form, movement, power, weapons
from pbem.rules.energy_form import Allotment, Plant, ShipFacts, Tube
from pbem.rules.leave import whether
from pbem.rules.science import Probe
from pbem.rules.shuttles import SuicideArming as Bomb, warhead


class Line(NamedTuple):
    """An entry as the order reader hands it over."""

    item: str
    parts: tuple[tuple[str, Fraction], ...] = ()
    verb: str = ""
    shield: int = 0
    line: int = 0
    column: int = 1


def line(item: str, *points: float | str | Fraction, shield: int = 0, **by_source: float | str | Fraction) -> Line:
    """``line("TAC", 3, IMPULSE=1)``: an entry with points the engine may take anywhere, and others by source."""
    parts = [("", Fraction(each)) for each in points] + [(s, Fraction(each)) for s, each in by_source.items()]
    return Line(item, tuple(parts), shield=shield)


STANDARD = charts.level("standard")
CA = ShipFacts(
    level="standard",
    plant=Plant(warp=30, impulse=4, apr=2, batteries=4, battery_boxes=4),
    prior_speed=20,
    acceleration=STANDARD.acceleration,
    multiple=STANDARD.multiple,
    max_speed=31,
    capacity=8.0,
    shields=(30, 24, 20, 20, 20, 24),
    full_shields=(30, 24, 20, 20, 20, 24),
    damage_control=(4, 4, 2, 2, 2, 0),
    boxes={"tractor": 2, "tran": 3, "probe": 1},
    hangar=("A", "B", "C", "D"),
)
RAIDER = replace(CA, move_cost=Fraction(2, 3), plant=Plant(warp=20, impulse=3, batteries=3, battery_boxes=3))


def allot(facts: ShipFacts, *lines: Line) -> Allotment:
    return energy_form.allot([each._replace(line=number) for number, each in enumerate(lines, start=1)], facts)


def codes(facts: ShipFacts, *lines: Line) -> list[str]:
    return [fault.code for fault in allot(facts, *lines).faults]


def amounts(allotment: Allotment) -> dict[int, int]:
    found: dict[int, int] = {}
    for row in allotment.balance:
        found[row.number] = found.get(row.number, 0) + row.amount
    return found


# --- lines 7, 8, 11 ---------------------------------------------------------------------------------------


def test_unpaid_lines_have_their_price() -> None:
    assert amounts(allot(CA))[20] == 4
    dead = allot(CA, line("LIFE SUPPORT", 0), line("FIRE CONTROL", 0), line("SHIELDS", 0))
    assert (amounts(dead)[20], dead.unpaid) == (0, ("LIFE SUPPORT", "FIRE CONTROL", "SHIELDS"))
    assert len(dead.notes) == 3
    assert not power.crew_lives(dead.unpaid)
    assert not power.fire_control(dead.unpaid)
    assert power.crew_lives(("SHIELDS",)) and power.fire_control(("SHIELDS",))


def test_shields_that_are_off_cannot_be_reinforced() -> None:
    off = line("SHIELDS", 0)
    assert codes(CA, off, line("GENERAL", 4)) == ["shields-inactive"]
    assert codes(CA, line("REINFORCE", 2, shield=1), off) == ["shields-inactive"]
    assert codes(CA, line("REINFORCE", 2, shield=1), line("GENERAL", 4)) == []


def test_cadet_ships_beside_standard_ones_pay_one_point_for_shields() -> None:
    assert amounts(allot(replace(CA, level="scenario 12", move_cost=Fraction(1, 2)), line("SPEED", 8)))[20] == 5


# --- line 14 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "prior", "top"),
    [("cadet", 0, 8), ("cadet", 5, 13), ("cadet", 16, 24), ("standard", 0, 10), ("standard", 4, 14),
     ("standard", 10, 20), ("standard", 11, 22), ("standard", 15, 30)],
)  # fmt: skip
def test_acceleration_of_both_levels(level: str, prior: int, top: int) -> None:
    limits = charts.level(level)
    facts = replace(
        CA, level=level, prior_speed=prior, acceleration=limits.acceleration, multiple=limits.multiple,
        plant=Plant(warp=40, impulse=1), max_speed=99,
    )  # fmt: skip
    assert movement.top_speed(prior, limits.acceleration, limits.multiple) == top
    bounds = {"prior": prior, "acceleration": limits.acceleration, "multiple": limits.multiple, "max_speed": 99}
    assert [whether(movement.verify_speed)(speed, **bounds) for speed in (top, top + 1)] == [True, False]
    assert codes(facts, line("SPEED", top)) == []
    assert codes(facts, line("SPEED", top + 1)) == ["acceleration"]


@pytest.mark.parametrize(
    ("cost", "hexes", "warp"),
    [("2/3", 6, 4), ("2/3", 10, 7), ("2/3", 2, 2), ("1/2", 5, 3), ("1/3", 4, 2), ("1/3", 9, 3), ("4/3", 1, 2)],
)
def test_movement_costs_are_rounded_up_once_for_the_turn(cost: str, hexes: int, warp: int) -> None:
    facts = replace(CA, move_cost=Fraction(cost), plant=Plant(warp=20))
    done = allot(facts, line("LIFE SUPPORT", 0), line("FIRE CONTROL", 0), line("SHIELDS", 0), line("SPEED", hexes))
    assert (done.faults, done.speed, amounts(done)[14]) == ((), hexes, warp)
    assert allot(facts, line("MOVE", WARP=warp)).speed >= hexes


def test_tactical_maneuvers_cost_a_hex_of_warp_each_or_a_point_of_impulse() -> None:
    done = allot(CA, line("TAC", 4, IMPULSE=1))
    assert (done.faults, done.tactical, done.sublight, done.speed, amounts(done)[14]) == ((), 4, True, 0, 5)
    assert "TAC 4 + 1 IMPULSE" in done.lines
    only = allot(CA, line("TAC", IMPULSE=1))
    assert (only.faults, only.tactical, only.sublight, only.lines[-1]) == ((), 0, True, "TAC 1 IMPULSE")
    assert amounts(allot(RAIDER, line("TAC", 4)))[14] == 3
    assert codes(CA, line("TAC", 5)) == ["too-many-tacs"]
    assert codes(CA, line("TAC", IMPULSE=2)) == ["too-many-tacs"]
    assert codes(CA, line("TAC", APR=1)) == ["movement-source"]
    assert codes(CA, line("TAC", 1.5)) == codes(CA, line("TAC", IMPULSE=0.5)) == ["not-whole"]
    assert codes(CA, line("TAC", 2), line("SPEED", 3)) == ["tac-and-move"]
    assert codes(CA, line("MOVE", WARP=3), line("TAC", 2)) == ["tac-and-move"]
    assert codes(CA, line("TAC", 2), line("SPEED", 0)) == []
    weak = replace(CA, plant=Plant(warp=1, apr=9, batteries=0))
    assert codes(weak, line("TAC", 2)) == ["warp-overspent"]


# --- lines 17 to 19 ---------------------------------------------------------------------------------------


def test_tractors_are_paid_one_by_one() -> None:
    done = allot(CA, line("TRACTOR A"), line("TRACTOR B", 1))
    assert (done.faults, done.tractors, amounts(done)[17]) == ((), ("A", "B"), 2)
    assert codes(CA, line("TRACTOR C")) == ["no-such-box"]
    assert codes(CA, line("TRACTOR 2")) == []
    assert codes(CA, line("TRACTOR A", 2)) == ["tractor-amount"]
    assert codes(replace(CA, boxes={}), line("TRACTOR A")) == ["no-such-box"]


def test_a_point_operates_five_transporters() -> None:
    done = allot(CA, line("TRANSPORTERS", 1))
    assert (done.faults, done.transporters, amounts(done)[18]) == ((), 3, 1)
    assert codes(CA, line("TRANSPORTERS", 2)) == ["transporters-too-much"]
    assert allot(replace(CA, boxes={"tran": 6}), line("TRANSPORTERS", 1)).transporters == 5
    assert allot(replace(CA, boxes={"tran": 6}), line("TRANSPORTERS", 2)).transporters == 6
    assert codes(CA, line("TRANSPORTERS", "1/5")) == ["not-whole"]


def test_the_cloak_takes_its_whole_cost() -> None:
    eagle = replace(CA, cloak=6)
    done = allot(eagle, line("CLOAK", 6))
    assert (done.faults, done.cloak, amounts(done)[19]) == ((), True, 6)
    assert codes(eagle, line("CLOAK", 5)) == ["cloak-amount"]
    assert codes(CA, line("CLOAK", 6)) == ["no-cloak"]
    assert not allot(eagle, line("CLOAK", 0)).cloak


def test_a_probe_is_armed_over_two_turns() -> None:
    first = allot(CA, line("PROBE A", 1))
    assert (first.faults, first.probes) == ((), {"A": Probe(Purpose.INFORMATION, 1)})
    second = allot(replace(CA, probes=first.probes), line("PROBE A", 1))
    assert second.probes["A"].armed
    lost = allot(replace(CA, probes=first.probes))
    assert (lost.probes["A"].purpose, len(lost.notes)) == ("", 1)
    weapon = allot(CA, line("PROBE A", WARP=2))
    assert (weapon.probes["A"], "PROBE A 2 WARP" in weapon.lines) == (Probe(Purpose.WEAPON, 1), True)
    assert codes(CA, line("PROBE A", APR=2)) == ["probe-not-warp"]
    assert codes(CA, line("PROBE A", 3)) == ["probe-arming"]
    assert codes(CA, line("PROBE B", 1)) == ["no-such-box"]
    assert codes(replace(CA, probes_left={"A": 0}), line("PROBE A", 1)) == ["no-ammo"]


def test_a_suicide_shuttle_is_armed_with_warp_power_over_three_turns_and_held() -> None:
    bombs: dict[str, Bomb] = {}
    for points in (3, 1, 2):
        done = allot(replace(CA, bombs=bombs), line("SUICIDE A", points))
        assert (done.faults, f"SUICIDE A {points} WARP" in done.lines) == ((), True)
        bombs = done.bombs
    assert (bombs["A"].state, warhead(bombs["A"].energy)) == ("armed", 12)
    held = allot(replace(CA, bombs=bombs), line("SUICIDE A", APR=1))
    assert (held.faults, held.bombs) == ((), bombs)
    dropped = allot(replace(CA, bombs=bombs))
    assert (dropped.bombs["A"].state, len(dropped.notes)) == ("unusable", 1)
    assert codes(CA, line("SUICIDE A", 4)) == ["suicide-arming"]
    assert codes(CA, line("SUICIDE A", APR=2)) == ["suicide-not-warp"]
    assert codes(replace(CA, level="scenario 12"), line("SUICIDE A", 2)) == ["suicide-arming"]


# --- fractional accounting --------------------------------------------------------------------------------

FINE = replace(RAIDER, fractional=True, capacity=5.0, plant=Plant(warp=20, impulse=0, batteries=2, battery_boxes=3))
OFF = (line("LIFE SUPPORT", 0), line("FIRE CONTROL", 0), line("SHIELDS", 0))


def test_the_raider_of_the_handbook_with_whole_points_and_with_fractions() -> None:
    """Ten hexes, one phaser-3, two transporters: 9 points, or 7.567."""
    plain = replace(FINE, fractional=False)
    asked = (*OFF, line("SPEED", 10), line("PHASERS", "1/2"))
    whole = allot(plain, *asked, line("TRANSPORTERS", 1))
    assert (whole.faults, amounts(whole)[20]) == ((), 9)
    fine = allot(FINE, *asked, line("TRANSPORTERS", "2/5"))
    assert fine.faults == ()
    exact = {row.number: points for row, points in zip(fine.balance, fine.exact, strict=True)}
    assert exact[20] == Fraction(20, 3) + Fraction(1, 2) + Fraction(2, 5)
    assert (fine.transporters, fine.capacitor, amounts(fine)[20]) == (2, 0.5, 8)
    assert "MOVE 20/3 WARP" in fine.lines


def test_a_battery_may_hold_part_of_a_point() -> None:
    rest = Fraction(13, 30)
    saved = allot(FINE, *OFF, line("RECHARGE", rest))
    assert (saved.faults, saved.batteries, saved.battery_part) == ((), 2, rest)
    again = replace(FINE, plant=replace(FINE.plant, battery_part=rest))
    assert codes(again, *OFF, line("RECHARGE", 1)) == ["recharge-too-much"]
    full = allot(again, *OFF, line("RECHARGE", 1 - rest))
    assert (full.faults, full.batteries, full.battery_part) == ((), 3, Fraction(0))
    drained = allot(replace(again, plant=replace(again.plant, warp=0)), *OFF, line("PHASERS", 2))
    assert (drained.faults, drained.batteries, drained.battery_part) == ((), 0, rest)
    assert codes(replace(FINE, fractional=False), *OFF, line("RECHARGE", rest)) == ["not-whole"]


def test_whole_accounting_takes_no_fractions_of_a_transporter_and_fractions_only_fifths() -> None:
    assert codes(FINE, *OFF, line("TRANSPORTERS", "1/4")) == ["not-whole"]
    assert codes(FINE, *OFF, line("MOVE", WARP=6, IMPULSE="1/2")) == ["impulse-movement"]
    assert codes(FINE, *OFF[:2], line("GENERAL", "1/2")) == ["not-whole"]


@given(
    st.fractions(0, 12, max_denominator=6), st.integers(0, 9), st.fractions(0, 2, max_denominator=6),
    st.integers(0, 6), st.integers(0, 3), st.fractions(0, 1, max_denominator=30).filter(lambda part: part < 1),
)  # fmt: skip
def test_energy_is_never_created(
    move: Fraction, halves: int, recharge: Fraction, warp: int, batteries: int, part: Fraction
) -> None:
    part = part if batteries < 3 else Fraction(0)
    facts = replace(FINE, plant=Plant(warp=warp, batteries=batteries, battery_boxes=3, battery_part=part))
    done = allot(facts, *OFF, line("MOVE", WARP=move), line("PHASERS", Fraction(halves, 2)), line("RECHARGE", recharge))
    if done.faults:
        return
    exact = {row.number: points for row, points in zip(done.balance, done.exact, strict=True)}
    held = batteries + part
    assert exact[20] == move + Fraction(halves, 2) + recharge
    assert 0 <= done.batteries + done.battery_part == held - exact[21] + recharge <= 3
    assert exact[20] <= warp + held
    assert exact[21] == max(Fraction(0), exact[20] - warp)


# --- tactical maneuvers -----------------------------------------------------------------------------------


def test_four_maneuvers_on_32_impulses_as_in_the_handbook() -> None:
    assert movement.earned_in(4, 32) == (2, 8, 16, 24)
    assert movement.earned_in(1, 32) == (2,)
    assert movement.earned_in(0, 32) == ()
    assert movement.earned_in(4, 16) == (2, 4, 8, 12)
    assert movement.earned_in(4, 8) == (2, 4, 6)


def test_only_one_is_in_hand() -> None:
    assert not movement.in_hand(4, 32, 1)
    assert [movement.in_hand(4, 32, impulse) for impulse in (2, 7, 8, 32)] == [True] * 4
    assert not movement.in_hand(4, 32, 9, used=(8,)), "the first was never used, so the second was lost"
    assert movement.in_hand(4, 32, 16, used=(8,))
    assert movement.in_hand(4, 32, 32, used=(2, 8, 16))
    assert not movement.in_hand(4, 32, 32, used=(2, 8, 16, 24))


def why(kind: str, impulse: int, **given: Any) -> str:
    try:
        movement.verify_tac(kind, impulse=impulse, impulses=32, **given)
    except NotAllowed as refused:
        assert not whether(movement.verify_tac)(kind, impulse=impulse, impulses=32, **given)
        return refused.code
    assert whether(movement.verify_tac)(kind, impulse=impulse, impulses=32, **given)
    return ""


def test_when_a_ship_may_turn_on_the_spot() -> None:
    assert why("warp", 1, maneuvers=4) == "tac-too-early"
    assert why("warp", 2, maneuvers=4) == ""
    assert why("warp", 3, maneuvers=4, used=(2,)) == "tac-not-earned"
    assert why("warp", 8, maneuvers=4, used=(2,)) == ""
    assert why("warp", 8, maneuvers=0) == "tac-not-paid"
    assert why("sublight", 1, sublight=True) == "tac-too-early"
    assert why("sublight", 2, sublight=True) == ""
    assert why("sublight", 32, sublight=True) == ""
    assert why("sublight", 9, sublight=True, sublight_used=5) == "tac-used"
    assert why("sublight", 9) == "tac-not-paid"
    assert why("sublight", 8, maneuvers=4, used=(8,), sublight=True) == "one-tac"
    assert why("warp", 8, maneuvers=4, sublight=True, sublight_used=8) == "one-tac"
    assert why("warp", 9, maneuvers=4, sublight=True, sublight_used=8) == ""
    with pytest.raises(ValueError, match="no kind"):
        movement.verify_tac("impulse", impulse=3, impulses=32)


# --- phaser-G, fusion beams, reserve ----------------------------------------------------------------------


def test_a_point_pays_for_all_shots_of_a_phaser_g_in_a_turn() -> None:
    assert weapons.shots("phG") == 4
    assert [weapons.shot_cost("phG", fired) for fired in range(4)] == [1.0, 0.0, 0.0, 0.0]
    assert ask("capacitor after", content=2.0, type="phG", shots=4) == 1.0
    assert ask("capacitor after", content=2.0, type="phG", shots=2, before=2) == 2.0
    assert ask("capacitor after", content=2.0, type="ph3", shots=1) == 1.5
    with pytest.raises(ValueError, match="1 points are needed"):
        ask("capacitor after", content=0.5, type="phG", shots=1)


class Weapon(NamedTuple):
    kind: str
    working: bool = True


def test_the_capacitor_of_a_ship_with_phaser_gs() -> None:
    assert power.capacity([Weapon("ph2"), Weapon("ph2"), Weapon("phG"), Weapon("phG", False)]) == 3.0


def fires(kind: str, moment: int, fired: int | None, shots: int, energy: float = 9.0, charge: str = "") -> str:
    named: dict[str, Any] = {
        "kind": kind, "name": "X", "working": True, "charge": charge, "fired": fired, "moment": moment, "impulses": 32,
        "range": 2, "max_range": None, "in_arc": True, "energy": energy, "shots": shots,
    }  # fmt: skip
    try:
        direct_fire.verify_fire(**named)
    except NotAllowed as refused:
        assert not whether(direct_fire.verify_fire)(**named)
        return refused.code
    assert whether(direct_fire.verify_fire)(**named)
    return ""


def test_a_phaser_g_fires_four_times_and_then_waits_a_quarter_turn() -> None:
    assert [fires("phG", 20, 20, shots) for shots in (1, 2, 3, 4)] == ["", "", "", "already-fired"]
    assert fires("phG", 33, 32, 1) == "quarter-turn"
    assert fires("phG", 40, 32, 4) == ""
    assert fires("phG", 20, 20, 1, energy=0.0) == ""
    assert fires("phG", 20, None, 1, energy=0.5) == "not-armed"
    assert fires("phG", 40, 32, 4, energy=0.5) == "not-armed"
    assert fires("ph1", 20, 20, 1) == "already-fired"


def test_a_fusion_beam_takes_two_points_and_scores_by_range() -> None:
    facts = replace(CA, tubes=(Tube(name="FUS A", kind="fusion"),))
    done = allot(facts, line("FUS A", 2))
    assert (done.faults, done.weapons["FUS A"].charge, amounts(done)[10]) == ((), "powered", 2)
    assert codes(facts, line("FUS A", 1)) == ["fusion-amount"]
    assert fires("fusion", 5, None, 1, charge="powered") == ""
    assert fires("fusion", 5, None, 1) == "not-armed"
    assert direct_fire.direct_fire("fusion", 0, 0, 1) == (True, 13)
    assert direct_fire.direct_fire("fusion", 1, 1, 6) == (True, 4)
    assert direct_fire.direct_fire("fusion", 20, 20, 3) == (False, 0)
    assert direct_fire.direct_fire("fusion", 2, 2, 3, direct_fire.drone_modifier("fusion")) == (True, 3)
    assert direct_fire.direct_fire("fusion", 2, 2, 5, direct_fire.drone_modifier("fusion")) == (False, 0)
    with pytest.raises(NotAllowed, match="maximum of 24"):
        direct_fire.verify_range("fusion", 25)


@pytest.mark.parametrize(
    ("use", "given", "code"),
    [("shield", {}, ""), ("tractor", {}, ""), ("transporters", {}, ""), ("ph1", {}, ""), ("disruptor", {}, ""),
     ("fusion", {}, ""), ("photon", {}, "reserve-arming"), ("plasmaS", {}, "reserve-arming"),
     ("plasma", {}, "reserve-arming"), ("plasma", {"rolling": True}, ""), ("repair", {}, "reserve-repair"),
     ("movement", {}, "reserve-use"), ("general", {}, "reserve-use"), ("cloak", {}, "reserve-use"),
     ("drone_rack", {}, "reserve-arming"), ("shield", {"points": 3}, "reserve-short")],
)  # fmt: skip
def test_what_batteries_pay_for_inside_a_turn(use: str, given: dict[str, Any], code: str) -> None:
    named = {"points": 1, "stored": 2, **given}
    assert whether(power.verify_reserve)(use, **named) is (code == "")
    if code:
        with pytest.raises(NotAllowed) as refused:
            power.verify_reserve(use, **named)
        assert refused.value.code == code
