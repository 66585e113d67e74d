"""Checking a ship's orders for its shuttle bay: LAUNCH SHUTTLE, LAUNCH SUICIDE, RECOVER (J1.5, J1.6, J2.22)."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from pbem.data.ships import ship_class
from pbem.data.words import Fuse
from pbem.engine.checking.outlook import Outlook
from pbem.engine.play.conditions import Scene, named, unit_named
from pbem.engine.state import Ship, Shuttle, State
from pbem.engine.steps import bays, suicide
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.patterns import regex
from pbem.rules import boarding, sensors, shuttles, standing
from pbem.rules.suicide_shuttles import verify_suicide_launch

SHUTTLE_NAME = regex(r"([A-Z])S/(\d+)")
"""A shuttle's designation (FS/1), which may not have been launched yet."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of an order for the bay can never be legal."""
    if len(order.does) > 1:
        text = "a bay launches or recovers one shuttle in two impulses; write a line for each"
        raise NotAllowed("bay-busy", text, "J1.5")
    if isinstance(activity, om.LaunchShuttle):
        _launch(outlook, order, activity)
    elif isinstance(activity, om.Land):
        raise NotAllowed(
            "not-a-shuttle", "only shuttles land: LAND stands in a block of its own, SHUTTLE FS/1", "J1.61"
        )
    elif isinstance(activity, om.Recover):
        yield from _recover(outlook, order, activity.shuttle)


def _launch(outlook: Outlook, order: om.Order, activity: om.LaunchShuttle) -> None:
    ship, letter = outlook.ship, activity.shuttle
    if letter not in ascii_uppercase[: ship_class(ship.ship).boxes.get("shuttle", 0)]:
        raise NotAllowed("no-shuttle", f"{ship.name} has no shuttle {letter}", "J1.4")
    if not may_come_back(outlook.state, ship):
        bays.verify_aboard(ship, letter)
    shuttles.verify_bay(bays.bay_of(ship), outlook.moment(order.at or outlook.request.through))
    bomb = ship.bombs.get(letter)
    if activity.target is None:
        if bomb is not None and bomb.state:
            raise NotAllowed("shuttle-not-ready", _not_ready(letter, bomb.state), "J2.221")
        shuttles.verify_load(*(activity.count if activity.what == what else 0 for what in ("CREW", "BP")))
        return
    if order.condition is None:
        boarding.verify_weapons(ship.name, bool(ship.captured_from))
    verify_suicide_launch(bomb.state if bomb else Fuse.NONE)
    sensors.verify_fire_control(ship.name, standing.fire_control(ship.unpaid))
    sensors.verify_launch(ship.name, ship.lock_on)
    target = unit_named(activity.target, Scene(state=outlook.state, me=ship))
    if target is not None:
        suicide.verify_target(outlook.state, ship.side, target)


def _not_ready(letter: str, state: Fuse) -> str:
    if state == Fuse.UNUSABLE:
        return f"the bomb was taken off shuttle {letter}: it cannot be used this turn"
    return f"shuttle {letter} is made a suicide shuttle; LAUNCH SUICIDE {letter} AT its target once it is armed"


def may_come_back(state: State, ship: Ship) -> bool:
    """Whether a shuttle that is not aboard may yet take a box: one is on the map, or may come from another ship."""
    if not ship.boxes.get("shuttle", 0):
        return False
    out = any(not state.enemies(ship.side, shuttle.side) and not shuttle.target for shuttle in state.shuttles())
    others = (other for other in state.ships() if other.name != ship.name and not state.enemies(ship.side, other.side))
    return out or any(other.hangar for other in others)


def _recover(outlook: Outlook, order: om.Order, name: str) -> Iterator[Fault]:
    state, ship = outlook.state, outlook.ship
    found = named(state, name)
    if not found and not SHUTTLE_NAME.fullmatch(name.upper()):
        yield order.wrong("unknown-unit", f"there is no shuttle {name!r}")
    if not ship.boxes.get("shuttle", 0):
        raise NotAllowed("no-empty-box", f"{ship.name} has no shuttle box left", "J1.62")
    for shuttle in found[:1]:
        if not isinstance(shuttle, Shuttle):
            raise NotAllowed("not-a-shuttle", f"{shuttle.name} is no shuttle", "J1.6")
        if state.enemies(ship.side, shuttle.side):
            raise NotAllowed("enemy-shuttle", "an enemy shuttle cannot be pulled aboard", "J1.62")
        if shuttle.target:
            raise NotAllowed("unmanned", "a suicide shuttle cannot be recovered", "J1.61")
