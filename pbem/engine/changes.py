"""How an event changes a state: one unit at a time, and what goes with a unit or a box."""

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


def put(state: State, unit: AnyUnit) -> State:
    """The state with this unit as it is now."""
    return replace(state, units={**state.units, unit.name: unit})


def change(state: State, name: str, **changes: Any) -> State:
    """The state with these fields of a unit changed; as it was, if the reader does not know the unit."""
    unit = state.units.get(name)
    return state if unit is None else put(state, replace(unit, **changes))


def ship_of(state: State, name: str) -> Ship | None:
    """The ship of this name, if the reader knows it."""
    unit = state.units.get(name)
    return unit if isinstance(unit, Ship) else None


def let_go(holder: Ship, beam: str, moment: int, *, worked: bool) -> Ship:
    """A ship whose tractor beam has let go (G7.13); ``worked`` whether it has held something in an impulse of this
    turn, and so has had a share of this turn's energy.
    """
    used = tuple(sorted({*holder.beams_used, beam})) if worked else holder.beams_used
    return replace(holder, released={**holder.released, beam: moment}, beams_used=used)


def unlinked(state: State, name: str, moment: int, *, worked: bool = True) -> State:
    """The state without the tractor links of a unit that is gone; beams that held it count as released (G7.13)."""
    for link in state.holders(name):
        holder = ship_of(state, link.ship)
        if holder is not None:
            state = put(state, let_go(holder, link.beam, moment, worked=worked))
    links = tuple(link for link in state.links if name not in (link.ship, link.target))
    return state if len(links) == len(state.links) else replace(state, links=links)


def hangar_after(ship: Ship, boxes: int, occupied: bool = False, lost: str = "") -> tuple[str, ...]:
    """The shuttles aboard when so many shuttle boxes are left: an empty box goes first, then the last letter (J1.4);
    as "any weapon" only an ``occupied`` one can be hit (D4.324). ``lost`` is the letter of the shuttle that was lost,
    where the log tells it.

    What is being armed must not be seen from which shuttle was lost: who is not told (``?``) takes it for the last one.
    """
    if lost:
        return without(ship.hangar, lost)
    left = len(ship.hangar) - occupied
    return ship.hangar[: min(left, boxes)]


def without(hangar: tuple[str, ...], letter: str) -> tuple[str, ...]:
    """The shuttles aboard without one; without the last of them where a reader of the log believed it gone."""
    return tuple(each for each in hangar if each != letter) if letter in hangar else hangar[:-1]


def warhead(torpedo: Seeker, **changes: int) -> dict[str, Any]:
    """What a plasma torpedo would score after more hexes or phaser hits (FP1.5, FP1.6), with these ``changes``."""
    after = replace(torpedo, **changes)
    return {**changes, "warhead": plasma.warhead(after.torpedo, after.travelled, after.damage)}
