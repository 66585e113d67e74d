"""Lines of fire, planets and asteroids (P2.0, P3.0)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules import hexes, terrain
from pbem.rules.hexes import crosses, line

HEXES = st.builds(hexes.hex_name, st.integers(1, 28), st.integers(1, 17))
GRIDS = st.sampled_from([hexes.EVEN, hexes.ODD])


def test_a_line_along_a_row_of_hexes_goes_through_these_alone() -> None:
    assert line("0101", "0104") == (("0101", "0102", "0103", "0104"), ())
    assert line("0808", "0808") == (("0808",), ())


def test_a_line_between_two_rows_runs_along_edges() -> None:
    assert line("0101", "0301") == (("0101", "0301"), (("0200", "0201"),))
    found = line("0305", "0705")
    assert found.through == ("0305", "0505", "0705")
    assert found.edges == (("0404", "0405"), ("0604", "0605"))


def test_a_slanting_line() -> None:
    assert line("0101", "0502").through == ("0101", "0201", "0301", "0302", "0401", "0502")


@given(HEXES, HEXES, GRIDS)
@settings(max_examples=150, deadline=None)
def test_every_line_is_the_same_both_ways_and_as_long_as_its_range(a: str, b: str, grid: str) -> None:
    there, back = line(a, b, grid), line(b, a, grid)
    assert there.through == back.through[::-1]
    assert there.edges == back.edges[::-1]
    assert (there.through[0], there.through[-1]) == (a, b)
    for first, second in there.edges:
        assert hexes.distance(first, second, grid) == 1
    # each ring around the firer is met at least once, and no hex farther off than the target
    met = {hexes.distance(a, hex, grid) for hex in (*there.through, *(hex for pair in there.edges for hex in pair))}
    assert met == set(range(hexes.distance(a, b, grid) + 1))


def test_a_planet_in_the_way_blocks_and_one_beside_the_line_does_not() -> None:
    assert terrain.blocked("1505", "1512", {"1508"})
    assert terrain.blocked("1508", "1512", {"1508"}), "fired out of the planet"
    assert terrain.blocked("1505", "1508", {"1508"}), "fired into the planet"
    assert not terrain.blocked("1505", "1507", {"1508"})
    assert not terrain.blocked("1505", "1512", set())
    with pytest.raises(NotAllowed, match="1508") as refused:
        terrain.verify_line_of_fire("1505", "1512", {"1508"})
    assert refused.value.code == "planet-in-the-way"


def test_a_line_exactly_along_the_edge_of_a_planet_is_free_p2_0() -> None:
    assert not terrain.blocked("0305", "0705", {"0404"})
    assert not terrain.blocked("0305", "0705", {"0405"})
    assert terrain.blocked("0305", "0705", {"0404", "0405"}), "planet on both sides of the edge"
    assert terrain.blocked("0305", "0705", {"0505"})
    assert not terrain.blocked("0305", "0705", {"0504", "0506"}), "only touched"


def test_who_may_enter_a_planet() -> None:
    assert terrain.crashes("ship")
    assert terrain.crashes("drone")
    assert terrain.crashes("plasma")
    assert not terrain.crashes("shuttle")
    with pytest.raises(NotAllowed, match="1508"):
        terrain.verify_enter("ship", "1508", {"1508"})
    terrain.verify_enter("ship", "1509", {"1508"})
    terrain.verify_land_on_planet("shuttle", "1508", {"1508"})
    with pytest.raises(NotAllowed, match="ship"):
        terrain.verify_land_on_planet("ship", "1508", {"1508"})
    with pytest.raises(NotAllowed, match="1509"):
        terrain.verify_land_on_planet("shuttle", "1509", {"1508"})


@pytest.mark.parametrize(
    ("die", "speed", "impulses", "points"),
    [(1, 31, 32, 0), (6, 6, 32, 0), (6, 7, 32, 10), (3, 15, 32, 3), (2, 26, 32, 5), (6, 31, 32, 30), (6, 16, 16, 30),
     (6, 3, 16, 0), (6, 8, 8, 30), (4, 2, 8, 2)],
)  # fmt: skip
def test_asteroids_strike_by_the_speed_on_the_scale_of_32_impulses(
    die: int, speed: int, impulses: int, points: int
) -> None:
    assert terrain.asteroid_damage(die, speed, impulses) == points


def test_asteroids_strike_in_front_and_reveal_a_cloaked_ship_for_an_impulse() -> None:
    assert terrain.asteroid_shield() == 1
    assert terrain.asteroid_shield(backwards=True) == 4
    assert [terrain.reveals_cloaked(since) for since in (0, 1, 2)] == [True, True, False]
    assert not terrain.reveals_cloaked(-1)


@pytest.mark.parametrize(("count", "added"), [(0, 0), (1, 1), (3, 1), (4, 2), (8, 2)])
def test_asteroids_in_the_line_add_to_the_die(count: int, added: int) -> None:
    belt = {f"10{row:02d}" for row in range(2, 2 + count)}
    assert terrain.fire_modifier("1001", "1012", belt) == added


def test_the_hexes_of_firer_and_target_count_and_one_hex_counts_once() -> None:
    assert terrain.asteroid_hexes("1001", "1003", ()) == terrain.asteroid_hexes("1001", "1003", {"1205"}) == 0
    assert terrain.asteroid_hexes("1001", "1003", {"1001", "1003"}) == 2
    assert terrain.asteroid_hexes("1001", "1001", {"1001"}) == 1
    assert terrain.asteroid_hexes("0305", "0705", {"0404", "0405", "0604"}) == 1, "an edge between two asteroid hexes"
    assert crosses("1001", "1003", {"1103"}) == ()


def test_every_die_of_the_asteroid_table_rises_with_speed() -> None:
    for row in charts.asteroids().damage:
        assert list(row) == sorted(row)
