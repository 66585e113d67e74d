"""Who may fire, and what a shot does (E1 to E4, FD1)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from pbem.data import charts
from pbem.data.chart_types import Ranged
from pbem.errors import NotAllowed
from pbem.rules import direct_fire, drones
from pbem.rules.leave import whether
from pbem.rules.weapons import family

READY: dict[str, dict[str, Any]] = {
    "ph1": {"kind": "ph1", "name": "PH 1", "charge": "", "energy": 1.0},
    "photon": {"kind": "photon", "name": "PHOT A", "charge": "armed", "energy": 0.0},
    "disruptor": {"kind": "disruptor", "name": "DISR A", "charge": "powered", "energy": 0.0},
}
NOW: dict[str, Any] = {
    "working": True, "fired": None, "moment": 20, "impulses": 16, "range": 5, "max_range": None, "in_arc": True,
}  # fmt: skip


@pytest.mark.parametrize("weapon", READY)
def test_a_ready_weapon_may_fire(weapon: str) -> None:
    direct_fire.verify_fire(**NOW | READY[weapon])
    assert whether(direct_fire.verify_fire)(**NOW | READY[weapon])


@pytest.mark.parametrize(
    ("weapon", "change", "code", "rule"),
    [
        ("ph1", {"working": False}, "weapon-destroyed", "E1.2"),
        ("ph1", {"fired": 17}, "already-fired", "E1.5"),
        ("ph1", {"fired": 20}, "already-fired", "E1.5"),
        ("ph1", {"fired": 16, "moment": 19}, "quarter-turn", "E1.5"),
        ("ph1", {"in_arc": False}, "out-of-arc", "D2.0"),
        ("ph1", {"range": 76}, "out-of-range", "E1.3"),
        ("ph1", {"energy": 0.5}, "not-armed", "H6.1"),
        ("photon", {"range": 1}, "too-close", "E4.14"),
        ("photon", {"range": 0}, "too-close", "E4.14"),
        ("photon", {"range": 31}, "out-of-range", "E4.14"),
        ("photon", {"charge": "arming"}, "not-armed", "E4.21"),
        ("photon", {"charge": ""}, "not-armed", "E4.21"),
        ("disruptor", {"charge": ""}, "not-armed", "E3.2"),
        ("disruptor", {"range": 0}, "too-close", "E3.32"),
        ("disruptor", {"range": 31}, "out-of-range", "E3.32"),
        ("disruptor", {"range": 23, "max_range": 22}, "out-of-range", "E3.32"),
        ("ph1", {"kind": "drone_rack"}, "not-direct-fire", "E1.0"),
    ],
)
def test_what_a_weapon_is_refused_for(weapon: str, change: dict[str, Any], code: str, rule: str) -> None:
    given_ = NOW | READY[weapon] | change
    with pytest.raises(NotAllowed) as refused:
        direct_fire.verify_fire(**given_)
    assert (refused.value.code, refused.value.rule) == (code, rule)
    assert not whether(direct_fire.verify_fire)(**given_)


@pytest.mark.parametrize(("impulses", "wait"), [(8, 2), (16, 4), (32, 8)])
def test_a_quarter_turn_passes_between_two_turns_shots(impulses: int, wait: int) -> None:
    """Fired on the last impulse of turn 1, it may fire from impulse ``wait`` of turn 2 on (E1.5)."""
    for impulse in range(1, wait + 1):
        given_ = NOW | READY["ph1"] | {"fired": impulses, "moment": impulses + impulse, "impulses": impulses}
        assert whether(direct_fire.verify_fire)(**given_) == (impulse >= wait)


def test_a_phaser_3_fires_with_half_a_point() -> None:
    assert whether(direct_fire.verify_fire)(**NOW | READY["ph1"] | {"kind": "ph3", "energy": 0.5})


@given(
    st.sampled_from(["ph1", "ph2", "ph3", "phG", "photon", "disruptor", "fusion"]),
    st.integers(0, 80),
    st.integers(1, 6),
)
def test_shots_score_as_their_chart_says(kind: str, range_: int, die: int) -> None:
    shot = direct_fire.direct_fire(kind, range_, range_, die)
    assert shot.hit == (shot.points > 0)
    chart = charts.chart(charts.weapon_kinds()[kind].chart)
    assert isinstance(chart, Ranged)
    if chart.column(range_) is None:
        assert shot == (False, 0)
    # A lower die is never worse, a modifier never better.
    assert direct_fire.direct_fire(kind, range_, range_, max(1, die - 1)).points >= shot.points
    assert direct_fire.direct_fire(kind, range_, range_, die, 2).points <= shot.points


@pytest.mark.parametrize(
    ("chart", "range_", "points"),
    [
        ("phaser1", 0, [9, 8, 7, 6, 5, 4]), ("phaser1", 5, [5, 4, 4, 3, 3, 2]), ("phaser1", 8, [4, 3, 3, 2, 1, 0]),
        ("phaser1", 9, [3, 2, 1, 0, 0, 0]), ("phaser1", 25, [2, 1, 0, 0, 0, 0]), ("phaser2", 0, [6, 6, 6, 5, 5, 5]),
        ("phaser2", 3, [4, 4, 4, 3, 3, 3]), ("phaser2", 8, [3, 2, 1, 1, 0, 0]), ("phaser2", 15, [2, 1, 1, 0, 0, 0]),
        ("phaser3", 1, [4, 4, 4, 4, 3, 3]), ("phaser3", 2, [4, 4, 4, 3, 2, 1]), ("phaser3", 4, [1, 1, 0, 0, 0, 0]),
        ("fusion", 0, [13, 11, 10, 9, 8, 8]),
    ],
)  # fmt: skip
def test_cells_of_the_damage_charts(chart: str, range_: int, points: list[int]) -> None:
    table = charts.damage_table(chart)
    column = table.column(range_)
    assert column is not None
    assert [row[column] for row in table.damage] == points


@pytest.mark.parametrize(
    ("chart", "range_", "hit", "points"),
    [
        ("photon", 2, 5, 8), ("photon", 4, 4, 8), ("photon", 8, 3, 8), ("photon", 12, 2, 8), ("photon", 30, 1, 8),
        ("disruptor", 1, 5, 5), ("disruptor", 2, 5, 4), ("disruptor", 4, 4, 4), ("disruptor", 15, 4, 3),
        ("disruptor", 22, 3, 2), ("disruptor", 30, 2, 2),
    ],
)  # fmt: skip
def test_cells_of_the_hit_charts(chart: str, range_: int, hit: int, points: int) -> None:
    table = charts.hit_table(chart)
    column = table.column(range_)
    assert column is not None
    assert (table.hit[column], table.damage[column]) == (hit, points)


LAUNCH: dict[str, Any] = {
    "name": "DRONE 1", "working": True, "ammo": 4, "fired": None, "moment": 20, "impulses": 16,
    "launched_this_turn": 0, "ship_limit": 1, "controlled": 0, "control_limit": 6, "target_in_fa": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({}, ""),
        ({"working": False}, "weapon-destroyed"),
        ({"ammo": 0}, "no-ammo"),
        ({"fired": 18}, "already-fired"),
        ({"fired": 15, "moment": 17}, "quarter-turn"),
        ({"fired": 15, "moment": 19}, ""),
        ({"launched_this_turn": 1}, "launch-limit"),
        ({"controlled": 6}, "control-limit"),
        ({"target_in_fa": False}, "out-of-arc"),
    ],
)
def test_launching_a_drone(change: dict[str, Any], code: str) -> None:
    if not code:
        drones.verify_launch(**LAUNCH | change)
        return
    with pytest.raises(NotAllowed) as refused:
        drones.verify_launch(**LAUNCH | change)
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("fired", "turn", "state"),
    [
        (None, 1, ("arming", 1)),
        (None, 2, ("armed", 2)),
        (None, 7, ("armed", 2)),
        (9, 3, ("arming", 1)),  # impulse 1 of turn 2, on 8 impulses
        (16, 3, ("arming", 1)),
        (16, 4, ("armed", 2)),
    ],
)
def test_the_chief_engineer_reloads_a_torpedo_in_two_turns(
    fired: int | None, turn: int, state: tuple[str, int]
) -> None:
    assert family("photon").start_of_turn(fired, turn, 8) == state


def test_what_is_harder_to_hit_with_at_a_drone_and_how_far_each_weapon_reaches() -> None:
    """Photons, disruptors and fusion beams alone find it hard (FD1.51, FD1.52)."""
    kinds = charts.weapon_kinds()
    fired = {kind for kind in kinds if direct_fire.is_direct_fire(kind) and kinds[kind].chart}
    assert {kind for kind in kinds if direct_fire.drone_modifier(kind)} == {"photon", "disruptor", "fusion"}
    assert {kind: near for kind in fired if (near := direct_fire.min_range(kind))} == {"photon": 2, "disruptor": 1}
    for kind in fired:
        reach = direct_fire.max_range(kind)
        assert reach > 3 and direct_fire.max_range(kind, 3) == 3 and direct_fire.max_range(kind, 99) == reach
