"""What a tractor beam may do within one step, and what hangs on what it holds: its parts, each with every answer."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from pbem.engine.on_file import altered
from pbem.engine.state import Link, Monster, Seeker, Ship, Shuttle, State
from pbem.engine.steps import tractor_links as links, tractors as turn
from pbem.engine.steps.tractors import Beams
from pbem.errors import NotAllowed
from pbem.orders.activities import Tractor
from pbem.orders.names import UnitRef
from pbem.reports.draft.systems import tractor_entries
from tests.engine.world import rich

DES = UnitRef(how="name", name="Des")


def ship(state: State, name: str = "Con") -> Ship:
    found = state.units[name]
    assert isinstance(found, Ship)
    return found


def holding(*held: str, **now: Any) -> tuple[State, Ship]:
    """The cruiser, with two beams that work and have energy unless it is said otherwise: of ``A:Des`` one holds Des."""
    state = rich()
    usual = {"tractors": ("A", "B"), "beams_used": (), "released": {}, "batteries": 2}
    con = ship(state)
    boxes = {**con.boxes, "tractor": now.pop("working", 2)}
    con = altered(con, boxes=boxes, **{**usual, **now})
    found = tuple(Link(ship="Con", beam=beam, target=target, since=5)
                  for beam, target in (each.split(":") for each in held))  # fmt: skip
    return replace(state, units={**state.units, "Con": con}, links=found), con


def taken(order: Tractor, *held: str, **now: Any) -> str:
    """The beam that takes hold (``*`` where the order named none, ``+`` where a battery pays), or why none does."""
    beams = Beams(*holding(*held, **now))
    try:
        hold = beams.take(order, "Des")
    except NotAllowed as refused:
        return f"{refused.code}: {refused.text}"
    assert (hold.ship, hold.target, hold.beam in beams.holding, hold.beam in beams.used) == ("Con", "Des", True, True)
    return f"{hold.beam}{'*' * hold.chosen}{'+' * hold.reserve}"


@pytest.mark.parametrize(("beam", "reserve", "held", "now", "said"), [
    ("", False, (), {}, "A*"), ("B", False, (), {}, "B"), ("", False, (), {"tractors": ("B",)}, "B*"),
    ("2", False, (), {}, "B"), ("", False, ("A:KD/1",), {}, "B*"),
    ("A", False, ("A:KD/1",), {}, "tractor-busy: tractor beam A already holds something"),
    ("C", False, (), {}, "no-tractor: the ship has 2 working tractor beams; C is not one of them"),
    ("", False, (), {"working": 0}, "no-tractor: Con has no working tractor beam"),
    ("A", False, (), {"working": 0}, "no-tractor: the ship has 0 working tractor beams; A is not one of them"),
    ("", False, ("B:KD/1",), {"working": 1},
     "no-tractor: the 1 working tractor beams of Con are all holding something"),
    ("", False, (), {"tractors": ()},
     "tractor-unpowered: 0 of the tractor beams have energy, and 0 of those are in use"),
    ("A", False, (), {"tractors": ("A",), "beams_used": ("B",)},
     "tractor-unpowered: 1 of the tractor beams has energy, and 1 of those is in use"),
    ("", True, (), {"tractors": ()}, "A*+"), ("B", True, (), {"tractors": ("A",)}, "B"),
    ("A", True, (), {"tractors": ("A",), "beams_used": ("B",)}, "A+"),
    ("A", True, (), {"tractors": (), "batteries": 1}, "A+"),
    ("A", True, (), {"tractors": (), "batteries": 0},
     "reserve-short: 1 point is needed, but the batteries hold only 0"),
    ("A", False, (), {"released": {"A": 20}}, "tractor-used: tractor beam A was released this turn"),
    ("A", False, (), {"released": {"A": 16}},
     "tractor-reuse: tractor beam A was released 5 impulses ago; 8 must pass before it is used again"),
    ("A", False, (), {"released": {"A": 13}}, "A"), ("", False, (), {"released": {"A": 20}}, "B*"),
    ("", False, (), {"released": {"A": 20, "B": 17}}, "tractor-used: tractor beam B was released this turn"),
])  # fmt: skip
def test_which_beam_takes_hold(beam: str, reserve: bool, held: tuple[str, ...], now: dict[str, Any], said: str) -> None:
    assert taken(Tractor(target=DES, beam=beam, reserve=reserve), *held, **now) == said


def test_what_was_done_with_the_beams_counts_for_the_next_order_and_not_for_the_one_it_was_copied_from() -> None:
    beams = Beams(*holding("A:KD/1", tractors=("A", "B"), batteries=1))
    trial = beams.copy()
    (ended,) = trial.let_go("1")
    assert (ended.beam, ended.target, trial.released["A"]) == ("A", "KD/1", 21)
    with pytest.raises(NotAllowed, match="released this turn"):
        trial.take(Tractor(target=DES, beam="A"), "Des")
    assert trial.take(Tractor(target=DES), "Des").beam == "B"
    assert [*beams.holding] == ["A"] and not beams.released and beams.used == {"A"}
    spent = Beams(*holding(tractors=(), batteries=1))
    assert spent.take(Tractor(target=DES, reserve=True), "Des").reserve
    with pytest.raises(NotAllowed, match="the batteries hold only 0"):
        spent.take(Tractor(target=DES, reserve=True), "KD/1")


@pytest.mark.parametrize(("beam", "said"), [
    ("", ["A", "B"]), ("A", ["A"]), ("2", ["B"]), ("C", "tractor beam C holds nothing"),
])  # fmt: skip
def test_one_beam_lets_go_or_all(beam: str, said: list[str] | str) -> None:
    beams = Beams(*holding("B:KD/1", "A:Des"))
    if isinstance(said, str):
        with pytest.raises(NotAllowed, match=said):
            beams.let_go(beam)
    else:
        assert [link.beam for link in beams.let_go(beam)] == said and not {*said} & {*beams.holding}
    with pytest.raises(NotAllowed, match="Con holds nothing"):
        Beams(*holding()).let_go("")


def test_letters_of_beams() -> None:
    said = [turn.letter_of(beam) for beam in ("", "A", "1", "2", "26", "27", "0", "b")]
    assert said == ["", "A", "A", "B", "Z", "27", "0", "b"]


def test_what_a_unit_is_to_a_beam() -> None:
    units = rich().units
    boat = units["FS/1"]
    assert isinstance(boat, Shuttle) and isinstance(units["KD/1"], Seeker) and isinstance(units["Eater"], Monster)
    manned = replace(boat, target="", bomb=0)
    kinds = {
        "Con": "ship", "KD/1": "drone", "GP/1": "plasma", "Eater": "monster", "Moon": "planet",
        "FS/1": "suicide shuttle",
    }  # fmt: skip
    assert {name: links.kind_of(units[name]) for name in kinds} == kinds
    assert links.kind_of(manned) == "shuttle"
    assert links.kind_of(replace(manned, bomb=9)) == links.kind_of(replace(manned, target="Des")) == "suicide shuttle"
    freighter = replace(ship(rich()), ship="cadet_freighter")
    assert links.kind_of(freighter) == "freighter" and links.is_freighter(freighter) and not links.is_freighter(boat)
    towed = [unit.name for unit in (*units.values(), replace(freighter, name="Tug")) if links.may_be_towed(unit)]
    assert towed == ["KD/1", "KD/2", "FS/1", "KS/1", "Tug"]


@pytest.mark.parametrize(("now", "freighters", "speed"), [
    ({}, 0, 13), ({"speed": 9}, 0, 13), ({}, 1, 10), ({}, 2, 8), ({"move_warp": 0.0}, 1, 1),
    ({"move_warp": 99.0}, 1, 13), ({"paid_speed": 0, "speed": 9}, 1, 9), ({"mutiny": "staged", "speed": 0}, 1, 0),
])  # fmt: skip
def test_a_ship_is_as_fast_as_its_energy_moves_it_with_what_it_tows(
    now: dict[str, Any], freighters: int, speed: int
) -> None:
    """Twelve points of warp and one of impulse at one a hex, and a third more a freighter (G7.4)."""
    assert links.speed_in_tow(altered(ship(rich()), **now), freighters) == speed


def test_a_damage_track_slows_a_ship_that_tows_and_stays_so_when_it_lets_go() -> None:
    """Scenario #3: the slower speed holds for good, whatever the energy for movement would make (G7.4, G7.33)."""
    slow = altered(ship(rich()), ship="cadet_freighter", internals=10, paid_speed=8, move_warp=8.0)
    assert [links.speed_in_tow(slow, freighters) for freighters in (0, 1)] == [3, 3]
    assert links.speed_in_tow(replace(slow, internals=9), 1) == 7


def test_freighters_in_tow_count_once_and_nothing_else_counts() -> None:
    state, con = holding("A:Tug", "B:Tug")
    tug = replace(con, name="Tug", ship="cadet_freighter")
    state = replace(state, units={**state.units, "Tug": tug})
    assert links.freighters_in_tow(state, "Con") == 1
    others = (Link(ship="Con", beam="A", target="KD/1", since=5), Link(ship="Des", beam="A", target="Tug", since=5))
    assert links.freighters_in_tow(replace(state, links=others), "Con") == 0
    assert links.freighters_in_tow(replace(state, links=others), "Des") == 1
    named = replace(state, links=(*state.links[:1], Link(ship="Con", beam="B", target="KD/1", since=5)))
    assert [turn.still_in_tow(named, con, items) for items in (
        None, (), ("TRACTOR A",), ("TRACTOR B",), ("TRACTOR A", "TRACTOR B"), ("PHASERS", "TRACTOR C"),
    )] == [1, 0, 1, 0, 1, 1]  # fmt: skip
    assert turn.as_towing(named, con, new_turn=False) == (con, [])
    assert turn.as_towing(replace(named, links=()), con, new_turn=True) == (con, [])
    slower, notes = turn.as_towing(named, altered(con, tractors=("A",)), new_turn=True)
    assert notes[0] == "Con lets go of KD/1: beam B has no energy (G7.33)" and slower.speed < con.speed
    assert notes[1:] == [f"Con makes speed {slower.speed} with a freighter in tow, {con.speed} without (G7.4)"]


def test_a_draft_says_what_an_entry_keeps_whose_beam_had_another_letter() -> None:
    """Boxes are counted (G7.34): of what beams hold whose letters are gone, the free letters pay on."""
    state, con = holding("B:KD/1", working=1)
    assert [*tractor_entries(state, con)] == [("TRACTOR A", "or it lets go of KD/1 (G7.33)")]
    state, con = holding("B:KD/1", "C:KD/2", working=2)
    lines = [("TRACTOR A", "or it lets go of KD/2 (G7.33)"), ("TRACTOR B", "or it lets go of KD/1 (G7.33)")]
    assert [*tractor_entries(state, con)] == lines
