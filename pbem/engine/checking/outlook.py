"""What is known when orders are checked."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.terms import StepName
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.engine.step_names import ORDER, TITLES
from pbem.engine.steps.sensors import sensor_rating
from pbem.engine.steps.tractor_links import may_be_towed
from pbem.errors import NotAllowed
from pbem.rules import hexes
from pbem.rules.movement import hexes_between
from pbem.rules.sensors import is_automatic


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


def is_over(state: State, request: Request, step: StepName) -> bool:
    """Whether a step of the impulse with which a request's orders begin has been played."""
    now = state.step if (state.turn, state.impulse) == (request.turn, request.impulse) else ""
    return bool(now) and ORDER[step] < ORDER[now]


def over_text(state: State, impulse: int) -> str:
    """What is said of an order AT an impulse whose step is over (B2.0)."""
    return f"that step of impulse {impulse} is over; play goes on with: {TITLES[state.step].lower()}"


def needs_lock_on_die(outlook: Outlook) -> bool:
    """Whether the ship has yet to roll for lock-on in the turn the orders are for (D6.11): its sensors are damaged, and
    the phase is still to come.
    """
    state, request = outlook.state, outlook.request
    rolled = request.impulse > 0 or is_over(state, request, StepName.LOCK_ON)
    return outlook.scenario.uses("lock-on") and not rolled and not is_automatic(sensor_rating(outlook.ship))


def most_hexes(outlook: Outlook, target: AnyUnit, impulse: int) -> int:
    """The most hexes a unit can move from now through the movement of an impulse (C1.3, C1.44): weapons move after
    ships, and do so although the ships' movement of this impulse is over.

    While speeds are not announced ships may go as fast as the scenario lets any. What beams hold, or can take along,
    may change its speed in the turn (G7.31C, G7.4): for all that is known it moves in every impulse from then on.
    """
    state = outlook.state
    if isinstance(target, Planet) or (isinstance(target, Ship) and target.immobile):
        return 0
    moving = {Monster: StepName.MONSTERS, Ship: StepName.MOVE, Shuttle: StepName.SHUTTLES, Seeker: StepName.SEEK}
    first = outlook.first + is_over(state, outlook.request, moving[type(target)])
    if state.holders(target.name) or state.held_by(target.name):
        return max(0, impulse - first + 1)
    fixed = outlook.speeds_known or isinstance(target, Seeker | Monster)
    speed = target.speed if fixed else outlook.scenario.max_speed
    if outlook.scenario.uses("tractors") and may_be_towed(target):  # a beam takes hold of it when it has moved
        now = hexes_between(speed, first, outlook.first, state.impulses)
        return now + max(0, impulse - outlook.first)
    return hexes_between(speed, first, impulse, state.impulses)


def least_range(outlook: Outlook, impulse: int | None, target: AnyUnit) -> int:
    """The shortest range to a target that is possible in an impulse; 0 where too little is known to rule anything
    out.
    """
    if impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return 0
    places = target.hexes if isinstance(target, Planet) else (target.hex,)
    gap = min(hexes.distance(outlook.at[impulse][0], place, outlook.state.grid) for place in places)
    return max(0, gap - most_hexes(outlook, target, impulse))


def verify_reserve_used(outlook: Outlook) -> None:
    """Raises :class:`NotAllowed` where the game is played without reserve power."""
    if not outlook.state.options.reinforcement:
        raise NotAllowed("not-used", "reserve power is not used in this game (option reinforcement)", "H7.0")
