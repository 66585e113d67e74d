"""Event classes for energy: energy forms, announced speeds, lock-on, reserve power and repairs.

Each class defines how its event changes the state.
"""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import fields

from pbem.engine.changes import change, put_unit, ship_of
from pbem.engine.events.base import Event
from pbem.engine.on_file import altered, as_field
from pbem.engine.state import Power, Ship, State, Weapon
from pbem.rules.power import exact
from pbem.rules.transporters import operated

replace = msgspec.structs.replace


def _allot(event: "EnergyAllotted", state: State) -> State:
    """Return the state with the results of the energy form (speed, weapons, power) stored in the ship."""
    ship = ship_of(state, event.unit)
    if ship is None:
        return state
    power = Power(**{name: getattr(event, name) for name in Power.__struct_fields__})
    return put_unit(state, replace(ship, speed=event.speed, weapons=event.weapons, power=power))


_ALWAYS = ("lines", "speed", "capacitor", "batteries", "general", "reinforcement")
"""Fields of :class:`Power` that the log always contains, even if they have their default."""

_ABOUT = """Event: a ship's energy form takes effect (secret, D4.1).

The event has every value that the form changes, as it is after the change.

``lines`` is the form in normal form; ``speed`` is the number of hexes per turn that it pays for.
"""

if TYPE_CHECKING:

    class EnergyAllotted(Event, Power, frozen=True, kw_only=True, tag="energy_allotted"):
        """Event: a ship's energy form takes effect (secret, D4.1)."""

        unit: str
        weapons: dict[str, Weapon]

else:
    _fields = [("unit", str), *(as_field(field, required=field.name in _ALWAYS) for field in fields(Power))]
    _fields.insert(3, ("weapons", dict[str, Weapon]))
    EnergyAllotted = msgspec.defstruct(
        "EnergyAllotted",
        _fields,
        bases=(Event,),
        module=__name__,
        namespace={"apply": _allot, "__doc__": _ABOUT},
        frozen=True,
        kw_only=True,
        tag="energy_allotted",
    )


class SpeedAnnounced(Event, frozen=True, kw_only=True, tag="speed_announced"):
    """Event: a ship announces its speed for the turn, or instead its warp tactical maneuvers (C5.23).

    The speed becomes public when all energy forms are received.

    ``towing`` is the number of towed freighters for which the speed was computed (G7.4). A new event is recorded when
    that number changes.
    """

    unit: str
    speed: int
    tactical: int = 0
    towing: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the unit's speed and maneuvers set."""
        unit = state.units.get(self.unit)
        if isinstance(unit, Ship):
            return put_unit(state, altered(unit, speed=self.speed, tactical=self.tactical, towing=self.towing))
        return change(state, self.unit, speed=self.speed)


class RobotReadied(Event, frozen=True, kw_only=True, tag="robot_readied"):
    """Event: a robot ship starts a turn with its speed and reloaded weapons (robot rules 1, 6, 7)."""

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float

    def apply(self, state: State) -> State:
        """Return the state with the ship's speed, weapons and capacitor set."""
        return change(state, self.unit, speed=self.speed, weapons=self.weapons, capacitor=self.capacitor)


class Readied(Event, frozen=True, kw_only=True, tag="readied"):
    """Event: a ship without an energy form is prepared for the turn (scenarios #1 to #3); secret.

    The Chief Engineer, i.e. the program, sets the ship's speed, weapons and phaser energy for the turn.
    """

    unit: str
    speed: int
    weapons: dict[str, Weapon]
    capacitor: float

    def apply(self, state: State) -> State:
        """Return the state with the ship's speed, weapons and capacitor set."""
        return change(state, self.unit, speed=self.speed, weapons=self.weapons, capacitor=self.capacitor)


class LockedOn(Event, frozen=True, kw_only=True, tag="locked_on"):
    """Event: a ship's sensors have or have not locked on for this turn (D6.11).

    The event contains the sensor rating, and the die roll if one was needed.
    """

    unit: str
    rating: int
    locked: bool
    roll: str = ""
    die: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the ship's lock-on changed."""
        return change(state, self.unit, lock_on=self.locked)


class ReserveSpent(Event, frozen=True, kw_only=True, tag="reserve_spent"):
    """Event: a ship spends battery energy during the turn (H7.2); secret.

    ``purpose`` says what the energy is for: a shield (``#1``), the weapon that fired, ``tractor A`` or
    ``transporters``. With fractional accounting ``points`` may include halves and fifths of a point (B3.2).
    """

    unit: str
    points: int | float
    purpose: str

    def apply(self, state: State) -> State:
        """Return the state with the points taken from the batteries and used for their purpose."""
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        left = max(Fraction(0), ship.power.stored - exact(self.points))
        changes: dict[str, Any] = {"batteries": int(left), "battery_part": str(left % 1) if left % 1 else ""}
        if self.purpose.startswith("#"):
            shield = int(self.purpose[1:]) - 1
            points = list(ship.power.reinforcement)
            points[shield] += int(self.points)
            changes["reinforcement"] = tuple(points)
        else:
            changes |= powered_by_reserve(state, ship, self)
        return put_unit(state, altered(ship, **changes))


class Repaired(Event, frozen=True, kw_only=True, tag="repaired"):
    """Event: shield boxes are repaired at the end of the turn (D9.2)."""

    unit: str
    shield: int
    boxes: int

    def apply(self, state: State) -> State:
        """Return the state with the boxes added to the shield."""
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        shields = list(ship.shields)
        shields[self.shield - 1] += self.boxes
        return put_unit(state, replace(ship, shields=tuple(shields)))


def powered_by_reserve(state: State, ship: Ship, event: ReserveSpent) -> dict[str, Any]:
    """Return the changed fields of a ship when batteries power one of its systems (H7.2).

    The system then has power for the rest of the turn.

    If the energy is for ``tractor A``, it powers that beam; for ``transporters``, it powers as many transporters as the
    points allow (G8.13). If another beam is already using the energy of beam A, the new energy is given to that other
    beam.
    """
    system, _, letter = event.purpose.partition(" ")
    if system == "tractor":
        working = {*ship.this_turn.beams_used, *(link.beam for link in state.held_by(ship.name))}
        powered = letter if letter not in ship.power.tractors else min(working - {*ship.power.tractors}, default=letter)
        return {"tractors": tuple(sorted({*ship.power.tractors, powered}))}
    if system == "transporters":
        there = ship.boxes.get("tran", 0)
        more = operated(exact(event.points), there, state.options.fractional)
        return {"transporters": min(ship.power.transporters + more, there)}
    return {}
