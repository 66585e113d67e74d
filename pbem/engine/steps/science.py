"""Labs and probes: gathering information, and probes as weapons (G4.0, G5.0)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import NamedTuple

from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, Purpose
from pbem.engine import events as ev
from pbem.engine.checking.outlook import Outlook
from pbem.engine.conditions.scene import Scene, targets_of, unit_named
from pbem.engine.order_systems import SYSTEMS, System
from pbem.engine.play.resolution import Intent, Resolution
from pbem.engine.relations import can_fight
from pbem.engine.state import AnyUnit, Monster, Ship, Shuttle, State
from pbem.engine.steps.geometry import asteroid_modifier, range_between, standpoints, verify_line_of_fire
from pbem.engine.steps.launching import verify_spared
from pbem.engine.steps.sensors import effective_range, scanner_factor, veil_at, veil_of
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.rules import boarding, hexes, monsters, power, science, sensors
from pbem.rules.sensors import verify_not_silent

KIND = "probe"
"""The weapon kind under which the log records a fired probe."""

ShieldOf = Callable[[AnyUnit, AnyUnit], int]
"""Type of a function (unit, target) that returns the number of the target's shield that is hit.

If the line of fire follows a shield boundary, the function decides the shield only once for all fire of a step.
"""


# --- probes ------------------------------------------------------------------------------------------------


def launch_probes(table: Resolution, shield_of: ShieldOf) -> None:
    """Launch the ordered probes in the direct-fire step (G5.13).

    Each probe gathers information or hits as a weapon, depending on the purpose for which it was armed.
    """
    if not table.scenario.uses("probes"):
        return
    before = table.state
    for ship in before.ships():
        if not table.has_captain(ship):
            continue
        used: set[str] = set()
        for intent in table.captain(ship).intends(table, ship, before, om.LaunchProbe):
            try:
                launches = _prepare(before, ship, intent, used)
            except NotAllowed as refused:
                table.failed(ship, intent.order, str(refused))
                continue
            for letter, target in launches.items():
                _launch(table, ship, letter, target, shield_of)
            names = ", ".join(f"PROBE {letter} at {target.name}" for letter, target in launches.items())
            table.acted(ship, intent.order, f"launched {names}")
            used |= launches.keys()


def _prepare(before: State, ship: Ship, intent: Intent, used: set[str]) -> dict[str, AnyUnit]:
    """Return the launches of one order, as a dict of probe launcher letter to target.

    Raises:
        NotAllowed: One of the launches is not allowed; then the order launches nothing.
    """
    launches: dict[str, AnyUnit] = {}
    for activity in intent.order.does:
        if not isinstance(activity, om.LaunchProbe):
            continue
        if activity.probe in used or activity.probe in launches:
            raise NotAllowed("not-armed", f"PROBE {activity.probe} is launched by an earlier order", "G5.2")
        targets = targets_of(activity.target, Scene(state=before, me=ship), intent.its)
        if not targets:
            raise NotAllowed("no-target", "there is no such target in play", "")
        verify_probe(before, ship, activity.probe, targets[0])
        launches[activity.probe] = targets[0]
    return launches


def verify_probe(state: State, ship: Ship, letter: str, target: AnyUnit) -> None:
    """Check that an armed probe can be launched at the target now (G5.0).

    Our interpretation where the rules are silent: a ship that is cloaked, or is fading in or out, launches no probe of
    either kind (G13.34). An information probe needs neither fire control nor a clear line of fire, and may only study
    an enemy monster. A captured ship may launch an information probe, but not a probe as a weapon (D7.0).

    Raises:
        NotAllowed: The probe cannot be launched.
    """
    box, ready = ship.power.probes.get(letter), _ready(ship, letter)
    if box is None:
        raise NotAllowed("no-such-weapon", f"{ship.name} has no PROBE {letter}", "G5.12")
    verify_target(state, ship, ready, target)
    verify_not_silent(veil_of(state, ship), f"{ship.name} PROBE {letter}")
    working, reach = works(ship, letter), range_between(state, ship, target)
    if ready.purpose != Purpose.WEAPON:
        science.verify_information(ready=ready, left=box.left, range=reach, working=working)
        return
    boarding.verify_weapons(ship.name, ship.is_prize)
    here, there = standpoints(state, ship, target)
    science.verify_weapon(
        ready=ready,
        left=box.left,
        range=reach,
        ahead=ship.hex == target.hex or science.dead_ahead(here.hex, here.facing, there.hex, state.grid),
        crippled=crippled(ship),
        outnumbered=outnumbered(state, ship),
        directed=_directed(target),
        working=working,
    )
    sensors.verify_fire_control(ship.name, power.fire_control(ship.power.unpaid))
    verify_line_of_fire(state, ship, target)


def verify_target(state: State, ship: Ship, ready: science.Probe, target: AnyUnit) -> None:
    """Check that a probe may be launched at this type of target (G5.2, G5.3).

    A probe armed as a weapon may be launched at enemy ships and monsters, an information probe only at enemy monsters.

    Raises:
        NotAllowed: The probe may not be launched at such a target.
    """
    weapon = ready.purpose == Purpose.WEAPON
    if not isinstance(target, Monster | Ship if weapon else Monster):
        rule_text = "a probe can be fired only at ships and monsters" if weapon else "a probe can study only monsters"
        raise NotAllowed("probe-target", f"{rule_text}, and {target.name} is not one", "G5.3" if weapon else "G5.2")
    if not state.enemies(ship.side, target.side):
        raise NotAllowed("own-side", f"{target.name} is not an enemy of {ship.side}", "E1.1")
    verify_spared(ship.side, target, "E1.1")


def _ready(ship: Ship, letter: str) -> science.Probe:
    box = ship.power.probes.get(letter)
    return science.Probe(box.purpose, box.turns) if box else science.EMPTY


def works(ship: Ship, letter: str) -> bool:
    """Return whether a probe launcher is not destroyed.

    The launcher with the last letter is always destroyed first, so that the loss does not reveal for what purpose a
    launcher was armed.
    """
    return letter in ascii_uppercase[: ship.boxes.get("probe", 0)]


def crippled(ship: Ship) -> bool:
    """Return whether at least half of a ship's internal boxes are destroyed (G5.3)."""
    whole = ship_class(ship.ship).boxes
    left: Mapping[str, int] = {box: ship.boxes.get(box, 0) for box in whole}
    return science.crippled(whole, left, len(ship.weapons), sum(box.working for box in ship.weapons.values()))


def outnumbered(state: State, ship: Ship) -> bool:
    """Return whether a ship fights alone against two or more enemy ships (G5.3).

    Our interpretation where the rules are silent: only ships in play that can fight count. Captured ships and ships
    in mutiny cannot fight (D7.0, G6.32).
    """
    able = [other for other in state.ships() if can_fight(other)]
    foes = [other for other in able if state.enemies(ship.side, other.side)]
    return len(foes) > 1 and len(able) - len(foes) == 1


def _directed(target: AnyUnit) -> bool:
    """Return whether the players know by now that the target is a monster that a probe kills (#11)."""
    if not isinstance(target, Monster):
        return False
    try:
        monsters.verify_directed_probe(monsters.method(target.method) if target.method else None)
    except NotAllowed:
        return False
    return True


def _launch(table: Resolution, ship: Ship, letter: str, target: AnyUnit, shield_of: ShieldOf) -> None:
    purpose = ship.power.probes[letter].purpose
    weapon = purpose == Purpose.WEAPON
    table.tell(
        ev.ProbeLaunched(
            unit=ship.name,
            probe=letter,
            target=target.name,
            purpose=purpose,
            information=0 if weapon else science.probe_information(),
            rule="G5.3" if weapon else "G5.2",
        )
    )
    if weapon:
        _fire(table, ship, letter, target, shield_of(ship, target))


def _fire(table: Resolution, ship: Ship, letter: str, target: AnyUnit, shield: int) -> None:
    """Resolve an anti-matter probe as direct fire (G5.31, G5.34).

    Our interpretation where the rules are silent: the number that asteroids add to the die roll of other weapons is
    subtracted here, because a probe hits with a high roll.
    """
    effective = effective_range(table.state, ship, target)
    modifier = -asteroid_modifier(table.state, ship, target)
    roll, die = table.roll(ship.name, f"PROBE {letter}")
    hit = science.hits(die + modifier, effective)
    table.tell(
        ev.Fired(
            unit=ship.name,
            weapon=f"PROBE {letter}",
            kind=KIND,
            target=target.name,
            range=range_between(table.state, ship, target),
            effective=effective,
            roll=roll,
            die=die,
            modifier=modifier,
            hit=hit,
            points=science.warhead() if hit else 0,
            shield=shield,
            rule="G5.34",
        )
    )


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Yield the faults of an order to launch a probe that can never be legal.

    Whether a probe may be used as a weapon is checked only when it is launched.

    Raises:
        NotAllowed: The launcher does not exist, or is destroyed, empty or not armed this turn, or the target is of the
            wrong type.
    """
    if not isinstance(activity, om.LaunchProbe):
        return
    if any(isinstance(other, om.Fire) for other in order.does):
        text = "write PROBE and FIRE on two lines, without AND; they still happen at the same time"
        yield order.wrong("probe-alone", text, "G5.13")
    ship, letter = outlook.ship, activity.probe
    box, ready = ship.power.probes.get(letter), _ready(ship, letter)
    if box is None:
        has = ", ".join(f"PROBE {one}" for one in ship.power.probes) or "no probe launcher"
        raise NotAllowed("no-such-weapon", f"{ship.name} has no PROBE {letter}; it has {has}", "G5.12")
    instrument = ready.purpose != Purpose.WEAPON
    if instrument:
        science.verify_information(ready=ready, left=box.left, range=0, working=works(ship, letter))
    else:
        if order.condition is None:
            boarding.verify_weapons(ship.name, ship.is_prize)
        science.verify_weapon(
            ready=ready, left=box.left, range=0, working=works(ship, letter),
            ahead=True, crippled=True, outnumbered=True, directed=True,
        )  # fmt: skip
    target = unit_named(activity.target, Scene(state=outlook.state, me=ship))
    if target is not None:
        verify_target(outlook.state, ship, ready, target)


# --- labs --------------------------------------------------------------------------------------------------


def end_of_turn(table: Resolution) -> None:
    """At the end of a turn, let labs and shuttles study every enemy monster (G4.1, J2.212).

    The closest approach of the turn decides how much they learn. No more information is gathered about a monster once
    the way to defeat it is known.
    """
    if not table.scenario.uses("labs"):
        return
    for monster in table.state.monsters():
        if monster.method:  # the way to defeat the monster is known
            continue
        ships = [ship for ship in table.state.ships() if _studies(table.state, ship, monster)]
        boats = [boat for boat in table.state.shuttles() if _studies(table.state, boat, monster)]
        for ship in ships:
            _learn(table, monster.name, ship, [boat for boat in boats if boat.launcher == ship.name])
        aboard = {ship.name for ship in ships}
        for boat in boats:
            if boat.launcher not in aboard:
                _learn(table, monster.name, None, [boat])


def _studies(state: State, unit: Ship | Shuttle, monster: Monster) -> bool:
    """Return whether a unit gathers information about a monster.

    Suicide shuttles gather no information, because they have no crew (J2.22).
    """
    if not state.enemies(unit.side, monster.side):
        return False
    return not unit.terms.immobile if isinstance(unit, Ship) else not unit.target


def _learn(table: Resolution, name: str, ship: Ship | None, boats: list[Shuttle]) -> None:
    """Roll one die for all labs of a ship and its shuttles together.

    No die is rolled if even the best roll would give no information.
    """
    state = table.state
    monster = state.units[name]
    assert isinstance(monster, Monster)
    near = closest_approach(state, ship, monster) if ship else None
    hidden = ship is not None and veil_of(state, ship).silent
    boxes: Mapping[str, int] = ship.boxes if ship is not None and near is not None else {}
    away = {boat.name: far for boat in boats if (far := closest_approach(state, boat, monster)) is not None}

    def information(die: int) -> int:
        return science.lab_information(die, near or 0, boxes, away.values(), cloaked=hidden)

    if not any(information(die) for die in range(1, 7)):
        return
    roll, die = table.roll((ship or boats[0]).name, f"LAB-{name}")
    parts = [Study(boat, far, 1, science.lab_information(die, 0, {}, [far])) for boat, far in away.items()]
    if ship is not None and near is not None and boxes and not hidden:
        aboard = science.working_labs(boxes)
        parts.insert(0, Study(ship.name, near, aboard, science.lab_information(die, near, boxes)))
    _report_studies(table, monster, ship, parts, roll, die)


def _report_studies(
    table: Resolution, monster: Monster, ship: Ship | None, parts: Sequence[Study], roll: str, die: int
) -> None:
    """Write the information that a ship and its shuttles gained about a monster to the log.

    One event is written for each ship or shuttle that gained points; if none did, one event in all. ``die`` is the
    number rolled and ``roll`` its label.
    """
    total = monster.information
    for number, part in enumerate([part for part in parts if part.points] or parts[:1]):
        total += part.points
        rule = "G4.1" if ship is not None and part.unit == ship.name else "J2.212"
        table.tell(
            ev.Learned(
                unit=part.unit,
                target=monster.name,
                range=part.range,
                labs=part.labs,
                roll="" if number else roll,  # one die for all parts, recorded with the first
                die=die,
                points=part.points,
                total=total,
                rule=rule,
            )
        )


class Study(NamedTuple):
    """The information gathered by a ship's labs or one shuttle.

    ``range`` is the range in hexes, ``labs`` the number of labs, ``points`` the information gained.
    """

    unit: str
    range: int
    labs: int
    points: int


def closest_approach(state: State, unit: Ship | Shuttle, monster: Monster) -> int | None:
    """Return the smallest effective range of a turn in hexes (G4.1).

    The positions after movement in each impulse count. Our interpretation where the rules are silent: the position at
    the start of the turn counts too, but not positions in which the ship was still coming out of its cloak (G4.4).
    Lock-on, scanners and labs are taken as they are at the end of the turn. The result is ``None`` if no position
    counts.
    """
    began = (state.turn - 1) * state.impulses
    found = []
    for moment in range(began, state.moment + 1):
        here, there = _where(unit, moment), _where(monster, moment)
        if here and there and not _in_its_cloak(state, unit, moment):
            found.append(hexes.distance(here, there, state.grid))
    near = science.closest(found)
    if near is None or not isinstance(unit, Ship):
        return near
    return sensors.effective_range(near, locked=unit.this_turn.lock_on, scanner=scanner_factor(unit))


def _in_its_cloak(state: State, unit: Ship | Shuttle, moment: int) -> bool:
    """Return whether a ship was still cloaked or fading in at a given time (G4.4, G13.0).

    The ship must have uncloaked by now.
    """
    if not isinstance(unit, Ship) or unit.cloaking.state != CloakState.UNCLOAKING:
        return False
    return veil_at(unit, moment, state.impulses).silent


def _where(unit: AnyUnit, moment: int) -> str:
    """Return the hex of a unit at the end of an impulse; empty if the unit was not on the map yet."""
    stood = [place for place in unit.track if place.moment <= moment]
    return stood[-1].hex if stood else ""


SYSTEMS[om.LaunchProbe] = System("probes", "probes", "G5.0", check)
