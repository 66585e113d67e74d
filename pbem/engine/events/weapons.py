"""Event classes for weapons and damage: shots, launches, hits and losses.

Each class defines how its event changes the state.
"""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from typing import Any

import msgspec

from pbem.data.terms import PulseKind, UnitFate, WeaponState
from pbem.engine.changes import change, hangar_after, put_unit, ship_of, warhead, without_links
from pbem.engine.events.base import Event, Notice
from pbem.engine.on_file import altered
from pbem.engine.state import Seeker, Ship, Shuttle, State, Weapon
from pbem.rules.direct_fire import shots_fired
from pbem.rules.internal_damage import OCCUPIED
from pbem.rules.power import after_loss, capacity
from pbem.rules.weapons import family, shot_cost

replace = msgspec.structs.replace


class Launched(Event, frozen=True, kw_only=True, tag="launched"):
    """Event: a seeking weapon is launched and placed on the map (F2.3).

    If drone targets are secret in the game, the other sides see a version of this event without the target.
    """

    unit: str
    weapon: str
    seeker: Seeker

    def apply(self, state: State) -> State:
        """Return the state with the seeking weapon in play and its launcher empty."""
        state = self.pulse(state, PulseKind.LAUNCHED, self.unit, weapon=self.weapon, kind=self.seeker.weapon)
        ship = ship_of(state, self.unit)
        if ship is not None and self.weapon in ship.weapons:
            weapon = ship.weapons[self.weapon]
            weapons = _weapon(
                ship,
                self.weapon,
                fired=self.moment(state),
                ammo=max(0, weapon.ammo - 1),
                charge=WeaponState.NONE,
                armed_turns=0,
                destroyed=None,
            )
            state = put_unit(state, replace(ship, weapons=weapons))
        designation, _, serial = self.seeker.name.partition("/")
        if serial.isdecimal():
            state = replace(state, serials={**state.serials, designation: int(serial)})
        return put_unit(state, self.seeker)


class Fired(Event, frozen=True, kw_only=True, tag="fired"):
    """Event: a weapon fires one shot (E1.1).

    ``range`` and ``effective`` are the true and the effective range in hexes, ``roll`` the label of the die, ``points``
    the damage scored. ``hit`` is false if the shot missed. ``shield`` is the number of the target's shield that the
    line of fire crosses; 0 for units without shields. ``energy`` is the source of the energy: ``capacitor``,
    ``allotted`` or ``reserve``.
    """

    unit: str
    weapon: str
    kind: str
    target: str
    range: int
    effective: int
    roll: str
    die: int
    modifier: int = 0
    hit: bool = True
    points: int = 0
    shield: int = 0
    energy: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the weapon marked as used.

        If the phaser capacitor pays for the shot, its energy is reduced.
        """
        state = self.pulse(state, PulseKind.FIRED, self.unit, weapon=self.weapon, kind=self.kind)
        shooter = state.units.get(self.unit)
        if isinstance(shooter, Shuttle):
            return put_unit(state, replace(shooter, fired=self.moment(state)))
        ship = ship_of(state, self.unit)
        if ship is None or self.weapon not in ship.weapons:
            return state
        box, moment = ship.weapons[self.weapon], self.moment(state)
        shots = shots_fired(box.fired, box.shots, moment, state.impulses)
        weapons = _weapon(ship, self.weapon, fired=moment, shots=shots + 1, charge=WeaponState.NONE, armed_turns=0)
        changes: dict[str, Any] = {"weapons": weapons}
        if self.energy == "capacitor":
            left = max(0.0, ship.power.capacitor - shot_cost(self.kind, shots))
            changes["power"] = replace(ship.power, capacitor=left)
        return put_unit(state, replace(ship, **changes))


class Rolled(Notice, frozen=True, kw_only=True, tag="rolled"):
    """Event: a die is rolled whose result is not part of any other event.

    Examples are a robot's choice between two ways, and the choice between two shields if a shot follows their boundary.
    """

    unit: str
    roll: str
    die: int
    meaning: str


class Impact(Notice, frozen=True, kw_only=True, tag="impact"):
    """Event: a seeking weapon explodes in its target's hex (F2.2)."""

    unit: str
    target: str
    shield: int
    points: int


class Struck(Notice, frozen=True, kw_only=True, tag="struck"):
    """Event: damage that no unit of the game caused; used in rule cases only."""

    unit: str
    shield: int
    points: int


class Volley(Notice, frozen=True, kw_only=True, tag="volley"):
    """Event: damage strikes one shield in one step (D4.22); counted before reinforcement is subtracted.

    ``sources`` are the units that caused the damage, those that caused the most points first (D4.34).
    """

    unit: str
    shield: int
    points: int
    sources: tuple[str, ...] = ()


class Damaged(Event, frozen=True, kw_only=True, tag="damaged"):
    """Event: the damage points of a volley are absorbed by shield and ship (D3.34, D3.21).

    The fields say how many points were absorbed by general reinforcement, specific reinforcement and shield boxes, and
    how many became internal damage. ``left`` is the number of shield boxes left.
    """

    unit: str
    shield: int
    general: int = 0
    specific: int = 0
    boxes: int = 0
    internals: int = 0
    left: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the shield boxes, the reinforcement and the internal damage changed."""
        state = self.pulse(
            state, PulseKind.DAMAGED, self.unit, shield=self.shield, boxes=self.boxes, internals=self.internals
        )
        ship = ship_of(state, self.unit)
        if ship is None or not self.shield:
            return state
        index = self.shield - 1
        shields, reinforcement = list(ship.shields), list(ship.power.reinforcement)
        shields[index] = self.left
        reinforcement[index] = max(0, reinforcement[index] - self.specific)
        return put_unit(
            state,
            altered(
                ship,
                shields=tuple(shields),
                reinforcement=tuple(reinforcement),
                general=max(0, ship.power.general - self.general),
                internals=ship.internals + self.internals,
            ),
        )


class SeekerDamaged(Event, frozen=True, kw_only=True, tag="seeker_damaged"):
    """Event: damage points are scored on a seeking weapon (FD1.54)."""

    unit: str
    points: int
    total: int

    def apply(self, state: State) -> State:
        """Return the state with the weapon's total damage; the warhead of a plasma torpedo is weakened."""
        state = self.pulse(state, PulseKind.DAMAGED, self.unit, boxes=self.points)
        unit = state.units.get(self.unit)
        if isinstance(unit, Seeker) and unit.torpedo:
            return put_unit(state, replace(unit, **warhead(unit, damage=self.total)))
        return change(state, self.unit, damage=self.total)


class InternalHit(Event, frozen=True, kw_only=True, tag="internal_hit"):
    """Event: one point of internal damage destroys a box of a ship.

    The event contains the die roll and the row of the damage chart, if a chart is used, and the destroyed ``box`` (``PH
    2``, ``warp left``). ``number`` counts the points from 1 within the volley; ``category`` is the category of the hit
    in the chart. ``shuttle`` is the letter of the shuttle lost with a ``shuttle`` box, if it was not the shuttle with
    the last letter. Only the owner sees the letter (J2.222). Others see ``?`` if a shuttle was lost although an empty
    box could have been hit instead (J1.4). ``used`` is set if the box had been used this turn: it is the letter of the
    released tractor beam, or ``yes`` for a transporter (D4.223).
    """

    unit: str
    number: int
    box: str
    category: str
    roll: str = ""
    die: int = 0
    column: str = ""
    shuttle: str = ""
    used: str = ""

    def apply(self, state: State) -> State:
        """Return the state without the destroyed box.

        A destroyed phaser reduces the capacity of the capacitor; the empty part is lost first (H6.3). The drones of a
        destroyed rack are lost (FD1.1). A discharged battery, if there is any, is lost before a charged battery (B3.0,
        line 6). An armed plasma tube keeps its torpedo for a quarter of a turn (FP1.7).
        """
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        if self.box in ship.weapons:
            lost: dict[str, Any] = {"charge": WeaponState.NONE, "armed_turns": 0, "ammo": 0}
            box = ship.weapons[self.box]
            if family(box.kind).outlives(box.charge):
                lost = {"destroyed": self.moment(state)}
            weapons = _weapon(ship, self.box, working=False, **lost)
            capacitor = after_loss(ship.power.capacitor, capacity(weapons))
            power = replace(ship.power, capacitor=capacitor)
            return put_unit(state, replace(ship, weapons=weapons, power=power))
        boxes = {**ship.boxes, self.box: max(0, ship.boxes.get(self.box, 0) - 1)}
        changes: dict[str, Any] = {"boxes": boxes}
        if self.box == "battery":
            changes["batteries"] = min(ship.power.batteries, boxes["battery"])
            if boxes["battery"] <= ship.power.batteries:
                changes["battery_part"] = ""  # the battery with the fraction of a point is destroyed
        elif self.box == "shuttle":
            aboard = hangar_after(ship, boxes["shuttle"], occupied=self.category == OCCUPIED, lost=self.shuttle)
            changes["hangar"] = aboard
            changes["bombs"] = {letter: bomb for letter, bomb in ship.power.bombs.items() if letter in aboard}
        elif self.used:
            changes |= without_used(ship, self)
        return put_unit(state, altered(ship, **changes))


class Destroyed(Event, frozen=True, kw_only=True, tag="destroyed"):
    """Event: a unit is destroyed (D4.4, FD1.54)."""

    unit: str

    def apply(self, state: State) -> State:
        """Return the state with the unit destroyed and its tractor links ended."""
        return without_links(
            change(state, self.unit, gone=UnitFate.DESTROYED),
            self.unit,
            self.in_its_turn(state),
            worked=self.impulse > 0,
        )


class Removed(Event, frozen=True, kw_only=True, tag="removed"):
    """Event: a unit leaves the map without being destroyed.

    ``how`` is ``disengaged``, ``left the map``, ``removed`` …; ``why`` is the reason.
    """

    unit: str
    how: UnitFate
    why: str

    def apply(self, state: State) -> State:
        """Return the state with the unit gone and its tractor links ended."""
        return without_links(
            change(state, self.unit, gone=self.how), self.unit, self.in_its_turn(state), worked=self.impulse > 0
        )


def _weapon(ship: Ship, name: str, **changes: Any) -> dict[str, Weapon]:
    weapon = ship.weapons.get(name)
    return ship.weapons if weapon is None else {**ship.weapons, name: replace(weapon, **changes)}


def without_used(ship: Ship, event: InternalHit) -> dict[str, Any]:
    """Return the changed fields of a ship that loses a transporter or tractor beam used now (D4.223).

    The box had been used this turn. Its energy and its use are removed together with it, so the other boxes can do as
    much as before. Only the number of beam boxes matters, and their letters are just names, so the boxes that remain
    get the first letters.
    """
    if event.box == "tractor":
        return {
            "beams_used": tuple(beam for beam in ship.this_turn.beams_used if beam != event.used),
            "released": {beam: moment for beam, moment in ship.released.items() if beam != event.used},
            "tractors": ship.power.tractors[:-1],
        }
    return {"transported": ship.this_turn.transported - 1, "transporters": max(0, ship.power.transporters - 1)}
