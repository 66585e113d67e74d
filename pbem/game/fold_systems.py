"""What the events of the ships' systems do to the state: the second half of :mod:`pbem.game.fold`."""

from __future__ import annotations

from functools import singledispatch
from string import ascii_uppercase
from typing import Any

import msgspec

from pbem.game import events as ev
from pbem.game.state import AnyUnit, Link, Monster, Planet, Position, Pulse, Ship, Shuttle, State
from pbem.rules.reserve import exact
from pbem.rules.transporters import operated
from pbem.values.words import Gone, MutinyState, PulseKind, Purpose

replace = msgspec.structs.replace


# --- changing one unit -----------------------------------------------------------------------------------------------


def put(state: State, unit: AnyUnit) -> State:
    """The state with this unit as it is now."""
    return replace(state, units={**state.units, unit.name: unit})


def change(state: State, name: str, **changes: Any) -> State:
    """The state with these fields of a unit changed; as it was, if the reader does not know the unit."""
    unit = state.units.get(name)
    return state if unit is None else put(state, replace(unit, **changes))


def ship(state: State, name: str) -> Ship | None:
    """The ship of this name, if the reader knows it."""
    unit = state.units.get(name)
    return unit if isinstance(unit, Ship) else None


def moment_of(state: State, event: ev.Event) -> int:
    """Impulses since the start of the game at which an event happened."""
    return (event.turn - 1) * state.impulses + event.impulse


def pulse(state: State, event: ev.Event, what: PulseKind, unit: str, **more: Any) -> State:
    """Remember a shot, launch or damage for the conditions that may ask about it: within an impulse, or until a ship's
    next move.
    """
    moment = moment_of(state, event)
    began = (event.turn - 1) * state.impulses
    kept = tuple(pulse for pulse in state.recent if pulse.moment >= min(moment - 1, began + 1))
    return replace(state, recent=(*kept, Pulse(moment=moment, step=event.step, what=what, unit=unit, **more)))


def unlinked(state: State, name: str, moment: int) -> State:
    """The state without the tractor links of a unit that is gone; beams that held it count as released (G7.13)."""
    for link in state.holders(name):
        holder = ship(state, link.ship)
        if holder is not None:
            state = put(state, replace(holder, released={**holder.released, link.beam: moment}))
    links = tuple(link for link in state.links if name not in (link.ship, link.target))
    return state if len(links) == len(state.links) else replace(state, links=links)


def hangar_after(ship: Ship, boxes: int, occupied: bool = False, lost: str = "") -> tuple[str, ...]:
    """The shuttles aboard when so many shuttle boxes are left: an empty box goes first, then the last letter (J1.4);
    as "any weapon" only an ``occupied`` one can be hit (D4.324). ``lost`` is the letter of the shuttle that was lost,
    where the log tells it.

    What is being armed must not be seen from which shuttle was lost: who is not told (``?``) takes it for the last one.
    """
    if lost:
        return _without(ship.hangar, lost)
    left = len(ship.hangar) - occupied
    return ship.hangar[: min(left, boxes)]


def _without(hangar: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """The shuttles aboard without one; without the last of them where a reader of the log believed it gone."""
    return tuple(each for each in hangar if each != letter) if letter in hangar else hangar[:-1]


def _free(hangar: tuple[str, ...], letter: str) -> str:
    """The letter of a shuttle that comes aboard; the next free one where a reader of the log believed it taken."""
    return letter if letter not in hangar else next(each for each in ascii_uppercase if each not in hangar)


def without_used(ship: Ship, event: ev.InternalHit) -> dict[str, Any]:
    """A beam or transporter that was used this turn is destroyed (D4.223): its use and its energy are gone with it, and
    those that are left can still do what they could. Beams are counted, letters are names: the first ones stay.
    """
    if event.box == "tractor":
        return {
            "beams_used": tuple(beam for beam in ship.beams_used if beam != event.used),
            "released": {beam: moment for beam, moment in ship.released.items() if beam != event.used},
            "tractors": ship.tractors[:-1],
        }
    return {"transported": ship.transported - 1, "transporters": max(0, ship.transporters - 1)}


def powered_by_reserve(state: State, ship: Ship, event: ev.ReserveSpent) -> dict[str, Any]:
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


# --- the events ------------------------------------------------------------------------------------------------------


@singledispatch
def apply(event: Any, state: State) -> State:
    """Events that only tell something leave the state as it is."""
    return state


@apply.register
def _(event: ev.Tractored, state: State) -> State:
    link = Link(ship=event.unit, beam=event.beam, target=event.target, since=moment_of(state, event))
    state = replace(state, links=(*state.links, link))
    holder = ship(state, event.unit)
    if holder is None:
        return state
    return put(state, replace(holder, beams_used=tuple(sorted({*holder.beams_used, event.beam}))))


@apply.register
def _(event: ev.Released, state: State) -> State:
    links = tuple(link for link in state.links if (link.ship, link.beam) != (event.unit, event.beam))
    state = replace(state, links=links)
    holder = ship(state, event.unit)
    if holder is None:
        return state
    return put(state, replace(holder, released={**holder.released, event.beam: moment_of(state, event)}))


@apply.register
def _(event: ev.Towed, state: State) -> State:
    unit = state.units.get(event.unit)
    if unit is None:
        return state
    here = Position(moment_of(state, event), event.at[:4], event.at[4:])
    changes: dict[str, Any] = {"hex": here.hex, "facing": here.facing, "track": (*unit.track, here)}
    if not isinstance(unit, Ship | Monster | Planet):
        changes["came_from"] = event.came_from
    return put(state, replace(unit, **changes))


def _name_of(shield: int) -> str:
    return f"#{shield}" if shield else "general"


@apply.register
def _(event: ev.ShieldLowered, state: State) -> State:
    lowering = ship(state, event.unit)
    if lowering is None:
        return state
    lowered = {**lowering.lowered, _name_of(event.shield): moment_of(state, event)}
    return put(state, replace(lowering, lowered=dict(sorted(lowered.items()))))


@apply.register
def _(event: ev.ShieldRaised, state: State) -> State:
    raising = ship(state, event.unit)
    if raising is None:
        return state
    lowered = {name: since for name, since in raising.lowered.items() if name != _name_of(event.shield)}
    return put(state, replace(raising, lowered=lowered))


@apply.register
def _(event: ev.Transported, state: State) -> State:
    """The transporters are used in any case; boarding parties change ships, crew units ship and planet."""
    sender = ship(state, event.unit)
    if sender is None:
        return state
    sender = replace(sender, transported=sender.transported + event.transporters)
    state = put(state, sender)
    if event.failed:
        return state
    here, there = (event.unit, event.target) if event.way == "TO" else (event.target, event.unit)
    if event.what == "CREW":
        return _crew(_crew(state, here, -event.count), there, event.count)
    return _parties(_parties(state, here, sender.side, -event.count), there, sender.side, event.count)


def _crew(state: State, name: str, more: int) -> State:
    """So many crew units more, or less, on a ship, a shuttle or a planet."""
    unit = state.units.get(name)
    if isinstance(unit, Ship):
        return put(state, replace(unit, passengers=unit.passengers + more))
    if isinstance(unit, Planet | Shuttle):
        return put(state, replace(unit, crew=unit.crew + more))
    return state


def _parties(state: State, name: str, side: str, more: int) -> State:
    """So many boarding parties of a side more, or less, aboard a ship; those of its own team defend it."""
    aboard = ship(state, name)
    if aboard is None:
        return state
    if not state.enemies(side, aboard.side):
        return put(state, replace(aboard, parties=aboard.parties + more))
    boarders = {**aboard.boarders, side: aboard.boarders.get(side, 0) + more}
    return put(state, replace(aboard, boarders={name: n for name, n in sorted(boarders.items()) if n > 0}))


@apply.register
def _(event: ev.BoardingFought, state: State) -> State:
    return change(state, event.unit, parties=event.holders, boarders=event.boarders, taken=event.taken)


@apply.register
def _(event: ev.Captured, state: State) -> State:
    """The captor commands the ship; taken back by the side that lost it, its weapons may fire again."""
    taken = ship(state, event.unit)
    if taken is None:
        return state
    lost_by = "" if taken.captured_from == event.side else taken.captured_from or event.was
    changes: dict[str, Any] = {"side": event.side, "parties": event.parties, "boarders": event.boarders, "taken": 0}
    # The form of the side that lost it is its own affair; it is over with the turn.
    captor = state.sides.get(event.side)
    robot = captor is not None and captor.robot
    return put(state, replace(taken, captured_from=lost_by, allotted=(), robot=robot, **changes))


@apply.register
def _(event: ev.TakenOver, state: State) -> State:
    return change(
        state,
        event.unit,
        weapons=event.weapons,
        capacitor=event.capacitor,
        batteries=event.batteries,
        battery_part=event.battery_part,
        repairing=event.repairing,
        unpaid=event.unpaid,
        probes=event.probes,
        bombs=event.bombs,
        **({"hangar": event.hangar} if event.hangar is not None else {}),
    )


@apply.register
def _(event: ev.Mutinied, state: State) -> State:
    if event.result == "none":
        return state
    stopped = {"speed": 0} if event.result == MutinyState.STAGED else {}
    return change(state, event.unit, mutiny=event.result, **stopped)


@apply.register
def _(event: ev.ShuttleLaunched, state: State) -> State:
    state = pulse(state, event, PulseKind.LAUNCHED, event.unit, weapon=f"SHUTTLE {event.letter}", kind="shuttle")
    mother = ship(state, event.unit)
    if mother is not None:
        moment = moment_of(state, event)
        bombs = {letter: bomb for letter, bomb in mother.bombs.items() if letter != event.letter}
        hangar = _without(mother.hangar, event.letter)
        parties = mother.parties - event.shuttle.parties
        state = put(state, replace(mother, hangar=hangar, bay_used=moment, bombs=bombs, parties=parties))
        state = _crew(state, event.unit, -event.shuttle.crew)
    designation, _, serial = event.shuttle.name.partition("/")
    if serial.isdigit():
        state = replace(state, serials={**state.serials, designation: int(serial)})
    return put(state, event.shuttle)


@apply.register
def _(event: ev.ShuttleLanded, state: State) -> State:
    """On a planet it stands there; aboard it is gone from the map, and its people are aboard. In its box it keeps what
    it suffered, under the letter it has there.
    """
    shuttle, on = state.units.get(event.unit), state.units.get(event.on)
    if not isinstance(shuttle, Shuttle):
        return state
    if not isinstance(on, Ship):
        return put(state, replace(shuttle, landed=event.on))
    changes: dict[str, Any] = {
        "hangar": tuple(sorted((*on.hangar, _free(on.hangar, event.letter)))),
        "bay_used": moment_of(state, event),
        "passengers": on.passengers + shuttle.crew,
        "parties": on.parties + shuttle.parties,
    }
    return unlinked(
        put(
            put(state, replace(on, **changes)),
            replace(shuttle, gone=Gone.LANDED, launcher=on.name, letter=event.letter),
        ),
        shuttle.name,
        moment_of(state, event),
    )


@apply.register
def _(event: ev.Boarded, state: State) -> State:
    return _crew(_crew(state, event.planet, -event.crew), event.unit, event.crew)


@apply.register
def _(event: ev.ProbeLaunched, state: State) -> State:
    launcher = ship(state, event.unit)
    if launcher is None or event.probe not in launcher.probes:
        return state
    box = launcher.probes[event.probe]
    probes = {**launcher.probes, event.probe: replace(box, purpose=Purpose.NONE, turns=0, left=max(0, box.left - 1))}
    state = put(state, replace(launcher, probes=probes))
    target = state.units.get(event.target)
    if isinstance(target, Monster):
        return put(state, replace(target, information=target.information + event.information))
    return state


@apply.register
def _(event: ev.Learned, state: State) -> State:
    return change(state, event.target, information=event.total)


@apply.register
def _(event: ev.MethodFound, state: State) -> State:
    if event.needed:
        return change(state, event.unit, needed=event.needed)
    return change(state, event.unit, method=event.die)


@apply.register
def _(event: ev.Collided, state: State) -> State:
    """What asteroids do to a ship is scored with the volley; that they struck it shows it, if it is cloaked (P3.0)."""
    if not event.points or ship(state, event.unit) is None:
        return state
    return change(state, event.unit, exposed=moment_of(state, event))


@apply.register
def _(event: ev.UnitDamaged, state: State) -> State:
    state = pulse(state, event, PulseKind.DAMAGED, event.unit, boxes=event.points)
    unit = state.units.get(event.unit)
    if isinstance(unit, Monster):
        return put(state, replace(unit, damage=event.total, attacked_by=event.by or unit.attacked_by))
    if isinstance(unit, Shuttle | Planet):
        return put(state, replace(unit, damage=event.total))
    return state
