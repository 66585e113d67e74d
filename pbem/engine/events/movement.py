"""Event classes for movement: turns, hexes entered, maneuvers, the cloaking device (C1-C5, G13.0)."""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from typing import Any

import msgspec

from pbem.data.terms import CloakState
from pbem.engine.changes import change, put_unit, ship_of, warhead
from pbem.engine.events.base import Event, Notice
from pbem.engine.on_file import altered
from pbem.engine.state import Monster, Planet, Position, Seeker, Ship, Shuttle, State

replace = msgspec.structs.replace


class Turned(Event, frozen=True, kw_only=True, tag="turned"):
    """Event: a unit turns 60 degrees in its hex, just before it moves (C3.1).

    ``at`` is its hex and new facing.
    """

    unit: str
    at: str

    def apply(self, state: State) -> State:
        """Return the state with the unit's new facing."""
        return change(state, self.unit, facing=self.at[4:])


class Moved(Event, frozen=True, kw_only=True, tag="moved"):
    """Event: a unit enters a hex.

    ``code`` is the movement code F, L, R, SL or SR. ``plotted`` is true if the move used up a code of the plot.
    """

    unit: str
    at: str
    code: str
    came_from: str
    plotted: bool = False
    since_turn: int = 0
    since_slip: int = 0

    def apply(self, state: State) -> State:
        """Return the state with the unit's new position.

        The warhead of a plasma torpedo weakens with the distance.
        """
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        changes: dict[str, Any]
        match unit:
            case Ship():
                changes = {"since_turn": self.since_turn, "since_slip": self.since_slip}
            case Seeker():
                weaker = warhead(unit, travelled=unit.travelled + 1) if unit.torpedo else {}
                changes = {"straight": self.since_turn, "came_from": self.came_from, **weaker}
            case Shuttle():
                changes = {"straight": self.since_turn, "came_from": self.came_from, "landed": ""}
            case Monster():
                changes = {"straight": self.since_turn}
            case Planet():
                changes = {}
        track = (*unit.track, here)
        state = put_unit(state, replace(unit, hex=here.hex, facing=here.facing, track=track, **changes))
        standing = state.standing.get(unit.side) if self.plotted else None
        if standing is not None:
            flown = {**standing.flown, unit.name: standing.flown.get(unit.name, 0) + 1}
            state = replace(state, standing={**state.standing, unit.side: replace(standing, flown=flown)})
        return state


class Maneuvered(Event, frozen=True, kw_only=True, tag="maneuvered"):
    """Event: a ship turns in its hex by a tactical maneuver (C5.0).

    ``at`` is its hex and new facing; ``kind`` is ``warp`` or ``sublight``.
    """

    unit: str
    at: str
    kind: str

    def apply(self, state: State) -> State:
        """Return the state with the new facing, and hex counts for turn and slip mode restarted (C5.4)."""
        ship = ship_of(state, self.unit)
        if ship is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        used: dict[str, Any] = {"sublight_used": self.impulse}
        if self.kind == "warp":
            used = {"tacs": (*ship.this_turn.tacs, self.impulse)}
        return put_unit(
            state, altered(ship, facing=here.facing, track=(*ship.track, here), since_turn=0, since_slip=0, **used)
        )


class Cloaked(Event, frozen=True, kw_only=True, tag="cloaked"):
    """Event: the status of a ship's cloaking device changes (G13.0).

    ``status`` is ``cloaked`` or ``uncloaked`` for the turn (Cadet), ``cloaking`` or ``uncloaking`` from this
    impulse on (graduate), or empty for a ship that has finished fading in.
    """

    unit: str
    status: CloakState

    def apply(self, state: State) -> State:
        """Return the state with the new cloak status.

        A status that is announced before impulse 1 applies from impulse 1.
        """
        first = (self.turn - 1) * state.impulses + 1
        return change(state, self.unit, cloak=self.status, cloak_since=max(first, self.moment(state)))


class Guided(Notice, frozen=True, kw_only=True, tag="guided"):
    """Event: a player chooses which of two equally near hexes a seeking weapon enters (F2.0); secret."""

    unit: str
    way: str
