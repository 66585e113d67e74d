"""Tractor beams, transporters, laboratories and probes (G4, G5, G7, G8)."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pbem.data.ships import ship_class
from pbem.data.terms import Purpose
from pbem.errors import NotAllowed
from pbem.rules import science, tractors, transporters
from pbem.rules.leave import whether
from pbem.rules.science import EMPTY, Probe
from pbem.rules.tractors import BeamLink

# --- tractors ---------------------------------------------------------------------------------------------


def beam(**changed: object) -> str:
    given: dict[str, object] = {
        "beam": "A", "working": 2, "powered": 1, "used": 0, "linked": False, "released": None, "moment": 40,
        "impulses": 32,
    }  # fmt: skip
    try:
        tractors.verify_beam(**(given | changed))  # type: ignore[arg-type]
    except NotAllowed as refused:
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"beam": "C"}, "no-tractor"),
        ({"working": 0}, "no-tractor"),
        ({"linked": True}, "tractor-busy"),
        ({"used": 1}, "tractor-unpowered"),
        ({"released": 33}, "tractor-used"),
        ({"released": 32, "moment": 39}, "tractor-reuse"),
        ({"released": 32}, ""),
    ],
)
def test_when_a_beam_may_be_used(changed: dict[str, object], said: str) -> None:
    assert beam(**changed) == said


@pytest.mark.parametrize(
    ("kind", "own", "range", "said"),
    [
        ("freighter", False, 1, ""),
        ("freighter", True, 0, ""),
        ("freighter", False, 2, "tractor-range"),
        ("ship", False, 0, "tractor-target"),
        ("ship", True, 0, "tractor-target"),
        ("plasma", False, 0, "tractor-plasma"),
        ("drone", False, 1, ""),
        ("drone", True, 1, "tractor-own-seeker"),
        ("suicide shuttle", True, 1, "tractor-own-seeker"),
        ("suicide shuttle", False, 1, ""),
        ("shuttle", True, 1, ""),
        ("monster", False, 1, ""),
    ],
)
def test_what_a_beam_may_hold_g7_26_to_g7_32(kind: str, own: bool, range: int, said: str) -> None:
    if not said:
        tractors.verify_hold(target="it", kind=kind, own=own, range=range)
        return
    with pytest.raises(NotAllowed) as refused:
        tractors.verify_hold(target="it", kind=kind, own=own, range=range)
    assert refused.value.code == said


def test_a_shuttle_on_a_planet_is_out_of_reach() -> None:
    with pytest.raises(NotAllowed, match="planet"):
        tractors.verify_hold(target="S", kind="shuttle", own=False, range=0, landed=True)


@pytest.mark.parametrize(
    ("warp", "impulse", "cost", "freighters", "speed"),
    [(10, 1, "2/3", 0, 16), (10, 1, "2/3", 1, 11), (10, 1, "2/3", 2, 8), (20, 0, "1", 1, 15), (0, 1, "1", 1, 1)],
)
def test_towing_slows_the_ship_g7_4(warp: int, impulse: int, cost: str, freighters: int, speed: int) -> None:
    assert tractors.towing_speed(warp, impulse, Fraction(cost), freighters) == speed


def test_links_last_as_long_as_they_are_paid_for_g7_33() -> None:
    links = (BeamLink("B", "A", "Y"), BeamLink("A", "B", "X"), BeamLink("A", "A", "W"))
    kept, ended = tractors.start_of_turn(links, {"A": 1})
    assert kept == (BeamLink("A", "A", "W"),)
    assert set(ended) == {BeamLink("A", "B", "X"), BeamLink("B", "A", "Y")}
    assert tractors.start_of_turn(links, {"A": 2, "B": 2})[1] == ()


def test_destroyed_beams_let_go_g7_34() -> None:
    links = (BeamLink("A", "A", "X"), BeamLink("A", "B", "Y"), BeamLink("B", "A", "Z"))
    assert tractors.to_release(links, "A", 2) == ()
    assert tractors.to_release(links, "A", 1) == (BeamLink("A", "B", "Y"),)
    assert tractors.to_release(links, "A", 1, first=("A",)) == (BeamLink("A", "A", "X"),)
    assert len(tractors.to_release(links, "A", 0)) == 2


def test_what_is_held_keeps_a_parallel_course_g7_31() -> None:
    assert tractors.follow("1112", "1212", "1211") == "1111"
    assert tractors.follow("1212", "1212", "1211") == "1211"
    assert tractors.follow("1112", "1212", "1212") == "1112"


def test_drones_in_a_beam_g7_52() -> None:
    assert tractors.loses_tracking("drone", own=True)
    assert not tractors.loses_tracking("drone", own=False)
    assert not tractors.loses_tracking("shuttle", own=True)
    assert tractors.can_strike(held=False)
    assert not tractors.can_strike(held=True)
    assert tractors.energy_for(3) == 3


# --- transporters -----------------------------------------------------------------------------------------


def test_five_transporters_a_point_g8_13() -> None:
    assert [transporters.energy_for(count) for count in (0, 1, 5, 6, 10)] == [0, 1, 1, 2, 2]
    assert transporters.energy_for(2, fractional=True) == Fraction(2, 5)
    assert transporters.operated(1, 3) == 3
    assert transporters.operated(1, 8) == 5
    assert transporters.operated(Fraction(2, 5), 5, fractional=True) == 2
    assert transporters.operated(Fraction(2, 5), 5) == 0
    assert transporters.carried(3) == transporters.needed(3) == 3


def beam_over(**changed: object) -> str:
    given: dict[str, object] = {
        "wanted": 2, "working": 5, "used": 1, "powered": 5, "range": 5, "own_shield_down": True,
    }  # fmt: skip
    given |= changed
    allowed = whether(transporters.verify_transport)(**given)  # type: ignore[arg-type]
    try:
        transporters.verify_transport(**given)  # type: ignore[arg-type]
    except NotAllowed as refused:
        assert not allowed
        return refused.code
    assert allowed
    return ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"wanted": 6}, "no-transporter"),
        ({"wanted": 0}, "no-transporter"),
        ({"used": 4}, "transporter-used"),
        ({"powered": 2}, "transporter-unpowered"),
        ({"range": 6}, "transporter-range"),
        ({"own_shield_down": False}, "own-shield-up"),
        ({"own_general": 1}, "own-reinforcement"),
        ({"enemy_cargo": True}, "transporter-enemy"),
        ({"enemy_cargo": True, "permitted": True}, ""),
    ],
)
def test_when_transporters_may_act(changed: dict[str, object], said: str) -> None:
    assert beam_over(**changed) == said


def test_the_other_ship_s_shields_make_an_attempt_fail_g8_23() -> None:
    assert transporters.fails(target_shield_boxes=0, target_general=0) == ""
    assert transporters.fails(target_shield_boxes=12, target_general=0, lowered=True) == ""
    assert "G8.21" in transporters.fails(target_shield_boxes=1, target_general=0)
    assert "G8.23" in transporters.fails(target_shield_boxes=0, target_general=1)
    assert "G8.23" in transporters.fails(target_shield_boxes=12, target_general=1, lowered=True)


@pytest.mark.parametrize(("impulses", "after"), [(8, 2), (16, 4), (32, 8)])
def test_a_lowered_shield_stays_so_for_a_quarter_turn_g8_22(impulses: int, after: int) -> None:
    transporters.verify_raise(shield=1, dropped=7, moment=7 + after, impulses=impulses)
    with pytest.raises(NotAllowed) as refused:
        transporters.verify_raise(shield=1, dropped=7, moment=6 + after, impulses=impulses)
    assert refused.value.code == "quarter-turn"
    with pytest.raises(NotAllowed, match="not lowered"):
        transporters.verify_raise(shield=1, dropped=None, moment=9, impulses=impulses)
    with pytest.raises(NotAllowed, match="already"):
        transporters.verify_drop(shield=1, lowered=True)
    transporters.verify_drop(shield=1, lowered=False)


# --- labs and probes --------------------------------------------------------------------------------------


def test_information_is_the_chart_times_the_labs_g4_1() -> None:
    ca = ship_class("std_fed_ca_cth").boxes
    assert science.lab_information(3, 2, ca) == 6 * 8
    assert science.lab_information(3, 2, ca, shuttles=(0, 8)) == 6 * 8 + 8 + 0
    assert science.lab_information(1, 11, ca) == 0
    assert science.lab_information(3, 2, ca, shuttles=(0,), cloaked=True) == 8
    for die in range(1, 7):
        assert [science.each_lab(die, far) for far in range(12)] == [max(0, 11 - die - far) for far in range(12)]


def test_a_control_space_stands_in_for_a_lab_g4_3() -> None:
    assert science.working_labs({"lab": 0, "bridge": 2, "emer": 1}) == 1
    assert science.working_labs({"lab": 3, "bridge": 2}) == 3
    assert science.working_labs({"security": 2, "bridge": 0}) == 0
    assert science.closest([9, 4, 7]) == 4
    assert science.closest([]) is None


def test_arming_an_instrument_g5_2() -> None:
    once = science.arm(EMPTY, Purpose.INFORMATION, 1, left=5)
    twice = science.arm(once, Purpose.INFORMATION, 1, left=5)
    held = science.arm(twice, Purpose.INFORMATION, 1, left=5)
    assert [probe.armed for probe in (once, twice, held)] == [False, True, True]
    assert science.arm(twice, Purpose.INFORMATION, 0, left=5) == EMPTY
    with pytest.raises(NotAllowed, match="1 points"):
        science.arm(EMPTY, Purpose.INFORMATION, 2, left=5)


def test_arming_a_weapon_g5_32() -> None:
    once = science.arm(EMPTY, Purpose.WEAPON, 2, left=5)
    twice = science.arm(once, Purpose.WEAPON, 2, left=5)
    assert [probe.armed for probe in (once, twice)] == [False, True]
    assert not science.arm(twice, Purpose.WEAPON, 2, left=5).armed, "it cannot be held"
    assert not science.arm(Probe(Purpose.INFORMATION, 1), Purpose.WEAPON, 2, left=5).armed
    for changed, said in (
        ({"warp": False}, "probe-not-warp"),
        ({"left": 0}, "no-ammo"),
        ({"working": False}, "weapon-destroyed"),
    ):
        with pytest.raises(NotAllowed) as refused:
            science.arm(EMPTY, "weapon", 2, **({"left": 5} | changed))  # type: ignore[arg-type]
        assert refused.value.code == said


def fire_probe(**changed: object) -> str:
    given: dict[str, object] = {
        "ready": Probe(Purpose.WEAPON, 2), "left": 5, "range": 6, "ahead": True, "crippled": False, "outnumbered": True,
        "directed": False,
    }  # fmt: skip
    try:
        science.verify_weapon(**(given | changed))  # type: ignore[arg-type]
    except NotAllowed as refused:
        return refused.code
    return ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"outnumbered": False}, "probe-emergency"),
        ({"outnumbered": False, "crippled": True}, ""),
        ({"outnumbered": False, "directed": True}, ""),
        ({"ahead": False}, "not-ahead"),
        ({"range": 7}, "out-of-range"),
        ({"ready": Probe(Purpose.INFORMATION, 2)}, "not-armed"),
        ({"ready": Probe(Purpose.WEAPON, 1)}, "not-armed"),
        ({"left": 0}, "no-ammo"),
        ({"working": False}, "weapon-destroyed"),
    ],
)
def test_when_a_probe_is_a_weapon(changed: dict[str, object], said: str) -> None:
    assert fire_probe(**changed) == said


def test_an_instrument_is_launched_in_any_direction_within_six_hexes() -> None:
    science.verify_information(ready=Probe(Purpose.INFORMATION, 2), left=1, range=6)
    with pytest.raises(NotAllowed, match="6"):
        science.verify_information(ready=Probe(Purpose.INFORMATION, 2), left=1, range=7)
    assert science.probe_information() == 20


@pytest.mark.parametrize(
    ("die", "range", "hit"), [(1, 0, True), (1, 1, True), (2, 3, False), (3, 3, True), (6, 6, True)]
)
def test_a_probe_hits_with_no_less_than_the_range_g5_34(die: int, range: int, hit: bool) -> None:
    assert science.hits(die, range) is hit
    assert science.warhead() == 8


def test_dead_ahead_is_the_row_of_hexes_before_the_ship() -> None:
    assert science.dead_ahead("1010", "A", "1005")
    assert science.dead_ahead("1010", "A", "1010")
    assert not science.dead_ahead("1010", "A", "1015")
    assert not science.dead_ahead("1010", "A", "1105")


def test_half_of_the_internal_boxes_cripple_a_ship() -> None:
    whole = {"hull": 6, "lab": 2, "armor": 5, "excess": 3}
    assert not science.crippled(whole, whole | {"hull": 2}, 2, 2)
    assert science.crippled(whole, whole | {"hull": 2}, 2, 1)
    assert not science.crippled(whole, whole | {"armor": 0, "excess": 0}, 2, 2)


def test_the_question_answers_what_the_check_would_say() -> None:
    assert whether(tractors.verify_hold)(target="it", kind="drone", own=False, range=1)
    assert not whether(tractors.verify_hold)(target="it", kind="drone", own=False, range=2)
    assert "verify_hold" in (whether(tractors.verify_hold).__doc__ or "")
