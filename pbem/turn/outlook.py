"""What is known when orders are checked."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario
from pbem.game.state import Request, Ship, State


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """What is known when orders are checked: the ship as its form leaves it, and where it will be while that is
    certain.
    """

    state: State
    scenario: Scenario
    request: Request
    ship: Ship
    at: dict[int, tuple[str, str]]
    certain_until: int
    speeds_known: bool

    @property
    def first(self) -> int:
        return max(1, self.request.impulse)

    def moment(self, impulse: int) -> int:
        return (self.request.turn - 1) * self.state.impulses + impulse
