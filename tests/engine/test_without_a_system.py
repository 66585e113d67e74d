"""A ship that has no boxes of a system is treated as one whose boxes of it are all destroyed: freighters and ships of
one's own have no shuttle bay, no transporters, no probes, and nothing may take them for having one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from pbem.data.ships import ship_class
from pbem.data.terms import FormKind
from pbem.engine.checking.activities import may_come_back
from pbem.engine.checking.check import check
from pbem.engine.dice import SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.setup import new_ship
from pbem.engine.state import Request, Ship, State
from pbem.engine.steps import boarding, damage, science, shuttles
from pbem.engine.steps.tractors import Beams
from pbem.orders.reader import read_orders
from tests.engine.test_nobody_at_the_helm import setting
from tests.engine.world import rich

SYSTEMS = ("battery", "lab", "probe", "security", "shuttle", "tractor", "tran")
LINES = (
    "RECOVER FS/1", "TRACTOR KD/1 WITH RESERVE", "TRACTOR KD/1 WITH A", "RELEASE B", "TRANSPORT 1 BP TO Des",
    "TRANSPORT 1 CREW FROM Moon WITH RESERVE", "LAUNCH SHUTTLE A", "LAUNCH SUICIDE D AT Des", "PROBE A AT Des",
    "PROBE B AT Des", "RESERVE 1 TO #1", "FIRE PH 1 AT Des WITH RESERVE",
)  # fmt: skip
CHOICES = "DAMAGE\n  WEAPON SHUTTLE A FIRST\n  OTHER TRACTOR A FIRST\n"


def with_boxes(system: str, boxes: int | None) -> tuple[State, Ship]:
    """The cruiser with so many boxes of a system, or with no word of it; whose shuttle is on the map."""
    state = rich()
    con = state.units["Con"]
    assert isinstance(con, Ship)
    left = {name: many for name, many in con.boxes.items() if name != system}
    con = altered(con, boxes=left if boxes is None else {**left, system: boxes}, unpaid=(), mutiny="", cloak_paid=False)
    boat = replace(state.units["FS/1"], target="", bomb=0)
    request = Request(number=2, turn=2, impulse=5, form=FormKind.SOP, sides=("federation",), through=16)
    return replace(state, units={**state.units, "Con": con, "FS/1": boat}, request=request, links=()), con


def answers(system: str, boxes: int | None) -> Iterator[object]:
    """All that is made of it: by the check, in play, by what is asked of a ship."""
    state, con = with_boxes(system, boxes)
    for line in LINES:
        reading = read_orders(f"SHIP Con\nDO\n  {line}\n", header=False)
        assert not reading.faults, reading.faults
        assert state.request is not None
        found = check(state, setting(), state.request, "federation", reading.orders)
        yield (
            line,
            [(fault.code, fault.text) for fault in found.faults],
            [(one.verdict, one.why) for one in found.lines],
        )
    yield science.works(con, "A"), science.crippled(con), may_come_back(state, con)
    yield shuttles.bay_of(con), damage.bay_of(con), Beams(state, con).working
    des = state.units["Des"]  # of a race whose crews may mutiny (G6.2)
    assert isinstance(des, Ship)
    left = {name: many for name, many in des.boxes.items() if name != system}
    des = replace(des, boxes=left if boxes is None else {**left, system: boxes})
    on = Resolution(replace(state, units={**state.units, "Des": des}), setting(), SegmentDice(b"system"), {})
    boarding.at_once(on, rich(), ["Des"])
    boarding.end_of_turn(on)
    yield [record.event for record in on.records]


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_box_and_none_left_are_the_same(system: str) -> None:
    none, lost, one = (list(answers(system, boxes)) for boxes in (None, 0, 1))
    assert none == lost
    assert (one != lost) is (system not in ("lab", "battery")), "the questions hang on it"


def test_a_ship_is_built_with_the_boxes_its_file_names() -> None:
    kind = ship_class("std_fed_ca_cth")
    whole = new_ship(kind, name="One", side="hydran", hex="0101", facing="A")
    assert (len(whole.power.probes), whole.power.batteries) == (kind.boxes["probe"], kind.boxes["battery"])
    bare = replace(kind, boxes={name: many for name, many in kind.boxes.items() if name not in SYSTEMS})
    ship = new_ship(bare, name="One", side="hydran", hex="0101", facing="A")
    assert (ship.power.probes, ship.hangar, ship.power.batteries) == ({}, (), 0)
