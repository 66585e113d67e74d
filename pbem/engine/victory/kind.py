"""What every kind of victory has in common: what hangs on it in play, and words for how ships were lost."""

from __future__ import annotations

from typing import ClassVar

from pbem.data.scenarios import Victory
from pbem.data.terms import Gone, MutinyState
from pbem.engine.play.resolution import Table
from pbem.engine.relations import allied, can_fight, goes_on, team
from pbem.engine.state import Outcome, Ship, State
from pbem.engine.steps.tractor_links import TOWED_OFF, towed_off_by


class Kind:
    """How a scenario is decided, and what else hangs on that. A kind of victory is such a class in a file of
    its own, entered in ``KINDS`` (:mod:`pbem.engine.victory`) by the word that scenarios use. This one is never
    decided.
    """

    announces: ClassVar[bool] = False
    """Whether disengagement may be announced where the scenario says nothing of it (#10)."""
    concedes: ClassVar[bool] = True
    """Whether a team that concedes has lost at once; otherwise it is judged by who is left."""
    calm: ClassVar[bool] = False
    """Whether it is about more than fighting, so that a captain thinks of his systems too."""

    def __init__(self, victory: Victory) -> None:
        self.victory = victory

    def outcome(self, table: Table, last: bool) -> list[Outcome]:
        """What each side made of the scenario, or nothing while it goes on; ``last`` says that the turn is over."""
        return []

    def moved(self, table: Table, ship: Ship) -> None:
        """A ship has ended a step of movement."""

    def in_bays(self, table: Table) -> None:
        """The step of the bays is over."""

    @property
    def rescuers(self) -> str:
        """The side with whom, and with whose allies, the people of a planet go; empty if they go with nobody."""
        return ""

    def tasked(self, state: State, side: str) -> bool:
        """Whether a side or an ally of it has the task of the scenario; anybody where it is nobody's of their own."""
        return not self.victory.side or allied(state, side, self.victory.side)

    def rescues(self, state: State, side: str) -> bool:
        """Whether the people of a planet go with a side."""
        return False

    def waiting(self, planet: str) -> int:
        """Crew units that wait on a planet to be rescued."""
        return 0

    def garrisoned(self, ship: Ship) -> bool:
        """Whether a ship's boarding parties are its guards, who stay aboard (scenario #8)."""
        return False

    def prey(self, state: State, ship: Ship) -> list[str]:
        """What a ship is after beyond its enemies: a monster, if there is nothing else."""
        return [monster.name for monster in state.monsters()] if self.tasked(state, ship.side) else []

    def toward(self, state: State, ship: Ship) -> list[str]:
        """Where else than to an enemy a ship flies: shuttles that bring people home come first."""
        laden = [boat.name for boat in state.shuttles() if boat.side == ship.side and boat.crew]
        return laden or self.prey(state, ship)


class Graded(Kind):
    """Everything but duels and #4: the result of one side and its allies, by how much they got done."""

    def outcome(self, table: Table, last: bool) -> list[Outcome]:
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

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        """The count that is graded, and why; nothing while the scenario goes on."""
        raise NotImplementedError

    def able(self, state: State) -> bool:
        """Whether the graded side or an ally of it can still go on with the task, now or when its ships have come."""
        return any(goes_on(state, side) for side in team(state, self.victory.side))

    def ships_gone(self, state: State) -> str:
        """How the graded side and its allies lost their ships, in words; empty while one of them can go on."""
        if self.able(state):
            return ""
        ships = [ship for side in team(state, self.victory.side) for ship in fleet(state, side)]
        return " and ".join(f"{ship.name} {how_lost(ship)}" for ship in ships)


def opposite(result: str) -> str:
    """What a graded result means to the other side: a decisive victory is a decisive defeat; a draw is one to both."""
    head, _, last = result.rpartition(" ")
    return f"{head} {OPPOSITE.get(last, last)}".strip()


OPPOSITE = {"victory": "defeat", "defeat": "victory"}
"""The last word of a graded result, to the other side; any other is the same for both."""


def fleet(state: State, side: str) -> list[Ship]:
    """The ships a side came with, by name, whoever has them now."""
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return sorted((ship for ship in ships if ship.lost_by == side and not ship.immobile), key=lambda ship: ship.name)


def beaten(state: State, ship: Ship) -> bool:
    """Whether a ship is lost for good to its side: destroyed, given up, unable to fight as a prize or in mutiny (D7.0,
    G6.33), or towed off the map by an enemy (G7.31C).
    """
    if ship.gone in (Gone.DESTROYED, Gone.CONCEDED) or not can_fight(ship):
        return True
    return state.enemies(ship.side, towed_off_by(state, ship))


def how_lost(ship: Ship) -> str:
    """``was destroyed``, ``was captured``, ``mutinied``, ``disengaged``, ``left the map``, ``was towed off by …``."""
    if ship.gone == Gone.DESTROYED:
        return "was destroyed"
    if ship.captured_from:
        return f"was captured by {ship.side}"
    towed = next((f"was {mark}" for mark in ship.marks if mark.startswith(TOWED_OFF)), "")
    return "mutinied" if ship.mutiny == MutinyState.STAGED else towed or ship.gone
