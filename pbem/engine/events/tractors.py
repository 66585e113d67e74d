"""What happens: a beam takes hold, lets go, and what it holds goes along."""

# Annotations are not put off: see pbem/engine/state.py.

from typing import Any

import msgspec

from pbem.engine.changes import let_go, put, ship_of
from pbem.engine.events.base import Event
from pbem.engine.state import Link, Monster, Planet, Position, Ship, State

replace = msgspec.structs.replace


class Tractored(Event, frozen=True, kw_only=True, tag="tractored"):
    """A tractor beam takes hold of something (G7.3)."""

    unit: str
    beam: str
    target: str

    def apply(self, state: State) -> State:
        link = Link(ship=self.unit, beam=self.beam, target=self.target, since=self.moment(state))
        state = replace(state, links=(*state.links, link))
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put(state, replace(holder, beams_used=tuple(sorted({*holder.beams_used, self.beam}))))


class Released(Event, frozen=True, kw_only=True, tag="released"):
    """A tractor link ends, and why: let go, not paid for, its beam destroyed, broken by a second beam (G7.33, G7.4)."""

    unit: str
    beam: str
    target: str
    why: str

    def apply(self, state: State) -> State:
        links = tuple(link for link in state.links if (link.ship, link.beam) != (self.unit, self.beam))
        state = replace(state, links=links)
        holder = ship_of(state, self.unit)
        if holder is None:
            return state
        return put(state, let_go(holder, self.beam, self.in_its_turn(state), worked=self.impulse > 0))


class Towed(Event, frozen=True, kw_only=True, tag="towed"):
    """A held unit keeps a parallel course with the ship that holds it (G7.31C). ``at`` is hex and facing."""

    unit: str
    at: str
    by: str
    came_from: str

    def apply(self, state: State) -> State:
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        changes: dict[str, Any] = {"hex": here.hex, "facing": here.facing, "track": (*unit.track, here)}
        if not isinstance(unit, Monster | Planet):
            changes["towed"] = (*unit.towed, here.moment)
        if not isinstance(unit, Ship | Monster | Planet):
            changes["came_from"] = self.came_from
        return put(state, replace(unit, **changes))
