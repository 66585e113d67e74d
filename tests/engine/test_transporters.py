"""Transporters in play where a case cannot go: survivors on a planet (scenario #9), and what only the owner is told."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from pbem.data.scenarios import Scenario, Victory, scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.dice import SegmentDice
from pbem.engine.events import Record
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, ResolutionResult, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Planet, Ship, State
from pbem.orders.reader import read_orders

CHAPTERS = ("energy", "seeking", "tractors", "transporters", "reinforcement", "reserve")


def rescue(federation: str = "1510A", klingon: str = "1504D") -> Scenario:
    """Scenario #9 with both ships near the planet (1508), without what other chapters bring."""
    shipped = scenario("9")
    places = {"federation": federation, "klingon": klingon}
    units = tuple(
        msgspec.structs.replace(unit, hex=places[unit.side][:4], facing=places[unit.side][4], prior_speed=0)
        for unit in shipped.units
    )
    return msgspec.structs.replace(shipped, units=units, chapters=CHAPTERS)


def begin(setting: Scenario) -> State:
    """The opening; the victory of the scenario is another chapter's business, its survivors are not."""
    plain = msgspec.structs.replace(setting, victory=Victory(kind="none"))
    state = set_up(plain, "rescue", players={}, options=Options(reveal="none", autobreaks=())).state
    waiting = msgspec.structs.replace(state.units["Rigel"], crew=1)
    return msgspec.structs.replace(state, units={**state.units, "Rigel": waiting})


def sheet(ship: str, *do: str, energy: str = "TRANSPORTERS 1") -> str:
    return "\n".join([f"SHIP {ship}", "ENERGY", f"  SPEED 0; {energy}", "DO", *(f"  {line}" for line in do)]) + "\n"


def codes(setting: Scenario, state: State, side: str, text: str) -> list[str]:
    reading = read_orders(text, header=False)
    assert not reading.faults and state.request is not None
    return [fault.code for fault in check(state, setting, state.request, side, reading.orders).faults]


def play(setting: Scenario, orders: Mapping[str, str], until: int = 2) -> ResolutionResult:
    state = begin(setting)
    for side, text in orders.items():
        assert not codes(setting, state, side, text)
    answers = {side: Filed(text=text) for side, text in orders.items()}
    return resolve(state, setting, answers, SegmentDice(b"rescue"), until=until)


def told(records: list[Record], line: int, side: str = "federation") -> list[str]:
    return [
        f"{record.event.result}: {record.event.reason}"
        for record in records
        if isinstance(record.event, ev.OrderTold) and record.event.line == line and record.event.side == side
    ]


IDLE = sheet("Destruction")


def test_survivors_are_beamed_up_by_one_transporter() -> None:
    """One crew unit, one transporter (scenario #9); the planet has no shields, the ship's own must be lowered."""
    orders = {"federation": sheet("Constellation", "LOWER SHIELD TO Rigel AND TRANSPORT 1 CREW FROM Rigel")}
    done = play(rescue(), {**orders, "klingon": IDLE})
    ship, planet = done.state.units["Constellation"], done.state.units["Rigel"]
    assert isinstance(ship, Ship) and isinstance(planet, Planet)
    assert (ship.people.passengers, planet.crew, ship.this_turn.transported, ship.lowered) == (1, 0, 1, {"#1": 1})


def test_who_is_gone_is_not_fetched_twice() -> None:
    again = "AT 2 TRANSPORT 1 CREW FROM Rigel"
    first = "LOWER SHIELD TO Rigel AND TRANSPORT 1 CREW FROM Rigel"
    done = play(rescue(), {"federation": sheet("Constellation", first, again), "klingon": IDLE})
    assert told(done.records, 6) == ["did not act: on Rigel only 0 CREW can be transported, not 1 (G8.1)"]


def test_back_to_the_planet() -> None:
    lines = ("LOWER SHIELD TO Rigel AND TRANSPORT 1 CREW FROM Rigel", "AT 2 TRANSPORT 1 CREW TO Rigel")
    done = play(rescue(), {"federation": sheet("Constellation", *lines), "klingon": IDLE})
    ship, planet = done.state.units["Constellation"], done.state.units["Rigel"]
    assert isinstance(ship, Ship) and isinstance(planet, Planet)
    assert (ship.people.passengers, planet.crew, ship.this_turn.transported) == (0, 1, 2)


@pytest.mark.parametrize(
    ("side", "ship", "order", "code"),
    [
        ("klingon", "Destruction", "TRANSPORT 1 CREW FROM Rigel", "transporter-enemy"),
        ("klingon", "Destruction", "TRANSPORT 1 CREW FROM Constellation", "transporter-enemy"),
        ("klingon", "Destruction", "TRANSPORT 2 BP TO Rigel", "transporter-target"),
        ("klingon", "Destruction", "TRANSPORT 1 BP TO Destruction", "transporter-target"),
        ("klingon", "Destruction", "TRANSPORT 1 BP TO Nobody", "unknown-unit"),
        ("klingon", "Destruction", "TRACTOR Rigel", "tractor-unpowered"),
        ("federation", "Constellation", "LOWER SHIELD TO Nobody", "unknown-unit"),
        ("federation", "Constellation", "TRANSPORT 30 BP TO Destruction", "no-transporter"),
    ],
)
def test_what_can_never_be(side: str, ship: str, order: str, code: str) -> None:
    setting = rescue()
    assert codes(setting, begin(setting), side, sheet(ship, order)) == [code]


def test_a_planet_is_held_by_no_beam() -> None:
    setting = rescue()
    orders = sheet("Constellation", "TRACTOR Rigel", energy="TRACTOR A")
    assert codes(setting, begin(setting), "federation", orders) == ["tractor-target"]


def test_reserve_power_only_where_it_is_used() -> None:
    setting = rescue()
    state = msgspec.structs.replace(begin(setting), options=Options(reinforcement=False))
    orders = sheet("Constellation", "TRANSPORT 1 BP TO Destruction WITH RESERVE", "LOWER GENERAL", energy="PHASERS 0")
    assert codes(setting, state, "federation", orders) == ["not-used", "not-used"]


def test_far_from_the_planet_nothing_is_lowered() -> None:
    orders = sheet("Constellation", "LOWER SHIELD TO Rigel AND TRANSPORT 1 CREW FROM Rigel")
    done = play(rescue(federation="1517A"), {"federation": orders, "klingon": IDLE})
    assert told(done.records, 5) == ["did not act: it waits until the other unit is within 5 hexes (G8.14)"]
    assert not any(isinstance(record.event, ev.ShieldLowered) for record in done.records)


def test_a_shield_is_up_again_though_nobody_orders_it() -> None:
    done = play(rescue(), {"federation": sheet("Constellation", "AT 1 LOWER SHIELD #3"), "klingon": IDLE}, until=9)
    raised = [record.event for record in done.records if isinstance(record.event, ev.ShieldRaised)]
    assert [(event.unit, event.shield, event.impulse) for event in raised] == [("Constellation", 3, 9)]
    ship = done.state.units["Constellation"]
    assert isinstance(ship, Ship) and ship.lowered == {}


def test_shields_without_energy_let_a_beam_through_that_is_tried() -> None:
    """Shields that were not paid for stop nothing (B3.0, line 11); but nobody sees that, so an order waits."""
    setting = msgspec.structs.replace(rescue(federation="1507A"), victory=Victory(kind="none"))
    energy = "SHIELDS 0; TRANSPORTERS 1"
    orders = {
        "federation": sheet("Constellation", "TRANSPORT 1 BP TO Destruction", "AT 2 TRANSPORT 1 BP TO Destruction",
                            energy=energy),
        "klingon": sheet("Destruction", energy=energy),
    }  # fmt: skip
    done = play(setting, orders)
    assert told(done.records, 5) == [
        "did not act: it waits until the shield that Destruction turns to the ship is down (G8.21)"
    ]
    beams = [record.event for record in done.records if isinstance(record.event, ev.Transported)]
    assert [(beam.impulse, beam.failed) for beam in beams] == [(2, "")]
