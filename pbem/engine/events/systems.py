"""Event classes for the systems of ships, with the changes that each event makes to the state.

The events are about lowered shields, transporters, boarding, mutiny, shuttles, probes, labs and tractor beams. Events
for monsters, damage to units without an SSD, and asteroids are here too. Weapons are in
:mod:`pbem.engine.events.weapons`.
"""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

from msgspec.structs import replace

from pbem.data.terms import MutinyState, PulseKind, Purpose, UnitFate
from pbem.engine.changes import change, put_unit, release_beam, ship_of, without, without_links
from pbem.engine.events.base import Event, Notice
from pbem.engine.on_file import altered
from pbem.engine.state import Bomb, Link, Monster, Planet, Position, ProbeBox, Ship, Shuttle, State, Weapon

# No `from __future__ import annotations` here: see pbem/engine/state.py.


class ShieldLowered(Event, frozen=True, kw_only=True, tag="shield_lowered"):
    """Event: a side lowers a shield of its ship, or its general reinforcement (G8.22, G8.23).

    ``shield`` 0 is the general reinforcement.
    """

    unit: str
    shield: int

    def apply(self, state: State) -> State:
        """Return the state in which the shield is lowered; the time of lowering is stored with it."""
        lowering = ship_of(state, self.unit)
        if lowering is None:
            return state
        lowered = {**lowering.lowered, _name_of(self.shield): self.moment(state)}
        return put_unit(state, replace(lowering, lowered=dict(sorted(lowered.items()))))


class ShieldRaised(Event, frozen=True, kw_only=True, tag="shield_raised"):
    """Event: a lowered shield is raised again a quarter turn later (G8.22).

    ``shield`` 0 is the general reinforcement.
    """

    unit: str
    shield: int

    def apply(self, state: State) -> State:
        """Return the state in which the shield is no longer lowered."""
        raising = ship_of(state, self.unit)
        if raising is None:
            return state
        lowered = {name: since for name, since in raising.lowered.items() if name != _name_of(self.shield)}
        return put_unit(state, replace(raising, lowered=lowered))


class Transported(Event, frozen=True, kw_only=True, tag="transported"):
    """Event: a ship transports people to or from ``target`` (G8.1).

    ``count`` boarding parties (``what`` is ``BP``) or crew units (``CREW``) are moved. ``transporters`` is the
    number of transporters used. ``failed`` says why nothing was moved; in that case too the transporters count as
    used (G8.21, G8.23).
    """

    unit: str
    target: str
    count: int
    what: str
    way: str
    transporters: int
    failed: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the transporters used and, unless the transport failed, the people moved.

        Boarding parties move between ships, crew units between a ship and a planet.
        """
        sender = ship_of(state, self.unit)
        if sender is None:
            return state
        sender = altered(sender, transported=sender.this_turn.transported + self.transporters)
        state = put_unit(state, sender)
        if self.failed:
            return state
        here, there = (self.unit, self.target) if self.way == "TO" else (self.target, self.unit)
        if self.what == "CREW":
            return _crew(_crew(state, here, -self.count), there, self.count)
        return _parties(_parties(state, here, sender.side, -self.count), there, sender.side, self.count)


class BoardingFought(Event, frozen=True, kw_only=True, tag="boarding_fought"):
    """Event: one round of combat between boarding parties aboard a ship (D7.0).

    The event contains the dice of both sides by group, the casualty points, and the parties left. After the round the
    attackers hold ``taken`` of the ship's ``stations`` control stations.
    """

    unit: str
    rolls: tuple[str, ...]
    holders_dice: tuple[int, ...]
    raiders_dice: tuple[int, ...]
    by_holders: int
    by_raiders: int
    holders: int
    boarders: dict[str, int]
    taken: int
    stations: int

    def apply(self, state: State) -> State:
        """Return the state with the boarding parties that are left and the control stations taken."""
        return change(state, self.unit, parties=self.holders, boarders=self.boarders, taken=self.taken)


class Captured(Event, frozen=True, kw_only=True, tag="captured"):
    """Event: a ship is captured (D7.0).

    ``side`` commands the ship from now on and has ``parties`` boarding parties aboard. ``boarders`` is the number of
    the former owner's parties that still fight aboard.
    """

    unit: str
    side: str
    was: str
    parties: int
    boarders: dict[str, int] = {}

    def apply(self, state: State) -> State:
        """Return the state in which the captor owns the ship.

        If the captor is the side that lost the ship before, the ship's weapons may fire again.
        """
        taken = ship_of(state, self.unit)
        if taken is None:
            return state
        lost_by = "" if taken.was_lost_by(self.side) else taken.people.captured_from or self.was
        changes: dict[str, Any] = {"side": self.side, "parties": self.parties, "boarders": self.boarders, "taken": 0}
        # The captor must not see the loser's energy form, so the form is removed.
        captor = state.sides.get(self.side)
        robot = captor is not None and captor.robot
        return put_unit(state, altered(taken, captured_from=lost_by, allotted=(), robot=robot, **changes))


class TakenOver(Event, frozen=True, kw_only=True, tag="taken_over"):
    """Event: the captor of a ship learns what only the former owner knew about it (D7.0, D4.1).

    Only the captor sees this event. The fields from ``unpaid`` to ``bombs`` have the same meaning as in
    :class:`pbem.engine.events.EnergyAllotted`. ``hangar`` contains the letters of the shuttles aboard, or is ``None``
    if there are none.
    """

    unit: str
    weapons: dict[str, Weapon]
    capacitor: float
    batteries: int
    battery_part: str = ""
    repairing: dict[str, int] = {}
    unpaid: tuple[str, ...] = ()
    probes: dict[str, ProbeBox] = {}
    bombs: dict[str, Bomb] = {}
    hangar: tuple[str, ...] | None = None

    def apply(self, state: State) -> State:
        """Return the state with the former owner's secrets stored in the captured ship."""
        return change(
            state,
            self.unit,
            weapons=self.weapons,
            capacitor=self.capacitor,
            batteries=self.batteries,
            battery_part=self.battery_part,
            repairing=self.repairing,
            unpaid=self.unpaid,
            probes=self.probes,
            bombs=self.bombs,
            **({"hangar": self.hangar} if self.hangar is not None else {}),
        )


class Mutinied(Event, frozen=True, kw_only=True, tag="mutinied"):
    """Event: a die roll for mutiny on a ship whose security stations are all destroyed (G6.2).

    ``result`` is ``none``, ``put down`` or ``staged``. ``second`` is the second die roll, which decides whether a
    mutiny that has broken out is put down.
    """

    unit: str
    roll: str
    die: int
    result: str
    second_roll: str = ""
    second: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the result of the mutiny roll; a staged mutiny stops the ship."""
        if self.result == "none":
            return state
        stopped = {"speed": 0} if self.result == MutinyState.STAGED else {}
        return change(state, self.unit, mutiny=self.result, **stopped)


class ShuttleLaunched(Event, frozen=True, kw_only=True, tag="shuttle_launched"):
    """Event: a shuttle leaves its bay (J1.5).

    The event does not show whether the shuttle is a suicide shuttle (J2.222).
    """

    unit: str
    letter: str
    shuttle: Shuttle

    def apply(self, state: State) -> State:
        """Return the state with the shuttle in play and its box in the bay empty."""
        state = self.pulse(state, PulseKind.LAUNCHED, self.unit, weapon=f"SHUTTLE {self.letter}", kind="shuttle")
        mother = ship_of(state, self.unit)
        if mother is not None:
            moment = self.moment(state)
            bombs = {letter: bomb for letter, bomb in mother.power.bombs.items() if letter != self.letter}
            hangar = without(mother.hangar, self.letter)
            parties = mother.people.parties - self.shuttle.parties
            state = put_unit(state, altered(mother, hangar=hangar, bay_used=moment, bombs=bombs, parties=parties))
            state = _crew(state, self.unit, -self.shuttle.crew)
        designation, _, serial = self.shuttle.name.partition("/")
        if serial.isdecimal():
            state = replace(state, serials={**state.serials, designation: int(serial)})
        return put_unit(state, self.shuttle)


class ShuttleLanded(Event, frozen=True, kw_only=True, tag="shuttle_landed"):
    """Event: a shuttle lands on a planet or comes aboard a ship (P2.0, J1.61, J1.62).

    It may land by itself or be pulled aboard by a tractor beam. ``letter`` is the letter of the shuttle box that it
    occupies. The people in the shuttle join the crew of the ship.
    """

    unit: str
    on: str
    how: str
    letter: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the shuttle on the planet, or aboard the ship and off the map.

        If it is aboard a ship, the people in it join the ship. The shuttle keeps its damage, which is stored under the
        letter of its box. If an earlier shuttle of the ship still has the same letter, that shuttle loses the letter.
        """
        shuttle, on = state.units.get(self.unit), state.units.get(self.on)
        if not isinstance(shuttle, Shuttle):
            return state
        if not isinstance(on, Ship):
            return put_unit(state, replace(shuttle, landed=self.on))
        state = _unboxed(state, on.name, self.letter)
        changes: dict[str, Any] = {
            "hangar": tuple(sorted((*on.hangar, _free(on.hangar, self.letter)))),
            "bay_used": self.moment(state),
            "passengers": on.people.passengers + shuttle.crew,
            "parties": on.people.parties + shuttle.parties,
        }
        return without_links(
            put_unit(
                put_unit(state, altered(on, **changes)),
                replace(shuttle, gone=UnitFate.LANDED, launcher=on.name, letter=self.letter),
            ),
            shuttle.name,
            self.moment(state),
        )


class Boarded(Event, frozen=True, kw_only=True, tag="boarded"):
    """Event: crew units enter or leave a shuttle on a planet (J2.211).

    ``crew`` is their number, negative if they leave.
    """

    unit: str
    planet: str
    crew: int

    def apply(self, state: State) -> State:
        """Return the state with the crew units moved."""
        return _crew(_crew(state, self.planet, -self.crew), self.unit, self.crew)


class ProbeLaunched(Event, frozen=True, kw_only=True, tag="probe_launched"):
    """Event: a ship launches a probe (G5.0); ``purpose`` is ``information`` or ``weapon``."""

    unit: str
    probe: str
    target: str
    purpose: Purpose
    information: int = 0

    def apply(self, state: State) -> State:
        """Return the state with one probe fewer, and with the information gained added to the monster's total."""
        launcher = ship_of(state, self.unit)
        if launcher is None or self.probe not in launcher.power.probes:
            return state
        box = launcher.power.probes[self.probe]
        probes = {
            **launcher.power.probes,
            self.probe: replace(box, purpose=Purpose.NONE, turns=0, left=max(0, box.left - 1)),
        }
        state = put_unit(state, altered(launcher, probes=probes))
        target = state.units.get(self.target)
        if isinstance(target, Monster):
            return put_unit(state, replace(target, information=target.information + self.information))
        return state


class Learned(Event, frozen=True, kw_only=True, tag="learned"):
    """Event: a ship's labs and shuttles gather information about a monster in a turn (G4.1).

    ``range`` is the closest effective range in hexes, ``labs`` the number of labs.
    """

    unit: str
    target: str
    range: int
    labs: int
    roll: str
    die: int
    points: int
    total: int

    def apply(self, state: State) -> State:
        """Return the state with the monster's new total of information points."""
        return change(state, self.target, information=self.total)


class MethodFound(Event, frozen=True, kw_only=True, tag="method_found"):
    """Event: a die decides how a monster can be defeated (scenario #11).

    The die is rolled when enough information about the monster has been gathered.
    """

    unit: str
    roll: str
    die: int
    method: str
    needed: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the number of information points needed next, or with the method found."""
        if self.needed:
            return change(state, self.unit, needed=self.needed)
        return change(state, self.unit, method=self.die)


class Attacked(Notice, frozen=True, kw_only=True, tag="attacked"):
    """Event: a monster attacks a ship, or the planet that is its goal (scenario #11)."""

    unit: str
    target: str
    roll: str
    die: int
    points: int
    shield: int = 0


class UnitDamaged(Event, frozen=True, kw_only=True, tag="unit_damaged"):
    """Event: damage points are scored on a unit without an SSD: a shuttle (J1.32), a monster or a planet."""

    unit: str
    points: int
    total: int
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the unit's new total of damage points."""
        state = self.pulse(state, PulseKind.DAMAGED, self.unit, boxes=self.points)
        unit = state.units.get(self.unit)
        if isinstance(unit, Monster):
            return put_unit(state, replace(unit, damage=self.total, attacked_by=self.by or unit.attacked_by))
        if isinstance(unit, Shuttle | Planet):
            return put_unit(state, replace(unit, damage=self.total))
        return state


class Collided(Event, frozen=True, kw_only=True, tag="collided"):
    """Event: a unit enters an asteroid hex (P3.0); contains the die roll and the damage points."""

    unit: str
    hex: str
    roll: str
    die: int
    points: int

    def apply(self, state: State) -> State:
        """Return the state in which a ship damaged by asteroids is marked as exposed (P3.0).

        The damage reveals a cloaked ship. The damage itself is scored by a separate volley event.
        """
        if not self.points or ship_of(state, self.unit) is None:
            return state
        return change(state, self.unit, exposed=self.moment(state))


def _name_of(shield: int) -> str:
    """Return the key of a shield in the dict of lowered shields: ``#1``, or ``general`` for 0."""
    return f"#{shield}" if shield else "general"


def _crew(state: State, name: str, more: int) -> State:
    """Return the state with ``more`` crew units added to a ship, a shuttle or a planet.

    ``more`` may be negative.
    """
    unit = state.units.get(name)
    if isinstance(unit, Ship):
        return put_unit(state, altered(unit, passengers=unit.people.passengers + more))
    if isinstance(unit, Planet | Shuttle):
        return put_unit(state, replace(unit, crew=unit.crew + more))
    return state


def _parties(state: State, name: str, side: str, more: int) -> State:
    """Return the state with ``more`` boarding parties of a side added aboard a ship.

    ``more`` may be negative. Parties of the ship's own team defend it.
    """
    aboard = ship_of(state, name)
    if aboard is None:
        return state
    if not state.enemies(side, aboard.side):
        return put_unit(state, altered(aboard, parties=aboard.people.parties + more))
    boarders = {side: 0, **aboard.people.boarders}
    for each in (side, *sorted(name for name in boarders if name != side and not state.enemies(side, name))):
        changed = max(0, boarders[each] + more)
        boarders[each], more = changed, more - (changed - boarders[each])
    return put_unit(state, altered(aboard, boarders={name: n for name, n in sorted(boarders.items()) if n > 0}))


def _unboxed(state: State, ship: str, letter: str) -> State:
    """Return the state in which no past shuttle has this box letter of a ship any more (J1.4).

    The damage of a shuttle aboard is looked up by the letter of its box (J1.32). If an earlier shuttle kept the letter,
    its damage could be mistaken for that of the shuttle that now comes aboard.
    """
    for unit in state.units.values():
        if isinstance(unit, Shuttle) and (unit.gone, unit.launcher, unit.letter) == (UnitFate.LANDED, ship, letter):
            state = put_unit(state, replace(unit, letter=""))
    return state


def _free(hangar: tuple[str, ...], letter: str) -> str:
    """Return the shuttle box letter for a shuttle that comes aboard.

    In a state that shows only what one side knows the box may seem occupied; then the next free letter is returned.
    """
    return letter if letter not in hangar else next(each for each in ascii_uppercase if each not in hangar)


# No `from __future__ import annotations` here: see pbem/engine/state.py.


class Tractored(Event, frozen=True, kw_only=True, tag="tractored"):
    """Event: a tractor beam takes hold of a unit (G7.3)."""

    unit: str
    beam: str
    target: str

    def apply(self, state: State) -> State:
        """Return the state with the new tractor link, and with the beam marked as used."""
        link = Link(ship=self.unit, beam=self.beam, target=self.target, since=self.moment(state))
        state = replace(state, links=(*state.links, link))
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put_unit(state, altered(holder, beams_used=tuple(sorted({*holder.this_turn.beams_used, self.beam}))))


class Released(Event, frozen=True, kw_only=True, tag="released"):
    """Event: a tractor link ends (G7.33, G7.4).

    ``why`` is the reason: the unit was released, the beam was not paid for or was destroyed, or a second beam broke the
    link.
    """

    unit: str
    beam: str
    target: str
    why: str

    def apply(self, state: State) -> State:
        """Return the state without the tractor link."""
        links = tuple(link for link in state.links if (link.ship, link.beam) != (self.unit, self.beam))
        state = replace(state, links=links)
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put_unit(state, release_beam(holder, self.beam, self.in_its_turn(state), worked=self.impulse > 0))


class Towed(Event, frozen=True, kw_only=True, tag="towed"):
    """Event: a tractor beam moves a held unit parallel to the ship that holds it (G7.31C).

    ``at`` is the unit's new hex and facing.
    """

    unit: str
    at: str
    by: str
    came_from: str

    def apply(self, state: State) -> State:
        """Return the state with the unit's new position."""
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        changes: dict[str, Any] = {"hex": here.hex, "facing": here.facing, "track": (*unit.track, here)}
        if not isinstance(unit, Monster | Planet):
            changes["towed"] = (*unit.towed, here.moment)
        if not isinstance(unit, Ship | Monster | Planet):
            changes["came_from"] = self.came_from
        return put_unit(state, replace(unit, **changes))
