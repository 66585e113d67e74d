"""The step in which seeking weapons are launched (F2.3, FD1.2).

The step is played after seeking weapons have moved and before direct fire.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.data.ships import WeaponSpec, ship_class
from pbem.data.terms import CloakState, WeaponState
from pbem.engine import events as ev
from pbem.engine.conditions.scene import Scene, targets_of
from pbem.engine.log import apply
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Intent, Resolution
from pbem.engine.state import AnyUnit, Commanded, Seeker, Ship, Shuttle, State
from pbem.engine.steps.geometry import standpoints
from pbem.engine.steps.guidance import launched, nearest_facing, next_name
from pbem.engine.steps.plasma import is_plasma, is_torpedo, straightest, torpedo, verify_torpedo
from pbem.engine.steps.sensors import guided_by, guides, veil_of
from pbem.errors import NotAllowed
from pbem.orders.activities import paid_text
from pbem.orders.model import Launch
from pbem.rules import boarding, drones, power, sensors, ties
from pbem.rules.power import PLASMA, verify_reserve
from pbem.rules.sensors import verify_not_silent
from pbem.rules.shuttles import verify_shot_at_shuttle
from pbem.rules.weapons import family


def launch(table: Resolution) -> None:
    """Carry out all launches of this impulse, ship by ship in the order of names.

    All launches are decided based on the state at the start of the step.
    """
    before = table.state
    for ship, intent in table.ordered(before, Launch):
        orders = [activity for activity in intent.order.does if isinstance(activity, Launch)]
        try:
            launches = _prepare(table.state, ship.name, before, intent, orders)
        except NotAllowed as refused:
            table.failed(ship, intent.order, str(refused))
            continue
        for order, event in zip(orders, launches, strict=True):
            points = _reserve_needed(table.ship(ship.name), order)
            if points:  # _prepare has checked that the points may be spent
                spent = ev.ReserveSpent(unit=ship.name, points=points, purpose=order.weapon, rule="H7.2")
                table.secret(ship.side, spent)
            _launch(table, ship, order, event)
        names = ", ".join(event.seeker.name for event in launches)
        table.acted(ship, intent.order, f"{names} launched")


def _prepare(state: State, name: str, before: State, intent: Intent, orders: Sequence[Launch]) -> list[ev.Launched]:
    """Return the launches of one order (FD1.1, D6.132).

    Each launch counts toward the limits for the following launches. ``state`` includes the launches of earlier orders
    in this step; ``before`` is the state at the start of the step.

    Raises:
        NotAllowed: One of the launches is not allowed; then the order launches nothing.
    """
    launches: list[ev.Launched] = []
    for order in orders:
        ship = state.units[name]
        assert isinstance(ship, Ship)
        targets = targets_of(order.target, Scene(state=before, me=ship), intent.its)
        if not targets:
            raise NotAllowed("no-target", "there is no such target in play", "")
        points = _reserve_needed(ship, order) if order.reserve and state.options.reinforcement else 0
        if points:
            verify_reserve(PLASMA, points=points, stored=ship.power.batteries, rolling=True)
            ship = _finished(ship, order.weapon, points)
            state = msgspec.structs.replace(state, units={**state.units, name: ship})
        facing = verify_launch(state, ship, order.weapon, targets[0], order.direction)
        kind = ship.weapons[order.weapon].kind
        if is_plasma(kind):
            seeker, rule = torpedo(state, ship, kind, targets[0], facing), "FP1.3"
        else:
            seeker, rule = _drone(state, ship, targets[0], facing), "FD1.2"
        launched = ev.Launched(unit=name, weapon=order.weapon, seeker=seeker, rule=rule)
        launches.append(launched)
        state = apply(state, msgspec.structs.replace(launched, turn=state.turn, impulse=state.impulse, step=state.step))
    return launches


def _reserve_needed(ship: Ship, order: Launch) -> int:
    """Return the battery points that an order LAUNCH ... WITH RESERVE needs (H7.2).

    A plasma tube in rolling delay needs them to complete the torpedo. For other weapons the result is 0.
    """
    box = ship.weapons.get(order.weapon)
    return (family(box.kind).to_finish(box.charge) if box else None) or 0


def _finished(ship: Ship, weapon: str, points: int) -> Ship:
    """Return the ship after battery energy has completed the arming of a plasma torpedo."""
    armed = msgspec.structs.replace(ship.weapons[weapon], charge=WeaponState.ARMED)
    return altered(ship, weapons={**ship.weapons, weapon: armed}, batteries=ship.power.batteries - points)


def _launch(table: Resolution, ship: Ship, order: Launch, event: ev.Launched) -> None:
    """Put a seeking weapon on the map (FD1.2).

    The target of the weapon is announced, unless drone targets are secret in the game.
    """
    seeker = event.seeker
    if table.state.options.targets == "secret":
        hidden = msgspec.structs.replace(event, seeker=msgspec.structs.replace(seeker, target=""))
        table.secret(ship.side, event, hidden)
    else:
        table.tell(event)
    if not order.direction and not _only_way(ship, order.weapon):
        table.secret(
            ship.side,
            ev.Chose(
                side=ship.side,
                unit=ship.name,
                order=f"LAUNCH {order.weapon} AT {seeker.target} DIR {seeker.facing}{paid_text(order.reserve)}",
                reason="no direction was given",
                rule="FD1.2",
            ),
        )


def _only_way(ship: Ship, weapon: str) -> bool:
    """Return whether a weapon can be launched only straight ahead of the ship (FP3.1)."""
    spec = spec_of(ship, weapon)
    return is_plasma(spec.kind) and spec.mount != "swivel"


def spec_of(ship: Ship, weapon: str) -> WeaponSpec:
    """Return the ship class's data for a weapon box.

    Raises:
        NotAllowed: The ship has no weapon box of this name.
    """
    spec = ship_class(ship.ship).named.get(weapon)
    if spec is None:
        raise NotAllowed("no-such-weapon", f"{ship.name} has no {weapon}", "E1.2")
    return spec


def verify_launch(state: State, ship: Ship, weapon: str, target: AnyUnit, direction: str = "") -> str:
    """Check a launch of a seeking weapon, and return the facing of the weapon (FD1.1, D6.132, FP1.3).

    ``direction`` is the facing that the order names, if any.

    Raises:
        NotAllowed: The weapon may not be launched.
    """
    spec = spec_of(ship, weapon)
    if not family(spec.kind).launches:
        raise NotAllowed("not-a-launcher", f"{weapon} of {ship.name} does not launch seeking weapons", "F1.0")
    if state.enemies(ship.side, target.side) or not isinstance(target, Seeker):
        verify_target(state, ship, target, "FD1.3")
    verify_used(ship, weapon)
    if isinstance(target, Shuttle) and target.landed:
        verify_shot_at_shuttle(0, landed=True)
    if is_torpedo(target):
        raise NotAllowed("only-phasers", "only phasers harm a plasma torpedo; nothing seeks one", "FD1.3")
    verify_fire_control_and_cloak(state, ship, weapon, target)
    box = ship.weapons[weapon]
    if is_plasma(spec.kind):
        ahead = straightest(launch_line(state, ship, target), state.grid, ship.facing)
        return verify_torpedo(state, ship, spec, box, target, ahead, direction)
    ship_kind = ship_class(ship.ship)
    facings = drones.launch_facings(*launch_line(state, ship, target), state.grid)
    drones.verify_launch(
        name=weapon,
        working=box.working,
        ammo=box.ammo,
        fired=box.fired,
        moment=state.moment,
        impulses=state.impulses,
        launched_this_turn=drones_launched(state, ship),
        ship_limit=ship_kind.drone_limit,
        controlled=len(guided_by(state, ship)),
        control_limit=guides(ship),
        target_in_fa=not direction or direction in facings,
    )
    if direction:
        return direction
    wanted = drones.default_facing(*launch_line(state, ship, target), state.grid, ship.facing)
    return nearest_facing(state, ship, facings, wanted, ties.of_codes)


def drones_launched(state: State, ship: Ship) -> int:
    """Return the number of drones that a ship has launched in the turn being played (FD4.21)."""
    turn_began = (state.turn - 1) * state.impulses
    racks = [box for box in ship.weapons.values() if family(box.kind).ammunition]
    return sum(1 for rack in racks if rack.fired is not None and rack.fired > turn_began)


def verify_target(state: State, ship: Commanded, target: AnyUnit, rule: str) -> None:
    """Check that a ship may use its weapons on a target.

    Targets may not be units of the ship's own team, nor ships that the scenario protects from all sides (#4) or from
    this side (#8).

    Raises:
        NotAllowed: The target belongs to the ship's own team or is protected.
    """
    if not state.enemies(ship.side, target.side):
        raise NotAllowed("own-side", f"{target.name} is not an enemy of {ship.side}", rule)
    verify_spared(ship.side, target, rule)


def verify_spared(side: str, target: AnyUnit, rule: str) -> None:
    """Check that the scenario lets this side attack a ship.

    Some ships may not be attacked by any side (#4), others only not by this side (#8). The protection applies to every
    weapon, whether it is fired, launched or sent as a suicide shuttle.

    Raises:
        NotAllowed: The ship may not be attacked.
    """
    if isinstance(target, Ship) and target.terms.untouchable:
        raise NotAllowed("not-a-target", f"{target.name} may not be fired at in this scenario", rule)
    if isinstance(target, Ship) and side in target.terms.spared_by:
        raise NotAllowed("spared", f"{side} may not fire at {target.name} in this scenario", rule)


def verify_used(ship: Ship, weapon: str) -> None:
    """Check that the scenario lets the ship use a weapon (scenario #1).

    A captured ship may use none of its weapons (D7.0).

    Raises:
        NotAllowed: The ship may not use the weapon.
    """
    if weapon in ship.terms.disabled:
        raise NotAllowed("disabled", f"{weapon} of {ship.name} is not used in this scenario", "E1.2")
    boarding.verify_weapons(ship.name, ship.is_prize)


def verify_fire_control_and_cloak(state: State, ship: Ship, weapon: str, target: AnyUnit) -> None:
    """Check that a ship can use its weapons now and has a lock-on (B3.0, G13.34, D6.121).

    Our interpretation where the rules are silent: a Cadet ship may launch at a cloaked ship, since G13.34C mentions
    weapons that are launched after their target cloaked. At graduate level there is no lock-on to a cloaked ship
    (D6.11).

    Raises:
        NotAllowed: The ship cannot launch.
    """
    sensors.verify_fire_control(ship.name, power.fire_control(ship.power.unpaid))
    verify_not_silent(veil_of(state, ship), weapon)
    hidden = isinstance(target, Ship) and target.cloaking.state != CloakState.CLOAKED and veil_of(state, target).hidden
    sensors.verify_launch(ship.name, ship.this_turn.lock_on, hidden)


def launch_line(state: State, ship: Ship, target: AnyUnit) -> tuple[str, str]:
    """Return the two hexes (from, to) of the line along which a drone would be launched.

    The target must be in the FA (forward) arc of the drone along this line. If both units are in one hex, their
    positions when they were last in different hexes are used (D3.42).
    """
    if ship.hex != target.hex:
        return ship.hex, target.hex
    here, there = standpoints(state, ship, target)
    return here.hex, there.hex


def drone_level(state: State, ship: Ship) -> str:
    """Return the level of the rules (Cadet or standard) for a ship's drones.

    A Cadet ship has Cadet drones in every scenario (#12).
    """
    return "cadet" if ship_class(ship.ship).level == "cadet" else state.level


def _drone(state: State, ship: Ship, target: AnyUnit, facing: str) -> Seeker:
    """Return a drone as it is at the moment of its launch (FD1.2)."""
    level = drone_level(state, ship)
    return Seeker(
        **launched(state, ship, next_name(state, ship, "D"), facing),
        speed=drones.drone_speed(state.impulses),
        weapon="drone",
        target=target.name,
        endurance=drones.endurance(state.moment, state.impulses, level),
        toughness=drones.toughness(level),
        warhead=drones.warhead(level),
    )
