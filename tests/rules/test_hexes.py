"""Geometry of the map (C1.2, D1.4): properties that hold on both kinds of grid."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from pbem.data.files import CustomFigures, playing_with
from pbem.rules import hexes, shields

MAP = ("0101", "4230")
GRIDS = st.sampled_from(["even", "odd"])
FACINGS = st.sampled_from("ABCDEF")
HEXES = st.builds(hexes.hex_name, st.integers(1, 42), st.integers(1, 30))


def mirrored(hex: str) -> str:
    """The hex upside down, which turns an even grid into an odd one; rows are counted from the other edge."""
    column, row = hexes.parse_hex(hex)
    return hexes.hex_name(column, 31 - row)


UPSIDE_DOWN = str.maketrans("ABCDEF", "DCBAFE")


@given(HEXES, HEXES, HEXES, GRIDS)
def test_distance_is_a_metric(a: str, b: str, c: str, grid: str) -> None:
    assert (hexes.distance(a, b, grid) == 0) == (a == b)
    assert hexes.distance(a, b, grid) == hexes.distance(b, a, grid)
    assert hexes.distance(a, c, grid) <= hexes.distance(a, b, grid) + hexes.distance(b, c, grid)


@given(HEXES, FACINGS, GRIDS)
def test_neighbours_are_mutual_and_one_hex_away(hex: str, facing: str, grid: str) -> None:
    there = hexes.neighbour(hex, facing, grid)
    assert hexes.neighbour(there, hexes.turn_facing(facing, 3), grid) == hex
    assert hexes.distance(hex, there, grid) == 1
    assert hexes.direction_to(hex, there, grid) == facing


@given(HEXES, HEXES, GRIDS)
def test_distance_is_the_number_of_steps_of_a_shortest_way(a: str, b: str, grid: str) -> None:
    steps, here = 0, a
    while here != b:
        around = [hexes.neighbour(here, facing, grid) for facing in hexes.FACINGS]
        # Of equally good hexes the one nearest the row of the target, so that the way stays on paper.
        here = min(around, key=lambda n: (hexes.distance(n, b, grid), abs(int(n[2:]) - int(b[2:]))))
        steps += 1
    assert steps == hexes.distance(a, b, grid)


@given(HEXES, FACINGS, GRIDS)
def test_six_steps_around_a_hex_close_the_ring(hex: str, facing: str, grid: str) -> None:
    here = hexes.neighbour(hex, facing, grid)
    ring = [here]
    for turn in range(2, 8):
        here = hexes.neighbour(here, hexes.turn_facing(facing, turn), grid)
        ring.append(here)
    assert ring[0] == ring[-1]
    assert {hexes.distance(hex, other, grid) for other in ring} == {1}
    assert len(set(ring)) == 6


@given(HEXES, HEXES, FACINGS)
def test_the_odd_grid_is_the_even_one_upside_down(a: str, b: str, facing: str) -> None:
    assert hexes.distance(a, b, "even") == hexes.distance(mirrored(a), mirrored(b), "odd")
    there = hexes.neighbour(a, facing, "even")
    assert hexes.neighbour(mirrored(a), facing.translate(UPSIDE_DOWN), "odd") == mirrored(there)


@given(HEXES, HEXES, FACINGS, GRIDS)
def test_the_six_arcs_cover_everything_once_and_rows_twice(a: str, b: str, facing: str, grid: str) -> None:
    if a == b:
        with pytest.raises(ValueError, match=r"D3\.42"):
            hexes.in_arc(a, facing, b, "FA", grid)
        return
    holding = hexes.arcs_holding(a, facing, b, grid)
    assert len(holding) == (2 if hexes.bearing(a, b, grid).on_row else 1)
    assert hexes.in_arc(a, facing, b, "360", grid)
    assert hexes.in_arc(a, facing, b, "FA", grid) or hexes.in_arc(a, facing, b, "L+R+RA", grid)


@given(HEXES, HEXES, FACINGS, st.integers(0, 5), GRIDS)
def test_turning_the_ship_turns_arcs_and_shields_the_other_way(
    a: str, b: str, facing: str, steps: int, grid: str
) -> None:
    if a == b:
        return
    six = ("RF", "R", "RR", "LR", "L", "LF")
    turned = hexes.turn_facing(facing, steps)
    before, after = hexes.arcs_holding(a, facing, b, grid), hexes.arcs_holding(a, turned, b, grid)
    assert {six[(six.index(arc) - steps) % 6] for arc in before} == after
    shown, then = shields.faced_shields(a, facing, b, grid), shields.faced_shields(a, turned, b, grid)
    assert {(shield - 1 - steps) % 6 + 1 for shield in shown} == set(then)


def angle(a: str, b: str, facing: str, grid: str) -> float:
    """Degrees clockwise from a ship's facing to another hex, measured on the paper map."""

    def centre(hex: str) -> tuple[float, float]:
        column, row = hexes.parse_hex(hex)
        lower = column % 2 == 0 if grid == "even" else column % 2 == 1
        return column * math.sqrt(3) / 2, row + (0.5 if lower else 0.0)

    (ax, ay), (bx, by) = centre(a), centre(b)
    return (math.degrees(math.atan2(bx - ax, ay - by)) - 60 * "ABCDEF".index(facing)) % 360


@given(HEXES, HEXES, FACINGS, GRIDS)
def test_shields_and_arcs_agree_with_angles_on_the_paper_map(a: str, b: str, facing: str, grid: str) -> None:
    if a == b:
        return
    degrees = angle(a, b, facing, grid)
    off = {shield: abs((degrees - 60 * (shield - 1) + 180) % 360 - 180) for shield in range(1, 7)}
    assert shields.faced_shields(a, facing, b, grid) == tuple(s for s in off if off[s] <= 30 + 1e-6)
    middle = {"RF": 30, "R": 90, "RR": 150, "LR": 210, "L": 270, "LF": 330}
    holding = {arc for arc, at in middle.items() if abs((degrees - at + 180) % 360 - 180) <= 30 + 1e-6}
    assert hexes.arcs_holding(a, facing, b, grid) == holding


@given(HEXES, st.integers(0, 6), GRIDS)
def test_within_finds_every_hex_of_the_map_that_is_near(hex: str, radius: int, grid: str) -> None:
    all_hexes = {hexes.hex_name(c, r) for c in range(1, 43) for r in range(1, 31)}
    near = {other for other in all_hexes if hexes.distance(hex, other, grid) <= radius}
    found = hexes.within(hex, radius, MAP, grid)
    assert found == tuple(sorted(near))


@pytest.mark.parametrize("bad", ["", "17", "17o8", "170808", "AABB"])
def test_what_is_no_hex_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"C1\.2"):
        hexes.parse_hex(bad)


def test_hexes_off_the_map_are_reckoned_with() -> None:
    assert hexes.neighbour("0101", "A") == "0100"
    assert hexes.neighbour("0000", "A") == "00-1"
    assert hexes.distance("00-1", "0101") == 2
    assert not hexes.on_map("0100", ("0101", "2817"))
    assert hexes.on_map("2817", ("0101", "2817"))


@pytest.mark.parametrize(("first", "second"), [("FA", "LF+RF"), ("LR-L", "L+LR"), ("rs", "RF+R+RR"), ("LP", "LF+L")])
def test_arc_designations_that_mean_the_same(first: str, second: str) -> None:
    assert hexes.arcs_of(first) == hexes.arcs_of(second)


def test_arcs_of_ones_own_hold_where_they_are_played_with() -> None:
    own = CustomFigures(
        tables={"chart": {"arcs": {"six": ["RF", "R", "RR", "LR", "L", "XF"], "combined": {"FA": ["RF", "XF"]}}}},
        stated={("chart", "arcs"): "arcs.toml"},
        token="arcs of one's own",
    )

    def asked() -> list[frozenset[str]]:
        return [hexes.arcs_of("FA"), hexes.arcs_holding("1010", "A", "1008"), hexes.arcs_holding("1010", "A", "0808")]

    shipped = asked()
    with playing_with(own):
        assert asked() == [{"RF", "XF"}, {"RF", "XF"}, {"XF"}]
    assert asked() == shipped == [{"RF", "LF"}, {"RF", "LF"}, {"LF"}]


def test_an_unknown_arc_is_refused() -> None:
    with pytest.raises(ValueError, match="FQ"):
        hexes.arcs_of("FQ")
