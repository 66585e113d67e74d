"""Energy: what is allotted, announced, spent and repaired."""

# Annotations are not put off: see pbem/engine/state.py.

from fractions import Fraction
from typing import Any

import msgspec

from pbem.engine.changes import change, put, ship_of
from pbem.engine.events.base import Event
from pbem.engine.state import Bomb, ProbeBox, Ship, State, Weapon
from pbem.rules.power import exact
from pbem.rules.transporters import operated

replace = msgspec.structs.replace


class EnergyAllotted(Event, frozen=True, kw_only=True, tag="energy_allotted"):
    """A ship's energy form (secret, D4.1). Everything the form changes, as it stands afterwards.

    ``lines`` is the form in normal form; ``speed`` the hexes it pays for this turn.
    """

    unit: str
    lines: tuple[str, ...]
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float
    batteries: int
    general: int
    reinforcement: tuple[int, ...]
    repairing: dict[str, int] = {}
    unpaid: tuple[str, ...] = ()
    tactical: int = 0
    sublight: bool = False
    cloak: bool = False
    battery_part: str = ""
    move_warp: float = 0.0
    move_impulse: int = 0
    tractors: tuple[str, ...] = ()
    transporters: int = 0
    probes: dict[str, ProbeBox] = {}
    bombs: dict[str, Bomb] = {}
    powered: dict[str, int] = {}

    def apply(self, state: State) -> State:
        same = {name: getattr(self, name) for name in _ALLOTTED}
        return change(state, self.unit, **same, paid_speed=self.speed, allotted=self.lines, cloak_paid=self.cloak)


_ALLOTTED = (set(EnergyAllotted.__struct_fields__) & set(Ship.__struct_fields__)) - {"cloak"}
"""What a form changes of a ship under the same name; its ``cloak`` is paid for, and is yet to be announced."""


class SpeedAnnounced(Event, frozen=True, kw_only=True, tag="speed_announced"):
    """How fast a ship moves this turn (public once forms are in), and the warp maneuvers it paid for instead
    (C5.23). ``towing`` are the freighters in tow by which the speed is reckoned (G7.4); told anew when they change.
    """

    unit: str
    speed: int
    tactical: int = 0
    towing: int = 0

    def apply(self, state: State) -> State:
        unit = state.units.get(self.unit)
        if isinstance(unit, Ship):
            return put(state, replace(unit, speed=self.speed, tactical=self.tactical, towing=self.towing))
        return change(state, self.unit, speed=self.speed)


class RobotReadied(Event, frozen=True, kw_only=True, tag="robot_readied"):
    """A robot ship's turn begins: its speed, its weapons reloaded (robot rules 1, 6, 7)."""

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float

    def apply(self, state: State) -> State:
        return change(state, self.unit, speed=self.speed, weapons=self.weapons, capacitor=self.capacitor)


class Readied(Event, frozen=True, kw_only=True, tag="readied"):
    """The Chief Engineer readies a ship that fills out no energy form (scenarios #1 to #3): its speed this turn, its
    weapons, its phaser energy. Secret.
    """

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float

    def apply(self, state: State) -> State:
        return change(state, self.unit, speed=self.speed, weapons=self.weapons, capacitor=self.capacitor)


class LockedOn(Event, frozen=True, kw_only=True, tag="locked_on"):
    """Whether a ship's sensors lock on this turn (D6.11): the rating of its sensors, and the die where one is
    needed.
    """

    unit: str
    rating: int
    locked: bool
    roll: str = ""
    die: int = 0

    def apply(self, state: State) -> State:
        return change(state, self.unit, lock_on=self.locked)


class ReserveSpent(Event, frozen=True, kw_only=True, tag="reserve_spent"):
    """Battery power spent in the turn (H7.2): ``purpose`` is ``#1`` for a shield, the weapon it fired, ``tractor A`` or
    ``transporters``. Parts of a point, halves and fifths, occur with fractional accounting (B3.2). Secret.
    """

    unit: str
    points: int | float
    purpose: str

    def apply(self, state: State) -> State:
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        left = max(Fraction(0), ship.stored - exact(self.points))
        changes: dict[str, Any] = {"batteries": int(left), "battery_part": str(left % 1) if left % 1 else ""}
        if self.purpose.startswith("#"):
            shield = int(self.purpose[1:]) - 1
            points = list(ship.reinforcement)
            points[shield] += int(self.points)
            changes["reinforcement"] = tuple(points)
        else:
            changes |= powered_by_reserve(state, ship, self)
        return put(state, replace(ship, **changes))


class Repaired(Event, frozen=True, kw_only=True, tag="repaired"):
    """Shield boxes come back at the end of the turn (D9.2)."""

    unit: str
    shield: int
    boxes: int

    def apply(self, state: State) -> State:
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        shields = list(ship.shields)
        shields[self.shield - 1] += self.boxes
        return put(state, replace(ship, shields=tuple(shields)))


def powered_by_reserve(state: State, ship: Ship, event: ReserveSpent) -> dict[str, Any]:
    """What batteries operate for the rest of the turn (H7.2): ``tractor A`` a beam, ``transporters`` as many of them as
    the points allow (G8.13). Where another beam works with the energy of A, it is that one which gets its own now.
    """
    system, _, letter = event.purpose.partition(" ")
    if system == "tractor":
        working = {*ship.beams_used, *(link.beam for link in state.held_by(ship.name))}
        powered = letter if letter not in ship.tractors else min(working - {*ship.tractors}, default=letter)
        return {"tractors": tuple(sorted({*ship.tractors, powered}))}
    if system == "transporters":
        there = ship.boxes.get("tran", 0)
        more = operated(exact(event.points), there, state.options.fractional)
        return {"transporters": min(ship.transporters + more, there)}
    return {}
