"""Suicide shuttles in play (J2.22): launched like any shuttle, moving and striking as the seeking weapons they are.

Until one strikes, nobody but its own side can tell it from a manned shuttle (J2.222): the same events are told of both,
in the same order, by the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.data.words import Fuse, Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table, replace
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.collisions import crash
from pbem.engine.steps.launching import verify_fire_control_and_cloak, verify_spared
from pbem.engine.steps.sensing import guided_by, guides
from pbem.rules import boarding, hexes, seeking, sensors, terrain
from pbem.rules.shuttles import verify_shot_at_shuttle
from pbem.rules.sideslip import after_step
from pbem.rules.suicide_shuttles import verify_suicide_launch, verify_suicide_target

KIND = "suicide shuttle"


def kind_of(unit: AnyUnit) -> str:
    """What a unit is, in the words of the rule on targets (J2.22)."""
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
    """Raises :class:`NotAllowed` unless a suicide shuttle may be sent at such a unit, wherever it is (J2.22)."""
    verify_suicide_target(kind_of(target), own=not state.enemies(side, target.side))
    verify_spared(side, target, "J2.22")


def verify_sending(state: State, ship: Ship, letter: str, target: AnyUnit) -> None:
    """Raises :class:`NotAllowed` unless the ship may send the shuttle it armed at ``target`` now.

    Reading: what is "otherwise a drone" is guided like one: it needs fire control and a lock-on (D6.121), no cloak, and
    a place among the drones the ship can control (D6.132). A prize sends none: it is a weapon (D7.0).
    """
    bomb = ship.bombs.get(letter)
    boarding.verify_weapons(ship.name, bool(ship.captured_from))
    verify_suicide_launch(bomb.state if bomb else Fuse.NONE)
    verify_target(state, ship.side, target)
    if isinstance(target, Shuttle) and target.landed:
        verify_shot_at_shuttle(0, landed=True)
    name = f"shuttle {letter}"
    verify_fire_control_and_cloak(state, ship, name, target)
    sensors.verify_control(name, len(guided_by(state, ship)), guides(ship))


def next_step(shuttle: Shuttle, before: State, heading: Mapping[str, str], way: str) -> seeking.Step | None:
    """The hex it enters next toward its target (F2.0), or ``None`` where it stays and strikes. ``heading`` says which
    hexes other shuttles enter at the same time (F2.1).
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


def fly(table: Table, shuttle: Shuttle, before: State, step: seeking.Step) -> None:
    """It turns and enters its next hex, or is gone."""
    code, hex_, facing = step
    if facing != shuttle.facing:
        table.tell(ev.Turned(unit=shuttle.name, at=shuttle.hex + facing, rule="C3.1"))
    if not hexes.on_map(hex_, before.map):
        why = f"it flew off the map from {shuttle.hex}"
        table.tell(ev.Removed(unit=shuttle.name, how=Gone.LEFT, why=why, rule="J1.2"))
    elif hex_ in before.planets and terrain.crashes(KIND):
        crash(table, table.state.units[shuttle.name], hex_)
    else:
        turned, _ = after_step(code, shuttle.straight, 0)
        table.tell(
            ev.Moved(
                unit=shuttle.name, at=hex_ + facing, code=code, came_from=shuttle.hex, since_turn=turned, rule="C1.4"
            )
        )


def expire(table: Table) -> None:
    """A suicide shuttle whose target is gone is removed, as any seeking weapon is (FD1.3); it has no other end."""
    for shuttle in table.state.shuttles():
        target = table.state.units.get(shuttle.target)
        if target is not None and not target.in_play:
            gone = ev.Removed(
                unit=shuttle.name, how=Gone.REMOVED, why=f"its target {target.name} is gone", rule="FD1.3"
            )
            table.secret(shuttle.side, gone, replace(gone, why="its target is gone"))
