"""Who sees whom: ranges, arcs, and the shield a line of fire crosses, between units in a state (D1.4, D2.0, D3.4)."""

from __future__ import annotations

import msgspec

from pbem.engine.state import AnyUnit, Monster, Planet, Position, Seeker, Ship, Shuttle, State
from pbem.rules import hexes, shields, terrain, ties


def range_between(state: State, a: AnyUnit, b: AnyUnit) -> int:
    """True range in hexes (D1.4)."""
    return hexes.distance(a.hex, b.hex, state.grid)


def near_side(state: State, unit: AnyUnit, other: AnyUnit) -> AnyUnit:
    """A planet as the hex of it that lies nearest to a unit (D1.4); any other as it is."""
    if not isinstance(other, Planet) or len(other.hexes) < 2:
        return other
    nearest = min(other.hexes, key=lambda hex: (hexes.distance(unit.hex, hex, state.grid), ties.of_hexes(hex)))
    return msgspec.structs.replace(other, hex=nearest)


def standpoints(state: State, a: AnyUnit, b: AnyUnit) -> tuple[Position, Position]:
    """The positions firing directions are judged from.

    These are the present ones, unless both units are in one hex: then those they had when they were last apart
    (D3.42), on this turn or an earlier one. A seeking weapon that has not moved since its launch counts as standing
    behind its launcher for whoever was there at its launch (F2.3), and so does a shuttle, which may be one (J2.222);
    whoever came to it later is judged by where it came from.
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
    # Together from the start: the other is taken to stand straight ahead.
    return here, Position(there.moment, hexes.neighbour(here.hex, here.facing, state.grid), there.facing)


def came_in(state: State, unit: AnyUnit) -> bool:
    """Whether a unit has come into its hex in this impulse; a maneuver on the spot is no coming (C5.0)."""
    earlier = [place for place in unit.track if place.moment < state.moment]
    return bool(earlier) and earlier[-1].hex != unit.hex


def dragged(state: State, unit: AnyUnit) -> bool:
    """Whether a tractor beam has taken a unit along in this impulse, be it lost by now (G7.31C)."""
    return state.moment in unit.towed


def facing_before(state: State, unit: AnyUnit) -> str:
    """How a unit faced when seeking weapons came in: maneuvers on the spot are made after that (C1.3), and a weapon has
    struck as it moved (F2.2).
    """
    track = unit.track
    turned = len(track) > 1 and track[-1].moment == state.moment and track[-2].hex == track[-1].hex
    return track[-2].facing if turned else unit.facing


def _began(unit: AnyUnit) -> int:
    """The moment before which nothing is told of where the unit stood: that of its launch, or none."""
    return unit.launched if isinstance(unit, Seeker | Shuttle) else -1


def _unmoved(unit: Seeker | Shuttle) -> bool:
    """Whether a weapon or a shuttle has not left the place of its launch, neither by itself nor in a beam."""
    return not unit.straight and all(place.moment <= unit.launched for place in unit.track)


def _now(unit: AnyUnit) -> Position:
    moment = unit.track[-1].moment if unit.track else 0
    return Position(moment, unit.hex, unit.facing)


def position_before(unit: AnyUnit, moment: int) -> Position:
    """Where the unit stood before ``moment``."""
    earlier = [p for p in unit.track if p.moment < moment]
    return earlier[-1] if earlier else (unit.track[0] if unit.track else _now(unit))


def bears(state: State, firer: AnyUnit, target: AnyUnit, arc: str) -> bool:
    """Whether a weapon with ``arc`` bears on the target (D2.1)."""
    here, there = standpoints(state, firer, target)
    return hexes.in_arc(here.hex, here.facing, there.hex, arc, state.grid)


def faced(state: State, target: Ship, source: AnyUnit) -> tuple[int, ...]:
    """The shield of ``target`` that faces ``source``; two on a boundary (D3.4, D3.41)."""
    here, there = standpoints(state, target, source)
    return shields.faced_shields(here.hex, here.facing, there.hex, state.grid)


def verify_line_of_fire(state: State, firer: AnyUnit, target: AnyUnit) -> None:
    """Raises :class:`NotAllowed` where a planet stands in the line of fire (P2.0)."""
    terrain.verify_line_of_fire(firer.hex, target.hex, state.planets, state.grid)


def asteroid_modifier(state: State, firer: AnyUnit, target: AnyUnit) -> int:
    """What the asteroids between two units add to the die of direct fire (P3.0)."""
    return terrain.fire_modifier(firer.hex, target.hex, state.asteroids, state.grid)


def shield_up(ship: Ship, number: int) -> int:
    """Boxes of a shield that would stop damage now: none of one that is lowered (G8.22)."""
    return 0 if f"#{number}" in ship.lowered else ship.shields[number - 1]


def boundary(state: State, target: Ship, firer: AnyUnit) -> int | None:
    """The shield hit on a boundary, by moving whoever moves next one hex ahead (D3.41); ``None`` if that does
    not tell.
    """
    here, there = standpoints(state, target, firer)
    return shields.boundary_shield(
        _mover(state, target, here), _mover(state, firer, there), state.impulse, state.impulses, state.grid
    )


def struck_shield(state: State, target: Ship, firer: AnyUnit) -> int:
    """The shield a shot would strike now (D3.4, D3.41).

    Where a junction stays open it is the stronger of the two, the first of equals. A game with ``boundary=die`` rolls
    for it when the shot is fired.
    """
    settled = boundary(state, target, firer)
    if settled is not None:
        return settled
    shown = sorted(faced(state, target, firer), key=ties.of_shields)
    return max(shown, key=lambda number: shield_up(target, number))


def _mover(state: State, unit: AnyUnit, place: Position) -> shields.Mover:
    """How a unit moves next from a place: one in a tractor beam not by itself, but as the ship that takes it along
    (G7.31C); a monster all the same, which no beam moves (scenario #11).
    """
    by = unit if isinstance(unit, Monster) else state.units[state.tug(unit.name)]
    return shields.Mover(place.hex, place.facing, by.speed, by.facing if by.name != unit.name else "")
