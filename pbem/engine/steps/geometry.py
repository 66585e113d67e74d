"""Ranges, arcs and facing shields between units in a state (D1.4, D2.0, D3.4)."""

from __future__ import annotations

import msgspec

from pbem.engine.state import AnyUnit, Monster, Planet, Position, Seeker, Ship, Shuttle, State
from pbem.rules import hexes, shields, terrain, ties


def range_between(state: State, a: AnyUnit, b: AnyUnit) -> int:
    """Return the true range between two units in hexes (D1.4)."""
    return hexes.distance(a.hex, b.hex, state.grid)


def near_side(state: State, unit: AnyUnit, other: AnyUnit) -> AnyUnit:
    """Return a planet reduced to its hex nearest to a unit (D1.4).

    Any other unit is returned unchanged.
    """
    if not isinstance(other, Planet) or len(other.hexes) < 2:
        return other
    nearest = min(other.hexes, key=lambda hex: (hexes.distance(unit.hex, hex, state.grid), ties.of_hexes(hex)))
    return msgspec.structs.replace(other, hex=nearest)


def standpoints(state: State, a: AnyUnit, b: AnyUnit) -> tuple[Position, Position]:
    """Return the positions of two units from which firing directions are judged.

    The result is the present positions, unless both units are in one hex. In that case it is their positions when they
    were last in different hexes (D3.42), in this turn or an earlier turn.

    A seeking weapon that has not moved since its launch counts as being in the hex behind its launcher, for every unit
    that was in the hex at the launch (F2.3). The same is true for a shuttle, because it may be a seeking weapon
    (J2.222). For a unit that entered the hex later, the hex from which it came counts.
    """
    here, there = _now(a), _now(b)
    if here.hex != there.hex:
        return here, there
    began = max(_began(a), _began(b))
    for moment in sorted({p.moment for p in (*a.track, *b.track) if p.moment > began}, reverse=True):
        then_a, then_b = position_before(a, moment), position_before(b, moment)
        if then_a.hex != then_b.hex:
            return then_a, then_b
    for unit in sorted((a, b), key=_began, reverse=True):
        if isinstance(unit, Seeker | Shuttle) and _unmoved(unit) and unit.came_from not in ("", unit.hex):
            behind = Position(here.moment, unit.came_from, unit.facing)
            return (behind, there) if unit is a else (here, behind)
    # Both were in one hex from the start: assume that the other unit is straight ahead.
    return here, Position(there.moment, hexes.neighbour(here.hex, here.facing, state.grid), there.facing)


def came_in(state: State, unit: AnyUnit) -> bool:
    """Return whether a unit entered its present hex in this impulse.

    A tactical maneuver does not count as entering a hex (C5.0).
    """
    earlier = [place for place in unit.track if place.moment < state.moment]
    return bool(earlier) and earlier[-1].hex != unit.hex


def dragged(state: State, unit: AnyUnit) -> bool:
    """Return whether a tractor beam moved a unit in this impulse (G7.31C).

    The result is true even if the tractor link has ended since.
    """
    return state.moment in unit.towed


def facing_before(state: State, unit: AnyUnit) -> str:
    """Return the facing that a unit had at the time when seeking weapons hit in this impulse.

    Seeking weapons hit when they move (F2.2). Tactical maneuvers, which change the facing, are made later (C1.3).
    """
    track = unit.track
    turned = len(track) > 1 and track[-1].moment == state.moment and track[-2].hex == track[-1].hex
    return track[-2].facing if turned else unit.facing


def _began(unit: AnyUnit) -> int:
    """Return the time from which a unit's positions count.

    The time is that of the unit's launch, in impulses since the start of the game; -1 for a unit that was not launched.
    """
    return unit.launched if isinstance(unit, Seeker | Shuttle) else -1


def _unmoved(unit: Seeker | Shuttle) -> bool:
    """Return whether a seeking weapon or shuttle is still in the hex of its launch.

    The result is true only if the unit neither flew nor was towed.
    """
    return not unit.straight and all(place.moment <= unit.launched for place in unit.track)


def _now(unit: AnyUnit) -> Position:
    moment = unit.track[-1].moment if unit.track else 0
    return Position(moment, unit.hex, unit.facing)


def position_before(unit: AnyUnit, moment: int) -> Position:
    """Return the last position that a unit had before ``moment`` (impulses since the start of the game)."""
    earlier = [p for p in unit.track if p.moment < moment]
    return earlier[-1] if earlier else (unit.track[0] if unit.track else _now(unit))


def bears(state: State, firer: AnyUnit, target: AnyUnit, arc: str) -> bool:
    """Return whether the target is inside the firing arc ``arc`` of a unit's weapon (D2.1)."""
    here, there = standpoints(state, firer, target)
    return hexes.in_arc(here.hex, here.facing, there.hex, arc, state.grid)


def faced(state: State, target: Ship, source: AnyUnit) -> tuple[int, ...]:
    """Return the numbers of the shields of ``target`` that face ``source`` (D3.4, D3.41).

    One shield is returned, or two if the line between the units follows the boundary between two shields.
    """
    here, there = standpoints(state, target, source)
    return shields.faced_shields(here.hex, here.facing, there.hex, state.grid)


def verify_line_of_fire(state: State, firer: AnyUnit, target: AnyUnit) -> None:
    """Check that no planet blocks the line of fire (P2.0).

    Raises:
        NotAllowed: A planet blocks the line of fire.
    """
    terrain.verify_line_of_fire(firer.hex, target.hex, state.planets, state.grid)


def asteroid_modifier(state: State, firer: AnyUnit, target: AnyUnit) -> int:
    """Return the number that asteroids between two units add to the die roll for direct fire (P3.0)."""
    return terrain.fire_modifier(firer.hex, target.hex, state.asteroids, state.grid)


def shield_up(ship: Ship, number: int) -> int:
    """Return the number of boxes of a shield that would stop damage now (G8.22).

    The result is 0 if the shield is lowered.
    """
    return 0 if f"#{number}" in ship.lowered else ship.shields[number - 1]


def boundary(state: State, target: Ship, firer: AnyUnit) -> int | None:
    """Return the number of the shield that direct fire hits; ``None`` if the rules do not decide.

    If the line of fire follows the boundary between two shields, the shield is the one that would be hit if the unit
    that moves next moved one hex straight ahead (D3.41). This may give no result either.
    """
    here, there = standpoints(state, target, firer)
    return shields.boundary_shield(
        _mover(state, target, here), _mover(state, firer, there), state.impulse, state.impulses, state.grid
    )


def struck_shield(state: State, target: Ship, firer: AnyUnit) -> int:
    """Return the number of the shield that a shot would hit now (D3.4, D3.41).

    If D3.41 does not decide between two shields, the stronger shield is returned; if both are equally strong, the
    first. In a game with the option ``boundary=die`` a die roll decides when the shot is fired.
    """
    settled = boundary(state, target, firer)
    if settled is not None:
        return settled
    shown = sorted(faced(state, target, firer), key=ties.of_shields)
    return max(shown, key=lambda number: shield_up(target, number))


def _mover(state: State, unit: AnyUnit, place: Position) -> shields.Mover:
    """Return the data that decide a unit's next move from a place: hex, facing and speed.

    A unit held by a tractor beam moves with the ship that tows it (G7.31C). A monster always moves by itself, because
    no tractor beam can move it (scenario #11).
    """
    by = unit if isinstance(unit, Monster) else state.units[state.tug(unit.name)]
    return shields.Mover(place.hex, place.facing, by.speed, by.facing if by.name != unit.name else "")
