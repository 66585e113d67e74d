"""The geometry of the map, held against plane geometry: hexes as points, directions as angles (C1.2, D3.4, D3.41)."""

from __future__ import annotations

import math
from itertools import product

import pytest

from pbem.rules import hexes, movement, shields

MAP = ("0101", "1515")
CENTER = "0808"
NEAR = [hex_ for hex_ in hexes.within(CENTER, 3, MAP) if hex_ != CENTER]
each_grid = pytest.mark.parametrize("grid", ["even", "odd"])


def point(hex_: str, grid: str) -> tuple[float, float]:
    """The center of a hex: columns are 1.5 apart, rows the root of three, and some columns lie half a row lower."""
    column, row = int(hex_[:2]), int(hex_[2:])
    lower = (column % 2 == 0) == (grid == "even")
    return 1.5 * column, math.sqrt(3) * (row + (0.5 if lower else 0))


def bearing(one: str, other: str, grid: str) -> float:
    """Degrees clockwise from the top of the map."""
    (x, y), (to_x, to_y) = point(one, grid), point(other, grid)
    return math.degrees(math.atan2(to_x - x, y - to_y)) % 360


def off(angle: float) -> float:
    """An angle between -180 and 180, small errors taken away."""
    return round((angle + 180) % 360 - 180, 6)


def heading(facing: str) -> int:
    return 60 * "ABCDEF".index(facing)


def ahead(hex_: str, facing: str, grid: str) -> str:
    """The next hex in a direction, found by looking at all of them."""
    found = (other for other in hexes.within(hex_, 1, ("0001", "2020"), grid) if other != hex_)
    return min(found, key=lambda other: abs(off(bearing(hex_, other, grid) - heading(facing))))


def by_angle(hex_: str, facing: str, source: str, grid: str) -> tuple[int, ...]:
    """The shields whose 60 degrees the line touches."""
    angle = bearing(hex_, source, grid) - heading(facing)
    return tuple(number for number in range(1, 7) if abs(off(angle - 60 * (number - 1))) <= 30)


@each_grid
def test_a_line_of_fire_crosses_the_shield_on_that_side(grid: str) -> None:
    for facing, source in product("ABCDEF", NEAR):
        assert shields.faced_shields(CENTER, facing, source, grid) == by_angle(CENTER, facing, source, grid)


def next_move(target: int, firer: int, impulse: int) -> tuple[bool, bool]:
    for later in range(impulse + 1, 17):
        one, other = (later in movement.impulses_of(speed, 16) for speed in (target, firer))
        if one or other:
            return one, other
    return False, False


def settled(target: tuple[str, str, int], firer: tuple[str, str, int], impulse: int, grid: str) -> int | None:
    """D3.41: whoever moves next is moved one hex ahead, and the line swings to one side or the other."""
    (hex_, facing, speed), (source, faces, fast) = target, firer
    shown = by_angle(hex_, facing, source, grid)
    if len(shown) == 1:
        return shown[0]
    moves = next_move(speed, fast, impulse)
    there = ahead(hex_, facing, grid) if moves[0] else hex_
    stands = ahead(source, faces, grid) if moves[1] else source
    if there == stands:
        return None
    swings = off(bearing(there, stands, grid) - bearing(hex_, source, grid))
    if swings in (0, 180, -180):
        return None
    now = bearing(hex_, source, grid) - heading(facing)
    return next(n for n in shown if (off(60 * (n - 1) - now) > 0) == (swings > 0))


@each_grid
@pytest.mark.parametrize(("speed", "fast"), [(8, 0), (0, 8), (8, 8), (4, 8), (0, 0)])
def test_who_moves_next_settles_a_junction(speed: int, fast: int, grid: str) -> None:
    impulse = 5
    for facing, source in product("ABCDEF", NEAR):
        if len(by_angle(CENTER, facing, source, grid)) == 1:
            continue
        for faces in "ABCDEF":
            target, firer = (CENTER, facing, speed), (source, faces, fast)
            found = shields.boundary_shield(target, firer, impulse, 16, grid)
            assert found == settled(target, firer, impulse, grid), f"{target} {firer}"


@each_grid
def test_the_shield_a_seeking_weapon_comes_in_on(grid: str) -> None:
    for facing, source in product("ABCDEF", NEAR):
        wanted = min(by_angle(CENTER, facing, source, grid))
        assert shields.approach_shield(facing, CENTER, source, grid) == wanted


@each_grid
def test_distance_is_the_fewest_steps(grid: str) -> None:
    reached = {CENTER: 0}
    for steps in range(1, 5):
        for hex_ in [each for each, far in reached.items() if far == steps - 1]:
            for facing in "ABCDEF":
                reached.setdefault(ahead(hex_, facing, grid), steps)
    for hex_, steps in reached.items():
        assert hexes.distance(CENTER, hex_, grid) == steps
    for radius in range(5):
        wanted = sorted(hex_ for hex_, steps in reached.items() if steps <= radius)
        assert list(hexes.within(CENTER, radius, MAP, grid)) == wanted


@each_grid
def test_what_lies_at_the_edge_of_the_map(grid: str) -> None:
    small = ("0203", "0506")
    every = [f"{column:02}{row:02}" for column in range(1, 8) for row in range(1, 9)]
    on = [hex_ for hex_ in every if 2 <= int(hex_[:2]) <= 5 and 3 <= int(hex_[2:]) <= 6]
    assert [hex_ for hex_ in every if hexes.on_map(hex_, small)] == on
    for hex_ in on:
        for radius in range(4):
            near = [other for other in on if hexes.distance(hex_, other, grid) <= radius]
            assert list(hexes.within(hex_, radius, small, grid)) == near


def test_hexes_have_names_from_minus_9_to_99() -> None:
    assert [hexes.hex_name(*at) for at in ((-9, 1), (1, -9), (99, 1), (1, 99))] == ["-901", "01-9", "9901", "0199"]
    for column, row in ((-10, 1), (1, -10), (100, 1), (1, 100)):
        with pytest.raises(ValueError, match="too far off the map"):
            hexes.hex_name(column, row)


def lies_in(hex_: str, one: str, other: str, grid: str) -> tuple[float, str]:
    """Where along a line it meets a hex, and how: through its ``inside``, along its ``edge``, or not at all."""
    (x, y), (to_x, to_y), (mid_x, mid_y) = (point(each, grid) for each in (one, other, hex_))
    low, high, on_edge = 0.0, 1.0, False
    for side in range(6):
        out_x, out_y = math.sin(math.radians(60 * side)), -math.cos(math.radians(60 * side))
        start = (x - mid_x) * out_x + (y - mid_y) * out_y - math.sqrt(3) / 2
        slope = (to_x - x) * out_x + (to_y - y) * out_y
        if abs(slope) < 1e-9:
            on_edge = on_edge or abs(start) < 1e-9
            if start > 1e-9:
                return 0.0, ""
        elif slope > 0:
            high = min(high, -start / slope)
        else:
            low = max(low, -start / slope)
    if high - low < 1e-9:
        return 0.0, ""
    return round(low, 9), "edge" if on_edge else "inside"


@each_grid
def test_a_line_goes_through_the_hexes_it_crosses_on_paper(grid: str) -> None:
    around = hexes.within(CENTER, 5, MAP, grid)
    for target in around:
        if target == CENTER:
            continue
        met = [(*lies_in(hex_, CENTER, target, grid), hex_) for hex_ in around]
        found = hexes.line(CENTER, target, grid)
        assert found.through == tuple(hex_ for _, how, hex_ in sorted(met) if how == "inside")
        beside = sorted((low, hex_) for low, how, hex_ in met if how == "edge")
        assert [hex_ for pair in found.edges for hex_ in pair] == [hex_ for _, hex_ in beside]
        assert all(len(pair) == 2 for pair in found.edges)


@each_grid
def test_how_far_it_is_to_each_edge_of_the_map(grid: str) -> None:
    """In rows and columns of the paper: half a row more to the top and less to the bottom for a hex that lies lower."""
    left, top, right, bottom = 3, 2, 8, 9
    for column, row in product(range(1, 11), range(1, 12)):
        hex_ = f"{column:02}{row:02}"
        rows = round(point(hex_, grid)[1] / math.sqrt(3), 6)
        far = [hexes.to_edge(hex_, facing, ("0302", "0809"), grid) for facing in "ABCDEF"]
        assert far == [rows - top, right - column, right - column, bottom - rows, column - left, column - left]
