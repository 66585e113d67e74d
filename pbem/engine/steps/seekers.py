"""Movement and hits of seeking weapons: drones and plasma torpedoes (F2.0, FD1.0).

Suicide shuttles (J2.22) are included: they are launched like any shuttle, and move and hit as seeking weapons. Until a
suicide shuttle hits its target, only its own side can tell it from a manned shuttle (J2.222). So the same events are
written, in the same sequence, for both types of shuttles.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.data.terms import Fuse, Motion, UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution, replace
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.damage import Blow, DamageLine, resolve_volleys
from pbem.engine.steps.firing import shield_hit
from pbem.engine.steps.geometry import came_in, dragged, facing_before, standpoints
from pbem.engine.steps.guidance import behind, caught
from pbem.engine.steps.launching import verify_fire_control_and_cloak, verify_spared
from pbem.engine.steps.plasma import feedback_of, is_torpedo
from pbem.engine.steps.sensors import guided_by, guides, veil_of
from pbem.engine.steps.terrain import crash
from pbem.rules import boarding, hexes, seeking, sensors, shields, terrain, ties
from pbem.rules.movement import after_step, moves
from pbem.rules.sensors import seeking_points
from pbem.rules.shuttles import verify_shot_at_shuttle, verify_suicide_launch, verify_suicide_target
from pbem.rules.tractors import can_strike


def move(table: Resolution) -> None:
    """Move seeking weapons, slower ones first, each toward its target's present hex (F2.1).

    Weapons of equal speed move at the same time. A weapon that hunts another weapon moves after its target, toward the
    hex that the target has entered. The following weapons do not move by themselves:

    * a weapon that a tractor beam holds (G7.31C);
    * a weapon that a beam moved in this impulse, even if the tractor link has ended since (C1.4);
    * a weapon that a suicide shuttle has just hit (F2.2).
    """
    seekers = table.state.seekers()
    if not seekers:
        return
    due = {
        s.name: s
        for s in seekers
        if moves(s.speed, table.impulse, table.state.impulses)
        and not table.state.holders(s.name)
        and not dragged(table.state, s)
        and not caught(table.state, s)
    }
    hunts = {name: seeker.target for name, seeker in due.items()}
    order = {name: (seeker.speed, behind(name, hunts)) for name, seeker in due.items()}
    for turn in sorted(set(order.values())):
        before = table.state
        for name in sorted(due, key=ties.of_names):
            if order[name] == turn and not _came_upon(table.state, due[name]):
                _home(table, due[name], before)


def _came_upon(state: State, seeker: Seeker) -> bool:
    """Return whether the target has entered the weapon's hex (F2.1).

    In this case the weapon stays in its hex and hits the target. If two weapons hunt each other, the first of them by
    name flies into the hex of the other, so that they do not swap places.
    """
    target = state.units.get(seeker.target)
    return target is not None and target.in_play and target.hex == seeker.hex


def _home(table: Resolution, seeker: Seeker, before: State) -> None:
    """Move a weapon one hex toward its target (F2.1, F2.3).

    A weapon that is already in its target's hex stays there.
    """
    if seeker.motion == Motion.STRAIGHT:
        _fly_straight(table, seeker, before)
        return
    target = before.units.get(seeker.target)
    if target is None or not target.in_play or target.hex == seeker.hex:
        return
    way = table.captain(seeker).guides(table, seeker, before) if table.has_captain(seeker) else ""
    code, hex_, facing = seeking.choose_step(
        seeker.hex, seeker.facing, seeker.straight, target.hex, before.grid, way, before.map, before.planets,
        special_rule=table.scenario.special_rule,
    )  # fmt: skip
    if facing != seeker.facing:
        table.tell(ev.Turned(unit=seeker.name, at=seeker.hex + facing, rule="F2.0"))
    straight = 1 if code in ("L", "R") else seeker.straight + 1
    table.tell(
        ev.Moved(unit=seeker.name, at=hex_ + facing, code=code, came_from=seeker.hex, since_turn=straight, rule="F2.0")
    )
    if not hexes.on_map(hex_, before.map):
        table.tell(ev.Removed(unit=seeker.name, how=UnitFate.REMOVED, why="it flew off the map", rule="FD1.4"))
    elif is_torpedo(seeker) and _spent(table.state.units[seeker.name]):
        table.tell(ev.Removed(unit=seeker.name, how=UnitFate.REMOVED, why="its strength is spent", rule="FP1.5"))


def _spent(unit: AnyUnit) -> bool:
    """Return whether a plasma torpedo has no warhead strength left (FP1.5)."""
    return isinstance(unit, Seeker) and unit.warhead < 1


def _fly_straight(table: Resolution, seeker: Seeker, before: State) -> None:
    """Move a practice drone straight across the map; it never turns (scenario #1)."""
    rule = f"scenario #{table.scenario.number}"
    ahead = hexes.neighbour(seeker.hex, seeker.facing, before.grid)
    table.tell(
        ev.Moved(
            unit=seeker.name,
            at=ahead + seeker.facing,
            code="F",
            came_from=seeker.hex,
            since_turn=seeker.straight + 1,
            rule=rule,
        )
    )
    if not hexes.on_map(ahead, before.map):
        table.tell(ev.Removed(unit=seeker.name, how=UnitFate.LEFT, why="it has escaped", rule=rule))


def impact(table: Resolution) -> None:
    """Let seeking weapons that have reached their target explode (F2.2, D3.4).

    Each weapon hits the shield that faces the direction from which the weapon approached. A weapon may miss a cloaked
    ship (G13.34). Suicide shuttles explode in the same way, and are revealed only now (J2.222).
    """
    before = table.state
    hits: list[Blow] = []
    struck: list[Blow] = []
    weapons: list[Seeker | Shuttle] = [*before.seekers(), *before.shuttles()]
    weapons.sort(key=lambda unit: unit.name)
    for seeker in weapons:
        target = before.units.get(seeker.target)
        if target is None or not target.in_play or not _arrives(before, seeker, target):
            continue
        if not can_strike(bool(before.holders(seeker.name))):
            continue
        points = warhead_of(seeker)
        if isinstance(target, Ship) and veil_of(before, target).hidden:
            points = _against_a_cloak(table, seeker, target)
            if not points:
                continue
        shield, line = 0, None
        if isinstance(target, Ship):
            line = _approach(before, seeker, target)
            shield = shields.approach_shield(line.facing, line.hex, line.source, before.grid)
        table.tell(ev.Impact(unit=seeker.name, target=target.name, shield=shield, points=points, rule=_rule(seeker)))
        blow = Blow(target=target.name, shield=shield, points=points, source=seeker.name, line=line)
        hits.append(blow)
        struck += [blow, *_feedback(table, before, seeker, target)]
    for hit in hits:
        rule = _rule(before.units[hit.source])
        table.tell(ev.Removed(unit=hit.source, how=UnitFate.EXPLODED, why=f"it struck {hit.target}", rule=rule))
    resolve_volleys(table, struck)


def warhead_of(weapon: Seeker | Shuttle) -> int:
    """Return the points of damage that a seeking weapon or suicide shuttle (J2.221) would score now."""
    return weapon.bomb if isinstance(weapon, Shuttle) else weapon.warhead


def _rule(weapon: AnyUnit) -> str:
    return "J2.22" if isinstance(weapon, Shuttle) else "F2.2"


def _against_a_cloak(table: Resolution, seeker: Seeker | Shuttle, target: Ship) -> int:
    """Roll whether a weapon hits a fully cloaked ship; return the damage points that it scores (G13.34).

    A weapon that misses is removed.
    """
    roll, die = table.roll(seeker.name, "CLOAK")
    points = seeking_points(die, warhead_of(seeker))
    meaning = f"finds the cloaked {target.name}: half damage" if points else f"misses the cloaked {target.name}"
    table.tell(ev.Rolled(unit=seeker.name, roll=roll, die=die, meaning=meaning, rule="G13.34"))
    if not points:
        why = f"it missed the cloaked {target.name}"
        table.tell(ev.Removed(unit=seeker.name, how=UnitFate.REMOVED, why=why, rule="G13.34"))
    return points


def _feedback(table: Resolution, before: State, seeker: Seeker | Shuttle, target: AnyUnit) -> list[Blow]:
    """Return the damage to the ship that launched a torpedo, as a list of blows (FP1.8).

    The list is empty unless the torpedo hits its target in the hex of its launch.
    """
    points, launcher = feedback_of(before, seeker, target), before.units.get(seeker.launcher)
    if not points or launcher is None:
        return []
    shield = shield_hit(table, target, launcher)
    table.tell(ev.Impact(unit=seeker.name, target=launcher.name, shield=shield, points=points, rule="FP1.8"))
    here, there = standpoints(before, launcher, target)
    line = DamageLine(here.hex, here.facing, there.hex)
    return [Blow(target=launcher.name, shield=shield, points=points, source=seeker.name, line=line)]


def _arrives(state: State, seeker: Seeker | Shuttle, target: AnyUnit) -> bool:
    """Return whether a seeking weapon hits its target now.

    The weapon must be in the target's hex. In addition, either the weapon must be due to move in this impulse by the
    impulse chart, or the target must have come to it (F2.1, F2.3). So a weapon just launched does not hit at once,
    because launching comes after this step. A shuttle that a tractor beam holds hits nothing (J1.621), and a shuttle on
    a planet cannot be hit (P2.0).
    """
    if seeker.hex != target.hex:
        return False
    if (isinstance(seeker, Shuttle) and state.holders(seeker.name)) or (isinstance(target, Shuttle) and target.landed):
        return False
    due = moves(seeker.speed, state.impulse, state.impulses) and not dragged(state, seeker)
    return due or came_in(state, target)


def _approach(state: State, seeker: Seeker | Shuttle, target: Ship) -> DamageLine:
    """Return the line along which a seeking weapon struck its target.

    The line begins in the hex from which the weapon came, or in the hex behind its launcher if the weapon has not moved
    since its launch (D3.4, F2.3). If the target flew into the weapon's hex, the line begins in the hex ahead of the
    target (F2.1).
    """
    if not came_in(state, seeker) and came_in(state, target):
        before = [place for place in target.track if place.moment < state.moment][-1]
        heading = hexes.direction_to(before.hex, target.hex, state.grid)
        ahead = hexes.neighbour(target.hex, heading or target.facing, state.grid)
        return DamageLine(target.hex, target.facing, ahead)
    behind = hexes.neighbour(seeker.hex, hexes.turn_facing(seeker.facing, 3), state.grid)
    # `came_from` is the target's hex only if the umpire moved the weapon.
    source = seeker.came_from if seeker.came_from not in ("", target.hex) else behind
    return DamageLine(target.hex, facing_before(state, target), source)


KIND = "suicide shuttle"


def kind_of(unit: AnyUnit) -> str:
    """Return the type of a unit, as the rule on targets of suicide shuttles names it (J2.22)."""
    match unit:
        case Ship():
            return "ship"
        case Seeker(weapon=weapon):
            return weapon
        case Monster():
            return "monster"
        case Planet():
            return "planet"
        case _:
            return "shuttle"


def verify_target(state: State, side: str, target: AnyUnit) -> None:
    """Check that a unit may be the target of a suicide shuttle, regardless of the distance (J2.22).

    Raises:
        NotAllowed: The unit may not be a target.
    """
    verify_suicide_target(kind_of(target), own=not state.enemies(side, target.side))
    verify_spared(side, target, "J2.22")


def verify_sending(state: State, ship: Ship, letter: str, target: AnyUnit) -> None:
    """Check that a ship may launch a suicide shuttle at ``target`` now.

    Our interpretation where the rules are silent: a suicide shuttle is guided like a drone, because the rule calls it
    "otherwise a drone". So the ship needs fire control and a lock-on (D6.121), must not be cloaked, and must be able to
    control one more drone (D6.132). A captured ship cannot launch suicide shuttles, because they are weapons (D7.0).

    Raises:
        NotAllowed: The ship may not launch the suicide shuttle.
    """
    bomb = ship.power.bombs.get(letter)
    boarding.verify_weapons(ship.name, ship.is_prize)
    verify_suicide_launch(bomb.state if bomb else Fuse.NONE)
    verify_target(state, ship.side, target)
    if isinstance(target, Shuttle) and target.landed:
        verify_shot_at_shuttle(0, landed=True)
    name = f"shuttle {letter}"
    verify_fire_control_and_cloak(state, ship, name, target)
    sensors.verify_control(name, len(guided_by(state, ship)), guides(ship))


def next_step(shuttle: Shuttle, before: State, heading: Mapping[str, str], way: str) -> seeking.Step | None:
    """Return the next move of a suicide shuttle toward its target (F2.0).

    The result is ``None`` if the shuttle stays in its hex because the target is there. ``heading`` is a dict of other
    shuttles to the hexes that they enter at the same time (F2.1). ``way`` is the direction that the player who controls
    the shuttle prefers, if any.
    """
    target = before.units.get(shuttle.target)
    if target is None or not target.in_play:
        return None
    there = heading.get(target.name, target.hex)
    if there == shuttle.hex:
        return None
    return seeking.choose_step(
        shuttle.hex, shuttle.facing, shuttle.straight, there, before.grid, way, before.map, before.planets
    )


def fly(table: Resolution, shuttle: Shuttle, before: State, step: seeking.Step) -> None:
    """Turn a suicide shuttle and move it into its next hex.

    If the shuttle leaves the map or flies into a planet, it is removed.
    """
    code, hex_, facing = step
    if facing != shuttle.facing:
        table.tell(ev.Turned(unit=shuttle.name, at=shuttle.hex + facing, rule="C3.1"))
    if not hexes.on_map(hex_, before.map):
        why = f"it flew off the map from {shuttle.hex}"
        table.tell(ev.Removed(unit=shuttle.name, how=UnitFate.LEFT, why=why, rule="J1.2"))
    elif hex_ in before.planets and terrain.crashes(KIND):
        crash(table, table.state.units[shuttle.name], hex_)
    else:
        turned, _ = after_step(code, shuttle.straight, 0)
        table.tell(
            ev.Moved(
                unit=shuttle.name, at=hex_ + facing, code=code, came_from=shuttle.hex, since_turn=turned, rule="C1.4"
            )
        )


def expire(table: Resolution) -> None:
    """Remove suicide shuttles whose target is out of play, as for all seeking weapons (FD1.3).

    Suicide shuttles have no endurance limit.
    """
    for shuttle in table.state.shuttles():
        target = table.state.units.get(shuttle.target)
        if target is not None and not target.in_play:
            gone = ev.Removed(
                unit=shuttle.name, how=UnitFate.REMOVED, why=f"its target {target.name} is gone", rule="FD1.3"
            )
            table.secret(shuttle.side, gone, replace(gone, why="its target is gone"))
