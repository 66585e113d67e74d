"""Checking the lines of DO, BREAK and DAMAGE: what the rules can never allow, and on what the rest depends."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.data.ships import ship_class
from pbem.faults import Fault, NotAllowed
from pbem.game.state import AnyUnit, Request, Seeker, Ship, Shuttle, State, Weapon
from pbem.orders import model as om
from pbem.orders.names import weapons_text
from pbem.rules import arcs, hexes, plasma
from pbem.rules.arming import family
from pbem.rules.boarding import verify_weapons
from pbem.rules.cloak import verify_not_silent
from pbem.rules.damage import names_box
from pbem.rules.direct_fire import is_direct_fire, is_phaser, max_range, min_range
from pbem.rules.energy_terms import LETTERS
from pbem.rules.fire import verify_fire, verify_rate
from pbem.rules.phasers import shots
from pbem.rules.plasma import verify_shot_at_plasma
from pbem.rules.reserve import PLASMA, verify_reserve
from pbem.rules.sensors import verify_fire_control
from pbem.rules.shuttles import verify_shot_at_shuttle
from pbem.rules.standing import fire_control
from pbem.turn import cloaking
from pbem.turn.check_conditions import never_meets, surely_it
from pbem.turn.check_named import about_the_gone, check_units, hint, named_in, verify_own
from pbem.turn.check_never import named_too_often, never_acts
from pbem.turn.check_systems import check_system
from pbem.turn.check_terrain import verify_line
from pbem.turn.conditions import Scene, unit_named
from pbem.turn.ending import may_disengage
from pbem.turn.firing import Magazine, energy_for
from pbem.turn.launching import spec_of, verify_target, verify_used
from pbem.turn.outlook import Outlook, is_over, most_hexes, over_text, verify_reserve_used
from pbem.turn.reinforcing import verify_reinforced
from pbem.turn.torpedoes import is_plasma, is_torpedo
from pbem.values.words import CloakState, FormKind, StepName, WeaponState

FAR = 6
"""Hexes of possible enemy movement beyond which arcs are left to the day; a wider disk hardly ever rules a
weapon out.
"""

Taken = dict[tuple[str, str], list[om.Order]]
"""The plain AT orders of a ship for each weapon: (``fire`` or ``launch``, weapon) to the orders that name it."""


def step_is_over(state: State, request: Request, order: om.Order) -> bool:
    """Whether an AT order names the impulse with which a request's orders begin, and its step there has been played. It
    has acted or failed for good; GUIDE, RESERVE and EVERY do no harm where they stand.
    """
    steps = {activity.step for activity in order.does}
    if order.at != request.impulse or order.every or not steps.isdisjoint((StepName.NONE, StepName.SEEK)):
        return False
    return any(is_over(state, request, step) for step in steps)


def check_order(outlook: Outlook, order: om.Order, taken: Taken) -> tuple[list[Fault], str]:
    """Faults of one line, or on what it depends (empty: on nothing). ``taken`` remembers weapons used by plain
    AT orders (see :func:`rivals`).
    """
    faults = check_when(outlook.state, outlook.request, outlook.ship, order)
    if len(order.does) > 1 and any(isinstance(activity, om.Reserve) for activity in order.does):
        text = "RESERVE stands alone: every shield that is struck is asked about by itself; write one line for each"
        faults.append(order.wrong("reserve-alone", text, "H7.2"))
    for activity in order.does:
        try:
            faults += list(_activity(outlook, order, activity, taken))
        except NotAllowed as refused:
            faults.append(refused.fault(order.line, order.column))
    late, done = about_the_gone(outlook.state, outlook.request, order)
    if late or done:
        return faults + late, done
    if faults:
        return faults, ""
    never = never_acts(outlook, order) or _never_of_it(outlook, order)
    told = (never or _depends(outlook, order), named_too_often(outlook.ship, order))
    return faults, "; ".join(filter(None, told))


def _never_of_it(outlook: Outlook, order: om.Order) -> str:
    """Why nothing is ever done to IT or EACH where the condition of the order is about one unit alone: it would be
    refused if its name stood there; empty where it may be done.
    """
    who = surely_it(outlook.state, outlook.request, outlook.ship, order)
    if who is None:
        return ""
    named = om.UnitRef(how="name", name=who.name)
    for activity in order.does:
        fields = [field for field in activity.__struct_fields__ if _is_it(getattr(activity, field))]
        meant = msgspec.structs.replace(activity, **dict.fromkeys(fields, named))
        try:
            found = list(_activity(outlook, order, meant, {})) if fields else []
        except NotAllowed as refused:
            found = [refused.fault(order.line, order.column)]
        if found:
            return f"it can never act: IT is {who.name}; {found[0].sentence}"
    return ""


def _is_it(value: object) -> bool:
    return isinstance(value, om.UnitRef) and value.how in ("it", "each")


def check_guidance(state: State, request: Request, side: str, order: om.Order) -> tuple[list[Fault], str]:
    """Faults of one line of what a side orders by itself: GUIDE, for weapons that no ship of its guides (F2.0)."""
    weapons: list[AnyUnit] = [unit for unit in state.in_play() if unit.side == side]
    if not weapons:
        text = f"{side} has nothing in play to guide"
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
    """What is wrong with the moment of a line, with its condition, or with what AND joins in it."""
    faults: list[Fault] = []
    first = max(1, request.impulse)
    if order.at is not None and not first <= order.at <= request.through:
        text = f"impulse {order.at} is not among {first} to {request.through}, which these orders cover"
        faults.append(order.wrong("impulse", text, "C1.41"))
    faults += check_units(state, unit, [], order, order.condition)
    steps = {activity.step for activity in order.does}
    if order.at is not None and step_is_over(state, request, order):
        faults.append(order.wrong("step-over", over_text(state, order.at), "B2.0"))
    if len(steps) > 1:
        text = "activities joined by AND must belong to the same step of the impulse"
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
    """What of the ship's own may have changed by the time an activity comes, other orders of hers included."""
    ship = outlook.ship
    match activity:
        case om.Reinforce():
            yield "what the batteries hold then"
        case om.Release() if not outlook.state.held_by(ship.name):
            yield "what its own beams hold then"
        case om.LaunchShuttle():
            if activity.shuttle not in ship.hangar:
                yield f"whether shuttle {activity.shuttle} is aboard then"
            if activity.count > {"CREW": ship.passengers, "BP": ship.parties}.get(activity.what, activity.count):
                yield "who is aboard then"


def _activity(outlook: Outlook, order: om.Order, activity: om.Activity, taken: Taken) -> Iterator[Fault]:
    named = [activity.who] if isinstance(activity, om.Guide) else named_in(activity)
    yield from check_units(outlook.state, outlook.ship, named, order)
    match activity:
        case om.Fire():
            yield from _fire(outlook, order, activity, taken)
        case om.Launch():
            _launch(outlook, order, activity, taken)
        case om.Guide(who=who):
            verify_own(outlook.state, outlook.ship.side, who)
        case om.Reserve():
            _reserve(outlook, activity)
        case om.Reinforce():
            _reinforce(outlook, activity)
        case om.Disengage():
            if not may_disengage(outlook.scenario, outlook.ship.side):
                raise NotAllowed("no-disengagement", "this scenario does not let the ship disengage", _rule(outlook))
        case om.Cloak() | om.Uncloak() if outlook.scenario.uses("cloak"):
            _announcement(outlook, order, activity)
        case om.Cloak() | om.Uncloak() if outlook.scenario.uses("cadet cloak"):
            text = "a Cadet ship is cloaked for whole turns: pay for CLOAK on the energy form, or leave it out"
            raise NotAllowed("not-used", text, "G13.1")
        case om.Cloak() | om.Uncloak():
            raise NotAllowed("not-used", f"{activity.verb} is not used in this scenario", _rule(outlook))
        case _:
            yield from check_system(outlook, order, activity)


def _rule(outlook: Outlook) -> str:
    return f"scenario #{outlook.scenario.number}"


def _announcement(outlook: Outlook, order: om.Order, activity: om.Cloak | om.Uncloak) -> None:
    """What a ship's energy or its last announcement rules out for the whole turn (G13.0)."""
    if not cloaking.has_cloak(outlook.scenario, outlook.ship):
        raise NotAllowed("no-cloak", f"{outlook.ship.name} has no cloaking device", "G13.32")
    later = msgspec.structs.replace(outlook.state, turn=outlook.request.turn, impulse=order.at or outlook.first)
    cloaking.verify_announcement(later, outlook.ship, activity)


def _visible(outlook: Outlook, order: om.Order, weapon: str) -> None:
    """A Cadet ship under cloak uses no weapons all turn, one just out of it none in impulse 1 (G13.33C, G13.34C)."""
    ship = outlook.ship
    if ship.cloak in (CloakState.CLOAKED, CloakState.UNCLOAKED):
        moment = outlook.moment(order.at or outlook.request.through)
        verify_not_silent(cloaking.veil_at(ship, moment, outlook.state.impulses), f"{ship.name} {weapon}")


# --- fire ------------------------------------------------------------------------------------------------------------


def _fire(outlook: Outlook, order: om.Order, activity: om.Fire, taken: Taken) -> Iterator[Fault]:
    """Every named weapon must exist, work, be ready, and be able to bear; ALL and HEAVY are sorted out in play."""
    ship, state = outlook.ship, outlook.state
    target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
    if target is not None:
        verify_target(state, ship, target, "E1.1")
    verify_weapons(ship.name, bool(ship.captured_from))
    verify_fire_control(ship.name, fire_control(ship.unpaid))
    if activity.battery:
        verify_reserve_used(outlook)
    refusals: list[NotAllowed] = []
    possible = False
    for weapon in activity.weapons:
        if weapon.split()[0] in ("ALL", "HEAVY"):
            _verify_every(ship, *weapon.split()[1:])
            continue
        spec = spec_of(ship, weapon)
        verify_used(ship, weapon)
        _visible(outlook, order, weapon)
        if not is_direct_fire(spec.kind):
            how = "; LAUNCH it" if family(spec.kind).launches else ""
            raise NotAllowed("not-direct-fire", f"{weapon} is no direct-fire weapon{how}", "D1.3")
        if target is not None and is_torpedo(target):
            verify_shot_at_plasma(spec.kind)
        box = ship.weapons[weapon]
        # At an unknown impulse only what no impulse can mend is refused: judged on the last one.
        impulse = order.at or outlook.request.through
        source, energy = energy_for(
            spec.kind,
            box.charge,
            Magazine(ship, state.options.fractional),
            (activity.reserve or activity.battery) and state.options.reinforcement,
            battery=activity.battery,
        )
        verify_line(outlook, order, target)
        reach, bears = _reach(outlook, order, spec.kind, spec.max_range, spec.arc, target)
        if isinstance(target, Shuttle):
            verify_shot_at_shuttle(reach)
        try:
            verify_fire(
                kind=spec.kind,
                name=f"{ship.name} {weapon}",
                working=box.working,
                charge=WeaponState.POWERED if source == "reserve" and not is_phaser(spec.kind) else box.charge,
                fired=box.fired,
                moment=outlook.moment(impulse),
                impulses=state.impulses,
                range=reach,
                max_range=spec.max_range,
                in_arc=bears,
                energy=energy,
                shots=box.shots,
            )
        except NotAllowed as refused:
            refusals.append(refused)
            continue
        possible = True
        if shots(spec.kind) == 1 and not activity.one_of:  # a phaser-G acts as often as it has shots
            _taken(order, StepName.FIRE, weapon, taken)
    for reason in refusals:
        # While another weapon of the list can fire, one that was shot away since the orders were written does no harm;
        # of ONE OF a list, none that cannot.
        if not possible or not (activity.one_of or reason.code == "weapon-destroyed"):
            yield reason.fault(order.line, order.column)


def _verify_every(ship: Ship, kind: str = "") -> None:
    """Raises :class:`NotAllowed` where ALL of a kind names nothing that the ship could ever fire."""
    named = ship_class(ship.ship).named
    fired = [name for name, spec in named.items() if not family(spec.kind).launches]
    if kind and not any(name.split()[0] == kind for name in named):
        text = f"{ship.name} has no {kind}; what it may fire: {weapons_text(fired) or 'nothing'}"
        raise NotAllowed("no-such-weapon", text, "E1.2")
    if kind and not any(name.split()[0] == kind for name in fired):
        raise NotAllowed("not-direct-fire", f"{kind} is no direct-fire weapon; LAUNCH each by itself", "D1.3")


def _taken(order: om.Order, how: str, weapon: str, taken: Taken) -> None:
    """A plain AT order that fires or launches a weapon, which it can but once a turn (E1.5, FD1.1, FP1.21)."""
    if order.at is not None and order.condition is None:
        taken.setdefault((how, weapon), []).append(order)


def rivals(order: om.Order, taken: Taken) -> str:
    """That an order acts only where other plain AT orders for its weapons did not; empty where there are none."""
    found = []
    for (how, weapon), orders in taken.items():
        if order in orders:
            lines = [f"{one.line}" for one in orders if one is not order and _before(one, order)]
            if lines:
                found.append(f"that line {' or '.join(lines)} did not {how} {weapon} before it")
    return " and ".join(found)


def _before(one: om.Order, other: om.Order) -> bool:
    return (one.at or 0, one.line) < (other.at or 0, other.line)


def _reach(
    outlook: Outlook, order: om.Order, kind: str, limit: int | None, arc: str, target: AnyUnit | None
) -> tuple[int, bool]:
    """A range and a bearing that are possible if any are: refused only where no hex the target can reach is legal."""
    fair = min_range(kind), True
    impulse = order.at
    if target is None or impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return fair
    hex_, facing = outlook.at[impulse]
    steps = most_hexes(outlook, target, impulse)
    gap = hexes.distance(hex_, target.hex, outlook.state.grid)
    nearest, farthest = gap - steps, gap + steps  # less than 0 is as near as 0
    if nearest > max_range(kind, limit):
        return nearest, True
    if farthest < min_range(kind):
        return farthest, True
    if isinstance(target, Shuttle):
        return max(nearest, min_range(kind)), True
    if steps > FAR:
        return fair
    around = hexes.within(target.hex, steps, outlook.state.map, outlook.state.grid)
    if hex_ in around or any(arcs.in_arc(hex_, facing, where, arc, outlook.state.grid) for where in around):
        return fair
    return max(nearest, min_range(kind)), False


# --- launch, reserve -------------------------------------------------------------------------------------------------


def _launch(outlook: Outlook, order: om.Order, activity: om.Launch, taken: Taken) -> None:
    ship = outlook.ship
    spec = spec_of(ship, activity.weapon)
    box = ship.weapons[activity.weapon]
    target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
    if target is not None and (outlook.state.enemies(ship.side, target.side) or not isinstance(target, Seeker)):
        verify_target(outlook.state, ship, target, "FD1.3")
    verify_weapons(ship.name, bool(ship.captured_from))
    verify_fire_control(ship.name, fire_control(ship.unpaid))
    _visible(outlook, order, activity.weapon)
    if target is not None and is_torpedo(target):
        raise NotAllowed("only-phasers", "only phasers harm a plasma torpedo; nothing seeks one", "FD1.3")
    if is_plasma(spec.kind):
        _torpedo(outlook, order, activity)
        _taken(order, StepName.LAUNCH, activity.weapon, taken)
        return
    if activity.reserve:
        raise NotAllowed("reserve-use", f"reserve power is not for {activity.weapon}", "H7.2")
    if not family(spec.kind).launches:
        raise NotAllowed("not-a-launcher", f"{activity.weapon} of {ship.name} launches no seeking weapon", "F1.0")
    if not box.working:
        raise NotAllowed("weapon-destroyed", f"{activity.weapon} of {ship.name} is destroyed", "FD1.1")
    if not box.ammo:
        raise NotAllowed("no-ammo", f"{activity.weapon} of {ship.name} has no drones left", "FD1.1")
    impulse = order.at or outlook.request.through
    verify_rate(f"{ship.name} {activity.weapon}", box.fired, outlook.moment(impulse), outlook.state.impulses, "FD1.1")
    racks = sum(family(each.kind).ammunition for each in ship.weapons.values())
    only_one = ship_class(ship.ship).drone_limit == 1 < racks
    _taken(order, StepName.LAUNCH, "a drone" if only_one else activity.weapon, taken)


def _torpedo(outlook: Outlook, order: om.Order, activity: om.Launch) -> None:
    """A tube that is not armed this turn, or was destroyed too long ago, launches nothing (FP1.21, FP1.7)."""
    ship = outlook.ship
    spec, box = spec_of(ship, activity.weapon), ship.weapons[activity.weapon]
    if not box.working and box.destroyed is None:
        raise NotAllowed("weapon-destroyed", f"{activity.weapon} of {ship.name} is destroyed", "FP1.7")
    plasma.verify_launch(
        name=f"{ship.name} {activity.weapon}",
        charge=_finished(outlook, activity, box),
        moment=outlook.moment(order.at or outlook.first),
        impulses=outlook.state.impulses,
        facing=ship.facing,  # where the ship will face, and where its target will be, is left to the day
        ship_facing=ship.facing,
        mount="",
        arc=spec.arc,
        target_in_arc=True,
        destroyed=box.destroyed,
        lock_on=ship.lock_on,
    )


def _finished(outlook: Outlook, activity: om.Launch, box: Weapon) -> WeaponState:
    """The charge a tube is launched with: armed, where reserve power completes its rolling delay (H7.2)."""
    points = family(box.kind).to_finish(box.charge) if activity.reserve else None
    if points is None:
        return box.charge
    verify_reserve_used(outlook)
    verify_reserve(PLASMA, points=points, stored=outlook.ship.batteries, rolling=True)
    return WeaponState.ARMED


def _reserve(outlook: Outlook, activity: om.Reserve) -> None:
    verify_reserve_used(outlook)
    if activity.points < 1:
        raise NotAllowed("no-points", "RESERVE takes at least one point", "H7.2")
    # In a rebid the line may stand from before the batteries were spent: it then does nothing.
    if outlook.ship.batteries < 1 and outlook.request.form != FormKind.SOP:
        raise NotAllowed("no-reserve", f"{outlook.ship.name} has no charged battery left for reserve power", "H7.1")


def _reinforce(outlook: Outlook, activity: om.Reinforce) -> None:
    """What no impulse can mend: no shields this turn, or fewer batteries than points (H7.1)."""
    verify_reserve_used(outlook)
    if activity.points < 1:
        raise NotAllowed("no-points", "REINFORCE takes at least one point", "H7.1")
    # In a rebid the line may stand from before the batteries were spent: it then does nothing.
    charged = outlook.ship.batteries if outlook.request.form != FormKind.SOP else activity.points
    # A shield that is lowered now comes up again; one that is down stays so this turn.
    verify_reinforced(msgspec.structs.replace(outlook.ship, lowered=()), activity, charged)


# --- breaks, damage, names -------------------------------------------------------------------------------------------


def check_break(outlook: Outlook, line: om.Break) -> list[Fault]:
    """A break's units must exist; that it reads public facts only was seen to by the reader."""
    return list(check_units(outlook.state, outlook.ship, [], line, line.condition))


def check_own_break(state: State, side: str, line: om.Break) -> list[Fault]:
    """A break above all blocks: of a side that has no ships, its seeking weapons ask it (F2.0)."""
    weapons = state.unguided(side)
    if not weapons:
        text = "whose break is this? A line with SHIP and the ship's name stands above its breaks"
        return [line.wrong("no-unit", text)]
    return list(check_units(state, weapons[0], [], line, line.condition))


def check_damage(outlook: Outlook, choice: om.DamageChoice) -> list[Fault]:
    """Every box named must be on the ship's SSD (D4.223)."""
    kind = ship_class(outlook.ship.ship)
    boxes = [*kind.boxes, *(spec.name for spec in kind.weapons)]
    lettered = [
        f"{system} {letter}" for system in ("tractor", "shuttle") for letter in LETTERS[: kind.boxes.get(system, 0)]
    ]
    return [
        choice.wrong("no-such-box", f"{outlook.ship.name} has no {item} on its SSD{hint(item, boxes)}", "D4.223")
        for item in choice.items
        if not any(names_box(item, box) for box in (*boxes, *lettered))
    ]
