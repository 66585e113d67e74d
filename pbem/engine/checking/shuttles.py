"""Check the blocks of orders for shuttles (J1.2, J2.213).

A block may be for a shuttle on the map, or for a shuttle that may still be launched.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.engine.checking.activities import SHUTTLE_NAME, check_when
from pbem.engine.checking.conditions import never_meets
from pbem.engine.checking.units import about_the_gone, check_units
from pbem.engine.conditions.scene import Scene, named, unit_named
from pbem.engine.relations import manned_shuttles
from pbem.engine.state import Planet, Request, Ship, Shuttle, State
from pbem.engine.steps.firing import SHUTTLE_WEAPON, verify_shuttle_weapon
from pbem.engine.steps.launching import verify_target
from pbem.engine.steps.steering import turn_mode
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.rules import movement, shuttles

replace = msgspec.structs.replace


def shuttle_of(state: State, scenario: Scenario, side: str, block: om.UnitOrders) -> Shuttle:
    """Return the shuttle that a block of orders is for.

    If the shuttle is not launched yet, the returned shuttle has no hex, only the values that follow from its name.

    Raises:
        NotAllowed: There is no such shuttle, or the side cannot command it.
    """
    if not scenario.uses("shuttles"):
        raise NotAllowed("not-used", "this scenario does not use shuttles", "J1.0")
    found = named(state, block.unit)
    ours = [unit for unit in found if unit.belongs_to(side)]
    if found and not ours:
        raise NotAllowed("not-your-ship", f"{found[0].name} is not {side}'s", "")
    if not ours:
        return _future(state, side, block.unit)
    shuttle = ours[0]
    if not isinstance(shuttle, Shuttle):
        raise NotAllowed(
            "not-a-shuttle", f"{shuttle.name} is not a shuttle; begin its block with SHIP {shuttle.name}", "J1.0"
        )
    if not shuttle.in_play:
        raise NotAllowed("out-of-play", f"{shuttle.name} is out of play ({shuttle.gone})", "")
    if shuttle.target:
        text = f"{shuttle.name} has no crew and follows {shuttle.target} by itself; steer it with GUIDE"
        raise NotAllowed("unmanned", text, "J2.22")
    return shuttle


def _future(state: State, side: str, name: str) -> Shuttle:
    """Return the shuttle that may still be launched under this name; it has no hex yet.

    Raises:
        NotAllowed: No shuttle that can still be launched would get this name.
    """
    races = {unit.race for unit in state.units.values() if isinstance(unit, Ship) and unit.belongs_to(side)}
    designations = sorted(f"{charts.races()[race].initial}S" for race in races)
    match = SHUTTLE_NAME.fullmatch(name.upper())
    if match and f"{match[1]}S" in designations and int(match[2]) > state.serials.get(f"{match[1]}S", 0):
        race = next(race for race in sorted(races) if charts.races()[race].initial == match[1])
        return Shuttle(name=name.upper(), side=side, race=race, hex="", facing="", launcher="", launched=0)
    mine = [shuttle.name for shuttle in manned_shuttles(state, side)]
    coming = " or ".join(f"{each}/{state.serials.get(each, 0) + 1}" for each in designations)
    yours = f"yours: {', '.join(mine)}; " if mine else ""
    raise NotAllowed(
        "unknown-shuttle", f"there is no shuttle {name!r}; {yours}the next one launched will be {coming}", ""
    )


def launches_manned(orders: om.Orders) -> bool:
    """Return whether any order of a side launches a manned shuttle.

    Only manned shuttles take orders (J2.22).
    """
    activities = (does for block in orders.units for order in block.do for does in order.does)
    return any(isinstance(does, om.LaunchShuttle) and does.target is None for does in activities)


def announced(state: State, request: Request, shuttle: Shuttle, block: om.UnitOrders) -> Shuttle:
    """Return the shuttle with the speed that its block announces (J1.21, J1.22).

    If the block announces no speed, the shuttle gets its default speed.

    Raises:
        NotAllowed: The speed is not allowed.
    """
    if not shuttle.hex:
        shuttles.verify_speed(shuttles.full_speed() if block.speed is None else block.speed, shuttles.full_speed(), 0)
        return shuttle
    if request.impulse > 0:
        if block.speed not in (None, shuttle.speed):
            text = f"the speed of {shuttle.name} is {shuttle.speed} until the next turn"
            raise NotAllowed("speed-fixed", text, "J1.21")
        return shuttle
    prior = prior_speed(state, request, shuttle)
    if block.speed is not None:
        shuttles.verify_speed(block.speed, prior, shuttle.damage)
        return replace(shuttle, speed=block.speed)
    if shuttle.landed and not (block.plot is not None and block.plot.leads):
        return replace(shuttle, speed=0)
    return replace(shuttle, speed=shuttles.default_speed(prior, shuttle.damage))


def prior_speed(state: State, request: Request, shuttle: Shuttle) -> int:
    """Return the shuttle's speed in the turn before the turn that the orders are for.

    For orders given between two turns this is the shuttle's present speed.
    """
    return shuttle.speed if request.turn != state.turn else shuttle.prior_speed


def check_future_plot(shuttle: Shuttle, plot: om.Plot) -> Iterator[Fault]:
    """Check the plot of a shuttle that is not launched yet, and yield the faults (J1.23).

    The plot may not contain sideslips, and its first move must be straight ahead.
    """
    straight, mode = 0, turn_mode(shuttle)
    for number, code in enumerate(plot.codes, start=1):
        try:
            if code in movement.SLIPS:
                raise NotAllowed("no-sideslip", f"{shuttle.name} is a shuttle; only ships can sideslip", "J1.2")
            if code in movement.TURNS:
                movement.verify_turn(straight, mode)
        except NotAllowed as refused:
            text = f"code {number} ({code}) of {shuttle.name}: {refused.text}"
            yield plot.wrong(refused.code, text, "J1.23")
            return
        straight = 1 if code in movement.TURNS else straight + 1


def check_order(state: State, request: Request, shuttle: Shuttle, order: om.Order) -> tuple[list[Fault], str]:
    """Return the faults of a DO line in a shuttle's block, and a text that says what the line depends on.

    The text is shown to the player.
    """
    faults = check_when(state, request, shuttle, order)
    reasons = ["its launch"] if not shuttle.hex else []
    reasons += ["its condition"] if order.condition is not None else []
    for activity in order.does:
        try:
            match activity:
                case om.Fire():
                    faults += check_units(state, shuttle, [activity.target], order)
                    _fire(state, request, shuttle, order, activity)
                    reasons.append(f"where {activity.target.name or 'its target'} is then")
                case om.Land(on=what):
                    faults += list(_land(state, shuttle, order, what))
                    reasons.append("where it is then")
                    reasons += _too_fast(state, request, shuttle, what)
                case _:
                    text = f"{shuttle.name} is a shuttle; it can only FIRE {SHUTTLE_WEAPON} and LAND"
                    raise NotAllowed("not-for-shuttle", text, "J2.21")
        except NotAllowed as refused:
            faults.append(refused.fault(order.line, order.column))
    late, done = about_the_gone(state, request, order)
    if late or done:
        return faults + late, done
    depends = "on " + " and ".join(dict.fromkeys(reasons))
    return faults, "" if faults else never_meets(state, request, shuttle, order) or depends


def _fire(state: State, request: Request, shuttle: Shuttle, order: om.Order, activity: om.Fire) -> None:
    """Check that a shuttle may fire its phaser as ordered: at an enemy, and not too often (J2.213).

    A quarter turn must pass after the launch of the shuttle and between two shots.

    Raises:
        NotAllowed: The order can never be legal.
    """
    for weapon in activity.weapons:
        if weapon not in ("ALL", "ALL PH"):
            verify_shuttle_weapon(shuttle.name, weapon)
    if activity.reserve:
        raise NotAllowed(
            "no-reserve", f"{shuttle.name} has no batteries; leave out WITH RESERVE, it needs no energy to fire", "J1.1"
        )
    target = unit_named(activity.target, Scene(state=state, me=shuttle if shuttle.hex else None))
    if target is not None:
        verify_target(state, shuttle, target, "E1.1")
    if shuttle.hex:
        moment = (request.turn - 1) * state.impulses + (order.at or request.through)
        shuttles.verify_shuttle_fire(
            name=shuttle.name, fired=shuttle.fired, launched=shuttle.launched, moment=moment, impulses=state.impulses
        )


def _too_fast(state: State, request: Request, shuttle: Shuttle, what: str) -> list[str]:
    """Return a remark if the ship to land on is too fast now; the ship may still slow down (J1.61)."""
    most = shuttles.fastest(shuttle.damage) * charts.shuttles().landing
    on = named(state, what)[:1] if request.impulse > 0 and what else []
    paces = {unit.name: state.pace(unit) for unit in on}
    return [f"the speed of {name}: {pace} now, {most} at most" for name, pace in paces.items() if pace > most]


def _land(state: State, shuttle: Shuttle, order: om.Order, what: str) -> Iterator[Fault]:
    if len(order.does) > 1:
        raise NotAllowed("bay-busy", "write LAND alone on its line", "J1.5")
    if not what:
        return
    found = named(state, what)
    if not found:
        text = f"there is no {what!r} to land on"
        yield order.wrong("unknown-unit", text)
    for on in found[:1]:
        if isinstance(on, Planet):
            continue
        if not isinstance(on, Ship):
            raise NotAllowed(
                "no-landing-place", f"a shuttle can land only on ships and planets, not on {on.name}", "J1.61"
            )
        if state.enemies(shuttle.side, on.side):
            raise NotAllowed("enemy-ship", "a shuttle cannot land on an enemy ship", "J1.63")
