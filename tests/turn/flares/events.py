"""What happens: a flare burns."""

from __future__ import annotations

from pbem.game.change import change, ship_of
from pbem.game.event import Event
from pbem.game.state import State


class Flared(Event, frozen=True, kw_only=True):
    """A flare is burnt at a ship and dazzles it (X1.0)."""

    unit: str
    target: str

    def apply(self, state: State) -> State:
        burnt = (*used(state, self.unit), self.moment(state))
        for name, kept, moments in (
            (self.unit, "flares burnt", burnt), (self.target, "dazzled", (self.moment(state),))
        ):  # fmt: skip
            ship = ship_of(state, name)
            state = state if ship is None else change(state, name, own={**ship.own, kept: moments})
        return state


def used(state: State, name: str) -> tuple[int, ...]:
    """The moments of this turn at which a ship burnt a flare."""
    ship = ship_of(state, name)
    burnt = () if ship is None else ship.own.get("flares burnt", ())
    return tuple(moment for moment in burnt if moment > (state.turn - 1) * state.impulses)
