"""Collisions of units with planets and asteroids (P2.0, P3.0)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps import tractors
from pbem.engine.steps.damage import Blow, destroy, resolve_volleys
from pbem.rules import terrain

ASTEROIDS = "asteroids"
"""The name by which a volley lists asteroids as the source of damage."""


# --- planets -----------------------------------------------------------------------------------------------


def crash(table: Resolution, unit: AnyUnit, hex: str) -> None:
    """Move a unit into a planet hex and destroy it (P2.0).

    Units that its tractor beams hold move with it (G7.31C).
    """
    table.tell(ev.Moved(unit=unit.name, at=hex + unit.facing, code="F", came_from=unit.hex, rule="P2.0"))
    tractors.carry(table, unit.name, came_from=unit.hex)
    destroy(table, unit.name, rule="P2.0")


def crashes(unit: AnyUnit) -> bool:
    """Return whether a planet destroys a unit that enters its hex.

    A planet destroys ships and seeking weapons, including suicide shuttles, i.e. shuttles with a target (J2.22).
    Monsters avoid planets (our own rule, which is not in the handbook).
    """
    match unit:
        case Seeker():
            return terrain.crashes(unit.weapon)
        case Shuttle():
            return terrain.crashes("suicide shuttle" if unit.target else "shuttle")
        case _:
            return isinstance(unit, Ship)


# --- asteroids ---------------------------------------------------------------------------------------------


def with_collisions(move: Callable[[Resolution], None]) -> Callable[[Resolution], None]:
    """Return a step that calls ``move`` and then resolves collisions in the hexes that units entered."""

    def play(table: Resolution) -> None:
        before = table.state
        move(table)
        _run_into(table, before)

    return play


def _run_into(table: Resolution, before: State) -> None:
    """Resolve the collisions of this step: with planets (P2.0), then with asteroids (P3.0).

    A die is rolled for every unit that entered asteroids, and then all damage is scored at once. Every step in which
    units move calls this function. It reads the events ``Moved`` and ``Towed`` of the step, so code that moves or tows
    a unit only has to write these events. Speeds are taken from ``before``, the state at the start of the step, in
    which a unit in tow has the speed of the ship that tows it. By now that ship may be destroyed, or the tractor link
    may have ended.
    """
    if not table.state.worlds and not table.state.asteroids:
        return
    entered = [
        event for event in table.happened() if isinstance(event, ev.Moved | ev.Towed) and event.step == table.step
    ]
    for name in sorted({event.unit for event in entered}):
        unit = table.state.units[name]
        if unit.in_play and unit.hex in table.state.planets and crashes(unit):
            destroy(table, name, rule="P2.0")
    if table.state.asteroids:
        _run_into_asteroids(table, before, entered)


def _run_into_asteroids(table: Resolution, before: State, entered: Sequence[ev.Moved | ev.Towed]) -> None:
    """Roll a die for each asteroid hex that a unit entered, then score all damage at once (P3.0)."""
    blows: list[Blow] = []
    rolled: dict[str, int] = {}
    for event in entered:
        unit, hex_ = table.state.units[event.unit], event.at[:4]
        if hex_ not in table.state.asteroids or not unit.in_play or not suffers(unit):
            continue
        rolled[unit.name] = rolled.get(unit.name, 0) + 1
        points = _collide(table, unit, hex_, before.pace(before.units[unit.name]), rolled[unit.name])
        if points:
            shield = terrain.asteroid_shield() if isinstance(unit, Ship) else 0
            blows.append(Blow(target=unit.name, shield=shield, points=points, source=ASTEROIDS))
    if blows:
        resolve_volleys(table, blows)


def suffers(unit: AnyUnit) -> bool:
    """Return whether asteroids damage a unit (P3.0).

    They damage ships, shuttles and seeking weapons. Our interpretation where the rules are silent: the rule does not
    name monsters, so they pass undamaged.
    """
    return not isinstance(unit, Monster | Planet)


def _collide(table: Resolution, unit: AnyUnit, hex_: str, speed: int, number: int) -> int:
    roll, die = table.roll(unit.name, "ASTEROIDS", number)
    points = terrain.asteroid_damage(die, speed, table.state.impulses)
    table.tell(ev.Collided(unit=unit.name, hex=hex_, roll=roll, die=die, points=points, rule="P3.0"))
    return points
