"""Base classes for victory conditions, and words for how ships were lost."""

from __future__ import annotations

from typing import ClassVar

from pbem.data.scenarios import Victory
from pbem.data.terms import MutinyState, UnitFate
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import TOWED_OFF, allied, fleet, goes_on, team
from pbem.engine.state import Outcome, Ship, State


class VictoryConditions:
    """Base class of victory conditions: how a scenario is decided, and scenario rules that depend on it.

    A kind of victory is a subclass, entered in ``KINDS`` (:mod:`pbem.engine.victory`) under the word that scenarios
    use. This base class is never decided.
    """

    announces: ClassVar[bool] = False
    """Whether disengagement may be announced if the scenario does not say (#10)."""
    concedes: ClassVar[bool] = True
    """Whether a team that concedes has lost at once; otherwise the result depends on the ships left."""
    calm: ClassVar[bool] = False
    """Whether the scenario is about more than fighting, so that a computer player also uses other systems."""

    def __init__(self, victory: Victory) -> None:
        self.victory = victory

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the result of each side, or an empty list while the scenario goes on.

        ``last`` says that the turn is over.
        """
        return []

    def moved(self, table: Resolution, ship: Ship) -> None:
        """Hook: a ship has ended a step of movement."""

    def in_bays(self, table: Resolution) -> None:
        """Hook: the step of the shuttle bays is over."""

    @property
    def rescuers(self) -> str:
        """The side with which the people of a planet go; empty if they go with nobody."""
        return ""

    def tasked(self, state: State, side: str) -> bool:
        """Return whether a side or one of its allies has the scenario's task.

        If the task belongs to no side, the answer is true for every side.
        """
        return not self.victory.side or allied(state, side, self.victory.side)

    def rescues(self, state: State, side: str) -> bool:
        """Return whether a side takes the people of a planet aboard; here never."""
        return False

    def waiting(self, planet: str) -> int:
        """Return the number of crew units that wait on a planet to be rescued."""
        return 0

    def garrisoned(self, ship: Ship) -> bool:
        """Return whether a ship's boarding parties are guards, who stay aboard (scenario #8)."""
        return False

    def prey(self, state: State, ship: Ship) -> list[str]:
        """Return what a ship is after besides its enemies; by default the monsters."""
        return [monster.name for monster in state.monsters()] if self.tasked(state, ship.side) else []

    def toward(self, state: State, ship: Ship) -> list[str]:
        """Return the units a ship flies to other than enemies; shuttles that carry people come first."""
        laden = [boat.name for boat in state.shuttles() if boat.belongs_to(ship.side) and boat.crew]
        return laden or self.prey(state, ship)


class Graded(VictoryConditions):
    """Base class for scenarios that grade one side by a count: all but duels and #4."""

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the graded result for each side, or an empty list while the scenario goes on."""
        decided = self.decided(table, last)
        if decided is None:
            return []
        count, why = decided
        state, mine = table.state, self.victory.grade(count)
        team = state.team_of(self.victory.side)
        return [
            Outcome(side=name, result=mine if state.team_of(name) == team else opposite(mine), why=why)
            for name in sorted(state.sides)
        ]

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the count that is graded and why it is final, or ``None`` while the scenario goes on."""
        raise NotImplementedError

    def able(self, state: State) -> bool:
        """Return whether the graded side or an ally can still do the task, now or when its ships arrive."""
        return any(goes_on(state, side) for side in team(state, self.victory.side))

    def ships_gone(self, state: State) -> str:
        """Return in words how the graded side lost its ships; empty while it has one."""
        if self.able(state):
            return ""
        ships = [ship for side in team(state, self.victory.side) for ship in fleet(state, side)]
        return " and ".join(f"{ship.name} {how_lost(ship)}" for ship in ships)


def opposite(result: str) -> str:
    """Return what a graded result means for the other side.

    A decisive victory is a decisive defeat for the other side; a draw is a draw for both.
    """
    head, _, last = result.rpartition(" ")
    return f"{head} {OPPOSITE.get(last, last)}".strip()


OPPOSITE = {"victory": "defeat", "defeat": "victory"}
"""The last word of a graded result to the word for the other side; all other words are the same for both."""


def how_lost(ship: Ship) -> str:
    """Return in words how a ship was lost.

    It is ``was destroyed``, ``was captured by …``, ``mutinied``, ``disengaged``, ``left the map`` or ``was towed
    off by …``.
    """
    if ship.gone == UnitFate.DESTROYED:
        return "was destroyed"
    if ship.is_prize:
        return f"was captured by {ship.side}"
    towed = next((f"was {mark}" for mark in ship.marks if mark.startswith(TOWED_OFF)), "")
    return "mutinied" if ship.mutiny == MutinyState.STAGED else towed or ship.gone
