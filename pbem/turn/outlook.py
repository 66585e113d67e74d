"""What is known when orders are checked."""

from __future__ import annotations

import msgspec

from pbem.chapters.tractors.links import may_be_towed
from pbem.data.scenarios import Scenario
from pbem.faults import NotAllowed
from pbem.game.state import AnyUnit, Planet, Request, Ship, State
from pbem.rules import hexes
from pbem.rules.impulse_chart import hexes_between


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

    def top_speed(self, target: AnyUnit) -> int:
        """The most hexes a unit may make this turn: those of its speed, once speeds are known, or those of a ship that
        tows it, be it now or later in the turn (G7.31C).
        """
        if isinstance(target, Planet) or (isinstance(target, Ship) and target.immobile):
            return 0
        towed = self.scenario.uses("tractors") and may_be_towed(target)
        return max(target.speed, 0 if self.speeds_known and not towed else self.scenario.max_speed)


def least_range(outlook: Outlook, impulse: int | None, target: AnyUnit) -> int:
    """The shortest range to a target that is possible in an impulse; 0 where too little is known to rule anything out.

    Its speed may change in a turn, as may who tows it: a ship is taken to go as fast as the scenario lets any.
    """
    if impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return 0
    most = max(target.speed, outlook.scenario.max_speed)
    speed = 0 if isinstance(target, Planet) or (isinstance(target, Ship) and target.immobile) else most
    steps = hexes_between(speed, outlook.first, impulse, outlook.state.impulses)
    places = target.hexes if isinstance(target, Planet) else (target.hex,)
    gap = min(hexes.distance(outlook.at[impulse][0], place, outlook.state.grid) for place in places)
    return max(0, gap - steps)


def verify_reserve_used(outlook: Outlook) -> None:
    """Raises :class:`NotAllowed` where the game is played without reserve power."""
    if not outlook.state.options.reinforcement:
        raise NotAllowed("not-used", "reserve power is not used in this game (option reinforcement)", "H7.0")
