"""Check the order lines of the sections DO, BREAK and DAMAGE.

The module finds lines that the rules can never allow. For every other line it says on what future events the line
depends. Orders for systems (tractors, transporters, probes) are checked by the module that plays the system, as listed
in :mod:`pbem.engine.order_systems`. The check for shuttle bays is here: LAUNCH SHUTTLE, LAUNCH SUICIDE, RECOVER (J1.5,
J1.6, J2.22).
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

import msgspec

from pbem.data.ships import ShipClass, ship_class
from pbem.data.terms import FormKind, Fuse, StepName
from pbem.engine.checking.conditions import never_meets, surely_it
from pbem.engine.checking.never import named_too_often, never_acts
from pbem.engine.checking.outlook import Outlook, is_over, needs_lock_on_die, over_text, verify_reserve_used
from pbem.engine.checking.units import about_the_gone, check_units, hint, named_in, verify_own
from pbem.engine.checking.weapons import Taken, check_fire, check_launch, never_fires
from pbem.engine.conditions.scene import Scene, named, unit_named
from pbem.engine.order_systems import SYSTEMS, System, check_system
from pbem.engine.relations import unguided
from pbem.engine.state import AnyUnit, Request, Ship, Shuttle, State
from pbem.engine.steps import (  # the steps of the sequence register their orders in SYSTEMS
    seekers,
    sensors as cloaking,
    sequence as sequence,
    shuttles as bays,
    tractors,
)
from pbem.engine.steps.damage import verify_reinforced
from pbem.engine.steps.ending import may_disengage
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.rules import boarding, power, sensors, shuttles
from pbem.rules.internal_damage import names_box
from pbem.rules.power import LETTERS
from pbem.rules.shuttles import verify_suicide_launch
from pbem.util import regex

SHUTTLE_NAME = regex(r"([A-Z])S/(\d+)")
"""Pattern of a shuttle's name such as FS/1; such a shuttle may still be aboard its ship."""


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Yield the faults of an order for the shuttle bay that can never be legal.

    Raises:
        NotAllowed: A rule forbids the order.
    """
    if len(order.does) > 1:
        text = "write a line for each shuttle: a bay launches or recovers one in two impulses"
        raise NotAllowed("bay-busy", text, "J1.5")
    if isinstance(activity, om.LaunchShuttle):
        _launch(outlook, order, activity)
    elif isinstance(activity, om.Land):
        raise NotAllowed(
            "not-a-shuttle", "write LAND in the shuttle's own block, like SHUTTLE FS/1: only shuttles land", "J1.61"
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
    bomb = ship.power.bombs.get(letter)
    if activity.target is None:
        if bomb is not None and bomb.state:
            raise NotAllowed("shuttle-not-ready", _not_ready(letter, bomb.state), "J2.221")
        shuttles.verify_load(*(activity.count if activity.what == what else 0 for what in ("CREW", "BP")))
        return
    if order.condition is None:
        boarding.verify_weapons(ship.name, ship.is_prize)
    verify_suicide_launch(bomb.state if bomb else Fuse.NONE)
    sensors.verify_fire_control(ship.name, power.fire_control(ship.power.unpaid))
    sensors.verify_launch(ship.name, ship.this_turn.lock_on)
    target = unit_named(activity.target, Scene(state=outlook.state, me=ship))
    if target is not None:
        seekers.verify_target(outlook.state, ship.side, target)


def _not_ready(letter: str, state: Fuse) -> str:
    if state == Fuse.UNUSABLE:
        return f"the bomb was taken off shuttle {letter}: it cannot be used this turn"
    return f"shuttle {letter} is made a suicide shuttle; LAUNCH SUICIDE {letter} AT its target once it is armed"


def may_come_back(state: State, ship: Ship) -> bool:
    """Return whether a shuttle that is not aboard may still land in a shuttle box of the ship.

    The result is true if a shuttle of the ship's side is on the map, or may still be launched from another ship.
    """
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
            raise NotAllowed("not-a-shuttle", f"{shuttle.name} is not a shuttle", "J1.6")
        if state.enemies(ship.side, shuttle.side):
            raise NotAllowed("enemy-shuttle", "an enemy shuttle cannot be pulled aboard", "J1.62")
        if shuttle.target:
            raise NotAllowed("unmanned", "a suicide shuttle cannot be recovered", "J1.61")


_BAY = System("shuttles", "shuttles", "J1.0", check)
SYSTEMS.update({om.LaunchShuttle: _BAY, om.Recover: _BAY, om.Land: _BAY})


def step_is_over(state: State, request: Request, order: om.Order) -> bool:
    """Return whether the only step in which an AT order could act has already been played.

    Only an AT order that names the first impulse of a request can be too late: it has already acted or failed. The
    result is always false for GUIDE, RESERVE and EVERY orders, because they do no harm.
    """
    steps = {activity.step for activity in order.does}
    if order.at != request.impulse or order.every or not steps.isdisjoint((StepName.NONE, StepName.SEEK)):
        return False
    return any(is_over(state, request, step) for step in steps)


def check_order(outlook: Outlook, order: om.Order, taken: Taken, *, verdict: bool = True) -> tuple[list[Fault], str]:
    """Return the faults of one line of a DO section, and a text that says what the line depends on.

    The text is empty if the line depends on nothing or if ``verdict`` is false. ``taken`` collects the weapons used by
    plain AT orders, i.e. AT orders without a condition (see :func:`~pbem.engine.checking.weapons.earlier_users`).
    """
    faults = check_when(outlook.state, outlook.request, outlook.ship, order)
    if len(order.does) > 1 and any(isinstance(activity, om.Reserve) for activity in order.does):
        text = "write one RESERVE line for each shield, without AND: each shield that is hit is decided separately"
        faults.append(order.wrong("reserve-alone", text, "H7.2"))
    for activity in order.does:
        try:
            faults += list(_activity(outlook, order, activity, taken))
        except NotAllowed as refused:
            faults.append(refused.fault(order.line, order.column))
    late, done = about_the_gone(outlook.state, outlook.request, order)
    if late or done:
        return faults + late, done
    if faults or not verdict:
        return faults, ""
    never = never_acts(outlook, order) or never_fires(outlook, order) or _never_of_it(outlook, order)
    texts = (never or _depends(outlook, order), named_too_often(outlook.ship, order))
    return faults, "; ".join(filter(None, texts))


def _never_of_it(outlook: Outlook, order: om.Order) -> str:
    """Return the reason why an order with the target IT or EACH can never act, or an empty string.

    The order can never act if its condition can only be about one particular unit, and the rules would refuse the same
    order with that unit as its target.
    """
    of_it = [
        (activity, fields)
        for activity in order.does
        if (fields := [field for field in activity.__struct_fields__ if _is_it(getattr(activity, field))])
    ]
    who = surely_it(outlook.state, outlook.request, outlook.ship, order) if of_it else None
    if who is None:
        return ""
    named = om.UnitRef(how="name", name=who.name)
    for activity, fields in of_it:
        meant = msgspec.structs.replace(activity, **dict.fromkeys(fields, named))
        try:
            found = list(_activity(outlook, order, meant, {}))
        except NotAllowed as refused:
            found = [refused.fault(order.line, order.column)]
        if found:
            return f"it can never act: IT is {who.name}; {found[0].sentence}"
    return ""


def _is_it(value: object) -> bool:
    return isinstance(value, om.UnitRef) and value.how in ("it", "each")


def check_guidance(state: State, request: Request, side: str, order: om.Order) -> tuple[list[Fault], str]:
    """Return the faults of a GUIDE line above all unit blocks, and a text on what it depends on (F2.0).

    A side writes GUIDE lines there for seeking weapons that none of its ships guides.
    """
    weapons: list[AnyUnit] = [unit for unit in state.in_play() if unit.belongs_to(side)]
    if not weapons:
        text = f"{side} has no seeking weapon in play to guide"
        return [order.wrong("not-yours", text, "F2.0")], ""
    faults = check_when(state, request, weapons[0], order)
    for activity in order.does:
        if isinstance(activity, om.Guide):
            faults += check_units(state, weapons[0], [activity.who], order)
            try:
                verify_own(state, side, activity.who)
            except NotAllowed as refused:
                faults.append(refused.fault(order.line, order.column))
    never = never_meets(state, request, weapons[0], order)
    return faults, "" if faults else never or "on where it and its target are then"


def check_when(state: State, request: Request, unit: AnyUnit, order: om.Order) -> list[Fault]:
    """Return the faults in the timing or the condition of a line, or in its activities joined by AND."""
    faults: list[Fault] = []
    first = max(1, request.impulse)
    if order.at is not None and not first <= order.at <= request.through:
        text = f"impulse {order.at} is not among {first} to {request.through}; these orders cover only those"
        faults.append(order.wrong("impulse", text, "C1.41"))
    faults += check_units(state, unit, [], order, order.condition)
    steps = {activity.step for activity in order.does}
    if order.at is not None and step_is_over(state, request, order):
        faults.append(order.wrong("step-over", over_text(state, order.at), "B2.0"))
    if len(steps) > 1:
        text = "write these on separate lines: AND joins only activities of the same step of the impulse"
        faults.append(order.wrong("different-steps", text, "B2.0"))
    return faults


def _depends(outlook: Outlook, order: om.Order) -> str:
    reasons = []
    if order.condition is not None:
        reasons.append("its condition")
    for activity in order.does:
        reasons += [f"where {target.name or 'its target'} is then" for target in named_in(activity)]
        if isinstance(activity, om.Reserve):
            reasons.append("the volleys that strike")
        elif isinstance(activity, om.Recover):
            reasons.append(f"a tractor beam on {activity.shuttle}")
        reasons += _aboard_then(outlook, activity)
    return "on " + " and ".join(dict.fromkeys(reasons)) if reasons else ""


def _aboard_then(outlook: Outlook, activity: om.Activity) -> Iterator[str]:
    """Yield texts that name what may still change aboard the ship before an activity happens.

    An example is ``what the batteries hold then``: the ship's other orders may use the batteries first.
    """
    ship = outlook.ship
    match activity:
        case om.Reinforce():
            yield "what the batteries hold then"
        case om.Release() if not tractors.holds_then(outlook, activity.beam):
            yield "what its own beams hold then"
        case om.Launch() if needs_lock_on_die(outlook):
            yield "the die for lock-on"
        case om.LaunchShuttle():
            if activity.target is not None and needs_lock_on_die(outlook):
                yield "the die for lock-on"
            if activity.shuttle not in ship.hangar:
                yield f"whether shuttle {activity.shuttle} is aboard then"
            if activity.count > {"CREW": ship.people.passengers, "BP": ship.people.parties}.get(
                activity.what, activity.count
            ):
                yield "who is aboard then"


def _activity(outlook: Outlook, order: om.Order, activity: om.Activity, taken: Taken) -> Iterator[Fault]:
    named = [activity.who] if isinstance(activity, om.Guide) else named_in(activity)
    yield from check_units(outlook.state, outlook.ship, named, order)
    match activity:
        case om.Fire():
            yield from check_fire(outlook, order, activity, taken)
        case om.Launch():
            check_launch(outlook, order, activity, taken)
        case om.Guide(who=who):
            verify_own(outlook.state, outlook.ship.side, who)
        case _:
            yield from check_system(outlook, order, activity)


def _rule(outlook: Outlook) -> str:
    return f"scenario #{outlook.scenario.number}"


def _departure(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error unless the scenario lets the ship disengage; yields no faults.

    Raises:
        NotAllowed: The ship may not disengage.
    """
    if not may_disengage(outlook.scenario, outlook.ship.side):
        raise NotAllowed("no-disengagement", "this scenario does not let the ship disengage", _rule(outlook))
    yield from ()


def _announcement(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error unless the ship can announce CLOAK or UNCLOAK this turn (G13.0); yields no faults.

    Her energy or her last announcement may make the new announcement impossible in every impulse of the turn.

    Raises:
        NotAllowed: The scenario or the state of the ship excludes the announcement.
    """
    assert isinstance(activity, om.Cloak | om.Uncloak)
    if outlook.scenario.uses("cadet cloak") and not outlook.scenario.uses("cloak"):
        text = "pay for CLOAK on the energy form instead: a Cadet ship is cloaked for whole turns"
        raise NotAllowed("not-used", text, "G13.1")
    if not outlook.scenario.uses("cloak"):
        raise NotAllowed("not-used", f"{activity.verb} is not used in this scenario", _rule(outlook))
    if not cloaking.has_cloak(outlook.scenario, outlook.ship):
        raise NotAllowed("no-cloak", f"{outlook.ship.name} has no cloaking device", "G13.32")
    later = msgspec.structs.replace(outlook.state, turn=outlook.request.turn, impulse=order.at or outlook.first)
    cloaking.verify_announcement(later, outlook.ship, activity)
    yield from ()


# --- reserve power ---------------------------------------------------------------------------------------------------


def _reserve(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error if a RESERVE order is illegal in every impulse (H7.2); yields no faults.

    Raises:
        NotAllowed: The game uses no reserve power, the order names no points, or the ship has no charged battery.
    """
    assert isinstance(activity, om.Reserve)
    verify_reserve_used(outlook)
    if activity.points < 1:
        raise NotAllowed("no-points", "RESERVE takes at least one point", "H7.2")
    # In the middle of a turn the line may be older than the use of the batteries; then it does nothing.
    if outlook.ship.power.batteries < 1 and outlook.request.form != FormKind.SOP:
        raise NotAllowed("no-reserve", f"{outlook.ship.name} has no charged battery for reserve power", "H7.1")
    yield from ()


def _reinforce(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error if a REINFORCE order is illegal in every impulse (H7.1); yields no faults.

    Raises:
        NotAllowed: The game uses no reserve power, the order names no points, or the ship has no shields this turn or
            too few charged batteries.
    """
    assert isinstance(activity, om.Reinforce)
    verify_reserve_used(outlook)
    if activity.points < 1:
        raise NotAllowed("no-points", "REINFORCE takes at least one point", "H7.1")
    # In the middle of a turn the line may be older than the use of the batteries; then it does nothing.
    charged = outlook.ship.power.batteries if outlook.request.form != FormKind.SOP else activity.points
    # A lowered shield may be raised again this turn; a shield without boxes stays down.
    verify_reinforced(msgspec.structs.replace(outlook.ship, lowered=()), activity, charged)
    yield from ()


SYSTEMS.update(dict.fromkeys((om.Cloak, om.Uncloak), System(None, "cloaking devices", "G13.0", _announcement)))
SYSTEMS[om.Reserve] = System(None, "reserve power", "H7.2", _reserve)
SYSTEMS[om.Reinforce] = System(None, "reserve power", "H7.1", _reinforce)
SYSTEMS[om.Disengage] = System(None, "disengagement", "", _departure)


# --- breaks, damage, names -------------------------------------------------------------------------------------------


def check_break(outlook: Outlook, line: om.Break) -> list[Fault]:
    """Return the faults of a break line; every unit that its condition names must exist.

    A break is a condition on which play stops for new orders. The parser has already checked that the condition is
    about public facts only.
    """
    return list(check_units(outlook.state, outlook.ship, [], line, line.condition))


def check_own_break(state: State, side: str, line: om.Break) -> list[Fault]:
    """Return the faults of a break line that is written above all unit blocks.

    A break is a condition on which play stops. A side without ships writes its breaks there. The condition is evaluated
    for the side's seeking weapons (F2.0).
    """
    weapons = unguided(state, side)
    if not weapons:
        text = "write a line with SHIP and the ship's name above its breaks: this break has no ship"
        return [line.wrong("no-unit", text)]
    return list(check_units(state, weapons[0], [], line, line.condition))


def check_damage(outlook: Outlook, choice: om.DamageChoice) -> list[Fault]:
    """Return the faults of a DAMAGE line; every box that it names must be on the ship's SSD (D4.223)."""
    kind, name = ship_class(outlook.ship.ship), outlook.ship.name
    boxes = [*kind.boxes, *(spec.name for spec in kind.weapons)]
    return [
        choice.wrong("no-such-box", f"{name} has no {item} on its SSD{hint(item, boxes)}", "D4.223")
        for item in on_no_ssd(kind, choice)
    ]


def on_no_ssd(kind: ShipClass, choice: om.DamageChoice) -> list[str]:
    """Return those boxes named in a DAMAGE line that ships of the given class do not have."""
    boxes = [*kind.boxes, *(spec.name for spec in kind.weapons)]
    named = {box.lower() for box in boxes}  # nearly all items are in this set
    lettered = [
        f"{system} {letter}" for system in ("tractor", "shuttle") for letter in LETTERS[: kind.boxes.get(system, 0)]
    ]
    return [
        item
        for item in choice.items
        if item.lower() not in named and not any(names_box(item, box) for box in (*boxes, *lettered))
    ]
