"""Check FIRE and LAUNCH orders.

The module finds orders that the rules can never allow, and weapons that are used by more than one order.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data.ships import WeaponSpec, ship_class
from pbem.data.terms import CloakState, StepName, WeaponState
from pbem.engine.checking.outlook import Outlook, most_hexes, verify_reserve_used
from pbem.engine.checking.plots import verify_line
from pbem.engine.conditions.scene import Scene, unit_named
from pbem.engine.state import AnyUnit, Seeker, Ship, Shuttle, Weapon
from pbem.engine.steps import sensors
from pbem.engine.steps.firing import Magazine, energy_for, weapons_named
from pbem.engine.steps.launching import spec_of, verify_target, verify_used
from pbem.engine.steps.plasma import is_plasma, is_torpedo
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.orders.names import weapons_text
from pbem.rules import hexes, plasma
from pbem.rules.boarding import verify_weapons
from pbem.rules.direct_fire import is_direct_fire, is_phaser, max_range, min_range, verify_fire, verify_rate
from pbem.rules.plasma import verify_shot_at_plasma
from pbem.rules.power import PLASMA, fire_control, verify_reserve
from pbem.rules.sensors import verify_fire_control, verify_launch as verify_lock_on, verify_not_silent
from pbem.rules.shuttles import verify_shot_at_shuttle
from pbem.rules.weapons import family, shots

FAR = 6
"""Number of hexes; firing arcs are not checked for an enemy that may still move farther than this.

With more movement hardly any weapon can be excluded.
"""

Taken = dict[tuple[str, str], list[om.Order]]
"""The plain AT orders of a ship: dict of (``fire`` or ``launch``, weapon) to the orders that name the weapon."""


def check_fire(outlook: Outlook, order: om.Order, activity: om.Fire, taken: Taken) -> Iterator[Fault]:
    """Check a FIRE order, and yield the faults.

    Every weapon that the order names must exist, work, be ready, and be able to bear on the target. For ALL and HEAVY
    the weapons are not checked one by one, because they are chosen during play.

    Raises:
        NotAllowed: A rule forbids the whole order.
    """
    ship, state = outlook.ship, outlook.state
    target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
    if target is not None:
        verify_target(state, ship, target, "E1.1")
    verify_weapons(ship.name, ship.is_prize)
    verify_fire_control(ship.name, fire_control(ship.power.unpaid))
    if activity.battery:
        verify_reserve_used(outlook)
    refusals: list[NotAllowed] = []
    possible = False
    for weapon in activity.weapons:
        if _is_group(weapon):
            _verify_every(ship, *weapon.split()[1:])
            continue
        spec = spec_of(ship, weapon)
        _verify_weapon(outlook, order, spec, target)
        try:
            _verify_fires(outlook, order, activity, weapon, target)
        except NotAllowed as refused:
            refusals.append(refused)
            continue
        possible = True
        if shots(spec.kind) == 1 and not activity.one_of:  # a phaser-G may be used several times
            _taken(order, StepName.FIRE, weapon, taken)
    for reason in refusals:
        # While another weapon of the list can fire, a weapon destroyed since the orders were written is no fault. In
        # a list with ONE OF, no weapon that cannot fire is a fault.
        if not possible or not (activity.one_of or reason.code == "weapon-destroyed"):
            yield reason.fault(order.line, order.column)


def _verify_weapon(outlook: Outlook, order: om.Order, spec: WeaponSpec, target: AnyUnit | None) -> None:
    """Check that this type of weapon may be fired at this type of target.

    Whether the weapon is armed or damaged is not considered.

    Raises:
        NotAllowed: The rules forbid such weapons to fire at such targets.
    """
    verify_used(outlook.ship, spec.name)
    _visible(outlook, order, spec.name)
    if not is_direct_fire(spec.kind):
        how = "; LAUNCH it" if family(spec.kind).launches else ""
        raise NotAllowed("not-direct-fire", f"{spec.name} is not a direct-fire weapon{how}", "D1.3")
    if target is not None and is_torpedo(target):
        verify_shot_at_plasma(spec.kind)
    verify_line(outlook, order, target)
    if isinstance(target, Shuttle):
        verify_shot_at_shuttle(_reach(outlook, order, spec, target)[0])


def _verify_fires(outlook: Outlook, order: om.Order, activity: om.Fire, weapon: str, target: AnyUnit | None) -> None:
    """Check that a weapon can fire in at least one impulse of the order.

    Raises:
        NotAllowed: The weapon can fire in no impulse, whatever happens until then.
    """
    ship, state = outlook.ship, outlook.state
    spec, box = spec_of(ship, weapon), ship.weapons[weapon]
    # Without an impulse, check the last one: only faults that exist in every impulse are refused.
    impulse = order.at or outlook.request.through
    source, energy = energy_for(
        spec.kind,
        box.charge,
        Magazine(ship, state.options.fractional),
        (activity.reserve or activity.battery) and state.options.reinforcement,
        battery=activity.battery,
    )
    reach, bears = _reach(outlook, order, spec, target)
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


def never_fires(outlook: Outlook, order: om.Order) -> str:
    """Return the reason why FIRE ALL or FIRE HEAVY can fire nothing in the rest of the turn.

    The reason is that the ship has no weapon of the named group, or none that can fire. The result is empty if a weapon
    may fire.
    """
    for activity in order.does:
        if not isinstance(activity, om.Fire) or not all(map(_is_group, activity.weapons)):
            continue
        meant = " or ".join(activity.weapons)
        named = weapons_named(outlook.ship, activity)
        weapons = [weapon for weapon in named if is_direct_fire(outlook.ship.weapons[weapon].kind)]
        if not weapons:
            return f"it can never act: {meant} stands for no weapon of {outlook.ship.name} that works (E1.2)"
        target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
        refusals: list[NotAllowed] = []
        for weapon in weapons:
            try:
                _visible(outlook, order, weapon)
                _verify_fires(outlook, order, activity, weapon, target)
            except NotAllowed as refused:
                refusals.append(refused)
        if len(refusals) == len(weapons):
            return f"it can never act: nothing that {meant} stands for can fire; {refusals[0]}"
    return ""


def _is_group(weapon: str) -> bool:
    """Return whether a word in a FIRE order, such as ALL, means a group of weapons that is chosen in play."""
    return weapon.split()[0] in ("ALL", "HEAVY")


def _verify_every(ship: Ship, kind: str = "") -> None:
    """Check that the ship has a weapon it could ever fire in a group such as ALL PH.

    Raises:
        NotAllowed: The ship has no weapon of this group that can fire.
    """
    named = ship_class(ship.ship).named
    fired = [name for name, spec in named.items() if not family(spec.kind).launches]
    if kind and not any(name.split()[0] == kind for name in named):
        text = f"{ship.name} has no {kind}; it can fire {weapons_text(fired) or 'nothing'}"
        raise NotAllowed("no-such-weapon", text, "E1.2")
    if kind and not any(name.split()[0] == kind for name in fired):
        raise NotAllowed("not-direct-fire", f"{kind} is not a direct-fire weapon; LAUNCH each by itself", "D1.3")


def _taken(order: om.Order, how: str, weapon: str, taken: Taken) -> None:
    """Record in ``taken`` that a plain AT order uses a weapon (E1.5, FD1.1, FP1.21).

    The weapon has only one use per turn, so a later order may find it already used. A plain order has no condition.
    """
    if order.at is not None and order.condition is None:
        taken.setdefault((how, weapon), []).append(order)


def earlier_users(order: om.Order, taken: Taken) -> str:
    """Return a remark if earlier plain AT orders use the weapons of an order, else an empty string.

    A plain AT order is an AT order without a condition. The remark names the lines of the earlier orders.
    """
    found = []
    for (how, weapon), orders in taken.items():
        if order in orders:
            lines = [f"{one.line}" for one in orders if one is not order and _before(one, order)]
            if lines:
                found.append(f"that line {' or '.join(lines)} did not {how} {weapon} before it")
    return " and ".join(found)


def _before(one: om.Order, other: om.Order) -> bool:
    return (one.at or 0, one.line) < (other.at or 0, other.line)


def _reach(outlook: Outlook, order: om.Order, spec: WeaponSpec, target: AnyUnit | None) -> tuple[int, bool]:
    """Return the shortest possible effective range to the target, and whether the weapon may bear on it.

    The range is in hexes. Both values take the best case over all hexes that the target can reach, so that an order is
    refused only if it is illegal for all of these hexes.
    """
    fair = min_range(spec.kind), True
    impulse = order.at
    if target is None or impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return fair
    hex_, facing = outlook.at[impulse]
    steps = most_hexes(outlook, target, impulse)
    gap = hexes.distance(hex_, target.hex, outlook.state.grid)
    nearest, farthest = gap - steps, gap + steps  # negative numbers count as 0
    if nearest > max_range(spec.kind, spec.max_range):
        return nearest, True
    if farthest < min_range(spec.kind):
        return farthest, True
    if isinstance(target, Shuttle):
        return max(nearest, min_range(spec.kind)), True
    if steps > FAR:
        return fair
    around = hexes.within(target.hex, steps, outlook.state.map, outlook.state.grid)
    if hex_ in around or any(hexes.in_arc(hex_, facing, where, spec.arc, outlook.state.grid) for where in around):
        return fair
    return max(nearest, min_range(spec.kind)), False


def check_launch(outlook: Outlook, order: om.Order, activity: om.Launch, taken: Taken) -> None:
    """Check a LAUNCH order: the weapon must exist, work, be loaded and be legal against the target.

    Raises:
        NotAllowed: The order can never be legal.
    """
    ship = outlook.ship
    spec = spec_of(ship, activity.weapon)
    box = ship.weapons[activity.weapon]
    target = unit_named(activity.target, Scene(state=outlook.state, me=outlook.ship))
    if target is not None and (outlook.state.enemies(ship.side, target.side) or not isinstance(target, Seeker)):
        verify_target(outlook.state, ship, target, "FD1.3")
    verify_weapons(ship.name, ship.is_prize)
    verify_fire_control(ship.name, fire_control(ship.power.unpaid))
    verify_lock_on(ship.name, ship.this_turn.lock_on)
    _visible(outlook, order, activity.weapon)
    if target is not None and is_torpedo(target):
        raise NotAllowed("only-phasers", "fire phasers at it: seeking weapons cannot attack a plasma torpedo", "FD1.3")
    if is_plasma(spec.kind):
        _torpedo(outlook, order, activity)
        _taken(order, StepName.LAUNCH, activity.weapon, taken)
        return
    if activity.reserve:
        raise NotAllowed("reserve-use", f"reserve power cannot pay for {activity.weapon}", "H7.2")
    if not family(spec.kind).launches:
        raise NotAllowed("not-a-launcher", f"{activity.weapon} of {ship.name} does not launch seeking weapons", "F1.0")
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
    """Check that a plasma tube is armed this turn and was not destroyed too long ago (FP1.21, FP1.7).

    Raises:
        NotAllowed: The tube cannot launch its torpedo.
    """
    ship = outlook.ship
    spec, box = spec_of(ship, activity.weapon), ship.weapons[activity.weapon]
    if not box.working and box.destroyed is None:
        raise NotAllowed("weapon-destroyed", f"{activity.weapon} of {ship.name} is destroyed", "FP1.7")
    plasma.verify_launch(
        name=f"{ship.name} {activity.weapon}",
        charge=_finished(outlook, activity, box),
        moment=outlook.moment(order.at or outlook.first),
        impulses=outlook.state.impulses,
        facing=ship.facing,  # the facing of the ship and the position of its target are checked in play
        ship_facing=ship.facing,
        mount="",
        arc=spec.arc,
        target_in_arc=True,
        destroyed=box.destroyed,
    )


def _finished(outlook: Outlook, activity: om.Launch, box: Weapon) -> WeaponState:
    """Return the charge that a plasma tube has at launch.

    The result is ``armed`` if the order completes a torpedo in rolling delay with reserve power (H7.2), otherwise the
    present charge.
    """
    points = family(box.kind).to_finish(box.charge) if activity.reserve else None
    if points is None:
        return box.charge
    verify_reserve_used(outlook)
    verify_reserve(PLASMA, points=points, stored=outlook.ship.power.batteries, rolling=True)
    return WeaponState.ARMED


def _visible(outlook: Outlook, order: om.Order, weapon: str) -> None:
    """Check that the ship's cloak lets it use weapons (G13.33C, G13.34C).

    A Cadet ship under cloak uses no weapons for the whole turn. A ship that has just uncloaked uses none in impulse 1.

    Raises:
        NotAllowed: The ship may not use weapons in the impulse of the order.
    """
    ship = outlook.ship
    if ship.cloaking.state in (CloakState.CLOAKED, CloakState.UNCLOAKED):
        moment = outlook.moment(order.at or outlook.request.through)
        verify_not_silent(sensors.veil_at(ship, moment, outlook.state.impulses), f"{ship.name} {weapon}")
