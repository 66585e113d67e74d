"""Sensors and scanners (D6.0), boarding (D7.0), damage control (D9.0), mutiny (G6.0)."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pbem.data import charts, ships
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState
from pbem.errors import NotAllowed
from pbem.rules import boarding, sensors, shields
from pbem.rules.boarding import Decks
from pbem.rules.leave import whether

D7 = ship_class("std_kli_d7")
SENSOR, SCANNER = D7.tracks["sensor"], D7.tracks["scanner"]


def code(verify: object, *given: object, **named: object) -> str:
    try:
        verify(*given, **named)  # type: ignore[operator]
    except NotAllowed as refused:
        assert refused.rule
        return refused.code
    return ""


# --- sensors ----------------------------------------------------------------------------------------------


def test_the_d7_of_the_handbook_s_example() -> None:
    """Two sensor hits, three scanner hits, a 6 for lock-on, three hexes away."""
    rating = sensors.sensor_rating(SENSOR, len(SENSOR) - 2)
    factor = sensors.scanner_factor(SCANNER, len(SCANNER) - 3)
    assert (rating, factor) == (5, 3)
    locked = sensors.locks_on(6, rating)
    assert not locked
    assert sensors.effective_range(3, locked=locked, scanner=factor) == 9
    assert sensors.locks_on(5, rating)
    assert sensors.effective_range(3, scanner=factor) == 6


def test_undamaged_sensors_need_no_die() -> None:
    for key in ships.ship_keys():
        track = ship_class(key).tracks.get("sensor")
        if track:
            assert sensors.is_automatic(sensors.sensor_rating(track, len(track)))
    assert not sensors.is_automatic(5)
    assert not sensors.locks_on(1, 6, fire_control=False)


def test_a_track_stops_at_its_last_box() -> None:
    assert (sensors.sensor_rating(SENSOR, 1), sensors.sensor_rating(SENSOR, 0)) == (0, 0)
    assert (sensors.scanner_factor(SCANNER, 1), sensors.scanner_factor(SCANNER, 0)) == (9, 9)
    assert not any(sensors.locks_on(die, 0) for die in range(1, 7))
    assert sensors.scanner_factor((), 0) == 0


@given(st.integers(0, 30), st.integers(0, 9))
def test_a_cloaked_ship_s_range_is_doubled_once_and_five_more(range_: int, scanner: int) -> None:
    for locked in (True, False):
        hidden = sensors.effective_range(range_, locked=locked, scanner=scanner, hidden=True)
        assert hidden == range_ * 2 + 5 + scanner


def test_fading_adds_to_the_range() -> None:
    for impulse, veil in enumerate(
        (sensors.veil(CloakState.CLOAKING, 10, moment) for moment in range(10, 14)), start=1
    ):
        assert sensors.effective_range(4, fading=veil.addition, hidden=veil.hidden) == 4 + impulse
    full = sensors.veil(CloakState.CLOAKING, 10, 14)
    assert sensors.effective_range(4, fading=full.addition, hidden=full.hidden) == 13
    assert sensors.effective_range(4, locked=False, fading=2) == 10


def test_what_a_ship_without_lock_on_cannot_do() -> None:
    assert code(sensors.verify_launch, "DRONE 1", False) == "no-lock-on"
    assert code(sensors.verify_launch, "DRONE 1", True, True) == "no-lock-on"
    assert code(sensors.verify_launch, "DRONE 1", True) == ""
    launches = whether(sensors.verify_launch)
    assert launches("it", True) and not launches("it", False) and not launches("it", True, True)
    assert code(sensors.verify_fire_control, "PH 1", False) == "no-fire-control"
    assert code(sensors.verify_fire_control, "PH 1", True) == ""
    assert code(sensors.verify_fire_control, "PH 1", False, sensors.NO_LOCK_ON) == ""
    with pytest.raises(ValueError, match="no reading"):
        sensors.verify_fire_control("PH 1", False, "whatever")


def test_drones_are_lost_with_the_lock_on_and_beyond_the_sensor_rating() -> None:
    guided = [f"KD/{n}" for n in range(1, 7)]
    assert sensors.lost_drones(guided, False, 6) == tuple(guided)
    assert sensors.lost_drones(guided, True, 6) == ()
    assert sensors.lost_drones(guided, True, 5) == ("KD/6",)
    assert sensors.lost_drones(guided, True, 6, 4) == ("KD/5", "KD/6")
    assert code(sensors.verify_control, "DRONE 1", 5, 6) == ""
    assert code(sensors.verify_control, "DRONE 1", 6, 6) == "control-limit"
    assert code(sensors.verify_control, "DRONE 1", 3, 3) == "control-limit"


def test_tracks_stand_among_the_boxes() -> None:
    assert sensors.track_boxes(D7.tracks) == {"sensor": 6, "scanner": 6, "damcon": 6}
    assert sensors.track_boxes({}) == {}


# --- boarding ---------------------------------------------------------------------------------------------


def test_fourteen_klingons_against_eight_as_in_the_handbook() -> None:
    assert boarding.groups(14) == (10, 4)
    assert boarding.casualties(8, [5]) == 4
    assert boarding.casualties(14, [3, 2]) == 4
    fought = boarding.fight(Decks(8, 14, 6), [5], [3, 2])
    assert (fought.decks.holders, fought.decks.raiders, fought.decks.taken) == (4, 10, 0)


def test_groups_of_ten() -> None:
    assert [boarding.groups(parties) for parties in (0, 1, 10, 11, 20, 27)] == [
        (), (1,), (10,), (10, 1), (10, 10), (10, 10, 7),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="2 groups"):
        boarding.casualties(14, [3])


def test_points_beyond_the_last_party_take_control_stations() -> None:
    fed = ship_class("std_fed_ca_cth")
    stations = boarding.control_stations(fed.boxes, fed.control_stations)
    assert stations == 6
    after = boarding.fight(Decks(1, 20, stations), [1], [6, 4]).decks
    assert (after.holders, after.taken, after.captured) == (0, 6, True)
    after = boarding.fight(Decks(4, 20, stations), [1], [6, 4]).decks
    assert (after.holders, after.taken, after.captured) == (0, 6, True)
    after = boarding.fight(Decks(5, 20, stations), [1], [6, 4]).decks
    assert (after.holders, after.taken, after.captured) == (0, 5, False)
    assert boarding.control_stations(ship_class("cadet_freighter").boxes, 2) == 2


def test_the_rest_is_taken_on_a_later_turn_and_can_be_taken_back() -> None:
    rest = Decks(0, 10, 6, 5)
    assert boarding.is_fought(rest) and not rest.captured
    assert boarding.fight(rest, [], [2]).decks.captured
    back = boarding.fight(Decks(10, 1, 6, 5), [6], [1]).decks
    assert (back.raiders, back.taken) == (0, 0)
    assert boarding.is_fought(Decks(3, 0, 6, 2))
    assert not boarding.is_fought(Decks(3, 0, 6, 0))
    assert not boarding.is_fought(Decks(0, 3, 6, 6))
    assert not boarding.is_fought(Decks(0, 0, 6, 2))


def test_both_sides_may_die_at_once() -> None:
    after = boarding.fight(Decks(1, 1, 2), [6], [6]).decks
    assert (after.holders, after.raiders, after.taken, after.captured) == (0, 0, 0, False)


def test_a_ship_without_control_stations_is_taken_with_its_last_defender() -> None:
    assert Decks(0, 1, 0).captured
    assert not Decks(1, 1, 0).captured
    assert not Decks(0, 0, 0).captured


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 8), st.data())
def test_nobody_loses_more_than_he_has(holders: int, raiders: int, stations: int, data: st.DataObject) -> None:
    die = st.integers(1, 6)
    taken = data.draw(st.integers(0, stations))
    rolls = [[data.draw(die) for _ in boarding.groups(parties)] for parties in (holders, raiders)]
    fought = boarding.fight(Decks(holders, raiders, stations, taken), *rolls)
    assert 0 <= fought.decks.holders <= holders
    assert 0 <= fought.decks.raiders <= raiders
    assert 0 <= fought.decks.taken <= stations
    if fought.decks.holders:
        assert fought.decks.taken <= taken


def test_casualties_grow_with_the_die_and_the_group() -> None:
    chart = charts.boarding()
    for row in chart.casualties:
        assert list(row) == sorted(row)
    for column in zip(*chart.casualties, strict=True):
        assert list(column) == sorted(column)


def test_the_weapons_of_a_prize_stay_silent() -> None:
    assert code(boarding.verify_weapons, "PH 1", True) == "captured"
    assert code(boarding.verify_weapons, "PH 1", False) == ""


# --- mutiny -----------------------------------------------------------------------------------------------


def test_a_mutiny_breaks_out_on_a_1_and_succeeds_on_4_to_6() -> None:
    assert [die for die in range(1, 7) if boarding.occurs(die)] == [1]
    assert [die for die in range(1, 7) if boarding.succeeds(die)] == [4, 5, 6]


@pytest.mark.parametrize(
    ("parties", "control", "modifier"), [(0, 1, 0), (3, 1, 0), (4, 1, 1), (7, 2, 1), (8, 1, 2), (0, 0, 1), (9, 0, 3)]
)
def test_enemies_aboard_and_lost_control_make_it_likelier(parties: int, control: int, modifier: int) -> None:
    assert boarding.modifier(parties, control) == modifier
    assert [die for die in range(1, 7) if boarding.occurs(die, modifier)] == list(range(1, 2 + modifier))
    assert [die for die in range(1, 7) if boarding.succeeds(die, modifier)] == list(range(max(1, 4 - modifier), 7))


def test_only_klingons_without_security_and_without_a_mutiny_roll() -> None:
    assert boarding.rolls_at_once(1, 0)
    assert not boarding.rolls_at_once(2, 1) and not boarding.rolls_at_once(0, 0)
    assert boarding.rolls_at_turn_end("klingon", 2, 0, False)
    assert not boarding.rolls_at_turn_end("klingon", 2, 1, False)
    assert not boarding.rolls_at_turn_end("klingon", 2, 0, True)
    assert not boarding.rolls_at_turn_end("federation", 0, 0, False)
    assert not boarding.can_mutiny("klingon", 0)
    assert (boarding.aftermath(0), boarding.aftermath(1)) == ("captured", "mutinous")
    assert code(boarding.verify_obeys, "Destruction", True) == "mutiny"
    assert code(boarding.verify_obeys, "Destruction", False) == ""


# --- damage control ---------------------------------------------------------------------------------------


def test_the_rating_is_the_best_box_left() -> None:
    track = D7.tracks["damcon"]
    assert [shields.rating(track, boxes) for boxes in (6, 5, 4, 3, 2, 1, 0)] == [4, 4, 2, 2, 2, 0, 0]
    assert shields.rating((), 0) == 0
    assert shields.track_left(track, 4) == (2, 2, 2, 0)


def test_shields_come_back_at_the_end_of_the_turn_and_never_beyond_the_ssd() -> None:
    full = (30, 22, 15, 13, 15, 22)
    assert shields.after_repairs((20, 0, 15, 13, 15, 22), full, {"#1": 2, "#2": 2}) == (21, 1, 15, 13, 15, 22)
    assert shields.after_repairs((30, 21, 15, 13, 15, 22), full, {"#2": 4}) == full
    assert shields.after_repairs(full, full, {}) == full
