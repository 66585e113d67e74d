"""State is a fold over events: ``apply(state, event)`` for each, and nothing else ever changes a state.

The same fold over one side's view of the log gives what that side knows; so no branch here may assume that it has seen
what only another side may see.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cache, singledispatch
from typing import Any

import msgspec

from pbem.game import events as ev, fold_systems as systems, fold_umpire as fold_umpire
from pbem.game.fold_systems import change as _change, moment_of, pulse as _pulse, put as _put, ship as _ship
from pbem.game.state import AnyUnit, Planet, Position, Seeker, Ship, Shuttle, Standing, State, Weapon
from pbem.rules import plasma
from pbem.rules.arming import family
from pbem.rules.capacitor import after_loss, capacity
from pbem.rules.fire import shots_fired
from pbem.rules.phasers import shot_cost
from pbem.rules.reserve import exact
from pbem.rules.standard_damage import OCCUPIED
from pbem.values.words import Gone, PulseKind, WeaponState

replace = msgspec.structs.replace


def fold(events: Iterable[ev.AnyEvent], state: State | None = None) -> State:
    """The state after ``events``, from an empty one or from ``state``."""
    state = State() if state is None else state
    for event in events:
        state = apply(state, event)
    return state


def fold_records(records: Iterable[ev.Record], state: State | None = None) -> State:
    """The umpire's state after a log, with the number of records folded in."""
    state = State() if state is None else state
    for record in records:
        state = replace(apply(state, record.event), records=record.n)
    return state


def apply(state: State, event: ev.AnyEvent) -> State:
    """The state after one event."""
    if (state.turn, state.impulse, state.step) != (event.turn, event.impulse, event.step):
        state = replace(state, turn=event.turn, impulse=event.impulse, step=event.step)
    return _branch(type(event))(event, state)


@singledispatch
def _apply(event: Any, state: State) -> State:
    """Events of the systems have a module of their own; those that only tell something leave the state as it is."""
    return systems.apply(event, state)


_branch = cache(_apply.dispatch)
"""The branch for a kind of event."""


def _weapon(ship: Ship, name: str, **changes: Any) -> dict[str, Weapon]:
    weapon = ship.weapons.get(name)
    return ship.weapons if weapon is None else {**ship.weapons, name: replace(weapon, **changes)}


# --- set-up, orders, the cursor --------------------------------------------------------------------------------------


@_apply.register
def _(event: ev.GameStarted, state: State) -> State:
    return replace(
        state,
        game=event.game,
        scenario=event.scenario,
        level=event.level,
        impulses=event.impulses,
        map=event.map,
        grid=event.grid,
        options=event.options,
        sides={side.name: side for side in sorted(event.sides, key=lambda side: side.name)},
        asteroids=event.asteroids,
    )


@_apply.register
def _(event: ev.UnitPlaced, state: State) -> State:
    unit = event.unit
    if not unit.track:
        unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
    if isinstance(unit, Planet) and unit.name not in state.worlds:
        state = replace(state, worlds=(*state.worlds, unit.name))
    return _put(state, unit)


@_apply.register
def _(event: ev.OrdersFiled, state: State) -> State:
    before = state.standing.get(event.side)
    if event.continued and before is not None:
        standing = replace(before, request=event.request)
    else:
        standing = Standing(text=event.text, request=event.request)
    return replace(state, standing={**state.standing, event.side: standing})


@_apply.register
def _(event: ev.SegmentBegan, state: State) -> State:
    return replace(state, segment=event.segment, request=None)


@_apply.register
def _(event: ev.Requested, state: State) -> State:
    return replace(state, request=event.request, last_request=event.request)


@_apply.register
def _(event: ev.Stopped, state: State) -> State:
    return replace(state, impulse=event.next_impulse, step=event.next_step)


@_apply.register
def _(event: ev.OrderTold, state: State) -> State:
    standing = state.standing.get(event.side)
    if not event.spent or standing is None or event.line in standing.spent:
        return state
    acted = (*standing.acted, event.line) if event.result == "acted" else standing.acted
    spent = replace(standing, spent=tuple(sorted({*standing.spent, event.line})), acted=acted)
    return replace(state, standing={**state.standing, event.side: spent})


@_apply.register
def _(event: ev.TurnBegan, state: State) -> State:
    """What does not carry over is gone: reinforcement (D3.34), disruptor energy (E3.2); the last speed is
    remembered.
    """
    # Units in one hex are judged by where they stood before they met, turns ago perhaps (D3.42).
    together = Counter(unit.hex for unit in state.in_play())
    units: dict[str, AnyUnit] = {}
    for name, unit in state.units.items():
        if isinstance(unit, Ship):
            weapons = {
                key: replace(weapon, charge=WeaponState.NONE) if weapon.charge == WeaponState.POWERED else weapon
                for key, weapon in unit.weapons.items()
            }
            unit = replace(
                unit,
                prior_speed=unit.speed,
                reinforcement=(0,) * 6,
                general=0,
                repairing={},
                allotted=(),
                weapons=weapons,
                marks=() if unit.robot and unit.in_play else unit.marks,
                lock_on=True,
                unpaid=(),
                tactical=0,
                sublight=False,
                tacs=(),
                sublight_used=None,
                cloak_paid=False,
                tractors=(),
                beams_used=(),
                transporters=0,
                transported=0,
                move_warp=0.0,
                move_impulse=0,
                paid_speed=0,
                towing=0,
            )
        elif isinstance(unit, Shuttle):
            unit = replace(unit, prior_speed=unit.speed)
        units[name] = unit if together[unit.hex] > 1 else replace(unit, track=unit.track[-1:])
    return replace(state, units=units)


@_apply.register
def _(event: ev.GameEnded, state: State) -> State:
    return replace(state, outcome=event.outcome, over=True, request=None)


# --- energy ----------------------------------------------------------------------------------------------------------


@_apply.register
def _(event: ev.EnergyAllotted, state: State) -> State:
    return _change(
        state,
        event.unit,
        speed=event.speed,
        paid_speed=event.speed,
        weapons=event.weapons,
        capacitor=event.capacitor,
        batteries=event.batteries,
        general=event.general,
        reinforcement=event.reinforcement,
        repairing=event.repairing,
        allotted=event.lines,
        unpaid=event.unpaid,
        tactical=event.tactical,
        sublight=event.sublight,
        cloak_paid=event.cloak,
        battery_part=event.battery_part,
        move_warp=event.move_warp,
        move_impulse=event.move_impulse,
        tractors=event.tractors,
        transporters=event.transporters,
        probes=event.probes,
        bombs=event.bombs,
    )


@_apply.register
def _(event: ev.SpeedAnnounced, state: State) -> State:
    unit = state.units.get(event.unit)
    if isinstance(unit, Ship):
        return _put(state, replace(unit, speed=event.speed, tactical=event.tactical, towing=event.towing))
    return _change(state, event.unit, speed=event.speed)


@_apply.register
def _(event: ev.RobotReadied, state: State) -> State:
    return _change(state, event.unit, speed=event.speed, weapons=event.weapons, capacitor=event.capacitor)


@_apply.register
def _(event: ev.Readied, state: State) -> State:
    return _change(state, event.unit, speed=event.speed, weapons=event.weapons, capacitor=event.capacitor)


@_apply.register
def _(event: ev.LockedOn, state: State) -> State:
    return _change(state, event.unit, lock_on=event.locked)


# --- movement --------------------------------------------------------------------------------------------------------


@_apply.register
def _(event: ev.Turned, state: State) -> State:
    return _change(state, event.unit, facing=event.at[4:])


@_apply.register
def _(event: ev.Moved, state: State) -> State:
    unit = state.units.get(event.unit)
    if unit is None:
        return state
    here = Position(moment_of(state, event), event.at[:4], event.at[4:])
    changes: dict[str, Any] = {"hex": here.hex, "facing": here.facing, "track": (*unit.track, here)}
    if isinstance(unit, Ship):
        changes |= {"since_turn": event.since_turn, "since_slip": event.since_slip}
    elif not isinstance(unit, Planet):
        changes |= {"straight": event.since_turn}
    if isinstance(unit, Shuttle):
        changes |= {"came_from": event.came_from, "landed": ""}
    if isinstance(unit, Seeker):
        changes |= {"came_from": event.came_from}
        if unit.torpedo:
            changes |= _warhead(unit, travelled=unit.travelled + 1)
    state = _put(state, replace(unit, **changes))
    standing = state.standing.get(unit.side)
    if event.plotted and standing is not None:
        flown = {**standing.flown, unit.name: standing.flown.get(unit.name, 0) + 1}
        state = replace(state, standing={**state.standing, unit.side: replace(standing, flown=flown)})
    return state


@_apply.register
def _(event: ev.Maneuvered, state: State) -> State:
    """The ship stays where it is; its counts for turn and slip mode begin anew (C5.4)."""
    ship = _ship(state, event.unit)
    if ship is None:
        return state
    here = Position(moment_of(state, event), event.at[:4], event.at[4:])
    used: dict[str, Any] = {"sublight_used": event.impulse}
    if event.kind == "warp":
        used = {"tacs": (*ship.tacs, event.impulse)}
    return _put(state, replace(ship, facing=here.facing, track=(*ship.track, here), since_turn=0, since_slip=0, **used))


@_apply.register
def _(event: ev.Cloaked, state: State) -> State:
    # What is announced before impulse 1 holds from impulse 1 on (G13.0).
    first = (event.turn - 1) * state.impulses + 1
    return _change(state, event.unit, cloak=event.status, cloak_since=max(first, moment_of(state, event)))


# --- weapons and damage ----------------------------------------------------------------------------------------------


@_apply.register
def _(event: ev.Launched, state: State) -> State:
    state = _pulse(state, event, PulseKind.LAUNCHED, event.unit, weapon=event.weapon, kind=event.seeker.weapon)
    ship = _ship(state, event.unit)
    if ship is not None and event.weapon in ship.weapons:
        weapon = ship.weapons[event.weapon]
        weapons = _weapon(
            ship,
            event.weapon,
            fired=moment_of(state, event),
            ammo=max(0, weapon.ammo - 1),
            charge=WeaponState.NONE,
            armed_turns=0,
            destroyed=None,
        )
        state = _put(state, replace(ship, weapons=weapons))
    designation, _, serial = event.seeker.name.partition("/")
    if serial.isdigit():
        state = replace(state, serials={**state.serials, designation: int(serial)})
    return _put(state, event.seeker)


@_apply.register
def _(event: ev.Fired, state: State) -> State:
    state = _pulse(state, event, PulseKind.FIRED, event.unit, weapon=event.weapon, kind=event.kind)
    shooter = state.units.get(event.unit)
    if isinstance(shooter, Shuttle):
        return _put(state, replace(shooter, fired=moment_of(state, event)))
    ship = _ship(state, event.unit)
    if ship is None or event.weapon not in ship.weapons:
        return state
    box, moment = ship.weapons[event.weapon], moment_of(state, event)
    shots = shots_fired(box.fired, box.shots, moment, state.impulses)
    weapons = _weapon(ship, event.weapon, fired=moment, shots=shots + 1, charge=WeaponState.NONE, armed_turns=0)
    changes: dict[str, Any] = {"weapons": weapons}
    if event.energy == "capacitor":
        changes["capacitor"] = max(0.0, ship.capacitor - shot_cost(event.kind, shots))
    return _put(state, replace(ship, **changes))


@_apply.register
def _(event: ev.ReserveSpent, state: State) -> State:
    ship = _ship(state, event.unit)
    if ship is None:
        return state
    left = max(Fraction(0), ship.stored - exact(event.points))
    changes: dict[str, Any] = {"batteries": int(left), "battery_part": str(left % 1) if left % 1 else ""}
    if event.purpose.startswith("#"):
        shield = int(event.purpose[1:]) - 1
        points = list(ship.reinforcement)
        points[shield] += int(event.points)
        changes["reinforcement"] = tuple(points)
    else:
        changes |= systems.powered_by_reserve(state, ship, event)
    return _put(state, replace(ship, **changes))


@_apply.register
def _(event: ev.Damaged, state: State) -> State:
    state = _pulse(
        state, event, PulseKind.DAMAGED, event.unit, shield=event.shield, boxes=event.boxes, internals=event.internals
    )
    ship = _ship(state, event.unit)
    if ship is None or not event.shield:
        return state
    index = event.shield - 1
    shields, reinforcement = list(ship.shields), list(ship.reinforcement)
    shields[index] = event.left
    reinforcement[index] = max(0, reinforcement[index] - event.specific)
    return _put(
        state,
        replace(
            ship,
            shields=tuple(shields),
            reinforcement=tuple(reinforcement),
            general=max(0, ship.general - event.general),
            internals=ship.internals + event.internals,
        ),
    )


@_apply.register
def _(event: ev.SeekerDamaged, state: State) -> State:
    state = _pulse(state, event, PulseKind.DAMAGED, event.unit, boxes=event.points)
    unit = state.units.get(event.unit)
    if isinstance(unit, Seeker) and unit.torpedo:
        return _put(state, replace(unit, **_warhead(unit, damage=event.total)))
    return _change(state, event.unit, damage=event.total)


def _warhead(torpedo: Seeker, **changes: int) -> dict[str, Any]:
    """What a plasma torpedo would score after more hexes or phaser hits (FP1.5, FP1.6)."""
    after = replace(torpedo, **changes)
    return {**changes, "warhead": plasma.warhead(after.torpedo, after.travelled, after.damage)}


@_apply.register
def _(event: ev.InternalHit, state: State) -> State:
    """A box is gone. With a phaser goes its part of the capacitor, the empty part first (H6.3); with a rack its drones
    (FD1.1); with a battery a discharged one, if there is any (B3.0, line 6). An armed plasma tube keeps its torpedo
    for a quarter of a turn (FP1.7)."""
    ship = _ship(state, event.unit)
    if ship is None:
        return state
    if event.box in ship.weapons:
        lost: dict[str, Any] = {"charge": WeaponState.NONE, "armed_turns": 0, "ammo": 0}
        box = ship.weapons[event.box]
        if family(box.kind).outlives(box.charge):
            lost = {"destroyed": moment_of(state, event)}
        weapons = _weapon(ship, event.box, working=False, **lost)
        capacitor = after_loss(ship.capacitor, capacity(weapons))
        return _put(state, replace(ship, weapons=weapons, capacitor=capacitor))
    boxes = {**ship.boxes, event.box: max(0, ship.boxes.get(event.box, 0) - 1)}
    changes: dict[str, Any] = {"boxes": boxes}
    if event.box == "battery":
        changes["batteries"] = min(ship.batteries, boxes["battery"])
        if boxes["battery"] <= ship.batteries:
            changes["battery_part"] = ""  # the box that held a part of a point is gone with the others
    elif event.box == "shuttle":
        aboard = systems.hangar_after(ship, boxes["shuttle"], occupied=event.category == OCCUPIED, lost=event.shuttle)
        changes["hangar"] = aboard
        changes["bombs"] = {letter: bomb for letter, bomb in ship.bombs.items() if letter in aboard}
    elif event.used:
        changes |= systems.without_used(ship, event)
    return _put(state, replace(ship, **changes))


@_apply.register
def _(event: ev.Destroyed, state: State) -> State:
    return systems.unlinked(_change(state, event.unit, gone=Gone.DESTROYED), event.unit, moment_of(state, event))


@_apply.register
def _(event: ev.Removed, state: State) -> State:
    return systems.unlinked(_change(state, event.unit, gone=event.how), event.unit, moment_of(state, event))


@_apply.register
def _(event: ev.Marked, state: State) -> State:
    unit = _ship(state, event.unit)
    return state if unit is None else _put(state, replace(unit, marks=(*unit.marks, event.mark)))


@_apply.register
def _(event: ev.Repaired, state: State) -> State:
    ship = _ship(state, event.unit)
    if ship is None:
        return state
    shields = list(ship.shields)
    shields[event.shield - 1] += event.boxes
    return _put(state, replace(ship, shields=tuple(shields)))
