"""Base classes for victory conditions, and texts that say how ships were lost."""

from __future__ import annotations

from typing import ClassVar

from pbem.data.scenarios import Victory
from pbem.data.terms import MutinyState, UnitFate
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import TOWED_OFF, allied, fleet, goes_on, team
from pbem.engine.state import Outcome, Ship, State


class VictoryConditions:
    """Base class of victory conditions: when a scenario ends, and who wins.

    The class also contains the scenario rules that depend on the victory conditions. Each set of victory conditions is
    a subclass, registered in ``KINDS`` (:mod:`pbem.engine.victory`) under the name that scenario files use. With this
    base class itself, a scenario never ends.
    """

    announces: ClassVar[bool] = False
    """Whether ships may announce that they disengage, for scenarios that do not say (#10)."""
    concedes: ClassVar[bool] = True
    """Whether a team that concedes has lost at once; if not, the result depends on the ships left."""
    calm: ClassVar[bool] = False
    """Whether the scenario has aims besides fighting; then computer players use other systems than weapons too."""

    def __init__(self, victory: Victory) -> None:
        self.victory = victory

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the result of each side, or an empty list while the scenario goes on.

        ``last`` is true at the end of a turn.
        """
        return []

    def moved(self, table: Resolution, ship: Ship) -> None:
        """Hook that is called when a ship has finished a movement step; does nothing here."""

    def in_bays(self, table: Resolution) -> None:
        """Hook that is called at the end of the shuttle bay step; does nothing here."""

    @property
    def rescuers(self) -> str:
        """The name of the side that may rescue the people of a planet; empty if none may."""
        return ""

    def tasked(self, state: State, side: str) -> bool:
        """Return whether a side or one of its allies has the task of the scenario.

        If the task belongs to no side in particular, the result is true for every side.
        """
        return not self.victory.side or allied(state, side, self.victory.side)

    def rescues(self, state: State, side: str) -> bool:
        """Return whether a side may take the people of a planet aboard; here always false."""
        return False

    def waiting(self, planet: str) -> int:
        """Return the number of crew units that wait on a planet for rescue at the start of the scenario."""
        return 0

    def garrisoned(self, ship: Ship) -> bool:
        """Return whether a ship's boarding parties are guards, which always stay aboard (scenario #8)."""
        return False

    def prey(self, state: State, ship: Ship) -> list[str]:
        """Return the names of units, besides enemies, that a ship should attack or capture.

        By default the monsters are returned.
        """
        return [monster.name for monster in state.monsters()] if self.tasked(state, ship.side) else []

    def toward(self, state: State, ship: Ship) -> list[str]:
        """Return the names of units, besides enemies, to which a ship should fly.

        By default shuttles that carry people are returned, or if there are none, the units that :meth:`prey` returns.
        """
        laden = [boat.name for boat in state.shuttles() if boat.belongs_to(ship.side) and boat.crew]
        return laden or self.prey(state, ship)


class Graded(VictoryConditions):
    """Base class for scenarios in which a count, e.g. of ships destroyed, decides one side's result."""

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the result that the count gives each side, or an empty list while the scenario goes on."""
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
        """Return the count that decides the result, and the reason why the count is final.

        The result is ``None`` while the scenario goes on. ``last`` is true at the end of a turn.
        """
        raise NotImplementedError

    def able(self, state: State) -> bool:
        """Return whether the side with the task, or an ally, has or will get ships that can fulfil the task."""
        return any(goes_on(state, side) for side in team(state, self.victory.side))

    def ships_gone(self, state: State) -> str:
        """Return a text that says how the side with the task lost its ships; empty while a ship is left."""
        if self.able(state):
            return ""
        ships = [ship for side in team(state, self.victory.side) for ship in fleet(state, side)]
        return " and ".join(f"{ship.name} {how_lost(ship)}" for ship in ships)


def opposite(result: str) -> str:
    """Return the other side's result that corresponds to one side's result.

    A decisive victory is a decisive defeat for the other side; a draw is a draw for both sides.
    """
    head, _, last = result.rpartition(" ")
    return f"{head} {OPPOSITE.get(last, last)}".strip()


OPPOSITE = {"victory": "defeat", "defeat": "victory"}
"""Dict of the last word of a graded result to the word for the other side; all other words stay the same."""


def how_lost(ship: Ship) -> str:
    """Return a text that says how a ship was lost, for example ``was destroyed``.

    Other texts are ``was captured by …``, ``mutinied``, ``disengaged``, ``left the map`` and ``was towed off by
    …``.
    """
    if ship.gone == UnitFate.DESTROYED:
        return "was destroyed"
    if ship.is_prize:
        return f"was captured by {ship.side}"
    towed = next((f"was {mark}" for mark in ship.marks if mark.startswith(TOWED_OFF)), "")
    return "mutinied" if ship.people.mutiny == MutinyState.STAGED else towed or ship.gone
