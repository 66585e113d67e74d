"""The facts about a ship and the game that are used to check orders."""

from __future__ import annotations

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.terms import StepName
from pbem.engine.relations import is_wreck
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.engine.step_names import ORDER, TITLES
from pbem.engine.steps.sensors import sensor_rating
from pbem.engine.steps.tractor_links import may_be_towed
from pbem.errors import NotAllowed
from pbem.rules import hexes
from pbem.rules.movement import hexes_between
from pbem.rules.sensors import is_automatic


class Outlook(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that are known when a ship's orders are checked.

    Attributes:
        state: The state at the time of the request for orders.
        scenario: The scenario of the game.
        request: The request that the orders answer.
        ship: The ship with its energy form applied.
        at: The ship's hex and facing after each impulse, for the impulses in which both can be predicted with
            certainty.
        certain_until: The last impulse in which hex and facing are certain.
        speeds_known: Whether the speeds of all ships are already announced.
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
        """The first impulse that the orders cover."""
        return max(1, self.request.impulse)

    def moment(self, impulse: int) -> int:
        """Return the moment (impulses since the start of the game) of an impulse of the ordered turn.

        The ordered turn is the turn that the orders are for.
        """
        return (self.request.turn - 1) * self.state.impulses + impulse


def is_over(state: State, request: Request, step: StepName) -> bool:
    """Return whether a step was already played in the first impulse that a request covers."""
    now = state.step if (state.turn, state.impulse) == (request.turn, request.impulse) else ""
    return bool(now) and ORDER[step] < ORDER[now]


def over_text(state: State, impulse: int) -> str:
    """Return the message for an order that comes too late because its step is already played (B2.0).

    ``impulse`` is the impulse that the order names.
    """
    return f"that step of impulse {impulse} is over; play goes on with: {TITLES[state.step].lower()}"


def needs_lock_on_die(outlook: Outlook) -> bool:
    """Return whether the ship must still roll for lock-on in the turn of the orders (D6.11).

    A ship with damaged sensors must roll if the lock-on phase has not been played yet.
    """
    state, request = outlook.state, outlook.request
    rolled = request.impulse > 0 or is_over(state, request, StepName.LOCK_ON)
    return outlook.scenario.uses("lock-on") and not rolled and not is_automatic(sensor_rating(outlook.ship))


def most_hexes(outlook: Outlook, target: AnyUnit, impulse: int) -> int:
    """Return the most hexes a unit can move before the end of movement in an impulse (C1.3, C1.44).

    Seeking weapons move after ships, so they may still move when the ships' movement of this impulse is over. Before
    speeds are announced, ships are assumed to be as fast as the scenario allows. A unit that is held by a tractor beam,
    or that can tow, may change its speed during the turn (G7.31C, G7.4), so it is assumed to move in every impulse from
    now on.
    """
    state = outlook.state
    if isinstance(target, Planet) or is_wreck(target):
        return 0
    moving = {Monster: StepName.MONSTERS, Ship: StepName.MOVE, Shuttle: StepName.SHUTTLES, Seeker: StepName.SEEK}
    first = outlook.first + is_over(state, outlook.request, moving[type(target)])
    if state.holders(target.name) or state.held_by(target.name):
        return max(0, impulse - first + 1)
    fixed = outlook.speeds_known or isinstance(target, Seeker | Monster)
    speed = target.speed if fixed else outlook.scenario.max_speed
    if outlook.scenario.uses("tractors") and may_be_towed(target):  # a beam takes hold of it after it has moved
        now = hexes_between(speed, first, outlook.first, state.impulses)
        return now + max(0, impulse - outlook.first)
    return hexes_between(speed, first, impulse, state.impulses)


def least_range(outlook: Outlook, impulse: int | None, target: AnyUnit) -> int:
    """Return the shortest possible range to a target in an impulse, in hexes; 0 if too little is known."""
    if impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return 0
    places = target.hexes if isinstance(target, Planet) else (target.hex,)
    gap = min(hexes.distance(outlook.at[impulse][0], place, outlook.state.grid) for place in places)
    return max(0, gap - most_hexes(outlook, target, impulse))


def verify_reserve_used(outlook: Outlook) -> None:
    """Check that the game uses reserve power (battery energy during the turn).

    Raises:
        NotAllowed: The game does not use reserve power.
    """
    if not outlook.state.options.reinforcement:
        raise NotAllowed("not-used", "this game does not use reserve power (option reinforcement)", "H7.0")
