"""The energy form, line by line (B3.0, C2.12, E3.2, E4.2, H6)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import given, strategies as st

from pbem.data.terms import WeaponState
from pbem.rules import energy_form
from pbem.rules.energy_form import Allotment, Plant, ShipFacts, Tube
from pbem.rules.power import after_loss, capacity


class Line(NamedTuple):
    """An entry as the order reader hands it over."""

    item: str
    parts: tuple[tuple[str, Fraction], ...] = ()
    verb: str = ""
    shield: int = 0
    line: int = 0
    column: int = 1


def form(text: str) -> list[Line]:
    """``PHASERS 2; PHOT A 2 WARP.

    REINFORCE #1 4``: a little reader for these tests, so that they stand alone.
    """
    lines = []
    for number, order in enumerate(filter(None, (part.strip() for part in text.split(";"))), start=1):
        words = order.replace("+", " ").replace(" WITH ", " ").split()
        item, parts, verb, shield = list[str](), list[tuple[str, Fraction]](), "", 0
        for word in words:
            if word in ("HOLD", "EJECT"):
                verb = word
            elif word.startswith("#"):
                shield = int(word[1:])
            elif item in (["PH"], ["DRONE"]):
                item.append(word)
            elif word.replace(".", "").replace("-", "").isdigit():
                parts.append(("", Fraction(word)))
            elif parts:
                parts[-1] = (word, parts[-1][1])
            else:
                item.append(word)
        lines.append(Line(" ".join(item), tuple(parts), verb, shield, number))
    return lines


FED = ShipFacts(
    acceleration=8,
    multiple=1,
    max_speed=16,
    plant=Plant(warp=16, impulse=2, apr=2, batteries=2, battery_boxes=2),
    tubes=(Tube(name="PHOT A", kind="photon"), Tube(name="PHOT B", kind="photon")),
    prior_speed=16,
    capacity=3.0,
    shields=(16, 12, 10, 10, 10, 12),
    full_shields=(16, 12, 10, 10, 10, 12),
)
D6 = ShipFacts(
    acceleration=8,
    multiple=1,
    max_speed=16,
    plant=Plant(warp=16, impulse=2, apr=2, batteries=2, battery_boxes=2),
    tubes=(
        Tube(name="DISR A", kind="disruptor"),
        Tube(name="DISR B", kind="disruptor"),
        Tube(name="DRONE 1", kind="drone_rack"),
        Tube(name="PH 1", kind="ph2"),
    ),
    prior_speed=16,
    capacity=4.0,
    shields=(16, 12, 8, 8, 8, 12),
    full_shields=(16, 12, 8, 8, 8, 12),
)


def changed(facts: ShipFacts, **changes: Any) -> ShipFacts:
    from msgspec.structs import replace

    return replace(facts, **changes)


def allot(facts: ShipFacts, text: str) -> Allotment:
    return energy_form.allot(form(text), facts)


def codes(facts: ShipFacts, text: str) -> list[str]:
    return [fault.code for fault in allot(facts, text).faults]


def amounts(allotment: Allotment) -> dict[int, int]:
    """Points by line of the form."""
    found: dict[int, int] = {}
    for line in allotment.balance:
        found[line.number] = found.get(line.number, 0) + line.amount
    return found


def test_a_whole_form_of_the_federation_cruiser() -> None:
    done = allot(FED, "PHASERS 2; PHOT A 2; PHOT B 2; MOVE 12 WARP + 1 IMPULSE; GENERAL 1")
    assert done.faults == ()
    assert (done.speed, done.capacitor, done.batteries, done.general) == (13, 2.0, 2, 0)
    assert done.weapons == {"PHOT A": ("arming", 1), "PHOT B": ("arming", 1)}
    lines = amounts(done)
    assert (lines[1], lines[2], lines[3], lines[4], lines[5], lines[6]) == (16, 2, 2, 20, 2, 0)
    assert (lines[9], lines[10], lines[12], lines[14], lines[20], lines[21]) == (2, 4, 1, 13, 20, 0)
    assert done.lines == (
        "PHASERS 2 APR", "PHOT A 2 WARP", "PHOT B 2 WARP", "GENERAL 1", "MOVE 12 WARP + 1 IMPULSE",
    )  # fmt: skip
    assert done.chosen == ("PHASERS 2 APR", "PHOT A 2 WARP", "PHOT B 2 WARP")


def test_the_normal_form_of_a_form_asks_for_the_same() -> None:
    done = allot(D6, "PHASERS 2.5; DISR A 2; SPEED 12; REINFORCE #1 WITH 2; RECHARGE 0")
    again = allot(D6, "; ".join(done.lines))
    assert done.faults == again.faults == ()
    assert (again.speed, again.capacitor, again.weapons, again.specific, again.batteries) == (
        done.speed, done.capacitor, done.weapons, done.specific, done.batteries,
    )  # fmt: skip
    assert again.lines == done.lines


@pytest.mark.parametrize("text", ["MOVE 7 WARP + 1 IMPULSE", "MOVE 8 WARP", "SPEED 8", "MOVE 8"])
def test_speed_8_takes_8_warp_or_7_and_a_point_of_impulse(text: str) -> None:
    done = allot(FED, text)
    assert (done.faults, done.speed, amounts(done)[14]) == ((), 8, 8)


def test_two_photons_leave_a_top_speed_of_13() -> None:
    assert codes(FED, "PHOT A 2; PHOT B 2; SPEED 13") == []
    assert codes(FED, "PHOT A 2; PHOT B 2; SPEED 14") == ["warp-overspent"]


def test_batteries_make_up_what_line_20_exceeds_line_4() -> None:
    first = allot(FED, "MOVE 16 WARP; PHASERS 3; GENERAL 3")
    assert (first.faults, first.batteries, amounts(first)[20], amounts(first)[21]) == ((), 0, 22, 2)
    empty = changed(FED, plant=Plant(warp=16, impulse=2, apr=2, batteries=0, battery_boxes=2), capacitor=3.0)
    assert codes(empty, "MOVE 16 WARP; GENERAL 5") == ["energy-overspent"]
    second = allot(empty, "MOVE 16 WARP; RECHARGE 2; GENERAL 2")
    assert (second.faults, second.batteries) == ((), 2)
    assert codes(empty, "RECHARGE 3") == ["recharge-too-much"]
    assert codes(empty, "RECHARGE 1 BATTERY") == ["recharge-source"]


def test_batteries_cannot_recharge_batteries() -> None:
    one = changed(FED, plant=Plant(warp=2, impulse=0, apr=0, batteries=1, battery_boxes=2))
    done = allot(one, "MOVE 2 WARP; RECHARGE 1")
    assert [fault.code for fault in done.faults] == ["energy-overspent"]


def test_a_source_named_battery_is_spared_while_power_is_generated() -> None:
    done = allot(D6, "DISR A 2 BATTERY")
    assert (done.faults, done.batteries, done.lines) == ((), 2, ("DISR A 2 APR",))


def test_photons_are_armed_with_warp_power_on_two_turns_running_and_held_after() -> None:
    text = "PHOT A 2 WARP"
    assert allot(FED, text).weapons["PHOT A"] == ("arming", 1)
    half = changed(FED, tubes=(Tube(name="PHOT A", kind="photon", charge=WeaponState.ARMING, armed_turns=1),))
    assert allot(half, text).weapons["PHOT A"] == ("armed", 2)
    lost = allot(half, "SPEED 4")
    assert lost.weapons["PHOT A"] == ("", 0)
    assert any("PHOT A" in note for note in lost.notes)
    armed = changed(FED, tubes=(Tube(name="PHOT A", kind="photon", charge=WeaponState.ARMED, armed_turns=2),))
    held = allot(armed, "PHOT A HOLD")
    assert (held.weapons["PHOT A"], amounts(held)[10], held.lines) == (("armed", 2), 1, ("PHOT A HOLD",))
    assert allot(armed, "PHOT A HOLD 1 APR").faults == ()
    assert allot(armed, "").weapons["PHOT A"] == ("", 0)
    ejected = allot(armed, "PHOT A EJECT")
    assert (ejected.weapons["PHOT A"], ejected.lines) == (("", 0), ("PHOT A EJECT",))
    assert codes(armed, text) == ["photon-arming"]
    assert codes(half, "PHOT A HOLD") == ["hold-not-armed"]


def test_a_disruptor_has_its_energy_for_one_turn() -> None:
    assert allot(D6, "DISR A 2").weapons == {"DISR A": ("powered", 0), "DISR B": ("", 0)}
    powered = changed(D6, tubes=(Tube(name="DISR A", kind="disruptor", charge=WeaponState.POWERED),))
    assert allot(powered, "").weapons == {"DISR A": ("", 0)}


def test_the_capacitor_carries_over_and_holds_one_shot_for_each_phaser() -> None:
    """Three phasers: 3 in, 2 fired; 2 more fit, 1 fired; then nothing, and two may fire (H6 example)."""
    assert allot(FED, "PHASERS 3").capacitor == 3.0
    assert codes(changed(FED, capacitor=1.0), "PHASERS 3") == ["capacitor-full"]
    assert allot(changed(FED, capacitor=1.0), "PHASERS 2").capacitor == 3.0
    assert allot(changed(FED, capacitor=2.0), "").capacitor == 2.0


def test_half_points_for_phaser_3s_cost_a_whole_point_on_the_form() -> None:
    done = allot(changed(FED, capacity=2.5), "PHASERS 2.5")
    assert (done.faults, done.capacitor, amounts(done)[9]) == ((), 2.5, 3)
    assert codes(FED, "PHASERS 0.25") == ["not-whole"]


def test_a_destroyed_phaser_takes_the_empty_part_of_the_capacitor() -> None:
    class Box(NamedTuple):
        kind: str
        working: bool = True

    assert capacity([Box("ph1"), Box("ph3"), Box("ph2", False), Box("photon")]) == 1.5
    assert after_loss(1.0, 2.0) == 1.0
    assert after_loss(3.0, 2.0) == 2.0


@pytest.mark.parametrize(
    ("text", "code", "rule"),
    [
        ("SPEED 17", "too-fast", "C1.42"),
        ("MOVE 2 IMPULSE", "impulse-movement", "C2.12"),
        ("MOVE 2 APR", "movement-source", "C2.12"),
        ("PHOT A 2 APR", "photon-not-warp", "E4.23"),
        ("PHOT A 1", "photon-arming", "E4.21"),
        ("PHOT A EJECT", "nothing-to-eject", "E4.22"),
        ("PHOT C 2", "no-such-weapon", "B3.0"),
        ("DISR A 2", "no-such-weapon", "B3.0"),
        ("PH 1 1", "phaser-by-name", "H6.2"),
        ("PHASERS 4", "capacitor-full", "H6.2"),
        ("SHIELDS 2", "not-cadet", "B3.0, line 11"),
        ("LIFE SUPPORT 1", "not-cadet", "B3.0, line 7"),
        ("TRACTOR A 1", "not-cadet", "B3.0, line 17"),
        ("CLOAK 8", "not-cadet", "B3.0, line 19"),
        ("TAC 2", "not-cadet", "B3.0, line 14"),
        ("REPAIR #1 2", "no-damage-control", "D9.1"),
        ("REINFORCE #7 2", "no-such-shield", "D3.11"),
        ("GENERAL 2; GENERAL 2", "duplicate-entry", "B3.0"),
        ("MOVE 4 WARP; SPEED 5", "duplicate-entry", "B3.0"),
        ("MOVE 4.5 WARP", "not-whole", "C2.12"),
        ("MOVE -4 WARP", "negative-energy", "B3.0"),
        ("COFFEE 1", "unknown-item", "B3.0"),
        ("MOVE 16 WARP; GENERAL 7", "energy-overspent", "B3.0, line 20"),
        ("GENERAL 3 IMPULSE", "energy-overspent", "B3.0"),
    ],
)
def test_what_a_form_is_refused_for(text: str, code: str, rule: str) -> None:
    faults = allot(FED, text).faults
    assert [(fault.code, fault.rule) for fault in faults] == [(code, rule)]
    assert faults[0].line >= 1


def test_acceleration_is_limited_and_slowing_down_is_not() -> None:
    slow = changed(FED, prior_speed=5)
    assert codes(slow, "SPEED 13") == []
    assert codes(slow, "SPEED 14") == ["acceleration"]
    assert codes(slow, "") == []
    assert allot(slow, "").speed == 0


def test_all_faults_are_told_at_once() -> None:
    found = allot(D6, "DISR A 1; PHASERS 9; MOVE 3 IMPULSE; DRONE 1 2")
    assert [(fault.code, fault.line) for fault in found.faults] == [
        ("disruptor-amount", 1), ("capacitor-full", 2), ("impulse-movement", 3), ("no-energy-needed", 4),
    ]  # fmt: skip


def test_movement_takes_only_an_impulse_point_nobody_else_was_given() -> None:
    done = allot(D6, "MOVE 8; DISR A 2 IMPULSE")
    assert (done.faults, done.lines) == ((), ("DISR A 2 IMPULSE", "MOVE 8 WARP"))
    assert allot(D6, "SPEED 8; DISR A 2 IMPULSE").lines == done.lines


def test_holding_is_never_free() -> None:
    armed = changed(FED, tubes=(Tube(name="PHOT A", kind="photon", charge=WeaponState.ARMED, armed_turns=2),))
    assert amounts(allot(armed, "PHOT A 0 HOLD"))[10] == 1
    dropped = allot(armed, "PHOT A 0")
    assert (dropped.weapons["PHOT A"], len(dropped.notes)) == (("", 0), 1)


def test_reinforcement() -> None:
    done = allot(FED, "GENERAL 5; REINFORCE #1 3; REINFORCE #6 1")
    assert (done.faults, done.general, done.specific) == ((), 2, (3, 0, 0, 0, 0, 1))
    down = changed(FED, shields=(0, 12, 10, 10, 10, 12))
    assert codes(down, "REINFORCE #1 3; GENERAL 2") == ["reinforce-down"]
    assert codes(changed(FED, reinforcement=False), "GENERAL 2; REINFORCE #1 3") == ["no-reinforcement"] * 2


def test_damage_control_repairs_what_was_lost_up_to_its_rating() -> None:
    hurt = changed(FED, shields=(14, 12, 10, 10, 10, 12), damage_control=(4, 4, 2, 2, 2, 0))
    done = allot(hurt, "REPAIR #1 4")
    assert (done.faults, done.repairing) == ((), {"#1": 4})
    assert codes(hurt, "REPAIR #1 6") == ["repair-too-much"]
    odd = allot(hurt, "REPAIR #1 3")
    assert (odd.faults, odd.repairing) == ((), {"#1": 3})
    assert "1 of the 3 points repairs nothing" in odd.notes[-1]
    assert codes(hurt, "REPAIR #2 2") == codes(hurt, "REPAIR #2 1") == ["repair-undamaged"]


def test_a_destroyed_tube_takes_no_energy() -> None:
    dead = changed(FED, tubes=(Tube(name="PHOT A", kind="photon", working=False),))
    assert codes(dead, "PHOT A 2") == ["weapon-destroyed"]
    assert allot(dead, "").weapons == {}


def test_the_standard_game_pays_for_life_support_fire_control_and_shields_unless_0_is_written() -> None:
    standard = changed(FED, level="standard", plant=Plant(warp=30, impulse=4, apr=2), max_speed=31, acceleration=16)
    paid = allot(standard, "SPEED 10")
    assert (amounts(paid)[7], amounts(paid)[8], amounts(paid)[11], paid.unpaid) == (1, 1, 2, ())
    without = allot(standard, "SPEED 10; SHIELDS 0")
    assert (amounts(without)[11], without.unpaid, "SHIELDS 0" in without.lines) == (0, ("SHIELDS",), True)
    assert codes(standard, "SHIELDS 1") == ["wrong-amount"]
    other = allot(standard, "TRACTOR A; TAC 3; TRANSPORTERS 1")
    assert (other.faults, other.tactical, other.other) == ((), 3, {"TRACTOR A": 1, "TAC": 3, "TRANSPORTERS": 1})


def test_movement_of_a_light_ship_is_rounded_up() -> None:
    light = changed(FED, move_cost=Fraction(2, 3), plant=Plant(warp=10, impulse=0))
    done = allot(light, "SPEED 10")
    assert (done.faults, done.speed, amounts(done)[14]) == ((), 10, 7)
    assert allot(light, "MOVE 4 WARP").speed == 6


ITEMS = (
    "PHASERS {}", "DISR A {}", "DISR B {} WARP", "SPEED {}", "GENERAL {}", "REINFORCE #2 {}", "RECHARGE {}",
    "REINFORCE #1 {} IMPULSE",
)  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 12), max_size=6),
    st.integers(0, 16), st.integers(0, 3), st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip
def test_no_form_without_faults_spends_more_than_there_is(
    entries: dict[str, int], warp: int, impulse: int, apr: int, batteries: int
) -> None:
    facts = changed(D6, plant=Plant(warp=warp, impulse=impulse, apr=apr, batteries=batteries, battery_boxes=2))
    done = allot(facts, "; ".join(item.format(points) for item, points in entries.items()))
    if done.faults:
        return
    lines = amounts(done)
    assert lines[20] <= lines[4] + lines[5]
    assert lines[21] == max(0, lines[20] - lines[4])
    assert lines[20] == sum(lines.get(number, 0) for number in range(7, 20))
    assert done.batteries == lines[5] - lines[21] + lines[16]
    assert 0 <= done.batteries <= 2
    assert done.speed == lines[14]
    paid = [part.split() for line in done.balance if line.source for part in line.source.split(" + ")]
    for source, has in (("warp", warp), ("impulse", impulse), ("apr", apr)):
        assert sum(int(points) for points, name in paid if name == source) <= has


def test_what_the_engine_chose_is_told_where_any_point_was_left_to_it() -> None:
    assert allot(FED, "MOVE 4 WARP + 1 IMPULSE").chosen == ()
    assert allot(FED, "MOVE 4 WARP").chosen == ()
    for text in ("MOVE 5", "MOVE 4 WARP + 1", "MOVE 1 IMPULSE + 4"):
        assert allot(FED, text).chosen == ("MOVE 4 WARP + 1 IMPULSE",), text


def test_every_line_of_the_form_stands_in_the_ledger_once() -> None:
    """Lines without energy too, up to line 16; those behind only where energy is spent on them."""
    empty = [line.number for line in allot(FED, "MOVE 0").balance]
    assert sorted(empty) == [*range(1, 17), 20, 21]
    spent = [line.number for line in allot(FED, "PHASERS 1; GENERAL 2; MOVE 3").balance]
    assert sorted(spent) == sorted(empty)
