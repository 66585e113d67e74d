"""Movement: the impulse chart, turn and slip modes, seeking weapons (C1.4, C3, C4, F2.0)."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from pbem.errors import NotAllowed
from pbem.rules import drones, hexes, movement, seeking, shields

LENGTHS = st.sampled_from([8, 16, 32])
FACINGS = st.sampled_from("ABCDEF")
GRIDS = st.sampled_from(["even", "odd"])
HEXES = st.builds(hexes.hex_name, st.integers(3, 40), st.integers(3, 30))


@given(LENGTHS, st.integers(0, 32))
def test_a_speed_moves_so_many_times_a_turn(impulses: int, speed: int) -> None:
    speed = min(speed, impulses)
    assert len(movement.impulses_of(speed, impulses)) == speed
    numbers = [movement.hex_number(speed, i, impulses) for i in movement.impulses_of(speed, impulses)]
    assert numbers == list(range(1, speed + 1))


def test_rows_of_the_printed_charts() -> None:
    def movers(impulse: int, impulses: int) -> list[int]:
        return [speed for speed in range(1, impulses + 1) if movement.moves(speed, impulse, impulses)]

    assert movers(3, 8) == [3, 6, 7, 8]
    assert movers(7, 16) == [5, 7, 10, 12, 13, 14, 15, 16]
    assert movers(9, 32) == [11, 15, 18, 19, 22, 23, 25, 26, 27, 29, 30, 31, 32]
    assert movers(16, 16) == list(range(1, 17))


@given(LENGTHS, st.integers(0, 32), st.integers(0, 32), st.integers(0, 32))
def test_next_to_move_is_what_the_chart_calls_next(impulses: int, a: int, b: int, impulse: int) -> None:
    impulse = min(impulse, impulses)
    mine, other = (
        [i for i in movement.impulses_of(speed, impulses) if i > impulse] or [impulses + 1] for speed in (a, b)
    )
    first = min(mine[0], other[0])
    expected = (first <= impulses and mine[0] == first, first <= impulses and other[0] == first)
    assert shields.next_to_move(a, b, impulse, impulses) == expected
    assert shields.next_to_move(b, a, impulse, impulses) == expected[::-1]


def test_a_boundary_is_settled_by_the_ship_that_moves_next() -> None:
    """Target 0304 facing D, firer 0405 facing A (D3.41): what decides depends on who moves next."""
    fast, slow = ("0304", "D", 8), ("0304", "D", 1)
    firer_fast, firer_slow = ("0405", "A", 8), ("0405", "A", 1)
    # The target moves ahead to 0305: the firer in 0405 now lies to its left forward (#6).
    assert shields.boundary_shield(fast, firer_slow, 1, 16) == 6
    # The firer moves ahead to 0404, which faces the target's #6 as well.
    assert shields.boundary_shield(slow, firer_fast, 1, 16) == 6
    # Both move: the firer comes alongside, left rear of the target's new hex; on its way there the line enters #6.
    assert shields.boundary_shield(fast, firer_fast, 1, 16) == 6
    # Nobody moves again this turn.
    assert shields.boundary_shield(fast, firer_fast, 16, 16) is None


@given(FACINGS, st.lists(st.sampled_from(movement.CODES), max_size=12), HEXES, GRIDS)
def test_every_step_enters_an_adjacent_hex_and_turns_at_most_60_degrees(
    facing: str, codes: list[str], hex: str, grid: str
) -> None:
    for code in codes:
        there, new = movement.enter(hex, facing, code, grid)
        assert hexes.distance(hex, there, grid) == 1
        assert hexes.relative(facing, new) in ((0,) if code not in movement.TURNS else (1, 5))
        assert hexes.direction_to(hex, there, grid) in (
            new,
            hexes.turn_facing(facing, -1),
            hexes.turn_facing(facing, 1),
        )
        hex, facing = there, new


def test_a_turn_is_refused_until_the_turn_mode_is_satisfied() -> None:
    since_turn, since_slip = movement.after_step("R", 99, 99)
    with pytest.raises(NotAllowed, match=r"turn mode 2: .* it has moved 1") as refused:
        movement.verify_turn(since_turn, 2)
    assert (refused.value.code, refused.value.rule) == ("turn-mode", "C3.2")
    assert movement.can_turn(since_turn, 1)
    since_turn, since_slip = movement.after_step("SL", since_turn, since_slip)
    movement.verify_turn(since_turn, 2)
    with pytest.raises(NotAllowed) as slip:
        movement.verify_slip(since_slip)
    assert slip.value.code == "slip-mode"
    assert not movement.can_slip(since_slip)


def test_an_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="HET"):
        movement.enter("1010", "A", "HET")


@given(HEXES, FACINGS, st.integers(0, 3), HEXES, GRIDS)
def test_seeking_weapons_come_closer_when_they_can(
    hex: str, facing: str, straight: int, target: str, grid: str
) -> None:
    steps = seeking.legal_steps(hex, facing, straight, target, grid)
    if hex == target:
        assert steps == ()
        return
    codes = ("F", "L", "R") if straight else ("F",)
    reached = [movement.enter(hex, facing, code, grid)[0] for code in codes]
    now, best = hexes.distance(hex, target, grid), min(hexes.distance(r, target, grid) for r in reached)
    after = {hexes.distance(step[1], target, grid) for step in steps}
    assert after == {best} or (best > now and len(steps) == len(codes))
    step = seeking.no_player_step(hex, facing, straight, target, grid)
    assert step in steps
    ahead = hexes.distance(hexes.neighbour(hex, facing, grid), target, grid)
    assert (step[0] == "F") == (ahead == best)
    if best <= now or not straight:
        assert seeking.default_step(hex, facing, straight, target, grid) == step
    for way in ("", "LEFT", "RIGHT", "STRAIGHT"):
        assert seeking.choose_step(hex, facing, straight, target, grid, way) in steps


@given(HEXES, HEXES, GRIDS)
def test_a_drone_always_reaches_a_target_that_stands_still(hex: str, target: str, grid: str) -> None:
    if hex == target:
        return
    facing = drones.default_facing(hex, target, grid)
    assert facing in drones.launch_facings(hex, target, grid)
    straight, moved, reach = 0, 0, hexes.distance(hex, target, grid)
    while hex != target:
        code, hex, facing = seeking.no_player_step(hex, facing, straight, target, grid)
        straight = straight + 1 if code == "F" else 1
        moved += 1
        assert moved <= reach
    assert moved == reach


@pytest.mark.parametrize(("straight", "code"), [(0, "F"), (1, "L"), (5, "L")])
def test_a_drone_with_its_target_dead_astern_turns_left_as_soon_as_it_can(straight: int, code: str) -> None:
    assert seeking.default_step("1510", "A", straight, "1515")[0] == code


@pytest.mark.parametrize("straight", [0, 1, 5])
def test_by_the_special_rule_it_flies_straight_on(straight: int) -> None:
    assert seeking.no_player_step("1510", "A", straight, "1515") == ("F", "1509", "A")


def test_what_is_closed_is_entered_only_where_nothing_else_may_be() -> None:
    ahead, left, right = (movement.enter("1510", "A", code)[0] for code in ("F", "L", "R"))
    assert seeking.default_step("1510", "A", 1, "1505")[1] == ahead
    assert seeking.default_step("1510", "A", 1, "1505", closed={ahead})[1] == ahead
    assert seeking.default_step("1510", "A", 1, "1805", closed={ahead})[1] == right
    assert seeking.default_step("1510", "A", 1, "1205", closed={ahead})[1] == left
    assert seeking.choose_step("1510", "A", 1, "1805", way="STRAIGHT", closed={ahead})[1] == ahead


@given(HEXES, FACINGS, HEXES, GRIDS)
def test_a_drone_comes_near_its_target_whatever_its_facing(hex: str, facing: str, target: str, grid: str) -> None:
    straight, moved, reach = 0, 0, hexes.distance(hex, target, grid)
    while hexes.distance(hex, target, grid) > 1:
        code, hex, facing = seeking.default_step(hex, facing, straight, target, grid)
        straight = straight + 1 if code == "F" else 1
        moved += 1
        assert moved <= reach + 6


def test_a_drone_circles_a_target_that_stands_inside_its_turning_circle() -> None:
    """By the book: it cannot come closer, and must not go farther away (F2.0)."""
    assert seeking.legal_steps("1514", "B", 1, "1515") == (("R", "1614", "C"),)


def test_no_step_off_the_map_while_there_is_another() -> None:
    for step in (seeking.default_step, seeking.no_player_step):
        code, hex, _ = step("1401", "A", 1, "1405", map=("0101", "2817"))
        assert (code in ("L", "R"), hexes.on_map(hex, ("0101", "2817"))) == (True, True)
    assert seeking.legal_steps("1501", "A", 0, "1505", map=("0101", "2817")) == (("F", "1500", "A"),)


def test_facings_for_launch_point_within_60_degrees() -> None:
    assert drones.launch_facings("1515", "1510") == ("A", "B", "F")
    assert drones.launch_facings("1515", "1613") == ("A", "B")
    assert drones.launch_facings("1515", "1515") == tuple("ABCDEF")
    assert drones.default_facing("1515", "1515", otherwise="D") == "D"
