"""Lowered shields and transporters (G8.0).

In one step all ships lower shields first, and then all transports are tried on the resulting state (G8.2). So two ships
that lower shields for each other in the same step can use transporters in that step. A shield is down (no boxes left),
lowered (by order), or up. A shield that is up blocks transporters.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.terms import FormKind
from pbem.engine import events as ev, victory
from pbem.engine.checking.outlook import Outlook, least_range, verify_reserve_used
from pbem.engine.conditions.scene import Scene, targets_of, unit_named
from pbem.engine.log import apply
from pbem.engine.order_systems import SYSTEMS, System
from pbem.engine.play.resolution import Intent, Resolution
from pbem.engine.relations import raiders_of
from pbem.engine.state import AnyUnit, Planet, Ship, State
from pbem.engine.steps.firing import shield_hit
from pbem.engine.steps.geometry import boundary, faced, near_side, range_between, shield_up, struck_shield
from pbem.engine.victory.kind import VictoryConditions
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.rules import power, ties, transporters as law
from pbem.rules.power import TRANSPORTERS, log_points, verify_reserve

GENERAL = "general"
"""The key of the general reinforcement in the dict of lowered shields."""


def stops(ship: Ship, shield: int) -> int:
    """Return the number of shield boxes that block a transporter at a shield.

    The result is 0 for a shield that is down or lowered, and for a ship that did not pay for its shields.
    """
    return shield_up(ship, shield) if power.shields_active(ship.power.unpaid) else 0


def general_up(ship: Ship) -> int:
    """Return the points of general reinforcement that block a transporter (G8.23)."""
    return 0 if GENERAL in ship.lowered or not power.shields_active(ship.power.unpaid) else ship.power.general


def _candidates(state: State, target: Ship, ship: Ship) -> tuple[int, ...]:
    """Return the numbers of the target's shields through which people may be transported.

    One of these shields must not be up. If the line follows the boundary between two shields, a friendly ship may use
    either shield (G8.24). An enemy must use the shield that direct fire would hit (D3.41), if D3.41 decides which one
    that is.
    """
    shown = faced(state, target, ship)
    if len(shown) == 1 or not state.enemies(ship.side, target.side):
        return shown
    settled = boundary(state, target, ship)
    if settled is not None:
        return (settled,)
    if state.options.boundary == "die":
        return shown
    return (struck_shield(state, target, ship),)


def verify_target_open(state: State, ship: Ship, target: AnyUnit) -> None:
    """Check that the target's shield is not visibly up.

    For a target of the ship's own side, the check also considers whether the target paid for its shields.

    Raises:
        NotAllowed: The shield is up (``target-shield-up``).
    """
    up = stops if target.belongs_to(ship.side) else shield_up
    if isinstance(target, Ship) and all(up(target, shield) for shield in _candidates(state, target, ship)):
        raise NotAllowed(
            "target-shield-up", f"it waits until the shield that {target.name} turns to the ship is down", "G8.21"
        )


def failure(table: Resolution, ship: Ship, target: AnyUnit) -> str:
    """Return why a transport fails at the target (G8.21, G8.23), or an empty string if it does not.

    A transport to or from a planet never fails, because planets have no shields.
    """
    if not isinstance(target, Ship):
        return ""
    if table.state.enemies(ship.side, target.side):
        boxes = stops(target, shield_hit(table, ship, target))
    else:
        boxes = min(stops(target, shield) for shield in faced(table.state, target, ship))
    return law.fails(target_shield_boxes=boxes, target_general=general_up(target))


def raise_shields(table: Resolution) -> None:
    """At the start of the step, raise the shields that were lowered a quarter of a turn ago (G8.22)."""
    state = table.state
    for ship in state.ships():
        for name, since in sorted(ship.lowered.items()):
            shield = 0 if name == GENERAL else int(name.removeprefix("#"))
            if law.can_raise(shield=shield, dropped=since, moment=table.moment, impulses=state.impulses):
                table.tell(ev.ShieldRaised(unit=ship.name, shield=shield, rule="G8.22"))


SYSTEM = "tran"
"""The name of the transporter boxes on the SSD."""

PARTIES, CREW = "BP", "CREW"


class Beam(msgspec.Struct, frozen=True, kw_only=True):
    """One use of transporters in this step.

    ``count`` boarding parties (``what`` is ``BP``) or crew units (``CREW``) go to ``target`` (``way`` is ``TO``) or
    come from it (``FROM``). ``reserve`` is the number of energy points that batteries pay for this use, which may
    include fifths (B3.2).
    """

    target: str
    count: int
    what: str
    way: str
    reserve: Fraction = Fraction(0)


class TransportPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The actions of one order in this step.

    Attributes:
        ship: The ship that uses the transporters.
        order: The order.
        lowered: The numbers of the shields to lower; 0 is the general reinforcement.
        beams: The uses of transporters.
    """

    ship: str
    order: om.Order
    lowered: tuple[int, ...] = ()
    beams: tuple[Beam, ...] = ()


class Aboard:
    """The people who can still be transported in one step.

    Only people who were at a place when the step began can be transported from there. Each order that transports people
    reduces the number left at the place.
    """

    def __init__(self, before: State) -> None:
        self.before = before
        self.gone: dict[tuple[str, str, str], int] = {}

    def copy(self) -> Aboard:
        """Return an independent copy, so that an order can be tried without changing the original."""
        other = Aboard(self.before)
        other.gone = dict(self.gone)
        return other

    def take(self, ship: Ship, source: AnyUnit, count: int, what: str) -> None:
        """Record that people are transported away from a place.

        Raises:
            NotAllowed: Fewer people than ``count`` are left there (``not-aboard``).
        """
        key = (source.name, what, self.before.team_of(ship.side))
        left = _aboard(self.before, ship, source, what) - self.gone.get(key, 0)
        if count > left:
            place, left = "on" if isinstance(source, Planet) else "aboard", max(0, left)
            raise NotAllowed(
                "not-aboard", f"{place} {source.name} only {left} {what} can be transported, not {count}", "G8.1"
            )
        self.gone[key] = self.gone.get(key, 0) + count


def _aboard(state: State, ship: Ship, source: AnyUnit, what: str) -> int:
    """Return how many people of its own side a ship may transport from a place.

    ``source`` is the place; ``what`` is ``BP`` (boarding parties) or ``CREW``.
    """
    if isinstance(source, Planet):
        return source.crew if what == CREW else 0
    if not isinstance(source, Ship):
        return 0
    if what == CREW:
        return source.people.passengers
    if not state.enemies(ship.side, source.side):
        return source.people.parties
    return raiders_of(state, source, ship.side)


# --- the step --------------------------------------------------------------------------------------------------------


def operate(table: Resolution) -> None:
    """Play the transporter step: raise shields, lower others, and use transporters (G8.2)."""
    raise_shields(table)
    before = table.state
    plans, refused = _agreed(table, before, [*table.ordered(before, (om.LowerShield, om.Transport))])
    for ship, order, why in refused:
        table.failed(ship, order, _said(why, order))
    for plan in plans:
        for shield in plan.lowered:
            rule = "G8.22" if shield else "G8.23"
            table.tell(ev.ShieldLowered(unit=plan.ship, shield=shield, rule=rule))
    opened = table.state
    for plan in plans:
        ship = table.ship(plan.ship)
        results = [
            f"shield #{shield} lowered" if shield else "general reinforcement lowered" for shield in plan.lowered
        ]
        results += [_beam(table, ship, beam, opened) for beam in plan.beams]
        table.acted(ship, plan.order, ", ".join(results))


def _said(refused: NotAllowed, order: om.Order) -> str:
    """Return the reason why an order did not act, as a text for the player who wrote the order.

    An order that waits until it can act gets a fixed text, so that the reason is reported only once.
    """
    if refused.code == "transporter-range" and order.at is None and not order.last:
        return f"it waits until the other unit is within {charts.transporters().range} hexes (G8.14)"
    return str(refused)


RefusedOrder = tuple[Ship, om.Order, NotAllowed]


def _agreed(
    table: Resolution, before: State, intents: list[tuple[Ship, Intent]]
) -> tuple[list[TransportPlan], list[RefusedOrder]]:
    """Return the actions of all orders that can be carried out together, and the refused orders.

    The reason of each refusal is returned too. An order without an impulse waits while the target's shield is visibly
    up, which depends on the shields that other ships lower in this step. So all orders are assumed to act at first.
    Then orders that would have to wait are removed repeatedly, until no more are found.
    """
    waiting: dict[int, NotAllowed] = {}
    while True:
        plans: list[tuple[int, TransportPlan]] = []
        refused: list[RefusedOrder] = []
        state, aboard = before, Aboard(before)
        for number, (ship, intent) in enumerate(intents):
            if number in waiting:
                refused.append((ship, intent.order, waiting[number]))
                continue
            people = aboard.copy()
            try:
                plan, state = _planned(table, state, before, people, ship.name, intent)
            except NotAllowed as why:
                refused.append((ship, intent.order, why))
                continue
            aboard = people
            plans.append((number, plan))
        late = {number: wait for number, plan in plans if (wait := _waits(state, plan))}
        if not late:
            return [plan for _, plan in plans], refused
        waiting |= late


def _waits(state: State, plan: TransportPlan) -> NotAllowed | None:
    """Return the refusal for an order that must wait although all shields of this step are lowered.

    Only an order without an impulse can wait. The result is ``None`` if the order need not wait.
    """
    if plan.order.at is not None or plan.order.last:
        return None
    ship = state.units[plan.ship]
    assert isinstance(ship, Ship)
    try:
        for beam in plan.beams:
            verify_target_open(state, ship, state.units[beam.target])
    except NotAllowed as why:
        return why
    return None


def _planned(
    table: Resolution, state: State, before: State, aboard: Aboard, name: str, intent: Intent
) -> tuple[TransportPlan, State]:
    """Return the actions of an order, and the state after the order has used up energy and transporters.

    Shields are lowered first, whatever the sequence of the activities in the order.

    Raises:
        NotAllowed: One of the order's activities is not allowed; then the order does nothing.
    """
    lowered: list[int] = []
    beams: list[Beam] = []
    together = len(intent.order.does) > 1
    for activity in intent.order.does:
        if isinstance(activity, om.LowerShield):
            for shield in _to_lower(state, before, name, activity, intent, together):
                lowered.append(shield)
                state = _applied(table, state, ev.ShieldLowered(unit=name, shield=shield))
    for activity in intent.order.does:
        if isinstance(activity, om.Transport):
            beam, points = _to_beam(table, state, aboard, name, activity, intent)
            beams.append(beam)
            for event in _used(name, beam, points, failed="planned"):
                state = _applied(table, state, event)
    return TransportPlan(ship=name, order=intent.order, lowered=tuple(lowered), beams=tuple(beams)), state


def _applied(table: Resolution, state: State, event: ev.AnyEvent) -> State:
    return apply(state, replace(event, turn=table.turn, impulse=table.impulse, step=table.step))


def _used(name: str, beam: Beam, transporters: int, failed: str = "") -> list[ev.ReserveSpent | ev.Transported]:
    """Return the events of one use of transporters.

    ``failed`` is the reason why nothing is transported; empty if people are. When orders are planned, ``failed`` is
    set, so that the events use up energy and transporters but move no people.
    """
    used = ev.Transported(
        unit=name,
        target=beam.target,
        count=beam.count,
        what=beam.what,
        way=beam.way,
        transporters=transporters,
        failed=failed,
        rule="G8.2" if failed else "G8.1",
    )
    if not beam.reserve:
        return [used]
    return [ev.ReserveSpent(unit=name, points=log_points(beam.reserve), purpose=TRANSPORTERS, rule="H7.2"), used]


def _to_lower(
    state: State, before: State, name: str, activity: om.LowerShield, intent: Intent, together: bool
) -> list[int]:
    """Return the numbers of the shields to lower for an activity; 0 is the general reinforcement.

    On the boundary between two shields the shield with fewer boxes is lowered (G8.24). The list is empty if an order
    with several activities finds the shield already lowered.

    Raises:
        NotAllowed: The shield or the reinforcement cannot be lowered.
    """
    ship = state.units[name]
    assert isinstance(ship, Ship)
    if activity.general:
        if not ship.power.general:
            raise NotAllowed("no-general", f"{name} has no general reinforcement to lower", "G8.23")
        shield, lowered = 0, GENERAL in ship.lowered
    elif activity.to is None:
        shield, lowered = activity.shield, f"#{activity.shield}" in ship.lowered
    else:
        to = _named(before, ship, activity.to, intent)
        facing = faced(before, ship, near_side(before, ship, to))
        shield = min(facing, key=lambda number: (shield_up(ship, number), ties.of_shields(number)))
        lowered = not shield_up(ship, shield)
    if together and lowered:
        return []
    law.verify_drop(shield=shield, lowered=lowered)
    return [shield]


def _named(before: State, ship: Ship, ref: om.UnitRef, intent: Intent) -> AnyUnit:
    """Return the unit to which an order refers; if several are possible, the nearest of them.

    Raises:
        NotAllowed: There is no such unit in play.
    """
    found = targets_of(ref, Scene(state=before, me=ship), intent.its)
    if not found:
        raise NotAllowed("no-target", "there is no such unit in play", "")
    return found[0]


def _to_beam(
    table: Resolution, state: State, aboard: Aboard, name: str, order: om.Transport, intent: Intent
) -> tuple[Beam, int]:
    """Return one use of transporters as ordered, and the number of transporters it needs.

    Raises:
        NotAllowed: The use is not allowed.
    """
    ship = state.units[name]
    assert isinstance(ship, Ship)
    target = _named(aboard.before, ship, order.unit, intent)
    verify_cargo(victory.victory_conditions(table.scenario), state, ship, order, target)
    wanted, working = law.needed(order.count), ship.boxes.get(SYSTEM, 0)
    powered, reserve, parts = ship.power.transporters, Fraction(0), state.options.fractional
    if order.reserve and state.options.reinforcement and ship.this_turn.transported + wanted > powered:
        reserve = law.energy_for(ship.this_turn.transported + wanted - powered, parts)
        powered += law.operated(reserve, working, parts)
    near = near_side(state, ship, target)
    law.verify_transport(
        wanted=wanted,
        working=working,
        used=ship.this_turn.transported,
        powered=powered,
        range=range_between(state, ship, near),
        own_shield_down=not all(stops(ship, shield) for shield in faced(state, ship, near)),
        own_general=general_up(ship),
    )
    if reserve:
        verify_reserve(TRANSPORTERS, points=reserve, stored=ship.power.stored)
    aboard.take(ship, ship if order.way == "TO" else target, order.count, order.what)
    return Beam(target=target.name, count=order.count, what=order.what, way=order.way, reserve=reserve), wanted


def verify_cargo(kind: VictoryConditions, state: State, ship: Ship, order: om.Transport, target: AnyUnit) -> None:
    """Check that such people may be transported between these types of units (G8.15).

    Boarding parties may be transported only from ship to ship. Those of an ally without a player stay aboard, and so do
    the guards of freighters (scenario #8). Crew units may be transported between planets and friendly ships.

    Raises:
        NotAllowed: The people may not be transported there.
    """
    if target.name == ship.name:
        raise NotAllowed("transporter-target", f"{ship.name} cannot beam anybody to or from itself", "G8.11")
    if not isinstance(target, Ship | Planet):
        raise NotAllowed("transporter-target", f"{target.name} is neither a ship nor a planet", "G8.11")
    if order.what == CREW:
        _verify_crew(kind, state, ship, target)
    elif isinstance(target, Planet):
        raise NotAllowed("transporter-target", f"boarding parties have nothing to do on {target.name}", "G8.11")
    else:
        _verify_parties(kind, state, ship, target if order.way == "FROM" else ship)


def _verify_crew(kind: VictoryConditions, state: State, ship: Ship, target: Ship | Planet) -> None:
    """Check that the survivors of scenario #9 are transported only by the side that rescues them.

    An enemy of the rescuers who captured the ship with the survivors cannot transport them (D7.0).

    Raises:
        NotAllowed: The survivors may not be transported.
    """
    if not kind.rescues(state, ship.side) and (kind.rescuers or isinstance(target, Planet)):
        place = "on" if isinstance(target, Planet) else "aboard"
        text = f"the people {place} {target.name} do not go with {ship.side}" + (
            f", only with {kind.rescuers}" if kind.rescuers else ""
        )
        raise NotAllowed("transporter-enemy", text, "G8.15")
    if state.enemies(ship.side, target.side):
        text = f"crew units cannot be transported to or from {target.name}, an enemy ship"
        raise NotAllowed("transporter-enemy", text, "G8.15")


def _verify_parties(kind: VictoryConditions, state: State, ship: Ship, source: Ship) -> None:
    """Check that boarding parties may leave the ship on which they are.

    A side may always bring its boarders back from an enemy ship.

    Raises:
        NotAllowed: The boarding parties stay aboard.
    """
    if state.enemies(ship.side, source.side):
        return
    owner = state.sides.get(source.side)
    if kind.garrisoned(source) or (not source.belongs_to(ship.side) and owner is not None and owner.robot):
        raise NotAllowed("parties-stay", f"the boarding parties of {source.name} stay aboard", "G8.15")


def _beam(table: Resolution, ship: Ship, beam: Beam, opened: State) -> str:
    """Carry out one use of transporters and return the result as text for the owner."""
    failed = failure(table, ship, opened.units[beam.target])
    for event in _used(ship.name, beam, law.needed(beam.count), failed):
        if isinstance(event, ev.ReserveSpent):
            table.secret(ship.side, event)
        else:
            table.tell(event)
    things = f"{beam.count} {beam.what} {beam.way} {beam.target}"
    return f"{things} failed: {failed}" if failed else f"{things} beamed"


# --- checking --------------------------------------------------------------------------------------------------------


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Raise an error if an order for shields or transporters can never be legal; yields no faults.

    How many people are aboard and which shields are lowered is checked only when the order acts.

    Raises:
        NotAllowed: The ship has no transporters or energy, such people may not be transported, the target cannot come
            within range, or the shield cannot be lowered.
    """
    ship, state = outlook.ship, outlook.state
    if isinstance(activity, om.LowerShield):
        if activity.general and not state.options.reinforcement:
            raise NotAllowed("not-used", "this game does not use general reinforcement", "D3.34")
        if activity.to is not None:
            facing = unit_named(activity.to, Scene(state=state, me=ship))
            if facing is not None and facing.name == ship.name:
                raise NotAllowed("own-side", "name another unit: a ship has no shield that faces itself", "G8.22")
        return
    if not isinstance(activity, om.Transport):
        return
    _check_energy(outlook, activity)
    target = unit_named(activity.unit, Scene(state=state, me=ship))
    if activity.unit.how == "me" or (target is not None and target.name == ship.name):
        raise NotAllowed("transporter-target", f"{ship.name} cannot beam anybody to or from itself", "G8.11")
    if target is not None:
        verify_cargo(victory.victory_conditions(outlook.scenario), state, ship, activity, target)
        reach, gap = charts.transporters().range, least_range(outlook, order.at, target)
        if gap > reach:
            text = f"{target.name} is at least {gap} hexes away then; transporters reach {reach}"
            raise NotAllowed("transporter-range", text, "G8.14")
    yield from ()


def _check_energy(outlook: Outlook, activity: om.Transport) -> None:
    ship, sop = outlook.ship, outlook.request.form == FormKind.SOP
    working = ship.boxes.get(SYSTEM, 0)
    wanted = law.needed(activity.count)
    if wanted < 1:
        raise NotAllowed("no-transporter", "transport 1 or more, not 0", "G8.12")
    if wanted > working:
        raise NotAllowed("no-transporter", f"{ship.name} has {working} working transporters, not {wanted}", "G8.12")
    if activity.reserve:
        verify_reserve_used(outlook)
    short = wanted - ship.power.transporters
    if short > 0 and not activity.reserve:
        text = f"pay for TRANSPORTERS or write WITH RESERVE: energy is allocated for only {ship.power.transporters}"
        raise NotAllowed("transporter-unpowered", text, "G8.13")
    if short > 0 and not sop:
        # In the middle of a turn the line may be older than the use of the batteries; then it does nothing.
        points = law.energy_for(short, outlook.state.options.fractional)
        verify_reserve(TRANSPORTERS, points=points, stored=ship.power.stored)


SYSTEMS[om.LowerShield] = System("transporters", "lowered shields", "G8.22", check)
SYSTEMS[om.Transport] = System("transporters", "transporters", "G8.0", check)
