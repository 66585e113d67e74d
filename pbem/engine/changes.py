"""Helpers with which events change a state: replace a unit, cut tractor links, remove boxes and shuttles."""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.rules import plasma

replace = msgspec.structs.replace

OF_ONE_TURN: dict[str, Any] = {
    "lock_on": True,
    "tacs": (),
    "sublight_used": None,
    "beams_used": (),
    "transported": 0,
}
"""What a ship did or suffered in one turn alone, as it stands when the next begins. Whoever judges orders for a turn
that is still to begin must not look at what the last turn left."""


def put_unit(state: State, unit: AnyUnit) -> State:
    """Return the state with this unit in place of the old one of the same name."""
    return replace(state, units={**state.units, unit.name: unit})


def change(state: State, name: str, **changes: Any) -> State:
    """Return the state with some fields of a unit changed.

    A side's view of the log may not contain the unit; then the state is returned unchanged.
    """
    unit = state.units.get(name)
    return state if unit is None else put_unit(state, replace(unit, **changes))


def ship_of(state: State, name: str) -> Ship | None:
    """Return the ship of this name, or ``None`` if the state has no such ship."""
    unit = state.units.get(name)
    return unit if isinstance(unit, Ship) else None


def release_beam(holder: Ship, beam: str, moment: int, *, worked: bool) -> Ship:
    """Return a ship whose tractor beam has been released (G7.13).

    Args:
        holder: The ship with the beam.
        beam: The letter of the beam.
        moment: The moment of the release.
        worked: Whether the beam held something in an impulse of this turn. If so it has used its share of this
            turn's energy.
    """
    used = tuple(sorted({*holder.beams_used, beam})) if worked else holder.beams_used
    return replace(holder, released={**holder.released, beam: moment}, beams_used=used)


def without_links(state: State, name: str, moment: int, *, worked: bool = True) -> State:
    """Return the state without the tractor links of a unit that left play.

    Beams that held the unit count as released (G7.13). ``worked`` is passed on to :func:`release_beam`.
    """
    for link in state.holders(name):
        holder = ship_of(state, link.ship)
        if holder is not None:
            state = put_unit(state, release_beam(holder, link.beam, moment, worked=worked))
    links = tuple(link for link in state.links if name not in (link.ship, link.target))
    return state if len(links) == len(state.links) else replace(state, links=links)


def hangar_after(ship: Ship, boxes: int, occupied: bool = False, lost: str = "") -> tuple[str, ...]:
    """Return the letters of the shuttles aboard once ``boxes`` shuttle boxes are left.

    Empty boxes are destroyed first, then the box with the last letter (J1.4). A hit as "any weapon" can only
    destroy an ``occupied`` box (D4.324). ``lost`` is the letter of the lost shuttle if the log tells it.

    The letter must not reveal which shuttle is being armed. Readers who are not told it (``?``) assume the last
    one.
    """
    if lost:
        return without(ship.hangar, lost)
    left = len(ship.hangar) - occupied
    return ship.hangar[: min(left, boxes)]


def without(hangar: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """Return the letters of the shuttles aboard without one letter.

    If the letter is not in the hangar, a reader of the log assumed earlier that this shuttle was lost; then the
    last one is removed instead.
    """
    return tuple(each for each in hangar if each != letter) if letter in hangar else hangar[:-1]


def warhead(torpedo: Seeker, **changes: int) -> dict[str, Any]:
    """Return the changed fields of a plasma torpedo, including its new warhead strength (FP1.5, FP1.6).

    ``changes`` are new values of fields such as hexes travelled or damage taken.
    """
    after = replace(torpedo, **changes)
    return {**changes, "warhead": plasma.warhead(after.torpedo, after.travelled, after.damage)}
