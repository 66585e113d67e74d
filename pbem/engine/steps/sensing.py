"""Sensors and scanners in play: the lock-on phase and the range a weapon is resolved at (D6.0)."""

from __future__ import annotations

from pbem.data.ships import ship_class
from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import AnyUnit, Seeker, Ship, Shuttle, State
from pbem.engine.steps.cloaking import veil_of
from pbem.engine.steps.geometry import range_between
from pbem.rules import sensors, standing, ties


def lock_on(table: Table) -> None:
    """Every ship rolls for lock-on once a turn; ships that fail lose what they guide (D6.11, D6.122, D6.132).

    No die is rolled while the sensors are as good as any die. Without fire control there is no lock-on (D6.1).
    """
    before = table.state
    for ship in before.ships():
        if ship.immobile:
            continue
        rating = sensor_rating(ship)
        paid = standing.fire_control(ship.unpaid)
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
            table.tell(ev.Removed(unit=name, how=Gone.REMOVED, why=why, rule="D6.122"))


def sensor_rating(ship: Ship) -> int:
    """The highest undestroyed number of the sensor track; ships without a track on their SSD see perfectly (D6.11)."""
    track = ship_class(ship.ship).tracks.get("sensor", ())
    return sensors.sensor_rating(track, ship.boxes.get("sensor", 0)) if track else 6


def guides(ship: Ship) -> int:
    """How many drones and suicide shuttles a ship can guide at once: its sensor rating, or what its SSD says where that
    is less (D6.132).
    """
    return sensors.control_limit(sensor_rating(ship), ship_class(ship.ship).drone_control)


def scanner_factor(ship: Ship) -> int:
    """Hexes that damage to the scanners adds to every range (D6.21)."""
    track = ship_class(ship.ship).tracks.get("scanner", ())
    return sensors.scanner_factor(track, ship.boxes.get("scanner", 0)) if track else 0


def effective_range(state: State, firer: AnyUnit, target: AnyUnit, true: int | None = None) -> int:
    """The range a weapon is resolved at: the true one, lock-on, scanners and the target's cloak reckoned in (D1.4).
    ``true`` is another than theirs now, where it is asked what would be there.

    Reading: a shuttle has no sensor track to damage, so it sees as an undamaged ship does, cloaks included.
    """
    true = range_between(state, firer, target) if true is None else true
    if not isinstance(firer, Ship | Shuttle):
        return true
    hidden, fading, locked = False, 0, firer.lock_on if isinstance(firer, Ship) else True
    if isinstance(target, Ship) and target.cloak:
        now = veil_of(state, target)
        hidden, fading, locked = now.hidden, 0 if now.hidden else now.addition, locked and now.lock_on
    scanner = scanner_factor(firer) if isinstance(firer, Ship) else 0
    return sensors.effective_range(true, locked=locked, scanner=scanner, hidden=hidden, fading=fading)


def guided_by(state: State, ship: Ship) -> list[Seeker | Shuttle]:
    """What a ship guides, the first launched first: its drones (D6.132), and its suicide shuttles, which are otherwise
    drones (J2.22). One whose target is gone needs nobody, though it is removed only as an impulse ends.
    """
    drones = [s for s in state.seekers() if s.launcher == ship.name and s.weapon == "drone" and _hunts(state, s)]
    bombs = [s for s in state.shuttles() if s.launcher == ship.name and s.target and _hunts(state, s)]
    return sorted([*drones, *bombs], key=lambda unit: (unit.launched, ties.of_names(unit.name)))


def _hunts(state: State, weapon: Seeker | Shuttle) -> bool:
    """Whether a weapon's target is there; who may not know it takes it to be."""
    target = state.units.get(weapon.target)
    return target is None or target.in_play
