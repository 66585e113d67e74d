"""Plasma torpedoes (FP) and the cloaking device (G13)."""

from __future__ import annotations

import pytest

from pbem.data import charts
from pbem.data.ships import ship_class, ship_keys
from pbem.data.terms import CloakState, WeaponState
from pbem.errors import NotAllowed
from pbem.rules import plasma, sensors
from pbem.rules.hexes import arcs_of
from pbem.rules.leave import whether
from pbem.rules.sensors import effective_range
from pbem.rules.weapons import family


def code(excinfo: pytest.ExceptionInfo[NotAllowed]) -> str:
    return excinfo.value.code


# --- plasma -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "travelled", "points"),
    [("plasmaS", 0, 30), ("plasmaS", 10, 30), ("plasmaS", 11, 22), ("plasmaS", 25, 1), ("plasmaS", 26, 0),
     ("plasmaR", 1, 50), ("plasmaR", 30, 1), ("plasmaG", 16, 10), ("plasmaF", 5, 20), ("plasmaF", 6, 15)],
)  # fmt: skip
def test_a_torpedo_grows_weaker_the_farther_it_flies_fp1_5(kind: str, travelled: int, points: int) -> None:
    assert plasma.strength(kind, travelled) == points


def test_endurance_is_the_last_hex_with_strength_fp1_4() -> None:
    assert plasma.endurance("plasmaS") == 25
    for kind in ("plasmaR", "plasmaS", "plasmaG", "plasmaF"):
        end = plasma.endurance(kind)
        assert plasma.strength(kind, end) > 0
        assert plasma.strength(kind, end + 1) == 0
        falling = [plasma.strength(kind, hexes) for hexes in range(end + 2)]
        assert falling == sorted(falling, reverse=True)


@pytest.mark.parametrize(("hits", "points"), [(0, 30), (1, 30), (2, 29), (5, 28), (59, 1), (60, 0), (80, 0)])
def test_two_points_of_phaser_damage_take_one_fp1_6(hits: int, points: int) -> None:
    assert plasma.warhead("plasmaS", 1, hits) == points


def test_only_phasers_harm_a_torpedo_fp1_6() -> None:
    plasma.verify_shot_at_plasma("ph3")
    for kind in ("photon", "disruptor", "fusion"):
        with pytest.raises(NotAllowed) as refused:
            plasma.verify_shot_at_plasma(kind)
        assert code(refused) == "only-phasers"


@pytest.mark.parametrize(("warhead", "points"), [(30, 8), (22, 6), (15, 4), (10, 3), (5, 1), (1, 0)])
def test_feedback_is_a_quarter_halves_up_fp1_8(warhead: int, points: int) -> None:
    assert plasma.feedback(warhead) == points


def test_feedback_asks_that_nobody_has_moved_fp1_8() -> None:
    assert plasma.feeds_back(launched_in="1010", target_then="1010", target_moved=False)
    assert not plasma.feeds_back(launched_in="1010", target_then="1010", target_moved=True)
    assert not plasma.feeds_back(launched_in="1010", target_then="1010", target_moved=False, launcher_moved=True)
    assert not plasma.feeds_back(launched_in="1010", target_then="1011", target_moved=False)


def test_launchers_fixed_and_swivel_fp3() -> None:
    assert plasma.launch_facings("C", "fixed", "FA") == ("C",)
    assert plasma.launch_facings("A", "swivel", "LF+L") == ("A", "F", "E")
    assert plasma.launch_facings("A", "swivel", "RF+R") == ("A", "B", "C")
    assert plasma.launch_facings("D", "swivel", "RF+R") == ("D", "E", "F")
    assert plasma.target_arc("fixed", "FA") == "FA"
    assert arcs_of(plasma.target_arc("swivel", "LP")) == {"LF", "L", "RF"}
    assert plasma.launch_facings("A", "swivel", "LP") == plasma.launch_facings("A", "swivel", "LF+L")
    with pytest.raises(ValueError, match="LF\\+R"):
        plasma.tube("swivel", "LF+R")


def test_every_tube_on_every_ship_and_chart_is_known() -> None:
    tubes = [weapon for key in ship_keys() for weapon in ship_class(key).weapons if weapon.kind.startswith("plasma")]
    assert len(tubes) > 5
    for weapon in tubes:
        assert weapon.mount in ("fixed", "swivel")
        assert arcs_of(plasma.target_arc(weapon.mount, weapon.arc))
    for arc, tube in charts.plasma_chart().swivel.items():
        assert arcs_of(arc) <= arcs_of(tube.targets)
        assert set(tube.directions) <= set(range(1, 7))


def launch(**changed: object) -> str:
    given: dict[str, object] = {
        "name": "PLAS A", "charge": "armed", "moment": 40, "impulses": 16, "facing": "B", "ship_facing": "B",
        "mount": "fixed", "arc": "FA", "target_in_arc": True,
    }  # fmt: skip
    given |= changed
    allowed = whether(plasma.verify_launch)(**given)  # type: ignore[arg-type]
    try:
        plasma.verify_launch(**given)  # type: ignore[arg-type]
    except NotAllowed as refused:
        assert not allowed
        return refused.code
    assert allowed
    return ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        ({"charge": "arming"}, "not-armed"),
        ({"charge": ""}, "not-armed"),
        ({"target_in_arc": False}, "out-of-arc"),
        ({"facing": "C"}, "launch-direction"),
        ({"facing": "C", "mount": "swivel", "arc": "RF+R"}, ""),
        ({"facing": "A", "mount": "swivel", "arc": "RF+R"}, "launch-direction"),
        ({"lock_on": False}, "no-lock-on"),
        ({"destroyed": 36}, ""),
        ({"destroyed": 35}, "weapon-destroyed"),
    ],
)
def test_when_a_tube_may_launch(changed: dict[str, object], said: str) -> None:
    assert launch(**changed) == said


def test_a_destroyed_tube_launches_for_a_quarter_turn_even_into_the_next_fp1_7() -> None:
    assert [plasma.last_moment(15, impulses) for impulses in (8, 16, 32)] == [17, 19, 23]
    assert family("plasmaS").outlives(WeaponState.ARMED)
    assert not family("plasmaS").outlives(WeaponState.ARMING)


def test_only_type_f_is_armed_at_the_start_fp1_23() -> None:
    assert [bool(family(f"plasma{letter}").at_set_up().charge) for letter in "SRGF"] == [False, False, False, True]


def test_reserve_power_completes_a_rolling_delay_h7_2() -> None:
    assert family("plasmaS").to_finish(WeaponState.ROLLING) == 2
    assert family("plasmaR").to_finish(WeaponState.ROLLING) == 3
    assert family("plasmaS").to_finish(WeaponState.ARMED) is None
    assert family("plasmaS").to_finish(WeaponState.ARMING) is None


# --- cloak ------------------------------------------------------------------------------------------------


def test_the_cadet_cloak_works_by_the_turn_g13_34() -> None:
    hidden = sensors.cadet_veil(True, False, 1)
    assert (hidden.lock_on, hidden.silent, hidden.hidden) == (False, True, True)
    assert sensors.cadet_veil(False, False, 1) == sensors.OPEN
    assert [sensors.cadet_veil(False, True, impulse).silent for impulse in (1, 2)] == [True, False]
    assert effective_range(3, hidden=True) == 11
    assert effective_range(0, hidden=True) == 5


def test_cloaking_is_paid_by_the_turn() -> None:
    sensors.verify_cloak_energy(8, 8)
    sensors.verify_cloak_energy(8, 0)
    sensors.verify_cloak_energy(None, 0)
    with pytest.raises(NotAllowed) as refused:
        sensors.verify_cloak_energy(8, 6)
    assert code(refused) == "cloak-amount"
    with pytest.raises(NotAllowed) as refused:
        sensors.verify_cloak_energy(None, 6)
    assert code(refused) == "no-cloak"


def test_fading_out_and_in_takes_four_impulses_g13_0() -> None:
    out = [sensors.veil(CloakState.CLOAKING, 10, moment) for moment in range(10, 16)]
    assert [now.addition for now in out] == [1, 2, 3, 4, 5, 5]
    assert [now.lock_on for now in out] == [True] * 4 + [False] * 2
    assert [now.hidden for now in out] == [False] * 4 + [True] * 2
    assert all(now.silent for now in out)
    into = [sensors.veil(CloakState.UNCLOAKING, 10, moment) for moment in range(10, 15)]
    assert [now.addition for now in into] == [4, 3, 2, 1, 0]
    assert all(now.lock_on for now in into)
    assert [now.silent for now in into] == [True] * 4 + [False]
    with pytest.raises(ValueError, match="cloaked"):
        sensors.veil(CloakState.CLOAKED, 1, 1)


def test_when_a_ship_may_cloak_and_uncloak() -> None:
    turn = 32
    assert whether(sensors.verify_cloak)(paid=True, status=CloakState.OFF, since=0, moment=5, impulses=turn)
    assert not whether(sensors.verify_cloak)(paid=False, status=CloakState.OFF, since=0, moment=5, impulses=turn)
    assert not whether(sensors.verify_cloak)(paid=True, status=CloakState.CLOAKING, since=1, moment=40, impulses=turn)
    assert not whether(sensors.verify_cloak)(
        paid=True, status=CloakState.UNCLOAKING, since=34, moment=50, impulses=turn
    )
    assert whether(sensors.verify_cloak)(paid=True, status=CloakState.UNCLOAKING, since=30, moment=40, impulses=turn)
    assert whether(sensors.verify_uncloak)(status=CloakState.CLOAKING, since=30, moment=40, impulses=turn)
    assert not whether(sensors.verify_uncloak)(status=CloakState.CLOAKING, since=34, moment=40, impulses=turn)
    assert not whether(sensors.verify_uncloak)(status=CloakState.OFF, since=0, moment=40, impulses=turn)


def test_a_cloak_not_paid_for_fades_in_when_the_turn_begins() -> None:
    assert sensors.start_of_turn(CloakState.CLOAKING, 3, False, 33) == ("uncloaking", 33)
    assert sensors.start_of_turn(CloakState.CLOAKING, 3, True, 33) == ("cloaking", 3)
    assert sensors.start_of_turn(CloakState.UNCLOAKING, 31, True, 33) == ("uncloaking", 31)
    assert sensors.start_of_turn(CloakState.UNCLOAKING, 20, True, 33) == ("", 0)
    assert sensors.start_of_turn(CloakState.OFF, 0, True, 33) == ("", 0)
    for passed in range(8):  # a ship that has faded in is out of cloak when the turn begins, not before
        open_now = sensors.veil(CloakState.UNCLOAKING, 33 - passed, 33) == sensors.OPEN
        status, _ = sensors.start_of_turn(CloakState.UNCLOAKING, 33 - passed, False, 33)
        assert (status == CloakState.OFF) == open_now == (passed >= 4)


def test_no_weapon_speaks_under_cloak() -> None:
    sensors.verify_not_silent(sensors.OPEN, "PH 1")
    with pytest.raises(NotAllowed) as refused:
        sensors.verify_not_silent(sensors.veil(CloakState.CLOAKING, 10, 11), "PH 1")
    assert code(refused) == "cloaked"


@pytest.mark.parametrize(("die", "points"), [(1, 0), (4, 0), (5, 7), (6, 7)])
def test_seeking_weapons_miss_a_cloaked_ship_or_do_half_g13_34(die: int, points: int) -> None:
    assert sensors.seeking_points(die, 15) == points


def test_half_may_be_rounded_up_by_option() -> None:
    assert sensors.seeking_points(5, 15, "up") == 8
    assert sensors.seeking_points(5, 12, "up") == sensors.seeking_points(5, 12) == 6
    with pytest.raises(ValueError, match="sideways"):
        sensors.seeking_points(5, 12, "sideways")
