"""What the ships' systems do: tractors, transporters, boarding, shuttles, probes, labs; monsters and terrain.

What happens: a beam takes hold, lets go, and what it holds goes along.
"""

from __future__ import annotations

from string import ascii_uppercase
from typing import Any

from msgspec.structs import replace

from pbem.data.terms import Gone, MutinyState, PulseKind, Purpose
from pbem.engine.changes import change, let_go, put, ship_of, unlinked, without
from pbem.engine.events.base import Event, Notice
from pbem.engine.state import Bomb, Link, Monster, Planet, Position, ProbeBox, Ship, Shuttle, State, Weapon

# Annotations are not put off: see pbem/engine/state.py.


class ShieldLowered(Event, frozen=True, kw_only=True, tag="shield_lowered"):
    """A shield is lowered of one's own will, or (``shield`` 0) the general reinforcement (G8.22, G8.23)."""

    unit: str
    shield: int

    def apply(self, state: State) -> State:
        lowering = ship_of(state, self.unit)
        if lowering is None:
            return state
        lowered = {**lowering.lowered, _name_of(self.shield): self.moment(state)}
        return put(state, replace(lowering, lowered=dict(sorted(lowered.items()))))


class ShieldRaised(Event, frozen=True, kw_only=True, tag="shield_raised"):
    """A lowered shield is up again, a quarter turn later (G8.22); 0 is the general reinforcement."""

    unit: str
    shield: int

    def apply(self, state: State) -> State:
        raising = ship_of(state, self.unit)
        if raising is None:
            return state
        lowered = {name: since for name, since in raising.lowered.items() if name != _name_of(self.shield)}
        return put(state, replace(raising, lowered=lowered))


class Transported(Event, frozen=True, kw_only=True, tag="transported"):
    """A ship uses ``transporters`` to move ``count`` of ``what`` (``BP``, ``CREW``) to or from ``target`` (G8.1).

    ``failed`` says why nothing was moved: the transporters count as used all the same (G8.21, G8.23).
    """

    unit: str
    target: str
    count: int
    what: str
    way: str
    transporters: int
    failed: str = ""

    def apply(self, state: State) -> State:
        """The transporters are used in any case; boarding parties change ships, crew units ship and planet."""
        sender = ship_of(state, self.unit)
        if sender is None:
            return state
        sender = replace(sender, transported=sender.transported + self.transporters)
        state = put(state, sender)
        if self.failed:
            return state
        here, there = (self.unit, self.target) if self.way == "TO" else (self.target, self.unit)
        if self.what == "CREW":
            return _crew(_crew(state, here, -self.count), there, self.count)
        return _parties(_parties(state, here, sender.side, -self.count), there, sender.side, self.count)


class BoardingFought(Event, frozen=True, kw_only=True, tag="boarding_fought"):
    """A round of boarding party combat aboard a ship (D7.0): the dice of both sides by group, the casualty points, and
    what is left. ``taken`` of ``stations`` control stations are the raiders'.
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
        return change(state, self.unit, parties=self.holders, boarders=self.boarders, taken=self.taken)


class Captured(Event, frozen=True, kw_only=True, tag="captured"):
    """A ship is captured (D7.0): ``side`` commands it from now on, with ``parties`` aboard. ``boarders`` are parties
    of the loser's that still fight there.
    """

    unit: str
    side: str
    was: str
    parties: int
    boarders: dict[str, int] = {}

    def apply(self, state: State) -> State:
        """The captor commands the ship; taken back by the side that lost it, its weapons may fire again."""
        taken = ship_of(state, self.unit)
        if taken is None:
            return state
        lost_by = "" if taken.captured_from == self.side else taken.captured_from or self.was
        changes: dict[str, Any] = {"side": self.side, "parties": self.parties, "boarders": self.boarders, "taken": 0}
        # The form of the side that lost it is its own affair; it is over with the turn.
        captor = state.sides.get(self.side)
        robot = captor is not None and captor.robot
        return put(state, replace(taken, captured_from=lost_by, allotted=(), robot=robot, **changes))


class TakenOver(Event, frozen=True, kw_only=True, tag="taken_over"):
    """What a captor finds aboard a ship he has taken (D7.0): what of it was its owner's secret (D4.1). He alone knows.

    ``unpaid`` to ``bombs`` are as on the energy form (:class:`pbem.engine.events.EnergyAllotted`); ``hangar`` are the
    letters of the shuttles aboard, if there are any.
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
    """A die for mutiny on a ship whose security stations are gone (G6.2): ``result`` is ``none``, ``put down`` or
    ``staged``; ``second`` is the die that decides once it has broken out.
    """

    unit: str
    roll: str
    die: int
    result: str
    second_roll: str = ""
    second: int = 0

    def apply(self, state: State) -> State:
        if self.result == "none":
            return state
        stopped = {"speed": 0} if self.result == MutinyState.STAGED else {}
        return change(state, self.unit, mutiny=self.result, **stopped)


class ShuttleLaunched(Event, frozen=True, kw_only=True, tag="shuttle_launched"):
    """A shuttle leaves its bay (J1.5). Whether it is a suicide shuttle is not shown (J2.222)."""

    unit: str
    letter: str
    shuttle: Shuttle

    def apply(self, state: State) -> State:
        state = self.pulse(state, PulseKind.LAUNCHED, self.unit, weapon=f"SHUTTLE {self.letter}", kind="shuttle")
        mother = ship_of(state, self.unit)
        if mother is not None:
            moment = self.moment(state)
            bombs = {letter: bomb for letter, bomb in mother.bombs.items() if letter != self.letter}
            hangar = without(mother.hangar, self.letter)
            parties = mother.parties - self.shuttle.parties
            state = put(state, replace(mother, hangar=hangar, bay_used=moment, bombs=bombs, parties=parties))
            state = _crew(state, self.unit, -self.shuttle.crew)
        designation, _, serial = self.shuttle.name.partition("/")
        if serial.isdecimal():
            state = replace(state, serials={**state.serials, designation: int(serial)})
        return put(state, self.shuttle)


class ShuttleLanded(Event, frozen=True, kw_only=True, tag="shuttle_landed"):
    """A shuttle lands on a planet, lands aboard a ship or is pulled aboard by a beam (P2.0, J1.61, J1.62).

    ``letter`` is the box it takes aboard; people it carries go aboard with it.
    """

    unit: str
    on: str
    how: str
    letter: str = ""

    def apply(self, state: State) -> State:
        """On a planet it stands there; aboard it is gone from the map, and its people are aboard. In its box it keeps
        what it suffered, under the letter it has there, which no other has any more.
        """
        shuttle, on = state.units.get(self.unit), state.units.get(self.on)
        if not isinstance(shuttle, Shuttle):
            return state
        if not isinstance(on, Ship):
            return put(state, replace(shuttle, landed=self.on))
        state = _unboxed(state, on.name, self.letter)
        changes: dict[str, Any] = {
            "hangar": tuple(sorted((*on.hangar, _free(on.hangar, self.letter)))),
            "bay_used": self.moment(state),
            "passengers": on.passengers + shuttle.crew,
            "parties": on.parties + shuttle.parties,
        }
        return unlinked(
            put(
                put(state, replace(on, **changes)),
                replace(shuttle, gone=Gone.LANDED, launcher=on.name, letter=self.letter),
            ),
            shuttle.name,
            self.moment(state),
        )


class Boarded(Event, frozen=True, kw_only=True, tag="boarded"):
    """People go aboard a shuttle on a planet, or leave it (J2.211): crew units, positive for going aboard."""

    unit: str
    planet: str
    crew: int

    def apply(self, state: State) -> State:
        return _crew(_crew(state, self.planet, -self.crew), self.unit, self.crew)


class ProbeLaunched(Event, frozen=True, kw_only=True, tag="probe_launched"):
    """A probe is launched (G5.0): ``purpose`` is ``information`` or ``weapon``."""

    unit: str
    probe: str
    target: str
    purpose: Purpose
    information: int = 0

    def apply(self, state: State) -> State:
        launcher = ship_of(state, self.unit)
        if launcher is None or self.probe not in launcher.probes:
            return state
        box = launcher.probes[self.probe]
        probes = {**launcher.probes, self.probe: replace(box, purpose=Purpose.NONE, turns=0, left=max(0, box.left - 1))}
        state = put(state, replace(launcher, probes=probes))
        target = state.units.get(self.target)
        if isinstance(target, Monster):
            return put(state, replace(target, information=target.information + self.information))
        return state


class Learned(Event, frozen=True, kw_only=True, tag="learned"):
    """What a ship's labs and shuttles find out about a monster in a turn (G4.1): closest effective range, labs, die."""

    unit: str
    target: str
    range: int
    labs: int
    roll: str
    die: int
    points: int
    total: int

    def apply(self, state: State) -> State:
        return change(state, self.target, information=self.total)


class MethodFound(Event, frozen=True, kw_only=True, tag="method_found"):
    """Enough is known: the die tells how the monster can be dealt with (scenario #11)."""

    unit: str
    roll: str
    die: int
    method: str
    needed: int = 0

    def apply(self, state: State) -> State:
        if self.needed:
            return change(state, self.unit, needed=self.needed)
        return change(state, self.unit, method=self.die)


class Attacked(Notice, frozen=True, kw_only=True, tag="attacked"):
    """A monster attacks a ship, or the planet it is after (scenario #11)."""

    unit: str
    target: str
    roll: str
    die: int
    points: int
    shield: int = 0


class UnitDamaged(Event, frozen=True, kw_only=True, tag="unit_damaged"):
    """Points scored on a unit without an SSD that is no seeking weapon: a shuttle (J1.32), a monster, a planet."""

    unit: str
    points: int
    total: int
    by: str = ""

    def apply(self, state: State) -> State:
        state = self.pulse(state, PulseKind.DAMAGED, self.unit, boxes=self.points)
        unit = state.units.get(self.unit)
        if isinstance(unit, Monster):
            return put(state, replace(unit, damage=self.total, attacked_by=self.by or unit.attacked_by))
        if isinstance(unit, Shuttle | Planet):
            return put(state, replace(unit, damage=self.total))
        return state


class Collided(Event, frozen=True, kw_only=True, tag="collided"):
    """A unit enters a hex of asteroids: the die, and the points it suffers (P3.0)."""

    unit: str
    hex: str
    roll: str
    die: int
    points: int

    def apply(self, state: State) -> State:
        """What asteroids do to a ship is scored with the volley; that they struck shows it, if it is cloaked (P3.0)."""
        if not self.points or ship_of(state, self.unit) is None:
            return state
        return change(state, self.unit, exposed=self.moment(state))


def _name_of(shield: int) -> str:
    return f"#{shield}" if shield else "general"


def _crew(state: State, name: str, more: int) -> State:
    """So many crew units more, or less, on a ship, a shuttle or a planet."""
    unit = state.units.get(name)
    if isinstance(unit, Ship):
        return put(state, replace(unit, passengers=unit.passengers + more))
    if isinstance(unit, Planet | Shuttle):
        return put(state, replace(unit, crew=unit.crew + more))
    return state


def _parties(state: State, name: str, side: str, more: int) -> State:
    """So many boarding parties of a side more, or less, aboard a ship; those of its own team defend it. Of raiders that
    are fetched back the side's own go first, then those of its allies, by name.
    """
    aboard = ship_of(state, name)
    if aboard is None:
        return state
    if not state.enemies(side, aboard.side):
        return put(state, replace(aboard, parties=aboard.parties + more))
    boarders = {side: 0, **aboard.boarders}
    for each in (side, *sorted(name for name in boarders if name != side and not state.enemies(side, name))):
        changed = max(0, boarders[each] + more)
        boarders[each], more = changed, more - (changed - boarders[each])
    return put(state, replace(aboard, boarders={name: n for name, n in sorted(boarders.items()) if n > 0}))


def _unboxed(state: State, ship: str, letter: str) -> State:
    """The state in which no shuttle that had this box before is in it any more (J1.4): whoever looks for what the
    shuttle in it has suffered (J1.32) finds the one that comes in now.
    """
    for unit in state.units.values():
        if isinstance(unit, Shuttle) and (unit.gone, unit.launcher, unit.letter) == (Gone.LANDED, ship, letter):
            state = put(state, replace(unit, letter=""))
    return state


def _free(hangar: tuple[str, ...], letter: str) -> str:
    """The letter of a shuttle that comes aboard; the next free one where a reader of the log believed it taken."""
    return letter if letter not in hangar else next(each for each in ascii_uppercase if each not in hangar)


# Annotations are not put off: see pbem/engine/state.py.


class Tractored(Event, frozen=True, kw_only=True, tag="tractored"):
    """A tractor beam takes hold of something (G7.3)."""

    unit: str
    beam: str
    target: str

    def apply(self, state: State) -> State:
        link = Link(ship=self.unit, beam=self.beam, target=self.target, since=self.moment(state))
        state = replace(state, links=(*state.links, link))
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put(state, replace(holder, beams_used=tuple(sorted({*holder.beams_used, self.beam}))))


class Released(Event, frozen=True, kw_only=True, tag="released"):
    """A tractor link ends, and why: let go, not paid for, its beam destroyed, broken by a second beam (G7.33, G7.4)."""

    unit: str
    beam: str
    target: str
    why: str

    def apply(self, state: State) -> State:
        links = tuple(link for link in state.links if (link.ship, link.beam) != (self.unit, self.beam))
        state = replace(state, links=links)
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put(state, let_go(holder, self.beam, self.in_its_turn(state), worked=self.impulse > 0))


class Towed(Event, frozen=True, kw_only=True, tag="towed"):
    """A held unit keeps a parallel course with the ship that holds it (G7.31C). ``at`` is hex and facing."""

    unit: str
    at: str
    by: str
    came_from: str

    def apply(self, state: State) -> State:
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        changes: dict[str, Any] = {"hex": here.hex, "facing": here.facing, "track": (*unit.track, here)}
        if not isinstance(unit, Monster | Planet):
            changes["towed"] = (*unit.towed, here.moment)
        if not isinstance(unit, Ship | Monster | Planet):
            changes["came_from"] = self.came_from
        return put(state, replace(unit, **changes))
