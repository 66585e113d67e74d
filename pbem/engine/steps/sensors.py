"""The cloaking device (G13.0), the lock-on phase, and the effective range of weapons (D6.0).

At Cadet level a ship is cloaked for a whole turn; at graduate level its cloak can change in any impulse.
"""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import AnyUnit, Seeker, Ship, Shuttle, State
from pbem.engine.steps.geometry import range_between
from pbem.errors import NotAllowed
from pbem.orders.model import Cloak, Uncloak
from pbem.rules import power, sensors, ties
from pbem.rules.movement import impulse_of, turn_of
from pbem.rules.sensors import OPEN, Veil, cadet_veil, start_of_turn, veil, verify_cloak, verify_uncloak
from pbem.rules.terrain import reveals_cloaked


def veil_of(state: State, ship: Ship) -> Veil:
    """Return the present effects of a ship's cloak.

    The cloak affects fire at the ship, its own weapons, and seeking weapons.
    """
    if not ship.cloaking.state:
        return OPEN
    return veil_at(ship, state.moment, state.impulses)


def veil_at(ship: Ship, moment: int, impulses: int) -> Veil:
    """Return the effects of a ship's cloak at a later time, assuming that it announces nothing by then.

    ``moment`` is the time in impulses since the start of the game. Damage by asteroids removes the benefits of a cloak
    for one impulse, but not its restrictions (P3.0).
    """
    if not ship.cloaking.state:
        return OPEN
    now = _veil_of_the_device(ship, moment, impulses)
    if ship.cloaking.exposed is not None and reveals_cloaked(moment - ship.cloaking.exposed):
        return OPEN._replace(silent=now.silent)
    return now


def _veil_of_the_device(ship: Ship, moment: int, impulses: int) -> Veil:
    if ship.cloaking.state == CloakState.CLOAKED:
        return cadet_veil(True, True, impulse_of(moment, impulses))
    if ship.cloaking.state == CloakState.UNCLOAKED:
        just_out = turn_of(moment, impulses) == turn_of(ship.cloaking.since, impulses)
        return cadet_veil(False, just_out, impulse_of(moment, impulses))
    return veil(ship.cloaking.state, ship.cloaking.since, moment)


def has_cloak(scenario: Scenario, ship: Ship) -> bool:
    """Return whether a ship has a cloaking device and the scenario uses cloaks."""
    return cloak_cost(scenario, ship) is not None


def cloak_cost(scenario: Scenario, ship: Ship) -> int | None:
    """Return the energy points per turn of a ship's cloaking device (G13.32).

    The result is ``None`` if the ship has no cloaking device or the scenario does not use cloaks.
    """
    used = scenario.uses("cadet cloak") or scenario.uses("cloak")
    return ship_class(ship.ship).cloak if used else None


def at_start_of_turn(scenario: Scenario, ship: Ship, *, paid: bool, first: int) -> tuple[CloakState, int]:
    """Return the status of a ship's cloak at the start of a turn, and the time from which it applies.

    Times are impulses since the start of the game; ``first`` is the time of the turn's first impulse. ``paid`` says
    whether the ship pays for its cloak. At Cadet level the payment decides for the whole turn (G13.1C). At graduate
    level a ship that no longer pays for its cloak fades in.
    """
    if not has_cloak(scenario, ship):
        return ship.cloaking.state, ship.cloaking.since
    if not scenario.uses("cadet cloak"):
        return start_of_turn(ship.cloaking.state, ship.cloaking.since, paid, first)
    if paid:
        return CloakState.CLOAKED, first
    return (
        (CloakState.UNCLOAKED, first)
        if ship.cloaking.state == CloakState.CLOAKED
        else (ship.cloaking.state, ship.cloaking.since)
    )


def announce_cloaks(table: Resolution) -> None:
    """After energy allocation, announce which ships are cloaked or uncloak this turn (G13.1C)."""
    for ship in table.state.ships():
        if not has_cloak(table.scenario, ship):
            continue
        status, since = at_start_of_turn(table.scenario, ship, paid=ship.power.cloak, first=table.moment + 1)
        if (status, since) != (ship.cloaking.state, ship.cloaking.since):
            table.tell(ev.Cloaked(unit=ship.name, status=status, rule="G13.1"))


def cloak_and_uncloak(table: Resolution) -> None:
    """Carry out the orders CLOAK and UNCLOAK (G13.0), at most one per ship and impulse."""
    if not table.scenario.uses("cloak"):
        return
    before = table.state
    for ship in before.ships():
        if not table.has_captain(ship) or not has_cloak(table.scenario, ship):
            continue
        announced = False
        for intent in table.captain(ship).intends(table, ship, before, (Cloak, Uncloak)):
            if announced:
                table.failed(ship, intent.order, "a ship announces one thing an impulse (G13.0)")
                continue
            activity = next(does for does in intent.order.does if isinstance(does, Cloak | Uncloak))
            try:
                verify_announcement(before, table.ship(ship.name), activity)
            except NotAllowed as refused:
                table.failed(ship, intent.order, str(refused))
                continue
            status = CloakState.CLOAKING if isinstance(activity, Cloak) else CloakState.UNCLOAKING
            table.tell(ev.Cloaked(unit=ship.name, status=status, rule="G13.0"))
            table.acted(ship, intent.order)
            announced = True


def verify_announcement(state: State, ship: Ship, announced: Cloak | Uncloak) -> None:
    """Check that the ship may announce CLOAK or UNCLOAK now (G13.0).

    Raises:
        NotAllowed: The ship may not announce it.
    """
    moment = state.moment
    if isinstance(announced, Cloak):
        verify_cloak(
            paid=ship.power.cloak,
            status=ship.cloaking.state,
            since=ship.cloaking.since,
            moment=moment,
            impulses=state.impulses,
        )
    else:
        verify_uncloak(status=ship.cloaking.state, since=ship.cloaking.since, moment=moment, impulses=state.impulses)


def lock_on(table: Resolution) -> None:
    """Roll for every ship's lock-on, once per turn (D6.11, D6.122, D6.132).

    A ship that fails the roll loses the weapons that it guides. No die is rolled if the sensors are so good that every
    roll would succeed. Without fire control there is no lock-on (D6.1).
    """
    before = table.state
    for ship in before.ships():
        if ship.terms.immobile:
            continue
        rating = sensor_rating(ship)
        paid = power.fire_control(ship.power.unpaid)
        roll, die = "", 0
        if paid and not sensors.is_automatic(rating):
            roll, die = table.roll(ship.name, "LOCKON")
        locked = sensors.locks_on(die, rating, paid)
        if roll or not locked:
            table.tell(ev.LockedOn(unit=ship.name, rating=rating, locked=locked, roll=roll, die=die, rule="D6.11"))
        guided = [unit.name for unit in guided_by(before, ship)]
        for name in sensors.lost_drones(guided, locked, guides(ship)):
            why = f"{ship.name} cannot guide it: " + (
                "its sensors are down to " + str(rating) if locked else "no lock-on"
            )
            table.tell(ev.Removed(unit=name, how=UnitFate.REMOVED, why=why, rule="D6.122"))


def sensor_rating(ship: Ship) -> int:
    """Return the highest undestroyed number on a ship's sensor track (D6.11).

    The result is 6 for ships whose SSD has no sensor track.
    """
    track = ship_class(ship.ship).tracks.get("sensor", ())
    return sensors.sensor_rating(track, ship.boxes.get("sensor", 0)) if track else 6


def guides(ship: Ship) -> int:
    """Return the number of drones and suicide shuttles that a ship can guide at the same time (D6.132).

    The result is the sensor rating, or the number on the ship's SSD if that is lower.
    """
    return sensors.control_limit(sensor_rating(ship), ship_class(ship.ship).drone_control)


def scanner_factor(ship: Ship) -> int:
    """Return the number of hexes that damage to a ship's scanners adds to every range (D6.21)."""
    track = ship_class(ship.ship).tracks.get("scanner", ())
    return sensors.scanner_factor(track, ship.boxes.get("scanner", 0)) if track else 0


def effective_range(state: State, firer: AnyUnit, target: AnyUnit, true: int | None = None) -> int:
    """Return the range in hexes that decides the result of a shot (D1.4).

    The effective range is the true range changed by lock-on, scanners and the target's cloak. ``true`` is the true
    range, if it is not the present range. Our interpretation where the rules are silent: a shuttle has no sensor track
    that could be damaged, so it is treated like a ship with undamaged sensors, also against cloaked targets.
    """
    true = range_between(state, firer, target) if true is None else true
    if not isinstance(firer, Ship | Shuttle):
        return true
    hidden, fading, locked = False, 0, firer.this_turn.lock_on if isinstance(firer, Ship) else True
    if isinstance(target, Ship) and target.cloaking.state:
        now = veil_of(state, target)
        hidden, fading, locked = now.hidden, 0 if now.hidden else now.addition, locked and now.lock_on
    scanner = scanner_factor(firer) if isinstance(firer, Ship) else 0
    return sensors.effective_range(true, locked=locked, scanner=scanner, hidden=hidden, fading=fading)


def guided_by(state: State, ship: Ship) -> list[Seeker | Shuttle]:
    """Return the drones (D6.132) and suicide shuttles (J2.22) that a ship guides.

    The weapons are sorted by time of launch, earliest first. A weapon whose target is out of play is left out, because
    it needs no guidance, although it is removed only at the end of the impulse.
    """
    drones = [s for s in state.seekers() if s.launcher == ship.name and s.weapon == "drone" and _hunts(state, s)]
    bombs = [s for s in state.shuttles() if s.launcher == ship.name and s.target and _hunts(state, s)]
    return sorted([*drones, *bombs], key=lambda unit: (unit.launched, ties.of_names(unit.name)))


def _hunts(state: State, weapon: Seeker | Shuttle) -> bool:
    """Return whether the target of a seeking weapon is in play.

    The result is also true if the target is unknown because the reader of the state may not know it.
    """
    target = state.units.get(weapon.target)
    return target is None or target.in_play
