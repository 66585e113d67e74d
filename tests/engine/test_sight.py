"""Units in one hex: from where each is seen (D3.42, F2.3)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.data.terms import StepName
from pbem.engine import events as ev
from pbem.engine.log import apply
from pbem.engine.state import Ship, State
from pbem.engine.steps.geometry import bears, came_in, faced, facing_before
from pbem.engine.steps.sensors import scanner_factor, sensor_rating
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for

HEAD = {"rule": "D3.42", "title": "t", "source": "s", "level": "standard", "impulses": 32}
CON = {"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1010A"}
DES = {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1011A"}


def state_of(*units: dict[str, Any]) -> State:
    case = msgspec.convert({**HEAD, "unit": units}, Case)
    return opening(case, scenario_for(case))


def moved(state: State, impulse: int, name: str, at: str) -> State:
    unit = state.units[name]
    event = ev.Moved(
        turn=1,
        impulse=impulse,
        step=StepName.MOVE,
        unit=name,
        at=at,
        code="F",
        came_from=unit.hex,
        since_turn=1,
        rule="C1.4",
    )
    return apply(state, event)


@pytest.mark.parametrize(("put", "right"), [("0910", False), ("1110", True)])
def test_a_drone_the_umpire_put_there_is_not_behind_its_launcher(put: str, right: bool) -> None:
    drone = {
        "side": "klingon", "ship": "drone", "name": "KD/1", "at": "1611A", "target": "Con", "launcher": "Des",
        "launched": "0.32", "state": {"came from": "1612", "since turn": 0},
    }  # fmt: skip
    state = state_of(CON, DES, drone)
    state = apply(state, ev.Adjusted(turn=1, impulse=3, step=StepName.END, unit="KD/1", at=f"{put}A", why="a test"))
    state = moved(state, 4, "Con", f"{put}A")
    con, seeker = state.units["Con"], state.units["KD/1"]
    assert bears(state, con, seeker, "LF+L") == (not right)
    assert bears(state, con, seeker, "RF+R") == right
    assert not bears(state, con, seeker, "RA")


def test_a_ship_that_comes_later_is_judged_by_its_own_way() -> None:
    """Who was there at the launch sees the shuttle behind its launcher, who comes later sees it ahead."""
    late = {**CON, "name": "Dak", "at": "0910C"}
    shuttle = {
        "side": "klingon", "ship": "shuttle", "name": "KS/1", "at": "1010A", "launcher": "Des", "launched": "1.2",
        "state": {"came from": "1011", "since turn": 0},
    }  # fmt: skip
    state = state_of(CON, DES, late, shuttle)
    state = moved(state, 4, "Dak", "1010C")
    units = state.units
    assert bears(state, units["Con"], units["KS/1"], "RA")
    assert not bears(state, units["Con"], units["KS/1"], "FA")
    assert bears(state, units["Dak"], units["KS/1"], "FA")
    assert not bears(state, units["Dak"], units["KS/1"], "RA")
    dak = units["Dak"]
    assert isinstance(dak, Ship)
    assert faced(state, dak, units["KS/1"]) == (1,)


def test_a_maneuver_is_no_coming() -> None:
    state = state_of(CON, DES)
    turn = ev.Maneuvered(turn=1, impulse=4, step=StepName.TAC, unit="Con", at="1010B", kind="warp", rule="C5.0")
    turned = apply(state, turn)
    assert not came_in(turned, turned.units["Con"])
    assert facing_before(turned, turned.units["Con"]) == "A"
    came = moved(state, 4, "Des", "1010A")
    assert came_in(came, came.units["Des"])
    assert facing_before(came, came.units["Des"]) == "A"


def test_what_the_umpire_put_there_has_stood_nowhere_before() -> None:
    """He may do so at a break: weapons that strike in the same impulse find it as it was put."""
    state = replace(state_of(CON, DES), turn=1, impulse=4)
    event = ev.Adjusted(turn=1, impulse=4, step=StepName.SEEK, unit="Con", at="1012B", why="a slip")
    put = apply(state, event)
    assert len(put.units["Con"].track) == 1
    assert facing_before(put, put.units["Con"]) == "B" and not came_in(put, put.units["Con"])


def test_a_ship_without_tracks_on_its_ssd_sees_as_an_undamaged_one() -> None:
    """D6.11, D6.21: the best of the track is 6, and nothing is added to ranges."""
    state = state_of(CON, {**DES, "ship": "kli_cadet_d6"})
    for unit in state.ships():
        assert (sensor_rating(unit), scanner_factor(unit)) == (6, 0)
