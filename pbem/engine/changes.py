"""Helper functions for events that change a state.

The functions replace a unit, end tractor links, and remove boxes and shuttles.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.engine.on_file import altered
from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.rules import plasma

replace = msgspec.structs.replace


def put_unit(state: State, unit: AnyUnit) -> State:
    """Return the state in which the given unit replaces the unit of the same name."""
    return replace(state, units={**state.units, unit.name: unit})


def change(state: State, name: str, **changes: Any) -> State:
    """Return the state with some fields of the named unit changed.

    ``changes`` holds the new values by field name, as for :func:`pbem.engine.on_file.altered`. A state that shows only
    what one side knows may lack the unit; then the state is returned unchanged.
    """
    unit = state.units.get(name)
    return state if unit is None else put_unit(state, altered(unit, **changes))


def ship_of(state: State, name: str) -> Ship | None:
    """Return the ship of this name, or ``None`` if the state has no such ship."""
    unit = state.units.get(name)
    return unit if isinstance(unit, Ship) else None


def release_beam(holder: Ship, beam: str, moment: int, *, worked: bool) -> Ship:
    """Return the ship after one of her tractor beams has released the unit that it held (G7.13).

    Args:
        holder: The ship with the beam.
        beam: The letter of the beam.
        moment: The time of the release, in impulses since the start of the game.
        worked: Whether the beam held a unit in an impulse of this turn. If so, the beam has used its share of this
            turn's energy.
    """
    used = tuple(sorted({*holder.this_turn.beams_used, beam})) if worked else holder.this_turn.beams_used
    return altered(holder, released={**holder.released, beam: moment}, beams_used=used)


def without_links(state: State, name: str, moment: int, *, worked: bool = True) -> State:
    """Return the state without any tractor links to or from the named unit, which has left play.

    A tractor link connects a beam with the unit that it holds. Beams that held the named unit count as released
    (G7.13). ``moment`` and ``worked`` are passed on to :func:`release_beam`.
    """
    for link in state.holders(name):
        holder = ship_of(state, link.ship)
        if holder is not None:
            state = put_unit(state, release_beam(holder, link.beam, moment, worked=worked))
    links = tuple(link for link in state.links if name not in (link.ship, link.target))
    return state if len(links) == len(state.links) else replace(state, links=links)


def hangar_after(ship: Ship, boxes: int, occupied: bool = False, lost: str = "") -> tuple[str, ...]:
    """Return the letters of the shuttles that are still aboard when ``boxes`` shuttle boxes are left.

    Empty boxes are destroyed first, then the box with the last letter (J1.4). If ``occupied`` is true, the hit was an
    "any weapon" hit, which can only destroy a box with a shuttle in it (D4.324).

    ``lost`` is the letter of the lost shuttle, if the reader of the log may know the letter. For other readers ``lost``
    is ``?``, because the letter could reveal which shuttle is being armed; then the shuttle with the last letter is
    removed.
    """
    if lost:
        return without(ship.hangar, lost)
    left = len(ship.hangar) - occupied
    return ship.hangar[: min(left, boxes)]


def without(hangar: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """Return the letters of the shuttles aboard, without the given letter.

    A state that shows only what one side knows may lack the letter: if the side did not know which shuttle was lost
    earlier, the wrong letter may have been removed then. In that case the last letter is removed now.
    """
    return tuple(each for each in hangar if each != letter) if letter in hangar else hangar[:-1]


def warhead(torpedo: Seeker, **changes: int) -> dict[str, Any]:
    """Return a dict of the changed fields of a plasma torpedo, including its new warhead (FP1.5, FP1.6).

    The warhead strength, in damage points, is computed from ``changes``, the new values of other fields such as hexes
    travelled or damage taken.
    """
    after = replace(torpedo, **changes)
    return {**changes, "warhead": plasma.warhead(after.torpedo, after.travelled, after.damage)}
