"""Scenario #9 as a place to try shuttles at: both ships stand still, one of them near the planet."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario, scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.dice import SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Position, Ship, Shuttle, State
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

replace = msgspec.structs.replace
RIGEL = scenario("9")
PLAYED = ("energy", "seeking", "sideslip", "shuttles")
SETTING = replace(RIGEL, chapters=PLAYED)
OPTIONS = Options(reveal="none", autobreaks=())


def opening() -> State:
    """Scenario #9 with both ships standing still, the Constellation near the planet."""
    state = set_up(SETTING, "test", players={}, options=OPTIONS).state
    state = put(state, "Constellation", hex="1510", facing="A", speed=0, prior_speed=0)
    return put(state, "Destruction", hex="2801", facing="E", speed=0, prior_speed=0)


def put(state: State, name: str, **changes: object) -> State:
    unit = altered(state.units[name], **changes)
    unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    return replace(state, units={**state.units, name: unit})


def shuttle(state: State, name: str = "FS/1", **changes: object) -> State:
    """The state with a shuttle of the Constellation on the map, launched long ago."""
    facts = {"side": "federation", "race": "federation", "hex": "1509", "facing": "A", "speed": 6, "prior_speed": 6}
    facts |= {"launcher": "Constellation", "launched": -20, "letter": "A", "came_from": "1510", "straight": 1}
    unit = Shuttle(name=name, **{**facts, **changes})  # type: ignore[arg-type]
    unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    mother = state.units[unit.launcher]
    assert isinstance(mother, Ship)
    units = {**state.units, name: unit, mother.name: replace(mother, hangar=mother.hangar[1:])}
    return replace(state, units=units, serials={**state.serials, name.split("/")[0]: int(name.split("/")[1])})


STAY = {"federation": "SHIP Constellation\nENERGY\n", "klingon": "SHIP Destruction\nENERGY\n"}


def checked(state: State, side: str, orders: str) -> CheckResult:
    reading = read_orders(f"GAME test TURN 1 SIDE {side} REPLY 1\n{orders}\nEND\n")
    assert not reading.faults
    assert state.request is not None
    return check(state, SETTING, state.request, side, reading.orders)


def codes(found: CheckResult) -> list[str]:
    return [fault.code for fault in found.faults]


def play(
    state: State,
    setting: Scenario = SETTING,
    until: int | None = None,
    federation: str = "",
    klingon: str = "",
) -> ResolutionResult:
    """To the next request; sides without orders pay for nothing, or go on as before."""
    assert state.request is not None
    answers = {}
    orders = {"federation": federation, "klingon": klingon}
    for side in state.request.sides:
        text = orders[side] or (STAY[side] if state.request.impulse == 0 else "CONTINUE")
        if text != "CONTINUE":
            reading = read_orders(f"GAME test TURN 1 SIDE {side} REPLY 1\n{text}\nEND\n")
            assert not reading.faults
            found = check(state, setting, state.request, side, reading.orders)
            assert not found.faults
            text = write_orders(reading.orders)
        answers[side] = Filed(text=text)
    return resolve(state, setting, answers, SegmentDice(b"test"), until=until)


def to_turns_end(state: State, setting: Scenario = SETTING, federation: str = "", klingon: str = "") -> State:
    played = play(state, setting, None, federation, klingon)
    while not played.state.over and played.state.request is not None and played.state.request.impulse:
        played = play(played.state, setting)
    return played.state


def told(played: ResolutionResult, kind: type[ev.Event]) -> list[ev.Event]:
    return [record.event for record in played.records if isinstance(record.event, kind)]


def unit(state: State, name: str = "FS/1") -> Shuttle:
    found = state.units[name]
    assert isinstance(found, Shuttle)
    return found
