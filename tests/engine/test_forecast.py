"""What a plot is foreseen to do, held against what becomes of it when it is played: of ships alone on their map."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.data.scenarios import Scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.dice import SegmentDice
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.state import Shuttle, State
from pbem.engine.steps.steering import forecast
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from pbem.orders.reader import read_orders
from tests.engine.world import rich

ROCK = {"ship": "planet", "name": "Rock", "at": "0707"}


def pick(many: int, *about: object) -> int:
    """A number below ``many`` that hangs on what it is about, and on nothing else."""
    return int.from_bytes(sha256(" ".join(map(str, about)).encode()).digest()[:4]) % many


def one_of(choices: tuple[Any, ...], *about: object) -> Any:
    return choices[pick(len(choices), *about)]


def plot_of(number: int) -> str:
    """Some plot: codes, then perhaps somewhere to steer for, perhaps off the map."""
    how_many = pick(11, "many", number)
    codes = " ".join(one_of(("F", "F", "F", "F", "L", "R", "SL", "SR"), number, at) for at in range(how_many))
    steering = (
        "", "", "", "TOWARD 0303", "AWAY FROM 0707", "TOWARD EDGE C", "KEEP #2 TO 0606", "KEEP 0909 AT RANGE 2 TO 3",
    )  # fmt: skip
    leaving = " LEAVE MAP" if not pick(5, "leave", number) else ""
    return f"PLOT {codes} {one_of(steering, 'steer', number)}{leaving}".replace("  ", " ").rstrip()


def begun(number: int) -> tuple[State, Scenario, str]:
    place = f"{1 + pick(12, 'column', number):02}{1 + pick(12, 'row', number):02}"
    if place == ROCK["at"]:
        place = "0305"
    ship = {
        "side": "federation",
        "ship": "fed_cadet_ca",
        "name": "Con",
        "at": place + "ABCDEF"[pick(6, "facing", number)],
        "prior_speed": 12,
        "state": {"since turn": pick(4, "turn", number), "since slip": pick(2, "slip", number)},
    }
    units = [ship, *([ROCK] if pick(2, "rock", number) else [])]
    case = msgspec.convert({"rule": "C1.0", "title": "t", "source": "s", "unit": units, "map": ["0101", "1212"]}, Case)
    setting = scenario_for(case)
    speed = one_of((4, 6, 8, 10, 12, 16), "speed", number)
    return opening(case, setting), setting, f"SHIP Con\nENERGY\n  SPEED {speed}\n{plot_of(number)}\n"


def checked(state: State, setting: Scenario, orders: str) -> CheckResult:
    reading = read_orders(orders, header=False)
    assert reading.faults == () and state.request is not None
    return check(state, setting, state.request, "federation", reading.orders)


def flown(played: ResolutionResult) -> list[tuple[int, str, str]]:
    return [
        (one.impulse, one.code, one.at)
        for one in (record.event for record in played.records)
        if isinstance(one, ev.Moved)
    ]


@pytest.mark.parametrize("part", range(4))
def test_what_is_foreseen_is_what_is_flown(part: int) -> None:
    """A plot without faults is flown as foreseen, code by code, up to where it depends or the owner is asked; a refused
    one is flown so far as foreseen, and not with the code it is refused for.
    """
    asked = refused = left = 0
    for number in range(part, 160, 4):
        state, setting, orders = begun(number)
        found = checked(state, setting, orders)
        played = resolve(state, setting, {"federation": Filed(text=orders)}, SegmentDice(b"t"))
        went, seen = flown(played), list(found.plots["Con"])
        now, notes = played.state, " ".join(found.notes)
        ship = now.units["Con"]
        if found.faults:
            refused += 1
            asked_before = now.request is not None and now.request.impulse > 0
            assert went[: len(seen)] == seen or (asked_before and seen[: len(went)] == went), (number, orders)
        elif "you will be asked before impulse" in notes:
            asked += 1
            assert went == seen and now.request is not None and ship.in_play, (number, orders)
            assert f"before impulse {now.request.impulse}:" in notes, (number, orders, notes)
        elif "leaves the map" in notes:
            left += 1
            assert went == seen and not ship.in_play, (number, orders)
        elif "no legal move" not in notes:
            assert went == seen and ship.in_play, (number, orders)
            (line,) = (line for line in found.lines if line.text.startswith("PLOT"))
            assert line.verdict == "legal", (number, orders, line)
    assert asked and refused >= 3 and left >= 1


@pytest.mark.parametrize(("first", "plot", "notes"), [(1, "PLOT 4F", 1), (5, "PLOT 4F", 1), (5, "", 0)])
def test_of_a_unit_that_a_beam_holds_nothing_is_certain(first: int, plot: str, notes: int) -> None:
    """G7.31: from the first impulse on its holder says where it is; whoever has no plot need not be told."""
    reading = read_orders(f"SHIP Con\n{plot}\n", header=False)
    held, free = rich(), replace(rich(), links=())
    boat = held.units["FS/1"]
    assert isinstance(boat, Shuttle)
    found = forecast(held, boat, reading.orders.units[0].plot, first=first, through=16)
    assert (found.certain_until, found.path, found.at, len(found.notes)) == (first - 1, (), {}, notes)
    assert all("is held by Des: it moves by itself only once it is let go" in note for note in found.notes)
    flown = forecast(free, boat, reading.orders.units[0].plot, first=first, through=16)
    assert flown.certain_until == 16 and flown.path
